#include "scenes/yaml_patch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

void pal_yaml_patch_begin(pal_yaml_patch *patch, const char *text, size_t size,
                          yaml_document_t *document) {
    *patch = (pal_yaml_patch){.text = text, .size = size, .document = document};
}

void pal_yaml_patch_end(pal_yaml_patch *patch) {
    for (int i = 0; i < patch->count; i++) {
        free(patch->change[i].text);
    }
    patch->count = 0;
}

// ---- finding

static yaml_node_t *node_of(const pal_yaml_patch *patch, int index) {
    return yaml_document_get_node(patch->document, index);
}

static bool is_key(const yaml_node_t *key, const char *name, size_t length) {
    return key->type == YAML_SCALAR_NODE && key->data.scalar.length == length &&
           memcmp(key->data.scalar.value, name, length) == 0;
}

static yaml_node_t *child(const pal_yaml_patch *patch, const yaml_node_t *node, const char *name,
                          size_t length) {
    if (node->type == YAML_SEQUENCE_NODE) {
        const long i = strtol(name, NULL, 10);
        const yaml_node_item_t *start = node->data.sequence.items.start;
        return i >= 0 && i < node->data.sequence.items.top - start ? node_of(patch, start[i])
                                                                   : NULL;
    }
    if (node->type == YAML_MAPPING_NODE) {
        const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
        for (; pair < node->data.mapping.pairs.top; pair++) {
            if (is_key(node_of(patch, pair->key), name, length)) {
                return node_of(patch, pair->value);
            }
        }
    }
    return NULL;
}

// The node at the first `length` characters of the path; NULL: none.
static yaml_node_t *find(const pal_yaml_patch *patch, const char *path, size_t length) {
    yaml_node_t *node = yaml_document_get_root_node(patch->document);
    const char *end = path + length;
    while (node != NULL && path < end) {
        const size_t part = strcspn(path, ".");
        node = child(patch, node, path, part);
        path += part + (path[part] == '.');
    }
    return node;
}

const char *pal_yaml_patch_get(const pal_yaml_patch *patch, const char *path) {
    const yaml_node_t *node = find(patch, path, strlen(path));
    return node != NULL && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value
                                                          : NULL;
}

const yaml_node_t *pal_yaml_patch_node(const pal_yaml_patch *patch, const char *path) {
    return find(patch, path, strlen(path));
}

bool pal_yaml_patch_has(const pal_yaml_patch *patch, const char *path) {
    return find(patch, path, strlen(path)) != NULL;
}

// ---- places in the text

// Marks count characters; a mark at the beginning of the file is not counted among them.
static size_t offset_of(const pal_yaml_patch *patch, const yaml_mark_t *mark) {
    const unsigned char *text = (const unsigned char *)patch->text;
    size_t at = patch->size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    for (size_t left = mark->index; left > 0 && at < patch->size; left--) {
        at++;
        while (at < patch->size && (text[at] & 0xc0) == 0x80) {
            at++;
        }
    }
    return at;
}

// Where a value ends. A mapping or list that is laid out in lines ends with its last value: its own
// mark stands after the comments behind it.
static size_t end_of(const pal_yaml_patch *patch, const yaml_node_t *node) {
    size_t end = offset_of(patch, &node->start_mark);
    if (node->type == YAML_MAPPING_NODE && node->data.mapping.style != YAML_FLOW_MAPPING_STYLE) {
        const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
        for (; pair < node->data.mapping.pairs.top; pair++) {
            end = end_of(patch, node_of(patch, pair->value));
        }
        return end;
    }
    if (node->type == YAML_SEQUENCE_NODE && node->data.sequence.style != YAML_FLOW_SEQUENCE_STYLE) {
        const yaml_node_item_t *item = node->data.sequence.items.start;
        for (; item < node->data.sequence.items.top; item++) {
            end = end_of(patch, node_of(patch, *item));
        }
        return end;
    }
    return offset_of(patch, &node->end_mark);
}

// ---- changing

static pal_status change(pal_yaml_patch *patch, size_t offset, size_t length, const char *text,
                         pal_err *err) {
    if (patch->count == PAL_PATCH_CHANGES) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED, "more than %d changes in one scene",
                        PAL_PATCH_CHANGES);
    }
    char *copy = pal_copy_text(text, err);
    if (copy == NULL) {
        return PAL_ERR_MEMORY;
    }
    // By place; at one place in the order given
    int at = patch->count++;
    for (; at > 0 && patch->change[at - 1].offset > offset; at--) {
        patch->change[at] = patch->change[at - 1];
    }
    patch->change[at] = (pal_yaml_change){offset, length, copy};
    return PAL_OK;
}

// Puts a piece in front of what begins at the node: on a line of its own with the same indentation
// (`dash` in front of what is there: it was in front of the first item), or on the same line.
static pal_status put_before(pal_yaml_patch *patch, const yaml_mark_t *mark, bool flow,
                             const char *piece, const char *dash, pal_err *err) {
    const int indent = flow ? 0 : (int)(mark->column - strlen(dash));
    const size_t size = strlen(piece) + (size_t)indent + strlen(dash) + 4;
    char *text = PAL_NEW(char, size, err);
    if (text == NULL) {
        return PAL_ERR_MEMORY;
    }
    snprintf(text, size, "%s%s%*s%s", piece, flow ? ", " : "\n", indent, "", dash);
    const pal_status status = change(patch, offset_of(patch, mark), 0, text, err);
    free(text);
    return status;
}

static pal_status no_place(const char *path, pal_err *err) {
    return pal_fail(err, PAL_ERR_UNSUPPORTED, "there is no place for '%.200s' in the scene", path);
}

// A new key of the document, on a line of its own at the end.
static pal_status add_line(pal_yaml_patch *patch, const char *piece, pal_err *err) {
    const bool ended = patch->size == 0 || patch->text[patch->size - 1] == '\n';
    const size_t size = strlen(piece) + 3;
    char *line = PAL_NEW(char, size, err);
    if (line == NULL) {
        return PAL_ERR_MEMORY;
    }
    snprintf(line, size, "%s%s\n", ended ? "" : "\n", piece);
    const pal_status status = change(patch, patch->size, 0, line, err);
    free(line);
    return status;
}

// A new key in front of the mapping's others.
static pal_status add_key(pal_yaml_patch *patch, const yaml_node_t *mapping, const char *name,
                          const char *value, pal_err *err) {
    const size_t size = strlen(name) + strlen(value) + 3;
    const yaml_node_pair_t *first = mapping->data.mapping.pairs.start;
    char *piece = PAL_NEW(char, size, err);
    if (piece == NULL) {
        return PAL_ERR_MEMORY;
    }
    snprintf(piece, size, "%s: %s", name, value);
    const bool flow = mapping->data.mapping.style == YAML_FLOW_MAPPING_STYLE;
    const bool whole = mapping == yaml_document_get_root_node(patch->document);
    const pal_status status =
        whole && !flow ? add_line(patch, piece, err)
        : first < mapping->data.mapping.pairs.top
            ? put_before(patch, &node_of(patch, first->key)->start_mark, flow, piece, "", err)
            : change(patch, offset_of(patch, &mapping->start_mark) + 1, 0, piece, err); // {}
    free(piece);
    return status;
}

pal_status pal_yaml_patch_set(pal_yaml_patch *patch, const char *path, const char *value,
                              pal_err *err) {
    const yaml_node_t *node = find(patch, path, strlen(path));
    if (node != NULL) {
        const size_t start = offset_of(patch, &node->start_mark);
        return change(patch, start, end_of(patch, node) - start, value, err);
    }
    const char *dot = strrchr(path, '.');
    const yaml_node_t *parent = find(patch, path, dot != NULL ? (size_t)(dot - path) : 0);
    return parent != NULL && parent->type == YAML_MAPPING_NODE
               ? add_key(patch, parent, dot != NULL ? dot + 1 : path, value, err)
               : no_place(path, err);
}

pal_status pal_yaml_patch_remove(pal_yaml_patch *patch, const char *key, pal_err *err) {
    const yaml_node_t *root = yaml_document_get_root_node(patch->document);
    const yaml_node_pair_t *pair = root->data.mapping.pairs.start;
    while (pair < root->data.mapping.pairs.top &&
           !is_key(node_of(patch, pair->key), key, strlen(key))) {
        pair++;
    }
    if (pair == root->data.mapping.pairs.top) {
        return PAL_OK;
    }
    if (root->data.mapping.style == YAML_FLOW_MAPPING_STYLE) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED,
                        "the scene is one mapping in brackets, from which '%.100s' cannot be taken "
                        "out; write its keys one a line",
                        key);
    }
    const size_t start = offset_of(patch, &node_of(patch, pair->key)->start_mark);
    return change(patch, start, end_of(patch, node_of(patch, pair->value)) - start, "", err);
}

pal_status pal_yaml_patch_push(pal_yaml_patch *patch, const char *path, const char *value,
                               pal_err *err) {
    const yaml_node_t *list = find(patch, path, strlen(path));
    if (list == NULL || list->type != YAML_SEQUENCE_NODE) {
        return no_place(path, err);
    }
    const yaml_node_item_t *first = list->data.sequence.items.start;
    const bool flow = list->data.sequence.style == YAML_FLOW_SEQUENCE_STYLE;
    return first < list->data.sequence.items.top
               ? put_before(patch, &node_of(patch, *first)->start_mark, flow, value,
                            flow ? "" : "- ", err)
               : change(patch, offset_of(patch, &list->start_mark) + 1, 0, value, err); // []
}

char *pal_yaml_patch_apply(pal_yaml_patch *patch, size_t *size, pal_err *err) {
    size_t room = patch->size + 1, used = 0, read = 0;
    for (int i = 0; i < patch->count; i++) {
        room += strlen(patch->change[i].text);
    }
    char *out = PAL_NEW(char, room, err);
    for (int i = 0; out != NULL && i <= patch->count; i++) {
        const bool last = i == patch->count;
        const size_t upto = last ? patch->size : patch->change[i].offset;
        if (upto > read) {
            memcpy(out + used, patch->text + read, upto - read);
            used += upto - read;
            read = upto;
        }
        if (!last) {
            const size_t length = strlen(patch->change[i].text);
            memcpy(out + used, patch->change[i].text, length);
            used += length;
            read += patch->change[i].length;
        }
    }
    *size = used;
    return out;
}
