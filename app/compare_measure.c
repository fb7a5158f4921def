// What is told of a motion: amplitude, frequency, difference from another.
#include <math.h>
#include <stdlib.h>

#include "app/compare.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

static const double OTHER_SIDE = 0.1; // of the peak: how far beyond zero counts
enum { MOST_HALVES = 64 };

pal_status pal_motion_alloc(const pal_trial *trial, pal_motion *motion, pal_err *err) {
    *motion = (pal_motion){.count = trial->steps + 1};
    motion->time = PAL_NEW(double, motion->count, err);
    motion->u = PAL_NEW(double, 3 * (size_t)motion->count, err);
    motion->along = PAL_NEW(double, motion->count, err);
    return motion->time && motion->u && motion->along ? PAL_OK : PAL_ERR_MEMORY;
}

void pal_motion_free(pal_motion *motion) {
    free(motion->time);
    free(motion->u);
    free(motion->along);
    *motion = (pal_motion){0};
}

double pal_motion_peak(const pal_motion *motion) {
    double peak = 0.0;
    for (int32_t i = 0; i < motion->count; i++) {
        peak = fmax(peak, fabs(motion->along[i]));
    }
    return peak;
}

// Times at which the motion goes through zero; returns how many.
static int32_t crossings(const pal_motion *m, double *time) {
    const double *x = m->along, far = OTHER_SIDE * pal_motion_peak(m);
    double latest = 0.0; // time of the last change of sign
    int side = 0;        // the side on which it was last far out
    int32_t count = 0;
    for (int32_t i = 1; i < m->count && count < MOST_HALVES; i++) {
        if ((x[i - 1] < 0.0) != (x[i] < 0.0)) {
            double share = x[i - 1] / (x[i - 1] - x[i]);
            latest = m->time[i - 1] + share * (m->time[i] - m->time[i - 1]);
        }
        int now = x[i] > far ? 1 : x[i] < -far ? -1 : side;
        if (side != 0 && now != side) {
            time[count++] = latest;
        }
        side = now;
    }
    return count;
}

double pal_motion_frequency(const pal_motion *motion, int32_t most, int32_t *halves) {
    double time[MOST_HALVES];
    int32_t found = crossings(motion, time) - 1;
    found = found < 0 ? 0 : found;
    if (halves != NULL) {
        *halves = found;
    }
    found = found < most ? found : most;
    return found > 0 ? 0.5 * found / (time[found] - time[0]) : (double)NAN;
}

pal_difference pal_motion_compare(const pal_motion *motion, const pal_motion *full) {
    int32_t mine, theirs;
    pal_motion_frequency(motion, 1, &mine);
    pal_motion_frequency(full, 1, &theirs);
    int32_t halves = mine < theirs ? mine : theirs; // the same swings of both
    double sum = 0.0, greatest = 0.0;
    for (int32_t i = 0; i < full->count; i++) {
        double d[3];
        pal_sub3(motion->u + 3 * (int64_t)i, full->u + 3 * (int64_t)i, d);
        sum += pal_dot3(d, d);
        greatest = fmax(greatest, pal_norm3(full->u + 3 * (int64_t)i));
    }
    return (pal_difference){
        .amplitude = pal_motion_peak(motion) / pal_motion_peak(full) - 1.0,
        .frequency =
            pal_motion_frequency(motion, halves, NULL) / pal_motion_frequency(full, halves, NULL) -
            1.0,
        .rms = sqrt(sum / full->count) / greatest,
    };
}
