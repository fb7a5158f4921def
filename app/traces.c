#include "app/traces.h"

#include <stdio.h>
#include <string.h>

#include "app/style.h"

static bool lenient;
static char told[1024]; // of which file

void pal_traces_be_lenient(void) {
    lenient = true;
}

const char *pal_traces_state(const pal_trace_data *data) {
    static const char *const names[] = {"whole", "cut off", "damaged"};
    return names[data->state];
}

pal_status pal_traces_read(const char *path, pal_trace_data *data, pal_err *err) {
    pal_status status = pal_trace_read_as(path, lenient, data, err);
    if (status == PAL_OK && data->state != PAL_TRACE_WHOLE && strncmp(path, told, 1023) != 0) {
        const bool damaged = data->state == PAL_TRACE_DAMAGED;
        fflush(stdout);
        fprintf(stderr, "palpate: %s%s:%s %s: %s%s\n", damaged ? pal_style_alarm(stderr) : "",
                damaged ? "warning" : "note", damaged ? pal_style_plain(stderr) : "", path,
                data->note, damaged ? "; it is read as it is" : "");
        snprintf(told, sizeof told, "%s", path);
    }
    return status;
}
