// Over which vertices touches spread their forces.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "haptics/live_body.h"
#include "sim/base/memory.h"
#include "sim/base/parallel.h"
#include "tests/support/check.h"
#include "tests/support/live_block.h"
#include "tests/support/sanitized.h"

static pal_live_body live;

static void open_live(double feature) {
    pal_err err = {0};
    const pal_live_options how = {.dt = 1e-3, .feature = feature};
    CHECK_OK(pal_live_body_open(&live, live_block_local(), &how, &err), err);
}

void setUp(void) {
}
void tearDown(void) {
    pal_live_body_close(&live);
}

static int64_t cell_count(void) {
    const int32_t last = live.shell.level_count - 1;
    return (int64_t)live.shell.first[last] + live.shell.count[last];
}

// Where the weights of a cell put their sum, at rest.
static void middle_of(int64_t cell, double x[3]) {
    const double *vertex_x = live_block_local()->mesh.x;
    x[0] = x[1] = x[2] = 0.0;
    for (int32_t k = 0; k < live.footprint.count[cell]; k++) {
        const int64_t at = cell * PAL_FOOTPRINT_VERTICES + k;
        for (int c = 0; c < 3; c++) {
            x[c] += (double)live.footprint.weight[at] *
                    vertex_x[3 * (int64_t)live.footprint.vertex[at] + c];
        }
    }
}

static void test_the_weights_of_a_cell_sum_to_one_and_are_none_below_zero(void) {
    open_live(5e-3);
    for (int64_t cell = 0; cell < cell_count(); cell++) {
        double sum = 0.0;
        TEST_ASSERT_TRUE(live.footprint.count[cell] > 0);
        for (int32_t k = 0; k < live.footprint.count[cell]; k++) {
            const double weight = (double)live.footprint.weight[cell * PAL_FOOTPRINT_VERTICES + k];
            TEST_ASSERT_TRUE(weight > -1e-6);
            sum += weight;
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-5, 1.0, sum);
    }
}

// A force on a cell acts where the cell is.
static void test_a_cell_presses_where_it_is(void) {
    open_live(5e-3);
    const int32_t last = live.shell.level_count - 1;
    for (int32_t level = last - 1; level <= last; level++) {
        for (int32_t p = 0; p < live.shell.count[level]; p++) {
            double x[3], off[3];
            middle_of(live.shell.first[level] + p, x);
            pal_sub3(x, live.shell.point[p].x, off);
            TEST_ASSERT_TRUE(pal_norm3(off) < live.shell.spacing[level]);
        }
    }
}

// The block's elements are 10 mm wide: fine cells leave the spreading to them, coarse ones do not.
static void test_cells_spread_only_where_the_mesh_is_finer(void) {
    int fine = 0, coarse = 0;
    open_live(5e-3);
    for (int32_t level = 0; level < live.shell.level_count; level++) {
        const double spacing = live.shell.spacing[level];
        for (int32_t p = 0; p < live.shell.count[level]; p++) {
            const bool spreads = live.footprint.spreads[live.shell.first[level] + p] != 0;
            if (spacing < 4e-3) { // elements are at least 10 mm across
                TEST_ASSERT_FALSE(spreads);
                fine++;
            } else if (spacing > 10e-3) { // and at most 17.4
                TEST_ASSERT_TRUE(spreads);
                coarse++;
            }
        }
    }
    TEST_ASSERT_TRUE(fine > 100 && coarse > 0);
}

static void test_footprints_do_not_depend_on_the_number_of_threads(void) {
    open_live(5e-3);
    pal_footprint one;
    pal_err err = {0};
    pal_set_thread_count(1);
    CHECK_OK(pal_footprint_build(&live.shell, &live.body, live_block_local()->mesh.x, &one, &err),
             err);
    pal_set_thread_count(0);
    const size_t cells = (size_t)cell_count();
    TEST_ASSERT_EQUAL_MEMORY(one.count, live.footprint.count, cells * sizeof *one.count);
    TEST_ASSERT_EQUAL_MEMORY(one.weight, live.footprint.weight,
                             cells * PAL_FOOTPRINT_VERTICES * sizeof *one.weight);
    TEST_ASSERT_EQUAL_MEMORY(one.spreads, live.footprint.spreads, cells);
    pal_footprint_free(&one);
}

static void test_no_failing_allocation_leaks_or_crashes(void) {
    open_live(5e-3);
    for (long n = 0;; n++) {
        pal_footprint made;
        pal_err err = {0};
        pal_memory_fail_after(n);
        const pal_status status =
            pal_footprint_build(&live.shell, &live.body, live_block_local()->mesh.x, &made, &err);
        pal_memory_fail_after(-1);
        pal_footprint_free(&made);
        if (status == PAL_OK) {
            TEST_ASSERT_TRUE(n >= 4);
            break;
        }
        TEST_ASSERT_EQUAL_INT(PAL_ERR_MEMORY, status);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST_OF_ONE_THREAD(test_the_weights_of_a_cell_sum_to_one_and_are_none_below_zero);
    RUN_TEST_OF_ONE_THREAD(test_a_cell_presses_where_it_is);
    RUN_TEST_OF_ONE_THREAD(test_cells_spread_only_where_the_mesh_is_finer);
    RUN_TEST(test_footprints_do_not_depend_on_the_number_of_threads);
    RUN_TEST(test_no_failing_allocation_leaks_or_crashes);
    return UNITY_END();
}
