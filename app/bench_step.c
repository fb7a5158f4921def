// palpate bench step: one semi-implicit Newmark step of a reduced body, ours beside the paper's way
// [BJ05 6.2]: force and stiffness each from their own polynomial by matrix-vector products, then a
// dense solve (OpenBLAS and LAPACK, one thread). Both are taken in turns in one run, so the ratio
// does not depend on the machine's mood.
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench.h"
#include "sim/base/clock.h"
#include "sim/base/memory.h"
#include "sim/base/parallel.h"
#include "sim/reduced/newmark.h"
#include "sim/reduced/quartic_build.h"

enum { ROUNDS = 40 };

// The paper's layout: all coefficients of force and stiffness as matrices.
typedef struct paper_way {
    int r, pairs, triples;
    double *force_linear;                 // [r][r]
    double *force_square;                 // [r][pairs]
    double *force_cube;                   // [r][triples]
    double *stiffness_line;               // [pairs][r]
    double *stiffness_square;             // [pairs][pairs]
    double *qq, *qqq;                     // monomials
    double *k_packed, *k_square, *matrix; // [pairs], [pairs], [r][r]
    double *q, *v, *a, *force, *right;    // [r]
} paper_way;

static void fill_force(paper_way *w, const pal_quartic *t) {
    for (int a = 0; a < w->r; a++) {
        for (int j = 0; j < w->r; j++) {
            w->force_linear[a * w->r + j] = t->p[a < j ? pal_pair_at(a, j) : pal_pair_at(j, a)];
        }
        for (int l = 0, s = 0, n = 0; l < w->r; l++) {
            for (int k = 0; k <= l; k++, s++) {
                w->force_square[a * w->pairs + s] =
                    (k == l ? 0.5 : 1.0) * t->q[pal_triple_of(a, k, l)];
                for (int i = 0; i <= k; i++, n++) {
                    double orders = i == k && k == l ? 1.0 : i == k || k == l ? 3.0 : 6.0;
                    w->force_cube[(int64_t)a * w->triples + n] =
                        orders / 6.0 * t->s[pal_quadruple_of(a, i, k, l)];
                }
            }
        }
    }
}

static void fill_stiffness(paper_way *w, const pal_quartic *t) {
    for (int b = 0, row = 0; b < w->r; b++) {
        for (int a = 0; a <= b; a++, row++) {
            for (int c = 0; c < w->r; c++) {
                w->stiffness_line[row * w->r + c] = t->q[pal_triple_of(c, a, b)];
            }
            for (int l = 0, s = 0; l < w->r; l++) {
                for (int k = 0; k <= l; k++, s++) {
                    w->stiffness_square[(int64_t)row * w->pairs + s] =
                        (k == l ? 0.5 : 1.0) * t->s[pal_quadruple_of(a, b, k, l)];
                }
            }
        }
    }
}

static void close_paper(paper_way *w) {
    double *part[] = {w->force_linear,
                      w->force_square,
                      w->force_cube,
                      w->stiffness_line,
                      w->stiffness_square,
                      w->qq,
                      w->qqq,
                      w->k_packed,
                      w->k_square,
                      w->matrix,
                      w->q,
                      w->v,
                      w->a,
                      w->force,
                      w->right};
    for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
        free(part[k]);
    }
}

static pal_status open_paper(paper_way *w, const pal_quartic *t, pal_err *err) {
    size_t r = (size_t)t->r, pairs = (size_t)pal_pairs(t->r), triples = (size_t)pal_triples(t->r);
    *w = (paper_way){.r = t->r, .pairs = (int)pairs, .triples = (int)triples};
    const struct {
        double **part;
        size_t count;
    } parts[] = {{&w->force_linear, r * r},
                 {&w->force_square, r * pairs},
                 {&w->force_cube, r * triples},
                 {&w->stiffness_line, pairs * r},
                 {&w->stiffness_square, pairs * pairs},
                 {&w->qq, pairs},
                 {&w->qqq, triples},
                 {&w->k_packed, pairs},
                 {&w->k_square, pairs},
                 {&w->matrix, r * r},
                 {&w->q, r},
                 {&w->v, r},
                 {&w->a, r},
                 {&w->force, r},
                 {&w->right, r}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        *parts[k].part = PAL_NEW(double, parts[k].count, err);
        if (*parts[k].part == NULL) {
            close_paper(w);
            return PAL_ERR_MEMORY;
        }
    }
    fill_force(w, t);
    fill_stiffness(w, t);
    return PAL_OK;
}

// Force and stiffness at q, one after the other.
static void evaluate_paper(paper_way *w) {
    const int r = w->r;
    for (int l = 0, s = 0, n = 0; l < r; l++) {
        for (int k = 0; k <= l; k++, s++) {
            w->qq[s] = w->q[k] * w->q[l];
            for (int i = 0; i <= k; i++, n++) {
                w->qqq[n] = w->q[i] * w->qq[s];
            }
        }
    }
    cblas_dgemv(CblasRowMajor, CblasNoTrans, r, r, 1.0, w->force_linear, r, w->q, 1, 0.0, w->force,
                1);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, r, w->pairs, 1.0, w->force_square, w->pairs, w->qq, 1,
                1.0, w->force, 1);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, r, w->triples, 1.0, w->force_cube, w->triples, w->qqq,
                1, 1.0, w->force, 1);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, w->pairs, r, 1.0, w->stiffness_line, r, w->q, 1, 0.0,
                w->k_packed, 1);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, w->pairs, w->pairs, 1.0, w->stiffness_square, w->pairs,
                w->qq, 1, 1.0, w->k_packed, 1);
}

// One step [App. C], jmax = 1.
static void step_paper(paper_way *w, const pal_newmark_options *o, const double *f) {
    const int r = w->r;
    const double a1 = 4.0 / (o->dt * o->dt), a2 = 4.0 / o->dt, a4 = 2.0 / o->dt;
    evaluate_paper(w);
    for (int i = 0; i < r; i++) {
        w->right[i] = f[i] - w->force[i] + a2 * w->v[i] + w->a[i] + o->alpha * w->v[i];
    }
    for (int j = 0, s = 0; j < r; j++) {
        for (int i = 0; i <= j; i++, s++) {
            double k = w->force_linear[i * r + j] + w->k_packed[s];
            w->right[i] += o->beta * k * w->v[j];
            w->right[j] += i == j ? 0.0 : o->beta * k * w->v[i];
            w->matrix[i * r + j] = (1.0 + a4 * o->beta) * k + (i == j ? a1 + a4 * o->alpha : 0.0);
        }
    }
    LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', r, 1, w->matrix, r, w->right, 1);
    for (int i = 0; i < r; i++) {
        double d = w->right[i], v = w->v[i];
        w->q[i] += d;
        w->v[i] = a4 * d - v;
        w->a[i] = a1 * d - a2 * v - w->a[i];
    }
}

// A made-up body: stiff springs, moderate nonlinearity.
static pal_status make_quartic(pal_quartic *t, int32_t r, pal_err *err) {
    pal_status status = pal_quartic_alloc(t, r, err);
    for (int64_t k = 0; status == PAL_OK && k < pal_triples(r); k++) {
        t->q[k] = 5.0 * sin(0.7 * (double)k) / sqrt(r);
    }
    for (int64_t k = 0; status == PAL_OK && k < pal_quadruples(r); k++) {
        t->s[k] = 10.0 * sin(1.3 * (double)k) / r;
    }
    for (int64_t i = 0; status == PAL_OK && i < r; i++) {
        t->p[pal_pair_at(i, i)] = 200.0 + 20.0 * (double)i;
    }
    return status;
}

typedef struct contest {
    pal_newmark_options options;
    paper_way paper;
    pal_newmark *ours[2]; // double, float
    void *memory[2];
    double *load;
} contest;

static void step_once(contest *c, int who) { // 0: the paper's way, 1: ours, 2: ours with floats
    if (who == 0) {
        step_paper(&c->paper, &c->options, c->load);
    } else {
        pal_newmark_step(c->ours[who - 1], c->load, NULL, 0, NULL);
    }
}

// Seconds a step, after one that brings the tables back into the cache.
static double time_steps(contest *c, int who, int steps) {
    step_once(c, who);
    double start = pal_seconds();
    for (int k = 0; k < steps; k++) {
        step_once(c, who);
    }
    return (pal_seconds() - start) / steps;
}

// The fastest of many slices of a few milliseconds, taken in turns.
static void race(contest *c, double best[3]) {
    int steps[3];
    for (int who = 0; who < 3; who++) {
        best[who] = time_steps(c, who, 4);
        steps[who] = (int)(4e-3 / best[who]) + 4;
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int who = 0; who < 3; who++) {
            best[who] = fmin(best[who], time_steps(c, who, steps[who]));
        }
    }
}

static pal_status open_contest(contest *c, const pal_quartic *quartic, pal_err *err) {
    int32_t r = quartic->r;
    c->options =
        (pal_newmark_options){.dt = 0.001, .alpha = 0.01, .beta = 0.002, .newton_iterations = 1};
    c->load = PAL_NEW(double, r, err);
    pal_status status = c->load ? open_paper(&c->paper, quartic, err) : PAL_ERR_MEMORY;
    for (int which = 0; status == PAL_OK && which < 2; which++) {
        pal_precision precision = which == 0 ? PAL_DOUBLE : PAL_FLOAT;
        c->memory[which] = pal_alloc(pal_newmark_bytes(r, precision), 1, err);
        status = c->memory[which] ? PAL_OK : PAL_ERR_MEMORY;
        if (status == PAL_OK) {
            c->ours[which] =
                pal_newmark_init(c->memory[which], quartic, NULL, precision, &c->options);
        }
    }
    for (int32_t i = 0; status == PAL_OK && i < r; i++) {
        c->load[i] = 20.0 * sin(1.0 + i);
    }
    return status;
}

static void close_contest(contest *c) {
    close_paper(&c->paper);
    free(c->memory[0]);
    free(c->memory[1]);
    free(c->load);
}

// Both ways must have come to the same place, or the race means nothing.
static pal_status check_agreement(contest *c, pal_err *err) {
    const double *ours = pal_newmark_q(c->ours[0]);
    pal_newmark_set_state(c->ours[0], NULL, NULL, NULL);
    memset(c->paper.q, 0, (size_t)c->paper.r * sizeof(double));
    memset(c->paper.v, 0, (size_t)c->paper.r * sizeof(double));
    memset(c->paper.a, 0, (size_t)c->paper.r * sizeof(double));
    for (int k = 0; k < 50; k++) {
        step_paper(&c->paper, &c->options, c->load);
        pal_newmark_step(c->ours[0], c->load, NULL, 0, NULL);
    }
    for (int i = 0; i < c->paper.r; i++) {
        if (!(fabs(ours[i] - c->paper.q[i]) <= 1e-9 * (1.0 + fabs(ours[i])))) {
            return pal_fail(err, PAL_ERR_NUMERIC, "r = %d: our step and the paper's do not agree",
                            c->paper.r);
        }
    }
    return PAL_OK;
}

static pal_status report(pal_bench *bench, int32_t r, const double best[3], double goal,
                         pal_err *err) {
    const char *names[3] = {"paper's way", "ours, double", "ours, float coefficients"};
    char name[96];
    pal_status status = PAL_OK;
    for (int k = 0; status == PAL_OK && k < 3; k++) {
        snprintf(name, sizeof name, "step, r = %d: %s", r, names[k]);
        status =
            pal_bench_report(bench, name, 1e6 * best[k], "us", PAL_BENCH_LESS,
                             k == 0 ? NAN : 1e6 * best[0], k == 0 ? "" : "paper's way here", err);
    }
    snprintf(name, sizeof name, "step, r = %d: double, times faster", r);
    return status == PAL_OK ? pal_bench_report(bench, name, best[0] / best[1], "times",
                                               PAL_BENCH_MORE, goal, "goal", err)
                            : status;
}

pal_status pal_bench_step(pal_bench *bench, pal_err *err) {
    const struct {
        int32_t r;
        double goal;
    } sizes[] = {{8, 2.2}, {12, 2.2}, {15, 2.2}, {20, 3.3}, {30, 3.3}, {40, 4.0}, {60, 8.0}};
    const int count = sizeof sizes / sizeof *sizes;
    pal_status status = PAL_OK;
    pal_set_thread_count(1);
    for (int k = 0; status == PAL_OK && k < count; k++) {
        pal_quartic quartic = {0};
        contest c = {0};
        double best[3];
        pal_progress_report(bench->job->progress, "steps", (double)k / count);
        status = make_quartic(&quartic, sizes[k].r, err);
        if (status == PAL_OK) {
            status = open_contest(&c, &quartic, err);
        }
        if (status == PAL_OK) {
            status = check_agreement(&c, err);
        }
        if (status == PAL_OK) {
            race(&c, best);
            status = report(bench, sizes[k].r, best, sizes[k].goal, err);
        }
        close_contest(&c);
        pal_quartic_free(&quartic);
    }
    pal_set_thread_count(0);
    return status;
}
