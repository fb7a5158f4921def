// Any bytes as a MEDIT .mesh file.
#include "tests/fuzz/fuzz_mesh.h"

FUZZ_MESH_TARGET(PAL_MESH_MEDIT)
