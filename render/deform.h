// The surface as the reduced coordinates and the dents have it, on the CPU:
//
//     x = rest + W U q + W d            [BJ05 3.1, 6.4]
//
// with W the embedding of the surface in the volume mesh, U the basis and d the dents. W U is kept
// in single precision, point after point in blocks of lanes, so that u = U q reads it once from
// front to back and does little else.
#ifndef PAL_RENDER_DEFORM_H
#define PAL_RENDER_DEFORM_H

#include "haptics/snapshot.h"
#include "sim/model/model.h"

enum { PAL_DEFORM_LANES = 16 };

typedef struct pal_deform {
    int32_t point_count, r, block_count;
    float *basis; // [block_count][r][3][PAL_DEFORM_LANES]
    float *rest;  // [block_count][3][PAL_DEFORM_LANES]

    // The surface points that a volume vertex carries
    int32_t vertex_count;
    int32_t *first; // [vertex_count + 1]
    int32_t *point; // [first[vertex_count]]
    float *weight;  // [first[vertex_count]]

    // Beside the coordinates: dents, and a number to colour by
    float *extra;    // [point_count][4]: displacement (m), number
    int32_t *dented; // [point_count] points with a dent
    int32_t dented_count;
} pal_deform;

typedef enum pal_deform_tone { // what goes with the places
    PAL_DEFORM_MOVED,          // m, how far each has come
    PAL_DEFORM_NUMBER,         // extra[3]
} pal_deform_tone;

// The model is not kept. Set-up only; on failure *deform is empty.
pal_status pal_deform_open(pal_deform *deform, const pal_model *model, pal_err *err);
void pal_deform_close(pal_deform *deform);

// Bytes that one evaluation reads.
static inline double pal_deform_bytes(const pal_deform *deform) {
    return (double)deform->block_count * PAL_DEFORM_LANES * 3.0 * deform->r * sizeof(float);
}

// The dents of a snapshot in the place of the last ones: of one domain of a tree, 0 of a body of
// one piece (-1: none). points [2]: the span of points that changed, first and one past the last;
// empty when they are equal.
void pal_deform_set_dents(pal_deform *deform, const pal_snapshot *shot, int32_t domain,
                          int32_t span[2]);

// place [point_count][4] = (x, tone) at q [r]. Any thread.
void pal_deform_places(const pal_deform *deform, const float *q, pal_deform_tone tone,
                       float *place);

typedef struct pal_deform_extent {
    double most;            // m, how far a point has moved
    double low[3], high[3]; // m, the box about all
} pal_deform_extent;

// Of a sample of the points (at most 2048), and of those with dents.
pal_deform_extent pal_deform_measure(const pal_deform *deform, const float *q);

#endif
