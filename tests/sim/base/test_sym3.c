#include "sim/base/rng.h"
#include "sim/base/sym3.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

// A v = value v for each column of axes, and these are orthonormal: m = axes diag(value) axes^T.
static void check_eigen(double (*m)[3], double size) {
    double value[3], axes[3][3];
    pal_sym3_eigen(m, value, axes);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double sum = 0.0, across = 0.0;
            for (int k = 0; k < 3; k++) {
                sum += axes[i][k] * value[k] * axes[j][k];
                across += axes[k][i] * axes[k][j];
            }
            TEST_ASSERT_DOUBLE_WITHIN(1e-13 * size, m[i][j], sum);
            TEST_ASSERT_DOUBLE_WITHIN(1e-14, i == j ? 1.0 : 0.0, across);
        }
    }
}

static void test_axes_and_values_make_the_matrix(void) {
    pal_rng rng = pal_rng_make(5, 1);
    for (int n = 0; n < 1000; n++) {
        double m[3][3], size = 0.0;
        for (int k = 0; k < 9; k++) {
            if (k / 3 <= k % 3) {
                const double far = k / 3 == k % 3 ? 1.0 : pow(10.0, -(double)(n % 8));
                m[k / 3][k % 3] = m[k % 3][k / 3] = far * pal_rng_uniform(&rng, -1.0, 1.0);
                size = fmax(size, fabs(m[k / 3][k % 3]));
            }
        }
        check_eigen(m, size);
    }
}

static void test_equal_values_and_zeros_are_no_trouble(void) {
    double same[3][3] = {{2.0, 0.0, 0.0}, {0.0, 2.0, 0.0}, {0.0, 0.0, 2.0}};
    double none[3][3] = {{0.0}}, one[3][3] = {{1.0, 1.0, 1.0}, {1.0, 1.0, 1.0}, {1.0, 1.0, 1.0}};
    check_eigen(same, 2.0);
    check_eigen(none, 1.0);
    check_eigen(one, 3.0);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_axes_and_values_make_the_matrix);
    RUN_TEST(test_equal_values_and_zeros_are_no_trouble);
    return UNITY_END();
}
