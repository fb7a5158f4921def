// A tree of vessels for surgical probing: a trunk that forks six times into 64 tips, three classes,
// 127 domains. At a fork both branches are thinner by 2^(-1/3), as Murray's law has it.
#include <math.h>
#include <stdio.h>

#include "scenes/domain_grow.h"

enum { TRUNK, FORK, TIP, LEVELS = 6, DOMAINS = 127 };

static const double radius = 0.012; // m, of the trunk

// A stem that splits into two arms, each a port at its end.
static pal_status make_fork(pal_class_shape *class_, const char *name, double length,
                            int32_t layers, pal_err *err) {
    const double thin = pow(2.0, -1.0 / 3.0) * radius, r = radius;
    const pal_limb_point stem[] = {{{0.0, 0.0, 0.5 * length}, {0.96 * r, 0.96 * r}},
                                   {{0.0, 0.0, length}, {1.08 * r, 0.98 * r}}};
    pal_limbs limbs = {.err = err};
    int32_t trunk = pal_limbs_grow(&limbs, &(pal_limb){.region = name,
                                                       .parent = -1,
                                                       .half = {r, r},
                                                       .cells = {4, 4, layers},
                                                       .round = 0.9,
                                                       .point_count = 2,
                                                       .point = stem});
    for (int side = 0; side < 2; side++) {
        double x = side == 0 ? -1.0 : 1.0;
        const pal_limb_point arm[] = {{{0.45 * x * r, 0.0, 1.1 * r}, {0.8 * r, 0.85 * r}},
                                      {{1.15 * x * r, 0.0, 2.2 * r}, {thin, thin}},
                                      {{1.95 * x * r, 0.0, 3.3 * r}, {thin, thin}}};
        int32_t grown = pal_limbs_grow(&limbs, &(pal_limb){.region = name,
                                                           .parent = trunk,
                                                           .side = PAL_LIMB_END,
                                                           .at = {2 * side, 0},
                                                           .cells = {2, 4, 8},
                                                           .round = 0.9,
                                                           .point_count = 3,
                                                           .point = arm});
        pal_class_shape_port(class_, &limbs, grown, PAL_LIMB_END, (const int32_t[]){0, 0},
                             (const int32_t[]){2, 4});
    }
    pal_status status = pal_class_shape_finish(class_, name, 20, &limbs, err);
    pal_limbs_free(&limbs);
    return status;
}

static pal_status make_tip(pal_class_shape *class_, pal_err *err) {
    const double r = radius;
    const pal_limb_point stem[] = {{{0.1 * r, 0.0, 2.5 * r}, {0.85 * r, 0.85 * r}},
                                   {{0.5 * r, 0.0, 5.0 * r}, {0.55 * r, 0.55 * r}},
                                   {{1.2 * r, 0.0, 7.5 * r}, {0.2 * r, 0.2 * r}}};
    pal_limbs limbs = {.err = err};
    pal_limbs_grow(&limbs, &(pal_limb){.region = "tip",
                                       .parent = -1,
                                       .half = {r, r},
                                       .cells = {4, 4, 15},
                                       .round = 0.9,
                                       .point_count = 3,
                                       .point = stem});
    pal_status status = pal_class_shape_finish(class_, "tip", 12, &limbs, err);
    pal_limbs_free(&limbs);
    return status;
}

// The plane of each fork is turned by 70 degrees from that of the one before.
static void hang_forks(pal_domain_body *body, int32_t parent, int32_t level) {
    const double roll = 70.0 * M_PI / 180.0;
    double turn[3][3], up[3];
    pal_domain_body_turn(body, parent, turn);
    for (int c = 0; c < 3; c++) { // y of the parent, turned about its z
        up[c] = cos(roll) * turn[c][1] + sin(roll) * turn[c][0];
    }
    for (int32_t port = 0; port < 2; port++) {
        double along[3];
        char name[PAL_DOMAIN_NAME];
        pal_domain_body_normal(body, parent, port, along);
        bool tip = level == LEVELS;
        snprintf(name, sizeof name, "%s %d", tip ? "tip" : "vessel", (int)body->domain_count);
        int32_t child = pal_domain_body_hang(body, tip ? TIP : FORK, parent, port,
                                             pow(2.0, -level / 3.0), along, up, name);
        if (!tip) {
            hang_forks(body, child, level + 1);
        }
    }
}

pal_status pal_domain_shape_vessels(pal_domain_body *body, pal_err *err) {
    pal_status status = pal_domain_body_alloc(body, 3, DOMAINS, err);
    if (status == PAL_OK) {
        status = make_fork(&body->class_[TRUNK], "trunk", 7.0 * radius, 18, err);
    }
    if (status == PAL_OK) {
        status = make_fork(&body->class_[FORK], "fork", 3.5 * radius, 9, err);
    }
    if (status == PAL_OK) {
        status = make_tip(&body->class_[TIP], err);
    }
    if (status == PAL_OK) {
        const double along[3] = {1.0, 0.0, 0.0}, up[3] = {0.0, 0.0, 1.0};
        pal_domain_body_hang(body, TRUNK, -1, 0, 1.0, along, up, "trunk");
        hang_forks(body, 0, 1);
    }
    return status;
}
