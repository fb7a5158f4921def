// Laws of a baked tree of domains.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/parallel.h"
#include "tests/support/beam_tree.h"
#include "tests/support/check.h"

void setUp(void) {
}

void tearDown(void) {
    pal_set_thread_count(0);
}

static void test_masses_of_the_domains_are_that_of_the_body(void) {
    for (int voxels = 0; voxels < 2; voxels++) {
        const beam_tree beam = {
            .domains = 4, .elements = 16, .r = 8, .boundary = true, .voxels = voxels};
        pal_tree_model model;
        double sum = 0.0;
        beam_tree_bake(&beam, &model, NULL);
        for (int32_t i = 0; i < model.domain_count; i++) {
            sum += model.class_[model.domain[i].kind].mass;
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-10, 1000.0 * 2.0 * 2.0 / (16.0 * 16.0), sum);
        pal_tree_model_free(&model);
    }
}

// U^T M U = I, as the run time has it.
static void check_orthonormal(const pal_domain_class *class_) {
    for (int32_t l = 0; l < class_->r; l++) {
        for (int32_t p = 0; p < class_->r; p++) {
            const double *uu = class_->uu + 9 * (l * class_->r + p);
            TEST_ASSERT_DOUBLE_WITHIN(1e-10, l == p, uu[0] + uu[4] + uu[8]);
        }
    }
}

static void test_bases_are_mass_orthonormal(void) {
    static const beam_tree beams[] = {
        {.domains = 3, .elements = 12, .r = 12, .boundary = true},
        {.domains = 3, .elements = 12, .r = 20, .boundary = true},
        {.domains = 3, .elements = 12, .r = 7, .boundary = false, .voxels = true},
        {.domains = 3, .elements = 12, .r = 20, .boundary = true, .flies = true},
        {.domains = 3, .elements = 12, .r = 30, .boundary = true, .modes = 4},
    };
    for (size_t k = 0; k < sizeof beams / sizeof *beams; k++) {
        pal_tree_model model;
        beam_tree_bake(&beams[k], &model, NULL);
        for (int32_t c = 0; c < model.class_count; c++) {
            TEST_ASSERT_EQUAL_INT(beams[k].r, model.class_[c].r);
            check_orthonormal(&model.class_[c]);
        }
        pal_tree_model_free(&model);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_masses_of_the_domains_are_that_of_the_body);
    RUN_TEST(test_bases_are_mass_orthonormal);
    return UNITY_END();
}
