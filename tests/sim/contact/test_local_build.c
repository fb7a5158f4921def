// The tables of local compliance against dense algebra: plates whose every vertex is on the
// surface, so that the table is the whole of G.
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/parallel.h"
#include "sim/basis/eigen.h"
#include "sim/basis/rigid.h"
#include "sim/contact/local_build.h"
#include "sim/contact/local_pairs.h"
#include "sim/fem/assemble.h"
#include "sim/mesh/embed_build.h"
#include "sim/mesh/surface.h"
#include "tests/support/block_body.h"
#include "tests/support/check.h"
#include "tests/support/random.h"
#include "tests/support/sanitized.h"

enum { R = 5 };

typedef struct plate {
    block_body block;
    pal_surface surface;
    pal_embedding embedding;
    double *basis;      // [3 vertices][R]
    int n;              // free dofs
    double *k, *u, *ku; // dense [n][n], [R][n], [R][n]
    double *g;          // dense from the table [n][n]
    pal_local local;
    pal_local_report report;
} plate;

static plate p;
static pal_err err;

static void open_plate(pal_element_kind kind, const int32_t cells[3], bool is_free) {
    block_shape shape = {.kind = kind, .h = 0.01, .is_free = is_free, .regions = 2};
    memcpy(shape.n, cells, sizeof shape.n);
    block_open(&p.block, &shape);
}

// Modes as a basis, K dense.
static void prepare(void) {
    pal_fem *fem = &p.block.fem;
    pal_modes modes;
    CHECK_OK(pal_surface_of_volmesh(&p.block.mesh, &p.surface, NULL, &err), err);
    CHECK_OK(pal_embedding_build(&p.block.mesh, p.surface.x, p.surface.vertex_count, &p.embedding,
                                 NULL, &err),
             err);
    CHECK_OK(pal_modes_solve(fem, R, NULL, &modes, &err), err);
    p.basis = malloc((size_t)modes.rows * R * sizeof *p.basis);
    for (int64_t k = 0; k < modes.rows * R; k++) {
        p.basis[k] = modes.psi[(k % R) * modes.rows + k / R];
    }
    pal_modes_free(&modes);
    CHECK_OK(pal_fem_evaluate(fem, NULL, NULL, NULL, true, &err), err);
    p.n = (int)pal_fem_dofs(fem);
    p.k = calloc((size_t)p.n * (size_t)p.n, sizeof *p.k);
    p.g = calloc((size_t)p.n * (size_t)p.n, sizeof *p.g);
    p.u = calloc((size_t)p.n * R, sizeof *p.u);
    p.ku = calloc((size_t)p.n * R, sizeof *p.ku);
    for (int64_t r = 0; r < p.n; r++) {
        for (int64_t e = fem->stiffness.start[r]; e < fem->stiffness.start[r + 1]; e++) {
            p.k[r * p.n + fem->stiffness.col[e]] = fem->stiffness.value[e];
        }
    }
    pal_fem_basis_to_free(fem, p.basis, R, p.u);
    for (int k = 0; k < R; k++) {
        pal_csr_multiply(&fem->stiffness, p.u + (int64_t)k * p.n, p.ku + (int64_t)k * p.n);
    }
}

// Bakes and spreads the table into a dense matrix.
static void bake(pal_local_choice choice, double radius) {
    const pal_local_spec spec = {.choice = choice, .radius = radius};
    pal_local_free(&p.local);
    CHECK_OK(pal_local_build(&p.block.fem, p.basis, R, &p.embedding, &spec, NULL, &p.local,
                             &p.report, &err),
             err);
    memset(p.g, 0, (size_t)p.n * (size_t)p.n * sizeof *p.g);
    for (int32_t a = 0; a < p.local.row_count; a++) {
        int64_t i = p.block.fem.free_index[p.local.vertex[a]];
        for (int32_t k = p.local.first[a]; k < p.local.first[a + 1]; k++) {
            int64_t j = p.block.fem.free_index[p.local.vertex[p.local.column[k]]];
            for (int e = 0; e < 9; e++) {
                p.g[(3 * i + e / 3) * p.n + 3 * j + e % 3] =
                    (double)p.local.block[9 * (int64_t)k + e];
            }
        }
    }
}

void setUp(void) {
    memset(&p, 0, sizeof p);
}

void tearDown(void) {
    pal_local_free(&p.local);
    pal_embedding_free(&p.embedding);
    pal_surface_free(&p.surface);
    free(p.basis);
    free(p.k);
    free(p.u);
    free(p.ku);
    free(p.g);
    block_close(&p.block);
}

// out = K^-1 - U (U^T K U)^-1 U^T, dense.
static double *dense_g(void) {
    size_t n = (size_t)p.n;
    double *out = malloc(n * n * sizeof *out), kr[R * R], *half = malloc(n * R * sizeof *half);
    memcpy(out, p.k, n * n * sizeof *out);
    TEST_ASSERT_EQUAL_INT(0, LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', p.n, out, p.n));
    TEST_ASSERT_EQUAL_INT(0, LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', p.n, out, p.n));
    for (size_t i = 0; i < n * n; i++) {
        out[i] = i % n > i / n ? out[(i % n) * n + i / n] : out[i];
    }
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, R, R, p.n, 1.0, p.u, p.n, p.ku, p.n, 0.0,
                kr, R);
    memcpy(half, p.u, n * R * sizeof *half);
    TEST_ASSERT_EQUAL_INT(0, LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', R, p.n, kr, R, half, p.n));
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, p.n, p.n, R, -1.0, p.u, p.n, half, p.n,
                1.0, out, p.n);
    free(half);
    return out;
}

static double largest(const double *a, size_t count) {
    double most = 0.0;
    for (size_t k = 0; k < count; k++) {
        most = fmax(most, fabs(a[k]));
    }
    return most;
}

// The least eigenvalue by the largest.
static double least_eigenvalue(const double *a) {
    size_t n = (size_t)p.n;
    double *copy = malloc(n * n * sizeof *copy), *value = malloc(n * sizeof *value);
    memcpy(copy, a, n * n * sizeof *copy);
    TEST_ASSERT_EQUAL_INT(0, LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', p.n, copy, p.n, value));
    double least = value[0] / fmax(value[n - 1], -value[0]);
    free(copy);
    free(value);
    return least;
}

static void check_symmetric(void) {
    for (int64_t i = 0; i < p.n; i++) {
        for (int64_t j = 0; j < i; j++) {
            TEST_ASSERT_TRUE(p.g[i * p.n + j] == p.g[j * p.n + i]);
        }
    }
}

// |G K U| by |U|
static double basis_seen(void) {
    double *out = malloc((size_t)p.n * R * sizeof *out);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, R, p.n, p.n, 1.0, p.ku, p.n, p.g, p.n,
                0.0, out, p.n);
    double seen = largest(out, (size_t)p.n * R) / largest(p.u, (size_t)p.n * R);
    free(out);
    return seen;
}

static void check_exact(pal_element_kind kind) {
    open_plate(kind, (int32_t[3]){6, 5, 1}, false);
    prepare();
    bake(PAL_LOCAL_WANT_EXACT, 1.0);
    TEST_ASSERT_EQUAL_INT(PAL_LOCAL_EXACT, p.local.way);
    TEST_ASSERT_EQUAL_INT(p.block.fem.free_count, p.local.row_count);
    double *g = dense_g();
    TEST_ASSERT_TRUE(check_relative_difference(p.g, g, (size_t)p.n * (size_t)p.n) < 1e-6);
    check_symmetric();
    TEST_ASSERT_TRUE(least_eigenvalue(p.g) > -1e-6);
    TEST_ASSERT_TRUE(basis_seen() < 1e-4); // floats times K
    free(g);
}

static void test_exact_is_the_inverse_less_the_basis_voxels(void) {
    check_exact(PAL_HEX8);
}

static void test_exact_is_the_inverse_less_the_basis_tets(void) {
    check_exact(PAL_TET4);
}

// Semidefinite, never softer than G, blind to the basis, and near G.
static void test_fast_is_below_exact_and_blind_to_the_basis(void) {
    open_plate(PAL_HEX8, (int32_t[3]){7, 5, 1}, false);
    prepare();
    bake(PAL_LOCAL_WANT_FAST, 0.025);
    bake(PAL_LOCAL_WANT_FAST, 1.0);
    TEST_ASSERT_EQUAL_INT(PAL_LOCAL_FAST, p.local.way);
    check_symmetric();
    TEST_ASSERT_TRUE(least_eigenvalue(p.g) > -1e-6);
    TEST_ASSERT_TRUE(basis_seen() < 1e-4);
    double *g = dense_g();
    TEST_ASSERT_TRUE(check_relative_difference(p.g, g, (size_t)p.n * (size_t)p.n) < 0.05);
    for (int64_t k = 0; k < (int64_t)p.n * p.n; k++) {
        g[k] -= p.g[k];
    }
    TEST_ASSERT_TRUE(least_eigenvalue(g) * largest(g, (size_t)p.n * (size_t)p.n) >
                     -1e-5 * largest(p.g, (size_t)p.n * (size_t)p.n));
    free(g);
}

// Many patches, on a long bar, the hardest: its bending between the modes' wavelengths and the
// patch is left to the coarse space. What a vertex gives in all, modes included, is what is felt.
static void test_fast_with_many_patches_is_near_exact(void) {
    open_plate(PAL_HEX8, (int32_t[3]){60, 3, 3}, false);
    prepare();
    double kr[R * R], *half = malloc((size_t)p.n * R * sizeof *half);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, R, R, p.n, 1.0, p.u, p.n, p.ku, p.n, 0.0,
                kr, R);
    memcpy(half, p.u, (size_t)p.n * R * sizeof *half);
    TEST_ASSERT_EQUAL_INT(0, LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', R, p.n, kr, R, half, p.n));
    bake(PAL_LOCAL_WANT_EXACT, 0.03);
    double *exact = malloc((size_t)p.n * sizeof *exact), worst = 0.0, error = 0.0, size = 0.0;
    for (int64_t d = 0; d < p.n; d++) {
        exact[d] = p.g[d * p.n + d];
    }
    bake(PAL_LOCAL_WANT_FAST, 0.03);
    for (int64_t d = 0; d < p.n; d++) {
        if (exact[d] == 0.0) {
            continue; // inside
        }
        double modes = 0.0, missing = exact[d] - p.g[d * p.n + d];
        for (int l = 0; l < R; l++) {
            modes += p.u[(int64_t)l * p.n + d] * half[(int64_t)l * p.n + d];
        }
        worst = fmax(worst, missing / (modes + exact[d]));
        error += missing * missing;
        size += exact[d] * exact[d];
        TEST_ASSERT_TRUE(missing > -1e-6 * exact[d]);
    }
    TEST_ASSERT_TRUE(worst < 0.05);
    TEST_ASSERT_TRUE(sqrt(error / size) < 0.10);
    free(half);
    free(exact);
}

// ---- Laws ---------------------------------------------------------------------------------------

static void test_blocks_turn_with_the_mesh(void) {
    const double a = 0.6, r[3][3] = {{cos(a), -sin(a), 0}, {sin(a), cos(a), 0}, {0, 0, 1}};
    open_plate(PAL_HEX8, (int32_t[3]){4, 3, 2}, false);
    prepare();
    bake(PAL_LOCAL_WANT_EXACT, 0.025);
    size_t count = 9 * (size_t)p.local.block_count;
    double *before = calloc(count, sizeof *before), *after = malloc(count * sizeof *after);
    for (size_t k = 0; k < count; k += 9) {
        for (int e = 0; e < 81; e++) {
            before[k + (size_t)(e / 9)] +=
                r[e / 27][e / 3 % 3] *
                (double)p.local.block[k + 3 * (size_t)(e / 3 % 3) + (size_t)(e % 3)] *
                r[e / 9 % 3][e % 3];
        }
    }
    for (int32_t v = 0; v < p.block.mesh.vertex_count; v++) {
        double *x = p.block.mesh.x + 3 * (int64_t)v, x0 = x[0], x1 = x[1];
        x[0] = r[0][0] * x0 + r[0][1] * x1;
        x[1] = r[1][0] * x0 + r[1][1] * x1;
        for (int l = 0; l < R; l++) {
            double *u = p.basis + 3 * (int64_t)v * R + l, u0 = u[0], u1 = u[R];
            u[0] = r[0][0] * u0 + r[0][1] * u1;
            u[R] = r[1][0] * u0 + r[1][1] * u1;
        }
    }
    bake(PAL_LOCAL_WANT_EXACT, 0.025);
    TEST_ASSERT_EQUAL_INT(count, 9 * (size_t)p.local.block_count);
    for (size_t k = 0; k < count; k++) {
        after[k] = (double)p.local.block[k];
    }
    TEST_ASSERT_TRUE(check_relative_difference(after, before, count) < 1e-5);
    free(before);
    free(after);
}

static void test_blocks_do_not_depend_on_threads(void) {
    static const pal_local_choice ways[] = {PAL_LOCAL_WANT_EXACT, PAL_LOCAL_WANT_FAST};
    open_plate(PAL_HEX8, (int32_t[3]){20, 4, 2}, false);
    prepare();
    for (int way = 0; way < 2; way++) {
        pal_set_thread_count(1);
        bake(ways[way], 0.03);
        size_t size = 9 * (size_t)p.local.block_count * sizeof(float);
        float *one = malloc(size);
        memcpy(one, p.local.block, size);
        pal_set_thread_count(3);
        bake(ways[way], 0.03);
        pal_set_thread_count(0);
        TEST_ASSERT_EQUAL_INT(0, memcmp(one, p.local.block, size));
        free(one);
    }
}

// G K x = x - (rigid part) - (part in the basis) for any x.
static void test_a_free_body_has_the_flexibility_beyond_rigid_motion(void) {
    open_plate(PAL_HEX8, (int32_t[3]){5, 4, 1}, true);
    prepare();
    bake(PAL_LOCAL_WANT_AUTO, 1.0);
    TEST_ASSERT_EQUAL_INT(PAL_LOCAL_EXACT, p.local.way);
    check_symmetric();
    TEST_ASSERT_TRUE(least_eigenvalue(p.g) > -1e-6);
    TEST_ASSERT_TRUE(basis_seen() < 1e-4);
    test_random seed = {3};
    size_t n = (size_t)p.n;
    double *x = malloc(n * sizeof *x), *kx = malloc(n * sizeof *x), *y = malloc(n * sizeof *x);
    double *rigid = malloc(6 * n * sizeof *x), *work = malloc(n * sizeof *x), kr[R * R], part[R];
    random_fill(&seed, 1.0, x, n);
    pal_csr_multiply(&p.block.fem.stiffness, x, kx);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, p.n, p.n, 1.0, p.g, p.n, kx, 1, 0.0, y, 1);
    CHECK_OK(pal_rigid_modes(&p.block.fem, rigid, &err), err);
    pal_project_out(&p.block.fem, rigid, 6, x, work);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, R, R, p.n, 1.0, p.u, p.n, p.ku, p.n, 0.0,
                kr, R);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, R, p.n, 1.0, p.u, p.n, kx, 1, 0.0, part, 1);
    TEST_ASSERT_EQUAL_INT(0, LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', R, 1, kr, R, part, 1));
    cblas_dgemv(CblasRowMajor, CblasTrans, R, p.n, -1.0, p.u, p.n, part, 1, 1.0, x, 1);
    TEST_ASSERT_TRUE(check_relative_difference(y, x, n) < 1e-4);
    free(x);
    free(kx);
    free(y);
    free(rigid);
    free(work);
}

static void test_a_free_body_has_no_fast_way_and_says_so(void) {
    open_plate(PAL_HEX8, (int32_t[3]){3, 2, 1}, true);
    prepare();
    bake(PAL_LOCAL_WANT_FAST, 0.0);
    TEST_ASSERT_EQUAL_INT(0, p.local.row_count);
    TEST_ASSERT_NOT_NULL(strstr(p.report.note, "nothing is held"));
}

// ---- Which vertices, which pairs ----------------------------------------------------------------

static void test_the_touch_region_chooses_the_rows(void) {
    open_plate(PAL_HEX8, (int32_t[3]){6, 4, 3}, false);
    prepare();
    uint8_t *touch = calloc((size_t)p.block.mesh.vertex_count, 1);
    const double *x = p.block.mesh.x;
    for (int32_t v = 0; v < p.block.mesh.vertex_count; v++) {
        touch[v] = x[3 * v + 2] > 0.029; // the top
    }
    const pal_local_spec spec = {.choice = PAL_LOCAL_WANT_EXACT, .touch = touch};
    CHECK_OK(pal_local_build(&p.block.fem, p.basis, R, &p.embedding, &spec, NULL, &p.local,
                             &p.report, &err),
             err);
    TEST_ASSERT_EQUAL_INT(6 * 5, p.local.row_count);       // less the held ones at x = 0
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.03, p.local.radius); // three elements
    for (int32_t v = 0; v < p.block.mesh.vertex_count; v++) {
        TEST_ASSERT_EQUAL_INT(touch[v] && x[3 * v] > 0.0, p.local.row[v] >= 0);
    }
    memset(touch, 0, (size_t)p.block.mesh.vertex_count);
    pal_local_free(&p.local);
    CHECK_OK(pal_local_build(&p.block.fem, p.basis, R, &p.embedding, &spec, NULL, &p.local,
                             &p.report, &err),
             err);
    TEST_ASSERT_EQUAL_INT(0, p.local.row_count);
    TEST_ASSERT_NOT_NULL(strstr(p.report.note, "touch region"));
    free(touch);
}

static void test_pairs_are_all_within_the_radius_and_cut_to_fit(void) {
    open_plate(PAL_HEX8, (int32_t[3]){12, 7, 2}, false);
    int32_t n = p.block.mesh.vertex_count;
    uint8_t *wanted = malloc((size_t)n);
    memset(wanted, 1, (size_t)n);
    pal_local_pairs found = {0};
    double radius = 0.0251;
    CHECK_OK(pal_local_find_pairs(&p.block.mesh, wanted, n, &radius, INT32_MAX, &found, &err), err);
    int32_t at = 0;
    for (int32_t a = 0; a < n; a++) {
        for (int32_t b = 0; b < n; b++) {
            double d = 0.0;
            for (int c = 0; c < 3; c++) {
                double e = p.block.mesh.x[3 * a + c] - p.block.mesh.x[3 * b + c];
                d += e * e;
            }
            if (d <= radius * radius) {
                TEST_ASSERT_EQUAL_INT(b, found.column[at++]);
            }
        }
        TEST_ASSERT_EQUAL_INT(at, found.first[a + 1]);
    }
    pal_local_pairs_free(&found);
    CHECK_OK(pal_local_find_pairs(&p.block.mesh, wanted, n, &radius, at / 2, &found, &err), err);
    TEST_ASSERT_TRUE(radius < 0.0251 && radius > 0.009 && found.first[n] <= at / 2);
    pal_local_pairs_free(&found);
    free(wanted);
}

static void test_no_memory_is_an_error_and_leaks_nothing(void) {
    static const pal_local_choice ways[] = {PAL_LOCAL_WANT_EXACT, PAL_LOCAL_WANT_FAST};
    open_plate(PAL_HEX8, (int32_t[3]){3, 2, 1}, false);
    prepare();
    for (int way = 0; way < 2; way++) {
        const pal_local_spec spec = {.choice = ways[way]};
        pal_status status = PAL_ERR_MEMORY;
        for (long allowed = 0; status != PAL_OK; allowed++) {
            TEST_ASSERT_TRUE(allowed < 500);
            pal_memory_fail_after(allowed);
            status = pal_local_build(&p.block.fem, p.basis, R, &p.embedding, &spec, NULL, &p.local,
                                     &p.report, &err);
            pal_memory_fail_after(-1);
            TEST_ASSERT_TRUE_MESSAGE(status == PAL_OK || status == PAL_ERR_MEMORY, err.text);
            TEST_ASSERT_TRUE(status == PAL_OK || p.local.block == NULL);
        }
        pal_local_free(&p.local);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_exact_is_the_inverse_less_the_basis_voxels);
    RUN_TEST_OF_ONE_THREAD(test_exact_is_the_inverse_less_the_basis_tets);
    RUN_TEST(test_fast_is_below_exact_and_blind_to_the_basis);
    RUN_TEST_OF_ONE_THREAD(test_fast_with_many_patches_is_near_exact);
    RUN_TEST_OF_ONE_THREAD(test_blocks_turn_with_the_mesh);
    RUN_TEST(test_blocks_do_not_depend_on_threads);
    RUN_TEST_OF_ONE_THREAD(test_a_free_body_has_the_flexibility_beyond_rigid_motion);
    RUN_TEST_OF_ONE_THREAD(test_a_free_body_has_no_fast_way_and_says_so);
    RUN_TEST_OF_ONE_THREAD(test_the_touch_region_chooses_the_rows);
    RUN_TEST_OF_ONE_THREAD(test_pairs_are_all_within_the_radius_and_cut_to_fit);
    RUN_TEST(test_no_memory_is_an_error_and_leaks_nothing);
    return UNITY_END();
}
