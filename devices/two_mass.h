// One axis of a hand that holds a device: the two masses of dev_sim.h, stepped exactly.
//
// The state is z = (x, x', x_h, x_h'). While the actuator's force and the state of the friction
// (stuck, or sliding one way) do not change, z' = A z + g with g linear in time, and z is a power
// series in time; enough terms are taken that the rest is below rounding. The series also tells
// when the device stops or breaks away, which ends a piece.
#ifndef PAL_DEVICES_TWO_MASS_H
#define PAL_DEVICES_TWO_MASS_H

#include "devices/dev_sim.h"

typedef struct pal_two_mass {
    pal_hand hand;
    double b_d, friction;    // N s/m, N
    double inv_m_d, inv_m_h; // 1/kg; 0 for no hand
    double step_max;         // s, longest step
    int order;               // terms of the series
} pal_two_mass;

// Fails when the system is so stiff that it would need absurdly short steps.
pal_status pal_two_mass_init(pal_two_mass *model, const pal_sim_options *options, pal_err *err);

// h <= step_max seconds; the intent goes straight from u0 to u1 (m). RT safe.
void pal_two_mass_step(const pal_two_mass *model, double z[4], double force, double u0, double u1,
                       double h);

#endif
