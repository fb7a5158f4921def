#include "sim/mesh/volmesh.h"

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
    memset(mesh, 0, sizeof *mesh);
}

void pal_volmesh_scale(pal_volmesh *mesh, double factor) {
    for (int64_t i = 0; i < 3 * (int64_t)mesh->vertex_count; i++) {
        mesh->x[i] *= factor;
    }
}
