// The trace of one trial as the metrics see it: the rows of one hand, checked, and what is known of
// the truth beside them. Nothing here asks the simulation: a trace that was recorded from a real
// device is measured in the same way.
#ifndef PAL_FEEL_TRACE_H
#define PAL_FEEL_TRACE_H

#include "haptics/trace.h"

typedef enum pal_trial_kind {
    PAL_TRIAL_ANY, // recorded by somebody: the windows of each metric are found in the trace
    PAL_TRIAL_FREE,
    PAL_TRIAL_PRESS, // slow press and release
    PAL_TRIAL_HOLD,
    PAL_TRIAL_TAP,
    PAL_TRIAL_SLIDE,    // at constant depth, over triangles, materials, borders of domains
    PAL_TRIAL_EDGE,     // over an edge or corner
    PAL_TRIAL_FRICTION, // breakaway, then slide
    PAL_TRIAL_TWO_TOOLS,
    PAL_TRIAL_GRIP,  // sustained contact under a grip
    PAL_TRIAL_STALL, // the body stands still for a while in mid-press
    PAL_TRIAL_BEND,  // pressed so far that the whole body bends
    PAL_TRIAL_KINDS
} pal_trial_kind;
const char *pal_trial_kind_name(pal_trial_kind kind); // "any", "free", "press", ..., "two-tools"
int pal_trial_kind_find(const char *name);            // -1: none

// What is known beside the trace; arrays are NULL and numbers NAN where it is not. Forces are those
// on the tool, N, as vectors, tick by tick, NAN where they were not computed.
typedef struct pal_feel_truth {
    // The model itself (dents included), its tool held rigidly where the device was: what a perfect
    // device would render.
    double *own; // [count][3]
    // Full elements at some of the ticks: linear contact for presses, StVK for bending.
    double *full; // [count][3]
    // The model without its dents, likewise.
    double *basis; // [count][3]
    double hertz;  // N at 1 mm of a half space of the material under the tool
    // Of the surface there; NAN also where it is not one number: with adhesion, which presses, too,
    // and the sliding one where the tool sticks again and again.
    double static_friction, sliding_friction;
    bool soft_layer;                  // the surface has a layer that is meant to be pressed in
    double smooth_angle, smooth_jerk; // rad, N rms of the same slide over a smooth analytic surface
    double stall_at, stall_seconds;   // s, when the body stands still
    char full_note[128];              // what `full` is: "neo-Hookean elements, 4,995 voxels"
} pal_feel_truth;

void pal_feel_truth_none(pal_feel_truth *truth);
void pal_feel_truth_free(pal_feel_truth *truth);

// What a recording does not have; what is measured by it is then not measured.
enum pal_feel_missing {
    PAL_FEEL_NO_TOUCH = 1 << 0,    // touching: contacts are found by the force
    PAL_FEEL_NO_NORMAL = 1 << 1,   // the force's direction in its place
    PAL_FEEL_NO_DEPTH = 1 << 2,    // of the tool under the deformed surface
    PAL_FEEL_NO_TOOL = 1 << 3,     // tool or point
    PAL_FEEL_NO_FRICTION = 1 << 4, // push, grip, slipped
    PAL_FEEL_NO_TIMES = 1 << 5,    // compute_us
    PAL_FEEL_NO_MISSES = 1 << 6,
};

typedef struct pal_feel_trace {
    pal_trial_kind kind;
    char name[32];
    double dt, delay;         // s
    pal_device_limits limits; // of the device; zeros where a recording does not say
    double tool_radius;       // m; 0: not known
    uint32_t missing;         // pal_feel_missing
    bool virtual_time;
    int64_t count;
    int64_t cut;          // ticks after these that are left out: the end of a run in contact
    pal_tick_record *row; // [count] of one hand, owned
} pal_feel_trace;

// The rows of hand h of a trace that was read or run, as PAL_TRIAL_ANY, named "trace", of a tool of
// unknown radius. A run that ends in contact is cut where its end begins to take the force away
// (PAL_COMMAND_STOP): no hand did that. Fails, with the row and column in the message, on an empty
// trace, times that do not grow or are not evenly spaced, another rate than 1 kHz (+-1 %), gaps,
// and numbers that are not finite. There is nothing to free then.
pal_status pal_feel_trace_take(pal_feel_trace *trace, const pal_trace_data *data, int32_t hand,
                               pal_err *err);

// From a CSV file with a head line, in any order of columns: time, position_x, _y, _z, force_x, _y,
// _z (s, m, N: place of the device and force sent; also time_s, x_m, y_m, z_m, fx_n, fy_n, fz_n),
// and those of the other columns of `run --csv` that there are; what is missing there leaves
// metrics unmeasured, columns of other names are passed over. Of several hands the first is taken.
// `path` is named in errors, with line and column.
pal_status pal_feel_trace_read_csv(pal_feel_trace *trace, const char *path, pal_err *err);
// The same of text [size] with a NUL after it, which is cut into pieces.
pal_status pal_feel_trace_parse_csv(pal_feel_trace *trace, const char *path, char *text,
                                    size_t size, pal_err *err);
void pal_feel_trace_free(pal_feel_trace *trace);

// The times of a trace are those of 1 kHz (+-1 %), growing and without gaps: what take and read
// check, and read_csv with the line of each row (NULL: rows are named by their number, from 0).
pal_status pal_feel_trace_check_times(pal_feel_trace *trace, const char *path, const long *line,
                                      pal_err *err);

// Leaves out the end of a run in contact: for the two above.
void pal_feel_trace_cut_end(pal_feel_trace *trace);

#endif
