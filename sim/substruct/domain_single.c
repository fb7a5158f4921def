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

// n [12][stride]: N_l, and int rho (U q') x U_l.
static void mix(const pal_tree_block *b, double *n, int32_t stride) {
    const pal_class_table *t = b->table;
    const int32_t r = t->r;
    for (int e = 0; e < 12; e++) {
        double *out = n + e * stride;
        for (int32_t l = 0; l < stride; l++) {
            out[l] = e < 9 && l < r ? t->class_->xu[9 * l + e] : 0.0;
        }
        const double *x = e < 9 ? b->q : b->v;
        for (int32_t p = 0; p < r; p++) {
            const double *row = t->mix_wide + ((size_t)e * (size_t)r + (size_t)p) * (size_t)stride;
            const double by = x[p];
            for (int32_t l = 0; l < stride; l++) {
                out[l] += row[l] * by;
            }
        }
    }
}

#include "sim/substruct/domain_block.inc"

const pal_block_functions pal_block_single = {assemble, factor, condense, advance, alone, hold};
