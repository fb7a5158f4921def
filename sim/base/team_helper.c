// The second thread of a team: when it is awake, and how it is scheduled.
#define _GNU_SOURCE // sched_getaffinity
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "sim/base/clock.h"
#include "sim/base/memory.h"
#include "sim/base/team.h"

static const double spin = 60e-6, early = 80e-6; // s: waits so long awake; wakes so much before
static const double nap = 200e-6, rest = 2e-3;   // s: where no pace is known; where nobody calls
static const double slowest = 20e-3;             // s, between calls that are a pace

static void sleep_until(double time) {
    const double left = time - pal_seconds();
    if (left > 0.0) {
        const struct timespec for_ = {.tv_sec = (time_t)left,
                                      .tv_nsec = (long)(1e9 * (left - (double)(time_t)left))};
        nanosleep(&for_, NULL);
    }
}

static bool is_called(pal_team *team) {
    return atomic_load_explicit(&team->open, memory_order_acquire) !=
           atomic_load_explicit(&team->shut, memory_order_acquire);
}

// Sleeps between calls: by the pace of the last two, or for a while.
static void sleep_between(double begun, double pace, double ended) {
    const double now = pal_seconds();
    if (now - ended < spin) {
        pal_team_pause();
    } else if (pace > 0.0 && now < begun + pace - early) {
        sleep_until(begun + pace - early);
    } else if (pace > 0.0 && now < begun + pace + early) {
        pal_team_pause();
    } else {
        sleep_until(now + (now - ended < slowest ? nap : rest));
    }
}

// Not on the processor that the caller is bound to, if there is another.
static void make_way(int caller) {
    cpu_set_t of_caller, own;
    if (sched_getaffinity(caller, sizeof of_caller, &of_caller) != 0 ||
        sched_getaffinity(0, sizeof own, &own) != 0 || CPU_COUNT(&of_caller) != 1) {
        return;
    }
    for (int k = 0; k < CPU_SETSIZE; k++) {
        if (CPU_ISSET(k, &of_caller)) {
            CPU_CLR(k, &own);
        }
    }
    if (CPU_COUNT(&own) > 0) {
        sched_setaffinity(0, sizeof own, &own);
    }
}

// Scheduled as the caller is, as far as the system allows: what was not granted stays as it was.
static void follow(int caller) {
    const int policy = sched_getscheduler(caller);
    struct sched_param parameter;
    if (policy < 0 || sched_getparam(caller, &parameter) != 0) {
        return; // it is gone
    }
    if (parameter.sched_priority > 1) {
        parameter.sched_priority--;
    }
    pthread_setschedparam(pthread_self(), policy, &parameter);
    if (policy == SCHED_OTHER) {
        setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, (id_t)caller)); // of this thread
    }
    make_way(caller);
}

static void *help(void *argument) {
    pal_team *team = argument;
    int followed = 0;
    double begun = 0.0, pace = 0.0, ended = pal_seconds();
    bool called = false;
    while (!atomic_load_explicit(&team->quit, memory_order_acquire)) {
        if (is_called(team)) {
            const int caller = atomic_load_explicit(&team->caller, memory_order_relaxed);
            if (!called) {
                // However late the helper has come, the next call is expected by the caller's pace
                const double at = atomic_load_explicit(&team->called_at, memory_order_relaxed);
                pace = at - begun < slowest ? at - begun : 0.0;
                begun = at;
                called = true;
            }
            if (caller != followed) {
                follow(caller);
                followed = caller;
            }
            pal_team_help(team);
            pal_team_pause();
        } else {
            ended = called ? pal_seconds() : ended;
            called = false;
            sleep_between(begun, pace, ended);
        }
    }
    return NULL;
}

pal_status pal_team_open(pal_team *team, bool two, pal_err *err) {
    memset(team, 0, sizeof *team);
    if (!two) {
        return PAL_OK;
    }
    pthread_t *thread = PAL_NEW(pthread_t, 1, err);
    if (thread == NULL) {
        return PAL_ERR_MEMORY;
    }
    team->helper = thread;
    if (pthread_create(thread, NULL, help, team) != 0) {
        free(thread);
        team->helper = NULL;
        return pal_fail(err, PAL_ERR_MEMORY, "no second thread could be started");
    }
    return PAL_OK;
}

void pal_team_close(pal_team *team) {
    if (team->helper != NULL) {
        atomic_store_explicit(&team->quit, true, memory_order_release);
        pthread_join(*(pthread_t *)team->helper, NULL);
        free(team->helper);
        team->helper = NULL;
    }
}
