// Scenes and models.
#include <sys/stat.h>

#include "app/info.h"
#include "app/model_facts.h"
#include "app/progress_bar.h"
#include "app/style.h"
#include "app/table.h"
#include "app/tree_facts.h"
#include "scenes/scene.h"
#include "sim/model/model_hdf5.h"
#include "sim/model/tree_hdf5.h"

enum { MODES_SHOWN = 10 };

static const char *basis_words(pal_basis_kind kind) {
    switch (kind) {
    case PAL_BASIS_DERIVATIVES:
        return "linear modes and their modal derivatives";
    case PAL_BASIS_MODES:
        return "linear modes";
    case PAL_BASIS_LOADS:
        return "shapes under loads";
    case PAL_BASIS_BOUNDARY:
        return "boundary modes, their derivatives and linear modes";
    }
    return "unknown";
}

// A scene to train with does not give away where it hides what: unless it is asked.
static void print_hidden(const pal_hidden *hidden, bool reveal) {
    if (hidden->name[0] == '\0') {
        return;
    }
    pal_table_fact(stdout, "hidden", "%s, %s across, seed %llu%s", hidden->name,
                   pal_say_length(2.0 * hidden->radius).text, (unsigned long long)hidden->seed,
                   reveal ? "" : " (--reveal says where)");
    if (reveal) {
        pal_table_fact(stdout, "its centre", "(%.4g, %.4g, %.4g) m", hidden->place[0],
                       hidden->place[1], hidden->place[2]);
    }
}

static void json_hidden(const pal_hidden *hidden, bool reveal, cJSON *root) {
    if (hidden->name[0] == '\0') {
        return;
    }
    cJSON *item = pal_json_object();
    pal_json_text(item, "name", hidden->name);
    pal_json_number(item, "diameter_m", 2.0 * hidden->radius);
    pal_json_number(item, "seed", (double)hidden->seed);
    pal_json_numbers(item, "box_min_m", hidden->low, 3);
    pal_json_numbers(item, "box_max_m", hidden->high, 3);
    if (reveal) {
        pal_json_numbers(item, "centre_m", hidden->place, 3);
    }
    pal_json_add(root, "hidden", item);
}

static pal_status print_scene(const pal_scene *scene, const pal_scene_body *body, const char *key,
                              bool reveal, pal_err *err) {
    printf("%s%s%s - a scene\n", pal_style_bold(stdout), scene->name, pal_style_plain(stdout));
    pal_table_fact(stdout, "about", "%s", scene->about);
    pal_table_fact(stdout, "file", "%s", scene->path);
    pal_table_fact(stdout, "basis", "%d vectors from %s", (int)scene->basis.size,
                   basis_words(scene->basis.kind));
    pal_table_fact(stdout, "damping", "alpha %.4g 1/s, beta %.4g s", scene->damping_alpha,
                   scene->damping_beta);
    pal_table_fact(stdout, "surface", "%s triangles",
                   pal_say_count(body->surface.triangle_count).text);
    pal_table_fact(stdout, "cache key", "%s", key);
    print_hidden(&scene->hidden, reveal);
    return pal_info_print_mesh(&body->mesh, 0.0, err);
}

static pal_status json_scene(const pal_scene *scene, const pal_scene_body *body, const char *key,
                             bool reveal, pal_err *err) {
    cJSON *root = pal_json_object();
    pal_json_text(root, "kind", "scene");
    pal_json_text(root, "name", scene->name);
    pal_json_text(root, "file", scene->path);
    pal_json_text(root, "about", scene->about);
    pal_json_text(root, "key", key);
    pal_json_number(root, "basis_size", scene->basis.size);
    pal_json_text(root, "basis", basis_words(scene->basis.kind));
    pal_json_number(root, "damping_alpha_per_s", scene->damping_alpha);
    pal_json_number(root, "damping_beta_s", scene->damping_beta);
    pal_json_number(root, "surface_triangles", body->surface.triangle_count);
    json_hidden(&scene->hidden, reveal, root);
    pal_status status = pal_info_json_mesh(&body->mesh, 0.0, root, err);
    if (status != PAL_OK) {
        cJSON_Delete(root);
        return status;
    }
    return pal_json_print(root, err);
}

// A scene's mesh shows the materials that the scene gives it.
static void show_materials(pal_scene_body *body) {
    for (int32_t g = 0; g < body->mesh.region_count; g++) {
        body->mesh.regions[g].has_material = true;
        body->mesh.regions[g].material = body->material[g];
    }
}

// A scene with a body of domains: its classes, without a bake.
static pal_status info_tree_scene(const pal_job *job, const pal_scene *scene, const char *key,
                                  pal_err *err) {
    pal_scene_tree tree;
    pal_tree_facts facts;
    pal_status status = pal_scene_tree_build(scene, job->progress, &tree, err);
    pal_bar_end(status);
    if (status != PAL_OK) {
        return status;
    }
    status = pal_tree_facts_of_scene(scene, &tree, &facts, err);
    if (status == PAL_OK && job->json) {
        cJSON *root = pal_json_object();
        pal_json_text(root, "kind", "scene");
        pal_json_text(root, "name", scene->name);
        pal_json_text(root, "file", scene->path);
        pal_json_text(root, "about", scene->about);
        pal_json_text(root, "key", key);
        pal_tree_facts_json(&facts, root);
        status = pal_json_print(root, err);
    } else if (status == PAL_OK) {
        printf("%s%s%s - a scene\n", pal_style_bold(stdout), scene->name, pal_style_plain(stdout));
        pal_table_fact(stdout, "about", "%s", scene->about);
        pal_table_fact(stdout, "file", "%s", scene->path);
        pal_table_fact(stdout, "cache key", "%s", key);
        pal_tree_facts_print(&facts, stdout);
    }
    pal_tree_facts_free(&facts);
    pal_scene_tree_free(&tree);
    return status;
}

static pal_status info_tree_model(const pal_job *job, const char *path, pal_err *err) {
    pal_tree_model model;
    pal_tree_facts facts = {0};
    pal_status status = pal_tree_model_read(path, &model, err);
    if (status != PAL_OK) {
        return status;
    }
    status = pal_tree_facts_of_model(&model, NULL, &facts, err);
    if (status == PAL_OK && job->json) {
        cJSON *root = pal_json_object();
        pal_json_text(root, "kind", "tree");
        pal_json_text(root, "file", path);
        pal_json_text(root, "name", model.name);
        pal_tree_facts_json(&facts, root);
        status = pal_json_print(root, err);
    } else if (status == PAL_OK) {
        printf("%s%s%s - the tree '%s'\n", pal_style_bold(stdout), path, pal_style_plain(stdout),
               model.name);
        pal_tree_facts_print(&facts, stdout);
    }
    pal_tree_facts_free(&facts);
    pal_tree_model_free(&model);
    return status;
}

pal_status pal_info_scene(const pal_job *job, const char *path, pal_err *err) {
    pal_scene scene;
    pal_scene_body body;
    char key[PAL_HASH_TEXT];
    pal_status status = pal_scene_read(path, &scene, err);
    if (status != PAL_OK) {
        return status;
    }
    status = pal_scene_key(&scene, key, err);
    if (status == PAL_OK && scene.has_domains) {
        status = info_tree_scene(job, &scene, key, err);
        pal_scene_free(&scene);
        return status;
    }
    if (status == PAL_OK) {
        status = pal_scene_build(&scene, job->progress, &body, err);
    }
    pal_bar_end(status);
    if (status == PAL_OK) {
        show_materials(&body);
        const bool reveal = pal_args_flag(job->args, "--reveal");
        status = job->json ? json_scene(&scene, &body, key, reveal, err)
                           : print_scene(&scene, &body, key, reveal, err);
        pal_scene_body_free(&body);
    }
    pal_scene_free(&scene);
    return status;
}

pal_status pal_info_model(const pal_job *job, const char *path, pal_err *err) {
    if (pal_tree_model_is_file(path)) {
        return info_tree_model(job, path, err);
    }
    pal_model model;
    pal_status status = pal_model_read(path, &model, err);
    if (status != PAL_OK) {
        return status;
    }
    struct stat file = {0};
    double size = stat(path, &file) == 0 ? (double)file.st_size : 0.0;
    if (job->json) {
        cJSON *root = pal_json_object();
        pal_json_text(root, "kind", "model");
        pal_json_text(root, "file", path);
        pal_json_number(root, "file_bytes", size);
        pal_model_facts_json(&model, root);
        status = pal_json_print(root, err);
    } else {
        printf("%s%s%s - the model '%s', %s\n", pal_style_bold(stdout), path,
               pal_style_plain(stdout), model.name, pal_say_bytes(size).text);
        pal_model_facts_print(&model, stdout);
        putchar('\n');
        pal_model_facts_modes(&model, MODES_SHOWN, stdout);
    }
    pal_model_free(&model);
    return status;
}
