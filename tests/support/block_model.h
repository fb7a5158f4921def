// A made-up model to draw: a block of voxels with analytic shapes for a basis (bending both ways,
// twisting, stretching, second bending both ways). Not a baked one: no mechanics in it.
#ifndef PAL_TESTS_BLOCK_MODEL_H
#define PAL_TESTS_BLOCK_MODEL_H

#include "sim/model/model.h"

enum { BLOCK_SHAPES = 6 };

typedef struct block_spec {
    int32_t cells[3];
    double side[3]; // m
    bool rounded;   // an ellipsoid in the place of the box
    int axis;       // along which it bends, held at its lower end
} block_spec;

// The texts are borrowed from static storage; free with block_model_free.
pal_status block_model_make(const block_spec *spec, pal_model *model, pal_err *err);
void block_model_free(pal_model *model);

#endif
