#include "app/bench_touched.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "haptics/histogram.h"
#include "haptics/live_body.h"
#include "scenes/scene.h"
#include "scenes/shapes.h"
#include "sim/base/clock.h"
#include "sim/base/memory.h"
#include "sim/base/rng.h"
#include "sim/base/vec3.h"
#include "sim/contact/bdtree_build.h"
#include "sim/contact/distfield_build.h"
#include "sim/contact/shell_build.h"

void pal_touched_close(pal_touched *t) {
    pal_shell_free(&t->shell);
    pal_bdtree_free(&t->tree);
    pal_live_body_close(&t->live);
    pal_model_free(&t->model);
    pal_scene_free(&t->scene);
    free(t->q);
    free(t->rest);
    free(t->basis);
    free(t->triangle);
    memset(t, 0, sizeof *t);
}

// Random coordinates that move the surface by about `size`, the softest the most.
static pal_status bend(pal_touched *t, double size, pal_err *err) {
    t->q = PAL_NEW(double, t->body.size, err);
    if (t->q == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_rng rng = pal_rng_make(3, 0);
    for (int32_t l = 0; l < t->body.size; l++) {
        double most = 0.0;
        for (int64_t i = 0; i < 3 * (int64_t)t->body.point_count; i++) {
            most = fmax(most, fabs(t->body.basis[i * t->body.size + l]));
        }
        t->q[l] = pal_rng_uniform(&rng, -1.0, 1.0) * size / (most * (1 + l));
    }
    t->body.q = t->q;
    return PAL_OK;
}

// ---- The same surface with finer triangles ------------------------------------------------------

static int32_t fine_index(int i, int j) { // row i (0..PAL_TOUCHED_FINER) of a triangle of points
    return i * (i + 1) / 2 + j;
}

// Point k of triangle t of the finer surface, and its rows. Corners are not shared between
// triangles: the tree joins them.
static void fill_fine_point(pal_touched *t, int32_t triangle, int i, int j) {
    enum { POINTS = (PAL_TOUCHED_FINER + 1) * (PAL_TOUCHED_FINER + 2) / 2 };
    const pal_body *from = &t->live.body;
    const double w[3] = {1.0 - (double)i / PAL_TOUCHED_FINER, (double)(i - j) / PAL_TOUCHED_FINER,
                         (double)j / PAL_TOUCHED_FINER};
    const int64_t to = (int64_t)triangle * POINTS + fine_index(i, j);
    const int32_t r = from->size;
    for (int k = 0; k < 3; k++) {
        const int64_t p = from->triangle[3 * (int64_t)triangle + k];
        for (int c = 0; c < 3; c++) {
            t->rest[3 * to + c] += w[k] * from->rest[3 * p + c];
        }
        for (int32_t l = 0; l < 3 * r; l++) {
            t->basis[3 * to * r + l] += w[k] * from->basis[3 * p * r + l];
        }
    }
}

static pal_status make_finer(pal_touched *t, pal_err *err) {
    enum {
        POINTS = (PAL_TOUCHED_FINER + 1) * (PAL_TOUCHED_FINER + 2) / 2,
        PARTS = PAL_TOUCHED_FINER * PAL_TOUCHED_FINER
    };
    const pal_body *from = &t->live.body;
    const size_t triangles = (size_t)from->triangle_count, points = triangles * POINTS;
    t->rest = PAL_NEW(double, 3 * points, err);
    t->basis = PAL_NEW(double, 3 * points * (size_t)from->size, err);
    t->triangle = PAL_NEW(int32_t, 3 * PARTS * triangles, err);
    if (t->rest == NULL || t->basis == NULL || t->triangle == NULL) {
        return PAL_ERR_MEMORY;
    }
    int32_t *out = t->triangle;
    for (int32_t k = 0; k < from->triangle_count; k++) {
        for (int i = 0; i <= PAL_TOUCHED_FINER; i++) {
            for (int j = 0; j <= i; j++) {
                fill_fine_point(t, k, i, j);
            }
        }
        for (int i = 0; i < PAL_TOUCHED_FINER; i++) {
            for (int j = 0; j < 2 * i + 1; j++) {
                const int a = j / 2;
                const int32_t up[3] = {fine_index(i, a), fine_index(i + 1, a),
                                       fine_index(i + 1, a + 1)};
                const int32_t down[3] = {fine_index(i, a), fine_index(i + 1, a + 1),
                                         fine_index(i, a + 1)};
                for (int c = 0; c < 3; c++) {
                    *out++ = k * POINTS + (j % 2 == 0 ? up[c] : down[c]);
                }
            }
        }
    }
    pal_body_init_linear(&t->body, from->size, (int32_t)points, PARTS * from->triangle_count,
                         t->triangle, t->rest, t->basis, t->q, t->q);
    return PAL_OK;
}

pal_status pal_touched_open(pal_touched *t, pal_bench *bench, const char *scene, bool finer,
                            const pal_shell_spec *spec, pal_err *err) {
    memset(t, 0, sizeof *t);
    pal_status status = pal_scene_read(scene, &t->scene, err);
    if (status == PAL_OK) {
        status =
            pal_scene_model(&t->scene, false, bench->job->progress, &t->model, NULL, NULL, err);
    }
    if (status == PAL_OK) {
        const pal_live_options how = {.dt = 1e-3, .feature = 3.0 * spec->spacing};
        status = pal_live_body_open(&t->live, &t->model, &how, err);
    }
    t->body = t->live.body;
    if (status == PAL_OK && finer) {
        status = make_finer(t, err);
    }
    status = status == PAL_OK ? bend(t, 0.02, err) : status;
    status = status == PAL_OK ? pal_bdtree_build(&t->body, &t->tree, err) : status;
    const double start = pal_thread_seconds();
    status = status == PAL_OK ? pal_shell_build(&t->body, &t->tree, spec, &t->shell, err) : status;
    t->built = pal_thread_seconds() - start;
    if (status != PAL_OK) {
        pal_touched_close(t);
    }
    return status;
}

pal_status pal_touched_tool(const char *name, double size, pal_distfield *field, pal_shape *shape,
                            double *took, pal_err *err) {
    pal_surface surface;
    pal_status status = pal_shape_make(name, size, &surface, err);
    const pal_distfield_spec spec = {.cells = 64, .margin = 0.002};
    const double start = pal_seconds();
    status = status == PAL_OK ? pal_distfield_build(&surface, &spec, NULL, field, err) : status;
    *took = pal_seconds() - start;
    pal_surface_free(&surface);
    return status == PAL_OK ? pal_shape_field(shape, field, err) : status;
}

void pal_touched_place(const pal_touched *t, const pal_shape *shape, int32_t point,
                       pal_shell_query *query) {
    const pal_shell_point *p = &t->shell.point[point];
    const double *n = p->axis[2];
    double x[3], turn[4] = {1.0 + n[2], -n[1], n[0], 0.0}; // from z to the normal
    const double size = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
    pal_shell_place(&t->shell, t->q, point, x);
    query->pose = PAL_POSE_IDENTITY;
    for (int c = 0; c < 4 && size > 1e-6; c++) {
        query->pose.turn[c] = turn[c] / size;
    }
    const double tip[3] = {0.0, 0.0, 0.0}, away = 0.001;
    double g[3];
    const double depth = pal_shape_distance(shape, tip, g); // of the origin within the tool
    for (int c = 0; c < 3; c++) {
        query->pose.x[c] = x[c] + (-depth - away) * n[c];
    }
}
