// What to compare when the user does not say: where, which way and how hard to strike.
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/compare.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

static const double END = 0.1;        // of the reach: the vertices that make the far end
static const double NEAR_PEAK = 1e-3; // relative error of a peak that is good enough
enum { MOST_DOUBLINGS = 24, MOST_BISECTIONS = 24, MOST_STEPS = 100000 };

// distance[v] from the nearest held vertex; the greatest is returned, at most 0 when none is held.
static double distances(const pal_volmesh *mesh, const uint8_t *held, double *distance) {
    double greatest = 0.0;
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        double best = DBL_MAX;
        for (int32_t h = 0; h < mesh->vertex_count; h++) {
            if (held[h]) {
                double d[3];
                pal_sub3(mesh->x + 3 * (int64_t)v, mesh->x + 3 * (int64_t)h, d);
                best = fmin(best, pal_dot3(d, d));
            }
        }
        distance[v] = best < DBL_MAX ? sqrt(best) : 0.0;
        greatest = fmax(greatest, distance[v]);
    }
    return greatest;
}

pal_status pal_trial_far_end(const pal_volmesh *mesh, const uint8_t *held, char *selector,
                             size_t size, double *reach, pal_err *err) {
    double *distance = PAL_NEW(double, mesh->vertex_count, err);
    if (distance == NULL) {
        return PAL_ERR_MEMORY;
    }
    *reach = distances(mesh, held, distance);
    const double far = (1.0 - END) * *reach;
    double centre[3] = {0.0, 0.0, 0.0};
    int32_t count = 0, middle = 0;
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        if (distance[v] >= far) {
            count++;
            for (int c = 0; c < 3; c++) {
                centre[c] += mesh->x[3 * (int64_t)v + c];
            }
        }
    }
    // The vertex of the far end that is nearest to its middle, and the others about it.
    double best = DBL_MAX;
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        const double *x = mesh->x + 3 * (int64_t)v;
        double d[3] = {x[0] - centre[0] / count, x[1] - centre[1] / count,
                       x[2] - centre[2] / count};
        if (distance[v] >= far && pal_dot3(d, d) < best) {
            best = pal_dot3(d, d);
            middle = v;
        }
    }
    const double *x = mesh->x + 3 * (int64_t)middle;
    snprintf(selector, size, "near:(%.4g,%.4g,%.4g):%.3g", x[0], x[1], x[2], END * *reach);
    free(distance);
    return PAL_OK;
}

pal_status pal_trial_linear(const pal_trial *trial, const pal_reduction *reduction, double *period,
                            double *compliance, pal_err *err) {
    const int32_t r = reduction->r;
    double *k = PAL_NEW(double, (size_t)r *(size_t)r, err);
    double *lambda = PAL_NEW(double, r, err);
    pal_status status = k && lambda ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t j = 0; status == PAL_OK && j < r; j++) {
        for (int32_t i = 0; i <= j; i++) {
            k[i * r + j] = k[j * r + i] = reduction->quartic.p[pal_pair_at(i, j)];
        }
    }
    if (status == PAL_OK &&
        (LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'V', 'U', r, k, r, lambda) != 0 || !(lambda[0] > 0.0))) {
        status = pal_fail(err, PAL_ERR_NUMERIC,
                          "the reduced stiffness is not positive; hold more of the body");
    }
    if (status == PAL_OK) {
        *period = 2.0 * 3.14159265358979323846 / sqrt(lambda[0]);
        *compliance = 0.0;
    }
    // sum over modes of (their motion at the probe)^2 / lambda
    for (int32_t m = 0; status == PAL_OK && m < r; m++) {
        double moved = 0.0;
        for (int32_t i = 0; i < r; i++) {
            for (int32_t v = 0; v < 3 * trial->probe.count; v++) {
                const double *u =
                    reduction->basis + (3 * (int64_t)trial->probe.vertex[v / 3] + v % 3) * r + i;
                moved += *u * trial->blow.direction[v % 3] * k[i * r + m] / trial->probe.count;
            }
        }
        *compliance += moved * moved / lambda[m];
    }
    free(k);
    free(lambda);
    return status;
}

pal_status pal_trial_direction(pal_trial *trial, const pal_reduction *reduction, pal_err *err) {
    int softest = 0;
    double most = 0.0;
    for (int c = 0; c < 3; c++) {
        double period, compliance;
        memset(trial->blow.direction, 0, sizeof trial->blow.direction);
        trial->blow.direction[c] = -1.0;
        pal_status status = pal_trial_linear(trial, reduction, &period, &compliance, err);
        if (status != PAL_OK) {
            return status;
        }
        softest = compliance > most ? c : softest;
        most = fmax(most, compliance);
    }
    memset(trial->blow.direction, 0, sizeof trial->blow.direction);
    trial->blow.direction[softest] = -1.0;
    return PAL_OK;
}

// The peak under a blow of this strength; infinite when the motion is lost.
static pal_status peak_under(pal_trial *trial, const pal_reduction *reduction, double strength,
                             pal_motion *motion, double *peak, pal_err *err) {
    trial->blow.strength = strength;
    pal_status status = pal_motion_reduced(trial, reduction, motion, err);
    bool lost = status != PAL_OK || !isfinite(motion->along[motion->count - 1]);
    *peak = lost ? INFINITY : pal_motion_peak(motion);
    return status;
}

// Doubles the strength until the peak is passed, then bisects.
static pal_status search(pal_trial *trial, const pal_reduction *reduction, double first,
                         double peak, pal_motion *motion, pal_err *err) {
    double low = 0.0, high = first, reached = 0.0;
    pal_status status = PAL_OK;
    for (int k = 0; status == PAL_OK && reached < peak && k < MOST_DOUBLINGS; k++) {
        low = k > 0 ? high : low;
        high = k > 0 ? 2.0 * high : high;
        status = peak_under(trial, reduction, high, motion, &reached, err);
    }
    for (int k = 0; status == PAL_OK && k < MOST_BISECTIONS; k++) {
        if (fabs(reached / peak - 1.0) < NEAR_PEAK) {
            break;
        }
        double middle = 0.5 * (low + high);
        status = peak_under(trial, reduction, middle, motion, &reached, err);
        low = reached < peak ? middle : low;
        high = reached < peak ? high : middle;
    }
    return status;
}

pal_status pal_trial_strength(pal_trial *trial, const pal_reduction *reduction, double peak,
                              pal_err *err) {
    pal_trial brief = *trial; // over the blow and one period, whatever is simulated later
    pal_motion motion = {0};
    double period, compliance;
    pal_status status = pal_trial_linear(trial, reduction, &period, &compliance, err);
    if (status == PAL_OK) {
        brief.steps = (int32_t)fmin(MOST_STEPS, (trial->blow.duration + period) / trial->dt) + 1;
        status = pal_motion_alloc(&brief, &motion, err);
    }
    if (status == PAL_OK) {
        status = search(&brief, reduction, peak / compliance, peak, &motion, err);
    }
    trial->blow.strength = brief.blow.strength;
    pal_motion_free(&motion);
    return status;
}
