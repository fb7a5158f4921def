// What a tree misses where two domains meet (joint.h), tied by the elements of the parent.
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/contact/joint_parts.h"
#include "tests/support/check.h"
#include "tests/support/cut_press.h"

// Cut at x = 0; the part beyond hangs on the one before it, which is held at its bottom.
static const press_shape coarse = {.kind = PAL_HEX8,
                                   .low = {-0.016, -0.012, -0.012},
                                   .high = {0.016, 0.012, 0.0},
                                   .fine = 3e-3,
                                   .zone = {6e-3, 6e-3, 6e-3},
                                   .growth = 1.9,
                                   .overhangs = true,
                                   .hold_end = -1e-3};
static const double upright[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};

static pal_tree_model tree;
static pal_joint joint, second;
static pal_local all_pairs[PAL_JOINT_SIDES];
static pal_err err;

void setUp(void) {
}
void tearDown(void) {
    pal_memory_fail_after(-1);
    pal_joint_free(&joint);
    pal_joint_free(&second);
    pal_local_free(&all_pairs[PAL_PARENT]);
    pal_local_free(&all_pairs[PAL_CHILD]);
    pal_tree_model_free(&tree);
}

static press_shape finer(pal_element_kind kind) {
    press_shape shape = coarse;
    shape.kind = kind;
    shape.fine = 2.3e-3;
    return shape;
}

static pal_joint_side side_of(const pal_model *body) {
    return (pal_joint_side){.mesh = &body->mesh,
                            .material = &body->region[0].material,
                            .held = body->held,
                            .local = &body->local,
                            .embedding = &body->embedding,
                            .basis = body->basis,
                            .r = body->r,
                            .all_pairs = &all_pairs[body - tree.body]};
}

// Where the second domain hangs on the first. The material is one for all.
static pal_joint_spec spec_of_tree(void) {
    const pal_port *port = &tree.class_[0].port[0];
    return (pal_joint_spec){.parent = side_of(&tree.body[0]),
                            .child = side_of(&tree.body[1]),
                            .place = {port->x[0], port->x[1], port->x[2]},
                            .rest = upright,
                            .size = 1.0,
                            .stiffness = 1.0,
                            .share = 1.0,
                            .vertex_count = port->vertex_count,
                            .vertex = port->vertex,
                            .weight = port->weight};
}

static void open_unlike(pal_element_kind kind) {
    const press_shape child = finer(kind);
    cut_press_unlike(&coarse, &child, 8, &tree);
}

static void build(const pal_joint_spec *spec, pal_joint *to) {
    CHECK_OK(pal_joint_build(spec, to, &err), err);
}

// The largest entry of D; and that of the difference of two joints of the same vertices.
static double most_of(const pal_joint *a, const pal_joint *b) {
    double most = 0.0;
    for (int64_t k = 0; k < 9 * (int64_t)a->count * a->count; k++) {
        const int64_t at = k / (3 * a->count) * a->stride + k % (3 * a->count);
        most = fmax(most, fabs((double)a->d[at] - (b != NULL ? (double)b->d[at] : 0.0)));
    }
    return most;
}

// ---- ties

static void open_ties(const pal_joint_spec *spec, pal_joining *j) {
    bool holds;
    *j = (pal_joining){.spec = spec};
    for (int s = 0; s < PAL_JOINT_SIDES; s++) {
        j->side[s].of = s == PAL_PARENT ? &spec->parent : &spec->child;
        const size_t vertices = (size_t)j->side[s].of->mesh->vertex_count;
        j->side[s].is_tied = calloc(vertices, 1);
        j->side[s].list = calloc(vertices, sizeof(int32_t));
    }
    CHECK_OK(pal_joint_tie(j, &holds, &err), err);
    TEST_ASSERT_TRUE(holds);
}

static void close_ties(pal_joining *j) {
    for (int s = 0; s < PAL_JOINT_SIDES; s++) {
        free(j->side[s].is_tied);
        free(j->side[s].list);
    }
    free(j->tie);
    free(j->on_rim);
}

// x -> its place after a small turn and a move.
static void move_rigidly(const double x[3], double out[3]) {
    static const double spin[3] = {0.3, -0.7, 0.4}, by[3] = {0.01, 0.02, -0.03};
    pal_cross3(spin, x, out);
    for (int c = 0; c < 3; c++) {
        out[c] += by[c];
    }
}

static void test_ties_go_with_a_rigid_motion(void) {
    for (int i = 0; i < 2; i++) {
        pal_joining j;
        open_unlike(i == 0 ? PAL_HEX8 : PAL_TET4);
        const pal_joint_spec spec = spec_of_tree();
        open_ties(&spec, &j);
        const int32_t parents = j.side[PAL_PARENT].tied;
        int32_t on_rim = 0;
        for (int32_t k = 0; k < j.side[PAL_CHILD].tied; k++) {
            double x[3], own[3], sum[3] = {0.0, 0.0, 0.0};
            pal_joint_place(&j, PAL_CHILD, j.side[PAL_CHILD].list[k], x);
            move_rigidly(x, own);
            for (int32_t p = 0; p < parents; p++) {
                double moved[3];
                pal_joint_place(&j, PAL_PARENT, j.side[PAL_PARENT].list[p], x);
                move_rigidly(x, moved);
                for (int c = 0; c < 3; c++) {
                    sum[c] += j.tie[(int64_t)k * parents + p] * moved[c];
                }
            }
            for (int c = 0; c < 3; c++) {
                TEST_ASSERT_DOUBLE_WITHIN(1e-11, own[c], sum[c]);
            }
            on_rim += j.on_rim[k];
        }
        TEST_ASSERT_GREATER_THAN_INT(8, on_rim);
        TEST_ASSERT_LESS_THAN_INT(j.side[PAL_CHILD].tied, on_rim); // those within bear no surface
        close_ties(&j);
    }
}

static void test_vertices_that_meet_are_tied_to_each_other_alone(void) {
    pal_joining j;
    cut_press_unlike(&coarse, &coarse, 8, &tree);
    const pal_joint_spec spec = spec_of_tree();
    open_ties(&spec, &j);
    TEST_ASSERT_EQUAL_INT(spec.vertex_count, j.side[PAL_PARENT].tied);
    TEST_ASSERT_EQUAL_INT(spec.vertex_count, j.side[PAL_CHILD].tied);
    for (int32_t k = 0; k < spec.vertex_count * spec.vertex_count; k++) {
        double x[3], y[3], apart[3];
        pal_joint_place(&j, PAL_CHILD, j.side[PAL_CHILD].list[k / spec.vertex_count], x);
        pal_joint_place(&j, PAL_PARENT, j.side[PAL_PARENT].list[k % spec.vertex_count], y);
        pal_sub3(x, y, apart);
        TEST_ASSERT_TRUE(j.tie[k] == (pal_norm3(apart) < 1e-9 ? 1.0 : 0.0));
    }
    close_ties(&j);
}

// ---- joints

// Moved within the interface by a ten-thousandth of an element, vertices are tied by several; D is
// what it was, nearly.
static void test_vertices_that_nearly_meet_make_nearly_the_same_joint(void) {
    cut_press_unlike(&coarse, &coarse, 8, &tree);
    const pal_joint_spec spec = spec_of_tree();
    build(&spec, &joint);
    TEST_ASSERT_GREATER_THAN_INT(20, joint.count);
    for (int32_t v = 0; v < spec.child.mesh->vertex_count; v++) {
        double *x = tree.body[1].mesh.x + 3 * (int64_t)v;
        x[1] += spec.child.held[v] ? 3e-7 * sin(3.0 * v) : 0.0;
        x[2] += spec.child.held[v] ? 3e-7 * cos(5.0 * v) : 0.0;
    }
    build(&spec, &second);
    TEST_ASSERT_EQUAL_INT(joint.count, second.count);
    TEST_ASSERT_EQUAL_INT32_ARRAY(joint.vertex, second.vertex, joint.count);
    TEST_ASSERT_GREATER_THAN_DOUBLE(1e-6, most_of(&joint, NULL));
    TEST_ASSERT_LESS_THAN_DOUBLE(2e-3 * most_of(&joint, NULL), most_of(&joint, &second));
}

// Dents have no mass: what pushes when it is pulled would make energy.
static void test_dents_and_joint_together_store_energy(void) {
    for (int i = 0; i < 2; i++) {
        open_unlike(i == 0 ? PAL_HEX8 : PAL_TET4);
        const pal_joint_spec spec = spec_of_tree();
        build(&spec, &joint);
        const int32_t n = joint.count, first = joint.parent_count;
        TEST_ASSERT_GREATER_THAN_INT(20, first);
        TEST_ASSERT_GREATER_THAN_INT(20, n - first);
        TEST_ASSERT_LESS_OR_EQUAL_INT(PAL_JOINT_VERTICES, n);
        double *sum = calloc(9 * (size_t)n * (size_t)n, sizeof *sum);
        double *value = calloc(3 * (size_t)n, sizeof *value);
        for (int s = 0; s < PAL_JOINT_SIDES; s++) {
            const int32_t start = s == PAL_PARENT ? 0 : first,
                          m = s == PAL_PARENT ? first : n - first;
            double *own = calloc(9 * (size_t)m * (size_t)m, sizeof *own);
            pal_local_add_vertices(s == PAL_PARENT ? spec.parent.local : spec.child.local, m,
                                   joint.vertex + start, own);
            for (int64_t k = 0; k < 9 * (int64_t)m * m; k++) {
                sum[(3 * start + k / (3 * m)) * 3 * n + 3 * start + k % (3 * m)] = own[k];
            }
            free(own);
        }
        for (int64_t k = 0; k < 9 * (int64_t)n * n; k++) {
            const int64_t a = k / (3 * n), b = k % (3 * n);
            sum[k] += (double)joint.d[a * joint.stride + b];
            TEST_ASSERT_TRUE(joint.d[a * joint.stride + b] == joint.d[b * joint.stride + a]);
        }
        TEST_ASSERT_EQUAL_INT(0,
                              LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', 3 * n, sum, 3 * n, value));
        TEST_ASSERT_GREATER_THAN_DOUBLE(0.0, value[3 * n - 1]);
        TEST_ASSERT_GREATER_THAN_DOUBLE(-1e-5 * value[3 * n - 1], value[0]);
        free(sum);
        free(value);
        pal_joint_free(&joint);
    }
}

// Takes the pairs out of a table that are farther apart.
static void thin_out(pal_model *body, double farthest) {
    const pal_local *local = &body->local;
    for (int32_t a = 0; a < local->row_count; a++) {
        for (int32_t k = local->first[a]; k < local->first[a + 1]; k++) {
            double apart[3];
            pal_sub3(body->mesh.x + 3 * (int64_t)local->vertex[a],
                     body->mesh.x + 3 * (int64_t)local->vertex[local->column[k]], apart);
            if (pal_norm3(apart) > farthest) {
                memset(local->block + 9 * (int64_t)k, 0, 9 * sizeof *local->block);
            }
        }
    }
}

// Without far pairs a table is not positive, and does not say what there is to take away; then all
// are known here, whichever the table has.
static void test_pairs_that_a_table_leaves_out_make_no_difference(void) {
    open_unlike(PAL_HEX8);
    const pal_joint_spec spec = spec_of_tree();
    thin_out(&tree.body[0], 6e-3);
    thin_out(&tree.body[1], 6e-3);
    build(&spec, &joint);
    thin_out(&tree.body[0], 4e-3);
    thin_out(&tree.body[1], 4e-3);
    build(&spec, &second);
    TEST_ASSERT_EQUAL_INT(tree.body[0].local.row_count, all_pairs[PAL_PARENT].row_count);
    TEST_ASSERT_GREATER_THAN_DOUBLE(1e-6, most_of(&joint, NULL));
    TEST_ASSERT_LESS_THAN_DOUBLE(1e-5 * most_of(&joint, NULL), most_of(&joint, &second));
}

// The child's class in other axes, turned back where it hangs: its rows and columns are turned.
static void test_the_axes_of_a_class_make_no_difference(void) {
    static const double turn[3][3] = {{0.36, 0.48, -0.8}, {-0.8, 0.6, 0.0}, {0.48, 0.64, 0.6}};
    open_unlike(PAL_TET4);
    pal_joint_spec spec = spec_of_tree();
    build(&spec, &joint);
    pal_model *child = &tree.body[1];
    for (int32_t v = 0; v < child->mesh.vertex_count; v++) { // x <- R^T x
        double *x = child->mesh.x + 3 * (int64_t)v, was[3];
        memcpy(was, x, sizeof was);
        for (int c = 0; c < 3; c++) {
            x[c] = turn[0][c] * was[0] + turn[1][c] * was[1] + turn[2][c] * was[2];
        }
    }
    for (int64_t k = 0; k < child->local.block_count; k++) { // g <- R^T g R
        float *g = child->local.block + 9 * k;
        double m[9] = {0.0};
        for (int e = 0; e < 81; e++) {
            const int a = e / 27, b = e / 9 % 3, c = e / 3 % 3, d = e % 3;
            m[3 * a + b] += turn[c][a] * (double)g[3 * c + d] * turn[d][b];
        }
        for (int e = 0; e < 9; e++) {
            g[e] = (float)m[e];
        }
    }
    spec.rest = turn;
    build(&spec, &second);
    TEST_ASSERT_EQUAL_INT(joint.count, second.count);
    double off = 0.0;
    for (int64_t k = 0; k < (int64_t)joint.count * joint.count; k++) { // D_ab = R_a D'_ab R_b^T
        const int32_t a = (int32_t)(k / joint.count), b = (int32_t)(k % joint.count);
        const double(*ra)[3] = a < joint.parent_count ? upright : turn;
        const double(*rb)[3] = b < joint.parent_count ? upright : turn;
        for (int e = 0; e < 9; e++) {
            double sum = 0.0;
            for (int f = 0; f < 9; f++) {
                sum += ra[e / 3][f / 3] * rb[e % 3][f % 3] *
                       (double)second.d[(3 * a + f / 3) * second.stride + 3 * b + f % 3];
            }
            off = fmax(off,
                       fabs(sum - (double)joint.d[(3 * a + e / 3) * joint.stride + 3 * b + e % 3]));
        }
    }
    TEST_ASSERT_LESS_THAN_DOUBLE(1e-5 * most_of(&joint, NULL), off);
}

static void test_what_is_too_far_from_the_parent_is_not_tied(void) {
    open_unlike(PAL_HEX8);
    pal_joint_spec spec = spec_of_tree();
    spec.size = 1.1; // a little beyond its rim
    build(&spec, &joint);
    TEST_ASSERT_GREATER_THAN_INT(20, joint.count);
    spec.size = 2.5;
    build(&spec, &second);
    TEST_ASSERT_EQUAL_INT(0, second.count);
    TEST_ASSERT_NULL(second.d);
}

static void test_running_out_of_memory_is_told_and_leaks_nothing(void) {
    press_shape rough = coarse;
    rough.fine = 6e-3;
    cut_press_unlike(&rough, &coarse, 6, &tree);
    const pal_joint_spec spec = spec_of_tree();
    bool done = false;
    for (long successes = 0; !done; successes++) {
        pal_memory_fail_after(successes);
        const pal_status status = pal_joint_build(&spec, &joint, &err);
        pal_memory_fail_after(-1);
        done = status == PAL_OK;
        TEST_ASSERT_TRUE(done || status == PAL_ERR_MEMORY);
        TEST_ASSERT_TRUE(done || joint.d == NULL);
    }
    TEST_ASSERT_GREATER_THAN_INT(20, joint.count);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_ties_go_with_a_rigid_motion);
    RUN_TEST(test_vertices_that_meet_are_tied_to_each_other_alone);
    RUN_TEST(test_vertices_that_nearly_meet_make_nearly_the_same_joint);
    RUN_TEST(test_dents_and_joint_together_store_energy);
    RUN_TEST(test_pairs_that_a_table_leaves_out_make_no_difference);
    RUN_TEST(test_the_axes_of_a_class_make_no_difference);
    RUN_TEST(test_what_is_too_far_from_the_parent_is_not_tied);
    RUN_TEST(test_running_out_of_memory_is_told_and_leaks_nothing);
    return UNITY_END();
}
