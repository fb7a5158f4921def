// A rigid tool in a hand, as the step sees it. The hand says where it would have the tool (the
// goal); the tool goes there as far as the body lets it: it starts each tick where it was left, on
// the outside, and every surface point within its reach is a constraint, so that it does not pass
// through, however far behind the surface the hand is [Zilles & Salisbury 1995].
//
// Between hand and tool is a coupling without mass: tool = goal + C wrench. It gives way only as
// much as the device needs: with what is touched in series, the hand never meets more than
// `stiffness` from one tick to the next, and where the body is softer than that, the hand feels the
// body itself. (A body has mass: from one tick to the next it is harder than in the long run. What
// the coupling gives way by is therefore taken back as the body gives way, too; tool_back.h.) The
// same holds for turning, about the axis of the torque, but for what is taken back.
//
// With a mass the tool has a motion of its own, and the coupling is a spring and damper of fixed
// strength, stepped implicitly, so that it is stable however stiff:
//
//     (m/dt^2 + B/dt + K) (x' - x) = m v/dt + K (goal - x) + B v_goal + force
//
// (v_goal smoothed over 3 ms), and likewise about the tool's origin, with one inertia for all axes.
// The hand then feels what the coupling bears, the tool's inertia included.
#ifndef PAL_CONTACT_TOOL_H
#define PAL_CONTACT_TOOL_H

#include "sim/base/outcome.h"
#include "sim/base/pose.h"
#include "sim/contact/bdtree.h"
#include "sim/contact/shell.h"
#include "sim/contact/touch.h"
#include "sim/reduced/newmark.h"

enum { PAL_MAX_TOOLS = 4 };

typedef struct pal_tool_options {
    pal_shape shape;
    const pal_shell *shell;      // of the body, fine enough for the shape; borrowed
    struct pal_domains *domains; // in its place, where the body is a tree of them (domains.h)
    int32_t number;              // of the tool among those that touch the body
    const uint8_t *spreads; // cells of the shell that press as a whole (footprint.h); NULL: none
    bool stretches;         // see shell.h: where dents grow stiffer (stiffening.h)
    bool flat_normals;      // of touches: each its triangle's own, not the smooth ones
    double stiffness;       // N/m that the device bears
    double
        turn_stiffness;   // N m/rad likewise; 0: the tool turns as the hand does, no torque is felt
    bool fixed_coupling;  // the coupling is `stiffness`, whatever is touched
    double mass, inertia; // kg, kg m^2, of a tool with a motion of its own; 0: none
    double damping, turn_damping; // N s/m, N m s/rad, of its coupling
    double grasp_stiffness;       // N/m of the spring by which the tool holds on; 0: it cannot
    double max_force;             // N that the hand can pull with; 0: without limit
    int32_t look_budget;          // shell points a tick
    int32_t most;                 // touches a tick
} pal_tool_options;

typedef struct pal_tool {
    pal_tool_options options;

    // What the hand wants
    pal_pose goal, last_goal;
    pal_pose free; // where the tool would be now if nothing were touched
    bool grasp;

    // Where the tool is
    pal_pose pose;
    double velocity[3], spin[3]; // m/s, rad/s, of a tool with mass
    double led[3], led_turn[3];  // m, rad a tick: how the goal moves, without its encoder's steps
    bool placed;                 // it has been somewhere
    bool cleared;                // it has been clear of the body; until then it touches nothing
    bool sliding;                // over the surface, now or a moment ago
    double slipped;              // m, since it stuck
    double slip[3];              // m/s, over the surface, smoothed over 20 ms
    double stuck;                // s, since it slipped last

    // What it touches in this tick
    pal_pose near; // where it was looked for
    double reach;  // m, how far from there it may go
    double beyond; // m, how much farther it looks where it has not looked before
    double margin; // m, what is nearer to it is in set
    double lag;    // m, how much farther it would have gone at the last tick
    pal_touch_set set;
    pal_shell_memory memory;
    double compliance, turn_compliance; // m/N, rad/(N m): of the coupling, now
    struct {                            // how the body's coordinates gave way in the last step
        double work;                    // J, of the tool's force by their motion: f . du
        double part;                    // m/N, of the coupling, to be taken back,
        double share;                   // 0..1, with so much of their motion
        bool alone;                     // no other tool pushed
    } given;
    struct {               // of what the coupling gives way by (tool_back.h)
        double by[3];      // m, taken back
        double held;       // J, that the hand has put into the coupling and not had back
        bool on;           // the tool was pushed at the last tick,
        double force[3];   // N, with this,
        double compliance; // m/N: of the coupling then,
        double part;       // and what of it was to be taken back
    } back;

    // What it holds
    struct {
        bool on;
        int32_t triangle;
        double weight[3]; // barycentric
        double anchor[3]; // m, the place in the tool's frame
        double force[3];  // N, of the last tick
    } held;

    // What came of it
    double force[3];       // N, on the tool
    double torque[3];      // N m, about its origin
    double felt[3];        // N, what the coupling bears: without mass the same, and the jump
    double jump[3];        // N, what is left to fade of the last change of the shell's level
    double felt_torque[3]; // N m
    double stiffness;      // N/m, what the touched body sets against it
    double turn_stiffness; // N m/rad, about the torque's axis, estimated
    double depth;          // m, the deepest overlap that is left
    struct {               // the touches of the last tick, as in set
        int32_t count, level;
        int32_t id[PAL_MAX_TOUCHES];
        double area[PAL_MAX_TOUCHES];
        double force[PAL_MAX_TOUCHES][3];
        double gap[PAL_MAX_TOUCHES];   // m, that was left
        double found[PAL_MAX_TOUCHES]; // m, as it was found
        double margin;                 // m, others were farther than this
    } last;
} pal_tool;

void pal_tool_init(pal_tool *tool, const pal_tool_options *options);

// Gives the tool a mass and inertia, and its coupling the damping that lets it settle on the hand
// (0.7 of critical), at most as much as the device bears (0: no limit). Set-up only.
void pal_tool_make_dynamic(pal_tool_options *options, double mass, double inertia,
                           double max_damping, double max_turn_damping);

// Where the hand has it now, and whether it wants to hold on. RT safe.
void pal_tool_aim(pal_tool *tool, const pal_pose *goal, bool grasp);

// Lets go of everything and waits until it is clear of the body. RT safe.
void pal_tool_forget(pal_tool *tool);

// Looks for what it touches on its way; sets near, reach, set and held. body_speed: m/s, in our
// time, that no point of the body exceeds, whose own time runs `slowness` times slower (0, 1: as
// fast). RT safe.
pal_outcome pal_tool_find(pal_tool *tool, const pal_body *body, const pal_bdtree *tree,
                          double body_speed, double slowness, double dt);

// The coupling now, by what the touched body sets against it. RT safe.
void pal_tool_couple(pal_tool *tool, double dt);

// Goes where the force and torque leave it. RT safe.
void pal_tool_move(pal_tool *tool, double dt);

#endif
