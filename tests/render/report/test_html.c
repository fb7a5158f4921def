// Pages of a report: safe whatever the text, whole, the same every time, with nothing from
// elsewhere.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "render/report/html.h"
#include "sim/base/file.h"
#include "tests/support/check.h"

static pal_err err;
static pal_html page;
static char *text;
static size_t size;

void setUp(void) {
    text = NULL;
    CHECK_OK(pal_html_open(&page, "A <page> & more", &err), err);
}
void tearDown(void) {
    free(text);
}

// Writes the page and reads it back.
static const char *finish(void) {
    const char *path = check_scratch("page.html");
    CHECK_OK(pal_html_close(&page, path, &err), err);
    free(text);
    CHECK_OK(pal_file_read(path, &text, &size, &err), err);
    TEST_ASSERT_EQUAL_size_t(size, strlen(text));
    return text;
}

static int count(const char *part) {
    int found = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part)) {
        found++;
    }
    return found;
}

static void check_holds(const char *part) {
    TEST_ASSERT_TRUE_MESSAGE(strstr(text, part) != NULL, part);
}

static void test_texts_are_escaped_everywhere(void) {
    static const char nasty[] = "<script>alert(\"1\" + '2')</script> & <b>";
    static const char safe[] = "&lt;script&gt;alert(&quot;1&quot; + &#39;2&#39;)&lt;/script&gt; "
                               "&amp; &lt;b&gt;";
    pal_html_heading(&page, 2, nasty, nasty);
    pal_html_paragraph(&page, "%s", nasty);
    pal_html_remark(&page, "note", "%s", nasty);
    pal_html_pre(&page, nasty);
    pal_html_fold(&page, nasty);
    pal_html_terms(&page);
    pal_html_term(&page, nasty, "%s", nasty);
    pal_html_terms_end(&page);
    pal_html_fold_end(&page);
    pal_html_table_of(&page, nasty, nasty);
    pal_html_row(&page, NULL);
    pal_html_cell(&page, "%s", nasty);
    pal_html_row(&page, "fail");
    pal_html_mark(&page, "fail", nasty);
    pal_html_table_end(&page);
    pal_html_png(&page, "", 0, nasty);
    finish();
    check_holds("<title>A &lt;page&gt; &amp; more</title>");
    TEST_ASSERT_EQUAL_INT(0, count("<script"));
    TEST_ASSERT_EQUAL_INT(0, count("<b>"));
    // heading and its name, three paragraphs, summary, term and meaning, caption, heading of the
    // column there and at two cells, cell, mark, alt text and caption
    TEST_ASSERT_EQUAL_INT(2 + 3 + 1 + 2 + 1 + 3 + 2 + 2, count(safe));
}

static void test_bytes_that_are_no_text_are_shown_as_escapes(void) {
    pal_html_paragraph(&page, "[%s]", "\xff");                                   // no beginning
    pal_html_paragraph(&page, "[%s]", "\xc3");                                   // cut off
    pal_html_paragraph(&page, "[%s]", "\xc0\xaf");                               // too long a form
    pal_html_paragraph(&page, "[%s]", "\xed\xa0\x80");                           // half a pair
    pal_html_paragraph(&page, "[%s]", "\x01");                                   // a control
    pal_html_paragraph(&page, "[%s]", "\xf4\x90\x80\x80");                       // beyond the last
    pal_html_paragraph(&page, "[%s]", "\x7f\xc2\x9b");                           // controls, too
    pal_html_paragraph(&page, "[%s]", "\xc3\xa9 \xe2\x89\xa4 \xf0\x9f\x98\x80"); // these are text
    finish();
    check_holds("<p>[\\xff]</p>\n<p>[\\xc3]</p>\n<p>[\\xc0\\xaf]</p>\n<p>[\\xed\\xa0\\x80]</p>\n"
                "<p>[\\x01]</p>\n<p>[\\xf4\\x90\\x80\\x80]</p>\n<p>[\\x7f\\xc2\\x9b]</p>\n"
                "<p>[\xc3\xa9 \xe2\x89\xa4 \xf0\x9f\x98\x80]</p>");
}

static void test_long_text_is_not_cut(void) {
    char *many = malloc(5001);
    TEST_ASSERT_NOT_NULL(many);
    memset(many, '<', 5000);
    many[5000] = '\0';
    pal_html_paragraph(&page, "%s", many);
    finish();
    free(many);
    TEST_ASSERT_EQUAL_INT(5000, count("&lt;") - 1); // one is in the title
}

static void test_a_table_names_its_columns_and_rows(void) {
    pal_html_table_of(&page, "gates", "metric|>value|verdict");
    pal_html_row(&page, "pass");
    pal_html_cell(&page, "buzz");
    pal_html_cell(&page, "%.1f mN", 0.25);
    pal_html_mark(&page, "pass", "pass");
    pal_html_row(&page, NULL);
    pal_html_cell(&page, "leak");
    pal_html_table_end(&page);
    finish();
    check_holds("<caption>gates</caption>\n<thead><tr><th scope=\"col\">metric</th>"
                "<th scope=\"col\" class=\"number\">value</th><th scope=\"col\">verdict</th></tr>");
    check_holds("<tr class=\"pass\"><th scope=\"row\" data-label=\"metric\">buzz</th>"
                "<td class=\"number\" data-label=\"value\">0.2 mN</td>"
                "<td data-label=\"verdict\"><span class=\"mark pass\">pass</span></td></tr>\n"
                "<tr><th scope=\"row\" data-label=\"metric\">leak</th></tr>\n</tbody>");
    TEST_ASSERT_EQUAL_INT(count("<tr"), count("</tr>"));
}

static void test_pictures_are_in_the_page(void) {
    static const unsigned char bytes[] = {0, 1, 2, 253, 254, 255, 'p', 'a', 'l'};
    pal_html_figures(&page);
    pal_html_png(&page, bytes, 9, "nine");
    pal_html_png(&page, bytes, 8, "eight");
    pal_html_png(&page, bytes, 7, "seven");
    pal_html_svg(&page, "<svg></svg>", "drawn");
    pal_html_figures_end(&page);
    finish();
    check_holds("alt=\"nine\" src=\"data:image/png;base64,AAEC/f7/cGFs\">");
    check_holds("base64,AAEC/f7/cGE=\"");
    check_holds("base64,AAEC/f7/cA==\"");
    check_holds("<svg></svg>\n<figcaption>drawn</figcaption>");
    TEST_ASSERT_EQUAL_INT(4, count("<figure "));
    TEST_ASSERT_EQUAL_INT(4, count("</figure>"));
}

static void test_nothing_comes_from_elsewhere(void) {
    pal_html_paragraph(&page, "text");
    finish();
    TEST_ASSERT_EQUAL_INT(0, count("http://") + count("https://") + count("url(") +
                                 count("@import") + count("<script"));
    check_holds("default-src 'none'");
    check_holds("<html lang=\"en\">");
    check_holds("prefers-color-scheme: dark");
    check_holds("@media print");
}

static void test_the_same_calls_give_the_same_bytes(void) {
    pal_html_paragraph(&page, "text %g", 0.1);
    finish();
    char *first = text;
    text = NULL;
    CHECK_OK(pal_html_open(&page, "A <page> & more", &err), err);
    pal_html_paragraph(&page, "text %g", 0.1);
    finish();
    TEST_ASSERT_EQUAL_STRING(first, text);
    free(first);
}

static void test_what_is_in_the_way_is_told(void) {
    char path[512];
    snprintf(path, sizeof path, "%s/no/such.html", check_scratch("missing"));
    CHECK_FAILS(PAL_ERR_IO, "such.html", pal_html_close(&page, path, &err), err);
    TEST_ASSERT_NULL(page.stream);
    snprintf(path, sizeof path, "%s", check_scratch("folder.html"));
    TEST_ASSERT_EQUAL_INT(0, mkdir(path, 0777));
    CHECK_OK(pal_html_open(&page, "x", &err), err);
    CHECK_FAILS(PAL_ERR_IO, "folder.html", pal_html_close(&page, path, &err), err);
    rmdir(path);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_texts_are_escaped_everywhere);
    RUN_TEST(test_bytes_that_are_no_text_are_shown_as_escapes);
    RUN_TEST(test_long_text_is_not_cut);
    RUN_TEST(test_a_table_names_its_columns_and_rows);
    RUN_TEST(test_pictures_are_in_the_page);
    RUN_TEST(test_nothing_comes_from_elsewhere);
    RUN_TEST(test_the_same_calls_give_the_same_bytes);
    RUN_TEST(test_what_is_in_the_way_is_told);
    return UNITY_END();
}
