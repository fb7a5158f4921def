// Materials from the command line: --material, --young, --poisson, --density for the whole body,
// --region for one region, over what the mesh or scene says.
#ifndef PAL_APP_MATERIALS_H
#define PAL_APP_MATERIALS_H

#include "app/options.h"
#include "sim/mesh/volmesh.h"

extern const pal_option pal_options_material[];

// material [region_count] holds what the mesh or scene gave (NAN where nothing); the options are
// laid over it. An error when a region is left without a material, saying what to give.
pal_status pal_materials_apply(const pal_args *args, const pal_volmesh *mesh, const char *source,
                               pal_material *material, pal_err *err);

// One preset by its name; an error that suggests the nearest and lists all.
pal_status pal_materials_find(const char *name, pal_material *material, pal_err *err);

#endif
