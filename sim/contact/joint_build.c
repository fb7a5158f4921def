// D of joint.h by two patches, one of each side, both free on the interface and held where they
// end: C their compliance, and rows B that say how they are tied. Tied bodies give way by
//
//     C - C B^T (B C B^T)^-1 B C,     united: B = [-1, 1]     as a tree: B = [-P, 1]
//
// with P the rigid motion that the parent's interface has in the mean. In the axes and the size of
// the parent's class.
#include "sim/contact/joint_build.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/sparse_chol.h"
#include "sim/base/vec3.h"
#include "sim/fem/assemble.h"

typedef struct side {
    const pal_joint_side *of;
    double *distance;   // [vertex_count] from the interface, m of the parent's class
    int32_t *interface; // [n] its vertices on the interface, in the parent's order
    int32_t *list;      // [count] those, then others that can be dented near by
    int32_t count;
    double *c; // [3 count][3 count]
} side;

typedef struct joining {
    const pal_joint_spec *spec;
    int32_t n;    // vertices of the interface
    double reach; // m, how far from it dents are put right
    side side[PAL_JOINT_SIDES];
} joining;

static void free_joining(joining *j) {
    for (int s = 0; s < PAL_JOINT_SIDES; s++) {
        free(j->side[s].distance);
        free(j->side[s].interface);
        free(j->side[s].list);
        free(j->side[s].c);
    }
}

// ---- the interface

// Where a vertex of a side is, in the parent's frame.
static void place_of(const joining *j, int s, int32_t vertex, double out[3]) {
    const double *x = j->side[s].of->mesh->x + 3 * (int64_t)vertex;
    for (int k = 0; k < 3; k++) {
        out[k] = s == PAL_PARENT
                     ? x[k]
                     : j->spec->place[k] + j->spec->size * pal_dot3(j->spec->rest[k], x);
    }
}

static double apart(const double a[3], const double b[3]) {
    double d[3];
    pal_sub3(a, b, d);
    return pal_norm3(d);
}

// How far across the interface is.
static double breadth(const joining *j) {
    double most = 0.0, at[3];
    for (int32_t k = 0; k < j->n; k++) {
        place_of(j, PAL_PARENT, j->spec->vertex[k], at);
        most = fmax(most, 2.0 * apart(at, j->spec->place));
    }
    return most;
}

// The child's held vertices in the order of the parent's; false: they do not meet.
static bool match(joining *j) {
    const side *child = &j->side[PAL_CHILD];
    const double near = 1e-5 * breadth(j);
    int32_t held = 0;
    for (int32_t k = 0; k < j->n; k++) {
        double here[3], there[3];
        place_of(j, PAL_PARENT, j->spec->vertex[k], here);
        j->side[PAL_PARENT].interface[k] = j->spec->vertex[k];
        child->interface[k] = -1;
        for (int32_t v = 0; v < child->of->mesh->vertex_count; v++) {
            if (child->of->held[v]) {
                place_of(j, PAL_CHILD, v, there);
                child->interface[k] = apart(here, there) < near ? v : child->interface[k];
            }
        }
        if (child->interface[k] < 0) {
            return false;
        }
    }
    for (int32_t v = 0; v < child->of->mesh->vertex_count; v++) {
        held += child->of->held[v] != 0;
    }
    return held == j->n;
}

static void find_distances(const joining *j, int s) {
    const side *own = &j->side[s];
    for (int32_t v = 0; v < own->of->mesh->vertex_count; v++) {
        double here[3], there[3];
        own->distance[v] = INFINITY;
        place_of(j, s, v, here);
        for (int32_t k = 0; k < j->n; k++) {
            place_of(j, s, own->interface[k], there);
            own->distance[v] = fmin(own->distance[v], apart(here, there));
        }
    }
}

// ---- a patch

// Whether a vertex is dented here: it is near and carries surface. (The child's interface is its
// parent's, too.)
static bool is_dented(const joining *j, int s, int32_t place) {
    const int32_t vertex = j->side[s].list[place];
    return place < j->n ? j->spec->parent.local->row[j->spec->vertex[place]] >= 0
                        : j->side[s].of->local->row[vertex] >= 0;
}

static void list_vertices(joining *j, int s) {
    side *own = &j->side[s];
    own->count = 0;
    for (int32_t k = 0; k < j->n; k++) {
        own->list[own->count++] = own->interface[k];
    }
    for (int32_t v = 0; v < own->of->mesh->vertex_count; v++) {
        if (own->distance[v] > 0.0 && own->distance[v] < j->reach && own->of->local->row[v] >= 0) {
            own->list[own->count++] = v;
        }
    }
}

static int32_t count_dented(const joining *j) {
    int32_t count = 0;
    for (int s = 0; s < PAL_JOINT_SIDES; s++) {
        for (int32_t k = 0; k < j->side[s].count; k++) {
            count += is_dented(j, s, k);
        }
    }
    return count;
}

typedef struct patch {
    pal_volmesh mesh;
    int32_t *place; // [vertices of the class] in the patch, -1: outside
    uint8_t *held;  // [vertex_count]
} patch;

// Which elements are within, [element_count]; and the vertices of those, counted.
static int32_t mark_patch(const joining *j, int s, uint8_t *within, patch *p, int32_t *vertices) {
    const side *own = &j->side[s];
    const pal_volmesh *mesh = own->of->mesh;
    int32_t elements = 0;
    *vertices = 0;
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        p->place[v] = -1;
    }
    for (int32_t e = 0; e < mesh->element_count; e++) {
        const int32_t *vertex = pal_volmesh_element(mesh, e);
        double least = INFINITY;
        for (int a = 0; a < (int)mesh->kind; a++) {
            least = fmin(least, own->distance[vertex[a]]);
        }
        within[e] = least < 2.0 * j->reach;
        elements += within[e];
        for (int a = 0; a < (int)mesh->kind && within[e]; a++) {
            if (p->place[vertex[a]] < 0) {
                p->place[vertex[a]] = (*vertices)++;
            }
        }
    }
    return elements;
}

// Held where the patch ends, where the parent's class is, or, where it has no end, at its far end.
static void hold_patch(const joining *j, int s, const uint8_t *within, patch *p) {
    const side *own = &j->side[s];
    const pal_volmesh *mesh = own->of->mesh;
    double farthest = 0.0;
    bool any = false;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        for (int a = 0; a < (int)mesh->kind && !within[e]; a++) {
            const int32_t at = p->place[pal_volmesh_element(mesh, e)[a]];
            any = any || at >= 0;
            if (at >= 0) {
                p->held[at] = 1;
            }
        }
    }
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        const bool held = s == PAL_PARENT && own->of->held[v] && p->place[v] >= 0;
        any = any || held;
        farthest = p->place[v] >= 0 ? fmax(farthest, own->distance[v]) : farthest;
        if (held) {
            p->held[p->place[v]] = 1;
        }
    }
    for (int32_t v = 0; v < mesh->vertex_count && !any; v++) {
        if (p->place[v] >= 0 && own->distance[v] > 0.9 * farthest) {
            p->held[p->place[v]] = 1;
        }
    }
}

static pal_status cut_patch(const joining *j, int s, patch *p, pal_err *err) {
    const pal_volmesh *mesh = j->side[s].of->mesh;
    int32_t vertices, used = 0;
    uint8_t *within = PAL_NEW(uint8_t, mesh->element_count, err);
    p->place = PAL_NEW(int32_t, mesh->vertex_count, err);
    if (within == NULL || p->place == NULL) {
        free(within);
        return PAL_ERR_MEMORY;
    }
    const int32_t elements = mark_patch(j, s, within, p, &vertices);
    pal_status status =
        pal_volmesh_alloc(&p->mesh, mesh->kind, vertices, elements, mesh->region_count, err);
    p->held = PAL_NEW(uint8_t, vertices, err);
    status = status == PAL_OK && p->held == NULL ? PAL_ERR_MEMORY : status;
    for (int32_t v = 0; status == PAL_OK && v < mesh->vertex_count; v++) {
        if (p->place[v] >= 0) {
            memcpy(p->mesh.x + 3 * (int64_t)p->place[v], mesh->x + 3 * (int64_t)v,
                   3 * sizeof *mesh->x);
        }
    }
    for (int32_t e = 0; status == PAL_OK && e < mesh->element_count; e++) {
        for (int a = 0; a < (int)mesh->kind && within[e]; a++) {
            p->mesh.element[(int64_t)used * (int)mesh->kind + a] =
                p->place[pal_volmesh_element(mesh, e)[a]];
        }
        if (within[e]) {
            p->mesh.region[used++] = mesh->region[e];
        }
    }
    if (status == PAL_OK) {
        hold_patch(j, s, within, p);
    }
    free(within);
    return status;
}

// c = the compliance between the listed vertices, in the axes and for the size of the class; zero
// where they are held.
static pal_status solve_patch(side *own, const patch *p, pal_fem *fem, pal_err *err) {
    const int64_t n = pal_fem_dofs(fem), size = 3 * (int64_t)own->count;
    bool positive = false;
    pal_chol *chol = NULL;
    double *x = PAL_NEW(double, size *n, err);
    own->c = PAL_NEW(double, size *size, err);
    pal_status status = x && own->c ? PAL_OK : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = pal_fem_evaluate(fem, NULL, NULL, NULL, true, err);
    }
    if (status == PAL_OK) {
        chol = pal_chol_create(&fem->stiffness, err);
        status = chol ? pal_chol_factor(chol, &fem->stiffness, &positive, err) : PAL_ERR_MEMORY;
    }
    if (status == PAL_OK && !positive) {
        status = pal_fail(err, PAL_ERR_NUMERIC,
                          "the stiffness at rest is not positive definite; look at the mesh with "
                          "'palpate info'");
    }
    for (int64_t k = 0; status == PAL_OK && k < size; k++) {
        const int32_t at = fem->free_index[p->place[own->list[k / 3]]];
        if (at >= 0) {
            x[k * n + 3 * (int64_t)at + k % 3] = 1.0;
        }
    }
    status = status == PAL_OK ? pal_chol_solve(chol, (int)size, x, err) : status;
    for (int64_t k = 0; status == PAL_OK && k < size * size; k++) {
        const int64_t a = k / size, b = k % size;
        const int32_t at = fem->free_index[p->place[own->list[b / 3]]];
        own->c[k] = at >= 0 ? x[a * n + 3 * (int64_t)at + b % 3] : 0.0;
    }
    pal_chol_free(chol);
    free(x);
    return status;
}

static pal_status find_compliance(joining *j, int s, pal_err *err) {
    patch p = {0};
    pal_fem fem = {0};
    pal_status status = cut_patch(j, s, &p, err);
    if (status == PAL_OK) {
        status = pal_fem_init(&fem, &p.mesh, j->side[s].of->material, p.held, PAL_MASS_LUMPED, err);
    }
    if (status == PAL_OK) {
        status = solve_patch(&j->side[s], &p, &fem, err);
    }
    pal_fem_free(&fem);
    pal_volmesh_free(&p.mesh);
    free(p.place);
    free(p.held);
    return status;
}

// Turns the blocks of the child's side: out of its axes into the parent's, or back.
static void turn_child(const joining *j, bool back, double scale, double *c, int64_t ld) {
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

// p [3n][3n]: each vertex of the interface as the rigid motion has it that all have in the mean.
static pal_status mean_motion(const joining *j, double *p, pal_err *err) {
    const int32_t n = j->n;
    double inertia[9] = {0.0};
    int32_t pivot[3];
    double *arm = PAL_NEW(double, 3 * (size_t)n, err), *spin = PAL_NEW(double, 9 * (size_t)n, err);
    pal_status status = arm && spin ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t k = 0; status == PAL_OK && k < n; k++) {
        double *r = arm + 3 * k, at[3];
        place_of(j, PAL_PARENT, j->spec->vertex[k], at);
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
    if (status == PAL_OK &&
        LAPACKE_dgesv(LAPACK_ROW_MAJOR, 3, 3 * n, inertia, 3, pivot, spin, 3 * n) != 0) {
        status = pal_fail(err, PAL_ERR_NUMERIC, "an interface has its vertices in one line");
    }
    for (int64_t k = 0; status == PAL_OK && k < 9 * (int64_t)n * n; k++) {
        const int64_t row = k / (3 * n), column = k % (3 * n);
        const double *r = arm + 3 * (row / 3), *w = spin + column;
        const double turn[3] = {w[0], w[3 * n], w[6 * n]};
        double moved[3];
        pal_cross3(turn, r, moved);
        p[k] = moved[row % 3] + (row % 3 == column % 3 ? j->spec->weight[column / 3] : 0.0);
    }
    free(arm);
    free(spin);
    return status;
}

// d += sign X^T (B C B^T)^-1 X with X = B C; p [3n][3n]: of B = [-P, 1].
static pal_status add_tied(const joining *j, const double *p, double sign, double *d, int size,
                           pal_err *err) {
    const int n = 3 * j->n, first = 3 * j->side[PAL_PARENT].count;
    const int child = 3 * j->side[PAL_CHILD].count;
    const double *ca = j->side[PAL_PARENT].c, *cb = j->side[PAL_CHILD].c;
    double *x = PAL_NEW(double, (size_t)n *(size_t)size, err);
    double *s = PAL_NEW(double, (size_t)n *(size_t)n, err);
    pal_status status = x && s ? PAL_OK : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, first, n, -1.0, p, n, ca, first,
                    0.0, x, size);
        for (int k = 0; k < n; k++) {
            memcpy(x + (int64_t)k * size + first, cb + (int64_t)k * child,
                   (size_t)child * sizeof *x);
            memcpy(s + (int64_t)k * n, cb + (int64_t)k * child, (size_t)n * sizeof *s);
        }
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, -1.0, x, size, p, n, 1.0, s,
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

static pal_status find_difference(const joining *j, double *d, int size, pal_err *err) {
    const int64_t n = 3 * (int64_t)j->n;
    double *p = PAL_NEW(double, n *n, err);
    pal_status status = p ? mean_motion(j, p, err) : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = add_tied(j, p, 1.0, d, size, err);
    }
    for (int64_t k = 0; status == PAL_OK && k < n * n; k++) {
        p[k] = k / n == k % n ? 1.0 : 0.0;
    }
    status = status == PAL_OK ? add_tied(j, p, -1.0, d, size, err) : status;
    free(p);
    return status;
}

// ---- the table

// It ends softly: 1 on the interface, 0 where the reach ends.
static double fade(const joining *j, int s, int32_t place) {
    static const double whole = 0.6; // of the reach
    const double at = j->side[s].distance[j->side[s].list[place]] / j->reach;
    const double t = fmin(1.0, fmax(0.0, (1.0 - at) / (1.0 - whole)));
    return t * t * (3.0 - 2.0 * t);
}

static pal_status alloc_joint(const joining *j, pal_joint *joint, pal_err *err) {
    enum { LANES = 16 };
    joint->stride = (3 * joint->count + LANES - 1) / LANES * LANES;
    joint->vertex = PAL_NEW(int32_t, joint->count, err);
    joint->d = PAL_NEW(float, 3 * (size_t)joint->count * (size_t)joint->stride, err);
    bool made = joint->vertex != NULL && joint->d != NULL;
    for (int s = 0; s < PAL_JOINT_SIDES; s++) {
        const int32_t vertices = j->side[s].of->mesh->vertex_count;
        joint->row[s] = PAL_NEW(int32_t, vertices, err);
        made = made && joint->row[s] != NULL;
        for (int32_t v = 0; made && v < vertices; v++) {
            joint->row[s][v] = -1;
        }
    }
    return made ? PAL_OK : PAL_ERR_MEMORY;
}

static pal_status fill_joint(const joining *j, const double *d, int size, pal_joint *joint,
                             pal_err *err) {
    int32_t from[PAL_JOINT_VERTICES], used = 0;
    double share[PAL_JOINT_VERTICES];
    joint->count = count_dented(j);
    if (alloc_joint(j, joint, err) != PAL_OK) {
        return PAL_ERR_MEMORY;
    }
    for (int s = 0; s < PAL_JOINT_SIDES; s++) {
        for (int32_t k = 0; k < j->side[s].count; k++) {
            if (is_dented(j, s, k)) {
                joint->row[s][j->side[s].list[k]] = used;
                joint->vertex[used] = j->side[s].list[k];
                share[used] = fade(j, s, k);
                from[used++] = s == PAL_PARENT ? k : j->side[PAL_PARENT].count + k;
            }
        }
        joint->parent_count = s == PAL_PARENT ? used : joint->parent_count;
    }
    for (int64_t k = 0; k < 9 * (int64_t)used * used; k++) {
        const int64_t a = k / (3 * used), b = k % (3 * used);
        joint->d[a * joint->stride + b] =
            (float)(share[a / 3] * share[b / 3] *
                    d[(3 * (int64_t)from[a / 3] + a % 3) * size + 3 * from[b / 3] + b % 3]);
    }
    return PAL_OK;
}

// Each side's own axes: the child's rows and columns are turned back.
static void turn_rows(const joining *j, double *d, int size) {
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

static pal_status build(joining *j, pal_joint *joint, pal_err *err) {
    static const double smaller = 0.85;
    const pal_joint_spec *spec = j->spec;
    find_distances(j, PAL_PARENT);
    find_distances(j, PAL_CHILD);
    j->reach = fmin(spec->parent.local->radius, breadth(j));
    do {
        list_vertices(j, PAL_PARENT);
        list_vertices(j, PAL_CHILD);
        j->reach *= count_dented(j) > PAL_JOINT_VERTICES ? smaller : 1.0;
    } while (count_dented(j) > PAL_JOINT_VERTICES && j->reach > 1e-3 * breadth(j));
    if (count_dented(j) == 0 || count_dented(j) > PAL_JOINT_VERTICES) {
        return PAL_OK;
    }
    pal_status status = find_compliance(j, PAL_PARENT, err);
    status = status == PAL_OK ? find_compliance(j, PAL_CHILD, err) : status;
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
    joining j = {.spec = spec, .n = spec->vertex_count};
    pal_status status = PAL_OK;
    memset(joint, 0, sizeof *joint);
    for (int s = 0; s < PAL_JOINT_SIDES && status == PAL_OK; s++) {
        side *own = &j.side[s];
        own->of = s == PAL_PARENT ? &spec->parent : &spec->child;
        const size_t vertices = (size_t)own->of->mesh->vertex_count;
        own->distance = PAL_NEW(double, vertices, err);
        own->interface = PAL_NEW(int32_t, spec->vertex_count, err);
        own->list = PAL_NEW(int32_t, vertices, err);
        status = own->distance && own->interface && own->list ? PAL_OK : PAL_ERR_MEMORY;
    }
    if (status == PAL_OK && match(&j)) {
        status = build(&j, joint, err);
    }
    free_joining(&j);
    if (status != PAL_OK) {
        pal_joint_free(joint);
    }
    return status;
}

void pal_joint_free(pal_joint *joint) {
    free(joint->row[PAL_PARENT]);
    free(joint->row[PAL_CHILD]);
    free(joint->vertex);
    free(joint->d);
    memset(joint, 0, sizeof *joint);
}
