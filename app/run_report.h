// What there is to say of a run: for `run`, `replay` and `demo`.
#ifndef PAL_APP_RUN_REPORT_H
#define PAL_APP_RUN_REPORT_H

#include "app/json.h"
#include "app/session.h"

void pal_run_report_print(const pal_session *session, const pal_run_result *result);

// ticks, dropped, missed_deadlines, tick_us, max_force_n, max_penetration_m, energy_generated_j,
// safety, trace_hash.
void pal_run_report_json(const pal_session *session, const pal_run_result *result, cJSON *root);

// The last words on a run whose force was taken away for good, or NULL.
const char *pal_run_report_fault(const pal_session *session);

#endif
