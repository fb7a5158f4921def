#include "sim/contact/tool_back.h"

#include <math.h>
#include <string.h>

#include "sim/base/vecn.h"

// How much the hand has put into the coupling since the last tick, J, s left aside.
static double put_in(const pal_tool *tool) {
    double sum = 0.0;
    for (int a = 0; a < 3; a++) {
        const double f = tool->force[a], before = tool->back.force[a];
        sum += 0.5 * (f + before) * (tool->compliance * f - tool->back.compliance * before);
    }
    return sum;
}

// How much s is, along the force, m/N.
static double taken_back(const pal_tool *tool) {
    return pal_dot3(tool->back.by, tool->force) / pal_dot3(tool->force, tool->force);
}

// A tool that lags behind what it pushes, for it goes no farther in a tick than it has looked, does
// not go on the faster by what is taken back.
static double unless_late(const pal_tool *tool, double step) {
    return tool->lag > 0.0 ? fmin(step, 0.0) : step;
}

// f . ds = -kappa f . du. (A body that comes back farther than it has been pushed was not pushed
// there by this touch; it may have been by another.)
static void follow(pal_tool *tool) {
    const double square = pal_dot3(tool->force, tool->force);
    const double most = tool->given.alone ? fmax(0.0, taken_back(tool)) : INFINITY;
    const double step = fmax(-tool->given.share * tool->given.work / square, -most);
    pal_add_scaled(3, unless_late(tool, step), tool->force, tool->back.by);
}

// By how much more is to be taken back because C has grown, m/N: of a body softer than the device
// bears, of which all of it is.
static double grown_with_coupling(const pal_tool *tool) {
    const bool whole = tool->given.part >= tool->compliance;
    const bool was_whole = tool->back.part >= tool->back.compliance;
    return tool->back.on && whole && was_whole ? tool->compliance - tool->back.compliance : 0.0;
}

// s goes to p f: across the force, where it does no work, and along it as far as the account
// allows; at once by as much as C has grown. It does not become less than nothing.
static void mend(pal_tool *tool, double dt) {
    static const double along_time = 0.3, across_time = 1.0; // s
    static const double least = 0.7;                         // of C f^2 / 2
    const double *f = tool->force, square = pal_dot3(f, f), part = tool->given.part;
    const double grown = grown_with_coupling(tool);
    const double taken = taken_back(tool), off = part - taken;
    const double room = tool->back.held - 0.5 * least * tool->compliance * square;
    const double wanted = grown + (off - grown) * dt / (dt + along_time);
    const double most = fmin(unless_late(tool, wanted), room / square);
    const double step = fmax(most, -fmax(0.0, taken));
    for (int a = 0; a < 3; a++) {
        const double across = taken * f[a] - tool->back.by[a];
        tool->back.by[a] += across * dt / (dt + across_time) + step * f[a];
    }
    tool->back.held -= step * square;
}

// A push that has ended.
static void let_go(pal_tool *tool) {
    memset(tool->back.by, 0, sizeof tool->back.by);
    tool->back.held = 0.0;
}

void pal_tool_take_back(pal_tool *tool, double dt) {
    const bool pushed = pal_norm3(tool->force) > 0.0;
    if (tool->options.fixed_coupling) {
        return;
    }
    if (pushed) {
        tool->back.held += put_in(tool);
        follow(tool);
        mend(tool, dt);
    } else {
        let_go(tool);
    }
    tool->back.on = pushed;
    tool->back.part = tool->given.part;
    tool->back.compliance = tool->compliance;
    memcpy(tool->back.force, tool->force, sizeof tool->back.force);
    pal_add_scaled(3, -1.0, tool->back.by, tool->goal.x);
}
