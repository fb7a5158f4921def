#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/substruct/tree_state.h"
#include "sim/substruct/tree_touch.h"

pal_status pal_tree_touch_open(pal_tree_touch *touch, const pal_tree_state *state, pal_err *err) {
    *touch = (pal_tree_touch){.count = 0};
    touch->work = PAL_NEW(
        double, (PAL_TOUCH_DOMAINS + 1) * (PAL_DOMAIN_MOST_MODES + 6) * PAL_TOUCH_SIZE, err);
    touch->path = PAL_NEW(int32_t, state->depth, err);
    if (touch->work == NULL || touch->path == NULL) {
        pal_tree_touch_close(touch);
        return PAL_ERR_MEMORY;
    }
    return PAL_OK;
}

void pal_tree_touch_close(pal_tree_touch *touch) {
    free(touch->work);
    free(touch->path);
    *touch = (pal_tree_touch){.count = 0};
}
