// What a shell of points holds.
#include <math.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/contact/shell_build.h"
#include "tests/support/check.h"
#include "tests/support/soft_surface.h"

static pal_err err;
static test_random seed;
static soft_surface soft;
static pal_shell shell;

void setUp(void) {
    seed.state = 5;
    memset(&soft, 0, sizeof soft);
    memset(&shell, 0, sizeof shell);
}

void tearDown(void) {
    pal_memory_fail_after(-1);
    pal_shell_free(&shell);
    soft_close(&soft);
}

static void build(double spacing) {
    const pal_shell_spec spec = {.spacing = spacing};
    CHECK_OK(pal_shell_build(&soft.body, &soft.tree, &spec, &shell, &err), err);
}

static int32_t last_level(void) {
    return shell.level_count - 1;
}

// A plate of 2 nx ny triangles on top, 10 mm thick, from the origin.
static void open_plate(int nx, int ny, double side) {
    soft_open_box(&soft, (int[]){nx, ny, 1}, (double[]){side, side, 0.01}, 3, &seed);
}

// ---- What the shell is --------------------------------------------------------------------------

static void test_levels_are_nested_and_spread_by_their_spacing(void) {
    soft_open_ball(&soft, 24, 4, &seed);
    build(0.1);
    TEST_ASSERT_TRUE(shell.level_count >= 4);
    for (int32_t l = 0; l <= last_level(); l++) {
        if (l > 2) { // in the first ones, points that look different ways make up the most
            double ratio = (double)shell.count[l] / shell.count[l - 1];
            TEST_ASSERT_TRUE(ratio > 3.0 && ratio < 5.0);
        }
        for (int32_t i = 0; i < shell.count[l]; i++) {
            for (int32_t j = 0; j < i; j++) {
                double apart[3];
                pal_sub3(shell.point[i].x, shell.point[j].x, apart);
                TEST_ASSERT_TRUE(pal_norm3(apart) > 0.999 * shell.spacing[l] ||
                                 pal_dot3(shell.point[i].axis[2], shell.point[j].axis[2]) < 0.51);
            }
        }
    }
}

static void test_areas_of_each_level_sum_to_the_surface(void) {
    soft_open_ball(&soft, 24, 4, &seed);
    build(0.1);
    pal_surface_quality quality;
    CHECK_OK(pal_surface_measure(&soft.surface, &quality, &err), err);
    for (int32_t l = 0; l <= last_level(); l++) {
        double sum = 0.0, least = INFINITY;
        for (int32_t i = 0; i < shell.count[l]; i++) {
            sum += (double)shell.cell[shell.first[l] + i].area;
            least = fmin(least, (double)shell.cell[shell.first[l] + i].area);
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-4 * quality.area, quality.area, sum);
        TEST_ASSERT_TRUE(least > 0.0);
    }
}

// Points lie on their triangles, and the cells of a flat face tile it.
static void test_cells_of_a_plate_tile_it(void) {
    open_plate(2, 2, 0.08);
    build(0.004);
    double cells = 0.0;
    const int32_t l = last_level();
    for (int32_t i = 0; i < shell.count[l]; i++) {
        const pal_shell_point *p = &shell.point[i];
        const pal_shell_cell *cell = &shell.cell[shell.first[l] + i];
        double area = 0.0, middle = 0.008; // away from the edges
        for (int32_t k = 0; k < cell->corner_count; k++) {
            const float *a = cell->corner[k], *b = cell->corner[(k + 1) % cell->corner_count];
            area += 0.5 * ((double)a[0] * (double)b[1] - (double)a[1] * (double)b[0]);
        }
        if (p->x[2] > 0.0099 && fabs(p->x[0] - 0.04) < 0.04 - middle &&
            fabs(p->x[1] - 0.04) < 0.04 - middle) {
            cells += area;
        }
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.04 * 0.064 * 0.064, 0.064 * 0.064, cells);
}

static void test_size_does_not_depend_on_the_triangles(void) {
    soft_open_ball(&soft, 20, 3, &seed);
    build(0.08);
    int32_t coarse = shell.count[last_level()];
    pal_shell_free(&shell);
    soft_close(&soft);
    soft_open_ball(&soft, 64, 3, &seed);
    build(0.08);
    TEST_ASSERT_DOUBLE_WITHIN(0.05 * coarse, coarse, shell.count[last_level()]);
}

static void test_most_points_is_kept(void) {
    soft_open_ball(&soft, 20, 3, &seed);
    const pal_shell_spec spec = {.spacing = 1e-5, .most_points = 500};
    CHECK_OK(pal_shell_build(&soft.body, &soft.tree, &spec, &shell, &err), err);
    TEST_ASSERT_TRUE(shell.count[last_level()] <= 500 && shell.count[last_level()] > 250);
}

static void test_bounds_hold_the_points_below_for_any_q(void) {
    soft_open_ball(&soft, 24, 15, &seed);
    build(0.12);
    for (int trial = 0; trial < 40; trial++) {
        soft_deform(&soft, trial % 2 == 0 ? 0.3 : 30.0, &seed);
        for (int32_t i = 0; i < shell.count[last_level()]; i++) {
            double x[3], centre[3], apart[3];
            pal_shell_place(&shell, soft.q, i, x);
            int32_t holder = i;
            for (int32_t l = last_level() - 1; l >= 0; l--) {
                holder = holder < shell.count[l] ? holder : shell.point[holder].parent;
                pal_shell_place(&shell, soft.q, holder, centre);
                pal_sub3(x, centre, apart);
                double room = pal_shell_radius(&shell, soft.q, l, holder) -
                              (double)shell.reach[shell.first[last_level()] + i];
                TEST_ASSERT_TRUE(pal_norm3(apart) <= room);
            }
        }
    }
}

static void test_places_are_those_of_the_body(void) {
    soft_open_ball(&soft, 12, 15, &seed);
    build(0.3);
    soft_deform(&soft, 0.5, &seed);
    for (int32_t i = 0; i < shell.count[last_level()]; i++) {
        double x[3], corner[3], expected[3] = {0.0};
        pal_shell_place(&shell, soft.q, i, x);
        for (int k = 0; k < 3; k++) {
            soft.body.functions->position(
                &soft.body, soft.body.triangle[3 * shell.point[i].triangle + k], corner);
            for (int c = 0; c < 3; c++) {
                expected[c] += shell.point[i].weight[k] * corner[c];
            }
        }
        for (int c = 0; c < 3; c++) {
            TEST_ASSERT_DOUBLE_WITHIN(2e-6, expected[c], x[c]);
        }
    }
}

// ---- Trouble ------------------------------------------------------------------------------------

static void test_bad_specs_are_refused(void) {
    soft_open_ball(&soft, 6, 4, &seed);
    pal_shell_spec spec = {.spacing = 0.0};
    CHECK_FAILS(PAL_ERR_USAGE, "spacing above 0",
                pal_shell_build(&soft.body, &soft.tree, &spec, &shell, &err), err);
    spec.spacing = NAN;
    CHECK_FAILS(PAL_ERR_USAGE, "spacing",
                pal_shell_build(&soft.body, &soft.tree, &spec, &shell, &err), err);
    spec.spacing = 0.1;
    pal_body body = soft.body;
    body.basis = NULL;
    CHECK_FAILS(PAL_ERR_UNSUPPORTED, "linear",
                pal_shell_build(&body, &soft.tree, &spec, &shell, &err), err);
}

static void test_memory_that_runs_out_is_told(void) {
    soft_open_ball(&soft, 6, 4, &seed);
    const pal_shell_spec spec = {.spacing = 0.1};
    pal_status status = PAL_ERR_MEMORY;
    for (long n = 0; status == PAL_ERR_MEMORY; n++) {
        TEST_ASSERT_TRUE(n < 100);
        pal_memory_fail_after(n);
        status = pal_shell_build(&soft.body, &soft.tree, &spec, &shell, &err);
        pal_memory_fail_after(-1);
        TEST_ASSERT_TRUE(status == PAL_OK || shell.point == NULL);
    }
    CHECK_OK(status, err);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_levels_are_nested_and_spread_by_their_spacing);
    RUN_TEST(test_areas_of_each_level_sum_to_the_surface);
    RUN_TEST(test_cells_of_a_plate_tile_it);
    RUN_TEST(test_size_does_not_depend_on_the_triangles);
    RUN_TEST(test_most_points_is_kept);
    RUN_TEST(test_bounds_hold_the_points_below_for_any_q);
    RUN_TEST(test_places_are_those_of_the_body);
    RUN_TEST(test_bad_specs_are_refused);
    RUN_TEST(test_memory_that_runs_out_is_told);
    return UNITY_END();
}
