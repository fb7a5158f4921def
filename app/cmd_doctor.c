// palpate doctor: what this machine grants to a servo, and how to get the rest.
#include <hdf5.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "app/command.h"
#include "app/json.h"
#include "app/style.h"
#include "app/table.h"
#include "haptics/clock.h"
#include "haptics/histogram.h"
#include "haptics/realtime.h"
#include "render/gl_context.h"
#include "sim/base/cpu_level.h"
#include "sim/base/parallel.h"

static const double test_seconds = 1.0, test_period = 1e-3;
static const double good_us = 100.0; // a wake-up later than this eats a tenth of a tick

typedef struct findings {
    pal_realtime_report rights;
    int processors;
    double resolution_ns;
    pal_histogram_summary late; // us
    uint64_t missed;
    bool draws;         // without a display,
    char drawing[1200]; // by this, or why not
} findings;

// Whether pictures can be drawn here.
static void try_drawing(findings *f) {
    pal_gl_context context;
    pal_err err;
    f->draws = pal_gl_open_offscreen(&context, &err) == PAL_OK;
    if (f->draws) {
        snprintf(f->drawing, sizeof f->drawing, "OpenGL %s, %s%s", context.version,
                 context.renderer, pal_gl_has_display() ? "" : "; no display for a window");
        pal_gl_close(&context);
    } else {
        snprintf(f->drawing, sizeof f->drawing, "%s", err.text);
    }
}

// Wakes up every millisecond for a second, as the servo would, and looks how late.
static void *measure(void *context) {
    findings *f = context;
    pal_realtime_options options = pal_realtime_defaults();
    options.lock = false; // as good as it gets without touching the rest of the process
    pal_realtime_report ignored;
    pal_realtime_setup(&options, &ignored);
    static pal_histogram histogram;
    pal_histogram_init(&histogram);
    pal_clock clock;
    pal_clock_start(&clock, PAL_CLOCK_REAL, test_period);
    for (int k = 0; k < (int)(test_seconds / test_period); k++) {
        pal_histogram_add(&histogram, pal_clock_wait(&clock).late);
    }
    f->late = pal_histogram_summarize(&histogram);
    f->missed = clock.missed;
    return NULL;
}

static pal_status examine(findings *f, pal_err *err) {
    pal_realtime_options options = pal_realtime_defaults();
    struct timespec resolution;
    pthread_t thread;
    pal_realtime_probe(&options, &f->rights);
    f->processors = pal_thread_count();
    clock_getres(CLOCK_MONOTONIC, &resolution);
    f->resolution_ns = 1e9 * (double)resolution.tv_sec + (double)resolution.tv_nsec;
    if (pthread_create(&thread, NULL, measure, f) != 0) {
        return pal_fail(err, PAL_ERR_MEMORY, "cannot start a thread to measure with");
    }
    pthread_join(thread, NULL);
    try_drawing(f);
    return PAL_OK;
}

static const char *mark(bool good) {
    return good ? "ok" : "--";
}

static void print_level(pal_table *table) {
    const bool best = strcmp(pal_cpu_level(), pal_cpu_level_best()) == 0;
    char kernels[PAL_CPU_TEXT];
    pal_cpu_kernels(kernels);
    pal_table_cell(table, "%s", mark(best));
    pal_table_cell(table, "kernels");
    pal_table_cell(table, best ? "%s" : "%s, by PALPATE_CPU; without it they would be %s", kernels,
                   pal_cpu_level_best());
}

static void print_findings(const findings *f) {
    pal_table table;
    pal_table_start(&table, "||");
    for (int i = 0; i < PAL_RIGHTS; i++) {
        pal_table_cell(&table, "%s", mark(f->rights.grant[i].granted));
        pal_table_cell(&table, "%s", f->rights.grant[i].name);
        pal_table_cell(&table, "%s", f->rights.grant[i].text);
    }
    pal_table_cell(&table, "%s", mark(f->processors > 1));
    pal_table_cell(&table, "processors");
    pal_table_cell(&table, "%d%s", f->processors,
                   f->processors > 1 ? "" : ": the servo shares it with everything else");
    print_level(&table);
    pal_table_cell(&table, "%s", mark(f->resolution_ns <= 1000.0));
    pal_table_cell(&table, "clock");
    pal_table_cell(&table, "%.0f ns", f->resolution_ns);
    pal_table_cell(&table, "%s", mark(f->late.p99 < good_us && f->missed == 0));
    pal_table_cell(&table, "wake-up");
    pal_table_cell(&table,
                   "%.0f us late (median), %.0f (p99), %.0f (most of %.0f s); %llu of %.0f ticks "
                   "missed",
                   f->late.p50, f->late.p99, f->late.max, test_seconds,
                   (unsigned long long)f->missed, test_seconds / test_period);
    pal_table_cell(&table, "%s", mark(f->draws));
    pal_table_cell(&table, "drawing");
    pal_table_cell(&table, "%s", f->drawing);
    unsigned major = 0, minor = 0, release = 0;
    H5get_libversion(&major, &minor, &release);
    pal_table_cell(&table, "ok");
    pal_table_cell(&table, "libraries");
    pal_table_cell(&table, "HDF5 %u.%u.%u, cJSON %s", major, minor, release, cJSON_Version());
    pal_table_print(&table, stdout);
    printf("\n%s\n",
           f->rights.all && f->missed == 0
               ? "The servo can run in real time here."
               : "Runs work all the same: what is marked -- makes late ticks more likely. "
                 "In virtual time\n(palpate run SCENE --virtual) nothing of it matters.");
}

static pal_status json_findings(const findings *f, pal_err *err) {
    cJSON *root = pal_json_object(), *rights = pal_json_object(), *late = pal_json_object();
    for (int i = 0; i < PAL_RIGHTS; i++) {
        cJSON *right = pal_json_object();
        pal_json_bool(right, "granted", f->rights.grant[i].granted);
        pal_json_text(right, "text", f->rights.grant[i].text);
        pal_json_add(rights, f->rights.grant[i].name, right);
    }
    pal_json_add(root, "rights", rights);
    pal_json_bool(root, "real_time", f->rights.all);
    pal_json_number(root, "processors", f->processors);
    pal_json_text(root, "level", pal_cpu_level());
    pal_json_text(root, "best_level", pal_cpu_level_best());
    pal_json_bool(root, "native", pal_cpu_is_native());
    pal_json_number(root, "clock_resolution_ns", f->resolution_ns);
    pal_json_number(late, "p50", f->late.p50);
    pal_json_number(late, "p99", f->late.p99);
    pal_json_number(late, "max", f->late.max);
    pal_json_add(root, "wake_up_late_us", late);
    pal_json_number(root, "missed_deadlines", (double)f->missed);
    pal_json_bool(root, "draws", f->draws);
    pal_json_text(root, "drawing", f->drawing);
    return pal_json_print(root, err);
}

static pal_status run(const pal_job *job, pal_err *err) {
    findings f = {0};
    pal_status status = examine(&f, err);
    if (status != PAL_OK) {
        return status;
    }
    if (job->json) {
        return json_findings(&f, err);
    }
    print_findings(&f);
    return PAL_OK;
}

const pal_command pal_command_doctor = {
    .usage = {.command = "doctor",
              .summary = "what this machine allows for real time, and how to get the rest",
              .operands = "",
              .about =
                  "Asks for the rights of a servo thread and measures for a second how late it "
                  "is woken.",
              .examples = "palpate doctor\npalpate doctor --json",
              .group = {{"Output", pal_options_talk}}},
    .run = run,
};
