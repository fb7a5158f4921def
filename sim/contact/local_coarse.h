// The coarse space of the fast way: the answers of the whole body to loads spread by the trilinear
// functions of a regular grid, less what the basis makes of them. Private to sim/contact.
#ifndef PAL_CONTACT_LOCAL_COARSE_H
#define PAL_CONTACT_LOCAL_COARSE_H

#include "sim/contact/local_parts.h"

typedef struct pal_coarse {
    double low[3], edge; // m
    int32_t cells[3];
    int32_t *node; // [(cells + 1)^3] number of a grid node, -1 where no free vertex sees it
    int32_t node_count;
    int32_t size;    // 3 node_count
    double *q;       // [row_count][3][size] Q at the rows
    double *inverse; // [size][size] (Q^T K Q)^-1
    double *part;    // [r][size] (U^T K U)^-1 U^T P
    double *kr;      // [r][r] (U^T K U)^-1
} pal_coarse;

// chol: of K. element: m, their usual edge.
pal_status pal_coarse_make(const pal_local_job *job, pal_chol *chol, double element,
                           pal_coarse *coarse, pal_err *err);
void pal_coarse_free(pal_coarse *coarse);

// The eight nodes about a free vertex and their weights (a node of weight 0 may be -1).
void pal_coarse_shape(const pal_coarse *coarse, const pal_fem *fem, int32_t i, int32_t node[8],
                      double weight[8]);

#endif
