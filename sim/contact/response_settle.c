// Contact i has the force
//
//     open       lambda = -a n
//     slides     lambda = x n + mu (x + a) t + y s:      n.delta = 0,   s.delta + slack y = 0
//     sticks     lambda = x,      held likewise:         delta = 0
//
// with t the way it rubs and s across t and n. A contact that slides is rubbed against its slip d:
// when the slip turns by an angle, so does the force mu (x + a) t, hence slack = |d| / (mu (x + a))
// (the derivative of the projection onto the disc). All is of the form lambda = fixed + sum_u x_u
// way_u, with as many equations test.delta + slack x_u = 0 as there are unknowns. The matrix is
// test^T (W + softness) way + slack, nearly symmetric and positive: Gaussian elimination without a
// change of rows, given up where a pivot is lost.
#include "sim/contact/response_settle.h"

#include <math.h>
#include <string.h>

#include "sim/base/vec3.h"

enum { UNKNOWNS = 64, WIDTH = UNKNOWNS + 8 }; // the right-hand side is the last of a row

static const double within = 1.0 - 1e-9; // of the cone: what sticks
static const double least_pivot = 1e-9;  // of the diagonal before elimination
typedef double vec8 __attribute__((vector_size(64), may_alias));

typedef struct unknown {
    int32_t contact;
    double way[3], test[3], slack;
} unknown;

typedef struct settling {
    int32_t count;
    unknown unknown[UNKNOWNS];
    double fixed[3 * PAL_MAX_CONTACTS + 8]; // zeros up to the stride
    _Alignas(64) double row[UNKNOWNS][WIDTH];
} settling;

static bool add_unknown(settling *s, int32_t contact, const double way[3], const double test[3],
                        double slack) {
    if (s->count == UNKNOWNS) {
        return false;
    }
    unknown *u = &s->unknown[s->count++];
    u->contact = contact;
    u->slack = slack;
    memcpy(u->way, way, sizeof u->way);
    memcpy(u->test, test, sizeof u->test);
    return true;
}

// How far contact i slips under these forces.
static double slip_of(const pal_response *p, int32_t i, const double *force) {
    const double *n = p->law[i].normal, *w = p->w + 3 * (int64_t)i * p->stride;
    double delta[3];
    for (int a = 0; a < 3; a++) {
        delta[a] = p->free[3 * i + a];
        for (int32_t k = 0; k < 3 * p->count; k++) {
            delta[a] += w[a * p->stride + k] * force[k];
        }
    }
    const double along = pal_dot3(n, delta);
    for (int a = 0; a < 3; a++) {
        delta[a] -= along * n[a];
    }
    return pal_norm3(delta);
}

// Of a contact that slides and rubs with `rub`, of the given size, under the push.
static bool add_sliding(const pal_response *p, int32_t i, const double *force, const double rub[3],
                        double size, double push, settling *s) {
    const pal_contact_law *law = &p->law[i];
    double way[3], across[3], t[3];
    for (int a = 0; a < 3; a++) {
        t[a] = size > 0.0 ? rub[a] / size : 0.0;
        way[a] = law->normal[a] + law->friction * t[a];
        s->fixed[3 * i + a] = law->friction * law->adhesion * t[a];
    }
    if (!add_unknown(s, i, way, law->normal, 0.0)) {
        return false;
    }
    pal_cross3(law->normal, t, across);
    return !(size > 0.0 && law->friction > 0.0) ||
           add_unknown(s, i, across, across, slip_of(p, i, force) / (law->friction * push));
}

// The unknowns of contact i under these forces.
static bool list_unknowns(const pal_response *p, int32_t i, const double *force, settling *s) {
    static const double axis[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const pal_contact_law *law = &p->law[i];
    const double *n = law->normal, *f = force + 3 * i, along = pal_dot3(n, f);
    const double push = along + law->adhesion;
    double rub[3], *fixed = s->fixed + 3 * i;
    for (int a = 0; a < 3; a++) {
        rub[a] = f[a] - along * n[a];
        fixed[a] = 0.0;
    }
    const double size = pal_norm3(rub);
    if (!law->held && !(push > 0.0)) {
        for (int a = 0; a < 3; a++) {
            fixed[a] = -law->adhesion * n[a];
        }
        return true;
    }
    if (!law->held && !(size < within * law->friction * push)) {
        return add_sliding(p, i, force, rub, size, push, s);
    }
    return add_unknown(s, i, axis[0], axis[0], 0.0) && add_unknown(s, i, axis[1], axis[1], 0.0) &&
           add_unknown(s, i, axis[2], axis[2], 0.0);
}

// What gives way of contact i itself along `test` for a unit of `way`.
static double own_softness(const pal_contact_law *law, const double test[3], const double way[3]) {
    return law->softness * (law->held ? pal_dot3(test, way)
                                      : pal_dot3(test, law->normal) * pal_dot3(law->normal, way));
}

static void fill_row(const pal_response *p, const settling *s, int32_t e, double *row) {
    const unknown *own = &s->unknown[e];
    const double *w = p->w + 3 * (int64_t)own->contact * p->stride, *t = own->test;
    double along[3 * PAL_MAX_CONTACTS + 8];
    double rest = pal_dot3(t, p->free + 3 * (int64_t)own->contact) +
                  own_softness(&p->law[own->contact], t, s->fixed + 3 * own->contact);
    for (int32_t k = 0; k < 3 * p->count; k++) {
        along[k] = t[0] * w[k] + t[1] * w[p->stride + k] + t[2] * w[2 * p->stride + k];
        rest += along[k] * s->fixed[k];
    }
    for (int32_t u = 0; u < s->count; u++) {
        const unknown *other = &s->unknown[u];
        row[u] = pal_dot3(along + 3 * other->contact, other->way);
        if (other->contact == own->contact) {
            row[u] += own_softness(&p->law[own->contact], t, other->way);
        }
    }
    row[e] += own->slack;
    memset(row + s->count, 0, (size_t)(WIDTH - s->count) * sizeof *row);
    row[WIDTH - 1] = -rest;
}

// In place: x_u is left in the last of row u. Columns are in whole vectors: what is left of a pivot
// is zero by then, or not looked at any more.
static bool eliminate(settling *s) {
    const int32_t n = s->count;
    double diagonal[UNKNOWNS];
    for (int32_t k = 0; k < n; k++) {
        diagonal[k] = fabs(s->row[k][k]);
    }
    for (int32_t k = 0; k < n; k++) {
        const double pivot = s->row[k][k];
        const vec8 *from = (const vec8 *)s->row[k];
        if (!(pivot > least_pivot * diagonal[k])) {
            return false;
        }
        for (int32_t i = k + 1; i < n; i++) {
            const double share = s->row[i][k] / pivot;
            vec8 *to = (vec8 *)s->row[i];
            for (int32_t c = k / 8; c * 8 < n; c++) {
                to[c] -= share * from[c];
            }
            s->row[i][WIDTH - 1] -= share * s->row[k][WIDTH - 1];
        }
    }
    for (int32_t k = n - 1; k >= 0; k--) {
        double sum = s->row[k][WIDTH - 1];
        for (int32_t c = k + 1; c < n; c++) {
            sum -= s->row[k][c] * s->row[c][WIDTH - 1];
        }
        s->row[k][WIDTH - 1] = sum / s->row[k][k];
    }
    return true;
}

// Back into the cone.
static void confine(const pal_contact_law *law, double f[3]) {
    const double *n = law->normal, along = pal_dot3(n, f);
    const double push = along + law->adhesion > 0.0 ? along : -law->adhesion;
    const double limit = law->friction * (push + law->adhesion);
    double rub[3];
    for (int a = 0; a < 3; a++) {
        rub[a] = f[a] - along * n[a];
    }
    const double size = pal_norm3(rub), keep = size > limit ? limit / size : 1.0;
    for (int a = 0; a < 3; a++) {
        f[a] = push * n[a] + keep * rub[a];
    }
}

// Solves as the forces stand, in place.
static bool solve(const pal_response *p, settling *s, double *force) {
    s->count = 0;
    for (int32_t i = 0; i < p->count; i++) {
        if (!list_unknowns(p, i, force, s)) {
            return false;
        }
    }
    for (int32_t e = 0; e < s->count; e++) {
        fill_row(p, s, e, s->row[e]);
    }
    if (!eliminate(s)) {
        return false;
    }
    memcpy(force, s->fixed, 3 * (size_t)p->count * sizeof *force);
    for (int32_t u = 0; u < s->count; u++) {
        for (int a = 0; a < 3; a++) {
            force[3 * s->unknown[u].contact + a] += s->row[u][WIDTH - 1] * s->unknown[u].way[a];
        }
    }
    return true;
}

// Opens, in what was `before`, the contacts that would have to pull; returns how many.
static int32_t open_pulling(const pal_response *p, const double *force, double *before) {
    int32_t opened = 0;
    for (int32_t i = 0; i < p->count; i++) {
        const pal_contact_law *law = &p->law[i];
        const double *n = law->normal;
        const bool pushed = pal_dot3(n, before + 3 * i) + law->adhesion > 0.0;
        if (!law->held && pushed && !(pal_dot3(n, force + 3 * i) + law->adhesion > 0.0)) {
            for (int a = 0; a < 3; a++) {
                before[3 * i + a] = -law->adhesion * n[a];
            }
            opened++;
        }
    }
    return opened;
}

bool pal_response_settle(const pal_response *p, double *force) {
    enum { TRIES = 4 };
    settling s;
    double before[3 * PAL_MAX_CONTACTS], answer[3 * PAL_MAX_CONTACTS];
    const size_t bytes = 3 * (size_t)p->count * sizeof *force;
    memcpy(before, force, bytes);
    for (int k = 0; k < TRIES; k++) {
        memcpy(answer, before, bytes);
        if (!solve(p, &s, answer)) {
            return false;
        }
        if (open_pulling(p, answer, before) == 0) {
            break;
        }
    }
    memcpy(force, answer, bytes);
    for (int32_t i = 0; i < p->count; i++) {
        if (!p->law[i].held) {
            confine(&p->law[i], force + 3 * i);
        }
    }
    return true;
}
