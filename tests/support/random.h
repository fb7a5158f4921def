// Random numbers for tests: the same on every machine and in every run.
#ifndef PAL_TESTS_RANDOM_H
#define PAL_TESTS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

typedef struct test_random {
    uint64_t state; // any seed
} test_random;

// Uniform in -1..1.
static inline double random_number(test_random *random) {
    random->state = random->state * 6364136223846793005u + 1442695040888963407u;
    return (double)(random->state >> 11) / 4503599627370496.0 - 1.0;
}

// Uniform in 0..1.
static inline double random_share(test_random *random) {
    return 0.5 + 0.5 * random_number(random);
}

static inline void random_fill(test_random *random, double size, double *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        out[i] = size * random_number(random);
    }
}

#endif
