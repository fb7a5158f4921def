// What is over the picture: keys and their help, instruments, sliders.
#include "render/hud.h"

#include <math.h>
#include <stdio.h>
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
        pal_layout_wish wish = {
            .width = 400.0, .height = 500.0, .title = true, .instruments = true};
        pal_layout layout;
        wish.width = 800.0; // so that the instruments have room
        pal_hud_wish(shot, &wish);
        pal_layout_make(&wish, &layout);
        pal_hud_draw_title(studio.overlay, shot, &words, &layout);
        pal_hud_draw(hud, studio.overlay, shot, &words, &layout);
        pal_hud_draw_status(studio.overlay, &layout, "F1 for help");
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

// ---- nothing beyond its panel

static const struct {
    int32_t width, height;
} screens[] = {{640, 480}, {1280, 720}, {1920, 1080}, {2560, 1440}, {3840, 2160}};
enum { SCREENS = sizeof screens / sizeof *screens, WAYS = 6 };

// Long names, large and small numbers, four hands, every outcome: the most that there is to say.
static void fill_up(pal_snapshot *shot) {
    shot->hand_count = PAL_SNAPSHOT_HANDS;
    shot->r = 6;
    shot->rate = 1.0 / 3.0;
    shot->time = 86399.99;
    shot->body_time = 28799.99;
    shot->strain = 0.123456;
    shot->kinetic = 3.55e-20;
    shot->missed = 123456789;
    shot->max_tick_us = 123456.0;
    for (int32_t h = 0; h < shot->hand_count; h++) {
        pal_snapshot_hand *hand = &shot->hand[h];
        hand->present = true;
        hand->ledger = -1.23456e-5;
        hand->force[0] = 123.456;
        hand->heat = 0.95;
        hand->touching = 48;
        hand->depth = 0.0123;
        hand->holds = true;
        hand->fault = h == 0 ? (pal_fault_cause)1 : PAL_CAUSE_NONE;
        hand->softened = (pal_fault_cause)1;
    }
    for (int i = 0; i < PAL_OUTCOME_COUNT; i++) {
        shot->counted[i] = 1234567;
    }
    for (int b = 0; b < PAL_SNAPSHOT_BINS; b++) {
        shot->tick_bin[b] = (uint32_t)(1 << b % 20);
    }
}

// A run without anything to complain of: all instruments have room.
static void calm_down(pal_snapshot *shot) {
    fill_up(shot);
    shot->hand_count = 1;
    shot->missed = 0;
    shot->strain = -1.23456e-7;
    shot->kinetic = 3.55e-20;
    shot->hand[0].fault = shot->hand[0].softened = PAL_CAUSE_NONE;
    shot->hand[0].ledger = -1.23456e-8;
    memset(shot->counted, 0, sizeof shot->counted);
}

static void look_of(pal_slider_look *look) {
    *look = (pal_slider_look){.region = "a region with a name that is as long as names may be",
                              .number = 98,
                              .regions = 99};
    for (int k = 0; k < PAL_SLIDERS; k++) {
        look->item[k] = (pal_slider_item){
            .name = "Young's modulus of it", .value = 100.0, .least = 1.0, .most = 100.0};
        snprintf(look->item[k].text, sizeof look->item[k].text, "%s", "1234.567 kg/m3 or so, too");
    }
}

// All there is in a way of looking at it, over grey.
static void draw_way(pal_overlay *o, const pal_hud *hud, const pal_snapshot *shot, int way,
                     pal_layout *layout) {
    const pal_hud_words words = {.scene = "a scene with a rather long name for a panel",
                                 .device = "sim-driven",
                                 .mode = "the mouse leads the stylus (M: camera) of this device",
                                 .tick_rate = 123456.0,
                                 .frame_rate = 12345.0,
                                 .max_force = 3.3,
                                 .drawn_by = "GPU",
                                 .recording = way != 3};
    pal_layout_wish wish = {.width = pal_overlay_width(o),
                            .height = pal_overlay_height(o),
                            .title = true,
                            .words = true,
                            .trainer = way == 4,
                            .instruments = way != 1,
                            .sliders = way == 1 || way == 2 || way == 3,
                            .filming = words.recording};
    pal_slider_look look;
    pal_slider_panel panel;
    pal_slider_panel_init(&panel);
    look_of(&look);
    pal_hud_wish(shot, &wish);
    if (way == 3) {
        pal_hud_wish_help(o, PAL_UI_IN_EDIT, &wish);
    }
    pal_layout_make(&wish, layout);
    TEST_ASSERT_TRUE(way < 5 || wish.height < 700.0 || pal_layout_has(layout, PAL_PANEL_ENERGY));
    pal_hud_draw_title(o, shot, &words, layout);
    pal_hud_draw(hud, o, shot, &words, layout);
    if (pal_layout_has(layout, PAL_PANEL_SLIDERS)) {
        pal_slider_panel_draw(&panel, &look, &layout->panel[PAL_PANEL_SLIDERS], o);
    }
    pal_hud_draw_status(o, layout,
                        "a place on the surface: (0.123456, 0.123456, 0.123456) m, "
                        "with a normal and whatever else there is to say of it");
    pal_hud_draw_message(o, layout,
                         "a message that says what went wrong, where, and what to do about it: "
                         "/a/long/path/without/any/place/to/break/it/which/goes/on/and/on.yaml "
                         "cannot be written; and so on, for as many lines as there may be",
                         true);
    pal_hud_draw_force_bar(o, layout, 7.0, true);
    if (way == 3) {
        pal_hud_draw_help(o, layout, PAL_UI_IN_EDIT, 0);
    }
}

// Pixels that are not grey, and in no panel.
static int count_outside(const pal_image *image, const pal_layout *layout, double scale) {
    int count = 0;
    for (int32_t y = 0; y < image->height; y++) {
        for (int32_t x = 0; x < image->width; x++) {
            const uint8_t *p = image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
            bool inside = p[0] == 90 && p[1] == 90 && p[2] == 90;
            for (int k = 0; !inside && k < PAL_PANELS; k++) {
                const pal_frame *f = &layout->panel[k];
                inside = f->width > 0.0 && x + 1.0 >= scale * f->left - 1.0 &&
                         x <= scale * (f->left + f->width) + 1.0 &&
                         y + 1.0 >= scale * f->top - 1.0 && y <= scale * (f->top + f->height) + 1.0;
            }
            count += !inside;
        }
    }
    return count;
}

static void check_way(const pal_hud *hud, const pal_snapshot *shot, pal_studio *studio, int screen,
                      int way) {
    const int32_t width = screens[screen].width, height = screens[screen].height;
    const double scale = pal_layout_scale(1.0, width, height);
    const char *folder = getenv("PALPATE_KEEP_PICTURES");
    pal_err err = {0};
    pal_layout layout;
    pal_image image;
    char text[300];
    pal_gl_target_begin(&studio->target);
    pal_gl_target_resolve(&studio->target);
    pal_overlay_begin(studio->overlay, width, height, scale);
    pal_overlay_box(studio->overlay, -9.0, -9.0, 9e3, 9e3, 0.0, (pal_rgba){90, 90, 90, 255});
    draw_way(studio->overlay, hud, shot, way, &layout);
    CHECK_OK(pal_overlay_end(studio->overlay, &err), err);
    CHECK_OK(pal_gl_target_read(&studio->target, &image, &err), err);
    if (folder != NULL) {
        snprintf(text, sizeof text, "%.200s/hud-%d-%d.png", folder, (int)width, way);
        CHECK_OK(pal_image_write_png(text, &image, &err), err);
    }
    const int outside = count_outside(&image, &layout, scale);
    pal_image_free(&image);
    snprintf(text, sizeof text, "%d x %d, way %d: %d pixels beyond the panels", (int)width,
             (int)height, way, outside);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, outside, text);
}

// Set PALPATE_KEEP_PICTURES to a folder to look at them.
static void test_no_word_runs_over_its_panel_at_any_size(void) {
    pal_err err = {0};
    pal_hud *hud = calloc(1, sizeof *hud);
    pal_snapshot *shot = calloc(1, sizeof *shot);
    const pal_stage_spec spec = {.tool_count = 1, .tool = {{.radius = 0.005}}};
    pal_hud_init(hud);
    fill(shot, 3000);
    fill_up(shot);
    pal_hud_feed(hud, shot);
    for (int screen = 0; screen < SCREENS; screen++) {
        pal_studio studio;
        CHECK_OK(
            pal_studio_open(&studio, &spec, screens[screen].width, screens[screen].height, &err),
            err);
        fill_up(shot);
        for (int way = 0; way < WAYS - 1; way++) {
            check_way(hud, shot, &studio, screen, way);
        }
        calm_down(shot);
        check_way(hud, shot, &studio, screen, WAYS - 1);
        pal_studio_close(&studio);
    }
    free(hud);
    free(shot);
}

// ---- words over dark bodies

static void test_an_outline_keeps_words_legible_on_black_and_on_white(void) {
    const pal_text_style style = {
        .weight = PAL_FONT_BOLD, .size = 24.0, .colour = {27, 31, 39, 255}, .outline = 2.0};
    const pal_stage_spec spec = {.tool_count = 1, .tool = {{.radius = 0.005}}};
    pal_err err = {0};
    pal_studio studio;
    CHECK_OK(pal_studio_open(&studio, &spec, 200, 60, &err), err);
    for (uint8_t under = 0; under < 255; under = (uint8_t)(under + 51)) {
        pal_image image;
        int ink = 0, bright = 0;
        pal_gl_target_begin(&studio.target);
        pal_gl_target_resolve(&studio.target);
        pal_overlay_begin(studio.overlay, 200, 60, 1.0);
        pal_overlay_box(studio.overlay, -9.0, -9.0, 900.0, 900.0, 0.0,
                        (pal_rgba){under, under, under, 255});
        pal_overlay_text(studio.overlay, &style, 20.0, 40.0, "the title");
        CHECK_OK(pal_overlay_end(studio.overlay, &err), err);
        CHECK_OK(pal_gl_target_read(&studio.target, &image, &err), err);
        for (int32_t y = 4; y < 56; y++) { // whether ink has light beside or above it
            for (int32_t x = 4; x < 196; x++) {
                const uint8_t *p = image.rgb + 3 * (200 * y + x);
                if (p[0] < 60 && p[2] > p[0] + 8) {
                    int most = 0;
                    for (int d = -4; d <= 4; d++) {
                        const int beside = p[3 * d], above = p[3 * 200 * d];
                        most = beside > most ? beside : most;
                        most = above > most ? above : most;
                    }
                    ink++;
                    bright += most > 150;
                }
            }
        }
        pal_image_free(&image);
        TEST_ASSERT_TRUE(ink > 300);
        TEST_ASSERT_TRUE(bright > 0.9 * ink);
    }
    pal_studio_close(&studio);
}

// ---- sliders

static void test_a_slider_follows_the_mouse_on_its_scale_and_lets_go(void) {
    const pal_frame frame = {700.0, 46.0, 0.8 * PAL_SLIDERS_WIDTH, 0.8 * PAL_SLIDERS_HEIGHT};
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
        const pal_frame track = pal_slider_track(&frame, k), all = frame;
        const double x = track.left + 0.75 * track.width, y = track.top + 2.0;
        TEST_ASSERT_TRUE(track.left > all.left && track.top + track.height < all.top + all.height);
        TEST_ASSERT_EQUAL_INT(PAL_SLIDER_MOVED, pal_slider_panel_step(&panel, &look, &frame, x, y,
                                                                      true, &which, &value));
        TEST_ASSERT_EQUAL_INT(k, which);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, k == 0 ? pow(100.0, 0.75) : 1.0 + 0.75 * 99.0, value);
        TEST_ASSERT_TRUE(panel.mine);
        // Far beyond the end, and far above: still its own, at its most
        pal_slider_panel_step(&panel, &look, &frame, x + 1e4, y - 200.0, true, &which, &value);
        TEST_ASSERT_EQUAL_INT(k, which);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 100.0, value);
        TEST_ASSERT_EQUAL_INT(PAL_SLIDER_NOTHING, pal_slider_panel_step(&panel, &look, &frame, x, y,
                                                                        false, &which, &value));
        TEST_ASSERT_FALSE(panel.mine);
    }
    // What went down beside the panel stays the picture's, wherever it goes
    const pal_frame track = pal_slider_track(&frame, 0);
    pal_slider_panel_step(&panel, &look, &frame, 10.0, 10.0, true, &which, &value);
    TEST_ASSERT_EQUAL_INT(
        PAL_SLIDER_NOTHING,
        pal_slider_panel_step(&panel, &look, &frame, track.left, track.top, true, &which, &value));
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
    RUN_TEST(test_no_word_runs_over_its_panel_at_any_size);
    RUN_TEST(test_an_outline_keeps_words_legible_on_black_and_on_white);
    RUN_TEST(test_a_slider_follows_the_mouse_on_its_scale_and_lets_go);
    RUN_TEST(test_a_slider_s_places_and_values_are_each_other_s_inverse);
    return UNITY_END();
}
