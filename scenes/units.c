#include "scenes/units.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct unit {
    double factor; // to SI
    int power[3];  // twice the powers of kg, m, s
} unit;

static const struct {
    const char *text, *example;
    int power[3];
} dimensions[] = {
#define PAL_DIMENSION_ROW(name, text, example, kg, m, s) {text, example, {kg, m, s}},
    PAL_DIMENSION_LIST(PAL_DIMENSION_ROW)
#undef PAL_DIMENSION_ROW
};
enum { DIMENSION_COUNT = sizeof dimensions / sizeof *dimensions };

static const struct {
    const char *symbol;
    unit unit;
} symbols[] = {
    {"m", {1.0, {0, 2, 0}}},    {"g", {1e-3, {2, 0, 0}}},
    {"s", {1.0, {0, 0, 2}}},    {"N", {1.0, {2, 2, -4}}},
    {"Pa", {1.0, {2, -2, -4}}}, {"J", {1.0, {2, 4, -4}}},
    {"W", {1.0, {2, 4, -6}}},   {"Hz", {1.0, {0, 0, -2}}},
    {"rad", {1.0, {0, 0, 0}}},  {"deg", {0.017453292519943295, {0, 0, 0}}},
};

static const struct {
    const char *text;
    double factor;
} prefixes[] = {{"", 1.0},          {"p", 1e-12}, {"n", 1e-9}, {"u", 1e-6},
                {"\xC2\xB5", 1e-6}, {"m", 1e-3},  {"c", 1e-2}, {"d", 1e-1},
                {"k", 1e3},         {"M", 1e6},   {"G", 1e9}};

// A symbol with its prefix, of the given length.
static bool find_symbol(const char *text, size_t length, unit *out) {
    for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; p++) {
        size_t skip = strlen(prefixes[p].text);
        if (skip > length || strncmp(text, prefixes[p].text, skip) != 0) {
            continue;
        }
        for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
            if (strlen(symbols[i].symbol) == length - skip &&
                strncmp(text + skip, symbols[i].symbol, length - skip) == 0) {
                *out = symbols[i].unit;
                out->factor *= prefixes[p].factor;
                return true;
            }
        }
    }
    return false;
}

// The power after a symbol, doubled: "3", "^3", "^-1", "^0.5", or nothing (1).
static bool read_power(const char **at, int *doubled) {
    static const struct {
        const char *text;
        int doubled;
    } powers[] = {{"^0.5", 1}, {"^-1", -2},     {"^-2", -4},     {"^-3", -6}, {"^1", 2}, {"^2", 4},
                  {"^3", 6},   {"\xC2\xB2", 4}, {"\xC2\xB3", 6}, {"2", 4},    {"3", 6},  {"", 2}};
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) {
        size_t length = strlen(powers[i].text);
        if (strncmp(*at, powers[i].text, length) == 0) {
            *at += length;
            *doubled = powers[i].doubled;
            return !isdigit((unsigned char)**at) && **at != '^';
        }
    }
    return false;
}

static bool is_symbol_char(char c) {
    return isalpha((unsigned char)c) || c == '\xC2' || c == '\xB5';
}

// One symbol with its power multiplied into *out, or a lone "1".
static bool read_factor(const char **at, int sign, unit *out) {
    if (**at == '1' && !isalnum((unsigned char)(*at)[1])) {
        ++*at;
        return true;
    }
    size_t length = 0;
    while (is_symbol_char((*at)[length]) && strncmp(*at + length, "\xC2\xB2", 2) != 0 &&
           strncmp(*at + length, "\xC2\xB3", 2) != 0) {
        length++;
    }
    unit one;
    int doubled;
    if (length == 0 || !find_symbol(*at, length, &one)) {
        return false;
    }
    *at += length;
    if (!read_power(at, &doubled)) {
        return false;
    }
    out->factor *= pow(one.factor, 0.5 * sign * doubled);
    for (int k = 0; k < 3; k++) {
        out->power[k] += sign * one.power[k] * doubled / 2;
    }
    return true;
}

static bool read_unit(const char *at, unit *out) {
    *out = (unit){.factor = 1.0};
    int sign = 1;
    for (int factors = 0; factors < 16; factors++) {
        if (!read_factor(&at, sign, out)) {
            return false;
        }
        const char *end = at;
        while (*at == ' ') {
            at++;
        }
        if (*at == '\0') {
            return true;
        }
        sign = *at == '/' ? -1 : 1;
        if (*at == '/' || *at == '*' || *at == '.') {
            at++;
        } else if (at == end) {
            return false;
        }
        while (*at == ' ') {
            at++;
        }
    }
    return false;
}

static const char *dimension_of(const unit *u) {
    for (int i = 0; i < DIMENSION_COUNT; i++) {
        if (memcmp(u->power, dimensions[i].power, sizeof u->power) == 0) {
            return dimensions[i].text;
        }
    }
    return "quantity of another kind";
}

pal_status pal_quantity_parse(const char *text, pal_dimension dimension, double *value,
                              pal_err *err) {
    const char *example = dimensions[dimension].example, *wanted = dimensions[dimension].text;
    char *end;
    double number = strtod(text, &end);
    if (end == text || !isfinite(number)) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "'%.40s' is no finite number with a unit; write a %s such as '%s'", text,
                        wanted, example);
    }
    while (*end == ' ') {
        end++;
    }
    if (*end == '\0') {
        return pal_fail(err, PAL_ERR_INPUT, "'%.40s' has no unit; write a %s such as '%s'", text,
                        wanted, example);
    }
    unit u;
    if (!read_unit(end, &u)) {
        return pal_fail(err, PAL_ERR_INPUT, "unknown unit '%.40s'; write a %s such as '%s'", end,
                        wanted, example);
    }
    if (memcmp(u.power, dimensions[dimension].power, sizeof u.power) != 0) {
        return pal_fail(err, PAL_ERR_INPUT, "'%.40s' is a %s; write a %s such as '%s'", text,
                        dimension_of(&u), wanted, example);
    }
    *value = number * u.factor;
    if (!isfinite(*value)) {
        return pal_fail(err, PAL_ERR_INPUT, "'%.40s' is too large", text);
    }
    return PAL_OK;
}
