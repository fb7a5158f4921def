// How a surface answers to being touched, region by region.
#ifndef PAL_CONTACT_SURFACE_LAW_H
#define PAL_CONTACT_SURFACE_LAW_H

#include "sim/mesh/volmesh.h"

typedef struct pal_surface_law {
    double static_friction, dynamic_friction; // mu; the larger one until it slides
    double stick_speed; // m/s: a tool that has slipped and slides more slowly than this sticks
                        // again; with static above dynamic friction it then goes on in jerks
    double stiffness;   // N/m^3: a thin elastic layer on top
    double damping;     // N s/m^3 of that layer
    double adhesion;    // N/m^2: what holds before it tears off
    double texture_height, texture_length; // m: bumps from valley to top, and their period; 0: none
} pal_surface_law;

// Nearly hard, without friction.
#define PAL_SURFACE_LAW_DEFAULT ((pal_surface_law){.stiffness = 1e9, .stick_speed = 5e-4})

// The law of one region, or of the whole body (no name). A number that is NAN stays what it is.
typedef struct pal_surface_rule {
    char region[PAL_REGION_NAME];
    pal_surface_law law;
} pal_surface_rule;

enum { PAL_SURFACE_LAWS = 32 }; // of a body

#endif
