// A dent that grows stiffer with its depth is the gradient of the energy that its loads store.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/pose.h"
#include "sim/base/vec3.h"
#include "sim/contact/local_build.h"
#include "tests/support/check.h"
#include "tests/support/press.h"
#include "tests/support/random.h"

enum { MODES = 6, TOUCHES = 12, ROWS = 3 * TOUCHES };

static press block;
static pal_body body;
static pal_touch_set set;
static pal_local_rows rows;
static pal_dent dent;
static pal_row_surface *surface;
static test_random seed;
static double turn[3][3], w[ROWS * ROWS];
static pal_stiffening law;

static const press_shape shape = {.kind = PAL_HEX8,
                                  .low = {-0.02, -0.02, -0.01},
                                  .high = {0.02, 0.02, 0.0},
                                  .fine = 2.5e-3,
                                  .zone = {0.02, 0.02, 0.02},
                                  .growth = 1.0};
static const double scale = 0.7;

static void touch_anywhere_near(double reach) {
    set.count = 0;
    while (set.count < TOUCHES) {
        const int32_t t = (int32_t)(random_share(&seed) * block.surface.triangle_count);
        const double *x = block.surface.x + 3 * (int64_t)block.surface.triangle[3 * (int64_t)t];
        if (hypot(x[0], x[1]) < reach && x[2] > -1e-9) {
            pal_touch *touch = &set.item[set.count++];
            const double a = random_share(&seed), b = (1.0 - a) * random_share(&seed);
            *touch = (pal_touch){.id = set.count, .triangle = t, .area = 1e-6};
            touch->weight[0] = a;
            touch->weight[1] = b;
            touch->weight[2] = 1.0 - a - b;
        }
    }
}

void setUp(void) {
    pal_err err = {0};
    seed.state = 11;
    if (block.basis == NULL) {
        press_open(&block, &shape);
        press_reduce(&block, MODES);
        press_localise(&block, PAL_LOCAL_WANT_EXACT, 0.03, 0.0);
        CHECK_OK(pal_dent_alloc(&block.local, &dent, &err), err);
        pal_body_init_linear(&body, MODES, block.surface.vertex_count, block.surface.triangle_count,
                             block.surface.triangle, block.surface.x, block.basis, NULL, NULL);
        body.embedding = &block.embedding;
        CHECK_OK(pal_local_find_rows(&block.local, &body, &surface, &err), err);
    }
    pal_turn_matrix((double[4]){0.8, 0.2, -0.4, 0.4}, turn);
    law = (pal_stiffening){.surface = surface, .radius = 4e-3};
    pal_dent_clear(&dent);
    memset(&rows, 0, sizeof rows);
    touch_anywhere_near(0.008);
    TEST_ASSERT_EQUAL_INT(0, pal_local_gather(&block.local, &body, NULL, &set, &rows));
}
void tearDown(void) {
}

// ---- the energy, by plain loops

// out [row_count][3] = scale G f
static void multiply(const double *f, double *out) {
    const pal_local *g = &block.local;
    for (int32_t a = 0; a < g->row_count; a++) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (int64_t k = g->first[a]; k < g->first[a + 1]; k++) {
            for (int e = 0; e < 9; e++) {
                sum[e / 3] += scale * (double)g->block[9 * k + e] * f[3 * g->column[k] + e % 3];
            }
        }
        memcpy(out + 3 * (int64_t)a, sum, sizeof sum);
    }
}

// f [row_count][3] of forces on the touches, in the axes at rest.
static void find_loads(const double *force, double *f) {
    memset(f, 0, 3 * (size_t)block.local.row_count * sizeof *f);
    for (int32_t j = 0; j < TOUCHES; j++) {
        for (int32_t k = 0; k < rows.point[j].count; k++) {
            double *to = f + 3 * (int64_t)rows.row[rows.point[j].vertex[k]];
            for (int e = 0; e < 9; e++) {
                to[e % 3] += rows.point[j].weight[k] * turn[e / 3][e % 3] * force[3 * j + e / 3];
            }
        }
    }
}

// Also the deepest x.
static double energy_of(const double *force, double *deepest) {
    const int32_t n = block.local.row_count;
    double *f = calloc(9 * (size_t)n, sizeof *f), *u = f + 3 * (int64_t)n, *y = u + 3 * (int64_t)n;
    double energy = 0.0;
    find_loads(force, f);
    multiply(f, u);
    *deepest = 0.0;
    for (int32_t v = 0; v < n; v++) {
        const float *at = surface[v].normal;
        const double m[3] = {(double)at[0], (double)at[1], (double)at[2]};
        const double x = -pal_stiffening_rate(&law, v) * pal_dot3(m, u + 3 * v),
                     d = fmax(0.0, x - 0.05);
        const double s = 1.0 / sqrt(1.0 + 10.0 * d * d / (d + 0.2)), along = pal_dot3(m, f + 3 * v);
        *deepest = fmax(*deepest, x);
        for (int c = 0; c < 3; c++) {
            y[3 * v + c] = along * m[c] + s * (f[3 * v + c] - along * m[c]);
        }
    }
    multiply(y, u);
    for (int32_t k = 0; k < 3 * n; k++) {
        energy += 0.5 * y[k] * u[k];
    }
    free(f);
    return energy;
}

// Pressed into the body until x is `depth`, and sideways; a third of the touches carry nothing.
static void press_to(double depth, double *force) {
    double deepest;
    random_fill(&seed, 0.7, force, ROWS);
    for (int32_t j = 0; j < TOUCHES; j++) {
        for (int c = 0; c < 3; c++) {
            force[3 * j + c] -= turn[c][2];
            force[3 * j + c] *= j % 3 != 2;
        }
    }
    energy_of(force, &deepest);
    for (int i = 0; i < ROWS; i++) {
        force[i] *= depth / deepest;
    }
}

// out [ROWS]: a displacement of vertices at the points of the touches.
static void at_touches(const double *u, double *out) {
    memset(out, 0, ROWS * sizeof *out);
    for (int32_t j = 0; j < TOUCHES; j++) {
        for (int32_t k = 0; k < rows.point[j].count; k++) {
            const int32_t v = block.local.vertex[rows.row[rows.point[j].vertex[k]]];
            for (int c = 0; c < 3; c++) {
                out[3 * j + c] += rows.point[j].weight[k] * u[3 * (int64_t)v + c];
            }
        }
    }
}

static void make_dent(const double *force) {
    pal_local_stiffen(&rows, &law, &dent);
    pal_dent_begin(&dent);
    pal_local_dent(&block.local, &rows, &law, scale, turn, force, &dent);
    pal_dent_end(&dent);
}

// ---- laws

static void test_the_dent_is_the_gradient_of_the_energy(void) {
    static const double depth[] = {0.3, 1.0, 4.0};
    for (int k = 0; k < 3; k++) {
        double force[ROWS], moved[ROWS], deepest, size = 0.0, off = 0.0;
        press_to(depth[k], force);
        make_dent(force);
        at_touches(dent.u, moved);
        for (int i = 0; i < ROWS; i++) {
            const double h = 1e-4 * fabs(force[2]);
            double up[ROWS], down[ROWS];
            memcpy(up, force, sizeof up);
            memcpy(down, force, sizeof down);
            up[i] += h;
            down[i] -= h;
            const double slope = (energy_of(up, &deepest) - energy_of(down, &deepest)) / (2.0 * h);
            size = fmax(size, fabs(slope));
            off = fmax(off, fabs(slope - moved[i]));
        }
        TEST_ASSERT_TRUE_MESSAGE(off < 2e-5 * size, "not the gradient"); // blocks are floats
    }
}

static void test_a_shallow_dent_is_linear_bit_for_bit(void) {
    const size_t n = 3 * (size_t)block.mesh.vertex_count;
    double force[ROWS], *linear = calloc(n, sizeof *linear);
    press_to(0.9 * PAL_STIFFENING_BEGIN, force);
    pal_dent_begin(&dent);
    pal_local_dent(&block.local, &rows, NULL, scale, turn, force, &dent);
    memcpy(linear, dent.u, n * sizeof *linear);
    make_dent(force);
    TEST_ASSERT_EQUAL_INT(0, memcmp(linear, dent.u, n * sizeof *linear));
    TEST_ASSERT_EQUAL_INT(0, memcmp(linear, dent.yielding, n * sizeof *linear));
    TEST_ASSERT_FALSE(dent.stiffened);
    free(linear);
}

// What contact takes for linear in the forces is symmetric, and is that part of the dent: at rest
// no tool creeps.
static void test_what_yields_is_the_compliance_of_the_next_step(void) {
    double force[ROWS], by_dent[ROWS], size = 0.0, off = 0.0, uneven = 0.0;
    press_to(1.5, force);
    make_dent(force);
    at_touches(dent.yielding, by_dent);
    pal_local_stiffen(&rows, &law, &dent);
    TEST_ASSERT_TRUE(rows.stiffened && rows.least < 0.9f);
    memset(w, 0, sizeof w);
    pal_local_add(&rows, NULL, scale, turn, w, ROWS);
    for (int i = 0; i < ROWS; i++) {
        double by_w = 0.0;
        for (int j = 0; j < ROWS; j++) {
            by_w += w[i * ROWS + j] * force[j];
            uneven = fmax(uneven, fabs(w[i * ROWS + j] - w[j * ROWS + i]) / w[i * ROWS + i]);
        }
        size = fmax(size, fabs(by_w));
        off = fmax(off, fabs(by_w - by_dent[i]));
    }
    TEST_ASSERT_TRUE(off < 1e-5 * size);
    TEST_ASSERT_TRUE(uneven < 1e-5);
}

// How far touch 0 gives way to a force of its own along `way` at rest.
static double own_compliance(const double way[3]) {
    double along = 0.0;
    for (int k = 0; k < 9; k++) {
        along += way[k / 3] * w[k / 3 * ROWS + k % 3] * way[k % 3];
    }
    return along;
}

// The deeper the dent, the less it gives way sideways, and as much as ever inwards.
static void test_a_deep_dent_holds_on_sideways(void) {
    double last = INFINITY, first[2] = {0.0, 0.0};
    for (int k = 0; k < 6; k++) {
        double force[ROWS], in[3], aside[3];
        seed.state = 3;
        press_to(0.04 + 0.5 * k, force);
        make_dent(force);
        pal_local_stiffen(&rows, &law, &dent);
        memset(w, 0, sizeof w);
        pal_local_add(&rows, NULL, scale, turn, w, ROWS);
        for (int c = 0; c < 3; c++) {
            in[c] = turn[c][2];
            aside[c] = turn[c][0];
        }
        first[0] = k == 0 ? own_compliance(in) : first[0];
        first[1] = k == 0 ? own_compliance(aside) : first[1];
        TEST_ASSERT_DOUBLE_WITHIN(1e-5 * first[0], first[0], own_compliance(in));
        TEST_ASSERT_TRUE(own_compliance(aside) < last);
        last = own_compliance(aside);
    }
    TEST_ASSERT_TRUE(last < 0.5 * first[1]);
}

// Nothing is left of it for the next dents.
static void test_a_dent_that_is_gone_leaves_nothing(void) {
    double force[ROWS];
    press_to(1.5, force);
    make_dent(force);
    pal_dent_clear(&dent);
    pal_local_stiffen(&rows, &law, &dent);
    TEST_ASSERT_FALSE(rows.stiffened);
    for (int32_t r = 0; r < block.local.row_count; r++) {
        TEST_ASSERT_TRUE(dent.depth[r][0] == 0.0f);
    }
    for (int64_t k = 0; k < 3 * (int64_t)block.mesh.vertex_count; k++) {
        TEST_ASSERT_TRUE(dent.u[k] == 0.0 && dent.yielding[k] == 0.0);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_dent_is_the_gradient_of_the_energy);
    RUN_TEST(test_a_shallow_dent_is_linear_bit_for_bit);
    RUN_TEST(test_what_yields_is_the_compliance_of_the_next_step);
    RUN_TEST(test_a_deep_dent_holds_on_sideways);
    RUN_TEST(test_a_dent_that_is_gone_leaves_nothing);
    const int failed = UNITY_END();
    pal_dent_free(&dent);
    free(surface);
    press_close(&block);
    return failed;
}
