#include "haptics/feel/scorecard.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

const char *pal_verdict_name(pal_verdict verdict) {
    static const char *const names[] = {"pass", "fail", "reported", "not measured"};
    return names[verdict];
}

static pal_verdict judge(const pal_metric *metric, double value) {
    if (isnan(value)) {
        return PAL_VERDICT_UNKNOWN;
    }
    if (isnan(metric->limit)) {
        return PAL_VERDICT_REPORTED;
    }
    return fabs(value) <= metric->limit ? PAL_VERDICT_PASS : PAL_VERDICT_FAIL;
}

static pal_status make_room(pal_scorecard *card, int more, pal_err *err) {
    if (card->count + more <= card->room) {
        return PAL_OK;
    }
    const int room = 2 * card->room + more + 16;
    pal_score *score = PAL_NEW(pal_score, room, err);
    if (score == NULL) {
        return PAL_ERR_MEMORY;
    }
    if (card->count > 0) {
        memcpy(score, card->score, (size_t)card->count * sizeof *score);
    }
    free(card->score);
    card->score = score;
    card->room = room;
    return PAL_OK;
}

pal_status pal_scorecard_add(pal_scorecard *card, pal_metric_id metric, const char *trial,
                             double value, pal_err *err, const char *note, ...) {
    pal_status status = make_room(card, 1, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_score *score = &card->score[card->count++]; // zeroed: its bytes are the same in every run
    score->metric = metric;
    snprintf(score->trial, sizeof score->trial, "%s", trial);
    score->value = value;
    score->verdict = judge(pal_metric_at(metric), value);
    va_list args;
    va_start(args, note);
    vsnprintf(score->note, sizeof score->note, note, args);
    va_end(args);
    return PAL_OK;
}

pal_status pal_scorecard_append(pal_scorecard *card, const pal_scorecard *more, pal_err *err) {
    pal_status status = make_room(card, more->count, err);
    if (status == PAL_OK && more->count > 0) {
        memcpy(card->score + card->count, more->score, (size_t)more->count * sizeof *more->score);
        card->count += more->count;
    }
    return status;
}

void pal_scorecard_free(pal_scorecard *card) {
    free(card->score);
    memset(card, 0, sizeof *card);
}

// Of one metric all are judged by the same gate, so that the largest is the farthest from it.
const pal_score *pal_scorecard_worst(const pal_scorecard *card, pal_metric_id metric) {
    const pal_score *worst = NULL;
    for (int i = 0; i < card->count; i++) {
        const pal_score *score = &card->score[i];
        if (score->metric == metric && score->verdict != PAL_VERDICT_UNKNOWN &&
            (worst == NULL || fabs(score->value) > fabs(worst->value))) {
            worst = score;
        }
    }
    return worst;
}

const pal_score *pal_scorecard_speaks(const pal_scorecard *card, pal_metric_id metric) {
    const pal_score *speaks = pal_scorecard_worst(card, metric);
    for (int i = 0; speaks == NULL && i < card->count; i++) {
        speaks = card->score[i].metric == metric ? &card->score[i] : NULL;
    }
    return speaks;
}

pal_tally pal_scorecard_tally(const pal_scorecard *card) {
    pal_tally tally = {0};
    for (int id = 0; pal_metric_at(id) != NULL; id++) {
        const pal_score *score = pal_scorecard_speaks(card, (pal_metric_id)id);
        if (score != NULL && !isnan(pal_metric_at(id)->limit)) {
            tally.passed += score->verdict == PAL_VERDICT_PASS;
            tally.failed += score->verdict == PAL_VERDICT_FAIL;
            tally.unmeasured += score->verdict == PAL_VERDICT_UNKNOWN;
        }
    }
    return tally;
}

void pal_scorecard_hash(const pal_scorecard *card, char text[PAL_HASH_TEXT]) {
    pal_hash hash;
    pal_hash_init(&hash);
    for (int i = 0; i < card->count; i++) {
        const pal_score *score = &card->score[i];
        const pal_metric *metric = pal_metric_at(score->metric);
        if (metric->timing) {
            continue;
        }
        const double value = isnan(score->value) ? 0.0 : score->value; // NANs differ in their bits
        pal_hash_update_string(&hash, metric->key);
        pal_hash_update_string(&hash, score->trial);
        pal_hash_update_string(&hash, pal_verdict_name(score->verdict));
        pal_hash_update_string(&hash, score->note);
        pal_hash_update(&hash, &value, sizeof value);
    }
    pal_hash_text(&hash, text);
}
