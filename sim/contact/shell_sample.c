#include "sim/contact/shell_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/rng.h"
#include "sim/base/vec3.h"

// ---- Cells of space -----------------------------------------------------------------------------

pal_status pal_shell_grid_open(pal_shell_grid *grid, int32_t room, pal_err *err) {
    int32_t buckets = 1024;
    while (buckets < room && buckets < (1 << 24)) {
        buckets *= 2;
    }
    *grid = (pal_shell_grid){.mask = buckets - 1, .room = room};
    grid->head = PAL_NEW(int32_t, buckets, err);
    grid->next = PAL_NEW(int32_t, room, err);
    return grid->head != NULL && grid->next != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

void pal_shell_grid_clear(pal_shell_grid *grid, double size) {
    grid->size = size;
    memset(grid->head, -1, ((size_t)grid->mask + 1) * sizeof *grid->head);
}

static int64_t cell_of(const pal_shell_grid *grid, double x) {
    return (int64_t)floor(x / grid->size);
}

static int32_t bucket_of(const pal_shell_grid *grid, int64_t i, int64_t j, int64_t k) {
    uint64_t hash = (uint64_t)i * 0x9e3779b97f4a7c15u + (uint64_t)j * 0xc2b2ae3d27d4eb4fu +
                    (uint64_t)k * 0x165667b19e3779f9u;
    return (int32_t)((hash ^ (hash >> 29)) & (uint64_t)grid->mask);
}

void pal_shell_grid_add(pal_shell_grid *grid, const double x[3], int32_t index) {
    int32_t bucket = bucket_of(grid, cell_of(grid, x[0]), cell_of(grid, x[1]), cell_of(grid, x[2]));
    grid->next[index] = grid->head[bucket];
    grid->head[bucket] = index;
}

void pal_shell_grid_close(pal_shell_grid *grid) {
    free(grid->head);
    free(grid->next);
    memset(grid, 0, sizeof *grid);
}

bool pal_shell_grid_visit(const pal_shell_grid *grid, const double x[3], int rings,
                          bool (*visit)(void *context, int32_t index), void *context) {
    const int64_t at[3] = {cell_of(grid, x[0]), cell_of(grid, x[1]), cell_of(grid, x[2])};
    for (int64_t i = at[0] - rings; i <= at[0] + rings; i++) {
        for (int64_t j = at[1] - rings; j <= at[1] + rings; j++) {
            for (int64_t k = at[2] - rings; k <= at[2] + rings; k++) {
                for (int32_t p = grid->head[bucket_of(grid, i, j, k)]; p >= 0; p = grid->next[p]) {
                    if (!visit(context, p)) {
                        return false;
                    }
                }
            }
        }
    }
    return true;
}

// ---- Places -------------------------------------------------------------------------------------

// The unit normal of a triangle at rest; returns its area.
static double triangle_normal(const pal_body *body, int32_t triangle, double normal[3]) {
    const int32_t *corner = body->triangle + 3 * (int64_t)triangle;
    double e1[3], e2[3];
    pal_sub3(body->rest + 3 * (int64_t)corner[1], body->rest + 3 * (int64_t)corner[0], e1);
    pal_sub3(body->rest + 3 * (int64_t)corner[2], body->rest + 3 * (int64_t)corner[0], e2);
    pal_cross3(e1, e2, normal);
    const double length = pal_norm3(normal);
    for (int c = 0; c < 3; c++) {
        normal[c] = length > 0.0 ? normal[c] / length : 0.0;
    }
    return 0.5 * length;
}

double pal_shell_surface_area(const pal_body *body) {
    double area = 0.0, normal[3];
    for (int32_t t = 0; t < body->triangle_count; t++) {
        area += triangle_normal(body, t, normal);
    }
    return area;
}

// Two unit vectors across the third.
static void complete_axes(double axis[3][3]) {
    const double *n = axis[2];
    const int least = fabs(n[0]) < fabs(n[1]) ? (fabs(n[0]) < fabs(n[2]) ? 0 : 2)
                                              : (fabs(n[1]) < fabs(n[2]) ? 1 : 2);
    double unit[3] = {0.0};
    unit[least] = 1.0;
    pal_cross3(n, unit, axis[0]);
    const double length = pal_norm3(axis[0]);
    for (int c = 0; c < 3; c++) {
        axis[0][c] /= length;
    }
    pal_cross3(n, axis[0], axis[1]);
}

// A random place of a triangle.
static void fill_place(const pal_body *body, int32_t triangle, const double normal[3], pal_rng *rng,
                       pal_shell_point *place) {
    const double root = sqrt(pal_rng_uniform(rng, 0.0, 1.0));
    const double part = pal_rng_uniform(rng, 0.0, 1.0);
    *place = (pal_shell_point){.triangle = triangle,
                               .parent = -1,
                               .weight = {1.0 - root, root * (1.0 - part), root * part}};
    for (int k = 0; k < 3; k++) {
        const int32_t p = body->triangle[3 * (int64_t)triangle + k];
        for (int c = 0; c < 3; c++) {
            place->x[c] += place->weight[k] * body->rest[3 * (int64_t)p + c];
        }
    }
    memcpy(place->axis[2], normal, sizeof place->axis[2]);
    complete_axes(place->axis);
}

pal_status pal_shell_crowd_make(const pal_body *body, int32_t count, pal_shell_crowd *crowd,
                                pal_err *err) {
    *crowd = (pal_shell_crowd){.area = pal_shell_surface_area(body), .count = count};
    crowd->place = PAL_NEW(pal_shell_point, count, err);
    if (crowd->place == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_rng rng = pal_rng_make(1, 0);
    double passed = 0.0, normal[3];
    int32_t made = 0;
    for (int32_t t = 0; t < body->triangle_count; t++) {
        passed += triangle_normal(body, t, normal);
        while (made < count && (made + 0.5) * crowd->area < passed * count) {
            fill_place(body, t, normal, &rng, &crowd->place[made++]);
        }
    }
    crowd->count = made; // less by one where rounding left the last one out
    for (int32_t i = made - 1; i > 0; i--) {
        const int32_t j = (int32_t)(pal_rng_next(&rng) % (uint64_t)(i + 1));
        const pal_shell_point swap = crowd->place[i];
        crowd->place[i] = crowd->place[j];
        crowd->place[j] = swap;
    }
    return PAL_OK;
}

void pal_shell_crowd_free(pal_shell_crowd *crowd) {
    free(crowd->place);
    memset(crowd, 0, sizeof *crowd);
}
