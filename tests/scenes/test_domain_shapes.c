// The procedural bodies of domains: the sizes of the paper [BZ11 table 1], and meshes that can be
// cut into a tree.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/domain_shapes.h"
#include "scenes/limbs.h"
#include "sim/base/memory.h"
#include "sim/mesh/tidy.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
    pal_memory_fail_after(-1);
}

static void check_within(const char *name, const char *what, double value, double wanted) {
    char message[200];
    snprintf(message, sizeof message, "%s: %g %s, %g in the paper", name, value, what, wanted);
    TEST_ASSERT_TRUE_MESSAGE(fabs(value - wanted) <= 0.2 * wanted, message);
}

static void check_mesh(const char *name, const pal_volmesh *mesh) {
    pal_err err = {0};
    pal_mesh_quality quality;
    CHECK_OK(pal_mesh_measure(mesh, &quality, &err), err);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, quality.inverted_count, name);
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, quality.face_components, name);
    TEST_ASSERT_TRUE_MESSAGE(quality.min_dihedral_degrees > 3.0, name);
}

// Every class is held at some vertices and free at others; its ports have distinct vertices that
// its parent does not hold.
static void check_class(const pal_class_shape *class_) {
    check_mesh(class_->name, &class_->mesh);
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, class_->mesh.region_count, class_->name);
    int32_t held = 0;
    uint8_t *taken = PAL_NEW(uint8_t, class_->mesh.vertex_count, NULL);
    for (int32_t v = 0; v < class_->mesh.vertex_count; v++) {
        held += class_->held[v];
        taken[v] = class_->held[v];
    }
    TEST_ASSERT_TRUE_MESSAGE(held >= 4 && held < class_->mesh.vertex_count, class_->name);
    for (int32_t p = 0; p < class_->port_count; p++) {
        TEST_ASSERT_TRUE_MESSAGE(class_->port[p].vertex_count >= 4, class_->name);
        TEST_ASSERT_TRUE(fabs(class_->normal[p][0]) <= 1.0);
        for (int32_t i = 0; i < class_->port[p].vertex_count; i++) {
            int32_t v = class_->port[p].vertex[i];
            TEST_ASSERT_EQUAL_INT_MESSAGE(0, taken[v], class_->name);
            taken[v] = 1;
        }
    }
    free(taken);
}

static void check_instances(const char *name, const pal_domain_body *body) {
    for (int32_t k = 0; k < body->class_count; k++) {
        check_class(&body->class_[k]);
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(-1, body->domain[0].parent, name);
    for (int32_t i = 1; i < body->domain_count; i++) {
        const pal_domain *d = &body->domain[i];
        TEST_ASSERT_TRUE_MESSAGE(d->parent >= 0 && d->parent < i, body->domain_name[i]);
        TEST_ASSERT_TRUE(d->port < body->class_[body->domain[d->parent].kind].port_count);
        TEST_ASSERT_TRUE(d->scale > 0.1 && d->scale < 10.0);
        for (int r = 0; r < 3; r++) { // a rotation
            for (int c = 0; c < 3; c++) {
                double dot = 0.0;
                for (int k = 0; k < 3; k++) {
                    dot += d->rest[r][k] * d->rest[c][k];
                }
                TEST_ASSERT_DOUBLE_WITHIN(1e-12, r == c ? 1.0 : 0.0, dot);
            }
        }
    }
}

static void test_the_sizes_are_those_of_the_paper(void) {
    const pal_domain_shape *shape;
    for (int i = 0; (shape = pal_domain_shape_at(i)) != NULL; i++) {
        pal_domain_body body;
        pal_domain_sizes sizes;
        pal_err err = {0};
        CHECK_OK(pal_domain_shape_make(shape->name, 1.0, &body, &err), err);
        pal_domain_body_sizes(&body, &sizes);
        if (shape->vertices > 0) {
            check_within(shape->name, "vertices", (double)sizes.vertices, shape->vertices);
            check_within(shape->name, "elements", (double)sizes.elements, shape->elements);
            TEST_ASSERT_EQUAL_INT_MESSAGE(shape->domains, sizes.domains, shape->name);
        }
        if (body.class_count > 0) {
            check_instances(shape->name, &body);
        } else {
            check_mesh(shape->name, &body.mesh);
        }
        if (shape->modes > 0 && body.class_count > 0) {
            TEST_ASSERT_EQUAL_INT_MESSAGE(shape->modes, sizes.modes, shape->name);
            TEST_ASSERT_EQUAL_INT_MESSAGE(shape->depth, sizes.depth, shape->name);
        }
        pal_domain_body_free(&body);
    }
}

static void test_the_vessels_have_more_than_a_hundred_domains_of_few_classes(void) {
    pal_domain_body body;
    pal_err err = {0};
    CHECK_OK(pal_domain_shape_make("vessels", 0.3, &body, &err), err);
    TEST_ASSERT_EQUAL_INT(127, body.domain_count);
    TEST_ASSERT_EQUAL_INT(3, body.class_count);
    pal_domain_body_free(&body);
}

static void test_the_same_shape_is_made_every_time(void) {
    const pal_domain_shape *shape;
    for (int i = 0; (shape = pal_domain_shape_at(i)) != NULL; i++) {
        pal_domain_body a, b;
        pal_err err = {0};
        CHECK_OK(pal_domain_shape_make(shape->name, 0.5, &a, &err), err);
        CHECK_OK(pal_domain_shape_make(shape->name, 0.5, &b, &err), err);
        const pal_volmesh *x = a.class_count > 0 ? &a.class_[0].mesh : &a.mesh;
        const pal_volmesh *y = b.class_count > 0 ? &b.class_[0].mesh : &b.mesh;
        TEST_ASSERT_EQUAL_INT(x->vertex_count, y->vertex_count);
        TEST_ASSERT_EQUAL_MEMORY(x->x, y->x, 3 * sizeof(double) * (size_t)x->vertex_count);
        TEST_ASSERT_EQUAL_INT(a.domain_count, b.domain_count);
        for (int32_t d = 0; d < a.domain_count; d++) {
            TEST_ASSERT_EQUAL_MEMORY(a.domain[d].rest, b.domain[d].rest, sizeof a.domain[d].rest);
        }
        pal_domain_body_free(&a);
        pal_domain_body_free(&b);
    }
}

static void test_a_whole_body_fills_a_box_of_its_size_from_the_origin(void) {
    pal_domain_body body;
    pal_mesh_quality quality;
    pal_err err = {0};
    CHECK_OK(pal_domain_shape_make("flower", 0.4, &body, &err), err);
    CHECK_OK(pal_mesh_measure(&body.mesh, &quality, &err), err);
    double longest = 0.0;
    for (int c = 0; c < 3; c++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.0, quality.box_min[c]);
        longest = fmax(longest, quality.box_max[c]);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.4, longest);
    pal_domain_body_free(&body);
}

static void test_the_list_is_sorted_and_ends(void) {
    int i = 0;
    for (; pal_domain_shape_at(i) != NULL; i++) {
        const char *name = pal_domain_shape_at(i)->name;
        TEST_ASSERT_EQUAL_PTR(pal_domain_shape_at(i), pal_domain_shape_find(name));
        TEST_ASSERT_TRUE(i == 0 || strcmp(pal_domain_shape_at(i - 1)->name, name) < 0);
    }
    TEST_ASSERT_NULL(pal_domain_shape_at(-1));
    TEST_ASSERT_NULL(pal_domain_shape_find("liver"));
}

static void test_no_memory_is_an_error(void) {
    for (long successes = 0; successes < 40; successes += 3) {
        pal_domain_body body;
        pal_err err = {0};
        pal_memory_fail_after(successes);
        pal_status status = pal_domain_shape_make("vessels", 1.0, &body, &err);
        pal_memory_fail_after(-1);
        if (status == PAL_OK) {
            TEST_ASSERT_TRUE(successes > 10);
            pal_domain_body_free(&body);
            return;
        }
        TEST_ASSERT_EQUAL_INT(PAL_ERR_MEMORY, status);
        TEST_ASSERT_EQUAL_INT(0, body.class_count);
    }
}

// ---- limbs

static void test_a_straight_limb_has_the_volume_of_its_block(void) {
    const pal_limb_point up[] = {{{0.0, 0.0, 0.5}, {0.1, 0.2}}, {{0.0, 0.0, 1.0}, {0.1, 0.2}}};
    pal_err err = {0};
    pal_limbs limbs = {.err = &err};
    int32_t limb = pal_limbs_grow(&limbs, &(pal_limb){.region = "bar",
                                                      .parent = -1,
                                                      .half = {0.1, 0.2},
                                                      .cells = {2, 3, 6},
                                                      .point_count = 2,
                                                      .point = up});
    // and a second one of half its section, out of each side
    static const pal_limb_side sides[] = {PAL_LIMB_LEFT, PAL_LIMB_RIGHT, PAL_LIMB_FRONT,
                                          PAL_LIMB_BACK};
    static const double out[][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}};
    for (int i = 0; i < 4; i++) {
        const double wide = i < 2 ? 0.4 / 3.0 : 0.1, high = 1.0 / 6.0;
        const pal_limb_point aside[] = {
            {{0.3 * out[i][0], 0.3 * out[i][1], 0.0}, {0.5 * wide, 0.5 * high}}};
        pal_limbs_grow(&limbs, &(pal_limb){.region = "arm",
                                           .parent = limb,
                                           .side = sides[i],
                                           .at = {1, 2},
                                           .cells = {1, 1, 3},
                                           .point_count = 1,
                                           .point = aside});
    }
    pal_volmesh mesh;
    pal_mesh_quality quality;
    CHECK_OK(pal_limbs_mesh(&limbs, &mesh, &err), err);
    CHECK_OK(pal_mesh_measure(&mesh, &quality, &err), err);
    double arms = 0.3 / 6.0 * 2.0 * (0.4 / 3.0 + 0.1);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.2 * 0.4 * 1.0 + arms, quality.volume);
    TEST_ASSERT_EQUAL_INT(1, quality.face_components);
    TEST_ASSERT_EQUAL_INT(2, mesh.region_count);
    TEST_ASSERT_EQUAL_INT(6 * (36 + 12), mesh.element_count);
    TEST_ASSERT_EQUAL_INT(3 * 4 * 7 + 4 * 4 * 3, mesh.vertex_count);
    pal_volmesh_free(&mesh);
    pal_limbs_free(&limbs);
}

static void test_a_patch_off_its_parent_is_an_error(void) {
    const pal_limb_point up[] = {{{0.0, 0.0, 1.0}, {0.1, 0.1}}};
    pal_err err = {0};
    pal_limbs limbs = {.err = &err};
    pal_limb bar = {.region = "bar",
                    .parent = -1,
                    .half = {0.1, 0.1},
                    .cells = {2, 2, 4},
                    .point_count = 1,
                    .point = up};
    int32_t limb = pal_limbs_grow(&limbs, &bar);
    bar.parent = limb;
    bar.side = PAL_LIMB_RIGHT;
    bar.at[1] = 3; // and two cells from there on, of four
    pal_limbs_grow(&limbs, &bar);
    pal_volmesh mesh;
    TEST_ASSERT_NOT_EQUAL(PAL_OK, pal_limbs_mesh(&limbs, &mesh, &err));
    TEST_ASSERT_NOT_NULL(strstr(err.text, "off its face"));
    pal_limbs_free(&limbs);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_sizes_are_those_of_the_paper);
    RUN_TEST(test_the_vessels_have_more_than_a_hundred_domains_of_few_classes);
    RUN_TEST(test_the_same_shape_is_made_every_time);
    RUN_TEST(test_a_whole_body_fills_a_box_of_its_size_from_the_origin);
    RUN_TEST(test_the_list_is_sorted_and_ends);
    RUN_TEST(test_no_memory_is_an_error);
    RUN_TEST(test_a_straight_limb_has_the_volume_of_its_block);
    RUN_TEST(test_a_patch_off_its_parent_is_an_error);
    return UNITY_END();
}
