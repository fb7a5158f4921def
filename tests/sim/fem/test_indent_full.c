// A ball pressed into full elements of every law, in contact all over their surface.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/fem/assemble.h"
#include "sim/fem/indent.h"
#include "sim/mesh/block.h"
#include "tests/support/check.h"
#include "tests/support/random.h"
#include "tests/support/sanitized.h"

static const pal_material tissue = {8e3, 0.4, 1000.0};
static pal_volmesh mesh;
static pal_fem fem;

void setUp(void) {
}
void tearDown(void) {
    pal_fem_free(&fem);
    pal_volmesh_free(&mesh);
}

// A block of cubes of edge h, held at its bottom.
static void open_block(pal_element_kind kind, int32_t across, int32_t up, double h) {
    pal_err err = {0};
    const int32_t n[3] = {across, across, up};
    CHECK_OK(pal_mesh_block(kind, n, h, &mesh, &err), err);
    uint8_t *held = calloc((size_t)mesh.vertex_count, 1);
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        held[v] = mesh.x[3 * (int64_t)v + 2] < 1e-9;
    }
    CHECK_OK(pal_fem_init(&fem, &mesh, &tissue, held, PAL_MASS_CONSISTENT, &err), err);
    free(held);
}

// On the middle of the top of that block.
static pal_indent_spec ball_on(int32_t across, int32_t up, double h, double radius, int32_t count,
                               const double *depth) {
    return (pal_indent_spec){.at = {0.5 * across * h, 0.5 * across * h, up * h},
                             .axis = {0.0, 0.0, -1.0},
                             .radius = radius,
                             .count = count,
                             .depth = depth};
}

static pal_indent_outcome press(pal_law law, const pal_indent_spec *spec,
                                const pal_indent_skin *skin, pal_indent_result *result) {
    pal_err err = {0};
    pal_indent_outcome outcome;
    CHECK_OK(pal_indent_full(&fem, law, spec, skin, NULL, result, &outcome, &err), err);
    for (int32_t k = 0; k < outcome.reached; k++) {
        printf("%s, %.2f mm: %.5f N, overlap %.1e m, %d tangents\n", pal_law_name(law),
               1e3 * spec->depth[k], result[k].force, result[k].overlap, result[k].iterations);
        TEST_ASSERT_TRUE(result[k].force > 0.0);
        TEST_ASSERT_TRUE(result[k].overlap < PAL_INDENT_OVERLAP * spec->depth[k]);
    }
    return outcome;
}

// Against GetFEM 5.4 on the same mesh: its penalty of 12.8e9 N/m^3, integrated at the points of
// IM_STRUCTURED_COMPOSITE(IM_TETRAHEDRON(6), 4) of each facet.
static void test_forces_are_those_of_getfem(void) {
    static const double depth[] = {1e-3, 2e-3, 4e-3};
    static const struct {
        pal_law law;
        int32_t count;
        double force[3];
    } oracle[] = {{PAL_LAW_NEO_HOOKEAN, 3, {0.04548, 0.11174, 0.29043}},
                  {PAL_LAW_LINEAR, 2, {0.04424, 0.10601}},
                  {PAL_LAW_STVK, 1, {0.03553}}};
    open_block(PAL_TET4, 10, 8, 2e-3);
    for (int l = 0; l < SANITIZED_OR(1, 3); l++) {
        pal_indent_result result[3];
        const pal_indent_spec spec =
            ball_on(10, 8, 2e-3, 5e-3, SANITIZED_OR(1, oracle[l].count), depth);
        const pal_indent_outcome outcome = press(oracle[l].law, &spec, NULL, result);
        TEST_ASSERT_EQUAL_INT(spec.count, outcome.reached);
        TEST_ASSERT_EQUAL_INT(PAL_INDENT_WHOLE, outcome.end);
        for (int32_t k = 0; k < spec.count; k++) {
            const double force = oracle[l].force[k];
            TEST_ASSERT_DOUBLE_WITHIN(0.01 * force, force, result[k].force);
        }
    }
}

// Each facet of a surface cut in four, the new points carried as the elements say.
static void cut_in_four(const pal_surface *from, const int32_t *vertex, pal_surface *to,
                        pal_embedding *embedding) {
    pal_err err = {0};
    CHECK_OK(pal_surface_alloc(to, 6 * from->triangle_count, 4 * from->triangle_count, &err), err);
    *embedding = (pal_embedding){.point_count = to->vertex_count, .nodes = 2};
    embedding->vertex = calloc(2 * (size_t)to->vertex_count, sizeof *embedding->vertex);
    embedding->weight = calloc(2 * (size_t)to->vertex_count, sizeof *embedding->weight);
    for (int32_t t = 0; t < from->triangle_count; t++) {
        static const int ends[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
        static const int part[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};
        for (int k = 0; k < 6; k++) {
            const int32_t p = 6 * t + k;
            for (int e = 0; e < 2; e++) {
                const int32_t corner = from->triangle[3 * (int64_t)t + ends[k][e]];
                embedding->vertex[2 * p + e] = vertex[corner];
                embedding->weight[2 * p + e] = 0.5;
                for (int c = 0; c < 3; c++) {
                    to->x[3 * (int64_t)p + c] += 0.5 * from->x[3 * (int64_t)corner + c];
                }
            }
        }
        for (int k = 0; k < 12; k++) {
            to->triangle[12 * (int64_t)t + k] = 6 * t + part[k / 3][k % 3];
        }
    }
}

// Twice as dense places (up to where they are dense enough anyway), and a surface of its own.
static void test_places_are_dense_enough_and_a_surface_may_be_given(void) {
    static const double depth[] = {1.5e-3};
    pal_err err = {0};
    pal_indent_result own, given, layered;
    pal_surface surface, fine;
    pal_embedding embedding;
    int32_t *vertex;
    open_block(PAL_HEX8, 6, 4, 2e-3);
    const pal_indent_spec spec = ball_on(6, 4, 2e-3, 4e-3, 1, depth);
    press(PAL_LAW_NEO_HOOKEAN, &spec, NULL, &own);
    CHECK_OK(pal_surface_of_volmesh(&mesh, &surface, &vertex, &err), err);
    cut_in_four(&surface, vertex, &fine, &embedding);
    pal_indent_skin skin = {.surface = &fine, .embedding = &embedding};
    press(PAL_LAW_NEO_HOOKEAN, &spec, &skin, &given);
    TEST_ASSERT_DOUBLE_WITHIN(0.005 * own.force, own.force, given.force);

    // A layer under which the body is as if it were not there: the springs alone
    double *layer = calloc((size_t)fine.triangle_count, sizeof *layer), volume;
    for (int32_t t = 0; t < fine.triangle_count; t++) {
        layer[t] = 1e-3;
    }
    skin.layer = layer;
    press(PAL_LAW_NEO_HOOKEAN, &spec, &skin, &layered);
    volume = M_PI * depth[0] * depth[0] * (4e-3 - depth[0] / 3.0); // 1/R of the integral is small
    TEST_ASSERT_TRUE(layered.force > 0.5 * volume / 1e-3 && layered.force < 1.1 * volume / 1e-3);
    free(layer);
    free(vertex);
    free(embedding.vertex);
    free(embedding.weight);
    pal_surface_free(&surface);
    pal_surface_free(&fine);
}

static void test_all_laws_press_alike_when_they_press_little(void) {
    static const double depth[] = {2e-5};
    for (int kind = 0; kind < 2; kind++) {
        pal_indent_result linear, result;
        open_block(kind == 0 ? PAL_TET4 : PAL_HEX8, 4, 3, 2e-3);
        const pal_indent_spec spec = ball_on(4, 3, 2e-3, 4e-3, 1, depth);
        press(PAL_LAW_LINEAR, &spec, NULL, &linear);
        for (int law = PAL_LAW_LINEAR + 1; law < PAL_LAWS; law++) {
            press((pal_law)law, &spec, NULL, &result);
            TEST_ASSERT_DOUBLE_WITHIN(0.01 * linear.force, linear.force, result.force);
        }
        tearDown();
    }
}

static void test_force_is_the_slope_of_energy(void) {
    static const double depth[] = {1.98e-3, 2e-3, 2.02e-3};
    open_block(PAL_TET4, 6, 4, 2e-3);
    const pal_indent_spec spec = ball_on(6, 4, 2e-3, 4e-3, 3, depth);
    for (int law = 0; law < PAL_LAWS; law++) {
        pal_indent_result r[3];
        const pal_indent_outcome outcome = press((pal_law)law, &spec, NULL, r);
        TEST_ASSERT_TRUE(law == PAL_LAW_STVK || outcome.reached == 3);
        if (outcome.reached == 3) {
            const double slope = (r[2].energy - r[0].energy) / (depth[2] - depth[0]);
            TEST_ASSERT_DOUBLE_WITHIN(0.002 * r[1].force, r[1].force, slope);
        }
    }
}

// Where StVK collapses it says how deep it came; neo-Hookean goes on down to two radii.
static void test_what_ends_early_says_so_and_neo_hookean_does_not(void) {
    static const double depth[] = {0.5e-3, 4e-3, 8e-3};
    pal_indent_result r[3];
    open_block(PAL_TET4, 8, 8, 2e-3);
    const pal_indent_spec spec = ball_on(8, 8, 2e-3, 4e-3, 3, depth);
    pal_indent_outcome outcome = press(PAL_LAW_STVK, &spec, NULL, r);
    printf("StVK ends at %.2f mm\n", 1e3 * outcome.deepest);
    TEST_ASSERT_EQUAL_INT(1, outcome.reached);
    TEST_ASSERT_TRUE(outcome.end == PAL_INDENT_INVERTED || outcome.end == PAL_INDENT_LOST);
    TEST_ASSERT_TRUE(outcome.deepest >= depth[0] && outcome.deepest < depth[1]);
    outcome = press(PAL_LAW_NEO_HOOKEAN, &spec, NULL, r);
    TEST_ASSERT_EQUAL_INT(3, outcome.reached);
    TEST_ASSERT_TRUE(r[2].force > r[1].force && r[1].force > r[0].force);
}

static void test_half_an_element_is_half_as_hard(void) {
    static const double depth[] = {1e-3};
    pal_indent_result whole, half;
    open_block(PAL_HEX8, 4, 3, 2e-3);
    const pal_indent_spec spec = ball_on(4, 3, 2e-3, 4e-3, 1, depth);
    press(PAL_LAW_NEO_HOOKEAN, &spec, NULL, &whole);
    mesh.share = calloc((size_t)mesh.element_count, sizeof *mesh.share);
    for (int32_t e = 0; e < mesh.element_count; e++) {
        mesh.share[e] = 0.5;
    }
    press(PAL_LAW_NEO_HOOKEAN, &spec, NULL, &half);
    TEST_ASSERT_DOUBLE_WITHIN(0.01 * whole.force, 0.5 * whole.force, half.force);
}

// A homogeneous deformation of an uneven mesh: nothing acts on vertices inside.
static void test_the_patch_test_of_every_law(void) {
    static const double g[3][3] = {{0.2, 0.1, -0.05}, {0.0, -0.15, 0.1}, {0.1, 0.05, -0.1}};
    for (int kind = 0; kind < 2; kind++) {
        pal_err err = {0};
        test_random rng = {.state = 3};
        open_block(kind == 0 ? PAL_TET4 : PAL_HEX8, 3, 3, 1.0);
        double *u = calloc((size_t)pal_fem_dofs(&fem), sizeof *u);
        double *force = calloc((size_t)pal_fem_dofs(&fem), sizeof *force);
        for (int32_t k = 0; k < 3 * mesh.vertex_count; k++) {
            mesh.x[k] += 0.1 * (random_number(&rng) - 0.5);
        }
        for (int32_t k = 0; k < 3 * fem.free_count; k++) {
            for (int c = 0; c < 3; c++) {
                u[k] += g[k % 3][c] * mesh.x[3 * (int64_t)fem.free_vertex[k / 3] + c];
            }
        }
        for (int law = 0; law < PAL_LAWS; law++) {
            CHECK_OK(pal_fem_evaluate_law(&fem, (pal_law)law, u, NULL, force, false, &err), err);
            for (int32_t v = 0; v < mesh.vertex_count; v++) {
                const int x = v % 4, y = v / 4 % 4, z = v / 16;
                for (int c = 0; c < 3 && x % 3 != 0 && y % 3 != 0 && z == 2; c++) {
                    const double f = force[3 * (int64_t)fem.free_index[v] + c];
                    TEST_ASSERT_DOUBLE_WITHIN(1e-9 * tissue.young, 0.0, f);
                }
            }
        }
        free(u);
        free(force);
        tearDown();
    }
}

static void test_a_ball_off_the_body_and_a_body_not_held_are_refused(void) {
    static const double depth[] = {1e-3};
    pal_err err = {0};
    pal_indent_result result;
    pal_indent_outcome outcome;
    open_block(PAL_TET4, 3, 2, 2e-3);
    pal_indent_spec spec = ball_on(3, 2, 2e-3, 4e-3, 1, depth);
    spec.at[0] += 1.0;
    CHECK_FAILS(
        PAL_ERR_USAGE, "near the ball",
        pal_indent_full(&fem, PAL_LAW_NEO_HOOKEAN, &spec, NULL, NULL, &result, &outcome, &err),
        err);
    fem.rigid_modes = 6;
    CHECK_FAILS(
        PAL_ERR_USAGE, "--fix",
        pal_indent_full(&fem, PAL_LAW_NEO_HOOKEAN, &spec, NULL, NULL, &result, &outcome, &err),
        err);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_patch_test_of_every_law);
    RUN_TEST(test_all_laws_press_alike_when_they_press_little);
    RUN_TEST(test_force_is_the_slope_of_energy);
    RUN_TEST(test_half_an_element_is_half_as_hard);
    RUN_TEST(test_places_are_dense_enough_and_a_surface_may_be_given);
    RUN_TEST(test_what_ends_early_says_so_and_neo_hookean_does_not);
    RUN_TEST(test_forces_are_those_of_getfem);
    RUN_TEST(test_a_ball_off_the_body_and_a_body_not_held_are_refused);
    return UNITY_END();
}
