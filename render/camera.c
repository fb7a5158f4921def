#include "render/camera.h"

#include <math.h>

#include "sim/base/vec3.h"

static const double long_lens = 2.4; // focal length over the longer side of the frame: 24 degrees

void pal_camera_turn(pal_camera *camera, pal_up up, double azimuth, double elevation) {
    const double degree = acos(-1.0) / 180.0;
    double ca = cos(azimuth * degree), sa = sin(azimuth * degree);
    double ce = cos(elevation * degree), se = sin(elevation * degree);
    double right[3] = {ca, sa, 0.0};
    double back[3] = {ce * sa, -ce * ca, se};
    pal_up_raise(up, right, camera->right);
    pal_up_raise(up, back, camera->back);
    pal_cross3(camera->back, camera->right, camera->up);
}

void pal_camera_level(const pal_camera *camera, pal_up up, pal_camera *level) {
    *level = *camera;
    pal_up_level(up, camera->eye, level->eye);
    pal_up_level(up, camera->right, level->right);
    pal_up_level(up, camera->up, level->up);
    pal_up_level(up, camera->back, level->back);
}

// With s the coordinate along an axis of the screen, z the one towards the eye and t the tangent of
// half the frame, a point is inside when |s - eye_s| <= t (eye_z - z). Over all points that says
// eye_s + t eye_z >= A = max(s + t z) and -eye_s + t eye_z >= B = max(-s + t z).
typedef struct support {
    double a, b;
} support;

static void widen(support *s, double along, double tz) {
    s->a = fmax(s->a, along + tz);
    s->b = fmax(s->b, -along + tz);
}

double pal_camera_fit(pal_camera *camera, const pal_frame *frame, const double *x, int64_t count) {
    camera->focal = long_lens * fmax(frame->width, frame->height);
    camera->centre[0] = frame->left + 0.5 * frame->width;
    camera->centre[1] = frame->top + 0.5 * frame->height;
    double tx = 0.5 * frame->width / camera->focal, ty = 0.5 * frame->height / camera->focal;

    // The tightest planes of the view pyramid, and the depth of the points.
    support across = {-INFINITY, -INFINITY}, along = across;
    double nearest = -INFINITY, farthest = INFINITY;
    for (int64_t i = 0; i < count; i++) {
        const double *p = x + 3 * i;
        double z = pal_dot3(p, camera->back);
        widen(&across, pal_dot3(p, camera->right), tx * z);
        widen(&along, pal_dot3(p, camera->up), ty * z);
        nearest = fmax(nearest, z);
        farthest = fmin(farthest, z);
    }

    // The eye: as far back as the stricter of the two directions asks, never inside the points.
    double sx = 0.5 * (across.a - across.b), sy = 0.5 * (along.a - along.b);
    double z = fmax(0.5 * (across.a + across.b) / tx, 0.5 * (along.a + along.b) / ty);
    z = fmax(z, nearest + 0.05 * (nearest - farthest) + 1e-12);
    for (int c = 0; c < 3; c++) {
        camera->eye[c] = sx * camera->right[c] + sy * camera->up[c] + z * camera->back[c];
    }
    return camera->focal / (z - 0.5 * (nearest + farthest));
}

void pal_camera_project(const pal_camera *camera, const double *point, double screen[3]) {
    double d[3];
    pal_sub3(point, camera->eye, d);
    double nearness = -1.0 / pal_dot3(d, camera->back);
    screen[0] = camera->centre[0] + camera->focal * nearness * pal_dot3(d, camera->right);
    screen[1] = camera->centre[1] - camera->focal * nearness * pal_dot3(d, camera->up);
    screen[2] = nearness;
}

void pal_camera_ray(const pal_camera *camera, double x, double y, double direction[3]) {
    double s = (x - camera->centre[0]) / camera->focal;
    double t = (camera->centre[1] - y) / camera->focal;
    for (int c = 0; c < 3; c++) {
        direction[c] = s * camera->right[c] + t * camera->up[c] - camera->back[c];
    }
}
