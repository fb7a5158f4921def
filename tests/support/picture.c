#include "tests/support/picture.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

bool picture_read(const char *path, pal_image *image) {
    *image = (pal_image){0};
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_file(&png, path) == 0) {
        return false;
    }
    png.format = PNG_FORMAT_RGB;
    uint8_t *rgb = malloc(PNG_IMAGE_SIZE(png));
    if (rgb == NULL || png_image_finish_read(&png, NULL, rgb, 0, NULL) == 0) {
        png_image_free(&png);
        free(rgb);
        return false;
    }
    *image = (pal_image){(int32_t)png.width, (int32_t)png.height, rgb};
    return true;
}

int picture_colourful(const pal_image *image, int32_t x, int32_t y) {
    const uint8_t *p = picture_pixel(image, x, y);
    int low = p[0] < p[1] ? p[0] : p[1], high = p[0] < p[1] ? p[1] : p[0];
    low = p[2] < low ? p[2] : low;
    high = p[2] > high ? p[2] : high;
    return high - low;
}
