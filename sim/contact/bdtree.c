#include "sim/contact/bdtree.h"

#include <math.h>
#include <stdbool.h>

#include "sim/base/vec3.h"
#include "sim/contact/lanes.h"
#include "sim/contact/places.h"
#include "sim/contact/triangle.h"

// Halving 2^31 triangles ends long before, and each level leaves one node waiting.
enum { LEVELS = 64 };

typedef struct waiting {
    int32_t node;
    double gap; // no triangle of the node is nearer
} waiting;

typedef struct query {
    const pal_bdtree *tree;
    const double *x;
    pal_lanes at;
    double dent; // m, how far points may be from where the coordinates put them
    pal_places places;
    waiting stack[LEVELS];
    int depth;
    double best2; // squared distance that is to be beaten
    pal_nearest *nearest;
} query;

static void node_sphere(const pal_bdtree *tree, const pal_lanes *at, int32_t node,
                        double sphere[4]) {
    int32_t stride = tree->stride;
    const float *row = tree->motion + 4 * (int64_t)node * stride;
    pal_lanes_sum sum[4] = {{0.0f}};
    for (int32_t l = 0; l < stride; l += PAL_LANES) {
        const pal_lanes_sum q = pal_lanes_at(at->q + l);
        sum[0] += pal_lanes_at(row + l) * q;
        sum[1] += pal_lanes_at(row + stride + l) * q;
        sum[2] += pal_lanes_at(row + 2 * stride + l) * q;
        sum[3] += pal_lanes_at(row + 3 * stride + l) * pal_lanes_at(at->size + l);
    }
    const pal_bdnode *rest = tree->node + node;
    for (int c = 0; c < 4; c++) {
        sphere[c] = (c < 3 ? rest->centre[c] : rest->radius) + (double)pal_lanes_total(sum[c]);
    }
}

double pal_bdtree_sphere(const pal_bdtree *tree, const double *q, int32_t node, double centre[3]) {
    pal_lanes at;
    double sphere[4];
    pal_lanes_load(&at, q, tree->size);
    node_sphere(tree, &at, node, sphere);
    for (int c = 0; c < 3; c++) {
        centre[c] = sphere[c];
    }
    return sphere[3];
}

// How far the sphere of a node is from x; negative inside.
static double node_gap(query *find, int32_t node) {
    double sphere[4], apart[3];
    node_sphere(find->tree, &find->at, node, sphere);
    pal_sub3(sphere, find->x, apart);
    find->nearest->nodes++;
    return pal_norm3(apart) - sphere[3] - find->dent;
}

static void try_triangle(query *find, int32_t triangle) {
    double corner[3][3], weight[3], point[3];
    pal_places_triangle(&find->places, triangle, corner);
    double squared = pal_triangle_nearest((const double(*)[3])corner, find->x, weight, point);
    if (squared < find->best2 ||
        (squared == find->best2 && find->nearest->triangle < 0)) { // just within reach
        find->best2 = squared;
        find->nearest->triangle = triangle;
        for (int c = 0; c < 3; c++) {
            find->nearest->weight[c] = weight[c];
            find->nearest->point[c] = point[c];
        }
    }
}

static void push(query *find, waiting entry) {
    find->stack[find->depth++] = entry;
}

// A not-a-number gap (float overflow) prunes nothing.
static bool can_beat(const query *find, double gap) {
    return gap <= 0.0 || !(gap * gap >= find->best2);
}

// Depth first, the nearer child first, leaving out what cannot beat the best.
static pal_outcome descend(query *find, int32_t budget) {
    const pal_bdtree *tree = find->tree;
    while (find->depth > 0) {
        waiting top = find->stack[--find->depth];
        if (!can_beat(find, top.gap)) {
            continue;
        }
        const pal_bdnode *node = tree->node + top.node;
        for (int32_t i = 0; i < node->count; i++) {
            try_triangle(find, tree->order[node->first + i]);
        }
        if (node->count > 0) {
            continue;
        }
        if (find->nearest->nodes + 2 > budget) {
            return PAL_OUT_BUDGET;
        }
        waiting a = {node->first, node_gap(find, node->first)};
        waiting b = {node->first + 1, node_gap(find, node->first + 1)};
        push(find, a.gap < b.gap ? b : a);
        push(find, a.gap < b.gap ? a : b);
    }
    return 0;
}

pal_outcome pal_bdtree_nearest(const pal_bdtree *tree, const pal_body *body, const double x[3],
                               double reach, int32_t hint, int32_t budget, pal_nearest *nearest) {
    *nearest = (pal_nearest){.triangle = -1, .distance = INFINITY};
    query find; // large: only what is read before it is written is set
    find.tree = tree;
    find.x = x;
    find.depth = 0;
    find.best2 = reach * reach;
    find.nearest = nearest;
    find.dent = body->dent != NULL ? *body->dent_bound : 0.0;
    pal_lanes_load(&find.at, body->q, tree->size);
    pal_places_init(&find.places, body);

    // The root tells whether the numbers are sound.
    double gap = node_gap(&find, 0);
    if (!isfinite(gap)) {
        return PAL_OUT_NAN;
    }
    if (hint >= 0 && hint < tree->triangle_count) {
        try_triangle(&find, hint);
    }
    push(&find, (waiting){0, gap});
    pal_outcome outcome = descend(&find, budget);
    if (nearest->triangle >= 0) {
        nearest->distance = sqrt(find.best2);
    }
    return outcome;
}
