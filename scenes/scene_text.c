// Other run-time keys in a scene's own text, and values of it on one line.
#include <stdlib.h>
#include <string.h>

#include "scenes/scene_file.h"
#include "scenes/yaml_patch.h"
#include "scenes/yaml_text.h"
#include "sim/base/memory.h"

// ---- a value in flow style

typedef struct line { // that grows
    char *text;
    size_t used, room;
    bool full; // no memory
} line;

static void put(line *out, const char *text, size_t length) {
    if (out->used + length + 1 > out->room) {
        const size_t room = 2 * (out->used + length + 1);
        char *more = PAL_NEW(char, room, NULL);
        if (more == NULL) {
            out->full = true;
            return;
        }
        if (out->text != NULL) {
            memcpy(more, out->text, out->used);
        }
        free(out->text);
        out->text = more;
        out->room = room;
    }
    memcpy(out->text + out->used, text, length);
    out->used += length;
    out->text[out->used] = '\0';
}

static void put_text(line *out, const char *text) {
    put(out, text, strlen(text));
}

// Plain where it was plain and means the same inside brackets, else in double quotes.
static void put_scalar(line *out, const yaml_node_t *node) {
    const char *text = (const char *)node->data.scalar.value;
    if (node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && text[0] != '\0' &&
        strpbrk(text, ",[]{}:#\"\n") == NULL) {
        put_text(out, text);
        return;
    }
    put_text(out, "\"");
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '\n') {
            put_text(out, "\\n");
        } else {
            put(out, "\\", *c == '"' || *c == '\\');
            put(out, c, 1);
        }
    }
    put_text(out, "\"");
}

// The document is nested at most PAL_YAML_MAX_DEPTH deep.
static void put_node(line *out, yaml_document_t *document, const yaml_node_t *node) {
    if (node->type == YAML_SEQUENCE_NODE) {
        const yaml_node_item_t *start = node->data.sequence.items.start;
        put_text(out, "[");
        for (const yaml_node_item_t *i = start; i < node->data.sequence.items.top; i++) {
            put_text(out, i > start ? ", " : "");
            put_node(out, document, yaml_document_get_node(document, *i));
        }
        put_text(out, "]");
    } else if (node->type == YAML_MAPPING_NODE) {
        const yaml_node_pair_t *start = node->data.mapping.pairs.start;
        put_text(out, "{");
        for (const yaml_node_pair_t *p = start; p < node->data.mapping.pairs.top; p++) {
            put_text(out, p > start ? ", " : "");
            put_node(out, document, yaml_document_get_node(document, p->key));
            put_text(out, ": ");
            put_node(out, document, yaml_document_get_node(document, p->value));
        }
        put_text(out, "}");
    } else {
        put_scalar(out, node);
    }
}

pal_status pal_scene_value(const pal_scene *scene, const char *path, char **value, pal_err *err) {
    yaml_document_t document;
    pal_yaml_patch patch;
    line out = {0};
    *value = NULL;
    pal_status status =
        pal_yaml_load(scene->path, scene->text, strlen(scene->text), &document, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_yaml_patch_begin(&patch, scene->text, strlen(scene->text), &document);
    const yaml_node_t *node = pal_yaml_patch_node(&patch, path);
    if (node != NULL) {
        put_node(&out, &document, node);
    }
    pal_yaml_patch_end(&patch);
    yaml_document_delete(&document);
    if (out.full) {
        free(out.text);
        return pal_fail(err, PAL_ERR_MEMORY, "out of memory");
    }
    *value = out.text;
    return PAL_OK;
}

// ---- other keys

pal_status pal_scene_text_with(const pal_scene *scene, const pal_scene_change *change, int count,
                               char **text, pal_err *err) {
    yaml_document_t document;
    pal_yaml_patch patch;
    size_t size;
    *text = NULL;
    pal_status status =
        pal_yaml_load(scene->path, scene->text, strlen(scene->text), &document, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_yaml_patch_begin(&patch, scene->text, strlen(scene->text), &document);
    for (int i = 0; status == PAL_OK && i < count; i++) {
        status = change[i].value != NULL
                     ? pal_yaml_patch_set(&patch, change[i].key, change[i].value, err)
                     : pal_yaml_patch_remove(&patch, change[i].key, err);
    }
    if (status == PAL_OK) {
        *text = pal_yaml_patch_apply(&patch, &size, err);
        status = *text != NULL ? PAL_OK : PAL_ERR_MEMORY;
    }
    pal_yaml_patch_end(&patch);
    yaml_document_delete(&document);
    return status;
}
