#include "sim/mesh/surface_scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

enum { LONGEST_NUMBER = 64 };

pal_word pal_surface_word(pal_scan *scan) {
    while (!pal_scan_line_done(scan)) {
        pal_word word = pal_scan_word(scan);
        if (word.at[word.size - 1] == '\\' && pal_scan_line_done(scan)) {
            word.size--;
            pal_scan_line(scan);
        }
        if (word.size > 0) {
            return word;
        }
    }
    return (pal_word){.at = scan->at, .size = 0};
}

bool pal_surface_is_number(pal_word word) {
    double value;
    return word.size <= LONGEST_NUMBER && pal_word_real(word, &value) && isfinite(value) &&
           memchr(word.at, 'd', word.size) == NULL && memchr(word.at, 'D', word.size) == NULL;
}

bool pal_surface_to_int(pal_word word, int64_t low, int64_t high, int64_t *value) {
    return pal_word_int(word, value) && *word.at != '+' && *value >= low && *value <= high;
}

pal_status pal_surface_expected(pal_scan *scan, const char *what, pal_word found) {
    char shown[40];
    pal_word_copy(found, shown, sizeof shown);
    if (found.size > 0) {
        pal_scan_fail(scan, PAL_ERR_INPUT, "expected %s, found '%s'", what, shown);
    } else {
        pal_scan_fail(scan, PAL_ERR_INPUT, "expected %s, but the %s ends", what,
                      pal_scan_left(scan) > 0 ? "line" : "file");
    }
    return scan->status;
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
