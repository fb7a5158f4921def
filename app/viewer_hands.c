// The mouse and the gamepad in the window of a run: sliders, camera, stylus.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/viewer_parts.h"
#include "devices/gamepad.h"
#include "render/quantity.h"
#include "render/ui_view.h"

static const double notch_share = 0.004; // of the distance to what is looked at: a notch in depth

// ---- sliders

static void say_value(pal_property property, double value, char *text, size_t size) {
    static const char *const form[PAL_PROPERTY_COUNT] = {[PAL_PROPERTY_POISSON] = "%.3f",
                                                         [PAL_PROPERTY_DENSITY] =
                                                             "%.4g kg/m\xC2\xB3",
                                                         [PAL_PROPERTY_MASS_DAMPING] = "%.3g /s"};
    if (property == PAL_PROPERTY_YOUNG) {
        pal_say_quantity(value, 0.0, 3, "Pa", text, size);
    } else if (property == PAL_PROPERTY_STIFFNESS_DAMPING) {
        pal_say_quantity(value, 0.0, 3, "s", text, size);
    } else {
        snprintf(text, size, form[property], value);
    }
}

void pal_viewer_sliders(const pal_viewer *v, pal_slider_look *look) {
    static const char *const name[PAL_PROPERTY_COUNT] = {
        "Young's modulus", "Poisson's ratio", "density", "of the mass", "of the stiffness"};
    const pal_model *model = &v->session->model;
    *look = (pal_slider_look){.region = model->region[v->region].name,
                              .number = v->region,
                              .regions = model->region_count};
    for (int k = 0; k < PAL_SLIDERS; k++) {
        const pal_property property = (pal_property)k;
        const pal_slider ends = pal_desk_slider(v->session->desk, v->region, property);
        pal_slider_item *item = &look->item[k];
        item->name = name[k];
        item->value = pal_desk_get(v->session->desk, v->region, property);
        item->least = ends.least;
        item->most = ends.most;
        item->logarithmic = ends.logarithmic;
        say_value(property, item->value, item->text, sizeof item->text);
    }
}

// Whether the sliders have the mouse.
static bool move_sliders(pal_viewer *v) {
    pal_slider_look look;
    pal_err err = {0};
    int32_t which = 0;
    double value = 0.0;
    if (!pal_layout_has(&v->layout, PAL_PANEL_SLIDERS)) {
        return false;
    }
    pal_viewer_sliders(v, &look);
    const double scale = v->view.scale;
    switch (pal_slider_panel_step(&v->panel, &look, &v->layout.panel[PAL_PANEL_SLIDERS],
                                  v->in.x / scale, v->in.y / scale, v->in.left, &which, &value)) {
    case PAL_SLIDER_MOVED:
        if (pal_desk_set(v->session->desk, v->region, (pal_property)which, value, &err) != PAL_OK) {
            pal_viewer_say(v, true, "%.250s", err.text);
        } else {
            v->facts.slider_moves++;
        }
        break;
    case PAL_SLIDER_NEXT:
        v->region = (v->region + 1) % v->session->model.region_count;
        break;
    case PAL_SLIDER_RESTORE:
        pal_desk_restore(v->session->desk);
        break;
    case PAL_SLIDER_SAVE:
        pal_viewer_save_scene(v);
        break;
    case PAL_SLIDER_NOTHING:
        break;
    }
    return v->panel.mine;
}

// ---- the stylus

void pal_viewer_lead(pal_viewer *v) {
    if (!v->led) { // from where it is
        pal_mouse_hand_init(&v->hand, &v->shot.hand[0].device);
        v->led = true;
    }
}

static void lead_by_mouse(pal_viewer *v, bool drag, bool turn, bool pull, double wheel, double dt) {
    const pal_camera camera = pal_stage_tell(v->stage).camera;
    const pal_mouse_input input = {.x = v->in.x,
                                   .y = v->in.y,
                                   .wheel = wheel,
                                   .drag = drag,
                                   .turn = turn,
                                   .pull = pull,
                                   .button = v->in.held[PAL_UI_GRASP]};
    pal_mouse_view view = {.camera = &camera,
                           .reach = v->session->options.tool[0].shape.bound,
                           .notch = notch_share * v->view.distance,
                           .dt = dt};
    const pal_mouse_mode before = v->hand.mode;
    memcpy(view.tool, v->shot.hand[0].tool.x, sizeof view.tool);
    if (v->places != NULL && (pull || before >= PAL_MOUSE_ABOVE)) {
        view.surface = &v->session->model.surface;
        view.x = v->places;
        pal_stage_places(v->stage, v->places);
    }
    pal_mouse_hand_step(&v->hand, &input, &view);
    if (v->hand.mode == PAL_MOUSE_HOLD && before != PAL_MOUSE_HOLD) {
        v->facts.pulls++;
        pal_viewer_say(v, false, "holds on: drag to pull");
    } else if (v->hand.mode == PAL_MOUSE_MISS && before != PAL_MOUSE_MISS) {
        pal_viewer_say(v, false, "nothing there to pull at");
    }
}

static bool is_moved(const pal_ui_pad *pad) {
    static const double least = 0.2;
    return hypot(pad->left[0], pad->left[1]) > least ||
           hypot(pad->right[0], pad->right[1]) > least || pad->trigger[0] > least ||
           pad->trigger[1] > least || pad->stylus;
}

static void lead_by_pad(pal_viewer *v, double dt) {
    const pal_ui_pad *pad = &v->in.pad;
    const pal_camera camera = pal_stage_tell(v->stage).camera;
    const pal_gamepad_options options = pal_gamepad_defaults();
    const pal_gamepad_state state = {.left = {pad->left[0], pad->left[1]},
                                     .right = {pad->right[0], pad->right[1]},
                                     .trigger = {pad->trigger[0], pad->trigger[1]},
                                     .buttons = (pad->stylus ? PAL_GAMEPAD_STYLUS : 0u) |
                                                (pad->precise ? PAL_GAMEPAD_PRECISE : 0u)};
    pal_gamepad_step(&options, &state, camera.right, camera.up, camera.back, dt, &v->hand.wish);
}

void pal_viewer_move(pal_viewer *v, double dt) {
    const bool sliders = move_sliders(v);
    const bool can_lead = v->session->pointer != NULL && v->facts.frames > 0;
    const bool left = v->in.left && !sliders;
    const bool pull = left && can_lead && (v->in.control || v->pulls);
    v->pulls = pull; // until the button is up
    const bool by_mouse = v->mouse && can_lead;
    const bool deep = by_mouse && !v->in.control; // what the wheel is for
    const bool shifts = v->in.middle || (left && v->in.shift && !by_mouse);
    const bool turns = !shifts && (v->in.right || (left && !by_mouse && !pull));
    pal_ui_view_mouse(&v->view, &v->in, &v->before, turns && (v->before.left || v->before.right),
                      shifts, deep ? 0.0 : v->in.wheel, v->target.width, v->target.height);
    if (pull || (can_lead && v->in.pad.present && is_moved(&v->in.pad))) {
        pal_viewer_lead(v);
    }
    if (!can_lead || !v->led) {
        return;
    }
    lead_by_mouse(v, by_mouse && left && !v->in.shift, by_mouse && left && v->in.shift, pull,
                  deep ? v->in.wheel : 0.0, dt);
    if (v->in.pad.present && is_moved(&v->in.pad)) {
        lead_by_pad(v, dt);
    }
    pal_mailbox_post(v->session->pointer, &v->hand.wish);
}
