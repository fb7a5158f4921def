// Trees of domains made of point masses, at random: their moments are sums, and where each mass is
// can be said without any of the formulas that the tests are about.
#ifndef PAL_TESTS_POINT_TREE_H
#define PAL_TESTS_POINT_TREE_H

#include "sim/substruct/tree_step.h"

enum { POINTS = 14, PORT_POINTS = 4 };

typedef struct point_class {
    double mass[POINTS], x[POINTS][3];
    double u[POINTS][3][PAL_DOMAIN_MOST_MODES]; // of points and modes
    int32_t ports;
} point_class;

typedef struct point_tree {
    point_class *points; // [class_count]
    pal_domain_class *class_;
    pal_domain *domain;
    pal_tree tree;
} point_tree;

typedef struct point_spec {
    int32_t class_count, r[8], ports[8]; // modes and ports of each class
    int32_t domain_count;
    const int32_t *kind, *parent, *port; // [domain_count]
    int32_t deepest;                     // of a tree that is grown; 0: as it comes
    double stiffness;                    // of the modes, about (2 pi f)^2, 1/s^2
    double size;                         // m: of a domain
    double alpha, beta;                  // Rayleigh damping of all
    bool flies, scaled;
    bool planar; // every interface lies in a plane at rest
    bool convex; // the energy is that of springs, 1/2 k e(q)^2 with quadratic e, as StVK's is
} point_spec;

// Arrays for a tree of domain_count domains at random: classes but the first (the root's) in turn
// at random, each on a free port of an earlier domain; spec->kind, parent and port point to them.
typedef struct point_shape {
    int32_t *kind, *parent, *port;
} point_shape;
void point_shape_grow(point_shape *shape, point_spec *spec, int32_t domain_count, uint64_t seed);
void point_shape_free(point_shape *shape);

void point_tree_make(point_tree *t, const point_spec *spec, uint64_t seed);
void point_tree_free(point_tree *t);

// Where all masses are for coordinates q [all domains, one after the other] with the root's frame
// moved by root [6] (m, rotation vector): x [domain_count][POINTS][3]. By the definitions alone:
// the interface's turn is the least-squares rotation of its points, by brute iteration.
void point_tree_place(const point_tree *t, const double *q, const double *root, double *x);
// The masses in the same order, and where each domain's q begins.
void point_tree_masses(const point_tree *t, double *mass);
int32_t point_tree_first(const point_tree *t, int32_t domain);
// The k-th of the PORT_POINTS points behind a port.
int point_tree_port_point(int32_t port, int k);

#endif
