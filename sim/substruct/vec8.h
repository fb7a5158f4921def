// Eight doubles side by side: the same number of eight instances, or of eight ports. Internal to
// sim/substruct. All RT safe.
#ifndef PAL_SUBSTRUCT_VEC8_H
#define PAL_SUBSTRUCT_VEC8_H

#pragma GCC diagnostic ignored                                                                     \
    "-Wpsabi" // all functions here are inlined: their ABI does not matter

enum { PAL_LANES8 = 8 };

typedef double pal_vec8 __attribute__((vector_size(64), may_alias));
typedef double pal_loose8 __attribute__((vector_size(64), may_alias, aligned(8))); // anywhere

static inline pal_vec8 pal_splat8(double x) {
    return x - (pal_vec8){0};
}

// Rows become columns.
static inline void pal_transpose8(pal_vec8 *m) {
    pal_vec8 a[8], b[8];
    for (int k = 0; k < 8; k += 2) {
        a[k] = __builtin_shufflevector(m[k], m[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        a[k + 1] = __builtin_shufflevector(m[k], m[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int k = 0; k < 8; k += 4) {
        for (int odd = 0; odd < 2; odd++) {
            const pal_vec8 low = a[k + odd], high = a[k + odd + 2];
            b[k + odd] = __builtin_shufflevector(low, high, 0, 1, 8, 9, 4, 5, 12, 13);
            b[k + odd + 2] = __builtin_shufflevector(low, high, 2, 3, 10, 11, 6, 7, 14, 15);
        }
    }
    for (int k = 0; k < 4; k++) {
        m[k] = __builtin_shufflevector(b[k], b[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        m[k + 4] = __builtin_shufflevector(b[k], b[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

// The first `count` numbers of eight places, side by side; those up to the next multiple of eight
// are read, too.
static inline void pal_gather8(const double *const from[PAL_LANES8], int count, pal_vec8 *out) {
    for (int first = 0; first < count; first += PAL_LANES8) {
        pal_vec8 rows[PAL_LANES8];
        for (int lane = 0; lane < PAL_LANES8; lane++) {
            rows[lane] = *(const pal_loose8 *)(from[lane] + first);
        }
        pal_transpose8(rows);
        for (int k = 0; k < PAL_LANES8 && first + k < count; k++) {
            out[first + k] = rows[k];
        }
    }
}

// And back. No more than `count` are written.
static inline void pal_scatter8(const pal_vec8 *in, int count, double *const to[PAL_LANES8]) {
    int first = 0;
    for (; first + PAL_LANES8 <= count; first += PAL_LANES8) {
        pal_vec8 rows[PAL_LANES8];
        for (int k = 0; k < PAL_LANES8; k++) {
            rows[k] = in[first + k];
        }
        pal_transpose8(rows);
        for (int lane = 0; lane < PAL_LANES8; lane++) {
            *(pal_loose8 *)(to[lane] + first) = rows[lane];
        }
    }
    for (; first < count; first++) {
        for (int lane = 0; lane < PAL_LANES8; lane++) {
            to[lane][first] = in[first][lane];
        }
    }
}

static inline double pal_sum8(pal_vec8 a) {
    return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

#endif
