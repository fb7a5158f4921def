// Models by content: the key of a scene, and the folder of baked models under their keys.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scenes/scene_file.h"
#include "scenes/yaml_text.h"
#include "sim/base/clock.h"
#include "sim/base/file.h"
#include "sim/base/private.h"
#include "sim/mesh/mesh_io.h"
#include "sim/model/model_hdf5.h"
#include "sim/model/tree_hdf5.h"

// Raise it when the shapes, the voxelizer or the baking change what a scene gives.
enum { BAKE_VERSION = 5 };

// ---- the key

static pal_status hash_text(void *hash, const pal_text *text, pal_err *err) {
    (void)err;
    pal_hash_update(hash, &text->size, sizeof text->size);
    pal_hash_update(hash, text->data, text->size);
    return PAL_OK;
}

static pal_status hash_named(pal_hash *hash, const pal_scene *scene, const char *file,
                             pal_err *err) {
    if (file == NULL) {
        return PAL_OK;
    }
    char *path = pal_scene_file_path(scene, file, err);
    pal_status status =
        path == NULL ? PAL_ERR_MEMORY : pal_mesh_sources(path, hash_text, hash, err);
    free(path);
    return status;
}

static void hash_material(pal_hash *hash, const pal_scene_material *material) {
    if (material != NULL) { // as numbers, since presets may change
        pal_hash_update(hash, &material->si.young, sizeof(double));
        pal_hash_update(hash, &material->si.poisson, sizeof(double));
        pal_hash_update(hash, &material->si.density, sizeof(double));
    }
}

// Keys of a run, which a bake does not depend on.
static const char *const live_keys[] = {"device",    "tool",  "coupling", "probe",    "probe_file",
                                        "faults",    "edits", "hands",    "surfaces", "contact",
                                        "feel",      "tree",  "wind",     "gravity",  "up",
                                        "landmarks", NULL};

pal_status pal_scene_key(const pal_scene *scene, char key[PAL_HASH_TEXT], pal_err *err) {
    const pal_scene_file *file = scene->file;
    pal_hash hash;
    pal_hash_init(&hash);
    const int32_t versions[2] = {BAKE_VERSION, PAL_MODEL_VERSION};
    pal_hash_update(&hash, versions, sizeof versions);
    yaml_document_t document;
    pal_status status =
        pal_yaml_load(scene->path, scene->text, strlen(scene->text), &document, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_yaml_hash(&document, live_keys, &hash);
    yaml_document_delete(&document);
    const pal_scene_file_body *body = file->body;
    if (body == NULL) {
        pal_hash_text(&hash, key);
        return PAL_OK;
    }
    if (body->domains != NULL) {
        const int32_t version = PAL_TREE_MODEL_VERSION;
        pal_hash_update(&hash, &version, sizeof version);
        pal_hash_update_string(&hash, "one cap of dents"); // once for each class
    }
    if (body->surface != NULL && body->mesh == NULL) {
        pal_hash_update_string(&hash, "filled by shares"); // once by whole voxels
    }
    hash_material(&hash, body->material);
    for (uint32_t i = 0; i < body->regions_count; i++) {
        hash_material(&hash, &body->regions[i].material);
    }
    hash_material(&hash, body->hidden != NULL ? &body->hidden->material : NULL);
    if (pal_loads_have_places(scene->basis.loads, scene->basis.load_count, &scene->landmarks)) {
        const pal_landmarks *names = &scene->landmarks;
        pal_hash_update_string(&hash, pal_up_name(names->up));
        for (int32_t i = 0; i < names->count; i++) { // member by member: no padding
            const pal_point *p = &names->item[i].point;
            pal_hash_update_string(&hash, names->item[i].name);
            pal_hash_update(&hash, &p->kind, sizeof p->kind);
            pal_hash_update(&hash, p->x, sizeof p->x);
            pal_hash_update(&hash, &p->from, sizeof p->from);
            pal_hash_update(&hash, &p->out, sizeof p->out);
        }
    }
    const char *named[4] = {body->mesh != NULL ? body->mesh->file : NULL,
                            body->surface != NULL ? body->surface->file : NULL,
                            file->basis != NULL ? file->basis->loads_file : NULL,
                            body->domains != NULL ? body->domains->file : NULL};
    for (int i = 0; status == PAL_OK && i < 4; i++) {
        status = hash_named(&hash, scene, named[i], err);
    }
    pal_hash_text(&hash, key);
    return status;
}

// ---- models

// The scene's loads, its places on the surface as vertices of the mesh.
static pal_status take_loads(const pal_scene *scene, const pal_volmesh *mesh, pal_basis_spec *basis,
                             pal_err *err) {
    pal_err inner;
    basis->loads = NULL;
    basis->load_count = 0;
    for (int32_t i = 0; i < scene->basis.load_count; i++) {
        const pal_load *load = &scene->basis.loads[i];
        const pal_status status =
            pal_loads_append(&basis->loads, &basis->load_count, load->selector, load->force, err);
        if (status != PAL_OK) {
            return status;
        }
    }
    const pal_status status =
        pal_loads_settle(basis->loads, basis->load_count, &scene->landmarks, mesh, &inner);
    return status == PAL_OK ? PAL_OK : pal_scene_fail(scene, "basis.loads", &inner, err);
}

pal_status pal_scene_bake(const pal_scene *scene, const pal_progress *progress, pal_model *model,
                          pal_bake_times *times, pal_err *err) {
    memset(model, 0, sizeof *model);
    memset(times, 0, sizeof *times);
    double start = pal_seconds();
    pal_scene_body body;
    pal_status status = pal_scene_build(scene, progress, &body, err);
    if (status != PAL_OK) {
        return status;
    }
    double built = pal_seconds() - start;
    pal_bake_spec spec = {.name = scene->name,
                          .scene_text = scene->text,
                          .mesh = &body.mesh,
                          .surface = &body.surface,
                          .held = body.held,
                          .material = body.material,
                          .mass_kind = scene->mass_kind,
                          .damping_alpha = scene->damping_alpha,
                          .damping_beta = scene->damping_beta,
                          .basis = scene->basis,
                          .local = scene->local};
    spec.local.touch = body.touch;
    status = take_loads(scene, &body.mesh, &spec.basis, err);
    if (status == PAL_OK) {
        status = pal_bake(&spec, progress, model, times, err);
        status = pal_fail_in(err, status, scene->path);
    }
    pal_loads_free(spec.basis.loads, spec.basis.load_count);
    times->setup += built;
    pal_scene_body_free(&body);
    return status;
}

// A model out of the cache, which must be of this key.
static pal_status read_kept(const char *path, const char *key, pal_model *model, pal_err *err) {
    pal_status status = pal_private_check(path, err);
    if (status == PAL_OK) {
        status = pal_model_read(path, model, err);
    }
    if (status == PAL_OK && strcmp(model->key, key) != 0) {
        pal_model_free(model);
        status = pal_cache_stranger(path, err);
    }
    return status;
}

static pal_status keep(const char *path, pal_model *model, pal_err *err) {
    char *data;
    size_t size;
    pal_status status = pal_model_image(path, model, &data, &size, err);
    if (status == PAL_OK) {
        status = pal_private_write(path, data, size, err);
    }
    free(data);
    return status;
}

pal_status pal_scene_model(pal_scene *scene, bool rebake, const pal_progress *progress,
                           pal_model *model, pal_bake_times *times, bool *cached, pal_err *err) {
    if (scene->has_domains) {
        memset(model, 0, sizeof *model);
        return pal_fail(
            err, PAL_ERR_UNSUPPORTED,
            "the scene '%s' has a body of domains, and this is for bodies of one piece; "
            "bake, info, run, replay, picture and film know both",
            scene->name);
    }
    memset(model, 0, sizeof *model);
    scene->note[0] = '\0';
    pal_bake_times own_times;
    times = times != NULL ? times : &own_times;
    memset(times, 0, sizeof *times);
    bool own_cached;
    cached = cached != NULL ? cached : &own_cached;
    *cached = false;
    char key[PAL_HASH_TEXT], path[PAL_CACHE_PATH];
    pal_status status = pal_scene_key(scene, key, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_err trouble;
    const bool has_cache = pal_cache_path(key, "h5", path, &trouble) == PAL_OK;
    if (has_cache && !rebake && access(path, F_OK) == 0) {
        if (read_kept(path, key, model, &trouble) == PAL_OK) {
            *cached = true;
            return PAL_OK;
        }
        pal_cache_say(scene->note, sizeof scene->note, "the cached model was made anew", &trouble);
    }
    status = pal_scene_bake(scene, progress, model, times, err);
    if (status != PAL_OK) {
        return status;
    }
    snprintf(model->key, sizeof model->key, "%s", key);
    if (!has_cache || keep(path, model, &trouble) != PAL_OK) {
        pal_cache_say(scene->note, sizeof scene->note,
                      has_cache ? "the model is not kept for next time" : "the cache is not used",
                      &trouble);
    }
    return PAL_OK;
}
