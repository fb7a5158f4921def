#include "render/edges.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/mesh/surface.h"

static int ascending(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t key_of(int32_t a, int32_t b) {
    return a < b ? (uint64_t)a << 32 | (uint32_t)b : (uint64_t)b << 32 | (uint32_t)a;
}

// Sorts, and keeps one of each; returns how many there are.
static int64_t settle(uint64_t *key, int64_t count) {
    int64_t kept = 0;
    qsort(key, (size_t)count, sizeof *key, ascending);
    for (int64_t i = 0; i < count; i++) {
        if (kept == 0 || key[i] != key[kept - 1]) {
            key[kept++] = key[i];
        }
    }
    return kept;
}

static pal_status write_edges(const uint64_t *key, int64_t count, pal_edges *edges, pal_err *err) {
    edges->end = PAL_NEW(int32_t, 2 * count, err);
    if (edges->end == NULL) {
        return PAL_ERR_MEMORY;
    }
    edges->count = (int32_t)count;
    for (int64_t i = 0; i < count; i++) {
        edges->end[2 * i] = (int32_t)(key[i] >> 32);
        edges->end[2 * i + 1] = (int32_t)(key[i] & 0xFFFFFFFF);
    }
    return PAL_OK;
}

static int64_t list_triangles(const int32_t *triangle, int32_t count, uint64_t *key) {
    for (int64_t i = 0; i < 3 * (int64_t)count; i++) {
        const int64_t next = i % 3 == 2 ? i - 2 : i + 1;
        key[i] = key_of(triangle[i], triangle[next]);
    }
    return settle(key, 3 * (int64_t)count);
}

pal_status pal_edges_of_triangles(const int32_t *triangle, int32_t count, pal_edges *edges,
                                  pal_err *err) {
    *edges = (pal_edges){0};
    uint64_t *key = PAL_NEW(uint64_t, 3 * (size_t)count, err);
    pal_status status = PAL_ERR_MEMORY;
    if (key != NULL) {
        status = write_edges(key, list_triangles(triangle, count, key), edges, err);
    }
    free(key);
    return status;
}

static int64_t list_elements(const pal_volmesh *mesh, uint64_t *key) {
    static const int tet[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    static const int hex[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                   {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    const bool is_tet = mesh->kind == PAL_TET4;
    int64_t count = 0;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        const int32_t *vertex = pal_volmesh_element(mesh, e);
        for (int i = 0; i < (is_tet ? 6 : 12); i++) {
            const int *end = is_tet ? tet[i] : hex[i];
            key[count++] = key_of(vertex[end[0]], vertex[end[1]]);
        }
    }
    return settle(key, count);
}

// The faces on the boundary come as triangles; the diagonals of a voxel's are not edges of it.
pal_status pal_edges_of_volmesh(const pal_volmesh *mesh, pal_edges *edges, pal_err *err) {
    *edges = (pal_edges){0};
    pal_surface boundary = {0};
    int32_t *vertex = NULL;
    pal_status status = pal_surface_of_volmesh(mesh, &boundary, &vertex, err);
    if (status != PAL_OK) {
        return status;
    }
    uint64_t *skin = PAL_NEW(uint64_t, 3 * (size_t)boundary.triangle_count, err);
    uint64_t *all = PAL_NEW(uint64_t, 12 * (size_t)mesh->element_count, err);
    status = PAL_ERR_MEMORY;
    if (skin != NULL && all != NULL) {
        for (int64_t i = 0; i < 3 * (int64_t)boundary.triangle_count; i++) {
            boundary.triangle[i] = vertex[boundary.triangle[i]];
        }
        const int64_t on_skin = list_triangles(boundary.triangle, boundary.triangle_count, skin);
        const int64_t in_all = list_elements(mesh, all);
        int64_t kept = 0;
        for (int64_t i = 0, k = 0; i < on_skin; i++) {
            while (k < in_all && all[k] < skin[i]) {
                k++;
            }
            if (k < in_all && all[k] == skin[i]) {
                skin[kept++] = skin[i];
            }
        }
        status = write_edges(skin, kept, edges, err);
    }
    free(skin);
    free(all);
    free(vertex);
    pal_surface_free(&boundary);
    return status;
}

void pal_edges_free(pal_edges *edges) {
    free(edges->end);
    *edges = (pal_edges){0};
}
