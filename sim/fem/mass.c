#include "sim/fem/mass.h"

#include <string.h>

#include "sim/base/memory.h"
#include "sim/fem/assemble.h"
#include "sim/fem/pattern.h"

// Gauss points per axis: phi_a phi_b has degree 2 per axis, the volume of a hexahedron that is no
// voxel 2 more. The points of the stiffness, so that an element inside out there is found here.
enum { MASS_ORDER = PAL_GAUSS_EXACT };

void pal_element_mass(const pal_quadrature *quadrature, pal_mass_kind mass_kind, double *m) {
    int nodes = quadrature->nodes;
    memset(m, 0, (size_t)(nodes * nodes) * sizeof *m);
    for (int a = 0; a < nodes; a++) {
        for (int b = 0; b < nodes; b++) {
            double integral = 0.0;
            if (nodes == 4) { // int phi_a phi_b = V (1 + delta_ab) / 20
                integral = quadrature->weight[0] * (a == b ? 2.0 : 1.0) / 20.0;
            }
            for (int p = 0; nodes == 8 && p < quadrature->points; p++) {
                integral +=
                    quadrature->weight[p] * quadrature->shape[p][a] * quadrature->shape[p][b];
            }
            m[a * nodes + (mass_kind == PAL_MASS_LUMPED ? a : b)] += integral;
        }
    }
}

// Of an element with carried corners: each entry goes to all pairs of their carriers.
static void scatter_tied(const pal_fem *fem, int32_t e, const double *m, double weight,
                         double *mass) {
    const int nodes = (int)fem->mesh->kind;
    const int32_t *vertex = pal_volmesh_element(fem->mesh, e);
    for (int k = 0; k < nodes * nodes; k++) {
        const pal_carriers of = pal_fem_carriers(fem, vertex[k / nodes]);
        const pal_carriers by = pal_fem_carriers(fem, vertex[k % nodes]);
        for (int32_t n = 0; n < of.count * by.count; n++) {
            const int32_t i = of.free_index[n / by.count], j = by.free_index[n % by.count];
            mass[pal_fem_find_block(fem, i, j)] +=
                weight * m[k] * of.weight[n / by.count] * by.weight[n % by.count];
        }
    }
}

pal_status pal_fem_add_region_mass(const pal_fem *fem, int32_t region, double weight, double *mass,
                                   double *total, pal_err *err) {
    const pal_volmesh *mesh = fem->mesh;
    int nodes = (int)mesh->kind;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        pal_quadrature quadrature;
        double m[PAL_MAX_NODES * PAL_MAX_NODES];
        if (mesh->region[e] != region) {
            continue;
        }
        pal_status status = pal_fem_quadrature(mesh, e, MASS_ORDER, &quadrature, err);
        if (status != PAL_OK) {
            return status;
        }
        pal_element_mass(&quadrature, fem->mass_kind, m);
        if (pal_fem_is_tied(fem, e)) {
            scatter_tied(fem, e, m, weight, mass);
        }
        const int32_t *slot = fem->slot + (int64_t)e * nodes * nodes;
        for (int k = 0; k < nodes * nodes; k++) {
            if (total != NULL) {
                *total += weight * m[k];
            }
            if (slot[k] >= 0) {
                mass[slot[k]] += weight * m[k];
            }
        }
    }
    return PAL_OK;
}

pal_status pal_fem_make_mass(pal_fem *fem, pal_err *err) {
    fem->mass = PAL_NEW(double, fem->block_start[fem->free_count], err);
    pal_status status = fem->mass ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t g = 0; status == PAL_OK && g < fem->mesh->region_count; g++) {
        status = pal_fem_add_region_mass(fem, g, fem->material[g].density, fem->mass,
                                         &fem->total_mass, err);
    }
    return status;
}

// g . integral of rho phi_a: the row sums of the mass matrix, held vertices included.
pal_status pal_fem_add_gravity(const pal_fem *fem, const double g[3], double *f, pal_err *err) {
    const pal_volmesh *mesh = fem->mesh;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        pal_quadrature quadrature;
        double m[PAL_MAX_NODES * PAL_MAX_NODES];
        pal_status status = pal_fem_quadrature(mesh, e, MASS_ORDER, &quadrature, err);
        if (status != PAL_OK) {
            return status;
        }
        pal_element_mass(&quadrature, PAL_MASS_LUMPED, m);
        double density = fem->material[mesh->region[e]].density;
        const int32_t *vertex = pal_volmesh_element(mesh, e);
        for (int a = 0; a < quadrature.nodes; a++) {
            for (int c = 0; c < 3; c++) {
                f[3 * (int64_t)vertex[a] + c] += density * m[a * quadrature.nodes + a] * g[c];
            }
        }
    }
    return PAL_OK;
}
