// StVK under a ball: Newton on V(u) + k/2 sum over the surface of min(0, |x_i + u_i - c| - R)^2.
// The penalty k is so stiff that the overlap is a small part of the depth. The depth is put on by
// steps that are halved where Newton fails.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/sparse_chol.h"
#include "sim/base/vec3.h"
#include "sim/base/vecn.h"
#include "sim/fem/assemble.h"
#include "sim/fem/indent.h"
#include "sim/fem/pattern.h"

enum { MOST_NEWTON = 40, MOST_HALVINGS = 8 };
static const double PENALTY = 300.0;            // of the mean stiffness of a contact vertex
static const double FIRST_STEP = 0.1;           // of the radius
static const double SMALLEST_STEP = 1.0 / 64.0; // of the first
static const double TOLERANCE = 1e-6;           // of the force

typedef struct penalty {
    pal_fem *fem;
    const pal_indent_spec *spec;
    pal_chol *chol;
    int64_t n;
    int32_t count, *vertex; // candidates
    double c[3], k;
    double *u, *trial, *residual, *step, *settled; // [n]
    double energy, norm, force; // V + penalty, |residual|, on the ball along the axis
} penalty;

// The vector from the centre to a candidate, and how deep it is in the ball (0 outside).
static double overlap(const penalty *p, const double *u, int32_t i, double normal[3]) {
    const double *x = p->fem->mesh->x + 3 * (int64_t)p->vertex[i];
    const double *ui = u + 3 * (int64_t)p->fem->free_index[p->vertex[i]];
    for (int c = 0; c < 3; c++) {
        normal[c] = x[c] + ui[c] - p->c[c];
    }
    double length = pal_norm3(normal), deep = p->spec->radius - length;
    for (int c = 0; c < 3; c++) {
        normal[c] = length > 0.0 ? normal[c] / length : p->spec->axis[c];
    }
    return fmax(deep, 0.0);
}

// Energy and residual (penalty forces less R(u)), with the tangent when asked.
static pal_status evaluate(penalty *p, const double *u, bool stiffness, pal_err *err) {
    pal_status status = pal_fem_evaluate(p->fem, u, &p->energy, p->residual, stiffness, err);
    if (status != PAL_OK) {
        return status;
    }
    for (int64_t k = 0; k < p->n; k++) {
        p->residual[k] = -p->residual[k];
    }
    p->force = 0.0;
    for (int32_t i = 0; i < p->count; i++) {
        double normal[3], deep = overlap(p, u, i, normal);
        int32_t f = p->fem->free_index[p->vertex[i]];
        if (deep == 0.0) {
            continue;
        }
        p->energy += 0.5 * p->k * deep * deep;
        p->force += p->k * deep * pal_dot3(normal, p->spec->axis);
        int32_t diagonal = p->fem->block_start[f];
        while (p->fem->block_col[diagonal] != f) {
            diagonal++;
        }
        for (int r = 0; r < 3; r++) {
            p->residual[3 * (int64_t)f + r] += p->k * deep * normal[r];
            for (int c = 0; stiffness && c < 3; c++) {
                p->fem->stiffness.value[pal_fem_entry(p->fem, f, diagonal, r, c)] +=
                    p->k * normal[r] * normal[c];
            }
        }
    }
    p->norm = pal_norm(p->n, p->residual);
    return PAL_OK;
}

// One step with a line search on the energy; *moved = false when it is stuck.
static pal_status newton_step(penalty *p, bool *moved, pal_err *err) {
    bool positive = false;
    *moved = false;
    pal_status status = pal_chol_factor(p->chol, &p->fem->stiffness, &positive, err);
    if (status != PAL_OK || !positive) {
        return status;
    }
    memcpy(p->step, p->residual, (size_t)p->n * sizeof *p->step);
    status = pal_chol_solve(p->chol, 1, p->step, err);
    double slope = -pal_dot(p->n, p->residual, p->step), before = p->energy, norm = p->norm;
    double size = 1.0;
    for (int half = 0; status == PAL_OK && half < MOST_HALVINGS; half++, size *= 0.5) {
        memcpy(p->trial, p->u, (size_t)p->n * sizeof *p->trial);
        pal_add_scaled(p->n, size, p->step, p->trial);
        status = evaluate(p, p->trial, false, err);
        if (status == PAL_OK && isfinite(p->norm) &&
            (p->energy <= before + 1e-4 * size * slope || p->norm < 0.5 * norm)) {
            memcpy(p->u, p->trial, (size_t)p->n * sizeof *p->u);
            *moved = true;
            return PAL_OK;
        }
    }
    return status;
}

static pal_status equilibrate(penalty *p, double depth, int32_t *iterations, bool *converged,
                              pal_err *err) {
    for (int c = 0; c < 3; c++) {
        p->c[c] = p->spec->at[c] - p->spec->axis[c] * (p->spec->radius - depth);
    }
    *converged = false;
    pal_status status = evaluate(p, p->u, true, err);
    for (int k = 0; status == PAL_OK && k < MOST_NEWTON; k++) {
        if (k > 0 && p->norm <= TOLERANCE * fabs(p->force)) {
            *converged = true;
            return PAL_OK;
        }
        bool moved;
        status = newton_step(p, &moved, err);
        (*iterations)++;
        if (status != PAL_OK || !moved) {
            return status;
        }
        status = evaluate(p, p->u, true, err);
    }
    return status;
}

static void take_result(const penalty *p, pal_indent_result *result) {
    double total[3] = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i < p->count; i++) {
        double normal[3], deep = overlap(p, p->u, i, normal);
        if (deep == 0.0) {
            continue;
        }
        double along = pal_dot3(normal, p->spec->axis);
        result->contacts++;
        result->overlap = fmax(result->overlap, deep);
        result->contact_radius = fmax(
            result->contact_radius, (p->spec->radius - deep) * sqrt(fmax(0.0, 1 - along * along)));
        for (int c = 0; c < 3; c++) {
            total[c] += p->k * deep * normal[c];
        }
    }
    pal_indent_set_force(result, total, p->spec->axis);
}

// From the depth reached to the next one asked for, by steps.
static pal_status descend(penalty *p, double target, double *depth, double *step,
                          pal_indent_result *result, bool *there, pal_err *err) {
    double first = FIRST_STEP * p->spec->radius;
    *there = false;
    while (*depth < target) {
        double next = fmin(target, *depth + *step);
        bool converged;
        pal_status status = equilibrate(p, next, &result->iterations, &converged, err);
        if (status != PAL_OK) {
            return status;
        }
        if (!converged) {
            memcpy(p->u, p->settled, (size_t)p->n * sizeof *p->u);
            *step *= 0.5;
            if (*step < SMALLEST_STEP * first) {
                return PAL_OK;
            }
            continue;
        }
        memcpy(p->settled, p->u, (size_t)p->n * sizeof *p->u);
        *depth = next;
        *step = fmin(first, 2.0 * *step);
    }
    *there = true;
    return PAL_OK;
}

static pal_status prepare(penalty *p, pal_err *err) {
    p->u = PAL_NEW(double, p->n, err);
    p->trial = PAL_NEW(double, p->n, err);
    p->residual = PAL_NEW(double, p->n, err);
    p->step = PAL_NEW(double, p->n, err);
    p->settled = PAL_NEW(double, p->n, err);
    if (!p->u || !p->trial || !p->residual || !p->step || !p->settled) {
        return PAL_ERR_MEMORY;
    }
    pal_status status = pal_indent_candidates(p->fem, p->spec, &p->count, &p->vertex, err);
    if (status == PAL_OK) {
        status = pal_fem_evaluate(p->fem, NULL, NULL, NULL, true, err);
    }
    for (int32_t i = 0; status == PAL_OK && i < p->count; i++) {
        int32_t f = p->fem->free_index[p->vertex[i]], diagonal = p->fem->block_start[f];
        while (p->fem->block_col[diagonal] != f) {
            diagonal++;
        }
        p->k +=
            PENALTY / p->count * p->fem->stiffness.value[pal_fem_entry(p->fem, f, diagonal, 0, 0)];
    }
    p->chol = status == PAL_OK ? pal_chol_create(&p->fem->stiffness, err) : NULL;
    return status == PAL_OK && p->chol == NULL ? PAL_ERR_MEMORY : status;
}

pal_status pal_indent_stvk(pal_fem *fem, const pal_indent_spec *spec, const pal_progress *progress,
                           pal_indent_result *result, int32_t *reached, double *deepest,
                           pal_err *err) {
    penalty p = {.fem = fem, .spec = spec, .n = pal_fem_dofs(fem)};
    double step = FIRST_STEP * spec->radius;
    *reached = 0;
    *deepest = 0.0;
    if (fem->rigid_modes > 0) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "nothing is fixed, so that the body would be pushed away; fix at least "
                        "three vertices that are not in line (--fix SEL)");
    }
    pal_status status = prepare(&p, err);
    bool there = true;
    while (status == PAL_OK && there && *reached < spec->count) {
        pal_indent_result *now = &result[*reached];
        memset(now, 0, sizeof *now);
        pal_progress_report(progress, "StVK contact", (double)*reached / spec->count);
        status = descend(&p, spec->depth[*reached], deepest, &step, now, &there, err);
        if (status == PAL_OK && there) {
            take_result(&p, now);
            ++*reached;
        }
    }
    pal_chol_free(p.chol);
    free(p.vertex);
    free(p.u);
    free(p.trial);
    free(p.residual);
    free(p.step);
    free(p.settled);
    return status;
}
