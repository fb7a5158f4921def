#include "devices/faults.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

static const double JITTER_MAX = 0.1; // s
static const double INSTANT = 1e-9;   // s: times closer than this are the same

static const char *const names[] = {"unplug", "dropout", "jitter", "stuck", "silence", "stall"};
enum { KINDS = sizeof names / sizeof *names };

static const char *find_flaw(const pal_fault *fault) {
    if (!isfinite(fault->at) || !(fault->seconds >= 0.0)) {
        return "its time must be finite and its seconds not negative";
    }
    if (fault->kind == PAL_FAULT_STUCK && (fault->axis < 0 || fault->axis > 2)) {
        return "its axis must be 0, 1 or 2";
    }
    if (fault->kind == PAL_FAULT_JITTER && fault->seconds > JITTER_MAX) {
        return "its seconds must be at most 0.1";
    }
    return NULL;
}

pal_status pal_link_open(pal_link *link, const pal_sim_options *options, pal_err *err) {
    for (int i = 0; i < options->fault_count; i++) {
        const pal_fault *fault = &options->fault[i];
        if ((int)fault->kind < 0 || (int)fault->kind >= KINDS) {
            return pal_fail(err, PAL_ERR_USAGE, "fault %d: unknown kind %d", i, (int)fault->kind);
        }
        const char *flaw = find_flaw(fault);
        if (flaw != NULL) {
            return pal_fail(err, PAL_ERR_USAGE, "fault %d (%s): %s", i, names[fault->kind], flaw);
        }
    }
    link->fault = PAL_NEW(pal_fault, options->fault_count, err);
    if (link->fault == NULL) {
        return PAL_ERR_MEMORY;
    }
    link->fault_count = options->fault_count;
    if (options->fault_count > 0) {
        memcpy(link->fault, options->fault, (size_t)options->fault_count * sizeof *link->fault);
    }
    link->rng = pal_rng_make(options->seed, 2);
    link->arrived = (pal_device_state){.turn = {1.0}, .present = true};
    return PAL_OK;
}

void pal_link_close(pal_link *link) {
    free(link->fault);
    link->fault = NULL;
}

// Dropouts and stuck encoders pass; the others stay.
static bool at_work(const pal_fault *fault, double time) {
    bool passes = fault->kind == PAL_FAULT_DROPOUT || fault->kind == PAL_FAULT_STUCK;
    return time >= fault->at - INSTANT && (!passes || time < fault->at + fault->seconds - INSTANT);
}

bool pal_link_has(const pal_link *link, pal_fault_kind kind, int axis, double time) {
    for (int i = 0; i < link->fault_count; i++) {
        const pal_fault *fault = &link->fault[i];
        if (fault->kind == kind && (axis < 0 || fault->axis == axis) && at_work(fault, time)) {
            return true;
        }
    }
    return false;
}

static double draw_delay(pal_link *link, double time) {
    double delay = 0.0;
    for (int i = 0; i < link->fault_count; i++) {
        const pal_fault *fault = &link->fault[i];
        if (fault->kind == PAL_FAULT_JITTER && at_work(fault, time)) {
            delay += pal_rng_uniform(&link->rng, 0.0, fault->seconds);
        }
    }
    return delay;
}

static int slot(const pal_link *link, int k) {
    return (link->first + k) % PAL_LINK_WAITING;
}

static void drop_oldest(pal_link *link, int count) {
    link->first = slot(link, count);
    link->waiting -= count;
}

static void set_out(pal_link *link, double delay, const pal_device_state *reading) {
    if (link->waiting == PAL_LINK_WAITING) {
        drop_oldest(link, 1);
    }
    int last = slot(link, link->waiting++);
    link->ring[last].left = delay;
    link->ring[last].reading = *reading;
}

void pal_link_carry(pal_link *link, double time, double dt, const pal_device_state *reading) {
    if (pal_link_has(link, PAL_FAULT_UNPLUG, -1, time)) {
        link->arrived.present = false;
        return;
    }
    if (pal_link_has(link, PAL_FAULT_DROPOUT, -1, time) ||
        pal_link_has(link, PAL_FAULT_SILENCE, -1, time)) {
        link->waiting = 0;
        return;
    }
    for (int k = 0; k < link->waiting; k++) {
        link->ring[slot(link, k)].left -= dt;
    }
    set_out(link, draw_delay(link, time), reading);

    // The newest that has come counts; those before it are of no use any more.
    for (int k = link->waiting - 1; k >= 0; k--) {
        int here = slot(link, k);
        if (link->ring[here].left <= INSTANT) {
            const uint64_t number = link->arrived.sequence + 1;
            link->arrived = link->ring[here].reading;
            link->arrived.sequence = number;
            link->arrived.present = true;
            drop_oldest(link, k + 1);
            return;
        }
    }
}
