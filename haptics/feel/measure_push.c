// Action and reaction: the force on the hand against the push of its tool on the body. Between them
// are the coupling's damper, passivity and safety; over a contact none of them may be felt.
#include "haptics/feel/measure_parts.h"

static const double saturates = 0.8; // of the device's largest force; see haptics/coupling.h

// Whether what is sent is meant to be what the body is pushed with.
static bool is_free(const pal_feel_view *v, int64_t k) {
    const double most = v->trace->limits.max_force;
    const double push = pal_norm3(v->trace->row[k].push);
    return !pal_feel_ramps(v, k) && !(most > 0.0 && push > saturates * most);
}

// The impulse on the hand beyond that on the body, N s, along the push, which has the direction of
// the last tick where there is none.
static double beyond_push(const pal_feel_view *v, pal_feel_window run, double *impulse) {
    double way[3] = {0.0, 0.0, 0.0}, beyond = 0.0;
    for (int64_t k = run.first; k <= run.last; k++) {
        const pal_tick_record *row = &v->trace->row[k];
        const double push = pal_norm3(row->push);
        for (int c = 0; c < 3 && push > 0.0; c++) {
            way[c] = row->push[c] / push;
        }
        if (is_free(v, k)) {
            beyond += v->dt * (pal_dot3(row->force, way) - push);
            *impulse += v->dt * push;
        }
    }
    return beyond;
}

void pal_feel_measure_push(pal_feel_view *v) {
    double beyond = 0.0, impulse = 0.0, along = 0.0;
    pal_feel_window run;
    for (int64_t k = 0; pal_feel_is_window(run = pal_feel_run_from(v->joined, v->count, k));
         k = run.last + 1) {
        const double more = beyond_push(v, run, &impulse);
        beyond += fabs(more);
        along += more;
    }
    const char *why = v->trace->missing & PAL_FEEL_NO_FRICTION ? "the trace has no push on the body"
                      : !(impulse > 0.0) ? "nothing was pushed within the device's force"
                                         : NULL;
    if (why != NULL) {
        pal_feel_score(v, PAL_METRIC_PUSH, NAN, "%s", why);
    } else {
        pal_feel_score(v, PAL_METRIC_PUSH, copysign(beyond, along) / impulse,
                       "%.4g mN s on the body", 1e3 * impulse);
    }
}
