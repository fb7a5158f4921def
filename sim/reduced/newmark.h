// One reduced body in time: implicit Newmark with tangent Rayleigh damping [BJ05 App. C],
//
//     M q'' + (alpha M + beta K(q)) q' + R(q) = f,      M = I as baked (another M after density
//     edits)
//
// with contact springs inside the step matrix. Everything is carved from one block of memory given
// at set-up; a step allocates nothing and its work is bounded.
#ifndef PAL_REDUCED_NEWMARK_H
#define PAL_REDUCED_NEWMARK_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/base/outcome.h"
#include "sim/base/status.h"
#include "sim/reduced/quartic.h"

enum { PAL_MAX_R = 128, PAL_MAX_SPRINGS = 60 }; // springs: bits of a mask of 64

typedef enum pal_precision { PAL_DOUBLE, PAL_FLOAT } pal_precision; // of the stored coefficients

// A spring that only pushes (unless it is said to pull as well), along one direction of the reduced
// space, implicit in the step: with depth(dq) = depth - row.dq, its force on q is row * (k depth +
// b rate), where the rate of the depth is that of the body alone, -row.q' at the end of the step.
typedef struct pal_spring {
    const double *row; // [r]: the way it pushes the body: -n^T U at the point, n out of the body
    double depth; // m, at the start of the step; negative: a gap that may close within the step
    double k, b;  // N/m, N s/m
    bool pulls;   // it may pull as well, and k may be negative (where others outweigh it)
} pal_spring;

typedef struct pal_newmark_options {
    double dt;               // s
    double alpha, beta;      // Rayleigh damping, 1/s and s
    int newton_iterations;   // 1: semi-implicit, as in the paper
    double newton_tolerance; // on |residual|, to stop early
} pal_newmark_options;

typedef struct pal_newmark pal_newmark; // state and coefficients

// Bytes that a body of size r needs (64-byte aligned).
size_t pal_newmark_bytes(int32_t r, pal_precision precision);

// Carves a body out of memory of that size and loads the coefficients; at rest. The quartic is
// copied into the kernel's own layout (set-up work, O(r^4)). mass: [pal_pairs(r)] or NULL for the
// identity.
pal_newmark *pal_newmark_init(void *memory, const pal_quartic *quartic, const double *mass,
                              pal_precision precision, const pal_newmark_options *options);

// State [r], readable between steps by the servo thread. RT safe.
const double *pal_newmark_q(const pal_newmark *body);
const double *pal_newmark_velocity(const pal_newmark *body);
const double *pal_newmark_acceleration(const pal_newmark *body);
int32_t pal_newmark_r(const pal_newmark *body);
void pal_newmark_set_state(pal_newmark *body, const double *q, const double *velocity,
                           const double *acceleration); // NULL: zeros. RT safe.

// No good state has |q| above most_q, or is faster than that way in a step: like one that is not a
// number it is not taken. Infinite at first. RT safe.
void pal_newmark_bound(pal_newmark *body, double most_q);

// One step under the reduced force f [r] and the springs. *spring_force (may be NULL)
// [spring_count] receives the force of each spring at the end of the step, N, never negative unless
// it may pull. On PAL_OUT_NAN the state is what it was before, with zero velocity; it is that of
// rest where that was beyond the bound or when steps keep failing. RT safe.
pal_outcome pal_newmark_step(pal_newmark *body, const double *f, const pal_spring *spring,
                             int32_t spring_count, double *spring_force);

// The same step in two halves, semi-implicit, for contact that is solved between them. All RT safe.
//
//     begin    K(q) and the step matrix A, factored; dq_free, where q would go under f alone
//     halve    x [r][stride], columns b_i^T: becomes y with y_i . y_j = b_i^T A^-1 b_j
//     finish   q += dq_free + A^-1 contact_force; the state is that of the end of the step
//
// stride is a multiple of 4, x 32-byte aligned. Between begin and finish the state is still the
// old.
pal_outcome pal_newmark_begin(pal_newmark *body, const double *f);
const double *pal_newmark_free(const pal_newmark *body); // [r] dq_free
void pal_newmark_halve(const pal_newmark *body, double *x, int32_t stride);
pal_outcome pal_newmark_finish(pal_newmark *body, const double *contact_force);

// x [r rounded up to 4], a force on q that lasts: becomes how far it takes q in the long run, by
// the stiffness of the last step, (K + c M) x' = x, c as large as makes it positive. False:
// none does, x is not changed. RT safe.
bool pal_newmark_settle(pal_newmark *body, double *x);

// Energy, force [r] and stiffness [r][r] at q by the fast kernel (each may be NULL). RT safe.
double pal_newmark_evaluate(pal_newmark *body, const double *q, double *force, double *stiffness);

// Strain and kinetic energy of the present state, J. RT safe.
double pal_newmark_strain_energy(pal_newmark *body);
double pal_newmark_kinetic_energy(const pal_newmark *body);
// The strain energy of the state that the last step began with, or that was set since: at no cost.
double pal_newmark_strain_before(const pal_newmark *body);

// Other coefficients of the same size, prepared off the servo thread, taken over in O(1) at a tick
// (paper 6.5). `coefficients` is memory of pal_newmark_coefficient_bytes filled by
// pal_newmark_prepare; the previous one is returned and may be freed or refilled by the other
// thread after the next tick. pal_newmark_swap is RT safe.
size_t pal_newmark_coefficient_bytes(int32_t r, pal_precision precision);
typedef struct pal_coefficients pal_coefficients;
pal_coefficients *pal_newmark_prepare(void *memory, const pal_quartic *quartic, const double *mass,
                                      pal_precision precision);
pal_coefficients *pal_newmark_swap(pal_newmark *body, pal_coefficients *coefficients);

// Steps of another length, and other damping, from the next step on. RT safe.
void pal_newmark_set_step(pal_newmark *body, double dt);
void pal_newmark_set_damping(pal_newmark *body, double alpha, double beta);

#endif
