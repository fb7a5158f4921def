// Random runs, each tick judged: scenes (walls, bodies of one piece and of domains; devices, grips,
// delays, surfaces, couplings, grasps, both forms of contact, one or two hands) with damaged
// readings, missed deadlines, commands and edits of materials. Whatever happens,
//
//     force and torque are numbers, within the device's limits, and change within the slew limits;
//     they stay below the start-up ramp after the start and after each re-arming;
//     a latched fault brings them to zero within 6 ticks, and there they stay until the re-arming;
//     without contact nothing is wanted of a tool without a mass (that holds on to nothing);
//     the ledger stays a number of the size of what a hand can do;
//     and in runs with sound readings the loop makes less than 1 mJ a second, by its own ledger and
//     by the true motion of the simulated device.
//
//     PALPATE_CAMPAIGN=N           so many runs (default 1000)
//     PALPATE_CAMPAIGN_SEED=S      from that seed on
//     PALPATE_CAMPAIGN_ROUNDS=R    the probe comes R times in each run, which is as much longer
//                                  (default 1): a million damages are 3600 runs of 20 rounds
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/session.h"
#include "devices/dev_sim.h"
#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/damage.h"
#include "tests/support/sanitized.h"

void setUp(void) {
    check_use_cache();
}
void tearDown(void) {
}

static const double dt = 1e-3, ramp_seconds = 0.2, made_a_second = 1e-3;
enum { ZERO_BY = 6, TEXT = 40000, ROUNDS = 50, TICKS_DAMAGED = 700, TICKS_SOUND = 1500 };

typedef enum kind { WALL, BLOCK, STRIP, KINDS } kind;

typedef struct plan {
    uint64_t seed;
    kind kind;
    bool sound;   // readings and deadlines
    bool dynamic; // the tool has a mass
    int hands;
    int rounds;   // of the probe
    double delay; // ms
    int32_t ticks;
    char text[TEXT]; // the scene
} plan;

// ---- the scene

static const char *pick(test_random *r, const char *const *names, int count) {
    return names[(int)(random_share(r) * count * 0.9999)];
}

static double between(test_random *r, double low, double high) {
    return low * pow(high / low, random_share(r));
}

static void add(plan *p, const char *format, ...) PAL_PRINTF(2, 3);
static void add(plan *p, const char *format, ...) {
    const size_t used = strlen(p->text);
    va_list rest;
    va_start(rest, format);
    vsnprintf(p->text + used, TEXT - used, format, rest);
    va_end(rest);
}

// Where the surface is, m: what a tool of 5 mm touches from above.
static const double top[KINDS][3] = {
    {0.0, 0.0, -5e-3}, {30e-3, 24e-3, 24e-3}, {95e-3, 15e-3, 20e-3}};

static void add_round(plan *p, test_random *r, int hand, double rest) {
    const double *at = top[p->kind];
    const double x = 1e3 * at[0] + 3.0 * random_number(r) - (hand > 0 ? 15.0 : 0.0);
    const double y = 1e3 * at[1] + 3.0 * random_number(r), z = 1e3 * at[2] + 5.0;
    const double deep = 1.0 + 7.0 * random_share(r), up = z + 2.0 + 8.0 * random_share(r);
    add(p, "{move: [%.4g mm, %.4g mm, %.4g mm], seconds: 0.1 s}, ", x, y, up);
    if (random_share(r) < 0.5) {
        const char *grasp = random_share(r) < 0.3 ? ", grasp: true" : "";
        add(p, "{press: [%.4g mm, %.4g mm, %.4g mm], seconds: %.3g s}, {hold: 0.2 s}, ", x, y,
            z - deep, between(r, 0.05, 0.4));
        add(p, "{slide: [%.4g mm, %.4g mm, %.4g mm], seconds: 0.2 s%s}, {release: 0.1 s}, ",
            x + 4.0 * random_number(r), y, z - deep, grasp);
    }
    add(p, "{tap: [%.4g mm, %.4g mm, %.4g mm], speed: %.3g m/s}, {hold: %g s}", x, y, z - deep,
        between(r, 0.05, 0.5), rest);
}

static void add_probe(plan *p, test_random *r, int hand) {
    for (int k = 0; k < p->rounds; k++) {
        add(p, k == 0 ? "[" : ", ");
        add_round(p, r, hand, k + 1 < p->rounds ? 0.1 : 2.0);
    }
    add(p, "]");
}

static void add_hand(plan *p, test_random *r, int hand, const char *indent) {
    static const char *const profiles[] = {"touch", "touchx", "premium", "omega",
                                           "sigma", "falcon", "inverse3"};
    static const char *const grips[] = {"loose", "medium", "firm"};
    add(p, "%sdevice: {profile: %s, grip: %s, friction: 0 N, delay: %.4g ms}\n%s", indent,
        pick(r, profiles, 7), pick(r, grips, 3), p->delay, p->hands > 1 ? "    " : "");
    if (p->kind != WALL && p->dynamic) {
        add(p, "coupling: {kind: dynamic}\n%s", p->hands > 1 ? "    " : "");
    }
    add(p, "probe: ");
    add_probe(p, r, hand);
    add(p, "\n");
}

// Springs in the body's step, or a surface that rubs, and may stick, be rough, have a soft layer.
static void add_surface(plan *p, test_random *r) {
    static const char *const more[] = {"", ", adhesion: 3 kPa", ", static_friction: 0.9",
                                       ", texture: {height: 0.15 mm, length: 2 mm}",
                                       ", stiffness: 15 kPa/mm, damping: 200 kPa s/m"};
    if (p->kind == BLOCK && random_share(r) < 0.2) { // (trees have the other form alone)
        add(p, "contact: {response: penalty}\n");
    } else if (random_share(r) < 0.6) {
        const double friction = 0.6 * random_share(r);
        add(p, "surfaces: [{friction: %.3g%s}]\n", friction, pick(r, more, 5));
    }
}

static void add_body(plan *p, test_random *r) {
    if (p->kind == WALL) {
        add(p, "wall: {height: 0 m, stiffness: %.4g N/m, damping: %.3g N s/m}\n",
            between(r, 50.0, 20000.0), random_share(r) < 0.5 ? 0.0 : between(r, 0.1, 5.0));
        return;
    }
    add(p,
        "body:\n  shape: {name: %s}\n  voxels: 12\n  fixed: %s\n  material: {young: %s, poisson: "
        "0.45, density: 1060 kg/m3}\n  damping: {mass: 0.5 1/s, stiffness: 1 ms}\n%s",
        p->kind == BLOCK ? "block, size: 60 mm" : "strip, size: 0.12 m",
        p->kind == BLOCK ? "z<0.001" : "x<0.001", p->kind == BLOCK ? "20 kPa" : "200 kPa",
        p->kind == BLOCK ? "basis: {modes: 8, size: 16}\n"
                         : "  domains: {auto: 4, cut: axis, modes: {each: 10}, boundary: true}\n");
    add_surface(p, r);
    if (p->kind == BLOCK && random_share(r) < 0.5) {
        add(p, "edits: [{at: %.3g s, region: body, young: %.4g kPa}]\n", random_share(r),
            between(r, 4.0, 400.0));
    }
}

static void make_plan(plan *p, uint64_t seed, int rounds, test_random *r) {
    *p = (plan){.seed = seed, .rounds = rounds};
    p->kind = (kind)(seed % 3);
    p->sound = random_share(r) < 0.3;
    p->hands = p->kind == BLOCK && random_share(r) < 0.3 ? 2 : 1;
    p->dynamic = random_share(r) < 0.3;
    p->delay = random_share(r) < 0.4 ? 0.0 : 20.0 * random_share(r);
    p->ticks = p->rounds * (p->sound ? TICKS_SOUND : TICKS_DAMAGED);
    add(p, "palpate: 1\nname: campaign\n");
    add_body(p, r);
    if (p->hands == 1) {
        add_hand(p, r, 0, "");
        return;
    }
    add(p, "hands:\n");
    for (int h = 0; h < p->hands; h++) {
        add_hand(p, r, h, "  - ");
    }
}

// ---- the judge

typedef struct judge {
    double force[3], torque[3]; // sent last
    int64_t begun;              // tick of the start, or of the last re-arming
    int64_t latched;            // ticks since the fault; 0: none
    double place[3], work;      // m; J, really done on the hand
} judge;

// Of all hands together: what one hand puts in another may take out.
typedef struct made {
    double owed, sum; // J, by the ledgers
} made;

static void blame(const plan *p, int64_t tick, int hand, const char *what, double is, double most) {
    static char text[TEXT + 300];
    snprintf(text, sizeof text, "seed %llu, tick %lld, hand %d: %s is %g, at most %g\n%s",
             (unsigned long long)p->seed, (long long)tick, hand, what, is, most, p->text);
    TEST_FAIL_MESSAGE(text);
}

static void at_most(const plan *p, int64_t tick, int hand, const char *what, double is,
                    double most) {
    if (!(is <= most)) {
        blame(p, tick, hand, what, is, most);
    }
}

static void judge_limits(judge *j, const plan *p, int64_t tick, int h, const pal_servo_hand *hand) {
    const pal_safety_options *limit = &hand->safety.options;
    double change[3], turn[3];
    pal_sub3(hand->force, j->force, change);
    pal_sub3(hand->torque, j->torque, turn);
    at_most(p, tick, h, "force", pal_norm3(hand->force), limit->max_force * (1.0 + 1e-12));
    at_most(p, tick, h, "torque", pal_norm3(hand->torque), limit->max_torque * (1.0 + 1e-12));
    at_most(p, tick, h, "change of the force", pal_norm3(change), limit->max_slew * dt + 1e-9);
    at_most(p, tick, h, "change of the torque", pal_norm3(turn), limit->max_turn_slew * dt + 1e-9);

    // After a start or re-arming what was sent last goes to zero by the slew limit, then the ramp
    const double since = (double)(tick - j->begun + 1) * dt;
    const double line = fmax(since / ramp_seconds, since < 0.008 ? 1.0 : 0.0) * limit->max_force;
    at_most(p, tick, h, "force on the ramp", pal_norm3(hand->force), line + 1e-9);
    j->latched = hand->safety.latched ? j->latched + 1 : 0;
    if (j->latched > ZERO_BY) {
        at_most(p, tick, h, "force after a fault", pal_norm3(hand->force), 0.0);
        at_most(p, tick, h, "torque after a fault", pal_norm3(hand->torque), 0.0);
    }
    memcpy(j->force, hand->force, sizeof j->force);
    memcpy(j->torque, hand->torque, sizeof j->torque);
}

static void judge_energy(judge *j, const plan *p, int64_t tick, int h, const pal_servo_hand *hand,
                         const pal_device *device) {
    const double most = 5.0; // J: far above what a hand does in a run
    at_most(p, tick, h, "size of the ledger", fabs(hand->passivity.energy), most);
    pal_sim_truth truth;
    pal_sim_read_truth(device, &truth);
    for (int c = 0; c < 3; c++) {
        j->work += tick > 0 ? truth.force[c] * (truth.position[c] - j->place[c]) : 0.0;
        j->place[c] = truth.position[c];
    }
}

static void add_made(made *m, const pal_session *s) {
    double energy = 0.0;
    for (int h = 0; h < s->hand_count; h++) {
        energy += s->servo->own.hand[h].passivity.energy;
    }
    // A debt that one hand pays and the other takes again is not made twice; one that the ledger
    // forgives (passivity.h) is.
    const double forgiven = 2e-4, forgotten = 0.5, owed = fmax(0.0, -energy);
    m->sum += fmax(0.0, owed - m->owed);
    m->owed = fmax(owed, m->owed - (forgiven + m->owed / forgotten) * dt);
}

typedef struct tally {
    uint64_t runs, sound, faults, missed, latched, softened;
    double most_made; // J a second
} tally;

static void judge_made(const plan *p, const made *m, const judge *j, tally *sum) {
    const double seconds = p->ticks * dt;
    double work = 0.0;
    for (int h = 0; h < p->hands; h++) {
        work += j[h].work;
    }
    at_most(p, p->ticks, 0, "energy made", m->sum, made_a_second * seconds);
    at_most(p, p->ticks, 0, "work on the hands", work, made_a_second * seconds);
    sum->most_made = fmax(sum->most_made, m->sum / seconds);
}

// ---- a run

static void command(pal_session *s, judge *j, int64_t tick, test_random *r) {
    static const pal_command_kind kinds[] = {PAL_COMMAND_PAUSE, PAL_COMMAND_RESUME,
                                             PAL_COMMAND_TICK, PAL_COMMAND_SLOW,
                                             PAL_COMMAND_SLOW + 3};
    if (random_share(r) < 0.004) {
        pal_servo_order(s->servo, PAL_COMMAND_RESET);
        pal_servo_order(s->servo, PAL_COMMAND_RESUME);
        for (int h = 0; h < PAL_MAX_TOOLS; h++) {
            j[h].begun = tick;
        }
    } else if (random_share(r) < 0.002) {
        pal_servo_order(s->servo, kinds[(int)(4.999 * random_share(r))]);
    }
}

static void run_ticks(pal_session *s, const plan *p, damage *damages, test_random *r, tally *sum) {
    judge j[PAL_MAX_TOOLS] = {0};
    made m = {0};
    pal_realtime_flush_denormals(true);
    for (int64_t tick = 0; tick < p->ticks; tick++) {
        const bool late = !p->sound && random_share(r) < 0.004;
        const int missed = late ? 1 + (int)(8.0 * pow(random_share(r), 3.0)) : 0;
        sum->missed += (uint64_t)missed;
        if (!p->sound) {
            command(s, j, tick, r);
        }
        pal_servo_tick(s->servo, missed, 0.0);
        pal_tick_record record;
        for (int h = 0; h < s->hand_count; h++) {
            const pal_servo_hand *hand = &s->servo->own.hand[h];
            judge_limits(&j[h], p, tick, h, hand);
            judge_energy(&j[h], p, tick, h, hand, &damages[h].inner);
            TEST_ASSERT_TRUE(pal_ring_get(&s->servo->log, &record));
            if (record.outcome & PAL_OUT_UNTOUCHED) {
                at_most(p, tick, h, "force without contact", pal_norm3(hand->wanted), 0.0);
            }
            sum->latched += j[h].latched == 1;
        }
        add_made(&m, s);
    }
    pal_realtime_flush_denormals(false);
    for (int h = 0; h < s->hand_count; h++) {
        sum->softened += s->servo->own.hand[h].watchdog.softest < 1.0;
        sum->faults += damages[h].faults;
    }
    if (p->sound) {
        judge_made(p, &m, j, sum);
    }
}

typedef struct bodies { // baked once
    pal_session of[KINDS];
    bool open[KINDS];
} bodies;

static void open_run(pal_session *s, const plan *p, bodies *b) {
    pal_err err = {0};
    pal_session *kept = &b->of[p->kind];
    pal_session_options options = {.device = "sim", .seed = (long)(p->seed % 1000)};
    if (p->kind != WALL && !b->open[p->kind]) {
        CHECK_OK(pal_session_open_text(kept, "campaign.yaml", p->text, &options, NULL, &err), err);
        b->open[p->kind] = true;
    }
    if (p->kind != WALL) {
        options.model = &kept->model;
        options.tree = p->kind == STRIP ? &kept->tree : NULL;
        options.one_thread = true;
    }
    if (pal_session_open_text(s, "campaign.yaml", p->text, &options, NULL, &err) != PAL_OK) {
        TEST_FAIL_MESSAGE(err.text);
    }
}

static void run_one(uint64_t seed, int rounds, bodies *b, tally *sum) {
    test_random r = {seed * 7919 + 1};
    static plan p;
    static pal_session s;
    static damage damages[PAL_MAX_TOOLS];
    for (int k = 0; k < 8; k++) {
        random_number(&r);
    }
    make_plan(&p, seed, rounds, &r);
    open_run(&s, &p, b);
    for (int h = 0; h < s.hand_count; h++) {
        damage_open(&damages[h], &s.device[h], &r, p.sound ? 0.0 : 0.03);
    }
    run_ticks(&s, &p, damages, &r, sum);
    pal_session_close(&s);
    sum->runs++;
    sum->sound += p.sound;
}

static uint64_t setting(const char *name, uint64_t fallback) {
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 10) : fallback;
}

static void test_whatever_happens_nothing_unmeant_is_sent(void) {
    const uint64_t runs = setting("PALPATE_CAMPAIGN", SANITIZED_OR(60, 1000));
    const uint64_t first = setting("PALPATE_CAMPAIGN_SEED", 1);
    const uint64_t rounds = setting("PALPATE_CAMPAIGN_ROUNDS", 1);
    TEST_ASSERT_TRUE_MESSAGE(rounds >= 1 && rounds <= ROUNDS, "PALPATE_CAMPAIGN_ROUNDS: 1 to 50");
    static bodies b;
    tally sum = {0};
    for (uint64_t k = 0; k < runs; k++) {
        run_one(first + k, (int)rounds, &b, &sum);
    }
    for (int k = 0; k < KINDS; k++) {
        if (b.open[k]) {
            pal_session_close(&b.of[k]);
        }
    }
    printf("%llu runs (%llu with sound readings), %llu damages, %llu missed deadlines, %llu "
           "latched, %llu softened; at most %.3f mJ/s made\n",
           (unsigned long long)sum.runs, (unsigned long long)sum.sound,
           (unsigned long long)sum.faults, (unsigned long long)sum.missed,
           (unsigned long long)sum.latched, (unsigned long long)sum.softened, 1e3 * sum.most_made);
    if (runs >= 60) {
        TEST_ASSERT_TRUE(sum.faults > runs && sum.latched > runs / 10 && sum.sound > runs / 10);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST_OF_ONE_THREAD(test_whatever_happens_nothing_unmeant_is_sent);
    return UNITY_END();
}
