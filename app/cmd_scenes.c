// palpate scenes: the scenes that come with the program.
#include <math.h>

#include "app/command.h"
#include "app/json.h"
#include "app/table.h"
#include "scenes/scene.h"

static pal_status print_json(pal_err *err) {
    cJSON *root = pal_json_array();
    for (int i = 0; pal_scene_shipped(i) != NULL; i++) {
        pal_scene scene;
        pal_status status = pal_scene_read(pal_scene_shipped(i), &scene, err);
        if (status != PAL_OK) {
            cJSON_Delete(root);
            return status;
        }
        cJSON *item = pal_json_object();
        pal_json_text(item, "name", pal_scene_shipped(i));
        pal_json_text(item, "about", scene.about);
        pal_json_number(item, "basis_size", scene.has_domains ? NAN : scene.basis.size);
        pal_json_bool(item, "domains", scene.has_domains);
        pal_json_append(root, item);
        pal_scene_free(&scene);
    }
    return pal_json_print(root, err);
}

static pal_status run(const pal_job *job, pal_err *err) {
    if (job->json) {
        return print_json(err);
    }
    pal_table table;
    pal_table_start(&table, "scene|>basis|about");
    pal_status status = PAL_OK;
    for (int i = 0; pal_scene_shipped(i) != NULL && status == PAL_OK; i++) {
        pal_scene scene;
        status = pal_scene_read(pal_scene_shipped(i), &scene, err);
        if (status == PAL_OK) {
            pal_table_cell(&table, "%s", pal_scene_shipped(i));
            if (scene.has_domains) {
                pal_table_cell(&table, "%s", "domains");
            } else {
                pal_table_cell(&table, "%d", (int)scene.basis.size);
            }
            pal_table_cell(&table, "%s", scene.about);
            pal_scene_free(&scene);
        }
    }
    if (status == PAL_OK) {
        pal_table_print(&table, stdout);
    } else {
        pal_table_drop(&table);
    }
    return status;
}

const pal_command pal_command_scenes = {
    .usage = {.command = "scenes",
              .summary = "the scenes that come with the program",
              .operands = "",
              .examples = "palpate scenes\npalpate info liver",
              .group = {{"Output", pal_options_talk}}},
    .run = run,
};
