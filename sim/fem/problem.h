// A finite-element problem: a mesh, its materials, and which vertices are held.
//
//     M u'' + (alpha M + beta K(u)) u' + R(u) = f              [BJ05 eqs 2, 3]
//
// Vectors come in two lengths: *full*, [vertex_count][3], with zeros at held vertices, which is
// what users see; and *free*, [free_count][3], without them, which is what matrices act on.
#ifndef PAL_FEM_PROBLEM_H
#define PAL_FEM_PROBLEM_H

#include "sim/base/csr.h"
#include "sim/base/progress.h"
#include "sim/mesh/volmesh.h"

typedef enum pal_mass_kind { PAL_MASS_CONSISTENT, PAL_MASS_LUMPED } pal_mass_kind;

typedef struct pal_fem {
    const pal_volmesh *mesh; // borrowed
    pal_mass_kind mass_kind;
    pal_material *material; // [region_count]
    int32_t *free_index;    // [vertex_count]: place among the free vertices, -1 where held
    int32_t *free_vertex;   // [free_count]
    int32_t free_count;
    int32_t *block_start; // [free_count + 1] block rows of 3x3 blocks
    int32_t *block_col;   // [block_start[free_count]], ascending
    int32_t *slot;        // [element_count][kind][kind]: the block of a vertex pair, -1 if held
    double *mass;         // [block_start[free_count]]: block (a,b) of M is mass * I, kg
    pal_csr stiffness;    // K(u) of the last assembly; rows 3i..3i+2 hold the blocks of row i
    double total_mass;    // kg, of the whole body
    int32_t rigid_modes;  // 0 when every component is anchored, 6 when the whole body is free
} pal_fem;

// held[v] != 0 fixes a vertex (NULL: none). material: one per region of the mesh. Errors: bad
// material; everything held; a component held at fewer than three vertices not in line while
// another component is anchored; more than one component in a free body. The mesh must outlive
// *fem.
pal_status pal_fem_init(pal_fem *fem, const pal_volmesh *mesh, const pal_material *material,
                        const uint8_t *held, pal_mass_kind mass_kind, pal_err *err);
void pal_fem_free(pal_fem *fem);

static inline int64_t pal_fem_dofs(const pal_fem *fem) {
    return 3 * (int64_t)fem->free_count;
}

// Full to free and back (zeros at held vertices).
void pal_fem_to_free(const pal_fem *fem, const double *full, double *free_vector);
void pal_fem_to_full(const pal_fem *fem, const double *free_vector, double *full);

// The columns of a basis [3 vertex_count][r] as free vectors, out [r][free dofs].
void pal_fem_basis_to_free(const pal_fem *fem, const double *basis, int32_t r, double *out);

// y = M x over free vectors; the second form takes other block masses than fem->mass.
void pal_fem_multiply_mass(const pal_fem *fem, const double *x, double *y);
void pal_fem_multiply_blocks(const pal_fem *fem, const double *mass, const double *x, double *y);

// out (of the pattern of fem->stiffness) = k K + m M. out may be fem->stiffness itself.
void pal_fem_combine(const pal_fem *fem, double k, double m, pal_csr *out);

// A matrix of the same pattern (start and col borrowed), values zero. Free its value array with
// free().
pal_status pal_fem_new_matrix(const pal_fem *fem, pal_csr *matrix, pal_err *err);

// Adds a total force [N] shared equally by the selected vertices to f (full vector).
pal_status pal_fem_add_load(const pal_fem *fem, const char *selector, const double total[3],
                            double *f, pal_err *err);

// Adds the weight M g to f (full vector); g in m/s^2. (The same for both kinds of mass.)
pal_status pal_fem_add_gravity(const pal_fem *fem, const double g[3], double *f, pal_err *err);

// Mean displacement of the selected vertices; an error when none is selected.
pal_status pal_fem_probe(const pal_fem *fem, const char *selector, const double *u, double mean[3],
                         pal_err *err);

#endif
