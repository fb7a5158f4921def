// YAML text beside libcyaml: what libcyaml cannot do or cannot say. Refuses aliases, deep nesting
// and second documents; matches the document against the libcyaml schema with errors that name the
// line, the key and the keys that there are; finds lines again for later checks. Private to
// scenes/.
#ifndef PAL_SCENES_YAML_TEXT_H
#define PAL_SCENES_YAML_TEXT_H

#include <cyaml/cyaml.h>
#include <stdio.h>
#include <yaml.h>

#include "sim/base/hash.h"
#include "sim/base/status.h"

enum { PAL_YAML_MAX_SIZE = 1 << 20, PAL_YAML_MAX_DEPTH = 16 };

// Loads the one document in text; free it with yaml_document_delete. `file` is for messages. The
// document is empty on failure.
pal_status pal_yaml_load(const char *file, const char *text, size_t size, yaml_document_t *document,
                         pal_err *err);

// The entries of lists of three quantities for which one value can stand: a place of the surface
// (point.h), or an amount that points downwards.
extern const cyaml_schema_value_t pal_yaml_place_entry, pal_yaml_down_entry;

// Every key known and there once, every required key there, every value of the right kind.
pal_status pal_yaml_match(const char *file, yaml_document_t *document,
                          const cyaml_schema_value_t *schema, pal_err *err);

// The line (from 1) of the value at a path such as "body.regions.2.where"; of the nearest one above
// it when there is none.
long pal_yaml_line(yaml_document_t *document, const char *path);

// Writes a text as a value in double quotes.
void pal_yaml_print_quoted(FILE *out, const char *text);

// Adds what the document says - not how it is laid out or commented - to the hash, but for the
// top-level keys in `skipped` (NULL at its end; may be NULL).
void pal_yaml_hash(yaml_document_t *document, const char *const *skipped, pal_hash *hash);

#endif
