// What a person did since the last frame, in plain numbers: keys as actions (ui_keys.h), cursor,
// wheel, buttons, a gamepad. Main thread, with the window of a context.
#ifndef PAL_RENDER_UI_INPUT_H
#define PAL_RENDER_UI_INPUT_H

#include "render/gl_context.h"
#include "render/ui_keys.h"

enum { PAL_UI_QUEUE = 32, PAL_UI_LINE = 64 }; // actions a frame, more are left out; bytes typed

typedef struct pal_ui_pad { // as devices/gamepad.h has it
    bool present;
    char name[64];
    double left[2], right[2]; // x to the right, y up
    double trigger[2];
    bool stylus, precise;
} pal_ui_pad;

typedef struct pal_ui_input {
    bool close; // the window was closed
    int action_count;
    pal_ui_action action[PAL_UI_QUEUE];
    bool held[PAL_UI_ACTIONS]; // keys that are down now
    double x, y;               // pixels, the cursor
    double wheel;              // notches; positive: away from the person
    bool left, middle, right;
    bool shift, control;
    double scale;           // pixels a point that suit the screen
    bool writes, line_done; // a line is being typed; it was ended by Enter since the last frame
    char line[PAL_UI_LINE]; // as far as it is, UTF-8
    pal_ui_pad pad;
} pal_ui_input;

typedef struct pal_ui {
    struct GLFWwindow *window;
    unsigned where; // which keys count
    pal_ui_input gathered;
} pal_ui;

// Begins to listen; the place of *ui must stay. After a loss of the display nothing more comes.
void pal_ui_open(pal_ui *ui, pal_gl_context *context, unsigned where);

// From now on keys write a line, which begins as given, and are no actions: until Enter, or Escape,
// which forgets it.
void pal_ui_write(pal_ui *ui, const char *start);

// Puts a text where other programs paste from. False: the display is gone.
bool pal_ui_copy(const pal_gl_context *context, const char *text);

// Takes what has come since the last call. seconds: waits so long for more to come, 0: not at all.
void pal_ui_poll(pal_ui *ui, const pal_gl_context *context, double seconds, pal_ui_input *input);

#endif
