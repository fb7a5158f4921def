#include "sim/mesh/block.h"

// The six tets of a cube around its diagonal 0-6 (corners in the order of a hexahedron).
static const int cube_tets[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                    {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};

static void put_element(pal_volmesh *mesh, int64_t cube, const int32_t corner[8]) {
    if (mesh->kind == PAL_HEX8) {
        for (int a = 0; a < 8; a++) {
            mesh->element[8 * cube + a] = corner[a];
        }
        return;
    }
    for (int t = 0; t < 6; t++) {
        for (int a = 0; a < 4; a++) {
            mesh->element[4 * (6 * cube + t) + a] = corner[cube_tets[t][a]];
        }
    }
}

pal_status pal_mesh_block(pal_element_kind kind, const int32_t n[3], double h, pal_volmesh *mesh,
                          pal_err *err) {
    int32_t cubes = n[0] * n[1] * n[2], row = n[0] + 1, layer = row * (n[1] + 1);
    pal_status status = pal_volmesh_alloc(mesh, kind, layer * (n[2] + 1),
                                          kind == PAL_HEX8 ? cubes : 6 * cubes, 1, err);
    if (status != PAL_OK) {
        return status;
    }
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        mesh->x[3 * (int64_t)v] = h * (v % row);
        mesh->x[3 * (int64_t)v + 1] = h * (v / row % (n[1] + 1));
        mesh->x[3 * (int64_t)v + 2] = h * (v / layer);
    }
    for (int32_t c = 0; c < cubes; c++) {
        int32_t v = c % n[0] + row * (c / n[0] % n[1]) + layer * (c / (n[0] * n[1]));
        const int32_t corner[8] = {v,         v + 1,         v + 1 + row,         v + row,
                                   v + layer, v + 1 + layer, v + 1 + row + layer, v + row + layer};
        put_element(mesh, c, corner);
    }
    return PAL_OK;
}
