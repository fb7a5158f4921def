// Bodies drawn cell by cell on a regular grid (sim/mesh/voxelize.h): letters, space stations.
#ifndef PAL_SCENES_LATTICE_H
#define PAL_SCENES_LATTICE_H

#include "scenes/domain_grow.h"
#include "sim/mesh/voxelize.h"

typedef struct pal_lattice {
    pal_grid grid;  // of cells of edge 1, from the origin
    int16_t *label; // [cells] region of each; -1: empty
} pal_lattice;

pal_status pal_lattice_alloc(pal_lattice *lattice, int32_t nx, int32_t ny, int32_t nz,
                             pal_err *err);
void pal_lattice_free(pal_lattice *lattice);
static inline int16_t *pal_lattice_cell(pal_lattice *lattice, int32_t i, int32_t j, int32_t k) {
    return &lattice->label[i + lattice->grid.n[0] * (j + (int64_t)lattice->grid.n[1] * k)];
}
// Gives the cells low <= cell < high a label.
void pal_lattice_fill(pal_lattice *lattice, const int32_t low[3], const int32_t high[3],
                      int16_t label);

// Each voxel as six tets around its diagonal, all alike; regions stay. *tets is empty on failure.
pal_status pal_tets_of_voxels(const pal_volmesh *voxels, pal_volmesh *tets, pal_err *err);

// A class of voxels: its mesh from the filled cells, moved by -origin and scaled by h; not held
// yet.
pal_status pal_class_shape_voxels(pal_class_shape *class_, const char *name, int32_t modes,
                                  const pal_lattice *lattice, const double origin[3], double h,
                                  pal_err *err);
// Holds the vertices of a box (in the class's own metres).
void pal_class_shape_hold(pal_class_shape *class_, const double low[3], const double high[3]);
// A port of the vertices of a box.
pal_status pal_class_shape_box_port(pal_class_shape *class_, const double low[3],
                                    const double high[3], const double normal[3], pal_err *err);

#endif
