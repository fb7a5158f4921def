// palpate selftest: the analytic wall on a simulated device against the theory of its stability.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/feel/selftest.h"
#include "app/json.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "app/style.h"
#include "app/suggest.h"
#include "app/table.h"
#include "haptics/servo.h"
#include "sim/base/file.h"
#include "sim/base/memory.h"

static const pal_option options[] = {
    {.name = "--device",
     .kind = PAL_OPTION_TEXT,
     .argument = "PROFILE",
     .fallback = "touch",
     .help = "touch, touchx, premium, omega, sigma, falcon or inverse3"},
    {.name = "--delay",
     .kind = PAL_OPTION_NUMBER,
     .argument = "T",
     .fallback = "0",
     .max = 0.03,
     .help = "of the actuator, in the map and in the safe stiffness [s]"},
    {.name = "--grip",
     .kind = PAL_OPTION_CHOICE,
     .argument = "none|loose|medium|firm",
     .fallback = "none",
     .help = "the hand that holds the device in the map"},
    {.name = "--friction",
     .kind = PAL_OPTION_NUMBER,
     .argument = "C",
     .fallback = "0",
     .max = 100.0,
     .help = "of the device in the map [N]; it hides instability from slow swings"},
    {.name = "--speed",
     .kind = PAL_OPTION_NUMBER,
     .argument = "V",
     .fallback = "0.1",
     .min = 1e-4,
     .max = 10.0,
     .help = "of swings under friction, and of a fall onto the wall with --passivity [m/s]"},
    {.name = "--passivity",
     .help = "the passivity controller is on: the map shows what it keeps bounded, too"},
    {.name = "--quick", .help = "fewer cases and a coarse map"},
    {.name = "--picture", .kind = PAL_OPTION_TEXT, .argument = "F.png", .help = "draw the map"},
    {.name = "--svg",
     .kind = PAL_OPTION_TEXT,
     .argument = "F.svg",
     .help = "draw the map as a chart (needs gnuplot)"},
    {.name = NULL},
};

static pal_status find_profile(const char *name, const pal_device_limits **limits, pal_err *err) {
    pal_suggestion suggestion = {.word = name};
    *limits = pal_device_profile(name);
    for (int i = 0; pal_device_profile_at(i) != NULL; i++) {
        pal_suggest_try(&suggestion, pal_device_profile_at(i)->name);
    }
    return *limits != NULL
               ? PAL_OK
               : pal_fail(err, PAL_ERR_USAGE,
                          "--device: no profile '%s'%s (palpate selftest --help lists them)", name,
                          pal_suggest_text(&suggestion));
}

static pal_status read_wish(const pal_args *args, pal_selftest_wish *wish, pal_err *err) {
    static const char *const grips[] = {"none", "loose", "medium", "firm"};
    *wish = (pal_selftest_wish){.grip = grips[pal_args_choice(args, "--grip")],
                                .delay = pal_args_number(args, "--delay"),
                                .friction = pal_args_number(args, "--friction"),
                                .speed = pal_args_number(args, "--speed"),
                                .passivity = pal_args_flag(args, "--passivity"),
                                .quick = pal_args_flag(args, "--quick")};
    pal_status status = find_profile(pal_args_text(args, "--device"), &wish->limits, err);
    status = status == PAL_OK ? pal_output_check(args, "--picture", ".png", err) : status;
    return status == PAL_OK ? pal_output_check(args, "--svg", ".svg", err) : status;
}

// ---- pictures

static pal_status write_svg(const pal_stability_map *map, const char *path, pal_err *err) {
    char *svg = NULL;
    pal_status status = pal_stability_map_svg(map, &svg, err);
    if (status == PAL_OK) {
        status = pal_file_write_atomic(path, svg, strlen(svg), err);
    }
    free(svg);
    return status;
}

static pal_status draw(const pal_args *args, const pal_selftest *test, pal_err *err) {
    const char *picture = pal_args_text(args, "--picture"), *svg = pal_args_text(args, "--svg");
    pal_status status = PAL_OK;
    if (picture != NULL) {
        status = pal_stability_map_picture(&test->map, picture, err);
    }
    if (status == PAL_OK && svg != NULL) {
        status = write_svg(&test->map, svg, err);
    }
    return status;
}

// ---- words

static double percent(double measured, double wanted) {
    return 100.0 * (measured / wanted - 1.0);
}

static void print_borders(const pal_selftest *test) {
    const char *bold = pal_style_bold(stdout), *plain = pal_style_plain(stdout);
    pal_table table;
    printf("%sCritical stiffness%s of a wall, the device alone and without friction; law: (b + B) "
           "/ (T/2 + t_d)\n",
           bold, plain);
    pal_table_start(&table, ">b [N s/m]|>B [N s/m]|>delay [ms]|>law [N/m]|>exact|>measured|>to "
                            "law|>to exact|");
    for (int i = 0; i < test->border_count; i++) {
        const pal_selftest_border *row = &test->border[i];
        pal_table_cell(&table, "%g", row->b);
        pal_table_cell(&table, "%g", row->B);
        pal_table_cell(&table, "%g", 1e3 * row->delay);
        pal_table_cell(&table, "%.1f", row->law);
        pal_table_cell(&table, "%.1f", row->exact);
        pal_table_cell(&table, "%.1f", row->measured);
        pal_table_cell(&table, "%+.2f %%", percent(row->measured, row->law));
        pal_table_cell(&table, "%+.3f %%", percent(row->measured, row->exact));
        pal_table_cell(&table, "%s", pal_selftest_law_holds(row) ? "" : "beyond the law");
    }
    pal_table_print(&table, stdout);
}

static void print_speeds(const pal_selftest *test) {
    const char *bold = pal_style_bold(stdout), *plain = pal_style_plain(stdout);
    pal_table table;
    printf("\n%sCritical speed%s under friction; law: (4/pi) c / (K (T/2 + t_d) - b)\n", bold,
           plain);
    pal_table_start(&table, ">b [N s/m]|>delay [ms]|>c [N]|>K [N/m]|>law [m/s]|>exact "
                            "loop|>measured|>to law|>to exact loop");
    for (int i = 0; i < test->speed_count; i++) {
        const pal_selftest_speed *row = &test->speed[i];
        pal_table_cell(&table, "%g", row->b);
        pal_table_cell(&table, "%g", 1e3 * row->delay);
        pal_table_cell(&table, "%g", row->friction);
        pal_table_cell(&table, "%.0f", row->K);
        pal_table_cell(&table, "%.4f", row->law);
        pal_table_cell(&table, "%.4f", row->exact);
        pal_table_cell(&table, "%.4f", row->measured);
        pal_table_cell(&table, "%+.2f %%", percent(row->measured, row->law));
        pal_table_cell(&table, "%+.2f %%", percent(row->measured, row->exact));
    }
    pal_table_print(&table, stdout);
}

static void print_safe(const pal_selftest *test) {
    const char *bold = pal_style_bold(stdout), *plain = pal_style_plain(stdout);
    const pal_device_limits *limits = test->wish.limits;
    pal_table table;
    printf("\n%sSafe stiffness%s of %s (%g g, delay %g ms, B = 0), with a margin of %g; its maker "
           "allows %g N/m\n",
           bold, plain, limits->name, 1e3 * limits->mass, 1e3 * test->wish.delay,
           PAL_COUPLING_SHARE, limits->max_stiffness);
    pal_table_start(&table, "held by|>border [N/m]|>measured|>safe|>with friction|>safe");
    for (int i = 0; i < PAL_SELFTEST_GRIPS; i++) {
        const pal_selftest_safe *row = &test->safe[i];
        pal_table_cell(&table, "%s%s", i == 0 ? "nobody" : row->grip, i == 0 ? "" : " grip");
        pal_table_cell(&table, "%.0f", row->exact);
        pal_table_cell(&table, "%.0f", row->measured);
        pal_table_cell(&table, "%.0f", PAL_COUPLING_SHARE * row->measured);
        pal_table_cell(&table, "%.0f", row->with_friction);
        pal_table_cell(&table, "%.0f", PAL_COUPLING_SHARE * row->with_friction);
    }
    pal_table_print(&table, stdout);
    printf("  with friction: %g N, for swings up to %g m/s; faster ones grow\n", limits->friction,
           test->wish.speed);
    printf("  passive in any hand (Colgate, no delay): %.0f N/m; no ripple from encoder steps "
           "(Abbott, Okamura): %.0f N/m\n",
           test->passive, test->quantised);
    printf("  when no force is written any more (the program or the computer died): %s\n",
           pal_device_watchdog_text(limits->watchdog));
}

static const char *word(double error, double bound) {
    return error <= bound ? "ok" : "too far";
}

static void print_verdict(const pal_selftest *test, const pal_selftest_verdict *v) {
    printf("\n%sAgreement%s\n", pal_style_bold(stdout), pal_style_plain(stdout));
    pal_table table;
    pal_table_start(&table, "|>worst|>bound|");
    pal_table_cell(&table, "stiffness to the exact border");
    pal_table_cell(&table, "%.3f %%", 100.0 * v->exact);
    pal_table_cell(&table, "%g %%", 100.0 * PAL_SELFTEST_EXACT);
    pal_table_cell(&table, "%s", word(v->exact, PAL_SELFTEST_EXACT));
    pal_table_cell(&table, "stiffness to the law (%d of %d cases are beyond it)", v->beyond,
                   test->border_count);
    pal_table_cell(&table, "%.2f %%", 100.0 * v->law);
    pal_table_cell(&table, "%g %%", 100.0 * PAL_SELFTEST_STIFFNESS);
    pal_table_cell(&table, "%s", word(v->law, PAL_SELFTEST_STIFFNESS));
    pal_table_cell(&table, "speed to the law");
    pal_table_cell(&table, "%.2f %%", 100.0 * v->speed);
    pal_table_cell(&table, "%g %%", 100.0 * PAL_SELFTEST_SPEED);
    pal_table_cell(&table, "%s", word(v->speed, PAL_SELFTEST_SPEED));
    if (!isnan(v->cells)) {
        pal_table_cell(&table, "cells of the map on the wrong side, of %d",
                       (int)(test->map.columns * test->map.rows));
        pal_table_cell(&table, "%.2f %%", 100.0 * (1.0 - v->cells));
        pal_table_cell(&table, "%g %%", 100.0 * (1.0 - PAL_SELFTEST_CELLS));
        pal_table_cell(&table, "%s", word(1.0 - v->cells, 1.0 - PAL_SELFTEST_CELLS));
    }
    pal_table_print(&table, stdout);
}

// ---- JSON

static cJSON *json_borders(const pal_selftest *test) {
    cJSON *array = pal_json_array();
    for (int i = 0; i < test->border_count; i++) {
        const pal_selftest_border *row = &test->border[i];
        cJSON *item = pal_json_object();
        pal_json_number(item, "b_n_s_per_m", row->b);
        pal_json_number(item, "damping_n_s_per_m", row->B);
        pal_json_number(item, "delay_s", row->delay);
        pal_json_number(item, "law_n_per_m", row->law);
        pal_json_number(item, "exact_n_per_m", row->exact);
        pal_json_number(item, "measured_n_per_m", row->measured);
        pal_json_bool(item, "law_holds", pal_selftest_law_holds(row));
        pal_json_append(array, item);
    }
    return array;
}

static cJSON *json_speeds(const pal_selftest *test) {
    cJSON *array = pal_json_array();
    for (int i = 0; i < test->speed_count; i++) {
        const pal_selftest_speed *row = &test->speed[i];
        cJSON *item = pal_json_object();
        pal_json_number(item, "b_n_s_per_m", row->b);
        pal_json_number(item, "delay_s", row->delay);
        pal_json_number(item, "friction_n", row->friction);
        pal_json_number(item, "stiffness_n_per_m", row->K);
        pal_json_number(item, "law_m_per_s", row->law);
        pal_json_number(item, "exact_m_per_s", row->exact);
        pal_json_number(item, "measured_m_per_s", row->measured);
        pal_json_append(array, item);
    }
    return array;
}

static cJSON *json_safe(const pal_selftest *test) {
    cJSON *object = pal_json_object();
    for (int i = 0; i < PAL_SELFTEST_GRIPS; i++) {
        const pal_selftest_safe *row = &test->safe[i];
        cJSON *item = pal_json_object();
        pal_json_number(item, "exact_n_per_m", row->exact);
        pal_json_number(item, "measured_n_per_m", row->measured);
        pal_json_number(item, "safe_n_per_m", PAL_COUPLING_SHARE * row->measured);
        pal_json_number(item, "with_friction_n_per_m", row->with_friction);
        pal_json_add(object, row->grip, item);
    }
    return object;
}

static cJSON *json_map(const pal_stability_map *map) {
    cJSON *object = pal_json_object();
    pal_json_text(object, "title", map->title);
    pal_json_numbers(object, "damping_n_s_per_m", map->B, map->columns);
    pal_json_numbers(object, "stiffness_n_per_m", map->K, map->rows);
    pal_json_numbers(object, "stable", map->value, (int64_t)map->columns * map->rows);
    return object;
}

static pal_status print_json(const pal_selftest *test, const pal_selftest_verdict *v,
                             pal_err *err) {
    cJSON *root = pal_json_object(), *agreement = pal_json_object();
    pal_json_text(root, "device", test->wish.limits->name);
    pal_json_number(root, "delay_s", test->wish.delay);
    pal_json_text(root, "watchdog", pal_device_watchdog_text(test->wish.limits->watchdog));
    pal_json_bool(root, "passed", v->passed);
    pal_json_number(agreement, "stiffness_to_exact", v->exact);
    pal_json_number(agreement, "stiffness_to_law", v->law);
    pal_json_number(agreement, "beyond_the_law", v->beyond);
    pal_json_number(agreement, "speed_to_law", v->speed);
    pal_json_number(agreement, "cells", v->cells);
    pal_json_add(root, "worst", agreement);
    pal_json_add(root, "critical_stiffness", json_borders(test));
    pal_json_add(root, "critical_speed", json_speeds(test));
    pal_json_add(root, "grips", json_safe(test));
    pal_json_number(root, "passive_n_per_m", test->passive);
    pal_json_number(root, "no_encoder_ripple_n_per_m", test->quantised);
    pal_json_add(root, "map", json_map(&test->map));
    return pal_json_print(root, err);
}

// ---- the command

static pal_status tell(const pal_job *job, const pal_selftest *test, pal_err *err) {
    const pal_selftest_verdict v = pal_selftest_judge(test);
    pal_status status = PAL_OK;
    if (job->json) {
        status = print_json(test, &v, err);
    } else {
        print_borders(test);
        print_speeds(test);
        print_safe(test);
        print_verdict(test, &v);
        pal_output_print_written(job->args, "--picture");
        pal_output_print_written(job->args, "--svg");
    }
    return status != PAL_OK || v.passed
               ? status
               : pal_fail(err, PAL_ERR_NUMERIC,
                          "the closed loop does not agree with the theory: stiffness %.3f %% off "
                          "the exact border and %.2f %% off the law, speed %.2f %%",
                          100.0 * v.exact, 100.0 * v.law, 100.0 * v.speed);
}

static pal_status run(const pal_job *job, pal_err *err) {
    pal_selftest_wish wish;
    pal_status status = read_wish(job->args, &wish, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_selftest *test = PAL_NEW(pal_selftest, 1, err);
    if (test == NULL) {
        return PAL_ERR_MEMORY;
    }
    status = pal_selftest_run(test, &wish, job->progress, err);
    if (status == PAL_OK) {
        status = draw(job->args, test, err);
        pal_bar_end(status);
        status = status == PAL_OK ? tell(job, test, err) : status;
        pal_selftest_free(test);
    }
    free(test);
    return status;
}

const pal_command pal_command_selftest = {
    .usage =
        {.command = "selftest",
         .summary = "how stiff a wall a device can render, measured against theory",
         .operands = "",
         .about =
             "Renders a wall of stiffness K and damping B at 1 kHz on the simulated device and "
             "seeks where its swings begin to grow: over the device's damping, the delay and the "
             "friction, against the known laws and the exact border of the sampled loop; and "
             "over K and B, as a map. Prints the stiffness that is safe on this device, in "
             "nobody's hand and in three. Fails (exit code 1) where measurement and theory do "
             "not agree: to the exact border 0.1 % in stiffness, to the law 1 %, 3 % in speed. The "
             "law is a first term in (b + B) (T/2 + t_d) / m: cases where the exact border is more "
             "than 1 % from it are marked, and judged by the border alone.",
         .examples = "palpate selftest\n"
                     "palpate selftest --device omega --delay 0.001 --picture map.png\n"
                     "palpate selftest --passivity --quick --svg map.svg\n"
                     "palpate selftest --grip firm --friction 0.26 --json",
         .group = {{"Device and map", options}, {"Output", pal_options_work}}},
    .run = run,
};
