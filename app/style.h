// How results look: colours on a terminal (never with NO_COLOR, nor into a file or pipe), and
// quantities in words with their units.
#ifndef PAL_APP_STYLE_H
#define PAL_APP_STYLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Escape sequences for `out`, "" where colours are not wanted.
const char *pal_style_bold(FILE *out);
const char *pal_style_dim(FILE *out);
const char *pal_style_alarm(FILE *out);
const char *pal_style_plain(FILE *out); // back to normal

bool pal_style_is_terminal(FILE *out);

// For a line on a terminal that is drawn again and again: back to its beginning, and what clears
// the rest of it; both at once.
const char *pal_style_line_again(void);
const char *pal_style_line_rest(void);
void pal_style_line_away(FILE *out);

// How the user calls the program: set by main from $PALPATE_PROGRAM (the wrapper script says its
// own name there), else "palpate".
void pal_style_set_program(const char *name);
const char *pal_style_program(void);

// Copies text to out, indented, with the name of the program in front of each line put as above.
void pal_style_commands(FILE *out, const char *lines);

// A quantity in words, returned by value: printf("%s", pal_say_time(2.5).text).
typedef struct pal_words {
    char text[48];
} pal_words;

pal_words pal_say_count(int64_t count);    // 12,345
pal_words pal_say_time(double seconds);    // 850 us, 12.3 ms, 2.50 s, 3 min 20 s
pal_words pal_say_bytes(double bytes);     // 12.3 MB
pal_words pal_say_length(double metres);   // 12.3 mm
pal_words pal_say_volume(double m3);       // 1.23 l, 45.6 cm^3
pal_words pal_say_pressure(double pascal); // 12 kPa
pal_words pal_say_mass(double kilograms);  // 1.2 kg, 340 g

#endif
