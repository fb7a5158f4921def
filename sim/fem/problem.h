// A finite-element problem: a mesh, its materials, and which vertices are held.
//
//     M u'' + (alpha M + beta K(u)) u' + R(u) = f              [BJ05 eqs 2, 3]
//
// Vectors come in two lengths: *full*, [vertex_count][3], with zeros at held vertices, which is
// what users see; and *free*, [free_count][3], without them and without those that others carry
// (tie.h), which is what matrices act on.
#ifndef PAL_FEM_PROBLEM_H
#define PAL_FEM_PROBLEM_H

#include "sim/base/csr.h"
#include "sim/base/progress.h"
#include "sim/mesh/volmesh.h"

typedef enum pal_mass_kind { PAL_MASS_CONSISTENT, PAL_MASS_LUMPED } pal_mass_kind;

struct pal_ties; // tie.h

// What each vertex moves by, where some are carried by others; no arrays where none is.
typedef struct pal_carried {
    int32_t *start;      // [vertex_count + 1]
    int32_t *free_index; // [start[vertex_count]] free vertices: itself, or its carriers
    double *weight;      // [start[vertex_count]]
    uint8_t *element;    // [element_count] whether a corner is carried
} pal_carried;

typedef struct pal_fem {
    const pal_volmesh *mesh; // borrowed
    pal_mass_kind mass_kind;
    pal_material *material; // [region_count]
    int32_t *free_index;  // [vertex_count]: place among the free vertices, -1 where held or carried
    int32_t *free_vertex; // [free_count]
    int32_t free_count;
    int32_t *block_start; // [free_count + 1] block rows of 3x3 blocks
    int32_t *block_col;   // [block_start[free_count]], ascending
    int32_t *slot;        // [element_count][kind][kind]: the block of a vertex pair, -1 if not free
    double *mass;         // [block_start[free_count]]: block (a,b) of M is mass * I, kg
    pal_csr stiffness;    // K(u) of the last assembly; rows 3i..3i+2 hold the blocks of row i
    double total_mass;    // kg, of the whole body
    int32_t rigid_modes;  // 0 when every component is anchored, 6 when the whole body is free
    pal_carried carried;
} pal_fem;

// held[v] != 0 fixes a vertex (NULL: none). material: one per region of the mesh. Errors: bad
// material; everything held; a component held at fewer than three vertices not in line while
// another component is anchored; more than one component in a free body. The mesh must outlive
// *fem.
pal_status pal_fem_init(pal_fem *fem, const pal_volmesh *mesh, const pal_material *material,
                        const uint8_t *held, pal_mass_kind mass_kind, pal_err *err);
// The same with vertices that others carry (ties NULL: none); what is tied is one component. *ties
// is not needed any more after that.
pal_status pal_fem_init_tied(pal_fem *fem, const pal_volmesh *mesh, const pal_material *material,
                             const uint8_t *held, const struct pal_ties *ties,
                             pal_mass_kind mass_kind, pal_err *err);
void pal_fem_free(pal_fem *fem);

static inline int64_t pal_fem_dofs(const pal_fem *fem) {
    return 3 * (int64_t)fem->free_count;
}

// The free vertices that a vertex moves by, and their weights: itself, its carriers, or none.
typedef struct pal_carriers {
    int32_t count;
    const int32_t *free_index;
    const double *weight;
} pal_carriers;
static inline pal_carriers pal_fem_carriers(const pal_fem *fem, int32_t vertex) {
    static const double one = 1.0;
    if (fem->carried.start == NULL) {
        return (pal_carriers){fem->free_index[vertex] >= 0, fem->free_index + vertex, &one};
    }
    const int32_t first = fem->carried.start[vertex];
    return (pal_carriers){fem->carried.start[vertex + 1] - first, fem->carried.free_index + first,
                          fem->carried.weight + first};
}
// How a vertex moves with the free ones, and a force on it as one on them.
static inline void pal_fem_displacement(const pal_fem *fem, const double *u, int32_t vertex,
                                        double out[3]) {
    const pal_carriers by = pal_fem_carriers(fem, vertex);
    out[0] = out[1] = out[2] = 0.0;
    for (int32_t k = 0; k < by.count; k++) {
        for (int c = 0; c < 3; c++) {
            out[c] += by.weight[k] * u[3 * (int64_t)by.free_index[k] + c];
        }
    }
}
static inline void pal_fem_add_force(const pal_fem *fem, int32_t vertex, const double f[3],
                                     double *free_force) {
    const pal_carriers by = pal_fem_carriers(fem, vertex);
    for (int32_t k = 0; k < by.count; k++) {
        for (int c = 0; c < 3; c++) {
            free_force[3 * (int64_t)by.free_index[k] + c] += by.weight[k] * f[c];
        }
    }
}
static inline bool pal_fem_is_tied(const pal_fem *fem, int32_t element) {
    return fem->carried.element != NULL && fem->carried.element[element];
}

// A displacement or velocity: full to free and back (zeros at held vertices).
void pal_fem_to_free(const pal_fem *fem, const double *full, double *free_vector);
void pal_fem_to_full(const pal_fem *fem, const double *free_vector, double *full);
// A load: what is on carried vertices goes to their carriers, T^T f.
void pal_fem_load_to_free(const pal_fem *fem, const double *full, double *free_vector);

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
