// A ball pressed into a block: full finite elements, Hertz, and modes with and without local
// compliance (MATH.md 5.1). E = 12 kPa, nu = 0.45, R = 5 mm, 20 modes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/vec3.h"
#include "sim/contact/response.h"
#include "tests/support/check.h"
#include "tests/support/press.h"
#include "tests/support/sanitized.h"

enum { MODES = 20, DEPTHS = 3 };

// 20 R wide and 10 R deep, elements of R/5 under the ball.
static const press_shape large = {.kind = PAL_HEX8,
                                  .low = {-0.05, -0.05, -0.05},
                                  .high = {0.05, 0.05, 0.0},
                                  .fine = 1e-3,
                                  .zone = {5e-3, 5e-3, 5e-3},
                                  .growth = 1.8};
// The ball's middle is 4 mm from an edge.
static const press_shape beside_edge = {.kind = PAL_HEX8,
                                        .low = {-0.03, -0.03, -0.03},
                                        .high = {4e-3, 0.03, 0.0},
                                        .fine = 1.5e-3,
                                        .zone = {6e-3, 6e-3, 6e-3},
                                        .growth = 1.8};
// A lump of 5 mm radius, four times as stiff, 3 mm below the surface.
static const press_shape with_lump = {.kind = PAL_HEX8,
                                      .low = {-0.03, -0.03, -0.03},
                                      .high = {0.03, 0.03, 0.0},
                                      .fine = 2e-3,
                                      .zone = {0.022, 6e-3, 0.012},
                                      .growth = 2.0,
                                      .contrast = 4.0,
                                      .lump_radius = 5e-3,
                                      .lump_depth = 8e-3};

static press block;

void setUp(void) {
}

void tearDown(void) {
    press_close(&block);
}

static void check_forces(const char *what, double share, const pal_indent_result *expected,
                         const pal_indent_result *got, int32_t count) {
    for (int32_t k = 0; k < count; k++) {
        char text[160];
        double error = got[k].force / expected[k].force - 1.0;
        snprintf(text, sizeof text, "%s: %.5f N for %.5f N (%+.2f %%)", what, got[k].force,
                 expected[k].force, 100.0 * error);
        TEST_ASSERT_TRUE_MESSAGE(fabs(error) <= share, text);
    }
}

// The truth, then both ways of local compliance against it.
static void check_both_ways(const press_shape *shape, double x, double radius, double reach,
                            pal_indent_result *full) {
    pal_err err = {0};
    pal_indent_result got[DEPTHS];
    press_open(&block, shape);
    press_reduce(&block, MODES);
    pal_indent_spec spec = press_ball(&block, x, 0.0);
    CHECK_OK(pal_indent_linear(&block.fem, &spec, NULL, full, &err), err);
    press_localise(&block, PAL_LOCAL_WANT_EXACT, radius, reach);
    press_reduced(&block, &spec, true, got);
    check_forces("exact", 0.005, full, got, DEPTHS);
    press_localise(&block, PAL_LOCAL_WANT_FAST, radius, reach);
    press_reduced(&block, &spec, true, got);
    check_forces("fast", 0.03, full, got, DEPTHS);
}

static void check_hertz(const pal_indent_spec *spec, const pal_indent_result *full) {
    double hertz = pal_indent_hertz(12e3, 0.45, spec->radius, spec->depth[0]);
    TEST_ASSERT_DOUBLE_WITHIN(0.05 * hertz, hertz, full[0].force);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6 * hertz, 0.0, full[0].sideways);
    // Hertz: the contact's radius is sqrt(R d); the vertices are 1 mm apart
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, sqrt(spec->radius * spec->depth[0]), full[0].contact_radius);
    for (int k = 0; k < DEPTHS; k++) {
        TEST_ASSERT_TRUE(full[k].overlap < 1e-6 * spec->radius);
        TEST_ASSERT_TRUE(k == 0 || full[k].force > full[k - 1].force);
    }
    TEST_ASSERT_DOUBLE_WITHIN(5e-3, 0.50, pal_indent_hertz(12e3, 0.45, 5e-3, 5e-3)); // FEEL.md 6
}

static void test_a_large_block_presses_as_full_elements_and_hertz_say(void) {
    if (IS_SANITIZED) {
        TEST_IGNORE_MESSAGE(
            "too large for a sanitizer; the block beside an edge takes the same way");
    }
    pal_indent_result full[DEPTHS];
    check_both_ways(&large, 0.0, 0.015, 0.011, full);
    pal_indent_spec spec = press_ball(&block, 0.0, 0.0);
    check_hertz(&spec, full);
}

static void test_the_same_beside_an_edge(void) {
    pal_indent_result full[DEPTHS];
    check_both_ways(&beside_edge, 0.0, 0.015, 0.014, full);
}

static void test_modes_alone_are_far_too_hard(void) {
    pal_err err = {0};
    pal_indent_result full[DEPTHS], modes[DEPTHS];
    press_open(&block, &beside_edge);
    press_reduce(&block, MODES);
    pal_indent_spec spec = press_ball(&block, -0.013, 0.0);
    CHECK_OK(pal_indent_linear(&block.fem, &spec, NULL, full, &err), err);
    press_reduced(&block, &spec, false, modes);
    TEST_ASSERT_TRUE(modes[0].force > 4.0 * full[0].force);
}

// How much larger the force is over the lump than beside it is what one feels.
static void test_a_lump_is_felt_as_full_elements_say(void) {
    static const pal_local_choice ways[] = {PAL_LOCAL_WANT_EXACT, PAL_LOCAL_WANT_FAST};
    static const double depth[] = {2e-3};
    pal_err err = {0};
    press_open(&block, &with_lump);
    press_reduce(&block, MODES);
    pal_indent_spec over = press_ball(&block, 0.0, 0.0), beside = press_ball(&block, 0.018, 0.0);
    over.count = beside.count = 1;
    over.depth = beside.depth = depth;
    pal_indent_result a, b, c, d;
    CHECK_OK(pal_indent_linear(&block.fem, &over, NULL, &a, &err), err);
    CHECK_OK(pal_indent_linear(&block.fem, &beside, NULL, &b, &err), err);
    const double expected = a.force - b.force;
    TEST_ASSERT_TRUE(expected > 0.15 * b.force);
    for (int w = 0; w < 2; w++) {
        press_localise(&block, ways[w], 0.012, 0.025);
        press_reduced(&block, &over, true, &c);
        press_reduced(&block, &beside, true, &d);
        printf("%.5f N more for %.5f N\n", c.force - d.force, expected);
        TEST_ASSERT_DOUBLE_WITHIN(0.02 * expected, expected, c.force - d.force);
    }
    press_reduced(&block, &over, false, &c);
    press_reduced(&block, &beside, false, &d);
    TEST_ASSERT_TRUE(fabs(c.force - d.force - expected) > 0.2 * expected);
}

// ---- The contact problem of the servo -----------------------------------------------------------

enum { MOST = PAL_MAX_CONTACTS, STRIDE = 3 * MOST };
static double w[STRIDE * STRIDE], whole[9 * MOST * MOST];
static pal_contact_law law[MOST];
static double gaps[STRIDE], force[STRIDE];

// Normals and gaps of the points where the forces have put them; the body's are pushed by -force.
static void take_laws(int32_t count, const int32_t *vertex, const double c[3], double radius) {
    for (int32_t i = 0; i < count; i++) {
        double n[3], offset[3];
        for (int e = 0; e < 3; e++) {
            offset[e] = n[e] = c[e] - block.mesh.x[3 * (int64_t)vertex[i] + e];
            for (int32_t j = 0; j < 3 * count; j++) {
                n[e] += w[(3 * i + e) * STRIDE + j] * force[j];
            }
        }
        double length = pal_norm3(n);
        for (int e = 0; e < 3; e++) {
            law[i].normal[e] = n[e] / length;
        }
        double gap = pal_dot3(law[i].normal, offset) - radius;
        for (int e = 0; e < 3; e++) {
            gaps[3 * i + e] = gap * law[i].normal[e];
        }
    }
}

// The vertices that the ball may touch, and their compliance in w.
static int32_t take_points(const pal_indent_spec *spec, double depth, const double c[3],
                           int32_t **vertex) {
    pal_err err = {0};
    pal_indent_spec near = *spec;
    near.count = 1;
    near.depth = &depth;
    int32_t count, kept = 0;
    CHECK_OK(pal_indent_candidates(&block.fem, &near, &count, vertex, &err), err);
    for (int32_t i = 0; i < count; i++) {
        double d[3];
        pal_sub3(block.mesh.x + 3 * (int64_t)(*vertex)[i], c, d);
        if (pal_norm3(d) < 1.01 * spec->radius && kept < MOST) {
            (*vertex)[kept++] = (*vertex)[i];
        }
    }
    memset(whole, 0, sizeof whole);
    memset(w, 0, sizeof w);
    press_compliance(&block, kept, *vertex, whole);
    for (int32_t k = 0; k < 9 * kept * kept; k++) {
        w[(k / (3 * kept)) * STRIDE + k % (3 * kept)] = whole[k];
    }
    return kept;
}

// The force by pal_response_solve, normals taken anew as the points move.
static double press_by_response(const pal_indent_spec *spec, double depth) {
    const double c[3] = {spec->at[0], spec->at[1], spec->at[2] + spec->radius - depth};
    int32_t *vertex, count = take_points(spec, depth, c, &vertex);
    memset(law, 0, sizeof law);
    memset(force, 0, sizeof force);
    for (int pass = 0; pass < 12; pass++) {
        take_laws(count, vertex, c, spec->radius);
        pal_response problem = {.count = count,
                                .stride = STRIDE,
                                .w = w,
                                .free = gaps,
                                .law = law,
                                .force = force,
                                .sweeps = 2000,
                                .tolerance = 1e-10};
        TEST_ASSERT_EQUAL_INT(0, pal_response_solve(&problem));
    }
    free(vertex);
    double sum = 0.0;
    for (int32_t i = 0; i < count; i++) {
        sum += force[3 * i + 2];
    }
    return sum;
}

static void test_the_servos_contact_problem_gives_the_same_force(void) {
    pal_err err = {0};
    pal_indent_result full[DEPTHS];
    press_open(&block, &beside_edge);
    press_reduce(&block, MODES);
    press_localise(&block, PAL_LOCAL_WANT_EXACT, 0.015, 0.014);
    pal_indent_spec spec = press_ball(&block, 0.0, 0.0);
    CHECK_OK(pal_indent_linear(&block.fem, &spec, NULL, full, &err), err);
    for (int k = 0; k < 2; k++) {
        double got = press_by_response(&spec, spec.depth[k]);
        TEST_ASSERT_DOUBLE_WITHIN(0.02 * full[k].force, full[k].force, got);
    }
}

// ---- Errors -------------------------------------------------------------------------------------

static void test_a_ball_off_the_body_and_a_body_not_held_are_refused(void) {
    static const double depth[] = {1e-3};
    pal_err err = {0};
    pal_indent_result result;
    press_open(&block, &beside_edge);
    pal_indent_spec spec = press_ball(&block, 0.5, 0.0);
    spec.count = 1;
    spec.depth = depth;
    CHECK_FAILS(PAL_ERR_USAGE, "near the ball",
                pal_indent_linear(&block.fem, &spec, NULL, &result, &err), err);
    spec.at[0] = 0.0;
    block.fem.rigid_modes = 6;
    CHECK_FAILS(PAL_ERR_USAGE, "--fix", pal_indent_linear(&block.fem, &spec, NULL, &result, &err),
                err);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_large_block_presses_as_full_elements_and_hertz_say);
    if (!IS_SANITIZED) { // the same code on another block
        RUN_TEST(test_the_same_beside_an_edge);
    }
    RUN_TEST(test_modes_alone_are_far_too_hard);
    RUN_TEST(test_a_lump_is_felt_as_full_elements_say);
    RUN_TEST(test_the_servos_contact_problem_gives_the_same_force);
    RUN_TEST(test_a_ball_off_the_body_and_a_body_not_held_are_refused);
    return UNITY_END();
}
