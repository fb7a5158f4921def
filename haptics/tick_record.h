// What is kept of every tick: the row of a trace, one for each hand.
#ifndef PAL_HAPTICS_TICK_RECORD_H
#define PAL_HAPTICS_TICK_RECORD_H

#include "sim/base/outcome.h"

typedef struct pal_tick_record {
    uint64_t tick;
    double time;        // s, servo time = tick * dt
    uint32_t hand;      // whose row it is, from 0
    double position[3]; // m, device as measured
    double velocity[3]; // m/s
    double turn[4];     // of the device, w, x, y, z
    double spin[3];     // rad/s
    uint32_t buttons;
    uint32_t present;  // 1 or 0
    uint64_t sequence; // of the device reading
    double tool[3];    // m
    double force[3];   // N, as sent to the device
    double torque[3];  // N m, likewise
    double wanted[3];  // N, before safety and passivity
    double point[3];   // contact on the surface (zeros when not touching)
    double normal[3];
    double depth;   // m
    double strain;  // J, when the tick began
    double kinetic; // J
    double ledger;  // J, energy ledger of the passivity observer
    pal_outcome outcome;
    uint32_t touching; // points of contact that bear
    uint32_t missed;   // deadlines missed before this tick
    uint32_t commands; // taken at this tick: 1 << pal_command_kind
    double compute_us; // measured, not part of the hash
    double late_us;    // how late the tick began, not part of the hash
    // What of the force is friction, for measuring it, and faults; follows from the rest, not part
    // of the hash
    double push[3]; // N, of all touches along their normals
    double grip[3]; // N, along the way over the surface: what would rub against it with a friction
                    // of 1
    double slipped; // m over the surface since the tool stuck last
    uint64_t fault; // why the force is taken away (pal_fault_cause); 0: it is not
} pal_tick_record;

#endif
