#include "app/materials.h"

#include <math.h>
#include <string.h>

#include "app/suggest.h"

const pal_option pal_options_material[] = {
    {.name = "--young",
     .kind = PAL_OPTION_NUMBER,
     .argument = "E",
     .max = INFINITY,
     .open = true,
     .help = "Young's modulus in Pa"},
    {.name = "--poisson",
     .kind = PAL_OPTION_NUMBER,
     .argument = "NU",
     .min = -1.0,
     .max = 0.5,
     .open = true,
     .help = "Poisson's ratio, between -1 and 0.5"},
    {.name = "--density",
     .kind = PAL_OPTION_NUMBER,
     .argument = "RHO",
     .max = INFINITY,
     .open = true,
     .help = "density in kg/m^3"},
    {.name = "--material",
     .kind = PAL_OPTION_TEXT,
     .argument = "PRESET",
     .help = "all three from a preset such as liver or steel; single values given beside it win"},
    {.name = "--region",
     .kind = PAL_OPTION_TEXT,
     .argument = "NAME:KEY=VALUE,...",
     .repeatable = true,
     .help = "the same for one region of the mesh, with the keys young, poisson, density and "
             "material: 'bone:young=1e9,density=1900' or 'lump:material=liver-tumour'"},
    {.name = NULL},
};

static void list_presets(char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; pal_material_preset_at(i) != NULL && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "",
                                 pal_material_preset_at(i)->name);
    }
}

pal_status pal_materials_find(const char *name, pal_material *material, pal_err *err) {
    const pal_material_preset *preset = pal_material_find_preset(name);
    if (preset == NULL) {
        pal_suggestion suggestion = {.word = name};
        char known[512];
        list_presets(known, sizeof known);
        for (int i = 0; pal_material_preset_at(i) != NULL; i++) {
            pal_suggest_try(&suggestion, pal_material_preset_at(i)->name);
        }
        return pal_fail(err, PAL_ERR_USAGE, "unknown material '%s'%s (presets: %s)", name,
                        pal_suggest_text(&suggestion), known);
    }
    *material = preset->material;
    return PAL_OK;
}

// Lays "key=value" over *material. `whole` is the option as given, for messages.
static pal_status set_property(const char *text, const char *whole, pal_material *material,
                               pal_err *err) {
    char key[32], what[320];
    const char *equals = strchr(text, '=');
    if (equals == NULL) {
        return pal_fail(err, PAL_ERR_USAGE, "--region '%s': '%s' is not KEY=VALUE", whole, text);
    }
    snprintf(key, sizeof key, "%.*s", (int)(equals - text), text);
    snprintf(what, sizeof what, "%s in --region '%s'", key, whole);
    if (strcmp(key, "material") == 0) {
        return pal_materials_find(equals + 1, material, err);
    }
    double *target = strcmp(key, "young") == 0     ? &material->young
                     : strcmp(key, "poisson") == 0 ? &material->poisson
                     : strcmp(key, "density") == 0 ? &material->density
                                                   : NULL;
    if (target == NULL) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "--region '%s': unknown key '%s' (young, poisson, density, material)",
                        whole, key);
    }
    return pal_parse_number(equals + 1, what, target, err);
}

static pal_status unknown_region(const pal_volmesh *mesh, const char *name, const char *whole,
                                 pal_err *err) {
    char known[512] = "";
    size_t used = 0;
    for (int32_t g = 0; g < mesh->region_count && used < sizeof known; g++) {
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", g > 0 ? ", " : "",
                                 mesh->regions[g].name);
    }
    return pal_fail(err, PAL_ERR_USAGE, "--region '%s': the mesh has no region '%s' (it has: %s)",
                    whole, name, known);
}

// One --region 'NAME:KEY=VALUE,...'.
static pal_status apply_region(const char *whole, const pal_volmesh *mesh, pal_material *material,
                               pal_err *err) {
    char name[PAL_REGION_NAME], property[128];
    const char *colon = strrchr(whole, ':');
    if (colon == NULL || colon == whole || colon[1] == '\0') {
        return pal_fail(err, PAL_ERR_USAGE, "--region '%s' is not NAME:KEY=VALUE,...", whole);
    }
    snprintf(name, sizeof name, "%.*s", (int)(colon - whole), whole);
    int32_t g = 0;
    while (g < mesh->region_count && strcmp(mesh->regions[g].name, name) != 0) {
        g++;
    }
    if (g == mesh->region_count) {
        return unknown_region(mesh, name, whole, err);
    }
    for (const char *at = colon + 1; *at != '\0';) {
        size_t length = strcspn(at, ",");
        snprintf(property, sizeof property, "%.*s", (int)length, at);
        pal_status status = set_property(property, whole, &material[g], err);
        if (status != PAL_OK) {
            return status;
        }
        at += at[length] == ',' ? length + 1 : length;
    }
    return PAL_OK;
}

// A region left without one of its constants.
static pal_status check_complete(const pal_volmesh *mesh, const char *source,
                                 const pal_material *material, pal_err *err) {
    for (int32_t g = 0; g < mesh->region_count; g++) {
        const pal_material *m = &material[g];
        if (isnan(m->young) || isnan(m->poisson) || isnan(m->density)) {
            char known[512];
            list_presets(known, sizeof known);
            return pal_fail(err, PAL_ERR_USAGE,
                            "%s gives no material for region '%s': add%s%s%s, or a preset such as "
                            "--material liver (presets: %s)",
                            source, mesh->regions[g].name, isnan(m->young) ? " --young E" : "",
                            isnan(m->poisson) ? " --poisson NU" : "",
                            isnan(m->density) ? " --density RHO" : "", known);
        }
    }
    return PAL_OK;
}

pal_status pal_materials_apply(const pal_args *args, const pal_volmesh *mesh, const char *source,
                               pal_material *material, pal_err *err) {
    // The whole body: a preset first, single values over it.
    const char *preset = pal_args_text(args, "--material");
    double young = pal_args_number(args, "--young");
    double poisson = pal_args_number(args, "--poisson");
    double density = pal_args_number(args, "--density");
    pal_status status = PAL_OK;
    for (int32_t g = 0; g < mesh->region_count && status == PAL_OK; g++) {
        status = preset != NULL ? pal_materials_find(preset, &material[g], err) : PAL_OK;
        material[g].young = isnan(young) ? material[g].young : young;
        material[g].poisson = isnan(poisson) ? material[g].poisson : poisson;
        material[g].density = isnan(density) ? material[g].density : density;
    }
    // Then each region by name.
    int count = 0;
    const char *const *regions = pal_args_list(args, "--region", &count);
    for (int i = 0; i < count && status == PAL_OK; i++) {
        status = apply_region(regions[i], mesh, material, err);
    }
    return status != PAL_OK ? status : check_complete(mesh, source, material, err);
}
