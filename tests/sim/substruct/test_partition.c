// Laws of cutting a mesh into a tree of domains.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/rng.h"
#include "sim/mesh/block.h"
#include "sim/substruct/label_graph.h"
#include "sim/substruct/partition.h"
#include "tests/support/beam_tree.h"
#include "tests/support/block_body.h"
#include "tests/support/cells.h"
#include "tests/support/check.h"

static pal_volmesh mesh;
static int32_t *label;
static pal_partition partition;
static pal_err err;

void setUp(void) {
    err = (pal_err){0};
}

void tearDown(void) {
    pal_memory_fail_after(-1);
    pal_volmesh_free(&mesh);
    pal_partition_free(&partition);
    free(label);
    label = NULL;
}

static const char *const names[] = {"stem", "left", "right", "leaf", "tip"};

// A plate of cubes, one thick, with so many labels.
static pal_partition_spec draw(int32_t nx, int32_t ny, int32_t labels, const char *map) {
    cells_open((const int32_t[3]){nx, ny, 1}, 0.1, map, &mesh, &label);
    return (pal_partition_spec){
        .mesh = &mesh, .label_count = labels, .label = label, .name = names, .root = -1};
}

// ---- What must fail

static void expect_error(const pal_partition_spec *spec, const char *const *words) {
    TEST_ASSERT_EQUAL_INT_MESSAGE(PAL_ERR_INPUT, pal_partition_make(spec, &partition, &err),
                                  err.text);
    for (; *words != NULL; words++) {
        TEST_ASSERT_TRUE_MESSAGE(strstr(err.text, *words) != NULL, err.text);
    }
    TEST_ASSERT_NULL(partition.domain);
}

#define EXPECT_ERROR(spec, ...) expect_error(spec, (const char *const[]){__VA_ARGS__, NULL})

static void test_a_loop_of_domains_is_an_error_that_names_them(void) {
    pal_partition_spec spec = draw(3, 3, 5,
                                   "aab"
                                   "d.b"
                                   "dcc");
    spec.label_count = 4;
    EXPECT_ERROR(&spec, "loop", "'stem'", "'left'", "'right'", "'leaf'");
    tearDown();
    spec = draw(4, 3, 5,
                "aabe"
                "d.b."
                "dcc."); // what hangs on the loop is not in it
    EXPECT_ERROR(&spec, "loop", "'stem'", "'left'", "'right'", "'leaf'");
    TEST_ASSERT_NULL_MESSAGE(strstr(err.text, "'tip'"), err.text);
}

static void test_domains_that_share_a_vertex_but_no_face_are_an_error(void) {
    pal_partition_spec spec = draw(2, 2, 3,
                                   "ab"
                                   ".c");
    EXPECT_ERROR(&spec, "'stem'", "'right'", "share vertex", "hidden loop");
    tearDown();
    spec = draw(2, 2, 2,
                "a."
                ".b"); // an interface of an edge
    EXPECT_ERROR(&spec, "'stem'", "'left'", "share vertex");
}

static void test_a_domain_in_two_pieces_is_an_error(void) {
    pal_partition_spec spec = draw(3, 1, 2, "aba");
    EXPECT_ERROR(&spec, "'stem'", "several pieces");
}

static void test_a_mesh_in_two_pieces_is_an_error(void) {
    pal_partition_spec spec = draw(3, 1, 2, "a.b");
    EXPECT_ERROR(&spec, "'stem'", "'left'", "not joined");
}

static void test_an_empty_domain_is_an_error(void) {
    pal_partition_spec spec = draw(2, 1, 3, "ac");
    EXPECT_ERROR(&spec, "'left'", "empty");
    label[0] = 3;
    EXPECT_ERROR(&spec, "element 0", "domain 3");
    label[0] = -1;
    EXPECT_ERROR(&spec, "element 0", "domain -1");
    spec.label_count = 0;
    EXPECT_ERROR(&spec, "one domain at least");
}

static void test_two_domains_fixed_to_the_ground_are_an_error(void) {
    pal_partition_spec spec = draw(5, 1, 3, "aabcc");
    uint8_t *fixed = calloc((size_t)mesh.vertex_count, 1);
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        fixed[v] = mesh.x[3 * v] < 0.15 || mesh.x[3 * v] > 0.45;
    }
    spec.fixed = fixed;
    EXPECT_ERROR(&spec, "'stem'", "'right'", "loop through the ground");
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        fixed[v] = mesh.x[3 * v] < 0.15;
    }
    spec.root = 1;
    EXPECT_ERROR(&spec, "'stem'", "'left'", "ground");
    spec.root = 3;
    EXPECT_ERROR(&spec, "domain 3 is to be the root");
    free(fixed);
}

static void test_an_interface_that_keeps_no_frame_is_an_error(void) {
    double line[3][3] = {{1e-4, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    double nearly[3][3] = {{1e-4, 0, 0}, {0, 2e-10, 0}, {0, 0, 0}}; // thin, but no line
    CHECK_FAILS(PAL_ERR_INPUT, "in one line", pal_interface_check(9, line, "it", &err), err);
    CHECK_FAILS(PAL_ERR_INPUT, "has 2 vertices", pal_interface_check(2, line, "it", &err), err);
    CHECK_OK(pal_interface_check(9, nearly, "it", &err), err);
    nearly[1][1] = NAN;
    CHECK_FAILS(PAL_ERR_INPUT, "in one line", pal_interface_check(9, nearly, "it", &err), err);
    // A flat sheet of no width: its faces have no area, its vertices are in line.
    pal_partition_spec spec = draw(2, 1, 2, "ab");
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        mesh.x[3 * v + 1] *= fabs(mesh.x[3 * v] - 0.1) < 0.01 ? 1e-9 : 1.0;
    }
    EXPECT_ERROR(&spec, "'stem'", "'left'", "in one line");
}

static void test_domains_of_one_class_must_be_congruent(void) {
    int32_t class_of[3] = {0, 1, 1};
    pal_partition_spec spec = draw(5, 1, 3, "abbcc");
    uint8_t *fixed = block_held(&mesh);
    spec.fixed = fixed;
    spec.class_count = 2;
    spec.class_of = class_of;
    CHECK_OK(pal_partition_make(&spec, &partition, &err), err);
    pal_partition_free(&partition);
    mesh.x[3 * (mesh.vertex_count - 1)] += 1e-4;
    EXPECT_ERROR(&spec, "'left'", "'right'", "rotation", "vertex", " mm ");
    class_of[0] = 1;
    class_of[2] = 0;
    EXPECT_ERROR(&spec, "'stem'", "'left'", "number of elements");
    class_of[0] = 5;
    EXPECT_ERROR(&spec, "'stem'", "class 5");
    class_of[0] = class_of[2] = 1;
    EXPECT_ERROR(&spec, "class 0 is empty");
    free(fixed);
}

// ---- What must hold

static void test_the_root_is_what_is_fixed_or_the_middle(void) {
    pal_partition_spec spec = draw(5, 1, 5, "abcde");
    CHECK_OK(pal_partition_make(&spec, &partition, &err), err);
    TEST_ASSERT_TRUE(partition.flies);
    TEST_ASSERT_EQUAL_STRING("right", partition.name[0]);
    TEST_ASSERT_EQUAL_INT(2, partition.part[0].port_count);
    TEST_ASSERT_FALSE(partition.part[0].is_held);
    pal_partition_free(&partition);
    uint8_t *fixed = block_held(&mesh);
    spec.fixed = fixed;
    CHECK_OK(pal_partition_make(&spec, &partition, &err), err);
    TEST_ASSERT_FALSE(partition.flies);
    TEST_ASSERT_EQUAL_STRING("stem", partition.name[0]);
    free(fixed);
    tearDown();
    spec = draw(6, 1, 4, "abccdd"); // two in the middle: the larger
    CHECK_OK(pal_partition_make(&spec, &partition, &err), err);
    TEST_ASSERT_EQUAL_STRING("right", partition.name[0]);
    pal_partition_free(&partition);
    spec.root = 3;
    CHECK_OK(pal_partition_make(&spec, &partition, &err), err);
    TEST_ASSERT_EQUAL_STRING("leaf", partition.name[0]);
}

static void test_a_mesh_of_one_domain_is_a_tree(void) {
    pal_partition_spec spec = draw(3, 1, 1, "aaa");
    spec.name = NULL;
    CHECK_OK(pal_partition_make(&spec, &partition, &err), err);
    TEST_ASSERT_EQUAL_INT(1, partition.domain_count);
    TEST_ASSERT_EQUAL_STRING("domain 0", partition.name[0]);
    TEST_ASSERT_EQUAL_INT(mesh.element_count, partition.part[0].mesh.element_count);
    TEST_ASSERT_EQUAL_INT(0, partition.part[0].port_count);
}

// Parent's port and child's held vertices are the same points with the same weights.
static void check_interface(const pal_partition *p, int32_t i) {
    const pal_domain *domain = &p->domain[i];
    const pal_part *child = &p->part[domain->kind];
    const pal_part *parent = &p->part[p->domain[domain->parent].kind];
    const pal_port_vertices *port = &parent->port[domain->port];
    int32_t held = 0;
    double sum = 0.0;
    for (int32_t v = 0; v < child->mesh.vertex_count; v++) {
        held += child->held[v];
    }
    TEST_ASSERT_EQUAL_INT(port->vertex_count, held);
    for (int32_t k = 0; k < port->vertex_count; k++) {
        int32_t whole = p->vertex[domain->parent][port->vertex[k]], v = 0;
        while (p->vertex[i][v] != whole) {
            v++;
        }
        TEST_ASSERT_TRUE(child->held[v]);
        TEST_ASSERT_EQUAL_DOUBLE(port->weight[k], child->held_weight[v]);
        sum += port->weight[k];
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.0, sum);
}

static void test_interfaces_are_the_shared_faces_on_both_sides(void) {
    pal_partition_spec spec = draw(4, 4, 4,
                                   ".bb."
                                   "aacc"
                                   "aacc"
                                   ".dd.");
    EXPECT_ERROR(&spec, "loop");
    tearDown();
    spec = draw(4, 4, 4,
                ".b.."
                "aaac"
                "aaac"
                ".d..");
    CHECK_OK(pal_partition_make(&spec, &partition, &err), err);
    TEST_ASSERT_EQUAL_INT(3, partition.part[0].port_count);
    int32_t elements = 0;
    for (int32_t i = 0; i < partition.domain_count; i++) {
        const pal_part *part = &partition.part[partition.domain[i].kind];
        elements += part->mesh.element_count;
        for (int32_t v = 0; v < part->mesh.vertex_count; v++) {
            for (int c = 0; c < 3; c++) {
                TEST_ASSERT_EQUAL_DOUBLE(mesh.x[3 * partition.vertex[i][v] + c],
                                         part->mesh.x[3 * v + c]);
            }
        }
        for (int32_t e = 0; e < part->mesh.element_count; e++) {
            TEST_ASSERT_EQUAL_INT(partition.label[i], label[partition.element[i][e]]);
        }
        if (i > 0) {
            check_interface(&partition, i);
        }
    }
    TEST_ASSERT_EQUAL_INT(mesh.element_count, elements);
}

// Weights are the areas nearest to the vertices: here of two unequal cubes' faces.
static void test_weights_are_areas(void) {
    pal_partition_spec spec = draw(2, 2, 2,
                                   "ab"
                                   "ab");
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        mesh.x[3 * v + 1] *= mesh.x[3 * v + 1] > 0.15 ? 2.0 : 1.0; // rows of 0.1 and 0.3
    }
    CHECK_OK(pal_partition_make(&spec, &partition, &err), err);
    const pal_port_vertices *port = &partition.part[0].port[0];
    TEST_ASSERT_EQUAL_INT(6, port->vertex_count);
    for (int k = 0; k < 6; k++) {
        double y = partition.part[0].mesh.x[3 * port->vertex[k] + 1];
        double share = y < 0.05 ? 0.1 : y < 0.15 ? 0.4 : 0.3;
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, share / 0.4 / 4.0, port->weight[k]);
    }
}

// ---- Classes

static void test_congruent_domains_know_their_turn_and_scale(void) {
    const int32_t class_of[3] = {0, 1, 1};
    const double half_round[3][3] = {{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}};
    cells_spindle(&mesh, &label);
    const pal_partition_spec spec = {.mesh = &mesh,
                                     .label_count = 3,
                                     .label = label,
                                     .root = 0,
                                     .class_count = 2,
                                     .class_of = class_of};
    CHECK_OK(pal_partition_make(&spec, &partition, &err), err);
    TEST_ASSERT_EQUAL_INT(2, partition.class_count);
    TEST_ASSERT_EQUAL_INT(2, partition.part[0].port_count);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 1.0, partition.domain[1].scale);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.5, partition.domain[2].scale);
    for (int k = 0; k < 9; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, k % 4 == 0, partition.domain[1].rest[k / 3][k % 3]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, half_round[k / 3][k % 3],
                                  partition.domain[2].rest[k / 3][k % 3]);
    }
}

// Vertices in an order by chance: congruent is what has the same elements.
static void test_congruent_domains_are_found_whatever_their_vertices_are_called(void) {
    pal_partition_spec spec = draw(9, 2, 5,
                                   "aabbccdde"
                                   "aabbccdd.");
    uint8_t *fixed = block_held(&mesh);
    pal_rng rng = pal_rng_make(3, 0);
    for (int32_t v = mesh.vertex_count - 1; v > 0; v--) {
        const int32_t w = (int32_t)(pal_rng_uniform(&rng, 0.0, 1.0) * (v + 1)) % (v + 1);
        for (int c = 0; c < 3; c++) {
            const double x = mesh.x[3 * v + c];
            mesh.x[3 * v + c] = mesh.x[3 * w + c];
            mesh.x[3 * w + c] = x;
        }
        for (int32_t k = 0; k < 8 * mesh.element_count; k++) {
            int32_t *corner = &mesh.element[k];
            *corner = *corner == v ? w : *corner == w ? v : *corner;
        }
        const uint8_t held = fixed[v];
        fixed[v] = fixed[w];
        fixed[w] = held;
    }
    spec.fixed = fixed;
    spec.congruent = true;
    CHECK_OK(pal_partition_make(&spec, &partition, &err), err);
    TEST_ASSERT_EQUAL_INT(2, partition.class_count);
    TEST_ASSERT_EQUAL_INT(2, partition.part[0].port_count); // the next, or what is half as high
    for (int32_t i = 1; i < 4; i++) {
        TEST_ASSERT_EQUAL_INT(0, partition.domain[i].kind);
        for (int32_t v = 0; v < partition.part[0].mesh.vertex_count; v++) {
            const double *x = mesh.x + 3 * partition.vertex[i][v];
            const double *first = partition.part[0].mesh.x + 3 * v;
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, first[0] + 0.2 * i, x[0]);
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, first[1], x[1]);
        }
    }
    free(fixed);
}

// ---- Automatic cuts

static int32_t made;

static void check_cut(const uint8_t *fixed, pal_cut_way way, int32_t count, int32_t least,
                      pal_cut_report *report) {
    free(label);
    label = calloc((size_t)mesh.element_count, sizeof *label);
    CHECK_OK(pal_partition_cut(&mesh, fixed, way, count, label, &made, report, &err), err);
    const pal_partition_spec spec = {
        .mesh = &mesh, .label_count = made, .label = label, .fixed = fixed, .root = -1};
    CHECK_OK(pal_partition_make(&spec, &partition, &err), err);
    TEST_ASSERT_EQUAL_INT(made, partition.domain_count);
    TEST_ASSERT_EQUAL_INT(made, report->pieces - report->merges);
    TEST_ASSERT_GREATER_OR_EQUAL(least, made);
    pal_partition_free(&partition);
}

static void test_automatic_cuts_are_trees(void) {
    static const struct {
        pal_element_kind kind;
        int32_t n[3], count, graph, axis; // how many domains at least
    } cases[] = {
        {PAL_TET4, {24, 2, 2}, 6, 5, 6},    {PAL_HEX8, {24, 2, 2}, 6, 6, 6},
        {PAL_TET4, {8, 8, 8}, 12, 1, 4},    {PAL_HEX8, {6, 6, 2}, 9, 1, 1},
        {PAL_HEX8, {1, 1, 20}, 20, 15, 20}, {PAL_HEX8, {3, 3, 3}, 27, 1, 1},
        {PAL_TET4, {2, 2, 2}, 1, 1, 1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        CHECK_OK(pal_mesh_block(cases[k].kind, cases[k].n, 0.1, &mesh, &err), err);
        uint8_t *fixed = block_held(&mesh);
        pal_cut_report report;
        check_cut(NULL, PAL_CUT_GRAPH, cases[k].count, cases[k].graph, &report);
        check_cut(NULL, PAL_CUT_AXIS, cases[k].count, cases[k].axis, &report);
        check_cut(fixed, PAL_CUT_GRAPH, cases[k].count, 1, &report);
        check_cut(fixed, PAL_CUT_AXIS, cases[k].count, 1, &report);
        free(fixed);
        tearDown();
    }
}

// Voxels of edge 1 with their middle in a body.
static void fill_voxels(const int32_t n[3], bool (*has)(const double x[3])) {
    const size_t cells = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    char *map = calloc(cells + 1, 1);
    for (size_t k = 0; k < cells; k++) {
        const size_t nx = (size_t)n[0], ny = (size_t)n[1];
        const double x[3] = {(double)(k % nx) + 0.5, (double)(k / nx % ny) + 0.5,
                             (double)(k / nx / ny) + 0.5};
        map[k] = has(x) ? 'a' : '.';
    }
    cells_open(n, 1.0, map, &mesh, &label);
    free(map);
}

static bool in_ellipsoid(const double x[3]) {
    return pow((x[0] - 10.0) / 10.0, 2.0) + pow((x[1] - 8.0) / 8.0, 2.0) +
               pow((x[2] - 7.0) / 7.0, 2.0) <
           1.0;
}

// Tubes of 3 x 3 voxels: a trunk along x that forks into two arms along y.
static bool in_fork(const double x[3]) {
    const bool trunk = x[0] < 20.0 && x[1] > 19.0 && x[1] < 22.0;
    return trunk || (x[0] > 17.0 && x[0] < 20.0);
}

static bool in_ring(const double x[3]) {
    return pow(hypot(x[0] - 12.0, x[1] - 12.0) - 9.0, 2.0) + pow(x[2] - 3.0, 2.0) < 9.0;
}

// Bulky bodies collapse under METIS: three parts that meet are a loop.
static void test_bulky_bodies_are_cut_into_slices(void) {
    static const struct {
        int32_t n[3];
        bool (*has)(const double x[3]);
    } bodies[] = {{{12, 10, 8}, NULL}, {{20, 16, 14}, in_ellipsoid}};
    for (int k = 0; k < 2; k++) {
        pal_cut_report report = {0};
        if (bodies[k].has != NULL) {
            fill_voxels(bodies[k].n, bodies[k].has);
        } else {
            CHECK_OK(pal_mesh_block(PAL_TET4, bodies[k].n, 1.0, &mesh, &err), err);
        }
        uint8_t *fixed = calloc((size_t)mesh.vertex_count, 1);
        for (int32_t v = 0; v < mesh.vertex_count; v++) {
            fixed[v] = mesh.x[3 * v] < 1.5;
        }
        for (int held = 0; held < 2; held++) {
            check_cut(held ? fixed : NULL, PAL_CUT_GRAPH, 6, 6, &report);
            TEST_ASSERT_TRUE(k == 0 || (report.way != PAL_CUT_GRAPH && report.graph_count < 3));
            check_cut(held ? fixed : NULL, PAL_CUT_DISTANCE, 6, 6, &report);
        }
        free(fixed);
        tearDown();
    }
}

static void test_levels_of_distance_follow_the_branches(void) {
    pal_cut_report report;
    fill_voxels((const int32_t[3]){20, 41, 3}, in_fork);
    uint8_t *fixed = block_held(&mesh);
    check_cut(fixed, PAL_CUT_DISTANCE, 9, 7, &report);
    const pal_partition_spec spec = {
        .mesh = &mesh, .label_count = made, .label = label, .fixed = fixed, .root = -1};
    CHECK_OK(pal_partition_make(&spec, &partition, &err), err);
    int32_t forks = 0;
    for (int32_t k = 0; k < partition.class_count; k++) {
        TEST_ASSERT_LESS_OR_EQUAL(2, partition.part[k].port_count);
        forks += partition.part[k].port_count == 2;
    }
    TEST_ASSERT_EQUAL_INT(1, forks);
    free(fixed);
}

// Whether a domain goes all the way round the ring.
static bool goes_round(int32_t domain) {
    int quarters = 0;
    for (int32_t e = 0; e < mesh.element_count; e++) {
        const double *x = mesh.x + 3 * pal_volmesh_element(&mesh, e)[0];
        quarters |= label[e] == domain ? 1 << ((x[0] < 12.0) + 2 * (x[1] < 12.0)) : 0;
    }
    return quarters == 15;
}

// Two halves of a ring meet twice: a loop, though each has one neighbour. An automatic cut keeps
// the loop inside of one domain.
static void test_a_ring_is_no_tree_unless_a_domain_goes_round_it(void) {
    pal_cut_report report;
    fill_voxels((const int32_t[3]){24, 24, 6}, in_ring);
    for (int32_t e = 0; e < mesh.element_count; e++) {
        label[e] = mesh.x[3 * pal_volmesh_element(&mesh, e)[0]] >= 12.0;
    }
    const pal_partition_spec spec = {
        .mesh = &mesh, .label_count = 2, .label = label, .name = names, .root = -1};
    EXPECT_ERROR(&spec, "'stem'", "'left'", "2 places", "loop");
    for (pal_cut_way way = PAL_CUT_GRAPH; way <= PAL_CUT_DISTANCE; way++) {
        check_cut(NULL, way, 8, 1, &report);
        bool round = false;
        for (int32_t d = 0; d < made; d++) {
            round = round || goes_round(d);
        }
        TEST_ASSERT_TRUE(round);
    }
}

static void test_a_cut_merges_what_is_fixed_at_both_ends(void) {
    const int32_t n[3] = {20, 2, 2};
    CHECK_OK(pal_mesh_block(PAL_HEX8, n, 0.1, &mesh, &err), err);
    uint8_t *fixed = calloc((size_t)mesh.vertex_count, 1);
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        fixed[v] = mesh.x[3 * v] < 0.01 || mesh.x[3 * v] > 1.99;
    }
    pal_cut_report report;
    check_cut(fixed, PAL_CUT_AXIS, 5, 1, &report); // a loop through the ground: one domain
    free(fixed);
}

static void test_a_mesh_in_pieces_or_a_senseless_count_cannot_be_cut(void) {
    draw(3, 1, 2, "a.b");
    CHECK_FAILS(PAL_ERR_INPUT, "2 pieces",
                pal_partition_cut(&mesh, NULL, PAL_CUT_GRAPH, 2, label, &made, NULL, &err), err);
    CHECK_FAILS(PAL_ERR_USAGE, "0 domains",
                pal_partition_cut(&mesh, NULL, PAL_CUT_AXIS, 0, label, &made, NULL, &err), err);
    CHECK_FAILS(PAL_ERR_USAGE, "3 domains",
                pal_partition_cut(&mesh, NULL, PAL_CUT_AXIS, 3, label, &made, NULL, &err), err);
}

static void test_every_failed_allocation_is_an_error(void) {
    pal_partition_spec spec = draw(5, 1, 5, "abcde");
    pal_status status = PAL_ERR_MEMORY;
    for (long k = 0; status != PAL_OK; k++) {
        pal_memory_fail_after(k);
        status = pal_partition_make(&spec, &partition, &err);
        pal_memory_fail_after(-1);
        TEST_ASSERT_TRUE(status == PAL_OK || status == PAL_ERR_MEMORY);
    }
    for (long k = 0, done = 0; !done; k++) {
        pal_memory_fail_after(k);
        status = pal_partition_cut(&mesh, NULL, PAL_CUT_GRAPH, 3, label, &made, NULL, &err);
        pal_memory_fail_after(-1);
        TEST_ASSERT_TRUE(status == PAL_OK || status == PAL_ERR_MEMORY);
        done = status == PAL_OK;
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_loop_of_domains_is_an_error_that_names_them);
    RUN_TEST(test_domains_that_share_a_vertex_but_no_face_are_an_error);
    RUN_TEST(test_a_domain_in_two_pieces_is_an_error);
    RUN_TEST(test_a_mesh_in_two_pieces_is_an_error);
    RUN_TEST(test_an_empty_domain_is_an_error);
    RUN_TEST(test_two_domains_fixed_to_the_ground_are_an_error);
    RUN_TEST(test_an_interface_that_keeps_no_frame_is_an_error);
    RUN_TEST(test_domains_of_one_class_must_be_congruent);
    RUN_TEST(test_the_root_is_what_is_fixed_or_the_middle);
    RUN_TEST(test_a_mesh_of_one_domain_is_a_tree);
    RUN_TEST(test_interfaces_are_the_shared_faces_on_both_sides);
    RUN_TEST(test_weights_are_areas);
    RUN_TEST(test_congruent_domains_know_their_turn_and_scale);
    RUN_TEST(test_congruent_domains_are_found_whatever_their_vertices_are_called);
    RUN_TEST(test_automatic_cuts_are_trees);
    RUN_TEST(test_bulky_bodies_are_cut_into_slices);
    RUN_TEST(test_levels_of_distance_follow_the_branches);
    RUN_TEST(test_a_ring_is_no_tree_unless_a_domain_goes_round_it);
    RUN_TEST(test_a_cut_merges_what_is_fixed_at_both_ends);
    RUN_TEST(test_a_mesh_in_pieces_or_a_senseless_count_cannot_be_cut);
    RUN_TEST(test_every_failed_allocation_is_an_error);
    return UNITY_END();
}
