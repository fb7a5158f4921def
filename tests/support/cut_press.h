// Blocks to press (press.h), cut across x into domains and baked as a tree.
#ifndef PAL_TESTS_CUT_PRESS_H
#define PAL_TESTS_CUT_PRESS_H

#include "sim/model/tree_bake.h"
#include "tests/support/press.h"

// A class of r linear modes, which dents that way.
pal_class_spec cut_press_class(const pal_material *material, int32_t r, pal_local_choice way);

// The mesh of a block cut into pieces where x passes each of cut [count].
void cut_press(const press_shape *shape, const pal_volmesh *mesh, int count, const double *cut,
               pal_partition *partition);

// Its pieces as a tree, the last one of another cut (NULL: none).
void cut_press_bake(const pal_partition *partition, const pal_partition *other,
                    const pal_material *material, pal_local_choice way, int32_t r,
                    pal_tree_model *tree);

// Of two blocks of one shape and two meshes, cut at x = 0: the one before it, and the other beyond,
// which hangs on it.
void cut_press_unlike(const press_shape *parent, const press_shape *child, int32_t r,
                      pal_tree_model *tree);

#endif
