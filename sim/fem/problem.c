#include "sim/fem/problem.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/fem/anchor.h"
#include "sim/fem/mass.h"
#include "sim/fem/pattern.h"
#include "sim/fem/tie.h"
#include "sim/mesh/select.h"

static pal_status check_materials(const pal_volmesh *mesh, const pal_material *material,
                                  pal_err *err) {
    for (int32_t g = 0; g < mesh->region_count; g++) {
        char owner[PAL_REGION_NAME + 16] = "region '";
        strcat(owner, mesh->regions[g].name);
        strcat(owner, "'");
        pal_status status = pal_material_check(&material[g], owner, err);
        if (status != PAL_OK) {
            return status;
        }
    }
    return PAL_OK;
}

// Numbers the free vertices.
static pal_status number_free(pal_fem *fem, const uint8_t *held, const uint8_t *is_carried,
                              pal_err *err) {
    int32_t n = fem->mesh->vertex_count;
    fem->free_index = PAL_NEW(int32_t, n, err);
    fem->free_vertex = PAL_NEW(int32_t, n, err);
    if (!fem->free_index || !fem->free_vertex) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t v = 0; v < n; v++) {
        bool is_free = (held == NULL || !held[v]) && (is_carried == NULL || !is_carried[v]);
        fem->free_index[v] = is_free ? fem->free_count : -1;
        if (is_free) {
            fem->free_vertex[fem->free_count++] = v;
        }
    }
    if (fem->free_count == 0) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "all %d vertices are fixed, so nothing can move; fix fewer", n);
    }
    return PAL_OK;
}

// Numbers the free vertices where some are carried, and lists who carries them.
static pal_status number_tied(pal_fem *fem, const uint8_t *held, const pal_ties *ties,
                              pal_err *err) {
    uint8_t *is_carried = PAL_NEW(uint8_t, fem->mesh->vertex_count, err);
    pal_status status = is_carried != NULL ? pal_ties_check(ties, fem->mesh, held, is_carried, err)
                                           : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = number_free(fem, held, is_carried, err);
    }
    free(is_carried);
    return status == PAL_OK ? pal_fem_take_ties(fem, ties, err) : status;
}

pal_status pal_fem_init(pal_fem *fem, const pal_volmesh *mesh, const pal_material *material,
                        const uint8_t *held, pal_mass_kind mass_kind, pal_err *err) {
    return pal_fem_init_tied(fem, mesh, material, held, NULL, mass_kind, err);
}

pal_status pal_fem_init_tied(pal_fem *fem, const pal_volmesh *mesh, const pal_material *material,
                             const uint8_t *held, const pal_ties *ties, pal_mass_kind mass_kind,
                             pal_err *err) {
    memset(fem, 0, sizeof *fem);
    fem->mesh = mesh;
    fem->mass_kind = mass_kind;
    pal_status status = check_materials(mesh, material, err);
    if (status != PAL_OK) {
        return status;
    }
    fem->material = PAL_NEW(pal_material, mesh->region_count, err);
    const bool tied = ties != NULL && ties->count > 0;
    status = fem->material == NULL ? PAL_ERR_MEMORY
             : tied                ? number_tied(fem, held, ties, err)
                                   : number_free(fem, held, NULL, err);
    if (status == PAL_OK) {
        memcpy(fem->material, material, (size_t)mesh->region_count * sizeof *material);
        status = pal_fem_check_anchors(mesh, held, ties, &fem->rigid_modes, err);
    }
    if (status == PAL_OK) {
        status = pal_fem_make_pattern(fem, err);
    }
    if (status == PAL_OK) {
        status = pal_fem_make_mass(fem, err);
    }
    if (status != PAL_OK) {
        pal_fem_free(fem);
    }
    return status;
}

void pal_fem_free(pal_fem *fem) {
    free(fem->material);
    free(fem->free_index);
    free(fem->free_vertex);
    free(fem->block_start);
    free(fem->block_col);
    free(fem->slot);
    free(fem->mass);
    free(fem->stiffness.start);
    free(fem->stiffness.col);
    free(fem->stiffness.value);
    free(fem->carried.start);
    free(fem->carried.free_index);
    free(fem->carried.weight);
    free(fem->carried.element);
    memset(fem, 0, sizeof *fem);
}

void pal_fem_to_free(const pal_fem *fem, const double *full, double *free_vector) {
    for (int32_t i = 0; i < fem->free_count; i++) {
        memcpy(free_vector + 3 * (int64_t)i, full + 3 * (int64_t)fem->free_vertex[i],
               3 * sizeof(double));
    }
}

void pal_fem_to_full(const pal_fem *fem, const double *free_vector, double *full) {
    for (int32_t v = 0; v < fem->mesh->vertex_count; v++) {
        pal_fem_displacement(fem, free_vector, v, full + 3 * (int64_t)v);
    }
}

void pal_fem_load_to_free(const pal_fem *fem, const double *full, double *free_vector) {
    memset(free_vector, 0, (size_t)pal_fem_dofs(fem) * sizeof *free_vector);
    for (int32_t v = 0; v < fem->mesh->vertex_count; v++) {
        pal_fem_add_force(fem, v, full + 3 * (int64_t)v, free_vector);
    }
}

void pal_fem_basis_to_free(const pal_fem *fem, const double *basis, int32_t r, double *out) {
    int64_t n = pal_fem_dofs(fem);
    for (int64_t i = 0; i < n; i++) {
        int64_t row = 3 * (int64_t)fem->free_vertex[i / 3] + i % 3;
        for (int32_t k = 0; k < r; k++) {
            out[k * n + i] = basis[row * r + k];
        }
    }
}

void pal_fem_multiply_mass(const pal_fem *fem, const double *x, double *y) {
    pal_fem_multiply_blocks(fem, fem->mass, x, y);
}

void pal_fem_multiply_blocks(const pal_fem *fem, const double *mass, const double *x, double *y) {
    for (int32_t i = 0; i < fem->free_count; i++) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (int32_t k = fem->block_start[i]; k < fem->block_start[i + 1]; k++) {
            const double *xk = x + 3 * (int64_t)fem->block_col[k];
            sum[0] += mass[k] * xk[0];
            sum[1] += mass[k] * xk[1];
            sum[2] += mass[k] * xk[2];
        }
        memcpy(y + 3 * (int64_t)i, sum, sizeof sum);
    }
}

pal_status pal_fem_new_matrix(const pal_fem *fem, pal_csr *matrix, pal_err *err) {
    *matrix = fem->stiffness;
    matrix->value = PAL_NEW(double, matrix->start[matrix->n], err);
    return matrix->value == NULL ? PAL_ERR_MEMORY : PAL_OK;
}

void pal_fem_combine(const pal_fem *fem, double k, double m, pal_csr *out) {
    int64_t count = out->start[out->n];
    for (int64_t e = 0; e < count; e++) {
        out->value[e] = k * fem->stiffness.value[e];
    }
    for (int32_t i = 0; m != 0.0 && i < fem->free_count; i++) {
        for (int32_t b = fem->block_start[i]; b < fem->block_start[i + 1]; b++) {
            for (int c = 0; c < 3; c++) {
                out->value[pal_fem_entry(fem, i, b, c, c)] += m * fem->mass[b];
            }
        }
    }
}

// Marks the selected vertices; an empty selection is an error.
static pal_status select_some(const pal_fem *fem, const char *selector, uint8_t **selected,
                              int32_t *count, pal_err *err) {
    *selected = PAL_NEW(uint8_t, fem->mesh->vertex_count, err);
    if (*selected == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_status status = pal_select_vertices(fem->mesh, selector, *selected, count, err);
    if (status == PAL_OK && *count == 0) {
        status = pal_select_nothing(fem->mesh, PAL_ERR_USAGE, err,
                                    "the selector '%.200s' selects no vertex", selector);
    }
    if (status != PAL_OK) {
        free(*selected);
        *selected = NULL;
    }
    return status;
}

pal_status pal_fem_add_load(const pal_fem *fem, const char *selector, const double total[3],
                            double *f, pal_err *err) {
    uint8_t *selected;
    int32_t count;
    pal_status status = select_some(fem, selector, &selected, &count, err);
    if (status != PAL_OK) {
        return status;
    }
    for (int32_t v = 0; v < fem->mesh->vertex_count; v++) {
        for (int c = 0; selected[v] && c < 3; c++) {
            f[3 * (int64_t)v + c] += total[c] / count;
        }
    }
    free(selected);
    return PAL_OK;
}

pal_status pal_fem_probe(const pal_fem *fem, const char *selector, const double *u, double mean[3],
                         pal_err *err) {
    uint8_t *selected;
    int32_t count;
    pal_status status = select_some(fem, selector, &selected, &count, err);
    if (status != PAL_OK) {
        return status;
    }
    memset(mean, 0, 3 * sizeof *mean);
    for (int32_t v = 0; v < fem->mesh->vertex_count; v++) {
        for (int c = 0; selected[v] && c < 3; c++) {
            mean[c] += u[3 * (int64_t)v + c] / count;
        }
    }
    free(selected);
    return PAL_OK;
}
