// Any bytes as a VTK legacy .vtk file.
#include "tests/fuzz/fuzz_mesh.h"

FUZZ_MESH_TARGET(PAL_MESH_VTK_LEGACY)
