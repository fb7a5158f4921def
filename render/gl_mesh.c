#include "render/gl_mesh.h"

#include <epoxy/gl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "render/facets.h"
#include "render/gl_context.h"
#include "render/stage_shaders.h"
#include "sim/base/memory.h"

// The places at rest as they are given to the shading.
static float *widen(const pal_surface *surface, pal_err *err) {
    float *place = PAL_NEW(float, 4 * (size_t)surface->vertex_count, err);
    for (int64_t i = 0; place != NULL && i < surface->vertex_count; i++) {
        for (int c = 0; c < 3; c++) {
            place[4 * i + c] = (float)surface->x[3 * i + c];
        }
    }
    return place;
}

static void upload(pal_gl_mesh *mesh, const pal_facets *facets, const pal_facet_corner *corner) {
    glGenVertexArrays(1, &mesh->array);
    glBindVertexArray(mesh->array);
    glGenBuffers(1, &mesh->corner);
    glBindBuffer(GL_ARRAY_BUFFER, mesh->corner);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((size_t)facets->count * sizeof *corner), corner,
                 GL_STATIC_DRAW);
    pal_stage_attributes();
    glGenBuffers(1, &mesh->index);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->index);
    mesh->index_count = 3 * facets->triangle_count;
    glBufferData(GL_ELEMENT_ARRAY_BUFFER,
                 (GLsizeiptr)((size_t)mesh->index_count * sizeof *facets->triangle),
                 facets->triangle, GL_STATIC_DRAW);
    glBindVertexArray(0);
}

pal_status pal_gl_mesh_make(const pal_surface *surface, pal_gl_mesh *mesh, pal_err *err) {
    memset(mesh, 0, sizeof *mesh);
    pal_facets facets;
    pal_status status = pal_facets_build(surface, NULL, &facets, err);
    if (status != PAL_OK) {
        return status;
    }
    float *place = widen(surface, err);
    pal_facet_corner *corner = PAL_NEW(pal_facet_corner, facets.count, err);
    if (place == NULL || corner == NULL) {
        status = PAL_ERR_MEMORY;
    } else {
        pal_facets_shade(&facets, place, corner);
        upload(mesh, &facets, corner);
        status = pal_gl_check("setting up a tool", err);
    }
    free(place);
    free(corner);
    pal_facets_free(&facets);
    if (status != PAL_OK) {
        pal_gl_mesh_free(mesh);
    }
    return status;
}

void pal_gl_mesh_free(pal_gl_mesh *mesh) {
    if (mesh->array != 0) {
        glDeleteVertexArrays(1, &mesh->array);
        glDeleteBuffers(1, &mesh->corner);
        glDeleteBuffers(1, &mesh->index);
    }
    memset(mesh, 0, sizeof *mesh);
}

void pal_gl_mesh_draw(const pal_gl_mesh *mesh) {
    glBindVertexArray(mesh->array);
    glDrawElements(GL_TRIANGLES, mesh->index_count, GL_UNSIGNED_INT, NULL);
}
