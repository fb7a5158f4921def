#include "tests/support/picture.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

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

double picture_difference(const pal_image *a, const pal_image *b, int levels) {
    if (a->width != b->width || a->height != b->height) {
        return 1.0;
    }
    const int64_t pixels = (int64_t)a->width * a->height;
    int64_t different = 0;
    for (int64_t i = 0; i < pixels; i++) {
        int most = 0;
        for (int c = 0; c < 3; c++) {
            const int way = abs(a->rgb[3 * i + c] - b->rgb[3 * i + c]);
            most = way > most ? way : most;
        }
        different += most > levels;
    }
    return (double)different / (double)pixels;
}

void picture_check_golden(const pal_image *image, const char *name) {
    char path[512], text[640];
    pal_image golden;
    pal_err err = {0};
    snprintf(path, sizeof path, "%s/pictures/%s.png", PAL_TEST_DATA, name);
    if (getenv("PALPATE_RENEW_PICTURES") != NULL) {
        CHECK_OK(pal_image_write_png(path, image, &err), err);
        return;
    }
    TEST_ASSERT_TRUE_MESSAGE(picture_read(path, &golden), path);
    const double different = picture_difference(image, &golden, 6);
    if (different > 0.01) { // to look at
        CHECK_OK(pal_image_write_png(check_scratch("differs.png"), image, &err), err);
        snprintf(text, sizeof text, "%.2f %% of the pixels are not those of %s; this one is in %s",
                 100.0 * different, path, check_scratch("differs.png"));
    }
    pal_image_free(&golden);
    TEST_ASSERT_TRUE_MESSAGE(different <= 0.01, text);
}
