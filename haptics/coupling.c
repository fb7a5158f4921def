// p the tool, x, v the device, n the normal, s how far the tool moves along n:
//
//     K_c (n.(x - p) - s) + k (depth - s) = 0
#include "haptics/coupling.h"

#include <string.h>

#include "sim/base/vec3.h"

void pal_coupling_init(pal_coupling *coupling, double stiffness, double damping) {
    *coupling = (pal_coupling){.stiffness = stiffness, .damping = damping};
}

// The tool's rate along the normal, v_n K_c / (K_c + k), brought near enough to v_n that the damper
// stays below the spring's force.
static double normal_rate(const pal_coupling *coupling, double v_n, double k, double spring_force) {
    double rate = v_n * coupling->stiffness / (coupling->stiffness + k);
    double damper_force = coupling->damping * fabs(rate - v_n);
    return damper_force > spring_force ? v_n + (rate - v_n) * (spring_force / damper_force) : rate;
}

void pal_coupling_move(pal_coupling *coupling, const double x[3], const double v[3], bool touching,
                       const double normal[3], double k, double depth) {
    double *p = coupling->tool, *tool_velocity = coupling->tool_velocity;
    double to_device[3] = {0.0, 0.0, 0.0};
    if (coupling->started) {
        pal_sub3(x, p, to_device);
    }
    coupling->started = true;

    // Free: the tool is the device
    memcpy(p, x, sizeof coupling->tool);
    memcpy(tool_velocity, v, sizeof coupling->tool_velocity);
    double depth_of_device = touching ? depth - pal_dot3(normal, to_device) : 0.0;
    if (!(depth_of_device > 0.0 && k > 0.0)) {
        return;
    }

    // In contact: the device's depth is shared between the coupling and the contact
    double lift = depth_of_device / (1.0 + coupling->stiffness / k);
    double v_n = pal_dot3(normal, v);
    double rate = normal_rate(coupling, v_n, k, coupling->stiffness * lift);
    for (int c = 0; c < 3; c++) {
        p[c] += lift * normal[c];
        tool_velocity[c] += (rate - v_n) * normal[c];
    }
}

void pal_coupling_force(const pal_coupling *coupling, const double x[3], const double v[3],
                        double force[3]) {
    for (int c = 0; c < 3; c++) {
        force[c] = coupling->stiffness * (coupling->tool[c] - x[c]) +
                   coupling->damping * (coupling->tool_velocity[c] - v[c]);
    }
}
