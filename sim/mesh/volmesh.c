#include "sim/mesh/volmesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

pal_status pal_volmesh_alloc(pal_volmesh *mesh, pal_element_kind kind, int32_t vertex_count,
                             int32_t element_count, int32_t region_count, pal_err *err) {
    memset(mesh, 0, sizeof *mesh);
    pal_volmesh m = {.kind = kind,
                     .vertex_count = vertex_count,
                     .element_count = element_count,
                     .region_count = region_count};
    m.x = PAL_NEW(double, 3 * (size_t)vertex_count, err);
    m.element = PAL_NEW(int32_t, (size_t)kind * (size_t)element_count, err);
    m.region = PAL_NEW(int32_t, element_count, err);
    m.regions = PAL_NEW(pal_region, region_count, err);
    m.file_vertex = PAL_NEW(int32_t, vertex_count, err);
    if (!m.x || !m.element || !m.region || !m.regions || !m.file_vertex) {
        pal_volmesh_free(&m);
        return PAL_ERR_MEMORY;
    }
    for (int32_t v = 0; v < vertex_count; v++) {
        m.file_vertex[v] = v;
    }
    for (int32_t g = 0; g < region_count; g++) {
        snprintf(m.regions[g].name, sizeof m.regions[g].name, "body");
    }
    *mesh = m;
    return PAL_OK;
}

void pal_volmesh_free(pal_volmesh *mesh) {
    free(mesh->x);
    free(mesh->element);
    free(mesh->region);
    free(mesh->regions);
    free(mesh->file_vertex);
    free(mesh->share);
    for (int32_t s = 0; s < mesh->set_count; s++) {
        free(mesh->sets[s].index);
    }
    free(mesh->sets);
    memset(mesh, 0, sizeof *mesh);
}

pal_status pal_volmesh_copy_share(const pal_volmesh *from, const int32_t *element, pal_volmesh *to,
                                  pal_err *err) {
    if (from->share == NULL) {
        return PAL_OK;
    }
    to->share = PAL_NEW(double, to->element_count, err);
    for (int32_t e = 0; to->share != NULL && e < to->element_count; e++) {
        to->share[e] = from->share[element != NULL ? element[e] : e];
    }
    if (to->share == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_volmesh_settle_share(to);
    return PAL_OK;
}

void pal_volmesh_settle_share(pal_volmesh *mesh) {
    for (int32_t e = 0; mesh->share != NULL && e < mesh->element_count; e++) {
        if (mesh->share[e] != 1.0) {
            return;
        }
    }
    free(mesh->share);
    mesh->share = NULL;
}

void pal_volmesh_box(const pal_volmesh *mesh, double low[3], double high[3]) {
    for (int c = 0; c < 3; c++) {
        low[c] = INFINITY;
        high[c] = -INFINITY;
        for (int32_t v = 0; v < mesh->vertex_count; v++) {
            low[c] = fmin(low[c], mesh->x[3 * (int64_t)v + c]);
            high[c] = fmax(high[c], mesh->x[3 * (int64_t)v + c]);
        }
    }
}

void pal_volmesh_scale(pal_volmesh *mesh, double factor) {
    for (int64_t i = 0; i < 3 * (int64_t)mesh->vertex_count; i++) {
        mesh->x[i] *= factor;
    }
}
