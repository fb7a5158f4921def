#include "app/mesh_show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/domain_show.h"
#include "app/problem.h"
#include "sim/base/memory.h"
#include "sim/mesh/mesh_io.h"

const pal_option pal_options_mesh_show[] = {
    {.name = "--fix",
     .kind = PAL_OPTION_TEXT,
     .argument = "SEL",
     .repeatable = true,
     .help = "mark these vertices of a MESH, as modes and static would hold them"},
    {.name = "--up",
     .kind = PAL_OPTION_CHOICE,
     .argument = "z|x|y|-z|-x|-y", // as pal_up counts
     .fallback = "z",
     .help = "which axis of a MESH is up; a scene says it itself"},
    {.name = NULL},
};

bool pal_mesh_show_is_path(const char *path) {
    return pal_mesh_is_volume_path(path) || pal_surface_is_path(path);
}

// A voxel about a surface, which carries it: the stage draws nothing of it.
static pal_status box_about(const pal_surface *surface, pal_volmesh *mesh, pal_err *err) {
    static const double thinnest = 1e-3; // of the longest side
    double low[3], high[3], longest = 0.0;
    pal_surface_box(surface, low, high);
    for (int c = 0; c < 3; c++) {
        longest = fmax(longest, high[c] - low[c]);
    }
    const pal_status status = pal_volmesh_alloc(mesh, PAL_HEX8, 8, 1, 1, err);
    for (int v = 0; status == PAL_OK && v < 8; v++) {
        const int far_off[3] = {v % 4 == 1 || v % 4 == 2, v % 4 > 1, v > 3};
        for (int c = 0; c < 3; c++) {
            mesh->x[3 * v + c] =
                far_off[c] ? high[c] + thinnest * longest : low[c] - thinnest * longest;
        }
        mesh->element[v] = v;
    }
    return status;
}

static pal_status read_file(pal_mesh_show *show, const pal_job *job, const char *path,
                            pal_err *err) {
    const double scale = pal_args_number(job->args, "--scale");
    pal_status status = pal_problem_check_voxels(path, job->args, err);
    show->is_surface = pal_surface_is_path(path) && !pal_args_given(job->args, "--voxels");
    if (status != PAL_OK) {
        return status;
    }
    if (!show->is_surface) {
        status = pal_problem_read_mesh(path, pal_args_count(job->args, "--voxels"), job->progress,
                                       &show->model.mesh, err);
        if (status == PAL_OK) {
            pal_volmesh_scale(&show->model.mesh, scale);
        }
        return status;
    }
    status = pal_surface_read(path, &show->model.surface, err);
    if (status == PAL_OK && show->model.surface.triangle_count == 0) {
        status = pal_fail(err, PAL_ERR_INPUT, "%s: has no triangles", path);
    }
    if (status == PAL_OK) {
        pal_surface_scale(&show->model.surface, scale);
        status = box_about(&show->model.surface, &show->model.mesh, err);
    }
    return status;
}

// --fix: into show->model.held, which is there.
static pal_status mark_held(pal_mesh_show *show, const pal_args *args, pal_err *err) {
    if (show->is_surface && pal_args_given(args, "--fix")) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "--fix holds vertices of a volume: add --voxels N to fill this surface");
    }
    const pal_status status =
        pal_problem_choose_held(args, &show->model.mesh, show->model.held, err);
    for (int32_t v = 0; status == PAL_OK && v < show->model.mesh.vertex_count; v++) {
        show->held_count += show->model.held[v] != 0;
    }
    return status;
}

static pal_status find_mark(pal_mesh_show *show, const pal_args *args, pal_err *err) {
    const char *text = pal_args_text(args, "--at");
    const pal_landmarks names = {.up = show->up};
    const pal_point_ground ground = {.surface = &show->model.surface};
    pal_point point;
    pal_err inner;
    if (text == NULL) {
        return PAL_OK;
    }
    pal_status status = pal_point_parse(text, &names, &point, &inner);
    if (status == PAL_OK) {
        status = pal_point_find(&point, &ground, &show->mark, &inner);
    }
    show->marked = status == PAL_OK;
    return status == PAL_OK ? status : pal_fail(err, PAL_ERR_USAGE, "--at: %.900s", inner.text);
}

pal_status pal_mesh_show_open(pal_mesh_show *show, const pal_job *job, const char *path,
                              pal_err *err) {
    memset(show, 0, sizeof *show);
    show->up = (pal_up)pal_args_choice(job->args, "--up");
    pal_model *model = &show->model;
    pal_status status = read_file(show, job, path, err);
    if (status == PAL_OK) {
        const char *slash = strrchr(path, '/');
        status = pal_show_finish(model, slash != NULL ? slash + 1 : path, err);
    }
    if (status == PAL_OK) {
        status = mark_held(show, job->args, err);
    }
    if (status == PAL_OK) {
        status = find_mark(show, job->args, err);
    }
    if (status != PAL_OK) {
        pal_mesh_show_close(show);
    }
    return status;
}

void pal_mesh_show_close(pal_mesh_show *show) {
    pal_model_free(&show->model);
    memset(show, 0, sizeof *show);
}
