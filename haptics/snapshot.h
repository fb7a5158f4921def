// The latest state from the servo to whoever draws it: a triple buffer. The writer never waits, the
// reader gets the newest whole snapshot.
#ifndef PAL_HAPTICS_SNAPSHOT_H
#define PAL_HAPTICS_SNAPSHOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/outcome.h"
#include "sim/base/pose.h"

enum { PAL_SNAPSHOT_R = 128, PAL_SNAPSHOT_HANDS = 4 };

typedef struct pal_snapshot_hand {
    double device[3];                           // m, as measured
    pal_pose tool;                              // where the tool is
    double force[3], torque[3];                 // N, N m, as sent
    int32_t touching;                           // points of contact that bear
    double contact_point[3], contact_normal[3]; // of the one that bears most
    double depth;                               // m
} pal_snapshot_hand;

typedef struct pal_snapshot {
    uint64_t tick;
    double time;              // s, servo time
    double tick_us;           // compute time of the tick
    int32_t r;                //
    double q[PAL_SNAPSHOT_R]; // reduced coordinates
    int32_t hand_count;
    pal_snapshot_hand hand[PAL_SNAPSHOT_HANDS];
    double rate;      // of the body's time: 1, 1/2, ...; 0: paused
    double body_time; // s that the body has lived
} pal_snapshot;

typedef struct pal_exchange {
    pal_snapshot slot[3];
    _Alignas(64) atomic_uint middle; // index of the slot in the middle, plus a bit: fresh
    struct {                         // owned by the writer
        _Alignas(64) unsigned back;
    } writer;
    struct { // owned by the reader
        _Alignas(64) unsigned front;
    } reader;
} pal_exchange;

void pal_exchange_init(pal_exchange *exchange);
pal_snapshot *pal_exchange_back(pal_exchange *exchange); // to fill. Writer only. RT safe.
void pal_exchange_publish(pal_exchange *exchange);       // Writer only. RT safe.
// The newest snapshot, and whether it is another than last time. Reader only. RT safe.
const pal_snapshot *pal_exchange_latest(pal_exchange *exchange, bool *fresh);

#endif
