// Places that a scene names by its surface: its landmarks, and what stands where a list of three
// lengths could: 'near:(x, y, z)', 'surface:x, y', a landmark. Before libcyaml reads the text each
// of them becomes such a list: the place itself where there is a surface, about the place until
// then.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/point.h"
#include "scenes/scene_file.h"
#include "scenes/units.h"
#include "scenes/yaml_patch.h"
#include "scenes/yaml_text.h"
#include "sim/base/memory.h"

enum { PATH_SIZE = 160, LIST_SIZE = 160 };

typedef struct spelling {
    pal_scene *scene;
    yaml_document_t *document;
    const pal_point_ground *ground; // NULL: none yet
    pal_yaml_patch patch;
    pal_err *err;
} spelling;

static const yaml_node_t *node_of(const spelling *s, int index) {
    return yaml_document_get_node(s->document, index);
}

static const char *text_of(const yaml_node_t *node) {
    return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : "";
}

static pal_status fail(const spelling *s, const yaml_node_t *node, const char *key,
                       const pal_err *inner) {
    return pal_fail_at(s->err, inner->status, s->scene->path, (long)node->start_mark.line + 1,
                       "%s: %.700s", key, inner->text);
}

// ---- landmarks

// A list of three lengths, or text.
static pal_status read_point(const spelling *s, const char *key, const yaml_node_t *node,
                             pal_point *point) {
    pal_err inner;
    pal_status status = PAL_OK;
    if (node->type == YAML_SCALAR_NODE) {
        status = pal_point_parse(text_of(node), &s->scene->landmarks, point, &inner);
        return status == PAL_OK ? PAL_OK : fail(s, node, key, &inner);
    }
    const yaml_node_item_t *item = node->data.sequence.items.start;
    *point = (pal_point){.kind = PAL_POINT_PLAIN};
    if (node->type != YAML_SEQUENCE_NODE || node->data.sequence.items.top - item != 3) {
        pal_fail(&inner, PAL_ERR_INPUT,
                 "a landmark is a place: [0.1 m, 0.2 m, 0.05 m], 'near:(0.1, 0.2, 0.05)' or "
                 "'surface:0.1, 0.2'");
        return fail(s, node, key, &inner);
    }
    for (int k = 0; status == PAL_OK && k < 3; k++) {
        status = pal_quantity_parse(text_of(node_of(s, item[k])), PAL_LENGTH, &point->x[k], &inner);
    }
    return status == PAL_OK ? PAL_OK : fail(s, node, key, &inner);
}

static pal_status add_landmark(const spelling *s, const yaml_node_t *name,
                               const yaml_node_t *value) {
    pal_landmarks *all = &s->scene->landmarks;
    pal_err inner;
    pal_status status = pal_landmark_check(text_of(name), &inner);
    for (int32_t i = 0; status == PAL_OK && i < all->count; i++) {
        if (strcmp(all->item[i].name, text_of(name)) == 0) {
            status = pal_fail(&inner, PAL_ERR_INPUT, "'%s' is there twice; remove one",
                              all->item[i].name);
        }
    }
    if (status != PAL_OK) {
        return fail(s, name, "landmarks", &inner);
    }
    pal_landmark *mark = &all->item[all->count];
    status = read_point(s, text_of(name), value, &mark->point);
    if (status == PAL_OK) { // from here on it is known, so that the next ones can build on it
        snprintf(mark->name, sizeof mark->name, "%s", text_of(name));
        all->count++;
    }
    return status;
}

static pal_status read_landmarks(const spelling *s, const yaml_node_t *node) {
    pal_err inner;
    if (node->type != YAML_MAPPING_NODE) {
        pal_fail(&inner, PAL_ERR_INPUT,
                 "takes names with places, such as {porta: 'near:(0.1, 0.2, 0.05)'}");
        return fail(s, node, "landmarks", &inner);
    }
    const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
    const ptrdiff_t count = node->data.mapping.pairs.top - pair;
    pal_status status = PAL_OK;
    s->scene->landmarks.item = PAL_NEW(pal_landmark, (size_t)count + 1, s->err);
    if (s->scene->landmarks.item == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (; status == PAL_OK && pair < node->data.mapping.pairs.top; pair++) {
        status = add_landmark(s, node_of(s, pair->key), node_of(s, pair->value));
    }
    return status;
}

// ---- values as lists

static pal_status set(spelling *s, const char *path, const double x[3], const char *unit) {
    char list[LIST_SIZE];
    snprintf(list, sizeof list, "[%.17g %s, %.17g %s, %.17g %s]", x[0], unit, x[1], unit, x[2],
             unit);
    return pal_yaml_patch_set(&s->patch, path, list, s->err);
}

static pal_status spell_place(spelling *s, const char *path, const char *key,
                              const yaml_node_t *node) {
    pal_point point;
    pal_point_found found;
    pal_err inner;
    pal_status status = read_point(s, key, node, &point);
    if (status != PAL_OK) {
        return status;
    }
    if (s->ground == NULL) {
        s->scene->unsettled = s->scene->unsettled || point.kind != PAL_POINT_PLAIN;
        pal_point_guess(&point, found.x);
    } else {
        status = pal_point_find(&point, s->ground, &found, &inner);
    }
    return status == PAL_OK ? set(s, path, found.x, "m") : fail(s, node, key, &inner);
}

// One amount, downwards.
static pal_status spell_down(spelling *s, const char *path, const char *key,
                             const yaml_node_t *node) {
    double amount, x[3] = {0.0, 0.0, 0.0};
    pal_err inner;
    if (pal_quantity_parse(text_of(node), PAL_ACCELERATION, &amount, &inner) != PAL_OK) {
        return fail(s, node, key, &inner);
    }
    x[pal_up_axis(s->scene->up)] = -pal_up_sign(s->scene->up) * amount;
    return set(s, path, x, "m/s2");
}

static pal_status visit(spelling *s, const char *path, const char *key, const yaml_node_t *node,
                        const cyaml_schema_value_t *schema);

static pal_status visit_mapping(spelling *s, const char *path, const yaml_node_t *node,
                                const cyaml_schema_field_t *fields) {
    char below[PATH_SIZE];
    pal_status status = PAL_OK;
    const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
    for (; status == PAL_OK && pair < node->data.mapping.pairs.top; pair++) {
        const char *key = text_of(node_of(s, pair->key));
        int i = 0;
        while (fields[i].key != NULL && strcmp(fields[i].key, key) != 0) {
            i++;
        }
        if (fields[i].key != NULL) {
            snprintf(below, sizeof below, "%s%s%s", path, path[0] != '\0' ? "." : "", key);
            status = visit(s, below, key, node_of(s, pair->value), &fields[i].value);
        }
    }
    return status;
}

static pal_status visit(spelling *s, const char *path, const char *key, const yaml_node_t *node,
                        const cyaml_schema_value_t *schema) {
    const bool list = schema->type == CYAML_SEQUENCE || schema->type == CYAML_SEQUENCE_FIXED;
    char below[PATH_SIZE];
    pal_status status = PAL_OK;
    if (schema->type == CYAML_MAPPING && node->type == YAML_MAPPING_NODE) {
        return visit_mapping(s, path, node, schema->mapping.fields);
    }
    if (list && node->type == YAML_SCALAR_NODE) {
        return schema->sequence.entry == &pal_yaml_place_entry  ? spell_place(s, path, key, node)
               : schema->sequence.entry == &pal_yaml_down_entry ? spell_down(s, path, key, node)
                                                                : PAL_OK;
    }
    if (list && node->type == YAML_SEQUENCE_NODE) {
        const yaml_node_item_t *start = node->data.sequence.items.start;
        for (long k = 0; status == PAL_OK && k < node->data.sequence.items.top - start; k++) {
            snprintf(below, sizeof below, "%s.%ld", path, k);
            status = visit(s, below, key, node_of(s, start[k]), schema->sequence.entry);
        }
    }
    return status;
}

// ---- together

static const yaml_node_t *value_of(const spelling *s, const char *key) {
    return pal_yaml_patch_node(&s->patch, key);
}

static void read_up(spelling *s) {
    const yaml_node_t *node = value_of(s, "up");
    for (int up = 0; node != NULL && up < PAL_UP_COUNT; up++) {
        if (strcmp(text_of(node), pal_up_name((pal_up)up)) == 0) {
            s->scene->up = (pal_up)up;
        }
    }
    s->scene->landmarks.up = s->scene->up;
}

pal_status pal_scene_spell(pal_scene *scene, yaml_document_t *document,
                           const pal_point_ground *ground, char **text, size_t *size,
                           pal_err *err) {
    spelling s = {.scene = scene, .document = document, .ground = ground, .err = err};
    pal_status status = PAL_OK;
    *text = NULL;
    pal_yaml_patch_begin(&s.patch, scene->text, strlen(scene->text), document);
    read_up(&s);
    if (value_of(&s, "landmarks") != NULL) {
        status = read_landmarks(&s, value_of(&s, "landmarks"));
    }
    if (status == PAL_OK) {
        status = visit(&s, "", "scene", yaml_document_get_root_node(document), &pal_scene_schema);
    }
    if (status == PAL_OK) {
        *text = pal_yaml_patch_apply(&s.patch, size, err);
        status = *text != NULL ? PAL_OK : PAL_ERR_MEMORY;
    }
    pal_yaml_patch_end(&s.patch);
    return status;
}
