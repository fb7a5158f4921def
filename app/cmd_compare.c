// palpate compare SCENE: reduced against full dynamics after one strong blow [BJ05 7].
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/compare.h"
#include "app/compare_tree.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "app/style.h"
#include "app/table.h"
#include "render/plot.h"
#include "scenes/scene.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

enum {
    MOST_BASES = 4,
    MOST_HALVINGS = 3,
    MAX_STEPS = 1000000,
    STEPS_PER_PERIOD = 150,
    PATH_SIZE = 512
};
static const double PERIODS = 2.5, BLOW_PERIODS = 0.25;
static const char folder[] = "out";

static const pal_option options[] = {
    {.name = "--at",
     .kind = PAL_OPTION_TEXT,
     .argument = "SEL",
     .help = "where the blow falls and the motion is watched (default: what is farthest from the "
             "held vertices)"},
    {.name = "--force",
     .kind = PAL_OPTION_VECTOR,
     .argument = "fx,fy,fz",
     .help = "the blow's greatest force in N (default: the softest way, as strong as --amplitude "
             "says)"},
    {.name = "--amplitude",
     .kind = PAL_OPTION_NUMBER,
     .argument = "A",
     .fallback = "0.5",
     .max = 2.0,
     .open = true,
     .help = "how far the blow shall throw the body, as a share of its reach from the held "
             "vertices"},
    {.name = "--duration",
     .kind = PAL_OPTION_NUMBER,
     .argument = "T",
     .max = INFINITY,
     .open = true,
     .help = "of the blow, half a sine wave, in s (default: a quarter of the slowest period)"},
    {.name = "--seconds",
     .kind = PAL_OPTION_NUMBER,
     .argument = "T",
     .max = INFINITY,
     .open = true,
     .help = "how long to simulate, in s (default: 2.5 of the slowest periods)"},
    {.name = "--dt",
     .kind = PAL_OPTION_NUMBER,
     .argument = "T",
     .max = INFINITY,
     .open = true,
     .help = "time step of all simulations in s (default: 1/150 of the slowest period)"},
    {.name = NULL},
};

static const pal_option basis_options[] = {
    {.name = "--r",
     .kind = PAL_OPTION_COUNT,
     .argument = "R",
     .min = 1,
     .max = 128,
     .help = "use only the first R vectors of the scene's basis, and R in the others"},
    {.name = "--no-sketch", .help = "leave out the basis from sketched loads"},
    {.name = "--linear", .help = "a basis of linear modes alone, too"},
    {.name = NULL},
};

static const pal_option file_options[] = {
    {.name = "--picture",
     .kind = PAL_OPTION_TEXT,
     .argument = "FILE.png",
     .help = "where to draw the motions (default: out/compare-SCENE.png)"},
    {.name = NULL},
};

typedef struct row {
    pal_reduction reduction;
    pal_motion motion;
    pal_difference difference;
    double force_error; // of the force that holds the probe as far out as the full body's is
} row;

typedef struct comparison {
    const pal_job *job;
    const char *name;
    pal_scene scene;
    pal_model model;
    pal_material *material; // [region_count]
    pal_trial trial;
    int32_t r;
    double period;           // s, the slowest of the linear reduced body
    double push, pushed;     // N, m: a static push on the full body; NAN when it has no equilibrium
    pal_motion full;         //
    double *shapes;          // states of the full motion
    int32_t shape_count;     //
    int32_t count;           //
    row row[MOST_BASES];     // [count]
    char picture[PATH_SIZE]; //
    char note[PATH_SIZE];    // what was left out and why, "" if nothing
} comparison;

// ---- set-up

// Names of outputs are looked at before the work, not after it.
static pal_status choose_picture(comparison *c, pal_err *err) {
    const char *given = pal_args_text(c->job->args, "--picture");
    if (given != NULL) {
        snprintf(c->picture, sizeof c->picture, "%s", given);
        return pal_output_check(c->job->args, "--picture", ".png", err);
    }
    snprintf(c->picture, sizeof c->picture, "%s/compare-%.200s.png", folder, c->scene.name);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        return pal_fail(err, PAL_ERR_IO, "%s: cannot make the folder for the picture: %s", folder,
                        strerror(errno));
    }
    return PAL_OK;
}

static pal_status open_scene(comparison *c, pal_err *err) {
    if (!pal_problem_is_scene(c->name)) {
        return pal_problem_not_a_scene(c->name, err);
    }
    pal_status status = pal_scene_read(c->name, &c->scene, err);
    if (status == PAL_OK) {
        status = pal_compare_tree_check(c->job, &c->scene, err);
    }
    if (status == PAL_OK) {
        status = choose_picture(c, err);
    }
    return status;
}

static pal_status open_model(comparison *c, pal_err *err) {
    pal_status status =
        pal_scene_model(&c->scene, false, c->job->progress, &c->model, NULL, NULL, err);
    if (status != PAL_OK) {
        return status;
    }
    int given = pal_args_count(c->job->args, "--r");
    c->r = given > 0 ? given : c->model.r;
    if (c->r > c->model.r) {
        return pal_fail(err, PAL_ERR_USAGE, "--r %d is more than the %d vectors of the scene",
                        given, c->model.r);
    }
    return PAL_OK;
}

static pal_status open_body(comparison *c, pal_err *err) {
    const pal_model *model = &c->model;
    c->material = PAL_NEW(pal_material, model->region_count, err);
    if (c->material == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t g = 0; g < model->region_count; g++) {
        c->material[g] = model->region[g].material;
    }
    c->trial.alpha = model->damping_alpha;
    c->trial.beta = model->damping_beta;
    pal_status status =
        pal_fem_init(&c->trial.fem, &model->mesh, c->material, model->held,
                     model->lumped_mass ? PAL_MASS_LUMPED : PAL_MASS_CONSISTENT, err);
    if (status == PAL_OK && c->trial.fem.rigid_modes > 0) {
        status = pal_fail(err, PAL_ERR_USAGE,
                          "%s: nothing is held, so a blow would send the body away; fix some "
                          "vertices in the scene",
                          c->name);
    }
    return status;
}

// Two significant digits, for numbers that the program chooses.
static double round_number(double x) {
    double power = pow(10.0, floor(log10(x)) - 1.0);
    return round(x / power) * power;
}

static double number_or(const comparison *c, const char *option, double otherwise) {
    return pal_args_given(c->job->args, option) ? pal_args_number(c->job->args, option)
                                                : round_number(otherwise);
}

static pal_status choose_times(comparison *c, pal_err *err) {
    pal_trial *trial = &c->trial;
    trial->blow.duration = number_or(c, "--duration", BLOW_PERIODS * c->period);
    trial->dt = number_or(c, "--dt", c->period / STEPS_PER_PERIOD);
    double seconds = number_or(c, "--seconds", PERIODS * c->period);
    double steps = round(seconds / trial->dt);
    if (!(steps >= 2.0 && steps <= MAX_STEPS)) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "%g s in steps of %g s are %.0f steps; 2 to %d are possible", seconds,
                        trial->dt, steps, MAX_STEPS);
    }
    trial->steps = (int32_t)steps;
    return PAL_OK;
}

// Where, when, which way and how hard.
static pal_status choose_blow(comparison *c, pal_err *err) {
    pal_trial *trial = &c->trial;
    const pal_args *args = c->job->args;
    const pal_reduction *own = &c->row[0].reduction;
    char far_end[128];
    double compliance;
    pal_status status = pal_trial_far_end(&c->model.mesh, c->model.held, far_end, sizeof far_end,
                                          &trial->reach, err);
    if (status == PAL_OK) {
        const char *at = pal_args_text(args, "--at");
        status = pal_probe_make(&c->model.mesh, "--at", at ? at : far_end, &trial->probe, err);
    }
    if (status == PAL_OK) {
        status = pal_trial_direction(trial, own, err);
    }
    if (status == PAL_OK) {
        status = pal_trial_linear(trial, own, &c->period, &compliance, err);
    }
    if (status == PAL_OK) {
        status = choose_times(c, err);
    }
    if (status != PAL_OK || !pal_args_given(args, "--force")) {
        double peak = pal_args_number(args, "--amplitude") * trial->reach;
        status = status == PAL_OK ? pal_trial_strength(trial, own, peak, err) : status;
        trial->blow.strength = round_number(trial->blow.strength);
        return status;
    }
    const double *force = pal_args_vector(args, "--force");
    trial->blow.strength = pal_norm3(force);
    if (!(trial->blow.strength > 0.0)) {
        return pal_fail(err, PAL_ERR_USAGE, "--force must not be zero");
    }
    for (int k = 0; k < 3; k++) {
        trial->blow.direction[k] = force[k] / trial->blow.strength;
    }
    return PAL_OK;
}

// ---- the work

// One more basis, unless it could not be made for a reason of its own: then a note.
static pal_status took(comparison *c, const char *what, pal_status status, pal_err *err) {
    if (status == PAL_OK) {
        c->count++;
    } else if (status == PAL_ERR_NUMERIC || status == PAL_ERR_USAGE) {
        snprintf(c->note, sizeof c->note, "%s left out: %.400s", what, err->text);
        return PAL_OK;
    }
    return status;
}

// A static push about as far as the blow goes, and how far it moves the full body.
static pal_status push_full(comparison *c, pal_err *err) {
    double period, compliance;
    c->pushed = (double)NAN;
    pal_status status =
        pal_trial_linear(&c->trial, &c->row[0].reduction, &period, &compliance, err);
    if (status != PAL_OK) {
        return status;
    }
    c->push = round_number(pal_motion_peak(&c->row[0].motion) / compliance);
    status = pal_full_displacement(&c->trial, c->push, c->job->progress, &c->pushed, err);
    return status == PAL_ERR_NUMERIC ? PAL_OK : status;
}

// Moved twice, for the time of a step: the first time the caches are cold.
static pal_status move_reduced(comparison *c, int32_t k, pal_err *err) {
    row *x = &c->row[k];
    pal_status status = pal_motion_alloc(&c->trial, &x->motion, err);
    for (int n = 0; status == PAL_OK && n < 2; n++) {
        status = pal_motion_reduced(&c->trial, &x->reduction, &x->motion, err);
    }
    return status;
}

// The full motion. A blow of our own choice that is too strong for the body is halved, and said so.
static pal_status move_full(comparison *c, pal_err *err) {
    const bool ours = !pal_args_given(c->job->args, "--force");
    pal_status status = pal_motion_alloc(&c->trial, &c->full, err);
    for (int k = 0; status == PAL_OK; k++) {
        free(c->shapes);
        c->shapes = NULL;
        status = pal_motion_full(&c->trial, c->job->progress, &c->full, &c->shapes, &c->shape_count,
                                 err);
        if (status != PAL_ERR_NUMERIC || !ours || k == MOST_HALVINGS) {
            break;
        }
        snprintf(c->note, sizeof c->note, "%.3g N would crush the full body: a weaker blow taken",
                 c->trial.blow.strength);
        c->trial.blow.strength *= 0.5;
        status = pal_motion_reduced(&c->trial, &c->row[0].reduction, &c->row[0].motion, err);
    }
    if (status == PAL_ERR_NUMERIC) {
        char why[300];
        snprintf(why, sizeof why, "%.299s", err->text);
        return pal_fail(err, status, "the full body after a blow of %.3g N: %s",
                        c->trial.blow.strength, why);
    }
    return status;
}

// The bases beside the scene's own, and the full motion.
static pal_status make_others(comparison *c, pal_err *err) {
    const pal_progress *progress = c->job->progress;
    pal_trial *trial = &c->trial;
    pal_status status = PAL_OK;
    if (!pal_args_flag(c->job->args, "--no-sketch")) {
        pal_reduction *next = &c->row[c->count].reduction;
        status = pal_reduction_of_sketch(trial, c->push, c->r, progress, next, err);
        status = took(c, "sketched loads", status, err);
    }
    if (status == PAL_OK && pal_args_flag(c->job->args, "--linear")) {
        pal_reduction *next = &c->row[c->count].reduction;
        status = pal_reduction_of_modes(trial, c->r, progress, next, err);
        status = took(c, "linear modes", status, err);
    }
    if (status == PAL_OK) {
        status = move_full(c, err);
    }
    if (status == PAL_OK) {
        pal_reduction *next = &c->row[c->count].reduction;
        status =
            pal_reduction_of_shapes(trial, c->shapes, c->shape_count, c->r, progress, next, err);
        status = took(c, "the full motion's basis", status, err);
    }
    return status;
}

static pal_status measure(comparison *c, pal_err *err) {
    pal_status status = PAL_OK;
    for (int32_t k = 0; status == PAL_OK && k < c->count; k++) {
        row *x = &c->row[k];
        double force = (double)NAN;
        status = k > 0 ? move_reduced(c, k, err) : PAL_OK;
        if (status == PAL_OK && isfinite(c->pushed)) {
            status = pal_reduced_holding_force(&c->trial, &x->reduction, c->pushed, &force, err);
        }
        if (status == PAL_OK) {
            x->difference = pal_motion_compare(&x->motion, &c->full);
            x->force_error = force / c->push - 1.0;
        }
    }
    return status;
}

static pal_status draw(const comparison *c, pal_err *err) {
    pal_plot_line line[MOST_BASES + 1];
    char name[MOST_BASES][64], title[256];
    line[0] = (pal_plot_line){"full finite elements", c->full.time, c->full.along, c->full.count};
    for (int32_t k = 0; k < c->count; k++) {
        const pal_motion *motion = &c->row[k].motion;
        snprintf(name[k], sizeof name[k], "%s, r = %d", c->row[k].reduction.name,
                 c->row[k].reduction.r);
        line[k + 1] = (pal_plot_line){name[k], motion->time, motion->along, motion->count};
    }
    snprintf(title, sizeof title, "%.100s after a blow of %.3g N", c->scene.name,
             c->trial.blow.strength);
    const pal_plot plot = {.title = title,
                           .x_label = "time (s)",
                           .y_label = "displacement along the blow (m)",
                           .line = line,
                           .line_count = c->count + 1};
    return pal_plot_write(c->picture, &plot, err);
}

// ---- the answer

static void print_percent(pal_table *table, const char *format, double share) {
    if (isfinite(share)) {
        pal_table_cell(table, format, 100.0 * share);
    } else {
        pal_table_cell(table, "-");
    }
}

static void print_rows(const comparison *c) {
    pal_table table;
    pal_table_start(&table, "basis|>r|>amplitude|>frequency|>force|>trajectory|>step|>speed-up");
    for (int32_t k = 0; k < c->count; k++) {
        const row *x = &c->row[k];
        pal_table_cell(&table, "%s", x->reduction.name);
        pal_table_cell(&table, "%d", x->reduction.r);
        print_percent(&table, "%+.1f %%", x->difference.amplitude);
        print_percent(&table, "%+.1f %%", x->difference.frequency);
        print_percent(&table, "%+.1f %%", x->force_error);
        print_percent(&table, "%.1f %%", x->difference.rms);
        pal_table_cell(&table, "%s", pal_say_time(x->motion.seconds_per_step).text);
        pal_table_cell(
            &table, "%s times",
            pal_say_count((int64_t)(c->full.seconds_per_step / x->motion.seconds_per_step)).text);
    }
    pal_table_print(&table, stdout);
}

static void print_result(const comparison *c) {
    const pal_trial *trial = &c->trial;
    const double *d = trial->blow.direction;
    double peak = pal_motion_peak(&c->full);
    printf("%s%s%s - full and reduced dynamics after one blow\n", pal_style_bold(stdout),
           c->scene.name, pal_style_plain(stdout));
    pal_table_fact(stdout, "body", "%s vertices, %s elements, %s free coordinates",
                   pal_say_count(c->model.mesh.vertex_count).text,
                   pal_say_count(c->model.mesh.element_count).text,
                   pal_say_count(pal_fem_dofs(&trial->fem)).text);
    pal_table_fact(stdout, "blow", "%.3g N along (%.3g, %.3g, %.3g) for %s", trial->blow.strength,
                   d[0], d[1], d[2], pal_say_time(trial->blow.duration).text);
    pal_table_fact(stdout, "at", "%s (%d %s)", trial->probe.selector, trial->probe.count,
                   trial->probe.count == 1 ? "vertex" : "vertices");
    pal_table_fact(stdout, "time", "%d steps of %s", trial->steps, pal_say_time(trial->dt).text);
    pal_table_fact(stdout, "full motion", "%s far (%.0f %% of the reach), %s a step",
                   pal_say_length(peak).text, 100.0 * peak / trial->reach,
                   pal_say_time(c->full.seconds_per_step).text);
    double hz = pal_motion_frequency(&c->full, INT32_MAX, NULL);
    if (isfinite(hz)) {
        pal_table_fact(stdout, "it swings", "%.3g times a second", hz);
    }
    pal_table_fact(stdout, "linear body", "%.3g times a second", 1.0 / c->period);
    if (c->note[0] != '\0') {
        pal_table_fact(stdout, "note", "%s", c->note);
    }
    printf("\n");
    print_rows(c);
    printf(
        "\nErrors against the full motion: the greatest amplitude; the frequency of the swinging;\n"
        "the force that holds the probe as far out as %.3g N holds the full body's; the root\n"
        "mean square distance of the trajectories as a share of the greatest displacement.\n",
        c->push);
    printf("\n%sPicture of the motions: %s%s\n", pal_style_bold(stdout), c->picture,
           pal_style_plain(stdout));
}

static void json_motion(cJSON *object, const pal_motion *motion) {
    pal_json_number(object, "peak_m", pal_motion_peak(motion));
    pal_json_number(object, "frequency_hz", pal_motion_frequency(motion, INT32_MAX, NULL));
    pal_json_number(object, "step_s", motion->seconds_per_step);
    pal_json_vectors(object, "mean_displacement_m", motion->u, motion->count);
}

static pal_status json_result(const comparison *c, pal_err *err) {
    const pal_trial *trial = &c->trial;
    cJSON *root = pal_json_object(), *full = pal_json_object(), *bases = pal_json_array();
    double force[3];
    for (int k = 0; k < 3; k++) {
        force[k] = trial->blow.strength * trial->blow.direction[k];
    }
    pal_json_text(root, "scene", c->scene.name);
    pal_json_number(root, "free_dofs", (double)pal_fem_dofs(&trial->fem));
    pal_json_text(root, "at", trial->probe.selector);
    pal_json_number(root, "at_vertices", trial->probe.count);
    pal_json_numbers(root, "force_n", force, 3);
    pal_json_number(root, "duration_s", trial->blow.duration);
    pal_json_number(root, "dt_s", trial->dt);
    pal_json_number(root, "steps", trial->steps);
    pal_json_number(root, "reach_m", trial->reach);
    pal_json_number(root, "linear_frequency_hz", 1.0 / c->period);
    pal_json_numbers(root, "time_s", c->full.time, c->full.count);
    json_motion(full, &c->full);
    pal_json_add(root, "full", full);
    for (int32_t k = 0; k < c->count; k++) {
        const row *x = &c->row[k];
        cJSON *item = pal_json_object();
        pal_json_text(item, "basis", x->reduction.key);
        pal_json_number(item, "r", x->reduction.r);
        pal_json_number(item, "amplitude_error_percent", 100.0 * x->difference.amplitude);
        pal_json_number(item, "frequency_error_percent", 100.0 * x->difference.frequency);
        pal_json_number(item, "force_error_percent", 100.0 * x->force_error);
        pal_json_number(item, "trajectory_error_percent", 100.0 * x->difference.rms);
        pal_json_number(item, "speedup", c->full.seconds_per_step / x->motion.seconds_per_step);
        json_motion(item, &x->motion);
        pal_json_append(bases, item);
    }
    pal_json_add(root, "bases", bases);
    pal_json_text(root, "note", c->note);
    pal_json_text(root, "picture", c->picture);
    return pal_json_print(root, err);
}

static pal_status work(comparison *c, pal_err *err) {
    pal_status status = open_model(c, err);
    if (status == PAL_OK) {
        status = open_body(c, err);
    }
    if (status == PAL_OK) {
        status =
            pal_reduction_of_model(&c->model, c->scene.basis.kind, c->r, &c->row[0].reduction, err);
    }
    if (status == PAL_OK) {
        c->count = 1;
        status = choose_blow(c, err);
    }
    if (status == PAL_OK) {
        status = move_reduced(c, 0, err);
    }
    if (status == PAL_OK) {
        status = push_full(c, err);
    }
    if (status == PAL_OK) {
        status = make_others(c, err);
    }
    if (status == PAL_OK) {
        status = measure(c, err);
    }
    return status == PAL_OK ? draw(c, err) : status;
}

static pal_status answer(comparison *c, pal_err *err) {
    pal_status status = work(c, err);
    pal_bar_end(status);
    if (status == PAL_OK && c->job->json) {
        return json_result(c, err);
    }
    if (status == PAL_OK) {
        print_result(c);
    }
    return status;
}

static pal_status run(const pal_job *job, pal_err *err) {
    comparison *c = PAL_NEW(comparison, 1, err);
    if (c == NULL) {
        return PAL_ERR_MEMORY;
    }
    c->job = job;
    c->name = job->args->operand[0];
    pal_status status = open_scene(c, err);
    if (status == PAL_OK && c->scene.has_domains) {
        status = pal_compare_tree(job, &c->scene, c->picture, err);
    } else if (status == PAL_OK) {
        status = answer(c, err);
    }
    for (int k = 0; k < MOST_BASES; k++) {
        pal_reduction_free(&c->row[k].reduction);
        pal_motion_free(&c->row[k].motion);
    }
    pal_motion_free(&c->full);
    free(c->shapes);
    pal_probe_free(&c->trial.probe);
    pal_fem_free(&c->trial.fem);
    free(c->material);
    pal_model_free(&c->model);
    pal_scene_free(&c->scene);
    free(c);
    return status;
}

const pal_command pal_command_compare = {
    .usage = {.command = "compare",
              .summary = "reduced against full dynamics after one strong blow",
              .operands = "SCENE",
              .min_operands = 1,
              .max_operands = 1,
              .about =
                  "Strikes the body of a scene once, half a sine wave of force, and simulates the "
                  "swinging by full finite elements and by reduced bases: the scene's own, one "
                  "from sketched loads, and the principal components of the full motion, which is "
                  "the best that a basis can be. The full simulation takes a minute or two for "
                  "the spoon, longer for larger scenes. A body of domains begins with a velocity "
                  "along its first eigenmode instead, and is moved whole by full finite elements "
                  "and as a tree under the three inertias: L1, L2 and exact. Where domains do not "
                  "meet vertex by vertex, as instances do not, the child's vertices there are "
                  "carried by the parent's elements.",
              .examples = "palpate compare spoon\n"
                          "palpate compare spoon --r 6 --linear --no-sketch\n"
                          "palpate compare flower --bend 45\n"
                          "palpate compare vessels --dt 0.1 --seconds 6\n"
                          "palpate compare liver --at 'x>0.18' --force 0,0,-1 --seconds 0.3 --json",
              .group = {{"The blow and its time", options},
                        {"Bases", basis_options},
                        {"Bodies of domains", pal_options_compare_tree},
                        {"Files", file_options},
                        {"Output", pal_options_work}}},
    .run = run,
};
