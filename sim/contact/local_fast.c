#include "sim/contact/local_parts.h"
pal_status pal_local_fast(pal_local_job *job, pal_err *err) {
    (void)job;
    return pal_fail(err, PAL_ERR_UNSUPPORTED, "not yet");
}
