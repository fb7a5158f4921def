// A recursive-descent parser; the calls nest only as brackets do, and those are bounded.
//
//   or      = and { "|" and }
//   and     = not { "&" not }
//   not     = { "!" } ( "(" or ")" | leaf )
//   leaf    = "all" | "none" | "surface" | axis compare place | "vertices" ":" list
//           | "region" ":" name | "set" ":" name | "near" ":" point ":" length
//           | "box" ":" point ":" point
//   point   = "(" place "," place "," place ")"
//   place   = length | share | ( "min" | "max" ) [ ( "+" | "-" ) ( length | share ) ]
//   length  = number [ "m" | "dm" | "cm" | "mm" | "um" | "nm" | "km" | "in" ]
//   share   = number "%"
//   list    = item { "," item }     item = integer [ "-" integer ]
//   compare = "<" | "<=" | ">" | ">=" | "=" | "=="
//   name    = 'text' | "text" | characters other than blanks & | ! ( ) and quotes
#include "sim/mesh/select_parse.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/mesh/scan.h"

enum { MAX_BRACKETS = 64, MAX_LENGTH = 1 << 20 };

typedef struct parser {
    pal_select_program *program;
    const char *text;
    int32_t at;       // next character, from 0
    int32_t brackets; // open ones
    int32_t waiting;  // results that the program so far leaves
    pal_err *err;
} parser;

// Classes of ASCII characters, whatever the locale.
static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

pal_status pal_select_fail(pal_err *err, const char *text, int32_t column, const char *format,
                           ...) {
    // Show the selector, or what is near the column of a long one, on one line.
    enum { SHOWN = 72 };
    size_t length = strlen(text);
    size_t start = length > SHOWN && column > SHOWN / 2 ? (size_t)column - SHOWN / 2 : 0;
    char shown[SHOWN + 1];
    snprintf(shown, sizeof shown, "%s", text + (start < length ? start : length));
    for (char *c = shown; *c != '\0'; c++) {
        *c = (unsigned char)*c < ' ' ? ' ' : *c;
    }
    char message[768];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return pal_fail(err, PAL_ERR_USAGE, "selector '%s%s%s', column %d: %s", start > 0 ? "..." : "",
                    shown, length > start + SHOWN ? "..." : "", column, message);
}

#define FAIL(p, ...) pal_select_fail((p)->err, (p)->text, (p)->at + 1, __VA_ARGS__)

static void skip_blanks(parser *p) {
    while (is_blank(p->text[p->at])) {
        p->at++;
    }
}

// Takes the character when it comes next (after blanks).
static bool accept(parser *p, char c) {
    skip_blanks(p);
    if (p->text[p->at] != c) {
        return false;
    }
    p->at++;
    return true;
}

static pal_status expect(parser *p, char c, const char *example) {
    return accept(p, c) ? PAL_OK : FAIL(p, "expected '%c', for example %s", c, example);
}

// Appends an operation that takes `taken` results and leaves one.
static void emit(parser *p, pal_select_op op, int taken) {
    p->program->op[p->program->op_count++] = op;
    p->waiting += 1 - taken;
    if (p->waiting > p->program->depth) {
        p->program->depth = p->waiting;
    }
}

static int32_t skip_digits(parser *p) {
    int32_t start = p->at;
    while (is_digit(p->text[p->at])) {
        p->at++;
    }
    return p->at - start;
}

static pal_status parse_number(parser *p, const char *example, double *value) {
    skip_blanks(p);
    int32_t start = p->at;
    if (p->text[p->at] == '-' || p->text[p->at] == '+') {
        p->at++;
    }
    int32_t digits = skip_digits(p);
    if (p->text[p->at] == '.') {
        p->at++;
        digits += skip_digits(p);
    }
    if (digits == 0) {
        p->at = start;
        return FAIL(p, "expected a number, for example %s", example);
    }
    if (p->text[p->at] == 'e' || p->text[p->at] == 'E') {
        p->at++;
        if (p->text[p->at] == '-' || p->text[p->at] == '+') {
            p->at++;
        }
        if (skip_digits(p) == 0) {
            return FAIL(p, "expected the digits of an exponent, for example 2.5e-3");
        }
    }
    pal_word word = {.at = p->text + start, .size = (size_t)(p->at - start)};
    if (!pal_word_real(word, value) || !isfinite(*value)) {
        p->at = start;
        return FAIL(p, "this number is too large or too long");
    }
    return PAL_OK;
}

// The unit after a number, in metres when there is none.
static pal_status parse_unit(parser *p, double *value) {
    static const struct {
        const char *name;
        double factor, divisor; // of which one is 1, so that 7 mm is the double nearest to 0.007
    } units[] = {{"m", 1, 1},    {"dm", 1, 10},  {"cm", 1, 100},  {"mm", 1, 1000},
                 {"um", 1, 1e6}, {"nm", 1, 1e9}, {"km", 1000, 1}, {"in", 0.0254, 1}};
    skip_blanks(p);
    int32_t start = p->at;
    while (is_letter(p->text[p->at])) {
        p->at++;
    }
    size_t length = (size_t)(p->at - start);
    for (size_t i = 0; length > 0 && i < sizeof units / sizeof *units; i++) {
        if (strlen(units[i].name) == length &&
            memcmp(p->text + start, units[i].name, length) == 0) {
            *value = *value * units[i].factor / units[i].divisor;
            return PAL_OK;
        }
    }
    const char *after = p->text + p->at;
    after += strspn(after, " ");
    const bool is_leaf = *after != '\0' && strchr("<>=:", *after) != NULL; // "x<1 y<2" forgot its &
    p->at = start;
    return length == 0 || is_leaf
               ? PAL_OK
               : FAIL(p,
                      "'%.*s' is no unit of length; known are m, dm, cm, mm, um, nm, km "
                      "and in, and a number without one is in metres",
                      length > 20 ? 20 : (int)length, p->text + start);
}

static pal_status parse_length(parser *p, const char *example, double *value) {
    pal_status status = parse_number(p, example, value);
    return status == PAL_OK ? parse_unit(p, value) : status;
}

// Takes "min" or "max" when it comes next.
static pal_select_from accept_end(parser *p) {
    skip_blanks(p);
    const char *text = p->text + p->at;
    bool min = strncmp(text, "min", 3) == 0, max = strncmp(text, "max", 3) == 0;
    if ((!min && !max) || is_letter(text[3])) {
        return PAL_FROM_ORIGIN;
    }
    p->at += 3;
    return min ? PAL_FROM_MIN : PAL_FROM_MAX;
}

static pal_status parse_place(parser *p, const char *example) {
    pal_select_place place = {.from = accept_end(p)};
    const bool ended = place.from != PAL_FROM_ORIGIN;
    const bool adds = ended && accept(p, '+'), takes = ended && !adds && accept(p, '-');
    double value = 0.0;
    if (!ended || adds || takes) {
        pal_status status = parse_number(p, example, &value);
        if (status == PAL_OK && accept(p, '%')) {
            place.share = (takes ? -value : value) / 100.0;
            place.from = ended ? place.from : PAL_FROM_MIN;
        } else if (status == PAL_OK) {
            status = parse_unit(p, &value);
            place.offset = takes ? -value : value;
        }
        if (status != PAL_OK) {
            return status;
        }
    }
    p->program->place[p->program->place_count++] = place;
    return PAL_OK;
}

// "(x,y,z)"
static pal_status parse_point(parser *p, const char *example) {
    pal_status status = PAL_OK;
    for (int c = 0; c < 3 && status == PAL_OK; c++) {
        status = expect(p, "(,,"[c], example);
        status = status == PAL_OK ? parse_place(p, example) : status;
    }
    return status == PAL_OK ? expect(p, ')', example) : status;
}

static pal_status parse_compare(parser *p, int axis) {
    pal_select_op op = {.kind = PAL_SELECT_COMPARE,
                        .column = p->at,
                        .axis = axis,
                        .first_place = p->program->place_count};
    op.less = accept(p, '<');
    op.greater = !op.less && accept(p, '>');
    bool strict = op.less || op.greater;
    op.equal = strict ? p->text[p->at] == '=' : accept(p, '=');
    if (!strict && !op.equal) {
        return FAIL(p, "expected <, <=, >, >= or =, for example %c<0.01", "xyz"[axis]);
    }
    if (op.equal && p->text[p->at] == '=') { // the second sign of <=, >= and ==
        p->at++;
    }
    pal_status status = parse_place(p, "x<0.01, x<min+5 mm or x<40%");
    if (status == PAL_OK) {
        emit(p, op, 0);
    }
    return status;
}

static pal_status parse_index(parser *p, int64_t *index) {
    skip_blanks(p);
    int32_t start = p->at;
    *index = 0;
    while (is_digit(p->text[p->at]) && *index <= INT32_MAX) {
        *index = 10 * *index + (p->text[p->at++] - '0');
    }
    if (p->at == start) {
        return FAIL(p, "expected the number of a vertex (counted from 0), for example "
                       "vertices:3,7,10-20");
    }
    if (*index > INT32_MAX) {
        p->at = start;
        return FAIL(p, "no mesh has so many vertices");
    }
    return PAL_OK;
}

static pal_status parse_vertices(parser *p) {
    pal_select_op op = {
        .kind = PAL_SELECT_VERTICES, .column = p->at + 1, .first_range = p->program->range_count};
    pal_status status = expect(p, ':', "vertices:3,7,10-20");
    if (status != PAL_OK) {
        return status;
    }
    do {
        pal_select_range range;
        skip_blanks(p);
        int32_t start = p->at;
        if ((status = parse_index(p, &range.first)) != PAL_OK) {
            return status;
        }
        range.last = range.first;
        if (accept(p, '-') && (status = parse_index(p, &range.last)) != PAL_OK) {
            return status;
        }
        if (range.last < range.first) {
            p->at = start;
            return FAIL(p, "the range %lld-%lld runs backwards; the smaller number comes first",
                        (long long)range.first, (long long)range.last);
        }
        p->program->range[p->program->range_count++] = range;
        op.range_count++;
    } while (accept(p, ','));
    emit(p, op, 0);
    return PAL_OK;
}

static pal_status parse_name(parser *p, pal_select_kind kind, const char *example) {
    pal_select_op op = {.kind = kind};
    pal_status status = expect(p, ':', example);
    if (status != PAL_OK) {
        return status;
    }
    skip_blanks(p);
    op.column = p->at + 1;
    const char *text = p->text;
    char quote = text[p->at];
    bool quoted = quote == '"' || quote == '\'';
    p->at += quoted;
    op.name_start = p->at;
    while (text[p->at] != '\0' &&
           (quoted ? text[p->at] != quote
                   : !is_blank(text[p->at]) && strchr("&|!()\"'", text[p->at]) == NULL)) {
        p->at++;
    }
    op.name_length = p->at - op.name_start;
    if (quoted && text[p->at] != quote) {
        return FAIL(p, "expected %c to close the name that starts at column %d", quote, op.column);
    }
    if (op.name_length == 0) {
        return FAIL(p, "expected the name of a %s, for example %s or region:\"left lobe\"",
                    kind == PAL_SELECT_SET ? "set" : "region", example);
    }
    p->at += quoted;
    emit(p, op, 0);
    return PAL_OK;
}

static pal_status parse_near(parser *p) {
    static const char example[] = "near:(0,0.1,0):0.05";
    pal_select_op op = {
        .kind = PAL_SELECT_NEAR, .column = p->at + 1, .first_place = p->program->place_count};
    pal_status status = expect(p, ':', example);
    status = status == PAL_OK ? parse_point(p, example) : status;
    status = status == PAL_OK ? expect(p, ':', example) : status;
    skip_blanks(p);
    int32_t radius = p->at;
    status = status == PAL_OK ? parse_length(p, example, &op.radius) : status;
    if (status == PAL_OK && op.radius < 0.0) {
        p->at = radius;
        return FAIL(p, "the radius may not be negative");
    }
    if (status == PAL_OK && p->text[p->at] == '%') {
        return FAIL(p, "the radius is a length, for example %s", example);
    }
    if (status == PAL_OK) {
        emit(p, op, 0);
    }
    return status;
}

static pal_status parse_box(parser *p) {
    static const char example[] = "box:(0,0,0):(0.1,50%,max)";
    pal_select_op op = {
        .kind = PAL_SELECT_BOX, .column = p->at + 1, .first_place = p->program->place_count};
    pal_status status = PAL_OK;
    for (int corner = 0; corner < 2 && status == PAL_OK; corner++) {
        status = expect(p, ':', example);
        status = status == PAL_OK ? parse_point(p, example) : status;
    }
    if (status == PAL_OK) {
        emit(p, op, 0);
    }
    return status;
}

static pal_status fail_leaf(parser *p, const char *word, size_t length) {
    char found[32] = "the end";
    if (length > 0) {
        snprintf(found, sizeof found, "'%.*s'", length > 20 ? 20 : (int)length, word);
    } else if (*word > ' ') {
        snprintf(found, sizeof found, "'%c'", *word);
    } else if (*word != '\0') {
        snprintf(found, sizeof found, "a strange character");
    }
    return FAIL(p,
                "expected x<0.01 (or y, z and <=, >, >=, =; also x<min+5 mm, x<40%%), "
                "vertices:3,7,10-20, region:bone, set:top, near:(0,0.1,0):0.05, "
                "box:(0,0,0):(0.1,50%%,max), surface, all or none, but found %s",
                found);
}

static bool is_word(const char *word, size_t length, const char *known) {
    return length == strlen(known) && memcmp(word, known, length) == 0;
}

static pal_status parse_leaf(parser *p) {
    static const char *const plain[] = {"all", "none", "surface"};
    int32_t start = p->at;
    while (is_letter(p->text[p->at])) {
        p->at++;
    }
    const char *word = p->text + start;
    size_t length = (size_t)(p->at - start);
    for (int i = 0; i < 3; i++) {
        if (is_word(word, length, plain[i])) {
            emit(p, (pal_select_op){.kind = (pal_select_kind)i, .column = start + 1}, 0);
            return PAL_OK;
        }
    }
    if (length == 1 && *word >= 'x' && *word <= 'z') {
        return parse_compare(p, *word - 'x');
    }
    if (is_word(word, length, "vertices")) {
        return parse_vertices(p);
    }
    if (is_word(word, length, "region")) {
        return parse_name(p, PAL_SELECT_REGION, "region:bone");
    }
    if (is_word(word, length, "set")) {
        return parse_name(p, PAL_SELECT_SET, "set:top");
    }
    if (is_word(word, length, "near")) {
        return parse_near(p);
    }
    if (is_word(word, length, "box")) {
        return parse_box(p);
    }
    p->at = start;
    return fail_leaf(p, word, length);
}

static pal_status parse_or(parser *p);

static pal_status parse_not(parser *p) {
    bool turned = false;
    int32_t column = p->at + 1;
    while (accept(p, '!')) {
        turned = !turned;
    }
    int32_t open = p->at + 1;
    pal_status status;
    if (!accept(p, '(')) {
        status = parse_leaf(p);
    } else if (++p->brackets > MAX_BRACKETS) {
        status = FAIL(p, "brackets nest more than %d deep", MAX_BRACKETS);
    } else {
        status = parse_or(p);
        if (status == PAL_OK && !accept(p, ')')) {
            status = FAIL(p,
                          "expected ) to close the bracket of column %d, or & (and) or | (or), "
                          "for example (x<0.01 | y>0.2)",
                          open);
        }
        p->brackets--;
    }
    if (status == PAL_OK && turned) {
        emit(p, (pal_select_op){.kind = PAL_SELECT_NOT, .column = column}, 1);
    }
    return status;
}

// A chain of operands of the next tighter level, joined from the left.
static pal_status parse_chain(parser *p, char sign, pal_select_kind kind,
                              pal_status (*operand)(parser *)) {
    pal_status status = operand(p);
    while (status == PAL_OK && accept(p, sign)) {
        int32_t column = p->at;
        status = operand(p);
        if (status == PAL_OK) {
            emit(p, (pal_select_op){.kind = kind, .column = column}, 2);
        }
    }
    return status;
}

static pal_status parse_and(parser *p) {
    return parse_chain(p, '&', PAL_SELECT_AND, parse_not);
}

static pal_status parse_or(parser *p) {
    return parse_chain(p, '|', PAL_SELECT_OR, parse_and);
}

pal_status pal_select_parse(const char *text, pal_select_program *program, pal_err *err) {
    memset(program, 0, sizeof *program);
    size_t length = strlen(text);
    if (length > MAX_LENGTH) {
        return pal_fail(err, PAL_ERR_USAGE, "a selector of %zu characters; at most %d are read",
                        length, (int)MAX_LENGTH);
    }
    // An operation, like a range and a place, is made of at least one character.
    pal_select_program made = {.text = text};
    made.op = PAL_NEW(pal_select_op, length, err);
    made.range = PAL_NEW(pal_select_range, length, err);
    made.place = PAL_NEW(pal_select_place, length, err);
    if (made.op == NULL || made.range == NULL || made.place == NULL) {
        pal_select_program_free(&made);
        return PAL_ERR_MEMORY;
    }
    parser p = {.program = &made, .text = text, .err = err};
    pal_status status = parse_or(&p);
    if (status == PAL_OK && text[p.at] != '\0') {
        status = text[p.at] == ')'
                     ? FAIL(&p, "this ) closes no bracket")
                     : FAIL(&p, "expected & (and), | (or) or the end, for example x<0.01 & y>0.2");
    }
    if (status != PAL_OK) {
        pal_select_program_free(&made);
        return status;
    }
    *program = made;
    return PAL_OK;
}

void pal_select_program_free(pal_select_program *program) {
    free(program->op);
    free(program->range);
    free(program->place);
    memset(program, 0, sizeof *program);
}
