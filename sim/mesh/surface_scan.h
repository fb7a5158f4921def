// What the surface readers need beyond scan.h: words of one line, numbers that assimp reads too,
// and a buffer that grows. Internal to the surface readers.
#ifndef PAL_MESH_SURFACE_SCAN_H
#define PAL_MESH_SURFACE_SCAN_H

#include "sim/mesh/scan.h"

// The next word of this line; an empty one at its end. A backslash at the end joins the next line.
pal_word pal_surface_word(pal_scan *scan);

// A plain finite decimal number of moderate length.
bool pal_surface_is_number(pal_word word);

// A whole number in low..high.
bool pal_surface_to_int(pal_word word, int64_t low, int64_t high, int64_t *value);

// Fails with "expected WHAT, found 'WORD'" (or the end of the line), and returns that failure.
pal_status pal_surface_expected(pal_scan *scan, const char *what, pal_word found);

typedef struct pal_buffer {
    char *data; // heap
    size_t size, room;
    bool failed; // out of memory: what was put since is lost
} pal_buffer;

void pal_buffer_put(pal_buffer *buffer, const char *text, size_t length);

#endif
