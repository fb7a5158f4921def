// How the body's coordinates give way to the tools, in this step and in the long run. With g_t the
// force on tool t as one on the coordinates, and all of them together on the body,
//
//     f . du of tool t        g_t . (free motion - A^-1 sum g)
//     W_1, W_0 along f_t      g_t . A^-1 g_t / f_t^2,    g_t . K^-1 g_t / f_t^2
//
// While several tools push, W_0 of each is what is left of it while the others stay where they are,
// as far as they can by giving up all of their force or pushing twice as hard,
//
//     min (g_t + sum mu_u g_u) . K^-1 (g_t + sum mu_u g_u),    -1 <= mu_u <= 1:
//
// a sheet between two tools gives way to neither, however soft it is to one alone, and a tool that
// just grazes the body changes nothing.
#include <math.h>
#include <string.h>

#include "sim/base/vecn.h"
#include "sim/contact/contacts_parts.h"

enum { PAIRS = PAL_MAX_TOOLS * (PAL_MAX_TOOLS - 1) / 2 };
_Static_assert((int)PAIRS <= (int)PAL_BODY_LASTING && (int)PAL_MAX_TOOLS <= (int)PAL_BODY_LASTING,
               "the body answers as many forces at once");

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

static bool is_pushed(const pal_tool *tool) {
    return pal_norm3(tool->force) > 0.0;
}

// Whether what its coupling gives way by is ever taken back (tool_back.h).
static bool follows(const pal_tool *tool) {
    return tool->compliance > 0.0 && !tool->options.fixed_coupling && !(tool->options.mass > 0.0);
}

static bool any_follows(const pal_contact_scene *scene) {
    bool any = false;
    for (int32_t t = 0; t < scene->tool_count; t++) {
        any = any || (is_pushed(&scene->tool[t]) && follows(&scene->tool[t]));
    }
    return any;
}

// w[t][u] = g_t . K^-1 g_u, J, for pairs of tools: the work of both forces together is twice that
// more than the work of each by itself. False: not known.
static bool add_pairs(const pal_contact_scene *scene, double (*pressed)[PAL_MAX_R],
                      double (*w)[PAL_MAX_TOOLS]) {
    const pal_body *body = scene->body;
    double work[PAIRS], both[PAIRS][PAL_MAX_R];
    int32_t pairs = 0;
    for (int32_t t = 0; t < scene->tool_count; t++) {
        for (int32_t u = 0; u < t; u++, pairs++) {
            memcpy(both[pairs], pressed[t], (size_t)body->size * sizeof **both);
            pal_add_scaled(body->size, 1.0, pressed[u], both[pairs]);
        }
    }
    if (!body->functions->lasting(body, pairs, both[0], PAL_MAX_R, work)) {
        return false;
    }
    for (int32_t t = 0, k = 0; t < scene->tool_count; t++) {
        for (int32_t u = 0; u < t; u++, k++) {
            w[t][u] = w[u][t] = 0.5 * (work[k] - w[t][t] - w[u][u]);
        }
    }
    return true;
}

// g_t . K^-1 g_u, J; alone: only one tool is pushed. False: not known.
static bool find_lasting(const pal_contact_scene *scene, double (*pressed)[PAL_MAX_R], bool alone,
                         double (*w)[PAL_MAX_TOOLS]) {
    const pal_body *body = scene->body;
    double own[PAL_MAX_TOOLS];
    memset(w, 0, PAL_MAX_TOOLS * sizeof *w);
    if (body->functions->lasting == NULL ||
        !body->functions->lasting(body, scene->tool_count, pressed[0], PAL_MAX_R, own)) {
        return false;
    }
    for (int32_t t = 0; t < scene->tool_count; t++) {
        w[t][t] = own[t];
    }
    return alone || add_pairs(scene, pressed, w);
}

// What is left of w[t][t] while the others stay where they are: mu by coordinate descent.
static double left_by_others(double (*w)[PAL_MAX_TOOLS], int32_t t) {
    enum { SWEEPS = 8 }; // with one other the first is exact
    double mu[PAL_MAX_TOOLS], left = 0.0;
    for (int32_t u = 0; u < PAL_MAX_TOOLS; u++) {
        mu[u] = u == t;
    }
    for (int32_t n = 0; n < SWEEPS * PAL_MAX_TOOLS; n++) {
        const int32_t u = n % PAL_MAX_TOOLS;
        if (u != t && w[u][u] > 0.0) {
            const double off = pal_dot(PAL_MAX_TOOLS, w[u], mu) - w[u][u] * mu[u];
            mu[u] = fmax(-1.0, fmin(1.0, -off / w[u][u]));
        }
    }
    for (int32_t u = 0; u < PAL_MAX_TOOLS; u++) {
        left += mu[u] * pal_dot(PAL_MAX_TOOLS, w[u], mu);
    }
    return fmax(left, 0.0);
}

static int32_t count_pushed(const pal_contact_scene *scene) {
    int32_t count = 0;
    for (int32_t t = 0; t < scene->tool_count; t++) {
        count += is_pushed(&scene->tool[t]);
    }
    return count;
}

// What is to be taken back of each coupling, and the share of the body's motion by which all of
// them are, for one share makes no energy, whoever moves the body: theirs, by the work they would
// do. One that never follows keeps the others from it.
static void find_parts(const pal_contact_scene *scene, double (*w)[PAL_MAX_TOOLS],
                       const double *at_once) {
    double shares = 0.0, all = 0.0;
    bool together = true;
    for (int32_t t = 0; t < scene->tool_count; t++) {
        pal_tool *tool = &scene->tool[t];
        const double square = pal_dot3(tool->force, tool->force);
        if (is_pushed(tool)) {
            const double left = left_by_others(w, t);
            tool->given.part = fmin(fmax(left - at_once[t], 0.0) / square, tool->compliance);
            shares += tool->given.part * square;
            all += w[t][t];
            together = together && follows(tool);
        }
    }
    for (int32_t t = 0; t < scene->tool_count; t++) {
        scene->tool[t].given.share = together && all > 0.0 ? fmin(shares / all, 1.0) : 0.0;
    }
}

// Where it is not known how far the body will give way, all stays as it was.
void pal_contacts_tell_given(const pal_contact_scene *scene, double (*pressed)[PAL_MAX_R],
                             const double *work, const double *at_once) {
    double w[PAL_MAX_TOOLS][PAL_MAX_TOOLS];
    const bool alone = count_pushed(scene) == 1;
    for (int32_t t = 0; t < scene->tool_count; t++) {
        pal_tool *tool = &scene->tool[t];
        if (!is_pushed(tool)) {
            memset(&tool->given, 0, sizeof tool->given);
            continue;
        }
        tool->given.work = work[t];
        tool->given.alone = alone;
    }
    if (any_follows(scene) && find_lasting(scene, pressed, alone, w)) {
        find_parts(scene, w, at_once);
    }
}

void pal_contacts_find_given(const pal_contacts *c, const pal_contact_scene *scene, bool still,
                             double (*pressed)[PAL_MAX_R]) {
    const pal_body *body = scene->body;
    double half[PAL_MAX_TOOLS][PAL_MAX_R], all[PAL_MAX_R];
    double work[PAL_MAX_TOOLS], at_once[PAL_MAX_TOOLS];
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
