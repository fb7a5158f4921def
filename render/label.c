#include "render/label.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    uint8_t *data; // the file
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

static pal_status no_font(const char *path, const char *why, pal_err *err) {
    return pal_fail_at(err, PAL_ERR_IO, path, 0,
                       "cannot use the font for pictures: %s; install fonts-dejavu-core or set "
                       "PALPATE_FONT to a TrueType file",
                       why);
}

// Opens the font file; *path is its name, or on failure the name that was looked for.
static FILE *find_font(pal_font_weight weight, const char **path, pal_err *err) {
    const char *chosen = getenv("PALPATE_FONT");
    FILE *file = NULL;
    if (chosen != NULL && chosen[0] != '\0') {
        *path = chosen;
        file = fopen(chosen, "rb");
    } else {
        size_t places = sizeof usual_place / sizeof usual_place[0];
        for (size_t i = places; i > 0 && file == NULL; i--) {
            *path = usual_place[places - i][weight];
            file = fopen(*path, "rb");
        }
    }
    if (file == NULL) {
        no_font(*path, strerror(errno), err);
    }
    return file;
}

static pal_status read_font(FILE *file, const char *path, pal_font *font, pal_err *err) {
    const long most = 64L << 20;
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size < 12 || size > most || fseek(file, 0, SEEK_SET) != 0) {
        return no_font(path, "not a TrueType file", err);
    }
    font->data = PAL_NEW(uint8_t, size, err);
    if (font->data == NULL) {
        return PAL_ERR_MEMORY;
    }
    if (fread(font->data, 1, (size_t)size, file) != (size_t)size) {
        return no_font(path, "it cannot be read", err);
    }
    // stb_truetype trusts what it is given; the two kinds it may be given are told by their tag.
    static const uint8_t tag[2][4] = {{0, 1, 0, 0}, {'t', 'r', 'u', 'e'}};
    if ((memcmp(font->data, tag[0], 4) != 0 && memcmp(font->data, tag[1], 4) != 0) ||
        stbtt_InitFont(&font->info, font->data, 0) == 0) {
        return no_font(path, "not a TrueType file", err);
    }
    return PAL_OK;
}

pal_font *pal_font_open(pal_font_weight weight, pal_err *err) {
    const char *path = NULL;
    FILE *file = find_font(weight, &path, err);
    if (file == NULL) {
        return NULL;
    }
    pal_font *font = PAL_NEW(pal_font, 1, err);
    if (font != NULL && read_font(file, path, font, err) != PAL_OK) {
        pal_font_close(font);
        font = NULL;
    }
    fclose(file);
    return font;
}

void pal_font_close(pal_font *font) {
    if (font != NULL) {
        free(font->data);
        free(font);
    }
}

// Takes one code point from UTF-8 text; bytes that are not UTF-8 become the replacement mark.
static int next_code(const char **text) {
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

// How far the pen moves over a code point before the next text.
static double advance(const pal_font *font, double scale, int code, const char *next) {
    int step, bearing;
    stbtt_GetCodepointHMetrics(&font->info, code, &step, &bearing);
    if (*next != '\0') {
        step += stbtt_GetCodepointKernAdvance(&font->info, code, next_code(&next));
    }
    return scale * step;
}

double pal_label_width(const pal_label_style *style, const char *text) {
    double scale = stbtt_ScaleForPixelHeight(&style->font->info, (float)style->size);
    double width = 0.0;
    while (*text != '\0') {
        int code = next_code(&text);
        width += advance(style->font, scale, code, text);
    }
    return width;
}

// Draws one glyph `along` the line, to a fraction of a pixel, on the base line `across`. A line
// that reads upwards is drawn in the same way on axes (-y, x).
static pal_status draw_glyph(pal_image *image, const pal_label_style *style, int code, double along,
                             double across, pal_err *err) {
    const stbtt_fontinfo *info = &style->font->info;
    float scale = stbtt_ScaleForPixelHeight(info, (float)style->size);
    float shift = (float)(along - floor(along));
    int x0, y0, x1, y1;
    stbtt_GetCodepointBitmapBoxSubpixel(info, code, scale, scale, shift, 0.0F, &x0, &y0, &x1, &y1);
    int width = x1 - x0, height = y1 - y0;
    if (width <= 0 || height <= 0) {
        return PAL_OK;
    }
    uint8_t *cover = PAL_NEW(uint8_t, (size_t)width * (size_t)height, err);
    if (cover == NULL) {
        return PAL_ERR_MEMORY;
    }
    stbtt_MakeCodepointBitmapSubpixel(info, cover, width, height, width, scale, scale, shift, 0.0F,
                                      code);
    for (int j = 0; j < height; j++) {
        for (int i = 0; i < width; i++) {
            int32_t u = (int32_t)floor(along) + x0 + i, v = (int32_t)lround(across) + y0 + j;
            pal_image_blend(image, style->upwards ? v : u, style->upwards ? -u - 1 : v,
                            style->colour, cover[j * width + i] / 255.0);
        }
    }
    free(cover);
    return PAL_OK;
}

pal_status pal_label_draw(pal_image *image, const pal_label_style *style, double x, double y,
                          const char *text, pal_err *err) {
    double scale = stbtt_ScaleForPixelHeight(&style->font->info, (float)style->size);
    double along = style->upwards ? -y : x, across = style->upwards ? x : y;
    along -= 0.5 * (double)style->align * pal_label_width(style, text);
    pal_status status = PAL_OK;
    while (status == PAL_OK && *text != '\0') {
        int code = next_code(&text);
        status = draw_glyph(image, style, code, along, across, err);
        along += advance(style->font, scale, code, text);
    }
    return status;
}
