// A block, fine under a ball and coarser away from it, reduced to modes and local compliance: for
// tests of indentation.
#ifndef PAL_TESTS_PRESS_H
#define PAL_TESTS_PRESS_H

#include "sim/contact/local_build.h"
#include "sim/fem/indent.h"
#include "sim/mesh/surface.h"

typedef struct press_shape {
    pal_element_kind kind;
    double low[3], high[3]; // m; the ball comes down (-z) on (0, 0, high[2])
    double fine;            // m, elements within `zone` of that point along each axis
    double zone[3];
    double growth; // of the elements beyond
    // A ball of stiffer material below the surface; contrast 0: none.
    double contrast, lump_radius, lump_depth;
    bool overhangs; // the bottom is held only where x is below `hold_end`
    double hold_end;
} press_shape;

typedef struct press {
    pal_volmesh mesh;
    pal_fem fem;
    pal_surface surface;
    pal_embedding embedding;
    int32_t r;
    double *basis; // [3 vertex_count][r]
    pal_local local;
    pal_local_report report;
} press;

// Which vertices of its mesh are held: [vertex_count], to be freed.
uint8_t *press_held(const press_shape *shape, const pal_volmesh *mesh);

// E = 12 kPa, nu = 0.45; the bottom face is held.
void press_open(press *p, const press_shape *shape);
void press_close(press *p);

// r linear modes; then local compliance for what is near (0, 0, top), or all (reach 0).
void press_reduce(press *p, int32_t r);
void press_localise(press *p, pal_local_choice choice, double radius, double reach);

// w [3 count][3 count] += the compliance of modes and local compliance at the vertices.
void press_compliance(const press *p, int32_t count, const int32_t *vertex, double *w);

// The ball's forces at the depths: by modes alone, and with local compliance.
void press_reduced(const press *p, const pal_indent_spec *spec, bool with_local,
                   pal_indent_result *result);

// The truth, full and linear, for a ball that no place of the surface may be in (pal_indent_linear
// keeps only the vertices out of it, and lets the facets between them in): `parts` squared points
// on each facet. No friction, nothing soft in between.
void press_facets(press *p, const pal_indent_spec *spec, int parts, pal_indent_result *result);

// A ball of 5 mm on (x, y) of the top, at 1, 2 and 5 mm.
pal_indent_spec press_ball(const press *p, double x, double y);

#endif
