// Metrics of a slide: friction and smoothness.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/synthetic.h"

static const double mu_static = 0.5, mu_sliding = 0.3, press = 0.8; // N
static pal_feel_trace trace;
static pal_feel_truth truth;

void setUp(void) {
    pal_feel_truth_none(&truth);
}
void tearDown(void) {
    pal_feel_trace_free(&trace);
    pal_feel_truth_free(&truth);
}

static pal_score score(pal_metric_id metric) {
    return synthetic_score(&trace, &truth, metric);
}

// Pressed from 0.3 to 0.6 s, held until 1 s, then along x at 20 mm/s for a second, and held.
static double along(double t) {
    return 20e-3 * fmin(1.0, fmax(0.0, t - 1.0));
}

// Coulomb's law under a spring of 300 N/m: stuck until mu_static, then mu_sliding. `factor` on the
// friction; `wedge`: two touches whose normals lean by that angle across the way.
static void open_slide(pal_trial_kind kind, double resolution, double factor, double wedge) {
    synthetic s = synthetic_press();
    s.hold = 2.1;
    synthetic_open(&trace, kind, &s);
    trace.limits.resolution = resolution;
    const double grip = press / cos(wedge); // two touches of press / (2 cos) each
    for (int64_t k = 0; k < trace.count; k++) {
        pal_tick_record *row = &trace.row[k];
        const double t = row->time, x = along(t), depth = press / 500.0;
        const double steps = resolution > 0.0 ? resolution * round(x / resolution) : x;
        const double load = fmin(1.0, fmax(0.0, (t - 0.3) / 0.3)) * (t < 2.5);
        const bool slides = 300.0 * x > mu_static * grip && t < 2.5;
        const double rubs = slides ? mu_sliding * grip : fmin(300.0 * x, mu_static * grip);
        row->position[0] = steps;
        row->position[2] = -depth * load + 1e-3 * (load == 0.0);
        row->touching = load > 0.0;
        memset(row->force, 0, sizeof row->force);
        row->normal[2] = row->touching;
        row->force[0] = -factor * rubs * (load == 1.0);
        row->force[2] = row->push[2] = press * load;
        row->grip[0] = grip * load;
        row->slipped = slides ? x - mu_static * grip / 300.0 + 1e-6 : 0.0;
    }
}

static void test_friction_of_coulombs_law_is_found(void) {
    for (int i = 0; i < 4; i++) {
        open_slide(PAL_TRIAL_FRICTION, i % 2 * 55e-6, 1.0, i / 2 * 0.5);
        truth.static_friction = mu_static;
        truth.sliding_friction = mu_sliding;
        synthetic_expect(score(PAL_METRIC_SLIDING), 0.0, 1e-6, PAL_VERDICT_PASS);
        synthetic_expect(score(PAL_METRIC_BREAKAWAY), 0.0, 0.02, PAL_VERDICT_PASS);
        pal_feel_trace_free(&trace);
        open_slide(PAL_TRIAL_FRICTION, i % 2 * 55e-6, 1.1, i / 2 * 0.5);
        synthetic_expect(score(PAL_METRIC_SLIDING), 0.1, 1e-6, PAL_VERDICT_FAIL);
        synthetic_expect(score(PAL_METRIC_BREAKAWAY), 0.1, 0.02, PAL_VERDICT_FAIL);
        tearDown();
    }
}

// From place and force alone: the force before the slide is taken for the normal.
static void test_friction_is_found_without_normals(void) {
    open_slide(PAL_TRIAL_FRICTION, 55e-6, 1.0, 0.0);
    truth.static_friction = mu_static;
    truth.sliding_friction = mu_sliding;
    for (int i = 0; i < 2; i++) {
        trace.missing = PAL_FEEL_NO_FRICTION | (i ? PAL_FEEL_NO_NORMAL | PAL_FEEL_NO_TOUCH : 0);
        synthetic_expect(score(PAL_METRIC_SLIDING), 0.0, 0.01, PAL_VERDICT_PASS);
        synthetic_expect(score(PAL_METRIC_BREAKAWAY), 0.0, 0.02, PAL_VERDICT_PASS);
    }
}

// The fall of the force when the tool breaks away is the surface's; the same in mid-slide is not.
static void test_a_breakaway_is_no_force_step(void) {
    open_slide(PAL_TRIAL_FRICTION, 0.0, 1.0, 0.0);
    const pal_score got = score(PAL_METRIC_FORCE_STEP);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PAL_VERDICT_PASS, got.verdict, got.note);
    for (int64_t k = 1800; k < trace.count; k++) {
        trace.row[k].force[0] *= 0.5;
    }
    TEST_ASSERT_EQUAL_INT(PAL_VERDICT_FAIL, score(PAL_METRIC_FORCE_STEP).verdict);
}

static void test_a_tool_that_never_slips_has_no_friction_to_measure(void) {
    open_slide(PAL_TRIAL_FRICTION, 0.0, 1.0, 0.0);
    truth.static_friction = truth.sliding_friction = mu_static;
    for (int64_t k = 0; k < trace.count; k++) {
        trace.row[k].slipped = 0.0;
    }
    const pal_score got = score(PAL_METRIC_SLIDING);
    synthetic_expect(got, NAN, 0.0, PAL_VERDICT_UNKNOWN);
    TEST_ASSERT_NOT_NULL(strstr(got.note, "does not slip"));
}

// ---- smoothness

// A surface that swells and sinks over `length`, leaning by up to `most`: of one piece, or of flat
// triangles a fifth as long whose normals jump at their edges.
static void swell(double length, double most, bool triangles) {
    open_slide(PAL_TRIAL_SLIDE, 0.0, 0.0, 0.0);
    for (int64_t k = 0; k < trace.count; k++) {
        pal_tick_record *row = &trace.row[k];
        const double x = along(row->time), side = 0.2 * length;
        const double at = triangles ? side * floor(x / side) : x;
        const double lean = most * sin(6.283185307179586 * at / length);
        row->normal[0] = row->touching * sin(lean);
        row->normal[2] = row->touching * cos(lean);
        for (int c = 0; c < 3; c += 2) {
            row->push[c] = row->force[c] = row->grip[0] * row->normal[c];
        }
    }
}

static void test_a_smooth_slide_is_smooth_and_triangles_are_not(void) {
    static const pal_metric_id ids[] = {PAL_METRIC_EDGE_ANGLE, PAL_METRIC_EDGE_JERK};
    swell(10e-3, 0.2, false);
    for (int i = 0; i < 2; i++) { // against itself below 30 Hz
        synthetic_expect(score(ids[i]), 0.0, 0.03, PAL_VERDICT_PASS);
    }
    pal_feel_trace_free(&trace);
    swell(10e-3, 0.2, true);
    for (int i = 0; i < 2; i++) {
        const pal_score got = score(ids[i]);
        TEST_ASSERT_TRUE_MESSAGE(got.value > 1.0 && got.verdict == PAL_VERDICT_FAIL, got.note);
    }
}

// 20 mm/s over a lean of 0.2 sin(2 pi x / 1 mm): the angle's rate has an rms of 0.2 2 pi v / (1 mm
// sqrt 2), 18 mrad a tick; the second difference is (v dt)^2 times the force's curvature. Beside
// what is not felt, 3.8 mN a tick, 4.7 mrad of 0.8 N.
static void test_roughness_is_compared_with_the_smooth_surfaces(void) {
    const double wave = 6.283185307179586 / 1e-3 * 20e-3 * 1e-3; // rad a tick
    const double angle = 0.2 * wave / sqrt(2.0);
    const double floor = 40e-3 * sin(3.141592653589793 * 0.03);
    swell(1e-3, 0.2, false);
    truth.smooth_angle = angle;
    const double expected = angle / hypot(angle / 1.3, floor / press) - 1.0;
    synthetic_expect(score(PAL_METRIC_EDGE_ANGLE), 0.0, 0.02, PAL_VERDICT_PASS);
    truth.smooth_angle = angle / 1.3;
    synthetic_expect(score(PAL_METRIC_EDGE_ANGLE), expected, 0.02, PAL_VERDICT_FAIL);
    pal_feel_trace_free(&trace);
    // A wave of the force itself, 200 Hz: its second difference is known exactly
    open_slide(PAL_TRIAL_SLIDE, 0.0, 0.0, 0.0);
    const double turn = 6.283185307179586 * 0.2, height = 40e-3;
    for (int64_t k = 0; k < trace.count; k++) {
        trace.row[k].force[2] += height * sin(turn * (double)k) * (trace.row[k].touching > 0);
    }
    truth.smooth_jerk = height / sqrt(2.0) * 2.0 * (1.0 - cos(turn));
    synthetic_expect(score(PAL_METRIC_EDGE_JERK), 0.0, 0.02, PAL_VERDICT_PASS);
    truth.smooth_jerk /= 1.3;
    synthetic_expect(score(PAL_METRIC_EDGE_JERK), 0.29, 0.03, PAL_VERDICT_FAIL);
}

// A flat surface turns no force at all: what no hand feels is not judged by that, what it does is.
static void test_what_is_not_felt_is_smooth_also_on_a_flat_surface(void) {
    static const struct {
        double side; // N, of a shake of 30 Hz sideways; 20 mN rms is the gate of a buzz
        pal_verdict verdict;
    } shake[] = {{20e-3, PAL_VERDICT_PASS}, {24e-3, PAL_VERDICT_FAIL}};
    for (int i = 0; i < 2; i++) {
        open_slide(PAL_TRIAL_SLIDE, 0.0, 0.0, 0.0);
        truth.smooth_angle = truth.smooth_jerk = 0.0;
        for (int64_t k = 0; k < trace.count; k++) {
            trace.row[k].force[1] = shake[i].side * sqrt(2.0) * (trace.row[k].touching > 0) *
                                    sin(6.283185307179586 * 0.03 * (double)k);
        }
        const pal_score got = score(PAL_METRIC_EDGE_ANGLE);
        TEST_ASSERT_EQUAL_INT_MESSAGE(shake[i].verdict, got.verdict, got.note);
        pal_feel_trace_free(&trace);
    }
}

// The steps of an encoder under a flat, stiff surface are the device's, not the surface's.
static void test_steps_of_the_encoder_are_no_edges(void) {
    open_slide(PAL_TRIAL_SLIDE, 0.0, 0.0, 0.0);
    const double step = 55e-6;
    for (int64_t k = 0; k < trace.count; k++) {
        pal_tick_record *row = &trace.row[k];
        const double x = along(row->time), z = -press / 500.0 + 0.5e-3 * sin(300.0 * x);
        row->position[0] = step * round(x / step);
        if (row->time >= 1.0 && row->time < 2.4) {
            row->position[2] = step * round(z / step);
            row->force[2] = row->push[2] = -500.0 * row->position[2];
            row->force[0] = -100.0 * (row->position[0] - x); // a little of it sideways
        }
    }
    TEST_ASSERT_EQUAL_INT(PAL_VERDICT_PASS, score(PAL_METRIC_EDGE_ANGLE).verdict);
    synthetic_expect(score(PAL_METRIC_EDGE_JERK), 0.0, 0.1, PAL_VERDICT_PASS);
}

static void test_without_a_slide_nothing_is_measured(void) {
    const synthetic s = synthetic_press();
    synthetic_open(&trace, PAL_TRIAL_ANY, &s);
    static const pal_metric_id ids[] = {PAL_METRIC_BREAKAWAY, PAL_METRIC_SLIDING,
                                        PAL_METRIC_EDGE_ANGLE, PAL_METRIC_EDGE_JERK};
    for (int i = 0; i < 4; i++) {
        synthetic_expect(score(ids[i]), NAN, 0.0, PAL_VERDICT_UNKNOWN);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_friction_of_coulombs_law_is_found);
    RUN_TEST(test_friction_is_found_without_normals);
    RUN_TEST(test_a_breakaway_is_no_force_step);
    RUN_TEST(test_a_tool_that_never_slips_has_no_friction_to_measure);
    RUN_TEST(test_a_smooth_slide_is_smooth_and_triangles_are_not);
    RUN_TEST(test_roughness_is_compared_with_the_smooth_surfaces);
    RUN_TEST(test_what_is_not_felt_is_smooth_also_on_a_flat_surface);
    RUN_TEST(test_steps_of_the_encoder_are_no_edges);
    RUN_TEST(test_without_a_slide_nothing_is_measured);
    return UNITY_END();
}
