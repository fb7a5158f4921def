// Where the points of a body are now, remembered for the length of one query: triangles share their
// corners, and a corner costs 3 r multiplications. Lives on the stack of a query. RT safe.
#ifndef PAL_CONTACT_PLACES_H
#define PAL_CONTACT_PLACES_H

#include <string.h>

#include "sim/reduced/body.h"

enum { PAL_PLACES = 256 }; // a power of two

typedef struct pal_places {
    const pal_body *body;
    int32_t point[PAL_PLACES]; // whose place it is, -1: nobody's
    double x[PAL_PLACES][3];
} pal_places;

static inline void pal_places_init(pal_places *places, const pal_body *body) {
    places->body = body;
    memset(places->point, -1, sizeof places->point);
}

static inline const double *pal_places_point(pal_places *places, int32_t point) {
    const int32_t slot = point & (PAL_PLACES - 1);
    if (places->point[slot] != point) {
        places->body->functions->position(places->body, point, places->x[slot]);
        places->point[slot] = point;
    }
    return places->x[slot];
}

static inline void pal_places_triangle(pal_places *places, int32_t triangle, double corner[3][3]) {
    const int32_t *point = places->body->triangle + 3 * (int64_t)triangle;
    for (int i = 0; i < 3; i++) {
        memcpy(corner[i], pal_places_point(places, point[i]), sizeof corner[i]);
    }
}

#endif
