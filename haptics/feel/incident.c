#include "haptics/feel/incident.h"

#include <stdarg.h>
#include <stdio.h>

#include "haptics/feel/measure_parts.h"
#include "sim/base/memory.h"

static const double least_depth = 1e-3;    // m, of a contact in which the tool can slip or wedge
static const double pressed = 0.75;        // of the largest depth: there the hand still presses
static const double still = 0.01;          // of it, outward in a tenth of a second: does not
static const double felt_force = 20e-3;    // N
static const double felt_seconds = 20e-3;  // s
static const double come_back = 0.3;       // of the largest force: the same contact goes on
static const double withdraws = 1e-3;      // m/s, outward
static const double window_seconds = 0.05; // s, over which speeds are taken

const char *pal_incident_name(pal_incident_kind kind) {
    static const char *const names[PAL_INCIDENT_KINDS] = {
        [PAL_INCIDENT_NONE] = "",
        [PAL_INCIDENT_NOT_MADE] = "not made",
        [PAL_INCIDENT_UNTOUCHED] = "touches nothing",
        [PAL_INCIDENT_NO_TRUTH] = "no truth",
        [PAL_INCIDENT_WEDGED] = "wedged",
        [PAL_INCIDENT_SLIPPED] = "slipped off",
        [PAL_INCIDENT_SLIPPED_WEDGED] = "slipped off and wedged",
        [PAL_INCIDENT_CUT] = "ends in contact"};
    return names[kind];
}

void pal_incident_set(pal_incident *incident, pal_incident_kind kind, double at, const char *why,
                      ...) {
    va_list args;
    *incident = (pal_incident){.kind = kind, .at = at};
    va_start(args, why);
    vsnprintf(incident->why, sizeof incident->why, why, args);
    va_end(args);
}

// Where the hand means to stay at its place, or may.
static bool is_at_one_place(pal_trial_kind kind) {
    return kind == PAL_TRIAL_ANY || kind == PAL_TRIAL_PRESS || kind == PAL_TRIAL_HOLD ||
           kind == PAL_TRIAL_GRIP || kind == PAL_TRIAL_STALL || kind == PAL_TRIAL_BEND ||
           kind == PAL_TRIAL_TWO_TOOLS;
}

// ---- the press

// The way that the hand presses: out of the body, from the place that it pressed deepest to the one
// where it first touched so that it is felt. Depths are counted along it from there.
typedef struct way {
    const pal_feel_view *v;
    int64_t first;  // tick, of the contact in which it presses first
    double axis[3]; // unit, outward
} way;

static double size_of(const pal_feel_view *v, int64_t k) {
    return pal_norm3(v->trace->row[k].force);
}

static double depth_along(const way *w, const double axis[3], int64_t k) {
    double gone[3];
    pal_sub3(w->v->path[k], w->v->path[w->first], gone);
    return -pal_dot3(gone, axis);
}

static double depth_at(const way *w, int64_t k) {
    return depth_along(w, w->axis, k);
}

// The direction of the force in the first 50 ms of a contact.
static void first_lean(const pal_feel_view *v, int64_t first, double axis[3]) {
    const int64_t end = first + (int64_t)(window_seconds / v->dt);
    for (int64_t k = first; k < end && k < v->count; k++) {
        for (int c = 0; c < 3; c++) {
            axis[c] += v->lean[k][c];
        }
    }
}

// Whether the contact that begins here is one that is felt, and its way.
static bool takes_way(const pal_feel_view *v, pal_feel_window run, way *w) {
    double lean[3] = {0.0, 0.0, 0.0}, strongest = 0.0, deepest = 0.0;
    int64_t at = run.first;
    *w = (way){.v = v, .first = run.first};
    first_lean(v, run.first, lean);
    for (int64_t k = run.first; k < v->count; k++) {
        const double depth = depth_along(w, lean, k);
        at = depth > deepest ? k : at;
        deepest = fmax(deepest, depth);
        strongest = k <= run.last ? fmax(strongest, size_of(v, k)) : strongest;
    }
    pal_sub3(v->path[run.first], v->path[at], w->axis);
    const double length = pal_norm3(w->axis);
    for (int c = 0; c < 3 && length > 0.0; c++) {
        w->axis[c] /= length;
    }
    return length >= least_depth && strongest >= felt_force;
}

// ---- slipping off

// How far the hand has gone outward in the tenth of a second before tick k, m.
static double gone_out(const way *w, int64_t k) {
    const int64_t before = k - (int64_t)(2.0 * window_seconds / w->v->dt);
    return depth_at(w, before > w->first ? before : w->first) - depth_at(w, k);
}

// Whether the contact comes back after its end while the hand presses.
static bool comes_back(const way *w, int64_t last, double deepest, double strongest) {
    const pal_feel_view *v = w->v;
    for (int64_t k = last + 1; k < v->count && depth_at(w, k) >= pressed * deepest; k++) {
        if (v->touch[k] && size_of(v, k) > come_back * strongest) {
            return true;
        }
    }
    return false;
}

// How far the device has gone sideways since the press began, m.
static double gone_sideways(const way *w, int64_t k) {
    double gone[3];
    pal_sub3(w->v->path[k], w->v->path[w->first], gone);
    const double depth = depth_at(w, k);
    return sqrt(fmax(0.0, pal_dot3(gone, gone) - depth * depth));
}

static bool slips_after(const way *w, pal_feel_window run, pal_incident *incident) {
    const pal_feel_view *v = w->v;
    const int64_t last = run.last, after = last + (int64_t)(window_seconds / v->dt);
    const double depth = depth_at(w, last);
    double deepest = 0.0, strongest = 0.0;
    for (int64_t k = run.first; k <= last; k++) {
        deepest = fmax(deepest, depth_at(w, k));
        strongest = fmax(strongest, size_of(v, k));
    }
    if (deepest < least_depth || strongest < felt_force || after >= v->count ||
        depth < pressed * deepest || gone_out(w, last) > still * deepest ||
        depth_at(w, after) < depth - still * deepest || gone_sideways(w, last) > depth ||
        comes_back(w, last, deepest, strongest)) {
        return false;
    }
    const double at = v->trace->row[last].time;
    pal_incident_set(incident, PAL_INCIDENT_SLIPPED, at,
                     "the tool slips off at %.3f s, %.1f mm deep, while the hand still presses "
                     "(with up to %.2f N before)",
                     at, 1e3 * depth, strongest);
    return true;
}

static bool slips(const way *w, pal_incident *incident) {
    const pal_feel_view *v = w->v;
    pal_feel_window run;
    for (int64_t k = w->first; pal_feel_is_window(run = pal_feel_run_from(v->joined, v->count, k));
         k = run.last + 1) {
        if (slips_after(w, run, incident)) {
            return true;
        }
    }
    return false;
}

// ---- wedged

// Whether the hand moves outward at tick k, more than sideways.
static bool withdraws_at(const way *w, int64_t k) {
    const pal_feel_view *v = w->v;
    const int64_t half = (int64_t)(window_seconds / v->dt);
    const int64_t first = k > half ? k - half : 0;
    const int64_t last = k + half < v->count ? k + half : v->count - 1;
    double gone[3];
    pal_sub3(v->path[last], v->path[first], gone);
    const double out = pal_dot3(gone, w->axis);
    const double side = sqrt(fmax(0.0, pal_dot3(gone, gone) - out * out));
    return out > withdraws * (double)(last - first) * v->dt && out > side;
}

// The force with which the touches of tick k hold the tool back, N; 0: they do not, or by sticking.
static double held_back(const way *w, int64_t k) {
    const pal_tick_record *row = &w->v->trace->row[k];
    const bool sticks = row->buttons != 0 || pal_dot3(row->push, row->normal) < 0.0;
    return w->v->touch[k] && !sticks ? -pal_dot3(row->wanted, w->axis) : 0.0;
}

static bool wedges(const way *w, pal_incident *incident) {
    const pal_feel_view *v = w->v;
    const uint32_t needed = PAL_FEEL_NO_TOUCH | PAL_FEEL_NO_NORMAL | PAL_FEEL_NO_FRICTION;
    const int64_t enough = (int64_t)(felt_seconds / v->dt);
    int64_t run = 0, first = -1;
    double most = 0.0;
    for (int64_t k = w->first; !(v->trace->missing & needed) && k < v->count; k++) {
        const double back = held_back(w, k);
        run = back > felt_force && withdraws_at(w, k) ? run + 1 : 0;
        first = first < 0 && run == enough ? k + 1 - enough : first;
        most = first >= 0 ? fmax(most, back) : most;
    }
    if (first < 0) {
        return false;
    }
    const double at = v->trace->row[first].time;
    pal_incident_set(incident, PAL_INCIDENT_WEDGED, at,
                     "the tool is wedged: from %.3f s on the surface (a lip over it, or walls on "
                     "both sides) holds it back with up to %.0f mN while the hand withdraws%s",
                     at, 1e3 * most, v->trace->cut > 0 ? "; at the end it is not free" : "");
    return true;
}

// ---- the whole

static void look_at_place(const pal_feel_view *v, pal_incident *incident) {
    pal_incident slip = {0}, wedge = {0};
    pal_feel_window run;
    way w;
    bool found = false;
    for (int64_t k = 0;
         !found && pal_feel_is_window(run = pal_feel_run_from(v->joined, v->count, k));
         k = run.last + 1) {
        found = takes_way(v, run, &w);
    }
    if (!found) {
        return;
    }
    const bool slipped = slips(&w, &slip), wedged = wedges(&w, &wedge);
    if (slipped && wedged) {
        pal_incident_set(incident, PAL_INCIDENT_SLIPPED_WEDGED, fmin(slip.at, wedge.at), "%s; %s",
                         slip.why, wedge.why);
    } else if (slipped || wedged) {
        *incident = slipped ? slip : wedge;
    }
}

pal_status pal_feel_find_incident(const pal_feel_trace *trace, pal_incident *incident,
                                  pal_err *err) {
    pal_feel_view view;
    *incident = (pal_incident){.at = NAN};
    pal_status status = pal_feel_view_open(&view, trace, NULL, err);
    if (status != PAL_OK) {
        return status;
    }
    if (is_at_one_place(trace->kind)) {
        look_at_place(&view, incident);
    }
    if (incident->kind == PAL_INCIDENT_NONE && trace->cut > 0) {
        const double at = trace->row[trace->count - 1].time + trace->dt;
        pal_incident_set(incident, PAL_INCIDENT_CUT, at,
                         "the run ends in contact: judged until %.3f s, before its end takes the "
                         "force away",
                         at);
    }
    pal_feel_view_close(&view);
    return PAL_OK;
}
