#include "tests/support/oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/mesh/mesh_io.h"
#include "sim/mesh/select.h"
#include "tests/support/check.h"

static char *oracle_text(const char *name, size_t *size) {
    char path[256];
    char *text = NULL;
    pal_err err = {0};
    snprintf(path, sizeof path, "oracles/%s", name);
    CHECK_OK(pal_file_read(check_data(path), &text, size, &err), err);
    return text;
}

cJSON *oracle_json(const char *name) {
    size_t size;
    char *text = oracle_text(name, &size);
    cJSON *json = cJSON_ParseWithLength(text, size);
    free(text);
    TEST_ASSERT_NOT_NULL(json);
    return json;
}

static size_t flatten(const cJSON *array, double *out) {
    size_t count = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, array) {
        if (cJSON_IsArray(item)) {
            count += flatten(item, out ? out + count : NULL);
        } else {
            if (out != NULL) {
                out[count] = item->valuedouble;
            }
            count++;
        }
    }
    return count;
}

double *oracle_numbers(const cJSON *array, size_t *count) {
    TEST_ASSERT_TRUE(cJSON_IsArray(array));
    size_t size = flatten(array, NULL);
    double *numbers = malloc((size + 1) * sizeof *numbers);
    TEST_ASSERT_NOT_NULL(numbers);
    flatten(array, numbers);
    if (count != NULL) {
        *count = size;
    }
    return numbers;
}

double *oracle_array(const cJSON *object, const char *key, size_t *count) {
    return oracle_numbers(cJSON_GetObjectItemCaseSensitive(object, key), count);
}

double oracle_number(const cJSON *object, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    TEST_ASSERT_TRUE_MESSAGE(cJSON_IsNumber(item), key);
    return item->valuedouble;
}

static void open_problem(oracle_problem *problem, const char *file, const pal_material *material,
                         pal_mass_kind mass_kind) {
    pal_err err = {0};
    int32_t count;
    CHECK_OK(pal_mesh_read(check_data(file), &problem->mesh, &err), err);
    problem->held = calloc((size_t)problem->mesh.vertex_count, 1);
    CHECK_OK(pal_select_vertices(&problem->mesh, "x<1e-6", problem->held, &count, &err), err);
    CHECK_OK(pal_fem_init(&problem->fem, &problem->mesh, material, problem->held, mass_kind, &err),
             err);
}

void oracle_beam(oracle_problem *problem, pal_mass_kind mass_kind) {
    const pal_material material = {1e6, 0.35, 1000.0};
    open_problem(problem, "oracles/beam_tet.node", &material, mass_kind);
}

void oracle_voxels(oracle_problem *problem, pal_mass_kind mass_kind) {
    // In the order in which the labels first appear in the file: 0, 1, 2.
    const pal_material material[3] = {{1e4, 0.45, 1000.0}, {1e6, 0.3, 1800.0}, {5e4, 0.4, 1100.0}};
    open_problem(problem, "oracles/voxel_hetero.hex", material, mass_kind);
}

void oracle_free(oracle_problem *problem) {
    pal_fem_free(&problem->fem);
    pal_volmesh_free(&problem->mesh);
    free(problem->held);
}

double *oracle_basis(void) {
    size_t size;
    char *text = oracle_text("beam_tet_U10.txt", &size);
    char *copy = malloc(size + 1);
    memcpy(copy, text, size);
    copy[size] = '\0';
    free(text);
    char *at = copy;
    long rows = strtol(at, &at, 10), columns = strtol(at, &at, 10);
    TEST_ASSERT_EQUAL_INT(297, rows);
    TEST_ASSERT_EQUAL_INT(10, columns);
    double *basis = malloc((size_t)(rows * columns) * sizeof *basis);
    for (long k = 0; k < rows * columns; k++) {
        basis[k] = strtod(at, &at);
    }
    free(copy);
    return basis;
}
