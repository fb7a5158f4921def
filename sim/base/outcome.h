// Outcomes: did it, but. Run-time functions do not fail; they return these bits, the servo counts
// them, and each has a written fall-back.
#ifndef PAL_BASE_OUTCOME_H
#define PAL_BASE_OUTCOME_H

#include <stdint.h>

#define PAL_OUTCOME_LIST(X)                                                                        \
    X(PAL_OUT_NOT_SPD, "step matrix indefinite", "diagonal shifted until it was not")              \
    X(PAL_OUT_NAN, "not a number", "state put back to the last good one, force zero")              \
    X(PAL_OUT_CLAMPED, "force clamped", "cut to the limit, direction kept")                        \
    X(PAL_OUT_SLEW, "force changed too fast", "change cut to the slew limit")                      \
    X(PAL_OUT_RAMP, "start-up ramp", "force scaled down until the hand is there")                  \
    X(PAL_OUT_OVERSPEED, "device too fast", "force zero until it is slow again")                   \
    X(PAL_OUT_STALE, "device data stale", "force held, then decayed, then a latched fault")        \
    X(PAL_OUT_PASSIVITY, "energy made", "damped or bounded by the passivity controller")           \
    X(PAL_OUT_LATE, "deadline missed", "counted, never caught up")                                 \
    X(PAL_OUT_BUDGET, "contact budget spent", "coarser level used, or sweeps ended above 1 um")    \
    X(PAL_OUT_LOG_FULL, "trace ring full", "tick dropped from the log")                            \
    X(PAL_OUT_DEVICE_LOST, "device lost", "force ramped to zero, fault latched")                   \
    X(PAL_OUT_SWUNG_UP, "tree made energy", "slowed to what was put in, exact inertia till calm")  \
    X(PAL_OUT_IMPLAUSIBLE, "reading that cannot be", "not taken; several latch a fault")           \
    X(PAL_OUT_SOFTENED, "force softened", "scaled down by the watchdog")                           \
    X(PAL_OUT_HOT, "motors near their heat", "force limited towards the continuous one")           \
    X(PAL_OUT_FAULT, "fault latched", "force ramped to zero until re-armed")                       \
    X(PAL_OUT_UNTOUCHED, "force without a touch", "an invariant: counted only, please report it")

// The bit numbers, and the bits.
enum pal_outcome_number {
#define PAL_OUTCOME_NUMBER(name, text, fallback) name##_NUMBER,
    PAL_OUTCOME_LIST(PAL_OUTCOME_NUMBER)
#undef PAL_OUTCOME_NUMBER
        PAL_OUTCOME_COUNT
};
enum pal_outcome_bit {
#define PAL_OUTCOME_BIT(name, text, fallback) name = 1 << name##_NUMBER,
    PAL_OUTCOME_LIST(PAL_OUTCOME_BIT)
#undef PAL_OUTCOME_BIT
};
typedef uint32_t pal_outcome;

// Marks what may be called on the servo thread: no allocation, lock, file, print, or system call.
// One exception: a tick reads the CPU time of its own thread when it begins and ends (0.2 us each
// on Linux itself, several in some containers), for the wall clock, which is read without a system
// call, would count what other programs take as its own.
#define PAL_RT

#endif
