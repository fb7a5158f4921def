#include "sim/model/tree_hdf5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "sim/contact/local_build.h"
#include "sim/model/archive.h"
#include "sim/model/tree_fields.h"
#include "sim/model/tree_joint_fields.h"

static const pal_archive_kind kind = {
    .title = "palpate tree",
    .version = PAL_TREE_MODEL_VERSION,
    .about = "a tree of reduced St. Venant-Kirchhoff domains, made by palpate; SI units; arrays "
             "row by row, indices from 0"};

const pal_archive_kind *pal_tree_model_kind(void) {
    return &kind;
}

// ---- all fields

typedef struct tree_file { // a model and its instances as arrays
    pal_tree_model *model;
    pal_tree_arrays arrays;
    pal_joint_arrays joints;
} tree_file;

static void free_arrays(tree_file *file) {
    pal_tree_arrays_free(&file->arrays);
    pal_joint_arrays_free(&file->joints);
}

static pal_status walk_port_sizes(pal_tree_model *model, int32_t k, pal_field_visit *visit,
                                  void *context, pal_err *err) {
    const pal_domain_class *class_ = &model->class_[k];
    int32_t *count = PAL_NEW(int32_t, class_->port_count, err);
    if (count == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t p = 0; p < class_->port_count; p++) {
        count[p] = class_->port[p].vertex_count;
    }
    pal_status status = pal_tree_visit_port_sizes(model, k, count, visit, context, err);
    free(count);
    return status;
}

static pal_status walk(void *object, pal_field_visit *visit, void *context, pal_err *err) {
    tree_file *file = object;
    pal_tree_model *model = file->model;
    pal_status status = pal_tree_visit_counts(model, visit, context, err);
    for (int32_t k = 0; status == PAL_OK && k < model->class_count; k++) {
        status = pal_tree_visit_class_sizes(model, k, visit, context, err);
        if (status == PAL_OK) {
            status = walk_port_sizes(model, k, visit, context, err);
        }
        if (status == PAL_OK) {
            status = pal_tree_visit_class(model, k, visit, context, err);
        }
    }
    status =
        status == PAL_OK ? pal_tree_visit_tree(model, &file->arrays, visit, context, err) : status;
    status = status == PAL_OK ? pal_joint_visit_counts(&file->joints, visit, context, err) : status;
    if (status == PAL_OK) {
        status = pal_joint_visit_sizes(&file->joints, model->domain_count, visit, context, err);
    }
    return status == PAL_OK ? pal_joint_visit_content(&file->joints, visit, context, err) : status;
}

static pal_status hash_visit(void *context, const pal_field *field, pal_err *err) {
    (void)err;
    pal_field_hash(field, context);
    return PAL_OK;
}

static pal_status take_hash(tree_file *file, pal_err *err) {
    pal_hash hash;
    pal_hash_init(&hash);
    pal_status status = walk(file, hash_visit, &hash, err);
    pal_hash_text(&hash, file->model->hash);
    return status;
}

// ---- checks

static pal_status check_visit(void *context, const pal_field *field, pal_err *err) {
    return pal_field_check(field, *(const char **)context, err);
}

static double class_bytes(const pal_tree_model *model, int32_t k) {
    double r = model->class_[k].r;
    return pal_model_bytes(&model->body[k]) + 8.0 * (9.0 * r * r + 12.0 * r) +
           model->class_[k].port_count * 8.0 * (12.0 + 12.0 * r);
}

// Each class a sound model, and one that its domain fits; every number finite, every index in
// range.
static pal_status check_classes(pal_tree_model *model, const char *name, pal_err *err) {
    for (int32_t k = 0; k < model->class_count; k++) {
        char owner[512];
        const char *owner_text = owner;
        snprintf(owner, sizeof owner, "%.400s: class %d", name, (int)k);
        pal_status status = pal_model_check(&model->body[k], owner, PAL_MODEL_RIGID_TOO, err);
        if (status == PAL_OK && model->class_[k].r != model->body[k].r) {
            status = pal_fail(err, PAL_ERR_INPUT, "%s: its domain does not fit it", owner);
        }
        if (status == PAL_OK) {
            status = pal_tree_visit_class(model, k, check_visit, &owner_text, err);
        }
        if (status != PAL_OK) {
            return status;
        }
    }
    return PAL_OK;
}

static pal_status check_domains(tree_file *file, const char *name, pal_err *err) {
    const pal_tree_model *model = file->model;
    pal_status status = pal_tree_visit_tree(file->model, &file->arrays, check_visit, &name, err);
    for (int32_t i = 0; status == PAL_OK && i < model->domain_count; i++) {
        int32_t parent = file->arrays.above[i] - 1, port = file->arrays.port[i];
        bool hangs = i == 0 ? parent < 0 : parent >= 0 && parent < i;
        if (hangs && i > 0) {
            hangs = port < model->class_[file->arrays.kind[parent]].port_count;
        }
        if (!hangs || !(file->arrays.scale[i] > 0.0) || !(file->arrays.stiffness[i] > 0.0)) {
            status = pal_fail(err, PAL_ERR_INPUT, "%s: domain %d hangs nowhere", name, (int)i);
        }
    }
    return status;
}

// ---- writing

static pal_status make_image(tree_file *file, const char *name, char **data, size_t *size,
                             pal_err *err) {
    pal_tree_model *model = file->model;
    pal_tree_arrays_take(&file->arrays, model);
    pal_status status = check_classes(model, name, err);
    if (status == PAL_OK) {
        status = check_domains(file, name, err);
    }
    if (status == PAL_OK) {
        status = pal_joint_visit_content(&file->joints, check_visit, &name, err);
    }
    if (status == PAL_OK) {
        status = take_hash(file, err);
    }
    const pal_archive_marks marks = {model->hash, model->key};
    double bytes = 256.0 * model->domain_count + pal_joint_arrays_bytes(&file->joints);
    for (int32_t k = 0; k < model->class_count; k++) {
        bytes += class_bytes(model, k);
    }
    return status == PAL_OK
               ? pal_archive_image(name, &kind, bytes, &marks, walk, file, data, size, err)
               : status;
}

pal_status pal_tree_model_image(const char *name, pal_tree_model *model, char **data, size_t *size,
                                pal_err *err) {
    *data = NULL;
    *size = 0;
    tree_file file = {.model = model};
    pal_status status = pal_tree_arrays_alloc(&file.arrays, model->domain_count, err);
    if (status == PAL_OK) {
        status = pal_joint_arrays_take(&file.joints, model, err);
    }
    if (status == PAL_OK) {
        status = make_image(&file, name, data, size, err);
    }
    free_arrays(&file);
    return status;
}

pal_status pal_tree_model_write(const char *path, pal_tree_model *model, pal_err *err) {
    char *data = NULL;
    size_t size = 0;
    pal_status status = pal_tree_model_image(path, model, &data, &size, err);
    if (status == PAL_OK) {
        status = pal_file_write_atomic(path, data, size, err);
    }
    free(data);
    return status;
}

// ---- reading

// The sizes of a class, its memory, its content. *bytes: what has been counted so far.
static pal_status read_class(pal_tree_model *model, int32_t k, pal_archive *a, double *bytes,
                             pal_err *err) {
    pal_model *body = &model->body[k];
    pal_domain_class *class_ = &model->class_[k];
    pal_status status = pal_tree_visit_class_sizes(model, k, pal_archive_take, a, err);
    if (status == PAL_OK) {
        status = pal_model_check_sizes(body, pal_archive_name(a), PAL_MODEL_RIGID_TOO, err);
    }
    if (status != PAL_OK) {
        return status;
    }
    class_->r = body->r;
    int32_t ports = class_->port_count > 0 ? class_->port_count : 0;
    class_->port_count = ports;
    *bytes += class_bytes(model, k);
    status = pal_archive_check_room(a, *bytes, err);
    int32_t *count = status == PAL_OK ? PAL_NEW(int32_t, ports, err) : NULL;
    if (count == NULL) {
        class_->port_count = 0;
        return status == PAL_OK ? PAL_ERR_MEMORY : status;
    }
    status = pal_tree_visit_port_sizes(model, k, count, pal_archive_take, a, err);
    for (int32_t p = 0; status == PAL_OK && p < ports; p++) {
        count[p] = count[p] > 0 ? count[p] : 0;
        *bytes += 12.0 * count[p];
        status = pal_archive_check_room(a, *bytes, err);
    }
    if (status == PAL_OK) {
        status = pal_domain_class_alloc(class_, count, err);
    }
    free(count);
    if (status == PAL_OK) {
        status = pal_model_make_room(body, err);
    }
    if (status == PAL_OK) {
        status = pal_tree_visit_class(model, k, pal_archive_take, a, err);
    }
    pal_volmesh_settle_share(&body->mesh);
    return status;
}

// What a class has twice: the tables of its energy, for the run time.
static void share_tables(pal_tree_model *model) {
    for (int32_t k = 0; k < model->class_count; k++) {
        pal_model *body = &model->body[k];
        pal_quartic *to = &model->class_[k].quartic;
        pal_local_index(&body->local);
        pal_model_hash(body, body->hash);
        if (body->r > 0) {
            memcpy(to->p, body->quartic.p, (size_t)pal_pairs(body->r) * sizeof *to->p);
            memcpy(to->q, body->quartic.q, (size_t)pal_triples(body->r) * sizeof *to->q);
            memcpy(to->s, body->quartic.s, (size_t)pal_quadruples(body->r) * sizeof *to->s);
        }
    }
}

// The joints of domains that are there. bytes: what has been counted so far.
static pal_status read_joints(tree_file *file, pal_archive *a, double bytes, pal_err *err) {
    pal_joint_arrays *joints = &file->joints;
    const int32_t domains = file->model->domain_count;
    const char *name = pal_archive_name(a);
    pal_status status = pal_joint_visit_counts(joints, pal_archive_take, a, err);
    if (status == PAL_OK && (joints->joint_count < 0 || joints->joint_count >= domains)) {
        status = pal_fail(err, PAL_ERR_INPUT, "%s: %d joints of %d domains", name,
                          (int)joints->joint_count, (int)domains);
    }
    if (status == PAL_OK) {
        status = pal_joint_arrays_alloc_sizes(joints, domains, err);
    }
    if (status == PAL_OK) {
        status = pal_joint_visit_sizes(joints, domains, pal_archive_take, a, err);
    }
    if (status == PAL_OK) {
        status = pal_joint_visit_sizes(joints, domains, check_visit, &name, err);
    }
    if (status == PAL_OK) {
        pal_joint_arrays_add_up(joints);
        status = pal_archive_check_room(a, bytes + pal_joint_arrays_bytes(joints), err);
    }
    if (status == PAL_OK) {
        status = pal_joint_arrays_alloc_content(joints, err);
    }
    if (status == PAL_OK) {
        status = pal_joint_visit_content(joints, pal_archive_take, a, err);
    }
    if (status == PAL_OK) {
        status = pal_joint_visit_content(joints, check_visit, &name, err);
    }
    return status == PAL_OK ? pal_joint_arrays_give(joints, file->model, name, err) : status;
}

static pal_status read_tree(tree_file *file, pal_archive *a, double bytes, pal_err *err) {
    pal_tree_model *model = file->model;
    const char *name = pal_archive_name(a);
    pal_status status = pal_tree_visit_tree(model, &file->arrays, pal_archive_take, a, err);
    for (int32_t i = 0; status == PAL_OK && i < model->domain_count; i++) {
        model->domain_name[i][PAL_DOMAIN_NAME - 1] = '\0';
    }
    if (status == PAL_OK) {
        status = check_classes(model, name, err);
    }
    if (status == PAL_OK) {
        status = check_domains(file, name, err);
    }
    if (status == PAL_OK) {
        pal_tree_arrays_give(&file->arrays, model);
        share_tables(model);
        status = read_joints(file, a, bytes, err);
    }
    if (status == PAL_OK) {
        status = take_hash(file, err);
        pal_archive_take_key(a, model->key);
    }
    return status == PAL_OK ? pal_archive_check_hash(a, model->hash, err) : status;
}

static pal_status read_all(void *object, pal_archive *a, pal_err *err) {
    tree_file *file = object;
    pal_tree_model *model = file->model;
    pal_status status = pal_tree_visit_counts(model, pal_archive_take, a, err);
    double bytes = 128.0 * model->domain_count;
    if (status == PAL_OK && (model->class_count < 1 || model->domain_count < 1)) {
        status = pal_fail(err, PAL_ERR_INPUT, "%s: %d classes and %d domains", pal_archive_name(a),
                          (int)model->class_count, (int)model->domain_count);
    }
    if (status == PAL_OK) {
        status = pal_archive_check_room(a, bytes + 512.0 * model->class_count, err);
    }
    if (status != PAL_OK) {
        model->class_count = 0;
        return status;
    }
    status = pal_tree_model_alloc(model, err);
    if (status == PAL_OK) {
        status = pal_tree_arrays_alloc(&file->arrays, model->domain_count, err);
    }
    for (int32_t k = 0; status == PAL_OK && k < model->class_count; k++) {
        status = read_class(model, k, a, &bytes, err);
    }
    return status == PAL_OK ? read_tree(file, a, bytes, err) : status;
}

pal_status pal_tree_model_parse(const char *name, const void *data, size_t size,
                                pal_tree_model *model, pal_err *err) {
    memset(model, 0, sizeof *model);
    tree_file file = {.model = model};
    pal_status status = pal_archive_open(name, &kind, data, size, read_all, &file, err);
    free_arrays(&file);
    if (status != PAL_OK) {
        pal_tree_model_free(model);
    }
    return status;
}

pal_status pal_tree_model_read(const char *path, pal_tree_model *model, pal_err *err) {
    memset(model, 0, sizeof *model);
    pal_file_view file;
    pal_status status = pal_file_view_open(path, &file, err);
    if (status == PAL_OK) {
        status = pal_tree_model_parse(path, file.data, file.size, model, err);
    }
    pal_file_view_close(&file);
    return status;
}

bool pal_tree_model_is_file(const char *path) {
    char start[PAL_MODEL_BLOCK];
    FILE *file = fopen(path, "rb");
    size_t size = file != NULL ? fread(start, 1, sizeof start, file) : 0;
    if (file != NULL) {
        fclose(file);
    }
    return pal_model_block_is(start, size, &kind);
}
