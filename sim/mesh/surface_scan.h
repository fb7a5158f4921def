// Words and lines of a text file, and a buffer that grows. Internal to the surface readers.
#ifndef PAL_MESH_SURFACE_SCAN_H
#define PAL_MESH_SURFACE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/status.h"

typedef struct pal_scan {
    const char *name; // for messages
    const char *at, *end;
    long line; // from 1
    pal_err *err;
} pal_scan;

typedef struct pal_word {
    const char *text; // not ended by NUL
    int length;
} pal_word;

// The next word of this line; false at its end. A backslash before the end joins the next line.
bool pal_scan_word(pal_scan *scan, pal_word *word);

// To the start of the next line; false at the end of the file.
bool pal_scan_next_line(pal_scan *scan);

bool pal_word_is(pal_word word, const char *text); // in any case of letters
bool pal_word_is_number(pal_word word);            // a plain finite decimal number

// A whole number in low..high.
bool pal_word_to_int(pal_word word, int64_t low, int64_t high, int64_t *value);

// Fails with name and line: "expected WHAT, found 'WORD'" (or the end of the line).
pal_status pal_scan_expected(const pal_scan *scan, const char *what, const pal_word *found);

typedef struct pal_buffer {
    char *data; // heap
    size_t size, room;
    bool failed; // out of memory: what was put since is lost
} pal_buffer;

void pal_buffer_put(pal_buffer *buffer, const char *text, size_t length);

#endif
