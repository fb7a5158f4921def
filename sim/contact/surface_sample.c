#include "sim/contact/surface_sample.h"

#include <math.h>
#include <stdlib.h>

#include "sim/contact/shell_build.h"

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// How far across the finer elements under the surface are, m: a tenth of it has smaller ones.
static double fine_element(const pal_body *body, const double *vertex_x) {
    enum { LOOKS = 500 };
    static const double middle[3] = {1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0};
    double across[LOOKS];
    const int32_t looks = body->triangle_count < LOOKS ? body->triangle_count : LOOKS;
    for (int32_t k = 0; k < looks; k++) {
        const int32_t triangle = (int32_t)((int64_t)k * body->triangle_count / looks);
        across[k] = pal_footprint_element(body, vertex_x, triangle, middle);
    }
    qsort(across, (size_t)looks, sizeof *across, ascending);
    return across[looks / 10];
}

static const double coarsest = 1.0 / 3.0; // of the tool's smallest radius, from point to point

// The surface is sampled a few times in the tool's smallest radius; where it can be dented by finer
// elements than that, about as finely as they are, but not so finely that a ball half its radius
// deep is borne by more points than a tool may have (PAL_MAX_TOUCHES).
static double spacing_for(const pal_body *body, const double *vertex_x, double feature) {
    static const double finest = 1.0 / 7.0, share = 1.0 / 3.0;
    if (vertex_x == NULL) {
        return coarsest * feature;
    }
    const double wanted = share * fine_element(body, vertex_x);
    return fmin(coarsest * feature, fmax(finest * feature, wanted));
}

pal_status pal_surface_sample(const pal_body *body, const pal_bdtree *tree, const double *vertex_x,
                              double feature, pal_shell *shell, pal_footprint *footprint,
                              pal_err *err) {
    const double spacing = spacing_for(body, vertex_x, feature);
    // Dents need them all: on a large block of fine elements 30,000 points were more than a
    // quarter of the ball's radius apart, and it felt 7 % too hard
    const bool fine = spacing < coarsest * feature;
    const pal_shell_spec spec = {.spacing = spacing,
                                 .most_points = fine ? 5 * PAL_SHELL_POINTS : 0};
    const pal_status status = pal_shell_build(body, tree, &spec, shell, err);
    return status == PAL_OK && vertex_x != NULL
               ? pal_footprint_build(shell, body, vertex_x, footprint, err)
               : status;
}
