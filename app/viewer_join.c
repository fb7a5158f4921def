// How a run gets its window, and what is said of it afterwards.
#include <stdio.h>
#include <string.h>

#include "app/viewer_parts.h"
#include "sim/base/clock.h"

static const double long_run = 86400.0; // s: until somebody ends it

bool pal_viewer_wanted(const pal_args *args, bool virtual_time) {
    return !pal_args_flag(args, "--headless") && !virtual_time && pal_gl_has_display();
}

pal_status pal_viewer_join(pal_viewer **viewer, pal_session *session, pal_run_options *how,
                           const pal_viewer_options *options, bool lasts, pal_err *err) {
    const bool led = strcmp(session->device_kind, PAL_MOUSE) == 0 ||
                     strcmp(session->device_kind, PAL_GAMEPAD) == 0;
    pal_viewer_options own = *options;
    own.until = lasts || led ? 0.0 : how->seconds;
    pal_status status = pal_viewer_open(viewer, session, &own, err);
    if (status != PAL_OK && !led) {
        if (!options->quiet) {
            fprintf(stderr, "palpate: no window: %s; the run goes on without one\n", err->text);
        }
        return PAL_OK;
    }
    if (status == PAL_OK) {
        how->seconds = lasts ? how->seconds : long_run;
        how->meanwhile = pal_viewer_frame;
        how->context = *viewer;
        how->takes_its_time = true;
    }
    return status;
}

void pal_viewer_report(const pal_viewer *v, cJSON *root) {
    cJSON *window = pal_json_object();
    const double seconds = pal_seconds() - v->facts.since;
    pal_json_number(window, "frames", (double)v->facts.frames);
    pal_json_number(window, "frames_per_second", (double)v->facts.frames / seconds);
    pal_json_text(window, "renderer", v->facts.renderer);
    pal_json_bool(window, "lost", v->facts.lost);
    pal_json_number(window, "azimuth", v->view.azimuth);
    pal_json_number(window, "elevation", v->view.elevation);
    pal_json_number(window, "distance_m", v->view.distance);
    pal_json_bool(window, "stylus_led", v->led);
    pal_json_bool(window, "trainer", v->view.trainer);
    pal_json_number(window, "pulls", v->facts.pulls);
    pal_json_number(window, "slider_moves", v->facts.slider_moves);
    pal_json_number(window, "pictures", v->facts.pictures);
    pal_json_text(window, "copied_place", v->facts.place);
    pal_json_text(window, "last_picture", v->facts.picture);
    pal_json_text(window, "last_film", v->facts.film);
    pal_json_text(window, "saved_scene", v->facts.saved);
    pal_json_add(root, "window", window);
}
