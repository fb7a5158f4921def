// What a sweep found: a table, JSON, CSV, and a page of small multiples.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/feel/feel_sweep.h"
#include "app/output.h"
#include "app/table.h"
#include "render/report/chart.h"
#include "render/report/html.h"
#include "sim/base/memory.h"

enum { MOST_LINES = 8, MOST_COLUMNS = 10, GATE = 5 }; // GATE: points of both its lines

// A metric has a column when any suite has measured it.
static bool is_measured(const pal_sweep *sweep, int metric) {
    for (int p = 0; p < sweep->point_count; p++) {
        if (pal_scorecard_worst(&sweep->card[p], (pal_metric_id)metric) != NULL) {
            return true;
        }
    }
    return false;
}

static bool is_gated(int metric) {
    return !isnan(pal_metric_at(metric)->limit);
}

// The worst value of a point in SI units, NAN: not measured.
static double worst_of(const pal_sweep *sweep, int point, int metric) {
    const pal_score *score = pal_scorecard_worst(&sweep->card[point], (pal_metric_id)metric);
    return score != NULL ? score->value : NAN;
}

// ---- on the terminal: the gates that differ most need not be looked for in a wide table

void pal_sweep_print(const pal_sweep *sweep) {
    char head[512] = "";
    int shown[MOST_COLUMNS], count = 0;
    for (int a = 0; a < sweep->axis_count; a++) {
        const char *unit = pal_sweep_axis_unit(sweep, a);
        snprintf(head + strlen(head), sizeof head - strlen(head), ">%s%s%s%s|",
                 pal_sweep_axis_name(sweep, a), *unit ? " [" : "", unit, *unit ? "]" : "");
    }
    for (int id = 0; pal_metric_at(id) != NULL && count < MOST_COLUMNS; id++) {
        const pal_metric *metric = pal_metric_at(id);
        if (is_gated(id) && !metric->timing && is_measured(sweep, id)) {
            shown[count++] = id;
            snprintf(head + strlen(head), sizeof head - strlen(head), ">%s%s%s%s|", metric->name,
                     *metric->unit ? " [" : "", metric->unit, *metric->unit ? "]" : "");
        }
    }
    snprintf(head + strlen(head), sizeof head - strlen(head), ">gates failed");
    pal_table table;
    pal_table_start(&table, head);
    for (int p = 0; p < sweep->point_count; p++) {
        for (int a = 0; a < sweep->axis_count; a++) {
            pal_table_cell(&table, "%s", sweep->axis[a].text[pal_sweep_place(sweep, p, a)]);
        }
        for (int k = 0; k < count; k++) {
            const double value = worst_of(sweep, p, shown[k]);
            if (isnan(value)) {
                pal_table_cell(&table, "-");
            } else {
                pal_table_cell(&table, "%.3g", pal_metric_at(shown[k])->scale * value);
            }
        }
        pal_table_cell(&table, "%d", pal_scorecard_tally(&sweep->card[p]).failed);
    }
    pal_table_print(&table, stdout);
}

// ---- files

void pal_sweep_json(const pal_sweep *sweep, cJSON *root) {
    cJSON *list = pal_json_array();
    for (int p = 0; p < sweep->point_count; p++) {
        cJSON *item = pal_json_object(), *worst = pal_json_object();
        for (int a = 0; a < sweep->axis_count; a++) {
            const pal_sweep_axis *axis = &sweep->axis[a];
            const int i = pal_sweep_place(sweep, p, a);
            if (isnan(axis->number[i])) {
                pal_json_text(item, pal_sweep_axis_name(sweep, a), axis->text[i]);
            } else {
                pal_json_number(item, pal_sweep_axis_name(sweep, a), axis->number[i]);
            }
        }
        for (int id = 0; pal_metric_at(id) != NULL; id++) {
            if (is_measured(sweep, id)) {
                pal_json_number(worst, pal_metric_at(id)->key, worst_of(sweep, p, id));
            }
        }
        pal_json_add(item, "worst", worst);
        pal_json_number(item, "gates_failed", pal_scorecard_tally(&sweep->card[p]).failed);
        pal_json_append(list, item);
    }
    pal_json_add(root, "points", list);
}

pal_status pal_sweep_write_csv(const pal_sweep *sweep, const char *path, pal_err *err) {
    pal_output output;
    pal_status status = pal_output_open(&output, err);
    if (status != PAL_OK) {
        return status;
    }
    for (int a = 0; a < sweep->axis_count; a++) {
        fprintf(output.stream, "%s,", pal_sweep_axis_name(sweep, a));
    }
    for (int id = 0; pal_metric_at(id) != NULL; id++) {
        if (is_measured(sweep, id)) {
            fprintf(output.stream, "%s,", pal_metric_at(id)->key);
        }
    }
    fputs("gates_failed\n", output.stream);
    for (int p = 0; p < sweep->point_count; p++) {
        for (int a = 0; a < sweep->axis_count; a++) {
            fprintf(output.stream, "%s,", sweep->axis[a].text[pal_sweep_place(sweep, p, a)]);
        }
        for (int id = 0; pal_metric_at(id) != NULL; id++) {
            const double value = worst_of(sweep, p, id);
            if (is_measured(sweep, id) && isnan(value)) {
                fputc(',', output.stream);
            } else if (is_measured(sweep, id)) {
                fprintf(output.stream, "%.17g,", value);
            }
        }
        fprintf(output.stream, "%d\n", pal_scorecard_tally(&sweep->card[p]).failed);
    }
    return pal_output_close(&output, path, err);
}

// ---- small multiples: a chart for each gated metric, over the first axis; a line for each place
// on the others

typedef struct multiples {
    double *x, *y; // [point_count + GATE] points, line after line, and the gate
    pal_chart_series series[MOST_LINES + 1];
    char name[MOST_LINES][96];
} multiples;

static double place_value(const pal_sweep_axis *axis, int i) {
    return isnan(axis->number[i]) ? i + 1.0 : axis->number[i];
}

// The points of one line have the same places on all axes but the first.
static int set_lines(const pal_sweep *sweep, int metric, multiples *m) {
    const pal_sweep_axis *first = &sweep->axis[0];
    const int lines = sweep->point_count / first->count;
    const double scale = pal_metric_at(metric)->scale;
    double least = 0.0;
    int count = 0, used = 0;
    for (int line = 0; line < lines && count < MOST_LINES; line++, count++) {
        m->name[count][0] = '\0';
        m->series[count] =
            (pal_chart_series){.name = lines > 1 ? m->name[count] : NULL,
                               .style = isnan(first->number[0]) ? PAL_CHART_POINTS : PAL_CHART_LINE,
                               .x = m->x + used,
                               .y = m->y + used,
                               .count = first->count};
        for (int a = 1; a < sweep->axis_count; a++) {
            const size_t length = strlen(m->name[count]);
            snprintf(m->name[count] + length, sizeof m->name[0] - length, "%s%s %s",
                     a > 1 ? ", " : "", pal_sweep_axis_name(sweep, a),
                     sweep->axis[a].text[pal_sweep_place(sweep, line, a)]);
        }
        for (int i = 0; i < first->count; i++, used++) {
            m->x[used] = place_value(first, i);
            m->y[used] = scale * worst_of(sweep, i * lines + line, metric);
            least = fmin(least, m->y[used]);
        }
    }
    const bool two_sided = least < 0.0;
    const double limit = scale * pal_metric_at(metric)->limit;
    const double start = place_value(first, 0), end = place_value(first, first->count - 1);
    m->series[count] = (pal_chart_series){.name = "gate",
                                          .style = PAL_CHART_LINE,
                                          .x = m->x + used,
                                          .y = m->y + used,
                                          .count = two_sided ? GATE : 2};
    memcpy(m->x + used, (const double[GATE]){start, end, NAN, start, end}, GATE * sizeof *m->x);
    memcpy(m->y + used, (const double[GATE]){limit, limit, NAN, -limit, -limit},
           GATE * sizeof *m->y);
    return count + 1;
}

static pal_status add_multiple(const pal_sweep *sweep, int metric, multiples *m, pal_html *html,
                               pal_err *err) {
    const pal_metric *what = pal_metric_at(metric);
    char x_label[64], *svg;
    const char *unit = pal_sweep_axis_unit(sweep, 0);
    snprintf(x_label, sizeof x_label, "%s%s%s%s", pal_sweep_axis_name(sweep, 0), *unit ? " (" : "",
             unit, *unit ? ")" : "");
    const pal_chart chart = {.title = what->name,
                             .x_label = x_label,
                             .y_label = *what->unit ? what->unit : what->name,
                             .width = 420,
                             .height = 280,
                             .series_count = set_lines(sweep, metric, m),
                             .series = m->series};
    pal_status status = pal_chart_svg(&chart, &svg, err);
    if (status == PAL_OK) {
        pal_html_svg(html, svg, what->definition);
        free(svg);
    }
    return status;
}

static pal_status fill_page(const pal_sweep *sweep, const char *scene, multiples *m, pal_html *html,
                            pal_err *err) {
    pal_status status = PAL_OK;
    pal_html_heading(html, 1, "top", "Contact feel, varied");
    pal_html_paragraph(html,
                       "Scene %s: %d suites of trials. Each chart shows the worst value of a "
                       "metric in a suite, and its gate.",
                       scene, sweep->point_count);
    if (sweep->point_count / sweep->axis[0].count > MOST_LINES) {
        pal_html_paragraph(html, "Only the first %d lines are drawn; the table has all.",
                           MOST_LINES);
    }
    pal_html_figures(html);
    for (int id = 0; status == PAL_OK && pal_metric_at(id) != NULL; id++) {
        if (is_gated(id) && is_measured(sweep, id)) {
            status = add_multiple(sweep, id, m, html, err);
        }
    }
    pal_html_figures_end(html);
    return status;
}

pal_status pal_sweep_write_html(const pal_sweep *sweep, const char *scene, const char *path,
                                pal_err *err) {
    pal_html html;
    multiples m = {.x = PAL_NEW(double, sweep->point_count + GATE, err),
                   .y = PAL_NEW(double, sweep->point_count + GATE, err)};
    pal_status status = m.x != NULL && m.y != NULL
                            ? pal_html_open(&html, "palpate feel: a sweep", err)
                            : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = fill_page(sweep, scene, &m, &html, err);
        if (status == PAL_OK) {
            status = pal_html_close(&html, path, err);
        } else {
            pal_html_drop(&html);
        }
    }
    free(m.x);
    free(m.y);
    return status;
}
