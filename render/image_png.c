// The PNG writer of image.h, over libpng. libpng reports trouble by longjmp: every jump lands in
// `encode`, which holds nothing that must be freed but the two libpng structs.
#include "render/image.h"

#include <png.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/memory.h"

typedef struct png_sink { // the file as it grows in memory
    uint8_t *data;        // [room]
    size_t size, room;
    char text[128]; // libpng's words when something failed
} png_sink;

static void on_error(png_structp png, png_const_charp message) {
    png_sink *sink = png_get_error_ptr(png);
    snprintf(sink->text, sizeof sink->text, "%s", message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static void on_write(png_structp png, png_bytep data, png_size_t size) {
    png_sink *sink = png_get_io_ptr(png);
    if (sink->room - sink->size < size) {
        size_t room = 2 * (sink->room + size);
        uint8_t *larger = PAL_NEW(uint8_t, room, NULL);
        if (larger == NULL) {
            png_error(png, "out of memory");
        }
        if (sink->size > 0) {
            memcpy(larger, sink->data, sink->size);
        }
        free(sink->data);
        sink->data = larger;
        sink->room = room;
    }
    memcpy(sink->data + sink->size, data, size);
    sink->size += size;
}

static void on_flush(png_structp png) {
    (void)png;
}

// False when libpng or the memory failed; sink->text then says why.
static bool encode(const pal_image *image, png_sink *sink) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, sink, on_error, on_warning);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    if (info == NULL) {
        png_destroy_write_struct(&png, NULL);
        snprintf(sink->text, sizeof sink->text, "out of memory");
        return false;
    }
    if (setjmp(png_jmpbuf(png)) != 0) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_set_write_fn(png, sink, on_write, on_flush);
    png_set_IHDR(png, info, (png_uint_32)image->width, (png_uint_32)image->height, 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (int32_t y = 0; y < image->height; y++) {
        png_write_row(png, image->rgb + (size_t)y * (size_t)image->width * 3);
    }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return true;
}

pal_status pal_image_encode_png(const pal_image *image, uint8_t **data, size_t *size,
                                pal_err *err) {
    png_sink sink = {0};
    *data = NULL;
    *size = 0;
    if (!encode(image, &sink)) {
        free(sink.data);
        return pal_fail(err, PAL_ERR_MEMORY, "cannot make the picture: %s", sink.text);
    }
    *data = sink.data;
    *size = sink.size;
    return PAL_OK;
}

pal_status pal_image_write_png(const char *path, const pal_image *image, pal_err *err) {
    uint8_t *data;
    size_t size;
    pal_status status = pal_image_encode_png(image, &data, &size, err);
    status = status == PAL_OK ? pal_file_write_atomic(path, data, size, err)
                              : pal_fail_in(err, status, path);
    free(data);
    return status;
}
