// Tidying and measuring of volume meshes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/base/memory.h"
#include "sim/mesh/tidy.h"
#include "tests/support/check.h"
#include "tests/support/mesh_text.h"

static pal_err err;

void setUp(void) {
    memset(&err, 0, sizeof err);
}

void tearDown(void) {
    pal_memory_fail_after(-1);
}

static pal_volmesh new_mesh(pal_element_kind kind, int vertices, const double *x, int elements,
                            const int32_t *element) {
    pal_volmesh mesh;
    CHECK_OK(pal_volmesh_alloc(&mesh, kind, vertices, elements, 1, &err), err);
    memcpy(mesh.x, x, sizeof(double) * 3 * (size_t)vertices);
    memcpy(mesh.element, element, sizeof(int32_t) * (size_t)kind * (size_t)elements);
    return mesh;
}

static pal_mesh_quality measure(const pal_volmesh *mesh) {
    pal_mesh_quality quality;
    CHECK_OK(pal_mesh_measure(mesh, &quality, &err), err);
    return quality;
}

static void expect_refused(pal_volmesh *mesh, const char *part) {
    CHECK_FAILS(PAL_ERR_INPUT, part, pal_mesh_tidy(mesh, "body", &err), err);
    pal_volmesh_free(mesh);
}

static void test_a_tidy_mesh_stays_as_it_is(void) {
    for (int kind = 0; kind < 2; kind++) {
        pal_volmesh before = kind == 0 ? check_cube_tets(2) : check_cube_voxels(2);
        pal_volmesh after = kind == 0 ? check_cube_tets(2) : check_cube_voxels(2);
        CHECK_OK(pal_mesh_tidy(&after, "body", &err), err);
        TEST_ASSERT_EQUAL_INT(0, after.turned_count);
        TEST_ASSERT_EQUAL_INT(0, after.dropped_count);
        TEST_ASSERT_EQUAL_MEMORY(before.element, after.element,
                                 sizeof(int32_t) * (size_t)after.kind * after.element_count);
        TEST_ASSERT_EQUAL_MEMORY(before.x, after.x, sizeof(double) * 3 * after.vertex_count);
        pal_volmesh_free(&before);
        pal_volmesh_free(&after);
    }
}

// Mirrored in x, every element is inside out; tidied, all are right and the volume is the same.
static void test_mirrored_meshes_are_turned_round(void) {
    for (int kind = 0; kind < 2; kind++) {
        pal_volmesh mesh = kind == 0 ? check_cube_tets(2) : check_cube_voxels(2);
        for (int v = 0; v < mesh.vertex_count; v++) {
            mesh.x[3 * v] *= -1.0;
        }
        pal_mesh_quality inside_out = measure(&mesh);
        TEST_ASSERT_EQUAL_INT(mesh.element_count, inside_out.inverted_count);
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, -2.0, inside_out.volume);
        CHECK_OK(pal_mesh_tidy(&mesh, "body", &err), err);
        TEST_ASSERT_EQUAL_INT(mesh.element_count, mesh.turned_count);
        pal_mesh_quality right = measure(&mesh);
        TEST_ASSERT_EQUAL_INT(0, right.inverted_count);
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, 2.0, right.volume);
        pal_volmesh_free(&mesh);
    }
}

static void test_unused_vertices_are_dropped_and_the_others_remember_their_place(void) {
    const double x[7][3] = {{9, 9, 9}, {0, 0, 0}, {1, 0, 0}, {8, 8, 8}, {0, 1, 0}, {0, 0, 1}, {7}};
    const int32_t element[4] = {5, 1, 2, 4};
    pal_volmesh mesh = new_mesh(PAL_TET4, 7, &x[0][0], 1, element);
    CHECK_OK(pal_mesh_tidy(&mesh, "body", &err), err);
    TEST_ASSERT_EQUAL_INT(4, mesh.vertex_count);
    TEST_ASSERT_EQUAL_INT(3, mesh.dropped_count);
    const int32_t places[4] = {1, 2, 4, 5};
    TEST_ASSERT_EQUAL_MEMORY(places, mesh.file_vertex, sizeof places);
    for (int v = 0; v < 4; v++) {
        TEST_ASSERT_EQUAL_MEMORY(x[mesh.file_vertex[v]], mesh.x + 3 * v, sizeof(double[3]));
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1.0 / 6.0, measure(&mesh).volume);
    TEST_ASSERT_EQUAL_INT(1, mesh.turned_count);
    pal_volmesh_free(&mesh);
}

static void test_bad_elements_are_named(void) {
    pal_volmesh mesh = check_cube_tets(1);
    mesh.x[13] = NAN;
    expect_refused(&mesh, "body: vertex 4 (from 0) has a coordinate that is not finite");
    mesh = check_cube_tets(1);
    mesh.element[6] = 8;
    expect_refused(&mesh, "element 1 (from 0) names vertex 8, but there are 8");
    mesh = check_cube_tets(1);
    mesh.element[6] = -1;
    expect_refused(&mesh, "element 1 (from 0) names vertex -1");
    mesh = check_cube_tets(1);
    mesh.element[6] = mesh.element[5];
    expect_refused(&mesh, "element 1 (from 0) is degenerate: it names vertex 6 twice");
    mesh = check_cube_tets(1);
    memcpy(mesh.element + 8, (int32_t[4]){0, 1, 2, 3}, sizeof(int32_t[4]));
    expect_refused(&mesh, "element 2 (from 0) is degenerate: it has no volume");
    mesh = check_cube_voxels(2); // the top of the second is crossed over
    memcpy(mesh.element + 12, (int32_t[4]){5, 9, 7, 11}, sizeof(int32_t[4]));
    expect_refused(&mesh, "hexahedron 1 (from 0) is inside out at 2 of its corners");
    mesh = check_cube_voxels(2); // the top is turned by half a turn, which no corner sees
    memcpy(mesh.element + 12, (int32_t[4]){11, 7, 5, 9}, sizeof(int32_t[4]));
    expect_refused(&mesh, "hexahedron 1 (from 0) is twisted");
    mesh = check_cube_voxels(1);
    mesh.x[2] = 1.0; // onto the vertex above it
    expect_refused(&mesh, "element 0 (from 0) is degenerate");
    mesh = check_cube_tets(1); // the fifth is the second, and turned
    memcpy(mesh.element + 16, (int32_t[4]){2, 0, 6, 7}, sizeof(int32_t[4]));
    expect_refused(&mesh, "element 4 (from 0) has the same vertices as element 1;");
    mesh = check_cube_voxels(1);
    mesh.region[0] = 1;
    expect_refused(&mesh, "element 0 (from 0) is in region 1, but there are 1");
    mesh = check_cube_voxels(1);
    mesh.element_count = 0;
    expect_refused(&mesh, "has no tetrahedra or hexahedra");
}

// What is degenerate does not depend on the unit of length.
static void test_tiny_and_huge_bodies_are_not_degenerate(void) {
    const double scales[] = {1e-150, 1e-9, 1e9, 1e150};
    for (int i = 0; i < 4; i++) {
        pal_volmesh tets = check_cube_tets(1), voxels = check_cube_voxels(1);
        pal_volmesh_scale(&tets, scales[i]);
        pal_volmesh_scale(&voxels, scales[i]);
        CHECK_OK(pal_mesh_tidy(&tets, "body", &err), err);
        CHECK_OK(pal_mesh_tidy(&voxels, "body", &err), err);
        pal_volmesh_free(&tets);
        pal_volmesh_free(&voxels);
    }
}

static void test_a_regular_tetrahedron_has_its_angles(void) {
    const double x[4][3] = {{1, 1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, 1}};
    pal_volmesh mesh = new_mesh(PAL_TET4, 4, &x[0][0], 1, (int32_t[4]){0, 1, 2, 3});
    CHECK_OK(pal_mesh_tidy(&mesh, "body", &err), err);
    pal_mesh_quality quality = measure(&mesh);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 70.5288, quality.min_dihedral_degrees);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, quality.min_dihedral_degrees, quality.max_dihedral_degrees);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 8.0 / 3.0, quality.volume);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, sqrt(8.0), quality.min_edge);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, sqrt(8.0), quality.max_edge);
    pal_volmesh_free(&mesh);
}

static void test_kuhn_tetrahedra_and_cubes_have_their_angles(void) {
    pal_volmesh tets = check_cube_tets(2), voxels = check_cube_voxels(2);
    pal_mesh_quality quality = measure(&tets);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 45.0, quality.min_dihedral_degrees);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 90.0, quality.max_dihedral_degrees);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, sqrt(3.0), quality.max_edge);
    quality = measure(&voxels);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 90.0, quality.min_dihedral_degrees);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 90.0, quality.max_dihedral_degrees);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 2.0, quality.volume);
    TEST_ASSERT_EQUAL_DOUBLE(1.0, quality.min_edge);
    TEST_ASSERT_EQUAL_DOUBLE(1.0, quality.max_edge);
    TEST_ASSERT_EQUAL_DOUBLE(0.0, quality.box_min[0]);
    TEST_ASSERT_EQUAL_DOUBLE(2.0, quality.box_max[0]);
    TEST_ASSERT_EQUAL_DOUBLE(1.0, quality.box_max[2]);
    pal_volmesh_free(&tets);
    pal_volmesh_free(&voxels);
}

// A slanted box: the volume of a skewed hexahedron, and its sharp angle makes it the worst.
static void test_the_worst_element_and_skewed_volumes_are_found(void) {
    pal_volmesh mesh = check_cube_voxels(2);
    for (int v = 8; v < 12; v++) { // the far side of the second voxel slides up and grows
        mesh.x[3 * v + 2] = 2.0 * mesh.x[3 * v + 2] + 1.0;
    }
    pal_mesh_quality quality = measure(&mesh);
    TEST_ASSERT_EQUAL_INT(1, quality.worst_element);
    TEST_ASSERT_EQUAL_INT(0, quality.inverted_count);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, atan(0.5) * 180.0 / acos(-1.0), quality.min_dihedral_degrees);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 1.0 + 1.5, quality.volume);
    pal_volmesh_free(&mesh);
}

// Two voxels: the unit cube and a copy of it moved by `step`; equal vertices are shared.
static pal_mesh_quality measure_two_voxels(const int *step) {
    double x[16][3];
    int32_t element[16];
    static const int32_t corner[8] = {0, 4, 6, 2, 1, 5, 7, 3};
    int count = 8;
    for (int v = 0; v < 8; v++) {
        for (int c = 0; c < 3; c++) {
            x[v][c] = v >> (2 - c) & 1;
        }
        element[v] = corner[v];
    }
    for (int i = 0; i < 8; i++) {
        double moved[3];
        for (int c = 0; c < 3; c++) {
            moved[c] = x[corner[i]][c] + step[c];
        }
        int found = -1;
        for (int v = 0; v < 8; v++) {
            found = memcmp(x[v], moved, sizeof moved) == 0 ? v : found;
        }
        if (found < 0) {
            memcpy(x[count], moved, sizeof moved);
            found = count++;
        }
        element[8 + i] = found;
    }
    pal_volmesh mesh = new_mesh(PAL_HEX8, count, &x[0][0], 2, element);
    CHECK_OK(pal_mesh_tidy(&mesh, "body", &err), err);
    pal_mesh_quality quality = measure(&mesh);
    pal_volmesh_free(&mesh);
    return quality;
}

static void test_hinges_show_as_more_face_components_than_components(void) {
    static const int steps[4][3] = {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {2, 0, 0}};
    static const int expected[4][2] = {{1, 1}, {1, 2}, {1, 2}, {2, 2}}; // face, edge, vertex, none
    for (int i = 0; i < 4; i++) {
        pal_mesh_quality quality = measure_two_voxels(steps[i]);
        TEST_ASSERT_EQUAL_INT(expected[i][0], quality.components);
        TEST_ASSERT_EQUAL_INT(expected[i][1], quality.face_components);
    }
}

static void test_components_are_numbered_as_their_vertices_come(void) {
    double x[12][3];
    for (int v = 0; v < 12; v++) { // three tets, their vertices dealt out in turn
        memcpy(x[v], (double[3]){v % 3 * 5 + (v / 3 == 1), v / 3 == 2, v / 3 == 3},
               sizeof(double[3]));
    }
    const int32_t element[12] = {2, 5, 8, 11, 0, 3, 6, 9, 1, 4, 7, 10};
    pal_volmesh mesh = new_mesh(PAL_TET4, 12, &x[0][0], 3, element);
    int32_t component[12], count = 0;
    CHECK_OK(pal_mesh_components(&mesh, component, &count, &err), err);
    TEST_ASSERT_EQUAL_INT(3, count);
    for (int v = 0; v < 12; v++) {
        TEST_ASSERT_EQUAL_INT(v % 3, component[v]);
    }
    count = 0;
    CHECK_OK(pal_mesh_components(&mesh, NULL, &count, &err), err);
    TEST_ASSERT_EQUAL_INT(3, count);
    pal_volmesh_free(&mesh);
}

static void test_a_large_mesh_is_measured_in_well_under_a_second(void) {
    pal_volmesh mesh = check_cube_tets(10000); // 60,000 tets in a row
    clock_t start = clock();
    CHECK_OK(pal_mesh_tidy(&mesh, "body", &err), err);
    pal_mesh_quality quality = measure(&mesh);
    TEST_ASSERT_TRUE((double)(clock() - start) / CLOCKS_PER_SEC < 2.0); // the sanitizers are slow
    TEST_ASSERT_EQUAL_INT(1, quality.components);
    TEST_ASSERT_EQUAL_INT(1, quality.face_components);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, 10000.0, quality.volume);
    pal_volmesh_free(&mesh);
}

static void test_lack_of_memory_is_an_error(void) {
    pal_volmesh mesh = check_cube_tets(1);
    pal_mesh_quality quality;
    int32_t count;
    for (int allowed = 0; allowed < 3; allowed++) {
        pal_memory_fail_after(allowed);
        TEST_ASSERT_EQUAL_INT(PAL_ERR_MEMORY, pal_mesh_measure(&mesh, &quality, &err));
    }
    pal_memory_fail_after(0);
    TEST_ASSERT_EQUAL_INT(PAL_ERR_MEMORY, pal_mesh_components(&mesh, NULL, &count, &err));
    for (int allowed = 0; allowed < 2; allowed++) {
        pal_memory_fail_after(allowed);
        TEST_ASSERT_EQUAL_INT(PAL_ERR_MEMORY, pal_mesh_tidy(&mesh, "body", &err));
    }
    pal_memory_fail_after(-1);
    pal_volmesh_free(&mesh);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_tidy_mesh_stays_as_it_is);
    RUN_TEST(test_mirrored_meshes_are_turned_round);
    RUN_TEST(test_unused_vertices_are_dropped_and_the_others_remember_their_place);
    RUN_TEST(test_bad_elements_are_named);
    RUN_TEST(test_tiny_and_huge_bodies_are_not_degenerate);
    RUN_TEST(test_a_regular_tetrahedron_has_its_angles);
    RUN_TEST(test_kuhn_tetrahedra_and_cubes_have_their_angles);
    RUN_TEST(test_the_worst_element_and_skewed_volumes_are_found);
    RUN_TEST(test_hinges_show_as_more_face_components_than_components);
    RUN_TEST(test_components_are_numbered_as_their_vertices_come);
    RUN_TEST(test_a_large_mesh_is_measured_in_well_under_a_second);
    RUN_TEST(test_lack_of_memory_is_an_error);
    return UNITY_END();
}
