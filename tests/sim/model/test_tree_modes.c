// Laws of classes put together: a cut body vibrates about rest as the whole one does.
#include <stdlib.h>

#include "sim/basis/eigen.h"
#include "sim/substruct/tree_modes.h"
#include "tests/support/beam_tree.h"
#include "tests/support/block_body.h"
#include "tests/support/cells.h"
#include "tests/support/check.h"
#include "tests/support/tree_vibration.h"

void setUp(void) {
}

void tearDown(void) {
}

enum { LOWEST = 3 };

static void whole_frequencies(const pal_volmesh *mesh, const uint8_t *held, double *hz) {
    pal_err err = {0};
    pal_fem fem;
    pal_modes modes;
    CHECK_OK(pal_fem_init(&fem, mesh, &beam_tree_material, held, PAL_MASS_CONSISTENT, &err), err);
    CHECK_OK(pal_modes_solve(&fem, LOWEST, NULL, &modes, &err), err);
    for (int k = 0; k < LOWEST; k++) {
        hz[k] = pal_mode_hz(modes.lambda[k]);
    }
    pal_modes_free(&modes);
    pal_fem_free(&fem);
}

static void check_frequencies(const pal_tree *tree, const pal_volmesh *mesh, const uint8_t *held,
                              double within) {
    double cut[LOWEST], whole[LOWEST];
    tree_frequencies(tree, LOWEST, cut);
    whole_frequencies(mesh, held, whole);
    for (int k = 0; k < LOWEST; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(within, 1.0, cut[k] / whole[k]);
    }
}

static void check_beam(const beam_tree *beam, double within) {
    pal_tree_model model;
    pal_volmesh mesh;
    beam_tree_bake(beam, &model, NULL);
    beam_tree_mesh(beam, &mesh);
    uint8_t *held = block_held(&mesh);
    check_frequencies(&model.tree, &mesh, beam->flies ? NULL : held, within);
    free(held);
    pal_volmesh_free(&mesh);
    pal_tree_model_free(&model);
}

static void test_a_cut_beam_vibrates_as_the_whole(void) {
    for (int32_t d = 1; d <= 8; d *= 2) {
        check_beam(&(beam_tree){.domains = d, .elements = 32, .r = 12, .boundary = true}, 0.015);
    }
}

static void test_a_cut_beam_in_free_flight_vibrates_as_the_whole(void) {
    for (int32_t d = 1; d <= 8; d *= 2) {
        check_beam(
            &(beam_tree){.domains = d, .elements = 32, .r = 12, .boundary = true, .flies = true},
            0.015);
    }
}

static void test_instances_of_one_class_vibrate_as_the_whole(void) {
    for (int32_t d = 2; d <= 8; d *= 2) {
        check_beam(
            &(beam_tree){
                .domains = d, .elements = 32, .r = 12, .boundary = true, .one_class = true},
            0.015);
    }
}

// A stem along x that carries two arms of different length: a domain with two ports.
static void fork_open(pal_volmesh *mesh, int32_t **label) {
    enum { STEM = 12, THICK = 2, LEFT = 6, RIGHT = 10, WIDE = LEFT + THICK + RIGHT };
    const int32_t n[3] = {STEM, WIDE, THICK};
    char map[STEM * WIDE * THICK + 1] = "";
    for (int e = 0; e < STEM * WIDE * THICK; e++) {
        int x = e % STEM, y = e / STEM % WIDE;
        char side = y < LEFT ? 'b' : y < LEFT + THICK ? 'a' : 'c';
        map[e] = side == 'a' || x >= STEM - THICK ? side : '.';
    }
    cells_open(n, 1.0 / STEM, map, mesh, label);
}

// Bakes the body cut so, every class of size r, and compares it with the whole.
static void check_cut(const pal_partition_spec *cut, int32_t r, double within) {
    pal_partition partition;
    pal_tree_model model;
    pal_err err = {0};
    CHECK_OK(pal_partition_make(cut, &partition, &err), err);
    pal_class_spec *class_ = calloc((size_t)partition.class_count, sizeof *class_);
    for (int k = 0; k < partition.class_count; k++) {
        class_[k] = (pal_class_spec){
            .name = "part",
            .material = &beam_tree_material,
            .basis = {.kind = PAL_BASIS_BOUNDARY, .size = r, .modes = (r + 1) / 2}};
        pal_class_spec_take_part(&class_[k], &partition.part[k]);
    }
    pal_tree_spec spec = {.name = "tree", .scene_text = ""};
    pal_tree_spec_take_partition(&spec, &partition, class_);
    CHECK_OK(pal_tree_bake(&spec, NULL, &model, NULL, &err), err);
    check_frequencies(&model.tree, cut->mesh, cut->fixed, within);
    pal_tree_model_free(&model);
    pal_partition_free(&partition);
    free(class_);
}

static void test_a_fork_vibrates_as_the_whole(void) {
    static const int32_t sizes[] = {12, 20, 26}; // the last with all 12 boundary modes
    pal_volmesh mesh;
    int32_t *label;
    fork_open(&mesh, &label);
    uint8_t *held = block_held(&mesh);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const pal_partition_spec cut = {
            .mesh = &mesh, .label_count = 3, .label = label, .fixed = held, .root = -1};
        check_cut(&cut, sizes[k], 0.015);
    }
    free(label);
    free(held);
    pal_volmesh_free(&mesh);
}

// A bar along x with many thin teeth: one domain with 20 ports, the teeth of one class. (Thin,
// since teeth do not stiffen the bar as they would if their roots were whole.)
static void test_a_comb_vibrates_as_the_whole(void) {
    enum { TEETH = 20, APART = 4, LONG = APART * TEETH, THICK = 4, HIGH = 4 };
    const int32_t n[3] = {LONG, THICK + HIGH, 1};
    char map[LONG * (THICK + HIGH) + 1] = "";
    int32_t class_of[TEETH + 1], *label;
    pal_volmesh mesh;
    for (int e = 0; e < LONG * (THICK + HIGH); e++) {
        int x = e % LONG, y = e / LONG;
        map[e] = (char)(y < THICK ? 'a' : x % APART == 1 ? 'b' + x / APART : '.');
    }
    for (int k = 0; k <= TEETH; k++) {
        class_of[k] = k > 0;
    }
    cells_open(n, 0.01, map, &mesh, &label);
    uint8_t *held = block_held(&mesh);
    const pal_partition_spec cut = {.mesh = &mesh,
                                    .label_count = TEETH + 1,
                                    .label = label,
                                    .fixed = held,
                                    .root = -1,
                                    .class_count = 2,
                                    .class_of = class_of};
    check_cut(&cut, 20, 0.015);
    free(label);
    free(held);
    pal_volmesh_free(&mesh);
}

// A tree of more modes than are solved densely, and one of fewer.
static void test_frequencies_of_the_running_tree_are_those_of_its_matrices(void) {
    enum { LARGE = 32, SMALL = 4 };
    for (int flies = 0; flies < 2; flies++) {
        for (int32_t d = SMALL; d <= LARGE; d *= LARGE / SMALL) {
            pal_err err = {0};
            pal_tree_model model;
            double running[LOWEST], matrices[LOWEST];
            const beam_tree beam = {
                .domains = d, .elements = 32, .r = 12, .boundary = true, .flies = flies};
            beam_tree_bake(&beam, &model, NULL);
            tree_frequencies(&model.tree, LOWEST, matrices);
            CHECK_OK(pal_tree_frequencies(&model.tree, PAL_INERTIA_EXACT, LOWEST, running, &err),
                     err);
            for (int k = 0; k < LOWEST; k++) {
                TEST_ASSERT_DOUBLE_WITHIN(1e-8 * matrices[k], matrices[k], running[k]);
            }
            for (int32_t c = 0; c < model.class_count; c++) { // damping is no part of it
                model.class_[c].alpha = 3.0;
                model.class_[c].beta = 0.01;
            }
            CHECK_OK(pal_tree_frequencies(&model.tree, PAL_INERTIA_EXACT, LOWEST, running, &err),
                     err);
            TEST_ASSERT_DOUBLE_WITHIN(1e-8 * matrices[0], matrices[0], running[0]);
            pal_tree_model_free(&model);
        }
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_cut_beam_vibrates_as_the_whole);
    RUN_TEST(test_a_cut_beam_in_free_flight_vibrates_as_the_whole);
    RUN_TEST(test_instances_of_one_class_vibrate_as_the_whole);
    RUN_TEST(test_a_fork_vibrates_as_the_whole);
    RUN_TEST(test_a_comb_vibrates_as_the_whole);
    RUN_TEST(test_frequencies_of_the_running_tree_are_those_of_its_matrices);
    return UNITY_END();
}
