#include "app/json.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/visible.h"

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

// What cJSON leaves as it is within a text, and nobody should see as it is: DEL and C1 become
// \u0085, what is no UTF-8 the four characters \x9b.
static void escape_rest(const char *text, FILE *out) {
    const size_t length = strlen(text);
    for (size_t at = 0; at < length;) {
        const unsigned char c = (unsigned char)text[at], next = (unsigned char)text[at + 1];
        const int shown = c == '\n' || c == '\t' ? 1 : pal_visible_size(text + at, length - at);
        if (shown > 0) {
            fwrite(text + at, 1, (size_t)shown, out);
        } else if (c == 0x7f) {
            fputs("\\u007f", out);
        } else if (c == 0xc2 && next >= 0x80 && next < 0xa0) {
            fprintf(out, "\\u%04x", (unsigned)next);
        } else {
            fprintf(out, "\\\\x%02x", (unsigned)c);
        }
        at += shown > 0 ? (size_t)shown : c == 0xc2 && next >= 0x80 && next < 0xa0 ? 2 : 1;
    }
}

// A heap text; free() it.
static char *text_of(cJSON *root, pal_err *err) {
    char *text = short_of_memory ? NULL : cJSON_Print(root), *safe = NULL;
    size_t size = 0;
    cJSON_Delete(root);
    FILE *out = text != NULL ? open_memstream(&safe, &size) : NULL;
    if (out != NULL) {
        escape_rest(text, out);
        if (ferror(out) != 0 || fclose(out) != 0) {
            free(safe);
            safe = NULL;
        }
    }
    cJSON_free(text);
    if (safe == NULL) {
        pal_fail(err, PAL_ERR_MEMORY, "out of memory while writing the results as JSON");
    }
    return safe;
}

static bool printed;

bool pal_json_printed(void) {
    return printed;
}

pal_status pal_json_print(cJSON *root, pal_err *err) {
    char *text = text_of(root, err);
    if (text == NULL) {
        return PAL_ERR_MEMORY;
    }
    puts(text);
    printed = true;
    free(text);
    return PAL_OK;
}

pal_status pal_json_write(cJSON *root, const char *path, pal_err *err) {
    char *text = text_of(root, err);
    if (text == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_status status = pal_file_write_atomic(path, text, strlen(text), err);
    free(text);
    return status;
}
