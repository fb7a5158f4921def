// The place of the body under the mouse: told while it is looked for, copied by a key.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/viewer_parts.h"
#include "sim/mesh/pick.h"

// Where the mouse is on the body as it is drawn now.
static bool pick(pal_viewer *v, pal_pick *found) {
    const pal_camera camera = pal_stage_tell(v->stage).camera;
    double ray[3];
    pal_camera_ray(&camera, v->in.x, v->in.y, ray);
    pal_stage_places(v->stage, v->places);
    return pal_pick_surface(&v->session->model.surface, v->places, camera.eye, ray, found);
}

// The picture has the place as it is now, and says where it is at rest.
static void mark(pal_viewer *v, const pal_pick *found) {
    pal_pick rest = *found;
    pal_pick_follow(&v->session->model.surface, NULL, &rest);
    v->view.marked = true;
    v->view.mark_hidden = false;
    memcpy(v->view.mark, found->point, sizeof v->view.mark);
    memcpy(v->view.mark_told, rest.point, sizeof v->view.mark_told);
}

void pal_viewer_copy_place(pal_viewer *v) {
    const pal_surface *surface = &v->session->model.surface;
    double low[3], high[3];
    pal_pick found;
    if (v->places == NULL || v->facts.frames == 0) {
        pal_viewer_say(v, false, "a wall has no surface to name places of");
        return;
    }
    if (!pick(v, &found)) {
        pal_viewer_say(v, false,
                       v->places_told ? "places are told no more" : "the mouse is beside the body");
        v->places_told = v->view.marked = false;
        return;
    }
    mark(v, &found);
    pal_surface_box(surface, low, high);
    pal_point_say(v->view.mark_told,
                  fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2])), v->facts.place,
                  sizeof v->facts.place);
    v->places_told = true;
    if (pal_ui_copy(&v->context, v->facts.place)) {
        pal_viewer_say(v, false, "copied: %s (L beside the body ends this)", v->facts.place);
    }
}

void pal_viewer_tell_place(pal_viewer *v) {
    pal_pick found;
    if (!v->places_told || v->facts.frames == 0) {
        return;
    }
    if (pick(v, &found)) {
        mark(v, &found);
    } else {
        v->view.marked = false;
    }
}
