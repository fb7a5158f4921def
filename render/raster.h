// Which triangle is seen at each sample: a z-buffer that keeps triangle indices. Supersampling,
// shading and projection are the caller's. Sample (i, j) stands at (i + 0.5, top + j + 0.5), so
// that a picture may be drawn in bands.
#ifndef PAL_RENDER_RASTER_H
#define PAL_RENDER_RASTER_H

#include <stdint.h>

#include "sim/base/status.h"

typedef struct pal_raster {
    int32_t width, height;
    int32_t top;     // may be set between a clear and a draw
    float *nearness; // [height][width] of what is seen; 0 where nothing is
    int32_t *seen;   // [height][width] triangle, -1 where nothing is
} pal_raster;

// On failure *raster is empty. Cleared when made, top 0.
pal_status pal_raster_alloc(pal_raster *raster, int32_t width, int32_t height, pal_err *err);
void pal_raster_free(pal_raster *raster);
void pal_raster_clear(pal_raster *raster);

// Draws triangles over points screen[.][3] = (x, y, nearness), nearness > 0, greater in front and
// linear on the screen (1/distance in perspective). Samples on an edge belong to it, and
// coordinates are rounded to 1/256, so a closed surface has no pinholes. Either side is drawn.
// Triangles with a coordinate that is not finite or absurdly far away, or nearness <= 0, are left
// out. Any thread.
void pal_raster_draw(pal_raster *raster, const double *screen, const int32_t *triangle,
                     int32_t triangle_count);

#endif
