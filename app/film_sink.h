// Where the frames of a film go: to ffmpeg through a pipe, or to numbered pictures in a folder.
#ifndef PAL_APP_FILM_SINK_H
#define PAL_APP_FILM_SINK_H

#include <stdbool.h>
#include <sys/types.h>

#include "render/image.h"

typedef struct pal_film_sink {
    char path[1024]; // the film, or the folder of pictures
    bool pictures;   // whether it is a folder
    int32_t frames;  // so far
    char part[1040]; // the film while it is made
    int pipe, said;  // what ffmpeg takes, and a file in memory with what it says
    pid_t encoder;
} pal_film_sink;

// Whether ffmpeg can be found.
bool pal_film_has_encoder(void);

// `path` ends in .mp4; for pictures the folder is that without the ending. Both sides must be even
// for a film. On failure nothing is left.
pal_status pal_film_open(pal_film_sink *sink, const char *path, bool pictures, int32_t width,
                         int32_t height, int32_t rate, pal_err *err);
pal_status pal_film_add(pal_film_sink *sink, const pal_image *image, pal_err *err);

// Ends the film and gives it its name. `status`: of the work so far; after a failure what there is
// of a film is taken away, and its error stays.
pal_status pal_film_close(pal_film_sink *sink, pal_status status, pal_err *err);

#endif
