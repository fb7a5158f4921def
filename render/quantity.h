// Quantities in words: engineering notation, with a prefix of the SI. Pure; any thread.
#ifndef PAL_RENDER_QUANTITY_H
#define PAL_RENDER_QUANTITY_H

#include <stddef.h>

// The least energy that is told, J: what 1 mN does along 1 um. Below it a sum of doubles is
// rounding error, or nothing that a hand could feel.
#define PAL_LEAST_ENERGY 1e-9

// "3.55 mJ": `digits` significant digits and a prefix that leaves 1 to 999 before the unit, from
// pico to giga. |value| < least, and what is below or above all prefixes: "0 J", or as a power of
// ten. Not finite: "-". The unit may be NULL or empty.
void pal_say_quantity(double value, double least, int digits, const char *unit, char *text,
                      size_t size);

#endif
