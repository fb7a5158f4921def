// Laws of the packed quartic, against sums over all orders of the indices.
#include "sim/reduced/quartic.h"

#include <stdbool.h>

#include "tests/support/check.h"
#include "tests/support/random.h"

enum {
    R = 6,
    PAIRS = R * (R + 1) / 2,
    TRIPLES = R * (R + 1) * (R + 2) / 6,
    QUADRUPLES = R * (R + 1) * (R + 2) * (R + 3) / 24
};

// Coefficients of a quartic of r <= R coordinates.
typedef struct store {
    double p[PAIRS], q[TRIPLES], s[QUADRUPLES];
} store;

static test_random rng;

void setUp(void) {
    rng.state = 7;
}
void tearDown(void) {
}

static pal_quartic quartic_of(store *coefficients, int32_t r) {
    return (pal_quartic){r, coefficients->p, coefficients->q, coefficients->s};
}

static void random_store(store *coefficients) {
    random_fill(&rng, 1.0, coefficients->p, PAIRS);
    random_fill(&rng, 1.0, coefficients->q, TRIPLES);
    random_fill(&rng, 1.0, coefficients->s, QUADRUPLES);
}

// The place of an index tuple found by counting sorted tuples, the last index slowest.
static int64_t place_of(const int *index, int rank) {
    int sorted[4] = {0, 0, 0, 0};
    for (int n = 0; n < rank; n++) { // insertion sort
        int at = n;
        for (; at > 0 && sorted[at - 1] > index[n]; at--) {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = index[n];
    }
    int64_t place = 0;
    int t[4] = {0, 0, 0, 0};
    while (memcmp(t, sorted, sizeof t) != 0) {
        int n = 0; // the first index that may still grow, those before it start again
        while (n < rank - 1 && t[n] == t[n + 1]) {
            n++;
        }
        t[n]++;
        for (int k = 0; k < n; k++) {
            t[k] = 0;
        }
        place++;
    }
    return place;
}

// V, R and K by plain sums over every order of the indices.
static double brute_force(const pal_quartic *t, const double *q, double *force, double *stiffness) {
    double energy = 0.0;
    int r = t->r;
    memset(force, 0, (size_t)r * sizeof *force);
    memset(stiffness, 0, (size_t)(r * r) * sizeof *stiffness);
    for (int i = 0; i < r; i++) {
        for (int j = 0; j < r; j++) {
            double p = t->p[place_of((int[]){i, j}, 2)];
            energy += p * q[i] * q[j] / 2.0;
            force[i] += p * q[j];
            stiffness[i * r + j] += p;
            for (int k = 0; k < r; k++) {
                double c = t->q[place_of((int[]){i, j, k}, 3)];
                energy += c * q[i] * q[j] * q[k] / 6.0;
                force[i] += c * q[j] * q[k] / 2.0;
                stiffness[i * r + j] += c * q[k];
                for (int l = 0; l < r; l++) {
                    double s = t->s[place_of((int[]){i, j, k, l}, 4)];
                    energy += s * q[i] * q[j] * q[k] * q[l] / 24.0;
                    force[i] += s * q[j] * q[k] * q[l] / 6.0;
                    stiffness[i * r + j] += s * q[k] * q[l] / 2.0;
                }
            }
        }
    }
    return energy;
}

static void test_places_count_the_sorted_tuples(void) {
    int64_t pair = 0, triple = 0, quadruple = 0;
    for (int l = 0; l < R; l++) {
        TEST_ASSERT_EQUAL_INT(pal_quadruples(l), quadruple);
        for (int k = 0; k <= l; k++) {
            for (int j = 0; j <= k; j++) {
                for (int i = 0; i <= j; i++) {
                    TEST_ASSERT_EQUAL_INT(quadruple++, pal_quadruple_at(i, j, k, l));
                    triple += l == R - 1;
                    TEST_ASSERT_TRUE(l < R - 1 || pal_triple_at(i, j, k) == triple - 1);
                    pair += l == R - 1 && k == R - 1;
                    TEST_ASSERT_TRUE(l < R - 1 || k < R - 1 || pal_pair_at(i, j) == pair - 1);
                }
            }
        }
    }
    TEST_ASSERT_EQUAL_INT(PAIRS, pal_pairs(R));
    TEST_ASSERT_EQUAL_INT(PAIRS, pair);
    TEST_ASSERT_EQUAL_INT(TRIPLES, pal_triples(R));
    TEST_ASSERT_EQUAL_INT(TRIPLES, triple);
    TEST_ASSERT_EQUAL_INT(QUADRUPLES, pal_quadruples(R));
    TEST_ASSERT_EQUAL_INT(QUADRUPLES, quadruple);
}

static void test_evaluation_equals_sum_over_all_orders(void) {
    store coefficients;
    for (int32_t r = 1; r <= R; r++) {
        double q[R], force[2][R], stiffness[2][R * R];
        random_store(&coefficients);
        random_fill(&rng, 1.5, q, R);
        pal_quartic t = quartic_of(&coefficients, r);
        double expected = brute_force(&t, q, force[0], stiffness[0]);
        double energy = pal_quartic_eval(&t, q, force[1], stiffness[1]);
        size_t size = (size_t)r;
        TEST_ASSERT_DOUBLE_WITHIN(1e-12 * (1.0 + fabs(expected)), expected, energy);
        TEST_ASSERT_TRUE(check_relative_difference(force[1], force[0], size) < 1e-13);
        TEST_ASSERT_TRUE(check_relative_difference(stiffness[1], stiffness[0], size * size) <
                         1e-13);
    }
}

// Differences by five points are exact for polynomials of degree 4.
static void test_force_and_stiffness_are_gradients(void) {
    const double h = 0.5, step[4] = {-2 * h, -h, h, 2 * h}, weight[4] = {1, -8, 8, -1};
    store coefficients;
    random_store(&coefficients);
    pal_quartic t = quartic_of(&coefficients, R);
    double q[R], force[R], stiffness[R * R], slope[R] = {0.0}, slopes[R * R] = {0.0};
    random_fill(&rng, 1.0, q, R);
    pal_quartic_eval(&t, q, force, stiffness);
    for (int i = 0; i < R; i++) {
        double before = q[i];
        for (int k = 0; k < 4; k++) {
            double f[R];
            q[i] = before + step[k];
            slope[i] += weight[k] * pal_quartic_eval(&t, q, f, NULL) / (12.0 * h);
            for (int j = 0; j < R; j++) {
                slopes[j * R + i] += weight[k] * f[j] / (12.0 * h);
            }
        }
        q[i] = before;
    }
    TEST_ASSERT_TRUE(check_relative_difference(force, slope, R) < 1e-12);
    TEST_ASSERT_TRUE(check_relative_difference(stiffness, slopes, R * R) < 1e-12);
}

static void test_stiffness_is_symmetric(void) {
    store coefficients;
    random_store(&coefficients);
    pal_quartic t = quartic_of(&coefficients, R);
    double q[R], k[R * R];
    random_fill(&rng, 1.0, q, R);
    pal_quartic_eval(&t, q, NULL, k);
    for (int i = 0; i < R; i++) {
        for (int j = 0; j < i; j++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-13, k[j * R + i], k[i * R + j]);
        }
    }
}

// The same arrays read with a smaller r are the quartic with the rest of q at zero.
static void test_first_coordinates_are_a_prefix(void) {
    store coefficients;
    random_store(&coefficients);
    pal_quartic whole = quartic_of(&coefficients, R);
    for (int32_t r = 1; r < R; r++) {
        double q[R] = {0.0}, force[2][R], k[2][R * R];
        random_fill(&rng, 1.0, q, (size_t)r);
        pal_quartic part = quartic_of(&coefficients, r);
        double energy = pal_quartic_eval(&whole, q, force[0], k[0]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-13, energy, pal_quartic_eval(&part, q, force[1], k[1]));
        for (int i = 0; i < r; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-13, force[0][i], force[1][i]);
            for (int j = 0; j < r; j++) {
                TEST_ASSERT_DOUBLE_WITHIN(1e-13, k[0][i * R + j], k[1][i * r + j]);
            }
        }
    }
}

static void test_adding_tables_adds_their_values(void) {
    const double weight = -2.5;
    store a, b;
    random_store(&a);
    random_store(&b);
    pal_quartic sum = quartic_of(&a, R), table = quartic_of(&b, R);
    double q[R], force[3][R];
    random_fill(&rng, 1.0, q, R);
    double expected = pal_quartic_eval(&sum, q, force[0], NULL) +
                      weight * pal_quartic_eval(&table, q, force[1], NULL);
    for (int i = 0; i < R; i++) {
        force[0][i] += weight * force[1][i];
    }
    pal_quartic_add(&sum, weight, &table);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, expected, pal_quartic_eval(&sum, q, force[2], NULL));
    TEST_ASSERT_TRUE(check_relative_difference(force[2], force[0], R) < 1e-13);
}

// Adding for r' coordinates leaves the coefficients of the others alone.
static void test_adding_stays_within_r(void) {
    store a, b, before;
    random_store(&a);
    random_store(&b);
    before = a;
    pal_quartic sum = quartic_of(&a, R - 2), table = quartic_of(&b, R - 2);
    pal_quartic_add(&sum, 1.0, &table);
    for (int64_t i = 0; i < QUADRUPLES; i++) {
        bool inside = i < pal_quadruples(R - 2);
        TEST_ASSERT_TRUE(a.s[i] == before.s[i] + (inside ? b.s[i] : 0.0));
    }
}

static void test_rest_has_neither_energy_nor_force(void) {
    store coefficients;
    random_store(&coefficients);
    pal_quartic t = quartic_of(&coefficients, R);
    double q[R] = {0.0}, force[R], k[R * R];
    TEST_ASSERT_TRUE(pal_quartic_eval(&t, q, force, k) == 0.0);
    for (int i = 0; i < R; i++) {
        TEST_ASSERT_TRUE(force[i] == 0.0);
        for (int j = 0; j <= i; j++) {
            TEST_ASSERT_TRUE(k[i * R + j] == coefficients.p[pal_pair_at(j, i)]);
        }
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_places_count_the_sorted_tuples);
    RUN_TEST(test_evaluation_equals_sum_over_all_orders);
    RUN_TEST(test_force_and_stiffness_are_gradients);
    RUN_TEST(test_stiffness_is_symmetric);
    RUN_TEST(test_first_coordinates_are_a_prefix);
    RUN_TEST(test_adding_tables_adds_their_values);
    RUN_TEST(test_adding_stays_within_r);
    RUN_TEST(test_rest_has_neither_energy_nor_force);
    return UNITY_END();
}
