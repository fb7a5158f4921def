#include "app/work_window.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "app/window_files.h"
#include "render/ui_view.h"
#include "sim/base/clock.h"
#include "sim/base/vec3.h"

static const double frame_seconds = 1.0 / 60.0, message_seconds = 6.0;

void pal_work_say(pal_work_window *w, bool alarming, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(w->message, sizeof w->message, format, args);
    va_end(args);
    w->alarming = alarming;
    w->message_until = w->now + message_seconds;
}

double pal_work_size(const double *x, int32_t count) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double diagonal[3];
    for (int64_t i = 0; i < 3 * (int64_t)count; i++) {
        low[i % 3] = fmin(low[i % 3], x[i]);
        high[i % 3] = fmax(high[i % 3], x[i]);
    }
    pal_sub3(high, low, diagonal);
    return pal_norm3(diagonal);
}

// ---- opening

pal_status pal_work_open(pal_work_window *w, const char *title, const char *picture, unsigned where,
                         pal_err *err) {
    const pal_gl_window_options window = {.title = title, .width = 1280, .height = 800};
    memset(w, 0, sizeof *w);
    w->picture = picture;
    w->where = where;
    pal_status status = pal_gl_open_window(&w->context, &window, err);
    if (status == PAL_OK) {
        status = pal_overlay_open(&w->overlay, err);
    }
    if (status == PAL_OK) {
        w->target.quick = w->context.software;
        w->shot.rate = 1.0;
        for (int i = 0; i < PAL_SNAPSHOT_REGIONS; i++) {
            w->shot.softer[i] = 1.0;
        }
        pal_view_defaults(&w->view);
        pal_ui_open(&w->ui, &w->context, where);
    }
    return status;
}

void pal_work_close(pal_work_window *w) {
    if (w->context.maker != NULL && !w->context.lost) {
        pal_stage_close(w->stage);
        pal_overlay_close(w->overlay);
        pal_gl_target_free(&w->target);
        pal_gl_close(&w->context);
    }
}

// ---- keys and mouse

static void take_picture(pal_work_window *w) {
    char path[PAL_WINDOW_PATH];
    pal_err err = {0};
    if (w->frames > 0) {
        const bool good = pal_window_shoot(&w->target, w->picture, path, &err) == PAL_OK;
        pal_work_say(w, !good, "%s%.250s", good ? "picture: " : "", good ? path : err.text);
    }
}

// A key of the frame's own; false: it is another's.
static bool act(pal_work_window *w, pal_ui_action action) {
    const char *said;
    if (pal_ui_view_key(&w->view, action)) {
        return true;
    }
    if (pal_ui_show_key(&w->view, action, &said)) {
        pal_work_say(w, false, "%s", said);
        return true;
    }
    switch (action) {
    case PAL_UI_HELP:
        w->help = w->help < (w->help > 0 ? w->layout.help.pages : 1) ? w->help + 1 : 0;
        return true;
    case PAL_UI_END:
        w->end = w->end || w->help == 0;
        w->help = 0;
        return true;
    case PAL_UI_FIT:
        w->fitted = false;
        return true;
    case PAL_UI_SCREENSHOT:
        take_picture(w);
        return true;
    default:
        return false;
    }
}

void pal_work_mouse(pal_work_window *w, bool busy) {
    const bool pressed = w->in.left && !w->before.left;
    const bool shifts = w->in.middle || (w->in.left && w->in.shift && !busy);
    const bool turns = !shifts && !pressed && (w->in.right || (w->in.left && !busy));
    pal_ui_view_mouse(&w->view, &w->in, &w->before, turns && (w->before.left || w->before.right),
                      shifts, w->in.wheel, w->target.width, w->target.height);
}

// ---- a frame

static void draw_over(pal_work_window *w, const pal_work_calls *calls, void *user) {
    pal_stage_label(w->stage, w->overlay, &w->layout);
    calls->draw_over(user);
    pal_hud_draw_status(w->overlay, &w->layout,
                        w->help > 0 ? "F1 goes on, Esc closes" : "F1 for help");
    if (w->help > 0) {
        pal_hud_draw_help(w->overlay, &w->layout, w->where, w->help - 1);
    }
    pal_hud_draw_message(w->overlay, &w->layout, w->now < w->message_until ? w->message : NULL,
                         w->alarming);
}

static void lay_out(pal_work_window *w) {
    pal_overlay_begin(w->overlay, w->target.width, w->target.height, w->view.scale);
    pal_layout_wish wish = {.width = pal_overlay_width(w->overlay),
                            .height = pal_overlay_height(w->overlay),
                            .title = true,
                            .filming = w->filming};
    pal_stage_wish(w->stage, &w->view, w->overlay, &wish);
    if (w->help > 0) {
        pal_hud_wish_help(w->overlay, w->where, &wish);
    }
    pal_layout_make(&wish, &w->layout);
    w->help = w->help < w->layout.help.pages ? w->help : w->layout.help.pages;
}

static pal_status draw(pal_work_window *w, const pal_work_calls *calls, void *user, pal_err *err) {
    int32_t width, height;
    pal_gl_size(&w->context, &width, &height);
    if (width < 1 || height < 1) {
        return PAL_OK; // iconified
    }
    pal_status status = pal_gl_target_size(&w->target, &w->context, width, height, err);
    w->view.scale = pal_layout_scale(w->in.scale, width, height);
    w->view.quick = w->context.software;
    if (status == PAL_OK && calls->prepare != NULL) {
        status = calls->prepare(user, err);
    }
    if (status == PAL_OK) {
        lay_out(w);
    }
    if (status == PAL_OK && !w->fitted) {
        status = pal_stage_fit(w->stage, &w->view, width, height, &w->layout, &w->shot, 0.8, err);
        w->fitted = true;
    }
    if (status == PAL_OK) {
        status = pal_stage_draw(w->stage, &w->target, &w->view, &w->shot, err);
    }
    if (status == PAL_OK) {
        pal_overlay_begin(w->overlay, width, height, w->view.scale);
        draw_over(w, calls, user);
        status = pal_overlay_end(w->overlay, err);
    }
    if (status == PAL_OK && calls->drawn != NULL) {
        calls->drawn(user);
    }
    if (status == PAL_OK) {
        status = pal_gl_ask(&w->context, err);
    }
    if (status == PAL_OK) {
        pal_gl_target_show(&w->target, &w->context);
        status = pal_gl_present(&w->context, err);
        w->frames++;
    }
    return status;
}

pal_status pal_work_run(pal_work_window *w, const pal_work_calls *calls, void *user, pal_err *err) {
    pal_status status = PAL_OK;
    while (status == PAL_OK && !w->end) {
        w->now = pal_seconds();
        w->before = w->in;
        pal_ui_poll(&w->ui, &w->context, 0.0, &w->in);
        w->end = w->in.close;
        for (int i = 0; i < w->in.action_count; i++) {
            if (!act(w, w->in.action[i])) {
                calls->act(user, w->in.action[i]);
            }
        }
        calls->move(user);
        status = w->context.lost ? pal_fail(err, PAL_ERR_IO, "the display has gone away")
                                 : draw(w, calls, user, err);
        const double left = w->now + frame_seconds - pal_seconds();
        if (left > 0.0) {
            nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * left)}, NULL);
        }
    }
    return status;
}
