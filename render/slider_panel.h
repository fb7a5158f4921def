// Sliders over the picture, at its right edge: numbers of a region's material and of the whole
// body, moved by the mouse. The panel knows where its parts are and what the mouse does to them;
// what the numbers do is the caller's. Points as in gl_overlay.h. Stepping is pure; drawing: main
// thread.
#ifndef PAL_RENDER_SLIDER_PANEL_H
#define PAL_RENDER_SLIDER_PANEL_H

#include "render/camera.h"
#include "render/gl_overlay.h"
#include "render/layout.h"

enum { PAL_SLIDERS = 5, PAL_SLIDERS_OF_REGION = 3 }; // the first are the region's

typedef struct pal_slider_item {
    const char *name;
    char text[32]; // the value in words, with its unit
    double value, least, most;
    bool logarithmic;
} pal_slider_item;

typedef struct pal_slider_look { // what the panel shows
    const char *region;
    int32_t number, regions; // which one, from 0, and of how many
    pal_slider_item item[PAL_SLIDERS];
} pal_slider_look;

typedef enum pal_slider_event {
    PAL_SLIDER_NOTHING,
    PAL_SLIDER_MOVED,
    PAL_SLIDER_NEXT, // region
    PAL_SLIDER_RESTORE,
    PAL_SLIDER_SAVE,
} pal_slider_event;

typedef struct pal_slider_panel {
    bool down;        // the button was, a step before
    bool mine;        // it went down on the panel, which has the mouse until it is up
    int32_t dragging; // slider; -1: none
} pal_slider_panel;

void pal_slider_panel_init(pal_slider_panel *panel);

// The track of a slider in a panel at this place (PAL_PANEL_SLIDERS of a layout, points); all parts
// have the panel's scale.
pal_frame pal_slider_track(const pal_frame *frame, int32_t slider);

// The cursor (points) and the left button of this picture. Of MOVED: *which slider and its *value.
pal_slider_event pal_slider_panel_step(pal_slider_panel *panel, const pal_slider_look *look,
                                       const pal_frame *frame, double x, double y, bool down,
                                       int32_t *which, double *value);

// Where a value is along its track, 0 to 1, and the value at a place.
double pal_slider_share(const pal_slider_item *item);
double pal_slider_value(const pal_slider_item *item, double share);

void pal_slider_panel_draw(const pal_slider_panel *panel, const pal_slider_look *look,
                           const pal_frame *frame, pal_overlay *overlay);

#endif
