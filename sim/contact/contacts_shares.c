// Forces that are spread over cells make W only nearly symmetric, and of neighbours, which press on
// much the same, nearly singular: more than one way to share the load among them may be a solution,
// and from tick to tick another one. So the shares hold on to those of the last tick: W has
//
//     d (1 - a a^T),      a_i = n_i.lambda_i / |n.lambda| of the last tick
//
// added along the normals of each tool's touches. How hard they press together is left alone, and
// when the shares have settled, so is all else.
#include <math.h>
#include <string.h>

#include "sim/base/vec3.h"
#include "sim/contact/contacts_parts.h"

static bool is_spread(const pal_contacts *c, const pal_tool *tool, int32_t i) {
    return c->place[i].touch >= 0 && tool->set.item[c->place[i].touch].spread;
}

// How far contact i gives way along its normal for a unit of force.
static double own_compliance(const pal_contacts *c, int32_t i) {
    const double *n = c->law[i].normal, *w = c->w + 3 * i * (c->stride + 1);
    return n[0] * pal_dot3(w, n) + n[1] * pal_dot3(w + c->stride, n) +
           n[2] * pal_dot3(w + 2 * c->stride, n);
}

void pal_contacts_find_shares(const pal_contacts *c, const pal_contact_scene *scene,
                              pal_contact_shares *shares) {
    static const double part = 0.06; // of what gives way
    for (int32_t t = 0; t < scene->tool_count; t++) {
        double sum = 0.0, size2 = 0.0;
        int32_t spread = 0, pressing = 0;
        for (int32_t i = c->first[t]; i < c->first[t + 1]; i++) {
            const double push = pal_dot3(c->force + 3 * i, c->law[i].normal);
            const bool presses = !c->law[i].held && push > 0.0;
            shares->share[i] = presses ? push : 0.0;
            size2 += shares->share[i] * shares->share[i];
            sum += presses ? own_compliance(c, i) : 0.0;
            pressing += presses;
            spread += is_spread(c, &scene->tool[t], i);
        }
        shares->by[t] = spread > 1 && pressing > 0 ? part * sum / pressing : 0.0;
        for (int32_t i = c->first[t]; i < c->first[t + 1] && pressing > 0; i++) {
            shares->share[i] /= sqrt(size2);
        }
    }
}

void pal_contacts_hold_shares(pal_contacts *c, const pal_contact_shares *shares, double times) {
    for (int32_t i = 0; i < c->count; i++) {
        const int32_t t = c->place[i].tool;
        const double by = times * shares->by[t], *n = c->law[i].normal;
        for (int32_t j = c->first[t]; j < c->first[t + 1] && by != 0.0 && !c->law[i].held; j++) {
            const double part = by * ((i == j) - shares->share[i] * shares->share[j]);
            double *w = c->w + 3 * (i * c->stride + j);
            for (int k = 0; k < 9 && part != 0.0 && !c->law[j].held; k++) {
                w[k / 3 * c->stride + k % 3] += part * n[k / 3] * c->law[j].normal[k % 3];
            }
        }
    }
}
