#include "sim/model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/contact/local_build.h"
#include "sim/mesh/embed_build.h"
#include "sim/reduced/quartic_build.h"

static pal_status alloc_region(pal_model_region *region, int32_t r, pal_err *err) {
    pal_status status = pal_quartic_alloc(&region->per_lambda, r, err);
    if (status == PAL_OK) {
        status = pal_quartic_alloc(&region->per_mu, r, err);
    }
    if (status == PAL_OK) {
        region->per_density = PAL_NEW(double, pal_pairs(r), err);
        status = region->per_density ? PAL_OK : PAL_ERR_MEMORY;
    }
    return status;
}

// Frees what pal_model_alloc makes.
static void free_made(pal_model *model) {
    for (int32_t g = 0; model->region && g < model->region_count; g++) {
        pal_quartic_free(&model->region[g].per_lambda);
        pal_quartic_free(&model->region[g].per_mu);
        free(model->region[g].per_density);
    }
    pal_quartic_free(&model->quartic);
    pal_local_free(&model->local);
    free(model->region);
    free(model->held);
    free(model->basis);
    free(model->frequencies_hz);
    model->region = NULL;
    model->held = NULL;
    model->basis = NULL;
    model->frequencies_hz = NULL;
}

pal_status pal_model_alloc(pal_model *model, pal_err *err) {
    size_t vertices = (size_t)model->mesh.vertex_count;
    model->held = PAL_NEW(uint8_t, vertices, err);
    model->basis = PAL_NEW(double, 3 * vertices * (size_t)model->r, err);
    model->frequencies_hz = PAL_NEW(double, model->mode_count, err);
    model->region = PAL_NEW(pal_model_region, model->region_count, err);
    pal_status status = pal_quartic_alloc(&model->quartic, model->r, err);
    if (!model->held || !model->basis || !model->frequencies_hz || !model->region) {
        status = PAL_ERR_MEMORY;
    }
    if (status == PAL_OK) {
        int32_t way = model->local.way;
        double radius = model->local.radius;
        status = pal_local_alloc(&model->local, model->mesh.vertex_count, model->local.row_count,
                                 model->local.block_count, err);
        model->local.way = way;
        model->local.radius = radius;
    }
    for (int32_t g = 0; status == PAL_OK && g < model->region_count; g++) {
        status = alloc_region(&model->region[g], model->r, err);
    }
    if (status != PAL_OK) {
        free_made(model);
    }
    return status;
}

void pal_model_free(pal_model *model) {
    free_made(model);
    pal_volmesh_free(&model->mesh);
    pal_surface_free(&model->surface);
    pal_embedding_free(&model->embedding);
    free(model->name);
    free(model->scene_text);
    memset(model, 0, sizeof *model);
}

int32_t pal_model_find_region(const pal_model *model, const char *name, pal_err *err) {
    char list[512] = "";
    for (int32_t g = 0; g < model->region_count; g++) {
        if (strcmp(model->region[g].name, name) == 0) {
            return g;
        }
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", g > 0 ? ", " : "", model->region[g].name);
    }
    pal_fail(err, PAL_ERR_INPUT, "the body has no region '%.63s'; its regions: %s", name, list);
    return -1;
}
