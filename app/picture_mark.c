#include "app/picture_mark.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/contact/triangle.h"
#include "sim/mesh/pick.h"

static const double skin = 0.004; // of the longest side: so far behind a surface is on it

void pal_mark_take(pal_mark *mark, const pal_point_found *found, const pal_surface *surface) {
    double low[3], high[3];
    memset(mark, 0, sizeof *mark);
    mark->given = true;
    mark->triangle = found->triangle;
    mark->surface = surface;
    mark->longest = 1.0;
    memcpy(mark->told, found->x, sizeof mark->told);
    if (surface != NULL) {
        pal_surface_box(surface, low, high);
        mark->longest = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
    }
}

pal_status pal_mark_find(pal_mark *mark, const char *text, const pal_session *session,
                         pal_err *err) {
    const pal_scene *scene = &session->scene;
    const pal_surface *surface = scene->live.has_wall ? NULL : &session->model.surface;
    const pal_point_ground ground = {.surface = surface, .height = scene->live.wall_height};
    pal_point point;
    pal_point_found found;
    pal_err inner;
    pal_status status = pal_point_parse(text, &scene->landmarks, &point, &inner);
    if (status == PAL_OK) {
        status = pal_point_find(&point, &ground, &found, &inner);
    }
    if (status != PAL_OK) {
        return pal_fail(err, PAL_ERR_USAGE, "--at: %.900s", inner.text);
    }
    pal_mark_take(mark, &found, surface);
    return PAL_OK;
}

// How far the surface has moved at a place that it had at rest.
static void moved_by(const pal_mark *mark, const double *now, double by[3]) {
    double corner[3][3], weight[3], point[3];
    const int32_t *vertex = mark->surface->triangle + 3 * (int64_t)mark->triangle;
    for (int k = 0; k < 3; k++) {
        memcpy(corner[k], mark->surface->x + 3 * (int64_t)vertex[k], sizeof corner[k]);
    }
    pal_triangle_nearest((const double(*)[3])corner, mark->told, weight, point);
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 3; k++) {
            by[c] += weight[k] * (now[3 * (int64_t)vertex[k] + c] - corner[k][c]);
        }
    }
}

pal_status pal_mark_place(const pal_mark *mark, pal_stage *stage, pal_view *view, pal_err *err) {
    const pal_surface *surface = mark->surface;
    const pal_camera camera = pal_stage_tell(stage).camera;
    double by[3] = {0.0, 0.0, 0.0}, way[3];
    pal_pick pick;
    view->marked = true;
    memcpy(view->mark_told, mark->told, sizeof mark->told);
    double *now = NULL;
    if (surface != NULL) {
        now = PAL_NEW(double, 3 * (size_t)surface->vertex_count, err);
        if (now == NULL) {
            return PAL_ERR_MEMORY;
        }
        pal_stage_places(stage, now);
        if (mark->triangle >= 0) {
            moved_by(mark, now, by);
        }
    }
    for (int c = 0; c < 3; c++) {
        view->mark[c] = mark->told[c] + by[c];
    }
    pal_sub3(view->mark, camera.eye, way);
    view->mark_hidden = now != NULL && pal_pick_surface(surface, now, camera.eye, way, &pick) &&
                        (1.0 - pick.along) * pal_norm3(way) > skin * mark->longest;
    free(now);
    return PAL_OK;
}
