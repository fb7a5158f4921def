#include "devices/intents.h"

#include <math.h>

#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/sim_device.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { LEGS_MAX = 16 };
static const double PI = 3.14159265358979323846;

typedef struct script {
    pal_leg leg[LEGS_MAX];
    int count, cursor;
    double start[3], seconds;
} script;

static script plan(const pal_intent *intent, int count, const double start[3], uint64_t seed) {
    script s = {.count = count};
    pal_sim_options options = {
        .intent = intent, .intent_count = count, .seed = seed, .start = {0.0}};
    memcpy(options.start, start, sizeof options.start);
    memcpy(s.start, start, sizeof s.start);
    pal_err err = {.status = PAL_OK};
    CHECK_OK(pal_intents_plan(s.leg, &options, &err), err);
    s.seconds = pal_sim_script_seconds(&options);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, s.leg[count - 1].begins + s.leg[count - 1].seconds, s.seconds);
    return s;
}

static void target(script *s, double time, double u[3]) {
    pal_intents_target(s->leg, s->count, s->start, time, &s->cursor, u);
}

static void check_at(script *s, double time, double x, double y, double z) {
    double u[3], expected[3] = {x, y, z};
    target(s, time, u);
    for (int i = 0; i < 3; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, expected[i], u[i]);
    }
}

static const double origin[3] = {0.0, 0.0, 0.0};

static const pal_path_sample samples[] = {{0.5, {0.01, 0.0, 0.0}},
                                          {0.6, {0.02, -0.01, 0.0}},
                                          {0.9, {0.05, -0.03, 0.0}},
                                          {1.0, {0.05, 0.01, 0.0}},
                                          {2.0, {0.06, 0.02, 0.0}}};
enum { SAMPLES = sizeof samples / sizeof *samples };
static const pal_intent path = {
    .kind = PAL_INTENT_PATH, .sample = samples, .sample_count = SAMPLES};

// ---- Each kind ----------------------------------------------------------------------------------

static void test_a_move_has_minimum_jerk(void) {
    pal_intent in[] = {{.kind = PAL_INTENT_MOVE, .seconds = 2.0, .to = {0.04, 0.0, -0.02}}};
    script s = plan(in, 1, origin, 0);
    for (int k = 0; k <= 20; k++) {
        double p = k / 20.0, part = 10 * pow(p, 3) - 15 * pow(p, 4) + 6 * pow(p, 5);
        check_at(&s, 2.0 * p, 0.04 * part, 0.0, -0.02 * part);
    }
    check_at(&s, 100.0, 0.04, 0.0, -0.02);
}

static void test_a_move_by_speed_peaks_at_that_speed(void) {
    pal_intent in[] = {{.kind = PAL_INTENT_MOVE, .speed = 0.1, .to = {0.04, 0.0, 0.0}}};
    script s = plan(in, 1, origin, 0);
    double peak = 0.0, before[3], u[3];
    target(&s, 0.0, before);
    for (double t = 1e-4; t < s.seconds; t += 1e-4) {
        target(&s, t, u);
        peak = fmax(peak, (u[0] - before[0]) / 1e-4);
        before[0] = u[0];
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0.1, peak);
}

static void test_a_release_goes_back_to_where_the_press_began(void) {
    pal_intent in[] = {
        {.kind = PAL_INTENT_MOVE, .seconds = 0.5, .to = {0.01, 0.0, 0.0}},
        {.kind = PAL_INTENT_PRESS, .seconds = 0.5, .to = {0.01, -0.02, 0.0}},
        {.kind = PAL_INTENT_SLIDE, .seconds = 1.0, .to = {0.03, -0.02, 0.0}},
        {.kind = PAL_INTENT_RELEASE, .seconds = 0.5},
    };
    script s = plan(in, 4, origin, 0);
    check_at(&s, 0.5, 0.01, 0.0, 0.0);
    check_at(&s, 1.0, 0.01, -0.02, 0.0);
    check_at(&s, 2.0, 0.03, -0.02, 0.0);
    check_at(&s, 2.5, 0.01, 0.0, 0.0);
}

static void test_a_tap_goes_there_and_back_and_waits(void) {
    pal_intent in[] = {
        {.kind = PAL_INTENT_TAP, .seconds = 2.0, .speed = 0.1, .to = {0.0, 0.02, 0.0}}};
    script s = plan(in, 1, origin, 0);
    double stroke = 1.875 * 0.02 / 0.1;
    check_at(&s, 0.5 * stroke, 0.0, 0.01, 0.0);
    check_at(&s, stroke, 0.0, 0.02, 0.0);
    check_at(&s, 1.5 * stroke, 0.0, 0.01, 0.0);
    check_at(&s, 2.0 * stroke, 0.0, 0.0, 0.0);
    check_at(&s, 1.9, 0.0, 0.0, 0.0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2.0, s.seconds);
}

static void test_a_slide_has_constant_speed_in_between(void) {
    pal_intent in[] = {{.kind = PAL_INTENT_SLIDE, .speed = 0.05, .to = {0.0, 0.0, 0.1}}};
    script s = plan(in, 1, origin, 0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.1 / 0.05 + 0.1, s.seconds);
    for (double t = 0.1; t <= s.seconds - 0.1; t += 0.1) {
        check_at(&s, t, 0.0, 0.0, 0.05 * (t - 0.05));
    }
    check_at(&s, s.seconds - 1e-9, 0.0, 0.0, 0.1);
}

static void test_a_circle_goes_round_its_centre(void) {
    pal_intent in[] = {{.kind = PAL_INTENT_CIRCLE,
                        .seconds = 4.0,
                        .to = {0.0, 0.01, 0.0},
                        .axis = {0.0, 2.0, 0.0},
                        .radius = 0.03,
                        .turns = 2.5}};
    const double starts[][3] = {{0.03, 0.01, 0.0}, {0.01, 0.02, 0.0}, {0.0, 0.01, 0.0}};
    for (int k = 0; k < 3; k++) {
        script s = plan(in, 1, starts[k], 0);
        check_at(&s, 0.0, starts[k][0], starts[k][1], starts[k][2]);
        double angle = 0.0, before[3], u[3];
        target(&s, 1.0, before);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.03, hypot(before[0], before[2]));
        for (double t = 1.01; t < 4.0; t += 0.01) {
            target(&s, t, u);
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.03, hypot(u[0], u[2]));
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.01, u[1]);
            angle += asin((before[2] * u[0] - before[0] * u[2]) / (0.03 * 0.03));
            memcpy(before, u, sizeof u);
        }
        double share = (3.0 - 0.05) / 3.9; // of the way, after the first second
        TEST_ASSERT_DOUBLE_WITHIN(1e-3, 2.0 * PI * 2.5 * share, angle);
    }
}

static void test_a_circle_without_radius_keeps_its_distance(void) {
    pal_intent in[] = {
        {.kind = PAL_INTENT_CIRCLE, .seconds = 1.0, .axis = {0.0, 0.0, 1.0}, .turns = -0.5}};
    script s = plan(in, 1, (double[3]){0.02, 0.0, 0.0}, 0);
    check_at(&s, 0.5, 0.0, -0.02, 0.0);
    check_at(&s, 1.0, -0.02, 0.0, 0.0);
}

static void test_a_wander_stays_near_moves_and_obeys_its_seed(void) {
    pal_intent in[] = {
        {.kind = PAL_INTENT_WANDER, .seconds = 10.0, .to = {0.0, 0.02, 0.0}, .radius = 0.01}};
    script a = plan(in, 1, origin, 3), same = plan(in, 1, origin, 3),
           other = plan(in, 1, origin, 4);
    double most = 0.0, apart = 0.0;
    for (double t = 1.0; t < 9.0; t += 0.01) {
        double u[3], v[3], w[3], d[3];
        target(&a, t, u);
        target(&same, t, v);
        target(&other, t, w);
        TEST_ASSERT_EQUAL_INT(0, memcmp(u, v, sizeof u));
        pal_sub3(u, in[0].to, d);
        TEST_ASSERT_TRUE(pal_norm3(d) <= 0.01);
        most = fmax(most, pal_norm3(d));
        pal_sub3(u, w, d);
        apart = fmax(apart, pal_norm3(d));
    }
    TEST_ASSERT_TRUE(most > 0.004 && apart > 0.004);
    check_at(&a, 10.0, 0.0, 0.02, 0.0);
}

// ---- All of them --------------------------------------------------------------------------------

static const pal_intent everything[] = {
    {.kind = PAL_INTENT_HOLD, .seconds = 0.2},
    {.kind = PAL_INTENT_MOVE, .speed = 10.0, .to = {0.01, 0.0, 0.0}}, // as fast as a hand can
    {.kind = PAL_INTENT_PRESS, .seconds = 0.4, .to = {0.01, -0.01, 0.0}},
    {.kind = PAL_INTENT_TAP, .speed = 10.0, .to = {0.01, -0.015, 0.0}},
    {.kind = PAL_INTENT_SLIDE, .seconds = 0.5, .to = {-0.01, -0.01, 0.01}},
    {.kind = PAL_INTENT_CIRCLE, .seconds = 0.9, .axis = {0, 1, 0}, .radius = 0.02, .turns = 2.0},
    {.kind = PAL_INTENT_WANDER, .seconds = 2.0, .radius = 0.02},
    {.kind = PAL_INTENT_RELEASE, .seconds = 0.3},
    {.kind = PAL_INTENT_HOLD, .seconds = 0.1},
};
enum { EVERYTHING = sizeof everything / sizeof *everything };

static void test_the_target_and_its_velocity_are_continuous(void) {
    script s = plan(everything, EVERYTHING, (double[3]){0.0, 0.01, 0.0}, 1);
    double h = 1e-5, before[3] = {0.0, 0.01, 0.0}, velocity[3] = {0}, u[3];
    for (double t = h; t < s.seconds + 0.1; t += h) {
        target(&s, t, u);
        for (int i = 0; i < 3; i++) {
            double v = (u[i] - before[i]) / h;
            TEST_ASSERT_DOUBLE_WITHIN(1e-3, velocity[i], v); // no acceleration above 100 m/s^2
            velocity[i] = v;
            before[i] = u[i];
        }
    }
}

// Little of the target's velocity is above 10 Hz: one slow Fourier sum.
static void test_the_target_stays_below_ten_hertz(void) {
    script s = plan(everything, EVERYTHING, origin, 1);
    enum { RATE = 250 };
    int count = (int)(s.seconds * RATE);
    double low = 0.0, high = 0.0, u[3], velocity[4096], before = 0.0;
    TEST_ASSERT_TRUE(count < 4096);
    for (int k = 0; k < count; k++) {
        target(&s, (k + 1.0) / RATE, u);
        velocity[k] = u[0] - before;
        before = u[0];
    }
    for (int f = 1; f < count / 2; f++) {
        double re = 0.0, im = 0.0;
        for (int k = 0; k < count; k++) {
            re += velocity[k] * cos(2.0 * PI * f * k / count);
            im += velocity[k] * sin(2.0 * PI * f * k / count);
        }
        *(f / s.seconds < 10.0 ? &low : &high) += re * re + im * im;
    }
    TEST_ASSERT_TRUE(high < 0.03 * low);
}

static void test_a_path_passes_its_samples_smoothly_and_overshoots_none(void) {
    script s = plan(&path, 1, origin, 0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2.0, s.seconds);
    double before[3] = {0.0}, speed[3] = {0.0}, u[3];
    const double h = 1e-4;
    int next = 0;
    for (int k = 1; k <= 21000; k++) {
        target(&s, k * h, u);
        for (int i = 0; i < 3; i++) {
            double low = fmin(samples[next].x[i], next > 0 ? samples[next - 1].x[i] : 0.0);
            double high = fmax(samples[next].x[i], next > 0 ? samples[next - 1].x[i] : 0.0);
            TEST_ASSERT_TRUE(u[i] >= low - 1e-12 && u[i] <= high + 1e-12);
            double now = (u[i] - before[i]) / h;
            TEST_ASSERT_DOUBLE_WITHIN(5e-3, speed[i], now); // no kink
            speed[i] = now;
            before[i] = u[i];
        }
        if (next < SAMPLES - 1 && fabs(k * h - samples[next].time) < 0.5 * h) {
            for (int i = 0; i < 3; i++) {
                TEST_ASSERT_DOUBLE_WITHIN(1e-9, samples[next].x[i], u[i]);
            }
            next++;
        }
    }
    check_at(&s, 100.0, 0.06, 0.02, 0.0); // held
}

// A device keeps the samples as they were when it was opened.
static void test_a_path_is_copied(void) {
    pal_path_sample own[SAMPLES];
    memcpy(own, samples, sizeof own);
    const pal_intent mine = {.kind = PAL_INTENT_PATH, .sample = own, .sample_count = SAMPLES};
    pal_sim_options options;
    pal_sim_defaults(&options, pal_device_profile("touch"));
    options.intent = &mine;
    options.intent_count = 1;
    pal_device device;
    pal_err err = {.status = PAL_OK};
    CHECK_OK(pal_device_open_sim(&device, &options, &err), err);
    memset(own, 0, sizeof own);
    for (int k = 0; k < 4000; k++) {
        device.functions->advance(&device, 1e-3);
    }
    pal_sim_truth truth;
    pal_sim_read_truth(&device, &truth);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.06, truth.position[0]);
    pal_device_close(&device);
}

static void refuse(pal_intent intent, const char *part) {
    pal_sim_options options = sim_alone();
    options.intent = &intent;
    options.intent_count = 1;
    pal_device device;
    pal_err err = {.status = PAL_OK};
    CHECK_FAILS(PAL_ERR_USAGE, part, pal_device_open_sim(&device, &options, &err), err);
}

static void test_intents_without_sense_are_refused(void) {
    refuse((pal_intent){.kind = PAL_INTENT_MOVE}, "intent 0 (move): give seconds or speed");
    refuse((pal_intent){.kind = PAL_INTENT_RELEASE, .seconds = 1.0}, "no press");
    refuse((pal_intent){.kind = PAL_INTENT_WANDER, .speed = 1.0}, "give seconds");
    refuse((pal_intent){.kind = PAL_INTENT_HOLD, .seconds = -1.0}, "negative");
    refuse((pal_intent){.kind = PAL_INTENT_HOLD, .seconds = INFINITY}, "not finite");
    refuse((pal_intent){.kind = PAL_INTENT_CIRCLE, .seconds = 1.0, .turns = 1.0}, "axis");
    refuse((pal_intent){.kind = PAL_INTENT_CIRCLE, .seconds = 1.0, .turns = 1.0, .axis = {1.0}},
           "give a radius");
    refuse((pal_intent){.kind = (pal_intent_kind)-1}, "unknown kind");
    refuse((pal_intent){.kind = PAL_INTENT_PATH}, "it has no samples");
    const pal_path_sample back[] = {{0.0, {0.0}}, {0.0, {0.1}}}, away = {0.0, {0.1, 0.0, 0.0}};
    refuse((pal_intent){.kind = PAL_INTENT_PATH, .sample = back, .sample_count = 2}, "and grow");
    refuse((pal_intent){.kind = PAL_INTENT_PATH, .sample = &away, .sample_count = 1}, "elsewhere");
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_move_has_minimum_jerk);
    RUN_TEST(test_a_move_by_speed_peaks_at_that_speed);
    RUN_TEST(test_a_release_goes_back_to_where_the_press_began);
    RUN_TEST(test_a_tap_goes_there_and_back_and_waits);
    RUN_TEST(test_a_slide_has_constant_speed_in_between);
    RUN_TEST(test_a_circle_goes_round_its_centre);
    RUN_TEST(test_a_circle_without_radius_keeps_its_distance);
    RUN_TEST(test_a_wander_stays_near_moves_and_obeys_its_seed);
    RUN_TEST(test_the_target_and_its_velocity_are_continuous);
    RUN_TEST(test_the_target_stays_below_ten_hertz);
    RUN_TEST(test_a_path_passes_its_samples_smoothly_and_overshoots_none);
    RUN_TEST(test_a_path_is_copied);
    RUN_TEST(test_intents_without_sense_are_refused);
    return UNITY_END();
}
