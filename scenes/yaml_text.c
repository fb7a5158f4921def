#include "scenes/yaml_text.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- loading

static long count_lines(const char *text, size_t size) {
    long line = 1;
    for (size_t i = 0; i < size; i++) {
        line += text[i] == '\n';
    }
    return line;
}

// Whether that line (counted from 1) has a tab before its first word.
static bool is_indented_by_tab(const char *text, size_t size, long line) {
    const char *at = text, *end = text + size;
    for (long l = 1; at != NULL && l < line; l++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at != NULL ? at + 1 : NULL;
    }
    while (at != NULL && at < end && *at == ' ') {
        at++;
    }
    return at != NULL && at < end && *at == '\t';
}

static pal_status syntax_error(const char *file, const char *text, size_t size,
                               const yaml_parser_t *parser, pal_err *err) {
    if (parser->error == YAML_MEMORY_ERROR) {
        return pal_fail_at(err, PAL_ERR_MEMORY, file, 0, "out of memory");
    }
    size_t offset = parser->problem_offset < size ? parser->problem_offset : size;
    long line = parser->error == YAML_READER_ERROR ? count_lines(text, offset)
                                                   : (long)parser->problem_mark.line + 1;
    if (is_indented_by_tab(text, size, line)) {
        return pal_fail_at(err, PAL_ERR_INPUT, file, line,
                           "a tab stands at the beginning of this line; YAML is indented by blanks "
                           "alone: put blanks in its place");
    }
    const char *problem = parser->problem != NULL ? parser->problem : "cannot be read";
    return pal_fail_at(err, PAL_ERR_INPUT, file, line, "not valid YAML: %s%s%s", problem,
                       parser->context != NULL ? " " : "",
                       parser->context != NULL ? parser->context : "");
}

// One event of the scan: refuses what the loader must not see.
static pal_status check_event(const char *file, const yaml_event_t *event, int *depth,
                              int *documents, pal_err *err) {
    long line = (long)event->start_mark.line + 1;
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return pal_fail_at(err, PAL_ERR_INPUT, file, line,
                           "aliases (*%.40s) are not allowed here; write the value out",
                           (const char *)event->data.alias.anchor);
    case YAML_DOCUMENT_START_EVENT:
        if (++*documents > 1) {
            return pal_fail_at(err, PAL_ERR_INPUT, file, line,
                               "a second document begins; put one scene in a file");
        }
        return PAL_OK;
    case YAML_MAPPING_START_EVENT:
    case YAML_SEQUENCE_START_EVENT:
        if (++*depth > PAL_YAML_MAX_DEPTH) {
            return pal_fail_at(err, PAL_ERR_INPUT, file, line, "nested deeper than %d levels",
                               PAL_YAML_MAX_DEPTH);
        }
        return PAL_OK;
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        --*depth;
        return PAL_OK;
    default:
        return PAL_OK;
    }
}

static pal_status scan(const char *file, const char *text, size_t size, pal_err *err) {
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) {
        return pal_fail_at(err, PAL_ERR_MEMORY, file, 0, "out of memory");
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    pal_status status = PAL_OK;
    int depth = 0, documents = 0;
    bool done = false;
    while (status == PAL_OK && !done) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            status = syntax_error(file, text, size, &parser, err);
            break;
        }
        status = check_event(file, &event, &depth, &documents, err);
        done = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return status != PAL_OK || documents == 1
               ? status
               : pal_fail_at(err, PAL_ERR_INPUT, file, 0, "the file holds no scene");
}

pal_status pal_yaml_load(const char *file, const char *text, size_t size, yaml_document_t *document,
                         pal_err *err) {
    memset(document, 0, sizeof *document);
    if (size > PAL_YAML_MAX_SIZE) {
        return pal_fail_at(err, PAL_ERR_INPUT, file, 0, "larger than %d bytes: not a scene",
                           PAL_YAML_MAX_SIZE);
    }
    pal_status status = scan(file, text, size, err);
    if (status != PAL_OK) {
        return status;
    }
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) {
        return pal_fail_at(err, PAL_ERR_MEMORY, file, 0, "out of memory");
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    if (!yaml_parser_load(&parser, document)) {
        status = syntax_error(file, text, size, &parser, err);
        memset(document, 0, sizeof *document);
    }
    yaml_parser_delete(&parser);
    return status;
}

// ---- matching

const cyaml_schema_value_t pal_yaml_place_entry = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 1, CYAML_UNLIMITED),
};
const cyaml_schema_value_t pal_yaml_down_entry = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 1, CYAML_UNLIMITED),
};

typedef struct matching {
    const char *file;
    yaml_document_t *document;
    pal_err *err;
} matching;

static long line_of(const yaml_node_t *node) {
    return (long)node->start_mark.line + 1;
}

static const char *text_of(const yaml_node_t *node) {
    return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : "";
}

// Appends ", name" to a list in a message.
static void append(char *list, size_t size, const char *name) {
    size_t used = strlen(list);
    snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", name);
}

static const char *list_keys(const cyaml_schema_field_t *fields, char *list, size_t size) {
    list[0] = '\0';
    for (; fields->key != NULL; fields++) {
        append(list, size, fields->key);
    }
    return list;
}

static pal_status match(const matching *m, const yaml_node_t *node, const char *key,
                        const cyaml_schema_value_t *schema);
static pal_status match_scalar(const matching *m, const yaml_node_t *node, const char *key,
                               const cyaml_schema_value_t *schema);

static pal_status match_mapping(const matching *m, const yaml_node_t *node, const char *key,
                                const cyaml_schema_field_t *fields) {
    char list[512];
    if (node->type != YAML_MAPPING_NODE) {
        return pal_fail_at(m->err, PAL_ERR_INPUT, m->file, line_of(node), "'%s' takes the keys: %s",
                           key, list_keys(fields, list, sizeof list));
    }
    unsigned long seen = 0;
    const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
    for (; pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *name = yaml_document_get_node(m->document, pair->key);
        int i = 0;
        while (fields[i].key != NULL && strcmp(fields[i].key, text_of(name)) != 0) {
            i++;
        }
        if (fields[i].key == NULL) {
            const bool cut = strchr("+-.0123456789", text_of(name)[0]) != NULL;
            return pal_fail_at(m->err, PAL_ERR_INPUT, m->file, line_of(name),
                               "unknown key '%.40s'; known keys here: %s%s", text_of(name),
                               list_keys(fields, list, sizeof list),
                               cut ? " (a comma ends a value within { }: put quotes round the one "
                                     "before)"
                                   : "");
        }
        if (seen >> i & 1) {
            return pal_fail_at(m->err, PAL_ERR_INPUT, m->file, line_of(name),
                               "the key '%s' is there twice; remove one", fields[i].key);
        }
        seen |= 1UL << i;
        pal_status status = match(m, yaml_document_get_node(m->document, pair->value),
                                  fields[i].key, &fields[i].value);
        if (status != PAL_OK) {
            return status;
        }
    }
    for (int i = 0; fields[i].key != NULL; i++) {
        if (!(fields[i].value.flags & CYAML_FLAG_OPTIONAL) && !(seen >> i & 1)) {
            return pal_fail_at(m->err, PAL_ERR_INPUT, m->file, line_of(node),
                               "the key '%s' is missing in '%s'", fields[i].key, key);
        }
    }
    return PAL_OK;
}

static pal_status match_sequence(const matching *m, const yaml_node_t *node, const char *key,
                                 const cyaml_schema_value_t *schema) {
    bool fixed = schema->type == CYAML_SEQUENCE_FIXED;
    const bool one_may_do = schema->sequence.entry == &pal_yaml_place_entry ||
                            schema->sequence.entry == &pal_yaml_down_entry;
    if (one_may_do && node->type == YAML_SCALAR_NODE) {
        return match_scalar(m, node, key, schema->sequence.entry);
    }
    if (node->type != YAML_SEQUENCE_NODE) {
        return pal_fail_at(m->err, PAL_ERR_INPUT, m->file, line_of(node),
                           "'%s' takes a list: [ ... ] or lines that begin with '- '", key);
    }
    long count = node->data.sequence.items.top - node->data.sequence.items.start;
    const long least = (long)schema->sequence.min;
    if (count < least || (fixed && count != least)) {
        return pal_fail_at(m->err, PAL_ERR_INPUT, m->file, line_of(node),
                           "'%s' takes a list of %s%ld values, not %ld", key,
                           fixed ? "" : "at least ", least, count);
    }
    for (long i = 0; i < count; i++) {
        const yaml_node_t *item =
            yaml_document_get_node(m->document, node->data.sequence.items.start[i]);
        pal_status status = match(m, item, key, schema->sequence.entry);
        if (status != PAL_OK) {
            return status;
        }
    }
    return PAL_OK;
}

static bool is_integer(const char *text) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    return end != text && *end == '\0' && errno == 0 && value >= INT32_MIN && value <= INT32_MAX;
}

static bool is_number(const char *text) {
    char *end;
    double value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(value);
}

static pal_status match_enum(const matching *m, const yaml_node_t *node, const char *key,
                             const cyaml_schema_value_t *schema) {
    char list[256] = "";
    for (uint32_t i = 0; i < schema->enumeration.count; i++) {
        if (strcmp(schema->enumeration.strings[i].str, text_of(node)) == 0) {
            return PAL_OK;
        }
        append(list, sizeof list, schema->enumeration.strings[i].str);
    }
    return pal_fail_at(m->err, PAL_ERR_INPUT, m->file, line_of(node),
                       "'%s' cannot be '%.40s'; write one of: %s", key, text_of(node), list);
}

static pal_status match_scalar(const matching *m, const yaml_node_t *node, const char *key,
                               const cyaml_schema_value_t *schema) {
    const char *text = text_of(node), *wanted = NULL;
    if (node->type != YAML_SCALAR_NODE) {
        wanted = "one value, not a list or keys";
    } else if (strlen(text) != node->data.scalar.length) {
        wanted = "text without a NUL character";
    } else if (schema->type == CYAML_ENUM) {
        return match_enum(m, node, key, schema);
    } else if (schema->type == CYAML_INT && !is_integer(text)) {
        wanted = "a whole number";
    } else if (schema->type == CYAML_FLOAT && !is_number(text)) {
        wanted = "a number without a unit";
    } else if (schema->type == CYAML_BOOL && strcmp(text, "true") != 0 &&
               strcmp(text, "false") != 0) {
        wanted = "true or false";
    } else if (schema->type == CYAML_STRING && text[0] == '\0') {
        wanted = "a value; it is empty";
    }
    return wanted == NULL
               ? PAL_OK
               : pal_fail_at(m->err, PAL_ERR_INPUT, m->file, line_of(node), "'%s' takes %s%s%.40s",
                             key, wanted, text[0] != '\0' ? ", not " : "", text);
}

static pal_status match(const matching *m, const yaml_node_t *node, const char *key,
                        const cyaml_schema_value_t *schema) {
    switch (schema->type) {
    case CYAML_IGNORE: // read by its own code
        return PAL_OK;
    case CYAML_MAPPING:
        return match_mapping(m, node, key, schema->mapping.fields);
    case CYAML_SEQUENCE:
    case CYAML_SEQUENCE_FIXED:
        return match_sequence(m, node, key, schema);
    default:
        return match_scalar(m, node, key, schema);
    }
}

pal_status pal_yaml_match(const char *file, yaml_document_t *document,
                          const cyaml_schema_value_t *schema, pal_err *err) {
    const yaml_node_t *root = yaml_document_get_root_node(document);
    if (root == NULL) {
        return pal_fail_at(err, PAL_ERR_INPUT, file, 0, "the file holds no scene");
    }
    matching m = {.file = file, .document = document, .err = err};
    return match(&m, root, "scene", schema);
}

// ---- finding

static const yaml_node_t *child(yaml_document_t *document, const yaml_node_t *node,
                                const char *name, size_t length) {
    if (node->type == YAML_SEQUENCE_NODE) {
        long i = strtol(name, NULL, 10);
        long count = node->data.sequence.items.top - node->data.sequence.items.start;
        return i < 0 || i >= count
                   ? NULL
                   : yaml_document_get_node(document, node->data.sequence.items.start[i]);
    }
    if (node->type == YAML_MAPPING_NODE) {
        const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
        for (; pair < node->data.mapping.pairs.top; pair++) {
            const char *key = text_of(yaml_document_get_node(document, pair->key));
            if (strlen(key) == length && strncmp(key, name, length) == 0) {
                return yaml_document_get_node(document, pair->value);
            }
        }
    }
    return NULL;
}

long pal_yaml_line(yaml_document_t *document, const char *path) {
    const yaml_node_t *node = yaml_document_get_root_node(document);
    long line = 0;
    while (node != NULL) {
        line = line_of(node);
        if (*path == '\0') {
            break;
        }
        size_t length = strcspn(path, ".");
        node = child(document, node, path, length);
        path += length + (path[length] == '.');
    }
    return line;
}

// ---- hashing

static bool is_in(const char *const *list, const char *key) {
    while (list != NULL && *list != NULL && strcmp(*list, key) != 0) {
        list++;
    }
    return list != NULL && *list != NULL;
}

static void hash_node(yaml_document_t *document, const yaml_node_t *node,
                      const char *const *skipped, pal_hash *hash) {
    char type = (char)node->type;
    pal_hash_update(hash, &type, 1);
    if (node->type == YAML_SCALAR_NODE) {
        pal_hash_update_string(hash, text_of(node));
    } else if (node->type == YAML_SEQUENCE_NODE) {
        const yaml_node_item_t *item = node->data.sequence.items.start;
        for (; item < node->data.sequence.items.top; item++) {
            hash_node(document, yaml_document_get_node(document, *item), NULL, hash);
        }
    } else if (node->type == YAML_MAPPING_NODE) {
        const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
        for (; pair < node->data.mapping.pairs.top; pair++) {
            const yaml_node_t *key = yaml_document_get_node(document, pair->key);
            if (!is_in(skipped, text_of(key))) {
                hash_node(document, key, NULL, hash);
                hash_node(document, yaml_document_get_node(document, pair->value), NULL, hash);
            }
        }
    }
    type = 0;
    pal_hash_update(hash, &type, 1);
}

void pal_yaml_hash(yaml_document_t *document, const char *const *skipped, pal_hash *hash) {
    const yaml_node_t *root = yaml_document_get_root_node(document);
    if (root != NULL) {
        hash_node(document, root, skipped, hash);
    }
}

void pal_yaml_print_quoted(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '\n') {
            fputs("\\n", out);
        } else {
            fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
        }
    }
    fputc('"', out);
}
