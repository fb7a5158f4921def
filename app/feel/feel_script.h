// What a hand does in a trial, as the text of a scene's probe; and the scene's text with it.
#ifndef PAL_APP_FEEL_SCRIPT_H
#define PAL_APP_FEEL_SCRIPT_H

#include "app/feel/feel.h"

enum { PAL_SCRIPT_TEXT = 16384 };

typedef struct pal_script {
    size_t used;
    bool full; // it did not fit
    char text[PAL_SCRIPT_TEXT];
} pal_script;

void pal_script_begin(pal_script *script);
// The intents of a probe: to a place within seconds; "move", "press", "slide".
void pal_script_go(pal_script *script, const char *what, const double to[3], double seconds);
// The same with a speed, m/s; a "tap" takes `seconds` in all.
void pal_script_fast(pal_script *script, const char *what, const double to[3], double speed,
                     double seconds);
void pal_script_wait(pal_script *script, const char *what, double seconds); // "hold", "release"
// "path" through places that are added one by one, then ended with a speed.
void pal_script_path(pal_script *script);
void pal_script_through(pal_script *script, const double place[3]);
void pal_script_end_path(pal_script *script, double speed);

// What a trial changes in its scene, beside what the wish does; NULL: as it is.
typedef struct pal_trial_text {
    const char *probe;    // of the first hand
    const char *second;   // of another hand, with the same device and tool; NULL: none
    const char *grip;     // NULL: as wished
    const char *faults;   // a list
    const char *surfaces; // a list
} pal_trial_text;

// *text is on the heap, NULL on failure.
pal_status pal_trial_make_text(const pal_feel *feel, const pal_trial_text *how, char **text,
                               pal_err *err);

#endif
