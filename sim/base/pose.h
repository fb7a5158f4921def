// Where a rigid thing is: a place and a turn. World = x + R(turn) local. All RT safe.
#ifndef PAL_BASE_POSE_H
#define PAL_BASE_POSE_H

#include <math.h>

#include "sim/base/vec3.h"

typedef struct pal_pose {
    double x[3];    // m
    double turn[4]; // unit quaternion: w, x, y, z
} pal_pose;

#define PAL_POSE_IDENTITY ((pal_pose){{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}})

// out = a b: first b, then a.
static inline void pal_turn_multiply(const double a[4], const double b[4], double out[4]) {
    const double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    const double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    const double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    const double z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
    out[0] = w;
    out[1] = x;
    out[2] = y;
    out[3] = z;
}

// The turn about a vector by its length in radians, and that vector of a turn (the shorter way).
static inline void pal_turn_of_vector(const double v[3], double out[4]) {
    const double angle = pal_norm3(v);
    const double s = angle > 1e-9 ? sin(0.5 * angle) / angle : 0.5;
    out[0] = cos(0.5 * angle);
    for (int c = 0; c < 3; c++) {
        out[c + 1] = s * v[c];
    }
}

static inline void pal_turn_to_vector(const double turn[4], double v[3]) {
    const double sine = pal_norm3(turn + 1), sign = turn[0] < 0.0 ? -1.0 : 1.0;
    const double angle = 2.0 * atan2(sine, sign * turn[0]);
    const double s = sine > 1e-9 ? sign * angle / sine : 2.0 * sign;
    for (int c = 0; c < 3; c++) {
        v[c] = s * turn[c + 1];
    }
}

// How to turn from `from` to `to`, as a vector in the world's frame.
static inline void pal_turn_between(const double from[4], const double to[4], double v[3]) {
    const double back[4] = {from[0], -from[1], -from[2], -from[3]};
    double turn[4];
    pal_turn_multiply(to, back, turn);
    pal_turn_to_vector(turn, v);
}

static inline void pal_turn_matrix(const double q[4], double m[3][3]) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    m[0][0] = 1.0 - 2.0 * (y * y + z * z);
    m[0][1] = 2.0 * (x * y - w * z);
    m[0][2] = 2.0 * (x * z + w * y);
    m[1][0] = 2.0 * (x * y + w * z);
    m[1][1] = 1.0 - 2.0 * (x * x + z * z);
    m[1][2] = 2.0 * (y * z - w * x);
    m[2][0] = 2.0 * (x * z - w * y);
    m[2][1] = 2.0 * (y * z + w * x);
    m[2][2] = 1.0 - 2.0 * (x * x + y * y);
}

// The turn of a rotation matrix, by its largest component.
static inline void pal_turn_of_matrix(double (*m)[3], double q[4]) {
    const double trace = m[0][0] + m[1][1] + m[2][2];
    int best = 0;
    for (int c = 0; c < 3; c++) {
        best = m[c][c] > (best == 0 ? trace : m[best - 1][best - 1]) ? c + 1 : best;
    }
    if (best == 0) {
        q[0] = 1.0 + trace;
        q[1] = m[2][1] - m[1][2];
        q[2] = m[0][2] - m[2][0];
        q[3] = m[1][0] - m[0][1];
    } else {
        const int a = best - 1, b = (a + 1) % 3, c = (a + 2) % 3;
        q[0] = m[c][b] - m[b][c];
        q[1 + a] = 1.0 + m[a][a] - m[b][b] - m[c][c];
        q[1 + b] = m[b][a] + m[a][b];
        q[1 + c] = m[c][a] + m[a][c];
    }
    const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int c = 0; c < 4; c++) {
        q[c] /= norm;
    }
}

// Moves by dx and turns by the vector `by`, both in the world's frame; the quaternion stays unit.
static inline void pal_pose_move(pal_pose *pose, const double dx[3], const double by[3]) {
    double turn[4];
    pal_turn_of_vector(by, turn);
    pal_turn_multiply(turn, pose->turn, pose->turn);
    double norm = 0.0;
    for (int c = 0; c < 4; c++) {
        norm += pose->turn[c] * pose->turn[c];
    }
    for (int c = 0; c < 4; c++) {
        pose->turn[c] /= sqrt(norm);
    }
    for (int c = 0; c < 3; c++) {
        pose->x[c] += dx[c];
    }
}

#endif
