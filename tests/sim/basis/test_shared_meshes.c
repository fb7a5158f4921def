// Modes of every volume mesh of the shared data, held at one end and free.
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/basis/eigen.h"
#include "sim/mesh/mesh_io.h"
#include "tests/support/check.h"
#include "tests/support/sanitized.h"

void setUp(void) {
}

void tearDown(void) {
}

enum { SMALL = 1500, LARGE = 8000 }; // vertices

// Holds what lies in the first twentieth of the longest side.
static void hold_one_end(const pal_volmesh *mesh, uint8_t *held) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    int axis = 0;
    for (int64_t i = 0; i < 3 * (int64_t)mesh->vertex_count; i++) {
        low[i % 3] = fmin(low[i % 3], mesh->x[i]);
        high[i % 3] = fmax(high[i % 3], mesh->x[i]);
    }
    for (int c = 1; c < 3; c++) {
        axis = high[c] - low[c] > high[axis] - low[axis] ? c : axis;
    }
    double end = low[axis] + 0.05 * (high[axis] - low[axis]);
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        held[v] = mesh->x[3 * (int64_t)v + axis] <= end;
    }
}

static void check_modes(const pal_volmesh *mesh, const uint8_t *held, const char *name) {
    pal_err err = {0};
    pal_fem fem;
    pal_modes modes;
    int32_t count = mesh->vertex_count > LARGE ? 1 : 5;
    pal_material *material = calloc((size_t)mesh->region_count, sizeof *material);
    for (int32_t g = 0; g < mesh->region_count; g++) {
        material[g] = (pal_material){1e6, 0.4, 1000.0};
    }
    CHECK_OK(pal_fem_init(&fem, mesh, material, held, PAL_MASS_CONSISTENT, &err), err);
    CHECK_OK(pal_modes_solve(&fem, count, NULL, &modes, &err), err);
    TEST_ASSERT_EQUAL_INT_MESSAGE(held == NULL ? 6 : 0, modes.rigid, name);
    TEST_ASSERT_TRUE_MESSAGE(modes.residual_max < 1e-6, name);
    for (int32_t i = 0; i < count; i++) {
        TEST_ASSERT_TRUE_MESSAGE(modes.lambda[i] > 0.0, name);
        TEST_ASSERT_TRUE_MESSAGE(i == 0 || modes.lambda[i] >= modes.lambda[i - 1], name);
    }
    pal_modes_free(&modes);
    pal_fem_free(&fem);
    free(material);
}

static void check_mesh(const char *path, const char *name) {
    pal_err err = {0};
    pal_volmesh mesh;
    CHECK_OK(pal_mesh_read(path, &mesh, &err), err);
    uint8_t *held = calloc((size_t)mesh.vertex_count, 1);
    hold_one_end(&mesh, held);
    if (!IS_SANITIZED || mesh.vertex_count < SMALL) { // else it is only read
        check_modes(&mesh, held, name);
        check_modes(&mesh, NULL, name);
    }
    free(held);
    pal_volmesh_free(&mesh);
}

static void test_every_shared_mesh_has_modes_held_and_free(void) {
    const char *folder = check_shared("meshes");
    DIR *list = folder != NULL ? opendir(folder) : NULL;
    if (list == NULL) {
        TEST_IGNORE_MESSAGE("the shared data are not here");
    }
    int count = 0;
    for (struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        if (pal_mesh_is_volume_path(entry->d_name)) {
            char path[1024];
            snprintf(path, sizeof path, "%s/%s", check_shared("meshes"), entry->d_name);
            check_mesh(path, entry->d_name);
            count++;
        }
    }
    closedir(list);
    TEST_ASSERT_TRUE(count > 0);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_every_shared_mesh_has_modes_held_and_free);
    return UNITY_END();
}
