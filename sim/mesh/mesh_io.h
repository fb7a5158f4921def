// Volume mesh readers. One file per format; all parse from memory (so that they can be fuzzed) and
// all end in pal_mesh_tidy. Elements with the same label (physical group, attribute, reference,
// cell array "region", VEGA region) make a region, in ascending order of labels, named as the file
// names it or else by its label; a single region without a name is "body". Beside the regions there
// are sets (volmesh.h): VEGA's sets of elements; the vertices of Gmsh's physical points, curves and
// surfaces; whole-numbered arrays of VTK over cells and points, a value each. Points, lines and
// polygons are otherwise passed over; prisms, pyramids, quadratic elements and a mix of tets and
// hexahedra are refused.
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

// How the files are read that a file names; *data is a heap array of *size bytes.
typedef struct pal_mesh_files {
    pal_status (*read)(void *context, const char *path, char **data, size_t *size, pal_err *err);
    void *context;
} pal_mesh_files;

// A piece of text with its name for messages.
typedef struct pal_text {
    const char *name;
    const char *data; // need not end in NUL
    size_t size;
    const pal_mesh_files *files; // NULL: it may name no other file
} pal_text;

// Reads the volume mesh in the file `path` (the format by its ending; .node, .ele and .hex find
// each other). *mesh is empty on failure.
pal_status pal_mesh_read(const char *path, pal_volmesh *mesh, pal_err *err);

// Calls `visit` with each file that pal_mesh_read(path) reads: the named one first, then those
// beside it (TetGen) and those that it includes (VEGA). Stops at the first failure.
pal_status pal_mesh_sources(const char *path,
                            pal_status (*visit)(void *context, const pal_text *text, pal_err *err),
                            void *context, pal_err *err);

// Whether the ending of path is one that pal_mesh_read knows.
bool pal_mesh_is_volume_path(const char *path);

// The same from memory. TetGen takes two texts: first the .node, second the .ele or .hex (its name
// tells which); the other formats take one (second may be NULL).
pal_status pal_mesh_parse(pal_mesh_format format, const pal_text *first, const pal_text *second,
                          pal_volmesh *mesh, pal_err *err);

#endif
