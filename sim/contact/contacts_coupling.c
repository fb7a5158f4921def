// Between hand and tool: how much the coupling gives way now, and what that adds to W.
#include <math.h>
#include <string.h>

#include "sim/contact/contacts_parts.h"
#include "sim/reduced/ldlt.h"

static const double symmetry_lost = 0.01; // of W's diagonal

// Whether it was pushed at the last tick.
static bool leans(const pal_tool *tool) {
    return pal_norm3(tool->force) > 0.0;
}

// The contacts that set themselves against a tool, each with the direction in which it does.
typedef struct opposing {
    int32_t count;
    int32_t contact[PAL_MAX_TOUCHES + 1];
    double way[PAL_MAX_TOUCHES + 1][3]; // unit
    double sum[3];                      // N, of their forces
} opposing;

static void oppose(opposing *o, int32_t contact, const double way[3], double push) {
    for (int a = 0; a < 3; a++) {
        o->way[o->count][a] = way[a];
        o->sum[a] += push * way[a];
    }
    o->contact[o->count++] = contact;
}

// What pushes, and what is held; a first touch counts as one point. Friction does not tell where
// the surface is.
static void list_opposing(const pal_contacts *c, const pal_tool *tool, int32_t t, opposing *o) {
    int32_t deepest = -1;
    double gap = 0.0;
    const bool leaning = leans(tool); // then what overlaps will push, known or not
    *o = (opposing){.count = 0};
    for (int32_t i = 0; i < c->count && o->count < PAL_MAX_TOUCHES; i++) {
        const double *f = c->force + 3 * i, *n = c->law[i].normal, push = pal_dot3(f, n);
        const double pull = pal_norm3(f);
        if (c->place[i].tool != t) {
            continue;
        }
        if (c->law[i].held) {
            const double way[3] = {f[0] / pull, f[1] / pull, f[2] / pull};
            if (pull > 0.0) {
                oppose(o, i, way, pull);
            }
            continue;
        }
        if (push > 0.0 || (leaning && tool->set.item[c->place[i].touch].gap < 0.0)) {
            oppose(o, i, n, fmax(0.0, push));
        }
        if (pal_dot3(c->free + 3 * i, n) < gap) {
            gap = pal_dot3(c->free + 3 * i, n);
            deepest = i;
        }
    }
    if (!(pal_norm3(o->sum) > 0.0) && deepest >= 0) {
        *o = (opposing){.count = 0};
        oppose(o, deepest, c->law[deepest].normal, 1.0);
    }
}

// How much of a unit motion along `sum`, or of a unit turn about the axis, goes along `way` at the
// arm.
static double share_of(const double arm[3], const double way[3], const double sum[3], double size,
                       const double *axis) {
    double turned[3];
    if (axis == NULL) {
        return pal_dot3(way, sum) / size;
    }
    pal_cross3(axis, arm, turned);
    return pal_dot3(way, turned);
}

// What the touched body sets against a small motion of the tool along its force, or against a turn
// about the axis: g^T W^-1 g over the contacts that oppose it, W without the coupling.
static double stiffness_against(const pal_contacts *c, const opposing *o, const double *axis) {
    enum { ROOM = PAL_MAX_TOUCHES + 4 };
    _Alignas(32) double matrix[ROOM * (ROOM + 4)], answer[ROOM];
    const double size = pal_norm3(o->sum);
    if (o->count == 0 || !(size > 0.0)) {
        return 0.0;
    }
    const int32_t stride = pal_ldlt_stride(o->count);
    for (int32_t a = 0; a < o->count; a++) {
        const int32_t i = o->contact[a];
        for (int32_t b = a; b < o->count; b++) {
            const int32_t j = o->contact[b];
            double w = a == b ? 2.0 * c->law[i].softness : 0.0;
            for (int k = 0; k < 3; k++) { // spread forces make W only nearly symmetric
                w += o->way[a][k] * pal_dot3(c->w + (3 * i + k) * c->stride + 3 * j, o->way[b]);
                w += o->way[b][k] * pal_dot3(c->w + (3 * j + k) * c->stride + 3 * i, o->way[a]);
            }
            matrix[a * stride + b] = 0.5 * w;
        }
        matrix[a * stride + a] *= 1.0 + symmetry_lost;
        matrix[a * stride + stride - 4] = share_of(c->place[i].arm, o->way[a], o->sum, size, axis);
    }
    if (!pal_ldlt_solve(o->count, matrix, answer)) {
        return INFINITY;
    }
    double stiffness = 0.0;
    for (int32_t a = 0; a < o->count; a++) {
        stiffness +=
            answer[a] * share_of(c->place[o->contact[a]].arm, o->way[a], o->sum, size, axis);
    }
    return stiffness;
}

// The same about the axis of its torque. Where there is friction, what it resists along the force
// is resisted across it as well, at the contacts' levers.
static double turn_stiffness_against(const pal_contacts *c, const opposing *o, int32_t t,
                                     double along) {
    double axis[3] = {0.0, 0.0, 0.0}, sum = 0.0, rubbed = 0.0;
    for (int32_t i = 0; i < c->count; i++) {
        double part[3];
        pal_cross3(c->place[i].arm, c->force + 3 * i, part);
        for (int a = 0; a < 3 && c->place[i].tool == t; a++) {
            axis[a] += part[a];
        }
    }
    const double twist = pal_norm3(axis);
    if (!(along > 0.0 && twist > 0.0)) {
        return 0.0;
    }
    for (int a = 0; a < 3; a++) {
        axis[a] /= twist;
    }
    for (int32_t i = 0; i < c->count; i++) {
        const double share = c->place[i].tool == t ? pal_norm3(c->force + 3 * i) : 0.0;
        double way[3];
        pal_cross3(axis, c->place[i].arm, way);
        const double out = pal_dot3(way, c->law[i].normal);
        sum += share;
        rubbed += c->law[i].friction > 0.0 ? share * (pal_dot3(way, way) - out * out) : 0.0;
    }
    return stiffness_against(c, o, axis) + along * rubbed / sum;
}

static void choose_coupling(const pal_contacts *c, pal_tool *tool, int32_t t, double dt) {
    opposing o;
    list_opposing(c, tool, t, &o);
    tool->stiffness = stiffness_against(c, &o, NULL);
    tool->turn_stiffness = tool->options.turn_stiffness > 0.0
                               ? turn_stiffness_against(c, &o, t, tool->stiffness)
                               : 0.0;
    pal_tool_couple(tool, dt);
}

// The tool's point at arm r_i moves by c_t f + c_r (r_j x f) x r_i under a force f at r_j.
void pal_contacts_add_coupling(pal_contacts *c, const pal_contact_scene *scene) {
    for (int32_t t = 0; t < scene->tool_count; t++) {
        choose_coupling(c, &scene->tool[t], t, scene->dt);
    }
    for (int32_t i = 0; i < c->count; i++) {
        for (int32_t j = 0; j < c->count; j++) {
            const pal_tool *tool = &scene->tool[c->place[i].tool];
            if (c->place[j].tool != c->place[i].tool) {
                continue;
            }
            const double *ri = c->place[i].arm, *rj = c->place[j].arm;
            const double ct = tool->compliance, cr = tool->turn_compliance;
            const double diagonal = ct + cr * pal_dot3(ri, rj);
            double *w = c->w + 3 * i * c->stride + 3 * j;
            for (int a = 0; a < 3; a++) {
                w[a * c->stride + a] += diagonal;
            }
            for (int k = 0; k < 9 && cr != 0.0; k++) {
                w[k / 3 * c->stride + k % 3] -= cr * rj[k / 3] * ri[k % 3];
            }
        }
    }
}
