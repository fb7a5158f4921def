// The tool of a scene, made real: its shape, and the distance field of a mesh, which is kept in the
// cache beside the models.
#ifndef PAL_SCENES_TOOL_BUILD_H
#define PAL_SCENES_TOOL_BUILD_H

#include "scenes/scene.h"
#include "sim/contact/distfield_build.h"
#include "sim/contact/shape.h"

typedef struct pal_tool_shape {
    pal_shape shape;     // refers to `field`: do not move
    pal_distfield field; // empty for the analytic shapes
    pal_surface surface; // what the field was made from, for drawing; empty likewise
    double width;        // m, half of it, across the shaft
    bool cached;         // the field came from the cache
    char note[512];      // what went wrong though the tool was made (the cache), or ""
} pal_tool_shape;

// A mesh stays in its own coordinates (origin: the tip; the shaft along +z). A drawn shape is put
// with its foremost point (the largest x as drawn) at the origin and its length along +z. `margin`:
// how far beyond the tool the field is sampled (m). A mesh that is open, or not manifold, is an
// error. On failure *tool is empty.
pal_status pal_tool_shape_make(const pal_tool_spec *spec, double margin,
                               const pal_progress *progress, pal_tool_shape *tool, pal_err *err);
void pal_tool_shape_free(pal_tool_shape *tool);

// The tool of a scene's hand against the body that it shall touch (NULL: none); errors at the lines
// of the scene. A tool that is wider than the body is an error.
pal_status pal_scene_tool_make(const pal_scene *scene, int32_t hand, const pal_surface *body,
                               double margin, const pal_progress *progress, pal_tool_shape *tool,
                               pal_err *err);

#endif
