// What a reduced body in time is made of, for newmark.c and newmark_open.c alone. Arrays have ld
// entries, r rounded up to a multiple of 4; what is beyond r is zero.
#ifndef PAL_REDUCED_NEWMARK_STATE_H
#define PAL_REDUCED_NEWMARK_STATE_H

#include "sim/reduced/newmark.h"
#include "sim/reduced/quartic_kernel.h"

struct pal_coefficients {
    pal_precision precision;
    bool unit_mass;
    double *p; // [ld][ld] P, padding zero
    double *m; // [ld][ld] reduced mass
    pal_kernel_table table;
};

struct pal_newmark {
    int32_t r, ld;
    pal_newmark_options options;
    double strain_before;          // J
    pal_outcome begun;             // of pal_newmark_begin
    double most_q;                 // bound of |q|
    int failed;                    // steps that failed, less the good ones since
    double a1, a2, a3, a4, a5, a6; // [BJ05 App. C], beta = 1/4, gamma = 1/2
    pal_coefficients *coefficients;
    double *q, *v, *a;    // [ld] state
    double *q1, *v1, *w1; // [ld] the state being looked for: place, velocity, acceleration
    double *k;            // [ld][ld] K(q1)
    double *pq;           // [ld] P q1
    double *half;         // [ld] K1 q / 2
    double *force;        // [ld] R(q1)
    double *residual;     // [ld]
    double *dq;           // [ld]
    double *inertia;      // [ld] M (acceleration + alpha velocity)
    double *matrix;       // [ld][stride] augmented
    double *lasting;      // [ld][stride] K + shift M, factored
    double lasting_shift; // 1/s^2
    bool lasting_made;    // in this step
    bool lasting_known;   // it could be factored
    void *scratch;        // of the kernel
};

// row [ld] from value [r], NULL: zeros.
static inline void pal_newmark_set_row(const pal_newmark *body, double *row, const double *value) {
    for (int32_t i = 0; i < body->ld; i++) {
        row[i] = value != NULL && i < body->r ? value[i] : 0.0;
    }
}

#endif
