// The key `feel`: where the trials of contact feel press, and trials of the scene's own.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/checking.h"
#include "sim/base/vec3.h"

static pal_status check_place(const pal_checking *c, const char *path, char *const text[3],
                              double place[3]) {
    place[0] = place[1] = place[2] = NAN;
    return pal_check_triple(c, path, text, PAL_LENGTH, place);
}

// Names are those of files as well.
static pal_status check_name(const pal_checking *c, int32_t n, const char *name) {
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
    const pal_scene_feel *feel = &c->scene->feel;
    char path[64];
    snprintf(path, sizeof path, "feel.trials.%d.name", (int)n);
    if (strlen(name) >= PAL_SCENE_TRIAL_NAME || strspn(name, allowed) != strlen(name)) {
        return pal_check_fail(c, path,
                              "'%.60s' cannot name a file; write at most %d small letters, digits, "
                              "- and _",
                              name, PAL_SCENE_TRIAL_NAME - 1);
    }
    for (int32_t k = 0; k < n; k++) {
        if (strcmp(feel->trial[k].name, name) == 0) {
            return pal_check_fail(c, path, "two trials are called '%s'; give each its own name",
                                  name);
        }
    }
    return PAL_OK;
}

static const double longest = 600.0; // s, of a trial, all of whose ticks are kept

static bool has_place(const pal_intent *intent) {
    return intent->kind != PAL_INTENT_HOLD && intent->kind != PAL_INTENT_RELEASE;
}

// What no hand with this device could do: go farther than the device reaches, or for hours.
static pal_status check_reach(const pal_checking *c, int32_t n, const pal_scene_live *live) {
    const double most = 2.0 * c->scene->live.profile->workspace_radius;
    double seconds = 0.0, far = 0.0;
    char path[64];
    for (int32_t i = 0; i < live->intent_count; i++) {
        const pal_intent *to = &live->intent[i];
        seconds += to->seconds;
        for (int32_t k = 0; k < i; k++) {
            const double *from = live->intent[k].to;
            const double way[3] = {to->to[0] - from[0], to->to[1] - from[1], to->to[2] - from[2]};
            far = has_place(to) && has_place(&live->intent[k]) ? fmax(far, pal_norm3(way)) : far;
        }
    }
    snprintf(path, sizeof path, "feel.trials.%d.probe", (int)n);
    if (seconds > longest) {
        return pal_check_fail(c, path, "takes %.4g s; a trial takes at most %.0f s", seconds,
                              longest);
    }
    return far <= most ? PAL_OK
                       : pal_check_fail(c, path,
                                        "places are %.0f mm apart, but the device '%s' reaches "
                                        "over %.0f mm only; stay within that, or take another",
                                        1e3 * far, c->scene->live.profile->name, 1e3 * most);
}

// The same checks as of a scene's probe, on a scene that has this one.
static pal_status check_probe(const pal_checking *c, int32_t n, const pal_scene_own_trial *trial) {
    pal_scene_file file = *c->scene->file;
    pal_scene alone = *c->scene;
    char prefix[32];
    file.probe = trial->probe;
    file.probe_count = trial->probe_count;
    alone.file = &file;
    memset(&alone.live, 0, sizeof alone.live);
    snprintf(prefix, sizeof prefix, "feel.trials.%d.", (int)n);
    const pal_checking one = {&alone, c->document, c->err, prefix};
    pal_status status = pal_scene_check_intents(&one);
    if (status == PAL_OK && !c->scene->unsettled) {
        status = check_reach(c, n, &alone.live);
    }
    free(alone.live.intent);
    free(alone.live.path);
    return status;
}

pal_status pal_scene_check_feel(const pal_checking *c) {
    static const pal_scene_file_feel none = {0};
    const pal_scene_file_feel *from = c->scene->file->feel != NULL ? c->scene->file->feel : &none;
    pal_scene_feel *feel = &c->scene->feel;
    feel->depth = NAN;
    pal_status status = check_place(c, "feel.at", from->at, feel->at);
    if (status == PAL_OK) {
        status = check_place(c, "feel.slide", from->slide, feel->slide);
    }
    if (status == PAL_OK) {
        status = check_place(c, "feel.edge", from->edge, feel->edge);
    }
    if (status == PAL_OK) {
        status = pal_check_amount(c, "feel.depth", from->depth, PAL_LENGTH, true, &feel->depth);
    }
    if (status == PAL_OK) {
        status = pal_check_range(c, "feel.trials", from->trials_count, 0, PAL_SCENE_TRIALS);
    }
    for (int32_t n = 0; status == PAL_OK && n < (int32_t)from->trials_count; n++) {
        status = check_name(c, n, from->trials[n].name);
        if (status == PAL_OK) {
            status = check_probe(c, n, &from->trials[n]);
        }
        snprintf(feel->trial[n].name, PAL_SCENE_TRIAL_NAME, "%s", from->trials[n].name);
        snprintf(feel->trial[n].kind, PAL_SCENE_TRIAL_NAME, "%s", from->trials[n].kind);
        feel->trial_count = n + 1;
    }
    return status;
}
