// A trace with what is found in it: path, contacts, depths, hold, slide, stiffness.
#include <stdlib.h>
#include <string.h>

#include "haptics/feel/measure_parts.h"
#include "sim/base/memory.h"

static const double gap_seconds = 0.05;                 // contacts nearer than this are one
static const double starts_at = 20e-3, ends_at = 10e-3; // N, contacts that only the force shows
static const double still_speed = 1e-3;                 // m/s
static const double hold_seconds = 1.0;
static const double slide_speed = 3e-3;  // m/s, at least
static const double slide_force = 20e-3; // N, likewise
static const double slide_seconds = 0.2, pause_seconds = 0.15;
static const double first_depth = 2e-3; // m

static const pal_feel_window none = {0, -1};

pal_feel_window pal_feel_run_from(const bool *flag, int64_t count, int64_t k) {
    while (k < count && !flag[k]) {
        k++;
    }
    pal_feel_window run = {k, k - 1};
    while (run.last + 1 < count && flag[run.last + 1]) {
        run.last++;
    }
    return run;
}

static pal_feel_window longest_run(const bool *flag, int64_t count) {
    pal_feel_window longest = none, run;
    for (int64_t k = 0; pal_feel_is_window(run = pal_feel_run_from(flag, count, k));
         k = run.last + 1) {
        longest = run.last - run.first > longest.last - longest.first ? run : longest;
    }
    return longest;
}

// ---- least squares

void pal_feel_line_add(pal_feel_line *line, double x, double y) {
    line->n += 1.0;
    line->x += x;
    line->y += y;
    line->xx += x * x;
    line->xy += x * y;
}

double pal_feel_line_slope(const pal_feel_line *line) {
    const double spread = line->n * line->xx - line->x * line->x;
    return spread > 0.0 ? (line->n * line->xy - line->x * line->y) / spread : NAN;
}

double pal_feel_line_at(const pal_feel_line *line, double x) {
    return line->y / line->n + pal_feel_line_slope(line) * (x - line->x / line->n);
}

// ---- the path between the steps of the encoder

// The smallest change of a reading on one axis, m.
static double step_of(const pal_feel_view *v, int c) {
    const pal_tick_record *row = v->trace->row;
    double least = INFINITY;
    for (int64_t k = 1; k < v->count; k++) {
        const double change = fabs(row[k].position[c] - row[k - 1].position[c]);
        least = change > 0.0 ? fmin(least, change) : least;
    }
    return least;
}

// One axis: straight lines through the middles of the changes, within half a step of the reading.
// (What has no steps has changes as small as you like, and stays as it is.)
static void trace_axis(pal_feel_view *v, int c) {
    const pal_tick_record *row = v->trace->row;
    const double half = 0.5 * step_of(v, c);
    double from = row[0].position[c], at = 0.0; // the last knot: place, tick (changes at k - 1/2)
    int64_t filled = 0;
    for (int64_t k = 1; k <= v->count; k++) {
        const bool end = k == v->count;
        if (!end && row[k].position[c] == row[k - 1].position[c]) {
            continue;
        }
        const double to =
            end ? row[k - 1].position[c] : 0.5 * (row[k].position[c] + row[k - 1].position[c]);
        const double when = end ? (double)(k - 1) : (double)k - 0.5;
        for (; filled < k; filled++) {
            const double share = when > at ? ((double)filled - at) / (when - at) : 1.0;
            const double reading = row[filled].position[c], place = from + share * (to - from);
            v->path[filled][c] = fmin(reading + half, fmax(reading - half, place));
        }
        from = to;
        at = when;
    }
}

// ---- contacts

// Runs of true that are at most `gap` ticks apart become one.
static void close_gaps(bool *flag, int64_t count, int64_t gap) {
    int64_t last = -1;
    for (int64_t k = 0; k < count; k++) {
        if (flag[k]) {
            for (int64_t i = last + 1; last >= 0 && k - last <= gap && i < k; i++) {
                flag[i] = true;
            }
            last = k;
        }
    }
}

static void find_contacts(pal_feel_view *v) {
    const pal_tick_record *row = v->trace->row;
    const bool by_force = v->trace->missing & PAL_FEEL_NO_TOUCH;
    for (int64_t k = 0; k < v->count; k++) {
        const double force = pal_norm3(row[k].force);
        const bool was = k > 0 && v->touch[k - 1];
        v->touch[k] = by_force ? force > (was ? ends_at : starts_at) : row[k].touching > 0;
        v->joined[k] = v->touch[k];
    }
    close_gaps(v->joined, v->count, (int64_t)(gap_seconds / v->dt));
}

// The force along the normals, as well as the trace tells it.
static void find_lean(pal_feel_view *v) {
    const uint32_t missing = v->trace->missing;
    for (int64_t k = 0; k < v->count; k++) {
        const pal_tick_record *row = &v->trace->row[k];
        const double along = pal_dot3(row->force, row->normal);
        for (int c = 0; c < 3; c++) {
            v->lean[k][c] = !(missing & PAL_FEEL_NO_FRICTION) ? row->push[c]
                            : !(missing & PAL_FEEL_NO_NORMAL) ? along * row->normal[c]
                                                              : row->force[c];
        }
    }
}

// From the first touch until half of the largest force.
static void find_axis(pal_feel_view *v) {
    double most = 0.0, sum[3] = {0.0, 0.0, 0.0};
    for (int64_t k = v->press.first; k <= v->press.last; k++) {
        most = fmax(most, pal_norm3(v->lean[k]));
    }
    for (int64_t k = v->press.first; k <= v->press.last; k++) {
        for (int c = 0; c < 3; c++) {
            sum[c] += v->lean[k][c];
        }
        if (pal_norm3(v->lean[k]) >= 0.5 * most) {
            break;
        }
    }
    const double size = pal_norm3(sum);
    for (int c = 0; c < 3 && size > 0.0; c++) {
        v->axis[c] = sum[c] / size;
    }
}

static void find_depth(pal_feel_view *v) {
    const int64_t first = pal_feel_is_window(v->press) ? v->press.first : 0;
    for (int64_t k = 0; k < v->count; k++) {
        double way[3];
        pal_sub3(v->path[k], v->path[first], way);
        v->depth[k] = -pal_dot3(way, v->axis);
    }
}

// ---- hold and slide

// Mean of a curve over ticks first..last from its sums (sum[k]: of all before k).
static void mean_of(const double (*sum)[3], int64_t first, int64_t last, double mean[3]) {
    for (int c = 0; c < 3; c++) {
        mean[c] = (sum[last + 1][c] - sum[first][c]) / (double)(last + 1 - first);
    }
}

static void sum_up(const double (*x)[3], int64_t count, double (*sum)[3]) {
    for (int64_t k = 0; k < count; k++) {
        for (int c = 0; c < 3; c++) {
            sum[k + 1][c] = sum[k][c] + x[k][c];
        }
    }
}

// Speed of the hand at tick k, m/s, between the means of a tenth of a second before and after (so
// that a device that trembles in a still hand is still): all of it, and along the surface.
static void speed_at(const double (*path)[3], const double (*lean)[3], int64_t k, int64_t count,
                     double dt, double *speed, double *along) {
    const int64_t tenth = (int64_t)(0.1 / dt);
    int64_t half = k < count - k ? k : count - k;
    half = half < tenth ? half : tenth;
    *speed = *along = 0.0;
    if (half < 1) {
        return;
    }
    double before[3], after[3], v[3], n[3];
    mean_of(path, k - half, k - 1, before);
    mean_of(path, k, k + half - 1, after);
    mean_of(lean, k - half, k + half - 1, n);
    pal_sub3(after, before, v);
    const double size = pal_norm3(n), up = size > 0.0 ? pal_dot3(v, n) / size : 0.0;
    const double all = pal_norm3(v), flat = sqrt(fmax(0.0, all * all - up * up));
    *speed = all / ((double)half * dt);
    *along = fabs(up) < 0.5 * flat ? flat / ((double)half * dt) : 0.0;
}

static void find_hold(pal_feel_view *v, const double *speed, bool *flag) {
    for (int64_t k = 0; k < v->count; k++) {
        flag[k] = v->joined[k] && speed[k] < still_speed;
    }
    const pal_feel_window run = longest_run(flag, v->count);
    const bool long_enough = (double)(run.last + 1 - run.first) * v->dt >= hold_seconds - 1e-9;
    v->hold = long_enough ? run : none;
}

// Where the hand moves along the surface with more than a quarter of its mean speed there (under
// friction it goes by fits and starts; short pauses belong to it) and presses so that a direction
// is felt; a tenth, and at least 50 ms, are cut off at both ends.
static void find_slide(pal_feel_view *v, const double *along, bool *flag) {
    double sum = 0.0, ticks = 0.0;
    for (int64_t k = 0; k < v->count; k++) {
        flag[k] = v->joined[k] && along[k] > slide_speed;
        sum += flag[k] ? along[k] : 0.0;
        ticks += flag[k];
    }
    for (int64_t k = 0; k < v->count; k++) {
        flag[k] = flag[k] && along[k] > 0.25 * sum / ticks;
    }
    close_gaps(flag, v->count, (int64_t)(pause_seconds / v->dt));
    for (int64_t k = 0; k < v->count; k++) {
        flag[k] = flag[k] && pal_norm3(v->trace->row[k].force) >= slide_force;
    }
    pal_feel_window run = longest_run(flag, v->count);
    const double length = (double)(run.last + 1 - run.first);
    const int64_t cut = (int64_t)fmax(0.1 * length, 0.05 / v->dt);
    run = (pal_feel_window){run.first + cut, run.last - cut};
    v->slide = (double)(run.last + 1 - run.first) * v->dt >= slide_seconds ? run : none;
}

static pal_status find_motion(pal_feel_view *v, pal_err *err) {
    const size_t n = (size_t)v->count;
    double(*path)[3] = pal_alloc(n + 1, sizeof *path, err);
    double(*lean)[3] = pal_alloc(n + 1, sizeof *lean, err);
    double *speed = PAL_NEW(double, 2 * n, err);
    bool *flag = PAL_NEW(bool, n, err);
    const bool ok = path != NULL && lean != NULL && speed != NULL && flag != NULL;
    if (ok) {
        sum_up((const double(*)[3])v->path, v->count, path);
        sum_up((const double(*)[3])v->lean, v->count, lean);
        for (int64_t k = 0; k < v->count; k++) {
            speed_at((const double(*)[3])path, (const double(*)[3])lean, k, v->count, v->dt,
                     &speed[k], &speed[v->count + k]);
        }
        find_hold(v, speed, flag);
        find_slide(v, speed + v->count, flag);
    }
    free(path);
    free(lean);
    free(speed);
    free(flag);
    return ok ? PAL_OK : PAL_ERR_MEMORY;
}

// ---- the way in and what it shows

static void find_inward(pal_feel_view *v) {
    int64_t last = v->press.last;
    const pal_feel_window after[] = {v->hold, v->slide};
    for (int i = 0; i < 2; i++) {
        const int64_t begins = pal_feel_is_window(after[i]) ? after[i].first : last + 1;
        last = begins > v->press.first && begins <= last ? begins - 1 : last;
    }
    double most = 0.0;
    for (int64_t k = v->press.first; k <= last; k++) {
        most = fmax(most, v->depth[k]);
    }
    v->inward = v->press;
    for (int64_t k = v->press.first; k <= last; k++) {
        v->inward.last = k;
        if (v->depth[k] >= 0.98 * most) {
            break;
        }
    }
}

static double slope_between(const pal_feel_view *v, double from, double to) {
    pal_feel_line line = {0};
    for (int64_t k = v->inward.first; k <= v->inward.last; k++) {
        if (v->depth[k] >= from && v->depth[k] <= to && !pal_feel_ramps(v, k)) {
            pal_feel_line_add(&line, v->depth[k], pal_dot3(v->trace->row[k].force, v->axis));
        }
    }
    return line.n >= 4.0 ? fmax(0.0, pal_feel_line_slope(&line)) : 0.0;
}

static void find_stiffness(pal_feel_view *v) {
    const double most = v->depth[v->inward.last];
    const double first = slope_between(v, 0.0, first_depth);
    const double upper = slope_between(v, 0.5 * most, most);
    v->stiffness = fmax(isnan(first) ? 0.0 : first, isnan(upper) ? 0.0 : upper);
}

// ---- the whole

void pal_feel_view_close(pal_feel_view *v) {
    free(v->path);
    free(v->lean);
    free(v->touch);
    free(v->joined);
    free(v->depth);
    memset(v, 0, sizeof *v);
}

pal_status pal_feel_view_open(pal_feel_view *v, const pal_feel_trace *trace,
                              const pal_feel_truth *truth, pal_err *err) {
    const size_t n = (size_t)trace->count;
    *v = (pal_feel_view){.trace = trace,
                         .count = trace->count,
                         .dt = trace->dt,
                         .press = none,
                         .inward = none,
                         .hold = none,
                         .slide = none,
                         .err = err};
    pal_feel_truth_none(&v->truth);
    v->truth = truth != NULL ? *truth : v->truth;
    v->path = pal_alloc(n, sizeof *v->path, err);
    v->lean = pal_alloc(n, sizeof *v->lean, err);
    v->touch = PAL_NEW(bool, n, err);
    v->joined = PAL_NEW(bool, n, err);
    v->depth = PAL_NEW(double, n, err);
    if (v->path == NULL || v->lean == NULL || v->touch == NULL || v->joined == NULL ||
        v->depth == NULL) {
        pal_feel_view_close(v);
        return PAL_ERR_MEMORY;
    }
    for (int c = 0; c < 3; c++) {
        trace_axis(v, c);
    }
    find_contacts(v);
    find_lean(v);
    v->press = trace->kind == PAL_TRIAL_TAP ? pal_feel_run_from(v->joined, v->count, 0)
                                            : longest_run(v->joined, v->count);
    if (pal_feel_is_window(v->press)) {
        find_axis(v);
    }
    find_depth(v);
    pal_status status = find_motion(v, err);
    if (status != PAL_OK) {
        pal_feel_view_close(v);
    } else if (pal_feel_is_window(v->press)) {
        find_inward(v);
        find_stiffness(v);
    }
    return status;
}
