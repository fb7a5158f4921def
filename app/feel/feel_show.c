#include "app/feel/feel_show.h"

#include <math.h>
#include <string.h>

#include "app/options.h"
#include "app/style.h"
#include "app/table.h"

// ---- for people

// "3.1 %", "12 mN", or "-"
static pal_words value_words(const pal_metric *metric, double value) {
    pal_words words;
    if (isnan(value)) {
        snprintf(words.text, sizeof words.text, "-");
    } else {
        snprintf(words.text, sizeof words.text, "%.3g%s%s", metric->scale * value,
                 metric->unit[0] != '\0' ? " " : "", metric->unit);
    }
    return words;
}

static void add_row(pal_table *table, const pal_score *score) {
    const pal_metric *metric = pal_metric_at((int)score->metric);
    pal_table_cell(table, "%s", metric->name);
    pal_table_cell(table, "%s", value_words(metric, score->value).text);
    pal_table_cell(table, "%s",
                   isnan(metric->limit) ? "" : value_words(metric, metric->limit).text);
    pal_table_cell(table, "%s", pal_verdict_name(score->verdict));
    pal_table_cell(table, "%s", score->trial);
    pal_table_cell(table, "%s", score->note);
}

static const pal_feel_trial *find_trial(const pal_feel *feel, const char *name) {
    int i = 0;
    while (i < feel->trial_count && strcmp(feel->trial[i].name, name) != 0) {
        i++;
    }
    return i < feel->trial_count ? &feel->trial[i] : NULL;
}

// What a failed gate means; and what befell its trial.
static void print_failure(const pal_feel *feel, const pal_score *worst) {
    const pal_metric *metric = pal_metric_at((int)worst->metric);
    const pal_feel_trial *trial = find_trial(feel, worst->trial);
    const bool calm = trial == NULL || trial->incident.kind == PAL_INCIDENT_CUT;
    const char *befell = calm ? "" : pal_incident_name(trial->incident.kind);
    printf("\n  %s%s%s (%s%s%s): %s\n", pal_style_alarm(stdout), metric->name,
           pal_style_plain(stdout), worst->trial, befell[0] != '\0' ? ", " : "", befell,
           metric->fails);
}

void pal_feel_print(const pal_feel *feel) {
    const pal_scorecard *card = &feel->card;
    pal_table table;
    pal_table_start(&table, "metric|>worst|>gate|verdict|trial|note");
    static const pal_verdict order[] = {PAL_VERDICT_FAIL, PAL_VERDICT_PASS, PAL_VERDICT_REPORTED,
                                        PAL_VERDICT_UNKNOWN};
    for (int i = 0; i < 4; i++) {
        for (int id = 0; pal_metric_at(id) != NULL; id++) {
            const pal_score *score = pal_scorecard_speaks(card, (pal_metric_id)id);
            if (score != NULL && score->verdict == order[i]) {
                add_row(&table, score);
            }
        }
    }
    pal_table_print(&table, stdout);
    for (int id = 0; pal_metric_at(id) != NULL; id++) {
        const pal_score *worst = pal_scorecard_worst(card, (pal_metric_id)id);
        if (worst != NULL && worst->verdict == PAL_VERDICT_FAIL) {
            print_failure(feel, worst);
        }
    }
}

void pal_feel_print_incidents(const pal_feel *feel) {
    bool first = true;
    for (int i = 0; i < feel->trial_count; i++) {
        const pal_feel_trial *trial = &feel->trial[i];
        if (trial->incident.kind != PAL_INCIDENT_NONE) {
            printf("%s  %s: %s: %s\n", first ? "\n" : "", pal_incident_name(trial->incident.kind),
                   trial->name, trial->incident.why);
            first = false;
        }
    }
}

void pal_feel_print_left_out(const pal_feel *feel) {
    for (int i = 0; i < feel->left_out_count; i++) {
        printf("%s  left out: %s: %s\n", i == 0 ? "\n" : "", feel->left_out[i].name,
               feel->left_out[i].why);
    }
}

void pal_feel_print_trials(const pal_feel *feel) {
    pal_table table;
    pal_table_start(&table, "trial|>time [s]|what the hand does");
    for (int i = 0; i < feel->trial_count; i++) {
        pal_table_cell(&table, "%s", feel->trial[i].name);
        pal_table_cell(&table, "%.1f", feel->trial[i].seconds);
        pal_table_cell(&table, "%s", feel->trial[i].about);
    }
    pal_table_print(&table, stdout);
    pal_feel_print_left_out(feel);
}

void pal_feel_print_golden(const pal_golden_result *result, const char *path) {
    pal_table table;
    printf("\n%d scores beside %s: %d differ%s\n", result->compared, path, result->different,
           result->different > 0 ? ":" : "");
    if (result->left_out > 0) {
        printf("  (%d others are of trials that were not run, or of several trials together)\n",
               result->left_out);
    }
    if (result->added > 0) {
        printf("  (%d are not in it: record it again to have them compared)\n", result->added);
    }
    if (result->different == 0) {
        return;
    }
    pal_table_start(&table, "trial|metric|>golden|>now|>allowed off by");
    for (int i = 0; i < result->different; i++) {
        const pal_golden_difference *d = &result->difference[i];
        const pal_metric *metric = pal_metric_at((int)d->metric);
        pal_table_cell(&table, "%s", d->trial);
        pal_table_cell(&table, "%s", metric->name);
        pal_table_cell(&table, "%s", value_words(metric, d->golden).text);
        pal_table_cell(&table, "%s", value_words(metric, d->value).text);
        pal_table_cell(&table, "%s", value_words(metric, d->allowed).text);
    }
    pal_table_print(&table, stdout);
}

void pal_feel_define(FILE *out) {
    pal_options_heading(out, "Metrics and gates");
    for (int id = 0; pal_metric_at(id) != NULL; id++) {
        const pal_metric *metric = pal_metric_at(id);
        char text[1024];
        snprintf(text, sizeof text, "%s %s%s", metric->definition,
                 isnan(metric->limit) ? "Reported." : "Gate: ",
                 isnan(metric->limit) ? "" : value_words(metric, metric->limit).text);
        pal_options_entry(out, metric->name, text);
    }
}

// ---- for programs

void pal_feel_json_left_out(const pal_feel *feel, cJSON *root) {
    cJSON *list = pal_json_array();
    for (int i = 0; i < feel->left_out_count; i++) {
        cJSON *item = pal_json_object();
        pal_json_text(item, "trial", feel->left_out[i].name);
        pal_json_text(item, "why", feel->left_out[i].why);
        pal_json_append(list, item);
    }
    pal_json_add(root, "left_out", list);
}

void pal_feel_json_trials(const pal_feel *feel, cJSON *root) {
    cJSON *list = pal_json_array();
    for (int i = 0; i < feel->trial_count; i++) {
        cJSON *item = pal_json_object();
        pal_json_text(item, "name", feel->trial[i].name);
        pal_json_text(item, "kind", pal_trial_kind_name(feel->trial[i].kind));
        pal_json_number(item, "seconds", feel->trial[i].seconds);
        pal_json_text(item, "about", feel->trial[i].about);
        pal_json_append(list, item);
    }
    pal_json_add(root, "trials", list);
    pal_feel_json_left_out(feel, root);
}

void pal_feel_json_golden(const pal_golden_result *result, cJSON *root) {
    cJSON *golden = pal_json_object(), *list = pal_json_array();
    pal_json_number(golden, "compared", result->compared);
    pal_json_number(golden, "different", result->different);
    pal_json_number(golden, "missing", result->missing);
    pal_json_number(golden, "added", result->added);
    pal_json_number(golden, "left_out", result->left_out);
    for (int i = 0; i < result->different; i++) {
        const pal_golden_difference *d = &result->difference[i];
        cJSON *item = pal_json_object();
        pal_json_text(item, "trial", d->trial);
        pal_json_text(item, "metric", pal_metric_at((int)d->metric)->key);
        pal_json_number(item, "golden", d->golden);
        pal_json_number(item, "value", d->value);
        pal_json_number(item, "allowed", d->allowed);
        pal_json_append(list, item);
    }
    pal_json_add(golden, "differences", list);
    pal_json_add(root, "golden", golden);
}

pal_status pal_feel_verdict(const pal_feel *feel, pal_err *err) {
    const pal_scorecard *card = &feel->card;
    const pal_tally tally = pal_scorecard_tally(card);
    char names[512] = "";
    for (int id = 0; pal_metric_at(id) != NULL; id++) {
        const pal_score *worst = pal_scorecard_worst(card, (pal_metric_id)id);
        if (worst != NULL && worst->verdict == PAL_VERDICT_FAIL) {
            const size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s (%s)", used > 0 ? ", " : "",
                     pal_metric_at(id)->name, worst->trial);
        }
    }
    return tally.failed == 0 ? PAL_OK
                             : pal_fail(err, PAL_ERR_NUMERIC, "%d of %d gates fail: %s",
                                        tally.failed, tally.passed + tally.failed, names);
}
