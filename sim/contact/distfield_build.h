// Samples the distance field of a closed surface (see distfield.h), and keeps it in files. Baking
// and loading only.
#ifndef PAL_CONTACT_DISTFIELD_BUILD_H
#define PAL_CONTACT_DISTFIELD_BUILD_H

#include "sim/base/progress.h"
#include "sim/base/status.h"
#include "sim/contact/distfield.h"
#include "sim/mesh/surface.h"

// Raise it when the same surface gives another field, or the file another form.
enum { PAL_DISTFIELD_VERSION = 2 };

typedef struct pal_distfield_spec {
    double cell;   // m; 0: by cells
    int32_t cells; // along the longest side of the surface's box
    double margin; // m, how far the samples go beyond that box (four cells at least)
} pal_distfield_spec;

// Exact distances at the samples, on all processors; the sign by angle-weighted pseudonormals
// [BA05]. The surface must be closed and manifold and have its outside outside. At most 2^25
// samples (128 MB). On failure *field is empty.
pal_status pal_distfield_build(const pal_surface *surface, const pal_distfield_spec *spec,
                               const pal_progress *progress, pal_distfield *field, pal_err *err);
void pal_distfield_free(pal_distfield *field);

// A file of its own form with a hash of its content: written whole or not at all; one that is cut
// short, garbled or of another version is refused.
pal_status pal_distfield_write(const char *path, const char *key, const pal_distfield *field,
                               pal_err *err);
pal_status pal_distfield_read(const char *path, const char *key, pal_distfield *field,
                              pal_err *err);

#endif
