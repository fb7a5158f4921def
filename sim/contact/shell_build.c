// Levels by elimination: of a crowd of places on the surface, in random order, each is taken that
// is not within the level's spacing of one taken before (and looks the same way). So all of the
// surface is within about a spacing of a point. Spacings halve from level to level. Points are
// ordered by their parents, so that those below one node stand side by side.
#include "sim/contact/shell_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/contact/lanes.h"
#include "sim/contact/shell_cell.h"
#include "sim/contact/shell_sample.h"

enum { CROWD = 12, ROOTS = 8, LEAST_CROWD = 512, TRIES = 5 }; // CROWD: places for one point
static const double packing = 0.8;                            // points in a square of a spacing

typedef struct builder {
    const pal_body *body;
    const pal_bdtree *tree;
    pal_shell_crowd crowd;
    pal_shell_grid grid;
    uint8_t *taken;         // [crowd.count]
    pal_shell_point *point; // [crowd.count]
    pal_shell shell;        // what is being made
} builder;

static pal_status memory(const void *a, const void *b) {
    return a != NULL && b != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

// ---- Levels -------------------------------------------------------------------------------------

typedef struct neighbour { // a search about a place
    const pal_shell_point *point;
    const pal_shell_point *place;
    bool alike_only;
    double best2;
    int32_t nearest;
} neighbour;

static bool nearer(void *context, int32_t index) {
    neighbour *n = context;
    double apart[3];
    pal_sub3(n->point[index].x, n->place->x, apart);
    const double squared = pal_dot3(apart, apart);
    if (squared < n->best2 && (!n->alike_only || pal_dot3(n->point[index].axis[2],
                                                          n->place->axis[2]) > PAL_SHELL_ALIKE)) {
        n->best2 = squared;
        n->nearest = index;
    }
    return true;
}

// The first point that is too near.
static bool in_the_way(void *context, int32_t index) {
    neighbour *n = context;
    nearer(n, index);
    return n->nearest < 0;
}

// The nearest of the first `count` points, which are in the grid.
static int32_t nearest_point(const builder *b, const pal_shell_point *place, int32_t count,
                             bool alike_only) {
    neighbour n = {b->point, place, alike_only, INFINITY, -1};
    for (int rings = 1; rings <= 3; rings++) {
        pal_shell_grid_visit(&b->grid, place->x, rings, nearer, &n);
        if (n.nearest >= 0 && n.best2 <= rings * rings * b->grid.size * b->grid.size) {
            return n.nearest;
        }
    }
    for (int32_t i = 0; i < count; i++) {
        nearer(&n, i);
    }
    return n.nearest >= 0 ? n.nearest : nearest_point(b, place, count, false);
}

static int by_parent(const void *a, const void *b) {
    const pal_shell_point *p = a, *q = b;
    if (p->parent != q->parent) {
        return p->parent < q->parent ? -1 : 1;
    }
    for (int c = 0; c < 3; c++) {
        if (p->x[c] != q->x[c]) {
            return p->x[c] < q->x[c] ? -1 : 1;
        }
    }
    return 0;
}

static void fill_grid(builder *b, double size, int32_t count) {
    pal_shell_grid_clear(&b->grid, size);
    for (int32_t i = 0; i < count; i++) {
        pal_shell_grid_add(&b->grid, b->point[i].x, i);
    }
}

// How many places of the crowd are asked in a level: the last asks all.
static int32_t crowd_of(const builder *b, int32_t level) {
    const int32_t share = b->crowd.count >> 2 * (b->shell.level_count - 1 - level);
    const int32_t least = LEAST_CROWD < b->crowd.count ? LEAST_CROWD : b->crowd.count;
    return share > least ? share : least;
}

// Adds the points of a level behind `count` others; returns how many there are then.
static int32_t take_level(builder *b, int32_t level, int32_t count) {
    const double spacing = b->shell.spacing[level];
    const int32_t before = count, asked = crowd_of(b, level);
    fill_grid(b, spacing, count);
    for (int32_t i = 0; i < asked; i++) {
        neighbour n = {b->point, &b->crowd.place[i], true, spacing * spacing, -1};
        if (!b->taken[i] && pal_shell_grid_visit(&b->grid, n.place->x, 1, in_the_way, &n)) {
            b->taken[i] = 1;
            b->point[count] = *n.place;
            pal_shell_grid_add(&b->grid, n.place->x, count++);
        }
    }
    if (level > 0) {
        fill_grid(b, b->shell.spacing[level - 1], before);
        for (int32_t i = before; i < count; i++) {
            b->point[i].parent = nearest_point(b, &b->point[i], before, false);
        }
        qsort(b->point + before, (size_t)(count - before), sizeof *b->point, by_parent);
    }
    b->shell.count[level] = count;
    return count;
}

static pal_status take_points(builder *b, double spacing, int32_t most, pal_err *err) {
    const double area = pal_shell_surface_area(b->body);
    if (!(area > 0.0) || !isfinite(area)) {
        return pal_fail(err, PAL_ERR_INPUT, "contact shell: the surface has an area of %g m2",
                        area);
    }
    spacing = fmax(spacing, sqrt(packing * area / most));
    for (int try = 0; try < TRIES; try++) {
        const double expected = packing * area / (spacing * spacing);
        const int32_t asked = (int32_t)fmax(LEAST_CROWD, CROWD * expected);
        pal_shell *shell = &b->shell;
        shell->level_count = 1;
        while (shell->level_count < PAL_SHELL_LEVELS &&
               expected / pow(4.0, shell->level_count - 1) > ROOTS) {
            shell->level_count++;
        }
        pal_status status = pal_shell_crowd_make(b->body, asked, &b->crowd, err);
        b->taken = status == PAL_OK ? PAL_NEW(uint8_t, asked, err) : NULL;
        b->point = b->taken != NULL ? PAL_NEW(pal_shell_point, asked, err) : NULL;
        status = memory(b->taken, b->point);
        status = status == PAL_OK ? pal_shell_grid_open(&b->grid, asked, err) : status;
        if (status != PAL_OK) {
            return status;
        }
        int32_t count = 0;
        for (int32_t l = 0; l < shell->level_count; l++) {
            shell->spacing[l] = spacing * pow(2.0, shell->level_count - 1 - l);
            count = take_level(b, l, count);
        }
        if (count <= most || try == TRIES - 1) {
            return PAL_OK;
        }
        spacing *= 1.02 * sqrt((double)count / most);
        pal_shell_crowd_free(&b->crowd);
        pal_shell_grid_close(&b->grid);
        free(b->taken);
        free(b->point);
        b->taken = NULL;
        b->point = NULL;
    }
    return PAL_OK;
}

// ---- Cells --------------------------------------------------------------------------------------

static void count_areas(builder *b, int32_t level, pal_shell_cell *cell) {
    const int32_t asked = crowd_of(b, level), count = b->shell.count[level];
    for (int32_t i = 0; i < asked; i++) {
        cell[nearest_point(b, &b->crowd.place[i], count, true)].area +=
            (float)(b->crowd.area / asked);
    }
}

static pal_status make_cells(builder *b, pal_err *err) {
    pal_shell *shell = &b->shell;
    int32_t total = 0;
    for (int32_t l = 0; l < shell->level_count; l++) {
        shell->first[l] = total;
        total += shell->count[l];
    }
    pal_shell_cell *cell = PAL_NEW(pal_shell_cell, total, err);
    float *reach = PAL_NEW(float, total, err);
    shell->cell = cell;
    shell->reach = reach;
    const pal_status status = memory(cell, reach);
    for (int32_t l = 0; status == PAL_OK && l < shell->level_count; l++) {
        fill_grid(b, shell->spacing[l], shell->count[l]);
        for (int32_t i = 0; i < shell->count[l]; i++) {
            reach[shell->first[l] + i] =
                pal_shell_cell_cut(b->point, i, &b->grid, &cell[shell->first[l] + i]);
        }
        count_areas(b, l, cell + shell->first[l]);
    }
    return status;
}

// ---- Bounds -------------------------------------------------------------------------------------

// U of every point, [count][3][r].
static double *point_rows(const builder *b, pal_err *err) {
    const int32_t r = b->body->size, count = b->shell.count[b->shell.level_count - 1];
    double *rows = PAL_NEW(double, 3 * (size_t)count * (size_t)r, err);
    for (int32_t i = 0; rows != NULL && i < count; i++) {
        for (int k = 0; k < 3; k++) {
            const int32_t p = b->body->triangle[3 * (int64_t)b->point[i].triangle + k];
            const double *from = b->body->basis + 3 * (int64_t)p * r;
            const double weight = b->point[i].weight[k];
            double *to = rows + 3 * (int64_t)i * r;
            for (int32_t l = 0; l < 3 * r; l++) {
                to[l] += weight * from[l];
            }
        }
    }
    return rows;
}

// What a point that moves by `rows` adds to the bound of the node about another.
static void widen(int32_t r, double share, const double *node_rows, const double *rows,
                  float *growth) {
    for (int32_t l = 0; l < r; l++) {
        double apart2 = 0.0, size2 = 0.0;
        for (int c = 0; c < 3; c++) {
            const double a = node_rows[c * r + l], b = rows[c * r + l];
            apart2 += (a - b) * (a - b);
            size2 = fmax(size2, fmax(a * a, b * b));
        }
        // both places are computed in single precision
        const double bound = sqrt(apart2) * (1.0 + 1e-12) + 4.0 * share * sqrt(size2);
        const float stored = (float)((1.0 + 2.0 * share) * bound);
        growth[l] = stored > growth[l] ? stored : growth[l];
    }
}

// The cell that a point has in a level may be larger than the one it has in a deeper one, or not.
static double reach_below(const pal_shell *shell, int32_t level, int32_t point) {
    double reach = 0.0;
    for (int32_t l = level + 1; l < shell->level_count; l++) {
        if (point < shell->count[l]) {
            reach = fmax(reach, (double)shell->reach[shell->first[l] + point]);
        }
    }
    return reach;
}

// From every point up through the nodes that hold it.
static void bound_nodes(const builder *b, const double *rows, pal_shell_node *node, float *growth) {
    const pal_shell *shell = &b->shell;
    const int32_t r = shell->size, last = shell->level_count - 1;
    const double share = pal_lanes_share(r);
    for (int32_t i = 0; i < shell->count[last]; i++) {
        int32_t holder = i;
        for (int32_t l = last - 1; l >= 0; l--) {
            holder = holder < shell->count[l] ? holder : b->point[holder].parent;
            const int64_t index = (int64_t)shell->first[l] + holder;
            double apart[3];
            pal_sub3(b->point[i].x, b->point[holder].x, apart);
            const double radius = pal_norm3(apart) + reach_below(shell, l, i);
            node[index].radius = fmax(node[index].radius, radius * (1.0 + 1e-12));
            if (holder != i) {
                widen(r, share, rows + 3 * (int64_t)holder * r, rows + 3 * (int64_t)i * r,
                      growth + index * shell->stride);
            }
        }
    }
}

static void measure_growth(const pal_shell *shell, pal_shell_node *node) {
    for (int32_t i = 0; i < shell->first[shell->level_count - 1]; i++) {
        double squared = 0.0;
        for (int32_t l = 0; l < shell->size; l++) {
            const double d = (double)shell->growth[(int64_t)i * shell->stride + l];
            squared += d * d;
        }
        node[i].spread = sqrt(squared) * (1.0 + 1e-6);
    }
}

static void link_children(const builder *b, pal_shell_node *node) {
    const pal_shell *shell = &b->shell;
    for (int32_t l = 0; l + 1 < shell->level_count; l++) {
        for (int32_t i = shell->count[l]; i < shell->count[l + 1]; i++) {
            pal_shell_node *parent = &node[shell->first[l] + b->point[i].parent];
            parent->child_first = parent->child_count++ == 0 ? i : parent->child_first;
        }
    }
}

static pal_status make_nodes(builder *b, pal_err *err) {
    pal_shell *shell = &b->shell;
    const int32_t r = shell->size, last = shell->level_count - 1;
    const size_t nodes = (size_t)shell->first[last], points = (size_t)shell->count[last];
    pal_shell_node *node = PAL_NEW(pal_shell_node, nodes, err);
    float *growth = PAL_NEW(float, nodes *(size_t)shell->stride, err);
    float *motion = PAL_NEW(float, 3 * points * (size_t)shell->stride, err);
    double *rest = PAL_NEW(double, 3 * points, err), *rows = point_rows(b, err);
    shell->node = node;
    shell->rest = rest;
    shell->growth = growth;
    shell->motion = motion;
    pal_status status = memory(node, growth);
    status = status == PAL_OK ? memory(motion, rows) : status;
    status = status == PAL_OK ? memory(rest, rest) : status;
    if (status == PAL_OK) {
        for (size_t i = 0; i < 3 * points; i++) {
            rest[i] = b->point[i / 3].x[i % 3];
            for (int32_t l = 0; l < r; l++) {
                motion[i * (size_t)shell->stride + (size_t)l] =
                    (float)rows[i * (size_t)r + (size_t)l];
            }
        }
        link_children(b, node);
        bound_nodes(b, rows, node, growth);
        measure_growth(shell, node);
    }
    free(rows);
    return status;
}

// ---- Triangles beside triangles -----------------------------------------------------------------

// The other triangle at the edge from corner a to b of triangle t: of several, the first.
static int32_t across(const builder *b, int32_t t, int32_t from, int32_t to) {
    const pal_bdtree *tree = b->tree;
    for (int32_t i = tree->fan_first[from]; i < tree->fan_first[from + 1]; i++) {
        const int32_t other = tree->fan[i];
        for (int k = 0; k < 3 && other != t; k++) { // there the edge runs the other way
            const int32_t *corner = b->body->triangle + 3 * (int64_t)other;
            if (tree->joined[corner[k]] == to && tree->joined[corner[(k + 1) % 3]] == from) {
                return other;
            }
        }
    }
    return -1;
}

static pal_status find_beside(builder *b, pal_err *err) {
    const pal_body *body = b->body;
    int32_t *beside = PAL_NEW(int32_t, 3 * (size_t)body->triangle_count, err);
    b->shell.beside = beside;
    for (int32_t t = 0; beside != NULL && t < body->triangle_count; t++) {
        const int32_t *corner = body->triangle + 3 * (int64_t)t;
        for (int k = 0; k < 3; k++) {
            beside[3 * (int64_t)t + k] = across(b, t, b->tree->joined[corner[(k + 1) % 3]],
                                                b->tree->joined[corner[(k + 2) % 3]]);
        }
    }
    return beside != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

// How far a point of the body moves at most for q_l = 1.
static pal_status find_farthest(builder *b, pal_err *err) {
    const pal_body *body = b->body;
    float *farthest = PAL_NEW(float, b->shell.stride, err);
    b->shell.farthest = farthest;
    for (int32_t l = 0; farthest != NULL && l < body->size; l++) {
        double most = 0.0;
        for (int64_t i = 0; i < body->point_count; i++) {
            const double *row = body->basis + 3 * i * body->size + l;
            const double x = row[0], y = row[body->size], z = row[2 * (int64_t)body->size];
            most = fmax(most, x * x + y * y + z * z);
        }
        farthest[l] = (float)(sqrt(most) * (1.0 + 1e-6));
    }
    return farthest != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

static void add_carrier(pal_shell_carrier *c, int32_t vertex, double weight, bool *fits) {
    int32_t k = 0;
    while (k < c->count && c->vertex[k] != vertex) {
        k++;
    }
    *fits = *fits && k < PAL_SHELL_CARRIERS;
    if (*fits) {
        c->count = k < c->count ? c->count : k + 1;
        c->vertex[k] = vertex;
        c->weight[k] += (float)weight;
    }
}

// What dents move each point, when the body can have dents.
static pal_status find_carriers(builder *b, pal_err *err) {
    const pal_embedding *e = b->body->embedding;
    const int32_t points = b->shell.count[b->shell.level_count - 1];
    if (e == NULL) {
        return PAL_OK;
    }
    pal_shell_carrier *carrier = PAL_NEW(pal_shell_carrier, points, err);
    b->shell.carrier = carrier;
    for (int32_t i = 0; carrier != NULL && i < points; i++) {
        bool fits = true;
        for (int p = 0; p < 3; p++) {
            const int32_t corner = b->body->triangle[3 * (int64_t)b->point[i].triangle + p];
            for (int32_t a = 0; a < e->nodes; a++) {
                const int64_t at = (int64_t)corner * e->nodes + a;
                if (e->weight[at] != 0.0) {
                    add_carrier(&carrier[i], e->vertex[at], b->point[i].weight[p] * e->weight[at],
                                &fits);
                }
            }
        }
        carrier[i].count = fits ? carrier[i].count : 0;
    }
    return carrier != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

static pal_status find_hulls(builder *b, pal_err *err) {
    const pal_shell *shell = &b->shell;
    const int32_t last = shell->level_count - 1;
    const size_t cells = (size_t)shell->first[last] + (size_t)shell->count[last];
    pal_shell_hull *hull = PAL_NEW(pal_shell_hull, cells, err);
    float *bend = PAL_NEW(float, cells *(size_t)shell->stride, err);
    float *sway = PAL_NEW(float, cells *(size_t)shell->stride, err);
    const bool dents = b->body->embedding != NULL;
    pal_shell_over *over = dents ? PAL_NEW(pal_shell_over, cells, err) : NULL;
    pal_shell_ways ways;
    pal_shell_ways_make(&ways);
    b->shell.hull = hull;
    b->shell.bend = bend;
    b->shell.sway = sway;
    b->shell.over = over;
    const bool all = sway != NULL && (over != NULL || !dents);
    const pal_status status = all ? memory(hull, bend) : PAL_ERR_MEMORY;
    for (int32_t l = 0; status == PAL_OK && l <= last; l++) {
        for (int32_t i = 0; i < shell->count[l]; i++) {
            const int32_t cell = shell->first[l] + i;
            pal_shell_cell_hull(b->body, shell->beside, &b->point[i], &shell->cell[cell],
                                (double)shell->reach[cell], &ways, &hull[cell],
                                bend + (int64_t)cell * shell->stride,
                                sway + (int64_t)cell * shell->stride,
                                over != NULL ? &over[cell] : NULL);
        }
    }
    return status;
}

pal_status pal_shell_build(const pal_body *body, const pal_bdtree *tree, const pal_shell_spec *spec,
                           pal_shell *shell, pal_err *err) {
    memset(shell, 0, sizeof *shell);
    if (body->basis == NULL || body->size > PAL_MAX_R) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED,
                        "contact shell: only linear bodies of at most %d coordinates have one",
                        PAL_MAX_R);
    }
    if (!isfinite(spec->spacing) || !(spec->spacing > 0.0) || spec->most_points < 0) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "contact shell: a spacing of %g m and at most %d points; give it a spacing "
                        "above 0",
                        spec->spacing, spec->most_points);
    }
    builder b = {.body = body, .tree = tree};
    b.shell.size = body->size;
    b.shell.stride = pal_lanes_stride(body->size);
    b.shell.tree = tree;
    pal_status status = take_points(
        &b, spec->spacing, spec->most_points > 0 ? spec->most_points : PAL_SHELL_POINTS, err);
    status = status == PAL_OK ? make_cells(&b, err) : status;
    status = status == PAL_OK ? make_nodes(&b, err) : status;
    status = status == PAL_OK ? find_beside(&b, err) : status;
    status = status == PAL_OK ? find_hulls(&b, err) : status;
    status = status == PAL_OK ? find_farthest(&b, err) : status;
    status = status == PAL_OK ? find_carriers(&b, err) : status;
    b.shell.point = b.point;
    pal_shell_crowd_free(&b.crowd);
    pal_shell_grid_close(&b.grid);
    free(b.taken);
    *shell = b.shell;
    if (status != PAL_OK) {
        pal_shell_free(shell);
    }
    return status;
}

void pal_shell_free(pal_shell *shell) {
    free((void *)shell->point);
    free((void *)shell->node);
    free((void *)shell->cell);
    free((void *)shell->reach);
    free((void *)shell->hull);
    free((void *)shell->over);
    free((void *)shell->bend);
    free((void *)shell->sway);
    free((void *)shell->rest);
    free((void *)shell->motion);
    free((void *)shell->growth);
    free((void *)shell->farthest);
    free((void *)shell->carrier);
    free((void *)shell->beside);
    memset(shell, 0, sizeof *shell);
}
