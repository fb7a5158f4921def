#include "sim/model/retune.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static pal_status check(const pal_model *model, const pal_material *material, pal_err *err) {
    for (int32_t g = 0; g < model->region_count; g++) {
        char owner[PAL_REGION_NAME + 16];
        snprintf(owner, sizeof owner, "region '%s'", model->region[g].name);
        pal_status status = pal_material_check(&material[g], owner, err);
        if (status != PAL_OK) {
            return status;
        }
    }
    return PAL_OK;
}

pal_status pal_model_retune(const pal_model *model, const pal_material *material,
                            pal_quartic *quartic, double *mass, pal_err *err) {
    pal_status status = check(model, material, err);
    if (status != PAL_OK) {
        return status;
    }
    int64_t pairs = pal_pairs(model->r);
    memset(quartic->p, 0, (size_t)pairs * sizeof(double));
    memset(quartic->q, 0, (size_t)pal_triples(model->r) * sizeof(double));
    memset(quartic->s, 0, (size_t)pal_quadruples(model->r) * sizeof(double));
    memset(mass, 0, (size_t)pairs * sizeof(double));
    for (int32_t g = 0; g < model->region_count; g++) {
        const pal_model_region *region = &model->region[g];
        pal_quartic_add(quartic, pal_material_lambda(&material[g]), &region->per_lambda);
        pal_quartic_add(quartic, pal_material_mu(&material[g]), &region->per_mu);
        for (int64_t k = 0; k < pairs; k++) {
            mass[k] += material[g].density * region->per_density[k];
        }
    }
    return PAL_OK;
}

static void lay_over(double *value, double other) {
    *value = isnan(other) ? *value : other;
}

pal_status pal_material_edit_apply(const pal_material_edit *edit, const pal_model *model,
                                   pal_material *material, pal_err *err) {
    const int32_t g = pal_model_find_region(model, edit->region, err);
    if (g >= 0 && material != NULL) {
        lay_over(&material[g].young, edit->to.young);
        lay_over(&material[g].poisson, edit->to.poisson);
        lay_over(&material[g].density, edit->to.density);
    }
    return g >= 0 ? PAL_OK : PAL_ERR_INPUT;
}
