// Laws of elements that are body only in part: everything scales by the share, and a body filled by
// shares behaves as its surface does, wherever that lies in the grid.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/fem/assemble.h"
#include "sim/fem/static.h"
#include "sim/mesh/select.h"
#include "sim/mesh/voxelize.h"
#include "sim/reduced/quartic_build.h"
#include "tests/support/check.h"
#include "tests/support/random.h"
#include "tests/support/shapes.h"

static const pal_material material = {1e6, 0.3, 1000.0};
static pal_volmesh mesh;
static pal_err err;

void setUp(void) {
    memset(&mesh, 0, sizeof mesh);
}

void tearDown(void) {
    pal_volmesh_free(&mesh);
}

static void make_shares(pal_element_kind kind, double low, double high) {
    test_random random = {3};
    shape_box(&mesh, kind, 3, 2, 2, (double[3]){0.3, 0.2, 0.2});
    mesh.share = PAL_NEW(double, mesh.element_count, &err);
    for (int32_t e = 0; e < mesh.element_count; e++) {
        mesh.share[e] = low + (high - low) * random_share(&random);
    }
}

static void open_fem(pal_fem *fem, const pal_volmesh *of, pal_mass_kind kind) {
    uint8_t *held = PAL_NEW(uint8_t, of->vertex_count, &err);
    CHECK_OK(pal_select_vertices(of, "x<=min", held, NULL, &err), err);
    CHECK_OK(pal_fem_init(fem, of, &material, held, kind, &err), err);
    free(held);
}

// Half of everything: energy, force, stiffness, mass and weight.
static void test_all_elements_halved_halve_the_body(void) {
    const pal_element_kind kinds[] = {PAL_TET4, PAL_HEX8};
    for (int k = 0; k < 2; k++) {
        pal_fem half, whole;
        double energy[2];
        make_shares(kinds[k], 0.5, 0.5);
        open_fem(&half, &mesh, k == 0 ? PAL_MASS_LUMPED : PAL_MASS_CONSISTENT);
        int64_t n = pal_fem_dofs(&half), full = 3 * (int64_t)mesh.vertex_count;
        double *u = PAL_NEW(double, n, &err), *f = PAL_NEW(double, 2 * n, &err);
        double *g = PAL_NEW(double, 2 * full, &err);
        random_fill(&(test_random){5}, 0.01, u, (size_t)n);
        CHECK_OK(pal_fem_evaluate(&half, u, &energy[0], f, true, &err), err);
        CHECK_OK(pal_fem_add_gravity(&half, (double[3]){1, 2, 3}, g, &err), err);
        double *share = mesh.share;
        mesh.share = NULL;
        open_fem(&whole, &mesh, k == 0 ? PAL_MASS_LUMPED : PAL_MASS_CONSISTENT);
        CHECK_OK(pal_fem_evaluate(&whole, u, &energy[1], f + n, true, &err), err);
        CHECK_OK(pal_fem_add_gravity(&whole, (double[3]){1, 2, 3}, g + full, &err), err);
        mesh.share = share;
        TEST_ASSERT_DOUBLE_WITHIN(1e-12 * energy[1], 0.5 * energy[1], energy[0]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5 * whole.total_mass, half.total_mass);
        for (int64_t i = 0; i < n; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.5 * f[n + i], f[i]);
        }
        for (int64_t i = 0; i < full; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5 * g[full + i], g[i]);
        }
        for (int64_t i = 0; i < half.stiffness.start[n]; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.5 * whole.stiffness.value[i],
                                      half.stiffness.value[i]);
        }
        for (int64_t i = 0; i < half.block_start[half.free_count]; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.5 * whole.mass[i], half.mass[i]);
        }
        free(u);
        free(f);
        free(g);
        pal_fem_free(&half);
        pal_fem_free(&whole);
        pal_volmesh_free(&mesh);
    }
}

// V(q) of the reduced body is the energy of the full one at U q, whatever the shares.
static void test_the_quartic_is_that_of_the_shared_body(void) {
    enum { R = 3 };
    pal_fem fem;
    make_shares(PAL_HEX8, 0.02, 1.0);
    open_fem(&fem, &mesh, PAL_MASS_CONSISTENT);
    int64_t rows = 3 * (int64_t)mesh.vertex_count, n = pal_fem_dofs(&fem);
    double *basis = PAL_NEW(double, rows *R, &err), *full = PAL_NEW(double, rows, &err);
    double *u = PAL_NEW(double, n, &err);
    random_fill(&(test_random){8}, 1.0, basis, (size_t)rows * R);
    for (int64_t i = 0; i < rows; i++) {
        for (int k = 0; k < R && fem.free_index[i / 3] < 0; k++) {
            basis[i * R + k] = 0.0;
        }
    }
    pal_quartic lambda, mu;
    CHECK_OK(pal_quartic_alloc(&lambda, R, &err), err);
    CHECK_OK(pal_quartic_alloc(&mu, R, &err), err);
    CHECK_OK(pal_quartic_build(&mesh, 0, basis, R, NULL, &lambda, &mu, &err), err);
    const double q[R] = {0.02, -0.03, 0.01};
    for (int64_t i = 0; i < rows; i++) {
        for (int k = 0; k < R; k++) {
            full[i] += basis[i * R + k] * q[k];
        }
    }
    double energy;
    pal_fem_to_free(&fem, full, u);
    CHECK_OK(pal_fem_evaluate(&fem, u, &energy, NULL, false, &err), err);
    const double reduced =
        pal_material_lambda(&material) * pal_quartic_eval(&lambda, q, NULL, NULL) +
        pal_material_mu(&material) * pal_quartic_eval(&mu, q, NULL, NULL);
    TEST_ASSERT_DOUBLE_WITHIN(1e-10 * energy, energy, reduced);
    pal_quartic_free(&lambda);
    pal_quartic_free(&mu);
    free(basis);
    free(full);
    free(u);
    pal_fem_free(&fem);
}

// How far the end of a beam that is held at x = min sinks under a small load, and its mass.
static double sink(const pal_volmesh *beam, double *mass) {
    pal_fem fem;
    pal_static_report report;
    double mean[3];
    open_fem(&fem, beam, PAL_MASS_CONSISTENT);
    double *f = PAL_NEW(double, 3 * (int64_t)beam->vertex_count, &err);
    double *u = PAL_NEW(double, 3 * (int64_t)beam->vertex_count, &err);
    CHECK_OK(pal_fem_add_load(&fem, "x>=max", (double[3]){0, 0, -1e-4}, f, &err), err);
    CHECK_OK(pal_static_solve(&fem, f, NULL, NULL, u, &report, &err), err);
    CHECK_OK(pal_fem_probe(&fem, "x>=max", u, mean, &err), err);
    *mass = fem.total_mass;
    free(f);
    free(u);
    pal_fem_free(&fem);
    return -mean[2];
}

// A beam whose sides lie somewhere in the grid, against one of as many elements whose sides are
// theirs: by shares it bends alike, more so the finer the grid (the second moment of a voxel that
// is half full is that of its whole height: an error of second order); by whole voxels it does not.
static void test_a_beam_off_the_grid_bends_as_one_on_it(void) {
    const double side = 0.23, size[3] = {1.0, side, side};
    static const int along[] = {10, 20, 32};
    double error[3];
    for (int i = 0; i < 3; i++) {
        pal_surface surface = {0};
        pal_volmesh aligned, whole = {0};
        double mass[3];
        shape_add_box(&surface, (double[]){0, 0, 0}, size);
        CHECK_OK(pal_voxelize(&surface, along[i], PAL_FILL_SHARE, NULL, &mesh, &err), err);
        CHECK_OK(pal_voxelize(&surface, along[i], PAL_FILL_WHOLE, NULL, &whole, &err), err);
        const int across = (int)ceil(along[i] * side);
        shape_box(&aligned, PAL_HEX8, along[i], across, across, size);
        const double true_sink = sink(&aligned, &mass[0]);
        const double shared = sink(&mesh, &mass[1]), blocky = sink(&whole, &mass[2]);
        TEST_ASSERT_DOUBLE_WITHIN(0.005 * mass[0], mass[0], mass[1]);
        TEST_ASSERT_TRUE(mass[2] > 1.1 * mass[0]);
        error[i] = fabs(shared / true_sink - 1.0);
        TEST_ASSERT_TRUE(fabs(blocky / true_sink - 1.0) > 2.0 * error[i]);
        pal_surface_free(&surface);
        pal_volmesh_free(&aligned);
        pal_volmesh_free(&whole);
        pal_volmesh_free(&mesh);
    }
    TEST_ASSERT_TRUE(error[2] < 0.05);
    TEST_ASSERT_TRUE(error[1] < 0.5 * error[0]);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_all_elements_halved_halve_the_body);
    RUN_TEST(test_the_quartic_is_that_of_the_shared_body);
    RUN_TEST(test_a_beam_off_the_grid_bends_as_one_on_it);
    return UNITY_END();
}
