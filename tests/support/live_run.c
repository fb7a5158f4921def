#include "tests/support/live_run.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "haptics/trace.h"
#include "sim/base/file.h"
#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/program.h"

static const double max_force = 3.3, max_change = 3.3 / 5.0; // of the touch: N, N a tick

static void name_file(char path[256], const char *name, const char *ending) {
    char file[128];
    snprintf(file, sizeof file, "%s%s", name, ending);
    snprintf(path, 256, "%s", check_scratch(file));
}

void live_run_start(live_run *run, const char *name, const char *arguments, void (*before)(void)) {
    char command[2048];
    name_file(run->trace, name, ".h5");
    name_file(run->out, name, ".out");
    name_file(run->errors, name, ".err");
    snprintf(command, sizeof command, "exec %s run %s --trace '%s'", PAL_PROGRAM, arguments,
             run->trace);
    fflush(stdout);
    run->child = fork();
    TEST_ASSERT_TRUE(run->child >= 0);
    if (run->child == 0) {
        if (freopen(run->out, "w", stdout) == NULL || freopen(run->errors, "w", stderr) == NULL) {
            _exit(126);
        }
        if (before != NULL) {
            before();
        }
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
}

int live_run_end(const live_run *run, int number) {
    int status;
    if (number != 0) {
        kill(run->child, number);
    }
    TEST_ASSERT_EQUAL_INT(run->child, waitpid(run->child, &status, 0));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void live_run_wait(double seconds) {
    struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&time, NULL);
}

void live_run_said(const live_run *run, const char *words) {
    const char *const files[] = {run->out, run->errors};
    bool found = false;
    char *text = NULL;
    for (int i = 0; i < 2 && !found; i++) {
        size_t size;
        pal_err err = {0};
        free(text);
        CHECK_OK(pal_file_read(files[i], &text, &size, &err), err);
        found = strstr(text, words) != NULL;
    }
    TEST_ASSERT_TRUE_MESSAGE(found, words);
    free(text);
}

bool live_run_end_whole(const live_run *run, int number) {
    const int code = live_run_end(run, number);
    TEST_ASSERT_TRUE(code == 0 || code == 1);
    if (code == 1) {
        live_run_said(run, "has no force since");
        live_run_said(run, "  fault  ");
    }
    return code == 1;
}

double live_run_check(const live_run *run, const char *path, bool ended) {
    enum { LATCHING = 5 }; // more missed ticks are a fault
    static const double pressed = 1.0;
    pal_trace_data trace;
    pal_err err = {0};
    CHECK_OK(pal_trace_read(path != NULL ? path : run->trace, &trace, &err), err);
    double last[3] = {0.0, 0.0, 0.0}, most = 0.0;
    bool kept = false;
    for (int64_t k = 0; k < trace.count; k++) {
        const pal_tick_record *record = &trace.record[k];
        double change[3];
        kept = kept || (record->missed > LATCHING && record->time < pressed);
        pal_sub3(record->force, last, change);
        TEST_ASSERT_TRUE(pal_norm3(change) <= max_change * (1 + 1e-6));
        TEST_ASSERT_TRUE(pal_norm3(record->force) <= max_force * (1 + 1e-12));
        memcpy(last, record->force, sizeof last);
        most = fmax(most, pal_norm3(last));
    }
    TEST_ASSERT_TRUE(!ended || pal_norm3(last) == 0.0);
    kept = kept || (double)trace.count * trace.info.dt < pressed;
    pal_trace_data_free(&trace);
    return kept ? NAN : most;
}

void live_run_replays(const live_run *run, const char *trace) {
    program_run("replay '%s' --check", trace != NULL ? trace : run->trace);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    TEST_ASSERT_NOT_NULL(strstr(program.out, "bit for bit"));
}
