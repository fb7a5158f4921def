// How a scene is looked at: from where, and what is shown. Any thread.
#ifndef PAL_RENDER_VIEW_H
#define PAL_RENDER_VIEW_H

#include <stdbool.h>

#include "render/camera.h"

typedef enum pal_colouring {
    PAL_BY_DISPLACEMENT, // how far each place has moved
    PAL_BY_REGION,       // what it is made of
    PAL_BY_ENERGY,       // density of the strain energy
} pal_colouring;

typedef struct pal_view {
    double azimuth, elevation; // degrees, as in camera.h
    double centre[3];          // m, what is looked at
    double distance;           // m, from there to the eye
    pal_colouring colouring;
    double most;    // what the last colour stands for, m or J/m^3; 0: a round number above what is
                    // drawn
    bool wireframe; // edges of the surface
    bool volume;    // edges of the volume mesh, through the surface
    bool fixed;     // vertices that are held
    bool tools;
    bool handles;  // of those with a ball
    bool ghost;    // where the hand is, when the body keeps the tool from it
    bool contacts; // points that bear, with normals
    bool force;    // on each tool, as an arrow
    bool shadow, ground;
    bool labels;         // scale, colours, forces in words
    bool trainer;        // as tissue, with the tools and nothing that measures: see below
    bool axes;           // with numbers, about the body at rest
    pal_up up;           // which of the world's axes the picture shows upwards: the stage's
    bool marked;         // a place,
    double mark[3];      // m, where it is drawn
    double mark_told[3]; // m, the coordinates that are told of it
    bool mark_hidden;    // behind the body
    bool quick;          // fewer samples of the shadow
    double scale;        // pixels a point: 1 on a plain screen, 2 on a dense one
} pal_view;

// Everything on but edges and held vertices; from the front, a little from the right and above.
void pal_view_defaults(pal_view *view);

// What the trainer's view shows of a view: body as tissue, tools, shadow, and no marks, edges,
// colours or words. Any other view is left as it is.
void pal_view_settle(pal_view *view);

// The camera for a picture of this size.
void pal_view_camera(const pal_view *view, int32_t width, int32_t height, pal_camera *camera);

// Looks at points [count][3] so that all are in the picture of this size, with room at the edges;
// keeps the angles. zoom > 1: nearer.
void pal_view_fit(pal_view *view, int32_t width, int32_t height, const double *x, int64_t count,
                  double zoom);

// Moves: turns by degrees, shifts what is looked at by pixels of a picture of this size, and goes
// nearer by a factor. The elevation stays within +-89 degrees.
void pal_view_orbit(pal_view *view, double right, double up);
void pal_view_pan(pal_view *view, int32_t width, int32_t height, double dx, double dy);
void pal_view_zoom(pal_view *view, double factor);

// What fills one part of the picture's width fills another, by its share: parts [left, right],
// 0..1.
void pal_view_shift(pal_view *view, int32_t width, int32_t height, const double from[2],
                    const double to[2]);

// The least of 1, 1.5, 2, 3, 4, 5, 6, 8 (times powers of ten) that is no less than value; and the
// greatest of 1, 2, 5 that is no more.
double pal_round_up(double value);
double pal_round_down(double value);

#endif
