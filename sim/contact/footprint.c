// Cells of the last level are sampled: their point, and a ring of points three quarters of the way
// to their corners, so weighted that a disc keeps its mean square radius. A cell of another level
// is the mean of the cells below it, by their areas.
#include "sim/contact/footprint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/parallel.h"
#include "sim/base/vec3.h"

static const double ring_at = 0.75, ring_weight = 0.85;
// A cell's width by that of its elements: above the first, the mesh is finer; up to the second, a
// facet of the surface is about as wide as the cell and tangent to the tool in it; from the third
// on, the surface follows the tool within the cell.
static const double fine_share = 0.5, tangent_share = 0.53, follows_share = 0.7;
enum { ROOM = 200 }; // vertices below one cell, before the weightiest are chosen

typedef struct print { // being summed
    int32_t count;
    int32_t vertex[ROOM];
    double weight[ROOM];
} print;

static void add_vertex(print *p, int32_t vertex, double weight) {
    int32_t k = 0;
    while (k < p->count && p->vertex[k] != vertex) {
        k++;
    }
    if (k == p->count) {
        if (k == ROOM) {
            return; // of a coarse cell: it is a sample, too
        }
        p->vertex[p->count] = vertex;
        p->weight[p->count++] = 0.0;
    }
    p->weight[k] += weight;
}

static void add_place(print *p, const pal_body *body, int32_t triangle, const double bary[3],
                      double weight) {
    const pal_embedding *e = body->embedding;
    for (int i = 0; i < 3; i++) {
        const int64_t at = (int64_t)body->triangle[3 * (int64_t)triangle + i] * (int64_t)e->nodes;
        for (int32_t a = 0; a < e->nodes; a++) {
            if (bary[i] != 0.0 && fabs(e->weight[at + a]) >= PAL_EMBED_LEAST) {
                add_vertex(p, e->vertex[at + a], weight * bary[i] * e->weight[at + a]);
            }
        }
    }
}

// The weightiest vertices of a cell, their sum made 1.
static void keep(pal_footprint *f, int64_t cell, print *p) {
    int32_t *vertex = f->vertex + cell * PAL_FOOTPRINT_VERTICES;
    float *weight = f->weight + cell * PAL_FOOTPRINT_VERTICES;
    double sum = 0.0;
    int32_t count = 0;
    for (; count < PAL_FOOTPRINT_VERTICES && count < p->count; count++) {
        int32_t best = count;
        for (int32_t k = count + 1; k < p->count; k++) {
            best = fabs(p->weight[k]) > fabs(p->weight[best]) ? k : best;
        }
        const double most = p->weight[best];
        vertex[count] = p->vertex[best];
        p->weight[best] = p->weight[count];
        p->vertex[best] = p->vertex[count];
        weight[count] = (float)most;
        sum += most;
    }
    for (int32_t k = 0; k < count; k++) {
        weight[k] = (float)((double)weight[k] / sum);
    }
    f->count[cell] = count;
}

double pal_footprint_element(const pal_body *body, const double *vertex_x, int32_t triangle,
                             const double weight[3]) {
    print p = {.count = 0};
    double most = 0.0;
    add_place(&p, body, triangle, weight, 1.0);
    for (int32_t i = 0; i < p.count; i++) {
        for (int32_t j = 0; j < i; j++) {
            double apart[3];
            pal_sub3(vertex_x + 3 * (int64_t)p.vertex[i], vertex_x + 3 * (int64_t)p.vertex[j],
                     apart);
            most = fmax(most, pal_dot3(apart, apart));
        }
    }
    return sqrt(most);
}

typedef struct job {
    pal_footprint *footprint;
    const pal_body *body;
    const double *vertex_x;
} job;

static void mark_fine(const job *j, int32_t level, int32_t i) {
    const pal_shell *shell = j->footprint->shell;
    const pal_shell_point *point = shell->point + i;
    const double share =
        shell->spacing[level] /
        pal_footprint_element(j->body, j->vertex_x, point->triangle, point->weight);
    const double facets = fmin(1.0, (follows_share - share) / (follows_share - tangent_share));
    j->footprint->spreads[shell->first[level] + i] =
        !(share > fine_share) ? 0
                              : (uint8_t)(PAL_SHELL_POINT + lround((UINT8_MAX - PAL_SHELL_POINT) *
                                                                   fmax(0.0, facets)));
}

static void sample_cell(void *context, int i, int thread) {
    (void)thread;
    const job *j = context;
    const pal_shell *shell = j->footprint->shell;
    const int64_t cell = shell->first[shell->level_count - 1] + i;
    const pal_shell_point *point = shell->point + i;
    const pal_shell_cell *shape = shell->cell + cell;
    print p = {.count = 0};
    const double inner = shape->corner_count > 0 ? 1.0 - ring_weight : 1.0;
    add_place(&p, j->body, point->triangle, point->weight, inner);
    for (int32_t k = 0; k < shape->corner_count; k++) {
        double x[3];
        pal_nearest nearest;
        for (int c = 0; c < 3; c++) {
            x[c] = point->x[c] + ring_at * ((double)shape->corner[k][0] * point->axis[0][c] +
                                            (double)shape->corner[k][1] * point->axis[1][c]);
        }
        pal_bdtree_nearest(shell->tree, j->body, x, INFINITY, point->triangle,
                           shell->tree->node_count, &nearest);
        if (nearest.triangle >= 0) {
            add_place(&p, j->body, nearest.triangle, nearest.weight,
                      ring_weight / shape->corner_count);
        }
    }
    keep(j->footprint, cell, &p);
    for (int32_t level = 0; level < shell->level_count; level++) {
        if (i < shell->count[level]) {
            mark_fine(j, level, i);
        }
    }
}

// Cells of a level from those of the next one below.
static void join_level(pal_footprint *f, int32_t level, print *sum) {
    const pal_shell *shell = f->shell;
    const int32_t below = shell->first[level + 1];
    memset(sum, 0, (size_t)shell->count[level] * sizeof *sum);
    for (int32_t c = 0; c < shell->count[level + 1]; c++) {
        const int32_t owner = c < shell->count[level] ? c : shell->point[c].parent;
        const int64_t cell = below + c;
        for (int32_t k = 0; k < f->count[cell]; k++) {
            add_vertex(&sum[owner], f->vertex[cell * PAL_FOOTPRINT_VERTICES + k],
                       (double)shell->cell[cell].area *
                           (double)f->weight[cell * PAL_FOOTPRINT_VERTICES + k]);
        }
    }
    for (int32_t p = 0; p < shell->count[level]; p++) {
        keep(f, shell->first[level] + p, &sum[p]);
    }
}

pal_status pal_footprint_build(const pal_shell *shell, const pal_body *body, const double *vertex_x,
                               pal_footprint *f, pal_err *err) {
    const int32_t last = shell->level_count - 1;
    const size_t cells = (size_t)shell->first[last] + (size_t)shell->count[last];
    *f = (pal_footprint){.shell = shell};
    f->count = PAL_NEW(int32_t, cells, err);
    f->vertex = PAL_NEW(int32_t, cells * PAL_FOOTPRINT_VERTICES, err);
    f->weight = PAL_NEW(float, cells *PAL_FOOTPRINT_VERTICES, err);
    f->spreads = PAL_NEW(uint8_t, cells, err);
    print *sum = last > 0 ? PAL_NEW(print, shell->count[last - 1], err) : PAL_NEW(print, 1, err);
    if (f->count == NULL || f->vertex == NULL || f->weight == NULL || f->spreads == NULL ||
        sum == NULL) {
        free(sum);
        pal_footprint_free(f);
        return PAL_ERR_MEMORY;
    }
    job j = {f, body, vertex_x};
    pal_parallel_for(shell->count[last], sample_cell, &j);
    for (int32_t level = last - 1; level >= 0; level--) {
        join_level(f, level, sum);
    }
    free(sum);
    return PAL_OK;
}

void pal_footprint_free(pal_footprint *f) {
    free(f->count);
    free(f->vertex);
    free(f->weight);
    free(f->spreads);
    *f = (pal_footprint){0};
}
