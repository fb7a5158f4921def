#include "scenes/checking.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scenes/yaml_text.h"
#include "sim/mesh/select.h"

pal_status pal_check_fail(const pal_checking *c, const char *path, const char *format, ...) {
    char text[800];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *dot = strrchr(path, '.');
    char whole[160];
    const bool common = c->prefix == NULL || strncmp(path, "wall", 4) == 0;
    snprintf(whole, sizeof whole, "%s%s", common ? "" : c->prefix, path);
    return pal_fail_at(c->err, PAL_ERR_INPUT, c->scene->path, pal_yaml_line(c->document, whole),
                       "%s: %s", dot != NULL ? dot + 1 : path, text);
}

pal_status pal_check_quantity(const pal_checking *c, const char *path, const char *text,
                              pal_dimension dimension, double *value) {
    pal_err inner;
    if (text != NULL && pal_quantity_parse(text, dimension, value, &inner) != PAL_OK) {
        return pal_check_fail(c, path, "%s", inner.text);
    }
    return PAL_OK;
}

pal_status pal_check_not_negative(const pal_checking *c, const char *path, double value) {
    return value >= 0.0 ? PAL_OK : pal_check_fail(c, path, "%g is below 0", value);
}

pal_status pal_check_range(const pal_checking *c, const char *path, long value, long low,
                           long high) {
    return value >= low && value <= high
               ? PAL_OK
               : pal_check_fail(c, path, "%ld is outside %ld to %ld", value, low, high);
}

pal_status pal_check_amount(const pal_checking *c, const char *path, const char *text,
                            pal_dimension dimension, bool positive, double *value) {
    if (text == NULL) {
        return PAL_OK;
    }
    pal_status status = pal_check_quantity(c, path, text, dimension, value);
    if (status == PAL_OK && positive && !(*value > 0.0)) {
        return pal_check_fail(c, path, "must be above 0");
    }
    return status == PAL_OK ? pal_check_not_negative(c, path, *value) : status;
}

pal_status pal_check_triple(const pal_checking *c, const char *path, char *const text[3],
                            pal_dimension dimension, double value[3]) {
    pal_status status = PAL_OK;
    for (int k = 0; status == PAL_OK && k < 3; k++) {
        status = pal_check_quantity(c, path, text[k], dimension, &value[k]);
    }
    return status;
}

const char *pal_check_join(char out[96], const char *path, const char *key) {
    snprintf(out, 96, "%s.%s", path, key);
    return out;
}

pal_status pal_check_file(const pal_checking *c, const char *path, const char *file) {
    char *full = pal_scene_file_path(c->scene, file, c->err);
    if (full == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_status status = access(full, R_OK) == 0
                            ? PAL_OK
                            : pal_check_fail(c, path,
                                             "cannot read the file '%.300s'; paths are relative to "
                                             "the scene file",
                                             full);
    free(full);
    return status;
}

pal_status pal_check_selector(const pal_checking *c, const char *path, const char *text) {
    pal_err inner;
    pal_status status = pal_select_check(text, &inner);
    if (status == PAL_ERR_MEMORY) {
        return pal_fail(c->err, status, "%.900s", inner.text);
    }
    return status == PAL_OK ? PAL_OK : pal_check_fail(c, path, "%s", inner.text);
}

pal_status pal_check_load_place(const pal_checking *c, const char *path, const char *text) {
    pal_point point;
    pal_err inner;
    if (!pal_point_is(text, &c->scene->landmarks)) {
        return pal_check_selector(c, path, text);
    }
    return pal_point_parse(text, &c->scene->landmarks, &point, &inner) == PAL_OK
               ? PAL_OK
               : pal_check_fail(c, path, "%s", inner.text);
}
