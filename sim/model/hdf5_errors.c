#include "sim/model/hdf5_errors.h"

#include <hdf5.h>
#include <stdio.h>

pal_hdf5_voice pal_hdf5_silence(void) {
    H5E_auto2_t print = NULL;
    pal_hdf5_voice before = {NULL, NULL};
    H5Eget_auto2(H5E_DEFAULT, &print, &before.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    before.print = (void (*)(void))print;
    return before;
}

void pal_hdf5_restore(pal_hdf5_voice before) {
    H5Eset_auto2(H5E_DEFAULT, (H5E_auto2_t)before.print, before.data);
}

static herr_t take_first(unsigned depth, const H5E_error2_t *error, void *text) {
    if (depth == 0 && error->desc != NULL) {
        snprintf(text, 256, "%s", error->desc);
    }
    return 0;
}

pal_status pal_hdf5_fail(const char *name, const char *verb, const char *what, pal_status status,
                         pal_err *err) {
    char why[256] = "no reason given";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, why);
    H5Eclear2(H5E_DEFAULT);
    return pal_fail(err, status, "%s: cannot %s %s: HDF5 says: %s", name, verb, what, why);
}
