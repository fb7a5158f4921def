// The contact problem: given the compliance of everything that gives way (body, dents, tool and
// hand), which forces keep the surfaces apart?
//
//     delta = W lambda + delta_free,        three rows a contact, in the axes of the world
//     0 <= n.lambda + a   _|_   n.delta >= 0,      |lambda_t| <= mu (n.lambda + a)
//
// delta is how far the tool's point is from the body's (along the normal n the gap, across it the
// slip of this tick), lambda the force on the tool, a the adhesion; a held contact (a grasp) has
// delta = 0. Projected Gauss-Seidel over the contacts, each solved by its own 3x3 block, from last
// tick's forces; between the sweeps a direct solution for what sticks, slides and opens
// (response_settle.h).
#ifndef PAL_CONTACT_RESPONSE_H
#define PAL_CONTACT_RESPONSE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/outcome.h"

enum { PAL_MAX_CONTACTS = 80 }; // of all tools together

typedef struct pal_contact_law {
    double normal[3]; // unit, out of the body into the tool
    double friction;  // mu of this tick, static or dynamic
    double adhesion;  // N, how hard it may pull before it lets go
    double softness;  // m/N of the surface itself, along the normal; of a grasp, every way
    bool held;        // neither sliding nor opening
} pal_contact_law;

typedef struct pal_response {
    int32_t count;              // contacts
    int32_t stride;             // of w, in doubles: a multiple of 4, at least 3 count
    const double *w;            // [3 count][stride] m/N, symmetric; zero past 3 count
    const double *free;         // [3 count] m: delta without any contact force
    const pal_contact_law *law; // [count]
    double *force;              // [3 count] N: in, where to start; out, the answer
    int32_t sweeps;             // at most, and half as many again whenever contacts join late
    double tolerance;           // m: the largest change of a sweep that counts as converged
    int32_t sweeps_done;        // out
    double residual;            // m, out: the last sweep's largest change
} pal_response;

// PAL_OUT_NAN: forces are zero. RT safe.
pal_outcome pal_response_solve(pal_response *problem);

#endif
