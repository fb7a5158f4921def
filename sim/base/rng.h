// Random numbers by seed: xoshiro256** by Blackman & Vigna, seeded by splitmix64. The same seed and
// stream give the same numbers on every machine. All RT safe; one generator belongs to one thread.
#ifndef PAL_BASE_RNG_H
#define PAL_BASE_RNG_H

#include <math.h>
#include <stdint.h>

typedef struct pal_rng {
    uint64_t s[4];
} pal_rng;

// The next number of the sequence that *x counts.
static inline uint64_t pal_rng_splitmix(uint64_t *x) {
    uint64_t z = *x += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// Different streams of one seed are independent of each other.
static inline pal_rng pal_rng_make(uint64_t seed, uint64_t stream) {
    uint64_t x = stream;
    x = seed ^ pal_rng_splitmix(&x);
    pal_rng rng;
    for (int i = 0; i < 4; i++) {
        rng.s[i] = pal_rng_splitmix(&x);
    }
    return rng;
}

static inline uint64_t pal_rng_rotate(uint64_t x, int bits) {
    return (x << bits) | (x >> (64 - bits));
}

static inline uint64_t pal_rng_next(pal_rng *rng) {
    uint64_t *s = rng->s, result = pal_rng_rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = pal_rng_rotate(s[3], 45);
    return result;
}

// Evenly spread over low <= x < high.
static inline double pal_rng_uniform(pal_rng *rng, double low, double high) {
    return low + (high - low) * ((double)(pal_rng_next(rng) >> 11) * 0x1p-53);
}

// Normally spread, mean 0, deviation 1 (Box & Muller).
static inline double pal_rng_normal(pal_rng *rng) {
    double u = 1.0 - pal_rng_uniform(rng, 0.0, 1.0); // never 0
    double angle = 2.0 * 3.14159265358979323846 * pal_rng_uniform(rng, 0.0, 1.0);
    return sqrt(-2.0 * log(u)) * cos(angle);
}

#endif
