// Damaged mesh files: every one gets an error that says what and where, or is a valid mesh after
// all; none crashes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/mesh/mesh_io.h"
#include "sim/mesh/tidy.h"
#include "tests/support/check.h"
#include "tests/support/mesh_text.h"

static pal_err err;

void setUp(void) {
    memset(&err, 0, sizeof err);
}

void tearDown(void) {
}

// Parses; whatever comes out is a tidy mesh or an error with a text.
static pal_status parse_warily(const check_variant *variant, const pal_text *first,
                               const pal_text *second) {
    pal_volmesh mesh;
    memset(&err, 0, sizeof err);
    pal_status status = pal_mesh_parse(variant->format, first, second, &mesh, &err);
    if (status != PAL_OK) {
        TEST_ASSERT_EQUAL_INT(status, err.status);
        TEST_ASSERT_TRUE(err.text[0] != '\0' && strchr(err.text, '\n') == NULL);
        TEST_ASSERT_NULL(mesh.x);
        return status;
    }
    pal_volmesh tidied = mesh;
    CHECK_OK(pal_mesh_tidy(&tidied, variant->name, &err), err);
    TEST_ASSERT_EQUAL_INT(mesh.vertex_count, tidied.vertex_count);
    TEST_ASSERT_EQUAL_INT(mesh.turned_count, tidied.turned_count);
    pal_mesh_quality quality;
    CHECK_OK(pal_mesh_measure(&mesh, &quality, &err), err);
    pal_volmesh_free(&mesh);
    return status;
}

// A copy of exactly the bytes, so that the address sanitizer sees one read too many.
static char *copy_bytes(const char *data, size_t size) {
    char *copy = malloc(size > 0 ? size : 1);
    memcpy(copy, data, size);
    return copy;
}

static void cut_everywhere(const check_variant *variant, const pal_volmesh *body) {
    check_mesh_text text = check_write_mesh(variant, body);
    bool pair = variant->format == PAL_MESH_TETGEN;
    for (int part = 0; part < (pair ? 2 : 1); part++) {
        const pal_text *whole = part == 0 ? &text.first : &text.second;
        size_t failures = 0;
        for (size_t size = 0; size < whole->size; size++) {
            char *data = copy_bytes(whole->data, size);
            pal_text cut = {.name = whole->name, .data = data, .size = size};
            failures += parse_warily(variant, part == 0 ? &cut : &text.first,
                                     part == 0 ? &text.second : &cut) != PAL_OK;
            free(data);
        }
        TEST_ASSERT_TRUE_MESSAGE(failures > whole->size / 4, variant->name);
    }
    check_free_mesh_text(&text);
}

static void test_a_file_cut_at_any_byte_fails_or_is_a_valid_mesh(void) {
    pal_volmesh tets = check_cube_tets(1), voxels = check_cube_voxels(2);
    for (int i = 0; i < check_variant_count; i++) {
        cut_everywhere(&check_variants[i], &tets);
        cut_everywhere(&check_variants[i], &voxels);
    }
    pal_volmesh_free(&tets);
    pal_volmesh_free(&voxels);
}

static uint32_t next_random(uint32_t *state) { // xorshift
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

// Changes one to four bytes: any byte, or one from the file itself (which stays closer to sense).
static void garble(char *data, size_t size, uint32_t *state) {
    for (uint32_t changes = 1 + next_random(state) % 4; changes > 0; changes--) {
        size_t at = next_random(state) % size;
        uint32_t kind = next_random(state) % 3;
        if (kind == 0) {
            data[at] ^= (char)(1 << next_random(state) % 8);
        } else if (kind == 1) {
            data[at] = (char)next_random(state);
        } else {
            data[at] = data[next_random(state) % size];
        }
    }
}

static void test_a_garbled_file_fails_or_is_a_valid_mesh(void) {
    enum { TIMES = 500 }; // for each of the variants
    uint32_t state = 2463534242u;
    pal_volmesh tets = check_cube_tets(2);
    for (int i = 0; i < check_variant_count; i++) {
        check_mesh_text text = check_write_mesh(&check_variants[i], &tets);
        bool pair = check_variants[i].format == PAL_MESH_TETGEN;
        int failures = 0;
        for (int n = 0; n < TIMES; n++) {
            bool second = pair && n % 2 == 1;
            const pal_text *whole = second ? &text.second : &text.first;
            char *data = copy_bytes(whole->data, whole->size);
            garble(data, whole->size, &state);
            pal_text bad = {.name = whole->name, .data = data, .size = whole->size};
            failures += parse_warily(&check_variants[i], second ? &text.first : &bad,
                                     second ? &bad : &text.second) != PAL_OK;
            free(data);
        }
        TEST_ASSERT_TRUE_MESSAGE(failures > TIMES / 10, check_variants[i].name);
        check_free_mesh_text(&text);
    }
    pal_volmesh_free(&tets);
}

static void test_a_coordinate_that_is_not_finite_is_named_in_every_format(void) {
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        pal_volmesh body = check_cube_tets(1);
        body.x[3 * 5 + k] = bad[k];
        for (int i = 0; i < check_variant_count; i++) {
            check_mesh_text text = check_write_mesh(&check_variants[i], &body);
            pal_volmesh mesh;
            CHECK_FAILS(
                PAL_ERR_INPUT, "has a coordinate that is not finite",
                pal_mesh_parse(check_variants[i].format, &text.first, &text.second, &mesh, &err),
                err);
            check_free_mesh_text(&text);
        }
        pal_volmesh_free(&body);
    }
}

static void test_a_vertex_that_is_not_there_is_an_error_in_every_format(void) {
    pal_volmesh body = check_cube_tets(1);
    body.element[9] = 8;
    for (int i = 0; i < check_variant_count; i++) {
        check_mesh_text text = check_write_mesh(&check_variants[i], &body);
        TEST_ASSERT_EQUAL_INT_MESSAGE(PAL_ERR_INPUT,
                                      parse_warily(&check_variants[i], &text.first, &text.second),
                                      check_variants[i].name);
        bool says = strstr(err.text, "there is no") != NULL || strstr(err.text, "names point 8");
        TEST_ASSERT_TRUE_MESSAGE(says, err.text);
        check_free_mesh_text(&text);
    }
    pal_volmesh_free(&body);
}

static void test_degenerate_elements_fail_and_inverted_ones_are_turned_in_every_format(void) {
    pal_volmesh flat = check_cube_tets(1), turned = check_cube_tets(1);
    memcpy(flat.x + 3 * 6, (double[3]){0.5, 0.0, 0.0}, sizeof(double[3])); // onto the edge 0-4
    int32_t kept = turned.element[0];
    turned.element[0] = turned.element[1];
    turned.element[1] = kept;
    for (int i = 0; i < check_variant_count; i++) {
        const check_variant *variant = &check_variants[i];
        check_mesh_text flat_text = check_write_mesh(variant, &flat);
        check_mesh_text turned_text = check_write_mesh(variant, &turned);
        pal_volmesh mesh;
        CHECK_FAILS(PAL_ERR_INPUT, "degenerate",
                    parse_warily(variant, &flat_text.first, &flat_text.second), err);
        CHECK_OK(
            pal_mesh_parse(variant->format, &turned_text.first, &turned_text.second, &mesh, &err),
            err);
        TEST_ASSERT_EQUAL_INT(1, mesh.turned_count);
        pal_volmesh_free(&mesh);
        check_free_mesh_text(&flat_text);
        check_free_mesh_text(&turned_text);
    }
    pal_volmesh_free(&flat);
    pal_volmesh_free(&turned);
}

typedef struct bad_file {
    pal_mesh_format format;
    const char *first, *second; // second only for TetGen
    pal_status status;
    const char *part; // of the message
} bad_file;

#define CUBE_NODES "1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
#define GMSH2      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define GMSH41     "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define VEGA_TET   "*VERTICES\n4 3 0 0\n" CUBE_NODES "*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n"
#define VTK_HEAD   "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define VTK_TET    VTK_HEAD "POINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\n"
#define VTU_HEAD   "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\">"

static const bad_file bad_files[] = {
    // counts that cannot be true fail at once, without allocation
    {PAL_MESH_GMSH, GMSH2 "$Nodes\n2000000000\n1 0 0 0\n", NULL, PAL_ERR_INPUT,
     "x:5: the count of nodes, 2000000000, is wrong"},
    {PAL_MESH_GMSH, GMSH41 "$Nodes\n1 2000000000 1 2000000000\n", NULL, PAL_ERR_INPUT, "is wrong"},
    {PAL_MESH_GMSH, "$NOD\n4\n" CUBE_NODES "$ENDNOD\n$ELM\n-1\n", NULL, PAL_ERR_INPUT, "is wrong"},
    {PAL_MESH_TETGEN, "2000000000 3 0 0\n0 0 0 0\n", "1 4 0\n", PAL_ERR_INPUT, "is wrong"},
    {PAL_MESH_TETGEN, "4 3 0 0\n" CUBE_NODES, "99999999999999999999 4 0\n", PAL_ERR_INPUT,
     "y.ele:1: '99999999999999999999' is not a whole number"},
    {PAL_MESH_MEDIT, "MeshVersionFormatted 1\nVertices 2000000000\n", NULL, PAL_ERR_INPUT,
     "x:2: the count of vertices"},
    {PAL_MESH_VTK_LEGACY, VTK_HEAD "POINTS 2000000000 float\n", NULL, PAL_ERR_INPUT, "is wrong"},
    {PAL_MESH_VTK_LEGACY, VTK_HEAD "POINTS 8969439285850552503 float\n", NULL, PAL_ERR_INPUT,
     "is wrong"},
    {PAL_MESH_VEGA, "*VERTICES\n2000000000 3 0 0\n", NULL, PAL_ERR_INPUT, "is wrong"},
    {PAL_MESH_VTU,
     VTU_HEAD "<Piece NumberOfPoints=\"2000000000\" NumberOfCells=\"1\"><Points>"
              "<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0"
              "</DataArray></Points></Piece></VTKFile>",
     NULL, PAL_ERR_INPUT, "array Points: it does not have as many numbers"},
    // a wrong line is named
    {PAL_MESH_GMSH, "$NOD\n4\n1 0 0 0\n2 1 0 zero\n3 0 1 0\n4 0 0 1\n", NULL, PAL_ERR_INPUT,
     "x:4: 'zero' is not a number"},
    {PAL_MESH_TETGEN, "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 inf 0\n4 0 0 1\n", "1 4 0\n1 1 2 3 4\n",
     PAL_ERR_INPUT, "x:4: vertex 3 has a coordinate that is not finite"},
    {PAL_MESH_TETGEN, "4 3 0 0\n" CUBE_NODES, "1 4 0\n1 1 2 3 5\n", PAL_ERR_INPUT,
     "y.ele:2: there is no vertex 5; they go from 1 to 4"},
    {PAL_MESH_TETGEN, "4 3 0 0\n1 0 0 0\n2 1 0 0\n4 0 1 0\n3 0 0 1\n", "1 4 0\n1 1 2 3 4\n",
     PAL_ERR_INPUT, "x:4: vertex 4 where 3 should be"},
    {PAL_MESH_TETGEN, "4 2 0 0\n" CUBE_NODES, "1 4 0\n1 1 2 3 4\n", PAL_ERR_INPUT, "dimension"},
    {PAL_MESH_TETGEN, "4 3 0 0\n" CUBE_NODES, "1 4 1\n1 1 2 3 4 0.5\n", PAL_ERR_INPUT,
     "y.ele:2: the region (first attribute) is not a whole number"},
    {PAL_MESH_GMSH, GMSH2 "$Nodes\n2\n1 0 0 0\n1 0 0 1\n$EndNodes\n", NULL, PAL_ERR_INPUT,
     "node 1 is given twice"},
    // kinds of files and elements that we do not read
    {PAL_MESH_GMSH, "$MeshFormat\n4.1 1 8\n", NULL, PAL_ERR_UNSUPPORTED, "x:2: binary Gmsh"},
    {PAL_MESH_GMSH, "$MeshFormat\n4 0 8\n$EndMeshFormat\n", NULL, PAL_ERR_UNSUPPORTED,
     "Gmsh format 4 is not supported; save as 4.1 or 2.2"},
    {PAL_MESH_GMSH, "solid cube\n", NULL, PAL_ERR_INPUT, "x:1: a section"},
    {PAL_MESH_GMSH,
     GMSH2 "$Nodes\n4\n" CUBE_NODES "$EndNodes\n$Elements\n1\n1 11 0 1 2 3 4\n"
           "$EndElements\n",
     NULL, PAL_ERR_UNSUPPORTED, "neither 4-node tetrahedra nor"},
    {PAL_MESH_GMSH,
     GMSH2 "$Nodes\n4\n" CUBE_NODES "$EndNodes\n$Elements\n2\n1 2 0 1 2 3\n"
           "2 1 0 1 2\n$EndElements\n",
     NULL, PAL_ERR_INPUT,
     "has no tetrahedra or hexahedra (it has 1 triangles and 1 other flat elements); mesh"},
    {PAL_MESH_TETGEN, "4 3 0 0\n" CUBE_NODES, "1 10 0\n", PAL_ERR_UNSUPPORTED, "quadratic"},
    {PAL_MESH_MEDIT,
     "MeshVersionFormatted 1\nVertices 8\n0 0 0 0\n1 0 0 0\n1 1 0 0\n0 1 0 0\n0 0 1 0\n1 0 1 0\n"
     "1 1 1 0\n0 1 1 0\nTetrahedra 2\n1 2 4 5 0\n2 3 4 7 0\nHexahedra 1\n1 2 3 4 5 6 7 8 0\nEnd\n",
     NULL, PAL_ERR_UNSUPPORTED, "mixes 2 tetrahedra and 1 hexahedra"},
    {PAL_MESH_MEDIT, "MeshVersionFormatted 1\nDimension 2\n", NULL, PAL_ERR_INPUT, "dimension"},
    {PAL_MESH_MEDIT, "Vertices 4\n", NULL, PAL_ERR_INPUT, "starts with MeshVersionFormatted"},
    {PAL_MESH_VTK_LEGACY, "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\n", NULL,
     PAL_ERR_UNSUPPORTED, "x:4: the file is not an UNSTRUCTURED_GRID"},
    {PAL_MESH_VTK_LEGACY, "hello\n", NULL, PAL_ERR_INPUT, "x:1: a legacy VTK file starts with"},
    {PAL_MESH_VTK_LEGACY, VTK_TET "CELL_TYPES 1\n14\n", NULL, PAL_ERR_UNSUPPORTED, "neither"},
    {PAL_MESH_VTK_LEGACY, VTK_TET "CELL_TYPES 1\n12\n", NULL, PAL_ERR_INPUT,
     "cell 0 (from 0) has 4 vertices but is of type 12"},
    {PAL_MESH_VTK_LEGACY, VTK_TET, NULL, PAL_ERR_INPUT, "CELL_TYPES are missing"},
    {PAL_MESH_VTU, "<VTKFile type=\"PolyData\"></VTKFile>", NULL, PAL_ERR_UNSUPPORTED,
     "x:1: the file holds 'PolyData'"},
    {PAL_MESH_VTU, "<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkLZ4DataCompressor\"/>", NULL,
     PAL_ERR_UNSUPPORTED, "compressor 'vtkLZ4DataCompressor' is not supported"},
    {PAL_MESH_VTU, "<html></html>", NULL, PAL_ERR_INPUT, "not a VTKFile"},
    {PAL_MESH_VTU, VTU_HEAD, NULL, PAL_ERR_INPUT, "XML: no element found; is the file cut"},
    {PAL_MESH_VTU, "<!DOCTYPE a [<!ENTITY b \"bb\">]><VTKFile/>", NULL, PAL_ERR_INPUT,
     "document type"},
    // VEGA: materials and regions
    {PAL_MESH_VEGA, "*INCLUDE other.veg\n", NULL, PAL_ERR_UNSUPPORTED,
     "x:1: *INCLUDE is for files"},
    {PAL_MESH_VEGA, VEGA_TET "*MATERIAL m\nMOONEYRIVLIN, 1, 2, 3, 4\n", NULL, PAL_ERR_UNSUPPORTED,
     "x:12: material kind 'MOONEYRIVLIN' is not supported"},
    {PAL_MESH_VEGA, VEGA_TET "*MATERIAL m\nENU, 1, 2, 0.3\n", NULL, PAL_ERR_INPUT,
     "element 1 is in no *REGION"},
    {PAL_MESH_VEGA, VEGA_TET "*MATERIAL m\nENU, 1, 2, 0.3\n*REGION\nall, m\n", NULL, PAL_ERR_INPUT,
     "x:14: there is no set 'all'"},
    {PAL_MESH_VEGA, VEGA_TET "*MATERIAL m\nENU, 1, 2, 0.3\n*REGION\nallElements, n\n", NULL,
     PAL_ERR_INPUT, "x:14: there is no material 'n'"},
    {PAL_MESH_VEGA, VEGA_TET "*MATERIAL m\nENU, 1, 2, 0.3\n*SET s\n1,\n2\n*REGION\ns, m\n", NULL,
     PAL_ERR_INPUT, "x:15: there is no element 2"},
    {PAL_MESH_VEGA, "*CATS\n", NULL, PAL_ERR_INPUT, "x:1: '*CATS' is not a section"},
};

static void test_each_kind_of_damage_gets_a_message_that_says_what_and_where(void) {
    for (size_t i = 0; i < sizeof bad_files / sizeof *bad_files; i++) {
        const bad_file *bad = &bad_files[i];
        pal_text first = {.name = "x", .data = bad->first, .size = strlen(bad->first)};
        pal_text second = {.name = "y.ele", .data = bad->second};
        second.size = bad->second != NULL ? strlen(bad->second) : 0;
        pal_volmesh mesh;
        CHECK_FAILS(bad->status, bad->part,
                    pal_mesh_parse(bad->format, &first, &second, &mesh, &err), err);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_file_cut_at_any_byte_fails_or_is_a_valid_mesh);
    RUN_TEST(test_a_garbled_file_fails_or_is_a_valid_mesh);
    RUN_TEST(test_a_coordinate_that_is_not_finite_is_named_in_every_format);
    RUN_TEST(test_a_vertex_that_is_not_there_is_an_error_in_every_format);
    RUN_TEST(test_degenerate_elements_fail_and_inverted_ones_are_turned_in_every_format);
    RUN_TEST(test_each_kind_of_damage_gets_a_message_that_says_what_and_where);
    return UNITY_END();
}
