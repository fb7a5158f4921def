// Models of bodies of domains, baked and by content (see scene_cache.c).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scenes/scene_file.h"
#include "sim/base/clock.h"
#include "sim/base/memory.h"
#include "sim/base/private.h"
#include "sim/contact/joint_build.h"
#include "sim/model/tree_hdf5.h"
#include "sim/model/tree_joints.h"

// The factors on frequencies, squared on the internal force; later ones win.
static pal_status set_frequencies(const pal_scene *scene, pal_tree_model *model, pal_err *err) {
    const pal_scene_file_tree *tree = scene->file->tree;
    int32_t *meant = PAL_NEW(int32_t, model->domain_count, err);
    pal_status status = meant != NULL ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t d = 0; d < model->domain_count; d++) {
        model->domain[d].stiffness = 1.0;
    }
    for (uint32_t i = 0; status == PAL_OK && tree != NULL && i < tree->frequency_count; i++) {
        pal_err inner;
        const int32_t count = pal_tree_model_find(model, tree->frequency[i].domain, meant, &inner);
        for (int32_t k = 0; k < count; k++) {
            model->domain[meant[k]].stiffness = pow(tree->frequency[i].factor, 2.0);
        }
        if (count == 0) {
            char key[64];
            snprintf(key, sizeof key, "tree.frequency.%u.domain", i);
            status = pal_scene_fail(scene, key, &inner, err);
        }
    }
    free(meant);
    return status;
}

// The same before the bake, which makes the joints of the domains for them.
static pal_status set_frequencies_of(const pal_scene *scene, pal_scene_tree *tree, pal_err *err) {
    const pal_tree_spec *spec = &tree->spec; // of arrays that are the tree's own
    pal_tree_model names = {.domain_count = spec->domain_count,
                            .domain = (pal_domain *)spec->domain,
                            .domain_name = (char(*)[PAL_DOMAIN_NAME])spec->domain_name};
    return set_frequencies(scene, &names, err);
}

pal_status pal_scene_tree_bake(const pal_scene *scene, const pal_progress *progress,
                               pal_tree_model *model, pal_class_times **times, double *built,
                               pal_err *err) {
    memset(model, 0, sizeof *model);
    double start = pal_seconds();
    pal_scene_tree tree;
    pal_status status = pal_scene_tree_build(scene, progress, &tree, err);
    if (times != NULL) {
        *times = NULL;
    }
    if (status != PAL_OK) {
        return status;
    }
    if (built != NULL) {
        *built = pal_seconds() - start;
    }
    pal_class_times *spent = PAL_NEW(pal_class_times, tree.spec.class_count, err);
    status = spent != NULL ? set_frequencies_of(scene, &tree, err) : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = pal_tree_bake(&tree.spec, progress, model, spent, err);
        status = pal_fail_in(err, status, scene->path);
    }
    pal_scene_tree_free(&tree);
    if (status == PAL_OK && times != NULL) {
        *times = spent;
    } else {
        free(spent);
    }
    return status;
}

// A model out of the cache with the scene's frequencies; *changed: its joints were for others, and
// are made anew.
static pal_status refresh(const pal_scene *scene, const pal_progress *progress,
                          pal_tree_model *model, bool *changed, pal_err *err) {
    pal_status status = set_frequencies(scene, model, err);
    if (status == PAL_OK && !pal_tree_joints_fit(model)) {
        *changed = true;
        pal_joints_free(&model->joints);
        status = pal_tree_joints_build(model, PAL_TREE_MOST_JOINTS, progress, &model->joints, err);
    }
    if (status != PAL_OK) {
        pal_tree_model_free(model);
    }
    return status;
}

// A model out of the cache, which must be of this key.
static pal_status read_kept(const char *path, const char *key, pal_tree_model *model,
                            pal_err *err) {
    pal_status status = pal_private_check(path, err);
    if (status == PAL_OK) {
        status = pal_tree_model_read(path, model, err);
    }
    if (status == PAL_OK && strcmp(model->key, key) != 0) {
        pal_tree_model_free(model);
        status = pal_cache_stranger(path, err);
    }
    return status;
}

static pal_status keep(const char *path, pal_tree_model *model, pal_err *err) {
    char *data;
    size_t size;
    pal_status status = pal_tree_model_image(path, model, &data, &size, err);
    if (status == PAL_OK) {
        status = pal_private_write(path, data, size, err);
    }
    free(data);
    return status;
}

// From the cache, or baked and stored there.
static pal_status find_model(pal_scene *scene, bool rebake, const pal_progress *progress,
                             pal_tree_model *model, pal_class_times **times, bool *cached,
                             pal_err *err) {
    char key[PAL_HASH_TEXT], path[PAL_CACHE_PATH];
    pal_status status = pal_scene_key(scene, key, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_err trouble;
    bool has_cache = pal_cache_path(key, "tree.h5", path, &trouble) == PAL_OK, changed = false;
    if (has_cache && !rebake && access(path, F_OK) == 0) {
        *cached = read_kept(path, key, model, &trouble) == PAL_OK;
        if (!*cached) {
            pal_cache_say(scene->note, sizeof scene->note, "the cached model was made anew",
                          &trouble);
        }
    }
    status = *cached ? refresh(scene, progress, model, &changed, err)
                     : pal_scene_tree_bake(scene, progress, model, times, NULL, err);
    if (status == PAL_OK) {
        snprintf(model->key, sizeof model->key, "%s", key);
    }
    if (status == PAL_OK && (!*cached || changed) &&
        (!has_cache || keep(path, model, &trouble) != PAL_OK)) {
        pal_cache_say(scene->note, sizeof scene->note,
                      has_cache ? "the model is not kept for next time" : "the cache is not used",
                      &trouble);
    }
    return status;
}

pal_status pal_scene_tree_model(pal_scene *scene, bool rebake, const pal_progress *progress,
                                pal_tree_model *model, pal_class_times **times, bool *cached,
                                pal_err *err) {
    memset(model, 0, sizeof *model);
    scene->note[0] = '\0';
    pal_class_times *own_times = NULL;
    bool own_cached = false;
    pal_status status = find_model(scene, rebake, progress, model, &own_times, &own_cached, err);
    if (status == PAL_OK && times != NULL) {
        *times = own_times;
    } else {
        free(own_times);
        if (times != NULL) {
            *times = NULL;
        }
    }
    if (cached != NULL) {
        *cached = own_cached;
    }
    return status;
}
