// The built program, run as a user runs it.
#ifndef PAL_TESTS_PROGRAM_H
#define PAL_TESTS_PROGRAM_H

#include <cjson/cJSON.h>

#include "sim/base/status.h"

enum { PROGRAM_OUTPUT = 1 << 18 };

typedef struct program_result {
    char out[PROGRAM_OUTPUT], errors[PROGRAM_OUTPUT];
    int code; // exit code, -1: ended by a signal
} program_result;
extern program_result program; // of the last run

// Runs `palpate ARGUMENTS` through the shell.
void program_run(const char *format, ...) PAL_PRINTF(1, 2);

// A run in real time must have ended well, or with the fault of a machine that has other things to
// do: missed deadlines.
void program_ran_in_real_time(void);

// It must have said one line with these words on standard error and nothing on standard output
// (with --json: the same as an object), and ended with this code.
void program_fails(int code, const char *words);

// It must have printed JSON and nothing else. Delete the result.
cJSON *program_json(void);

// Members that must be there; an array of this size.
double program_number(const cJSON *object, const char *key);
const cJSON *program_array(const cJSON *object, const char *key, int size);

#endif
