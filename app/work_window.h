// What a window has in which a person works on a body at rest (`edit`, `sketch`): the frame, the
// camera by mouse and keys, help, messages, pictures. Main thread.
#ifndef PAL_APP_WORK_WINDOW_H
#define PAL_APP_WORK_WINDOW_H

#include "render/gl_stage.h"
#include "render/hud.h"
#include "render/layout.h"
#include "render/ui_input.h"

typedef struct pal_work_window pal_work_window;

typedef struct pal_work_calls {                      // of the one who works; `user` is theirs
    void (*act)(void *user, pal_ui_action action);   // a key that is not the frame's own
    void (*move)(void *user);                        // the mouse, once a frame; pal_work_mouse last
    pal_status (*prepare)(void *user, pal_err *err); // before a frame is drawn; may be NULL
    void (*draw_over)(void *user);                   // over the stage, under the messages
    void (*drawn)(void *user);                       // the picture is whole; may be NULL
} pal_work_calls;

struct pal_work_window {
    const char *picture; // the name of its pictures
    unsigned where;      // PAL_UI_IN_...
    pal_gl_context context;
    pal_gl_target target;
    pal_overlay *overlay;
    pal_stage *stage; // theirs to open, closed here
    pal_snapshot shot;
    pal_view view;
    pal_ui ui;
    pal_ui_input in, before;
    pal_layout layout; // of the picture of now
    bool fitted, end;
    int help; // page of the keys that is shown, from 1; 0: none
    int32_t frames;
    bool filming; // is said
    char message[300];
    bool alarming;
    double message_until, now;
};

// The window, without a stage. On failure there is something to close, too.
pal_status pal_work_open(pal_work_window *w, const char *title, const char *picture, unsigned where,
                         pal_err *err);
void pal_work_close(pal_work_window *w);

// Until it is closed. An error: the display was lost.
pal_status pal_work_run(pal_work_window *w, const pal_work_calls *calls, void *user, pal_err *err);

// A line for a few seconds.
void pal_work_say(pal_work_window *w, bool alarming, const char *format, ...) PAL_PRINTF(3, 4);

// The camera by the mouse; busy: the left button does something else.
void pal_work_mouse(pal_work_window *w, bool busy);

// m: the diagonal of the box about so many points.
double pal_work_size(const double *x, int32_t count);

#endif
