#include "app/json.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/file.h"

// cJSON passes over missing memory in silence; this notes it for pal_json_print.
static bool short_of_memory;

static cJSON *noted(cJSON *item) {
    short_of_memory = short_of_memory || item == NULL;
    return item;
}

cJSON *pal_json_object(void) {
    return noted(cJSON_CreateObject());
}

cJSON *pal_json_array(void) {
    return noted(cJSON_CreateArray());
}

void pal_json_add(cJSON *object, const char *key, cJSON *item) {
    if (item == NULL || !cJSON_AddItemToObject(object, key, item)) {
        short_of_memory = true;
        cJSON_Delete(item);
    }
}

void pal_json_append(cJSON *array, cJSON *item) {
    if (item == NULL || !cJSON_AddItemToArray(array, item)) {
        short_of_memory = true;
        cJSON_Delete(item);
    }
}

void pal_json_number(cJSON *object, const char *key, double value) {
    pal_json_add(object, key, cJSON_CreateNumber(value));
}

void pal_json_text(cJSON *object, const char *key, const char *value) {
    pal_json_add(object, key, cJSON_CreateString(value));
}

void pal_json_bool(cJSON *object, const char *key, bool value) {
    pal_json_add(object, key, cJSON_CreateBool(value));
}

void pal_json_numbers(cJSON *object, const char *key, const double *value, int64_t count) {
    cJSON *array = count <= INT_MAX ? cJSON_CreateDoubleArray(value, (int)count) : NULL;
    pal_json_add(object, key, array);
}

void pal_json_vectors(cJSON *object, const char *key, const double *value, int64_t count) {
    cJSON *array = pal_json_array();
    for (int64_t i = 0; i < count; i++) {
        pal_json_append(array, cJSON_CreateDoubleArray(value + 3 * i, 3));
    }
    pal_json_add(object, key, array);
}

static char *text_of(cJSON *root, pal_err *err) {
    char *text = short_of_memory ? NULL : cJSON_Print(root);
    cJSON_Delete(root);
    if (text == NULL) {
        pal_fail(err, PAL_ERR_MEMORY, "out of memory while writing the results as JSON");
    }
    return text;
}

pal_status pal_json_print(cJSON *root, pal_err *err) {
    char *text = text_of(root, err);
    if (text == NULL) {
        return PAL_ERR_MEMORY;
    }
    puts(text);
    cJSON_free(text);
    return PAL_OK;
}

pal_status pal_json_write(cJSON *root, const char *path, pal_err *err) {
    char *text = text_of(root, err);
    if (text == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_status status = pal_file_write_atomic(path, text, strlen(text), err);
    cJSON_free(text);
    return status;
}
