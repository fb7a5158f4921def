// Newton on V(u) + the ball's penalty energy (indent_contact.h), with a line search. The ball goes
// on by steps that begin where the last two equilibria point to, grow where that is easy and are
// halved where Newton fails. Where the tangent is indefinite, the turning of the normals is left
// out of it, then it is shifted.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/sparse_chol.h"
#include "sim/base/vec3.h"
#include "sim/base/vecn.h"
#include "sim/fem/assemble.h"
#include "sim/fem/indent_contact.h"

enum {
    MOST_NEWTON = 18,
    EASY_NEWTON = 8,
    HARD_NEWTON = 14,
    MOST_HALVINGS = 20,
    MOST_RAISES = 4,
    MOST_FAILURES = 4
};
static const double PENALTY = 4000.0; // of E / R, at first
static const double OVERLAP =
    0.004; // of the depth, that the penalty aims at; below PAL_INDENT_OVERLAP
static const double FIRST_STEP = 0.15;    // of the radius
static const double LARGEST_STEP = 0.5;   // of the radius
static const double SMALLEST_STEP = 0.02; // of the radius
static const double REACH = 2.5;          // of the radius: beyond, nothing can be touched
static const double FINE =
    1e-5; // of the force: the residual at depths of the spec, if it does not say
static const double COARSE = 1e-3; // and between them
static const double LEFT = 0.5;    // of the largest force: less, and the body has let go

void pal_indent_centre(const pal_indent_spec *spec, int32_t k, double centre[3]) {
    for (int c = 0; c < 3; c++) {
        const double depth = k < 0 ? 0.0 : spec->depth[k];
        centre[c] = k >= 0 && spec->centre != NULL
                        ? spec->centre[k][c]
                        : spec->at[c] - spec->axis[c] * (spec->radius - depth);
    }
}

typedef struct pressing {
    pal_fem *fem;
    const pal_indent_spec *spec;
    pal_law law;
    double fine; // of the force: the residual at depths of the spec
    pal_ball ball;
    pal_chol *chol;
    int64_t n;
    bool assembled;         // fem->stiffness is that of the linear law, for good
    double *u, *trial;      // [n]
    double *residual;       // [n] the ball's forces less R(u)
    double *step;           // [n]
    double *settled, *last; // [n] the last equilibrium, and the one before
    double energy, norm, force;
    double from[3], done;      // m: where the way to the next depth begins; how much of it is done
    double size, before;       // m: the next step, and the last one
    int failures;              // in a row
    double from_depth;         // m
    pal_indent_result *result; // [spec->count]
    pal_indent_outcome *outcome;
} pressing;

// Energy and residual, with the tangent when asked.
static pal_status evaluate(pressing *p, const double *u, bool stiffness, pal_err *err) {
    pal_status status = pal_fem_evaluate_law(p->fem, p->law, u, &p->energy, p->residual,
                                             stiffness && !p->assembled, err);
    if (status != PAL_OK) {
        return status;
    }
    p->assembled = p->assembled || (stiffness && p->law == PAL_LAW_LINEAR);
    for (int64_t k = 0; k < p->n; k++) {
        p->residual[k] = -p->residual[k];
    }
    pal_ball_evaluate(&p->ball, u, p->spec->axis, p->residual);
    p->energy += p->ball.energy;
    p->force = pal_dot3(p->ball.on_body, p->spec->axis);
    p->norm = isfinite(p->energy) ? pal_norm(p->n, p->residual) : INFINITY;
    return PAL_OK;
}

// The tangent at the last evaluated u, made positive definite. Where a step begins the ball is far
// too deep in the body, and the turning of the normals would only make it indefinite.
static pal_status factor(pressing *p, bool begins, bool *positive, pal_err *err) {
    pal_status status = PAL_OK;
    *positive = false;
    p->outcome->iterations++;
    if (!begins) {
        pal_ball_assemble(&p->ball, true);
        status = pal_chol_factor(p->chol, &p->ball.wide.stiffness, positive, err);
    }
    if (status == PAL_OK && !*positive) {
        pal_ball_assemble(&p->ball, false);
        status = pal_chol_factor_shifted(p->chol, &p->ball.wide.stiffness, positive, err);
    }
    return status;
}

// One step with a line search on the energy; *moved = false when it is stuck.
static pal_status newton_step(pressing *p, double tolerance, bool begins, bool *moved,
                              pal_err *err) {
    bool positive;
    *moved = false;
    pal_status status = factor(p, begins, &positive, err);
    if (status != PAL_OK || !positive) {
        return status;
    }
    memcpy(p->step, p->residual, (size_t)p->n * sizeof *p->step);
    status = pal_chol_solve(p->chol, 1, p->step, err);
    const double slope = -pal_dot(p->n, p->residual, p->step), start = p->energy, norm = p->norm;
    double size = 1.0;
    for (int half = 0; status == PAL_OK && half < MOST_HALVINGS; half++, size *= 0.5) {
        memcpy(p->trial, p->u, (size_t)p->n * sizeof *p->trial);
        pal_add_scaled(p->n, size, p->step, p->trial);
        status = evaluate(p, p->trial, false, err);
        if (status == PAL_OK && isfinite(p->norm) &&
            (p->energy <= start + 1e-4 * size * slope || p->norm < 0.5 * norm ||
             p->norm <= tolerance * fabs(p->force))) {
            memcpy(p->u, p->trial, (size_t)p->n * sizeof *p->u);
            *moved = true;
            return PAL_OK;
        }
    }
    return status;
}

// From p->u; *count: the Newton steps it took.
static pal_status equilibrate(pressing *p, double tolerance, int *count, bool *converged,
                              pal_err *err) {
    *converged = false;
    pal_status status = evaluate(p, p->u, false, err);
    bool moved = true;
    for (*count = 0; status == PAL_OK && moved; ++*count) {
        if (p->norm <= tolerance * fabs(p->force)) {
            *converged = true;
            return PAL_OK;
        }
        if (*count == MOST_NEWTON) {
            return PAL_OK;
        }
        status = evaluate(p, p->u, true, err);
        if (status == PAL_OK) { // which leaves energy and residual where it has moved to
            status = newton_step(p, tolerance, *count == 0, &moved, err);
        }
    }
    return status;
}

// Where the last two equilibria point to, if the energy is lower there.
static pal_status predict(pressing *p, double step, pal_err *err) {
    memcpy(p->u, p->settled, (size_t)p->n * sizeof *p->u);
    if (!(p->before > 0.0)) {
        return PAL_OK;
    }
    pal_status status = evaluate(p, p->u, false, err);
    const double stay = p->energy;
    memcpy(p->trial, p->u, (size_t)p->n * sizeof *p->trial);
    pal_add_scaled(p->n, step / p->before, p->settled, p->trial);
    pal_add_scaled(p->n, -step / p->before, p->last, p->trial);
    if (status == PAL_OK) {
        status = evaluate(p, p->trial, false, err);
    }
    if (status == PAL_OK && p->energy < stay) {
        memcpy(p->u, p->trial, (size_t)p->n * sizeof *p->u);
    }
    return status;
}

// A stiffer penalty while the body is too deep in the ball. Where that fails it stays as it was.
static pal_status harden(pressing *p, double depth, pal_err *err) {
    for (int raise = 0; raise < MOST_RAISES && p->ball.overlap > PAL_INDENT_OVERLAP * depth;
         raise++) {
        const double penalty = p->ball.penalty;
        int count;
        bool converged;
        memcpy(p->settled, p->u, (size_t)p->n * sizeof *p->u);
        p->ball.penalty *= 1.5 * p->ball.overlap / (OVERLAP * depth);
        pal_status status = equilibrate(p, p->fine, &count, &converged, err);
        if (status != PAL_OK) {
            return status;
        }
        if (!converged) {
            p->ball.penalty = penalty;
            memcpy(p->u, p->settled, (size_t)p->n * sizeof *p->u);
            return evaluate(p, p->u, false, err);
        }
    }
    return PAL_OK;
}

// Whether what Newton found is an answer; if not, p->outcome says why.
static pal_status judge(pressing *p, double depth, bool *good, pal_err *err) {
    bool inverted = false;
    pal_status status =
        p->law == PAL_LAW_LINEAR ? PAL_OK : pal_fem_is_inverted(p->fem, p->u, &inverted, err);
    *good = !inverted && p->force >= LEFT * p->outcome->largest;
    p->outcome->end = inverted ? PAL_INDENT_INVERTED
                      : *good  ? PAL_INDENT_WHOLE
                               : PAL_INDENT_RELEASED;
    if (*good && p->force > p->outcome->largest) {
        p->outcome->largest = p->force;
        p->outcome->peak = depth;
    }
    return status;
}

// A step along a way of this length to depth k; *stuck: none holds.
static pal_status go_on(pressing *p, int32_t k, const double *way, double length, bool *stuck,
                        pal_err *err) {
    const double radius = p->spec->radius;
    const bool last = p->done + p->size >= length * (1.0 - 1e-9);
    const double step = last ? length - p->done : p->size, share = (p->done + step) / length;
    const double depth = p->from_depth + share * (p->spec->depth[k] - p->from_depth);
    int count = 0;
    bool good = false;
    for (int c = 0; c < 3; c++) {
        p->ball.centre[c] = p->from[c] + share * way[c];
    }
    pal_status status = predict(p, step, err);
    if (status == PAL_OK) {
        status = equilibrate(p, last ? p->fine : COARSE, &count, &good, err);
    }
    if (status == PAL_OK && !good) {
        p->outcome->end = PAL_INDENT_LOST;
    } else if (status == PAL_OK) {
        status = judge(p, depth, &good, err);
    }
    if (status != PAL_OK || !good) {
        p->size = 0.5 * step;
        p->failures++;
        *stuck = p->size < SMALLEST_STEP * radius || p->failures == MOST_FAILURES;
        return status;
    }
    if (last) {
        status = harden(p, depth, err);
    }
    double *other = p->last;
    p->last = p->settled;
    p->settled = other;
    memcpy(p->settled, p->u, (size_t)p->n * sizeof *p->u);
    p->done += step;
    p->failures = 0;
    p->before = step;
    p->size *= count <= EASY_NEWTON ? 1.5 : count >= HARD_NEWTON ? 0.6 : 1.0;
    p->size = fmin(p->size, LARGEST_STEP * radius);
    p->outcome->deepest = depth;
    return status;
}

static pal_status press_to(pressing *p, int32_t k, bool *stuck, pal_err *err) {
    double to[3], way[3];
    pal_status status = PAL_OK;
    const int32_t before = p->outcome->iterations;
    pal_indent_centre(p->spec, k - 1, p->from);
    pal_indent_centre(p->spec, k, to);
    pal_sub3(to, p->from, way);
    p->from_depth = k > 0 ? p->spec->depth[k - 1] : 0.0;
    p->done = 0.0;
    const double length = pal_norm3(way);
    while (status == PAL_OK && !*stuck && p->done < length * (1.0 - 1e-9)) {
        status = go_on(p, k, way, length, stuck, err);
    }
    if (status == PAL_OK && !*stuck) {
        pal_indent_result *result = &p->result[k];
        *result = (pal_indent_result){.energy = p->energy,
                                      .contact_radius = p->ball.contact_radius,
                                      .contacts = p->ball.contacts,
                                      .iterations = p->outcome->iterations - before,
                                      .overlap = p->ball.overlap};
        pal_indent_set_force(result, p->ball.on_body, p->spec->axis);
        p->outcome->reached = k + 1;
        p->outcome->end = PAL_INDENT_WHOLE;
    }
    return status;
}

// The mean Young's modulus of the elements that the ball may touch.
static double mean_young(const pressing *p, pal_err *err) {
    const pal_ball *ball = &p->ball;
    const pal_volmesh *mesh = p->fem->mesh;
    bool *touched = PAL_NEW(bool, p->fem->free_count, err);
    double sum = 0.0, count = 0.0;
    for (int32_t k = 0; touched != NULL && k < 3 * ball->facet_count; k++) {
        const int32_t v = ball->facet[k / 3].corner[k % 3];
        for (int32_t n = ball->start[v]; n < ball->start[v + 1]; n++) {
            touched[ball->free_index[n]] = true;
        }
    }
    for (int64_t k = 0; touched != NULL && k < (int64_t)mesh->element_count * mesh->kind; k++) {
        const int32_t f = p->fem->free_index[mesh->element[k]];
        if (f >= 0 && touched[f]) {
            sum += p->fem->material[mesh->region[k / mesh->kind]].young;
            count++;
        }
    }
    free(touched);
    return touched != NULL ? sum / fmax(count, 1.0) : 0.0;
}

static pal_status prepare(pressing *p, const pal_indent_skin *skin, pal_err *err) {
    double **vector[] = {&p->u, &p->trial, &p->residual, &p->step, &p->settled, &p->last};
    for (int k = 0; k < 6; k++) {
        *vector[k] = PAL_NEW(double, p->n, err);
        if (*vector[k] == NULL) {
            return PAL_ERR_MEMORY;
        }
    }
    pal_status status =
        pal_ball_open(&p->ball, p->fem, p->spec, skin, REACH * p->spec->radius, err);
    if (status != PAL_OK) {
        return status;
    }
    const double young = mean_young(p, err);
    p->ball.penalty = PENALTY * young / p->spec->radius;
    p->fine = p->spec->tolerance > 0.0 ? p->spec->tolerance : FINE;
    p->size = FIRST_STEP * p->spec->radius;
    p->chol = young > 0.0 ? pal_chol_create(&p->ball.wide.stiffness, err) : NULL;
    return p->chol != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

static void tidy(pressing *p) {
    pal_ball_free(&p->ball);
    pal_chol_free(p->chol);
    free(p->u);
    free(p->trial);
    free(p->residual);
    free(p->step);
    free(p->settled);
    free(p->last);
}

pal_status pal_indent_full(pal_fem *fem, pal_law law, const pal_indent_spec *spec,
                           const pal_indent_skin *skin, const pal_progress *progress,
                           pal_indent_result *result, pal_indent_outcome *outcome, pal_err *err) {
    *outcome = (pal_indent_outcome){0};
    if (fem->rigid_modes > 0) {
        return pal_indent_refuse_free(err);
    }
    pressing p = {.fem = fem, .spec = spec, .law = law, .n = pal_fem_dofs(fem)};
    p.outcome = outcome;
    p.result = result;
    pal_status status = prepare(&p, skin, err);
    bool stuck = false;
    for (int32_t k = 0; status == PAL_OK && !stuck && k < spec->count; k++) {
        pal_progress_report(progress, "full elements", (double)k / spec->count);
        status = press_to(&p, k, &stuck, err);
    }
    pal_progress_report(progress, "full elements", 1.0);
    tidy(&p);
    return status;
}
