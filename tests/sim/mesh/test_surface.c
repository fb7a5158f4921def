#include "sim/mesh/surface.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "sim/mesh/surface_parse.h"
#include "tests/support/check.h"
#include "tests/support/random.h"
#include "tests/support/shapes.h"

static pal_err err;

void setUp(void) {
}

void tearDown(void) {
    pal_memory_fail_after(-1);
}

// A box with its vertices moved about, so that nothing is flat; volume by its elements.
static double make_mesh(bool tets, pal_volmesh *mesh) {
    test_random random = {9};
    if (tets) {
        shape_box(mesh, PAL_TET4, 4, 3, 3, (double[3]){1.0, 2.0, 1.5});
    } else {
        shape_box(mesh, PAL_HEX8, 4, 3, 3, (double[3]){1.0, 2.0, 1.5});
    }
    double volume = 3.0;
    for (int i = 0; tets && i < 3 * mesh->vertex_count; i++) {
        mesh->x[i] += 0.1 * random_share(&random) + 100.0;
    }
    for (int e = 0; tets && e < mesh->element_count; e++) {
        const int32_t *v = pal_volmesh_element(mesh, e);
        double d[3][3];
        for (int i = 0; i < 9; i++) {
            d[i / 3][i % 3] = mesh->x[3 * v[i / 3 + 1] + i % 3] - mesh->x[3 * v[0] + i % 3];
        }
        double det = d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) -
                     d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
                     d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
        volume = e == 0 ? det / 6.0 : volume + det / 6.0;
    }
    return volume;
}

static void test_boundary_is_closed_outward_and_holds_the_volume(void) {
    for (int tets = 0; tets < 2; tets++) {
        pal_volmesh mesh;
        pal_surface skin;
        pal_surface_quality quality;
        int32_t *from;
        double volume = make_mesh(tets, &mesh);
        CHECK_OK(pal_surface_of_volmesh(&mesh, &skin, &from, &err), err);
        CHECK_OK(pal_surface_measure(&skin, &quality, &err), err);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12 * volume, volume, quality.volume);
        TEST_ASSERT_EQUAL_INT(0, quality.open_edges); // the boundary of a boundary is empty
        TEST_ASSERT_EQUAL_INT(0, quality.nonmanifold_edges);
        TEST_ASSERT_EQUAL_INT(1, quality.components);
        TEST_ASSERT_EQUAL_INT(2 * 2 * (4 * 3 + 4 * 3 + 3 * 3), skin.triangle_count);
        TEST_ASSERT_EQUAL_INT(2, skin.vertex_count - skin.triangle_count / 2); // Euler
        for (int32_t v = 0; v < skin.vertex_count; v++) {
            TEST_ASSERT_EQUAL_INT(0, memcmp(skin.x + 3 * v, mesh.x + 3 * from[v], 24));
        }
        free(from);
        pal_surface_free(&skin);
        pal_volmesh_free(&mesh);
    }
}

static void test_marks_are_the_vertices_of_the_boundary(void) {
    for (int tets = 0; tets < 2; tets++) {
        pal_volmesh mesh;
        uint8_t mark[200];
        if (tets) {
            shape_box(&mesh, PAL_TET4, 4, 3, 3, (double[3]){1.0, 1.0, 1.0});
        } else {
            shape_box(&mesh, PAL_HEX8, 4, 3, 3, (double[3]){1.0, 1.0, 1.0});
        }
        CHECK_OK(pal_surface_mark(&mesh, mark, &err), err);
        for (int v = 0; v < mesh.vertex_count; v++) {
            int i = v % 5, j = v / 5 % 4, k = v / 20;
            int expected = i == 0 || i == 4 || j == 0 || j == 3 || k == 0 || k == 3;
            TEST_ASSERT_EQUAL_INT(expected, mark[v]);
        }
        pal_volmesh_free(&mesh);
    }
}

static void test_measure_knows_a_sphere_and_its_holes(void) {
    pal_surface ball = {0};
    pal_surface_quality quality;
    shape_add_sphere(&ball, (double[3]){5.0, 0.0, 0.0}, 2.0, 64);
    int32_t *same = PAL_NEW(int32_t, ball.vertex_count, &err);
    CHECK_OK(pal_surface_weld(&ball, same, &err), err);
    for (int i = 0; i < 3 * ball.triangle_count; i++) {
        ball.triangle[i] = same[ball.triangle[i]];
    }
    CHECK_OK(pal_surface_measure(&ball, &quality, &err), err);
    TEST_ASSERT_DOUBLE_WITHIN(0.02, 32.0 / 3.0 * M_PI, quality.volume);
    TEST_ASSERT_DOUBLE_WITHIN(0.02, 16.0 * M_PI, quality.area);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 3.0, quality.box_min[0]);
    TEST_ASSERT_EQUAL_INT(0, quality.open_edges);
    TEST_ASSERT_EQUAL_INT(1, quality.components);
    ball.triangle_count -= 1;
    CHECK_OK(pal_surface_measure(&ball, &quality, &err), err);
    TEST_ASSERT_EQUAL_INT(3, quality.open_edges);
    ball.triangle_count += 1;
    memcpy(ball.triangle + 3, ball.triangle, 3 * sizeof(int32_t)); // one twice, one missing
    CHECK_OK(pal_surface_measure(&ball, &quality, &err), err);
    TEST_ASSERT_TRUE(quality.nonmanifold_edges > 0);
    pal_surface_scale(&ball, -1.0); // a mirror image still faces outwards
    CHECK_OK(pal_surface_measure(&ball, &quality, &err), err);
    TEST_ASSERT_TRUE(quality.volume > 0.0);
    free(same);
    pal_surface_free(&ball);
}

static pal_status parse(pal_surface_format format, const char *text, pal_surface *surface) {
    return pal_surface_parse(format, "file", text, strlen(text), surface, &err);
}

// A tetrahedron in each format, told apart by nothing but the format.
static const char obj_text[] = "# a tet\nmtllib none.mtl\no tet\nv 0 0 0\nv 1 0 0 1.0\nv 0 1e0 0\n"
                               "v 0 0 +1.\nvt 0 0\nvn 0 0 1\nusemtl skin\ns off\n"
                               "f 1/1/1 3/1/1 2/1/1\nf 1//1 2//1 4//1\ng two\nf -4 -1 -2\n"
                               "f 2 \\\n 3 4\nl 1 2\n";
static const char ply_text[] = "ply\nformat ascii 1.0\ncomment a tet\nelement vertex 4\n"
                               "property float x\nproperty float y\nproperty float z\n"
                               "property uchar red\nelement face 4\n"
                               "property list uchar int vertex_indices\nend_header\n"
                               "0 0 0 255\n1 0 0 255\n0 1 0 0\n0 0 1 0\n"
                               "3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";
static const float stl_corner[4][3][3] = {{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}},
                                          {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}},
                                          {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}},
                                          {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

static const char *make_ascii_stl(void) {
    static char text[2048];
    int used = snprintf(text, sizeof text, "solid a tet\n");
    for (int t = 0; t < 4; t++) {
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "  facet normal nan 0 0\n    outer loop\n");
        for (int a = 0; a < 3; a++) {
            const float *x = stl_corner[t][a];
            used += snprintf(text + used, sizeof text - (size_t)used, "      vertex %g %g %g\n",
                             (double)x[0], (double)x[1], (double)x[2]);
        }
        used += snprintf(text + used, sizeof text - (size_t)used, "    endloop\n  endfacet\n");
    }
    snprintf(text + used, sizeof text - (size_t)used, "endsolid a tet\n");
    return text;
}

enum { STL_SIZE = 84 + 4 * 50 };

static void make_binary_stl(char *data) {
    memset(data, 0, STL_SIZE);
    memcpy(data, "solid that is none", 18); // binary files may start so, too
    data[80] = 4;
    for (int t = 0; t < 4; t++) {
        memcpy(data + 84 + 50 * t + 12, stl_corner[t], 36);
    }
}

static void assert_is_tet(const pal_surface *surface) {
    pal_surface_quality quality;
    TEST_ASSERT_EQUAL_INT(4, surface->vertex_count);
    TEST_ASSERT_EQUAL_INT(4, surface->triangle_count);
    CHECK_OK(pal_surface_measure(surface, &quality, &err), err);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, 1.0 / 6.0, quality.volume);
    TEST_ASSERT_EQUAL_INT(0, quality.open_edges);
}

static void test_formats_agree_on_a_tet(void) {
    pal_surface surface;
    char data[STL_SIZE];
    CHECK_OK(parse(PAL_SURFACE_OBJ, obj_text, &surface), err);
    assert_is_tet(&surface);
    pal_surface_free(&surface);
    CHECK_OK(parse(PAL_SURFACE_PLY, ply_text, &surface), err);
    assert_is_tet(&surface);
    pal_surface_free(&surface);
    CHECK_OK(parse(PAL_SURFACE_STL, make_ascii_stl(), &surface), err);
    assert_is_tet(&surface);
    pal_surface_free(&surface);
    make_binary_stl(data);
    CHECK_OK(pal_surface_parse(PAL_SURFACE_STL, "file", data, STL_SIZE, &surface, &err), err);
    assert_is_tet(&surface);
    pal_surface_free(&surface);
}

static void test_polygons_are_cut_into_triangles(void) {
    static const char text[] = "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 0.5 0\nv 0 2 0\nf 1 2 3 4 5\n";
    pal_surface surface;
    pal_surface_quality quality;
    CHECK_OK(parse(PAL_SURFACE_OBJ, text, &surface), err);
    TEST_ASSERT_EQUAL_INT(3, surface.triangle_count);
    CHECK_OK(pal_surface_measure(&surface, &quality, &err), err);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 2.5, quality.area); // it has a notch
    pal_surface_free(&surface);
}

static void test_written_ply_reads_back(void) {
    pal_surface ball = {0}, back;
    char path[1024];
    shape_add_sphere(&ball, (double[3]){0.0, 0.0, 0.0}, 1.0, 6);
    snprintf(path, sizeof path, "%s", check_scratch("ball.PLY"));
    CHECK_OK(pal_surface_write_ply(path, &ball, &err), err);
    TEST_ASSERT_TRUE(pal_surface_is_path(path));
    CHECK_OK(pal_surface_read(path, &back, &err), err);
    TEST_ASSERT_EQUAL_INT(ball.triangle_count, back.triangle_count);
    TEST_ASSERT_EQUAL_INT(2 + ball.triangle_count / 2, back.vertex_count); // joined, closed
    for (int i = 0; i < 3 * ball.triangle_count; i++) {
        for (int c = 0; c < 3; c++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-6, ball.x[3 * ball.triangle[i] + c],
                                      back.x[3 * back.triangle[i] + c]);
        }
    }
    pal_surface_free(&back);
    pal_surface_free(&ball);
    CHECK_FAILS(PAL_ERR_IO, "no-such-folder",
                pal_surface_write_ply("no-such-folder/a.ply", &back, &err), err);
}

// Big-endian shorts and floats, faces with a property before the list, a body that starts with the
// byte of a newline.
static void test_binary_ply_of_other_types(void) {
    static const char header[] = "ply\r\nformat binary_big_endian 1.0\r\nelement vertex 3\r\n"
                                 "property short z\r\nproperty float x\r\nproperty short y\r\n"
                                 "element face 1\r\nproperty uchar flag\r\n"
                                 "property list ushort uint vertex_index\r\nend_header\r\n";
    static const unsigned char body[] = {
        0x0a, 0x0b, 0x3f, 0x80, 0, 0, 0xff, 0xfe, // z 2571, x 1, y -2
        0x0a, 0x0b, 0x40, 0x00, 0, 0, 0x00, 0x00, // z 2571, x 2, y 0
        0x0a, 0x0b, 0xbf, 0x80, 0, 0, 0x00, 0x03, // z 2571, x -1, y 3
        7,    0,    3,    0,    0, 0, 0,    0,    0, 0, 1, 0, 0, 0, 2};
    char data[sizeof header - 1 + sizeof body];
    pal_surface surface;
    memcpy(data, header, sizeof header - 1);
    memcpy(data + sizeof header - 1, body, sizeof body);
    CHECK_OK(pal_surface_parse(PAL_SURFACE_PLY, "file", data, sizeof data, &surface, &err), err);
    static const double expected[9] = {1.0, -2.0, 2571.0, 2.0, 0.0, 2571.0, -1.0, 3.0, 2571.0};
    TEST_ASSERT_EQUAL_INT(3, surface.vertex_count);
    for (int i = 0; i < 9; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-3, expected[i], surface.x[i]);
    }
    pal_surface_free(&surface);
    data[sizeof data - 1] = 3;
    CHECK_FAILS(PAL_ERR_INPUT, "face 0 names vertex 3 of 3",
                pal_surface_parse(PAL_SURFACE_PLY, "file", data, sizeof data, &surface, &err), err);
}

static void test_errors_name_the_file_and_line(void) {
    static const struct {
        pal_surface_format format;
        const char *text, *part;
    } cases[] = {
        {PAL_SURFACE_OBJ, "", "no faces"},
        {PAL_SURFACE_OBJ, "v 0 0 0\nv 1 0 0\n", "file: no faces"},
        {PAL_SURFACE_OBJ, "v 0 0\nf 1 1 1\n", "file:1: expected three coordinates"},
        {PAL_SURFACE_OBJ, "v 0 0 nan\n", "file:1: expected three coordinates"},
        {PAL_SURFACE_OBJ, "v 0 0 1e60\nv 0 1 0\nv 1 0 0\nf 1 2 3\n", "not finite"},
        {PAL_SURFACE_OBJ, "v 0 0 0\n\nf 1 1 2\n", "file:3: a face names vertex 2"},
        {PAL_SURFACE_OBJ, "v 0 0 0\nf 1 1 0\n", "file:2: expected the number of a vertex"},
        {PAL_SURFACE_OBJ, "v 0 0 0\nf 1 1 -2\n", "file:2: expected the number of a vertex"},
        {PAL_SURFACE_OBJ, "v 0 0 0\nf 1 1\n", "file:2: expected three vertices of a face"},
        {PAL_SURFACE_OBJ, "\x01\x02 garbage", "file:1: expected the text"},
        {PAL_SURFACE_STL, "", "not an STL file"},
        {PAL_SURFACE_STL, "solid a\nendsolid a\n", "no facets"},
        {PAL_SURFACE_STL, "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 x\n",
         "file:4: expected three coordinates of a vertex, found 'x'"},
        {PAL_SURFACE_STL, "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n",
         "expected vertex, but the file ends"},
        {PAL_SURFACE_PLY, "plyy\n", "file:1: expected ply"},
        {PAL_SURFACE_PLY, "ply\nformat ascii 1.0\n", "expected end_header"},
        {PAL_SURFACE_PLY, "ply\nformat text 1.0\n", "file:2: expected ascii"},
        {PAL_SURFACE_PLY, "ply\nformat ascii 1.0\nelement vertex -4\n",
         "file:3: expected how many"},
        {PAL_SURFACE_PLY, "ply\nformat ascii 1.0\nelement vertex 1\nproperty real x\n",
         "file:4: expected a type"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pal_surface surface;
        CHECK_FAILS(PAL_ERR_INPUT, cases[i].part, parse(cases[i].format, cases[i].text, &surface),
                    err);
        TEST_ASSERT_NULL(surface.x);
        TEST_ASSERT_NULL(strchr(err.text, '\n'));
    }
    pal_surface surface;
    CHECK_FAILS(PAL_ERR_USAGE, "a.txt: surfaces are read from",
                pal_surface_read("a.txt", &surface, &err), err);
    CHECK_FAILS(PAL_ERR_IO, "missing.obj", pal_surface_read("missing.obj", &surface, &err), err);
}

// Cut anywhere, a file is an error or a smaller surface, never a crash.
static void test_truncated_files_are_errors(void) {
    char data[STL_SIZE];
    pal_surface surface;
    make_binary_stl(data);
    for (size_t size = 0; size < STL_SIZE; size++) {
        TEST_ASSERT_EQUAL_INT(
            PAL_ERR_INPUT, pal_surface_parse(PAL_SURFACE_STL, "file", data, size, &surface, &err));
    }
    for (size_t size = 0; size + 3 < sizeof ply_text; size++) {
        TEST_ASSERT_EQUAL_INT(PAL_ERR_INPUT, pal_surface_parse(PAL_SURFACE_PLY, "file", ply_text,
                                                               size, &surface, &err));
    }
    const char *stl = make_ascii_stl();
    for (size_t size = 0; size + sizeof "endsolid a tet" < strlen(stl); size++) {
        TEST_ASSERT_EQUAL_INT(
            PAL_ERR_INPUT, pal_surface_parse(PAL_SURFACE_STL, "file", stl, size, &surface, &err));
    }
    for (size_t size = 0; size < sizeof obj_text; size++) {
        pal_surface_parse(PAL_SURFACE_OBJ, "file", obj_text, size, &surface, &err);
        pal_surface_free(&surface);
    }
}

static void test_every_allocation_may_fail(void) {
    pal_volmesh mesh;
    pal_surface surface;
    int32_t *from;
    make_mesh(true, &mesh);
    for (int what = 0; what < 2; what++) {
        pal_status status = PAL_ERR_MEMORY;
        for (long n = 0; status != PAL_OK && n < 100; n++) {
            pal_memory_fail_after(n);
            from = NULL;
            status = what == 0 ? pal_surface_of_volmesh(&mesh, &surface, &from, &err)
                               : parse(PAL_SURFACE_OBJ, obj_text, &surface);
            TEST_ASSERT_TRUE(status == PAL_OK || (status == PAL_ERR_MEMORY && !surface.x && !from));
        }
        pal_memory_fail_after(-1);
        CHECK_OK(status, err);
        free(from);
        pal_surface_free(&surface);
    }
    pal_volmesh_free(&mesh);
}

static void test_shared_surfaces_read(void) {
    static const char *const names[] = {"meshes/liver.obj", "meshes/raptor_8kp.obj",
                                        "meshes/simpleBridge-ic_128_0.15_.1.obj"};
    for (int i = 0; i < 3; i++) {
        const char *path = check_shared(names[i]);
        if (path == NULL) {
            TEST_IGNORE_MESSAGE("the shared data is not here");
        }
        pal_surface surface;
        pal_surface_quality quality;
        CHECK_OK(pal_surface_read(path, &surface, &err), err);
        CHECK_OK(pal_surface_measure(&surface, &quality, &err), err);
        TEST_ASSERT_TRUE(surface.triangle_count > 0 && quality.area > 0.0);
        TEST_ASSERT_TRUE(quality.volume > 0.0);
        pal_surface_free(&surface);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_boundary_is_closed_outward_and_holds_the_volume);
    RUN_TEST(test_marks_are_the_vertices_of_the_boundary);
    RUN_TEST(test_measure_knows_a_sphere_and_its_holes);
    RUN_TEST(test_formats_agree_on_a_tet);
    RUN_TEST(test_polygons_are_cut_into_triangles);
    RUN_TEST(test_written_ply_reads_back);
    RUN_TEST(test_binary_ply_of_other_types);
    RUN_TEST(test_errors_name_the_file_and_line);
    RUN_TEST(test_truncated_files_are_errors);
    RUN_TEST(test_every_allocation_may_fail);
    RUN_TEST(test_shared_surfaces_read);
    return UNITY_END();
}
