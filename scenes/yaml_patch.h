// Changes in a YAML text that leave all else as its author wrote it: comments, layout, order.
// Values are found in the loaded document and exchanged in the text. Private to scenes/.
#ifndef PAL_SCENES_YAML_PATCH_H
#define PAL_SCENES_YAML_PATCH_H

#include <stdbool.h>
#include <yaml.h>

#include "sim/base/status.h"

enum { PAL_PATCH_CHANGES = 256 };

typedef struct pal_yaml_change { // `length` bytes at `offset` become `text`
    size_t offset, length;
    char *text;
} pal_yaml_change;

typedef struct pal_yaml_patch {
    const char *text; // UTF-8, borrowed
    size_t size;
    yaml_document_t *document; // of the text, borrowed
    int count;
    pal_yaml_change change[PAL_PATCH_CHANGES];
} pal_yaml_patch;

void pal_yaml_patch_begin(pal_yaml_patch *patch, const char *text, size_t size,
                          yaml_document_t *document);
void pal_yaml_patch_end(pal_yaml_patch *patch);

// The text of the scalar at a path such as "body.material.young", NULL: there is none. It lives as
// long as the document.
const char *pal_yaml_patch_get(const pal_yaml_patch *patch, const char *path);
// Whether there is anything at the path.
bool pal_yaml_patch_has(const pal_yaml_patch *patch, const char *path);

// The value itself; NULL: there is none.
const yaml_node_t *pal_yaml_patch_node(const pal_yaml_patch *patch, const char *path);

// The value at the path becomes `value` (on one line: a scalar, [ ... ] or { ... }); where there is
// none yet, the key goes in front of those of its mapping, which must be there, or on a last line
// of the document. A key must not be set twice.
pal_status pal_yaml_patch_set(pal_yaml_patch *patch, const char *path, const char *value,
                              pal_err *err);

// Takes a key of the document out of it, with its value; one that is not there already is.
pal_status pal_yaml_patch_remove(pal_yaml_patch *patch, const char *key, pal_err *err);

// Puts `value` in front of the items of the list at the path, which must be there.
pal_status pal_yaml_patch_push(pal_yaml_patch *patch, const char *path, const char *value,
                               pal_err *err);

// The changed text, on the heap, with a NUL after *size bytes; NULL: no memory.
char *pal_yaml_patch_apply(pal_yaml_patch *patch, size_t *size, pal_err *err);

#endif
