#include "app/demo_picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/press_picture.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

static const pal_tick_record *hardest(const pal_trace_data *trace) {
    const pal_tick_record *found = trace->record;
    for (int64_t k = 1; k < trace->count; k++) {
        if (pal_norm3(trace->record[k].force) > pal_norm3(found->force)) {
            found = &trace->record[k];
        }
    }
    return found;
}

static pal_status draw(const pal_session *session, const pal_tick_record *at, const char *path,
                       pal_err *err) {
    const pal_body *body = &session->body.body;
    double *x = PAL_NEW(double, 3 * (int64_t)body->point_count, err);
    double *dent = PAL_NEW(double, 3 * (int64_t)body->point_count, err);
    if (x == NULL || dent == NULL) {
        free(x);
        free(dent);
        return PAL_ERR_MEMORY;
    }
    for (int32_t i = 0; i < body->point_count; i++) {
        body->functions->position(body, i, x + 3 * (int64_t)i);
        body->functions->dent(body, i, dent + 3 * (int64_t)i);
    }
    char caption[200];
    snprintf(caption, sizeof caption,
             "%.2f s into the run, %.2f N; ball of %.3g mm radius; shown as it is, not exaggerated",
             at->time, pal_norm3(at->force), 1e3 * session->scene.live.tool_radius);
    pal_press_view view = {.rest = &session->model.surface,
                           .x = x,
                           .dent = dent,
                           .radius = session->scene.live.tool_radius,
                           .title = "The hardest press",
                           .caption = caption};
    memcpy(view.centre, at->tool, sizeof view.centre);
    memcpy(view.force, at->force, sizeof view.force);
    pal_status status = pal_press_picture_write(path, &view, err);
    free(x);
    free(dent);
    return status;
}

pal_status pal_demo_picture(pal_session *session, const pal_trace_data *trace, const char *path,
                            pal_err *err) {
    const pal_tick_record *at = hardest(trace);
    pal_status status = pal_session_return(session, trace, at->tick, err);
    return status == PAL_OK ? draw(session, at, path, err) : status;
}
