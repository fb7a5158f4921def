// A perspective camera that fits itself to what it shows. World: metres, with one of its axes up,
// as base/up.h has them. Screen: pixels, x to the right, y down. Any thread.
#ifndef PAL_RENDER_CAMERA_H
#define PAL_RENDER_CAMERA_H

#include <stdint.h>

#include "sim/base/up.h"

typedef struct pal_camera {
    double eye[3];
    double right[3], up[3], back[3]; // orthonormal; back points from the scene to the eye
    double focal;                    // pixels for a tangent of 1
    double centre[2];                // the pixel that the axis meets
} pal_camera;

typedef struct pal_frame { // a rectangle of the screen
    double left, top, width, height;
} pal_frame;

// Turns the camera: it looks from `azimuth` degrees (0 from -y, 90 from +x, where z is up; else
// from behind and from the right in the frame of base/up.h) and `elevation` degrees above the
// horizon.
void pal_camera_turn(pal_camera *camera, pal_up up, double azimuth, double elevation);

// The same camera in the coordinates of that frame, in which z is up.
void pal_camera_level(const pal_camera *camera, pal_up up, pal_camera *level);

// Moves a turned camera as near as it may be so that all points [count][3] fall inside the frame,
// and centres them. Returns pixels per metre at the middle of the points.
double pal_camera_fit(pal_camera *camera, const pal_frame *frame, const double *x, int64_t count);

// screen = (x, y, nearness); nearness = 1 / distance along the axis, > 0 in front of the camera.
void pal_camera_project(const pal_camera *camera, const double *point, double screen[3]);

// The direction (not of unit length) in which the camera sees a place on the screen.
void pal_camera_ray(const pal_camera *camera, double x, double y, double direction[3]);

#endif
