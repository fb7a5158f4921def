#include "render/body_draw.h"

#include <math.h>
#include <stdlib.h>

#include "render/colormap.h"
#include "render/normals.h"
#include "render/raster.h"
#include "render/sky.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

enum {
    SUPER = 3,     // samples a side of each pixel
    OUTLINE = 5,   // width of the rest shape's outline, in samples
    BAND = 96,     // pixels drawn at a time
    COLOURS = 256, // steps of the colour map
    GAMMA_STEPS = 4096,
};

// Light is linear, white is 1.
static const double card_top[3] = {1.0, 1.0, 1.0};
static const double card_bottom[3] = {0.80, 0.83, 0.87};
static const double ghost_ink[3] = {0.16, 0.19, 0.24};
static const double ghost_fill = 0.13, ghost_line_behind = 0.72, ghost_line_before = 0.45;
static const double shadow_depth = 0.62;
static const double plain_grey = 0.55;

typedef struct lights { // unit directions
    double key[3], fill[3], rim[3];
} lights;

typedef struct studio { // all that is needed to draw one view
    const pal_body_view *view;
    pal_normals normals;
    pal_sky sky;
    lights lights;
    pal_raster body, ghost;         // a band of the view, SUPER samples a side of each pixel
    double *screen, *ghost_screen;  // [vertex_count][3] in samples
    double colour[COLOURS + 1][3];  // the colour map as light
    uint8_t gamma[GAMMA_STEPS + 1]; // light to sRGB
} studio;

static double positive(double value) {
    return value > 0.0 ? value : 0.0;
}

static double unit_range(double value) {
    return value > 1.0 ? 1.0 : positive(value);
}

// A direction given by the camera's axes and the world's up.
static void aim_light(const pal_camera *camera, double right, double back, double up, double *out) {
    for (int c = 0; c < 3; c++) {
        out[c] = right * camera->right[c] + back * camera->back[c];
    }
    out[2] += up;
    double scale = 1.0 / pal_norm3(out);
    for (int c = 0; c < 3; c++) {
        out[c] *= scale;
    }
}

static void fill_tables(studio *s) {
    for (int i = 0; i <= COLOURS; i++) {
        double rgb[3];
        pal_colormap((double)i / COLOURS, rgb);
        for (int c = 0; c < 3; c++) {
            s->colour[i][c] = pal_srgb_to_linear(rgb[c]);
        }
    }
    for (int i = 0; i <= GAMMA_STEPS; i++) {
        s->gamma[i] = (uint8_t)lround(pal_linear_to_srgb((double)i / GAMMA_STEPS));
    }
}

static void project_shape(const pal_body_view *view, const double *x, double *screen) {
    for (int64_t i = 0; i < view->body.vertex_count; i++) {
        double *p = screen + 3 * i;
        pal_camera_project(&view->camera, x + 3 * i, p);
        p[0] = SUPER * (p[0] - view->left);
        p[1] = SUPER * (p[1] - view->top);
    }
}

// Shares of the corners of triangle v at a place on the screen, right in perspective.
static void shares_at(const studio *s, const int32_t *v, double x, double y, double *share) {
    const double *p[3];
    for (int c = 0; c < 3; c++) {
        p[c] = s->screen + 3 * (size_t)v[c];
    }
    double sum = 0.0;
    for (int c = 0; c < 3; c++) {
        const double *a = p[(c + 1) % 3], *b = p[(c + 2) % 3];
        share[c] = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
        sum += share[c];
    }
    // Clamped, because the rasteriser rounds the corners a little.
    double sign = sum < 0.0 ? -1.0 : 1.0, total = 0.0;
    for (int c = 0; c < 3; c++) {
        share[c] = positive(sign * share[c]) * p[c][2];
        total += share[c];
    }
    for (int c = 0; c < 3; c++) {
        share[c] = total > 0.0 ? share[c] / total : 1.0 / 3.0;
    }
}

// Light from one sample of the body: sky, key, fill and rim lights, and a dull gloss.
static void shade(const studio *s, int32_t triangle, double x, double y, const double *to_eye,
                  double *light) {
    const int32_t *v = s->view->body.triangle + 3 * (size_t)triangle;
    double share[3], n[3] = {0.0, 0.0, 0.0}, tone = 0.0, open = 0.0, lamp = 0.0;
    shares_at(s, v, x, y, share);
    for (int c = 0; c < 3; c++) {
        const double *corner = s->normals.corner + 9 * (size_t)triangle + 3 * c;
        for (int k = 0; k < 3; k++) {
            n[k] += share[c] * corner[k];
        }
        tone += share[c] * s->view->tone[v[c]];
        open += share[c] * s->sky.open[v[c]];
        lamp += share[c] * s->sky.lamp[v[c]];
    }
    double facing = pal_dot3(n, to_eye) < 0.0 ? -1.0 : 1.0;
    double scale = facing / (pal_norm3(n) + 1e-12);
    double half[3];
    for (int k = 0; k < 3; k++) {
        n[k] *= scale;
        half[k] = s->lights.key[k] + to_eye[k];
    }
    double diffuse = 0.62 * open * (0.72 + 0.28 * n[2]) +
                     0.72 * lamp * positive(pal_dot3(n, s->lights.key)) +
                     0.16 * open * positive(pal_dot3(n, s->lights.fill)) +
                     0.22 * open * positive(pal_dot3(n, s->lights.rim));
    // Bright light bends over before it would change the hue.
    if (diffuse > 0.8) {
        diffuse = 1.04 - 0.24 * exp((0.8 - diffuse) / 0.24);
    }
    double glance = positive(pal_dot3(n, half)) / (pal_norm3(half) + 1e-12);
    double edge = 1.0 - unit_range(pal_dot3(n, to_eye));
    double gloss = 0.07 * lamp * pow(glance, 24.0) + 0.05 * open * edge * edge * edge;
    int step = (int)(unit_range(tone) * COLOURS + 0.5);
    bool plain = s->view->plain_from > 0 && triangle >= s->view->plain_from;
    for (int c = 0; c < 3; c++) {
        light[c] = (plain ? plain_grey : s->colour[step][c]) * diffuse + gloss;
    }
}

// From 0 at the rim of the card smoothly to 1.
static double ease(double from_rim) {
    double t = unit_range(from_rim / 0.2);
    return t * t * (3.0 - 2.0 * t);
}

// The card behind the body, darker downwards, and the body's shadow on the floor.
static void backdrop(const studio *s, double x, double y, double *light) {
    const pal_body_view *view = s->view;
    double down = (y - view->top) / view->height, across = (x - view->left) / view->width;
    double ray[3];
    pal_camera_ray(&view->camera, x, y, ray);
    double shadow = 0.0, rise = view->floor - view->camera.eye[2];
    if (ray[2] < 0.0 && rise < 0.0) {
        double t = rise / ray[2];
        shadow = 1.0 - pal_sky_floor(&s->sky, view->camera.eye[0] + t * ray[0],
                                     view->camera.eye[1] + t * ray[1]);
    }
    // The shadow ends before the card does.
    shadow *= shadow_depth * ease(across) * ease(1.0 - across) * ease(down) * ease(1.0 - down);
    for (int c = 0; c < 3; c++) {
        light[c] = (card_top[c] + down * down * (card_bottom[c] - card_top[c])) * (1.0 - shadow);
    }
}

// The triangle seen at sample (i, j) of the view, which must be in the band or just beside it.
static int32_t seen_at(const pal_raster *band, int32_t i, int32_t j) {
    if (i < 0 || i >= band->width) {
        return -1;
    }
    return band->seen[(size_t)(j - band->top) * (size_t)band->width + (size_t)i];
}

// Whether the rest shape has its outline at this sample: inside, with outside close by.
static bool is_outline(const pal_raster *ghost, int32_t i, int32_t j) {
    return seen_at(ghost, i - OUTLINE, j) < 0 || seen_at(ghost, i + OUTLINE, j) < 0 ||
           seen_at(ghost, i, j - OUTLINE) < 0 || seen_at(ghost, i, j + OUTLINE) < 0;
}

// How much of the rest shape's ink lies over a sample.
static double ghost_alpha(const studio *s, int32_t i, int32_t j, bool before_body) {
    if (s->view->rest == NULL || seen_at(&s->ghost, i, j) < 0) {
        return 0.0;
    }
    if (is_outline(&s->ghost, i, j)) {
        return before_body ? ghost_line_before : ghost_line_behind;
    }
    return before_body ? 0.0 : ghost_fill;
}

// Whether all samples of a pixel show the backdrop.
static bool is_empty(const studio *s, int32_t x, int32_t y) {
    for (int32_t j = SUPER * y; j < SUPER * (y + 1); j++) {
        for (int32_t i = SUPER * x; i < SUPER * (x + 1); i++) {
            if (seen_at(&s->body, i, j) >= 0 ||
                (s->view->rest != NULL && seen_at(&s->ghost, i, j) >= 0)) {
                return false;
            }
        }
    }
    return true;
}

// The mean of a pixel's samples: backdrop or body, and the rest shape behind or shining through.
static void draw_pixel(const studio *s, int32_t x, int32_t y, uint8_t *rgb) {
    const pal_body_view *view = s->view;
    double px = view->left + x + 0.5, py = view->top + y + 0.5;
    double behind[3], to_eye[3], surface[3] = {0.0, 0.0, 0.0}, sum[3] = {0.0, 0.0, 0.0};
    backdrop(s, px, py, behind);
    pal_camera_ray(&view->camera, px, py, to_eye);
    double scale = -1.0 / pal_norm3(to_eye);
    for (int c = 0; c < 3; c++) {
        to_eye[c] *= scale;
    }
    int32_t shaded = -1;
    const int samples = is_empty(s, x, y) ? 1 : SUPER * SUPER;
    for (int k = 0; k < samples; k++) {
        int32_t i = SUPER * x + k % SUPER, j = SUPER * y + k / SUPER;
        int32_t triangle = seen_at(&s->body, i, j);
        if (triangle >= 0 && triangle != shaded) { // each triangle once, at the middle of the pixel
            shade(s, triangle, SUPER * (x + 0.5), SUPER * (y + 0.5), to_eye, surface);
            shaded = triangle;
        }
        double alpha = ghost_alpha(s, i, j, triangle >= 0);
        for (int c = 0; c < 3; c++) {
            double light = triangle >= 0 ? surface[c] : behind[c];
            sum[c] += unit_range(light + alpha * (ghost_ink[c] - light));
        }
    }
    for (int c = 0; c < 3; c++) {
        double mean = sum[c] / samples;
        rgb[c] = s->gamma[(int)(mean * GAMMA_STEPS + 0.5)];
    }
}

static pal_status prepare(studio *s, pal_err *err) {
    const pal_body_view *view = s->view;
    int32_t width = SUPER * view->width, height = SUPER * BAND + 2 * OUTLINE;
    size_t n = (size_t)view->body.vertex_count;
    aim_light(&view->camera, -0.42, 0.50, 1.05, s->lights.key);
    aim_light(&view->camera, 0.9, 0.6, 0.1, s->lights.fill);
    aim_light(&view->camera, 0.35, -0.8, 0.8, s->lights.rim);
    fill_tables(s);
    bool ok = (s->screen = PAL_NEW(double, 3 * n, err)) != NULL &&
              (s->ghost_screen = PAL_NEW(double, 3 * n, err)) != NULL;
    pal_status status = ok ? PAL_OK : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = pal_normals_build(&view->body, &s->normals, err);
    }
    if (status == PAL_OK) {
        status =
            pal_sky_build(&view->body, s->normals.vertex, s->lights.key, view->floor, &s->sky, err);
    }
    if (status == PAL_OK && view->rest != NULL) {
        status = pal_raster_alloc(&s->ghost, width, height, err);
    }
    if (status == PAL_OK) {
        status = pal_raster_alloc(&s->body, width, height, err);
    }
    return status;
}

static void draw_band(pal_raster *band, int32_t y, const double *screen, const pal_surface *body) {
    pal_raster_clear(band);
    band->top = SUPER * y - OUTLINE;
    pal_raster_draw(band, screen, body->triangle, body->triangle_count);
}

// From the top down in bands, which saves memory.
static void draw_bands(studio *s, pal_image *image) {
    const pal_body_view *view = s->view;
    project_shape(view, view->body.x, s->screen);
    if (view->rest != NULL) {
        project_shape(view, view->rest, s->ghost_screen);
    }
    for (int32_t y = 0; y < view->height; y++) {
        if (y % BAND == 0) {
            draw_band(&s->body, y, s->screen, &view->body);
            if (view->rest != NULL) {
                draw_band(&s->ghost, y, s->ghost_screen, &view->body);
            }
        }
        size_t row = (size_t)(view->top + y) * (size_t)image->width + (size_t)view->left;
        for (int32_t x = 0; x < view->width; x++) {
            draw_pixel(s, x, y, image->rgb + 3 * (row + (size_t)x));
        }
    }
}

pal_status pal_body_draw(pal_image *image, const pal_body_view *view, pal_err *err) {
    if (view->left < 0 || view->top < 0 || view->width < 1 || view->height < 1 ||
        view->left + view->width > image->width || view->top + view->height > image->height) {
        return pal_fail(err, PAL_ERR_USAGE, "a view reaches beyond its picture of %d x %d pixels",
                        (int)image->width, (int)image->height);
    }
    studio *s = PAL_NEW(studio, 1, err);
    if (s == NULL) {
        return PAL_ERR_MEMORY;
    }
    s->view = view;
    pal_status status = prepare(s, err);
    if (status == PAL_OK) {
        draw_bands(s, image);
    }
    pal_raster_free(&s->body);
    pal_raster_free(&s->ghost);
    pal_sky_free(&s->sky);
    pal_normals_free(&s->normals);
    free(s->screen);
    free(s->ghost_screen);
    free(s);
    return status;
}
