// palpate info FILE: what a mesh, surface, scene, model or trace holds.
#include <string.h>

#include "app/info.h"
#include "app/problem.h"
#include "app/style.h"
#include "app/traces.h"
#include "scenes/scene.h"
#include "sim/mesh/mesh_io.h"
#include "sim/mesh/surface.h"
#include "sim/model/model_hdf5.h"

static const pal_option options[] = {
    {.name = "--scale",
     .kind = PAL_OPTION_NUMBER,
     .argument = "S",
     .fallback = "1",
     .min = 1e-9,
     .max = 1e9,
     .help = "multiply the coordinates of a mesh or surface; 0.001 when it is in millimetres"},
    {.name = "--reveal", .help = "say where it is that a scene hides (body.hidden)"},
    PAL_OPTION_LENIENT,
    {.name = NULL},
};

static pal_status run(const pal_job *job, pal_err *err) {
    const char *path = job->args->operand[0];
    if (pal_mesh_is_volume_path(path)) {
        return pal_info_mesh(job, path, err);
    }
    if (pal_surface_is_path(path)) {
        return pal_info_surface(job, path, err);
    }
    if (pal_args_given(job->args, "--scale")) {
        return pal_fail(err, PAL_ERR_USAGE, "--scale is for meshes and surfaces, not for %s", path);
    }
    if (pal_trace_is_path(path)) {
        return pal_info_trace(job, path, err);
    }
    if (pal_model_is_path(path)) {
        return pal_info_model(job, path, err);
    }
    if (pal_problem_is_scene(path)) {
        return pal_info_scene(job, path, err);
    }
    return pal_problem_unknown_source(path, err);
}

const pal_command pal_command_info = {
    .usage = {.command = "info",
              .summary = "what a mesh, surface, scene, model or trace holds",
              .operands = "FILE|SCENE",
              .min_operands = 1,
              .max_operands = 1,
              .about = "Meshes: .msh .node .ele .hex .mesh .vtu .vtk .veg; surfaces: .obj .stl "
                       ".ply; scenes: .yaml or the name of a shipped one; models and traces: .h5.",
              .examples = "palpate info liver\n"
                          "palpate info body.msh --scale 0.001 --json",
              .group = {{"Options", options}, {"Output", pal_options_work}}},
    .run = run,
};
