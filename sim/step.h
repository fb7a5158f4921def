// One step of everything that is simulated: tools, contact, and the body, with contact between the
// two halves of the body's step, or as springs inside it.
#ifndef PAL_SIM_STEP_H
#define PAL_SIM_STEP_H

#include "sim/contact/contacts.h"
#include "sim/contact/domains.h"
#include "sim/contact/penalty.h"

typedef enum pal_contact_form {
    PAL_CONTACT_COMPLIANCE, // one problem over all contacts (contacts.h)
    PAL_CONTACT_PENALTY,    // springs in the step of the body (penalty.h): cheaper, and does less
} pal_contact_form;

typedef struct pal_world {
    pal_contact_scene scene; // the body, the tools and the laws between them
    const pal_bdtree *tree;  // of the body
    pal_domains *domains;    // of a body that is a tree of them; NULL: it is one piece
    pal_contact_form form;   // how tools and body are kept apart
    double row_bound;        // m: the largest |J| of a surface point, for how fast it can be
    bool still; // the body is not moved on, by compliance alone: what touches it meets it as it
                // would in the next step, again and again, so that it goes on without a jump
    double slowness;    // the body's time runs so many times slower; 0, 1: as fast as ours
    const double *load; // [size] on the coordinates
    pal_dent dent;      // of the surface now
    pal_contacts contacts;
    double reduced[PAL_MAX_R]; // the contact's force on the coordinates
} pal_world;

// No point of the body is faster than this, m/s. RT safe.
double pal_step_fastest_point(const pal_world *world);

// The tools have been aimed. After PAL_OUT_NAN they have forgotten what they touched. RT safe.
pal_outcome pal_step(pal_world *world);

// All tools let go and wait until they are clear of the body; no dent is left. RT safe.
void pal_step_forget(pal_world *world);

#endif
