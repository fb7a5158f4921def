// From gnuplot's SVG to one that lives in a page: colours by variables of the page, the page's
// lettering, a name for those who do not see it, no definitions (names would clash between charts)
// and no empty groups.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/report/chart_parts.h"
#include "render/report/html.h"

static const char *const colour[] = {
    [1] = "var(--pal-1,#0b62a8)",
    [2] = "var(--pal-2,#c4560a)",
    [3] = "var(--pal-3,#00805e)",
    [4] = "var(--pal-4,#8c4799)",
    [5] = "var(--pal-5,#7a6a00)",
    [6] = "var(--pal-6,#5a646d)",
    [PAL_CHART_HEAD] = "currentColor\" font-weight=\"600", // only texts have it, in such quotes
    [PAL_CHART_GRID] = "var(--pal-grid,#dfe3e6)",
    [PAL_CHART_AXIS] = "var(--pal-6,#5a646d)",
    [PAL_CHART_BAND] = "var(--pal-band,#f3e3c3)",
};
enum { COLOURS = sizeof colour / sizeof *colour };

// What stands in a tag, and in its place. (gnuplot's markers are definitions: gpPt4, 6 and 8 are
// the filled square, circle and triangle.)
static const char *const exchange[][2] = {
    {"use xlink:href='#gpPt4'", "path d='M-1,-1H1V1H-1Z' fill='currentColor' stroke='none'"},
    {"use xlink:href='#gpPt6'", "circle r='1' fill='currentColor' stroke='none'"},
    {"use xlink:href='#gpPt8'",
     "path d='M0,-1.33L-1.33,0.67H1.33Z' fill='currentColor' stroke='none'"},
    {"polygon fill =", "polygon shape-rendering='crispEdges' fill="}, // no seams between cells
    {" font-family=\"sans-serif\"", ""},
    {" stroke-linecap=\"butt\"", ""},
    {" stroke-linejoin=\"miter\"", " stroke-linejoin=\"round\""},
    {"\"black\"", "\"currentColor\""},
    {"'black'", "'currentColor'"},
    {"\"white\"", "\"none\""},
};

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

// The meaning of a colour "rgb(  3,   3,   3)" at text, and its length; NULL: none of ours.
static const char *find_colour(const char *text, int *length) {
    int r, g, b;
    *length = 0;
    const bool ours = sscanf(text, "rgb(%d,%d,%d)%n", &r, &g, &b, length) == 3 && *length > 0 &&
                      r == g && g == b && r > 0 && r < COLOURS;
    return ours ? colour[r] : NULL;
}

// A tag from its '<' to its '>', both included; names are left out.
static void write_tag(FILE *out, const char *tag, const char *end) {
    for (const char *at = tag; at <= end;) {
        int length;
        const char *meaning = begins(at, "rgb(") ? find_colour(at, &length) : NULL;
        if (meaning != NULL) {
            fputs(meaning, out);
            at += length;
            continue;
        }
        if (begins(at, " id=\"")) {
            at = strchr(at + 5, '"') + 1;
            continue;
        }
        size_t i = 0;
        while (i < sizeof exchange / sizeof *exchange && !begins(at, exchange[i][0])) {
            i++;
        }
        if (i < sizeof exchange / sizeof *exchange) {
            fputs(exchange[i][1], out);
            at += strlen(exchange[i][0]);
        } else {
            fputc(*at++, out);
        }
    }
}

static void write_head(FILE *out, const pal_chart *chart) {
    fprintf(out,
            "<svg viewBox=\"0 0 %g %g\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
            "font-family=\"sans-serif\" aria-label=\"",
            pal_chart_width(chart), pal_chart_height(chart));
    pal_html_escape(out, chart->title != NULL ? chart->title : "chart");
    if (chart->y_label != NULL && chart->x_label != NULL) {
        fputs(": ", out);
        pal_html_escape(out, chart->y_label);
        fputs(" over ", out);
        pal_html_escape(out, chart->x_label);
    }
    fputs("\">\n", out);
}

static bool is_space(const char *from, const char *to) {
    return from + strspn(from, " \t\r\n") >= to;
}

// All after the definitions. A group that has just begun waits: when it ends at once, it goes.
static void write_rest(FILE *out, const char *at) {
    const char *group = NULL, *group_end = NULL;
    while (*at != '\0') {
        if (*at != '<') {
            const char *next = at + strcspn(at, "<");
            if (!is_space(at, next)) {
                fwrite(at, 1, (size_t)(next - at), out);
            }
            at = next;
            continue;
        }
        // The titles are the names that gnuplot has for its plots
        const char *end = begins(at, "<title>") ? strstr(at, "</title>") : strchr(at, '>');
        if (end == NULL) {
            break;
        }
        if (begins(end, "</title>")) {
            at = end + strlen("</title>");
            continue;
        }
        if (group != NULL && begins(at, "</g>")) {
            group = NULL;
        } else {
            if (group != NULL) {
                write_tag(out, group, group_end);
                group = NULL;
            }
            if (begins(at, "<g ") || begins(at, "<g>")) {
                group = at;
                group_end = end;
            } else {
                write_tag(out, at, end);
                fputs(end[-1] == '/' || at[1] == '/' ? "\n" : "", out);
            }
        }
        at = end + 1;
    }
}

pal_status pal_chart_tidy(const pal_chart *chart, const char *drawing, char **svg, pal_err *err) {
    size_t size;
    const char *rest = strstr(drawing, "</defs>");
    *svg = NULL;
    if (rest == NULL || strstr(rest, "</svg>") == NULL) {
        return pal_fail(err, PAL_ERR_IO, "gnuplot drew something else than a whole SVG");
    }
    FILE *out = open_memstream(svg, &size);
    if (out == NULL) {
        return pal_fail(err, PAL_ERR_MEMORY, "out of memory for a chart");
    }
    write_head(out, chart);
    fputs("<g>", out); // gnuplot's group of all, whose tag stands before the definitions
    write_rest(out, rest + strlen("</defs>"));
    const bool bad = ferror(out) != 0;
    if (fclose(out) != 0 || bad) {
        free(*svg);
        *svg = NULL;
        return pal_fail(err, PAL_ERR_MEMORY, "out of memory for a chart");
    }
    return PAL_OK;
}
