// What the dents of a side do by themselves (see joint_build.c). A table of local compliance has
// the pairs of vertices nearer than its radius. Under a tip that is all of them; but over all that
// is near an interface, where a body has more to it beyond its modes than dents, the rest is
// missed: G with zeros in their places is not positive, and says nothing of what there is to take
// away.
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/contact/joint_parts.h"
#include "sim/contact/local_build.h"

static const double rounding = 1e-4; // of the largest eigenvalue; those below zero are no less

static pal_status is_positive(const double *g, int n, bool *positive, pal_err *err) {
    const size_t bytes = (size_t)n * (size_t)n * sizeof *g;
    double *copy = PAL_NEW(double, (size_t)n *(size_t)n, err), *value = PAL_NEW(double, n, err);
    pal_status status = copy && value ? PAL_OK : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        memcpy(copy, g, bytes);
        if (LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'N', 'U', n, copy, n, value) != 0) {
            status = pal_fail(err, PAL_ERR_NUMERIC, "the dents at an interface are not finite");
        }
        *positive = n == 0 || value[0] > -rounding * value[n - 1];
    }
    free(copy);
    free(value);
    return status;
}

// A table of the same vertices with all pairs, once for all joints of a class.
static pal_status find_all_pairs(const pal_joint_side *side, pal_err *err) {
    static const double everywhere = 1e3; // times as far as the table goes
    const pal_local *local = side->local;
    pal_fem fem = {0};
    pal_local_report report;
    uint8_t *touch = PAL_NEW(uint8_t, side->mesh->vertex_count, err);
    pal_status status = touch != NULL ? pal_fem_init(&fem, side->mesh, side->material, side->held,
                                                     PAL_MASS_LUMPED, err)
                                      : PAL_ERR_MEMORY;
    for (int32_t k = 0; status == PAL_OK && k < local->row_count; k++) {
        touch[local->vertex[k]] = 1;
    }
    const pal_local_spec spec = {
        .choice = PAL_LOCAL_WANT_EXACT, .radius = everywhere * local->radius, .touch = touch};
    if (status == PAL_OK) {
        status = pal_local_build(&fem, side->basis, side->r, side->embedding, &spec, NULL,
                                 side->all_pairs, &report, err);
    }
    pal_fem_free(&fem);
    free(touch);
    return status;
}

pal_status pal_joint_own_dents(const pal_joint_side *side, int32_t count, const int32_t *vertex,
                               double *g, pal_err *err) {
    const size_t all = 9 * (size_t)count * (size_t)count;
    bool positive = false;
    memset(g, 0, all * sizeof *g);
    pal_local_add_vertices(side->local, count, vertex, g);
    pal_status status = is_positive(g, 3 * count, &positive, err);
    if (status != PAL_OK || positive || side->local->way != PAL_LOCAL_EXACT) {
        return status; // (what was too much to know exactly is too much here)
    }
    if (side->all_pairs->row_count == 0) {
        status = find_all_pairs(side, err);
    }
    if (status == PAL_OK) {
        memset(g, 0, all * sizeof *g);
        pal_local_add_vertices(side->all_pairs, count, vertex, g);
    }
    return status;
}
