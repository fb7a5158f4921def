// The fast evaluation of a quartic: K, R and V in one pass over the unique coefficients. Internal
// to sim/reduced; quartic.c has the plain loops that are its oracle.
//
// With sorted indices i <= j <= k <= l and s = (k, l) the pairs in rows of k, the nonlinear energy
// is
//
//     V = sum_s T_s p_s,   p_s = q_k q_l,   T_s = sum_a c3_as q_a + sum_{i<=j} c4_ijs q_i q_j
//
// (c3, c4 carry the multiplicity of their index tuple). With C_as = dT_s/dq_a and g_ij = sum_s
// c4_ijs p_s
//
//     K = P + G + G^T,   G_ab = [a<=b] (g_ab + T_ab) + sum_s C_as dp_s/dq_b
//
// so each coefficient c4 is read once and used in three multiply-adds: g_ij += c p_s, C_i += c q_j,
// C_j += c q_i. Up to r = 8 a plain product is faster: see quartic_kernel_small.inc, with tables of
// its own.
#ifndef PAL_REDUCED_QUARTIC_KERNEL_H
#define PAL_REDUCED_QUARTIC_KERNEL_H

#include <stddef.h>

#include "sim/reduced/quartic.h"

typedef struct pal_kernel_table { // coefficients in the kernel's order
    int32_t r;
    void *quartic; // c4 in 2x2 tiles of (i, j), vectors of s
    void *cubic;   // c3 [even r][pairs, padded]
} pal_kernel_table;

// The same two functions and the same memory sizes for both precisions.
#define PAL_KERNEL_FUNCTIONS(suffix)                                                               \
    size_t pal_kernel_quartic_bytes_##suffix(int32_t r);                                           \
    size_t pal_kernel_cubic_bytes_##suffix(int32_t r);                                             \
    size_t pal_kernel_scratch_bytes_##suffix(int32_t r);                                           \
    void pal_kernel_fill_##suffix(pal_kernel_table *table, const pal_quartic *quartic);            \
    /* k [ld][ld] = P + K1 + K2 (ld = r rounded up to 4, padding zero); half_k1_q [ld] = K1 q / 2. \
       p is P [ld][ld], q [ld] zero-padded. RT safe. */                                            \
    void pal_kernel_eval_##suffix(const pal_kernel_table *table, const double *p, const double *q, \
                                  void *scratch, double *k, double *half_k1_q);

PAL_KERNEL_FUNCTIONS(double)
PAL_KERNEL_FUNCTIONS(float)

static inline int32_t pal_round4(int32_t n) {
    return (n + 3) & ~3;
}

#endif
