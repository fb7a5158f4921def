// A sheet of pictures of a model's basis: one panel for each of the first shapes.
#ifndef PAL_RENDER_MODE_SHEET_H
#define PAL_RENDER_MODE_SHEET_H

#include "sim/base/up.h"
#include "sim/model/model.h"

enum { PAL_MODE_SHEET_MOST = 12 };

// Writes a PNG 1800 pixels wide and up to 1200 high to path, atomically: the first mode_count basis
// vectors (fewer when the model has fewer, at most PAL_MODE_SHEET_MOST), each as the surface
// displaced along it, coloured by the size of the displacement, with the outline of the rest shape.
// The amplitude is for the eye: 18 % of the body's longest side, less where that would tear the
// shape. The sign is chosen so that the largest displacement goes up or to the right. The
// same model gives the same bytes. Uses all cores.
pal_status pal_mode_sheet_write(const char *path, const pal_model *model, pal_up up, int mode_count,
                                pal_err *err);

#endif
