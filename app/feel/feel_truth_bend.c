// The truth of large bending: full St. Venant-Kirchhoff elements at rest. They collapse under a tip
// (MATH.md 5.1), so full and reduced body are loaded alike, on a patch wider than the tip:
//
//     R(u) = H^T F,  d_full = H u . e;      R~(q) = U^T H^T F,  d_red = (H U q + H G H^T F) . e
//
// with H the weights of the patch (of all vertices within three radii of the ball), e the direction
// of the force and G = K^-1 - U (U^T K U)^-1 U^T the dent that the basis has not. The force of full
// elements is the one that moves the patch of the full body as far as the model's own force moves
// that of the reduced one.
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

enum { LEVELS = 2, MOST_DOFS = 40000, MOST_NEWTON = 60, LEAST_PATCH = 12 };
enum { NEWTON_WORK = 240000, SWING = 25 }; // Newton steps times unknowns; ticks to each side
static const double patch_radii = 3.0;     // of the ball, at least

typedef struct patch {
    double centre[3], direction[3]; // m at rest; unit, of the force on the body
    int32_t count;
    int32_t *vertex; // [count] of the mesh
    double *weight;  // [count], sum 1
} patch;

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

static int32_t fill_patch(const pal_fem *fem, double radius, patch *p) {
    double sum = 0.0, d[3];
    p->count = 0;
    for (int32_t v = 0; v < fem->mesh->vertex_count; v++) {
        pal_sub3(fem->mesh->x + 3 * (int64_t)v, p->centre, d);
        const double rest = 1.0 - pal_dot3(d, d) / (radius * radius);
        if (fem->free_index[v] >= 0 && rest > 0.0) {
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
static pal_status make_patch(const pal_truth_walk *walk, const pal_fem *fem, int64_t tick, patch *p,
                             pal_err *err) {
    p->vertex = PAL_NEW(int32_t, fem->mesh->vertex_count, err);
    p->weight = PAL_NEW(double, fem->mesh->vertex_count, err);
    if (p->vertex == NULL || p->weight == NULL) {
        return PAL_ERR_MEMORY;
    }
    double radius = patch_radii * walk->session.tool[0].shape.feature;
    place_patch(walk, tick, p);
    for (int i = 0; i < 16 && fill_patch(fem, radius, p) < LEAST_PATCH; i++) {
        radius *= 1.3;
    }
    return PAL_OK;
}

// How far the patch of the full body goes under a force.
static pal_status full_way(pal_fem *fem, const patch *p, double force, double *way, pal_err *err) {
    const int64_t steps = NEWTON_WORK / pal_fem_dofs(fem);
    const pal_static_options options = {
        .max_iterations = steps < MOST_NEWTON ? (int)steps : MOST_NEWTON, .tolerance = 1e-4};
    const int64_t n = 3 * (int64_t)fem->mesh->vertex_count;
    pal_static_report report;
    double *f = PAL_NEW(double, n, err), *u = PAL_NEW(double, n, err);
    pal_status status = f && u ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t k = 0; status == PAL_OK && k < 3 * p->count; k++) {
        f[3 * (int64_t)p->vertex[k / 3] + k % 3] = force * p->weight[k / 3] * p->direction[k % 3];
    }
    if (status == PAL_OK) {
        status = pal_static_solve(fem, f, &options, NULL, u, &report, err);
    }
    *way = 0.0;
    for (int32_t i = 0; status == PAL_OK && i < p->count; i++) {
        *way += p->weight[i] * pal_dot3(u + 3 * (int64_t)p->vertex[i], p->direction);
    }
    free(f);
    free(u);
    return status;
}

// ---- the reduced body

typedef struct reduced {
    int32_t r;
    pal_quartic quartic; // for the materials of the tick
    double *load;        // [r] U^T H^T e
    double *q, *rest, *stiffness;
    double dent; // m/N, e H G H^T e
} reduced;

static void reduced_free(reduced *b) {
    pal_quartic_free(&b->quartic);
    free(b->load);
    free(b->q);
    free(b->rest);
    free(b->stiffness);
}

// e H K^-1 H^T e of the full body at rest, m/N.
static pal_status full_compliance(pal_fem *fem, const patch *p, double *compliance, pal_err *err) {
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
    pal_status status = full_compliance(fem, p, &b->dent, err);
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

static pal_status reduced_open(const pal_truth_walk *walk, int64_t tick, pal_fem *fem,
                               const patch *p, reduced *b, pal_err *err) {
    const pal_model *model = &walk->session.model;
    const int32_t r = model->r;
    memset(b, 0, sizeof *b);
    b->r = r;
    b->load = PAL_NEW(double, r, err);
    b->q = PAL_NEW(double, r, err);
    b->rest = PAL_NEW(double, r, err);
    b->stiffness = PAL_NEW(double, r *r, err);
    double *mass = PAL_NEW(double, pal_pairs(r), err);
    pal_material *material = pal_truth_materials(&walk->session, (uint64_t)tick, err);
    pal_status status = b->load && b->q && b->rest && b->stiffness && mass && material
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
        status = find_dent(fem, p, b, err);
    }
    free(mass);
    free(material);
    return status;
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
        if (LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', b->r, 1, b->stiffness, b->r, step, 1) != 0) {
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

// The first tick of the press at each share of its depth, and the mean force about it: a light body
// swings.
static bool choose_levels(const pal_truth_walk *walk, int64_t tick[LEVELS], double force[LEVELS]) {
    int64_t first, deepest;
    int count = 0;
    if (!pal_truth_press(walk, &first, &deepest)) {
        return false;
    }
    double way[3];
    const double *begin = walk->row[first * walk->hands].position;
    pal_sub3(walk->row[deepest * walk->hands].position, begin, way);
    const double most = -pal_dot3(way, walk->normal + 3 * first);
    for (int64_t k = first; k <= deepest && count < LEVELS; k++) {
        pal_sub3(walk->row[k * walk->hands].position, begin, way);
        if (-pal_dot3(way, walk->normal + 3 * first) >= most * ((count + 1) / (LEVELS + 1e-6)) &&
            walk->triangle[k] >= 0) {
            tick[count++] = k;
        }
    }
    for (int i = 0; i < count; i++) {
        double sum[3] = {0.0, 0.0, 0.0};
        const int64_t a = tick[i] > SWING ? tick[i] - SWING : 0;
        const int64_t b = tick[i] + SWING < walk->count ? tick[i] + SWING : walk->count - 1;
        for (int64_t k = 3 * a; k < 3 * (b + 1); k++) {
            sum[k % 3] += walk->force[k] / (double)(b + 1 - a);
        }
        force[i] = pal_norm3(sum);
    }
    return most > 0.0 && count == LEVELS && force[0] > 0.0 && force[LEVELS - 1] > force[0];
}

// *done: levels that found their rest. A body that collapses under the next one is no error.
static pal_status bend_levels(const pal_truth_walk *walk, const int64_t tick[LEVELS],
                              const double force[LEVELS], pal_fem *fem, const patch *p, reduced *b,
                              double *full, int *done, const pal_progress *progress, pal_err *err) {
    double went[LEVELS], way[LEVELS];
    pal_status status = PAL_OK;
    int count = 0;
    while (status == PAL_OK && count < LEVELS) {
        status = reduced_way(b, force[count], &way[count], err);
        if (status == PAL_OK) {
            status = full_way(fem, p, force[count], &went[count], err);
        }
        count += status == PAL_OK;
        pal_progress_report(progress, "full elements", (count + 1.0) / LEVELS);
    }
    for (int i = 0; i < count; i++) {
        const double scale = force_at(force, went, count, way[i]) / force[i];
        for (int c = 0; c < 3; c++) {
            full[3 * tick[i] + c] = scale * walk->force[3 * tick[i] + c];
        }
    }
    *done = count;
    return status == PAL_ERR_NUMERIC ? PAL_OK : status;
}

static void say_bend(const pal_truth_walk *walk, const double force[LEVELS], int done,
                     const patch *p, char *note, size_t size) {
    const pal_volmesh *mesh = &walk->session.model.mesh;
    if (done == 0) {
        snprintf(note, size, "full StVK elements left out: they find no rest under %.2f N",
                 force[0]);
    } else if (done < LEVELS) {
        snprintf(note, size, "StVK elements, %s %s, up to %.2f N: beyond, Newton found no rest",
                 pal_say_count(mesh->element_count).text,
                 mesh->kind == PAL_TET4 ? "tets" : "voxels", force[done - 1]);
    } else {
        snprintf(note, size, "StVK elements, %s %s, the force on a patch of %d vertices",
                 pal_say_count(mesh->element_count).text,
                 mesh->kind == PAL_TET4 ? "tets" : "voxels", (int)p->count);
    }
}

pal_status pal_truth_bend(const pal_truth_walk *walk, double *full, char *note, size_t size,
                          const pal_progress *progress, pal_err *err) {
    int64_t tick[LEVELS];
    double force[LEVELS];
    pal_fem fem;
    bool fits = false;
    if (!choose_levels(walk, tick, force)) {
        snprintf(note, size, "full elements left out: nothing is pressed");
        return PAL_OK;
    }
    const int64_t most = tick[LEVELS - 1];
    pal_status status =
        pal_truth_fem(walk, (uint64_t)most, MOST_DOFS, &fem, &fits, note, size, err);
    if (status != PAL_OK || !fits) {
        return status;
    }
    pal_progress_report(progress, "full elements", 0.0);
    patch p = {.count = 0};
    reduced b = {.r = 0};
    int done = 0;
    status = make_patch(walk, &fem, most, &p, err);
    if (status == PAL_OK) {
        status = reduced_open(walk, most, &fem, &p, &b, err);
    }
    if (status == PAL_OK) {
        status = bend_levels(walk, tick, force, &fem, &p, &b, full, &done, progress, err);
        say_bend(walk, force, done, &p, note, size);
    }
    reduced_free(&b);
    free(p.vertex);
    free(p.weight);
    pal_fem_free(&fem);
    return status;
}
