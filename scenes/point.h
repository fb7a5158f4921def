// Places on the surface of a body as people write them, in scenes and on the command line:
//
// - `0.12, 0.03, 0.1`: as it is; numbers are in metres or have a unit, such as `12 cm`.
// - `near:(0.12, 0.03, 0.1)`: the place of the surface that is nearest to it.
// - `surface:0.12, 0.03`: the first place of the surface that a ray from above meets. The scene's
//   `up` says where above is; the two numbers are those of the other axes in their order.
// - `surface:-y:0.12, 0.1`: the same from another side: the ray begins at the lowest y.
// - `porta`: a name under the scene's `landmarks`.
//
// Behind any but the first may stand ` + 10 mm` or ` - 3 mm`: moved out of the surface along its
// normal, or along the ray towards where it came from. Commas may be left out where blanks stand.
#ifndef PAL_SCENES_POINT_H
#define PAL_SCENES_POINT_H

#include "sim/base/up.h"
#include "sim/mesh/surface.h"

enum { PAL_LANDMARK_NAME = 48 };

typedef enum pal_point_kind { PAL_POINT_PLAIN, PAL_POINT_NEAR, PAL_POINT_RAY } pal_point_kind;

typedef struct pal_point {
    pal_point_kind kind;
    double x[3]; // m; of a ray that of its own axis is 0
    pal_up from; // of a ray: where it comes from
    double out;  // m, moved outwards
} pal_point;

typedef struct pal_landmark {
    char name[PAL_LANDMARK_NAME];
    pal_point point;
} pal_landmark;

typedef struct pal_landmarks { // what names mean, and which way is up
    pal_up up;
    int32_t count;
    pal_landmark *item; // [count], may be NULL without any
} pal_landmarks;

// What there is to be on: a surface at rest, or all below a height of z (a wall).
typedef struct pal_point_ground {
    const pal_surface *surface; // NULL: a wall
    double height;              // m, of the wall
} pal_point_ground;

typedef struct pal_point_found {
    double x[3], normal[3]; // m; out of the surface, of a plain place 0
    int32_t triangle;       // of the surface, -1: none
} pal_point_found;

// Whether a text is such a place, and no selector: `near:(...)` without a radius behind it,
// `surface:`, a name that there is, or three numbers.
bool pal_point_is(const char *text, const pal_landmarks *names);

// Errors say what to write. names NULL: there are none, and z is up.
pal_status pal_point_parse(const char *text, const pal_landmarks *names, pal_point *point,
                           pal_err *err);

// Whether a name can be a landmark's: letters, digits, _ and -, a letter first, and no word of
// selectors.
pal_status pal_landmark_check(const char *name, pal_err *err);

// The place itself. A ray that meets nothing, and a place farther from the surface than half its
// diagonal, are errors that tell the nearest place and the box.
pal_status pal_point_find(const pal_point *point, const pal_point_ground *ground,
                          pal_point_found *found, pal_err *err);

// About where it is, when there is no surface yet.
void pal_point_guess(const pal_point *point, double x[3]);

// "near:(0.12, 0.03, 0.1184)": a place of the surface as scenes name it, to 1/1000 to 1/10000 of
// the body's longest side. Parsed and found on the surface it is that place again, but for that.
void pal_point_say(const double x[3], double longest, char *text, size_t size);

// Parses and finds on a mesh, and says it as a selector: `vertices:N` of the vertex of its surface
// that is nearest.
pal_status pal_point_selector(const char *text, const pal_landmarks *names, const pal_volmesh *mesh,
                              char selector[32], pal_err *err);

#endif
