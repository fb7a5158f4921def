// palpate demo: a stylus presses the liver at 1 kHz, and here is what it felt.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/command.h"
#include "app/demo_picture.h"
#include "app/json.h"
#include "app/model_facts.h"
#include "app/progress_bar.h"
#include "app/run_report.h"
#include "app/style.h"
#include "app/traces.h"
#include "app/viewer.h"
#include "render/mode_sheet.h"
#include "render/plot.h"
#include "sim/base/clock.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

static const char scene_name[] = "liver";
static const char folder[] = "out";
static const char modes_picture[] = "out/demo-modes.png";
static const char press_picture[] = "out/demo-press.png";
static const char force_picture[] = "out/demo-force.png";
static const char depth_picture[] = "out/demo-depth.png";
static const char trace_file[] = "out/demo-trace.h5";

enum { PICTURE_SHAPES = 6 };

// ---- pictures

static pal_status plot_force(const pal_trace_data *trace, double *x, double *y, pal_err *err) {
    for (int64_t k = 0; k < trace->count; k++) {
        x[k] = trace->record[k].time;
        y[k] = pal_norm3(trace->record[k].force);
    }
    const pal_plot_line line = {.name = "force", .x = x, .y = y, .count = (int32_t)trace->count};
    const pal_plot plot = {.title = "What the hand felt",
                           .x_label = "time (s)",
                           .y_label = "force (N)",
                           .line = &line,
                           .line_count = 1};
    return pal_plot_write(force_picture, &plot, err);
}

// Force against the way of the hand into the body, a line for each touch: from the first tick in
// contact along the normal that it had there.
static pal_status plot_depth(const pal_trace_data *trace, double *x, double *y, pal_err *err) {
    static const char *const names[] = {"first touch", "second", "third", "fourth"};
    enum { MOST = sizeof names / sizeof *names, SHORT = 20 };
    pal_plot_line line[MOST];
    int lines = 0;
    const pal_tick_record *first = NULL;
    int64_t begin = 0;
    for (int64_t k = 0; k <= trace->count; k++) {
        const pal_tick_record *record = k < trace->count ? &trace->record[k] : NULL;
        bool touching = record != NULL && record->touching != 0;
        if (touching && first == NULL) {
            first = record;
            begin = k;
        }
        if (touching) {
            double way[3];
            pal_sub3(first->position, record->position, way);
            x[k] = 1e3 * pal_dot3(way, first->normal);
            y[k] = pal_norm3(record->force);
        } else if (first != NULL) {
            if (k - begin > SHORT && lines < MOST) {
                line[lines] =
                    (pal_plot_line){names[lines], x + begin, y + begin, (int32_t)(k - begin)};
                lines++;
            }
            first = NULL;
        }
    }
    const pal_plot plot = {.title = "Force against depth",
                           .x_label = "way of the hand into the body (mm)",
                           .y_label = "force (N)",
                           .line = line,
                           .line_count = lines};
    return pal_plot_write(depth_picture, &plot, err);
}

// A run in the window may have been paused, slowed and edited: it is repeated from its trace.
static pal_status draw(pal_session *session, bool windowed, pal_err *err) {
    pal_trace_data trace;
    pal_status status = pal_traces_read(trace_file, &trace, err);
    if (status != PAL_OK) {
        return status;
    }
    double *x = PAL_NEW(double, trace.count, err), *y = PAL_NEW(double, trace.count, err);
    status = x == NULL || y == NULL ? PAL_ERR_MEMORY : plot_force(&trace, x, y, err);
    if (status == PAL_OK) {
        status = plot_depth(&trace, x, y, err);
    }
    free(x);
    free(y);
    if (status == PAL_OK) {
        status = pal_mode_sheet_write(modes_picture, &session->model, session->scene.up,
                                      PICTURE_SHAPES, err);
    }
    if (status == PAL_OK) {
        status = windowed ? pal_demo_picture_of_trace(trace_file, press_picture, err)
                          : pal_demo_picture(session, &trace, press_picture, err);
    }
    pal_trace_data_free(&trace);
    return status;
}

// ---- words

static void print_result(const pal_session *session, const pal_run_result *result, bool windowed,
                         double seconds) {
    const char *bold = pal_style_bold(stdout), *plain = pal_style_plain(stdout);
    printf("The model is %s (%s):\n\n",
           session->cached ? "in the cache from an earlier run" : "baked",
           pal_say_time(seconds).text);
    pal_model_facts_print(&session->model, stdout);
    printf("\nA hand with a stylus presses it, slides over it, lets go and taps it (%s time):\n\n",
           windowed ? "real" : "virtual");
    pal_run_report_print(session, result);
    printf("\n%sPictures%s\n", bold, plain);
    printf("  %s   the body at the hardest press\n", press_picture);
    printf("  %s   force over time\n  %s   force against depth\n  %s   the first shapes\n",
           force_picture, depth_picture, modes_picture);
    printf("  %s    every tick, in HDF5\n", trace_file);
    printf("\nWhat to try next:\n\n");
    pal_style_commands(stdout, "palpate run liver\n"
                               "palpate feel liver --report out/feel\n"
                               "palpate replay out/demo-trace.h5 --check\n"
                               "palpate doctor\n"
                               "palpate help");
}

static pal_status json_result(const pal_session *session, const pal_run_result *result,
                              const pal_viewer *viewer, double seconds, pal_err *err) {
    cJSON *root = pal_json_object(), *run = pal_json_object();
    pal_json_text(root, "scene", scene_name);
    pal_json_bool(root, "cached", session->cached);
    pal_json_number(root, "seconds", seconds);
    pal_model_facts_json(&session->model, root);
    pal_run_report_json(session, result, run);
    if (viewer != NULL) {
        pal_viewer_report(viewer, run);
    }
    pal_json_add(root, "run", run);
    pal_json_text(root, "picture", modes_picture);
    pal_json_text(root, "press_picture", press_picture);
    pal_json_text(root, "force_picture", force_picture);
    pal_json_text(root, "depth_picture", depth_picture);
    pal_json_text(root, "trace", trace_file);
    return pal_json_print(root, err);
}

// ---- the command

static pal_status run_open(const pal_job *job, pal_session *session, double seconds, pal_err *err) {
    pal_run_options options = {.seconds = session->script_seconds,
                               .trace = trace_file,
                               .live_line = job->progress != NULL};
    pal_viewer *viewer = NULL;
    pal_run_result result;
    pal_status status = PAL_OK;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        return pal_fail(err, PAL_ERR_IO, "%s: cannot make the folder for the pictures: %s", folder,
                        strerror(errno));
    }
    if (pal_viewer_wanted(job->args, false)) {
        status = pal_viewer_join(&viewer, session, &options, &(pal_viewer_options){0}, false, err);
    }
    options.virtual_time = viewer == NULL;
    if (status == PAL_OK) {
        status = pal_session_run(session, &options, &result, err);
    }
    pal_viewer_hide(viewer); // the pictures take their time
    if (status == PAL_OK) {
        status = draw(session, viewer != NULL, err);
    }
    if (status == PAL_OK && job->json) {
        status = json_result(session, &result, viewer, seconds, err);
    } else if (status == PAL_OK) {
        print_result(session, &result, viewer != NULL, seconds);
    }
    pal_viewer_close(viewer);
    return status == PAL_OK ? pal_run_report_verdict(session, err) : status;
}

static pal_status run(const pal_job *job, pal_err *err) {
    const pal_session_options options = {
        .device = "sim", .seed = -1, .may_take_over = pal_viewer_wanted(job->args, false)};
    pal_session session;
    double start = pal_seconds();
    if (!job->json) {
        printf("This takes a soft liver of finite elements down to a few numbers, and lets a "
               "stylus feel it a\nthousand times a second.\n\n");
        fflush(stdout);
    }
    pal_status status = pal_session_open(&session, scene_name, &options, job->progress, err);
    double seconds = pal_seconds() - start;
    pal_bar_end(status);
    if (status == PAL_OK) {
        status = run_open(job, &session, seconds, err);
        pal_session_close(&session);
    }
    return status;
}

static const pal_option demo_options[] = {
    {.name = "--headless", .help = "no window, virtual time; as without a display"},
    {.name = NULL},
};

const pal_command pal_command_demo = {
    .usage = {.command = "demo",
              .summary = "a stylus presses a liver at 1 kHz; what it felt, as a table and pictures",
              .operands = "",
              .about =
                  "Bakes the scene 'liver' (a second run takes it from the cache), runs its probe "
                  "in virtual time and writes to the folder out: demo-press.png, demo-force.png, "
                  "demo-depth.png, demo-modes.png and the trace demo-trace.h5. With a display the "
                  "run is in real time in a window, which ends with the probe unless you take the "
                  "stylus (the key M); F1 there lists the keys.",
              .examples = "palpate demo",
              .group = {{"Options", demo_options}, {"Output", pal_options_work}}},
    .run = run,
};
