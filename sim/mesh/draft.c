#include "sim/mesh/draft.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/mesh/tidy.h"

pal_status pal_draft_vertices(pal_draft *draft, int64_t count) {
    if (count <= 0 || count > INT32_MAX) {
        return pal_fail_at(draft->err, PAL_ERR_INPUT, draft->name, 0, "has %" PRId64 " vertices",
                           count);
    }
    if (draft->x != NULL) {
        return pal_fail_at(draft->err, PAL_ERR_INPUT, draft->name, 0, "gives its vertices twice");
    }
    draft->x = PAL_NEW(double, 3 * count, draft->err);
    draft->vertex_count = draft->x != NULL ? (int32_t)count : 0;
    return draft->x != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

pal_status pal_draft_add(pal_draft *draft, pal_element_kind kind, const int32_t *vertex,
                         int64_t label) {
    if (draft->element_count == 0) {
        draft->kind = kind;
    }
    if (kind != draft->kind) {
        draft->other_count++;
        return PAL_OK;
    }
    void *element = draft->element, *labels = draft->label;
    int64_t room = draft->element_room;
    pal_status status =
        pal_grow(&element, (size_t)kind * sizeof(int32_t), draft->element_count, &room, draft->err);
    draft->element = element;
    if (status == PAL_OK) {
        status = pal_grow(&labels, sizeof(int64_t), draft->element_count, &draft->element_room,
                          draft->err);
        draft->label = labels;
    }
    if (status != PAL_OK) {
        return status;
    }
    int64_t e = draft->element_count++;
    memcpy(draft->element + e * (int)kind, vertex, (size_t)kind * sizeof(int32_t));
    draft->label[e] = label;
    return PAL_OK;
}

pal_status pal_draft_name(pal_draft *draft, int64_t label, pal_word name,
                          const pal_material *material) {
    void *regions = draft->region;
    const pal_status status = pal_grow(&regions, sizeof(pal_draft_region), draft->region_count,
                                       &draft->region_room, draft->err);
    draft->region = regions;
    if (status != PAL_OK) {
        return status;
    }
    pal_draft_region *made = &draft->region[draft->region_count++];
    made->label = label;
    pal_word_copy(name, made->region.name, sizeof made->region.name);
    if (material != NULL) {
        made->region.has_material = true;
        made->region.material = *material;
    }
    return PAL_OK;
}

static int compare_labels(const void *a, const void *b) {
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

// The distinct labels in ascending order (a heap array), or NULL.
static int64_t *sort_labels(const pal_draft *draft, int32_t *count) {
    int64_t n = draft->element_count, distinct = 0;
    int64_t *sorted = PAL_NEW(int64_t, n, draft->err);
    if (sorted == NULL) {
        return NULL;
    }
    memcpy(sorted, draft->label, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, compare_labels);
    for (int64_t i = 0; i < n; i++) {
        if (i == 0 || sorted[i] != sorted[distinct - 1]) {
            sorted[distinct++] = sorted[i];
        }
    }
    *count = (int32_t)distinct;
    return sorted;
}

static void name_regions(const pal_draft *draft, const int64_t *labels, pal_volmesh *mesh) {
    for (int32_t g = 0; g < mesh->region_count && mesh->region_count > 1; g++) {
        snprintf(mesh->regions[g].name, sizeof mesh->regions[g].name, "%" PRId64, labels[g]);
    }
    for (int64_t i = 0; i < draft->region_count; i++) {
        const int64_t *found = bsearch(&draft->region[i].label, labels, (size_t)mesh->region_count,
                                       sizeof *labels, compare_labels);
        if (found != NULL) {
            mesh->regions[found - labels] = draft->region[i].region;
        }
    }
}

// A mesh must be of one kind, and of one that we know.
static pal_status check_kinds(const pal_draft *draft) {
    const int64_t *skipped = draft->skipped;
    if (skipped[PAL_SKIPPED_SOLID] > 0) {
        return pal_fail_at(draft->err, PAL_ERR_UNSUPPORTED, draft->name, 0,
                           "has %" PRId64 " volume elements that are neither 4-node tetrahedra nor "
                           "8-node hexahedra (such as prisms or quadratic ones); convert them",
                           skipped[PAL_SKIPPED_SOLID]);
    }
    if (draft->element_count == 0) {
        return pal_fail_at(draft->err, PAL_ERR_INPUT, draft->name, 0,
                           "has no tetrahedra or hexahedra (it has %" PRId64 " triangles and "
                           "%" PRId64 " other flat elements); mesh its inside, or save the surface "
                           "as .obj, .stl or .ply and fill it with voxels",
                           skipped[PAL_SKIPPED_TRIANGLE], skipped[PAL_SKIPPED_FLAT]);
    }
    if (draft->other_count > 0) {
        bool tets = draft->kind == PAL_TET4;
        return pal_fail_at(draft->err, PAL_ERR_UNSUPPORTED, draft->name, 0,
                           "mixes %" PRId64 " tetrahedra and %" PRId64 " hexahedra; a mesh must be "
                           "of one kind",
                           tets ? draft->element_count : draft->other_count,
                           tets ? draft->other_count : draft->element_count);
    }
    if (draft->element_count > INT32_MAX) {
        return pal_fail_at(draft->err, PAL_ERR_UNSUPPORTED, draft->name, 0,
                           "has %" PRId64 " elements, too many", draft->element_count);
    }
    return PAL_OK;
}

pal_status pal_draft_finish(pal_draft *draft, pal_volmesh *mesh) {
    pal_status status = check_kinds(draft);
    if (status != PAL_OK) {
        return status;
    }
    int32_t region_count = 0;
    int64_t *labels = sort_labels(draft, &region_count);
    if (labels == NULL) {
        return PAL_ERR_MEMORY;
    }
    status = pal_volmesh_alloc(mesh, draft->kind, draft->vertex_count,
                               (int32_t)draft->element_count, region_count, draft->err);
    if (status == PAL_OK) {
        size_t n = (size_t)draft->element_count;
        memcpy(mesh->x, draft->x, 3 * (size_t)draft->vertex_count * sizeof(double));
        memcpy(mesh->element, draft->element, n * (size_t)draft->kind * sizeof(int32_t));
        for (size_t e = 0; e < n; e++) {
            const int64_t *found = bsearch(&draft->label[e], labels, (size_t)region_count,
                                           sizeof *labels, compare_labels);
            mesh->region[e] = (int32_t)(found - labels);
        }
        name_regions(draft, labels, mesh);
        status = pal_mesh_tidy(mesh, draft->name, draft->err);
    }
    if (status == PAL_OK) {
        status = pal_draft_make_sets(draft, mesh);
    }
    if (status != PAL_OK) {
        pal_volmesh_free(mesh);
    }
    free(labels);
    return status;
}

void pal_draft_free(pal_draft *draft) {
    free(draft->x);
    free(draft->element);
    free(draft->label);
    free(draft->region);
    free(draft->list);
    free(draft->member);
    free(draft->title);
    memset(draft, 0, sizeof *draft);
}
