#include "render/raster.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "sim/base/memory.h"

enum { SUBPIXEL = 256 };

pal_status pal_raster_alloc(pal_raster *raster, int32_t width, int32_t height, pal_err *err) {
    size_t samples = (size_t)width * (size_t)height;
    *raster = (pal_raster){.width = width, .height = height};
    raster->nearness = PAL_NEW(float, samples, err);
    raster->seen = raster->nearness != NULL ? PAL_NEW(int32_t, samples, err) : NULL;
    if (raster->seen == NULL) {
        pal_raster_free(raster);
        return PAL_ERR_MEMORY;
    }
    pal_raster_clear(raster);
    return PAL_OK;
}

void pal_raster_free(pal_raster *raster) {
    free(raster->nearness);
    free(raster->seen);
    *raster = (pal_raster){0};
}

void pal_raster_clear(pal_raster *raster) {
    size_t samples = (size_t)raster->width * (size_t)raster->height;
    for (size_t i = 0; i < samples; i++) {
        raster->nearness[i] = 0.0F;
        raster->seen[i] = -1;
    }
}

typedef struct corner { // fixed point, SUBPIXEL to the sample
    int64_t x, y;
    double nearness;
} corner;

static bool round_corner(const double *screen, int32_t top, corner *out) {
    const double far_away = 1 << 20; // so that products of edges fit 64 bits
    if (!(fabs(screen[0]) < far_away && fabs(screen[1]) < far_away && screen[2] > 0.0 &&
          screen[2] < INFINITY)) {
        return false;
    }
    *out = (corner){llrint(screen[0] * SUBPIXEL),
                    llrint(screen[1] * SUBPIXEL) - (int64_t)top * SUBPIXEL, screen[2]};
    return true;
}

// Twice the signed area of a, b, (x, y).
static int64_t edge(const corner *a, const corner *b, int64_t x, int64_t y) {
    return (b->x - a->x) * (y - a->y) - (b->y - a->y) * (x - a->x);
}

static int64_t least(int64_t a, int64_t b, int64_t c) {
    int64_t m = a < b ? a : b;
    return m < c ? m : c;
}

// First and last sample whose centre can lie between the least and the greatest of three.
static void span(int64_t a, int64_t b, int64_t c, int32_t size, int64_t *first, int64_t *last) {
    int64_t low = least(a, b, c), high = -least(-a, -b, -c);
    int64_t half = SUBPIXEL / 2;
    *first = low <= half ? 0 : (low - half + SUBPIXEL - 1) / SUBPIXEL;
    *last = high < half ? -1 : (high - half) / SUBPIXEL;
    *last = *last < size - 1 ? *last : size - 1;
}

static void draw_one(pal_raster *raster, const corner *a, const corner *b, const corner *c,
                     int32_t index) {
    int64_t area = edge(a, b, c->x, c->y);
    if (area == 0) {
        return;
    }
    if (area < 0) { // seen from behind: walk it the other way round
        draw_one(raster, a, c, b, index);
        return;
    }
    int64_t x0, x1, y0, y1;
    span(a->x, b->x, c->x, raster->width, &x0, &x1);
    span(a->y, b->y, c->y, raster->height, &y0, &y1);
    // Edge functions and nearness are linear: one step each from sample to sample.
    int64_t step_a = (b->y - c->y) * SUBPIXEL, step_b = (c->y - a->y) * SUBPIXEL;
    int64_t step_c = (a->y - b->y) * SUBPIXEL;
    double na = a->nearness / (double)area, nb = b->nearness / (double)area;
    double nc = c->nearness / (double)area;
    double step = na * (double)step_a + nb * (double)step_b + nc * (double)step_c;
    for (int64_t j = y0; j <= y1; j++) {
        int64_t y = j * SUBPIXEL + SUBPIXEL / 2, x = x0 * SUBPIXEL + SUBPIXEL / 2;
        int64_t ea = edge(b, c, x, y), eb = edge(c, a, x, y), ec = edge(a, b, x, y);
        double nearness = na * (double)ea + nb * (double)eb + nc * (double)ec;
        float *best = raster->nearness + (size_t)j * (size_t)raster->width;
        for (int64_t i = x0; i <= x1; i++) {
            if ((ea | eb | ec) >= 0 && (float)nearness > best[i]) { // no edge function negative
                best[i] = (float)nearness;
                raster->seen[(size_t)j * (size_t)raster->width + (size_t)i] = index;
            }
            ea += step_a;
            eb += step_b;
            ec += step_c;
            nearness += step;
        }
    }
}

void pal_raster_draw(pal_raster *raster, const double *screen, const int32_t *triangle,
                     int32_t triangle_count) {
    for (int32_t t = 0; t < triangle_count; t++) {
        const int32_t *v = triangle + 3 * (size_t)t;
        corner c[3];
        if (round_corner(screen + 3 * (size_t)v[0], raster->top, &c[0]) &&
            round_corner(screen + 3 * (size_t)v[1], raster->top, &c[1]) &&
            round_corner(screen + 3 * (size_t)v[2], raster->top, &c[2])) {
            draw_one(raster, &c[0], &c[1], &c[2], t);
        }
    }
}
