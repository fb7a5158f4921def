// PNG files read back by libpng, for tests of pictures.
#ifndef PAL_TESTS_PICTURE_H
#define PAL_TESTS_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "render/image.h"

// False when the file is not a whole PNG. Free with pal_image_free.
bool picture_read(const char *path, pal_image *image);

static inline const uint8_t *picture_pixel(const pal_image *image, int32_t x, int32_t y) {
    return image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
}

// Largest less smallest of red, green and blue: 0 for greys.
int picture_colourful(const pal_image *image, int32_t x, int32_t y);

// The share of pixels, 0..1, that differ by more than `levels` in red, green or blue; 1 when the
// sizes differ.
double picture_difference(const pal_image *a, const pal_image *b, int levels);

// Fails unless the picture is the one in tests/data/pictures/NAME.png, but for 1 % of its pixels,
// by 6 grey levels. With PALPATE_RENEW_PICTURES set in the environment it is written there instead.
void picture_check_golden(const pal_image *image, const char *name);

#endif
