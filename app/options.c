#include "app/options.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/suggest.h"

pal_status pal_parse_number(const char *text, const char *what, double *value, pal_err *err) {
    char *end = NULL;
    *value = strtod(text, &end);
    if (end == text) {
        return pal_fail(err, PAL_ERR_USAGE, "%s takes a number, not '%s'", what, text);
    }
    if (*end != '\0') {
        return pal_fail(err, PAL_ERR_USAGE,
                        "%s takes a plain number in SI units: leave out '%s' in '%s'", what, end,
                        text);
    }
    if (!isfinite(*value)) {
        return pal_fail(err, PAL_ERR_USAGE, "%s takes a finite number, not '%s'", what, text);
    }
    return PAL_OK;
}

pal_status pal_parse_vector(const char *text, const char *what, double value[3], pal_err *err) {
    char part[256];
    const char *at = text;
    for (int c = 0; c < 3; c++) {
        size_t length = strcspn(at, ",");
        bool last = at[length] == '\0';
        if (length == 0 || length >= sizeof part || last != (c == 2)) {
            return pal_fail(err, PAL_ERR_USAGE, "%s takes three numbers 'x,y,z', not '%s'", what,
                            text);
        }
        memcpy(part, at, length);
        part[length] = '\0';
        pal_status status = pal_parse_number(part, what, &value[c], err);
        if (status != PAL_OK) {
            return status;
        }
        at += length + 1;
    }
    return PAL_OK;
}

static pal_status check_bounds(const pal_option *o, double value, const char *text, pal_err *err) {
    if (o->min == 0.0 && o->max == 0.0) {
        return PAL_OK;
    }
    bool low = o->open ? value <= o->min : value < o->min;
    bool high = o->open ? value >= o->max : value > o->max;
    if (!low && !high) {
        return PAL_OK;
    }
    if (isinf(o->max)) {
        return pal_fail(err, PAL_ERR_USAGE, "%s must be %s %g, not %s", o->name,
                        o->open ? "more than" : "at least", o->min, text);
    }
    return pal_fail(err, PAL_ERR_USAGE, "%s must lie between %g and %g%s, not %s", o->name, o->min,
                    o->max, o->open ? " (both excluded)" : "", text);
}

static pal_status read_count(const pal_option *o, const char *text, double *value, pal_err *err) {
    char *end = NULL;
    errno = 0;
    long count = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || count > INT_MAX || count < INT_MIN) {
        return pal_fail(err, PAL_ERR_USAGE, "%s takes a whole number, not '%s'", o->name, text);
    }
    *value = (double)count;
    return check_bounds(o, *value, text, err);
}

// The place of text among the words of "a|b|c", -1 when it is none of them.
static int find_choice(const char *choices, const char *text) {
    size_t length = strlen(text);
    int place = 0;
    for (const char *at = choices;; place++) {
        size_t size = strcspn(at, "|");
        if (size == length && memcmp(at, text, size) == 0) {
            return place;
        }
        if (at[size] == '\0') {
            return -1;
        }
        at += size + 1;
    }
}

static pal_status set_value(pal_option_value *value, const char *text, pal_err *err) {
    const pal_option *o = value->option;
    switch (o->kind) {
    case PAL_OPTION_FLAG:
    case PAL_OPTION_TEXT:
        break;
    case PAL_OPTION_NUMBER: {
        pal_status status = pal_parse_number(text, o->name, value->number, err);
        return status != PAL_OK ? status : check_bounds(o, value->number[0], text, err);
    }
    case PAL_OPTION_COUNT:
        return read_count(o, text, value->number, err);
    case PAL_OPTION_VECTOR:
        return pal_parse_vector(text, o->name, value->number, err);
    case PAL_OPTION_CHOICE:
        value->choice = find_choice(o->argument, text);
        if (value->choice < 0) {
            return pal_fail(err, PAL_ERR_USAGE, "%s is one of %s, not '%s'", o->name, o->argument,
                            text);
        }
    }
    return PAL_OK;
}

// Lists the options of all groups with their defaults.
static pal_status start_values(pal_args *args, pal_err *err) {
    for (int g = 0; g < PAL_MAX_GROUPS && args->usage->group[g].options != NULL; g++) {
        for (const pal_option *o = args->usage->group[g].options; o->name != NULL; o++) {
            if (args->value_count == PAL_MAX_OPTIONS) {
                return pal_fail(err, PAL_ERR_USAGE, "the option tables of '%s' are too long",
                                args->usage->command);
            }
            pal_option_value *value = &args->value[args->value_count++];
            *value = (pal_option_value){.option = o, .choice = -1};
            value->number[0] = o->kind == PAL_OPTION_NUMBER ? (double)NAN : 0.0;
            if (o->fallback != NULL) {
                value->text[0] = o->fallback;
                pal_status status = set_value(value, o->fallback, err);
                if (status != PAL_OK) {
                    return status;
                }
            }
        }
    }
    return PAL_OK;
}

static pal_option_value *find_long(pal_args *args, const char *name, size_t length) {
    for (int i = 0; i < args->value_count; i++) {
        const char *candidate = args->value[i].option->name;
        if (strlen(candidate) == length && memcmp(candidate, name, length) == 0) {
            return &args->value[i];
        }
    }
    return NULL;
}

static pal_option_value *find_letter(pal_args *args, char letter) {
    for (int i = 0; i < args->value_count; i++) {
        if (args->value[i].option->letter == letter) {
            return &args->value[i];
        }
    }
    return NULL;
}

static pal_status unknown_option(const pal_args *args, const char *name, pal_err *err) {
    pal_suggestion suggestion = {.word = name};
    for (int i = 0; i < args->value_count; i++) {
        pal_suggest_try(&suggestion, args->value[i].option->name);
    }
    return pal_fail(err, PAL_ERR_USAGE, "unknown option '%s'%s (palpate %s --help)", name,
                    pal_suggest_text(&suggestion), args->usage->command);
}

static pal_status give(pal_option_value *value, const char *text, pal_err *err) {
    const pal_option *o = value->option;
    if (value->count > 0 && !o->repeatable) {
        return pal_fail(err, PAL_ERR_USAGE, "%s is given twice", o->name);
    }
    if (value->count == PAL_MAX_REPEATS) {
        return pal_fail(err, PAL_ERR_USAGE, "%s is given more than %d times", o->name,
                        PAL_MAX_REPEATS);
    }
    value->text[value->count++] = text;
    return set_value(value, text, err);
}

// Takes the option at argv[*at], with its value, and moves *at past them.
static pal_status take_option(pal_args *args, int argc, const char *const *argv, int *at,
                              pal_err *err) {
    const char *word = argv[(*at)++];
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    const char *inline_value = strchr(word, '=');
    pal_option_value *value = word[1] == '-'
                                  ? find_long(args, word, strcspn(word, "="))
                                  : (strlen(name) == 2 ? find_letter(args, word[1]) : NULL);
    if (value == NULL) {
        return unknown_option(args, name, err);
    }
    const pal_option *o = value->option;
    if (o->kind == PAL_OPTION_FLAG) {
        if (inline_value != NULL) {
            return pal_fail(err, PAL_ERR_USAGE, "%s takes no value: '%s'", name, word);
        }
        value->count = 1; // saying it twice means the same
        return PAL_OK;
    }
    if (inline_value != NULL) {
        return give(value, inline_value + 1, err);
    }
    if (*at == argc || strncmp(argv[*at], "--", 2) == 0) {
        return pal_fail(err, PAL_ERR_USAGE, "%s needs a value: %s %s (palpate %s --help)", name,
                        name, o->argument, args->usage->command);
    }
    return give(value, argv[(*at)++], err);
}

static pal_status take_operand(pal_args *args, const char *word, pal_err *err) {
    if (args->operand_count == args->usage->max_operands) {
        return pal_fail(err, PAL_ERR_USAGE, "do not know what to do with '%s' (palpate %s --help)",
                        word, args->usage->command);
    }
    args->operand[args->operand_count++] = word;
    return PAL_OK;
}

pal_status pal_options_parse(const pal_usage *usage, int argc, const char *const *argv,
                             pal_args *args, pal_err *err) {
    memset(args, 0, sizeof *args);
    args->usage = usage;
    pal_status status = start_values(args, err);
    // Somebody who asks for help gets it, whatever else the line says.
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            args->help = true;
            return status;
        }
    }
    bool options_over = false;
    for (int at = 0; at < argc && status == PAL_OK;) {
        const char *word = argv[at];
        if (!options_over && strcmp(word, "--") == 0) {
            options_over = true;
            at++;
        } else if (!options_over && word[0] == '-' && word[1] != '\0') {
            status = take_option(args, argc, argv, &at, err);
        } else {
            status = take_operand(args, word, err);
            at++;
        }
    }
    if (status == PAL_OK && args->operand_count < usage->min_operands) {
        status = pal_fail(err, PAL_ERR_USAGE, "palpate %s needs %s (palpate %s --help)",
                          usage->command, usage->operands, usage->command);
    }
    return status;
}

static const pal_option_value *look_up(const pal_args *args, const char *name) {
    for (int i = 0; i < args->value_count; i++) {
        if (strcmp(args->value[i].option->name, name) == 0) {
            return &args->value[i];
        }
    }
    fprintf(stderr, "palpate: no option '%s' in the tables of '%s'\n", name, args->usage->command);
    abort();
}

bool pal_args_given(const pal_args *args, const char *name) {
    return look_up(args, name)->count > 0;
}

bool pal_args_flag(const pal_args *args, const char *name) {
    return look_up(args, name)->count > 0;
}

const char *pal_args_text(const pal_args *args, const char *name) {
    return look_up(args, name)->text[0];
}

double pal_args_number(const pal_args *args, const char *name) {
    return look_up(args, name)->number[0];
}

int pal_args_count(const pal_args *args, const char *name) {
    return (int)look_up(args, name)->number[0];
}

int pal_args_choice(const pal_args *args, const char *name) {
    return look_up(args, name)->choice;
}

const double *pal_args_vector(const pal_args *args, const char *name) {
    return look_up(args, name)->number;
}

const char *const *pal_args_list(const pal_args *args, const char *name, int *count) {
    const pal_option_value *value = look_up(args, name);
    *count = value->count;
    return value->text;
}
