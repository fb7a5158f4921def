#include "sim/contact/surface_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/contact/bdtree_build.h"
#include "sim/contact/shell_build.h"
#include "sim/contact/surface_sample.h"

static const char kind[] = "surface";

// The vertices of the volume mesh that the embedding names.
static size_t vertex_count(const pal_embedding *e) {
    int32_t most = -1;
    for (int64_t i = 0; i < (int64_t)e->point_count * e->nodes; i++) {
        most = e->vertex[i] > most ? e->vertex[i] : most;
    }
    return (size_t)most + 1;
}

static void hash_embedding(pal_hash *hash, const pal_embedding *e) {
    const size_t carriers = (size_t)e->point_count * (size_t)e->nodes;
    pal_hash_update(hash, &e->nodes, sizeof e->nodes);
    pal_hash_update(hash, e->vertex, carriers * sizeof *e->vertex);
    pal_hash_update(hash, e->weight, carriers * sizeof *e->weight);
}

void pal_surface_index_key(const pal_surface_source *source, char key[PAL_HASH_TEXT]) {
    const pal_body *body = source->body;
    const pal_embedding *e = body->embedding;
    const int32_t sizes[] = {PAL_SURFACE_INDEX_VERSION, body->size, body->point_count,
                             body->triangle_count,      e != NULL,  source->vertex_x != NULL};
    const size_t points = 3 * (size_t)body->point_count;
    pal_hash hash;
    pal_hash_init(&hash);
    pal_hash_update_string(&hash, "surface index");
    pal_hash_update(&hash, sizes, sizeof sizes);
    pal_hash_update(&hash, &source->feature, sizeof source->feature);
    pal_hash_update(&hash, body->triangle,
                    3 * (size_t)body->triangle_count * sizeof *body->triangle);
    pal_hash_update(&hash, body->rest, points * sizeof *body->rest);
    if (body->basis != NULL) {
        pal_hash_update(&hash, body->basis, points * (size_t)body->size * sizeof *body->basis);
    }
    if (e != NULL) {
        hash_embedding(&hash, e);
    }
    if (e != NULL && source->vertex_x != NULL) {
        pal_hash_update(&hash, source->vertex_x, 3 * vertex_count(e) * sizeof *source->vertex_x);
    }
    pal_hash_text(&hash, key);
}

static void clear(const pal_surface_index *index) {
    memset(index->tree, 0, sizeof *index->tree);
    memset(index->shell, 0, sizeof *index->shell);
    memset(index->footprint, 0, sizeof *index->footprint);
    *index->file = NULL;
}

void pal_surface_index_close(const pal_surface_index *index) {
    if (*index->file == NULL) {
        pal_footprint_free(index->footprint);
        pal_shell_free(index->shell);
        pal_bdtree_free(index->tree);
    }
    free(*index->file);
    clear(index);
}

static pal_status build(const pal_surface_source *source, const pal_surface_index *index,
                        pal_err *err) {
    pal_status status = pal_bdtree_build(source->body, index->tree, err);
    if (status == PAL_OK) {
        status = pal_surface_sample(source->body, index->tree, source->vertex_x, source->feature,
                                    index->shell, index->footprint, err);
    }
    if (status != PAL_OK) {
        pal_surface_index_close(index);
    }
    return status;
}

// Whether it was there.
static bool take_kept(const pal_surface_source *source, const char *key,
                      const pal_surface_index *index) {
    size_t size = 0;
    char *file = source->keep->take(source->keep->context, key, kind, &size);
    if (file == NULL) {
        return false;
    }
    pal_err err;
    if (pal_surface_index_take(source, file, size, index, &err) == PAL_OK) {
        return true;
    }
    if (source->keep->tell != NULL) {
        char text[512];
        snprintf(text, sizeof text, "%.60s.%s in the cache was made anew: it is %.200s", key, kind,
                 err.text);
        source->keep->tell(source->keep->context, text);
    }
    free(file);
    return false;
}

static void give(const pal_surface_source *source, const char *key,
                 const pal_surface_index *index) {
    char *file = NULL;
    size_t size = 0;
    if (pal_surface_index_image(source, index, &file, &size, NULL) == PAL_OK) {
        source->keep->give(source->keep->context, key, kind, file, size);
    }
    free(file);
}

pal_status pal_surface_index_open(const pal_surface_source *source, const pal_surface_index *index,
                                  pal_err *err) {
    char key[PAL_HASH_TEXT] = "";
    clear(index);
    if (source->keep != NULL) {
        pal_surface_index_key(source, key);
        if (take_kept(source, key, index)) {
            return PAL_OK;
        }
    }
    const pal_status status = build(source, index, err);
    if (status == PAL_OK && source->keep != NULL) {
        give(source, key, index);
    }
    return status;
}
