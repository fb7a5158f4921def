// The list of surfaces: how the body feels, all of it or region by region.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scenes/checking.h"
#include "sim/base/memory.h"

// What a rule does not name stays what it is.
#define NOTHING                                                                                    \
    ((pal_surface_law){.static_friction = NAN,                                                     \
                       .dynamic_friction = NAN,                                                    \
                       .stick_speed = NAN,                                                         \
                       .stiffness = NAN,                                                           \
                       .damping = NAN,                                                             \
                       .adhesion = NAN,                                                            \
                       .texture_height = NAN,                                                      \
                       .texture_length = NAN})

static pal_status ratio(const pal_checking *c, const char *path, const double *given,
                        double *value) {
    if (given == NULL) {
        return PAL_OK;
    }
    *value = *given;
    return isfinite(*given) ? pal_check_not_negative(c, path, *given)
                            : pal_check_fail(c, path, "must be a finite number");
}

// One friction is both; two are in order.
static pal_status check_friction(const pal_checking *c, const char *path,
                                 const pal_scene_surface *from, pal_surface_law *law) {
    char key[96];
    snprintf(key, sizeof key, "%s.friction", path);
    pal_status status = ratio(c, key, from->friction, &law->dynamic_friction);
    snprintf(key, sizeof key, "%s.static_friction", path);
    law->static_friction = law->dynamic_friction;
    if (status == PAL_OK) {
        status = ratio(c, key, from->static_friction, &law->static_friction);
    }
    if (status == PAL_OK && from->static_friction != NULL && from->friction == NULL) {
        return pal_check_fail(c, key, "give friction, too: the one while it slides");
    }
    if (status == PAL_OK && law->static_friction < law->dynamic_friction) {
        return pal_check_fail(c, key, "%g is below the friction while it slides, %g",
                              law->static_friction, law->dynamic_friction);
    }
    return status;
}

static pal_status check_surface(const pal_checking *c, uint32_t index,
                                const pal_scene_surface *from, pal_surface_rule *rule) {
    static const pal_scene_texture none = {0};
    const pal_scene_texture *texture = from->texture != NULL ? from->texture : &none;
    pal_surface_law *law = &rule->law;
    const struct {
        const char *key, *text;
        pal_dimension dimension;
        bool positive;
        double *value;
    } all[] = {
        {"stick_speed", from->stick_speed, PAL_SPEED, false, &law->stick_speed},
        {"stiffness", from->stiffness, PAL_LAYER_STIFFNESS, true, &law->stiffness},
        {"damping", from->damping, PAL_LAYER_DAMPING, false, &law->damping},
        {"adhesion", from->adhesion, PAL_PRESSURE, false, &law->adhesion},
        {"texture.height", texture->height, PAL_LENGTH, false, &law->texture_height},
        {"texture.length", texture->length, PAL_LENGTH, true, &law->texture_length},
    };
    char path[64], key[96];
    snprintf(path, sizeof path, "surfaces.%u", index);
    *rule = (pal_surface_rule){.law = NOTHING};
    if (from->region != NULL && strlen(from->region) >= sizeof rule->region) {
        return pal_check_fail(c, path, "the name of the region is too long");
    }
    snprintf(rule->region, sizeof rule->region, "%s", from->region != NULL ? from->region : "");
    pal_status status = check_friction(c, path, from, law);
    for (size_t i = 0; status == PAL_OK && i < sizeof all / sizeof *all; i++) {
        snprintf(key, sizeof key, "%s.%s", path, all[i].key);
        status =
            pal_check_amount(c, key, all[i].text, all[i].dimension, all[i].positive, all[i].value);
    }
    return status;
}

pal_status pal_scene_check_surface_list(const pal_checking *c) {
    const pal_scene_file *file = c->scene->file;
    pal_scene_live *live = &c->scene->live;
    pal_status status =
        pal_check_range(c, "surfaces", file->surfaces_count, 0, PAL_SURFACE_LAWS - 1);
    if (status == PAL_OK && file->surfaces_count > 0 && file->wall != NULL) {
        return pal_check_fail(c, "surfaces", "a wall has a stiffness and a damping, no surface");
    }
    live->surface =
        status == PAL_OK ? PAL_NEW(pal_surface_rule, file->surfaces_count, c->err) : NULL;
    if (live->surface == NULL) {
        return status == PAL_OK ? PAL_ERR_MEMORY : status;
    }
    live->surface_count = (int32_t)file->surfaces_count;
    for (uint32_t i = 0; status == PAL_OK && i < file->surfaces_count; i++) {
        status = check_surface(c, i, &file->surfaces[i], &live->surface[i]);
    }
    return status;
}
