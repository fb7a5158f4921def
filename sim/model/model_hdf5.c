#include "sim/model/model_hdf5.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "sim/contact/local_build.h"
#include "sim/model/archive.h"
#include "sim/model/model_fields.h"

static const pal_archive_kind kind = {
    .title = "palpate model",
    .version = PAL_MODEL_VERSION,
    .about = "a reduced St. Venant-Kirchhoff body, made by palpate; SI units; arrays row by row, "
             "indices from 0"};

const pal_archive_kind *pal_model_kind(void) {
    return &kind;
}

// ---- Writing ----

static pal_status walk(void *model, pal_field_visit *visit, void *context, pal_err *err) {
    pal_status status = pal_model_visit_sizes(model, visit, context, err);
    return status == PAL_OK ? pal_model_visit_content(model, visit, context, err) : status;
}

pal_status pal_model_image(const char *name, pal_model *model, char **data, size_t *size,
                           pal_err *err) {
    *data = NULL;
    *size = 0;
    pal_status status = pal_model_check(model, name, PAL_MODEL_SOFT, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_model_hash(model, model->hash);
    const pal_archive_marks marks = {model->hash, model->key};
    return pal_archive_image(name, &kind, pal_model_bytes(model), &marks, walk, model, data, size,
                             err);
}

pal_status pal_model_write(const char *path, pal_model *model, pal_err *err) {
    char *data = NULL;
    size_t size = 0;
    pal_status status = pal_model_image(path, model, &data, &size, err);
    if (status == PAL_OK) {
        status = pal_file_write_atomic(path, data, size, err);
    }
    free(data);
    return status;
}

// ---- Reading ----

// Memory for a model whose sizes have been read.
pal_status pal_model_make_room(pal_model *model, pal_err *err) {
    const pal_volmesh mesh = model->mesh;
    pal_surface surface = model->surface;
    memset(&model->surface, 0, sizeof model->surface);
    pal_status status = pal_volmesh_alloc(&model->mesh, mesh.kind, mesh.vertex_count,
                                          mesh.element_count, mesh.region_count, err);
    if (status == PAL_OK) {
        status =
            pal_surface_alloc(&model->surface, surface.vertex_count, surface.triangle_count, err);
    }
    if (status != PAL_OK) {
        return status;
    }
    pal_embedding *embedding = &model->embedding;
    int64_t carriers = (int64_t)surface.vertex_count * (int)mesh.kind;
    embedding->point_count = surface.vertex_count;
    embedding->nodes = (int32_t)mesh.kind;
    embedding->vertex = PAL_NEW(int32_t, carriers, err);
    embedding->weight = PAL_NEW(double, carriers, err);
    if (embedding->vertex == NULL || embedding->weight == NULL) {
        return PAL_ERR_MEMORY;
    }
    // whole, unless the file says otherwise: pal_volmesh_settle_share after it has been read
    model->mesh.share = PAL_NEW(double, mesh.element_count, err);
    if (model->mesh.share == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t e = 0; e < mesh.element_count; e++) {
        model->mesh.share[e] = 1.0;
    }
    model->region_count = mesh.region_count;
    return pal_model_alloc(model, err);
}

static pal_status read_all(void *object, pal_archive *a, pal_err *err) {
    pal_model *model = object;
    const char *name = pal_archive_name(a);
    pal_status status = pal_model_visit_sizes(model, pal_archive_take, a, err);
    if (status == PAL_OK) {
        status = pal_model_check_sizes(model, name, PAL_MODEL_SOFT, err);
    }
    if (status == PAL_OK) {
        status = pal_archive_check_room(a, pal_model_bytes(model), err);
    }
    if (status == PAL_OK) {
        status = pal_model_make_room(model, err);
    }
    if (status == PAL_OK) {
        status = pal_model_visit_content(model, pal_archive_take, a, err);
    }
    if (status == PAL_OK) {
        pal_volmesh_settle_share(&model->mesh);
        status = pal_model_check(model, name, PAL_MODEL_SOFT, err);
    }
    if (status == PAL_OK) {
        pal_local_index(&model->local);
        pal_model_hash(model, model->hash);
        pal_archive_take_key(a, model->key);
    }
    return status == PAL_OK ? pal_archive_check_hash(a, model->hash, err) : status;
}

pal_status pal_model_parse(const char *name, const void *data, size_t size, pal_model *model,
                           pal_err *err) {
    memset(model, 0, sizeof *model);
    pal_status status = pal_archive_open(name, &kind, data, size, read_all, model, err);
    if (status != PAL_OK) {
        pal_model_free(model);
    }
    return status;
}

pal_status pal_model_read(const char *path, pal_model *model, pal_err *err) {
    memset(model, 0, sizeof *model);
    pal_file_view file;
    pal_status status = pal_file_view_open(path, &file, err);
    if (status == PAL_OK) {
        status = pal_model_parse(path, file.data, file.size, model, err);
    }
    pal_file_view_close(&file);
    return status;
}

bool pal_model_is_path(const char *path) {
    size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".h5") == 0;
}
