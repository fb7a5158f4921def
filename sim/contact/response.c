// One visit to contact i, with delta its rows of W lambda + delta_free at this moment:
//
//     normal     n.lambda <- max(-a, n.lambda - n.delta / n.W_ii n)
//     tangents   lambda_t <- lambda_t - W_tt^-1 delta_t when that is within the disc of radius
//                mu (n.lambda + a); else lambda_t - delta_t / w, w the largest eigenvalue of W_ii
//                across n, back onto the disc: a fixed point sticks, or slides against its motion
//     held       lambda <- lambda - W_ii^-1 delta
#include "sim/contact/response.h"

#include <math.h>
#include <string.h>

#include "sim/base/mat3.h"
#include "sim/base/vec3.h"
#include "sim/contact/response_settle.h"

typedef double vec4 __attribute__((vector_size(32), aligned(8), may_alias));

static const double least_compliance = 1e-12; // m/N

// What a visit needs of the block on the diagonal.
typedef struct own_block {
    double wn[3];                  // W_ii n
    double normal;                 // n.W_ii n
    double across;                 // the largest eigenvalue across n
    double per_normal, per_across; // one over them
    double inverse[3][3];          // of a held contact; of another one, across n
} own_block;

static void read_block(const pal_response *p, int32_t i, double block[3][3]) {
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            block[a][b] = p->w[(3 * (int64_t)i + a) * p->stride + 3 * i + b];
        }
    }
    const pal_contact_law *law = &p->law[i];
    for (int k = 0; k < 9; k++) {
        const double along = law->normal[k / 3] * law->normal[k % 3];
        block[k / 3][k % 3] += law->softness * (law->held ? (double)(k % 4 == 0) : along);
    }
}

// The larger of the eigenvalues a >= b of the block across n, from a + b (the trace) and a^2 + b^2
// (the squares of the entries).
static double largest_across(double block[3][3], const double wn[3], double nn) {
    double trace = -nn, squares = nn * nn - 2.0 * pal_dot3(wn, wn);
    for (int a = 0; a < 3; a++) {
        trace += block[a][a];
        squares += pal_dot3(block[a], block[a]);
    }
    return 0.5 * (trace + sqrt(fmax(0.0, 2.0 * squares - trace * trace)));
}

// The inverse of the block across n, as a matrix in world axes: with a, b unit, square to n and to
// one another, and S the block of the four products, (a b) S^-1 (a b)^T.
static void invert_across(double block[3][3], const double n[3], double inverse[3][3]) {
    const int least = fabs(n[0]) < fabs(n[1]) ? (fabs(n[0]) < fabs(n[2]) ? 0 : 2)
                                              : (fabs(n[1]) < fabs(n[2]) ? 1 : 2);
    double axis[2][3] = {{0.0}}, moved[2][3], e[3] = {0.0, 0.0, 0.0};
    e[least] = 1.0;
    pal_cross3(n, e, axis[0]);
    const double size = pal_norm3(axis[0]);
    for (int c = 0; c < 3; c++) {
        axis[0][c] /= size;
    }
    pal_cross3(n, axis[0], axis[1]);
    for (int k = 0; k < 6; k++) {
        moved[k / 3][k % 3] = pal_dot3(block[k % 3], axis[k / 3]);
    }
    const double aa = pal_dot3(axis[0], moved[0]), ab = pal_dot3(axis[0], moved[1]);
    const double bb = pal_dot3(axis[1], moved[1]), det = aa * bb - ab * ab;
    const double over = det > 1e-6 * aa * bb ? 1.0 / det : 0.0; // 0: no step of this kind
    for (int k = 0; k < 9; k++) {
        const int i = k / 3, j = k % 3;
        inverse[i][j] = over * (bb * axis[0][i] * axis[0][j] + aa * axis[1][i] * axis[1][j] -
                                ab * (axis[0][i] * axis[1][j] + axis[1][i] * axis[0][j]));
    }
}

static void know_block(const pal_response *p, int32_t i, own_block *own) {
    const pal_contact_law *law = &p->law[i];
    double block[3][3];
    read_block(p, i, block);
    if (law->held) {
        pal_mat3_inverse(block, own->inverse);
    }
    for (int a = 0; a < 3; a++) {
        own->wn[a] = pal_dot3(block[a], law->normal);
    }
    if (!law->held) {
        invert_across(block, law->normal, own->inverse);
    }
    // What nothing moves (a held rim under a tool without coupling) must not divide
    own->normal = fmax(pal_dot3(law->normal, own->wn), least_compliance);
    own->across = fmax(largest_across(block, own->wn, own->normal), 1e-3 * own->normal);
    own->per_normal = 1.0 / own->normal;
    own->per_across = 1.0 / own->across;
}

// The three rows of contact i times the forces, plus what is there without any. Two sums a row, so
// that one need not wait for the other.
static inline void motion_of(const pal_response *p, int32_t i, const double *force,
                             double delta[3]) {
    const double *a = p->w + 3 * (int64_t)i * p->stride, *b = a + p->stride, *c = b + p->stride;
    vec4 sum_a = {0.0}, sum_b = {0.0}, sum_c = {0.0}, odd_a = {0.0}, odd_b = {0.0}, odd_c = {0.0};
    int32_t k = 0;
    for (; k + 8 <= p->stride; k += 8) {
        const vec4 f = *(const vec4 *)(force + k), g = *(const vec4 *)(force + k + 4);
        sum_a += *(const vec4 *)(a + k) * f;
        sum_b += *(const vec4 *)(b + k) * f;
        sum_c += *(const vec4 *)(c + k) * f;
        odd_a += *(const vec4 *)(a + k + 4) * g;
        odd_b += *(const vec4 *)(b + k + 4) * g;
        odd_c += *(const vec4 *)(c + k + 4) * g;
    }
    if (k < p->stride) {
        const vec4 f = *(const vec4 *)(force + k);
        sum_a += *(const vec4 *)(a + k) * f;
        sum_b += *(const vec4 *)(b + k) * f;
        sum_c += *(const vec4 *)(c + k) * f;
    }
    sum_a += odd_a;
    sum_b += odd_b;
    sum_c += odd_c;
    delta[0] = p->free[3 * i] + ((sum_a[0] + sum_a[2]) + (sum_a[1] + sum_a[3]));
    delta[1] = p->free[3 * i + 1] + ((sum_b[0] + sum_b[2]) + (sum_b[1] + sum_b[3]));
    delta[2] = p->free[3 * i + 2] + ((sum_c[0] + sum_c[2]) + (sum_c[1] + sum_c[3]));
    const pal_contact_law *law = &p->law[i];
    const double push = pal_dot3(law->normal, force + 3 * i);
    for (int r = 0; r < 3; r++) {
        delta[r] += law->softness * (law->held ? force[3 * i + r] : push * law->normal[r]);
    }
}

static void hold(const own_block *own, const double delta[3], double *force) {
    for (int a = 0; a < 3; a++) {
        force[a] -= pal_dot3(own->inverse[a], delta);
    }
}

static void push_and_rub(const pal_contact_law *law, const own_block *own, double delta[3],
                         double *force) {
    const double *n = law->normal;

    // Along the normal; what is no number stays so
    const double before = pal_dot3(n, force);
    const double wanted = before - pal_dot3(n, delta) * own->per_normal;
    const double push = wanted < -law->adhesion ? -law->adhesion : wanted;
    for (int a = 0; a < 3; a++) {
        delta[a] += own->wn[a] * (push - before);
    }

    // Across it: to where it sticks, or, when that is out of the cone, a step down the slope and
    // back into the cone
    const double limit = law->friction * (push + law->adhesion), gap = pal_dot3(n, delta);
    double rub[3] = {0.0, 0.0, 0.0}, size = 0.0;
    for (int way = 0; way < 2 && limit > 0.0 && (way == 0 || size > limit); way++) {
        for (int a = 0; a < 3; a++) {
            const double step = way == 0 ? pal_dot3(own->inverse[a], delta)
                                         : (delta[a] - gap * n[a]) * own->per_across;
            rub[a] = force[a] - before * n[a] - step;
        }
        size = pal_norm3(rub);
    }
    const double keep = size > limit ? limit / size : 1.0;
    for (int a = 0; a < 3; a++) {
        force[a] = push * n[a] + keep * rub[a];
    }
}

// Visits contact i; returns how far its points were moved by that, m.
static double visit(const pal_response *p, int32_t i, const own_block *own, double *all) {
    double delta[3], change[3], *force = all + 3 * i;
    const double old[3] = {force[0], force[1], force[2]};
    motion_of(p, i, all, delta);
    if (p->law[i].held) {
        hold(own, delta, force);
    } else {
        push_and_rub(&p->law[i], own, delta, force);
    }
    pal_sub3(force, old, change);
    return pal_norm3(change) * fmax(own->normal, own->across);
}

// Where the last sweeps were heading, for going on beyond them: nonlinear conjugate gradients with
// a sweep for the gradient [SNE10]. The next sweep brings back into the cones what went too far.
typedef struct course {
    double way[3 * PAL_MAX_CONTACTS], size2; // N; N^2, of the last sweep's change
} course;

static void go_on(int32_t count, const double *before, course *heading, double *force) {
    double size2 = 0.0;
    for (int32_t k = 0; k < count; k++) {
        size2 += (force[k] - before[k]) * (force[k] - before[k]);
    }
    const double share = size2 < heading->size2 ? size2 / heading->size2 : 0.0;
    for (int32_t k = 0; k < count; k++) {
        const double change = force[k] - before[k];
        force[k] += share * heading->way[k];
        heading->way[k] = share * heading->way[k] + change;
    }
    heading->size2 = size2;
}

static double sweep(const pal_response *p, const own_block *own, double *force) {
    double most = 0.0;
    for (int32_t i = 0; i < p->count; i++) {
        most = fmax(most, visit(p, i, &own[i], force));
    }
    return most;
}

// When the sweeps have told what sticks, slides and opens, all of it is solved at once; what comes
// out is as good as the next sweep finds it to be, and is taken back when that is worse than
// before.
enum { SETTLE_FIRST = 2 }; // sweeps before it is tried; then after twice as many each time

// Sweeps over all of a problem, `most` at the most, until it is solved.
static void iterate(pal_response *p, int32_t most) {
    double force[3 * PAL_MAX_CONTACTS + 8] = {0.0}; // zeros up to the stride
    double before[3 * PAL_MAX_CONTACTS], kept[3 * PAL_MAX_CONTACTS], kept_residual = INFINITY;
    own_block own[PAL_MAX_CONTACTS];
    course heading;
    heading.size2 = 0.0;
    const size_t bytes = 3 * (size_t)p->count * sizeof *force;
    int32_t settle_at = SETTLE_FIRST;
    memcpy(force, p->force, bytes);
    memset(heading.way, 0, bytes);
    for (int32_t i = 0; i < p->count; i++) {
        know_block(p, i, &own[i]);
    }
    for (int32_t done = 1; done <= most; done++) {
        memcpy(before, force, bytes);
        p->residual = sweep(p, own, force);
        p->sweeps_done++;
        if (!(p->residual < kept_residual)) { // it was better before
            memcpy(force, kept, bytes);
            p->residual = kept_residual;
        }
        kept_residual = INFINITY;
        if (p->residual <= p->tolerance || done == most) {
            break;
        }
        if (done == settle_at) {
            memcpy(kept, force, bytes);
            if (pal_response_settle(p, force)) {
                kept_residual = p->residual;
                heading.size2 = 0.0;
                memset(heading.way, 0, bytes);
            }
            settle_at *= 2;
        } else {
            go_on(3 * p->count, before, &heading, force);
        }
    }
    memcpy(p->force, force, bytes);
}

// ---- Those that matter --------------------------------------------------------------------------

// A contact without force, adhesion or overlap is left by a visit as it was: most of those that a
// tool is near to. Only the others are swept over, as a smaller problem of their own; then what
// their forces brought to overlap joins them.
enum { ROOM = 32, ROUNDS = 4 };

typedef struct chosen {
    int32_t count;
    int32_t contact[PAL_MAX_CONTACTS];
    bool in[PAL_MAX_CONTACTS];
} chosen;

typedef struct part { // the problem of the chosen
    _Alignas(32) double w[3 * ROOM * 3 * ROOM];
    double free[3 * ROOM], force[3 * ROOM];
    pal_contact_law law[ROOM];
} part;

// Adds the contacts that matter under these forces; returns how many there were.
static int32_t choose(const pal_response *p, chosen *c) {
    double force[3 * PAL_MAX_CONTACTS + 8] = {0.0};
    int32_t added = 0;
    memcpy(force, p->force, 3 * (size_t)p->count * sizeof *force);
    for (int32_t i = 0; i < p->count; i++) {
        const pal_contact_law *law = &p->law[i];
        const double *f = force + 3 * i;
        bool matters =
            law->held || law->adhesion > 0.0 || f[0] != 0.0 || f[1] != 0.0 || f[2] != 0.0;
        if (!c->in[i] && !matters) {
            double delta[3];
            motion_of(p, i, force, delta);
            matters = !(pal_dot3(law->normal, delta) >= 0.0); // what is no number matters
        }
        added += !c->in[i] && matters;
        c->in[i] = c->in[i] || matters;
    }
    c->count = 0;
    for (int32_t i = 0; i < p->count; i++) {
        c->contact[c->count] = i;
        c->count += c->in[i];
    }
    return added;
}

static void take_part(const pal_response *p, const chosen *c, part *out, pal_response *smaller) {
    *smaller = (pal_response){.count = c->count,
                              .stride = (3 * c->count + 3) & ~3,
                              .w = out->w,
                              .free = out->free,
                              .law = out->law,
                              .force = out->force,
                              .tolerance = p->tolerance};
    for (int32_t a = 0; a < c->count; a++) {
        const int32_t i = c->contact[a];
        out->law[a] = p->law[i];
        memcpy(out->free + 3 * a, p->free + 3 * i, 3 * sizeof *out->free);
        memcpy(out->force + 3 * a, p->force + 3 * i, 3 * sizeof *out->force);
        for (int r = 0; r < 3; r++) {
            const double *from = p->w + (3 * (int64_t)i + r) * p->stride;
            double *to = out->w + (3 * a + r) * smaller->stride;
            for (int32_t b = 0; b < c->count; b++) {
                memcpy(to + 3 * b, from + 3 * c->contact[b], 3 * sizeof *to);
            }
            for (int32_t k = 3 * c->count; k < smaller->stride; k++) {
                to[k] = 0.0;
            }
        }
    }
}

static void iterate_part(pal_response *p, const chosen *c, int32_t most) {
    part of;
    pal_response smaller;
    take_part(p, c, &of, &smaller);
    iterate(&smaller, most);
    for (int32_t a = 0; a < c->count; a++) {
        memcpy(p->force + 3 * c->contact[a], of.force + 3 * a, 3 * sizeof *of.force);
    }
    p->sweeps_done += smaller.sweeps_done;
    p->residual = smaller.residual;
}

pal_outcome pal_response_solve(pal_response *problem) {
    const int32_t count = problem->count;
    chosen c = {.count = 0};
    double sum = 0.0;
    problem->residual = 0.0;
    problem->sweeps_done = 0;
    for (int round = 0; choose(problem, &c) > 0; round++) {
        const int32_t left = problem->sweeps - problem->sweeps_done;
        const int32_t least = 1 + problem->sweeps / 2; // for those that join late
        const int32_t most = left > least ? left : least;
        if (c.count > ROOM || round == ROUNDS) {
            iterate(problem, most);
            break;
        }
        iterate_part(problem, &c, most);
    }
    for (int32_t k = 0; k < 3 * count; k++) {
        sum += fabs(problem->force[k]);
    }
    if (!isfinite(sum)) {
        memset(problem->force, 0, 3 * (size_t)count * sizeof *problem->force);
        return PAL_OUT_NAN;
    }
    return 0;
}
