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

// The first hand with a fault; NULL: none has one.
static const pal_safety *find_fault(const pal_session *session) {
    for (int32_t h = 0; h < session->hand_count; h++) {
        if (session->servo->own.hand[h].safety.latched) {
            return &session->servo->own.hand[h].safety;
        }
    }
    return NULL;
}

const char *pal_run_report_fault(const pal_session *session) {
    const pal_safety *safety = find_fault(session);
    return safety == NULL                        ? NULL
           : safety->fault & PAL_OUT_DEVICE_LOST ? "the device was lost"
           : session->servo->own.counters.missed > 0
               ? "too many ticks were missed (see palpate doctor)"
               : "the device sent no fresh readings";
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
    const char *fault = pal_run_report_fault(session);
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
    if (fault != NULL) {
        pal_table_fact(stdout, "fault", "%s: the force was ramped to zero and stayed there", fault);
    }
    print_stuck(session);
    print_outcomes(c);
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
    pal_json_text(root, "trace_hash", result->trace.hash);
}
