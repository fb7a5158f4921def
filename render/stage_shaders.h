// The shader programs of the stage, and what they share. Main thread, a context current.
#ifndef PAL_RENDER_STAGE_SHADERS_H
#define PAL_RENDER_STAGE_SHADERS_H

#include <stdint.h>

#include "sim/base/status.h"

enum { PAL_STAGE_ROW = 256 }; // colours of regions in a row of their texture

// What all programs know of a frame, as their uniform block has it.
typedef struct pal_stage_frame {
    float to_clip[16]; // from the world
    float to_lamp[16]; // from the world to the shadow map, 0..1
    float upright[16]; // to the world from what is right, ahead and up in the picture
    float eye[4];      // m
    float lamp[4];     // unit, towards it
    float fill[4];     // unit, towards a weaker one
    float screen[4];   // width, height in pixels; pixels a point
    float
        shadow[4]; // 1: there is one; taps; blur on the body, and on the ground, in 0..1 of the map
    float ground[4]; // centre to the right, ahead, height; radius at which it has faded, m
    float grid[4];   // spacing, m; strength; offset of places along the normal against shadows of
                     // their own, m; 1: tissue has fine folds
} pal_stage_frame;

typedef enum pal_stage_program {
    PAL_STAGE_BACKDROP, // behind everything
    PAL_STAGE_GROUND,
    PAL_STAGE_BODY,   // coloured by tone or region, or as tissue
    PAL_STAGE_SOLID,  // one colour, with a pose
    PAL_STAGE_SHADOW, // depth and cover as the lamp sees them, with a pose
    PAL_STAGE_BLUR,   // of that cover, for the ground
    PAL_STAGE_LINE,   // lines with a width
    PAL_STAGE_DOT,    // points with a size
    PAL_STAGE_DEFORM, // places of the surface from q, captured
    PAL_STAGE_FACET,  // corners from places, captured
    PAL_STAGE_PROGRAMS
} pal_stage_program;

enum { // texture units
    PAL_UNIT_COLOURS = 0,
    PAL_UNIT_SHADOW = 1,
    PAL_UNIT_BASIS = 2,
    PAL_UNIT_PLACES = 3,
    PAL_UNIT_PAIRS = 4,
    PAL_UNIT_SOFT = 5,
    PAL_UNIT_REGIONS = 6,
};

typedef struct pal_stage_shaders {
    unsigned program[PAL_STAGE_PROGRAMS];
    unsigned frame; // the buffer of the uniform block
} pal_stage_shaders;

// On failure nothing is left.
pal_status pal_stage_shaders_make(pal_stage_shaders *shaders, pal_err *err);
void pal_stage_shaders_free(pal_stage_shaders *shaders);
void pal_stage_shaders_frame(const pal_stage_shaders *shaders, const pal_stage_frame *frame);

// Uniforms of a program, which is then in use.
void pal_stage_use(const pal_stage_shaders *shaders, pal_stage_program which);
void pal_stage_set(const pal_stage_shaders *shaders, pal_stage_program which, const char *name,
                   const float *value, int count); // a float, a vector, or a matrix of 16
void pal_stage_set_int(const pal_stage_shaders *shaders, pal_stage_program which, const char *name,
                       int value);

// Points attributes 0 (place and tone) and 1 (normal) of the array that is bound at the buffer that
// is bound, which holds pal_facet_corner.
void pal_stage_attributes(void);

#endif
