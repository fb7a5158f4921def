// What the two ways of baking local compliance share. Private to sim/contact.
#ifndef PAL_CONTACT_LOCAL_PARTS_H
#define PAL_CONTACT_LOCAL_PARTS_H

#include "sim/base/sparse_chol.h"
#include "sim/contact/local_build.h"

typedef struct pal_local_job {
    pal_fem *fem; // its stiffness is K at rest
    int64_t n;    // free dofs
    int32_t r;
    double *u;  // U [r][n]
    double *ku; // K U [r][n]
    double *kr; // U^T K U = L L^T, L [r][r] row-major, lower
    double
        *v; // [row_count][3][r]: L^-1 U^T at the rows, so that U_a (U^T K U)^-1 U_b^T = V_a V_b^T
    const pal_progress *progress;
    pal_local *local; // with its pattern; the blocks are to be filled
} pal_local_job;

// Row a of pal_local as a free vertex, and where that is at rest.
static inline int32_t pal_local_free_index(const pal_local_job *job, int32_t a) {
    return job->fem->free_index[job->local->vertex[a]];
}
static inline const double *pal_local_place(const pal_local_job *job, int32_t a) {
    return job->fem->mesh->x + 3 * (int64_t)job->local->vertex[a];
}

// Factors K of a body that is held.
pal_status pal_local_factor(const pal_local_job *job, pal_chol *chol, pal_err *err);

// Fill the blocks. chol has analysed the pattern of K. element: m, their usual edge.
pal_status pal_local_exact(pal_local_job *job, pal_chol *chol, pal_err *err);
pal_status pal_local_fast(pal_local_job *job, pal_chol *chol, double element, pal_err *err);

#endif
