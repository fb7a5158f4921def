// The volume mesh readers: the same body in every format, and the real files beside the project.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "sim/mesh/mesh_io.h"
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

static pal_status parse(const check_variant *variant, const check_mesh_text *text,
                        pal_volmesh *mesh) {
    return pal_mesh_parse(variant->format, &text->first, &text->second, mesh, &err);
}

static void expect_same_mesh(const pal_volmesh *a, const pal_volmesh *b, const char *name) {
    TEST_ASSERT_EQUAL_INT_MESSAGE(a->kind, b->kind, name);
    TEST_ASSERT_EQUAL_INT_MESSAGE(a->vertex_count, b->vertex_count, name);
    TEST_ASSERT_EQUAL_INT_MESSAGE(a->element_count, b->element_count, name);
    TEST_ASSERT_EQUAL_INT_MESSAGE(a->region_count, b->region_count, name);
    size_t entries = (size_t)a->element_count * a->kind;
    TEST_ASSERT_EQUAL_MEMORY(a->x, b->x, 3 * (size_t)a->vertex_count * sizeof *a->x);
    TEST_ASSERT_EQUAL_MEMORY(a->element, b->element, entries * sizeof *a->element);
    TEST_ASSERT_EQUAL_MEMORY(a->region, b->region, (size_t)a->element_count * sizeof *a->region);
    TEST_ASSERT_EQUAL_MEMORY(a->file_vertex, b->file_vertex,
                             (size_t)a->vertex_count * sizeof *a->file_vertex);
}

// What the readers call region g: by name where the format has names.
static void expect_region_names(const check_variant *variant, const pal_volmesh *mesh) {
    static const char *const names[] = {"soft", "hard"}, *const labels[] = {"1", "2"};
    bool named = variant->format == PAL_MESH_VEGA ||
                 (variant->format == PAL_MESH_GMSH && variant->option > 1);
    for (int g = 0; g < mesh->region_count; g++) {
        const char *expected = named ? names[g] : mesh->region_count == 1 ? "body" : labels[g];
        TEST_ASSERT_EQUAL_STRING_MESSAGE(expected, mesh->regions[g].name, variant->name);
        TEST_ASSERT_EQUAL_INT(variant->format == PAL_MESH_VEGA, mesh->regions[g].has_material);
    }
    if (variant->format == PAL_MESH_VEGA) {
        const pal_material *last = &mesh->regions[mesh->region_count - 1].material;
        TEST_ASSERT_EQUAL_DOUBLE(5000.0 * mesh->region_count, last->young);
        TEST_ASSERT_EQUAL_DOUBLE(0.25, last->poisson);
        TEST_ASSERT_EQUAL_DOUBLE(999.0 + mesh->region_count, last->density);
    }
}

static void expect_all_variants_read(pal_volmesh body) {
    pal_mesh_quality quality;
    CHECK_OK(pal_mesh_measure(&body, &quality, &err), err);
    TEST_ASSERT_EQUAL_INT(0, quality.inverted_count);
    for (int i = 0; i < check_variant_count; i++) {
        const check_variant *variant = &check_variants[i];
        check_mesh_text text = check_write_mesh(variant, &body);
        pal_volmesh mesh;
        CHECK_OK(parse(variant, &text, &mesh), err);
        expect_same_mesh(&body, &mesh, variant->name);
        expect_region_names(variant, &mesh);
        TEST_ASSERT_EQUAL_INT(0, mesh.turned_count);
        TEST_ASSERT_EQUAL_INT(0, mesh.dropped_count);
        pal_volmesh_free(&mesh);
        check_free_mesh_text(&text);
    }
    pal_volmesh_free(&body);
}

static void test_the_same_tets_in_all_formats_are_the_same_mesh(void) {
    expect_all_variants_read(check_cube_tets(1));
    expect_all_variants_read(check_cube_tets(2));
}

static void test_the_same_voxels_in_all_formats_are_the_same_mesh(void) {
    expect_all_variants_read(check_cube_voxels(1));
    expect_all_variants_read(check_cube_voxels(2));
}

static void test_coordinates_survive_to_the_last_bit(void) {
    pal_volmesh body = check_cube_tets(1);
    const double odd[9] = {4.9e-324,  1e-17, -2.2250738585072014e-308, // vertex 0
                           1.0 / 3.0, -0.1,  0.98765432109876543,      // vertex 1
                           1.1,       0.97,  nextafter(1.0, 2.0)};     // vertex 7
    memcpy(body.x, odd, 6 * sizeof(double));
    memcpy(body.x + 3 * 7, odd + 6, 3 * sizeof(double));
    expect_all_variants_read(body);
}

static void test_windows_line_ends_change_nothing(void) {
    pal_volmesh body = check_cube_tets(2);
    for (int i = 0; i < check_variant_count; i++) {
        const check_variant *variant = &check_variants[i];
        if (strstr(variant->name, "raw") != NULL || strstr(variant->name, "binary") != NULL) {
            continue;
        }
        check_mesh_text text = check_write_mesh(variant, &body), windows = text;
        for (int part = 0; part < 2; part++) {
            const pal_text *from = part == 0 ? &text.first : &text.second;
            pal_text *to = part == 0 ? &windows.first : &windows.second;
            char *data = malloc(2 * from->size + 1);
            size_t used = 0;
            for (size_t b = 0; b < from->size; b++) {
                if (from->data[b] == '\n') {
                    data[used++] = '\r';
                }
                data[used++] = from->data[b];
            }
            *to = (pal_text){.name = from->name, .data = data, .size = used};
            windows.memory[part] = data;
        }
        pal_volmesh mesh = {0};
        CHECK_OK(parse(variant, &windows, &mesh), err);
        expect_same_mesh(&body, &mesh, variant->name);
        pal_volmesh_free(&mesh);
        check_free_mesh_text(&text);
        check_free_mesh_text(&windows);
    }
    pal_volmesh_free(&body);
}

static void test_lack_of_memory_anywhere_is_an_error_without_a_leak(void) {
    pal_volmesh body = check_cube_tets(2);
    for (int i = 0; i < check_variant_count; i++) {
        check_mesh_text text = check_write_mesh(&check_variants[i], &body);
        pal_status status = PAL_ERR_MEMORY;
        for (int allowed = 0; status != PAL_OK; allowed++) {
            TEST_ASSERT_TRUE_MESSAGE(allowed < 200, check_variants[i].name);
            pal_volmesh mesh;
            pal_memory_fail_after(allowed);
            status = parse(&check_variants[i], &text, &mesh);
            pal_memory_fail_after(-1);
            TEST_ASSERT_TRUE(status == PAL_OK || (status == PAL_ERR_MEMORY && mesh.x == NULL));
            pal_volmesh_free(&mesh);
        }
        TEST_ASSERT_EQUAL_INT(PAL_OK, status);
        check_free_mesh_text(&text);
    }
    pal_volmesh_free(&body);
}

static pal_volmesh parse_text(pal_mesh_format format, const char *content) {
    const pal_text text = {.name = "text", .data = content, .size = strlen(content)};
    pal_volmesh mesh;
    CHECK_OK(pal_mesh_parse(format, &text, NULL, &mesh, &err), err);
    return mesh;
}

static void expect_unit_volume_of_a_voxel(pal_volmesh mesh) {
    pal_mesh_quality quality;
    CHECK_OK(pal_mesh_measure(&mesh, &quality, &err), err);
    TEST_ASSERT_EQUAL_INT(PAL_HEX8, mesh.kind);
    TEST_ASSERT_EQUAL_INT(0, mesh.turned_count);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 1.0, quality.volume);
    pal_volmesh_free(&mesh);
}

// VTK's voxel (type 11) counts its vertices along x, then y, then z.
static void test_vtk_voxels_are_put_into_our_order(void) {
    expect_unit_volume_of_a_voxel(parse_text(
        PAL_MESH_VTK_LEGACY, "# vtk DataFile Version 2.0\na voxel\nASCII\n"
                             "DATASET UNSTRUCTURED_GRID\nPOINTS 8 float\n0 0 0 1 0 0 0 1 0 1 1 0 "
                             "0 0 1 1 0 1 0 1 1 1 1 1\nCELLS 1 9\n8 0 1 2 3 4 5 6 7\n"
                             "CELL_TYPES 1\n11\n"));
    expect_unit_volume_of_a_voxel(parse_text(
        PAL_MESH_VTU,
        "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid>"
        "<Piece NumberOfPoints=\"8\" NumberOfCells=\"1\"><CellData/><Points>"
        "<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">"
        "0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1</DataArray></Points><Cells>"
        "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 3 4 5 6 7"
        "</DataArray><DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">8</DataArray>"
        "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">11</DataArray></Cells>"
        "</Piece></UnstructuredGrid></VTKFile>"));
}

// Where a body of one region has a name it keeps it; blanks and long names are fine.
static void test_gmsh_names_may_have_blanks(void) {
    pal_volmesh mesh =
        parse_text(PAL_MESH_GMSH,
                   "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n"
                   "3 7 \"left kidney, the upper part of it and a name that is much too long to "
                   "be kept as a whole\"\n$EndPhysicalNames\n$Nodes\n4\n30 0 0 0\n10 1 0 0\n"
                   "20 0 1 0\n9 0 0 1\n$EndNodes\n$Elements\n1\n1 4 3 7 1 0 30 10 20 9\n"
                   "$EndElements\n");
    TEST_ASSERT_EQUAL_STRING("left kidney, the upper part of it and a name that is much too l",
                             mesh.regions[0].name);
    for (int i = 0; i < 4; i++) { // nodes are numbered as they come, whatever their tags
        TEST_ASSERT_EQUAL_INT(i, mesh.element[i]);
    }
    pal_volmesh_free(&mesh);
}

#define VEGA_TWO_TETS                                                                              \
    "*VERTICES\n5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 1 1 1\n"                            \
    "*ELEMENTS\nTETS\n2 4 0\n0 0 1 2 3\n1 1 2 3 4\n*MATERIAL a\nENU, 1000, 1e4, 0.4\n"             \
    "*MATERIAL b\nENU, 2000, 1e5, 0.3\n"

// From 0; a later region takes elements from an earlier one; an empty one is left out.
static void test_later_vega_regions_win(void) {
    pal_volmesh mesh =
        parse_text(PAL_MESH_VEGA, VEGA_TWO_TETS "*SET inner\n1\n*REGION\n"
                                                "allElements, a\n*REGION\ninner,b\n");
    TEST_ASSERT_EQUAL_INT(2, mesh.region_count);
    TEST_ASSERT_EQUAL_STRING("a", mesh.regions[mesh.region[0]].name);
    TEST_ASSERT_EQUAL_STRING("inner", mesh.regions[mesh.region[1]].name);
    TEST_ASSERT_EQUAL_DOUBLE(2000.0, mesh.regions[mesh.region[1]].material.density);
    pal_volmesh_free(&mesh);
    mesh = parse_text(PAL_MESH_VEGA, VEGA_TWO_TETS "*SET inner\n1\n*REGION\ninner , b\n*REGION\n"
                                                   "allElements, a\n");
    TEST_ASSERT_EQUAL_INT(1, mesh.region_count);
    TEST_ASSERT_EQUAL_STRING("a", mesh.regions[0].name);
    TEST_ASSERT_EQUAL_DOUBLE(1e4, mesh.regions[0].material.young);
    pal_volmesh_free(&mesh);
}

static void test_a_vega_file_without_materials_is_one_body(void) {
    pal_volmesh mesh = parse_text(PAL_MESH_VEGA, "*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n"
                                                 "4 0 0 1\n*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n");
    TEST_ASSERT_EQUAL_INT(1, mesh.region_count);
    TEST_ASSERT_EQUAL_STRING("body", mesh.regions[0].name);
    TEST_ASSERT_FALSE(mesh.regions[0].has_material);
    pal_volmesh_free(&mesh);
}

static void write_file(const char *name, const pal_text *text) {
    CHECK_OK(pal_file_write_atomic(check_scratch(name), text->data, text->size, &err), err);
}

static void test_files_are_read_by_their_ending(void) {
    static const char *const endings[] = {"a.MSH", "", "b.mesh", "c.vtu", "d.Vtk", "e.veg"};
    pal_volmesh body = check_cube_voxels(2), mesh;
    for (int i = 0; i < check_variant_count; i++) {
        check_mesh_text text = check_write_mesh(&check_variants[i], &body);
        const char *name = endings[check_variants[i].format];
        if (name[0] != '\0') {
            write_file(name, &text.first);
            TEST_ASSERT_TRUE(pal_mesh_is_volume_path(name));
            CHECK_OK(pal_mesh_read(check_scratch(name), &mesh, &err), err);
            expect_same_mesh(&body, &mesh, name);
            pal_volmesh_free(&mesh);
        }
        check_free_mesh_text(&text);
    }
    TEST_ASSERT_FALSE(pal_mesh_is_volume_path("a.obj"));
    TEST_ASSERT_FALSE(pal_mesh_is_volume_path("dir.msh/a"));
    CHECK_FAILS(PAL_ERR_UNSUPPORTED, "a.obj: is not a volume mesh",
                pal_mesh_read("a.obj", &mesh, &err), err);
    CHECK_FAILS(PAL_ERR_IO, "none.msh: cannot open", pal_mesh_read("none.msh", &mesh, &err), err);
    write_file("empty.veg", &(pal_text){.name = "", .data = "", .size = 0});
    CHECK_FAILS(PAL_ERR_INPUT, "is empty", pal_mesh_read(check_scratch("empty.veg"), &mesh, &err),
                err);
    pal_volmesh_free(&body);
}

static void test_node_files_find_their_elements_and_back(void) {
    pal_volmesh tets = check_cube_tets(2), voxels = check_cube_voxels(2), mesh;
    check_mesh_text tet_text = check_write_mesh(&check_variants[3], &tets);
    check_mesh_text voxel_text = check_write_mesh(&check_variants[3], &voxels);
    write_file("t.node", &tet_text.first);
    CHECK_FAILS(PAL_ERR_IO, "there is no", pal_mesh_read(check_scratch("t.node"), &mesh, &err),
                err);
    write_file("t.ele", &tet_text.second);
    write_file("V.NODE", &voxel_text.first);
    write_file("V.HEX", &voxel_text.second);
    static const char *const names[] = {"t.node", "t.ele", "V.NODE", "V.HEX"};
    for (int i = 0; i < 4; i++) {
        CHECK_OK(pal_mesh_read(check_scratch(names[i]), &mesh, &err), err);
        expect_same_mesh(i < 2 ? &tets : &voxels, &mesh, names[i]);
        pal_volmesh_free(&mesh);
    }
    write_file("t.hex", &voxel_text.second);
    CHECK_FAILS(PAL_ERR_INPUT, "name the one", pal_mesh_read(check_scratch("t.node"), &mesh, &err),
                err);
    CHECK_FAILS(PAL_ERR_IO, "none.node: cannot open",
                pal_mesh_read(check_scratch("none.ele"), &mesh, &err), err);
    check_free_mesh_text(&tet_text);
    check_free_mesh_text(&voxel_text);
    pal_volmesh_free(&tets);
    pal_volmesh_free(&voxels);
}

// Counts as in the README of the shared data; volumes by an independent sum.
static void test_real_files_have_their_counts_and_volumes(void) {
    static const struct {
        const char *name;
        int kind, vertices, elements, dropped;
        double volume; // 0: not known
    } files[] = {
        {"meshes/liver.msh", 4, 181, 596, 0, 36.560851061494851},
        {"meshes/simpleBridge-ic_128_0.15_.1.veg", 4, 4000, 12827, 0, 30.71033720332191},
        {"meshes/simpleBridge_resol92-b1.155_enlarged.veg", 8, 3923, 1736, 0, 27.480344856990698},
        {"meshes/towerCrane_resol166.veg", 8, 9875, 5571, 0, 24.707404340699284},
        {"meshes/beam3.veg", 8, 208, 75, 0, 0.0048},
        {"meshes/beam3_tet.veg", 4, 208, 450, 0, 0.0048},
        {"meshes/mat100x100t40.msh", 4, 20000, 58806, 0, 1.0 / 120.0},
        {"meshes/Armadillo13K.msh", 4, 13230, 54985, 0, 237516.0090954015},
        {"meshes/hand.mesh", 4, 7234, 29998, 0, 0.16046557598879294},
        {"meshes/raptorTetra_19409.vtu", 4, 5990, 19409, 2, 27.489063544917439},
        {"oracles/beam_tet.node", 4, 99, 240, 0, 0.04},
        {"oracles/voxel_hetero.hex", 8, 1377, 1024, 0, 0.001024}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (check_shared(files[i].name) == NULL) {
            TEST_IGNORE_MESSAGE("the shared data are not here");
        }
        pal_volmesh mesh;
        CHECK_OK(pal_mesh_read(check_shared(files[i].name), &mesh, &err), err);
        pal_mesh_quality quality;
        CHECK_OK(pal_mesh_measure(&mesh, &quality, &err), err);
        TEST_ASSERT_EQUAL_INT_MESSAGE(files[i].kind, mesh.kind, files[i].name);
        TEST_ASSERT_EQUAL_INT_MESSAGE(files[i].vertices, mesh.vertex_count, files[i].name);
        TEST_ASSERT_EQUAL_INT_MESSAGE(files[i].elements, mesh.element_count, files[i].name);
        TEST_ASSERT_EQUAL_INT_MESSAGE(files[i].dropped, mesh.dropped_count, files[i].name);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, quality.inverted_count, files[i].name);
        TEST_ASSERT_EQUAL_INT_MESSAGE(1, quality.components, files[i].name);
        TEST_ASSERT_EQUAL_INT_MESSAGE(1, quality.face_components, files[i].name);
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-7 * files[i].volume, files[i].volume, quality.volume,
                                          files[i].name);
        pal_volmesh_free(&mesh);
    }
}

// The labels of the voxels in the .hex agree with the plain list beside it.
static void test_voxel_regions_agree_with_their_list(void) {
    if (check_shared("oracles/voxel_hetero.hex") == NULL) {
        TEST_IGNORE_MESSAGE("the shared data are not here");
    }
    pal_volmesh mesh;
    CHECK_OK(pal_mesh_read(check_shared("oracles/voxel_hetero.hex"), &mesh, &err), err);
    TEST_ASSERT_EQUAL_INT(3, mesh.region_count);
    FILE *list = fopen(check_shared("oracles/voxel_hetero_labels.txt"), "r");
    int size[3], label;
    TEST_ASSERT_EQUAL_INT(3, fscanf(list, "%d %d %d", &size[0], &size[1], &size[2]));
    TEST_ASSERT_EQUAL_INT(mesh.element_count, size[0] * size[1] * size[2]);
    for (int e = 0; e < mesh.element_count; e++) {
        TEST_ASSERT_EQUAL_INT(1, fscanf(list, "%d", &label));
        TEST_ASSERT_EQUAL_INT(label, mesh.region[e]);
        TEST_ASSERT_EQUAL_INT('0' + label, mesh.regions[mesh.region[e]].name[0]);
    }
    fclose(list);
    pal_volmesh_free(&mesh);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_same_tets_in_all_formats_are_the_same_mesh);
    RUN_TEST(test_the_same_voxels_in_all_formats_are_the_same_mesh);
    RUN_TEST(test_coordinates_survive_to_the_last_bit);
    RUN_TEST(test_windows_line_ends_change_nothing);
    RUN_TEST(test_lack_of_memory_anywhere_is_an_error_without_a_leak);
    RUN_TEST(test_vtk_voxels_are_put_into_our_order);
    RUN_TEST(test_gmsh_names_may_have_blanks);
    RUN_TEST(test_later_vega_regions_win);
    RUN_TEST(test_a_vega_file_without_materials_is_one_body);
    RUN_TEST(test_files_are_read_by_their_ending);
    RUN_TEST(test_node_files_find_their_elements_and_back);
    RUN_TEST(test_real_files_have_their_counts_and_volumes);
    RUN_TEST(test_voxel_regions_agree_with_their_list);
    return UNITY_END();
}
