// Scorecards for people and programs, on standard output.
#ifndef PAL_APP_FEEL_SHOW_H
#define PAL_APP_FEEL_SHOW_H

#include <stdio.h>

#include "app/feel/feel.h"
#include "app/feel/feel_golden.h"
#include "app/json.h"

// The verdict table: failures first, then the rest in the order of the metrics; and what could not
// be measured, with its reason.
void pal_feel_print(const pal_feel *feel);
void pal_feel_print_incidents(const pal_feel *feel); // trials that went otherwise
void pal_feel_print_trials(const pal_feel *feel);
void pal_feel_print_left_out(const pal_feel *feel); // the standard trials that there are not
void pal_feel_print_golden(const pal_golden_result *result, const char *path);

// Scores, verdicts, trials, hashes; times apart (feel_report_json.c).
void pal_feel_json(const pal_feel *feel, cJSON *root);
// What the plan has, for --list.
void pal_feel_json_trials(const pal_feel *feel, cJSON *root);
void pal_feel_json_left_out(const pal_feel *feel, cJSON *root);
void pal_feel_json_golden(const pal_golden_result *result, cJSON *root);

// The metrics with their gates and definitions, for the help.
void pal_feel_define(FILE *out);

// The error of a suite with failed gates, which names them; PAL_OK when all hold.
pal_status pal_feel_verdict(const pal_feel *feel, pal_err *err);

#endif
