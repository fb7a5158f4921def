#include "haptics/coupling.h"

#include <math.h>
#include <string.h>

static const double knee = 0.8; // of the limit: below, nothing is changed

void pal_coupling_init(pal_coupling *coupling, const pal_device_limits *limits, double dt,
                       double delay) {
    *coupling = (pal_coupling){.max_force = limits->max_force,
                               .hold = 0.5 * dt + delay,
                               .max_damping = limits->max_damping};
}

double pal_coupling_felt(const pal_tool *tool) {
    return tool->stiffness > 0.0 ? 1.0 / (1.0 / tool->stiffness + tool->compliance) : 0.0;
}

void pal_coupling_saturate(double limit, double force[3]) {
    const double size = pal_norm3(force);
    if (!(limit > 0.0) || !(size > knee * limit)) {
        return;
    }
    const double over = (size / limit - knee) / (1.0 - knee);
    const double scale = limit * (knee + (1.0 - knee) * tanh(over)) / size;
    for (int c = 0; c < 3; c++) {
        force[c] *= scale;
    }
}

void pal_coupling_force(const pal_coupling *coupling, const pal_tool *tool, const double v[3],
                        double force[3]) {
    const double size = pal_norm3(tool->force);
    memcpy(force, tool->force, sizeof tool->force);
    if (size > 0.0) {
        const double speed = pal_dot3(tool->force, v) / size; // away from the body
        const double b = fmin(pal_coupling_felt(tool) * coupling->hold, coupling->max_damping);
        const double damper = fmin(fmax(-b * speed, -size), size);
        for (int c = 0; c < 3; c++) {
            force[c] += damper * tool->force[c] / size;
        }
    }
    pal_coupling_saturate(coupling->max_force, force);
}
