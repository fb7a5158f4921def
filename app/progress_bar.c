#include "app/progress_bar.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/style.h"
#include "sim/base/clock.h"

enum { BAR_WIDTH = 30, STAGE_TEXT = 32 };

static const double redraw_interval = 0.08; // s

static struct {
    bool terminal;
    char stage[STAGE_TEXT]; // "" between stages
    double stage_start;
    double last_end; // when the stage before this one was over
    double last_draw;
} bar;

static volatile sig_atomic_t line_open; // there is a bar on the terminal

// Ctrl-C: leave the cursor on a fresh line, then let the signal do what it does.
static void interrupted(int signal_number) {
    if (line_open) {
        static const char newline[] = "\033[0m\n";
        if (write(STDERR_FILENO, newline, sizeof newline - 1) < 0) {
            line_open = 0;
        }
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void draw(double fraction, double now) {
    double spent = now - bar.stage_start;
    int full = (int)(fraction * BAR_WIDTH);
    char left[64] = "";
    if (fraction > 0.02 && fraction < 0.98 && spent > 0.5) {
        double seconds = ceil(spent * (1.0 - fraction) / fraction);
        snprintf(left, sizeof left, "  %s left", pal_say_time(seconds).text);
    }
    fprintf(stderr, "%s%-22s %s", pal_style_line_again(), bar.stage, pal_style_bold(stderr));
    for (int i = 0; i < BAR_WIDTH; i++) {
        if (i == full) {
            fputs(pal_style_plain(stderr), stderr);
            fputs(pal_style_dim(stderr), stderr);
        }
        fputs(i < full ? "\u2501" : "\u2500", stderr);
    }
    fprintf(stderr, "%s %3.0f %%%s%s", pal_style_plain(stderr), 100.0 * fraction, left,
            pal_style_line_rest());
    fflush(stderr);
    line_open = 1;
    bar.last_draw = now;
}

static void end_stage(double now, bool done) {
    if (bar.stage[0] == '\0') {
        return;
    }
    if (bar.terminal) {
        pal_style_line_away(stderr);
        fflush(stderr);
        line_open = 0;
    } else if (done) {
        fprintf(stderr, "%-22s %s\n", bar.stage, pal_say_time(now - bar.stage_start).text);
    }
    bar.stage[0] = '\0';
    bar.last_end = now;
}

static void report(void *user, const char *stage, double fraction) {
    (void)user;
    double now = pal_seconds();
    bool same = strncmp(stage, bar.stage, STAGE_TEXT - 1) == 0;
    if (!same) {
        end_stage(now, true);
        snprintf(bar.stage, sizeof bar.stage, "%s", stage);
        // Work that first speaks when it has come some way began where the last stage ended.
        bar.stage_start = fraction > 0.0 ? bar.last_end : now;
    }
    if (bar.terminal && (!same || now - bar.last_draw >= redraw_interval)) {
        draw(fmin(fmax(fraction, 0.0), 1.0), now);
    }
}

const pal_progress *pal_bar_start(bool quiet) {
    static const pal_progress progress = {.report = report};
    memset(&bar, 0, sizeof bar);
    bar.terminal = pal_style_is_terminal(stderr);
    bar.last_end = pal_seconds();
    if (quiet) {
        return NULL;
    }
    signal(SIGINT, interrupted);
    signal(SIGTERM, interrupted);
    return &progress;
}

void pal_bar_end(pal_status status) {
    end_stage(pal_seconds(), status == PAL_OK);
}
