// The truth of large bending: full St. Venant-Kirchhoff elements at rest. They collapse under a tip
// (MATH.md 5.1), so full and reduced body are loaded alike, on a patch wider than the tip:
//
//     R(u) = H^T F,  d_full = H u . e;      R~(q) = U^T H^T F,  d_red = (H U q + H G H^T F) . e
//
// with H the weights of the patch (of all vertices within five radii of the ball: within three, the
// liver still collapses under 1.5 N), e the direction of the force and G = K^-1 - U (U^T K U)^-1
// U^T the dent that the basis has not. The force of full elements is the one that moves the patch
// of the full body as far as the model's own force moves that of the reduced one. Each of five
// forces along the press goes on from the rest under the one before; over a swing of the body about
// its tick, the model's own force is made as much larger or smaller.
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/feel/feel_truth_parts.h"
#include "app/style.h"
#include "sim/base/memory.h"
#include "sim/base/sparse_chol.h"
#include "sim/base/vec3.h"
#include "sim/fem/assemble.h"
#include "sim/fem/static.h"
#include "sim/model/retune.h"
#include "sim/reduced/quartic_build.h"

enum { LEVELS = 5, MOST_DOFS = 40000, MOST_NEWTON = 60, LEAST_PATCH = 12 };
enum { LEVEL_NEWTON = 16, SWING = 25 }; // Newton steps of one level; ticks to each side, at least
static const double patch_radii = 5.0;  // of the ball, at least

typedef pal_truth_patch patch;

// The middle of the triangle that bears most where the force is largest.
static void place_patch(const pal_truth_walk *walk, int64_t tick, patch *p) {
    const pal_surface *surface = &walk->session.model.surface;
    const double *force = walk->force + 3 * tick;
    for (int c = 0; c < 3; c++) {
        p->direction[c] = -force[c] / pal_norm3(force);
        p->centre[c] = 0.0;
        for (int i = 0; i < 3; i++) {
            const int64_t v = surface->triangle[3 * (int64_t)walk->triangle[tick] + i];
            p->centre[c] += surface->x[3 * v + c] / 3.0;
        }
    }
}

// Of a tree in one domain alone (else -1): others may only be near it.
static int32_t fill_patch(const pal_truth_body *body, int32_t domain, double radius, patch *p) {
    const pal_fem *fem = &body->fem;
    double sum = 0.0, d[3];
    p->count = 0;
    for (int32_t v = 0; v < fem->mesh->vertex_count; v++) {
        pal_sub3(fem->mesh->x + 3 * (int64_t)v, p->centre, d);
        const double rest = 1.0 - pal_dot3(d, d) / (radius * radius);
        if (fem->free_index[v] >= 0 && rest > 0.0 &&
            (domain < 0 || body->united.domain[v] == domain)) {
            p->vertex[p->count] = v;
            p->weight[p->count++] = rest;
            sum += rest;
        }
    }
    for (int32_t i = 0; i < p->count; i++) {
        p->weight[i] /= sum;
    }
    return p->count;
}

// Wide enough for the ball, and for some vertices.
static pal_status make_patch(const pal_truth_walk *walk, const pal_truth_body *body, int64_t tick,
                             patch *p, pal_err *err) {
    const int32_t domain = pal_truth_domain(&walk->session, walk->triangle[tick]);
    p->vertex = PAL_NEW(int32_t, body->model->mesh.vertex_count, err);
    p->weight = PAL_NEW(double, body->model->mesh.vertex_count, err);
    if (p->vertex == NULL || p->weight == NULL) {
        return PAL_ERR_MEMORY;
    }
    double radius = patch_radii * walk->session.tool[0].shape.feature;
    place_patch(walk, tick, p);
    for (int i = 0; i < 16 && fill_patch(body, domain, radius, p) < LEAST_PATCH; i++) {
        radius *= 1.3;
    }
    return PAL_OK;
}

// ---- the full body

typedef struct whole {
    pal_fem *fem;
    double *f, *u;   // [3 vertex_count] load, and the rest under it
    double on;       // N, that u rests under; 0: none
    double holds;    // N, the largest force that a rest was found under
    bool inside_out; // beyond, elements turn inside out
} whole;

static pal_status whole_open(pal_fem *fem, whole *w, pal_err *err) {
    const int64_t n = 3 * (int64_t)fem->mesh->vertex_count;
    *w = (whole){.fem = fem};
    w->f = PAL_NEW(double, n, err);
    w->u = PAL_NEW(double, n, err);
    return w->f != NULL && w->u != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

static void whole_free(whole *w) {
    free(w->f);
    free(w->u);
}

// How far the patch of the full body goes under a force, from where the last one left it.
static pal_status full_way(whole *w, const patch *p, double force, double *way, pal_err *err) {
    const bool onward = w->on > 0.0 && force > w->on;
    const pal_static_options options = {.max_iterations = LEVEL_NEWTON,
                                        .tolerance = 1e-4,
                                        .start = onward ? w->u : NULL,
                                        .start_load = onward ? w->on / force : 0.0};
    pal_static_report report;
    for (int32_t k = 0; k < 3 * p->count; k++) {
        w->f[3 * (int64_t)p->vertex[k / 3] + k % 3] =
            force * p->weight[k / 3] * p->direction[k % 3];
    }
    pal_status status = pal_static_solve(w->fem, w->f, &options, NULL, w->u, &report, err);
    if (status == PAL_OK || status == PAL_ERR_NUMERIC) {
        w->holds = fmax(w->holds, report.load * force);
        w->inside_out = report.inverted;
    }
    w->on = force;
    *way = 0.0;
    for (int32_t i = 0; status == PAL_OK && i < p->count; i++) {
        *way += p->weight[i] * pal_dot3(w->u + 3 * (int64_t)p->vertex[i], p->direction);
    }
    return status;
}

// ---- the reduced body

typedef struct reduced {
    pal_truth_hang *hang; // of a tree of domains, in the place of all else
    int32_t r;
    pal_quartic quartic; // for the materials of the tick
    double *load;        // [r] U^T H^T e
    double *q, *rest, *stiffness;
    double *kept, *asked; // room for a stiffness and a force
    double dent;          // m/N, e H G H^T e
} reduced;

static void reduced_free(reduced *b) {
    pal_truth_hang_close(b->hang);
    pal_quartic_free(&b->quartic);
    free(b->load);
    free(b->q);
    free(b->rest);
    free(b->stiffness);
    free(b->kept);
    free(b->asked);
}

pal_status pal_truth_compliance(pal_fem *fem, const patch *p, double *compliance, pal_err *err) {
    const int64_t n = pal_fem_dofs(fem);
    double *x = PAL_NEW(double, n, err);
    bool positive = false;
    pal_status status =
        x != NULL ? pal_fem_evaluate(fem, NULL, NULL, NULL, true, err) : PAL_ERR_MEMORY;
    pal_chol *chol = status == PAL_OK ? pal_chol_create(&fem->stiffness, err) : NULL;
    status = status != PAL_OK ? status
             : chol != NULL   ? pal_chol_factor(chol, &fem->stiffness, &positive, err)
                              : PAL_ERR_MEMORY;
    for (int32_t k = 0; status == PAL_OK && k < 3 * p->count; k++) {
        const int64_t at = 3 * (int64_t)fem->free_index[p->vertex[k / 3]] + k % 3;
        x[at] = p->weight[k / 3] * p->direction[k % 3];
    }
    if (status == PAL_OK) {
        status = pal_chol_solve(chol, 1, x, err);
    }
    *compliance = 0.0;
    for (int32_t k = 0; status == PAL_OK && k < 3 * p->count; k++) {
        const int64_t at = 3 * (int64_t)fem->free_index[p->vertex[k / 3]] + k % 3;
        *compliance += p->weight[k / 3] * p->direction[k % 3] * x[at];
    }
    pal_chol_free(chol);
    free(x);
    return status;
}

// e H G H^T e: what the full body gives way at rest beside its basis.
static pal_status find_dent(pal_fem *fem, const patch *p, reduced *b, pal_err *err) {
    pal_status status = pal_truth_compliance(fem, p, &b->dent, err);
    pal_quartic_eval(&b->quartic, b->q, NULL, b->stiffness);
    memcpy(b->rest, b->load, (size_t)b->r * sizeof *b->rest);
    if (status == PAL_OK &&
        LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', b->r, 1, b->stiffness, b->r, b->rest, 1) != 0) {
        status = pal_fail(err, PAL_ERR_NUMERIC, "the basis has a shape without stiffness");
    }
    for (int32_t k = 0; status == PAL_OK && k < b->r; k++) {
        b->dent -= b->load[k] * b->rest[k];
    }
    return status;
}

static pal_status reduced_open(const pal_truth_walk *walk, int64_t tick, pal_truth_body *body,
                               const patch *p, reduced *b, pal_err *err) {
    const pal_model *model = &walk->session.model;
    const int32_t r = model->r;
    memset(b, 0, sizeof *b);
    if (body->domains > 0) {
        return pal_truth_hang_open(&b->hang, walk, body, p, err);
    }
    b->r = r;
    b->load = PAL_NEW(double, r, err);
    b->q = PAL_NEW(double, r, err);
    b->rest = PAL_NEW(double, r, err);
    b->stiffness = PAL_NEW(double, r *r, err);
    b->kept = PAL_NEW(double, r *r, err);
    b->asked = PAL_NEW(double, r, err);
    double *mass = PAL_NEW(double, pal_pairs(r), err);
    pal_material *material = pal_truth_materials(&walk->session, (uint64_t)tick, err);
    pal_status status =
        b->load && b->q && b->rest && b->stiffness && b->kept && b->asked && mass && material
            ? pal_quartic_alloc(&b->quartic, r, err)
            : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = pal_model_retune(model, material, &b->quartic, mass, err);
    }
    for (int32_t k = 0; status == PAL_OK && k < 3 * p->count; k++) {
        const double *row = model->basis + (3 * (int64_t)p->vertex[k / 3] + k % 3) * r;
        for (int32_t l = 0; l < r; l++) {
            b->load[l] += p->weight[k / 3] * p->direction[k % 3] * row[l];
        }
    }
    if (status == PAL_OK && model->local.row_count > 0 && !walk->session.no_local) {
        status = find_dent(&body->fem, p, b, err);
    }
    free(mass);
    free(material);
    return status;
}

// step = (K + shift)^-1 step with the smallest shift tried that makes it positive; K is lost.
static bool solve_positive(reduced *b, double *step) {
    const int32_t r = b->r;
    double mean = 0.0;
    memcpy(b->kept, b->stiffness, (size_t)r * (size_t)r * sizeof *b->kept);
    memcpy(b->asked, step, (size_t)r * sizeof *b->asked);
    for (int32_t k = 0; k < r; k++) {
        mean += fabs(b->kept[(r + 1) * k]) / r;
    }
    for (double shift = 0.0; shift<mean; shift = shift> 0.0 ? 4.0 * shift : 1e-4 * mean) {
        memcpy(b->stiffness, b->kept, (size_t)r * (size_t)r * sizeof *b->kept);
        memcpy(step, b->asked, (size_t)r * sizeof *step);
        for (int32_t k = 0; k < r; k++) {
            b->stiffness[(r + 1) * k] += shift;
        }
        if (LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', r, 1, b->stiffness, r, step, 1) == 0) {
            return true;
        }
    }
    return false;
}

// Newton from where the last force left it; the potential never rises.
static pal_status reduced_way(reduced *b, double force, double *way, pal_err *err) {
    double *step = b->rest;
    *way = b->dent * force;
    for (int i = 0; i < MOST_NEWTON; i++) {
        const double before = pal_quartic_eval(&b->quartic, b->q, step, b->stiffness);
        double work = 0.0, along = 0.0, size = 1.0, after;
        for (int32_t k = 0; k < b->r; k++) {
            work += force * b->load[k] * b->q[k];
            step[k] = force * b->load[k] - step[k];
        }
        if (!solve_positive(b, step)) {
            break;
        }
        for (int32_t k = 0; k < b->r; k++) {
            along += force * b->load[k] * step[k];
            b->q[k] += step[k];
        }
        while ((after = pal_quartic_eval(&b->quartic, b->q, NULL, NULL)) - size * along >
                   before + 1e-9 * fabs(along) + 1e-15 &&
               size > 1e-4) {
            size *= 0.5;
            for (int32_t k = 0; k < b->r; k++) {
                b->q[k] -= size * step[k];
            }
        }
        if (fabs(along) <= 1e-10 * fabs(work + along)) {
            for (int32_t k = 0; k < b->r; k++) {
                *way += b->load[k] * b->q[k];
            }
            return PAL_OK;
        }
    }
    return pal_fail(err, PAL_ERR_NUMERIC, "the reduced body found no rest under %.3g N", force);
}

// ---- both

// The full body's force where it has gone `way`: its secant stiffness, straight between the levels.
static double force_at(const double *force, const double *went, int count, double way) {
    int i = 0;
    while (i < count - 2 && way > went[i + 1]) {
        i++;
    }
    const int j = count > 1 ? i + 1 : i;
    const double a = force[i] / went[i], b = force[j] / went[j], apart = went[j] - went[i];
    return way * (apart > 0.0 ? a + (b - a) * (way - went[i]) / apart : a);
}

typedef struct place { // of the press
    int64_t tick;
    double force; // N, the model's own
} place;

// Ticks to each side: half a swing of the slowest mode.
static int64_t swing_of(const pal_truth_walk *walk) {
    const pal_model *model = &walk->session.model;
    const double hertz = model->mode_count > 0 ? model->frequencies_hz[0] : 0.0;
    const double ticks = hertz > 0.0 ? 0.5 / (hertz * walk->session.options.dt) : 0.0;
    return ticks > SWING ? (int64_t)fmin(ticks, 8.0 * SWING) : SWING;
}

// The model's own force without the swinging of a light body: the mean over a swing about a tick.
static void mean_force(const pal_truth_walk *walk, int64_t tick, double mean[3]) {
    const int64_t half = swing_of(walk), end = walk->count - 1;
    const int64_t first = tick > half ? tick - half : 0;
    const int64_t last = tick + half < end ? tick + half : end;
    memset(mean, 0, 3 * sizeof *mean);
    for (int64_t k = 3 * first; k < 3 * (last + 1); k++) {
        mean[k % 3] += walk->force[k] / (double)(last + 1 - first);
    }
}

// The first tick in the middle of each fifth of the press's depth.
static bool choose_places(const pal_truth_walk *walk, place at[LEVELS]) {
    int64_t first, deepest;
    int count = 0;
    if (!pal_truth_press(walk, &first, &deepest)) {
        return false;
    }
    double way[3], mean[3];
    const double *begin = walk->row[first * walk->hands].position;
    pal_sub3(walk->row[deepest * walk->hands].position, begin, way);
    const double most = -pal_dot3(way, walk->normal + 3 * first);
    for (int64_t k = first; k <= deepest && count < LEVELS; k++) {
        pal_sub3(walk->row[k * walk->hands].position, begin, way);
        if (-pal_dot3(way, walk->normal + 3 * first) >= most * (count + 0.5) / LEVELS &&
            walk->triangle[k] >= 0) {
            mean_force(walk, k, mean);
            at[count++] = (place){k, pal_norm3(mean)};
        }
    }
    return most > 0.0 && count == LEVELS && at[0].force > 0.0 && at[LEVELS - 1].force > at[0].force;
}

// *done: levels that found their rest. A body that collapses under the next one is no error.
static pal_status bend_levels(const pal_truth_walk *walk, const place at[LEVELS], whole *w,
                              const patch *p, reduced *b, double *full, int *done,
                              const pal_progress *progress, pal_err *err) {
    double went[LEVELS], way[LEVELS], force[LEVELS];
    pal_status status = PAL_OK;
    int count = 0;
    while (status == PAL_OK && count < LEVELS) {
        force[count] = at[count].force;
        status = b->hang != NULL ? pal_truth_hang_way(b->hang, force[count], &way[count], err)
                                 : reduced_way(b, force[count], &way[count], err);
        if (status == PAL_OK) {
            status = full_way(w, p, force[count], &went[count], err);
        }
        count += status == PAL_OK;
        pal_progress_report(progress, "full elements", (count + 1.0) / LEVELS);
    }
    for (int i = 0; i < count; i++) {
        const double scale = force_at(force, went, count, way[i]) / force[i];
        const int64_t half = swing_of(walk);
        for (int64_t k = at[i].tick - half; k <= at[i].tick + half; k++) {
            for (int c = 0; k >= 0 && k < walk->count && walk->triangle[k] >= 0 && c < 3; c++) {
                full[3 * k + c] = scale * walk->force[3 * k + c];
            }
        }
    }
    *done = count;
    return status == PAL_ERR_NUMERIC ? PAL_OK : status;
}

static void say_bend(const pal_truth_body *body, const place at[LEVELS], const whole *w, int done,
                     const patch *p, char *note, size_t size) {
    char mesh[64];
    pal_truth_body_say(body, mesh, sizeof mesh);
    if (done == LEVELS) {
        snprintf(note, size, "StVK elements, %s, a patch of %d vertices, %d forces", mesh,
                 (int)p->count, done);
    } else {
        snprintf(note, size, "StVK elements, %s, %d forces up to %.2f N: from %.2f N on %s", mesh,
                 done, done > 0 ? at[done - 1].force : 0.0, w->holds,
                 w->inside_out ? "they turn inside out" : "Newton finds no rest");
    }
}

pal_status pal_truth_bend(const pal_truth_walk *walk, double *full, char *note, size_t size,
                          const pal_progress *progress, pal_err *err) {
    place at[LEVELS];
    pal_truth_body body;
    bool fits = false;
    if (!choose_places(walk, at)) {
        snprintf(note, size, "full elements left out: nothing is pressed");
        return PAL_OK;
    }
    const int64_t most = at[LEVELS - 1].tick;
    pal_status status = pal_truth_body_open(&body, walk, most, MOST_DOFS, &fits, note, size, err);
    if (status != PAL_OK || !fits) {
        return status;
    }
    pal_progress_report(progress, "full elements", 0.0);
    patch p = {.count = 0};
    reduced b = {.r = 0};
    whole w = {.f = NULL};
    int done = 0;
    status = make_patch(walk, &body, most, &p, err);
    if (status == PAL_OK) {
        status = reduced_open(walk, most, &body, &p, &b, err);
    }
    if (status == PAL_OK) {
        status = whole_open(&body.fem, &w, err);
    }
    if (status == PAL_OK) {
        status = bend_levels(walk, at, &w, &p, &b, full, &done, progress, err);
        say_bend(&body, at, &w, done, &p, note, size);
    }
    whole_free(&w);
    reduced_free(&b);
    free(p.vertex);
    free(p.weight);
    pal_truth_body_close(&body);
    return status;
}
