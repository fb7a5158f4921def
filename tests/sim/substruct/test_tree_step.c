// The laws of a tree of domains, on trees of point masses at random: what the step's accelerations
// are can be said there from where the masses are, by differences, without any formula of frames
// and moments.
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

#include "sim/base/memory.h"
#include "sim/base/rng.h"
#include "tests/support/point_tree.h"

void setUp(void) {
}
void tearDown(void) {
}

// A root with three children, one of them with two more: depth 2, ports left free.
static const int32_t kind[6] = {0, 1, 1, 2, 1, 2}, parent[6] = {-1, 0, 0, 0, 1, 1},
                     port[6] = {0, 0, 2, 1, 0, 1};
static point_spec small_spec(void) {
    return (point_spec){.class_count = 3,
                        .r = {5, 4, 3},
                        .ports = {3, 2, 1},
                        .domain_count = 6,
                        .kind = kind,
                        .parent = parent,
                        .port = port,
                        .stiffness = 900.0,
                        .size = 0.2,
                        .scaled = true};
}

static pal_tree_state *open_tree(const point_tree *t, pal_inertia inertia, double dt) {
    const pal_tree_options options = {.dt = dt, .inertia = inertia, .threads = 1};
    pal_tree_state *state = NULL;
    pal_err err = {0};
    TEST_ASSERT_EQUAL_INT(PAL_OK, pal_tree_check(&t->tree, &err));
    TEST_ASSERT_EQUAL_INT(PAL_OK, pal_tree_open(&t->tree, &options, &state, &err));
    return state;
}

typedef struct coordinates {
    int32_t count; // of all modes
    double q[64], v[64], a[64], root[6], twist[6];
} coordinates;

static void random_state(const point_tree *t, pal_tree_state *state, double size, uint64_t seed,
                         coordinates *c) {
    pal_rng rng = pal_rng_make(seed, 1);
    memset(c, 0, sizeof *c);
    c->count = point_tree_first(t, t->tree.domain_count);
    for (int32_t i = 0; i < c->count; i++) {
        c->q[i] = pal_rng_uniform(&rng, -size, size);
        c->v[i] = pal_rng_uniform(&rng, -10.0 * size, 10.0 * size);
    }
    for (int32_t i = 0; i < t->tree.domain_count; i++) {
        const int32_t first = point_tree_first(t, i);
        pal_tree_set(state, i, c->q + first, c->v + first, c->a + first);
    }
    pal_tree_settle(state);
}

// x of all masses at coordinates q + h dq, root + h droot.
static void place(const point_tree *t, const coordinates *c, const double *dq, const double *droot,
                  double h, double *x) {
    double q[64], root[6];
    for (int32_t i = 0; i < c->count; i++) {
        q[i] = c->q[i] + h * dq[i];
    }
    for (int k = 0; k < 6; k++) {
        root[k] = c->root[k] + h * droot[k];
    }
    point_tree_place(t, q, root, x);
}

static void take_internal_forces(const point_tree *t, const coordinates *c, double *accel) {
    for (int32_t i = 0; i < t->tree.domain_count; i++) {
        const pal_domain *d = &t->domain[i];
        double internal[64];
        const int32_t first = point_tree_first(t, i);
        if (t->class_[d->kind].r > 0) {
            pal_quartic_eval(&t->class_[d->kind].quartic, c->q + first, internal, NULL);
        }
        for (int32_t l = 0; l < t->class_[d->kind].r; l++) {
            accel[first + l] -= d->stiffness * d->scale * d->scale * d->scale * internal[l];
        }
    }
}

// What point masses must do: J^T m (J q'' + x'') = J^T f - dV/dq, with J and x'' (the acceleration
// of the masses at constant q') by differences. The coordinates: all modes, and the root's pose
// when it flies.
static void truth(const point_tree *t, const coordinates *c, const double *force, double *accel) {
    const int32_t masses = t->tree.domain_count * POINTS, rows = 3 * masses;
    const int32_t n = c->count + (t->tree.flies ? 6 : 0);
    const double h = 2e-4;
    double *jacobian = PAL_NEW(double, (size_t)rows *(size_t)n, NULL);
    double *before = PAL_NEW(double, rows, NULL), *after = PAL_NEW(double, rows, NULL);
    double *now = PAL_NEW(double, rows, NULL), *bend = PAL_NEW(double, rows, NULL);
    double *mass = PAL_NEW(double, masses, NULL), *matrix = PAL_NEW(double, n *n, NULL);
    point_tree_masses(t, mass);
    const double still[64] = {0};
    place(t, c, still, still, 0.0, now);
    for (int32_t i = 0; i < n; i++) { // fourth order
        double one[64] = {0}, *by = i < c->count ? one + i : NULL, root[6] = {0};
        if (by != NULL) {
            *by = 1.0;
        } else {
            root[i - c->count] = 1.0;
        }
        static const double at[4] = {-2.0, -1.0, 1.0, 2.0},
                            weight[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
        for (int k = 0; k < 4; k++) {
            place(t, c, one, root, at[k] * h, after);
            for (int32_t m = 0; m < rows; m++) {
                jacobian[(size_t)m * (size_t)n + (size_t)i] += weight[k] * after[m] / h;
            }
        }
    }
    const double step = 1e-3; // s; fourth order as well
    static const double near[5] = {-2.0, -1.0, 0.0, 1.0, 2.0},
                        second[5] = {-1.0 / 12.0, 16.0 / 12.0, -30.0 / 12.0, 16.0 / 12.0,
                                     -1.0 / 12.0};
    for (int k = 0; k < 5; k++) {
        place(t, c, c->v, c->twist, near[k] * step, before);
        for (int32_t m = 0; m < rows; m++) {
            bend[m] += second[k] * before[m] / (step * step);
        }
    }
    for (int32_t i = 0; i < n; i++) {
        accel[i] = 0.0;
        for (int32_t m = 0; m < rows; m++) {
            const double j = jacobian[(size_t)m * (size_t)n + (size_t)i];
            accel[i] += j * (force[m] - mass[m / 3] * bend[m]);
            for (int32_t k = 0; k < n; k++) {
                matrix[i * n + k] += j * mass[m / 3] * jacobian[(size_t)m * (size_t)n + (size_t)k];
            }
        }
    }
    take_internal_forces(t, c, accel);
    TEST_ASSERT_EQUAL_INT(0, LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', n, 1, matrix, n, accel, 1));
    free(jacobian);
    free(before);
    free(after);
    free(now);
    free(bend);
    free(mass);
    free(matrix);
}

// Pushes on some masses and gravity on all, as the tree takes them and as forces [masses][3].
static void push(const point_tree *t, pal_tree_state *state, double *force) {
    const double gravity[3] = {0.5, -1.0, -9.0};
    pal_rng rng = pal_rng_make(7, 7);
    double mass[8 * POINTS];
    point_tree_masses(t, mass);
    pal_tree_set_gravity(state, gravity);
    for (int32_t i = 0; i < t->tree.domain_count; i++) {
        const int32_t k = t->domain[i].kind, r = t->class_[k].r;
        for (int point = 0; point < POINTS; point++) {
            double *f = force + 3 * (i * POINTS + point), u[3 * 64], by[3];
            for (int a = 0; a < 3; a++) {
                by[a] = point % 5 == 0 ? pal_rng_uniform(&rng, -1.0, 1.0) : 0.0;
                f[a] = mass[i * POINTS + point] * gravity[a] + by[a];
                for (int32_t l = 0; l < r; l++) {
                    u[a * r + l] = t->points[k].u[point][a][l];
                }
            }
            pal_tree_push(state, i, t->points[k].x[point], u, by);
        }
    }
}

static void check_exact_accelerations(bool flies, uint64_t seed) {
    point_spec spec = small_spec();
    point_tree t;
    spec.flies = flies;
    point_tree_make(&t, &spec, seed);
    pal_tree_state *state = open_tree(&t, PAL_INERTIA_EXACT, 1e-9); // a step of next to no time
    coordinates c;
    double force[3 * 8 * POINTS] = {0}, expected[70], largest = 0.0, worst = 0.0;
    random_state(&t, state, 0.03, seed, &c);
    push(&t, state, force);
    truth(&t, &c, force, expected);
    TEST_ASSERT_EQUAL_UINT32(0, pal_tree_step(state));
    for (int32_t i = 0; i < t.tree.domain_count; i++) {
        double a[64];
        const int32_t first = point_tree_first(&t, i);
        pal_tree_get(state, i, NULL, NULL, a);
        for (int32_t l = 0; l < t.class_[t.domain[i].kind].r; l++) {
            largest = fmax(largest, fabs(expected[first + l]));
            worst = fmax(worst, fabs(a[l] - expected[first + l]));
        }
    }
    TEST_ASSERT_LESS_THAN_DOUBLE(2e-7 * largest, worst);
    pal_tree_close(state);
    point_tree_free(&t);
}

static void test_exact_accelerations_are_those_of_the_point_masses(void) {
    for (uint64_t seed = 1; seed <= 4; seed++) {
        check_exact_accelerations(false, seed);
    }
}

static void test_a_free_root_accelerates_as_the_point_masses_do(void) {
    for (uint64_t seed = 1; seed <= 4; seed++) {
        check_exact_accelerations(true, seed);
    }
}

static void test_frames_carry_points_to_where_the_masses_are(void) {
    point_spec spec = small_spec();
    point_tree t;
    point_tree_make(&t, &spec, 3);
    pal_tree_state *state = open_tree(&t, PAL_INERTIA_EXACT, 1e-3);
    coordinates c;
    random_state(&t, state, 0.05, 3, &c);
    double x[3 * 6 * POINTS], ahead[3 * 6 * POINTS], back[3 * 6 * POINTS];
    const double h = 1e-6;
    place(&t, &c, c.v, c.twist, 0.0, x);
    place(&t, &c, c.v, c.twist, h, ahead);
    place(&t, &c, c.v, c.twist, -h, back);
    for (int32_t i = 0; i < 6; i++) {
        const int32_t k = t.domain[i].kind, r = t.class_[k].r;
        for (int point = 0; point < POINTS; point++) {
            double u[3 * 64], at[3], velocity[3];
            for (int e = 0; e < 3 * r; e++) {
                u[e] = t.points[k].u[point][e / r][e % r];
            }
            pal_tree_point(state, i, t.points[k].x[point], u, at, velocity);
            for (int a = 0; a < 3; a++) {
                const int32_t m = 3 * (i * POINTS + point) + a;
                TEST_ASSERT_DOUBLE_WITHIN(1e-12, x[m], at[a]);
                TEST_ASSERT_DOUBLE_WITHIN(1e-7, (ahead[m] - back[m]) / (2.0 * h), velocity[a]);
            }
        }
    }
    pal_tree_close(state);
    point_tree_free(&t);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_frames_carry_points_to_where_the_masses_are);
    RUN_TEST(test_exact_accelerations_are_those_of_the_point_masses);
    RUN_TEST(test_a_free_root_accelerates_as_the_point_masses_do);
    return UNITY_END();
}
