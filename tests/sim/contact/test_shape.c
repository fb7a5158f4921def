#include <math.h>
#include <string.h>

#include "sim/base/vec3.h"
#include "sim/contact/shape.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

static pal_err err;
static test_random seed;

void setUp(void) {
    seed.state = 3;
}

void tearDown(void) {
}

enum { SHAPES = 4 };

static void make(int which, pal_shape *shape) {
    switch (which) {
    case 0:
        CHECK_OK(pal_shape_sphere(shape, 0.5, &err), err);
        return;
    case 1:
        CHECK_OK(pal_shape_capsule(shape, 0.2, 1.0, &err), err);
        return;
    case 2:
        CHECK_OK(pal_shape_cylinder(shape, 0.4, 1.0, 0.1, &err), err);
        return;
    default:
        CHECK_OK(pal_shape_cylinder(shape, 0.3, 0.6, 0.3, &err), err); // round all over
    }
}

static void test_distance_changes_by_no_more_than_one_moves(void) {
    for (int i = 0; i < 40000; i++) {
        pal_shape shape;
        double x[3], y[3], g[3], apart[3];
        make(i % SHAPES, &shape);
        random_fill(&seed, 1.5, x, 3);
        memcpy(y, x, sizeof y);
        for (int c = 0; c < 3; c++) {
            y[c] += (i % 3 == 0 ? 1.0 : 0.01) * random_number(&seed);
        }
        pal_sub3(x, y, apart);
        double dx = pal_shape_distance(&shape, x, g), dy = pal_shape_distance(&shape, y, g);
        TEST_ASSERT_TRUE(fabs(dx - dy) <= pal_norm3(apart) * (1.0 + 1e-12) + 1e-15);
    }
}

static void test_gradient_is_the_derivative_and_unit(void) {
    const double h = 1e-6;
    int smooth = 0;
    for (int i = 0; i < 20000; i++) {
        pal_shape shape;
        double x[3], g[3], other[3], slope[3];
        make(i % SHAPES, &shape);
        random_fill(&seed, 1.5, x, 3);
        pal_shape_distance(&shape, x, g);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.0, pal_norm3(g));
        for (int c = 0; c < 3; c++) {
            double low[3] = {x[0], x[1], x[2]}, high[3] = {x[0], x[1], x[2]};
            low[c] -= h;
            high[c] += h;
            slope[c] =
                (pal_shape_distance(&shape, high, other) - pal_shape_distance(&shape, low, other)) /
                (2.0 * h);
        }
        if (fabs(pal_norm3(slope) - 1.0) < 1e-6) { // else at a kink, inside
            smooth++;
            for (int c = 0; c < 3; c++) {
                TEST_ASSERT_DOUBLE_WITHIN(1e-4, slope[c], g[c]);
            }
        }
    }
    TEST_ASSERT_TRUE(smooth > 19900);
}

// Outside, the distance is that to the nearest of many points spread over the surface.
static double brute(const pal_shape *shape, const double x[3]) {
    double best = INFINITY, r = shape->radius - shape->rounding, half = 0.5 * shape->length;
    for (int i = 0; i < 400; i++) {
        for (int j = 0; j <= 200; j++) {
            double a = 2.0 * M_PI * i / 400.0, p[3], n[2]; // outward, up
            if (shape->kind == PAL_SHAPE_CYLINDER) {
                // down the middle of the lid, round the rim, along the side, and so on
                double way = j / 200.0, rim = shape->rounding;
                double at[2] = {r, half - rim};
                n[0] = 0.0, n[1] = 1.0;
                if (way < 0.2) {
                    at[0] = r * way / 0.2;
                } else if (way < 0.35) {
                    double t = 0.5 * M_PI * (way - 0.2) / 0.15;
                    n[0] = sin(t), n[1] = cos(t);
                } else if (way < 0.65) {
                    n[0] = 1.0, n[1] = 0.0;
                    at[1] *= 1.0 - 2.0 * (way - 0.35) / 0.3;
                } else if (way < 0.8) {
                    double t = 0.5 * M_PI * (way - 0.65) / 0.15;
                    n[0] = cos(t), n[1] = -sin(t), at[1] = -at[1];
                } else {
                    n[1] = -1.0, at[1] = -at[1], at[0] = r * (1.0 - way) / 0.2;
                }
                p[0] = (at[0] + rim * n[0]) * cos(a);
                p[1] = (at[0] + rim * n[0]) * sin(a);
                p[2] = half + at[1] + rim * n[1];
            } else {
                double t = M_PI * j / 200.0, along = cos(t) > 0.0 ? shape->length : 0.0;
                p[0] = shape->radius * sin(t) * cos(a);
                p[1] = shape->radius * sin(t) * sin(a);
                p[2] = along + shape->radius * cos(t);
                if (shape->length > 0.0 && j % 2 == 1) { // the side
                    p[0] = shape->radius * cos(a);
                    p[1] = shape->radius * sin(a);
                    p[2] = shape->length * j / 200.0;
                }
            }
            double apart[3];
            pal_sub3(p, x, apart);
            best = fmin(best, pal_dot3(apart, apart));
        }
    }
    return sqrt(best);
}

static void test_distance_is_that_to_the_nearest_point_of_the_surface(void) {
    for (int i = 0; i < 120; i++) {
        pal_shape shape;
        double x[3], g[3];
        make(i % SHAPES, &shape);
        random_fill(&seed, 1.2, x, 3);
        double d = pal_shape_distance(&shape, x, g);
        TEST_ASSERT_DOUBLE_WITHIN(3e-3, brute(&shape, x), fabs(d));
        // and what it says is the nearest point is on the surface
        double foot[3] = {x[0] - d * g[0], x[1] - d * g[1], x[2] - d * g[2]};
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.0, pal_shape_distance(&shape, foot, g));
    }
}

static void test_the_bound_holds_the_shape(void) {
    for (int i = 0; i < 20000; i++) {
        pal_shape shape;
        double x[3], g[3], apart[3];
        make(i % SHAPES, &shape);
        random_fill(&seed, 1.5, x, 3);
        pal_sub3(x, shape.centre, apart);
        TEST_ASSERT_TRUE(pal_shape_distance(&shape, x, g) >=
                         pal_norm3(apart) - shape.bound - 1e-12);
        TEST_ASSERT_TRUE(shape.feature > 0.0 && shape.feature <= shape.bound);
    }
}

static void test_bad_sizes_are_refused(void) {
    pal_shape shape;
    const double bad[] = {0.0, -1.0, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        CHECK_FAILS(PAL_ERR_USAGE, "radius of a sphere", pal_shape_sphere(&shape, bad[i], &err),
                    err);
        CHECK_FAILS(PAL_ERR_USAGE, "radius", pal_shape_capsule(&shape, bad[i], 1.0, &err), err);
        CHECK_FAILS(PAL_ERR_USAGE, "length", pal_shape_capsule(&shape, 1.0, bad[i], &err), err);
        CHECK_FAILS(PAL_ERR_USAGE, "length", pal_shape_cylinder(&shape, 1.0, bad[i], 0.1, &err),
                    err);
        CHECK_FAILS(PAL_ERR_USAGE, "rounding", pal_shape_cylinder(&shape, 1.0, 1.0, bad[i], &err),
                    err);
    }
    CHECK_FAILS(PAL_ERR_USAGE, "at most", pal_shape_cylinder(&shape, 1.0, 1.0, 0.6, &err), err);
}

static void test_not_a_number_stays_one(void) {
    for (int which = 0; which < SHAPES; which++) {
        for (int c = 0; c < 3; c++) {
            pal_shape shape;
            double x[3] = {0.1, 0.2, 0.3}, g[3];
            make(which, &shape);
            x[c] = NAN;
            TEST_ASSERT_TRUE(isnan(pal_shape_distance(&shape, x, g)));
        }
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_distance_changes_by_no_more_than_one_moves);
    RUN_TEST(test_gradient_is_the_derivative_and_unit);
    RUN_TEST(test_distance_is_that_to_the_nearest_point_of_the_surface);
    RUN_TEST(test_the_bound_holds_the_shape);
    RUN_TEST(test_bad_sizes_are_refused);
    RUN_TEST(test_not_a_number_stays_one);
    return UNITY_END();
}
