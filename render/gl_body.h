// The body in graphics memory, deformed there or on the CPU:
//
//     pass 1, for each point of the surface: x = rest + U q + dent      [BJ05 6.4]
//     pass 2, for each corner of facets.h:   its place and its normal
//
// On the GPU both are vertex shaders whose results are captured, with U in a buffer texture of half
// floats (each column by its largest number, so that none is too small for them); on the CPU they
// are deform.h and facets.h. Either way the corners end up in one buffer, and only when what they
// come from has changed. Main thread, a context current.
#ifndef PAL_RENDER_GL_BODY_H
#define PAL_RENDER_GL_BODY_H

#include "render/deform_tree.h"
#include "render/facets.h"
#include "render/stage_shaders.h"
#include "render/strain.h"

typedef enum pal_deform_way {
    PAL_DEFORM_AUTO, // on the GPU, when that is hardware and has the room
    PAL_DEFORM_GPU,
    PAL_DEFORM_CPU,
} pal_deform_way;

typedef struct pal_gl_body {
    pal_deform_tree tree; // of a tree of domains, on the CPU; else empty, and the next is not
    pal_deform deform;
    pal_facets facets;
    pal_strain strain;
    pal_deform_way way; // GPU or CPU: what it is
    float scale[PAL_SNAPSHOT_R];

    // In graphics memory
    unsigned array, corner, kept, index; // what is drawn: [facets.count], and its triangles
    unsigned deform_array, rest, extra;  // pass 1
    unsigned facet_array, facet;         // pass 2
    unsigned place, pairs, basis;        // buffers behind textures
    unsigned texture[3];                 // of place, pairs, basis
    unsigned wire_array, wire;           // edges of its triangles
    int32_t wire_count;
    unsigned cage_array, cage_place, cage; // edges of the volume mesh on its surface
    int32_t cage_count;
    bool has_cage; // once it was looked at

    // What is in it now
    bool filled;
    pal_deform_tone tone;
    int32_t dent_count;
    float q[PAL_SNAPSHOT_R];
    uint64_t updates; // times that the corners were made anew
    double most;      // of the tone: m, or J/m^3
    pal_deform_extent extent;
    float *place_cpu; // [blocks][4]
    pal_facet_corner *corner_cpu;
    pal_snapshot last; // its dents and softness
} pal_gl_body;

// tree: NULL, or what `model` is the whole of: it is deformed on the CPU. way: PAL_DEFORM_GPU is an
// error when the driver has no room for it, or for a tree. On failure *body is empty.
pal_status pal_gl_body_open(pal_gl_body *body, const pal_model *model, const pal_tree_model *tree,
                            pal_deform_way way, bool software, pal_err *err);
static inline int32_t pal_gl_body_points(const pal_gl_body *body) {
    return body->tree.model != NULL ? body->tree.point_count : body->deform.point_count;
}
void pal_gl_body_close(pal_gl_body *body);

// Brings the corners to a snapshot, by displacement or by strain energy (of a tree always the
// former).
void pal_gl_body_update(pal_gl_body *body, const pal_stage_shaders *shaders,
                        const pal_snapshot *shot, pal_deform_tone tone);

// The places of all points [point_count][4], by the CPU whatever the way, of the last update.
const float *pal_gl_body_places(pal_gl_body *body);

void pal_gl_body_draw(const pal_gl_body *body);      // its triangles
void pal_gl_body_draw_wire(const pal_gl_body *body); // their edges
void pal_gl_body_draw_cage(pal_gl_body *body);       // edges of the volume mesh, as it is now

#endif
