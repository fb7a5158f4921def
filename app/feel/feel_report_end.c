// What a report says beside its results: what the metrics are, and where the numbers come from.
#include <math.h>
#include <string.h>

#include "app/feel/feel_report_parts.h"

// ---- definitions

static void add_metric(pal_html *html, const pal_metric *metric) {
    if (isnan(metric->limit)) {
        pal_html_term(html, metric->name, "%s\nReported, without a gate.%s", metric->definition,
                      metric->timing ? " Depends on the machine." : "");
    } else {
        pal_html_term(html, metric->name, "%s\nGate: at most %.4g %s%s", metric->definition,
                      metric->scale * metric->limit, metric->unit,
                      metric->timing ? ". Depends on the machine." : ".");
    }
}

void pal_report_definitions(pal_html *html) {
    pal_html_heading(html, 2, "definitions", "Definitions");
    pal_html_paragraph(html, "Every metric is computed from the 1 kHz trace of a trial: what the "
                             "device read, what force was sent to it, and what was touched. Gates "
                             "come from what people can feel, or from the truth beside the trial.");
    pal_html_fold(html, "How each metric is computed");
    pal_html_terms(html);
    for (int id = 0; pal_metric_at(id) != NULL; id++) {
        add_metric(html, pal_metric_at(id));
    }
    pal_html_terms_end(html);
    pal_html_fold_end(html);
    pal_html_fold(html, "What people can feel, and who measured it");
    pal_html_terms(html);
    pal_html_term(html, "force",
                  "A difference of 7 %% is just noticed (X. D. Pang, H. Z. Tan, N. I. Durlach: "
                  "Manual discrimination of force using active finger motion. Perception & "
                  "Psychophysics 49(6), 1991).");
    pal_html_term(html, "softness",
                  "A difference of Young's modulus of 15 %% is just noticed (W. M. Bergmann Tiest, "
                  "A. M. L. Kappers: Cues for haptic perception of compliance. IEEE Transactions "
                  "on Haptics 2(4), 2009).");
    pal_html_term(html, "update rate",
                  "The stiffness that feels clean grows from 0.33 to 0.90 N/mm between 250 Hz and "
                  "40 kHz (S. Choi, H. Z. Tan, 2004).");
    pal_html_terms_end(html);
    pal_html_fold_end(html);
}

// ---- where it comes from

static void add_wishes(pal_html *html, const pal_feel_wish *wish) {
    char text[300] = "";
    size_t used = 0;
#define SAY(when, ...)                                                                             \
    if (when) {                                                                                    \
        used += (size_t)snprintf(text + used, sizeof text - used, __VA_ARGS__);                    \
        used = used < sizeof text ? used : sizeof text - 1;                                        \
    }
    SAY(wish->only != NULL, "only %s; ", wish->only)
    SAY(wish->grip != NULL, "grip %s; ", wish->grip)
    SAY(wish->profile != NULL, "device %s; ", wish->profile)
    SAY(wish->young > 0.0, "Young's modulus %g Pa; ", wish->young)
    SAY(wish->delay > 0.0, "delay %g ms; ", 1e3 * wish->delay)
    SAY(wish->friction > 0.0, "device friction %g N; ", wish->friction)
    SAY(wish->no_local, "no dents beyond the basis; ")
    SAY(wish->quick, "quick, without full elements; ")
#undef SAY
    if (used > 2) {
        text[used - 2] = '\0';
        pal_html_term(html, "asked for", "%s", text);
    }
}

static void add_device(pal_html *html, const pal_device_limits *limits) {
    pal_html_table_of(html, "The simulated device and its limits", "limit|>value");
    const struct {
        const char *name, *unit;
        double value;
    } row[] = {
        {"largest force", "N", limits->max_force},
        {"force that it can hold", "N", limits->max_continuous_force},
        {"largest stiffness", "N/m", limits->max_stiffness},
        {"largest damping", "N s/m", limits->max_damping},
        {"radius of the workspace", "mm", 1e3 * limits->workspace_radius},
        {"resolution", "\u00b5m", 1e6 * limits->resolution},
        {"friction", "N", limits->friction},
        {"mass at the tip", "g", 1e3 * limits->mass},
        {"largest torque", "N m", limits->max_torque},
    };
    pal_html_row(html, NULL);
    pal_html_cell(html, "profile");
    pal_html_cell(html, "%s", limits->name);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        if (row[i].value > 0.0) {
            pal_html_row(html, NULL);
            pal_html_cell(html, "%s", row[i].name);
            pal_html_cell(html, "%.4g %s", row[i].value, row[i].unit);
        }
    }
    pal_html_table_end(html);
}

static void add_traces(pal_html *html, const pal_feel *feel) {
    pal_html_table_of(html, "Traces; the hash is over all that a tick does, not over its times",
                      "trial|kind|>ticks|>seconds|hash");
    for (int i = 0; i < feel->trial_count; i++) {
        const pal_feel_trial *trial = &feel->trial[i];
        pal_html_row(html, NULL);
        pal_html_cell(html, "%s", trial->name);
        pal_html_cell(html, "%s", pal_trial_kind_name(trial->kind));
        pal_html_cell(html, "%lld", (long long)trial->seen.count);
        pal_html_cell(html, "%.2f", (double)trial->seen.count * trial->seen.dt);
        pal_html_cell(html, "%s", trial->trace.hash[0] != '\0' ? trial->trace.hash : "\u2013");
    }
    pal_html_table_end(html);
}

void pal_report_origin(pal_html *html, const pal_feel *feel, const char *title) {
    char hash[PAL_HASH_TEXT];
    const pal_feel_trial *first = pal_feel_first_run(feel);
    const pal_trace_info *info = first != NULL ? &first->trace.info : NULL;
    pal_scorecard_hash(&feel->card, hash);
    pal_html_heading(html, 2, NULL, title);
    pal_html_terms(html);
    pal_html_term(html, "scene", "%s%s%s", feel->scene.name != NULL ? feel->scene.name : "\u2013",
                  feel->scene.about != NULL && feel->scene.about[0] != '\0' ? ": " : "",
                  feel->scene.about != NULL ? feel->scene.about : "");
    add_wishes(html, &feel->wish);
    if (info != NULL && info->program[0] != '\0') {
        pal_html_term(html, "program", "%s", info->program);
        pal_html_term(html, "device", "%s, %.4g kHz, delay %.4g ms, %s", info->device,
                      info->dt > 0.0 ? 1e-3 / info->dt : 0.0, 1e3 * info->delay,
                      info->virtual_time ? "virtual time" : "real time");
        pal_html_term(html, "seed", "%llu", (unsigned long long)info->seed);
    }
    if (feel->model.hash[0] != '\0' && feel->scene.has_domains) {
        pal_html_term(html, "model", "%d domains of %d classes, hash %s; no wind, no gravity",
                      (int)feel->tree.domain_count, (int)feel->tree.class_count, feel->model.hash);
    } else if (feel->model.hash[0] != '\0') {
        pal_html_term(html, "model", "%d shapes, hash %s", (int)feel->model.r, feel->model.hash);
    }
    pal_html_term(html, "hash of the scores", "%s (all but those of times)", hash);
    pal_html_terms_end(html);
    if (first != NULL) {
        if (first->seen.limits.name[0] != '\0') { // a recording may not say
            add_device(html, &first->seen.limits);
        }
        add_traces(html, feel);
    }
    if (feel->scene.text != NULL) {
        pal_html_fold(html, "The scene's text");
        pal_html_pre(html, feel->scene.text);
        pal_html_fold_end(html);
    }
}
