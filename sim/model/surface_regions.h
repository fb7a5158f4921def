// Which region of the body each triangle of its surface belongs to.
#ifndef PAL_MODEL_SURFACE_REGIONS_H
#define PAL_MODEL_SURFACE_REGIONS_H

#include "sim/model/model.h"

// region [model->surface.triangle_count]: that of the element which carries the triangle, the one
// nearest to its middle among those at its corners. Set-up only.
pal_status pal_model_surface_regions(const pal_model *model, uint16_t *region, pal_err *err);

#endif
