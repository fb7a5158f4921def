// Domains stepped one by one: vectors run along the modes.
#include <stdint.h>
#include <string.h>

#include "sim/substruct/tree_state.h"

#define REAL  double
#define WIDTH 1

// k [pairs] and force [r] at q, by the kernel of single bodies; the energy.
static double evaluate(const pal_class_table *t, const double *q, double *k, double *force,
                       double *scratch) {
    const int32_t r = t->r, ld = pal_round4(r);
    if (r == 0) {
        return 0.0;
    }
    double *full = scratch, *half = full + ld * ld, *padded = half + 2 * ld;
    double *rest = padded + 2 * ld;
    memset(padded, 0, 2 * (size_t)ld * sizeof *padded);
    memcpy(padded, q, (size_t)r * sizeof *q);
    pal_kernel_eval_double(&t->kernel, t->p_full, padded, rest, full, half);
    double energy = 0.0;
    for (int32_t i = 0; i < r; i++) { // R = (K q + 2 P q + K1 q / 2) / 3
        const double *row = full + i * ld, *linear = t->p_full + i * ld;
        double tangent = 0.0, straight = 0.0;
        for (int32_t l = 0; l < r; l++) {
            tangent += row[l] * q[l];
            straight += linear[l] * q[l];
        }
        force[i] = (tangent + 2.0 * straight + half[i]) / 3.0;
        // Euler's identity of each degree: V = q.R/4 + q.P q/4 + q.K1 q/24
        energy += q[i] * (0.25 * force[i] + 0.25 * straight + half[i] / 12.0);
        memcpy(k + pal_row_start(r, i), row + i, (size_t)(r - i) * sizeof *k);
    }
    return energy;
}

// n [12][stride]: N_l by its parts (9, as in the table), and int rho (U q') x U_l. Eight modes at a
// time.
static void mix(const pal_tree_block *b, double *n, int32_t stride) {
    const pal_class_table *t = b->table;
    const int32_t r = t->r;
    for (int32_t l = 0; l < stride; l += PAL_LANES8) {
        pal_vec8 sum[12];
        for (int e = 0; e < 12; e++) {
            sum[e] = e < 9 ? *(const pal_vec8 *)(t->still + e * stride + l) : (pal_vec8){0};
        }
        for (int32_t p = 0; p < r; p++) {
            const double *from = t->mix_wide + (size_t)(9 * p * stride + l);
            const double q = b->q[p], v = b->v[p];
            for (int e = 0; e < 9; e++) {
                sum[e] += *(const pal_vec8 *)(from + e * stride) * q;
            }
            for (int e = 6; e < 9; e++) {
                sum[3 + e] += *(const pal_vec8 *)(from + e * stride) * v;
            }
        }
        for (int e = 0; e < 12; e++) {
            *(pal_vec8 *)(n + e * stride + l) = sum[e];
        }
    }
}

#include "sim/substruct/domain_block.inc"

const pal_block_functions pal_block_single = {assemble, factor, condense, advance, alone, hold};
