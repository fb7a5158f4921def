// Fuzzes the reader of traces in tables of numbers; what it takes is measured, too.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "haptics/feel/measure.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    pal_feel_trace trace;
    pal_err err = {PAL_OK, ""};
    char *text = malloc(size + 1);
    if (text == NULL) {
        abort();
    }
    memcpy(text, data, size);
    text[size] = '\0';
    const pal_status status = pal_feel_trace_parse_csv(&trace, "fuzz.csv", text, size, &err);
    if (status == PAL_OK) {
        pal_scorecard card = {0};
        if (trace.count < 2 || !(trace.dt > 0.98e-3 && trace.dt < 1.02e-3) ||
            pal_feel_measure(&trace, NULL, &card, &err) != PAL_OK) {
            abort();
        }
        pal_scorecard_free(&card);
    } else if (trace.row != NULL || err.status != status || err.text[0] == '\0') {
        abort();
    }
    pal_feel_trace_free(&trace);
    free(text);
    return 0;
}
