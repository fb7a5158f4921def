// A dragon in 40 domains: three of body, neck and head with jaw and horns, four legs with claws,
// two wings, tail, and spikes along its back. x is ahead, y to its left, z up.       [BZ11 figure
// 5]
#include <stdio.h>

#include "scenes/domain_shapes.h"
#include "scenes/limbs.h"

enum { WIDE = 10, LAYERS = 22 }; // cells across a piece of the body, and along it

// One more limb through `count` points.
static int32_t grow(pal_limbs *limbs, const char *region, int32_t parent, pal_limb_side side,
                    const int32_t at[2], const int32_t cells[3], double round, int count,
                    const pal_limb_point *point) {
    return pal_limbs_grow(limbs, &(pal_limb){.region = region,
                                             .parent = parent,
                                             .side = side,
                                             .at = {at[0], at[1]},
                                             .cells = {cells[0], cells[1], cells[2]},
                                             .round = round,
                                             .point_count = count,
                                             .point = point});
}

#define AT(a, b)       ((const int32_t[]){a, b})
#define CELLS(a, b, c) ((const int32_t[]){a, b, c})
#define POINTS(...)                                                                                \
    (int)(sizeof((const pal_limb_point[]){__VA_ARGS__}) / sizeof(pal_limb_point)),                 \
        (const pal_limb_point[]) {                                                                 \
        __VA_ARGS__                                                                                \
    }

// Plates that stand on the back and lean backwards a little: two on a piece of the body and one on
// a piece of tail or neck.
static void grow_spike(pal_limbs *limbs, int number, int32_t on, pal_limb_side top, int32_t across,
                       int32_t along, double high) {
    static const double rise[3] = {0.35, 0.7, 1.0},
                        half[3][2] = {{0.022, 0.05}, {0.015, 0.03}, {0.004, 0.006}};
    char name[16];
    double middle[3], n[3] = {0.0};
    pal_limb_point point[3];
    snprintf(name, sizeof name, "spike %d", number);
    pal_limbs_patch_frame(limbs, on, top, AT(across, along), AT(2, 3), middle, n);
    for (int i = 0; i < 3; i++) {
        const double s = high * rise[i];
        point[i] = (pal_limb_point){{s * (n[0] - 0.4 * rise[i]), s * n[1], s * n[2]},
                                    {half[i][0], half[i][1]}};
    }
    grow(limbs, name, on, top, AT(across, along), CELLS(2, 3, 24), 0.0, 3, point);
}

static void grow_body(pal_limbs *limbs, int32_t piece[3]) {
    const pal_limb_point pelvis[] = {{{0.25, 0.0, 0.02}, {0.23, 0.24}},
                                     {{0.5, 0.0, 0.02}, {0.23, 0.25}}};
    piece[0] = pal_limbs_grow(limbs, &(pal_limb){.region = "pelvis",
                                                 .parent = -1,
                                                 .cells = {WIDE, WIDE, LAYERS},
                                                 .round = 0.8,
                                                 .half = {0.17, 0.18},
                                                 .u = {0.0, 1.0, 0.0},
                                                 .v = {0.0, 0.0, 1.0},
                                                 .point_count = 2,
                                                 .point = pelvis});
    piece[1] =
        grow(limbs, "belly", piece[0], PAL_LIMB_END, AT(0, 0), CELLS(WIDE, WIDE, LAYERS), 0.8,
             POINTS({{0.25, 0.0, 0.01}, {0.24, 0.26}}, {{0.5, 0.0, 0.04}, {0.24, 0.26}}));
    piece[2] =
        grow(limbs, "chest", piece[1], PAL_LIMB_END, AT(0, 0), CELLS(WIDE, WIDE, LAYERS), 0.8,
             POINTS({{0.25, 0.0, 0.05}, {0.25, 0.28}}, {{0.5, 0.0, 0.12}, {0.18, 0.2}}));
    for (int i = 0; i < 3; i++) {
        grow_spike(limbs, 1 + 2 * i, piece[i], PAL_LIMB_BACK, 4, 4, 0.2);
        grow_spike(limbs, 2 + 2 * i, piece[i], PAL_LIMB_BACK, 4, 17, 0.22);
    }
}

static void grow_head(pal_limbs *limbs, int32_t chest) {
    int32_t lower = grow(limbs, "lower neck", chest, PAL_LIMB_END, AT(2, 2), CELLS(6, 6, 34), 0.85,
                         POINTS({{0.2, 0.0, 0.12}, {0.12, 0.13}}, {{0.34, 0.0, 0.32}, {0.1, 0.11}},
                                {{0.4, 0.0, 0.55}, {0.09, 0.1}}));
    int32_t upper =
        grow(limbs, "upper neck", lower, PAL_LIMB_END, AT(0, 0), CELLS(6, 6, 34), 0.85,
             POINTS({{0.05, 0.0, 0.2}, {0.085, 0.095}}, {{0.17, 0.0, 0.36}, {0.085, 0.09}},
                    {{0.36, 0.0, 0.42}, {0.1, 0.1}}));
    int32_t head = grow(limbs, "head", upper, PAL_LIMB_END, AT(0, 0), CELLS(6, 6, 26), 0.7,
                        POINTS({{0.14, 0.0, 0.0}, {0.13, 0.11}}, {{0.3, 0.0, -0.05}, {0.09, 0.07}},
                               {{0.46, 0.0, -0.1}, {0.045, 0.035}}));
    grow(limbs, "jaw", head, PAL_LIMB_FRONT, AT(1, 6), CELLS(4, 4, 20), 0.5,
         POINTS({{0.02, 0.0, -0.07}, {0.06, 0.03}}, {{0.14, 0.0, -0.12}, {0.05, 0.024}},
                {{0.28, 0.0, -0.14}, {0.025, 0.015}}));
    for (int side = 0; side < 2; side++) {
        const double y = side == 0 ? -1.0 : 1.0;
        grow(limbs, side == 0 ? "right horn" : "left horn", head, PAL_LIMB_BACK, AT(4 * side, 5),
             CELLS(2, 3, 22), 0.8,
             POINTS({{-0.02, 0.03 * y, 0.1}, {0.03, 0.035}},
                    {{-0.12, 0.06 * y, 0.2}, {0.022, 0.022}},
                    {{-0.26, 0.05 * y, 0.25}, {0.006, 0.006}}));
    }
    grow_spike(limbs, 7, lower, PAL_LIMB_BACK, 2, 14, 0.16);
}

// The tail's own u is up: it grows backwards.
static void grow_tail(pal_limbs *limbs, int32_t pelvis) {
    int32_t first =
        grow(limbs, "tail 1", pelvis, PAL_LIMB_START, AT(2, 2), CELLS(6, 6, 34), 0.85,
             POINTS({{-0.2, 0.0, -0.03}, {0.12, 0.12}}, {{-0.4, 0.02, -0.1}, {0.1, 0.1}},
                    {{-0.6, 0.06, -0.2}, {0.09, 0.09}}));
    int32_t second =
        grow(limbs, "tail 2", first, PAL_LIMB_END, AT(0, 0), CELLS(6, 6, 34), 0.85,
             POINTS({{-0.18, 0.03, -0.1}, {0.08, 0.08}}, {{-0.38, 0.08, -0.15}, {0.07, 0.07}},
                    {{-0.58, 0.16, -0.17}, {0.06, 0.06}}));
    int32_t third =
        grow(limbs, "tail 3", second, PAL_LIMB_END, AT(1, 1), CELLS(4, 4, 32), 0.85,
             POINTS({{-0.18, 0.07, 0.0}, {0.05, 0.05}}, {{-0.36, 0.18, 0.02}, {0.04, 0.04}},
                    {{-0.5, 0.32, 0.05}, {0.035, 0.035}}));
    grow(limbs, "tail 4", third, PAL_LIMB_END, AT(0, 0), CELLS(4, 4, 32), 0.6,
         POINTS({{-0.1, 0.14, 0.04}, {0.03, 0.03}}, {{-0.16, 0.28, 0.1}, {0.03, 0.03}},
                {{-0.19, 0.4, 0.16}, {0.02, 0.09}}, {{-0.2, 0.54, 0.22}, {0.006, 0.01}}));
    grow_spike(limbs, 8, first, PAL_LIMB_RIGHT, 2, 14, 0.16);
    grow_spike(limbs, 9, second, PAL_LIMB_RIGHT, 2, 14, 0.13);
}

// A leg grows down out of the body's side: its own v is ahead. The claw is a foot with three toes.
static void grow_leg(pal_limbs *limbs, int32_t body, const char *which, double y, double bend) {
    char upper_name[32], lower_name[32], claw[32];
    snprintf(upper_name, sizeof upper_name, "upper %s leg", which);
    snprintf(lower_name, sizeof lower_name, "lower %s leg", which);
    snprintf(claw, sizeof claw, "%s claw", which);
    int32_t upper =
        grow(limbs, upper_name, body, PAL_LIMB_FRONT, AT(y < 0.0 ? 0 : 6, 9), CELLS(4, 6, 24), 0.8,
             POINTS({{0.02 + bend, 0.09 * y, -0.16}, {0.1, 0.12}},
                    {{0.02 + 2.0 * bend, 0.14 * y, -0.34}, {0.07, 0.08}}));
    int32_t lower = grow(limbs, lower_name, upper, PAL_LIMB_END, AT(0, 1), CELLS(4, 4, 24), 0.85,
                         POINTS({{-bend, 0.02 * y, -0.17}, {0.055, 0.06}},
                                {{-2.0 * bend, 0.02 * y, -0.33}, {0.055, 0.055}}));
    int32_t foot =
        grow(limbs, claw, lower, PAL_LIMB_END, AT(0, 0), CELLS(4, 4, 5), 0.6,
             POINTS({{0.0, 0.0, -0.05}, {0.07, 0.06}}, {{0.01, 0.0, -0.1}, {0.075, 0.065}}));
    static const int32_t first[3] = {0, 1, 3}, wide[3] = {1, 2, 1};
    for (int toe = 0; toe < 3; toe++) {
        const double aside = 0.05 * (toe - 1);
        grow(limbs, claw, foot, PAL_LIMB_BACK, AT(first[toe], 2), CELLS(wide[toe], 2, 8), 0.5,
             POINTS({{0.06, aside, -0.005}, {0.022, 0.022}},
                    {{0.13, 1.6 * aside, -0.02}, {0.008, 0.008}}));
    }
}

// A wing is flat from its root: a few cells thick, its chord along the body.
static void grow_wing(pal_limbs *limbs, int32_t chest, bool left) {
    enum { CHORD = 10, THICK = 2 };
    const char *const name[3] = {left ? "left wing arm" : "right wing arm",
                                 left ? "inner left wing" : "inner right wing",
                                 left ? "outer left wing" : "outer right wing"};
    const double y = left ? 1.0 : -1.0;
    int32_t arm =
        grow(limbs, name[0], chest, left ? PAL_LIMB_RIGHT : PAL_LIMB_LEFT, AT(6, 8),
             CELLS(THICK, CHORD, 24), 0.6,
             POINTS({{0.0, 0.12 * y, 0.05}, {0.04, 0.11}}, {{-0.02, 0.25 * y, 0.17}, {0.03, 0.12}},
                    {{-0.04, 0.4 * y, 0.32}, {0.024, 0.15}}));
    // what is across the parent for the arm: its chord where it has grown out of the left side (-u)
    const int c = left ? 1 : 0;
    int32_t cells[3] = {THICK, THICK, 84};
    cells[c] = CHORD;
    pal_limb_point inner[3] = {{{-0.07, 0.25 * y, 0.16}, {0.016, 0.016}},
                               {{-0.15, 0.52 * y, 0.26}, {0.014, 0.014}},
                               {{-0.25, 0.8 * y, 0.3}, {0.013, 0.013}}};
    pal_limb_point outer[3] = {{{-0.1, 0.28 * y, 0.0}, {0.012, 0.012}},
                               {{-0.25, 0.56 * y, -0.06}, {0.011, 0.011}},
                               {{-0.5, 0.82 * y, -0.16}, {0.008, 0.008}}};
    static const double chord[2][3] = {{0.28, 0.34, 0.34}, {0.31, 0.22, 0.03}};
    for (int i = 0; i < 3; i++) {
        inner[i].half[c] = chord[0][i];
        outer[i].half[c] = chord[1][i];
    }
    int32_t near = grow(limbs, name[1], arm, PAL_LIMB_END, AT(0, 0), cells, 0.3, 3, inner);
    grow(limbs, name[2], near, PAL_LIMB_END, AT(0, 0), cells, 0.3, 3, outer);
}

pal_status pal_domain_shape_dragon(pal_domain_body *body, pal_err *err) {
    pal_limbs limbs = {.err = err};
    int32_t piece[3]; // pelvis, belly, chest
    grow_body(&limbs, piece);
    grow_head(&limbs, piece[2]);
    grow_tail(&limbs, piece[0]);
    grow_leg(&limbs, piece[2], "right fore", -1.0, 0.03);
    grow_leg(&limbs, piece[2], "left fore", 1.0, 0.03);
    grow_leg(&limbs, piece[0], "right hind", -1.0, -0.03);
    grow_leg(&limbs, piece[0], "left hind", 1.0, -0.03);
    grow_wing(&limbs, piece[2], false);
    grow_wing(&limbs, piece[2], true);
    pal_status status = pal_limbs_mesh(&limbs, &body->mesh, err);
    pal_limbs_free(&limbs);
    return status;
}
