#include "sim/mesh/surface_scan.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sim/base/memory.h"

enum { LONGEST_NUMBER = 64 };

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

bool pal_scan_word(pal_scan *scan, pal_word *word) {
    for (;; scan->at++) {
        if (scan->at < scan->end && *scan->at == '\\') {
            const char *next = scan->at + 1;
            next += next < scan->end && *next == '\r';
            if (next < scan->end && *next == '\n') {
                scan->at = next;
                scan->line++;
                continue;
            }
        }
        if (scan->at >= scan->end || !is_blank(*scan->at)) {
            break;
        }
    }
    const char *start = scan->at;
    while (scan->at < scan->end && !is_blank(*scan->at) && *scan->at != '\n') {
        if (*scan->at == '\\' && scan->at > start && scan->at + 1 < scan->end &&
            (scan->at[1] == '\n' || scan->at[1] == '\r')) {
            break;
        }
        scan->at++;
    }
    *word = (pal_word){start, scan->at - start < INT32_MAX ? (int)(scan->at - start) : INT32_MAX};
    return word->length > 0;
}

bool pal_scan_next_line(pal_scan *scan) {
    const char *newline = memchr(scan->at, '\n', (size_t)(scan->end - scan->at));
    scan->at = newline == NULL ? scan->end : newline + 1;
    scan->line++;
    return scan->at < scan->end;
}

bool pal_word_is(pal_word word, const char *text) {
    return (size_t)word.length == strlen(text) &&
           strncasecmp(word.text, text, (size_t)word.length) == 0;
}

static int count_digits(const char *text, const char *end) {
    int count = 0;
    while (text + count < end && text[count] >= '0' && text[count] <= '9') {
        count++;
    }
    return count;
}

bool pal_word_is_number(pal_word word) {
    const char *at = word.text, *end = word.text + word.length;
    if (word.length == 0 || word.length > LONGEST_NUMBER) {
        return false;
    }
    at += *at == '-' || *at == '+';
    int whole = count_digits(at, end), part = 0;
    at += whole;
    if (at < end && *at == '.') {
        part = count_digits(at + 1, end);
        at += 1 + part;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        at += at < end && (*at == '-' || *at == '+');
        int digits = count_digits(at, end);
        at = digits > 0 && digits < 4 ? at + digits : end + 1;
    }
    return whole + part > 0 && at == end;
}

bool pal_word_to_int(pal_word word, int64_t low, int64_t high, int64_t *value) {
    bool negative = word.length > 0 && *word.text == '-';
    int digits = word.length - negative;
    const char *at = word.text + negative, *end = word.text + word.length;
    if (digits < 1 || digits > 18 || count_digits(at, end) != digits) {
        return false;
    }
    for (*value = 0; at < end; at++) {
        *value = 10 * *value + (*at - '0');
    }
    *value = negative ? -*value : *value;
    return *value >= low && *value <= high;
}

pal_status pal_scan_expected(const pal_scan *scan, const char *what, const pal_word *found) {
    if (found == NULL || found->length == 0) {
        return pal_fail_at(scan->err, PAL_ERR_INPUT, scan->name, scan->line,
                           scan->at < scan->end ? "expected %s, but the line ends"
                                                : "expected %s, but the file ends",
                           what);
    }
    char shown[33];
    int length = found->length > 32 ? 32 : found->length;
    for (int i = 0; i < length; i++) {
        unsigned char c = (unsigned char)found->text[i];
        shown[i] = c >= ' ' && c < 127 ? (char)c : '?';
    }
    shown[length] = '\0';
    return pal_fail_at(scan->err, PAL_ERR_INPUT, scan->name, scan->line, "expected %s, found '%s'",
                       what, shown);
}

void pal_buffer_put(pal_buffer *buffer, const char *text, size_t length) {
    if (!buffer->failed && buffer->size + length > buffer->room) {
        size_t room = 2 * buffer->room + length + 256;
        char *larger = PAL_NEW(char, room, NULL);
        if (larger != NULL && buffer->size > 0) {
            memcpy(larger, buffer->data, buffer->size);
        }
        free(buffer->data);
        buffer->data = larger;
        buffer->room = room;
        buffer->failed = larger == NULL;
    }
    if (!buffer->failed && length > 0) {
        memcpy(buffer->data + buffer->size, text, length);
        buffer->size += length;
    }
}
