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

// Facts of a mesh, for the files that hold one.
pal_status pal_info_print_mesh(const pal_volmesh *mesh, pal_err *err);
pal_status pal_info_json_mesh(const pal_volmesh *mesh, cJSON *object, pal_err *err);

// A bounding box in words, and a hint when no body that one could touch has that size.
void pal_info_print_box(const double box_min[3], const double box_max[3]);
void pal_info_json_box(cJSON *object, const double box_min[3], const double box_max[3]);

#endif
