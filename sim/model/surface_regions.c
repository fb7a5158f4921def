#include "sim/model/surface_regions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"

typedef struct around { // the elements about each vertex, and their middles
    int32_t *first;     // [vertex_count + 1]
    int32_t *element;   // [first[vertex_count]]
    double *middle;     // [element_count][3]
} around;

static void find_middles(const pal_volmesh *mesh, double *middle) {
    const int nodes = (int)mesh->kind;
    for (int64_t k = 0; k < (int64_t)mesh->element_count * nodes; k++) {
        for (int c = 0; c < 3; c++) {
            middle[3 * (k / nodes) + c] += mesh->x[3 * (int64_t)mesh->element[k] + c] / nodes;
        }
    }
}

// Counts, then sums, then fills from the back, so that first[v] ends where v's list begins.
static void list_elements(const pal_volmesh *mesh, around *a) {
    const int nodes = (int)mesh->kind;
    const int64_t all = (int64_t)mesh->element_count * nodes;
    for (int64_t k = 0; k < all; k++) {
        a->first[mesh->element[k]]++;
    }
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        a->first[v + 1] += a->first[v];
    }
    for (int64_t k = all - 1; k >= 0; k--) {
        a->element[--a->first[mesh->element[k]]] = (int32_t)(k / nodes);
    }
}

static pal_status open_around(const pal_volmesh *mesh, around *a, pal_err *err) {
    a->first = PAL_NEW(int32_t, (int64_t)mesh->vertex_count + 1, err);
    a->element = PAL_NEW(int32_t, (int64_t)mesh->element_count * (int)mesh->kind, err);
    a->middle = PAL_NEW(double, 3 * (int64_t)mesh->element_count, err);
    if (a->first == NULL || a->element == NULL || a->middle == NULL) {
        return PAL_ERR_MEMORY;
    }
    find_middles(mesh, a->middle);
    list_elements(mesh, a);
    return PAL_OK;
}

static void close_around(around *a) {
    free(a->first);
    free(a->element);
    free(a->middle);
}

// The element nearest to x among those about the vertices that carry a point.
static void nearest_about(const pal_model *model, const around *a, int32_t point, const double x[3],
                          int32_t *best, double *distance) {
    static const double share = 1e-9; // vertices that carry less carry nothing
    const pal_embedding *e = &model->embedding;
    for (int64_t k = (int64_t)point * e->nodes; k < ((int64_t)point + 1) * e->nodes; k++) {
        const int32_t v = e->vertex[k];
        for (int32_t i = a->first[v]; e->weight[k] > share && i < a->first[v + 1]; i++) {
            double way[3];
            pal_sub3(a->middle + 3 * (int64_t)a->element[i], x, way);
            const double here = pal_dot3(way, way);
            if (here < *distance) {
                *distance = here;
                *best = a->element[i];
            }
        }
    }
}

pal_status pal_model_surface_regions(const pal_model *model, uint16_t *region, pal_err *err) {
    const pal_surface *surface = &model->surface;
    if (model->region_count == 1) {
        memset(region, 0, (size_t)surface->triangle_count * sizeof *region);
        return PAL_OK;
    }
    if (model->region_count > UINT16_MAX) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED,
                        "the model has %d regions; a body that runs has at most %d",
                        (int)model->region_count, UINT16_MAX);
    }
    around a = {0};
    pal_status status = open_around(&model->mesh, &a, err);
    for (int64_t t = 0; status == PAL_OK && t < surface->triangle_count; t++) {
        const int32_t *corner = surface->triangle + 3 * t;
        double x[3] = {0.0, 0.0, 0.0}, distance = INFINITY;
        int32_t best = 0;
        for (int k = 0; k < 9; k++) {
            x[k % 3] += surface->x[3 * (int64_t)corner[k / 3] + k % 3] / 3.0;
        }
        for (int k = 0; k < 3; k++) {
            nearest_about(model, &a, corner[k], x, &best, &distance);
        }
        region[t] = (uint16_t)model->mesh.region[best];
    }
    close_around(&a);
    return status;
}
