// Pictures of a scene without a display: an offscreen context with a stage, lettering and a target.
// Main thread.
#ifndef PAL_RENDER_STUDIO_H
#define PAL_RENDER_STUDIO_H

#include "render/gl_stage.h"

typedef struct pal_studio {
    pal_gl_context context;
    pal_gl_target target;
    pal_overlay *overlay;
    pal_stage *stage;
} pal_studio;

typedef struct pal_studio_words { // over the picture, in its upper left corner; NULL: none
    const char *title, *caption;
} pal_studio_words;

// On failure nothing is left.
pal_status pal_studio_open(pal_studio *studio, const pal_stage_spec *spec, int32_t width,
                           int32_t height, pal_err *err);
void pal_studio_close(pal_studio *studio);

// One picture into the target. view->scale 0: by the size of the picture.
pal_status pal_studio_draw(pal_studio *studio, const pal_view *view, const pal_snapshot *shot,
                           const pal_studio_words *words, pal_err *err);

// The same, read back; the caller frees the image.
pal_status pal_studio_take(pal_studio *studio, const pal_view *view, const pal_snapshot *shot,
                           const pal_studio_words *words, pal_image *image, pal_err *err);

// Fits a view to what a snapshot shows, for the studio's size.
pal_status pal_studio_fit(pal_studio *studio, pal_view *view, const pal_snapshot *shot, double zoom,
                          pal_err *err);

#endif
