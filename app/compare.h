// `palpate compare`: one body and one blow, moved by full finite elements and by several reduced
// bases. Lengths in m, forces in N, times in s; [BJ05 7].
#ifndef PAL_APP_COMPARE_H
#define PAL_APP_COMPARE_H

#include "app/loading.h"
#include "sim/model/bake.h"
#include "sim/reduced/quartic.h"

// The blow: half a sine wave of this duration at the probe's vertices, the greatest force being
// strength * direction.
typedef struct pal_blow {
    double direction[3]; // of length 1
    double strength;     // N
    double duration;     // s
} pal_blow;

// sin(pi t / duration), then 0: the share of the force at a time. `blow` is a pal_blow.
double pal_blow_factor(void *blow, double time);

// What all motions share.
typedef struct pal_trial {
    pal_fem fem;     // of the scene's mesh
    pal_probe probe; // where the blow falls and the motion is watched
    pal_blow blow;
    double reach;       // m, from the held vertices to those farthest from them
    double alpha, beta; // damping
    double dt;          // s
    int32_t steps;
} pal_trial;

// A basis and the body reduced to it.
typedef struct pal_reduction {
    const char *key;  // "derivatives", for JSON
    const char *name; // "modal derivatives"
    int32_t r;
    double *basis; // [3 vertex_count][r]
    pal_quartic quartic;
} pal_reduction;

void pal_reduction_free(pal_reduction *reduction);

// The motion of the probe, states 0 to steps.
typedef struct pal_motion {
    int32_t count;           // steps + 1
    double *time;            // [count]
    double *u;               // [count][3] mean displacement of the probe
    double *along;           // [count] its part along the blow
    double seconds_per_step; // that it took
} pal_motion;

pal_status pal_motion_alloc(const pal_trial *trial, pal_motion *motion, pal_err *err);
void pal_motion_free(pal_motion *motion);

// How one motion differs from the full one. NAN where it cannot be told.
typedef struct pal_difference {
    double amplitude; // greatest |along|, relative error
    double frequency; // of the swinging after the first peak, relative error
    double rms;       // of |u - full u|, relative to the greatest |full u|
} pal_difference;

double pal_motion_peak(const pal_motion *motion); // greatest |along|

// Swings per second after the first peak, from the first `most` half periods; a half period ends
// where `along` goes through zero to beyond a tenth of the peak on the other side. *halves (may be
// NULL) = how many were found; NAN when none was.
double pal_motion_frequency(const pal_motion *motion, int32_t most, int32_t *halves);

pal_difference pal_motion_compare(const pal_motion *motion, const pal_motion *full);

// ---- compare_trial.c

// The vertices farthest from the held ones, as a selector: near:(x,y,z):radius; and how far they
// are.
pal_status pal_trial_far_end(const pal_volmesh *mesh, const uint8_t *held, char *selector,
                             size_t size, double *reach, pal_err *err);

// The slowest period of the linear reduced body, and how far a force of 1 N along `direction`
// moves the probe, by linear statics.
pal_status pal_trial_linear(const pal_trial *trial, const pal_reduction *reduction, double *period,
                            double *compliance, pal_err *err);

// The axis along which the body gives way most at the probe, downwards.
pal_status pal_trial_direction(pal_trial *trial, const pal_reduction *reduction, pal_err *err);

// The strength that moves the probe of the reduced body by `peak`.
pal_status pal_trial_strength(pal_trial *trial, const pal_reduction *reduction, double peak,
                              pal_err *err);

// ---- compare_basis.c

// The first r vectors of the model's own basis.
pal_status pal_reduction_of_model(const pal_model *model, pal_basis_kind kind, int32_t r,
                                  pal_reduction *out, pal_err *err);

// A basis from shapes under scripted loads at the probe: pushes up to `strength` along the blow and
// against it, aslant and sideways. Loads too strong for an equilibrium are weakened.
pal_status pal_reduction_of_sketch(pal_trial *trial, double strength, int32_t r,
                                   const pal_progress *progress, pal_reduction *out, pal_err *err);

// Linear modes alone.
pal_status pal_reduction_of_modes(pal_trial *trial, int32_t r, const pal_progress *progress,
                                  pal_reduction *out, pal_err *err);

// Mass-PCA of shapes [count][3 vertex_count]: of the full motion, no basis of its size is better.
pal_status pal_reduction_of_shapes(pal_trial *trial, const double *shapes, int32_t count, int32_t r,
                                   const pal_progress *progress, pal_reduction *out, pal_err *err);

// ---- compare_motion.c

// The full motion; *shapes (freed by the caller) receives up to PAL_SNAPSHOTS of its states.
enum { PAL_SNAPSHOTS = 160 };
pal_status pal_motion_full(pal_trial *trial, const pal_progress *progress, pal_motion *motion,
                           double **shapes, int32_t *shape_count, pal_err *err);

pal_status pal_motion_reduced(const pal_trial *trial, const pal_reduction *reduction,
                              pal_motion *motion, pal_err *err);

// The force along the blow that holds the probe of the reduced body where it is displaced by
// `distance` along the blow, in equilibrium; NAN when none is found.
pal_status pal_reduced_holding_force(const pal_trial *trial, const pal_reduction *reduction,
                                     double distance, double *force, pal_err *err);

// The same of the full body, the other way round: its displacement under `force`.
pal_status pal_full_displacement(pal_trial *trial, double force, const pal_progress *progress,
                                 double *distance, pal_err *err);

#endif
