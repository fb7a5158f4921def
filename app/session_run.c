// One run: the servo's thread and the trace's, and meanwhile a line for the eye on this one.
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/progress_bar.h"
#include "app/session.h"
#include "app/style.h"
#include "sim/base/clock.h"
#include "sim/base/vec3.h"

static const double line_seconds = 0.2, poll_seconds = 0.01, patience = 10.0;

// ---- interrupts: the first ends the run cleanly, the second at once

static volatile sig_atomic_t interrupted;

static void interrupt(int number) {
    interrupted = 1;
    signal(number, SIG_DFL);
}

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals };

static void take_signals(void (*before[SIGNALS])(int)) {
    interrupted = 0;
    for (int i = 0; i < SIGNALS; i++) {
        before[i] = signal(signals[i], interrupt);
        if (before[i] == SIG_IGN) { // under nohup
            signal(signals[i], SIG_IGN);
        }
    }
}

static void restore_signals(void (*const before[SIGNALS])(int)) {
    for (int i = 0; i < SIGNALS; i++) {
        signal(signals[i], before[i]);
    }
}

// ---- the line

typedef struct live_line {
    bool on;
    double next; // s
    double last_time;
    uint64_t last_tick;
    bool tells;                               // of faults, on a terminal or not
    bool told_lost;                           // that the trace is not written any more
    pal_fault_cause told[PAL_SNAPSHOT_HANDS]; // of each hand
} live_line;

static void end_line(const live_line *line) {
    if (line->on) {
        pal_style_line_away(stderr);
        fflush(stderr);
    }
}

// A fault gets a line of its own as soon as it is there.
static void tell_faults(live_line *line, const pal_snapshot *shot) {
    for (int32_t h = 0; line->tells && h < shot->hand_count; h++) {
        const pal_fault_cause fault = shot->hand[h].fault;
        if (fault != PAL_CAUSE_NONE && fault != line->told[h]) {
            const pal_fault_words *words = pal_fault_say(fault);
            end_line(line);
            fprintf(stderr, "palpate: hand %d has no force any more: %s; %s\n", (int)h + 1,
                    words->text, words->remedy);
        }
        line->told[h] = fault;
    }
}

static void draw_line(live_line *line, pal_servo *servo, double now) {
    bool fresh;
    const pal_snapshot *shot = pal_exchange_latest(&servo->exchange, &fresh);
    if (fresh) {
        tell_faults(line, shot);
    }
    if (!line->on || now < line->next || !fresh) {
        return;
    }
    double rate = (double)(shot->tick - line->last_tick) / (now - line->last_time);
    fprintf(stderr, "%s%8.2f s  %6.0f Hz  force", pal_style_line_again(), shot->time, rate);
    int contacts = 0;
    for (int32_t h = 0; h < shot->hand_count; h++) {
        fprintf(stderr, "%s%5.2f", h > 0 ? "," : " ", pal_norm3(shot->hand[h].force));
        contacts += shot->hand[h].touching;
    }
    fputs(" N  ", stderr);
    if (contacts > 0) {
        fprintf(stderr, "%d contact%s", contacts, contacts == 1 ? "" : "s");
    } else {
        fputs("no contact", stderr);
    }
    fprintf(stderr, "  tick %.0f us", shot->tick_us);
    if (shot->missed > 0) {
        fprintf(stderr, "  %s%llu missed%s", pal_style_alarm(stderr),
                (unsigned long long)shot->missed, pal_style_plain(stderr));
    }
    fputs(pal_style_line_rest(), stderr);
    fflush(stderr);
    line->next = now + line_seconds;
    line->last_time = now;
    line->last_tick = shot->tick;
}

// A run in virtual time has no use without its trace; one that somebody feels goes on.
static bool is_in_vain(live_line *line, const pal_trace *trace, bool virtual_time) {
    if (!pal_trace_failed(trace)) {
        return false;
    }
    if (!virtual_time && line->tells && !line->told_lost) {
        end_line(line);
        fputs("palpate: the trace cannot be written any more; why is told at the end\n", stderr);
        line->told_lost = true;
    }
    return virtual_time;
}

// ---- the run

static void watch(pal_loop *loop, pal_session *session, const pal_run_options *options) {
    const struct timespec nap = {.tv_nsec = (long)(1e9 * poll_seconds)};
    const bool alone = options->meanwhile == NULL; // else the snapshots are for that
    live_line line = {.on = alone && options->live_line && pal_style_is_terminal(stderr),
                      .tells = alone && options->live_line,
                      .last_time = pal_seconds()};
    line.next = line.last_time + line_seconds;
    bool stopped = false, more = true;
    while (!pal_loop_is_done(loop)) {
        if (!options->takes_its_time || !more) {
            nanosleep(&nap, NULL);
        }
        if (alone) {
            draw_line(&line, loop->servo, pal_seconds());
        } else {
            more = more && options->meanwhile(session, options->context);
        }
        const bool vain = is_in_vain(&line, loop->trace, options->virtual_time);
        if ((interrupted || !more || vain) && !stopped) {
            stopped = true;
            pal_loop_stop(loop);
        }
    }
    end_line(&line);
}

// The edits that the servo has taken in the run, for the trace.
static pal_status keep_edits(pal_session *session, pal_trace *trace, pal_err *err) {
    int count = 0;
    pal_status status = PAL_OK;
    if (session->desk == NULL) {
        return status;
    }
    pal_desk_take_back(session->desk);
    const pal_live_edit *edit = pal_desk_log(session->desk, &count);
    if (count > 0) {
        char *text = pal_live_edits_print(&session->model, edit, count, err);
        status = text != NULL ? pal_trace_set_live_edits(trace, text, err) : PAL_ERR_MEMORY;
        free(text);
    }
    return status;
}

static pal_status check_calls(const pal_loop *loop, const char *trace, pal_err *err) {
    if (!loop->silent) {
        return PAL_OK;
    }
    return pal_fail(err, PAL_ERR_IO,
                    "the device has called no tick for %g s, after %.3f s of servo time: is it "
                    "still plugged in and powered? Its force was taken away and the run ended%s%s",
                    PAL_LOOP_SILENCE, (double)loop->own.tick * loop->servo->options.dt,
                    trace != NULL ? "; the ticks up to there are in " : "",
                    trace != NULL ? trace : "");
}

pal_status pal_session_run(pal_session *session, const pal_run_options *options,
                           pal_run_result *result, pal_err *err) {
    memset(result, 0, sizeof *result);
    void (*before[SIGNALS])(int);
    pal_trace_info info;
    pal_trace *trace;
    pal_session_info(session, options->virtual_time, &info);
    pal_status status =
        pal_trace_open(&trace, &session->servo->log, &info, options->trace, options->csv, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_bar_end(status);
    pal_loop loop = {.servo = session->servo,
                     .kind = options->virtual_time                    ? PAL_CLOCK_VIRTUAL
                             : pal_device_drives(&session->device[0]) ? PAL_CLOCK_DEVICE
                                                                      : PAL_CLOCK_REAL,
                     .ticks = (uint64_t)llrint(options->seconds / session->options.dt),
                     .trace = trace};
    take_signals(before);
    status = pal_loop_start(&loop, err);
    if (status == PAL_OK) {
        watch(&loop, session, options);
        pal_loop_join(&loop);
        status = check_calls(&loop, options->trace, err);
    }
    pal_status kept = keep_edits(session, trace, status == PAL_OK ? err : NULL);
    status = status == PAL_OK ? kept : status;
    const pal_servo_counters *counters = &session->servo->own.counters;
    pal_status closed = pal_trace_close(trace, counters->ticks * (uint64_t)session->hand_count,
                                        patience, &result->trace, status == PAL_OK ? err : NULL);
    restore_signals(before);
    result->ticks = counters->ticks;
    result->dropped = counters->outcome[PAL_OUT_LOG_FULL_NUMBER];
    result->wall_seconds = loop.own.seconds;
    result->interrupted = interrupted != 0;
    result->longest_gap = loop.own.clock.longest_gap;
    result->rights = loop.own.rights;
    return status == PAL_OK ? closed : status;
}
