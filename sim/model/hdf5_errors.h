// HDF5's own errors, made ours: it prints none of them. HDF5 keeps its list of errors, and whether
// it prints them, for each thread.
#ifndef PAL_MODEL_HDF5_ERRORS_H
#define PAL_MODEL_HDF5_ERRORS_H

#include "sim/base/status.h"

// HDF5 prints nothing in this thread between the two.
typedef struct pal_hdf5_voice {
    void (*print)(void); // whatever its type
    void *data;
} pal_hdf5_voice;

pal_hdf5_voice pal_hdf5_silence(void);
void pal_hdf5_restore(pal_hdf5_voice before);

// "NAME: cannot VERB WHAT: HDF5 says: why". To be called before HDF5 is called again, which forgets
// why.
pal_status pal_hdf5_fail(const char *name, const char *verb, const char *what, pal_status status,
                         pal_err *err);

#endif
