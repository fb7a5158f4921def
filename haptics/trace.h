// Traces: every tick of a run in a file. A thread of its own takes the records out of the servo's
// log ring, hashes them, and writes them to HDF5 and, if wanted, to CSV; a slow disk costs log
// entries, never servo time.
//
// The file is HDF5 for other programs (a table /ticks with one row per pal_tick_record,
// /scene_text, and attributes at its root), and rows that are each under a hash for this one
// (trace_layout.h). It is written under the name PATH.part and gets its own name when it is
// complete. Whatever happens before that, PATH.part can be read up to the last flush (four times a
// second), and what is read is the beginning of the run.
#ifndef PAL_HAPTICS_TRACE_H
#define PAL_HAPTICS_TRACE_H

#include "devices/device.h"
#include "haptics/ring.h"
#include "haptics/tick_record.h"
#include "sim/base/hash.h"

// Version 2 has no push, grip and slipped, version 3 no fault; they are then read as zeros. Up to
// version 4 a hash was over some columns only, and HDF5 wrote the rows.
enum { PAL_TRACE_VERSION = 5, PAL_TRACE_OLDEST = 2, PAL_TRACE_TEXT = 128, PAL_TRACE_HANDS = 4 };

typedef struct pal_trace_info {
    char scene[PAL_TRACE_TEXT];                // its name
    char device[PAL_TRACE_TEXT];               // "sim", "null", "replay"
    char program[PAL_TRACE_TEXT];              // version of the program
    char kernels[PAL_TRACE_TEXT];              // pal_cpu_kernels of the program; "": not told
    char started[PAL_TRACE_TEXT];              // UTC, ISO 8601
    char trial[PAL_TRACE_TEXT];                // of contact feel, "KIND:NAME"; "": none
    char body_hash[PAL_HASH_TEXT];             // of the live body, "" for a wall
    int32_t hand_count;                        // rows a tick, one after the other
    pal_device_limits limits[PAL_TRACE_HANDS]; // [hand_count] of the devices
    double dt, delay;                          // s
    uint64_t seed;
    bool virtual_time;
    bool single;            // precision of the coefficients
    bool no_local;          // without dents beyond the basis
    bool penalty;           // contact in the penalty form
    const char *edits;      // of materials beside the scene's, a text a line; NULL: none
    const char *scene_path; // for files that the scene names; owned by pal_trace_data when read
    const char *scene_text;
} pal_trace_info;

// ---- writing

typedef struct pal_trace pal_trace;

// Opens the files (each path may be NULL) and starts the thread that empties the ring. A CSV path
// that is no regular file (a pipe, a terminal) is written to as it is.
pal_status pal_trace_open(pal_trace **trace, pal_ring *log, const pal_trace_info *info,
                          const char *hdf5_path, const char *csv_path, pal_err *err);

// Waits until the ring is less than half full: for runs in virtual time, which lose no tick.
void pal_trace_wait(const pal_trace *trace);

// Whether the files take no more (a full disk); pal_trace_close says why. Any thread.
bool pal_trace_failed(const pal_trace *trace);

// Edits of materials that were made in the run (material_desk.h), to be written when the trace is
// closed. Of the thread that closes it.
pal_status pal_trace_set_live_edits(pal_trace *trace, const char *edits, pal_err *err);

typedef struct pal_trace_summary {
    uint64_t rows;            // that were taken from the ring
    char hash[PAL_HASH_TEXT]; // over what is the same in every run of the same ticks
} pal_trace_summary;

// When the servo ticks no more and has put out `rows`: writes the rest, closes and renames the
// files, frees everything. An error of the writing thread is told here; when the disk takes nothing
// for `patience` seconds that is an error, too, and the thread is left behind.
pal_status pal_trace_close(pal_trace *trace, uint64_t rows, double patience,
                           pal_trace_summary *summary, pal_err *err);

// The hash of one tick after the other: all of a record but its times, what depends on them, and
// its friction (tick_record.h).
void pal_trace_hash_record(pal_hash *hash, const pal_tick_record *record);

// ---- reading

typedef enum pal_trace_state {
    PAL_TRACE_WHOLE,
    PAL_TRACE_CUT,    // the beginning of a run: a killed program, a full disk, a file cut short
    PAL_TRACE_DAMAGED // not what was written: read only when asked for
} pal_trace_state;

typedef struct pal_trace_data {
    pal_trace_info info;
    int version; // of the format
    pal_trace_state state;
    char note[192];           // what is to be said of the state, "" for a whole trace
    char hash[PAL_HASH_TEXT]; // of the run, as written; "" in a trace that was cut off
    uint64_t dropped;         // rows that the log lost
    int64_t count;
    pal_tick_record *record; // [count]
    char *scene_path, *scene_text, *edits;
    char *live_edits; // made in the run, as in material_desk.h; NULL: none
} pal_trace_data;

// Whether the file holds a trace (and not a model, which ends in .h5, too).
bool pal_trace_is_path(const char *path);

// Every byte of the file is compared with what was written. A damaged trace is refused, or, in the
// lenient way, taken as it is.
pal_status pal_trace_read(const char *path, pal_trace_data *data, pal_err *err);
pal_status pal_trace_read_as(const char *path, bool lenient, pal_trace_data *data, pal_err *err);
void pal_trace_data_free(pal_trace_data *data);

// Writes a trace that is in memory, the same file as the run's own would be (but for data->hash,
// which is made anew), whole or not at all.
pal_status pal_trace_save(const pal_trace_data *data, const char *path, pal_err *err);

#endif
