// Totally symmetric tensors by their unique entries: only sorted indices i <= j <= k <= l are
// stored, ordered by the largest index first, so that the entries with all indices below r' are a
// prefix. RT safe.
#ifndef PAL_BASE_PACKED_H
#define PAL_BASE_PACKED_H

#include <stdint.h>

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

// The same by indices in any order.
static inline int64_t pal_triple_of(int64_t a, int64_t b, int64_t c) {
    int64_t low = a < b ? a : b, high = a < b ? b : a;
    if (c >= high) {
        return pal_triple_at(low, high, c);
    }
    return c >= low ? pal_triple_at(low, c, high) : pal_triple_at(c, low, high);
}
static inline int64_t pal_quadruple_of(int64_t a, int64_t b, int64_t c, int64_t d) {
    int64_t x[4] = {a, b, c, d};
    for (int m = 1; m < 4; m++) { // insertion sort
        for (int n = m; n > 0 && x[n] < x[n - 1]; n--) {
            int64_t swap = x[n];
            x[n] = x[n - 1];
            x[n - 1] = swap;
        }
    }
    return pal_quadruple_at(x[0], x[1], x[2], x[3]);
}

#endif
