#include "sim/base/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"

static const char blank[] = " \t\r";

char *pal_line_trim(char *text) {
    text += strspn(text, blank);
    size_t length = strlen(text);
    while (length > 0 && strchr(blank, text[length - 1]) != NULL) {
        text[--length] = '\0';
    }
    return text;
}

bool pal_line_numbers(const char *text, double *number, int count) {
    for (int i = 0; i < count; i++) {
        char *end;
        number[i] = strtod(text, &end);
        if (end == text || !isfinite(number[i])) {
            return false;
        }
        text = end;
    }
    return text[strspn(text, blank)] == '\0';
}

pal_status pal_lines_parse(const char *path, char *text, size_t size, pal_line_taker take,
                           void *context, pal_err *err) {
    if (memchr(text, '\0', size) != NULL) {
        return pal_fail_at(err, PAL_ERR_INPUT, path, 0, "holds NUL characters: not a text file");
    }
    pal_status status = PAL_OK;
    long number = 0;
    for (char *line = text; status == PAL_OK && line != NULL;) {
        char *end = strchr(line, '\n');
        if (end != NULL) {
            *end++ = '\0';
        }
        line[strcspn(line, "#")] = '\0';
        line = pal_line_trim(line);
        number++;
        if (*line != '\0') {
            status = take(context, path, number, line, err);
        }
        line = end;
    }
    return status;
}

pal_status pal_lines_read(const char *path, pal_line_taker take, void *context, pal_err *err) {
    char *text;
    size_t size;
    pal_status status = pal_file_read(path, &text, &size, err);
    if (status == PAL_OK) {
        status = pal_lines_parse(path, text, size, take, context, err);
    }
    free(text);
    return status;
}
