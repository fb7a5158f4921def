#include "app/sketch_script.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/options.h"
#include "sim/base/lines.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/mesh/select.h"

static const double frame = 1.0 / 60.0, most_seconds = 3600.0;

pal_status pal_pulls_add(pal_pulls *pulls, double time, const char *selector, const double force[3],
                         pal_err *err) {
    if (pulls->count == pulls->room) {
        const int32_t room = pulls->room > 0 ? 2 * pulls->room : 16;
        pal_pull *more = PAL_NEW(pal_pull, room, err);
        if (more == NULL) {
            return PAL_ERR_MEMORY;
        }
        if (pulls->count > 0) {
            memcpy(more, pulls->pull, (size_t)pulls->count * sizeof *more);
        }
        free(pulls->pull);
        pulls->pull = more;
        pulls->room = room;
    }
    pal_pull *pull = &pulls->pull[pulls->count];
    pull->selector = pal_copy_text(selector, err);
    if (pull->selector == NULL) {
        return PAL_ERR_MEMORY;
    }
    pull->time = time;
    memcpy(pull->force, force, sizeof pull->force);
    pulls->count++;
    return PAL_OK;
}

void pal_pulls_free(pal_pulls *pulls) {
    for (int32_t i = 0; i < pulls->count; i++) {
        free(pulls->pull[i].selector);
    }
    free(pulls->pull);
    *pulls = (pal_pulls){0};
}

double pal_pulls_largest(const pal_pulls *pulls) {
    double most = 0.0;
    for (int32_t i = 0; i < pulls->count; i++) {
        most = fmax(most, pal_norm3(pulls->pull[i].force));
    }
    return most;
}

// ---- reading

static pal_status take_line(void *context, const char *path, long number, char *line,
                            pal_err *err) {
    pal_pulls *pulls = context;
    char *first = strchr(line, ';'), *last = strrchr(line, ';');
    double time, force[3];
    if (first == NULL || first == last) {
        return pal_fail_at(err, PAL_ERR_INPUT, path, number,
                           "not a pull; write a time in s, a selector and three forces in N with "
                           "';' between them, such as '1.5 ; z>0.1 ; 0 0 -1'");
    }
    *first++ = *last++ = '\0';
    if (!pal_line_numbers(line, &time, 1) || !pal_line_numbers(last, force, 3)) {
        return pal_fail_at(err, PAL_ERR_INPUT, path, number,
                           "the time and the three forces must be plain numbers, in s and N");
    }
    const double before = pulls->count > 0 ? pulls->pull[pulls->count - 1].time : 0.0;
    if (time < before || time > most_seconds) {
        return pal_fail_at(err, PAL_ERR_INPUT, path, number,
                           "its time of %g s must lie between %g s, that of the line before, and "
                           "%g s",
                           time, before, most_seconds);
    }
    pal_err inner;
    pal_point point;
    const char *where = pal_line_trim(first);
    pal_status status = pal_point_is(where, NULL) ? pal_point_parse(where, NULL, &point, &inner)
                                                  : pal_select_check(where, &inner);
    return status == PAL_OK ? pal_pulls_add(pulls, time, pal_line_trim(first), force, err)
                            : pal_fail_at(err, status, path, number, "%.900s", inner.text);
}

pal_status pal_pulls_read(const char *path, pal_pulls *pulls, pal_err *err) {
    pal_status status = pal_lines_read(path, take_line, pulls, err);
    if (status == PAL_OK && pulls->count == 0) {
        status = pal_fail_at(err, PAL_ERR_INPUT, path, 0, "holds no pull");
    }
    return status;
}

pal_status pal_pulls_settle(pal_pulls *pulls, const pal_landmarks *names, const pal_volmesh *mesh,
                            pal_err *err) {
    for (int32_t i = 0; i < pulls->count; i++) {
        char selector[32];
        pal_pull *pull = &pulls->pull[i];
        if (!pal_point_is(pull->selector, names)) {
            continue;
        }
        pal_status status = pal_point_selector(pull->selector, names, mesh, selector, err);
        char *copy = status == PAL_OK ? pal_copy_text(selector, err) : NULL;
        if (copy == NULL) {
            return status == PAL_OK ? PAL_ERR_MEMORY : status;
        }
        free(pull->selector);
        pull->selector = copy;
    }
    return PAL_OK;
}

// ---- playing

// From one line to the next; the last frame is at its end.
static pal_status play_leg(const pal_pull *from, const pal_pull *to, pal_sketch *sketch,
                           pal_sketch_report *report, pal_err *err) {
    const int32_t frames = (int32_t)fmax(1.0, ceil((to->time - from->time) / frame));
    pal_status status = PAL_OK;
    for (int32_t k = 1; status == PAL_OK && k <= frames; k++) {
        const double share = (double)k / frames;
        double force[3];
        bool kept;
        for (int c = 0; c < 3; c++) {
            force[c] = from->force[c] + share * (to->force[c] - from->force[c]);
        }
        pal_sketch_pull(sketch, force);
        report->largest_move = fmax(report->largest_move, pal_norm3(sketch->hold.moved));
        report->frames++;
        status = pal_sketch_keep(sketch, &kept, err);
    }
    return status;
}

pal_status pal_pulls_play(const pal_pulls *pulls, pal_sketch *sketch, pal_sketch_report *report,
                          pal_err *err) {
    pal_status status = PAL_OK;
    *report = (pal_sketch_report){0};
    for (int32_t i = 0; status == PAL_OK && i < pulls->count; i++) {
        const pal_pull *to = &pulls->pull[i], *before = i > 0 ? to - 1 : NULL;
        const bool goes_on =
            before != NULL && !to->anew && strcmp(before->selector, to->selector) == 0;
        if (!goes_on) {
            status = pal_sketch_grab(sketch, to->selector, err);
        }
        if (status == PAL_OK) {
            status = play_leg(goes_on ? before : to, to, sketch, report, err);
        }
    }
    pal_sketch_release(sketch);
    return status;
}
