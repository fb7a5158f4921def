// D of joint.h by two patches, one of each side, both free on the interface and held where they
// end: C their compliance, and rows B that say how they are tied. Tied bodies give way by
//
//     C - C B^T (B C B^T)^-1 B C,     united: B = [-W, 1]     as a tree: B = [-P, 1]
//
// with W the weights by which the parent's elements carry the child's interface (joint_ties.c;
// where vertices meet each is carried by one), and P the rigid motion that the parent's interface
// has in the mean. In the axes and the size of the parent's class.
#include "sim/contact/joint_build.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/contact/joint_parts.h"
#include "sim/contact/local_build.h"

static void free_joining(pal_joining *j) {
    for (int s = 0; s < PAL_JOINT_SIDES; s++) {
        free(j->side[s].distance);
        free(j->side[s].is_tied);
        free(j->side[s].list);
        free(j->side[s].c);
    }
    free(j->tie);
    free(j->on_rim);
}

// ---- the interface

static double apart(const double a[3], const double b[3]) {
    double d[3];
    pal_sub3(a, b, d);
    return pal_norm3(d);
}

// How far across the interface is.
static double breadth(const pal_joining *j) {
    double most = 0.0, at[3];
    for (int32_t k = 0; k < j->spec->vertex_count; k++) {
        pal_joint_place(j, PAL_PARENT, j->spec->vertex[k], at);
        most = fmax(most, 2.0 * apart(at, j->spec->place));
    }
    return most;
}

// From the nearest vertex of the interface, of either side.
static pal_status find_distances(pal_joining *j, pal_err *err) {
    const int32_t ports = j->spec->vertex_count, n = ports + j->side[PAL_CHILD].tied;
    double *there = PAL_NEW(double, 3 * (size_t)n, err);
    for (int32_t k = 0; there != NULL && k < n; k++) {
        const int s = k < ports ? PAL_PARENT : PAL_CHILD;
        const int32_t place = k < ports ? k : k - ports;
        pal_joint_place(j, s, j->side[s].list[place], there + 3 * (int64_t)k);
    }
    for (int s = 0; there != NULL && s < PAL_JOINT_SIDES; s++) {
        pal_joining_side *own = &j->side[s];
        for (int32_t v = 0; v < own->of->mesh->vertex_count; v++) {
            double here[3];
            own->distance[v] = INFINITY;
            pal_joint_place(j, s, v, here);
            for (int32_t k = 0; k < n; k++) {
                own->distance[v] = fmin(own->distance[v], apart(here, there + 3 * (int64_t)k));
            }
        }
    }
    free(there);
    return there != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

// ---- a patch

// Whether a vertex is dented here: it is near and carries surface.
static bool is_dented(const pal_joining *j, int s, int32_t place) {
    const pal_joining_side *own = &j->side[s];
    const int32_t vertex = own->list[place];
    return s == PAL_CHILD && place < own->tied
               ? j->on_rim[place]
               : own->of->local->row[vertex] >= 0 && own->distance[vertex] < j->reach;
}

static void list_vertices(pal_joining *j, int s) {
    pal_joining_side *own = &j->side[s];
    own->count = own->tied;
    for (int32_t v = 0; v < own->of->mesh->vertex_count; v++) {
        if (!own->is_tied[v] && own->distance[v] < j->reach && own->of->local->row[v] >= 0) {
            own->list[own->count++] = v;
        }
    }
}

static int32_t count_side(const pal_joining *j, int s) {
    int32_t count = 0;
    for (int32_t k = 0; k < j->side[s].count; k++) {
        count += is_dented(j, s, k);
    }
    return count;
}

static int32_t count_dented(const pal_joining *j) {
    return count_side(j, PAL_PARENT) + count_side(j, PAL_CHILD);
}

// Turns the blocks of the child's side: out of its axes into the parent's, or back.
static void turn_child(const pal_joining *j, bool back, double scale, double *c, int64_t ld) {
    const double(*r)[3] = j->spec->rest;
    const int32_t count = j->side[PAL_CHILD].count;
    for (int32_t k = 0; k < count * count; k++) {
        double *block = c + 3 * (int64_t)(k / count) * ld + 3 * (k % count), m[9];
        for (int e = 0; e < 9; e++) {
            m[e] = block[e / 3 * ld + e % 3];
        }
        for (int e = 0; e < 9; e++) {
            double sum = 0.0;
            for (int f = 0; f < 9; f++) {
                sum +=
                    (back ? r[f / 3][e / 3] * r[f % 3][e % 3] : r[e / 3][f / 3] * r[e % 3][f % 3]) *
                    m[f];
            }
            block[e / 3 * ld + e % 3] = scale * sum;
        }
    }
}

// ---- together

// spin [3][3n]: how the rigid motion turns that all vertices of the interface have in the mean.
static pal_status mean_turn(const pal_joining *j, double *spin, pal_err *err) {
    const int32_t n = j->spec->vertex_count;
    double inertia[9] = {0.0};
    int32_t pivot[3];
    for (int32_t k = 0; k < n; k++) {
        double r[3], at[3];
        pal_joint_place(j, PAL_PARENT, j->spec->vertex[k], at);
        pal_sub3(at, j->spec->place, r);
        for (int e = 0; e < 9; e++) { // sum w (r.r 1 - r r^T); and w r x u
            const int a = e / 3, b = e % 3;
            inertia[e] += j->spec->weight[k] * ((a == b ? pal_dot3(r, r) : 0.0) - r[a] * r[b]);
        }
        for (int c = 0; c < 3; c++) {
            const double u[3] = {c == 0, c == 1, c == 2};
            double turn[3];
            pal_cross3(r, u, turn);
            for (int a = 0; a < 3; a++) {
                spin[a * 3 * n + 3 * k + c] = j->spec->weight[k] * turn[a];
            }
        }
    }
    return LAPACKE_dgesv(LAPACK_ROW_MAJOR, 3, 3 * n, inertia, 3, pivot, spin, 3 * n) == 0
               ? PAL_OK
               : pal_fail(err, PAL_ERR_NUMERIC, "an interface has its vertices in one line");
}

// p [3 tied child][3 tied parent]: each held vertex of the child as that motion has it.
static pal_status mean_motion(const pal_joining *j, double *p, pal_err *err) {
    const int32_t n = j->spec->vertex_count, tied = j->side[PAL_PARENT].tied;
    double *spin = PAL_NEW(double, 9 * (size_t)n, err);
    const pal_status status = spin != NULL ? mean_turn(j, spin, err) : PAL_ERR_MEMORY;
    for (int32_t row = 0; status == PAL_OK && row < j->side[PAL_CHILD].tied; row++) {
        double r[3], at[3];
        pal_joint_place(j, PAL_CHILD, j->side[PAL_CHILD].list[row], at);
        pal_sub3(at, j->spec->place, r);
        for (int32_t column = 0; column < 3 * n; column++) {
            const double *w = spin + column;
            const double turn[3] = {w[0], w[3 * n], w[6 * n]};
            double moved[3];
            pal_cross3(turn, r, moved);
            for (int a = 0; a < 3; a++) {
                p[(3 * (int64_t)row + a) * 3 * tied + column] =
                    moved[a] + (a == column % 3 ? j->spec->weight[column / 3] : 0.0);
            }
        }
    }
    free(spin);
    return status;
}

// d += sign X^T (B C B^T)^-1 X with X = B C; p [3 tied child][3 tied parent]: of B = [-P, 1].
static pal_status add_tied(const pal_joining *j, const double *p, double sign, double *d, int size,
                           pal_err *err) {
    const int n = 3 * j->side[PAL_CHILD].tied, m = 3 * j->side[PAL_PARENT].tied;
    const int first = 3 * j->side[PAL_PARENT].count, child = 3 * j->side[PAL_CHILD].count;
    const double *ca = j->side[PAL_PARENT].c, *cb = j->side[PAL_CHILD].c;
    double *x = PAL_NEW(double, (size_t)n *(size_t)size, err);
    double *s = PAL_NEW(double, (size_t)n *(size_t)n, err);
    pal_status status = x && s ? PAL_OK : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, first, m, -1.0, p, m, ca, first,
                    0.0, x, size);
        for (int k = 0; k < n; k++) {
            memcpy(x + (int64_t)k * size + first, cb + (int64_t)k * child,
                   (size_t)child * sizeof *x);
            memcpy(s + (int64_t)k * n, cb + (int64_t)k * child, (size_t)n * sizeof *s);
        }
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, m, -1.0, x, size, p, m, 1.0, s,
                    n);
        if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, s, n) != 0) {
            status = pal_fail(err, PAL_ERR_NUMERIC, "an interface that does not give way at all");
        }
    }
    if (status == PAL_OK) { // x = L^-1 X, then x^T x
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, size, 1.0,
                    s, n, x, size);
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, size, size, n, sign, x, size, x, size,
                    1.0, d, size);
    }
    free(x);
    free(s);
    return status;
}

static pal_status find_difference(const pal_joining *j, double *d, int size, pal_err *err) {
    const int64_t rows = 3 * (int64_t)j->side[PAL_CHILD].tied;
    const int64_t columns = 3 * (int64_t)j->side[PAL_PARENT].tied;
    double *p = PAL_NEW(double, rows *columns, err);
    pal_status status = p ? mean_motion(j, p, err) : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = add_tied(j, p, 1.0, d, size, err);
    }
    for (int64_t k = 0; status == PAL_OK && k < rows * columns; k++) {
        const int64_t a = k / columns, b = k % columns;
        p[k] = a % 3 == b % 3 ? j->tie[a / 3 * (columns / 3) + b / 3] : 0.0;
    }
    status = status == PAL_OK ? add_tied(j, p, -1.0, d, size, err) : status;
    free(p);
    return status;
}

// ---- the table

// It ends softly: 1 on the interface, 0 where the reach ends.
static double fade(const pal_joining *j, int s, int32_t place) {
    static const double whole = 0.6; // of the reach
    const double at = j->side[s].distance[j->side[s].list[place]] / j->reach;
    const double t = fmin(1.0, fmax(0.0, (1.0 - at) / (1.0 - whole)));
    return t * t * (3.0 - 2.0 * t);
}

// Which vertices are dented; out [3 count][3 count] what of d is theirs.
static double *pick_dented(const pal_joining *j, const double *d, int size, pal_joint *joint,
                           pal_err *err) {
    int32_t from[PAL_JOINT_VERTICES], used = 0;
    double share[PAL_JOINT_VERTICES];
    for (int s = 0; s < PAL_JOINT_SIDES; s++) {
        for (int32_t k = 0; k < j->side[s].count; k++) {
            if (is_dented(j, s, k)) {
                joint->vertex[used] = j->side[s].list[k];
                share[used] = fade(j, s, k);
                from[used++] = s == PAL_PARENT ? k : j->side[PAL_PARENT].count + k;
            }
        }
    }
    pal_joint_index(joint);
    double *out = PAL_NEW(double, 9 * (size_t)used * (size_t)used, err);
    for (int64_t k = 0; out != NULL && k < 9 * (int64_t)used * used; k++) {
        const int64_t a = k / (3 * used), b = k % (3 * used);
        out[k] = share[a / 3] * share[b / 3] *
                 d[(3 * (int64_t)from[a / 3] + a % 3) * size + 3 * from[b / 3] + b % 3];
    }
    return out;
}

// g [3 count][3 count] = what the dents of both sides do by themselves.
static pal_status own_dents(const pal_joining *j, const pal_joint *joint, double *g, pal_err *err) {
    const int32_t n = joint->count, first = joint->parent_count;
    const int32_t count[PAL_JOINT_SIDES] = {first, n - first};
    for (int s = 0; s < PAL_JOINT_SIDES; s++) {
        const int32_t start = s == PAL_PARENT ? 0 : first;
        const double by = s == PAL_PARENT ? 1.0 : 1.0 / (j->spec->size * j->spec->stiffness);
        const int64_t m = 3 * (int64_t)count[s];
        double *own = PAL_NEW(double, m *m, err);
        const pal_status status = own != NULL ? pal_joint_own_dents(j->side[s].of, count[s],
                                                                    joint->vertex + start, own, err)
                                              : PAL_ERR_MEMORY;
        if (status != PAL_OK) {
            free(own);
            return status;
        }
        for (int64_t k = 0; k < m * m; k++) {
            g[(3 * start + k / m) * 3 * n + 3 * start + k % m] = by * own[k];
        }
        free(own);
    }
    return PAL_OK;
}

// Where the united body is harder than the tree, the dents must not be made less than nothing: they
// have no mass, and what pushes when it is pulled makes energy. With the share s of G that is this
// joint's to take away, s G + D stays positive semidefinite: d becomes (s G + D)+ - s G.
static pal_status keep_passive(const pal_joining *j, const pal_joint *joint, double *d,
                               pal_err *err) {
    const int n = 3 * joint->count;
    const size_t all = (size_t)n * (size_t)n;
    const double share = j->spec->share;
    double *g = PAL_NEW(double, all, err), *v = PAL_NEW(double, all, err);
    double *value = PAL_NEW(double, n, err);
    pal_status status = g && v && value ? own_dents(j, joint, g, err) : PAL_ERR_MEMORY;
    for (size_t k = 0; status == PAL_OK && k < all; k++) {
        v[k] = share * g[k] + 0.5 * (d[k] + d[k % (size_t)n * (size_t)n + k / (size_t)n]);
        g[k] *= share;
    }
    if (status == PAL_OK && LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'V', 'U', n, v, n, value) != 0) {
        status = pal_fail(err, PAL_ERR_NUMERIC, "the dents at an interface are not finite");
    }
    for (size_t k = 0; status == PAL_OK && k < all; k++) { // columns of v, times their roots
        v[k] *= sqrt(fmax(0.0, value[k % (size_t)n]));
        d[k] = -g[k];
    }
    if (status == PAL_OK) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, 1.0, v, n, v, n, 1.0, d, n);
    }
    free(g);
    free(v);
    free(value);
    return status;
}

static pal_status fill_joint(const pal_joining *j, const double *d, int size, pal_joint *joint,
                             pal_err *err) {
    const int32_t vertices[PAL_JOINT_SIDES] = {j->spec->parent.mesh->vertex_count,
                                               j->spec->child.mesh->vertex_count};
    if (pal_joint_alloc(joint, count_dented(j), count_side(j, PAL_PARENT), vertices, err) !=
        PAL_OK) {
        return PAL_ERR_MEMORY;
    }
    const int64_t n = 3 * (int64_t)joint->count;
    double *own = pick_dented(j, d, size, joint, err);
    const pal_status status = own != NULL ? keep_passive(j, joint, own, err) : PAL_ERR_MEMORY;
    for (int64_t k = 0; status == PAL_OK && k < n * n; k++) { // the same in both triangles
        const int64_t a = k / n, b = k % n;
        joint->d[a * joint->stride + b] = (float)own[a < b ? k : b * n + a];
    }
    free(own);
    return status;
}

// Each side's own axes: the child's rows and columns are turned back.
static void turn_rows(const pal_joining *j, double *d, int size) {
    const double(*r)[3] = j->spec->rest;
    const int32_t first = j->side[PAL_PARENT].count, count = j->side[PAL_CHILD].count;
    for (int32_t k = 0; k < first * count; k++) {
        const int64_t a = 3 * (int64_t)(k / count), b = 3 * (int64_t)(first + k % count);
        double m[9];
        for (int e = 0; e < 9; e++) { // D_ab R
            m[e] = 0.0;
            for (int c = 0; c < 3; c++) {
                m[e] += d[(a + e / 3) * size + b + c] * r[c][e % 3];
            }
        }
        for (int e = 0; e < 9; e++) {
            d[(a + e / 3) * size + b + e % 3] = d[(b + e % 3) * size + a + e / 3] = m[e];
        }
    }
    turn_child(j, true, 1.0, d + 3 * (int64_t)first * size + 3 * first, size);
}

static pal_status build(pal_joining *j, pal_joint *joint, pal_err *err) {
    static const double smaller = 0.85;
    const pal_joint_spec *spec = j->spec;
    pal_status status = find_distances(j, err);
    if (status != PAL_OK) {
        return status;
    }
    j->reach = fmin(spec->parent.local->radius, breadth(j));
    do {
        list_vertices(j, PAL_PARENT);
        list_vertices(j, PAL_CHILD);
        j->reach *= count_dented(j) > PAL_JOINT_VERTICES ? smaller : 1.0;
    } while (count_dented(j) > PAL_JOINT_VERTICES && j->reach > 1e-3 * breadth(j));
    if (count_dented(j) == 0 || count_dented(j) > PAL_JOINT_VERTICES) {
        return PAL_OK;
    }
    status = pal_joint_patch(j, PAL_PARENT, err);
    status = status == PAL_OK ? pal_joint_patch(j, PAL_CHILD, err) : status;
    const int size = 3 * (j->side[PAL_PARENT].count + j->side[PAL_CHILD].count);
    double *d = PAL_NEW(double, (size_t)size *(size_t)size, err);
    status = status == PAL_OK && d == NULL ? PAL_ERR_MEMORY : status;
    if (status == PAL_OK) {
        turn_child(j, false, 1.0 / (spec->size * spec->stiffness), j->side[PAL_CHILD].c,
                   3 * (int64_t)j->side[PAL_CHILD].count);
        status = find_difference(j, d, size, err);
    }
    if (status == PAL_OK) {
        turn_rows(j, d, size);
        status = fill_joint(j, d, size, joint, err);
    }
    free(d);
    return status;
}

pal_status pal_joint_build(const pal_joint_spec *spec, pal_joint *joint, pal_err *err) {
    pal_joining j = {.spec = spec};
    pal_status status = PAL_OK;
    bool holds = false;
    memset(joint, 0, sizeof *joint);
    for (int s = 0; s < PAL_JOINT_SIDES && status == PAL_OK; s++) {
        pal_joining_side *own = &j.side[s];
        own->of = s == PAL_PARENT ? &spec->parent : &spec->child;
        const size_t vertices = (size_t)own->of->mesh->vertex_count;
        own->distance = PAL_NEW(double, vertices, err);
        own->is_tied = PAL_NEW(uint8_t, vertices, err);
        own->list = PAL_NEW(int32_t, vertices, err);
        status = own->distance && own->is_tied && own->list ? PAL_OK : PAL_ERR_MEMORY;
    }
    status = status == PAL_OK ? pal_joint_tie(&j, &holds, err) : status;
    if (status == PAL_OK && holds) {
        status = build(&j, joint, err);
    }
    free_joining(&j);
    if (status != PAL_OK) {
        pal_joint_free(joint);
    }
    return status;
}
