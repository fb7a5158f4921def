// Text files of one thing a line: '#' begins a comment, blanks at both ends and empty lines do not
// count. Set-up only, any thread.
#ifndef PAL_BASE_LINES_H
#define PAL_BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/base/status.h"

// What is made of a line, which it may cut into pieces; numbers count from 1 over all lines.
typedef pal_status (*pal_line_taker)(void *context, const char *path, long number, char *line,
                                     pal_err *err);

// Hands over the lines that count, in their order, until one fails. A file with NUL characters is
// refused.
pal_status pal_lines_read(const char *path, pal_line_taker take, void *context, pal_err *err);

// The same of text [size] with a NUL after it, which is cut into pieces; `path` names it in errors.
pal_status pal_lines_parse(const char *path, char *text, size_t size, pal_line_taker take,
                           void *context, pal_err *err);

// Cuts blanks off both ends.
char *pal_line_trim(char *text);

// `count` finite numbers with blanks between them, and nothing else.
bool pal_line_numbers(const char *text, double *number, int count);

#endif
