// How a surface answers to being touched, region by region.
#ifndef PAL_CONTACT_SURFACE_LAW_H
#define PAL_CONTACT_SURFACE_LAW_H

typedef struct pal_surface_law {
    double static_friction, dynamic_friction; // mu; the larger one until it slides
    double stiffness;                         // N/m^3: a thin elastic layer on top
    double damping;                           // N s/m^3 of that layer
    double adhesion;                          // N/m^2: what holds before it tears off
    double texture_height, texture_length;    // m: bumps of the surface and their period; 0: none
} pal_surface_law;

// Nearly hard, without friction.
#define PAL_SURFACE_LAW_DEFAULT ((pal_surface_law){.stiffness = 1e9})

#endif
