// What there is to say of a run: for `run`, `replay` and `demo`.
#ifndef PAL_APP_RUN_REPORT_H
#define PAL_APP_RUN_REPORT_H

#include "app/json.h"
#include "app/session.h"

void pal_run_report_print(const pal_session *session, const pal_run_result *result);

// ticks, dropped, missed_deadlines, tick_us, max_force_n, max_penetration_m, energy_generated_j,
// safety, hands (faults with their cause and time, softening, heat), notes, trace_hash.
void pal_run_report_json(const pal_session *session, const pal_run_result *result, cJSON *root);

// Fails, with the hand, the time, the cause and what to do, when at the end of a run the force of a
// hand was taken away and nobody has re-armed it.
pal_status pal_run_report_verdict(const pal_session *session, pal_err *err);

#endif
