// palpate replay TRACE: the recorded readings again, through the same tick.
#include <string.h>

#include "app/command.h"
#include "app/progress_bar.h"
#include "app/run_report.h"
#include "app/style.h"
#include "app/table.h"
#include "app/traces.h"
#include "sim/base/clock.h"
#include "sim/base/cpu_level.h"

static const pal_option options[] = {
    {.name = "--check",
     .help = "fail unless every force is the recorded one, bit for bit, and so is the trace hash"},
    PAL_OPTION_LENIENT,
    {.name = NULL},
};

typedef struct replay {
    int64_t different;        // rows whose force, torque or friction is another
    int64_t first;            // of them
    double largest;           // N, difference of a component
    char hash[PAL_HASH_TEXT]; // as stored; for traces that were cut off, of the rows that are left
} replay;

// What is likely behind a difference, as the end of a sentence; "": the same kernels, or not known.
typedef struct reason {
    char text[2 * PAL_CPU_TEXT + 160];
} reason;

static reason other_kernels(const pal_trace_info *info) {
    reason r = {""};
    char here[PAL_CPU_TEXT];
    pal_cpu_kernels(here);
    if (info->kernels[0] != '\0' && strcmp(info->kernels, here) != 0) {
        snprintf(
            r.text, sizeof r.text,
            "; it was recorded with other kernels (%s; here: %s), which round differently: repeat "
            "it with those",
            info->kernels, here);
    }
    return r;
}

static pal_status check_replayable(const pal_trace_data *trace, const pal_session *session,
                                   const char *path, pal_err *err) {
    if (trace->dropped > 0) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "%s: the log lost %llu ticks, so that the rest cannot be repeated exactly",
                        path, (unsigned long long)trace->dropped);
    }
    pal_status status = pal_session_check_edits(session, trace, path, err);
    if (status != PAL_OK) {
        return status;
    }
    if (strcmp(trace->info.body_hash, session->body.hash) != 0) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "%s: the body of scene '%s' is another now than when the trace was made; "
                        "bake it with the program that made the trace (%s)%s",
                        path, trace->info.scene, trace->info.program,
                        other_kernels(&trace->info).text);
    }
    return PAL_OK;
}

// Friction stands behind the columns of the trace hash; older formats do not have it.
static bool rubs_otherwise(const pal_tick_record *old, const pal_tick_record *now) {
    return memcmp(old->push, now->push, sizeof old->push) != 0 ||
           memcmp(old->grip, now->grip, sizeof old->grip) != 0 || old->slipped != now->slipped;
}

static void compare(replay *r, bool friction, const pal_tick_record *old,
                    const pal_tick_record *now) {
    if (memcmp(old->force, now->force, sizeof old->force) != 0 ||
        memcmp(old->torque, now->torque, sizeof old->torque) != 0 ||
        (friction && rubs_otherwise(old, now))) {
        r->first = r->different++ == 0 ? (int64_t)old->tick : r->first;
    }
    for (int c = 0; c < 3; c++) {
        double difference = old->force[c] - now->force[c];
        difference = difference < 0.0 ? -difference : difference;
        r->largest = difference > r->largest ? difference : r->largest;
    }
}

static pal_status repeat(pal_session *session, const pal_trace_data *trace, replay *r,
                         pal_run_result *result, pal_err *err) {
    pal_status status = PAL_OK;
    pal_hash recorded, repeated;
    pal_hash_init(&recorded);
    pal_hash_init(&repeated);
    double start = pal_seconds();
    pal_realtime_flush_denormals(true); // as the servo thread does
    const int64_t rows = trace->count - trace->count % session->hand_count; // of whole ticks
    pal_tick_record now[PAL_TRACE_HANDS];
    for (int64_t k = 0; status == PAL_OK && k < rows; k++) {
        const pal_tick_record *old = &trace->record[k];
        if (k == 0 || old->tick != old[-1].tick) {
            status = pal_session_repeat(session, old, now, err);
            result->ticks++;
        }
        compare(r, trace->version >= 3, old, &now[old->hand]);
        pal_trace_hash_record(&recorded, old);
        pal_trace_hash_record(&repeated, &now[old->hand]);
    }
    pal_realtime_flush_denormals(false);
    result->wall_seconds = pal_seconds() - start;
    result->trace.rows = (uint64_t)rows;
    pal_hash_text(&recorded, r->hash);
    if (trace->hash[0] != '\0') {
        memcpy(r->hash, trace->hash, sizeof r->hash);
    }
    pal_hash_text(&repeated, result->trace.hash);
    return status;
}

static pal_status report(const pal_job *job, const pal_session *session, const pal_trace_info *info,
                         const replay *r, const pal_run_result *result, pal_err *err) {
    bool same = strcmp(r->hash, result->trace.hash) == 0;
    if (pal_args_flag(job->args, "--check") && (r->different > 0 || !same)) {
        return pal_fail(
            err, PAL_ERR_NUMERIC,
            "the replay differs: %lld of %llu forces and torques, first at tick %lld, by up to "
            "%.3g N; trace hash %s, recorded %s%s",
            (long long)r->different, (unsigned long long)result->trace.rows, (long long)r->first,
            r->largest, result->trace.hash, r->hash, other_kernels(info).text);
    }
    if (job->json) {
        cJSON *root = pal_json_object();
        pal_json_bool(root, "same", same && r->different == 0);
        pal_json_number(root, "different_forces", (double)r->different);
        pal_json_number(root, "largest_difference_n", r->largest);
        pal_json_text(root, "recorded_kernels", info->kernels);
        pal_run_report_json(session, result, root);
        return pal_json_print(root, err);
    }
    printf("%s%s%s - replayed\n", pal_style_bold(stdout), session->scene.name,
           pal_style_plain(stdout));
    pal_run_report_print(session, result);
    putchar('\n');
    if (same && r->different == 0) {
        puts("  Every force is the recorded one, bit for bit.");
    } else {
        printf("  %s forces differ, by up to %.3g N%s.\n", pal_say_count(r->different).text,
               r->largest, other_kernels(info).text);
    }
    return PAL_OK;
}

static pal_status run(const pal_job *job, pal_err *err) {
    const char *path = job->args->operand[0];
    pal_trace_data trace;
    pal_session session;
    pal_status status = pal_traces_read(path, &trace, err);
    if (status != PAL_OK) {
        return status;
    }
    status = pal_session_open_trace(&session, &trace, job->progress, err);
    pal_bar_end(status);
    if (status == PAL_OK) {
        replay r = {0};
        pal_run_result result = {0};
        if (pal_args_flag(job->args, "--check")) {
            status = check_replayable(&trace, &session, path, err);
        }
        if (status == PAL_OK) {
            status = repeat(&session, &trace, &r, &result, err);
        }
        if (status == PAL_OK) {
            status = report(job, &session, &trace.info, &r, &result, err);
        }
        pal_session_close(&session);
    }
    pal_trace_data_free(&trace);
    return status;
}

const pal_command pal_command_replay = {
    .usage = {.command = "replay",
              .summary = "a recorded run again, through the same tick",
              .operands = "TRACE",
              .min_operands = 1,
              .max_operands = 1,
              .about =
                  "TRACE is a file of palpate run --trace, or what is left of one that was cut "
                  "off (.h5.part). The readings of the device go through the same code again.",
              .examples = "palpate replay liver.h5\npalpate replay liver.h5 --check",
              .group = {{"Options", options}, {"Output", pal_options_work}}},
    .run = run,
};
