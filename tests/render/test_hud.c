// What is over the picture: keys and their help, instruments, sliders.
#include "render/hud.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/slider_panel.h"
#include "render/studio.h"
#include "render/ui_keys.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

// ---- keys

static void test_every_action_has_a_key_and_no_key_has_two(void) {
    int entries[PAL_UI_ACTIONS] = {0};
    for (int i = 0; pal_ui_key_at(i) != NULL; i++) {
        const pal_ui_key *key = pal_ui_key_at(i);
        entries[key->action]++;
        TEST_ASSERT_TRUE_MESSAGE(key->name != NULL && key->does != NULL, "no words for a key");
        for (unsigned where = PAL_UI_IN_RUN; where <= PAL_UI_IN_EDIT; where <<= 1) {
            if ((key->where & where) == 0) {
                continue;
            }
            for (int c = 0; c < 2 && key->character[c] != 0; c++) {
                const unsigned char character = (unsigned char)key->character[c];
                TEST_ASSERT_EQUAL_PTR(key, pal_ui_key_of_character(character, where));
            }
            if (key->key != PAL_KEY_NONE) {
                TEST_ASSERT_EQUAL_PTR(key, pal_ui_key_of_key(key->key, where));
            }
        }
    }
    for (int a = 0; a < PAL_UI_ACTIONS; a++) {
        TEST_ASSERT_EQUAL_INT(1, entries[a]);
    }
    TEST_ASSERT_EQUAL_PTR(pal_ui_key_of_character('m', PAL_UI_IN_RUN),
                          pal_ui_key_of_character('M', PAL_UI_IN_RUN));
    TEST_ASSERT_NULL(pal_ui_key_of_character('m', PAL_UI_IN_SKETCH));
    TEST_ASSERT_NULL(pal_ui_key_of_character('~', PAL_UI_IN_RUN));
}

// ---- instruments

static void fill(pal_snapshot *shot, uint64_t tick) {
    shot->tick = tick;
    shot->hand_count = 1;
    shot->strain = 1e-3 * (double)tick;
    for (uint64_t k = 0; k < PAL_SNAPSHOT_RECENT && k <= tick; k++) {
        shot->hand[0].recent[(tick - k) % PAL_SNAPSHOT_RECENT] = (float)((tick - k) % 100) * 0.01F;
    }
}

static void test_the_scope_misses_no_tick_between_two_frames(void) {
    pal_hud *hud = calloc(1, sizeof *hud);
    pal_snapshot *shot = calloc(1, sizeof *shot);
    pal_hud_init(hud);
    for (uint64_t tick = 0; tick < 3000; tick += 17) {
        fill(shot, tick);
        pal_hud_feed(hud, shot);
    }
    for (uint64_t slot = 10; slot < 180; slot++) {
        float low = INFINITY, high = -INFINITY;
        for (uint64_t t = slot * PAL_HUD_SLOT; t < (slot + 1) * PAL_HUD_SLOT; t++) {
            low = fminf(low, (float)(t % 100) * 0.01F);
            high = fmaxf(high, (float)(t % 100) * 0.01F);
        }
        TEST_ASSERT_EQUAL_FLOAT(low, hud->low[0][slot]);
        TEST_ASSERT_EQUAL_FLOAT(high, hud->high[0][slot]);
    }

    // After a long pause what was not seen is not made up
    fill(shot, 6000);
    pal_hud_feed(hud, shot);
    TEST_ASSERT_TRUE(isnan(hud->high[0][4000 / PAL_HUD_SLOT]));
    TEST_ASSERT_FALSE(isnan(hud->high[0][5900 / PAL_HUD_SLOT]));
    pal_hud_feed(hud, shot); // the same again is nothing new
    TEST_ASSERT_EQUAL_INT(6001, (int)hud->next);
    free(hud);
    free(shot);
}

// All of it at once, on a plain and on a dense screen: the dense one shows the same, larger.
static void test_the_instruments_grow_with_the_screen(void) {
    pal_err err = {0};
    pal_hud *hud = calloc(1, sizeof *hud);
    pal_snapshot *shot = calloc(1, sizeof *shot);
    const pal_stage_spec spec = {.tool_count = 1, .tool = {{.radius = 0.005}}};
    const pal_hud_words words = {
        .scene = "wall", .device = "sim", .mode = "the probe leads", .drawn_by = "CPU"};
    pal_image image[2] = {{0}};
    pal_hud_init(hud);
    shot->rate = 1.0;
    shot->tick_bin[20] = 1000;
    shot->tick_bin[50] = 3;
    fill(shot, 200);
    pal_hud_feed(hud, shot);
    for (int k = 0; k < 2; k++) {
        pal_studio studio;
        CHECK_OK(pal_studio_open(&studio, &spec, 400 << k, 500 << k, &err), err);
        pal_gl_target_begin(&studio.target);
        pal_gl_target_resolve(&studio.target);
        pal_overlay_begin(studio.overlay, 400 << k, 500 << k, 1 << k);
        pal_overlay_box(studio.overlay, 0.0, 0.0, 400.0, 500.0, 0.0, (pal_rgba){90, 90, 90, 255});
        pal_hud_draw_title(studio.overlay, shot, &words);
        pal_hud_draw(hud, studio.overlay, shot, &words);
        pal_hud_draw_message(studio.overlay, NULL, false);
        CHECK_OK(pal_overlay_end(studio.overlay, &err), err);
        CHECK_OK(pal_gl_target_read(&studio.target, &image[k], &err), err);
        pal_studio_close(&studio);
    }
    double off = 0.0, ink = 0.0;
    for (int y = 0; y < 500; y++) {
        for (int x = 0; x < 400; x++) {
            const uint8_t *small = image[0].rgb + 3 * (400 * y + x);
            double mean = 0.0;
            for (int i = 0; i < 4; i++) {
                mean += 0.25 * image[1].rgb[3 * (800 * (2 * y + i / 2) + 2 * x + i % 2)];
            }
            off += fabs(mean - small[0]) / (400.0 * 500.0);
            ink += (small[0] < 75) / (400.0 * 500.0);
        }
    }
    TEST_ASSERT_TRUE(off < 4.0);
    TEST_ASSERT_TRUE(ink > 0.003);
    pal_image_free(&image[0]);
    pal_image_free(&image[1]);
    free(hud);
    free(shot);
}

// ---- sliders

static void test_a_slider_follows_the_mouse_on_its_scale_and_lets_go(void) {
    const double width = 1000.0;
    pal_slider_panel panel;
    pal_slider_look look = {.regions = 2};
    int32_t which = -1;
    double value = 0.0;
    for (int k = 0; k < PAL_SLIDERS; k++) {
        look.item[k] = (pal_slider_item){.value = 10.0, .least = 1.0, .most = 100.0};
        look.item[k].logarithmic = k == 0;
    }
    pal_slider_panel_init(&panel);
    for (int k = 0; k < PAL_SLIDERS; k++) {
        const pal_frame track = pal_slider_track(width, k), all = pal_slider_panel_frame(width);
        const double x = track.left + 0.75 * track.width, y = track.top + 2.0;
        TEST_ASSERT_TRUE(track.left > all.left && track.top + track.height < all.top + all.height);
        TEST_ASSERT_EQUAL_INT(PAL_SLIDER_MOVED, pal_slider_panel_step(&panel, &look, width, x, y,
                                                                      true, &which, &value));
        TEST_ASSERT_EQUAL_INT(k, which);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, k == 0 ? pow(100.0, 0.75) : 1.0 + 0.75 * 99.0, value);
        TEST_ASSERT_TRUE(panel.mine);
        // Far beyond the end, and far above: still its own, at its most
        pal_slider_panel_step(&panel, &look, width, x + 1e4, y - 200.0, true, &which, &value);
        TEST_ASSERT_EQUAL_INT(k, which);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 100.0, value);
        TEST_ASSERT_EQUAL_INT(PAL_SLIDER_NOTHING, pal_slider_panel_step(&panel, &look, width, x, y,
                                                                        false, &which, &value));
        TEST_ASSERT_FALSE(panel.mine);
    }
    // What went down beside the panel stays the picture's, wherever it goes
    const pal_frame track = pal_slider_track(width, 0);
    pal_slider_panel_step(&panel, &look, width, 10.0, 10.0, true, &which, &value);
    TEST_ASSERT_EQUAL_INT(
        PAL_SLIDER_NOTHING,
        pal_slider_panel_step(&panel, &look, width, track.left, track.top, true, &which, &value));
    TEST_ASSERT_FALSE(panel.mine);
}

static void test_a_slider_s_places_and_values_are_each_other_s_inverse(void) {
    pal_slider_item item = {.least = 120.0, .most = 12000.0, .logarithmic = true};
    for (double share = 0.0; share <= 1.0; share += 0.125) {
        item.value = pal_slider_value(&item, share);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, share, pal_slider_share(&item));
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1200.0, pal_slider_value(&item, 0.5));
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_every_action_has_a_key_and_no_key_has_two);
    RUN_TEST(test_the_scope_misses_no_tick_between_two_frames);
    RUN_TEST(test_the_instruments_grow_with_the_screen);
    RUN_TEST(test_a_slider_follows_the_mouse_on_its_scale_and_lets_go);
    RUN_TEST(test_a_slider_s_places_and_values_are_each_other_s_inverse);
    return UNITY_END();
}
