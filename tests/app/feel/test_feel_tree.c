// The feel of a body of domains: a strip held at one end, cut in four, and one that flies.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/feel/feel_truth_parts.h"
#include "tests/support/check.h"
#include "tests/support/sanitized.h"
#include "tests/support/strip_scene.h"

// 120 x 30 x 20 mm, pressed from above near its free end; each domain is 30 mm long.
#define TREE_OF(held, density, modes, probe)                                                       \
    "palpate: 1\nname: strip\nbody:\n  shape: {name: strip, size: 0.12 m}\n  voxels: 12\n  " held  \
    "  material: {young: 200 kPa, poisson: 0.4, density: " density " kg/m3}\n"                     \
    "  damping: {mass: 2 1/s, stiffness: 5 ms}\n"                                                  \
    "  domains: {auto: 4, cut: axis, modes: {each: " modes "}, boundary: true}\n"                  \
    "device: {profile: touch, grip: firm}\ntool: {radius: 5 mm}\n" probe
// The voxels of 10 mm that hold the strip reach up to 30 mm: the tool begins above them.
#define PRESS_FROM_ABOVE                                                                           \
    "probe:\n  - {move: [95 mm, 15 mm, 45 mm], seconds: 0.1 s}\n"                                  \
    "  - {press: [95 mm, 15 mm, 22 mm], seconds: 0.3 s}\n"
#define HELD_OF(modes) TREE_OF("fixed: x<0.001\n", "1000", modes, PRESS_FROM_ABOVE)
#define HELD           HELD_OF("10")

static char path[256];

void setUp(void) {
    check_use_cache();
    snprintf(path, sizeof path, "%s", check_scratch("strip.yaml"));
}
void tearDown(void) {
}

static void judge(pal_feel *feel, const char *text, pal_feel_wish wish) {
    pal_err err = {0};
    wish.seed = -1;
    strip_scene_write(path, text);
    CHECK_OK(pal_feel_open(feel, path, &wish, NULL, &err), err);
    CHECK_OK(pal_feel_run(feel, NULL, &err), err);
    CHECK_OK(pal_feel_judge(feel, NULL, &err), err);
}

static const pal_score *score_of(const pal_feel *feel, pal_metric_id metric) {
    const pal_score *score = pal_scorecard_worst(&feel->card, metric);
    TEST_ASSERT_NOT_NULL_MESSAGE(score, pal_metric_at(metric)->key);
    return score;
}

static void passes(const pal_feel *feel, pal_metric_id metric) {
    const pal_score *score = score_of(feel, metric);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PAL_VERDICT_PASS, score->verdict, score->note);
}

// The model's own force over that of full elements, in the mean.
static double over_full(const pal_feel_trial *trial) {
    const pal_feel_truth *t = &trial->truth;
    double up = 0.0, down = 0.0;
    for (int64_t k = 0; k < trial->seen.count; k++) {
        if (isfinite(t->full[3 * k + 2])) {
            up += t->own[3 * k + 2] * t->full[3 * k + 2];
            down += t->full[3 * k + 2] * t->full[3 * k + 2];
        }
    }
    TEST_ASSERT_TRUE(down > 0.0);
    printf("%s: own / full %.4f, %s\n", trial->name, up / down, t->full_note);
    return up / down;
}

// Pressed near its free end the strip mostly bends: its own force is that of all its elements,
// joined, by 5 % or so (its interfaces are rigid, and it is thick).
static void test_it_is_pressed_and_bends_as_the_united_elements_do(void) {
    const double off = SANITIZED_OR(0.5, 0.10); // few modes are too stiff
    pal_feel feel;
    judge(&feel, HELD_OF(SANITIZED_TEXT("10", "20")), (pal_feel_wish){.only = "press,bend"});
    TEST_ASSERT_NOT_NULL(strstr(feel.trial[0].truth.full_note, "of 4 domains"));
    TEST_ASSERT_NOT_NULL(strstr(feel.trial[1].truth.full_note, "5 forces"));
    TEST_ASSERT_DOUBLE_WITHIN(off, 1.0, over_full(&feel.trial[0]));
    TEST_ASSERT_DOUBLE_WITHIN(off, 1.0, over_full(&feel.trial[1]));
    passes(&feel, PAL_METRIC_ENERGY);
    passes(&feel, PAL_METRIC_LEAK);
    passes(&feel, PAL_METRIC_POP_THROUGH);
    pal_feel_close(&feel);
}

// The tool of this trial is borne by two domains, one after the other, and feels no border.
static void test_a_slide_crosses_a_border_of_domains_and_feels_none(void) {
    pal_feel feel;
    pal_truth_walk walk;
    pal_err err = {0};
    judge(&feel, HELD, (pal_feel_wish){.only = "domains", .quick = true});
    CHECK_OK(pal_truth_walk_open(&walk, &feel, &feel.trial[0].trace, false, NULL, &err), err);
    const pal_feel_window slide = pal_feel_slide(&feel.trial[0].seen);
    TEST_ASSERT_TRUE(slide.first < slide.last);
    int64_t borne[2] = {0, 0};
    const int32_t first = feel.domain[walk.triangle[slide.first]];
    for (int64_t k = slide.first; k <= slide.last; k++) {
        borne[walk.triangle[k] >= 0 && feel.domain[walk.triangle[k]] != first]++;
    }
    TEST_ASSERT_TRUE(borne[0] > 200 && borne[1] > 200);
    passes(&feel, PAL_METRIC_FORCE_STEP);
    passes(&feel, PAL_METRIC_EDGE_ANGLE);
    passes(&feel, PAL_METRIC_EDGE_JERK);
    pal_truth_walk_close(&walk);
    pal_feel_close(&feel);
}

// (Of a hard strip without dents: a soft one gives way before the coupling does.)
static void test_a_coupling_too_stiff_for_the_device_fails_on_a_tree_too(void) {
    if (IS_SANITIZED) {
        TEST_IGNORE_MESSAGE("too long for a sanitizer; nothing here is not in the trials above");
    }
    const pal_feel_wish hard = {.only = "hold", .quick = true, .friction = -1.0, .young = 3e7};
    pal_feel feel;
    judge(&feel, HELD "local: {way: none}\n", hard);
    passes(&feel, PAL_METRIC_BUZZ);
    pal_feel_close(&feel);
    judge(&feel, HELD "local: {way: none}\ncoupling: {stiffness: 20 kN/m}\n", hard);
    TEST_ASSERT_EQUAL_INT(PAL_VERDICT_FAIL, score_of(&feel, PAL_METRIC_BUZZ)->verdict);
    pal_feel_close(&feel);
}

// The square of its frequencies is its stiffness.
static void test_four_times_as_stiff_is_as_wished(void) {
    double square[2];
    strip_scene_write(path, HELD);
    for (int k = 0; k < 2; k++) {
        const double young = k == 0 ? 50e3 : 200e3;
        const pal_feel_wish wish = {.seed = -1, .only = "free", .young = young};
        pal_feel feel;
        pal_err err = {0};
        CHECK_OK(pal_feel_open(&feel, path, &wish, NULL, &err), err);
        TEST_ASSERT_DOUBLE_WITHIN(1.0, young, feel.material[0].young);
        square[k] = feel.model.frequencies_hz[0] * feel.model.frequencies_hz[0];
        pal_feel_close(&feel);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 4.0, square[1] / square[0]);
}

static void test_what_flies_is_tapped_alone_and_says_so(void) {
    pal_feel feel;
    const pal_feel_wish wish = {.seed = -1};
    pal_err err = {0};
    strip_scene_write(path, TREE_OF("free: true\n", "1000", "10", PRESS_FROM_ABOVE));
    CHECK_OK(pal_feel_open(&feel, path, &wish, NULL, &err), err);
    TEST_ASSERT_EQUAL_INT(4, feel.trial_count); // free, three taps
    TEST_ASSERT_EQUAL_INT(1, feel.left_out_count);
    TEST_ASSERT_NOT_NULL(strstr(feel.left_out[0].why, "push it away"));
    pal_feel_close(&feel);
}

// A chain of domains as light as paper goes where the hand pushes it: nothing but its own inertia
// is felt.
static void test_the_hand_feels_no_more_of_a_light_body_than_pushes_it(void) {
    pal_feel feel;
    judge(&feel, TREE_OF("free: true\n", "110", "10", PRESS_FROM_ABOVE), (pal_feel_wish){0});
    passes(&feel, PAL_METRIC_PUSH);
    pal_feel_close(&feel);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_it_is_pressed_and_bends_as_the_united_elements_do);
    RUN_TEST(test_a_slide_crosses_a_border_of_domains_and_feels_none);
    RUN_TEST(test_a_coupling_too_stiff_for_the_device_fails_on_a_tree_too);
    RUN_TEST(test_four_times_as_stiff_is_as_wished);
    RUN_TEST(test_what_flies_is_tapped_alone_and_says_so);
    RUN_TEST(test_the_hand_feels_no_more_of_a_light_body_than_pushes_it);
    return UNITY_END();
}
