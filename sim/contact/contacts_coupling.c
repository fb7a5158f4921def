// Between hand and tool: how much the coupling gives way now, and what that adds to W.
#include <math.h>
#include <string.h>

#include "sim/contact/contacts_parts.h"
#include "sim/reduced/ldlt.h"

// Whether it was pushed at the last tick.
static bool leans(const pal_tool *tool) {
    return pal_norm3(tool->force) > 0.0;
}

// What the touched body sets against a small motion of the tool along its force: g^T W^-1 g over
// the contacts that push, W without the coupling. First touches count as one point.
static double stiffness_against(const pal_contacts *c, const pal_tool *tool, int32_t t) {
    enum { ROOM = PAL_MAX_TOUCHES + 1 };
    _Alignas(32) double matrix[ROOM * (ROOM + 8)], answer[ROOM + 3];
    int32_t list[ROOM], count = 0, deepest = -1;
    double sum[3] = {0.0, 0.0, 0.0}, gap = 0.0;
    const bool leaning = leans(tool); // then what overlaps will push, known or not
    for (int32_t i = 0; i < c->count && count < PAL_MAX_TOUCHES; i++) {
        const double *f = c->force + 3 * i, *n = c->law[i].normal;
        if (c->place[i].tool != t || c->law[i].held) {
            continue;
        }
        if (pal_dot3(f, n) > 0.0 || (leaning && tool->set.item[c->place[i].touch].gap < 0.0)) {
            list[count++] = i;
            for (int a = 0; a < 3; a++) { // friction does not tell where the surface is
                sum[a] += fmax(0.0, pal_dot3(f, n)) * n[a];
            }
        }
        if (pal_dot3(c->free + 3 * i, n) < gap) {
            gap = pal_dot3(c->free + 3 * i, n);
            deepest = i;
        }
    }
    if (!(pal_norm3(sum) > 0.0) && deepest >= 0) {
        count = 1;
        list[0] = deepest;
        memcpy(sum, c->law[deepest].normal, sizeof sum);
    }
    const double size = pal_norm3(sum);
    if (count == 0 || !(size > 0.0)) {
        return 0.0;
    }
    const int32_t stride = pal_ldlt_stride(count);
    for (int32_t a = 0; a < count; a++) {
        const double *n = c->law[list[a]].normal;
        for (int32_t b = a; b < count; b++) {
            double w = a == b ? c->law[list[a]].softness : 0.0;
            for (int k = 0; k < 3; k++) {
                w += n[k] * pal_dot3(c->w + (3 * list[a] + k) * c->stride + 3 * list[b],
                                     c->law[list[b]].normal);
            }
            matrix[a * stride + b] = w;
        }
        matrix[a * stride + stride - 4] = pal_dot3(n, sum) / size;
    }
    if (!pal_ldlt_solve(count, matrix, answer)) {
        return INFINITY;
    }
    double stiffness = 0.0;
    for (int32_t a = 0; a < count; a++) {
        stiffness += answer[a] * pal_dot3(c->law[list[a]].normal, sum) / size;
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
