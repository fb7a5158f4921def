// palpate sketch SCENE: pulls at the linear model, kept as loads for a basis.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/command.h"
#include "app/json.h"
#include "app/loading.h"
#include "app/output.h"
#include "app/problem.h"
#include "app/progress_bar.h"
#include "app/sketch_script.h"
#include "app/sketch_window.h"
#include "app/style.h"
#include "app/table.h"
#include "app/window_files.h"
#include "render/gl_context.h"
#include "scenes/scene.h"
#include "sim/base/file.h"
#include "sim/base/memory.h"

enum { SHAPES_A_HOLD = 3 };              // a pull bends a body on and on in about so many ways
static const double pull_seconds = 1.0;  // from nothing to all of it
static const double default_share = 0.1; // of the largest force: the separation

static const pal_option options[] = {
    {.name = "--output",
     .letter = 'o',
     .kind = PAL_OPTION_TEXT,
     .argument = "FILE",
     .help =
         "FILE.yaml: the scene with a basis from the loads, which are put beside it as "
         "FILE.loads; another ending: the list of loads alone, for basis.loads_file (default in "
         "the window: SCENE-sketched.yaml beside the scene)"},
    {.name = "--pull",
     .kind = PAL_OPTION_TEXT,
     .argument = "SEL:fx,fy,fz",
     .repeatable = true,
     .help = "take hold of these vertices and pull, within a second, up to this total force in N; "
             "one after the other"},
    {.name = "--script",
     .kind = PAL_OPTION_TEXT,
     .argument = "FILE",
     .help = "pulls over time: lines 'TIME ; SEL ; fx fy fz' in s and N; the force goes straight "
             "from line to line, and another selector lets go and takes hold there; # begins a "
             "comment"},
    {.name = "--modes",
     .kind = PAL_OPTION_COUNT,
     .argument = "N",
     .fallback = "30",
     .min = 1,
     .max = 1000,
     .help = "linear modes of the model that is pulled at"},
    {.name = "--separation",
     .kind = PAL_OPTION_NUMBER,
     .argument = "F",
     .max = 1e12,
     .help = "a force nearer than F newtons to the last one kept is not kept (default: a tenth of "
             "the largest)"},
    {.name = "--size",
     .kind = PAL_OPTION_COUNT,
     .argument = "N",
     .min = 1,
     .max = 200,
     .help =
         "vectors of the basis in FILE.yaml (default: 3 for each pull, at most as many as there "
         "are loads)"},
    {.name = "--headless", .help = "no window, also where nothing is said to be pulled"},
    {.name = "--append", .help = "add to the loads that are in the file already"},
    {.name = NULL},
};

typedef struct sketching {
    const pal_job *job;
    const char *file; // --output
    char *loads;      // the file of loads, on the heap
    bool makes_scene; // file is a scene
    int32_t size;     // of its basis
    pal_scene scene;
    pal_scene_body body;
    pal_fem fem;
    pal_pulls pulls;
    pal_sketch sketch;
    pal_sketch_report report;
    bool by_hand;               // in the window
    char name[PAL_WINDOW_PATH]; // of the file, when none was given
    double largest;             // N, of all forces
} sketching;

// ---- what is pulled

static pal_status add_pull(pal_pulls *pulls, const char *text, pal_err *err) {
    const double none[3] = {0.0, 0.0, 0.0};
    const double begin = pulls->count > 0 ? pulls->pull[pulls->count - 1].time : 0.0;
    double force[3];
    char *selector = NULL;
    pal_status status = pal_loading_split("--pull", text, &selector, force, err);
    if (status == PAL_OK) {
        status = pal_pulls_add(pulls, begin, selector, none, err);
    }
    if (status == PAL_OK) {
        pulls->pull[pulls->count - 1].anew = true;
    }
    if (status == PAL_OK) {
        status = pal_pulls_add(pulls, begin + pull_seconds, selector, force, err);
    }
    free(selector);
    return status;
}

static pal_status gather_pulls(sketching *s, pal_err *err) {
    const pal_args *args = s->job->args;
    int count;
    const char *const *text = pal_args_list(args, "--pull", &count);
    pal_status status = PAL_OK;
    s->by_hand = count == 0 && !pal_args_given(args, "--script") &&
                 !pal_args_flag(args, "--headless") && pal_gl_has_display();
    if (s->by_hand) {
        return PAL_OK;
    }
    if (count == 0 && !pal_args_given(args, "--script")) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "nothing is pulled: give --pull 'SEL:fx,fy,fz' or --script FILE (or pull "
                        "in the window, with a display)");
    }
    if (pal_args_given(args, "--script")) {
        status = pal_pulls_read(pal_args_text(args, "--script"), &s->pulls, err);
    }
    for (int i = 0; status == PAL_OK && i < count; i++) {
        status = add_pull(&s->pulls, text[i], err);
    }
    s->largest = status == PAL_OK ? pal_pulls_largest(&s->pulls) : 0.0;
    if (status == PAL_OK && !(s->largest > 0.0)) {
        status = pal_fail(err, PAL_ERR_USAGE, "all pulls are of no force");
    }
    return status;
}

// ---- what is written

static pal_status name_files(sketching *s, pal_err *err) {
    s->file = pal_args_text(s->job->args, "--output");
    if (s->file == NULL && s->by_hand) {
        pal_status named = pal_window_name_beside(s->scene.path, "sketched", s->name, err);
        if (named != PAL_OK) {
            return named;
        }
        s->file = s->name;
    }
    if (s->file == NULL) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "say where the loads go: -o FILE.yaml for a scene with a basis from them, "
                        "or -o FILE.loads for the list alone");
    }
    pal_status status = pal_output_check(s->job->args, "--output", NULL, err);
    if (status != PAL_OK) {
        return status;
    }
    s->makes_scene = pal_scene_is_path(s->file);
    if (!s->makes_scene && pal_args_given(s->job->args, "--size")) {
        return pal_fail(err, PAL_ERR_USAGE, "--size is for a scene: -o FILE.yaml");
    }
    const size_t stem =
        s->makes_scene ? strlen(s->file) - strlen(strrchr(s->file, '.')) : strlen(s->file);
    s->loads = PAL_NEW(char, stem + sizeof ".loads", err);
    if (s->loads == NULL) {
        return PAL_ERR_MEMORY;
    }
    memcpy(s->loads, s->file, stem);
    strcpy(s->loads + stem, s->makes_scene ? ".loads" : "");
    return PAL_OK;
}

static pal_status write_loads(const sketching *s, pal_err *err) {
    char about[400];
    char *old = NULL;
    size_t old_size = 0;
    pal_status status = PAL_OK;
    snprintf(about, sizeof about,
             "palpate %s: %d loads sketched on %d linear modes of the scene '%.100s'", PAL_VERSION,
             (int)s->sketch.load_count, (int)s->sketch.modes.count, s->scene.name);
    if (pal_args_flag(s->job->args, "--append") && access(s->loads, F_OK) == 0) {
        status = pal_file_read(s->loads, &old, &old_size, err);
    }
    char *text = status == PAL_OK ? pal_sketch_text(&s->sketch, about, err) : NULL;
    const size_t size = text != NULL ? strlen(text) : 0;
    char *all = text != NULL ? PAL_NEW(char, old_size + size + 2, err) : NULL;
    if (all != NULL) {
        size_t used = old_size;
        if (old_size > 0) {
            memcpy(all, old, old_size);
            if (old[old_size - 1] != '\n') {
                all[used++] = '\n';
            }
        }
        memcpy(all + used, text, size);
        status = pal_file_write_atomic(s->loads, all, used + size, err);
    } else {
        status = status == PAL_OK ? PAL_ERR_MEMORY : status;
    }
    free(old);
    free(text);
    free(all);
    return status;
}

static pal_status write_files(sketching *s, pal_err *err) {
    const pal_args *args = s->job->args;
    pal_status status = write_loads(s, err);
    if (status != PAL_OK || !s->makes_scene) {
        return status;
    }
    const int32_t most = s->sketch.load_count;
    const int32_t usual = SHAPES_A_HOLD * s->sketch.holds;
    s->size = pal_args_given(args, "--size") ? pal_args_count(args, "--size")
              : usual < most                 ? usual
                                             : most;
    const char *slash = strrchr(s->loads, '/');
    return pal_scene_save_basis(&s->scene, slash != NULL ? slash + 1 : s->loads, s->size, s->file,
                                err);
}

// ---- the command

static pal_status save(void *context, pal_err *err) {
    return write_files(context, err);
}

// In the window, until it is closed; what is kept by then is written, also when the display went
// away.
static pal_status sketch_by_hand(sketching *s, pal_err *err) {
    pal_sketch_desk desk = {.scene = &s->scene,
                            .body = &s->body,
                            .sketch = &s->sketch,
                            .separation = pal_args_number(s->job->args, "--separation"),
                            .save = save,
                            .context = s,
                            .file = s->file};
    pal_bar_end(PAL_OK);
    pal_status status = pal_sketch_window(&desk, err);
    s->report = (pal_sketch_report){desk.frames, desk.largest_move};
    s->largest = desk.largest_force;
    if (desk.unsaved && s->sketch.load_count > 0) {
        pal_status saved = write_files(s, status == PAL_OK ? err : NULL);
        if (status != PAL_OK && saved == PAL_OK) {
            char why[600];
            snprintf(why, sizeof why, "%.500s", err->text);
            return pal_fail(err, status, "%s; what was kept is in %s", why, s->loads);
        }
        status = status == PAL_OK ? saved : status;
    }
    if (status == PAL_OK && s->sketch.load_count == 0) {
        return pal_fail(err, PAL_ERR_USAGE, "nothing was pulled, so nothing is written");
    }
    return status;
}

static pal_status sketch(sketching *s, pal_err *err) {
    const pal_args *args = s->job->args;
    pal_status status = pal_scene_build(&s->scene, s->job->progress, &s->body, err);
    if (status == PAL_OK) {
        status = pal_fem_init(&s->fem, &s->body.mesh, s->body.material, s->body.held,
                              s->scene.mass_kind, err);
    }
    const double given = pal_args_number(args, "--separation");
    const double separation = isnan(given) ? default_share * s->largest : given;
    if (status == PAL_OK) {
        pal_progress_report(s->job->progress, "modes", 0.0);
        status = pal_sketch_open(&s->sketch, &s->fem, pal_args_count(args, "--modes"), separation,
                                 s->job->progress, err);
    }
    if (status == PAL_OK && s->by_hand) {
        return sketch_by_hand(s, err);
    }
    if (status == PAL_OK) {
        status = pal_pulls_settle(&s->pulls, &s->scene.landmarks, &s->body.mesh, err);
    }
    if (status == PAL_OK) {
        status = pal_pulls_play(&s->pulls, &s->sketch, &s->report, err);
    }
    if (status == PAL_OK && s->sketch.load_count == 0) {
        status = pal_fail(err, PAL_ERR_USAGE,
                          "no force was kept; give a smaller --separation than %g N", separation);
    }
    return status == PAL_OK ? write_files(s, err) : status;
}

static pal_status show(const sketching *s, pal_err *err) {
    if (s->job->json) {
        cJSON *root = pal_json_object();
        pal_json_text(root, "scene", s->scene.name);
        pal_json_number(root, "modes", s->sketch.modes.count);
        pal_json_number(root, "frames", s->report.frames);
        pal_json_number(root, "pulls", s->sketch.holds);
        pal_json_number(root, "loads", s->sketch.load_count);
        pal_json_number(root, "separation_n", s->sketch.separation);
        pal_json_number(root, "largest_force_n", s->largest);
        pal_json_number(root, "largest_linear_displacement_m", s->report.largest_move);
        pal_json_text(root, "loads_file", s->loads);
        if (s->makes_scene) {
            pal_json_text(root, "scene_file", s->file);
            pal_json_number(root, "basis_size", s->size);
        }
        return pal_json_print(root, err);
    }
    printf("%s%s%s - sketched on %d linear modes\n", pal_style_bold(stdout), s->scene.name,
           pal_style_plain(stdout), (int)s->sketch.modes.count);
    pal_table_fact(stdout, "pulls", "%s, up to %.4g N, which move what is held by up to %s",
                   pal_say_count(s->sketch.holds).text, s->largest,
                   pal_say_length(s->report.largest_move).text);
    pal_table_fact(stdout, "loads kept", "%s of %s frames, %.3g N apart",
                   pal_say_count(s->sketch.load_count).text, pal_say_count(s->report.frames).text,
                   s->sketch.separation);
    pal_table_fact(stdout, "written to", "%s", s->loads);
    if (s->makes_scene) {
        pal_table_fact(stdout, "scene", "%s, with a basis of %d from these loads", s->file,
                       (int)s->size);
        printf("\n  %s bake %s\n", pal_style_program(), s->file);
    }
    return PAL_OK;
}

static pal_status run(const pal_job *job, pal_err *err) {
    sketching s = {.job = job};
    const char *name = job->args->operand[0];
    pal_status status =
        pal_problem_is_scene(name) ? gather_pulls(&s, err) : pal_problem_not_a_scene(name, err);
    if (status == PAL_OK && !s.by_hand) { // before the scene is read: mistakes are told at once
        status = name_files(&s, err);
    }
    if (status == PAL_OK) {
        status = pal_scene_read(name, &s.scene, err);
    }
    if (status == PAL_OK && s.by_hand) {
        status = name_files(&s, err);
    }
    if (status == PAL_OK) {
        status = sketch(&s, err);
        pal_bar_end(status);
    }
    if (status == PAL_OK) {
        status = show(&s, err);
    }
    pal_sketch_close(&s.sketch);
    pal_fem_free(&s.fem);
    pal_scene_body_free(&s.body);
    pal_scene_free(&s.scene);
    pal_pulls_free(&s.pulls);
    free(s.loads);
    return status;
}

const pal_command pal_command_sketch = {
    .usage =
        {.command = "sketch",
         .summary = "pull at the linear model; the forces make a basis",
         .operands = "SCENE",
         .min_operands = 1,
         .max_operands = 1,
         .about =
             "What the body is pulled with is kept, thinned out by --separation; baking "
             "FILE.yaml then solves the full equilibrium under each load and takes its basis "
             "from these shapes. Pulls are played on a static model of the lowest linear modes, "
             "in virtual time. With a display and nothing said to be pulled, a window opens: pull "
             "at "
             "the body with the mouse; what is pulled is kept (K keeps the force of now, U takes "
             "the last one back, S saves, F1 lists the keys) and written when the window is "
             "closed. Selectors (SEL) name vertices: 'x>0.18', 'vertices:3,7', "
             "'near:(0,0,0.1):0.02', with & | ! and brackets; lengths in metres. A place of the "
             "surface, 'near:(x,y,z)', 'surface:x,y' or a landmark, is its nearest vertex.",
         .examples = "palpate sketch spoon\n"
                     "palpate sketch spoon --pull 'x>0.19:0,0,-0.4' --pull 'x>0.19:0,0.4,0' "
                     "-o bent-spoon.yaml\n"
                     "palpate bake bent-spoon.yaml\n"
                     "palpate sketch liver --pull 'surface:0.12,0.03:0,0,0.2'\n"
                     "palpate sketch liver --script pulls.txt -o liver.loads --append",
         .group = {{"Options", options}, {"Output", pal_options_work}}},
    .run = run,
};
