// Local compliance as the servo uses it, against plain loops over the same table.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/contact/local_build.h"
#include "tests/support/check.h"
#include "tests/support/press.h"
#include "tests/support/random.h"

enum { MODES = 6, TOUCHES = 24, LD = 3 * PAL_MAX_TOUCHES + 4 };

static press block;
static pal_body body;
static pal_touch_set set;
static pal_local_rows rows;
static pal_dent dent;
static test_random seed;
static double turn[3][3], w[3 * PAL_MAX_TOUCHES * LD], expected[3 * PAL_MAX_TOUCHES * LD];

static const press_shape shape = {.kind = PAL_HEX8,
                                  .low = {-0.02, -0.02, -0.01},
                                  .high = {0.02, 0.02, 0.0},
                                  .fine = 2.5e-3,
                                  .zone = {0.02, 0.02, 0.02},
                                  .growth = 1.0};

// A turn about an odd axis.
static void set_turn(double angle) {
    const double a[3] = {2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0};
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            turn[r][c] = (r == c ? cos(angle) : 0.0) + (1.0 - cos(angle)) * a[r] * a[c];
        }
    }
    turn[0][1] -= sin(angle) * a[2];
    turn[1][0] += sin(angle) * a[2];
    turn[0][2] += sin(angle) * a[1];
    turn[2][0] -= sin(angle) * a[1];
    turn[1][2] -= sin(angle) * a[0];
    turn[2][1] += sin(angle) * a[0];
}

// The block serves all tests.
static void open_block(void) {
    pal_err err = {0};
    press_open(&block, &shape);
    press_reduce(&block, MODES);
    press_localise(&block, PAL_LOCAL_WANT_EXACT, 0.012, 0.0); // some pairs of touches are farther
    CHECK_OK(pal_dent_alloc(&block.local, &dent, &err), err);
}

void setUp(void) {
    if (block.basis == NULL) {
        open_block();
    }
    seed.state = 5;
    pal_body_init_linear(&body, MODES, block.surface.vertex_count, block.surface.triangle_count,
                         block.surface.triangle, block.surface.x, block.basis, NULL, NULL);
    body.embedding = &block.embedding;
    pal_dent_clear(&dent);
    memset(&rows, 0, sizeof rows);
    set_turn(0.0);
    memset(w, 0, sizeof w);
    memset(expected, 0, sizeof expected);
}

void tearDown(void) {
}

// Touches on triangles whose corners are all within `reach` of (0, 0) of the top, or on all.
static void touch(int32_t count, double reach) {
    set.count = 0;
    while (set.count < count) {
        int32_t t = (int32_t)(random_share(&seed) * block.surface.triangle_count);
        bool within = true;
        for (int k = 0; k < 3; k++) {
            const double *x = block.surface.x + 3 * (int64_t)block.surface.triangle[3 * t + k];
            within = within && (reach == 0.0 || (x[2] > -1e-9 && hypot(x[0], x[1]) < reach));
        }
        if (!within) {
            continue;
        }
        pal_touch *item = &set.item[set.count++];
        double a = random_share(&seed), b = random_share(&seed) * (1.0 - a);
        *item = (pal_touch){.triangle = t, .weight = {a, b, 1.0 - a - b}};
    }
}

// The share of touch j in mesh vertex v.
static double share_of(int32_t j, int32_t v) {
    double sum = 0.0;
    for (int p = 0; p < 3; p++) {
        int32_t point = block.surface.triangle[3 * set.item[j].triangle + p];
        for (int a = 0; a < block.embedding.nodes; a++) {
            int64_t at = (int64_t)point * block.embedding.nodes + a;
            sum += block.embedding.vertex[at] == v
                       ? set.item[j].weight[p] * block.embedding.weight[at]
                       : 0.0;
        }
    }
    return sum;
}

// out += R E_i G E_j^T R^T over all blocks of the table.
static void plain_block(int32_t i, int32_t j, double out[3][3]) {
    const pal_local *g = &block.local;
    double m[3][3] = {{0}};
    for (int32_t a = 0; a < g->row_count; a++) {
        double ea = share_of(i, g->vertex[a]);
        for (int32_t k = g->first[a]; ea != 0.0 && k < g->first[a + 1]; k++) {
            double eb = share_of(j, g->vertex[g->column[k]]);
            for (int e = 0; e < 9; e++) {
                m[e / 3][e % 3] += ea * eb * (double)g->block[9 * (int64_t)k + e];
            }
        }
    }
    for (int e = 0; e < 81; e++) {
        int r = e / 27, c = e / 9 % 3, p = e / 3 % 3, q = e % 3;
        out[r][c] += turn[r][p] * m[p][q] * turn[c][q];
    }
}

static void plain_add(double scale) {
    for (int32_t i = 0; i < set.count; i++) {
        for (int32_t j = 0; j < set.count; j++) {
            double m[3][3] = {{0}};
            plain_block(i, j, m);
            for (int e = 0; e < 9; e++) {
                expected[(3 * i + e / 3) * LD + 3 * j + e % 3] += scale * m[e / 3][e % 3];
            }
        }
    }
}

static void test_add_is_the_plain_triple_product(void) {
    touch(TOUCHES, 0.011);
    set_turn(0.7);
    for (int k = 0; k < 3 * TOUCHES * LD; k++) { // it adds to what is there
        w[k] = expected[k] = 0.01 * (double)(k % 7);
    }
    TEST_ASSERT_EQUAL_INT(0, pal_local_gather(&block.local, &body, NULL, &set, &rows));
    pal_local_add(&rows, NULL, 1.5, turn, w, LD);
    plain_add(1.5);
    TEST_ASSERT_TRUE(check_relative_difference(w, expected, 3 * TOUCHES * LD) < 1e-6);
}

// Touches that come and go find what was kept from earlier ones, and what is too much is let go.
static void test_what_was_touched_before_makes_no_difference(void) {
    static pal_local_rows fresh;
    bool let_go = false;
    for (int k = 0; k < 60; k++) {
        const int32_t before = rows.vertex_count;
        touch(1 + k % 7, 0.0);
        memset(&fresh, 0, sizeof fresh);
        memset(w, 0, sizeof w);
        memset(expected, 0, sizeof expected);
        pal_local_gather(&block.local, &body, NULL, &set, &rows);
        pal_local_gather(&block.local, &body, NULL, &set, &fresh);
        pal_local_add(&rows, NULL, 1.0, turn, w, LD);
        pal_local_add(&fresh, NULL, 1.0, turn, expected, LD);
        TEST_ASSERT_EQUAL_MEMORY(expected, w, sizeof w);
        let_go = let_go || rows.vertex_count < before;
        TEST_ASSERT_TRUE(rows.vertex_count <= 2 * fresh.vertex_count + 16);
    }
    TEST_ASSERT_TRUE(let_go);
}

// Only the columns of the forces that are wanted are added to; the others may follow.
static void test_columns_may_be_added_one_after_the_other(void) {
    bool presses[TOUCHES];
    touch(TOUCHES, 0.011);
    pal_local_gather(&block.local, &body, NULL, &set, &rows);
    pal_local_add(&rows, NULL, 1.0, turn, expected, LD);
    for (int part = 0; part < 2; part++) {
        for (int i = 0; i < TOUCHES; i++) {
            presses[i] = (i % 3 == 0) == (part == 0);
        }
        pal_local_add(&rows, presses, 1.0, turn, w, LD);
        for (int k = 0; k < 3 * TOUCHES * LD; k++) {
            const int column = k % LD;
            const bool added = column < 3 * TOUCHES && (part == 1 || presses[column / 3]);
            TEST_ASSERT_TRUE(w[k] == (added ? expected[k] : 0.0));
        }
    }
}

static void test_the_result_is_symmetric_and_positive(void) {
    touch(TOUCHES, 0.006); // all pairs within the radius
    pal_local_gather(&block.local, &body, NULL, &set, &rows);
    pal_local_add(&rows, NULL, 1.0, turn, w, LD);
    double most = 0.0;
    for (int i = 0; i < 3 * TOUCHES; i++) {
        most = fmax(most, w[i * LD + i]);
        for (int j = 0; j < i; j++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-6 * most, w[i * LD + j], w[j * LD + i]);
        }
    }
    for (int k = 0; k < 200; k++) { // f.W f >= 0
        double f[3 * TOUCHES], sum = 0.0;
        random_fill(&seed, 1.0, f, 3 * TOUCHES);
        for (int i = 0; i < 3 * TOUCHES; i++) {
            for (int j = 0; j < 3 * TOUCHES; j++) {
                sum += f[i] * w[i * LD + j] * f[j];
            }
        }
        TEST_ASSERT_TRUE(sum > -1e-6 * most);
    }
}

static void test_shares_sum_to_one(void) {
    touch(TOUCHES, 0.011);
    TEST_ASSERT_EQUAL_INT(0, pal_local_gather(&block.local, &body, NULL, &set, &rows));
    TEST_ASSERT_EQUAL_INT(TOUCHES, rows.touch_count);
    for (int32_t j = 0; j < TOUCHES; j++) {
        double sum = 0.0;
        for (int32_t k = 0; k < rows.point[j].count; k++) {
            sum += rows.point[j].weight[k];
            double plain = share_of(j, block.local.vertex[rows.row[rows.point[j].vertex[k]]]);
            TEST_ASSERT_DOUBLE_WITHIN(1e-14, plain, rows.point[j].weight[k]);
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.0, sum);
    }
}

static void test_held_vertices_take_no_share(void) {
    set.count = 0;
    for (int32_t t = 0; t < block.surface.triangle_count && set.count == 0; t++) {
        bool bottom = true;
        for (int k = 0; k < 3; k++) {
            int32_t point = block.surface.triangle[3 * t + k];
            bottom = bottom && block.surface.x[3 * (int64_t)point + 2] < shape.low[2] + 1e-9;
        }
        if (bottom) {
            set.item[set.count++] = (pal_touch){.triangle = t, .weight = {0.2, 0.3, 0.5}};
        }
    }
    TEST_ASSERT_EQUAL_INT(1, set.count);
    TEST_ASSERT_EQUAL_INT(0, pal_local_gather(&block.local, &body, NULL, &set, &rows));
    TEST_ASSERT_EQUAL_INT(0, rows.vertex_count);
    pal_local_add(&rows, NULL, 1.0, turn, w, LD);
    for (int k = 0; k < 9; k++) {
        TEST_ASSERT_TRUE(w[(k / 3) * LD + k % 3] == 0.0);
    }
}

static void test_too_many_vertices_leave_out_the_smallest_shares(void) {
    touch(PAL_MAX_TOUCHES, 0.0);
    for (int32_t j = 0; j < set.count; j++) { // far apart: three points each, of four vertices
        set.item[j].triangle = j * (block.surface.triangle_count / set.count);
    }
    pal_embedding wide = block.embedding; // as if in the middle of the voxels
    double *weight = malloc((size_t)wide.point_count * (size_t)wide.nodes * sizeof *weight);
    int32_t *vertex = malloc((size_t)wide.point_count * (size_t)wide.nodes * sizeof *vertex);
    for (int32_t k = 0; k < wide.point_count * wide.nodes; k++) {
        weight[k] = 1.0 / wide.nodes;
        vertex[k] = block.local.vertex[(k * 41) % block.local.row_count];
    }
    wide.weight = weight;
    wide.vertex = vertex;
    body.embedding = &wide;
    TEST_ASSERT_EQUAL_INT(PAL_OUT_BUDGET, pal_local_gather(&block.local, &body, NULL, &set, &rows));
    TEST_ASSERT_EQUAL_INT(PAL_LOCAL_VERTICES, rows.vertex_count);
    // What was kept weighs no less than what was left out
    double *total = calloc((size_t)block.local.row_count, sizeof *total);
    for (int32_t j = 0; j < set.count; j++) {
        for (int p = 0; p < 3; p++) {
            int32_t point = block.surface.triangle[3 * set.item[j].triangle + p];
            for (int a = 0; a < wide.nodes; a++) {
                total[block.local.row[vertex[point * wide.nodes + a]]] +=
                    set.item[j].weight[p] / wide.nodes;
            }
        }
    }
    double least = INFINITY, left = 0.0;
    for (int32_t a = 0; a < block.local.row_count; a++) {
        bool kept = false;
        for (int32_t v = 0; v < rows.vertex_count; v++) {
            kept = kept || rows.row[v] == a;
        }
        least = kept ? fmin(least, total[a]) : least;
        left = kept ? left : fmax(left, total[a]);
    }
    TEST_ASSERT_TRUE(left > 0.0 && left <= least * (1.0 + 1e-12));
    pal_local_add(&rows, NULL, 1.0, turn, w, LD);
    TEST_ASSERT_TRUE(isfinite(w[0]) && w[0] > 0.0);
    free(total);
    free(weight);
    free(vertex);
}

static void test_no_table_adds_nothing(void) {
    pal_local none = {.vertex_count = block.mesh.vertex_count};
    touch(TOUCHES, 0.011);
    TEST_ASSERT_EQUAL_INT(0, pal_local_gather(&none, &body, NULL, &set, &rows));
    pal_local_add(&rows, NULL, 1.0, turn, w, LD);
    TEST_ASSERT_TRUE(check_relative_difference(w, expected, 3 * TOUCHES * LD) == 0.0);
}

// The first touches are of one tool, the others of another.
static void test_what_one_tool_does_to_another_is_the_plain_triple_product(void) {
    enum { ONE = 10 };
    static pal_local_rows other;
    touch(TOUCHES, 0.011);
    set_turn(0.7);
    pal_touch_set part = {.count = ONE}, rest = {.count = TOUCHES - ONE};
    memcpy(part.item, set.item, ONE * sizeof *set.item);
    memcpy(rest.item, set.item + ONE, (TOUCHES - ONE) * sizeof *set.item);
    TEST_ASSERT_EQUAL_INT(0, pal_local_gather(&block.local, &body, NULL, &part, &rows));
    TEST_ASSERT_EQUAL_INT(0, pal_local_gather(&block.local, &body, NULL, &rest, &other));
    for (int k = 0; k < 3 * TOUCHES * LD; k++) { // it adds to what is there
        w[k] = expected[k] = 0.01 * (double)(k % 7);
    }
    pal_local_add_across(&block.local, &rows, &other, NULL, NULL, 1.5, turn, w, LD);
    for (int32_t j = 0; j < TOUCHES - ONE; j++) {
        for (int32_t i = 0; i < ONE; i++) {
            double m[3][3] = {{0}};
            plain_block(ONE + j, i, m);
            for (int e = 0; e < 9; e++) {
                expected[(3 * j + e / 3) * LD + 3 * i + e % 3] += 1.5 * m[e / 3][e % 3];
            }
        }
    }
    TEST_ASSERT_TRUE(check_relative_difference(w, expected, 3 * TOUCHES * LD) < 1e-6);
}

// ---- The dent -----------------------------------------------------------------------------------

// u += scale R G E^T R^T force, plainly.
static void plain_dent(double scale, const double *force, double *u) {
    const pal_local *g = &block.local;
    for (int32_t a = 0; a < g->row_count; a++) {
        for (int32_t k = g->first[a]; k < g->first[a + 1]; k++) {
            for (int32_t j = 0; j < set.count; j++) {
                double share = share_of(j, g->vertex[g->column[k]]);
                for (int e = 0; share != 0.0 && e < 81; e++) {
                    int r = e / 27, p = e / 9 % 3, q = e / 3 % 3, s = e % 3;
                    u[3 * (int64_t)g->vertex[a] + r] +=
                        scale * turn[r][p] * (double)g->block[9 * (int64_t)k + 3 * p + q] *
                        turn[s][q] * share * force[3 * j + s];
                }
            }
        }
    }
}

static void test_the_dent_is_the_plain_product_and_dents_add(void) {
    size_t n = 3 * (size_t)block.mesh.vertex_count;
    double *u = calloc(n, sizeof *u), force[3 * TOUCHES];
    pal_dent_begin(&dent);
    for (int tool = 0; tool < 2; tool++) {
        touch(8, 0.011);
        set_turn(0.4 + tool);
        random_fill(&seed, 1.0, force, 3 * 8);
        pal_local_gather(&block.local, &body, NULL, &set, &rows);
        pal_local_dent(&block.local, &rows, NULL, 0.8, turn, force, &dent);
        plain_dent(0.8, force, u);
    }
    pal_dent_end(&dent);
    TEST_ASSERT_TRUE(check_relative_difference(dent.u, u, n) < 1e-6);
    double most = 0.0;
    for (size_t k = 0; k < n; k += 3) {
        most = fmax(most, hypot(hypot(u[k], u[k + 1]), u[k + 2]));
    }
    TEST_ASSERT_TRUE(dent.most >= most * (1.0 - 1e-6) && dent.most <= most * (1.0 + 1e-6));
    pal_dent_clear(&dent);
    TEST_ASSERT_TRUE(dent.most == 0.0 && dent.touched_count == 0);
    for (size_t k = 0; k < n; k++) {
        TEST_ASSERT_TRUE(dent.u[k] == 0.0);
    }
    for (int32_t v = 0; v < block.mesh.vertex_count; v++) {
        TEST_ASSERT_EQUAL_INT(0, dent.marked[v]);
    }
    free(u);
}

// What was dented before makes no difference, and is forgotten when it is too much.
static void test_a_dent_is_that_of_a_fresh_start(void) {
    const size_t n = 3 * (size_t)block.mesh.vertex_count;
    bool let_go = false;
    for (int k = 0; k < 40; k++) {
        pal_dent fresh;
        pal_err err = {0};
        double force[3 * 7];
        const int32_t before = dent.source_count;
        CHECK_OK(pal_dent_alloc(&block.local, &fresh, &err), err);
        touch(1 + k % 7, 0.0);
        random_fill(&seed, 1.0, force, 3 * 7);
        pal_local_gather(&block.local, &body, NULL, &set, &rows);
        pal_dent_begin(&dent);
        pal_local_dent(&block.local, &rows, NULL, 1.0, turn, force, &dent);
        pal_dent_end(&dent);
        pal_local_dent(&block.local, &rows, NULL, 1.0, turn, force, &fresh);
        pal_dent_end(&fresh);
        for (size_t i = 0; i < n; i++) {
            TEST_ASSERT_TRUE(dent.u[i] == fresh.u[i]);
        }
        TEST_ASSERT_TRUE(dent.most == fresh.most);
        let_go = let_go || dent.source_count < before;
        pal_dent_free(&fresh);
    }
    TEST_ASSERT_TRUE(let_go);
    pal_dent_clear(&dent);
}

// The way that a dent has gone is at least what any vertex has moved, whatever comes between.
static void test_travel_bounds_what_any_vertex_has_moved(void) {
    const size_t n = 3 * (size_t)block.mesh.vertex_count;
    double *u = calloc(n, sizeof *u), force[3 * 4];
    const double start = dent.travel;
    bool moved_back = false;
    for (int k = 0; k < 12; k++) {
        pal_dent_begin(&dent);
        if (k % 4 != 3) { // now and then there is none
            touch(4, 0.011);
            random_fill(&seed, 1.0, force, 3 * 4);
            pal_local_gather(&block.local, &body, NULL, &set, &rows);
            pal_local_dent(&block.local, &rows, NULL, 1.0, turn, force, &dent);
        }
        const double before = dent.travel;
        pal_dent_end(&dent);
        double most = 0.0, whole = 0.0;
        for (size_t i = 0; i < n; i += 3) {
            most = fmax(most, hypot(hypot(dent.u[i] - u[i], dent.u[i + 1] - u[i + 1]),
                                    dent.u[i + 2] - u[i + 2]));
            whole = fmax(whole, hypot(hypot(dent.u[i], dent.u[i + 1]), dent.u[i + 2]));
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-12 * most, most, dent.travel - before);
        TEST_ASSERT_TRUE(dent.travel - start >= whole * (1.0 - 1e-12));
        moved_back = moved_back || (whole == 0.0 && most > 0.0);
        memcpy(u, dent.u, n * sizeof *u);
    }
    TEST_ASSERT_TRUE(moved_back);
    free(u);
}

// What the touches move by the dent is what W says.
static void test_the_dent_at_the_touches_is_their_compliance(void) {
    double force[3 * TOUCHES], by_w[3 * TOUCHES] = {0.0}, by_dent[3 * TOUCHES] = {0.0};
    touch(TOUCHES, 0.011);
    set_turn(1.1);
    random_fill(&seed, 1.0, force, 3 * TOUCHES);
    pal_local_gather(&block.local, &body, NULL, &set, &rows);
    pal_local_add(&rows, NULL, 1.0, turn, w, LD);
    pal_local_dent(&block.local, &rows, NULL, 1.0, turn, force, &dent);
    for (int i = 0; i < 3 * TOUCHES; i++) {
        for (int j = 0; j < 3 * TOUCHES; j++) {
            by_w[i] += w[i * LD + j] * force[j];
        }
        for (int32_t v = 0; v < block.mesh.vertex_count; v++) {
            by_dent[i] += share_of(i / 3, v) * dent.u[3 * (int64_t)v + i % 3];
        }
    }
    TEST_ASSERT_TRUE(check_relative_difference(by_dent, by_w, 3 * TOUCHES) < 1e-6);
}

// Where domains meet also vertices are dented that have no row: there is room for all.
static void test_every_vertex_may_be_dented(void) {
    const double u[3] = {0.0, 0.0, -1e-3};
    for (int again = 0; again < 2; again++) {
        pal_dent_begin(&dent);
        for (int32_t v = 0; v < block.mesh.vertex_count; v++) {
            pal_dent_add(&dent, v, u);
        }
        pal_dent_end(&dent);
        TEST_ASSERT_EQUAL_INT(block.mesh.vertex_count, dent.touched_count);
        TEST_ASSERT_TRUE(dent.most >= 1e-3);
    }
    TEST_ASSERT_GREATER_THAN_INT(block.local.row_count, block.mesh.vertex_count);
    pal_dent_clear(&dent);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_add_is_the_plain_triple_product);
    RUN_TEST(test_what_was_touched_before_makes_no_difference);
    RUN_TEST(test_columns_may_be_added_one_after_the_other);
    RUN_TEST(test_the_result_is_symmetric_and_positive);
    RUN_TEST(test_shares_sum_to_one);
    RUN_TEST(test_held_vertices_take_no_share);
    RUN_TEST(test_too_many_vertices_leave_out_the_smallest_shares);
    RUN_TEST(test_no_table_adds_nothing);
    RUN_TEST(test_what_one_tool_does_to_another_is_the_plain_triple_product);
    RUN_TEST(test_the_dent_is_the_plain_product_and_dents_add);
    RUN_TEST(test_a_dent_is_that_of_a_fresh_start);
    RUN_TEST(test_travel_bounds_what_any_vertex_has_moved);
    RUN_TEST(test_the_dent_at_the_touches_is_their_compliance);
    RUN_TEST(test_every_vertex_may_be_dented);
    pal_dent_free(&dent);
    press_close(&block);
    return UNITY_END();
}
