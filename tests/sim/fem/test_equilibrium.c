// Laws of the full static and dynamic solvers.
#include <math.h>
#include <stdlib.h>

#include "sim/fem/dynamic.h"
#include "sim/fem/static.h"
#include "sim/mesh/block.h"
#include "tests/support/block_body.h"
#include "tests/support/check.h"

void setUp(void) {
}

void tearDown(void) {
}

static pal_err err;

// A steel wire, 1 m long and 1 mm thick: the terms that cancel in its internal forces are so much
// larger than a load that bends it that the residual stays far above the usual tolerance.
static void open_wire(block_body *body) {
    const pal_material steel = {2e11, 0.3, 7850.0};
    const int32_t n[3] = {200, 2, 2};
    CHECK_OK(pal_mesh_block(PAL_HEX8, n, 0.0005, &body->mesh, &err), err);
    for (int32_t v = 0; v < body->mesh.vertex_count; v++) {
        body->mesh.x[3 * (int64_t)v] *= 10.0;
    }
    uint8_t *held = block_held(&body->mesh);
    CHECK_OK(pal_fem_init(&body->fem, &body->mesh, &steel, held, PAL_MASS_CONSISTENT, &err), err);
    free(held);
}

// A full vector with a total force at the far end of a body of length 1 m.
static double *end_load(const block_body *body, double newton) {
    const double total[3] = {0.0, 0.0, newton};
    double *f = calloc(3 * (size_t)body->mesh.vertex_count, sizeof *f);
    CHECK_OK(pal_fem_add_load(&body->fem, "x>0.999", total, f, &err), err);
    return f;
}

static double static_tip(block_body *body, double newton) {
    pal_static_report report;
    double *f = end_load(body, newton), mean[3];
    double *u = calloc(3 * (size_t)body->mesh.vertex_count, sizeof *u);
    CHECK_OK(pal_static_solve(&body->fem, f, NULL, NULL, u, &report, &err), err);
    CHECK_OK(pal_fem_probe(&body->fem, "x>0.999", u, mean, &err), err);
    free(f);
    free(u);
    return mean[2];
}

typedef struct tip {
    block_body *body;
    double z;
} tip;

static bool keep_tip(void *user, int step, double time, const double *u, const double *v,
                     double kinetic, double strain) {
    (void)step, (void)time, (void)v, (void)kinetic, (void)strain;
    tip *t = user;
    double mean[3];
    CHECK_OK(pal_fem_probe(&t->body->fem, "x>0.999", u, mean, &err), err);
    t->z = mean[2];
    return true;
}

static double dynamic_tip(block_body *body, double newton, double dt, int steps) {
    const pal_dynamic_options options = {.dt = dt, .steps = steps};
    tip t = {.body = body};
    double *f = end_load(body, newton);
    CHECK_OK(pal_dynamic_run(&body->fem, f, &options, NULL, keep_tip, &t, &err), err);
    free(f);
    return t.z;
}

static void test_slender_body_settles(void) {
    block_body wire;
    open_wire(&wire);
    double small = static_tip(&wire, 1e-5), double_load = static_tip(&wire, 2e-5);
    TEST_ASSERT_TRUE(small > 0.0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4 * small, 2.0 * small, double_load);
    block_close(&wire);
}

// Nine tenths of the load, then all of it from there: the same rest as all of it at once, in fewer
// steps.
static void test_it_goes_on_from_a_smaller_load(void) {
    block_body wire;
    open_wire(&wire);
    const size_t n = 3 * (size_t)wire.mesh.vertex_count;
    double *f = end_load(&wire, 0.02), *u = calloc(n, sizeof *u),
           *most_of = calloc(n, sizeof *most_of);
    double *at_once = calloc(n, sizeof *at_once);
    pal_static_report once, onward;
    CHECK_OK(pal_static_solve(&wire.fem, f, NULL, NULL, at_once, &once, &err), err);
    for (size_t k = 0; k < n; k++) {
        f[k] *= 0.9;
    }
    CHECK_OK(pal_static_solve(&wire.fem, f, NULL, NULL, most_of, &onward, &err), err);
    for (size_t k = 0; k < n; k++) {
        f[k] /= 0.9;
    }
    const pal_static_options options = {.start = most_of, .start_load = 0.9};
    CHECK_OK(pal_static_solve(&wire.fem, f, &options, NULL, u, &onward, &err), err);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.0, onward.load);
    TEST_ASSERT_TRUE(onward.newton_iterations < once.newton_iterations);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4 * once.energy, once.energy, onward.energy);
    for (size_t k = 0; k < n; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-5, at_once[k], u[k]);
    }
    free(f);
    free(u);
    free(most_of);
    free(at_once);
    block_close(&wire);
}

static void test_slender_body_moves(void) {
    block_body wire;
    open_wire(&wire);
    TEST_ASSERT_TRUE(dynamic_tip(&wire, 1e-2, 0.1, 3) > 0.0);
    block_close(&wire);
}

// Under loads that bend it little the motion is proportional to the load, however small.
static void test_motion_under_tiny_loads_is_linear(void) {
    block_body beam;
    const block_shape shape = {.kind = PAL_HEX8, .n = {10, 1, 1}, .h = 0.1};
    block_open(&beam, &shape);
    double one = dynamic_tip(&beam, 1e-6, 0.01, 10), less = dynamic_tip(&beam, 1e-12, 0.01, 10);
    TEST_ASSERT_TRUE(one > 0.0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-8 * one, one, 1e6 * less);
    block_close(&beam);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_slender_body_settles);
    RUN_TEST(test_it_goes_on_from_a_smaller_load);
    RUN_TEST(test_slender_body_moves);
    RUN_TEST(test_motion_under_tiny_loads_is_linear);
    return UNITY_END();
}
