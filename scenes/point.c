#include "scenes/point.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/units.h"

static const char forms[] = "write [x, y, z], 'near:(x, y, z)', 'surface:x, y' or a landmark's "
                            "name, with ' + 5 mm' behind the last three if it is to be off the "
                            "surface";

// ---- numbers

static void skip_blanks(const char **at) {
    *at += strspn(*at, " \t");
}

static bool is_number(char c) {
    return isdigit((unsigned char)c) || c == '-' || c == '+' || c == '.';
}

// A length with or without its unit.
static pal_status read_length(const char **at, double *value, pal_err *err) {
    char token[64], *end;
    skip_blanks(at);
    const double number = is_number(**at) ? strtod(*at, &end) : NAN;
    if (!isfinite(number) || end == *at) {
        return pal_fail(err, PAL_ERR_INPUT, "'%.30s' is no length, such as 0.1 or 100 mm", *at);
    }
    const char *unit = end;
    skip_blanks(&unit);
    size_t length = 0;
    while (isalpha((unsigned char)unit[length]) || (unsigned char)unit[length] >= 0x80) {
        length++;
    }
    if (length == 0) {
        *value = number;
        *at = end;
        return PAL_OK;
    }
    snprintf(token, sizeof token, "%.*s%.*s", (int)(end - *at < 40 ? end - *at : 40), *at,
             (int)(length < 20 ? length : 20), unit);
    *at = unit + length;
    return pal_quantity_parse(token, PAL_LENGTH, value, err);
}

// Some of them, with commas or blanks between.
static pal_status read_lengths(const char **at, int count, double *value, pal_err *err) {
    pal_status status = PAL_OK;
    for (int k = 0; status == PAL_OK && k < count; k++) {
        skip_blanks(at);
        *at += k > 0 && **at == ',';
        status = read_length(at, &value[k], err);
    }
    return status;
}

// ---- names

pal_status pal_landmark_check(const char *name, pal_err *err) {
    static const char *const taken[] = {"near", "surface", "all",    "none", "vertices", "box",
                                        "min",  "max",     "region", "x",    "y",        "z"};
    bool good = isalpha((unsigned char)name[0]) != 0;
    for (const char *c = name; *c != '\0'; c++) {
        good = good && (isalnum((unsigned char)*c) || *c == '_' || *c == '-');
    }
    if (!good || strlen(name) >= PAL_LANDMARK_NAME) {
        return pal_fail(
            err, PAL_ERR_INPUT,
            "'%.60s' cannot name a landmark; write at most %d letters, digits, _ and -, "
            "a letter first",
            name, PAL_LANDMARK_NAME - 1);
    }
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        if (strcmp(taken[i], name) == 0) {
            return pal_fail(err, PAL_ERR_INPUT, "'%s' is a word of selectors; take another name",
                            name);
        }
    }
    return PAL_OK;
}

static size_t name_length(const char *text) {
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_' || text[length] == '-') {
        length++;
    }
    return length;
}

static const pal_landmark *find_name(const pal_landmarks *names, const char *text, size_t length) {
    for (int32_t i = 0; names != NULL && i < names->count; i++) {
        if (strlen(names->item[i].name) == length &&
            strncmp(names->item[i].name, text, length) == 0) {
            return &names->item[i];
        }
    }
    return NULL;
}

static pal_status unknown_name(const pal_landmarks *names, const char *text, size_t length,
                               pal_err *err) {
    char list[256] = "";
    const int32_t count = names != NULL ? names->count : 0;
    for (int32_t i = 0; i < count; i++) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", names->item[i].name);
    }
    return count > 0 ? pal_fail(err, PAL_ERR_INPUT,
                                "there is no landmark '%.*s'; the scene's landmarks are: %s",
                                (int)(length < 60 ? length : 60), text, list)
                     : pal_fail(err, PAL_ERR_INPUT,
                                "there is no landmark '%.*s'; the scene has no landmarks: %s",
                                (int)(length < 60 ? length : 60), text, forms);
}

// ---- the whole

// "near:(x, y, z)"
static pal_status read_near(const char **at, pal_point *point, pal_err *err) {
    *at += strlen("near:");
    skip_blanks(at);
    if (**at != '(') {
        return pal_fail(err, PAL_ERR_INPUT, "near takes a place in brackets: near:(x, y, z)");
    }
    ++*at;
    point->kind = PAL_POINT_NEAR;
    pal_status status = read_lengths(at, 3, point->x, err);
    skip_blanks(at);
    if (status == PAL_OK && **at != ')') {
        return pal_fail(err, PAL_ERR_INPUT,
                        "near:(x, y, z) takes three numbers and a closing bracket (in { } put "
                        "quotes round it)");
    }
    *at += status == PAL_OK;
    return status;
}

// "surface:x, y", "surface:-x:y, z"
static pal_status read_ray(const char **at, pal_up up, pal_point *point, pal_err *err) {
    double across[2];
    *at += strlen("surface:");
    skip_blanks(at);
    const char *c = *at + (**at == '+' || **at == '-');
    if (*c >= 'x' && *c <= 'z') {
        up = pal_up_of(*c - 'x', **at == '-' ? -1.0 : 1.0);
        if (c[1] != ':') {
            return pal_fail(err, PAL_ERR_INPUT,
                            "'%.20s': after the side comes a colon, such as surface:+x:0.1, 0.02",
                            *at);
        }
        *at = c + 2;
    }
    point->kind = PAL_POINT_RAY;
    point->from = up;
    const pal_status status = read_lengths(at, 2, across, err);
    for (int a = 0, k = 0; status == PAL_OK && a < 3; a++) {
        point->x[a] = a == pal_up_axis(up) ? 0.0 : across[k++];
    }
    return status;
}

// " + 5 mm"; the end.
static pal_status read_way(const char *at, const char *text, pal_point *point, pal_err *err) {
    skip_blanks(&at);
    const char sign = *at;
    if ((sign == '+' || sign == '-') && point->kind != PAL_POINT_PLAIN) {
        double length;
        at++;
        skip_blanks(&at);
        const pal_status status =
            isdigit((unsigned char)*at) || *at == '.'
                ? read_length(&at, &length, err)
                : pal_fail(err, PAL_ERR_INPUT, "'%.60s': after %c comes a length, such as 5 mm",
                           text, sign);
        if (status != PAL_OK) {
            return status;
        }
        point->out += sign == '+' ? length : -length;
        skip_blanks(&at);
    }
    if (*at == '\0') {
        return PAL_OK;
    }
    return pal_fail(err, PAL_ERR_INPUT, "'%.60s' cannot be read from '%.20s' on; %s", text, at,
                    forms);
}

pal_status pal_point_parse(const char *text, const pal_landmarks *names, pal_point *point,
                           pal_err *err) {
    const char *at = text;
    pal_status status = PAL_OK;
    *point = (pal_point){.kind = PAL_POINT_PLAIN};
    skip_blanks(&at);
    if (strncmp(at, "near:", 5) == 0) {
        status = read_near(&at, point, err);
    } else if (strncmp(at, "surface:", 8) == 0) {
        status = read_ray(&at, names != NULL ? names->up : PAL_UP_Z, point, err);
    } else if (is_number(*at)) {
        status = read_lengths(&at, 3, point->x, err);
    } else {
        const size_t length = name_length(at);
        const pal_landmark *found = find_name(names, at, length);
        if (length == 0 || (at[length] != '\0' && at[length] != ' ' && at[length] != '\t')) {
            return pal_fail(err, PAL_ERR_INPUT, "'%.60s' is no place; %s", text, forms);
        }
        if (found == NULL) {
            return unknown_name(names, at, length, err);
        }
        *point = found->point;
        at += length;
    }
    return status == PAL_OK ? read_way(at, text, point, err) : status;
}

bool pal_point_is(const char *text, const pal_landmarks *names) {
    skip_blanks(&text);
    if (strncmp(text, "near:", 5) == 0) {
        const char *end = strchr(text, ')');
        if (end == NULL) {
            return false;
        }
        end++;
        skip_blanks(&end);
        return *end == '\0' || *end == '+' || *end == '-';
    }
    const size_t length = name_length(text);
    return strncmp(text, "surface:", 8) == 0 || is_number(*text) ||
           (length > 0 && find_name(names, text, length) != NULL);
}

void pal_point_say(const double x[3], double longest, char *text, size_t size) {
    const double step = longest > 0.0 ? pow(10.0, floor(log10(longest)) - 3.0) : 1e-4;
    char part[3][32];
    for (int c = 0; c < 3; c++) { // + 0.0: no -0
        snprintf(part[c], sizeof part[c], "%.9g", round(x[c] / step) * step + 0.0);
    }
    snprintf(text, size, "near:(%s, %s, %s)", part[0], part[1], part[2]);
}
