// What is held of a new scene's body: its lower end, or else the ends of its longest side.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/new_parts.h"
#include "sim/base/memory.h"
#include "sim/fem/anchor.h"
#include "sim/mesh/select.h"
#include "sim/mesh/tidy.h"

enum { PIECES = 6 }; // that are held one by one

static const double little = 0.03, enough = 0.06, few = 0.15, many = 0.2, most = 0.3; // of all
static const double slender = 4.0; // longest side over the next one

static const int shares[] = {1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 40}; // %, the last for hold_more
enum { SHARES = sizeof shares / sizeof *shares };

static pal_status select_held(pal_new_scene *made, pal_err *err) {
    pal_status status =
        pal_select_vertices(&made->mesh, made->fixed, made->held, &made->held_count, err);
    if (status == PAL_OK && made->held_count == 0) {
        status = pal_select_nothing(&made->mesh, PAL_ERR_USAGE, err,
                                    "--fix '%.200s' selects no vertex", made->fixed);
    }
    return status;
}

static bool is_anchored(const pal_new_scene *made, pal_err *err) {
    int32_t rigid;
    return pal_fem_check_anchors(&made->mesh, made->held, NULL, &rigid, err) == PAL_OK;
}

// The first of growing shares along an axis by which enough is held and all of it; false: none does
// without taking too much. *fixed is then the last one.
static bool grow(pal_new_scene *made, const char *format, double least, double limit,
                 pal_err *err) {
    for (size_t i = 0; i < SHARES - 1; i++) {
        snprintf(made->fixed, sizeof made->fixed, format, shares[i], shares[i]);
        if (select_held(made, err) != PAL_OK) {
            continue;
        }
        const double share = (double)made->held_count / made->mesh.vertex_count;
        if (share > limit) {
            return false;
        }
        if (share >= least && is_anchored(made, err)) {
            made->held_percent = shares[i];
            return true;
        }
    }
    return false;
}

static int longest_axis(const pal_new_scene *made, int without) {
    int best = without == 0 ? 1 : 0;
    for (int c = 0; c < 3; c++) {
        if (c != without && made->high[c] - made->low[c] > made->high[best] - made->low[best]) {
            best = c;
        }
    }
    return best;
}

// ---- pieces

typedef struct piece {
    double low[3], high[3];
} piece;

static void measure_pieces(const pal_volmesh *mesh, const int32_t *of, int32_t count,
                           piece *pieces) {
    for (int32_t p = 0; p < count; p++) {
        for (int c = 0; c < 3; c++) {
            pieces[p].low[c] = INFINITY;
            pieces[p].high[c] = -INFINITY;
        }
    }
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        piece *p = &pieces[of[v]];
        for (int c = 0; c < 3; c++) {
            p->low[c] = fmin(p->low[c], mesh->x[3 * (int64_t)v + c]);
            p->high[c] = fmax(p->high[c], mesh->x[3 * (int64_t)v + c]);
        }
    }
}

// The boxes of the lowest `share` of all pieces.
static void write_pieces(pal_new_scene *made, const piece *pieces, int32_t count, double share) {
    const int axis = pal_up_axis(made->up);
    const double margin = 1e-4 * made->size;
    size_t used = 0;
    for (int32_t p = 0; p < count && used < sizeof made->fixed; p++) {
        double low[3], high[3];
        for (int c = 0; c < 3; c++) {
            low[c] = pieces[p].low[c] - margin;
            high[c] = pieces[p].high[c] + margin;
        }
        const double tall = share * (high[axis] - low[axis]);
        if (pal_up_sign(made->up) > 0.0) {
            high[axis] = low[axis] + tall;
        } else {
            low[axis] = high[axis] - tall;
        }
        used += (size_t)snprintf(made->fixed + used, sizeof made->fixed - used,
                                 "%sbox:(%.5g,%.5g,%.5g):(%.5g,%.5g,%.5g)", p > 0 ? " | " : "",
                                 low[0], low[1], low[2], high[0], high[1], high[2]);
    }
}

// A body in a few pieces is held at the foot of each. *held: whether that holds it.
static pal_status hold_pieces(pal_new_scene *made, bool *held, pal_err *err) {
    int32_t count = 0, *of = PAL_NEW(int32_t, made->mesh.vertex_count, err);
    *held = false;
    if (of == NULL) {
        return PAL_ERR_MEMORY;
    }
    piece pieces[PIECES];
    pal_status status = pal_mesh_components(&made->mesh, of, &count, err);
    if (status == PAL_OK && count > PIECES) {
        status = pal_fail(err, PAL_ERR_INPUT,
                          "%s is in %d pieces that do not share vertices, too many to hold one by "
                          "one; join them in the program that made the mesh, or say with --fix "
                          "what holds all of them (palpate info shows the pieces)",
                          made->file, (int)count);
    } else if (status == PAL_OK && count > 1) {
        measure_pieces(&made->mesh, of, count, pieces);
        for (double share = 0.1; !*held && share < 0.5; share += 0.1) {
            write_pieces(made, pieces, count, share);
            pal_err inner;
            *held = select_held(made, &inner) == PAL_OK && is_anchored(made, &inner);
        }
        snprintf(made->fixed_reason, sizeof made->fixed_reason,
                 "the mesh is in %d pieces, and the foot of each is held", (int)count);
    }
    free(of);
    return status;
}

// ---- all of it

static void format_below(const pal_new_scene *made, char format[64]) {
    snprintf(format, 64, pal_up_sign(made->up) > 0.0 ? "%c<min+%%1$d%%%%" : "%c>max-%%1$d%%%%",
             'x' + pal_up_axis(made->up));
}

static bool hold_below(pal_new_scene *made, double least, double limit, pal_err *err) {
    char format[64];
    format_below(made, format);
    snprintf(made->fixed_reason, sizeof made->fixed_reason, "what is lowest");
    return grow(made, format, least, limit, err);
}

bool pal_new_hold_more(pal_new_scene *made) {
    char format[64], before[PAL_NEW_FIXED];
    pal_err inner;
    size_t next = 0;
    while (next < SHARES && shares[next] <= made->held_percent) {
        next++;
    }
    if (made->held_percent == 0 || next == SHARES) {
        return false;
    }
    memcpy(before, made->fixed, sizeof before);
    format_below(made, format);
    snprintf(made->fixed, sizeof made->fixed, format, shares[next], shares[next]);
    if (select_held(made, &inner) == PAL_OK && made->held_count <= many * made->mesh.vertex_count &&
        pal_new_clear(made, made->spot) > 3.0 * made->radius) {
        made->held_percent = shares[next];
        snprintf(made->fixed_reason, sizeof made->fixed_reason,
                 "what is lowest, so much that the body does not sway on it");
        return true;
    }
    memcpy(made->fixed, before, sizeof before);
    select_held(made, &inner);
    return false;
}

static bool hold_ends(pal_new_scene *made, pal_err *err) {
    const int along = longest_axis(made, pal_up_axis(made->up));
    char format[64];
    snprintf(format, sizeof format, "%c<min+%%1$d%%%% | %c>max-%%1$d%%%%", 'x' + along,
             'x' + along);
    snprintf(made->fixed_reason, sizeof made->fixed_reason,
             "the ends along %c, between which it can bend", 'x' + along);
    const bool held = grow(made, format, little, most, err);
    made->held_percent = 0; // more of them would leave less between
    return held;
}

// Whether it reaches far to two sides, as a beam or a bridge does.
static bool is_slender(const pal_new_scene *made) {
    const int axis = pal_up_axis(made->up), along = longest_axis(made, axis),
              third = 3 - axis - along;
    const double next =
        fmax(made->high[axis] - made->low[axis], made->high[third] - made->low[third]);
    return made->high[along] - made->low[along] > slender * next;
}

static pal_status guess(pal_new_scene *made, pal_err *err) {
    bool held;
    pal_err inner = {0};
    if (hold_below(made, enough, few, &inner) || (is_slender(made) && hold_ends(made, &inner)) ||
        hold_below(made, little, most, &inner)) {
        return PAL_OK;
    }
    pal_status status = hold_pieces(made, &held, err);
    if (status != PAL_OK || held || hold_ends(made, &inner)) {
        return status;
    }
    return pal_fail(err, PAL_ERR_INPUT,
                    "%s: neither the end that is down (up is %s) nor the ends of its longest side "
                    "hold the body (%.300s); it may be too thin or too coarse: give a finer mesh, "
                    "or say what is held with --fix, such as --fix 'x<min+20%%'",
                    made->file, pal_up_name(made->up),
                    inner.text[0] != '\0' ? inner.text : "they are most of its vertices");
}

pal_status pal_new_hold(pal_new_scene *made, const pal_new_wish *wish, pal_err *err) {
    made->held = PAL_NEW(uint8_t, made->mesh.vertex_count, err);
    if (made->held == NULL) {
        return PAL_ERR_MEMORY;
    }
    if (wish->fixed == NULL) {
        return guess(made, err);
    }
    if (strlen(wish->fixed) >= sizeof made->fixed) {
        return pal_fail(err, PAL_ERR_USAGE, "--fix: the selector is longer than %d letters",
                        PAL_NEW_FIXED - 1);
    }
    snprintf(made->fixed, sizeof made->fixed, "%s", wish->fixed);
    snprintf(made->fixed_reason, sizeof made->fixed_reason, "as it was asked for");
    pal_status status = select_held(made, err);
    if (status == PAL_OK && made->held_count == made->mesh.vertex_count) {
        return pal_fail(err, PAL_ERR_USAGE, "--fix '%.200s' holds every vertex, so nothing moves",
                        made->fixed);
    }
    return status == PAL_OK && !is_anchored(made, err) ? pal_fail_in(err, err->status, made->file)
                                                       : status;
}
