// The patch of one side of a joint (see joint_build.c).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/sparse_chol.h"
#include "sim/contact/joint_parts.h"
#include "sim/fem/assemble.h"

typedef struct patch {
    pal_volmesh mesh;
    int32_t *place; // [vertices of the class] in the patch, -1: outside
    uint8_t *held;  // [vertex_count]
} patch;

// Which elements are within, [element_count]; and the vertices of those, counted.
static int32_t mark_patch(const pal_joining *j, int s, uint8_t *within, patch *p,
                          int32_t *vertices) {
    const pal_joining_side *own = &j->side[s];
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
            least = own->is_tied[vertex[a]] ? 0.0 : fmin(least, own->distance[vertex[a]]);
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
static void hold_patch(const pal_joining *j, int s, const uint8_t *within, patch *p) {
    const pal_joining_side *own = &j->side[s];
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

static pal_status cut_patch(const pal_joining *j, int s, patch *p, pal_err *err) {
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
    int32_t *element = PAL_NEW(int32_t, elements, err); // of the class
    status = status == PAL_OK && (!p->held || !element) ? PAL_ERR_MEMORY : status;
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
            element[used] = e;
            p->mesh.region[used++] = mesh->region[e];
        }
    }
    if (status == PAL_OK) {
        status = pal_volmesh_copy_share(mesh, element, &p->mesh, err);
    }
    if (status == PAL_OK) {
        hold_patch(j, s, within, p);
    }
    free(element);
    free(within);
    return status;
}

// c = the compliance between the listed vertices, in the axes and for the size of the class; zero
// where they are held.
static pal_status solve_patch(pal_joining_side *own, const patch *p, pal_fem *fem, pal_err *err) {
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

pal_status pal_joint_patch(pal_joining *j, int s, pal_err *err) {
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
