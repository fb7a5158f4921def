#define _GNU_SOURCE // sched_getaffinity
#include "sim/base/parallel.h"

#include <cblas.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int chosen_count;   // 0: as many as the process may use
static _Thread_local bool shares; // this thread works for a loop

static int available_processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) {
        return 1;
    }
    int count = CPU_COUNT(&set);
    return count < 1 ? 1 : count > PAL_MAX_THREADS ? PAL_MAX_THREADS : count;
}

int pal_thread_count(void) {
    int count = atomic_load(&chosen_count);
    return count > 0 ? count : available_processors();
}

void pal_set_thread_count(int count) {
    atomic_store(&chosen_count, count > PAL_MAX_THREADS ? PAL_MAX_THREADS : count < 0 ? 0 : count);
}

void pal_blas_share(bool all) {
    if (!shares) {
        openblas_set_num_threads(all ? pal_thread_count() : 1);
    }
}

typedef struct work {
    int count;
    atomic_int next;
    void (*body)(void *context, int index, int thread);
    void *context;
} work;

typedef struct worker {
    work *shared;
    int thread;
    pthread_t id;
} worker;

static void *run(void *argument) {
    worker *self = argument;
    work *w = self->shared;
    const bool within = shares;
    shares = true;
    for (int i = atomic_fetch_add(&w->next, 1); i < w->count; i = atomic_fetch_add(&w->next, 1)) {
        w->body(w->context, i, self->thread);
    }
    shares = within;
    return NULL;
}

void pal_parallel_for(int count, void (*body)(void *context, int index, int thread),
                      void *context) {
    work shared = {.count = count, .body = body, .context = context};
    int threads = shares ? 1 : pal_thread_count();
    threads = threads > count ? count : threads;
    worker workers[PAL_MAX_THREADS];
    pal_blas_share(false);
    int started = 1; // thread 0 is the caller; a thread that cannot be started is simply not used
    for (int t = 1; t < threads; t++, started++) {
        workers[t] = (worker){.shared = &shared, .thread = t};
        if (pthread_create(&workers[t].id, NULL, run, &workers[t]) != 0) {
            break;
        }
    }
    workers[0] = (worker){.shared = &shared, .thread = 0};
    run(&workers[0]);
    for (int t = 1; t < started; t++) {
        pthread_join(workers[t].id, NULL);
    }
}
