// Implicit Newmark [BJ05 App. C] on the full system, each step iterated to equilibrium. The step
// matrix is the paper's A = a1 M + a4 C + K(u); it leaves out the derivative of the damping matrix,
// so the iteration converges linearly where damping is strong, to the same answer.
#include "sim/fem/dynamic.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/sparse_chol.h"
#include "sim/fem/assemble.h"

enum { MOST_ITERATIONS = 60 };
static const double ROUNDING = 8.0 * DBL_EPSILON; // of the terms that cancel in the residual

typedef struct newmark {
    pal_fem *fem;
    const pal_dynamic_options *options;
    pal_chol *chol;
    pal_csr matrix;
    int n;
    double a1, a2, a3, a4, a5, a6; // [BJ05 App. C], beta = 1/4, gamma = 1/2
    double tolerance;
    double *f;               // load
    double *u, *v, *a;       // state
    double *u1, *v1, *acc1;  // next state
    double *residual, *work; //
    double *full_u, *full_v; // for the observer
    double strain;           // V(u1)
} newmark;

static void set_coefficients(newmark *s) {
    const double beta = 0.25, gamma = 0.5;
    double dt = s->options->dt;
    s->a1 = 1.0 / (beta * dt * dt);
    s->a2 = 1.0 / (beta * dt);
    s->a3 = (1.0 - 2.0 * beta) / (2.0 * beta);
    s->a4 = gamma / (beta * dt);
    s->a5 = 1.0 - gamma / beta;
    s->a6 = (1.0 - gamma / (2.0 * beta)) * dt;
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
        cblas_daxpy(s->n, beta, s->work, 1, s->residual, 1);
    }
    cblas_daxpy(s->n, alpha, s->v1, 1, s->acc1, 1); // both are multiplied by M: once is enough
    pal_fem_multiply_mass(s->fem, s->acc1, s->work);
    cblas_daxpy(s->n, 1.0, s->work, 1, s->residual, 1);
    cblas_daxpy(s->n, -1.0, s->f, 1, s->residual, 1);
    update_rates(s);
    return PAL_OK;
}

// Whether the residual has stopped falling (it was `before`) and is no more than rounding makes it.
static bool is_at_floor(const newmark *s, double norm, double before) {
    if (!(norm > 0.5 * before)) {
        return false;
    }
    return norm < 1e3 * s->tolerance || norm < ROUNDING * pal_csr_term_norm(&s->matrix, s->u1);
}

// One step: Newton until the residual is small, or as small as rounding lets it become.
static pal_status step(newmark *s, int number, pal_err *err) {
    double before = INFINITY, norm = INFINITY;
    memcpy(s->u1, s->u, (size_t)s->n * sizeof *s->u1);
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        pal_status status = evaluate_residual(s, err);
        if (status != PAL_OK) {
            return status;
        }
        before = norm;
        norm = cblas_dnrm2(s->n, s->residual, 1);
        pal_fem_combine(s->fem, 1.0 + s->a4 * s->options->beta, s->a1 + s->a4 * s->options->alpha,
                        &s->matrix);
        if (norm <= s->tolerance || is_at_floor(s, norm, before)) {
            return PAL_OK;
        }
        bool positive;
        status = pal_chol_factor(s->chol, &s->matrix, &positive, err);
        if (status == PAL_OK && !positive) {
            return pal_fail(err, PAL_ERR_NUMERIC,
                            "step %d: the step matrix is indefinite; use a smaller --dt", number);
        }
        if (status == PAL_OK) {
            status = pal_chol_solve(s->chol, 1, s->residual, err);
        }
        if (status != PAL_OK) {
            return status;
        }
        cblas_daxpy(s->n, -1.0, s->residual, 1, s->u1, 1);
    }
    return pal_fail(err, PAL_ERR_NUMERIC,
                    "step %d did not converge (residual %.3g N); use a smaller --dt", number, norm);
}

// M a(0) = f - R(0) = f
static pal_status start(newmark *s, pal_err *err) {
    bool positive;
    pal_fem_combine(s->fem, 0.0, 1.0, &s->matrix);
    pal_status status = pal_chol_factor(s->chol, &s->matrix, &positive, err);
    if (status != PAL_OK) {
        return status;
    }
    memcpy(s->a, s->f, (size_t)s->n * sizeof *s->a);
    return pal_chol_solve(s->chol, 1, s->a, err);
}

static bool observe_state(newmark *s, int number, pal_dynamic_observer observe, void *user) {
    pal_fem_multiply_mass(s->fem, s->v, s->work);
    double kinetic = 0.5 * cblas_ddot(s->n, s->v, 1, s->work, 1);
    pal_fem_to_full(s->fem, s->u, s->full_u);
    pal_fem_to_full(s->fem, s->v, s->full_v);
    return observe == NULL ||
           observe(user, number, number * s->options->dt, s->full_u, s->full_v, kinetic, s->strain);
}

static void advance(newmark *s) {
    size_t bytes = (size_t)s->n * sizeof(double);
    memcpy(s->u, s->u1, bytes);
    memcpy(s->v, s->v1, bytes);
    memcpy(s->a, s->acc1, bytes);
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
    pal_fem_to_free(s->fem, f, s->f);
    double tolerance = s->options->tolerance > 0.0 ? s->options->tolerance : 1e-12;
    s->tolerance = tolerance * cblas_dnrm2(s->n, s->f, 1);
    set_coefficients(s);
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
            advance(&s);
            pal_progress_report(progress, "dynamics", (double)k / options->steps);
        }
        go_on = status == PAL_OK && observe_state(&s, k, observe, user);
    }
    release(&s);
    return status;
}
