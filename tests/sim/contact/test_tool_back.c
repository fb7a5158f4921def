// What the coupling gives way by is taken back by the body's own motion (sim/contact/tool_back.h).
// The body is a mass on a spring, stepped by the trapezoidal rule, which makes and loses no energy
// of its own; the hand goes where it wants to.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/rng.h"
#include "sim/contact/tool_back.h"
#include "tests/unity/unity.h"

static const double pi = 3.141592653589793;
static const double dt = 1e-3, bears = 2000.0; // s; N/m that the device bears

static struct {
    double spring, mass, damper; // N/m, kg, N s/m
    double q, velocity;          // m, m/s, upwards
    double acceleration;
    double force;             // N, on the tool
    double work, least, most; // J, by the hand: now, and of all times
    double at;                // m, of the hand
    pal_tool tool;
} rig;

static double per_force(void) { // m/N, of one step
    return 1.0 / (4.0 * rig.mass / (dt * dt) + 2.0 * rig.damper / dt + rig.spring);
}

static void open_rig(double spring, double mass, double damper) {
    memset(&rig, 0, sizeof rig);
    rig.spring = spring;
    rig.mass = mass;
    rig.damper = damper;
    pal_tool_init(&rig.tool, &(pal_tool_options){.stiffness = bears});
    rig.tool.compliance = 1.0 / bears - per_force();
}

void setUp(void) {
}

void tearDown(void) {
}

// What contact tells of the last step, in which the surface moved by dq.
static void tell(double dq) {
    const double lasting = 1.0 / rig.spring, part = lasting - per_force();
    rig.tool.given.part = fmin(fmax(part, 0.0), rig.tool.compliance);
    rig.tool.given.share = rig.tool.given.part / lasting;
    rig.tool.given.work = rig.force * dq;
    rig.tool.force[2] = rig.force;
    if (rig.force == 0.0) {
        memset(&rig.tool.given, 0, sizeof rig.tool.given);
    }
}

// One tick with the hand at `at` over the surface at rest; returns the force on it.
static double go(double at) {
    pal_pose goal = PAL_POSE_IDENTITY;
    goal.x[2] = at;
    rig.tool.goal = goal;
    pal_tool_take_back(&rig.tool, dt);

    const double w = per_force(), m = rig.mass, b = rig.damper, before = rig.force;
    const double free =
        w * (m * (4.0 * rig.q / (dt * dt) + 4.0 * rig.velocity / dt + rig.acceleration) +
             b * (2.0 * rig.q / dt + rig.velocity));
    rig.force = fmax(0.0, (free - rig.tool.goal.x[2]) / (rig.tool.compliance + w));
    const double q = free - w * rig.force, v = 2.0 * (q - rig.q) / dt - rig.velocity;
    tell(q - rig.q);
    rig.acceleration = 2.0 * (v - rig.velocity) / dt - rig.acceleration;
    rig.q = q;
    rig.velocity = v;

    rig.work -= 0.5 * (before + rig.force) * (at - rig.at);
    rig.least = fmin(rig.least, rig.work);
    rig.most = fmax(rig.most, rig.work);
    rig.at = at;
    return rig.force;
}

// Slowly down to the depth, and three seconds there: what the hand feels in all, N/m.
static double pressed(double depth) {
    double low = INFINITY, high = 0.0;
    for (int k = 1; k <= 5000; k++) {
        const double force = go(-depth * fmin(1.0, k / 2000.0));
        low = k > 4700 ? fmin(low, force) : low;
        high = k > 4700 ? fmax(high, force) : high;
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-5 * high, high, low); // at rest nothing goes on
    return rig.force / depth;
}

// Of a body softer than the device bears, however soft, the hand feels the body and nothing of the
// coupling, and of a harder one what the device bears.
static void test_a_slow_press_feels_the_body_alone(void) {
    static const double springs[] = {20.0, 100.0, 300.0, 700.0, 1500.0, 5000.0};
    for (int i = 0; i < 6; i++) {
        open_rig(springs[i], 0.02, 1.0);
        const double felt = pressed(4e-3), law = fmin(springs[i], bears);
        const double in_series = 1.0 / (1.0 / springs[i] + rig.tool.compliance);
        printf("a spring of %g N/m feels like %.1f N/m, with the coupling %.1f N/m\n", springs[i],
               felt, in_series);
        TEST_ASSERT_DOUBLE_WITHIN(2e-3 * law, law, felt);
        TEST_ASSERT_TRUE(in_series < 0.995 * law);
    }
}

// A press and its release, of 4 mm within 0.4 s, take out no more than a tick of delay makes,
// C dt f'^2 of power. A lag of some ticks makes as many times more, and the mass bounces on it.
// (The body loses next to nothing that it could be made up by.)
static void test_a_press_and_release_makes_no_energy(void) {
    static const double springs[] = {20.0, 100.0, 300.0, 700.0, 1000.0, 1500.0, 3000.0};
    enum { TICKS = 400 };
    for (int i = 0; i < 7; i++) {
        open_rig(springs[i], 0.02, 0.1);
        double delayed = 0.0;
        for (int k = 0; k <= TICKS; k++) {
            const double s = sin(pi * k / TICKS), before = rig.force;
            const double change = go(-4e-3 * s * s) - before;
            delayed += rig.tool.compliance * change * change;
        }
        printf("%g N/m: %.3f mJ put in, %.4f mJ made, by a delay %.4f mJ\n", springs[i],
               1e3 * rig.most, -1e3 * rig.least, 1e3 * delayed);
        TEST_ASSERT_TRUE(rig.most > 0.2 * springs[i] * 4e-3 * 4e-3);
        TEST_ASSERT_TRUE(-rig.least <= delayed);
    }
}

// A hand that leads the tool about as it likes, on a body that swings by itself when it comes: over
// the seconds it gets no more than the body had, and what the delay makes.
static void test_no_motion_of_the_hand_makes_energy(void) {
    static const double springs[] = {100.0, 700.0, 1500.0};
    for (int i = 0; i < 3; i++) {
        double worst = -INFINITY;
        for (uint64_t seed = 0; seed < 20; seed++) {
            pal_rng rng = pal_rng_make(7, seed);
            open_rig(springs[i], 0.02, 0.1);
            rig.velocity = pal_rng_uniform(&rng, -0.2, 0.2);
            const double had = 0.5 * rig.mass * rig.velocity * rig.velocity;
            const double speed = pal_rng_uniform(&rng, 5.0, 60.0), other = 1.7 * speed; // rad/s
            double delayed = 0.0;
            for (int k = 0; k <= 3000; k++) {
                const double s = sin(speed * k * dt), c = sin(other * k * dt), before = rig.force;
                const double change = go(-3e-3 * (0.3 + 0.5 * s + 0.5 * c)) - before;
                delayed += rig.tool.compliance * change * change;
            }
            worst = fmax(worst, -rig.least - had - delayed);
        }
        printf("%g N/m: at most %.4f mJ beyond what the body had and a delay makes\n", springs[i],
               1e3 * worst);
        TEST_ASSERT_TRUE(worst < 1e-5);
    }
}

// Where nothing is touched nothing is taken back, however the hand moves; nor is it when a push has
// ended.
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

static void test_a_coupling_that_is_to_stay_stays(void) {
    open_rig(700.0, 0.02, 1.0);
    rig.tool.options.fixed_coupling = true;
    const double law = 1.0 / (1.0 / 700.0 + rig.tool.compliance);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3 * law, law, pressed(3e-3));
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_slow_press_feels_the_body_alone);
    RUN_TEST(test_a_press_and_release_makes_no_energy);
    RUN_TEST(test_without_a_push_the_goal_is_the_hands);
    RUN_TEST(test_no_motion_of_the_hand_makes_energy);
    RUN_TEST(test_a_coupling_that_is_to_stay_stays);
    return UNITY_END();
}
