// Sketching by hand: a window with the linear model, at which a person pulls with the mouse. The
// forces are kept while it is pulled, thinned out, or at the press of a key.
#ifndef PAL_APP_SKETCH_WINDOW_H
#define PAL_APP_SKETCH_WINDOW_H

#include "scenes/scene.h"
#include "sim/model/sketch.h"

typedef struct pal_sketch_desk {
    const pal_scene *scene;
    const pal_scene_body *body;
    pal_sketch *sketch; // opened
    double separation;  // N; NAN: by how soft the body is where it is pulled
    pal_status (*save)(void *context, pal_err *err); // writes what is kept
    void *context;
    const char *file; // that it goes to

    // What came of it
    int32_t frames;
    double largest_force, largest_move; // N, m
    bool unsaved;                       // something was kept since the last save
} pal_sketch_desk;

// Until the window is closed. Errors: no window, or the display was lost; what was kept stays in
// the sketch. Main thread.
pal_status pal_sketch_window(pal_sketch_desk *desk, pal_err *err);

#endif
