// A session whose body is a tree of domains.
#include "app/session.h"
#include "haptics/live_tree.h"
#include "sim/base/parallel.h"
#include "sim/model/tree_whole.h"

pal_status pal_session_load_tree(pal_session *s, const pal_progress *progress, pal_err *err) {
    if (s->precision == PAL_FLOAT) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "the scene '%s' has a body of domains, which has no coefficients in single "
                        "precision; leave --float out",
                        s->scene.name);
    }
    if (s->lent) {
        return PAL_OK;
    }
    pal_status status =
        pal_scene_tree_model(&s->scene, false, progress, &s->tree, NULL, &s->cached, err);
    return status == PAL_OK ? pal_tree_whole(&s->tree, &s->model, err) : status;
}

pal_status pal_session_open_tree(pal_session *s, double dt, double feature, pal_err *err) {
    static const pal_inertia inertia[] = {
        [PAL_SCENE_INERTIA_EXACT] = PAL_INERTIA_EXACT,
        [PAL_SCENE_INERTIA_INTERFACE] = PAL_INERTIA_INTERFACE,
        [PAL_SCENE_INERTIA_CENTRE] = PAL_INERTIA_CENTRE,
    };
    enum { WORTH = 40 }; // domains: fewer are stepped before a second thread has looked up
    const pal_scene_motion *motion = &s->scene.motion;
    const bool both = !s->one_thread && s->tree.domain_count >= WORTH && pal_thread_count() > 1;
    pal_live_tree_options how = {.dt = dt,
                                 .feature = feature,
                                 .keep = s->anew ? NULL : pal_cache_keep(),
                                 .no_dents = s->no_local,
                                 .inertia = inertia[motion->inertia],
                                 .threads = both ? 2 : 1,
                                 .wind = {.speed = motion->wind_speed,
                                          .gust = motion->wind_gust,
                                          .period = motion->wind_period}};
    for (int c = 0; c < 3; c++) {
        how.gravity[c] = motion->gravity[c];
        how.wind.direction[c] = motion->wind_direction[c];
    }
    return pal_live_tree_open(&s->body, &s->tree, &how, err);
}
