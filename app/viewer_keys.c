// What the keys do in the window of a run.
#include <stdio.h>
#include <string.h>

#include "app/viewer_parts.h"
#include "render/ui_view.h"

// ---- time

static void send(pal_viewer *v, pal_command_kind kind, const char *text) {
    const pal_servo_command command = {.kind = kind};
    if (pal_command_send(&v->session->servo->link, &command)) {
        pal_viewer_say(v, false, "%s", text);
    } else {
        pal_viewer_say(v, true, "the servo is busy: press again");
    }
}

static void slow(pal_viewer *v, int by) {
    const int wanted = v->slow + by;
    char text[64];
    if (wanted < 0 || wanted >= PAL_SLOW_KINDS) {
        pal_viewer_say(v, false, wanted < 0 ? "as fast as time" : "no slower than this");
        return;
    }
    v->slow = wanted;
    snprintf(text, sizeof text, "the body's time runs %g times slower",
             pal_command_slowness(wanted));
    send(v, pal_command_slow(pal_command_slowness(wanted)),
         wanted == 0 ? "the body's time runs as ours" : text);
}

// ---- what is shown

static void toggle(pal_viewer *v, bool *what, const char *on, const char *off) {
    *what = !*what;
    pal_viewer_say(v, false, "%s", *what ? on : off);
}

// Another stage that deforms elsewhere; the old one stays when that cannot be.
static void change_deform(pal_viewer *v) {
    if (v->spec.model == NULL) {
        pal_viewer_say(v, false, "a wall does not deform");
        return;
    }
    pal_stage_spec spec = v->spec;
    pal_stage *stage;
    pal_err err = {0};
    spec.way = pal_stage_tell(v->stage).way == PAL_DEFORM_GPU ? PAL_DEFORM_CPU : PAL_DEFORM_GPU;
    if (pal_stage_open(&stage, &v->context, &spec, &err) != PAL_OK) {
        pal_viewer_say(v, true, "%.250s", err.text);
        return;
    }
    pal_stage_close(v->stage);
    v->stage = stage;
    v->spec = spec;
    pal_viewer_say(v, false, "deformed on the %s", spec.way == PAL_DEFORM_GPU ? "GPU" : "CPU");
}

void pal_viewer_fit(pal_viewer *v) {
    pal_err err = {0};
    pal_viewer_lay_out(v);
    if (pal_stage_fit(v->stage, &v->view, v->target.width, v->target.height, &v->layout, &v->shot,
                      1.0, &err) != PAL_OK) {
        pal_viewer_say(v, true, "%.250s", err.text);
    }
}

// Panels have come or gone: the body is seen beside those that are there now.
static void step_aside(pal_viewer *v) {
    const double before[2] = {v->layout.body[0], v->layout.body[1]};
    pal_viewer_lay_out(v);
    if (before[1] > before[0] && v->target.width > 0) {
        pal_view_shift(&v->view, v->target.width, v->target.height, before, v->layout.body);
    }
}

// ---- the stylus, materials

static void change_stylus(pal_viewer *v) {
    if (v->session->pointer == NULL) {
        pal_viewer_say(v, true, "the device '%s' leads here; start with --device mouse",
                       v->session->device_kind);
        return;
    }
    pal_viewer_lead(v);
    toggle(v, &v->mouse, "the mouse leads the stylus", "the mouse turns the view");
}

static void show_sliders(pal_viewer *v) {
    if (v->session->desk == NULL) {
        pal_viewer_say(v, false, "a wall has no material");
        return;
    }
    if (v->view.trainer) {
        pal_viewer_say(v, false, "the trainer's view has no sliders: T leaves it");
        return;
    }
    v->shows_sliders = !v->shows_sliders;
    pal_slider_panel_init(&v->panel);
    step_aside(v);
    if (v->shows_sliders && !pal_layout_has(&v->layout, PAL_PANEL_SLIDERS)) {
        pal_viewer_say(v, true, "the window is too small for the sliders: make it larger");
    }
}

static void next_region(pal_viewer *v) {
    if (v->session->desk != NULL) {
        v->region = (v->region + 1) % v->session->model.region_count;
        pal_viewer_say(v, false, "region: %s", v->session->model.region[v->region].name);
    }
}

static void restore(pal_viewer *v) {
    if (v->session->desk != NULL) {
        pal_desk_restore(v->session->desk);
        pal_viewer_say(v, false, "materials as they were at first");
    }
}

void pal_viewer_save_scene(pal_viewer *v) {
    char path[PAL_WINDOW_PATH];
    pal_err err = {0};
    pal_status status = pal_window_name_beside(v->session->scene.path, "edited", path, &err);
    if (status == PAL_OK) {
        status = pal_session_save_materials(v->session, path, &err);
    }
    if (status != PAL_OK) {
        pal_viewer_say(v, true, "%.250s", err.text);
        return;
    }
    v->facts.saves++;
    snprintf(v->facts.saved, sizeof v->facts.saved, "%s", path);
    pal_viewer_say(v, false, "a copy with these materials: %.250s", path);
}

// ---- pictures

static void shoot(pal_viewer *v) {
    char path[PAL_WINDOW_PATH];
    pal_err err = {0};
    if (v->target.width < 1 || v->facts.frames == 0) {
        return; // nothing was drawn yet
    }
    if (pal_viewer_shoot(v, path, &err) != PAL_OK) {
        pal_viewer_say(v, true, "%.250s", err.text);
        return;
    }
    v->facts.pictures++;
    snprintf(v->facts.picture, sizeof v->facts.picture, "%s", path);
    pal_viewer_say(v, false, "picture: %.250s", path);
}

static void change_film(pal_viewer *v) {
    pal_err err = {0};
    pal_status status = PAL_OK;
    if (!v->recorder.on && v->target.width > 0) {
        status = pal_recorder_begin(&v->recorder, &v->target, v->session->scene.name, v->now, &err);
        snprintf(v->facts.film, sizeof v->facts.film, "%.500s", v->recorder.sink.path);
        pal_viewer_say(v, false, "filming to %.250s", v->facts.film);
    } else if (v->recorder.on) {
        status = pal_recorder_end(&v->recorder, PAL_OK, &err);
        pal_viewer_say(v, false, "filmed: %.250s", v->facts.film);
    }
    if (status != PAL_OK) {
        pal_viewer_say(v, true, "%.250s", err.text);
    }
}

// ---- all of them

static bool act_on_time(pal_viewer *v, pal_ui_action action) {
    switch (action) {
    case PAL_UI_PAUSE:
        send(v, v->shot.paused ? PAL_COMMAND_RESUME : PAL_COMMAND_PAUSE,
             v->shot.paused ? "time goes on" : "paused: no force");
        return true;
    case PAL_UI_TICK:
        if (v->shot.paused) {
            send(v, PAL_COMMAND_TICK, "one step");
        } else {
            pal_viewer_say(v, false, "single steps are for a paused body");
        }
        return true;
    case PAL_UI_SLOWER:
    case PAL_UI_FASTER:
        slow(v, action == PAL_UI_SLOWER ? 1 : -1);
        return true;
    case PAL_UI_RESET:
        send(v, PAL_COMMAND_RESET, "the body is at rest");
        return true;
    default:
        return false;
    }
}

static void act_on_look(pal_viewer *v, pal_ui_action action) {
    const char *said;
    if (pal_ui_show_key(&v->view, action, &said)) {
        v->peak = action == PAL_UI_COLOURS ? 0.0 : v->peak;
        step_aside(v); // beside the names of regions
        pal_viewer_say(v, false, "%s", said);
        return;
    }
    switch (action) {
    case PAL_UI_FIT:
        v->fitted = false;
        break;
    case PAL_UI_PLACE:
        pal_viewer_copy_place(v);
        break;
    case PAL_UI_DEFORM:
        change_deform(v);
        break;
    case PAL_UI_HUD:
        toggle(v, &v->shows_hud,
               v->view.trainer ? "instruments, once T leaves this view" : "instruments",
               "no instruments");
        step_aside(v);
        break;
    case PAL_UI_HELP:
        v->help = v->help < (v->help > 0 ? v->layout.help.pages : 1) ? v->help + 1 : 0;
        break;
    case PAL_UI_TRAINER:
        toggle(v, &v->view.trainer, "the trainer's view: T leaves it", "the view with instruments");
        step_aside(v);
        break;
    default:
        break;
    }
}

static void act(pal_viewer *v, pal_ui_action action) {
    if (act_on_time(v, action) || pal_ui_view_key(&v->view, action)) {
        return;
    }
    switch (action) {
    case PAL_UI_END: // the first closes the help
        v->end = v->end || v->help == 0;
        v->help = 0;
        break;
    case PAL_UI_STYLUS:
        change_stylus(v);
        break;
    case PAL_UI_MATERIALS:
        show_sliders(v);
        break;
    case PAL_UI_REGION:
        next_region(v);
        break;
    case PAL_UI_RESTORE:
        restore(v);
        break;
    case PAL_UI_SAVE:
        pal_viewer_save_scene(v);
        break;
    case PAL_UI_SCREENSHOT:
        shoot(v);
        break;
    case PAL_UI_FILM:
        change_film(v);
        break;
    default:
        act_on_look(v, action);
        break;
    }
}

void pal_viewer_act(pal_viewer *v) {
    for (int i = 0; i < v->in.action_count; i++) {
        act(v, v->in.action[i]);
    }
}
