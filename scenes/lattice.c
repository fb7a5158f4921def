#include "scenes/lattice.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

pal_status pal_lattice_alloc(pal_lattice *lattice, int32_t nx, int32_t ny, int32_t nz,
                             pal_err *err) {
    *lattice = (pal_lattice){.grid = {.n = {nx, ny, nz}, .h = 1.0}};
    lattice->label = PAL_NEW(int16_t, (size_t)nx * (size_t)ny * (size_t)nz, err);
    if (lattice->label == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_lattice_fill(lattice, (const int32_t[]){0, 0, 0}, lattice->grid.n, -1);
    return PAL_OK;
}

void pal_lattice_free(pal_lattice *lattice) {
    free(lattice->label);
    memset(lattice, 0, sizeof *lattice);
}

void pal_lattice_fill(pal_lattice *lattice, const int32_t low[3], const int32_t high[3],
                      int16_t label) {
    for (int32_t k = low[2]; k < high[2]; k++) {
        for (int32_t j = low[1]; j < high[1]; j++) {
            for (int32_t i = low[0]; i < high[0]; i++) {
                *pal_lattice_cell(lattice, i, j, k) = label;
            }
        }
    }
}

pal_status pal_tets_of_voxels(const pal_volmesh *voxels, pal_volmesh *tets, pal_err *err) {
    static const int cell_tets[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                        {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
    pal_status status = pal_volmesh_alloc(tets, PAL_TET4, voxels->vertex_count,
                                          6 * voxels->element_count, voxels->region_count, err);
    if (status != PAL_OK) {
        return status;
    }
    memcpy(tets->x, voxels->x, 3 * sizeof(double) * (size_t)voxels->vertex_count);
    memcpy(tets->regions, voxels->regions, sizeof *tets->regions * (size_t)tets->region_count);
    for (int32_t e = 0; e < tets->element_count; e++) {
        const int32_t *corner = pal_volmesh_element(voxels, e / 6);
        for (int a = 0; a < 4; a++) {
            tets->element[4 * (int64_t)e + a] = corner[cell_tets[e % 6][a]];
        }
        tets->region[e] = voxels->region[e / 6];
    }
    return PAL_OK;
}

// ---- classes of voxels

pal_status pal_class_shape_voxels(pal_class_shape *class_, const char *name, int32_t modes,
                                  const pal_lattice *lattice, const double origin[3], double h,
                                  pal_err *err) {
    strncpy(class_->name, name, PAL_DOMAIN_NAME - 1);
    class_->modes = modes;
    pal_status status = pal_voxels_of_grid(&lattice->grid, lattice->label, 1, &class_->mesh, err);
    if (status != PAL_OK) {
        return status;
    }
    strncpy(class_->mesh.regions[0].name, name, PAL_REGION_NAME - 1);
    for (int64_t i = 0; i < 3 * (int64_t)class_->mesh.vertex_count; i++) {
        class_->mesh.x[i] = h * (class_->mesh.x[i] - origin[i % 3]);
    }
    class_->held = PAL_NEW(uint8_t, class_->mesh.vertex_count, err);
    return class_->held != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

static bool is_within(const pal_volmesh *mesh, int32_t v, const double *low, const double *high) {
    const double room = 1e-6; // m
    bool within = true;
    for (int c = 0; c < 3; c++) {
        double x = mesh->x[3 * (int64_t)v + c];
        within = within && x > low[c] - room && x < high[c] + room;
    }
    return within;
}

void pal_class_shape_hold(pal_class_shape *class_, const double low[3], const double high[3]) {
    for (int32_t v = 0; v < class_->mesh.vertex_count; v++) {
        class_->held[v] = class_->held[v] || is_within(&class_->mesh, v, low, high);
    }
}

pal_status pal_class_shape_box_port(pal_class_shape *class_, const double low[3],
                                    const double high[3], const double normal[3], pal_err *err) {
    int32_t count = 0;
    for (int32_t v = 0; v < class_->mesh.vertex_count; v++) {
        count += is_within(&class_->mesh, v, low, high);
    }
    int32_t *vertex = PAL_NEW(int32_t, count, err);
    if (vertex == NULL) {
        return PAL_ERR_MEMORY;
    }
    count = 0;
    for (int32_t v = 0; v < class_->mesh.vertex_count; v++) {
        if (is_within(&class_->mesh, v, low, high)) {
            vertex[count++] = v;
        }
    }
    return pal_class_shape_add_port(class_, vertex, count, normal, err);
}
