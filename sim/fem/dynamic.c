// Implicit Newmark [BJ05 App. C] on the full system, each step iterated to equilibrium. Factors
// cost most, so one serves until it does so badly.
#include "sim/fem/dynamic.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/sparse_chol.h"
#include "sim/base/vecn.h"
#include "sim/fem/assemble.h"

enum { MOST_ITERATIONS = 30, MOST_PARTS = 64 };
static const double SLOW = 0.25; // a factor that takes the residual no further than this is renewed
static const double ROUNDING = 8.0 * DBL_EPSILON; // of the terms that cancel in the residual

typedef struct newmark {
    pal_fem *fem;
    const pal_dynamic_options *options;
    pal_chol *chol;
    pal_csr matrix;
    int n;
    double time, h;                // now; the step that is being taken
    double a1, a2, a3, a4, a5, a6; // [BJ05 App. C], beta = 1/4, gamma = 1/2
    double relative, tolerance;
    double norm;             // |residual|
    bool smooth;             // the last step's acceleration foretold the next place
    double *f, load;         // load, and the share of it that is on
    double *u, *v, *a;       // state
    double *u1, *v1, *acc1;  // next state
    double *residual, *work; //
    double *full_u, *full_v; // for the observer
    double strain;           // V(u1)
} newmark;

static void set_coefficients(newmark *s, double dt) {
    const double beta = 0.25, gamma = 0.5;
    s->h = dt;
    s->a1 = 1.0 / (beta * dt * dt);
    s->a2 = 1.0 / (beta * dt);
    s->a3 = (1.0 - 2.0 * beta) / (2.0 * beta);
    s->a4 = gamma / (beta * dt);
    s->a5 = 1.0 - gamma / beta;
    s->a6 = (1.0 - gamma / (2.0 * beta)) * dt;
}

static double load_at(const newmark *s, double time) {
    const pal_dynamic_options *options = s->options;
    return options->load_factor ? options->load_factor(options->load_user, time) : 1.0;
}

// v1 and acc1 from u1 [App. C, lines 15-16].
static void update_rates(newmark *s) {
    for (int i = 0; i < s->n; i++) {
        double du = s->u1[i] - s->u[i];
        s->v1[i] = s->a4 * du + s->a5 * s->v[i] + s->a6 * s->a[i];
        s->acc1[i] = s->a1 * du - s->a2 * s->v[i] - s->a3 * s->a[i];
    }
}

// residual = M acc1 + (alpha M + beta K(u1)) v1 + R(u1) - f [App. C, lines 8-9]
static pal_status evaluate_residual(newmark *s, pal_err *err) {
    double alpha = s->options->alpha, beta = s->options->beta;
    pal_status status = pal_fem_evaluate(s->fem, s->u1, &s->strain, s->residual, true, err);
    if (status != PAL_OK) {
        return status;
    }
    update_rates(s);
    if (beta != 0.0) {
        pal_csr_multiply(&s->fem->stiffness, s->v1, s->work);
        pal_add_scaled(s->n, beta, s->work, s->residual);
    }
    pal_add_scaled(s->n, alpha, s->v1, s->acc1); // both are multiplied by M: once is enough
    pal_fem_multiply_mass(s->fem, s->acc1, s->work);
    pal_add_scaled(s->n, 1.0, s->work, s->residual);
    pal_add_scaled(s->n, -s->load, s->f, s->residual);
    update_rates(s);
    return PAL_OK;
}

// Whether the residual has stopped falling (it was `before`) and is no more than rounding makes it.
static bool is_at_floor(const newmark *s, double before) {
    if (!(s->norm > 0.5 * before)) {
        return false;
    }
    return s->norm < 1e3 * s->tolerance ||
           s->norm < ROUNDING * pal_csr_term_norm(&s->matrix, s->u1);
}

// Factors the derivative of the residual,
//
//     (1 + a4 beta) K + (a1 + a4 alpha) M + beta H,   H = dK(u1)[v1],
//
// where K(u1) is assembled. K is quadratic in u, so the central difference for H is exact. Where
// that is indefinite, H is left out: slower, but to the same answer.
static pal_status factor(newmark *s, bool *positive, pal_err *err) {
    const double alpha = s->options->alpha, beta = s->options->beta;
    const double side[2] = {s->h, -s->h};
    pal_status status = PAL_OK;
    for (int exact = beta != 0.0; exact >= 0; exact--) {
        if (exact == 0 && beta != 0.0) {
            status = pal_fem_evaluate(s->fem, s->u1, NULL, NULL, true, err);
        }
        pal_fem_combine(s->fem, 1.0 + s->a4 * beta, s->a1 + s->a4 * alpha, &s->matrix);
        for (int k = 0; k < 2 && exact == 1 && status == PAL_OK; k++) {
            memcpy(s->work, s->u1, (size_t)s->n * sizeof *s->work);
            pal_add_scaled(s->n, side[k], s->v1, s->work);
            status = pal_fem_evaluate(s->fem, s->work, NULL, NULL, true, err);
            pal_add_scaled(s->matrix.start[s->matrix.n], 0.5 * beta / side[k],
                           s->fem->stiffness.value, s->matrix.value);
        }
        if (status == PAL_OK) {
            status = pal_chol_factor(s->chol, &s->matrix, positive, err);
        }
        if (status != PAL_OK || *positive) {
            return status;
        }
    }
    return PAL_OK;
}

// Where a free coordinate may be after h: carried on with its velocity, and with its acceleration
// too where the motion is smooth.
static double guess(const newmark *s, int i, bool smooth) {
    return s->u[i] + s->h * (s->v[i] + (smooth ? 0.5 * s->h * s->a[i] : 0.0));
}

// Whether the acceleration has made the guess better.
static bool was_smooth(const newmark *s) {
    double with = 0.0, without = 0.0;
    for (int i = 0; i < s->n; i++) {
        with += pow(guess(s, i, true) - s->u1[i], 2.0);
        without += pow(guess(s, i, false) - s->u1[i], 2.0);
    }
    return with < without;
}

// From a first guess in u1: Newton until the residual is small, or as small as rounding lets it
// become. A factor is used again within the step for as long as it serves. *reached = false when
// Newton fails (not an error yet).
static pal_status iterate(newmark *s, bool *reached, pal_err *err) {
    double before = INFINITY;
    bool fresh = false; // the factor is of the last iterate
    *reached = false;
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        pal_status status = evaluate_residual(s, err);
        s->norm = pal_norm(s->n, s->residual);
        if (status != PAL_OK || !isfinite(s->norm)) {
            return status;
        }
        bool slow = s->norm > SLOW * before;
        *reached = s->norm <= s->tolerance || (fresh && is_at_floor(s, before));
        if (*reached) {
            return PAL_OK;
        }
        fresh = i == 0 || slow;
        bool positive = true;
        if (fresh) {
            status = factor(s, &positive, err);
        }
        if (status == PAL_OK && positive) {
            status = pal_chol_solve(s->chol, 1, s->residual, err);
        }
        if (status != PAL_OK || !positive) {
            return status;
        }
        pal_add_scaled(s->n, -1.0, s->residual, s->u1);
        before = s->norm;
    }
    return PAL_OK;
}

// The state after h from the present one, guessed by going on as now, or else by standing still.
static pal_status try_step(newmark *s, double h, bool *reached, pal_err *err) {
    set_coefficients(s, h);
    s->load = load_at(s, s->time + h);
    for (int i = 0; i < s->n; i++) {
        s->u1[i] = guess(s, i, s->smooth);
    }
    pal_status status = iterate(s, reached, err);
    if (status == PAL_OK && !*reached) {
        memcpy(s->u1, s->u, (size_t)s->n * sizeof *s->u1);
        status = iterate(s, reached, err);
    }
    return status;
}

static void advance(newmark *s, double time) {
    s->smooth = was_smooth(s);
    size_t bytes = (size_t)s->n * sizeof(double);
    memcpy(s->u, s->u1, bytes);
    memcpy(s->v, s->v1, bytes);
    memcpy(s->a, s->acc1, bytes);
    s->time = time;
}

// One step, in parts where it must be: halved when Newton fails, doubled again after a success.
static pal_status step(newmark *s, int number, pal_err *err) {
    const double dt = s->options->dt;
    for (int done = 0, part = MOST_PARTS; done < MOST_PARTS;) {
        bool reached;
        pal_status status = try_step(s, dt * part / MOST_PARTS, &reached, err);
        if (status != PAL_OK) {
            return status;
        }
        if (!reached && part == 1) {
            return pal_fail(err, PAL_ERR_NUMERIC,
                            "step %d does not converge, not even in parts of %.3g s; put on a "
                            "smaller load or use a smaller --dt",
                            number, dt / MOST_PARTS);
        }
        if (!reached) {
            part /= 2;
            continue;
        }
        done += part;
        advance(s, (number - 1 + (double)done / MOST_PARTS) * dt);
        part = done % (2 * part) == 0 && part < MOST_PARTS ? 2 * part : part;
    }
    return PAL_OK;
}

// M a(0) = f(0) - C v(0), with K(0) assembled and R(0) = 0; M v(0) / dt counts as a force in the
// tolerance.
static pal_status start(newmark *s, pal_err *err) {
    bool positive;
    if (s->options->velocity != NULL) {
        pal_fem_to_free(s->fem, s->options->velocity, s->v);
        pal_csr_multiply(&s->fem->stiffness, s->v, s->work);
        pal_add_scaled(s->n, -s->options->beta, s->work, s->a);
        pal_fem_multiply_mass(s->fem, s->v, s->work);
        pal_add_scaled(s->n, -s->options->alpha, s->work, s->a);
        s->tolerance = fmax(s->tolerance, s->relative * pal_norm(s->n, s->work) / s->options->dt);
    }
    pal_fem_combine(s->fem, 0.0, 1.0, &s->matrix);
    pal_status status = pal_chol_factor(s->chol, &s->matrix, &positive, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_add_scaled(s->n, load_at(s, 0.0), s->f, s->a);
    return pal_chol_solve(s->chol, 1, s->a, err);
}

static bool observe_state(newmark *s, int number, pal_dynamic_observer observe, void *user) {
    pal_fem_multiply_mass(s->fem, s->v, s->work);
    double kinetic = 0.5 * pal_dot(s->n, s->v, s->work);
    pal_fem_to_full(s->fem, s->u, s->full_u);
    pal_fem_to_full(s->fem, s->v, s->full_v);
    return observe == NULL ||
           observe(user, number, number * s->options->dt, s->full_u, s->full_v, kinetic, s->strain);
}

static pal_status prepare(newmark *s, const double *f, pal_err *err) {
    size_t n = (size_t)pal_fem_dofs(s->fem), full = 3 * (size_t)s->fem->mesh->vertex_count;
    double **vector[] = {&s->f,  &s->u,    &s->v,        &s->a,   &s->u1,
                         &s->v1, &s->acc1, &s->residual, &s->work};
    for (size_t k = 0; k < sizeof vector / sizeof *vector; k++) {
        *vector[k] = PAL_NEW(double, n, err);
        if (*vector[k] == NULL) {
            return PAL_ERR_MEMORY;
        }
    }
    s->full_u = PAL_NEW(double, full, err);
    s->full_v = PAL_NEW(double, full, err);
    if (!s->full_u || !s->full_v) {
        return PAL_ERR_MEMORY;
    }
    s->n = (int)n;
    pal_fem_load_to_free(s->fem, f, s->f);
    s->relative = s->options->tolerance > 0.0 ? s->options->tolerance : 1e-12;
    s->tolerance = s->relative * pal_norm(s->n, s->f);
    pal_status status = pal_fem_evaluate(s->fem, NULL, NULL, NULL, true, err);
    if (status != PAL_OK) {
        return status;
    }
    s->chol = pal_chol_create(&s->fem->stiffness, err);
    return s->chol ? pal_fem_new_matrix(s->fem, &s->matrix, err) : PAL_ERR_MEMORY;
}

static pal_status check_options(const pal_dynamic_options *options, pal_err *err) {
    if (!(options->dt > 0.0) || !isfinite(options->dt) || options->steps < 1) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "the time step must be positive and the number of steps at least 1");
    }
    if (!(options->alpha >= 0.0) || !(options->beta >= 0.0) || !isfinite(options->alpha) ||
        !isfinite(options->beta)) {
        return pal_fail(err, PAL_ERR_USAGE, "Rayleigh damping must not be negative");
    }
    return PAL_OK;
}

static void release(newmark *s) {
    double *vector[] = {s->f,    s->u,        s->v,    s->a,      s->u1,     s->v1,
                        s->acc1, s->residual, s->work, s->full_u, s->full_v, s->matrix.value};
    for (size_t k = 0; k < sizeof vector / sizeof *vector; k++) {
        free(vector[k]);
    }
    pal_chol_free(s->chol);
}

pal_status pal_dynamic_run(pal_fem *fem, const double *f, const pal_dynamic_options *options,
                           const pal_progress *progress, pal_dynamic_observer observe, void *user,
                           pal_err *err) {
    newmark s = {.fem = fem, .options = options};
    pal_status status = check_options(options, err);
    if (status == PAL_OK) {
        pal_progress_report(progress, "dynamics", 0.0);
        status = prepare(&s, f, err);
    }
    if (status == PAL_OK) {
        status = start(&s, err);
    }
    bool go_on = status == PAL_OK && observe_state(&s, 0, observe, user);
    for (int k = 1; go_on && k <= options->steps; k++) {
        status = step(&s, k, err);
        if (status == PAL_OK) {
            pal_progress_report(progress, "dynamics", (double)k / options->steps);
        }
        go_on = status == PAL_OK && observe_state(&s, k, observe, user);
    }
    release(&s);
    return status;
}
