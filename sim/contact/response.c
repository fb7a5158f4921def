// One visit to contact i, with delta its rows of W lambda + delta_free at this moment:
//
//     normal     lambda_n <- max(-a, lambda_n - delta_n / W_nn)
//     tangents   lambda_t <- lambda_t - delta_t / w, w the larger eigenvalue of the 2x2 block W_tt,
//                then back onto the disc of radius mu (lambda_n + a): a fixed point either sticks
//                or slides against its motion
//     held       lambda <- lambda - W_ii^-1 delta
#include "sim/contact/response.h"

#include <math.h>
#include <string.h>

#include "sim/base/mat3.h"

typedef double vec4 __attribute__((vector_size(32), aligned(8), may_alias));

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
}

// The diagonal block of contact i with the surface's own softness.
static void block_of(const pal_response *p, int32_t i, double block[3][3]) {
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            block[a][b] = p->w[(3 * (int64_t)i + a) * p->stride + 3 * i + b];
        }
        block[a][a] += p->law[i].softness;
    }
}

static void hold(double block[3][3], const double delta[3], double *force) {
    double inverse[3][3];
    if (pal_mat3_inverse(block, inverse) == 0.0) {
        return;
    }
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            force[a] -= inverse[a][b] * delta[b];
        }
    }
}

static void push_and_rub(const pal_contact_law *law, double block[3][3], double delta[3],
                         double *force) {
    // Normal
    const double before = force[0], wanted = before - delta[0] / block[0][0];
    force[0] = wanted < -law->adhesion ? -law->adhesion : wanted; // what is no number stays so
    delta[1] += block[1][0] * (force[0] - before);
    delta[2] += block[2][0] * (force[0] - before);

    // Tangents: a step down the slope, then back into the cone
    const double limit = law->friction * (force[0] + law->adhesion);
    const double mean = 0.5 * (block[1][1] + block[2][2]);
    const double apart = 0.5 * (block[1][1] - block[2][2]);
    const double step = mean + sqrt(apart * apart + block[1][2] * block[1][2]);
    force[1] -= delta[1] / step;
    force[2] -= delta[2] / step;
    const double size = sqrt(force[1] * force[1] + force[2] * force[2]);
    if (size > limit) {
        force[1] *= limit / size;
        force[2] *= limit / size;
    }
}

// Visits contact i; returns how far its points were moved by that, m.
static double visit(const pal_response *p, int32_t i, double *all) {
    double block[3][3], delta[3], *force = all + 3 * i;
    const double old[3] = {force[0], force[1], force[2]};
    block_of(p, i, block);
    motion_of(p, i, all, delta);
    for (int a = 0; a < 3; a++) {
        delta[a] += p->law[i].softness * force[a];
    }
    if (p->law[i].held) {
        hold(block, delta, force);
    } else {
        push_and_rub(&p->law[i], block, delta, force);
    }
    double most = 0.0;
    for (int a = 0; a < 3; a++) {
        most = fmax(most, block[a][a] * fabs(force[a] - old[a]));
    }
    return most;
}

pal_outcome pal_response_solve(pal_response *problem) {
    double force[3 * PAL_MAX_CONTACTS + 4] = {0.0}; // zeros up to the stride
    const size_t bytes = 3 * (size_t)problem->count * sizeof *force;
    memcpy(force, problem->force, bytes);
    problem->residual = 0.0;
    for (problem->sweeps_done = 0; problem->sweeps_done < problem->sweeps;) {
        double most = 0.0;
        for (int32_t i = 0; i < problem->count; i++) {
            most = fmax(most, visit(problem, i, force));
        }
        problem->sweeps_done++;
        problem->residual = most;
        if (most <= problem->tolerance) {
            break;
        }
    }
    double sum = 0.0;
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
