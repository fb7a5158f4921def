// Points on the surface of a deformable body, nested: each level holds the points of the one before
// and about four times as many. A tool's distance field is asked at the points [McNeely 1999,
// Barbic & James 2008]: points on the deformable, field on the rigid tool. What a point stands for
// is found through a tree with bounds that follow the reduced coordinates, as in bdtree.h, so that
// a query looks only where the tool is, and takes the deepest level that its budget pays for.
#ifndef PAL_CONTACT_SHELL_H
#define PAL_CONTACT_SHELL_H

#include "sim/base/outcome.h"
#include "sim/base/pose.h"
#include "sim/contact/shape.h"
#include "sim/contact/touch.h"
#include "sim/reduced/body.h"

typedef struct pal_shell pal_shell; // shell.c

typedef struct pal_shell_query {
    const pal_shape *shape;
    pal_pose pose;       // of the tool
    double margin;       // m: points with a gap below this are wanted
    int32_t look_budget; // points whose place may be computed
    int32_t most;        // touches wanted at most, <= PAL_MAX_TOUCHES
} pal_shell_query;

// The points of the deepest level that has all its points within the margin found inside the
// budget and not more than `most` of them; in the order of their ids. Points on the far side of a
// thin part (whose outward normal looks away from the tool) do not count. Each point is moved
// within its cell, along its triangle, to where the tool is deepest, so that the gap does not
// depend on where the samples happen to lie. PAL_OUT_BUDGET: a deeper level was not affordable.
// PAL_OUT_NAN: no touches. RT safe.
pal_outcome pal_shell_find(const pal_shell *shell, const pal_body *body,
                           const pal_shell_query *query, pal_touch_set *set);

#endif
