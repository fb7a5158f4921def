#include "sim/base/team.h"

#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sim/base/arithmetic.h"
#include "sim/base/clock.h"

static uint64_t pack(uint64_t number, int32_t count) {
    return number << 40 | (uint64_t)(uint32_t)count << 20;
}

// Takes items as long as there are any. All that tells whether there are is in one word: an item is
// taken only of the job that the word was read with. The caller begins with the first, the helper
// with the last: from call to call each mostly meets what it has in its own cache.
static void take_items(pal_team *team, int thread) {
    uint64_t job = atomic_load_explicit(&team->job, memory_order_acquire);
    while ((job & PAL_TEAM_ITEMS) < (job >> 20 & PAL_TEAM_ITEMS)) {
        const uint64_t first = job & PAL_TEAM_ITEMS, last = (job >> 20 & PAL_TEAM_ITEMS) - 1;
        const uint64_t rest = thread == 0 ? job + 1 : job - ((uint64_t)1 << 20);
        if (atomic_compare_exchange_weak_explicit(&team->job, &job, rest, memory_order_acq_rel,
                                                  memory_order_acquire)) {
            if (thread > 0) {
                pal_arithmetic_set(atomic_load_explicit(&team->control, memory_order_relaxed));
            }
            team->work(team->context, (int32_t)(thread == 0 ? first : last), thread);
            atomic_fetch_add_explicit(&team->done, 1, memory_order_acq_rel);
            job = atomic_load_explicit(&team->job, memory_order_acquire);
        }
    }
}

void pal_team_help(pal_team *team) {
    take_items(team, 1);
}

// The number of this thread.
static int own_number(void) {
    static _Thread_local int number;
    if (number == 0) {
        number = (int)syscall(SYS_gettid);
    }
    return number;
}

void pal_team_begin(pal_team *team) {
    atomic_store_explicit(&team->caller, own_number(), memory_order_relaxed);
    atomic_store_explicit(&team->control, pal_arithmetic(), memory_order_relaxed);
    atomic_store_explicit(&team->called_at, pal_seconds(), memory_order_relaxed);
    atomic_fetch_add_explicit(&team->open, 1, memory_order_release);
}

void pal_team_end(pal_team *team) {
    atomic_fetch_add_explicit(&team->shut, 1, memory_order_release);
}

void pal_team_set_patience(pal_team *team, double patience, pal_team_overdue overdue,
                           void *context) {
    team->patience = overdue != NULL ? patience : 0.0;
    team->overdue = overdue;
    team->overdue_context = context;
}

static bool is_done(pal_team *team, int32_t count) {
    return atomic_load_explicit(&team->done, memory_order_acquire) >= (uint32_t)count;
}

// The helper is at the last items; mostly it has done them in a moment. A caller that has lost its
// patience sleeps, too: it may hold the processor that the helper needs.
static void wait_for_helper(pal_team *team, int32_t count) {
    static const struct timespec moment = {.tv_nsec = 50000};
    double next = 0.0;
    bool overdue = false;
    while (!is_done(team, count)) {
        pal_team_pause();
        if (team->patience > 0.0) {
            const double now = pal_seconds();
            next = next == 0.0 ? now + team->patience : next;
            if (now >= next) {
                team->overdue(team->overdue_context);
                next += team->patience;
                overdue = true;
            }
        }
        if (overdue) {
            nanosleep(&moment, NULL);
        }
    }
}

void pal_team_run(pal_team *team, pal_team_work work, void *context, int32_t count) {
    if (team->helper == NULL || count < 2) {
        for (int32_t i = 0; i < count; i++) {
            work(context, i, 0);
        }
        return;
    }
    // All items of the last job are done, so nobody reads what it was
    team->work = work;
    team->context = context;
    atomic_store_explicit(&team->done, 0, memory_order_relaxed);
    team->number = (team->number + 1) & 0xffffff;
    atomic_store_explicit(&team->job, pack(team->number, count), memory_order_release);
    take_items(team, 0);
    wait_for_helper(team, count);
}
