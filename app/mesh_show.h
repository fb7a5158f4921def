// A mesh or surface file made ready for the stage: a model that only stands still.
#ifndef PAL_APP_MESH_SHOW_H
#define PAL_APP_MESH_SHOW_H

#include "app/command.h"
#include "scenes/point.h"
#include "sim/model/model.h"

typedef struct pal_mesh_show {
    pal_model model;
    pal_up up;
    int32_t held_count; // by --fix
    bool is_surface;    // not filled
    bool marked;        // by --at
    pal_point_found mark;
} pal_mesh_show;

extern const pal_option pal_options_mesh_show[]; // --up, --fix

// Whether an operand is a file for this.
bool pal_mesh_show_is_path(const char *path);

// By --scale, --voxels (a surface without is shown as it is), --up, --fix and --at. On failure
// there is nothing to close.
pal_status pal_mesh_show_open(pal_mesh_show *show, const pal_job *job, const char *path,
                              pal_err *err);
void pal_mesh_show_close(pal_mesh_show *show);

#endif
