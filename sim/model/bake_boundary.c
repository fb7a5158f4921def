#include "sim/model/bake_boundary.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/clock.h"
#include "sim/base/mat3.h"
#include "sim/base/memory.h"
#include "sim/base/packed.h"
#include "sim/base/vec3.h"
#include "sim/basis/eigen.h"
#include "sim/basis/flexibility.h"
#include "sim/basis/mass_pca.h"
#include "sim/basis/modal_deriv.h"
#include "sim/fem/assemble.h"
#include "sim/substruct/class_build.h"

enum { WRENCH = 6, MOST_DERIVED = 20 }; // boundary modes that are derived, at most

typedef struct shares { // of the basis
    int32_t boundary, modes;
    int32_t derived; // boundary modes with derivatives
} shares;

static int32_t least(int32_t a, int32_t b) {
    return a < b ? a : b;
}

static int32_t largest(int32_t a, int32_t b) {
    return a > b ? a : b;
}

static shares share_basis(const pal_basis_spec *spec) {
    int32_t r = spec->size;
    shares s = {.boundary = least(least(WRENCH * spec->port_count, r),
                                  largest(WRENCH, r - PAL_BOUNDARY_DERIVATIVES))};
    int32_t rest = r - s.boundary, room = rest - PAL_BOUNDARY_DERIVATIVES;
    s.derived = least(s.boundary, MOST_DERIVED);
    s.modes = least(spec->modes, room >= 0 ? room : rest);
    // What the derivatives cannot fill is for the modes.
    s.modes = largest(s.modes, rest - (int32_t)pal_pairs(s.derived));
    return s;
}

// ---- Loads

typedef struct port_frame { // (tr(C) I - C)^-1 turns a torque into the spin of its forces
    double x[3], spin[3][3];
} port_frame;

static pal_status frame_of(const pal_volmesh *mesh, const pal_basis_port *port, port_frame *frame,
                           pal_err *err) {
    double c[3][3], g[3][3];
    pal_interface_moments(mesh, port->vertex_count, port->vertex, port->weight, frame->x, c);
    for (int i = 0; i < 9; i++) {
        g[i / 3][i % 3] = (i % 4 == 0 ? c[0][0] + c[1][1] + c[2][2] : 0.0) - c[i / 3][i % 3];
    }
    pal_mat3_inverse(g, frame->spin);
    return pal_interface_check(port->vertex_count, c, "a port", err);
}

// The largest side of the mesh: the lever of the forces behind the torques.
static double lever_of(const pal_volmesh *mesh) {
    double lever = 0.0;
    for (int c = 0; c < 3; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int32_t v = 0; v < mesh->vertex_count; v++) {
            low = fmin(low, mesh->x[3 * (int64_t)v + c]);
            high = fmax(high, mesh->x[3 * (int64_t)v + c]);
        }
        lever = fmax(lever, high - low);
    }
    return lever;
}

// f (full vector) = the force `size` along an axis, or from 3 on the torque `size` about it, spread
// over the port.
static void set_wrench(const pal_basis_port *port, const port_frame *frame, const double *x,
                       int axis, double size, double *f) {
    for (int32_t k = 0; k < port->vertex_count; k++) {
        double *at = f + 3 * (int64_t)port->vertex[k], d[3], t[3], force[3] = {0};
        if (axis < 3) {
            force[axis] = 1.0;
        } else {
            pal_sub3(x + 3 * (int64_t)port->vertex[k], frame->x, d);
            for (int c = 0; c < 3; c++) {
                t[c] = frame->spin[c][axis - 3];
            }
            pal_cross3(t, d, force);
        }
        cblas_daxpy(3, size * port->weight[k], force, 1, at, 1);
    }
}

// load [6 ports][free dofs], as large as what hangs on each port (all alike when nothing does).
static pal_status make_loads(const pal_fem *fem, const pal_basis_spec *spec, double *load,
                             pal_err *err) {
    const pal_volmesh *mesh = fem->mesh;
    double *f = PAL_NEW(double, 3 * (size_t)mesh->vertex_count, err);
    double total = 0.0, lever = lever_of(mesh);
    pal_status status = f ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t p = 0; p < spec->port_count; p++) {
        total += spec->port[p].load;
    }
    for (int32_t p = 0; status == PAL_OK && p < spec->port_count; p++) {
        port_frame frame;
        double force = total > 0.0 ? spec->port[p].load / total : 1.0;
        status = frame_of(mesh, &spec->port[p], &frame, err);
        for (int axis = 0; status == PAL_OK && axis < WRENCH; axis++) {
            memset(f, 0, 3 * (size_t)mesh->vertex_count * sizeof *f);
            set_wrench(&spec->port[p], &frame, mesh->x, axis, axis < 3 ? force : force * lever, f);
            pal_fem_load_to_free(fem, f, load + (WRENCH * p + axis) * pal_fem_dofs(fem));
        }
    }
    free(f);
    return status;
}

// ---- Growing a basis

typedef struct growing {
    const pal_fem *fem;
    int n;
    int32_t count, size;
    double *u;  // [size][n] mass-orthonormal
    double *mu; // [size][n] M U
} growing;

// x less its part in the basis, twice over; returns its mass norm.
static double rest_of(const growing *g, double *x, double *work) {
    for (int round = 0; round < 2; round++) {
        for (int32_t k = 0; k < g->count; k++) {
            double part = cblas_ddot(g->n, g->mu + (int64_t)k * g->n, 1, x, 1);
            cblas_daxpy(g->n, -part, g->u + (int64_t)k * g->n, 1, x, 1);
        }
    }
    pal_fem_multiply_mass(g->fem, x, work);
    return sqrt(fmax(0.0, cblas_ddot(g->n, x, 1, work, 1)));
}

// Takes x [n], of which only the rest counts; it is destroyed.
static void take(growing *g, double *x) {
    double *mu = g->mu + (int64_t)g->count * g->n, *u = g->u + (int64_t)g->count * g->n;
    double norm = rest_of(g, x, mu);
    memcpy(u, x, (size_t)g->n * sizeof *u);
    cblas_dscal(g->n, 1.0 / norm, u, 1);
    cblas_dscal(g->n, 1.0 / norm, mu, 1);
    g->count++;
}

// Up to `wanted` of x [count][n], which are destroyed: always the one with the largest rest. What
// is as good as in the basis already is left out.
static pal_status take_largest(growing *g, int32_t count, int32_t wanted, double *x, pal_err *err) {
    static const double negligible = 1e-6; // of the largest as it came
    static const double alike = 1e-6;      // the first of several: rounding does not choose
    double *work = PAL_NEW(double, g->n, err), *norm = PAL_NEW(double, count, err);
    pal_status status = work && norm ? PAL_OK : PAL_ERR_MEMORY;
    double first = 0.0;
    for (int32_t k = 0; status == PAL_OK && k < count; k++) {
        pal_fem_multiply_mass(g->fem, x + (int64_t)k * g->n, work);
        first = fmax(first, sqrt(cblas_ddot(g->n, x + (int64_t)k * g->n, 1, work, 1)));
    }
    for (int32_t taken = 0; status == PAL_OK && taken < wanted && g->count < g->size; taken++) {
        int32_t best = -1;
        for (int32_t k = 0; k < count; k++) {
            norm[k] = rest_of(g, x + (int64_t)k * g->n, work);
            bool is_larger = best < 0 || norm[k] > (1.0 + alike) * norm[best];
            best = norm[k] > negligible * first && is_larger ? k : best;
        }
        if (best < 0) {
            break;
        }
        take(g, x + (int64_t)best * g->n);
    }
    free(work);
    free(norm);
    return status;
}

// ---- The three parts

// phi [ports * 6 or share.boundary][n]: the responses to the loads, or their principal components
// at the size of what they stand for.
static pal_status boundary_modes(const pal_fem *fem, const pal_basis_spec *spec, const shares *s,
                                 const pal_flexibility *flexibility, double *phi, pal_err *err) {
    int32_t count = WRENCH * spec->port_count, kept = s->boundary;
    int64_t n = pal_fem_dofs(fem), rows = 3 * (int64_t)fem->mesh->vertex_count;
    pal_status status = make_loads(fem, spec, phi, err);
    if (status == PAL_OK) {
        status = pal_flexibility_apply(flexibility, count, phi, err);
    }
    if (status != PAL_OK || kept == count) {
        return status;
    }
    double *full = PAL_NEW(double, count *rows, err), *basis = PAL_NEW(double, kept *rows, err);
    double *sigma = PAL_NEW(double, kept, err);
    status = full && basis && sigma ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t k = 0; status == PAL_OK && k < count; k++) {
        pal_fem_to_full(fem, phi + k * n, full + k * rows);
    }
    if (status == PAL_OK) {
        status = pal_mass_pca(fem, full, count, kept, basis, sigma, err);
    }
    if (status == PAL_OK) {
        pal_fem_basis_to_free(fem, basis, kept, phi);
        for (int32_t k = 0; k < kept; k++) {
            cblas_dscal((int)n, sigma[k], phi + k * n, 1);
        }
    }
    free(full);
    free(basis);
    free(sigma);
    return status;
}

// Adds the derivatives of phi [derived][n] that count most.                      [BJ05 eq. 14]
static pal_status add_derivatives(growing *g, const shares *s, const pal_flexibility *flexibility,
                                  const double *phi, pal_err *err) {
    int64_t n = g->n, rows = 3 * (int64_t)g->fem->mesh->vertex_count;
    int32_t pairs = (int32_t)pal_pairs(s->derived);
    double *full = PAL_NEW(double, s->derived *rows, err), *b = PAL_NEW(double, pairs *n, err);
    pal_status status = full && b ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t k = 0; status == PAL_OK && k < s->derived; k++) {
        pal_fem_to_full(g->fem, phi + k * n, full + k * rows);
    }
    if (status == PAL_OK) {
        status = pal_hessian_products(g->fem, full, s->derived, b, err);
    }
    if (status == PAL_OK) {
        status = pal_flexibility_apply(flexibility, pairs, b, err);
    }
    if (status == PAL_OK) {
        status = take_largest(g, pairs, g->size - g->count, b, err);
    }
    free(full);
    free(b);
    return status;
}

// Adds linear modes until the basis has `until` vectors; keeps the frequencies of those looked at.
static pal_status add_modes(growing *g, pal_fem *fem, int32_t until, const pal_progress *progress,
                            pal_baked_basis *baked, pal_err *err) {
    pal_modes modes;
    int32_t count = until - g->count;
    if (count <= 0) {
        return PAL_OK;
    }
    // Boundary modes are near the lowest modes: there must be some to choose from.
    int64_t most = pal_fem_dofs(fem) - fem->rigid_modes;
    int32_t solved = (int32_t)(most < count + WRENCH ? most : count + WRENCH);
    pal_status status = pal_modes_solve(fem, solved, progress, &modes, err);
    if (status != PAL_OK) {
        return status;
    }
    double *x = PAL_NEW(double, g->n, err), *work = PAL_NEW(double, g->n, err);
    free(baked->frequencies_hz);
    baked->frequencies_hz = PAL_NEW(double, solved, err);
    status = x && work && baked->frequencies_hz ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t k = 0; status == PAL_OK && k < solved; k++) {
        baked->frequencies_hz[k] = pal_mode_hz(modes.lambda[k]);
        pal_fem_to_free(fem, modes.psi + k * modes.rows, x);
        if (g->count < until && rest_of(g, x, work) > 1e-3) { // of a mode's mass norm, 1
            take(g, x);
        }
    }
    baked->mode_count = status == PAL_OK ? solved : 0;
    free(x);
    free(work);
    pal_modes_free(&modes);
    return status;
}

// The three parts one after the other, K factored once.
static pal_status grow(growing *g, pal_fem *fem, const pal_basis_spec *spec, const shares *s,
                       const pal_flexibility *flexibility, double *phi,
                       const pal_progress *progress, pal_baked_basis *baked, pal_bake_times *times,
                       pal_err *err) {
    double start = pal_seconds();
    pal_progress_report(progress, "boundary modes", 0.0);
    pal_status status = boundary_modes(fem, spec, s, flexibility, phi, err);
    double *copy = PAL_NEW(double, (size_t)s->boundary *(size_t)g->n, err);
    status = copy == NULL ? PAL_ERR_MEMORY : status;
    if (status == PAL_OK) {
        memcpy(copy, phi, (size_t)s->boundary * (size_t)g->n * sizeof *copy);
        status = take_largest(g, s->boundary, s->boundary, copy, err);
    }
    free(copy);
    pal_progress_report(progress, "boundary modes", 1.0);
    if (status == PAL_OK) {
        status = add_modes(g, fem, g->count + s->modes, progress, baked, err);
    }
    double middle = pal_seconds();
    times->modes = middle - start;
    pal_progress_report(progress, "modal derivatives", 0.0);
    if (status == PAL_OK && g->count < g->size) {
        status = add_derivatives(g, s, flexibility, phi, err);
    }
    pal_progress_report(progress, "modal derivatives", 1.0);
    times->derivatives = pal_seconds() - middle;
    // Where ports or derivatives turn out to be dependent, modes take their place.
    return status == PAL_OK ? add_modes(g, fem, g->size, progress, baked, err) : status;
}

static pal_status hand_over(const growing *g, double *basis, pal_err *err) {
    int64_t rows = 3 * (int64_t)g->fem->mesh->vertex_count;
    double *full = PAL_NEW(double, rows, err);
    for (int32_t k = 0; full != NULL && k < g->size; k++) {
        pal_fem_to_full(g->fem, g->u + (int64_t)k * g->n, full);
        for (int64_t row = 0; row < rows; row++) {
            basis[row * g->size + k] = full[row];
        }
    }
    free(full);
    return full != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

pal_status pal_bake_boundary(pal_fem *fem, const pal_basis_spec *spec, const pal_progress *progress,
                             pal_baked_basis *baked, pal_bake_times *times, pal_err *err) {
    size_t n = (size_t)pal_fem_dofs(fem), r = (size_t)spec->size;
    shares s = share_basis(spec);
    pal_flexibility flexibility = {0};
    pal_chol *chol = NULL;
    growing g = {.fem = fem, .n = (int)n, .size = spec->size};
    g.u = PAL_NEW(double, r *n, err);
    g.mu = PAL_NEW(double, r *n, err);
    double *phi = PAL_NEW(double, WRENCH *(size_t)spec->port_count *n, err);
    pal_status status = g.u && g.mu && phi ? PAL_OK : PAL_ERR_MEMORY;
    double start = pal_seconds();
    if (status == PAL_OK) {
        status = pal_fem_evaluate(fem, NULL, NULL, NULL, true, err);
    }
    if (status == PAL_OK) {
        chol = pal_chol_create(&fem->stiffness, err);
        status = chol ? pal_flexibility_factor(fem, chol, &flexibility, err) : PAL_ERR_MEMORY;
    }
    times->setup += pal_seconds() - start;
    if (status == PAL_OK) {
        status = grow(&g, fem, spec, &s, &flexibility, phi, progress, baked, times, err);
    }
    if (status == PAL_OK && g.count < g.size) {
        status = pal_fail(err, PAL_ERR_USAGE,
                          "a basis of %d was asked for, but only %d independent shapes were found",
                          g.size, g.count);
    }
    if (status == PAL_OK) {
        status = pal_mass_orthonormalise(fem, g.size, g.u, err);
    }
    if (status == PAL_OK) {
        status = hand_over(&g, baked->basis, err);
    }
    pal_flexibility_free(&flexibility);
    pal_chol_free(chol);
    free(g.u);
    free(g.mu);
    free(phi);
    return status;
}
