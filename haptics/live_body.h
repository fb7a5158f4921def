// A baked model brought to life: its surface as contact sees it, its state in time, and the tree
// that finds what is touched. A body may also be a tree of domains (live_tree.h).
#ifndef PAL_HAPTICS_LIVE_BODY_H
#define PAL_HAPTICS_LIVE_BODY_H

#include "sim/base/keep.h"
#include "sim/model/model.h"
#include "sim/step.h"

struct pal_live_tree;

typedef struct pal_live_body {
    struct pal_live_tree *domains; // where it is a tree of them; NULL: it is one piece
    // Of one piece, but for what says otherwise
    pal_body body;
    pal_bdtree tree;
    pal_shell shell;         // what tools feel for
    pal_footprint footprint; // of its touches, when there are dents
    void *kept; // the file that tree, shell and footprint lie in; NULL: they were built
    pal_newmark *newmark;
    pal_dent dent;                         // of the surface, its arrays
    const pal_local *local;                // the model's, NULL: it has none
    pal_row_surface *local_rows;           // of its rows, owned
    pal_surface_law law[PAL_SURFACE_LAWS]; // of a tree, too
    uint8_t *law_of_triangle;              // [triangle_count], owned; of a tree, too
    uint16_t *region_of_triangle;          // [triangle_count], owned
    int32_t region_count;
    double *local_scale; // [region_count] how much softer than baked each region is, owned; of the
                         // thread that ticks
    double row_bound;    // m, the largest |J| of a surface point
    char hash[PAL_HASH_TEXT]; // of all numbers that a tick depends on
    void *memory;             // of newmark, owned
    double *basis;            // [point_count][3][r] surface basis: embedding weights x U, owned
    const pal_model *model;   // borrowed
    pal_precision precision;
    double dt, feature; // s, m, that it was opened for
    bool shares;        // basis, tree, shell and footprint are another's
} pal_live_body;

typedef struct pal_live_options {
    double dt; // s; damping is the model's
    pal_precision precision;
    double feature; // m, the smallest radius of the tools: the surface is sampled three times as
                    // finely
    // Another one, which stays open longer than this: where model, time step, precision and feature
    // are the same, what does not change in a run is shared with it. NULL: none.
    const pal_live_body *like;
    const pal_keep *keep; // where tree, shell and footprint are kept; NULL: they are built
} pal_live_options;

// The model is borrowed until close. Set-up only.
pal_status pal_live_body_open(pal_live_body *live, const pal_model *model,
                              const pal_live_options *options, pal_err *err);
void pal_live_body_close(pal_live_body *live);

// How its surface feels: `base` everywhere, and over it the rules in their order; those of the
// whole body (no region) come first, wherever they stand. A region that the model does not have, or
// more laws than PAL_SURFACE_LAWS, is an error. Set-up only, after the opening.
pal_status pal_live_body_set_surface(pal_live_body *live, const pal_model *model,
                                     const pal_surface_law *base, const pal_surface_rule *rule,
                                     int count, pal_err *err);

// The numbers of a rule over those of a law.
void pal_surface_lay_over(const pal_surface_law *from, pal_surface_law *to);

// basis [surface points][3][r] = W U of a model, into zeros. Set-up only.
void pal_live_carry_basis(const pal_model *model, double *basis);

// What a step needs of it; the tools, the times and the load are the caller's.
void pal_live_body_world(pal_live_body *live, pal_world *world);

#endif
