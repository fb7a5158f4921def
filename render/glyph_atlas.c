#include "render/glyph_atlas.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

enum { GAP = 1 }; // pixels between glyphs, so that none bleeds into the next

pal_status pal_atlas_open(pal_atlas *atlas, pal_err *err) {
    *atlas = (pal_atlas){.changed = true};
    atlas->cover = PAL_NEW(uint8_t, PAL_ATLAS_SIDE * PAL_ATLAS_SIDE, err);
    atlas->glyph = PAL_NEW(pal_atlas_glyph, PAL_ATLAS_GLYPHS, err);
    if (atlas->cover == NULL || atlas->glyph == NULL) {
        pal_atlas_close(atlas);
        return PAL_ERR_MEMORY;
    }
    return PAL_OK;
}

void pal_atlas_close(pal_atlas *atlas) {
    free(atlas->cover);
    free(atlas->glyph);
    memset(atlas, 0, sizeof *atlas);
}

void pal_atlas_forget(pal_atlas *atlas) {
    memset(atlas->glyph, 0, PAL_ATLAS_GLYPHS * sizeof *atlas->glyph);
    memset(atlas->cover, 0, (size_t)PAL_ATLAS_SIDE * PAL_ATLAS_SIDE);
    atlas->count = atlas->pen = atlas->shelf = atlas->shelf_height = 0;
}

// Its place in the table, or the free one where it would be.
static pal_atlas_glyph *place_of(pal_atlas *atlas, uint32_t key) {
    uint32_t at = key * 2654435761u >> 20; // 12 bits
    while (atlas->glyph[at].key != 0 && atlas->glyph[at].key != key) {
        at = (at + 1) % PAL_ATLAS_GLYPHS;
    }
    return &atlas->glyph[at];
}

// Finds room for a box on the shelves; false when there is none.
static bool take_room(pal_atlas *atlas, int32_t width, int32_t height) {
    if (atlas->pen + width > PAL_ATLAS_SIDE) {
        atlas->shelf += atlas->shelf_height;
        atlas->pen = atlas->shelf_height = 0;
    }
    atlas->shelf_height = height > atlas->shelf_height ? height : atlas->shelf_height;
    return atlas->shelf + height <= PAL_ATLAS_SIDE && atlas->count < PAL_ATLAS_GLYPHS / 2;
}

static void put(pal_atlas *atlas, const pal_glyph *drawn, uint32_t key, pal_atlas_glyph *glyph) {
    *glyph = (pal_atlas_glyph){.key = key,
                               .x = (int16_t)atlas->pen,
                               .y = (int16_t)atlas->shelf,
                               .width = (int16_t)drawn->width,
                               .height = (int16_t)drawn->height,
                               .left = (int16_t)drawn->left,
                               .top = (int16_t)drawn->top};
    for (int32_t j = 0; j < drawn->height; j++) {
        memcpy(atlas->cover + (size_t)(atlas->shelf + j) * PAL_ATLAS_SIDE + atlas->pen,
               drawn->cover + (size_t)j * (size_t)drawn->width, (size_t)drawn->width);
    }
    atlas->pen += drawn->width + GAP;
    atlas->count++;
    atlas->changed = true;
}

pal_status pal_atlas_find(pal_atlas *atlas, const pal_font *font, pal_font_weight weight,
                          int32_t size, int code, int shift, const pal_atlas_glyph **glyph,
                          pal_err *err) {
    // 17 bits of code, 8 of size, 2 of shift, 1 of weight, and one so that it is never 0
    const uint32_t key = 1u << 31 | (uint32_t)(code & 0x1FFFF) << 11 | (uint32_t)size << 3 |
                         (uint32_t)shift << 1 | (uint32_t)weight;
    pal_atlas_glyph *found = place_of(atlas, key);
    *glyph = found;
    if (found->key == key) {
        return PAL_OK;
    }
    pal_glyph drawn;
    pal_status status =
        pal_font_glyph(font, size, code, (double)shift / PAL_ATLAS_SHIFTS, &drawn, err);
    if (status != PAL_OK) {
        return status;
    }
    if (take_room(atlas, drawn.width + GAP, drawn.height + GAP)) {
        put(atlas, &drawn, key, found);
    } else {
        *glyph = NULL;
    }
    free(drawn.cover);
    return PAL_OK;
}
