// Set-up of tree_give.h.
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/substruct/tree_give.h"

// inverse [r][r] of the stiffness at rest.
static pal_status invert(const pal_domain_class *class_, double *inverse, pal_err *err) {
    const int32_t r = class_->r;
    for (int64_t k = 0; k < (int64_t)r * r; k++) {
        const int64_t i = k / r, j = k % r;
        inverse[k] = class_->quartic.p[i < j ? pal_pair_at(i, j) : pal_pair_at(j, i)];
    }
    if (r > 0 && (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', r, inverse, r) != 0 ||
                  LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', r, inverse, r) != 0)) {
        return pal_fail(err, PAL_ERR_NUMERIC,
                        "the domain '%s' has a shape without stiffness; use fewer modes",
                        class_->name);
    }
    for (int64_t k = 0; k < (int64_t)r * r; k++) { // what is above the diagonal
        const int64_t i = k / r, j = k % r;
        inverse[k] = inverse[i < j ? j * r + i : k];
    }
    return PAL_OK;
}

pal_status pal_tree_give_open(const pal_tree *tree, pal_tree_give *give, pal_err *err) {
    size_t size = 0;
    for (int32_t k = 0; k < tree->class_count; k++) {
        size += (size_t)tree->class_[k].r * (size_t)tree->class_[k].r;
    }
    for (int32_t i = 0; i < tree->domain_count; i++) {
        size += (size_t)tree->class_[tree->domain[i].kind].r;
    }
    *give = (pal_tree_give){.inverse = PAL_NEW(double *, tree->class_count, err),
                            .before = PAL_NEW(double *, tree->domain_count, err),
                            .memory = PAL_NEW(double, size, err)};
    double *next = give->memory;
    pal_status status = give->inverse && give->before && next ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t k = 0; status == PAL_OK && k < tree->class_count; k++) {
        give->inverse[k] = next;
        next += (size_t)tree->class_[k].r * (size_t)tree->class_[k].r;
        status = invert(&tree->class_[k], give->inverse[k], err);
    }
    for (int32_t i = 0; status == PAL_OK && i < tree->domain_count; i++) {
        give->before[i] = next;
        next += tree->class_[tree->domain[i].kind].r;
    }
    if (status != PAL_OK) {
        pal_tree_give_close(give);
    }
    return status;
}

void pal_tree_give_close(pal_tree_give *give) {
    free(give->inverse);
    free(give->before);
    free(give->memory);
    memset(give, 0, sizeof *give);
}
