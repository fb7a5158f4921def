// St. Venant-Kirchhoff material constants. SI units: Pa, kg/m^3.
#ifndef PAL_BASE_MATERIAL_H
#define PAL_BASE_MATERIAL_H

#include "sim/base/status.h"

typedef struct pal_material {
    double young;   // Pa
    double poisson; // -1 < nu < 0.5
    double density; // kg/m^3
} pal_material;

// lambda = nu E / ((1 + nu)(1 - 2 nu)), mu = E / (2 (1 + nu))          [BJ05 eq. 26]
static inline double pal_material_lambda(const pal_material *m) {
    return m->poisson * m->young / ((1.0 + m->poisson) * (1.0 - 2.0 * m->poisson));
}
static inline double pal_material_mu(const pal_material *m) {
    return m->young / (2.0 * (1.0 + m->poisson));
}

// Finite, young > 0, -1 < poisson < 0.5, density > 0. `owner` names whose material it is in the
// message ("region 'bone'").
pal_status pal_material_check(const pal_material *material, const char *owner, pal_err *err);

// A named preset ("liver", "steel", ...) or NULL; pal_material_preset_at lists them (NULL past the
// end).
typedef struct pal_material_preset {
    const char *name;
    const char *source; // where the numbers come from, in a few words
    pal_material material;
} pal_material_preset;
const pal_material_preset *pal_material_find_preset(const char *name);
const pal_material_preset *pal_material_preset_at(int index);

#endif
