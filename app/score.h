// How well a hand has searched a body for what is hidden in it, from the trace of a run alone.
//
// Everything is seen from above, along z. The indentation of a tick is how far the lowest point of
// the tool is below the surface at rest under it:
//
//     d = h(x, y) - (z_tool - R),   F = force on the hand along z,   F0 = F (d0 / d)^1.5
//
// with d0 the median of d, and F0 taken from ticks with d within a quarter of d0 only: the force at
// equal depth, by the law of a ball (Hertz) over that little way. What the nodule adds is told in
// just-noticeable differences of force, 7 % (Pang, Tan & Durlach 1991), and of stiffness, 22 %, the
// most that is reported (8 to 22 %): at equal depth both have the same ratio.
#ifndef PAL_APP_SCORE_H
#define PAL_APP_SCORE_H

#include "haptics/trace.h"
#include "scenes/scene.h"

#define PAL_FORCE_JND     0.07
#define PAL_STIFFNESS_JND 0.22

// The searched part of the surface from above: the box where it may lie, and its radius around.
typedef struct pal_score_map {
    int32_t width, height; // cells
    double low[2], cell;   // m: the corner, the side of a cell
    double *top;           // [height][width] m, the surface at rest; NAN: none
    double *pressed;       // [height][width] N, the most within a tool's radius
    double *force;         // [height][width] N, F0 around; NAN: not felt
} pal_score_map;

typedef enum pal_found_by { PAL_FOUND_NOTHING, PAL_FOUND_MARK, PAL_FOUND_FELT } pal_found_by;

typedef struct pal_score_result {
    pal_hidden truth;
    double tool_radius; // m
    double enough;      // N, a press
    // Where the hand says it is: the last press of the button; without one, where F0 was greatest,
    // if that is a just-noticeable difference above the median of the map
    pal_found_by by;
    double guess[2], guess_time;  // m, s
    double distance, most;        // m from the truth, and what counts as found
    bool found;                   //
    double seconds, contact_time; // s
    double path, contact_path;    // m, by steps of half a millimetre
    double peak, mean;            // N, mean in contact
    double coverage;              // share of the map that was pressed enough
    double depth;                 // m, d0
    double on, around;            // N, F0 over the nodule and far from it; NAN: not felt there
    double spread;                // N, standard deviation of F0 far from it
    double force_jnds, stiffness_jnds;
    int64_t on_ticks, around_ticks;
    pal_score_map map;
} pal_score_result;

// Errors: nothing is hidden in the scene, more than one hand, a trace that was cut off, no contact.
pal_status pal_score_trace(const char *path, double enough, const pal_progress *progress,
                           pal_score_result *result, pal_err *err);
void pal_score_free(pal_score_result *result);

// Two maps side by side as a PNG: where it was pressed, and what was felt.
pal_status pal_score_picture(const pal_score_result *result, const char *path, pal_err *err);

#endif
