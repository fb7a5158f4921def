// The steps of an automatic cut: a field on the vertices, slices of it, merging. Set-up only.
#ifndef PAL_SUBSTRUCT_PARTITION_CUT_H
#define PAL_SUBSTRUCT_PARTITION_CUT_H

#include "sim/mesh/volmesh.h"

// field [vertex_count]: the coordinate along the longest side of the bounding box; or the distance
// along the mesh, over edges and diagonals of its elements, from the fixed vertices (NULL or none:
// from one end, the vertex farthest from the one that is farthest from the first).
void pal_cut_axis_field(const pal_volmesh *mesh, double *field);
pal_status pal_cut_distance_field(const pal_volmesh *mesh, const uint8_t *fixed, double *field,
                                  pal_err *err);

// Slices of about equally many elements, in the order of the least field of their vertices; each is
// so thick that the one before it and the one after it share no vertex, so there may be fewer than
// `count`. label [element_count].
pal_status pal_cut_slices(const pal_volmesh *mesh, const double *field, int32_t count,
                          int32_t *label, pal_err *err);

// Merges as pal_partition_cut says; label [element_count], 0..*count-1, connected pieces, of which
// those with fewer than `least` elements are too small.
pal_status pal_cut_merge(const pal_volmesh *mesh, const uint8_t *fixed, int32_t least,
                         int32_t *label, int32_t *count, int32_t *merges, pal_err *err);

#endif
