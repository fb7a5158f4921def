#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/model/tree_bake.h"

// target [count]: each domain's share of the total, not yet whole.
static void find_targets(pal_mode_share how, int32_t total, int32_t count, const int32_t *elements,
                         double *target) {
    double sum = 0.0;
    for (int32_t i = 0; i < count; i++) {
        target[i] = how == PAL_SHARE_LOGARITHMIC ? log(fmax(1.0, elements[i])) : elements[i];
        sum += target[i];
    }
    for (int32_t i = 0; i < count; i++) {
        target[i] = sum > 0.0 ? total * target[i] / sum : (double)total / count;
    }
}

pal_status pal_tree_share_modes(pal_mode_share how, int32_t total, int32_t least, int32_t most,
                                int32_t count, const int32_t *elements, int32_t *r, pal_err *err) {
    if (least < 0 || most < least || (int64_t)count * least > total) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "%d modes cannot be shared by %d domains with %d to %d each", total, count,
                        least, most);
    }
    double *target = PAL_NEW(double, count, err);
    if (target == NULL) {
        return PAL_ERR_MEMORY;
    }
    find_targets(how, total, count, elements, target);
    for (int32_t i = 0; i < count; i++) {
        r[i] = least;
    }
    // One mode after the other to the domain that is farthest below its share.
    for (int32_t left = total - count * least; left > 0; left--) {
        int32_t best = -1;
        for (int32_t i = 0; i < count; i++) {
            if (r[i] < most && (best < 0 || target[i] - r[i] > target[best] - r[best])) {
                best = i;
            }
        }
        if (best < 0) {
            break;
        }
        r[best]++;
    }
    free(target);
    return PAL_OK;
}
