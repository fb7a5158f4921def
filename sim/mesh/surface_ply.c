#include "sim/mesh/surface_ply.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_PROPERTIES = 64 };

typedef enum encoding { ASCII, LITTLE, BIG } encoding;

typedef enum role { X, Y, Z, CORNERS, OTHER } role;

typedef struct property {
    int count_type; // index into types, or -1 when it is no list
    int type;
    role role;
} property;

typedef struct section { // "element" of the file
    int64_t count;
    int property_count;
    property properties[MAX_PROPERTIES];
} section;

typedef struct header {
    encoding encoding;
    int section_count; // vertices, then faces
    section sections[2];
} header;

static const struct {
    const char *name, *other_name;
    int size;
    bool real, has_sign;
} types[] = {{"char", "int8", 1, false, true},    {"uchar", "uint8", 1, false, false},
             {"short", "int16", 2, false, true},  {"ushort", "uint16", 2, false, false},
             {"int", "int32", 4, false, true},    {"uint", "uint32", 4, false, false},
             {"float", "float32", 4, true, true}, {"double", "float64", 8, true, true}};

static bool is_exactly(pal_word word, const char *text) {
    return word.size == strlen(text) && memcmp(word.at, text, word.size) == 0;
}

static pal_status read_type(pal_scan *scan, bool whole, int *type) {
    pal_word word = pal_surface_word(scan);
    for (int t = 0; t < (int)(sizeof types / sizeof *types); t++) {
        if ((is_exactly(word, types[t].name) || is_exactly(word, types[t].other_name)) &&
            !(whole && types[t].real)) {
            *type = t;
            return PAL_OK;
        }
    }
    return pal_surface_expected(
        scan, whole ? "a whole type such as uchar or int" : "a type such as float, uchar or int",
        word);
}

// After the word "property".
static pal_status read_property(pal_scan *scan, header *h) {
    if (h->section_count == 0) {
        return pal_surface_expected(scan, "an element before its properties", (pal_word){0});
    }
    section *s = &h->sections[h->section_count - 1];
    bool of_faces = h->section_count == 2;
    if (s->property_count == MAX_PROPERTIES) {
        return pal_surface_expected(scan, "fewer properties", (pal_word){0});
    }
    property p = {.count_type = -1, .role = OTHER};
    pal_scan before = *scan;
    pal_word word = pal_surface_word(scan);
    pal_status status = PAL_OK;
    if (is_exactly(word, "list")) {
        status = of_faces ? read_type(scan, true, &p.count_type)
                          : pal_surface_expected(scan, "plain properties of vertices", word);
    } else {
        *scan = before;
    }
    status = status == PAL_OK ? read_type(scan, p.count_type >= 0, &p.type) : status;
    if (status != PAL_OK) {
        return status;
    }
    word = pal_surface_word(scan);
    if (word.size == 0) {
        return pal_surface_expected(scan, "the name of the property", word);
    }
    if (p.count_type >= 0) {
        if (!is_exactly(word, "vertex_indices") && !is_exactly(word, "vertex_index")) {
            return pal_surface_expected(scan, "no list but vertex_indices", word);
        }
        p.role = CORNERS;
    } else if (!of_faces && word.size == 1 && *word.at >= 'x' && *word.at <= 'z') {
        p.role = (role)(*word.at - 'x');
    }
    s->properties[s->property_count++] = p;
    return PAL_OK;
}

// After the word "element".
static pal_status read_element(pal_scan *scan, header *h) {
    static const char *const names[] = {"vertex", "face", ""};
    pal_word word = pal_surface_word(scan);
    if (h->section_count == 2 || !is_exactly(word, names[h->section_count])) {
        return pal_surface_expected(scan,
                                    h->section_count == 0   ? "element vertex"
                                    : h->section_count == 1 ? "element face"
                                                            : "no element but vertex and face",
                                    word);
    }
    section *s = &h->sections[h->section_count++];
    word = pal_surface_word(scan);
    return pal_surface_to_int(word, 1, INT32_MAX, &s->count)
               ? PAL_OK
               : pal_surface_expected(scan, "how many there are (1 or more)", word);
}

static pal_status read_format(pal_scan *scan, header *h) {
    static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    pal_word word, version;
    word = pal_surface_word(scan);
    for (int f = 0; f < 3; f++) {
        if (is_exactly(word, names[f])) {
            h->encoding = (encoding)f;
            version = pal_surface_word(scan);
            return is_exactly(version, "1.0") ? PAL_OK
                                              : pal_surface_expected(scan, "version 1.0", version);
        }
    }
    return pal_surface_expected(scan, "ascii, binary_little_endian or binary_big_endian", word);
}

// How many properties of a section have this role.
static int count_role(const section *s, role wanted) {
    int count = 0;
    for (int i = 0; i < s->property_count; i++) {
        count += s->properties[i].role == wanted;
    }
    return count;
}

static pal_status check_header(const pal_scan *scan, const header *h) {
    const section *vertices = &h->sections[0];
    if (h->section_count < 2 || count_role(vertices, X) != 1 || count_role(vertices, Y) != 1 ||
        count_role(vertices, Z) != 1) {
        return pal_fail_at(scan->err, PAL_ERR_INPUT, scan->name, scan->line,
                           "the header lacks vertices with x, y and z, or faces");
    }
    if (count_role(&h->sections[1], CORNERS) != 1) {
        return pal_fail_at(scan->err, PAL_ERR_INPUT, scan->name, scan->line,
                           "faces must have one list, vertex_indices");
    }
    return PAL_OK;
}

// One line of the header but for its first word.
static pal_status read_header_line(pal_scan *scan, pal_word word, header *h, bool *has_format) {
    if (is_exactly(word, "comment") || is_exactly(word, "obj_info")) {
        return PAL_OK;
    }
    pal_status status;
    if (is_exactly(word, "format")) {
        *has_format = true;
        status = read_format(scan, h);
    } else if (is_exactly(word, "element")) {
        status = read_element(scan, h);
    } else if (is_exactly(word, "property")) {
        status = read_property(scan, h);
    } else {
        return pal_surface_expected(scan, "element, property, comment or end_header", word);
    }
    word = pal_surface_word(scan);
    return status == PAL_OK && word.size > 0
               ? pal_surface_expected(scan, "the end of the line", word)
               : status;
}

// Up to and with the line of end_header.
static pal_status read_header(pal_scan *scan, header *h) {
    bool has_format = false;
    pal_word word = pal_surface_word(scan);
    if (!is_exactly(word, "ply")) {
        return pal_surface_expected(scan, "ply, as a PLY file starts", word);
    }
    for (pal_scan_line(scan); pal_scan_left(scan) > 0; pal_scan_line(scan)) {
        word = pal_surface_word(scan);
        if (is_exactly(word, "end_header")) {
            pal_scan_line(scan);
            return has_format ? check_header(scan, h)
                              : pal_surface_expected(scan, "format before end_header", word);
        }
        pal_status status = read_header_line(scan, word, h, &has_format);
        if (status != PAL_OK) {
            return status;
        }
    }
    return pal_surface_expected(scan, "end_header", (pal_word){0});
}

// A binary value; false where the file ends before it.
static bool read_bytes(pal_scan *scan, encoding order, int type, double *value) {
    int size = types[type].size;
    if (scan->end - scan->at < size) {
        return false;
    }
    uint64_t bits = 0;
    for (int i = 0; i < size; i++) {
        int place = order == LITTLE ? i : size - 1 - i;
        bits |= (uint64_t)(unsigned char)scan->at[i] << (8 * place);
    }
    scan->at += size;
    if (types[type].real) {
        uint32_t half = (uint32_t)bits;
        float single;
        memcpy(&single, &half, sizeof single);
        memcpy(value, &bits, sizeof *value);
        *value = size == 4 ? (double)single : *value;
    } else {
        bool negative = types[type].has_sign && bits >> (8 * size - 1) != 0;
        *value = (double)bits - (negative ? ldexp(1.0, 8 * size) : 0.0);
    }
    return true;
}

static pal_status read_value(pal_scan *scan, const header *h, int type, double *value) {
    if (h->encoding != ASCII) {
        return read_bytes(scan, h->encoding, type, value)
                   ? PAL_OK
                   : pal_fail_at(scan->err, PAL_ERR_INPUT, scan->name, 0,
                                 "cut short: the header promises more than there is");
    }
    pal_word word = pal_surface_word(scan);
    int64_t whole = 0;
    if (types[type].real) {
        return pal_word_real(word, value) ? PAL_OK : pal_surface_expected(scan, "a number", word);
    }
    bool good = pal_surface_to_int(word, -INT64_C(2147483648), UINT32_MAX, &whole);
    *value = (double)whole;
    return good ? PAL_OK : pal_surface_expected(scan, "a whole number", word);
}

// Where we are, for messages; a binary body has no lines.
static long line_of(const pal_scan *scan, const header *h) {
    return h->encoding == ASCII ? scan->line : 0;
}

// Number as text with a point, whatever the locale.
static void put_number(pal_buffer *out, const char *format, double value) {
    char text[64];
    int length = snprintf(text, sizeof text, format, value);
    char *point = memchr(text, localeconv()->decimal_point[0], (size_t)length);
    if (point != NULL) {
        *point = '.';
    }
    pal_buffer_put(out, text, (size_t)length);
}

// The vertices of one face, after their count.
static pal_status copy_corners(pal_scan *scan, const header *h, int type, double corner_count,
                               int64_t item, pal_buffer *out) {
    if (corner_count < 3.0) {
        return pal_fail_at(scan->err, PAL_ERR_INPUT, scan->name, line_of(scan, h),
                           "face %lld has %g vertices; it needs three or more", (long long)item,
                           corner_count);
    }
    pal_buffer_put(out, "f", 1);
    for (int64_t a = 0; a < (int64_t)corner_count; a++) {
        double corner;
        pal_status status = read_value(scan, h, type, &corner);
        if (status != PAL_OK) {
            return status;
        }
        if (corner < 0.0 || corner >= (double)h->sections[0].count) {
            return pal_fail_at(scan->err, PAL_ERR_INPUT, scan->name, line_of(scan, h),
                               "face %lld names vertex %.0f of %lld (counted from 0)",
                               (long long)item, corner, (long long)h->sections[0].count);
        }
        put_number(out, " %.0f", corner + 1.0);
    }
    pal_buffer_put(out, "\n", 1);
    return PAL_OK;
}

static pal_status copy_item(pal_scan *scan, const header *h, const section *s, int64_t item,
                            pal_buffer *out) {
    double x[3];
    for (int i = 0; i < s->property_count; i++) {
        const property *p = &s->properties[i];
        double value;
        pal_status status =
            read_value(scan, h, p->role == CORNERS ? p->count_type : p->type, &value);
        if (status == PAL_OK && p->role == CORNERS) {
            status = copy_corners(scan, h, p->type, value, item, out);
        }
        if (status == PAL_OK && p->role <= Z) {
            x[p->role] = value;
            status = isfinite(value)
                         ? PAL_OK
                         : pal_fail_at(scan->err, PAL_ERR_INPUT, scan->name, line_of(scan, h),
                                       "vertex %lld has a coordinate that is not finite",
                                       (long long)item);
        }
        if (status != PAL_OK) {
            return status;
        }
    }
    if (s == &h->sections[0]) {
        pal_buffer_put(out, "v", 1);
        for (int c = 0; c < 3; c++) {
            put_number(out, " %.9g", x[c]);
        }
        pal_buffer_put(out, "\n", 1);
    }
    return PAL_OK;
}

pal_status pal_ply_to_obj(pal_scan *scan, pal_buffer *out) {
    header h = {0};
    pal_status status = read_header(scan, &h);
    for (int i = 0; i < 2 && status == PAL_OK; i++) {
        for (int64_t item = 0; item < h.sections[i].count && status == PAL_OK; item++) {
            status = copy_item(scan, &h, &h.sections[i], item, out);
            if (status == PAL_OK && h.encoding == ASCII) {
                pal_word word = pal_surface_word(scan);
                status = word.size > 0 ? pal_surface_expected(scan, "the end of the line", word)
                                       : PAL_OK;
                pal_scan_line(scan);
            }
        }
    }
    return status;
}
