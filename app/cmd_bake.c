// palpate bake SCENE: from a scene to a reduced model.
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/json.h"
#include "app/model_facts.h"
#include "app/output.h"
#include "app/problem.h"
#include "app/progress_bar.h"
#include "app/style.h"
#include "app/table.h"
#include "app/tree_facts.h"
#include "render/mode_sheet.h"
#include "scenes/scene.h"
#include "sim/base/clock.h"
#include "sim/model/model_hdf5.h"
#include "sim/model/tree_hdf5.h"

enum { MODES_SHOWN = 10, PICTURE_SHAPES = 12 };

static const pal_option options[] = {
    {.name = "--output",
     .letter = 'o',
     .kind = PAL_OPTION_TEXT,
     .argument = "FILE.h5",
     .help = "write the model here too (it is always kept in the cache)"},
    {.name = "--hide",
     .kind = PAL_OPTION_COUNT,
     .argument = "N",
     .max = 2147483647.0,
     .help = "seed of the place of what the scene hides (body.hidden; default: the scene's)"},
    {.name = "--rebake", .help = "bake again even when the cache has the model"},
    {.name = "--picture",
     .kind = PAL_OPTION_TEXT,
     .argument = "FILE.png",
     .help = "draw the first shapes of the basis"},
    {.name = NULL},
};

typedef struct stage {
    const char *name;
    const char *key;
    double seconds;
} stage;

enum { STAGES = 7 };

static void list_stages(const pal_bake_times *times, stage list[STAGES]) {
    const stage all[STAGES] = {
        {"mesh and matrices", "setup", times->setup},
        {"linear modes", "modes", times->modes},
        {"modal derivatives", "derivatives", times->derivatives},
        {"mass-PCA", "pca", times->pca},
        {"quartic", "quartic", times->quartic},
        {"surface embedding", "embedding", times->embedding},
        {"local compliance", "local", times->local},
    };
    memcpy(list, all, sizeof all);
}

static void print_times(const pal_bake_times *times, double total) {
    stage list[STAGES];
    list_stages(times, list);
    pal_table table;
    pal_table_start(&table, "stage|>time|>share");
    for (int i = 0; i < STAGES; i++) {
        pal_table_cell(&table, "%s", list[i].name);
        pal_table_cell(&table, "%s", pal_say_time(list[i].seconds).text);
        pal_table_cell(&table, "%.0f %%", total > 0.0 ? 100.0 * list[i].seconds / total : 0.0);
    }
    pal_table_cell(&table, "all, with files");
    pal_table_cell(&table, "%s", pal_say_time(total).text);
    pal_table_cell(&table, "%s", "");
    pal_table_print(&table, stdout);
}

// What came out of one bake.
typedef struct outcome {
    const char *name;
    pal_model model;
    pal_bake_times times;
    bool cached;
    double seconds; // in all, with reading and writing
    const char *file, *picture;
    const char *note; // what could not be done beside the model, "" if nothing
} outcome;

static void print_outcome(const outcome *o) {
    printf("%s%s%s - %s in %s\n", pal_style_bold(stdout), o->name, pal_style_plain(stdout),
           o->cached ? "from the cache" : "baked", pal_say_time(o->seconds).text);
    pal_model_facts_print(&o->model, stdout);
    if (o->times.local_report.note[0] != '\0') {
        pal_table_fact(stdout, "note", "%s", o->times.local_report.note);
    }
    if (!o->cached) {
        putchar('\n');
        print_times(&o->times, o->seconds);
    }
    putchar('\n');
    pal_model_facts_modes(&o->model, MODES_SHOWN, stdout);
}

static pal_status json_outcome(const outcome *o, pal_err *err) {
    cJSON *root = pal_json_object();
    pal_json_text(root, "scene", o->name);
    pal_json_bool(root, "cached", o->cached);
    pal_json_number(root, "seconds", o->seconds);
    if (!o->cached) {
        stage list[STAGES];
        list_stages(&o->times, list);
        cJSON *times = pal_json_object();
        for (int i = 0; i < STAGES; i++) {
            pal_json_number(times, list[i].key, list[i].seconds);
        }
        pal_json_add(root, "times_s", times);
    }
    pal_model_facts_json(&o->model, root);
    pal_json_text(root, "note", o->note);
    pal_json_text(root, "local_note", o->times.local_report.note);
    if (o->file != NULL) {
        pal_json_text(root, "file", o->file);
    }
    if (o->picture != NULL) {
        pal_json_text(root, "picture", o->picture);
    }
    return pal_json_print(root, err);
}

// Names of outputs are looked at before the work, not after it.
static pal_status check_outputs(const outcome *o, const pal_args *args, pal_err *err) {
    pal_status status = pal_output_check(args, "--output", ".h5", err);
    if (status == PAL_OK) {
        status = pal_output_check(args, "--picture", ".png", err);
    }
    if (status != PAL_OK) {
        return status;
    }
    if (!pal_problem_is_scene(o->name)) {
        return pal_problem_not_a_scene(o->name, err);
    }
    return PAL_OK;
}

static pal_status write_outputs(outcome *o, pal_up up, pal_err *err) {
    pal_status status = o->file != NULL ? pal_model_write(o->file, &o->model, err) : PAL_OK;
    if (status == PAL_OK && o->picture != NULL) {
        status = pal_mode_sheet_write(o->picture, &o->model, up, PICTURE_SHAPES, err);
    }
    return status;
}

// ---- a body of domains

static pal_status show_tree(const pal_job *job, const pal_scene *scene, const pal_tree_model *model,
                            const pal_class_times *times, bool cached, double seconds,
                            pal_err *err) {
    const char *name = job->args->operand[0];
    pal_tree_facts facts;
    pal_status status = pal_tree_facts_of_model(model, times, &facts, err);
    if (status != PAL_OK) {
        return status;
    }
    facts.paper = pal_scene_domain_shape(scene);
    if (job->json) {
        cJSON *root = pal_json_object();
        pal_json_text(root, "scene", name);
        pal_json_bool(root, "cached", cached);
        pal_json_number(root, "seconds", seconds);
        pal_tree_facts_json(&facts, root);
        pal_json_text(root, "note", scene->note);
        status = pal_json_print(root, err);
    } else {
        printf("%s%s%s - %s in %s\n", pal_style_bold(stdout), name, pal_style_plain(stdout),
               cached ? "from the cache" : "baked", pal_say_time(seconds).text);
        pal_tree_facts_print(&facts, stdout);
    }
    pal_tree_facts_free(&facts);
    return status;
}

static pal_status bake_tree(const pal_job *job, pal_scene *scene, double start, pal_err *err) {
    if (pal_args_given(job->args, "--picture")) {
        return pal_fail(err, PAL_ERR_USAGE, "--picture is for a body without domains");
    }
    pal_tree_model model;
    pal_class_times *times;
    bool cached;
    pal_status status = pal_scene_tree_model(scene, pal_args_flag(job->args, "--rebake"),
                                             job->progress, &model, &times, &cached, err);
    double seconds = pal_seconds() - start;
    pal_bar_end(status);
    if (status != PAL_OK) {
        return status;
    }
    const char *file = pal_args_text(job->args, "--output");
    status = file != NULL ? pal_tree_model_write(file, &model, err) : PAL_OK;
    if (status == PAL_OK) {
        status = show_tree(job, scene, &model, times, cached, seconds, err);
    }
    if (status == PAL_OK && !job->json) {
        pal_output_print_written(job->args, "--output");
    }
    free(times);
    pal_tree_model_free(&model);
    return status;
}

static pal_status run(const pal_job *job, pal_err *err) {
    outcome o = {.name = job->args->operand[0],
                 .file = pal_args_text(job->args, "--output"),
                 .picture = pal_args_text(job->args, "--picture")};
    pal_scene scene;
    double start = pal_seconds();
    pal_status status = check_outputs(&o, job->args, err);
    if (status == PAL_OK) {
        status = pal_scene_read(o.name, &scene, err);
    }
    if (status != PAL_OK) {
        return status;
    }
    if (pal_args_given(job->args, "--hide")) {
        status = pal_scene_hide(&scene, pal_args_count(job->args, "--hide"), err);
        if (status != PAL_OK) {
            pal_scene_free(&scene);
            return status;
        }
    }
    if (scene.has_domains) {
        status = bake_tree(job, &scene, start, err);
        pal_scene_free(&scene);
        return status;
    }
    status = pal_scene_model(&scene, pal_args_flag(job->args, "--rebake"), job->progress, &o.model,
                             &o.times, &o.cached, err);
    o.seconds = pal_seconds() - start;
    o.note = scene.note;
    pal_bar_end(status);
    if (status == PAL_OK) {
        status = write_outputs(&o, scene.up, err);
        if (status == PAL_OK && job->json) {
            status = json_outcome(&o, err);
        } else if (status == PAL_OK) {
            print_outcome(&o);
            pal_output_print_written(job->args, "--output");
            pal_output_print_written(job->args, "--picture");
        }
        pal_model_free(&o.model);
    }
    pal_scene_free(&scene);
    return status;
}

const pal_command pal_command_bake = {
    .usage = {.command = "bake",
              .summary = "from a scene to a reduced model, kept in a cache",
              .operands = "SCENE",
              .min_operands = 1,
              .max_operands = 1,
              .about = "SCENE is a .yaml file or the name of a shipped scene (palpate scenes). The "
                       "model is cached by what it depends on, so that baking an unchanged scene "
                       "again takes no time. The cache is $PALPATE_CACHE, else "
                       "$XDG_CACHE_HOME/palpate, else ~/.cache/palpate.",
              .examples = "palpate bake spoon\n"
                          "palpate bake liver -o liver.h5 --picture liver.png",
              .group = {{"Options", options}, {"Output", pal_options_work}}},
    .run = run,
};
