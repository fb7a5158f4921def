#include "app/viewer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/shown.h"
#include "app/viewer_parts.h"
#include "sim/base/clock.h"
#include "sim/base/memory.h"

enum { WINDOW_WIDTH = 1280, WINDOW_HEIGHT = 800 };
static const double frame_seconds = 1.0 / 60.0, idle_seconds = 0.05, message_seconds = 5.0;
static const double rate_seconds = 0.5;                     // over which rates are measured
static const double fade_seconds = 3.0, least_share = 1e-3; // of the distance: all of the colours

static pal_viewer *lost_one; // what is left of a window whose display is gone: not to be touched

void pal_viewer_say(pal_viewer *v, bool alarming, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(v->message, sizeof v->message, format, args);
    va_end(args);
    v->alarming = alarming;
    v->message_until = v->now + message_seconds;
}

// ---- opening

static pal_status open_drawing(pal_viewer *v, pal_err *err) {
    pal_status status = pal_overlay_open(&v->overlay, err);
    if (status == PAL_OK) {
        status = pal_stage_open(&v->stage, &v->context, &v->spec, err);
    }
    const int64_t vertices = v->spec.model != NULL ? v->spec.model->surface.vertex_count : 0;
    if (status == PAL_OK && vertices > 0) {
        v->places = PAL_NEW(double, 3 * vertices, err);
        status = v->places != NULL ? PAL_OK : PAL_ERR_MEMORY;
    }
    return status;
}

static void set_up(pal_viewer *v, pal_session *session, const pal_viewer_options *options) {
    v->session = session;
    v->options = *options;
    v->shows_hud = true;
    v->now = v->frame_time = v->facts.since = v->rate_since = pal_seconds();
    pal_view_defaults(&v->view);
    v->view.trainer = options->trainer;
    pal_hud_init(&v->hud);
    pal_slider_panel_init(&v->panel);
    pal_shown_spec(session, &v->spec);
    pal_shown_rest(session, &v->shot);
    pal_mouse_hand_init(&v->hand, &v->shot.hand[0].device);
    v->mouse = strcmp(session->device_kind, PAL_MOUSE) == 0;
    v->led = v->mouse || strcmp(session->device_kind, PAL_GAMEPAD) == 0;
}

pal_status pal_viewer_open(pal_viewer **viewer, pal_session *session,
                           const pal_viewer_options *options, pal_err *err) {
    char title[160];
    pal_viewer *v = *viewer = PAL_NEW(pal_viewer, 1, err);
    if (v == NULL) {
        return PAL_ERR_MEMORY;
    }
    set_up(v, session, options);
    snprintf(title, sizeof title, "%.100s - palpate", session->scene.name);
    const pal_gl_window_options window = {.title = title,
                                          .width = WINDOW_WIDTH,
                                          .height = WINDOW_HEIGHT,
                                          .unsynced = options->unsynced};
    pal_status status = pal_gl_open_window(&v->context, &window, err);
    if (status == PAL_OK) {
        status = open_drawing(v, err);
    }
    if (status != PAL_OK) {
        pal_viewer_close(v);
        *viewer = NULL;
        return status;
    }
    snprintf(v->facts.renderer, sizeof v->facts.renderer, "%s", v->context.renderer);
    v->target.quick = v->context.software;
    pal_ui_open(&v->ui, &v->context, PAL_UI_IN_RUN);
    return PAL_OK;
}

void pal_viewer_hide(pal_viewer *v) {
    if (v == NULL || v->context.lost) {
        return;
    }
    if (v->recorder.on) {
        pal_recorder_end(&v->recorder, PAL_OK, NULL);
    }
    if (v->context.maker != NULL) {
        pal_stage_close(v->stage);
        pal_overlay_close(v->overlay);
        pal_gl_target_free(&v->target);
        pal_gl_close(&v->context);
        v->stage = NULL;
        v->overlay = NULL;
    }
}

void pal_viewer_close(pal_viewer *v) {
    if (v == NULL) {
        return;
    }
    pal_viewer_hide(v);
    if (v->context.lost) {
        lost_one = v;
        return;
    }
    free(v->places);
    free(v);
}

// ---- a frame

// Drawing is over; the run may go on.
static void lose(pal_viewer *v, const pal_err *why) {
    v->gone = v->facts.lost = true;
    if (!v->options.quiet) {
        fprintf(stderr, "palpate: the window is lost: %s; %s\n", why->text,
                v->led ? "the stylus was led in it, so the run ends, and its trace is kept"
                       : "the run goes on without it");
    }
    if (v->recorder.on) {
        pal_recorder_end(&v->recorder, PAL_OK, NULL);
    }
}

static void take_rates(pal_viewer *v) {
    const double passed = v->now - v->rate_since;
    v->rate_frames++;
    if (passed >= rate_seconds) {
        v->tick_rate = (double)(v->shot.tick - v->rate_tick) / passed;
        v->frame_rate = (double)v->rate_frames / passed;
        v->rate_since = v->now;
        v->rate_tick = v->shot.tick;
        v->rate_frames = 0;
    }
}

static const char *mode_text(const pal_viewer *v) {
    return v->hand.mode == PAL_MOUSE_HOLD ? "pulls at the body"
           : v->mouse                     ? "the mouse leads the stylus (M: camera)"
           : v->led                       ? "the stylus waits (M: lead it)"
           : v->session->pointer != NULL  ? "the probe leads (M: take it)"
                                          : "the device leads";
}

// The force as a bar; what took it away is said as long as it is so.
static void draw_trainer(pal_viewer *v) {
    char text[128] = "";
    for (int32_t h = v->shot.hand_count - 1; h >= 0; h--) {
        const pal_snapshot_hand *hand = &v->shot.hand[h];
        if (!hand->present) {
            snprintf(text, sizeof text, "device lost");
        } else if (hand->fault != 0) {
            snprintf(text, sizeof text, "%s: press R", pal_fault_say(hand->fault)->key);
        }
    }
    pal_hud_draw_force_bar(v->overlay, &v->layout, pal_stage_force_share(v->stage),
                           text[0] != '\0');
    if (text[0] != '\0') {
        pal_hud_draw_message(v->overlay, &v->layout, text, true);
    }
}

static void draw_over(pal_viewer *v) {
    const bool gpu = pal_stage_tell(v->stage).way == PAL_DEFORM_GPU;
    const pal_hud_words words = {.scene = v->session->scene.name,
                                 .device = v->session->device_kind,
                                 .mode = mode_text(v),
                                 .tick_rate = v->tick_rate,
                                 .frame_rate = v->frame_rate,
                                 .max_force = v->session->device[0].limits.max_force,
                                 .drawn_by = gpu ? "GPU" : "CPU",
                                 .recording = v->recorder.on};
    const pal_layout *layout = &v->layout;
    pal_stage_label(v->stage, v->overlay, layout);
    pal_hud_draw_title(v->overlay, &v->shot, &words, layout);
    pal_hud_draw(&v->hud, v->overlay, &v->shot, &words, layout);
    if (pal_layout_has(layout, PAL_PANEL_SLIDERS)) {
        pal_slider_look look;
        pal_viewer_sliders(v, &look);
        pal_slider_panel_draw(&v->panel, &look, &layout->panel[PAL_PANEL_SLIDERS], v->overlay);
    }
    if (!v->view.trainer) {
        pal_hud_draw_status(v->overlay, layout,
                            v->help > 0 ? "F1 goes on, Esc closes" : "F1 for help");
    }
    if (v->help > 0) {
        pal_hud_draw_help(v->overlay, layout, PAL_UI_IN_RUN, v->help - 1);
    }
    pal_hud_draw_message(v->overlay, layout, v->now < v->message_until ? v->message : NULL,
                         v->alarming);
    if (v->view.trainer) {
        draw_trainer(v);
    }
}

void pal_viewer_lay_out(pal_viewer *v) {
    v->view.scale = pal_layout_scale(v->in.scale, v->target.width, v->target.height);
    pal_overlay_begin(v->overlay, v->target.width, v->target.height, v->view.scale);
    pal_layout_wish wish = {.width = pal_overlay_width(v->overlay),
                            .height = pal_overlay_height(v->overlay),
                            .title = true,
                            .instruments = v->shows_hud,
                            .sliders = v->shows_sliders,
                            .filming = v->recorder.on};
    pal_hud_wish(&v->shot, &wish);
    pal_stage_wish(v->stage, &v->view, v->overlay, &wish);
    pal_layout_make(&wish, &v->layout);
    if (v->help > 0) { // over the body, which stays where it is; a larger window has fewer pages
        const double body[2] = {v->layout.body[0], v->layout.body[1]};
        pal_hud_wish_help(v->overlay, PAL_UI_IN_RUN, &wish);
        pal_layout_make(&wish, &v->layout);
        memcpy(v->layout.body, body, sizeof body);
        v->help = v->help < v->layout.help.pages ? v->help : v->layout.help.pages;
    }
}

// Sees to a target as large as the window; false: nothing can be drawn now.
static bool size_target(pal_viewer *v) {
    int32_t width, height;
    pal_err err = {0};
    pal_gl_size(&v->context, &width, &height);
    if (width < 1 || height < 1) {
        return false;
    }
    if (width == v->target.width && height == v->target.height) {
        return true;
    }
    if (v->no_target && width == v->refused[0] && height == v->refused[1]) {
        return false;
    }
    v->no_target = pal_gl_target_size(&v->target, &v->context, width, height, &err) != PAL_OK;
    if (v->no_target) { // perhaps the next size
        v->refused[0] = width;
        v->refused[1] = height;
        fprintf(stderr, "palpate: the window is not drawn at this size: %s\n", err.text);
    }
    return !v->no_target;
}

static pal_status draw_into(pal_viewer *v, const pal_gl_target *target, bool quick, pal_err *err) {
    pal_viewer_lay_out(v);
    v->view.quick = quick;
    pal_status status = pal_stage_draw(v->stage, target, &v->view, &v->shot, err);
    if (status == PAL_OK) {
        pal_overlay_begin(v->overlay, target->width, target->height, v->view.scale);
        draw_over(v);
        status = pal_overlay_end(v->overlay, err);
    }
    return status;
}

pal_status pal_viewer_shoot(pal_viewer *v, char path[PAL_WINDOW_PATH], pal_err *err) {
    pal_gl_target fine = {0};
    pal_status status =
        pal_gl_target_size(&fine, &v->context, v->target.width, v->target.height, err);
    v->message_until = v->now; // what was said is not of interest there
    if (status == PAL_OK) {
        status = draw_into(v, &fine, false, err);
    }
    if (status == PAL_OK) {
        status = pal_window_shoot(&fine, v->session->scene.name, path, err);
    }
    pal_gl_target_free(&fine);
    return status;
}

// Colours that do not change their meaning at every frame: they follow a peak that fades.
static void settle_colours(pal_viewer *v, double dt) {
    const double largest = pal_stage_tell(v->stage).largest;
    v->peak = fmax(largest, v->peak * exp(-dt / fade_seconds));
    const bool moved = v->view.colouring == PAL_BY_DISPLACEMENT;
    const double wanted = fmax(1.05 * v->peak, moved ? least_share * v->view.distance : 1e-3);
    if (v->view.most < wanted || v->view.most > 3.0 * wanted) {
        v->view.most = pal_round_up(wanted);
    }
}

static pal_status draw(pal_viewer *v, pal_err *err) {
    if (!v->fitted) {
        pal_viewer_fit(v);
        v->fitted = true;
    }
    pal_status status = draw_into(v, &v->target, v->context.software, err);
    if (status == PAL_OK && v->recorder.on) {
        pal_err film;
        pal_status added = pal_recorder_add(&v->recorder, &v->target, v->now, &film);
        if (added != PAL_OK) {
            pal_recorder_end(&v->recorder, added == PAL_ERR_USAGE ? PAL_OK : added, NULL);
            pal_viewer_say(v, true, "%.250s", film.text);
        }
    }
    if (status == PAL_OK) {
        status = pal_gl_ask(&v->context, err);
    }
    if (status == PAL_OK) {
        pal_gl_target_show(&v->target, &v->context);
        status = pal_gl_present(&v->context, err);
        v->facts.frames++;
        settle_colours(v, v->now - v->frame_time);
        v->frame_time = v->now;
    }
    return status;
}

// No more frames than a screen shows.
static void pace(const pal_viewer *v) {
    const double left = v->now + frame_seconds - pal_seconds();
    if (!v->options.unsynced && left > 0.0) {
        const struct timespec nap = {.tv_nsec = (long)(1e9 * left)};
        nanosleep(&nap, NULL);
    }
}

static bool goes_on(const pal_viewer *v) {
    const double until = v->options.until;
    const bool over = until > 0.0 && !v->led && !v->shot.paused && v->shot.time >= until;
    return !v->end && !over;
}

static void look(pal_viewer *v) {
    bool fresh;
    const pal_snapshot *latest = pal_exchange_latest(&v->session->servo->exchange, &fresh);
    if (fresh) {
        v->shot = *latest;
        pal_hud_feed(&v->hud, &v->shot);
    }
}

// Without a window: somebody who led the stylus leads it no more.
static bool frame_without(pal_viewer *v) {
    const struct timespec nap = {.tv_nsec = 10000000};
    nanosleep(&nap, NULL);
    look(v);
    v->shot.paused = false; // nobody can let it go on
    return !v->led && goes_on(v);
}

bool pal_viewer_frame(pal_session *session, void *context) {
    (void)session;
    pal_viewer *v = context;
    pal_err err = {0};
    if (v->gone) {
        return frame_without(v);
    }
    const double before = v->now;
    v->now = pal_seconds();
    v->before = v->in;
    pal_ui_poll(&v->ui, &v->context, v->target.width > 0 ? 0.0 : idle_seconds, &v->in);
    v->end = v->end || v->in.close;
    look(v);
    take_rates(v);
    pal_viewer_act(v);
    pal_viewer_move(v, v->now - before);
    pal_viewer_tell_place(v);
    pal_status status = PAL_OK;
    if (v->session->desk != NULL) {
        status = pal_desk_pump(v->session->desk, v->shot.tick, NULL, &err);
    }
    if (status != PAL_OK) {
        pal_viewer_say(v, true, "%.250s", err.text);
    }
    if (v->context.lost) {
        pal_fail(&err, PAL_ERR_IO, "the display has gone away");
        lose(v, &err);
    } else if (!size_target(v)) {
        nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * frame_seconds)}, NULL);
    } else if (draw(v, &err) != PAL_OK) {
        lose(v, &err);
    } else {
        pace(v);
    }
    return goes_on(v) && !(v->gone && v->led);
}
