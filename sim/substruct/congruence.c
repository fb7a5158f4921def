#include "sim/substruct/congruence.h"

#include <lapacke.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/mat3.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

static const double TOLERANCE = 1e-6; // of the r.m.s. distance of the vertices from their mean
static const double same_share = 1e-6;

void pal_vertex_map_close(pal_vertex_map *map) {
    free(map->image);
    free(map->origin);
    free(map->list);
    memset(map, 0, sizeof *map);
}

pal_status pal_vertex_map_open(pal_vertex_map *map, int32_t vertex_count, pal_err *err) {
    *map = (pal_vertex_map){.image = PAL_NEW(int32_t, vertex_count, err),
                            .origin = PAL_NEW(int32_t, vertex_count, err),
                            .list = PAL_NEW(int32_t, vertex_count, err)};
    if (map->image == NULL || map->origin == NULL || map->list == NULL) {
        pal_vertex_map_close(map);
        return PAL_ERR_MEMORY;
    }
    for (int32_t v = 0; v < vertex_count; v++) {
        map->image[v] = map->origin[v] = -1;
    }
    return PAL_OK;
}

static void forget(pal_vertex_map *map) {
    for (int32_t k = 0; k < map->count; k++) {
        map->origin[map->image[map->list[k]]] = -1;
        map->image[map->list[k]] = -1;
    }
    map->count = 0;
}

static void say(pal_congruence *found, const char *format, ...) PAL_PRINTF(2, 3);
static void say(pal_congruence *found, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(found->why, sizeof found->why, format, arguments);
    va_end(arguments);
    found->holds = false;
}

// Corner by corner: each vertex of a is always the same one of b, and the other way round.
static void match(const pal_volmesh *mesh, int32_t count, const int32_t *a, const int32_t *b,
                  pal_vertex_map *map, pal_congruence *found) {
    for (int32_t k = 0; k < count && found->holds; k++) {
        if (mesh->region[a[k]] != mesh->region[b[k]]) {
            say(found, "element %d is of another region than element %d", (int)b[k], (int)a[k]);
        }
        if (fabs(pal_volmesh_share(mesh, a[k]) - pal_volmesh_share(mesh, b[k])) > same_share) {
            say(found, "element %d is filled to %.6g and element %d to %.6g", (int)b[k],
                pal_volmesh_share(mesh, b[k]), (int)a[k], pal_volmesh_share(mesh, a[k]));
        }
        for (int c = 0; c < (int)mesh->kind && found->holds; c++) {
            const int32_t p = pal_volmesh_element(mesh, a[k])[c];
            const int32_t q = pal_volmesh_element(mesh, b[k])[c];
            if (map->image[p] < 0 && map->origin[q] < 0) {
                map->image[p] = q;
                map->origin[q] = p;
                map->list[map->count++] = p;
            } else if (map->image[p] != q) {
                say(found,
                    "its elements are others, or in another order: element %d is not joined to the "
                    "ones before it as element %d is",
                    (int)b[k], (int)a[k]);
            }
        }
    }
}

static void find_centres(const pal_volmesh *mesh, const pal_vertex_map *map,
                         pal_congruence *found) {
    for (int32_t k = 0; k < map->count; k++) {
        const int64_t p = map->list[k], q = map->image[p];
        for (int c = 0; c < 3; c++) {
            found->centre_a[c] += mesh->x[3 * p + c] / map->count;
            found->centre_b[c] += mesh->x[3 * q + c] / map->count;
        }
    }
}

// Where the vertices of a pair are, from their centres.
static void offsets(const pal_volmesh *mesh, const pal_vertex_map *map, const pal_congruence *found,
                    int32_t k, double a[3], double b[3]) {
    const int64_t p = map->list[k], q = map->image[p];
    pal_sub3(mesh->x + 3 * p, found->centre_a, a);
    pal_sub3(mesh->x + 3 * q, found->centre_b, b);
}

// The rotation and scale that fit best; *size is the r.m.s. distance of b's vertices.
static pal_status fit(const pal_volmesh *mesh, const pal_vertex_map *map, pal_congruence *found,
                      double *size, pal_err *err) {
    double cross[3][3] = {{0}}, square[2] = {0}, value[3], u[3][3], vt[3][3], spare[2];
    for (int32_t k = 0; k < map->count; k++) {
        double a[3], b[3];
        offsets(mesh, map, found, k, a, b);
        square[0] += pal_dot3(a, a);
        square[1] += pal_dot3(b, b);
        for (int i = 0; i < 9; i++) {
            cross[i / 3][i % 3] += b[i / 3] * a[i % 3];
        }
    }
    if (LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'A', 'A', 3, 3, &cross[0][0], 3, value, &u[0][0], 3,
                       &vt[0][0], 3, spare) != 0) {
        return pal_fail(err, PAL_ERR_NUMERIC, "the rotation of a domain was not found");
    }
    const double sign = pal_mat3_det(u) * pal_mat3_det(vt) < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 9; i++) {
        const int r = i / 3, c = i % 3;
        found->turn[r][c] = u[r][0] * vt[0][c] + u[r][1] * vt[1][c] + sign * u[r][2] * vt[2][c];
    }
    found->scale = sqrt(square[1] / square[0]);
    *size = sqrt(square[1] / map->count);
    return PAL_OK;
}

static void measure(const pal_volmesh *mesh, const pal_vertex_map *map, double size,
                    pal_congruence *found) {
    int32_t worst = 0;
    for (int32_t k = 0; k < map->count; k++) {
        double a[3], b[3], away[3];
        offsets(mesh, map, found, k, a, b);
        for (int c = 0; c < 3; c++) {
            away[c] = b[c] - found->scale * pal_dot3(found->turn[c], a);
        }
        const double far = pal_norm3(away);
        worst = far > found->worst ? k : worst;
        found->worst = fmax(found->worst, far);
    }
    if (!(found->worst <= TOLERANCE * size)) {
        const int32_t p = map->list[worst];
        say(found,
            "vertex %d is %.3g mm from where a rotation and the scale %.6g take vertex %d; %.2g mm "
            "would do",
            (int)map->image[p], 1e3 * found->worst, found->scale, (int)p, 1e3 * TOLERANCE * size);
    }
}

pal_status pal_congruence_find(const pal_volmesh *mesh, int32_t count, const int32_t *a,
                               const int32_t *b, pal_vertex_map *map, pal_congruence *found,
                               pal_err *err) {
    double size;
    *found = (pal_congruence){.holds = true};
    forget(map);
    match(mesh, count, a, b, map, found);
    if (!found->holds) {
        return PAL_OK;
    }
    find_centres(mesh, map, found);
    pal_status status = fit(mesh, map, found, &size, err);
    if (status == PAL_OK) {
        measure(mesh, map, size, found);
    }
    return status;
}
