#include "sim/substruct/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/mat3.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

// Whether m is a rotation, to 1e-6.
static bool is_rotation(double (*m)[3]) {
    bool good = fabs(pal_mat3_det(m) - 1.0) < 1e-6; // false for NaN
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            good = good && fabs(pal_dot3(m[i], m[j]) - (i == j)) < 1e-6;
        }
    }
    return good;
}

// tr(C) I - C, which the turn of an interface is found with, is singular when its vertices are in
// line.
static bool in_line(double (*c)[3]) {
    double g[3][3];
    const double trace = c[0][0] + c[1][1] + c[2][2];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            g[i][j] = (i == j ? trace : 0.0) - c[i][j];
        }
    }
    return !(pal_mat3_det(g) > 1e-6 * trace * trace * trace);
}

static pal_status check_class(const pal_domain_class *c, pal_err *err) {
    if (c->r < 0 || c->r > PAL_DOMAIN_MOST_MODES) {
        return pal_fail(err, PAL_ERR_INPUT, "class '%s' has %d modes; 0 to %d are possible",
                        c->name, (int)c->r, PAL_DOMAIN_MOST_MODES);
    }
    if (!(c->mass > 0.0) || !isfinite(c->mass)) {
        return pal_fail(err, PAL_ERR_INPUT, "class '%s' has a mass of %g kg", c->name, c->mass);
    }
    for (int32_t p = 0; p < c->port_count; p++) {
        double m[3][3];
        memcpy(m, c->port[p].c, sizeof m);
        if (in_line(m)) {
            return pal_fail(
                err, PAL_ERR_INPUT,
                "interface %d of class '%s' (from 0): its vertices are in line, so a child "
                "there could turn about them; give it three vertices that are not",
                (int)p, c->name);
        }
    }
    return PAL_OK;
}

static pal_status check_domain(const pal_tree *tree, int32_t i, uint8_t *taken,
                               const int32_t *first_port, pal_err *err) {
    const pal_domain *d = &tree->domain[i];
    double rest[3][3];
    memcpy(rest, d->rest, sizeof rest);
    if (d->kind < 0 || d->kind >= tree->class_count) {
        return pal_fail(err, PAL_ERR_INPUT, "domain %d (from 0) is of class %d; there are %d",
                        (int)i, (int)d->kind, (int)tree->class_count);
    }
    if ((i == 0) != (d->parent < 0) || d->parent >= i) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "domain %d (from 0) hangs on %d: the first is the root, and a parent comes "
                        "before its children",
                        (int)i, (int)d->parent);
    }
    if (!(d->scale > 0.0) || !isfinite(d->scale) || !(d->stiffness > 0.0) ||
        !isfinite(d->stiffness)) {
        return pal_fail(
            err, PAL_ERR_INPUT,
            "domain %d (from 0) has scale %g and stiffness factor %g; both must be above 0", (int)i,
            d->scale, d->stiffness);
    }
    if (i == 0) {
        return PAL_OK;
    }
    const pal_domain_class *parent = &tree->class_[tree->domain[d->parent].kind];
    if (d->port < 0 || d->port >= parent->port_count) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "domain %d (from 0) hangs on interface %d of class '%s', which has %d",
                        (int)i, (int)d->port, parent->name, (int)parent->port_count);
    }
    if (taken[first_port[d->parent] + d->port]++ != 0) {
        return pal_fail(
            err, PAL_ERR_INPUT,
            "domain %d (from 0) hangs on interface %d of domain %d, where another one is", (int)i,
            (int)d->port, (int)d->parent);
    }
    return is_rotation(rest)
               ? PAL_OK
               : pal_fail(err, PAL_ERR_INPUT,
                          "the rest pose of domain %d (from 0) is not a rotation", (int)i);
}

pal_status pal_tree_check(const pal_tree *tree, pal_err *err) {
    if (tree->domain_count < 1) {
        return pal_fail(err, PAL_ERR_INPUT, "a tree without domains");
    }
    double turn[3][3];
    memcpy(turn, tree->root_turn, sizeof turn);
    if (!is_rotation(turn) || !isfinite(pal_norm3(tree->root_x))) {
        return pal_fail(err, PAL_ERR_INPUT, "the root's pose is not a finite place and a rotation");
    }
    for (int32_t k = 0; k < tree->class_count; k++) {
        const pal_status status = check_class(&tree->class_[k], err);
        if (status != PAL_OK) {
            return status;
        }
    }
    // Ports of all domains, one after the other
    int32_t *first_port = PAL_NEW(int32_t, tree->domain_count + 1, err);
    int64_t ports = 0;
    for (int32_t i = 0; first_port != NULL && i < tree->domain_count; i++) {
        const int32_t kind = tree->domain[i].kind;
        first_port[i] = (int32_t)ports;
        ports += kind >= 0 && kind < tree->class_count ? tree->class_[kind].port_count : 0;
    }
    uint8_t *taken = PAL_NEW(uint8_t, ports, err);
    pal_status status = first_port != NULL && taken != NULL ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t i = 0; status == PAL_OK && i < tree->domain_count; i++) {
        status = check_domain(tree, i, taken, first_port, err);
    }
    free(first_port);
    free(taken);
    return status;
}

int32_t pal_tree_depth(const pal_tree *tree, int32_t domain) {
    int32_t depth = 0;
    while (tree->domain[domain].parent >= 0) {
        domain = tree->domain[domain].parent;
        depth++;
    }
    return depth;
}

void pal_tree_rest_frames(const pal_tree *tree, double *x, double *turn) {
    memcpy(x, tree->root_x, sizeof tree->root_x);
    memcpy(turn, tree->root_turn, sizeof tree->root_turn);
    for (int32_t i = 1; i < tree->domain_count; i++) {
        const pal_domain *d = &tree->domain[i], *parent = &tree->domain[d->parent];
        const pal_port *port = &tree->class_[parent->kind].port[d->port];
        const double *from = turn + 9 * (int64_t)d->parent;
        for (int k = 0; k < 3; k++) {
            x[3 * (int64_t)i + k] =
                x[3 * (int64_t)d->parent + k] + parent->scale * pal_dot3(from + 3 * k, port->x);
            for (int j = 0; j < 3; j++) {
                turn[9 * (int64_t)i + 3 * k + j] = from[3 * k] * d->rest[0][j] +
                                                   from[3 * k + 1] * d->rest[1][j] +
                                                   from[3 * k + 2] * d->rest[2][j];
            }
        }
    }
}
