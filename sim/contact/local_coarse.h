// The coarse space of the fast way: trilinear functions of a regular grid over the body, and the
// basis. Private to sim/contact.
#ifndef PAL_CONTACT_LOCAL_COARSE_H
#define PAL_CONTACT_LOCAL_COARSE_H

#include "sim/contact/local_parts.h"

enum { PAL_COARSE_NEAR = 125 }; // nodes that the neighbours of one vertex can see

typedef struct pal_coarse {
    double low[3], edge; // m
    int32_t cells[3];
    int32_t *node; // [(cells + 1)^3] number of a grid node, -1 where no free vertex sees it
    int32_t node_count;
    int32_t r, size; // size = 3 node_count + r
    double *inverse; // [size][size]: (Q^T K Q)^-1 less the modes' own (U^T K U)^-1, Q = [P, U]
    double *kr;      // [r][r] (U^T K U)^-1
} pal_coarse;

// A row of a matrix of 3x3 blocks whose columns are nodes.
typedef struct pal_coarse_row {
    int32_t count;
    int32_t node[PAL_COARSE_NEAR];
    double block[PAL_COARSE_NEAR][9];
} pal_coarse_row;

pal_status pal_coarse_make(const pal_local_job *job, double element, pal_coarse *coarse,
                           pal_err *err);
void pal_coarse_free(pal_coarse *coarse);

// The eight nodes about a free vertex and their weights (a node of weight 0 may be -1).
void pal_coarse_shape(const pal_coarse *coarse, const pal_fem *fem, int32_t i, int32_t node[8],
                      double weight[8]);

// Row i (a free vertex) of K P.
void pal_coarse_stiffness_row(const pal_coarse *coarse, const pal_fem *fem, int32_t i,
                              pal_coarse_row *row);

#endif
