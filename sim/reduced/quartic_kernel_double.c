#include "sim/reduced/quartic_kernel.h"

#include <stdbool.h>
#include <string.h>

#include "sim/reduced/newmark.h"
#include "sim/reduced/vec4.h"

#define REAL    double
#define WHOLE   long long
#define LANES   4
#define NAME(x) x##_double

typedef WHOLE ivec __attribute__((vector_size(32), may_alias));
typedef REAL rvec __attribute__((vector_size(32), may_alias));
static const ivec lane = {0, 1, 2, 3};

static inline rvec sum_rows(const rvec *d) {
    return pal_sum_rows4(d);
}

static inline void sum_four(rvec a, rvec b, rvec c, rvec d, double *out) {
    const rvec rows[4] = {a, b, c, d};
    rvec sum = pal_sum_rows4(rows);
    memcpy(out, &sum, sizeof sum);
}

#include "sim/reduced/quartic_kernel.inc"
