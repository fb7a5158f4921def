// The reduced body in time against full dynamics: the oracle's trajectories of the beam, nearer and
// nearer as the basis grows, and a tiny body with all its modes, which is the full body itself.
#include <math.h>
#include <stdlib.h>

#include "sim/base/vec3.h"
#include "sim/fem/dynamic.h"
#include "sim/mesh/select.h"
#include "sim/model/bake_basis.h"
#include "sim/reduced/newmark.h"
#include "sim/reduced/quartic_build.h"
#include "tests/support/block_body.h"
#include "tests/support/check.h"
#include "tests/support/oracle.h"
#include "tests/support/sanitized.h"

enum { STEPS = 150 };

void setUp(void) {
}

void tearDown(void) {
}

// A body reduced to a basis, with the mean displacement of some vertices watched and loaded.
typedef struct reduced_body {
    int32_t r;
    pal_quartic quartic;
    double *row; // [3][r]
    double *f;   // [r]
    void *memory;
    pal_newmark *body;
} reduced_body;

static void build_quartic(const pal_fem *fem, const double *basis, int32_t r, pal_quartic *out) {
    pal_err err = {0};
    pal_quartic per_lambda, per_mu;
    CHECK_OK(pal_quartic_alloc(out, r, &err), err);
    CHECK_OK(pal_quartic_alloc(&per_lambda, r, &err), err);
    CHECK_OK(pal_quartic_alloc(&per_mu, r, &err), err);
    CHECK_OK(pal_quartic_build(fem->mesh, 0, basis, r, NULL, &per_lambda, &per_mu, &err), err);
    pal_quartic_add(out, pal_material_lambda(&fem->material[0]), &per_lambda);
    pal_quartic_add(out, pal_material_mu(&fem->material[0]), &per_mu);
    pal_quartic_free(&per_lambda);
    pal_quartic_free(&per_mu);
}

static void reduced_open(reduced_body *x, pal_fem *fem, const pal_basis_spec *spec, const char *tip,
                         const double total[3], const pal_newmark_options *options) {
    pal_err err = {0};
    pal_bake_times times;
    pal_baked_basis baked;
    int32_t count, r = spec->size;
    CHECK_OK(pal_bake_basis(fem, spec, NULL, &baked, &times, &err), err);
    *x = (reduced_body){.r = r};
    build_quartic(fem, baked.basis, r, &x->quartic);
    uint8_t *selected = calloc((size_t)fem->mesh->vertex_count, 1);
    CHECK_OK(pal_select_vertices(fem->mesh, tip, selected, &count, &err), err);
    x->row = calloc(3 * (size_t)r, sizeof *x->row);
    x->f = calloc((size_t)r, sizeof *x->f);
    for (int64_t row = 0; row < 3 * (int64_t)fem->mesh->vertex_count; row++) {
        for (int32_t k = 0; selected[row / 3] && k < r; k++) {
            x->row[row % 3 * r + k] += baked.basis[row * r + k] / count;
            x->f[k] += baked.basis[row * r + k] * total[row % 3] / count;
        }
    }
    free(selected);
    pal_baked_basis_free(&baked);
    x->memory = aligned_alloc(64, (pal_newmark_bytes(r, PAL_DOUBLE) + 63) / 64 * 64);
    x->body = pal_newmark_init(x->memory, &x->quartic, NULL, PAL_DOUBLE, options);
    // The load is on at the start: M a = f, with M = I.
    pal_newmark_set_state(x->body, NULL, NULL, x->f);
}

static void reduced_close(reduced_body *x) {
    pal_quartic_free(&x->quartic);
    free(x->row);
    free(x->f);
    free(x->memory);
}

static void reduced_step(reduced_body *x, double tip[3]) {
    TEST_ASSERT_EQUAL_INT(0, pal_newmark_step(x->body, x->f, NULL, 0, NULL));
    const double *q = pal_newmark_q(x->body);
    for (int c = 0; c < 3; c++) {
        tip[c] = 0.0;
        for (int32_t k = 0; k < x->r; k++) {
            tip[c] += x->row[c * x->r + k] * q[k];
        }
    }
}

// Greatest distance from the oracle's tip, as a share of its greatest displacement.
static double beam_error(oracle_problem *beam, const double *rows, int32_t modes, int32_t r,
                         double alpha, double beta) {
    const pal_basis_spec spec = {.kind = PAL_BASIS_DERIVATIVES, .modes = modes, .size = r};
    const pal_newmark_options options = {.dt = 0.01,
                                         .alpha = alpha,
                                         .beta = beta,
                                         .newton_iterations = 60,
                                         .newton_tolerance = 1e-9};
    const double total[3] = {0.0, -150.0, 0.0};
    reduced_body x;
    double worst = 0.0, greatest = 0.0;
    reduced_open(&x, &beam->fem, &spec, "x>0.999", total, &options);
    for (int step = 1; step <= STEPS; step++) {
        const double *expected = rows + 9 * step + 1;
        double tip[3], d[3];
        reduced_step(&x, tip);
        pal_sub3(tip, expected, d);
        worst = fmax(worst, pal_norm3(d));
        greatest = fmax(greatest, pal_norm3(expected));
    }
    reduced_close(&x);
    return worst / greatest;
}

static void check_falling_error(const char *run, double alpha, double beta, double last) {
    static const int32_t modes[] = {3, 5, 8, 12}, sizes[] = {6, 14, 30, 60};
    enum { SIZES = SANITIZED_OR(3, 4) };
    oracle_problem beam;
    cJSON *json = oracle_json("beam_tet_dynamic.json");
    double *rows = oracle_array(cJSON_GetObjectItem(json, "runs"), run, NULL), before = INFINITY;
    oracle_beam(&beam, PAL_MASS_CONSISTENT);
    for (size_t k = 0; k < SIZES; k++) {
        double error = beam_error(&beam, rows, modes[k], sizes[k], alpha, beta);
        TEST_ASSERT_TRUE(error < before);
        before = error;
    }
    TEST_ASSERT_TRUE(before < SANITIZED_OR(10.0 * last, last));
    oracle_free(&beam);
    free(rows);
    cJSON_Delete(json);
}

static void test_error_against_the_undamped_oracle_falls_as_the_basis_grows(void) {
    check_falling_error("newmark_undamped", 0.0, 0.0, 2e-3);
}

static void test_error_against_the_damped_oracle_falls_as_the_basis_grows(void) {
    check_falling_error("newmark_damped_tangent", 0.5, 0.002, 1e-3);
}

// ---- a body with all its modes

typedef struct path {
    const pal_fem *fem;
    double tip[STEPS + 1][3];
} path;

static bool keep(void *user, int step, double time, const double *u, const double *v,
                 double kinetic, double strain) {
    (void)time;
    (void)v;
    (void)kinetic;
    (void)strain;
    path *p = user;
    return pal_fem_probe(p->fem, "x>0.19", u, p->tip[step], NULL) == PAL_OK;
}

static void test_a_body_with_all_its_modes_moves_as_the_full_body(void) {
    pal_err err = {0};
    block_body block;
    reduced_body x;
    path full;
    const double total[3] = {5.0, -18.0, 12.0};
    const pal_newmark_options options = {.dt = 0.004,
                                         .alpha = 0.3,
                                         .beta = 1e-3,
                                         .newton_iterations = 100,
                                         .newton_tolerance = 1e-10};
    const pal_dynamic_options dynamic = {
        .dt = options.dt, .steps = STEPS, .alpha = options.alpha, .beta = options.beta};
    block_open(&block, &(block_shape){.kind = PAL_HEX8, .n = {2, 1, 1}, .h = 0.1});
    int32_t r = (int32_t)pal_fem_dofs(&block.fem);
    const pal_basis_spec spec = {.kind = PAL_BASIS_MODES, .modes = r, .size = r};
    full.fem = &block.fem;
    double *f = calloc(3 * (size_t)block.mesh.vertex_count, sizeof *f);
    CHECK_OK(pal_fem_add_load(&block.fem, "x>0.19", total, f, &err), err);
    CHECK_OK(pal_dynamic_run(&block.fem, f, &dynamic, NULL, keep, &full, &err), err);
    reduced_open(&x, &block.fem, &spec, "x>0.19", total, &options);
    double greatest = 0.0, worst = 0.0;
    for (int step = 1; step <= STEPS; step++) {
        double tip[3], d[3];
        reduced_step(&x, tip);
        pal_sub3(tip, full.tip[step], d);
        worst = fmax(worst, pal_norm3(d));
        greatest = fmax(greatest, pal_norm3(full.tip[step]));
    }
    TEST_ASSERT_TRUE(greatest > 0.04); // a fifth of its length: far from linear
    TEST_ASSERT_DOUBLE_WITHIN(1e-8 * greatest, 0.0, worst);
    reduced_close(&x);
    free(f);
    block_close(&block);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_error_against_the_undamped_oracle_falls_as_the_basis_grows);
    RUN_TEST(test_error_against_the_damped_oracle_falls_as_the_basis_grows);
    RUN_TEST(test_a_body_with_all_its_modes_moves_as_the_full_body);
    return UNITY_END();
}
