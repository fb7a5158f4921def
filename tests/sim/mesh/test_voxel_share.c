// Shares of voxels: how much of each is inside the surface.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/mesh/tidy.h"
#include "sim/mesh/voxel_share.h"
#include "tests/support/check.h"
#include "tests/support/shapes.h"

static pal_surface surface;
static pal_volmesh mesh;
static pal_err err;

void setUp(void) {
    memset(&surface, 0, sizeof surface);
    memset(&mesh, 0, sizeof mesh);
}

void tearDown(void) {
    pal_memory_fail_after(-1);
    pal_surface_free(&surface);
    pal_volmesh_free(&mesh);
}

static double fill(int32_t resolution, pal_fill way) {
    pal_mesh_quality quality;
    pal_volmesh_free(&mesh);
    CHECK_OK(pal_voxelize(&surface, resolution, way, NULL, &mesh, &err), err);
    CHECK_OK(pal_mesh_measure(&mesh, &quality, &err), err);
    for (int32_t e = 0; mesh.share != NULL && e < mesh.element_count; e++) {
        TEST_ASSERT_TRUE(mesh.share[e] >= PAL_SHARE_FLOOR && mesh.share[e] <= 1.0);
    }
    return quality.volume;
}

static double volume_of_surface(void) {
    pal_surface_quality quality;
    CHECK_OK(pal_surface_measure(&surface, &quality, &err), err);
    return quality.volume;
}

static void test_a_sphere_has_its_volume_at_every_resolution(void) {
    shape_add_sphere(&surface, (double[]){0.1, -0.2, 0.3}, 0.05, 24);
    const double volume = volume_of_surface();
    static const int32_t resolution[] = {6, 9, 16, 33, 50};
    for (int i = 0; i < 5; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(0.01 * volume, volume, fill(resolution[i], PAL_FILL_SHARE));
        TEST_ASSERT_NOT_NULL(mesh.share);
        TEST_ASSERT_TRUE(fill(resolution[i], PAL_FILL_WHOLE) >
                         (1.0 + 1.5 / resolution[i]) * volume);
        TEST_ASSERT_NULL(mesh.share);
    }
}

// A wall across an axis is exact, wherever it lies in its voxels.
static void test_boxes_are_exact_whatever_their_sides(void) {
    for (int i = 1; i < 10; i++) {
        const double side[3] = {1.0, 0.2 + 0.0137 * i, 0.5 - 0.0291 * i};
        pal_surface_free(&surface);
        shape_add_box(&surface, (const double[]){0, 0, 0}, side);
        const double volume = side[0] * side[1] * side[2];
        TEST_ASSERT_DOUBLE_WITHIN(2e-3 * volume, volume, fill(20, PAL_FILL_SHARE));
    }
}

// Turned, so that no wall is across an axis; and the same inside out.
static void test_a_turned_box_has_its_volume_whichever_way_it_faces(void) {
    shape_add_box(&surface, (const double[]){0, 0, 0}, (const double[]){1.0, 0.4, 0.3});
    const double turn[3][3] = {{0.8, -0.6, 0.0}, {0.48, 0.64, -0.6}, {0.36, 0.48, 0.8}};
    for (int32_t v = 0; v < surface.vertex_count; v++) {
        double x[3], *at = surface.x + 3 * v;
        memcpy(x, at, sizeof x);
        for (int c = 0; c < 3; c++) {
            at[c] = turn[c][0] * x[0] + turn[c][1] * x[1] + turn[c][2] * x[2];
        }
    }
    const double volume = fill(20, PAL_FILL_SHARE);
    TEST_ASSERT_DOUBLE_WITHIN(0.01 * 0.12, 0.12, volume);
    for (int32_t t = 0; t < surface.triangle_count; t++) {
        int32_t kept = surface.triangle[3 * t];
        surface.triangle[3 * t] = surface.triangle[3 * t + 1];
        surface.triangle[3 * t + 1] = kept;
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, volume, fill(20, PAL_FILL_SHARE));
}

static void test_what_overlaps_counts_once_and_cavities_are_filled(void) {
    shape_add_box(&surface, (const double[]){0, 0, 0}, (const double[]){0.61, 0.33, 0.33});
    shape_add_box(&surface, (const double[]){0.37, 0.02, 0.01}, (const double[]){1, 0.27, 0.29});
    const double sum = 0.61 * 0.33 * 0.33 + 0.39 * 0.25 * 0.28;
    TEST_ASSERT_DOUBLE_WITHIN(2e-3 * sum, sum, fill(24, PAL_FILL_SHARE));
    pal_surface_free(&surface);
    shape_add_sphere(&surface, (const double[]){0, 0, 0}, 1.0, 16);
    const double whole = fill(20, PAL_FILL_SHARE);
    shape_add_sphere(&surface, (const double[]){0, 0, 0}, 0.6, 16);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, whole, fill(20, PAL_FILL_SHARE));
}

// A sheet thinner than a voxel keeps every voxel that it goes through, with what it has of it.
static void test_a_sheet_thinner_than_a_voxel_stays(void) {
    shape_add_box(&surface, (const double[]){0, 0, 0}, (const double[]){1, 1, 0.013});
    const double volume = fill(16, PAL_FILL_SHARE);
    TEST_ASSERT_EQUAL_INT(16 * 16, mesh.element_count);
    TEST_ASSERT_DOUBLE_WITHIN(2e-3 * 0.013, 0.013, volume);
}

static void test_an_open_surface_has_no_shares(void) {
    shape_add_box(&surface, (const double[]){0, 0, 0}, (const double[]){1, 0.5, 0.5});
    surface.triangle_count--;
    TEST_ASSERT_TRUE(fill(10, PAL_FILL_AUTO) >= 0.25);
    TEST_ASSERT_NULL(mesh.share);
    pal_volmesh_free(&mesh);
    CHECK_FAILS(PAL_ERR_INPUT, "the surface is open (3 edges of one triangle)",
                pal_voxelize(&surface, 10, PAL_FILL_SHARE, NULL, &mesh, &err), err);
    surface.triangle_count++;
    TEST_ASSERT_TRUE(fill(11, PAL_FILL_AUTO) < 0.2501);
    TEST_ASSERT_NOT_NULL(mesh.share);
}

static void test_shares_of_whole_elements_are_not_kept(void) {
    pal_volmesh copy = {0};
    shape_box(&mesh, PAL_HEX8, 2, 1, 1, (double[3]){2, 1, 1});
    mesh.share = PAL_NEW(double, 2, &err);
    mesh.share[0] = 0.5;
    mesh.share[1] = 1.0;
    copy.element_count = 1;
    CHECK_OK(pal_volmesh_copy_share(&mesh, (const int32_t[]){1}, &copy, &err), err);
    TEST_ASSERT_NULL(copy.share);
    CHECK_OK(pal_volmesh_copy_share(&mesh, (const int32_t[]){0}, &copy, &err), err);
    TEST_ASSERT_TRUE(copy.share[0] == 0.5);
    free(copy.share);
}

static void test_every_allocation_may_fail(void) {
    shape_add_sphere(&surface, (const double[]){0, 0, 0}, 1.0, 4);
    pal_status status = PAL_ERR_MEMORY;
    for (long n = 0; status != PAL_OK && n < 200; n++) {
        pal_memory_fail_after(n);
        status = pal_voxelize(&surface, 4, PAL_FILL_SHARE, NULL, &mesh, &err);
        TEST_ASSERT_TRUE(status == PAL_OK || status == PAL_ERR_MEMORY);
        TEST_ASSERT_TRUE(status == PAL_OK || mesh.x == NULL);
    }
    pal_memory_fail_after(-1);
    CHECK_OK(status, err);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_sphere_has_its_volume_at_every_resolution);
    RUN_TEST(test_boxes_are_exact_whatever_their_sides);
    RUN_TEST(test_a_turned_box_has_its_volume_whichever_way_it_faces);
    RUN_TEST(test_what_overlaps_counts_once_and_cavities_are_filled);
    RUN_TEST(test_a_sheet_thinner_than_a_voxel_stays);
    RUN_TEST(test_an_open_surface_has_no_shares);
    RUN_TEST(test_shares_of_whole_elements_are_not_kept);
    RUN_TEST(test_every_allocation_may_fail);
    return UNITY_END();
}
