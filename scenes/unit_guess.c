#include "scenes/unit_guess.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double hand_sized = 0.15; // m, the longest side of what lies at hand
static const double smallest_body = 0.01, largest_body = 2.2; // m, of those that a hand can press

// `doubt`: how many powers of ten nearer to hand_sized a body must come by this unit than by
// metres. A body of 1.8 m is a person in metres, one of 0.02 mm a cell whose file was shrunk.
// INFINITY: only a user can say that it is this one.
static const struct {
    pal_length_unit unit;
    double doubt;
} units[] = {
    {{"m", 1.0}, 0.0},          {{"mm", 1e-3}, 0.1}, {{"cm", 1e-2}, 0.3},
    {{"dm", 0.1}, INFINITY},    {{"um", 1e-6}, 0.5}, {{"nm", 1e-9}, INFINITY},
    {{"in", 0.0254}, INFINITY}, {{"km", 1e3}, 0.5},
};
enum { UNIT_COUNT = sizeof units / sizeof *units };

const pal_length_unit *pal_length_unit_at(int index) {
    return index >= 0 && index < UNIT_COUNT ? &units[index].unit : NULL;
}

const pal_length_unit *pal_length_unit_find(const char *name) {
    for (int i = 0; i < UNIT_COUNT; i++) {
        if (strcmp(units[i].unit.name, name) == 0) {
            return &units[i].unit;
        }
    }
    return NULL;
}

const pal_length_unit *pal_unit_guess(double longest) {
    int best = 0;
    double least = INFINITY;
    for (int i = 0; i < UNIT_COUNT; i++) {
        const double off = fabs(log10(longest * units[i].unit.metres / hand_sized));
        if (off + units[i].doubt < least) {
            least = off + units[i].doubt;
            best = i;
        }
    }
    return &units[best].unit;
}

bool pal_unit_is_plausible(double metres) {
    return metres >= smallest_body && metres <= largest_body;
}

void pal_unit_say(double metres, char text[32]) {
    const double size = fabs(metres);
    const char *unit = size >= 1000.0 ? "km" : size >= 1.0 ? "m" : size >= 1e-3 ? "mm" : "um";
    snprintf(text, 32, "%.3g %s", metres / pal_length_unit_find(unit)->metres, unit);
}

void pal_unit_reason(double longest, const pal_length_unit *unit, char *text, size_t size) {
    char plain[32], scaled[32];
    pal_unit_say(longest, plain);
    pal_unit_say(longest * unit->metres, scaled);
    const char *fits = pal_unit_is_plausible(longest * unit->metres)
                           ? "of a size that a hand can press"
                           : "which no common unit brings nearer to a hand's size";
    if (unit->metres == 1.0) {
        snprintf(text, size, "the longest side is %s then, %s", plain, fits);
    } else {
        snprintf(text, size, "the longest side of %.4g would be %s in metres; in %s it is %s, %s",
                 longest, plain, unit->name, scaled, fits);
    }
}
