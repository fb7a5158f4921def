// What contact and rendering know of a body that moves: its surface points, where they are, how
// fast, and how a force on them acts. A single reduced body here; trees of domains fill in the same
// functions (sim/contact/domains_body.c), coarsened and posed bodies will.
#ifndef PAL_REDUCED_BODY_H
#define PAL_REDUCED_BODY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sim/base/outcome.h"
#include "sim/mesh/embed.h"

typedef struct pal_body pal_body;
struct pal_spring; // newmark.h

enum { PAL_BODY_LASTING = 8 }; // forces that `lasting` takes at once

typedef struct pal_body_functions {
    // Place and velocity of a surface point (m, m/s). RT safe.
    void (*position)(const pal_body *body, int32_t point, double x[3]);
    void (*velocity)(const pal_body *body, int32_t point, double v[3]);
    // rows [3][stride] += weight J(point), J [3][size] the derivative of the point's place by the
    // coordinates. RT safe.
    void (*add_rows)(const pal_body *body, int32_t point, double weight, double *rows,
                     int32_t stride);
    // Its place without its dent (m); and how much of the dent contact has to answer for, m: what
    // is linear in the forces (local.h), zeros without one. RT safe.
    void (*undented)(const pal_body *body, int32_t point, double x[3]);
    void (*yielding)(const pal_body *body, int32_t point, double u[3]);

    // One step in time in two halves, contact between them (see newmark.h; NULL for a body that
    // does not step): begin under the force f [size] on the coordinates; how far the coordinates
    // would go without contact [size]; x [size][stride], a direction of the coordinates in each
    // column, to y with y_i . y_j the compliance between them; finish with the contact's force on
    // the coordinates [size]. RT safe.
    pal_outcome (*begin)(const pal_body *body, const double *f);
    const double *(*free_motion)(const pal_body *body);
    void (*halve)(const pal_body *body, double *x, int32_t stride);
    pal_outcome (*finish)(const pal_body *body, const double *contact_force);
    // Forces on the coordinates that last, [count][stride], each by itself, at most
    // PAL_BODY_LASTING: the work [count] of each by how far it takes the coordinates in the long
    // run, J. False: not known. NULL: never known. RT safe.
    bool (*lasting)(const pal_body *body, int32_t count, const double *force, int32_t stride,
                    double *work);
    // The whole step at once under f and springs [count] inside its matrix; force [count] receives
    // what each pushes with, N. RT safe.
    pal_outcome (*step)(const pal_body *body, const double *f, const struct pal_spring *spring,
                        int32_t count, double *force);

    // Bodies without arrays of all triangles and points: corner k of a triangle, and the place of a
    // point at rest in the material's own axes. NULL for others. RT safe.
    int32_t (*corner)(const pal_body *body, int32_t triangle, int k);
    void (*rest_place)(const pal_body *body, int32_t point, double x[3]);
} pal_body_functions;

struct pal_body {
    const pal_body_functions *functions;
    int32_t size;            // coordinates
    int32_t point_count;     // surface points
    int32_t triangle_count;  //
    const int32_t *triangle; // [triangle_count][3], counter-clockwise from outside; NULL: corner()
    const double *rest;      // [point_count][3]; NULL: rest_place()
    const double *basis;     // [point_count][3][size]: J of a linear body (NULL for others)
    const double *q;         // [size] the present coordinates
    const double *velocity;  // [size]
    // A dent beside the coordinates: volume vertices displaced by dent [3] each, carried to the
    // points by the embedding; no dent is longer than dent_bound. NULL: none. (Linear bodies.)
    const pal_embedding *embedding;
    const double *dent;
    const double *yielding;    // likewise, the part of the dent that is linear in the forces
    const double *dent_bound;  // m
    const double *dent_travel; // m: since it last stood so, no point's dent has changed by more
                               // than it has grown; NULL: not known

    void *stepper; // what begin, halve, finish and step work on
};

// Corner k of a triangle, and the place of a point at rest. RT safe.
static inline int32_t pal_body_corner(const pal_body *body, int32_t triangle, int k) {
    return body->triangle != NULL ? body->triangle[3 * (int64_t)triangle + k]
                                  : body->functions->corner(body, triangle, k);
}
static inline void pal_body_rest(const pal_body *body, int32_t point, double x[3]) {
    if (body->rest != NULL) {
        memcpy(x, body->rest + 3 * (int64_t)point, 3 * sizeof *x);
    } else {
        body->functions->rest_place(body, point, x);
    }
}

// A linear body x = rest + basis q. The arrays are borrowed.
void pal_body_init_linear(pal_body *body, int32_t size, int32_t point_count, int32_t triangle_count,
                          const int32_t *triangle, const double *rest, const double *basis,
                          const double *q, const double *velocity);

// Of a linear body: what its dent adds to the place of a point, and the part of that which is
// linear in the forces, m. RT safe.
void pal_body_dent(const pal_body *body, int32_t point, double u[3]);
void pal_body_yielding(const pal_body *body, int32_t point, double u[3]);

// Lets a linear body step by its reduced dynamics, which are borrowed.
struct pal_newmark;
void pal_body_attach(pal_body *body, struct pal_newmark *newmark);

#endif
