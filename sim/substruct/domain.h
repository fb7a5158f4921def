// One class of domains as the run time knows it: a reduced body in a frame F that its parent
// carries. A material point is at
//
//     X(q) = X + U q      in F, with U = 0 on the interface to the parent          [BZ11 3]
//
// F has its origin at the centroid of that interface and the axes of the class's own mesh. The
// class is const and shared by all its instances; an instance of scale s is the class drawn s times
// as large, s X(q), so that lengths, masses and frequencies are those of the class times s, s^3 and
// 1/s.
//
// A port is an interface to a child: the part of the class's own mesh that carries the child's
// frame. The frame is put at the port's centroid and turned by the least-squares rotation Q of its
// vertices, the polar factor of
//
//     B(q) = sum_k w_k (x_k(q) - x(q)) (X_k - x^)^T = C + sum_l q_l B_l            [BZ11 eqs 2-4]
//
// (without C^-1, which halves the tilt of planar interfaces: MATH.md 2).
#ifndef PAL_SUBSTRUCT_DOMAIN_H
#define PAL_SUBSTRUCT_DOMAIN_H

#include "sim/base/status.h"
#include "sim/reduced/quartic.h"

enum { PAL_DOMAIN_NAME = 64, PAL_DOMAIN_MOST_MODES = 64 };

typedef struct pal_port {
    double x[3];    // m: x^, the centroid at rest
    double c[3][3]; // m^2: C = B(0), with weights that sum up to 1
    double *a;      // [3][r] a^: how the centroid moves                              [eq. 1]
    double *b;      // [r][3][3] B_l
    // The vertices of the class's mesh behind it, and their weights (sum 1): for drawing, and for
    // how far the interface is from rigid.
    int32_t vertex_count;
    int32_t *vertex; // [vertex_count]
    double *weight;  // [vertex_count]
} pal_port;

typedef struct pal_domain_class {
    char name[PAL_DOMAIN_NAME];
    int32_t r;           // 0: rigid
    pal_quartic quartic; // of the internal energy; no arrays where r = 0
    double alpha, beta;  // Rayleigh damping, 1/s and s
    double mass;         // kg
    double first[3];     // kg m: int rho X
    double second[3][3]; // kg m^2: int rho X X^T
    double *lift;        // [3][r] T = int rho U                             [-W1, eq. 20]
    double *xu;          // [r][3][3] int rho X U_l^T                        [W2, W3, W5]
    double *uu;          // [r][r][3][3] int rho U_l U_p^T at [l][p]         [W4, W6, W7]
    int32_t port_count;
    pal_port *port; // [port_count]
} pal_domain_class;

// Sizes (r, port_count and each port's vertex_count) must be set; makes the arrays, zeroed.
// Set-up only.
pal_status pal_domain_class_alloc(pal_domain_class *class_, const int32_t *port_vertices,
                                  pal_err *err);
void pal_domain_class_free(pal_domain_class *class_);

#endif
