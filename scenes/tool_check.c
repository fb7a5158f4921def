// The keys of `tool` that say what it is made of, and which of them go together.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/checking.h"
#include "scenes/shapes.h"

enum { LEAST_CELLS = 8, MOST_CELLS = 400, CELLS = 64 };

// The kind that the scene names; `radius` alone is a sphere.
static pal_status tool_kind(const pal_checking *c, const char *name, pal_tool_spec *tool) {
    static const char *const names[] = {"sphere", "capsule", "cylinder", "mesh"};
    for (int i = 0; i < 4; i++) {
        if (name == NULL || strcmp(name, names[i]) == 0) {
            tool->kind = (pal_tool_kind)i;
            return PAL_OK;
        }
    }
    pal_err inner;
    if (strlen(name) >= sizeof tool->drawn || pal_shape_find(name, &inner) == NULL) {
        char known[256] = "";
        for (int i = 0; pal_shape_at(i) != NULL; i++) {
            const size_t used = strlen(known);
            snprintf(known + used, sizeof known - used, ", %s", pal_shape_at(i)->name);
        }
        return pal_check_fail(c, "tool.shape",
                              "unknown tool '%.40s'; write one of: sphere, capsule, cylinder, "
                              "mesh%s",
                              name, known);
    }
    tool->kind = PAL_TOOL_DRAWN;
    snprintf(tool->drawn, sizeof tool->drawn, "%s", name);
    return PAL_OK;
}

// Each key that is there must be one that the kind takes; each that it needs must be there.
static pal_status check_keys(const pal_checking *c, const pal_scene_tool *from,
                             pal_tool_kind kind) {
    enum { S = 1, C = 2, Y = 4, M = 8, D = 16 }; // the kinds, in their order
    const struct {
        const char *key;
        const void *value;
        int taken, needed;
        const char *example;
    } keys[] = {
        {"tool.radius", from->radius, S | C | Y, C | Y, "radius: 3 mm"},
        {"tool.length", from->length, C | Y, C | Y, "length: 10 cm"},
        {"tool.rounding", from->rounding, Y, 0, ""},
        {"tool.size", from->size, D, D, "size: 8 cm"},
        {"tool.file", from->file, M, M, "file: tool.stl"},
        {"tool.scale", from->scale, M, 0, ""},
        {"tool.cells", from->cells, M | D, 0, ""},
    };
    const int bit = 1 << kind;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *word = keys[i].key + strlen("tool.");
        if (keys[i].value != NULL && (keys[i].taken & bit) == 0) {
            return pal_check_fail(c, keys[i].key, "this tool has no %s; remove the key", word);
        }
        if (keys[i].value == NULL && (keys[i].needed & bit) != 0) {
            return pal_check_fail(c, "tool", "'%s' is missing, such as %s", word, keys[i].example);
        }
    }
    return PAL_OK;
}

static pal_status check_sizes(const pal_checking *c, const pal_scene_tool *from,
                              pal_tool_spec *tool) {
    tool->radius = 0.005;
    pal_status status =
        pal_check_amount(c, "tool.radius", from->radius, PAL_LENGTH, true, &tool->radius);
    if (status == PAL_OK) {
        status = pal_check_amount(c, "tool.length", from->length, PAL_LENGTH, true, &tool->length);
    }
    if (status == PAL_OK) {
        status = pal_check_amount(c, "tool.size", from->size, PAL_LENGTH, true, &tool->size);
    }
    if (status == PAL_OK && tool->kind == PAL_TOOL_CYLINDER) {
        const double most = tool->radius < 0.5 * tool->length ? tool->radius : 0.5 * tool->length;
        tool->rounding = 0.25 * tool->radius < most ? 0.25 * tool->radius : most;
        status =
            pal_check_amount(c, "tool.rounding", from->rounding, PAL_LENGTH, true, &tool->rounding);
        if (status == PAL_OK && tool->rounding > most) {
            status = pal_check_fail(c, "tool.rounding",
                                    "does not fit: it is at most the radius and half the length, "
                                    "%g mm",
                                    1e3 * most);
        }
    }
    return status;
}

pal_status pal_scene_check_tool(const pal_checking *c) {
    static const pal_scene_tool none = {0};
    const pal_scene_file *file = c->scene->file;
    const pal_scene_tool *from = file->tool != NULL ? file->tool : &none;
    pal_tool_spec *tool = &c->scene->live.tool;
    pal_status status = tool_kind(c, from->shape, tool);
    status = status == PAL_OK ? check_keys(c, from, tool->kind) : status;
    status = status == PAL_OK ? check_sizes(c, from, tool) : status;
    tool->cells = from->cells != NULL ? *from->cells : CELLS;
    tool->scale = from->scale != NULL ? *from->scale : 1.0;
    if (status == PAL_OK) {
        status = pal_check_range(c, "tool.cells", tool->cells, LEAST_CELLS, MOST_CELLS);
    }
    if (status == PAL_OK && !(tool->scale > 0.0)) {
        status = pal_check_fail(c, "tool.scale", "must be above 0");
    }
    if (status == PAL_OK && tool->kind == PAL_TOOL_MESH) {
        status = pal_check_file(c, "tool.file", from->file);
        tool->path = status == PAL_OK ? pal_scene_file_path(c->scene, from->file, c->err) : NULL;
        status = status == PAL_OK && tool->path == NULL ? PAL_ERR_MEMORY : status;
    }
    c->scene->live.tool_radius = tool->radius;
    return status;
}
