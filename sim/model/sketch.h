// Sketching a basis [BJ05 5.2]: somebody pulls at the body, which answers at once by its linear
// model, and the forces are kept; a bake then solves the full equilibrium under each and takes its
// basis from these shapes.
//
// The linear model is static, as in the paper, so that nothing swings: with the lowest modes psi_k
// and a total force F that the grabbed vertices share equally,
//
//     b_k = mean of psi_k over them,   q_k = b_k . F / lambda_k,   u = sum q_k psi_k
//
// and their mean moves by C F, C = sum b_k b_k^T / lambda_k. A hand that drags them towards a place
// by a spring s pulls with F = s (I + s C)^-1 (place - where they are at rest).
//
// Far out the linear shapes are wrong (they swell and shear); the forces are what counts. Any
// thread, one at a time; never the servo's.
#ifndef PAL_MODEL_SKETCH_H
#define PAL_MODEL_SKETCH_H

#include "sim/basis/eigen.h"
#include "sim/model/bake.h"

typedef struct pal_sketch {
    const pal_fem *fem; // borrowed
    pal_modes modes;    // q and u are in terms of these
    double separation;  // N
    double *q;          // [modes.count] now

    struct { // what is held now
        char *selector;
        int32_t count;   // vertices; 0: nothing is held
        double rest[3];  // m, their mean place at rest
        double *row;     // [modes.count][3] b_k
        double c[3][3];  // m/N
        double force[3]; // N, the whole
        double moved[3]; // m, their mean displacement
        bool kept;       // a load of this hold has been kept
        double last[3];  // N, the last one; zeros: none
    } hold;

    int32_t load_count, load_room;
    pal_load *load; // [load_count] kept so far, in their order
    int32_t holds;  // of which loads were kept
} pal_sketch;

// The lowest modes of a body that is held somewhere. separation: N, a force nearer than this to the
// last one kept of the same hold, or to none, is not kept; 0: every one is that differs. The
// problem must outlive the sketch.
pal_status pal_sketch_open(pal_sketch *sketch, pal_fem *fem, int32_t modes, double separation,
                           const pal_progress *progress, pal_err *err);
void pal_sketch_close(pal_sketch *sketch);

// Takes hold of these vertices (at rest), and of nothing else; no force yet. At least one must be
// free to move.
pal_status pal_sketch_grab(pal_sketch *sketch, const char *selector, pal_err *err);
// The same by a place on the body at rest: all vertices within the radius, or the nearest one.
pal_status pal_sketch_grab_at(pal_sketch *sketch, const double x[3], double radius, pal_err *err);

// The held vertices are pulled with this total force, N; or towards a place by a spring of this
// stiffness, N/m. q is the answer.
void pal_sketch_pull(pal_sketch *sketch, const double force[3]);
void pal_sketch_drag(pal_sketch *sketch, const double to[3], double stiffness);
void pal_sketch_release(pal_sketch *sketch); // the body is at rest

// Keeps the force of now when it is far enough from the last one kept; true: it was. Once a frame.
pal_status pal_sketch_keep(pal_sketch *sketch, bool *kept, pal_err *err);

// Forgets the last load kept; false: there is none. What is held now is not kept again until it has
// changed.
bool pal_sketch_undo(pal_sketch *sketch);

// The displacement of every vertex now, u [vertex_count][3].
void pal_sketch_displace(const pal_sketch *sketch, double *u);

// The list as text for a scene's basis.loads_file, on the heap; `about` goes in front as a comment,
// a line. NULL: no memory.
char *pal_sketch_text(const pal_sketch *sketch, const char *about, pal_err *err);

#endif
