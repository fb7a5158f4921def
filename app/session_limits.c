// What a device can render stably (haptics/feel/stability.h) bounds what the scene asks for: a wall
// or a coupling that its delay, its mass and the hand that holds it do not bear is rendered softer,
// and that is told. The border is that of the loop with the scene's hand and, for swings of 0.1
// m/s, the device's friction; of it PAL_COUPLING_SHARE is taken, for hands differ.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "app/session.h"
#include "devices/dev_sim.h"
#include "haptics/feel/stability.h"

static void note(pal_session *s, const char *format, ...) {
    va_list rest;
    va_start(rest, format);
    if (s->note_count < PAL_SESSION_NOTES) {
        vsnprintf(s->note[s->note_count++], sizeof s->note[0], format, rest);
    }
    va_end(rest);
}

// The loop of hand h as the theory sees it.
static pal_wall_plant plant_of(const pal_session *s, int32_t h) {
    static const double swing = 0.1; // m/s
    const pal_scene_live *live = pal_scene_live_of(&s->scene, h);
    const pal_device_limits *limits = &s->device[h].limits;
    pal_sim_options sim;
    pal_sim_defaults(&sim, limits);
    const pal_wall_plant plant = {.dt = s->options.dt,
                                  .delay = s->options.delay,
                                  .mass = limits->mass,
                                  .damping = sim.device_damping,
                                  .friction = isnan(live->friction) ? sim.friction : live->friction,
                                  .velocity_filter = sim.velocity_filter,
                                  .hand = live->hand};
    return pal_stability_damped(&plant, swing);
}

// What is rendered of a damper and a spring that the scene asks for.
static void bound(const pal_wall_plant *plant, double *K, double *B) {
    *B = fmin(*B, PAL_COUPLING_SHARE * pal_stability_largest_damper(plant));
    *K = fmin(*K, PAL_COUPLING_SHARE * pal_stability_border(plant, *B));
}

static void tell(pal_session *s, int32_t h, const char *what, double asked, double given) {
    const pal_device_limits *limits = &s->device[h].limits;
    if (given < asked) {
        note(
            s,
            "the %s is rendered with %.4g N/m in the place of %.4g N/m, %.1f of what a %s bears in "
            "this hand with %.3g ms of delay (palpate selftest --device %s)",
            what, given, asked, PAL_COUPLING_SHARE, limits->name, 1e3 * s->options.delay,
            limits->name);
    } else if (limits->max_stiffness > 0.0 && given > limits->max_stiffness) {
        note(s, "the %s of %.4g N/m is stiffer than the maker of the %s allows (%.4g N/m)", what,
             given, limits->name, limits->max_stiffness);
    }
}

static void bound_wall(pal_session *s) {
    pal_wall *wall = &s->options.wall;
    const double asked = wall->stiffness;
    for (int32_t h = 0; h < s->hand_count; h++) {
        const pal_wall_plant plant = plant_of(s, h);
        bound(&plant, &wall->stiffness, &wall->damping);
        tell(s, h, "wall", asked, wall->stiffness);
    }
}

static void bound_coupling(pal_session *s, int32_t h) {
    pal_tool_options *tool = &s->options.tool[h];
    const pal_wall_plant plant = plant_of(s, h);
    const double asked = tool->stiffness;
    double none = 0.0; // a coupling without mass has the damper that its hold asks for
    bound(&plant, &tool->stiffness, tool->mass > 0.0 ? &tool->damping : &none);
    tell(s, h, "coupling", asked, tool->stiffness);
}

void pal_session_limit_stiffness(pal_session *s) {
    if (s->options.observe_only) {
        note(s, "coupling.passivity is false: energy is made where the loop makes it");
        return;
    }
    if (s->scene.live.has_wall) {
        bound_wall(s);
        return;
    }
    for (int32_t h = 0; h < s->hand_count; h++) {
        bound_coupling(s, h);
    }
}
