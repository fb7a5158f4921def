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

typedef struct load_list {
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
    pal_status status = pal_select_check(pal_line_trim(line), &inner);
    if (status != PAL_OK) {
        return pal_fail_at(err, status, path, number, "%.900s", inner.text);
    }
    return pal_loads_append(list->loads, list->count, pal_line_trim(line), force, err);
}

pal_status pal_loads_read(const char *path, pal_load **loads, int32_t *count, pal_err *err) {
    load_list list = {loads, count};
    return pal_lines_read(path, take_line, &list, err);
}
