// Both cores for baking. Never on the servo thread.
#ifndef PAL_BASE_PARALLEL_H
#define PAL_BASE_PARALLEL_H

#include <stdbool.h>

enum { PAL_MAX_THREADS = 64 };

// How many threads bake-time loops use: the processors this process may run on, unless set.
int pal_thread_count(void);
void pal_set_thread_count(int count); // 0: back to the default

// Whether BLAS may use all threads, or one (as it should except around large products and factors:
// its threads wait by spinning, and small products pay for it).
void pal_blas_share(bool all);

// body(context, index, thread) for every index in 0..count-1, each once, handed out in order to
// pal_thread_count() threads (thread is 0..pal_thread_count()-1). Returns when all are done. BLAS
// itself is single-threaded then and after. Where body calls it again, that loop runs on its thread
// alone.
void pal_parallel_for(int count, void (*body)(void *context, int index, int thread), void *context);

#endif
