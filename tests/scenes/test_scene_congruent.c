// Congruent domains of one mesh: they share a class, which is baked once, and move as if each had
// one of its own.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/scene.h"
#include "sim/base/file.h"
#include "sim/base/vec3.h"
#include "sim/substruct/tree_step.h"
#include "tests/support/check.h"

enum { CELLS = 4 };

void setUp(void) {
}
void tearDown(void) {
}

// A strip held at x = 0, with these domains.
static void parse(const char *domains, pal_scene *scene) {
    char text[2048];
    pal_err err = {0};
    snprintf(text, sizeof text,
             "palpate: 1\nname: strip\nbody:\n"
             "  shape: {name: strip, size: 0.12 m}\n  voxels: 24\n  fixed: x<0.0001\n"
             "  material: {young: 100 kPa, poisson: 0.4, density: 1000 kg/m3}\n"
             "  damping: {stiffness: 2 ms}\n"
             "  domains: {%s}\n",
             domains);
    CHECK_OK(pal_scene_parse(check_scratch("test.yaml"), text, strlen(text), scene, &err), err);
}

static void build(const char *domains, pal_scene *scene, pal_scene_tree *tree) {
    pal_err err = {0};
    parse(domains, scene);
    CHECK_OK(pal_scene_tree_build(scene, NULL, tree, &err), err);
}

static void refuse(const char *domains, const char *part) {
    pal_scene scene;
    pal_scene_tree tree;
    pal_err err = {0};
    parse(domains, &scene);
    CHECK_FAILS(PAL_ERR_INPUT, part, pal_scene_tree_build(&scene, NULL, &tree, &err), err);
    pal_scene_free(&scene);
}

static void bake(const char *domains, pal_tree_model *model) {
    pal_scene scene;
    pal_err err = {0};
    parse(domains, &scene);
    CHECK_OK(pal_scene_tree_bake(&scene, NULL, model, NULL, NULL, &err), err);
    pal_scene_free(&scene);
}

// Where a vertex of a domain is.
static void place(const pal_tree_model *model, const pal_tree_state *state, int32_t d, int32_t v,
                  double x[3]) {
    const pal_model *body = &model->body[model->domain[d].kind];
    double velocity[3];
    pal_tree_point(state, d, body->mesh.x + 3 * (int64_t)v, body->basis + 3 * (int64_t)v * body->r,
                   x, velocity);
}

static void test_a_strip_of_congruent_cells_bakes_one_class_and_moves_as_without(void) {
    static const char *const domains[2] = {
        "auto: 4, cut: axis, modes: {each: 8}, boundary: false, congruent: true",
        "auto: 4, cut: axis, modes: {each: 8}, boundary: false"};
    const pal_tree_options options = {.dt = 1e-3, .inertia = PAL_INERTIA_EXACT, .threads = 1};
    const double force[3] = {0.0, 0.1, 0.4}; // N
    pal_tree_model model[2];
    pal_tree_state *state[2];
    pal_err err = {0};
    double farthest = 0.0, apart = 0.0;
    for (int k = 0; k < 2; k++) {
        bake(domains[k], &model[k]);
        TEST_ASSERT_EQUAL_INT(CELLS, model[k].domain_count);
        TEST_ASSERT_EQUAL_INT(k == 0 ? 1 : CELLS, model[k].class_count);
        CHECK_OK(pal_tree_open(&model[k].tree, &options, &state[k], &err), err);
    }
    const int32_t last = model[1].body[CELLS - 1].mesh.vertex_count - 1;
    double rest[3];
    place(&model[1], state[1], CELLS - 1, last, rest);
    for (int step = 0; step < 150; step++) {
        for (int k = 0; k < 2; k++) {
            const pal_model *tip = &model[k].body[model[k].domain[CELLS - 1].kind];
            if (step < 100) {
                pal_tree_push(state[k], CELLS - 1, tip->mesh.x + 3 * (int64_t)last,
                              tip->basis + 3 * (int64_t)last * tip->r, force);
            }
            TEST_ASSERT_EQUAL_INT(0, pal_tree_step(state[k]) & PAL_OUT_NAN);
        }
        for (int32_t d = 0; d < CELLS; d++) {
            for (int32_t v = 0; v < model[1].body[d].mesh.vertex_count; v += 5) {
                double x[2][3], away[3];
                place(&model[0], state[0], d, v, x[0]);
                place(&model[1], state[1], d, v, x[1]);
                pal_sub3(x[0], x[1], away);
                apart = fmax(apart, pal_norm3(away));
            }
        }
        double x[3], away[3];
        place(&model[1], state[1], CELLS - 1, last, x);
        pal_sub3(x, rest, away);
        farthest = fmax(farthest, pal_norm3(away));
    }
    printf("tip moves by %.3g m, shared and not at most %.2g m apart\n", farthest, apart);
    TEST_ASSERT_TRUE(farthest > 0.02);
    TEST_ASSERT_TRUE(apart < 1e-10 * farthest);
    for (int k = 0; k < 2; k++) {
        pal_tree_close(state[k]);
        pal_tree_model_free(&model[k]);
    }
}

static const char alike[] =
    "list: [{name: a, where: all}, {name: b, where: x>0.0299 & x<0.0601, like: a}, "
    "{name: c, where: x>0.0599 & x<0.0901, like: d}, {name: d, where: x>0.0899, like: b}]";

static void test_the_scene_says_which_are_alike(void) {
    pal_scene scene;
    pal_scene_tree tree;
    build(alike, &scene, &tree);
    TEST_ASSERT_EQUAL_INT(CELLS, tree.spec.domain_count);
    TEST_ASSERT_EQUAL_INT(1, tree.spec.class_count);
    TEST_ASSERT_EQUAL_STRING("a", tree.spec.class_[0].name);
    TEST_ASSERT_EQUAL_INT(1, tree.spec.class_[0].port_count);
    for (int32_t d = 0; d < CELLS; d++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.0, tree.spec.domain[d].scale);
    }
    pal_scene_tree_free(&tree);
    pal_scene_free(&scene);
}

// `congruent` leaves those apart that are not.
static void test_what_is_not_congruent_stays_apart(void) {
    pal_scene scene;
    pal_scene_tree tree;
    build("congruent: true, list: [{name: a, where: all}, {name: b, where: x>0.0299}, "
          "{name: c, where: x>0.0599}, {name: tip, where: x>0.1049}]",
          &scene, &tree);
    TEST_ASSERT_EQUAL_INT(3, tree.spec.class_count); // a and b; c; tip
    TEST_ASSERT_EQUAL_INT(tree.spec.domain[0].kind, tree.spec.domain[1].kind);
    pal_scene_tree_free(&tree);
    pal_scene_free(&scene);
}

static void test_domains_of_a_class_have_the_same_modes(void) {
    pal_scene scene;
    pal_scene_tree tree;
    char domains[512];
    snprintf(domains, sizeof domains, "%s, modes: {total: 43}", alike);
    build(domains, &scene, &tree);
    TEST_ASSERT_EQUAL_INT(10, tree.spec.class_[0].basis.size); // 11, 11, 11 and 10
    pal_scene_tree_free(&tree);
    pal_scene_free(&scene);
    snprintf(domains, sizeof domains, "%s, rigid: [c]", alike);
    refuse(domains, "only one of them is rigid");
    snprintf(domains, sizeof domains, "%s, rigid: [a, b, c, d]", alike);
    build(domains, &scene, &tree);
    TEST_ASSERT_EQUAL_INT(0, tree.spec.class_[0].basis.size);
    pal_scene_tree_free(&tree);
    pal_scene_free(&scene);
}

static void test_what_cannot_be_alike_is_refused(void) {
    refuse("list: [{name: a, where: all}, {name: b, where: x>0.0699, like: a}]",
           "'b' is not congruent to 'a', of its class: it has another number of elements");
    refuse("list: [{name: a, where: all}, {name: b, where: x>0.0599, like: c}]",
           "list.1.like: 'b' is to be like 'c', but no domain has this name");
    refuse("list: [{name: a, where: all}, {name: b, where: x>0.0599, like: b}]",
           "of one class already");
    // The middle holds both: the left one at its right end.
    refuse("root: m, list: [{name: m, where: all}, {name: l, where: x<0.0401}, "
           "{name: r, where: x>0.0799, like: l}]",
           "ground");
}

static void test_a_list_says_which_are_alike(void) {
    pal_scene scene;
    pal_scene_tree tree;
    char path[512], domains[600];
    pal_err err = {0};
    static const char text[] = "a ; all\nb ; x>0.0299 ; like a\nc ; x>0.0599;like b\n"
                               "d ; x>0.0899 ; like a\n";
    static const char wrong[] = "a ; all\nb ; x>0.0599 ; as a\n";
    snprintf(path, sizeof path, "%s", check_scratch("alike.txt"));
    CHECK_OK(pal_file_write_atomic(path, text, sizeof text - 1, &err), err);
    snprintf(domains, sizeof domains, "file: \"%s\"", path);
    build(domains, &scene, &tree);
    TEST_ASSERT_EQUAL_INT(1, tree.spec.class_count);
    pal_scene_tree_free(&tree);
    pal_scene_free(&scene);
    CHECK_OK(pal_file_write_atomic(path, wrong, sizeof wrong - 1, &err), err);
    refuse(domains, ":2: ' as a' after the elements");
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_strip_of_congruent_cells_bakes_one_class_and_moves_as_without);
    RUN_TEST(test_the_scene_says_which_are_alike);
    RUN_TEST(test_what_is_not_congruent_stays_apart);
    RUN_TEST(test_domains_of_a_class_have_the_same_modes);
    RUN_TEST(test_what_cannot_be_alike_is_refused);
    RUN_TEST(test_a_list_says_which_are_alike);
    return UNITY_END();
}
