// Laws of carrying displacement to embedded points and forces back.
#include "sim/mesh/embed.h"

#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

enum { VERTICES = 12, POINTS = 30, NODES = 8 };

static test_random rng;
static int32_t vertex[POINTS * NODES];
static double weight[POINTS * NODES];

void setUp(void) {
    rng.state = 3;
}
void tearDown(void) {
}

// Rows of weights that sum to 1, some negative, on vertices that several points share.
static pal_embedding random_embedding(int32_t nodes) {
    for (int32_t p = 0; p < POINTS; p++) {
        double rest = 1.0;
        for (int32_t a = 0; a < nodes; a++) {
            int32_t at = p * nodes + a;
            vertex[at] = (p + a * (1 + p % 2)) % VERTICES;
            weight[at] = a < nodes - 1 ? random_number(&rng) : rest;
            rest -= weight[at];
        }
    }
    return (pal_embedding){POINTS, nodes, vertex, weight};
}

// Virtual work: f . (W u) = (W^T f) . u
static void test_force_is_the_transpose_of_displacement(void) {
    for (int32_t nodes = 4; nodes <= 8; nodes += 4) {
        pal_embedding e = random_embedding(nodes);
        double u[3 * VERTICES], moved[3 * POINTS], f[3 * POINTS], back[3 * VERTICES] = {0.0};
        random_fill(&rng, 1.0, u, 3 * VERTICES);
        random_fill(&rng, 1.0, f, 3 * POINTS);
        pal_embedding_displace(&e, u, moved);
        pal_embedding_force(&e, f, back);
        double at_points = 0.0, at_vertices = 0.0;
        for (int p = 0; p < POINTS; p++) {
            at_points += pal_dot3(f + 3 * p, moved + 3 * p);
        }
        for (int v = 0; v < VERTICES; v++) {
            at_vertices += pal_dot3(back + 3 * v, u + 3 * v);
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, at_points, at_vertices);
    }
}

static void test_translation_moves_every_point_alike(void) {
    const double shift[3] = {0.5, -2.0, 7.0};
    pal_embedding e = random_embedding(NODES);
    double u[3 * VERTICES], moved[3 * POINTS];
    for (int i = 0; i < 3 * VERTICES; i++) {
        u[i] = shift[i % 3];
    }
    pal_embedding_displace(&e, u, moved);
    for (int i = 0; i < 3 * POINTS; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-13, shift[i % 3], moved[i]);
    }
}

static void test_total_force_is_kept_and_added(void) {
    pal_embedding e = random_embedding(4);
    double f[3 * POINTS], force[3 * VERTICES], total[3] = {0.0, 0.0, 0.0};
    random_fill(&rng, 1.0, f, 3 * POINTS);
    random_fill(&rng, 1.0, force, 3 * VERTICES);
    for (int i = 0; i < 3 * POINTS; i++) {
        total[i % 3] += f[i];
    }
    for (int i = 0; i < 3 * VERTICES; i++) { // what was there before stays
        total[i % 3] += force[i];
    }
    pal_embedding_force(&e, f, force);
    for (int i = 0; i < 3 * VERTICES; i++) {
        total[i % 3] -= force[i];
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.0, pal_norm3(total));
}

static void test_no_points_do_nothing(void) {
    pal_embedding none = {0, 4, NULL, NULL};
    double force[3] = {1.0, 2.0, 3.0};
    pal_embedding_displace(&none, force, NULL);
    pal_embedding_force(&none, NULL, force);
    TEST_ASSERT_TRUE(force[0] == 1.0 && force[1] == 2.0 && force[2] == 3.0);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_force_is_the_transpose_of_displacement);
    RUN_TEST(test_translation_moves_every_point_alike);
    RUN_TEST(test_total_force_is_kept_and_added);
    RUN_TEST(test_no_points_do_nothing);
    return UNITY_END();
}
