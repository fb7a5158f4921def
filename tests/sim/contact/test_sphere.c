#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/contact/sphere.h"
#include "sim/contact/track.h"
#include "sim/reduced/quartic_build.h"
#include "tests/support/check.h"
#include "tests/support/shapes.h"
#include "tests/support/soft_surface.h"

enum { R = 12, BUDGET = 4000 };

static const double still[3] = {0.0, 0.0, 0.0};
static const double block[3] = {1.0, 0.8, 0.5}; // m

static test_random seed;
static soft_surface soft;
static pal_sphere_contact tool;
static pal_contact contact;
static pal_spring spring;
static double row[R];

void setUp(void) {
    seed.state = 21;
    memset(&soft, 0, sizeof soft);
}

void tearDown(void) {
    soft_close(&soft);
}

static void open_block(void) {
    soft_open_box(&soft, (int[3]){10, 8, 5}, block, R, &seed);
    pal_sphere_init(&tool, 0.05, 800.0, 2.0, BUDGET);
}

static void open_ball(int n) {
    soft_open_ball(&soft, n, R, &seed);
    pal_sphere_init(&tool, 0.1, 800.0, 2.0, BUDGET);
}

static pal_outcome find(const double x[3]) {
    return pal_sphere_find(&tool, &soft.tree, &soft.body, x, still, row, &spring, &contact);
}

static double angle(const double *a, const double *b) {
    double cross[3];
    pal_cross3(a, b, cross);
    return atan2(pal_norm3(cross), pal_dot3(a, b));
}

// ---- Flat faces, edges, corners -----------------------------------------------------------------

static void check_contact(const double x[3], double depth, const double normal[3]) {
    TEST_ASSERT_EQUAL_INT(0, find(x));
    TEST_ASSERT_TRUE(contact.touching);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, depth, contact.depth);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, depth, spring.depth);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 800.0, spring.k);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 2.0, spring.b);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0.0, angle(normal, contact.normal));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.0, pal_norm3(contact.normal));
}

static void test_depth_and_normal_on_a_flat_face_are_exact(void) {
    open_block();
    const double up[3] = {0.0, 0.0, 1.0};
    for (int i = 0; i < 500; i++) {
        double x[3] = {0.5 + 0.35 * random_number(&seed), 0.4 + 0.25 * random_number(&seed), 0.0};
        x[2] = block[2] + 0.07 * random_number(&seed);
        double depth = 0.05 - (x[2] - block[2]);
        if (i % 5 == 0) {
            pal_sphere_init(&tool, 0.05, 800.0, 2.0, BUDGET); // without memory too
        }
        if (depth > 0.0) {
            check_contact(x, depth, up);
            TEST_ASSERT_TRUE(tool.inside == (x[2] < block[2]));
        } else {
            TEST_ASSERT_EQUAL_INT(0, find(x));
            TEST_ASSERT_FALSE(contact.touching);
            TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, contact.depth);
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, x[2] - block[2], contact.nearest.distance);
        }
    }
}

// Right on the surface there is no direction to the nearest point; the surface itself has one.
static void test_a_centre_on_the_surface_takes_the_normal_of_the_surface(void) {
    open_block();
    const double face[3] = {0.0, 0.0, 1.0}, edge[3] = {1.0, 0.0, 1.0}, corner[3] = {1.0, 1.0, 1.0};
    for (int k = 0; k < 2; k++) { // on a triangle, and on an edge between two
        check_contact((double[3]){k ? 0.5 : 0.53, k ? 0.4 : 0.41, block[2]}, 0.05, face);
    }
    check_contact((double[3]){block[0], 0.43, block[2]}, 0.05, edge);
    check_contact((double[3]){block[0], block[1], block[2]}, 0.05, corner);
}

static void test_edges_and_corners_push_away_from_themselves(void) {
    open_block();
    const double edge[3] = {0.6, 0.0, 0.8}, corner[3] = {0.6, 0.48, 0.64};
    check_contact((double[3]){block[0] + 0.6 * 0.03, 0.4, block[2] + 0.8 * 0.03}, 0.02, edge);
    check_contact(
        (double[3]){block[0] + 0.6 * 0.03, block[1] + 0.48 * 0.03, block[2] + 0.64 * 0.03},
        0.05 - 0.03 * pal_norm3(corner), corner);
}

// Along a straight path over the rim of the block the normal turns no faster than the direction to
// the rim does: by step / distance.
static void test_the_normal_turns_gradually_over_an_edge(void) {
    open_block();
    double last[3] = {0.0, 0.0, 1.0}, step = 2e-4, largest = 0.0, turned = 0.0;
    for (int i = -400; i <= 240; i++) {
        double x[3] = {block[0] + step * i, 0.4 + 0.3 * step * i, block[2] + 0.02};
        TEST_ASSERT_EQUAL_INT(0, find(x));
        if (contact.touching) {
            double turn = angle(last, contact.normal);
            largest = fmax(largest, turn);
            turned += turn;
            memcpy(last, contact.normal, sizeof last);
            TEST_ASSERT_TRUE(turn <= 1.0001 * step / contact.nearest.distance + 1e-9);
        }
    }
    TEST_ASSERT_TRUE(largest > 0.0 && turned > 1.0);
}

// Over the facets of a ball, outside and inside: no turn larger than the way over the ball and one
// angle between facets; and no jump of the depth.
static void check_slide_over_ball(double height, double facet) {
    double last[3], depth = 0.0, step = 2e-3;
    for (int i = 0; i < 700; i++) {
        double a = step * i, x[3] = {cos(a), 0.8 * sin(a), 0.6 * sin(a)};
        for (int c = 0; c < 3; c++) {
            x[c] *= 1.0 + height;
        }
        TEST_ASSERT_EQUAL_INT(0, find(x));
        TEST_ASSERT_TRUE(contact.touching);
        if (i > 0) {
            double turn = angle(last, contact.normal);
            double slack = height > 0.0 ? step * (1.0 + height) / contact.nearest.distance : facet;
            TEST_ASSERT_TRUE(turn <= fmin(slack, facet) + step);
            TEST_ASSERT_DOUBLE_WITHIN(1.01 * step * (1.0 + height), depth, contact.depth);
        }
        TEST_ASSERT_TRUE(angle(x, contact.normal) < facet);
        TEST_ASSERT_TRUE(tool.inside == (height < 0.0));
        depth = contact.depth;
        memcpy(last, contact.normal, sizeof last);
    }
}

static void test_the_normal_is_smooth_over_the_facets_of_a_ball(void) {
    open_ball(24);
    const double heights[] = {0.05, 0.01, -0.02, -0.1, -0.3};
    for (int i = 0; i < 5; i++) {
        pal_sphere_init(&tool, 0.1, 800.0, 2.0, BUDGET);
        check_slide_over_ball(heights[i], 0.13); // radians between neighbours, at most
    }
}

// ---- Inside -------------------------------------------------------------------------------------

// Pressed down into a slab that is four radii thick, and on out through its back.
static void test_a_sphere_pushed_deep_is_pushed_out_the_way_it_came(void) {
    soft_open_box(&soft, (int[3]){10, 8, 2}, (double[3]){1.0, 0.8, 0.2}, R, &seed);
    const double speeds[] = {1e-4, 1e-3, 1e-2, 0.04};
    for (int k = 0; k < 4; k++) {
        pal_sphere_init(&tool, 0.05, 800.0, 2.0, BUDGET);
        double x[3] = {0.47, 0.41, 0.3};
        for (; x[2] > -0.15; x[2] -= speeds[k]) {
            TEST_ASSERT_EQUAL_INT(0, find(x));
            TEST_ASSERT_TRUE(contact.touching == (x[2] < 0.25 - 1e-12) || fabs(x[2] - 0.25) < 1e-9);
            if (contact.touching) {
                TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.25 - x[2], contact.depth);
                TEST_ASSERT_TRUE(contact.normal[2] > 1.0 - 1e-9);
            }
        }
        // Sideways at depth, and out again where it came in: free.
        for (; x[0] > 0.3; x[0] -= 0.003) {
            find(x);
            TEST_ASSERT_TRUE(contact.normal[2] > 1.0 - 1e-9);
        }
        for (; x[2] < 0.3; x[2] += 1e-3) {
            find(x);
            TEST_ASSERT_TRUE(!contact.touching || contact.normal[2] > 1.0 - 1e-9);
        }
        TEST_ASSERT_FALSE(contact.touching || tool.inside);
    }
}

// No pop-through: random strikes at 1 m/s (a millimetre a tick) into a sheet of 2 mm by a sphere of
// 1 mm, the sheet moving too.
static void test_strikes_never_come_out_at_the_back_of_a_sheet(void) {
    soft_open_box(&soft, (int[3]){40, 40, 1}, (double[3]){0.1, 0.1, 0.002}, R, &seed);
    for (int k = 0; k < 300; k++) {
        pal_sphere_init(&tool, 0.001, 800.0, 2.0, BUDGET);
        double x[3], way[3] = {0.4 * random_number(&seed), 0.4 * random_number(&seed), 1.0};
        double above = k % 2 == 0 ? 1.0 : -1.0, length = pal_norm3(way);
        soft_deform(&soft, 1e-3, &seed);
        for (int c = 0; c < 3; c++) {
            way[c] *= -1e-3 * above / length;
            x[c] = (c < 2 ? 0.05 : 0.001) - 12.0 * way[c] + 3e-4 * random_number(&seed);
        }
        bool touched = false;
        for (int tick = 0; tick < 25; tick++) {
            for (int32_t l = 0; l < R; l++) {
                soft.q[l] *= 0.99;
            }
            find(x);
            touched = touched || contact.touching;
            TEST_ASSERT_TRUE(contact.touching == touched);
            TEST_ASSERT_TRUE(!touched || contact.normal[2] * above > 0.8);
            for (int c = 0; c < 3; c++) {
                x[c] += way[c];
            }
        }
        TEST_ASSERT_TRUE(touched && contact.depth > 0.008);
    }
}

static void test_a_start_inside_is_recognised(void) {
    open_block();
    int inside = 0;
    for (int i = 0; i < 2000; i++) {
        double x[3];
        bool truth = true;
        for (int c = 0; c < 3; c++) {
            x[c] = block[c] * (0.5 + 0.8 * random_number(&seed));
            truth = truth && x[c] > 0.0 && x[c] < block[c];
        }
        pal_sphere_init(&tool, 0.05, 800.0, 2.0, BUDGET);
        TEST_ASSERT_EQUAL_INT(0, find(x));
        TEST_ASSERT_TRUE(tool.inside == truth);
        TEST_ASSERT_TRUE(!truth || contact.touching);
        inside += truth;
    }
    TEST_ASSERT_TRUE(inside > 200 && inside < 1800);
}

// Inside and outside by the solid angle of all triangles (4 pi inside), on the deformed ball with
// its edges and corners.
static double solid_angle(const double x[3]) {
    double total = 0.0;
    for (int32_t t = 0; t < soft.body.triangle_count; t++) {
        double to[3][3], cross[3], length[3];
        for (int i = 0; i < 3; i++) {
            soft.body.functions->position(&soft.body, soft.body.triangle[3 * t + i], to[i]);
            pal_sub3(to[i], x, to[i]);
            length[i] = pal_norm3(to[i]);
        }
        pal_cross3(to[1], to[2], cross);
        double bottom = length[0] * length[1] * length[2] + pal_dot3(to[0], to[1]) * length[2] +
                        pal_dot3(to[1], to[2]) * length[0] + pal_dot3(to[2], to[0]) * length[1];
        total += 2.0 * atan2(pal_dot3(to[0], cross), bottom);
    }
    return total;
}

static void test_the_side_is_that_of_the_solid_angle_on_a_spiky_body(void) {
    // Spikes: every second vertex is pulled out or pushed in; the nearest feature is often a
    // corner.
    shape_add_sphere(&soft.surface, still, 1.0, 4);
    for (int32_t v = 0; v < soft.surface.vertex_count; v++) {
        double *x = soft.surface.x + 3 * v;
        double scale = 1.0 + 0.5 * sin(25.0 * x[0] + 31.0 * x[1] + 17.0 * x[2]);
        for (int c = 0; c < 3; c++) {
            x[c] *= scale;
        }
    }
    soft_open(&soft, R, &seed);
    int corners = 0, edges = 0;
    for (int i = 0; i < 3000; i++) {
        double x[3];
        soft_deform(&soft, i % 2 == 0 ? 0.0 : 0.05, &seed);
        random_fill(&seed, 1.3, x, 3);
        pal_sphere_init(&tool, 1.0, 800.0, 2.0, BUDGET);
        TEST_ASSERT_EQUAL_INT(0, find(x));
        TEST_ASSERT_TRUE(tool.inside == (solid_angle(x) > 6.0));
        int zeros = 0;
        for (int c = 0; c < 3 && contact.nearest.triangle >= 0; c++) {
            zeros += contact.nearest.weight[c] == 0.0;
        }
        corners += zeros == 2;
        edges += zeros == 1;
    }
    TEST_ASSERT_TRUE(corners > 100 && edges > 100);
}

// ---- The spring ---------------------------------------------------------------------------------

// A random place in touch with the deformed surface; -1: not touching.
static void touch_somewhere(double x[3], bool inside) {
    do {
        double way[3];
        soft_deform(&soft, 0.1, &seed);
        random_fill(&seed, 1.0, way, 3);
        pal_sphere_init(&tool, 0.1, 800.0, 2.0, BUDGET);
        for (int c = 0; c < 3; c++) {
            x[c] = way[c] / pal_norm3(way);
            x[c] *= 1.0 + 0.3 * random_number(&seed);
        }
        find(x);
    } while (!contact.touching || tool.inside != inside || contact.depth > 0.2);
}

static void test_the_row_is_the_derivative_of_the_depth_by_q(void) {
    open_ball(8);
    for (int i = 0; i < 100; i++) {
        double x[3], given[R], h = 1e-7, largest = 0.0;
        touch_somewhere(x, i % 2 == 1);
        memcpy(given, row, sizeof given);
        pal_sphere_contact at = tool;
        int32_t triangle = contact.nearest.triangle;
        for (int32_t l = 0; l < R; l++) {
            double depth[2], q = soft.q[l];
            for (int s = 0; s < 2; s++) {
                soft.q[l] = q + (s == 0 ? h : -h);
                tool = at;
                find(x);
                depth[s] = contact.depth;
            }
            soft.q[l] = q;
            // Between two facets that are equally near the depth has no derivative.
            if (contact.nearest.triangle == triangle) {
                TEST_ASSERT_DOUBLE_WITHIN(2e-6, -(depth[0] - depth[1]) / (2.0 * h), given[l]);
            }
            largest = fmax(largest, fabs(given[l]));
        }
        TEST_ASSERT_TRUE(largest > 0.01);
    }
}

// The power of a unit of spring force on the coordinates is that of the same force, against the
// normal, on the moving surface point.
static void test_power_on_coordinates_is_power_on_the_surface(void) {
    open_ball(8);
    for (int i = 0; i < 200; i++) {
        double x[3], v[3] = {0.0, 0.0, 0.0}, power = 0.0;
        touch_somewhere(x, i % 2 == 1);
        random_fill(&seed, 1.0, soft.velocity, R);
        for (int k = 0; k < 3; k++) {
            double at[3];
            int32_t p = soft.body.triangle[3 * contact.nearest.triangle + k];
            soft.body.functions->velocity(&soft.body, p, at);
            for (int c = 0; c < 3; c++) {
                v[c] += contact.nearest.weight[k] * at[c];
            }
        }
        for (int32_t l = 0; l < R; l++) {
            power += row[l] * soft.velocity[l];
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, -pal_dot3(contact.normal, v), power);
        TEST_ASSERT_TRUE(spring.row == row);
    }
}

// The velocity of a point is the derivative of its place.
static void test_velocity_is_the_derivative_of_the_position(void) {
    open_ball(4);
    soft_deform(&soft, 0.2, &seed);
    random_fill(&seed, 1.0, soft.velocity, R);
    double x[3], later[3], v[3], h = 1e-6;
    for (int32_t p = 0; p < soft.body.point_count; p++) {
        soft.body.functions->position(&soft.body, p, x);
        soft.body.functions->velocity(&soft.body, p, v);
        for (int32_t l = 0; l < R; l++) {
            soft.q[l] += h * soft.velocity[l];
        }
        soft.body.functions->position(&soft.body, p, later);
        for (int32_t l = 0; l < R; l++) {
            soft.q[l] -= h * soft.velocity[l];
        }
        for (int c = 0; c < 3; c++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-8, v[c], (later[c] - x[c]) / h);
        }
    }
}

// ---- With the step ------------------------------------------------------------------------------

// A body of stiffness P = 300 in every coordinate under a sphere that is held still in it: it gives
// way, and comes to rest where P q = row f with f the spring at the depth that is left.
static void test_a_pressed_body_gives_way_and_comes_to_rest_in_balance(void) {
    open_ball(12);
    pal_err err = {0};
    pal_quartic quartic;
    CHECK_OK(pal_quartic_alloc(&quartic, R, &err), err);
    for (int64_t i = 0; i < R; i++) {
        quartic.p[pal_pair_at(i, i)] = 300.0;
    }
    const pal_newmark_options options = {.dt = 1e-3, .alpha = 20.0, .newton_iterations = 1};
    void *memory = aligned_alloc(64, (pal_newmark_bytes(R, PAL_DOUBLE) + 63) / 64 * 64);
    pal_newmark *step = pal_newmark_init(memory, &quartic, NULL, PAL_DOUBLE, &options);
    soft.body.q = pal_newmark_q(step);
    soft.body.velocity = pal_newmark_velocity(step);
    const double none[R] = {0.0}, x[3] = {0.6 * 1.02, 0.48 * 1.02, 0.64 * 1.02};
    double first = 0.0, force = 0.0;
    for (int tick = 0; tick < 2000; tick++) {
        TEST_ASSERT_EQUAL_INT(0, find(x));
        first = tick == 0 ? contact.depth : first;
        TEST_ASSERT_EQUAL_INT(0, pal_newmark_step(step, none, &spring, contact.touching, &force));
    }
    TEST_ASSERT_TRUE(first > 0.07 && contact.depth < 0.9 * first && contact.depth > 0.01);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6 * force, tool.stiffness * contact.depth, force);
    for (int32_t l = 0; l < R; l++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-5 * force, row[l] * force, 300.0 * soft.body.q[l]);
    }
    printf("depth %.4f m at first, %.4f m at rest, force %.2f N\n", first, contact.depth, force);
    pal_quartic_free(&quartic);
    free(memory);
}

// ---- Fall-backs ---------------------------------------------------------------------------------

static void test_a_bad_number_makes_no_contact_and_is_forgotten(void) {
    open_block();
    const double x[3] = {0.5, 0.4, block[2] + 0.02}, bad[3] = {0.5, 0.4, NAN};
    find(x);
    double depth = contact.depth;
    TEST_ASSERT_EQUAL_INT(PAL_OUT_NAN, find(bad));
    TEST_ASSERT_FALSE(contact.touching);
    soft.q[3] = NAN;
    TEST_ASSERT_EQUAL_INT(PAL_OUT_NAN, find(x));
    TEST_ASSERT_FALSE(contact.touching);
    soft.q[3] = 0.0;
    const double fast[3] = {NAN, 0.0, 0.0};
    TEST_ASSERT_EQUAL_INT(
        0, pal_sphere_find(&tool, &soft.tree, &soft.body, x, fast, row, &spring, &contact));
    TEST_ASSERT_TRUE(contact.touching);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, depth, contact.depth);
}

// With next to no budget a contact that was found goes on by tracking.
static void test_contact_survives_a_spent_budget(void) {
    open_block();
    double x[3] = {0.3, 0.4, block[2] + 0.02};
    find(x);
    tool.budget = 3;
    for (; x[0] < 0.7; x[0] += 1e-3) {
        TEST_ASSERT_EQUAL_INT(PAL_OUT_BUDGET, find(x));
        TEST_ASSERT_TRUE(contact.touching && contact.nearest.nodes <= 3);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.03, contact.depth);
    }
}

// Far away nothing is felt and next to nothing is done.
static void test_free_space_is_cheap(void) {
    open_ball(20);
    const double x[3] = {5.0, 3.0, 1.0};
    for (int i = 0; i < 3; i++) {
        TEST_ASSERT_EQUAL_INT(0, find(x));
        TEST_ASSERT_FALSE(contact.touching);
        TEST_ASSERT_TRUE(contact.nearest.nodes <= 3);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_depth_and_normal_on_a_flat_face_are_exact);
    RUN_TEST(test_a_centre_on_the_surface_takes_the_normal_of_the_surface);
    RUN_TEST(test_edges_and_corners_push_away_from_themselves);
    RUN_TEST(test_the_normal_turns_gradually_over_an_edge);
    RUN_TEST(test_the_normal_is_smooth_over_the_facets_of_a_ball);
    RUN_TEST(test_a_sphere_pushed_deep_is_pushed_out_the_way_it_came);
    RUN_TEST(test_strikes_never_come_out_at_the_back_of_a_sheet);
    RUN_TEST(test_a_start_inside_is_recognised);
    RUN_TEST(test_the_side_is_that_of_the_solid_angle_on_a_spiky_body);
    RUN_TEST(test_the_row_is_the_derivative_of_the_depth_by_q);
    RUN_TEST(test_power_on_coordinates_is_power_on_the_surface);
    RUN_TEST(test_velocity_is_the_derivative_of_the_position);
    RUN_TEST(test_a_pressed_body_gives_way_and_comes_to_rest_in_balance);
    RUN_TEST(test_a_bad_number_makes_no_contact_and_is_forgotten);
    RUN_TEST(test_contact_survives_a_spent_budget);
    RUN_TEST(test_free_space_is_cheap);
    return UNITY_END();
}
