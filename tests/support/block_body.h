// A block of voxels or tets as a finite-element problem, for laws that need no oracle.
#ifndef PAL_TESTS_BLOCK_BODY_H
#define PAL_TESTS_BLOCK_BODY_H

#include "sim/fem/problem.h"

typedef struct block_body {
    pal_volmesh mesh;
    pal_fem fem;
} block_body;

// nx x ny x nz cubes of edge h; the face x = 0 is held unless is_free. Regions: one, or two (the
// half with larger x is region 1, three times as stiff and half as dense).
typedef struct block_shape {
    pal_element_kind kind;
    int32_t n[3];
    double h;
    bool is_free;
    int32_t regions;
    pal_material material; // of region 0; young 0: 1e5 Pa, 0.4, 1000 kg/m3
} block_shape;

void block_open(block_body *body, const block_shape *shape);
void block_close(block_body *body);

// 1 where the vertex is on the face x = 0; heap array.
uint8_t *block_held(const pal_volmesh *mesh);

#endif
