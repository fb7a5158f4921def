// A voxel belongs to the body when a triangle touches it, or when it is inside. What is inside must
// not hang on the quality of the soup:
//
// 1. Surface cells: exact overlap of triangle and cube by separating axes, written as in Schwarz
// and
//    Seidel 2010 (the plane, and the edges in the three projections), column by column along the
//    axis that the triangle faces most.
// 2. Votes: from the centre of each cell look along the six axis directions and sum the signed
//    crossings; a positive sum is a vote for inside. Six samples of the winding number: right where
//    solids overlap (2 is as good as 1), and a hole spoils only the few directions that look
//    through it. Signs are repaired first (orient.h). All lines of an axis are done at once:
//    crossings are scattered into cells, then summed along the lines.
// 3. Flood from the border through cells that are not surface and have at most three votes. What it
//    does not reach is inside. So a closed soup is solid whatever its orientation, as nothing can
//    leak in, and where a hole lets the flood look in, the votes bar it.
//
// The grid is a little larger than the box and lies off its middle by an irrational share, so that
// walls of blocky models do not coincide with planes of the grid.
#include "sim/mesh/voxelize.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/mesh/crossing.h"
#include "sim/mesh/orient.h"
#include "sim/mesh/voxel_share.h"

enum { MIN_RESOLUTION = 2, MAX_RESOLUTION = 512, VOTES_TO_BAR = 4 };

enum { OUTSIDE = 1, SURFACE = 2 }; // bits of a cell's state; neither is inside

static const double slack = 1e-3;             // cells by which the grid is longer than the box
static const double shift = 0.38196601125011; // share of the slack that lies below the box
static const double touch = 1e-9;             // cells; overlap to within this is contact

typedef struct voxelizer {
    const pal_surface *surface;
    pal_grid grid;
    int64_t cells;
    uint8_t *state;   // [cells]
    uint8_t *votes;   // [cells]
    uint8_t *turn;    // [triangle_count]
    int16_t *scratch; // [cells] crossings, then labels
    int32_t *total;   // [lines of an axis] sum of all crossings
} voxelizer;

static pal_status make_grid(const pal_surface *surface, int32_t resolution, pal_grid *grid,
                            pal_err *err) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < 3 * (int64_t)surface->triangle_count; i++) {
        for (int c = 0; c < 3; c++) {
            double x = surface->x[3 * (int64_t)surface->triangle[i] + c];
            if (!isfinite(x)) {
                return pal_fail(err, PAL_ERR_INPUT, "triangle %lld has a vertex that is not finite",
                                (long long)(i / 3));
            }
            low[c] = fmin(low[c], x);
            high[c] = fmax(high[c], x);
        }
    }
    double longest = fmax(fmax(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    if (!(longest > 0.0) || !isfinite(longest)) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "the surface has no extent (%g m); there is nothing to "
                        "fill with voxels",
                        longest);
    }
    grid->h = longest / (resolution - slack);
    for (int c = 0; c < 3; c++) {
        double cells = (high[c] - low[c]) / grid->h;
        grid->n[c] = (int32_t)ceil(cells + 0.5 * slack);
        grid->origin[c] = low[c] - (grid->n[c] - cells) * shift * grid->h;
    }
    return PAL_OK;
}

// Corners of a triangle in units of cells.
static void get_triangle(const voxelizer *v, int32_t t, double (*x)[3]) {
    for (int a = 0; a < 3; a++) {
        const double *from = v->surface->x + 3 * (int64_t)v->surface->triangle[3 * (int64_t)t + a];
        for (int c = 0; c < 3; c++) {
            x[a][c] = (from[c] - v->grid.origin[c]) / v->grid.h;
        }
    }
}

// The cells lo..hi along an axis that values low..high touch.
static void touched_range(double low, double high, int32_t n, int32_t *lo, int32_t *hi) {
    *lo = (int32_t)fmax(0.0, ceil(low - 1.0 - touch));
    *hi = (int32_t)fmin(n - 1.0, floor(high + touch));
}

// A projection of the triangle along axis w: a cell with lower corner p overlaps it when
// nu[e] pu + nv[e] pv + d[e] >= 0 for the three edges.
typedef struct projection {
    double nu[3], nv[3], d[3];
} projection;

static projection project(double (*x)[3], const double *normal, int w) {
    int u = (w + 1) % 3, v = (w + 2) % 3;
    double sign = normal[w] >= 0.0 ? 1.0 : -1.0;
    projection p;
    for (int e = 0; e < 3; e++) {
        const double *a = x[e], *b = x[(e + 1) % 3];
        double nu = -sign * (b[v] - a[v]), nv = sign * (b[u] - a[u]);
        p.nu[e] = nu;
        p.nv[e] = nv;
        p.d[e] = -(nu * a[u] + nv * a[v]) + fmax(0.0, nu) + fmax(0.0, nv) +
                 touch * (fabs(nu) + fabs(nv));
    }
    return p;
}

static bool overlaps(const projection *p, int32_t pu, int32_t pv) {
    bool inside = true;
    for (int e = 0; e < 3; e++) {
        inside = inside && p->nu[e] * pu + p->nv[e] * pv + p->d[e] >= 0.0;
    }
    return inside;
}

static int64_t cell_index(const pal_grid *grid, const int32_t *cell) {
    return cell[0] + grid->n[0] * (cell[1] + grid->n[1] * (int64_t)cell[2]);
}

// Marks the cells of column (cell[u], cell[v]) that the triangle touches. low, high: the range of
// the plane over the column, already within the triangle's own.
static void mark_column(voxelizer *vox, const projection *side, int w, int32_t *cell, double low,
                        double high) {
    int u = (w + 1) % 3, v = (w + 2) % 3;
    int32_t from, to;
    touched_range(low, high, vox->grid.n[w], &from, &to);
    for (cell[w] = from; cell[w] <= to; cell[w]++) {
        if (overlaps(&side[u], cell[v], cell[w]) && overlaps(&side[v], cell[w], cell[u])) {
            vox->state[cell_index(&vox->grid, cell)] = SURFACE;
        }
    }
}

static void mark_triangle(voxelizer *vox, int32_t t) {
    double x[3][3], e1[3], e2[3], normal[3];
    get_triangle(vox, t, x);
    pal_sub3(x[1], x[0], e1);
    pal_sub3(x[2], x[0], e2);
    pal_cross3(e1, e2, normal);
    int w = 0;
    for (int c = 1; c < 3; c++) {
        w = fabs(normal[c]) > fabs(normal[w]) ? c : w;
    }
    int u = (w + 1) % 3, v = (w + 2) % 3;
    projection side[3];
    int32_t lo[3], hi[3];
    double low[3], high[3];
    for (int c = 0; c < 3; c++) {
        side[c] = project(x, normal, c);
        low[c] = fmin(fmin(x[0][c], x[1][c]), x[2][c]);
        high[c] = fmax(fmax(x[0][c], x[1][c]), x[2][c]);
        touched_range(low[c], high[c], vox->grid.n[c], &lo[c], &hi[c]);
    }
    // A sliver has no plane to speak of: the edges alone decide then.
    bool sliver = fabs(normal[w]) <= 1e-10 * (pal_dot3(e1, e1) + pal_dot3(e2, e2));
    double su = sliver ? 0.0 : -normal[u] / normal[w], sv = sliver ? 0.0 : -normal[v] / normal[w];
    double reach = sliver ? INFINITY : 0.5 * (fabs(su) + fabs(sv)) + touch;
    int32_t cell[3];
    for (cell[v] = lo[v]; cell[v] <= hi[v]; cell[v]++) {
        for (cell[u] = lo[u]; cell[u] <= hi[u]; cell[u]++) {
            if (overlaps(&side[w], cell[u], cell[v])) {
                double middle =
                    x[0][w] + su * (cell[u] + 0.5 - x[0][u]) + sv * (cell[v] + 0.5 - x[0][v]);
                mark_column(vox, side, w, cell, fmax(low[w], middle - reach),
                            fmin(high[w], middle + reach));
            }
        }
    }
}

static void add_clamped(int16_t *sum, int way) {
    int value = *sum + way;
    *sum = (int16_t)(value > INT16_MAX ? INT16_MAX : value < INT16_MIN ? INT16_MIN : value);
}

// Scatters the crossings of one triangle with the lines of axis w through the centres of cells.
static void cross_triangle(voxelizer *vox, int32_t t, int w) {
    const pal_grid *grid = &vox->grid;
    int u = (w + 1) % 3, v = (w + 2) % 3;
    double x[3][3];
    get_triangle(vox, t, x);
    double low[3], high[3];
    for (int c = 0; c < 3; c++) {
        low[c] = fmin(fmin(x[0][c], x[1][c]), x[2][c]);
        high[c] = fmax(fmax(x[0][c], x[1][c]), x[2][c]);
    }
    int32_t cell[3];
    int32_t u_from = (int32_t)fmax(0.0, floor(low[u] - 0.5)),
            v_from = (int32_t)fmax(0.0, floor(low[v] - 0.5));
    int32_t u_to = (int32_t)fmin(grid->n[u] - 1.0, ceil(high[u] - 0.5));
    int32_t v_to = (int32_t)fmin(grid->n[v] - 1.0, ceil(high[v] - 0.5));
    for (cell[v] = v_from; cell[v] <= v_to; cell[v]++) {
        for (cell[u] = u_from; cell[u] <= u_to; cell[u]++) {
            double depth;
            bool enters;
            if (!pal_axis_crossing(x, w, cell[u] + 0.5, cell[v] + 0.5, &depth, &enters)) {
                continue;
            }
            int way = enters != (vox->turn[t] != 0) ? 1 : -1;
            cell[w] = (int32_t)ceil(depth - 0.5);
            vox->total[cell[u] + (int64_t)grid->n[u] * cell[v]] += way;
            if (cell[w] < grid->n[w]) {
                cell[w] = cell[w] < 0 ? 0 : cell[w];
                add_clamped(&vox->scratch[cell_index(grid, cell)], way);
            }
        }
    }
}

// Sums the crossings of each line of axis w from both ends and adds the votes.
static void vote_along(voxelizer *vox, int w) {
    const pal_grid *grid = &vox->grid;
    int u = (w + 1) % 3, v = (w + 2) % 3;
    int64_t step[3] = {1, grid->n[0], (int64_t)grid->n[0] * grid->n[1]};
    for (int32_t j = 0; j < grid->n[v]; j++) {
        for (int32_t i = 0; i < grid->n[u]; i++) {
            int32_t total = vox->total[i + (int64_t)grid->n[u] * j], below = 0;
            int64_t at = i * step[u] + j * step[v];
            for (int32_t k = 0; k < grid->n[w]; k++, at += step[w]) {
                below += vox->scratch[at];
                vox->votes[at] += (uint8_t)((below > 0) + (below - total > 0));
            }
        }
    }
}

static void count_votes(voxelizer *vox, const pal_progress *progress) {
    for (int w = 0; w < 3; w++) {
        int64_t lines = vox->cells / vox->grid.n[w];
        memset(vox->scratch, 0, (size_t)vox->cells * sizeof *vox->scratch);
        memset(vox->total, 0, (size_t)lines * sizeof *vox->total);
        for (int32_t t = 0; t < vox->surface->triangle_count; t++) {
            cross_triangle(vox, t, w);
        }
        vote_along(vox, w);
        pal_progress_report(progress, "voxels", 0.3 + 0.15 * (w + 1));
    }
}

static bool floodable(const voxelizer *vox, int64_t at) {
    return vox->state[at] == 0 && vox->votes[at] < VOTES_TO_BAR;
}

// Marks as OUTSIDE what the border reaches. stack [cells]: cells whose neighbours are to be looked
// at.
static void flood(voxelizer *vox, int32_t *stack) {
    const int32_t *n = vox->grid.n;
    int64_t step[3] = {1, n[0], (int64_t)n[0] * n[1]};
    int64_t height = 0;
    for (int64_t at = 0; at < vox->cells; at++) {
        int32_t p[3] = {(int32_t)(at % n[0]), (int32_t)(at / step[1] % n[1]),
                        (int32_t)(at / step[2])};
        bool border = false;
        for (int c = 0; c < 3; c++) {
            border = border || p[c] == 0 || p[c] == n[c] - 1;
        }
        if (border && floodable(vox, at)) {
            vox->state[at] = OUTSIDE;
            stack[height++] = (int32_t)at;
        }
    }
    while (height > 0) {
        int64_t at = stack[--height];
        int32_t p[3] = {(int32_t)(at % n[0]), (int32_t)(at / step[1] % n[1]),
                        (int32_t)(at / step[2])};
        for (int side = 0; side < 6; side++) {
            int c = side / 2, way = side % 2 ? 1 : -1;
            if (p[c] + way < 0 || p[c] + way >= n[c]) {
                continue;
            }
            int64_t next = at + way * step[c];
            if (floodable(vox, next)) {
                vox->state[next] = OUTSIDE;
                stack[height++] = (int32_t)next;
            }
        }
    }
}

static pal_status allocate(voxelizer *vox, pal_err *err) {
    const int32_t *n = vox->grid.n;
    vox->cells = (int64_t)n[0] * n[1] * n[2];
    int32_t shortest = n[0] < n[1] ? n[0] : n[1];
    shortest = shortest < n[2] ? shortest : n[2];
    vox->state = PAL_NEW(uint8_t, vox->cells, err);
    vox->votes = PAL_NEW(uint8_t, vox->cells, err);
    vox->scratch = PAL_NEW(int16_t, vox->cells, err);
    vox->total = PAL_NEW(int32_t, vox->cells / shortest, err);
    vox->turn = PAL_NEW(uint8_t, vox->surface->triangle_count, err);
    return vox->state && vox->votes && vox->scratch && vox->total && vox->turn ? PAL_OK
                                                                               : PAL_ERR_MEMORY;
}

// Fills state.
static pal_status classify(voxelizer *vox, const pal_progress *progress, pal_err *err) {
    pal_status status = pal_surface_orient(vox->surface, vox->turn, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_progress_report(progress, "voxels", 0.1);
    for (int32_t t = 0; t < vox->surface->triangle_count; t++) {
        mark_triangle(vox, t);
    }
    pal_progress_report(progress, "voxels", 0.3);
    count_votes(vox, progress);
    int32_t *stack = PAL_NEW(int32_t, vox->cells, err);
    if (stack == NULL) {
        return PAL_ERR_MEMORY;
    }
    flood(vox, stack);
    free(stack);
    return PAL_OK;
}

// The shares of the voxels, of the cells in the order of the grid.
static pal_status add_shares(const voxelizer *vox, const pal_progress *progress, pal_volmesh *mesh,
                             pal_err *err) {
    float *share = PAL_NEW(float, vox->cells, err);
    mesh->share = PAL_NEW(double, mesh->element_count, err);
    pal_status status = share && mesh->share ? PAL_OK : PAL_ERR_MEMORY;
    status = status == PAL_OK
                 ? pal_voxel_shares(vox->surface, vox->turn, &vox->grid, progress, share, err)
                 : status;
    int32_t e = 0;
    for (int64_t i = 0; i < vox->cells && status == PAL_OK; i++) {
        if (vox->scratch[i] >= 0) {
            const bool deep = (vox->state[i] & (OUTSIDE | SURFACE)) == 0;
            mesh->share[e++] = deep ? 1.0 : fmax((double)share[i], PAL_SHARE_FLOOR);
        }
    }
    pal_volmesh_settle_share(mesh);
    free(share);
    return status;
}

// Edges of one triangle; vertices at the same place are one.
static pal_status count_open_edges(const pal_surface *surface, int32_t *count, pal_err *err) {
    pal_surface joined;
    pal_surface_quality quality = {0};
    pal_status status =
        pal_surface_alloc(&joined, surface->vertex_count, surface->triangle_count, err);
    int32_t *same = PAL_NEW(int32_t, surface->vertex_count, err);
    status = status == PAL_OK && same == NULL ? PAL_ERR_MEMORY : status;
    status = status == PAL_OK ? pal_surface_weld(surface, same, err) : status;
    if (status == PAL_OK) {
        memcpy(joined.x, surface->x, 3 * (size_t)surface->vertex_count * sizeof *joined.x);
        for (int64_t i = 0; i < 3 * (int64_t)surface->triangle_count; i++) {
            joined.triangle[i] = same[surface->triangle[i]];
        }
        status = pal_surface_measure(&joined, &quality, err);
    }
    *count = quality.open_edges;
    free(same);
    pal_surface_free(&joined);
    return status;
}

// Whether a filling takes shares of this surface.
static pal_status choose_fill(const pal_surface *surface, pal_fill fill, bool *shares,
                              pal_err *err) {
    int32_t open = 0;
    pal_status status = fill == PAL_FILL_WHOLE ? PAL_OK : count_open_edges(surface, &open, err);
    *shares = status == PAL_OK && fill != PAL_FILL_WHOLE && open == 0;
    return status == PAL_OK && open > 0 && fill == PAL_FILL_SHARE
               ? pal_fail(err, PAL_ERR_INPUT,
                          "the surface is open (%d edges of one triangle), so that nobody can say "
                          "how much of a voxel is inside; close it, or fill it with whole voxels",
                          open)
               : status;
}

static pal_status make_mesh(voxelizer *vox, pal_volmesh *mesh, pal_err *err) {
    for (int64_t i = 0; i < vox->cells; i++) {
        vox->scratch[i] = vox->state[i] == OUTSIDE ? -1 : 0;
    }
    pal_status status = pal_grid_close_hinges(&vox->grid, vox->scratch, NULL, err);
    return status == PAL_OK ? pal_voxels_of_grid(&vox->grid, vox->scratch, 1, mesh, err) : status;
}

pal_status pal_voxelize(const pal_surface *surface, int32_t resolution, pal_fill fill,
                        const pal_progress *progress, pal_volmesh *mesh, pal_err *err) {
    memset(mesh, 0, sizeof *mesh);
    if (resolution < MIN_RESOLUTION || resolution > MAX_RESOLUTION) {
        return pal_fail(err, PAL_ERR_USAGE, "a voxel resolution of %d; it must be from %d to %d",
                        resolution, MIN_RESOLUTION, MAX_RESOLUTION);
    }
    if (surface->triangle_count == 0) {
        return pal_fail(err, PAL_ERR_INPUT, "the surface has no triangles");
    }
    voxelizer vox = {.surface = surface};
    bool shares = false;
    pal_progress_report(progress, "voxels", 0.0);
    pal_status status = make_grid(surface, resolution, &vox.grid, err);
    status = status == PAL_OK ? choose_fill(surface, fill, &shares, err) : status;
    status = status == PAL_OK ? allocate(&vox, err) : status;
    status = status == PAL_OK ? classify(&vox, progress, err) : status;
    status = status == PAL_OK ? make_mesh(&vox, mesh, err) : status;
    if (status == PAL_OK && shares) {
        status = add_shares(&vox, progress, mesh, err);
    }
    if (status != PAL_OK) {
        pal_volmesh_free(mesh);
    }
    free(vox.state);
    free(vox.votes);
    free(vox.scratch);
    free(vox.total);
    free(vox.turn);
    pal_progress_report(progress, "voxels", 1.0);
    return status;
}
