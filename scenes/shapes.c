#include "scenes/shapes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scenes/polygonize.h"

// The cells give about the triangle counts of [BJ05 table 1].
static const pal_figure shapes[] = {
    {"block", "a block of tissue with rounded edges", pal_shape_draw_block, 2.0},
    {"bridge", "a bowstring bridge: deck, two arches, hangers, railings", pal_shape_draw_bridge,
     0.54},
    {"heart", "a heart with its ventricles and great vessels", pal_shape_draw_heart, 1.07},
    {"hook", "a probe with a bent tip: a tool", pal_shape_draw_hook, 0.7},
    {"liver", "a liver: a large right lobe that thins out to the left", pal_shape_draw_liver, 2.4},
    {"spoon", "a spoon: bowl, neck and a handle that widens", pal_shape_draw_spoon, 0.8},
    {"strip", "a flat strip with rounded edges", pal_shape_draw_strip, 2.0},
    {"tower", "an iron lattice tower on four legs", pal_shape_draw_tower, 0.5},
};

const pal_figure *pal_shape_at(int index) {
    int count = (int)(sizeof shapes / sizeof shapes[0]);
    return index >= 0 && index < count ? &shapes[index] : NULL;
}

const pal_figure *pal_shape_find(const char *name, pal_err *err) {
    char known[256] = "";
    const pal_figure *shape;
    for (int i = 0; (shape = pal_shape_at(i)) != NULL; i++) {
        if (strcmp(shape->name, name) == 0) {
            return shape;
        }
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", shape->name);
    }
    pal_fail(err, PAL_ERR_INPUT, "unknown shape '%.64s'; known shapes: %s", name, known);
    return NULL;
}

// Moves the box to the origin and scales its longest side to `size`.
static void place(pal_surface *surface, double size) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t k = 0; k < 3 * (int64_t)surface->vertex_count; k++) {
        low[k % 3] = fmin(low[k % 3], surface->x[k]);
        high[k % 3] = fmax(high[k % 3], surface->x[k]);
    }
    double longest = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
    for (int64_t k = 0; k < 3 * (int64_t)surface->vertex_count; k++) {
        surface->x[k] = (surface->x[k] - low[k % 3]) * (size / longest);
    }
}

pal_status pal_shape_make(const char *name, double size, pal_surface *surface, pal_err *err) {
    memset(surface, 0, sizeof *surface);
    const pal_figure *shape = pal_shape_find(name, err);
    if (shape == NULL) {
        return PAL_ERR_INPUT;
    }
    pal_solid solid = {.err = err};
    shape->draw(&solid);
    pal_status status = pal_polygonize(&solid, shape->cell, surface, err);
    pal_solid_free(&solid);
    if (status == PAL_OK) {
        place(surface, size);
    }
    return status;
}
