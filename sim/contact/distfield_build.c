// Each sample asks a tree of the surface's triangles (a Bounded Deformation Tree of a body that
// does not move) for the nearest point. Along a row of samples the distance changes by at most a
// cell from one to the next, which bounds the search; and where it is more than a cell, the sign is
// that of the sample before.
#include "sim/contact/distfield_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/parallel.h"
#include "sim/base/vec3.h"
#include "sim/contact/bdtree_build.h"
#include "sim/contact/track.h"

enum { MAX_SAMPLES = 1 << 25, MIN_PAD = 4 };

typedef struct sampling {
    const pal_distfield *field;
    float *distance;
    const pal_bdtree *tree;
    const pal_body *body;
    const pal_progress *progress;
} sampling;

// ---- Checks -------------------------------------------------------------------------------------

// Joins vertices at the same place, so that a soup of triangles can be closed.
static pal_status weld(const pal_surface *surface, pal_surface *welded, pal_err *err) {
    memset(welded, 0, sizeof *welded);
    int32_t *same = PAL_NEW(int32_t, surface->vertex_count, err);
    if (same == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_status status = pal_surface_weld(surface, same, err);
    if (status == PAL_OK) {
        status = pal_surface_alloc(welded, surface->vertex_count, surface->triangle_count, err);
    }
    if (status == PAL_OK) {
        memcpy(welded->x, surface->x, 3 * (size_t)surface->vertex_count * sizeof *welded->x);
        for (int64_t i = 0; i < 3 * (int64_t)surface->triangle_count; i++) {
            welded->triangle[i] = same[surface->triangle[i]];
        }
    }
    free(same);
    return status;
}

static pal_status check_surface(const pal_surface *surface, pal_surface_quality *quality,
                                pal_err *err) {
    if (surface->triangle_count < 4) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "the tool's surface has %d triangles; a closed one has at least 4",
                        surface->triangle_count);
    }
    pal_status status = pal_surface_measure(surface, quality, err);
    if (status != PAL_OK) {
        return status;
    }
    if (quality->open_edges > 0) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "the tool's surface is open: %d edges have a triangle on one side only; "
                        "close its holes",
                        quality->open_edges);
    }
    if (quality->nonmanifold_edges > 0) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "the tool's surface is not manifold: %d edges have more than two "
                        "triangles; leave its outer skin only",
                        quality->nonmanifold_edges);
    }
    if (!(quality->volume > 0.0)) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "the tool's surface is inside out (its volume is %g m3); turn its "
                        "triangles round",
                        quality->volume);
    }
    return PAL_OK;
}

static pal_status lay_grid(const pal_surface_quality *box, const pal_distfield_spec *spec,
                           pal_distfield *field, pal_err *err) {
    double longest = 0.0, samples = 1.0;
    for (int c = 0; c < 3; c++) {
        longest = fmax(longest, box->box_max[c] - box->box_min[c]);
    }
    field->cell = spec->cell > 0.0 ? spec->cell : longest / spec->cells;
    if (!isfinite(field->cell) || !(field->cell > 0.0) || !isfinite(spec->margin) ||
        spec->margin < 0.0) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "the tool's distance field has cells of %g m and a margin of %g m; give it "
                        "a size above 0",
                        field->cell, spec->margin);
    }
    for (int c = 0; c < 3; c++) {
        const double side = box->box_max[c] - box->box_min[c];
        const double pad = fmax(ceil(spec->margin / field->cell) + 1.0, MIN_PAD);
        const double count = ceil(side / field->cell) + 2.0 * pad + 1.0;
        samples *= count;
        if (samples > MAX_SAMPLES) {
            return pal_fail(err, PAL_ERR_USAGE,
                            "the tool's distance field would have more than %d samples; make its "
                            "cells (%g m) larger or its margin (%g m) smaller",
                            MAX_SAMPLES, field->cell, spec->margin);
        }
        field->count[c] = (int32_t)count;
        field->origin[c] =
            0.5 * (box->box_max[c] + box->box_min[c]) - 0.5 * (count - 1.0) * field->cell;
    }
    return PAL_OK;
}

// ---- Sampling -----------------------------------------------------------------------------------

// One row of samples along x.
static void sample_row(void *context, int index, int thread) {
    const sampling *s = context;
    const pal_distfield *field = s->field;
    const int32_t *n = field->count;
    float *row = s->distance + (int64_t)index * n[0];
    double x[3] = {0.0, field->origin[1] + (index % n[1]) * field->cell,
                   field->origin[2] + (index / n[1]) * field->cell};
    pal_nearest nearest = {.triangle = -1};
    double last = INFINITY, sign = 1.0; // distance of the sample before
    for (int32_t i = 0; i < n[0]; i++) {
        x[0] = field->origin[0] + i * field->cell;
        const double reach = (last + field->cell) * (1.0 + 1e-9);
        pal_bdtree_nearest(s->tree, s->body, x, reach, nearest.triangle, INT32_MAX, &nearest);
        if (!(last > field->cell * (1.0 + 1e-9)) || i == 0) {
            double normal[3], apart[3];
            pal_track_normal(s->tree, s->body, &nearest, normal);
            pal_sub3(x, nearest.point, apart);
            sign = pal_dot3(apart, normal) < 0.0 ? -1.0 : 1.0;
        }
        last = nearest.distance;
        row[i] = (float)(sign * last);
    }
    if (thread == 0 && index % 64 == 0) {
        pal_progress_report(s->progress, "tool", (double)index / (n[1] * n[2]));
    }
}

// The surface as a body without coordinates.
static pal_status sample_all(const pal_surface *surface, const pal_progress *progress,
                             pal_distfield *field, pal_err *err) {
    static const double none[1] = {0.0};
    pal_body body;
    pal_body_init_linear(&body, 0, surface->vertex_count, surface->triangle_count,
                         surface->triangle, surface->x, none, none, none);
    pal_bdtree tree;
    pal_status status = pal_bdtree_build(&body, &tree, err);
    if (status != PAL_OK) {
        return status;
    }
    const int32_t *n = field->count;
    float *distance = PAL_NEW(float, (size_t)n[0] * (size_t)n[1] * (size_t)n[2], err);
    field->distance = distance;
    if (distance != NULL) {
        sampling s = {field, distance, &tree, &body, progress};
        pal_parallel_for(n[1] * n[2], sample_row, &s);
        pal_progress_report(progress, "tool", 1.0);
    }
    pal_bdtree_free(&tree);
    return distance != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

pal_status pal_distfield_build(const pal_surface *surface, const pal_distfield_spec *spec,
                               const pal_progress *progress, pal_distfield *field, pal_err *err) {
    memset(field, 0, sizeof *field);
    pal_surface welded;
    pal_surface_quality quality;
    pal_status status = weld(surface, &welded, err);
    status = status == PAL_OK ? check_surface(&welded, &quality, err) : status;
    status = status == PAL_OK ? lay_grid(&quality, spec, field, err) : status;
    status = status == PAL_OK ? sample_all(&welded, progress, field, err) : status;
    pal_surface_free(&welded);
    if (status != PAL_OK) {
        pal_distfield_free(field);
    }
    return status;
}

void pal_distfield_free(pal_distfield *field) {
    free((void *)field->distance);
    memset(field, 0, sizeof *field);
}
