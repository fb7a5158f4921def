// Ground truth: full implicit Newmark dynamics with tangent Rayleigh damping [BJ05 eq. 3, App. C].
#ifndef PAL_FEM_DYNAMIC_H
#define PAL_FEM_DYNAMIC_H

#include "sim/fem/problem.h"

typedef struct pal_dynamic_options {
    double dt;        // s
    int steps;        // how many
    double alpha;     // Rayleigh: C = alpha M + beta K(u)
    double beta;      //
    double tolerance; // on |residual| / |f|, or |M v(0)| / dt where that is more; 0: 1e-12
    // The load over time: f is multiplied by load_factor(load_user, time). NULL: 1.
    double (*load_factor)(void *load_user, double time);
    void *load_user;
    const double *velocity; // full [vertex_count][3] at the start, m/s; NULL: at rest
} pal_dynamic_options;

// Called after the start (step 0) and after every step with full vectors; return false to stop.
typedef bool (*pal_dynamic_observer)(void *user, int step, double time, const double *u,
                                     const double *v, double kinetic, double strain);

// u(0) = 0, v(0) as the options say; f (full) is a dead load switched on at t = 0 and held, or as
// load_factor says. A step in which Newton fails is divided, down to 1/64, and undivided again as
// soon as it can be.
pal_status pal_dynamic_run(pal_fem *fem, const double *f, const pal_dynamic_options *options,
                           const pal_progress *progress, pal_dynamic_observer observe, void *user,
                           pal_err *err);

#endif
