// Memory for set-up and baking (never on the servo thread). Everything is 64-byte aligned, zeroed,
// and freed by free().
#ifndef PAL_BASE_MEMORY_H
#define PAL_BASE_MEMORY_H

#include <stddef.h>

#include "sim/base/status.h"

// count * size zeroed bytes, or NULL with *err filled (overflow counts as out of memory). A count
// of 0 gives a valid pointer. Any thread.
void *pal_alloc(size_t count, size_t size, pal_err *err);

// `double *x = PAL_NEW(double, n, err);`
#define PAL_NEW(type, count, err) ((type *)pal_alloc((size_t)(count), sizeof(type), err))

// A copy of text on the heap, or NULL with *err filled.
char *pal_copy_text(const char *text, pal_err *err);

// Test hook: let `successes` more allocations pass, then fail every one; negative switches it off.
void pal_memory_fail_after(long successes);

#endif
