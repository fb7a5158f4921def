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
    double stiffness;                    // of the modes, about (2 pi f)^2, 1/s^2
    double size;                         // m: of a domain
    bool flies, scaled;
} point_spec;

void point_tree_make(point_tree *t, const point_spec *spec, uint64_t seed);
void point_tree_free(point_tree *t);

// Where all masses are for coordinates q [all domains, one after the other] with the root's frame
// moved by root [6] (m, rotation vector): x [domain_count][POINTS][3]. By the definitions alone:
// the interface's turn is the least-squares rotation of its points, by brute iteration.
void point_tree_place(const point_tree *t, const double *q, const double *root, double *x);
// The masses in the same order, and where each domain's q begins.
void point_tree_masses(const point_tree *t, double *mass);
int32_t point_tree_first(const point_tree *t, int32_t domain);

#endif
