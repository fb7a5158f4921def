#include "sim/mesh/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/mesh/faces.h"
#include "sim/mesh/keymap.h"
#include "sim/mesh/sets.h"

pal_status pal_surface_alloc(pal_surface *surface, int32_t vertex_count, int32_t triangle_count,
                             pal_err *err) {
    memset(surface, 0, sizeof *surface);
    pal_surface s = {.vertex_count = vertex_count, .triangle_count = triangle_count};
    s.x = PAL_NEW(double, 3 * (size_t)vertex_count, err);
    s.triangle = PAL_NEW(int32_t, 3 * (size_t)triangle_count, err);
    if (s.x == NULL || s.triangle == NULL) {
        pal_surface_free(&s);
        return PAL_ERR_MEMORY;
    }
    *surface = s;
    return PAL_OK;
}

void pal_surface_free(pal_surface *surface) {
    free(surface->x);
    free(surface->triangle);
    memset(surface, 0, sizeof *surface);
}

void pal_surface_box(const pal_surface *surface, double low[3], double high[3]) {
    for (int c = 0; c < 3; c++) {
        low[c] = INFINITY;
        high[c] = -INFINITY;
    }
    for (int64_t i = 0; i < 3 * (int64_t)surface->vertex_count; i++) {
        low[i % 3] = fmin(low[i % 3], surface->x[i]);
        high[i % 3] = fmax(high[i % 3], surface->x[i]);
    }
}

void pal_surface_scale(pal_surface *surface, double factor) {
    for (int64_t i = 0; i < 3 * (int64_t)surface->vertex_count; i++) {
        surface->x[i] *= factor;
    }
    // A mirrored surface is inside out: turn every triangle.
    for (int32_t t = 0; factor < 0.0 && t < surface->triangle_count; t++) {
        int32_t *corner = surface->triangle + 3 * (int64_t)t;
        int32_t swap = corner[1];
        corner[1] = corner[2];
        corner[2] = swap;
    }
}

// Splits each boundary face into triangles over the volume's vertices; returns how many.
static int32_t triangulate(const pal_volmesh *mesh, const int32_t *boundary, int32_t count,
                           int32_t *triangle) {
    const pal_face_table *table = pal_faces_of_kind(mesh->kind);
    int32_t made = 0;
    for (int32_t i = 0; i < count; i++) {
        const int32_t *vertex = pal_volmesh_element(mesh, boundary[i] / table->face_count);
        const int *corner = table->corner[boundary[i] % table->face_count];
        for (int a = 2; a < table->corner_count; a++, made++) {
            triangle[3 * (int64_t)made] = vertex[corner[0]];
            triangle[3 * (int64_t)made + 1] = vertex[corner[a - 1]];
            triangle[3 * (int64_t)made + 2] = vertex[corner[a]];
        }
    }
    return made;
}

pal_status pal_surface_mark(const pal_volmesh *mesh, uint8_t *on_surface, pal_err *err) {
    int32_t *boundary, count;
    pal_status status = pal_boundary_faces(mesh, &boundary, &count, err);
    if (status != PAL_OK) {
        return status;
    }
    memset(on_surface, 0, (size_t)mesh->vertex_count);
    const pal_face_table *table = pal_faces_of_kind(mesh->kind);
    for (int32_t i = 0; i < count; i++) {
        const int32_t *vertex = pal_volmesh_element(mesh, boundary[i] / table->face_count);
        const int *corner = table->corner[boundary[i] % table->face_count];
        for (int a = 0; a < table->corner_count; a++) {
            on_surface[vertex[corner[a]]] = 1;
        }
    }
    free(boundary);
    return PAL_OK;
}

// Copies the vertices that *surface's triangles use (volume indices) and renumbers the triangles.
// volume_vertex [mesh->vertex_count] ends with the volume index of each surface vertex.
static pal_status take_vertices(const pal_volmesh *mesh, pal_surface *surface,
                                int32_t *volume_vertex, pal_err *err) {
    int32_t *place = PAL_NEW(int32_t, mesh->vertex_count, err); // on the surface + 1; 0: not on it
    if (place == NULL) {
        return PAL_ERR_MEMORY;
    }
    int64_t corner_count = 3 * (int64_t)surface->triangle_count;
    for (int64_t i = 0; i < corner_count; i++) {
        place[surface->triangle[i]] = 1;
    }
    int32_t count = 0;
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        if (place[v]) {
            volume_vertex[count++] = v;
            place[v] = count;
        }
    }
    for (int64_t i = 0; i < corner_count; i++) {
        surface->triangle[i] = place[surface->triangle[i]] - 1;
    }
    free(place);
    surface->vertex_count = count;
    surface->x = PAL_NEW(double, 3 * (size_t)count, err);
    if (surface->x == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t v = 0; v < count; v++) {
        memcpy(surface->x + 3 * (int64_t)v, mesh->x + 3 * (int64_t)volume_vertex[v],
               3 * sizeof(double));
    }
    return PAL_OK;
}

pal_status pal_surface_of_faces(const pal_volmesh *mesh, const int32_t *face, int32_t count,
                                pal_surface *surface, int32_t **volume_vertex, pal_err *err) {
    memset(surface, 0, sizeof *surface);
    if (volume_vertex != NULL) {
        *volume_vertex = NULL;
    }
    pal_surface s = {0};
    s.triangle =
        PAL_NEW(int32_t, 3 * (size_t)count * (size_t)(mesh->kind == PAL_TET4 ? 1 : 2), err);
    int32_t *from = PAL_NEW(int32_t, mesh->vertex_count, err);
    pal_status status = s.triangle == NULL || from == NULL ? PAL_ERR_MEMORY : PAL_OK;
    if (status == PAL_OK) {
        s.triangle_count = triangulate(mesh, face, count, s.triangle);
        status = take_vertices(mesh, &s, from, err);
    }
    if (status != PAL_OK) {
        free(from);
        pal_surface_free(&s);
        return status;
    }
    *surface = s;
    if (volume_vertex != NULL) {
        *volume_vertex = from;
    } else {
        free(from);
    }
    return PAL_OK;
}

pal_status pal_surface_of_volmesh(const pal_volmesh *mesh, pal_surface *surface,
                                  int32_t **volume_vertex, pal_err *err) {
    memset(surface, 0, sizeof *surface);
    int32_t *boundary, count;
    pal_status status = pal_boundary_faces(mesh, &boundary, &count, err);
    if (status == PAL_OK) {
        status = pal_surface_of_faces(mesh, boundary, count, surface, volume_vertex, err);
    }
    free(boundary);
    return status;
}

pal_status pal_surface_weld(const pal_surface *surface, int32_t *same, pal_err *err) {
    pal_keymap map;
    int32_t *first = PAL_NEW(int32_t, surface->vertex_count, err); // vertex of each position
    if (first == NULL || pal_keymap_alloc(&map, 6, surface->vertex_count, err) != PAL_OK) {
        free(first);
        return PAL_ERR_MEMORY;
    }
    for (int32_t v = 0; v < surface->vertex_count; v++) {
        double x[3];
        for (int c = 0; c < 3; c++) {
            x[c] = surface->x[3 * (int64_t)v + c] + 0.0; // -0 and 0 are one
        }
        int32_t key[6];
        memcpy(key, x, sizeof key);
        int32_t known = map.count;
        int32_t index = pal_keymap_add(&map, key);
        if (index == known) {
            first[index] = v;
        }
        same[v] = first[index];
    }
    pal_keymap_free(&map);
    free(first);
    return PAL_OK;
}

// parent [vertex_count] is scratch.
static int32_t count_components(const pal_surface *surface, int32_t *parent) {
    for (int32_t v = 0; v < surface->vertex_count; v++) {
        parent[v] = -1; // used by no triangle
    }
    int64_t corner_count = 3 * (int64_t)surface->triangle_count;
    for (int64_t i = 0; i < corner_count; i++) {
        parent[surface->triangle[i]] = surface->triangle[i];
    }
    for (int64_t i = 0; i < corner_count; i++) {
        int32_t a = pal_set_root(parent, surface->triangle[i]);
        parent[a] = pal_set_root(parent, surface->triangle[i - i % 3]);
    }
    int32_t count = 0;
    for (int32_t v = 0; v < surface->vertex_count; v++) {
        count += parent[v] == v;
    }
    return count;
}

// uses [3 * triangle_count] is scratch: in how many triangles each edge is.
static pal_status count_edges(const pal_surface *surface, int32_t *uses,
                              pal_surface_quality *quality, pal_err *err) {
    int32_t corner_count = 3 * surface->triangle_count;
    pal_keymap map;
    if (pal_keymap_alloc(&map, 2, corner_count, err) != PAL_OK) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t i = 0; i < corner_count; i++) {
        int32_t next = i % 3 == 2 ? i - 2 : i + 1;
        int32_t key[2] = {surface->triangle[i], surface->triangle[next]};
        if (key[0] != key[1]) {
            pal_keymap_sort(key, 2);
            uses[pal_keymap_add(&map, key)]++;
        }
    }
    for (int32_t e = 0; e < map.count; e++) {
        quality->open_edges += uses[e] == 1;
        quality->nonmanifold_edges += uses[e] > 2;
    }
    pal_keymap_free(&map);
    return PAL_OK;
}

static void measure_box(const pal_surface *surface, pal_surface_quality *quality) {
    for (int c = 0; c < 3; c++) {
        quality->box_min[c] = surface->vertex_count > 0 ? INFINITY : 0.0;
        quality->box_max[c] = surface->vertex_count > 0 ? -INFINITY : 0.0;
        for (int32_t v = 0; v < surface->vertex_count; v++) {
            double x = surface->x[3 * (int64_t)v + c];
            quality->box_min[c] = fmin(quality->box_min[c], x);
            quality->box_max[c] = fmax(quality->box_max[c], x);
        }
    }
}

// Area, and volume as the sum of tets from the middle of the box (far origins would cost digits).
static void measure_area_volume(const pal_surface *surface, pal_surface_quality *quality) {
    double middle[3];
    for (int c = 0; c < 3; c++) {
        middle[c] = 0.5 * (quality->box_min[c] + quality->box_max[c]);
    }
    for (int32_t t = 0; t < surface->triangle_count; t++) {
        const int32_t *corner = surface->triangle + 3 * (int64_t)t;
        const double *x0 = surface->x + 3 * (int64_t)corner[0];
        double e1[3], e2[3], normal[3], arm[3];
        pal_sub3(surface->x + 3 * (int64_t)corner[1], x0, e1);
        pal_sub3(surface->x + 3 * (int64_t)corner[2], x0, e2);
        pal_cross3(e1, e2, normal);
        pal_sub3(x0, middle, arm);
        quality->area += 0.5 * pal_norm3(normal);
        quality->volume += pal_dot3(arm, normal) / 6.0;
    }
}

pal_status pal_surface_measure(const pal_surface *surface, pal_surface_quality *quality,
                               pal_err *err) {
    memset(quality, 0, sizeof *quality);
    if (surface->triangle_count > INT32_MAX / 3) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED, "%d triangles are too many to measure",
                        surface->triangle_count);
    }
    int32_t *uses = PAL_NEW(int32_t, 3 * (size_t)surface->triangle_count, err);
    int32_t *parent = PAL_NEW(int32_t, surface->vertex_count, err);
    pal_status status = uses == NULL || parent == NULL ? PAL_ERR_MEMORY : PAL_OK;
    if (status == PAL_OK) {
        measure_box(surface, quality);
        measure_area_volume(surface, quality);
        quality->components = count_components(surface, parent);
        status = count_edges(surface, uses, quality, err);
    }
    free(uses);
    free(parent);
    return status;
}
