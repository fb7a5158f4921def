// Glyphs in one grey picture, each drawn when it is first asked for. Any thread, one at a time.
#ifndef PAL_RENDER_GLYPH_ATLAS_H
#define PAL_RENDER_GLYPH_ATLAS_H

#include <stdbool.h>

#include "render/label.h"

enum { PAL_ATLAS_SIDE = 1024, PAL_ATLAS_SHIFTS = 4, PAL_ATLAS_GLYPHS = 4096 };

typedef struct pal_atlas_glyph {
    uint32_t key;          // 0: free place
    int16_t x, y;          // in the atlas
    int16_t width, height; // 0: no ink
    int16_t left, top;     // from the pen, y down
} pal_atlas_glyph;

typedef struct pal_atlas {
    uint8_t *cover;         // [PAL_ATLAS_SIDE][PAL_ATLAS_SIDE]
    pal_atlas_glyph *glyph; // [PAL_ATLAS_GLYPHS] by hash
    int32_t count;
    int32_t pen, shelf, shelf_height; // where the next one goes
    bool changed;                     // since somebody set this to false
} pal_atlas;

// On failure *atlas is empty.
pal_status pal_atlas_open(pal_atlas *atlas, pal_err *err);
void pal_atlas_close(pal_atlas *atlas);

// A glyph of a font (`weight` tells it from others) at a size in pixels, 1..255, with its pen at
// shift / PAL_ATLAS_SHIFTS of a pixel. *glyph is NULL when there is no room left: draw what was
// laid out by then, forget all, and ask again.
pal_status pal_atlas_find(pal_atlas *atlas, const pal_font *font, pal_font_weight weight,
                          int32_t size, int code, int shift, const pal_atlas_glyph **glyph,
                          pal_err *err);
void pal_atlas_forget(pal_atlas *atlas);

#endif
