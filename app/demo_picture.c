#include "app/demo_picture.h"

#include <stdio.h>
#include <string.h>

#include "app/shown.h"
#include "sim/base/vec3.h"

enum { WIDTH = 1800, HEIGHT = 860, LEFT = 1060, GAP = 10 }; // pixels; of the left picture
static const double near_zoom = 4.2, near_elevation = 26.0;

static void paste(const pal_image *from, int32_t x, pal_image *to) {
    for (int32_t y = 0; y < from->height; y++) {
        memcpy(to->rgb + 3 * ((size_t)y * (size_t)to->width + (size_t)x),
               from->rgb + 3 * (size_t)y * (size_t)from->width, 3 * (size_t)from->width);
    }
}

// One of the two pictures, from x on.
static pal_status draw_half(pal_studio *studio, const pal_snapshot *shot, pal_view *view,
                            double zoom, const pal_studio_words *words, int32_t x, int32_t width,
                            pal_image *whole, pal_err *err) {
    pal_image half = {0};
    pal_status status = pal_gl_target_size(&studio->target, &studio->context, width, HEIGHT, err);
    if (status == PAL_OK) {
        status = pal_studio_fit(studio, view, shot, zoom, err);
    }
    for (int c = 0; zoom > 1.0 && c < 3; c++) { // the tool in the middle
        view->centre[c] = shot->hand[0].tool.x[c];
    }
    if (status == PAL_OK) {
        status = pal_studio_take(studio, view, shot, words, &half, err);
    }
    if (status == PAL_OK) {
        paste(&half, x, whole);
    }
    pal_image_free(&half);
    return status;
}

static pal_status draw(const pal_session *session, const pal_snapshot *shot, pal_image *whole,
                       pal_err *err) {
    pal_stage_spec spec;
    pal_studio studio;
    pal_view view;
    char caption[200];
    snprintf(caption, sizeof caption, "%.2f s into the run, %.2f N, as it is, not exaggerated",
             shot->time, pal_norm3(shot->hand[0].force));
    const pal_studio_words words = {"The hardest press", caption},
                           near = {"Under the tool", "coloured by strain energy"};
    pal_shown_spec(session, &spec);
    pal_view_defaults(&view);
    view.scale = 1.0;
    pal_status status = pal_studio_open(&studio, &spec, LEFT, HEIGHT, err);
    if (status != PAL_OK) {
        return status;
    }
    status = draw_half(&studio, shot, &view, 1.0, &words, 0, LEFT, whole, err);
    view.elevation = near_elevation;
    view.wireframe = true;
    view.handles = false;
    view.colouring = PAL_BY_ENERGY;
    if (status == PAL_OK) {
        status = draw_half(&studio, shot, &view, near_zoom, &near, LEFT + GAP, WIDTH - LEFT - GAP,
                           whole, err);
    }
    pal_studio_close(&studio);
    return status;
}

static pal_status write(const pal_session *session, const pal_snapshot *shot, const char *path,
                        pal_err *err) {
    pal_image image;
    pal_status status = pal_image_alloc(&image, WIDTH, HEIGHT, (pal_rgb){255, 255, 255}, err);
    if (status == PAL_OK) {
        status = draw(session, shot, &image, err);
    }
    if (status == PAL_OK) {
        status = pal_image_write_png(path, &image, err);
    }
    pal_image_free(&image);
    return status;
}

pal_status pal_demo_picture(pal_session *session, const pal_trace_data *trace, const char *path,
                            pal_err *err) {
    const uint64_t tick = (uint64_t)(pal_shown_hardest(trace) / session->options.dt + 0.5);
    bool fresh;
    pal_status status = pal_session_return(session, trace, tick, err);
    return status == PAL_OK
               ? write(session, pal_exchange_latest(&session->servo->exchange, &fresh), path, err)
               : status;
}

pal_status pal_demo_picture_of_trace(const char *trace, const char *path, pal_err *err) {
    pal_shown shown;
    pal_status status = pal_shown_open(&shown, trace, NULL, err);
    if (status != PAL_OK) {
        return status;
    }
    status = pal_shown_go(&shown, pal_shown_hardest(&shown.trace), NULL, err);
    if (status == PAL_OK) {
        status = write(&shown.session, &shown.shot, path, err);
    }
    pal_shown_close(&shown);
    return status;
}
