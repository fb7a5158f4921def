// What there is to say about a mesh: components, volume, edges, angles.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/mat3.h"
#include "sim/base/memory.h"
#include "sim/mesh/corner.h"
#include "sim/mesh/hex.h"
#include "sim/mesh/keymap.h"
#include "sim/mesh/sets.h"
#include "sim/mesh/tidy.h"

// Joins two sets; the smaller root stays, so that roots come first in their sets.
static void join(int32_t *parent, int32_t a, int32_t b) {
    a = pal_set_root(parent, a);
    b = pal_set_root(parent, b);
    if (a < b) {
        parent[b] = a;
    } else {
        parent[a] = b;
    }
}

static int32_t *new_sets(int32_t count, pal_err *err) {
    int32_t *parent = PAL_NEW(int32_t, count, err);
    for (int32_t i = 0; parent != NULL && i < count; i++) {
        parent[i] = i;
    }
    return parent;
}

static int32_t count_sets(int32_t *parent, int32_t count) {
    int32_t sets = 0;
    for (int32_t i = 0; i < count; i++) {
        sets += parent[i] == i;
    }
    return sets;
}

pal_status pal_mesh_components(const pal_volmesh *mesh, int32_t *component, int32_t *count,
                               pal_err *err) {
    *count = 0;
    int32_t *parent = new_sets(mesh->vertex_count, err);
    if (parent == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t e = 0; e < mesh->element_count; e++) {
        const int32_t *vertex = pal_volmesh_element(mesh, e);
        for (int i = 1; i < (int)mesh->kind; i++) {
            join(parent, vertex[0], vertex[i]);
        }
    }
    // roots are numbered as they come, before the rest of their sets
    for (int32_t v = 0; v < mesh->vertex_count && component != NULL; v++) {
        int32_t root = pal_set_root(parent, v);
        component[v] = root == v ? (*count)++ : component[root];
    }
    *count = count_sets(parent, mesh->vertex_count);
    free(parent);
    return PAL_OK;
}

typedef struct face { // of one element; vertices ascending, the fourth of a triangle is -1
    int32_t vertex[4];
    int32_t element;
} face;

static const int8_t tet_face[4][4] = {{1, 2, 3, -1}, {0, 2, 3, -1}, {0, 1, 3, -1}, {0, 1, 2, -1}};
static const int8_t hex_face[6][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                      {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

// Any total order that puts equal faces side by side.
static int compare_faces(const void *a, const void *b) {
    return memcmp(((const face *)a)->vertex, ((const face *)b)->vertex, sizeof(int32_t[4]));
}

static void list_faces(const pal_volmesh *mesh, face *faces) {
    bool tets = mesh->kind == PAL_TET4;
    int sides = tets ? 4 : 6, corners = tets ? 3 : 4;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        const int32_t *vertex = pal_volmesh_element(mesh, e);
        for (int s = 0; s < sides; s++) {
            face *f = &faces[(int64_t)e * sides + s];
            *f = (face){.vertex = {-1, -1, -1, -1}, .element = e};
            for (int i = 0; i < corners; i++) {
                f->vertex[i] = vertex[tets ? tet_face[s][i] : hex_face[s][i]];
            }
            pal_keymap_sort(f->vertex, corners);
        }
    }
}

static pal_status count_face_components(const pal_volmesh *mesh, int32_t *count, pal_err *err) {
    int64_t face_count = (int64_t)mesh->element_count * (mesh->kind == PAL_TET4 ? 4 : 6);
    face *faces = PAL_NEW(face, face_count, err);
    int32_t *parent = new_sets(mesh->element_count, err);
    if (faces == NULL || parent == NULL) {
        free(faces);
        free(parent);
        return PAL_ERR_MEMORY;
    }
    list_faces(mesh, faces);
    qsort(faces, (size_t)face_count, sizeof *faces, compare_faces);
    for (int64_t i = 1; i < face_count; i++) {
        if (compare_faces(&faces[i - 1], &faces[i]) == 0) {
            join(parent, faces[i - 1].element, faces[i].element);
        }
    }
    *count = count_sets(parent, mesh->element_count);
    free(faces);
    free(parent);
    return PAL_OK;
}

// The volume of a hexahedron: its Jacobian is quadratic in each direction, so that two Gauss points
// each way are exact.
static double hex_volume(const pal_volmesh *mesh, const int32_t *vertex) {
    const double gauss[2] = {0.5 - sqrt(1.0 / 12.0), 0.5 + sqrt(1.0 / 12.0)};
    double volume = 0.0;
    for (int point = 0; point < 8; point++) {
        const int *place = pal_hex_corner[point];
        const double xi[3] = {gauss[place[0]], gauss[place[1]], gauss[place[2]]};
        double shape[8], slope[8][3], jacobian[3][3] = {{0.0}};
        pal_hex_shape(xi, shape, slope);
        for (int i = 0; i < 8; i++) {
            for (int rc = 0; rc < 9; rc++) {
                double x = mesh->x[3 * (int64_t)vertex[i] + rc / 3];
                jacobian[rc / 3][rc % 3] += x * slope[i][rc % 3];
            }
        }
        volume += pal_mat3_det(jacobian) / 8.0;
    }
    return volume;
}

// The angle in degrees between the planes (along, a) and (along, b), about the edge `along`.
static double dihedral(const double *along, const double *a, const double *b) {
    double normal_a[3], normal_b[3], across[3];
    pal_cross3(along, a, normal_a);
    pal_cross3(along, b, normal_b);
    pal_cross3(normal_a, normal_b, across);
    return atan2(pal_norm3(across), pal_dot3(normal_a, normal_b)) * (180.0 / acos(-1.0));
}

// Takes one element into the sums and extremes; *worst is how far its angles are from regular ones.
static void measure_element(const pal_volmesh *mesh, int32_t e, double regular,
                            pal_mesh_quality *quality, double *worst) {
    const int32_t *vertex = pal_volmesh_element(mesh, e);
    double edge[3][3];
    bool inverted = false;
    *worst = 0.0;
    for (int corner = 0; corner < (int)mesh->kind; corner++) {
        pal_corner_edges(mesh, vertex, corner, edge);
        double det = pal_mat3_det(edge);
        inverted = inverted || !(det > 0.0);
        if (mesh->kind == PAL_TET4 && corner == 0) {
            quality->volume += pal_volmesh_share(mesh, e) * (det / 6.0);
        }
        for (int i = 0; i < 3; i++) {
            double length = pal_norm3(edge[i]);
            double angle = dihedral(edge[i], edge[(i + 1) % 3], edge[(i + 2) % 3]);
            quality->min_edge = fmin(quality->min_edge, length);
            quality->max_edge = fmax(quality->max_edge, length);
            quality->min_dihedral_degrees = fmin(quality->min_dihedral_degrees, angle);
            quality->max_dihedral_degrees = fmax(quality->max_dihedral_degrees, angle);
            *worst = fmax(*worst, fabs(angle - regular));
        }
    }
    quality->inverted_count += inverted;
    if (mesh->kind == PAL_HEX8) {
        quality->volume += pal_volmesh_share(mesh, e) * hex_volume(mesh, vertex);
    }
}

pal_status pal_mesh_measure(const pal_volmesh *mesh, pal_mesh_quality *quality, pal_err *err) {
    memset(quality, 0, sizeof *quality);
    pal_status status = pal_mesh_components(mesh, NULL, &quality->components, err);
    if (status == PAL_OK) {
        status = count_face_components(mesh, &quality->face_components, err);
    }
    if (status != PAL_OK || mesh->element_count == 0) {
        return status;
    }
    for (int c = 0; c < 3; c++) {
        quality->box_min[c] = DBL_MAX;
        quality->box_max[c] = -DBL_MAX;
    }
    for (int64_t i = 0; i < 3 * (int64_t)mesh->vertex_count; i++) {
        quality->box_min[i % 3] = fmin(quality->box_min[i % 3], mesh->x[i]);
        quality->box_max[i % 3] = fmax(quality->box_max[i % 3], mesh->x[i]);
    }
    quality->min_edge = DBL_MAX;
    quality->min_dihedral_degrees = 180.0;
    const double regular = mesh->kind == PAL_TET4 ? acos(1.0 / 3.0) * (180.0 / acos(-1.0)) : 90.0;
    double farthest = -1.0, distance;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        measure_element(mesh, e, regular, quality, &distance);
        if (distance > farthest + 1e-9) { // the first one, whatever rounding does
            farthest = distance;
            quality->worst_element = e;
        }
    }
    return PAL_OK;
}
