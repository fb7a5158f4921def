// Modes, modal derivatives and the reduced polynomial against independent solvers
// (tests/data/oracles).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/basis/eigen.h"
#include "sim/basis/modal_deriv.h"
#include "sim/reduced/quartic_build.h"
#include "tests/support/check.h"
#include "tests/support/oracle.h"

void setUp(void) {
}

void tearDown(void) {
}

static void check_frequencies(oracle_problem *problem, const double *expected, size_t count) {
    pal_err err = {0};
    pal_modes modes;
    CHECK_OK(pal_modes_solve(&problem->fem, (int32_t)count, NULL, &modes, &err), err);
    for (size_t k = 0; k < count; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-6 * expected[k], expected[k], pal_mode_hz(modes.lambda[k]));
    }
    TEST_ASSERT_TRUE(modes.residual_max < 1e-8);
    pal_modes_free(&modes);
}

static void check_beam_frequencies(pal_mass_kind mass_kind, const char *key) {
    oracle_problem beam;
    size_t count;
    cJSON *json = oracle_json("beam_tet.json");
    double *expected = oracle_array(cJSON_GetObjectItem(json, "frequencies_hz"), key, &count);
    oracle_beam(&beam, mass_kind);
    TEST_ASSERT_EQUAL_INT(20, count);
    check_frequencies(&beam, expected, count);
    oracle_free(&beam);
    free(expected);
    cJSON_Delete(json);
}

static void test_beam_frequencies_with_consistent_mass(void) {
    check_beam_frequencies(PAL_MASS_CONSISTENT, "consistent_mass");
}

static void test_beam_frequencies_with_lumped_mass(void) {
    check_beam_frequencies(PAL_MASS_LUMPED, "lumped_mass_rowsum");
}

static void test_voxel_frequencies_with_three_materials(void) {
    oracle_problem voxels;
    size_t count;
    cJSON *json = oracle_json("voxel_hetero.json");
    double *expected = oracle_array(json, "freq_consistent_mass", &count);
    oracle_voxels(&voxels, PAL_MASS_CONSISTENT);
    check_frequencies(&voxels, expected, count);
    oracle_free(&voxels);
    free(expected);
    cJSON_Delete(json);
}

// The oracle's modes as pal_modes ([mode][rows]).
static void oracle_modes(const double *basis, pal_modes *modes) {
    *modes = (pal_modes){.count = 3, .rows = 297};
    modes->lambda = calloc(3, sizeof(double));
    modes->psi = calloc(3 * 297, sizeof(double));
    for (int k = 0; k < 3; k++) {
        for (int row = 0; row < 297; row++) {
            modes->psi[k * 297 + row] = basis[row * 10 + k];
        }
    }
}

static void test_modal_derivatives_of_the_beam(void) {
    pal_err err = {0};
    oracle_problem beam;
    pal_modes modes;
    pal_derivatives derivatives;
    cJSON *json = oracle_json("beam_tet_modal_derivatives.json");
    double *basis = oracle_basis();
    oracle_beam(&beam, PAL_MASS_CONSISTENT);
    oracle_modes(basis, &modes);
    CHECK_OK(pal_modal_derivatives(&beam.fem, &modes, 3, NULL, &derivatives, &err), err);
    TEST_ASSERT_EQUAL_INT(6, derivatives.count);
    for (int n = 0; n < 6; n++) {
        char key[16];
        snprintf(key, sizeof key, "Phi_%d%d", derivatives.i[n], derivatives.j[n]);
        double *expected = oracle_array(json, key, NULL);
        TEST_ASSERT_TRUE(check_relative_difference(derivatives.phi + n * 297, expected, 297) <
                         1e-6);
        free(expected);
    }
    pal_derivatives_free(&derivatives);
    pal_modes_free(&modes);
    oracle_free(&beam);
    free(basis);
    cJSON_Delete(json);
}

// The quartic of the beam for the oracle's basis and material.
static void beam_quartic(pal_quartic *quartic) {
    pal_err err = {0};
    oracle_problem beam;
    pal_quartic per_lambda, per_mu;
    double *basis = oracle_basis();
    oracle_beam(&beam, PAL_MASS_CONSISTENT);
    CHECK_OK(pal_quartic_alloc(&per_lambda, 10, &err), err);
    CHECK_OK(pal_quartic_alloc(&per_mu, 10, &err), err);
    CHECK_OK(pal_quartic_alloc(quartic, 10, &err), err);
    CHECK_OK(pal_quartic_build(&beam.mesh, 0, basis, 10, NULL, &per_lambda, &per_mu, &err), err);
    pal_quartic_add(quartic, pal_material_lambda(beam.fem.material), &per_lambda);
    pal_quartic_add(quartic, pal_material_mu(beam.fem.material), &per_mu);
    pal_quartic_free(&per_lambda);
    pal_quartic_free(&per_mu);
    oracle_free(&beam);
    free(basis);
}

static void test_reduced_energy_force_and_stiffness(void) {
    pal_quartic quartic;
    beam_quartic(&quartic);
    cJSON *json = oracle_json("beam_tet_reduced.json");
    const cJSON *item;
    int cases = 0;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(json, "cases")) {
        double *q = oracle_array(item, "q", NULL), *f = oracle_array(item, "f_red", NULL);
        double *k = oracle_array(item, "K_red", NULL), force[10], stiffness[100];
        double energy = pal_quartic_eval(&quartic, q, force, stiffness);
        double expected = oracle_number(item, "energy_J");
        TEST_ASSERT_DOUBLE_WITHIN(1e-9 * expected, expected, energy);
        TEST_ASSERT_TRUE(check_relative_difference(force, f, 10) < 1e-9);
        TEST_ASSERT_TRUE(check_relative_difference(stiffness, k, 100) < 1e-9);
        free(q);
        free(f);
        free(k);
        cases++;
    }
    TEST_ASSERT_EQUAL_INT(5, cases);
    pal_quartic_free(&quartic);
    cJSON_Delete(json);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_beam_frequencies_with_consistent_mass);
    RUN_TEST(test_beam_frequencies_with_lumped_mass);
    RUN_TEST(test_voxel_frequencies_with_three_materials);
    RUN_TEST(test_modal_derivatives_of_the_beam);
    RUN_TEST(test_reduced_energy_force_and_stiffness);
    return UNITY_END();
}
