// Texts that include others by lines "*INCLUDE file" (VEGA), as one text. Names are relative to the
// including file. Any thread.
#ifndef PAL_MESH_INCLUDE_H
#define PAL_MESH_INCLUDE_H

#include "sim/mesh/scan.h"

enum { PAL_INCLUDE_DEEPEST = 16, PAL_INCLUDE_MOST = 1024 }; // levels; files in all

typedef struct pal_included {
    pal_text text;       // all of it
    pal_scan_part *part; // [part_count] where its lines come from
    int64_t part_count, part_room;
    char *data; // what `text` shows, on the heap; NULL when nothing is included
    int64_t size, room;
    char **name; // [name_count] of the included files
    int64_t name_count, name_room;
} pal_included;

// Reads what `text` includes by text->files. A file that includes itself, by whatever way, is an
// error that tells the chain of names. *whole is to be freed in any case.
pal_status pal_include(const pal_text *text, pal_included *whole, pal_err *err);
void pal_included_free(pal_included *whole);

#endif
