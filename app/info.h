// The parts of `palpate info`, one per kind of file. Each reads `path` and prints facts or JSON.
#ifndef PAL_APP_INFO_H
#define PAL_APP_INFO_H

#include "app/command.h"
#include "app/json.h"
#include "sim/mesh/volmesh.h"

pal_status pal_info_mesh(const pal_job *job, const char *path, pal_err *err);
pal_status pal_info_surface(const pal_job *job, const char *path, pal_err *err);
pal_status pal_info_scene(const pal_job *job, const char *path, pal_err *err);
pal_status pal_info_model(const pal_job *job, const char *path, pal_err *err);
pal_status pal_info_trace(const pal_job *job, const char *path, pal_err *err);

// Facts of a mesh, for the files that hold one. `scale` was applied to its coordinates; 0: by a
// scene, which says it.
pal_status pal_info_print_mesh(const pal_volmesh *mesh, double scale, pal_err *err);
pal_status pal_info_json_mesh(const pal_volmesh *mesh, double scale, cJSON *object, pal_err *err);

#endif
