// Pulls over time, from a text: a line "TIME ; SELECTOR ; fx fy fz" (s, N) each, times growing, '#'
// begins a comment. Between two lines with the same selector the force goes straight from one to
// the other; a line with another selector lets go and takes hold there.
#ifndef PAL_APP_SKETCH_SCRIPT_H
#define PAL_APP_SKETCH_SCRIPT_H

#include "scenes/point.h"
#include "sim/model/sketch.h"

typedef struct pal_pull {
    double time; // s
    char *selector;
    double force[3]; // N
    bool anew;       // lets go first, though the selector may be the same
} pal_pull;

typedef struct pal_pulls {
    int32_t count, room;
    pal_pull *pull; // [count]
} pal_pulls;

// Appends; the selector is copied.
pal_status pal_pulls_add(pal_pulls *pulls, double time, const char *selector, const double force[3],
                         pal_err *err);
pal_status pal_pulls_read(const char *path, pal_pulls *pulls, pal_err *err);
void pal_pulls_free(pal_pulls *pulls);

// The largest force among them, N.
double pal_pulls_largest(const pal_pulls *pulls);

typedef struct pal_sketch_report {
    int32_t frames;
    double largest_move; // m, of the held vertices' mean, by the linear model
} pal_sketch_report;

// Says the places among what is pulled at (point.h) as vertices of the mesh.
pal_status pal_pulls_settle(pal_pulls *pulls, const pal_landmarks *names, const pal_volmesh *mesh,
                            pal_err *err);

// Plays the pulls on the linear model at 60 frames a second in virtual time, and keeps their
// forces.
pal_status pal_pulls_play(const pal_pulls *pulls, pal_sketch *sketch, pal_sketch_report *report,
                          pal_err *err);

#endif
