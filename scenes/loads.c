// Lists of loads for a basis [BJ05 5.2], from the scene and from a file of recorded ones.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/scene_file.h"
#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "sim/mesh/select.h"

pal_status pal_loads_append(pal_load **loads, int32_t *count, const char *selector,
                            const double force[3], pal_err *err) {
    // the room doubles whenever the count is a power of two
    if ((*count & (*count - 1)) == 0) {
        if (*count > INT32_MAX / 4) {
            return pal_fail(err, PAL_ERR_INPUT, "too many loads");
        }
        pal_load *more = PAL_NEW(pal_load, *count == 0 ? 1 : 2 * *count, err);
        if (more == NULL) {
            return PAL_ERR_MEMORY;
        }
        if (*count > 0) {
            memcpy(more, *loads, (size_t)*count * sizeof *more);
        }
        free(*loads);
        *loads = more;
    }
    pal_load *load = *loads + *count;
    load->selector = pal_copy_text(selector, err);
    if (load->selector == NULL) {
        return PAL_ERR_MEMORY;
    }
    memcpy(load->force, force, sizeof load->force);
    ++*count;
    return PAL_OK;
}

void pal_loads_free(pal_load *loads, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        free(loads[i].selector);
    }
    free(loads);
}

// Three finite numbers and nothing else.
static bool read_force(const char *text, double force[3]) {
    for (int c = 0; c < 3; c++) {
        char *end;
        force[c] = strtod(text, &end);
        if (end == text || !isfinite(force[c])) {
            return false;
        }
        text = end;
    }
    return text[strspn(text, " \t\r")] == '\0';
}

static char *trim(char *text) {
    text += strspn(text, " \t\r");
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) {
        text[--length] = '\0';
    }
    return text;
}

// One line, without its end; it is cut into pieces.
static pal_status read_line(const char *path, long number, char *line, pal_load **loads,
                            int32_t *count, pal_err *err) {
    line[strcspn(line, "#")] = '\0';
    line = trim(line);
    if (*line == '\0') {
        return PAL_OK;
    }
    char *middle = strrchr(line, ';');
    double force[3];
    if (middle == NULL || !read_force(middle + 1, force)) {
        return pal_fail_at(err, PAL_ERR_INPUT, path, number,
                           "not a load; write a selector, ';' and three forces in newtons, such as "
                           "'z>0.1 ; 0 0 -1'");
    }
    *middle = '\0';
    pal_err inner;
    pal_status status = pal_select_check(trim(line), &inner);
    if (status != PAL_OK) {
        return pal_fail_at(err, status, path, number, "%.900s", inner.text);
    }
    return pal_loads_append(loads, count, trim(line), force, err);
}

pal_status pal_loads_read(const char *path, pal_load **loads, int32_t *count, pal_err *err) {
    char *text;
    size_t size;
    pal_status status = pal_file_read(path, &text, &size, err);
    if (status == PAL_OK && memchr(text, '\0', size) != NULL) {
        status = pal_fail_at(err, PAL_ERR_INPUT, path, 0, "holds NUL characters: not a text file");
    }
    long number = 0;
    for (char *line = text; status == PAL_OK && line != NULL;) {
        char *end = strchr(line, '\n');
        if (end != NULL) {
            *end++ = '\0';
        }
        status = read_line(path, ++number, line, loads, count, err);
        line = end;
    }
    free(text);
    return status;
}
