// Newton on the potential energy V(u) - f.u: the step solves K(u) d = f - R(u). Whole steps are
// tried first; where they do not get there, careful ones: where K(u) is indefinite it is shifted
// until it is not; the step is shortened until the potential falls enough (or the residual does,
// where the potential's change drowns in rounding). The load is first put on at once; where Newton
// fails or an element turns inside out, by smaller steps.
#include "sim/fem/static.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/sparse_chol.h"
#include "sim/base/vecn.h"
#include "sim/fem/assemble.h"

enum { MOST_NEWTON_PER_STEP = 20, MOST_HALVINGS = 12 };
static const double SMALLEST_LOAD_STEP = 1.0 / 512.0;
static const double ROUNDING = 8.0 * DBL_EPSILON; // of the terms that cancel in R(u)

typedef struct newton {
    pal_fem *fem;
    pal_chol *chol;
    int n;             // free dofs
    double *f;         // the whole load
    double *u, *trial; // displacement, and the one being tried
    double *residual;  // load * f - R(u)
    double *step;      // Newton direction
    double load;       // share of f that is on
    double start_load; // that is on at first
    double potential;  // V(u) - load f.u
    double norm;       // |residual|
    double tolerance;  // on norm
    double strain;     // V(u)
    int iterations, max_iterations;
} newton;

static double dot(const newton *s, const double *a, const double *b) {
    return pal_dot(s->n, a, b);
}

// Energy and residual at u, with the stiffness when asked.
static pal_status evaluate(newton *s, const double *u, bool stiffness, pal_err *err) {
    pal_status status = pal_fem_evaluate(s->fem, u, &s->strain, s->residual, stiffness, err);
    if (status != PAL_OK) {
        return status;
    }
    s->potential = s->strain - s->load * dot(s, s->f, u);
    for (int i = 0; i < s->n; i++) {
        s->residual[i] = s->load * s->f[i] - s->residual[i];
    }
    s->norm = pal_norm(s->n, s->residual);
    return PAL_OK;
}

// Tries u + size * step for size 1, 1/2, ...; true when one is good enough (u has moved there).
static pal_status line_search(newton *s, bool *moved, pal_err *err) {
    double potential = s->potential, norm = s->norm, slope = -dot(s, s->residual, s->step);
    double size = 1.0;
    *moved = false;
    for (int halving = 0; halving < MOST_HALVINGS; halving++, size *= 0.5) {
        memcpy(s->trial, s->u, (size_t)s->n * sizeof *s->trial);
        pal_add_scaled(s->n, size, s->step, s->trial);
        pal_status status = evaluate(s, s->trial, false, err);
        if (status != PAL_OK) {
            return status;
        }
        bool falls = s->potential <= potential + 1e-4 * size * slope;
        if (isfinite(s->norm) && (falls || s->norm < 0.5 * norm || s->norm <= s->tolerance)) {
            memcpy(s->u, s->trial, (size_t)s->n * sizeof *s->u);
            *moved = true;
            return PAL_OK;
        }
    }
    return PAL_OK;
}

// The share of the digits between the load and the tolerance that a residual has won, 0..1.
static double digits_won(const newton *s, double residual) {
    double whole = pal_norm(s->n, s->f);
    double won = log(whole / residual) / log(whole / s->tolerance);
    return won > 0.0 ? fmin(won, 1.0) : 0.0;
}

// Whether the residual has stopped falling (it was `before`) and is no more than rounding makes it.
static bool is_at_floor(const newton *s, double before) {
    if (!(s->norm > 0.5 * before)) {
        return false;
    }
    return s->norm < 1e3 * s->tolerance ||
           s->norm < ROUNDING * pal_csr_term_norm(&s->fem->stiffness, s->u);
}

// The whole step where K is positive definite as it is; the residual may rise for a while.
static pal_status leap(newton *s, bool *moved, pal_err *err) {
    pal_status status = pal_chol_factor(s->chol, &s->fem->stiffness, moved, err);
    if (status == PAL_OK && *moved) {
        memcpy(s->step, s->residual, (size_t)s->n * sizeof *s->step);
        status = pal_chol_solve(s->chol, 1, s->step, err);
        pal_add_scaled(s->n, 1.0, s->step, s->u);
    }
    return status;
}

// As far along the step as the line search lets it, K shifted where need be.
static pal_status walk(newton *s, bool *moved, pal_err *err) {
    *moved = false;
    bool positive;
    pal_status status = pal_chol_factor_shifted(s->chol, &s->fem->stiffness, &positive, err);
    if (status != PAL_OK || !positive) {
        return status;
    }
    memcpy(s->step, s->residual, (size_t)s->n * sizeof *s->step);
    status = pal_chol_solve(s->chol, 1, s->step, err);
    return status == PAL_OK ? line_search(s, moved, err) : status;
}

// Newton at the present load (the last one settled is for progress only), by leaps or by walking.
// *converged = false when it gets stuck (not an error yet).
static pal_status equilibrate(newton *s, bool leaping, const pal_progress *progress,
                              double settled_load, bool *converged, pal_err *err) {
    double before = INFINITY, start = INFINITY;
    bool moved = true;
    *converged = false;
    for (int i = 0; i < MOST_NEWTON_PER_STEP && s->iterations < s->max_iterations; i++) {
        pal_status status = evaluate(s, s->u, true, err);
        if (status != PAL_OK) {
            return status;
        }
        if (s->norm <= s->tolerance || is_at_floor(s, before)) {
            *converged = s->potential <= start; // a leap could have found another equilibrium
            return PAL_OK;
        }
        if (!moved || !isfinite(s->norm)) {
            return PAL_OK;
        }
        start = i == 0 ? s->potential : start;
        before = s->norm;
        status = leaping ? leap(s, &moved, err) : walk(s, &moved, err);
        if (status != PAL_OK) {
            return status;
        }
        s->iterations += moved;
        pal_progress_report(progress, "static equilibrium",
                            settled_load + (s->load - settled_load) * digits_won(s, before));
    }
    return PAL_OK;
}

// Tries to come from the equilibrium `settled` (at some smaller load) to one at the present load:
// by whole Newton steps, which slender bodies like best, then by careful ones.
static pal_status try_load(newton *s, const double *settled, const pal_progress *progress,
                           double settled_load, bool *reached, bool *inverted, pal_err *err) {
    pal_status status = PAL_OK;
    *reached = *inverted = false;
    for (int leaping = 1; status == PAL_OK && !*reached && leaping >= 0; leaping--) {
        memcpy(s->u, settled, (size_t)s->n * sizeof *s->u);
        status = equilibrate(s, leaping == 1, progress, settled_load, reached, err);
        if (status == PAL_OK && *reached) {
            status = pal_fem_is_inverted(s->fem, s->u, inverted, err);
            *reached = !*inverted;
        }
    }
    return status;
}

// Climbs to the whole load: at once if it can, else by steps that halve when one fails and double
// when one succeeds.
static pal_status climb(newton *s, double *settled, const pal_progress *progress,
                        pal_static_report *report, pal_err *err) {
    double load = s->start_load, step = 1.0;
    bool inverted = false;
    while (load < 1.0 && step >= SMALLEST_LOAD_STEP && s->iterations < s->max_iterations) {
        bool reached;
        s->load = fmin(1.0, load + step);
        pal_status status = try_load(s, settled, progress, load, &reached, &inverted, err);
        if (status != PAL_OK) {
            return status;
        }
        if (!reached) {
            step *= 0.5;
            continue;
        }
        memcpy(settled, s->u, (size_t)s->n * sizeof *settled);
        load = s->load;
        step *= 2.0;
        report->load_steps++;
        pal_progress_report(progress, "static equilibrium", load);
    }
    report->load = load;
    report->inverted = inverted;
    if (load >= 1.0) {
        return PAL_OK;
    }
    if (s->iterations >= s->max_iterations) {
        return pal_fail(err, PAL_ERR_NUMERIC,
                        "no equilibrium found in %d Newton iterations (%.0f %% of the load holds, "
                        "residual %.1e N where %.1e N is asked); allow more iterations, a larger "
                        "tolerance or a smaller load",
                        s->iterations, 100.0 * load, s->norm, s->tolerance);
    }
    return pal_fail(err, PAL_ERR_NUMERIC,
                    "no equilibrium found in %d Newton iterations: it holds up to %.0f %% of the "
                    "load, then %s; put on a smaller load or use a stiffer material",
                    s->iterations, 100.0 * load,
                    inverted ? "elements turn inside out" : "Newton gets stuck");
}

static pal_status solve(newton *s, const pal_progress *progress, pal_static_report *report,
                        pal_err *err) {
    *report = (pal_static_report){0};
    double *settled = PAL_NEW(double, s->n, err); // the last equilibrium, at first the rest
    if (settled != NULL) {
        memcpy(settled, s->u, (size_t)s->n * sizeof *settled);
    }
    pal_status status = settled ? climb(s, settled, progress, report, err) : PAL_ERR_MEMORY;
    report->newton_iterations = s->iterations;
    report->residual = s->norm;
    report->energy = s->strain;
    free(settled);
    return status;
}

static pal_status prepare(newton *s, const double *f, const pal_static_options *options,
                          pal_err *err) {
    size_t n = (size_t)pal_fem_dofs(s->fem);
    s->n = (int)n;
    s->max_iterations = options && options->max_iterations > 0 ? options->max_iterations : 400;
    s->f = PAL_NEW(double, n, err);
    s->u = PAL_NEW(double, n, err);
    s->trial = PAL_NEW(double, n, err);
    s->residual = PAL_NEW(double, n, err);
    s->step = PAL_NEW(double, n, err);
    if (!s->f || !s->u || !s->trial || !s->residual || !s->step) {
        return PAL_ERR_MEMORY;
    }
    pal_fem_load_to_free(s->fem, f, s->f);
    if (options && options->start != NULL) {
        pal_fem_to_free(s->fem, options->start, s->u);
        s->start_load = fmin(fmax(options->start_load, 0.0), 1.0 - SMALLEST_LOAD_STEP);
    }
    double tolerance = options && options->tolerance > 0.0 ? options->tolerance : 1e-11;
    s->tolerance = tolerance * pal_norm(s->n, s->f);
    s->chol = pal_chol_create(&s->fem->stiffness, err);
    return s->chol ? PAL_OK : PAL_ERR_MEMORY;
}

pal_status pal_static_solve(pal_fem *fem, const double *f, const pal_static_options *options,
                            const pal_progress *progress, double *u, pal_static_report *report,
                            pal_err *err) {
    if (fem->rigid_modes > 0) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "nothing is fixed, so there is no equilibrium; fix at least three vertices "
                        "that are not in line (--fix SEL)");
    }
    newton s = {.fem = fem};
    pal_status status = prepare(&s, f, options, err);
    if (status == PAL_OK) {
        pal_progress_report(progress, "static equilibrium", 0.0);
        status = solve(&s, progress, report, err);
    }
    if (status == PAL_OK) {
        pal_fem_to_full(fem, s.u, u);
    }
    pal_chol_free(s.chol);
    free(s.f);
    free(s.u);
    free(s.trial);
    free(s.residual);
    free(s.step);
    return status;
}
