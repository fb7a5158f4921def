#include "sim/reduced/newmark_state.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "sim/base/vecn.h"
#include "sim/reduced/ldlt.h"
#include "sim/reduced/vec4.h"

enum { MOST_SHIFTS = 8, MOST_RELEASES = 4, MOST_LASTING = 12 };
_Static_assert(PAL_MAX_SPRINGS < 64, "the springs that push are the bits of a mask");

// ---- evaluation

// K(q) into body->k and R(q) = (K q + 2 P q + K1 q / 2) / 3 into force, both by one pass.
static void evaluate(pal_newmark *body, const double *q, double *force) {
    const pal_coefficients *c = body->coefficients;
    const int32_t ld = body->ld;
    if (c->precision == PAL_DOUBLE) {
        pal_kernel_eval_double(&c->table, c->p, q, body->scratch, body->k, body->half);
    } else {
        pal_kernel_eval_float(&c->table, c->p, q, body->scratch, body->k, body->half);
    }
    for (int32_t i = 0; i < ld; i += 4) {
        pal_vec4 tangent[4] = {{0}}, linear[4] = {{0}};
        for (int32_t j = 0; j < ld; j += 4) {
            const pal_vec4 qj = pal_load4(q + j);
            for (int t = 0; t < 4; t++) {
                tangent[t] += pal_load4(body->k + (i + t) * ld + j) * qj;
                linear[t] += pal_load4(c->p + (i + t) * ld + j) * qj;
            }
        }
        const pal_vec4 pq = pal_sum_rows4(linear);
        pal_store4(body->pq + i, pq);
        pal_store4(force + i,
                   (pal_sum_rows4(tangent) + 2.0 * pq + pal_load4(body->half + i)) * (1.0 / 3.0));
    }
}

// V after evaluate(), by Euler's identity degree by degree: q.R = 2 V2 + 3 V3 + 4 V4, q.Pq = 2 V2,
// q.K1 q / 2 = 3 V3.
static double energy_after(const pal_newmark *body, const double *q, const double *force) {
    pal_vec4 work = {0}, linear = {0}, cubic = {0};
    for (int32_t i = 0; i < body->ld; i += 4) {
        const pal_vec4 qi = pal_load4(q + i);
        work += qi * pal_load4(force + i);
        linear += qi * pal_load4(body->pq + i);
        cubic += qi * pal_load4(body->half + i);
    }
    const double quartic = pal_sum4(work) - pal_sum4(linear) - pal_sum4(cubic);
    return pal_sum4(linear) / 2.0 + pal_sum4(cubic) / 3.0 + quartic / 4.0;
}

double pal_newmark_evaluate(pal_newmark *body, const double *q, double *force, double *stiffness) {
    pal_newmark_set_row(body, body->q1, q);
    evaluate(body, body->q1, body->force);
    for (int32_t i = 0; i < body->r; i++) {
        if (force != NULL) {
            force[i] = body->force[i];
        }
        for (int32_t j = 0; stiffness != NULL && j < body->r; j++) {
            stiffness[i * body->r + j] = body->k[i * body->ld + j];
        }
    }
    return energy_after(body, body->q1, body->force);
}

double pal_newmark_strain_energy(pal_newmark *body) {
    evaluate(body, body->q, body->force);
    return energy_after(body, body->q, body->force);
}

double pal_newmark_strain_before(const pal_newmark *body) {
    return body->strain_before;
}

double pal_newmark_kinetic_energy(const pal_newmark *body) {
    const double *m = body->coefficients->m;
    double sum = 0.0;
    for (int32_t i = 0; i < body->r; i++) {
        for (int32_t j = 0; j < body->r; j++) {
            sum += body->v[i] * m[i * body->ld + j] * body->v[j];
        }
    }
    return 0.5 * sum;
}

// ---- the step

// v1 and w1 from q1                                                  [BJ05 App. C, lines 15-16]
static void update_rates(pal_newmark *b) {
    const double a1 = b->a1, a2 = b->a2, a3 = b->a3, a4 = b->a4, a5 = b->a5, a6 = b->a6;
    for (int32_t i = 0; i < b->ld; i += 4) {
        const pal_vec4 v = pal_load4(b->v + i), a = pal_load4(b->a + i);
        const pal_vec4 d = pal_load4(b->q1 + i) - pal_load4(b->q + i);
        pal_store4(b->v1 + i, a4 * d + a5 * v + a6 * a);
        pal_store4(b->w1 + i, a1 * d - a2 * v - a3 * a);
    }
}

static void copy_row(int32_t ld, const double *from, double *to) {
    for (int32_t i = 0; i < ld; i += 4) {
        pal_store4(to + i, pal_load4(from + i));
    }
}

// y = A x, ld x ld.
static void multiply(int32_t ld, const double *a, const double *x, double *y) {
    for (int32_t i = 0; i < ld; i += 4) {
        pal_vec4 sum[4] = {{0}};
        for (int32_t j = 0; j < ld; j += 4) {
            const pal_vec4 xj = pal_load4(x + j);
            for (int t = 0; t < 4; t++) {
                sum[t] += pal_load4(a + (i + t) * ld + j) * xj;
            }
        }
        pal_store4(y + i, pal_sum_rows4(sum));
    }
}

// Four entries of a row of r, zeros past its end.
static inline pal_vec4 load_row4(const double *x, int32_t i, int32_t r) {
    typedef double loose __attribute__((vector_size(32), may_alias, aligned(sizeof(double))));
    if (i + 4 <= r) {
        return *(const loose *)(x + i);
    }
    return (pal_vec4){x[i], i + 1 < r ? x[i + 1] : 0.0, i + 2 < r ? x[i + 2] : 0.0, 0.0};
}

// residual = M (w1 + alpha v1) + beta K v1 + R - f                            [lines 8-9]
static double form_residual(pal_newmark *b, const double *f) {
    const pal_coefficients *c = b->coefficients;
    const double alpha = b->options.alpha, beta = b->options.beta;
    pal_vec4 norm = {0};
    for (int32_t i = 0; i < b->ld; i += 4) {
        pal_store4(b->inertia + i, pal_load4(b->w1 + i) + alpha * pal_load4(b->v1 + i));
    }
    if (!c->unit_mass) {
        copy_row(b->ld, b->inertia, b->dq);
        multiply(b->ld, c->m, b->dq, b->inertia);
    }
    multiply(b->ld, b->k, b->v1, b->residual);
    for (int32_t i = 0; i < b->ld; i += 4) {
        const pal_vec4 residual = pal_load4(b->inertia + i) + beta * pal_load4(b->residual + i) +
                                  pal_load4(b->force + i) - load_row4(f, i, b->r);
        pal_store4(b->residual + i, residual);
        norm += residual * residual;
    }
    return sqrt(pal_sum4(norm));
}

static double row_dot(const pal_newmark *b, const double *row, const double *x) {
    double sum = 0.0;
    for (int32_t i = 0; i < b->r; i++) {
        sum += row[i] * x[i];
    }
    return sum;
}

// The force of a spring at q1, v1, which is a pull when negative.
static double spring_now(const pal_newmark *b, const pal_spring *spring) {
    double closer = row_dot(b, spring->row, b->q1) - row_dot(b, spring->row, b->q);
    return spring->k * (spring->depth - closer) - spring->b * row_dot(b, spring->row, b->v1);
}

// What that force becomes after a step dq.
static double spring_after(const pal_newmark *b, const pal_spring *spring) {
    return spring_now(b, spring) - (spring->k + b->a4 * spring->b) * row_dot(b, spring->row, b->dq);
}

// A = (a1 + a4 alpha) M + (1 + a4 beta) K + shift, upper triangle in blocks of 4 columns, with
// -residual beside it [line 7]. Whole vectors are written, as whole vectors will be read.
static void form_matrix(pal_newmark *b, double shift) {
    const pal_coefficients *c = b->coefficients;
    const int32_t ld = b->ld, stride = pal_ldlt_stride(b->r);
    const double cm = b->a1 + b->a4 * b->options.alpha, ck = 1.0 + b->a4 * b->options.beta;
    for (int32_t i = 0; i < ld; i++) {
        const double *k = b->k + i * ld, *m = c->m + i * ld;
        double *a = b->matrix + i * stride;
        for (int32_t j = i & ~3; j < ld; j += 4) {
            pal_store4(a + j, ck * pal_load4(k + j) + cm * pal_load4(m + j));
        }
        pal_store4(a + ld, (pal_vec4){-b->residual[i]});
    }
    for (int32_t i = 0; shift != 0.0 && i < b->r; i++) {
        b->matrix[i * stride + i] += shift;
    }
}

// A += (k + a4 b) row row^T and the force on the right-hand side.
static void add_spring(pal_newmark *b, const pal_spring *spring, double force) {
    const int32_t ld = b->ld, stride = pal_ldlt_stride(b->r);
    const double stiff = spring->k + b->a4 * spring->b;
    for (int32_t j = 0; j < ld; j += 4) {
        const pal_vec4 row = load_row4(spring->row, j, b->r);
        for (int32_t i = 0; i < j + 4 && i < b->r; i++) {
            double *a = b->matrix + i * stride + j;
            pal_store4(a, pal_load4(a) + stiff * spring->row[i] * row);
        }
    }
    for (int32_t i = 0; i < b->r; i++) {
        double *right = b->matrix + i * stride + ld;
        pal_store4(right, pal_load4(right) + (pal_vec4){spring->row[i] * force});
    }
}

static void form_system(pal_newmark *b, const pal_spring *spring, uint64_t active, double shift) {
    form_matrix(b, shift);
    for (int32_t s = 0; active >> s != 0; s++) {
        if ((active >> s & 1) != 0) {
            add_spring(b, &spring[s], spring_now(b, &spring[s]));
        }
    }
}

// A shift that makes A diagonally dominant: the last resort.
static double dominant_shift(const pal_newmark *b) {
    const double ck = 1.0 + b->a4 * b->options.beta;
    double most = 0.0;
    for (int32_t i = 0; i < b->r; i++) {
        double sum = 0.0;
        for (int32_t j = 0; j < b->r; j++) {
            sum += fabs(ck * b->k[i * b->ld + j]);
        }
        most = fmax(most, sum);
    }
    return 2.0 * most;
}

// Solves for dq; where A is indefinite its diagonal is shifted, more and more, a bounded number of
// times.
static pal_outcome solve(pal_newmark *b, const pal_spring *spring, uint64_t active) {
    form_system(b, spring, active, 0.0);
    if (pal_ldlt_solve(b->r, b->matrix, b->dq)) {
        return 0;
    }
    const double dominant = dominant_shift(b);
    double shift = 1e-3 * dominant;
    for (int attempt = 0; attempt < MOST_SHIFTS; attempt++, shift *= 3.0) {
        form_system(b, spring, active, attempt + 1 == MOST_SHIFTS ? dominant : shift);
        if (pal_ldlt_solve(b->r, b->matrix, b->dq)) {
            return PAL_OUT_NOT_SPD;
        }
    }
    return PAL_OUT_NAN; // not even a dominant diagonal helps: the numbers are not finite
}

// Solves with all springs in, then without those that would pull at the end of the step: a spring
// only pushes. Returns the springs that push.
static uint64_t solve_unilateral(pal_newmark *b, const pal_spring *spring, int32_t count,
                                 pal_outcome *outcome) {
    uint64_t active = (UINT64_C(1) << count) - 1;
    for (int attempt = 0; attempt < MOST_RELEASES; attempt++) {
        *outcome |= solve(b, spring, active);
        uint64_t pulling = 0;
        for (int32_t s = 0; s < count; s++) {
            bool pulls =
                !spring[s].pulls && (active >> s & 1) != 0 && spring_after(b, &spring[s]) < 0.0;
            pulling |= (uint64_t)pulls << s;
        }
        if (pulling == 0) {
            break;
        }
        active &= ~pulling;
    }
    return active;
}

// x - x is zero for every finite x, else not a number.
static bool all_finite(const pal_newmark *b) {
    pal_vec4 sum = {0};
    for (int32_t i = 0; i < b->ld; i += 4) {
        const pal_vec4 q = pal_load4(b->q1 + i), v = pal_load4(b->v1 + i), w = pal_load4(b->w1 + i);
        sum += (q - q) + (v - v) + (w - w);
    }
    return pal_sum4(sum) == 0.0;
}

static bool is_bounded(const pal_newmark *b, const double *q, const double *v) {
    return pal_norm(b->r, q) <= b->most_q && pal_norm(b->r, v) * b->options.dt <= b->most_q;
}

// The rates of the state that was looked for; false when it is not finite, or beyond all bounds.
static bool is_good(pal_newmark *b, pal_outcome outcome) {
    update_rates(b);
    return (outcome & PAL_OUT_NAN) == 0 && all_finite(b) && is_bounded(b, b->q1, b->v1);
}

// The old place at rest; the rest state where that place is not good, or steps keep failing.
static void put_back(pal_newmark *b) {
    enum { BAD = 16, ENOUGH = 20 * BAD }; // one bad step counts as many good ones
    const size_t row = (size_t)b->ld * sizeof(double);
    b->failed += BAD;
    if (b->failed > ENOUGH || !(pal_norm(b->r, b->q) <= b->most_q)) {
        memset(b->q, 0, row);
        b->failed = 0;
    }
    memset(b->v, 0, row);
    memset(b->a, 0, row);
}

static pal_outcome settle(pal_newmark *b, bool good, pal_outcome outcome) {
    if (!good) {
        put_back(b);
        return outcome | PAL_OUT_NAN;
    }
    b->failed -= b->failed > 0;
    copy_row(b->ld, b->q1, b->q);
    copy_row(b->ld, b->v1, b->v);
    copy_row(b->ld, b->w1, b->a);
    b->lasting_made = false;
    return outcome;
}

// K, R and the residual at q1, where iteration j begins; returns |residual|.
static double look(pal_newmark *b, int j, const double *f) {
    evaluate(b, b->q1, b->force);
    b->strain_before = j == 0 ? energy_after(b, b->q1, b->force) : b->strain_before;
    update_rates(b);
    return form_residual(b, f);
}

pal_outcome pal_newmark_step(pal_newmark *b, const double *f, const pal_spring *spring,
                             int32_t spring_count, double *spring_force) {
    pal_outcome outcome = 0;
    uint64_t active = 0;
    copy_row(b->ld, b->q, b->q1);
    for (int j = 0; j < b->options.newton_iterations; j++) {
        double norm = look(b, j, f);
        if (j > 0 && spring_count == 0 && norm < b->options.newton_tolerance) {
            break;
        }
        active = solve_unilateral(b, spring, spring_count, &outcome);
        for (int32_t i = 0; i < b->ld; i += 4) {
            pal_store4(b->q1 + i, pal_load4(b->q1 + i) + pal_load4(b->dq + i));
        }
    }
    const bool good = is_good(b, outcome);
    for (int32_t s = 0; spring_force != NULL && s < spring_count; s++) {
        double push = good && (active >> s & 1) != 0 ? spring_now(b, &spring[s]) : 0.0;
        spring_force[s] = push > 0.0 || spring[s].pulls ? push : 0.0;
    }
    return settle(b, good, outcome);
}

// ---- the step in two halves

pal_outcome pal_newmark_begin(pal_newmark *b, const double *f) {
    copy_row(b->ld, b->q, b->q1);
    look(b, 0, f);
    b->begun = solve(b, NULL, 0);
    return b->begun;
}

const double *pal_newmark_free(const pal_newmark *b) {
    return b->dq;
}

void pal_newmark_halve(const pal_newmark *b, double *x, int32_t stride) {
    pal_ldlt_halve(b->r, b->matrix, x, stride);
}

pal_outcome pal_newmark_finish(pal_newmark *b, const double *contact_force) {
    memset(b->residual, 0, (size_t)b->ld * sizeof *b->residual);
    memcpy(b->residual, contact_force, (size_t)b->r * sizeof *b->residual);
    if ((b->begun & PAL_OUT_NAN) == 0) {
        pal_ldlt_apply(b->r, b->matrix, b->residual);
    }
    for (int32_t i = 0; i < b->r; i++) {
        b->q1[i] += b->dq[i] + b->residual[i];
    }
    return settle(b, is_good(b, b->begun), b->begun);
}

// ---- in the long run

static bool factor_lasting(pal_newmark *b, double shift) {
    const int32_t ld = b->ld, stride = pal_ldlt_stride(b->r);
    for (int32_t i = 0; i < ld; i++) {
        const double *k = b->k + i * ld, *m = b->coefficients->m + i * ld;
        double *a = b->lasting + i * stride;
        for (int32_t j = i & ~3; j < ld; j += 4) {
            pal_store4(a + j, pal_load4(k + j) + shift * pal_load4(m + j));
        }
        pal_store4(a + ld, (pal_vec4){0});
    }
    return pal_ldlt_solve(b->r, b->lasting, b->inertia);
}

// K + shift M; a body that would buckle without its tool needs more of it, about as much as the
// last time.
static void find_lasting(pal_newmark *b) {
    static const double least = 1e-6, by = 10.0; // 1/s^2
    double shift = fmax(least, b->lasting_shift / by);
    b->lasting_known = factor_lasting(b, shift);
    for (int k = 0; k < MOST_LASTING && !b->lasting_known; k++) {
        shift *= by;
        b->lasting_known = factor_lasting(b, shift);
    }
    b->lasting_shift = b->lasting_known ? shift : least;
}

bool pal_newmark_settle(pal_newmark *b, double *x) {
    if (!b->lasting_made) {
        find_lasting(b);
        b->lasting_made = true;
    }
    if (b->lasting_known) {
        pal_ldlt_apply(b->r, b->lasting, x);
    }
    return b->lasting_known;
}
