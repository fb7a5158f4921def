// The unit of a mesh's coordinates, which no mesh file tells: guessed from the size of the body.
#ifndef PAL_SCENES_UNIT_GUESS_H
#define PAL_SCENES_UNIT_GUESS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct pal_length_unit {
    const char *name; // "mm"
    double metres;
} pal_length_unit;

// m dm cm mm um nm km in; NULL: no such unit.
const pal_length_unit *pal_length_unit_find(const char *name);
// Their names for messages; NULL past the end.
const pal_length_unit *pal_length_unit_at(int index);

// In which of m, cm, mm, um and km a body with this longest side (in units of its file, above 0) is
// nearest to one that a hand can press, about 0.15 m; the common ones are taken first. Never NULL.
const pal_length_unit *pal_unit_guess(double longest);

// Whether a hand can press a body with this longest side, m.
bool pal_unit_is_plausible(double metres);

// Why, in one sentence: "in metres its longest side of 6.5 would be 6.5 m; in cm it is 65 mm".
void pal_unit_reason(double longest, const pal_length_unit *unit, char *text, size_t size);

// A length in words, of three digits: "65 mm", "6.5 m".
void pal_unit_say(double metres, char text[32]);

#endif
