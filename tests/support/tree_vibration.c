#include "tests/support/tree_vibration.h"

#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/mat3.h"
#include "sim/base/vec3.h"
#include "sim/basis/eigen.h"
#include "tests/support/check.h"

typedef struct vibration { // all coordinates of the tree; a free root's twist comes first
    const pal_tree *tree;
    int n;
    int *first;    // [domain_count] place of its q
    double *twist; // [domain_count][6][n] of its frame, in its axes
    double *m, *k; // [n][n]
} vibration;

// The velocity of the frame on a port, by mode: out [6][r], in the axes of the class.
static void port_motion(const pal_domain_class *class_, const pal_port *port, double *out) {
    double g[3][3], inverse[3][3], trace = port->c[0][0] + port->c[1][1] + port->c[2][2];
    for (int i = 0; i < 9; i++) {
        g[i / 3][i % 3] = (i % 4 == 0 ? trace : 0.0) - port->c[i / 3][i % 3];
    }
    pal_mat3_inverse(g, inverse);
    for (int l = 0; l < class_->r; l++) { // (tr(C) I - C) w = 2 skew(B_l), a vector    [eq. 7]
        const double *b = port->b + 9 * l;
        const double skew[3] = {b[7] - b[5], b[2] - b[6], b[3] - b[1]};
        for (int c = 0; c < 3; c++) {
            out[c * class_->r + l] = port->a[c * class_->r + l];
            out[(3 + c) * class_->r + l] = pal_dot3(inverse[c], skew);
        }
    }
}

// V_j = (R^T (v + w x x + a^ q'), R^T (w + Omega q'))
static void set_twist(vibration *v, int j) {
    const pal_domain *domain = &v->tree->domain[j];
    const pal_domain_class *parent = &v->tree->class_[v->tree->domain[domain->parent].kind];
    const pal_port *port = &parent->port[domain->port];
    const double *up = v->twist + 6 * (long)domain->parent * v->n;
    double *out = v->twist + 6 * (long)j * v->n;
    double *motion = calloc(6 * (size_t)parent->r, sizeof *motion);
    port_motion(parent, port, motion);
    for (int col = 0; col < v->n; col++) {
        double t[6], cross[3];
        for (int c = 0; c < 6; c++) {
            int l = col - v->first[domain->parent];
            t[c] = up[c * v->n + col];
            t[c] += l >= 0 && l < parent->r ? motion[c * parent->r + l] : 0.0;
        }
        const double w[3] = {up[3 * v->n + col], up[4 * v->n + col], up[5 * v->n + col]};
        pal_cross3(w, port->x, cross);
        for (int c = 0; c < 3; c++) {
            for (int k = 0; k < 3; k++) {
                out[c * v->n + col] += domain->rest[k][c] * (t[k] + cross[k]);
                out[(3 + c) * v->n + col] += domain->rest[k][c] * t[3 + k];
            }
        }
    }
    free(motion);
}

// inertia [6 + r][6 + r] of a class at rest.
static void class_inertia(const pal_domain_class *class_, double *inertia) {
    int r = class_->r, n = 6 + r;
    const double *c = class_->first;
    const double cross[3][3] = {{0, -c[2], c[1]}, {c[2], 0, -c[0]}, {-c[1], c[0], 0}};
    double trace = class_->second[0][0] + class_->second[1][1] + class_->second[2][2];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            inertia[i * n + j] = i == j ? class_->mass : 0.0;
            inertia[(3 + i) * n + 3 + j] = (i == j ? trace : 0.0) - class_->second[i][j];
            inertia[(3 + i) * n + j] = inertia[j * n + 3 + i] = cross[i][j];
        }
        for (int l = 0; l < r; l++) {
            const double *xu = class_->xu + 9 * l;
            const double spin[3] = {xu[5] - xu[7], xu[6] - xu[2], xu[1] - xu[3]}; // int X x U
            inertia[i * n + 6 + l] = inertia[(6 + l) * n + i] = class_->lift[i * r + l];
            inertia[(3 + i) * n + 6 + l] = inertia[(6 + l) * n + 3 + i] = spin[i];
        }
    }
    for (int l = 0; l < r; l++) {
        inertia[(6 + l) * n + 6 + l] = 1.0;
    }
}

static void add_domain(vibration *v, int i) {
    const pal_domain_class *class_ = &v->tree->class_[v->tree->domain[i].kind];
    int r = class_->r, rows = 6 + r;
    double *inertia = calloc((size_t)(rows * rows), sizeof *inertia);
    double *jac = calloc((size_t)rows * (size_t)v->n, sizeof *jac);
    memcpy(jac, v->twist + 6 * (long)i * v->n, 6 * (size_t)v->n * sizeof *jac);
    for (int l = 0; l < r; l++) {
        jac[(6 + l) * v->n + v->first[i] + l] = 1.0;
        for (int p = 0; p < r; p++) {
            v->k[(v->first[i] + l) * v->n + v->first[i] + p] =
                class_->quartic.p[l < p ? pal_pair_at(l, p) : pal_pair_at(p, l)];
        }
    }
    class_inertia(class_, inertia);
    for (int a = 0; a < rows; a++) {
        for (int b = 0; b < rows; b++) {
            for (int x = 0; inertia[a * rows + b] != 0.0 && x < v->n; x++) {
                double part = jac[a * v->n + x] * inertia[a * rows + b];
                for (int y = 0; part != 0.0 && y < v->n; y++) {
                    v->m[x * v->n + y] += part * jac[b * v->n + y];
                }
            }
        }
    }
    free(inertia);
    free(jac);
}

void tree_frequencies(const pal_tree *tree, int count, double *hz) {
    vibration v = {.tree = tree, .n = tree->flies ? 6 : 0};
    v.first = calloc((size_t)tree->domain_count, sizeof *v.first);
    for (int i = 0; i < tree->domain_count; i++) {
        v.first[i] = v.n;
        v.n += tree->class_[tree->domain[i].kind].r;
    }
    v.twist = calloc(6 * (size_t)tree->domain_count * (size_t)v.n, sizeof *v.twist);
    v.m = calloc((size_t)(v.n * v.n), sizeof *v.m);
    v.k = calloc((size_t)(v.n * v.n), sizeof *v.k);
    for (int c = 0; tree->flies && c < 6; c++) {
        v.twist[c * v.n + c] = 1.0;
    }
    for (int i = 0; i < tree->domain_count; i++) {
        if (i > 0) {
            set_twist(&v, i);
        }
        add_domain(&v, i);
    }
    double *lambda = calloc((size_t)v.n, sizeof *lambda);
    TEST_ASSERT_EQUAL_INT(
        0, LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'N', 'U', v.n, v.k, v.n, v.m, v.n, lambda));
    for (int k = 0; k < count; k++) {
        hz[k] = pal_mode_hz(lambda[(tree->flies ? 6 : 0) + k]);
    }
    free(v.first);
    free(v.twist);
    free(v.m);
    free(v.k);
    free(lambda);
}
