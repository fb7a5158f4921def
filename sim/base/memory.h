// Memory for set-up and baking (never on the servo thread). Everything is 64-byte aligned, zeroed,
// and freed by free().
#ifndef PAL_BASE_MEMORY_H
#define PAL_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "sim/base/status.h"

// count * size zeroed bytes, or NULL with *err filled (overflow counts as out of memory). A count
// of 0 gives a valid pointer. Any thread.
void *pal_alloc(size_t count, size_t size, pal_err *err);

// `double *x = PAL_NEW(double, n, err);`
#define PAL_NEW(type, count, err) ((type *)pal_alloc((size_t)(count), sizeof(type), err))

// Room for one more in an array of `used` items of `size` bytes, of which *room fit now; grows by
// doubling.
pal_status pal_grow(void **array, size_t size, int64_t used, int64_t *room, pal_err *err);

// A copy of text on the heap, or NULL with *err filled.
char *pal_copy_text(const char *text, pal_err *err);

// Test hook: let `successes` more allocations pass, then fail every one; negative switches it off.
void pal_memory_fail_after(long successes);

#endif
