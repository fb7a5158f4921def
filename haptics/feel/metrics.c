// The metrics and their gates (FEEL.md 5): definitions as they stand in the help and in reports.
#include <math.h>
#include <string.h>

#include "haptics/feel/scorecard.h"

#define PERCENT  "%", 100.0
#define REPORTED NAN

static const pal_metric metrics[PAL_METRIC_COUNT] = {
    [PAL_METRIC_STIFFNESS] =
        {"stiffness", "rendered stiffness", PERCENT, 0.07, false,
         "Least-squares slope of the force sent along the contact's normal over the depth of the "
         "device, from the first touch to 2 mm on the way in, over the slope of the model's own "
         "force at the same ticks, less 1. Not measured where both forces stay below 20 mN.",
         "The first millimetres are as stiff as the model; a difference of force below 7 % is not "
         "felt.",
         "The first millimetres feel softer or harder than the model."},
    [PAL_METRIC_STIFFNESS_AT_1N] =
        {"stiffness_at_1n", "rendered stiffness at 1 N", PERCENT, 0.07, false,
         "The same slope where the force is between 0.7 and 1.3 N on the way in.",
         "At the force of a firm touch the surface is as stiff as the model.",
         "At the force of a firm touch the surface feels softer or harder than the model."},
    [PAL_METRIC_SLOPE] =
        {"slope", "slope of the force", "N/m", 1.0, REPORTED, false,
         "Least-squares slope of the force sent along the contact's normal over the depth of the "
         "device, from the first touch to 2 mm on the way in.",
         "How stiff the first millimetres are.", ""},
    [PAL_METRIC_FELT] =
        {"felt", "felt stiffness", PERCENT, 0.03, false,
         "Force at rest over the model's own force (dents included) at the same place of the "
         "device, less 1: means over the last second of a hold or, without one, least squares over "
         "both ways of a press, in which what damps cancels.",
         "The coupling between hand and tool cannot be felt.",
         "The coupling between hand and tool makes the body feel softer or harder than it is."},
    [PAL_METRIC_INDENTATION] =
        {"indentation", "indentation against full elements", PERCENT, 0.07, false,
         "Force over that of full neo-Hookean elements, in contact all over their surface, at the "
         "same place of the device, by least squares in each millimetre of depth down to 5 mm, "
         "less 1; the worst millimetre "
         "in "
         "which one of them reaches 20 mN.",
         "A dent feels as that of the full, unreduced body.",
         "A dent feels softer or harder than that of the full, unreduced body."},
    [PAL_METRIC_HERTZ] =
        {"hertz", "indentation against Hertz", PERCENT, REPORTED, false,
         "Force at a depth of 1 mm (straight line through 0.75 to 1.25 mm on the way in) over "
         "Hertz's for a ball on a half space of the same material, less 1.",
         "How the dent compares with a half space; a body that is thin or bends is softer.", ""},
    [PAL_METRIC_BENDING] =
        {"bending", "bending against full elements", PERCENT, 0.07, false,
         "Force over that of full StVK elements at the same place of the device, by least squares "
         "in each fifth of the depth, less 1; the worst fifth.",
         "Bent far, the body pushes back as the full, unreduced one.",
         "Bent far, the body is softer or harder than the full, unreduced one."},
    [PAL_METRIC_PATH_ERROR] =
        {"path_error", "force error along the path", PERCENT, REPORTED, false,
         "Root mean square of the difference of the force from that of full elements (or, without "
         "them, from the model's own) over the root mean square of the latter, over all ticks of "
         "contact where it is known.",
         "How far the force is from the truth on average.", ""},
    [PAL_METRIC_BASIS_ALONE] =
        {"basis_alone", "what the basis alone would feel", "times", 1.0, REPORTED, false,
         "Force of the model without its dents over that of full elements, by least squares over "
         "all ticks where both are known.",
         "How many times too stiff the body would feel without its local compliance.", ""},
    [PAL_METRIC_PENETRATION] =
        {"penetration", "penetration at 1 N", "mm", 1e3, 0.5e-3, false,
         "Deepest point of the tool under the deformed surface while the force is at most 1 N. Not "
         "measured where the scene gives the surface a soft layer.",
         "The tool stays on the surface.", "The tool sinks visibly into the surface."},
    [PAL_METRIC_POP_THROUGH] =
        {"pop_through", "pop-through", "passes", 1.0, 0.0, false,
         "Contacts that end with the tool behind the surface it touched last, or in which the "
         "normal turns by more than 120 degrees from one tick to the next; where only the device's "
         "path is known, contacts that end deeper than half their depth without going sideways.",
         "The tool never goes through the surface.", "The tool went through the surface."},
    [PAL_METRIC_FORCE_STEP] =
        {"force_step", "force step", PERCENT, 0.07, false,
         "Largest change of the force from one tick to the next, from 10 ms after the onset of a "
         "contact to its end (but for the 10 ms after a tool that stuck breaks away), less K |dx| "
         "(K the stiffness that the trace shows, dx how far the device's reading went at this tick "
         "or the one before, steps of its encoder included), over the force, or over 20 mN / 7 % "
         "where the force is below 0.3 N.",
         "No click is felt: the force changes smoothly.",
         "A click can be felt: the force jumps by more than the hand moves it."},
    [PAL_METRIC_BUZZ] =
        {"buzz", "buzz of a hold", "mN", 1e3, 20e-3, false,
         "Root mean square of the force between 30 and 300 Hz, all axes together, in the last "
         "second of a still hold of at least a second, its mean and trend taken out.",
         "A held contact is quiet.", "A held contact hums or trembles."},
    [PAL_METRIC_ENERGY] =
        {"energy", "energy made", "mJ", 1e3, 0.1e-3, false,
         "What the hand got out of a contact beyond what it had put in since the first touch: the "
         "most that the sum of -F dx was below zero, F the force applied (sent, and late by the "
         "actuator's delay), dx the motion between the steps of the encoder, less what the body "
         "had stored before.",
         "The surface gives back no more than was put in.",
         "The surface pushes the hand out with energy from nowhere: it feels alive."},
    [PAL_METRIC_PUSH] =
        {"push", "hand against body", PERCENT, 0.03, false,
         "Impulse of the force sent, along what the touches push, less the impulse of that push on "
         "the body, of each contact by its size, over the impulse of all pushes. Ticks above 0.8 "
         "of "
         "the device's largest force (saturation) and in the start-up ramp are left out.",
         "The hand feels what the body feels.",
         "The hand is pushed harder or softer than the body: light bodies feel heavy or sticky."},
    [PAL_METRIC_HYSTERESIS] =
        {"hysteresis", "hysteresis", PERCENT, 0.2, false,
         "Share of the stored energy that a whole press and release loses (loop integral of F dx "
         "over its peak), less that of the model's own force over the same path, over the latter "
         "or 10 %, whichever is more.",
         "The body loses as much energy as its material does.",
         "The body feels more or less springy than its material."},
    [PAL_METRIC_LEAK] =
        {"leak", "force in free space", "mN", 1e3, 0.0, false,
         "Largest force sent while nothing is touched, but for the ticks in which the slew limit "
         "takes the force of a contact back.",
         "Free space is free.", "Something is felt where nothing is."},
    [PAL_METRIC_LATENCY] =
        {"latency", "latency", "ticks", 1.0, 1.0, false,
         "Ticks from the first touch to the first change of the force sent, the worst of all "
         "contacts, and the actuator's delay; where a trace does not tell touches, the shift at "
         "which the changes of force follow those of the place best.",
         "The force answers at once.", "The force comes late; a tap feels detached."},
    [PAL_METRIC_RATE_HARDNESS] =
        {"rate_hardness", "rate-hardness", "N/s by m/s", 1.0, REPORTED, false,
         "Rate of the force in the first 5 ms of contact (by least squares or from the tick before "
         "the touch, the steeper one) over the speed of the device along the normal in the 10 ms "
         "before.",
         "How hard a tap feels: what matters at the moment of impact.", ""},
    [PAL_METRIC_ONSET] =
        {"onset", "onset transient", "times", 1.0, REPORTED, false,
         "Peak of the force in the first 10 ms of contact over the force at rest: that of the "
         "contact's hold or, without one, the slope of the contact's whole loop times its depth.",
         "How much of a tap comes at its onset.", ""},
    [PAL_METRIC_ONSET_ORDER] =
        {"onset_order", "order of onsets", "pairs", 1.0, 0.0, false,
         "Pairs of taps of which the faster one (by more than 10 %) has the lower peak force in "
         "the first 10 ms of contact.",
         "The faster the tap, the harder it hits.", "A faster tap may hit less hard."},
    [PAL_METRIC_BREAKAWAY] =
        {"breakaway", "friction at breakaway", PERCENT, 0.05, false,
         "Largest ratio of friction to normal force in a contact in which the tool slides, where "
         "it "
         "presses at least half as hard as then (each touch by its own normal), over the static "
         "friction of the surface, less 1.",
         "The tool sticks and breaks away as it should.",
         "The tool breaks away too early or too late."},
    [PAL_METRIC_SLIDING] =
        {"sliding", "friction of a slide", PERCENT, 0.05, false,
         "Mean ratio of friction to normal force while the tool slides steadily (each touch by its "
         "own normal), over the sliding friction of the surface, less 1.",
         "The surface rubs as it should.", "The surface is too rough or too slippery."},
    [PAL_METRIC_EDGE_ANGLE] =
        {"edge_angle", "smoothness of direction", PERCENT, 0.1, false,
         "Root mean square of the angle between the forces of consecutive ticks in a steady slide "
         "of at least 20 mN, over that of the same slide by the same hand and device in a closed "
         "loop over a smooth surface (the quadric nearest to what was gone over, as stiff as it "
         "was felt to be, with its friction), less 1 (0 when smoother). Both squared and with the "
         "square of what is not felt added to the latter: 3.8 mN a tick over the mean force, below "
         "which no vibration of 30 Hz or more reaches the gate of a hold's buzz (20 mN; our "
         "choice). A person's slide: over the same readings; without a scene: over the same force "
         "below 30 Hz with the steps of the encoder.",
         "Triangles and borders of domains cannot be felt.",
         "Edges of triangles or borders of domains turn the force by jerks."},
    [PAL_METRIC_EDGE_JERK] =
        {"edge_jerk", "smoothness of strength", PERCENT, 0.1, false,
         "Likewise with the second difference of the force, F(k+1) - 2 F(k) + F(k-1), and 3.8 mN.",
         "A slide is as smooth as over a smooth surface.",
         "A slide rattles over edges of triangles or borders of domains."},
    [PAL_METRIC_STALL_STEP] =
        {"stall_step", "force step of a stall", PERCENT, 0.07, false,
         "The force step from the moment the body stands still until 50 ms after it moves again.",
         "A pause of the simulation is not felt as a click.",
         "When the simulation pauses or goes on, a click is felt."},
    [PAL_METRIC_MISSES] = {"misses", "missed deadlines", "ticks", 1.0, REPORTED, true,
                           "Ticks that did not begin in their own millisecond.",
                           "How often the machine was late.", ""},
    [PAL_METRIC_LONGEST_MISS] = {"longest_miss", "longest run of misses", "ticks", 1.0, REPORTED,
                                 true, "Most deadlines missed in a row.",
                                 "How long the device was left alone.", ""},
    [PAL_METRIC_COMPUTE_P50] = {"compute_p50", "tick time, median", "us", 1e6, REPORTED, true,
                                "Half of all ticks compute for at most as long.",
                                "What a usual tick costs.", ""},
    [PAL_METRIC_COMPUTE_P99] = {"compute_p99", "tick time, p99", "us", 1e6, REPORTED, true,
                                "99 of 100 ticks compute for at most as long.",
                                "What a busy tick costs.", ""},
    [PAL_METRIC_COMPUTE_P9999] = {"compute_p9999", "tick time, p99.99", "us", 1e6, 0.5e-3, true,
                                  "9,999 of 10,000 ticks compute for at most as long, over all "
                                  "trials together; not measured of "
                                  "fewer ticks.",
                                  "The tick leaves half of its millisecond free.",
                                  "Ticks come near their millisecond: deadlines will be missed."},
    [PAL_METRIC_COMPUTE_MAX] = {"compute_max", "tick time, longest", "us", 1e6, REPORTED, true,
                                "The longest tick.", "What the worst tick cost.", ""},
};

const pal_metric *pal_metric_at(int id) {
    return id >= 0 && id < PAL_METRIC_COUNT ? &metrics[id] : NULL;
}

int pal_metric_find(const char *key) {
    for (int id = 0; id < PAL_METRIC_COUNT; id++) {
        if (strcmp(metrics[id].key, key) == 0) {
            return id;
        }
    }
    return -1;
}
