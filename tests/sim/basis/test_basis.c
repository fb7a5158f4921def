// Laws of modes, modal derivatives and mass-PCA.
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/basis/eigen.h"
#include "sim/basis/mass_pca.h"
#include "sim/basis/modal_deriv.h"
#include "sim/basis/rigid.h"
#include "sim/fem/assemble.h"
#include "tests/support/block_body.h"
#include "tests/support/check.h"

void setUp(void) {
}

void tearDown(void) {
}

static const block_shape anchored = {.kind = PAL_HEX8, .n = {6, 3, 2}, .h = 0.05};
static const block_shape unanchored = {
    .kind = PAL_HEX8, .n = {7, 4, 3}, .h = 0.05, .is_free = true};

static double *to_free(const pal_fem *fem, const double *full) {
    double *x = malloc((size_t)pal_fem_dofs(fem) * sizeof *x);
    pal_fem_to_free(fem, full, x);
    return x;
}

static double mass_product(const pal_fem *fem, const double *a, const double *b) {
    int n = (int)pal_fem_dofs(fem);
    double *mb = malloc((size_t)n * sizeof *mb);
    pal_fem_multiply_mass(fem, b, mb);
    double product = cblas_ddot(n, a, 1, mb, 1);
    free(mb);
    return product;
}

// Asking for nearly all modes goes to LAPACK, asking for a few to ARPACK.
static void check_sparse_equals_dense(const block_shape *shape) {
    pal_err err = {0};
    block_body body;
    pal_modes few, most;
    block_open(&body, shape);
    int32_t all = (int32_t)pal_fem_dofs(&body.fem) - body.fem.rigid_modes;
    TEST_ASSERT_TRUE(all > 240);
    CHECK_OK(pal_modes_solve(&body.fem, 15, NULL, &few, &err), err);
    CHECK_OK(pal_modes_solve(&body.fem, all, NULL, &most, &err), err);
    for (int k = 0; k < 15; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-8 * most.lambda[k], most.lambda[k], few.lambda[k]);
    }
    TEST_ASSERT_TRUE(few.residual_max < 1e-8);
    pal_modes_free(&few);
    pal_modes_free(&most);
    block_close(&body);
}

static void test_lanczos_and_lapack_find_the_same_modes(void) {
    const block_shape tets = {.kind = PAL_TET4, .n = {6, 3, 3}, .h = 0.05};
    // Of square section: bending modes come in pairs of the same frequency, and none may be missed.
    const block_shape square = {.kind = PAL_HEX8, .n = {8, 3, 3}, .h = 0.05};
    const block_shape cube = {.kind = PAL_HEX8, .n = {4, 4, 4}, .h = 0.05, .is_free = true};
    check_sparse_equals_dense(&square);
    check_sparse_equals_dense(&cube);
    check_sparse_equals_dense(&tets);
    check_sparse_equals_dense(&unanchored);
}

static void test_modes_are_mass_orthonormal(void) {
    pal_err err = {0};
    block_body body;
    pal_modes modes;
    block_open(&body, &anchored);
    CHECK_OK(pal_modes_solve(&body.fem, 12, NULL, &modes, &err), err);
    for (int i = 0; i < 12; i++) {
        double *a = to_free(&body.fem, modes.psi + i * modes.rows);
        for (int j = 0; j <= i; j++) {
            double *b = to_free(&body.fem, modes.psi + j * modes.rows);
            TEST_ASSERT_DOUBLE_WITHIN(1e-10, i == j, mass_product(&body.fem, a, b));
            free(b);
        }
        free(a);
    }
    pal_modes_free(&modes);
    block_close(&body);
}

static void test_modes_of_a_free_body_have_no_rigid_part(void) {
    pal_err err = {0};
    block_body body;
    pal_modes modes;
    block_open(&body, &unanchored);
    int64_t n = pal_fem_dofs(&body.fem);
    double *rigid = malloc(6 * (size_t)n * sizeof *rigid);
    CHECK_OK(pal_rigid_modes(&body.fem, rigid, &err), err);
    CHECK_OK(pal_modes_solve(&body.fem, 8, NULL, &modes, &err), err);
    TEST_ASSERT_EQUAL_INT(6, modes.rigid);
    TEST_ASSERT_TRUE(modes.lambda[0] > 1.0);
    for (int k = 0; k < 8; k++) {
        double *x = to_free(&body.fem, modes.psi + k * modes.rows);
        for (int w = 0; w < 6; w++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.0, mass_product(&body.fem, rigid + w * n, x));
        }
        free(x);
    }
    free(rigid);
    pal_modes_free(&modes);
    block_close(&body);
}

static void test_more_modes_than_there_are_is_refused(void) {
    pal_err err = {0};
    block_body body;
    pal_modes modes;
    block_open(&body, &anchored);
    int32_t most = (int32_t)pal_fem_dofs(&body.fem);
    CHECK_FAILS(PAL_ERR_USAGE, "ask for fewer",
                pal_modes_solve(&body.fem, most + 1, NULL, &modes, &err), err);
    block_close(&body);
}

// K(u) is quadratic, so a central difference of K along one mode, times another, is exact.
static void check_hessian(const block_shape *shape) {
    enum { K = 5 };
    pal_err err = {0};
    block_body body;
    pal_modes modes;
    block_open(&body, shape);
    pal_fem *fem = &body.fem;
    size_t n = (size_t)pal_fem_dofs(fem);
    CHECK_OK(pal_modes_solve(fem, K, NULL, &modes, &err), err);
    double *products = malloc(15 * n * sizeof *products), *difference = malloc(n * sizeof(double)),
           *other = malloc(n * sizeof(double));
    CHECK_OK(pal_hessian_products(fem, modes.psi, K, products, &err), err);
    for (int j = 0, pair = 0; j < K; j++) {
        double *b = to_free(fem, modes.psi + j * modes.rows);
        for (int i = 0; i <= j; i++, pair++) {
            double *a = to_free(fem, modes.psi + i * modes.rows);
            const double size = 1e-2;
            cblas_dscal((int)n, size, a, 1);
            CHECK_OK(pal_fem_evaluate(fem, a, NULL, NULL, true, &err), err);
            pal_csr_multiply(&fem->stiffness, b, difference);
            cblas_dscal((int)n, -1.0, a, 1);
            CHECK_OK(pal_fem_evaluate(fem, a, NULL, NULL, true, &err), err);
            pal_csr_multiply(&fem->stiffness, b, other);
            for (size_t d = 0; d < n; d++) {
                difference[d] = (difference[d] - other[d]) / (2.0 * size);
            }
            TEST_ASSERT_TRUE(check_relative_difference(products + (size_t)pair * n, difference, n) <
                             1e-8);
            free(a);
        }
        free(b);
    }
    free(products);
    free(difference);
    free(other);
    pal_modes_free(&modes);
    block_close(&body);
}

static void test_hessian_products_are_derivatives_of_the_stiffness(void) {
    const block_shape tets = {.kind = PAL_TET4, .n = {5, 2, 2}, .h = 0.05, .regions = 2};
    const block_shape voxels = {.kind = PAL_HEX8, .n = {5, 2, 2}, .h = 0.05, .regions = 2};
    check_hessian(&tets);
    check_hessian(&voxels);
}

// (K - lambda_i M) Phi_ij = (M Psi_i Psi_i^T - I) (H:Psi_i) Psi_j and Psi_i^T M Phi_ij = 0.
static void test_derivatives_of_a_free_body_satisfy_equation_29(void) {
    enum { K = 4, GUARD = 8 };
    pal_err err = {0};
    block_body body;
    pal_modes modes;
    pal_derivatives derivatives;
    block_open(&body, &unanchored);
    pal_fem *fem = &body.fem;
    int n = (int)pal_fem_dofs(fem);
    CHECK_OK(pal_modes_solve(fem, K + GUARD, NULL, &modes, &err), err);
    CHECK_OK(pal_modal_derivatives(fem, &modes, K, NULL, &derivatives, &err), err);
    TEST_ASSERT_EQUAL_INT(K * K, derivatives.count);
    double *products = malloc(K * (K + 1) / 2 * (size_t)n * sizeof *products);
    double *left = malloc((size_t)n * sizeof *left), *mphi = malloc((size_t)n * sizeof *mphi);
    CHECK_OK(pal_hessian_products(fem, modes.psi, K, products, &err), err);
    CHECK_OK(pal_fem_evaluate(fem, NULL, NULL, NULL, true, &err), err);
    for (int k = 0; k < K * K; k++) {
        int i = derivatives.i[k], j = derivatives.j[k];
        double *phi = to_free(fem, derivatives.phi + k * derivatives.rows);
        double *psi = to_free(fem, modes.psi + i * modes.rows);
        double *right =
            products + (int64_t)(i <= j ? j * (j + 1) / 2 + i : i * (i + 1) / 2 + j) * n;
        pal_csr_multiply(&fem->stiffness, phi, left);
        pal_fem_multiply_mass(fem, phi, mphi);
        TEST_ASSERT_DOUBLE_WITHIN(1e-8 * cblas_dnrm2(n, phi, 1), 0.0,
                                  cblas_ddot(n, psi, 1, mphi, 1));
        cblas_daxpy(n, -modes.lambda[i], mphi, 1, left, 1);
        cblas_daxpy(n, 1.0, right, 1, left, 1); // moves -(H:Psi_i)Psi_j over
        double along = cblas_ddot(n, psi, 1, right, 1);
        pal_fem_multiply_mass(fem, psi, mphi);
        cblas_daxpy(n, -along, mphi, 1, left, 1);
        TEST_ASSERT_DOUBLE_WITHIN(1e-8 * cblas_dnrm2(n, right, 1), 0.0, cblas_dnrm2(n, left, 1));
        free(phi);
        free(psi);
    }
    free(products);
    free(left);
    free(mphi);
    pal_derivatives_free(&derivatives);
    pal_modes_free(&modes);
    block_close(&body);
}

// Against LAPACK's SVD of L^T Z with M = L L^T [BJ05 App. A], done densely.
static void test_mass_pca_is_the_svd_in_the_mass_metric(void) {
    enum { COUNT = 9, R = 5 };
    pal_err err = {0};
    block_body body;
    const block_shape small = {.kind = PAL_HEX8, .n = {3, 2, 2}, .h = 0.05};
    block_open(&body, &small);
    pal_fem *fem = &body.fem;
    int n = (int)pal_fem_dofs(fem);
    int64_t rows = 3 * (int64_t)body.mesh.vertex_count;
    double *shapes = calloc(COUNT * (size_t)rows, sizeof *shapes);
    double *z = calloc(COUNT * (size_t)n, sizeof *z), *m = calloc((size_t)n * (size_t)n, sizeof *m);
    for (int k = 0; k < COUNT; k++) {
        for (int i = 0; i < n; i++) {
            z[(int64_t)k * n + i] = sin(1.0 + (k + 2) * 0.37 * i) / (1 + k * k);
        }
        pal_fem_to_full(fem, z + (int64_t)k * n, shapes + k * rows);
    }
    double *unit = calloc((size_t)n, sizeof *unit);
    for (int c = 0; c < n; c++) {
        memset(unit, 0, (size_t)n * sizeof *unit);
        unit[c] = 1.0;
        pal_fem_multiply_mass(fem, unit, m + (int64_t)c * n);
    }
    TEST_ASSERT_EQUAL_INT(0, LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, m, n));
    cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, n, COUNT, 1.0, m, n,
                z, n);
    double expected[COUNT], sigma[R], error, work[COUNT];
    TEST_ASSERT_EQUAL_INT(0, LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'N', n, COUNT, z, n, expected,
                                            NULL, n, NULL, COUNT, work));
    double *basis = calloc((size_t)rows * R, sizeof *basis);
    CHECK_OK(pal_mass_pca(fem, shapes, COUNT, R, basis, sigma, &err), err);
    for (int k = 0; k < R; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-8 * expected[0], expected[k], sigma[k]);
    }
    CHECK_OK(pal_mass_orthonormality(fem, basis, R, &error, &err), err);
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0.0, error);
    CHECK_FAILS(PAL_ERR_USAGE, "only 9 shapes",
                pal_mass_pca(fem, shapes, COUNT, 10, basis, NULL, &err), err);
    memcpy(shapes + rows, shapes, (size_t)rows * sizeof *shapes);
    CHECK_FAILS(PAL_ERR_USAGE, "span only 1", pal_mass_pca(fem, shapes, 2, 2, basis, NULL, &err),
                err);
    free(shapes);
    free(z);
    free(m);
    free(unit);
    free(basis);
    block_close(&body);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_lanczos_and_lapack_find_the_same_modes);
    RUN_TEST(test_modes_are_mass_orthonormal);
    RUN_TEST(test_modes_of_a_free_body_have_no_rigid_part);
    RUN_TEST(test_more_modes_than_there_are_is_refused);
    RUN_TEST(test_hessian_products_are_derivatives_of_the_stiffness);
    RUN_TEST(test_derivatives_of_a_free_body_satisfy_equation_29);
    RUN_TEST(test_mass_pca_is_the_svd_in_the_mass_metric);
    return UNITY_END();
}
