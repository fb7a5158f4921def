// Writes a mesh as text in every format and variant that the readers know, to test them.
#ifndef PAL_TESTS_MESH_TEXT_H
#define PAL_TESTS_MESH_TEXT_H

#include "sim/mesh/mesh_io.h"

typedef struct check_variant {
    const char *name;
    pal_mesh_format format;
    int option; // of the writer of the format
} check_variant;

extern const check_variant check_variants[];
extern const int check_variant_count;

typedef struct check_mesh_text {
    pal_text first, second; // second only for TetGen
    char *memory[2];
} check_mesh_text;

// The mesh with a region name for each label ("soft", "hard") where the format can hold one,
// otherwise the labels 1, 2 ...; materials where it can hold them. Exits on lack of memory.
check_mesh_text check_write_mesh(const check_variant *variant, const pal_volmesh *mesh);
void check_free_mesh_text(check_mesh_text *text);

// Small bodies: the unit cube as 6 tetrahedra, one voxel, and each of them twice, side by side
// along x, with two regions "soft" and "hard". Free with pal_volmesh_free.
pal_volmesh check_cube_tets(int cubes);
pal_volmesh check_cube_voxels(int cubes);

#endif
