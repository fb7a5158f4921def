// Points on the surface of a deformable body, nested: each level holds the points of the one before
// and about four times as many. A tool's distance field is asked at the points [MPT99, BJ08]:
// points on the deformable, field on the rigid tool. What a point stands for is found through a
// tree with bounds that follow the reduced coordinates, as in bdtree.h,
//
//     x(q) = x + U q      of a point,      rad(q) = rad + sum_l |q_l| drad_l     of a node,
//
// so that a query looks only where the tool is, and takes the deepest level that its budget pays
// for. Each point of a level stands for a cell: what of the surface is nearest to it, as a polygon
// in the tangent plane of the point at rest.
#ifndef PAL_CONTACT_SHELL_H
#define PAL_CONTACT_SHELL_H

#include <stdbool.h>

#include "sim/base/outcome.h"
#include "sim/base/pose.h"
#include "sim/contact/bdtree.h"
#include "sim/contact/shape.h"
#include "sim/contact/touch.h"
#include "sim/reduced/body.h"
#include "sim/reduced/newmark.h"

enum {
    PAL_SHELL_LEVELS = 12,
    PAL_SHELL_CORNERS = 12,
    PAL_SHELL_HULL = 16,
    PAL_SHELL_NEAR = 8 * PAL_MAX_TOUCHES, // points of a level that are worth a closer look
};

enum { PAL_SHELL_POINT = 1 }; // of pal_shell_query.spreads

#define PAL_SHELL_FOLD 0.5 // how far (cosine) the surface of a cell may turn

typedef struct pal_shell_point {
    int32_t triangle;  // of the body's surface
    int32_t parent;    // the point of the level before that holds it, -1 in level 0
    double weight[3];  // barycentric
    double x[3];       // at rest
    double axis[3][3]; // at rest, unit: two along the surface, then its normal
} pal_shell_point;

typedef struct pal_shell_node {       // a point in a level that is not the last
    double radius;                    // at rest: holds all points below it, and what they may move
    double spread;                    // at least the length of drad
    int32_t child_first, child_count; // points that the next level adds below it
} pal_shell_node;

typedef struct pal_shell_cell { // of a point in a level
    float area;                 // m^2 at rest
    int32_t corner_count;
    float corner[PAL_SHELL_CORNERS][2]; // m, in the plane of the point's first two axes,
                                        // counter-clockwise
} pal_shell_cell;

// Places between which, or no farther than `beyond` from there, all of the surface over a cell is,
// seen from the side that it looks to: along the point's axes at rest, m.
typedef struct pal_shell_hull {
    float place[3][PAL_SHELL_HULL];
    float beyond; // infinite: not looked for, of a cell with very many triangles
} pal_shell_hull;

// The corners of the triangles over a cell: no place of the cell is dented otherwise than between
// them.
enum { PAL_SHELL_OVER = 31 };
typedef struct pal_shell_over {
    int32_t count; // 0: too many
    int32_t point[PAL_SHELL_OVER];
} pal_shell_over;

// The vertices of the volume mesh that carry a point; a point with more is asked by its triangle.
enum { PAL_SHELL_CARRIERS = 16 };
typedef struct pal_shell_carrier {
    int32_t count; // 0: too many
    int32_t vertex[PAL_SHELL_CARRIERS];
    float weight[PAL_SHELL_CARRIERS];
} pal_shell_carrier;

typedef struct pal_shell {
    int32_t size, stride; // r, and r rounded up to PAL_LANES
    int32_t level_count;
    int32_t count[PAL_SHELL_LEVELS];  // points of each level: the first `count` of all
    int32_t first[PAL_SHELL_LEVELS];  // of each level's cells and nodes
    double spacing[PAL_SHELL_LEVELS]; // m, between the points of each level, about
    const pal_shell_point *point;     // [count[level_count - 1]]
    const pal_shell_node *node;       // [first[level_count - 1]]
    const pal_shell_cell *cell;       // [first[level_count - 1] + count[level_count - 1]]
    const float *reach;               // [as cell] m, of the farthest corner of each
    const pal_shell_hull *hull;       // [as cell]
    const pal_shell_over *over;       // [as cell] NULL: no dents
    const float *bend;                // [as cell][stride] how far, for q_l = 1, places of the cell
                                      // move at most beside what the point's triangle does
    const float *sway;                // [as cell][stride] how far, for q_l = 1, places of the cell
                                      // move at most beside its point
    const double *rest;               // [points][3] x of each point
    const float *motion;              // [points][3][stride] U of each point
    const pal_shell_carrier *carrier; // [points] what dents move each; NULL: no dents
    const float *growth;              // [nodes][stride] drad
    const float *farthest;            // [stride] how far, for q_l = 1, any point of the body moves
    const int32_t *beside;            // [triangle_count][3] triangle across the edge opposite
                                      // to each corner, -1: none
    const pal_bdtree *tree;           // borrowed: the triangles about a vertex
} pal_shell;

// What a tool's last query found out that still holds: a tool and a surface that have moved by less
// than the gap between them do not touch. All zero to begin with, and to forget.
typedef struct pal_shell_memory {
    bool valid;
    int32_t pause;       // queries to come that are not worth remembering
    int32_t level;       // of the points
    pal_outcome outcome; // of the query that found them
    double moved;        // m, that tool and surface may have moved against one another so far
    double moved_near;   // m, the same of the cells of the points
    double holds;        // m: margin + moved up to which no other points than these are near
    int32_t count;
    int32_t point[PAL_SHELL_NEAR];
    double gap[PAL_SHELL_NEAR];  // m, at least; and `moved_near` when that was seen, added to it
    int32_t centre;              // one of the points; -1: the cells may move as anything does
    float spread[PAL_MAX_R + 8]; // how far, for q_l = 1, the cells move at most beside it
    // When it was used last
    pal_pose pose;
    double q[PAL_MAX_R];
    double dent_travel;
} pal_shell_memory;

typedef struct pal_shell_query {
    const pal_shape *shape;
    pal_pose pose;       // of the tool
    double margin;       // m: points with a gap below this are wanted
    double beyond;       // m: of points that are not remembered, so much farther
    int32_t look_budget; // points whose place may be computed
    int32_t most;        // touches wanted at most, <= PAL_MAX_TOUCHES
    int32_t settled;     // 1 + the level of the last answer, 0: none; a deeper level is then taken
                         // only with a quarter of `most` to spare, so that levels do not flicker
    bool flat; // a touch's normal is that of its triangle, which jumps from one to the next
    const uint8_t *spreads; // [cells] not 0: a touch presses with its whole cell, see below; NULL:
                            // none
    bool stretches; // where a dent has stretched a cell that presses as a whole, its deepest place
                    // counts
    const pal_touch_set *last; // the last answer; NULL: none. Where cells are wider than the tool,
                               // its places are looked at again
    pal_shell_memory *memory; // of this tool with this body; NULL: none. It makes no difference but
                              // for the time it takes, and that a deeper level is taken only when
                              // the surface is searched anew
} pal_shell_query;

// The points of the deepest level that has all its points within the margin found inside the
// budget and not more than `most` of them (or, where there are dents, the deepest `most`, when the
// tool is a quarter of the margin from all others); in the order of their ids. Points on the far
// side of a thin part (whose outward normal looks away from the tool) do not count. Each point is
// moved within its cell, along the surface, to where the tool is deepest, so that the gap does not
// depend on where the samples happen to lie; points whose own place is farther from the tool than
// the margin and the reach of their cell are not moved and do not count. PAL_OUT_BUDGET: a deeper
// level was not affordable; when the levels above have nothing of what is touched (on a narrow
// part), the answer is the deepest `most` points of that level. PAL_OUT_NAN: no touches. RT safe.
//
// A touch that presses with its whole cell (footprint.h) stays at the cell's point, as long as the
// cell is small beside the tool. Its gap is that of the point (PAL_SHELL_POINT) where the surface
// can follow the tool within the cell, that of the deepest place (UINT8_MAX) where its facets are
// as wide as the cell, and what is between for what is between. Where a dented cell is narrower
// than a facet, it presses at a place that goes to the deepest one slowly, by its gap.
pal_outcome pal_shell_find(const pal_shell *shell, const pal_body *body,
                           const pal_shell_query *query, pal_touch_set *set);

// How fast the cells go at most that are remembered, for coordinates that change so fast [size];
// infinite: nothing is known of that. RT safe.
double pal_shell_memory_speed(const pal_shell_memory *memory, const pal_shell *shell,
                              const double *velocity);

// For tests and benchmarks: the place of a point, dents left out (single precision), the radius of
// a point's sphere in a level, and the touch of one point in a level, whatever its gap (false: it
// looks away from the tool). RT safe.
void pal_shell_place(const pal_shell *shell, const double *q, int32_t point, double x[3]);
double pal_shell_radius(const pal_shell *shell, const double *q, int32_t level, int32_t point);
int pal_shell_touch(const pal_shell *shell, const pal_body *body, const pal_shell_query *query,
                    int32_t level, int32_t point, pal_touch *touch);

#endif
