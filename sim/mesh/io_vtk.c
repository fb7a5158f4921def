// VTK legacy .vtk, versions 2 to 5, ASCII and BINARY (big-endian): UNSTRUCTURED_GRID. Cells as
// "count vertices..." or, from 5 on, as OFFSETS and CONNECTIVITY. Whole-numbered arrays give
// regions and sets (vtk_data.h).
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/mesh/readers.h"
#include "sim/mesh/vtk_data.h"

typedef struct reader {
    pal_scan scan;
    pal_draft *draft;
    bool binary;
    int64_t cell_count, type_count, connectivity_count;
    int64_t *end, *type, *connectivity; // as in pal_vtk_cells
    pal_vtk_columns columns;
    int64_t data_count; // items of the CELL_DATA or POINT_DATA section that we are in
    bool in_cell_data;
} reader;

static const pal_vtk_type *scan_type(pal_scan *scan) {
    pal_word word = pal_scan_word(scan);
    const pal_vtk_type *type = pal_vtk_find_type(word, false);
    if (type == NULL) {
        char shown[40];
        pal_word_copy(word, shown, sizeof shown);
        pal_scan_fail(scan, PAL_ERR_INPUT, "'%s' is not a type of numbers", shown);
    }
    return type;
}

// Checks that `count` numbers can be there; binary ones start on the next line, at the result.
static const unsigned char *begin_block(reader *in, const pal_vtk_type *type, int64_t count) {
    pal_scan *scan = &in->scan;
    if (!in->binary) {
        pal_scan_check_count(scan, "numbers", count, 1);
        return NULL;
    }
    pal_scan_line(scan);
    size_t left = pal_scan_left(scan);
    if (scan->status == PAL_OK && (count < 0 || (uint64_t)count > left / (size_t)type->size)) {
        pal_scan_fail(scan, PAL_ERR_INPUT,
                      "%lld numbers of %d bytes should be here, but %zu bytes are left; is the "
                      "file cut short?",
                      (long long)count, type->size, left);
    }
    return (const unsigned char *)scan->at;
}

// Moves past the binary numbers; lines are not counted in them.
static void end_block(reader *in, const pal_vtk_type *type, int64_t count) {
    if (in->binary && in->scan.status == PAL_OK) {
        in->scan.at += count * type->size;
    }
}

// `count` whole numbers on the heap, or NULL.
static int64_t *read_ints(reader *in, const pal_vtk_type *type, int64_t count) {
    if (in->scan.status != PAL_OK) {
        return NULL;
    }
    const unsigned char *bytes = begin_block(in, type, count);
    int64_t *out = in->scan.status == PAL_OK ? PAL_NEW(int64_t, count, in->draft->err) : NULL;
    if (out == NULL) {
        in->scan.status = in->scan.status == PAL_OK ? PAL_ERR_MEMORY : in->scan.status;
        return NULL;
    }
    if (in->binary) {
        pal_vtk_decode_ints(type, true, bytes, count, out);
    }
    for (int64_t i = 0; i < count && !in->binary && in->scan.status == PAL_OK; i++) {
        out[i] = pal_scan_int(&in->scan, "a whole number");
    }
    end_block(in, type, count);
    return out;
}

// Passes over `count` numbers or words.
static void skip_block(reader *in, const pal_vtk_type *type, int64_t count) {
    if (in->scan.status != PAL_OK) {
        return;
    }
    begin_block(in, type, count);
    for (int64_t i = 0; i < count && !in->binary && in->scan.status == PAL_OK; i++) {
        pal_scan_real(&in->scan, "a number");
    }
    end_block(in, type, count);
}

// A product of counts from the file, -1 (which no check passes) when it cannot be true.
static int64_t times(int64_t a, int64_t b) {
    return a >= 0 && b >= 0 && a <= INT32_MAX && b <= INT32_MAX ? a * b : -1;
}

// POINTS n type
static void read_points(reader *in) {
    pal_scan *scan = &in->scan;
    int64_t count = pal_scan_int(scan, "the count of points");
    const pal_vtk_type *type = scan_type(scan);
    if (scan->status != PAL_OK) {
        return;
    }
    int64_t numbers = times(3, count);
    const unsigned char *bytes = begin_block(in, type, numbers);
    if (scan->status == PAL_OK) {
        scan->status = pal_draft_vertices(in->draft, count);
    }
    if (scan->status == PAL_OK && in->binary) {
        pal_vtk_decode_reals(type, true, bytes, numbers, in->draft->x);
    }
    for (int64_t v = 0; v < count && !in->binary && scan->status == PAL_OK; v++) {
        pal_scan_point(scan, v, in->draft->x + 3 * v);
    }
    end_block(in, type, numbers);
}

// CELLS n size: for each cell the count of its vertices and the vertices; squeezed in place
static void read_cells_old(reader *in, int64_t count, int64_t size) {
    static const pal_vtk_type int_type = {"Int32", "int", 4, false, true};
    in->connectivity = read_ints(in, &int_type, size);
    // a cell takes one number at least
    if (in->scan.status == PAL_OK && (count < 0 || count > size)) {
        pal_scan_fail(&in->scan, PAL_ERR_INPUT, "%lld cells do not fit into %lld numbers",
                      (long long)count, (long long)size);
    }
    in->end = in->scan.status == PAL_OK ? PAL_NEW(int64_t, count, in->draft->err) : NULL;
    if (in->end == NULL) {
        in->scan.status = in->scan.status == PAL_OK ? PAL_ERR_MEMORY : in->scan.status;
        return;
    }
    int64_t from = 0, to = 0;
    for (int64_t c = 0; c < count; c++) {
        int64_t vertices = from < size ? in->connectivity[from] : -1;
        if (vertices < 0 || vertices > size - from - 1) {
            pal_scan_fail(&in->scan, PAL_ERR_INPUT, "cell %lld (from 0) ends after the list",
                          (long long)c);
            return;
        }
        memmove(in->connectivity + to, in->connectivity + from + 1,
                (size_t)vertices * sizeof(int64_t));
        from += 1 + vertices;
        to += vertices;
        in->end[c] = to;
    }
    in->cell_count = count;
    in->connectivity_count = to;
}

// CELLS n+1 size, OFFSETS type (starting with a 0), CONNECTIVITY type
static void read_cells_new(reader *in, int64_t offsets, int64_t size) {
    const pal_vtk_type *type = scan_type(&in->scan);
    in->end = read_ints(in, type, offsets);
    if (in->scan.status == PAL_OK && (offsets < 1 || in->end[0] != 0)) {
        pal_scan_fail(&in->scan, PAL_ERR_INPUT, "the OFFSETS must start with 0");
    }
    if (in->scan.status == PAL_OK && !pal_word_is(pal_scan_word(&in->scan), "CONNECTIVITY")) {
        pal_scan_fail(&in->scan, PAL_ERR_INPUT, "CONNECTIVITY should be here");
    }
    type = scan_type(&in->scan);
    in->connectivity = read_ints(in, type, size);
    if (in->scan.status == PAL_OK) {
        memmove(in->end, in->end + 1, (size_t)(offsets - 1) * sizeof(int64_t));
        in->cell_count = offsets - 1;
        in->connectivity_count = size;
    }
}

static void read_cells(reader *in) {
    int64_t count = pal_scan_int(&in->scan, "the count of cells");
    int64_t size = pal_scan_int(&in->scan, "the size of the list of cells");
    if (in->end != NULL) {
        pal_scan_fail(&in->scan, PAL_ERR_INPUT, "CELLS are given twice");
    }
    if (in->scan.status != PAL_OK) {
        return;
    }
    pal_scan ahead = in->scan;
    pal_scan_line(&ahead);
    if (pal_word_is(pal_scan_word(&ahead), "OFFSETS")) {
        in->scan = ahead;
        read_cells_new(in, count, size);
    } else {
        read_cells_old(in, count, size);
    }
}

// CELL_TYPES n
static void read_types(reader *in) {
    static const pal_vtk_type int_type = {"Int32", "int", 4, false, true};
    if (in->type != NULL) {
        pal_scan_fail(&in->scan, PAL_ERR_INPUT, "CELL_TYPES are given twice");
        return;
    }
    in->type_count = pal_scan_int(&in->scan, "the count of cells");
    in->type = read_ints(in, &int_type, in->type_count);
}

// An array over cells or points: kept when it can tell regions or sets.
static void read_array(reader *in, pal_word name, const pal_vtk_type *type, int64_t width,
                       int64_t count) {
    const int64_t all = in->in_cell_data ? in->cell_count : in->draft->vertex_count;
    if (width == 1 && count == all && type != NULL && !type->is_real) {
        int64_t *value = read_ints(in, type, count);
        pal_vtk_keep_column(&in->columns, name, in->in_cell_data, value);
    } else {
        skip_block(in, type, times(width, count));
    }
}

// SCALARS name type [width], LOOKUP_TABLE name
static void read_scalars(reader *in) {
    pal_word name = pal_scan_word(&in->scan);
    const pal_vtk_type *type = scan_type(&in->scan);
    int64_t width = pal_scan_line_done(&in->scan) ? 1 : pal_scan_int(&in->scan, "a width");
    pal_scan ahead = in->scan;
    if (pal_word_is(pal_scan_word(&ahead), "LOOKUP_TABLE")) {
        pal_scan_word(&ahead);
        in->scan = ahead;
    }
    read_array(in, name, type, width, in->data_count);
}

// METADATA runs to an empty line.
static void skip_metadata(pal_scan *scan) {
    pal_scan_line(scan);
    while (pal_scan_line(scan).size > 0) {
    }
}

// FIELD name n, then n times: name width count type
static void read_field(reader *in) {
    pal_scan_word(&in->scan);
    int64_t arrays = pal_scan_int(&in->scan, "the count of arrays");
    for (int64_t a = 0; a < arrays && in->scan.status == PAL_OK; a++) {
        pal_word name = pal_scan_word(&in->scan);
        if (pal_word_is(name, "METADATA")) {
            skip_metadata(&in->scan);
            name = pal_scan_word(&in->scan);
        }
        int64_t width = pal_scan_int(&in->scan, "a width");
        int64_t count = pal_scan_int(&in->scan, "a count");
        read_array(in, name, scan_type(&in->scan), width, count);
    }
}

// One section. False when it is one that we do not know, after which nothing can be found.
static bool read_section(reader *in, pal_word keyword) {
    pal_scan *scan = &in->scan;
    if (pal_word_is(keyword, "POINTS")) {
        read_points(in);
    } else if (pal_word_is(keyword, "CELLS")) {
        read_cells(in);
    } else if (pal_word_is(keyword, "CELL_TYPES")) {
        read_types(in);
    } else if (pal_word_is(keyword, "CELL_DATA") || pal_word_is(keyword, "POINT_DATA")) {
        in->in_cell_data = pal_word_is(keyword, "CELL_DATA");
        in->data_count = pal_scan_int(scan, "a count");
    } else if (pal_word_is(keyword, "SCALARS")) {
        read_scalars(in);
    } else if (pal_word_is(keyword, "VECTORS") || pal_word_is(keyword, "NORMALS")) {
        pal_word name = pal_scan_word(scan);
        read_array(in, name, scan_type(scan), 3, in->data_count);
    } else if (pal_word_is(keyword, "FIELD")) {
        read_field(in);
    } else if (pal_word_is(keyword, "METADATA")) {
        skip_metadata(scan);
    } else if (in->draft->x == NULL || in->end == NULL || in->type == NULL) {
        char shown[40];
        pal_word_copy(keyword, shown, sizeof shown);
        pal_scan_fail(scan, PAL_ERR_INPUT, "'%s' is not a section of an unstructured grid", shown);
    } else {
        return false;
    }
    return true;
}

// "# vtk DataFile Version 3.0", a title, ASCII or BINARY, DATASET UNSTRUCTURED_GRID
static void read_header(reader *in) {
    static const char magic[] = "# vtk DataFile Version ";
    pal_scan *scan = &in->scan;
    pal_word line = pal_scan_line(scan);
    if (line.size < sizeof magic || strncmp(line.at, magic, sizeof magic - 1) != 0) {
        scan->line = 1;
        pal_scan_fail(scan, PAL_ERR_INPUT, "a legacy VTK file starts with '%s'", magic);
        return;
    }
    pal_scan_line(scan);
    pal_word coding = pal_scan_word(scan);
    in->binary = pal_word_is(coding, "BINARY");
    if (!in->binary && !pal_word_is(coding, "ASCII")) {
        pal_scan_fail(scan, PAL_ERR_INPUT, "ASCII or BINARY should be here");
    }
    if (!pal_word_is(pal_scan_word(scan), "DATASET") ||
        !pal_word_is(pal_scan_word(scan), "UNSTRUCTURED_GRID")) {
        pal_scan_fail(scan, PAL_ERR_UNSUPPORTED,
                      "the file is not an UNSTRUCTURED_GRID; a volume mesh must be one");
    }
}

static pal_status add_cells(reader *in) {
    pal_scan *scan = &in->scan;
    if (in->draft->x == NULL || in->end == NULL || in->type == NULL) {
        pal_scan_fail(scan, PAL_ERR_INPUT, "%s are missing; is the file cut short?",
                      in->draft->x == NULL ? "POINTS"
                      : in->end == NULL    ? "CELLS"
                                           : "CELL_TYPES");
    } else if (in->type_count != in->cell_count) {
        pal_scan_fail(scan, PAL_ERR_INPUT, "there are %lld CELLS but %lld CELL_TYPES",
                      (long long)in->cell_count, (long long)in->type_count);
    }
    if (scan->status != PAL_OK) {
        return scan->status;
    }
    const pal_vtk_cells cells = {.count = in->cell_count,
                                 .connectivity_count = in->connectivity_count,
                                 .type = in->type,
                                 .end = in->end,
                                 .connectivity = in->connectivity,
                                 .columns = &in->columns};
    return pal_vtk_add_cells(&cells, in->draft);
}

pal_status pal_vtk_read(const pal_text *text, pal_draft *draft) {
    reader in = {.draft = draft};
    pal_scan_begin(&in.scan, text, '\0', draft->err);
    read_header(&in);
    bool known = true;
    while (known && in.scan.status == PAL_OK) {
        pal_word keyword = pal_scan_word(&in.scan);
        known = keyword.size > 0 && read_section(&in, keyword);
    }
    pal_status status = in.scan.status == PAL_OK ? add_cells(&in) : in.scan.status;
    free(in.end);
    free(in.type);
    free(in.connectivity);
    pal_vtk_free_columns(&in.columns);
    return status;
}
