// The place that `picture --at` marks, and where it is in the picture.
#ifndef PAL_APP_PICTURE_MARK_H
#define PAL_APP_PICTURE_MARK_H

#include "app/session.h"
#include "render/gl_stage.h"
#include "scenes/point.h"

typedef struct pal_mark {
    bool given;
    double told[3];             // m, where it is at rest
    int32_t triangle;           // of the surface, that it moves with; -1: none
    double longest;             // m, of the body's box: what told is rounded by
    const pal_surface *surface; // borrowed; NULL: a wall
} pal_mark;

void pal_mark_take(pal_mark *mark, const pal_point_found *found, const pal_surface *surface);

// On the body of a session, at rest, with the landmarks of its scene.
pal_status pal_mark_find(pal_mark *mark, const char *text, const pal_session *session,
                         pal_err *err);

// Into the view: on the body as the stage has just drawn it, and whether that hides it.
pal_status pal_mark_place(const pal_mark *mark, pal_stage *stage, pal_view *view, pal_err *err);

#endif
