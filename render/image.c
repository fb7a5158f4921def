#include "render/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

pal_status pal_image_alloc(pal_image *image, int32_t width, int32_t height, pal_rgb colour,
                           pal_err *err) {
    *image = (pal_image){0};
    if (width < 1 || height < 1 || width > PAL_IMAGE_MOST || height > PAL_IMAGE_MOST) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "a picture of %d x %d pixels; each side must be 1 to %d", (int)width,
                        (int)height, PAL_IMAGE_MOST);
    }
    uint8_t *rgb = PAL_NEW(uint8_t, (size_t)width * (size_t)height * 3, err);
    if (rgb == NULL) {
        return PAL_ERR_MEMORY;
    }
    *image = (pal_image){.width = width, .height = height, .rgb = rgb};
    pal_image_fill(image, 0, 0, width, height, colour);
    return PAL_OK;
}

void pal_image_free(pal_image *image) {
    free(image->rgb);
    *image = (pal_image){0};
}

static uint8_t mix(uint8_t from, uint8_t to, double alpha) {
    return (uint8_t)lround(from + alpha * ((double)to - from));
}

void pal_image_blend(pal_image *image, int32_t x, int32_t y, pal_rgb colour, double alpha) {
    if (x < 0 || y < 0 || x >= image->width || y >= image->height) {
        return;
    }
    uint8_t *pixel = image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
    pixel[0] = mix(pixel[0], colour.r, alpha);
    pixel[1] = mix(pixel[1], colour.g, alpha);
    pixel[2] = mix(pixel[2], colour.b, alpha);
}

void pal_image_fill(pal_image *image, int32_t x, int32_t y, int32_t width, int32_t height,
                    pal_rgb colour) {
    int32_t left = x > 0 ? x : 0, right = x + width < image->width ? x + width : image->width;
    int32_t top = y > 0 ? y : 0, bottom = y + height < image->height ? y + height : image->height;
    for (int32_t j = top; j < bottom; j++) {
        uint8_t *pixel = image->rgb + 3 * ((size_t)j * (size_t)image->width + (size_t)left);
        for (int32_t i = left; i < right; i++, pixel += 3) {
            pixel[0] = colour.r;
            pixel[1] = colour.g;
            pixel[2] = colour.b;
        }
    }
}

void pal_image_frame(pal_image *image, int32_t x, int32_t y, int32_t width, int32_t height,
                     pal_rgb colour) {
    pal_image_fill(image, x, y, width, 1, colour);
    pal_image_fill(image, x, y + height - 1, width, 1, colour);
    pal_image_fill(image, x, y, 1, height, colour);
    pal_image_fill(image, x + width - 1, y, 1, height, colour);
}

// Distance of the point (x, y) from the segment a-b.
static double segment_distance(double x, double y, const double *a, const double *b) {
    double dx = b[0] - a[0], dy = b[1] - a[1];
    double square = dx * dx + dy * dy;
    double t = square > 0.0 ? ((x - a[0]) * dx + (y - a[1]) * dy) / square : 0.0;
    t = fmin(fmax(t, 0.0), 1.0);
    return hypot(x - a[0] - t * dx, y - a[1] - t * dy);
}

// First and last pixel of [low, high] within 0..size-1.
static void pixel_range(double low, double high, int32_t size, int32_t *first, int32_t *last) {
    *first = (int32_t)floor(fmin(fmax(low, 0.0), size));
    *last = (int32_t)floor(fmin(fmax(high, -1.0), size - 1.0));
}

// Raises the cover of the pixels near segment a-b.
static void cover_segment(const pal_image *image, uint8_t *cover, const double *a, const double *b,
                          double width) {
    double reach = 0.5 * width + 1.0;
    int32_t first[2], last[2];
    pixel_range(fmin(a[0], b[0]) - reach, fmax(a[0], b[0]) + reach, image->width, &first[0],
                &last[0]);
    pixel_range(fmin(a[1], b[1]) - reach, fmax(a[1], b[1]) + reach, image->height, &first[1],
                &last[1]);
    for (int32_t y = first[1]; y <= last[1]; y++) {
        for (int32_t x = first[0]; x <= last[0]; x++) {
            double inside = 0.5 * width + 0.5 - segment_distance(x + 0.5, y + 0.5, a, b);
            uint8_t value = (uint8_t)lround(255.0 * fmin(fmax(inside, 0.0), 1.0));
            uint8_t *at = cover + (size_t)y * (size_t)image->width + (size_t)x;
            *at = value > *at ? value : *at;
        }
    }
}

pal_status pal_image_polyline(pal_image *image, const double *point, int32_t count, double width,
                              pal_rgb colour, pal_err *err) {
    size_t pixels = (size_t)image->width * (size_t)image->height;
    uint8_t *cover = PAL_NEW(uint8_t, pixels, err);
    if (cover == NULL) {
        return PAL_ERR_MEMORY;
    }
    // The union of the segments first, so that joints are not painted twice.
    for (int32_t i = 0; i < count; i++) {
        const double *a = point + 2 * (size_t)i;
        const double *b = i + 1 < count && isfinite(a[2]) && isfinite(a[3]) ? a + 2 : a;
        if (isfinite(a[0]) && isfinite(a[1])) {
            cover_segment(image, cover, a, b, width);
        }
    }
    for (size_t i = 0; i < pixels; i++) {
        if (cover[i] > 0) {
            pal_image_blend(image, (int32_t)(i % (size_t)image->width),
                            (int32_t)(i / (size_t)image->width), colour, cover[i] / 255.0);
        }
    }
    free(cover);
    return PAL_OK;
}
