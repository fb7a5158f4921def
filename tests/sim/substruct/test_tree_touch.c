// A touched tree: what its domains do between the halves of a step is what they do after it.
#include <math.h>
#include <string.h>
#include <unity.h>

#include "sim/base/rng.h"
#include "sim/substruct/tree_touch.h"
#include "tests/support/point_tree.h"

void setUp(void) {
}
void tearDown(void) {
}

// A root with three children; one has two more, and one of these nine.
static const int32_t kind[15] = {0, 1, 1, 2, 1, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2},
                     parent[15] = {-1, 0, 0, 0, 1, 1, 5, 5, 5, 5, 5, 5, 5, 5, 5},
                     port[15] = {0, 0, 2, 1, 0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8};

static void make(point_tree *t, bool flies) {
    const point_spec spec = {.class_count = 4,
                             .r = {5, 4, 3, 6},
                             .ports = {3, 2, 1, 10},
                             .domain_count = 15,
                             .kind = kind,
                             .parent = parent,
                             .port = port,
                             .stiffness = 900.0,
                             .size = 0.2,
                             .scaled = true,
                             .flies = flies};
    point_tree_make(t, &spec, 5);
}

static pal_tree_state *open_at_random(const point_tree *t, pal_inertia inertia, bool moves) {
    const pal_tree_options options = {
        .dt = 1e-3, .inertia = inertia, .threads = 1, .gravity = {0.0, 1.0, -9.0}};
    pal_rng rng = pal_rng_make(3, 3);
    pal_tree_state *state = NULL;
    TEST_ASSERT_EQUAL_INT(PAL_OK, pal_tree_open(&t->tree, &options, &state, NULL));
    for (int32_t i = 0; i < t->tree.domain_count; i++) {
        double q[64], v[64];
        for (int l = 0; l < 64; l++) {
            q[l] = pal_rng_uniform(&rng, -0.03, 0.03);
            v[l] = moves ? pal_rng_uniform(&rng, -0.3, 0.3) : 0.0;
        }
        pal_tree_set(state, i, q, v, NULL);
    }
    pal_tree_settle(state);
    return state;
}

static void random_force(int32_t size, double *force) {
    pal_rng rng = pal_rng_make(9, 1);
    for (int32_t k = 0; k < size; k++) {
        force[k] = pal_rng_uniform(&rng, -1.0, 1.0);
    }
}

// way + L L^T force
static void expect(const pal_tree_touch *t, const double *force, double *out) {
    for (int32_t i = 0; i < t->size; i++) {
        out[i] = t->way[i];
    }
    for (int32_t k = 0; k < t->size; k++) {
        double along = 0.0;
        for (int32_t i = 0; i < t->size; i++) {
            along += t->root[i * t->stride + k] * force[i];
        }
        for (int32_t i = 0; i < t->size; i++) {
            out[i] += t->root[i * t->stride + k] * along;
        }
    }
}

static pal_tree_touch touch; // large

static void check_answer(bool flies) {
    static const int32_t touched[3] = {9, 2, 13};
    point_tree t;
    make(&t, flies);
    pal_tree_state *state = open_at_random(&t, PAL_INERTIA_EXACT, true);
    double force[PAL_TOUCH_SIZE], way[PAL_TOUCH_SIZE], before[3][64], after[64];
    TEST_ASSERT_EQUAL_INT(PAL_OK, pal_tree_touch_open(&touch, state, NULL));
    pal_tree_begin(state);
    for (int k = 0; k < 3; k++) {
        TEST_ASSERT_GREATER_OR_EQUAL_INT(0, pal_tree_touch_add(&touch, state, touched[k]));
        pal_tree_get(state, touched[k], before[k], NULL, NULL);
    }
    TEST_ASSERT_EQUAL_UINT32(0, pal_tree_touch_solve(&touch, state));
    random_force(touch.size, force);
    expect(&touch, force, way);
    pal_tree_touch_push(&touch, state, force);
    TEST_ASSERT_EQUAL_UINT32(0, pal_tree_finish(state));
    for (int k = 0; k < 3; k++) {
        const int32_t r = t.class_[kind[touched[k]]].r;
        pal_tree_get(state, touched[k], after, NULL, NULL);
        for (int32_t l = 0; l < r; l++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-15, way[touch.first[k] + 6 + l], after[l] - before[k][l]);
        }
    }
    pal_tree_touch_close(&touch);
    pal_tree_close(state);
    point_tree_free(&t);
}

static void test_touched_modes_go_where_the_compliance_says(void) {
    check_answer(false);
}

static void test_a_flying_tree_gives_way_as_a_whole(void) {
    check_answer(true);
}

static void test_touched_frames_go_where_the_compliance_says(void) {
    static const int32_t touched = 9;
    point_tree t;
    make(&t, false);
    pal_tree_state *state = open_at_random(&t, PAL_INERTIA_EXACT, false);
    double force[PAL_TOUCH_SIZE], way[PAL_TOUCH_SIZE], x[3], turn[3][3], moved[3], turned[3][3];
    TEST_ASSERT_EQUAL_INT(PAL_OK, pal_tree_touch_open(&touch, state, NULL));
    pal_tree_begin(state);
    pal_tree_touch_add(&touch, state, touched);
    pal_tree_touch_solve(&touch, state);
    random_force(touch.size, force);
    expect(&touch, force, way);
    pal_tree_frame(state, touched, x, turn);
    pal_tree_touch_push(&touch, state, force);
    pal_tree_finish(state);
    pal_tree_frame(state, touched, moved, turned);
    double by[3][3] = {{0}}, size = 0.0;
    for (int a = 0; a < 3; a++) {
        double along = 0.0;
        for (int b = 0; b < 3; b++) {
            along += turn[b][a] * (moved[b] - x[b]);
            for (int k = 0; k < 3; k++) {
                by[a][b] += turn[k][a] * turned[k][b];
            }
        }
        size = fmax(size, fabs(way[a]));
        TEST_ASSERT_DOUBLE_WITHIN(1e-4 * fabs(way[a]) + 1e-12, way[a], along);
    }
    const double spin[3] = {by[2][1], by[0][2], by[1][0]};
    for (int a = 0; a < 3; a++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-3 * fabs(way[3 + a]) + 1e-10, way[3 + a], spin[a]);
    }
    TEST_ASSERT_GREATER_THAN_DOUBLE(1e-7, size);
    pal_tree_touch_close(&touch);
    pal_tree_close(state);
    point_tree_free(&t);
}

// A force at a point of a domain, as forces on its coordinates.
static void on_coordinates(const point_tree *t, const pal_tree_state *state, int32_t domain,
                           int point, const double *world, double *u, double *force) {
    const int32_t r = t->class_[kind[domain]].r;
    const double s = t->domain[domain].scale, *x = t->points[kind[domain]].x[point];
    double at[3], turn[3][3], own[3], q[64];
    for (int e = 0; e < 3 * r; e++) {
        u[e] = t->points[kind[domain]].u[point][e / r][e % r];
    }
    pal_tree_frame(state, domain, at, turn);
    pal_tree_get(state, domain, q, NULL, NULL);
    for (int a = 0; a < 3; a++) {
        at[a] = s * x[a];
        own[a] = turn[0][a] * world[0] + turn[1][a] * world[1] + turn[2][a] * world[2];
        for (int32_t l = 0; l < r; l++) {
            at[a] += s * u[a * r + l] * q[l];
        }
    }
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        force[a] = own[a];
        force[3 + a] = at[b] * own[c] - at[c] * own[b];
        for (int32_t l = 0; l < r; l++) {
            force[6 + l] += s * u[a * r + l] * own[a];
        }
    }
}

static void check_push(pal_inertia inertia, bool flies) {
    static const int32_t touched = 11;
    enum { POINT = 4 };
    point_tree t;
    make(&t, flies);
    pal_tree_state *one = open_at_random(&t, inertia, true);
    pal_tree_state *two = open_at_random(&t, inertia, true);
    const double world[3] = {0.5, -1.5, 2.0};
    double u[3 * 64], force[PAL_TOUCH_SIZE] = {0};
    on_coordinates(&t, one, touched, POINT, world, u, force);
    pal_tree_push(one, touched, t.points[kind[touched]].x[POINT], u, world);
    pal_tree_begin(one);
    pal_tree_begin(two);
    TEST_ASSERT_EQUAL_INT(PAL_OK, pal_tree_touch_open(&touch, two, NULL));
    pal_tree_touch_add(&touch, two, touched);
    pal_tree_touch_solve(&touch, two);
    pal_tree_touch_push(&touch, two, force);
    for (int k = 0; k < 3; k++) {
        pal_tree_finish(one);
        pal_tree_finish(two);
        pal_tree_begin(one);
        pal_tree_begin(two);
    }
    for (int32_t i = 0; i < t.tree.domain_count; i++) {
        double a[64], b[64];
        pal_tree_get(one, i, NULL, a, NULL);
        pal_tree_get(two, i, NULL, b, NULL);
        for (int32_t l = 0; l < t.class_[kind[i]].r; l++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, a[l], b[l]);
        }
    }
    pal_tree_touch_close(&touch);
    pal_tree_close(one);
    pal_tree_close(two);
    point_tree_free(&t);
}

// A force between the halves is the same force before them, with every inertia.
static void test_pushing_between_the_halves_is_pushing(void) {
    for (int inertia = 0; inertia < 3; inertia++) {
        check_push((pal_inertia)inertia, false);
        check_push((pal_inertia)inertia, true);
    }
}

// Which thread does what makes no difference, bit for bit.
static void test_two_threads_give_what_one_gives(void) {
    for (int inertia = 0; inertia < 3; inertia++) {
        point_tree t;
        make(&t, false);
        pal_tree_state *state[2];
        for (int k = 0; k < 2; k++) {
            const pal_tree_options options = {.dt = 1e-3,
                                              .inertia = (pal_inertia)inertia,
                                              .threads = 1 + k,
                                              .gravity = {0.0, 1.0, -9.0}};
            TEST_ASSERT_EQUAL_INT(PAL_OK, pal_tree_open(&t.tree, &options, &state[k], NULL));
            for (int step = 0; step < 300; step++) {
                pal_tree_step(state[k]);
            }
        }
        for (int32_t i = 0; i < t.tree.domain_count; i++) {
            double q[2][64] = {{0}};
            for (int k = 0; k < 2; k++) {
                pal_tree_get(state[k], i, q[k], NULL, NULL);
            }
            TEST_ASSERT_EQUAL_MEMORY(q[0], q[1], sizeof q[0]);
        }
        pal_tree_close(state[0]);
        pal_tree_close(state[1]);
        point_tree_free(&t);
    }
}

// In the long run masses do not matter: what a force does then is what it does in one step that is
// long enough.
static void test_what_lasts_is_a_step_without_end(void) {
    static const int32_t touched[3] = {9, 2, 13};
    const pal_tree_options options = {.dt = 1e5, .inertia = PAL_INERTIA_EXACT, .threads = 1};
    static double force[2][PAL_TOUCH_SIZE], work[2], way[2][PAL_TOUCH_SIZE];
    for (int flies = 0; flies < 2; flies++) {
        point_tree t;
        pal_tree_state *state = NULL;
        make(&t, flies);
        TEST_ASSERT_EQUAL_INT(PAL_OK, pal_tree_open(&t.tree, &options, &state, NULL));
        TEST_ASSERT_EQUAL_INT(PAL_OK, pal_tree_touch_open(&touch, state, NULL));
        pal_tree_begin(state);
        for (int k = 0; k < 3; k++) {
            pal_tree_touch_add(&touch, state, touched[k]);
        }
        TEST_ASSERT_EQUAL_UINT32(0, pal_tree_touch_solve(&touch, state));
        random_force(touch.size, force[0]);
        for (int32_t k = 0; k < touch.size; k++) { // on one of the three, and on the others
            force[1][k] = k < touch.first[1] ? 0.0 : force[0][k];
            force[0][k] = k < touch.first[1] ? force[0][k] : 0.0;
        }
        expect(&touch, force[0], way[0]);
        expect(&touch, force[1], way[1]);
        const bool known = pal_tree_touch_lasting(&touch, state, 2, force[0], PAL_TOUCH_SIZE, work);
        TEST_ASSERT_EQUAL_INT(!flies, known);
        for (int k = 0; k < 2 && known; k++) {
            double law = 0.0;
            for (int32_t i = 0; i < touch.size; i++) {
                law += force[k][i] * (way[k][i] - touch.way[i]);
            }
            TEST_ASSERT_TRUE(law > 0.0);
            TEST_ASSERT_DOUBLE_WITHIN(1e-7 * law, law, work[k]);
        }
        pal_tree_touch_close(&touch);
        pal_tree_close(state);
        point_tree_free(&t);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_two_threads_give_what_one_gives);
    RUN_TEST(test_touched_modes_go_where_the_compliance_says);
    RUN_TEST(test_a_flying_tree_gives_way_as_a_whole);
    RUN_TEST(test_touched_frames_go_where_the_compliance_says);
    RUN_TEST(test_pushing_between_the_halves_is_pushing);
    RUN_TEST(test_what_lasts_is_a_step_without_end);
    return UNITY_END();
}
