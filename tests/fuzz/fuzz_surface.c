// The first byte chooses the format; the rest is the file.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/mesh/surface_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) {
        return 0;
    }
    char *text = malloc(size); // the file and a NUL
    if (text == NULL) {
        return 0;
    }
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    pal_surface surface;
    pal_err err;
    if (pal_surface_parse((pal_surface_format)(data[0] % 3), "fuzz", text, size - 1, &surface,
                          &err) == PAL_OK) {
        pal_surface_quality quality;
        pal_surface_measure(&surface, &quality, &err);
    }
    pal_surface_free(&surface);
    free(text);
    return 0;
}
