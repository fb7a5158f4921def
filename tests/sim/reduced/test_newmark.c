// The step kernel against the plain loops, and laws of the step.
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/reduced/ldlt.h"
#include "sim/reduced/newmark.h"
#include "sim/reduced/quartic_build.h"
#include "tests/support/check.h"

void setUp(void) {
}

void tearDown(void) {
}

static uint64_t seed = 12345;

static double random_number(void) { // in -1..1
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 4503599627370496.0 - 1.0;
}

// A random quartic with a strong positive P (200 and up on the diagonal).
static void random_quartic(pal_quartic *quartic, int32_t r, double cubic, double quartic_size) {
    pal_err err = {0};
    CHECK_OK(pal_quartic_alloc(quartic, r, &err), err);
    for (int64_t j = 0; j < r; j++) {
        for (int64_t i = 0; i <= j; i++) {
            quartic->p[pal_pair_at(i, j)] = i == j ? 200.0 + 20.0 * (double)i : random_number();
        }
    }
    for (int64_t k = 0; k < pal_triples(r); k++) {
        quartic->q[k] = cubic * random_number();
    }
    for (int64_t k = 0; k < pal_quadruples(r); k++) {
        quartic->s[k] = quartic_size * random_number();
    }
}

typedef struct fixture {
    pal_quartic quartic;
    void *memory;
    pal_newmark *body;
} fixture;

static const pal_newmark_options plain = {.dt = 0.001, .newton_iterations = 1};

static void open_body(fixture *f, const double *mass, pal_precision precision,
                      const pal_newmark_options *options) {
    size_t bytes = pal_newmark_bytes(f->quartic.r, precision);
    f->memory = aligned_alloc(64, bytes);
    memset(f->memory, 0x7f, bytes); // nothing may rely on zeroed memory
    f->body = pal_newmark_init(f->memory, &f->quartic, mass, precision, options);
}

static void close_body(fixture *f) {
    pal_quartic_free(&f->quartic);
    free(f->memory);
}

static void check_kernel(int32_t r, pal_precision precision, double tolerance) {
    fixture f;
    random_quartic(&f.quartic, r, 5.0, 10.0);
    open_body(&f, NULL, precision, &plain);
    double q[PAL_MAX_R], force[PAL_MAX_R], expected[PAL_MAX_R];
    double *k = malloc((size_t)(r * r) * sizeof *k),
           *k_expected = malloc((size_t)(r * r) * sizeof *k);
    for (int32_t i = 0; i < r; i++) {
        q[i] = random_number();
    }
    double energy = pal_newmark_evaluate(f.body, q, force, k);
    double energy_expected = pal_quartic_eval(&f.quartic, q, expected, k_expected);
    TEST_ASSERT_TRUE(check_relative_difference(k, k_expected, (size_t)(r * r)) < tolerance);
    TEST_ASSERT_TRUE(check_relative_difference(force, expected, (size_t)r) < tolerance);
    TEST_ASSERT_DOUBLE_WITHIN(100.0 * tolerance * fabs(energy_expected), energy_expected, energy);
    free(k);
    free(k_expected);
    close_body(&f);
}

static void test_kernel_equals_the_plain_loops_for_every_size(void) {
    for (int32_t r = 1; r <= 45; r++) {
        check_kernel(r, PAL_DOUBLE, 1e-13);
        check_kernel(r, PAL_FLOAT, 2e-6);
    }
}

static void test_ldlt_solves_as_lapack_does(void) {
    for (int32_t n = 1; n <= 40; n++) {
        int32_t stride = pal_ldlt_stride(n), rows = (n + 3) & ~3;
        double *a = aligned_alloc(64, (size_t)(rows * stride) * sizeof *a), b[64];
        _Alignas(64) double x[64];
        double *dense = malloc((size_t)(n * n) * sizeof *dense);
        for (int32_t k = 0; k < rows * stride; k++) {
            a[k] = NAN; // what the function does not need it must not read
        }
        for (int32_t i = 0; i < n; i++) {
            for (int32_t j = i; j < n; j++) {
                double value = i == j ? n + 1.0 : random_number();
                dense[i * n + j] = dense[j * n + i] = value;
            }
        }
        for (int32_t i = 0; i < n; i++) {
            for (int32_t j = i & ~3; j < n; j++) {
                a[i * stride + j] = dense[i * n + j];
            }
            b[i] = a[i * stride + rows] = random_number();
        }
        TEST_ASSERT_TRUE(pal_ldlt_solve(n, a, x));
        TEST_ASSERT_EQUAL_INT(0, LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', n, 1, dense, n, b, 1));
        TEST_ASSERT_TRUE(check_relative_difference(x, b, (size_t)n) < 1e-13);
        free(a);
        free(dense);
    }
}

static void test_ldlt_refuses_an_indefinite_matrix(void) {
    _Alignas(64) double a[4 * 8] = {0}, x[4];
    a[0] = 1.0;
    a[1] = 2.0; // [1 2; 2 1]
    a[8 + 1] = 1.0;
    TEST_ASSERT_FALSE(pal_ldlt_solve(2, a, x));
}

// [BJ05 App. C] by the plain loops and LAPACK.
static void reference_step(const pal_quartic *t, const pal_newmark_options *o, double *q, double *v,
                           double *a, const double *f) {
    int32_t r = t->r;
    double a1 = 4.0 / (o->dt * o->dt), a2 = 4.0 / o->dt, a3 = 1.0, a4 = 2.0 / o->dt, a5 = -1.0;
    double q1[64], force[64], right[64], k[64 * 64], matrix[64 * 64];
    memcpy(q1, q, (size_t)r * sizeof *q1);
    for (int n = 0; n < o->newton_iterations; n++) {
        pal_quartic_eval(t, q1, force, k);
        for (int32_t i = 0; i < r; i++) {
            double d = q1[i] - q[i], rate = 0.0;
            for (int32_t j = 0; j < r; j++) {
                double vj = a4 * (q1[j] - q[j]) + a5 * v[j];
                rate += o->beta * k[i * r + j] * vj;
                matrix[i * r + j] = (1.0 + a4 * o->beta) * k[i * r + j];
            }
            matrix[i * r + i] += a1 + a4 * o->alpha;
            rate += o->alpha * (a4 * d + a5 * v[i]);
            right[i] = f[i] - force[i] - rate - (a1 * d - a2 * v[i] - a3 * a[i]);
        }
        LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', r, 1, matrix, r, right, 1);
        for (int32_t i = 0; i < r; i++) {
            q1[i] += right[i];
        }
    }
    for (int32_t i = 0; i < r; i++) {
        double d = q1[i] - q[i], before = v[i];
        v[i] = a4 * d + a5 * before;
        a[i] = a1 * d - a2 * before - a3 * a[i];
        q[i] = q1[i];
    }
}

static void check_step(int newton_iterations) {
    enum { R = 13, STEPS = 50 };
    const pal_newmark_options options = {
        .dt = 0.002, .alpha = 0.3, .beta = 0.001, .newton_iterations = newton_iterations};
    fixture f;
    random_quartic(&f.quartic, R, 5.0, 5.0);
    open_body(&f, NULL, PAL_DOUBLE, &options);
    double q[R] = {0}, v[R] = {0}, a[R] = {0}, load[R];
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < R; i++) {
            load[i] = 40.0 * sin(0.3 * step + i);
        }
        reference_step(&f.quartic, &options, q, v, a, load);
        TEST_ASSERT_EQUAL_INT(0, pal_newmark_step(f.body, load, NULL, 0, NULL));
    }
    TEST_ASSERT_TRUE(check_relative_difference(pal_newmark_q(f.body), q, R) < 1e-11);
    TEST_ASSERT_TRUE(check_relative_difference(pal_newmark_velocity(f.body), v, R) < 1e-11);
    close_body(&f);
}

static void test_steps_equal_the_papers_algorithm(void) {
    check_step(1);
    check_step(3);
}

// Average acceleration keeps the energy of a linear body exactly, and of a nonlinear one nearly.
static void test_energy_of_a_free_vibration_stays_bounded(void) {
    enum { R = 6, STEPS = 100000 };
    const pal_newmark_options options = {.dt = 0.001, .newton_iterations = 3};
    fixture f;
    random_quartic(&f.quartic, R, 20.0, 0.0);
    for (int64_t i = 0; i < R; i++) { // a quartic part that only stiffens
        f.quartic.s[pal_quadruple_at(i, i, i, i)] = 500.0;
    }
    open_body(&f, NULL, PAL_DOUBLE, &options);
    double q[R] = {0.2, -0.1, 0.15, 0.1, 0.05, -0.2}, zero[R] = {0}, force[R], start[R], most = 0.0;
    pal_newmark_evaluate(f.body, q, force, NULL);
    for (int i = 0; i < R; i++) {
        start[i] = -force[i];
    }
    pal_newmark_set_state(f.body, q, NULL, start);
    double before = pal_newmark_strain_energy(f.body);
    for (int step = 0; step < STEPS; step++) {
        pal_newmark_step(f.body, zero, NULL, 0, NULL);
        if (step % 97 == 0) {
            double now = pal_newmark_strain_energy(f.body) + pal_newmark_kinetic_energy(f.body);
            most = fmax(most, fabs(now - before) / before);
        }
    }
    TEST_ASSERT_TRUE_MESSAGE(most < 0.02, "the energy drifts");
    close_body(&f);
}

// Where one free body is after a fixed time, with steps of dt.
static double place_after(const pal_quartic *quartic, double dt, double seconds) {
    const pal_newmark_options options = {.dt = dt, .newton_iterations = 4};
    fixture f = {.quartic = *quartic};
    open_body(&f, NULL, PAL_DOUBLE, &options);
    double q[3] = {0.3, 0.1, -0.2}, zero[3] = {0}, force[3];
    pal_newmark_evaluate(f.body, q, force, NULL);
    double start[3] = {-force[0], -force[1], -force[2]};
    pal_newmark_set_state(f.body, q, NULL, start);
    for (int k = 0; k < (int)lround(seconds / dt); k++) {
        pal_newmark_step(f.body, zero, NULL, 0, NULL);
    }
    double place = pal_newmark_q(f.body)[0];
    free(f.memory);
    return place;
}

static void test_newmark_is_of_second_order(void) {
    pal_quartic quartic;
    random_quartic(&quartic, 3, 20.0, 10.0);
    double exact = place_after(&quartic, 1e-4 / 8, 0.2);
    double coarse = fabs(place_after(&quartic, 1e-3, 0.2) - exact);
    double fine = fabs(place_after(&quartic, 5e-4, 0.2) - exact);
    TEST_ASSERT_DOUBLE_WITHIN(0.3, 4.0, coarse / fine);
    pal_quartic_free(&quartic);
}

static void test_an_indefinite_step_matrix_is_shifted_and_counted(void) {
    enum { R = 4 };
    const pal_newmark_options options = {.dt = 0.1, .newton_iterations = 1};
    fixture f;
    random_quartic(&f.quartic, R, 0.0, 0.0);
    for (int64_t i = 0; i < R; i++) {
        f.quartic.p[pal_pair_at(i, i)] = -1e5; // a body that pushes itself away from rest
    }
    open_body(&f, NULL, PAL_DOUBLE, &options);
    double load[R] = {1.0, 0.0, 0.0, 0.0};
    TEST_ASSERT_EQUAL_INT(PAL_OUT_NOT_SPD, pal_newmark_step(f.body, load, NULL, 0, NULL));
    TEST_ASSERT_TRUE(isfinite(pal_newmark_q(f.body)[0]));
    close_body(&f);
}

static void test_not_a_number_leaves_the_last_good_state(void) {
    enum { R = 5 };
    fixture f;
    random_quartic(&f.quartic, R, 1.0, 1.0);
    open_body(&f, NULL, PAL_DOUBLE, &plain);
    double load[R] = {1.0, 2.0, 3.0, 4.0, 5.0}, good[R];
    pal_newmark_step(f.body, load, NULL, 0, NULL);
    memcpy(good, pal_newmark_q(f.body), sizeof good);
    load[2] = NAN;
    TEST_ASSERT_TRUE((pal_newmark_step(f.body, load, NULL, 0, NULL) & PAL_OUT_NAN) != 0);
    TEST_ASSERT_EQUAL_MEMORY(good, pal_newmark_q(f.body), sizeof good);
    TEST_ASSERT_TRUE(pal_newmark_velocity(f.body)[0] == 0.0);
    load[2] = 3.0;
    TEST_ASSERT_EQUAL_INT(0, pal_newmark_step(f.body, load, NULL, 0, NULL));
    close_body(&f);
}

// A huge state is a number, but its energy (of the fourth order) is none.
static void test_a_state_beyond_the_bound_ends_in_rest(void) {
    enum { R = 5 };
    fixture f;
    random_quartic(&f.quartic, R, 1.0, 1.0);
    open_body(&f, NULL, PAL_DOUBLE, &plain);
    const double none[R] = {0.0}, huge[R] = {1e90, 0.0, -1e90}, fast[R] = {0.0, 1e90};
    pal_newmark_bound(f.body, 10.0);

    pal_newmark_set_state(f.body, huge, NULL, NULL);
    TEST_ASSERT_TRUE((pal_newmark_step(f.body, none, NULL, 0, NULL) & PAL_OUT_NAN) != 0);
    TEST_ASSERT_EQUAL_DOUBLE(0.0, pal_newmark_strain_energy(f.body));
    TEST_ASSERT_EQUAL_INT(0, pal_newmark_step(f.body, none, NULL, 0, NULL));

    // A good place that is left too fast stays
    const double bent[R] = {1e-3, 2e-3};
    pal_newmark_set_state(f.body, bent, fast, NULL);
    pal_newmark_begin(f.body, none);
    TEST_ASSERT_TRUE((pal_newmark_finish(f.body, none) & PAL_OUT_NAN) != 0);
    TEST_ASSERT_EQUAL_MEMORY(bent, pal_newmark_q(f.body), sizeof bent);
    TEST_ASSERT_EQUAL_INT(0, pal_newmark_step(f.body, none, NULL, 0, NULL));
    close_body(&f);
}

static void test_a_place_where_steps_keep_failing_is_left(void) {
    enum { R = 5, MOST = 21 };
    fixture f;
    random_quartic(&f.quartic, R, 1.0, 1.0);
    open_body(&f, NULL, PAL_DOUBLE, &plain);
    const double bent[R] = {1e-3, 2e-3}, bad[R] = {NAN};
    pal_newmark_set_state(f.body, bent, NULL, NULL);
    for (int k = 0; k < MOST; k++) {
        TEST_ASSERT_EQUAL_MEMORY(bent, pal_newmark_q(f.body), sizeof bent);
        pal_newmark_step(f.body, bad, NULL, 0, NULL);
    }
    TEST_ASSERT_EQUAL_DOUBLE(0.0, pal_newmark_strain_energy(f.body));
    close_body(&f);
}

// r coordinates, each on a spring of 100 N/m.
static void open_small(fixture *f, int32_t r, const pal_newmark_options *options) {
    random_quartic(&f->quartic, r, 0.0, 0.0);
    memset(f->quartic.p, 0, (size_t)pal_pairs(r) * sizeof(double));
    for (int64_t i = 0; i < r; i++) {
        f->quartic.p[pal_pair_at(i, i)] = 100.0;
    }
    open_body(f, NULL, PAL_DOUBLE, options);
}

// A body pressed by a spring comes to rest where both forces are equal.
static void test_an_implicit_spring_comes_to_balance(void) {
    enum { R = 3 };
    const pal_newmark_options options = {.dt = 0.001, .alpha = 50.0, .newton_iterations = 1};
    fixture f;
    open_small(&f, R, &options);
    const double row[R] = {1.0, 0.0, 0.0}, zero[R] = {0};
    double force = 0.0;
    for (int step = 0; step < 5000; step++) { // the tool overlaps the body at rest by 10 mm
        pal_spring spring = {
            .row = row, .depth = 0.01 - pal_newmark_q(f.body)[0], .k = 1e6, .b = 1.0};
        TEST_ASSERT_EQUAL_INT(0, pal_newmark_step(f.body, zero, &spring, 1, &force));
        TEST_ASSERT_TRUE(force >= 0.0);
    }
    double expected = 0.01 / (1.0 / 100.0 + 1.0 / 1e6); // two springs in series
    TEST_ASSERT_DOUBLE_WITHIN(1e-6 * expected, expected, force);
    close_body(&f);
}

// As many springs as there may be, half of them of negative stiffness, act as the one they sum up
// to and hand back forces that do.
static void test_springs_that_pull_sum_up(void) {
    enum { R = 5, COUNT = PAL_MAX_SPRINGS };
    const pal_newmark_options options = {.dt = 0.001, .alpha = 5.0, .newton_iterations = 1};
    const double row[R] = {1.0, 0.5, -0.3, 0.2, 0.1}, zero[R] = {0}, way[2] = {0.01, -0.02};
    for (int w = 0; w < 2; w++) { // pushing, pulling
        fixture one, many;
        pal_spring spring[COUNT];
        double force, forces[COUNT], sum = 0.0;
        open_small(&one, R, &options);
        open_small(&many, R, &options);
        for (int s = 0; s < COUNT; s++) {
            spring[s] = (pal_spring){
                .row = row, .depth = way[w], .k = s % 2 == 0 ? 110.0 : -80.0, .pulls = true};
        }
        const pal_spring whole = {
            .row = row, .depth = way[w], .k = 30.0 * COUNT / 2, .pulls = true};
        TEST_ASSERT_EQUAL_INT(0, pal_newmark_step(one.body, zero, &whole, 1, &force));
        TEST_ASSERT_EQUAL_INT(0, pal_newmark_step(many.body, zero, spring, COUNT, forces));
        for (int s = 0; s < COUNT; s++) {
            sum += forces[s];
        }
        TEST_ASSERT_TRUE(force * way[w] > 0.0);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9 * fabs(force), force, sum);
        for (int i = 0; i < R; i++) {
            const double q = pal_newmark_q(one.body)[i];
            TEST_ASSERT_DOUBLE_WITHIN(1e-9 * fabs(q), q, pal_newmark_q(many.body)[i]);
        }
        close_body(&one);
        close_body(&many);
    }
}

static void test_swapped_coefficients_act_as_fresh_ones(void) {
    enum { R = 7 };
    fixture f, fresh;
    random_quartic(&f.quartic, R, 3.0, 3.0);
    random_quartic(&fresh.quartic, R, 4.0, 2.0);
    double mass[28] = {0}, load[R] = {1.0, -1.0, 2.0, 0.5, 0.0, 1.0, 3.0};
    for (int64_t i = 0; i < R; i++) {
        mass[pal_pair_at(i, i)] = 2.0 + (double)i;
    }
    open_body(&f, NULL, PAL_DOUBLE, &plain);
    open_body(&fresh, mass, PAL_DOUBLE, &plain);
    void *memory = aligned_alloc(64, pal_newmark_coefficient_bytes(R, PAL_DOUBLE));
    pal_newmark_swap(f.body, pal_newmark_prepare(memory, &fresh.quartic, mass, PAL_DOUBLE));
    for (int step = 0; step < 20; step++) {
        pal_newmark_step(f.body, load, NULL, 0, NULL);
        pal_newmark_step(fresh.body, load, NULL, 0, NULL);
    }
    TEST_ASSERT_EQUAL_MEMORY(pal_newmark_q(fresh.body), pal_newmark_q(f.body), R * sizeof(double));
    free(memory);
    close_body(&f);
    close_body(&fresh);
}

// Two halves without contact are the step; with a force between them they are the step under that
// force, because A does not depend on it; and halved rows make the compliance.
static void test_the_two_halves_of_a_step_are_the_step(void) {
    enum { R = 11 };
    for (int loaded = 0; loaded < 2; loaded++) {
        fixture whole = {0}, parts = {0};
        seed = 77;
        random_quartic(&whole.quartic, R, 30.0, 60.0);
        seed = 77;
        random_quartic(&parts.quartic, R, 30.0, 60.0);
        const pal_newmark_options damped = {
            .dt = 0.001, .alpha = 0.3, .beta = 0.002, .newton_iterations = 1};
        open_body(&whole, NULL, PAL_DOUBLE, &damped);
        open_body(&parts, NULL, PAL_DOUBLE, &damped);
        for (int step = 0; step < 50; step++) {
            double load[R], contact[R], both[R];
            for (int i = 0; i < R; i++) {
                load[i] = 100.0 * random_number();
                contact[i] = loaded * 300.0 * random_number();
                both[i] = load[i] + contact[i];
            }
            pal_newmark_step(whole.body, both, NULL, 0, NULL);
            TEST_ASSERT_EQUAL_UINT32(0, pal_newmark_begin(parts.body, load));
            TEST_ASSERT_EQUAL_UINT32(0, pal_newmark_finish(parts.body, contact));
            for (int i = 0; i < R; i++) {
                TEST_ASSERT_DOUBLE_WITHIN(1e-11, pal_newmark_q(whole.body)[i],
                                          pal_newmark_q(parts.body)[i]);
                TEST_ASSERT_DOUBLE_WITHIN(1e-8, pal_newmark_velocity(whole.body)[i],
                                          pal_newmark_velocity(parts.body)[i]);
            }
        }
        close_body(&whole);
        close_body(&parts);
    }
}

static void test_halved_rows_make_the_compliance_of_the_step(void) {
    enum { R = 11, ROWS = 8 };
    fixture f = {0};
    random_quartic(&f.quartic, R, 30.0, 60.0);
    open_body(&f, NULL, PAL_DOUBLE, &plain);
    const double none[R] = {0.0};
    double row[ROWS][R];
    _Alignas(32) double x[R][ROWS];
    pal_newmark_begin(f.body, none);
    for (int k = 0; k < ROWS; k++) {
        for (int i = 0; i < R; i++) {
            row[k][i] = x[i][k] = random_number();
        }
    }
    pal_newmark_halve(f.body, &x[0][0], ROWS);
    // From rest and without a load, a step under row k is A^-1 row_k.
    for (int k = 0; k < ROWS; k++) {
        pal_newmark_begin(f.body, none);
        pal_newmark_finish(f.body, row[k]);
        for (int l = 0; l < ROWS; l++) {
            double moved = 0.0, compliance = 0.0;
            for (int i = 0; i < R; i++) {
                moved += row[l][i] * pal_newmark_q(f.body)[i];
                compliance += x[i][k] * x[i][l];
            }
            TEST_ASSERT_DOUBLE_WITHIN(1e-16, moved, compliance);
        }
        pal_newmark_set_state(f.body, NULL, NULL, NULL);
    }
    close_body(&f);
}

// A force that lasts takes q where the stiffness at this place says: K x = b.
static void test_a_lasting_force_settles_by_the_stiffness(void) {
    enum { R = 11 };
    fixture f;
    random_quartic(&f.quartic, R, 5.0, 10.0);
    open_body(&f, NULL, PAL_DOUBLE, &plain);
    double q[PAL_MAX_R] = {0.0}, none[PAL_MAX_R] = {0.0}, force[PAL_MAX_R], k[R * R];
    _Alignas(32) double b[PAL_MAX_R] = {0.0}, x[PAL_MAX_R] = {0.0};
    for (int32_t i = 0; i < R; i++) {
        q[i] = 0.3 * random_number();
        b[i] = x[i] = random_number();
    }
    pal_newmark_set_state(f.body, q, none, none);
    TEST_ASSERT_EQUAL_UINT32(0, pal_newmark_begin(f.body, none));
    TEST_ASSERT_TRUE(pal_newmark_settle(f.body, x));
    pal_newmark_evaluate(f.body, q, force, k);
    for (int32_t i = 0; i < R; i++) {
        double sum = 0.0;
        for (int32_t j = 0; j < R; j++) {
            sum += k[i * R + j] * x[j];
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, b[i], sum);
    }
    close_body(&f);
}

static void test_halves_with_no_number_keep_the_place_at_rest(void) {
    enum { R = 5 };
    fixture f = {0};
    random_quartic(&f.quartic, R, 30.0, 60.0);
    open_body(&f, NULL, PAL_DOUBLE, &plain);
    const double none[R] = {0.0}, bad[R] = {NAN};
    pal_newmark_begin(f.body, none);
    TEST_ASSERT_TRUE(pal_newmark_finish(f.body, bad) & PAL_OUT_NAN);
    pal_newmark_begin(f.body, bad);
    TEST_ASSERT_TRUE(pal_newmark_finish(f.body, none) & PAL_OUT_NAN);
    for (int i = 0; i < R; i++) {
        TEST_ASSERT_TRUE(pal_newmark_q(f.body)[i] == 0.0);
        TEST_ASSERT_TRUE(pal_newmark_velocity(f.body)[i] == 0.0);
    }
    close_body(&f);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_kernel_equals_the_plain_loops_for_every_size);
    RUN_TEST(test_ldlt_solves_as_lapack_does);
    RUN_TEST(test_ldlt_refuses_an_indefinite_matrix);
    RUN_TEST(test_steps_equal_the_papers_algorithm);
    RUN_TEST(test_energy_of_a_free_vibration_stays_bounded);
    RUN_TEST(test_newmark_is_of_second_order);
    RUN_TEST(test_an_indefinite_step_matrix_is_shifted_and_counted);
    RUN_TEST(test_not_a_number_leaves_the_last_good_state);
    RUN_TEST(test_a_state_beyond_the_bound_ends_in_rest);
    RUN_TEST(test_a_place_where_steps_keep_failing_is_left);
    RUN_TEST(test_an_implicit_spring_comes_to_balance);
    RUN_TEST(test_springs_that_pull_sum_up);
    RUN_TEST(test_swapped_coefficients_act_as_fresh_ones);
    RUN_TEST(test_the_two_halves_of_a_step_are_the_step);
    RUN_TEST(test_halved_rows_make_the_compliance_of_the_step);
    RUN_TEST(test_a_lasting_force_settles_by_the_stiffness);
    RUN_TEST(test_halves_with_no_number_keep_the_place_at_rest);
    return UNITY_END();
}
