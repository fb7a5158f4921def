#include "app/problem.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/materials.h"
#include "app/style.h"
#include "app/suggest.h"
#include "app/table.h"
#include "scenes/scene.h"
#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "sim/mesh/mesh_io.h"
#include "sim/mesh/select.h"
#include "sim/mesh/surface.h"
#include "sim/mesh/voxelize.h"
#include "sim/model/model_hdf5.h"

const pal_option pal_options_mesh[] = {
    {.name = "--scale",
     .kind = PAL_OPTION_NUMBER,
     .argument = "S",
     .fallback = "1",
     .min = 1e-9,
     .max = 1e9,
     .help = "multiply the coordinates; 0.001 for a mesh in millimetres"},
    {.name = "--voxels",
     .kind = PAL_OPTION_COUNT,
     .argument = "N",
     .min = 2,
     .max = 512,
     .help = "fill a surface with voxels first, N along its longest side"},
    {.name = NULL},
};

const pal_option pal_options_body[] = {
    {.name = "--fix",
     .kind = PAL_OPTION_TEXT,
     .argument = "SEL",
     .repeatable = true,
     .help = "hold these vertices; without it a mesh is free, and a scene is held as it says; "
             "'none' frees a scene"},
    {.name = "--mass",
     .kind = PAL_OPTION_CHOICE,
     .argument = "consistent|lumped",
     .help = "mass matrix (default: as the scene says, else consistent)"},
    {.name = NULL},
};

pal_status pal_problem_unknown_source(const char *source, pal_err *err) {
    const char *dot = strrchr(source, '.');
    if (access(source, F_OK) == 0) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "%s: unknown file type%s%s; known are the meshes .msh .node .ele .hex "
                        ".mesh .vtu .vtk .veg, the surfaces .obj .stl .ply, scenes .yaml and "
                        "models .h5",
                        source, dot != NULL ? " " : "", dot != NULL ? dot : "");
    }
    if (strpbrk(source, "./") != NULL) { // a file, not the name of a scene
        return pal_file_fail(err, source, "open", ENOENT);
    }
    pal_suggestion suggestion = {.word = source};
    for (int i = 0; pal_scene_shipped(i) != NULL; i++) {
        pal_suggest_try(&suggestion, pal_scene_shipped(i));
    }
    return pal_fail(err, PAL_ERR_USAGE, "there is no file or scene '%s'%s (palpate scenes)", source,
                    pal_suggest_text(&suggestion));
}

bool pal_problem_is_scene(const char *source) {
    for (int i = 0; pal_scene_shipped(i) != NULL; i++) {
        if (strcmp(source, pal_scene_shipped(i)) == 0) {
            return true;
        }
    }
    return pal_scene_is_path(source);
}

pal_status pal_problem_not_a_scene(const char *source, pal_err *err) {
    if (access(source, F_OK) != 0) {
        return pal_problem_unknown_source(source, err);
    }
    return pal_fail(err, PAL_ERR_USAGE,
                    "%s is not a scene: give a .yaml file that names this mesh, or a shipped scene "
                    "(palpate scenes)",
                    source);
}

// The scene's body, moved into the problem.
static pal_status open_scene(pal_problem *p, const pal_job *job, pal_err *err) {
    pal_scene scene;
    pal_scene_body body;
    pal_status status = pal_scene_read(p->source, &scene, err);
    if (status != PAL_OK) {
        return status;
    }
    status = pal_scene_build(&scene, job->progress, &body, err);
    if (status == PAL_OK) {
        p->mass_kind = scene.mass_kind;
        p->mesh = body.mesh;
        p->material = body.material;
        p->held = body.held;
        p->names = scene.landmarks;
        scene.landmarks.item = NULL;
        body.mesh = (pal_volmesh){0};
        body.material = NULL;
        body.held = NULL;
        pal_scene_body_free(&body);
    }
    pal_scene_free(&scene);
    return status;
}

static pal_status fill_surface(const char *source, int voxels, const pal_progress *progress,
                               pal_volmesh *mesh, pal_err *err) {
    if (voxels == 0) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "%s is a surface: add --voxels N to fill it (N voxels along its longest "
                        "side, for example --voxels 32)",
                        source);
    }
    pal_surface surface;
    pal_status status = pal_surface_read(source, &surface, err);
    if (status == PAL_OK) {
        status = pal_voxelize(&surface, voxels, PAL_FILL_AUTO, progress, mesh, err);
        pal_surface_free(&surface);
    }
    return status;
}

// Materials as the file gave them, NAN where it gave none; nothing held.
static pal_status start_body(pal_problem *p, pal_err *err) {
    p->material = PAL_NEW(pal_material, p->mesh.region_count, err);
    p->held = PAL_NEW(uint8_t, p->mesh.vertex_count, err);
    if (p->material == NULL || p->held == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t g = 0; g < p->mesh.region_count; g++) {
        const pal_region *region = &p->mesh.regions[g];
        p->material[g] = region->has_material
                             ? region->material
                             : (pal_material){(double)NAN, (double)NAN, (double)NAN};
    }
    return PAL_OK;
}

pal_status pal_problem_check_voxels(const char *source, const pal_args *args, pal_err *err) {
    return pal_args_given(args, "--voxels") && !pal_surface_is_path(source)
               ? pal_fail(err, PAL_ERR_USAGE,
                          "--voxels is for surfaces (.obj .stl .ply), not for %s", source)
               : PAL_OK;
}

pal_status pal_problem_read_mesh(const char *source, int voxels, const pal_progress *progress,
                                 pal_volmesh *mesh, pal_err *err) {
    if (pal_mesh_is_volume_path(source)) {
        return pal_mesh_read(source, mesh, err);
    }
    if (pal_surface_is_path(source)) {
        return fill_surface(source, voxels, progress, mesh, err);
    }
    if (pal_model_is_path(source)) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "%s is a baked model; give the scene or mesh that it was made from",
                        source);
    }
    return pal_problem_unknown_source(source, err);
}

static pal_status open_source(pal_problem *p, const pal_job *job, pal_err *err) {
    pal_status status = pal_problem_check_voxels(p->source, job->args, err);
    if (status == PAL_OK && pal_problem_is_scene(p->source)) {
        return open_scene(p, job, err);
    }
    if (status == PAL_OK) {
        status = pal_problem_read_mesh(p->source, pal_args_count(job->args, "--voxels"),
                                       job->progress, &p->mesh, err);
    }
    return status != PAL_OK ? status : start_body(p, err);
}

pal_status pal_problem_choose_held(const pal_args *args, const pal_volmesh *mesh, uint8_t *held,
                                   pal_err *err) {
    int count = 0;
    const char *const *selectors = pal_args_list(args, "--fix", &count);
    size_t vertices = (size_t)mesh->vertex_count;
    if (count > 0) {
        memset(held, 0, vertices);
    }
    uint8_t *selected = PAL_NEW(uint8_t, vertices, err);
    if (selected == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_status status = PAL_OK;
    for (int i = 0; i < count && status == PAL_OK; i++) {
        int32_t found = 0;
        status = pal_select_vertices(mesh, selectors[i], selected, &found, err);
        if (status == PAL_OK && found == 0 && strcmp(selectors[i], "none") != 0) {
            status = pal_select_nothing(mesh, PAL_ERR_USAGE, err,
                                        "--fix '%.200s' selects no vertex", selectors[i]);
        }
        for (size_t v = 0; v < vertices && status == PAL_OK; v++) {
            held[v] |= selected[v];
        }
    }
    free(selected);
    return status;
}

pal_status pal_problem_open(pal_problem *problem, const pal_job *job, pal_err *err) {
    memset(problem, 0, sizeof *problem);
    problem->source = job->args->operand[0];
    pal_status status = open_source(problem, job, err);
    if (status == PAL_OK) {
        double scale = pal_args_number(job->args, "--scale");
        if (scale != 1.0) {
            pal_volmesh_scale(&problem->mesh, scale);
        }
        status = pal_problem_choose_held(job->args, &problem->mesh, problem->held, err);
    }
    for (int32_t v = 0; status == PAL_OK && v < problem->mesh.vertex_count; v++) {
        problem->held_count += problem->held[v] != 0;
    }
    if (status == PAL_OK) {
        status =
            pal_materials_apply(job->args, &problem->mesh, problem->source, problem->material, err);
    }
    if (status == PAL_OK) {
        int mass = pal_args_choice(job->args, "--mass");
        problem->mass_kind = mass < 0    ? problem->mass_kind
                             : mass == 0 ? PAL_MASS_CONSISTENT
                                         : PAL_MASS_LUMPED;
        pal_progress_report(job->progress, "finite elements", 0.0);
        status = pal_fem_init(&problem->fem, &problem->mesh, problem->material, problem->held,
                              problem->mass_kind, err);
        status = pal_fail_in(err, status, problem->source);
    }
    if (status != PAL_OK) {
        memset(&problem->fem, 0, sizeof problem->fem);
        pal_problem_close(problem);
    }
    return status;
}

void pal_problem_close(pal_problem *problem) {
    pal_fem_free(&problem->fem);
    pal_volmesh_free(&problem->mesh);
    free(problem->material);
    free(problem->held);
    free(problem->names.item);
    memset(problem, 0, sizeof *problem);
}

void pal_problem_print(const pal_problem *problem, FILE *out) {
    const pal_volmesh *mesh = &problem->mesh;
    fprintf(out, "%s%s%s\n", pal_style_bold(out), problem->source, pal_style_plain(out));
    pal_table_fact(out, "vertices", "%s, %s held", pal_say_count(mesh->vertex_count).text,
                   pal_say_count(problem->held_count).text);
    pal_table_fact(out, "elements", "%s %s", pal_say_count(mesh->element_count).text,
                   mesh->kind == PAL_TET4 ? "tets" : "voxels");
    pal_table_fact(out, "mass", "%s (%s mass matrix)", pal_say_mass(problem->fem.total_mass).text,
                   problem->mass_kind == PAL_MASS_LUMPED ? "lumped" : "consistent");
    // One line per material; a body of many regions gets a count instead.
    for (int32_t g = 0; g < mesh->region_count && g < 8; g++) {
        const pal_material *m = &problem->material[g];
        pal_table_fact(out, g == 0 ? "material" : "", "%s: E %s, nu %.4g, density %.4g kg/m^3",
                       mesh->regions[g].name, pal_say_pressure(m->young).text, m->poisson,
                       m->density);
    }
    if (mesh->region_count > 8) {
        pal_table_fact(out, "", "and %d more regions", (int)mesh->region_count - 8);
    }
}

void pal_problem_json(const pal_problem *problem, cJSON *object) {
    pal_json_text(object, "source", problem->source);
    pal_json_number(object, "vertices", problem->mesh.vertex_count);
    pal_json_number(object, "elements", problem->mesh.element_count);
    pal_json_number(object, "held_vertices", problem->held_count);
    pal_json_number(object, "free_dofs", (double)pal_fem_dofs(&problem->fem));
    pal_json_number(object, "mass_kg", problem->fem.total_mass);
}
