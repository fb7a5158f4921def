#include "sim/model/tree_whole.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"

static pal_status make_surface(const pal_tree_model *tree, pal_surface *out, pal_err *err) {
    int64_t points = 0, triangles = 0;
    for (int32_t i = 0; i < tree->domain_count; i++) {
        points += tree->body[tree->domain[i].kind].surface.vertex_count;
        triangles += tree->body[tree->domain[i].kind].surface.triangle_count;
    }
    if (points > INT32_MAX || triangles > INT32_MAX / 3) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED,
                        "the domains have more triangles together than can be drawn");
    }
    return pal_surface_alloc(out, (int32_t)points, (int32_t)triangles, err);
}

static pal_status fill_surface(const pal_tree_model *tree, pal_surface *out, pal_err *err) {
    double *x = PAL_NEW(double, 3 * (size_t)tree->domain_count, err);
    double *turn = PAL_NEW(double, 9 * (size_t)tree->domain_count, err);
    if (x == NULL || turn == NULL) {
        free(x);
        free(turn);
        return PAL_ERR_MEMORY;
    }
    pal_tree_rest_frames(&tree->tree, x, turn);
    double *to = out->x;
    int32_t *corner = out->triangle, first = 0;
    for (int64_t i = 0; i < tree->domain_count; i++) {
        const pal_surface *from = &tree->body[tree->domain[i].kind].surface;
        for (int64_t p = 0; p < from->vertex_count; p++, to += 3) {
            for (int k = 0; k < 3; k++) {
                to[k] = x[3 * i + k] +
                        tree->domain[i].scale * pal_dot3(turn + 9 * i + 3 * k, from->x + 3 * p);
            }
        }
        for (int64_t k = 0; k < 3 * (int64_t)from->triangle_count; k++) {
            *corner++ = first + from->triangle[k];
        }
        first += from->vertex_count;
    }
    free(x);
    free(turn);
    return PAL_OK;
}

static pal_status fill(const pal_tree_model *tree, pal_model *whole, pal_err *err) {
    whole->name = pal_copy_text(tree->name, err);
    whole->scene_text = pal_copy_text(tree->scene_text, err);
    whole->region = PAL_NEW(pal_model_region, tree->domain_count, err);
    if (whole->name == NULL || whole->scene_text == NULL || whole->region == NULL) {
        return PAL_ERR_MEMORY;
    }
    whole->region_count = tree->domain_count;
    memcpy(whole->hash, tree->hash, sizeof whole->hash);
    for (int32_t i = 0; i < tree->domain_count; i++) {
        const pal_model *body = &tree->body[tree->domain[i].kind];
        snprintf(whole->region[i].name, sizeof whole->region[i].name, "%s", tree->domain_name[i]);
        whole->region[i].material = body->region[0].material;
        const double s = tree->domain[i].scale;
        whole->total_mass += s * s * s * body->total_mass;
    }
    const pal_status status = make_surface(tree, &whole->surface, err);
    return status == PAL_OK ? fill_surface(tree, &whole->surface, err) : status;
}

pal_status pal_tree_whole(const pal_tree_model *tree, pal_model *whole, pal_err *err) {
    memset(whole, 0, sizeof *whole);
    const pal_status status = fill(tree, whole, err);
    if (status != PAL_OK) {
        pal_model_free(whole);
    }
    return status;
}
