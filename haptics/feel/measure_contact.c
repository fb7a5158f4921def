// Does the tool stay outside, is free space free, and how soon does the force answer?
#include "haptics/feel/measure_parts.h"

static const double penetration_force = 1.0; // N
static const double turned = -0.5;           // cosine of 120 degrees
static const double through = 1e-3;          // m behind the surface, at least
static const double after_contact = 20e-3;   // s in which a tool that went through is seen
static const double before_contact = 10e-3;  // s without contact, before an answer is timed
static const double least_change = 1e-9;     // N
enum { MOST_LAG = 50 };                      // ticks

// ---- penetration

static void measure_penetration(pal_feel_view *v) {
    double deep = 0.0, most = 0.0;
    int64_t touched = 0, at_device = 0;
    for (int64_t k = 0; k < v->count; k++) {
        const pal_tick_record *row = &v->trace->row[k];
        const double force = pal_norm3(row->force);
        if (!v->touch[k]) {
            continue;
        }
        touched++;
        at_device += row->tool[0] == row->position[0] && row->tool[1] == row->position[1] &&
                     row->tool[2] == row->position[2] && row->strain == 0.0;
        if (force <= penetration_force && row->depth > deep) {
            deep = row->depth;
        }
        most = fmax(most, force);
    }
    const char *why = v->trace->missing & (PAL_FEEL_NO_DEPTH | PAL_FEEL_NO_TOOL)
                          ? "the trace has no tool or no depth of it"
                      : touched == 0        ? "nothing was touched"
                      : v->truth.soft_layer ? "the surface has a soft layer, which is pressed in"
                      : at_device == touched
                          ? "the surface acts on the device itself: its depth is its spring"
                          : NULL;
    if (why != NULL) {
        pal_feel_score(v, PAL_METRIC_PENETRATION, NAN, "%s", why);
    } else {
        pal_feel_score(v, PAL_METRIC_PENETRATION, deep, "largest force %.2f N", most);
    }
}

// ---- pop-through

// How far the tool is outside of the surface that it touches at tick k, m.
static double outside(const pal_feel_view *v, int64_t tool, int64_t k) {
    const pal_tick_record *row = &v->trace->row[k];
    double way[3];
    pal_sub3(v->trace->row[tool].tool, row->point, way);
    return pal_dot3(way, row->normal);
}

// Ends behind the surface that it touched last, by its radius or more.
static bool ends_behind(const pal_feel_view *v, pal_feel_window run) {
    double usual = -INFINITY;
    for (int64_t k = run.first; k <= run.last; k++) {
        usual = fmax(usual, outside(v, k, k));
    }
    const double limit = usual - fmax(through, v->trace->tool_radius);
    const int64_t most = run.last + (int64_t)(after_contact / v->dt);
    for (int64_t k = run.last + 1; k <= most && k < v->count && !v->touch[k]; k++) {
        if (outside(v, k, run.last) < limit) {
            return true;
        }
    }
    return false;
}

static int turns_over(const pal_feel_view *v, pal_feel_window run) {
    int turns = 0;
    for (int64_t k = run.first + 1; k <= run.last; k++) {
        turns += pal_dot3(v->trace->row[k].normal, v->trace->row[k - 1].normal) < turned;
    }
    return turns;
}

// By the device's path alone: the force is gone, and the device is nearly as deep as ever below
// where the contact began, without having gone sideways (over an edge).
static bool ends_deep(const pal_feel_view *v, pal_feel_window run) {
    double axis[3] = {0.0, 0.0, 0.0}, most = 0.0, depth = 0.0, side = 0.0;
    for (int64_t k = run.first; k <= run.last; k++) {
        for (int c = 0; c < 3; c++) {
            axis[c] += v->lean[k][c];
        }
    }
    const double size = pal_norm3(axis);
    if (!(size > 0.0) || run.last + 1 >= v->count) {
        return false;
    }
    for (int64_t k = run.first; k <= run.last + 1; k++) {
        double way[3];
        pal_sub3(v->path[k], v->path[run.first], way);
        depth = -pal_dot3(way, axis) / size;
        side = sqrt(fmax(0.0, pal_dot3(way, way) - depth * depth));
        most = fmax(most, depth);
    }
    return most > through && depth > 0.5 * most && side < depth;
}

static void measure_pop_through(pal_feel_view *v) {
    const bool by_path = v->trace->missing & (PAL_FEEL_NO_TOOL | PAL_FEEL_NO_NORMAL);
    const bool *flag = by_path ? v->joined : v->touch;
    int passes = 0, contacts = 0;
    pal_feel_window run;
    for (int64_t k = 0; pal_feel_is_window(run = pal_feel_run_from(flag, v->count, k));
         k = run.last + 1, contacts++) {
        passes += by_path ? ends_deep(v, run) : ends_behind(v, run) + turns_over(v, run);
    }
    if (contacts == 0) {
        pal_feel_score(v, PAL_METRIC_POP_THROUGH, NAN, "nothing was touched");
    } else {
        pal_feel_score(v, PAL_METRIC_POP_THROUGH, passes, "%d contact%s%s", contacts,
                       contacts == 1 ? "" : "s",
                       by_path ? ", by the path of the device alone" : "");
    }
}

// ---- free space

static void measure_leak(pal_feel_view *v) {
    const bool free_trial = v->trace->kind == PAL_TRIAL_FREE;
    if (v->trace->missing & PAL_FEEL_NO_TOUCH && !free_trial) {
        pal_feel_score(v, PAL_METRIC_LEAK, NAN, "the trace does not tell when nothing is touched");
        return;
    }
    const bool all_free = v->trace->missing & PAL_FEEL_NO_TOUCH;
    double most = 0.0, at = 0.0;
    int64_t ticks = 0;
    bool fades = false; // what is left of a contact, held back by the slew limit
    for (int64_t k = 0; k < v->count; k++) {
        const bool touch = v->touch[k] && !all_free;
        fades = (k > 0 && v->touch[k - 1] && !all_free) || fades;
        fades = fades && !touch && v->trace->row[k].outcome & PAL_OUT_SLEW;
        if (touch || fades) {
            continue;
        }
        const double force = pal_norm3(v->trace->row[k].force);
        at = force > most ? v->trace->row[k].time : at;
        most = fmax(most, force);
        ticks++;
    }
    if (ticks == 0) {
        pal_feel_score(v, PAL_METRIC_LEAK, NAN, "something is touched all the time");
    } else if (most > 0.0) {
        pal_feel_score(v, PAL_METRIC_LEAK, most, "at %.3f s", at);
    } else {
        pal_feel_score(v, PAL_METRIC_LEAK, 0.0, "%lld ticks without contact", (long long)ticks);
    }
}

// ---- latency

// Ticks from the first touch of a contact until the force sent changes; -1: does not count.
static int64_t answer_of(const pal_feel_view *v, pal_feel_window run) {
    const int64_t quiet = (int64_t)(before_contact / v->dt);
    for (int64_t k = run.first - quiet; k < run.first; k++) {
        if (k < 0 || v->touch[k]) {
            return -1;
        }
    }
    const double *before = v->trace->row[run.first - 1].force;
    for (int64_t k = run.first; k <= run.last; k++) {
        double change[3];
        pal_sub3(v->trace->row[k].force, before, change);
        if (pal_feel_ramps(v, k)) {
            return -1;
        }
        if (pal_norm3(change) > least_change) {
            return k - run.first;
        }
    }
    return run.last + 1 - run.first;
}

// The shift at which changes of the force follow changes of the depth best; -1: none does.
static int64_t best_shift(const pal_feel_view *v, double *match) {
    int64_t best = -1;
    *match = 0.0;
    for (int64_t shift = 0; shift <= MOST_LAG; shift++) {
        double xy = 0.0, xx = 0.0, yy = 0.0;
        for (int64_t k = v->press.first + 1; k + shift <= v->press.last; k++) {
            const pal_tick_record *row = &v->trace->row[k];
            double way[3], change[3];
            pal_sub3(row[0].position, row[-1].position, way);
            pal_sub3(row[shift].force, row[shift - 1].force, change);
            const double x = -pal_dot3(way, v->axis), y = pal_dot3(change, v->axis);
            xy += x * y;
            xx += x * x;
            yy += y * y;
        }
        const double now = xx > 0.0 && yy > 0.0 ? xy / sqrt(xx * yy) : 0.0;
        if (now > *match) {
            *match = now;
            best = shift;
        }
    }
    return *match > 0.3 ? best : -1;
}

static void measure_latency(pal_feel_view *v) {
    const double delay = v->trace->delay / v->dt;
    if (!pal_feel_is_window(v->press)) {
        pal_feel_score(v, PAL_METRIC_LATENCY, NAN, "nothing was touched");
        return;
    }
    if (v->trace->missing & PAL_FEEL_NO_TOUCH) {
        double match;
        const int64_t shift = best_shift(v, &match);
        pal_feel_score(v, PAL_METRIC_LATENCY, shift >= 0 ? (double)shift + delay : NAN,
                       "changes of force follow those of the place with a correlation of %.2f",
                       match);
        return;
    }
    int64_t worst = -1, contacts = 0;
    pal_feel_window run;
    for (int64_t k = 0; pal_feel_is_window(run = pal_feel_run_from(v->touch, v->count, k));
         k = run.last + 1) {
        const int64_t answer = answer_of(v, run);
        contacts += answer >= 0;
        worst = answer > worst ? answer : worst;
    }
    if (worst < 0) {
        pal_feel_score(v, PAL_METRIC_LATENCY, NAN, "no contact begins out of free space");
    } else {
        pal_feel_score(v, PAL_METRIC_LATENCY, (double)worst + delay,
                       "%lld contact%s; %.2f ms of it the actuator's", (long long)contacts,
                       contacts == 1 ? "" : "s", 1e3 * v->trace->delay);
    }
}

void pal_feel_measure_contact(pal_feel_view *v) {
    measure_penetration(v);
    measure_pop_through(v);
    measure_leak(v);
    measure_latency(v);
}
