// What contact looks up on the surface of a linear body, and what does not change in a run: the
// bounded deformation tree (bdtree.h), the nested points (shell.h) and their footprints
// (footprint.h). Built in seconds on a large surface, so it is kept for the next run with this body
// and a tool of this size: the file's arrays are used where they lie.
#ifndef PAL_CONTACT_SURFACE_INDEX_H
#define PAL_CONTACT_SURFACE_INDEX_H

#include <stdbool.h>

#include "sim/base/hash.h"
#include "sim/base/keep.h"
#include "sim/contact/footprint.h"

// Raise it when the builders of tree, points or footprints change what they give.
enum { PAL_SURFACE_INDEX_VERSION = 1 };

typedef struct pal_surface_source { // what it is built from
    const pal_body *body;           // at rest, linear; with its embedding if it can be dented
    const double *vertex_x;         // [vertices of the volume mesh][3] of such a body; NULL: no
                                    // footprints
    double feature;                 // m, the smallest radius of the tools
    const pal_keep *keep;           // NULL: it is built, and not kept
} pal_surface_source;

typedef struct pal_surface_index { // where it goes
    pal_bdtree *tree;
    pal_shell *shell;
    pal_footprint *footprint; // empty without vertex_x
    void **file;              // the kept file that the arrays lie in; NULL: each is by itself
} pal_surface_index;

// From what is kept, else built and given to be kept. A kept file that is damaged, or of another
// body, tool or version of the program, is built anew. On failure all parts are empty. Set-up only;
// both cores.
pal_status pal_surface_index_open(const pal_surface_source *source, const pal_surface_index *index,
                                  pal_err *err);
void pal_surface_index_close(const pal_surface_index *index);

// The hash of everything that it depends on.
void pal_surface_index_key(const pal_surface_source *source, char key[PAL_HASH_TEXT]);

// The file of an index as a heap array, and the index of such a file, which owns `file` from then
// on. Of a file that is damaged or another's: an error, nothing is owned.
pal_status pal_surface_index_image(const pal_surface_source *source, const pal_surface_index *index,
                                   char **file, size_t *size, pal_err *err);
pal_status pal_surface_index_take(const pal_surface_source *source, char *file, size_t size,
                                  const pal_surface_index *index, pal_err *err);

#endif
