#include "tests/support/beam_tree.h"

#include <stdlib.h>

#include "sim/mesh/block.h"
#include "tests/support/block_body.h"
#include "tests/support/check.h"

const pal_material beam_tree_material = {1e6, 0.3, 1000.0};

void beam_tree_mesh(const beam_tree *beam, pal_volmesh *mesh) {
    pal_err err = {0};
    const int32_t n[3] = {beam->elements, 2, 2};
    CHECK_OK(
        pal_mesh_block(beam->voxels ? PAL_HEX8 : PAL_TET4, n, 1.0 / beam->elements, mesh, &err),
        err);
}

int32_t *beam_tree_labels(const beam_tree *beam, const pal_volmesh *mesh) {
    int32_t *label = calloc((size_t)mesh->element_count, sizeof *label);
    int nodes = (int)mesh->kind;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        double x = 0.0;
        for (int a = 0; a < nodes; a++) {
            x += mesh->x[3 * (int64_t)pal_volmesh_element(mesh, e)[a]] / nodes;
        }
        label[e] = (int32_t)(x * beam->domains);
    }
    return label;
}

static void set_class(const beam_tree *beam, const pal_part *part, pal_class_spec *spec) {
    int32_t modes = beam->modes > 0 ? beam->modes : (beam->r + 1) / 2;
    *spec = (pal_class_spec){
        .name = "piece",
        .material = &beam_tree_material,
        .basis = {.kind = beam->boundary ? PAL_BASIS_BOUNDARY : PAL_BASIS_DERIVATIVES,
                  .size = beam->r,
                  .modes = modes}};
    pal_class_spec_take_part(spec, part);
}

void beam_tree_bake(const beam_tree *beam, pal_tree_model *model, pal_class_times *times) {
    pal_err err = {0};
    pal_volmesh mesh;
    pal_partition partition;
    beam_tree_mesh(beam, &mesh);
    uint8_t *fixed = block_held(&mesh);
    int32_t *label = beam_tree_labels(beam, &mesh);
    int32_t *class_of = calloc((size_t)beam->domains, sizeof *class_of); // all of the first
    const pal_partition_spec cut = {.mesh = &mesh,
                                    .label_count = beam->domains,
                                    .label = label,
                                    .fixed = beam->flies ? NULL : fixed,
                                    .root = -1,
                                    .class_count = 1,
                                    .class_of = beam->one_class ? class_of : NULL};
    CHECK_OK(pal_partition_make(&cut, &partition, &err), err);
    pal_class_spec *class_ = calloc((size_t)partition.class_count, sizeof *class_);
    for (int32_t k = 0; k < partition.class_count; k++) {
        set_class(beam, &partition.part[k], &class_[k]);
    }
    pal_tree_spec spec = {.name = "beam", .scene_text = ""};
    pal_tree_spec_take_partition(&spec, &partition, class_);
    CHECK_OK(pal_tree_bake(&spec, NULL, model, times, &err), err);
    free(class_);
    free(class_of);
    free(label);
    free(fixed);
    pal_partition_free(&partition);
    pal_volmesh_free(&mesh);
}

void pal_test_beam_tree(int32_t domains, int32_t elements, int32_t r, bool boundary,
                        pal_tree_model *model) {
    const beam_tree beam = {.domains = domains, .elements = elements, .r = r, .boundary = boundary};
    beam_tree_bake(&beam, model, NULL);
}
