// A small made-up model for tests of what is done with models: valid, but of no real body.
#ifndef PAL_TESTS_MODEL_SAMPLE_H
#define PAL_TESTS_MODEL_SAMPLE_H

#include "sim/model/model.h"

typedef struct sample_size {
    pal_element_kind kind;
    int32_t vertices, elements, regions, r, modes, points, triangles;
} sample_size;

// Arrays of the given sizes, filled with numbers that depend on nothing but their place.
pal_status sample_model(const sample_size *size, pal_model *model, pal_err *err);

// A model of a few vertices, two regions and r = 3.
pal_status sample_small_model(pal_model *model, pal_err *err);

#endif
