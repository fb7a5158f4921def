// Other materials for a baked body, without baking: Lamé constants and density enter the reduced
// model linearly [BJ05 6.5]. Off the servo thread; the result is handed over by pal_newmark_prepare
// and _swap.
#ifndef PAL_MODEL_RETUNE_H
#define PAL_MODEL_RETUNE_H

#include "sim/model/model.h"

// quartic (allocated, of the model's r) = sum over regions of lambda * per_lambda + mu * per_mu,
// and mass [pal_pairs(r)] = sum of density * per_density, for the given materials [region_count]. A
// bad material is an error naming its region, and nothing is changed.
pal_status pal_model_retune(const pal_model *model, const pal_material *material,
                            pal_quartic *quartic, double *mass, pal_err *err);

// A change of one region's material while a body is alive; a number that is NAN stays what it is.
// Of a body of domains it is the factor on the frequencies of some (their names may end in *).
typedef struct pal_material_edit {
    double at; // s, servo time
    char region[PAL_REGION_NAME];
    pal_material to;
    double frequency; // NAN: none
} pal_material_edit;

enum { PAL_EDITS_MAX = 16 }; // in a run

// Lays the edit over material [region_count] (NULL: only looks). A region that the model does not
// have is an error that names those it has.
pal_status pal_material_edit_apply(const pal_material_edit *edit, const pal_model *model,
                                   pal_material *material, pal_err *err);

#endif
