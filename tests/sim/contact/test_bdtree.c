#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/contact/triangle.h"
#include "tests/support/check.h"
#include "tests/support/soft_surface.h"

static pal_err err;
static test_random seed;
static soft_surface soft;

void setUp(void) {
    seed.state = 11;
    memset(&soft, 0, sizeof soft);
}

void tearDown(void) {
    pal_memory_fail_after(-1);
    soft_close(&soft);
}

// ---- Oracles ------------------------------------------------------------------------------------

// All points of the deformed surface by plain loops; heap array.
static double *deformed(const pal_body *body) {
    double *x = PAL_NEW(double, 3 * (size_t)body->point_count, &err);
    for (int32_t i = 0; i < 3 * body->point_count; i++) {
        x[i] = body->rest[i];
        for (int32_t l = 0; l < body->size; l++) {
            x[i] += body->basis[(int64_t)i * body->size + l] * body->q[l];
        }
    }
    return x;
}

// The nearest point of a triangle by the regions in which x may lie about it.
static double region_distance(const double *a, const double *b, const double *c, const double *x,
                              double *point) {
    double ab[3], ac[3], ax[3], bx[3], cx[3];
    pal_sub3(b, a, ab);
    pal_sub3(c, a, ac);
    pal_sub3(x, a, ax);
    pal_sub3(x, b, bx);
    pal_sub3(x, c, cx);
    double d1 = pal_dot3(ab, ax), d2 = pal_dot3(ac, ax), d3 = pal_dot3(ab, bx);
    double d4 = pal_dot3(ac, bx), d5 = pal_dot3(ab, cx), d6 = pal_dot3(ac, cx);
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    double v = vb / (va + vb + vc), w = vc / (va + vb + vc);
    if (d1 <= 0.0 && d2 <= 0.0) {
        v = w = 0.0;
    } else if (d3 >= 0.0 && d4 <= d3) {
        v = 1.0, w = 0.0;
    } else if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
        v = d1 / (d1 - d3), w = 0.0;
    } else if (d6 >= 0.0 && d5 <= d6) {
        v = 0.0, w = 1.0;
    } else if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
        v = 0.0, w = d2 / (d2 - d6);
    } else if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6)), v = 1.0 - w;
    }
    double apart[3];
    for (int i = 0; i < 3; i++) {
        point[i] = a[i] + v * ab[i] + w * ac[i];
        apart[i] = x[i] - point[i];
    }
    return pal_norm3(apart);
}

static double brute_distance(const pal_body *body, const double *at, const double *x,
                             double *point) {
    double best = INFINITY, p[3];
    for (int32_t t = 0; t < body->triangle_count; t++) {
        const int32_t *corner = body->triangle + 3 * t;
        double d =
            region_distance(at + 3 * corner[0], at + 3 * corner[1], at + 3 * corner[2], x, p);
        if (d < best) {
            best = d;
            memcpy(point, p, sizeof p);
        }
    }
    return best;
}

// A random point near a random vertex of the deformed surface.
static void random_place(const pal_body *body, const double *at, double spread, double *x) {
    int32_t v = (int32_t)(random_share(&seed) * (body->point_count - 1));
    for (int c = 0; c < 3; c++) {
        x[c] = at[3 * v + c] + spread * random_number(&seed);
    }
}

// ---- One triangle -------------------------------------------------------------------------------

static void test_nearest_point_of_a_triangle_is_that_of_the_regions(void) {
    for (int i = 0; i < 20000; i++) {
        double corner[3][3], x[3], weight[3], point[3], expected[3];
        random_fill(&seed, 1.0, corner[0], 9);
        random_fill(&seed, 2.0, x, 3);
        double d = sqrt(pal_triangle_nearest((const double(*)[3])corner, x, weight, point));
        double e = region_distance(corner[0], corner[1], corner[2], x, expected);
        TEST_ASSERT_DOUBLE_WITHIN(1e-13, e, d);
        double sum = 0.0;
        for (int c = 0; c < 3; c++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-7, expected[c], point[c]);
            TEST_ASSERT_TRUE(weight[c] >= 0.0);
            sum += weight[c];
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, 1.0, sum);
    }
}

// No point of a sliver may be nearer than the answer, and the answer is on the sliver.
static void test_slivers_and_shrunk_triangles_have_a_nearest_point(void) {
    for (int i = 0; i < 4000; i++) {
        double corner[3][3], x[3], weight[3], point[3];
        random_fill(&seed, 1.0, corner[0], 9);
        random_fill(&seed, 2.0, x, 3);
        double share = random_share(&seed), off = pow(10.0, -18.0 * random_share(&seed));
        for (int c = 0; c < 3; c++) { // the third corner next to the opposite edge
            double on = corner[0][c] + share * (corner[1][c] - corner[0][c]);
            corner[2][c] = i % 7 == 0   ? on
                           : i % 7 == 1 ? corner[0][c]
                                        : on + off * (corner[2][c] - on);
            corner[1][c] = i % 21 == 1 ? corner[0][c] : corner[1][c];
        }
        double d = sqrt(pal_triangle_nearest((const double(*)[3])corner, x, weight, point));
        TEST_ASSERT_TRUE(isfinite(d));
        for (int k = 0; k < 60; k++) {
            double u = random_share(&seed), v = (1.0 - u) * random_share(&seed), apart[3];
            for (int c = 0; c < 3; c++) {
                apart[c] =
                    u * corner[0][c] + v * corner[1][c] + (1.0 - u - v) * corner[2][c] - x[c];
            }
            TEST_ASSERT_TRUE(d <= pal_norm3(apart) + 1e-14);
        }
    }
}

// ---- The tree -----------------------------------------------------------------------------------

// Displacements from none to as large as the body itself.
static const double deformations[] = {0.0, 0.01, 0.1, 0.3, 1.0};

static void check_against_brute_force(int poses, int queries) {
    for (int i = 0; i < poses; i++) {
        soft_deform(&soft, deformations[i % 5], &seed);
        double *at = deformed(&soft.body);
        for (int k = 0; k < queries; k++) {
            double x[3], expected[3];
            pal_nearest near, cut;
            random_place(&soft.body, at, k % 4 == 0 ? 1.0 : 0.1, x);
            double d = brute_distance(&soft.body, at, x, expected);
            int32_t hint = k % 2 == 0 ? -1 : (int32_t)(random_share(&seed) * 100.0);
            TEST_ASSERT_EQUAL_INT(
                0, pal_bdtree_nearest(&soft.tree, &soft.body, x, INFINITY, hint, INT32_MAX, &near));
            TEST_ASSERT_DOUBLE_WITHIN(1e-13, d, near.distance);
            for (int c = 0; c < 3; c++) {
                TEST_ASSERT_DOUBLE_WITHIN(1e-6, expected[c], near.point[c]);
            }
            // Reach: just enough finds it, a little less does not.
            pal_bdtree_nearest(&soft.tree, &soft.body, x, d * 1.0001, -1, INT32_MAX, &cut);
            TEST_ASSERT_TRUE(cut.triangle >= 0 && fabs(cut.distance - d) < 1e-13);
            pal_bdtree_nearest(&soft.tree, &soft.body, x, d * 0.9999, hint, INT32_MAX, &cut);
            TEST_ASSERT_EQUAL_INT32(-1, cut.triangle);
            TEST_ASSERT_TRUE(isinf(cut.distance));
        }
        free(at);
    }
}

static void test_nearest_point_is_that_of_brute_force_on_a_ball(void) {
    soft_open_ball(&soft, 10, 13, &seed);
    check_against_brute_force(1000, 5);
}

static void test_nearest_point_is_that_of_brute_force_on_a_block(void) {
    soft_open_box(&soft, (int[3]){10, 6, 4}, (double[3]){1.0, 0.6, 0.4}, 30, &seed);
    check_against_brute_force(1000, 5);
}

// Every deformed vertex of the triangles below a node lies in the node's sphere.
static void check_bounds(int32_t n, const double *at, double *tightness) {
    const pal_bdnode *node = soft.tree.node + n;
    if (node->count == 0) {
        check_bounds(node->first, at, tightness);
        check_bounds(node->first + 1, at, tightness);
    }
    double centre[3], radius = pal_bdtree_sphere(&soft.tree, soft.q, n, centre), reached = 0.0;
    int32_t first = n, last = n; // the leaves below stand between those of the outermost paths
    while (soft.tree.node[first].count == 0) {
        first = soft.tree.node[first].first;
    }
    while (soft.tree.node[last].count == 0) {
        last = soft.tree.node[last].first + 1;
    }
    int32_t end = soft.tree.node[last].first + soft.tree.node[last].count;
    for (int32_t i = soft.tree.node[first].first; i < end; i++) {
        for (int k = 0; k < 3; k++) {
            double apart[3];
            pal_sub3(at + 3 * soft.body.triangle[3 * soft.tree.order[i] + k], centre, apart);
            reached = fmax(reached, pal_norm3(apart));
        }
    }
    TEST_ASSERT_TRUE(reached <= radius);
    tightness[0] += radius / reached;
    tightness[1] += 1.0;
}

static void test_spheres_hold_their_deformed_triangles(void) {
    soft_open_ball(&soft, 12, 30, &seed);
    for (int k = 0; k < 5; k++) {
        double tightness[2] = {0.0, 0.0};
        for (int i = 0; i < 20; i++) {
            soft_deform(&soft, deformations[k], &seed);
            double *at = deformed(&soft.body);
            check_bounds(0, at, tightness);
            free(at);
        }
        printf("moved by %4.2f: sphere / true radius %.3f\n", deformations[k],
               tightness[0] / tightness[1]);
        TEST_ASSERT_TRUE(tightness[0] / tightness[1] >= 1.0);
    }
}

// Also far from the origin and for q so large that single precision shows.
static void test_bounds_survive_rounding(void) {
    memset(&soft, 0, sizeof soft);
    soft_open_ball(&soft, 8, 128, &seed);
    for (int i = 0; i < 20; i++) {
        soft_deform(&soft, 1e5, &seed);
        double *at = deformed(&soft.body), tightness[2] = {0.0, 0.0};
        check_bounds(0, at, tightness);
        free(at);
    }
}

static void test_the_tree_has_every_triangle_in_one_leaf(void) {
    soft_open_ball(&soft, 15, 5, &seed);
    int32_t *seen = PAL_NEW(int32_t, soft.tree.triangle_count, &err), next = 0;
    for (int32_t n = 0; n < soft.tree.node_count; n++) {
        const pal_bdnode *node = soft.tree.node + n;
        TEST_ASSERT_TRUE(node->count > 0 || node->first > n);
        for (int32_t i = 0; i < node->count; i++) {
            seen[soft.tree.order[node->first + i]]++;
            next++;
        }
    }
    TEST_ASSERT_EQUAL_INT32(soft.tree.triangle_count, next);
    for (int32_t t = 0; t < soft.tree.triangle_count; t++) {
        TEST_ASSERT_EQUAL_INT32(1, seen[t]);
    }
    free(seen);
}

// ---- Work ---------------------------------------------------------------------------------------

// Mean nodes per query near the deformed surface of a ball; *us the time of one.
static double mean_nodes(int n, bool hinted, double *us) {
    soft_open_ball(&soft, n, 30, &seed);
    double nodes = 0.0, seconds = 0.0;
    int queries = 0;
    for (int i = 0; i < 10; i++) {
        soft_deform(&soft, 0.1, &seed);
        double *at = deformed(&soft.body);
        for (int k = 0; k < 50; k++, queries++) {
            double x[3];
            pal_nearest near = {.triangle = -1};
            struct timespec start, end;
            random_place(&soft.body, at, 0.03, x);
            for (int again = 0; again <= hinted; again++) {
                x[again] += 0.001 * again;
                clock_gettime(CLOCK_MONOTONIC, &start);
                pal_bdtree_nearest(&soft.tree, &soft.body, x, 0.1, near.triangle, INT32_MAX, &near);
                clock_gettime(CLOCK_MONOTONIC, &end);
            }
            nodes += near.nodes;
            seconds += (double)(end.tv_sec - start.tv_sec) + 1e-9 * (end.tv_nsec - start.tv_nsec);
        }
        free(at);
    }
    soft_close(&soft);
    memset(&soft, 0, sizeof soft);
    *us = 1e6 * seconds / queries;
    return nodes / queries;
}

static void test_ten_times_the_triangles_take_at_most_twice_the_nodes(void) {
    for (int hinted = 0; hinted < 2; hinted++) {
        double us[2], few = mean_nodes(16, hinted, us), many = mean_nodes(51, hinted, us + 1);
        printf("%s: 2,048 triangles %.0f nodes %.1f us, 20,808 triangles %.0f nodes %.1f us\n",
               hinted ? "from a hint" : "afresh", few, us[0], many, us[1]);
        TEST_ASSERT_TRUE(many <= 2.0 * few);
    }
}

static void test_a_spent_budget_is_said_and_the_answer_is_an_upper_bound(void) {
    soft_open_ball(&soft, 20, 10, &seed);
    int spent = 0;
    for (int i = 0; i < 200; i++) {
        double x[3], expected[3];
        pal_nearest near;
        soft_deform(&soft, 0.3, &seed);
        double *at = deformed(&soft.body);
        random_place(&soft.body, at, 0.2, x);
        double d = brute_distance(&soft.body, at, x, expected);
        int32_t budget = 1 + i % 40, hint = i % 3 == 0 ? -1 : i;
        pal_outcome outcome =
            pal_bdtree_nearest(&soft.tree, &soft.body, x, INFINITY, hint, budget, &near);
        TEST_ASSERT_TRUE(near.nodes <= budget && near.distance >= d - 1e-13);
        TEST_ASSERT_TRUE(hint < 0 || near.triangle >= 0);
        TEST_ASSERT_TRUE(outcome == PAL_OUT_BUDGET || fabs(near.distance - d) < 1e-13);
        spent += outcome == PAL_OUT_BUDGET;
        free(at);
    }
    TEST_ASSERT_TRUE(spent > 100);
}

// ---- Bad numbers and bad bodies -----------------------------------------------------------------

static void test_numbers_that_are_not_finite_give_no_triangle(void) {
    soft_open_ball(&soft, 4, 10, &seed);
    double x[3] = {1.0, 0.0, 0.0}, bad[3] = {1.0, NAN, 0.0};
    pal_nearest near;
    TEST_ASSERT_EQUAL_INT(PAL_OUT_NAN,
                          pal_bdtree_nearest(&soft.tree, &soft.body, bad, 1.0, 3, 1000, &near));
    TEST_ASSERT_EQUAL_INT32(-1, near.triangle);
    const double worst[] = {NAN, INFINITY, 1e300};
    for (int i = 0; i < 3; i++) {
        soft.q[7] = worst[i];
        TEST_ASSERT_EQUAL_INT(PAL_OUT_NAN,
                              pal_bdtree_nearest(&soft.tree, &soft.body, x, 1.0, 3, 1000, &near));
        TEST_ASSERT_EQUAL_INT32(-1, near.triangle);
    }
}

static void test_bodies_without_a_tree_are_refused(void) {
    soft_open_ball(&soft, 2, 10, &seed);
    pal_bdtree tree;
    pal_body body = soft.body;
    body.basis = NULL;
    CHECK_FAILS(PAL_ERR_UNSUPPORTED, "no basis", pal_bdtree_build(&body, &tree, &err), err);
    body = soft.body;
    body.size = 8000;
    CHECK_FAILS(PAL_ERR_UNSUPPORTED, "8000", pal_bdtree_build(&body, &tree, &err), err);
    body = soft.body;
    body.triangle_count = 0;
    CHECK_FAILS(PAL_ERR_INPUT, "0 triangles", pal_bdtree_build(&body, &tree, &err), err);
    TEST_ASSERT_NULL(tree.node);
}

static void test_running_out_of_memory_leaves_nothing(void) {
    soft_open_ball(&soft, 3, 10, &seed);
    pal_bdtree tree;
    for (long successes = 0;; successes++) {
        pal_memory_fail_after(successes);
        pal_status status = pal_bdtree_build(&soft.body, &tree, &err);
        if (status == PAL_OK) {
            TEST_ASSERT_TRUE(successes > 5);
            break;
        }
        TEST_ASSERT_EQUAL_INT(PAL_ERR_MEMORY, status);
        TEST_ASSERT_NULL(tree.node);
    }
    pal_bdtree_free(&tree);
}

// Dents that the coordinates know nothing of: the nearest point is still the nearest.
static void test_nearest_point_is_found_on_a_dented_body(void) {
    soft_open_ball(&soft, 10, 6, &seed);
    const int32_t points = soft.body.point_count;
    pal_embedding embedding = {.point_count = points, .nodes = 1};
    embedding.vertex = PAL_NEW(int32_t, points, &err);
    embedding.weight = PAL_NEW(double, points, &err);
    double *dent = PAL_NEW(double, 3 * (size_t)points, &err), bound = 0.0;
    soft.body.embedding = &embedding;
    soft.body.dent = dent;
    soft.body.dent_bound = &bound;
    for (int trial = 0; trial < 40; trial++) {
        soft_deform(&soft, 0.2, &seed);
        double *at = deformed(&soft.body);
        bound = 0.0;
        for (int32_t i = 0; i < points; i++) {
            embedding.vertex[i] = i;
            embedding.weight[i] = 1.0;
            random_fill(&seed, i % 7 == 0 ? 0.3 : 0.0, dent + 3 * i, 3);
            bound = fmax(bound, pal_norm3(dent + 3 * i));
            for (int c = 0; c < 3; c++) {
                at[3 * i + c] += dent[3 * i + c];
            }
        }
        for (int k = 0; k < 20; k++) {
            double x[3], point[3];
            random_place(&soft.body, at, 0.3, x);
            pal_nearest nearest;
            pal_bdtree_nearest(&soft.tree, &soft.body, x, INFINITY, -1, INT32_MAX, &nearest);
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, brute_distance(&soft.body, at, x, point),
                                      nearest.distance);
        }
        free(at);
    }
    free(embedding.vertex);
    free(embedding.weight);
    free(dent);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_nearest_point_of_a_triangle_is_that_of_the_regions);
    RUN_TEST(test_slivers_and_shrunk_triangles_have_a_nearest_point);
    RUN_TEST(test_nearest_point_is_that_of_brute_force_on_a_ball);
    RUN_TEST(test_nearest_point_is_that_of_brute_force_on_a_block);
    RUN_TEST(test_spheres_hold_their_deformed_triangles);
    RUN_TEST(test_bounds_survive_rounding);
    RUN_TEST(test_the_tree_has_every_triangle_in_one_leaf);
    RUN_TEST(test_ten_times_the_triangles_take_at_most_twice_the_nodes);
    RUN_TEST(test_a_spent_budget_is_said_and_the_answer_is_an_upper_bound);
    RUN_TEST(test_numbers_that_are_not_finite_give_no_triangle);
    RUN_TEST(test_bodies_without_a_tree_are_refused);
    RUN_TEST(test_running_out_of_memory_leaves_nothing);
    RUN_TEST(test_nearest_point_is_found_on_a_dented_body);
    return UNITY_END();
}
