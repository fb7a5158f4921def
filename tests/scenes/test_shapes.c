// The procedural shapes: closed solids of the paper's sizes [BJ05 table 1].
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scenes/polygonize.h"
#include "scenes/shapes.h"
#include "sim/base/memory.h"
#include "sim/mesh/tidy.h"
#include "sim/mesh/voxelize.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

static const struct {
    const char *name;
    int triangles; // 0: any
    int resolution, voxels;
} sizes[] = {
    {"block", 0, 40, 20480}, {"bridge", 59630, 128, 5854},  {"heart", 23616, 80, 14444},
    {"hook", 0, 100, 2898},  {"liver", 0, 33, 5000},        {"spoon", 6638, 100, 2005},
    {"strip", 0, 36, 2520},  {"tower", 105788, 140, 11304},
};
enum { SHAPES = sizeof sizes / sizeof *sizes };

static void check_within(const char *name, const char *what, double value, double wanted,
                         double share) {
    char message[200];
    snprintf(message, sizeof message, "%s: %g %s, %g wanted", name, value, what, wanted);
    TEST_ASSERT_TRUE_MESSAGE(fabs(value - wanted) <= share * wanted, message);
}

static void check_shape(int i) {
    const double size = 0.3;
    pal_surface surface;
    pal_err err = {0};
    CHECK_OK(pal_shape_make(sizes[i].name, size, &surface, &err), err);
    pal_surface_quality quality;
    CHECK_OK(pal_surface_measure(&surface, &quality, &err), err);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, quality.open_edges, sizes[i].name);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, quality.nonmanifold_edges, sizes[i].name);
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, quality.components, sizes[i].name);
    TEST_ASSERT_TRUE_MESSAGE(quality.volume > 0.0, sizes[i].name);
    double longest = 0.0;
    for (int c = 0; c < 3; c++) {
        TEST_ASSERT_TRUE(fabs(quality.box_min[c]) < 1e-12);
        longest = fmax(longest, quality.box_max[c]);
    }
    check_within(sizes[i].name, "m", longest, size, 1e-12);
    if (sizes[i].triangles > 0) {
        check_within(sizes[i].name, "triangles", surface.triangle_count, sizes[i].triangles, 0.15);
    }
    pal_volmesh mesh;
    CHECK_OK(pal_voxelize(&surface, sizes[i].resolution, PAL_FILL_WHOLE, NULL, &mesh, &err), err);
    check_within(sizes[i].name, "voxels", mesh.element_count, sizes[i].voxels, 0.10);
    pal_mesh_quality solid;
    CHECK_OK(pal_mesh_measure(&mesh, &solid, &err), err);
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, solid.face_components, sizes[i].name);
    pal_volmesh_free(&mesh);
    pal_surface_free(&surface);
}

static void test_every_shape_is_closed_whole_and_of_the_papers_size(void) {
    for (int i = 0; i < SHAPES; i++) {
        check_shape(i);
    }
}

static void test_every_shape_is_in_the_table_of_this_test_and_sorted(void) {
    for (int i = 0; i < SHAPES; i++) {
        TEST_ASSERT_NOT_NULL(pal_shape_at(i));
        TEST_ASSERT_EQUAL_STRING(sizes[i].name, pal_shape_at(i)->name);
    }
    TEST_ASSERT_NULL(pal_shape_at(SHAPES));
    TEST_ASSERT_NULL(pal_shape_at(-1));
}

static void test_an_unknown_shape_names_the_known_ones(void) {
    pal_surface surface;
    pal_err err;
    pal_status status = pal_shape_make("fork", 1.0, &surface, &err);
    CHECK_FAILS(PAL_ERR_INPUT, "unknown shape 'fork'; known shapes: block, bridge, heart", status,
                err);
    TEST_ASSERT_NULL(surface.x);
}

static void test_a_ball_has_the_area_and_volume_of_a_ball(void) {
    const double pi = 3.14159265358979;
    pal_solid solid = {0};
    pal_err err = {0};
    pal_surface surface;
    pal_surface_quality quality;
    pal_solid_cone(&solid, (const double[]){1, 2, 3}, 2.0, (const double[]){1, 2, 3}, 2.0);
    CHECK_OK(pal_polygonize(&solid, 0.1, &surface, &err), err);
    CHECK_OK(pal_surface_measure(&surface, &quality, &err), err);
    check_within("ball", "m2", quality.area, 16.0 * pi, 0.005);
    check_within("ball", "m3", quality.volume, 32.0 / 3.0 * pi, 0.005);
    for (int v = 0; v < surface.vertex_count; v++) {
        double *x = surface.x + 3 * v;
        double r =
            sqrt((x[0] - 1) * (x[0] - 1) + (x[1] - 2) * (x[1] - 2) + (x[2] - 3) * (x[2] - 3));
        TEST_ASSERT_TRUE_MESSAGE(fabs(r - 2.0) < 1e-3, "a vertex is off the ball");
    }
    pal_surface_free(&surface);
    pal_solid_free(&solid);
}

// Two balls that touch in a point, and a pair of crossed bars that touch along lines of the grid.
static void test_parts_that_touch_give_a_manifold(void) {
    for (int i = 0; i < 40; i++) {
        pal_solid solid = {0};
        pal_err err = {0};
        pal_surface surface;
        pal_surface_quality quality;
        double gap = 0.05 * i - 1.0;
        pal_solid_cone(&solid, (const double[]){0, 0, 0}, 1, (const double[]){0, 0, 0}, 1);
        pal_solid_cone(&solid, (const double[]){1.3 + gap, 1.2, 0.9}, 1,
                       (const double[]){1.3 + gap, 1.2, 0.9}, 1);
        pal_solid_box(&solid, (const double[]){-1 - gap, -1, -1}, (const double[]){1, 0.3, 0.3}, 0);
        CHECK_OK(pal_polygonize(&solid, 0.31, &surface, &err), err);
        CHECK_OK(pal_surface_measure(&surface, &quality, &err), err);
        TEST_ASSERT_EQUAL_INT(0, quality.open_edges);
        TEST_ASSERT_EQUAL_INT(0, quality.nonmanifold_edges);
        pal_surface_free(&surface);
        pal_solid_free(&solid);
    }
}

static void test_what_is_empty_or_far_too_fine_is_an_error(void) {
    pal_err err;
    pal_surface surface;
    pal_solid solid = {0};
    TEST_ASSERT_TRUE(pal_polygonize(&solid, 1.0, &surface, &err) != PAL_OK);
    pal_solid_cone(&solid, (const double[]){0, 0, 0}, 1, (const double[]){0, 0, 0}, 1);
    CHECK_FAILS(PAL_ERR_USAGE, "larger cells", pal_polygonize(&solid, 1e-6, &surface, &err), err);
    CHECK_FAILS(PAL_ERR_USAGE, "larger cells", pal_polygonize(&solid, 1e-3, &surface, &err), err);
    pal_solid_free(&solid);
}

static void test_running_out_of_memory_is_told_and_leaks_nothing(void) {
    pal_status status = PAL_ERR_MEMORY;
    for (long allowed = 0; allowed < 100 && status != PAL_OK; allowed++) {
        pal_err err;
        pal_surface surface;
        pal_memory_fail_after(allowed);
        status = pal_shape_make("liver", 1.0, &surface, &err);
        pal_memory_fail_after(-1);
        if (status != PAL_OK) {
            TEST_ASSERT_EQUAL_INT(PAL_ERR_MEMORY, status);
            TEST_ASSERT_NULL(surface.x);
        } else {
            pal_surface_free(&surface);
        }
    }
    TEST_ASSERT_EQUAL_INT(PAL_OK, status);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_every_shape_is_closed_whole_and_of_the_papers_size);
    RUN_TEST(test_every_shape_is_in_the_table_of_this_test_and_sorted);
    RUN_TEST(test_an_unknown_shape_names_the_known_ones);
    RUN_TEST(test_a_ball_has_the_area_and_volume_of_a_ball);
    RUN_TEST(test_parts_that_touch_give_a_manifold);
    RUN_TEST(test_what_is_empty_or_far_too_fine_is_an_error);
    RUN_TEST(test_running_out_of_memory_is_told_and_leaks_nothing);
    return UNITY_END();
}
