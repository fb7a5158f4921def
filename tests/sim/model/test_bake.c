// Laws of the bake as a whole.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/parallel.h"
#include "sim/basis/mass_pca.h"
#include "sim/fem/assemble.h"
#include "sim/fem/static.h"
#include "sim/model/bake.h"
#include "sim/reduced/quartic_build.h"
#include "tests/support/block_body.h"
#include "tests/support/check.h"
#include "tests/support/sanitized.h"

void setUp(void) {
}

void tearDown(void) {
}

static pal_bake_spec spec_of(const block_body *body, const uint8_t *held, int32_t modes,
                             int32_t size) {
    return (pal_bake_spec){.name = "block",
                           .scene_text = "",
                           .mesh = &body->mesh,
                           .held = held,
                           .material = body->fem.material,
                           .basis = {.kind = PAL_BASIS_DERIVATIVES, .modes = modes, .size = size}};
}

static void bake(const pal_bake_spec *spec, pal_model *model) {
    pal_err err = {0};
    CHECK_OK(pal_bake(spec, NULL, model, NULL, &err), err);
}

static const block_shape two_materials = {
    .kind = PAL_HEX8, .n = {6, 2, 3}, .h = 0.05, .regions = 2};

// f(q) = U^T R(U q), V and U^T K(U q) U of the full model, at a large q.
static void check_reduction(const block_shape *shape) {
    enum { R = 8 };
    pal_err err = {0};
    block_body body;
    pal_model model;
    block_open(&body, shape);
    uint8_t *held = block_held(&body.mesh);
    pal_bake_spec spec = spec_of(&body, held, 5, R);
    bake(&spec, &model);
    pal_fem *fem = &body.fem;
    int64_t n = pal_fem_dofs(fem);
    double q[R], force[R], stiffness[R * R], energy, *u = calloc((size_t)n, sizeof *u);
    double *f = calloc((size_t)n, sizeof *f), *column = calloc((size_t)n, sizeof *column),
           *ku = calloc((size_t)n, sizeof *ku);
    for (int k = 0; k < R; k++) {
        q[k] = 0.05 * cos(1.0 + 2.0 * k);
    }
    const double *row = model.basis;
    for (int64_t i = 0; i < n; i++) {
        row = model.basis + (3 * (int64_t)fem->free_vertex[i / 3] + i % 3) * R;
        for (int k = 0; k < R; k++) {
            u[i] += row[k] * q[k];
        }
    }
    CHECK_OK(pal_fem_evaluate(fem, u, &energy, f, true, &err), err);
    double reduced = pal_quartic_eval(&model.quartic, q, force, stiffness);
    TEST_ASSERT_DOUBLE_WITHIN(1e-10 * energy, energy, reduced);
    double full_force[R] = {0}, full_stiffness[R * R] = {0};
    for (int k = 0; k < R; k++) {
        for (int64_t i = 0; i < n; i++) {
            column[i] = model.basis[(3 * (int64_t)fem->free_vertex[i / 3] + i % 3) * R + k];
            full_force[k] += column[i] * f[i];
        }
        pal_csr_multiply(&fem->stiffness, column, ku);
        for (int j = 0; j < R; j++) {
            for (int64_t i = 0; i < n; i++) {
                full_stiffness[j * R + k] +=
                    ku[i] * model.basis[(3 * (int64_t)fem->free_vertex[i / 3] + i % 3) * R + j];
            }
        }
    }
    TEST_ASSERT_TRUE(check_relative_difference(force, full_force, R) < 1e-10);
    TEST_ASSERT_TRUE(check_relative_difference(stiffness, full_stiffness, R * R) < 1e-10);
    free(u);
    free(f);
    free(column);
    free(ku);
    free(held);
    pal_model_free(&model);
    block_close(&body);
}

static void test_quartic_is_the_full_model_in_the_basis(void) {
    const block_shape tets = {.kind = PAL_TET4, .n = {6, 2, 2}, .h = 0.05, .regions = 2};
    check_reduction(&two_materials);
    check_reduction(&tets);
}

static void test_basis_is_mass_orthonormal_and_regions_add_up_to_the_mass(void) {
    pal_err err = {0};
    block_body body;
    pal_model model;
    double error;
    block_open(&body, &two_materials);
    uint8_t *held = block_held(&body.mesh);
    pal_bake_spec spec = spec_of(&body, held, 5, 9);
    bake(&spec, &model);
    CHECK_OK(pal_mass_orthonormality(&body.fem, model.basis, 9, &error, &err), err);
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0.0, error);
    for (int64_t j = 0; j < 9; j++) {
        for (int64_t i = 0; i <= j; i++) {
            double sum = 0.0;
            for (int g = 0; g < 2; g++) {
                sum += model.region[g].material.density *
                       model.region[g].per_density[pal_pair_at(i, j)];
            }
            TEST_ASSERT_DOUBLE_WITHIN(1e-10, i == j, sum);
        }
    }
    free(held);
    pal_model_free(&model);
    block_close(&body);
}

// The tables of other materials in the same basis are the same tables with other weights
// [BJ05 6.5].
static void test_tables_do_not_depend_on_the_material(void) {
    enum { R = 6 };
    pal_err err = {0};
    block_body body;
    pal_model model;
    pal_quartic lambda, mu;
    block_open(&body, &two_materials);
    uint8_t *held = block_held(&body.mesh);
    pal_bake_spec spec = spec_of(&body, held, 4, R);
    bake(&spec, &model);
    CHECK_OK(pal_quartic_alloc(&lambda, R, &err), err);
    CHECK_OK(pal_quartic_alloc(&mu, R, &err), err);
    CHECK_OK(pal_quartic_build(&body.mesh, 1, model.basis, R, NULL, &lambda, &mu, &err), err);
    TEST_ASSERT_EQUAL_MEMORY(model.region[1].per_mu.s, mu.s,
                             (size_t)pal_quadruples(R) * sizeof(double));
    pal_quartic_free(&lambda);
    pal_quartic_free(&mu);
    free(held);
    pal_model_free(&model);
    block_close(&body);
}

static void test_any_first_vectors_can_be_used(void) {
    enum { R = 8, FEWER = 5 };
    pal_err err = {0};
    block_body body;
    pal_model model;
    block_open(&body, &two_materials);
    uint8_t *held = block_held(&body.mesh);
    pal_bake_spec spec = spec_of(&body, held, 5, R);
    bake(&spec, &model);
    int64_t rows = 3 * (int64_t)body.mesh.vertex_count;
    double *fewer = calloc((size_t)rows * FEWER, sizeof *fewer);
    for (int64_t row = 0; row < rows; row++) {
        memcpy(fewer + row * FEWER, model.basis + row * R, FEWER * sizeof *fewer);
    }
    pal_quartic lambda, mu;
    CHECK_OK(pal_quartic_alloc(&lambda, FEWER, &err), err);
    CHECK_OK(pal_quartic_alloc(&mu, FEWER, &err), err);
    CHECK_OK(pal_quartic_build(&body.mesh, 0, fewer, FEWER, NULL, &lambda, &mu, &err), err);
    TEST_ASSERT_TRUE(check_relative_difference(mu.s, model.region[0].per_mu.s,
                                               (size_t)pal_quadruples(FEWER)) < 1e-13);
    TEST_ASSERT_TRUE(check_relative_difference(lambda.q, model.region[0].per_lambda.q,
                                               (size_t)pal_triples(FEWER)) < 1e-13);
    pal_quartic_free(&lambda);
    pal_quartic_free(&mu);
    free(fewer);
    free(held);
    pal_model_free(&model);
    block_close(&body);
}

// How far the columns of two bases are apart, the second scaled; the sign of a column is arbitrary.
static double basis_difference(const pal_model *a, const pal_model *b, double scale) {
    int64_t rows = 3 * (int64_t)a->mesh.vertex_count;
    double worst = 0.0;
    for (int32_t k = 0; k < a->r; k++) {
        double minus = 0.0, plus = 0.0, size = 0.0;
        for (int64_t row = 0; row < rows; row++) {
            double x = a->basis[row * a->r + k], y = scale * b->basis[row * a->r + k];
            minus += (x - y) * (x - y);
            plus += (x + y) * (x + y);
            size += x * x;
        }
        worst = fmax(worst, sqrt(fmin(minus, plus) / size));
    }
    return worst;
}

// The paper says the basis does not change with a global factor on stiffness or density; it must
// not change with the unit of length either.
static void test_basis_does_not_depend_on_units(void) {
    const pal_material plain = {1e5, 0.4, 1000.0}, stiff = {7e6, 0.4, 1000.0},
                       dense = {1e5, 0.4, 9000.0};
    const struct {
        double h;
        pal_material material;
        double scale; // a mass-orthonormal basis goes as 1 / sqrt(mass)
    } cases[] = {{0.05, stiff, 1.0}, {0.05, dense, 3.0}, {0.5, plain, sqrt(1e3)}};
    block_shape shape = {.kind = PAL_HEX8, .n = {6, 2, 3}, .h = 0.05, .material = plain};
    block_body body;
    pal_model model, other;
    block_open(&body, &shape);
    uint8_t *held = block_held(&body.mesh);
    pal_bake_spec spec = spec_of(&body, held, 4, 7);
    bake(&spec, &model);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        block_body changed;
        shape.h = cases[k].h;
        shape.material = cases[k].material;
        block_open(&changed, &shape);
        spec = spec_of(&changed, held, 4, 7);
        bake(&spec, &other);
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.0, basis_difference(&model, &other, cases[k].scale));
        pal_model_free(&other);
        block_close(&changed);
    }
    free(held);
    pal_model_free(&model);
    block_close(&body);
}

static void test_quartic_does_not_depend_on_the_number_of_threads(void) {
    enum { R = 6 };
    pal_err err = {0};
    block_body body;
    pal_quartic lambda[2], mu[2];
    block_open(&body, &two_materials);
    int64_t rows = 3 * (int64_t)body.mesh.vertex_count;
    double *basis = calloc((size_t)rows * R, sizeof *basis);
    for (int64_t k = 0; k < rows * R; k++) {
        basis[k] = sin(0.7 * (double)k);
    }
    for (int t = 0; t < 2; t++) {
        pal_set_thread_count(t == 0 ? 1 : 3);
        CHECK_OK(pal_quartic_alloc(&lambda[t], R, &err), err);
        CHECK_OK(pal_quartic_alloc(&mu[t], R, &err), err);
        CHECK_OK(pal_quartic_build(&body.mesh, 0, basis, R, NULL, &lambda[t], &mu[t], &err), err);
    }
    pal_set_thread_count(0);
    TEST_ASSERT_EQUAL_MEMORY(mu[0].s, mu[1].s, (size_t)pal_quadruples(R) * sizeof(double));
    for (int t = 0; t < 2; t++) {
        pal_quartic_free(&lambda[t]);
        pal_quartic_free(&mu[t]);
    }
    free(basis);
    block_close(&body);
}

// A shape that was in the set of loads is reached again by the reduced model under the same load.
static void test_basis_from_loads_holds_the_loaded_shapes(void) {
    enum { LOADS = 6, R = 4 };
    pal_err err = {0};
    block_body body;
    pal_model model;
    const block_shape shape = {.kind = PAL_HEX8, .n = {8, 2, 2}, .h = 0.05};
    block_open(&body, &shape);
    uint8_t *held = block_held(&body.mesh);
    pal_load loads[LOADS];
    for (int k = 0; k < LOADS; k++) {
        loads[k] =
            (pal_load){.selector = "x>0.399",
                       .force = {0.0, k < 3 ? 0.8 * (k + 1) : 0.0, k < 3 ? 0.0 : 0.8 * (k - 2)}};
    }
    pal_bake_spec spec = spec_of(&body, held, 0, R);
    spec.basis = (pal_basis_spec){.kind = PAL_BASIS_LOADS,
                                  .size = R,
                                  .load_count = LOADS,
                                  .loads = loads,
                                  .force_separation = 0.01};
    bake(&spec, &model);
    // Newton on the reduced model under the largest load along y.
    int64_t rows = 3 * (int64_t)body.mesh.vertex_count;
    double *f = calloc((size_t)rows, sizeof *f), *u = calloc((size_t)rows, sizeof *u), full[3];
    pal_static_report report;
    CHECK_OK(pal_fem_add_load(&body.fem, "x>0.399", loads[2].force, f, &err), err);
    CHECK_OK(pal_static_solve(&body.fem, f, NULL, NULL, u, &report, &err), err);
    CHECK_OK(pal_fem_probe(&body.fem, "x>0.399", u, full, &err), err);
    double best = 0.0, projected[R] = {0};
    for (int k = 0; k < R; k++) { // U^T M u by the basis being orthonormal
        double *x = calloc((size_t)pal_fem_dofs(&body.fem), sizeof *x);
        double *mx = calloc((size_t)pal_fem_dofs(&body.fem), sizeof *mx);
        pal_fem_to_free(&body.fem, u, x);
        pal_fem_multiply_mass(&body.fem, x, mx);
        for (int64_t i = 0; i < pal_fem_dofs(&body.fem); i++) {
            projected[k] +=
                mx[i] * model.basis[(3 * (int64_t)body.fem.free_vertex[i / 3] + i % 3) * R + k];
        }
        free(x);
        free(mx);
    }
    double error = 0.0, size = 0.0;
    for (int64_t row = 0; row < rows; row++) {
        double sum = 0.0;
        for (int k = 0; k < R; k++) {
            sum += model.basis[row * R + k] * projected[k];
        }
        error += (sum - u[row]) * (sum - u[row]);
        size += u[row] * u[row];
    }
    best = sqrt(error / size);
    TEST_ASSERT_TRUE_MESSAGE(best < 0.02, "a loaded shape is not in the basis");
    TEST_ASSERT_TRUE(fabs(full[1]) > 0.02);
    free(f);
    free(u);
    free(held);
    pal_model_free(&model);
    block_close(&body);
}

static void test_a_free_body_bakes_without_its_rigid_motions(void) {
    block_body body;
    pal_model model;
    const block_shape shape = {.kind = PAL_HEX8, .n = {7, 3, 2}, .h = 0.05, .is_free = true};
    block_open(&body, &shape);
    pal_bake_spec spec = spec_of(&body, NULL, 4, 8);
    bake(&spec, &model);
    // A translation does no work on any basis vector: sum over vertices of M U is zero.
    int64_t n = pal_fem_dofs(&body.fem);
    double *x = calloc((size_t)n, sizeof *x), *mx = calloc((size_t)n, sizeof *mx);
    for (int k = 0; k < 8; k++) {
        for (int64_t i = 0; i < n; i++) {
            x[i] = model.basis[i * 8 + k];
        }
        pal_fem_multiply_mass(&body.fem, x, mx);
        double sum[3] = {0.0, 0.0, 0.0};
        for (int64_t i = 0; i < n; i++) {
            sum[i % 3] += mx[i];
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.0, fabs(sum[0]) + fabs(sum[1]) + fabs(sum[2]));
    }
    free(x);
    free(mx);
    pal_model_free(&model);
    block_close(&body);
}

// All 18 elastic modes of a free voxel: nothing is left for the derivatives to be outside of.
static void test_a_free_voxel_bakes_with_all_its_modes(void) {
    pal_err err = {0};
    block_body body;
    pal_model model;
    double error;
    const block_shape shape = {.kind = PAL_HEX8, .n = {1, 1, 1}, .h = 0.05, .is_free = true};
    block_open(&body, &shape);
    pal_bake_spec spec = spec_of(&body, NULL, 18, 6);
    bake(&spec, &model);
    CHECK_OK(pal_mass_orthonormality(&body.fem, model.basis, 6, &error, &err), err);
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0.0, error);
    pal_model_free(&model);
    block_close(&body);
}

static void test_impossible_bases_are_refused(void) {
    pal_err err = {0};
    block_body body;
    pal_model model;
    block_open(&body, &two_materials);
    uint8_t *held = block_held(&body.mesh);
    pal_bake_spec spec = spec_of(&body, held, 3, 40); // 3 modes + 6 derivatives
    CHECK_FAILS(PAL_ERR_USAGE, "basis of 40", pal_bake(&spec, NULL, &model, NULL, &err), err);
    spec.basis.size = 0;
    CHECK_FAILS(PAL_ERR_USAGE, "at least one", pal_bake(&spec, NULL, &model, NULL, &err), err);
    memset(held, 1, (size_t)body.mesh.vertex_count);
    CHECK_FAILS(PAL_ERR_USAGE, "fix fewer", pal_bake(&spec, NULL, &model, NULL, &err), err);
    free(held);
    block_close(&body);
}

// Bakes with one more allocation allowed each time until it succeeds.
static void check_short_memory(const pal_bake_spec *spec) {
    pal_status status = PAL_ERR_MEMORY;
    long allowed = 0;
    for (; status != PAL_OK; allowed++) {
        pal_err err = {0};
        pal_model model;
        pal_memory_fail_after(allowed);
        status = pal_bake(spec, NULL, &model, NULL, &err);
        pal_memory_fail_after(-1);
        if (status == PAL_OK) {
            pal_model_free(&model);
        } else {
            CHECK_FAILS(PAL_ERR_MEMORY, "out of memory", status, err);
        }
    }
    TEST_ASSERT_TRUE(allowed > 50);
}

static void test_bake_without_memory_fails_cleanly(void) {
    const block_shape tiny = {.kind = PAL_HEX8, .n = {2, 1, 1}, .h = 0.05};
    const block_shape sparse = {
        .kind = PAL_HEX8, .n = {6, 3, 3}, .h = 0.05}; // too large for LAPACK
    char end[] = "x>0.09";
    pal_load loads[2] = {{end, {0.0, 0.0, 1e-3}}, {end, {0.0, 1e-3, 0.0}}};
    block_body body;
    pal_set_thread_count(1); // quicker, for so little work
    block_open(&body, &tiny);
    uint8_t *held = block_held(&body.mesh);
    pal_bake_spec spec = spec_of(&body, held, 2, 3);
    check_short_memory(&spec);
    spec.held = NULL;
    check_short_memory(&spec);
    spec.held = held;
    spec.basis = (pal_basis_spec){PAL_BASIS_LOADS, .size = 2, .load_count = 2, .loads = loads};
    check_short_memory(&spec);
    free(held);
    block_close(&body);
    block_open(&body, &sparse);
    held = block_held(&body.mesh);
    spec = spec_of(&body, held, 2, 3);
    check_short_memory(&spec);
    free(held);
    block_close(&body);
    pal_set_thread_count(0);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_quartic_is_the_full_model_in_the_basis);
    RUN_TEST_OF_ONE_THREAD(test_basis_is_mass_orthonormal_and_regions_add_up_to_the_mass);
    RUN_TEST_OF_ONE_THREAD(test_tables_do_not_depend_on_the_material);
    RUN_TEST_OF_ONE_THREAD(test_any_first_vectors_can_be_used);
    RUN_TEST_OF_ONE_THREAD(test_basis_does_not_depend_on_units);
    RUN_TEST(test_quartic_does_not_depend_on_the_number_of_threads);
    RUN_TEST_OF_ONE_THREAD(test_basis_from_loads_holds_the_loaded_shapes);
    RUN_TEST(test_a_free_body_bakes_without_its_rigid_motions);
    RUN_TEST_OF_ONE_THREAD(test_a_free_voxel_bakes_with_all_its_modes);
    RUN_TEST_OF_ONE_THREAD(test_impossible_bases_are_refused);
    RUN_TEST_OF_ONE_THREAD(test_bake_without_memory_fails_cleanly);
    return UNITY_END();
}
