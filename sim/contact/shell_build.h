// Samples the surface of a body by a nested shell of points (see shell.h). Loading only.
#ifndef PAL_CONTACT_SHELL_BUILD_H
#define PAL_CONTACT_SHELL_BUILD_H

#include "sim/base/status.h"
#include "sim/contact/shell.h"

typedef struct pal_shell_spec {
    double spacing;      // m, between the points of the last level: a third of the tool's feature
    int32_t most_points; // the spacing grows until there are not more; 0: PAL_SHELL_POINTS
} pal_shell_spec;

enum { PAL_SHELL_POINTS = 30000 };

// The body must be linear, and `tree` its tree, which the shell goes on using. What the shell holds
// depends on the surface and the spacing, not on how fine its triangles are; the same surface gives
// the same shell. On failure *shell is empty.
pal_status pal_shell_build(const pal_body *body, const pal_bdtree *tree, const pal_shell_spec *spec,
                           pal_shell *shell, pal_err *err);
void pal_shell_free(pal_shell *shell);

#endif
