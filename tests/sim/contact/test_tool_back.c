// What the coupling gives way by is taken back by the body's own motion (sim/contact/tool_back.h).
// The body is a mass on a spring, stepped by the trapezoidal rule, which makes and loses no energy
// of its own; the hand goes where it wants to.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/contact/tool_back.h"
#include "tests/unity/unity.h"

static const double dt = 1e-3, bears = 2000.0; // s; N/m that the device bears

static struct {
    double spring, mass, damper; // N/m, kg, N s/m
    double q, velocity;          // m, m/s, upwards
    double acceleration;
    double force;             // N, on the tool
    double work, least, most; // J, by the hand: now, and of all times
    double at;                // m, of the hand
    pal_body_functions functions;
    pal_body body;
    pal_tool tool;
} rig;

static bool settle(const pal_body *body, double *x) {
    (void)body;
    x[0] /= rig.spring;
    return true;
}

static double per_force(void) { // m/N, of one step
    return 1.0 / (4.0 * rig.mass / (dt * dt) + 2.0 * rig.damper / dt + rig.spring);
}

static void open_rig(double spring, double mass, double damper) {
    static const int32_t triangle[3] = {0, 1, 2};
    static const double rest[9] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0};
    static const double basis[9] = {0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0}; // up
    memset(&rig, 0, sizeof rig);
    rig.spring = spring;
    rig.mass = mass;
    rig.damper = damper;
    pal_body_init_linear(&rig.body, 1, 3, 1, triangle, rest, basis, &rig.q, &rig.velocity);
    rig.functions = *rig.body.functions;
    rig.functions.settle = settle;
    rig.body.functions = &rig.functions;
    pal_tool_init(&rig.tool, &(pal_tool_options){.stiffness = bears});
    rig.tool.alone = true;
    rig.tool.compliance = 1.0 / bears - per_force();
    rig.tool.stiffness = 1.0 / per_force();
}

void setUp(void) {
}

void tearDown(void) {
}

// One tick with the hand at `at` over the surface at rest; returns the force on it.
static double go(double at) {
    pal_pose goal = PAL_POSE_IDENTITY;
    goal.x[2] = at;
    rig.tool.goal = goal;
    pal_tool_take_back(&rig.tool, &rig.body, dt);

    const double w = per_force(), m = rig.mass, b = rig.damper, before = rig.force;
    const double free =
        w * (m * (4.0 * rig.q / (dt * dt) + 4.0 * rig.velocity / dt + rig.acceleration) +
             b * (2.0 * rig.q / dt + rig.velocity));
    rig.force = fmax(0.0, (free - rig.tool.goal.x[2]) / (rig.tool.compliance + w));
    const double q = free - w * rig.force, v = 2.0 * (q - rig.q) / dt - rig.velocity;
    rig.acceleration = 2.0 * (v - rig.velocity) / dt - rig.acceleration;
    rig.q = q;
    rig.velocity = v;

    rig.work -= 0.5 * (before + rig.force) * (at - rig.at);
    rig.least = fmin(rig.least, rig.work);
    rig.most = fmax(rig.most, rig.work);
    rig.at = at;
    rig.tool.set.count = rig.tool.last.count = rig.force > 0.0;
    rig.tool.set.item[0] = (pal_touch){.weight = {0.2, 0.3, 0.5}, .normal = {0.0, 0.0, 1.0}};
    memcpy(rig.tool.last.force[0], (double[3]){0.0, 0.0, rig.force}, 3 * sizeof(double));
    return rig.force;
}

// Slowly down to the depth, and a second there: what the hand feels in all, N/m.
static double pressed(double depth) {
    double low = INFINITY, high = 0.0;
    for (int k = 1; k <= 3000; k++) {
        const double force = go(-depth * fmin(1.0, k / 2000.0));
        low = k > 2700 ? fmin(low, force) : low;
        high = k > 2700 ? fmax(high, force) : high;
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-5 * high, high, low); // at rest nothing goes on
    return rig.force / depth;
}

// Of a body softer than the device bears (but not five times as soft as the coupling), the hand
// feels the body and nothing of the coupling, and of a harder one what the device bears.
static void test_a_slow_press_feels_the_body_alone(void) {
    static const double springs[] = {500.0, 700.0, 1500.0, 5000.0};
    for (int i = 0; i < 4; i++) {
        open_rig(springs[i], 0.02, 1.0);
        const double felt = pressed(4e-3), law = fmin(springs[i], bears);
        const double in_series = 1.0 / (1.0 / springs[i] + rig.tool.compliance);
        printf("a spring of %g N/m feels like %.1f N/m, with the coupling %.1f N/m\n", springs[i],
               felt, in_series);
        TEST_ASSERT_DOUBLE_WITHIN(2e-3 * law, law, felt);
        TEST_ASSERT_TRUE(in_series < 0.95 * law);
    }
}

// A press and its release, of 4 mm within 0.4 s, take out little energy: a tick of delay makes
// C dt f'^2 of power, and finding out how far the body gives way less than twice as much besides. A
// lag makes the mass bounce. (The body loses next to nothing that it could be made up by.)
static void test_a_press_and_release_makes_no_energy(void) {
    static const double springs[] = {700.0, 1000.0, 1500.0}, pi = 3.141592653589793;
    enum { TICKS = 400 };
    for (int i = 0; i < 3; i++) {
        open_rig(springs[i], 0.02, 0.1);
        double delayed = 0.0;
        for (int k = 0; k <= TICKS; k++) {
            const double s = sin(pi * k / TICKS), before = rig.force;
            const double change = go(-4e-3 * s * s) - before;
            delayed += rig.tool.compliance * change * change;
        }
        printf("%g N/m: %.3f mJ put in, %.4f mJ made, by a delay %.4f mJ\n", springs[i],
               1e3 * rig.most, -1e3 * rig.least, 1e3 * delayed);
        TEST_ASSERT_TRUE(rig.most > 2e-3);
        TEST_ASSERT_TRUE(-rig.least < 3.0 * delayed && -rig.least < 0.05 * rig.most);
    }
}

// Where nothing is touched nothing is taken back, however the hand moves; what was taken back fades
// when a push has ended.
static void test_without_a_push_the_goal_is_the_hands(void) {
    open_rig(700.0, 0.02, 1.0);
    for (int k = 0; k < 200; k++) {
        go(1e-3 + 0.01 * sin(0.1 * k) * sin(0.1 * k));
        TEST_ASSERT_TRUE(rig.tool.goal.x[2] == rig.at && rig.force == 0.0);
    }
    pressed(3e-3);
    TEST_ASSERT_TRUE(fabs(rig.tool.back.by[2]) > 0.9 * rig.tool.compliance * rig.force);
    for (int k = 0; k < 200; k++) {
        go(0.02);
    }
    TEST_ASSERT_TRUE(rig.force == 0.0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, rig.at, rig.tool.goal.x[2]);
}

// A body of which it is not known where it would hang, or a coupling that is to stay as it is.
static void test_what_is_not_to_be_taken_back_is_not(void) {
    for (int way = 0; way < 2; way++) {
        open_rig(700.0, 0.02, 1.0);
        rig.functions.settle = way == 0 ? NULL : settle;
        rig.tool.options.fixed_coupling = way == 1;
        const double law = 1.0 / (1.0 / 700.0 + rig.tool.compliance);
        TEST_ASSERT_DOUBLE_WITHIN(1e-3 * law, law, pressed(3e-3));
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_slow_press_feels_the_body_alone);
    RUN_TEST(test_a_press_and_release_makes_no_energy);
    RUN_TEST(test_without_a_push_the_goal_is_the_hands);
    RUN_TEST(test_what_is_not_to_be_taken_back_is_not);
    return UNITY_END();
}
