// How the body's coordinates give way to the tools, in this step and in the long run. With g_t the
// force on tool t as one on the coordinates, and all of them together on the body,
//
//     f . du of tool t        g_t . (free motion - A^-1 sum g)
//     W_1, W_0 along f_t      g_t . A^-1 g_t / f_t^2,    g_t . K^-1 g_t / f_t^2
#include <math.h>
#include <string.h>

#include "sim/base/vecn.h"
#include "sim/contact/contacts_parts.h"

// D^-1/2 L^-1 g_t [size], from the halves of the contacts' rows.
static void halve_of(const pal_contacts *c, int32_t t, int32_t size, double *half) {
    const int32_t first = 3 * c->first[t], rows = 3 * c->first[t + 1] - first;
    for (int32_t l = 0; l < size; l++) {
        half[l] = pal_dot(rows, c->x + l * c->stride + first, c->force + first);
    }
}

static void sum_of(int32_t count, int32_t size, double (*of)[PAL_MAX_R], double *sum) {
    memset(sum, 0, PAL_MAX_R * sizeof *sum);
    for (int32_t t = 0; t < count; t++) {
        pal_add_scaled(size, 1.0, of[t], sum);
    }
}

// Whether any tool is pushed that has a coupling to take back; the others are told nothing.
static bool clear_others(const pal_contact_scene *scene) {
    bool any = false;
    for (int32_t t = 0; t < scene->tool_count; t++) {
        pal_tool *tool = &scene->tool[t];
        const bool asks = pal_norm3(tool->force) > 0.0 && tool->compliance > 0.0;
        if (!asks) {
            memset(&tool->given, 0, sizeof tool->given);
        }
        any = any || asks;
    }
    return any;
}

// What is to be taken back of the coupling, and with which share of the motion. Where it is not
// known how far the body will give way, it stays as it was.
static void find_part(pal_tool *tool, double at_once, double lasting) {
    tool->given.part = fmin(fmax(lasting - at_once, 0.0), tool->compliance);
    tool->given.share = lasting > 0.0 ? fmin(tool->given.part / lasting, 1.0) : 0.0;
}

void pal_contacts_tell_given(const pal_contact_scene *scene, double (*pressed)[PAL_MAX_R],
                             const double *work, const double *at_once) {
    const pal_body *body = scene->body;
    double lasting[PAL_MAX_TOOLS];
    int32_t pushing = 0;
    if (!clear_others(scene)) {
        return;
    }
    const bool known =
        body->functions->lasting != NULL &&
        body->functions->lasting(body, scene->tool_count, pressed[0], PAL_MAX_R, lasting);
    for (int32_t t = 0; t < scene->tool_count; t++) {
        pal_tool *tool = &scene->tool[t];
        const double square = pal_dot3(tool->force, tool->force);
        if (!(square > 0.0)) {
            continue;
        }
        pushing++;
        tool->given.work = work[t];
        if (known) {
            find_part(tool, at_once[t] / square, lasting[t] / square);
        }
    }
    // What other tools do to the surface is no answer to one's own force: all stays as it is.
    for (int32_t t = 0; t < scene->tool_count && pushing > 1; t++) {
        pal_tool *tool = &scene->tool[t];
        const double square = pal_dot3(tool->force, tool->force);
        const double taken = square > 0.0 ? pal_dot3(tool->back.by, tool->force) / square : 0.0;
        tool->given.part = fmin(fmax(taken, 0.0), tool->compliance);
        tool->given.share = 0.0;
    }
}

void pal_contacts_find_given(const pal_contacts *c, const pal_contact_scene *scene, bool still,
                             double (*pressed)[PAL_MAX_R]) {
    const pal_body *body = scene->body;
    double half[PAL_MAX_TOOLS][PAL_MAX_R], all[PAL_MAX_R];
    double work[PAL_MAX_TOOLS], at_once[PAL_MAX_TOOLS];
    if (!clear_others(scene)) {
        return;
    }
    const double *free = body->functions->free_motion(body);
    for (int32_t t = 0; t < scene->tool_count; t++) {
        halve_of(c, t, body->size, half[t]);
    }
    sum_of(scene->tool_count, body->size, half, all);
    for (int32_t t = 0; t < scene->tool_count; t++) {
        at_once[t] = pal_dot(body->size, half[t], half[t]);
        work[t] =
            still ? 0.0 : pal_dot(body->size, pressed[t], free) - pal_dot(body->size, half[t], all);
    }
    pal_contacts_tell_given(scene, pressed, work, at_once);
}
