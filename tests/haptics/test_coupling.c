// The virtual coupling against free space and walls.
#include "haptics/coupling.h"
#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

void setUp(void) {
}
void tearDown(void) {
}

static const double K = 1000.0, B = 2.0, dt = 1e-3;

// A wall through the origin with unit normal n: what the contact says at the tool's place.
typedef struct wall {
    double normal[3], k;
} wall;

static wall make_wall(test_random *random, double k) {
    wall w = {.k = k};
    random_fill(random, 1.0, w.normal, 3);
    double length = pal_norm3(w.normal);
    for (int c = 0; c < 3; c++) {
        w.normal[c] /= length;
    }
    return w;
}

// One tick as the servo does it; returns the normal force on the hand.
static double touch(pal_coupling *coupling, const wall *w, const double x[3], const double v[3],
                    double force[3]) {
    double depth = -pal_dot3(w->normal, coupling->tool);
    pal_coupling_move(coupling, x, v, coupling->started && depth > 0.0, w->normal, w->k, depth);
    pal_coupling_force(coupling, x, v, force);
    return pal_dot3(force, w->normal);
}

static void test_in_free_space_the_tool_is_the_device_and_there_is_no_force(void) {
    test_random random = {1};
    pal_coupling coupling;
    pal_coupling_init(&coupling, K, B);
    for (int i = 0; i < 1000; i++) {
        double x[3], v[3], n[3] = {0.0, 0.0, 1.0}, force[3];
        random_fill(&random, 0.1, x, 3);
        random_fill(&random, 2.0, v, 3);
        pal_coupling_move(&coupling, x, v, false, n, 500.0, 1.0);
        pal_coupling_force(&coupling, x, v, force);
        TEST_ASSERT_EQUAL_MEMORY(x, coupling.tool, sizeof x);
        TEST_ASSERT_EQUAL_DOUBLE(0.0, pal_norm3(force));
    }
}

static void test_a_wall_is_felt_in_series_with_the_coupling(void) {
    test_random random = {2};
    const double stiffness[] = {10.0, 150.0, 1000.0, 20000.0, 1e9};
    for (int s = 0; s < 5; s++) {
        wall w = make_wall(&random, stiffness[s]);
        double felt = K * w.k / (K + w.k), still[3] = {0.0, 0.0, 0.0}, force[3];
        for (double d = 1e-4; d < 0.01; d *= 2.0) {
            pal_coupling coupling;
            pal_coupling_init(&coupling, K, B);
            double x[3];
            for (int c = 0; c < 3; c++) {
                x[c] = -d * w.normal[c];
            }
            // The first tick finds the wall, the second one is in balance, and all stay so
            touch(&coupling, &w, x, still, force);
            for (int i = 0; i < 5; i++) {
                double f = touch(&coupling, &w, x, still, force);
                TEST_ASSERT_DOUBLE_WITHIN(1e-9 * felt * d + 1e-12, felt * d, f);
                TEST_ASSERT_DOUBLE_WITHIN(1e-9 * f + 1e-12, f, pal_norm3(force));
                double depth = -pal_dot3(w.normal, coupling.tool);
                TEST_ASSERT_DOUBLE_WITHIN(1e-6 * f, f, w.k * depth);
            }
        }
    }
}

static void test_a_wall_without_limit_holds_the_tool_at_its_surface(void) {
    pal_coupling coupling;
    pal_coupling_init(&coupling, K, B);
    double x[3] = {0.0, 0.0, -0.002}, v[3] = {0.0, 0.0, -0.1}, n[3] = {0.0, 0.0, 1.0};
    pal_coupling_move(&coupling, x, v, true, n, INFINITY, 0.002);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.0, coupling.tool[2]);
    TEST_ASSERT_EQUAL_DOUBLE(0.0, coupling.tool_velocity[2]);
}

static void test_along_the_wall_there_is_no_force(void) {
    test_random random = {3};
    wall w = make_wall(&random, 700.0);
    pal_coupling coupling;
    pal_coupling_init(&coupling, K, B);
    double along[3], x[3], v[3], force[3];
    pal_cross3(w.normal, (double[3]){0.3, -0.2, 0.9}, along);
    for (int i = 0; i < 500; i++) {
        for (int c = 0; c < 3; c++) {
            x[c] = -0.003 * w.normal[c] + 0.2 * i * dt * along[c];
            v[c] = 0.2 * along[c];
        }
        touch(&coupling, &w, x, v, force);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.0, pal_dot3(force, along));
    }
}

// A smooth press and release at a given speed; books the work done on the hand and watches every
// step of the force.
typedef struct press {
    double work, most, largest_step, least;
} press;

static press press_and_release(double seconds, double damping) {
    wall w = {{0.0, 0.0, 1.0}, 400.0};
    pal_coupling coupling;
    pal_coupling_init(&coupling, K, damping);
    press p = {0.0, 0.0, 0.0, 0.0};
    double last_z = 0.002, last_f = 0.0, force[3];
    int ticks = (int)(seconds / dt);
    for (int i = 0; i <= ticks; i++) {
        double phase = 2.0 * 3.14159265358979 * i / ticks;
        double z = -0.001 + 0.003 * cos(phase); // from +2 mm to -4 mm and back
        double rate = -0.003 * sin(phase) * 2.0 * 3.14159265358979 / seconds;
        double f =
            touch(&coupling, &w, (double[3]){0.0, 0.0, z}, (double[3]){0.0, 0.0, rate}, force);
        p.work += 0.5 * (f + last_f) * (z - last_z);
        p.most = fmax(p.most, f);
        p.least = fmin(p.least, f);
        p.largest_step = fmax(p.largest_step, fabs(f - last_f) - 400.0 * fabs(z - last_z));
        last_z = z;
        last_f = f;
    }
    return p;
}

static void test_a_slow_press_and_release_makes_no_energy(void) {
    press p = press_and_release(20.0, 0.0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.0, p.work);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.004 * K * 400.0 / (K + 400.0), p.most);
    TEST_ASSERT_TRUE(press_and_release(20.0, B).work <= 1e-9);
}

static void test_damping_takes_energy_and_never_pulls(void) {
    for (double seconds = 0.1; seconds < 5.0; seconds *= 2.0) {
        press p = press_and_release(seconds, B);
        TEST_ASSERT_TRUE(p.work < 0.0);
        TEST_ASSERT_TRUE(p.least >= -1e-12);
    }
    TEST_ASSERT_TRUE(press_and_release(0.5, B).work < press_and_release(2.0, B).work);
}

static void test_the_force_sets_in_without_a_step(void) {
    // Beyond what the motion itself explains (stiffness times distance, once more for the damper
    // that sets in, and a tick's delay at the wall)
    press p = press_and_release(0.5, B);
    TEST_ASSERT_TRUE_MESSAGE(p.largest_step < 0.05, "a step in the force");
}

static void test_leaving_the_wall_frees_the_tool_at_once(void) {
    pal_coupling coupling;
    pal_coupling_init(&coupling, K, B);
    wall w = {{0.0, 0.0, 1.0}, 400.0};
    double still[3] = {0.0, 0.0, 0.0}, force[3];
    for (int i = 0; i < 3; i++) {
        touch(&coupling, &w, (double[3]){0.0, 0.0, -0.003}, still, force);
    }
    TEST_ASSERT_TRUE(force[2] > 0.5);
    double out[3] = {0.0, 0.0, 0.001};
    touch(&coupling, &w, out, still, force);
    TEST_ASSERT_EQUAL_DOUBLE(0.0, pal_norm3(force));
    TEST_ASSERT_EQUAL_MEMORY(out, coupling.tool, sizeof out);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_in_free_space_the_tool_is_the_device_and_there_is_no_force);
    RUN_TEST(test_a_wall_is_felt_in_series_with_the_coupling);
    RUN_TEST(test_a_wall_without_limit_holds_the_tool_at_its_surface);
    RUN_TEST(test_along_the_wall_there_is_no_force);
    RUN_TEST(test_a_slow_press_and_release_makes_no_energy);
    RUN_TEST(test_damping_takes_energy_and_never_pulls);
    RUN_TEST(test_the_force_sets_in_without_a_step);
    RUN_TEST(test_leaving_the_wall_frees_the_tool_at_once);
    return UNITY_END();
}
