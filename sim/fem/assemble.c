#include "sim/fem/assemble.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/mat3.h"
#include "sim/base/memory.h"
#include "sim/base/parallel.h"
#include "sim/fem/pattern.h"

// Elements are computed in parallel, a chunk at a time, and added up in their order by one thread:
// the sums do not depend on the number of threads.
enum { CHUNK = 1024, TASK = 16 };

typedef struct element_out {
    double energy;
    double force[3 * PAL_MAX_NODES];
} element_out;

typedef struct chunk {
    const pal_fem *fem;
    pal_law law;
    const double *u; // free, or NULL
    int32_t first, count;
    element_out *out;  // [CHUNK], or of all elements where they are fewer
    double *stiffness; // [CHUNK][3 kind][3 kind], or NULL
    atomic_bool failed;
} chunk;

pal_status pal_fem_quadrature(const pal_volmesh *mesh, int32_t e, int order,
                              pal_quadrature *quadrature, pal_err *err) {
    if (!pal_quadrature_of_element(quadrature, mesh, e, order)) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "element %d is inside out or flat; repair the mesh ('palpate info' shows "
                        "its quality)",
                        e);
    }
    return PAL_OK;
}

static void compute_element(chunk *work, int32_t k) {
    const pal_fem *fem = work->fem;
    int32_t e = work->first + k;
    int nodes = (int)fem->mesh->kind;
    pal_quadrature quadrature;
    if (pal_fem_quadrature(fem->mesh, e, PAL_GAUSS_EXACT, &quadrature, NULL) != PAL_OK) {
        atomic_store(&work->failed, true);
        return;
    }
    double u[PAL_MAX_NODES][3] = {{0}};
    const int32_t *vertex = pal_volmesh_element(fem->mesh, e);
    for (int a = 0; work->u != NULL && a < nodes; a++) {
        pal_fem_displacement(fem, work->u, vertex[a], u[a]);
    }
    double *stiffness = work->stiffness ? work->stiffness + (int64_t)k * 9 * nodes * nodes : NULL;
    work->out[k].energy =
        pal_law_element(work->law, &quadrature, &fem->material[fem->mesh->region[e]], u,
                        work->out[k].force, stiffness);
}

static void compute_task(void *context, int index, int thread) {
    (void)thread;
    chunk *work = context;
    for (int32_t k = index * TASK; k < (index + 1) * TASK && k < work->count; k++) {
        compute_element(work, k);
    }
}

static void scatter_force(const pal_fem *fem, const chunk *work, double *force) {
    for (int32_t k = 0; k < work->count; k++) {
        const int32_t *vertex = pal_volmesh_element(fem->mesh, work->first + k);
        for (int a = 0; a < (int)fem->mesh->kind; a++) {
            pal_fem_add_force(fem, vertex[a], work->out[k].force + 3 * a, force);
        }
    }
}

// Of an element with carried corners: each block goes to all pairs of their carriers.
static void scatter_tied(pal_fem *fem, int32_t e, const double *ke) {
    const int nodes = (int)fem->mesh->kind;
    const int32_t *vertex = pal_volmesh_element(fem->mesh, e);
    for (int32_t pair = 0; pair < nodes * nodes; pair++) {
        const int a = pair / nodes, b = pair % nodes;
        const pal_carriers of = pal_fem_carriers(fem, vertex[a]);
        const pal_carriers by = pal_fem_carriers(fem, vertex[b]);
        for (int32_t n = 0; n < of.count * by.count; n++) {
            const int32_t i = of.free_index[n / by.count], j = by.free_index[n % by.count];
            const double weight = of.weight[n / by.count] * by.weight[n % by.count];
            const int32_t block = pal_fem_find_block(fem, i, j);
            for (int k = 0; k < 9; k++) {
                fem->stiffness.value[pal_fem_entry(fem, i, block, k / 3, k % 3)] +=
                    weight * ke[(3 * a + k / 3) * 3 * nodes + 3 * b + k % 3];
            }
        }
    }
}

static void scatter_stiffness(pal_fem *fem, const chunk *work) {
    int nodes = (int)fem->mesh->kind;
    for (int32_t k = 0; k < work->count; k++) {
        const int32_t *vertex = pal_volmesh_element(fem->mesh, work->first + k);
        const int32_t *slot = fem->slot + (int64_t)(work->first + k) * nodes * nodes;
        const double *ke = work->stiffness + (int64_t)k * 9 * nodes * nodes;
        if (pal_fem_is_tied(fem, work->first + k)) {
            scatter_tied(fem, work->first + k, ke);
            continue;
        }
        for (int a = 0; a < nodes; a++) {
            int32_t i = fem->free_index[vertex[a]];
            for (int row = 0; i >= 0 && row < 3; row++) {
                for (int b = 0; b < nodes; b++) {
                    const double *from = ke + (3 * a + row) * 3 * nodes + 3 * b;
                    if (slot[a * nodes + b] >= 0) {
                        double *to = fem->stiffness.value +
                                     pal_fem_entry(fem, i, slot[a * nodes + b], row, 0);
                        to[0] += from[0];
                        to[1] += from[1];
                        to[2] += from[2];
                    }
                }
            }
        }
    }
}

static void run_chunks(pal_fem *fem, chunk *work, double *energy, double *force) {
    for (; work->first < fem->mesh->element_count; work->first += CHUNK) {
        int32_t left = fem->mesh->element_count - work->first;
        work->count = left < CHUNK ? left : CHUNK;
        pal_parallel_for((work->count + TASK - 1) / TASK, compute_task, work);
        for (int32_t k = 0; energy != NULL && k < work->count; k++) {
            *energy += work->out[k].energy;
        }
        if (force != NULL) {
            scatter_force(fem, work, force);
        }
        if (work->stiffness != NULL) {
            scatter_stiffness(fem, work);
        }
    }
}

pal_status pal_fem_evaluate(pal_fem *fem, const double *u, double *energy, double *force,
                            bool stiffness, pal_err *err) {
    return pal_fem_evaluate_law(fem, PAL_LAW_STVK, u, energy, force, stiffness, err);
}

pal_status pal_fem_evaluate_law(pal_fem *fem, pal_law law, const double *u, double *energy,
                                double *force, bool stiffness, pal_err *err) {
    size_t dofs = (size_t)pal_fem_dofs(fem), kind = (size_t)fem->mesh->kind;
    const int32_t elements = fem->mesh->element_count;
    const size_t at_once = (size_t)(elements < CHUNK ? elements : CHUNK);
    chunk work = {.fem = fem, .law = law, .u = u};
    work.out = PAL_NEW(element_out, at_once, err);
    work.stiffness = stiffness ? PAL_NEW(double, at_once * 9 * kind * kind, err) : NULL;
    if (work.out == NULL || (stiffness && work.stiffness == NULL)) {
        free(work.out);
        return PAL_ERR_MEMORY;
    }
    if (energy != NULL) {
        *energy = 0.0;
    }
    if (force != NULL) {
        memset(force, 0, dofs * sizeof *force);
    }
    if (stiffness) {
        memset(fem->stiffness.value, 0, (size_t)fem->stiffness.start[dofs] * sizeof(double));
    }
    run_chunks(fem, &work, energy, force);
    free(work.out);
    free(work.stiffness);
    return atomic_load(&work.failed)
               ? pal_fail(err, PAL_ERR_INPUT, "the mesh has elements that are inside out")
               : PAL_OK;
}

pal_status pal_fem_is_inverted(const pal_fem *fem, const double *u, bool *inverted, pal_err *err) {
    const pal_volmesh *mesh = fem->mesh;
    *inverted = false;
    for (int32_t e = 0; e < mesh->element_count && !*inverted; e++) {
        pal_quadrature q;
        pal_status status = pal_fem_quadrature(mesh, e, PAL_GAUSS_EXACT, &q, err);
        if (status != PAL_OK) {
            return status;
        }
        const int32_t *vertex = pal_volmesh_element(mesh, e);
        double moved[PAL_MAX_NODES][3];
        for (int a = 0; a < q.nodes; a++) {
            pal_fem_displacement(fem, u, vertex[a], moved[a]);
        }
        for (int p = 0; p < q.points; p++) {
            double f[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
            for (int k = 0; k < 9 * q.nodes; k++) {
                f[k / 3 % 3][k % 3] += moved[k / 9][k / 3 % 3] * q.grad[p][k / 9][k % 3];
            }
            *inverted = *inverted || !(pal_mat3_det(f) > 0.0);
        }
    }
    return PAL_OK;
}
