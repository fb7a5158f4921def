#include "sim/mesh/faces.h"

#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/mesh/keymap.h"

const pal_face_table *pal_faces_of_kind(pal_element_kind kind) {
    static const pal_face_table tet = {4, 3, {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};
    static const pal_face_table hex = {
        6, 4, {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}};
    return kind == PAL_TET4 ? &tet : &hex;
}

int pal_face_vertices(const pal_volmesh *mesh, int32_t face, int32_t vertex[4]) {
    const pal_face_table *table = pal_faces_of_kind(mesh->kind);
    const int32_t *of = pal_volmesh_element(mesh, face / table->face_count);
    const int *corner = table->corner[face % table->face_count];
    for (int a = 0; a < table->corner_count; a++) {
        vertex[a] = of[corner[a]];
    }
    return table->corner_count;
}

// The number of distinct face each face is, same [face_count], in the order of first appearance;
// returns how many in *distinct.
static pal_status number_faces(const pal_volmesh *mesh, int32_t **same, int32_t *distinct,
                               pal_err *err) {
    const pal_face_table *table = pal_faces_of_kind(mesh->kind);
    int64_t face_count = (int64_t)mesh->element_count * table->face_count;
    *same = NULL;
    if (face_count > INT32_MAX) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED, "%d elements are too many for their surface",
                        mesh->element_count);
    }
    pal_keymap map;
    if (pal_keymap_alloc(&map, table->corner_count, (int32_t)face_count, err) != PAL_OK) {
        return PAL_ERR_MEMORY;
    }
    *same = PAL_NEW(int32_t, face_count, err);
    for (int32_t f = 0; *same != NULL && f < (int32_t)face_count; f++) {
        int32_t key[4];
        pal_keymap_sort(key, pal_face_vertices(mesh, f, key));
        (*same)[f] = pal_keymap_add(&map, key);
    }
    *distinct = map.count;
    pal_keymap_free(&map);
    return *same != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

pal_status pal_boundary_faces(const pal_volmesh *mesh, int32_t **boundary, int32_t *count,
                              pal_err *err) {
    int32_t *same, distinct = 0;
    *boundary = NULL;
    *count = 0;
    pal_status status = number_faces(mesh, &same, &distinct, err);
    if (status != PAL_OK) {
        return status;
    }
    int32_t face_count = mesh->element_count * pal_faces_of_kind(mesh->kind)->face_count;
    int32_t *owner = PAL_NEW(int32_t, distinct, err); // face + 1; 0: none yet; -1: two or more
    if (owner == NULL) {
        free(same);
        return PAL_ERR_MEMORY;
    }
    for (int32_t f = 0; f < face_count; f++) {
        owner[same[f]] = owner[same[f]] == 0 ? f + 1 : -1;
    }
    for (int32_t i = 0; i < distinct; i++) {
        if (owner[i] > 0) {
            owner[(*count)++] = owner[i] - 1;
        }
    }
    free(same);
    *boundary = owner;
    return PAL_OK;
}

pal_status pal_face_neighbours(const pal_volmesh *mesh, int32_t **neighbour, pal_err *err) {
    int32_t *same, distinct = 0;
    *neighbour = NULL;
    pal_status status = number_faces(mesh, &same, &distinct, err);
    if (status != PAL_OK) {
        return status;
    }
    int faces = pal_faces_of_kind(mesh->kind)->face_count;
    int32_t face_count = mesh->element_count * faces;
    int32_t *first = PAL_NEW(int32_t, distinct, err); // face + 1; 0: none yet
    int32_t *across = PAL_NEW(int32_t, face_count, err);
    for (int32_t f = 0; first && across && f < face_count; f++) {
        int32_t other = first[same[f]] - 1;
        across[f] = other < 0 ? -1 : other / faces;
        if (other < 0) {
            first[same[f]] = f + 1;
        } else {
            across[other] = f / faces;
        }
    }
    status = first && across ? PAL_OK : PAL_ERR_MEMORY;
    free(first);
    free(same);
    if (status != PAL_OK) {
        free(across);
        across = NULL;
    }
    *neighbour = across;
    return status;
}

double pal_face_area(const pal_volmesh *mesh, int32_t face) {
    int32_t v[4];
    bool is_quad = pal_face_vertices(mesh, face, v) == 4;
    double a[3], b[3], cross[3];
    pal_sub3(mesh->x + 3 * (int64_t)v[is_quad ? 2 : 1], mesh->x + 3 * (int64_t)v[0], a);
    pal_sub3(mesh->x + 3 * (int64_t)v[is_quad ? 3 : 2], mesh->x + 3 * (int64_t)v[is_quad ? 1 : 0],
             b);
    pal_cross3(a, b, cross);
    return 0.5 * pal_norm3(cross);
}
