// Level by level down the tree, keeping the nodes that may hold a touch; then, from the deepest
// level that could be looked at whole, the touches, up to the first level that has few enough.
//
// A tool that rests on the surface asks the same every tick. A search therefore looks a little
// farther than it must, and what it finds is remembered with the gaps at least: distances change by
// no more than tool and surface move,
//
//     |d(y', tool') - d(y, tool)| <= |shift| + angle * reach of the tool     (tool)
//                                  + sum_l |q_l' - q_l| max |U_l|            (surface)
//                                  + what the dent has changed,
//
// so that until all of this has closed a gap, its point cannot touch and is left alone.
#include "sim/contact/shell.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "sim/base/vec3.h"
#include "sim/contact/lanes.h"
#include "sim/contact/shell_memory.h"
#include "sim/contact/shell_move.h"

// What a level may leave for the next one, and the points near the tool (several times as many as
// there may be touches: some look away, some are just too far) that may be moved in their cells.
enum { ALIVE = 4096, NEAR = PAL_SHELL_NEAR, MOVES = NEAR / 2, TOGETHER = 16 };

// How much farther than it must a search looks that is to be remembered, as a share of the spacing;
// and how many queries go without when that was too much.
static const double skin_share = 0.5;
enum { PAUSE = 32 };

// Of the margin: where there are dents, touches with a larger gap may be left out.
static const double spare_share = 0.25;

typedef struct sight { // a point whose place was computed
    int32_t point;
    float distance; // m, dents left out
    float dented;   // m, with them; NaN: not looked at yet
} sight;

typedef struct search {
    const pal_shell *shell;
    const pal_shell_query *query;
    pal_shell_tool *tool;
    double margin; // m, how near is near
    double dent;   // m, how far a dent may have moved a point
    double slack;  // m, of the shape
    int32_t looked;
    int32_t alive_count, near_count[PAL_SHELL_LEVELS];
    int32_t near[PAL_SHELL_LEVELS][NEAR];
    float low[PAL_SHELL_LEVELS][NEAR]; // m, the gap of each near point is no smaller
    double gap[NEAR]; // m, at least, of the near points of the level whose touches are gathered
    sight alive[2][ALIVE]; // of this level and of the next
} search;

// ---- Bounds that follow q -----------------------------------------------------------------------

static void point_place(const pal_shell *shell, const pal_lanes *at, int32_t point, double x[3]) {
    const int32_t stride = shell->stride;
    const float *row = shell->motion + 3 * (int64_t)point * stride;
    pal_lanes_sum sum[3] = {{0.0f}};
    for (int32_t l = 0; l < stride; l += PAL_LANES) {
        const pal_lanes_sum q = pal_lanes_at(at->q + l);
        sum[0] += pal_lanes_at(row + l) * q;
        sum[1] += pal_lanes_at(row + stride + l) * q;
        sum[2] += pal_lanes_at(row + 2 * stride + l) * q;
    }
    for (int c = 0; c < 3; c++) {
        x[c] = shell->rest[3 * (int64_t)point + c] + (double)pal_lanes_total(sum[c]);
    }
}

// The places of up to eight points that follow one another, summed up as above.
static void places_together(const pal_shell *shell, const pal_lanes *at, int32_t first,
                            int32_t count, double (*x)[3]) {
    const int32_t stride = shell->stride;
    for (int c = 0; c < 3; c++) {
        pal_lanes_sum sum[PAL_LANES] = {{0.0f}};
        for (int32_t k = 0; k < count; k++) {
            const float *row = shell->motion + (3 * (int64_t)(first + k) + c) * stride;
            for (int32_t l = 0; l < stride; l += PAL_LANES) {
                sum[k] += pal_lanes_at(row + l) * pal_lanes_at(at->q + l);
            }
        }
        const pal_lanes_sum total = pal_lanes_totals(sum);
        for (int32_t k = 0; k < count; k++) {
            x[k][c] = shell->rest[3 * (int64_t)(first + k) + c] + (double)total[k];
        }
    }
}

static double node_radius(const pal_shell *shell, const pal_lanes *at, int32_t node) {
    const float *row = shell->growth + (int64_t)node * shell->stride;
    pal_lanes_sum sum = {0.0f};
    for (int32_t l = 0; l < shell->stride; l += PAL_LANES) {
        sum += pal_lanes_at(row + l) * pal_lanes_at(at->size + l);
    }
    return shell->node[node].radius + (double)pal_lanes_total(sum);
}

void pal_shell_place(const pal_shell *shell, const double *q, int32_t point, double x[3]) {
    pal_lanes at;
    pal_lanes_load(&at, q, shell->size);
    point_place(shell, &at, point, x);
}

double pal_shell_radius(const pal_shell *shell, const double *q, int32_t level, int32_t point) {
    pal_lanes at;
    pal_lanes_load(&at, q, shell->size);
    return level < shell->level_count - 1 ? node_radius(shell, &at, shell->first[level] + point)
                                          : (double)shell->reach[shell->first[level] + point];
}

// ---- Down the tree ------------------------------------------------------------------------------

// How far the tool is from a place, about: of a field, by the nearest sample.
static double distance_about(const search *s, const double x[3]) {
    const pal_shape *shape = s->query->shape;
    double local[3];
    if (shape->kind == PAL_SHAPE_SPHERE) {
        pal_sub3(x, s->tool->x, local);
        return pal_norm3(local) - shape->radius;
    }
    pal_shell_tool_frame(s->tool, x, local);
    return pal_shape_about(shape, local);
}

// The same of `count` <= TOGETHER points that follow one another, and their places.
static void look(const search *s, int32_t first, int32_t count, double x[TOGETHER][3],
                 double distance[TOGETHER]) {
    for (int32_t k = 0; k < count; k += PAL_LANES) {
        const int32_t n = count - k < PAL_LANES ? count - k : PAL_LANES;
        places_together(s->shell, &s->tool->at, first + k, n, x + k);
    }
    const pal_shape *shape = s->query->shape;
    for (int32_t k = 0; k < count; k++) {
        double apart[3];
        pal_sub3(x[k], s->tool->x, apart);
        distance[k] = shape->kind == PAL_SHAPE_SPHERE ? pal_dot3(apart, apart) : 0.0;
    }
    for (int32_t k = 0; k < count; k++) { // all at once, or one by one
        distance[k] = sqrt(distance[k]) - shape->radius;
    }
    for (int32_t k = 0; k < count && shape->kind != PAL_SHAPE_SPHERE; k++) {
        distance[k] = distance_about(s, x[k]);
    }
}

// Whether a node may hold a touch. Most are far or near enough to tell without the sum over q:
// sum |q_l| drad_l <= |q| |drad|.
static bool may_hold(const search *s, int32_t index, double distance) {
    const pal_shell_node *node = s->shell->node + index;
    const double near = s->margin + s->dent + s->slack, beyond = distance - node->radius - near;
    return !(beyond > 0.0) || (!(beyond > s->tool->length * node->spread) &&
                               !(distance > node_radius(s->shell, &s->tool->at, index) + near));
}

// The distance of a point, dents included; x: its place without them, NULL: not at hand.
static double dented_distance(search *s, int32_t point, const double *x) {
    const pal_shell_carrier *carrier = s->shell->carrier != NULL ? s->shell->carrier + point : NULL;
    if (carrier == NULL || carrier->count == 0) {
        return pal_shell_point_distance(s->tool, point);
    }
    const double *dent = s->tool->places.body->dent;
    double dented[3], gradient[3];
    if (x != NULL) {
        memcpy(dented, x, sizeof dented);
    } else {
        point_place(s->shell, &s->tool->at, point, dented);
    }
    for (int32_t k = 0; k < carrier->count; k++) {
        const double *u = dent + 3 * (int64_t)carrier->vertex[k],
                     share = (double)carrier->weight[k];
        for (int c = 0; c < 3; c++) {
            dented[c] += share * u[c];
        }
    }
    return s->query->shape->kind == PAL_SHAPE_SPHERE
               ? distance_about(s, dented)
               : pal_shell_tool_distance(s->tool, dented, gradient);
}

// Whether a point is near, whose distance is known, perhaps but for the dent; then its gap is at
// least *low.
static bool is_near(search *s, int32_t index, sight *seen, double distance, const double *x,
                    float *low) {
    const double reach = (double)s->shell->reach[index];
    // what single precision may have added
    const double near = (s->margin + reach) * (1.0 + 1e-6) + 1e-9;
    if (distance > near + s->dent + s->slack) {
        return false;
    }
    double least = distance - s->slack;
    if (s->dent > 0.0) {
        least = isnan(seen->dented) ? dented_distance(s, seen->point, x) : (double)seen->dented;
        seen->dented = (float)least;
    }
    *low = (float)(least - 1e-6 * fabs(least) - 2e-9 - reach);
    return !(least > near);
}

// Notes a point that was looked at in a level: as near, and for the levels below. False when there
// is no room. x: where it is without its dent, NULL: not at hand.
static bool note(search *s, int32_t level, sight seen, double distance, const double *x,
                 sight *alive, int32_t *alive_count) {
    const pal_shell *shell = s->shell;
    const int32_t point = seen.point, index = shell->first[level] + point;
    float low;
    if (is_near(s, index, &seen, distance, x, &low)) {
        if (s->near_count[level] == NEAR) {
            return false;
        }
        s->low[level][s->near_count[level]] = low;
        s->near[level][s->near_count[level]++] = point;
    }
    if (level < shell->level_count - 1 && may_hold(s, index, distance)) {
        if (*alive_count == ALIVE) {
            return false;
        }
        alive[*alive_count] = seen;
        alive[(*alive_count)++].distance = (float)distance;
    }
    return true;
}

// The points of the next level below those that are alive. False when that cannot be afforded.
static bool go_down(search *s, int32_t level) {
    const pal_shell *shell = s->shell;
    const sight *from = s->alive[level & 1];
    sight *to = s->alive[(level + 1) & 1];
    int64_t wanted = s->looked;
    int32_t count = 0;
    for (int32_t i = 0; i < s->alive_count; i++) {
        wanted += shell->node[shell->first[level] + from[i].point].child_count;
    }
    if (wanted > s->query->look_budget) {
        return false;
    }
    s->looked = (int32_t)wanted;
    s->near_count[level + 1] = 0;
    for (int32_t i = 0; i < s->alive_count; i++) {
        const pal_shell_node *node = shell->node + shell->first[level] + from[i].point;
        // single precision: the distance may have been rounded up
        const double known = (double)from[i].distance - 1e-7 * fabs((double)from[i].distance);
        bool room = note(s, level + 1, from[i], known, NULL, to, &count);
        // some at a time, so that the processor need not wait for what becomes of each
        for (int32_t k = 0; room && k < node->child_count; k += TOGETHER) {
            const int32_t rest = node->child_count - k, n = rest < TOGETHER ? rest : TOGETHER;
            double x[TOGETHER][3], distance[TOGETHER];
            look(s, node->child_first + k, n, x, distance);
            for (int32_t m = 0; room && m < n; m++) {
                const sight seen = {.point = node->child_first + k + m, .dented = NAN};
                room = note(s, level + 1, seen, distance[m], x[m], to, &count);
            }
        }
        if (!room) {
            return false;
        }
    }
    s->alive_count = count;
    return true;
}

// Looks at whole levels; returns the deepest. *outcome tells what ended it.
static int32_t look_down(search *s, pal_outcome *outcome) {
    const pal_shell *shell = s->shell;
    int32_t roots = shell->count[0], level = 0;
    if (roots > s->query->look_budget || roots > NEAR) {
        *outcome |= PAL_OUT_BUDGET;
        roots = s->query->look_budget < NEAR ? s->query->look_budget : NEAR;
    }
    s->looked = roots;
    for (int32_t i = 0; i < roots; i++) {
        const sight seen = {.point = i, .dented = NAN};
        double x[TOGETHER][3], distance[TOGETHER];
        look(s, i, 1, x, distance);
        if (!isfinite(distance[0])) {
            *outcome = PAL_OUT_NAN;
            return 0;
        }
        note(s, 0, seen, distance[0], x[0], s->alive[0], &s->alive_count);
    }
    while (*outcome == 0 && level + 1 < shell->level_count) {
        if (!go_down(s, level)) {
            *outcome |= PAL_OUT_BUDGET;
            break;
        }
        level++;
    }
    return level;
}

// ---- Touches ------------------------------------------------------------------------------------

// Puts a touch into the set, in the order of ids.
static void insert(pal_touch_set *set, const pal_touch *touch) {
    int32_t i = set->count++;
    for (; i > 0 && set->item[i - 1].id > touch->id; i--) {
        set->item[i] = set->item[i - 1];
    }
    set->item[i] = *touch;
}

// The set is full: the shallowest of it and the new one goes. Returns its gap.
static double replace_shallowest(pal_touch_set *set, const pal_touch *touch) {
    int32_t shallow = 0;
    for (int32_t i = 1; i < set->count; i++) {
        shallow = set->item[i].gap > set->item[shallow].gap ? i : shallow;
    }
    const double gone = set->count > 0 ? fmax(touch->gap, set->item[shallow].gap) : touch->gap;
    if (set->count > 0 && touch->gap < set->item[shallow].gap) {
        set->count--;
        memmove(set->item + shallow, set->item + shallow + 1,
                (size_t)(set->count - shallow) * sizeof *set->item);
        insert(set, touch);
    }
    return gone;
}

// The point of a level that holds a point.
static int32_t holder(const pal_shell *shell, int32_t level, int32_t point) {
    while (point >= shell->count[level]) {
        point = shell->point[point].parent;
    }
    return point;
}

// Where the tool touched the last time, in the cell of a point. In a cell wider than the tool a
// dent is easily missed from the cell's middle.
static void look_again(pal_shell_tool *tool, const pal_shell_query *query, int32_t level,
                       int32_t point, pal_touch *touch, pal_shell_moved *how) {
    const pal_touch_set *last = query->last;
    for (int32_t i = 0; last != NULL && i < last->count; i++) {
        pal_touch other;
        if (holder(tool->shell, level, last->item[i].id) == point &&
            pal_shell_move_from(tool, level, point, &last->item[i], &other) &&
            other.gap <= query->margin && !(how->touches && touch->gap <= other.gap)) {
            *touch = other;
            how->touches = true;
            how->gap = fmin(how->gap, other.gap);
        }
    }
}

// The touches among near points of a level: all those whose gap may be within the margin by now;
// false when there are more than `most` of them, of which the deepest are kept when that is wanted,
// or when the others are only beside a dent.
// gap [count]: at least, plus `moved` up to when it was seen; kept up to date.
static bool gather(pal_shell_tool *tool, const pal_shell_query *query, int32_t level, int32_t count,
                   const int32_t *point, double *gap, double moved, int32_t most, bool keep,
                   pal_touch_set *set) {
    const bool wide = tool->shell->spacing[level] > query->shape->feature;
    bool all = true;
    const double spare = query->spreads != NULL ? spare_share * query->margin : INFINITY;
    int32_t moves = 0;
    set->count = 0;
    set->level = level;
    for (int32_t i = 0; i < count; i++) {
        pal_touch touch;
        pal_shell_moved how;
        if (gap[i] - moved > query->margin) {
            continue;
        }
        pal_shell_move(tool, level, point[i], query->margin, &touch, &how);
        if (wide) {
            look_again(tool, query, level, point[i], &touch, &how);
        }
        gap[i] = how.gap + moved;
        if (how.near && moves++ == MOVES) {
            return false;
        }
        if (!how.touches) {
            continue;
        }
        if (set->count < most) {
            insert(set, &touch);
        } else {
            const bool far = replace_shallowest(set, &touch) > spare;
            all = all && far;
            if (!far && !keep) {
                return false;
            }
        }
    }
    return all;
}

static bool gather_anew(search *s, int32_t level, double moved, int32_t most, bool keep,
                        pal_touch_set *set) {
    for (int32_t i = 0; i < s->near_count[level]; i++) {
        s->gap[i] = (double)s->low[level][i] + moved;
    }
    return gather(s->tool, s->query, level, s->near_count[level], s->near[level], s->gap, moved,
                  most, keep, set);
}

// Looks from the top; the near points of set->level are then in near and gap.
static pal_outcome search_anew(search *s, double skin, double moved, pal_touch_set *set) {
    const pal_shell_query *query = s->query;
    pal_outcome outcome = 0;
    s->margin = query->margin + query->beyond + skin;
    s->looked = s->alive_count = s->near_count[0] = 0;
    int32_t level = look_down(s, &outcome);
    set->looked += s->looked;
    set->count = set->level = 0;
    if (outcome == PAL_OUT_NAN) {
        return outcome;
    }
    const int32_t most = query->most < PAL_MAX_TOUCHES ? query->most : PAL_MAX_TOUCHES;
    int32_t full = -1; // the last level that had too many
    for (; level >= 0; level--) {
        const bool deeper = query->settled > 0 && level >= query->settled;
        if (gather_anew(s, level, moved, deeper ? most - most / 4 : most, level == 0, set)) {
            break;
        }
        full = level;
        outcome |= PAL_OUT_BUDGET;
    }
    if (set->count == 0 && full > 0) {
        gather_anew(s, full, moved, most, true, set);
    }
    return outcome;
}

// ---- What is remembered -------------------------------------------------------------------------

static bool recall(pal_shell_memory *m, pal_shell_tool *tool, const pal_shell_query *query,
                   pal_touch_set *set) {
    if (!m->valid || !(query->margin + query->beyond + m->moved <= m->holds) ||
        m->count > query->look_budget) {
        return false;
    }
    set->looked = m->count;
    const int32_t most = query->most < PAL_MAX_TOUCHES ? query->most : PAL_MAX_TOUCHES;
    return gather(tool, query, m->level, m->count, m->point, m->gap, m->moved_near, most,
                  m->level == 0, set);
}

// From the point that is nearest to the tool: how far the cells of the others may move beside it.
// Not where places about a cell are looked at again.
static void find_centre(pal_shell_memory *m, const search *s) {
    const pal_shell *shell = s->shell;
    const int32_t stride = shell->stride;
    int32_t least = 0;
    m->centre = -1;
    if (m->count == 0 || shell->spacing[m->level] > s->query->shape->feature) {
        return;
    }
    for (int32_t i = 0; i < m->count; i++) {
        if (!isfinite(shell->hull[shell->first[m->level] + m->point[i]].beyond)) {
            return; // not all of this cell was looked at
        }
        least = m->gap[i] < m->gap[least] ? i : least;
    }
    m->centre = m->point[least];
    const float *from = shell->motion + 3 * (int64_t)m->centre * stride;
    float square[PAL_MAX_R + PAL_LANES] = {0.0f}, sway[PAL_MAX_R + PAL_LANES] = {0.0f};
    for (int32_t i = 0; i < m->count; i++) {
        const float *to = shell->motion + 3 * (int64_t)m->point[i] * stride;
        const float *own = shell->sway + ((int64_t)shell->first[m->level] + m->point[i]) * stride;
        for (int32_t l = 0; l < stride; l++) {
            const float x = to[l] - from[l], y = to[stride + l] - from[stride + l],
                        z = to[2 * stride + l] - from[2 * stride + l];
            const float sum = x * x + y * y + z * z;
            square[l] = sum > square[l] ? sum : square[l];
            sway[l] = own[l] > sway[l] ? own[l] : sway[l];
        }
    }
    for (int32_t l = 0; l < stride; l++) {
        m->spread[l] = (sqrtf(square[l]) + sway[l]) * (1.0f + 1e-5f);
    }
}

static void remember(pal_shell_memory *m, const search *s, const pal_touch_set *set,
                     pal_outcome outcome) {
    m->valid = true;
    m->level = set->level;
    m->outcome = outcome;
    m->holds = s->margin + m->moved;
    m->count = s->near_count[set->level];
    memcpy(m->point, s->near[set->level], (size_t)m->count * sizeof *m->point);
    memcpy(m->gap, s->gap, (size_t)m->count * sizeof *m->gap);
    find_centre(m, s);
}

// Looks farther than it must and remembers what it finds; false when that was too much: it would
// have come to a level less deep than the last.
static bool search_and_remember(search *s, pal_shell_memory *m, pal_outcome *outcome,
                                pal_touch_set *set) {
    if (m->pause > 0) {
        m->pause--;
        return false;
    }
    const double skin = skin_share * s->shell->spacing[s->shell->level_count - 1];
    *outcome = search_anew(s, skin, m->moved_near, set);
    if (*outcome == PAL_OUT_NAN) {
        return true;
    }
    if (*outcome != 0 && set->level + 1 < s->query->settled + (s->query->settled == 0)) {
        m->pause = PAUSE;
        return false;
    }
    remember(m, s, set, *outcome);
    return true;
}

static bool sound(const pal_shell_query *query) {
    const pal_pose *pose = &query->pose;
    double sum = query->margin;
    for (int c = 0; c < 3; c++) {
        sum += pose->x[c];
    }
    for (int c = 0; c < 4; c++) {
        sum += pose->turn[c];
    }
    return isfinite(sum);
}

pal_outcome pal_shell_find(const pal_shell *shell, const pal_body *body,
                           const pal_shell_query *query, pal_touch_set *set) {
    set->count = set->level = set->looked = 0;
    if (!sound(query)) {
        return PAL_OUT_NAN;
    }
    const bool dented = body->dent != NULL && *body->dent_bound > 0.0;
    pal_shell_memory *memory = query->memory;
    if (body->dent != NULL && body->dent_travel == NULL) {
        memory = NULL;
    }
    pal_shell_tool tool;
    pal_shell_tool_init(&tool, shell, body, query);
    if (memory != NULL) {
        pal_shell_memory_pass(memory, shell, body, query);
        if (recall(memory, &tool, query, set)) {
            return memory->outcome;
        }
        memory->valid = false;
        set->looked = 0;
    }
    search s; // large: only what is read before it is written is set
    s.shell = shell;
    s.query = query;
    s.tool = &tool;
    s.dent = dented ? *body->dent_bound : 0.0;
    s.slack = pal_shape_slack(query->shape);
    pal_outcome outcome = 0;
    if (memory == NULL || !search_and_remember(&s, memory, &outcome, set)) {
        outcome = search_anew(&s, 0.0, 0.0, set);
    }
    return outcome;
}

int pal_shell_touch(const pal_shell *shell, const pal_body *body, const pal_shell_query *query,
                    int32_t level, int32_t point, pal_touch *touch) {
    pal_shell_tool tool;
    pal_shell_moved how;
    pal_shell_tool_init(&tool, shell, body, query);
    pal_shell_move(&tool, level, point, INFINITY, touch, &how);
    return how.touches;
}
