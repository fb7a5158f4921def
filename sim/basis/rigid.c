#include "sim/basis/rigid.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"

void pal_project_out(const pal_fem *fem, const double *w, int count, double *x, double *work) {
    int n = (int)pal_fem_dofs(fem);
    pal_fem_multiply_mass(fem, x, work);
    for (int k = 0; k < count; k++) {
        const double *wk = w + (int64_t)k * n;
        cblas_daxpy(n, -cblas_ddot(n, wk, 1, work, 1), wk, 1, x, 1);
    }
}

// The motion of vertex at x: a translation (k < 3) or a rotation about an axis through `centre`.
static void rigid_motion(int k, const double *x, const double *centre, double *out) {
    double axis[3] = {k % 3 == 0, k % 3 == 1, k % 3 == 2}, arm[3];
    if (k < 3) {
        memcpy(out, axis, sizeof axis);
        return;
    }
    pal_sub3(x, centre, arm);
    pal_cross3(axis, arm, out);
}

pal_status pal_rigid_modes(const pal_fem *fem, double *w, pal_err *err) {
    int n = (int)pal_fem_dofs(fem);
    double *work = PAL_NEW(double, n, err);
    if (work == NULL) {
        return PAL_ERR_MEMORY;
    }
    const double *x = fem->mesh->x;
    double centre[3] = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i < fem->free_count; i++) {
        for (int c = 0; c < 3; c++) {
            centre[c] += x[3 * (int64_t)fem->free_vertex[i] + c] / fem->free_count;
        }
    }
    for (int k = 0; k < 6; k++) {
        double *wk = w + (int64_t)k * n;
        for (int32_t i = 0; i < fem->free_count; i++) {
            rigid_motion(k, x + 3 * (int64_t)fem->free_vertex[i], centre, wk + 3 * (int64_t)i);
        }
        // Gram-Schmidt in the mass metric, twice for the last digits.
        pal_project_out(fem, w, k, wk, work);
        pal_project_out(fem, w, k, wk, work);
        pal_fem_multiply_mass(fem, wk, work);
        cblas_dscal(n, 1.0 / sqrt(cblas_ddot(n, wk, 1, work, 1)), wk, 1);
    }
    free(work);
    return PAL_OK;
}
