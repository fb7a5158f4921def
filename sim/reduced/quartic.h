// The reduced StVK energy, a quartic polynomial of q, by its unique coefficients (MATH.md 1):
//
//     V(q) = 1/2 P_ij qi qj + 1/6 Q_ijk qi qj qk + 1/24 S_ijkl qi qj qk ql
//     K(q) = P + K1 + K2,  K1_ij = Q_ijk qk,  K2_ij = 1/2 S_ijkl qk ql
//     R(q) = P q + 1/2 K1 q + 1/3 K2 q
//
// P, Q, S are totally symmetric; only sorted indices are stored, ordered by the largest index first
// (i <= j <= k <= l): so the coefficients of the first r' <= r coordinates are a prefix, and any r'
// can be used as it is.
#ifndef PAL_REDUCED_QUARTIC_H
#define PAL_REDUCED_QUARTIC_H

#include <stdint.h>

#include "sim/base/packed.h"

typedef struct pal_quartic {
    int32_t r;
    double *p; // [pal_pairs(r)]
    double *q; // [pal_triples(r)]
    double *s; // [pal_quadruples(r)]
} pal_quartic;

// Energy V, force R [r] and stiffness K [r][r] (each may be NULL) at q [r]. The plain loops, kept
// as the oracle of faster kernels. RT safe.
double pal_quartic_eval(const pal_quartic *quartic, const double *q, double *force,
                        double *stiffness);

// out += weight * table, coefficient by coefficient (same r). RT safe.
void pal_quartic_add(pal_quartic *out, double weight, const pal_quartic *table);

#endif
