// Whether two sets of elements of a mesh are the same but for a rotation, a translation and a
// uniform scale. Set-up only.
#ifndef PAL_SUBSTRUCT_CONGRUENCE_H
#define PAL_SUBSTRUCT_CONGRUENCE_H

#include <stdbool.h>

#include "sim/mesh/volmesh.h"

// Elements a[k] and b[k] are held against each other corner by corner: they must come in the same
// order, their vertices need not.
typedef struct pal_congruence {
    bool holds;
    char why[200];            // what does not match, "" where it holds; with numbers of the mesh
    double turn[3][3], scale; // x_b = centre_b + scale turn (x_a - centre_a)
    double centre_a[3], centre_b[3]; // means of their vertices
    double worst;                    // m: how far the worst vertex is from there
} pal_congruence;

typedef struct pal_vertex_map { // scratch for many comparisons on one mesh
    int32_t *image;             // [vertex_count] of a's vertices among b's; -1: it is none of a's
    int32_t *origin;            // [vertex_count] the other way round
    int32_t *list, count;       // a's vertices
} pal_vertex_map;
pal_status pal_vertex_map_open(pal_vertex_map *map, int32_t vertex_count, pal_err *err);
void pal_vertex_map_close(pal_vertex_map *map);

// That they are not congruent is no failure: see `holds`. The map tells which vertex is which until
// the next call.
pal_status pal_congruence_find(const pal_volmesh *mesh, int32_t count, const int32_t *a,
                               const int32_t *b, pal_vertex_map *map, pal_congruence *found,
                               pal_err *err);

#endif
