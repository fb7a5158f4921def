#include "render/palette.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/colormap.h"
#include "sim/base/memory.h"

enum { KNOWN = 8, LEVELS = 16, SIGHTS = 3 };

static const pal_rgb known[KNOWN] = {{0x9A, 0xA5, 0xB1}, {0xE6, 0x9F, 0x00}, {0x56, 0xB4, 0xE9},
                                     {0x00, 0x9E, 0x73}, {0xF0, 0xE4, 0x42}, {0x00, 0x72, 0xB2},
                                     {0xD5, 0x5E, 0x00}, {0xCC, 0x79, 0xA7}};

// Neither as dark as a shadow nor as light as what is behind the body
static const double darkest = 0.42, lightest = 0.90;

typedef struct seen { // in Oklab, by each kind of sight
    float lab[SIGHTS][3];
} seen;

// ---- how colours look

static void to_oklab(const double linear[3], float lab[3]) {
    static const double to_cone[3][3] = {{0.4122214708, 0.5363325363, 0.0514459929},
                                         {0.2119034982, 0.6806995451, 0.1073969566},
                                         {0.0883024619, 0.2817188376, 0.6299787005}};
    static const double to_lab[3][3] = {{0.2104542553, 0.7936177850, -0.0040720468},
                                        {1.9779984951, -2.4285922050, 0.4505937099},
                                        {0.0259040371, 0.7827717662, -0.8086757660}};
    double cone[3];
    for (int i = 0; i < 3; i++) {
        cone[i] =
            cbrt(to_cone[i][0] * linear[0] + to_cone[i][1] * linear[1] + to_cone[i][2] * linear[2]);
    }
    for (int i = 0; i < 3; i++) {
        lab[i] = (float)(to_lab[i][0] * cone[0] + to_lab[i][1] * cone[1] + to_lab[i][2] * cone[2]);
    }
}

static seen look(pal_rgb colour) {
    // Red and green as one mixture, which keeps white white: protanopes, deuteranopes
    static const double red_share[2] = {0.11238, 0.29275}, blue_back[2] = {0.00401, -0.02234};
    const double rgb[3] = {pal_srgb_to_linear(colour.r), pal_srgb_to_linear(colour.g),
                           pal_srgb_to_linear(colour.b)};
    seen s;
    to_oklab(rgb, s.lab[0]);
    for (int k = 0; k < 2; k++) {
        const double one = red_share[k] * rgb[0] + (1.0 - red_share[k]) * rgb[1];
        const double blue = blue_back[k] * (rgb[0] - rgb[1]) + rgb[2];
        const double mixed[3] = {one, one, fmin(fmax(blue, 0.0), 1.0)};
        to_oklab(mixed, s.lab[1 + k]);
    }
    return s;
}

static double apart(const seen *a, const seen *b) {
    double least = INFINITY;
    for (int k = 0; k < SIGHTS; k++) {
        double sum = 0.0;
        for (int c = 0; c < 3; c++) {
            const double d = (double)a->lab[k][c] - (double)b->lab[k][c];
            sum += d * d;
        }
        least = fmin(least, sum);
    }
    return sqrt(least);
}

double pal_palette_distance(pal_rgb a, pal_rgb b) {
    const seen x = look(a), y = look(b);
    return apart(&x, &y);
}

// ---- choosing

typedef struct candidate {
    pal_rgb colour;
    seen seen;
    double away; // from the nearest that was chosen
} candidate;

static int32_t gather(candidate *all) {
    int32_t count = 0;
    for (int k = 0; k < LEVELS * LEVELS * LEVELS; k++) {
        const int r = k / (LEVELS * LEVELS), g = k / LEVELS % LEVELS, b = k % LEVELS;
        const pal_rgb colour = {(uint8_t)(17 * r), (uint8_t)(17 * g), (uint8_t)(17 * b)};
        candidate *c = &all[count];
        *c = (candidate){.colour = colour, .seen = look(colour), .away = INFINITY};
        count += c->seen.lab[0][0] >= (float)darkest && c->seen.lab[0][0] <= (float)lightest;
    }
    return count;
}

static void take(candidate *all, int32_t count, pal_rgb colour) {
    const seen s = look(colour);
    for (int32_t k = 0; k < count; k++) {
        all[k].away = fmin(all[k].away, apart(&all[k].seen, &s));
    }
}

pal_status pal_palette_make(int32_t count, pal_rgb *colour, pal_err *err) {
    const int32_t own = count < PAL_PALETTE_MOST ? count : PAL_PALETTE_MOST;
    candidate *all = NULL;
    int32_t candidates = 0;
    if (own > KNOWN) {
        all = PAL_NEW(candidate, LEVELS * LEVELS * LEVELS, err);
        if (all == NULL) {
            return PAL_ERR_MEMORY;
        }
        candidates = gather(all);
    }
    for (int32_t i = 0; i < own; i++) {
        if (i < KNOWN) {
            colour[i] = known[i];
        } else {
            int32_t best = 0;
            for (int32_t k = 1; k < candidates; k++) {
                best = all[k].away > all[best].away ? k : best;
            }
            colour[i] = all[best].colour;
        }
        take(all, candidates, colour[i]);
    }
    for (int32_t i = own; i < count; i++) {
        colour[i] = colour[i % PAL_PALETTE_MOST];
    }
    free(all);
    return PAL_OK;
}
