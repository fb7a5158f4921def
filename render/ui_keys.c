#include "render/ui_keys.h"

#include <stddef.h>

enum {
    RUN = PAL_UI_IN_RUN,
    SKETCH = PAL_UI_IN_SKETCH,
    EDIT = PAL_UI_IN_EDIT,
    BOTH = RUN | SKETCH,
    ALL = BOTH | EDIT
};

static const pal_ui_key keys[] = {
    {PAL_UI_HELP, ALL, {'?'}, PAL_KEY_F1, false, "F1, ?", "this list"},
    {PAL_UI_END, ALL, {'q'}, PAL_KEY_ESCAPE, false, "Esc, Q", "end: the force goes to zero first"},
    {PAL_UI_PAUSE, RUN, {' ', 'p'}, 0, false, "Space, P", "pause, go on"},
    {PAL_UI_TICK, RUN, {'.'}, 0, true, ". (period)", "one step while paused"},
    {PAL_UI_SLOWER, RUN, {'-'}, 0, false, "- (minus)", "slower motion"},
    {PAL_UI_FASTER, RUN, {'+', '='}, 0, false, "+ (plus)", "and faster again"},
    {PAL_UI_RESET, RUN, {'r'}, 0, false, "R", "body at rest; clears a fault"},
    {PAL_UI_STYLUS, RUN, {'m'}, 0, false, "M", "the mouse leads the stylus, or the camera again"},
    {PAL_UI_GRASP, RUN, {'g'}, 0, false, "G (held)", "stylus button: holds on to the surface"},
    {PAL_UI_FIT, ALL, {'f'}, PAL_KEY_HOME, false, "F, Home", "all of it in the picture"},
    {PAL_UI_LEFT, ALL, {0}, PAL_KEY_LEFT, true, "Left", "camera round to the left"},
    {PAL_UI_RIGHT, ALL, {0}, PAL_KEY_RIGHT, true, "Right", "and to the right"},
    {PAL_UI_UP, ALL, {0}, PAL_KEY_UP, true, "Up", "camera higher"},
    {PAL_UI_DOWN, ALL, {0}, PAL_KEY_DOWN, true, "Down", "and lower"},
    {PAL_UI_NEARER, ALL, {0}, PAL_KEY_PAGE_UP, true, "Page Up", "camera nearer"},
    {PAL_UI_FARTHER, ALL, {0}, PAL_KEY_PAGE_DOWN, true, "Page Down", "and farther"},
    {PAL_UI_COLOURS, BOTH, {'c'}, 0, false, "C", "colours: displacement, region, energy"},
    {PAL_UI_WIREFRAME, ALL, {'w'}, 0, false, "W", "edges of the surface"},
    {PAL_UI_VOLUME, ALL, {'v'}, 0, false, "V", "volume mesh"},
    {PAL_UI_FIXED, ALL, {'x'}, 0, false, "X", "vertices that are held"},
    {PAL_UI_AXES, ALL, {'a'}, 0, false, "A", "axes with numbers, of the body at rest"},
    {PAL_UI_PLACE, RUN, {'l'}, 0, false, "L", "copies the place under the mouse, for scenes"},
    {PAL_UI_DEFORM, BOTH, {'d'}, 0, false, "D", "deform on the GPU or on the CPU"},
    {PAL_UI_HUD, RUN, {'h'}, 0, false, "H", "instruments on and off"},
    {PAL_UI_TRAINER, RUN, {'t'}, 0, false, "T", "trainer's view: tissue and force alone"},
    {PAL_UI_MATERIALS, RUN, {'e'}, 0, false, "E", "sliders for the materials"},
    {PAL_UI_REGION, RUN, {'n'}, PAL_KEY_TAB, false, "Tab, N", "the next region in them"},
    {PAL_UI_RESTORE, RUN, {'b'}, 0, false, "B", "materials as they were at first"},
    {PAL_UI_KEEP, SKETCH, {'k', ' '}, 0, false, "K, Space", "keep the force of now"},
    {PAL_UI_UNDO, SKETCH | EDIT, {'u'}, PAL_KEY_BACKSPACE, false, "U, Backspace", "undo the last"},
    {PAL_UI_REDO, EDIT, {'y'}, 0, false, "Y", "redo what was undone"},
    {PAL_UI_NEW, EDIT, {'n'}, 0, false, "N", "a new domain"},
    {PAL_UI_NAME, EDIT, {'r'}, 0, false, "R", "type a name for the domain"},
    {PAL_UI_NEXT, EDIT, {0}, PAL_KEY_TAB, false, "Tab", "edit the next domain"},
    {PAL_UI_CHOOSE, EDIT, {'p'}, 0, false, "P", "edit the domain under the cursor"},
    {PAL_UI_TAKE, EDIT, {'t'}, 0, false, "T", "take elements from it, or add them again"},
    {PAL_UI_TOOL, EDIT, {'b'}, 0, false, "B", "by single elements, a brush, a box"},
    {PAL_UI_BIGGER, EDIT, {'+', '='}, 0, true, "+ (plus)", "a larger brush"},
    {PAL_UI_SMALLER, EDIT, {'-'}, 0, true, "- (minus)", "and a smaller one"},
    {PAL_UI_COPY,
     EDIT,
     {'k'},
     0,
     false,
     "K, then K",
     "copy it, of one class: over one of its elements, then there"},
    {PAL_UI_SAVE, ALL, {'s'}, 0, false, "S", "save: materials, a sketch, domains"},
    {PAL_UI_SCREENSHOT, ALL, {'i'}, PAL_KEY_F12, false, "F12, I", "picture of the window"},
    {PAL_UI_FILM, BOTH, {'o'}, 0, false, "O", "begin and end a film"},
};
enum { KEYS = sizeof keys / sizeof *keys };

static const pal_ui_gesture gestures[] = {
    {RUN, "Left drag", "turns the view; with M, moves the stylus"},
    {SKETCH, "Left drag", "on the body: pulls there; beside it: turns the view"},
    {EDIT, "Left drag", "on the body: adds or takes; beside it: turns"},
    {ALL, "Right drag", "turns the view"},
    {ALL, "Middle drag", "shifts the view"},
    {RUN, "Wheel", "nearer and farther; with M, the stylus's depth"},
    {SKETCH | EDIT, "Wheel", "nearer and farther"},
    {RUN, "Ctrl + drag", "takes hold of the surface there and pulls"},
    {RUN, "Shift + drag", "with M, turns the stylus; else shifts the view"},
    {RUN, "Gamepad", "sticks move and turn, triggers are depth, A grasps"},
};
enum { GESTURES = sizeof gestures / sizeof *gestures };

const pal_ui_key *pal_ui_key_at(int index) {
    return index >= 0 && index < KEYS ? &keys[index] : NULL;
}

const pal_ui_gesture *pal_ui_gesture_at(int index) {
    return index >= 0 && index < GESTURES ? &gestures[index] : NULL;
}

const pal_ui_key *pal_ui_key_of_character(unsigned character, unsigned where) {
    const unsigned lower = character >= 'A' && character <= 'Z' ? character - 'A' + 'a' : character;
    for (int i = 0; lower != 0 && i < KEYS; i++) {
        if ((keys[i].where & where) != 0 && ((unsigned char)keys[i].character[0] == lower ||
                                             (unsigned char)keys[i].character[1] == lower)) {
            return &keys[i];
        }
    }
    return NULL;
}

const pal_ui_key *pal_ui_key_of_key(int key, unsigned where) {
    for (int i = 0; key != PAL_KEY_NONE && i < KEYS; i++) {
        if ((keys[i].where & where) != 0 && keys[i].key == key) {
            return &keys[i];
        }
    }
    return NULL;
}
