// The desk at which materials are changed while a body runs [BJ05 6.5]: what the sliders of a
// window call. The coefficients are summed and laid out here, on the thread that sends commands;
// the servo only swaps them, at the start of a tick.
//
//     pal_desk_set     a wish; cheap, as often as a slider moves
//     pal_desk_pump    once a frame: what is wished goes out, what the servo has put out of use
//                      comes back; it never waits. Of several wishes for a region between two
//                      pumps the last one goes out, and when the ring is full or all memory is with
//                      the servo, the next pump tries again.
//     pal_desk_log     what was taken, and at which tick: with it a replay is the same bit for bit
//
// Young's modulus, Poisson's ratio and density are a region's. Rayleigh damping, C = alpha M + beta
// K(q), is the whole body's: with one beta for each region every region would need a stiffness of
// its own in every step. The basis stays as baked and fits less well the further regions are edited
// apart; a uniform scale of stiffness or density does not change it. Dents go with 1 / E of their
// region.
#ifndef PAL_HAPTICS_MATERIAL_DESK_H
#define PAL_HAPTICS_MATERIAL_DESK_H

#include "haptics/command.h"
#include "sim/model/model.h"

typedef enum pal_property {
    PAL_PROPERTY_YOUNG,             // Pa
    PAL_PROPERTY_POISSON,           //
    PAL_PROPERTY_DENSITY,           // kg/m^3
    PAL_PROPERTY_MASS_DAMPING,      // alpha, 1/s, of the whole body
    PAL_PROPERTY_STIFFNESS_DAMPING, // beta, s, likewise
    PAL_PROPERTY_COUNT
} pal_property;

typedef struct pal_live_edit { // as the servo took it
    uint64_t tick;
    int32_t region;
    pal_material to;    // of that region from then on
    double alpha, beta; // of the body from then on
} pal_live_edit;

typedef struct pal_desk pal_desk;

typedef struct pal_desk_options {
    const pal_model *model; // borrowed
    pal_command_link *link; // borrowed; the desk is its only sender of MATERIAL
    pal_precision precision;
    const pal_material *material; // [region_count] that the body begins with; NULL: as baked
    uint64_t begins;              // nothing is sent before this tick (others change materials)
} pal_desk_options;

// Set-up; memory for coefficients is taken when the first edit goes out. Close when the servo ticks
// no more.
pal_status pal_desk_open(pal_desk **desk, const pal_desk_options *options, pal_err *err);
void pal_desk_close(pal_desk *desk);

// All of the following: the sending thread only.

// What is wished now; regions as in the model. A damping is the same for every region.
double pal_desk_get(const pal_desk *desk, int32_t region, pal_property property);

// A value that no material can have is an error, and changes nothing.
pal_status pal_desk_set(pal_desk *desk, int32_t region, pal_property property, double value,
                        pal_err *err);

// All regions and the damping as they were when the desk was opened.
void pal_desk_restore(pal_desk *desk);

// The ends of a slider: Young's modulus two decades around the baked one, on a scale of logarithms;
// the others on plain scales.
typedef struct pal_slider {
    double least, most;
    bool logarithmic;
} pal_slider;
pal_slider pal_desk_slider(const pal_desk *desk, int32_t region, pal_property property);

// tick: about where the servo is (of the last snapshot). *waiting (may be NULL): something could
// not go out yet. Fails only for want of memory.
pal_status pal_desk_pump(pal_desk *desk, uint64_t tick, bool *waiting, pal_err *err);

// The half of a pump that sends nothing: for the end of a run.
void pal_desk_take_back(pal_desk *desk);

// The edits that the servo has taken, in their order, up to the last pump.
const pal_live_edit *pal_desk_log(const pal_desk *desk, int *count);

// Sends a recorded edit at once, to be taken at the next tick; for replays, which tick by
// themselves.
pal_status pal_desk_repeat(pal_desk *desk, const pal_live_edit *edit, pal_err *err);

// ---- as text, a line each: "TICK:REGION:young=..,poisson=..,density=..,mass_damping=..,
// stiffness_damping=..", numbers exact

// On the heap; NULL: no memory.
char *pal_live_edits_print(const pal_model *model, const pal_live_edit *edit, int count,
                           pal_err *err);
// *edit is on the heap, [*count], by tick. `source` names the text in messages.
pal_status pal_live_edits_parse(const pal_model *model, const char *text, const char *source,
                                pal_live_edit **edit, int *count, pal_err *err);

#endif
