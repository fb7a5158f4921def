// VTK XML unstructured grids, .vtu: one piece; arrays as text, as base64 inline, or appended
// (base64 or raw), plain or zlib. Expat reads the tags and tells where each array stands in the
// file; the numbers are taken from there. Whole-numbered arrays give
// regions and sets (vtk_data.h).
#include <expat.h>
#include <stdlib.h>
#include <string.h>

#include "sim/mesh/readers.h"
#include "sim/mesh/vtu_array.h"

typedef enum part { OUTSIDE, POINTS, CELLS, CELL_DATA, POINT_DATA } part;

typedef struct column { // an array over cells or points
    char name[PAL_REGION_NAME];
    bool of_cells;
    pal_vtu_array array;
} column;

typedef struct reader {
    const pal_text *text;
    pal_draft *draft;
    XML_Parser parser;
    pal_status status;
    pal_vtu_layout layout;
    bool is_vtk;
    int pieces;
    part part;
    int64_t point_count, cell_count;
    pal_vtu_array points, connectivity, offsets, types;
    int32_t column_count;
    column column[PAL_VTK_COLUMNS];
    pal_vtu_array *open;  // the array whose tag is open, or NULL
    int depth;            // of tags inside it
    const char *appended; // the first byte of the appended data, or NULL
    pal_vtu_coding appended_coding;
} reader;

// Stops with a message at the current tag.
#define STOP(in, code, ...)                                                                        \
    do {                                                                                           \
        (in)->status =                                                                             \
            pal_fail_at((in)->draft->err, code, (in)->text->name, here(in), __VA_ARGS__);          \
        XML_StopParser((in)->parser, XML_FALSE);                                                   \
    } while (0)

static long here(const reader *in) {
    return (long)XML_GetCurrentLineNumber(in->parser);
}

// The place in the file of the tag that expat is at, and of what follows it.
static const char *tag_begin(const reader *in) {
    return in->text->data + XML_GetCurrentByteIndex(in->parser);
}
static const char *tag_end(const reader *in) {
    return tag_begin(in) + XML_GetCurrentByteCount(in->parser);
}

static pal_word attribute(const char **attributes, const char *name) {
    for (int i = 0; attributes[i] != NULL; i += 2) {
        if (strcmp(attributes[i], name) == 0) {
            return (pal_word){.at = attributes[i + 1], .size = strlen(attributes[i + 1])};
        }
    }
    return (pal_word){.at = "", .size = 0};
}

static void open_file(reader *in, const char **attributes) {
    pal_word type = attribute(attributes, "type"), header = attribute(attributes, "header_type");
    pal_word compressor = attribute(attributes, "compressor");
    char shown[40];
    in->is_vtk = true;
    in->layout.big_endian = pal_word_is(attribute(attributes, "byte_order"), "BigEndian");
    in->layout.zlib = pal_word_is(compressor, "vtkZLibDataCompressor");
    in->layout.header_size = pal_word_is(header, "UInt64") ? 8 : 4;
    if (!pal_word_is(type, "UnstructuredGrid")) {
        pal_word_copy(type, shown, sizeof shown);
        STOP(in, PAL_ERR_UNSUPPORTED, "the file holds '%s'; a volume mesh is an UnstructuredGrid",
             shown);
    } else if (compressor.size > 0 && !in->layout.zlib) {
        pal_word_copy(compressor, shown, sizeof shown);
        STOP(in, PAL_ERR_UNSUPPORTED, "compressor '%s' is not supported; use zlib or none", shown);
    }
}

static void open_piece(reader *in, const char **attributes) {
    if (++in->pieces > 1) {
        STOP(in, PAL_ERR_UNSUPPORTED, "the file has several pieces; merge them into one");
    } else if (!pal_word_int(attribute(attributes, "NumberOfPoints"), &in->point_count) ||
               !pal_word_int(attribute(attributes, "NumberOfCells"), &in->cell_count) ||
               in->point_count < 0 || in->point_count > INT32_MAX || in->cell_count < 0 ||
               in->cell_count > INT32_MAX) {
        STOP(in, PAL_ERR_INPUT, "NumberOfPoints or NumberOfCells is missing or wrong");
    }
}

// Whole numbers, one each, can tell regions or sets.
static pal_vtu_array *wanted_column(reader *in, pal_word name, pal_word components,
                                    const pal_vtk_type *type) {
    if (type == NULL || type->is_real || in->column_count == PAL_VTK_COLUMNS || name.size == 0 ||
        (components.size > 0 && !pal_word_is(components, "1"))) {
        return NULL;
    }
    column *made = &in->column[in->column_count++];
    made->of_cells = in->part == CELL_DATA;
    pal_word_copy(name, made->name, sizeof made->name);
    return &made->array;
}

// The place to keep an array that is about to come, or NULL when nobody wants it.
static pal_vtu_array *wanted_array(reader *in, pal_word name, pal_word components,
                                   const pal_vtk_type *type) {
    switch (in->part) {
    case POINTS:
        return &in->points;
    case CELLS:
        return pal_word_is(name, "connectivity") ? &in->connectivity
               : pal_word_is(name, "offsets")    ? &in->offsets
               : pal_word_is(name, "types")      ? &in->types
                                                 : NULL;
    case CELL_DATA:
    case POINT_DATA:
        return wanted_column(in, name, components, type);
    case OUTSIDE:
        break;
    }
    return NULL;
}

static void open_array(reader *in, const char **attributes) {
    pal_word name = attribute(attributes, "Name"), format = attribute(attributes, "format");
    pal_word components = attribute(attributes, "NumberOfComponents");
    const pal_vtk_type *type = pal_vtk_find_type(attribute(attributes, "type"), true);
    pal_vtu_array *array = wanted_array(in, name, components, type);
    if (array == NULL) {
        return;
    }
    int64_t offset = 0;
    if (array->type != NULL) {
        STOP(in, PAL_ERR_INPUT, "this array is given twice");
    } else if (type == NULL) {
        STOP(in, PAL_ERR_INPUT, "the type of this array is missing or not known");
    } else if (in->part == POINTS && !pal_word_is(components, "3")) {
        STOP(in, PAL_ERR_INPUT, "points must have NumberOfComponents=\"3\"");
    } else if (pal_word_is(format, "appended")) {
        // where the appended data start is known later: until then `begin` counts from the file
        if (!pal_word_int(attribute(attributes, "offset"), &offset) || offset < 0 ||
            (uint64_t)offset > in->text->size) {
            STOP(in, PAL_ERR_INPUT, "the offset of this array is missing or wrong");
            return;
        }
        *array = (pal_vtu_array){.type = type,
                                 .coding = PAL_VTU_RAW,
                                 .begin = in->text->data + offset,
                                 .line = here(in)};
    } else if (pal_word_is(format, "binary") || pal_word_is(format, "ascii")) {
        *array =
            (pal_vtu_array){.type = type,
                            .coding = pal_word_is(format, "ascii") ? PAL_VTU_ASCII : PAL_VTU_BASE64,
                            .begin = tag_end(in),
                            .line = here(in)};
        in->open = array;
        in->depth = 0;
    } else {
        STOP(in, PAL_ERR_INPUT, "the format of this array must be ascii, binary or appended");
    }
}

static bool is_empty(const char *begin, const char *end) {
    while (begin < end && strchr(" \t\r\n", *begin) != NULL && *begin != '\0') {
        begin++;
    }
    return begin >= end;
}

// Tags may stand inside an array, before or after its numbers.
static void enter_array(reader *in) {
    if (in->depth++ == 0 && in->open->end == NULL && !is_empty(in->open->begin, tag_begin(in))) {
        in->open->end = tag_begin(in);
    }
}

static void leave_array(reader *in) {
    if (in->depth-- > 0) {
        if (in->depth == 0 && in->open->end == NULL) {
            in->open->begin = tag_end(in);
        }
        return;
    }
    if (in->open->end == NULL) {
        in->open->end = tag_begin(in) > in->open->begin ? tag_begin(in) : in->open->begin;
    }
    in->open = NULL;
}

// The appended data follow their tag and a '_'; raw ones are no XML, so that expat stops here.
static void open_appended(reader *in, const char **attributes) {
    const char *at = tag_end(in), *end = in->text->data + in->text->size;
    while (at < end && *at != '_') {
        at++;
    }
    in->appended_coding =
        pal_word_is(attribute(attributes, "encoding"), "raw") ? PAL_VTU_RAW : PAL_VTU_BASE64;
    in->appended = at < end ? at + 1 : end;
    XML_StopParser(in->parser, XML_FALSE);
}

static void XMLCALL on_start(void *data, const char *tag, const char **attributes) {
    reader *in = data;
    if (in->status != PAL_OK) {
        return;
    }
    if (in->open != NULL) {
        enter_array(in);
    } else if (strcmp(tag, "VTKFile") == 0) {
        open_file(in, attributes);
    } else if (!in->is_vtk) {
        STOP(in, PAL_ERR_INPUT, "the file is not a VTKFile");
    } else if (strcmp(tag, "Piece") == 0) {
        open_piece(in, attributes);
    } else if (strcmp(tag, "Points") == 0) {
        in->part = POINTS;
    } else if (strcmp(tag, "Cells") == 0) {
        in->part = CELLS;
    } else if (strcmp(tag, "CellData") == 0) {
        in->part = CELL_DATA;
    } else if (strcmp(tag, "PointData") == 0) {
        in->part = POINT_DATA;
    } else if (strcmp(tag, "DataArray") == 0) {
        open_array(in, attributes);
    } else if (strcmp(tag, "AppendedData") == 0) {
        open_appended(in, attributes);
    }
}

static void XMLCALL on_end(void *data, const char *tag) {
    reader *in = data;
    if (in->status != PAL_OK) {
        return;
    }
    if (in->open != NULL) {
        leave_array(in);
    } else if (strcmp(tag, "Points") == 0 || strcmp(tag, "Cells") == 0 ||
               strcmp(tag, "CellData") == 0 || strcmp(tag, "PointData") == 0) {
        in->part = OUTSIDE;
    }
}

// Entities have no business in a mesh, and are known for blowing up.
static void XMLCALL on_doctype(void *data, const char *name, const char *system_id,
                               const char *public_id, int has_subset) {
    reader *in = data;
    (void)name;
    (void)system_id;
    (void)public_id;
    (void)has_subset;
    STOP(in, PAL_ERR_INPUT, "a VTK file has no document type");
}

static void parse_tags(reader *in) {
    enum { CHUNK = 1 << 24 };
    size_t at = 0;
    bool last = false;
    while (!last) {
        size_t left = in->text->size - at, size = left < CHUNK ? left : CHUNK;
        last = size == left;
        if (XML_Parse(in->parser, in->text->data + at, (int)size, last) != XML_STATUS_OK) {
            break;
        }
        at += size;
    }
    enum XML_Error code = XML_GetErrorCode(in->parser);
    if (in->status == PAL_OK && code == XML_ERROR_NO_MEMORY) {
        in->status = pal_fail(in->draft->err, PAL_ERR_MEMORY, "out of memory");
    } else if (in->status == PAL_OK && in->appended == NULL && code != XML_ERROR_NONE) {
        in->status = pal_fail_at(in->draft->err, PAL_ERR_INPUT, in->text->name, here(in),
                                 "XML: %s%s", XML_ErrorString(code),
                                 code == XML_ERROR_NO_ELEMENTS ? "; is the file cut short?" : "");
    }
}

// Appended arrays: from "offset" to a place in the file.
static void place_array(reader *in, pal_vtu_array *array) {
    if (in->status != PAL_OK || array->type == NULL || array->coding != PAL_VTU_RAW) {
        return;
    }
    const char *end = in->text->data + in->text->size;
    int64_t offset = array->begin - in->text->data;
    if (in->appended == NULL || offset > end - in->appended) {
        in->status = pal_fail_at(in->draft->err, PAL_ERR_INPUT, in->text->name, array->line,
                                 "the appended data of this array are not there; is the file cut "
                                 "short?");
        return;
    }
    array->coding = in->appended_coding;
    array->begin = in->appended + offset;
    array->end = end;
}

static void read_columns(reader *in, pal_vtk_columns *columns) {
    for (int32_t i = 0; i < in->column_count && in->status == PAL_OK; i++) {
        const column *from = &in->column[i];
        const pal_word name = {.at = from->name, .size = strlen(from->name)};
        pal_vtk_keep_column(columns, name, from->of_cells,
                            pal_vtu_ints(&in->layout, &from->array, from->name,
                                         from->of_cells ? in->cell_count : in->point_count,
                                         &in->status));
    }
}

static void read_mesh(reader *in) {
    pal_vtu_array *arrays[] = {&in->points, &in->connectivity, &in->offsets, &in->types};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        place_array(in, arrays[i]);
    }
    for (int32_t i = 0; i < in->column_count; i++) {
        place_array(in, &in->column[i].array);
    }
    double *x = pal_vtu_reals(&in->layout, &in->points, "Points", 3 * in->point_count, &in->status);
    if (in->status == PAL_OK) {
        in->status = pal_draft_vertices(in->draft, in->point_count);
    }
    if (in->status == PAL_OK) {
        memcpy(in->draft->x, x, 3 * (size_t)in->point_count * sizeof *x);
    }
    free(x);
    int64_t cells = in->cell_count;
    int64_t *types = pal_vtu_ints(&in->layout, &in->types, "types", cells, &in->status);
    int64_t *ends = pal_vtu_ints(&in->layout, &in->offsets, "offsets", cells, &in->status);
    int64_t size = in->status == PAL_OK && cells > 0 ? ends[cells - 1] : 0;
    int64_t *connectivity =
        pal_vtu_ints(&in->layout, &in->connectivity, "connectivity", size, &in->status);
    pal_vtk_columns columns = {0};
    read_columns(in, &columns);
    if (in->status == PAL_OK) {
        const pal_vtk_cells all = {.count = cells,
                                   .connectivity_count = size,
                                   .type = types,
                                   .end = ends,
                                   .connectivity = connectivity,
                                   .columns = &columns};
        in->status = pal_vtk_add_cells(&all, in->draft);
    }
    free(types);
    free(ends);
    free(connectivity);
    pal_vtk_free_columns(&columns);
}

pal_status pal_vtu_read(const pal_text *text, pal_draft *draft) {
    reader in = {.text = text, .draft = draft, .parser = XML_ParserCreate(NULL)};
    in.layout = (pal_vtu_layout){.name = text->name, .err = draft->err, .header_size = 4};
    if (in.parser == NULL) {
        return pal_fail(draft->err, PAL_ERR_MEMORY, "out of memory");
    }
    XML_SetUserData(in.parser, &in);
    XML_SetElementHandler(in.parser, on_start, on_end);
    XML_SetStartDoctypeDeclHandler(in.parser, on_doctype);
    parse_tags(&in);
    XML_ParserFree(in.parser);
    if (in.status == PAL_OK && in.pieces == 0) {
        in.status = pal_fail_at(draft->err, PAL_ERR_INPUT, text->name, 0,
                                "there is no Piece; is the file cut short?");
    }
    if (in.status == PAL_OK) {
        read_mesh(&in);
    }
    return in.status;
}
