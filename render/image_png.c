// The PNG writer of image.h, over libpng. libpng reports trouble by longjmp: every jump lands in
// `encode`, which holds nothing that must be freed but the two libpng structs.
#include "render/image.h"

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/memory.h"

typedef struct png_sink {
    FILE *file;
    int error_number; // of the write that failed, 0 if none did
    char text[128];   // libpng's own words
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
    if (fwrite(data, 1, size, sink->file) != size) {
        sink->error_number = errno;
        png_error(png, "write failed");
    }
}

static void on_flush(png_structp png) {
    (void)png;
}

// False when anything failed; sink then says what.
static bool encode(const pal_image *image, png_sink *sink) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, sink, on_error, on_warning);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    if (info == NULL) {
        png_destroy_write_struct(&png, NULL);
        snprintf(sink->text, sizeof sink->text, "libpng has no memory");
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

static pal_status write_failed(const char *path, int error_number, pal_err *err) {
    return pal_fail_at(err, PAL_ERR_IO, path, 0, "cannot write the picture: %s; is there room?",
                       strerror(error_number));
}

// Writes all of the file `part`; `path` is its later name, for messages.
static pal_status write_part(const char *part, const char *path, const pal_image *image,
                             pal_err *err) {
    png_sink sink = {.file = fopen(part, "wb")};
    if (sink.file == NULL) {
        return pal_fail_at(err, PAL_ERR_IO, path, 0,
                           "cannot create the picture: %s; is the folder there and writable?",
                           strerror(errno));
    }
    bool encoded = encode(image, &sink);
    bool closed = fclose(sink.file) == 0;
    int close_error = errno;
    if (!encoded && sink.error_number == 0) {
        return pal_fail_at(err, PAL_ERR_IO, path, 0, "cannot write the picture: %s", sink.text);
    }
    if (!encoded || !closed) {
        return write_failed(path, encoded ? close_error : sink.error_number, err);
    }
    return PAL_OK;
}

pal_status pal_image_write_png(const char *path, const pal_image *image, pal_err *err) {
    size_t room = strlen(path) + 32;
    char *part = PAL_NEW(char, room, err);
    if (part == NULL) {
        return PAL_ERR_MEMORY;
    }
    snprintf(part, room, "%s.part-%ld", path, (long)getpid());
    pal_status status = write_part(part, path, image, err);
    if (status == PAL_OK && rename(part, path) != 0) {
        status = pal_fail_at(err, PAL_ERR_IO, path, 0, "cannot put the picture in place: %s",
                             strerror(errno));
    }
    if (status != PAL_OK) {
        remove(part);
    }
    free(part);
    return status;
}
