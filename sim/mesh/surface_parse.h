// Surfaces from memory, so that reading can be fuzzed. Set-up only.
#ifndef PAL_MESH_SURFACE_PARSE_H
#define PAL_MESH_SURFACE_PARSE_H

#include <stddef.h>

#include "sim/mesh/surface.h"

typedef enum pal_surface_format {
    PAL_SURFACE_OBJ,
    PAL_SURFACE_STL, // ASCII and binary
    PAL_SURFACE_PLY, // ASCII and binary, either byte order
} pal_surface_format;

// `name` is for messages. *surface is empty on failure.
pal_status pal_surface_parse(pal_surface_format format, const char *name, const char *data,
                             size_t size, pal_surface *surface, pal_err *err);

// What pal_surface_parse hands to assimp: a heap array *clean [*clean_size] with the positions and
// faces of the file and nothing else; OBJ stays OBJ, STL stays STL, PLY becomes OBJ. assimp runs
// wild on garbled files; so this checks that the file is whole, that numbers are numbers and that
// faces name only vertices which are there. Errors name the line. Internal to surface_io.
pal_status pal_surface_clean(pal_surface_format format, const char *name, const char *data,
                             size_t size, char **clean, size_t *clean_size, pal_err *err);

#endif
