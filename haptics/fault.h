// Why the force of a hand was taken away and stays so until its user re-arms it.
#ifndef PAL_HAPTICS_FAULT_H
#define PAL_HAPTICS_FAULT_H

// What happened, and what to do about it.
#define PAL_FAULT_LIST(X)                                                                          \
    X(NONE, "none", "none", "")                                                                    \
    X(DEVICE_LOST, "device_lost", "the device was lost", "see that it is plugged in and powered")  \
    X(STALE, "stale", "the device sent no fresh readings", "see its cable and what else uses it")  \
    X(MISSED, "missed", "too many ticks were missed in a row", "see palpate doctor")               \
    X(LATE, "late", "too many deadlines were missed within a second", "see palpate doctor")        \
    X(READINGS, "readings", "the device sent readings that cannot be: jumps, or wrong velocities", \
      "calibrate it")                                                                              \
    X(VIBRATION, "vibration", "the force swung to and fro although it was softened",               \
      "give a softer wall or coupling, or hold more firmly")                                       \
    X(ENERGY, "energy", "the device made energy although the force was softened",                  \
      "give a softer wall or coupling, or its true device.delay")

typedef enum pal_fault_cause {
#define PAL_FAULT_ENTRY(name, key, text, remedy) PAL_CAUSE_##name,
    PAL_FAULT_LIST(PAL_FAULT_ENTRY)
#undef PAL_FAULT_ENTRY
        PAL_CAUSE_COUNT
} pal_fault_cause;

typedef struct pal_fault_words {
    const char *key;    // "device_lost"
    const char *text;   // what happened
    const char *remedy; // what to do
} pal_fault_words;

// An unknown number has the words of NONE.
const pal_fault_words *pal_fault_say(unsigned cause);

#endif
