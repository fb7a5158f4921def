// The numeric oracles in tests/data/oracles: problems solved by independent programs.
#ifndef PAL_TESTS_ORACLE_H
#define PAL_TESTS_ORACLE_H

#include <cjson/cJSON.h>

#include "sim/fem/problem.h"

// A JSON file of tests/data/oracles; the test fails when it cannot be read. Free with cJSON_Delete.
cJSON *oracle_json(const char *name);

// The numbers of an array (nested arrays are flattened) as a heap array; *count may be NULL.
double *oracle_numbers(const cJSON *array, size_t *count);
// The same by key.
double *oracle_array(const cJSON *object, const char *key, size_t *count);
double oracle_number(const cJSON *object, const char *key);

// A finite-element problem of the oracles with its mesh, one end (x = 0) held.
typedef struct oracle_problem {
    pal_volmesh mesh;
    uint8_t *held;
    pal_fem fem;
} oracle_problem;
void oracle_beam(oracle_problem *problem, pal_mass_kind mass_kind);   // tets, one material
void oracle_voxels(oracle_problem *problem, pal_mass_kind mass_kind); // voxels, three materials
void oracle_free(oracle_problem *problem);

// The ten modes of beam_tet_U10.txt, [297][10] row-major, as a heap array.
double *oracle_basis(void);

#endif
