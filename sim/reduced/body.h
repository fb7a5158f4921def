// What contact and rendering know of a body that moves: its surface points, where they are, how
// fast, and how a force on them acts. A single reduced body here; trees of domains, coarsened and
// posed bodies will fill in the same functions.
#ifndef PAL_REDUCED_BODY_H
#define PAL_REDUCED_BODY_H

#include <stdint.h>

#include "sim/base/outcome.h"
#include "sim/mesh/embed.h"

typedef struct pal_body pal_body;

typedef struct pal_body_functions {
    // Place and velocity of a surface point (m, m/s). RT safe.
    void (*position)(const pal_body *body, int32_t point, double x[3]);
    void (*velocity)(const pal_body *body, int32_t point, double v[3]);
    // row [size] += direction . J(point), J the derivative of the point's place by the coordinates.
    // RT safe.
    void (*add_row)(const pal_body *body, int32_t point, const double direction[3], double *row);
} pal_body_functions;

struct pal_body {
    const pal_body_functions *functions;
    int32_t size;            // coordinates
    int32_t point_count;     // surface points
    int32_t triangle_count;  //
    const int32_t *triangle; // [triangle_count][3], counter-clockwise from outside
    const double *rest;      // [point_count][3]
    const double *basis;     // [point_count][3][size]: J of a linear body (NULL for others)
    const double *q;         // [size] the present coordinates
    const double *velocity;  // [size]
    // A dent beside the coordinates: volume vertices displaced by dent [3] each, carried to the
    // points by the embedding; no dent is longer than dent_bound. NULL: none. (Linear bodies.)
    const pal_embedding *embedding;
    const double *dent;
    const double *dent_bound; // m
};

// A linear body x = rest + basis q. The arrays are borrowed.
void pal_body_init_linear(pal_body *body, int32_t size, int32_t point_count, int32_t triangle_count,
                          const int32_t *triangle, const double *rest, const double *basis,
                          const double *q, const double *velocity);

#endif
