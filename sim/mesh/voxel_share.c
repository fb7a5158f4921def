#include "sim/mesh/voxel_share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/mesh/crossing.h"

// Lines through each column of cells: a Fibonacci lattice of `count` points, of which no two have
// the same coordinate on either axis, so that walls along an axis are cut as finely as others.
// Fewer in large grids, whose cells are small.
typedef struct lattice {
    int count, step;
} lattice;

static lattice choose_lattice(const pal_grid *grid) {
    const double cells = cbrt((double)grid->n[0] * grid->n[1] * grid->n[2]);
    return cells <= 64.0 ? (lattice){55, 34} : cells <= 160.0 ? (lattice){21, 13} : (lattice){8, 5};
}

typedef struct crossing {
    int64_t line;
    float depth; // in cells
    int8_t way;  // 1: in, -1: out
} crossing;

typedef struct sampler {
    const pal_surface *surface;
    const uint8_t *turn;
    const pal_grid *grid;
    lattice lines;          // through a cell
    int axis;               // of the lines, w; u and v are the next ones
    int64_t count, room;    // of crossings
    crossing *crossing;     // [count]
    float *inside, *weight; // [cells] sums over the axes: inside length by weight, weight
    float *length;          // [cells] of the axis
    int32_t *hits;          // [cells] of the axis
    pal_err *err;
} sampler;

static bool push(sampler *s, crossing made) {
    if (s->count == s->room) {
        int64_t room = s->room < 4096 ? 4096 : 2 * s->room;
        crossing *longer = PAL_NEW(crossing, room, s->err);
        if (longer == NULL) {
            return false;
        }
        if (s->count > 0) {
            memcpy(longer, s->crossing, (size_t)s->count * sizeof *longer);
        }
        free(s->crossing);
        s->crossing = longer;
        s->room = room;
    }
    s->crossing[s->count++] = made;
    return true;
}

// The columns of cells that the values low..high touch.
static void touched_columns(double low, double high, int32_t n, int32_t *from, int32_t *to) {
    *from = (int32_t)fmax(0.0, floor(low));
    *to = (int32_t)fmin(n - 1.0, floor(high));
}

static bool cross_triangle(sampler *s, int32_t t) {
    const pal_grid *grid = s->grid;
    const int w = s->axis, u = (w + 1) % 3, v = (w + 2) % 3;
    double x[3][3], low[3] = {INFINITY, INFINITY, INFINITY};
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int a = 0; a < 3; a++) {
        const double *from = s->surface->x + 3 * (int64_t)s->surface->triangle[3 * (int64_t)t + a];
        for (int c = 0; c < 3; c++) {
            x[a][c] = (from[c] - grid->origin[c]) / grid->h;
            low[c] = fmin(low[c], x[a][c]);
            high[c] = fmax(high[c], x[a][c]);
        }
    }
    const int count = s->lines.count;
    int32_t cu, cv, u_from, u_to, v_from, v_to;
    touched_columns(low[u], high[u], grid->n[u], &u_from, &u_to);
    touched_columns(low[v], high[v], grid->n[v], &v_from, &v_to);
    for (cv = v_from; cv <= v_to; cv++) {
        for (cu = u_from; cu <= u_to; cu++) {
            const int64_t column = cu + (int64_t)grid->n[u] * cv;
            for (int i = 0; i < count; i++) {
                double depth;
                bool enters;
                const double pu = cu + (i + 0.5) / count;
                const double pv = cv + (i * s->lines.step % count + 0.5) / count;
                if (pal_axis_crossing(x, w, pu, pv, &depth, &enters) &&
                    !push(s, (crossing){column * count + i, (float)depth,
                                        enters != (s->turn[t] != 0) ? 1 : -1})) {
                    return false;
                }
            }
        }
    }
    return true;
}

static int compare_crossings(const void *a, const void *b) {
    const crossing *left = a, *right = b;
    return left->line != right->line ? (left->line > right->line) - (left->line < right->line)
           : left->depth != right->depth
               ? (left->depth > right->depth) - (left->depth < right->depth)
               : (int)right->way - (int)left->way;
}

static int32_t cell_along(const sampler *s, double depth) {
    return (int32_t)fmin(fmax(floor(depth), 0.0), s->grid->n[s->axis] - 1.0);
}

// Adds `share` times the stretch from..to of a line to the cells that it goes through. first: the
// cell where the line begins; step: from one cell to the next along it.
static void add_stretch(sampler *s, int64_t first, int64_t step, double from, double to,
                        float share) {
    for (int32_t k = cell_along(s, from); k <= cell_along(s, to); k++) {
        const double inside = fmin(to, k + 1.0) - fmax(from, (double)k);
        s->length[first + k * step] += share * (float)fmax(0.0, inside);
    }
}

// One line with its crossings, ascending. From either end the winding number says what is inside;
// the two agree where the surface is closed.
static void take_line(sampler *s, const crossing *of, int64_t count) {
    const int32_t *n = s->grid->n;
    const int w = s->axis, u = (w + 1) % 3, v = (w + 2) % 3;
    const int64_t step[3] = {1, n[0], (int64_t)n[0] * n[1]};
    const int64_t column = of->line / s->lines.count;
    const int64_t first = column % n[u] * step[u] + column / n[u] * step[v];
    int total = 0, below = 0;
    for (int64_t i = 0; i < count; i++) {
        total += of[i].way;
        s->hits[first + cell_along(s, (double)of[i].depth) * step[w]]++;
    }
    for (int64_t i = 0; i < count; i++) {
        below += of[i].way;
        const int votes = (below > 0) + (below - total > 0);
        const double to = i + 1 < count ? (double)of[i + 1].depth : n[w];
        if (votes > 0) {
            add_stretch(s, first, step[w], (double)of[i].depth, to, 0.5F * (float)votes);
        }
    }
    if (total < 0) { // seen from the far end, the near one is inside
        add_stretch(s, first, step[w], 0.0, (double)of[0].depth, 0.5F);
    }
}

// All lines of one axis, added to the sums.
static pal_status sample_axis(sampler *s, int64_t cells) {
    s->count = 0;
    memset(s->length, 0, (size_t)cells * sizeof *s->length);
    memset(s->hits, 0, (size_t)cells * sizeof *s->hits);
    for (int32_t t = 0; t < s->surface->triangle_count; t++) {
        if (!cross_triangle(s, t)) {
            return PAL_ERR_MEMORY;
        }
    }
    if (s->count > 0) {
        qsort(s->crossing, (size_t)s->count, sizeof *s->crossing, compare_crossings);
    }
    for (int64_t i = 0, end; i < s->count; i = end) {
        for (end = i + 1; end < s->count && s->crossing[end].line == s->crossing[i].line; end++) {
        }
        take_line(s, s->crossing + i, end - i);
    }
    // A cell that no line of the axis crosses still counts a little: for cells that only an edge or
    // a sliver touches.
    const float least = 1e-3F;
    for (int64_t i = 0; i < cells; i++) {
        const float weight = (float)s->hits[i] + least;
        s->inside[i] += weight * s->length[i] / (float)s->lines.count;
        s->weight[i] += weight;
    }
    return PAL_OK;
}

pal_status pal_voxel_shares(const pal_surface *surface, const uint8_t *turn, const pal_grid *grid,
                            const pal_progress *progress, float *share, pal_err *err) {
    const int64_t cells = (int64_t)grid->n[0] * grid->n[1] * grid->n[2];
    sampler s = {.surface = surface,
                 .turn = turn,
                 .grid = grid,
                 .lines = choose_lattice(grid),
                 .inside = share,
                 .err = err};
    s.weight = PAL_NEW(float, cells, err);
    s.length = PAL_NEW(float, cells, err);
    s.hits = PAL_NEW(int32_t, cells, err);
    pal_status status = s.weight && s.length && s.hits ? PAL_OK : PAL_ERR_MEMORY;
    memset(share, 0, (size_t)cells * sizeof *share);
    for (s.axis = 0; s.axis < 3 && status == PAL_OK; s.axis++) {
        status = sample_axis(&s, cells);
        pal_progress_report(progress, "shares of voxels", (s.axis + 1) / 3.0);
    }
    const float whole = 1.0F - 1e-5F; // but for rounding
    for (int64_t i = 0; i < cells && status == PAL_OK; i++) {
        share[i] /= s.weight[i];
        share[i] = share[i] > whole ? 1.0F : share[i];
    }
    free(s.crossing);
    free(s.weight);
    free(s.length);
    free(s.hits);
    return status;
}
