#include "tests/support/block_body.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/mesh/block.h"
#include "tests/support/check.h"

uint8_t *block_held(const pal_volmesh *mesh) {
    uint8_t *held = calloc((size_t)mesh->vertex_count, 1);
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        held[v] = mesh->x[3 * (int64_t)v] == 0.0;
    }
    return held;
}

// Gives the half with larger x to a second region.
static void split_regions(pal_volmesh *mesh, double middle) {
    free(mesh->regions);
    mesh->region_count = 2;
    mesh->regions = calloc(2, sizeof *mesh->regions);
    snprintf(mesh->regions[0].name, PAL_REGION_NAME, "near");
    snprintf(mesh->regions[1].name, PAL_REGION_NAME, "far");
    for (int32_t e = 0; e < mesh->element_count; e++) {
        double x = 0.0;
        for (int a = 0; a < (int)mesh->kind; a++) {
            x += mesh->x[3 * (int64_t)pal_volmesh_element(mesh, e)[a]] / (int)mesh->kind;
        }
        mesh->region[e] = x > middle;
    }
}

void block_open(block_body *body, const block_shape *shape) {
    pal_err err = {0};
    pal_material material[2] = {{1e5, 0.4, 1000.0}};
    if (shape->material.young > 0.0) {
        material[0] = shape->material;
    }
    material[1] = (pal_material){3.0 * material[0].young, 0.3, 0.5 * material[0].density};
    CHECK_OK(pal_mesh_block(shape->kind, shape->n, shape->h, &body->mesh, &err), err);
    if (shape->regions == 2) {
        split_regions(&body->mesh, 0.5 * shape->n[0] * shape->h);
    }
    uint8_t *held = shape->is_free ? NULL : block_held(&body->mesh);
    CHECK_OK(pal_fem_init(&body->fem, &body->mesh, material, held, PAL_MASS_CONSISTENT, &err), err);
    free(held);
}

void block_close(block_body *body) {
    pal_fem_free(&body->fem);
    pal_volmesh_free(&body->mesh);
}
