#include "sim/reduced/quartic.h"

#include <stddef.h>

// P_ab, (K1)_ab and (K2)_ab at q.
static void stiffness_terms(const pal_quartic *t, const double *q, int32_t a, int32_t b,
                            double k[3]) {
    k[0] = t->p[a <= b ? pal_pair_at(a, b) : pal_pair_at(b, a)];
    k[1] = k[2] = 0.0;
    for (int32_t c = 0; c < t->r; c++) {
        k[1] += t->q[pal_triple_of(a, b, c)] * q[c];
        for (int32_t d = 0; d < c; d++) {
            k[2] += t->s[pal_quadruple_of(a, b, c, d)] * q[c] * q[d];
        }
        k[2] += 0.5 * t->s[pal_quadruple_of(a, b, c, c)] * q[c] * q[c];
    }
}

double pal_quartic_eval(const pal_quartic *quartic, const double *q, double *force,
                        double *stiffness) {
    int32_t r = quartic->r;
    double energy = 0.0;
    for (int32_t a = 0; a < r; a++) {
        double force_a = 0.0;
        for (int32_t b = 0; b < r; b++) {
            double k[3];
            stiffness_terms(quartic, q, a, b, k);
            // R = P q + K1 q / 2 + K2 q / 3;  V = q.P q / 2 + q.K1 q / 6 + q.K2 q / 12
            force_a += (k[0] + k[1] / 2.0 + k[2] / 3.0) * q[b];
            energy += q[a] * (k[0] / 2.0 + k[1] / 6.0 + k[2] / 12.0) * q[b];
            if (stiffness != NULL) {
                stiffness[a * r + b] = k[0] + k[1] + k[2];
            }
        }
        if (force != NULL) {
            force[a] = force_a;
        }
    }
    return energy;
}

static void add(double *out, double weight, const double *in, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        out[i] += weight * in[i];
    }
}

void pal_quartic_add(pal_quartic *out, double weight, const pal_quartic *table) {
    add(out->p, weight, table->p, pal_pairs(out->r));
    add(out->q, weight, table->q, pal_triples(out->r));
    add(out->s, weight, table->s, pal_quadruples(out->r));
}
