// How finely a surface is sampled for the tools that will touch it (shell.h), and over what their
// touches press where it can be dented (footprint.h).
#ifndef PAL_CONTACT_SURFACE_SAMPLE_H
#define PAL_CONTACT_SURFACE_SAMPLE_H

#include "sim/contact/footprint.h"

// The body at rest, linear. feature: m, the smallest radius of the tools. vertex_x [vertices of the
// volume mesh][3]: of a body with its embedding that can be dented; NULL: it cannot, and the
// footprint stays empty. Set-up only; both cores.
pal_status pal_surface_sample(const pal_body *body, const pal_bdtree *tree, const double *vertex_x,
                              double feature, pal_shell *shell, pal_footprint *footprint,
                              pal_err *err);

#endif
