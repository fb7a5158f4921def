#include "tests/support/cells.h"

#include <stdlib.h>
#include <string.h>

#include "sim/mesh/block.h"
#include "tests/support/check.h"

void cells_open(const int32_t n[3], double h, const char *map, pal_volmesh *mesh, int32_t **label) {
    pal_err err = {0};
    CHECK_OK(pal_mesh_block(PAL_HEX8, n, h, mesh, &err), err);
    TEST_ASSERT_EQUAL_INT(mesh->element_count, (int)strlen(map));
    int32_t *place = calloc((size_t)mesh->vertex_count, sizeof *place), count = 0, kept = 0;
    *label = calloc((size_t)mesh->element_count, sizeof **label);
    for (int32_t k = 0; k < 8 * mesh->element_count; k++) {
        place[mesh->element[k]] |= map[k / 8] != '.';
    }
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        if (place[v]) {
            memmove(mesh->x + 3 * count, mesh->x + 3 * v, 3 * sizeof *mesh->x);
            place[v] = count++;
        }
    }
    for (int32_t e = 0; e < mesh->element_count; e++) {
        for (int a = 0; map[e] != '.' && a < 8; a++) {
            mesh->element[8 * kept + a] = place[mesh->element[8 * e + a]];
        }
        if (map[e] != '.') {
            (*label)[kept++] = map[e] - 'a';
        }
    }
    mesh->vertex_count = count;
    mesh->element_count = kept;
    free(place);
}

void cells_spindle(pal_volmesh *mesh, int32_t **label) {
    enum { EACH = 8 };
    // Vertices 0-3 and 8-11 are of the cube, 4-7 and 12-15 their images in the small one.
    static const double cube[EACH][3] = {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {1, 0, 1},
                                         {2, 0, 0}, {2, 1, 0}, {2, 1, 1}, {2, 0, 1}};
    static const int32_t element[3][EACH] = {
        {5, 0, 1, 4, 6, 3, 2, 7}, {0, 8, 9, 1, 3, 11, 10, 2}, {4, 12, 13, 5, 7, 15, 14, 6}};
    pal_err err = {0};
    CHECK_OK(pal_volmesh_alloc(mesh, PAL_HEX8, 2 * EACH, 3, 1, &err), err);
    for (int k = 0; k < EACH; k++) {
        int at = k < 4 ? k : k + 4;
        memcpy(mesh->x + 3 * at, cube[k], sizeof cube[k]);
        mesh->x[3 * (at + 4)] = 0.5 * (1.0 - cube[k][0]);
        mesh->x[3 * (at + 4) + 1] = 0.5 + 0.5 * (0.5 - cube[k][1]);
        mesh->x[3 * (at + 4) + 2] = 0.5 + 0.5 * (cube[k][2] - 0.5);
    }
    memcpy(mesh->element, element, sizeof element);
    *label = calloc(3, sizeof **label);
    for (int e = 0; e < 3; e++) {
        (*label)[e] = e;
    }
}
