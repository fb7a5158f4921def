// Where OpenGL draws: one interface, two makers. A window (GLFW), or no surface at all (EGL on the
// surfaceless platform), for pictures without a display. Either way OpenGL 3.3 core, current on the
// thread that opened it, which has to be the main thread; all of gl_*.h is for that thread alone.
#ifndef PAL_RENDER_GL_CONTEXT_H
#define PAL_RENDER_GL_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/status.h"

typedef struct pal_gl_context pal_gl_context;
struct GLFWwindow;

typedef struct pal_gl_maker { // what a kind of context can do
    const char *kind;         // "window", "offscreen"
    void (*close)(pal_gl_context *context);
    void (*size)(const pal_gl_context *context, int32_t *width, int32_t *height);
    pal_status (*present)(pal_gl_context *context, pal_err *err);
    bool (*answers)(pal_gl_context *context); // NULL: always
} pal_gl_maker;

struct pal_gl_context {
    const pal_gl_maker *maker; // NULL: closed
    void *own;                 // the maker's
    struct GLFWwindow *window; // for keys and the mouse; NULL offscreen
    bool lost;                 // the display went away: only closing is left
    bool software;             // no graphics hardware behind it
    char version[64], renderer[128];
    int32_t largest; // pixels a side that a picture may have
};

typedef struct pal_gl_window_options {
    const char *title;
    int32_t width, height; // in the screen's units
    bool hidden;           // never shown
    bool unsynced;         // as fast as it can, not by the screen's rate
} pal_gl_window_options;

// No surface. Errors say what is missing and which package has it. On failure the context is
// closed.
pal_status pal_gl_open_offscreen(pal_gl_context *context, pal_err *err);

// A window. Without a display an error that says so.
pal_status pal_gl_open_window(pal_gl_context *context, const pal_gl_window_options *options,
                              pal_err *err);
bool pal_gl_has_display(void); // whether opening a window may be tried
void pal_gl_close(pal_gl_context *context);

// Pixels of the window's surface, 0 while it is iconified; 0 x 0 offscreen.
void pal_gl_size(const pal_gl_context *context, int32_t *width, int32_t *height);

// Whether the display still answers. Ask right before drawing into the window's own surface: a
// driver that finds its display gone then may bring the program down.
pal_status pal_gl_ask(pal_gl_context *context, pal_err *err);

// Shows what was drawn into the window (offscreen: nothing to do). PAL_ERR_IO: the display is lost.
pal_status pal_gl_present(pal_gl_context *context, pal_err *err);

// What OpenGL complains of since the last call: memory, or a mistake in our calls.
pal_status pal_gl_check(const char *doing, pal_err *err);

// Waits until everything is drawn, for measuring.
void pal_gl_finish(void);

// For the makers: whether the current context is good enough, and what it is.
pal_status pal_gl_describe(pal_gl_context *context, pal_err *err);

#endif
