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

typedef struct pal_quartic {
    int32_t r;
    double *p; // [pal_pairs(r)]
    double *q; // [pal_triples(r)]
    double *s; // [pal_quadruples(r)]
} pal_quartic;

// How many sorted index tuples there are: C(r+1,2), C(r+2,3), C(r+3,4).
static inline int64_t pal_pairs(int64_t r) {
    return r * (r + 1) / 2;
}
static inline int64_t pal_triples(int64_t r) {
    return r * (r + 1) * (r + 2) / 6;
}
static inline int64_t pal_quadruples(int64_t r) {
    return r * (r + 1) * (r + 2) * (r + 3) / 24;
}

// Place of a sorted tuple i <= j <= k <= l.
static inline int64_t pal_pair_at(int64_t i, int64_t j) {
    return pal_pairs(j) + i;
}
static inline int64_t pal_triple_at(int64_t i, int64_t j, int64_t k) {
    return pal_triples(k) + pal_pair_at(i, j);
}
static inline int64_t pal_quadruple_at(int64_t i, int64_t j, int64_t k, int64_t l) {
    return pal_quadruples(l) + pal_triple_at(i, j, k);
}

// Energy V, force R [r] and stiffness K [r][r] (each may be NULL) at q [r]. The plain loops, kept
// as the oracle of faster kernels. RT safe.
double pal_quartic_eval(const pal_quartic *quartic, const double *q, double *force,
                        double *stiffness);

// out += weight * table, coefficient by coefficient (same r). RT safe.
void pal_quartic_add(pal_quartic *out, double weight, const pal_quartic *table);

#endif
