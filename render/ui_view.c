#include "render/ui_view.h"

#include <math.h>

static const double step_degrees = 5.0, step_zoom = 1.1;
static const double degrees_a_point = 0.4, zoom_a_notch = 1.12;

bool pal_ui_view_key(pal_view *view, pal_ui_action action) {
    switch (action) {
    case PAL_UI_LEFT:
    case PAL_UI_RIGHT:
        pal_view_orbit(view, action == PAL_UI_LEFT ? -step_degrees : step_degrees, 0.0);
        return true;
    case PAL_UI_UP:
    case PAL_UI_DOWN:
        pal_view_orbit(view, 0.0, action == PAL_UI_UP ? step_degrees : -step_degrees);
        return true;
    case PAL_UI_NEARER:
    case PAL_UI_FARTHER:
        pal_view_zoom(view, action == PAL_UI_NEARER ? step_zoom : 1.0 / step_zoom);
        return true;
    default:
        return false;
    }
}

static void toggle(bool *what, const char *on, const char *off, const char **said) {
    *what = !*what;
    *said = *what ? on : off;
}

bool pal_ui_show_key(pal_view *view, pal_ui_action action, const char **said) {
    static const char *const colours[] = {[PAL_BY_DISPLACEMENT] =
                                              "colours: how far each place moved",
                                          [PAL_BY_REGION] = "colours: what it is made of",
                                          [PAL_BY_ENERGY] = "colours: density of strain energy"};
    switch (action) {
    case PAL_UI_COLOURS:
        view->colouring = (pal_colouring)((view->colouring + 1) % 3);
        view->most = 0.0;
        *said = colours[view->colouring];
        return true;
    case PAL_UI_WIREFRAME:
        toggle(&view->wireframe, "edges of the surface", "no edges", said);
        return true;
    case PAL_UI_VOLUME:
        toggle(&view->volume, "volume mesh", "no volume mesh", said);
        return true;
    case PAL_UI_FIXED:
        toggle(&view->fixed, "vertices that are held", "held vertices are not shown", said);
        return true;
    case PAL_UI_AXES:
        toggle(&view->axes, "axes of the body at rest (F fits them in)", "no axes", said);
        return true;
    default:
        return false;
    }
}

void pal_ui_view_mouse(pal_view *view, const pal_ui_input *now, const pal_ui_input *before,
                       bool turns, bool shifts, double wheel, int32_t width, int32_t height) {
    const double dx = now->x - before->x, dy = now->y - before->y;
    if (turns) {
        pal_view_orbit(view, -degrees_a_point * dx / now->scale, degrees_a_point * dy / now->scale);
    } else if (shifts && width > 0) {
        pal_view_pan(view, width, height, dx, dy);
    }
    if (wheel != 0.0) {
        pal_view_zoom(view, pow(zoom_a_notch, fmin(fmax(wheel, -20.0), 20.0)));
    }
}
