// A tree of domains as one mesh again: what was cut is whole.
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/basis/eigen.h"
#include "sim/model/tree_unite.h"
#include "tests/support/beam_tree.h"
#include "tests/support/block_body.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

// Its lowest frequency; frees it.
static double lowest_of(pal_fem *fem) {
    pal_err err = {0};
    pal_modes modes;
    CHECK_OK(pal_modes_solve(fem, 1, NULL, &modes, &err), err);
    const double hz = pal_mode_hz(modes.lambda[0]);
    pal_modes_free(&modes);
    pal_fem_free(fem);
    return hz;
}

static double lowest_hz(const pal_volmesh *mesh, const pal_material *material,
                        const uint8_t *held) {
    pal_err err = {0};
    pal_fem fem;
    CHECK_OK(pal_fem_init(&fem, mesh, material, held, PAL_MASS_CONSISTENT, &err), err);
    return lowest_of(&fem);
}

static double united_hz(const pal_tree_united *united) {
    pal_err err = {0};
    pal_fem fem;
    CHECK_OK(pal_tree_united_fem(united, false, &fem, &err), err);
    return lowest_of(&fem);
}

static void check_whole(const beam_tree *beam) {
    pal_err err = {0};
    pal_tree_model tree;
    pal_tree_united united;
    pal_volmesh mesh;
    beam_tree_mesh(beam, &mesh);
    beam_tree_bake(beam, &tree, NULL);
    CHECK_OK(pal_tree_unite(&tree, NULL, &united, &err), err);
    TEST_ASSERT_EQUAL_INT(mesh.vertex_count, united.model.mesh.vertex_count);
    TEST_ASSERT_EQUAL_INT(mesh.element_count, united.model.mesh.element_count);
    uint8_t *held = block_held(&mesh);
    const double hz = lowest_hz(&mesh, &beam_tree_material, held);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6 * hz, hz, united_hz(&united));
    // A vertex is where the domain that it is named after has it
    double x[3 * 8], turn[9 * 8];
    pal_tree_rest_frames(&tree.tree, x, turn);
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        const int32_t d = united.domain[v];
        const double *rest = tree.body[tree.domain[d].kind].mesh.x + 3 * (int64_t)united.vertex[v];
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, x[3 * d] + turn[9 * d] * rest[0],
                                  united.model.mesh.x[3 * (int64_t)v]);
    }
    free(held);
    pal_tree_united_free(&united);
    pal_tree_model_free(&tree);
    pal_volmesh_free(&mesh);
}

static void test_a_beam_cut_in_four_is_the_beam_again(void) {
    check_whole(&(beam_tree){.domains = 4, .elements = 8, .r = 4, .boundary = true});
}

static void test_so_are_instances_of_one_class(void) {
    check_whole(&(beam_tree){.domains = 2, .elements = 8, .r = 4, .one_class = true});
}

static void test_so_are_voxels(void) {
    check_whole(&(beam_tree){.domains = 4, .elements = 8, .r = 4, .voxels = true});
}

static void test_a_part_ends_where_it_is_wanted_and_is_as_stiff_as_its_factor(void) {
    pal_err err = {0};
    pal_tree_model tree;
    pal_tree_united united;
    const bool two[4] = {true, true, false, false};
    pal_test_beam_tree(4, 8, 4, true, &tree);
    CHECK_OK(pal_tree_unite(&tree, &(pal_unite_options){.wanted = two}, &united, &err), err);
    TEST_ASSERT_EQUAL_INT(5 * 9, united.model.mesh.vertex_count); // layers of 3 x 3
    TEST_ASSERT_EQUAL_INT(4 * 9, (int)pal_tree_free_vertices(&tree, two));
    const double hz = united_hz(&united);
    // Triangles are those among all domains: those of the first two come first
    TEST_ASSERT_EQUAL_INT(united.model.surface.triangle_count - 1,
                          united.triangle[united.model.surface.triangle_count - 1]);
    pal_tree_united_free(&united);
    tree.domain[0].stiffness = tree.domain[1].stiffness = 4.0;
    CHECK_OK(pal_tree_unite(&tree, &(pal_unite_options){.wanted = two}, &united, &err), err);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6 * hz, 2.0 * hz, united_hz(&united));
    pal_tree_united_free(&united);
    pal_tree_model_free(&tree);
}

// A smaller face on a larger one: its middle is merged, the other vertices are carried.
static void test_vertices_that_do_not_meet_are_carried_by_the_parent(void) {
    pal_err err = {0};
    pal_tree_model tree;
    pal_tree_united united;
    pal_fem fem;
    for (int voxels = 0; voxels < 2; voxels++) {
        beam_tree_bake(&(beam_tree){.domains = 2, .elements = 16, .r = 4, .voxels = voxels}, &tree,
                       NULL);
        CHECK_OK(pal_tree_unite(&tree, NULL, &united, &err), err);
        const double whole = united_hz(&united);
        TEST_ASSERT_EQUAL_INT(0, united.ties.count);
        pal_tree_united_free(&united);
        tree.domain[1].scale = 0.99;
        CHECK_OK(pal_tree_unite(&tree, NULL, &united, &err), err);
        TEST_ASSERT_EQUAL_INT(8, united.ties.count);
        TEST_ASSERT_EQUAL_INT(17 * 9 + 8, united.model.mesh.vertex_count);
        TEST_ASSERT_TRUE(united.beside < 1e-9);
        CHECK_OK(pal_tree_united_fem(&united, false, &fem, &err), err);
        TEST_ASSERT_EQUAL_INT((int)pal_tree_free_vertices(&tree, NULL), fem.free_count);
        TEST_ASSERT_DOUBLE_WITHIN(0.03 * whole, whole, united_hz(&united)); // shorter and lighter
        pal_fem_free(&fem);
        pal_tree_united_free(&united);
        pal_tree_model_free(&tree);
    }
}

static void test_rigid_domains_are_stiff_where_that_is_asked_for(void) {
    pal_err err = {0};
    pal_tree_model tree;
    pal_tree_united united;
    beam_tree_bake(&(beam_tree){.domains = 2, .elements = 4, .r = 0}, &tree, NULL);
    TEST_ASSERT_EQUAL_INT(PAL_ERR_UNSUPPORTED, pal_tree_unite(&tree, NULL, &united, &err));
    TEST_ASSERT_NOT_NULL(strstr(err.text, "rigid"));
    CHECK_OK(pal_tree_unite(&tree, &(pal_unite_options){.rigid = 1.0}, &united, &err), err);
    const double hz = united_hz(&united);
    pal_tree_united_free(&united);
    CHECK_OK(pal_tree_unite(&tree, &(pal_unite_options){.rigid = 1e4}, &united, &err), err);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6 * hz, 100.0 * hz, united_hz(&united));
    pal_tree_united_free(&united);
    pal_tree_model_free(&tree);
}

static void test_what_does_not_touch_its_parent_is_refused_by_name(void) {
    pal_err err = {0};
    pal_tree_model tree;
    pal_tree_united united;
    pal_test_beam_tree(2, 4, 4, true, &tree);
    tree.class_[0].port[0].x[0] += 3.0;
    TEST_ASSERT_EQUAL_INT(PAL_ERR_UNSUPPORTED, pal_tree_unite(&tree, NULL, &united, &err));
    TEST_ASSERT_NOT_NULL(strstr(err.text, "beside the mesh of"));
    TEST_ASSERT_NOT_NULL(strstr(err.text, tree.domain_name[1]));
    pal_tree_model_free(&tree);
}

static void test_a_lack_of_memory_is_told(void) {
    pal_err err = {0};
    pal_tree_model tree;
    pal_tree_united united;
    pal_status status = PAL_ERR_MEMORY;
    pal_test_beam_tree(2, 4, 4, true, &tree);
    tree.domain[1].scale = 0.9;
    for (long passes = 0; status == PAL_ERR_MEMORY && passes < 200; passes++) {
        pal_memory_fail_after(passes);
        status = pal_tree_unite(&tree, NULL, &united, &err);
        pal_memory_fail_after(-1);
    }
    CHECK_OK(status, err);
    pal_tree_united_free(&united);
    pal_tree_model_free(&tree);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_beam_cut_in_four_is_the_beam_again);
    RUN_TEST(test_so_are_instances_of_one_class);
    RUN_TEST(test_so_are_voxels);
    RUN_TEST(test_a_part_ends_where_it_is_wanted_and_is_as_stiff_as_its_factor);
    RUN_TEST(test_vertices_that_do_not_meet_are_carried_by_the_parent);
    RUN_TEST(test_rigid_domains_are_stiff_where_that_is_asked_for);
    RUN_TEST(test_what_does_not_touch_its_parent_is_refused_by_name);
    RUN_TEST(test_a_lack_of_memory_is_told);
    return UNITY_END();
}
