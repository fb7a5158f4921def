// A point goes to where, within its cell, the tool is deepest.
//
// The surface about the point is a height field over its tangent plane at rest: u = (u1, u2) names
// a place, and the triangle that lies over it is found by walking over edges. In the plane of a
// triangle, deformed, with d and g the tool's distance and its gradient at x,
//
//     x' = x - (d + c) (g - n (n.g)),       c the tool's smallest radius of curvature,
//
// is below the centre of curvature of the tool: of a sphere at once the deepest place, of a capsule
// a step of alternating projections between its axis and the plane. Where the curvature changes
// over the tool (cylinders and fields), d + c is only the first guess; then it is what the last two
// places tell, |dx|^2 / (dx . dg) [BB88]. The first step may cross triangles; later ones stop at
// the edge and go on in the triangle beside it, so that the answer is the deepest place of the
// faceted surface.
#include "sim/contact/shell_move.h"

#include <math.h>
#include <string.h>

#include "sim/base/vec3.h"
#include "sim/contact/shell_facet.h"

enum { PASSES = 6, FLAT_PASSES = 4 }; // steps in all (a sphere's)

static const double spread_share = 0.6; // of the feature: wider cells are not met as a whole
static const double follow_share = 0.2; // of the way to the deepest place, a query
static const double far_side = 0.2;     // normal . gradient above which a touch is on the far side
static const double far_at_once = 0.7;  // the same where the point has not been moved yet
static const double still = 1e-3;       // spacings: a step that is none
static const double least_step = 0.25;  // features, where the tool is deeper than its curvature
static const double far_step = 8.0;     // spacings and features: a step longer than that is none

void pal_shell_tool_init(pal_shell_tool *tool, const pal_shell *shell, const pal_body *body,
                         const pal_shell_query *query) {
    double length = 0.0;
    for (int32_t l = 0; l < body->size; l++) {
        length += body->q[l] * body->q[l];
    }
    tool->shell = shell;
    tool->shape = query->shape;
    tool->flat = query->flat;
    tool->spreads = query->spreads;
    tool->stretches = query->stretches;
    tool->last = query->last;
    tool->uneven = body->dent != NULL ? 2.0 * *body->dent_bound : 0.0;
    memcpy(tool->x, query->pose.x, sizeof tool->x);
    pal_turn_matrix(query->pose.turn, tool->turn);
    tool->length = sqrt(length) * (1.0 + 1e-9);
    pal_lanes_load(&tool->at, body->q, shell->size);
    pal_places_init(&tool->places, body);
}

double pal_shell_tool_distance(const pal_shell_tool *tool, const double x[3], double gradient[3]) {
    double local[3], g[3];
    pal_shell_tool_frame(tool, x, local);
    const double distance = pal_shape_distance(tool->shape, local, g);
    for (int c = 0; c < 3; c++) {
        gradient[c] = pal_dot3(tool->turn[c], g);
    }
    return distance;
}

// ---- Steps --------------------------------------------------------------------------------------

static void load_facet(pal_shell_tool *tool, int32_t triangle, facet *f) {
    f->triangle = triangle;
    pal_places_triangle(&tool->places, triangle, f->corner);
    pal_sub3(f->corner[1], f->corner[0], f->edge[0]);
    pal_sub3(f->corner[2], f->corner[0], f->edge[1]);
    pal_cross3(f->edge[0], f->edge[1], f->normal);
    const double length = pal_norm3(f->normal);
    for (int c = 0; c < 3; c++) {
        f->normal[c] = length > 0.0 ? f->normal[c] / length : 0.0;
    }
    f->gram[0] = pal_dot3(f->edge[0], f->edge[0]);
    f->gram[1] = pal_dot3(f->edge[0], f->edge[1]);
    f->gram[2] = pal_dot3(f->edge[1], f->edge[1]);
}

// Where the tool meets the triangle at these weights.
static void look(const pal_shell_tool *tool, const facet *f, const double weight[3], place *at) {
    at->triangle = f->triangle;
    for (int c = 0; c < 3; c++) {
        at->weight[c] = weight[c];
        at->normal[c] = f->normal[c];
        at->x[c] =
            weight[0] * f->corner[0][c] + weight[1] * f->corner[1][c] + weight[2] * f->corner[2][c];
    }
    at->distance = pal_shell_tool_distance(tool, at->x, at->gradient);
}

// How far to go for a gradient along the surface of 1.
static double first_step(const pal_shell_tool *tool, const place *at) {
    const double feature = tool->shape->feature, least = least_step * feature;
    return at->distance + feature > least ? at->distance + feature : least;
}

// The same from two places.
static double next_step(const pal_shell_tool *tool, const place *from, const place *at,
                        double longest, double step) {
    if (tool->shape->kind == PAL_SHAPE_SPHERE || tool->shape->kind == PAL_SHAPE_CAPSULE) {
        return first_step(tool, at);
    }
    double dx[3], dg[3];
    pal_sub3(at->x, from->x, dx);
    pal_sub3(at->gradient, from->gradient, dg);
    const double along = pal_dot3(dx, dg), length2 = pal_dot3(dx, dx);
    const double least = least_step * tool->shape->feature;
    if (length2 == 0.0) {
        return step;
    }
    const double found = length2 < longest * along ? length2 / along : longest;
    return found > least ? found : least;
}

// Where the deepest place would be in the plane of the triangle, as a place of the tangent plane.
static void aim(facet *f, const place *at, double step, double u[2]) {
    const double a = -step * pal_dot3(at->gradient, f->edge[0]);
    const double b = -step * pal_dot3(at->gradient, f->edge[1]);
    const double det = f->gram[0] * f->gram[2] - f->gram[1] * f->gram[1];
    double move[2] = {(f->gram[2] * a - f->gram[1] * b) / det,
                      (f->gram[0] * b - f->gram[1] * a) / det};
    if (!isfinite(move[0] + move[1])) { // a triangle without area
        move[0] = move[1] = 0.0;
    }
    const double w[3] = {at->weight[0] - move[0] - move[1], at->weight[1] + move[0],
                         at->weight[2] + move[1]};
    unweigh(f->flat, w, u);
}

// From the place at hand down to the deepest one, triangle by triangle. *best is the deepest seen.
static void descend(pal_shell_tool *tool, const pal_shell_point *point, const pal_shell_cell *cell,
                    double spacing, const place *start, facet *f, place *best) {
    place at = *best;
    const double step_end = still * spacing, longest = far_step * (spacing + tool->shape->feature);
    double step = next_step(tool, start, &at, longest, first_step(tool, &at));
    const int passes = tool->shape->kind == PAL_SHAPE_SPHERE ? FLAT_PASSES : PASSES;
    for (int pass = 0; pass < passes; pass++) {
        double u[2], here[2], weight[3];
        aim(f, &at, step, u);
        clamp_to_cell(cell, u);
        unweigh(f->flat, at.weight, here);
        const double dx = u[0] - here[0], dy = u[1] - here[1];
        if (!(dx * dx + dy * dy > step_end * step_end)) {
            break;
        }
        weigh(f->flat, u, weight);
        const int k = first_edge(at.weight, weight);
        if (k >= 0) {
            stop_at_edge(cell, f->flat, k, u, weight);
            facet next;
            const int32_t beside = tool->shell->beside[3 * (int64_t)f->triangle + k];
            if (goes_on(tool, point, beside, next.flat)) {
                double carried[3];
                carry_over(tool, f->triangle, k, weight, beside, carried);
                load_facet(tool, beside, &next);
                *f = next;
                memcpy(weight, carried, sizeof carried);
            } else if (at.weight[k] == 0.0 && pass > 0) {
                break;
            }
        }
        const place last = at;
        look(tool, f, weight, &at);
        step = next_step(tool, &last, &at, longest, step);
        if (at.distance < best->distance) {
            *best = at;
        }
    }
}

// ---- Normals ------------------------------------------------------------------------------------

// Adds the deformed area vectors of the triangles about a vertex, times its share.
static void add_vertex_normal(pal_shell_tool *tool, int32_t vertex, double share,
                              double normal[3]) {
    const pal_bdtree *tree = tool->shell->tree;
    const int32_t p = tree->joined[vertex];
    double sum[3] = {0.0};
    for (int32_t i = tree->fan_first[p]; i < tree->fan_first[p + 1]; i++) {
        double corner[3][3], e1[3], e2[3], n[3];
        pal_places_triangle(&tool->places, tree->fan[i], corner);
        pal_sub3(corner[1], corner[0], e1);
        pal_sub3(corner[2], corner[0], e2);
        pal_cross3(e1, e2, n);
        for (int c = 0; c < 3; c++) {
            sum[c] += n[c];
        }
    }
    const double length = pal_norm3(sum);
    for (int c = 0; c < 3 && length > 0.0; c++) {
        normal[c] += share / length * sum[c];
    }
}

// Into the tool: against the gradient of an analytic shape; of a field, whose gradient is only as
// good as its cells, the surface's own normal, continuous over its triangles [BJ08]. Flat ones, of
// the triangle, are neither: they are there to show what that does.
static void touch_normal(pal_shell_tool *tool, const place *at, double normal[3]) {
    const bool flat = tool->flat && pal_dot3(at->normal, at->normal) > 0.0;
    for (int c = 0; c < 3; c++) {
        normal[c] = flat ? at->normal[c] : -at->gradient[c];
    }
    if (flat || tool->shape->kind != PAL_SHAPE_FIELD) {
        return;
    }
    double own[3] = {0.0};
    const int32_t *corner = tool->places.body->triangle + 3 * (int64_t)at->triangle;
    for (int k = 0; k < 3; k++) {
        if (at->weight[k] > 0.0) {
            add_vertex_normal(tool, corner[k], at->weight[k], own);
        }
    }
    const double length = pal_norm3(own);
    for (int c = 0; c < 3 && length > 0.0; c++) {
        normal[c] = own[c] / length;
    }
}

// From the point of the cell to where the tool is deepest in it. A dented cell has more than one
// hollow: a first step that leads out of one is not made, and before a touch is lost the hollow
// that bore it is looked at again.
static void go_deepest(pal_shell_tool *tool, const pal_shell_point *point,
                       const pal_shell_cell *cell, double spacing, const pal_touch *last,
                       const facet *own, place *best) {
    const bool dented = tool->uneven > 0.0;
    const place start = *best;
    facet f = *own;
    double u[2], weight[3];
    int32_t triangle = f.triangle;
    aim(&f, best, first_step(tool, best), u);
    clamp_to_cell(cell, u);
    walk(tool, point, cell, u, &triangle, f.flat, weight);
    if (triangle != f.triangle) {
        load_facet(tool, triangle, &f);
    }
    look(tool, &f, weight, best);
    if (dented && best->distance > start.distance) {
        f = *own;
        *best = start;
    }
    descend(tool, point, cell, spacing, &start, &f, best);
    if (dented && last != NULL && best->distance > 0.0) {
        place then;
        load_facet(tool, last->deepest, &f);
        look(tool, &f, last->deepest_weight, &then);
        if (then.distance < best->distance) {
            flatten(tool, point, last->deepest, f.flat);
            *best = then;
            descend(tool, point, cell, spacing, &then, &f, best);
        }
    }
}

// No place of a cell is nearer to the tool than this. Where d is convex,
//
//     d(y) >= d(x) + g.(y - x),
//
// and y is somewhere between the corners of the triangles over the cell: of a dented body, all of
// these are looked at.
static double least_at_corners(pal_shell_tool *tool, const pal_shell_over *over, const place *at) {
    double least = 0.0;
    for (int32_t k = 0; k < over->count; k++) {
        double apart[3];
        pal_sub3(pal_places_point(&tool->places, over->point[k]), at->x, apart);
        const double along = pal_dot3(at->gradient, apart);
        least = along < least ? along : least;
    }
    return at->distance + least;
}

// The same without a dent, and sooner found:
//
//     y - x = (what the triangle of x does with u) + h n + D q,
//
// with y at (u, h) over the tangent plane at rest, n its normal, and |D q| <= sum bend_l |q_l|: the
// first two are least at a place of the cell's hull. -infinity where nothing is known of it.
static double least_distance(pal_shell_tool *tool, const pal_shell_point *point, int32_t index,
                             const facet *f, const place *at) {
    const pal_shell_hull *hull = tool->shell->hull + index;
    const pal_shell_over *corners = tool->shell->over != NULL ? tool->shell->over + index : NULL;
    if (tool->shape->kind == PAL_SHAPE_FIELD || !isfinite(hull->beyond)) {
        return -INFINITY;
    }
    if (tool->uneven > 0.0 && corners != NULL && corners->count > 0) {
        return least_at_corners(tool, corners, at);
    }
    const double e1[2] = {f->flat[1][0] - f->flat[0][0], f->flat[1][1] - f->flat[0][1]};
    const double e2[2] = {f->flat[2][0] - f->flat[0][0], f->flat[2][1] - f->flat[0][1]};
    const double g1 = pal_dot3(at->gradient, f->edge[0]), g2 = pal_dot3(at->gradient, f->edge[1]);
    const double over = 1.0 / (e1[0] * e2[1] - e1[1] * e2[0]);
    const float a1 = (float)((g1 * e2[1] - g2 * e1[1]) * over);
    const float a2 = (float)((g2 * e1[0] - g1 * e2[0]) * over);
    const float across = (float)pal_dot3(point->axis[2], at->gradient);
    float part[PAL_SHELL_HULL], low = 0.0f;
    for (int k = 0; k < PAL_SHELL_HULL; k++) {
        part[k] = a1 * hull->place[0][k] + a2 * hull->place[1][k] + across * hull->place[2][k];
    }
    for (int k = 0; k < PAL_SHELL_HULL; k++) {
        low = part[k] < low ? part[k] : low;
    }
    const float *bend = tool->shell->bend + (int64_t)index * tool->shell->stride;
    pal_lanes_sum bent = {0.0f};
    for (int32_t l = 0; l < tool->shell->stride; l += PAL_LANES) {
        bent += pal_lanes_at(bend + l) * pal_lanes_at(tool->at.size + l);
    }
    return at->distance + (double)low - (double)hull->beyond - (double)pal_lanes_total(bent) -
           tool->uneven;
}

double pal_shell_point_distance(pal_shell_tool *tool, int32_t id) {
    const pal_shell_point *point = tool->shell->point + id;
    double corner[3][3], x[3], gradient[3];
    pal_places_triangle(&tool->places, point->triangle, corner);
    for (int c = 0; c < 3; c++) {
        x[c] = point->weight[0] * corner[0][c] + point->weight[1] * corner[1][c] +
               point->weight[2] * corner[2][c];
    }
    return pal_shell_tool_distance(tool, x, gradient);
}

// What the cell of a point has to do with the tool, as seen from the point's own place.
static pal_shell_moved judge(pal_shell_tool *tool, int32_t index, double margin,
                             const pal_shell_point *point, const facet *f, const place *at) {
    const double beyond = at->distance - (double)tool->shell->reach[index];
    pal_shell_moved how = {.near = !(beyond > margin), .gap = beyond};
    if (!how.near) {
        return how;
    }
    // where the point itself is within the margin, no more need be known
    how.gap = at->distance > margin ? least_distance(tool, point, index, f, at) : -INFINITY;
    how.touches = !(how.gap > margin) && !(pal_dot3(f->normal, at->gradient) > far_at_once);
    return how;
}

// What the tool touches at a place; false when that is on the far side.
static bool touch_at(pal_shell_tool *tool, int32_t id, double area, bool spread, const place *at,
                     const place *deepest, pal_touch *touch) {
    if (pal_dot3(at->normal, at->gradient) > far_side) {
        return false;
    }
    *touch = (pal_touch){.id = id,
                         .triangle = at->triangle,
                         .gap = at->distance,
                         .area = area,
                         .spread = spread,
                         .deepest = deepest->triangle};
    memcpy(touch->deepest_weight, deepest->weight, sizeof touch->deepest_weight);
    memcpy(touch->weight, at->weight, sizeof touch->weight);
    memcpy(touch->x, at->x, sizeof touch->x);
    touch_normal(tool, at, touch->normal);
    return true;
}

bool pal_shell_move_from(pal_shell_tool *tool, int32_t level, int32_t id, const pal_touch *from,
                         pal_touch *touch) {
    const pal_shell *shell = tool->shell;
    const pal_shell_point *point = shell->point + id;
    const pal_shell_cell *cell = shell->cell + shell->first[level] + id;
    facet f;
    place best;
    load_facet(tool, from->triangle, &f);
    look(tool, &f, from->weight, &best);
    if (goes_on(tool, point, from->triangle, f.flat)) {
        const place start = best;
        descend(tool, point, cell, shell->spacing[level], &start, &f, &best);
    }
    return touch_at(tool, id, (double)cell->area, false, &best, &best, touch);
}

// The touch of a point in the last answer, NULL: none.
static const pal_touch *last_touch(const pal_shell_tool *tool, int32_t level, int32_t id) {
    const pal_touch_set *last = tool->last;
    if (last == NULL || last->level != level) {
        return NULL;
    }
    int32_t low = 0, high = last->count; // in the order of their ids
    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if (last->item[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < last->count && last->item[low].id == id ? &last->item[low] : NULL;
}

// Where a dent can be made, the surface under a force gives way to it, and the deepest place of the
// cell is then another one: a force that went there at once would be gone from where it was, and
// the two would take turns. The force follows slowly; the gap is that of the deepest place, so that
// in the end no place of the cell is in the tool.
static void follow(pal_shell_tool *tool, const pal_shell_point *point, const pal_shell_cell *cell,
                   const pal_touch *last, const place *best, place *at) {
    facet f;
    double from[2], to[2], u[2], weight[3];
    int32_t triangle = last->triangle;
    flatten(tool, point, best->triangle, f.flat);
    unweigh(f.flat, best->weight, to);
    flatten(tool, point, triangle, f.flat);
    unweigh(f.flat, last->weight, from);
    for (int c = 0; c < 2; c++) {
        u[c] = from[c] + follow_share * (to[c] - from[c]);
    }
    walk(tool, point, cell, u, &triangle, f.flat, weight);
    load_facet(tool, triangle, &f);
    look(tool, &f, weight, at);
}

// How much of the deepest place counts where a touch presses with its whole cell (shell.h). The
// wall of a deep dent is stretched to several times its area: there the surface between the points
// is no more nearly as far from the tool as they are.
static double share_of_deepest(const pal_shell_tool *tool, uint8_t spreads, const facet *f) {
    static const double from = 1.5, to = 3.0; // times the area at rest
    const double e1[2] = {f->flat[1][0] - f->flat[0][0], f->flat[1][1] - f->flat[0][1]};
    const double e2[2] = {f->flat[2][0] - f->flat[0][0], f->flat[2][1] - f->flat[0][1]};
    const double rest = fabs(e1[0] * e2[1] - e1[1] * e2[0]);
    const double now = sqrt(fmax(0.0, f->gram[0] * f->gram[2] - f->gram[1] * f->gram[1]));
    const double by_size =
        (double)(spreads - PAL_SHELL_POINT) / (double)(UINT8_MAX - PAL_SHELL_POINT);
    return !tool->stretches
               ? by_size
               : fmax(by_size, fmin(fmax((now / rest - from) / (to - from), 0.0), 1.0));
}

void pal_shell_move(pal_shell_tool *tool, int32_t level, int32_t id, double margin,
                    pal_touch *touch, pal_shell_moved *how) {
    const pal_shell *shell = tool->shell;
    const pal_shell_point *point = shell->point + id;
    const int32_t index = shell->first[level] + id;
    facet f;
    place best;
    load_facet(tool, point->triangle, &f);
    flatten(tool, point, f.triangle, f.flat);
    look(tool, &f, point->weight, &best);
    *how = judge(tool, index, margin, point, &f, &best);
    if (!how->touches) {
        return;
    }
    const bool dents =
        tool->spreads != NULL && shell->spacing[level] <= spread_share * tool->shape->feature;
    const uint8_t spreads = dents ? tool->spreads[index] : 0;
    const double share = spreads != 0 ? share_of_deepest(tool, spreads, &f) : 1.0;
    const place own = best;
    const pal_touch *last =
        share > 0.0 && (dents || tool->uneven > 0.0) ? last_touch(tool, level, id) : NULL;
    if (share > 0.0) {
        go_deepest(tool, point, shell->cell + index, shell->spacing[level], last, &f, &best);
    }
    place at = best;
    if (spreads != 0) { // at its point; how far the deepest place counts stands in shell.h
        at = own;
        best.distance = own.distance + share * (best.distance - own.distance);
    }
    how->gap = best.distance;
    how->touches = !(best.distance > margin);
    if (!how->touches) {
        return;
    }
    if (last != NULL && dents && spreads == 0) {
        follow(tool, point, shell->cell + index, last, &best, &at);
    }
    // What it pushes back with is of the deepest place: a push from a place that lags behind a
    // sliding tool would drive it on
    at.distance = best.distance;
    memcpy(at.gradient, best.gradient, sizeof at.gradient);
    memcpy(at.normal, best.normal, sizeof at.normal);
    const double area = (double)shell->cell[index].area;
    how->touches = touch_at(tool, id, area, spreads != 0, &at, &best, touch) ||
                   touch_at(tool, id, area, spreads != 0, &best, &best, touch);
}
