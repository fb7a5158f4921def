#include "sim/base/material.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

static const pal_material sound = {12e3, 0.45, 1060.0};

static void test_lame_constants_invert_to_young_and_poisson(void) {
    double lambda = pal_material_lambda(&sound), mu = pal_material_mu(&sound);
    double young = mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu);
    double poisson = lambda / (2.0 * (lambda + mu));
    TEST_ASSERT_EQUAL_DOUBLE(sound.young, young);
    TEST_ASSERT_EQUAL_DOUBLE(sound.poisson, poisson);
}

static void refuse(pal_material material, const char *part) {
    pal_err err = {.status = PAL_OK};
    CHECK_FAILS(PAL_ERR_INPUT, part, pal_material_check(&material, "region 'bone'", &err), err);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "region 'bone'"), err.text);
    TEST_ASSERT_EQUAL_INT(PAL_ERR_INPUT, pal_material_check(&material, "region 'bone'", NULL));
}

static void test_impossible_constants_are_refused_by_name(void) {
    const double bad[] = {0.0, -1.0, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        refuse((pal_material){bad[i], 0.3, 1000.0}, "Young");
        refuse((pal_material){1e5, 0.3, bad[i]}, "density");
    }
    const double bad_poisson[] = {0.5, 0.6, -1.0, NAN, INFINITY};
    for (size_t i = 0; i < sizeof bad_poisson / sizeof *bad_poisson; i++) {
        refuse((pal_material){1e5, bad_poisson[i], 1000.0}, "Poisson");
    }
}

static void test_sound_constants_pass(void) {
    pal_err err = {.status = PAL_OK};
    CHECK_OK(pal_material_check(&sound, "liver", &err), err);
    const pal_material auxetic = {1.0, -0.99, 1e-3};
    CHECK_OK(pal_material_check(&auxetic, "foam", &err), err);
}

static void test_every_preset_is_sound_and_found_by_its_name(void) {
    int count = 0;
    for (const pal_material_preset *p; (p = pal_material_preset_at(count)) != NULL; count++) {
        pal_err err = {.status = PAL_OK};
        CHECK_OK(pal_material_check(&p->material, p->name, &err), err);
        TEST_ASSERT_EQUAL_PTR(p, pal_material_find_preset(p->name));
        TEST_ASSERT_TRUE_MESSAGE(p->source != NULL && p->source[0] != '\0', p->name);
    }
    TEST_ASSERT_GREATER_THAN(3, count);
    TEST_ASSERT_NULL(pal_material_preset_at(-1));
    TEST_ASSERT_NULL(pal_material_find_preset("no such stuff"));
    TEST_ASSERT_NULL(pal_material_find_preset(""));
}

static void test_the_liver_is_soft_and_steel_is_stiff(void) {
    TEST_ASSERT_EQUAL_DOUBLE(12e3, pal_material_find_preset("liver")->material.young);
    TEST_ASSERT_EQUAL_DOUBLE(200e9, pal_material_find_preset("steel")->material.young);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_lame_constants_invert_to_young_and_poisson);
    RUN_TEST(test_impossible_constants_are_refused_by_name);
    RUN_TEST(test_sound_constants_pass);
    RUN_TEST(test_every_preset_is_sound_and_found_by_its_name);
    RUN_TEST(test_the_liver_is_soft_and_steel_is_stiff);
    return UNITY_END();
}
