// Materials changed without baking: the same as the full body of the new materials, in the same
// basis.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/fem/assemble.h"
#include "sim/model/bake.h"
#include "sim/model/retune.h"
#include "sim/reduced/quartic_build.h"
#include "tests/support/block_body.h"
#include "tests/support/check.h"

enum { R = 7 };

static block_body body;
static pal_model model;
static pal_quartic quartic;
static double mass[R * (R + 1) / 2];
static const pal_material changed[2] = {{4e4, 0.45, 700.0}, {9e5, 0.2, 2100.0}};

void setUp(void) {
    pal_err err = {0};
    const block_shape shape = {.kind = PAL_HEX8, .n = {6, 2, 3}, .h = 0.05, .regions = 2};
    block_open(&body, &shape);
    uint8_t *held = block_held(&body.mesh);
    pal_bake_spec spec = {.name = "block",
                          .scene_text = "",
                          .mesh = &body.mesh,
                          .held = held,
                          .material = body.fem.material,
                          .basis = {.kind = PAL_BASIS_DERIVATIVES, .modes = 5, .size = R}};
    CHECK_OK(pal_bake(&spec, NULL, &model, NULL, &err), err);
    CHECK_OK(pal_quartic_alloc(&quartic, R, &err), err);
    free(held);
}

void tearDown(void) {
    pal_quartic_free(&quartic);
    pal_model_free(&model);
    block_close(&body);
}

// u = U q as a free vector.
static double *displacement(const pal_fem *fem, const double *q) {
    int64_t n = pal_fem_dofs(fem);
    double *u = calloc((size_t)n, sizeof *u);
    for (int64_t i = 0; i < n; i++) {
        const double *row = model.basis + (3 * (int64_t)fem->free_vertex[i / 3] + i % 3) * R;
        for (int k = 0; k < R; k++) {
            u[i] += row[k] * q[k];
        }
    }
    return u;
}

static void test_retuned_energy_and_mass_are_those_of_the_full_body(void) {
    pal_err err = {0};
    pal_fem fem;
    uint8_t *held = block_held(&body.mesh);
    CHECK_OK(pal_model_retune(&model, changed, &quartic, mass, &err), err);
    CHECK_OK(pal_fem_init(&fem, &body.mesh, changed, held, PAL_MASS_CONSISTENT, &err), err);
    for (int trial = 0; trial < 5; trial++) {
        double q[R], energy, kinetic = 0.0, reduced = 0.0;
        for (int k = 0; k < R; k++) {
            q[k] = 0.05 * cos(1.0 + 2.3 * k + trial);
        }
        double *u = displacement(&fem, q), *mu = calloc((size_t)pal_fem_dofs(&fem), sizeof *mu);
        CHECK_OK(pal_fem_evaluate(&fem, u, &energy, NULL, false, &err), err);
        TEST_ASSERT_DOUBLE_WITHIN(1e-10 * energy, energy,
                                  pal_quartic_eval(&quartic, q, NULL, NULL));
        pal_fem_multiply_mass(&fem, u, mu);
        for (int64_t i = 0; i < pal_fem_dofs(&fem); i++) {
            kinetic += u[i] * mu[i];
        }
        for (int64_t j = 0; j < R; j++) {
            for (int64_t i = 0; i < R; i++) {
                reduced += q[i] * q[j] * mass[i < j ? pal_pair_at(i, j) : pal_pair_at(j, i)];
            }
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-10 * kinetic, kinetic, reduced);
        free(u);
        free(mu);
    }
    pal_fem_free(&fem);
    free(held);
}

static void test_the_same_materials_give_the_baked_model_back(void) {
    pal_err err = {0};
    CHECK_OK(pal_model_retune(&model, body.fem.material, &quartic, mass, &err), err);
    TEST_ASSERT_EQUAL_MEMORY(model.quartic.s, quartic.s,
                             (size_t)pal_quadruples(R) * sizeof(double));
    for (int64_t j = 0; j < R; j++) {
        for (int64_t i = 0; i <= j; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-10, i == j, mass[pal_pair_at(i, j)]);
        }
    }
}

static void test_a_bad_material_changes_nothing(void) {
    pal_err err = {0};
    pal_material bad[2] = {changed[0], {9e5, 0.5, 2100.0}};
    CHECK_OK(pal_model_retune(&model, changed, &quartic, mass, &err), err);
    double before = quartic.s[3];
    CHECK_FAILS(PAL_ERR_INPUT, "far", pal_model_retune(&model, bad, &quartic, mass, &err), err);
    TEST_ASSERT_TRUE(quartic.s[3] == before);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_retuned_energy_and_mass_are_those_of_the_full_body);
    RUN_TEST(test_the_same_materials_give_the_baked_model_back);
    RUN_TEST(test_a_bad_material_changes_nothing);
    return UNITY_END();
}
