// The layout of a trace's file (format 5). For trace_file.c, which writes it, and trace_read.c.
//
//   head  text, padded to a power of two: what is known when the run begins, and the columns
//   HDF5  what Python, MATLAB, Julia and h5dump read: zeros until the run ends (trace_describe.c)
//   rows  of equal size, appended as they come: the record, then its seal
//   tail  text: what is known at the end, and the hash of all the rest
//
// The seal of a row is the hash of the head and of all rows up to it: rows whose seals are right
// are the beginning of the run, whatever has become of the rest. Nothing that is read back to a run
// is ever written over, so that a kill or a full disk cuts the file off and does no other harm.
#ifndef PAL_HAPTICS_TRACE_LAYOUT_H
#define PAL_HAPTICS_TRACE_LAYOUT_H

#include <stdio.h>

#include "haptics/trace.h"

enum {
    PAL_TRACE_SEAL = 8, // bytes
    PAL_TRACE_ROW = sizeof(pal_tick_record) + PAL_TRACE_SEAL,
    PAL_TRACE_LIMITS = 14,  // numbers of a device
    PAL_TRACE_COLUMNS = 64, // at most
    PAL_TRACE_MOST_ROWS = 1 << 26,
    PAL_TRACE_MOST_HEAD = 1 << 26
};

// ---- the head

typedef struct pal_trace_column {
    const struct pal_tick_field *field; // of ours
    size_t offset;                      // in a row of the file
} pal_trace_column;

typedef struct pal_trace_head {
    size_t size; // bytes, a power of two
    uint64_t rows_at, row_bytes;
    int column_count;
    pal_trace_column column[PAL_TRACE_COLUMNS];
} pal_trace_head;

// The head as a heap array of *size bytes. `hdf5`: bytes to keep for HDF5.
pal_status pal_trace_head_make(const pal_trace_info *info, size_t hdf5, char **bytes, size_t *size,
                               pal_err *err);

// How large the head is that begins so; 0: these bytes do not begin a trace of this format.
size_t pal_trace_head_size(const char *bytes, size_t size);

// Reads it again; the texts of `data` are its own. `path` is for messages.
pal_status pal_trace_head_parse(const char *path, const char *bytes, size_t size,
                                pal_trace_head *head, pal_trace_data *data, pal_err *err);

// ---- the tail

typedef struct pal_trace_tail {
    uint64_t rows, dropped;
    char run_hash[PAL_HASH_TEXT]; // pal_trace_data.hash
    const char *live_edits;       // NULL: none
} pal_trace_tail;

#define PAL_TRACE_TAIL_START "end of trace\n"

// Writes the tail but for its hash, which stands at its end; *edits_at: where in it the text of the
// edits begins. pal_trace_tail_close adds the hash and the size of all.
pal_status pal_trace_tail_make(const pal_trace_tail *tail, char **bytes, size_t *size,
                               size_t *edits_at, pal_err *err);
enum { PAL_TRACE_TAIL_HASH = 5 + 32 + 1 + 16 + 1 }; // "hash ", the hash, newline, size, newline
void pal_trace_tail_close(const pal_hash *all, size_t size, char end[PAL_TRACE_TAIL_HASH + 1]);

// What a tail of `size` bytes says; *hash is what it says of the rest. False when it is none.
bool pal_trace_tail_parse(const char *bytes, size_t size, pal_trace_data *data, uint64_t *rows,
                          char hash[PAL_HASH_TEXT], pal_err *err);

// How large the tail is whose last 17 bytes these are; 0: it is none.
size_t pal_trace_tail_size(const char last[17]);

// ---- parts

// The limits of a device as one row of numbers, and back.
void pal_trace_limits_out(const pal_device_limits *limits, double row[PAL_TRACE_LIMITS]);
void pal_trace_limits_in(pal_device_limits *limits, const double row[PAL_TRACE_LIMITS]);

// "touch,premium": the name of each hand's device.
enum { PAL_TRACE_PROFILES = PAL_TRACE_TEXT + PAL_TRACE_HANDS };
void pal_trace_profiles_join(const pal_trace_info *info, char text[PAL_TRACE_PROFILES]);
void pal_trace_profiles_split(const char *text, pal_trace_info *info);

#endif
