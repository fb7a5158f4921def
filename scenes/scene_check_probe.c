// What the hand does: the list of its intents, or the table in a file.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/checking.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

enum { MAX_INTENTS = 10000 };

// What kind of intent the keys make; an error when none or more than one is there.
static pal_status intent_kind(const pal_checking *c, const char *path, const pal_scene_intent *from,
                              pal_intent *intent, char *const **to, const char **duration) {
    const struct {
        const char *key;
        pal_intent_kind kind;
        char *const *place;
        const char *seconds;
    } kinds[] = {{"move", PAL_INTENT_MOVE, from->move, from->seconds},
                 {"press", PAL_INTENT_PRESS, from->press, from->seconds},
                 {"tap", PAL_INTENT_TAP, from->tap, from->seconds},
                 {"slide", PAL_INTENT_SLIDE, from->slide, from->seconds},
                 {"circle", PAL_INTENT_CIRCLE, from->circle, from->seconds},
                 {"wander", PAL_INTENT_WANDER, from->wander, from->seconds},
                 {"hold", PAL_INTENT_HOLD, NULL, from->hold},
                 {"release", PAL_INTENT_RELEASE, NULL, from->release}};
    int found = from->path_count > 0;
    intent->kind = PAL_INTENT_PATH;
    *duration = from->seconds;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].place != NULL ? kinds[i].place[0] != NULL : kinds[i].seconds != NULL) {
            found++;
            intent->kind = kinds[i].kind;
            *to = kinds[i].place;
            *duration = kinds[i].seconds;
        }
    }
    return found == 1
               ? PAL_OK
               : pal_check_fail(c, path,
                                "an intent is one of move, press, tap, slide, circle, wander "
                                "(each with a place), path (with places), hold, release (each with "
                                "a time)");
}

// The keys that some kinds take and others do not.
static pal_status intent_extras(const pal_checking *c, const char *path,
                                const pal_scene_intent *from, pal_intent *intent) {
    bool circle = intent->kind == PAL_INTENT_CIRCLE, wander = intent->kind == PAL_INTENT_WANDER;
    bool has_axis = from->axis[0] != 0.0 || from->axis[1] != 0.0 || from->axis[2] != 0.0;
    char key[96];
    if (wander && from->radius == NULL) {
        return pal_check_fail(c, path, "wandering needs its radius, such as radius: 5 mm");
    }
    if (!wander && !circle && from->radius != NULL) {
        return pal_check_fail(c, path, "only wandering and a circle have a radius; remove the key");
    }
    if (!circle && (from->turns != NULL || has_axis)) {
        return pal_check_fail(c, path, "only a circle has turns and an axis; remove them");
    }
    intent->buttons = from->grasp || from->mark ? 1 : 0;
    intent->turns = from->turns != NULL ? *from->turns : 1.0;
    intent->axis[2] = 1.0;
    if (has_axis) {
        memcpy(intent->axis, from->axis, sizeof intent->axis);
    }
    pal_status status = pal_check_amount(c, pal_check_join(key, path, "speed"), from->speed,
                                         PAL_SPEED, true, &intent->speed);
    return status == PAL_OK ? pal_check_amount(c, pal_check_join(key, path, "radius"), from->radius,
                                               PAL_LENGTH, false, &intent->radius)
                            : status;
}

// Through all places at constant speed, which is reached and left within `ramp`; the first is gone
// to within `lead`.
static pal_status intent_path(const pal_checking *c, const char *path, const pal_scene_intent *from,
                              pal_intent *intent, pal_path_sample *sample) {
    static const double lead = 0.3, ramp = 0.1; // s
    double length = 0.0;
    for (uint32_t k = 0; k < from->path_count; k++) {
        const pal_status status = pal_check_triple(c, path, from->path[k], PAL_LENGTH, sample[k].x);
        if (status != PAL_OK) {
            return status;
        }
        double way[3] = {0.0, 0.0, 0.0};
        for (int a = 0; a < 3 && k > 0; a++) {
            way[a] = sample[k].x[a] - sample[k - 1].x[a];
        }
        const double step = pal_norm3(way);
        if (k > 0 && !(step > 0.0) && !c->scene->unsettled) {
            return pal_check_fail(c, path, "its places %u and %u are the same; leave one out", k,
                                  k + 1);
        }
        length += step;
        sample[k].time = length; // for now
    }
    const double most = length / ramp, wanted = intent->seconds - lead - ramp;
    const double speed = fmin(most, intent->seconds <= 0.0 ? intent->speed
                                    : wanted > 0.0         ? length / wanted
                                                           : most);
    for (uint32_t k = 0; k < from->path_count; k++) {
        const double share = k == 0 ? 0.0 : k + 1 == from->path_count ? 1.0 : 0.5;
        sample[k].time = lead + sample[k].time / speed + share * ramp;
    }
    intent->seconds = 0.0;
    intent->sample = sample;
    intent->sample_count = (int32_t)from->path_count;
    memcpy(intent->to, sample->x, sizeof intent->to);
    return PAL_OK;
}

static pal_status check_intent(const pal_checking *c, uint32_t index, const pal_scene_intent *from,
                               pal_intent *intent, pal_path_sample *sample) {
    char path[64], key[96];
    char *const *to = NULL;
    const char *duration = NULL;
    snprintf(path, sizeof path, "probe.%u", index);
    pal_status status = intent_kind(c, path, from, intent, &to, &duration);
    const bool path_of = intent->kind == PAL_INTENT_PATH;
    if (status == PAL_OK && to == NULL && !path_of && from->seconds != NULL) {
        return pal_check_fail(c, pal_check_join(key, path, "seconds"),
                              "hold and release take their time themselves, as in hold: 1 s");
    }
    bool paced = path_of || (to != NULL && intent->kind != PAL_INTENT_WANDER);
    if (status == PAL_OK && from->speed != NULL && !paced) {
        return pal_check_fail(c, path, "it has no speed; remove the key");
    }
    if (status == PAL_OK && duration == NULL && from->speed == NULL) {
        return pal_check_fail(c, path, "'seconds' is missing, such as seconds: 1 s%s",
                              paced ? ", or a speed" : "");
    }
    if (status == PAL_OK) {
        status = pal_check_amount(c, pal_check_join(key, path, "seconds"), duration, PAL_TIME, true,
                                  &intent->seconds);
    }
    if (status == PAL_OK && to != NULL) {
        status = pal_check_triple(c, path, to, PAL_LENGTH, intent->to);
    }
    if (status == PAL_OK && from->turn[0] != NULL) {
        intent->turned = true;
        status = pal_check_triple(c, pal_check_join(key, path, "turn"), from->turn, PAL_ANGLE,
                                  intent->turn);
    }
    if (status == PAL_OK) {
        status = intent_extras(c, path, from, intent);
    }
    return status == PAL_OK && path_of ? intent_path(c, path, from, intent, sample) : status;
}

pal_status pal_scene_check_intents(const pal_checking *c) {
    const pal_scene_file *file = c->scene->file;
    pal_scene_live *live = &c->scene->live;
    uint32_t places = 0;
    pal_status status = pal_check_range(c, "probe", file->probe_count, 0, MAX_INTENTS);
    for (uint32_t i = 0; i < file->probe_count; i++) {
        places += file->probe[i].path_count;
    }
    live->intent = status == PAL_OK ? PAL_NEW(pal_intent, file->probe_count, c->err) : NULL;
    live->path = live->intent != NULL ? PAL_NEW(pal_path_sample, places, c->err) : NULL;
    if (live->path == NULL) {
        return status == PAL_OK ? PAL_ERR_MEMORY : status;
    }
    live->intent_count = (int32_t)file->probe_count;
    places = 0;
    for (uint32_t i = 0; status == PAL_OK && i < file->probe_count; i++) {
        status = check_intent(c, i, &file->probe[i], &live->intent[i], live->path + places);
        places += file->probe[i].path_count;
    }
    return status;
}

pal_status pal_scene_check_path(const pal_checking *c) {
    const pal_scene_file *file = c->scene->file;
    pal_scene_live *live = &c->scene->live;
    if (file->probe_count > 0) {
        return pal_check_fail(c, "probe_file", "a scene has a probe or a probe_file, not both");
    }
    char *path = pal_scene_file_path(c->scene, file->probe_file, c->err);
    live->intent = path != NULL ? PAL_NEW(pal_intent, 1, c->err) : NULL;
    if (live->intent == NULL) {
        free(path);
        return PAL_ERR_MEMORY;
    }
    int32_t count;
    pal_status status = pal_probe_file_read(path, &live->path, &count, c->err);
    free(path);
    if (status == PAL_OK) {
        *live->intent =
            (pal_intent){.kind = PAL_INTENT_PATH, .sample_count = count, .sample = live->path};
        memcpy(live->intent->to, live->path->x, sizeof live->intent->to);
        live->intent_count = 1;
    }
    return status;
}
