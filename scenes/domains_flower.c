// A flower in 12 domains: two pieces of stem, two leaves, a primary bloom of five petals and, on a
// stalk, a secondary one.                                                         [BZ11 figure 7]
#include <math.h>
#include <stdio.h>

#include "scenes/domain_shapes.h"
#include "scenes/limbs.h"

static int32_t grow_stem(pal_limbs *limbs) {
    const pal_limb_point lower[] = {{{0.004, 0.002, 0.06}, {0.0075, 0.0075}},
                                    {{0.012, 0.004, 0.12}, {0.007, 0.007}},
                                    {{0.016, 0.003, 0.18}, {0.0065, 0.0065}}};
    return pal_limbs_grow(limbs, &(pal_limb){.region = "stem",
                                             .parent = -1,
                                             .cells = {4, 4, 23},
                                             .round = 0.85,
                                             .half = {0.009, 0.009},
                                             .point_count = 3,
                                             .point = lower});
}

static int32_t grow_upper_stem(pal_limbs *limbs, int32_t stem) {
    const pal_limb_point upper[] = {{{0.001, -0.002, 0.06}, {0.006, 0.006}},
                                    {{-0.006, -0.004, 0.12}, {0.0055, 0.0055}},
                                    {{-0.012, -0.004, 0.18}, {0.006, 0.006}}};
    return pal_limbs_grow(limbs, &(pal_limb){.region = "upper stem",
                                             .parent = stem,
                                             .side = PAL_LIMB_END,
                                             .cells = {4, 4, 23},
                                             .round = 0.85,
                                             .point_count = 3,
                                             .point = upper});
}

// A leaf or petal: it leaves its patch along (cos, sin) of the angle, widens, and bends over.
typedef struct blade {
    double angle, length, rise, droop; // rad, m: how far up it goes, and down again at its tip
    double half, thin;                 // m: half its width and its thickness
    int32_t cells;                     // along it
} blade;

static void grow_blade(pal_limbs *limbs, const char *region, int32_t parent, pal_limb_side side,
                       int32_t across, int32_t along, const blade *b) {
    const double c = b->length * cos(b->angle), s = b->length * sin(b->angle);
    const pal_limb_point point[] = {
        {{0.25 * c, 0.25 * s, 0.35 * b->rise}, {0.75 * b->half, b->thin}},
        {{0.55 * c, 0.55 * s, b->rise}, {b->half, b->thin}},
        {{0.8 * c, 0.8 * s, b->rise - 0.3 * b->droop}, {0.8 * b->half, b->thin}},
        {{c, s, b->rise - b->droop}, {0.15 * b->half, 0.8 * b->thin}}};
    pal_limbs_grow(limbs, &(pal_limb){.region = region,
                                      .parent = parent,
                                      .side = side,
                                      .at = {across, along},
                                      .cells = {2, 1, b->cells},
                                      .point_count = 4,
                                      .point = point});
}

static void grow_primary_bloom(pal_limbs *limbs, int32_t upper) {
    static const struct {
        pal_limb_side side;
        int32_t across, along;
    } place[5] = {{PAL_LIMB_RIGHT, 1, 1},
                  {PAL_LIMB_BACK, 2, 3},
                  {PAL_LIMB_LEFT, 2, 1},
                  {PAL_LIMB_LEFT, 0, 3},
                  {PAL_LIMB_FRONT, 2, 1}};
    const pal_limb_point head[] = {{{0.0, 0.0, 0.008}, {0.012, 0.012}},
                                   {{0.0, 0.0, 0.02}, {0.016, 0.016}},
                                   {{0.0, 0.0, 0.03}, {0.010, 0.010}}};
    int32_t bloom = pal_limbs_grow(limbs, &(pal_limb){.region = "bloom",
                                                      .parent = upper,
                                                      .side = PAL_LIMB_END,
                                                      .cells = {4, 4, 6},
                                                      .round = 0.85,
                                                      .point_count = 3,
                                                      .point = head});
    for (int i = 0; i < 5; i++) {
        char name[16];
        snprintf(name, sizeof name, "petal %d", i + 1);
        const blade petal = {.angle = 2.0 * M_PI * i / 5.0,
                             .length = 0.085,
                             .rise = 0.03,
                             .droop = 0.02,
                             .half = 0.026,
                             .thin = 0.0016,
                             .cells = 21};
        grow_blade(limbs, name, bloom, place[i].side, place[i].across, place[i].along, &petal);
    }
}

// The secondary bloom is one domain: a bud between four small petals.
static void grow_secondary_bloom(pal_limbs *limbs, int32_t stem) {
    const pal_limb_point rising[] = {{{-0.03, 0.004, 0.02}, {0.0045, 0.0045}},
                                     {{-0.06, 0.008, 0.06}, {0.004, 0.004}},
                                     {{-0.075, 0.01, 0.12}, {0.0045, 0.0045}}};
    int32_t stalk = pal_limbs_grow(limbs, &(pal_limb){.region = "stalk",
                                                      .parent = stem,
                                                      .side = PAL_LIMB_LEFT,
                                                      .at = {1, 12},
                                                      .cells = {2, 2, 24},
                                                      .round = 0.85,
                                                      .point_count = 3,
                                                      .point = rising});
    const pal_limb_point bud[] = {{{0.0, 0.0, 0.012}, {0.010, 0.010}},
                                  {{0.0, 0.0, 0.026}, {0.009, 0.009}},
                                  {{0.0, 0.0, 0.036}, {0.003, 0.003}}};
    int32_t bloom = pal_limbs_grow(limbs, &(pal_limb){.region = "secondary bloom",
                                                      .parent = stalk,
                                                      .side = PAL_LIMB_END,
                                                      .cells = {2, 2, 8},
                                                      .round = 0.85,
                                                      .point_count = 3,
                                                      .point = bud});
    static const struct {
        pal_limb_side side;
        double angle;
    } place[4] = {{PAL_LIMB_RIGHT, 0.0},
                  {PAL_LIMB_BACK, M_PI / 2.0},
                  {PAL_LIMB_LEFT, M_PI},
                  {PAL_LIMB_FRONT, -M_PI / 2.0}};
    for (int i = 0; i < 4; i++) {
        const blade petal = {.angle = place[i].angle,
                             .length = 0.045,
                             .rise = 0.02,
                             .droop = 0.008,
                             .half = 0.013,
                             .thin = 0.0012,
                             .cells = 10};
        grow_blade(limbs, "secondary bloom", bloom, place[i].side, 0, 1 + 2 * (i % 2), &petal);
    }
}

pal_status pal_domain_shape_flower(pal_domain_body *body, pal_err *err) {
    pal_limbs limbs = {.err = err};
    int32_t stem = grow_stem(&limbs);
    int32_t upper = grow_upper_stem(&limbs, stem);
    const blade large = {.angle = 0.0,
                         .length = 0.13,
                         .rise = 0.05,
                         .droop = 0.04,
                         .half = 0.024,
                         .thin = 0.0018,
                         .cells = 26};
    grow_blade(&limbs, "leaf 1", stem, PAL_LIMB_RIGHT, 1, 5, &large);
    const blade small = {.angle = 0.5 * M_PI,
                         .length = 0.10,
                         .rise = 0.045,
                         .droop = 0.03,
                         .half = 0.02,
                         .thin = 0.0018,
                         .cells = 24};
    grow_blade(&limbs, "leaf 2", stem, PAL_LIMB_BACK, 1, 8, &small);
    grow_secondary_bloom(&limbs, stem);
    grow_primary_bloom(&limbs, upper);
    pal_status status = pal_limbs_mesh(&limbs, &body->mesh, err);
    pal_limbs_free(&limbs);
    return status;
}
