// What went otherwise in a trial, found in its trace: runs that end in contact, tools that slip off
// or are held back.
#include <math.h>
#include <string.h>

#include "haptics/command.h"
#include "haptics/feel/incident.h"
#include "tests/support/synthetic.h"

static pal_feel_trace trace;

void setUp(void) {
}
void tearDown(void) {
    pal_feel_trace_free(&trace);
}

// Touches at 0.5 s, is held 4 mm deep from 0.9 to 2.4 s, is free again at 2.8 s.
static void open_press(pal_trial_kind kind) {
    const synthetic s = synthetic_press();
    synthetic_open(&trace, kind, &s);
}

static pal_incident found(void) {
    pal_incident incident;
    pal_err err = {0};
    CHECK_OK(pal_feel_find_incident(&trace, &incident, &err), err);
    return incident;
}

static void expect(pal_incident_kind kind, double at) {
    const pal_incident incident = found();
    TEST_ASSERT_EQUAL_STRING_MESSAGE(pal_incident_name(kind), pal_incident_name(incident.kind),
                                     incident.why);
    if (kind != PAL_INCIDENT_NONE) {
        TEST_ASSERT_DOUBLE_WITHIN(3e-3, at, incident.at);
    }
}

static void take_touch(int64_t first, int64_t last) {
    static const double none[3];
    for (int64_t k = first; k <= last; k++) {
        pal_tick_record *row = &trace.row[k];
        row->touching = 0;
        memcpy(row->force, none, sizeof none);
        memcpy(row->wanted, none, sizeof none);
        memcpy(row->push, none, sizeof none);
    }
}

// The end of a run, as the servo makes it: the force is gone from one tick to the next.
static void stop_at(int64_t tick) {
    static const double none[3];
    trace.row[tick].commands = 1u << PAL_COMMAND_STOP;
    for (int64_t k = tick; k < tick + 7; k++) {
        memcpy(trace.row[k].force, none, sizeof none);
    }
    trace.count = tick + 7;
}

static void test_a_whole_press_is_none(void) {
    for (int kind = 0; kind < PAL_TRIAL_KINDS; kind++) {
        open_press((pal_trial_kind)kind);
        expect(PAL_INCIDENT_NONE, 0.0);
        tearDown();
    }
}

static void test_the_end_of_a_run_in_contact_is_no_click(void) {
    open_press(PAL_TRIAL_ANY);
    stop_at(2000);
    TEST_ASSERT_EQUAL_INT(PAL_VERDICT_FAIL,
                          synthetic_score(&trace, NULL, PAL_METRIC_FORCE_STEP).verdict);
    pal_feel_trace_cut_end(&trace);
    TEST_ASSERT_EQUAL_INT(2000, (int)trace.count);
    TEST_ASSERT_EQUAL_INT(7, (int)trace.cut);
    synthetic_expect(synthetic_score(&trace, NULL, PAL_METRIC_FORCE_STEP), 0.0, 0.01,
                     PAL_VERDICT_PASS);
    expect(PAL_INCIDENT_CUT, 2.0);
}

static void test_a_run_that_ends_off_the_surface_stays_whole(void) {
    open_press(PAL_TRIAL_ANY);
    stop_at(3000);
    pal_feel_trace_cut_end(&trace);
    TEST_ASSERT_EQUAL_INT(3007, (int)trace.count);
    TEST_ASSERT_EQUAL_INT(0, (int)trace.cut);
    expect(PAL_INCIDENT_NONE, 0.0);
}

static void test_a_touch_that_is_lost_in_a_hold_is_a_slip(void) {
    open_press(PAL_TRIAL_BEND);
    take_touch(1500, trace.count - 1);
    expect(PAL_INCIDENT_SLIPPED, 1.5);
    TEST_ASSERT_NOT_NULL(strstr(found().why, "slips off at 1.499 s, 4.0 mm deep"));
}

static void test_a_touch_that_is_lost_on_the_way_in_is_a_slip(void) {
    open_press(PAL_TRIAL_PRESS);
    take_touch(800, trace.count - 1);
    expect(PAL_INCIDENT_SLIPPED, 0.8);
}

static void test_bounces_releases_and_taps_are_no_slips(void) {
    open_press(PAL_TRIAL_BEND);
    take_touch(1500, 1700); // and is back in the same hold
    expect(PAL_INCIDENT_NONE, 0.0);
    tearDown();
    open_press(PAL_TRIAL_BEND);
    take_touch(2500, trace.count - 1); // the body follows the hand slowly
    expect(PAL_INCIDENT_NONE, 0.0);
    tearDown();
    open_press(PAL_TRIAL_TAP);
    take_touch(1500, trace.count - 1);
    expect(PAL_INCIDENT_NONE, 0.0);
}

// While the hand withdraws: held back by what lies over the tool, or by a pull (adhesion).
static void hold_back(int64_t first, int64_t last, double normal, double newton) {
    for (int64_t k = first; k <= last; k++) {
        pal_tick_record *row = &trace.row[k];
        row->touching = 2;
        row->normal[2] = normal;
        row->force[2] = row->wanted[2] = row->push[2] = -newton;
    }
}

static void test_a_tool_that_is_held_back_is_wedged(void) {
    open_press(PAL_TRIAL_BEND);
    hold_back(2600, 2750, -1.0, 0.1);
    expect(PAL_INCIDENT_WEDGED, 2.6);
    TEST_ASSERT_NOT_NULL(strstr(found().why, "holds it back with up to 100 mN"));
}

static void test_sticking_grasping_and_what_is_not_felt_are_no_wedge(void) {
    open_press(PAL_TRIAL_BEND);
    hold_back(2600, 2750, 1.0, 0.1); // adhesion pulls along its own normal
    expect(PAL_INCIDENT_NONE, 0.0);
    hold_back(2600, 2750, -1.0, 0.01);
    expect(PAL_INCIDENT_NONE, 0.0);
    hold_back(2600, 2610, -1.0, 0.1); // too short
    expect(PAL_INCIDENT_NONE, 0.0);
    hold_back(1000, 1200, -1.0, 0.1); // in the hold, where nothing withdraws
    expect(PAL_INCIDENT_NONE, 0.0);
    hold_back(2600, 2750, -1.0, 0.1);
    for (int64_t k = 0; k < trace.count; k++) {
        trace.row[k].buttons = 1;
    }
    expect(PAL_INCIDENT_NONE, 0.0);
}

static void test_a_tool_may_slip_under_what_then_holds_it(void) {
    open_press(PAL_TRIAL_BEND);
    take_touch(1500, trace.count - 1);
    hold_back(2600, 3000, -1.0, 0.1);
    expect(PAL_INCIDENT_SLIPPED_WEDGED, 1.5);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_whole_press_is_none);
    RUN_TEST(test_the_end_of_a_run_in_contact_is_no_click);
    RUN_TEST(test_a_run_that_ends_off_the_surface_stays_whole);
    RUN_TEST(test_a_touch_that_is_lost_in_a_hold_is_a_slip);
    RUN_TEST(test_a_touch_that_is_lost_on_the_way_in_is_a_slip);
    RUN_TEST(test_bounces_releases_and_taps_are_no_slips);
    RUN_TEST(test_a_tool_that_is_held_back_is_wedged);
    RUN_TEST(test_sticking_grasping_and_what_is_not_felt_are_no_wedge);
    RUN_TEST(test_a_tool_may_slip_under_what_then_holds_it);
    return UNITY_END();
}
