// What the two VTK formats share: types of numbers, cells, names of label arrays. Any thread.
#ifndef PAL_MESH_VTK_DATA_H
#define PAL_MESH_VTK_DATA_H

#include "sim/mesh/draft.h"

typedef struct pal_vtk_type {
    const char *xml;    // its name in .vtu files, or NULL
    const char *legacy; // its name in .vtk files, or NULL
    int size;           // bytes
    bool is_real, is_signed;
} pal_vtk_type;

// The type of a name (case matters as little as in VTK), or NULL.
const pal_vtk_type *pal_vtk_find_type(pal_word name, bool xml);

// The numbers of a block of count * type->size bytes (the caller has checked that they are there).
// A real number becomes a whole one by cutting; one that does not fit becomes -1.
void pal_vtk_decode_reals(const pal_vtk_type *type, bool big_endian, const unsigned char *bytes,
                          int64_t count, double *out);
void pal_vtk_decode_ints(const pal_vtk_type *type, bool big_endian, const unsigned char *bytes,
                         int64_t count, int64_t *out);

// Whether an array of this name over the cells tells their regions.
bool pal_vtk_is_label(pal_word name);

typedef struct pal_vtk_cells {
    int64_t count;
    int64_t connectivity_count;
    const int64_t *type;         // [count] VTK numbers
    const int64_t *end;          // [count] where each cell's vertices end in connectivity
    const int64_t *connectivity; // [connectivity_count]
    const int64_t *label;        // [count], or NULL
} pal_vtk_cells;

// Adds the volume cells to the draft: tetrahedra (10), voxels (11), hexahedra (12). Flat cells are
// passed over. Everything is checked.
pal_status pal_vtk_add_cells(const pal_vtk_cells *cells, pal_draft *draft);

#endif
