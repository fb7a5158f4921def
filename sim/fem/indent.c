// The unilateral problem. With unit normals n_i from the ball's centre to the points as they are
// now, and pushes l_i >= 0 along them,
//
//     0 <= l  _|_  A l + b >= 0,     A_ij = n_i W_ij n_j,     b_i = n_i . (x_i - c) - R
//
// is solved by active sets (a Cholesky each); then the normals are taken anew until nothing moves.
#include "sim/fem/indent.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/sparse_chol.h"
#include "sim/base/vec3.h"
#include "sim/fem/assemble.h"
#include "sim/mesh/surface.h"

enum { MOST_NORMALS = 300, PLAIN_NORMALS = 40, MOST_SETS = 40, MOST_SWEEPS = 3000 };
static const double SETTLED = 1e-7; // of the radius
static const double STEP = 0.2;     // of the radius, at most at a time
static const double REACH = 1.25;   // of the radius: beyond, nothing can be touched

double pal_indent_hertz(double young, double poisson, double radius, double depth) {
    return 4.0 / 3.0 * young / (1.0 - poisson * poisson) * sqrt(radius) * pow(depth, 1.5);
}

void pal_indent_set_force(pal_indent_result *result, const double on_body[3],
                          const double axis[3]) {
    for (int c = 0; c < 3; c++) {
        result->vector[c] = -on_body[c];
    }
    result->force = pal_dot3(on_body, axis);
    result->sideways = sqrt(fmax(0.0, pal_dot3(on_body, on_body) - result->force * result->force));
}

static void centre_at(const pal_indent_spec *spec, double depth, double c[3]) {
    for (int k = 0; k < 3; k++) {
        c[k] = spec->at[k] - spec->axis[k] * (spec->radius - depth);
    }
}

typedef struct pushing {
    int32_t n;
    const double *x, *w;
    double c[3], radius;
    double *u, *force; // [n][3]
    double *normal;    // [n][3]
    double *push, *b;  // [n]
    double *a, *part;  // [n][n]; the active part of A
    double *answer;    // [n]
    int32_t *active;   // [n]
} pushing;

static void take_normals(pushing *p, const double axis[3]) {
    for (int32_t i = 0; i < p->n; i++) {
        double *n = p->normal + 3 * i, offset = 0.0;
        for (int c = 0; c < 3; c++) {
            n[c] = p->x[3 * i + c] + p->u[3 * i + c] - p->c[c];
        }
        double length = pal_norm3(n);
        for (int c = 0; c < 3; c++) {
            n[c] = length > 1e-9 * p->radius ? n[c] / length : axis[c];
            offset += n[c] * (p->x[3 * i + c] - p->c[c]);
        }
        p->b[i] = offset - p->radius;
    }
    for (int32_t i = 0; i < p->n; i++) {
        for (int32_t j = 0; j < p->n; j++) {
            double sum = 0.0;
            for (int c = 0; c < 3; c++) {
                const double *row = p->w + (3 * (int64_t)i + c) * 3 * p->n + 3 * j;
                sum += p->normal[3 * i + c] * pal_dot3(row, p->normal + 3 * j);
            }
            p->a[(int64_t)i * p->n + j] = sum;
        }
    }
}

// The pushes of the active points that close their gaps. False when A is not positive there.
static bool solve_active(pushing *p, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        p->answer[i] = -p->b[p->active[i]];
        for (int32_t j = 0; j < count; j++) {
            p->part[(int64_t)i * count + j] = p->a[(int64_t)p->active[i] * p->n + p->active[j]];
        }
    }
    return count == 0 ||
           LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', count, 1, p->part, count, p->answer, 1) == 0;
}

// The slow and sure way, where active sets go round in circles: projected Gauss-Seidel.
static void sweep_pushes(pushing *p) {
    double change = INFINITY, most = 0.0;
    for (int32_t sweep = 0; sweep < MOST_SWEEPS && change > 1e-9 * most; sweep++) {
        change = most = 0.0;
        for (int32_t i = 0; i < p->n; i++) {
            double gap = p->b[i], old = p->push[i];
            for (int32_t j = 0; j < p->n; j++) {
                gap += p->a[(int64_t)i * p->n + j] * p->push[j];
            }
            p->push[i] = fmax(0.0, old - gap / p->a[(int64_t)i * p->n + i]);
            change = fmax(change, fabs(p->push[i] - old));
            most = fmax(most, p->push[i]);
        }
    }
}

// Active sets: a point is in when its push, or its overlap, says so.
static bool solve_pushes(pushing *p) {
    for (int32_t set = 0; set < MOST_SETS; set++) {
        int32_t count = 0;
        for (int32_t i = 0; i < p->n; i++) {
            double gap = p->b[i];
            for (int32_t j = 0; j < p->n; j++) {
                gap += p->a[(int64_t)i * p->n + j] * p->push[j];
            }
            if (p->push[i] > 0.0 ? p->push[i] > gap / p->a[(int64_t)i * p->n + i]
                                 : gap < -1e-12 * p->radius) {
                p->active[count++] = i;
            }
        }
        if (!solve_active(p, count)) {
            return false;
        }
        bool pulls = false;
        double change = 0.0, most = 0.0;
        double *old = p->part; // free again: at least n long
        memcpy(old, p->push, (size_t)p->n * sizeof *old);
        memset(p->push, 0, (size_t)p->n * sizeof *p->push);
        for (int32_t i = 0; i < count; i++) {
            p->push[p->active[i]] = p->answer[i];
            pulls = pulls || p->answer[i] < 0.0;
        }
        for (int32_t i = 0; i < p->n; i++) {
            change = fmax(change, fabs(p->push[i] - old[i]));
            most = fmax(most, fabs(p->push[i]));
        }
        if (!pulls && change <= 1e-10 * most) {
            return true;
        }
    }
    return false;
}

// The forces, and the points a share of the way to where they put them; returns the longest way.
static double displace(pushing *p, double share) {
    double longest = 0.0;
    for (int32_t i = 0; i < p->n; i++) {
        for (int c = 0; c < 3; c++) {
            p->force[3 * i + c] = p->push[i] * p->normal[3 * i + c];
        }
    }
    for (int32_t k = 0; k < 3 * p->n; k++) {
        double sum = 0.0;
        for (int32_t j = 0; j < 3 * p->n; j++) {
            sum += p->w[(int64_t)k * 3 * p->n + j] * p->force[j];
        }
        longest = fmax(longest, fabs(sum - p->u[k]));
        p->u[k] += share * (sum - p->u[k]);
    }
    return longest;
}

static void sum_up(const pushing *p, const pal_indent_spec *spec, pal_indent_result *result) {
    double total[3] = {0.0, 0.0, 0.0};
    result->contacts = 0;
    result->contact_radius = 0.0;
    result->overlap = 0.0;
    for (int32_t i = 0; i < p->n; i++) {
        double d[3];
        for (int c = 0; c < 3; c++) {
            total[c] += p->force[3 * i + c];
            d[c] = p->x[3 * i + c] + p->u[3 * i + c] - p->c[c];
        }
        result->overlap = fmax(result->overlap, p->radius - pal_norm3(d));
        if (p->push[i] > 0.0) {
            double along = pal_dot3(d, spec->axis);
            result->contacts++;
            result->contact_radius =
                fmax(result->contact_radius, sqrt(fmax(0.0, pal_dot3(d, d) - along * along)));
        }
    }
    pal_indent_set_force(result, total, spec->axis);
}

static pal_status settle(pushing *p, const pal_indent_spec *spec, pal_indent_result *result,
                         pal_err *err) {
    for (result->iterations = 1; result->iterations <= MOST_NORMALS; result->iterations++) {
        take_normals(p, spec->axis);
        if (!solve_pushes(p)) {
            sweep_pushes(p);
        }
        if (displace(p, result->iterations <= PLAIN_NORMALS ? 1.0 : 0.3) <= SETTLED * p->radius) {
            sum_up(p, spec, result);
            return PAL_OK;
        }
    }
    return pal_fail(err, PAL_ERR_NUMERIC,
                    "the points under the ball did not settle in %d steps; press less deep",
                    MOST_NORMALS);
}

// Every depth of the spec from the one before, by steps that keep the normals near the last ones.
static pal_status descend(pushing *p, const pal_indent_spec *spec, pal_indent_result *result,
                          pal_err *err) {
    double depth = 0.0;
    pal_status status = PAL_OK;
    for (int32_t k = 0; k < spec->count; k++) {
        int32_t iterations = 0;
        while (status == PAL_OK && depth < spec->depth[k]) {
            depth = fmin(spec->depth[k], depth + STEP * spec->radius);
            centre_at(spec, depth, p->c);
            status = settle(p, spec, &result[k], err);
            iterations += result[k].iterations;
        }
        result[k].iterations = iterations;
    }
    return status;
}

pal_status pal_indent_points(int32_t count, const double *x, const double *w,
                             const pal_indent_spec *spec, pal_indent_result *result, pal_err *err) {
    int64_t n = count;
    double *memory = PAL_NEW(double, 2 * n * n + 12 * n, err);
    int32_t *active = PAL_NEW(int32_t, n, err);
    pal_status status = memory && active ? PAL_OK : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        pushing p = {.n = count, .x = x, .w = w, .radius = spec->radius, .active = active};
        p.a = memory;
        p.part = p.a + n * n;
        p.u = p.part + n * n;
        p.force = p.u + 3 * n;
        p.normal = p.force + 3 * n;
        p.push = p.normal + 3 * n;
        p.b = p.push + n;
        p.answer = p.b + n;
        memset(result, 0, (size_t)spec->count * sizeof *result);
        status = descend(&p, spec, result, err);
    }
    free(memory);
    free(active);
    return status;
}

// ---- The full mesh ------------------------------------------------------------------------------

pal_status pal_indent_candidates(const pal_fem *fem, const pal_indent_spec *spec, int32_t *count,
                                 int32_t **vertex, pal_err *err) {
    const pal_volmesh *mesh = fem->mesh;
    uint8_t *on_surface = PAL_NEW(uint8_t, mesh->vertex_count, err);
    *vertex = PAL_NEW(int32_t, mesh->vertex_count, err);
    pal_status status =
        on_surface && *vertex ? pal_surface_mark(mesh, on_surface, err) : PAL_ERR_MEMORY;
    double c[3], d[3];
    centre_at(spec, spec->depth[spec->count - 1], c);
    *count = 0;
    for (int32_t v = 0; status == PAL_OK && v < mesh->vertex_count; v++) {
        pal_sub3(mesh->x + 3 * (int64_t)v, c, d);
        if (on_surface[v] && fem->free_index[v] >= 0 && pal_norm3(d) <= REACH * spec->radius) {
            (*vertex)[(*count)++] = v;
        }
    }
    free(on_surface);
    if (status == PAL_OK && *count == 0) {
        status = pal_fail(err, PAL_ERR_USAGE,
                          "no free vertex of the surface is near the ball; see that it is put on "
                          "the surface, or use a finer mesh");
    }
    if (status != PAL_OK) {
        free(*vertex);
        *vertex = NULL;
    }
    return status;
}

pal_status pal_indent_refuse_free(pal_err *err) {
    return pal_fail(err, PAL_ERR_USAGE,
                    "nothing is fixed, so that the body would be pushed away; fix at least "
                    "three vertices that are not in line (--fix SEL)");
}

pal_status pal_indent_refuse_far(pal_err *err) {
    return pal_fail(err, PAL_ERR_USAGE,
                    "nothing of the surface that can move is near the ball; see that it is put on "
                    "the surface and not where the body is held");
}

static pal_status factor_rest(pal_fem *fem, pal_chol **chol, pal_err *err) {
    if (fem->rigid_modes > 0) {
        return pal_indent_refuse_free(err);
    }
    pal_status status = pal_fem_evaluate(fem, NULL, NULL, NULL, true, err);
    if (status != PAL_OK) {
        return status;
    }
    bool positive = false;
    *chol = pal_chol_create(&fem->stiffness, err);
    status = *chol ? pal_chol_factor(*chol, &fem->stiffness, &positive, err) : PAL_ERR_MEMORY;
    return status == PAL_OK && !positive
               ? pal_fail(err, PAL_ERR_NUMERIC, "the stiffness at rest is not positive definite")
               : status;
}

pal_status pal_indent_compliance(pal_fem *fem, int32_t count, const int32_t *vertex, double *w,
                                 pal_err *err) {
    enum { COLUMNS = 48 };
    int64_t n = pal_fem_dofs(fem);
    pal_chol *chol = NULL;
    double *x = PAL_NEW(double, COLUMNS *n, err);
    pal_status status = x ? factor_rest(fem, &chol, err) : PAL_ERR_MEMORY;
    for (int32_t first = 0; status == PAL_OK && first < 3 * count; first += COLUMNS) {
        int32_t columns = 3 * count - first < COLUMNS ? 3 * count - first : COLUMNS;
        memset(x, 0, (size_t)(columns * n) * sizeof *x);
        for (int32_t k = 0; k < columns; k++) {
            int32_t d = first + k;
            x[k * n + 3 * (int64_t)fem->free_index[vertex[d / 3]] + d % 3] = 1.0;
        }
        status = pal_chol_solve(chol, columns, x, err);
        for (int32_t k = 0; status == PAL_OK && k < columns; k++) {
            for (int32_t d = 0; d < 3 * count; d++) {
                w[(int64_t)d * 3 * count + first + k] =
                    x[k * n + 3 * (int64_t)fem->free_index[vertex[d / 3]] + d % 3];
            }
        }
    }
    pal_chol_free(chol);
    free(x);
    return status;
}

pal_status pal_indent_linear(pal_fem *fem, const pal_indent_spec *spec,
                             const pal_progress *progress, pal_indent_result *result,
                             pal_err *err) {
    int32_t count, *vertex;
    pal_status status = pal_indent_candidates(fem, spec, &count, &vertex, err);
    if (status != PAL_OK) {
        return status;
    }
    double *w = PAL_NEW(double, 9 * (int64_t)count * count, err);
    double *x = PAL_NEW(double, 3 * (int64_t)count, err);
    status = w && x ? PAL_OK : PAL_ERR_MEMORY;
    pal_progress_report(progress, "linear contact", 0.0);
    if (status == PAL_OK) {
        status = pal_indent_compliance(fem, count, vertex, w, err);
    }
    for (int32_t i = 0; status == PAL_OK && i < count; i++) {
        memcpy(x + 3 * i, fem->mesh->x + 3 * (int64_t)vertex[i], 3 * sizeof *x);
    }
    if (status == PAL_OK) {
        status = pal_indent_points(count, x, w, spec, result, err);
    }
    pal_progress_report(progress, "linear contact", 1.0);
    free(vertex);
    free(w);
    free(x);
    return status;
}
