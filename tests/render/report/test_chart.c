// Charts: sound SVG whatever the labels, peaks kept, colours of the page, the same every time.
#include <expat.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/report/chart_parts.h"
#include "tests/support/check.h"

enum { MANY = 5000 };
static pal_err err;
static double x[MANY], y[MANY];
static char *svg;

void setUp(void) {
    svg = NULL;
    for (int i = 0; i < MANY; i++) {
        x[i] = 0.001 * i;
        y[i] = sin(3.0 * x[i]);
    }
}
void tearDown(void) {
    free(svg);
}

// What a parser of XML finds in the drawing.
static struct {
    int depth, paths, points, texts;
    char text[4000]; // of the elements <text>, one a line
    bool in_text;
} seen;

static void on_start(void *data, const XML_Char *name, const XML_Char **attribute) {
    (void)data;
    for (int i = 0; attribute[i] != NULL; i += 2) {
        TEST_ASSERT_TRUE_MESSAGE(strcmp(attribute[i], "id") != 0, "names clash between charts");
    }
    seen.depth++;
    seen.paths += strcmp(name, "path") == 0;
    seen.points += strcmp(name, "circle") == 0;
    seen.in_text = strcmp(name, "text") == 0;
    seen.texts += seen.in_text;
}

static void on_end(void *data, const XML_Char *name) {
    (void)data;
    if (strcmp(name, "text") == 0) {
        strcat(seen.text, "\n");
        seen.in_text = false;
    }
}

static void on_text(void *data, const XML_Char *text, int length) {
    (void)data;
    if (seen.in_text && strlen(seen.text) + (size_t)length + 2 < sizeof seen.text) {
        strncat(seen.text, text, (size_t)length);
    }
}

static void draw(const pal_chart *chart) {
    free(svg);
    CHECK_OK(pal_chart_svg(chart, &svg, &err), err);
    memset(&seen, 0, sizeof seen);
    XML_Parser parser = XML_ParserCreate("UTF-8");
    XML_SetElementHandler(parser, on_start, on_end);
    XML_SetCharacterDataHandler(parser, on_text);
    const enum XML_Status sound = XML_Parse(parser, svg, (int)strlen(svg), 1);
    const char *why = XML_ErrorString(XML_GetErrorCode(parser));
    XML_ParserFree(parser);
    TEST_ASSERT_TRUE_MESSAGE(sound == XML_STATUS_OK, why);
    TEST_ASSERT_EQUAL_INT(0, strncmp(svg, "<svg ", 5));
}

static void check_shown(const char *part) {
    TEST_ASSERT_TRUE_MESSAGE(strstr(seen.text, part) != NULL, seen.text);
}

static void test_labels_may_hold_anything(void) {
    static const char nasty[] =
        "a_b^2 {/=30 c} 'q' \"qq\" & <b> \\n `date` @x $d0 stroke='black' é";
    const pal_chart_series series = {nasty, PAL_CHART_LINE, x, y, 10, 0};
    const pal_chart_mark mark = {0.003, false, nasty};
    draw(&(pal_chart){.title = nasty,
                      .x_label = nasty,
                      .y_label = nasty,
                      .series = &series,
                      .series_count = 1,
                      .mark = &mark,
                      .mark_count = 1});
    int found = 0;
    for (const char *at = seen.text; (at = strstr(at, nasty)) != NULL; at++) {
        found++;
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(5, found, seen.text);
    draw(&(pal_chart){.title = "two\nlines", .series = &series, .series_count = 1});
    check_shown("two lines");
}

static void test_bytes_that_are_no_text_do_no_harm(void) {
    draw(&(pal_chart){.title = "\xff\xfe<", .x_label = "\x01", .y_label = "\xc3"});
}

static void test_the_same_chart_gives_the_same_bytes(void) {
    const pal_chart_series series = {"a", PAL_CHART_LINE, x, y, MANY, 0};
    const pal_chart chart = {.title = "t", .series = &series, .series_count = 1};
    draw(&chart);
    char *first = svg;
    svg = NULL;
    draw(&chart);
    TEST_ASSERT_EQUAL_STRING(first, svg);
    free(first);
}

static void test_colours_are_those_of_the_page(void) {
    const pal_chart_series series[] = {{"a", PAL_CHART_LINE, x, y, 10, 0},
                                       {"b", PAL_CHART_POINTS, x, y, 10, 0},
                                       {"c", PAL_CHART_WIDE, x, y, 10, 5},
                                       {"d", PAL_CHART_BARS, x, y, 10, 0}};
    draw(&(pal_chart){
        .title = "t", .series = series, .series_count = 4, .band_from = 0.001, .band_to = 0.002});
    static const char *const wanted[] = {"--pal-1,", "--pal-2,",    "--pal-5,",
                                         "--pal-4,", "--pal-grid,", "--pal-band,"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        TEST_ASSERT_TRUE_MESSAGE(strstr(svg, wanted[i]) != NULL, wanted[i]);
    }
    TEST_ASSERT_NULL(strstr(svg, "--pal-3,"));
    TEST_ASSERT_NULL_MESSAGE(strstr(svg, "rgb("), "a colour that no page can change");
    TEST_ASSERT_NULL(strstr(svg, "black"));
    TEST_ASSERT_NOT_NULL(strstr(svg, "role=\"img\""));
    check_shown("\na\n"); // the key
    check_shown("\nd\n");
}

// ---- thinning

static int64_t thin(const pal_chart_series *series, bool log_y, char **points) {
    size_t size;
    FILE *out = open_memstream(points, &size);
    TEST_ASSERT_NOT_NULL(out);
    const int64_t kept = pal_chart_write_points(out, series, false, log_y);
    TEST_ASSERT_EQUAL_INT(0, fclose(out));
    return kept;
}

static void test_thinning_keeps_peaks_and_ends(void) {
    const pal_chart_series series = {NULL, PAL_CHART_LINE, x, y, MANY, 0};
    char *points;
    y[1234] = 7.5; // of one tick each
    y[3333] = -6.5;
    x[2222] = 9.25; // out of the row, as in a loop
    TEST_ASSERT_LESS_OR_EQUAL(6 * 320, thin(&series, false, &points));
    TEST_ASSERT_NOT_NULL(strstr(points, "1.234 7.5\n"));
    TEST_ASSERT_NOT_NULL(strstr(points, "3.333 -6.5\n"));
    TEST_ASSERT_NOT_NULL(strstr(points, "9.25 "));
    TEST_ASSERT_EQUAL_INT(0, strncmp(points, "0 0\n", 4));
    TEST_ASSERT_NOT_NULL(strstr(points, "\n4.999 "));
    free(points);
}

static void test_short_series_are_kept_whole(void) {
    const pal_chart_series series = {NULL, PAL_CHART_LINE, x, y, 319, 0};
    char *points;
    TEST_ASSERT_EQUAL_INT(319, thin(&series, false, &points));
    free(points);
}

static void test_what_is_not_finite_interrupts_the_line(void) {
    const pal_chart_series series = {NULL, PAL_CHART_LINE, x, y, 6, 0};
    char *points;
    y[0] = y[2] = y[3] = NAN;
    y[1] = 1.0;
    y[4] = 2.0;
    y[5] = -3.0;
    TEST_ASSERT_EQUAL_INT(3, thin(&series, false, &points));
    TEST_ASSERT_EQUAL_STRING("0.001 1\n\n0.004 2\n0.005 -3\n", points);
    free(points);
    TEST_ASSERT_EQUAL_INT(2, thin(&series, true, &points)); // no logarithm of -3
    free(points);
}

static void test_bars_are_as_wide_as_their_closest_neighbours_allow(void) {
    double at[3] = {1.0, 2.0, 5.0}, much[3] = {4.0, 5.0, 6.0};
    const pal_chart_series series = {NULL, PAL_CHART_BARS, at, much, 3, 0};
    char *points;
    TEST_ASSERT_EQUAL_INT(3, thin(&series, false, &points));
    TEST_ASSERT_EQUAL_STRING("1 4 0.9\n2 5 0.9\n5 6 0.9\n", points);
    free(points);
}

// ---- kinds of charts

static void test_axes_reach_to_the_marks(void) {
    const pal_chart_series series = {NULL, PAL_CHART_BARS, x + 1, x + 1, 9, 0};
    const pal_chart_mark mark[] = {
        {0.5, false, "far"}, {700.0, true, "high"}, {1e-6, false, "near"}};
    for (int log = 0; log < 2; log++) {
        draw(&(pal_chart){.title = "t",
                          .log_x = log == 1,
                          .log_y = log == 1,
                          .series = &series,
                          .series_count = 1,
                          .mark = mark,
                          .mark_count = 3});
        check_shown("far\n");
        check_shown("high\n");
        check_shown("near\n");
        check_shown("0.1\n");
        check_shown("100\n");
    }
}

// Numbers of five digits would be written over each other at gnuplot's own ten places.
static void test_wide_numbers_stand_apart(void) {
    const double young[2] = {5e3, 5e4}, value[2] = {0.0, 1.0};
    const pal_chart_series series = {NULL, PAL_CHART_LINE, young, value, 2, 0};
    draw(&(pal_chart){.width = 420, .height = 280, .series = &series, .series_count = 1});
    check_shown("20000\n");
    check_shown("50000\n");
    TEST_ASSERT_NULL_MESSAGE(strstr(seen.text, "15000\n"), seen.text);
}

static void test_log_axes_and_long_series_draw(void) {
    const pal_chart_series series = {"a", PAL_CHART_LINE, x, y, MANY, 0};
    draw(&(pal_chart){
        .title = "t", .log_x = true, .log_y = true, .series = &series, .series_count = 1});
    check_shown("0.01\n");
    TEST_ASSERT_LESS_THAN_MESSAGE(80000, strlen(svg), "too long a drawing");
}

static void test_a_map_has_its_cells(void) {
    double value[6] = {1, 2, 3, 4, NAN, 6}, at[3] = {10, 100, 1000}, row[2] = {0, 1};
    draw(&(pal_chart){.title = "t",
                      .log_x = true,
                      .map = value,
                      .map_x = at,
                      .map_y = row,
                      .map_columns = 3,
                      .map_rows = 2,
                      .map_label = "ripple (N)"});
    check_shown("ripple (N)");
    check_shown("100\n");
    int light = 0; // the cell of the largest value, and the top of the scale
    for (const char *p = svg; (p = strstr(p, "rgb(254")) != NULL; p++) {
        light++;
    }
    TEST_ASSERT_GREATER_OR_EQUAL(2, light);
}

static void test_zones_of_a_map_are_joined_and_have_no_scale(void) {
    double value[600], at[30], row[20];
    for (int i = 0; i < 600; i++) {
        value[i] = i % 30 < 10 ? 1.0 : i % 30 < 20 ? 0.5 : 0.0;
        at[i % 30] = i % 30;
        row[i / 30] = i / 30;
    }
    draw(&(pal_chart){.title = "t",
                      .map = value,
                      .map_x = at,
                      .map_y = row,
                      .map_columns = 30,
                      .map_rows = 20,
                      .map_zones = true,
                      .map_label = "green: stable"});
    check_shown("green: stable");
    int boxes = 0;
    for (const char *p = svg; (p = strstr(p, "<polygon")) != NULL; p++) {
        boxes++;
    }
    TEST_ASSERT_EQUAL_INT(2 * 20, boxes); // two zones in each row, what is 0 left blank
}

static void test_nothing_to_show_is_said(void) {
    const pal_chart_series series = {"a", PAL_CHART_LINE, x, y, 0, 0};
    draw(&(pal_chart){.title = "t"});
    check_shown("nothing to show");
    draw(&(pal_chart){.title = "t", .log_y = true, .series = &series, .series_count = 1});
    check_shown("nothing to show");
    double one = 1.0; // a single point is something
    const pal_chart_series point = {"a", PAL_CHART_POINTS, &one, &one, 1, 0};
    draw(&(pal_chart){.title = "t", .series = &point, .series_count = 1});
    TEST_ASSERT_EQUAL_INT(2, seen.points); // it, and in the key
}

static void test_without_gnuplot_the_error_names_the_package(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s", getenv("PATH") != NULL ? getenv("PATH") : "");
    setenv("PATH", "/nowhere", 1);
    const pal_status status = pal_chart_svg(&(pal_chart){.title = "t"}, &svg, &err);
    setenv("PATH", path, 1);
    CHECK_FAILS(PAL_ERR_UNSUPPORTED, "gnuplot-nox", status, err);
    TEST_ASSERT_NULL(svg);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_labels_may_hold_anything);
    RUN_TEST(test_bytes_that_are_no_text_do_no_harm);
    RUN_TEST(test_the_same_chart_gives_the_same_bytes);
    RUN_TEST(test_colours_are_those_of_the_page);
    RUN_TEST(test_thinning_keeps_peaks_and_ends);
    RUN_TEST(test_short_series_are_kept_whole);
    RUN_TEST(test_what_is_not_finite_interrupts_the_line);
    RUN_TEST(test_bars_are_as_wide_as_their_closest_neighbours_allow);
    RUN_TEST(test_axes_reach_to_the_marks);
    RUN_TEST(test_wide_numbers_stand_apart);
    RUN_TEST(test_log_axes_and_long_series_draw);
    RUN_TEST(test_a_map_has_its_cells);
    RUN_TEST(test_zones_of_a_map_are_joined_and_have_no_scale);
    RUN_TEST(test_nothing_to_show_is_said);
    RUN_TEST(test_without_gnuplot_the_error_names_the_package);
    return UNITY_END();
}
