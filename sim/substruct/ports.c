// The interfaces of one domain to its children, eight side by side. Numbers in units of the
// domain's class, in the axes of its frame, unless said otherwise.
#include <math.h>
#include <string.h>

#include "sim/base/vec3.h"
#include "sim/substruct/mat8.h"
#include "sim/substruct/polar8.h"
#include "sim/substruct/tree_state.h"

// What moves with q and q'.
typedef struct pace {
    vec velocity[3]; // of the centroid
    vec b[9], rate[9];
} pace;

static void follow(pal_port_block *p, int32_t r, const double *q, const double *v, pace *now) {
    const vec *from = p->table + 12;
    vec x[3], b[9], velocity[3] = {{0}}, rate[9] = {{0}}; // in registers
    memcpy(x, p->table, sizeof x);
    memcpy(b, p->table + 3, sizeof b);
    for (int32_t l = 0; l < r; l++, from += 12) {
        const vec by = pal_splat8(q[l]), speed = pal_splat8(v[l]);
        for (int k = 0; k < 3; k++) {
            x[k] += from[k] * by;
            velocity[k] += from[k] * speed;
        }
        for (int k = 0; k < 9; k++) {
            b[k] += from[3 + k] * by;
            rate[k] += from[3 + k] * speed;
        }
    }
    memcpy(p->x, x, sizeof x);
    memcpy(now->b, b, sizeof b);
    memcpy(now->velocity, velocity, sizeof velocity);
    memcpy(now->rate, rate, sizeof rate);
}

// Omega_l = Q G^-1 2 skew(Q^T B_l) for all l; `spin` is that of q'.               [BZ11 eq. 7]
static void turn_rates(pal_port_block *p, int32_t r, const vec *g) {
    const vec *q = p->q;
    vec map[27];                  // [3][9]
    for (int i = 0; i < 3; i++) { // column (i, j) of B enters rows of the axial vector
        for (int j = 0; j < 3; j++) {
            vec x[3] = {{0}};
            const int one = (j + 1) % 3, two = (j + 2) % 3;
            x[two] =
                q[3 * i + one]; // B_ij enters axial_{j+2} by Q_{i,j+1}, axial_{j+1} by -Q_{i,j+2}
            x[one] = -q[3 * i + two];
            vec y[3], z[3];
            apply_symmetric(g, x, y);
            apply(q, y, z);
            for (int k = 0; k < 3; k++) {
                map[9 * k + 3 * i + j] = z[k];
            }
        }
    }
    const vec *from = p->table + 12 + 3;
    for (int32_t l = 0; l < r; l++, from += 12) {
        vec sum[3] = {{0}};
        for (int e = 0; e < 9; e++) {
            const vec b = from[e];
            sum[0] += map[e] * b;
            sum[1] += map[9 + e] * b;
            sum[2] += map[18 + e] * b;
        }
        for (int k = 0; k < 3; k++) {
            p->omega[k * r + l] = sum[k];
        }
    }
}

// The angular velocity of the interface (parent's axes) and the part of its acceleration that does
// not come from q''.                                                             [BZ11 eqs 7-9]
static void spin_of(const pal_port_block *p, const pace *now, const vec *s, const vec *g, vec *spin,
                    vec *extra) {
    vec rate[9], x[3], w[3];
    multiply_transposed(p->q, now->rate, rate);
    axial(rate, x);
    apply_symmetric(g, x, w);
    apply(p->q, w, spin);
    const vec wx[9] = {{0}, -w[2], w[1], w[2], {0}, -w[0], -w[1], w[0], {0}};
    vec ws[9], z[9], y[9], d[3];
    multiply(wx, s, ws);
    for (int k = 0; k < 9; k++) {
        z[k] = 2.0 * rate[k] - ws[k]; // ~w ~w S + 2 ~w S' with S' = rate - ~w S
    }
    multiply(wx, z, y);
    axial(y, x);
    for (int k = 0; k < 3; k++) {
        x[k] = -x[k];
    }
    apply_symmetric(g, x, d);
    apply(p->q, d, extra);
}

// Pose and twist of the children, in the world and in metres.
static void carry_children(pal_tree_state *state, const pal_frame *f, const pal_port_block *p,
                           const vec *v, const vec *w) {
    vec place[9], at[3], linear[3], angular[3], turn[9];
    for (int k = 0; k < 9; k++) {
        turn[k] = pal_splat8(f->turn[k]);
    }
    multiply(turn, p->turn, place);
    apply(turn, p->x, at);
    apply_transposed(p->turn, v, linear);
    apply_transposed(p->turn, w, angular);
    for (int lane = 0; lane < PAL_LANES8; lane++) {
        if (p->child[lane] < 0) {
            continue;
        }
        pal_frame *child = &state->frame[p->child[lane]];
        for (int k = 0; k < 9; k++) {
            child->turn[k] = place[k][lane];
        }
        for (int k = 0; k < 3; k++) {
            child->x[k] = f->x[k] + f->scale * at[k][lane];
            child->twist[k] = f->scale * linear[k][lane];
            child->twist[3 + k] = angular[k][lane];
        }
    }
}

// The turn of an interface that is squeezed into a line is no smooth function of q any more, and
// one that turns by much within a step is not followed: both could make energy. The factor by which
// their domain is to be slowed down.
static double slow_down(const pal_port_block *p, const vec *spin, unsigned squeezed, double dt) {
    const double most = 0.25; // rad a step
    double fastest = most, share = 1.0;
    for (int lane = 0; lane < PAL_LANES8; lane++) {
        if (p->child[lane] < 0) {
            continue;
        }
        const double w[3] = {spin[0][lane], spin[1][lane], spin[2][lane]};
        fastest = fmax(fastest, dt * pal_norm3(w));
        share = squeezed >> lane & 1 ? 0.5 : share;
    }
    return share * most / fastest;
}

void pal_ports_move(pal_tree_state *state, int32_t domain) {
    pal_frame *f = &state->frame[domain];
    const int32_t r = state->block[f->block].table->r;
    double q[PAL_DOMAIN_MOST_MODES], speed[PAL_DOMAIN_MOST_MODES];
    vec v[3], w[3];
    if (f->first_ports == f->end_ports) {
        return;
    }
    pal_tree_get(state, domain, q, speed, NULL);
    for (int k = 0; k < 3; k++) {
        v[k] = pal_splat8(f->twist[k] / f->scale);
        w[k] = pal_splat8(f->twist[3 + k]);
    }
    f->slow = 1.0;
    for (int32_t i = f->first_ports; i < f->end_ports; i++) {
        pal_port_block *p = &state->ports[i];
        pace now;
        vec s[9], g[6], spin[3], extra[3], arm[3], far[3], twist[3], turned[3];
        follow(p, r, q, speed, &now);
        const unsigned squeezed = pal_polar8(now.b, p->table + 3, p->q, s, g);
        multiply(p->q, p->rest, p->turn);
        turn_rates(p, r, g);
        spin_of(p, &now, s, g, spin, extra);
        f->slow = fmin(f->slow, slow_down(p, spin, squeezed, state->options.dt));
        cross(w, p->x, arm);
        cross(w, arm, far);
        cross(w, now.velocity, twist);
        cross(w, spin, turned);
        for (int k = 0; k < 3; k++) {
            p->bias[k] = far[k] + 2.0 * twist[k];
            p->bias[3 + k] = turned[k] + extra[k]; // w_i x w_ij is missing in the paper's text
            arm[k] += v[k] + now.velocity[k];
            spin[k] += w[k];
        }
        carry_children(state, f, p, arm, spin);
    }
}

// ---- upwards

// Where a number of each child begins; zeros where there is none.
static void list_children(const pal_tree_state *state, const pal_port_block *p, size_t offset,
                          const double *from[PAL_LANES8]) {
    static const double nothing[PAL_WRENCH_PAIRS] = {0.0};
    for (int lane = 0; lane < PAL_LANES8; lane++) {
        from[lane] = p->child[lane] < 0
                         ? nothing
                         : (const double *)((const char *)&state->frame[p->child[lane]] + offset);
    }
}

// A wrench of the children, each in its own axes and in SI, in the parent's axes and units.
static void load_wrench(const pal_tree_state *state, const pal_frame *f, const pal_port_block *p,
                        size_t offset, vec *out) {
    const double *from[PAL_LANES8], force = f->to_class * f->scale;
    vec own[6];
    list_children(state, p, offset, from);
    for (int k = 0; k < 3; k++) {
        own[k] = force * pal_gather8(from, k);
        own[3 + k] = f->to_class * pal_gather8(from, 3 + k);
    }
    apply(p->turn, own, out);
    apply(p->turn, own + 3, out + 3);
}

// m = turn (a sym) turn^T, full 3 x 3.
static void turn_block(const vec *turn, const vec *m, vec *out) {
    vec half[9];
    multiply(turn, m, half);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = half[3 * i] * turn[3 * j] + half[3 * i + 1] * turn[3 * j + 1] +
                             half[3 * i + 2] * turn[3 * j + 2];
        }
    }
}

typedef struct inertia8 { // of eight children about their interfaces, in the parent's axes
    vec a[9], b[9], c[9]; // [a b; b^T c]
} inertia8;

static void load_inertia(const pal_tree_state *state, const pal_frame *f, const pal_port_block *p,
                         inertia8 *out) {
    static const int at[6][6] = {{0, 1, 2, 3, 4, 5},     {1, 6, 7, 8, 9, 10},
                                 {2, 7, 11, 12, 13, 14}, {3, 8, 12, 15, 16, 17},
                                 {4, 9, 13, 16, 18, 19}, {5, 10, 14, 17, 19, 20}};
    const double *from[PAL_LANES8], ww = f->to_class, vw = ww * f->scale, vv = vw * f->scale;
    vec m[PAL_WRENCH_PAIRS], a[9], b[9], c[9];
    list_children(state, p, offsetof(pal_frame, inertia), from);
    for (int e = 0; e < PAL_WRENCH_PAIRS; e++) {
        m[e] = pal_gather8(from, e);
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            a[3 * i + j] = vv * m[at[i][j]];
            b[3 * i + j] = vw * m[at[i][3 + j]];
            c[3 * i + j] = ww * m[at[3 + i][3 + j]];
        }
    }
    turn_block(p->turn, a, out->a);
    turn_block(p->turn, b, out->b);
    turn_block(p->turn, c, out->c);
}

// y = I x of six numbers.
static inline void apply_inertia(const inertia8 *m, const vec *x, vec *y) {
    vec one[3], two[3];
    apply(m->a, x, one);
    apply(m->b, x + 3, two);
    for (int k = 0; k < 3; k++) {
        y[k] = one[k] + two[k];
    }
    apply_transposed(m->b, x, one);
    apply(m->c, x + 3, two);
    for (int k = 0; k < 3; k++) {
        y[3 + k] = one[k] + two[k];
    }
}

// Sums over the ports, to be added to the block.
typedef struct sums {
    vec *h; // [pairs]
    vec *p; // [6][r]
    vec *g; // [r]
    vec inertia[PAL_WRENCH_PAIRS], bias[6];
} sums;

// [a b; b^T c] about the parent's origin, the children at x: Phi^T I Phi, Phi = [I -~x; 0 I].
static void add_inertia(sums *all, const inertia8 *m, const vec *x) {
    const vec cx[9] = {{0}, -x[2], x[1], x[2], {0}, -x[0], -x[1], x[0], {0}};
    vec ax[9], b[9], t[9], c[9];
    multiply(m->a, cx, ax);
    for (int k = 0; k < 9; k++) {
        b[k] = m->b[k] - ax[k];
    }
    multiply_transposed(m->b, cx, t); // b^T ~x
    multiply(cx, b, c);
    for (int k = 0; k < 9; k++) {
        c[k] += m->c[k] - t[k];
    }
    int e = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            all->inertia[e++] += m->a[3 * i + j];
        }
        for (int j = 0; j < 3; j++) {
            all->inertia[e++] += b[3 * i + j];
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            all->inertia[e++] += 0.5 * (c[3 * i + j] + c[3 * j + i]);
        }
    }
}

// A wrench at the children's interfaces: on the parent's frame and modes.
static void add_wrench(sums *all, const pal_port_block *p, int32_t r, const vec *wrench) {
    const vec *from = p->table + 12;
    vec arm[3];
    cross(p->x, wrench, arm);
    for (int k = 0; k < 3; k++) {
        all->bias[k] += wrench[k];
        all->bias[3 + k] += wrench[3 + k] + arm[k];
    }
    for (int32_t l = 0; l < r; l++, from += 12) {
        all->g[l] -= from[0] * wrench[0] + from[1] * wrench[1] + from[2] * wrench[2] +
                     p->omega[l] * wrench[3] + p->omega[r + l] * wrench[4] +
                     p->omega[2 * r + l] * wrench[5];
    }
}

// D^T I D and Phi^T I D, D = [a^; Omega].
static void add_modes(sums *all, const pal_port_block *p, int32_t r, const inertia8 *m) {
    vec e[6 * PAL_DOMAIN_MOST_MODES];
    const vec *from = p->table + 12;
    for (int32_t l = 0; l < r; l++) {
        const vec d[6] = {from[12 * l], from[12 * l + 1], from[12 * l + 2],
                          p->omega[l],  p->omega[r + l],  p->omega[2 * r + l]};
        vec y[6], arm[3];
        apply_inertia(m, d, y);
        cross(p->x, y, arm);
        for (int k = 0; k < 3; k++) {
            e[k * r + l] = y[k];
            e[(3 + k) * r + l] = y[3 + k];
            all->p[k * r + l] += y[k];
            all->p[(3 + k) * r + l] += y[3 + k] + arm[k];
        }
    }
    for (int32_t i = 0; i < r; i += 2) { // two rows at a time
        const int32_t k = i + 1 < r ? i + 1 : i;
        const vec *d = from + 12 * i, *t = from + 12 * k;
        const vec d0 = d[0], d1 = d[1], d2 = d[2], t0 = t[0], t1 = t[1], t2 = t[2];
        const vec w0 = p->omega[i], w1 = p->omega[r + i], w2 = p->omega[2 * r + i];
        const vec u0 = p->omega[k], u1 = p->omega[r + k], u2 = p->omega[2 * r + k];
        vec *h = all->h + pal_row_start(r, i) - i, *g = all->h + pal_row_start(r, k) - k;
        h[i] += d0 * e[i] + d1 * e[r + i] + d2 * e[2 * r + i] + w0 * e[3 * r + i] +
                w1 * e[4 * r + i] + w2 * e[5 * r + i];
        for (int32_t j = i + 1; j < r; j++) {
            const vec a = e[j], b = e[r + j], c = e[2 * r + j];
            const vec x = e[3 * r + j], y = e[4 * r + j], z = e[5 * r + j];
            h[j] += d0 * a + d1 * b + d2 * c + w0 * x + w1 * y + w2 * z;
            g[j] += t0 * a + t1 * b + t2 * c + u0 * x + u1 * y + u2 * z;
        }
    }
}

// h is left out when the children's share of it is known (lumped inertia).
static void start_sums(sums *all, int32_t r, bool with_h, double *scratch) {
    const int32_t pairs = with_h ? pal_row_start(r, r) : 0;
    memset(all, 0, sizeof *all);
    memset(scratch, 0, sizeof(vec) * (size_t)(pairs + 7 * r));
    all->h = (vec *)scratch;
    all->p = all->h + pairs;
    all->g = all->p + 6 * r;
}

// What the domain's frame feels, if it knows.
static void add_to_frame(const pal_tree_state *state, const pal_frame *f, const sums *all) {
    const pal_tree_block *b = &state->block[f->block];
    if (state->options.inertia != PAL_INERTIA_EXACT && f->parent >= 0) {
        return;
    }
    for (int e = 0; e < PAL_WRENCH_PAIRS; e++) {
        *pal_lane(state, f, b->inertia, e) += pal_sum8(all->inertia[e]);
    }
    for (int k = 0; k < 6; k++) {
        *pal_lane(state, f, b->bias, k) += pal_sum8(all->bias[k]);
    }
}

static void add_to_block(const pal_tree_state *state, const pal_frame *f, const sums *all) {
    const pal_tree_block *b = &state->block[f->block];
    const int32_t r = b->table->r, pairs = b->table->pairs;
    for (int32_t s = 0; s < pairs; s++) {
        *pal_lane(state, f, b->h, s) += pal_sum8(all->h[s]);
    }
    for (int32_t l = 0; l < 6 * r; l++) {
        *pal_lane(state, f, b->p, l) += pal_sum8(all->p[l]);
    }
    for (int32_t l = 0; l < r; l++) {
        *pal_lane(state, f, b->g, l) += pal_sum8(all->g[l]);
    }
    add_to_frame(state, f, all);
}

void pal_ports_gather(pal_tree_state *state, int32_t domain, double *scratch) {
    const pal_frame *f = &state->frame[domain];
    const int32_t r = state->block[f->block].table->r;
    if (f->first_ports == f->end_ports) {
        return;
    }
    sums all;
    start_sums(&all, r, true, scratch);
    for (int32_t i = f->first_ports; i < f->end_ports; i++) {
        const pal_port_block *p = &state->ports[i];
        inertia8 m;
        vec wrench[6], own[6];
        load_inertia(state, f, p, &m);
        load_wrench(state, f, p, offsetof(pal_frame, bias), own);
        apply_inertia(&m, p->bias, wrench);
        for (int k = 0; k < 6; k++) {
            wrench[k] += own[k];
        }
        add_inertia(&all, &m, p->x);
        add_wrench(&all, p, r, wrench);
        add_modes(&all, p, r, &m);
    }
    add_to_block(state, f, &all);
}

// M_ij = m a^T a and f0 of [BZ11 eq. 16], with whole wrenches.
void pal_ports_gather_lumped(pal_tree_state *state, int32_t domain, double *scratch) {
    pal_frame *f = &state->frame[domain];
    const pal_tree_block *b = &state->block[f->block];
    const int32_t r = b->table->r, pairs = b->table->pairs;
    if (f->first_ports == f->end_ports) {
        return;
    }
    sums all;
    start_sums(&all, r, false, scratch);
    vec net[6] = {{0}}; // of the children, about the domain's origin
    for (int32_t i = f->first_ports; i < f->end_ports; i++) {
        const pal_port_block *p = &state->ports[i];
        vec wrench[6], own[6], turned[3];
        load_wrench(state, f, p, offsetof(pal_frame, net), own);
        cross(p->x, own, turned);
        for (int k = 0; k < 3; k++) {
            net[k] += own[k];
            net[3 + k] += own[3 + k] + turned[k];
            wrench[k] = p->mass * p->bias[k] - own[k];
            wrench[3 + k] = -own[3 + k];
        }
        add_wrench(&all, p, r, wrench);
        const vec *from = p->table + 12;
        for (int32_t l = 0; l < r; l++, from += 12) { // m x x a
            vec arm[3];
            cross(p->x, from, arm);
            for (int k = 0; k < 3; k++) {
                all.p[(3 + k) * r + l] += p->mass * arm[k];
            }
        }
        if (f->parent < 0) {
            inertia8 m;
            memset(&m, 0, sizeof m);
            m.a[0] = m.a[4] = m.a[8] = p->mass;
            add_inertia(&all, &m, p->x);
        }
    }
    for (int32_t s = 0; s < pairs; s++) {
        *pal_lane(state, f, b->h, s) += f->lump[s];
    }
    for (int32_t l = 0; l < 3 * r; l++) {
        *pal_lane(state, f, b->p, l) += f->lump[pairs + l];
        *pal_lane(state, f, b->p, 3 * r + l) += pal_sum8(all.p[3 * r + l]);
    }
    for (int32_t l = 0; l < r; l++) {
        *pal_lane(state, f, b->g, l) += pal_sum8(all.g[l]);
    }
    for (int k = 0; k < 3; k++) {
        f->net[k] += pal_sum8(net[k]) / (f->to_class * f->scale);
        f->net[3 + k] += pal_sum8(net[3 + k]) / f->to_class;
    }
    add_to_frame(state, f, &all);
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
        for (int lane = 0; lane < PAL_LANES8; lane++) {
            if (p->child[lane] < 0) {
                continue;
            }
            const pal_frame *child = &state->frame[p->child[lane]];
            double force[3] = {0}, torque[3] = {0}, x[3], arm[3];
            for (int k = 0; k < 3; k++) {
                double at = 0.0;
                for (int m = 0; m < 3; m++) {
                    const double turned = p->turn[3 * k + m][lane];
                    force[k] += turned * child->net[m];
                    torque[k] += turned * child->net[3 + m];
                    at += turned * child->first[m];
                }
                x[k] = s * p->x[k][lane];
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

// ---- downwards

void pal_ports_accelerate(pal_tree_state *state, int32_t domain) {
    const pal_frame *f = &state->frame[domain];
    const pal_tree_block *b = &state->block[f->block];
    const int32_t r = b->table->r;
    double z[PAL_DOMAIN_MOST_MODES];
    vec a[3], w[3];
    if (f->first_ports == f->end_ports) {
        return;
    }
    pal_tree_get(state, domain, NULL, NULL, z);
    for (int k = 0; k < 3; k++) {
        a[k] = pal_splat8(f->accel[k] / f->scale);
        w[k] = pal_splat8(f->accel[3 + k]);
    }
    for (int32_t i = f->first_ports; i < f->end_ports; i++) {
        const pal_port_block *p = &state->ports[i];
        const vec *from = p->table + 12;
        vec sum[6], arm[3], out[6];
        cross(w, p->x, arm);
        for (int k = 0; k < 3; k++) {
            sum[k] = a[k] + arm[k] + p->bias[k];
            sum[3 + k] = w[k] + p->bias[3 + k];
        }
        for (int32_t l = 0; l < r; l++, from += 12) {
            const vec by = pal_splat8(z[l]);
            for (int k = 0; k < 3; k++) {
                sum[k] += from[k] * by;
                sum[3 + k] += p->omega[k * r + l] * by;
            }
        }
        apply_transposed(p->turn, sum, out);
        apply_transposed(p->turn, sum + 3, out + 3);
        for (int lane = 0; lane < PAL_LANES8; lane++) {
            if (p->child[lane] >= 0) {
                double *accel = state->frame[p->child[lane]].accel;
                for (int k = 0; k < 6; k++) {
                    accel[k] = out[k][lane] * (k < 3 ? f->scale : 1.0);
                }
            }
        }
    }
}
