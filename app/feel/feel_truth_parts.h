// The parts of feel_truth.c: a session that goes once more along a recorded path, and what full
// elements and smooth surfaces say of that path.
#ifndef PAL_APP_FEEL_TRUTH_PARTS_H
#define PAL_APP_FEEL_TRUTH_PARTS_H

#include "app/feel/feel.h"
#include "sim/fem/problem.h"
#include "sim/model/tree_unite.h"
#include "sim/substruct/tree_step.h"

typedef struct pal_truth_walk {
    pal_session session; // after its last tick
    int32_t hands;
    int64_t count;        // ticks
    pal_tick_record *row; // [count][hands] as recorded, their places without the encoder's steps
    double *force;        // [count][3] N, on the first hand's tool
    int32_t *triangle;    // [count] of the surface, that bears most; -1: none
    double *normal;       // [count][3] out of the body there; zeros: none
} pal_truth_walk;

// The model's own force along the trace, its tools held rigidly where the devices were; `no_local`:
// without dents. After a failure there is nothing to close.
pal_status pal_truth_walk_open(pal_truth_walk *walk, const pal_feel *feel,
                               const pal_trace_data *trace, bool no_local,
                               const pal_progress *progress, pal_err *err);
void pal_truth_walk_close(pal_truth_walk *walk);

// row [ticks][hands]: each place becomes a mean over its neighbours in time (Hann, 25 ms, no lag),
// but stays within half an encoder step of the reading, where the device truly was.
pal_status pal_truth_smooth_places(pal_tick_record *row, int64_t ticks, int32_t hands,
                                   const pal_device_limits *limits, pal_err *err);

// The tick at which the walk's longest contact begins (it may leave the surface for a moment, as a
// light body swings), and the tick in it at which the device is deepest along the first normal.
// False: nothing is touched.
bool pal_truth_press(const pal_truth_walk *walk, int64_t *first, int64_t *deepest);

// The materials [region_count] at a tick, on the heap.
pal_material *pal_truth_materials(const pal_session *session, uint64_t tick, pal_err *err);

// How the surface feels at a triangle: which of the body's laws.
int pal_truth_law(const pal_session *session, int32_t triangle);

// The domain of a triangle of a tree's surface; -1: the body is of one piece.
int32_t pal_truth_domain(const pal_session *session, int32_t triangle);

// The full body with the materials of a tick. Of a tree of domains: their meshes joined; where that
// is too much, those that bear what presses at that tick (static loads go from there to the root)
// and their neighbours.
typedef struct pal_truth_body {
    const pal_model *model; // mesh, held, surface, embedding
    pal_tree_united united; // of a tree, behind the model
    int32_t domains;        // of a tree: so many are in it
    pal_fem fem;
} pal_truth_body;
// *fits = false, and a note, where nothing is held or there are more unknowns than `most_dofs`:
// then there is nothing to free.
pal_status pal_truth_body_open(pal_truth_body *body, const pal_truth_walk *walk, int64_t tick,
                               int64_t most_dofs, bool *fits, char *note, size_t size,
                               pal_err *err);
void pal_truth_body_close(pal_truth_body *body);
// "4,995 voxels", "11,280 tets of 12 domains"
void pal_truth_body_say(const pal_truth_body *body, char *text, size_t size);
// The triangle of the session's body that one of this body's surface is.
int32_t pal_truth_body_triangle(const pal_truth_body *body, int32_t triangle);

// A load spread over a patch of the full body's vertices.
typedef struct pal_truth_patch {
    double centre[3], direction[3]; // m at rest; unit, of the force on the body
    int32_t count;
    int32_t *vertex; // [count] of the mesh
    double *weight;  // [count], sum 1
} pal_truth_patch;

// e H K^-1 H^T e of a full body at rest, m/N, along the patch's direction.
pal_status pal_truth_compliance(pal_fem *fem, const pal_truth_patch *patch, double *compliance,
                                pal_err *err);

// All domains stand still, bent as they are.
void pal_truth_stop(pal_tree_state *state);

// A tree of domains under such loads, from one to the next.
typedef struct pal_truth_hang pal_truth_hang;
pal_status pal_truth_hang_open(pal_truth_hang **hang, const pal_truth_walk *walk,
                               const pal_truth_body *body, const pal_truth_patch *patch,
                               pal_err *err);
void pal_truth_hang_close(pal_truth_hang *hang); // NULL is allowed
// How far the patch goes under a force, m, dents of its domains included.
pal_status pal_truth_hang_way(pal_truth_hang *hang, double force, double *way, pal_err *err);

// The force of the model at rest with its first tool held at places [count][3] one after the other,
// from free space on, without friction; in the walk's own session, which has then ended.
typedef struct pal_truth_rest {
    int count;
    const double (*place)[3]; // m
    double (*force)[3];       // N
} pal_truth_rest;
void pal_truth_settle(pal_truth_walk *walk, const pal_truth_rest *rest);

// Full elements at some ticks; full [count][3] is NAN elsewhere. What cannot be done, or would take
// too long, is said in the note and leaves NAN.
pal_status pal_truth_dent(pal_truth_walk *walk, double *full, char *note, size_t size,
                          const pal_progress *progress, pal_err *err);
pal_status pal_truth_bend(const pal_truth_walk *walk, double *full, char *note, size_t size,
                          const pal_progress *progress, pal_err *err);

// 1 / k of the thin elastic layer that the scene gives a surface, m^3/N; the one by which every
// contact is a little soft is no part of the truth: 0.
double pal_truth_layer(const pal_session *session, int law);

// The same slide, by the same hand and device in a closed loop, over the smooth surface that is
// nearest to the one it went over: by how much the force turns (rad) and jerks (N), rms.
pal_status pal_truth_smooth(const pal_feel *feel, const pal_truth_walk *walk,
                            const pal_feel_trial *trial, double *angle, double *jerk, pal_err *err);

#endif
