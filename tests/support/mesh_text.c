#include "tests/support/mesh_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { BIG = 1, BASE64 = 2, APPENDED = 4, ZLIB = 8, WIDE = 16, SPLIT = 32 }; // of .vtu
enum { BINARY = 1, OFFSETS = 2 };                                            // of .vtk

const check_variant check_variants[] = {
    {"gmsh 1.0", PAL_MESH_GMSH, 1},
    {"gmsh 2.2", PAL_MESH_GMSH, 2},
    {"gmsh 4.1", PAL_MESH_GMSH, 4},
    {"tetgen from 0", PAL_MESH_TETGEN, 0},
    {"tetgen from 1", PAL_MESH_TETGEN, 1},
    {"medit", PAL_MESH_MEDIT, 0},
    {"vtu ascii", PAL_MESH_VTU, 0},
    {"vtu base64", PAL_MESH_VTU, BASE64},
    {"vtu base64 big-endian", PAL_MESH_VTU, BASE64 | BIG | WIDE},
    {"vtu base64 zlib", PAL_MESH_VTU, BASE64 | ZLIB},
    {"vtu base64 zlib wide", PAL_MESH_VTU, BASE64 | ZLIB | WIDE | BIG},
    {"vtu base64 zlib blocks", PAL_MESH_VTU, BASE64 | ZLIB | SPLIT},
    {"vtu appended raw", PAL_MESH_VTU, APPENDED},
    {"vtu appended raw wide", PAL_MESH_VTU, APPENDED | WIDE},
    {"vtu appended raw zlib", PAL_MESH_VTU, APPENDED | ZLIB | SPLIT},
    {"vtu appended base64", PAL_MESH_VTU, APPENDED | BASE64},
    {"vtu appended base64 zlib", PAL_MESH_VTU, APPENDED | BASE64 | ZLIB | WIDE},
    {"vtk ascii", PAL_MESH_VTK_LEGACY, 0},
    {"vtk binary", PAL_MESH_VTK_LEGACY, BINARY},
    {"vtk 5 ascii", PAL_MESH_VTK_LEGACY, OFFSETS},
    {"vtk 5 binary", PAL_MESH_VTK_LEGACY, OFFSETS | BINARY},
    {"vega", PAL_MESH_VEGA, 0},
};
const int check_variant_count = sizeof check_variants / sizeof *check_variants;

typedef struct buffer {
    char *data;
    size_t size;
    FILE *file;
} buffer;

static FILE *open_buffer(buffer *to) {
    to->file = open_memstream(&to->data, &to->size);
    if (to->file == NULL) {
        abort();
    }
    return to->file;
}

static void write_points(FILE *f, const pal_volmesh *mesh, int first, int step, const char *tail) {
    for (int v = 0; v < mesh->vertex_count; v++) {
        if (first >= 0) {
            fprintf(f, "%d ", first + step * v);
        }
        fprintf(f, "%.17g %.17g %.17g%s\n", mesh->x[3 * v], mesh->x[3 * v + 1], mesh->x[3 * v + 2],
                tail);
    }
}

static void write_vertices(FILE *f, const pal_volmesh *mesh, int e, int first, int step) {
    for (int i = 0; i < (int)mesh->kind; i++) {
        fprintf(f, " %d", first + step * pal_volmesh_element(mesh, e)[i]);
    }
}

static void write_names(FILE *f, const pal_volmesh *mesh) {
    fprintf(f, "$PhysicalNames\n%d\n2 1 \"skin\"\n", mesh->region_count + 1);
    for (int g = 0; g < mesh->region_count; g++) {
        fprintf(f, "3 %d \"%s\"\n", g + 1, mesh->regions[g].name);
    }
    fprintf(f, "$EndPhysicalNames\n");
}

static void write_gmsh_old(FILE *f, const pal_volmesh *mesh, int version) {
    int type = mesh->kind == PAL_TET4 ? 4 : 5;
    if (version == 2) {
        fprintf(f, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n");
        write_names(f, mesh);
    }
    fprintf(f, version == 1 ? "$NOD\n%d\n" : "$Nodes\n%d\n", mesh->vertex_count);
    write_points(f, mesh, 1, 1, "");
    fprintf(f, version == 1 ? "$ENDNOD\n$ELM\n%d\n" : "$EndNodes\n$Elements\n%d\n",
            mesh->element_count + 2);
    fprintf(f,
            version == 1 ? "1 15 0 1 1 1\n2 2 1 1 3 1 2 3\n" : "1 15 2 0 1 1\n2 2 2 1 1 1 2 3\n");
    for (int e = 0; e < mesh->element_count; e++) {
        int group = mesh->region[e] + 1;
        if (version == 1) {
            fprintf(f, "%d %d %d 1 %d", e + 3, type, group, (int)mesh->kind);
        } else {
            fprintf(f, "%d %d 2 %d 1", e + 3, type, group);
        }
        write_vertices(f, mesh, e, 1, 1);
        fputc('\n', f);
    }
    fprintf(f,
            version == 1 ? "$ENDELM\n" : "$EndElements\n$Comments\nmade by a test\n$EndComments\n");
}

// Tags 10, 17, 24 ... ; the volumes are entities 5, 6 ...
static void write_gmsh_new(FILE *f, const pal_volmesh *mesh) {
    fprintf(f, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n");
    write_names(f, mesh);
    fprintf(f, "$Entities\n1 0 0 %d\n1 0 0 0 0\n", mesh->region_count);
    for (int g = 0; g < mesh->region_count; g++) {
        fprintf(f, "%d 0 0 0 1 1 1 1 %d 0\n", g + 5, g + 1);
    }
    int n = mesh->vertex_count, half = n / 2;
    fprintf(f, "$EndEntities\n$Nodes\n2 %d 10 %d\n", n, 10 + 7 * (n - 1));
    for (int block = 0; block < 2; block++) {
        int from = block == 0 ? 0 : half, to = block == 0 ? half : n;
        fprintf(f, "%d 5 %d %d\n", block + 2, block == 0, to - from); // the first is parametric
        for (int v = from; v < to; v++) {
            fprintf(f, "%d\n", 10 + 7 * v);
        }
        for (int v = from; v < to; v++) {
            fprintf(f, "%.17g %.17g %.17g%s\n", mesh->x[3 * v], mesh->x[3 * v + 1],
                    mesh->x[3 * v + 2], block == 0 ? " 0.5 0.5" : "");
        }
    }
    fprintf(f, "$EndNodes\n$Elements\n%d %d 1 %d\n", mesh->element_count + 1,
            mesh->element_count + 1, mesh->element_count + 1);
    fprintf(f, "2 1 2 1\n1 10 17 24\n");
    for (int e = 0; e < mesh->element_count; e++) { // one block each keeps the order
        fprintf(f, "3 %d %d 1\n%d", mesh->region[e] + 5, mesh->kind == PAL_TET4 ? 4 : 5, e + 2);
        write_vertices(f, mesh, e, 10, 7);
        fputc('\n', f);
    }
    fprintf(f, "$EndElements\n");
}

static void write_tetgen_nodes(FILE *f, const pal_volmesh *mesh, int first) {
    fprintf(f, "# nodes\n%d 3 1 1\n", mesh->vertex_count);
    write_points(f, mesh, first, 1, " 0.25 -1 # point");
}

static void write_tetgen_elements(FILE *f, const pal_volmesh *mesh, int first) {
    fprintf(f, "%d %d 1\n", mesh->element_count, (int)mesh->kind);
    for (int e = 0; e < mesh->element_count; e++) {
        fprintf(f, "%d", first + e);
        write_vertices(f, mesh, e, first, 1);
        fprintf(f, " %d\n", mesh->region[e] + 1);
    }
    fprintf(f, "# the end\n");
}

static void write_medit(FILE *f, const pal_volmesh *mesh) {
    fprintf(f, "MeshVersionFormatted 2\nDimension\n3\n%s\n%d\n",
            mesh->kind == PAL_TET4 ? "Tetrahedra" : "Hexahedra", mesh->element_count);
    for (int e = 0; e < mesh->element_count; e++) {
        write_vertices(f, mesh, e, 1, 1);
        fprintf(f, " %d\n", mesh->region[e] + 1);
    }
    fprintf(f, "Triangles 1\n1 2 3 7\nRidges 1\n1\nVertices\n%d\n", mesh->vertex_count);
    write_points(f, mesh, -1, 0, " 0");
    fprintf(f, "Normals 1\n0 0 1\nEnd\n");
}

static void write_vega(FILE *f, const pal_volmesh *mesh) {
    fprintf(f, "# a test\n*VERTICES\n%d 3 0 0\n", mesh->vertex_count);
    write_points(f, mesh, 1, 1, "");
    fprintf(f, "\n*ELEMENTS\n%s\n%d %d 0\n", mesh->kind == PAL_TET4 ? "TET" : "CUBIC",
            mesh->element_count, (int)mesh->kind);
    for (int e = 0; e < mesh->element_count; e++) {
        fprintf(f, "%d", e + 1);
        write_vertices(f, mesh, e, 1, 1);
        fputc('\n', f);
    }
    fprintf(f, "*MATERIAL unused\nENU, 1, 2, 0.3\n*REGION\nallElements, unused\n");
    for (int g = 0; g < mesh->region_count; g++) {
        fprintf(f, "*MATERIAL m%d\nENU, %d, %d, 0.25 # one\n*SET %s\n", g, 1000 + g, 5000 * (g + 1),
                mesh->regions[g].name);
        for (int e = 0; e < mesh->element_count; e++) {
            if (mesh->region[e] == g) {
                fprintf(f, "%d,%s", e + 1, e % 3 == 2 ? "\n" : " ");
            }
        }
        fprintf(f, "\n*REGION\n%s, m%d\n", mesh->regions[g].name, g);
    }
}

static void put_int(FILE *f, uint64_t value, int size, bool big) {
    for (int i = 0; i < size; i++) {
        fputc((int)(value >> 8 * (big ? size - 1 - i : i) & 255), f);
    }
}

static void put_real(FILE *f, double value, bool big) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_int(f, bits, 8, big);
}

static void put_base64(FILE *f, const unsigned char *bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        unsigned bits = (unsigned)bytes[i] << 16 | (i + 1 < size ? bytes[i + 1] : 0u) << 8 |
                        (i + 2 < size ? bytes[i + 2] : 0u);
        for (size_t j = 0; j < 4; j++) {
            fputc(i + j <= size ? digits[bits >> (18 - 6 * j) & 63] : '=', f);
        }
    }
}

// Writes bytes as they are or as base64.
static void put_coded(FILE *f, const buffer *bytes, int option) {
    if (option & BASE64) {
        put_base64(f, (const unsigned char *)bytes->data, bytes->size);
    } else {
        fwrite(bytes->data, 1, bytes->size, f);
    }
}

// A block of bytes with the header of VTK, compressed or not.
static void put_block(FILE *f, const buffer *bytes, int option) {
    int width = option & WIDE ? 8 : 4;
    buffer head, body;
    FILE *header = open_buffer(&head), *content = open_buffer(&body);
    if ((option & ZLIB) == 0) { // header and bytes are coded together
        put_int(header, bytes->size, width, option & BIG);
        fwrite(bytes->data, 1, bytes->size, header);
    } else {
        size_t block = option & SPLIT ? 16 : 32768;
        size_t full = bytes->size / block, last = bytes->size % block;
        put_int(header, full + (last > 0), width, option & BIG);
        put_int(header, block, width, option & BIG);
        put_int(header, last, width, option & BIG);
        for (size_t at = 0; at < bytes->size; at += block) {
            unsigned char packed[33000];
            uLongf size = sizeof packed;
            size_t length = bytes->size - at < block ? bytes->size - at : block;
            if (compress(packed, &size, (const unsigned char *)bytes->data + at, length) != Z_OK) {
                abort();
            }
            put_int(header, size, width, option & BIG);
            fwrite(packed, 1, size, content);
        }
    }
    fclose(header);
    fclose(content);
    put_coded(f, &head, option);
    put_coded(f, &body, option);
    free(head.data);
    free(body.data);
}

typedef struct vtu_writer {
    FILE *file;
    buffer appended;
    int option;
} vtu_writer;

// One array: its bytes as they would be in memory, and its text.
static void write_array(vtu_writer *to, const char *tag, const buffer *bytes, const buffer *text) {
    fprintf(to->file, "<DataArray %s ", tag);
    if (to->option & APPENDED) {
        fflush(to->appended.file);
        fprintf(to->file, "format=\"appended\" offset=\"%zu\"/>\n", to->appended.size);
        put_block(to->appended.file, bytes, to->option);
        return;
    }
    bool binary = (to->option & BASE64) != 0;
    fprintf(to->file, "format=\"%s\">\n", binary ? "binary" : "ascii");
    if (binary) {
        put_block(to->file, bytes, to->option);
    } else {
        fwrite(text->data, 1, text->size, to->file);
    }
    fprintf(to->file, "\n<InformationKey name=\"k\"><Value index=\"0\">3</Value></InformationKey>\n"
                      "</DataArray>\n");
}

static void write_ints(vtu_writer *to, const char *tag, const int32_t *value, int count, int size) {
    buffer bytes, text;
    FILE *b = open_buffer(&bytes), *t = open_buffer(&text);
    for (int i = 0; i < count; i++) {
        put_int(b, (uint64_t)value[i], size, to->option & BIG);
        fprintf(t, "%d ", value[i]);
    }
    fclose(b);
    fclose(t);
    write_array(to, tag, &bytes, &text);
    free(bytes.data);
    free(text.data);
}

static void write_reals(vtu_writer *to, const char *tag, const double *value, int count) {
    buffer bytes, text;
    FILE *b = open_buffer(&bytes), *t = open_buffer(&text);
    for (int i = 0; i < count; i++) {
        put_real(b, value[i], to->option & BIG);
        fprintf(t, "%.17g ", value[i]);
    }
    fclose(b);
    fclose(t);
    write_array(to, tag, &bytes, &text);
    free(bytes.data);
    free(text.data);
}

// One triangle, which is to be passed over, and the elements. Arrays: [cells] and [all vertices].
static void fill_cells(const pal_volmesh *mesh, int32_t *type, int32_t *end, int32_t *label,
                       int32_t *connectivity) {
    int nodes = (int)mesh->kind;
    memcpy(connectivity, (int32_t[3]){0, 1, 2}, sizeof(int32_t[3]));
    type[0] = 5;
    end[0] = 3;
    label[0] = 99;
    for (int e = 0; e < mesh->element_count; e++) {
        type[e + 1] = mesh->kind == PAL_TET4 ? 10 : 12;
        end[e + 1] = 3 + nodes * (e + 1);
        label[e + 1] = mesh->region[e] + 1;
    }
    memcpy(connectivity + 3, mesh->element, sizeof(int32_t[1]) * nodes * mesh->element_count);
}

enum { CELLS_MAX = 2048 };

static void write_vtu(FILE *f, const pal_volmesh *mesh, int option) {
    int32_t type[CELLS_MAX], end[CELLS_MAX], label[CELLS_MAX], connectivity[8 * CELLS_MAX];
    int cells = mesh->element_count + 1;
    fill_cells(mesh, type, end, label, connectivity);
    vtu_writer to = {.file = f, .option = option};
    open_buffer(&to.appended);
    fprintf(f,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
            "byte_order=\"%s\" header_type=\"%s\"%s>\n<UnstructuredGrid>\n"
            "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n<Points>\n",
            option & BIG ? "BigEndian" : "LittleEndian", option & WIDE ? "UInt64" : "UInt32",
            option & ZLIB ? " compressor=\"vtkZLibDataCompressor\"" : "", mesh->vertex_count,
            cells);
    write_reals(&to, "type=\"Float64\" NumberOfComponents=\"3\"", mesh->x, 3 * mesh->vertex_count);
    fprintf(f, "</Points>\n<Cells>\n");
    write_ints(&to, "type=\"Int32\" Name=\"connectivity\"", connectivity, end[cells - 1], 4);
    write_ints(&to, "type=\"Int64\" Name=\"offsets\"", end, cells, 8);
    write_ints(&to, "type=\"UInt8\" Name=\"types\"", type, cells, 1);
    fprintf(f, "</Cells>\n<CellData>\n");
    write_ints(&to, "type=\"Int16\" Name=\"region\"", label, cells, 2);
    fprintf(f, "</CellData>\n</Piece>\n</UnstructuredGrid>\n");
    fclose(to.appended.file);
    if (option & APPENDED) {
        fprintf(f, "<AppendedData encoding=\"%s\">\n_", option & BASE64 ? "base64" : "raw");
        fwrite(to.appended.data, 1, to.appended.size, f);
        fprintf(f, "\n</AppendedData>\n");
    }
    free(to.appended.data);
    fprintf(f, "</VTKFile>\n");
}

static void put_ints(FILE *f, const int32_t *value, int count, int size, bool binary) {
    for (int i = 0; i < count; i++) {
        if (binary) {
            put_int(f, (uint64_t)value[i], size, true);
        } else {
            fprintf(f, "%d ", value[i]);
        }
    }
    fputc('\n', f);
}

static void write_vtk(FILE *f, const pal_volmesh *mesh, int option) {
    int32_t type[CELLS_MAX], end[CELLS_MAX + 1] = {0}, label[CELLS_MAX];
    int32_t connectivity[8 * CELLS_MAX];
    int cells = mesh->element_count + 1;
    bool binary = option & BINARY;
    fill_cells(mesh, type, end + 1, label, connectivity);
    fprintf(f,
            "# vtk DataFile Version %s\na test\n%s\nDATASET UNSTRUCTURED_GRID\nPOINTS %d double\n",
            option & OFFSETS ? "5.1" : "3.0", binary ? "BINARY" : "ASCII", mesh->vertex_count);
    for (int i = 0; i < 3 * mesh->vertex_count; i++) {
        if (binary) {
            put_real(f, mesh->x[i], true);
        } else {
            fprintf(f, "%.17g ", mesh->x[i]);
        }
    }
    fprintf(f, "\nMETADATA\nINFORMATION 0\n\nCELLS ");
    if (option & OFFSETS) {
        fprintf(f, "%d %d\nOFFSETS vtktypeint64\n", cells + 1, end[cells]);
        put_ints(f, end, cells + 1, 8, binary);
        fprintf(f, "CONNECTIVITY vtktypeint64\n");
        put_ints(f, connectivity, end[cells], 8, binary);
    } else {
        int32_t list[9 * CELLS_MAX];
        int used = 0;
        for (int c = 0; c < cells; c++) {
            list[used++] = end[c + 1] - end[c];
            for (int i = end[c]; i < end[c + 1]; i++) {
                list[used++] = connectivity[i];
            }
        }
        fprintf(f, "%d %d\n", cells, used);
        put_ints(f, list, used, 4, binary);
    }
    fprintf(f, "CELL_TYPES %d\n", cells);
    put_ints(f, type, cells, 4, binary);
    fprintf(f, "CELL_DATA %d\nSCALARS other float 1\nLOOKUP_TABLE default\n", cells);
    put_ints(f, type, cells, 4, binary);
    fprintf(f, "FIELD FieldData 1\nregion 1 %d int\n", cells);
    put_ints(f, label, cells, 4, binary);
}

check_mesh_text check_write_mesh(const check_variant *variant, const pal_volmesh *mesh) {
    bool pair = variant->format == PAL_MESH_TETGEN;
    buffer first, second;
    FILE *f = open_buffer(&first), *g = open_buffer(&second);
    switch (variant->format) {
    case PAL_MESH_GMSH:
        if (variant->option == 4) {
            write_gmsh_new(f, mesh);
        } else {
            write_gmsh_old(f, mesh, variant->option);
        }
        break;
    case PAL_MESH_TETGEN:
        write_tetgen_nodes(f, mesh, variant->option);
        write_tetgen_elements(g, mesh, variant->option);
        break;
    case PAL_MESH_MEDIT:
        write_medit(f, mesh);
        break;
    case PAL_MESH_VTU:
        write_vtu(f, mesh, variant->option);
        break;
    case PAL_MESH_VTK_LEGACY:
        write_vtk(f, mesh, variant->option);
        break;
    case PAL_MESH_VEGA:
        write_vega(f, mesh);
        break;
    }
    fclose(f);
    fclose(g);
    return (check_mesh_text){
        .first = {.name = pair ? "test.node" : "test", .data = first.data, .size = first.size},
        .second = {.name = mesh->kind == PAL_TET4 ? "test.ele" : "test.hex",
                   .data = second.data,
                   .size = second.size},
        .memory = {first.data, second.data}};
}

void check_free_mesh_text(check_mesh_text *text) {
    free(text->memory[0]);
    free(text->memory[1]);
    memset(text, 0, sizeof *text);
}

// Cubes side by side along x: vertex (i, j, k) is 4 i + 2 j + k.
static pal_volmesh new_cubes(pal_element_kind kind, int cubes, int elements_each) {
    pal_volmesh mesh;
    if (pal_volmesh_alloc(&mesh, kind, 4 * (cubes + 1), cubes * elements_each, cubes, NULL) != 0) {
        abort();
    }
    for (int v = 0; v < mesh.vertex_count; v++) {
        mesh.x[3 * v] = v / 4;
        mesh.x[3 * v + 1] = v / 2 % 2;
        mesh.x[3 * v + 2] = v % 2;
    }
    for (int e = 0; e < mesh.element_count; e++) {
        mesh.region[e] = e / elements_each;
    }
    snprintf(mesh.regions[0].name, sizeof mesh.regions[0].name, "soft");
    if (cubes > 1) {
        snprintf(mesh.regions[1].name, sizeof mesh.regions[1].name, "hard");
    }
    return mesh;
}

pal_volmesh check_cube_tets(int cubes) {
    // Kuhn's six tetrahedra about the diagonal 0-7
    static const int32_t kuhn[6][4] = {{0, 4, 6, 7}, {0, 6, 2, 7}, {0, 2, 3, 7},
                                       {0, 3, 1, 7}, {0, 1, 5, 7}, {0, 5, 4, 7}};
    pal_volmesh mesh = new_cubes(PAL_TET4, cubes, 6);
    for (int i = 0; i < 24 * cubes; i++) {
        mesh.element[i] = 4 * (i / 24) + kuhn[i % 24 / 4][i % 4];
    }
    return mesh;
}

pal_volmesh check_cube_voxels(int cubes) {
    static const int32_t corner[8] = {0, 4, 6, 2, 1, 5, 7, 3};
    pal_volmesh mesh = new_cubes(PAL_HEX8, cubes, 1);
    for (int i = 0; i < 8 * cubes; i++) {
        mesh.element[i] = 4 * (i / 8) + corner[i % 8];
    }
    return mesh;
}
