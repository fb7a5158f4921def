#define _GNU_SOURCE // memfd_create
#include "app/film_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/file.h"

extern char **environ;

bool pal_film_has_encoder(void) {
    const char *path = getenv("PATH");
    char name[1024];
    while (path != NULL && *path != '\0') {
        const char *end = strchr(path, ':');
        const int length = end != NULL ? (int)(end - path) : (int)strlen(path);
        snprintf(name, sizeof name, "%.*s/ffmpeg", length, path);
        if (access(name, X_OK) == 0) {
            return true;
        }
        path = end != NULL ? end + 1 : NULL;
    }
    return false;
}

// ---- pictures

static pal_status open_folder(pal_film_sink *sink, pal_err *err) {
    char *ending = strrchr(sink->path, '.');
    if (ending != NULL) {
        *ending = '\0';
    }
    if (mkdir(sink->path, 0777) != 0 && errno != EEXIST) {
        return pal_fail(err, PAL_ERR_IO, "%s: cannot make the folder for the pictures: %s",
                        sink->path, strerror(errno));
    }
    return PAL_OK;
}

static pal_status add_picture(pal_film_sink *sink, const pal_image *image, pal_err *err) {
    char name[1100];
    snprintf(name, sizeof name, "%s/%05d.png", sink->path, (int)sink->frames);
    return pal_image_write_png(name, image, err);
}

// ---- ffmpeg

static pal_status spawn(pal_film_sink *sink, const char *size, const char *rate, int reads,
                        pal_err *err) {
    char *const argument[] = {"ffmpeg",     "-loglevel", "error",      "-nostdin",  "-y",
                              "-f",         "rawvideo",  "-pix_fmt",   "rgb24",     "-s",
                              (char *)size, "-r",        (char *)rate, "-i",        "pipe:0",
                              "-an",        "-pix_fmt",  "yuv420p",    "-movflags", "+faststart",
                              "-f",         "mp4",       sink->part,   NULL};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, reads, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, sink->said, 2);
    const int trouble = posix_spawnp(&sink->encoder, "ffmpeg", &files, NULL, argument, environ);
    posix_spawn_file_actions_destroy(&files);
    if (trouble != 0) {
        sink->encoder = 0;
        return pal_fail(err, PAL_ERR_IO, "cannot start ffmpeg: %s; install it, or give --pictures",
                        strerror(trouble));
    }
    return PAL_OK;
}

static pal_status open_encoder(pal_film_sink *sink, int32_t width, int32_t height, int32_t rate,
                               pal_err *err) {
    char size[32], rate_text[16];
    int ends[2];
    if (width % 2 != 0 || height % 2 != 0) {
        return pal_fail(err, PAL_ERR_USAGE, "a film of %d x %d pixels; both sides must be even",
                        (int)width, (int)height);
    }
    snprintf(size, sizeof size, "%dx%d", (int)width, (int)height);
    snprintf(rate_text, sizeof rate_text, "%d", (int)rate);
    snprintf(sink->part, sizeof sink->part, "%s.part", sink->path);
    sink->said = memfd_create("ffmpeg", MFD_CLOEXEC); // a full disk has no room for reasons
    if (sink->said < 0 || pipe(ends) != 0) {
        close(sink->said);
        return pal_fail(err, PAL_ERR_IO, "cannot make a pipe to ffmpeg: %s", strerror(errno));
    }
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    pal_status status = spawn(sink, size, rate_text, ends[0], err);
    close(ends[0]);
    if (status != PAL_OK) {
        close(ends[1]);
        close(sink->said);
        return status;
    }
    sink->pipe = ends[1];
    signal(SIGPIPE, SIG_IGN); // an encoder that ends early is an error of ours, not our end
    return PAL_OK;
}

// The last line that ffmpeg said, and whether one of them was of a full disk.
static void read_trouble(const pal_film_sink *sink, char *text, size_t size, int *code) {
    static const int codes[] = {ENOSPC, EDQUOT, EFBIG};
    snprintf(text, size, "no reason given");
    FILE *file = lseek(sink->said, 0, SEEK_SET) == 0 ? fdopen(dup(sink->said), "r") : NULL;
    char line[300];
    *code = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '\0') {
            snprintf(text, size, "%s", line);
        }
        for (int i = 0; i < 3; i++) {
            *code = strstr(line, strerror(codes[i])) != NULL ? codes[i] : *code;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

static pal_status fail_encoder(const pal_film_sink *sink, pal_err *err) {
    char trouble[320];
    int code;
    read_trouble(sink, trouble, sizeof trouble, &code);
    return code != 0 ? pal_file_fail(err, sink->path, "write", code)
                     : pal_fail(err, PAL_ERR_IO, "%s: ffmpeg did not make the film: %s", sink->path,
                                trouble);
}

static pal_status add_frame(pal_film_sink *sink, const pal_image *image, pal_err *err) {
    const uint8_t *data = image->rgb;
    size_t left = 3 * (size_t)image->width * (size_t)image->height;
    while (left > 0) {
        const ssize_t written = write(sink->pipe, data, left);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return pal_fail(err, PAL_ERR_IO, "%s: ffmpeg takes no more frames", sink->path);
        }
        data += written;
        left -= (size_t)written;
    }
    return PAL_OK;
}

static pal_status close_encoder(pal_film_sink *sink, pal_status status, pal_err *err) {
    int state = 0;
    close(sink->pipe);
    while (waitpid(sink->encoder, &state, 0) < 0 && errno == EINTR) {
    }
    const bool good = WIFEXITED(state) && WEXITSTATUS(state) == 0;
    if (!good) { // what it says explains why it took no more
        status = status == PAL_OK || status == PAL_ERR_IO ? fail_encoder(sink, err) : status;
    }
    if (status == PAL_OK && rename(sink->part, sink->path) != 0) {
        status = pal_fail(err, PAL_ERR_IO, "%s: cannot give the film its name: %s", sink->path,
                          strerror(errno));
    }
    if (status != PAL_OK) {
        unlink(sink->part);
    }
    close(sink->said);
    return status;
}

// ---- either

pal_status pal_film_open(pal_film_sink *sink, const char *path, bool pictures, int32_t width,
                         int32_t height, int32_t rate, pal_err *err) {
    memset(sink, 0, sizeof *sink);
    sink->pictures = pictures;
    if (strlen(path) >= sizeof sink->path - 20) {
        return pal_fail(err, PAL_ERR_USAGE, "the name of the film is too long");
    }
    snprintf(sink->path, sizeof sink->path, "%s", path);
    return pictures ? open_folder(sink, err) : open_encoder(sink, width, height, rate, err);
}

pal_status pal_film_add(pal_film_sink *sink, const pal_image *image, pal_err *err) {
    const pal_status status =
        sink->pictures ? add_picture(sink, image, err) : add_frame(sink, image, err);
    sink->frames += status == PAL_OK;
    return status;
}

pal_status pal_film_close(pal_film_sink *sink, pal_status status, pal_err *err) {
    return sink->pictures ? status : close_encoder(sink, status, err);
}
