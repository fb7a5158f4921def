// Where panels are: at every size of a window, with whatever is wanted, none overlaps another or
// leaves the picture, and what gives way does so in the order that layout.h states.
#include "render/layout.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/view.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

static const struct {
    int32_t width, height;
    double content; // scale of the screen
} sizes[] = {{640, 480, 1.0},   {1280, 720, 1.0},  {1920, 1080, 1.0}, {2560, 1440, 1.0},
             {3840, 2160, 1.0}, {3840, 2160, 2.0}, {1280, 960, 2.0},  {320, 240, 1.0},
             {640, 480, 2.0},   {1000, 300, 1.0},  {400, 1200, 1.0},  {1280, 800, 1.0}};
enum { SIZES = sizeof sizes / sizeof *sizes, WISHES = 64 };

// A number counts through all that may be wanted.
static pal_layout_wish wish_of(int size, int number, int32_t names) {
    const double s = pal_layout_scale(sizes[size].content, sizes[size].width, sizes[size].height);
    pal_layout_wish w = {.width = sizes[size].width / s,
                         .height = sizes[size].height / s,
                         .title = true,
                         .words = true,
                         .trainer = (number & 1) != 0,
                         .instruments = (number & 2) != 0,
                         .energy = (number & 4) != 0,
                         .sliders = (number & 8) != 0,
                         .filming = (number & 16) != 0,
                         .run_height = 96.0 + 16.0 * (names % 12),
                         .colour_bar = names == 0,
                         .names = names,
                         .name_width = 40.0 + 23.0 * (names % 9)};
    if ((number & 32) != 0) {
        w.help_lines = 41;
        w.help_column = 470.0;
    }
    return w;
}

static bool apart(const pal_frame *a, const pal_frame *b) {
    return a->left >= b->left + b->width || b->left >= a->left + a->width ||
           a->top >= b->top + b->height || b->top >= a->top + a->height;
}

static void check_layout(const pal_layout *l, const pal_layout_wish *w, const char *what) {
    char text[200];
    for (int a = 0; a < PAL_PANELS; a++) {
        const pal_frame *f = &l->panel[a];
        if (!pal_layout_has(l, (pal_panel)a)) {
            continue;
        }
        snprintf(text, sizeof text, "%s: panel %d is at %.1f, %.1f, %.1f x %.1f", what, a, f->left,
                 f->top, f->width, f->height);
        TEST_ASSERT_TRUE_MESSAGE(f->height > 0.0 && f->left >= 0.0 && f->top >= 0.0 &&
                                     f->left + f->width <= w->width &&
                                     f->top + f->height <= w->height,
                                 text);
        for (int b = 0; b < a; b++) {
            snprintf(text, sizeof text, "%s: panels %d and %d overlap", what, a, b);
            TEST_ASSERT_TRUE_MESSAGE(!pal_layout_has(l, (pal_panel)b) || apart(f, &l->panel[b]),
                                     text);
        }
    }
    TEST_ASSERT_TRUE_MESSAGE(l->body[1] - l->body[0] >= 0.4 - 1e-9, what);
    TEST_ASSERT_TRUE_MESSAGE(l->body[0] >= 0.0 && l->body[1] <= 1.0 + 1e-9, what);
}

static void test_no_panel_overlaps_another_or_leaves_the_picture(void) {
    for (int size = 0; size < SIZES; size++) {
        for (int number = 0; number < WISHES; number++) {
            for (int32_t names = 0; names <= 40; names++) {
                const pal_layout_wish w = wish_of(size, number, names);
                pal_layout l;
                char what[120];
                snprintf(what, sizeof what, "%d x %d by %g, wish %d, %d names",
                         (int)sizes[size].width, (int)sizes[size].height, sizes[size].content,
                         number, (int)names);
                pal_layout_make(&w, &l);
                check_layout(&l, &w, what);
            }
        }
    }
}

// What a person asked for is there at every usual size.
static void test_all_that_is_wanted_is_there_from_640_by_480_on(void) {
    for (int size = 0; size < 5; size++) {
        pal_layout_wish w = wish_of(size, 2 | 4, 14);
        pal_layout l;
        pal_layout_make(&w, &l);
        const pal_panel always[] = {PAL_PANEL_TITLE,  PAL_PANEL_FORCE,   PAL_PANEL_RUN,
                                    PAL_PANEL_SCALE,  PAL_PANEL_COLOURS, PAL_PANEL_MESSAGE,
                                    PAL_PANEL_STATUS, PAL_PANEL_TICKS};
        for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
            TEST_ASSERT_TRUE(pal_layout_has(&l, always[i]));
        }
        TEST_ASSERT_EQUAL_INT(14, l.shown); // of 14 domains, not 12
        w = wish_of(size, 8, 0);
        pal_layout_make(&w, &l);
        TEST_ASSERT_TRUE(pal_layout_has(&l, PAL_PANEL_SLIDERS));
        w = wish_of(size, 32, 0);
        pal_layout_make(&w, &l);
        TEST_ASSERT_EQUAL_INT(1, l.help.pages);
        w = wish_of(size, 1 | 2 | 4, 5);
        pal_layout_make(&w, &l);
        for (int p = 0; p < PAL_PANELS; p++) {
            const bool trains = p == PAL_PANEL_FORCE_BAR || p == PAL_PANEL_MESSAGE;
            TEST_ASSERT_TRUE(trains || p == PAL_PANEL_STATUS || !pal_layout_has(&l, (pal_panel)p));
        }
        TEST_ASSERT_TRUE(pal_layout_has(&l, PAL_PANEL_FORCE_BAR));
    }
}

static void test_panels_give_way_in_the_stated_order(void) {
    static const pal_panel order[] = {PAL_PANEL_ENERGY, PAL_PANEL_TICKS, PAL_PANEL_RUN,
                                      PAL_PANEL_FORCE};
    int before = 4;
    for (double height = 900.0; height > 100.0; height -= 5.0) {
        pal_layout_wish w = wish_of(0, 2 | 4, 0);
        pal_layout l;
        w.height = height;
        pal_layout_make(&w, &l);
        int left = 0;
        for (int k = 3; k >= 0 && pal_layout_has(&l, order[k]); k--) {
            left++;
        }
        for (int k = 0; k < 4 - left; k++) {
            TEST_ASSERT_FALSE(pal_layout_has(&l, order[k]));
        }
        TEST_ASSERT_TRUE_MESSAGE(left <= before, "one came back in a lower window");
        before = left;
    }
    TEST_ASSERT_EQUAL_INT(0, before);

    // Sliders, which somebody asked for, stay where the instruments go
    pal_layout_wish narrow = wish_of(0, 2 | 8, 0);
    pal_layout l;
    pal_layout_make(&narrow, &l);
    TEST_ASSERT_TRUE(pal_layout_has(&l, PAL_PANEL_SLIDERS));
    TEST_ASSERT_FALSE(pal_layout_has(&l, PAL_PANEL_FORCE));
}

static void test_names_go_into_columns_and_the_rest_is_counted(void) {
    for (int size = 0; size < 5; size++) {
        for (int32_t names = 1; names <= 2000; names = names < 60 ? names + 1 : 3 * names) {
            pal_layout_wish w = wish_of(size, 2, names);
            pal_layout l;
            w.name_width = 70.0;
            pal_layout_make(&w, &l);
            const int32_t lines = l.shown < names ? l.shown + 1 : names;
            const pal_frame *p = &l.panel[PAL_PANEL_COLOURS];
            TEST_ASSERT_TRUE(l.columns * l.rows >= lines && (l.columns - 1) * l.rows < lines);
            TEST_ASSERT_TRUE(l.shown == names || l.shown >= 16);
            TEST_ASSERT_TRUE(p->height >= l.rows * PAL_LEGEND_ROW);
            TEST_ASSERT_TRUE(p->width >= l.columns * (l.name_room + PAL_LEGEND_PATCH));
            TEST_ASSERT_TRUE(p->width <= 0.34 * w.width && p->height <= 0.6 * w.height);
        }
    }
}

static void test_the_help_leaves_the_sliders_alone_or_they_go(void) {
    for (int size = 0; size < SIZES; size++) {
        const pal_layout_wish w = wish_of(size, 8 | 32, 3);
        pal_layout l;
        pal_layout_make(&w, &l);
        TEST_ASSERT_TRUE(pal_layout_has(&l, PAL_PANEL_HELP));
        TEST_ASSERT_TRUE(l.help.pages * l.help.columns * l.help.rows >= w.help_lines);
        TEST_ASSERT_TRUE(l.help.factor >= 0.7 - 1e-9);
        TEST_ASSERT_TRUE(!pal_layout_has(&l, PAL_PANEL_SLIDERS) ||
                         apart(&l.panel[PAL_PANEL_SLIDERS], &l.panel[PAL_PANEL_HELP]));
    }
    const pal_layout_wish wide = wish_of(4, 8 | 32, 3);
    pal_layout l;
    pal_layout_make(&wide, &l);
    TEST_ASSERT_TRUE(pal_layout_has(&l, PAL_PANEL_SLIDERS)); // where both have room
}

static void test_a_view_that_steps_aside_shows_the_same_there(void) {
    enum { W = 1280, H = 720 };
    static const double parts[3][2] = {{0.0, 1.0}, {0.25, 0.95}, {0.3, 0.7}};
    const double point[2][3] = {{0.013, 0.0, 0.02}, {-0.01, 0.0, -0.012}};
    pal_view view;
    pal_camera camera;
    pal_view_defaults(&view);
    view.azimuth = view.elevation = 0.0;
    double place[2][2];
    for (int k = 0; k < 7; k++) {
        const double *part = parts[k % 3], *next = parts[(k + 1) % 3];
        pal_view_camera(&view, W, H, &camera);
        for (int i = 0; i < 2; i++) {
            double at[3];
            pal_camera_project(&camera, point[i], at);
            const double share[2] = {(at[0] / W - part[0]) / (part[1] - part[0]),
                                     (at[1] / H - 0.5) / (part[1] - part[0])};
            for (int c = 0; c < 2; c++) {
                if (k > 0) {
                    TEST_ASSERT_DOUBLE_WITHIN(1e-9, place[i][c], share[c]);
                }
                place[i][c] = share[c];
            }
        }
        pal_view_shift(&view, W, H, part, next);
    }
}

static void test_a_point_grows_with_the_window_and_with_the_screen(void) {
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1.0, pal_layout_scale(1.0, 1280, 800));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1.8, pal_layout_scale(1.0, 2560, 1440));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 2.7, pal_layout_scale(1.0, 3840, 2160));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.8, pal_layout_scale(1.0, 640, 480)); // legible
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1.6, pal_layout_scale(2.0, 1280, 960));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1.0, pal_layout_scale(1.0, 4000, 800)); // wide, not high
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_no_panel_overlaps_another_or_leaves_the_picture);
    RUN_TEST(test_all_that_is_wanted_is_there_from_640_by_480_on);
    RUN_TEST(test_panels_give_way_in_the_stated_order);
    RUN_TEST(test_names_go_into_columns_and_the_rest_is_counted);
    RUN_TEST(test_the_help_leaves_the_sliders_alone_or_they_go);
    RUN_TEST(test_a_view_that_steps_aside_shows_the_same_there);
    RUN_TEST(test_a_point_grows_with_the_window_and_with_the_screen);
    return UNITY_END();
}
