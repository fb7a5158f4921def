// Everything of a suite that a program may want, as feel --json prints it and a report keeps it in
// feel.json. What depends on the machine's time is apart, so that the rest is the same for the same
// suite.
#include <math.h>
#include <string.h>

#include "app/feel/feel_report_parts.h"
#include "app/feel/feel_show.h"

enum { FEEL_JSON_VERSION = 1 };

static cJSON *score_of(const pal_score *score) {
    const pal_metric *metric = pal_metric_at((int)score->metric);
    cJSON *item = pal_json_object();
    pal_json_text(item, "metric", metric->key);
    pal_json_text(item, "trial", score->trial);
    pal_json_number(item, "value", score->value);
    pal_json_number(item, "limit", metric->limit);
    pal_json_text(item, "verdict", pal_verdict_name(score->verdict));
    pal_json_number(item, "shown", metric->scale * score->value);
    pal_json_text(item, "unit", metric->unit);
    pal_json_text(item, "note", score->note);
    return item;
}

static cJSON *scores_of(const pal_scorecard *card, bool timing) {
    cJSON *list = pal_json_array();
    for (int i = 0; i < card->count; i++) {
        if (pal_metric_at((int)card->score[i].metric)->timing == timing) {
            pal_json_append(list, score_of(&card->score[i]));
        }
    }
    return list;
}

static cJSON *device_of(const pal_device_limits *limits) {
    cJSON *item = pal_json_object();
    pal_json_text(item, "name", limits->name);
    pal_json_number(item, "max_force_n", limits->max_force);
    pal_json_number(item, "max_continuous_force_n", limits->max_continuous_force);
    pal_json_number(item, "max_stiffness_n_per_m", limits->max_stiffness);
    pal_json_number(item, "max_damping_ns_per_m", limits->max_damping);
    pal_json_number(item, "resolution_m", limits->resolution);
    pal_json_number(item, "friction_n", limits->friction);
    pal_json_number(item, "mass_kg", limits->mass);
    return item;
}

static cJSON *trials_of(const pal_feel *feel) {
    cJSON *list = pal_json_array();
    for (int i = 0; i < feel->trial_count; i++) {
        const pal_feel_trial *trial = &feel->trial[i];
        cJSON *item = pal_json_object();
        pal_json_text(item, "name", trial->name);
        pal_json_text(item, "kind", pal_trial_kind_name(trial->kind));
        pal_json_text(item, "about", trial->about);
        pal_json_number(item, "ticks", (double)trial->seen.count);
        pal_json_number(item, "seconds", (double)trial->seen.count * trial->seen.dt);
        pal_json_text(item, "trace_hash", trial->trace.hash);
        pal_json_text(item, "full_elements",
                      trial->truth.full != NULL ? trial->truth.full_note : "");
        pal_json_text(item, "came_to",
                      trial->incident.kind == PAL_INCIDENT_NONE
                          ? "made"
                          : pal_incident_name(trial->incident.kind));
        pal_json_text(item, "why", trial->incident.why);
        pal_json_number(item, "at_s",
                        trial->incident.kind == PAL_INCIDENT_NONE ? NAN : trial->incident.at);
        pal_json_append(list, item);
    }
    return list;
}

static int count_not_made(const pal_feel *feel) {
    int count = 0;
    for (int i = 0; i < feel->trial_count; i++) {
        count += !pal_incident_is_measured(feel->trial[i].incident.kind);
    }
    return count;
}

static cJSON *times_of(const pal_feel *feel) {
    cJSON *item = pal_json_object(), *wall = pal_json_object();
    for (int i = 0; i < feel->trial_count; i++) {
        pal_json_number(wall, feel->trial[i].name, feel->trial[i].wall_seconds);
    }
    pal_json_add(item, "wall_seconds", wall);
    pal_json_add(item, "scores", scores_of(&feel->card, true));
    return item;
}

void pal_feel_json(const pal_feel *feel, cJSON *root) {
    char hash[PAL_HASH_TEXT];
    const pal_tally tally = pal_scorecard_tally(&feel->card);
    const pal_feel_trial *first = pal_feel_first_run(feel);
    pal_scorecard_hash(&feel->card, hash);
    pal_json_text(root, "scene", feel->scene.name != NULL ? feel->scene.name : "");
    if (first != NULL) {
        pal_json_text(root, "program", first->trace.info.program);
        pal_json_number(root, "seed", (double)first->trace.info.seed);
        pal_json_number(root, "dt_s", first->trace.info.dt);
        pal_json_number(root, "delay_s", first->trace.info.delay);
        pal_json_add(root, "device", device_of(&first->seen.limits));
    }
    pal_json_text(root, "model_hash", feel->model.hash);
    pal_json_text(root, "scorecard_hash", hash);
    pal_json_number(root, "passed", tally.passed);
    pal_json_number(root, "failed", tally.failed);
    pal_json_number(root, "not_measured", tally.unmeasured);
    pal_json_number(root, "trials_not_made", count_not_made(feel));
    pal_json_add(root, "scores", scores_of(&feel->card, false));
    pal_json_add(root, "trials", trials_of(feel));
    pal_feel_json_left_out(feel, root);
    pal_json_add(root, "timing", times_of(feel));
}

pal_status pal_report_json(const pal_feel *feel, const pal_feel *other, const char *path,
                           pal_err *err) {
    cJSON *root = pal_json_object();
    pal_json_number(root, "palpate_feel", FEEL_JSON_VERSION);
    pal_feel_json(feel, root);
    if (other != NULL) {
        cJSON *against = pal_json_object();
        pal_feel_json(other, against);
        pal_json_add(root, "against", against);
    }
    return pal_json_write(root, path, err);
}
