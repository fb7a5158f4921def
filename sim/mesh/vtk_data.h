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

// Whole-numbered arrays over cells and points, one number each: the one over cells whose name is
// best known for it tells the regions (vtk_columns.c has the names, "region" first); each value of
// the others makes a set "name=value", and an array of 0 and 1 alone the one set "name". Of a flat
// cell its vertices are in the sets, those of the regions' array too. Arrays of more than
// PAL_DRAFT_NAMELESS values, such as numbers of cells, make none.
typedef struct pal_vtk_column {
    char name[PAL_REGION_NAME];
    bool of_cells;
    int64_t *value; // [cells or points]
} pal_vtk_column;

enum { PAL_VTK_COLUMNS = 64 }; // no more are kept

typedef struct pal_vtk_columns {
    int32_t count;
    pal_vtk_column list[PAL_VTK_COLUMNS];
} pal_vtk_columns;

// Keeps `value` (of the heap), or frees it when there are enough.
void pal_vtk_keep_column(pal_vtk_columns *columns, pal_word name, bool of_cells, int64_t *value);
void pal_vtk_free_columns(pal_vtk_columns *columns);

// The values of the array that tells the regions, or NULL.
const pal_vtk_column *pal_vtk_label(const pal_vtk_columns *columns);

typedef struct pal_vtk_cells {
    int64_t count;
    int64_t connectivity_count;
    const int64_t *type;         // [count] VTK numbers
    const int64_t *end;          // [count] where each cell's vertices end in connectivity
    const int64_t *connectivity; // [connectivity_count]
    const pal_vtk_columns *columns;
} pal_vtk_cells;

// Adds the volume cells to the draft: tetrahedra (10), voxels (11), hexahedra (12), and the sets.
// Flat cells are passed over. Everything is checked.
pal_status pal_vtk_add_cells(const pal_vtk_cells *cells, pal_draft *draft);

// The sets alone; element [cells->count]: what became of a cell, or -1.
pal_status pal_vtk_add_sets(const pal_vtk_cells *cells, const int64_t *element, pal_draft *draft);

#endif
