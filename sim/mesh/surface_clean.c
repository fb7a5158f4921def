// The file is read strictly and written anew with positions and faces only.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/mesh/surface_parse.h"
#include "sim/mesh/surface_ply.h"
#include "sim/mesh/surface_scan.h"

static void put_text(pal_buffer *out, const char *text) {
    pal_buffer_put(out, text, strlen(text));
}

// Three numbers of this line, copied with a blank before each.
static pal_status copy_numbers(pal_scan *scan, const char *what, pal_buffer *out) {
    for (int c = 0; c < 3; c++) {
        pal_word word = pal_surface_word(scan);
        if (!pal_surface_is_number(word)) {
            return pal_surface_expected(scan, what, word);
        }
        put_text(out, " ");
        pal_buffer_put(out, word.at, word.size);
    }
    put_text(out, "\n");
    return PAL_OK;
}

// What an OBJ file holds so far.
typedef struct obj_state {
    int64_t vertices, faces;
    int64_t largest; // index named, from 1
    long largest_line;
} obj_state;

// The corners of an OBJ face: v, v/t, v//n or v/t/n; negative ones count back from the last vertex.
static pal_status copy_face(pal_scan *scan, obj_state *obj, pal_buffer *out) {
    static const char what[] = "the number of a vertex, as in f 1 2 3 or f 1/1/1 2/2/2 3/3/3";
    int corners = 0;
    put_text(out, "f");
    for (pal_word word; (word = pal_surface_word(scan)).size > 0; corners++) {
        pal_word first = word;
        const char *slash = memchr(word.at, '/', word.size);
        first.size = slash != NULL ? (size_t)(slash - word.at) : word.size;
        int64_t index = 0;
        if (!pal_surface_to_int(first, -obj->vertices, INT32_MAX, &index) || index == 0) {
            return pal_surface_expected(scan, what, word);
        }
        index = index < 0 ? obj->vertices + index + 1 : index;
        if (index > obj->largest) {
            obj->largest = index;
            obj->largest_line = scan->line;
        }
        char text[32];
        snprintf(text, sizeof text, " %lld", (long long)index);
        put_text(out, text);
    }
    put_text(out, "\n");
    obj->faces++;
    return corners >= 3 ? PAL_OK
                        : pal_surface_expected(scan, "three vertices of a face", (pal_word){0});
}

static pal_status clean_obj(pal_scan *scan, pal_buffer *out) {
    obj_state obj = {0};
    // Some programs end a text with such a character.
    while (scan->end > scan->at && (scan->end[-1] == '\0' || scan->end[-1] == '\x1a')) {
        scan->end--;
    }
    for (pal_status status = PAL_OK; pal_scan_left(scan) > 0; pal_scan_line(scan)) {
        pal_word word = pal_surface_word(scan);
        if (pal_word_is(word, "v")) {
            put_text(out, "v");
            obj.vertices++;
            status = copy_numbers(scan, "three coordinates of a vertex", out);
        } else if (pal_word_is(word, "f")) {
            status = copy_face(scan, &obj, out);
        } else if (word.size > 0 && (unsigned char)*word.at < ' ') {
            status = pal_surface_expected(scan, "the text of an OBJ file", word);
        }
        if (status != PAL_OK) {
            return status;
        }
    }
    if (obj.largest > obj.vertices) {
        return pal_fail_at(scan->err, PAL_ERR_INPUT, scan->name, obj.largest_line,
                           "a face names vertex %lld, but the file has %lld",
                           (long long)obj.largest, (long long)obj.vertices);
    }
    return obj.faces > 0 ? PAL_OK
                         : pal_fail_at(scan->err, PAL_ERR_INPUT, scan->name, 0, "no faces in it");
}

static pal_status expect_word(pal_scan *scan, const char *expected) {
    pal_word word = pal_scan_word(scan);
    return pal_word_is(word, expected) ? PAL_OK : pal_surface_expected(scan, expected, word);
}

// One facet of an ASCII STL file, after the word "facet". The normal, which may be anything, is
// left to the corners.
static pal_status copy_facet(pal_scan *scan, pal_buffer *out) {
    pal_status status = expect_word(scan, "normal");
    for (int c = 0; c < 3; c++) {
        pal_scan_word(scan);
    }
    status = status == PAL_OK ? expect_word(scan, "outer") : status;
    status = status == PAL_OK ? expect_word(scan, "loop") : status;
    put_text(out, "facet normal 0 0 0\nouter loop\n");
    for (int a = 0; a < 3 && status == PAL_OK; a++) {
        status = expect_word(scan, "vertex");
        put_text(out, "vertex");
        status =
            status == PAL_OK ? copy_numbers(scan, "three coordinates of a vertex", out) : status;
    }
    put_text(out, "endloop\nendfacet\n");
    status = status == PAL_OK ? expect_word(scan, "endloop") : status;
    return status == PAL_OK ? expect_word(scan, "endfacet") : status;
}

static pal_status clean_ascii_stl(pal_scan *scan, pal_buffer *out) {
    int64_t facets = 0;
    bool open = false;
    put_text(out, "solid s\n");
    for (pal_word word; (word = pal_scan_word(scan)).size > 0;) {
        pal_status status = PAL_OK;
        if (pal_word_is(word, open ? "endsolid" : "solid")) {
            open = !open;
            pal_scan_line(scan); // the rest of the line is a name
        } else if (open && pal_word_is(word, "facet")) {
            facets++;
            status = copy_facet(scan, out);
        } else {
            status = pal_surface_expected(scan, open ? "facet or endsolid" : "solid", word);
        }
        if (status != PAL_OK) {
            return status;
        }
    }
    put_text(out, "endsolid s\n");
    if (open) {
        return pal_surface_expected(scan, "endsolid", (pal_word){0});
    }
    return facets > 0 ? PAL_OK
                      : pal_fail_at(scan->err, PAL_ERR_INPUT, scan->name, 0, "no facets in it");
}

// 80 bytes, the number of triangles, then 50 bytes for each. The header and the two bytes at the
// end of each triangle, where some programs keep colours, are blanked.
static pal_status clean_binary_stl(const pal_scan *scan, uint32_t count, pal_buffer *out) {
    if (count == 0) {
        return pal_fail_at(scan->err, PAL_ERR_INPUT, scan->name, 0, "no triangles in it");
    }
    pal_buffer_put(out, scan->at, (size_t)(scan->end - scan->at));
    if (!out->failed) {
        memset(out->data, 0, 80);
        for (size_t at = 84; at < out->size; at += 50) {
            memset(out->data + at, 0, 12); // the normal
            memset(out->data + at + 48, 0, 2);
        }
    }
    return PAL_OK;
}

static pal_status clean_stl(pal_scan *scan, pal_buffer *out) {
    size_t size = (size_t)(scan->end - scan->at);
    const unsigned char *bytes = (const unsigned char *)scan->at;
    uint32_t count = 0;
    if (size >= 84) {
        count = (uint32_t)bytes[80] | (uint32_t)bytes[81] << 8 | (uint32_t)bytes[82] << 16 |
                (uint32_t)bytes[83] << 24;
        if ((uint64_t)size == 84 + 50 * (uint64_t)count) {
            return clean_binary_stl(scan, count, out);
        }
    }
    pal_scan start = *scan;
    if (pal_word_is(pal_scan_word(&start), "solid")) {
        return clean_ascii_stl(scan, out);
    }
    return pal_fail_at(scan->err, PAL_ERR_INPUT, scan->name, 0,
                       "not an STL file, or cut short: %zu bytes, where a binary one of %u "
                       "triangles has %llu, and an ASCII one starts with 'solid'",
                       size, count, 84 + 50 * (unsigned long long)count);
}

pal_status pal_surface_clean(pal_surface_format format, const char *name, const char *data,
                             size_t size, char **clean, size_t *clean_size, pal_err *err) {
    pal_scan scan;
    pal_scan_begin(&scan, &(pal_text){.name = name, .data = data, .size = size},
                   format == PAL_SURFACE_OBJ ? '#' : '\0', err);
    pal_buffer out = {0};
    pal_status status;
    if (format == PAL_SURFACE_OBJ) {
        status = clean_obj(&scan, &out);
    } else if (format == PAL_SURFACE_STL) {
        status = clean_stl(&scan, &out);
    } else {
        status = pal_ply_to_obj(&scan, &out);
    }
    pal_buffer_put(&out, "", 1); // a NUL, not counted
    if (status == PAL_OK && out.failed) {
        status = pal_fail(err, PAL_ERR_MEMORY, "%s: out of memory", name);
    }
    if (status != PAL_OK) {
        free(out.data);
        return status;
    }
    *clean = out.data;
    *clean_size = out.size - 1;
    return PAL_OK;
}
