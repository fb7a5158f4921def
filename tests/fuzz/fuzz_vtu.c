// Any bytes as a VTK XML .vtu file.
#include "tests/fuzz/fuzz_mesh.h"

FUZZ_MESH_TARGET(PAL_MESH_VTU)
