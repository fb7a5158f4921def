// Results as JSON on standard output: a thin layer over cJSON. Objects are owned by the root, which
// pal_json_print prints and deletes.
#ifndef PAL_APP_JSON_H
#define PAL_APP_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/base/status.h"

cJSON *pal_json_object(void);
cJSON *pal_json_array(void);

void pal_json_number(cJSON *object, const char *key, double value); // not finite: null
void pal_json_text(cJSON *object, const char *key, const char *value);
void pal_json_bool(cJSON *object, const char *key, bool value);
void pal_json_numbers(cJSON *object, const char *key, const double *value, int64_t count);
void pal_json_add(cJSON *object, const char *key, cJSON *item);
void pal_json_append(cJSON *array, cJSON *item);

// Array of `count` arrays of three: value [count][3].
void pal_json_vectors(cJSON *object, const char *key, const double *value, int64_t count);

// Prints the whole and deletes it. PAL_ERR_MEMORY when any part could not be made.
pal_status pal_json_print(cJSON *root, pal_err *err);

// Whether something has been printed.
bool pal_json_printed(void);

// The same into a file, whole or not at all.
pal_status pal_json_write(cJSON *root, const char *path, pal_err *err);

#endif
