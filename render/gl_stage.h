// A scene on the graphics card, drawn from snapshots: the body, the tools in the hands, and marks
// for what they feel. Opened once for a model, which is only read; then a picture for each
// snapshot:
//
//     pal_stage_draw(stage, &target, &view, snapshot, &err);   // the picture, into the target
//     pal_overlay_begin(overlay, ...);
//     pal_stage_label(stage, overlay, &layout);                // its scale and colours in words
//     ... whatever else is to be over it ...
//     pal_overlay_end(overlay, &err);
//
// Main thread, the context that it was opened with current.
#ifndef PAL_RENDER_GL_STAGE_H
#define PAL_RENDER_GL_STAGE_H

#include "render/gl_body.h"
#include "render/gl_overlay.h"
#include "render/gl_target.h"
#include "render/layout.h"
#include "render/view.h"

typedef enum pal_look_kind {
    PAL_LOOK_BALL, // shapes of sim/contact/shape.h
    PAL_LOOK_CAPSULE,
    PAL_LOOK_CYLINDER,
    PAL_LOOK_SURFACE,
} pal_look_kind;

typedef struct pal_tool_look { // what a hand holds
    pal_look_kind kind;
    double radius, length, rounding; // m, of the first three
    const pal_surface *surface;      // of the last, in the tool's frame; only needed to open
} pal_tool_look;

typedef struct pal_stage_spec {
    const pal_model *model; // borrowed; NULL: a wall
    const pal_tree_model
        *tree;          // borrowed, where the body is one, with `model` its whole; else NULL
    double wall_height; // m, of the wall
    pal_up up;          // which axis the pictures show upwards
    int32_t tool_count;
    pal_tool_look tool[PAL_SNAPSHOT_HANDS];
    double full_force; // N, whose arrow is as long as arrows get; 0: 3 N
    pal_deform_way way;
} pal_stage_spec;

typedef struct pal_stage pal_stage;

// On failure *stage is NULL.
pal_status pal_stage_open(pal_stage **stage, const pal_gl_context *context,
                          const pal_stage_spec *spec, pal_err *err);
void pal_stage_close(pal_stage *stage); // NULL is allowed

// Draws and resolves: what follows goes over the plain picture.
pal_status pal_stage_draw(pal_stage *stage, const pal_gl_target *target, const pal_view *view,
                          const pal_snapshot *shot, pal_err *err);

// What a layout has to know of the words that go with a view.
void pal_stage_wish(const pal_stage *stage, const pal_view *view, const pal_overlay *overlay,
                    pal_layout_wish *wish);

// The scale bar, what the colours mean and the forces' sizes, of the last picture.
void pal_stage_label(const pal_stage *stage, pal_overlay *overlay, const pal_layout *layout);

// The largest force on a tool in the last picture, as a share of the devices' largest.
double pal_stage_force_share(const pal_stage *stage);

// Fits a view to body and tools as a snapshot has them, the stage's way up, beside the panels of a
// layout (NULL: none) of the same picture; a zoom above 1 goes towards the first tool.
pal_status pal_stage_fit(pal_stage *stage, pal_view *view, int32_t width, int32_t height,
                         const pal_layout *layout, const pal_snapshot *shot, double zoom,
                         pal_err *err);

typedef struct pal_stage_facts {
    pal_deform_way way; // GPU or CPU: how the body is deformed
    pal_camera camera;  // of the last picture
    double most;        // that the last colour stood for, m or J/m^3
    double largest;     // number that was coloured, likewise
    uint64_t updates;   // times that the body was deformed
    double metre;       // pixels, at the middle of what is looked at
    int32_t points, corners;
} pal_stage_facts;
pal_stage_facts pal_stage_tell(const pal_stage *stage);

// Where the points of the model's surface are in the last picture, x [vertex_count][3], m: for what
// is under the cursor. Nothing for a wall.
void pal_stage_places(pal_stage *stage, double *x);

#endif
