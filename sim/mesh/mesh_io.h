// Volume mesh readers. One file per format; all parse from memory (so that they can be fuzzed) and
// all end in pal_mesh_tidy. Elements with the same label (physical group, attribute, reference,
// cell array "region", VEGA region) make a region, in ascending order of labels, named as the file
// names it or else by its label; a single region without a name is "body". Points, lines and
// polygons are passed over; prisms, pyramids, quadratic elements and a mix of tets and hexahedra
// are refused.
#ifndef PAL_MESH_MESH_IO_H
#define PAL_MESH_MESH_IO_H

#include <stddef.h>

#include "sim/mesh/volmesh.h"

typedef enum pal_mesh_format {
    PAL_MESH_GMSH,   // .msh 1.0, 2.2, 4.1, ASCII
    PAL_MESH_TETGEN, // .node + .ele (tets), or .node + .hex (8-node elements, same layout)
    PAL_MESH_MEDIT,  // .mesh
    PAL_MESH_VTU,    // VTK XML unstructured grid: ascii, base64, appended (raw and base64, zlib)
    PAL_MESH_VTK_LEGACY, // .vtk, ASCII and binary
    PAL_MESH_VEGA,       // .veg
} pal_mesh_format;

// A piece of text with its name for messages.
typedef struct pal_text {
    const char *name;
    const char *data; // need not end in NUL
    size_t size;
} pal_text;

// Reads the volume mesh in the file `path` (the format by its ending; .node, .ele and .hex find
// each other). *mesh is empty on failure.
pal_status pal_mesh_read(const char *path, pal_volmesh *mesh, pal_err *err);

// Whether the ending of path is one that pal_mesh_read knows.
bool pal_mesh_is_volume_path(const char *path);

// The same from memory. TetGen takes two texts: first the .node, second the .ele or .hex (its name
// tells which); the other formats take one (second may be NULL).
pal_status pal_mesh_parse(pal_mesh_format format, const pal_text *first, const pal_text *second,
                          pal_volmesh *mesh, pal_err *err);

#endif
