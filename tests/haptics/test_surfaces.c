// How surfaces feel, region by region: a ball on a soft block, moved by a hand that does not give
// way.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/contact/texture.h"
#include "tests/support/check.h"
#include "tests/support/live_block.h"
#include "tests/support/touch_bench.h"

static const double above = LIVE_BLOCK_TOP + TOUCH_RADIUS; // where the ball just touches

static pal_model halves; // "body" on the left, "right" on the right
static touch_bench b;

void setUp(void) {
}
void tearDown(void) {
}

static void lower(double x, double depth) {
    touch_bench_go(&b, x, 0.03, above + 0.002);
    touch_bench_travel(&b, x, 0.03, above - depth, 300, 300);
}

// ---- regions

static pal_surface_law nothing(void) {
    return (pal_surface_law){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

static void test_every_triangle_has_the_region_of_the_element_below_it(void) {
    touch_bench_open(&b, &halves, 200.0);
    int right = 0;
    for (int64_t t = 0; t < b.live.body.triangle_count; t++) {
        double x = 0.0;
        for (int k = 0; k < 3; k++) {
            x += b.live.body.rest[3 * (int64_t)b.live.body.triangle[3 * t + k]] / 3.0;
        }
        TEST_ASSERT_EQUAL_INT(x > 0.03, b.live.region_of_triangle[t]);
        right += x > 0.03;
    }
    TEST_ASSERT_EQUAL_INT(b.live.body.triangle_count / 2, right);
    touch_bench_close(&b);
}

static void test_rules_lie_over_the_base_and_regions_over_the_whole_body(void) {
    pal_err err = {0};
    pal_surface_rule rule[3] = {{.region = "right", .law = nothing()}, {.law = nothing()}};
    rule[0].law.adhesion = 7.0;
    rule[1].law.dynamic_friction = rule[1].law.static_friction = 0.4;
    pal_surface_law base = PAL_SURFACE_LAW_DEFAULT;
    base.stiffness = 3e8;
    touch_bench_open(&b, &halves, 200.0);
    CHECK_OK(pal_live_body_set_surface(&b.live, &halves, &base, rule, 2, &err), err);
    for (int64_t t = 0; t < b.live.body.triangle_count; t++) {
        const pal_surface_law *law = &b.live.law[b.live.law_of_triangle[t]];
        TEST_ASSERT_TRUE(law->dynamic_friction == 0.4 && law->stiffness == 3e8);
        TEST_ASSERT_TRUE(law->adhesion == (b.live.region_of_triangle[t] == 1 ? 7.0 : 0.0));
    }
    strcpy(rule[0].region, "rihgt");
    CHECK_FAILS(PAL_ERR_INPUT, "no region 'rihgt'; its regions: body, right",
                pal_live_body_set_surface(&b.live, &halves, &base, rule, 2, &err), err);
    touch_bench_close(&b);
}

// The ball slides from one friction to the other.
static void test_a_tool_feels_the_region_that_it_is_on(void) {
    pal_err err = {0};
    pal_surface_rule rule = {.region = "right", .law = nothing()};
    const pal_surface_law base = PAL_SURFACE_LAW_DEFAULT;
    rule.law.dynamic_friction = rule.law.static_friction = 0.5;
    touch_bench_open(&b, &halves, 200.0);
    CHECK_OK(pal_live_body_set_surface(&b.live, &halves, &base, &rule, 1, &err), err);
    lower(0.02, 3e-3);
    double ratio[2] = {0.0};
    for (int k = 1; k <= 1000; k++) { // 20 mm/s, from x = 20 to 40 mm
        touch_bench_go(&b, 0.02 + 2e-5 * k, 0.03, above - 3e-3);
        const int side = k < 250 ? 0 : 1;
        if (k < 250 || k > 800) {
            ratio[side] = fmax(ratio[side], fabs(b.tool.force[0] / b.tool.force[2]));
        }
    }
    TEST_ASSERT_TRUE(ratio[0] < 0.05);
    TEST_ASSERT_DOUBLE_WITHIN(0.05, 0.5, ratio[1]);
    touch_bench_close(&b);
}

// ---- the layer

// In balance a layer is pressed in by the pressure over its stiffness, whatever its damping.
static void test_a_soft_layer_gives_way_by_its_stiffness_and_damping_only_delays_it(void) {
    double depth[2], first[2], force[2];
    for (int damped = 0; damped < 2; damped++) {
        touch_bench_open(&b, live_block_model(), 1e6);
        b.live.law[0].stiffness = 2e7;
        b.live.law[0].damping = damped ? 2e5 : 0.0;
        touch_bench_go(&b, 0.03, 0.03, above + 1e-4);
        touch_bench_go(&b, 0.03, 0.03, above - 1e-3);
        first[damped] = b.tool.force[2];
        touch_bench_travel(&b, 0.03, 0.03, above - 1e-3, 1, 500);
        depth[damped] = b.tool.depth;
        force[damped] = b.tool.force[2];
        double carried = 0.0;
        for (int32_t k = 0; k < b.tool.last.count; k++) {
            const pal_touch *touch = &b.tool.set.item[k];
            carried += 2e7 * touch->area * touch->normal[2] * fmax(0.0, -b.tool.last.gap[k]);
        }
        TEST_ASSERT_DOUBLE_WITHIN(0.02 * carried, carried, b.tool.force[2]);
        touch_bench_close(&b);
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.01 * depth[0], depth[0], depth[1]);
    TEST_ASSERT_DOUBLE_WITHIN(0.01 * force[0], force[0], force[1]);
    TEST_ASSERT_TRUE(depth[0] > 2e-4);
    TEST_ASSERT_TRUE(first[1] > 1.5 * first[0]); // struck, the damper adds
}

// ---- texture

static void test_bumps_are_as_high_and_as_far_apart_as_the_law_says(void) {
    const pal_surface_law law = {.texture_height = 1e-4, .texture_length = 2e-3};
    double least = INFINITY, most = -INFINITY;
    for (int k = 0; k <= 200; k++) {
        const pal_texture_ground ground = {{1e-5 * k, 0.0005, 0.03}, {0.0, 0.0, 1.0}};
        const pal_texture_ground next = {{1e-5 * k + 2e-3, 0.0005, 0.03}, {0.0, 0.0, 1.0}};
        const double h = pal_texture_height(&law, &ground);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, h, pal_texture_height(&law, &next));
        TEST_ASSERT_TRUE(h <= 0.0);
        least = fmin(least, h);
        most = fmax(most, h);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, 1e-4, most - least);
}

// The force of a slide of 16 mm over the block, less its mean.
enum { SLIDE = 800 };
static void slide_force(double height, double from, double to, double force[SLIDE]) {
    touch_bench_open(&b, live_block_model(), 200.0);
    b.live.law[0].texture_height = height;
    b.live.law[0].texture_length = 2e-3;
    lower(from, 3e-3);
    double mean = 0.0;
    for (int k = 0; k < SLIDE; k++) { // 20 mm/s
        touch_bench_go(&b, from + (to - from) * (k + 1) / SLIDE, 0.03, above - 3e-3);
        force[k] = b.tool.force[2];
        mean += force[k] / SLIDE;
    }
    for (int k = 0; k < SLIDE; k++) {
        force[k] -= mean;
    }
    touch_bench_close(&b);
}

static double amplitude_at(const double force[SLIDE], double periods) {
    double c = 0.0, s = 0.0;
    for (int k = 0; k < SLIDE; k++) {
        const double angle = 2.0 * M_PI * periods * (k + 1) / SLIDE;
        c += 2.0 * force[k] * cos(angle) / SLIDE;
        s += 2.0 * force[k] * sin(angle) / SLIDE;
    }
    return sqrt(c * c + s * s);
}

// The hand meets at most 200 N/m: bumps of 0.1 mm are a ripple of at most 10 mN at each side,
// beside what the triangles of the smooth block make.
static void test_sliding_over_bumps_makes_the_force_go_up_and_down_with_them(void) {
    static double there[SLIDE], back[SLIDE], smooth[SLIDE], bumps[SLIDE];
    slide_force(1e-4, 0.022, 0.038, there);
    slide_force(1e-4, 0.038, 0.022, back);
    slide_force(0.0, 0.022, 0.038, smooth);
    for (int k = 0; k < SLIDE; k++) {
        bumps[k] = there[k] - smooth[k];
    }
    const double bumpy = amplitude_at(there, 8.0), flat = amplitude_at(smooth, 8.0);
    const double own = amplitude_at(bumps, 8.0);
    char message[128];
    snprintf(message, sizeof message, "%.2f mN with bumps, %.2f without, %.2f the bumps alone",
             1e3 * bumpy, 1e3 * flat, 1e3 * own);
    TEST_ASSERT_TRUE_MESSAGE(own > 6e-3 && own < 1.06e-2, message);
    TEST_ASSERT_TRUE_MESSAGE(flat < 0.15 * bumpy, message);
    TEST_ASSERT_TRUE(amplitude_at(there, 5.0) < 0.3 * bumpy);
    // The bumps are the body's: the same place feels the same from the other side
    double same = 0.0, size = 0.0;
    for (int k = 0; k < SLIDE - 1; k++) {
        same += there[k] * back[SLIDE - 2 - k];
        size += there[k] * there[k];
    }
    TEST_ASSERT_TRUE(same > 0.8 * size);
}

// ---- stick and slip

typedef struct jerks {
    int drops;
    double top, bottom; // mean ratio of rubbing and pressing force before and after the drops
} jerks;

static jerks drag(double stick_speed, double speed) {
    jerks j = {0};
    touch_bench_open(&b, live_block_model(), 200.0);
    b.live.law[0].static_friction = 0.6;
    b.live.law[0].dynamic_friction = 0.3;
    b.live.law[0].stick_speed = stick_speed;
    lower(0.02, 3e-3);
    double last = 0.0, lowest = 0.0;
    int since = 0; // ticks after a drop
    for (double x = 0.02; x < 0.04; x += speed * TOUCH_DT) {
        touch_bench_go(&b, x, 0.03, above - 3e-3);
        const double ratio = -b.tool.force[0] / b.tool.force[2];
        if (last - ratio > 0.1 && (since == 0 || since > 5)) {
            j.drops++;
            j.top += last;
            since = 1;
            lowest = ratio;
        }
        lowest = fmin(lowest, ratio);
        if (since > 0 && since++ == 5) {
            j.bottom += lowest;
        }
        last = ratio;
    }
    j.top /= j.drops;
    j.bottom /= j.drops;
    touch_bench_close(&b);
    return j;
}

static void test_below_its_stick_speed_a_tool_goes_on_in_jerks(void) {
    const jerks jerky = drag(0.05, 0.025), even = drag(5e-4, 0.025), fast = drag(0.05, 0.1);
    char message[128];
    snprintf(message, sizeof message, "%d drops from %.3f to %.3f; even: %d, fast: %d", jerky.drops,
             jerky.top, jerky.bottom, even.drops, fast.drops);
    TEST_ASSERT_TRUE_MESSAGE(jerky.drops >= 5, message);
    TEST_ASSERT_DOUBLE_WITHIN(0.04, 0.6, jerky.top);
    TEST_ASSERT_DOUBLE_WITHIN(0.04, 0.3, jerky.bottom);
    TEST_ASSERT_TRUE_MESSAGE(even.drops == 1 && fast.drops == 1, message); // the breakaway
}

// ---- adhesion

// The largest pull on the way up.
static double pull_off(double adhesion, double *area) {
    touch_bench_open(&b, live_block_model(), 200.0);
    b.live.law[0].adhesion = adhesion;
    lower(0.03, 2e-3);
    double least = 0.0;
    *area = 0.0;
    for (int32_t k = 0; k < b.tool.last.count; k++) {
        *area += b.tool.last.gap[k] <= 0.0 ? b.tool.set.item[k].area : 0.0;
    }
    for (int k = 1; k <= 1500; k++) {
        touch_bench_go(&b, 0.03, 0.03, above - 2e-3 + 1e-5 * k);
        least = fmin(least, b.tool.force[2]);
    }
    TEST_ASSERT_TRUE(pal_norm3(b.tool.force) == 0.0);
    touch_bench_close(&b);
    return -least;
}

static void test_adhesion_pulls_with_its_strength_at_most_and_then_lets_go(void) {
    double area;
    const double none = pull_off(0.0, &area);
    const double weak = pull_off(1e3, &area);
    TEST_ASSERT_TRUE(none == 0.0);
    TEST_ASSERT_TRUE(weak > 0.3e3 * area && weak <= 1.05e3 * area);
    const double strong = pull_off(4e3, &area);
    TEST_ASSERT_TRUE(strong > 2.0 * weak);
}

// ---- grasp

static double carried_off(void) {
    double carried[PAL_MAX_R], norm = 0.0, off = 0.0;
    pal_newmark_evaluate(b.live.newmark, b.live.body.q, carried, NULL);
    for (int32_t i = 0; i < b.live.body.size; i++) {
        off += (carried[i] - b.world->reduced[i]) * (carried[i] - b.world->reduced[i]);
        norm += carried[i] * carried[i];
    }
    TEST_ASSERT_TRUE(norm > 0.0);
    return sqrt(off / norm);
}

static void test_a_pull_is_what_the_body_carries_and_the_spring_stretches_by_it(void) {
    touch_bench_open(&b, live_block_model(), 1e6);
    b.tool.options.grasp_stiffness = 100.0;
    touch_bench_go(&b, 0.03, 0.03, above + 0.002);
    touch_bench_travel(&b, 0.03, 0.03, above, 100, 10);
    b.grasp = true;
    touch_bench_travel(&b, 0.032, 0.03, above + 0.004, 300, 700);
    TEST_ASSERT_TRUE(b.tool.held.on && b.tool.force[2] < -0.1 && b.tool.force[0] < -0.05);
    TEST_ASSERT_TRUE(carried_off() < 1e-3);
    // The held point of the surface, and the point of the tool that holds it
    double x[3] = {0.0, 0.0, 0.0}, stretch[3];
    for (int k = 0; k < 3; k++) {
        double corner[3];
        b.live.body.functions->position(
            &b.live.body, b.live.body.triangle[3 * (int64_t)b.tool.held.triangle + k], corner);
        for (int a = 0; a < 3; a++) {
            x[a] += b.tool.held.weight[k] * corner[a];
        }
    }
    for (int a = 0; a < 3; a++) {
        stretch[a] = x[a] - b.tool.pose.x[a] - b.tool.held.anchor[a];
        TEST_ASSERT_DOUBLE_WITHIN(0.01 * pal_norm3(b.tool.force), 100.0 * stretch[a],
                                  b.tool.force[a]);
    }
    touch_bench_close(&b);
}

static void test_a_body_that_is_let_go_swings_freely_and_dies_away(void) {
    touch_bench_open(&b, live_block_model(), 1e6);
    b.tool.options.grasp_stiffness = 300.0;
    touch_bench_go(&b, 0.03, 0.03, above + 0.002);
    touch_bench_travel(&b, 0.03, 0.03, above, 100, 10);
    b.grasp = true;
    touch_bench_travel(&b, 0.03, 0.03, above + 0.01, 300, 500);
    const double pulled = pal_newmark_strain_before(b.live.newmark);
    b.grasp = false;
    double most = 0.0, energy = 2.0 * pulled, kinetic = 0.0, last = 0.0;
    int swings = 0;
    for (int k = 0; k < 400; k++) {
        touch_bench_go(&b, 0.03, 0.03, above + 0.02);
        TEST_ASSERT_TRUE(pal_norm3(b.tool.force) == 0.0);
        // The motion at the end of the last tick and the strain at the beginning of this one
        const double now = kinetic + pal_newmark_strain_before(b.live.newmark);
        TEST_ASSERT_TRUE(now <= energy * (1.0 + 1e-3) + 1e-12);
        energy = now;
        kinetic = pal_newmark_kinetic_energy(b.live.newmark);
        most = fmax(most, kinetic);
        const double v = b.live.body.velocity[0];
        swings += v * last < 0.0;
        last = v;
    }
    TEST_ASSERT_TRUE(most > 0.2 * pulled);
    TEST_ASSERT_TRUE(swings >= 3);
    TEST_ASSERT_TRUE(energy < 0.05 * pulled);
    touch_bench_close(&b);
}

// ---- under a hand

// The largest change of force from tick to tick, and the largest pull; the body is grasped with the
// button, or sticks by its adhesion.
static void pull_by_hand(bool button, double adhesion, double *step, double *pull) {
    const pal_intent script[] = {
        {.kind = PAL_INTENT_PRESS, .seconds = 0.4, .to = {0.03, 0.03, above - 0.004}},
        {.kind = PAL_INTENT_HOLD, .seconds = 0.1, .buttons = button},
        {.kind = PAL_INTENT_MOVE,
         .seconds = 0.5,
         .to = {0.03, 0.03, above + 0.015},
         .buttons = button},
        {.kind = PAL_INTENT_HOLD, .seconds = 0.5}};
    live_block block;
    pal_sim_options sim;
    double last[3] = {0.0, 0.0, 0.0};
    live_block_sim(&sim, script, 4);
    live_block_open(&block, &sim, NULL);
    block.servo->own.tool[0].options.grasp_stiffness = 500.0;
    block.body.law[0].adhesion = adhesion;
    *step = *pull = 0.0;
    for (int k = 0; k < 1500; k++) {
        const pal_tick_record record = live_block_tick(&block);
        double change[3];
        TEST_ASSERT_TRUE(isfinite(pal_norm3(record.force)));
        TEST_ASSERT_FALSE(record.outcome & PAL_OUT_UNTOUCHED); // what sticks touches
        pal_sub3(record.force, last, change);
        memcpy(last, record.force, sizeof last);
        *step = fmax(*step, pal_norm3(change));
        *pull = fmax(*pull, -record.force[2]);
    }
    TEST_ASSERT_TRUE(pal_norm3(last) == 0.0);
    TEST_ASSERT_TRUE(*step <= 1.0001 * block.servo->own.hand[0].safety.options.max_slew * TOUCH_DT);
    live_block_close(&block);
}

static void test_tearing_off_and_letting_go_stay_within_the_slew_limit(void) {
    double step, pull;
    pull_by_hand(false, 0.0, &step, &pull);
    TEST_ASSERT_TRUE(pull < 0.06); // what the passivity controller may add
    pull_by_hand(false, 2e4, &step, &pull);
    TEST_ASSERT_TRUE(pull > 0.1);
    pull_by_hand(true, 0.0, &step, &pull);
    TEST_ASSERT_TRUE(pull > 0.3);
    TEST_ASSERT_TRUE(step > 0.1 * pull); // it does let go at once
}

int main(void) {
    live_block_bake(&(live_block_spec){.young = 2e4, .two_regions = true}, &halves);
    UNITY_BEGIN();
    RUN_TEST(test_every_triangle_has_the_region_of_the_element_below_it);
    RUN_TEST(test_rules_lie_over_the_base_and_regions_over_the_whole_body);
    RUN_TEST(test_a_tool_feels_the_region_that_it_is_on);
    RUN_TEST(test_a_soft_layer_gives_way_by_its_stiffness_and_damping_only_delays_it);
    RUN_TEST(test_bumps_are_as_high_and_as_far_apart_as_the_law_says);
    RUN_TEST(test_sliding_over_bumps_makes_the_force_go_up_and_down_with_them);
    RUN_TEST(test_below_its_stick_speed_a_tool_goes_on_in_jerks);
    RUN_TEST(test_adhesion_pulls_with_its_strength_at_most_and_then_lets_go);
    RUN_TEST(test_a_pull_is_what_the_body_carries_and_the_spring_stretches_by_it);
    RUN_TEST(test_a_body_that_is_let_go_swings_freely_and_dies_away);
    RUN_TEST(test_tearing_off_and_letting_go_stay_within_the_slew_limit);
    const int failures = UNITY_END();
    pal_model_free(&halves);
    return failures;
}
