// Lists of loads for a basis [BJ05 5.2], from the scene and from a file of recorded ones.
#include <stdlib.h>
#include <string.h>

#include "scenes/scene_file.h"
#include "sim/base/lines.h"
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

bool pal_loads_have_places(const pal_load *loads, int32_t count, const pal_landmarks *names) {
    for (int32_t i = 0; i < count; i++) {
        if (pal_point_is(loads[i].selector, names)) {
            return true;
        }
    }
    return false;
}

pal_status pal_loads_settle(pal_load *loads, int32_t count, const pal_landmarks *names,
                            const pal_volmesh *mesh, pal_err *err) {
    for (int32_t i = 0; i < count; i++) {
        char selector[32];
        pal_err inner;
        if (!pal_point_is(loads[i].selector, names)) {
            continue;
        }
        const pal_status status =
            pal_point_selector(loads[i].selector, names, mesh, selector, &inner);
        char *copy = status == PAL_OK ? pal_copy_text(selector, err) : NULL;
        if (copy == NULL) {
            return status == PAL_OK ? PAL_ERR_MEMORY
                                    : pal_fail(err, status, "load %d, '%.60s': %.700s", (int)i + 1,
                                               loads[i].selector, inner.text);
        }
        free(loads[i].selector);
        loads[i].selector = copy;
    }
    return PAL_OK;
}

typedef struct load_list {
    const pal_landmarks *names;
    pal_load **loads;
    int32_t *count;
} load_list;

static pal_status take_line(void *context, const char *path, long number, char *line,
                            pal_err *err) {
    const load_list *list = context;
    char *middle = strrchr(line, ';');
    double force[3];
    if (middle == NULL || !pal_line_numbers(middle + 1, force, 3)) {
        return pal_fail_at(err, PAL_ERR_INPUT, path, number,
                           "not a load; write a selector, ';' and three forces in newtons, such as "
                           "'z>0.1 ; 0 0 -1'");
    }
    *middle = '\0';
    pal_err inner;
    pal_point point;
    const char *where = pal_line_trim(line);
    pal_status status = pal_point_is(where, list->names)
                            ? pal_point_parse(where, list->names, &point, &inner)
                            : pal_select_check(where, &inner);
    if (status != PAL_OK) {
        return pal_fail_at(err, status, path, number, "%.900s", inner.text);
    }
    return pal_loads_append(list->loads, list->count, where, force, err);
}

pal_status pal_loads_read(const char *path, const pal_landmarks *names, pal_load **loads,
                          int32_t *count, pal_err *err) {
    load_list list = {names, loads, count};
    return pal_lines_read(path, take_line, &list, err);
}
