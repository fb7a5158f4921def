#include "app/feel/feel_golden.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/json.h"
#include "sim/base/file.h"
#include "sim/base/memory.h"

enum { GOLDEN_VERSION = 1 };
static const char mark[] = "palpate_golden";

// Unless the file says otherwise: a twentieth of the value, and of the gate.
static const double default_share = 0.05, default_absolute = 1e-3;

// ---- writing

static void add_tolerances(cJSON *root) {
    cJSON *all = pal_json_object();
    for (int id = 0; pal_metric_at(id) != NULL; id++) {
        const pal_metric *metric = pal_metric_at(id);
        if (!metric->timing) {
            cJSON *one = pal_json_object();
            const double gate = metric->limit > 0.0 ? metric->limit : 0.0; // NAN: none
            pal_json_number(one, "absolute",
                            isnan(metric->limit) ? default_absolute : default_share * gate);
            pal_json_number(one, "relative", default_share);
            pal_json_add(all, metric->key, one);
        }
    }
    pal_json_add(root, "tolerance", all);
}

pal_status pal_golden_record(const char *path, const pal_scorecard *card, const char *scene,
                             const char *program, pal_err *err) {
    cJSON *root = pal_json_object(), *list = pal_json_array();
    pal_json_number(root, mark, GOLDEN_VERSION);
    pal_json_text(root, "scene", scene);
    pal_json_text(root, "program", program);
    add_tolerances(root);
    for (int i = 0; i < card->count; i++) {
        const pal_score *score = &card->score[i];
        const pal_metric *metric = pal_metric_at((int)score->metric);
        if (!metric->timing) {
            cJSON *item = pal_json_object();
            pal_json_text(item, "trial", score->trial);
            pal_json_text(item, "metric", metric->key);
            pal_json_number(item, "value", score->value);
            pal_json_append(list, item);
        }
    }
    pal_json_add(root, "scores", list);
    return pal_json_write(root, path, err);
}

// ---- comparing

bool pal_feel_lists(const char *list, const char *name) {
    const size_t length = strlen(name);
    for (; list != NULL && *list != '\0'; list += strcspn(list, ",")) {
        list += strspn(list, ", ");
        if (strncmp(list, name, length) == 0 && strcspn(list, ", ") == length) {
            return true;
        }
    }
    return false;
}

// The score of a trial, or NULL.
static const pal_score *find_score(const pal_scorecard *card, int metric, const char *trial) {
    for (int i = 0; i < card->count; i++) {
        if ((int)card->score[i].metric == metric && strcmp(card->score[i].trial, trial) == 0) {
            return &card->score[i];
        }
    }
    return NULL;
}

static double number_of(const cJSON *object, const char *key, double fallback) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : fallback;
}

static double allowed_of(const cJSON *root, const char *key, double golden) {
    const cJSON *one =
        cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(root, "tolerance"), key);
    return number_of(one, "absolute", default_absolute) +
           number_of(one, "relative", default_share) * fabs(golden);
}

// Two that were not measured are alike; one that was and one that was not differ.
static bool is_off(double golden, double value, double allowed) {
    return isnan(golden) || isnan(value) ? isnan(golden) != isnan(value)
                                         : !(fabs(value - golden) <= allowed);
}

// What is compared: a file, and a card of some trials.
typedef struct comparison {
    const cJSON *root;
    const char *path, *scene, *only;
    const pal_scorecard *card;
    pal_golden_result *result;
} comparison;

static pal_status compare_one(const comparison *c, const cJSON *item, int number, pal_err *err) {
    pal_golden_result *result = c->result;
    const cJSON *trial = cJSON_GetObjectItemCaseSensitive(item, "trial");
    const cJSON *key = cJSON_GetObjectItemCaseSensitive(item, "metric");
    const int metric = cJSON_IsString(key) ? pal_metric_find(key->valuestring) : -1;
    if (metric < 0 || !cJSON_IsString(trial)) {
        return pal_fail(
            err, PAL_ERR_INPUT,
            "%s: score %d has no trial, or a metric that is not known ('%.40s'); record "
            "it again with feel --record",
            c->path, number, cJSON_IsString(key) ? key->valuestring : "");
    }
    if (c->only != NULL && !pal_feel_lists(c->only, trial->valuestring)) {
        result->left_out++;
        return PAL_OK;
    }
    const pal_score *score = find_score(c->card, metric, trial->valuestring);
    const double golden = number_of(item, "value", NAN), value = score != NULL ? score->value : NAN;
    const double allowed = allowed_of(c->root, key->valuestring, isnan(golden) ? 0.0 : golden);
    result->compared++;
    result->missing += score == NULL;
    if (score == NULL || is_off(golden, value, allowed)) {
        pal_golden_difference *d = &result->difference[result->different++];
        *d = (pal_golden_difference){
            .metric = (pal_metric_id)metric, .golden = golden, .value = value, .allowed = allowed};
        snprintf(d->trial, sizeof d->trial, "%s", trial->valuestring);
    }
    return PAL_OK;
}

static pal_status check_head(const cJSON *root, const char *path, const char *scene, pal_err *err) {
    const double version = number_of(root, mark, NAN);
    const cJSON *of = cJSON_GetObjectItemCaseSensitive(root, "scene");
    if (isnan(version)) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "%s is no golden scorecard; make one with palpate feel SCENE --record %s",
                        path, path);
    }
    if (version != GOLDEN_VERSION) {
        return pal_fail(
            err, PAL_ERR_VERSION,
            "%s is of version %g of golden scorecards, this program reads %d; record it "
            "again",
            path, version, GOLDEN_VERSION);
    }
    return cJSON_IsString(of) && strcmp(of->valuestring, scene) == 0
               ? PAL_OK
               : pal_fail(err, PAL_ERR_INPUT, "%s is of the scene '%.100s', not of '%s'", path,
                          cJSON_IsString(of) ? of->valuestring : "?", scene);
}

// Scores that a file may have.
static int count_golden(const comparison *c) {
    int count = 0;
    for (int i = 0; i < c->card->count; i++) {
        const pal_score *score = &c->card->score[i];
        count += !pal_metric_at((int)score->metric)->timing &&
                 (c->only == NULL || pal_feel_lists(c->only, score->trial));
    }
    return count;
}

static pal_status compare(const comparison *c, pal_err *err) {
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(c->root, "scores"), *item;
    pal_golden_result *result = c->result;
    pal_status status = check_head(c->root, c->path, c->scene, err);
    if (status != PAL_OK) {
        return status;
    }
    result->difference = PAL_NEW(pal_golden_difference, cJSON_GetArraySize(list) + 1, err);
    status = result->difference != NULL ? PAL_OK : PAL_ERR_MEMORY;
    int number = 0;
    cJSON_ArrayForEach(item, list) {
        if (status == PAL_OK) {
            status = compare_one(c, item, ++number, err);
        }
    }
    if (status == PAL_OK && number == 0) {
        status = pal_fail(err, PAL_ERR_INPUT, "%s holds no scores; record it again", c->path);
    }
    result->added = count_golden(c) - (result->compared - result->missing);
    if (status != PAL_OK) {
        free(result->difference);
        result->difference = NULL;
    }
    return status;
}

pal_status pal_golden_check(const char *path, const pal_scorecard *card, const char *scene,
                            const char *only, pal_golden_result *result, pal_err *err) {
    char *text;
    size_t size;
    memset(result, 0, sizeof *result);
    pal_status status = pal_file_read(path, &text, &size, err);
    if (status != PAL_OK) {
        return status;
    }
    cJSON *root = cJSON_ParseWithLength(text, size);
    const comparison c = {root, path, scene, only, card, result};
    status = root != NULL ? compare(&c, err)
                          : pal_fail(err, PAL_ERR_INPUT,
                                     "%s is no JSON, or was cut off; record it again with feel "
                                     "--record",
                                     path);
    cJSON_Delete(root);
    free(text);
    return status;
}
