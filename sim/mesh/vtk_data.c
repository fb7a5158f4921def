#include "sim/mesh/vtk_data.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

static const pal_vtk_type types[] = {
    {"Float32", "float", 4, true, true},
    {"Float64", "double", 8, true, true},
    {"Int8", "char", 1, false, true},
    {"UInt8", "unsigned_char", 1, false, false},
    {"Int16", "short", 2, false, true},
    {"UInt16", "unsigned_short", 2, false, false},
    {"Int32", "int", 4, false, true},
    {"UInt32", "unsigned_int", 4, false, false},
    {"Int64", "vtktypeint64", 8, false, true},
    {"UInt64", "vtktypeuint64", 8, false, false},
    {NULL, "vtkIdType", 4, false, true},
    {NULL, "signed_char", 1, false, true},
    {NULL, "long", 8, false, true},
    {NULL, "unsigned_long", 8, false, false},
    {NULL, "vtktypeint32", 4, false, true},
    {NULL, "vtktypeuint32", 4, false, false},
};

const pal_vtk_type *pal_vtk_find_type(pal_word name, bool xml) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const char *known = xml ? types[i].xml : types[i].legacy;
        if (known != NULL && pal_word_is(name, known)) {
            return &types[i];
        }
    }
    return NULL;
}

static uint64_t load_bits(const unsigned char *bytes, int size, bool big_endian) {
    uint64_t bits = 0;
    for (int i = 0; i < size; i++) {
        bits = bits << 8 | bytes[big_endian ? i : size - 1 - i];
    }
    return bits;
}

static double load_real(const pal_vtk_type *type, uint64_t bits) {
    if (type->is_real && type->size == 4) {
        uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, sizeof value);
        return value;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int64_t load_int(const pal_vtk_type *type, uint64_t bits) {
    if (type->is_real) {
        double value = load_real(type, bits);
        return value > -1e18 && value < 1e18 ? (int64_t)value : -1;
    }
    if (type->size == 8) {
        return type->is_signed || bits <= INT64_MAX ? (int64_t)bits : -1;
    }
    uint64_t sign = (uint64_t)1 << (8 * type->size - 1);
    return type->is_signed ? (int64_t)(bits ^ sign) - (int64_t)sign : (int64_t)bits;
}

void pal_vtk_decode_reals(const pal_vtk_type *type, bool big_endian, const unsigned char *bytes,
                          int64_t count, double *out) {
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits = load_bits(bytes + i * type->size, type->size, big_endian);
        out[i] = type->is_real ? load_real(type, bits) : (double)load_int(type, bits);
    }
}

void pal_vtk_decode_ints(const pal_vtk_type *type, bool big_endian, const unsigned char *bytes,
                         int64_t count, int64_t *out) {
    for (int64_t i = 0; i < count; i++) {
        out[i] = load_int(type, load_bits(bytes + i * type->size, type->size, big_endian));
    }
}

enum { VTK_TRIANGLE = 5, VTK_TETRA = 10, VTK_VOXEL = 11, VTK_HEXAHEDRON = 12 };

static pal_draft_skipped skipped_kind(int64_t type) {
    static const uint8_t flat[] = {0,  1,  2,  3,  4,  6,  7,  8,  9,  21, 22, 23, 28,
                                   30, 34, 35, 36, 60, 61, 62, 68, 69, 70, 75, 76, 77};
    if (type == VTK_TRIANGLE) {
        return PAL_SKIPPED_TRIANGLE;
    }
    for (size_t i = 0; i < sizeof flat; i++) {
        if (type == flat[i]) {
            return PAL_SKIPPED_FLAT;
        }
    }
    return PAL_SKIPPED_SOLID;
}

// Adds cell c when it is a volume: *element is its place in the draft then, else -1.
static pal_status add_cell(const pal_vtk_cells *cells, int64_t c, int64_t label, int64_t *element,
                           pal_draft *draft) {
    static const int8_t voxel_order[8] = {0, 1, 3, 2, 4, 5, 7, 6};
    const int64_t start = c > 0 ? cells->end[c - 1] : 0, end = cells->end[c];
    const int64_t type = cells->type[c];
    *element = -1;
    if (end < start || end > cells->connectivity_count) {
        return pal_fail_at(draft->err, PAL_ERR_INPUT, draft->name, 0,
                           "cell %lld (from 0) has a wrong offset, %lld", (long long)c,
                           (long long)end);
    }
    if (type != VTK_TETRA && type != VTK_VOXEL && type != VTK_HEXAHEDRON) {
        draft->skipped[skipped_kind(type)]++;
        return PAL_OK;
    }
    pal_element_kind kind = type == VTK_TETRA ? PAL_TET4 : PAL_HEX8;
    if (end - start != (int64_t)kind) {
        return pal_fail_at(draft->err, PAL_ERR_INPUT, draft->name, 0,
                           "cell %lld (from 0) has %lld vertices but is of type %lld", (long long)c,
                           (long long)(end - start), (long long)type);
    }
    int32_t vertex[8];
    for (int i = 0; i < (int)kind; i++) {
        int64_t v = cells->connectivity[start + (type == VTK_VOXEL ? voxel_order[i] : i)];
        if (v < 0 || v >= draft->vertex_count) {
            return pal_fail_at(draft->err, PAL_ERR_INPUT, draft->name, 0,
                               "cell %lld (from 0) names point %lld, but there are %d",
                               (long long)c, (long long)v, draft->vertex_count);
        }
        vertex[i] = (int32_t)v;
    }
    *element = draft->element_count;
    return pal_draft_add(draft, kind, vertex, label);
}

pal_status pal_vtk_add_cells(const pal_vtk_cells *cells, pal_draft *draft) {
    const pal_vtk_column *label = pal_vtk_label(cells->columns);
    int64_t *element = PAL_NEW(int64_t, cells->count, draft->err);
    pal_status status = element != NULL ? PAL_OK : PAL_ERR_MEMORY;
    for (int64_t c = 0; c < cells->count && status == PAL_OK; c++) {
        status = add_cell(cells, c, label != NULL ? label->value[c] : 0, &element[c], draft);
    }
    if (status == PAL_OK) {
        status = pal_vtk_add_sets(cells, element, draft);
    }
    free(element);
    return status;
}
