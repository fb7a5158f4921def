#include "app/window_files.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scenes/scene.h"

enum { MOST = 9999, FILM_RATE = 30, MOST_REPEATS = 4 };
static const char folder[] = "out";

// ---- names

static bool is_free(const char *path) {
    return access(path, F_OK) != 0 && errno == ENOENT;
}

pal_status pal_window_name(const char *stem, const char *ending, char path[PAL_WINDOW_PATH],
                           pal_err *err) {
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        return pal_fail(err, PAL_ERR_IO, "cannot make the folder %s: %s", folder, strerror(errno));
    }
    for (int i = 1; i <= MOST; i++) {
        char bare[PAL_WINDOW_PATH];
        snprintf(bare, sizeof bare, "%s/%.200s-%03d", folder, stem, i);
        snprintf(path, PAL_WINDOW_PATH, "%.400s%.20s", bare, ending);
        if (is_free(path) && is_free(bare)) {
            return PAL_OK;
        }
    }
    return pal_fail(err, PAL_ERR_IO, "%s holds %d of them already; take some away", folder, MOST);
}

static const char *base_name(const char *file) {
    const char *slash = strrchr(file, '/');
    return slash != NULL ? slash + 1 : file;
}

static bool may_write_beside(const char *file) {
    char above[PAL_WINDOW_PATH];
    const size_t length = (size_t)(base_name(file) - file);
    snprintf(above, sizeof above, "%.*s", (int)length, length > 0 ? file : "");
    return access(length > 0 ? above : ".", W_OK) == 0;
}

pal_status pal_window_name_beside(const char *file, const char *word, char path[PAL_WINDOW_PATH],
                                  pal_err *err) {
    // a scene that comes with the program, or lies where one may not write: the folder that one is
    // in
    file = pal_scene_is_shipped(file) || !may_write_beside(file) ? base_name(file) : file;
    const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');
    const size_t stem =
        dot != NULL && (slash == NULL || dot > slash) ? (size_t)(dot - file) : strlen(file);
    if (stem + strlen(word) + 32 > PAL_WINDOW_PATH) {
        return pal_fail(err, PAL_ERR_IO, "the name of the scene's file is too long for a copy");
    }
    for (int i = 1; i <= MOST; i++) {
        char number[16] = "";
        if (i > 1) {
            snprintf(number, sizeof number, "-%d", i);
        }
        snprintf(path, PAL_WINDOW_PATH, "%.*s-%s%s.yaml", (int)stem, file, word, number);
        if (is_free(path)) {
            return PAL_OK;
        }
    }
    return pal_fail(err, PAL_ERR_IO, "there are %d copies of %s already", MOST, file);
}

// ---- pictures

pal_status pal_window_shoot(const pal_gl_target *target, const char *stem,
                            char path[PAL_WINDOW_PATH], pal_err *err) {
    pal_image image;
    pal_status status = pal_window_name(stem, ".png", path, err);
    if (status == PAL_OK) {
        status = pal_gl_target_read(target, &image, err);
    }
    if (status == PAL_OK) {
        status = pal_image_write_png(path, &image, err);
        pal_image_free(&image);
    }
    return status;
}

// ---- films

pal_status pal_recorder_begin(pal_recorder *r, const pal_gl_target *target, const char *stem,
                              double now, pal_err *err) {
    char path[PAL_WINDOW_PATH];
    const bool even = target->width % 2 == 0 && target->height % 2 == 0;
    pal_status status = pal_window_name(stem, ".mp4", path, err);
    if (status == PAL_OK) {
        status = pal_film_open(&r->sink, path, !even || !pal_film_has_encoder(), target->width,
                               target->height, FILM_RATE, err);
    }
    r->on = status == PAL_OK;
    r->since = now;
    r->width = target->width;
    r->height = target->height;
    return status;
}

pal_status pal_recorder_add(pal_recorder *r, const pal_gl_target *target, double now,
                            pal_err *err) {
    if (target->width != r->width || target->height != r->height) {
        return pal_fail(err, PAL_ERR_USAGE, "the window has another size: the film ends here");
    }
    const double due = floor((now - r->since) * FILM_RATE) + 1.0;
    int32_t more = (int32_t)fmin(due - r->sink.frames, MOST_REPEATS);
    if (more < 1) {
        return PAL_OK;
    }
    pal_image image;
    pal_status status = pal_gl_target_read(target, &image, err);
    if (status != PAL_OK) {
        return status;
    }
    for (; status == PAL_OK && more > 0; more--) { // so that the film keeps time
        status = pal_film_add(&r->sink, &image, err);
    }
    pal_image_free(&image);
    return status;
}

pal_status pal_recorder_end(pal_recorder *r, pal_status status, pal_err *err) {
    r->on = false;
    return pal_film_close(&r->sink, status, err);
}
