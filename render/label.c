#include "render/label.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/file.h"
#include "sim/base/memory.h"

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wsign-compare"
#endif
#define STBTT_STATIC
#define STB_TRUETYPE_IMPLEMENTATION
#include <stb/stb_truetype.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

struct pal_font {
    stbtt_fontinfo info;
    char *data; // the file
};

static const char *const usual_place[][2] = {
    // plain, bold
    {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
     "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf"},
    {"/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
     "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans-Bold.ttf"},
    {"/usr/share/fonts/TTF/DejaVuSans.ttf", "/usr/share/fonts/TTF/DejaVuSans-Bold.ttf"},
    {"/usr/share/fonts/dejavu/DejaVuSans.ttf", "/usr/share/fonts/dejavu/DejaVuSans-Bold.ttf"},
    {"/usr/local/share/fonts/DejaVuSans.ttf", "/usr/local/share/fonts/DejaVuSans-Bold.ttf"},
};

static pal_status no_font(const char *why, pal_err *err) {
    return pal_fail(err, PAL_ERR_IO,
                    "%s; pictures need a font: install fonts-dejavu-core or set PALPATE_FONT to a "
                    "TrueType file",
                    why);
}

// The font file's name: the one chosen, else the first that can be read, else the first of all.
static const char *find_font(pal_font_weight weight) {
    const char *chosen = getenv("PALPATE_FONT");
    if (chosen != NULL && chosen[0] != '\0') {
        return chosen;
    }
    for (size_t i = 0; i < sizeof usual_place / sizeof usual_place[0]; i++) {
        if (access(usual_place[i][weight], R_OK) == 0) {
            return usual_place[i][weight];
        }
    }
    return usual_place[0][weight];
}

static pal_status read_font(pal_font *font, const char *path, pal_err *err) {
    pal_err trouble = {0};
    size_t size = 0;
    pal_status status = pal_file_read(path, &font->data, &size, &trouble);
    if (status == PAL_ERR_MEMORY) {
        return pal_fail(err, status, "%s", trouble.text);
    }
    if (status != PAL_OK) {
        return no_font(trouble.text, err);
    }
    // stb_truetype trusts what it is given; the two kinds it may be given are told by their tag.
    bool known =
        size > 12 && (memcmp(font->data, "\0\1\0\0", 4) == 0 || memcmp(font->data, "true", 4) == 0);
    if (!known || stbtt_InitFont(&font->info, (const uint8_t *)font->data, 0) == 0) {
        snprintf(trouble.text, sizeof trouble.text, "%s: not a TrueType file", path);
        return no_font(trouble.text, err);
    }
    return PAL_OK;
}

pal_status pal_font_open(pal_font_weight weight, pal_font **font, pal_err *err) {
    *font = PAL_NEW(pal_font, 1, err);
    pal_status status = *font != NULL ? read_font(*font, find_font(weight), err) : PAL_ERR_MEMORY;
    if (status != PAL_OK) {
        pal_font_close(*font);
        *font = NULL;
    }
    return status;
}

void pal_font_close(pal_font *font) {
    if (font != NULL) {
        free(font->data);
        free(font);
    }
}

int pal_font_next(const char **text) {
    const uint8_t *s = (const uint8_t *)*text;
    int extra = s[0] < 0x80 ? 0 : s[0] >= 0xF0 ? 3 : s[0] >= 0xE0 ? 2 : s[0] >= 0xC0 ? 1 : -1;
    int code = extra == 0 ? s[0] : extra > 0 ? s[0] & (0x3F >> extra) : 0xFFFD;
    int used = 1;
    for (; used <= extra; used++) {
        if ((s[used] & 0xC0) != 0x80) {
            code = 0xFFFD;
            break;
        }
        code = code << 6 | (s[used] & 0x3F);
    }
    *text += used;
    return code;
}

double pal_font_advance(const pal_font *font, double size, int code, const char *next) {
    const double scale = stbtt_ScaleForPixelHeight(&font->info, (float)size);
    int step, bearing;
    stbtt_GetCodepointHMetrics(&font->info, code, &step, &bearing);
    if (*next != '\0') {
        step += stbtt_GetCodepointKernAdvance(&font->info, code, pal_font_next(&next));
    }
    return scale * step;
}

double pal_label_width(const pal_label_style *style, const char *text) {
    double width = 0.0;
    while (*text != '\0') {
        int code = pal_font_next(&text);
        width += pal_font_advance(style->font, style->size, code, text);
    }
    return width;
}

void pal_label_fit(const pal_label_style *style, double room, const char *text, char *out,
                   size_t size) {
    static const char dots[] = "\xE2\x80\xA6";
    const double left = room - pal_label_width(style, dots);
    const char *end = text; // of what stays
    double width = 0.0;
    snprintf(out, size, "%s", text);
    if (pal_label_width(style, text) <= room) {
        return;
    }
    for (const char *next = text; *next != '\0';) {
        const int code = pal_font_next(&next);
        width += pal_font_advance(style->font, style->size, code, next);
        if (width > left) {
            break;
        }
        end = next;
    }
    snprintf(out, size, "%.*s%s", (int)(end - text), text, left >= 0.0 ? dots : "");
}

pal_status pal_font_glyph(const pal_font *font, double size, int code, double shift,
                          pal_glyph *glyph, pal_err *err) {
    const stbtt_fontinfo *info = &font->info;
    const float scale = stbtt_ScaleForPixelHeight(info, (float)size);
    int x0, y0, x1, y1;
    stbtt_GetCodepointBitmapBoxSubpixel(info, code, scale, scale, (float)shift, 0.0F, &x0, &y0, &x1,
                                        &y1);
    *glyph = (pal_glyph){.left = x0, .top = y0, .width = x1 - x0, .height = y1 - y0};
    if (glyph->width <= 0 || glyph->height <= 0) {
        glyph->width = glyph->height = 0;
        return PAL_OK;
    }
    glyph->cover = PAL_NEW(uint8_t, (size_t)glyph->width * (size_t)glyph->height, err);
    if (glyph->cover == NULL) {
        return PAL_ERR_MEMORY;
    }
    stbtt_MakeCodepointBitmapSubpixel(info, glyph->cover, glyph->width, glyph->height, glyph->width,
                                      scale, scale, (float)shift, 0.0F, code);
    return PAL_OK;
}

// Draws one glyph `along` the line, to a fraction of a pixel, on the base line `across`. A line
// that reads upwards is drawn in the same way on axes (-y, x).
static pal_status draw_glyph(pal_image *image, const pal_label_style *style, int code, double along,
                             double across, pal_err *err) {
    pal_glyph glyph;
    pal_status status =
        pal_font_glyph(style->font, style->size, code, along - floor(along), &glyph, err);
    if (status != PAL_OK) {
        return status;
    }
    for (int32_t j = 0; j < glyph.height; j++) {
        for (int32_t i = 0; i < glyph.width; i++) {
            int32_t u = (int32_t)floor(along) + glyph.left + i;
            int32_t v = (int32_t)lround(across) + glyph.top + j;
            pal_image_blend(image, style->upwards ? v : u, style->upwards ? -u - 1 : v,
                            style->colour, glyph.cover[j * glyph.width + i] / 255.0);
        }
    }
    free(glyph.cover);
    return PAL_OK;
}

pal_status pal_label_draw(pal_image *image, const pal_label_style *style, double x, double y,
                          const char *text, pal_err *err) {
    double along = style->upwards ? -y : x, across = style->upwards ? x : y;
    along -= 0.5 * (double)style->align * pal_label_width(style, text);
    pal_status status = PAL_OK;
    while (status == PAL_OK && *text != '\0') {
        int code = pal_font_next(&text);
        status = draw_glyph(image, style, code, along, across, err);
        along += pal_font_advance(style->font, style->size, code, text);
    }
    return status;
}
