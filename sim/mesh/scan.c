#include "sim/mesh/scan.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { WORD_SHOWN = 40, NUMBER_LENGTH = 400 };

void pal_scan_begin(pal_scan *scan, const pal_text *text, char comment, pal_err *err) {
    *scan = (pal_scan){.name = text->name,
                       .at = text->data,
                       .end = text->data + text->size,
                       .line = 1,
                       .comment = comment,
                       .err = err};
    if (text->size >= 3 && memcmp(text->data, "\xEF\xBB\xBF", 3) == 0) { // byte order mark
        scan->at += 3;
    }
}

void pal_scan_fail(pal_scan *scan, pal_status status, const char *format, ...) {
    if (scan->status != PAL_OK) {
        return;
    }
    char text[700];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *name = scan->name;
    long line = scan->line;
    for (int64_t i = 0; i < scan->part_count && scan->part[i].from <= scan->line; i++) {
        name = scan->part[i].name;
        line = scan->part[i].line + (scan->line - scan->part[i].from);
    }
    scan->status = pal_fail_at(scan->err, status, name, line, "%s", text);
}

size_t pal_scan_left(const pal_scan *scan) {
    return scan->status == PAL_OK ? (size_t)(scan->end - scan->at) : 0;
}

static bool is_blank(const pal_scan *scan, char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' ||
           (scan->commas && c == ',');
}

// Passes blanks and comments up to the next word or the end of the line.
static void skip_blanks(pal_scan *scan) {
    while (scan->at < scan->end && is_blank(scan, *scan->at)) {
        scan->at++;
    }
    if (scan->at < scan->end && scan->comment != '\0' && *scan->at == scan->comment) {
        const char *line_end = memchr(scan->at, '\n', (size_t)(scan->end - scan->at));
        scan->at = line_end != NULL ? line_end : scan->end;
    }
}

bool pal_scan_line_done(pal_scan *scan) {
    if (scan->status != PAL_OK) {
        return true;
    }
    skip_blanks(scan);
    return scan->at == scan->end || *scan->at == '\n';
}

pal_word pal_scan_word(pal_scan *scan) {
    while (pal_scan_line_done(scan)) {
        if (pal_scan_left(scan) == 0) {
            return (pal_word){.at = scan->end, .size = 0};
        }
        scan->at++;
        scan->line++;
    }
    const char *start = scan->at;
    while (scan->at < scan->end && *scan->at != '\n' && !is_blank(scan, *scan->at) &&
           (scan->comment == '\0' || *scan->at != scan->comment)) {
        scan->at++;
    }
    return (pal_word){.at = start, .size = (size_t)(scan->at - start)};
}

pal_word pal_scan_line(pal_scan *scan) {
    bool done = pal_scan_line_done(scan);
    if (scan->status != PAL_OK) {
        return (pal_word){.at = scan->end, .size = 0};
    }
    const char *start = scan->at;
    const char *line_end = memchr(start, '\n', (size_t)(scan->end - start));
    const char *stop = line_end != NULL ? line_end : scan->end;
    const char *comment =
        scan->comment == '\0' ? NULL : memchr(start, scan->comment, (size_t)(stop - start));
    scan->at = line_end != NULL ? line_end + 1 : scan->end;
    scan->line += line_end != NULL;
    if (comment != NULL) {
        stop = comment;
    }
    while (stop > start && is_blank(scan, stop[-1])) {
        stop--;
    }
    return (pal_word){.at = start, .size = done ? 0 : (size_t)(stop - start)};
}

bool pal_word_is(pal_word word, const char *text) {
    return word.size == strlen(text) && strncasecmp(word.at, text, word.size) == 0;
}

void pal_word_copy(pal_word word, char *text, size_t room) {
    size_t used = word.size < room ? word.size : room - 1;
    for (size_t i = 0; i < used; i++) {
        unsigned char c = (unsigned char)word.at[i];
        text[i] = c < 32 || c == 127 ? '?' : (char)c;
    }
    text[used] = '\0';
}

bool pal_word_int(pal_word word, int64_t *value) {
    size_t i = word.size > 0 && (word.at[0] == '-' || word.at[0] == '+');
    bool negative = i == 1 && word.at[0] == '-';
    uint64_t magnitude = 0;
    if (i == word.size) {
        return false;
    }
    for (; i < word.size; i++) {
        unsigned digit = (unsigned)(unsigned char)word.at[i] - '0';
        if (digit > 9 || magnitude > ((uint64_t)INT64_MAX - digit) / 10) {
            return false;
        }
        magnitude = 10 * magnitude + digit;
    }
    *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

static size_t count_digits(pal_word word, size_t from) {
    size_t i = from;
    while (i < word.size && word.at[i] >= '0' && word.at[i] <= '9') {
        i++;
    }
    return i - from;
}

// Where a decimal number ends that starts at `from` (after the sign), or 0. *point and *exponent
// are the places of '.' and of the letter, or word.size.
static size_t measure_decimal(pal_word word, size_t from, size_t *point, size_t *exponent) {
    size_t whole = count_digits(word, from), fraction = 0, i = from + whole;
    *point = *exponent = word.size;
    if (i < word.size && word.at[i] == '.') {
        *point = i;
        fraction = count_digits(word, i + 1);
        i += 1 + fraction;
    }
    if (whole + fraction == 0) {
        return 0;
    }
    if (i < word.size && strchr("eEdD", word.at[i]) != NULL && word.at[i] != '\0') {
        *exponent = i++;
        i += i < word.size && (word.at[i] == '-' || word.at[i] == '+');
        size_t digits = count_digits(word, i);
        return digits == 0 ? 0 : i + digits;
    }
    return i;
}

bool pal_word_real(pal_word word, double *value) {
    size_t sign = word.size > 0 && (word.at[0] == '-' || word.at[0] == '+');
    double factor = sign == 1 && word.at[0] == '-' ? -1.0 : 1.0;
    pal_word bare = {.at = word.at + sign, .size = word.size - sign};
    if (pal_word_is(bare, "nan")) {
        *value = NAN;
        return true;
    }
    if (pal_word_is(bare, "inf") || pal_word_is(bare, "infinity")) {
        *value = factor * INFINITY;
        return true;
    }
    size_t point, exponent;
    char text[NUMBER_LENGTH + 1];
    if (bare.size > NUMBER_LENGTH || measure_decimal(bare, 0, &point, &exponent) != bare.size ||
        bare.size == 0) {
        return false;
    }
    memcpy(text, bare.at, bare.size);
    text[bare.size] = '\0';
    if (point < bare.size) {
        text[point] = localeconv()->decimal_point[0];
    }
    if (exponent < bare.size) { // Fortran writes 'd'
        text[exponent] = 'e';
    }
    *value = factor * strtod(text, NULL);
    return true;
}

// The next word, which must be there.
static pal_word need_word(pal_scan *scan, const char *what) {
    pal_word word = pal_scan_word(scan);
    if (word.size == 0) {
        pal_scan_fail(scan, PAL_ERR_INPUT, "the file ends where %s should be; is it cut short?",
                      what);
    }
    return word;
}

int64_t pal_scan_int(pal_scan *scan, const char *what) {
    int64_t value = 0;
    pal_word word = need_word(scan, what);
    if (scan->status == PAL_OK && !pal_word_int(word, &value)) {
        char shown[WORD_SHOWN];
        pal_word_copy(word, shown, sizeof shown);
        pal_scan_fail(scan, PAL_ERR_INPUT, "'%s' is not a whole number (expected %s)", shown, what);
    }
    return scan->status == PAL_OK ? value : 0;
}

double pal_scan_real(pal_scan *scan, const char *what) {
    double value = 0.0;
    pal_word word = need_word(scan, what);
    if (scan->status == PAL_OK && !pal_word_real(word, &value)) {
        char shown[WORD_SHOWN];
        pal_word_copy(word, shown, sizeof shown);
        pal_scan_fail(scan, PAL_ERR_INPUT, "'%s' is not a number (expected %s)", shown, what);
    }
    return scan->status == PAL_OK ? value : 0.0;
}

void pal_scan_point(pal_scan *scan, int64_t vertex, double *x) {
    for (int c = 0; c < 3; c++) {
        x[c] = pal_scan_real(scan, "a coordinate");
        if (!isfinite(x[c])) {
            pal_scan_fail(scan, PAL_ERR_INPUT,
                          "vertex %" PRId64 " has a coordinate that is not finite", vertex);
        }
    }
}

int64_t pal_scan_check_count(pal_scan *scan, const char *what, int64_t count, int words) {
    if (scan->status != PAL_OK) {
        return 0;
    }
    // each word takes a byte and a blank, but for the last
    size_t left = pal_scan_left(scan);
    if (count < 0 || count > INT32_MAX || (size_t)count > (left + 1) / (2 * (size_t)words)) {
        pal_scan_fail(scan, PAL_ERR_INPUT,
                      "the count of %s, %" PRId64 ", is wrong: %zu bytes are left; is the file cut "
                      "short?",
                      what, count, left);
        return 0;
    }
    return count;
}

int64_t pal_scan_count(pal_scan *scan, const char *what, int words) {
    char expected[80];
    snprintf(expected, sizeof expected, "the count of %s", what);
    int64_t count = pal_scan_int(scan, expected);
    return pal_scan_check_count(scan, what, count, words);
}

int32_t pal_scan_vertex(pal_scan *scan, int64_t first, int32_t count) {
    int64_t number = pal_scan_int(scan, "a vertex number");
    if (number < first || number - first >= count) {
        pal_scan_fail(scan, PAL_ERR_INPUT,
                      "there is no vertex %" PRId64 "; they go from %" PRId64 " to %" PRId64,
                      number, first, first + count - 1);
        return 0;
    }
    return (int32_t)(number - first);
}

void pal_scan_header(pal_scan *scan, int64_t *number, int count) {
    enum { MOST = 1000 };
    for (int i = 0; i < count; i++) {
        number[i] = pal_scan_line_done(scan) ? 0 : pal_scan_int(scan, "a number of the header");
        if (number[i] < 0 || number[i] > MOST) {
            pal_scan_fail(scan, PAL_ERR_INPUT, "numbers from 0 to %d should be here, of columns",
                          (int)MOST);
            number[i] = 0;
        }
    }
}

void pal_scan_skip(pal_scan *scan, int64_t count) {
    for (int64_t i = 0; i < count && scan->status == PAL_OK; i++) {
        pal_scan_real(scan, "an attribute or marker");
    }
}
