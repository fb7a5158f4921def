// Any bytes as a Gmsh .msh file.
#include "tests/fuzz/fuzz_mesh.h"

FUZZ_MESH_TARGET(PAL_MESH_GMSH)
