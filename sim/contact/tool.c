#include "sim/contact/tool.h"

#include <string.h>

#include "sim/contact/domains.h"
#include "sim/contact/tool_back.h"
#include "sim/contact/track.h"

// How far a tool goes in one look, and looks ahead at most, as shares of its smallest radius; what
// it looks ahead at least, m.
static const double stride_share = 0.5, ahead_share = 0.3, ahead_least = 1e-4;
enum { MOST_LOOKS = 8 };

void pal_tool_init(pal_tool *tool, const pal_tool_options *options) {
    *tool = (pal_tool){.options = *options,
                       .goal = PAL_POSE_IDENTITY,
                       .last_goal = PAL_POSE_IDENTITY,
                       .free = PAL_POSE_IDENTITY,
                       .pose = PAL_POSE_IDENTITY,
                       .near = PAL_POSE_IDENTITY};
}

static double settling(double stiffness, double mass, double most) {
    const double damping = 1.4 * sqrt(stiffness * mass);
    return most > 0.0 ? fmin(damping, most) : damping;
}

void pal_tool_make_dynamic(pal_tool_options *options, double mass, double inertia,
                           double max_damping, double max_turn_damping) {
    options->mass = mass;
    options->inertia = inertia;
    options->damping = settling(options->stiffness, mass, max_damping);
    options->turn_damping = settling(options->turn_stiffness, inertia, max_turn_damping);
}

void pal_tool_aim(pal_tool *tool, const pal_pose *goal, bool grasp) {
    tool->last_goal = tool->placed ? tool->goal : *goal;
    tool->goal = *goal;
    tool->grasp = grasp;
    if (!tool->placed) {
        tool->pose = *goal;
        tool->placed = true;
    }
}

void pal_tool_forget(pal_tool *tool) {
    tool->placed = tool->cleared = tool->sliding = tool->held.on = false;
    tool->last.count = tool->set.count = 0;
    tool->memory.valid = false;
    if (tool->options.domains != NULL) {
        pal_domains_forget(tool->options.domains, tool->options.number);
    }
    memset(tool->force, 0, sizeof tool->force);
    memset(tool->torque, 0, sizeof tool->torque);
    memset(tool->jump, 0, sizeof tool->jump);
    memset(&tool->back, 0, sizeof tool->back);
    memset(&tool->given, 0, sizeof tool->given);
    memset(tool->felt, 0, sizeof tool->felt);
    memset(tool->felt_torque, 0, sizeof tool->felt_torque);
    memset(tool->velocity, 0, sizeof tool->velocity);
    memset(tool->spin, 0, sizeof tool->spin);
    memset(tool->led, 0, sizeof tool->led);
    memset(tool->led_turn, 0, sizeof tool->led_turn);
    memset(tool->slip, 0, sizeof tool->slip);
    tool->slipped = tool->stuck = 0.0;
    tool->stiffness = tool->turn_stiffness = tool->depth = tool->lag = 0.0;
}

// A hand that would pull harder than it can is on a leash: the goal stays as near to the tool as
// that force takes it.
static void keep_near(pal_tool *tool) {
    double apart[3];
    pal_sub3(tool->goal.x, tool->pose.x, apart);
    const double length = pal_norm3(apart);
    const double most = tool->options.max_force / tool->options.stiffness;
    for (int c = 0; c < 3 && tool->last.count > 0 && most > 0.0 && length > most; c++) {
        tool->goal.x[c] = tool->pose.x[c] + apart[c] * most / length;
    }
}

static double deepest(const pal_touch_set *set) {
    double gap = INFINITY;
    for (int32_t i = 0; i < set->count; i++) {
        gap = fmin(gap, set->item[i].gap);
    }
    return gap;
}

// Where the tool did not go as far as its force says, the surface has gone ahead of it. It is not
// lost then: without its force the dent would come back as if nothing were there.
static pal_outcome look(pal_tool *tool, const pal_body *body) {
    const double ahead = fmin(tool->lag, tool->options.shape.feature);
    const pal_touch_set last = tool->set;
    tool->margin = tool->reach + ahead;
    const pal_shell_query query = {.shape = &tool->options.shape,
                                   .pose = tool->near,
                                   .margin = tool->margin,
                                   .beyond = tool->beyond,
                                   .look_budget = tool->options.look_budget,
                                   .most = tool->options.most,
                                   .flat = tool->options.flat_normals,
                                   .spreads = tool->options.spreads,
                                   .stretches = tool->options.stretches,
                                   .memory = &tool->memory,
                                   .settled = last.count > 0 ? 1 + last.level : 0,
                                   .last = &last};
    return tool->options.domains != NULL
               ? pal_domains_find(tool->options.domains, tool->options.number, &query, &tool->set)
               : pal_shell_find(tool->options.shell, body, &query, &tool->set);
}

// The nearest point of the body to x within reach, and the normal there.
static void find_nearest(const pal_tool *tool, const pal_body *body, const pal_bdtree *tree,
                         const double x[3], double reach, pal_nearest *nearest, double normal[3]) {
    if (tool->options.domains != NULL) {
        pal_domains_nearest(tool->options.domains, x, reach, nearest, normal);
        return;
    }
    pal_bdtree_nearest(tree, body, x, reach, -1, tree->node_count, nearest);
    if (nearest->triangle >= 0) {
        pal_track_normal(tree, body, nearest, normal);
    }
}

// Whether the tool's middle lies within the body.
static bool is_inside(const pal_tool *tool, const pal_body *body, const pal_bdtree *tree) {
    double turn[3][3], middle[3], normal[3], out[3];
    pal_nearest nearest;
    pal_turn_matrix(tool->near.turn, turn);
    for (int c = 0; c < 3; c++) {
        middle[c] = tool->near.x[c] + pal_dot3(turn[c], tool->options.shape.centre);
    }
    find_nearest(tool, body, tree, middle, INFINITY, &nearest, normal);
    if (nearest.triangle < 0) {
        return false;
    }
    pal_sub3(middle, nearest.point, out);
    return pal_dot3(out, normal) < 0.0;
}

// A tool that begins in the body touches nothing until the hand has taken it out.
static pal_outcome wait_until_clear(pal_tool *tool, const pal_body *body, const pal_bdtree *tree) {
    tool->near = tool->pose = tool->goal;
    pal_outcome outcome = look(tool, body);
    tool->cleared =
        !(deepest(&tool->set) < 0.0) && !(outcome & PAL_OUT_NAN) && !is_inside(tool, body, tree);
    if (!tool->cleared) {
        tool->set.count = 0;
    }
    return outcome;
}

// How far the hand's motion takes a tool that leans on the body: along the surface as far as the
// hand; not into it, for the step itself finds how far it gives way; and out of it only as far as
// the hand is out.
static void stay_on_surface(const pal_tool *tool, double shift[3]) {
    double push[3] = {0.0, 0.0, 0.0}, lag[3];
    for (int32_t k = 0; k < tool->last.count && k < tool->set.count; k++) {
        const double *n = tool->set.item[k].normal;
        const double size = fmax(0.0, pal_dot3(n, tool->last.force[k]));
        for (int c = 0; c < 3; c++) {
            push[c] += size * n[c];
        }
    }
    const double size2 = pal_dot3(push, push);
    if (!(size2 > 0.0)) {
        return;
    }
    pal_sub3(tool->goal.x, tool->pose.x, lag);
    const double along = pal_dot3(shift, push) / size2, out = pal_dot3(lag, push) / size2;
    const double kept = fmax(0.0, fmin(along, out));
    for (int c = 0; c < 3; c++) {
        shift[c] += (kept - along) * push[c];
    }
}

// From where it was, along the hand's motion, in strides short enough that nothing is passed over;
// the first overlap ends the way.
static pal_outcome follow_hand(pal_tool *tool, const pal_body *body, const double shift[3],
                               const double turn[3], int looks) {
    pal_outcome outcome = 0;
    for (int k = 1; k <= looks; k++) {
        double part[3], part_turn[3];
        for (int c = 0; c < 3; c++) {
            part[c] = shift[c] * k / looks;
            part_turn[c] = turn[c] * k / looks;
        }
        tool->near = tool->pose;
        pal_pose_move(&tool->near, part, part_turn);
        outcome |= look(tool, body);
        if (deepest(&tool->set) < 0.0 || outcome & PAL_OUT_NAN) {
            break;
        }
    }
    return outcome;
}

// 0..1: how deep a touch is for its tool. (Levels that change at every tick would leave it with
// nothing but touches that have just come in, and a small tool sinks through those.)
static double depth_share(const pal_tool *tool, const pal_touch *touch) {
    static const double from = 0.15, to = 0.4; // of the tool's feature
    const double deep = -touch->gap / tool->options.shape.feature;
    return fmin(fmax((deep - from) / (to - from), 0.0), 1.0);
}

// When the shell's level changes under a tool, the touches that come in have their area over some
// ticks, the deep ones at once, and those that they share it with give theirs up as slowly: the
// force goes on.
static void fade_in(pal_tool *tool) {
    static const double share = 1.0 / 8.0;
    const bool finer = tool->last.count > 0 && tool->set.level > tool->last.level;
    const bool coarser = tool->last.count > 0 && tool->set.level < tool->last.level;
    for (int32_t i = 0, k = 0; i < tool->set.count && !coarser; i++) {
        pal_touch *touch = &tool->set.item[i];
        const double whole = touch->area;
        while (k < tool->last.count && tool->last.id[k] < touch->id) {
            k++;
        }
        if (k < tool->last.count && tool->last.id[k] == touch->id) {
            const double step = share * fmax(whole, tool->last.area[k]);
            touch->area = fmin(fmax(whole, tool->last.area[k] - step), tool->last.area[k] + step);
        } else if (finer) {
            touch->area *= share;
        }
        touch->area = fmax(touch->area, depth_share(tool, touch) * whole);
    }
}

// Takes hold of the nearest point when the hand asks for it near enough, and lets go when it does
// not ask any more.
static void grasp(pal_tool *tool, const pal_body *body, const pal_bdtree *tree) {
    pal_nearest nearest;
    double turn[3][3], out[3], normal[3];
    if (!tool->grasp || !(tool->options.grasp_stiffness > 0.0) || !tool->cleared) {
        tool->held.on = false;
        return;
    }
    if (tool->held.on) {
        return;
    }
    const double within = 1.5 * tool->options.shape.bound;
    find_nearest(tool, body, tree, tool->near.x, within, &nearest, normal);
    if (nearest.triangle < 0) {
        return;
    }
    tool->held.on = true;
    tool->held.triangle = nearest.triangle;
    memcpy(tool->held.weight, nearest.weight, sizeof tool->held.weight);
    memset(tool->held.force, 0, sizeof tool->held.force);
    pal_turn_matrix(tool->near.turn, turn);
    pal_sub3(nearest.point, tool->near.x, out);
    for (int c = 0; c < 3; c++) {
        tool->held.anchor[c] = turn[0][c] * out[0] + turn[1][c] * out[1] + turn[2][c] * out[2];
    }
}

// ---- the motion of a tool with mass

typedef struct motion { // of one kind: along, or about
    double mass, damping, stiffness;
    double dt;
} motion;

static motion along(const pal_tool *tool, double dt) {
    const pal_tool_options *o = &tool->options;
    return (motion){o->mass, o->damping, o->stiffness, dt};
}

static motion about(const pal_tool *tool, double dt) {
    const pal_tool_options *o = &tool->options;
    return (motion){o->inertia, o->turn_damping, o->turn_stiffness, dt};
}

static double give(const motion *m) {
    return 1.0 / (m->mass / (m->dt * m->dt) + m->damping / m->dt + m->stiffness);
}

// How far it goes in a step of its own: `off` is the way to the goal, `led` what the goal moved.
static void swing(const motion *m, const double velocity[3], const double off[3],
                  const double led[3], double by[3]) {
    for (int c = 0; c < 3; c++) {
        by[c] = give(m) * (m->mass * velocity[c] / m->dt + m->stiffness * off[c] +
                           m->damping * led[c] / m->dt);
    }
}

// What the coupling bears when the way to the goal is left as `off` and the tool has gone `by`.
static void bear(const motion *m, const double off[3], const double led[3], const double by[3],
                 double felt[3]) {
    for (int c = 0; c < 3; c++) {
        felt[c] = -m->stiffness * off[c] + m->damping * (by[c] - led[c]) / m->dt;
    }
}

static void way_between(const pal_pose *from, const pal_pose *to, double shift[3], double turn[3]) {
    pal_sub3(to->x, from->x, shift);
    pal_turn_between(from->turn, to->turn, turn);
}

// Where the tool would go, and by which motion it looks ahead: the hand's, or its own when it has
// mass. A tool that is not free to turn turns as the hand does.
static void find_free_pose(pal_tool *tool, double dt, double shift[3], double turn[3]) {
    static const double smoothing = 3e-3; // s
    double off[3], off_turn[3];
    way_between(&tool->last_goal, &tool->goal, shift, turn);
    for (int c = 0; c < 3; c++) {
        tool->led[c] += dt / (dt + smoothing) * (shift[c] - tool->led[c]);
        tool->led_turn[c] += dt / (dt + smoothing) * (turn[c] - tool->led_turn[c]);
    }
    tool->free = tool->goal;
    if (tool->options.mass > 0.0 && tool->cleared) {
        const motion m = along(tool, dt), r = about(tool, dt);
        way_between(&tool->pose, &tool->goal, off, off_turn);
        swing(&m, tool->velocity, off, tool->led, shift);
        if (r.stiffness > 0.0) {
            swing(&r, tool->spin, off_turn, tool->led_turn, turn);
        } else {
            memcpy(turn, off_turn, sizeof off_turn);
        }
        tool->free = tool->pose;
        pal_pose_move(&tool->free, shift, turn);
    }
}

// What became of its motion in the step from `before`.
static void settle_motion(pal_tool *tool, const pal_pose *before, double dt) {
    const motion m = along(tool, dt), r = about(tool, dt);
    double by[3], by_turn[3], off[3], off_turn[3];
    way_between(before, &tool->pose, by, by_turn);
    way_between(&tool->pose, &tool->goal, off, off_turn);
    for (int c = 0; c < 3; c++) {
        tool->velocity[c] = tool->cleared ? by[c] / dt : 0.0;
        tool->spin[c] = tool->cleared ? by_turn[c] / dt : 0.0;
    }
    if (tool->cleared) {
        bear(&m, off, tool->led, by, tool->felt);
    }
    if (tool->cleared && r.stiffness > 0.0) {
        bear(&r, off_turn, tool->led_turn, by_turn, tool->felt_torque);
    }
}

// What the coupling must give way by, beside a body of this stiffness (0: none is touched).
static double make_up(const pal_tool_options *o, const motion *m, double body) {
    const double needed = m->stiffness > 0.0 ? 1.0 / m->stiffness : 0.0;
    return !(needed > 0.0)     ? 0.0
           : o->mass > 0.0     ? give(m)
           : o->fixed_coupling ? needed
                               : fmax(0.0, needed - (body > 0.0 ? 1.0 / body : 0.0));
}

// Not at once when what is touched changes under a tool that leans on it, for that would be felt.
void pal_tool_couple(pal_tool *tool, double dt) {
    static const double time = 20e-3; // s
    const bool at_once = tool->options.mass > 0.0 || !(pal_norm3(tool->force) > 0.0);
    const double share = at_once ? 1.0 : dt / (dt + time);
    const motion m = along(tool, dt), r = about(tool, dt);
    const double wanted = make_up(&tool->options, &m, tool->stiffness);
    const double turn_wanted = make_up(&tool->options, &r, tool->turn_stiffness);
    tool->compliance += share * (wanted - tool->compliance);
    tool->turn_compliance += share * (turn_wanted - tool->turn_compliance);
}

// No point of the body near the tool exceeds this, m/s in our time.
static double speed_nearby(const pal_tool *tool, const pal_body *body, double body_speed,
                           double slowness) {
    if (tool->options.domains != NULL || !(body_speed > 0.0)) {
        return body_speed;
    }
    const double speed = pal_shell_memory_speed(&tool->memory, tool->options.shell, body->velocity);
    return fmin(body_speed, speed / fmax(1.0, slowness));
}

pal_outcome pal_tool_find(pal_tool *tool, const pal_body *body, const pal_bdtree *tree,
                          double body_speed, double slowness, double dt) {
    const pal_shape *shape = &tool->options.shape;
    double shift[3], turn[3];
    if (!(tool->options.mass > 0.0)) {
        pal_tool_take_back(tool, dt);
        keep_near(tool);
    }
    find_free_pose(tool, dt, shift, turn);
    const double travel =
        pal_norm3(shift) + pal_norm3(turn) * (shape->bound + pal_norm3(shape->centre));
    const double most = stride_share * shape->feature;
    const int looks = travel < most                ? 1
                      : travel < MOST_LOOKS * most ? (int)(travel / most) + 1
                                                   : MOST_LOOKS;
    const double speed = speed_nearby(tool, body, body_speed, slowness);
    const double farthest = fmax(travel / looks, ahead_share * shape->feature);
    const double ahead = travel / looks + ahead_least;
    stay_on_surface(tool, shift);
    tool->reach = fmin(ahead + dt * speed, farthest);
    tool->beyond = fmin(ahead + dt * body_speed, farthest) - tool->reach;
    pal_outcome outcome = tool->cleared ? follow_hand(tool, body, shift, turn, looks)
                                        : wait_until_clear(tool, body, tree);
    if (outcome & PAL_OUT_NAN) {
        tool->set.count = 0;
    }
    fade_in(tool);
    grasp(tool, body, tree);
    return outcome;
}

// The way out of the deepest overlap, as far as `way` goes along it.
static void way_out(const pal_touch_set *set, const double way[3], double out[3]) {
    const pal_touch *most = NULL;
    for (int32_t i = 0; i < set->count; i++) {
        most = set->item[i].gap < (most != NULL ? most->gap : 0.0) ? &set->item[i] : most;
    }
    const double along = most != NULL ? fmax(0.0, pal_dot3(way, most->normal)) : 0.0;
    for (int c = 0; c < 3; c++) {
        out[c] = most != NULL ? fmin(along, -most->gap) * most->normal[c] : 0.0;
    }
}

// Out of what it overlaps, and else not farther than it has looked; what is left of the way is gone
// in the next ticks.
static void stay_within_reach(pal_tool *tool) {
    const pal_shape *shape = &tool->options.shape;
    double way[3], turn[3], out[3];
    way_between(&tool->near, &tool->pose, way, turn);
    way_out(&tool->set, way, out);
    pal_sub3(way, out, way);
    const double angle = pal_norm3(turn);
    const double length = pal_norm3(way) + angle * (shape->bound + pal_norm3(shape->centre));
    tool->lag = 0.0;
    if (!tool->cleared || !(length > tool->reach)) {
        return;
    }
    tool->lag = pal_norm3(tool->force) > 0.0 ? length - tool->reach : 0.0;
    for (int c = 0; c < 3; c++) {
        tool->pose.x[c] = tool->near.x[c] + out[c] + way[c] * tool->reach / length;
        turn[c] *= tool->reach / length;
    }
    if (angle > 0.0) {
        memcpy(tool->pose.turn, tool->near.turn, sizeof tool->pose.turn);
        pal_pose_move(&tool->pose, (double[3]){0.0, 0.0, 0.0}, turn);
    }
}

void pal_tool_move(pal_tool *tool, double dt) {
    const pal_pose before = tool->pose;
    double by[3], turn[3];
    for (int c = 0; c < 3; c++) {
        by[c] = tool->compliance * tool->force[c];
        turn[c] = tool->turn_compliance * tool->torque[c];
    }
    tool->pose = tool->free;
    pal_pose_move(&tool->pose, by, turn);
    stay_within_reach(tool);
    memcpy(tool->felt, tool->force, sizeof tool->felt);
    memcpy(tool->felt_torque, tool->torque, sizeof tool->felt_torque);
    if (tool->options.mass > 0.0) {
        settle_motion(tool, &before, dt);
    }
}
