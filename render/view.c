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
                       .handles = true,
                       .ghost = true,
                       .contacts = true,
                       .force = true,
                       .shadow = true,
                       .ground = true,
                       .labels = true,
                       .scale = 1.0};
}

void pal_view_settle(pal_view *view) {
    if (view->trainer) {
        view->wireframe = view->volume = view->fixed = view->ghost = view->contacts = view->force =
            view->labels = false;
        view->colouring = PAL_BY_DISPLACEMENT;
    }
}

void pal_view_camera(const pal_view *view, int32_t width, int32_t height, pal_camera *camera) {
    pal_camera_turn(camera, view->up, view->azimuth, view->elevation);
    for (int c = 0; c < 3; c++) {
        camera->eye[c] = view->centre[c] + view->distance * camera->back[c];
    }
    camera->focal = lens * (width > height ? width : height);
    camera->centre[0] = 0.5 * width;
    camera->centre[1] = 0.5 * height;
}

// With s the coordinate of a point along an axis of the screen, z the one towards the eye, and low
// and high the tangents of the picture's edges, it is inside when s - eye_s <= high (eye_z - z) and
// eye_s - s <= low (eye_z - z). Over all points that says eye_s + high eye_z >= a = max(s + high z)
// and -eye_s + low eye_z >= b = max(-s + low z).
typedef struct edges {
    double low, high, a, b;
} edges;

static void widen(edges *e, double s, double z) {
    e->a = fmax(e->a, s + e->high * z);
    e->b = fmax(e->b, -s + e->low * z);
}

static double least_distance(const edges *e) {
    return (e->a + e->b) / (e->low + e->high);
}

static double middle(const edges *e, double z) {
    return 0.5 * ((e->a - e->high * z) + (e->low * z - e->b));
}

void pal_view_fit(pal_view *view, int32_t width, int32_t height, const double *x, int64_t count,
                  double zoom) {
    pal_camera camera;
    pal_camera_turn(&camera, view->up, view->azimuth, view->elevation);
    const double focal = lens * (width > height ? width : height);
    const double side = (0.5 - margin) * width / focal;
    edges across = {side, side, -INFINITY, -INFINITY};
    edges along = {(0.5 - foot) * height / focal, (0.5 - head) * height / focal, -INFINITY,
                   -INFINITY};
    double nearest = -INFINITY, farthest = INFINITY;
    for (int64_t i = 0; i < count; i++) {
        const double *p = x + 3 * i, z = pal_dot3(p, camera.back);
        widen(&across, pal_dot3(p, camera.right), z);
        widen(&along, pal_dot3(p, camera.up), z);
        nearest = fmax(nearest, z);
        farthest = fmin(farthest, z);
    }
    double eye = fmax(least_distance(&across), least_distance(&along));
    eye = fmax(eye, nearest + 0.05 * (nearest - farthest) + 1e-9);
    const double depth = eye - 0.5 * (nearest + farthest);
    const double place[3] = {middle(&across, eye), middle(&along, eye), 0.5 * (nearest + farthest)};
    for (int c = 0; c < 3; c++) {
        view->centre[c] =
            place[0] * camera.right[c] + place[1] * camera.up[c] + place[2] * camera.back[c];
    }
    view->distance = depth / zoom;
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

void pal_view_shift(pal_view *view, int32_t width, int32_t height, const double from[2],
                    const double to[2]) {
    const double farther = (from[1] - from[0]) / (to[1] - to[0]);
    const double was = 0.5 * (from[0] + from[1]) - 0.5, wanted = 0.5 * (to[0] + to[1]) - 0.5;
    view->distance *= farther;
    pal_view_pan(view, width, height, width * (wanted - was / farther), 0.0);
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
