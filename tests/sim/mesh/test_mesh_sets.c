// What mesh files name beside their regions: sets, physical groups, arrays; and files that include
// others.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/mesh/mesh_io.h"
#include "sim/mesh/select.h"
#include "tests/support/check.h"

static pal_err err;

void setUp(void) {
    memset(&err, 0, sizeof err);
}

void tearDown(void) {
    pal_memory_fail_after(-1);
}

// ---- files in memory

typedef struct fake { // the last one has no name
    const char *path, *text;
} fake;

static pal_status read_fake(void *context, const char *path, char **data, size_t *size,
                            pal_err *e) {
    for (const fake *file = context; file->path != NULL; file++) {
        if (strcmp(file->path, path) == 0) {
            *size = strlen(file->text);
            *data = PAL_NEW(char, *size, e);
            if (*data == NULL) {
                return PAL_ERR_MEMORY;
            }
            memcpy(*data, file->text, *size);
            return PAL_OK;
        }
    }
    *data = NULL;
    *size = 0;
    return pal_fail(e, PAL_ERR_IO, "%s: there is none", path);
}

// The first file, which may include the others.
static pal_status parse(pal_mesh_format format, const fake *files, pal_volmesh *mesh) {
    const pal_mesh_files others = {.read = read_fake, .context = (void *)files};
    const pal_text text = {
        .name = files->path, .data = files->text, .size = strlen(files->text), .files = &others};
    return pal_mesh_parse(format, &text, NULL, mesh, &err);
}

static void expect_failure(const fake *files, pal_status status, const char *message) {
    pal_volmesh mesh;
    TEST_ASSERT_EQUAL_INT_MESSAGE(status, parse(PAL_MESH_VEGA, files, &mesh), err.text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, message), err.text);
    TEST_ASSERT_NULL(mesh.x);
}

// The vertices that a selector holds, as digits, such as "013".
static void expect_vertices(const pal_volmesh *mesh, const char *selector, const char *digits) {
    uint8_t selected[16];
    char found[17];
    int used = 0;
    TEST_ASSERT_TRUE(mesh->vertex_count <= 10);
    CHECK_OK(pal_select_vertices(mesh, selector, selected, NULL, &err), err);
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        if (selected[v]) {
            found[used++] = (char)('0' + mesh->file_vertex[v]);
        }
    }
    found[used] = '\0';
    TEST_ASSERT_EQUAL_STRING_MESSAGE(digits, found, selector);
}

// Two tets on the face 1 2 3 of five vertices; number 5 belongs to none.
#define VERTICES "1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n6 9 9 9\n"

// ---- VEGA

static const fake split[] = {
    {"in/body.veg", "# a body\n*VERTICES\n*INCLUDE parts/points.node\n*ELEMENTS\nTET\n"
                    "*INCLUDE ./parts/cells.ele\n*include parts/rest.veg\n*SET mine\n1\n"},
    {"in/parts/points.node", "6 3 1 1\n1 0 0 0 7 1\n2 1 0 0 7 1\n3 0 1 0 7 0\n4 0 0 1 7 1\n"
                             "5 1 1 1 7 1\n6 9 9 9 7 1"},
    {"in/parts/cells.ele", "2 4 1\n1 1 2 3 4 0\n2 2 3 4 5 0\n"},
    {"in/parts/rest.veg",
     "*MATERIAL m\nENU, 1000, 5000, 0.3\n*SET lobe\n2,\n*REGION\nallElements, m\n"
     "*INCLUDE deep/region.veg"},
    {"in/parts/deep/region.veg", "*REGION\nlobe, m\n"},
    {NULL, NULL},
};

static void test_included_files_stand_where_they_are_named(void) {
    pal_volmesh mesh;
    CHECK_OK(parse(PAL_MESH_VEGA, split, &mesh), err);
    TEST_ASSERT_EQUAL_INT(2, mesh.element_count);
    TEST_ASSERT_EQUAL_INT(5, mesh.vertex_count);
    TEST_ASSERT_EQUAL_INT(2, mesh.region_count);
    TEST_ASSERT_EQUAL_STRING("lobe", mesh.regions[mesh.region[1]].name);
    TEST_ASSERT_EQUAL_INT(2, mesh.set_count);
    expect_vertices(&mesh, "set:mine", "0123");
    expect_vertices(&mesh, "set:lobe & region:lobe", "1234");
    pal_volmesh_free(&mesh);
}

static void test_an_error_names_the_included_file_and_its_line(void) {
    fake files[6];
    memcpy(files, split, sizeof files);
    files[2].text = "2 4 1\n1 1 2 3 4 0\n2 2 3 4 9 0\n";
    expect_failure(files, PAL_ERR_INPUT, "in/parts/cells.ele:3: ");
    memcpy(files, split, sizeof files);
    files[4].text = "\n*REGION\nlobe, cheese\n";
    expect_failure(files, PAL_ERR_INPUT, "in/parts/deep/region.veg:3: there is no material");
    memcpy(files, split, sizeof files);
    files[0].text = "*VERTICES\n*INCLUDE parts/points.node\n*CATS\n";
    expect_failure(files, PAL_ERR_INPUT, "in/body.veg:3: '*CATS'");
    files[0].text = "*VERTICES\n*INCLUDE\n";
    expect_failure(files, PAL_ERR_INPUT, "in/body.veg:2: *INCLUDE needs the name");
    files[0].text = "*VERTICES\n\n*INCLUDE nowhere.veg\n";
    expect_failure(files, PAL_ERR_IO, "in/body.veg:3: *INCLUDE: in/nowhere.veg: there is none");
}

static void test_including_in_a_circle_or_too_deep_tells_the_chain(void) {
    static const fake circle[] = {
        {"a.veg", "*INCLUDE b.veg\n"}, {"b.veg", "# b\n*INCLUDE ./a.veg\n"}, {NULL, NULL}};
    expect_failure(circle, PAL_ERR_INPUT,
                   "b.veg:2: *INCLUDE goes round in a circle: a.veg -> b.veg -> a.veg");
    static const fake deep[] = {{"a.veg", "*INCLUDE x/../a.veg\n"},
                                {"x/../a.veg", "*INCLUDE x/../a.veg\n"},
                                {"x/../x/../a.veg", "*INCLUDE /a\n"},
                                {"/a", "*INCLUDE /a\n"},
                                {NULL, NULL}};
    expect_failure(deep, PAL_ERR_INPUT, "/a -> /a");
    // each file includes the next one twice: 2^17 in all, were they not counted
    char text[18][32], path[18][8];
    fake files[19] = {{NULL, NULL}};
    for (int i = 0; i < 18; i++) {
        snprintf(path[i], sizeof path[i], "f%d", i);
        snprintf(text[i], sizeof text[i], "*INCLUDE f%d\n*INCLUDE f%d\n", i + 1, i + 1);
        files[i] = (fake){path[i], text[i]};
    }
    expect_failure(files, PAL_ERR_UNSUPPORTED, "levels or 1024 files of *INCLUDE");
    snprintf(text[16], sizeof text[16], "# end\n");
    expect_failure(files, PAL_ERR_UNSUPPORTED, "levels or 1024 files of *INCLUDE");
}

// ---- Gmsh

#define GMSH_NODES "$Nodes\n6\n" VERTICES "$EndNodes\n"
#define GMSH_NAMES                                                                                 \
    "$PhysicalNames\n3\n0 4 \"tip\"\n2 7 \"the base\"\n3 1 \"bone\"\n$EndPhysicalNames\n"

static const fake gmsh_2[] = {
    {"a.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n" GMSH_NAMES GMSH_NODES "$Elements\n7\n"
              "1 15 2 4 1 5\n2 1 2 9 1 1 2\n3 2 2 7 1 1 2 3\n4 2 2 7 1 1 3 4\n5 2 2 0 1 3 4 5\n"
              "6 4 2 1 1 1 2 3 4\n7 4 2 2 1 2 3 4 5\n$EndElements\n"},
    {NULL, NULL}};
static const fake gmsh_1[] = {{"a.msh", "$NOD\n6\n" VERTICES
                                        "$ENDNOD\n$ELM\n3\n1 2 7 1 3 1 2 3\n2 4 1 1 4 1 2 3 4\n"
                                        "3 4 2 1 4 2 3 4 5\n$ENDELM\n"},
                              {NULL, NULL}};
#define GMSH_BLOCK_NODES                                                                           \
    "$Nodes\n1 6 1 6\n3 1 0 6\n1\n2\n3\n4\n5\n6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n9 9 9\n"       \
    "$EndNodes\n"
static const fake gmsh_4[] = {
    {"a.msh", "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n" GMSH_NAMES "$Entities\n1 0 2 2\n"
              "5 1 1 1 1 4\n"
              "1 0 0 0 1 1 0 2 7 8 0\n2 0 0 0 1 1 1 0 0\n"
              "1 0 0 0 1 1 1 1 1 0\n2 0 0 0 1 1 1 2 2 1 0\n$EndEntities\n" GMSH_BLOCK_NODES
              "$Elements\n5 5 1 5\n0 5 15 1\n1 5\n2 1 2 1\n2 1 2 3\n2 2 2 1\n3 3 4 5\n"
              "3 1 4 1\n4 1 2 3 4\n3 2 4 1\n5 2 3 4 5\n$EndElements\n"},
    {NULL, NULL}};

static void test_physical_groups_of_gmsh_are_regions_and_sets(void) {
    pal_volmesh mesh;
    CHECK_OK(parse(PAL_MESH_GMSH, gmsh_2, &mesh), err);
    TEST_ASSERT_EQUAL_STRING("bone", mesh.regions[0].name);
    TEST_ASSERT_EQUAL_STRING("2", mesh.regions[1].name);
    TEST_ASSERT_EQUAL_INT(3, mesh.set_count); // group 0 is none
    expect_vertices(&mesh, "set:tip", "4");
    expect_vertices(&mesh, "set:\"the base\"", "0123");
    expect_vertices(&mesh, "set:curve=9", "01");
    expect_vertices(&mesh, "set:bone", "0123"); // by its region
    pal_volmesh_free(&mesh);
    CHECK_OK(parse(PAL_MESH_GMSH, gmsh_1, &mesh), err);
    TEST_ASSERT_EQUAL_INT(1, mesh.set_count);
    expect_vertices(&mesh, "set:surface=7", "012");
    pal_volmesh_free(&mesh);
}

static void test_an_entity_in_several_groups_is_in_all_of_them(void) {
    pal_volmesh mesh;
    CHECK_OK(parse(PAL_MESH_GMSH, gmsh_4, &mesh), err);
    expect_vertices(&mesh, "set:tip", "4");
    expect_vertices(&mesh, "set:'the base'", "012");
    expect_vertices(&mesh, "set:surface=8", "012");
    expect_vertices(&mesh, "region:bone", "0123"); // the first group of a volume is its region
    expect_vertices(&mesh, "region:2", "1234");
    expect_vertices(&mesh, "set:bone", "01234");
    expect_vertices(&mesh, "set:volume=2", "1234");
    pal_volmesh_free(&mesh);
}

// ---- VTK

#define VTK_GRID                                                                                   \
    "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 double\n"           \
    "0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n9 9 9\nCELLS 3 14\n3 0 1 2\n4 0 1 2 3\n4 1 2 3 4\n"        \
    "CELL_TYPES 3\n5\n10\n10\n"

static const fake vtk[] = {
    {"a.vtk", VTK_GRID "CELL_DATA 3\nSCALARS label int 1\nLOOKUP_TABLE default\n8\n8\n9\n"
                       "SCALARS material int 1\nLOOKUP_TABLE default\n5\n3\n4\n"
                       "SCALARS stress double 1\nLOOKUP_TABLE default\n5\n3\n4\n"
                       "FIELD f 2\ngrip 1 3 char\n0 0 1\npair 2 3 int\n1 2 3 4 5 6\n"
                       "POINT_DATA 6\nSCALARS skin int 1\nLOOKUP_TABLE default\n1\n0\n1\n0\n1\n1\n"
                       "SCALARS zone int 1\nLOOKUP_TABLE default\n0\n0\n0\n2\n-1\n7\n"},
    {NULL, NULL}};
static const fake vtu[] = {
    {"a.vtu",
     "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"6\" "
     "NumberOfCells=\"3\"><PointData><DataArray type=\"Int8\" Name=\"skin\" format=\"ascii\">1 0 1 "
     "0 1 1</DataArray><DataArray type=\"Int64\" Name=\"zone\" format=\"ascii\">0 0 0 2 -1 7"
     "</DataArray></PointData><CellData><DataArray type=\"Int32\" Name=\"label\" format=\"ascii\">"
     "8 8 9</DataArray><DataArray type=\"Int32\" Name=\"material\" format=\"ascii\">5 3 4"
     "</DataArray><DataArray type=\"Float64\" Name=\"stress\" format=\"ascii\">5 3 4</DataArray>"
     "<DataArray type=\"UInt8\" Name=\"grip\" format=\"ascii\">0 0 1</DataArray></CellData>"
     "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 0 0 "
     "0 1 0 0 0 1 1 1 1 9 9 9</DataArray></Points><Cells><DataArray type=\"Int64\" "
     "Name=\"connectivity\" format=\"ascii\">0 1 2 0 1 2 3 1 2 3 4</DataArray><DataArray "
     "type=\"Int64\" Name=\"offsets\" format=\"ascii\">3 7 11</DataArray><DataArray type=\"UInt8\" "
     "Name=\"types\" format=\"ascii\">5 10 10</DataArray></Cells></Piece></UnstructuredGrid>"
     "</VTKFile>"},
    {NULL, NULL}};

static void test_whole_numbered_arrays_of_vtk_are_regions_and_sets(void) {
    const fake *const files[2] = {vtk, vtu};
    const pal_mesh_format format[2] = {PAL_MESH_VTK_LEGACY, PAL_MESH_VTU};
    for (int i = 0; i < 2; i++) {
        pal_volmesh mesh;
        CHECK_OK(parse(format[i], files[i], &mesh), err);
        TEST_ASSERT_EQUAL_INT(2, mesh.region_count); // by "material", better known than "label"
        TEST_ASSERT_EQUAL_STRING("3", mesh.regions[0].name);
        TEST_ASSERT_EQUAL_STRING("4", mesh.regions[1].name);
        expect_vertices(&mesh, "set:label=8", "0123"); // of a triangle its vertices
        expect_vertices(&mesh, "set:label=9", "1234");
        expect_vertices(&mesh, "set:material=5", "012"); // no region: a triangle alone
        expect_vertices(&mesh, "set:grip", "1234");
        expect_vertices(&mesh, "set:skin", "024");
        expect_vertices(&mesh, "set:zone=-1", "4");
        expect_vertices(&mesh, "set:zone=7", ""); // of the vertex that no element has
        expect_vertices(&mesh, "set:zone=0", "012");
        uint8_t none[8];
        TEST_ASSERT_NOT_EQUAL(PAL_OK, pal_select_vertices(&mesh, "set:stress=5", none, NULL, &err));
        pal_volmesh_free(&mesh);
    }
}

// An array that numbers the cells is no list of sets, however long.
static void test_arrays_of_many_values_make_no_sets(void) {
    enum { CELLS = 400, ROOM = 64 * CELLS };
    char *text = calloc(ROOM, 1);
    int used = snprintf(text, ROOM, "%s",
                        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                        "POINTS 4 double\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n");
    used += snprintf(text + used, (size_t)(ROOM - used), "CELLS %d %d\n", CELLS, 2 * CELLS + 3);
    used += snprintf(text + used, (size_t)(ROOM - used), "4 0 1 2 3\n");
    for (int c = 1; c < CELLS; c++) {
        used += snprintf(text + used, (size_t)(ROOM - used), "1 0\n");
    }
    used += snprintf(text + used, (size_t)(ROOM - used), "CELL_TYPES %d\n10\n", CELLS);
    for (int c = 1; c < CELLS; c++) {
        used += snprintf(text + used, (size_t)(ROOM - used), "1\n");
    }
    used += snprintf(text + used, (size_t)(ROOM - used),
                     "CELL_DATA %d\nSCALARS number int 1\nLOOKUP_TABLE default\n", CELLS);
    for (int c = 0; c < CELLS; c++) {
        used += snprintf(text + used, (size_t)(ROOM - used), "%d\n", c);
    }
    const fake files[2] = {{"a.vtk", text}, {NULL, NULL}};
    pal_volmesh mesh;
    CHECK_OK(parse(PAL_MESH_VTK_LEGACY, files, &mesh), err);
    TEST_ASSERT_EQUAL_INT(0, mesh.set_count);
    pal_volmesh_free(&mesh);
    free(text);
}

static void test_lack_of_memory_anywhere_is_an_error_without_a_leak(void) {
    const fake *const files[] = {split, gmsh_2, gmsh_4, vtk, vtu};
    const pal_mesh_format format[] = {PAL_MESH_VEGA, PAL_MESH_GMSH, PAL_MESH_GMSH,
                                      PAL_MESH_VTK_LEGACY, PAL_MESH_VTU};
    for (int i = 0; i < 5; i++) {
        pal_status status = PAL_ERR_MEMORY;
        long allowed = 0;
        while (status != PAL_OK) {
            pal_volmesh mesh;
            pal_memory_fail_after(allowed++);
            status = parse(format[i], files[i], &mesh);
            pal_memory_fail_after(-1);
            TEST_ASSERT_TRUE_MESSAGE(status == PAL_OK || status == PAL_ERR_MEMORY, err.text);
            pal_volmesh_free(&mesh);
            TEST_ASSERT_TRUE(allowed < 1000);
        }
        TEST_ASSERT_TRUE(allowed > 10);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_included_files_stand_where_they_are_named);
    RUN_TEST(test_an_error_names_the_included_file_and_its_line);
    RUN_TEST(test_including_in_a_circle_or_too_deep_tells_the_chain);
    RUN_TEST(test_physical_groups_of_gmsh_are_regions_and_sets);
    RUN_TEST(test_an_entity_in_several_groups_is_in_all_of_them);
    RUN_TEST(test_whole_numbered_arrays_of_vtk_are_regions_and_sets);
    RUN_TEST(test_arrays_of_many_values_make_no_sets);
    RUN_TEST(test_lack_of_memory_anywhere_is_an_error_without_a_leak);
    return UNITY_END();
}
