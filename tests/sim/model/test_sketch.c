// Pulls at the linear model, kept for a basis.
#include "sim/model/sketch.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/basis/load_shapes.h"
#include "sim/fem/static.h"
#include "sim/mesh/block.h"
#include "sim/model/bake_basis.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

// A soft beam of 12 x 3 x 3 cells of 1 cm, held at one end.
static pal_volmesh mesh;
static pal_fem fem;
static uint8_t *held;

static void open_beam(bool is_held) {
    static const int32_t cells[3] = {12, 3, 3};
    static const pal_material material = {1e5, 0.4, 1000.0};
    pal_err err = {0};
    CHECK_OK(pal_mesh_block(PAL_HEX8, cells, 0.01, &mesh, &err), err);
    held = calloc((size_t)mesh.vertex_count, 1);
    for (int64_t v = 0; v < mesh.vertex_count; v++) {
        held[v] = is_held && mesh.x[3 * v] < 1e-9;
    }
    CHECK_OK(pal_fem_init(&fem, &mesh, &material, held, PAL_MASS_CONSISTENT, &err), err);
}

static void close_beam(void) {
    pal_fem_free(&fem);
    pal_volmesh_free(&mesh);
    free(held);
}

static void test_a_pull_bends_the_linear_model_as_its_modes_allow(void) {
    pal_sketch sketch;
    pal_err err = {0};
    open_beam(true);
    CHECK_OK(pal_sketch_open(&sketch, &fem, 20, 0.0, NULL, &err), err);
    CHECK_OK(pal_sketch_grab(&sketch, "x>0.1199", &err), err);
    TEST_ASSERT_EQUAL_INT(16, sketch.hold.count);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.12, sketch.hold.rest[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.015, sketch.hold.rest[2]);

    // A small force: the full nonlinear body is nearly linear, and nearly all of it is in the modes
    const double force[3] = {0.0, 0.0, -1e-4};
    const int64_t rows = 3 * (int64_t)mesh.vertex_count;
    double *f = calloc((size_t)rows, sizeof *f), *u = calloc((size_t)rows, sizeof *u);
    double *linear = calloc((size_t)rows, sizeof *linear), mean[3], modal[3];
    pal_static_report report;
    CHECK_OK(pal_fem_add_load(&fem, "x>0.1199", force, f, &err), err);
    CHECK_OK(pal_static_solve(&fem, f, NULL, NULL, u, &report, &err), err);
    CHECK_OK(pal_fem_probe(&fem, "x>0.1199", u, mean, &err), err);
    pal_sketch_pull(&sketch, force);
    pal_sketch_displace(&sketch, linear);
    CHECK_OK(pal_fem_probe(&fem, "x>0.1199", linear, modal, &err), err);
    TEST_ASSERT_DOUBLE_WITHIN(0.02 * fabs(mean[2]), mean[2], modal[2]);
    for (int c = 0; c < 3; c++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, modal[c], sketch.hold.moved[c]);
    }
    // Twice the force, twice the way, however far
    pal_sketch_pull(&sketch, (double[3]){0.0, 0.0, -2.0});
    TEST_ASSERT_DOUBLE_WITHIN(1e-9 * fabs(modal[2]) * 2e4, 2e4 * modal[2], sketch.hold.moved[2]);
    free(f);
    free(u);
    free(linear);
    pal_sketch_close(&sketch);
    close_beam();
}

static void test_a_drag_pulls_by_its_spring(void) {
    pal_sketch sketch;
    pal_err err = {0};
    open_beam(true);
    CHECK_OK(pal_sketch_open(&sketch, &fem, 10, 0.0, NULL, &err), err);
    CHECK_OK(pal_sketch_grab_at(&sketch, (double[3]){0.12, 0.03, 0.03}, 0.012, &err), err);
    TEST_ASSERT_EQUAL_INT(4, sketch.hold.count);
    TEST_ASSERT_EQUAL_STRING("near:(0.12,0.03,0.03):0.012", sketch.hold.selector);
    const double to[3] = {0.11, 0.05, 0.0}, s = 30.0;
    pal_sketch_drag(&sketch, to, s);
    for (int c = 0; c < 3; c++) {
        const double stretch = to[c] - sketch.hold.rest[c] - sketch.hold.moved[c];
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, s * stretch, sketch.hold.force[c]);
    }
    // As the spring gets stiff the vertices are where the hand is
    pal_sketch_drag(&sketch, to, 1e6);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, to[2] - sketch.hold.rest[2], sketch.hold.moved[2]);
    // Far from any vertex: the nearest
    CHECK_OK(pal_sketch_grab_at(&sketch, (double[3]){0.2, 0.0, 0.0}, 0.01, &err), err);
    TEST_ASSERT_EQUAL_INT(1, sketch.hold.count);
    TEST_ASSERT_TRUE(strncmp(sketch.hold.selector, "vertices:", 9) == 0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.12, sketch.hold.rest[0]);
    pal_sketch_release(&sketch);
    for (int32_t k = 0; k < sketch.modes.count; k++) {
        TEST_ASSERT_TRUE(sketch.q[k] == 0.0);
    }
    pal_sketch_pull(&sketch, (double[3]){1.0, 0.0, 0.0}); // nothing is held
    TEST_ASSERT_TRUE(sketch.q[0] == 0.0);
    pal_sketch_close(&sketch);
    close_beam();
}

static void test_kept_forces_are_apart(void) {
    pal_sketch sketch;
    pal_err err = {0};
    open_beam(true);
    CHECK_OK(pal_sketch_open(&sketch, &fem, 4, 0.1, NULL, &err), err);
    for (int hold = 0; hold < 2; hold++) {
        CHECK_OK(pal_sketch_grab(&sketch, hold == 0 ? "x>0.119" : "x>0.09", &err), err);
        for (int k = 0; k <= 100; k++) { // a circle with a slow start
            const double angle = 0.0628 * k, size = fmin(1.0, 0.02 * k);
            bool kept;
            pal_sketch_pull(&sketch, (double[3]){0.0, size * cos(angle), size * sin(angle)});
            CHECK_OK(pal_sketch_keep(&sketch, &kept, &err), err);
            CHECK_OK(pal_sketch_keep(&sketch, &kept, &err), err);
            TEST_ASSERT_FALSE(kept); // the same again
        }
    }
    TEST_ASSERT_EQUAL_INT(2, sketch.holds);
    TEST_ASSERT_TRUE(sketch.load_count > 80 && sketch.load_count < 140);
    for (int32_t i = 1; i < sketch.load_count; i++) {
        double change[3];
        pal_sub3(sketch.load[i].force, sketch.load[i - 1].force, change);
        if (strcmp(sketch.load[i].selector, sketch.load[i - 1].selector) == 0) {
            TEST_ASSERT_TRUE(pal_norm3(change) >= 0.1 * (1.0 - 1e-9) && pal_norm3(change) < 0.17);
        }
    }
    char *text = pal_sketch_text(&sketch, "about it", &err);
    TEST_ASSERT_NOT_NULL(strstr(text, "# about it\n"));
    TEST_ASSERT_NOT_NULL(strstr(text, "x>0.119 ; 0 "));
    free(text);

    // Taken back one by one; what is held now is not kept again
    const int32_t count = sketch.load_count;
    bool kept;
    TEST_ASSERT_TRUE(pal_sketch_undo(&sketch));
    TEST_ASSERT_EQUAL_INT(count - 1, sketch.load_count);
    TEST_ASSERT_EQUAL_INT(2, sketch.holds);
    CHECK_OK(pal_sketch_keep(&sketch, &kept, &err), err);
    TEST_ASSERT_FALSE(kept);
    while (sketch.load_count > 1) {
        TEST_ASSERT_TRUE(pal_sketch_undo(&sketch));
    }
    TEST_ASSERT_EQUAL_INT(1, sketch.holds);
    TEST_ASSERT_TRUE(pal_sketch_undo(&sketch));
    TEST_ASSERT_EQUAL_INT(0, sketch.holds);
    TEST_ASSERT_FALSE(pal_sketch_undo(&sketch));
    pal_sketch_close(&sketch);
    close_beam();
}

// The part of u that the basis does not span, in the mass metric, over the whole.
static double left_over(const double *basis, int32_t r, const double *u) {
    const int n = (int)pal_fem_dofs(&fem);
    double *x = calloc((size_t)n, sizeof *x), *mx = calloc((size_t)n, sizeof *mx);
    double *b = calloc((size_t)n * (size_t)r, sizeof *b);
    pal_fem_to_free(&fem, u, x);
    pal_fem_basis_to_free(&fem, basis, r, b);
    pal_fem_multiply_mass(&fem, x, mx);
    const double whole = cblas_ddot(n, x, 1, mx, 1);
    for (int32_t k = 0; k < r; k++) { // the basis is mass-orthonormal
        cblas_daxpy(n, -cblas_ddot(n, b + (int64_t)k * n, 1, mx, 1), b + (int64_t)k * n, 1, x, 1);
    }
    pal_fem_multiply_mass(&fem, x, mx);
    const double left = cblas_ddot(n, x, 1, mx, 1);
    free(x);
    free(mx);
    free(b);
    return sqrt(fmax(0.0, left) / whole);
}

// sketch -> basis -> the shapes of the full nonlinear body under those loads are in it
static void test_the_basis_of_a_sketch_spans_the_shapes_under_its_loads(void) {
    pal_sketch sketch;
    pal_err err = {0};
    open_beam(true);
    CHECK_OK(pal_sketch_open(&sketch, &fem, 10, 0.05, NULL, &err), err);
    for (int hold = 0; hold < 2; hold++) {
        CHECK_OK(pal_sketch_grab(&sketch, "x>0.119", &err), err);
        for (int k = 1; k <= 8; k++) {
            bool kept;
            pal_sketch_pull(&sketch, (double[3]){0.0, hold * 0.08 * k, -(1 - hold) * 0.08 * k});
            CHECK_OK(pal_sketch_keep(&sketch, &kept, &err), err);
        }
    }
    TEST_ASSERT_EQUAL_INT(16, sketch.load_count);
    const pal_basis_spec spec = {
        .kind = PAL_BASIS_LOADS, .size = 6, .load_count = sketch.load_count, .loads = sketch.load};
    pal_baked_basis baked;
    pal_bake_times times = {0};
    CHECK_OK(pal_bake_basis(&fem, &spec, NULL, &baked, &times, &err), err);
    const int64_t rows = 3 * (int64_t)mesh.vertex_count;
    double *f = calloc((size_t)rows, sizeof *f), *u = calloc((size_t)rows, sizeof *u);
    double *modes = calloc((size_t)rows * 6, sizeof *modes), tip[3];
    for (int64_t i = 0; i < rows; i++) { // the linear modes alone, as many
        for (int k = 0; k < 6; k++) {
            modes[6 * i + k] = sketch.modes.psi[k * rows + i];
        }
    }
    for (int32_t i = 3; i < sketch.load_count; i += 4) {
        pal_static_report report;
        memset(f, 0, (size_t)rows * sizeof *f);
        CHECK_OK(pal_fem_add_load(&fem, sketch.load[i].selector, sketch.load[i].force, f, &err),
                 err);
        CHECK_OK(pal_static_solve(&fem, f, NULL, NULL, u, &report, &err), err);
        TEST_ASSERT_TRUE(left_over(baked.basis, 6, u) < 2e-3);
        if (i % 8 == 7) { // bent far: the sketch is what makes the difference
            CHECK_OK(pal_fem_probe(&fem, "x>0.119", u, tip, &err), err);
            TEST_ASSERT_TRUE(pal_norm3(tip) > 0.02);
            TEST_ASSERT_TRUE(left_over(modes, 6, u) > 20.0 * left_over(baked.basis, 6, u));
        }
    }
    free(f);
    free(u);
    free(modes);
    pal_baked_basis_free(&baked);
    pal_sketch_close(&sketch);
    close_beam();
}

static void test_what_cannot_be_pulled_is_told(void) {
    pal_sketch sketch;
    pal_err err = {0};
    open_beam(false);
    CHECK_FAILS(PAL_ERR_USAGE, "nothing holds the body",
                pal_sketch_open(&sketch, &fem, 4, 0.0, NULL, &err), err);
    close_beam();
    open_beam(true);
    CHECK_FAILS(PAL_ERR_USAGE, "separation", pal_sketch_open(&sketch, &fem, 4, -1.0, NULL, &err),
                err);
    CHECK_OK(pal_sketch_open(&sketch, &fem, 4, 0.0, NULL, &err), err);
    CHECK_FAILS(PAL_ERR_USAGE, "selects no vertex", pal_sketch_grab(&sketch, "x>1", &err), err);
    CHECK_FAILS(PAL_ERR_USAGE, "held fast", pal_sketch_grab(&sketch, "x<0.001", &err), err);
    CHECK_FAILS(PAL_ERR_USAGE, "no vertex near",
                pal_sketch_grab_at(&sketch, (double[3]){NAN, 0.0, 0.0}, 0.01, &err), err);
    TEST_ASSERT_TRUE(pal_sketch_grab(&sketch, "x>>1", &err) != PAL_OK);
    pal_sketch_close(&sketch);
    close_beam();
}

static void test_no_memory_is_an_error(void) {
    pal_err err = {0};
    open_beam(true);
    pal_status status = PAL_ERR_MEMORY;
    for (long after = 0; status != PAL_OK; after += 3) {
        pal_sketch sketch;
        bool kept;
        pal_memory_fail_after(after);
        status = pal_sketch_open(&sketch, &fem, 2, 0.0, NULL, &err);
        if (status == PAL_OK) {
            status = pal_sketch_grab(&sketch, "x>0.1", &err);
            pal_sketch_pull(&sketch, (double[3]){0.0, 0.0, 1.0});
            status = status == PAL_OK ? pal_sketch_keep(&sketch, &kept, &err) : status;
            char *text = pal_sketch_text(&sketch, "", &err);
            status = text == NULL ? PAL_ERR_MEMORY : status;
            free(text);
            pal_sketch_close(&sketch);
        }
        pal_memory_fail_after(-1);
        TEST_ASSERT_TRUE(status == PAL_OK || status == PAL_ERR_MEMORY);
    }
    close_beam();
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_pull_bends_the_linear_model_as_its_modes_allow);
    RUN_TEST(test_a_drag_pulls_by_its_spring);
    RUN_TEST(test_kept_forces_are_apart);
    RUN_TEST(test_the_basis_of_a_sketch_spans_the_shapes_under_its_loads);
    RUN_TEST(test_what_cannot_be_pulled_is_told);
    RUN_TEST(test_no_memory_is_an_error);
    return UNITY_END();
}
