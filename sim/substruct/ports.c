// The interfaces of one domain to its children: how many are worked on side by side, and what is
// done one by one.
#include <math.h>
#include <string.h>

#include "sim/base/vec3.h"
#include "sim/substruct/tree_state.h"

static const pal_port_functions *functions_of(const pal_tree_block *b, const pal_port_block *p) {
    return b->width == 8   ? &pal_ports_abreast
           : b->width == 4 ? &pal_ports_abreast_four
           : p->width == 8 ? &pal_ports_eight
           : p->width == 4 ? &pal_ports_four
           : p->width == 2 ? &pal_ports_two
                           : &pal_ports_one;
}

// Where the port blocks end that are as wide as the first.
static int32_t end_of_run(const pal_tree_state *state, const pal_tree_block *b, int32_t first) {
    int32_t i = first + 1;
    while (i < b->end_ports && state->ports[i].width == state->ports[first].width) {
        i++;
    }
    return i;
}

bool pal_ports_move(pal_tree_state *state, const pal_tree_block *b, bool stepped) {
    bool finite = true;
    for (int32_t i = b->first_ports, end; i < b->end_ports; i = end) {
        end = end_of_run(state, b, i);
        finite &= functions_of(b, &state->ports[i])->move(state, b, i, end, stepped);
    }
    return finite;
}

void pal_ports_retwist(const pal_tree_state *state, const pal_tree_block *b, const double change[6],
                       const double about[3]) {
    for (int32_t i = b->first_ports, end; i < b->end_ports; i = end) {
        end = end_of_run(state, b, i);
        functions_of(b, &state->ports[i])->retwist(state, b, i, end, change, about);
    }
}

void pal_ports_gather(const pal_tree_state *state, const pal_tree_block *b, double *scratch) {
    for (int32_t i = b->first_ports, end; i < b->end_ports; i = end) {
        end = end_of_run(state, b, i);
        functions_of(b, &state->ports[i])->gather(state, b, i, end, scratch);
    }
}

void pal_ports_gather_lumped(const pal_tree_state *state, const pal_tree_block *b,
                             double *scratch) {
    const int32_t w = b->width, h = b->table->pairs * w, p = 3 * b->table->r * w;
    for (int32_t k = 0; k < h && b->lump != NULL; k++) {
        b->h[k] += b->lump[k];
    }
    for (int32_t k = 0; k < p && b->lump != NULL; k++) {
        b->p[k] += b->lump[h + k];
    }
    for (int32_t i = b->first_ports, end; i < b->end_ports; i = end) {
        end = end_of_run(state, b, i);
        functions_of(b, &state->ports[i])->gather_lumped(state, b, i, end, scratch);
    }
}

void pal_port_turns(const pal_port_block *p, int lane, int32_t r, double *omega) {
    static const int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    double q[9], both[9] = {0.0}; // Q, Q G^-1
    for (int e = 0; e < 9; e++) {
        q[e] = p->q[e * p->width + lane];
    }
    for (int e = 0; e < 27; e++) {
        const int i = e / 9, j = e % 9 / 3, k = e % 3;
        both[3 * i + j] += q[3 * i + k] * p->firm[at[3 * k + j] * p->width + lane];
    }
    for (int32_t l = 0; l < r; l++) {
        double x[3] = {0.0}; // 2 skew(Q^T B_l)
        for (int e = 0; e < 9; e++) {
            const double b = pal_port_number(p, 12 + 12 * l + 3 + e, lane);
            const int row = e / 3, one = (e + 1) % 3, two = (e + 2) % 3;
            x[two] += q[3 * row + one] * b;
            x[one] -= q[3 * row + two] * b;
        }
        for (int k = 0; k < 3; k++) {
            omega[k * r + l] = pal_dot3(both + 3 * k, x);
        }
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

// What the child at a port is exposed to and weighs, added to its parent's.
static void add_child(const pal_port_block *p, int lane, const pal_frame *child, pal_frame *f) {
    double force[3] = {0}, torque[3] = {0}, x[3], arm[3];
    for (int k = 0; k < 3; k++) {
        double at = 0.0;
        for (int m = 0; m < 3; m++) {
            const double turned = p->turn[(3 * k + m) * p->width + lane];
            force[k] += turned * child->net[m];
            torque[k] += turned * child->net[3 + m];
            at += turned * child->first[m];
        }
        x[k] = f->scale * p->x[k * p->width + lane];
        f->first[k] += child->mass * x[k] + at;
    }
    pal_cross3(x, force, arm);
    for (int k = 0; k < 3; k++) {
        f->net[k] += force[k];
        f->net[3 + k] += torque[k] + arm[k];
    }
    f->mass += child->mass;
}

void pal_ports_net(pal_tree_state *state, const pal_tree_block *b) {
    for (int32_t i = b->first_ports; i < b->end_ports; i++) {
        const pal_port_block *p = &state->ports[i];
        for (int lane = 0; lane < p->width; lane++) {
            if (p->child[lane] >= 0) {
                const pal_frame *child = &state->frame[p->child[lane]];
                add_child(p, lane, child, &state->frame[child->parent]);
            }
        }
    }
    for (int32_t lane = 0; lane < b->count && state->inertia == PAL_INERTIA_CENTRE; lane++) {
        lump_at_centre(&state->frame[b->domain[lane]]);
    }
}
