// palpate feel SCENE: a battery of trials in virtual time, measured and judged.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/feel/feel_golden.h"
#include "app/feel/feel_path.h"
#include "app/feel/feel_recorded.h"
#include "app/feel/feel_show.h"
#include "app/feel/feel_sweep.h"
#include "app/output.h"
#include "app/problem.h"
#include "app/progress_bar.h"
#include "app/style.h"
#include "render/report/chart.h"
#include "sim/base/clock.h"
#include "sim/base/file.h"
#include "sim/base/parallel.h"

static const pal_option trial_options[] = {
    {.name = "--only",
     .kind = PAL_OPTION_TEXT,
     .argument = "NAME[,..]",
     .help = "these trials alone (--list names them)"},
    {.name = "--grip",
     .kind = PAL_OPTION_CHOICE,
     .argument = "loose|medium|firm",
     .help = "of the hand, in the place of the scene's"},
    {.name = "--device",
     .kind = PAL_OPTION_TEXT,
     .argument = "PROFILE",
     .help = "another stylus: touch, touchx, premium, omega, sigma, falcon, inverse3"},
    {.name = "--young",
     .kind = PAL_OPTION_NUMBER,
     .argument = "E",
     .max = 1e12,
     .open = true,
     .help = "Young's modulus of the first region [Pa]; the others keep their ratio to it"},
    {.name = "--delay",
     .kind = PAL_OPTION_NUMBER,
     .argument = "S",
     .max = 0.03,
     .help = "of the device's actuators [s]"},
    {.name = "--friction",
     .kind = PAL_OPTION_NUMBER,
     .argument = "N",
     .max = 10.0,
     .help = "of the device [N]"},
    {.name = "--seed",
     .kind = PAL_OPTION_COUNT,
     .argument = "N",
     .max = 2147483647.0,
     .help = "of the simulated hand (default: the scene's)"},
    {.name = "--no-local", .help = "without the dents that the basis cannot make"},
    {.name = "--quick", .help = "without full elements as the truth, which take longest"},
    {.name = "--list", .help = "name the trials of this scene and stop"},
    {.name = NULL},
};

static const pal_option judge_options[] = {
    {.name = "--trace",
     .kind = PAL_OPTION_TEXT,
     .argument = "F",
     .help = "no trials: measure this recording, an HDF5 trace of palpate, or CSV from any device "
             "with the columns time_s, x_m, y_m, z_m, fx_n, fy_n, fz_n"},
    {.name = "--path",
     .kind = PAL_OPTION_TEXT,
     .argument = "F.csv",
     .help =
         "no trials: lead the tool along these places (columns as above, forces measured there, "
         "also below the surface) and tell how far the scene's forces are from them, and which "
         "friction fits best"},
    {.name = "--against",
     .kind = PAL_OPTION_TEXT,
     .argument = "OTHER",
     .help = "another scene, or the folder of an earlier report: both side by side in the report"},
    {.name = "--record",
     .kind = PAL_OPTION_TEXT,
     .argument = "GOLDEN.json",
     .help = "keep the scores as what is right, with a tolerance for each metric"},
    {.name = "--check",
     .kind = PAL_OPTION_TEXT,
     .argument = "GOLDEN.json",
     .help = "fail when a score is farther from a kept one than its tolerance"},
    {.name = "--sweep",
     .kind = PAL_OPTION_TEXT,
     .argument = "KEY=..",
     .repeatable = true,
     .help = "a suite for each value, KEY=FROM:TO:COUNT or KEY=A,B,C, and for each combination; "
             "keys are young, delay, friction, seed, grip, device"},
    {.name = "--table",
     .kind = PAL_OPTION_TEXT,
     .argument = "F.csv",
     .help = "of a sweep: all of it"},
    {.name = "--report",
     .kind = PAL_OPTION_TEXT,
     .argument = "DIR",
     .help = "write the report (report.html, feel.json) and the traces into this folder; of a "
             "sweep sweep.html"},
    {.name = "--lenient",
     .help = "end with 0 also when gates fail, and read a damaged trace as it is"},
    {.name = NULL},
};

// A wish of 0 is one for none; what is not given is as the scene says.
static double none_if_zero(double value) {
    return value == 0.0 ? -1.0 : value;
}

static void take_wish(const pal_args *args, pal_feel_wish *wish) {
    static const char *const grips[] = {"loose", "medium", "firm"};
    const int grip = pal_args_choice(args, "--grip");
    *wish = (pal_feel_wish){.only = pal_args_text(args, "--only"),
                            .grip = grip >= 0 ? grips[grip] : NULL,
                            .profile = pal_args_text(args, "--device"),
                            .young = pal_args_number(args, "--young"),
                            .delay = none_if_zero(pal_args_number(args, "--delay")),
                            .friction = none_if_zero(pal_args_number(args, "--friction")),
                            .seed = pal_args_given(args, "--seed") ? pal_args_count(args, "--seed")
                                                                   : -1,
                            .no_local = pal_args_flag(args, "--no-local"),
                            .quick = pal_args_flag(args, "--quick")};
}

// ---- what does not go together

static pal_status keep_apart(const pal_args *args, const char *one, const char *other,
                             pal_err *err) {
    return pal_args_given(args, one) && pal_args_given(args, other)
               ? pal_fail(err, PAL_ERR_USAGE, "%s and %s do not go together", one, other)
               : PAL_OK;
}

static pal_status check_together(const pal_args *args, pal_err *err) {
    static const char *const apart[][2] = {
        {"--trace", "--sweep"},   {"--trace", "--list"},  {"--trace", "--only"},
        {"--trace", "--against"}, {"--trace", "--path"},  {"--sweep", "--against"},
        {"--sweep", "--record"},  {"--sweep", "--check"}, {"--record", "--check"},
        {"--path", "--sweep"},    {"--path", "--list"},   {"--path", "--only"},
        {"--path", "--against"},  {"--path", "--report"}, {"--path", "--record"},
        {"--path", "--check"},
    };
    // A recording and a measured path are what they are
    static const char *const wishes[] = {"--grip",     "--device", "--young",   "--delay",
                                         "--friction", "--seed",   "--no-local"};
    pal_status status = PAL_OK;
    for (size_t i = 0; status == PAL_OK && i < sizeof apart / sizeof *apart; i++) {
        status = keep_apart(args, apart[i][0], apart[i][1], err);
    }
    for (size_t i = 0; status == PAL_OK && i < sizeof wishes / sizeof *wishes; i++) {
        status = keep_apart(args, "--trace", wishes[i], err);
        status = status == PAL_OK ? keep_apart(args, "--path", wishes[i], err) : status;
    }
    if (status != PAL_OK) {
        return status;
    }
    if (pal_args_given(args, "--table") && !pal_args_given(args, "--sweep")) {
        return pal_fail(err, PAL_ERR_USAGE, "--table is of a sweep: give --sweep KEY=..., too");
    }
    if (pal_args_given(args, "--against") && !pal_args_given(args, "--report")) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "--against is shown in a report: give --report DIR, too");
    }
    const bool scene = args->operand_count > 0;
    if (!scene && !pal_args_given(args, "--trace")) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "say which scene (palpate scenes lists them), or --trace F");
    }
    return scene && pal_args_given(args, "--trace")
               ? pal_fail(err, PAL_ERR_USAGE,
                          "a scene and --trace do not go together: a trace names its own")
               : PAL_OK;
}

// The report's, before the minutes that it takes.
static pal_status make_folder(const pal_args *args, pal_err *err) {
    const char *dir = pal_args_text(args, "--report");
    pal_err inner;
    const pal_status status = dir != NULL ? pal_file_make_folders(dir, &inner) : PAL_OK;
    return status == PAL_OK ? PAL_OK
                            : pal_fail(err, status, "--report: %.900s; choose another", inner.text);
}

static pal_status check(const pal_args *args, pal_err *err) {
    pal_status status = check_together(args, err);
    if (status == PAL_OK) {
        status = pal_output_check(args, "--record", ".json", err);
    }
    if (status == PAL_OK) {
        status = pal_output_check(args, "--table", ".csv", err);
    }
    if (status == PAL_OK && args->operand_count > 0 && !pal_problem_is_scene(args->operand[0])) {
        status = pal_problem_not_a_scene(args->operand[0], err);
    }
    if (status == PAL_OK && pal_args_given(args, "--against")) {
        status = pal_feel_look_for_other(pal_args_text(args, "--against"), err);
    }
    if (status == PAL_OK && pal_args_given(args, "--report")) { // before the minutes that it takes
        pal_err inner;
        status = pal_chart_ready(&inner);
        if (status != PAL_OK) {
            return pal_fail(err, status, "--report: %.900s, or leave the report out", inner.text);
        }
    }
    return status == PAL_OK ? make_folder(args, err) : status;
}

// ---- a suite, or a recording

static pal_status golden(const pal_job *job, const pal_feel *feel, cJSON *root, pal_err *err) {
    const char *record = pal_args_text(job->args, "--record");
    const char *path = pal_args_text(job->args, "--check");
    if (record != NULL) {
        return pal_golden_record(record, &feel->card, feel->scene.name, "palpate " PAL_VERSION,
                                 err);
    }
    if (path == NULL) {
        return PAL_OK;
    }
    pal_golden_result result;
    pal_status status =
        pal_golden_check(path, &feel->card, feel->scene.name, feel->wish.only, &result, err);
    if (status != PAL_OK) {
        return status;
    }
    if (job->json) {
        pal_feel_json_golden(&result, root);
    } else {
        pal_feel_print_golden(&result, path);
    }
    if (result.different > 0) {
        status = pal_fail(err, PAL_ERR_NUMERIC, "%d of %d scores are not those of %s",
                          result.different, result.compared, path);
    }
    free(result.difference);
    return status;
}

// Whether the golden file is one of this scene: nothing is compared yet, but all mistakes are told.
static pal_status look_at_golden(const pal_job *job, const pal_feel *feel, pal_err *err) {
    const char *path = pal_args_text(job->args, "--check");
    const pal_scorecard nothing = {0};
    pal_golden_result result = {0};
    pal_status status = path != NULL
                            ? pal_golden_check(path, &nothing, feel->scene.name, NULL, &result, err)
                            : PAL_OK;
    free(result.difference);
    return status;
}

// How long a suite took, s, by the clock on the wall; a recording takes none.
typedef struct pace {
    double begun;      // by pal_seconds(), before the plan
    double trials;     // in the trials alone
    double everything; // with plan, truth and report
} pace;

static double servo_seconds(const pal_feel *feel) {
    double sum = 0.0;
    for (int i = 0; i < feel->trial_count; i++) {
        sum += feel->trial[i].seconds;
    }
    return sum;
}

static void print_suite(const pal_feel *feel, const pace *took) {
    const pal_tally tally = pal_scorecard_tally(&feel->card);
    const double servo = servo_seconds(feel);
    const int threads = pal_thread_count();
    printf("%s%s%s - %d trial%s, %s of servo time: %d of %d gates hold", pal_style_bold(stdout),
           feel->scene.name, pal_style_plain(stdout), feel->trial_count,
           feel->trial_count == 1 ? "" : "s", pal_say_time(servo).text, tally.passed,
           tally.passed + tally.failed);
    if (tally.unmeasured > 0) {
        printf(", %d not measured", tally.unmeasured);
    }
    if (took->trials > 0.0) {
        printf("\n  run in %s, %.3g times as fast as real time (%d thread%s); with plan, truth and "
               "report %s",
               pal_say_time(took->trials).text, servo / took->trials, threads,
               threads == 1 ? "" : "s", pal_say_time(took->everything).text);
    }
    fputs("\n\n", stdout);
    pal_feel_print(feel);
    pal_feel_print_incidents(feel);
    pal_feel_print_left_out(feel);
}

static pal_status show(const pal_job *job, const pal_feel *feel, const pace *took, pal_err *err) {
    cJSON *root = job->json ? pal_json_object() : NULL;
    if (job->json) {
        pal_json_number(root, "servo_seconds", servo_seconds(feel));
        pal_json_number(root, "run_seconds", took->trials);
        pal_json_number(root, "all_seconds", took->everything);
        pal_feel_json(feel, root);
    } else {
        print_suite(feel, took);
    }
    pal_status status = pal_feel_check_made(feel, err), printed = PAL_OK;
    status = status == PAL_OK ? golden(job, feel, root, err) : status;
    if (job->json) {
        printed = pal_json_print(root, status == PAL_OK ? err : NULL);
    } else {
        pal_output_print_written(job->args, "--record");
        if (pal_args_given(job->args, "--report")) {
            printf("\nreport: written to %s/report.html\n", pal_args_text(job->args, "--report"));
        }
    }
    status = status == PAL_OK ? printed : status;
    return status == PAL_OK && !pal_args_flag(job->args, "--lenient") ? pal_feel_verdict(feel, err)
                                                                      : status;
}

static pal_status write_report(const pal_job *job, const pal_feel *feel, pal_err *err) {
    const char *dir = pal_args_text(job->args, "--report");
    const char *against = pal_args_text(job->args, "--against");
    if (dir == NULL) {
        return PAL_OK;
    }
    if (against == NULL) {
        return pal_feel_report(feel, NULL, dir, job->progress, err);
    }
    pal_feel other;
    pal_status status = pal_feel_open_other(&other, against, &feel->wish, job->progress, err);
    if (status == PAL_OK) {
        status = pal_feel_report(feel, &other, dir, job->progress, err);
        pal_feel_close(&other);
    }
    return status;
}

static pal_status list_trials(const pal_job *job, const pal_feel *feel, pal_err *err) {
    if (!job->json) {
        pal_feel_print_trials(feel);
        return PAL_OK;
    }
    cJSON *root = pal_json_object();
    pal_json_text(root, "scene", feel->scene.name);
    pal_feel_json_trials(feel, root);
    return pal_json_print(root, err);
}

static pal_status run_suite(const pal_job *job, pal_feel *feel, pace *took, pal_err *err) {
    if (pal_args_flag(job->args, "--list")) {
        pal_bar_end(PAL_OK);
        return list_trials(job, feel, err);
    }
    const bool recorded = pal_args_given(job->args, "--trace");
    pal_status status = look_at_golden(job, feel, err);
    const double start = pal_seconds();
    if (status == PAL_OK && !recorded) {
        status = pal_feel_run(feel, job->progress, err);
    }
    took->trials = recorded ? 0.0 : pal_seconds() - start;
    if (status == PAL_OK) {
        status = pal_feel_judge(feel, job->progress, err);
    }
    if (status == PAL_OK) {
        status = write_report(job, feel, err);
    }
    pal_bar_end(status);
    took->everything = pal_seconds() - took->begun;
    return status == PAL_OK ? show(job, feel, took, err) : status;
}

// ---- a sweep

static pal_status show_sweep(const pal_job *job, const pal_sweep *sweep, pal_err *err) {
    const char *table = pal_args_text(job->args, "--table"), *scene = job->args->operand[0];
    const char *dir = pal_args_text(job->args, "--report");
    pal_status status = table != NULL ? pal_sweep_write_csv(sweep, table, err) : PAL_OK;
    if (status == PAL_OK && dir != NULL) {
        char path[4096];
        snprintf(path, sizeof path, "%s/sweep.html", dir);
        status = pal_sweep_write_html(sweep, scene, path, err);
    }
    if (status == PAL_OK && job->json) {
        cJSON *root = pal_json_object();
        pal_json_text(root, "scene", scene);
        pal_sweep_json(sweep, root);
        status = pal_json_print(root, err);
    } else if (status == PAL_OK) {
        printf("%s%s%s - %d suites; each row: the worst of a suite\n\n", pal_style_bold(stdout),
               scene, pal_style_plain(stdout), sweep->point_count);
        pal_sweep_print(sweep);
        pal_output_print_written(job->args, "--table");
        if (dir != NULL) {
            printf("\nreport: written to %s/sweep.html\n", dir);
        }
    }
    return status;
}

static pal_status run_sweep(const pal_job *job, const pal_feel_wish *wish, pal_err *err) {
    int count;
    const char *const *text = pal_args_list(job->args, "--sweep", &count);
    pal_sweep *sweep = malloc(sizeof *sweep);
    if (sweep == NULL) {
        return pal_fail(err, PAL_ERR_MEMORY, "out of memory for a sweep");
    }
    pal_status status = pal_sweep_read(sweep, text, count, err);
    if (status == PAL_OK) {
        status = pal_sweep_run(sweep, job->args->operand[0], wish, job->progress, err);
    }
    pal_bar_end(status);
    if (status == PAL_OK) {
        status = show_sweep(job, sweep, err);
    }
    pal_sweep_free(sweep);
    free(sweep);
    return status;
}

// ---- a measured path

static pal_status run_path(const pal_job *job, pal_err *err) {
    pal_path_result result;
    pal_status status = pal_path_find(job->args->operand[0], pal_args_text(job->args, "--path"),
                                      job->progress, &result, err);
    pal_bar_end(status);
    if (status == PAL_OK && job->json) {
        cJSON *root = pal_json_object();
        pal_path_json(&result, root);
        status = pal_json_print(root, err);
    } else if (status == PAL_OK) {
        pal_path_print(&result);
    }
    return status;
}

static pal_status run(const pal_job *job, pal_err *err) {
    const pal_args *args = job->args;
    pal_feel_wish wish;
    pal_feel feel;
    pace took = {.begun = pal_seconds()};
    pal_status status = check(args, err);
    if (status != PAL_OK) {
        return status;
    }
    take_wish(args, &wish);
    if (pal_args_given(args, "--path")) {
        return run_path(job, err);
    }
    if (pal_args_given(args, "--sweep")) {
        return run_sweep(job, &wish, err);
    }
    status = pal_args_given(args, "--trace")
                 ? pal_feel_open_trace(&feel, pal_args_text(args, "--trace"), job->progress, err)
                 : pal_feel_open(&feel, args->operand[0], &wish, job->progress, err);
    if (status == PAL_OK) {
        feel.wish.quick = wish.quick; // of a recording, too
        status = run_suite(job, &feel, &took, err);
        pal_feel_close(&feel);
    }
    return status;
}

const pal_command pal_command_feel = {
    .usage = {.command = "feel",
              .summary = "how a contact feels, in numbers, with gates that pass or fail",
              .operands = "[SCENE]",
              .max_operands = 1,
              .about =
                  "Runs a battery of trials of the scene in a closed loop with the simulated hand "
                  "and device, in virtual time (the same in every run): free motion, press, hold, "
                  "taps, slides, edges and corners, friction on each surface, two tools, three "
                  "grips, a body that stalls; of a tree of domains without wind and gravity, and "
                  "across a border of domains, too. "
                  "Each is measured, compared with the truth (full finite elements, Hertz, the "
                  "model under a perfect device) and judged by what a hand can perceive. The exit "
                  "code is 1 when a gate fails. A metric that a recording cannot tell is said not "
                  "to be measured, and why. --sweep leaves out full elements.",
              .examples = "palpate feel liver --report out/feel\n"
                          "palpate feel liver --only press,hold --json\n"
                          "palpate feel wall --delay 0.005 --report out/late\n"
                          "palpate feel liver --report out/new --against out/feel\n"
                          "palpate feel --trace out/feel/traces/press.h5\n"
                          "palpate feel --trace recorded.csv\n"
                          "palpate feel liver --path measured.csv\n"
                          "palpate feel liver --record liver-golden.json\n"
                          "palpate feel liver --check liver-golden.json\n"
                          "palpate feel liver --sweep young=5e3:50e3:10 --sweep grip=loose,firm "
                          "--table sweep.csv",
              .group = {{"Trials", trial_options},
                        {"Judging and reporting", judge_options},
                        {"Output", pal_options_work}},
              .more = pal_feel_define},
    .run = run,
};
