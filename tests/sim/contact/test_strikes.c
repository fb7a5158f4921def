// Nothing passes through: random strikes at up to 1 m/s into a sheet of 2 mm, by a hand that goes
// straight on to the other side and comes back.
//
// 6,000 strikes in half a minute; PALPATE_STRIKES=100000 or 1000000 in the environment asks for a
// longer run. Under the sanitizers, which are slow, 60.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "haptics/coupling.h"
#include "tests/support/check.h"
#include "tests/support/live_block.h"
#include "tests/support/random.h"
#include "tests/support/sanitized.h"
#include "tests/support/sheet.h"

enum {
    STRIKES = SANITIZED_OR(60, 6000),
    ROW = SANITIZED_OR(3, 8), // strikes on the same sheet, with the same friction
    HANDS = SANITIZED_OR(2, 40),
};

typedef struct strike {
    double speed;   // m/s
    double way[3];  // unit, into the sheet
    double at[3];   // m, where the straight way meets the sheet's middle
    double before;  // m, how far from there it begins
    double beyond;  // m, and how far it goes on
    double turn[4]; // of the tool
    double spin[3]; // rad/s
} strike;

typedef struct scores {
    long strikes, begun; // begun: clear of the sheet
    long ticks, touched, through, inside, numbers, strong, leaks;
} scores;

void setUp(void) {
}
void tearDown(void) {
}

static void random_unit(test_random *random, double *v, int count) {
    double norm = 0.0;
    do {
        norm = 0.0;
        random_fill(random, 1.0, v, (size_t)count);
        for (int c = 0; c < count; c++) {
            norm += v[c] * v[c];
        }
    } while (norm > 1.0 || norm < 1e-3);
    for (int c = 0; c < count; c++) {
        v[c] /= sqrt(norm);
    }
}

// From any side and at any angle; mostly into the middle, sometimes at the rim.
static strike random_strike(test_random *random, double bound) {
    strike s = {.speed = 0.5 + 0.5 * random_share(random)};
    const bool rim = random_share(random) < 0.1;
    random_unit(random, s.way, 3);
    if (!rim && fabs(s.way[2]) < 0.4) { // else it runs along the sheet
        s.way[2] = s.way[2] < 0.0 ? -0.4 : 0.4;
        const double norm = pal_norm3(s.way);
        for (int c = 0; c < 3; c++) {
            s.way[c] /= norm;
        }
    }
    const double room = rim ? 0.55 * SHEET_SIDE : 0.3 * SHEET_SIDE;
    s.at[0] = 0.5 * SHEET_SIDE + room * random_number(random);
    s.at[1] = 0.5 * SHEET_SIDE + room * random_number(random);
    s.at[2] = 0.5 * SHEET_THICK;
    s.before = (0.004 + 1.05 * bound) / fmax(0.3, fabs(s.way[2])); // clear of a sheet that swings
    s.beyond = 0.012 * random_share(random);
    random_unit(random, s.turn, 4);
    random_fill(random, random_share(random) < 0.5 ? 0.0 : 5.0, s.spin, 3);
    return s;
}

// What the hand and the world see at a tick.
static void judge(sheet *on, const pal_coupling *coupling, const double v[3], pal_outcome out,
                  scores *tally) {
    double force[3];
    const pal_tool *tool = &on->tool;
    pal_coupling_force(coupling, tool, v, force);
    tally->ticks++;
    tally->numbers += !isfinite(pal_norm3(force) + pal_norm3(tool->pose.x)) || out & PAL_OUT_NAN;
    tally->strong += pal_norm3(force) > coupling->max_force * (1 + 1e-12);
    tally->leaks += tool->set.count == 0 && pal_norm3(force) > 0.0;
}

// Whether its middle has come to the other side of the sheet without having gone round it.
static void look_where_it_is(sheet *on, bool closely, int *side, scores *tally) {
    double turn[3][3], middle[3];
    const pal_tool *tool = &on->tool;
    pal_turn_matrix(tool->pose.turn, turn);
    for (int c = 0; c < 3; c++) {
        middle[c] = tool->pose.x[c] + pal_dot3(turn[c], tool->options.shape.centre);
    }
    if (fmin(middle[0], middle[1]) < 0.0 || fmax(middle[0], middle[1]) > SHEET_SIDE) {
        *side = 0;
    }
    if (!closely) {
        return;
    }
    const int now = sheet_side(on, middle);
    tally->inside += now == 2;
    if (abs(now) == 1 && abs(*side) == 1) {
        tally->through += now != *side;
    }
    *side = now == 2 ? *side : now;
}

// A budget that is another one at every tick, so that the shell's level changes all the time.
static void change_budget(test_random *random, pal_tool_options *tool) {
    tool->look_budget = (int32_t)(120.0 * pow(15.0, random_share(random)));
    tool->most = 2 + (int32_t)((PAL_MAX_TOUCHES - 2) * random_share(random));
}

// There, and back the same way; budgets: NULL: always the whole one.
static void carry_out(sheet *on, const strike *s, const pal_coupling *coupling,
                      test_random *budgets, scores *tally) {
    const double step = s->speed * 1e-3;
    const int there = (int)((s->before + s->beyond) / step);
    int side = 0;
    bool touched = false;
    pal_pose goal = PAL_POSE_IDENTITY;
    memcpy(goal.turn, s->turn, sizeof goal.turn);
    for (int k = 0; k <= 2 * there; k++) {
        const double along = step * (k <= there ? k : 2 * there - k) - s->before;
        double v[3], spin[3];
        const double back = k <= there ? 1.0 : -1.0;
        for (int c = 0; c < 3; c++) {
            goal.x[c] = s->at[c] + along * s->way[c];
            v[c] = back * s->speed * s->way[c];
            spin[c] = back * 1e-3 * s->spin[c];
        }
        pal_pose_move(&goal, (double[3]){0.0, 0.0, 0.0}, spin);
        if (budgets != NULL) {
            change_budget(budgets, &on->tool.options);
        }
        const pal_outcome out = sheet_go(on, &goal);
        if (k == 0 && !on->tool.cleared) {
            break; // the sheet has swung to where it begins
        }
        judge(on, coupling, v, out, tally);
        look_where_it_is(on, k % 4 == 0 || k == 2 * there, &side, tally);
        touched = touched || pal_norm3(on->tool.force) > 0.0;
    }
    tally->strikes++;
    tally->begun += on->tool.cleared;
    tally->touched += touched;
}

static long wanted_strikes(void) {
    const char *text = getenv("PALPATE_STRIKES");
    const long count = text != NULL ? strtol(text, NULL, 10) : 0;
    return count > 0 ? count : STRIKES;
}

typedef struct tool_kind {
    const char *name;
    double radius, length, share; // m; of all strikes
    bool local;
    pal_contact_form form;
    bool starved; // budgets change
} tool_kind;

static void begin(sheet *on, const tool_kind *kind, pal_coupling *coupling) {
    pal_coupling_init(coupling, pal_device_profile("touch"), 1e-3, 0.0);
    sheet_open(on, sheet_model(kind->local), kind->radius, kind->length, 240.0);
    on->world->form = kind->form;
}

static void set_friction(sheet *on, double friction) {
    on->live.law[0].static_friction = on->live.law[0].dynamic_friction = friction;
}

static void check_scores(const char *name, const scores *tally) {
    char text[256];
    snprintf(text, sizeof text,
             "%s: %ld strikes, %ld begun, %ld touched, %ld ticks: %ld through, %ld inside, %ld "
             "not a number, %ld too strong, %ld leaks",
             name, tally->strikes, tally->begun, tally->touched, tally->ticks, tally->through,
             tally->inside, tally->numbers, tally->strong, tally->leaks);
    printf("%s\n", text);
    TEST_ASSERT_TRUE_MESSAGE(tally->begun > 0.95 * (double)tally->strikes - 1.0, text);
    TEST_ASSERT_TRUE_MESSAGE(tally->touched > 0.9 * (double)tally->begun - 1.0, text);
    TEST_ASSERT_TRUE_MESSAGE(tally->through == 0 && tally->inside == 0, text);
    TEST_ASSERT_TRUE_MESSAGE(tally->numbers == 0 && tally->strong == 0 && tally->leaks == 0, text);
}

static void strike_with(const tool_kind *kind) {
    static const double frictions[] = {0.0, 0.3, 1.0};
    test_random random = {7}, budgets = {8};
    scores tally = {0};
    sheet on;
    pal_coupling coupling;
    begin(&on, kind, &coupling);
    const long part = (long)(kind->share * (double)wanted_strikes()), count = part > 2 ? part : 2;
    for (long k = 0; k < count; k++) {
        if (k % ROW == 0) {
            sheet_reset(&on);
            set_friction(&on, frictions[(k / ROW) % 3]);
        }
        const strike s = random_strike(&random, kind->radius + kind->length);
        pal_tool_forget(&on.tool);
        carry_out(&on, &s, &coupling, kind->starved ? &budgets : NULL, &tally);
    }
    check_scores(kind->name, &tally);
    sheet_close(&on);
}

static void test_a_ball_never_passes(void) {
    strike_with(&(tool_kind){"ball of 5 mm", 5e-3, 0.0, 0.5, false, PAL_CONTACT_COMPLIANCE, false});
}

static void test_a_ball_never_passes_in_the_penalty_form(void) {
    strike_with(
        &(tool_kind){"ball of 5 mm, penalty", 5e-3, 0.0, 0.2, false, PAL_CONTACT_PENALTY, false});
    strike_with(
        &(tool_kind){"capsule, penalty", 2.5e-3, 20e-3, 0.1, false, PAL_CONTACT_PENALTY, false});
}

static void test_a_small_ball_never_passes(void) {
    strike_with(
        &(tool_kind){"ball of 1.5 mm", 1.5e-3, 0.0, 0.25, false, PAL_CONTACT_COMPLIANCE, false});
}

static void test_a_capsule_never_passes(void) {
    strike_with(&(tool_kind){"capsule", 2.5e-3, 20e-3, 0.15, false, PAL_CONTACT_COMPLIANCE, false});
}

static void test_a_ball_never_passes_a_surface_that_dents(void) {
    strike_with(
        &(tool_kind){"ball of 5 mm, dents", 5e-3, 0.0, 0.1, true, PAL_CONTACT_COMPLIANCE, false});
}

static void test_nothing_passes_while_budgets_change(void) {
    strike_with(&(tool_kind){"ball of 5 mm, starved", 5e-3, 0.0, 0.02, false,
                             PAL_CONTACT_COMPLIANCE, true});
    if (!IS_SANITIZED) { // they have the small ball that once passed
        strike_with(&(tool_kind){"ball of 1.5 mm, dents, starved", 1.5e-3, 0.0, 0.02, true,
                                 PAL_CONTACT_COMPLIANCE, true});
    }
    strike_with(
        &(tool_kind){"capsule, starved", 2.5e-3, 20e-3, 0.02, false, PAL_CONTACT_COMPLIANCE, true});
    strike_with(&(tool_kind){"capsule, penalty, starved", 2.5e-3, 20e-3, 0.01, false,
                             PAL_CONTACT_PENALTY, true});
}

// A row of strikes from a state of the random numbers, one after the other on the same sheet.
static void strike_row(sheet *on, const tool_kind *kind, const pal_coupling *coupling,
                       test_random random, test_random budgets, int strikes, scores *tally) {
    sheet_reset(on);
    for (int n = 0; n < strikes; n++) {
        const strike s = random_strike(&random, kind->radius + kind->length);
        pal_tool_forget(&on->tool);
        carry_out(on, &s, coupling, kind->starved ? &budgets : NULL, tally);
    }
}

// The last strike of each of these rows went through, or ended in the sheet, when the force that
// fades after a change of the shell's level was also the force that the tool went by.
static void test_a_capsule_that_once_passed_does_not(void) {
    static const tool_kind kind = {"capsule", 2.5e-3, 20e-3, 1.0, false, PAL_CONTACT_COMPLIANCE,
                                   false};
    static const struct {
        test_random from;
        int strikes;
    } rows[] = {{{0xda027b0d8a764e27}, 1}, {{0x3c654b5e726017b1}, 7}, {{0x9289234e8100aafc}, 5}};
    scores tally = {0};
    sheet on;
    pal_coupling coupling;
    begin(&on, &kind, &coupling);
    set_friction(&on, 1.0);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        strike_row(&on, &kind, &coupling, rows[k].from, rows[k].from, rows[k].strikes, &tally);
    }
    check_scores("capsule, again", &tally);
    sheet_close(&on);
}

// Six strikes of a small ball without friction, the last of which once went through.
static void strike_again(const tool_kind *kind, test_random random, test_random budgets) {
    scores tally = {0};
    sheet on;
    pal_coupling coupling;
    begin(&on, kind, &coupling);
    set_friction(&on, 0.0);
    strike_row(&on, kind, &coupling, random, budgets, 6, &tally);
    check_scores(kind->name, &tally);
    sheet_close(&on);
}

// When every touch that came in was soft at first, deep or not: with a budget that is another one
// at every tick there were no others.
static void test_a_small_ball_that_once_passed_does_not(void) {
    strike_again(
        &(tool_kind){"small ball, again", 1.5e-3, 0.0, 1.0, true, PAL_CONTACT_COMPLIANCE, true},
        (test_random){0x5f1a0be331b0b697}, (test_random){0xfbd4b544efb348e4});
}

// When the coupling was taken back of a sheet that had been struck away faster than the ball could
// follow: it went on the faster for it, and the sheet came back behind it.
static void test_a_ball_behind_a_sheet_that_swings_away_does_not_pass(void) {
    strike_again(
        &(tool_kind){"small ball, late", 1.5e-3, 0.0, 1.0, false, PAL_CONTACT_COMPLIANCE, false},
        (test_random){0x3f871008cf4d5f6a}, (test_random){1});
}

// The whole servo, by a simulated hand that wants to be on the other side within a tenth of a
// second: safety's limit is kept, and the tool comes back on its own side.
static void test_a_hand_never_gets_through(void) {
    test_random random = {11};
    live_block rig;
    for (int h = 0; h < HANDS; h++) {
        const strike s = random_strike(&random, 0.01);
        pal_intent script[2] = {{.kind = PAL_INTENT_MOVE, .seconds = 0.1},
                                {.kind = PAL_INTENT_MOVE, .seconds = 0.1}};
        pal_sim_options sim;
        live_block_sim(&sim, script, 2);
        for (int c = 0; c < 3; c++) {
            sim.start[c] = script[1].to[c] = s.at[c] - (c == 2 ? copysign(0.02, s.way[2]) : 0.0);
            script[0].to[c] = s.at[c] + (c == 2 ? copysign(0.02, s.way[2]) : 0.0);
        }
        live_block_open_model(&rig, &sim, sheet_model(h % 2), PAL_DOUBLE);
        double most = 0.0;
        for (int k = 0; k < 500; k++) {
            const pal_tick_record record = live_block_tick(&rig);
            TEST_ASSERT_TRUE(pal_norm3(record.force) <= sim.limits.max_force * (1 + 1e-12));
            most = fmax(most, pal_norm3(record.wanted));
        }
        const double *x = rig.servo->own.tool[0].pose.x;
        TEST_ASSERT_TRUE(most > 0.1);
        TEST_ASSERT_TRUE((x[2] - s.at[2]) * s.way[2] < 0.0);
        live_block_close(&rig);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_ball_never_passes);
    RUN_TEST(test_a_ball_never_passes_in_the_penalty_form);
    RUN_TEST(test_a_small_ball_never_passes);
    RUN_TEST(test_a_capsule_never_passes);
    RUN_TEST(test_a_ball_never_passes_a_surface_that_dents);
    RUN_TEST(test_nothing_passes_while_budgets_change);
    RUN_TEST(test_a_capsule_that_once_passed_does_not);
    RUN_TEST(test_a_small_ball_that_once_passed_does_not);
    RUN_TEST(test_a_ball_behind_a_sheet_that_swings_away_does_not_pass);
    RUN_TEST(test_a_hand_never_gets_through);
    return UNITY_END();
}
