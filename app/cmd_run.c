// palpate run SCENE: the body alive under a stylus, a thousand times a second.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/output.h"
#include "app/problem.h"
#include "app/progress_bar.h"
#include "app/run_report.h"
#include "app/style.h"
#include "app/viewer.h"
#include "sim/base/memory.h"

static const double default_seconds = 10.0; // without a script

static const pal_option options[] = {
    {.name = "--device",
     .kind = PAL_OPTION_TEXT,
     .argument = "NAME",
     .fallback = "sim",
     .help =
         "sim: the simulated stylus and hand, with the scene's probe; sim-driven: the same, but "
         "it calls the tick by a clock of its own (0.2 % slow, up to 50 us late), as devices "
         "with a scheduler do (of several hands, the first one's); mouse, gamepad: the same hand "
         "and stylus, led by you in the window (the first hand; the others follow their probes), "
         "until you close it; in the window the key M takes the stylus of sim, too; "
         "null: none; replay:TRACE: the readings of a trace"},
    {.name = "--headless",
     .help = "no window; else there is one when there is a display and time is not virtual"},
    {.name = "--trainer",
     .help =
         "the window begins with the trainer's view: tissue, tools and the force as one bar, no "
         "instruments; the key T changes it"},
    {.name = "--virtual",
     .help = "in virtual time: as fast as it goes, the same bit for bit in every run"},
    {.name = "--seconds",
     .kind = PAL_OPTION_NUMBER,
     .argument = "S",
     .max = 86400.0,
     .open = true,
     .help = "how long (default: as long as the scene's probe, else 10)"},
    {.name = "--seed",
     .kind = PAL_OPTION_COUNT,
     .argument = "N",
     .max = 2147483647.0,
     .help = "of the simulated hand (default: the scene's)"},
    {.name = "--hide",
     .kind = PAL_OPTION_COUNT,
     .argument = "N",
     .max = 2147483647.0,
     .help =
         "seed of the place of what the scene hides (body.hidden; default: the scene's): another "
         "nodule to find, which costs a bake"},
    {.name = "--edit",
     .kind = PAL_OPTION_TEXT,
     .argument = "AT:REGION:young=..",
     .repeatable = true,
     .help = "another material of a region from AT seconds on, SI units: "
             "'2:body:young=24e3,poisson=0.4,density=1100', any of the three; of a body of domains "
             "a factor on the frequencies of some, '2:leaf *:frequency=0.5' ('*': of all); besides "
             "the scene's edits"},
    {.name = "--save-scene",
     .kind = PAL_OPTION_TEXT,
     .argument = "FILE.yaml",
     .help =
         "write the scene here with the materials that it ends with; the rest of its text stays "
         "as it is, and it may be the scene's own file"},
    {.name = "--no-local",
     .help = "without the dents that the basis cannot make: the body is as hard under a tip as its "
             "basis alone"},
    {.name = "--response",
     .kind = PAL_OPTION_CHOICE,
     .argument = "compliance|penalty",
     .help = "how tool and body are kept apart (default: as the scene says, else compliance); "
             "penalty: by springs in the body's step, which costs less and leaves out friction, "
             "adhesion, grasping and the dents that the basis cannot make"},
    {.name = "--float", .help = "the body's coefficients in single precision"},
    {.name = "--trace",
     .kind = PAL_OPTION_TEXT,
     .argument = "FILE.h5",
     .help = "write every tick to this HDF5 file; until the end of the run it is called "
             "FILE.h5.part, and readable"},
    {.name = "--csv",
     .kind = PAL_OPTION_TEXT,
     .argument = "FILE",
     .help =
         "write every tick as text, too, a row for each hand; a pipe or /dev/stdout is allowed"},
    {.name = NULL},
};

static pal_status check_outputs(const pal_args *args, pal_err *err) {
    pal_status status = pal_output_check(args, "--trace", ".h5", err);
    if (status == PAL_OK) {
        status = pal_output_check(args, "--save-scene", ".yaml", err);
    }
    return status == PAL_OK ? pal_output_check_stream(args, "--csv", err) : status;
}

static pal_status check_clock(const pal_args *args, pal_err *err) {
    return pal_args_flag(args, "--virtual") &&
                   strcmp(pal_args_text(args, "--device"), PAL_SIM_DRIVEN) == 0
               ? pal_fail(err, PAL_ERR_USAGE,
                          "--virtual: the device %s keeps the time itself; give --device sim, or "
                          "leave --virtual out",
                          PAL_SIM_DRIVEN)
               : PAL_OK;
}

// Nobody moves a mouse's stylus, or sees a view, where there is no window.
static pal_status check_pointer(const pal_args *args, pal_err *err) {
    const char *device = pal_args_text(args, "--device");
    const bool pointer = strcmp(device, PAL_MOUSE) == 0 || strcmp(device, PAL_GAMEPAD) == 0;
    const bool window = pal_viewer_wanted(args, pal_args_flag(args, "--virtual"));
    if (pal_args_flag(args, "--trainer") && !window) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "--trainer: it is a view of the window, and there is none in this run (no "
                        "display, --headless or --virtual); palpate picture and film have it, too");
    }
    return pointer && !window
               ? pal_fail(err, PAL_ERR_USAGE,
                          "--device %s: it is led in the window, and there is none in this run "
                          "(no display, --headless or --virtual); give --device sim for a hand "
                          "that follows the scene's probe",
                          device)
               : PAL_OK;
}

static void print_result(const pal_job *job, const pal_session *session,
                         const pal_run_result *result, bool virtual_time) {
    const bool told = session->scene.about != NULL && session->scene.about[0] != '\0';
    printf("%s%s%s%s%s, %s device, %s\n", pal_style_bold(stdout), session->scene.name,
           pal_style_plain(stdout), told ? " - " : "", told ? session->scene.about : "",
           session->device_kind,
           virtual_time                             ? "virtual time"
           : pal_device_drives(&session->device[0]) ? "the device's time"
                                                    : "real time");
    pal_run_report_print(session, result);
    pal_output_print_written(job->args, "--trace");
    pal_output_print_written(job->args, "--csv");
    pal_output_print_written(job->args, "--save-scene");
}

static pal_status run_open(const pal_job *job, pal_session *session, pal_err *err) {
    const pal_args *args = job->args;
    double wanted = pal_args_number(args, "--seconds");
    pal_run_options how = {.virtual_time = pal_args_flag(args, "--virtual"),
                           .seconds = !isnan(wanted)                  ? wanted
                                      : session->script_seconds > 0.0 ? session->script_seconds
                                                                      : default_seconds,
                           .trace = pal_args_text(args, "--trace"),
                           .csv = pal_args_text(args, "--csv"),
                           .live_line = job->progress != NULL};
    pal_run_result result;
    pal_viewer *viewer = NULL;
    pal_status status = PAL_OK;
    if (pal_viewer_wanted(args, how.virtual_time)) {
        const pal_viewer_options view = {.trainer = pal_args_flag(args, "--trainer")};
        status = pal_viewer_join(&viewer, session, &how, &view, !isnan(wanted), err);
    }
    if (status == PAL_OK) {
        status = pal_session_run(session, &how, &result, err);
    }
    if (status == PAL_OK && pal_args_given(args, "--save-scene")) {
        status = pal_session_save_materials(session, pal_args_text(args, "--save-scene"), err);
    }
    if (status == PAL_OK && job->json) {
        cJSON *root = pal_json_object();
        pal_run_report_json(session, &result, root);
        if (viewer != NULL) {
            pal_viewer_report(viewer, root);
        }
        status = pal_json_print(root, err);
    } else if (status == PAL_OK) {
        print_result(job, session, &result, how.virtual_time);
    }
    pal_viewer_close(viewer);
    return status == PAL_OK ? pal_run_report_verdict(session, err) : status;
}

// The texts of --edit, one a line, on the heap; NULL when there are none, or no memory for them.
static char *join_edits(const pal_args *args, pal_err *err) {
    int count;
    const char *const *text = pal_args_list(args, "--edit", &count);
    size_t size = 1;
    for (int i = 0; i < count; i++) {
        size += strlen(text[i]) + 1;
    }
    char *all = count > 0 ? PAL_NEW(char, size, err) : NULL;
    for (int i = 0; all != NULL && i < count; i++) {
        strcat(strcat(all, text[i]), "\n");
    }
    return all;
}

static pal_status run(const pal_job *job, pal_err *err) {
    const char *name = job->args->operand[0];
    pal_status status = check_outputs(job->args, err);
    if (status == PAL_OK) {
        status = check_clock(job->args, err);
    }
    if (status == PAL_OK) {
        status = check_pointer(job->args, err);
    }
    if (status == PAL_OK && !pal_problem_is_scene(name)) {
        status = pal_problem_not_a_scene(name, err);
    }
    if (status != PAL_OK) {
        return status;
    }
    char *edits = join_edits(job->args, err);
    if (edits == NULL && pal_args_given(job->args, "--edit")) {
        return PAL_ERR_MEMORY;
    }
    const pal_contact_form form = pal_args_choice(job->args, "--response") == 1
                                      ? PAL_CONTACT_PENALTY
                                      : PAL_CONTACT_COMPLIANCE;
    const long hide = pal_args_count(job->args, "--hide");
    pal_session_options options_given = {
        .hide = pal_args_given(job->args, "--hide") ? &hide : NULL,
        .edits = edits,
        .precision = pal_args_flag(job->args, "--float") ? PAL_FLOAT : PAL_DOUBLE,
        .no_local = pal_args_flag(job->args, "--no-local"),
        .form = pal_args_given(job->args, "--response") ? &form : NULL,
        .device = pal_args_text(job->args, "--device"),
        .may_take_over = pal_viewer_wanted(job->args, pal_args_flag(job->args, "--virtual")),
        .seed = pal_args_given(job->args, "--seed") ? pal_args_count(job->args, "--seed") : -1};
    pal_session session;
    status = pal_session_open(&session, name, &options_given, job->progress, err);
    free(edits);
    pal_bar_end(status);
    if (status == PAL_OK) {
        status = run_open(job, &session, err);
        pal_session_close(&session);
    }
    return status;
}

const pal_command pal_command_run_scene = {
    .usage = {.command = "run",
              .summary = "a scene alive at 1 kHz under a stylus",
              .operands = "SCENE",
              .min_operands = 1,
              .max_operands = 1,
              .about = "SCENE is a .yaml file or the name of a shipped scene (palpate scenes); its "
                       "model is baked first when it is not in the cache. With a display the run "
                       "is shown in a window (F1 there lists the keys): the scene's probe leads "
                       "the stylus and the run ends with it, unless you take the stylus (M, or "
                       "Ctrl and drag to pull); then it goes on until you close the window. "
                       "Closing it, like Ctrl-C, ends a run cleanly: the force is ramped to zero "
                       "and the trace is closed.",
              .examples = "palpate run liver\n"
                          "palpate run liver --device mouse\n"
                          "palpate run wall --virtual --seconds 2 --json\n"
                          "palpate run wall --device sim-driven\n"
                          "palpate run two-hands --virtual --trace two-hands.h5\n"
                          "palpate run liver --virtual --trace liver.h5 --csv liver.csv\n"
                          "palpate run liver --virtual --response penalty\n"
                          "palpate run flower --virtual --edit '1:petal *:frequency=2'\n"
                          "palpate run nodule --hide 12 --device mouse --trace mine.h5\n"
                          "palpate run liver --virtual --edit '1.5:body:young=24e3' --save-scene "
                          "firm.yaml",
              .group = {{"Options", options}, {"Output", pal_options_work}}},
    .run = run,
};
