// Eight domains of one class at a time: vectors run along the instances.
#include <stdint.h>
#include <string.h>

#include "sim/substruct/tree_state.h"

#define REAL  pal_vec8
#define WIDTH PAL_LANES8

// k [pairs] and force [r] at q, and the energy. In two stages: C_n = sum_l S_nl q_l for the triples
// n, then K2_s = 1/2 sum_c C_sc q_c and K1_s = sum_c Q_sc q_c for the pairs s.
static pal_vec8 evaluate(const pal_class_table *t, const pal_vec8 *q, pal_vec8 *k, pal_vec8 *force,
                         double *scratch) {
    enum { GROUP = 6 };
    const int32_t r = t->r, triples = (int32_t)pal_triples(r);
    pal_vec8 *c = (pal_vec8 *)scratch;
    const double *from = t->quartic;
    for (int32_t n = 0; n < triples; n += GROUP) {
        pal_vec8 sum[GROUP] = {{0}};
        for (int32_t l = 0; l < r; l++, from += GROUP) {
            const pal_vec8 ql = q[l];
            for (int u = 0; u < GROUP; u++) {
                sum[u] += from[u] * ql;
            }
        }
        for (int u = 0; u < GROUP; u++) {
            c[n + u] = sum[u];
        }
    }
    for (int32_t i = 0; i < r; i++) {
        force[i] = (pal_vec8){0};
    }
    const double *cubic = t->cubic;
    const uint16_t *at = t->triple;
    pal_vec8 energy = {0};
    for (int32_t i = 0, s = 0; i < r; i++) {
        const pal_vec8 qi = q[i];
        pal_vec8 own = {0}, held = {0};
        for (int32_t j = i; j < r; j++, s++, at += r, cubic += r) {
            pal_vec8 second[2] = {{0}}, first[2] = {{0}};
            int32_t l = 0;
            for (; l + 1 < r; l += 2) {
                second[0] += c[at[l]] * q[l];
                first[0] += cubic[l] * q[l];
                second[1] += c[at[l + 1]] * q[l + 1];
                first[1] += cubic[l + 1] * q[l + 1];
            }
            if (l < r) {
                second[0] += c[at[l]] * q[l];
                first[0] += cubic[l] * q[l];
            }
            const pal_vec8 k1 = first[0] + first[1], k2 = 0.5 * (second[0] + second[1]);
            k[s] = t->p[s] + k1 + k2;
            const pal_vec8 share = t->p[s] + 0.5 * k1 + (1.0 / 3.0) * k2;
            const pal_vec8 part =
                ((j > i ? 1.0 : 0.5) * t->p[s] + (j > i ? 1.0 / 3.0 : 1.0 / 6.0) * k1 +
                 (j > i ? 1.0 / 6.0 : 1.0 / 12.0) * k2); // V = q.(P/2 + K1/6 + K2/12) q
            own += share * q[j];
            held += part * q[j];
            if (j > i) {
                force[j] += share * qi;
            }
        }
        force[i] += own;
        energy += held * qi;
    }
    return energy;
}

// n [12][stride]: N_l by its parts (9, as in the table), and int rho (U q') x U_l.
static void mix(const pal_tree_block *b, pal_vec8 *n, int32_t stride) {
    const pal_class_table *t = b->table;
    const int32_t r = t->r;
    const pal_vec8 *q = (const pal_vec8 *)b->q, *v = (const pal_vec8 *)b->v;
    const double *from = t->mix;
    for (int32_t l = 0; l < r; l++) {
        pal_vec8 sum[12];
        for (int e = 0; e < 12; e++) {
            sum[e] = e < 9 ? pal_splat8(t->still[e * t->stride + l]) : (pal_vec8){0};
        }
        for (int32_t p = 0; p < r; p++, from += 9) {
            const pal_vec8 qp = q[p], vp = v[p];
            for (int e = 0; e < 9; e++) {
                sum[e] += from[e] * qp;
            }
            for (int e = 6; e < 9; e++) {
                sum[3 + e] += from[e] * vp;
            }
        }
        for (int e = 0; e < 12; e++) {
            n[e * stride + l] = sum[e];
        }
    }
}

#include "sim/substruct/domain_block.inc"

const pal_block_functions pal_block_eight = {assemble, factor, condense, advance, alone, hold};
