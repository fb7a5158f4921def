// Nearest elements by a tree of boxes: the elements are halved again and again by the middles of
// their boxes, across the longest side, down to leaves of at most LEAF. A point descends into the
// nearer box first and skips boxes farther than the best element so far; inside an element is
// distance 0.
//
// In a tet the weights are barycentric, everywhere. In a hexahedron they are trilinear at the
// nearest point xi of the element, with x(xi) from Newton's iteration, and go on linearly from
// there: w = N(xi) + dN(xi) J^-1 (p - x(xi)), so that linear fields are exact inside and outside.
#include "sim/mesh/embed_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/mat3.h"
#include "sim/base/memory.h"
#include "sim/base/parallel.h"
#include "sim/base/vec3.h"
#include "sim/mesh/hex.h"

enum { LEAF = 4, CHUNK = 1024, MAX_DEPTH = 40, NEWTON_STEPS = 25 };

static const double inside = -1e-10; // weights down to this are inside

typedef struct box {
    double low[3], high[3];
} box;

typedef struct entry {
    box bounds;
    int32_t element;
} entry;

typedef struct tree { // complete and binary: node 1 is the root, node leaf_count + i is leaf i
    const pal_volmesh *mesh;
    int32_t leaf_count; // a power of 2
    box *node;          // [2 leaf_count]
    int32_t *first;     // [leaf_count + 1] leaf i has the entries from first[i] up to first[i + 1]
    entry *order;       // [element_count]
} tree;

// How one element carries a point.
typedef struct carrier {
    int32_t element;
    double distance2; // squared distance of the point from the element
    double smallest;  // least weight: how far beyond the element it extrapolates
    double weight[8];
} carrier;

// (fmin and fmax look for NaN, which costs a call)
static inline double lesser(double a, double b) {
    return a < b ? a : b;
}

static inline double greater(double a, double b) {
    return a > b ? a : b;
}

static box empty_box(void) {
    return (box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static void grow_box(box *b, const double *low, const double *high) {
    for (int c = 0; c < 3; c++) {
        b->low[c] = lesser(b->low[c], low[c]);
        b->high[c] = greater(b->high[c], high[c]);
    }
}

static box box_of_element(const pal_volmesh *mesh, int32_t e) {
    box b = empty_box();
    const int32_t *vertex = pal_volmesh_element(mesh, e);
    for (int a = 0; a < (int)mesh->kind; a++) {
        const double *x = mesh->x + 3 * (int64_t)vertex[a];
        grow_box(&b, x, x);
    }
    return b;
}

static double box_distance2(const box *b, const double *p) {
    double sum = 0.0;
    for (int c = 0; c < 3; c++) {
        double d = greater(greater(b->low[c] - p[c], p[c] - b->high[c]), 0.0);
        sum += d * d;
    }
    return sum;
}

// Twice the middle of a box along an axis.
static double middle_of(const entry *e, int axis) {
    return e->bounds.low[axis] + e->bounds.high[axis];
}

// Reorders so that nothing before `half` lies behind anything from there on (Hoare's selection).
static void split_at(entry *order, int32_t count, int32_t half, int axis) {
    int32_t low = 0, high = count - 1;
    while (low < high) {
        double pivot = middle_of(&order[low + (high - low) / 2], axis);
        int32_t i = low, j = high;
        while (i <= j) {
            while (middle_of(&order[i], axis) < pivot) {
                i++;
            }
            while (middle_of(&order[j], axis) > pivot) {
                j--;
            }
            if (i <= j) {
                entry swap = order[i];
                order[i++] = order[j];
                order[j--] = swap;
            }
        }
        low = half > j ? i : low;
        high = half < i ? j : high;
        if (half > j && half < i) {
            return;
        }
    }
}

// Node by node from the root, as deep as the tree (not the mesh) is.
static void build_node(tree *t, int32_t node, int32_t first, int32_t count) {
    box b = empty_box(), middles = empty_box();
    for (int32_t i = first; i < first + count; i++) {
        double middle[3];
        for (int c = 0; c < 3; c++) {
            middle[c] = middle_of(&t->order[i], c);
        }
        grow_box(&b, t->order[i].bounds.low, t->order[i].bounds.high);
        grow_box(&middles, middle, middle);
    }
    t->node[node] = b;
    if (node >= t->leaf_count) {
        t->first[node - t->leaf_count] = first;
        return;
    }
    int axis = 0;
    for (int c = 1; c < 3; c++) {
        if (middles.high[c] - middles.low[c] > middles.high[axis] - middles.low[axis]) {
            axis = c;
        }
    }
    split_at(t->order + first, count, count / 2, axis);
    build_node(t, 2 * node, first, count / 2);
    build_node(t, 2 * node + 1, first + count / 2, count - count / 2);
}

static pal_status build_tree(const pal_volmesh *mesh, tree *t, pal_err *err) {
    *t = (tree){.mesh = mesh, .leaf_count = 1};
    while ((int64_t)t->leaf_count * LEAF < mesh->element_count) {
        t->leaf_count *= 2;
    }
    t->node = PAL_NEW(box, 2 * (size_t)t->leaf_count, err);
    t->first = PAL_NEW(int32_t, (size_t)t->leaf_count + 1, err);
    t->order = PAL_NEW(entry, mesh->element_count, err);
    if (t->node == NULL || t->first == NULL || t->order == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t e = 0; e < mesh->element_count; e++) {
        t->order[e] = (entry){box_of_element(mesh, e), e};
    }
    t->first[t->leaf_count] = mesh->element_count;
    build_node(t, 1, 0, mesh->element_count);
    return PAL_OK;
}

static double segment_distance2(const double *p, const double *a, const double *b) {
    double ab[3], ap[3];
    pal_sub3(b, a, ab);
    pal_sub3(p, a, ap);
    double length2 = pal_dot3(ab, ab);
    double t = length2 > 0.0 ? fmin(fmax(pal_dot3(ap, ab) / length2, 0.0), 1.0) : 0.0;
    for (int c = 0; c < 3; c++) {
        ap[c] -= t * ab[c];
    }
    return pal_dot3(ap, ap);
}

// The foot of the perpendicular when it is in the triangle, else the nearest edge.
static double triangle_distance2(const double *p, const double *const *x) {
    double normal[3], e1[3], e2[3], best = INFINITY;
    pal_sub3(x[1], x[0], e1);
    pal_sub3(x[2], x[0], e2);
    pal_cross3(e1, e2, normal);
    bool over = true;
    for (int a = 0; a < 3; a++) {
        double edge[3], arm[3], across[3];
        pal_sub3(x[(a + 1) % 3], x[a], edge);
        pal_sub3(p, x[a], arm);
        pal_cross3(edge, arm, across);
        if (pal_dot3(across, normal) < 0.0) {
            over = false;
            best = fmin(best, segment_distance2(p, x[a], x[(a + 1) % 3]));
        }
    }
    if (over) {
        double arm[3];
        pal_sub3(p, x[0], arm);
        double height = pal_dot3(arm, normal);
        return height * height / pal_dot3(normal, normal);
    }
    return best;
}

static void carry_by_tet(const pal_volmesh *mesh, const double *p, carrier *k) {
    const int32_t *vertex = pal_volmesh_element(mesh, k->element);
    const double *x[4];
    double edge[3][3], inverse[3][3], arm[3];
    for (int a = 0; a < 4; a++) {
        x[a] = mesh->x + 3 * (int64_t)vertex[a];
    }
    for (int a = 0; a < 3; a++) {
        for (int c = 0; c < 3; c++) {
            edge[c][a] = x[a + 1][c] - x[0][c];
        }
    }
    pal_mat3_inverse(edge, inverse);
    pal_sub3(p, x[0], arm);
    k->weight[0] = 1.0;
    for (int a = 0; a < 3; a++) {
        k->weight[a + 1] = pal_dot3(inverse[a], arm);
        k->weight[0] -= k->weight[a + 1];
    }
    k->smallest = INFINITY;
    k->distance2 = INFINITY;
    for (int a = 0; a < 4; a++) {
        k->smallest = fmin(k->smallest, k->weight[a]);
        if (k->weight[a] < 0.0) { // beyond the face opposite to a
            const double *face[3] = {x[(a + 1) % 4], x[(a + 2) % 4], x[(a + 3) % 4]};
            k->distance2 = fmin(k->distance2, triangle_distance2(p, face));
        }
    }
    k->distance2 = k->smallest >= inside ? 0.0 : k->distance2;
}

// N, dN, the inverse Jacobian and what is missing to p at xi; false where the map is singular.
static bool map_hex(const pal_volmesh *mesh, const int32_t *vertex, const double *p,
                    const double *xi, double *N, double (*dN)[3], double *miss, double *step) {
    double J[3][3] = {{0.0}}, inverse[3][3];
    pal_hex_shape(xi, N, dN);
    memcpy(miss, p, 3 * sizeof *miss);
    for (int a = 0; a < 8; a++) {
        const double *x = mesh->x + 3 * (int64_t)vertex[a];
        for (int c = 0; c < 3; c++) {
            miss[c] -= N[a] * x[c];
            for (int d = 0; d < 3; d++) {
                J[c][d] += x[c] * dN[a][d];
            }
        }
    }
    double det = pal_mat3_inverse(J, inverse);
    for (int c = 0; c < 3; c++) {
        step[c] = pal_dot3(inverse[c], miss);
    }
    return det != 0.0 && isfinite(step[0] + step[1] + step[2]);
}

static void clamp_to(double *xi, double low, double high) {
    for (int c = 0; c < 3; c++) {
        xi[c] = fmin(fmax(xi[c], low), high);
    }
}

static void carry_by_hex(const pal_volmesh *mesh, const double *p, carrier *k) {
    const int32_t *vertex = pal_volmesh_element(mesh, k->element);
    double xi[3] = {0.5, 0.5, 0.5}, N[8], dN[8][3], miss[3], step[3];
    // Newton, not allowed to stray far; an affine element is done in one step.
    for (int i = 0; i < NEWTON_STEPS; i++) {
        if (!map_hex(mesh, vertex, p, xi, N, dN, miss, step)) {
            break;
        }
        double before[3] = {xi[0], xi[1], xi[2]};
        for (int c = 0; c < 3; c++) {
            xi[c] += step[c];
        }
        clamp_to(xi, -0.5, 1.5);
        pal_sub3(xi, before, before);
        if (pal_norm3(before) < 1e-13) {
            break;
        }
    }
    // The nearest point of the element, and linearly on from there.
    clamp_to(xi, 0.0, 1.0);
    bool regular = map_hex(mesh, vertex, p, xi, N, dN, miss, step);
    k->distance2 = regular ? pal_dot3(miss, miss) : INFINITY;
    k->smallest = INFINITY;
    for (int a = 0; a < 8; a++) {
        k->weight[a] = N[a] + (regular ? pal_dot3(dN[a], step) : 0.0);
        k->smallest = fmin(k->smallest, k->weight[a]);
    }
    if (regular && fmax(fmax(fabs(step[0]), fabs(step[1])), fabs(step[2])) < -inside) {
        k->distance2 = 0.0;
    }
}

// Of elements as near as each other the one that extrapolates least.
static bool is_better(const carrier *k, const carrier *best) {
    if (!isfinite(best->distance2)) {
        return best->element < 0 || isfinite(k->distance2);
    }
    double margin = 1e-9 * best->distance2;
    return k->distance2 < best->distance2 - margin ||
           (k->distance2 <= best->distance2 + margin && k->smallest > best->smallest);
}

static void search_leaf(const tree *t, int32_t leaf, const double *p, carrier *best) {
    for (int32_t i = t->first[leaf]; i < t->first[leaf + 1]; i++) {
        carrier k = {.element = t->order[i].element};
        if (box_distance2(&t->order[i].bounds, p) > best->distance2 * (1.0 + 1e-9)) {
            continue;
        }
        if (t->mesh->kind == PAL_TET4) {
            carry_by_tet(t->mesh, p, &k);
        } else {
            carry_by_hex(t->mesh, p, &k);
        }
        if (is_better(&k, best)) {
            *best = k;
        }
    }
}

static carrier find_carrier(const tree *t, const double *p) {
    carrier best = {.element = -1, .distance2 = INFINITY, .smallest = -INFINITY};
    struct {
        int32_t node;
        double distance2;
    } stack[MAX_DEPTH];
    int height = 0;
    stack[height].node = 1;
    stack[height++].distance2 = box_distance2(&t->node[1], p);
    while (height > 0 && !(best.distance2 == 0.0 && best.smallest >= 0.0)) {
        int32_t node = stack[--height].node;
        if (stack[height].distance2 > best.distance2 * (1.0 + 1e-9)) {
            continue;
        }
        if (node >= t->leaf_count) {
            search_leaf(t, node - t->leaf_count, p, &best);
            continue;
        }
        double d0 = box_distance2(&t->node[2 * node], p);
        double d1 = box_distance2(&t->node[2 * node + 1], p);
        int nearer = d1 < d0;
        stack[height].node = 2 * node + !nearer; // the nearer one goes on top
        stack[height++].distance2 = nearer ? d0 : d1;
        stack[height].node = 2 * node + nearer;
        stack[height++].distance2 = nearer ? d1 : d0;
    }
    return best;
}

typedef struct build {
    const tree *t;
    const double *point;
    pal_embedding *out;
    double *farthest2; // [chunks]
} build;

static void build_chunk(void *context, int chunk, int thread) {
    (void)thread;
    build *b = context;
    pal_embedding *out = b->out;
    int32_t end = out->point_count - CHUNK * chunk < CHUNK ? out->point_count : CHUNK * (chunk + 1);
    for (int32_t i = CHUNK * chunk; i < end; i++) {
        carrier k = find_carrier(b->t, b->point + 3 * (int64_t)i);
        size_t row = (size_t)i * (size_t)out->nodes;
        memcpy(out->vertex + row, pal_volmesh_element(b->t->mesh, k.element),
               (size_t)out->nodes * sizeof *out->vertex);
        memcpy(out->weight + row, k.weight, (size_t)out->nodes * sizeof *out->weight);
        b->farthest2[chunk] = fmax(b->farthest2[chunk], k.distance2);
    }
}

static pal_status check_points(const pal_volmesh *mesh, const double *point, int32_t point_count,
                               pal_err *err) {
    if (mesh->element_count == 0) {
        return pal_fail(err, PAL_ERR_INPUT, "a mesh without elements cannot carry points");
    }
    for (int32_t i = 0; i < point_count; i++) {
        const double *p = point + 3 * (int64_t)i;
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2])) {
            return pal_fail(err, PAL_ERR_INPUT, "point %d is not finite (%g, %g, %g)", i, p[0],
                            p[1], p[2]);
        }
    }
    return PAL_OK;
}

pal_status pal_embedding_build(const pal_volmesh *mesh, const double *point, int32_t point_count,
                               pal_embedding *embedding, double *farthest, pal_err *err) {
    memset(embedding, 0, sizeof *embedding);
    pal_status status = check_points(mesh, point, point_count, err);
    if (status != PAL_OK) {
        return status;
    }
    int chunk_count = (int)(((int64_t)point_count + CHUNK - 1) / CHUNK);
    pal_embedding made = {.point_count = point_count, .nodes = (int32_t)mesh->kind};
    made.vertex = PAL_NEW(int32_t, (size_t)point_count * (size_t)made.nodes, err);
    made.weight = PAL_NEW(double, (size_t)point_count *(size_t)made.nodes, err);
    double *farthest2 = PAL_NEW(double, chunk_count, err);
    tree t = {0};
    status = made.vertex && made.weight && farthest2 ? build_tree(mesh, &t, err) : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        build b = {&t, point, &made, farthest2};
        pal_parallel_for(chunk_count, build_chunk, &b);
        double largest = 0.0;
        for (int i = 0; i < chunk_count; i++) {
            largest = fmax(largest, farthest2[i]);
        }
        if (farthest != NULL) {
            *farthest = sqrt(largest);
        }
        *embedding = made;
    } else {
        pal_embedding_free(&made);
    }
    free(t.node);
    free(t.first);
    free(t.order);
    free(farthest2);
    return status;
}

void pal_embedding_free(pal_embedding *embedding) {
    free(embedding->vertex);
    free(embedding->weight);
    memset(embedding, 0, sizeof *embedding);
}
