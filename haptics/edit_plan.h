// Materials that change at set ticks of a run [BJ05 6.5]: the coefficients are summed before it
// begins (of a body of domains: the domains are found) and taken over by the servo at exactly their
// tick, the same under every clock.
#ifndef PAL_HAPTICS_EDIT_PLAN_H
#define PAL_HAPTICS_EDIT_PLAN_H

#include <stdint.h>

#include "sim/model/retune.h"
#include "sim/model/tree_model.h"
#include "sim/reduced/newmark.h"

typedef struct pal_planned_edit {
    uint64_t tick;
    pal_coefficients *coefficients;
    int32_t region;     // whose material it is
    double local_scale; // E as baked / E now of it
    // Of a body of domains: the factor on the internal force of these
    int32_t domain_count;
    const int32_t *domain; // [domain_count]
    double stiffness;
} pal_planned_edit;

typedef struct pal_edit_plan {
    int count;
    pal_planned_edit item[PAL_EDITS_MAX]; // by tick
    void *memory[PAL_EDITS_MAX];          // of the coefficients or domains, owned
} pal_edit_plan;

// Each edit changes what those before it in time (at the same tick: in the list) have left. The
// model is not kept. Set-up only; free with pal_edit_plan_close when the servo ticks no more.
// What a MATERIAL command puts out of use may be the plan's: who takes it back frees only its own.
pal_status pal_edit_plan_open(pal_edit_plan *plan, const pal_model *model,
                              const pal_material_edit *edit, int count, double dt,
                              pal_precision precision, pal_err *err);
// The same of a body of domains: frequencies.
pal_status pal_edit_plan_open_tree(pal_edit_plan *plan, const pal_tree_model *model,
                                   const pal_material_edit *edit, int count, double dt,
                                   pal_err *err);
void pal_edit_plan_close(pal_edit_plan *plan);

// Whether there is an edit at this tick.
bool pal_edit_plan_has(const pal_edit_plan *plan, uint64_t tick);

#endif
