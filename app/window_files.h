// Files that are made at the press of a key: pictures of the window, films of it, saved scenes.
// They get the next free name, and nothing is overwritten. Pictures and films go to the folder out.
#ifndef PAL_APP_WINDOW_FILES_H
#define PAL_APP_WINDOW_FILES_H

#include "app/film_sink.h"
#include "render/gl_target.h"

enum { PAL_WINDOW_PATH = 512 };

// "folder/stem-001ending", with the first number that is free, also without the ending; the folder
// is made if need be. And "folder/stem-edited.yaml", then -edited-2: beside a scene's own file, but
// in the folder that one is in for a scene of the program or a folder that one may not write to.
pal_status pal_window_name(const char *stem, const char *ending, char path[PAL_WINDOW_PATH],
                           pal_err *err);
pal_status pal_window_name_beside(const char *file, const char *word, char path[PAL_WINDOW_PATH],
                                  pal_err *err);

// The picture that is in the target as a PNG file, whose name comes back.
pal_status pal_window_shoot(const pal_gl_target *target, const char *stem,
                            char path[PAL_WINDOW_PATH], pal_err *err);

typedef struct pal_recorder { // of a film, 30 frames a second of the wall clock
    bool on;
    pal_film_sink sink;
    double since; // s
    int32_t width, height;
} pal_recorder;

// By ffmpeg where it is installed and the sides are even, else as numbered pictures.
pal_status pal_recorder_begin(pal_recorder *recorder, const pal_gl_target *target, const char *stem,
                              double now, pal_err *err);
// A frame; nothing when the next one is not due. A target of another size ends the film.
pal_status pal_recorder_add(pal_recorder *recorder, const pal_gl_target *target, double now,
                            pal_err *err);
pal_status pal_recorder_end(pal_recorder *recorder, pal_status status, pal_err *err);

#endif
