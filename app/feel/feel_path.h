// A measured path replayed: the device is led along places that were recorded beside forces (of a
// real tool in a real body, say), also below the surface, and the forces that the scene renders
// there are compared with the measured ones [RME06].
//
//     error(mu) = rms |F_rendered(k; mu) - F_measured(k)|,      mu* = argmin of it over 0..1
//
// mu is the friction of the whole surface, the same at rest and in motion.
#ifndef PAL_APP_FEEL_PATH_H
#define PAL_APP_FEEL_PATH_H

#include "app/json.h"
#include "app/session.h"

typedef struct pal_path_result {
    char scene[64];
    int64_t count;        // ticks
    double seconds;       // s
    double mean_force;    // N, of the measured ones, by size
    double error;         // N rms, with the scene's own surface
    double contact;       // share of the ticks in which the scene's tool touches
    double friction;      // mu*; NAN: the force hardly depends on it
    double least_error;   // N rms, there
    int runs;             // along the path
    double least, most;   // N rms, over all of them
    double error_axis[3]; // N rms along x, y and z, with the scene's own surface
} pal_path_result;

// Reads the CSV (haptics/feel/feel_trace.h: 1 kHz, place of the device and force on it) and replays
// it through the scene as it is rendered: its device's limits, its coupling, its dents. Where the
// measured force begins above zero, the tool is first led in from outside, along that force. A path
// that never touches the body is an error.
pal_status pal_path_find(const char *scene, const char *csv, const pal_progress *progress,
                         pal_path_result *result, pal_err *err);

void pal_path_print(const pal_path_result *result);
void pal_path_json(const pal_path_result *result, cJSON *root);

#endif
