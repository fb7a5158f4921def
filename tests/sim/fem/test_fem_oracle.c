// Full finite elements against independent solvers (tests/data/oracles).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/fem/assemble.h"
#include "sim/fem/dynamic.h"
#include "sim/fem/static.h"
#include "tests/support/check.h"
#include "tests/support/oracle.h"

static oracle_problem beam, voxels;
static cJSON *beam_json, *voxel_json;

void setUp(void) {
}

void tearDown(void) {
}

static void near_relative(double tolerance, double expected, double actual) {
    TEST_ASSERT_DOUBLE_WITHIN(tolerance * fabs(expected), expected, actual);
}

static void test_total_mass_is_the_oracles(void) {
    near_relative(1e-12, oracle_number(beam_json, "total_mass"), beam.fem.total_mass);
    near_relative(1e-12, oracle_number(voxel_json, "total_mass"), voxels.fem.total_mass);
}

static double trace(const pal_csr *a) {
    double sum = 0.0;
    for (int64_t r = 0; r < a->n; r++) {
        for (int64_t k = a->start[r]; k < a->start[r + 1]; k++) {
            sum += a->col[k] == r ? a->value[k] : 0.0;
        }
    }
    return sum;
}

static double frobenius(const pal_csr *a) {
    double sum = 0.0;
    for (int64_t k = 0; k < a->start[a->n]; k++) {
        sum += a->value[k] * a->value[k];
    }
    return sqrt(sum);
}

static void test_stiffness_and_mass_matrices_match_their_checksums(void) {
    pal_err err = {0};
    pal_fem *fem = &beam.fem;
    const cJSON *k0 = cJSON_GetObjectItem(beam_json, "K0"),
                *m = cJSON_GetObjectItem(beam_json, "M");
    CHECK_OK(pal_fem_evaluate(fem, NULL, NULL, NULL, true, &err), err);
    near_relative(1e-12, oracle_number(k0, "trace_constrained"), trace(&fem->stiffness));
    near_relative(1e-12, oracle_number(k0, "frobenius_constrained"), frobenius(&fem->stiffness));
    pal_fem_combine(fem, 0.0, 1.0, &fem->stiffness);
    near_relative(1e-12, oracle_number(m, "trace_constrained"), trace(&fem->stiffness));
    near_relative(1e-12, oracle_number(m, "frobenius_constrained"), frobenius(&fem->stiffness));
}

// The oracle's fields are of the whole body, nothing held.
static void test_energy_force_and_stiffness_of_given_fields(void) {
    pal_err err = {0};
    pal_fem whole;
    CHECK_OK(pal_fem_init(&whole, &beam.mesh, beam.fem.material, NULL, PAL_MASS_CONSISTENT, &err),
             err);
    double *force = malloc((size_t)pal_fem_dofs(&whole) * sizeof *force);
    const cJSON *field;
    cJSON_ArrayForEach(field, cJSON_GetObjectItem(beam_json, "fields")) {
        double energy, *u = oracle_array(field, "u", NULL), *f = oracle_array(field, "f_int", NULL);
        CHECK_OK(pal_fem_evaluate(&whole, u, &energy, force, true, &err), err);
        near_relative(1e-10, oracle_number(field, "energy_J"), energy);
        TEST_ASSERT_TRUE(check_relative_difference(force, f, (size_t)pal_fem_dofs(&whole)) < 1e-10);
        near_relative(1e-10, oracle_number(field, "K_trace"), trace(&whole.stiffness));
        near_relative(1e-10, oracle_number(field, "K_frobenius"), frobenius(&whole.stiffness));
        free(u);
        free(f);
    }
    free(force);
    pal_fem_free(&whole);
}

// Solves one static case and compares tip, energy and, when given, the whole field.
static void check_static(oracle_problem *problem, const double total[3], const cJSON *expected) {
    pal_err err = {0};
    pal_static_report report;
    size_t rows = 3 * (size_t)problem->mesh.vertex_count;
    double *f = calloc(rows, sizeof *f), *u = calloc(rows, sizeof *u), tip[3];
    double far = problem->mesh.kind == PAL_TET4 ? 1.0 : 0.16;
    char selector[32];
    snprintf(selector, sizeof selector, "x>%g", far - 1e-6);
    CHECK_OK(pal_fem_add_load(&problem->fem, selector, total, f, &err), err);
    CHECK_OK(pal_static_solve(&problem->fem, f, NULL, NULL, u, &report, &err), err);
    CHECK_OK(pal_fem_probe(&problem->fem, selector, u, tip, &err), err);
    double *tip_expected = oracle_array(expected, "tip_mean_u", NULL);
    TEST_ASSERT_TRUE(check_relative_difference(tip, tip_expected, 3) < 1e-8);
    near_relative(1e-8, oracle_number(expected, "strain_energy_J"), report.energy);
    if (cJSON_HasObjectItem(expected, "corner_u")) {
        double *field = oracle_array(expected, "u", NULL);
        TEST_ASSERT_TRUE(check_relative_difference(u, field, rows) < 1e-8);
        free(field);
    }
    free(tip_expected);
    free(f);
    free(u);
}

static void test_large_static_deflections_of_the_beam(void) {
    const cJSON *load;
    int count = 0;
    cJSON_ArrayForEach(load, cJSON_GetObjectItem(beam_json, "static")) {
        double total[3] = {0.0, 0.0, 0.0};
        const char *text = cJSON_GetObjectItem(load, "load")->valuestring;
        TEST_ASSERT_EQUAL_INT(
            3, sscanf(text, "dead force, total (%lf,%lf,%lf)", &total[0], &total[1], &total[2]));
        check_static(&beam, total, load);
        count++;
    }
    TEST_ASSERT_EQUAL_INT(3, count);
}

static void test_static_deflections_of_voxels_of_three_materials(void) {
    const cJSON *load;
    cJSON_ArrayForEach(load, cJSON_GetObjectItem(voxel_json, "static_by_gauss_order")) {
        double total[3] = {0.0, 0.0, 0.0};
        total[(int)oracle_number(load, "axis")] = oracle_number(load, "total_force_N");
        check_static(&voxels, total, cJSON_GetObjectItem(load, "gauss3"));
    }
}

typedef struct track {
    const double *row; // [151][9]
    double worst_tip, worst_energy, largest_tip, largest_energy;
} track;

static bool follow(void *user, int step, double time, const double *u, const double *v,
                   double kinetic, double strain) {
    (void)v;
    track *t = user;
    const double *row = t->row + 9 * step;
    double tip[3];
    pal_fem_probe(&beam.fem, "x>0.999", u, tip, NULL);
    for (int c = 0; c < 3; c++) {
        t->worst_tip = fmax(t->worst_tip, fabs(tip[c] - row[1 + c]));
        t->largest_tip = fmax(t->largest_tip, fabs(row[1 + c]));
    }
    t->worst_energy = fmax(t->worst_energy, fabs(kinetic - row[7]) + fabs(strain - row[8]));
    t->largest_energy = fmax(t->largest_energy, row[7] + row[8]);
    return fabs(time - row[0]) < 1e-12;
}

static void check_trajectory(const char *run, double alpha, double beta) {
    pal_err err = {0};
    cJSON *json = oracle_json("beam_tet_dynamic.json");
    double *rows = oracle_array(cJSON_GetObjectItem(json, "runs"), run, NULL);
    double *f = calloc(3 * (size_t)beam.mesh.vertex_count, sizeof *f);
    const double total[3] = {0.0, -150.0, 0.0};
    pal_dynamic_options options = {.dt = 0.01, .steps = 150, .alpha = alpha, .beta = beta};
    track t = {.row = rows};
    CHECK_OK(pal_fem_add_load(&beam.fem, "x>0.999", total, f, &err), err);
    CHECK_OK(pal_dynamic_run(&beam.fem, f, &options, NULL, follow, &t, &err), err);
    TEST_ASSERT_TRUE(t.largest_tip > 0.1);
    TEST_ASSERT_DOUBLE_WITHIN(1e-8 * t.largest_tip, 0.0, t.worst_tip);
    TEST_ASSERT_DOUBLE_WITHIN(1e-8 * t.largest_energy, 0.0, t.worst_energy);
    free(f);
    free(rows);
    cJSON_Delete(json);
}

static void test_undamped_newmark_trajectory(void) {
    check_trajectory("newmark_undamped", 0.0, 0.0);
}

static void test_newmark_trajectory_with_tangent_damping(void) {
    check_trajectory("newmark_damped_tangent", 0.5, 0.002);
}

int main(void) {
    UNITY_BEGIN();
    oracle_beam(&beam, PAL_MASS_CONSISTENT);
    oracle_voxels(&voxels, PAL_MASS_CONSISTENT);
    beam_json = oracle_json("beam_tet.json");
    voxel_json = oracle_json("voxel_hetero.json");
    RUN_TEST(test_total_mass_is_the_oracles);
    RUN_TEST(test_stiffness_and_mass_matrices_match_their_checksums);
    RUN_TEST(test_energy_force_and_stiffness_of_given_fields);
    RUN_TEST(test_large_static_deflections_of_the_beam);
    RUN_TEST(test_static_deflections_of_voxels_of_three_materials);
    RUN_TEST(test_undamped_newmark_trajectory);
    RUN_TEST(test_newmark_trajectory_with_tangent_damping);
    cJSON_Delete(beam_json);
    cJSON_Delete(voxel_json);
    oracle_free(&beam);
    oracle_free(&voxels);
    return UNITY_END();
}
