#include "render/mode_sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/body_draw.h"
#include "render/colormap.h"
#include "render/label.h"
#include "sim/base/memory.h"
#include "sim/base/parallel.h"
#include "sim/base/vec3.h"

enum { // pixels
    WIDTH = 1800,
    MOST_HEIGHT = 1200,
    MARGIN = 40,
    HEADER = 156,
    GAP = 20,
    CARD_TOP = 62, // kept free of the body inside a card
    CARD_SIDE = 28,
    LABEL_SIDE = 20,
    CARD_BOTTOM = 36,
    LEAST_CARD = 220,
    BAR_WIDTH = 400,
    BAR_HEIGHT = 18,
};
static const double wanted_amplitude = 0.18; // of the longest side
static const double most_turn = 0.8;         // |difference of u| / length along nearly all edges
static const double nearly_all = 0.98;
static const double elevation = 22.0, azimuth = 28.0; // degrees
static const pal_rgb paper = {0xF3, 0xF4, 0xF6}, rule = {0xD9, 0xDC, 0xE1};
static const pal_rgb ink = {0x1B, 0x1F, 0x27}, quiet_ink = {0x56, 0x5D, 0x69};

typedef struct sheet {
    const pal_model *model;
    pal_up up;
    int32_t count, columns, rows;
    int32_t card_width, card_height; // pixels
    double *shape; // [1 + count][vertices][3]: rest, then displaced, turned so that z is up
    float *tone;   // [count][vertices]
    double *work;  // [max of mesh values, surface edges]
    double largest[PAL_MODE_SHEET_MOST];  // m, of each shape
    pal_status done[PAL_MODE_SHEET_MOST]; // of each panel
    pal_err trouble[PAL_MODE_SHEET_MOST]; // of each panel
    double size, floor;                   // longest side, lowest point: m
    pal_camera camera;                    // for a card whose corner is pixel (0, 0)
    pal_image image;
    pal_font *plain, *bold;
} sheet;

static pal_status check_model(const pal_model *model, int mode_count, pal_err *err) {
    const pal_surface *s = &model->surface;
    if (mode_count < 1) {
        return pal_fail(err, PAL_ERR_USAGE, "a picture of %d shapes; ask for 1 or more",
                        mode_count);
    }
    if (model->r < 1 || s->vertex_count < 1 || s->triangle_count < 1 ||
        model->embedding.point_count != s->vertex_count) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "model '%s' cannot be drawn: r = %d, surface of %d vertices and %d "
                        "triangles, %d of them embedded",
                        model->name, (int)model->r, (int)s->vertex_count, (int)s->triangle_count,
                        (int)model->embedding.point_count);
    }
    return PAL_OK;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// How fast the displacement u changes along nearly all edges: strain and turn per unit amplitude.
static double steepness(const sheet *s, const double *u) {
    const pal_surface *surface = &s->model->surface;
    int64_t count = 0;
    for (int64_t i = 0; i < 3 * (int64_t)surface->triangle_count; i++) {
        int64_t next = i % 3 == 2 ? i - 2 : i + 1;
        int64_t a = 3 * (int64_t)surface->triangle[i], b = 3 * (int64_t)surface->triangle[next];
        double dx[3], du[3];
        pal_sub3(surface->x + b, surface->x + a, dx);
        pal_sub3(u + b, u + a, du);
        double length = pal_norm3(dx);
        if (length > 1e-6 * s->size) {
            s->work[count++] = pal_norm3(du) / length;
        }
    }
    qsort(s->work, (size_t)count, sizeof *s->work, ascending);
    return count > 0 ? s->work[(int64_t)(nearly_all * (double)(count - 1))] : 0.0;
}

static void turn_all(pal_up up, double *x, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const double own[3] = {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
        pal_up_level(up, own, x + 3 * i);
    }
}

// The surface displaced along basis vector i, and its colours.
static pal_status make_shape(sheet *s, int32_t i, pal_err *err) {
    const pal_model *model = s->model;
    int32_t n = model->surface.vertex_count;
    double *x = s->shape + 3 * (int64_t)n * (i + 1);
    for (int64_t k = 0; k < 3 * (int64_t)model->mesh.vertex_count; k++) {
        s->work[k] = model->basis[k * model->r + i];
    }
    pal_embedding_displace(&model->embedding, s->work, x);
    const double steep = steepness(s, x);
    turn_all(s->up, x, n);

    // Amplitude and sign from the largest displacement.
    double largest = 0.0, direction = 0.0;
    for (int64_t v = 0; v < n; v++) {
        double length = pal_norm3(x + 3 * v);
        if (!isfinite(length)) {
            return pal_fail(err, PAL_ERR_INPUT,
                            "model '%s' cannot be drawn: basis vector %d is not finite",
                            model->name, (int)i + 1);
        }
        if (length > largest) {
            largest = length;
            direction = x[3 * v + 2] + 0.8 * pal_dot3(x + 3 * v, s->camera.right);
        }
    }
    double amplitude = 0.0;
    if (largest > 0.0) {
        amplitude = fmin(wanted_amplitude * s->size / largest, most_turn / steep);
    }
    s->largest[i] = amplitude * largest;
    for (int64_t v = 0; v < n; v++) {
        s->tone[(int64_t)n * i + v] = (float)(pal_norm3(x + 3 * v) / fmax(largest, 1e-300));
        for (int c = 0; c < 3; c++) {
            x[3 * v + c] =
                s->shape[3 * v + c] + (direction < 0.0 ? -amplitude : amplitude) * x[3 * v + c];
        }
    }
    return PAL_OK;
}

static pal_status make_shapes(sheet *s, pal_err *err) {
    const pal_surface *surface = &s->model->surface;
    int64_t n = surface->vertex_count;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    memcpy(s->shape, surface->x, 3 * (size_t)n * sizeof *s->shape);
    turn_all(s->up, s->shape, n);
    for (int64_t i = 0; i < 3 * n; i++) {
        low[i % 3] = fmin(low[i % 3], s->shape[i]);
        high[i % 3] = fmax(high[i % 3], s->shape[i]);
    }
    double side[3];
    pal_sub3(high, low, side);
    s->size = fmax(fmax(side[0], side[1]), side[2]);
    if (!(s->size > 0.0 && isfinite(s->size))) {
        return pal_fail(err, PAL_ERR_INPUT, "model '%s' cannot be drawn: its surface has no size",
                        s->model->name);
    }
    // The longer horizontal side goes across the picture.
    pal_camera_turn(&s->camera, PAL_UP_Z, side[0] >= side[1] ? azimuth : 90.0 - azimuth, elevation);
    pal_status status = PAL_OK;
    for (int32_t i = 0; i < s->count && status == PAL_OK; i++) {
        status = make_shape(s, i, err);
    }
    s->floor = INFINITY;
    for (int64_t i = 0; i < (s->count + 1) * n; i++) {
        s->floor = fmin(s->floor, s->shape[3 * i + 2]);
    }
    return status;
}

// Cards as large as the sheet allows.
static void size_cards(sheet *s) {
    s->rows = (s->count + s->columns - 1) / s->columns;
    s->card_width = (WIDTH - 2 * MARGIN - (s->columns - 1) * GAP) / s->columns;
    s->card_height = (MOST_HEIGHT - HEADER - MARGIN - (s->rows - 1) * GAP) / s->rows;
}

// Takes away the height that no shape uses.
static void trim_cards(sheet *s) {
    int64_t points = (int64_t)s->model->surface.vertex_count * (s->count + 1);
    double top = INFINITY, bottom = -INFINITY;
    for (int64_t i = 0; i < points; i++) {
        double screen[3];
        pal_camera_project(&s->camera, s->shape + 3 * i, screen);
        top = fmin(top, screen[1]);
        bottom = fmax(bottom, screen[1]);
    }
    int32_t needed = (int32_t)ceil(bottom - top) + CARD_TOP + CARD_BOTTOM;
    needed = needed > LEAST_CARD ? needed : LEAST_CARD;
    if (needed < s->card_height) {
        s->card_height = needed;
        s->camera.centre[1] += 0.5 * (CARD_TOP + needed - CARD_BOTTOM) - 0.5 * (top + bottom);
    }
}

// The arrangement of cards that shows the body largest, and the camera for it. One camera for all
// cards: the rest shape stands at the same place in each.
static void arrange(sheet *s) {
    int64_t points = (int64_t)s->model->surface.vertex_count * (s->count + 1);
    double best = 0.0;
    sheet trial = *s;
    for (trial.columns = 1; trial.columns <= s->count; trial.columns++) {
        size_cards(&trial);
        pal_frame frame = {CARD_SIDE, CARD_TOP, trial.card_width - 2 * CARD_SIDE,
                           trial.card_height - CARD_TOP - CARD_BOTTOM};
        if (trial.card_width < LEAST_CARD || trial.card_height < LEAST_CARD) {
            continue;
        }
        double scale = pal_camera_fit(&trial.camera, &frame, s->shape, points);
        double full = (double)s->count / (trial.columns * trial.rows);
        if (scale * sqrt(full) > best) {
            best = scale * sqrt(full);
            s->columns = trial.columns;
            s->camera = trial.camera;
        }
    }
    size_cards(s);
    trim_cards(s);
}

static void card_corner(const sheet *s, int32_t i, int32_t *left, int32_t *top) {
    *left = MARGIN + i % s->columns * (s->card_width + GAP);
    *top = HEADER + i / s->columns * (s->card_height + GAP);
}

static void draw_card(void *context, int index, int thread) {
    (void)thread;
    sheet *s = context;
    int64_t n = s->model->surface.vertex_count;
    pal_body_view view = {.body = s->model->surface,
                          .rest = s->shape,
                          .tone = s->tone + n * index,
                          .camera = s->camera,
                          .floor = s->floor,
                          .width = s->card_width,
                          .height = s->card_height};
    view.body.x = s->shape + 3 * n * (index + 1);
    card_corner(s, index, &view.left, &view.top);
    view.camera.centre[0] += view.left;
    view.camera.centre[1] += view.top;
    s->done[index] = pal_body_draw(&s->image, &view, &s->trouble[index]);
    pal_image_frame(&s->image, view.left, view.top, view.width, view.height, rule);
}

// 12345678 as "12,345,678".
static void write_count(int64_t count, char *text, size_t room) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)count);
    size_t at = 0;
    for (int i = 0; i < length && at + 2 < room; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            text[at++] = ',';
        }
        text[at++] = digits[i];
    }
    text[at] = '\0';
}

// Three digits and a unit that suits.
static void write_length(double metres, char *text, size_t room) {
    static const struct {
        double size;
        const char *name;
    } unit[] = {{1e3, "km"}, {1.0, "m"}, {1e-3, "mm"}, {1e-6, "µm"}};
    int i = 0;
    while (i < 3 && metres < 0.9995 * unit[i].size) {
        i++;
    }
    snprintf(text, room, "%.3g %s", metres / unit[i].size, unit[i].name);
}

static pal_label_style style_of(const pal_font *font, double size, pal_rgb colour,
                                pal_align align) {
    return (pal_label_style){.font = font, .size = size, .colour = colour, .align = align};
}

// The words before the largest displacement: the most that fit on every card beside its name.
static const char *choose_words(const sheet *s, const pal_label_style *left,
                                const pal_label_style *right) {
    static const char *const words[] = {"largest displacement ", "largest ", ""};
    double room = s->card_width - 2 * LABEL_SIDE - GAP - pal_label_width(left, "shape 12") -
                  pal_label_width(right, "88.8 mm");
    int k = 0;
    while (k < 2 && pal_label_width(right, words[k]) > room) {
        k++;
    }
    return words[k];
}

static pal_status label_cards(sheet *s, pal_err *err) {
    pal_label_style left = style_of(s->bold, 25.0, ink, PAL_LEFT);
    pal_label_style right = style_of(s->plain, 20.0, quiet_ink, PAL_RIGHT);
    const char *words = choose_words(s, &left, &right);
    pal_status status = PAL_OK;
    for (int32_t i = 0; i < s->count && status == PAL_OK; i++) {
        char text[64], length[32];
        int32_t x, y;
        card_corner(s, i, &x, &y);
        snprintf(text, sizeof text, "shape %d", (int)i + 1);
        status = pal_label_draw(&s->image, &left, x + LABEL_SIDE, y + 38.0, text, err);
        write_length(s->largest[i], length, sizeof length);
        snprintf(text, sizeof text, "%s%s", words, length);
        if (status == PAL_OK) {
            status = pal_label_draw(&s->image, &right, x + s->card_width - LABEL_SIDE, y + 37.0,
                                    text, err);
        }
    }
    return status;
}

// Adds `more` to a text when it still fits the width (and the room).
static bool append_fitting(char *text, size_t room, const pal_label_style *style, double width,
                           const char *more) {
    size_t length = strlen(text);
    if (length + strlen(more) + 1 > room) {
        return false;
    }
    strcpy(text + length, more);
    if (pal_label_width(style, text) > width) {
        text[length] = '\0';
        return false;
    }
    return true;
}

static void write_frequency(double hz, char *text, size_t room) {
    snprintf(text, room, hz >= 999.5 && hz < 1e6 ? "%.0f" : "%.3g", hz);
}

// "linear modes at 3.21, 4.4 ... Hz", as many as fit.
static void write_frequencies(const pal_model *model, const pal_label_style *style, double width,
                              char *text, size_t room) {
    if (model->mode_count < 1) {
        snprintf(text, room, "basis from shapes under load");
        return;
    }
    snprintf(text, room, "linear modes at ");
    const char *last = " Hz";
    for (int32_t i = 0; i < model->mode_count; i++) {
        char number[32], item[40];
        write_frequency(model->frequencies_hz[i], number, sizeof number);
        snprintf(item, sizeof item, "%s%s", i > 0 ? ", " : "", number);
        if (!append_fitting(text, room - 16, style, width - pal_label_width(style, ", … Hz"),
                            item)) {
            last = ", … Hz";
            break;
        }
    }
    append_fitting(text, room, style, INFINITY, last);
}

static pal_status draw_bar(sheet *s, pal_err *err) {
    int32_t left = WIDTH - MARGIN - BAR_WIDTH, top = 66;
    for (int32_t i = 0; i < BAR_WIDTH; i++) {
        pal_image_fill(&s->image, left + i, top, 1, BAR_HEIGHT,
                       pal_colormap_rgb((i + 0.5) / BAR_WIDTH));
    }
    pal_label_style style = style_of(s->plain, 20.0, quiet_ink, PAL_LEFT);
    pal_status status = pal_label_draw(&s->image, &style, left, top - 12.0,
                                       "displacement, % of each shape's largest", err);
    for (int k = 0; k <= 4 && status == PAL_OK; k++) {
        char text[16];
        int32_t x = left + k * (BAR_WIDTH - 1) / 4;
        pal_image_fill(&s->image, x, top + BAR_HEIGHT, 1, 6, quiet_ink);
        snprintf(text, sizeof text, "%d", 25 * k);
        style.align = k == 0 ? PAL_LEFT : k == 4 ? PAL_RIGHT : PAL_CENTRE;
        status = pal_label_draw(&s->image, &style, k == 4 ? x + 1.0 : x, top + BAR_HEIGHT + 25.0,
                                text, err);
    }
    return status;
}

static pal_status draw_header(sheet *s, pal_err *err) {
    const pal_model *model = s->model;
    double width = WIDTH - 2 * MARGIN - BAR_WIDTH - 2 * GAP;
    pal_label_style title = style_of(s->bold, 44.0, ink, PAL_LEFT);
    pal_label_style line = style_of(s->plain, 23.0, quiet_ink, PAL_LEFT);
    char text[512] = "", vertices[32], elements[32], triangles[32];

    // The name, cut by code points if it must be.
    for (const char *c = model->name; *c != '\0';) {
        char piece[8] = {*c++};
        for (int k = 1; k < 4 && (*c & 0xC0) == 0x80; k++) {
            piece[k] = *c++;
        }
        if (!append_fitting(text, sizeof text - 8, &title, width - 40.0, piece)) {
            append_fitting(text, sizeof text, &title, INFINITY, "…");
            break;
        }
    }
    pal_status status = pal_label_draw(&s->image, &title, MARGIN - 2.0, 66.0, text, err);

    bool light = model->total_mass < 0.9995;
    write_count(model->mesh.vertex_count, vertices, sizeof vertices);
    write_count(model->mesh.element_count, elements, sizeof elements);
    write_count(model->surface.triangle_count, triangles, sizeof triangles);
    snprintf(text, sizeof text, "%s vertices  ·  %s %s  ·  %s triangles  ·  r = %d  ·  %.3g %s",
             vertices, elements, model->mesh.kind == PAL_TET4 ? "tetrahedra" : "voxels", triangles,
             (int)model->r, light ? 1e3 * model->total_mass : model->total_mass,
             light ? "g" : "kg");
    if (status == PAL_OK) {
        status = pal_label_draw(&s->image, &line, MARGIN, 102.0, text, err);
    }
    write_frequencies(model, &line, width, text, sizeof text);
    if (status == PAL_OK) {
        status = pal_label_draw(&s->image, &line, MARGIN, 134.0, text, err);
    }
    return status == PAL_OK ? draw_bar(s, err) : status;
}

static pal_status make_room(sheet *s, pal_err *err) {
    size_t n = (size_t)s->model->surface.vertex_count;
    size_t values = 3 * (size_t)s->model->mesh.vertex_count;
    size_t edges = 3 * (size_t)s->model->surface.triangle_count;
    bool ok = (s->shape = PAL_NEW(double, 3 * n * ((size_t)s->count + 1), err)) != NULL &&
              (s->tone = PAL_NEW(float, n *(size_t)s->count, err)) != NULL &&
              (s->work = PAL_NEW(double, values > edges ? values : edges, err)) != NULL;
    return ok ? PAL_OK : PAL_ERR_MEMORY;
}

static pal_status draw_sheet(sheet *s, pal_err *err) {
    // Fonts first: a missing one is told before the work.
    pal_status status = pal_font_open(PAL_FONT_PLAIN, &s->plain, err);
    if (status == PAL_OK) {
        status = pal_font_open(PAL_FONT_BOLD, &s->bold, err);
    }
    if (status == PAL_OK) {
        status = make_room(s, err);
    }
    if (status == PAL_OK) {
        status = make_shapes(s, err);
    }
    if (status != PAL_OK) {
        return status;
    }
    arrange(s);
    int32_t height = HEADER + s->rows * (s->card_height + GAP) - GAP + MARGIN;
    status = pal_image_alloc(&s->image, WIDTH, height, paper, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_parallel_for(s->count, draw_card, s);
    for (int32_t i = 0; i < s->count; i++) {
        if (s->done[i] != PAL_OK) {
            return pal_fail(err, s->done[i], "%s", s->trouble[i].text);
        }
    }
    status = label_cards(s, err);
    return status == PAL_OK ? draw_header(s, err) : status;
}

pal_status pal_mode_sheet_write(const char *path, const pal_model *model, pal_up up, int mode_count,
                                pal_err *err) {
    pal_status status = check_model(model, mode_count, err);
    sheet *s = status == PAL_OK ? PAL_NEW(sheet, 1, err) : NULL;
    if (s == NULL) {
        return status == PAL_OK ? PAL_ERR_MEMORY : status;
    }
    int32_t most = model->r < PAL_MODE_SHEET_MOST ? model->r : PAL_MODE_SHEET_MOST;
    s->model = model;
    s->up = up;
    s->count = mode_count < most ? mode_count : most;
    status = draw_sheet(s, err);
    if (status == PAL_OK) {
        status = pal_image_write_png(path, &s->image, err);
    }
    pal_font_close(s->plain);
    pal_font_close(s->bold);
    pal_image_free(&s->image);
    free(s->shape);
    free(s->tone);
    free(s->work);
    free(s);
    return status;
}
