// What can be a tree of domains, and what cannot: each error names what is wrong. Deep and large
// trees: their cost and memory grow with the number of domains.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

#include "sim/base/memory.h"
#include "sim/substruct/tree_state.h"
#include "tests/support/check.h"
#include "tests/support/sanitized.h"
#include "tests/support/tree_run.h"

void setUp(void) {
}
void tearDown(void) {
}

// ---- bad trees

enum { DOMAINS = 6, FALL = SANITIZED_OR(300, 2000) }; // FALL: ms

static const int32_t kind[DOMAINS] = {0, 1, 1, 2, 1, 2}, parent[DOMAINS] = {-1, 0, 0, 0, 1, 1},
                     port[DOMAINS] = {0, 0, 2, 1, 0, 1};

static void make_small(point_tree *t) {
    const point_spec spec = {.class_count = 3,
                             .r = {5, 4, 0},
                             .ports = {3, 2, 1},
                             .domain_count = DOMAINS,
                             .kind = kind,
                             .parent = parent,
                             .port = port,
                             .stiffness = 900.0,
                             .size = 0.2};
    point_tree_make(t, &spec, 1);
    strcpy(t->class_[1].name, "twig");
}

// Spoils a good tree, and is told what the error must say.
#define CHECK_SPOILED(part, ...)                                                                   \
    do {                                                                                           \
        point_tree t;                                                                              \
        pal_err err = {0};                                                                         \
        make_small(&t);                                                                            \
        CHECK_OK(pal_tree_check(&t.tree, &err), err);                                              \
        __VA_ARGS__;                                                                               \
        CHECK_FAILS(PAL_ERR_INPUT, part, pal_tree_check(&t.tree, &err), err);                      \
        point_tree_free(&t);                                                                       \
    } while (0)

static void test_domains_hang_on_earlier_ones(void) {
    CHECK_SPOILED("domain 3 (from 0) hangs on 4", t.domain[3].parent = 4);
    CHECK_SPOILED("domain 2 (from 0) hangs on 2", t.domain[2].parent = 2);
    CHECK_SPOILED("domain 4 (from 0) hangs on -1", t.domain[4].parent = -1);
    CHECK_SPOILED("domain 0 (from 0) hangs on 0", t.domain[0].parent = 0);
    CHECK_SPOILED("domain 5 (from 0) hangs on 99", t.domain[5].parent = 99);
    CHECK_SPOILED("without domains", t.tree.domain_count = 0);
}

static void test_classes_and_interfaces_are_there(void) {
    CHECK_SPOILED("domain 4 (from 0) is of class 3; there are 3", t.domain[4].kind = 3);
    CHECK_SPOILED("domain 0 (from 0) is of class -1", t.domain[0].kind = -1);
    CHECK_SPOILED("interface 2 of class 'twig', which has 2", t.domain[4].port = 2);
    CHECK_SPOILED("interface -1 of class 'twig'", t.domain[4].port = -1);
    CHECK_SPOILED("domain 5 (from 0) hangs on interface 0 of domain 1, where another one is",
                  t.domain[5].port = 0);
}

static void test_scales_and_factors_are_above_zero(void) {
    CHECK_SPOILED("domain 2 (from 0) has scale 0", t.domain[2].scale = 0.0);
    CHECK_SPOILED("domain 2 (from 0) has scale -1", t.domain[2].scale = -1.0);
    CHECK_SPOILED("domain 2 (from 0) has scale nan", t.domain[2].scale = (double)NAN);
    CHECK_SPOILED("domain 0 (from 0) has scale inf", t.domain[0].scale = (double)INFINITY);
    CHECK_SPOILED("stiffness factor 0", t.domain[3].stiffness = 0.0);
    CHECK_SPOILED("stiffness factor -2", t.domain[3].stiffness = -2.0);
}

static void test_poses_are_rotations(void) {
    CHECK_SPOILED("domain 3 (from 0) is not a rotation", t.domain[3].rest[0][0] += 0.01);
    CHECK_SPOILED("domain 3 (from 0) is not a rotation", t.domain[3].rest[1][2] = (double)NAN);
    CHECK_SPOILED(
        "domain 3 (from 0) is not a rotation", for (int e = 0; e < 9; e++) {
            t.domain[3].rest[e / 3][e % 3] = e % 4 == 0 ? -1.0 : 0.0; // a mirror
        });
    CHECK_SPOILED("root", t.tree.root_turn[2][1] += 0.1);
    CHECK_SPOILED("root", t.tree.root_turn[0][0] = (double)NAN);
    CHECK_SPOILED("root", t.tree.root_x[1] = (double)INFINITY);
}

static void test_interfaces_are_not_in_line(void) {
    const double line[3] = {0.1, -0.2, 0.05};
    CHECK_SPOILED(
        "interface 1 of class 'twig' (from 0): its vertices are in line",
        for (int e = 0; e < 9;
             e++) { t.class_[1].port[1].c[e / 3][e % 3] = line[e / 3] * line[e % 3]; });
    CHECK_SPOILED("in line", memset(t.class_[0].port[0].c, 0, 9 * sizeof(double)));
    CHECK_SPOILED("in line", t.class_[0].port[0].c[1][1] = (double)NAN);
}

static void test_classes_have_a_mass_and_not_too_many_modes(void) {
    CHECK_SPOILED("class 'twig' has a mass of 0 kg", t.class_[1].mass = 0.0);
    CHECK_SPOILED("class 'twig' has a mass of nan kg", t.class_[1].mass = (double)NAN);
    CHECK_SPOILED("65 modes", t.class_[1].r = 65);
    CHECK_SPOILED("-1 modes", t.class_[1].r = -1);
}

// ---- deep and large trees

typedef struct large {
    point_shape shape;
    point_tree t;
} large;

// A chain (each hangs on the one before), or a star of rays of ten.
static void make_large(large *l, int32_t count, bool chain, double beta, double stiffness) {
    point_spec spec = {.class_count = 3,
                       .r = {6, 8, 5},
                       .ports = {chain ? 1 : (count + 8) / 10, 1, 1},
                       .stiffness = stiffness,
                       .size = 0.01,
                       .beta = beta,
                       .convex = true};
    l->shape = (point_shape){PAL_NEW(int32_t, count, NULL), PAL_NEW(int32_t, count, NULL),
                             PAL_NEW(int32_t, count, NULL)};
    for (int32_t i = 0; i < count; i++) {
        const bool on_root = i > 0 && (chain ? i == 1 : i % 10 == 1);
        l->shape.kind[i] = i == 0 ? 0 : 1 + i % 2;
        l->shape.parent[i] = on_root ? 0 : i - 1;
        l->shape.port[i] = on_root ? i / 10 : 0;
    }
    spec.domain_count = count;
    spec.kind = l->shape.kind;
    spec.parent = l->shape.parent;
    spec.port = l->shape.port;
    point_tree_make(&l->t, &spec, 7);
}

static void free_large(large *l) {
    point_tree_free(&l->t);
    point_shape_free(&l->shape);
}

static void test_a_chain_of_200_works_and_is_stable(void) {
    const double gravity[3] = {0.0, 0.0, -9.81};
    large l;
    make_large(&l, 200, true, 2e-3, 4e8);
    pal_tree_state *state = tree_run_open(&l.t.tree, PAL_INERTIA_EXACT, 1e-3);
    TEST_ASSERT_EQUAL_INT(199, pal_tree_depth(&l.t.tree, 199));
    pal_tree_set_gravity(state, gravity);
    double x[3], turn[3][3], start[3], fell = 0.0;
    pal_tree_frame(state, 199, start, turn);
    for (int step = 0; step < FALL; step++) {
        TEST_ASSERT_EQUAL_UINT32(0, pal_tree_step(state));
        pal_tree_frame(state, 199, x, turn);
        fell = fmin(fell, x[2] - start[2]);
    }
    TEST_ASSERT_TRUE(tree_run_finite(state));
    printf("a chain of 200 in %d ms under gravity: its end falls by %.3g m\n", FALL, -fell);
    TEST_ASSERT_LESS_THAN_DOUBLE(-1e-3, fell);
    pal_tree_close(state);
    free_large(&l);
}

// How much work a step is, counted: what a tree consists of once it is opened.
typedef struct work {
    double lanes; // of blocks of domains, with r modes each
    double ports; // of blocks of ports
    double bytes;
} work;

static work count_work(const pal_tree *tree, pal_inertia inertia) {
    pal_tree_state *state = tree_run_open(tree, inertia, 1e-3);
    work all = {.bytes = (double)pal_tree_bytes(state)};
    for (int32_t i = 0; i < state->block_count; i++) {
        all.lanes += state->block[i].width;
    }
    for (int32_t i = 0; i < state->port_count; i++) {
        all.ports += state->ports[i].width;
    }
    TEST_ASSERT_EQUAL_UINT32(0, pal_tree_step(state));
    pal_tree_close(state);
    return all;
}

// A step does a fixed amount of work for every block of domains and of ports: their number is
// linear in that of the domains, and so is the memory. How long it takes is for the bench. (There
// are eight of a kind on each level, or more.)
static void test_work_and_memory_are_linear_in_domains(void) {
    static const int32_t count[3] = {81, SANITIZED_OR(241, 801), SANITIZED_OR(801, 8001)};
    for (int chain = 0; chain < 2; chain++) {
        for (int inertia = 0; inertia < 3; inertia += 2) {
            work of[3];
            for (int k = 0; k < 3; k++) {
                large l;
                make_large(&l, count[k], chain == 1, 2e-3, 4e6);
                of[k] = count_work(&l.t.tree, (pal_inertia)inertia);
                free_large(&l);
            }
            const double first = (of[1].bytes - of[0].bytes) / (count[1] - count[0]);
            const double more = (of[2].bytes - of[1].bytes) / (count[2] - count[1]);
            printf("%s, %s: %.4f lanes, %.4f ports, %.0f bytes a domain more\n",
                   chain == 1 ? "chain" : "star", inertia == 2 ? "exact" : "interface",
                   (of[2].lanes - of[1].lanes) / (count[2] - count[1]),
                   (of[2].ports - of[1].ports) / (count[2] - count[1]), more);
            TEST_ASSERT_DOUBLE_WITHIN(0.02 * first, first, more);
            TEST_ASSERT_TRUE(more < 16e3);
            for (int k = 0; k < 3; k++) { // all blocks are full but that of the hub's last ports
                TEST_ASSERT_EQUAL_DOUBLE(count[k], of[k].lanes);
                TEST_ASSERT_LESS_OR_EQUAL_DOUBLE(count[k] + 8.0, of[k].ports);
            }
        }
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_domains_hang_on_earlier_ones);
    RUN_TEST(test_classes_and_interfaces_are_there);
    RUN_TEST(test_scales_and_factors_are_above_zero);
    RUN_TEST(test_poses_are_rotations);
    RUN_TEST(test_interfaces_are_not_in_line);
    RUN_TEST(test_classes_have_a_mass_and_not_too_many_modes);
    RUN_TEST(test_a_chain_of_200_works_and_is_stable);
    RUN_TEST(test_work_and_memory_are_linear_in_domains);
    return UNITY_END();
}
