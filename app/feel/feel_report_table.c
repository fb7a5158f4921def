// The verdicts of a report.
#include <math.h>
#include <string.h>

#include "app/feel/feel_report_parts.h"

const pal_feel_trial *pal_report_find(const pal_feel *feel, const char *name) {
    for (int i = 0; feel != NULL && i < feel->trial_count; i++) {
        if (strcmp(feel->trial[i].name, name) == 0) {
            return &feel->trial[i];
        }
    }
    return NULL;
}

// ---- values

static const char *verdict_class(pal_verdict verdict) {
    static const char *const name[] = {[PAL_VERDICT_PASS] = "pass",
                                       [PAL_VERDICT_FAIL] = "fail",
                                       [PAL_VERDICT_REPORTED] = "reported",
                                       [PAL_VERDICT_UNKNOWN] = "unknown"};
    return name[verdict];
}

// Three digits that count, without an exponent where people write none, and with a true minus.
static void write_number(double value, char *text, size_t size) {
    const double large = fabs(value);
    const char *sign = value < 0.0 ? "\u2212" : "";
    const int whole = large >= 1.0 ? (int)floor(log10(large)) + 1 : 1;
    if (large >= 1e7 || large < 0.1) {
        snprintf(text, size, "%s%.2g", sign, large);
    } else {
        snprintf(text, size, "%s%.*f", sign, whole >= 3 ? 0 : 3 - whole, large);
    }
}

// "us" is what can be typed.
static const char *unit_of(const pal_metric *metric) {
    return strcmp(metric->unit, "us") == 0 ? "\u00b5s" : metric->unit;
}

void pal_report_value(const pal_metric *metric, double value, char *text, size_t size) {
    char number[32];
    if (!isfinite(value)) {
        snprintf(text, size, "%s", isnan(value) ? "\u2013" : "\u221e");
        return;
    }
    write_number(metric->scale * value, number, sizeof number);
    snprintf(text, size, "%s %s", number, unit_of(metric));
}

static void write_gate(const pal_metric *metric, char *text, size_t size) {
    char number[32];
    if (isnan(metric->limit)) {
        snprintf(text, size, "\u2013");
        return;
    }
    snprintf(number, sizeof number, "%.4g", metric->scale * metric->limit);
    snprintf(text, size, metric->limit == 0.0 ? "%s %s" : "\u2264 %s %s", number, unit_of(metric));
}

// What a score means to the hand; why there is none, where there is none.
static const char *meaning(const pal_metric *metric, const pal_score *score) {
    if (score->verdict == PAL_VERDICT_UNKNOWN) {
        return score->note[0] != '\0' ? score->note : "Not measured.";
    }
    return score->verdict == PAL_VERDICT_FAIL ? metric->fails : metric->passes;
}

// ---- beside another suite

// How a value stands to another: a change of less than a hundredth, of itself or of its gate, is
// none. Nearer to zero is better where there is a gate.
static const char *compare(const pal_metric *metric, double value, double other) {
    if (isnan(value) && isnan(other)) {
        return "same";
    }
    const double gate = isnan(metric->limit) ? 0.0 : fabs(metric->limit);
    const double small = 0.01 * fmax(fmax(fabs(value), fabs(other)), gate);
    if (fabs(value - other) <= small) {
        return "same";
    }
    const double farther = fabs(value) - fabs(other); // from zero
    if (isnan(metric->limit) || isnan(farther) || fabs(farther) <= small) {
        return "changed";
    }
    return farther < 0.0 ? "better" : "worse";
}

static void add_comparison(pal_html *html, const pal_metric *metric, const pal_score *score,
                           const pal_score *other) {
    char text[64], words[96];
    const double value = score != NULL ? score->value : NAN;
    const double before = other != NULL ? other->value : NAN;
    const char *how = compare(metric, value, before);
    pal_report_value(metric, before, text, sizeof text);
    pal_html_cell(html, "%s", text);
    // What is better or worse is nearer to zero or farther by so much
    pal_report_value(metric,
                     strcmp(how, "changed") == 0 ? fabs(value - before)
                                                 : fabs(fabs(value) - fabs(before)),
                     text, sizeof text);
    if (strcmp(how, "same") == 0 || isnan(value - before)) {
        snprintf(words, sizeof words, "%s", how);
    } else {
        snprintf(words, sizeof words, "%s by %s", how, text);
    }
    pal_html_mark(html, how, words);
}

static const char *row_class(const pal_metric *metric, const pal_score *score,
                             const pal_score *other, bool compared) {
    const bool differs = compared && (other == NULL || score->verdict != other->verdict ||
                                      strcmp(compare(metric, score->value, other->value), "same"));
    return score->verdict == PAL_VERDICT_FAIL ? "fail"
           : differs                          ? "changed"
                                              : verdict_class(score->verdict);
}

// ---- the tables

// One row of the table of all: `other` counts when compared.
static void add_verdict(pal_html *html, const pal_metric *metric, const pal_score *score,
                        const pal_score *other, bool compared) {
    char value[64], gate[64];
    pal_report_value(metric, score->value, value, sizeof value);
    write_gate(metric, gate, sizeof gate);
    pal_html_row(html, row_class(metric, score, other, compared));
    pal_html_cell(html, "%s", metric->name);
    pal_html_cell(html, "%s", value);
    if (compared) {
        add_comparison(html, metric, score, other);
    }
    pal_html_cell(html, "%s", gate);
    pal_html_mark(html, verdict_class(score->verdict), pal_verdict_name(score->verdict));
    pal_html_cell(html, "%s", score->verdict == PAL_VERDICT_UNKNOWN ? "\u2013" : score->trial);
    pal_html_cell(html, "%s", meaning(metric, score));
}

static void add_result(pal_html *html, const pal_scorecard *card, const char *who) {
    const pal_tally tally = pal_scorecard_tally(card);
    const int gates = tally.passed + tally.failed;
    char rest[80] = ".";
    if (tally.unmeasured > 0) {
        snprintf(rest, sizeof rest, "; %d could not be measured.", tally.unmeasured);
    }
    if (gates == 0) {
        pal_html_remark(html, "unknown", "%sNo gate could be judged%s", who, rest);
    } else if (tally.failed == 0) {
        pal_html_remark(html, "pass", "%sAll %d gates pass%s", who, gates, rest);
    } else {
        pal_html_remark(html, "fail", "%s%d of %d gates pass%s", who, tally.passed, gates, rest);
    }
}

void pal_report_verdicts(pal_html *html, const pal_feel *feel, const pal_feel *other) {
    static const pal_verdict order[] = {PAL_VERDICT_FAIL, PAL_VERDICT_PASS, PAL_VERDICT_REPORTED,
                                        PAL_VERDICT_UNKNOWN};
    add_result(html, &feel->card, other != NULL ? "This: " : "");
    if (other != NULL) {
        add_result(html, &other->card, "The other: ");
    }
    pal_html_heading(html, 2, "verdicts", "Verdicts");
    pal_html_table_of(html, "Each metric by the trial in which it was worst; failures first.",
                      other != NULL
                          ? "metric|>this|>other|difference|>gate|verdict|worst in|what it means"
                          : "metric|>value|>gate|verdict|worst in|what it means");
    for (int v = 0; v < 4; v++) {
        for (int id = 0; pal_metric_at(id) != NULL; id++) {
            const pal_score *score = pal_scorecard_speaks(&feel->card, (pal_metric_id)id);
            if (score != NULL && score->verdict == order[v]) {
                add_verdict(html, pal_metric_at(id), score,
                            other != NULL ? pal_scorecard_speaks(&other->card, (pal_metric_id)id)
                                          : NULL,
                            other != NULL);
            }
        }
    }
    pal_html_table_end(html);
}

static const pal_score *find(const pal_scorecard *card, int metric) {
    for (int i = 0; card != NULL && i < card->count; i++) {
        if ((int)card->score[i].metric == metric) {
            return &card->score[i];
        }
    }
    return NULL;
}

// One row of a table of one trial.
static void add_score(pal_html *html, const pal_score *score, const pal_feel_trial *other) {
    const pal_metric *metric = pal_metric_at((int)score->metric);
    const pal_score *before = other != NULL ? find(&other->card, (int)score->metric) : NULL;
    char text[64];
    pal_html_row(html, row_class(metric, score, before, other != NULL));
    pal_html_cell(html, "%s", metric->name);
    pal_report_value(metric, score->value, text, sizeof text);
    pal_html_cell(html, "%s", text);
    if (other != NULL) {
        add_comparison(html, metric, score, before);
    }
    write_gate(metric, text, sizeof text);
    pal_html_cell(html, "%s", text);
    pal_html_mark(html, verdict_class(score->verdict), pal_verdict_name(score->verdict));
    pal_html_cell(html, "%s", score->note);
}

void pal_report_scores(pal_html *html, const pal_feel_trial *trial, const pal_feel_trial *other) {
    pal_html_table_of(html, "Scores of this trial",
                      other != NULL ? "metric|>this|>other|difference|>gate|verdict|compared with"
                                    : "metric|>value|>gate|verdict|compared with");
    for (int i = 0; i < trial->card.count; i++) {
        if (!pal_metric_at((int)trial->card.score[i].metric)->timing) {
            add_score(html, &trial->card.score[i], other);
        }
    }
    pal_html_table_end(html);
}

void pal_report_tick_times(pal_html *html, const pal_feel *feel) {
    static const int column[] = {PAL_METRIC_COMPUTE_P50, PAL_METRIC_COMPUTE_P99,
                                 PAL_METRIC_COMPUTE_P9999, PAL_METRIC_COMPUTE_MAX};
    pal_html_table_of(html, "Compute time of a tick; the gate is on p99.99",
                      "trial|>median|>p99|>p99.99|>longest|verdict");
    for (int i = 0; i < feel->trial_count; i++) {
        const pal_feel_trial *trial = &feel->trial[i];
        const pal_score *judged = find(&trial->card, PAL_METRIC_COMPUTE_P9999);
        const pal_verdict verdict = judged != NULL ? judged->verdict : PAL_VERDICT_UNKNOWN;
        pal_html_row(html, verdict_class(verdict));
        pal_html_cell(html, "%s", trial->name);
        for (int c = 0; c < 4; c++) {
            const pal_score *score = find(&trial->card, column[c]);
            char text[64];
            pal_report_value(pal_metric_at(column[c]), score != NULL ? score->value : NAN, text,
                             sizeof text);
            pal_html_cell(html, "%s", text);
        }
        pal_html_mark(html, verdict_class(verdict), pal_verdict_name(verdict));
    }
    pal_html_table_end(html);
}

void pal_report_left_out(pal_html *html, const pal_feel *feel) {
    if (feel->left_out_count == 0) {
        return;
    }
    pal_html_table_of(html, "Standard trials that this scene does not have", "trial|why");
    for (int i = 0; i < feel->left_out_count; i++) {
        pal_html_row(html, NULL);
        pal_html_cell(html, "%s", feel->left_out[i].name);
        pal_html_cell(html, "%s", feel->left_out[i].why);
    }
    pal_html_table_end(html);
}

void pal_report_incidents(pal_html *html, const pal_feel *feel) {
    int count = 0;
    for (int i = 0; i < feel->trial_count; i++) {
        const pal_incident *incident = &feel->trial[i].incident;
        if (incident->kind == PAL_INCIDENT_NONE) {
            continue;
        }
        if (count++ == 0) {
            pal_html_table_of(html, "Trials that went otherwise than meant", "trial|came to|why");
        }
        pal_html_row(html, NULL);
        pal_html_cell(html, "%s", feel->trial[i].name);
        pal_html_cell(html, "%s", pal_incident_name(incident->kind));
        pal_html_cell(html, "%s", incident->why);
    }
    if (count > 0) {
        pal_html_table_end(html);
    }
}
