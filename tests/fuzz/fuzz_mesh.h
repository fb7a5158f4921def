// What the fuzz targets of the mesh readers share: parse, and when the bytes are a mesh after all,
// look at all of it.
#ifndef PAL_TESTS_FUZZ_MESH_H
#define PAL_TESTS_FUZZ_MESH_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/mesh/mesh_io.h"
#include "sim/mesh/tidy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_require(int condition) {
    if (!condition) {
        abort();
    }
}

// A mesh that was read keeps all promises of volmesh.h.
static inline void fuzz_look_at(const pal_volmesh *mesh) {
    fuzz_require(mesh->kind == PAL_TET4 || mesh->kind == PAL_HEX8);
    fuzz_require(mesh->element_count > 0 && mesh->vertex_count > 0 && mesh->region_count > 0);
    for (int64_t i = 0; i < 3 * (int64_t)mesh->vertex_count; i++) {
        fuzz_require(isfinite(mesh->x[i]));
    }
    for (int64_t i = 0; i < (int64_t)mesh->element_count * (int)mesh->kind; i++) {
        fuzz_require(mesh->element[i] >= 0 && mesh->element[i] < mesh->vertex_count);
    }
    for (int32_t e = 0; e < mesh->element_count; e++) {
        fuzz_require(mesh->region[e] >= 0 && mesh->region[e] < mesh->region_count);
    }
    for (int32_t g = 0; g < mesh->region_count; g++) {
        fuzz_require(memchr(mesh->regions[g].name, '\0', PAL_REGION_NAME) != NULL);
    }
    for (int32_t s = 0; s < mesh->set_count; s++) {
        const pal_mesh_set *set = &mesh->sets[s];
        const int32_t end = set->of_elements ? mesh->element_count : mesh->vertex_count;
        fuzz_require(memchr(set->name, '\0', PAL_REGION_NAME) != NULL);
        for (int32_t i = 0; i < set->count; i++) {
            fuzz_require(set->index[i] > (i > 0 ? set->index[i - 1] : -1) && set->index[i] < end);
        }
    }
    pal_mesh_quality quality;
    pal_err err;
    fuzz_require(pal_mesh_measure(mesh, &quality, &err) == PAL_OK);
    fuzz_require(quality.components >= 1 && quality.face_components >= quality.components);
}

static inline void fuzz_mesh(pal_mesh_format format, const pal_text *first,
                             const pal_text *second) {
    pal_volmesh mesh;
    pal_err err = {PAL_OK, ""};
    pal_status status = pal_mesh_parse(format, first, second, &mesh, &err);
    if (status == PAL_OK) {
        fuzz_look_at(&mesh);
    } else {
        fuzz_require(mesh.x == NULL && err.status == status && err.text[0] != '\0');
    }
    pal_volmesh_free(&mesh);
}

// The whole of an input target whose format takes one text.
#define FUZZ_MESH_TARGET(format)                                                                   \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {                                 \
        const pal_text text = {.name = "fuzz", .data = (const char *)data, .size = size};          \
        fuzz_mesh(format, &text, NULL);                                                            \
        return 0;                                                                                  \
    }

#endif
