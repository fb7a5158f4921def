#include "tests/support/point_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/pose.h"
#include "sim/base/rng.h"
#include "sim/base/vec3.h"

static double around(pal_rng *rng) { // -1 to 1
    return pal_rng_uniform(rng, -1.0, 1.0);
}

// Modes with U^T M U = I, zero on the first three points (the parent's interface).
static void make_modes(point_class *p, int32_t r, pal_rng *rng) {
    for (int32_t l = 0; l < r; l++) {
        for (int i = 0; i < POINTS; i++) {
            for (int k = 0; k < 3; k++) {
                p->u[i][k][l] = i < 3 ? 0.0 : around(rng);
            }
        }
        for (int twice = 0; twice < 2; twice++) {
            for (int32_t m = 0; m <= l; m++) { // Gram-Schmidt; m = l: to length 1
                double dot = 0.0;
                for (int i = 0; i < 3 * POINTS; i++) {
                    dot += p->mass[i / 3] * p->u[i / 3][i % 3][l] * p->u[i / 3][i % 3][m];
                }
                for (int i = 0; i < 3 * POINTS; i++) {
                    double *u = &p->u[i / 3][i % 3][l];
                    *u = m == l ? *u / sqrt(dot) : *u - dot * p->u[i / 3][i % 3][m];
                }
            }
        }
    }
}

static void make_moments(const point_class *p, pal_domain_class *c) {
    const int32_t r = c->r;
    for (int i = 0; i < POINTS; i++) {
        const double m = p->mass[i];
        c->mass += m;
        for (int a = 0; a < 3; a++) {
            c->first[a] += m * p->x[i][a];
            for (int32_t l = 0; l < r; l++) {
                c->lift[a * r + l] += m * p->u[i][a][l];
            }
            for (int b = 0; b < 3; b++) {
                c->second[a][b] += m * p->x[i][a] * p->x[i][b];
                for (int32_t l = 0; l < r; l++) {
                    c->xu[9 * l + 3 * a + b] += m * p->x[i][a] * p->u[i][b][l];
                    for (int32_t n = 0; n < r; n++) {
                        c->uu[9 * (l * r + n) + 3 * a + b] += m * p->u[i][a][l] * p->u[i][b][n];
                    }
                }
            }
        }
    }
}

// Port n is on points 3 + 3 n ... (cyclic), with equal weights.
int point_tree_port_point(int32_t port, int k) {
    return 3 + (3 * port + k) % (POINTS - 3);
}

static void make_port(const point_class *p, pal_domain_class *c, int32_t at) {
    pal_port *port = &c->port[at];
    const double w = 1.0 / PORT_POINTS;
    const int32_t r = c->r;
    for (int k = 0; k < PORT_POINTS; k++) {
        const int i = point_tree_port_point(at, k);
        for (int a = 0; a < 3; a++) {
            port->x[a] += w * p->x[i][a];
            for (int32_t l = 0; l < r; l++) {
                port->a[a * r + l] += w * p->u[i][a][l];
            }
        }
    }
    for (int k = 0; k < PORT_POINTS; k++) {
        const int i = point_tree_port_point(at, k);
        for (int a = 0; a < 3; a++) {
            for (int b = 0; b < 3; b++) {
                const double arm = p->x[i][b] - port->x[b];
                port->c[a][b] += w * (p->x[i][a] - port->x[a]) * arm;
                for (int32_t l = 0; l < r; l++) {
                    port->b[9 * l + 3 * a + b] += w * (p->u[i][a][l] - port->a[a * r + l]) * arm;
                }
            }
        }
    }
}

static void make_energy(pal_quartic *q, double stiffness, pal_rng *rng) {
    for (int32_t j = 0; j < q->r; j++) {
        for (int32_t i = 0; i <= j; i++) {
            q->p[pal_pair_at(i, j)] =
                stiffness * (i == j ? 1.0 + 0.3 * (double)i : 0.1 * around(rng));
        }
    }
    for (int64_t k = 0; k < pal_triples(q->r); k++) {
        q->q[k] = 0.3 * stiffness * around(rng);
    }
    for (int64_t k = 0; k < pal_quadruples(q->r); k++) {
        q->s[k] = 0.3 * stiffness * around(rng);
    }
}

// V = 1/2 sum_m k e_m^2 with e_m = l_m.q + 1/2 q.B_m q: never below zero, like that of StVK.
static void make_springs(pal_quartic *q, double stiffness, pal_rng *rng) {
    const int32_t r = q->r;
    double l[PAL_DOMAIN_MOST_MODES], b[PAL_DOMAIN_MOST_MODES][PAL_DOMAIN_MOST_MODES];
    for (int32_t m = 0; m < 3 * r; m++) {
        for (int32_t i = 0; i < r; i++) {
            l[i] = m % r == i ? 0.5 * (1.0 + 0.3 * (double)i) : 0.1 * around(rng);
            for (int32_t j = 0; j <= i; j++) {
                b[i][j] = b[j][i] = 0.5 * around(rng);
            }
        }
        for (int32_t k = 0; k < r; k++) {
            for (int32_t j = 0; j <= k; j++) {
                q->p[pal_pair_at(j, k)] += stiffness * l[j] * l[k];
                for (int32_t i = 0; i <= j; i++) {
                    q->q[pal_triple_of(i, j, k)] +=
                        stiffness * (l[i] * b[j][k] + l[j] * b[i][k] + l[k] * b[i][j]);
                    for (int32_t n = 0; n <= i; n++) {
                        q->s[pal_quadruple_of(n, i, j, k)] +=
                            stiffness * (b[n][i] * b[j][k] + b[n][j] * b[i][k] + b[n][k] * b[i][j]);
                    }
                }
            }
        }
    }
}

static void random_turn(pal_rng *rng, double (*turn)[3]) {
    double by[3], q[4];
    for (int k = 0; k < 3; k++) {
        by[k] = around(rng);
    }
    pal_turn_of_vector(by, q);
    pal_turn_matrix(q, turn);
}

void point_shape_grow(point_shape *shape, point_spec *spec, int32_t domain_count, uint64_t seed) {
    pal_rng rng = pal_rng_make(seed, 2);
    int32_t *used = PAL_NEW(int32_t, domain_count, NULL);
    int32_t *depth = PAL_NEW(int32_t, domain_count, NULL);
    shape->kind = PAL_NEW(int32_t, domain_count, NULL);
    shape->parent = PAL_NEW(int32_t, domain_count, NULL);
    shape->port = PAL_NEW(int32_t, domain_count, NULL);
    shape->parent[0] = -1;
    for (int32_t i = 1; i < domain_count; i++) {
        const int32_t others = spec->class_count - 1;
        shape->kind[i] = others > 0 ? 1 + (int32_t)(pal_rng_next(&rng) % (uint64_t)others) : 0;
        int32_t parent = (int32_t)(pal_rng_next(&rng) % (uint64_t)i);
        while (used[parent] == spec->ports[shape->kind[parent]] ||
               (spec->deepest > 0 && depth[parent] == spec->deepest)) {
            parent = (parent + 1) % i;
        }
        depth[i] = depth[parent] + 1;
        shape->parent[i] = parent;
        shape->port[i] = used[parent]++;
    }
    free(used);
    free(depth);
    spec->domain_count = domain_count;
    spec->kind = shape->kind;
    spec->parent = shape->parent;
    spec->port = shape->port;
}

void point_shape_free(point_shape *shape) {
    free(shape->kind);
    free(shape->parent);
    free(shape->port);
}

void point_tree_make(point_tree *t, const point_spec *spec, uint64_t seed) {
    pal_rng rng = pal_rng_make(seed, 0);
    memset(t, 0, sizeof *t);
    t->points = PAL_NEW(point_class, spec->class_count, NULL);
    t->class_ = PAL_NEW(pal_domain_class, spec->class_count, NULL);
    t->domain = PAL_NEW(pal_domain, spec->domain_count, NULL);
    for (int32_t k = 0; k < spec->class_count; k++) {
        point_class *p = &t->points[k];
        pal_domain_class *c = &t->class_[k];
        int32_t *vertices = PAL_NEW(int32_t, spec->ports[k], NULL);
        c->r = spec->r[k];
        c->alpha = spec->alpha;
        c->beta = spec->beta;
        c->port_count = p->ports = spec->ports[k];
        pal_domain_class_alloc(c, vertices, NULL);
        free(vertices);
        for (int i = 0; i < POINTS; i++) {
            p->mass[i] = 0.1 * (1.0 + 0.5 * around(&rng));
            for (int a = 0; a < 3; a++) {
                p->x[i][a] = spec->size * (around(&rng) + (a == 0 ? 1.0 : 0.0));
            }
            if (spec->planar && i >= 3) {
                p->x[i][2] = 0.3 * spec->size;
            }
        }
        make_modes(p, c->r, &rng);
        make_moments(p, c);
        for (int32_t n = 0; n < c->port_count; n++) {
            make_port(p, c, n);
        }
        if (c->r > 0) {
            (spec->convex ? make_springs : make_energy)(&c->quartic, spec->stiffness, &rng);
        }
    }
    for (int32_t i = 0; i < spec->domain_count; i++) {
        pal_domain *d = &t->domain[i];
        d->kind = spec->kind[i];
        d->parent = spec->parent[i];
        d->port = spec->port[i];
        d->scale = spec->scaled ? 1.0 + 0.4 * around(&rng) : 1.0;
        d->stiffness = spec->scaled ? 1.0 + 0.4 * around(&rng) : 1.0;
        random_turn(&rng, d->rest);
    }
    t->tree = (pal_tree){.class_count = spec->class_count,
                         .class_ = t->class_,
                         .domain_count = spec->domain_count,
                         .domain = t->domain,
                         .flies = spec->flies,
                         .root_x = {0.1, -0.2, 0.3}};
    random_turn(&rng, t->tree.root_turn);
}

void point_tree_free(point_tree *t) {
    for (int32_t k = 0; k < t->tree.class_count; k++) {
        pal_domain_class_free(&t->class_[k]);
    }
    free(t->points);
    free(t->class_);
    free(t->domain);
}

int32_t point_tree_first(const point_tree *t, int32_t domain) {
    int32_t first = 0;
    for (int32_t i = 0; i < domain; i++) {
        first += t->class_[t->domain[i].kind].r;
    }
    return first;
}

void point_tree_masses(const point_tree *t, double *mass) {
    for (int32_t i = 0; i < t->tree.domain_count; i++) {
        const double s = t->domain[i].scale;
        for (int k = 0; k < POINTS; k++) {
            mass[i * POINTS + k] = s * s * s * t->points[t->domain[i].kind].mass[k];
        }
    }
}

// The rotation R that brings `from` nearest to `to` (both about their means): turned a little
// towards it again and again, by the torque of springs between them.
static void best_turn(double (*from)[3], double (*to)[3], double (*turn)[3]) {
    double q[4] = {1.0, 0.0, 0.0, 0.0}, size = 0.0;
    for (int k = 0; k < PORT_POINTS; k++) {
        size += pal_dot3(from[k], from[k]);
    }
    for (int step = 0; step < 20000; step++) {
        double torque[3] = {0}, by[4];
        pal_turn_matrix(q, turn);
        for (int k = 0; k < PORT_POINTS; k++) {
            double now[3], arm[3];
            for (int a = 0; a < 3; a++) {
                now[a] = pal_dot3(turn[a], from[k]);
            }
            pal_cross3(now, to[k], arm);
            for (int a = 0; a < 3; a++) {
                torque[a] += arm[a] / size;
            }
        }
        pal_turn_of_vector(torque, by);
        pal_turn_multiply(by, q, q);
        double norm = 0.0;
        for (int a = 0; a < 4; a++) {
            norm += q[a] * q[a];
        }
        for (int a = 0; a < 4; a++) {
            q[a] /= sqrt(norm);
        }
        if (pal_norm3(torque) < 3e-16) {
            break;
        }
    }
    pal_turn_matrix(q, turn);
}

static void local_place(const point_class *p, const double *q, int32_t r, int point, double *x) {
    for (int a = 0; a < 3; a++) {
        x[a] = p->x[point][a];
        for (int32_t l = 0; l < r; l++) {
            x[a] += p->u[point][a][l] * q[l];
        }
    }
}

static void product(double (*a)[3], double (*b)[3], double (*out)[3]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
        }
    }
}

// The interface of a port: its middle and turn in the parent's frame (class units).
static void port_pose(const point_tree *t, int32_t parent, int32_t port, const double *q,
                      double *middle, double (*turn)[3]) {
    const point_class *p = &t->points[t->domain[parent].kind];
    const int32_t r = t->class_[t->domain[parent].kind].r;
    double from[PORT_POINTS][3], to[PORT_POINTS][3], rest[3] = {0};
    memset(middle, 0, 3 * sizeof *middle);
    for (int k = 0; k < PORT_POINTS; k++) {
        const int i = point_tree_port_point(port, k);
        memcpy(from[k], p->x[i], sizeof from[k]);
        local_place(p, q, r, i, to[k]);
        for (int a = 0; a < 3; a++) {
            rest[a] += from[k][a] / PORT_POINTS;
            middle[a] += to[k][a] / PORT_POINTS;
        }
    }
    for (int k = 0; k < PORT_POINTS; k++) {
        pal_sub3(from[k], rest, from[k]);
        pal_sub3(to[k], middle, to[k]);
    }
    best_turn(from, to, turn);
}

void point_tree_place(const point_tree *t, const double *q, const double *root, double *x) {
    const int32_t n = t->tree.domain_count;
    double(*turn)[3][3] = (double(*)[3][3])PAL_NEW(double, 9 * n, NULL);
    double(*origin)[3] = (double(*)[3])PAL_NEW(double, 3 * n, NULL);
    for (int32_t i = 0, first = 0; i < n; i++) {
        const pal_domain *d = &t->domain[i];
        const int32_t r = t->class_[d->kind].r;
        if (i == 0) {
            double by[4], m[3][3], rest[3][3];
            pal_turn_of_vector(root + 3, by);
            pal_turn_matrix(by, m);
            memcpy(rest, t->tree.root_turn, sizeof rest);
            product(m, rest, turn[0]);
            for (int a = 0; a < 3; a++) {
                origin[0][a] = t->tree.root_x[a] + root[a];
            }
        } else {
            double middle[3], interface[3][3], rest[3][3], own[3][3];
            port_pose(t, d->parent, d->port, q + point_tree_first(t, d->parent), middle, interface);
            memcpy(rest, d->rest, sizeof rest);
            product(interface, rest, own);
            product(turn[d->parent], own, turn[i]);
            for (int a = 0; a < 3; a++) {
                origin[i][a] = origin[d->parent][a] +
                               t->domain[d->parent].scale * pal_dot3(turn[d->parent][a], middle);
            }
        }
        for (int k = 0; k < POINTS; k++) {
            double at[3];
            local_place(&t->points[d->kind], q + first, r, k, at);
            for (int a = 0; a < 3; a++) {
                x[3 * (i * POINTS + k) + a] = origin[i][a] + d->scale * pal_dot3(turn[i][a], at);
            }
        }
        first += r;
    }
    free(turn);
    free(origin);
}
