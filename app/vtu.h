// A volume mesh with vector fields on its vertices as VTK XML (.vtu), for ParaView and the like.
#ifndef PAL_APP_VTU_H
#define PAL_APP_VTU_H

#include "sim/mesh/volmesh.h"

typedef struct pal_vtu_field {
    char name[32];
    const double *value; // [vertex_count][3]
} pal_vtu_field;

// Writes ASCII, atomically; the points are the mesh at rest.
pal_status pal_vtu_write(const char *path, const pal_volmesh *mesh, const pal_vtu_field *field,
                         int field_count, pal_err *err);

#endif
