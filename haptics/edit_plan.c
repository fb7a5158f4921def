#include "haptics/edit_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/reduced/quartic_build.h"

// What one edit is summed with.
typedef struct summing {
    pal_material *material; // [region_count], as the edits so far have left them
    pal_quartic quartic;
    double *mass; // [pal_pairs(r)]
} summing;

static pal_status open_summing(summing *sum, const pal_model *model, pal_err *err) {
    sum->material = PAL_NEW(pal_material, model->region_count, err);
    sum->mass = PAL_NEW(double, pal_pairs(model->r), err);
    if (sum->material == NULL || sum->mass == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t g = 0; g < model->region_count; g++) {
        sum->material[g] = model->region[g].material;
    }
    return pal_quartic_alloc(&sum->quartic, model->r, err);
}

static void close_summing(summing *sum) {
    pal_quartic_free(&sum->quartic);
    free(sum->material);
    free(sum->mass);
}

// The edits in the order of their ticks; those of one tick stay in the order given.
static void sort(const pal_material_edit *edit, int count, double dt, pal_planned_edit *item,
                 const pal_material_edit **sorted) {
    for (int i = 0; i < count; i++) {
        uint64_t tick = (uint64_t)llrint(edit[i].at / dt);
        int at = i;
        for (; at > 0 && item[at - 1].tick > tick; at--) {
            item[at] = item[at - 1];
            sorted[at] = sorted[at - 1];
        }
        item[at].tick = tick;
        sorted[at] = &edit[i];
    }
}

static pal_status add(pal_edit_plan *plan, const pal_model *model, const pal_material_edit *edit,
                      pal_precision precision, summing *sum, pal_err *err) {
    pal_status status = pal_material_edit_apply(edit, model, sum->material, err);
    if (status == PAL_OK) {
        status = pal_model_retune(model, sum->material, &sum->quartic, sum->mass, err);
    }
    if (status != PAL_OK) {
        return status;
    }
    void *memory = pal_alloc(pal_newmark_coefficient_bytes(model->r, precision), 1, err);
    if (memory == NULL) {
        return PAL_ERR_MEMORY;
    }
    const int32_t g = pal_model_find_region(model, edit->region, NULL);
    const int here = plan->count++;
    pal_planned_edit *item = &plan->item[here];
    plan->memory[here] = memory;
    item->region = g;
    item->local_scale = model->region[g].material.young / sum->material[g].young;
    item->coefficients = pal_newmark_prepare(memory, &sum->quartic, sum->mass, precision);
    return PAL_OK;
}

// An empty plan, and the edits in their order.
static pal_status begin(pal_edit_plan *plan, const pal_material_edit *edit, int count, double dt,
                        const pal_material_edit **sorted, pal_err *err) {
    memset(plan, 0, sizeof *plan);
    if (count > PAL_EDITS_MAX) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED, "%d edits of materials; a run has at most %d",
                        count, PAL_EDITS_MAX);
    }
    sort(edit, count, dt, plan->item, sorted);
    return PAL_OK;
}

pal_status pal_edit_plan_open(pal_edit_plan *plan, const pal_model *model,
                              const pal_material_edit *edit, int count, double dt,
                              pal_precision precision, pal_err *err) {
    const pal_material_edit *sorted[PAL_EDITS_MAX];
    pal_status status = begin(plan, edit, count, dt, sorted, err);
    if (status != PAL_OK || count == 0) {
        return status;
    }
    summing sum = {0};
    status = open_summing(&sum, model, err);
    for (int i = 0; status == PAL_OK && i < count; i++) {
        status = add(plan, model, sorted[i], precision, &sum, err);
    }
    close_summing(&sum);
    if (status != PAL_OK) {
        pal_edit_plan_close(plan);
    }
    return status;
}

pal_status pal_edit_plan_open_tree(pal_edit_plan *plan, const pal_tree_model *model,
                                   const pal_material_edit *edit, int count, double dt,
                                   pal_err *err) {
    const pal_material_edit *sorted[PAL_EDITS_MAX];
    pal_status status = begin(plan, edit, count, dt, sorted, err);
    for (int i = 0; status == PAL_OK && i < count; i++) {
        pal_planned_edit *item = &plan->item[i];
        int32_t *domain = PAL_NEW(int32_t, model->domain_count, err);
        plan->memory[plan->count++] = domain;
        item->domain = domain;
        item->domain_count =
            domain != NULL ? pal_tree_model_find(model, sorted[i]->region, domain, err) : 0;
        item->stiffness = sorted[i]->frequency * sorted[i]->frequency;
        status = domain == NULL ? PAL_ERR_MEMORY : item->domain_count == 0 ? PAL_ERR_INPUT : PAL_OK;
    }
    if (status != PAL_OK) {
        pal_edit_plan_close(plan);
    }
    return status;
}

void pal_edit_plan_close(pal_edit_plan *plan) {
    for (int i = 0; i < plan->count; i++) {
        free(plan->memory[i]);
    }
    memset(plan, 0, sizeof *plan);
}

bool pal_edit_plan_has(const pal_edit_plan *plan, uint64_t tick) {
    for (int i = 0; i < plan->count; i++) {
        if (plan->item[i].tick == tick) {
            return true;
        }
    }
    return false;
}
