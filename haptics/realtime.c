#define _GNU_SOURCE // processor sets
#include "haptics/realtime.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "sim/base/arithmetic.h"
#include "sim/base/status.h"

enum { PRIORITY = 80, NICENESS = -11, STACK_BYTES = 256 * 1024 };

pal_realtime_options pal_realtime_defaults(void) {
    return (pal_realtime_options){.priority = PRIORITY, .pin = true, .lock = true};
}

PAL_PRINTF(3, 4) static void tell(pal_grant *grant, bool granted, const char *format, ...) {
    grant->granted = granted;
    va_list args;
    va_start(args, format);
    vsnprintf(grant->text, sizeof grant->text, format, args);
    va_end(args);
}

// ---- Scheduling ---------------------------------------------------------------------------------

// 0, or the error.
static int ask_fifo(int priority) {
    struct sched_param parameter = {.sched_priority = priority};
    return pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameter);
}

// The highest priority that the limits of the user allow, at most the one wanted.
static int allowed_priority(int wanted) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_RTPRIO, &limit) != 0 || limit.rlim_cur >= (rlim_t)wanted) {
        return wanted;
    }
    return (int)limit.rlim_cur;
}

static pal_schedule set_schedule(int priority, pal_grant *grant) {
    // Sleeps end when they should, not up to 50 us later
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    if (priority == 0) {
        tell(grant, true, "as it was: real time was not asked for");
        return PAL_SCHEDULE_NORMAL;
    }
    int error = ask_fifo(priority);
    if (error == 0) {
        tell(grant, true, "SCHED_FIFO, priority %d", priority);
        return PAL_SCHEDULE_FIFO;
    }
    int allowed = allowed_priority(priority);
    if (allowed > 0 && allowed < priority && ask_fifo(allowed) == 0) {
        tell(grant, false, "SCHED_FIFO, priority %d instead of %d: the limit rtprio is that",
             allowed, priority);
        return PAL_SCHEDULE_FIFO;
    }
    // On Linux this is the niceness of the calling thread alone
    bool nice = setpriority(PRIO_PROCESS, 0, NICENESS) == 0;
    const char *advice = "put '@audio - rtprio 90' into /etc/security/limits.d/ and join the group,"
                         " or run as root";
    if (nice) {
        tell(grant, false, "nice %d, no SCHED_FIFO (%s): %s", NICENESS, strerror(error), advice);
    } else {
        tell(grant, false, "normal, no SCHED_FIFO (%s), no nice: %s", strerror(error), advice);
    }
    return nice ? PAL_SCHEDULE_NICE : PAL_SCHEDULE_NORMAL;
}

// ---- The processor ------------------------------------------------------------------------------

static void set_affinity(bool pin, pal_schedule schedule, pal_grant *grant) {
    cpu_set_t set;
    if (!pin) {
        tell(grant, true, "any processor: pinning was not asked for");
        return;
    }
    if (schedule != PAL_SCHEDULE_FIFO) {
        tell(grant, false,
             "any processor: without SCHED_FIFO a fixed one would only be waited for");
        return;
    }
    if (sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) < 2) {
        tell(grant, false, "not pinned: the process has one processor only");
        return;
    }
    int last = CPU_SETSIZE - 1;
    while (!CPU_ISSET(last, &set)) {
        last--;
    }
    CPU_ZERO(&set);
    CPU_SET(last, &set);
    int error = pthread_setaffinity_np(pthread_self(), sizeof set, &set);
    if (error == 0) {
        tell(grant, true, "processor %d", last);
    } else {
        tell(grant, false, "any processor: %s", strerror(error));
    }
}

// ---- Memory -------------------------------------------------------------------------------------

// Raises the limit as far as the user may.
static void raise_lock_limit(struct rlimit *limit) {
    struct rlimit wanted = {RLIM_INFINITY, RLIM_INFINITY};
    if (setrlimit(RLIMIT_MEMLOCK, &wanted) != 0 && getrlimit(RLIMIT_MEMLOCK, limit) == 0) {
        limit->rlim_cur = limit->rlim_max;
        setrlimit(RLIMIT_MEMLOCK, limit);
    }
    getrlimit(RLIMIT_MEMLOCK, limit);
}

// Whether more than the limit can be locked: there is none, or this process is above it. Tried on
// pages that are never touched.
static bool may_lock_all(const struct rlimit *limit) {
    if (limit->rlim_cur == RLIM_INFINITY) {
        return true;
    }
    size_t size = (size_t)limit->rlim_cur + 65536;
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) {
        return false;
    }
    bool locked = mlock2(pages, size, MLOCK_ONFAULT) == 0;
    munmap(pages, size);
    return locked;
}

// Under a limit only what is there is locked: if what is to come were locked too, allocations would
// begin to fail at the limit.
static void lock_memory(bool lock, pal_grant *grant) {
    if (!lock) {
        tell(grant, true, "not locked: it was not asked for");
        return;
    }
    // Freed memory stays with the process, and is not a mapping of its own
    mallopt(M_TRIM_THRESHOLD, -1);
    mallopt(M_MMAP_MAX, 0);
    struct rlimit limit = {0, 0};
    raise_lock_limit(&limit);
    bool unlimited = may_lock_all(&limit);
    const char *advice = "put '@audio - memlock unlimited' into /etc/security/limits.d/";
    if (mlockall(unlimited ? MCL_CURRENT | MCL_FUTURE : MCL_CURRENT) != 0) {
        tell(grant, false, "not locked (%s; limit %llu KiB): %s", strerror(errno),
             (unsigned long long)limit.rlim_cur / 1024, advice);
    } else if (unlimited) {
        tell(grant, true, "locked, present and to come");
    } else {
        tell(grant, false, "locked as far as present (limit %llu KiB): %s",
             (unsigned long long)limit.rlim_cur / 1024, advice);
    }
}

// Touches the stack below, so that no tick has to wait for a page of it.
static void touch_stack(pal_grant *grant) {
    volatile unsigned char stack[STACK_BYTES];
    for (size_t i = 0; i < sizeof stack; i += 1024) {
        stack[i] = 0;
    }
    tell(grant, stack[0] == 0, "%d KiB touched", STACK_BYTES / 1024);
}

// ---- Arithmetic ---------------------------------------------------------------------------------

bool pal_realtime_flush_denormals(bool flush) {
    const unsigned long control = pal_arithmetic(), bits = PAL_ARITHMETIC_FLUSH;
    pal_arithmetic_set(flush ? control | bits : control & ~bits);
    return bits != 0 || !flush;
}

static void flush_denormals(pal_grant *grant) {
    bool done = pal_realtime_flush_denormals(true);
    tell(grant, done, done ? "flushed to zero" : "as usual: no switch for them on this processor");
}

// ---- All of it ----------------------------------------------------------------------------------

static const char *const names[PAL_RIGHTS] = {"scheduling", "processor", "memory", "stack",
                                              "denormals"};

void pal_realtime_setup(const pal_realtime_options *options, pal_realtime_report *report) {
    pal_grant *grant = report->grant;
    memset(report, 0, sizeof *report);
    report->schedule = set_schedule(options->priority, &grant[PAL_RIGHT_SCHEDULE]);
    set_affinity(options->pin, report->schedule, &grant[PAL_RIGHT_AFFINITY]);
    lock_memory(options->lock, &grant[PAL_RIGHT_MEMORY]);
    touch_stack(&grant[PAL_RIGHT_STACK]);
    flush_denormals(&grant[PAL_RIGHT_DENORMALS]);
    report->all = true;
    for (int right = 0; right < PAL_RIGHTS; right++) {
        grant[right].name = names[right];
        report->all = report->all && grant[right].granted;
    }
}

typedef struct probe {
    const pal_realtime_options *options;
    pal_realtime_report *report;
} probe;

static void *run_probe(void *argument) {
    probe *p = argument;
    pal_realtime_setup(p->options, p->report);
    return NULL;
}

void pal_realtime_probe(const pal_realtime_options *options, pal_realtime_report *report) {
    probe p = {options, report};
    pthread_t thread;
    int error = pthread_create(&thread, NULL, run_probe, &p);
    if (error != 0) {
        memset(report, 0, sizeof *report);
        for (int right = 0; right < PAL_RIGHTS; right++) {
            report->grant[right].name = names[right];
            tell(&report->grant[right], false, "unknown: no thread (%s)", strerror(error));
        }
        return;
    }
    pthread_join(thread, NULL);
    munlockall();
}
