#include "render/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/label.h"
#include "sim/base/memory.h"

enum { // pixels
    WIDTH = 1200,
    HEIGHT = 720,
    MARGIN = 28,
    TICK = 6,
    LEGEND_LINE = 30, // length of a line's sample
};
enum { WANTED_TICKS = 6, TICK_TEXT = 32 };
static const double tick_size = 18.0, label_size = 20.0, title_size = 27.0;
static const pal_rgb paper = {0xFF, 0xFF, 0xFF}, grid = {0xE4, 0xE7, 0xEB};
static const pal_rgb ink = {0x1B, 0x1F, 0x27}, quiet_ink = {0x56, 0x5D, 0x69};

// Okabe and Ito, 2008, less the yellow that is too light for a line.
static const pal_rgb line_colour[PAL_PLOT_MOST] = {
    {0x00, 0x72, 0xB2}, {0xD5, 0x5E, 0x00}, {0x00, 0x9E, 0x73}, {0xCC, 0x79, 0xA7},
    {0x56, 0xB4, 0xE9}, {0xE6, 0x9F, 0x00}, {0x00, 0x00, 0x00},
};

// Of a map: pale, so that lines stand out; they differ in lightness as well.
static const pal_rgb cell_colour[3] = {{0xF3, 0xF4, 0xF6}, {0xFB, 0xE3, 0xB5}, {0xB9, 0xDF, 0xD0}};

typedef struct axis {
    double low, high; // of what is shown
    double step;      // between ticks, at whole multiples of it
    double from, to;  // pixels of low and high
} axis;

typedef struct picture {
    const pal_plot *plot;
    pal_image image;
    pal_font *plain, *bold;
    axis x, y;
    double legend_rows;
} picture;

static void widen(axis *a, double value) {
    a->low = fmin(a->low, value);
    a->high = fmax(a->high, value);
}

static double pixel_of(const axis *a, double value) {
    return a->from + (value - a->low) / (a->high - a->low) * (a->to - a->from);
}

// A round step (1, 2 or 5 times a power of ten) that gives about the wanted number of ticks; a
// range of no size gets one.
static void choose_ticks(axis *a) {
    double size = fmax(fabs(a->low), fabs(a->high));
    if (a->high - a->low <= 1e-12 * size || a->high == a->low) {
        double more = size > 0.0 ? 0.05 * size : 1.0;
        a->low -= more;
        a->high += more;
    }
    double rough = (a->high - a->low) / WANTED_TICKS;
    double power = pow(10.0, floor(log10(rough)));
    double digit = rough / power;
    a->step = power * (digit <= 1.0 ? 1.0 : digit <= 2.0 ? 2.0 : digit <= 5.0 ? 5.0 : 10.0);
}

static pal_status choose_ranges(picture *p, pal_err *err) {
    axis empty = {.low = INFINITY, .high = -INFINITY};
    p->x = p->y = empty;
    for (int32_t k = 0; k < p->plot->line_count; k++) {
        const pal_plot_line *line = &p->plot->line[k];
        for (int32_t i = 0; i < line->count; i++) {
            if (isfinite(line->x[i]) && isfinite(line->y[i])) {
                widen(&p->x, line->x[i]);
                widen(&p->y, line->y[i]);
            }
        }
    }
    const pal_plot_map *m = &p->plot->map;
    if (m->value != NULL) {
        const double half[2] = {0.5 * (m->x[1] - m->x[0]), 0.5 * (m->y[1] - m->y[0])};
        widen(&p->x, m->x[0] - half[0]);
        widen(&p->x, m->x[m->columns - 1] + half[0]);
        widen(&p->y, m->y[0] - half[1]);
        widen(&p->y, m->y[m->rows - 1] + half[1]);
    }
    const double most = 1e300;
    if (!(p->x.low <= p->x.high)) {
        return pal_fail(err, PAL_ERR_INPUT, "the plot '%s' has no finite point", p->plot->title);
    }
    if (fmax(-p->x.low, p->x.high) > most || fmax(-p->y.low, p->y.high) > most) {
        return pal_fail(err, PAL_ERR_INPUT, "the plot '%s' has values beyond 1e300",
                        p->plot->title);
    }
    choose_ticks(&p->x);
    choose_ticks(&p->y);
    if (m->value != NULL) { // a map fills its axes
        return PAL_OK;
    }
    // The value axis ends on ticks; the other one with the data.
    p->y.low = p->y.step * floor(p->y.low / p->y.step + 1e-9);
    p->y.high = p->y.step * ceil(p->y.high / p->y.step - 1e-9);
    return PAL_OK;
}

// Tick i of an axis, counted from the first inside; false past the last.
static bool tick_at(const axis *a, int i, double *value, char text[TICK_TEXT]) {
    double slack = 1e-9 * (a->high - a->low);
    double number = ceil((a->low - slack) / a->step) + i;
    *value = number * a->step;
    if (*value > a->high + slack || i > 4 * WANTED_TICKS) {
        return false;
    }
    *value = number == 0.0 ? 0.0 : *value; // no minus zero
    int places = (int)fmax(-floor(log10(a->step) + 1e-9), 0.0);
    bool plain = places <= 5 && fmax(fabs(a->low), fabs(a->high)) < 1e6;
    snprintf(text, TICK_TEXT, plain ? "%.*f" : "%.*g", plain ? places : 4, *value);
    return true;
}

static pal_label_style style_of(const pal_font *font, double size, pal_rgb colour,
                                pal_align align) {
    return (pal_label_style){.font = font, .size = size, .colour = colour, .align = align};
}

// What a legend says of line k, or of colour k of the map past the lines; NULL: nothing.
static const char *legend_name(const picture *p, int32_t k) {
    const int32_t lines = p->plot->line_count;
    return k < lines                    ? p->plot->line[k].name
           : p->plot->map.value != NULL ? p->plot->map.names[k - lines]
                                        : NULL;
}

// A piece of the line, or a square of the colour.
static pal_status legend_sample(picture *p, int32_t k, double x, double y, pal_err *err) {
    const int32_t lines = p->plot->line_count;
    const double sample[4] = {x + 2.0, y - 7.0, x + LEGEND_LINE - 2.0, y - 7.0};
    if (k < lines) {
        return pal_image_polyline(&p->image, sample, 2, 3.5, line_colour[k], err);
    }
    pal_image_fill(&p->image, (int32_t)x + 6, (int32_t)y - 16, 18, 18, cell_colour[k - lines]);
    pal_image_frame(&p->image, (int32_t)x + 6, (int32_t)y - 16, 18, 18, quiet_ink);
    return PAL_OK;
}

// Names with a sample of their line, row by row. Without `draw` it only counts the rows.
static pal_status legend(picture *p, double top, bool draw, pal_err *err) {
    pal_label_style style = style_of(p->plain, label_size, ink, PAL_LEFT);
    double x = MARGIN, row = 0.0;
    pal_status status = PAL_OK;
    p->legend_rows = 0.0;
    for (int32_t k = 0; k < p->plot->line_count + 3 && status == PAL_OK; k++) {
        const char *name = legend_name(p, k);
        if (name == NULL) {
            continue;
        }
        double width = LEGEND_LINE + 10.0 + pal_label_width(&style, name);
        if (x > MARGIN && x + width > WIDTH - MARGIN) {
            x = MARGIN;
            row += 1.0;
        }
        double y = top + row * 28.0;
        if (draw) {
            status = legend_sample(p, k, x, y, err);
        }
        if (draw && status == PAL_OK) {
            status = pal_label_draw(&p->image, &style, x + LEGEND_LINE + 10.0, y, name, err);
        }
        x += width + 32.0;
        p->legend_rows = row + 1.0;
    }
    return status;
}

static double widest_tick(const picture *p, const axis *a) {
    pal_label_style style = style_of(p->plain, tick_size, ink, PAL_LEFT);
    double widest = 0.0, value;
    char text[TICK_TEXT];
    for (int i = 0; tick_at(a, i, &value, text); i++) {
        widest = fmax(widest, pal_label_width(&style, text));
    }
    return widest;
}

// Leaves room for the texts around.
static void place_axes(picture *p) {
    p->x.from = ceil(MARGIN + label_size + 14.0 + widest_tick(p, &p->y) + TICK + 6.0);
    p->x.to = floor(WIDTH - MARGIN - 0.5 * widest_tick(p, &p->x));
    p->y.from = HEIGHT - MARGIN - label_size - 12.0 - tick_size - TICK;
    p->y.to = MARGIN + title_size + 16.0 + 28.0 * p->legend_rows;
}

// Widens the axis that shows less for its pixels, about its middle, until both are in one scale.
static void even_out(picture *p) {
    const double a = (p->x.high - p->x.low) / fabs(p->x.to - p->x.from);
    const double b = (p->y.high - p->y.low) / fabs(p->y.to - p->y.from);
    axis *less = a < b ? &p->x : &p->y;
    const double more = 0.5 * (fmax(a, b) / fmin(a, b) - 1.0) * (less->high - less->low);
    less->low -= more;
    less->high += more;
    p->x.step = p->y.step = fmax(p->x.step, p->y.step);
}

// Grid, ticks and their numbers along one axis.
static pal_status draw_axis(picture *p, bool upright, pal_err *err) {
    const axis *a = upright ? &p->y : &p->x, *other = upright ? &p->x : &p->y;
    pal_label_style style =
        style_of(p->plain, tick_size, quiet_ink, upright ? PAL_RIGHT : PAL_CENTRE);
    int32_t length = (int32_t)fabs(other->to - other->from);
    int32_t left = (int32_t)p->x.from, top = (int32_t)p->y.to, bottom = (int32_t)p->y.from;
    pal_status status = PAL_OK;
    double value;
    char text[TICK_TEXT];
    for (int i = 0; status == PAL_OK && tick_at(a, i, &value, text); i++) {
        int32_t at = (int32_t)lround(pixel_of(a, value));
        if (upright) {
            pal_image_fill(&p->image, left, at, length, 1, grid);
            pal_image_fill(&p->image, left - TICK, at, TICK, 1, quiet_ink);
            status = pal_label_draw(&p->image, &style, left - TICK - 6.0, at + 6.0, text, err);
        } else {
            pal_image_fill(&p->image, at, top, 1, length, grid);
            pal_image_fill(&p->image, at, bottom, 1, TICK, quiet_ink);
            status = pal_label_draw(&p->image, &style, at, bottom + TICK + tick_size, text, err);
        }
    }
    return status;
}

// Cells meet without gaps: each reaches to where the next one begins.
static void draw_map(picture *p) {
    const pal_plot_map *m = &p->plot->map;
    const double wide = (p->x.to - p->x.from) / m->columns, high = (p->y.from - p->y.to) / m->rows;
    for (int32_t r = 0; r < m->rows; r++) {
        const int32_t top = (int32_t)lround(p->y.from - (r + 1) * high);
        const int32_t bottom = (int32_t)lround(p->y.from - r * high);
        for (int32_t c = 0; c < m->columns; c++) {
            const int32_t left = (int32_t)lround(p->x.from + c * wide);
            const int32_t right = (int32_t)lround(p->x.from + (c + 1) * wide);
            const double value = m->value[(size_t)r * (size_t)m->columns + (size_t)c];
            const int level = (int)lround(fmin(fmax(2.0 * value, 0.0), 2.0));
            pal_image_fill(&p->image, left, top, right - left, bottom - top, cell_colour[level]);
        }
    }
}

static pal_status draw_line(picture *p, int32_t k, pal_err *err) {
    const pal_plot_line *line = &p->plot->line[k];
    double *point = PAL_NEW(double, 2 * (size_t)line->count, err);
    if (point == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t i = 0; i < line->count; i++) {
        point[2 * (size_t)i] = pixel_of(&p->x, line->x[i]);
        point[2 * (size_t)i + 1] = pixel_of(&p->y, line->y[i]);
    }
    pal_status status = pal_image_polyline(&p->image, point, line->count, 2.4, line_colour[k], err);
    free(point);
    return status;
}

static pal_status draw_texts(picture *p, pal_err *err) {
    pal_label_style title = style_of(p->bold, title_size, ink, PAL_LEFT);
    pal_label_style label = style_of(p->plain, label_size, ink, PAL_CENTRE);
    double middle = 0.5 * (p->x.from + p->x.to);
    pal_status status =
        pal_label_draw(&p->image, &title, MARGIN, MARGIN + 20.0, p->plot->title, err);
    if (status == PAL_OK) {
        status = legend(p, MARGIN + title_size + 24.0, true, err);
    }
    if (status == PAL_OK) {
        status = pal_label_draw(&p->image, &label, middle, HEIGHT - MARGIN, p->plot->x_label, err);
    }
    label.upwards = true;
    if (status == PAL_OK) {
        status = pal_label_draw(&p->image, &label, MARGIN + 14.0, 0.5 * (p->y.from + p->y.to),
                                p->plot->y_label, err);
    }
    return status;
}

static pal_status draw_plot(picture *p, pal_err *err) {
    pal_status status = pal_font_open(PAL_FONT_PLAIN, &p->plain, err);
    status = status == PAL_OK ? pal_font_open(PAL_FONT_BOLD, &p->bold, err) : status;
    status = status == PAL_OK ? pal_image_alloc(&p->image, WIDTH, HEIGHT, paper, err) : status;
    status = status == PAL_OK ? legend(p, 0.0, false, err) : status;
    if (status != PAL_OK) {
        return status;
    }
    place_axes(p);
    if (p->plot->even) {
        even_out(p);
        place_axes(p);
    }
    if (p->plot->map.value != NULL) {
        draw_map(p);
    }
    status = draw_axis(p, false, err);
    status = status == PAL_OK ? draw_axis(p, true, err) : status;
    for (int32_t k = 0; k < p->plot->line_count && status == PAL_OK; k++) {
        status = draw_line(p, k, err);
    }
    if (status != PAL_OK) {
        return status;
    }
    // The two axes over the ends of the grid.
    int32_t left = (int32_t)p->x.from, top = (int32_t)p->y.to, bottom = (int32_t)p->y.from;
    pal_image_fill(&p->image, left, top, 1, bottom - top + 1, quiet_ink);
    pal_image_fill(&p->image, left, bottom, (int32_t)p->x.to - left + 1, 1, quiet_ink);
    return draw_texts(p, err);
}

// The image of p is made; free it.
static pal_status make_image(picture *p, pal_err *err) {
    if (p->plot->line_count < 1 || p->plot->line_count > PAL_PLOT_MOST) {
        return pal_fail(err, PAL_ERR_USAGE, "a plot of %d lines; 1 to %d can be drawn",
                        (int)p->plot->line_count, PAL_PLOT_MOST);
    }
    pal_status status = choose_ranges(p, err);
    if (status == PAL_OK) {
        status = draw_plot(p, err);
    }
    pal_font_close(p->plain);
    pal_font_close(p->bold);
    return status;
}

pal_status pal_plot_write(const char *path, const pal_plot *plot, pal_err *err) {
    picture p = {.plot = plot};
    pal_status status = make_image(&p, err);
    if (status == PAL_OK) {
        status = pal_image_write_png(path, &p.image, err);
    }
    pal_image_free(&p.image);
    return status;
}

pal_status pal_plot_write_sheet(const char *path, const pal_plot *plot, int32_t count,
                                int32_t columns, pal_err *err) {
    pal_image sheet = {0};
    const int32_t rows = (count + columns - 1) / columns;
    pal_status status = pal_image_alloc(&sheet, columns * WIDTH, rows * HEIGHT, paper, err);
    for (int32_t k = 0; status == PAL_OK && k < count; k++) {
        picture p = {.plot = &plot[k]};
        status = make_image(&p, err);
        const int64_t left = (int64_t)(k % columns) * WIDTH, top = (int64_t)(k / columns) * HEIGHT;
        for (int64_t y = 0; status == PAL_OK && y < HEIGHT; y++) {
            memcpy(sheet.rgb + 3 * ((top + y) * sheet.width + left), p.image.rgb + 3 * y * WIDTH,
                   (size_t)3 * WIDTH);
        }
        pal_image_free(&p.image);
    }
    if (status == PAL_OK) {
        status = pal_image_write_png(path, &sheet, err);
    }
    pal_image_free(&sheet);
    return status;
}
