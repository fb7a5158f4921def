// The interfaces of one domain to its children: how many are worked on side by side, and what is
// done one by one.
#include <math.h>
#include <string.h>

#include "sim/base/vec3.h"
#include "sim/substruct/tree_state.h"

static const pal_port_functions *functions_of(const pal_port_block *p) {
    return p->width == 8   ? &pal_ports_eight
           : p->width == 4 ? &pal_ports_four
           : p->width == 2 ? &pal_ports_two
                           : &pal_ports_one;
}

// Where the port blocks end that are as wide as the first.
static int32_t end_of_run(const pal_tree_state *state, int32_t first, int32_t end) {
    int32_t i = first + 1;
    while (i < end && state->ports[i].width == state->ports[first].width) {
        i++;
    }
    return i;
}

bool pal_ports_move(pal_tree_state *state, int32_t domain, bool stepped) {
    pal_frame *f = &state->frame[domain];
    double q[PAL_DOMAIN_MOST_MODES], v[PAL_DOMAIN_MOST_MODES], z[PAL_DOMAIN_MOST_MODES];
    bool finite = true;
    if (f->first_ports == f->end_ports) {
        return true;
    }
    pal_tree_get(state, domain, q, v, z);
    f->slow = 1.0;
    for (int32_t i = f->first_ports, end; i < f->end_ports; i = end) {
        end = end_of_run(state, i, f->end_ports);
        finite &=
            functions_of(&state->ports[i])->move(state, domain, i, end, q, v, stepped ? z : NULL);
    }
    return finite;
}

void pal_ports_retwist(pal_tree_state *state, int32_t domain, const double change[6]) {
    const pal_frame *f = &state->frame[domain];
    for (int32_t i = f->first_ports, end; i < f->end_ports; i = end) {
        end = end_of_run(state, i, f->end_ports);
        functions_of(&state->ports[i])->retwist(state, domain, i, end, change);
    }
}

void pal_ports_gather(pal_tree_state *state, int32_t domain, double *scratch) {
    const pal_frame *f = &state->frame[domain];
    for (int32_t i = f->first_ports, end; i < f->end_ports; i = end) {
        end = end_of_run(state, i, f->end_ports);
        functions_of(&state->ports[i])->gather(state, domain, i, end, scratch);
    }
}

void pal_ports_gather_lumped(pal_tree_state *state, int32_t domain, double *scratch) {
    const pal_frame *f = &state->frame[domain];
    const pal_tree_block *b = &state->block[f->block];
    const int32_t r = b->table->r, pairs = b->table->pairs;
    if (f->first_ports == f->end_ports) {
        return;
    }
    for (int32_t s = 0; s < pairs; s++) {
        *pal_lane(state, f, b->h, s) += f->lump[s];
    }
    for (int32_t l = 0; l < 3 * r; l++) {
        *pal_lane(state, f, b->p, l) += f->lump[pairs + l];
    }
    for (int32_t i = f->first_ports, end; i < f->end_ports; i = end) {
        end = end_of_run(state, i, f->end_ports);
        functions_of(&state->ports[i])->gather_lumped(state, domain, i, end, scratch);
    }
}

// The inertia of a point mass, and its bias with the external wrench.             [L2]
static void lump_at_centre(pal_frame *f) {
    const double m = f->mass, *w = f->twist + 3;
    const double c[3] = {f->first[0] / m, f->first[1] / m, f->first[2] / m};
    const double inertia[PAL_WRENCH_PAIRS] = {m,
                                              0.0,
                                              0.0,
                                              0.0,
                                              m * c[2],
                                              -m * c[1],
                                              m,
                                              0.0,
                                              -m * c[2],
                                              0.0,
                                              m * c[0],
                                              m,
                                              m * c[1],
                                              -m * c[0],
                                              0.0,
                                              m * (c[1] * c[1] + c[2] * c[2]),
                                              -m * c[0] * c[1],
                                              -m * c[0] * c[2],
                                              m * (c[0] * c[0] + c[2] * c[2]),
                                              -m * c[1] * c[2],
                                              m * (c[0] * c[0] + c[1] * c[1])};
    double arm[3], far[3], turn[3];
    memcpy(f->inertia, inertia, sizeof inertia);
    pal_cross3(w, c, arm);
    pal_cross3(w, arm, far);
    pal_cross3(c, far, turn);
    for (int k = 0; k < 3; k++) {
        f->bias[k] = m * far[k] - f->net[k];
        f->bias[3 + k] = m * turn[k] - f->net[3 + k];
    }
}

void pal_ports_net(pal_tree_state *state, int32_t domain) {
    pal_frame *f = &state->frame[domain];
    const double s = f->scale;
    for (int32_t i = f->first_ports; i < f->end_ports; i++) {
        const pal_port_block *p = &state->ports[i];
        for (int lane = 0; lane < p->width; lane++) {
            if (p->child[lane] < 0) {
                continue;
            }
            const pal_frame *child = &state->frame[p->child[lane]];
            double force[3] = {0}, torque[3] = {0}, x[3], arm[3];
            for (int k = 0; k < 3; k++) {
                double at = 0.0;
                for (int m = 0; m < 3; m++) {
                    const double turned = p->turn[(3 * k + m) * p->width + lane];
                    force[k] += turned * child->net[m];
                    torque[k] += turned * child->net[3 + m];
                    at += turned * child->first[m];
                }
                x[k] = s * p->x[k * p->width + lane];
                f->first[k] += child->mass * x[k] + at;
            }
            pal_cross3(x, force, arm);
            for (int k = 0; k < 3; k++) {
                f->net[k] += force[k];
                f->net[3 + k] += torque[k] + arm[k];
            }
            f->mass += child->mass;
        }
    }
    if (state->options.inertia == PAL_INERTIA_CENTRE) {
        lump_at_centre(f);
    }
}
