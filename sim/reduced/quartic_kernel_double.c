#include "sim/reduced/quartic_kernel.h"

#include <stdbool.h>
#include <string.h>

#define REAL    double
#define LANES   4
#define NAME(x) x##_double

typedef long long ivec __attribute__((vector_size(32), may_alias));
typedef double rvec __attribute__((vector_size(32), may_alias));
static const ivec lane = {0, 1, 2, 3};

static inline rvec sum_rows(const rvec *d) {
    rvec a = __builtin_shufflevector(d[0], d[1], 0, 4, 2, 6) +
             __builtin_shufflevector(d[0], d[1], 1, 5, 3, 7);
    rvec b = __builtin_shufflevector(d[2], d[3], 0, 4, 2, 6) +
             __builtin_shufflevector(d[2], d[3], 1, 5, 3, 7);
    return __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
}

#include "sim/reduced/quartic_kernel.inc"
