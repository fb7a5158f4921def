#include "sim/contact/bdtree_build.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/contact/lanes.h"
#include "sim/mesh/surface.h"

enum { LEAF_TRIANGLES = 8 };

typedef struct builder {
    const pal_body *body;
    int32_t r, stride, node_count;
    pal_bdnode *node;   // [node_count]; while splitting: the range of triangles in `order`
    int32_t *range;     // [node_count][2] first and count of the triangles below each node
    float *motion;      // [node_count][4][stride]
    int32_t *order;     // [triangle_count]
    double *middle;     // [triangle_count][3] three times the centroids
    int32_t *joined;    // [point_count]
    int32_t *fan_first; // [point_count + 1]
    int32_t *fan;       // [3 triangle_count]
    int32_t *stamp;     // [point_count] last node that took the point, + 1
    int32_t *point;     // [point_count] points of the node at hand
    double *mean;       // [3][r] Uc of the node at hand
    double *growth;     // [r] squared drad of the node at hand
} builder;

// ---- Splitting ----------------------------------------------------------------------------------

// Whether triangle a comes before b along an axis; their numbers decide between equals.
static int before(const builder *b, int axis, int32_t s, int32_t t) {
    double xs = b->middle[3 * (int64_t)s + axis], xt = b->middle[3 * (int64_t)t + axis];
    return xs < xt || (xs == xt && s < t);
}

// Quickselect: afterwards order[0..half) all come before order[half..count).
static void part_at(const builder *b, int axis, int32_t *order, int32_t count, int32_t half) {
    int32_t low = 0, high = count - 1;
    while (low < high) {
        int32_t pivot = order[low + (high - low) / 2], i = low, j = high;
        while (i <= j) {
            while (before(b, axis, order[i], pivot)) {
                i++;
            }
            while (before(b, axis, pivot, order[j])) {
                j--;
            }
            if (i <= j) {
                int32_t swap = order[i];
                order[i++] = order[j];
                order[j--] = swap;
            }
        }
        if (half <= j) {
            high = j;
        } else if (half >= i) {
            low = i;
        } else {
            return;
        }
    }
}

// The axis along which the centroids of these triangles spread the most.
static int longest_axis(const builder *b, const int32_t *order, int32_t count) {
    int longest = 0;
    double spread = -1.0;
    for (int c = 0; c < 3; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int32_t i = 0; i < count; i++) {
            double x = b->middle[3 * (int64_t)order[i] + c];
            low = fmin(low, x);
            high = fmax(high, x);
        }
        if (high - low > spread) {
            spread = high - low;
            longest = c;
        }
    }
    return longest;
}

// Splits by the median, level by level, until the leaves are small: children stand side by side.
static void split_all(builder *b) {
    const pal_body *body = b->body;
    for (int32_t t = 0; t < body->triangle_count; t++) {
        b->order[t] = t;
        for (int i = 0; i < 9; i++) {
            int32_t p = body->triangle[3 * (int64_t)t + i / 3];
            b->middle[3 * (int64_t)t + i % 3] += body->rest[3 * (int64_t)p + i % 3];
        }
    }
    b->node_count = 1;
    b->range[1] = body->triangle_count;
    for (int32_t n = 0; n < b->node_count; n++) {
        int32_t first = b->range[2 * (int64_t)n], count = b->range[2 * (int64_t)n + 1];
        if (count <= LEAF_TRIANGLES) {
            b->node[n].first = first;
            b->node[n].count = count;
            continue;
        }
        int32_t half = count / 2, left = b->node_count;
        part_at(b, longest_axis(b, b->order + first, count), b->order + first, count, half);
        int32_t ranges[4] = {first, half, first + half, count - half};
        memcpy(b->range + 2 * (int64_t)left, ranges, sizeof ranges);
        b->node[n].first = left;
        b->node_count += 2;
    }
}

// ---- Spheres ------------------------------------------------------------------------------------

// The different points of a node's triangles into b->point; returns how many.
static int32_t gather_points(builder *b, int32_t node) {
    const int32_t *order = b->order + b->range[2 * (int64_t)node];
    int32_t count = 0;
    for (int32_t i = 0; i < b->range[2 * (int64_t)node + 1]; i++) {
        for (int k = 0; k < 3; k++) {
            int32_t p = b->body->triangle[3 * (int64_t)order[i] + k];
            if (b->stamp[p] != node + 1) {
                b->stamp[p] = node + 1;
                b->point[count++] = p;
            }
        }
    }
    return count;
}

// The sphere at rest: about the mean of the points, so that Uc is the mean of their rows.
static void rest_sphere(builder *b, pal_bdnode *node, int32_t count) {
    memset(b->mean, 0, 3 * (size_t)b->r * sizeof *b->mean);
    for (int32_t i = 0; i < count; i++) {
        const double *rows = b->body->basis + 3 * (int64_t)b->point[i] * b->r;
        for (int c = 0; c < 3; c++) {
            node->centre[c] += b->body->rest[3 * (int64_t)b->point[i] + c] / count;
        }
        for (int32_t l = 0; l < 3 * b->r; l++) {
            b->mean[l] += rows[l] / count;
        }
    }
    double radius = 0.0, size = 0.0;
    for (int32_t i = 0; i < count; i++) {
        double apart[3];
        pal_sub3(b->body->rest + 3 * (int64_t)b->point[i], node->centre, apart);
        radius = fmax(radius, pal_norm3(apart));
        size = fmax(size, pal_norm3(b->body->rest + 3 * (int64_t)b->point[i]));
    }
    node->radius = radius * (1.0 + 1e-12) + 1e-14 * size; // rounding of double sums
}

// drad_l = max over the points of |U_l(point) - Uc_l|, squared.
static void rest_growth(builder *b, int32_t count) {
    int32_t r = b->r;
    const double *mean = b->mean;
    double *growth = b->growth;
    memset(growth, 0, (size_t)r * sizeof *growth);
    for (int32_t i = 0; i < count; i++) {
        const double *rows = b->body->basis + 3 * (int64_t)b->point[i] * r;
        for (int32_t l = 0; l < r; l++) {
            double x = rows[l] - mean[l], y = rows[r + l] - mean[r + l];
            double z = rows[2 * r + l] - mean[2 * r + l], squared = x * x + y * y + z * z;
            growth[l] = squared > growth[l] ? squared : growth[l];
        }
    }
}

// Single precision, with room for its rounding. A sum of r products of rounded factors is off by at
// most (r + 8) u sum |q_l| |Uc_l|, u = 2^-24: linear in |q_l|, so that it goes into drad; and the
// sum of the drad, all positive, is off by the same share of itself.
static void store_motion(const builder *b, int32_t node) {
    int32_t r = b->r;
    double share = pal_lanes_share(r);
    float *out = b->motion + 4 * (int64_t)node * b->stride;
    for (int32_t l = 0; l < r; l++) {
        double column[3];
        for (int c = 0; c < 3; c++) {
            column[c] = b->mean[c * r + l];
            out[c * b->stride + l] = (float)column[c];
        }
        double growth = sqrt(b->growth[l]) * (1.0 + 1e-12) + share * pal_norm3(column);
        out[3 * b->stride + l] = (float)((1.0 + 2.0 * share) * growth);
    }
}

static void bound_all(builder *b) {
    for (int32_t n = 0; n < b->node_count; n++) {
        int32_t count = gather_points(b, n);
        rest_sphere(b, b->node + n, count);
        rest_growth(b, count);
        store_motion(b, n);
    }
}

// ---- Fans ---------------------------------------------------------------------------------------

static pal_status gather_fans(builder *b, pal_err *err) {
    const pal_body *body = b->body;
    pal_surface points = {.vertex_count = body->point_count, .x = (double *)body->rest};
    pal_status status = pal_surface_weld(&points, b->joined, err);
    if (status != PAL_OK) {
        return status;
    }
    int32_t corners = 3 * body->triangle_count, *next = b->point;
    for (int32_t i = 0; i < corners; i++) {
        b->fan_first[b->joined[body->triangle[i]] + 1]++;
    }
    for (int32_t p = 0; p < body->point_count; p++) {
        b->fan_first[p + 1] += b->fan_first[p];
        next[p] = b->fan_first[p];
    }
    for (int32_t i = 0; i < corners; i++) {
        b->fan[next[b->joined[body->triangle[i]]]++] = i / 3;
    }
    return PAL_OK;
}

// ---- Memory -------------------------------------------------------------------------------------

static pal_status check_body(const pal_body *body, pal_err *err) {
    if (body->basis == NULL) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED,
                        "contact tree: the body has no basis; only linear bodies have a tree");
    }
    if (body->size > PAL_MAX_R) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED,
                        "contact tree: r = %d is more than %d; bake with fewer basis vectors",
                        body->size, PAL_MAX_R);
    }
    if (body->triangle_count < 1 || body->triangle_count > INT32_MAX / 6) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "contact tree: a surface of %d triangles; give it 1 to %d",
                        body->triangle_count, INT32_MAX / 6);
    }
    return PAL_OK;
}

// Leaves hold at least half of LEAF_TRIANGLES (or all there are), and a tree has fewer inner nodes.
static pal_status alloc_builder(builder *b, pal_err *err) {
    size_t triangles = (size_t)b->body->triangle_count, points = (size_t)b->body->point_count;
    size_t nodes = 2 * (triangles / (LEAF_TRIANGLES / 2) + 1);
    b->node = PAL_NEW(pal_bdnode, nodes, err);
    b->range = PAL_NEW(int32_t, 2 * nodes, err);
    b->order = PAL_NEW(int32_t, triangles, err);
    b->middle = PAL_NEW(double, 3 * triangles, err);
    b->joined = PAL_NEW(int32_t, points, err);
    b->fan_first = PAL_NEW(int32_t, points + 1, err);
    b->fan = PAL_NEW(int32_t, 3 * triangles, err);
    b->stamp = PAL_NEW(int32_t, points, err);
    b->point = PAL_NEW(int32_t, points, err);
    b->mean = PAL_NEW(double, 3 * (size_t)b->r, err);
    b->growth = PAL_NEW(double, b->r, err);
    bool complete = b->node && b->range && b->order && b->middle && b->joined && b->fan_first &&
                    b->fan && b->stamp && b->point && b->mean && b->growth;
    return complete ? PAL_OK : PAL_ERR_MEMORY;
}

static void free_scratch(builder *b) {
    free(b->range);
    free(b->middle);
    free(b->stamp);
    free(b->point);
    free(b->mean);
    free(b->growth);
}

pal_status pal_bdtree_build(const pal_body *body, pal_bdtree *tree, pal_err *err) {
    memset(tree, 0, sizeof *tree);
    pal_status status = check_body(body, err);
    if (status != PAL_OK) {
        return status;
    }
    builder b = {.body = body, .r = body->size};
    b.stride = pal_lanes_stride(b.r);
    status = alloc_builder(&b, err);
    status = status == PAL_OK ? gather_fans(&b, err) : status;
    if (status == PAL_OK) {
        split_all(&b);
        b.motion = PAL_NEW(float, 4 * (size_t)b.node_count * (size_t)b.stride, err);
        status = b.motion != NULL ? PAL_OK : PAL_ERR_MEMORY;
    }
    if (status == PAL_OK) {
        bound_all(&b);
    }
    free_scratch(&b);
    *tree = (pal_bdtree){
        .size = b.r,
        .stride = b.stride,
        .node_count = b.node_count,
        .triangle_count = body->triangle_count,
        .point_count = body->point_count,
        .node = b.node,
        .motion = b.motion,
        .order = b.order,
        .joined = b.joined,
        .fan_first = b.fan_first,
        .fan = b.fan,
    };
    if (status != PAL_OK) {
        pal_bdtree_free(tree);
    }
    return status;
}

void pal_bdtree_free(pal_bdtree *tree) {
    free((void *)tree->node);
    free((void *)tree->motion);
    free((void *)tree->order);
    free((void *)tree->joined);
    free((void *)tree->fan_first);
    free((void *)tree->fan);
    memset(tree, 0, sizeof *tree);
}
