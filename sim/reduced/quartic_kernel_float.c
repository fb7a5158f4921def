#include "sim/reduced/quartic_kernel.h"

#include <stdbool.h>
#include <string.h>

#include "sim/reduced/newmark.h"
#include "sim/reduced/vec4.h"

#define REAL    float
#define WHOLE   int
#define LANES   8
#define NAME(x) x##_float

typedef WHOLE ivec __attribute__((vector_size(32), may_alias));
typedef REAL rvec __attribute__((vector_size(32), may_alias));
static const ivec lane = {0, 1, 2, 3, 4, 5, 6, 7};

// Sums neighbouring lanes of a and b: lanes 0, 2, 4, 6 of the answer belong to a, the others to b.
static inline rvec sum_neighbours(rvec a, rvec b) {
    return __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14) +
           __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
}

// The same over lanes two apart.
static inline rvec sum_pairs(rvec a, rvec b) {
    return __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13) +
           __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
}

static inline rvec sum_rows(const rvec *d) {
    rvec a = sum_pairs(sum_neighbours(d[0], d[1]), sum_neighbours(d[2], d[3]));
    rvec b = sum_pairs(sum_neighbours(d[4], d[5]), sum_neighbours(d[6], d[7]));
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11) +
           __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
}

static inline void sum_four(rvec a, rvec b, rvec c, rvec d, float *out) {
    rvec halves = sum_pairs(sum_neighbours(a, b), sum_neighbours(c, d));
    for (int t = 0; t < 4; t++) {
        out[t] = halves[t] + halves[t + 4];
    }
}

#include "sim/reduced/quartic_kernel.inc"
