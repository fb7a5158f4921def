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
    int32_t *used_ports;    // [domain_count] up to the last one with a child
} plan;

static void free_plan(plan *p) {
    free(p->depth);
    free(p->order);
    free(p->child_of_port);
    free(p->first_port);
    free(p->used_ports);
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

// How many blocks hold so many ports.
static int32_t blocks_of(int32_t ports) {
    return (ports + PAL_LANES8 - 1) / PAL_LANES8;
}

// How many ports of a class stand side by side in its block k: eight, and in the last one as few as
// will do.
static int32_t port_width(const pal_domain_class *class_, int32_t k) {
    const int32_t left = class_->port_count - k * PAL_LANES8;
    return left > 4 ? PAL_LANES8 : (left > 2 ? 4 : left);
}

static pal_status make_plan(const pal_tree *tree, plan *p, pal_err *err) {
    const int32_t n = tree->domain_count;
    int64_t ports = 0;
    *p = (plan){.tree = tree,
                .depth = PAL_NEW(int32_t, n, err),
                .order = PAL_NEW(int32_t, n, err),
                .first_port = PAL_NEW(int32_t, n, err),
                .used_ports = PAL_NEW(int32_t, n, err)};
    if (!p->depth || !p->order || !p->first_port || !p->used_ports) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t i = 0; i < n; i++) {
        const int32_t count = tree->class_[tree->domain[i].kind].port_count;
        p->depth[i] = i == 0 ? 0 : p->depth[tree->domain[i].parent] + 1;
        p->levels = p->depth[i] + 1 > p->levels ? p->depth[i] + 1 : p->levels;
        p->first_port[i] = (int32_t)ports;
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
        const int32_t parent = tree->domain[i].parent, port = tree->domain[i].port;
        p->child_of_port[p->first_port[parent] + port] = i;
        p->used_ports[parent] = port < p->used_ports[parent] ? p->used_ports[parent] : port + 1;
    }
    return sort_domains(p, err);
}

// ---- tables of a class

static void carve_table(carver *c, const pal_domain_class *class_, pal_class_table *t) {
    const size_t r = (size_t)class_->r, ld = (size_t)pal_round4(class_->r);
    const size_t groups =
        ((size_t)pal_triples(class_->r) + PAL_TRIPLES_AT_ONCE - 1) / PAL_TRIPLES_AT_ONCE;
    t->class_ = class_;
    t->r = class_->r;
    t->pairs = (int32_t)pal_pairs(class_->r);
    t->stride = (class_->r + 7) & ~7;
    t->p = TAKE(c, double, t->pairs);
    t->rest_l = TAKE(c, double, t->pairs);
    t->rest_pivot = TAKE(c, double, r);
    t->quartic = TAKE(c, double, groups *r *PAL_TRIPLES_AT_ONCE);
    t->cubic = TAKE(c, double, (size_t)t->pairs *r);
    t->triple = TAKE(c, uint16_t, (size_t)t->pairs * r);
    t->p_full = TAKE(c, double, ld *ld);
    t->kernel.quartic = take(c, pal_kernel_quartic_bytes_double(class_->r), 1);
    t->kernel.cubic = take(c, pal_kernel_cubic_bytes_double(class_->r), 1);
    t->mix = TAKE(c, double, r *r * 9);
    t->mix_wide = TAKE(c, double, r *(size_t)t->stride * 9);
    t->still = TAKE(c, double, 9 * (size_t)t->stride);
    const size_t ports = (size_t)class_->port_count, lanes = (ports + 7) & ~(size_t)7;
    t->port = TAKE(c, double, lanes *(12 + 12 * r));
    t->alone = TAKE(c, double, ports *(12 + 12 * r));
}

static void fill_quartic(pal_class_table *t) {
    const pal_quartic *from = &t->class_->quartic;
    const int32_t r = t->r, ld = pal_round4(r), group = PAL_TRIPLES_AT_ONCE;
    for (int32_t i = 0, s = 0; i < r; i++) {
        for (int32_t j = i; j < r; j++, s++) {
            t->p[s] = t->p_full[i * ld + j] = t->p_full[j * ld + i] = from->p[pal_pair_at(i, j)];
            for (int32_t l = 0; l < r; l++) {
                const int64_t n = pal_triple_of(i, j, l);
                t->triple[s * r + l] = (uint16_t)n;
                t->cubic[s * r + l] = from->q[n];
                for (int32_t m = 0; m < r; m++) {
                    t->quartic[(n / group * r + m) * group + n % group] =
                        0.5 * from->s[pal_quadruple_of(i, j, l, m)];
                }
            }
        }
    }
    pal_kernel_fill_double(&t->kernel, from);
}

// P = L D L^T.
static void factor_rest(pal_class_table *t) {
    const int32_t r = t->r;
    double *l = t->rest_l;
    memcpy(l, t->p, (size_t)t->pairs * sizeof *l);
    t->is_firm = true;
    for (int32_t k = 0; k < r; k++) {
        const double *row = l + pal_row_start(r, k) - k;
        t->is_firm = t->is_firm && row[k] > 0.0;
        t->rest_pivot[k] = 1.0 / row[k];
        for (int32_t i = k + 1; i < r; i++) {
            const double by = row[i] * t->rest_pivot[k];
            double *below = l + pal_row_start(r, i) - i;
            for (int32_t j = i; j < r; j++) {
                below[j] -= by * row[j];
            }
        }
    }
}

// Of a 3 x 3 m: xx, yy, zz, xy + yx, xz + zx, yz + zy, and its axial vector.
static void split(const double *m, double *out) {
    const double parts[9] = {m[0],        m[4],        m[8],        m[1] + m[3], m[2] + m[6],
                             m[5] + m[7], m[5] - m[7], m[6] - m[2], m[1] - m[3]};
    memcpy(out, parts, sizeof parts);
}

static void fill_mix(pal_class_table *t) {
    const int32_t r = t->r;
    for (int32_t l = 0; l < r; l++) {
        double entry[9];
        split(t->class_->xu + 9 * l, entry);
        for (int e = 0; e < 9; e++) {
            t->still[e * t->stride + l] = entry[e];
        }
        for (int32_t p = 0; p < r; p++) {
            split(t->class_->uu + 9 * (p * r + l), entry); // int rho U_p U_l^T
            memcpy(t->mix + 9 * (l * r + p), entry, sizeof entry);
            for (int e = 0; e < 9; e++) {
                t->mix_wide[(9 * p + e) * t->stride + l] = entry[e];
            }
        }
    }
}

// The numbers of a class's block k of ports.
static double *port_table(const pal_class_table *t, int32_t k) {
    return t->port + (size_t)(k * PAL_LANES8) * (size_t)(12 + 12 * t->r);
}

// Entry e of a port's numbers.
static double port_entry(const pal_port *port, int32_t r, int32_t e) {
    const int32_t k = e % 12, l = e / 12 - 1;
    if (l < 0) {
        return k < 3 ? port->x[k] : port->c[(k - 3) / 3][(k - 3) % 3];
    }
    return k < 3 ? port->a[k * r + l] : port->b[9 * l + k - 3];
}

// Lanes without a port repeat the last one, so that they stay harmless.
static void fill_ports(const pal_class_table *t) {
    const pal_domain_class *c = t->class_;
    const int32_t r = t->r, entries = 12 + 12 * r;
    for (int32_t k = 0; k < blocks_of(c->port_count) * PAL_LANES8; k++) {
        const int32_t width = port_width(c, k / PAL_LANES8), lane = k % PAL_LANES8;
        const pal_port *port = &c->port[k < c->port_count ? k : c->port_count - 1];
        for (int32_t e = 0; e < entries && lane < width; e++) {
            port_table(t, k / PAL_LANES8)[e * width + lane] = port_entry(port, r, e);
        }
        for (int32_t e = 0; e < entries && k < c->port_count; e++) {
            t->alone[k * entries + e] = port_entry(port, r, e);
        }
    }
}

// ---- blocks

static void carve_block(carver *c, bool flies, pal_tree_block *b) {
    const size_t w = (size_t)b->width, r = (size_t)b->table->r, pairs = (size_t)b->table->pairs;
    b->factor = TAKE(c, double, w);
    b->scale = TAKE(c, double, w);
    b->to_class = TAKE(c, double, w);
    b->blow = TAKE(c, double, 3 * w);
    b->load = TAKE(c, double, 6 * w);
    double **rows[] = {&b->q, &b->v, &b->a, &b->f, &b->g, &b->pivot};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        *rows[k] = TAKE(c, double, r *w);
    }
    b->kept = TAKE(c, double, r *w);
    b->n = flies ? TAKE(c, double, 12 * (size_t)b->table->stride * w) : NULL;
    b->l = TAKE(c, double, pairs *w);
    b->p = TAKE(c, double, 6 * r * w);
}

// Goes through the levels: how many of a class go into the next block? Counts when out is NULL.
static int32_t group_blocks(const plan *p, pal_tree_level *level, pal_tree_block *out,
                            pal_class_table *table) {
    enum { WORTH = 3 }; // as many as this are quicker side by side
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
            b->width = count == 1 ? 1 : (count <= PAL_LANES8 / 2 ? PAL_LANES8 / 2 : PAL_LANES8);
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

// How many port blocks each block has.
static void group_ports(const plan *p, pal_tree_state *s) {
    for (int32_t i = 0; i < s->block_count; i++) {
        pal_tree_block *b = &s->block[i];
        int32_t used = 0;
        for (int32_t lane = 0; lane < b->count; lane++) {
            const int32_t own = p->used_ports[b->domain[lane]];
            used = own > used ? own : used;
        }
        b->first_ports = s->port_count;
        b->end_ports = s->port_count += b->width == 1 ? blocks_of(used) : used;
    }
}

// Doubles of scratch: the largest of what any function needs.
static size_t scratch_of(const pal_class_table *t) {
    const size_t ld = (size_t)pal_round4(t->r), stride = (size_t)t->stride;
    const size_t rows = (((size_t)t->pairs + 7) & ~(size_t)7) + 18 * stride;
    const size_t single = rows + ld * ld + 4 * ld + pal_kernel_scratch_bytes_double(t->r) / 8 + 64;
    const size_t eight = PAL_LANES8 * (rows + (size_t)pal_triples(t->r) + 16);
    const size_t ports = PAL_LANES8 * ((size_t)t->pairs + 8 * (size_t)t->r + 32);
    const size_t more = eight > ports ? eight : ports;
    return single > more ? single : more;
}

// Block k of the ports of a block.
static void carve_ports(carver *c, const pal_tree_block *of, int32_t k, pal_port_block *b) {
    const pal_class_table *t = of->table;
    double **const row[] = {&b->mass, &b->least, &b->x,    &b->rest,
                            &b->q,    &b->turn,  &b->bias, &b->firm};
    const int32_t entries[] = {1, 1, 3, 9, 9, 9, 6, 6};
    const bool abreast = of->width > 1;
    b->table = abreast ? t->alone + (size_t)k * (size_t)(12 + 12 * t->r) : port_table(t, k);
    b->width = abreast ? of->width : port_width(t->class_, k);
    b->table_width = abreast ? 1 : b->width;
    int32_t all = 0;
    for (int n = 0; n < 8; n++) {
        all += entries[n];
    }
    b->bytes = (int32_t)sizeof(double) * all * b->width;
    double *at = TAKE(c, double, all * b->width);
    for (int n = 0; n < 8 && at != NULL; n++) {
        *row[n] = at;
        at += entries[n] * b->width;
    }
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
        pal_tree_block *b = &s->block[i];
        carve_block(c, tree->flies, b);
        const bool lumps =
            s->options.inertia == PAL_INERTIA_INTERFACE && b->end_ports > b->first_ports;
        b->lump = lumps ? TAKE(c, double, (b->table->pairs + 3 * b->table->r) * b->width) : NULL;
        for (int32_t n = b->first_ports; n < b->end_ports; n++) {
            carve_ports(c, b, n - b->first_ports, &s->ports[n]);
        }
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
            b->scale[lane] = f->scale;
            b->to_class[lane] = f->to_class;
            b->factor[lane] = f->stiffness / (f->scale * f->scale);
        }
    }
}

// 1 / tr((tr(C) I - C)^-1): small where the interface is nearly a line.
static double firmness(const double *c) {
    const double t = c[0] + c[4] + c[8], x = t - c[0], y = t - c[4], z = t - c[8];
    const double yz = y * z - c[5] * c[5], xz = x * z - c[2] * c[2], xy = x * y - c[1] * c[1];
    const double det = x * yz - c[1] * (c[2] * c[5] + c[1] * z) - c[2] * (c[1] * c[5] + c[2] * y);
    return det / (yz + xz + xy);
}

// The child in a lane of a port block, and how it stands there.
static void fill_lane(const pal_tree_state *s, const pal_port_block *b, int lane) {
    const double share = 0.05; // of what it is at rest
    const int32_t child = b->child[lane], width = b->width;
    double c[9];
    for (int e = 0; e < 9; e++) {
        c[e] = pal_port_number(b, 3 + e, lane);
        b->rest[e * width + lane] =
            child >= 0 ? s->tree->domain[child].rest[e / 3][e % 3] : e % 4 == 0;
        b->q[e * width + lane] = e % 4 == 0;
    }
    b->least[lane] = share * firmness(c);
    if (child >= 0) {
        const pal_frame *f = &s->frame[s->frame[child].parent];
        b->mass[lane] = s->frame[child].mass * f->scale * f->scale * f->to_class;
    }
}

// The children at each port, and what they weigh.
static void fill_children(const plan *p, pal_tree_state *s) {
    const pal_tree *tree = p->tree;
    for (int32_t i = tree->domain_count - 1; i >= 0; i--) { // subtrees are whole
        pal_frame *f = &s->frame[i];
        f->mass += f->scale * f->scale * f->scale * tree->class_[tree->domain[i].kind].mass;
        if (f->parent >= 0) {
            s->frame[f->parent].mass += f->mass;
        }
    }
    for (int32_t k = 0; k < s->block_count; k++) {
        const pal_tree_block *b = &s->block[k];
        for (int32_t n = b->first_ports; n < b->end_ports; n++) {
            pal_port_block *to = &s->ports[n];
            for (int lane = 0; lane < to->width; lane++) {
                const int32_t at = n - b->first_ports;
                const int32_t port = b->width == 1 ? at * PAL_LANES8 + lane : at;
                const bool there =
                    port < b->table->class_->port_count && (b->width == 1 || lane < b->count);
                const int32_t first = p->first_port[b->domain[b->width == 1 ? 0 : lane]];
                to->child[lane] = there ? p->child_of_port[first + port] : -1;
                fill_lane(s, to, lane);
            }
        }
    }
}

// Of each domain: sum over its ports of m a^T a and of m a.                       [BZ11 eq. 16]
static void fill_lumps(pal_tree_state *s) {
    for (int32_t i = 1; i < s->tree->domain_count; i++) {
        int lane;
        const pal_port_block *p = pal_port_of(s, i, &lane);
        const pal_frame *f = &s->frame[s->frame[i].parent];
        const pal_tree_block *b = &s->block[f->block];
        const int32_t r = b->table->r;
        const double mass = p->mass[lane];
        for (int32_t k = 0, e = 0; k < r; k++) {
            for (int32_t l = k; l < r; l++, e++) {
                for (int row = 0; row < 3; row++) {
                    *pal_lane(s, f, b->lump, e) += mass *
                                                   pal_port_number(p, 12 + 12 * k + row, lane) *
                                                   pal_port_number(p, 12 + 12 * l + row, lane);
                }
            }
            for (int row = 0; row < 3; row++) {
                *pal_lane(s, f, b->lump, b->table->pairs + row * r + k) +=
                    mass * pal_port_number(p, 12 + 12 * k + row, lane);
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
    s->block = PAL_NEW(pal_tree_block, s->block_count, err);
    if (!s->level || !s->frame || !s->table || !s->block) {
        return PAL_ERR_MEMORY;
    }
    group_blocks(p, s->level, s->block, s->table);
    group_ports(p, s);
    s->ports = PAL_NEW(pal_port_block, s->port_count, err);
    if (s->ports == NULL) {
        return PAL_ERR_MEMORY;
    }
    carver measure = {0};
    carve_numbers(&measure, p, s);
    s->memory = pal_alloc(measure.used, 1, err);
    if (s->memory == NULL) {
        return PAL_ERR_MEMORY;
    }
    carver carve = {.memory = s->memory};
    carve_numbers(&carve, p, s);
    s->bytes = measure.used + (size_t)tree->domain_count * sizeof *s->frame +
               (size_t)s->port_count * sizeof *s->ports + (size_t)s->block_count * sizeof *s->block;
    for (int32_t k = 0; k < tree->class_count; k++) {
        if (s->table[k].r > 0) {
            fill_quartic(&s->table[k]);
            fill_mix(&s->table[k]);
        }
        factor_rest(&s->table[k]);
        fill_ports(&s->table[k]);
    }
    fill_frames(p, s);
    fill_children(p, s);
    if (s->options.inertia == PAL_INERTIA_INTERFACE) {
        fill_lumps(s);
    }
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
        s->inertia = options->inertia;
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
    pal_guard_open(s);
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
