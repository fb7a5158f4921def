// Pictures in memory and as PNG files. Pixels are 8-bit sRGB, rows from the top; pixel (x, y)
// covers the square from (x, y) to (x + 1, y + 1). Drawing outside the picture is cut off, never an
// error. Any thread; threads may draw on one image at once when they draw on different pixels.
#ifndef PAL_RENDER_IMAGE_H
#define PAL_RENDER_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "sim/base/status.h"

enum { PAL_IMAGE_MOST = 16384 }; // pixels a side

typedef struct pal_rgb {
    uint8_t r, g, b;
} pal_rgb;

typedef struct pal_image {
    int32_t width, height;
    uint8_t *rgb; // [height][width][3]
} pal_image;

// A picture of one colour, of 1..PAL_IMAGE_MOST pixels a side. On failure *image is empty.
pal_status pal_image_alloc(pal_image *image, int32_t width, int32_t height, pal_rgb colour,
                           pal_err *err);
void pal_image_free(pal_image *image);

// One pixel moved towards colour by alpha (0 leaves it, 1 replaces it).
void pal_image_blend(pal_image *image, int32_t x, int32_t y, pal_rgb colour, double alpha);

// A filled rectangle with its lower-right corner at (x + width, y + height).
void pal_image_fill(pal_image *image, int32_t x, int32_t y, int32_t width, int32_t height,
                    pal_rgb colour);

// The one-pixel border just inside a rectangle.
void pal_image_frame(pal_image *image, int32_t x, int32_t y, int32_t width, int32_t height,
                     pal_rgb colour);

// A smooth line through points [count][2] in pixels; a point that is not finite interrupts it. A
// single point draws a dot.
pal_status pal_image_polyline(pal_image *image, const double *point, int32_t count, double width,
                              pal_rgb colour, pal_err *err);

// The picture as PNG in memory; *data is on the heap, NULL on failure.
pal_status pal_image_encode_png(const pal_image *image, uint8_t **data, size_t *size, pal_err *err);

// Writes a PNG file, atomically.
pal_status pal_image_write_png(const char *path, const pal_image *image, pal_err *err);

#endif
