// The latest state from the servo to whoever draws it: a triple buffer. The writer never waits, the
// reader gets the newest whole snapshot.
#ifndef PAL_HAPTICS_SNAPSHOT_H
#define PAL_HAPTICS_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "haptics/fault.h"
#include "sim/base/outcome.h"
#include "sim/base/pose.h"
#include "sim/base/triple.h"

enum {
    PAL_SNAPSHOT_R = 128,
    PAL_SNAPSHOT_HANDS = 4,
    PAL_SNAPSHOT_CONTACTS = 48, // of a hand
    PAL_SNAPSHOT_DENTS = 1024,  // vertices
    PAL_SNAPSHOT_RECENT = 512,  // ticks, a power of two
    PAL_SNAPSHOT_BINS = 64,     // of tick times, four to an octave
    PAL_SNAPSHOT_REGIONS = 16,
};

typedef struct pal_snapshot_contact { // one that bears
    float point[3], normal[3];        // m, unit out of the body
    float force[3];                   // N, on the tool
} pal_snapshot_contact;

typedef struct pal_snapshot_hand {
    pal_pose device; // where the hand has its device, as measured
    pal_pose tool;   // where the tool is: the proxy, which the body keeps outside
    uint32_t buttons;
    bool present;                               // the device answers
    double force[3], torque[3];                 // N, N m, as sent
    double wanted[3];                           // N, before passivity and safety
    int32_t touching;                           // points of contact that bear
    double contact_point[3], contact_normal[3]; // of the one that bears most
    double depth;                               // m
    double ledger;                              // J, of its passivity observer
    pal_fault_cause fault;                      // why the force is taken away
    pal_fault_cause softened;                   // why it is softened
    double heat;                                // 0..1, of the motors
    bool holds;                                 // it holds on to the surface,
    double held[3];                             // there: m
    int32_t contact_count;                      // of those below
    pal_snapshot_contact contact[PAL_SNAPSHOT_CONTACTS];
    float recent[PAL_SNAPSHOT_RECENT]; // N, sizes of the last forces: [tick % PAL_SNAPSHOT_RECENT]
} pal_snapshot_hand;

typedef struct pal_snapshot {
    uint64_t tick;
    double time;              // s, servo time
    double tick_us;           // compute time of the tick
    double late_us;           // how late it began
    bool paused;              //
    pal_outcome outcome;      // of this tick, all hands
    int32_t r;                // 0: a wall, or a tree of domains
    double q[PAL_SNAPSHOT_R]; // reduced coordinates
    // Of a tree of domains, in their order: place of the frame (3), its turn (9), and the domain's
    // coordinates. Readers may look at it until they ask for the next snapshot; NULL: at rest.
    int32_t domain_count; // 0: the body is no tree
    float *domain;
    int32_t hand_count;
    pal_snapshot_hand hand[PAL_SNAPSHOT_HANDS];
    double rate;      // of the body's time: 1, 1/2, ...; 0: paused
    double body_time; // s that the body has lived

    // Volume vertices that dents displace beside the coordinates, m; those beyond the room there is
    // are left out and counted. Of a tree: vertices of the domain's class, in its axes and size,
    // domain by domain.
    int32_t dent_count, dent_left_out;
    int32_t dent_domain[PAL_SNAPSHOT_DENTS]; // 0 of a body of one piece
    int32_t dent_vertex[PAL_SNAPSHOT_DENTS];
    float dent[PAL_SNAPSHOT_DENTS][3];

    double strain, kinetic;              // J, in the body
    double softer[PAL_SNAPSHOT_REGIONS]; // Young's modulus as baked / now, of the first regions

    // Since the start
    uint64_t missed;                      // deadlines
    uint64_t counted[PAL_OUTCOME_COUNT];  // ticks with that outcome
    double max_force;                     // N
    double max_tick_us;                   //
    uint32_t tick_bin[PAL_SNAPSHOT_BINS]; // compute times, from 0.25 us * 2^(bin / 4) on
} pal_snapshot;

// The longest time that falls into a bin of tick times, us.
double pal_snapshot_bin_us(int bin);

typedef struct pal_exchange {
    pal_snapshot slot[3];
    pal_triple turn;
} pal_exchange;

void pal_exchange_init(pal_exchange *exchange);
pal_snapshot *pal_exchange_back(pal_exchange *exchange); // to fill. Writer only. RT safe.
void pal_exchange_publish(pal_exchange *exchange);       // Writer only. RT safe.
// The newest snapshot, and whether it is another than last time. Reader only. RT safe.
const pal_snapshot *pal_exchange_latest(pal_exchange *exchange, bool *fresh);

#endif
