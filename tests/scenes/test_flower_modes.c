// The flower, cut into its domains, has the lowest frequencies of the whole flower.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "scenes/scene.h"
#include "sim/basis/eigen.h"
#include "sim/substruct/tree_modes.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { LOWEST = 3 };

static void whole_frequencies(const pal_scene *scene, double *hz) {
    pal_err err = {0};
    pal_scene_tree built;
    pal_fem fem;
    pal_modes modes;
    CHECK_OK(pal_scene_tree_build(scene, NULL, &built, &err), err);
    CHECK_OK(pal_fem_init(&fem, &built.body.mesh, built.body.material, built.body.held,
                          scene->mass_kind, &err),
             err);
    CHECK_OK(pal_modes_solve(&fem, LOWEST, NULL, &modes, &err), err);
    for (int k = 0; k < LOWEST; k++) {
        hz[k] = pal_mode_hz(modes.lambda[k]);
    }
    pal_modes_free(&modes);
    pal_fem_free(&fem);
    pal_scene_tree_free(&built);
}

static void test_the_flower_has_the_frequencies_of_the_whole(void) {
    static const char *const name[3] = {"interface", "centre", "exact"};
    pal_err err = {0};
    pal_scene scene;
    pal_tree_model model;
    double hz[3][LOWEST], whole[LOWEST], off[3];
    CHECK_OK(pal_scene_read("flower", &scene, &err), err);
    CHECK_OK(pal_scene_tree_bake(&scene, NULL, &model, NULL, NULL, &err), err);
    whole_frequencies(&scene, whole);
    for (int32_t i = 0; i < model.domain_count; i++) {
        model.domain[i].stiffness = 1.0; // the flower as its mesh is
    }
    for (int inertia = 0; inertia < 3; inertia++) {
        CHECK_OK(pal_tree_frequencies(&model.tree, (pal_inertia)inertia, LOWEST, hz[inertia], &err),
                 err);
        off[inertia] = fabs(hz[inertia][0] / whole[0] - 1.0);
        printf("flower in %d domains, %-9s: %.4f %.4f %.4f Hz, over those of the whole %.4f %.4f "
               "%.4f\n",
               (int)model.domain_count, name[inertia], hz[inertia][0], hz[inertia][1],
               hz[inertia][2], hz[inertia][0] / whole[0], hz[inertia][1] / whole[1],
               hz[inertia][2] / whole[2]);
    }
    for (int k = 0; k < LOWEST; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(0.02, 1.0, hz[PAL_INERTIA_EXACT][k] / whole[k]);
    }
    TEST_ASSERT_LESS_THAN_DOUBLE(off[1], off[2]); // exact is closer than L2, and L2 than L1
    TEST_ASSERT_LESS_THAN_DOUBLE(off[0], off[1]);
    pal_tree_model_free(&model);
    pal_scene_free(&scene);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_flower_has_the_frequencies_of_the_whole);
    return UNITY_END();
}
