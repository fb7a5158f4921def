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

typedef double vec4 __attribute__((vector_size(32), aligned(8), may_alias));

static const double least_compliance = 1e-12; // m/N

// What a visit needs of the block on the diagonal.
typedef struct own_block {
    double wn[3];         // W_ii n
    double normal;        // n.W_ii n
    double across;        // the largest eigenvalue across n
    double inverse[3][3]; // of a held contact; of another one, across n
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
}

// The three rows of contact i times the forces, plus what is there without any.
static void motion_of(const pal_response *p, int32_t i, const double *force, double delta[3]) {
    const double *a = p->w + 3 * (int64_t)i * p->stride, *b = a + p->stride, *c = b + p->stride;
    vec4 sum_a = {0.0}, sum_b = {0.0}, sum_c = {0.0};
    for (int32_t k = 0; k < p->stride; k += 4) {
        const vec4 f = *(const vec4 *)(force + k);
        sum_a += *(const vec4 *)(a + k) * f;
        sum_b += *(const vec4 *)(b + k) * f;
        sum_c += *(const vec4 *)(c + k) * f;
    }
    delta[0] = p->free[3 * i] + ((sum_a[0] + sum_a[2]) + (sum_a[1] + sum_a[3]));
    delta[1] = p->free[3 * i + 1] + ((sum_b[0] + sum_b[2]) + (sum_b[1] + sum_b[3]));
    delta[2] = p->free[3 * i + 2] + ((sum_c[0] + sum_c[2]) + (sum_c[1] + sum_c[3]));
    const pal_contact_law *law = &p->law[i];
    const double push = pal_dot3(law->normal, force + 3 * i);
    for (int k = 0; k < 3; k++) {
        delta[k] += law->softness * (law->held ? force[3 * i + k] : push * law->normal[k]);
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
    const double wanted = before - pal_dot3(n, delta) / own->normal;
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
            const double step =
                way == 0 ? pal_dot3(own->inverse[a], delta) : (delta[a] - gap * n[a]) / own->across;
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

pal_outcome pal_response_solve(pal_response *problem) {
    double force[3 * PAL_MAX_CONTACTS + 4] = {0.0}, sum = 0.0; // zeros up to the stride
    double before[3 * PAL_MAX_CONTACTS];
    own_block own[PAL_MAX_CONTACTS];
    course heading;
    heading.size2 = 0.0;
    const size_t bytes = 3 * (size_t)problem->count * sizeof *force;
    memcpy(force, problem->force, bytes);
    memset(heading.way, 0, bytes);
    for (int32_t i = 0; i < problem->count; i++) {
        know_block(problem, i, &own[i]);
    }
    problem->residual = 0.0;
    for (problem->sweeps_done = 0; problem->sweeps_done < problem->sweeps;) {
        memcpy(before, force, bytes);
        problem->residual = sweep(problem, own, force);
        problem->sweeps_done++;
        if (problem->residual <= problem->tolerance || problem->sweeps_done == problem->sweeps) {
            break;
        }
        go_on(3 * problem->count, before, &heading, force);
    }
    for (int32_t k = 0; k < 3 * problem->count; k++) {
        sum += fabs(force[k]);
    }
    if (!isfinite(sum)) {
        memset(problem->force, 0, bytes);
        return PAL_OUT_NAN;
    }
    memcpy(problem->force, force, bytes);
    return 0;
}
