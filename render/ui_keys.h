// What a person can ask for by keys: one table, from which the window takes its keys and the help
// its lines, so that they cannot differ. Pure; any thread.
#ifndef PAL_RENDER_UI_KEYS_H
#define PAL_RENDER_UI_KEYS_H

#include <stdbool.h>

typedef enum pal_ui_action {
    PAL_UI_HELP,
    PAL_UI_END,
    PAL_UI_PAUSE,
    PAL_UI_TICK,
    PAL_UI_SLOWER,
    PAL_UI_FASTER,
    PAL_UI_RESET,
    PAL_UI_STYLUS, // the mouse leads the stylus, or the camera again
    PAL_UI_GRASP,  // the stylus button, while it is down
    PAL_UI_FIT,
    PAL_UI_LEFT,
    PAL_UI_RIGHT,
    PAL_UI_UP,
    PAL_UI_DOWN,
    PAL_UI_NEARER,
    PAL_UI_FARTHER,
    PAL_UI_COLOURS,
    PAL_UI_WIREFRAME,
    PAL_UI_VOLUME,
    PAL_UI_FIXED,
    PAL_UI_AXES,  // with numbers
    PAL_UI_PLACE, // what is under the mouse is told and copied
    PAL_UI_DEFORM,
    PAL_UI_HUD,
    PAL_UI_TRAINER,   // the trainer's view
    PAL_UI_MATERIALS, // the sliders
    PAL_UI_REGION,    // the next one in the sliders
    PAL_UI_RESTORE,   // materials as they were
    PAL_UI_SAVE,
    PAL_UI_SCREENSHOT,
    PAL_UI_FILM,
    PAL_UI_KEEP, // of a sketch: the force of now
    PAL_UI_UNDO, // of a sketch: the last one kept; of domains: the last change
    PAL_UI_REDO,
    PAL_UI_NEW,     // of domains: a new one,
    PAL_UI_NAME,    // a name for it is typed,
    PAL_UI_NEXT,    // the next one is edited,
    PAL_UI_CHOOSE,  // or that under the cursor,
    PAL_UI_TAKE,    // elements are taken or added,
    PAL_UI_TOOL,    // by one, by the brush or by a box,
    PAL_UI_BIGGER,  // the brush,
    PAL_UI_SMALLER, //
    PAL_UI_COPY,    // a domain is copied from here to there
    PAL_UI_ACTIONS
} pal_ui_action;

enum { PAL_UI_IN_RUN = 1, PAL_UI_IN_SKETCH = 2, PAL_UI_IN_EDIT = 4 }; // where a key is for

enum { // keys without a character
    PAL_KEY_NONE,
    PAL_KEY_ESCAPE,
    PAL_KEY_F1,
    PAL_KEY_F12,
    PAL_KEY_TAB,
    PAL_KEY_BACKSPACE,
    PAL_KEY_HOME,
    PAL_KEY_LEFT,
    PAL_KEY_RIGHT,
    PAL_KEY_UP,
    PAL_KEY_DOWN,
    PAL_KEY_PAGE_UP,
    PAL_KEY_PAGE_DOWN,
};

typedef struct pal_ui_key {
    pal_ui_action action;
    unsigned where;    // PAL_UI_IN_...
    char character[2]; // as on the keyboard, lower case; 0: none
    int key;           // beside it, PAL_KEY_...
    bool repeats;      // while it is held down
    const char *name;  // "Space, P"
    const char *does;
} pal_ui_key;

// The table in the order of the help; NULL past its end.
const pal_ui_key *pal_ui_key_at(int index);

// The entry of a character or of another key; NULL: there is none there.
const pal_ui_key *pal_ui_key_of_character(unsigned character, unsigned where);
const pal_ui_key *pal_ui_key_of_key(int key, unsigned where);

typedef struct pal_ui_gesture { // what the mouse and a gamepad do: for the help
    unsigned where;
    const char *name, *does;
} pal_ui_gesture;
const pal_ui_gesture *pal_ui_gesture_at(int index); // NULL past the end

#endif
