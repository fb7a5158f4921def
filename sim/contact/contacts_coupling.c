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

// What the touched body sets against a small motion of the tool along its force: g^T W^-1 g over
// the contacts that oppose it, W without the coupling.
static double stiffness_against(const pal_contacts *c, const pal_tool *tool, int32_t t) {
    enum { ROOM = PAL_MAX_TOUCHES + 4 };
    _Alignas(32) double matrix[ROOM * (ROOM + 4)], answer[ROOM];
    opposing o;
    list_opposing(c, tool, t, &o);
    const double size = pal_norm3(o.sum);
    if (o.count == 0 || !(size > 0.0)) {
        return 0.0;
    }
    const int32_t stride = pal_ldlt_stride(o.count);
    for (int32_t a = 0; a < o.count; a++) {
        const int32_t i = o.contact[a];
        for (int32_t b = a; b < o.count; b++) {
            const int32_t j = o.contact[b];
            double w = a == b ? 2.0 * c->law[i].softness : 0.0;
            for (int k = 0; k < 3; k++) { // spread forces make W only nearly symmetric
                w += o.way[a][k] * pal_dot3(c->w + (3 * i + k) * c->stride + 3 * j, o.way[b]);
                w += o.way[b][k] * pal_dot3(c->w + (3 * j + k) * c->stride + 3 * i, o.way[a]);
            }
            matrix[a * stride + b] = 0.5 * w;
        }
        matrix[a * stride + a] *= 1.0 + symmetry_lost;
        matrix[a * stride + stride - 4] = pal_dot3(o.way[a], o.sum) / size;
    }
    if (!pal_ldlt_solve(o.count, matrix, answer)) {
        return INFINITY;
    }
    double stiffness = 0.0;
    for (int32_t a = 0; a < o.count; a++) {
        stiffness += answer[a] * pal_dot3(o.way[a], o.sum) / size;
    }
    return stiffness;
}

// The coupling makes up what the body lacks in softness; not at once when what is touched changes
// under a tool that leans on it, for that would be felt.
static void choose_coupling(const pal_contacts *c, pal_tool *tool, int32_t t, double dt) {
    static const double time = 20e-3; // s
    const pal_tool_options *o = &tool->options;
    const double needed = 1.0 / o->stiffness, share = leans(tool) ? dt / (dt + time) : 1.0;
    tool->stiffness = stiffness_against(c, tool, t);
    const double lacks = needed - (tool->stiffness > 0.0 ? 1.0 / tool->stiffness : 0.0);
    const double wanted = o->fixed_coupling ? needed : fmax(0.0, lacks);
    tool->compliance += share * (wanted - tool->compliance);
    tool->turn_compliance = o->turn_stiffness > 0.0 ? 1.0 / o->turn_stiffness : 0.0;
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
                for (int b = 0; b < 3; b++) {
                    w[a * c->stride + b] += (a == b ? diagonal : 0.0) - cr * rj[a] * ri[b];
                }
            }
        }
    }
}
