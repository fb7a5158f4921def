#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "sim/base/parallel.h"
#include "sim/base/vec3.h"
#include "sim/contact/distfield_build.h"
#include "sim/contact/shape.h"
#include "tests/support/check.h"
#include "tests/support/random.h"
#include "tests/support/sanitized.h"
#include "tests/support/shapes.h"

static pal_err err;
static test_random seed;
static pal_surface surface;
static pal_distfield field;

void setUp(void) {
    seed.state = 9;
    memset(&surface, 0, sizeof surface);
    memset(&field, 0, sizeof field);
}

void tearDown(void) {
    pal_memory_fail_after(-1);
    pal_set_thread_count(0);
    pal_surface_free(&surface);
    pal_distfield_free(&field);
}

static void build(int cells, double margin) {
    const pal_distfield_spec spec = {.cells = cells, .margin = margin};
    CHECK_OK(pal_distfield_build(&surface, &spec, NULL, &field, &err), err);
}

static double box_distance(const double low[3], const double high[3], const double x[3]) {
    double out2 = 0.0, in = -INFINITY;
    for (int c = 0; c < 3; c++) {
        double over = fmax(low[c] - x[c], x[c] - high[c]);
        out2 += over > 0.0 ? over * over : 0.0;
        in = fmax(in, over);
    }
    return out2 > 0.0 ? sqrt(out2) : in;
}

static void test_field_of_a_ball_is_its_distance(void) {
    shape_add_sphere(&surface, (double[]){0.1, 0.2, 0.3}, 1.0, SANITIZED_OR(36, 40));
    build(SANITIZED_OR(16, 40), 0.3);
    double worst = 0.0, turned = 0.0;
    for (int i = 0; i < SANITIZED_OR(2000, 20000); i++) {
        double x[3], g[3], apart[3];
        random_fill(&seed, 1.3, x, 3);
        pal_sub3(x, (double[]){0.1, 0.2, 0.3}, apart);
        double radius = pal_norm3(apart), d = pal_distfield_at(&field, x, g);
        if (radius > 0.5 && radius < 1.25) { // inside the grid, away from the middle
            worst = fmax(worst, fabs(d - (radius - 1.0)));
            turned = fmax(turned, 1.0 - pal_dot3(g, apart) / radius);
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.0, pal_norm3(g));
        }
    }
    printf("ball: off by %.2g cells, gradient by %.2g rad\n", worst / field.cell,
           sqrt(2.0 * turned));
    TEST_ASSERT_TRUE(worst < 0.02 * field.cell); // the facets lie that much below the ball
    TEST_ASSERT_TRUE(sqrt(2.0 * turned) < 0.03); // the facets' own angles
}

static void test_field_of_a_box_is_its_distance_and_sign(void) {
    const double low[3] = {-1.0, -0.4, 0.0}, high[3] = {0.6, 0.5, 0.7};
    shape_add_box(&surface, low, high);
    build(40, 0.2);
    double worst = 0.0;
    for (int i = 0; i < SANITIZED_OR(4000, 40000); i++) {
        double x[3], g[3];
        random_fill(&seed, 1.0, x, 3);
        double exact = box_distance(low, high, x), d = pal_distfield_at(&field, x, g);
        if (exact < 0.19) {
            worst = fmax(worst, fabs(d - exact));
            TEST_ASSERT_TRUE(d * exact > 0.0 || fabs(exact) < 0.3 * field.cell);
        }
    }
    printf("box: off by %.2g cells at worst, at its edges\n", worst / field.cell);
    TEST_ASSERT_TRUE(worst < 0.4 * field.cell);
}

static void test_samples_are_met_exactly(void) {
    shape_add_box(&surface, (double[]){0, 0, 0}, (double[]){1, 1, 1});
    build(12, 0.0);
    for (int i = 0; i < 500; i++) {
        double x[3];
        int32_t at[3];
        for (int c = 0; c < 3; c++) {
            at[c] = 1 + (int32_t)(random_share(&seed) * (field.count[c] - 3));
            x[c] = field.origin[c] + at[c] * field.cell;
        }
        double sample =
            (double)field.distance[(at[2] * field.count[1] + at[1]) * field.count[0] + at[0]];
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, sample, pal_distfield_at(&field, x, NULL));
    }
}

static void test_gradient_is_the_direction_of_the_derivative(void) {
    shape_add_box(&surface, (double[]){0, 0, 0}, (double[]){1, 0.7, 0.5});
    build(20, 0.1);
    const double h = 1e-3 * field.cell;
    for (int i = 0; i < 5000; i++) {
        double x[3], g[3], slope[3];
        for (int c = 0; c < 3; c++) { // within the grid
            x[c] =
                field.origin[c] + (1.1 + (field.count[c] - 3.2) * random_share(&seed)) * field.cell;
        }
        pal_distfield_at(&field, x, g);
        for (int c = 0; c < 3; c++) {
            double low[3] = {x[0], x[1], x[2]}, high[3] = {x[0], x[1], x[2]};
            low[c] -= h;
            high[c] += h;
            slope[c] =
                (pal_distfield_at(&field, high, NULL) - pal_distfield_at(&field, low, NULL)) /
                (2.0 * h);
        }
        double length = pal_norm3(slope);
        for (int c = 0; c < 3 && length > 0.3; c++) {
            TEST_ASSERT_DOUBLE_WITHIN(2e-2, slope[c] / length, g[c]);
        }
    }
}

// Across the faces of cells and out of the grid, small steps make small changes; of the gradient
// too, within the grid.
static void test_distance_and_gradient_are_continuous(void) {
    shape_add_sphere(&surface, (double[]){0, 0, 0}, 1.0, SANITIZED_OR(12, 30));
    build(16, 0.1);
    double last = 0.0, last_g[3] = {0.0}, jump = 0.0, turn = 0.0;
    const int steps = SANITIZED_OR(4000, 20000);
    for (int i = 0; i <= steps; i++) {
        double t = (double)i / steps, apart[3], g[3];
        const double x[3] = {0.5 + 3.0 * t, 0.3 + 1.1 * t, 0.2 - 0.7 * t};
        double d = pal_distfield_at(&field, x, g);
        pal_sub3(g, last_g, apart);
        jump = i > 0 ? fmax(jump, fabs(d - last)) : 0.0;
        if (i > 0 && x[0] < 1.3) {
            turn = fmax(turn, pal_norm3(apart));
        }
        last = d;
        memcpy(last_g, g, sizeof g);
    }
    TEST_ASSERT_TRUE(jump < 1.1 * 3.3 / steps);
    TEST_ASSERT_TRUE(turn < 5e-3);
}

// Never more than the true distance beyond the grid, and off by no more than it says within.
static void test_distance_may_be_trusted_when_looking_for_what_is_near(void) {
    const double low[3] = {-0.5, -0.4, 0.0}, high[3] = {0.6, 0.5, 0.2};
    shape_add_box(&surface, low, high);
    build(16, 0.05);
    for (int i = 0; i < SANITIZED_OR(4000, 40000); i++) {
        double x[3], y[3], apart[3];
        random_fill(&seed, 1.5, x, 3);
        random_fill(&seed, 0.8, y, 3);
        double exact = box_distance(low, high, x), d = pal_distfield_at(&field, x, NULL);
        TEST_ASSERT_TRUE(d <= exact + PAL_DISTFIELD_ERROR * field.cell);
        pal_sub3(x, y, apart);
        TEST_ASSERT_TRUE(d - pal_distfield_at(&field, y, NULL) <=
                         pal_norm3(apart) + 2.0 * PAL_DISTFIELD_ERROR * field.cell);
    }
}

static void test_not_a_number_stays_one(void) {
    shape_add_box(&surface, (double[]){0, 0, 0}, (double[]){1, 1, 1});
    build(8, 0.0);
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 9; i++) {
        double x[3] = {0.5, 0.5, 0.5}, g[3];
        x[i % 3] = bad[i / 3];
        TEST_ASSERT_TRUE(isnan(pal_distfield_at(&field, x, g)));
    }
    TEST_ASSERT_TRUE(pal_distfield_at(&field, (double[]){1e9, -1e9, 1e9}, NULL) > 1e9);
}

static void test_result_does_not_depend_on_the_threads(void) {
    shape_add_sphere(&surface, (double[]){0, 0, 0}, 1.0, SANITIZED_OR(6, 12));
    pal_set_thread_count(1);
    build(SANITIZED_OR(12, 24), 0.0);
    pal_distfield one = field;
    pal_set_thread_count(2);
    build(SANITIZED_OR(12, 24), 0.0);
    size_t samples = (size_t)field.count[0] * (size_t)field.count[1] * (size_t)field.count[2];
    TEST_ASSERT_EQUAL_INT(0, memcmp(one.distance, field.distance, samples * sizeof(float)));
    pal_distfield_free(&one);
}

static void check_refused(pal_status status, const char *part, const pal_distfield_spec *spec) {
    CHECK_FAILS(status, part, pal_distfield_build(&surface, spec, NULL, &field, &err), err);
    TEST_ASSERT_TRUE(field.distance == NULL);
}

static void test_bad_surfaces_are_refused(void) {
    pal_distfield_spec spec = {.cells = 16};
    shape_add_box(&surface, (double[]){0, 0, 0}, (double[]){1, 1, 1});
    surface.triangle_count--;
    check_refused(PAL_ERR_INPUT, "open: 3 edges", &spec);
    surface.triangle_count++;
    for (int32_t t = 0; t < surface.triangle_count; t++) {
        int32_t swap = surface.triangle[3 * t];
        surface.triangle[3 * t] = surface.triangle[3 * t + 1];
        surface.triangle[3 * t + 1] = swap;
    }
    check_refused(PAL_ERR_INPUT, "inside out", &spec);
    pal_surface_free(&surface);
    shape_add_box(&surface, (double[]){0, 0, 0}, (double[]){1, 1, 1});
    shape_add_box(&surface, (double[]){1, 1, 0}, (double[]){2, 2, 1}); // they share an edge
    check_refused(PAL_ERR_INPUT, "not manifold", &spec);
    surface.triangle_count = 0;
    check_refused(PAL_ERR_INPUT, "0 triangles", &spec);
}

static void test_bad_specs_are_refused(void) {
    shape_add_box(&surface, (double[]){0, 0, 0}, (double[]){1, 1, 1});
    pal_distfield_spec spec = {.cells = 2000};
    check_refused(PAL_ERR_USAGE, "samples", &spec);
    spec.cells = 0;
    check_refused(PAL_ERR_USAGE, "size above 0", &spec);
    spec.cells = 16;
    spec.margin = NAN;
    check_refused(PAL_ERR_USAGE, "margin", &spec);
}

// ---- Files --------------------------------------------------------------------------------------

static void test_a_file_gives_the_field_back(void) {
    shape_add_sphere(&surface, (double[]){0, 0, 0}, 1.0, 6);
    build(8, 0.0);
    const char *path = check_scratch("field");
    CHECK_OK(pal_distfield_write(path, "key", &field, &err), err);
    pal_distfield back;
    CHECK_OK(pal_distfield_read(path, "key", &back, &err), err);
    for (int i = 0; i < 100; i++) {
        double x[3];
        random_fill(&seed, 1.5, x, 3);
        TEST_ASSERT_TRUE(pal_distfield_at(&field, x, NULL) == pal_distfield_at(&back, x, NULL));
    }
    pal_distfield_free(&back);
}

// Every byte changed, and every length, is noticed.
static void test_a_garbled_file_is_refused(void) {
    shape_add_sphere(&surface, (double[]){0, 0, 0}, 1.0, 3);
    build(2, 0.0);
    char path[512], *data;
    size_t size;
    snprintf(path, sizeof path, "%s", check_scratch("field"));
    CHECK_OK(pal_distfield_write(path, "key", &field, &err), err);
    CHECK_OK(pal_file_read(path, &data, &size, &err), err);
    pal_distfield back;
    for (size_t i = 0; i < size; i += i < 120 ? 7 : 1009) {
        data[i] ^= 0x10;
        CHECK_OK(pal_file_write_atomic(path, data, size, &err), err);
        TEST_ASSERT_TRUE(pal_distfield_read(path, "key", &back, &err) != PAL_OK);
        data[i] ^= 0x10;
        TEST_ASSERT_TRUE(back.distance == NULL);
    }
    for (size_t length = 0; length < size; length += length < 120 ? 9 : 1009) {
        CHECK_OK(pal_file_write_atomic(path, data, length, &err), err);
        TEST_ASSERT_TRUE(pal_distfield_read(path, "key", &back, &err) != PAL_OK);
    }
    free(data);
}

static void test_memory_that_runs_out_is_told(void) {
    shape_add_sphere(&surface, (double[]){0, 0, 0}, 1.0, 4);
    const pal_distfield_spec spec = {.cells = 8};
    pal_status status = PAL_ERR_MEMORY;
    for (long n = 0; status == PAL_ERR_MEMORY; n++) {
        TEST_ASSERT_TRUE(n < 100);
        pal_memory_fail_after(n);
        status = pal_distfield_build(&surface, &spec, NULL, &field, &err);
        pal_memory_fail_after(-1);
    }
    CHECK_OK(status, err);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_field_of_a_ball_is_its_distance);
    RUN_TEST_OF_ONE_THREAD(test_field_of_a_box_is_its_distance_and_sign);
    RUN_TEST_OF_ONE_THREAD(test_samples_are_met_exactly);
    RUN_TEST_OF_ONE_THREAD(test_gradient_is_the_direction_of_the_derivative);
    RUN_TEST_OF_ONE_THREAD(test_distance_and_gradient_are_continuous);
    RUN_TEST_OF_ONE_THREAD(test_distance_may_be_trusted_when_looking_for_what_is_near);
    RUN_TEST_OF_ONE_THREAD(test_not_a_number_stays_one);
    RUN_TEST(test_result_does_not_depend_on_the_threads);
    RUN_TEST_OF_ONE_THREAD(test_bad_surfaces_are_refused);
    RUN_TEST_OF_ONE_THREAD(test_bad_specs_are_refused);
    RUN_TEST_OF_ONE_THREAD(test_a_file_gives_the_field_back);
    RUN_TEST_OF_ONE_THREAD(test_a_garbled_file_is_refused);
    RUN_TEST(test_memory_that_runs_out_is_told);
    return UNITY_END();
}
