// palpate new MESH: a scene to begin with, for a mesh of the user's own.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/command.h"
#include "app/json.h"
#include "app/materials.h"
#include "app/output.h"
#include "app/problem.h"
#include "app/progress_bar.h"
#include "app/style.h"
#include "app/table.h"
#include "scenes/new_scene.h"
#include "scenes/scene.h"
#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "sim/mesh/mesh_io.h"
#include "sim/model/model_hdf5.h"

static const pal_option options[] = {
    {.name = "--output",
     .letter = 'o',
     .kind = PAL_OPTION_TEXT,
     .argument = "FILE.yaml",
     .help = "the scene (default: the mesh's name with .yaml, in this folder); -: standard output"},
    {.name = "--force", .help = "write over a file that is there"},
    {.name = "--unit",
     .kind = PAL_OPTION_CHOICE,
     .argument = "m|dm|cm|mm|um|nm|km|in",
     .help = "of the coordinates (default: the one in which the body is of a size to be pressed)"},
    {.name = "--up",
     .kind = PAL_OPTION_CHOICE,
     .argument = "x|y|z|-x|-y|-z",
     .help = "where the probe comes from; the other end is held (default: by the body's shape)"},
    {.name = "--fix",
     .kind = PAL_OPTION_TEXT,
     .argument = "SEL",
     .help = "hold these vertices (default: the lower end)"},
    {.name = "--material",
     .kind = PAL_OPTION_TEXT,
     .argument = "PRESET",
     .help = "of all of the body (default: liver, or harder where that would not be felt)"},
    {.name = NULL},
};

static const char *choice(const pal_args *args, const char *name, const char *const *words) {
    const int index = pal_args_choice(args, name);
    return index >= 0 ? words[index] : NULL;
}

static pal_status read_wish(const pal_args *args, pal_new_wish *wish, pal_err *err) {
    static const char *const units[] = {"m", "dm", "cm", "mm", "um", "nm", "km", "in"};
    static const char *const ups[] = {"x", "y", "z", "-x", "-y", "-z"};
    pal_material material;
    *wish = (pal_new_wish){.unit = choice(args, "--unit", units),
                           .up = choice(args, "--up", ups),
                           .fixed = pal_args_text(args, "--fix"),
                           .material = pal_args_text(args, "--material")};
    return wish->material != NULL ? pal_materials_find(wish->material, &material, err) : PAL_OK;
}

static pal_status check_source(const char *path, pal_err *err) {
    if (pal_mesh_is_volume_path(path) || pal_surface_is_path(path)) {
        return PAL_OK;
    }
    if (pal_problem_is_scene(path)) {
        return pal_fail(err, PAL_ERR_USAGE, "%s is a scene already: palpate run %s", path, path);
    }
    if (pal_model_is_path(path)) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "%s is a baked model or a trace; give the mesh that it was made from",
                        path);
    }
    return pal_problem_unknown_source(path, err);
}

// Where the scene goes: *path on the heap.
static pal_status choose_output(const pal_job *job, char **path, pal_err *err) {
    const char *given = pal_args_text(job->args, "--output"), *mesh = job->args->operand[0];
    const char *slash = strrchr(mesh, '/'), *name = slash != NULL ? slash + 1 : mesh;
    const size_t stem = (size_t)(strrchr(name, '.') - name);
    *path = NULL;
    if (given != NULL && strcmp(given, "-") != 0) {
        pal_status status = pal_output_check(job->args, "--output", ".yaml", err);
        if (status != PAL_OK) {
            return status;
        }
    }
    char *made =
        given != NULL ? pal_copy_text(given, err) : PAL_NEW(char, stem + sizeof ".yaml", err);
    if (made == NULL) {
        return PAL_ERR_MEMORY;
    }
    if (given == NULL) {
        memcpy(made, name, stem);
        memcpy(made + stem, ".yaml", sizeof ".yaml");
    }
    if (strcmp(made, "-") != 0 && access(made, F_OK) == 0 && !pal_args_flag(job->args, "--force")) {
        pal_fail(err, PAL_ERR_USAGE,
                 "%s is there already; choose another name with -o, or write over it with --force",
                 made);
        free(made);
        return PAL_ERR_USAGE;
    }
    *path = made;
    return PAL_OK;
}

// ---- what was decided

static void print_words(const pal_new_scene *made, const char *path) {
    char size[32];
    pal_unit_say(made->size, size);
    printf("%s%s%s - a scene for %s\n", pal_style_bold(stdout), path, pal_style_plain(stdout),
           made->file);
    pal_table_fact(stdout, "unit", "%s: %s", made->unit->name, made->unit_reason);
    pal_table_fact(stdout, "up", "%s: %s", pal_up_name(made->up), made->up_reason);
    if (made->voxels > 0) {
        pal_table_fact(stdout, "filled", "%d voxels along the longest side, %s in all",
                       (int)made->voxels, pal_say_count(made->mesh.element_count).text);
    }
    pal_table_fact(stdout, "held", "%s: %s of %s vertices; %s", made->fixed,
                   pal_say_count(made->held_count).text,
                   pal_say_count(made->mesh.vertex_count).text, made->fixed_reason);
    pal_table_fact(stdout, "material", "%s; %s", made->material, made->material_reason);
    pal_table_fact(stdout, "pressed",
                   "at %.4g, %.4g, %.4g m by a ball of %.3g mm, %.3g mm deep: "
                   "about %.2g N",
                   made->spot[0], made->spot[1], made->spot[2], 1e3 * made->radius,
                   1e3 * made->depth, made->force);
    pal_table_fact(stdout, "basis", "%d modes, %d shapes; baking takes about %s", (int)made->modes,
                   (int)made->basis_size, pal_say_time(ceil(made->bake_seconds)).text);
    char next[600];
    snprintf(next, sizeof next, "palpate run %s\npalpate picture %s\npalpate feel %s", path, path,
             path);
    printf("\n");
    pal_style_commands(stdout, next);
}

static pal_status print_json(const pal_new_scene *made, const char *path, const char *text,
                             pal_err *err) {
    cJSON *root = pal_json_object();
    pal_json_text(root, "scene", path);
    pal_json_text(root, "mesh", made->file);
    pal_json_text(root, "unit", made->unit->name);
    pal_json_number(root, "scale", made->unit->metres);
    pal_json_text(root, "unit_reason", made->unit_reason);
    pal_json_numbers(root, "box_min_m", made->low, 3);
    pal_json_numbers(root, "box_max_m", made->high, 3);
    pal_json_text(root, "up", pal_up_name(made->up));
    pal_json_text(root, "up_reason", made->up_reason);
    pal_json_number(root, "voxels", made->voxels);
    pal_json_number(root, "vertices", made->mesh.vertex_count);
    pal_json_number(root, "elements", made->mesh.element_count);
    pal_json_text(root, "fixed", made->fixed);
    pal_json_text(root, "fixed_reason", made->fixed_reason);
    pal_json_number(root, "held_vertices", made->held_count);
    pal_json_text(root, "material", made->material);
    pal_json_text(root, "material_reason", made->material_reason);
    pal_json_numbers(root, "spot_m", made->spot, 3);
    pal_json_number(root, "thickness_m", made->thickness);
    pal_json_number(root, "radius_m", made->radius);
    pal_json_number(root, "depth_m", made->depth);
    pal_json_number(root, "force_n", made->force);
    pal_json_number(root, "modes", made->modes);
    pal_json_number(root, "basis_size", made->basis_size);
    pal_json_number(root, "bake_s", made->bake_seconds);
    if (strcmp(path, "-") == 0) {
        pal_json_text(root, "text", text);
    }
    return pal_json_print(root, err);
}

static pal_status answer(const pal_job *job, const pal_new_scene *made, const char *path,
                         pal_err *err) {
    const bool to_stdout = strcmp(path, "-") == 0;
    char *text;
    pal_status status = pal_new_scene_text(made, path, &text, err);
    if (status == PAL_OK && !to_stdout) {
        status = pal_file_write_atomic(path, text, strlen(text), err);
    }
    pal_bar_end(status);
    if (status == PAL_OK && job->json) {
        status = print_json(made, path, text, err);
    } else if (status == PAL_OK && to_stdout) {
        fputs(text, stdout);
    } else if (status == PAL_OK) {
        print_words(made, path);
    }
    free(text);
    return status;
}

static pal_status run(const pal_job *job, pal_err *err) {
    const char *mesh = job->args->operand[0];
    pal_new_wish wish;
    pal_new_scene made;
    char *path = NULL;
    pal_status status = check_source(mesh, err);
    if (status == PAL_OK) {
        status = read_wish(job->args, &wish, err);
    }
    if (status == PAL_OK) {
        status = choose_output(job, &path, err);
    }
    if (status == PAL_OK) {
        status = pal_new_scene_make(mesh, &wish, job->progress, &made, err);
    }
    if (status == PAL_OK) {
        status = answer(job, &made, path, err);
        pal_new_scene_free(&made);
    }
    free(path);
    return status;
}

const pal_command pal_command_new = {
    .usage = {.command = "new",
              .summary = "a scene to begin with, for a mesh of your own",
              .operands = "MESH",
              .min_operands = 1,
              .max_operands = 1,
              .about =
                  "MESH is a volume mesh (.msh .node .ele .hex .mesh .vtu .vtk .veg), or a closed "
                  "surface (.obj .stl .ply), which is filled with voxels. What it does not tell is "
                  "guessed - unit, which way is up, what is held, where and how deep to press, "
                  "material, basis - and said with its reason in the scene's comments. The "
                  "scene runs as it is; change in it what you know better.",
              .examples = "palpate new body.msh\n"
                          "palpate new body.stl --unit mm --up y -o body.yaml\n"
                          "palpate new body.vtu --fix 'z<min+5%' --material kidney --force\n"
                          "palpate new body.veg -o -",
              .group = {{"Options", options}, {"Output", pal_options_work}}},
    .run = run,
};
