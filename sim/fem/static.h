// Ground truth: the full (unreduced) equilibrium R(u) = f by Newton with line search and load
// stepping.
#ifndef PAL_FEM_STATIC_H
#define PAL_FEM_STATIC_H

#include "sim/fem/problem.h"

typedef struct pal_static_options {
    int max_iterations; // Newton iterations in all; 0: 400
    double tolerance;   // on |R(u) - f| / |f|; 0: 1e-11
    // An equilibrium to go on from, under the share `start_load` of f; NULL: from rest, unloaded.
    const double *start; // full
    double start_load;   // 0..1
} pal_static_options;

typedef struct pal_static_report {
    int newton_iterations;
    int load_steps;
    double residual; // |R(u) - f| in N
    double energy;   // strain energy in J
    double load;     // share of f up to which there is an equilibrium: 1 when all is well
    bool inverted;   // beyond, elements turn inside out
} pal_static_report;

// f (the load) and u (the answer) are full vectors. Needs an anchored body. Fails when Newton does
// not converge, saying how far the load came (the report then, too, if it is a numeric failure).
pal_status pal_static_solve(pal_fem *fem, const double *f, const pal_static_options *options,
                            const pal_progress *progress, double *u, pal_static_report *report,
                            pal_err *err);

#endif
