// What the hand feels of its tool. The tool itself knows the force of the body on it (sim/contact/
// tool.h); on the way to the hand come
//
//     a damper     B = K (T/2 + t_d), K the stiffness felt now, between the hand and what its force
//                  moves away: F + B (speed into the body - that of the body) is the force half a
//                  period and the actuator's delay t_d later, so it takes out what sample-and-hold
//                  and delay put in, no more (FEEL.md 3), and never pulls. A hand that carries a
//                  free body along feels the body's own force
//     saturation   smooth, at the device's largest force: no edge is felt where it sets in
//
// and likewise for the torque, which a device that makes none does not get.
#ifndef PAL_HAPTICS_COUPLING_H
#define PAL_HAPTICS_COUPLING_H

#include "devices/device.h"
#include "sim/contact/tool.h"

typedef struct pal_coupling {
    double dt, hold;         // s, T; T/2 + t_d
    double max_force;        // N; 0: no limit
    double max_damping;      // N s/m that the device bears
    double max_torque;       // N m; 0: it makes none
    double max_turn_damping; // N m s/rad
} pal_coupling;

void pal_coupling_init(pal_coupling *coupling, const pal_device_limits *limits, double dt,
                       double delay);

// The stiffness that the hand meets along the tool's force, N/m: the body and the coupling in
// series. RT safe.
double pal_coupling_felt(const pal_tool *tool);

// The force on a hand that moves with velocity v, N. RT safe.
void pal_coupling_force(const pal_coupling *coupling, const pal_tool *tool, const double v[3],
                        double force[3]);

// The torque on a hand that turns with `spin`, N m. RT safe.
void pal_coupling_torque(const pal_coupling *coupling, const pal_tool *tool, const double spin[3],
                         double torque[3]);

// Shortens a vector smoothly to less than `limit`: unchanged below 0.8 of it. RT safe.
void pal_coupling_saturate(double limit, double force[3]);

#endif
