// A beam cut into domains along its length and baked as a tree: for laws of substructuring.
#ifndef PAL_TESTS_BEAM_TREE_H
#define PAL_TESTS_BEAM_TREE_H

#include "sim/model/tree_bake.h"

typedef struct beam_tree {
    int32_t domains;  // d
    int32_t elements; // cubes along the beam, a multiple of d; 2 x 2 across
    int32_t r;        // of every domain; 0: rigid
    bool boundary;    // boundary modes, their derivatives and modes; else modes and derivatives
    int32_t modes;    // linear modes; 0: as many as make sense
    bool flies;       // nothing is fixed; else the face x = 0 is
    bool one_class;   // all domains are instances of one
    bool voxels;      // not tets
} beam_tree;

// 1 m long, from the origin along x, of 2 x 2 cubes across; E = 1 MPa, nu = 0.3, 1000 kg/m^3; no
// damping. The mesh of it all; free with pal_volmesh_free.
extern const pal_material beam_tree_material;
void beam_tree_mesh(const beam_tree *beam, pal_volmesh *mesh);

// label [element_count]: which domain each element is of, from x = 0 on.
int32_t *beam_tree_labels(const beam_tree *beam, const pal_volmesh *mesh);

// Domain k of the tree is the k-th from x = 0 (the middle one is the root when it flies). The test
// fails when it cannot be baked. Free with pal_tree_model_free. times [domains] or NULL.
void beam_tree_bake(const beam_tree *beam, pal_tree_model *model, pal_class_times *times);

// The same in short: fixed at x = 0, of tets, one class a domain.
void pal_test_beam_tree(int32_t domains, int32_t elements, int32_t r, bool boundary,
                        pal_tree_model *model);

#endif
