// The file: a block of text as in front of a model (title, version, bytes, hash of what follows),
// the numbers of `head`, then the arrays one after the other, each from a multiple of 64 bytes on,
// as they lie in memory.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/contact/lanes.h"
#include "sim/contact/surface_index.h"

enum { TEXT = 256, ALIGN = 64, ARRAYS = 24 };

typedef struct head { // all that is not an array, and the forms of the structs in the arrays
    char key[40];     // of what it was built from
    int32_t forms[8];
    int32_t node_count, level_count;
    int32_t count[PAL_SHELL_LEVELS], first[PAL_SHELL_LEVELS];
    double spacing[PAL_SHELL_LEVELS];
} head;

// Of another compiler or machine: another layout, or another order of bytes.
static const int32_t forms[8] = {sizeof(pal_bdnode),        sizeof(pal_shell_point),
                                 sizeof(pal_shell_node),    sizeof(pal_shell_cell),
                                 sizeof(pal_shell_hull),    sizeof(pal_shell_over),
                                 sizeof(pal_shell_carrier), 0x01020304};

typedef struct array {
    void *pointer; // to the array: where its address stands
    size_t bytes;
} array;

typedef struct layout {
    array item[ARRAYS];
    int count;
    size_t bytes; // of the whole file
} layout;

static size_t aligned(size_t bytes) {
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static size_t head_bytes(void) {
    return aligned(TEXT + sizeof(head));
}

static void add(layout *l, void *pointer, size_t count, size_t size) {
    l->item[l->count++] = (array){pointer, count * size};
    l->bytes += aligned(count * size);
}

// The arrays of an index, whose counts are there.
static void lay_out(const pal_surface_source *source, const pal_surface_index *index, layout *l) {
    pal_bdtree *tree = index->tree;
    pal_shell *shell = index->shell;
    pal_footprint *print = index->footprint;
    const pal_body *body = source->body;
    const size_t last = (size_t)shell->level_count - 1;
    const size_t points = (size_t)shell->count[last], nodes = (size_t)shell->first[last];
    const size_t cells = nodes + points, stride = (size_t)shell->stride;
    const size_t triangles = (size_t)body->triangle_count;
    const size_t corners = (size_t)body->point_count;
    *l = (layout){.bytes = head_bytes()};
    add(l, &tree->node, (size_t)tree->node_count, sizeof *tree->node);
    add(l, &tree->motion, 4 * (size_t)tree->node_count * stride, sizeof *tree->motion);
    add(l, &tree->order, triangles, sizeof *tree->order);
    add(l, &tree->joined, corners, sizeof *tree->joined);
    add(l, &tree->fan_first, corners + 1, sizeof *tree->fan_first);
    add(l, &tree->fan, 3 * triangles, sizeof *tree->fan);
    add(l, &shell->point, points, sizeof *shell->point);
    add(l, &shell->node, nodes, sizeof *shell->node);
    add(l, &shell->cell, cells, sizeof *shell->cell);
    add(l, &shell->reach, cells, sizeof *shell->reach);
    add(l, &shell->hull, cells, sizeof *shell->hull);
    add(l, &shell->bend, cells * stride, sizeof *shell->bend);
    add(l, &shell->sway, cells * stride, sizeof *shell->sway);
    add(l, &shell->rest, 3 * points, sizeof *shell->rest);
    add(l, &shell->motion, 3 * points * stride, sizeof *shell->motion);
    add(l, &shell->growth, nodes * stride, sizeof *shell->growth);
    add(l, &shell->farthest, stride, sizeof *shell->farthest);
    add(l, &shell->beside, 3 * triangles, sizeof *shell->beside);
    if (body->embedding != NULL) {
        add(l, &shell->over, cells, sizeof *shell->over);
        add(l, &shell->carrier, points, sizeof *shell->carrier);
    }
    if (source->vertex_x != NULL) {
        add(l, &print->count, cells, sizeof *print->count);
        add(l, &print->vertex, cells * PAL_FOOTPRINT_VERTICES, sizeof *print->vertex);
        add(l, &print->weight, cells * PAL_FOOTPRINT_VERTICES, sizeof *print->weight);
        add(l, &print->spreads, cells, sizeof *print->spreads);
    }
}

static void print_text(const char *file, size_t size, char text[TEXT]) {
    char digits[PAL_HASH_TEXT];
    pal_hash hash;
    pal_hash_init(&hash);
    pal_hash_update(&hash, file + TEXT, size - TEXT);
    pal_hash_text(&hash, digits);
    memset(text, 0, TEXT);
    snprintf(text, TEXT,
             "palpate surface index\nversion %d\nbytes %zu\nxxh3-128 %s\n\n"
             "Made from a model for a tool of one size; may be deleted, is then made anew.\n",
             (int)PAL_SURFACE_INDEX_VERSION, size - TEXT, digits);
}

pal_status pal_surface_index_image(const pal_surface_source *source, const pal_surface_index *index,
                                   char **file, size_t *size, pal_err *err) {
    layout l;
    lay_out(source, index, &l);
    char *bytes = *file = PAL_NEW(char, l.bytes, err);
    if (bytes == NULL) {
        return PAL_ERR_MEMORY;
    }
    const pal_shell *shell = index->shell;
    head h = {.node_count = index->tree->node_count, .level_count = shell->level_count};
    pal_surface_index_key(source, h.key);
    memcpy(h.forms, forms, sizeof forms);
    memcpy(h.count, shell->count, sizeof h.count);
    memcpy(h.first, shell->first, sizeof h.first);
    memcpy(h.spacing, shell->spacing, sizeof h.spacing);
    memcpy(bytes + TEXT, &h, sizeof h);
    size_t at = head_bytes();
    for (int i = 0; i < l.count; i++) {
        const void *from;
        memcpy(&from, l.item[i].pointer, sizeof from);
        memcpy(bytes + at, from, l.item[i].bytes);
        at += aligned(l.item[i].bytes);
    }
    print_text(bytes, l.bytes, bytes);
    *size = l.bytes;
    return PAL_OK;
}

// Whether counts are those of a tree and a shell; the file's size then tells the rest.
static bool is_sound(const head *h) {
    bool sound = h->node_count > 0 && h->level_count > 0 && h->level_count <= PAL_SHELL_LEVELS;
    int64_t cells = 0;
    for (int32_t k = 0; sound && k < h->level_count; k++) {
        sound = h->count[k] >= (k > 0 ? h->count[k - 1] : 1) && h->first[k] == cells;
        cells += h->count[k];
    }
    return sound;
}

static void fill_counts(const pal_surface_source *source, const head *h,
                        const pal_surface_index *index) {
    const pal_body *body = source->body;
    pal_shell *shell = index->shell;
    *index->tree = (pal_bdtree){.size = body->size,
                                .stride = pal_lanes_stride(body->size),
                                .node_count = h->node_count,
                                .triangle_count = body->triangle_count,
                                .point_count = body->point_count};
    *shell = (pal_shell){.size = body->size,
                         .stride = pal_lanes_stride(body->size),
                         .level_count = h->level_count,
                         .tree = index->tree};
    memcpy(shell->count, h->count, sizeof h->count);
    memcpy(shell->first, h->first, sizeof h->first);
    memcpy(shell->spacing, h->spacing, sizeof h->spacing);
    *index->footprint = (pal_footprint){.shell = source->vertex_x != NULL ? shell : NULL};
}

static pal_status check(const pal_surface_source *source, const char *file, size_t size, head *h,
                        pal_err *err) {
    static const char title[] = "palpate surface index\n";
    char text[TEXT], key[PAL_HASH_TEXT];
    if (size < head_bytes() || memcmp(file, title, sizeof title - 1) != 0) {
        return pal_fail(err, PAL_ERR_INPUT, "not a surface index; make it anew");
    }
    print_text(file, size, text);
    if (memcmp(file, text, TEXT) != 0) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "a surface index that is garbled, cut short or of another version; make it "
                        "anew");
    }
    memcpy(h, file + TEXT, sizeof *h);
    pal_surface_index_key(source, key);
    if (strncmp(h->key, key, sizeof h->key) != 0) {
        return pal_fail(err, PAL_ERR_INPUT, "a surface index of another body or tool");
    }
    if (memcmp(h->forms, forms, sizeof forms) != 0 || !is_sound(h)) {
        return pal_fail(err, PAL_ERR_INPUT, "a surface index of another program; make it anew");
    }
    return PAL_OK;
}

pal_status pal_surface_index_take(const pal_surface_source *source, char *file, size_t size,
                                  const pal_surface_index *index, pal_err *err) {
    head h;
    pal_status status = check(source, file, size, &h, err);
    if (status != PAL_OK) {
        return status;
    }
    layout l;
    fill_counts(source, &h, index);
    lay_out(source, index, &l);
    if (l.bytes != size) {
        memset(index->tree, 0, sizeof *index->tree);
        memset(index->shell, 0, sizeof *index->shell);
        memset(index->footprint, 0, sizeof *index->footprint);
        return pal_fail(err, PAL_ERR_INPUT, "a surface index whose sizes do not fit together");
    }
    size_t at = head_bytes();
    for (int i = 0; i < l.count; i++) {
        const void *to = file + at;
        memcpy(l.item[i].pointer, &to, sizeof to);
        at += aligned(l.item[i].bytes);
    }
    *index->file = file;
    return PAL_OK;
}
