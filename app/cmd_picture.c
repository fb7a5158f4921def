// palpate picture MESH|SCENE|TRACE: what is to be seen at a time, as a PNG, with or without a
// display.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/command.h"
#include "app/domain_show.h"
#include "app/json.h"
#include "app/mesh_show.h"
#include "app/output.h"
#include "app/picture_mark.h"
#include "app/problem.h"
#include "app/progress_bar.h"
#include "app/shown.h"
#include "app/style.h"
#include "app/traces.h"
#include "app/view_options.h"
#include "render/axes.h"
#include "sim/base/vec3.h"

static const pal_option options[] = {
    {.name = "--time",
     .kind = PAL_OPTION_NUMBER,
     .argument = "S",
     .min = 0.0,
     .max = 86400.0,
     .help = "seconds into the trace, or into the scene's probe (default: a scene at rest, a trace "
             "at its hardest press)"},
    {.name = "--output",
     .letter = 'o',
     .kind = PAL_OPTION_TEXT,
     .argument = "F.png",
     .fallback = "picture.png",
     .help = "the file"},
    {.name = "--axes",
     .kind = PAL_OPTION_CHOICE,
     .argument = "auto|on|off",
     .fallback = "auto",
     .help = "axes with numbers about the body at rest; auto: of a MESH, and with --at"},
    {.name = "--at",
     .kind = PAL_OPTION_TEXT,
     .argument = "POINT",
     .help = "mark a place and tell its coordinates, those of the body at rest: x,y,z in metres, "
             "near:(x,y,z), surface:x,y or a landmark of the scene"},
    PAL_OPTION_LENIENT,
    {.name = NULL},
};

// A line that says what is seen.
static void describe(const pal_shown *shown, char *text, size_t size) {
    const pal_snapshot *shot = &shown->shot;
    int used = shown->done == 0 ? snprintf(text, size, "at rest")
                                : snprintf(text, size, "%.3f s", shot->time);
    for (int32_t h = 0; shown->done > 0 && h < shot->hand_count; h++) {
        used += snprintf(text + used, size - (size_t)used, "%s %.2f N, %d contact%s",
                         h == 0 ? ":" : ";", pal_norm3(shot->hand[h].force),
                         (int)shot->hand[h].touching, shot->hand[h].touching == 1 ? "" : "s");
    }
}

typedef struct subject { // what a picture is of
    const char *title;
    char caption[256];
    pal_stage_spec spec;
    const pal_snapshot *shot;
    pal_view_wish wish;
    pal_mark mark;
    pal_stage_facts facts;
    char renderer[128];
} subject;

static pal_status draw(subject *of, const char *path, pal_err *err) {
    pal_studio studio;
    pal_image image = {0};
    pal_view *view = &of->wish.view;
    const pal_studio_words words = {of->title, of->caption};
    of->spec.way = of->wish.way;
    pal_status status = pal_studio_open(&studio, &of->spec, of->wish.width, of->wish.height, err);
    if (status != PAL_OK) {
        return status;
    }
    status = pal_studio_fit(&studio, view, of->shot, of->wish.zoom, err);
    if (status == PAL_OK && of->mark.given) {
        status = pal_studio_draw(&studio, view, of->shot, NULL, err); // to know where things are
        status = status == PAL_OK ? pal_mark_place(&of->mark, studio.stage, view, err) : status;
    }
    if (status == PAL_OK) {
        status =
            pal_studio_take(&studio, view, of->shot, view->labels ? &words : NULL, &image, err);
    }
    if (status == PAL_OK) {
        status = pal_image_write_png(path, &image, err);
        of->facts = pal_stage_tell(studio.stage);
        snprintf(of->renderer, sizeof of->renderer, "%s", studio.context.renderer);
    }
    pal_image_free(&image);
    pal_studio_close(&studio);
    return status;
}

// ---- what was drawn, in words

static void print(const subject *of, const char *path) {
    char text[96];
    printf("%s%s%s - %s\n", pal_style_bold(stdout), of->title, pal_style_plain(stdout),
           of->caption);
    if (of->mark.given) {
        pal_axes_say(of->mark.told, of->mark.longest, text, sizeof text);
        printf("  marked %s%s\n", text, of->wish.view.mark_hidden ? ", behind the body" : "");
    }
    printf("  written to %s, %d x %d pixels\n", path, (int)of->wish.width, (int)of->wish.height);
}

static cJSON *json(const subject *of, const char *path) {
    cJSON *root = pal_json_object();
    pal_json_text(root, "picture", path);
    pal_json_number(root, "width", of->wish.width);
    pal_json_number(root, "height", of->wish.height);
    pal_json_text(root, "renderer", of->renderer);
    if (of->mark.given) {
        pal_json_numbers(root, "at_m", of->mark.told, 3);
        pal_json_bool(root, "at_hidden", of->wish.view.mark_hidden);
    }
    return root;
}

static pal_status json_scene(const subject *of, const pal_shown *shown, const char *path,
                             pal_err *err) {
    const pal_view *view = &of->wish.view;
    cJSON *root = json(of, path);
    pal_json_text(root, "scene", of->title);
    pal_json_number(root, "time", shown->shot.time);
    pal_json_number(root, "force_n", pal_norm3(shown->shot.hand[0].force));
    pal_json_number(root, "contacts", shown->shot.hand[0].touching);
    pal_json_number(root, "dents_left_out", shown->shot.dent_left_out);
    pal_json_bool(root, "trainer", view->trainer);
    pal_json_text(root, "color",
                  view->trainer ? "tissue" : pal_view_colouring_name(view->colouring));
    pal_json_number(root, "color_most", of->facts.most);
    pal_json_text(root, "deformed_on", of->facts.way == PAL_DEFORM_GPU ? "gpu" : "cpu");
    return pal_json_print(root, err);
}

// ---- of a mesh

static pal_status check_mesh_options(const pal_args *args, pal_err *err) {
    static const char *const of_runs[] = {"--time", "--trainer"};
    for (int i = 0; i < 2; i++) {
        if (pal_args_given(args, of_runs[i])) {
            return pal_fail(err, PAL_ERR_USAGE, "%s is for scenes and traces; a mesh is at rest",
                            of_runs[i]);
        }
    }
    return PAL_OK;
}

static void say_mesh(const pal_mesh_show *show, char *text, size_t size) {
    const pal_volmesh *mesh = &show->model.mesh;
    if (show->is_surface) {
        snprintf(text, size, "a surface of %d triangles", (int)show->model.surface.triangle_count);
    } else if (show->held_count > 0) {
        snprintf(text, size, "%d %s, %d of %d vertices held", (int)mesh->element_count,
                 mesh->kind == PAL_TET4 ? "tets" : "voxels", (int)show->held_count,
                 (int)mesh->vertex_count);
    } else {
        snprintf(text, size, "%d %s", (int)mesh->element_count,
                 mesh->kind == PAL_TET4 ? "tets" : "voxels");
    }
}

static pal_status run_mesh(const pal_job *job, subject *of, pal_err *err) {
    const char *path = pal_args_text(job->args, "--output");
    pal_view *view = &of->wish.view;
    pal_mesh_show show;
    pal_status status = check_mesh_options(job->args, err);
    if (status == PAL_OK) {
        status = pal_mesh_show_open(&show, job, job->args->operand[0], err);
        pal_bar_end(status);
    }
    if (status != PAL_OK) {
        return status;
    }
    pal_snapshot shot;
    pal_domain_show_shot(&shot);
    say_mesh(&show, of->caption, sizeof of->caption);
    of->title = show.model.name;
    of->spec = (pal_stage_spec){.model = &show.model, .up = show.up};
    of->shot = &shot;
    view->axes = pal_args_choice(job->args, "--axes") != 2;
    view->fixed = view->fixed || show.held_count > 0;
    if (!pal_args_given(job->args, "--color")) {
        view->colouring = PAL_BY_REGION;
    }
    if (show.marked) {
        pal_mark_take(&of->mark, &show.mark, &show.model.surface);
    }
    status = draw(of, path, err);
    if (status == PAL_OK && job->json) {
        cJSON *root = json(of, path);
        pal_json_text(root, "mesh", of->title);
        pal_json_number(root, "held_vertices", show.held_count);
        status = pal_json_print(root, err);
    } else if (status == PAL_OK) {
        print(of, path);
    }
    pal_mesh_show_close(&show);
    return status;
}

// ---- of a scene or a trace

static pal_status check_scene_options(const pal_args *args, pal_err *err) {
    static const char *const of_meshes[] = {"--fix", "--up", "--scale", "--voxels"};
    for (int i = 0; i < 4; i++) {
        if (pal_args_given(args, of_meshes[i])) {
            return pal_fail(err, PAL_ERR_USAGE, "%s is for meshes; %s", of_meshes[i],
                            i == 0 ? "--fixed shows what a scene holds"
                                   : "a scene says it in its file");
        }
    }
    return PAL_OK;
}

static pal_status go(const pal_job *job, pal_shown *shown, pal_err *err) {
    pal_status status = PAL_OK;
    if (pal_args_given(job->args, "--time")) {
        status = pal_shown_go(shown, pal_args_number(job->args, "--time"), job->progress, err);
    } else if (shown->is_trace) {
        status = pal_shown_go(shown, pal_shown_hardest(&shown->trace), job->progress, err);
    }
    pal_bar_end(status);
    return status;
}

static pal_status run_scene(const pal_job *job, subject *of, pal_err *err) {
    const char *path = pal_args_text(job->args, "--output");
    const char *at = pal_args_text(job->args, "--at");
    const int axes = pal_args_choice(job->args, "--axes");
    pal_shown shown;
    pal_status status = check_scene_options(job->args, err);
    if (status == PAL_OK) {
        status = pal_shown_open(&shown, job->args->operand[0], job->progress, err);
        pal_bar_end(status);
    }
    if (status != PAL_OK) {
        return status;
    }
    if (at != NULL) {
        status = pal_mark_find(&of->mark, at, &shown.session, err);
    }
    if (status == PAL_OK) {
        status = go(job, &shown, err);
    }
    describe(&shown, of->caption, sizeof of->caption);
    of->title = shown.session.scene.name;
    of->shot = &shown.shot;
    of->wish.view.axes = axes == 1 || (axes == 0 && at != NULL);
    pal_shown_spec(&shown.session, &of->spec);
    if (status == PAL_OK) {
        status = draw(of, path, err);
    }
    if (status == PAL_OK && job->json) {
        status = json_scene(of, &shown, path, err);
    } else if (status == PAL_OK) {
        print(of, path);
    }
    pal_shown_close(&shown);
    return status;
}

static pal_status run(const pal_job *job, pal_err *err) {
    subject of = {.title = ""};
    pal_status status = pal_view_read(job->args, &of.wish, err);
    if (status == PAL_OK) {
        status = pal_output_check(job->args, "--output", ".png", err);
    }
    if (status != PAL_OK) {
        return status;
    }
    return pal_mesh_show_is_path(job->args->operand[0]) ? run_mesh(job, &of, err)
                                                        : run_scene(job, &of, err);
}

const pal_command pal_command_picture = {
    .usage = {.command = "picture",
              .summary = "a picture of a mesh, a scene or a recorded run at a time",
              .operands = "MESH|SCENE|TRACE",
              .min_operands = 1,
              .max_operands = 1,
              .about = "Draws by OpenGL without a display. A mesh or surface is drawn with axes, "
                       "which show where --fix, --at and selectors are. A scene is drawn at rest, "
                       "or at a time of its probe, which is run in virtual time up to there; a "
                       "trace is repeated up to the time. Arrows are forces on the tools, the blue "
                       "ghost is where the hand is while the body keeps the tool "
                       "outside. " PAL_PROBLEM_PLACES,
              .examples = "palpate picture liver -o liver.png\n"
                          "palpate picture out/demo-trace.h5 --time 1.2 --camera 20,15,3\n"
                          "palpate picture heart --time 1.3 --color energy --size 1920x1080\n"
                          "palpate picture liver --time 1.2 --trainer\n"
                          "palpate picture liver --at surface:0.12,0.03\n"
                          "palpate picture body.msh --scale 0.001 --fix 'z<min+5 mm'",
              .group = {{"Options", options},
                        {"Mesh", pal_options_mesh},
                        {"Of a mesh", pal_options_mesh_show},
                        {"View", pal_options_view},
                        {"Output", pal_options_work}}},
    .run = run,
};
