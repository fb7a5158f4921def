#include "sim/substruct/tree_give.h"

#include <string.h>

#include "sim/base/vec3.h"
#include "sim/substruct/tree_state.h"

void pal_tree_give_follow(const pal_tree_give *give, const pal_tree_state *s, double share) {
    for (int32_t i = 0; i < s->tree->domain_count; i++) {
        const pal_frame *f = &s->frame[i];
        const pal_tree_block *b = &s->block[f->block];
        double *before = give->before[i];
        for (int32_t l = 0; l < b->table->r; l++) {
            before[l] += share * (*pal_lane(s, f, b->q, l) - before[l]);
        }
    }
}

// What a domain adds; its energy is kappa s^3 that of its class.
static void add_domain(const pal_tree_give *give, const pal_tree_state *s, int32_t domain,
                       const double *g, pal_tree_given *sum) {
    const pal_frame *f = &s->frame[domain];
    const pal_tree_block *b = &s->block[f->block];
    const double *inverse = give->inverse[s->tree->domain[domain].kind];
    const double stiffer = f->stiffness * f->scale * f->scale * f->scale;
    const int32_t r = b->table->r;
    for (int32_t i = 0; i < r; i++) {
        double row = 0.0;
        for (int32_t j = 0; j < r; j++) {
            row += inverse[(int64_t)i * r + j] * g[j];
        }
        sum->in_the_end += g[i] * row / stiffer;
        sum->by_now += g[i] * (*pal_lane(s, f, b->q, i) - give->before[domain][i]);
    }
}

// A wrench (N, N m) about the frame of a child, in its axes, becomes one about its parent's; g [r]
// is what it does to the parent's coordinates.
static void pass_up(const pal_tree_state *s, int32_t child, double wrench[6], double *g) {
    int lane;
    const pal_port_block *p = pal_port_of(s, child, &lane);
    const pal_frame *f = &s->frame[s->frame[child].parent];
    const int32_t r = s->block[f->block].table->r, width = p->width;
    double turned[6], arm[3], x[3];
    for (int k = 0; k < 3; k++) {
        x[k] = f->scale * p->x[k * width + lane];
        turned[k] = turned[3 + k] = 0.0;
        for (int m = 0; m < 3; m++) {
            turned[k] += p->turn[(3 * k + m) * width + lane] * wrench[m];
            turned[3 + k] += p->turn[(3 * k + m) * width + lane] * wrench[3 + m];
        }
    }
    for (int32_t l = 0; l < r; l++) {
        g[l] = 0.0;
        for (int k = 0; k < 3; k++) {
            g[l] += f->scale * pal_port_number(p, 12 + 12 * l + k, lane) * turned[k] +
                    p->omega[(k * r + l) * width + lane] * turned[3 + k];
        }
    }
    pal_cross3(x, turned, arm);
    for (int k = 0; k < 3; k++) {
        wrench[k] = turned[k];
        wrench[3 + k] = turned[3 + k] + arm[k];
    }
}

pal_tree_given pal_tree_give_to(const pal_tree_give *give, const pal_tree_state *s,
                                const pal_tree_load *load) {
    double wrench[6], g[PAL_DOMAIN_MOST_MODES];
    pal_tree_given sum = {0.0, 0.0};
    add_domain(give, s, load->domain, load->g, &sum);
    memcpy(wrench, load->force, sizeof load->force);
    pal_cross3(load->place, load->force, wrench + 3);
    for (int32_t i = load->domain; s->frame[i].parent >= 0; i = s->frame[i].parent) {
        pass_up(s, i, wrench, g);
        add_domain(give, s, s->frame[i].parent, g, &sum);
    }
    return sum;
}
