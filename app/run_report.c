#include "app/run_report.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/style.h"
#include "app/table.h"

static const struct {
    const char *name, *text, *fallback;
} outcomes[PAL_OUTCOME_COUNT] = {
#define OUTCOME_ROW(name, text, fallback) {#name, text, fallback},
    PAL_OUTCOME_LIST(OUTCOME_ROW)
#undef OUTCOME_ROW
};

// PAL_OUT_NOT_SPD: "not_spd".
static void outcome_key(int number, char key[32]) {
    const char *name = outcomes[number].name + strlen("PAL_OUT_");
    int i = 0;
    for (; name[i] != '\0' && i < 31; i++) {
        key[i] = (char)tolower((unsigned char)name[i]);
    }
    key[i] = '\0';
}

static void print_outcomes(const pal_servo_counters *counters) {
    pal_table table;
    pal_table_start(&table, "outcome|>ticks|what was done");
    int rows = 0;
    for (int i = 0; i < PAL_OUTCOME_COUNT; i++) {
        if (counters->outcome[i] > 0) {
            pal_table_cell(&table, "%s", outcomes[i].text);
            pal_table_cell(&table, "%s", pal_say_count((int64_t)counters->outcome[i]).text);
            pal_table_cell(&table, "%s", outcomes[i].fallback);
            rows++;
        }
    }
    if (rows == 0) {
        pal_table_drop(&table);
        pal_table_fact(stdout, "outcomes", "every tick as it should be");
        return;
    }
    putchar('\n');
    pal_table_print(&table, stdout);
}

static void print_rights(const pal_realtime_report *rights) {
    for (int i = 0; i < PAL_RIGHTS; i++) {
        if (rights->grant[i].name != NULL && !rights->grant[i].granted) {
            pal_table_fact(stdout, rights->grant[i].name, "%s", rights->grant[i].text);
        }
    }
}

// The first hand whose force is taken away, or -1.
static int32_t find_fault(const pal_session *session) {
    for (int32_t h = 0; h < session->hand_count; h++) {
        if (session->servo->own.hand[h].safety.latched) {
            return h;
        }
    }
    return -1;
}

pal_status pal_run_report_verdict(const pal_session *session, pal_err *err) {
    const int32_t h = find_fault(session);
    if (h < 0) {
        return PAL_OK;
    }
    const pal_servo_hand *hand = &session->servo->own.hand[h];
    const pal_fault_words *words = pal_fault_say(hand->safety.fault);
    return pal_fail(err, PAL_ERR_IO,
                    "hand %d has no force since %.3f s: %s; %s, and re-arm (R in the window, or a "
                    "new run)",
                    (int)h + 1, hand->fault_time, words->text, words->remedy);
}

static void print_faults(const pal_session *session) {
    for (int32_t h = 0; h < session->hand_count; h++) {
        const pal_servo_hand *hand = &session->servo->own.hand[h];
        const pal_fault_words *words = pal_fault_say(hand->last_fault);
        if (hand->faults > 0) {
            pal_table_fact(stdout, "fault", "hand %d at %.3f s: %s; %s%s", (int)h + 1,
                           hand->fault_time, words->text,
                           hand->safety.latched ? "the force was ramped to zero and stayed there"
                                                : "re-armed since",
                           hand->faults > 1 ? " (not the first fault)" : "");
        }
        if (hand->watchdog.why != PAL_CAUSE_NONE) {
            pal_table_fact(stdout, "softened", "hand %d, to %.0f %% of the force: %s", (int)h + 1,
                           100.0 * hand->watchdog.softest, pal_watchdog_why(&hand->watchdog));
        }
    }
}

static void print_notes(const pal_session *session) {
    for (int i = 0; i < session->note_count; i++) {
        pal_table_fact(stdout, "note", "%s", session->note[i]);
    }
}

// Of devices that cannot hold their largest force for ever.
static void print_heat(const pal_session *session) {
    for (int32_t h = 0; h < session->hand_count; h++) {
        const pal_safety *safety = &session->servo->own.hand[h].safety;
        if (pal_safety_has_heat(safety)) {
            pal_table_fact(stdout, "motors", "hand %d: %.0f %% of the heat of %.3g N for ever",
                           (int)h + 1, 100.0 * safety->hottest, safety->options.continuous);
        }
    }
}

// J: by how much the ledgers of all hands together were below zero at the worst.
static double energy_made(const pal_session *session) {
    double made = 0.0;
    for (int32_t h = 0; h < session->hand_count; h++) {
        made = fmax(made, session->servo->own.hand[h].passivity.made);
    }
    return made;
}

// "3.3 N (touch)", for each hand.
static void print_limits(const pal_session *session, const pal_servo_counters *c) {
    char of[160] = "";
    bool turns = false;
    for (int32_t h = 0; h < session->hand_count; h++) {
        const pal_device_limits *limits = &session->device[h].limits;
        const size_t used = strlen(of);
        snprintf(of + used, sizeof of - used, "%s%.3g N (%s)", h > 0 ? ", " : "", limits->max_force,
                 limits->name);
        turns = turns || limits->max_torque > 0.0;
    }
    pal_table_fact(stdout, "largest force", "%.3f N of %s", c->max_force, of);
    if (turns) {
        pal_table_fact(stdout, "largest torque", "%.2f mN m", 1e3 * c->max_torque);
    }
}

// Tools that never got out of the body felt nothing.
static void print_stuck(const pal_session *session) {
    for (int32_t h = 0; h < session->hand_count; h++) {
        const pal_tool *tool = &session->servo->own.tool[h];
        if (session->servo->body != NULL && tool->placed && !tool->cleared) {
            pal_table_fact(stdout, "note",
                           "the tool of hand %d began inside the body, never left it, and so felt "
                           "nothing: let the probe begin outside",
                           (int)h + 1);
        }
    }
}

void pal_run_report_print(const pal_session *session, const pal_run_result *result) {
    const pal_servo_counters *c = &session->servo->own.counters;
    const pal_histogram_summary tick = pal_histogram_summarize(&c->tick);
    pal_table_fact(stdout, "time", "%s of servo time in %s%s",
                   pal_say_time((double)result->ticks * session->options.dt).text,
                   pal_say_time(result->wall_seconds).text,
                   result->interrupted ? ", interrupted" : "");
    pal_table_fact(stdout, "ticks", "%s, %s missed (%d in a row), %s dropped from the log",
                   pal_say_count((int64_t)c->ticks).text, pal_say_count((int64_t)c->missed).text,
                   result->longest_gap, pal_say_count((int64_t)result->dropped).text);
    pal_table_fact(stdout, "tick time", "%.1f us median, %.1f p99, %.1f p99.99, %.1f max", tick.p50,
                   tick.p99, tick.p9999, tick.max);
    print_limits(session, c);
    if (session->form == PAL_CONTACT_PENALTY) {
        pal_table_fact(stdout, "contact",
                       "penalty form: no friction, adhesion, grasp or dents beyond the basis");
    }
    pal_table_fact(stdout, "deepest contact", "%s", pal_say_length(c->max_depth).text);
    pal_table_fact(stdout, "energy made", "%.4f mJ", 1e3 * energy_made(session));
    print_rights(&result->rights);
    if (result->trace.hash[0] != '\0') {
        pal_table_fact(stdout, "trace hash", "%s", result->trace.hash);
    }
    print_heat(session);
    print_faults(session);
    print_notes(session);
    print_stuck(session);
    print_outcomes(c);
}

static cJSON *json_hands(const pal_session *session) {
    cJSON *hands = pal_json_array();
    for (int32_t h = 0; h < session->hand_count; h++) {
        const pal_servo_hand *hand = &session->servo->own.hand[h];
        cJSON *item = pal_json_object();
        pal_json_number(item, "faults", (double)hand->faults);
        pal_json_bool(item, "fault_latched", hand->safety.latched);
        pal_json_text(item, "fault", pal_fault_say(hand->last_fault)->key);
        pal_json_text(item, "fault_text",
                      hand->faults > 0 ? pal_fault_say(hand->last_fault)->text : "");
        pal_json_number(item, "fault_time_s", hand->faults > 0 ? hand->fault_time : NAN);
        pal_json_text(item, "softened_by", pal_fault_say(hand->watchdog.why)->key);
        pal_json_number(item, "softened_to", hand->watchdog.softest);
        pal_json_number(item, "heat", hand->safety.hottest);
        pal_json_number(item, "button_readings_not_taken", (double)hand->reading.chatter);
        pal_json_append(hands, item);
    }
    return hands;
}

void pal_run_report_json(const pal_session *session, const pal_run_result *result, cJSON *root) {
    const pal_servo_counters *c = &session->servo->own.counters;
    const pal_histogram_summary tick = pal_histogram_summarize(&c->tick);
    cJSON *times = pal_json_object(), *safety = pal_json_object();
    pal_json_number(root, "ticks", (double)c->ticks);
    pal_json_number(root, "dropped", (double)result->dropped);
    pal_json_number(root, "missed_deadlines", (double)c->missed);
    pal_json_number(times, "p50", tick.p50);
    pal_json_number(times, "p99", tick.p99);
    pal_json_number(times, "p9999", tick.p9999);
    pal_json_number(times, "max", tick.max);
    pal_json_add(root, "tick_us", times);
    pal_json_number(root, "max_force_n", c->max_force);
    pal_json_number(root, "max_penetration_m", c->max_depth);
    pal_json_number(root, "energy_generated_j", energy_made(session));
    for (int i = 0; i < PAL_OUTCOME_COUNT; i++) {
        char key[32];
        outcome_key(i, key);
        pal_json_number(safety, key, (double)c->outcome[i]);
    }
    pal_json_add(root, "safety", safety);
    pal_json_add(root, "hands", json_hands(session));
    cJSON *notes = pal_json_array();
    for (int i = 0; i < session->note_count; i++) {
        pal_json_append(notes, cJSON_CreateString(session->note[i]));
    }
    if (session->scene.note[0] != '\0') {
        pal_json_append(notes, cJSON_CreateString(session->scene.note));
    }
    pal_json_add(root, "notes", notes);
    pal_json_text(root, "trace_hash", result->trace.hash);
}
