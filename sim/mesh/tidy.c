#include "sim/mesh/tidy.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/mat3.h"
#include "sim/base/memory.h"
#include "sim/mesh/corner.h"

// A corner whose edges span less than this share of the cube over the longest is flat.
static const double flat_share = 1e-13;

static pal_status check_finite(const pal_volmesh *mesh, const char *name, pal_err *err) {
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        const double *x = mesh->x + 3 * (int64_t)v;
        if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2])) {
            return pal_fail_at(err, PAL_ERR_INPUT, name, 0,
                               "vertex %d (from 0) has a coordinate that is not finite", v);
        }
    }
    return PAL_OK;
}

static pal_status check_indices(const pal_volmesh *mesh, const char *name, pal_err *err) {
    int nodes = (int)mesh->kind;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        const int32_t *vertex = pal_volmesh_element(mesh, e);
        for (int i = 0; i < nodes; i++) {
            if (vertex[i] < 0 || vertex[i] >= mesh->vertex_count) {
                return pal_fail_at(err, PAL_ERR_INPUT, name, 0,
                                   "element %d (from 0) names vertex %d, but there are %d", e,
                                   vertex[i], mesh->vertex_count);
            }
            for (int j = 0; j < i; j++) {
                if (vertex[i] == vertex[j]) {
                    return pal_fail_at(err, PAL_ERR_INPUT, name, 0,
                                       "element %d (from 0) is degenerate: it names vertex %d "
                                       "twice",
                                       e, vertex[i]);
                }
            }
        }
        if (mesh->region[e] < 0 || mesh->region[e] >= mesh->region_count) {
            return pal_fail_at(err, PAL_ERR_INPUT, name, 0,
                               "element %d (from 0) is in region %d, but there are %d", e,
                               mesh->region[e], mesh->region_count);
        }
    }
    return PAL_OK;
}

// The sign of the volume that three edges span: 1, -1, or 0 when they are flat.
static int volume_sign(double (*edge)[3]) {
    double longest = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int c = 0; c < 3; c++) {
            longest = fmax(longest, fabs(edge[i][c]));
        }
    }
    // lengths relative to the longest, so that no power of them under- or overflows
    for (int i = 0; i < 3; i++) {
        for (int c = 0; c < 3; c++) {
            edge[i][c] /= longest;
        }
    }
    double det = pal_mat3_det(edge);
    return det > flat_share ? 1 : det < -flat_share ? -1 : 0;
}

static int corner_sign(const pal_volmesh *mesh, const int32_t *vertex, int corner) {
    double edge[3][3];
    pal_corner_edges(mesh, vertex, corner, edge);
    return volume_sign(edge);
}

// In the middle of a hexahedron, by the means of its four edges each way.
static int middle_sign(const pal_volmesh *mesh, const int32_t *vertex) {
    static const int8_t ends[3][4][2] = {{{0, 1}, {3, 2}, {4, 5}, {7, 6}},
                                         {{0, 3}, {1, 2}, {4, 7}, {5, 6}},
                                         {{0, 4}, {1, 5}, {2, 6}, {3, 7}}};
    double edge[3][3] = {{0.0}};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 4; k++) {
            const double *from = mesh->x + 3 * (int64_t)vertex[ends[i][k][0]];
            const double *to = mesh->x + 3 * (int64_t)vertex[ends[i][k][1]];
            for (int c = 0; c < 3; c++) {
                edge[i][c] += 0.25 * (to[c] - from[c]);
            }
        }
    }
    return volume_sign(edge);
}

static void swap(int32_t *a, int32_t *b) {
    int32_t kept = *a;
    *a = *b;
    *b = kept;
}

// Mirrors an element: the other two corners of a tet's last edge, or the two ends of a hexahedron.
static void turn(pal_element_kind kind, int32_t *vertex) {
    if (kind == PAL_TET4) {
        swap(&vertex[2], &vertex[3]);
        return;
    }
    for (int i = 0; i < 4; i++) {
        swap(&vertex[i], &vertex[i + 4]);
    }
}

static pal_status turn_elements(pal_volmesh *mesh, const char *name, pal_err *err) {
    int corners = mesh->kind == PAL_TET4 ? 1 : 8;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        int32_t *vertex = mesh->element + (int64_t)e * (int)mesh->kind;
        int positive = 0, negative = 0;
        for (int i = 0; i < corners; i++) {
            int sign = corner_sign(mesh, vertex, i);
            positive += sign > 0;
            negative += sign < 0;
        }
        if (positive + negative < corners) {
            return pal_fail_at(err, PAL_ERR_INPUT, name, 0,
                               "element %d (from 0) is degenerate: it has no volume%s; repair the "
                               "mesh",
                               e, corners > 1 ? " at a corner" : "");
        }
        if (positive > 0 && negative > 0) {
            return pal_fail_at(err, PAL_ERR_INPUT, name, 0,
                               "hexahedron %d (from 0) is inside out at %d of its corners; check "
                               "the order of its vertices",
                               e, negative < positive ? negative : positive);
        }
        if (corners > 1 && middle_sign(mesh, vertex) != (positive > 0 ? 1 : -1)) {
            return pal_fail_at(err, PAL_ERR_INPUT, name, 0,
                               "hexahedron %d (from 0) is twisted; check the order of its vertices",
                               e);
        }
        if (negative > 0) {
            turn(mesh->kind, vertex);
            mesh->turned_count++;
        }
    }
    return PAL_OK;
}

typedef struct element_key { // equal for elements of the same vertices, in whatever order
    uint64_t key;
    int32_t element;
} element_key;

static int compare_keys(const void *a, const void *b) {
    const element_key *left = a, *right = b;
    return left->key != right->key
               ? (left->key > right->key) - (left->key < right->key)
               : (left->element > right->element) - (left->element < right->element);
}

static bool same_vertices(const pal_volmesh *mesh, int32_t a, int32_t b) {
    int nodes = (int)mesh->kind, found = 0;
    for (int i = 0; i < nodes; i++) {
        for (int j = 0; j < nodes; j++) {
            found += pal_volmesh_element(mesh, a)[i] == pal_volmesh_element(mesh, b)[j];
        }
    }
    return found == nodes;
}

static pal_status check_repeats(const pal_volmesh *mesh, const char *name, pal_err *err) {
    element_key *keys = PAL_NEW(element_key, mesh->element_count, err);
    if (keys == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t e = 0; e < mesh->element_count; e++) {
        keys[e].element = e;
        for (int i = 0; i < (int)mesh->kind; i++) { // a sum of well-mixed vertices
            uint64_t mixed = ((uint64_t)pal_volmesh_element(mesh, e)[i] + 1) * 0x9E3779B97F4A7C15u;
            mixed = (mixed ^ mixed >> 29) * 0xBF58476D1CE4E5B9u;
            keys[e].key += mixed ^ mixed >> 32;
        }
    }
    qsort(keys, (size_t)mesh->element_count, sizeof *keys, compare_keys);
    pal_status status = PAL_OK;
    for (int32_t i = 1; i < mesh->element_count && status == PAL_OK; i++) {
        if (keys[i].key == keys[i - 1].key &&
            same_vertices(mesh, keys[i].element, keys[i - 1].element)) {
            status = pal_fail_at(err, PAL_ERR_INPUT, name, 0,
                                 "element %d (from 0) has the same vertices as element %d; each "
                                 "must be there once, in one region",
                                 keys[i].element, keys[i - 1].element);
        }
    }
    free(keys);
    return status;
}

static pal_status drop_vertices(pal_volmesh *mesh, pal_err *err) {
    int32_t *place = PAL_NEW(int32_t, mesh->vertex_count, err);
    if (place == NULL) {
        return PAL_ERR_MEMORY;
    }
    int64_t entries = (int64_t)mesh->element_count * (int)mesh->kind;
    for (int64_t i = 0; i < entries; i++) {
        place[mesh->element[i]] = 1;
    }
    int32_t kept = 0;
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        if (place[v] == 0) {
            continue;
        }
        memmove(mesh->x + 3 * (int64_t)kept, mesh->x + 3 * (int64_t)v, 3 * sizeof(double));
        mesh->file_vertex[kept] = mesh->file_vertex[v];
        place[v] = kept++;
    }
    for (int64_t i = 0; i < entries; i++) {
        mesh->element[i] = place[mesh->element[i]];
    }
    mesh->dropped_count += mesh->vertex_count - kept;
    mesh->vertex_count = kept;
    free(place);
    return PAL_OK;
}

pal_status pal_mesh_tidy(pal_volmesh *mesh, const char *name, pal_err *err) {
    if (mesh->element_count <= 0) {
        return pal_fail_at(err, PAL_ERR_INPUT, name, 0, "has no tetrahedra or hexahedra");
    }
    pal_status status = check_finite(mesh, name, err);
    if (status == PAL_OK) {
        status = check_indices(mesh, name, err);
    }
    if (status == PAL_OK) {
        status = check_repeats(mesh, name, err);
    }
    if (status == PAL_OK) {
        status = turn_elements(mesh, name, err);
    }
    return status == PAL_OK ? drop_vertices(mesh, err) : status;
}
