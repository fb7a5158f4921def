// A scanner over the text of a mesh file: words, strict numbers, line numbers for messages. The
// first failure sticks: later calls do nothing and give zeros, so that a reader may look at
// `status` once per row. Numbers do not depend on the locale. Both kinds of line ends. Any thread.
#ifndef PAL_MESH_SCAN_H
#define PAL_MESH_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/status.h"
#include "sim/mesh/mesh_io.h"

typedef struct pal_scan_part { // lines that were included from another file
    const char *name;
    long line; // of that file, where the part begins
    long from; // of the scanned text, where the part begins
} pal_scan_part;

typedef struct pal_scan {
    const char *name; // of the file, for messages
    const char *at, *end;
    long line;         // where `at` is, from 1
    char comment;      // starts a comment that runs to the end of its line; '\0': there are none
    bool commas;       // a comma separates words as a blank does
    pal_status status; // the first failure
    pal_err *err;      // may be NULL
    const pal_scan_part *part; // [part_count] ascending; without any, all lines are those of `name`
    int64_t part_count;
} pal_scan;

typedef struct pal_word { // a piece of the text, empty when size is 0
    const char *at;
    size_t size;
} pal_word;

void pal_scan_begin(pal_scan *scan, const pal_text *text, char comment, pal_err *err);

// Fails at the current line (of the file that it came from), unless it has failed before.
void pal_scan_fail(pal_scan *scan, pal_status status, const char *format, ...) PAL_PRINTF(3, 4);

// The next word, on whatever line; an empty one at the end of the text or after a failure.
pal_word pal_scan_word(pal_scan *scan);

// The rest of the line without blanks at its ends (and without a comment), and on to the next line.
pal_word pal_scan_line(pal_scan *scan);

// Whether nothing but blanks and comment is left on this line.
bool pal_scan_line_done(pal_scan *scan);

// The bytes that are left, from `at` on.
size_t pal_scan_left(const pal_scan *scan);

// The next word as a whole number, as a number (which may be infinite or NaN), as three finite
// coordinates of vertex `vertex`. `what` stands in messages: "a vertex number".
int64_t pal_scan_int(pal_scan *scan, const char *what);
double pal_scan_real(pal_scan *scan, const char *what);
void pal_scan_point(pal_scan *scan, int64_t vertex, double *x);

// The whole numbers, 0 to 1000, that are left on the line, `count` at the most; the others are 0.
void pal_scan_header(pal_scan *scan, int64_t *number, int count);

// Passes over `count` numbers of a row.
void pal_scan_skip(pal_scan *scan, int64_t count);

// A count of things that take at least `words` words each of what is left: a count that cannot be
// true fails here, before anybody allocates.
int64_t pal_scan_count(pal_scan *scan, const char *what, int words);
int64_t pal_scan_check_count(pal_scan *scan, const char *what, int64_t count, int words);

// A vertex number first .. first + count - 1 as an index from 0.
int32_t pal_scan_vertex(pal_scan *scan, int64_t first, int32_t count);

// Equality without regard to case.
bool pal_word_is(pal_word word, const char *text);

// Strict parsing of a whole word; false when it is not a number (or not one of 64 bits).
bool pal_word_int(pal_word word, int64_t *value);
bool pal_word_real(pal_word word, double *value);

// Copies a word for a message or a name: cut to the room, unprintable bytes as '?'.
void pal_word_copy(pal_word word, char *text, size_t room);

#endif
