#include "render/report/html.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/visible.h"

// ---- text

int pal_html_character(const char *at) {
    const bool white = *at == '\t' || *at == '\n' || *at == '\r';
    const int size = white ? 1 : pal_visible_size(at, PAL_VISIBLE_MOST); // the NUL ends it
    return size > 0 ? size : 0;
}

void pal_html_no_character(FILE *out, char byte) {
    fprintf(out, "\\x%02x", (unsigned)(unsigned char)byte);
}

void pal_html_escape(FILE *out, const char *text) {
    for (const char *at = text; *at != '\0';) {
        const int size = pal_html_character(at);
        switch (*at) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        case '\'':
            fputs("&#39;", out);
            break;
        default:
            if (size == 0) {
                pal_html_no_character(out, *at);
            } else {
                fwrite(at, 1, (size_t)size, out);
            }
        }
        at += size > 0 ? size : 1;
    }
}

// Formatted and escaped, of any length.
static void escape_format(FILE *out, const char *format, va_list args) {
    char few[512], *text = few;
    va_list again;
    va_copy(again, args);
    const int length = vsnprintf(few, sizeof few, format, args);
    if (length >= (int)sizeof few) {
        char *many = malloc((size_t)length + 1);
        if (many != NULL) { // else: cut off
            vsnprintf(many, (size_t)length + 1, format, again);
            text = many;
        }
    }
    va_end(again);
    if (length >= 0) {
        pal_html_escape(out, text);
    }
    if (text != few) {
        free(text);
    }
}

// ---- the page

pal_status pal_html_open(pal_html *html, const char *title, pal_err *err) {
    memset(html, 0, sizeof *html);
    html->stream = open_memstream(&html->data, &html->size);
    if (html->stream == NULL) {
        return pal_fail(err, PAL_ERR_MEMORY, "out of memory for a report");
    }
    // The policy holds browsers to it: nothing from elsewhere, no script
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'; img-src data:\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>",
          html->stream);
    pal_html_escape(html->stream, title);
    fputs("</title>\n<style>\n", html->stream);
    for (int i = 0; pal_html_style[i] != NULL; i++) {
        fputs(pal_html_style[i], html->stream);
    }
    fputs("</style>\n</head>\n<body>\n<main>\n", html->stream);
    return PAL_OK;
}

void pal_html_heading(pal_html *html, int level, const char *id, const char *text) {
    fprintf(html->stream, "<h%d", level);
    if (id != NULL) {
        fputs(" id=\"", html->stream);
        pal_html_escape(html->stream, id);
        fputs("\"", html->stream);
    }
    fputs(">", html->stream);
    pal_html_escape(html->stream, text);
    fprintf(html->stream, "</h%d>\n", level);
}

void pal_html_paragraph(pal_html *html, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("<p>", html->stream);
    escape_format(html->stream, format, args);
    fputs("</p>\n", html->stream);
    va_end(args);
}

void pal_html_remark(pal_html *html, const char *text_class, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(html->stream, "<p class=\"remark %s\">", text_class);
    escape_format(html->stream, format, args);
    fputs("</p>\n", html->stream);
    va_end(args);
}

void pal_html_pre(pal_html *html, const char *text) {
    fputs("<pre tabindex=\"0\">", html->stream);
    pal_html_escape(html->stream, text);
    fputs("</pre>\n", html->stream);
}

void pal_html_links(pal_html *html, const char *label) {
    fputs("<nav aria-label=\"", html->stream);
    pal_html_escape(html->stream, label);
    fputs("\"><ul>\n", html->stream);
}

void pal_html_link(pal_html *html, const char *id, const char *text) {
    fputs("<li><a href=\"#", html->stream);
    pal_html_escape(html->stream, id);
    fputs("\">", html->stream);
    pal_html_escape(html->stream, text);
    fputs("</a></li>\n", html->stream);
}

void pal_html_links_end(pal_html *html) {
    fputs("</ul></nav>\n", html->stream);
}

void pal_html_fold(pal_html *html, const char *summary) {
    fputs("<details>\n<summary>", html->stream);
    pal_html_escape(html->stream, summary);
    fputs("</summary>\n", html->stream);
}

void pal_html_fold_end(pal_html *html) {
    fputs("</details>\n", html->stream);
}

void pal_html_terms(pal_html *html) {
    fputs("<dl>\n", html->stream);
}

void pal_html_term(pal_html *html, const char *term, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("<div><dt>", html->stream);
    pal_html_escape(html->stream, term);
    fputs("</dt><dd>", html->stream);
    escape_format(html->stream, format, args);
    fputs("</dd></div>\n", html->stream);
    va_end(args);
}

void pal_html_terms_end(pal_html *html) {
    fputs("</dl>\n", html->stream);
}

// ---- tables

static void take_headings(pal_html *html, const char *headings) {
    html->columns = 0;
    html->column = 0;
    html->open_rows = 0;
    for (const char *at = headings; at != NULL && html->columns < PAL_HTML_COLUMNS;) {
        const int c = html->columns++;
        html->right[c] = *at == '>';
        at += html->right[c];
        const size_t length = strcspn(at, "|");
        snprintf(html->heading[c], PAL_HTML_HEADING, "%.*s", (int)length, at);
        at = at[length] == '|' ? at + length + 1 : NULL;
    }
}

void pal_html_table_of(pal_html *html, const char *caption, const char *headings) {
    take_headings(html, headings);
    // What is too wide scrolls by itself, or, with many columns, turns into cards on a phone
    fprintf(html->stream, "<div class=\"scroll\" tabindex=\"0\">\n<table%s>\n",
            html->columns > 4 ? " class=\"cards\"" : "");
    if (caption != NULL) {
        fputs("<caption>", html->stream);
        pal_html_escape(html->stream, caption);
        fputs("</caption>\n", html->stream);
    }
    fputs("<thead><tr>", html->stream);
    for (int c = 0; c < html->columns; c++) {
        fprintf(html->stream, "<th scope=\"col\"%s>", html->right[c] ? " class=\"number\"" : "");
        pal_html_escape(html->stream, html->heading[c]);
        fputs("</th>", html->stream);
    }
    fputs("</tr></thead>\n<tbody>\n", html->stream);
}

void pal_html_table(pal_html *html, const char *headings) {
    pal_html_table_of(html, NULL, headings);
}

static void end_row(pal_html *html) {
    if (html->open_rows > 0) {
        fputs("</tr>\n", html->stream);
    }
    html->open_rows = 0;
}

void pal_html_row(pal_html *html, const char *row_class) {
    end_row(html);
    html->open_rows = 1;
    html->column = 0;
    fputs("<tr", html->stream);
    if (row_class != NULL) {
        fprintf(html->stream, " class=\"%s\"", row_class);
    }
    fputs(">", html->stream);
}

// The first cell of a row is its heading.
static const char *begin_cell(pal_html *html) {
    const int c = html->column < PAL_HTML_COLUMNS ? html->column : PAL_HTML_COLUMNS - 1;
    const bool first = html->column++ == 0;
    fprintf(html->stream, first ? "<th scope=\"row\"%s data-label=\"" : "<td%s data-label=\"",
            html->right[c] ? " class=\"number\"" : "");
    pal_html_escape(html->stream, html->heading[c]);
    fputs("\">", html->stream);
    return first ? "</th>" : "</td>";
}

void pal_html_cell(pal_html *html, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *end = begin_cell(html);
    escape_format(html->stream, format, args);
    fputs(end, html->stream);
    va_end(args);
}

void pal_html_mark(pal_html *html, const char *mark_class, const char *text) {
    const char *end = begin_cell(html);
    fprintf(html->stream, "<span class=\"mark %s\">", mark_class);
    pal_html_escape(html->stream, text);
    fprintf(html->stream, "</span>%s", end);
}

void pal_html_table_end(pal_html *html) {
    end_row(html);
    fputs("</tbody>\n</table>\n</div>\n", html->stream);
}

// ---- figures

void pal_html_figures(pal_html *html) {
    fputs("<div class=\"figures\">\n", html->stream);
}

static void end_figure(pal_html *html, const char *caption) {
    fputs("\n<figcaption>", html->stream);
    pal_html_escape(html->stream, caption);
    fputs("</figcaption>\n</figure>\n", html->stream);
}

void pal_html_svg(pal_html *html, const char *svg, const char *caption) {
    fprintf(html->stream, "<figure class=\"chart\">\n%s", svg);
    end_figure(html, caption);
}

static void write_base64(FILE *out, const uint8_t *data, size_t size) {
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const uint32_t left = (uint32_t)(size - i);
        const uint32_t bits = (uint32_t)data[i] << 16 |
                              (left > 1 ? (uint32_t)data[i + 1] << 8 : 0) |
                              (left > 2 ? data[i + 2] : 0);
        fputc(digit[bits >> 18], out);
        fputc(digit[bits >> 12 & 63], out);
        fputc(left > 1 ? digit[bits >> 6 & 63] : '=', out);
        fputc(left > 2 ? digit[bits & 63] : '=', out);
    }
}

static uint32_t read_big_endian(const uint8_t *data) {
    return (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 | (uint32_t)data[2] << 8 | data[3];
}

void pal_html_png(pal_html *html, const void *png, size_t size, const char *caption) {
    const uint8_t *data = png;
    fputs("<figure class=\"picture\">\n<img alt=\"", html->stream);
    pal_html_escape(html->stream, caption);
    fputs("\"", html->stream);
    if (size >= 24) { // the size is at the head of every PNG: the page need not move when it loads
        fprintf(html->stream, " width=\"%u\" height=\"%u\"", (unsigned)read_big_endian(data + 16),
                (unsigned)read_big_endian(data + 20));
    }
    fputs(" src=\"data:image/png;base64,", html->stream);
    write_base64(html->stream, data, size);
    fputs("\">", html->stream);
    end_figure(html, caption);
}

void pal_html_figures_end(pal_html *html) {
    fputs("</div>\n", html->stream);
}

// ---- the end

void pal_html_drop(pal_html *html) {
    if (html->stream != NULL) {
        fclose(html->stream);
    }
    free(html->data);
    memset(html, 0, sizeof *html);
}

pal_status pal_html_close(pal_html *html, const char *path, pal_err *err) {
    fputs("</main>\n</body>\n</html>\n", html->stream);
    const bool bad = ferror(html->stream) != 0;
    const bool whole = fclose(html->stream) == 0 && !bad;
    html->stream = NULL;
    const pal_status status =
        whole ? pal_file_write_atomic(path, html->data, html->size, err)
              : pal_fail(err, PAL_ERR_MEMORY, "%s: out of memory for the report", path);
    pal_html_drop(html);
    return status;
}
