// Laws of the basis with boundary modes: a domain answers to what hangs on its ports.
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/fem/static.h"
#include "sim/mesh/block.h"
#include "sim/model/bake_boundary.h"
#include "sim/substruct/class_build.h"
#include "tests/support/beam_tree.h"
#include "tests/support/block_body.h"
#include "tests/support/check.h"

enum { MOST = 64, NX = 8 };
#define LENGTH (NX / 32.0) // m

typedef struct quarter { // of the beam, held at x = 0, with a port at its end
    pal_volmesh mesh;
    uint8_t *held;
    pal_fem fem;
    int32_t vertex[MOST];
    double weight[MOST];
    pal_basis_port port;
} quarter;

static pal_err err;
static quarter body;

void setUp(void) {
    const int32_t n[3] = {NX, 2, 2};
    err = (pal_err){0};
    body = (quarter){.port = {.vertex = body.vertex, .weight = body.weight, .load = 1.0}};
    CHECK_OK(pal_mesh_block(PAL_TET4, n, LENGTH / NX, &body.mesh, &err), err);
    body.held = block_held(&body.mesh);
    CHECK_OK(pal_fem_init(&body.fem, &body.mesh, &beam_tree_material, body.held,
                          PAL_MASS_CONSISTENT, &err),
             err);
    for (int32_t v = 0; v < body.mesh.vertex_count; v++) {
        if (body.mesh.x[3 * v] > LENGTH - 1e-9) {
            body.vertex[body.port.vertex_count++] = v;
        }
    }
    CHECK_OK(
        pal_interface_weights(&body.mesh, body.port.vertex_count, body.vertex, body.weight, &err),
        err);
}

void tearDown(void) {
    pal_fem_free(&body.fem);
    pal_volmesh_free(&body.mesh);
    free(body.held);
}

static pal_status try_bake(pal_basis_kind kind, int32_t r, int32_t modes, pal_model *model) {
    const pal_bake_spec spec = {
        .name = "quarter",
        .scene_text = "",
        .mesh = &body.mesh,
        .held = body.held,
        .material = &beam_tree_material,
        .basis = {.kind = kind, .size = r, .modes = modes, .port_count = 1, .port = &body.port}};
    return pal_bake(&spec, NULL, model, NULL, &err);
}

// f = a force (N) and a torque (N m) on the end, spread by the port's weights.
static double *wrench(const double force[3], const double torque[3]) {
    double x[3], c[3][3], g[3][3], spin[3] = {torque[0], torque[1], torque[2]};
    int pivot[3];
    double *f = calloc(3 * (size_t)body.mesh.vertex_count, sizeof *f);
    pal_interface_moments(&body.mesh, body.port.vertex_count, body.vertex, body.weight, x, c);
    for (int i = 0; i < 9; i++) {
        g[i / 3][i % 3] = (i % 4 == 0 ? c[0][0] + c[1][1] + c[2][2] : 0.0) - c[i / 3][i % 3];
    }
    TEST_ASSERT_EQUAL_INT(0, LAPACKE_dgesv(LAPACK_ROW_MAJOR, 3, 1, &g[0][0], 3, pivot, spin, 1));
    for (int32_t k = 0; k < body.port.vertex_count; k++) {
        double d[3], turn[3];
        pal_sub3(body.mesh.x + 3 * body.vertex[k], x, d);
        pal_cross3(spin, d, turn);
        for (int i = 0; i < 3; i++) {
            f[3 * body.vertex[k] + i] = body.weight[k] * (force[i] + turn[i]);
        }
    }
    return f;
}

// q in equilibrium with the load: Newton, the load in steps.
static void settle(const pal_model *model, const double *f, double *q) {
    enum { STEPS = 10, ROUNDS = 12 };
    int r = model->r, pivot[MOST];
    double load[MOST] = {0}, force[MOST], k[MOST * MOST];
    for (int l = 0; l < r; l++) {
        for (int32_t row = 0; row < 3 * model->mesh.vertex_count; row++) {
            load[l] += model->basis[row * r + l] * f[row];
        }
    }
    for (int round = 0; round < STEPS * ROUNDS; round++) {
        double share = (1.0 + round / ROUNDS) / STEPS, b[MOST];
        pal_quartic_eval(&model->quartic, q, force, k);
        for (int l = 0; l < r; l++) {
            b[l] = share * load[l] - force[l];
        }
        TEST_ASSERT_EQUAL_INT(0, LAPACKE_dgesv(LAPACK_ROW_MAJOR, r, 1, k, r, pivot, b, 1));
        for (int l = 0; l < r; l++) {
            q[l] += b[l];
        }
    }
}

static void mean_of(const double *u, double mean[3]) {
    memset(mean, 0, 3 * sizeof *mean);
    for (int32_t k = 0; k < body.port.vertex_count; k++) {
        for (int i = 0; i < 3; i++) {
            mean[i] += body.weight[k] * u[3 * body.vertex[k] + i];
        }
    }
}

// How far the end is from where the full model has it, relative to how far it went.
static double end_error(const pal_model *model, const double *f, double *moved) {
    double q[MOST] = {0}, full[3], reduced[3], apart[3];
    double *u = calloc(3 * (size_t)body.mesh.vertex_count, sizeof *u);
    CHECK_OK(pal_static_solve(&body.fem, f, &(pal_static_options){0}, NULL, u,
                              &(pal_static_report){0}, &err),
             err);
    mean_of(u, full);
    settle(model, f, q);
    for (int32_t row = 0; row < 3 * body.mesh.vertex_count; row++) {
        u[row] = 0.0;
        for (int l = 0; l < model->r; l++) {
            u[row] += model->basis[row * model->r + l] * q[l];
        }
    }
    mean_of(u, reduced);
    pal_sub3(full, reduced, apart);
    free(u);
    *moved = pal_norm3(full) / LENGTH;
    return pal_norm3(apart) / pal_norm3(full);
}

// Forces and torques of these directions, so large that the end turns by about 30 degrees.
static const double loads[][6] = {
    {0, 1, 0, 0, 0, 0},   {0, 0, 1, 0, 0, 0},        {0, 0, 0, 0, 0, 1},
    {0, 1, 0, 0, 0, 0.5}, {0, 0.5, 1, 0, -0.5, 0.3}, {0.3, 1, 0.3, 0.5, 0.3, 0.5},
};
enum { LOADS = sizeof loads / sizeof *loads };

static double *load_of(int k, double turn) {
    double bending = beam_tree_material.young * pow(2.0 / 32.0, 4.0) / 12.0; // E I
    double each = turn * bending / (LENGTH * LENGTH), force[3], torque[3];
    double size = 0.5 * hypot(loads[k][1], loads[k][2]) + hypot(loads[k][4], loads[k][5]);
    for (int i = 0; i < 3; i++) {
        force[i] = each / size * loads[k][i];
        torque[i] = each / size * LENGTH * loads[k][3 + i];
    }
    return wrench(force, torque);
}

static void test_small_loads_on_a_port_are_answered_exactly(void) {
    pal_model model;
    CHECK_OK(try_bake(PAL_BASIS_BOUNDARY, 6, 0, &model), err);
    for (int k = 0; k < LOADS; k++) {
        double moved, *f = load_of(k, 1e-6);
        TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0.0, end_error(&model, f, &moved));
        free(f);
    }
    pal_model_free(&model);
}

static void test_a_domain_bends_far_under_what_hangs_on_it(void) {
    pal_model boundary, modal;
    CHECK_OK(try_bake(PAL_BASIS_BOUNDARY, 20, 20, &boundary), err);
    CHECK_OK(try_bake(PAL_BASIS_DERIVATIVES, 20, 10, &modal), err);
    for (int k = 0; k < LOADS; k++) {
        double moved, *f = load_of(k, 0.5);
        double error = end_error(&boundary, f, &moved);
        TEST_ASSERT_TRUE(moved > 0.1);
        TEST_ASSERT_DOUBLE_WITHIN(0.005, 0.0, error);
        TEST_ASSERT_TRUE(error < end_error(&modal, f, &moved));
        free(f);
    }
    pal_model_free(&boundary);
    pal_model_free(&modal);
}

static void test_more_than_there_is_cannot_be_asked_for(void) {
    pal_model model;
    const int32_t all = (int32_t)pal_fem_dofs(&body.fem);
    CHECK_FAILS(PAL_ERR_USAGE, "independent", try_bake(PAL_BASIS_BOUNDARY, all + 1, 4, &model),
                err);
    TEST_ASSERT_NULL(model.basis);
    body.port.vertex_count = 2;
    CHECK_FAILS(PAL_ERR_INPUT, "a port has 2 vertices", try_bake(PAL_BASIS_BOUNDARY, 8, 4, &model),
                err);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_small_loads_on_a_port_are_answered_exactly);
    RUN_TEST(test_a_domain_bends_far_under_what_hangs_on_it);
    RUN_TEST(test_more_than_there_is_cannot_be_asked_for);
    return UNITY_END();
}
