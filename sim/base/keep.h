// A place where results of long computations are kept from one run of the program to the next,
// under the hash of everything that they depend on. Whoever opens a file knows the place; whoever
// computes knows the hash and the bytes.
#ifndef PAL_BASE_KEEP_H
#define PAL_BASE_KEEP_H

#include <stddef.h>

// Both from any thread, set-up only.
typedef struct pal_keep {
    // What is kept under a key of that kind, a heap array (free() it) of *size bytes from an
    // address that is a multiple of 64; NULL: nothing.
    char *(*take)(void *context, const char *key, const char *kind, size_t *size);
    // Keeps it from now on. Where that cannot be, the next run computes it again.
    void (*give)(void *context, const char *key, const char *kind, const void *data, size_t size);
    // What a user should know of it, in a line. NULL: nobody listens.
    void (*tell)(void *context, const char *text);
    void *context;
} pal_keep;

#endif
