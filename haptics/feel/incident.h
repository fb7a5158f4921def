// What went otherwise than a trial means it to, found in its trace alone: a tool that touched
// nothing, slipped off while the hand pressed, was held back by a lip while it withdrew, or a run
// that ended in contact.
#ifndef PAL_FEEL_INCIDENT_H
#define PAL_FEEL_INCIDENT_H

#include "haptics/feel/feel_trace.h"

typedef enum pal_incident_kind {
    PAL_INCIDENT_NONE,
    PAL_INCIDENT_NOT_MADE,  // the trial could not be run or read
    PAL_INCIDENT_UNTOUCHED, // it was run, and nothing was touched
    PAL_INCIDENT_NO_TRUTH,  // it was run, and what it is compared with could not be computed
    PAL_INCIDENT_WEDGED,    // the surface held the tool back while the hand withdrew
    PAL_INCIDENT_SLIPPED,   // the touch was lost while the hand still pressed
    PAL_INCIDENT_SLIPPED_WEDGED,
    PAL_INCIDENT_CUT, // the run ended in contact, and its last ticks are left out
    PAL_INCIDENT_KINDS
} pal_incident_kind;

typedef struct pal_incident {
    pal_incident_kind kind;
    double at; // s, when it began; NAN: no moment of the run
    char why[384];
} pal_incident;

// "", "not made", "touches nothing", "no truth", "wedged", "slipped off", ...
const char *pal_incident_name(pal_incident_kind kind);

// Whether a trial with this incident has a contact to be measured.
static inline bool pal_incident_is_measured(pal_incident_kind kind) {
    return kind != PAL_INCIDENT_NOT_MADE && kind != PAL_INCIDENT_UNTOUCHED;
}

// Fills the incident; why: a printf format.
void pal_incident_set(pal_incident *incident, pal_incident_kind kind, double at, const char *why,
                      ...) PAL_PRINTF(4, 5);

// What of WEDGED, SLIPPED, or else CUT the trace shows, or NONE.
//
// SLIPPED: in a contact at one place the touch ends although the hand has not begun to withdraw,
// and does not come back (or with less than a third of its force) while the hand presses.
// WEDGED: while the hand withdraws, for 20 ms together or more, the touches that press on the tool
// pull it back with more than 20 mN: so the surface lies over it, or on both its sides. Adhesion
// and grasping are no such thing.
// Both are looked for in trials at one place (and recordings, PAL_TRIAL_ANY), the latter where the
// trace tells normals and the forces along them.
pal_status pal_feel_find_incident(const pal_feel_trace *trace, pal_incident *incident,
                                  pal_err *err);

#endif
