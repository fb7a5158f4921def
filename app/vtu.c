#include "app/vtu.h"

#include "app/output.h"

static void write_vectors(FILE *out, const char *name, const double *value, int64_t count) {
    fprintf(out,
            "<DataArray type=\"Float64\" Name=\"%s\" NumberOfComponents=\"3\" format=\"ascii\">\n",
            name);
    for (int64_t i = 0; i < count; i++) {
        fprintf(out, "%.17g %.17g %.17g\n", value[3 * i], value[3 * i + 1], value[3 * i + 2]);
    }
    fprintf(out, "</DataArray>\n");
}

static void write_cells(FILE *out, const pal_volmesh *mesh) {
    enum { VTK_TETRA = 10, VTK_HEXAHEDRON = 12 };
    int nodes = (int)mesh->kind;
    fprintf(out, "<Cells>\n<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">\n");
    for (int32_t e = 0; e < mesh->element_count; e++) {
        const int32_t *vertex = pal_volmesh_element(mesh, e);
        for (int a = 0; a < nodes; a++) {
            fprintf(out, "%d%c", (int)vertex[a], a + 1 < nodes ? ' ' : '\n');
        }
    }
    fprintf(out, "</DataArray>\n<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">\n");
    for (int64_t e = 1; e <= mesh->element_count; e++) {
        fprintf(out, "%lld\n", (long long)(e * nodes));
    }
    fprintf(out, "</DataArray>\n<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">\n");
    for (int32_t e = 0; e < mesh->element_count; e++) {
        fprintf(out, "%d\n", mesh->kind == PAL_TET4 ? VTK_TETRA : VTK_HEXAHEDRON);
    }
    fprintf(out, "</DataArray>\n</Cells>\n");
}

pal_status pal_vtu_write(const char *path, const pal_volmesh *mesh, const pal_vtu_field *field,
                         int field_count, pal_err *err) {
    pal_output file;
    pal_status status = pal_output_open(&file, err);
    if (status != PAL_OK) {
        return status;
    }
    FILE *out = file.stream;
    fprintf(out, "<?xml version=\"1.0\"?>\n"
                 "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
                 "<UnstructuredGrid>\n");
    fprintf(out, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n<PointData>\n",
            (int)mesh->vertex_count, (int)mesh->element_count);
    for (int i = 0; i < field_count; i++) {
        write_vectors(out, field[i].name, field[i].value, mesh->vertex_count);
    }
    fprintf(out, "</PointData>\n<Points>\n");
    write_vectors(out, "points", mesh->x, mesh->vertex_count);
    fprintf(out, "</Points>\n");
    write_cells(out, mesh);
    fprintf(out, "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
    return pal_output_close(&file, path, err);
}
