#include "render/view.h"

#include <math.h>
#include <string.h>

#include "sim/base/vec3.h"

static const double lens = 2.4; // focal length over the longer side, as in camera.c
static const double margin = 0.09, head = 0.05, foot = 0.11; // of the picture's sides, kept free
static const double steepest = 89.0;

void pal_view_defaults(pal_view *view) {
    *view = (pal_view){.azimuth = 25.0,
                       .elevation = 22.0,
                       .distance = 1.0,
                       .tools = true,
                       .ghost = true,
                       .contacts = true,
                       .force = true,
                       .shadow = true,
                       .ground = true,
                       .labels = true,
                       .scale = 1.0};
}

void pal_view_camera(const pal_view *view, int32_t width, int32_t height, pal_camera *camera) {
    pal_camera_turn(camera, view->azimuth, view->elevation);
    for (int c = 0; c < 3; c++) {
        camera->eye[c] = view->centre[c] + view->distance * camera->back[c];
    }
    camera->focal = lens * (width > height ? width : height);
    camera->centre[0] = 0.5 * width;
    camera->centre[1] = 0.5 * height;
}

void pal_view_fit(pal_view *view, int32_t width, int32_t height, const double *x, int64_t count,
                  double zoom) {
    // A frame about the middle, so that the eye's axis is the picture's
    const double top = head * height, bottom = foot * height;
    const pal_frame frame = {margin * width, top, (1.0 - 2.0 * margin) * width,
                             height - top - bottom};
    pal_camera camera;
    pal_camera_turn(&camera, view->azimuth, view->elevation);
    pal_camera_fit(&camera, &frame, x, count);
    double nearest = -INFINITY, farthest = INFINITY;
    for (int64_t i = 0; i < count; i++) {
        const double z = pal_dot3(x + 3 * i, camera.back);
        nearest = fmax(nearest, z);
        farthest = fmin(farthest, z);
    }
    // The frame has a focal length of its own: as far away as makes things as large in the picture
    const double depth = pal_dot3(camera.eye, camera.back) - 0.5 * (nearest + farthest);
    const double focal = lens * (width > height ? width : height);
    const double distance = depth * focal / camera.focal;
    const double shift = (camera.centre[1] - 0.5 * height) * distance / focal; // of the frame, m
    for (int c = 0; c < 3; c++) {
        view->centre[c] = camera.eye[c] - depth * camera.back[c] + shift * camera.up[c];
    }
    view->distance = fmax(distance, 0.5 * (nearest - farthest) * 1.2 + 1e-9) / zoom;
}

void pal_view_orbit(pal_view *view, double right, double up) {
    view->azimuth = fmod(view->azimuth + right, 360.0);
    view->elevation = fmin(fmax(view->elevation + up, -steepest), steepest);
}

void pal_view_pan(pal_view *view, int32_t width, int32_t height, double dx, double dy) {
    pal_camera camera;
    pal_view_camera(view, width, height, &camera);
    const double step = view->distance / camera.focal;
    for (int c = 0; c < 3; c++) {
        view->centre[c] += step * (dy * camera.up[c] - dx * camera.right[c]);
    }
}

void pal_view_zoom(pal_view *view, double factor) {
    view->distance = fmin(fmax(view->distance / factor, 1e-4), 1e4);
}

static double round_to(double value, const double *step, int count, int up) {
    if (!(value > 0.0) || !isfinite(value)) {
        return 1.0;
    }
    const double decade = pow(10.0, floor(log10(value)));
    double found = up ? 10.0 : 1.0;
    for (int i = 0; i < count; i++) {
        const double s = step[up ? count - 1 - i : i];
        if (up ? s * decade >= value * (1.0 - 1e-9) : s * decade <= value * (1.0 + 1e-9)) {
            found = s;
        }
    }
    return found * decade;
}

double pal_round_up(double value) {
    static const double step[] = {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0};
    return round_to(value, step, sizeof step / sizeof *step, 1);
}

double pal_round_down(double value) {
    static const double step[] = {1.0, 2.0, 5.0};
    return round_to(value, step, sizeof step / sizeof *step, 0);
}
