// palpate demo: the liver scene, its first modes as a table and as a picture.
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "app/command.h"
#include "app/json.h"
#include "app/model_facts.h"
#include "app/progress_bar.h"
#include "app/style.h"
#include "app/table.h"
#include "render/mode_sheet.h"
#include "scenes/scene.h"
#include "sim/base/clock.h"

static const char scene_name[] = "liver";
static const char folder[] = "out";
static const char picture[] = "out/demo-modes.png";

enum { MODES_SHOWN = 8, PICTURE_SHAPES = 6 };

static pal_status draw(const pal_model *model, pal_err *err) {
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        return pal_fail(err, PAL_ERR_IO, "%s: cannot make the folder for the picture: %s", folder,
                        strerror(errno));
    }
    return pal_mode_sheet_write(picture, model, PICTURE_SHAPES, err);
}

static void print_result(const pal_model *model, bool cached, double seconds, const char *note) {
    const char *bold = pal_style_bold(stdout), *plain = pal_style_plain(stdout);
    printf("The model is %s (%s):\n\n", cached ? "in the cache from an earlier run" : "baked",
           pal_say_time(seconds).text);
    pal_model_facts_print(model, stdout);
    if (note[0] != '\0') {
        pal_table_fact(stdout, "note", "%s", note);
    }
    printf("\nThe slowest ways in which it swings by itself:\n\n");
    pal_model_facts_modes(model, MODES_SHOWN, stdout);
    printf("\n%sPicture of the first shapes: %s%s\n", bold, picture, plain);
    printf("\nWhat to try next:\n\n");
    pal_style_commands(stdout, "palpate bake spoon --picture out/spoon.png\n"
                               "palpate static liver --load 'x>0.18:0,0,-0.1'\n"
                               "palpate help");
}

static pal_status json_result(const pal_model *model, bool cached, double seconds, pal_err *err) {
    cJSON *root = pal_json_object();
    pal_json_text(root, "scene", scene_name);
    pal_json_bool(root, "cached", cached);
    pal_json_number(root, "seconds", seconds);
    pal_model_facts_json(model, root);
    pal_json_text(root, "picture", picture);
    return pal_json_print(root, err);
}

static pal_status run(const pal_job *job, pal_err *err) {
    pal_scene scene;
    pal_model model;
    pal_bake_times times;
    bool cached = false;
    double start = pal_seconds();
    pal_status status = pal_scene_read(scene_name, &scene, err);
    if (status != PAL_OK) {
        return status;
    }
    if (!job->json) {
        printf("This takes a soft liver of finite elements down to %d numbers that can be moved a "
               "thousand\ntimes a second.\n\n",
               (int)scene.basis.size);
        fflush(stdout);
    }
    status = pal_scene_model(&scene, false, job->progress, &model, &times, &cached, err);
    double seconds = pal_seconds() - start;
    pal_bar_end(status);
    if (status == PAL_OK) {
        status = draw(&model, err);
        if (status == PAL_OK && job->json) {
            status = json_result(&model, cached, seconds, err);
        } else if (status == PAL_OK) {
            print_result(&model, cached, seconds, scene.note);
        }
        pal_model_free(&model);
    }
    pal_scene_free(&scene);
    return status;
}

const pal_command pal_command_demo = {
    .usage = {.command = "demo",
              .summary = "bake a liver and show its first modes, as a table and a picture",
              .operands = "",
              .about =
                  "Bakes the scene 'liver' (a second run takes it from the cache) and writes a "
                  "picture of its first shapes to out/demo-modes.png.",
              .examples = "palpate demo",
              .group = {{"Output", pal_options_work}}},
    .run = run,
};
