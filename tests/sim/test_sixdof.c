// Laws of a tool that is turned as well as moved: torques, their work, and several tools at once.
#include <math.h>
#include <string.h>

#include "tests/support/check.h"
#include "tests/support/hands_bench.h"
#include "tests/support/live_block.h"
#include "tests/support/sanitized.h"

void setUp(void) {
}
void tearDown(void) {
}

static const double radius = 5e-3, length = 0.1;
static const double upright[3] = {0.0, 0.0, 0.0};
static const double lying[3] = {0.0, 1.5707963267948966, 0.0}; // the shaft along +x
static const double upside[3] = {3.141592653589793, 0.0, 0.0}; // and along -z
static const double top = LIVE_BLOCK_TOP, middle = 0.03;

static hands_bench b;

static void open_one(double turn_stiffness) {
    const pal_tool_options tool = hands_tool(radius, length, 200.0, turn_stiffness);
    hands_bench_open(&b, live_block_model(), &tool, 1);
}

// The mean of the contacts' places, weighted by their forces.
static void centre_of_push(const pal_tool *tool, double x[3]) {
    double sum = 0.0;
    memset(x, 0, 3 * sizeof *x);
    for (int32_t k = 0; k < tool->last.count; k++) {
        const double push = pal_norm3(tool->last.force[k]);
        sum += push;
        for (int c = 0; c < 3; c++) {
            x[c] += push * tool->set.item[k].x[c];
        }
    }
    for (int c = 0; c < 3; c++) {
        x[c] /= sum;
    }
}

// The shaft lies over the block, its tip beside it: the block pushes far from the hand.
static void test_a_capsule_pressed_off_its_tip_feels_arm_times_force(void) {
    open_one(0.5);
    hands_bench_put(&b, 0, (double[3]){-0.02, middle, top + 0.01}, lying);
    hands_bench_step(&b);
    hands_bench_travel(&b, 0, (double[3]){-0.02, middle, top + 0.003}, lying, 300, 300);
    const pal_tool *tool = &b.tool[0];
    double sum[3] = {0.0}, at[3], arm[3], expected[3];
    for (int32_t k = 0; k < tool->last.count; k++) {
        double part[3];
        pal_sub3(tool->set.item[k].x, tool->near.x, arm);
        pal_cross3(arm, tool->last.force[k], part);
        for (int c = 0; c < 3; c++) {
            sum[c] += part[c];
        }
    }
    TEST_ASSERT_TRUE(tool->force[2] > 0.05);
    for (int c = 0; c < 3; c++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, sum[c], tool->torque[c]);
    }
    centre_of_push(tool, at);
    pal_sub3(at, tool->near.x, arm);
    pal_cross3(arm, tool->force, expected);
    TEST_ASSERT_TRUE(arm[0] > 0.015 && expected[1] < -1e-3); // the tip is pulled down: about -y
    TEST_ASSERT_DOUBLE_WITHIN(0.02 * fabs(expected[1]), expected[1], tool->torque[1]);
    hands_bench_close(&b);
}

// A ball without friction is pushed through its middle, which is where the hand holds it.
static void test_a_ball_without_friction_feels_no_torque(void) {
    const pal_tool_options tool = hands_tool(radius, 0.0, 200.0, 0.5);
    hands_bench_open(&b, live_block_model(), &tool, 1);
    hands_bench_put(&b, 0, (double[3]){middle, middle, top + 0.01}, upright);
    hands_bench_step(&b);
    hands_bench_travel(&b, 0, (double[3]){middle, middle, top + 0.002}, lying, 300, 300);
    TEST_ASSERT_TRUE(b.tool[0].force[2] > 0.05);
    TEST_ASSERT_TRUE(pal_norm3(b.tool[0].torque) < 1e-3 * radius * b.tool[0].force[2]);
    hands_bench_close(&b);
}

static void test_turning_alone_makes_no_force_in_free_space(void) {
    open_one(0.5);
    hands_bench_put(&b, 0, (double[3]){middle, middle, top + 0.02}, upright);
    hands_bench_step(&b);
    const double turns[][3] = {{0.0, 1.5, 0.0}, {-1.0, 0.4, 0.3}, {0.0, 0.0, 3.0}};
    for (int i = 0; i < 3; i++) {
        hands_bench_travel(&b, 0, b.at[0].x, turns[i], 100, 0);
        const pal_tool *tool = &b.tool[0];
        TEST_ASSERT_TRUE(pal_norm3(tool->force) == 0.0 && pal_norm3(tool->torque) == 0.0);
        for (int c = 0; c < 4; c++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, b.at[0].turn[c], tool->pose.turn[c]);
        }
    }
    hands_bench_close(&b);
}

// The coupling gives way to the torque by its turn stiffness; without one it does not.
static void test_the_tool_turns_in_the_hand_by_its_turn_stiffness(void) {
    const double stiffness[] = {0.2, 1.0, 0.0};
    for (int i = 0; i < 3; i++) {
        double off[3];
        pal_tool_options options = hands_tool(radius, length, 200.0, stiffness[i]);
        options.fixed_coupling = true;
        hands_bench_open(&b, live_block_model(), &options, 1);
        hands_bench_put(&b, 0, (double[3]){-0.02, middle, top + 0.01}, lying);
        hands_bench_step(&b);
        hands_bench_travel(&b, 0, (double[3]){-0.02, middle, top + 0.003}, lying, 300, 300);
        const pal_tool *tool = &b.tool[0];
        pal_turn_between(tool->goal.turn, tool->pose.turn, off);
        TEST_ASSERT_TRUE(tool->torque[1] < -1e-3);
        for (int c = 0; c < 3; c++) {
            const double angle = stiffness[i] > 0.0 ? tool->torque[c] / stiffness[i] : 0.0;
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, angle, off[c]);
        }
        hands_bench_close(&b);
    }
}

// Where the body is softer than what the hand may meet, the hand feels the body itself, off the tip
// as well; where it is not, no more than that.
static void test_turning_in_the_hand_does_not_soften_what_is_felt(void) {
    const double stiffness[] = {0.0, 1000.0, 0.2};
    double force[3], turn[3];
    for (int i = 0; i < 3; i++) {
        open_one(stiffness[i]);
        hands_bench_put(&b, 0, (double[3]){-0.02, middle, top + 0.01}, lying);
        hands_bench_step(&b);
        hands_bench_travel(&b, 0, (double[3]){-0.02, middle, top + 0.003}, lying, 300, 300);
        const double before = b.tool[0].torque[1];
        force[i] = b.tool[0].force[2];
        pal_pose_move(&b.at[0], (double[3]){0.0}, (double[3]){0.0, 1e-3, 0.0});
        hands_bench_step(&b);
        turn[i] = (before - b.tool[0].torque[1]) / 1e-3; // N m/rad, from one tick to the next
        hands_bench_close(&b);
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.01 * force[0], force[0], force[1]);
    TEST_ASSERT_DOUBLE_WITHIN(0.15 * turn[0], turn[0], turn[1]);
    TEST_ASSERT_TRUE(turn[0] > 5.0 && turn[2] > 0.02 && turn[2] < 0.2 * 1.01);
}

// What is stored in the body, in the layer on it, and in the coupling.
static double stored(const hands_bench *h) {
    const pal_tool *tool = &h->tool[0];
    double sum = pal_newmark_strain_energy(h->live.newmark);
    for (int32_t k = 0; k < h->world->contacts.count; k++) {
        const pal_contact_law *law = &h->world->contacts.law[k];
        const double push = pal_dot3(law->normal, h->world->contacts.force + 3 * k);
        sum += 0.5 * law->softness * push * push;
    }
    return sum + 0.5 * tool->compliance * pal_dot3(tool->force, tool->force) +
           0.5 * tool->turn_compliance * pal_dot3(tool->torque, tool->torque);
}

// Slow motion of any kind: F . v + T . w is the power that goes into body and coupling.
static void test_the_work_of_force_and_torque_is_what_is_stored(void) {
    pal_tool_options tool = hands_tool(radius, length, 200.0, 0.5);
    tool.fixed_coupling = true;
    hands_bench_open(&b, live_block_model(), &tool, 1);
    hands_bench_put(&b, 0, (double[3]){0.02, middle, top + 0.01}, lying);
    hands_bench_step(&b);
    hands_bench_travel(&b, 0, (double[3]){0.02, middle, top + 0.0025}, lying,
                       SANITIZED_OR(600, 1500), 500);
    const double before = stored(&b);
    const pal_pose from = b.at[0];
    double work = 0.0, turning = 0.0, force[3], torque[3];
    enum { TICKS = SANITIZED_OR(1000, 4000) };
    for (int k = 1; k <= TICKS; k++) {
        const double s = 0.5 - 0.5 * cos(3.141592653589793 * k / TICKS);
        const double shift[3] = {0.0, 0.0, -1e-3 * s}, turn[3] = {0.0, 0.04 * s, 0.0};
        const pal_pose last = b.at[0];
        double moved[3], turned[3];
        memcpy(force, b.tool[0].force, sizeof force);
        memcpy(torque, b.tool[0].torque, sizeof torque);
        b.at[0] = from;
        pal_pose_move(&b.at[0], shift, turn);
        hands_bench_step(&b);
        pal_sub3(b.at[0].x, last.x, moved);
        pal_turn_between(last.turn, b.at[0].turn, turned);
        for (int c = 0; c < 3; c++) {
            work -= 0.5 * (force[c] + b.tool[0].force[c]) * moved[c];
            turning -= 0.5 * (torque[c] + b.tool[0].torque[c]) * turned[c];
        }
    }
    const double gained = stored(&b) - before;
    TEST_ASSERT_TRUE(gained > 1e-5 && fabs(turning) > 0.2 * fabs(work)); // both take part
    TEST_ASSERT_DOUBLE_WITHIN(0.005 * gained, gained, work + turning);
    hands_bench_close(&b);
}

// A shaft that is swung at the block lies on it, however fast it comes.
static void test_a_swung_shaft_does_not_pass_through(void) {
    for (int i = 0; i < 6; i += SANITIZED_OR(3, 1)) {
        const int ticks = 300 >> i; // 1.57 rad in 300 ms and in 9 ms
        open_one(i % 2 == 0 ? 0.5 : 0.0);
        hands_bench_put(&b, 0, (double[3]){-0.02, middle, top + 0.001}, upright);
        hands_bench_step(&b);
        hands_bench_travel(&b, 0, (double[3]){-0.02, middle, top + 0.001},
                           (double[3]){0.0, 1.7, 0.0}, ticks, 400);
        const pal_tool *tool = &b.tool[0];
        TEST_ASSERT_TRUE(tool->force[2] > 0.0 && tool->torque[1] < 0.0);
        TEST_ASSERT_TRUE(tool->depth < 1e-3);
        hands_bench_close(&b);
    }
}

// A shaft that the block has turned in the hand, and that comes free at once, turns back no farther
// than it has looked in each tick.
static void test_a_tool_turns_no_farther_than_it_has_looked(void) {
    pal_tool_options options = hands_tool(radius, length, 200.0, 0.05);
    options.fixed_coupling = true;
    hands_bench_open(&b, live_block_model(), &options, 1);
    hands_bench_put(&b, 0, (double[3]){-0.02, middle, top + 0.01}, lying);
    hands_bench_step(&b);
    hands_bench_travel(&b, 0, (double[3]){-0.02, middle, top - 0.005}, lying, 300, 300);
    const pal_tool *tool = &b.tool[0];
    double way[3], turn[3];
    pal_turn_between(tool->goal.turn, tool->pose.turn, turn);
    TEST_ASSERT_TRUE(pal_norm3(turn) > 0.1);
    hands_bench_put(&b, 0, (double[3]){-0.02, -0.05, top - 0.005}, lying); // beside the block
    int ticks = 0;
    do {
        hands_bench_step(&b);
        pal_sub3(tool->pose.x, tool->near.x, way);
        pal_turn_between(tool->near.turn, tool->pose.turn, turn);
        TEST_ASSERT_TRUE(pal_norm3(way) + 0.5 * length * pal_norm3(turn) <=
                         tool->reach * (1.0 + 1e-9));
        pal_turn_between(tool->goal.turn, tool->pose.turn, turn);
    } while (ticks++ < 2000 && pal_norm3(turn) > 1e-9);
    TEST_ASSERT_TRUE(ticks > 3 && ticks < 2000); // but it gets there
    hands_bench_close(&b);
}

// ---- several

// The block is held below and is the same from the left and from the right.
static void test_two_tools_on_opposite_sides_feel_opposite_forces(void) {
    const pal_tool_options tool = hands_tool(radius, 0.0, 200.0, 0.0), two[2] = {tool, tool};
    const double z = 0.02;
    hands_bench_open(&b, live_block_model(), two, 2);
    for (int k = 0; k <= 700; k++) {
        const double in = k < 400 ? 0.01 - 0.013 * k / 400 : -0.003;
        hands_bench_put(&b, 0, (double[3]){0.0 - radius - in, middle, z}, upright);
        hands_bench_put(&b, 1, (double[3]){0.06 + radius + in, middle, z}, upright);
        hands_bench_step(&b);
    }
    const double *left = b.tool[0].force, *right = b.tool[1].force;
    TEST_ASSERT_TRUE(left[0] < -0.05 && right[0] > 0.05);
    TEST_ASSERT_DOUBLE_WITHIN(0.01 * right[0], right[0], -left[0]);
    TEST_ASSERT_DOUBLE_WITHIN(0.01 * right[0], right[2], left[2]);
    TEST_ASSERT_DOUBLE_WITHIN(0.05 * right[0], 0.0, right[1]); // its triangles are not quite
    hands_bench_close(&b);
}

static void test_one_hand_feels_through_the_body_what_the_other_does(void) {
    const pal_tool_options tool = hands_tool(radius, 0.0, 200.0, 0.0), two[2] = {tool, tool};
    const double z = 0.025;
    hands_bench_open(&b, live_block_model(), two, 2);
    hands_bench_put(&b, 0, (double[3]){-radius - 0.01, middle, z}, upright);
    hands_bench_put(&b, 1, (double[3]){0.06 + radius + 0.01, middle, z}, upright);
    hands_bench_step(&b);
    hands_bench_travel(&b, 1, (double[3]){0.06 + radius - 0.001, middle, z}, upright, 200, 300);
    const double alone = b.tool[1].force[0];
    hands_bench_travel(&b, 0, (double[3]){-radius + 0.004, middle, z}, upright, 400, 400);
    const double pushed = b.tool[1].force[0];
    TEST_ASSERT_TRUE(alone > 0.01 && pushed > 1.1 * alone); // it is pushed against the other
    hands_bench_travel(&b, 0, (double[3]){-radius - 0.01, middle, z}, upright, 400, 400);
    TEST_ASSERT_DOUBLE_WITHIN(0.01 * alone, alone, b.tool[1].force[0]);
    hands_bench_close(&b);
}

// As many as there can be, of different shapes, one of them without contact.
static void test_four_tools_touch_at_once(void) {
    pal_tool_options four[4] = {
        hands_tool(radius, 0.0, 200.0, 0.0), hands_tool(4e-3, 0.05, 200.0, 0.5),
        hands_tool(radius, 0.0, 200.0, 0.0), hands_tool(6e-3, 0.0, 200.0, 0.0)};
    for (int h = 0; h < 4; h++) {
        four[h].most = PAL_MAX_CONTACTS / 4;
    }
    hands_bench_open(&b, live_block_model(), four, 4);
    for (int k = 0; k <= 600; k++) {
        const double in = k < 300 ? 0.01 - 0.012 * k / 300 : -0.002;
        hands_bench_put(&b, 0, (double[3]){-radius - in, middle, 0.02}, upright);
        hands_bench_put(&b, 1, (double[3]){0.045, middle, top + 4e-3 + in}, upright);
        hands_bench_put(&b, 2, (double[3]){0.015, 0.015, top + radius + in}, upright);
        hands_bench_put(&b, 3, (double[3]){0.2, middle, 0.02}, upside);
        hands_bench_step(&b);
    }
    TEST_ASSERT_TRUE(b.tool[0].force[0] < -0.01);
    TEST_ASSERT_TRUE(b.tool[1].force[2] > 0.01 && b.tool[2].force[2] > 0.01);
    TEST_ASSERT_TRUE(pal_norm3(b.tool[3].force) == 0.0);
    hands_bench_close(&b);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_capsule_pressed_off_its_tip_feels_arm_times_force);
    RUN_TEST(test_a_ball_without_friction_feels_no_torque);
    RUN_TEST(test_turning_alone_makes_no_force_in_free_space);
    RUN_TEST(test_the_tool_turns_in_the_hand_by_its_turn_stiffness);
    RUN_TEST(test_turning_in_the_hand_does_not_soften_what_is_felt);
    RUN_TEST(test_the_work_of_force_and_torque_is_what_is_stored);
    RUN_TEST(test_a_swung_shaft_does_not_pass_through);
    RUN_TEST(test_a_tool_turns_no_farther_than_it_has_looked);
    RUN_TEST(test_two_tools_on_opposite_sides_feel_opposite_forces);
    RUN_TEST(test_one_hand_feels_through_the_body_what_the_other_does);
    RUN_TEST(test_four_tools_touch_at_once);
    return UNITY_END();
}
