// Rigid things that are drawn: a surface in graphics memory, shaded smoothly but for sharp edges.
// Main thread, a context current.
#ifndef PAL_RENDER_GL_MESH_H
#define PAL_RENDER_GL_MESH_H

#include "sim/mesh/surface.h"

typedef struct pal_gl_mesh {
    unsigned array, corner, index; // of OpenGL; attributes as in stage_shaders.h
    int32_t index_count;           // 0: empty
} pal_gl_mesh;

// On failure *mesh is empty.
pal_status pal_gl_mesh_make(const pal_surface *surface, pal_gl_mesh *mesh, pal_err *err);
void pal_gl_mesh_free(pal_gl_mesh *mesh);
void pal_gl_mesh_draw(const pal_gl_mesh *mesh); // with the program that is in use

#endif
