// A tree of domains in time: Algorithm 1 of [BZ11], and beyond it the exact inertia of subtrees.
//
// Each domain is a reduced body in a frame that its parent carries. With the twist V = (v, w) of
// its frame and y = (V, q'), its kinetic energy is 1/2 y^T Mi(q) y, and its frame's acceleration is
// linear in the parent's and in the parent's q'' (MATH.md 2.1). The step is implicit Newmark in all
// coordinates at once; its matrix has the shape of the tree, so that it is eliminated from the
// leaves to the root and substituted back, in time linear in the number of domains.
//
//     interface   a subtree is a mass at its interface                 (L1, the paper's eqs 15, 16)
//     centre      a subtree is a mass at its centre of mass            (L2)
//     exact       a subtree is what it is: the articulated recursion   (MATH.md 2.1)
//
// In all three a load goes up the tree as a whole wrench.
#ifndef PAL_SUBSTRUCT_TREE_STEP_H
#define PAL_SUBSTRUCT_TREE_STEP_H

#include <stddef.h>

#include "sim/base/outcome.h"
#include "sim/substruct/tree.h"

typedef enum pal_inertia {
    PAL_INERTIA_INTERFACE, // L1
    PAL_INERTIA_CENTRE,    // L2
    PAL_INERTIA_EXACT,
} pal_inertia;

typedef struct pal_tree_options {
    double dt; // s
    pal_inertia inertia;
    double gravity[3]; // m/s^2
    int threads;       // 1 or 2, the caller's among them; the result does not depend on it
} pal_tree_options;

typedef struct pal_tree_state pal_tree_state;

// The tree is borrowed and must have passed pal_tree_check. At rest, in its rest pose. Set-up only.
pal_status pal_tree_open(const pal_tree *tree, const pal_tree_options *options,
                         pal_tree_state **state, pal_err *err);
void pal_tree_close(pal_tree_state *state);
size_t pal_tree_bytes(const pal_tree_state *state); // that it takes beside the tree

// ---- between steps, all RT safe

// While a step waits for its second thread longer than `patience` (s), overdue(context) is called,
// see sim/base/team.h. 0: never.
void pal_tree_set_patience(pal_tree_state *state, double patience, void (*overdue)(void *context),
                           void *context);

const pal_tree *pal_tree_of(const pal_tree_state *state);

// Coordinates, velocities and accelerations of one domain [r] (each may be NULL). After setting,
// pal_tree_settle brings all frames up to date; how they accelerated before is forgotten.
void pal_tree_get(const pal_tree_state *state, int32_t domain, double *q, double *v, double *a);
void pal_tree_set(pal_tree_state *state, int32_t domain, const double *q, const double *v,
                  const double *a);
void pal_tree_settle(pal_tree_state *state);
// How often it was: the domains may have been anywhere before.
int64_t pal_tree_settled(const pal_tree_state *state);
// The squares of the lengths of q and q'.
void pal_tree_lengths(const pal_tree_state *state, int32_t domain, double *q2, double *v2);

// The frame of a domain in the world (m), and its twist: the velocity of its origin and its angular
// velocity, in the frame's own axes (m/s, rad/s).
void pal_tree_frame(const pal_tree_state *state, int32_t domain, double x[3], double turn[3][3]);
void pal_tree_twist(const pal_tree_state *state, int32_t domain, double v[3], double w[3]);
// Pose and twist of a root that flies, in the world and in its own axes; then pal_tree_settle.
void pal_tree_set_root(pal_tree_state *state, const double x[3], double (*turn)[3],
                       const double v[3], const double w[3]);

// Where a material point of a domain is, and how fast (m, m/s, in the world): X at rest and U
// [3][r] in the class's frame.
void pal_tree_point(const pal_tree_state *state, int32_t domain, const double rest[3],
                    const double *u, double x[3], double velocity[3]);

// A force on such a point (N, world axes) for the next step. Loads are forgotten after a step.
void pal_tree_push(pal_tree_state *state, int32_t domain, const double rest[3], const double *u,
                   const double force[3]);
// An acceleration beside gravity that acts on all of a domain until it is set again (m/s^2, world):
// wind.
void pal_tree_blow(pal_tree_state *state, int32_t domain, const double field[3]);

// Factors on a domain's internal force, and gravity, from the next step on.
void pal_tree_set_stiffness(pal_tree_state *state, int32_t domain, double factor);
double pal_tree_stiffness(const pal_tree_state *state, int32_t domain);
void pal_tree_set_gravity(pal_tree_state *state, const double gravity[3]);
void pal_tree_set_dt(pal_tree_state *state, double dt);

// What became of steps that made energy (tree_guard.c): how often the tree was slowed down, put
// back to where it was before the step, and how many steps were taken by exact inertia instead; the
// work of all loads so far and what was held when the last step began, both without the rigid
// motion of a tree that flies; and what it may hold whatever the work.
typedef struct pal_tree_guard {
    int64_t slowed, put_back, exact;
    double work, held, least; // J
} pal_tree_guard;
pal_tree_guard pal_tree_guarded(const pal_tree_state *state);

// One step. After PAL_OUT_NAN all is as it was, with zero velocities; in the rest pose when steps
// keep failing. PAL_OUT_SWUNG_UP: the step before had made too much energy, see pal_tree_guarded.
// RT safe.
pal_outcome pal_tree_step(pal_tree_state *state);
// Its two halves: contact's forces may be pushed between them (they are those of the end of the
// step).
pal_outcome pal_tree_begin(pal_tree_state *state);
pal_outcome pal_tree_finish(pal_tree_state *state);

// The steps of all domains, each as if it were alone, without what makes them a tree: for measuring
// what the tree costs beside them. The state stays. RT safe.
void pal_tree_step_alone(pal_tree_state *state);

// Energies (J), and total momentum: linear (kg m/s) and angular about the world's origin. RT safe.
typedef struct pal_tree_energy {
    double kinetic, strain, momentum[3], spin[3];
} pal_tree_energy;
void pal_tree_measure(pal_tree_state *state, pal_tree_energy *energy);
// The energies when the last step began: they come out of it, at no cost. RT safe.
void pal_tree_energies(const pal_tree_state *state, double *strain, double *kinetic);
// What gravity and wind did to it then, W. RT safe.
double pal_tree_power(const pal_tree_state *state);

// The relative deviation of an interface from rigid: |Q^T B - C| / |C| (Frobenius), of the
// interface that carries `domain`.                                                   [BZ11 fig. 3]
double pal_tree_gap(const pal_tree_state *state, int32_t domain);

#endif
