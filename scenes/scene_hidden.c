// What is hidden in a body: a ball whose centre lies somewhere in a box, by a seed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/checking.h"
#include "scenes/yaml_patch.h"
#include "scenes/yaml_text.h"
#include "sim/base/rng.h"

enum { DEFAULT_SEED = 1, HIDING = 77 }; // the stream of random numbers, apart from the hand's

static pal_status check_name(const pal_checking *c, const pal_scene_hidden *from) {
    static const char key[] = "body.hidden.name";
    const pal_scene_file_body *body = c->scene->file->body;
    if (strlen(from->name) >= PAL_REGION_NAME) {
        return pal_check_fail(c, key, "longer than %d characters", PAL_REGION_NAME - 1);
    }
    for (uint32_t i = 0; i < body->regions_count; i++) {
        if (strcmp(body->regions[i].name, from->name) == 0) {
            return pal_check_fail(c, key, "'%s' is the name of a region", from->name);
        }
    }
    return PAL_OK;
}

static pal_status check_box(const pal_checking *c, const pal_scene_hidden *from,
                            pal_hidden *hidden) {
    pal_status status = PAL_OK;
    for (int k = 0; status == PAL_OK && k < 3; k++) {
        status =
            pal_check_quantity(c, "body.hidden.low", from->low[k], PAL_LENGTH, &hidden->low[k]);
        if (status == PAL_OK) {
            status = pal_check_quantity(c, "body.hidden.high", from->high[k], PAL_LENGTH,
                                        &hidden->high[k]);
        }
        if (status == PAL_OK && hidden->high[k] < hidden->low[k]) {
            status = pal_check_fail(c, "body.hidden.high", "%s is below %s, the %c of low",
                                    from->high[k], from->low[k], "xyz"[k]);
        }
    }
    return status;
}

pal_status pal_scene_check_hidden(const pal_checking *c) {
    pal_scene_hidden *from = c->scene->file->body->hidden;
    pal_hidden *hidden = &c->scene->hidden;
    double diameter = 0.0;
    pal_status status = check_name(c, from);
    if (status == PAL_OK) {
        status = pal_check_amount(c, "body.hidden.diameter", from->diameter, PAL_LENGTH, true,
                                  &diameter);
    }
    if (status == PAL_OK) {
        status = check_box(c, from, hidden);
    }
    if (status == PAL_OK && from->seed != NULL) {
        status = pal_check_range(c, "body.hidden.seed", *from->seed, 0, INT32_MAX);
    }
    if (status == PAL_OK) {
        status = pal_check_material(c, "body.hidden.material", &from->material);
    }
    if (status != PAL_OK) {
        return status;
    }
    snprintf(hidden->name, sizeof hidden->name, "%s", from->name);
    hidden->radius = 0.5 * diameter;
    hidden->material = from->material.si;
    hidden->seed = from->seed != NULL ? (uint64_t)*from->seed : DEFAULT_SEED;
    pal_rng rng = pal_rng_make(hidden->seed, HIDING);
    for (int k = 0; k < 3; k++) {
        hidden->place[k] = pal_rng_uniform(&rng, hidden->low[k], hidden->high[k]);
    }
    return PAL_OK;
}

pal_status pal_scene_hide(pal_scene *scene, long seed, pal_err *err) {
    if (scene->hidden.name[0] == '\0') {
        return pal_fail(err, PAL_ERR_USAGE,
                        "the scene '%.100s' hides nothing: it has no body.hidden (the scene "
                        "nodule has one)",
                        scene->name);
    }
    yaml_document_t document;
    pal_status status =
        pal_yaml_load(scene->path, scene->text, strlen(scene->text), &document, err);
    if (status != PAL_OK) {
        return status;
    }
    char number[32];
    snprintf(number, sizeof number, "%ld", seed);
    pal_yaml_patch patch;
    pal_yaml_patch_begin(&patch, scene->text, strlen(scene->text), &document);
    status = pal_yaml_patch_set(&patch, "body.hidden.seed", number, err);
    size_t size = 0;
    char *text = status == PAL_OK ? pal_yaml_patch_apply(&patch, &size, err) : NULL;
    status = status == PAL_OK && text == NULL ? PAL_ERR_MEMORY : status;
    pal_scene changed;
    if (status == PAL_OK) {
        status = pal_scene_parse(scene->path, text, size, &changed, err);
    }
    if (status == PAL_OK) {
        pal_scene_free(scene);
        *scene = changed;
    }
    free(text);
    pal_yaml_patch_end(&patch);
    yaml_document_delete(&document);
    return status;
}
