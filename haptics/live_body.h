// A baked model brought to life: its surface as contact sees it, its state in time, and the tree
// that finds what is touched.
#ifndef PAL_HAPTICS_LIVE_BODY_H
#define PAL_HAPTICS_LIVE_BODY_H

#include "sim/contact/bdtree.h"
#include "sim/model/model.h"
#include "sim/reduced/newmark.h"

typedef struct pal_live_body {
    pal_body body;
    pal_bdtree tree;
    pal_newmark *newmark;
    char hash[PAL_HASH_TEXT]; // of all numbers that a tick depends on
    void *memory;             // of newmark, owned
    double *basis;            // [point_count][3][r] surface basis: embedding weights x U, owned
} pal_live_body;

// The model is borrowed until close. dt in s; damping is the model's. Set-up only.
pal_status pal_live_body_open(pal_live_body *live, const pal_model *model, double dt,
                              pal_precision precision, pal_err *err);
void pal_live_body_close(pal_live_body *live);

#endif
