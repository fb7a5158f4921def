#include "devices/gamepad.h"

#include <math.h>

static const double longest = 0.1; // s, that a frame counts for
static const double precise = 0.25;

pal_gamepad_options pal_gamepad_defaults(void) {
    return (pal_gamepad_options){.dead_zone = 0.15, .speed = 0.12, .spin = 1.5};
}

void pal_gamepad_shape(const double stick[2], double dead_zone, double out[2]) {
    const double length = hypot(stick[0], stick[1]);
    out[0] = out[1] = 0.0;
    if (length > dead_zone && isfinite(length)) {
        const double over = fmin(1.0, (length - dead_zone) / (1.0 - dead_zone));
        out[0] = over * over * stick[0] / length;
        out[1] = over * over * stick[1] / length;
    }
}

// A trigger without its dead zone, the same way.
static double squeeze(double trigger, double dead_zone) {
    double out[2];
    pal_gamepad_shape((double[2]){fmax(0.0, trigger), 0.0}, dead_zone, out);
    return out[0];
}

void pal_gamepad_step(const pal_gamepad_options *o, const pal_gamepad_state *state,
                      const double right[3], const double up[3], const double back[3], double dt,
                      pal_wish *wish) {
    double move[2], turn[2], dx[3], by[3];
    const double share = state->buttons & PAL_GAMEPAD_PRECISE ? precise : 1.0;
    const double seconds = share * fmin(fmax(dt, 0.0), longest);
    const double away =
        squeeze(state->trigger[1], o->dead_zone) - squeeze(state->trigger[0], o->dead_zone);
    pal_gamepad_shape(state->left, o->dead_zone, move);
    pal_gamepad_shape(state->right, o->dead_zone, turn);
    for (int c = 0; c < 3; c++) {
        dx[c] = seconds * o->speed * (move[0] * right[c] + move[1] * up[c] - away * back[c]);
        by[c] = seconds * o->spin * (turn[0] * up[c] - turn[1] * right[c]);
    }
    pal_pose_move(&wish->pose, dx, by);
    wish->buttons = state->buttons & PAL_GAMEPAD_STYLUS ? 1u : 0u;
}
