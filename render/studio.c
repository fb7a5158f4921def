#include "render/studio.h"

#include <math.h>
#include <string.h>

#include "render/hud.h"

static const double plain_height = 800.0; // pixels for which a point is a pixel

pal_status pal_studio_open(pal_studio *studio, const pal_stage_spec *spec, int32_t width,
                           int32_t height, pal_err *err) {
    memset(studio, 0, sizeof *studio);
    pal_status status = pal_gl_open_offscreen(&studio->context, err);
    if (status != PAL_OK) {
        return status;
    }
    status = pal_gl_target_size(&studio->target, &studio->context, width, height, err);
    if (status == PAL_OK) {
        status = pal_overlay_open(&studio->overlay, err);
    }
    if (status == PAL_OK) {
        status = pal_stage_open(&studio->stage, &studio->context, spec, err);
    }
    if (status != PAL_OK) {
        pal_studio_close(studio);
    }
    return status;
}

void pal_studio_close(pal_studio *studio) {
    if (studio->context.maker != NULL) {
        pal_stage_close(studio->stage);
        pal_overlay_close(studio->overlay);
        pal_gl_target_free(&studio->target);
        pal_gl_close(&studio->context);
    }
    memset(studio, 0, sizeof *studio);
}

static const pal_text_style title = {
    .weight = PAL_FONT_BOLD, .size = 24.0, .colour = {0x1B, 0x1F, 0x27, 255}, .outline = 2.0};
static const pal_text_style line = {
    .size = 16.0, .colour = {0x4A, 0x51, 0x5D, 255}, .outline = 1.6};

static pal_frame place_words(pal_overlay *o, const pal_studio_words *words) {
    const double room = pal_overlay_width(o) - 40.0;
    const bool both = words->title != NULL && words->caption != NULL;
    double width = 0.0;
    if (words->title != NULL) {
        width = pal_overlay_text_width(o, &title, words->title);
    }
    if (words->caption != NULL) {
        width = fmax(width, pal_overlay_text_width(o, &line, words->caption));
    }
    return (pal_frame){12.0, 10.0, fmin(width, room) + 16.0, both ? 60.0 : 36.0};
}

// In the upper left corner, on a veil: the body may be as dark as the words.
static void write_words(pal_overlay *o, const pal_studio_words *words, const pal_frame *p) {
    static const pal_rgba veil = {255, 255, 255, 170};
    const double room = pal_overlay_width(o) - 40.0;
    pal_overlay_box(o, p->left, p->top, p->width, p->height, 6.0, veil);
    if (words->title != NULL) {
        pal_overlay_text_within(o, &title, 20.0, 36.0, room, words->title);
    }
    if (words->caption != NULL) {
        pal_overlay_text_within(o, &line, 20.0, words->title != NULL ? 61.0 : 34.0, room,
                                words->caption);
    }
}

// The layout of a picture: no instruments.
static void lay_out(const pal_studio *studio, const pal_view *view, pal_layout *layout) {
    pal_layout_wish wish = {.width = pal_overlay_width(studio->overlay),
                            .height = pal_overlay_height(studio->overlay)};
    pal_stage_wish(studio->stage, view, studio->overlay, &wish);
    pal_layout_make(&wish, layout);
}

static double scale_of(const pal_studio *studio, const pal_view *view) {
    const pal_gl_target *target = &studio->target;
    return view->scale > 0.0
               ? view->scale
               : fmax(fmin(target->height / plain_height, target->width / plain_height), 0.5);
}

pal_status pal_studio_draw(pal_studio *studio, const pal_view *view, const pal_snapshot *shot,
                           const pal_studio_words *words, pal_err *err) {
    const pal_gl_target *target = &studio->target;
    pal_view scaled = *view;
    pal_layout layout;
    scaled.scale = scale_of(studio, view);
    const pal_status status = pal_stage_draw(studio->stage, target, &scaled, shot, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_overlay_begin(studio->overlay, target->width, target->height, scaled.scale);
    lay_out(studio, &scaled, &layout);
    if (words != NULL) {
        layout.panel[PAL_PANEL_TITLE] = place_words(studio->overlay, words);
    }
    pal_stage_label(studio->stage, studio->overlay, &layout);
    pal_hud_draw_force_bar(studio->overlay, &layout, pal_stage_force_share(studio->stage), false);
    if (words != NULL) {
        write_words(studio->overlay, words, &layout.panel[PAL_PANEL_TITLE]);
    }
    return pal_overlay_end(studio->overlay, err);
}

pal_status pal_studio_take(pal_studio *studio, const pal_view *view, const pal_snapshot *shot,
                           const pal_studio_words *words, pal_image *image, pal_err *err) {
    *image = (pal_image){0};
    const pal_status status = pal_studio_draw(studio, view, shot, words, err);
    return status == PAL_OK ? pal_gl_target_read(&studio->target, image, err) : status;
}

pal_status pal_studio_fit(pal_studio *studio, pal_view *view, const pal_snapshot *shot, double zoom,
                          pal_err *err) {
    const pal_gl_target *target = &studio->target;
    pal_layout layout;
    pal_overlay_begin(studio->overlay, target->width, target->height, scale_of(studio, view));
    lay_out(studio, view, &layout);
    return pal_stage_fit(studio->stage, view, target->width, target->height, &layout, shot, zoom,
                         err);
}
