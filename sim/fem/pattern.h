// The sparsity of a finite-element problem: 3x3 blocks between free vertices that share an element,
// or carry a vertex of one.
#ifndef PAL_FEM_PATTERN_H
#define PAL_FEM_PATTERN_H

#include "sim/fem/problem.h"

// Fills block_start, block_col, slot (-1 all over elements with carried corners) and the stiffness
// matrix's start, col and (zero) value.
pal_status pal_fem_make_pattern(pal_fem *fem, pal_err *err);

// The stiffness matrix of blocks that are there: every block row becomes three scalar rows.
pal_status pal_fem_make_rows(pal_fem *fem, pal_err *err);

// The block (i, j), which must be there.
int32_t pal_fem_find_block(const pal_fem *fem, int32_t i, int32_t j);

// Place of entry (r, c) of block b, which is in block row i, among the values of a matrix.
static inline int64_t pal_fem_entry(const pal_fem *fem, int32_t i, int32_t b, int r, int c) {
    int64_t first = fem->block_start[i], width = fem->block_start[i + 1] - first;
    return 9 * first + 3 * (r * width + (b - first)) + c;
}

#endif
