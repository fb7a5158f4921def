// Runs that a plan makes to look ahead: a script for the force that it takes, and the scene's own
// probe for what it touches.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/feel/feel_plan.h"
#include "app/feel/feel_try.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

pal_status pal_plan_try(pal_plan *plan, const pal_script *script, pal_pilot *pilot) {
    const pal_trial_text how = {.probe = script->text};
    char *text;
    pal_session session;
    pal_feel_try try;
    *pilot = (pal_pilot){.at = pilot->at};
    if (plan->naming) {
        return PAL_OK;
    }
    pal_status status = pal_trial_make_text(plan->feel, &how, &text, plan->err);
    if (status == PAL_OK) {
        status = pal_feel_session(plan->feel, text, &session, plan->err);
        free(text);
    }
    if (status != PAL_OK) {
        return status;
    }
    status = pal_feel_try_init(&try, &session, plan->err);
    if (status == PAL_OK) {
        pal_feel_try_run(&try);
        for (int64_t k = 0; k < try.count; k++) {
            const pal_tick_record *row = &try.record[k];
            pilot->force = fmax(pilot->force, pal_norm3(row->wanted));
            pilot->touched = pilot->touched || row->touching > 0;
            pilot->then = row->time <= pilot->at ? pal_norm3(row->wanted) : pilot->then;
            pilot->unsafe = pilot->unsafe || (row->outcome & (PAL_OUT_NAN | PAL_OUT_CLAMPED)) != 0;
        }
        free(try.record);
    }
    pal_session_close(&session);
    return status;
}

// ---- what the probe touches

// Intents that lead along a straight line.
static bool goes_straight(const pal_intent *intent) {
    return intent->kind == PAL_INTENT_MOVE || intent->kind == PAL_INTENT_PRESS ||
           intent->kind == PAL_INTENT_TAP || intent->kind == PAL_INTENT_SLIDE;
}

typedef struct probing {
    const pal_scene_live *live;
    double *ends; // [intent_count] s, of each intent
    int32_t now;  // the intent at the last row
    pal_touched *touched;
} probing;

// The last straight intent up to one of them; -1: none.
static int32_t straight_until(const pal_scene_live *live, int32_t i) {
    while (i >= 0 && !goes_straight(&live->intent[i])) {
        i--;
    }
    return i;
}

// The first touch in a press goes before any other touch.
static bool look(void *context, const pal_tick_record *row) {
    probing *p = context;
    if (row->hand != 0) {
        return false;
    }
    while (p->now + 1 < p->live->intent_count && row->time >= p->ends[p->now]) {
        p->now++;
    }
    const int32_t intent = straight_until(p->live, p->now);
    const bool press = intent >= 0 && p->live->intent[intent].kind == PAL_INTENT_PRESS;
    if (row->touching == 0 || (p->touched->any && !press)) {
        return false;
    }
    p->touched->any = true;
    p->touched->intent = intent;
    memcpy(p->touched->tool, row->position, sizeof row->position);
    memcpy(p->touched->point, row->point, sizeof row->point);
    return press;
}

static double *find_ends(const pal_scene_live *live, pal_err *err) {
    double *ends = PAL_NEW(double, live->intent_count, err);
    for (int32_t i = 0; ends != NULL && i < live->intent_count; i++) {
        const pal_sim_options until = {.intent_count = i + 1,
                                       .intent = live->intent,
                                       .start = {live->start[0], live->start[1], live->start[2]}};
        ends[i] = pal_sim_script_seconds(&until);
    }
    return ends;
}

// How far its tool stayed away, m; below 0: it was within the surface all the while.
static double find_nearest(const pal_plan *plan, const pal_feel_try *try) {
    enum { LOOKS = 100 };
    const int64_t stride = 1 + try->count / LOOKS;
    double nearest = INFINITY;
    for (int64_t k = 0; k < try->count; k += stride) {
        if (try->record[k].hand == 0) {
            nearest = fmin(nearest, pal_plan_clearance(plan, try->record[k].tool) - plan->radius);
        }
    }
    return nearest;
}

// As `palpate run` would, but that a tree stands without wind and gravity, as in all trials.
static pal_status open_probe(const pal_plan *plan, pal_session *session) {
    static const pal_scene_change still[] = {{"wind", NULL}, {"gravity", NULL}};
    const pal_feel *feel = plan->feel;
    char *text;
    pal_status status =
        pal_scene_text_with(&feel->scene, still, feel->scene.has_domains ? 2 : 0, &text, plan->err);
    if (status == PAL_OK) {
        status = pal_feel_session(feel, text, session, plan->err);
        free(text);
    }
    return status;
}

static pal_status run_probe(const pal_plan *plan, probing *p) {
    pal_session session;
    pal_feel_try try;
    pal_status status = open_probe(plan, &session);
    if (status != PAL_OK) {
        return status;
    }
    status = pal_feel_try_init(&try, &session, plan->err);
    if (status == PAL_OK) {
        try.is_enough = look;
        try.context = p;
        pal_feel_try_run(&try);
        p->touched->nearest = p->touched->any ? 0.0 : find_nearest(plan, &try);
        free(try.record);
    }
    pal_session_close(&session);
    return status;
}

pal_status pal_plan_touch(const pal_plan *plan, pal_touched *touched) {
    const pal_scene_live *live = &plan->feel->scene.live;
    probing p = {.live = live, .touched = touched};
    *touched = (pal_touched){.intent = -1, .nearest = INFINITY};
    if (live->intent_count == 0) {
        return PAL_OK;
    }
    p.ends = find_ends(live, plan->err);
    const pal_status status = p.ends != NULL ? run_probe(plan, &p) : PAL_ERR_MEMORY;
    free(p.ends);
    const int32_t before = straight_until(live, touched->intent - 1);
    memcpy(touched->from, before >= 0 ? live->intent[before].to : live->start,
           sizeof touched->from);
    return status;
}
