// What a shell of points finds.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/contact/distfield_build.h"
#include "sim/contact/shell_build.h"
#include "sim/contact/triangle.h"
#include "tests/support/check.h"
#include "tests/support/sanitized.h"
#include "tests/support/shapes.h"
#include "tests/support/soft_surface.h"

enum { POSES = SANITIZED_OR(60, 400), SLIDE = SANITIZED_OR(200, 2000) }; // SLIDE: its steps

static pal_err err;
static test_random seed;
static soft_surface soft;
static pal_shell shell;
static pal_distfield field;

void setUp(void) {
    seed.state = 5;
    memset(&soft, 0, sizeof soft);
    memset(&shell, 0, sizeof shell);
    memset(&field, 0, sizeof field);
}

void tearDown(void) {
    pal_shell_free(&shell);
    pal_distfield_free(&field);
    soft_close(&soft);
}

static void build(double spacing) {
    const pal_shell_spec spec = {.spacing = spacing};
    CHECK_OK(pal_shell_build(&soft.body, &soft.tree, &spec, &shell, &err), err);
}

static int32_t last_level(void) {
    return shell.level_count - 1;
}

// A plate of 2 nx ny triangles on top, 10 mm thick, from the origin.
static void open_plate(int nx, int ny, double side) {
    soft_open_box(&soft, (int[]){nx, ny, 1}, (double[]){side, side, 0.01}, 3, &seed);
}

static pal_shell_query sphere_query(const pal_shape *shape, const double x[3], double margin) {
    pal_shell_query query = {.shape = shape,
                             .pose = PAL_POSE_IDENTITY,
                             .margin = margin,
                             .look_budget = INT32_MAX,
                             .most = PAL_MAX_TOUCHES};
    memcpy(query.pose.x, x, sizeof query.pose.x);
    return query;
}

static double deepest(const pal_touch_set *set) {
    double gap = INFINITY;
    for (int32_t i = 0; i < set->count; i++) {
        gap = fmin(gap, set->item[i].gap);
    }
    return gap;
}

// The exact gap between a sphere and the deformed surface, its centre being outside.
static double exact_gap(const double centre[3], double radius) {
    double best = INFINITY, corner[3][3], weight[3], point[3];
    for (int32_t t = 0; t < soft.body.triangle_count; t++) {
        for (int k = 0; k < 3; k++) {
            soft.body.functions->position(&soft.body, soft.body.triangle[3 * t + k], corner[k]);
        }
        best = fmin(best,
                    sqrt(pal_triangle_nearest((const double(*)[3])corner, centre, weight, point)));
    }
    return best - radius;
}

// ---- What it finds ------------------------------------------------------------------------------

static void random_pose(pal_pose *pose, double spread) {
    double turn[3];
    *pose = PAL_POSE_IDENTITY;
    int32_t v = (int32_t)(random_share(&seed) * (soft.body.point_count - 1));
    soft.body.functions->position(&soft.body, v, pose->x);
    random_fill(&seed, 3.0, turn, 3);
    pal_turn_of_vector(turn, pose->turn);
    for (int c = 0; c < 3; c++) {
        pose->x[c] += spread * random_number(&seed);
    }
}

// All points of a level that the definition in shell.h counts, by plain loops.
static int32_t brute_touches(const pal_shell_query *query, int32_t level, pal_touch *touch,
                             int32_t room) {
    int32_t count = 0;
    double turn[3][3];
    pal_turn_matrix(query->pose.turn, turn);
    for (int32_t i = 0; i < shell.count[level]; i++) {
        double x[3], apart[3], local[3], gradient[3];
        pal_shell_place(&shell, soft.q, i, x);
        pal_sub3(x, query->pose.x, apart);
        for (int c = 0; c < 3; c++) {
            local[c] = turn[0][c] * apart[0] + turn[1][c] * apart[1] + turn[2][c] * apart[2];
        }
        double d = pal_shape_distance(query->shape, local, gradient);
        pal_touch found;
        if (d <= query->margin + (double)shell.reach[shell.first[level] + i] &&
            pal_shell_touch(&shell, &soft.body, query, level, i, &found) &&
            found.gap <= query->margin && count < room) {
            touch[count++] = found;
        }
    }
    return count;
}

static void check_same(const pal_shell_query *query, int32_t trial) {
    static pal_touch expected[4096];
    pal_touch_set set;
    pal_outcome outcome = pal_shell_find(&shell, &soft.body, query, &set);
    if (set.count == 0 && outcome == 0) {
        TEST_ASSERT_EQUAL_INT(last_level(), set.level);
    }
    // whatever level it took, all of that level are there; and it took the last unless too many
    int32_t count = brute_touches(query, set.level, expected, 4096);
    char what[64];
    snprintf(what, sizeof what, "trial %d, level %d", trial, set.level);
    TEST_ASSERT_EQUAL_INT_MESSAGE(count, set.count, what);
    for (int32_t i = 0; i < count; i++) {
        TEST_ASSERT_EQUAL_INT(expected[i].id, set.item[i].id);
        TEST_ASSERT_TRUE(expected[i].gap == set.item[i].gap);
    }
    if (set.level < last_level()) {
        TEST_ASSERT_TRUE(outcome == PAL_OUT_BUDGET);
    }
}

static int32_t found_in_all;

static void strike(const pal_shape *shape, int trials, double spread, double margin) {
    for (int i = 0; i < trials; i++) {
        if (i % 10 == 0) {
            soft_deform(&soft, 0.3, &seed);
        }
        pal_shell_query query = sphere_query(shape, (double[3]){0}, margin);
        random_pose(&query.pose, spread);
        check_same(&query, i);
        pal_touch_set set;
        pal_shell_find(&shell, &soft.body, &query, &set);
        found_in_all += set.count;
    }
}

static void test_no_touch_is_missed_in_ten_thousand_poses(void) {
    soft_open_ball(&soft, 16, 8, &seed);
    build(0.1);
    found_in_all = 0;
    for (int i = 0; i < SANITIZED_OR(4, 20); i++) {
        pal_shape shape;
        CHECK_OK(pal_shape_sphere(&shape, 0.02 + 0.3 * random_share(&seed), &err), err);
        strike(&shape, SANITIZED_OR(16, 200), 0.3, 0.03);
        CHECK_OK(pal_shape_capsule(&shape, 0.02 + 0.1 * random_share(&seed), 1.0, &err), err);
        strike(&shape, SANITIZED_OR(12, 150), 0.3, 0.03);
        CHECK_OK(pal_shape_cylinder(&shape, 0.2, 0.5, 0.05, &err), err);
        strike(&shape, SANITIZED_OR(8, 100), 0.3, 0.03);
    }
    pal_surface box = {0};
    shape_add_box(&box, (double[]){-0.1, -0.15, 0.0}, (double[]){0.1, 0.15, 0.8});
    const pal_distfield_spec spec = {.cells = 24, .margin = 0.05};
    CHECK_OK(pal_distfield_build(&box, &spec, NULL, &field, &err), err);
    pal_surface_free(&box);
    pal_shape shape;
    CHECK_OK(pal_shape_field(&shape, &field, &err), err);
    strike(&shape, SANITIZED_OR(40, 1000), 0.3, 0.03);
    TEST_ASSERT_TRUE(found_in_all > SANITIZED_OR(150, 10000));
}

// On a smooth bent body, the deepest touch is where an exact search finds it.
static void test_deepest_gap_is_the_exact_distance(void) {
    soft_open_ball(&soft, 16, 8, &seed);
    build(0.07);
    int32_t compared = 0;
    double worst = 0.0, sum = 0.0;
    for (int i = 0; i < POSES; i++) {
        if (i % 10 == 0) {
            soft_deform(&soft, 0.12, &seed);
        }
        pal_shape shape;
        CHECK_OK(pal_shape_sphere(&shape, 0.25, &err), err);
        pal_shell_query query = sphere_query(&shape, (double[3]){0}, 0.02);
        // outside the surface, by a little less than the radius
        int32_t v = (int32_t)(random_share(&seed) * (soft.body.point_count - 1));
        soft.body.functions->position(&soft.body, v, query.pose.x);
        pal_nearest at = {.triangle = soft.tree.fan[soft.tree.fan_first[soft.tree.joined[v]]]};
        double corner[3][3], e1[3], e2[3], n[3];
        for (int k = 0; k < 3; k++) {
            soft.body.functions->position(&soft.body, soft.body.triangle[3 * at.triangle + k],
                                          corner[k]);
        }
        pal_sub3(corner[1], corner[0], e1);
        pal_sub3(corner[2], corner[0], e2);
        pal_cross3(e1, e2, n);
        for (int c = 0; c < 3; c++) {
            query.pose.x[c] += 0.24 * n[c] / pal_norm3(n);
        }
        double exact = exact_gap(query.pose.x, 0.25);
        pal_touch_set set;
        pal_shell_find(&shell, &soft.body, &query, &set);
        if (exact > -0.03 && set.level == last_level()) {
            TEST_ASSERT_TRUE(set.count > 0);
            TEST_ASSERT_TRUE(deepest(&set) >= exact - 1e-12);
            worst = fmax(worst, deepest(&set) - exact);
            sum += deepest(&set) - exact;
            compared++;
        }
    }
    TEST_ASSERT_TRUE(compared > POSES / 2);
    printf("deepest gap against exact: mean %.2g, worst %.2g spacings (%d poses)\n",
           sum / compared / 0.07, worst / 0.07, compared);
    TEST_ASSERT_TRUE(worst < 0.05 * 0.07);
}

static void slide(int cells) {
    open_plate(cells, cells, 0.06);
    build(0.0015);
    pal_shape shape;
    CHECK_OK(pal_shape_sphere(&shape, 0.005, &err), err);
    double worst = 0.0;
    for (int i = 0; i <= SLIDE; i++) {
        double s = i / (double)SLIDE;
        const double x[3] = {0.012 + 0.035 * s, 0.013 + 0.031 * s * s, 0.01 + 0.0045};
        pal_shell_query query = sphere_query(&shape, x, 0.0003);
        pal_touch_set set;
        TEST_ASSERT_EQUAL_INT(0, pal_shell_find(&shell, &soft.body, &query, &set));
        worst = fmax(worst, fabs(deepest(&set) + 0.0005));
    }
    printf("plate of %d x %d: deepest gap constant to %.2g um\n", cells, cells, 1e6 * worst);
    TEST_ASSERT_TRUE(worst < 1e-6);
    pal_shell_free(&shell);
    soft_close(&soft);
    memset(&soft, 0, sizeof soft);
}

static void test_sphere_slides_over_a_plate_without_ripple(void) {
    slide(3);                     // triangles much larger than the spacing
    slide(40);                    // as large
    slide(SANITIZED_OR(80, 150)); // much smaller
}

// Other tools over a plate, tilted, at a height that puts their lowest point 0.5 mm deep.
static double other_ripple(const pal_shape *shape, const double turn[4], double lowest) {
    double worst = 0.0;
    for (int i = 0; i <= SLIDE / 4; i++) {
        double s = i / (0.25 * SLIDE);
        const double x[3] = {0.02 + 0.015 * s, 0.02 + 0.012 * s * s, 0.0095 + lowest};
        pal_shell_query query = sphere_query(shape, x, 0.0002);
        memcpy(query.pose.turn, turn, sizeof query.pose.turn);
        pal_touch_set set;
        pal_shell_find(&shell, &soft.body, &query, &set);
        worst = fmax(worst, fabs(deepest(&set) + 0.0005));
    }
    return worst;
}

static void test_other_tools_slide_over_a_plate_without_ripple(void) {
    open_plate(30, 30, 0.06);
    build(0.0015);
    pal_shape shape;
    double turn[4];
    pal_turn_of_vector((double[]){0.5, 0.3, 0.0}, turn);
    CHECK_OK(pal_shape_capsule(&shape, 0.004, 0.05, &err), err);
    double capsule = other_ripple(&shape, turn, 0.004);
    double cosine, matrix[3][3];
    pal_turn_matrix(turn, matrix);
    cosine = matrix[2][2];
    CHECK_OK(pal_shape_cylinder(&shape, 0.006, 0.05, 0.002, &err), err);
    // the rim's circle, tilted, and the rounding below it
    double rim = 0.002 - (0.002 * cosine - 0.004 * sqrt(1.0 - cosine * cosine));
    double cylinder = other_ripple(&shape, turn, rim);
    pal_surface ball = {0};
    shape_add_sphere(&ball, (double[]){0.0, 0.0, 0.0}, 0.005, SANITIZED_OR(16, 40));
    const pal_distfield_spec spec = {.cells = SANITIZED_OR(20, 48), .margin = 0.002};
    CHECK_OK(pal_distfield_build(&ball, &spec, NULL, &field, &err), err);
    pal_surface_free(&ball);
    CHECK_OK(pal_shape_field(&shape, &field, &err), err);
    double meshed = other_ripple(&shape, turn, 0.005);
    printf("over a plate: capsule constant to %.2g um, cylinder %.2g um, meshed ball %.2g um "
           "(%.2g cells)\n",
           1e6 * capsule, 1e6 * cylinder, 1e6 * meshed, meshed / field.cell);
    TEST_ASSERT_TRUE(capsule < 1e-6);
    TEST_ASSERT_TRUE(cylinder < 2e-5);
    TEST_ASSERT_TRUE(meshed < 0.05 * field.cell);
}

// Around a faceted ball at constant distance from its centre: the gap is that to the facets.
static void test_sphere_slides_over_facets_as_the_facets_are(void) {
    soft_open_ball(&soft, 20, 3, &seed);
    build(0.07);
    pal_shape shape;
    CHECK_OK(pal_shape_sphere(&shape, 0.25, &err), err);
    double worst = 0.0, last = 0.0, jump = 0.0, exact_last = 0.0, exact_jump = 0.0;
    for (int i = 0; i <= SANITIZED_OR(200, 1500); i++) {
        double a = 0.3 + i / 1000.0, tilt = 0.4 + 0.3 * a;
        const double x[3] = {1.23 * cos(a) * cos(tilt), 1.23 * sin(a) * cos(tilt),
                             1.23 * sin(tilt)};
        pal_shell_query query = sphere_query(&shape, x, 0.02);
        pal_touch_set set;
        TEST_ASSERT_EQUAL_INT(0, pal_shell_find(&shell, &soft.body, &query, &set));
        double gap = deepest(&set), exact = exact_gap(x, 0.25);
        worst = fmax(worst, fabs(gap - exact));
        jump = i > 0 ? fmax(jump, fabs(gap - last)) : 0.0;
        exact_jump = i > 0 ? fmax(exact_jump, fabs(exact - exact_last)) : 0.0;
        last = gap;
        exact_last = exact;
    }
    printf("faceted ball: off the exact gap by %.2g of the radius, steps %.2g (exact %.2g)\n",
           worst, jump, exact_jump);
    TEST_ASSERT_TRUE(worst < 2e-4);
    TEST_ASSERT_TRUE(jump < 3.0 * exact_jump);
}

// Small steps of the tool change the gap of each id by a small step.
static void test_gaps_are_continuous(void) {
    soft_open_ball(&soft, 20, 8, &seed);
    build(0.07);
    soft_deform(&soft, 0.1, &seed);
    pal_shape shape;
    CHECK_OK(pal_shape_capsule(&shape, 0.15, 0.6, &err), err);
    pal_touch_set set[2];
    double worst = 0.0;
    int32_t lost = 0, same = 0;
    for (int i = 0; i <= SANITIZED_OR(400, 4000); i++) {
        double a = 0.3 + i / 4000.0;
        const double x[3] = {1.12 * cos(a), 1.12 * sin(a), 0.1};
        // the shaft lies along the body, a little away from it
        const double shaft[3] = {0.3 * cos(a) - 0.5 * sin(a), 0.3 * sin(a) + 0.5 * cos(a), 0.8};
        const double half[4] = {pal_norm3(shaft) + shaft[2], -shaft[1], shaft[0], 0.0};
        const double size = sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
        pal_shell_query query = sphere_query(&shape, x, 0.03);
        for (int c = 0; c < 4; c++) {
            query.pose.turn[c] = half[c] / size;
        }
        pal_touch_set *now = &set[i % 2], *before = &set[1 - i % 2];
        pal_shell_find(&shell, &soft.body, &query, now);
        for (int32_t k = 0; i > 0 && k < before->count; k++) {
            const pal_touch *old = &before->item[k];
            bool found = false;
            for (int32_t m = 0; m < now->count; m++) {
                if (now->item[m].id == old->id && now->level == before->level) {
                    worst = fmax(worst, fabs(now->item[m].gap - old->gap));
                    found = true;
                    same++;
                }
            }
            // what goes had come to the margin
            lost += !found && now->level == before->level && old->gap < 0.03 - 2e-3;
        }
    }
    printf("steps of 3e-4: gaps change by at most %.2g, %d of %d lost\n", worst, lost, same);
    TEST_ASSERT_TRUE(same > SANITIZED_OR(1000, 10000));
    TEST_ASSERT_TRUE(worst < 2e-3);
    TEST_ASSERT_EQUAL_INT(0, lost);
}

static void test_far_side_of_a_sheet_does_not_count(void) {
    soft_open_box(&soft, (int[]){20, 20, 1}, (double[]){0.06, 0.06, 0.002}, 3, &seed);
    build(0.0015);
    pal_shape shape;
    CHECK_OK(pal_shape_sphere(&shape, 0.005, &err), err);
    pal_shell_query query = sphere_query(&shape, (double[]){0.03, 0.03, 0.0055}, 0.003);
    query.most = PAL_MAX_TOUCHES;
    pal_touch_set set;
    pal_shell_find(&shell, &soft.body, &query, &set);
    TEST_ASSERT_TRUE(set.count > 3);
    for (int32_t i = 0; i < set.count; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.002, set.item[i].x[2]);
        TEST_ASSERT_TRUE(set.item[i].normal[2] > 0.4);
    }
}

// Interpolated from the vertices, not those of the facets.
static void test_normals_of_a_field_are_those_of_the_smooth_surface(void) {
    soft_open_ball(&soft, 16, 4, &seed);
    build(0.07);
    pal_surface ball = {0};
    shape_add_sphere(&ball, (double[]){0.0, 0.0, 0.0}, 0.25, 12);
    const pal_distfield_spec spec = {.cells = SANITIZED_OR(20, 32), .margin = 0.1};
    CHECK_OK(pal_distfield_build(&ball, &spec, NULL, &field, &err), err);
    pal_surface_free(&ball);
    pal_shape shape;
    CHECK_OK(pal_shape_field(&shape, &field, &err), err);
    double off = 0.0;
    for (int i = 0; i <= SLIDE; i++) {
        double a = 0.3 + i / (double)SLIDE;
        const double x[3] = {1.2 * cos(a), 1.2 * sin(a), 0.2};
        pal_shell_query query = sphere_query(&shape, x, 0.02);
        pal_touch_set set;
        pal_shell_find(&shell, &soft.body, &query, &set);
        TEST_ASSERT_TRUE(set.count > 0);
        const pal_touch *at = set.item;
        for (int32_t k = 0; k < set.count; k++) {
            at = set.item[k].gap < at->gap ? set.item + k : at;
        }
        double apart[3];
        pal_sub3(at->normal, at->x, apart);
        off = fmax(off, pal_norm3(apart));
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.0, pal_norm3(at->normal));
    }
    printf("field on a faceted ball: normals off those of the ball by at most %.2g\n", off);
    TEST_ASSERT_TRUE(off < 0.02); // those of its facets are off by 0.05
}

static void test_dents_are_seen(void) {
    pal_volmesh mesh;
    const double size[3] = {0.06, 0.06, 0.01};
    shape_box(&mesh, PAL_HEX8, 6, 6, 1, size);
    int32_t *vertex = NULL;
    CHECK_OK(pal_surface_of_volmesh(&mesh, &soft.surface, &vertex, &err), err);
    soft_open(&soft, 3, &seed);
    build(0.0015);
    // each point is a vertex of the mesh
    pal_embedding embedding = {.point_count = soft.body.point_count, .nodes = 1, .vertex = vertex};
    embedding.weight = PAL_NEW(double, soft.body.point_count, &err);
    double *dent = PAL_NEW(double, 3 * mesh.vertex_count, &err), bound = 0.004;
    for (int32_t i = 0; i < soft.body.point_count; i++) {
        embedding.weight[i] = 1.0;
    }
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        dent[3 * v + 2] = mesh.x[3 * v + 2] > 0.009 ? 0.004 : 0.0; // the top bulges
    }
    pal_shape shape;
    CHECK_OK(pal_shape_sphere(&shape, 0.005, &err), err);
    const double x[3] = {0.031, 0.029, 0.0185};
    pal_shell_query query = sphere_query(&shape, x, 0.0005);
    pal_touch_set set;
    pal_shell_find(&shell, &soft.body, &query, &set);
    TEST_ASSERT_EQUAL_INT(0, set.count);
    soft.body.embedding = &embedding;
    soft.body.dent = dent;
    soft.body.dent_bound = &bound;
    pal_shell_find(&shell, &soft.body, &query, &set);
    TEST_ASSERT_TRUE(set.count > 0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, -0.0005, deepest(&set));
    pal_nearest nearest; // and by the tree
    pal_bdtree_nearest(&soft.tree, &soft.body, x, 0.0047, -1, INT32_MAX, &nearest);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.0045, nearest.distance);
    free(embedding.weight);
    free(dent);
    free(vertex);
    pal_volmesh_free(&mesh);
}

// ---- Budget and trouble -------------------------------------------------------------------------

static void test_fewer_looks_give_a_coarser_level_and_a_larger_error(void) {
    enum { LOOKED = SANITIZED_OR(15, 60) };
    soft_open_ball(&soft, 24, 8, &seed);
    build(0.05);
    soft_deform(&soft, 0.1, &seed);
    pal_shape shape;
    CHECK_OK(pal_shape_sphere(&shape, 0.2, &err), err);
    double before = 0.0;
    int32_t level_before = PAL_SHELL_LEVELS;
    for (int32_t budget = 4096; budget >= 1; budget /= 2) {
        double sum = 0.0;
        int32_t compared = 0, level = 0;
        test_random same = {.state = 77};
        seed = same;
        for (int i = 0; i < LOOKED; i++) {
            pal_shell_query query = sphere_query(&shape, (double[3]){0}, 0.02);
            random_pose(&query.pose, 0.0);
            double length = pal_norm3(query.pose.x);
            for (int c = 0; c < 3; c++) {
                query.pose.x[c] *= 1.0 + 0.18 / length;
            }
            query.look_budget = budget;
            pal_touch_set set;
            pal_outcome outcome = pal_shell_find(&shell, &soft.body, &query, &set);
            TEST_ASSERT_TRUE(set.looked <= budget);
            TEST_ASSERT_TRUE(set.level == last_level() || outcome == PAL_OUT_BUDGET);
            double exact = exact_gap(query.pose.x, 0.2);
            // nothing found: as if it were just beyond the margin
            sum += fmin(deepest(&set), 0.02) - exact;
            level += set.level;
            compared++;
        }
        printf("budget %4d: mean level %.1f, mean error %.2g\n", budget, (double)level / compared,
               sum / compared);
        TEST_ASSERT_TRUE(level <= level_before * LOOKED);
        TEST_ASSERT_TRUE(sum / compared > before - 2e-3);
        before = sum / compared;
        level_before = (level + LOOKED - 1) / LOOKED;
    }
}

static void test_a_set_that_would_be_too_large_is_taken_from_a_coarser_level(void) {
    soft_open_ball(&soft, 24, 4, &seed);
    build(0.04);
    pal_shape shape;
    CHECK_OK(pal_shape_sphere(&shape, 0.9, &err), err);
    for (int32_t most = PAL_MAX_TOUCHES; most >= 0; most--) {
        pal_shell_query query = sphere_query(&shape, (double[]){1.6, 0.4, 0.3}, 0.05);
        query.most = most;
        pal_touch_set set;
        pal_outcome outcome = pal_shell_find(&shell, &soft.body, &query, &set);
        TEST_ASSERT_TRUE(set.count <= most && (set.count > 0 || most == 0));
        TEST_ASSERT_EQUAL_INT(PAL_OUT_BUDGET, outcome);
        for (int32_t i = 1; i < set.count; i++) {
            TEST_ASSERT_TRUE(set.item[i].id > set.item[i - 1].id);
        }
    }
}

static void test_a_settled_level_does_not_flicker(void) {
    soft_open_ball(&soft, 24, 4, &seed);
    build(0.04);
    pal_shape shape;
    CHECK_OK(pal_shape_sphere(&shape, 0.3, &err), err);
    int32_t changes[2] = {0, 0};
    for (int settled = 0; settled < 2; settled++) {
        int32_t level = -1;
        for (int i = 0; i < SLIDE; i++) {
            double a = 0.3 + 1e-3 * (i * (2000 / SLIDE));
            const double x[3] = {1.27 * cos(a), 1.27 * sin(a), 0.2};
            pal_shell_query query = sphere_query(&shape, x, 0.012);
            query.settled = settled * (level + 1);
            query.most = 20;
            pal_touch_set set;
            pal_shell_find(&shell, &soft.body, &query, &set);
            changes[settled] += level >= 0 && set.level != level;
            level = set.level;
        }
    }
    printf("level changes: %d, settled %d\n", changes[0], changes[1]);
    TEST_ASSERT_TRUE(changes[0] > 4);
    TEST_ASSERT_TRUE(changes[1] <= 2);
}

static void test_not_a_number_gives_no_touches(void) {
    soft_open_ball(&soft, 12, 4, &seed);
    build(0.1);
    pal_shape shape;
    CHECK_OK(pal_shape_sphere(&shape, 0.3, &err), err);
    const double x[3] = {1.2, 0.0, 0.0}, bad[3] = {NAN, INFINITY, -INFINITY};
    pal_touch_set set;
    for (int i = 0; i < 3; i++) {
        pal_shell_query query = sphere_query(&shape, x, 0.1);
        TEST_ASSERT_TRUE((pal_shell_find(&shell, &soft.body, &query, &set) & PAL_OUT_NAN) == 0);
        TEST_ASSERT_TRUE(set.count > 0);
        query.pose.x[i] = bad[i];
        TEST_ASSERT_EQUAL_INT(PAL_OUT_NAN, pal_shell_find(&shell, &soft.body, &query, &set));
        TEST_ASSERT_EQUAL_INT(0, set.count);
        query = sphere_query(&shape, x, 0.1);
        query.pose.turn[i] = bad[i];
        TEST_ASSERT_EQUAL_INT(PAL_OUT_NAN, pal_shell_find(&shell, &soft.body, &query, &set));
        TEST_ASSERT_EQUAL_INT(0, set.count);
        query = sphere_query(&shape, x, 0.1);
        soft.q[i] = bad[i];
        TEST_ASSERT_EQUAL_INT(PAL_OUT_NAN, pal_shell_find(&shell, &soft.body, &query, &set));
        TEST_ASSERT_EQUAL_INT(0, set.count);
        soft.q[i] = 0.0;
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_no_touch_is_missed_in_ten_thousand_poses);
    RUN_TEST(test_deepest_gap_is_the_exact_distance);
    RUN_TEST(test_sphere_slides_over_a_plate_without_ripple);
    RUN_TEST(test_other_tools_slide_over_a_plate_without_ripple);
    RUN_TEST(test_sphere_slides_over_facets_as_the_facets_are);
    RUN_TEST(test_gaps_are_continuous);
    RUN_TEST(test_far_side_of_a_sheet_does_not_count);
    RUN_TEST(test_normals_of_a_field_are_those_of_the_smooth_surface);
    RUN_TEST(test_dents_are_seen);
    RUN_TEST(test_fewer_looks_give_a_coarser_level_and_a_larger_error);
    RUN_TEST(test_a_set_that_would_be_too_large_is_taken_from_a_coarser_level);
    RUN_TEST(test_a_settled_level_does_not_flicker);
    RUN_TEST(test_not_a_number_gives_no_touches);
    return UNITY_END();
}
