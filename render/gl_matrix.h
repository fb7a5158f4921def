// 4 x 4 matrices as OpenGL wants them: column after column, single precision. Any thread.
#ifndef PAL_RENDER_GL_MATRIX_H
#define PAL_RENDER_GL_MATRIX_H

#include <string.h>

#include "render/camera.h"
#include "sim/base/pose.h"

// out = a b.
static inline void pal_matrix_multiply(const float a[16], const float b[16], float out[16]) {
    float product[16];
    for (int j = 0; j < 4; j++) {
        for (int i = 0; i < 4; i++) {
            float sum = 0.0F;
            for (int k = 0; k < 4; k++) {
                sum += a[4 * k + i] * b[4 * j + k];
            }
            product[4 * j + i] = sum;
        }
    }
    memcpy(out, product, sizeof product);
}

// From the world to OpenGL's clip coordinates, for what lies between two distances along the axis.
static inline void pal_matrix_of_camera(const pal_camera *camera, double width, double height,
                                        double near, double far, float out[16]) {
    const double *axis[3] = {camera->right, camera->up, camera->back};
    const double fx = 2.0 * camera->focal / width, fy = 2.0 * camera->focal / height;
    const double ox = 2.0 * camera->centre[0] / width - 1.0;
    const double oy = 1.0 - 2.0 * camera->centre[1] / height;
    const double za = (far + near) / (far - near), zb = -2.0 * far * near / (far - near);
    for (int j = 0; j < 4; j++) {
        double local[3]; // the column of the matrix to the camera's axes
        for (int c = 0; c < 3; c++) {
            local[c] = j < 3 ? axis[c][j] : -pal_dot3(axis[c], camera->eye);
        }
        const double ahead = -local[2];
        out[4 * j] = (float)(fx * local[0] + ox * ahead);
        out[4 * j + 1] = (float)(fy * local[1] + oy * ahead);
        out[4 * j + 2] = (float)(za * ahead + (j == 3 ? zb : 0.0));
        out[4 * j + 3] = (float)ahead;
    }
}

// From the world to 0..1 in all three axes, seen along -back without perspective: what lies within
// `radius` of `centre`.
static inline void pal_matrix_of_lamp(const pal_camera *turned, const double centre[3],
                                      double radius, float out[16]) {
    const double *axis[3] = {turned->right, turned->up, turned->back};
    memset(out, 0, 16 * sizeof *out);
    for (int c = 0; c < 3; c++) {
        const double sign = c == 2 ? -1.0 : 1.0, s = 0.5 * sign / radius;
        for (int j = 0; j < 3; j++) {
            out[4 * j + c] = (float)(s * axis[c][j]);
        }
        out[12 + c] = (float)(0.5 - s * pal_dot3(axis[c], centre));
    }
    out[15] = 1.0F;
}

// A pose, after a size of its own along each axis.
static inline void pal_matrix_of_pose(const pal_pose *pose, const double size[3], float out[16]) {
    double m[3][3];
    pal_turn_matrix(pose->turn, m);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[4 * j + i] = (float)(size[j] * m[i][j]);
        }
        out[12 + i] = (float)pose->x[i];
        out[4 * i + 3] = 0.0F;
    }
    out[15] = 1.0F;
}

// The pose at x whose z axis points along a direction (not of unit length; zero: straight up).
static inline pal_pose pal_pose_along(const double x[3], const double direction[3]) {
    pal_pose pose = PAL_POSE_IDENTITY;
    const double size = pal_norm3(direction);
    memcpy(pose.x, x, sizeof pose.x);
    if (size > 0.0) {
        // Half way between the axes: the turn of twice the angle to there
        double half[4] = {1.0 + direction[2] / size, -direction[1] / size, direction[0] / size,
                          0.0};
        const double norm = sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
        if (norm < 1e-6) { // straight down
            half[0] = 0.0;
            half[1] = 1.0;
        }
        for (int c = 0; c < 4; c++) {
            pose.turn[c] = norm < 1e-6 ? half[c] : half[c] / norm;
        }
        pose.turn[2] = norm < 1e-6 ? 0.0 : pose.turn[2];
    }
    return pose;
}

#endif
