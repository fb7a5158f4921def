// palpate score TRACE: how well a hand has searched for what is hidden in a body.
#include <math.h>

#include "app/command.h"
#include "app/json.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "app/score.h"
#include "app/style.h"
#include "app/table.h"
#include "app/traces.h"

static const pal_option options[] = {
    {.name = "--picture",
     .kind = PAL_OPTION_TEXT,
     .argument = "FILE.png",
     .help = "draw where it was pressed and what was felt there, from above, with the true place "
             "and the mark"},
    {.name = "--enough",
     .kind = PAL_OPTION_NUMBER,
     .argument = "N",
     .fallback = "0.2",
     .max = 100.0,
     .open = true,
     .help = "force of a press that counts as searched, newtons"},
    PAL_OPTION_LENIENT,
    {.name = NULL},
};

static void print_verdict(const pal_score_result *r) {
    static const char *const how[] = {"", "marked with the button",
                                      "nothing was marked: the place that felt hardest"};
    if (r->by == PAL_FOUND_NOTHING) {
        pal_table_fact(stdout, "verdict",
                       "not found: nothing was marked, and nothing felt 7 %% harder than the rest");
    } else {
        pal_table_fact(stdout, "verdict", "%s: %.1f mm from the %s (within %.1f mm counts)",
                       r->found ? "found" : "not found", 1e3 * r->distance, r->truth.name,
                       1e3 * r->most);
        pal_table_fact(stdout, "said to be at", "(%.1f, %.1f) mm after %.1f s; %s",
                       1e3 * r->guess[0], 1e3 * r->guess[1], r->guess_time, how[r->by]);
    }
    pal_table_fact(stdout, "truth", "(%.1f, %.1f, %.1f) mm, %.1f mm across, seed %llu",
                   1e3 * r->truth.place[0], 1e3 * r->truth.place[1], 1e3 * r->truth.place[2],
                   2e3 * r->truth.radius, (unsigned long long)r->truth.seed);
}

static void print_feeling(const pal_score_result *r) {
    if (!isfinite(r->on) || !isfinite(r->around)) {
        pal_table_fact(stdout, "force over it",
                       "not compared: the hand has not pressed %.1f mm "
                       "deep both there and elsewhere",
                       1e3 * r->depth);
        return;
    }
    pal_table_fact(stdout, "force over it", "%.3f N at %.1f mm depth; elsewhere %.3f N +- %.1f %%",
                   r->on, 1e3 * r->depth, r->around, 100.0 * r->spread / r->around);
    pal_table_fact(stdout, "difference",
                   "%.1f %%: %.1f times the just-noticeable one of force (7 %%), %.1f of "
                   "stiffness (22 %%)",
                   100.0 * (r->on / r->around - 1.0), r->force_jnds, r->stiffness_jnds);
}

static void print(const char *path, const pal_score_result *r) {
    printf("%s%s%s - a search for the %s\n", pal_style_bold(stdout), path, pal_style_plain(stdout),
           r->truth.name);
    print_verdict(r);
    print_feeling(r);
    pal_table_fact(stdout, "time", "%.1f s, %.1f s in contact", r->seconds, r->contact_time);
    pal_table_fact(stdout, "path", "%.0f mm, %.0f mm in contact", 1e3 * r->path,
                   1e3 * r->contact_path);
    pal_table_fact(stdout, "force", "%.3f N at most, %.3f N on the mean in contact", r->peak,
                   r->mean);
    pal_table_fact(stdout, "coverage", "%.1f %% of where it may be was pressed with %.2g N or more",
                   100.0 * r->coverage, r->enough);
}

static pal_status print_json(const pal_job *job, const pal_score_result *r, pal_err *err) {
    static const char *const by[] = {"nothing", "mark", "felt"};
    cJSON *root = pal_json_object();
    pal_json_text(root, "trace", job->args->operand[0]);
    pal_json_text(root, "hidden", r->truth.name);
    pal_json_bool(root, "found", r->found);
    pal_json_text(root, "found_by", by[r->by]);
    if (r->by != PAL_FOUND_NOTHING) {
        pal_json_numbers(root, "said_m", r->guess, 2);
        pal_json_number(root, "said_time_s", r->guess_time);
    }
    pal_json_numbers(root, "truth_m", r->truth.place, 3);
    pal_json_number(root, "distance_m", r->distance);
    pal_json_number(root, "counts_within_m", r->most);
    pal_json_number(root, "time_s", r->seconds);
    pal_json_number(root, "contact_time_s", r->contact_time);
    pal_json_number(root, "path_m", r->path);
    pal_json_number(root, "contact_path_m", r->contact_path);
    pal_json_number(root, "peak_force_n", r->peak);
    pal_json_number(root, "mean_force_n", r->mean);
    pal_json_number(root, "equal_depth_m", r->depth);
    pal_json_number(root, "force_on_n", r->on);
    pal_json_number(root, "force_around_n", r->around);
    pal_json_number(root, "force_around_deviation_n", r->spread);
    pal_json_number(root, "force_jnds", r->force_jnds);
    pal_json_number(root, "stiffness_jnds", r->stiffness_jnds);
    pal_json_number(root, "force_jnd", PAL_FORCE_JND);
    pal_json_number(root, "stiffness_jnd", PAL_STIFFNESS_JND);
    pal_json_number(root, "enough_n", r->enough);
    pal_json_number(root, "coverage", r->coverage);
    if (pal_args_given(job->args, "--picture")) {
        pal_json_text(root, "picture", pal_args_text(job->args, "--picture"));
    }
    return pal_json_print(root, err);
}

static pal_status run(const pal_job *job, pal_err *err) {
    const pal_args *args = job->args;
    pal_score_result result;
    pal_status status = pal_output_check(args, "--picture", ".png", err);
    if (status == PAL_OK) {
        status = pal_score_trace(args->operand[0], pal_args_number(args, "--enough"), job->progress,
                                 &result, err);
        pal_bar_end(status);
    }
    if (status != PAL_OK) {
        return status;
    }
    if (pal_args_given(args, "--picture")) {
        status = pal_score_picture(&result, pal_args_text(args, "--picture"), err);
    }
    if (status == PAL_OK && job->json) {
        status = print_json(job, &result, err);
    } else if (status == PAL_OK) {
        print(args->operand[0], &result);
        pal_output_print_written(args, "--picture");
    }
    pal_score_free(&result);
    return status;
}

const pal_command pal_command_score = {
    .usage = {.command = "score",
              .summary = "how well a hand has searched for what a scene hides",
              .operands = "TRACE",
              .min_operands = 1,
              .max_operands = 1,
              .about =
                  "For traces of scenes that hide something (body.hidden), such as nodule. The "
                  "last press of the stylus button (G in the window, mark: true in a probe) "
                  "says where it is; without one, the place that felt hardest counts, if it "
                  "felt 7 % harder than the rest. It is found when that is within the radius "
                  "of the nodule and that of the tool together, as seen from above. Forces "
                  "are compared at equal depth of the tool under the surface at rest, and "
                  "told in just-noticeable differences: 7 % of force, 22 % of stiffness.",
              .examples = "palpate run nodule --virtual --trace nodule.h5\n"
                          "palpate score nodule.h5 --picture nodule.png\n"
                          "palpate score nodule.h5 --json",
              .group = {{"Options", options}, {"Output", pal_options_work}}},
    .run = run,
};
