#include "tests/support/soft_surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "tests/support/check.h"
#include "tests/support/shapes.h"

static double extent(const pal_surface *surface) {
    double size = 0.0;
    for (int32_t i = 0; i < 3 * surface->vertex_count; i++) {
        size = fmax(size, fabs(surface->x[i]));
    }
    return size;
}

void soft_open(soft_surface *soft, int32_t r, test_random *seed) {
    pal_err err;
    pal_surface *surface = &soft->surface;
    soft->basis = PAL_NEW(double, 3 * (size_t)surface->vertex_count * (size_t)r, &err);
    soft->q = PAL_NEW(double, r, &err);
    soft->velocity = PAL_NEW(double, r, &err);
    TEST_ASSERT_TRUE(soft->basis != NULL && soft->q != NULL && soft->velocity != NULL);
    double size = extent(surface);
    for (int32_t l = 0; l < r; l++) {
        double wave[3], way[3], phase = 3.0 * random_number(seed);
        random_fill(seed, 3.0 / size, wave, 3);
        random_fill(seed, 1.0, way, 3);
        for (int32_t v = 0; v < surface->vertex_count; v++) {
            const double *x = surface->x + 3 * v;
            double s = sin(wave[0] * x[0] + wave[1] * x[1] + wave[2] * x[2] + phase);
            for (int c = 0; c < 3; c++) {
                soft->basis[(3 * v + c) * r + l] = way[c] * s;
            }
        }
    }
    pal_body_init_linear(&soft->body, r, surface->vertex_count, surface->triangle_count,
                         surface->triangle, surface->x, soft->basis, soft->q, soft->velocity);
    CHECK_OK(pal_bdtree_build(&soft->body, &soft->tree, &err), err);
}

void soft_open_ball(soft_surface *soft, int n, int32_t r, test_random *seed) {
    memset(soft, 0, sizeof *soft);
    shape_add_sphere(&soft->surface, (double[3]){0.0, 0.0, 0.0}, 1.0, n);
    soft_open(soft, r, seed);
}

void soft_open_box(soft_surface *soft, const int cells[3], const double size[3], int32_t r,
                   test_random *seed) {
    pal_err err;
    pal_volmesh mesh;
    memset(soft, 0, sizeof *soft);
    shape_box(&mesh, PAL_HEX8, cells[0], cells[1], cells[2], size);
    CHECK_OK(pal_surface_of_volmesh(&mesh, &soft->surface, NULL, &err), err);
    pal_volmesh_free(&mesh);
    soft_open(soft, r, seed);
}

void soft_close(soft_surface *soft) {
    pal_bdtree_free(&soft->tree);
    pal_surface_free(&soft->surface);
    free(soft->basis);
    free(soft->q);
    free(soft->velocity);
}

void soft_deform(soft_surface *soft, double size, test_random *seed) {
    int32_t r = soft->body.size;
    random_fill(seed, size / sqrt(r / 6.0), soft->q, (size_t)r);
}
