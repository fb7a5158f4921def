#include "sim/model/bake_basis.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/clock.h"
#include "sim/base/memory.h"
#include "sim/basis/eigen.h"
#include "sim/basis/load_shapes.h"
#include "sim/basis/mass_pca.h"
#include "sim/basis/modal_deriv.h"
#include "sim/basis/rigid.h"
#include "sim/model/bake_boundary.h"

// Seconds since *since, which moves to now.
static double lap(double *since) {
    double now = pal_seconds(), spent = now - *since;
    *since = now;
    return spent;
}

typedef struct mass_metric { // workspace to measure and clean full vectors
    const pal_fem *fem;
    int n;
    double *x, *work; // [n]
    double *rigid;    // [6][n], free bodies
} mass_metric;

static void free_metric(mass_metric *metric) {
    free(metric->x);
    free(metric->work);
    free(metric->rigid);
}

static pal_status make_metric(const pal_fem *fem, mass_metric *metric, pal_err *err) {
    *metric = (mass_metric){.fem = fem, .n = (int)pal_fem_dofs(fem)};
    metric->x = PAL_NEW(double, metric->n, err);
    metric->work = PAL_NEW(double, metric->n, err);
    metric->rigid = PAL_NEW(double, 6 * (size_t)metric->n, err);
    if (!metric->x || !metric->work || !metric->rigid) {
        return PAL_ERR_MEMORY;
    }
    return fem->rigid_modes > 0 ? pal_rigid_modes(fem, metric->rigid, err) : PAL_OK;
}

// out = weight * shape / |shape|_M, less its rigid part in a free body.
static void scaled_shape(mass_metric *metric, const double *shape, double weight, double *out) {
    pal_fem_to_free(metric->fem, shape, metric->x);
    pal_project_out(metric->fem, metric->rigid, metric->fem->rigid_modes, metric->x, metric->work);
    pal_fem_multiply_mass(metric->fem, metric->x, metric->work);
    double norm = sqrt(cblas_ddot(metric->n, metric->x, 1, metric->work, 1));
    cblas_dscal(metric->n, norm > 0.0 ? weight / norm : 0.0, metric->x, 1);
    pal_fem_to_full(metric->fem, metric->x, out);
}

// The weighted set of eq. 16: lambda_1/lambda_j Psi_j and lambda_1^2/(lambda_i lambda_j) Phi_ij,
// with the derivatives mass-normalised: only so is the basis independent of the unit of length, of
// density and of stiffness, as the paper says it is. [BJ05 eq. 16]
static pal_status weighted_shapes(const pal_fem *fem, const pal_modes *modes, int32_t k,
                                  const pal_derivatives *d, double *out, pal_err *err) {
    mass_metric metric;
    pal_status status = make_metric(fem, &metric, err);
    const double *lambda = modes->lambda;
    for (int32_t j = 0; status == PAL_OK && j < k; j++) {
        scaled_shape(&metric, modes->psi + j * modes->rows, lambda[0] / lambda[j],
                     out + j * modes->rows);
    }
    for (int32_t n = 0; status == PAL_OK && n < d->count; n++) {
        double weight = lambda[0] / lambda[d->i[n]] * lambda[0] / lambda[d->j[n]];
        scaled_shape(&metric, d->phi + n * d->rows, weight, out + (k + n) * modes->rows);
    }
    free_metric(&metric);
    return status;
}

static pal_status keep_frequencies(const pal_modes *modes, int32_t count, pal_baked_basis *baked,
                                   pal_err *err) {
    baked->mode_count = count;
    baked->frequencies_hz = PAL_NEW(double, count, err);
    for (int32_t k = 0; baked->frequencies_hz != NULL && k < count; k++) {
        baked->frequencies_hz[k] = pal_mode_hz(modes->lambda[k]);
    }
    return baked->frequencies_hz ? PAL_OK : PAL_ERR_MEMORY;
}

// Modes and derivatives of the first k modes, weighted, then mass-PCA.
static pal_status from_derivatives(pal_fem *fem, const pal_basis_spec *spec,
                                   const pal_progress *progress, const pal_modes *modes,
                                   pal_baked_basis *baked, pal_bake_times *times, double *since,
                                   pal_err *err) {
    int32_t k = spec->modes;
    pal_derivatives derivatives = {0};
    pal_status status = pal_modal_derivatives(fem, modes, k, progress, &derivatives, err);
    times->derivatives = lap(since);
    double *shapes = NULL;
    if (status == PAL_OK) {
        shapes = PAL_NEW(double, (size_t)(k + derivatives.count) * (size_t)modes->rows, err);
        status =
            shapes ? weighted_shapes(fem, modes, k, &derivatives, shapes, err) : PAL_ERR_MEMORY;
    }
    int32_t count = k + derivatives.count;
    pal_derivatives_free(&derivatives);
    pal_progress_report(progress, "principal components", 0.0);
    if (status == PAL_OK) {
        status = pal_mass_pca(fem, shapes, count, spec->size, baked->basis, NULL, err);
    }
    pal_progress_report(progress, "principal components", 1.0);
    times->pca = lap(since);
    free(shapes);
    return status;
}

static void modes_as_basis(const pal_modes *modes, int32_t r, double *basis) {
    for (int64_t row = 0; row < modes->rows; row++) {
        for (int32_t k = 0; k < r; k++) {
            basis[row * r + k] = modes->psi[k * modes->rows + row];
        }
    }
}

static pal_status from_modes(pal_fem *fem, const pal_basis_spec *spec, const pal_progress *progress,
                             pal_baked_basis *baked, pal_bake_times *times, double *since,
                             pal_err *err) {
    bool derive = spec->kind == PAL_BASIS_DERIVATIVES;
    // Guard modes make the derivatives of a free body quick (see modal_deriv.h).
    int32_t guard = derive && fem->rigid_modes > 0 ? spec->modes / 2 + 6 : 0;
    int64_t left = pal_fem_dofs(fem) - fem->rigid_modes - spec->modes;
    guard = left < 0 ? 0 : left < guard ? (int32_t)left : guard;
    pal_modes modes;
    pal_progress_report(progress, "modes", 0.0);
    pal_status status = pal_modes_solve(fem, spec->modes + guard, progress, &modes, err);
    pal_progress_report(progress, "modes", 1.0);
    times->modes = lap(since);
    if (status == PAL_OK) {
        status = keep_frequencies(&modes, spec->modes, baked, err);
    }
    if (status == PAL_OK && derive) {
        status = from_derivatives(fem, spec, progress, &modes, baked, times, since, err);
    } else if (status == PAL_OK) {
        modes_as_basis(&modes, spec->size, baked->basis);
    }
    pal_modes_free(&modes);
    return status;
}

static pal_status from_loads(pal_fem *fem, const pal_basis_spec *spec, const pal_progress *progress,
                             pal_baked_basis *baked, pal_bake_times *times, double *since,
                             pal_err *err) {
    int64_t rows = 3 * (int64_t)fem->mesh->vertex_count;
    double *force = PAL_NEW(double, (size_t)spec->load_count *(size_t)rows, err);
    pal_shapes shapes = {0};
    pal_status status = force ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t k = 0; status == PAL_OK && k < spec->load_count; k++) {
        status = pal_fem_add_load(fem, spec->loads[k].selector, spec->loads[k].force,
                                  force + k * rows, err);
    }
    if (status == PAL_OK) {
        status = pal_shapes_under_loads(fem, force, spec->load_count, spec->force_separation,
                                        spec->shape_separation, progress, &shapes, err);
    }
    times->modes = lap(since);
    if (status == PAL_OK) {
        status = pal_mass_pca(fem, shapes.u, shapes.count, spec->size, baked->basis, NULL, err);
    }
    times->pca = lap(since);
    pal_shapes_free(&shapes);
    free(force);
    return status;
}

// Nothing hangs on a body without ports: it has modes and their derivatives, and enough of them.
static pal_basis_spec portless(const pal_fem *fem, const pal_basis_spec *spec) {
    pal_basis_spec modal = *spec;
    if (spec->kind == PAL_BASIS_BOUNDARY) {
        int64_t most = pal_fem_dofs(fem) - fem->rigid_modes;
        modal.kind = PAL_BASIS_DERIVATIVES;
        modal.modes = spec->modes > (spec->size + 1) / 2 ? spec->modes : (spec->size + 1) / 2;
        modal.modes = modal.modes > most ? (int32_t)most : modal.modes;
    }
    return modal;
}

static pal_status check_spec(const pal_basis_spec *spec, pal_err *err) {
    if (spec->size < 1) {
        return pal_fail(err, PAL_ERR_USAGE, "the basis must have at least one vector");
    }
    if (spec->kind == PAL_BASIS_MODES && spec->modes < spec->size) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "a basis of %d linear modes was asked for, but only %d modes", spec->size,
                        spec->modes);
    }
    if (spec->kind == PAL_BASIS_LOADS && spec->load_count < spec->size) {
        return pal_fail(err, PAL_ERR_USAGE, "a basis of %d from %d loads: give at least %d loads",
                        spec->size, spec->load_count, spec->size);
    }
    return PAL_OK;
}

pal_status pal_bake_basis(pal_fem *fem, const pal_basis_spec *spec, const pal_progress *progress,
                          pal_baked_basis *baked, pal_bake_times *times, pal_err *err) {
    double since = pal_seconds();
    *baked = (pal_baked_basis){0};
    pal_status status = check_spec(spec, err);
    if (status != PAL_OK) {
        return status;
    }
    size_t rows = 3 * (size_t)fem->mesh->vertex_count;
    baked->basis = PAL_NEW(double, rows *(size_t)spec->size, err);
    if (baked->basis == NULL) {
        return PAL_ERR_MEMORY;
    }
    if (spec->kind == PAL_BASIS_LOADS) {
        status = from_loads(fem, spec, progress, baked, times, &since, err);
    } else if (spec->kind == PAL_BASIS_BOUNDARY && spec->port_count > 0) {
        status = pal_bake_boundary(fem, spec, progress, baked, times, err);
    } else {
        pal_basis_spec modal = portless(fem, spec);
        status = from_modes(fem, &modal, progress, baked, times, &since, err);
    }
    if (status != PAL_OK) {
        pal_baked_basis_free(baked);
    }
    return status;
}

void pal_baked_basis_free(pal_baked_basis *baked) {
    free(baked->basis);
    free(baked->frequencies_hz);
    *baked = (pal_baked_basis){0};
}
