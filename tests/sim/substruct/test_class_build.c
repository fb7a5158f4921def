// Laws of a class of domains: its moments and its ports.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/fem/assemble.h"
#include "sim/mesh/block.h"
#include "sim/substruct/class_build.h"
#include "tests/support/check.h"

enum { R = 5 };

static pal_volmesh mesh;
static double *basis; // [3 vertices][R]
static pal_domain_class class_;
static pal_err err;

static const pal_material material = {1e5, 0.4, 800.0};
static pal_quartic quartic = {.r = R};

void setUp(void) {
    err = (pal_err){0};
}

void tearDown(void) {
    pal_memory_fail_after(-1);
    pal_domain_class_free(&class_);
    pal_volmesh_free(&mesh);
    free(basis);
    basis = NULL;
}

// A crooked block with any fields for a basis.
static pal_class_body open_body(pal_element_kind kind, int32_t r) {
    static double zero[256]; // the energy does not matter here
    quartic.p = quartic.q = quartic.s = zero;
    const int32_t n[3] = {4, 2, 3};
    CHECK_OK(pal_mesh_block(kind, n, 0.1, &mesh, &err), err);
    basis = calloc(3 * (size_t)mesh.vertex_count * R, sizeof *basis);
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        double *x = mesh.x + 3 * v;
        x[1] += 0.05 * x[0];
        x[2] += 0.1 * x[0] * x[0];
        for (int k = 0; k < 3 * R; k++) {
            basis[3 * R * v + k] = sin(1.0 + 7.0 * k + 20.0 * x[0] - 13.0 * x[1] + k * x[2]);
        }
    }
    return (pal_class_body){.name = "crooked",
                            .mesh = &mesh,
                            .material = &material,
                            .r = r,
                            .basis = basis,
                            .quartic = &quartic,
                            .alpha = 0.5,
                            .beta = 0.01};
}

static void build(const pal_class_body *body) {
    CHECK_OK(pal_domain_class_build(body, &class_, &err), err);
}

// ---- Moments

// Fields 1, X and U at a point of an element: out [4 + 3 R].
static void fields_at(const pal_quadrature *q, int point, const int32_t *vertex, double *out) {
    memset(out, 0, (4 + 3 * R) * sizeof *out);
    for (int a = 0; a < q->nodes; a++) {
        double phi = q->shape[point][a];
        out[0] += phi;
        for (int c = 0; c < 3; c++) {
            out[1 + c] += phi * mesh.x[3 * vertex[a] + c];
        }
        for (int k = 0; k < 3 * R; k++) {
            out[4 + k] += phi * basis[3 * R * vertex[a] + k];
        }
    }
}

static double value_of(const double *fields, int component, int mode) {
    return fields[4 + component * R + mode];
}

// Adds the integrals over a point of mass m to `sum`, whose arrays are as in a class.
static void add_point(pal_domain_class *sum, double m, const double *fields) {
    sum->mass += m;
    for (int i = 0; i < 3; i++) {
        sum->first[i] += m * fields[1 + i];
        for (int j = 0; j < 3; j++) {
            sum->second[i][j] += m * fields[1 + i] * fields[1 + j];
            for (int l = 0; l < R; l++) {
                sum->xu[9 * l + 3 * i + j] += m * fields[1 + i] * value_of(fields, j, l);
                for (int p = 0; p < R; p++) {
                    sum->uu[9 * (l * R + p) + 3 * i + j] +=
                        m * value_of(fields, i, l) * value_of(fields, j, p);
                }
            }
        }
        for (int l = 0; l < R; l++) {
            sum->lift[i * R + l] += m * value_of(fields, i, l);
        }
    }
}

// The points of an element: Gauss in a hexahedron; in a tet the four of the rule of degree 2.
static void add_element(pal_domain_class *sum, int32_t e) {
    static const double near = 0.58541019662496845446, far = 0.13819660112501051518;
    const int32_t *vertex = pal_volmesh_element(&mesh, e);
    pal_quadrature q;
    double fields[4 + 3 * R];
    CHECK_OK(pal_fem_quadrature(&mesh, e, 4, &q, &err), err);
    int points = mesh.kind == PAL_TET4 ? 4 : q.points;
    for (int p = 0; p < points; p++) {
        double volume = mesh.kind == PAL_TET4 ? q.weight[0] / 4.0 : q.weight[p];
        if (mesh.kind == PAL_TET4) {
            for (int a = 0; a < 4; a++) {
                q.shape[p][a] = a == p ? near : far;
            }
        }
        fields_at(&q, p, vertex, fields);
        add_point(sum, material.density * volume, fields);
    }
}

static void check_same(const pal_domain_class *want, const pal_domain_class *got) {
    TEST_ASSERT_DOUBLE_WITHIN(1e-12 * want->mass, want->mass, got->mass);
    TEST_ASSERT_TRUE(check_relative_difference(got->first, want->first, 3) < 1e-12);
    TEST_ASSERT_TRUE(check_relative_difference(&got->second[0][0], &want->second[0][0], 9) < 1e-12);
    TEST_ASSERT_TRUE(check_relative_difference(got->lift, want->lift, 3 * R) < 1e-12);
    TEST_ASSERT_TRUE(check_relative_difference(got->xu, want->xu, 9 * R) < 1e-12);
    TEST_ASSERT_TRUE(check_relative_difference(got->uu, want->uu, 9 * R * R) < 1e-12);
}

static void test_moments_are_the_integrals(void) {
    static const pal_element_kind kinds[] = {PAL_TET4, PAL_HEX8};
    for (int k = 0; k < 2; k++) {
        pal_class_body body = open_body(kinds[k], R);
        double lift[3 * R] = {0}, xu[9 * R] = {0}, uu[9 * R * R] = {0};
        pal_domain_class sum = {.lift = lift, .xu = xu, .uu = uu};
        for (int32_t e = 0; e < mesh.element_count; e++) {
            add_element(&sum, e);
        }
        build(&body);
        check_same(&sum, &class_);
        tearDown();
    }
}

// With lumped mass the body is a cloud of vertices.
static void test_lumped_moments_are_sums_over_vertices(void) {
    pal_class_body body = open_body(PAL_TET4, R);
    double lift[3 * R] = {0}, xu[9 * R] = {0}, uu[9 * R * R] = {0};
    pal_domain_class sum = {.lift = lift, .xu = xu, .uu = uu};
    body.mass_kind = PAL_MASS_LUMPED;
    for (int32_t e = 0; e < mesh.element_count; e++) {
        pal_quadrature q;
        CHECK_OK(pal_fem_quadrature(&mesh, e, 1, &q, &err), err);
        for (int a = 0; a < 4; a++) {
            int32_t v = pal_volmesh_element(&mesh, e)[a];
            double fields[4 + 3 * R] = {1.0};
            memcpy(fields + 1, mesh.x + 3 * v, 3 * sizeof *fields);
            memcpy(fields + 4, basis + 3 * R * v, 3 * R * sizeof *fields);
            add_point(&sum, material.density * q.weight[0] / 4.0, fields);
        }
    }
    build(&body);
    check_same(&sum, &class_);
}

static void test_a_rigid_class_has_its_rigid_moments_and_ports(void) {
    pal_class_body body = open_body(PAL_HEX8, R);
    const int32_t corner[4] = {0, 1, 5, 6};
    const pal_port_vertices port = {4, corner, NULL};
    body.port_count = 1;
    body.port = &port;
    build(&body);
    double mass = class_.mass, first[3], second[3][3], x[3];
    memcpy(first, class_.first, sizeof first);
    memcpy(second, class_.second, sizeof second);
    memcpy(x, class_.port[0].x, sizeof x);
    pal_domain_class_free(&class_);
    body.r = 0;
    body.basis = NULL;
    body.quartic = NULL;
    build(&body);
    TEST_ASSERT_EQUAL_INT(0, class_.r);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12 * mass, mass, class_.mass);
    TEST_ASSERT_TRUE(check_relative_difference(class_.first, first, 3) < 1e-12);
    TEST_ASSERT_TRUE(check_relative_difference(&class_.second[0][0], &second[0][0], 9) < 1e-12);
    TEST_ASSERT_EQUAL_INT(0, memcmp(x, class_.port[0].x, sizeof x));
    double alone, centre[3];
    CHECK_OK(pal_mesh_mass(&mesh, &material, &alone, centre, &err), err);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12 * mass, mass, alone);
    TEST_ASSERT_TRUE(check_relative_difference(centre, first, 3) < 1e-12);
}

// ---- Ports

// The vertices on the face of largest x.
static pal_port_vertices end_face(int32_t *vertex) {
    pal_port_vertices port = {0, vertex, NULL};
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        if (mesh.x[3 * v] > 0.39) {
            vertex[port.vertex_count++] = v;
        }
    }
    return port;
}

static void test_a_port_moves_with_the_weighted_mean_of_its_vertices(void) {
    pal_class_body body = open_body(PAL_TET4, R);
    int32_t vertex[64];
    const pal_port_vertices given = end_face(vertex);
    body.port_count = 1;
    body.port = &given;
    build(&body);
    const pal_port *port = &class_.port[0];
    double mean[3] = {0}, a[3 * R] = {0}, sum = 0.0;
    for (int32_t k = 0; k < port->vertex_count; k++) {
        sum += port->weight[k];
        TEST_ASSERT_TRUE(port->weight[k] > 0.0);
        for (int c = 0; c < 3; c++) {
            mean[c] += port->weight[k] * mesh.x[3 * port->vertex[k] + c];
            for (int l = 0; l < R; l++) {
                a[c * R + l] += port->weight[k] * basis[R * (3 * port->vertex[k] + c) + l];
            }
        }
    }
    TEST_ASSERT_EQUAL_INT(12, port->vertex_count);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 1.0, sum);
    TEST_ASSERT_TRUE(check_relative_difference(port->x, mean, 3) < 1e-14);
    TEST_ASSERT_TRUE(check_relative_difference(port->a, a, 3 * R) < 1e-14);
    // By areas: a corner of the face has less than its middle.
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.0, class_.alpha / 0.5);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.0, class_.beta / 0.01);
}

// The shapes turn the port's vertices as a whole: U_l = (Q - I)(X - x^) gives B = Q C. [eqs 2-4]
static void test_a_rigid_rotation_of_the_port_turns_its_frame(void) {
    const double q[3][3] = {{0.36, 0.48, -0.8}, {-0.8, 0.6, 0.0}, {0.48, 0.64, 0.6}};
    pal_class_body body = open_body(PAL_HEX8, 1);
    int32_t vertex[64];
    const pal_port_vertices given = end_face(vertex);
    body.port_count = 1;
    body.port = &given;
    body.quartic = &(pal_quartic){1, quartic.p, quartic.q, quartic.s};
    const double about[3] = {0.1, -0.2, 0.3};
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        for (int c = 0; c < 3; c++) {
            basis[3 * v + c] = -(mesh.x[3 * v + c] - about[c]);
            for (int k = 0; k < 3; k++) {
                basis[3 * v + c] += q[c][k] * (mesh.x[3 * v + k] - about[k]);
            }
        }
    }
    build(&body);
    const pal_port *port = &class_.port[0];
    double b[9], qc[9] = {0};
    for (int i = 0; i < 9; i++) {
        b[i] = port->c[i / 3][i % 3] + port->b[i];
        for (int k = 0; k < 3; k++) {
            qc[i] += q[i / 3][k] * port->c[k][i % 3];
        }
    }
    TEST_ASSERT_TRUE(check_relative_difference(b, qc, 9) < 1e-13);
}

static void test_weights_of_the_caller_are_kept(void) {
    pal_class_body body = open_body(PAL_HEX8, R);
    const int32_t corner[3] = {0, 1, 5};
    const double weight[3] = {0.5, 0.3, 0.2};
    const pal_port_vertices port = {3, corner, weight};
    body.port_count = 1;
    body.port = &port;
    build(&body);
    for (int k = 0; k < 3; k++) {
        TEST_ASSERT_EQUAL_DOUBLE(weight[k], class_.port[0].weight[k]);
    }
}

static void test_vertices_without_a_face_weigh_alike(void) {
    const int32_t apart[4] = {0, 7, 23, 59};
    double weight[4];
    open_body(PAL_HEX8, R);
    CHECK_OK(pal_interface_weights(&mesh, 4, apart, weight, &err), err);
    for (int k = 0; k < 4; k++) {
        TEST_ASSERT_EQUAL_DOUBLE(0.25, weight[k]);
    }
}

// ---- What must fail

static void expect_error(const pal_class_body *body, const char *words) {
    CHECK_FAILS(PAL_ERR_INPUT, words, pal_domain_class_build(body, &class_, &err), err);
    TEST_ASSERT_TRUE_MESSAGE(strstr(err.text, "'crooked'") != NULL, err.text);
    TEST_ASSERT_NULL(class_.uu);
}

static void test_a_port_that_keeps_no_frame_is_an_error_that_names_the_domain(void) {
    static const struct {
        int32_t count, vertex[3];
        const char *words;
    } cases[] = {{2, {0, 1}, "2 vertices"},
                 {1, {0}, "1 vertices"},
                 {0, {0}, "0 vertices"},
                 {3, {5, 5, 5}, "in one line"},
                 {3, {0, 5, 10}, "in one line"}, // along y
                 {3, {0, 1, 60}, "names vertex 60"},
                 {3, {0, -1, 6}, "names vertex -1"}};
    pal_class_body body = open_body(PAL_HEX8, R);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const pal_port_vertices port = {cases[k].count, cases[k].vertex, NULL};
        body.port_count = 1;
        body.port = &port;
        expect_error(&body, cases[k].words);
    }
    body.r = PAL_DOMAIN_MOST_MODES + 1;
    CHECK_FAILS(PAL_ERR_USAGE, "'crooked': 65 modes", pal_domain_class_build(&body, &class_, &err),
                err);
}

static void test_every_failed_allocation_is_an_error(void) {
    pal_class_body body = open_body(PAL_HEX8, R);
    int32_t vertex[64];
    const pal_port_vertices port = end_face(vertex);
    pal_status status = PAL_ERR_MEMORY;
    body.port_count = 1;
    body.port = &port;
    for (long k = 0; status != PAL_OK; k++) {
        pal_memory_fail_after(k);
        status = pal_domain_class_build(&body, &class_, &err);
        pal_memory_fail_after(-1);
        TEST_ASSERT_TRUE(status == PAL_OK || status == PAL_ERR_MEMORY);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_moments_are_the_integrals);
    RUN_TEST(test_lumped_moments_are_sums_over_vertices);
    RUN_TEST(test_a_rigid_class_has_its_rigid_moments_and_ports);
    RUN_TEST(test_a_port_moves_with_the_weighted_mean_of_its_vertices);
    RUN_TEST(test_a_rigid_rotation_of_the_port_turns_its_frame);
    RUN_TEST(test_weights_of_the_caller_are_kept);
    RUN_TEST(test_vertices_without_a_face_weigh_alike);
    RUN_TEST(test_a_port_that_keeps_no_frame_is_an_error_that_names_the_domain);
    RUN_TEST(test_every_failed_allocation_is_an_error);
    return UNITY_END();
}
