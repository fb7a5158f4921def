#include "render/colormap.h"

#include <math.h>

// Even samples of the published table, joined by straight lines (within 3/255 of it everywhere).
static const uint8_t viridis[][3] = {
    {0x44, 0x01, 0x54}, {0x48, 0x15, 0x67}, {0x48, 0x26, 0x77}, {0x45, 0x37, 0x81},
    {0x40, 0x47, 0x88}, {0x39, 0x56, 0x8C}, {0x33, 0x63, 0x8D}, {0x2D, 0x70, 0x8E},
    {0x28, 0x7D, 0x8E}, {0x23, 0x8A, 0x8D}, {0x1F, 0x96, 0x8B}, {0x20, 0xA3, 0x87},
    {0x29, 0xAF, 0x7F}, {0x3C, 0xBB, 0x75}, {0x55, 0xC6, 0x67}, {0x73, 0xD0, 0x55},
    {0x95, 0xD8, 0x40}, {0xB8, 0xDE, 0x29}, {0xDC, 0xE3, 0x19}, {0xFD, 0xE7, 0x25},
};
enum { LAST = sizeof viridis / sizeof viridis[0] - 1 };

static const double darkest = 0.10; // the map begins here, so that shading stays visible

void pal_colormap(double value, double rgb[3]) {
    double part = value > 0.0 ? fmin(value, 1.0) : 0.0;
    double place = (darkest + (1.0 - darkest) * part) * LAST;
    int i = (int)place;
    i = i < LAST ? i : LAST - 1;
    for (int c = 0; c < 3; c++) {
        rgb[c] = viridis[i][c] + (place - i) * (viridis[i + 1][c] - viridis[i][c]);
    }
}

pal_rgb pal_colormap_rgb(double value) {
    double rgb[3];
    pal_colormap(value, rgb);
    return (pal_rgb){(uint8_t)lround(rgb[0]), (uint8_t)lround(rgb[1]), (uint8_t)lround(rgb[2])};
}

double pal_srgb_to_linear(double srgb) {
    double s = srgb / 255.0;
    return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
}

double pal_linear_to_srgb(double linear) {
    double v = fmin(fmax(linear, 0.0), 1.0);
    return 255.0 * (v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1.0 / 2.4) - 0.055);
}

pal_rgb pal_colour_of_number(int32_t n) {
    const double golden = 0.61803398874989485, hue = 6.0 * fmod(0.58 + golden * n, 1.0);
    const double light = n % 2 == 0 ? 0.86 : 0.68, saturation = n % 3 == 0 ? 0.45 : 0.62;
    double rgb[3];
    for (int c = 0; c < 3; c++) { // each colour is full over a third of the circle
        const double away = fabs(fmod(hue - 2.0 * c + 9.0, 6.0) - 3.0);
        const double full = fmin(fmax(2.0 - away, 0.0), 1.0);
        rgb[c] = 255.0 * light * (1.0 - saturation * (1.0 - full));
    }
    return (pal_rgb){(uint8_t)lround(rgb[0]), (uint8_t)lround(rgb[1]), (uint8_t)lround(rgb[2])};
}
