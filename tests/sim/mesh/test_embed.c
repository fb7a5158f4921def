#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/mesh/embed_build.h"
#include "tests/support/check.h"
#include "tests/support/random.h"
#include "tests/support/shapes.h"

enum { POINTS = 2000, KINDS = 4 };

static pal_err err;
static test_random seed;

void setUp(void) {
    seed.state = 5;
}

void tearDown(void) {
    pal_memory_fail_after(-1);
}

// Box meshes of tets and voxels, straight and bent. Sizes 2 x 1 x 1 m.
static void make_mesh(int kind, pal_volmesh *mesh) {
    if (kind % 2 == 0) {
        shape_box(mesh, PAL_TET4, 8, 5, 4, (double[3]){2.0, 1.0, 1.0});
    } else {
        shape_box(mesh, PAL_HEX8, 8, 5, 4, (double[3]){2.0, 1.0, 1.0});
    }
    for (int32_t v = 0; kind >= 2 && v < mesh->vertex_count; v++) {
        double *x = mesh->x + 3 * v;
        x[2] += 0.3 * x[0] * x[0] * (1.0 + 0.2 * x[1]);
        x[1] += 0.2 * sin(2.0 * x[0]) * x[2];
    }
}

// Half of the points inside (a mean of an element's vertices), half anywhere about.
static void make_points(const pal_volmesh *mesh, double *point) {
    for (int i = 0; i < POINTS; i++) {
        double *p = point + 3 * i, sum = 0.0, mean[3] = {0.0, 0.0, 0.0};
        int32_t e = (int32_t)(random_share(&seed) * mesh->element_count);
        const int32_t *vertex = pal_volmesh_element(mesh, e);
        for (int a = 0; a < (int)mesh->kind; a++) {
            double w = random_share(&seed);
            sum += w;
            for (int c = 0; c < 3; c++) {
                mean[c] += w * mesh->x[3 * vertex[a] + c];
            }
        }
        for (int c = 0; c < 3; c++) {
            p[c] = i % 2 ? mean[c] / sum : 4.0 * random_share(&seed) - 1.0;
        }
    }
}

static void build(int kind, pal_volmesh *mesh, double *point, pal_embedding *embedding,
                  double *farthest) {
    make_mesh(kind, mesh);
    make_points(mesh, point);
    CHECK_OK(pal_embedding_build(mesh, point, POINTS, embedding, farthest, &err), err);
    TEST_ASSERT_EQUAL_INT(POINTS, embedding->point_count);
    TEST_ASSERT_EQUAL_INT(mesh->kind, embedding->nodes);
}

static void test_linear_fields_are_exact_inside_and_outside(void) {
    static const double A[3][3] = {{0.3, -1.0, 0.2}, {0.7, 0.1, -0.4}, {-0.2, 0.5, 0.9}};
    static double point[3 * POINTS], moved[3 * POINTS];
    for (int kind = 0; kind < KINDS; kind++) {
        pal_volmesh mesh;
        pal_embedding embedding;
        build(kind, &mesh, point, &embedding, NULL);
        double *u = PAL_NEW(double, 3 * mesh.vertex_count, &err);
        for (int32_t v = 0; v < mesh.vertex_count; v++) {
            for (int c = 0; c < 3; c++) {
                u[3 * v + c] = 0.5 + pal_dot3(A[c], mesh.x + 3 * v);
            }
        }
        pal_embedding_displace(&embedding, u, moved);
        for (int i = 0; i < 3 * POINTS; i++) {
            double expected = 0.5 + pal_dot3(A[i % 3], point + i / 3 * 3);
            TEST_ASSERT_DOUBLE_WITHIN(1e-11, expected, moved[i]);
        }
        free(u);
        pal_embedding_free(&embedding);
        pal_volmesh_free(&mesh);
    }
}

static void test_weights_sum_to_one_and_are_positive_inside(void) {
    static double point[3 * POINTS];
    for (int kind = 0; kind < KINDS; kind++) {
        pal_volmesh mesh;
        pal_embedding embedding;
        build(kind, &mesh, point, &embedding, NULL);
        for (int i = 0; i < POINTS; i++) {
            double sum = 0.0, least = 1.0;
            for (int a = 0; a < embedding.nodes; a++) {
                sum += embedding.weight[i * embedding.nodes + a];
                least = fmin(least, embedding.weight[i * embedding.nodes + a]);
            }
            TEST_ASSERT_DOUBLE_WITHIN(1e-11, 1.0, sum);
            TEST_ASSERT_TRUE(i % 2 == 0 || kind == 3 || least > -1e-9);
        }
        pal_embedding_free(&embedding);
        pal_volmesh_free(&mesh);
    }
}

// u . W^T f = (W u) . f; total force, and torque about any point, are kept.
static void test_force_is_the_transpose_and_keeps_force_and_torque(void) {
    static double point[3 * POINTS], f[3 * POINTS], moved[3 * POINTS];
    for (int kind = 0; kind < KINDS; kind++) {
        pal_volmesh mesh;
        pal_embedding embedding;
        build(kind, &mesh, point, &embedding, NULL);
        double *u = PAL_NEW(double, 3 * mesh.vertex_count, &err);
        double *g = PAL_NEW(double, 3 * mesh.vertex_count, &err);
        double work = 0.0, power = 0.0, at_points[6] = {0}, at_vertices[6] = {0}, torque[3];
        for (int i = 0; i < 3 * POINTS; i++) {
            f[i] = random_share(&seed) - 0.5;
        }
        for (int i = 0; i < 3 * mesh.vertex_count; i++) {
            u[i] = random_share(&seed) - 0.5;
        }
        pal_embedding_displace(&embedding, u, moved);
        pal_embedding_force(&embedding, f, g);
        for (int i = 0; i < POINTS; i++) {
            work += pal_dot3(moved + 3 * i, f + 3 * i);
            pal_cross3(point + 3 * i, f + 3 * i, torque);
            for (int c = 0; c < 3; c++) {
                at_points[c] += f[3 * i + c];
                at_points[3 + c] += torque[c];
            }
        }
        for (int v = 0; v < mesh.vertex_count; v++) {
            power += pal_dot3(u + 3 * v, g + 3 * v);
            pal_cross3(mesh.x + 3 * v, g + 3 * v, torque);
            for (int c = 0; c < 3; c++) {
                at_vertices[c] += g[3 * v + c];
                at_vertices[3 + c] += torque[c];
            }
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, work, power);
        for (int c = 0; c < 6; c++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-9, at_points[c], at_vertices[c]);
        }
        free(u);
        free(g);
        pal_embedding_free(&embedding);
        pal_volmesh_free(&mesh);
    }
}

// The box is a box: the distance of a point from it is known.
static void test_farthest_is_the_distance_from_the_mesh(void) {
    for (int kind = 0; kind < 2; kind++) {
        pal_volmesh mesh;
        make_mesh(kind, &mesh);
        for (int i = 0; i < 500; i++) {
            double p[3], farthest, expected[3];
            pal_embedding embedding;
            for (int c = 0; c < 3; c++) {
                double high = c == 0 ? 2.0 : 1.0;
                p[c] = 6.0 * random_share(&seed) - 2.0;
                expected[c] = fmax(fmax(-p[c], p[c] - high), 0.0);
            }
            CHECK_OK(pal_embedding_build(&mesh, p, 1, &embedding, &farthest, &err), err);
            TEST_ASSERT_DOUBLE_WITHIN(1e-9, pal_norm3(expected), farthest);
            pal_embedding_free(&embedding);
        }
        pal_volmesh_free(&mesh);
    }
}

// A vertex is carried by itself alone.
static void test_vertices_carry_themselves(void) {
    for (int kind = 0; kind < KINDS; kind++) {
        pal_volmesh mesh;
        pal_embedding embedding;
        double farthest;
        make_mesh(kind, &mesh);
        CHECK_OK(pal_embedding_build(&mesh, mesh.x, mesh.vertex_count, &embedding, &farthest, &err),
                 err);
        for (int i = 0; i < embedding.nodes * mesh.vertex_count; i++) {
            double expected = embedding.vertex[i] == i / embedding.nodes;
            TEST_ASSERT_DOUBLE_WITHIN(1e-9, expected, embedding.weight[i]);
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.0, farthest);
        pal_embedding_free(&embedding);
        pal_volmesh_free(&mesh);
    }
}

static void test_bad_points_are_refused(void) {
    pal_volmesh mesh, empty;
    pal_embedding embedding;
    double point[6] = {0.0, 0.0, 0.0, 1.0, NAN, 0.0};
    make_mesh(0, &mesh);
    CHECK_FAILS(PAL_ERR_INPUT, "point 1 is not finite",
                pal_embedding_build(&mesh, point, 2, &embedding, NULL, &err), err);
    CHECK_OK(pal_embedding_build(&mesh, point, 0, &embedding, NULL, &err), err);
    pal_embedding_free(&embedding);
    CHECK_OK(pal_volmesh_alloc(&empty, PAL_TET4, 0, 0, 1, &err), err);
    CHECK_FAILS(PAL_ERR_INPUT, "without elements",
                pal_embedding_build(&empty, point, 1, &embedding, NULL, &err), err);
    pal_volmesh_free(&empty);
    pal_volmesh_free(&mesh);
}

static void test_every_allocation_may_fail(void) {
    pal_volmesh mesh;
    pal_embedding embedding;
    make_mesh(0, &mesh);
    pal_status status = PAL_ERR_MEMORY;
    for (long n = 0; status != PAL_OK && n < 100; n++) {
        pal_memory_fail_after(n);
        status = pal_embedding_build(&mesh, mesh.x, 10, &embedding, NULL, &err);
        TEST_ASSERT_TRUE(status == PAL_OK || (status == PAL_ERR_MEMORY && !embedding.vertex));
    }
    pal_memory_fail_after(-1);
    CHECK_OK(status, err);
    pal_embedding_free(&embedding);
    pal_volmesh_free(&mesh);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_linear_fields_are_exact_inside_and_outside);
    RUN_TEST(test_weights_sum_to_one_and_are_positive_inside);
    RUN_TEST(test_force_is_the_transpose_and_keeps_force_and_torque);
    RUN_TEST(test_farthest_is_the_distance_from_the_mesh);
    RUN_TEST(test_vertices_carry_themselves);
    RUN_TEST(test_bad_points_are_refused);
    RUN_TEST(test_every_allocation_may_fail);
    return UNITY_END();
}
