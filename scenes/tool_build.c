#include "scenes/tool_build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "scenes/scene_file.h"
#include "scenes/shapes.h"
#include "sim/base/private.h"

// ---- surfaces

// Turns (x, y, z) to (z, y, -x), with the foremost point at the origin.
static void point_forward(pal_surface *surface) {
    int32_t front = 0;
    for (int32_t v = 1; v < surface->vertex_count; v++) {
        front = surface->x[3 * (int64_t)v] > surface->x[3 * (int64_t)front] ? v : front;
    }
    double tip[3];
    memcpy(tip, surface->x + 3 * (int64_t)front, sizeof tip);
    for (int32_t v = 0; v < surface->vertex_count; v++) {
        double *x = surface->x + 3 * (int64_t)v;
        const double from[3] = {x[0] - tip[0], x[1] - tip[1], x[2] - tip[2]};
        x[0] = from[2];
        x[1] = from[1];
        x[2] = -from[0];
    }
}

static pal_status make_surface(const pal_tool_spec *spec, pal_surface *surface, pal_err *err) {
    pal_status status;
    if (spec->kind == PAL_TOOL_MESH) {
        status = pal_surface_read(spec->path, surface, err);
        if (status == PAL_OK) {
            pal_surface_scale(surface, spec->scale);
        }
        return status;
    }
    status = pal_shape_make(spec->drawn, spec->size, surface, err);
    if (status == PAL_OK) {
        point_forward(surface);
    }
    return status;
}

// Half of what the surface takes across z.
static double half_width(const pal_surface *surface) {
    double width = 0.0;
    for (int c = 0; c < 2; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int32_t v = 0; v < surface->vertex_count; v++) {
            low = fmin(low, surface->x[3 * (int64_t)v + c]);
            high = fmax(high, surface->x[3 * (int64_t)v + c]);
        }
        width = fmax(width, 0.5 * (high - low));
    }
    return width;
}

// ---- fields

// Everything that the field depends on.
static void field_key(const pal_surface *surface, const pal_distfield_spec *spec,
                      char key[PAL_HASH_TEXT]) {
    pal_hash hash;
    pal_hash_init(&hash);
    const int32_t sizes[4] = {PAL_DISTFIELD_VERSION, spec->cells, surface->vertex_count,
                              surface->triangle_count};
    const double lengths[2] = {spec->cell, spec->margin};
    pal_hash_update_string(&hash, "distance field");
    pal_hash_update(&hash, sizes, sizeof sizes);
    pal_hash_update(&hash, lengths, sizeof lengths);
    pal_hash_update(&hash, surface->x, 3 * (size_t)surface->vertex_count * sizeof(double));
    pal_hash_update(&hash, surface->triangle,
                    3 * (size_t)surface->triangle_count * sizeof(int32_t));
    pal_hash_text(&hash, key);
}

static pal_status load_field(const pal_surface *surface, const pal_distfield_spec *spec,
                             const pal_progress *progress, pal_tool_shape *tool, pal_err *err) {
    char key[PAL_HASH_TEXT], path[PAL_CACHE_PATH];
    pal_err trouble;
    field_key(surface, spec, key);
    const bool has_cache = pal_cache_path(key, "field", path, &trouble) == PAL_OK;
    if (has_cache && access(path, F_OK) == 0) {
        if (pal_private_check(path, &trouble) == PAL_OK &&
            pal_distfield_read(path, key, &tool->field, &trouble) == PAL_OK) {
            tool->cached = true;
            return PAL_OK;
        }
        pal_cache_say(tool->note, sizeof tool->note, "the cached field was made anew", &trouble);
    }
    pal_status status = pal_distfield_build(surface, spec, progress, &tool->field, err);
    if (status == PAL_OK &&
        (!has_cache || pal_distfield_write(path, key, &tool->field, &trouble) != PAL_OK)) {
        pal_cache_say(tool->note, sizeof tool->note, "the tool's field is not kept for next time",
                      &trouble);
    }
    return status;
}

static pal_status make_field(const pal_tool_spec *spec, double margin, const pal_progress *progress,
                             pal_tool_shape *tool, pal_err *err) {
    pal_surface *surface = &tool->surface;
    const pal_distfield_spec sampling = {.cells = spec->cells, .margin = margin};
    pal_status status = make_surface(spec, surface, err);
    status = status == PAL_OK ? load_field(surface, &sampling, progress, tool, err) : status;
    status = status == PAL_OK ? pal_shape_field(&tool->shape, &tool->field, err) : status;
    tool->width = status == PAL_OK ? half_width(surface) : 0.0;
    return spec->kind == PAL_TOOL_MESH ? pal_fail_in(err, status, spec->path) : status;
}

// ---- tools

pal_status pal_tool_shape_make(const pal_tool_spec *spec, double margin,
                               const pal_progress *progress, pal_tool_shape *tool, pal_err *err) {
    memset(tool, 0, sizeof *tool);
    pal_status status = PAL_OK;
    tool->width = spec->radius;
    switch (spec->kind) {
    case PAL_TOOL_SPHERE:
        status = pal_shape_sphere(&tool->shape, spec->radius, err);
        break;
    case PAL_TOOL_CAPSULE:
        status = pal_shape_capsule(&tool->shape, spec->radius, spec->length, err);
        break;
    case PAL_TOOL_CYLINDER:
        status = pal_shape_cylinder(&tool->shape, spec->radius, spec->length, spec->rounding, err);
        break;
    case PAL_TOOL_MESH:
    case PAL_TOOL_DRAWN:
        status = make_field(spec, margin, progress, tool, err);
        break;
    }
    if (status != PAL_OK) {
        pal_tool_shape_free(tool);
    }
    return status;
}

void pal_tool_shape_free(pal_tool_shape *tool) {
    pal_distfield_free(&tool->field);
    pal_surface_free(&tool->surface);
    memset(tool, 0, sizeof *tool);
}

// The key of the scene that a size comes from.
static const char *size_key(const pal_tool_spec *spec) {
    return spec->kind == PAL_TOOL_MESH    ? "tool.file"
           : spec->kind == PAL_TOOL_DRAWN ? "tool.size"
                                          : "tool.radius";
}

static pal_status check_width(const pal_tool_shape *tool, const pal_surface *body, pal_err *err) {
    pal_surface_quality quality;
    pal_status status = pal_surface_measure(body, &quality, err);
    double longest = 0.0;
    for (int c = 0; status == PAL_OK && c < 3; c++) {
        longest = fmax(longest, quality.box_max[c] - quality.box_min[c]);
    }
    return status != PAL_OK || 2.0 * tool->width < longest
               ? status
               : pal_fail(err, PAL_ERR_INPUT,
                          "the tool is %.4g mm wide, the body %.4g mm long; make the tool smaller "
                          "than what it touches",
                          2e3 * tool->width, 1e3 * longest);
}

pal_status pal_scene_tool_make(const pal_scene *scene, int32_t hand, const pal_surface *body,
                               double margin, const pal_progress *progress, pal_tool_shape *tool,
                               pal_err *err) {
    const pal_tool_spec *spec = &pal_scene_live_of(scene, hand)->tool;
    char key[64], prefix[32] = "";
    pal_err inner = {0};
    pal_status status = pal_tool_shape_make(spec, margin, progress, tool, &inner);
    if (status == PAL_OK && body != NULL) {
        status = check_width(tool, body, &inner);
    }
    if (status != PAL_OK) {
        pal_tool_shape_free(tool);
        if (scene->file->hands != NULL) {
            snprintf(prefix, sizeof prefix, "hands.%d.", (int)hand);
        }
        snprintf(key, sizeof key, "%s%s", prefix, size_key(spec));
        return status == PAL_ERR_MEMORY ? pal_fail(err, status, "%.900s", inner.text)
                                        : pal_scene_fail(scene, key, &inner, err);
    }
    return PAL_OK;
}
