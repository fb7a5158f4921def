// The arrays of a VTK XML file: where one stands and how it is coded, and its numbers. Any thread.
#ifndef PAL_MESH_VTU_ARRAY_H
#define PAL_MESH_VTU_ARRAY_H

#include "sim/mesh/vtk_data.h"

typedef enum pal_vtu_coding {
    PAL_VTU_ASCII,
    PAL_VTU_BASE64,
    PAL_VTU_RAW,
} pal_vtu_coding;

typedef struct pal_vtu_array {
    const pal_vtk_type *type; // NULL: the array is not there
    pal_vtu_coding coding;
    const char *begin, *end; // its text or bytes; an appended array may end before `end`
    long line;               // of its tag
} pal_vtu_array;

typedef struct pal_vtu_layout { // what holds for all arrays of a file
    const char *name;           // of the file
    pal_err *err;
    bool big_endian;
    bool zlib;
    int header_size; // bytes of one number of a block's header: 4 or 8
} pal_vtu_layout;

// Exactly `count` numbers of an array, on the heap. `what` names the array in messages. On failure
// NULL, with err and *status set; NULL at once when *status is a failure already. A count that the
// bytes cannot hold fails before anything is allocated.
double *pal_vtu_reals(const pal_vtu_layout *layout, const pal_vtu_array *array, const char *what,
                      int64_t count, pal_status *status);
int64_t *pal_vtu_ints(const pal_vtu_layout *layout, const pal_vtu_array *array, const char *what,
                      int64_t count, pal_status *status);

#endif
