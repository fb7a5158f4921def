#include "sim/base/status.h"

#include <stdarg.h>
#include <stdio.h>

const char *pal_status_text(pal_status status) {
    switch (status) {
#define PAL_STATUS_CASE(name, text)                                                                \
    case name:                                                                                     \
        return text;
        PAL_STATUS_LIST(PAL_STATUS_CASE)
#undef PAL_STATUS_CASE
    }
    return "unknown status";
}

pal_status pal_fail(pal_err *err, pal_status status, const char *format, ...) {
    if (err != NULL) {
        err->status = status;
        va_list args;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return status;
}

pal_status pal_fail_at(pal_err *err, pal_status status, const char *file, long line,
                       const char *format, ...) {
    if (err != NULL) {
        err->status = status;
        int used = line > 0 ? snprintf(err->text, sizeof err->text, "%s:%ld: ", file, line)
                            : snprintf(err->text, sizeof err->text, "%s: ", file);
        if (used < 0 || (size_t)used >= sizeof err->text) {
            used = 0;
        }
        va_list args;
        va_start(args, format);
        vsnprintf(err->text + used, sizeof err->text - (size_t)used, format, args);
        va_end(args);
    }
    return status;
}

pal_status pal_fail_in(pal_err *err, pal_status status, const char *file) {
    if (err != NULL && status != PAL_OK && status != PAL_ERR_MEMORY) {
        pal_err inner = *err;
        pal_fail_at(err, status, file, 0, "%s", inner.text);
    }
    return status;
}
