// Sets up a tree that steps: levels, blocks, tables, one block of memory.
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/substruct/tree_state.h"

// ---- memory: one function measures and carves

typedef struct carver {
    unsigned char *memory; // NULL: only measure
    size_t used;
} carver;

static void *take(carver *c, size_t count, size_t size) {
    void *part = c->memory == NULL ? NULL : c->memory + c->used;
    c->used += (count * size + 63) & ~(size_t)63;
    return part;
}

#define TAKE(c, type, count) ((type *)take(c, (size_t)(count), sizeof(type)))

// ---- how domains are grouped

typedef struct plan {
    const pal_tree *tree;
    int32_t *depth; // [domain_count]
    int32_t *order; // [domain_count] by depth, then class
    int32_t levels;
    int32_t *child_of_port; // all ports of all domains, one after the other: the child, or -1
    int32_t *first_port;    // [domain_count]
    int32_t port_blocks;    // of all domains
} plan;

static void free_plan(plan *p) {
    free(p->depth);
    free(p->order);
    free(p->child_of_port);
    free(p->first_port);
}

// Domains in the order of (depth, class, index): a stable counting sort by each.
static pal_status sort_domains(plan *p, pal_err *err) {
    const pal_tree *tree = p->tree;
    const int32_t n = tree->domain_count, classes = tree->class_count;
    int32_t *first = PAL_NEW(int32_t, (size_t)p->levels * (size_t)classes + 1, err);
    if (first == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t i = 0; i < n; i++) {
        first[p->depth[i] * classes + tree->domain[i].kind + 1]++;
    }
    for (int32_t k = 0; k < p->levels * classes; k++) {
        first[k + 1] += first[k];
    }
    for (int32_t i = 0; i < n; i++) {
        p->order[first[p->depth[i] * classes + tree->domain[i].kind]++] = i;
    }
    free(first);
    return PAL_OK;
}

static pal_status make_plan(const pal_tree *tree, plan *p, pal_err *err) {
    const int32_t n = tree->domain_count;
    int64_t ports = 0;
    *p = (plan){.tree = tree,
                .depth = PAL_NEW(int32_t, n, err),
                .order = PAL_NEW(int32_t, n, err),
                .first_port = PAL_NEW(int32_t, n, err)};
    if (p->depth == NULL || p->order == NULL || p->first_port == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t i = 0; i < n; i++) {
        const int32_t count = tree->class_[tree->domain[i].kind].port_count;
        p->depth[i] = i == 0 ? 0 : p->depth[tree->domain[i].parent] + 1;
        p->levels = p->depth[i] + 1 > p->levels ? p->depth[i] + 1 : p->levels;
        p->first_port[i] = (int32_t)ports;
        p->port_blocks += (count + PAL_LANES8 - 1) / PAL_LANES8;
        ports += count;
    }
    p->child_of_port = PAL_NEW(int32_t, ports, err);
    if (p->child_of_port == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int64_t k = 0; k < ports; k++) {
        p->child_of_port[k] = -1;
    }
    for (int32_t i = 1; i < n; i++) {
        p->child_of_port[p->first_port[tree->domain[i].parent] + tree->domain[i].port] = i;
    }
    return sort_domains(p, err);
}

// ---- tables of a class

static void carve_table(carver *c, const pal_domain_class *class_, pal_class_table *t) {
    const size_t r = (size_t)class_->r, ld = (size_t)pal_round4(class_->r);
    const size_t groups = ((size_t)pal_triples(class_->r) + 5) / 6;
    t->class_ = class_;
    t->r = class_->r;
    t->pairs = (int32_t)pal_pairs(class_->r);
    t->stride = (class_->r + 7) & ~7;
    t->port_blocks = (class_->port_count + PAL_LANES8 - 1) / PAL_LANES8;
    t->p = TAKE(c, double, t->pairs);
    t->quartic = TAKE(c, double, groups *r * 6);
    t->cubic = TAKE(c, double, (size_t)t->pairs *r);
    t->triple = TAKE(c, uint16_t, (size_t)t->pairs * r);
    t->p_full = TAKE(c, double, ld *ld);
    t->kernel.quartic = take(c, pal_kernel_quartic_bytes_double(class_->r), 1);
    t->kernel.cubic = take(c, pal_kernel_cubic_bytes_double(class_->r), 1);
    t->mix = TAKE(c, double, r *r * 12);
    t->mix_wide = TAKE(c, double, r *(size_t)t->stride * 12);
    t->port = TAKE(c, pal_vec8, (size_t)t->port_blocks * (12 + 12 * r));
}

static void fill_quartic(pal_class_table *t) {
    const pal_quartic *from = &t->class_->quartic;
    const int32_t r = t->r, ld = pal_round4(r);
    for (int32_t i = 0, s = 0; i < r; i++) {
        for (int32_t j = i; j < r; j++, s++) {
            t->p[s] = t->p_full[i * ld + j] = t->p_full[j * ld + i] = from->p[pal_pair_at(i, j)];
            for (int32_t l = 0; l < r; l++) {
                const int64_t n = pal_triple_of(i, j, l);
                t->triple[s * r + l] = (uint16_t)n;
                t->cubic[s * r + l] = from->q[n];
                for (int32_t m = 0; m < r; m++) {
                    t->quartic[(n / 6 * r + m) * 6 + n % 6] = from->s[pal_quadruple_of(i, j, l, m)];
                }
            }
        }
    }
    pal_kernel_fill_double(&t->kernel, from);
}

static void fill_mix(pal_class_table *t) {
    const int32_t r = t->r;
    for (int32_t l = 0; l < r; l++) {
        for (int32_t p = 0; p < r; p++) {
            const double *m = t->class_->uu + 9 * (p * r + l); // int rho U_p U_l^T
            double entry[12];
            memcpy(entry, m, 9 * sizeof *m);
            entry[9] = m[5] - m[7]; // U_p x U_l
            entry[10] = m[6] - m[2];
            entry[11] = m[1] - m[3];
            memcpy(t->mix + 12 * (l * r + p), entry, sizeof entry);
            for (int e = 0; e < 12; e++) {
                t->mix_wide[(e * r + p) * t->stride + l] = entry[e];
            }
        }
    }
}

// Lanes without a port repeat the last one, so that they stay harmless.
static void fill_ports(pal_class_table *t) {
    const pal_domain_class *c = t->class_;
    const int32_t r = t->r;
    for (int32_t k = 0; k < PAL_LANES8 * t->port_blocks; k++) {
        const pal_port *port = &c->port[k < c->port_count ? k : c->port_count - 1];
        pal_vec8 *to = t->port + (size_t)(k / PAL_LANES8) * (size_t)(12 + 12 * r);
        const int lane = k % PAL_LANES8;
        for (int e = 0; e < 12; e++) {
            to[e][lane] = e < 3 ? port->x[e] : port->c[(e - 3) / 3][(e - 3) % 3];
            for (int32_t l = 0; l < r; l++) {
                to[12 + 12 * l + e][lane] = e < 3 ? port->a[e * r + l] : port->b[9 * l + e - 3];
            }
        }
    }
}

// ---- blocks

static void carve_block(carver *c, pal_tree_block *b) {
    const size_t w = (size_t)b->width, r = (size_t)b->table->r, pairs = (size_t)b->table->pairs;
    b->factor = TAKE(c, double, w);
    double **rows[] = {&b->q, &b->v, &b->a, &b->f, &b->g, &b->pivot};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        *rows[k] = TAKE(c, double, r *w);
    }
    b->kept = TAKE(c, double, 2 * r * w);
    b->l = TAKE(c, double, pairs *w);
    b->p = TAKE(c, double, 6 * r * w);
}

// Goes through the levels: how many of a class go into the next block? Counts when out is NULL.
static int32_t group_blocks(const plan *p, pal_tree_level *level, pal_tree_block *out,
                            pal_class_table *table) {
    enum { WORTH = 4 }; // as many as this are quicker side by side
    const pal_tree *tree = p->tree;
    int32_t blocks = 0;
    for (int32_t i = 0; i < tree->domain_count;) {
        const int32_t domain = p->order[i], depth = p->depth[domain];
        const int32_t kind = tree->domain[domain].kind;
        int32_t same = 0;
        while (i + same < tree->domain_count && same < PAL_LANES8 &&
               p->depth[p->order[i + same]] == depth &&
               tree->domain[p->order[i + same]].kind == kind) {
            same++;
        }
        const int32_t count = same < WORTH ? 1 : same;
        if (out != NULL) {
            pal_tree_block *b = &out[blocks];
            b->table = &table[kind];
            b->width = count == 1 ? 1 : PAL_LANES8;
            b->count = count;
            for (int32_t lane = 0; lane < PAL_LANES8; lane++) {
                b->domain[lane] = p->order[i + (lane < count ? lane : count - 1)];
            }
            level[depth].end_block = blocks + 1;
            if (depth + 1 < p->levels) {
                level[depth + 1].first_block = blocks + 1;
            }
        }
        blocks++;
        i += count;
    }
    return blocks;
}

// Doubles of scratch: the largest of what any function needs.
static size_t scratch_of(const pal_class_table *t) {
    const size_t ld = (size_t)pal_round4(t->r), stride = (size_t)t->stride;
    const size_t rows = (((size_t)t->pairs + 7) & ~(size_t)7) + 18 * stride;
    const size_t single = rows + ld * ld + 4 * ld + pal_kernel_scratch_bytes_double(t->r) / 8 + 64;
    const size_t eight = PAL_LANES8 * (rows + (size_t)pal_triples(t->r) + 16);
    const size_t ports = PAL_LANES8 * ((size_t)t->pairs + 8 * (size_t)t->r + 8);
    const size_t more = eight > ports ? eight : ports;
    return single > more ? single : more;
}

// All arrays of numbers, for descriptions that are there.
static void carve_numbers(carver *c, const plan *p, pal_tree_state *s) {
    const pal_tree *tree = p->tree;
    size_t scratch = 0, lent = 0;
    for (int32_t k = 0; k < tree->class_count; k++) {
        carve_table(c, &tree->class_[k], &s->table[k]);
        const size_t wanted = scratch_of(&s->table[k]);
        scratch = wanted > scratch ? wanted : scratch;
        lent = (size_t)s->table[k].pairs > lent ? (size_t)s->table[k].pairs : lent;
    }
    for (int32_t i = 0; i < s->block_count; i++) {
        carve_block(c, &s->block[i]);
    }
    for (int32_t i = 0, next = 0; i < tree->domain_count; i++) {
        const pal_class_table *t = &s->table[tree->domain[i].kind];
        pal_frame *f = &s->frame[i];
        f->first_ports = next;
        for (int32_t k = 0; k < t->port_blocks; k++, next++) {
            s->ports[next].omega = TAKE(c, pal_vec8, 3 * (size_t)t->r);
        }
        f->end_ports = next;
        f->lump = TAKE(c, double, t->port_blocks > 0 ? t->pairs + 3 * t->r : 0);
    }
    for (int k = 0; k < s->options.threads; k++) {
        s->scratch[k] = TAKE(c, double, scratch);
        s->lent_h[k] = TAKE(c, double, PAL_LANES8 *lent);
        s->lent_inertia[k] = TAKE(c, double, PAL_LANES8 *(PAL_WRENCH_PAIRS + 6));
    }
}

// ---- what stays the same in a run

static void fill_frames(const plan *p, pal_tree_state *s) {
    const pal_tree *tree = p->tree;
    for (int32_t i = 0; i < tree->domain_count; i++) {
        const pal_domain *d = &tree->domain[i];
        pal_frame *f = &s->frame[i];
        const double scale = d->scale;
        f->scale = scale;
        f->stiffness = d->stiffness;
        f->slow = 1.0;
        f->to_class = 1.0 / (scale * scale * scale * scale * scale);
        f->parent = d->parent;
    }
    for (int32_t k = 0; k < s->block_count; k++) {
        pal_tree_block *b = &s->block[k];
        for (int32_t lane = 0; lane < b->width; lane++) {
            pal_frame *f = &s->frame[b->domain[lane]];
            if (lane < b->count) {
                f->block = k;
                f->lane = lane;
            }
            b->factor[lane] = f->stiffness / (f->scale * f->scale);
        }
    }
}

// The children at each port, and what they weigh: from the last domain to the first, so that
// subtrees are whole when their parents ask.
static void fill_children(const plan *p, pal_tree_state *s) {
    const pal_tree *tree = p->tree;
    for (int32_t i = tree->domain_count - 1; i >= 0; i--) {
        pal_frame *f = &s->frame[i];
        const pal_class_table *t = &s->table[tree->domain[i].kind];
        const double scale = f->scale;
        f->mass = scale * scale * scale * t->class_->mass;
        for (int32_t k = 0; k < (f->end_ports - f->first_ports) * PAL_LANES8; k++) {
            pal_port_block *b = &s->ports[f->first_ports + k / PAL_LANES8];
            const int lane = k % PAL_LANES8;
            const int32_t child =
                k < t->class_->port_count ? p->child_of_port[p->first_port[i] + k] : -1;
            b->table = t->port + (size_t)(k / PAL_LANES8) * (size_t)(12 + 12 * t->r);
            b->child[lane] = child;
            for (int e = 0; e < 9; e++) {
                b->rest[e][lane] = child >= 0 ? tree->domain[child].rest[e / 3][e % 3] : e % 4 == 0;
                b->q[e][lane] = e % 4 == 0;
            }
            if (child >= 0) {
                b->mass[lane] = s->frame[child].mass * scale * scale * f->to_class;
                f->mass += s->frame[child].mass;
            }
        }
    }
}

// Of each domain: sum over its ports of m a^T a and of m a.                       [BZ11 eq. 16]
static void fill_lumps(pal_tree_state *s) {
    for (int32_t i = 0; i < s->tree->domain_count; i++) {
        const pal_frame *f = &s->frame[i];
        const pal_class_table *t = &s->table[s->tree->domain[i].kind];
        for (int32_t n = f->first_ports; n < f->end_ports; n++) {
            const pal_port_block *b = &s->ports[n];
            const pal_vec8 *a = b->table + 12;
            for (int32_t k = 0, e = 0; k < t->r; k++) {
                for (int32_t l = k; l < t->r; l++, e++) {
                    f->lump[e] +=
                        pal_sum8(b->mass * (a[12 * k] * a[12 * l] + a[12 * k + 1] * a[12 * l + 1] +
                                            a[12 * k + 2] * a[12 * l + 2]));
                }
                for (int row = 0; row < 3; row++) {
                    f->lump[t->pairs + row * t->r + k] += pal_sum8(b->mass * a[12 * k + row]);
                }
            }
        }
    }
}

static pal_status open_planned(const plan *p, pal_tree_state *s, pal_err *err) {
    const pal_tree *tree = p->tree;
    s->depth = p->levels;
    s->block_count = group_blocks(p, NULL, NULL, NULL);
    s->level = PAL_NEW(pal_tree_level, p->levels, err);
    s->frame = PAL_NEW(pal_frame, tree->domain_count, err);
    s->table = PAL_NEW(pal_class_table, tree->class_count, err);
    s->ports = PAL_NEW(pal_port_block, p->port_blocks, err);
    s->block = PAL_NEW(pal_tree_block, s->block_count, err);
    if (!s->level || !s->frame || !s->table || !s->ports || !s->block) {
        return PAL_ERR_MEMORY;
    }
    group_blocks(p, s->level, s->block, s->table);
    carver measure = {0};
    carve_numbers(&measure, p, s);
    s->memory = pal_alloc(measure.used, 1, err);
    if (s->memory == NULL) {
        return PAL_ERR_MEMORY;
    }
    carver carve = {.memory = s->memory};
    carve_numbers(&carve, p, s);
    s->bytes = measure.used + (size_t)tree->domain_count * sizeof *s->frame +
               (size_t)p->port_blocks * sizeof *s->ports +
               (size_t)s->block_count * sizeof *s->block;
    for (int32_t k = 0; k < tree->class_count; k++) {
        if (s->table[k].r > 0) {
            fill_quartic(&s->table[k]);
            fill_mix(&s->table[k]);
        }
        fill_ports(&s->table[k]);
    }
    fill_frames(p, s);
    fill_children(p, s);
    fill_lumps(s);
    return PAL_OK;
}

pal_status pal_tree_open(const pal_tree *tree, const pal_tree_options *options,
                         pal_tree_state **state, pal_err *err) {
    plan p = {0};
    pal_tree_state *s = *state = PAL_NEW(pal_tree_state, 1, err);
    pal_status status = s != NULL ? make_plan(tree, &p, err) : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        s->tree = tree;
        s->options = *options;
        s->options.threads =
            options->threads < 1
                ? 1
                : (options->threads > PAL_TREE_THREADS ? PAL_TREE_THREADS : options->threads);
        status = open_planned(&p, s, err);
    }
    if (status == PAL_OK) {
        status = pal_team_open(&s->team, s->options.threads > 1, err);
    }
    free_plan(&p);
    if (status != PAL_OK) {
        pal_tree_close(s);
        *state = NULL;
        return status;
    }
    double x[3], turn[3][3];
    const double still[3] = {0.0, 0.0, 0.0};
    memcpy(x, tree->root_x, sizeof x);
    memcpy(turn, tree->root_turn, sizeof turn);
    pal_tree_set_root(s, x, turn, still, still);
    pal_tree_settle(s);
    return PAL_OK;
}

void pal_tree_close(pal_tree_state *state) {
    if (state == NULL) {
        return;
    }
    pal_team_close(&state->team);
    free(state->level);
    free(state->frame);
    free(state->table);
    free(state->ports);
    free(state->block);
    free(state->memory);
    free(state);
}

size_t pal_tree_bytes(const pal_tree_state *state) {
    return state->bytes;
}
