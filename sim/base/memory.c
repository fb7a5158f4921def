#include "sim/base/memory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static atomic_long allowed = -1; // < 0: no limit

void pal_memory_fail_after(long successes) {
    atomic_store(&allowed, successes);
}

static int denied(void) {
    if (atomic_load(&allowed) < 0) {
        return 0;
    }
    if (atomic_fetch_sub(&allowed, 1) > 0) {
        return 0;
    }
    atomic_store(&allowed, 0);
    return 1;
}

// Large arrays in large pages, where the kernel gives them: a model of hundreds of megabytes spends
// more time on the faults of small ones than on reading its file.
static void ask_for_large_pages(void *memory, size_t bytes) {
#ifdef MADV_HUGEPAGE
    const uintptr_t page = (uintptr_t)2 << 20;
    const uintptr_t first = ((uintptr_t)memory + page - 1) / page * page;
    const uintptr_t end = ((uintptr_t)memory + bytes) / page * page;
    if (end > first) {
        madvise((void *)first, end - first, MADV_HUGEPAGE);
    }
#else
    (void)memory;
    (void)bytes;
#endif
}

void *pal_alloc(size_t count, size_t size, pal_err *err) {
    const size_t align = 64;
    if (size != 0 && count > (SIZE_MAX - align) / size) {
        pal_fail(err, PAL_ERR_MEMORY, "out of memory: %zu items of %zu bytes asked for", count,
                 size);
        return NULL;
    }
    size_t bytes = (count * size + align - 1) / align * align;
    bytes = bytes == 0 ? align : bytes;
    void *memory = denied() ? NULL : aligned_alloc(align, bytes);
    if (memory == NULL) {
        pal_fail(err, PAL_ERR_MEMORY,
                 "out of memory: %zu bytes asked for; a coarser mesh needs less", bytes);
        return NULL;
    }
    ask_for_large_pages(memory, bytes);
    return memset(memory, 0, bytes);
}

char *pal_copy_text(const char *text, pal_err *err) {
    size_t length = strlen(text) + 1;
    char *copy = PAL_NEW(char, length, err);
    return copy == NULL ? NULL : memcpy(copy, text, length);
}

pal_status pal_grow(void **array, size_t size, int64_t used, int64_t *room, pal_err *err) {
    if (used < *room) {
        return PAL_OK;
    }
    int64_t more = *room < 16 ? 16 : 2 * *room;
    void *longer = pal_alloc((size_t)more, size, err);
    if (longer == NULL) {
        return PAL_ERR_MEMORY;
    }
    if (used > 0) {
        memcpy(longer, *array, size * (size_t)used);
    }
    free(*array);
    *array = longer;
    *room = more;
    return PAL_OK;
}
