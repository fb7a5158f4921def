// What the hand feels of its tool: the damper and the saturation.
#include <math.h>
#include <string.h>

#include "haptics/coupling.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

void setUp(void) {
}
void tearDown(void) {
}

static pal_coupling coupling_of(double delay) {
    const pal_device_limits limits = {.max_force = 3.3, .max_damping = 4.0};
    pal_coupling coupling;
    pal_coupling_init(&coupling, &limits, 1e-3, delay);
    return coupling;
}

// A body and the coupling in series.
static void test_the_felt_stiffness_is_body_and_coupling_in_series(void) {
    const pal_tool tool = {.stiffness = 300.0, .compliance = 1.0 / 600.0}, none = {0};
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 200.0, pal_coupling_felt(&tool));
    TEST_ASSERT_TRUE(pal_coupling_felt(&none) == 0.0);
}

// A spring that is sampled and held makes K T / 2 of negative damping; the damper is as strong.
static void test_the_damper_is_that_of_the_hold_and_the_delay(void) {
    const pal_tool tool = {.stiffness = 400.0, .felt = {0.0, 0.0, 1.0}};
    const double towards[3] = {0.1, 0.0, -0.5};
    double force[3];
    for (int late = 0; late < 2; late++) {
        const pal_coupling coupling = coupling_of(late * 2e-3);
        pal_coupling_force(&coupling, &tool, towards, force);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.0 + 400.0 * (late ? 2.5e-3 : 0.5e-3) * 0.5, force[2]);
        TEST_ASSERT_TRUE(force[0] == 0.0);
    }
}

// Where the body goes along with the hand its force does not change, and no damper is felt; what is
// taken back of the coupling for that motion brings the goal as much nearer.
static void test_a_hand_that_goes_with_the_body_feels_no_damper(void) {
    const pal_coupling coupling = coupling_of(0.0);
    const double v[3] = {0.0, 0.0, -0.3};
    double force[3];
    for (int part = 0; part <= 4; part++) {
        const double share = 0.25 * part;
        pal_tool tool = {.stiffness = 400.0, .felt = {0.0, 0.0, 0.1}, .force = {0.0, 0.0, 0.1}};
        tool.given.work = 0.1 * -0.3 * 1e-3; // f . du
        pal_coupling_force(&coupling, &tool, v, force);
        TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.1, force[2]);
        tool.given.share = share;
        pal_coupling_force(&coupling, &tool, v, force);
        TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.1 + 400.0 * 0.5e-3 * 0.3 * share, force[2]);
    }
}

// A tool with a mass stands between hand and body.
static void test_a_hand_that_goes_with_a_heavy_tool_feels_no_damper(void) {
    const pal_coupling coupling = coupling_of(0.0);
    const double v[3] = {0.0, 0.0, -0.3};
    double force[3];
    pal_tool tool = {.stiffness = 400.0, .felt = {0.0, 0.0, 0.1}};
    tool.options.mass = 0.05;
    tool.options.stiffness = 400.0;
    memcpy(tool.velocity, v, sizeof v);
    pal_coupling_force(&coupling, &tool, v, force);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.1, force[2]);
}

static void test_the_damper_never_pulls_and_makes_nothing_out_of_nothing(void) {
    test_random random = {5};
    const pal_coupling coupling = coupling_of(0.0);
    for (int k = 0; k < 1000; k++) {
        pal_tool tool = {.stiffness = 2000.0 * random_share(&random)};
        double v[3], force[3];
        random_fill(&random, k % 3 == 0 ? 0.0 : 1.0, tool.felt, 3);
        random_fill(&random, 20.0, v, 3);
        pal_coupling_force(&coupling, &tool, v, force);
        TEST_ASSERT_TRUE(pal_dot3(force, tool.felt) >= -1e-12);
        TEST_ASSERT_TRUE(pal_norm3(tool.felt) > 0.0 || pal_norm3(force) == 0.0);
    }
}

static void test_saturation_is_smooth_monotone_and_keeps_the_direction(void) {
    double last = 0.0, last_slope = 1.0;
    const double h = 1e-3;
    for (double size = h; size < 20.0; size += h) {
        double force[3] = {0.6 * size, 0.0, -0.8 * size};
        pal_coupling_saturate(3.3, force);
        const double now = pal_norm3(force), slope = (now - last) / h;
        TEST_ASSERT_TRUE(now >= last - 1e-12 && now < 3.3 + 1e-12);
        TEST_ASSERT_TRUE(size > 0.8 * 3.3 || fabs(now - size) < 1e-12);
        TEST_ASSERT_DOUBLE_WITHIN(5e-3, last_slope, slope); // no edge
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, -0.75 * force[2], force[0]);
        last = now;
        last_slope = slope;
    }
    double huge[3] = {1e300, 0.0, 0.0}, free[3] = {5.0, 0.0, 0.0};
    pal_coupling_saturate(3.3, huge);
    TEST_ASSERT_TRUE(isfinite(huge[0]) && huge[0] <= 3.3);
    pal_coupling_saturate(0.0, free);
    TEST_ASSERT_TRUE(free[0] == 5.0); // no limit is known
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_felt_stiffness_is_body_and_coupling_in_series);
    RUN_TEST(test_the_damper_is_that_of_the_hold_and_the_delay);
    RUN_TEST(test_a_hand_that_goes_with_the_body_feels_no_damper);
    RUN_TEST(test_a_hand_that_goes_with_a_heavy_tool_feels_no_damper);
    RUN_TEST(test_the_damper_never_pulls_and_makes_nothing_out_of_nothing);
    RUN_TEST(test_saturation_is_smooth_monotone_and_keeps_the_direction);
    return UNITY_END();
}
