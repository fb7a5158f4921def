#include "tests/support/cut_press.h"

#include <stdlib.h>

#include "tests/support/check.h"

static pal_basis_spec modes(int32_t r, int32_t ports) {
    return (pal_basis_spec){
        .kind = ports > 0 ? PAL_BASIS_BOUNDARY : PAL_BASIS_MODES, .size = r, .modes = r};
}

pal_class_spec cut_press_class(const pal_material *material, int32_t r, pal_local_choice way) {
    return (pal_class_spec){.name = "piece",
                            .material = material,
                            .damping_alpha = 20.0,
                            .damping_beta = 5e-3,
                            .basis = modes(r, 0),
                            .local = {.choice = way, .radius = 0.02}};
}

void cut_press(const press_shape *shape, const pal_volmesh *mesh, int count, const double *cut,
               pal_partition *partition) {
    pal_err err = {0};
    int32_t *label = calloc((size_t)mesh->element_count, sizeof *label);
    for (int32_t e = 0; e < mesh->element_count; e++) {
        double x = 0.0;
        for (int a = 0; a < (int)mesh->kind; a++) {
            x += mesh->x[3 * (int64_t)pal_volmesh_element(mesh, e)[a]] / (int)mesh->kind;
        }
        for (int k = 0; k < count; k++) {
            label[e] += x > cut[k];
        }
    }
    uint8_t *held = press_held(shape, mesh);
    const pal_partition_spec spec = {
        .mesh = mesh, .label_count = count + 1, .label = label, .fixed = held, .root = -1};
    CHECK_OK(pal_partition_make(&spec, partition, &err), err);
    free(label);
    free(held);
}

void cut_press_bake(const pal_partition *partition, const pal_partition *other,
                    const pal_material *material, pal_local_choice way, int32_t r,
                    pal_tree_model *tree) {
    pal_err err = {0};
    const int32_t last = partition->class_count - 1;
    pal_class_spec *class_ = calloc((size_t)partition->class_count, sizeof *class_);
    for (int32_t k = 0; k <= last; k++) {
        class_[k] = cut_press_class(material, r, way);
        pal_class_spec_take_part(&class_[k],
                                 &(other != NULL && k == last ? other : partition)->part[k]);
        class_[k].basis = modes(r, class_[k].port_count);
    }
    pal_tree_spec whole = {.name = "tree", .scene_text = ""};
    pal_tree_spec_take_partition(&whole, partition, class_);
    pal_tree_model_free(tree);
    CHECK_OK(pal_tree_bake(&whole, NULL, tree, NULL, &err), err);
    free(class_);
}

void cut_press_unlike(const press_shape *parent, const press_shape *child, int32_t r,
                      pal_tree_model *tree) {
    static const double cut = 0.0;
    press above, below;
    pal_partition upper, lower;
    press_open(&above, parent);
    press_open(&below, child);
    cut_press(parent, &above.mesh, 1, &cut, &upper);
    cut_press(child, &below.mesh, 1, &cut, &lower);
    cut_press_bake(&upper, &lower, above.fem.material, PAL_LOCAL_WANT_EXACT, r, tree);
    pal_partition_free(&upper);
    pal_partition_free(&lower);
    press_close(&below);
    press_close(&above);
}
