// A recursive-descent parser; the calls nest only as brackets do, and those are bounded.
//
//   or      = and { "|" and }
//   and     = not { "&" not }
//   not     = { "!" } ( "(" or ")" | leaf )
//   leaf    = "all" | "none" | "surface" | axis compare number | "vertices" ":" list
//           | "region" ":" name | "near" ":" "(" number "," number "," number ")" ":" number
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
    if (is_letter(p->text[p->at])) {
        return FAIL(p, "lengths are in metres and carry no unit, for example %s", example);
    }
    pal_word word = {.at = p->text + start, .size = (size_t)(p->at - start)};
    if (!pal_word_real(word, value) || !isfinite(*value)) {
        p->at = start;
        return FAIL(p, "this number is too large or too long");
    }
    return PAL_OK;
}

static pal_status parse_compare(parser *p, int axis) {
    pal_select_op op = {.kind = PAL_SELECT_COMPARE, .column = p->at, .axis = axis};
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
    pal_status status = parse_number(p, "x<0.01", &op.value[0]);
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

static pal_status parse_region(parser *p) {
    pal_select_op op = {.kind = PAL_SELECT_REGION};
    pal_status status = expect(p, ':', "region:bone");
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
        return FAIL(p, "expected the name of a region, for example region:bone or "
                       "region:\"left lobe\"");
    }
    p->at += quoted;
    emit(p, op, 0);
    return PAL_OK;
}

static pal_status parse_near(parser *p) {
    static const char example[] = "near:(0,0.1,0):0.05";
    pal_select_op op = {.kind = PAL_SELECT_NEAR, .column = p->at + 1};
    pal_status status = expect(p, ':', example);
    for (int c = 0; c < 3 && status == PAL_OK; c++) {
        status = expect(p, "(,,"[c], example);
        status = status == PAL_OK ? parse_number(p, example, &op.value[c]) : status;
    }
    status = status == PAL_OK ? expect(p, ')', example) : status;
    status = status == PAL_OK ? expect(p, ':', example) : status;
    skip_blanks(p);
    int32_t radius = p->at;
    status = status == PAL_OK ? parse_number(p, example, &op.value[3]) : status;
    if (status == PAL_OK && op.value[3] < 0.0) {
        p->at = radius;
        return FAIL(p, "the radius may not be negative");
    }
    if (status == PAL_OK) {
        emit(p, op, 0);
    }
    return status;
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
        if (length == strlen(plain[i]) && memcmp(word, plain[i], length) == 0) {
            emit(p, (pal_select_op){.kind = (pal_select_kind)i, .column = start + 1}, 0);
            return PAL_OK;
        }
    }
    if (length == 1 && *word >= 'x' && *word <= 'z') {
        return parse_compare(p, *word - 'x');
    }
    if (length == 8 && memcmp(word, "vertices", 8) == 0) {
        return parse_vertices(p);
    }
    if (length == 6 && memcmp(word, "region", 6) == 0) {
        return parse_region(p);
    }
    if (length == 4 && memcmp(word, "near", 4) == 0) {
        return parse_near(p);
    }
    p->at = start;
    char found[32] = "the end";
    if (length > 0) {
        snprintf(found, sizeof found, "'%.*s'", length > 20 ? 20 : (int)length, word);
    } else if (*word > ' ') {
        snprintf(found, sizeof found, "'%c'", *word);
    } else if (*word != '\0') {
        snprintf(found, sizeof found, "a strange character");
    }
    return FAIL(p,
                "expected x<0.01 (or y, z and <=, >, >=, =), vertices:3,7,10-20, region:bone, "
                "near:(0,0.1,0):0.05, surface, all or none, but found %s",
                found);
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
    // An operation, like a range, is made of at least one character.
    pal_select_program made = {.text = text};
    made.op = PAL_NEW(pal_select_op, length, err);
    made.range = PAL_NEW(pal_select_range, length, err);
    if (made.op == NULL || made.range == NULL) {
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
    memset(program, 0, sizeof *program);
}
