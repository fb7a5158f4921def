// Where the children of a domain are, and how fast: the interfaces, eight side by side. Numbers in
// units of the domain's class, in the axes of its frame, unless said otherwise.
#include <math.h>
#include <string.h>

#include "sim/substruct/tree_state.h"
#include "sim/substruct/vec8_mat3.h"

typedef pal_vec8 vec;

// 2 skew(m)
static inline void axial(const vec *m, vec *x) {
    x[0] = m[7] - m[5];
    x[1] = m[2] - m[6];
    x[2] = m[3] - m[1];
}

// (tr(S) I - S)^-1 by its six numbers, S nearly symmetric.                    [BZ11 eq. 7]
static inline void stretch_inverse(const vec *s, vec *g) {
    const vec t = s[0] + s[4] + s[8], a = t - s[0], d = t - s[4], f = t - s[8];
    const vec b = -0.5 * (s[1] + s[3]), c = -0.5 * (s[2] + s[6]), e = -0.5 * (s[5] + s[7]);
    g[0] = d * f - e * e;
    g[1] = c * e - b * f;
    g[2] = b * e - c * d;
    g[3] = a * f - c * c;
    g[4] = b * c - a * e;
    g[5] = a * d - b * b;
    const vec inverse = 1.0 / (a * g[0] + b * g[1] + c * g[2]);
    for (int i = 0; i < 6; i++) {
        g[i] *= inverse;
    }
}

static inline void apply_symmetric(const vec *g, const vec *x, vec *y) {
    const vec a = x[0], b = x[1], c = x[2];
    y[0] = g[0] * a + g[1] * b + g[2] * c;
    y[1] = g[1] * a + g[3] * b + g[4] * c;
    y[2] = g[2] * a + g[4] * b + g[5] * c;
}

// ---- the turn of an interface

// The largest |x| over lanes, at most: NaN counts as infinite.
static double largest(const vec *x) {
    double most = 0.0;
    for (int lane = 0; lane < PAL_LANES8; lane++) {
        const double square =
            x[0][lane] * x[0][lane] + x[1][lane] * x[1][lane] + x[2][lane] * x[2][lane];
        most = square >= most || isnan(square) ? square : most;
        if (isnan(most)) {
            return INFINITY;
        }
    }
    return most;
}

// Newton's iteration on rotations for max tr(Q^T B), from the last Q; S = Q^T B.
static void polar(const vec *b, vec *q, vec *s, vec *g, int most) {
    double change = INFINITY;
    for (int step = 0; step < most && change > 1e-16; step++) {
        vec x[3], w[3], turn[9], next[9];
        pal_mat8_multiply_transposed(q, b, s);
        stretch_inverse(s, g);
        axial(s, x);
        apply_symmetric(g, x, w);
        change = largest(w);
        for (int i = 0; i < 3; i++) {
            w[i] *= 0.5;
        }
        const vec t = 2.0 / (1.0 + w[0] * w[0] + w[1] * w[1] + w[2] * w[2]); // Cayley
        turn[0] = 1.0 - t * (w[1] * w[1] + w[2] * w[2]);
        turn[4] = 1.0 - t * (w[0] * w[0] + w[2] * w[2]);
        turn[8] = 1.0 - t * (w[0] * w[0] + w[1] * w[1]);
        turn[1] = t * (w[0] * w[1] - w[2]);
        turn[3] = t * (w[0] * w[1] + w[2]);
        turn[2] = t * (w[0] * w[2] + w[1]);
        turn[6] = t * (w[0] * w[2] - w[1]);
        turn[5] = t * (w[1] * w[2] - w[0]);
        turn[7] = t * (w[1] * w[2] + w[0]);
        pal_mat8_multiply(q, turn, next);
        memcpy(q, next, sizeof next);
    }
    pal_mat8_multiply_transposed(q, b, s);
    stretch_inverse(s, g);
}

// What moves with q and q'.
typedef struct pace {
    vec velocity[3]; // of the centroid
    vec b[9], rate[9];
} pace;

static void follow(const pal_tree_state *state, const pal_frame *f, pal_port_block *p, pace *now) {
    const pal_tree_block *block = &state->block[f->block];
    const int32_t r = block->table->r;
    const vec *from = p->table + 12;
    memcpy(p->x, p->table, sizeof p->x);
    memcpy(now->b, p->table + 3, sizeof now->b);
    memset(now->velocity, 0, sizeof now->velocity);
    memset(now->rate, 0, sizeof now->rate);
    for (int32_t l = 0; l < r; l++, from += 12) {
        const double q = *pal_lane(state, f, block->q, l), v = *pal_lane(state, f, block->v, l);
        for (int k = 0; k < 3; k++) {
            p->x[k] += from[k] * q;
            now->velocity[k] += from[k] * v;
        }
        for (int k = 0; k < 9; k++) {
            now->b[k] += from[3 + k] * q;
            now->rate[k] += from[3 + k] * v;
        }
    }
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
            pal_mat8_apply(q, y, z);
            for (int k = 0; k < 3; k++) {
                map[9 * k + 3 * i + j] = z[k];
            }
        }
    }
    const vec *from = p->table + 12 + 3;
    for (int32_t l = 0; l < r; l++, from += 12) {
        for (int k = 0; k < 3; k++) {
            vec sum = map[9 * k] * from[0];
            for (int e = 1; e < 9; e++) {
                sum += map[9 * k + e] * from[e];
            }
            p->omega[k * r + l] = sum;
        }
    }
}

// The angular velocity of the interface (parent's axes) and the part of its acceleration that does
// not come from q''.                                                             [BZ11 eqs 7-9]
static void spin_of(const pal_port_block *p, const pace *now, const vec *s, const vec *g, vec *spin,
                    vec *extra) {
    vec rate[9], x[3], w[3];
    pal_mat8_multiply_transposed(p->q, now->rate, rate);
    axial(rate, x);
    apply_symmetric(g, x, w);
    pal_mat8_apply(p->q, w, spin);
    const vec wx[9] = {{0}, -w[2], w[1], w[2], {0}, -w[0], -w[1], w[0], {0}};
    vec ws[9], z[9], y[9], d[3];
    pal_mat8_multiply(wx, s, ws);
    for (int k = 0; k < 9; k++) {
        z[k] = 2.0 * rate[k] - ws[k]; // ~w ~w S + 2 ~w S' with S' = rate - ~w S
    }
    pal_mat8_multiply(wx, z, y);
    axial(y, x);
    for (int k = 0; k < 3; k++) {
        x[k] = -x[k];
    }
    apply_symmetric(g, x, d);
    pal_mat8_apply(p->q, d, extra);
}

// Pose and twist of the children, in the world and in metres.
static void carry_children(pal_tree_state *state, const pal_frame *f, const pal_port_block *p,
                           const vec *v, const vec *w) {
    vec place[9], at[3], linear[3], angular[3], turn[9];
    for (int k = 0; k < 9; k++) {
        turn[k] = pal_splat8(f->turn[k]);
    }
    pal_mat8_multiply(turn, p->turn, place);
    pal_mat8_apply(turn, p->x, at);
    pal_mat8_apply_transposed(p->turn, v, linear);
    pal_mat8_apply_transposed(p->turn, w, angular);
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

void pal_ports_move(pal_tree_state *state, int32_t domain, bool cold) {
    enum { WARM = 6, COLD = 60 };
    const pal_frame *f = &state->frame[domain];
    const int32_t r = state->block[f->block].table->r;
    vec v[3], w[3];
    for (int k = 0; k < 3; k++) {
        v[k] = pal_splat8(f->twist[k] / f->scale);
        w[k] = pal_splat8(f->twist[3 + k]);
    }
    for (int32_t i = f->first_ports; i < f->end_ports; i++) {
        pal_port_block *p = &state->ports[i];
        pace now;
        vec s[9], g[6], spin[3], extra[3], arm[3], far[3], twist[3], turned[3];
        follow(state, f, p, &now);
        polar(now.b, p->q, s, g, cold ? COLD : WARM);
        pal_mat8_multiply(p->q, p->rest, p->turn);
        turn_rates(p, r, g);
        spin_of(p, &now, s, g, spin, extra);
        pal_cross8(w, p->x, arm);
        pal_cross8(w, arm, far);
        pal_cross8(w, now.velocity, twist);
        pal_cross8(w, spin, turned);
        for (int k = 0; k < 3; k++) {
            p->bias[k] = far[k] + 2.0 * twist[k];
            p->bias[3 + k] = turned[k] + extra[k]; // w_i x w_ij is missing in the paper's text
            arm[k] += v[k] + now.velocity[k];
            spin[k] += w[k];
        }
        carry_children(state, f, p, arm, spin);
    }
}
