// A self-contained HTML page: no network, no script, opens from disk, prints well, follows the
// reader's choice of light or dark, readable on a phone. Texts are escaped here, and bytes that are
// no UTF-8 are replaced. The same calls give the same bytes. Trouble with memory is told by
// pal_html_close.
#ifndef PAL_REPORT_HTML_H
#define PAL_REPORT_HTML_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/base/status.h"

enum { PAL_HTML_COLUMNS = 16, PAL_HTML_HEADING = 48 };

typedef struct pal_html {
    FILE *stream;
    char *data;
    size_t size;
    int open_rows; // of the table under way: 1 within a row
    // Of the table under way, for phones, where each cell stands under its heading.
    int columns, column;
    bool right[PAL_HTML_COLUMNS];
    char heading[PAL_HTML_COLUMNS][PAL_HTML_HEADING];
} pal_html;

pal_status pal_html_open(pal_html *html, const char *title, pal_err *err);
void pal_html_heading(pal_html *html, int level, const char *id, const char *text);
void pal_html_paragraph(pal_html *html, const char *format, ...) PAL_PRINTF(2, 3);
// A paragraph that stands out: the result in one sentence, a remark; classes as for rows, "note"
// and "about".
void pal_html_remark(pal_html *html, const char *text_class, const char *format, ...)
    PAL_PRINTF(3, 4);
// Text as it is, line by line.
void pal_html_pre(pal_html *html, const char *text);

// Links to headings of this page, by their ids: begin, links, end.
void pal_html_links(pal_html *html, const char *label);
void pal_html_link(pal_html *html, const char *id, const char *text);
void pal_html_links_end(pal_html *html);

// A part that the reader unfolds; printed unfolded.
void pal_html_fold(pal_html *html, const char *summary);
void pal_html_fold_end(pal_html *html);

// Terms with what they mean: begin, terms, end.
void pal_html_terms(pal_html *html);
void pal_html_term(pal_html *html, const char *term, const char *format, ...) PAL_PRINTF(3, 4);
void pal_html_terms_end(pal_html *html);

// A table: headings separated by '|', a leading '>' for numbers, as in app/table.h.
void pal_html_table(pal_html *html, const char *headings);
// The same with a caption above it.
void pal_html_table_of(pal_html *html, const char *caption, const char *headings);
// A row; class NULL or one of "pass", "fail", "reported", "unknown", "changed".
void pal_html_row(pal_html *html, const char *row_class);
void pal_html_cell(pal_html *html, const char *format, ...) PAL_PRINTF(2, 3);
// A cell with a mark before its text, so that the verdict is not told by colour alone; classes as
// for rows, and "better", "worse", "same".
void pal_html_mark(pal_html *html, const char *mark_class, const char *text);
void pal_html_table_end(pal_html *html);

// Figures stand side by side where there is room: begin, figures, end.
void pal_html_figures(pal_html *html);
void pal_html_svg(pal_html *html, const char *svg, const char *caption);
void pal_html_png(pal_html *html, const void *png, size_t size, const char *caption);
void pal_html_figures_end(pal_html *html);

// Writes the page to path, whole or not at all, and frees it, also on failure.
pal_status pal_html_close(pal_html *html, const char *path, pal_err *err);
// Frees it unwritten.
void pal_html_drop(pal_html *html);

// Text, escaped for an element or an attribute in quotes.
void pal_html_escape(FILE *out, const char *text);

// How many bytes the UTF-8 character at text has; 0: it is none, or a control character. And what
// stands in the place of such a byte: \x1b.
int pal_html_character(const char *text);
void pal_html_no_character(FILE *out, char byte);

// The style sheet, in pieces, NULL at the end (html_style.c).
extern const char *const pal_html_style[];

#endif
