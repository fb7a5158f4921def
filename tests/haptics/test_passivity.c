// The energy ledger and the controller, in a tiny closed loop: a device and a hand as masses, a
// sampled wall, an actuator that is late (FEEL.md 1.2).
#include "haptics/passivity.h"

#include "sim/base/vec3.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

static const double T = 1e-3, mass = 0.045, limit = 12.0;
static const pal_device_limits device = {.max_force = 12.0, .mass = 0.045, .max_damping = 4.0};

// ---- The ledger ---------------------------------------------------------------------------------

static void test_the_ledger_is_the_work_of_the_force_that_acted(void) {
    // Exact for whole ticks; within a tick the motion is taken as even
    const double delay[] = {0.0, 1e-3, 0.4e-3, 2.7e-3}, tolerance[] = {1e-7, 1e-7, 1e-5, 1e-5};
    for (int d = 0; d < 4; d++) {
        pal_passivity passivity;
        pal_passivity_init(&passivity, &device, T, delay[d], false);
        // Any smooth motion and force; the actuator holds each force from delay to delay + T
        double work = 0.0;
        for (int k = 0; k < 200; k++) {
            double t = k * T, force[3] = {sin(40.0 * t), cos(30.0 * t), 1.0};
            pal_device_state state = {
                .position = {0.01 * sin(25.0 * t), 0.01 * t, 0.02 * cos(9.0 * t)}};
            TEST_ASSERT_EQUAL_UINT32(0, pal_passivity_apply(&passivity, &state, force, NULL));
            TEST_ASSERT_DOUBLE_WITHIN(tolerance[d], -work, passivity.energy);
            pal_passivity_sent(&passivity, force, NULL);

            // What really acts until the next tick, in small steps
            for (int i = 0; i < 100; i++) {
                double s = t + (i + 0.5) * T / 100.0;
                int sent = (int)floor((s - delay[d]) / T + 1e-9);
                double u = sent * T;
                double f[3] = {sin(40.0 * u), cos(30.0 * u), 1.0};
                double v[3] = {0.25 * cos(25.0 * s), 0.01, -0.18 * sin(9.0 * s)};
                work += sent < 0 ? 0.0 : pal_dot3(f, v) * T / 100.0;
            }
        }
        TEST_ASSERT_TRUE(fabs(work) > 1e-3);
    }
}

static void test_a_reading_that_is_no_number_leaves_the_ledger_sound(void) {
    pal_passivity passivity;
    pal_passivity_init(&passivity, &device, T, 0.0, true);
    for (int k = 0; k < 10; k++) {
        pal_device_state state = {.position = {k == 4 ? NAN : 1e-3 * k}, .velocity = {1.0}};
        double force[3] = {-1.0, 0.0, 0.0};
        pal_passivity_apply(&passivity, &state, force, NULL);
        pal_passivity_sent(&passivity, force, NULL);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 7e-3, passivity.energy); // nine steps less two
}

// ---- Closed loops -------------------------------------------------------------------------------

typedef struct loop {
    double k, damping; // of what is rendered
    double delay;      // of the actuator
    bool wall;         // one-sided
    bool hand;         // a grip that pushes; without it a steady force of 1 N
    bool control;
    bool know_delay;
    bool body;      // never pulls, and is paid slowly
    double encoder; // m, its step; 0: none
} loop;

typedef struct result {
    double ripple;                // N rms over the last second
    double observed, true_energy; // J, at the end
    double made;                  // J
    double largest_step;          // N a tick, of what the controller adds, after the first second
    long interventions;
} result;

// Device (and hand) for one tick in 400 steps; the force acts when the actuator has it.
typedef struct plant {
    double x, v, hand_x, hand_v;
    double sent[8]; // newest first
    double energy;  // that the device put in, really
} plant;

enum { STEPS = 400 };

static void move_plant(plant *p, const loop *l) {
    const double h = T / STEPS, push = 1.0;
    for (int i = 0; i < STEPS; i++) {
        int age = (int)ceil((l->delay - (i + 0.5) * h) / T);
        double f = p->sent[age > 0 ? age : 0];
        double grip = l->hand ? 500.0 * (p->hand_x - p->x) + 2.0 * (p->hand_v - p->v) : -push;
        p->v += h * (f - 0.05 * p->v + grip) / mass;
        if (l->hand) {
            double arm = 300.0 * (-push / 300.0 - p->hand_x) - 4.0 * p->hand_v - grip;
            p->hand_v += h * arm / 0.15;
            p->hand_x += h * p->hand_v;
        }
        p->energy -= f * h * p->v;
        p->x += h * p->v;
    }
}

// The reading; from an encoder in steps, and the velocity then through a low-pass of 3 ms.
static void read_plant(const plant *p, const loop *l, pal_device_state *state) {
    double x = l->encoder > 0.0 ? l->encoder * round(p->x / l->encoder) : p->x;
    double share = l->encoder > 0.0 ? 0.25 : 1.0, slope = (x - state->position[0]) / T;
    state->velocity[0] += share * (slope - state->velocity[0]);
    state->position[0] = x;
}

static result run(const loop *l) {
    enum { TICKS = 3000, LAST = 1000 };
    pal_passivity passivity;
    pal_device_limits limits = device;
    limits.resolution = l->encoder;
    pal_passivity_init(&passivity, &limits, T, l->know_delay ? l->delay : 0.0, l->control);
    passivity.never_pull = l->body;
    plant p = {.x = 1e-3, .hand_x = 1e-3};
    double sum = 0.0, squares = 0.0, last_added = 0.0;
    pal_device_state state = {.position = {p.x}};
    result r = {0};
    for (int k = 0; k < TICKS; k++) {
        read_plant(&p, l, &state);
        double x = state.position[0];
        bool touching = !l->wall || x < 0.0;
        double wanted = touching ? -l->k * x - l->damping * state.velocity[0] : 0.0;
        double force[3] = {wanted, 0.0, 0.0};
        r.interventions += pal_passivity_apply(&passivity, &state, force, NULL) != 0;
        r.largest_step =
            k > LAST ? fmax(r.largest_step, fabs(force[0] - wanted - last_added)) : 0.0;
        last_added = force[0] - wanted;
        force[0] = fmax(-limit, fmin(limit, force[0]));
        pal_passivity_sent(&passivity, force, NULL);
        memmove(p.sent + 1, p.sent, sizeof p.sent - sizeof *p.sent);
        p.sent[0] = force[0];
        if (k >= TICKS - LAST) {
            sum += force[0] / LAST;
            squares += force[0] * force[0] / LAST;
        }
        move_plant(&p, l);
    }
    r.ripple = sqrt(fmax(0.0, squares - sum * sum));
    r.observed = passivity.energy;
    r.true_energy = p.energy;
    r.made = passivity.made;
    return r;
}

static void test_a_passive_spring_is_left_alone(void) {
    // Colgate: b > K T / 2, here with damping enough in the spring itself; the hand presses once
    result r =
        run(&(loop){.k = 100.0, .damping = 1.0, .wall = true, .hand = true, .control = true});
    TEST_ASSERT_EQUAL_INT64(0, r.interventions);
    TEST_ASSERT_EQUAL_DOUBLE(0.0, r.made);
    TEST_ASSERT_TRUE(r.ripple < 1e-3);
}

static void test_a_late_stiff_wall_makes_energy_and_the_controller_ends_it(void) {
    loop l = {.k = 4000.0, .delay = 1e-3, .wall = true, .hand = true, .know_delay = true};
    result without = run(&l);
    TEST_ASSERT_TRUE(without.ripple > 0.5);
    TEST_ASSERT_TRUE(without.true_energy < -0.05);
    TEST_ASSERT_DOUBLE_WITHIN(0.01 * without.made, without.true_energy, without.observed);
    l.control = true;
    result with = run(&l);
    TEST_ASSERT_TRUE(with.interventions > 0);
    TEST_ASSERT_TRUE(with.ripple < 1e-3);
    TEST_ASSERT_TRUE(with.true_energy > -1e-3);
}

static void test_an_observer_that_ignores_the_delay_is_blind(void) {
    loop l = {.k = 4000.0, .delay = 1e-3, .wall = true, .hand = true, .control = true};
    TEST_ASSERT_TRUE(run(&l).ripple > 0.5);
}

static void test_delays_of_parts_of_a_tick_are_controlled_too(void) {
    const double delay[] = {0.0, 0.5e-3, 1.5e-3};
    for (int d = 0; d < 3; d++) {
        for (int wall = 0; wall < 2; wall++) {
            loop l = {.k = 4000.0,
                      .delay = delay[d],
                      .wall = wall,
                      .hand = true,
                      .control = true,
                      .know_delay = true};
            result r = run(&l);
            TEST_ASSERT_TRUE(r.ripple < 1e-3);
            TEST_ASSERT_TRUE(r.true_energy > -3e-3);
        }
    }
}

static void test_without_a_hand_the_energy_stays_bounded(void) {
    // Nothing dissipates here but the controller: without it the force runs into its limit
    loop l = {.k = 4000.0, .delay = 1e-3, .wall = true, .know_delay = true};
    TEST_ASSERT_TRUE(run(&l).true_energy < -1.0);
    l.control = true;
    result r = run(&l);
    TEST_ASSERT_TRUE(r.true_energy > -1e-3);
    TEST_ASSERT_TRUE(r.ripple < 0.5);
}

// Damping at its bound on a smoothed velocity jumped by 1.2 N a tick here, and left 48 mJ; at 2
// kN/m by 1.0 N, and 36 mJ.
static void test_the_steps_of_an_encoder_are_not_handed_on_to_the_hand(void) {
    loop l = {.k = 1000.0,
              .delay = 3e-3,
              .wall = true,
              .hand = true,
              .control = true,
              .know_delay = true,
              .encoder = 55e-6};
    result soft = run(&l);
    TEST_ASSERT_TRUE(soft.interventions > 0);
    TEST_ASSERT_TRUE(soft.largest_step < 0.5 && soft.made < 0.02);
    l.k = 2000.0;
    l.delay = 2e-3;
    result stiff = run(&l);
    TEST_ASSERT_TRUE(stiff.largest_step < 0.9 && stiff.made < 0.025);
}

// What damping changes by at most from tick to tick, N, while a body pushes the device out at 10
// mm/s, read in steps, from a ledger of this much.
static double largest_step_of_paying(double ledger, bool body) {
    enum { TICKS = 60 };
    static const double push = 0.15, speed = 0.01, step = 55e-6;
    pal_device_limits coarse = device;
    coarse.resolution = step;
    pal_passivity passivity;
    pal_passivity_init(&passivity, &coarse, T, 0.0, true);
    passivity.never_pull = body;
    double last = 0.0, largest = 0.0;
    for (int k = 0; k < TICKS; k++) {
        pal_device_state state = {.position = {step * round(speed * k * T / step)}};
        double force[3] = {push, 0.0, 0.0};
        passivity.energy = k == TICKS / 3 ? ledger : passivity.energy;
        passivity.energy = k < TICKS / 3 ? 1e-3 : passivity.energy;
        pal_passivity_apply(&passivity, &state, force, NULL);
        pal_passivity_sent(&passivity, force, NULL);
        largest = fmax(largest, fabs(force[0] - push - last));
        last = force[0] - push;
    }
    return largest;
}

static void test_a_debt_that_is_not_felt_is_paid_without_a_step(void) {
    const double none = 0.0, felt = -5e-4; // J
    TEST_ASSERT_TRUE(largest_step_of_paying(none, false) > 0.1);
    // Less than a step of the encoder makes of a spring of 490 N/m
    TEST_ASSERT_DOUBLE_WITHIN(0.027, 0.0, largest_step_of_paying(none, true));
    TEST_ASSERT_TRUE(largest_step_of_paying(felt, true) > 0.1); // and one that is, at once
}

static void test_slow_paying_bounds_the_energy_too(void) {
    loop l = {.k = 4000.0, .delay = 1e-3, .wall = true, .hand = true, .know_delay = true};
    TEST_ASSERT_TRUE(run(&l).true_energy < -0.05);
    l.control = l.body = true;
    const result r = run(&l);
    TEST_ASSERT_TRUE(r.true_energy > -1e-3 && r.ripple < 1e-3);
}

// What a stiff wall gives back beyond what it took, J, to a hand that goes in and out at `speed`,
// if the force can fall by `slew` (N/s; 0: at once); the velocity that is read is late.
static double made_by_a_tap(double speed, double slew, bool control) {
    enum { IN = 8 };
    static const double k = 7000.0;
    pal_passivity passivity;
    pal_passivity_init(&passivity, &device, T, 0.0, control);
    passivity.max_slew = slew;
    double sent = 0.0;
    for (int tick = 0; tick <= 2 * IN; tick++) {
        const double depth = (tick < IN ? tick : 2 * IN - tick) * speed * T;
        pal_device_state state = {.position = {-depth},
                                  .velocity = {tick < IN + 2 ? -speed : speed}};
        double force[3] = {fmin(limit, k * depth), 0.0, 0.0};
        pal_passivity_apply(&passivity, &state, force, NULL);
        sent = slew > 0.0 ? fmax(force[0], sent - slew * T) : force[0];
        pal_passivity_sent(&passivity, (double[3]){sent, 0.0, 0.0}, NULL);
    }
    return passivity.made;
}

static void test_a_quick_hand_leaves_a_stiff_wall_without_a_gift(void) {
    for (double speed = 0.1; speed < 0.45; speed += 0.1) {
        const double without = made_by_a_tap(speed, 2400.0, false);
        TEST_ASSERT_TRUE(without > 4e-4);
        TEST_ASSERT_TRUE(made_by_a_tap(speed, 0.0, true) < 0.2 * without);
        TEST_ASSERT_TRUE(made_by_a_tap(speed, 2400.0, true) < 0.2 * without);
    }
}

// ---- Free space ---------------------------------------------------------------------------------

// A spring that is read in the steps of an encoder, pressed in and let out again over the same
// steps: it gives back what it took, and beyond that only what the answer's half tick of lateness
// makes, K step^2 / 2 by the ticks of a step, on each of them. (By readings and the force of the
// moment the debt would be K step^2 for each.)
static void test_steps_of_an_encoder_make_no_debt(void) {
    enum { DEEP = 40, EACH = 10 };
    static const double k = 1000.0;
    pal_device_limits coarse = device;
    coarse.resolution = 50e-6;
    pal_passivity passivity;
    pal_passivity_init(&passivity, &coarse, T, 0.0, false);
    double most = 0.0;
    for (int tick = 0; tick <= 2 * DEEP * EACH; tick++) {
        const int step = tick / EACH <= DEEP ? tick / EACH : 2 * DEEP - tick / EACH;
        pal_device_state state = {.position = {-step * coarse.resolution}};
        double force[3] = {k * step * coarse.resolution, 0.0, 0.0};
        pal_passivity_apply(&passivity, &state, force, NULL);
        pal_passivity_sent(&passivity, force, NULL);
        most = passivity.energy > most ? passivity.energy : most;
    }
    const double deepest = DEEP * coarse.resolution;
    const double late = 2 * DEEP * 0.5 * k * coarse.resolution * coarse.resolution / EACH;
    TEST_ASSERT_DOUBLE_WITHIN(k * deepest * coarse.resolution, 0.5 * k * deepest * deepest, most);
    TEST_ASSERT_DOUBLE_WITHIN(0.1 * late, -late, passivity.energy);
}

static void test_free_space_stays_free_whatever_the_debt(void) {
    pal_passivity passivity;
    pal_passivity_init(&passivity, &device, T, 1e-3, true);
    passivity.energy = -0.01;
    for (int k = 0; k < 100; k++) {
        pal_device_state state = {.position = {1e-4 * k}, .velocity = {0.1}};
        double force[3] = {0.0, 0.0, 0.0};
        TEST_ASSERT_EQUAL_UINT32(0, pal_passivity_apply(&passivity, &state, force, NULL));
        TEST_ASSERT_EQUAL_DOUBLE(0.0, pal_norm3(force));
        pal_passivity_sent(&passivity, force, NULL);
    }
    // The debt is paid at the next touch
    pal_device_state state = {.position = {0.01}, .velocity = {0.1}};
    double force[3] = {-1.0, 0.0, 0.0};
    TEST_ASSERT_EQUAL_UINT32(PAL_OUT_PASSIVITY,
                             pal_passivity_apply(&passivity, &state, force, NULL));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -1.0 - 0.1 * mass / (2.0 * T), force[0]);
}

static void test_every_touch_begins_with_nothing_to_spend(void) {
    pal_passivity passivity;
    pal_passivity_init(&passivity, &device, T, 1e-3, true);
    passivity.energy = 0.5;
    pal_device_state state = {.velocity = {0.1}};
    double last[3] = {-1.0, 0.0, 0.0}, none[3] = {0.0, 0.0, 0.0};
    pal_passivity_sent(&passivity, last, NULL);
    // As long as a force is on its way the account stays open
    for (int k = 0; k < 3; k++) {
        pal_passivity_apply(&passivity, &state, none, NULL);
        pal_passivity_sent(&passivity, none, NULL);
        TEST_ASSERT_EQUAL_DOUBLE(0.5, passivity.energy);
    }
    pal_passivity_apply(&passivity, &state, none, NULL);
    TEST_ASSERT_EQUAL_DOUBLE(0.0, passivity.energy);
}

// A body that was struck swings back: what the hand has put into it, and it still holds, is no
// gift.
static void test_what_the_body_still_holds_may_be_spent(void) {
    const struct {
        double ledger, stored, after;
    } cases[] = {{0.5, 0.2, 0.2}, {0.5, 0.7, 0.5}, {-0.1, 0.2, -0.1}, {0.5, NAN, 0.0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pal_passivity passivity;
        pal_passivity_init(&passivity, &device, T, 0.0, true);
        passivity.energy = cases[i].ledger;
        passivity.stored = cases[i].stored;
        pal_device_state state = {.velocity = {0.1}};
        double none[3] = {0.0, 0.0, 0.0};
        pal_passivity_apply(&passivity, &state, none, NULL);
        TEST_ASSERT_EQUAL_DOUBLE(cases[i].after, passivity.energy);
    }
}

static void test_damping_is_bounded_by_what_is_stable(void) {
    pal_passivity passivity;
    pal_passivity_init(&passivity, &device, T, 0.0, true);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, mass / (2.0 * T), passivity.alpha_max);
    // A mass under that damper alone, d ticks late, comes to rest
    for (int d = 0; d < 8; d++) {
        pal_passivity_init(&passivity, &device, T, d * T, true);
        double v[10] = {[0] = 1.0, 1, 1, 1, 1, 1, 1, 1, 1, 1}; // newest first
        for (int k = 0; k < 400; k++) {
            double next = v[0] - passivity.alpha_max * T / mass * v[d];
            memmove(v + 1, v, sizeof v - sizeof *v);
            v[0] = next;
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.0, v[0]);
    }
    // Of a device whose mass is not known the limit of its maker serves
    pal_passivity_init(&passivity, &(pal_device_limits){.max_damping = 4.0}, T, 0.0, true);
    TEST_ASSERT_EQUAL_DOUBLE(4.0, passivity.alpha_max);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_ledger_is_the_work_of_the_force_that_acted);
    RUN_TEST(test_a_reading_that_is_no_number_leaves_the_ledger_sound);
    RUN_TEST(test_a_passive_spring_is_left_alone);
    RUN_TEST(test_a_late_stiff_wall_makes_energy_and_the_controller_ends_it);
    RUN_TEST(test_an_observer_that_ignores_the_delay_is_blind);
    RUN_TEST(test_delays_of_parts_of_a_tick_are_controlled_too);
    RUN_TEST(test_without_a_hand_the_energy_stays_bounded);
    RUN_TEST(test_the_steps_of_an_encoder_are_not_handed_on_to_the_hand);
    RUN_TEST(test_a_debt_that_is_not_felt_is_paid_without_a_step);
    RUN_TEST(test_slow_paying_bounds_the_energy_too);
    RUN_TEST(test_a_quick_hand_leaves_a_stiff_wall_without_a_gift);
    RUN_TEST(test_free_space_stays_free_whatever_the_debt);
    RUN_TEST(test_every_touch_begins_with_nothing_to_spend);
    RUN_TEST(test_what_the_body_still_holds_may_be_spent);
    RUN_TEST(test_damping_is_bounded_by_what_is_stable);
    RUN_TEST(test_steps_of_an_encoder_make_no_debt);
    return UNITY_END();
}
