// An oak: 41 branches of 5 classes and 1394 leaves of one, five interfaces from the trunk to the
// farthest leaves.                                                        [BZ11 figure 1, table 1]
#include <math.h>
#include <stdio.h>

#include "scenes/domain_grow.h"
#include "sim/base/rng.h"
#include "sim/base/vec3.h"

enum { TRUNK, LIMB, BOUGH, BRANCH, TWIG, LEAF, CLASSES };
enum { BRANCHES = 41, LEAVES = 1394 };

// A class of branches: ports for thicker children first (at its end, then on its sides), then those
// for leaves, in rings on alternate pairs of sides.
typedef struct growth {
    const char *name;
    double length, base, top; // m: half sizes of its section at both ends
    double bend;              // m, how far it is bent aside at its end
    int32_t cells[2];         // across, along
    int32_t children;         // branches that it carries
    int32_t leaves;           // leaves that it carries
    int32_t patch;            // cells of a side port for a branch, across and along
} growth;

static const growth kinds[] = {
    [TRUNK] = {"trunk", 2.0, 0.24, 0.15, 0.08, {6, 40}, 4, 2, 4},
    [LIMB] = {"limb", 1.3, 0.12, 0.08, 0.16, {4, 50}, 1, 8, 2},
    [BOUGH] = {"bough", 1.0, 0.08, 0.055, 0.12, {4, 50}, 2, 20, 2},
    [BRANCH] = {"branch", 0.9, 0.055, 0.028, 0.12, {4, 50}, 3, 40, 2},
    [TWIG] = {"twig", 0.8, 0.028, 0.008, 0.1, {4, 50}, 0, 40, 2},
};
static const pal_limb_side around[4] = {PAL_LIMB_RIGHT, PAL_LIMB_LEFT, PAL_LIMB_BACK,
                                        PAL_LIMB_FRONT};

// The rings of leaves end below the side ports of branches, which are in the last fifth.
static void add_ports(pal_class_shape *class_, pal_limbs *limbs, const growth *g) {
    const int32_t across = g->cells[0], along = g->cells[1];
    for (int32_t i = 0; i < g->children; i++) {
        const int32_t end[2] = {0, 0}, all[2] = {across, across};
        const int32_t at[2] = {(across - g->patch) / 2, along * 4 / 5 + 1};
        const int32_t size[2] = {g->patch, g->patch};
        if (i == 0) {
            pal_class_shape_port(class_, limbs, 0, PAL_LIMB_END, end, all);
        } else {
            pal_class_shape_port(class_, limbs, 0, around[i], at, size);
        }
    }
    const int32_t rings = (g->leaves + 1) / 2;
    for (int32_t i = 0; i < g->leaves; i++) {
        int32_t ring = i / 2, top = g->children > 0 ? along * 4 / 5 - 1 : along - 2;
        const int32_t at[2] = {across / 2 - (ring / 2) % 2, top - 2 * (rings - 1 - ring)};
        pal_class_shape_port(class_, limbs, 0, around[2 * (ring % 2) + i % 2], at,
                             (const int32_t[]){1, 1});
    }
}

static pal_status make_branch(pal_class_shape *class_, const growth *g, pal_err *err) {
    double middle = 0.5 * (g->base + g->top);
    const pal_limb_point point[] = {
        {{0.35 * g->bend, 0.15 * g->bend, 0.35 * g->length}, {middle, middle}},
        {{0.3 * g->bend, 0.5 * g->bend, 0.7 * g->length}, {0.6 * middle + 0.4 * g->top, g->top}},
        {{-0.2 * g->bend, g->bend, g->length}, {g->top, g->top}}};
    pal_limbs limbs = {.err = err};
    pal_limbs_grow(&limbs, &(pal_limb){.region = g->name,
                                       .parent = -1,
                                       .half = {g->base, g->base},
                                       .cells = {g->cells[0], g->cells[0], g->cells[1]},
                                       .round = 0.85,
                                       .point_count = 3,
                                       .point = point});
    add_ports(class_, &limbs, g);
    pal_status status = pal_class_shape_finish(class_, g->name, 20, &limbs, err);
    pal_limbs_free(&limbs);
    return status;
}

// A stalk, then a blade with round lobes.
static pal_status make_leaf(pal_class_shape *class_, pal_err *err) {
    enum { POINTS = 12 };
    static const double half[POINTS] = {0.003, 0.004, 0.014, 0.024, 0.019, 0.032,
                                        0.026, 0.040, 0.030, 0.036, 0.024, 0.006};
    pal_limb_point point[POINTS];
    for (int i = 0; i < POINTS; i++) {
        double s = (i + 1.0) / POINTS;
        point[i] =
            (pal_limb_point){{0.0, 0.02 * s - 0.034 * s * s, 0.22 * s}, {1.6 * half[i], 0.002}};
    }
    pal_limbs limbs = {.err = err};
    pal_limbs_grow(&limbs, &(pal_limb){.region = "leaf",
                                       .parent = -1,
                                       .half = {0.005, 0.003},
                                       .cells = {2, 1, 25},
                                       .point_count = POINTS,
                                       .point = point});
    pal_status status = pal_class_shape_finish(class_, "leaf", 8, &limbs, err);
    pal_limbs_free(&limbs);
    return status;
}

static void mix(double *out, double a, const double *x, double b, const double *y) {
    for (int c = 0; c < 3; c++) {
        out[c] = a * x[c] + b * y[c];
    }
}

// Children at side ports go out and up; those at the end go on, each a little aside.
static int32_t hang_branch(pal_domain_body *body, pal_rng *rng, int32_t kind, int32_t parent,
                           int32_t port) {
    char name[PAL_DOMAIN_NAME];
    double along[3], out[3], aside[3], up[3] = {0.0, 0.0, 1.0};
    snprintf(name, sizeof name, "%s %d", kinds[kind].name, (int)body->domain_count);
    pal_domain_body_normal(body, parent, port, out);
    for (int c = 0; c < 3; c++) {
        aside[c] = pal_rng_uniform(rng, -0.4, 0.4);
    }
    mix(along, 1.0, out, port == 0 ? 0.15 : 0.8, up);
    mix(along, 1.0, along, 1.0, aside);
    double roll[3] = {pal_rng_normal(rng), pal_rng_normal(rng), pal_rng_normal(rng)};
    double scale = pal_rng_uniform(rng, 0.88, 1.08);
    return pal_domain_body_hang(body, kind, parent, port, scale, along, roll, name);
}

static void hang_leaf(pal_domain_body *body, pal_rng *rng, int32_t parent, int32_t port) {
    char name[PAL_DOMAIN_NAME];
    double turn[3][3], along[3], out[3], up[3] = {0.0, 0.0, 1.0};
    snprintf(name, sizeof name, "leaf %d", (int)body->domain_count);
    pal_domain_body_turn(body, parent, turn);
    const double ahead[3] = {turn[0][2], turn[1][2], turn[2][2]};
    pal_domain_body_normal(body, parent, port, out);
    mix(along, 1.0, out, pal_rng_uniform(rng, 0.2, 0.8), ahead);
    mix(along, 1.0, along, pal_rng_uniform(rng, -0.5, 0.2), up);
    up[0] = pal_rng_uniform(rng, -0.4, 0.4);
    up[1] = pal_rng_uniform(rng, -0.4, 0.4);
    double scale = pal_rng_uniform(rng, 0.75, 1.15);
    pal_domain_body_hang(body, LEAF, parent, port, scale, along, up, name);
}

// Hangs the next thinner branches on this one, and so on, thickest first; then its leaves.
static void grow_from(pal_domain_body *body, pal_rng *rng, int32_t domain, int32_t kind) {
    const growth *g = &kinds[kind];
    for (int32_t i = 0; i < g->children; i++) {
        grow_from(body, rng, hang_branch(body, rng, kind + 1, domain, i), kind + 1);
    }
    for (int32_t i = 0; i < g->leaves; i++) {
        hang_leaf(body, rng, domain, g->children + i);
    }
}

pal_status pal_domain_shape_oak(pal_domain_body *body, pal_err *err) {
    pal_status status = pal_domain_body_alloc(body, CLASSES, BRANCHES + LEAVES, err);
    for (int32_t k = TRUNK; status == PAL_OK && k < LEAF; k++) {
        status = make_branch(&body->class_[k], &kinds[k], err);
    }
    if (status == PAL_OK) {
        status = make_leaf(&body->class_[LEAF], err);
    }
    if (status == PAL_OK) {
        pal_rng rng = pal_rng_make(7, 0);
        const double along[3] = {0.0, 0.0, 1.0}, up[3] = {0.0, 1.0, 0.0};
        pal_domain_body_hang(body, TRUNK, -1, 0, 1.0, along, up, "trunk");
        grow_from(body, &rng, 0, TRUNK);
    }
    return status;
}
