// A plan in the making: where the trials press, and what is added to it (feel_plan.c,
// feel_trials.c).
#ifndef PAL_APP_FEEL_PLAN_H
#define PAL_APP_FEEL_PLAN_H

#include "app/feel/feel_ground.h"
#include "app/feel/feel_script.h"

enum { PAL_PLAN_WAY = 48 }; // spots of a way over the surface, at most
#define PAL_PLAN_STEP 2e-3  // m, between them

typedef struct pal_plan {
    pal_feel *feel;
    pal_err *err;
    pal_ground ground; // not of a wall
    bool wall;
    bool flies;                      // so lightly that a press only pushes it away
    double flying_mass;              // kg, to the hand
    const pal_device_limits *limits; // of the device
    double radius;                   // m, of the tool
    double
        lag; // m, by which the device's friction keeps it behind the hand: added to what it wants
    double slow;               // s, of a press that does not set the body swinging
    pal_spot spot;             // where it presses
    double force;              // N, that a press takes there, quickly
    pal_script script, second; // room for probes
    bool naming;               // nothing is run or added: `names` are wanted
    char names[512];           // "free, press, ..."
} pal_plan;

// Whether the wish asks for the trial of this name.
bool pal_plan_wants(const pal_plan *plan, const char *name);

// Adds a trial of this kind and text; about: a printf format.
pal_status pal_plan_add(pal_plan *plan, const char *name, pal_trial_kind kind,
                        const pal_trial_text *how, const char *about, ...) PAL_PRINTF(5, 6);

// Says why this scene does not have a standard trial.
pal_status pal_plan_leave(pal_plan *plan, const char *name, const char *why, ...) PAL_PRINTF(3, 4);

// By how much the device is behind a hand with this grip (NULL: as wished) that presses slowly.
pal_status pal_plan_lag(pal_plan *plan, const char *grip);

// Where the hand has the tool's origin when it has come `depth` (m) beneath the surface at rest.
void pal_plan_under(const pal_plan *plan, const pal_spot *spot, double depth, double x[3]);

// The largest force, N, and whether anything is touched and all goes well, when the script is run.
typedef struct pal_pilot {
    double at, then; // s, given; N, the force at that time
    double force;
    bool touched, unsafe; // force cut, or not a number
} pal_pilot;
pal_status pal_plan_try(pal_plan *plan, const pal_script *script, pal_pilot *pilot);

// What the tool of the first hand touches when the scene's probe is run as `palpate run` runs it:
// the one rule of what a probe touches. Its first touch in a press, else its first of all.
typedef struct pal_touched {
    bool any;
    int32_t intent;           // of the probe, the last along a straight line; -1: none
    double from[3];           // m, where the straight one before it led
    double tool[3], point[3]; // m, of the device and of the surface at that touch
    double nearest; // m between tool and surface, where nothing is touched; below 0: within
} pal_touched;
pal_status pal_plan_touch(const pal_plan *plan, pal_touched *touched);

// The largest depth of a press that the device's workspace allows, m.
double pal_plan_deepest(const pal_plan *plan);

// Another depth at a place, from *depth on, at which about this force is felt, as far as the device
// goes; *force is what it takes then.
pal_status pal_plan_fit_depth(pal_plan *plan, const pal_spot *spot, double wanted, double *depth,
                              double *force);

// A press of this depth from above the spot and back, slow or not.
void pal_plan_press(const pal_plan *plan, pal_script *script, double depth, double down,
                    double hold, double up);

// How far the nearest of the body is from the tool's origin at x, m.
double pal_plan_clearance(const pal_plan *plan, const double x[3]);

// The way from a spot on, its first; it ends where the surface turns by more than `turn` (rad) in a
// step. On a wall it is straight. Returns how many spots it has.
int pal_plan_walk(const pal_plan *plan, const pal_spot *from, const double along[3], double length,
                  double turn, pal_spot way[PAL_PLAN_WAY]);

// The standard trials (feel_trials.c), and those of them that go along the surface
// (feel_trials_along.c).
pal_status pal_plan_standard(pal_plan *plan);
pal_status pal_plan_add_slide(pal_plan *plan);
pal_status pal_plan_add_border(pal_plan *plan);  // of materials
pal_status pal_plan_add_domains(pal_plan *plan); // and of domains
pal_status pal_plan_add_edge(pal_plan *plan);
pal_status pal_plan_add_corner(pal_plan *plan);
pal_status pal_plan_add_friction(pal_plan *plan);

#endif
