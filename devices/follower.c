#include "devices/follower.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

pal_follower_options pal_follower_defaults(void) {
    return (pal_follower_options){.lag = 0.016, .speed = 0.8, .spin = 10.0};
}

void pal_follower_init(pal_follower *f, const pal_follower_options *options, const pal_pose *at) {
    *f = (pal_follower){.options = *options};
    memcpy(f->g, at->x, sizeof f->g);
    memcpy(f->u, at->x, sizeof f->u);
    memcpy(f->turn_g, at->turn, sizeof f->turn_g);
    memcpy(f->turn_half, at->turn, sizeof f->turn_half);
    memcpy(f->turn_u, at->turn, sizeof f->turn_u);
}

// The second stage for h seconds while g goes on at the velocity s: exactly,
// u = g(t) - 2 s / w + (a + b t) exp(-w t).
static void lag_behind(pal_follower *f, const double s[3], double h) {
    const double w = 2.0 / f->options.lag, decay = exp(-w * h);
    for (int c = 0; c < 3; c++) {
        const double behind = 2.0 * s[c] / w;
        const double a = f->u[c] - f->g[c] + behind, b = f->v[c] - s[c] + w * a;
        f->g[c] += h * s[c];
        f->u[c] = f->g[c] - behind + (a + b * h) * decay;
        f->v[c] = s[c] + (b - w * (a + b * h)) * decay;
    }
}

void pal_follower_move(pal_follower *f, const double wish[3], double dt) {
    static const double still[3] = {0.0, 0.0, 0.0};
    double way[3], s[3];
    pal_sub3(wish, f->g, way);
    const double length = pal_norm3(way);
    const bool moves = length > 0.0 && isfinite(length);
    const double going = moves ? fmin(dt, length / f->options.speed) : 0.0;
    for (int c = 0; moves && c < 3; c++) {
        s[c] = f->options.speed * way[c] / length;
    }
    if (moves && going > 0.0) {
        lag_behind(f, s, going);
        if (going < dt) { // there, without the rounding
            memcpy(f->g, wish, sizeof f->g);
        }
    }
    if (going < dt) {
        lag_behind(f, still, dt - going);
    }
}

// Turns `turn` towards `to` by this share of what is between them, at most by `most` rad.
static void turn_towards(double turn[4], const double to[4], double share, double most) {
    pal_pose pose = PAL_POSE_IDENTITY;
    double by[3];
    pal_turn_between(turn, to, by);
    const double angle = share * pal_norm3(by);
    if (!isfinite(angle) || angle == 0.0) {
        return;
    }
    const double scale = angle > most ? share * most / angle : share;
    for (int c = 0; c < 3; c++) {
        by[c] *= scale;
    }
    memcpy(pose.turn, turn, sizeof pose.turn);
    pal_pose_move(&pose, (double[3]){0.0, 0.0, 0.0}, by);
    memcpy(turn, pose.turn, sizeof pose.turn);
}

void pal_follower_turn(pal_follower *f, const double wish[4], double dt) {
    const double share = 1.0 - exp(-2.0 / f->options.lag * dt);
    turn_towards(f->turn_g, wish, 1.0, f->options.spin * dt);
    turn_towards(f->turn_half, f->turn_g, share, INFINITY);
    turn_towards(f->turn_u, f->turn_half, share, INFINITY);
}
