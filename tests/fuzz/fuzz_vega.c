// Any bytes as a VEGA .veg file.
#include "tests/fuzz/fuzz_mesh.h"

FUZZ_MESH_TARGET(PAL_MESH_VEGA)
