// Where everything is that is drawn over a picture: instruments, sliders, legend, messages, help.
// Pure functions of the size of the picture, in points (gl_overlay.h); any thread. No panel
// overlaps another or leaves the picture. What there is no room for is left out, in this order:
//
//   too low for all instruments       energy first, then tick time, then the words on the run, then
//                                     the force
//   the body would keep less than     the instruments; the title stays, and is narrower beside the
//   0.4 of the width                  sliders
//   too low for the sliders           they shrink, to 0.6 of their size; below that they are left
//   out more names than fit a legend      it has as many as do, and "and N more"; never more than
//   0.34
//                                     of the width and 0.6 of the height
//   too narrow for scale bar and      the legend or the colour bar, then the status line
//   legend
//   the help                          is alone with sliders and messages; where it does not fit
//                                     beside them, the sliders are left out; what does not fit on
//                                     one page at 0.7 of its size is on several
//
// The trainer's view has the bar of the force and messages alone.
#ifndef PAL_RENDER_LAYOUT_H
#define PAL_RENDER_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "render/camera.h"

typedef enum pal_panel {
    PAL_PANEL_TITLE,
    PAL_PANEL_FORCE,
    PAL_PANEL_TICKS,
    PAL_PANEL_RUN,
    PAL_PANEL_ENERGY,
    PAL_PANEL_SLIDERS,
    PAL_PANEL_FILMING,
    PAL_PANEL_SCALE,   // the scale bar
    PAL_PANEL_COLOURS, // the colour bar, or the names of regions
    PAL_PANEL_STATUS,  // one line that stays: what is under the cursor, a hint
    PAL_PANEL_MESSAGE, // room for some lines; they begin at its foot
    PAL_PANEL_HELP,
    PAL_PANEL_FORCE_BAR, // of the trainer's view
    PAL_PANELS
} pal_panel;

#define PAL_SLIDERS_WIDTH  290.0 // points, of the panel at its full size
#define PAL_SLIDERS_HEIGHT 350.0
#define PAL_LEGEND_ROW     20.0 // from name to name
#define PAL_LEGEND_PATCH   21.0 // the patch of colour beside a name
#define PAL_LEGEND_PAD     8.0
#define PAL_MESSAGE_LINE   20.0
#define PAL_HELP_LINE      21.0
#define PAL_HELP_EDGE      22.0

typedef struct pal_layout_wish { // what is wanted
    double width, height;        // of the picture, points
    bool trainer;
    bool title, instruments, energy, sliders, filming;
    double run_height;  // points for all words on the run
    bool words;         // scale, colours: pal_view.labels
    bool colour_bar;    //
    int32_t names;      // of regions, instead of it
    double name_width;  // points, of the longest
    int32_t help_lines; // 0: no help
    double help_column; // points that a line of it is wide
} pal_layout_wish;

typedef struct pal_layout_help {
    int32_t columns, rows, pages;
    double factor; // of the size of its text
} pal_layout_help;

typedef struct pal_layout {
    pal_frame panel[PAL_PANELS]; // width 0: left out
    double body[2];              // from where to where the body is seen, 0..1 of the width
    double sliders_scale;        // of the panel's parts
    int32_t columns, rows;       // of the names
    int32_t shown;               // of them; the rest is told as a number
    double name_room;            // points a name may be wide
    pal_layout_help help;
} pal_layout;

void pal_layout_make(const pal_layout_wish *wish, pal_layout *layout);

static inline bool pal_layout_has(const pal_layout *layout, pal_panel panel) {
    return layout->panel[panel].width > 0.0;
}

// Pixels a point in a window: as its size says, so that what is over the picture keeps its share of
// it (a point is a pixel at 1280 x 800), and no less than 0.8 of what suits the screen
// (content_scale), so that it stays legible in a small one.
double pal_layout_scale(double content_scale, int32_t width, int32_t height);

#endif
