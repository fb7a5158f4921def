#include "app/feel/feel_script.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

// ---- the probe

static void PAL_PRINTF(2, 3) put(pal_script *s, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(s->text + s->used, sizeof s->text - s->used, format, args);
    va_end(args);
    s->full = s->full || length < 0 || (size_t)length >= sizeof s->text - s->used;
    s->used = s->full ? s->used : s->used + (size_t)length;
}

// An entry goes in front of the closing bracket.
static void next(pal_script *s) {
    const bool first = s->used == 2;
    s->used--;
    put(s, "%s", first ? "" : ", ");
}

void pal_script_begin(pal_script *s) {
    s->used = 0;
    s->full = false;
    put(s, "[]");
}

void pal_script_go(pal_script *s, const char *what, const double to[3], double seconds) {
    next(s);
    put(s, "{%s: [%.6f m, %.6f m, %.6f m], seconds: %.4g s}]", what, to[0], to[1], to[2], seconds);
}

void pal_script_fast(pal_script *s, const char *what, const double to[3], double speed,
                     double seconds) {
    next(s);
    put(s, "{%s: [%.6f m, %.6f m, %.6f m], speed: %.4g m/s", what, to[0], to[1], to[2], speed);
    if (seconds > 0.0) {
        put(s, ", seconds: %.4g s", seconds);
    }
    put(s, "}]");
}

void pal_script_wait(pal_script *s, const char *what, double seconds) {
    next(s);
    put(s, "{%s: %.4g s}]", what, seconds);
}

void pal_script_path(pal_script *s) {
    next(s);
    put(s, "{path: [");
}

void pal_script_through(pal_script *s, const double place[3]) {
    const bool first = s->used > 0 && s->text[s->used - 1] == '[';
    put(s, "%s[%.6f m, %.6f m, %.6f m]", first ? "" : ", ", place[0], place[1], place[2]);
}

void pal_script_end_path(pal_script *s, double speed) {
    put(s, "], speed: %.4g m/s}]", speed);
}

// ---- the scene's text

// What is made on the way to a text; all owned.
typedef struct making {
    const pal_feel *feel;
    pal_err *err;
    char *device, *tool, *coupling, *edits, *hands;
    char quiet[PAL_SCENE_HANDS][128]; // probes of hands that keep away
    char key[PAL_SCENE_HANDS + 2][32];
    int count;
    pal_scene_change change[16];
} making;

static void set(making *m, const char *key, const char *value) {
    m->change[m->count++] = (pal_scene_change){key, value};
}

// Where the first hand's keys are.
static const char *prefix_of(const making *m) {
    return m->feel->scene.lists_hands ? "hands.0." : "";
}

static pal_status value(const making *m, const char *key, char **out) {
    char path[64];
    snprintf(path, sizeof path, "%s%s", prefix_of(m), key);
    return pal_scene_value(&m->feel->scene, path, out, m->err);
}

// The device in full: the scene's, with what is wished. Where it begins is up to the probe.
static pal_status make_device(making *m, const char *grip) {
    enum { ROOM = 512 };
    const pal_scene_live *live = &m->feel->scene.live;
    const pal_feel_wish *wish = &m->feel->wish;
    char *own = NULL;
    pal_status status = value(m, "device.grip", &own);
    m->device = status == PAL_OK ? PAL_NEW(char, ROOM, m->err) : NULL;
    if (m->device == NULL) {
        free(own);
        return status == PAL_OK ? PAL_ERR_MEMORY : status;
    }
    const double delay = wish->delay < 0.0 ? 0.0 : wish->delay > 0.0 ? wish->delay : live->delay;
    const double friction = wish->friction < 0.0   ? 0.0
                            : wish->friction > 0.0 ? wish->friction
                                                   : live->friction;
    int used = snprintf(m->device, ROOM,
                        "{profile: %.40s, grip: %.40s, delay: %.9g s, noise: %.9g m, seed: %llu, "
                        "turn: [%.9g rad, %.9g rad, %.9g rad]",
                        wish->profile != NULL ? wish->profile : live->profile->name,
                        grip != NULL         ? grip
                        : wish->grip != NULL ? wish->grip
                        : own != NULL        ? own
                                             : "firm",
                        delay, live->noise, (unsigned long long)live->seed, live->start_turn[0],
                        live->start_turn[1], live->start_turn[2]);
    if (!isnan(friction)) {
        used += snprintf(m->device + used, ROOM - (size_t)used, ", friction: %.9g N", friction);
    }
    snprintf(m->device + used, ROOM - (size_t)used, "}");
    free(own);
    return PAL_OK;
}

// Other stiffness is an edit of all regions before the first tick; those of the scene follow. (A
// tree of domains has no edits: it was made so before.)
static pal_status make_edits(making *m) {
    const pal_model *model = &m->feel->model;
    const double young = m->feel->wish.young;
    if (!(young > 0.0) || model->region_count == 0 || m->feel->scene.has_domains) {
        return PAL_OK;
    }
    char *own = NULL;
    pal_status status = pal_scene_value(&m->feel->scene, "edits", &own, m->err);
    const size_t room = (own != NULL ? strlen(own) : 0) + 8 +
                        (size_t)model->region_count * (2 * PAL_REGION_NAME + 96);
    m->edits = status == PAL_OK ? PAL_NEW(char, room, m->err) : NULL;
    if (m->edits == NULL) {
        free(own);
        return status == PAL_OK ? PAL_ERR_MEMORY : status;
    }
    size_t used = (size_t)snprintf(m->edits, room, "[");
    for (int32_t g = 0; g < model->region_count; g++) {
        const double to = model->region[g].material.young * young / model->region[0].material.young;
        used += (size_t)snprintf(m->edits + used, room - used,
                                 "%s{at: 0 s, region: \"%s\", young: "
                                 "%.17g Pa}",
                                 g > 0 ? ", " : "", model->region[g].name, to);
    }
    const bool more = own != NULL && own[0] == '[' && own[1] != ']';
    snprintf(m->edits + used, room - used, "%s%s", more ? ", " : "", more ? own + 1 : "]");
    set(m, "edits", m->edits);
    free(own);
    return PAL_OK;
}

// Two hands in the place of the scene's one.
static pal_status make_hands(making *m, const pal_trial_text *how) {
    static const char *const gone[] = {"device", "tool",       "coupling",
                                       "probe",  "probe_file", "faults"};
    pal_status status = value(m, "tool", &m->tool);
    if (status == PAL_OK) {
        status = value(m, "coupling", &m->coupling);
    }
    if (status != PAL_OK) {
        return status;
    }
    const char *tool = m->tool != NULL ? m->tool : "{}";
    const char *coupling = m->coupling != NULL ? m->coupling : "{}";
    const size_t room = strlen(how->probe) + strlen(how->second) +
                        2 * (strlen(m->device) + strlen(tool) + strlen(coupling)) + 200;
    m->hands = PAL_NEW(char, room, m->err);
    if (m->hands == NULL) {
        return PAL_ERR_MEMORY;
    }
    snprintf(m->hands, room,
             "[{device: %s, tool: %s, coupling: %s, probe: %s}, {device: %s, tool: %s, coupling: "
             "%s, probe: %s}]",
             m->device, tool, coupling, how->probe, m->device, tool, coupling, how->second);
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
        set(m, gone[i], NULL);
    }
    set(m, "hands", m->hands);
    return PAL_OK;
}

// One hand of the scene's several; the others keep to where they begin.
static void quieten_others(making *m) {
    for (int32_t h = 1; h < m->feel->scene.hand_count; h++) {
        const double *start = pal_scene_live_of(&m->feel->scene, h)->start;
        snprintf(m->quiet[h], sizeof m->quiet[h],
                 "[{move: [%.6f m, %.6f m, %.6f m], seconds: 0.1 s}]", start[0], start[1],
                 start[2]);
        snprintf(m->key[h], sizeof m->key[h], "hands.%d.probe", (int)h);
        set(m, m->key[h], m->quiet[h]);
    }
}

static void set_one_hand(making *m, const pal_trial_text *how) {
    static const char *const alone[] = {"device", "probe", "faults"};
    static const char *const first[] = {"hands.0.device", "hands.0.probe", "hands.0.faults"};
    const bool several = m->feel->scene.lists_hands;
    const char *const *key = several ? first : alone;
    set(m, key[0], m->device);
    set(m, key[1], how->probe);
    if (how->faults != NULL) {
        set(m, key[2], how->faults);
    }
    if (several) {
        quieten_others(m);
    } else {
        set(m, "probe_file", NULL);
    }
}

static pal_status make_text(making *m, const pal_trial_text *how, char **text) {
    pal_status status = make_device(m, how->grip);
    if (status == PAL_OK) {
        status = make_edits(m);
    }
    if (status == PAL_OK && how->second != NULL) {
        status = make_hands(m, how);
    } else if (status == PAL_OK) {
        set_one_hand(m, how);
    }
    if (how->surfaces != NULL) {
        set(m, "surfaces", how->surfaces);
    }
    if (m->feel->scene.has_domains) { // the body stands as it was looked at
        set(m, "wind", NULL);
        set(m, "gravity", NULL);
    }
    return status == PAL_OK
               ? pal_scene_text_with(&m->feel->scene, m->change, m->count, text, m->err)
               : status;
}

pal_status pal_trial_make_text(const pal_feel *feel, const pal_trial_text *how, char **text,
                               pal_err *err) {
    making m = {.feel = feel, .err = err};
    *text = NULL;
    const pal_status status = make_text(&m, how, text);
    free(m.device);
    free(m.tool);
    free(m.coupling);
    free(m.edits);
    free(m.hands);
    return status;
}
