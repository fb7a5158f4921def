// What the table of FEEL.md 3 gives; fields marked "chosen" are not in it. Continuous forces that
// are chosen are the peak where the maker names one force only. What is said of turning is chosen
// but for the torques and for who senses it; inertias are those of a stylus in a gimbal. Watchdogs
// are those that the driver tells as a cause of its forces being off (DHD).
#include <string.h>

#include "devices/device.h"

static const pal_device_limits profiles[] = {
    {.name = "touch",
     .max_force = 3.3,
     .max_continuous_force = 0.88,
     .max_stiffness = 400.0,
     .max_damping = 4.0,
     .workspace_radius = 0.075,
     .resolution = 55e-6,
     .friction = 0.26,
     .mass = 0.045,
     .senses_turn = true,
     .turn_resolution = 1e-3, // potentiometers
     .inertia = 5e-5},
    {.name = "touchx",
     .max_force = 7.9,
     .max_continuous_force = 1.75,
     .max_stiffness = 1000.0,
     .max_damping = 5.0,
     .workspace_radius = 0.10,
     .resolution = 23e-6,
     .friction = 0.06,
     .mass = 0.035, // chosen: a lighter arm than the touch
     .senses_turn = true,
     .turn_resolution = 3e-4,
     .inertia = 5e-5},
    {.name = "premium",
     .max_force = 8.5,
     .max_continuous_force = 1.4, // chosen: as that of its smaller sisters
     .max_stiffness = 800.0,
     .max_damping = 5.0,
     .workspace_radius = 0.12,
     .resolution = 30e-6,
     .friction = 0.04,
     .mass = 0.075,
     .senses_turn = true,
     .max_torque = 0.188,
     .max_turn_stiffness = 0.8,
     .max_turn_damping = 5e-3,
     .turn_resolution = 2e-4,
     .inertia = 1e-4},
    {.name = "omega",
     .watchdog = PAL_WATCHDOG_OWN,
     .max_force = 12.0,
     .max_continuous_force = 12.0, // chosen
     .max_stiffness = 5000.0,
     .max_damping = 30.0,
     .workspace_radius = 0.075,
     .resolution = 10e-6,
     .friction = 0.1, // chosen: parallel arms, no gears
     .mass = 0.2},    // chosen: parallel arms move together
    {.name = "sigma",
     .watchdog = PAL_WATCHDOG_OWN,
     .max_force = 12.0,
     .max_continuous_force = 12.0, // chosen
     .max_stiffness = 4000.0,
     .max_damping = 30.0,
     .workspace_radius = 0.075,
     .resolution = 10e-6, // chosen: as the omega
     .friction = 0.1,     // chosen: as the omega
     .mass = 0.3,         // chosen: an omega with a wrist
     .senses_turn = true,
     .max_torque = 0.2,
     .max_turn_stiffness = 1.0,
     .max_turn_damping = 1e-2,
     .turn_resolution = 2e-4,
     .inertia = 2e-4},
    {.name = "falcon",
     .watchdog = PAL_WATCHDOG_OWN,
     .max_force = 8.0,
     .max_continuous_force = 8.0, // chosen
     .max_stiffness = 3000.0,
     .max_damping = 20.0,
     .workspace_radius = 0.04,
     .resolution = 64e-6,
     .friction = 0.5, // chosen: a toy's joints
     .mass = 0.15},   // chosen
    {.name = "inverse3",
     .max_force = 10.0,
     .max_continuous_force = 2.5, // chosen: a quarter of the peak
     .max_stiffness = 1000.0,
     .max_damping = 6.0,
     .workspace_radius = 0.15,
     .resolution = 30e-6, // chosen
     .friction = 0.1,     // chosen
     .mass = 0.1},        // chosen
};
enum { PROFILES = sizeof profiles / sizeof *profiles };

const pal_device_limits *pal_device_profile_at(int index) {
    return index >= 0 && index < PROFILES ? &profiles[index] : NULL;
}

const pal_device_limits *pal_device_profile(const char *name) {
    for (int i = 0; i < PROFILES; i++) {
        if (strcmp(profiles[i].name, name) == 0) {
            return &profiles[i];
        }
    }
    return NULL;
}

const char *pal_device_watchdog_text(pal_device_watchdog watchdog) {
    static const char *const text[] = {
        [PAL_WATCHDOG_NOT_KNOWN] = "not told by its maker: have a switch of its power at hand",
        [PAL_WATCHDOG_NONE] = "it keeps the last force: have a switch of its power at hand",
        [PAL_WATCHDOG_OWN] = "it takes the force away by itself",
        [PAL_WATCHDOG_NOT_NEEDED] = "it makes no force"};
    return text[watchdog];
}
