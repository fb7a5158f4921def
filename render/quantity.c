#include "render/quantity.h"

#include <math.h>
#include <stdio.h>

enum { FIRST = -4, LAST = 3 }; // powers of a thousand: pico to giga

void pal_say_quantity(double value, double least, int digits, const char *unit, char *text,
                      size_t size) {
    static const char *const prefix[] = {"p", "n", "\xC2\xB5", "m", "", "k", "M", "G"};
    const char *name = unit != NULL ? unit : "";
    const char *gap = name[0] != '\0' ? " " : "";
    if (!isfinite(value)) {
        snprintf(text, size, "-");
        return;
    }
    if (fabs(value) < least || fabs(value) < 1e-12) {
        snprintf(text, size, "0%s%s", gap, name);
        return;
    }

    // Rounded first: 999.96 with four digits is 1 of the next prefix
    char rounded[40];
    snprintf(rounded, sizeof rounded, "%.*e", digits - 1, value);
    double number = 0.0;
    sscanf(rounded, "%lf", &number);
    const int power = (int)floor(log10(fabs(number)) / 3.0 + 1e-9);
    if (power > LAST) {
        snprintf(text, size, "%.*g%s%s", digits, value, gap, name);
        return;
    }
    const int step = power < FIRST ? FIRST : power;
    const double scaled = number / pow(1e3, step);
    const char *mark = prefix[step - FIRST];
    snprintf(text, size, "%.*g%s%s%s", digits > 3 ? digits : 3, scaled,
             gap[0] != '\0' || mark[0] != '\0' ? " " : "", mark, name);
}
