// Makes the run-time half of a class from a reduced body: its moments and its ports (see domain.h).
//
// Integrals over the body are sums over pairs of vertices with the same mass matrix as the basis,
// held vertices included: int rho X U_l^T = sum_ab m_ab X_a U_l(b)^T. So U^T M U = I is
// sum_c uu[l][p][c][c] = 1 if l = p, else 0.
#ifndef PAL_SUBSTRUCT_CLASS_BUILD_H
#define PAL_SUBSTRUCT_CLASS_BUILD_H

#include "sim/fem/problem.h"
#include "sim/substruct/domain.h"

typedef struct pal_port_vertices { // the vertices of a class's mesh on the interface to a child
    int32_t vertex_count;
    const int32_t *vertex; // [vertex_count]
    const double *weight;  // [vertex_count], sum 1; NULL: as pal_interface_weights says
} pal_port_vertices;

// weight [count] of vertices of the mesh: the area of the faces of its boundary that have all their
// corners among them, each shared equally by its corners; normalised to the sum 1. Vertices that
// span no face weigh alike. Set-up only.
pal_status pal_interface_weights(const pal_volmesh *mesh, int32_t count, const int32_t *vertex,
                                 double *weight, pal_err *err);

// The centroid of weighted points of the mesh, and C = sum w (X - x^)(X - x^)^T.
void pal_interface_moments(const pal_volmesh *mesh, int32_t count, const int32_t *vertex,
                           const double *weight, double centroid[3], double (*c)[3]);

// An interface must keep a frame: at least three vertices that are not in line (the middle
// eigenvalue of C is above 1e-6 of the largest). `owner` opens the message: "domain 'stem', the
// interface to 'leaf'".
pal_status pal_interface_check(int32_t count, double (*c)[3], const char *owner, pal_err *err);

typedef struct pal_class_body { // all borrowed
    const char *name;
    const pal_volmesh *mesh;      // in the frame F
    const pal_material *material; // [mesh->region_count]
    pal_mass_kind mass_kind;
    int32_t r;                  // 0: rigid
    const double *basis;        // U [3 vertex_count][r]
    const pal_quartic *quartic; // copied; not looked at where r = 0
    double alpha, beta;         // Rayleigh damping, 1/s and s
    int32_t port_count;
    const pal_port_vertices *port; // [port_count]
} pal_class_body;

// Fills *class_; on failure it is empty. Set-up only.
pal_status pal_domain_class_build(const pal_class_body *body, pal_domain_class *class_,
                                  pal_err *err);

// Mass and first moment int rho X alone. Set-up only.
pal_status pal_mesh_mass(const pal_volmesh *mesh, const pal_material *material, double *mass,
                         double first[3], pal_err *err);

#endif
