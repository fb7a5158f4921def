#include "haptics/coupling.h"

#include <math.h>
#include <string.h>

static const double knee = 0.8; // of the limit: below, nothing is changed

void pal_coupling_init(pal_coupling *coupling, const pal_device_limits *limits, double dt,
                       double delay) {
    *coupling = (pal_coupling){.dt = dt,
                               .max_force = limits->max_force,
                               .hold = 0.5 * dt + delay,
                               .max_damping = limits->max_damping,
                               .max_torque = limits->max_torque,
                               .max_turn_damping = limits->max_turn_damping};
}

// A body and the coupling; a tool with mass has one of fixed stiffness.
static double in_series(double body, const pal_tool_options *o, double fixed, double compliance) {
    const double coupling = o->mass > 0.0 ? 1.0 / fixed : compliance;
    return body > 0.0 ? 1.0 / (1.0 / body + coupling) : 0.0;
}

double pal_coupling_felt(const pal_tool *tool) {
    return in_series(tool->stiffness, &tool->options, tool->options.stiffness, tool->compliance);
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

double pal_coupling_yields(const pal_coupling *coupling, const pal_tool *tool) {
    const double *f = tool->options.mass > 0.0 ? tool->felt : tool->force, size = pal_norm3(f);
    if (!(size > 0.0)) {
        return 0.0;
    }
    return tool->options.mass > 0.0
               ? pal_dot3(tool->velocity, f) / size
               : (1.0 - tool->given.share) * tool->given.work / (size * coupling->dt);
}

// With a damper along it that never turns it round; `yields`: m/s, how fast what is leaned on goes
// away by itself.
static void damp(const double vector[3], double b, const double v[3], double yields,
                 double out[3]) {
    const double size = pal_norm3(vector);
    memcpy(out, vector, 3 * sizeof *out);
    if (size > 0.0) {
        const double speed = pal_dot3(vector, v) / size - yields; // away from the body
        const double damper = fmin(fmax(-b * speed, -size), size);
        for (int c = 0; c < 3; c++) {
            out[c] += damper * vector[c] / size;
        }
    }
}

void pal_coupling_force(const pal_coupling *coupling, const pal_tool *tool, const double v[3],
                        double force[3]) {
    const double b = pal_coupling_felt(tool) * coupling->hold;
    damp(tool->felt, fmin(b, coupling->max_damping), v, pal_coupling_yields(coupling, tool), force);
    pal_coupling_saturate(coupling->max_force, force);
}

void pal_coupling_torque(const pal_coupling *coupling, const pal_tool *tool, const double spin[3],
                         double torque[3]) {
    const double b = in_series(tool->turn_stiffness, &tool->options, tool->options.turn_stiffness,
                               tool->turn_compliance) *
                     coupling->hold;
    memset(torque, 0, 3 * sizeof *torque);
    if (coupling->max_torque > 0.0) {
        damp(tool->felt_torque, fmin(b, coupling->max_turn_damping), spin, 0.0, torque);
        pal_coupling_saturate(coupling->max_torque, torque);
    }
}
