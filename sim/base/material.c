#include "sim/base/material.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

pal_status pal_material_check(const pal_material *material, const char *owner, pal_err *err) {
    if (!(isfinite(material->young) && material->young > 0.0)) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "%s: Young's modulus is %g Pa; give a finite number above 0", owner,
                        material->young);
    }
    if (!(material->poisson > -1.0 && material->poisson < 0.5)) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "%s: Poisson's ratio is %g; give one above -1 and below 0.5 (0.45 for "
                        "nearly incompressible tissue)",
                        owner, material->poisson);
    }
    if (!(isfinite(material->density) && material->density > 0.0)) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "%s: density is %g kg/m^3; give a finite number above 0", owner,
                        material->density);
    }
    return PAL_OK;
}

// What is nearly incompressible has nu = 0.45 here: linear elements lock nearer to 0.5. E of the
// rubbers follows from their Shore hardness S by Gent's relation,
// E = 0.0981 MPa (56 + 7.62336 S) / (0.137505 (254 - 2.54 S)).
static const pal_material_preset presets[] = {
    {"liver", "in-vivo indentation, 10-15 kPa (Samur 2007)", {12e3, 0.45, 1060.0}},
    {"liver-elastography", "healthy, ultrasound elastography (PMC6925591)", {5.4e3, 0.45, 1060.0}},
    {"liver-diseased", "diseased, ultrasound elastography (PMC6925591)", {59e3, 0.45, 1060.0}},
    {"liver-tumour", "hepatocellular carcinoma, elastography (PMC6925591)", {70e3, 0.45, 1060.0}},
    {"kidney", "renal cortex, shear-wave elastography (Arda 2011)", {5.0e3, 0.45, 1050.0}},
    {"kidney-pelvis", "renal pelvis, shear-wave elastography (Arda 2011)", {23.6e3, 0.45, 1050.0}},
    {"spleen", "shear-wave elastography (Arda 2011)", {2.9e3, 0.45, 1060.0}},
    {"pancreas", "shear-wave elastography (Arda 2011)", {4.8e3, 0.45, 1050.0}},
    {"muscle", "gastrocnemius, shear-wave elastography (Arda 2011)", {11.1e3, 0.45, 1060.0}},
    {"masseter", "shear-wave elastography (Arda 2011)", {10.4e3, 0.45, 1060.0}},
    {"thyroid", "shear-wave elastography (Arda 2011)", {11.0e3, 0.45, 1050.0}},
    {"tendon", "Achilles, shear-wave elastography (Arda 2011)", {51.5e3, 0.45, 1060.0}},
    {"gallbladder", "wall, ultrasound elastography (PMC6925591)", {255e3, 0.45, 1050.0}},
    {"artery", "hepatic artery, ultrasound elastography (PMC6925591)", {630e3, 0.45, 1050.0}},
    {"agar", "phantom, middle of 5-81 kPa", {43e3, 0.45, 1050.0}},
    {"gelatine", "phantom, middle of 17-85 kPa", {51e3, 0.45, 1050.0}},
    {"silicone-soft", "phantom, middle of 5-112 kPa", {58e3, 0.45, 1060.0}},
    {"silicone", "Shore A 30 by Gent's relation", {1.1e6, 0.45, 1100.0}},
    {"rubber", "natural rubber, Shore A 40 by Gent's relation", {1.7e6, 0.45, 930.0}},
    {"aluminium", "handbook value", {69e9, 0.33, 2700.0}},
    {"steel", "handbook value", {200e9, 0.3, 7850.0}},
};
enum { PRESET_COUNT = sizeof presets / sizeof *presets };

const pal_material_preset *pal_material_preset_at(int index) {
    return index >= 0 && index < PRESET_COUNT ? &presets[index] : NULL;
}

const pal_material_preset *pal_material_find_preset(const char *name) {
    for (int i = 0; i < PRESET_COUNT; i++) {
        if (strcmp(presets[i].name, name) == 0) {
            return &presets[i];
        }
    }
    return NULL;
}
