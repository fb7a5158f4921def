// The readers behind pal_mesh_parse, one per format. Each fills an empty draft from text in memory;
// on failure draft->err says why.
#ifndef PAL_MESH_READERS_H
#define PAL_MESH_READERS_H

#include "sim/mesh/draft.h"

pal_status pal_gmsh_read(const pal_text *text, pal_draft *draft);
pal_status pal_tetgen_read(const pal_text *nodes, const pal_text *elements, pal_draft *draft);
pal_status pal_medit_read(const pal_text *text, pal_draft *draft);
pal_status pal_vtu_read(const pal_text *text, pal_draft *draft);
pal_status pal_vtk_read(const pal_text *text, pal_draft *draft);
pal_status pal_vega_read(const pal_text *text, pal_draft *draft);

#endif
