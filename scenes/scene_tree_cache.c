// Models of bodies of domains, baked and by content (see scene_cache.c).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scenes/scene_file.h"
#include "sim/base/clock.h"
#include "sim/base/memory.h"
#include "sim/model/tree_hdf5.h"

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
    status =
        spent == NULL ? PAL_ERR_MEMORY : pal_tree_bake(&tree.spec, progress, model, spent, err);
    status = pal_fail_in(err, status, scene->path);
    pal_scene_tree_free(&tree);
    if (status == PAL_OK && times != NULL) {
        *times = spent;
    } else {
        free(spent);
    }
    return status;
}

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
    bool has_cache = pal_cache_path(key, "tree.h5", path, &trouble) == PAL_OK;
    if (has_cache && !rebake && access(path, F_OK) == 0) {
        if (pal_tree_model_read(path, model, &trouble) == PAL_OK) {
            *cached = true;
            return PAL_OK;
        }
        snprintf(scene->note, sizeof scene->note, "the cached model was made anew: %.200s",
                 trouble.text);
    }
    status = pal_scene_tree_bake(scene, progress, model, times, NULL, err);
    if (status == PAL_OK && (!has_cache || pal_tree_model_write(path, model, &trouble) != PAL_OK)) {
        snprintf(scene->note, sizeof scene->note, "the model is not kept for next time: %.200s",
                 trouble.text);
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
    if (status == PAL_OK) {
        status = set_frequencies(scene, model, err);
        if (status != PAL_OK) {
            pal_tree_model_free(model);
        }
    }
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
