// The two maps of a search, from above: where it was pressed, and what was felt there.
#include <math.h>
#include <stdio.h>

#include "app/score.h"
#include "render/colormap.h"
#include "render/label.h"

enum { // pixels
    WIDTH = 1400,
    MARGIN = 36,
    GAP = 60,
    HEAD = 104, // title and names of the maps
    BAR = 18,   // of the scale of colours
    FOOT = 150, // scale, legend
    RING = 64,  // points of a circle
};
static const pal_rgb paper = {0xFF, 0xFF, 0xFF}, ink = {0x1B, 0x1F, 0x27};
static const pal_rgb quiet_ink = {0x56, 0x5D, 0x69}, untouched = {0xDD, 0xDF, 0xE3};
// Okabe and Ito, 2008: vermilion for the truth, black under white for what the hand says.
static const pal_rgb truth_colour = {0xD5, 0x5E, 0x00};

typedef struct drawing {
    const pal_score_result *r;
    pal_image image;
    pal_font *plain, *bold;
    int32_t panel_width, panel_height, bottom; // pixels
    double scale;                              // pixels by metre
    pal_err *err;
} drawing;

typedef struct panel {
    const char *name, *unit;
    const double *value; // [height][width]
    double low, high;    // of the scale
    int32_t left;
    const char *none; // what grey means: below low, or not a number
} panel;

static pal_status text(drawing *d, const pal_font *font, double size, pal_align align, double x,
                       double y, const char *words) {
    const pal_label_style style = {
        .font = font, .size = size, .colour = size < 18.0 ? quiet_ink : ink, .align = align};
    return pal_label_draw(&d->image, &style, x, y, words, d->err);
}

// A place on the map in pixels; y is up.
static void pixel_of(const drawing *d, const panel *p, const double at[2], double out[2]) {
    out[0] = p->left + (at[0] - d->r->map.low[0]) * d->scale;
    out[1] = HEAD + d->panel_height - (at[1] - d->r->map.low[1]) * d->scale;
}

static double tone(const panel *p, double value) {
    return p->high > p->low ? (value - p->low) / (p->high - p->low) : 0.0;
}

static void draw_cells(drawing *d, const panel *p) {
    const pal_score_map *map = &d->r->map;
    for (int32_t y = 0; y < d->panel_height; y++) {
        for (int32_t x = 0; x < d->panel_width; x++) {
            int32_t i = (int32_t)((x + 0.5) / d->scale / map->cell);
            int32_t j = (int32_t)((d->panel_height - y - 0.5) / d->scale / map->cell);
            i = i < map->width ? i : map->width - 1;
            j = j < map->height ? j : map->height - 1;
            const double value = p->value[(int64_t)j * map->width + i];
            const bool none = !isfinite(value) || value < p->low;
            pal_image_blend(&d->image, p->left + x, HEAD + y,
                            none ? untouched : pal_colormap_rgb(tone(p, value)), 1.0);
        }
    }
    pal_image_frame(&d->image, p->left - 1, HEAD - 1, d->panel_width + 2, d->panel_height + 2,
                    quiet_ink);
}

static pal_status ring(drawing *d, const double centre[2], double radius, double width,
                       pal_rgb colour) {
    double point[2 * (RING + 1)];
    for (int k = 0; k <= RING; k++) {
        point[2 * k] = centre[0] + radius * cos(2.0 * M_PI * k / RING);
        point[2 * k + 1] = centre[1] + radius * sin(2.0 * M_PI * k / RING);
    }
    return pal_image_polyline(&d->image, point, RING + 1, width, colour, d->err);
}

// The nodule: a ring as large as it is, with a white rim to stand off from every tone.
static pal_status draw_truth(drawing *d, const double centre[2], double radius) {
    pal_status status = ring(d, centre, radius, 7.0, paper);
    return status == PAL_OK ? ring(d, centre, radius, 3.5, truth_colour) : status;
}

// What the hand says: a cross.
static pal_status draw_cross(drawing *d, const double centre[2]) {
    const double arm = 11.0;
    pal_status status = PAL_OK;
    for (int k = 0; k < 4 && status == PAL_OK; k++) {
        const double turn = k % 2 == 0 ? 1.0 : -1.0;
        const double line[4] = {centre[0] - arm, centre[1] - turn * arm, centre[0] + arm,
                                centre[1] + turn * arm};
        status =
            pal_image_polyline(&d->image, line, 2, k < 2 ? 8.0 : 4.0, k < 2 ? paper : ink, d->err);
    }
    return status;
}

static pal_status draw_scale(drawing *d, const panel *p) {
    const int32_t width = d->panel_width / 2, top = d->bottom + 20;
    for (int32_t x = 0; x < width; x++) {
        pal_image_fill(&d->image, p->left + x, top, 1, BAR, pal_colormap_rgb((x + 0.5) / width));
    }
    char words[64];
    snprintf(words, sizeof words, "%.2f", p->low);
    pal_status status = text(d, d->plain, 17.0, PAL_LEFT, p->left, top + BAR + 20.0, words);
    snprintf(words, sizeof words, "%.2f %s", p->high, p->unit);
    if (status == PAL_OK) {
        status = text(d, d->plain, 17.0, PAL_RIGHT, p->left + width, top + BAR + 20.0, words);
    }
    pal_image_fill(&d->image, p->left + width + 30, top, BAR, BAR, untouched);
    return status == PAL_OK ? text(d, d->plain, 17.0, PAL_LEFT, p->left + width + 30.0 + BAR + 8.0,
                                   top + 15.0, p->none)
                            : status;
}

// 10 mm on the map.
static pal_status draw_ruler(drawing *d, const panel *p) {
    const double length = 0.01 * d->scale;
    const double x = p->left + d->panel_width - length - 12.0, y = HEAD + d->panel_height - 14.0;
    pal_image_fill(&d->image, (int32_t)x - 6, (int32_t)y - 26, (int32_t)length + 12, 36, paper);
    pal_image_fill(&d->image, (int32_t)x, (int32_t)y, (int32_t)length, 4, ink);
    return text(d, d->plain, 17.0, PAL_CENTRE, x + 0.5 * length, y - 7.0, "10 mm");
}

static pal_status draw_panel(drawing *d, const panel *p) {
    double truth[2], guess[2];
    draw_cells(d, p);
    pixel_of(d, p, d->r->truth.place, truth);
    pixel_of(d, p, d->r->guess, guess);
    pal_status status = draw_truth(d, truth, d->r->truth.radius * d->scale);
    if (status == PAL_OK && d->r->by != PAL_FOUND_NOTHING) {
        status = draw_cross(d, guess);
    }
    if (status == PAL_OK) {
        status = text(d, d->plain, 20.0, PAL_LEFT, p->left, HEAD - 14.0, p->name);
    }
    if (status == PAL_OK) {
        status = draw_scale(d, p);
    }
    return status == PAL_OK ? draw_ruler(d, p) : status;
}

static pal_status draw_legend(drawing *d) {
    const double y = d->bottom + 110.0;
    const double at[2] = {MARGIN + 14.0, y}, mark[2] = {MARGIN + 330.0, y};
    char words[160];
    snprintf(words, sizeof words, "where the %.40s is", d->r->truth.name);
    pal_status status = draw_truth(d, at, 11.0);
    if (status == PAL_OK) {
        status = text(d, d->plain, 20.0, PAL_LEFT, at[0] + 24.0, y + 7.0, words);
    }
    if (status == PAL_OK && d->r->by != PAL_FOUND_NOTHING) {
        status = draw_cross(d, mark);
    }
    if (status == PAL_OK) {
        status =
            text(d, d->plain, 20.0, PAL_LEFT, mark[0] + 24.0, y + 7.0,
                 d->r->by == PAL_FOUND_MARK   ? "where the hand marked it"
                 : d->r->by == PAL_FOUND_FELT ? "where it was felt hardest (nothing was marked)"
                                              : "nothing was marked, and nothing stood out");
    }
    return status;
}

static pal_status draw_title(drawing *d) {
    const pal_score_result *r = d->r;
    char words[200];
    if (r->by == PAL_FOUND_NOTHING) {
        snprintf(words, sizeof words, "The %.40s was not found", r->truth.name);
    } else {
        snprintf(words, sizeof words, "The %.40s was %sfound: %.1f mm off", r->truth.name,
                 r->found ? "" : "not ", 1e3 * r->distance);
    }
    return text(d, d->bold, 27.0, PAL_LEFT, MARGIN, MARGIN + 18.0, words);
}

// The felt forces from the median's side to the greatest.
static void felt_range(const pal_score_map *map, double *low, double *high) {
    *low = INFINITY;
    *high = -INFINITY;
    for (int64_t k = 0; k < (int64_t)map->width * map->height; k++) {
        if (isfinite(map->force[k])) {
            *low = fmin(*low, map->force[k]);
            *high = fmax(*high, map->force[k]);
        }
    }
    if (!(*low < *high)) {
        *low = 0.0;
        *high = 1.0;
    }
}

static pal_status draw(drawing *d) {
    const pal_score_map *map = &d->r->map;
    char pressed[120], felt[120];
    snprintf(pressed, sizeof pressed, "Pressed: %.0f %% with %.2f N or more, from above",
             100.0 * d->r->coverage, d->r->enough);
    snprintf(felt, sizeof felt, "Felt: the force at equal depth, %.1f mm", 1e3 * d->r->depth);
    panel left = {pressed, "N", map->pressed, d->r->enough, d->r->enough, MARGIN, "less"};
    panel right = {felt, "N", map->force, 0.0, 0.0, MARGIN + d->panel_width + GAP, "not felt"};
    for (int64_t k = 0; k < (int64_t)map->width * map->height; k++) {
        left.high = fmax(left.high, map->pressed[k]);
    }
    felt_range(map, &right.low, &right.high);
    pal_status status = draw_title(d);
    status = status == PAL_OK ? draw_panel(d, &left) : status;
    status = status == PAL_OK ? draw_panel(d, &right) : status;
    return status == PAL_OK ? draw_legend(d) : status;
}

pal_status pal_score_picture(const pal_score_result *r, const char *path, pal_err *err) {
    drawing d = {.r = r, .err = err, .panel_width = (WIDTH - 2 * MARGIN - GAP) / 2};
    const double side[2] = {r->map.width * r->map.cell, r->map.height * r->map.cell};
    const double most_height = 1.5 * d.panel_width; // of a narrow map
    d.scale = fmin(d.panel_width / side[0], most_height / side[1]);
    d.panel_width = (int32_t)ceil(side[0] * d.scale - 1e-6);
    d.panel_height = (int32_t)ceil(side[1] * d.scale - 1e-6);
    d.bottom = HEAD + d.panel_height;
    pal_status status = pal_font_open(PAL_FONT_PLAIN, &d.plain, err);
    status = status == PAL_OK ? pal_font_open(PAL_FONT_BOLD, &d.bold, err) : status;
    status =
        status == PAL_OK ? pal_image_alloc(&d.image, WIDTH, d.bottom + FOOT, paper, err) : status;
    status = status == PAL_OK ? draw(&d) : status;
    status = status == PAL_OK ? pal_image_write_png(path, &d.image, err) : status;
    pal_font_close(d.plain);
    pal_font_close(d.bold);
    pal_image_free(&d.image);
    return status;
}
