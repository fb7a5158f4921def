// The virtual coupling between device and tool: a spring and damper. The tool is massless: each
// tick it moves to where the coupling and the contact are in balance (static virtual coupling,
// FEEL.md 2).
//
//     F = K_c (x_tool - x_dev) + B_c (v_tool - v_dev)      on the hand
//
// Against a contact of stiffness k the hand feels K_c k / (K_c + k) along the normal; elsewhere the
// tool is where the device is and there is no force.
#ifndef PAL_HAPTICS_COUPLING_H
#define PAL_HAPTICS_COUPLING_H

#include <stdbool.h>

#include "sim/base/outcome.h"

typedef struct pal_coupling {
    double stiffness, damping; // K_c, B_c
    double tool[3];            // m
    double tool_velocity[3];   // m/s
    bool started;
} pal_coupling;

void pal_coupling_init(pal_coupling *coupling, double stiffness, double damping);

// Moves the tool for a device at x, v, given last tick's contact (unit normal out of the body,
// stiffness k, depth at the present tool place; touching = false: none): the balance of K_c and k
// along the normal, freely elsewhere. The tool's velocity is the rate of that balance with the
// surface at rest, held where the damper would outdo the spring: so the damper only dissipates,
// never pulls, and sets in without a step. RT safe.
void pal_coupling_move(pal_coupling *coupling, const double x[3], const double v[3], bool touching,
                       const double normal[3], double k, double depth);

// The force on the hand, N. RT safe.
void pal_coupling_force(const pal_coupling *coupling, const double x[3], const double v[3],
                        double force[3]);

#endif
