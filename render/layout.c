#include "render/layout.h"

#include <math.h>
#include <string.h>

// Points
static const double edge = 12.0, gap = 8.0;
static const double title_top = 10.0, title_height = 56.0, column_width = 300.0;
static const double force_height = 138.0, tick_height = 118.0, energy_height = 152.0,
                    least_run = 84.0;
static const double sliders_top = 46.0, least_sliders = 0.6;
static const double scale_width = 166.0, scale_height = 40.0;
static const double bar_width = 220.0, bar_height = 42.0, bar_foot = 18.0;
static const double status_height = 26.0, least_status = 120.0;
static const double filming_width = 92.0, filming_height = 26.0;
static const double foot = 66.0; // scale bar, colour bar and status are in it
static const double force_bar_width = 26.0, force_bar_share = 0.5;

// Shares of the picture
static const double least_body = 0.4, most_legend_width = 0.34, most_legend_height = 0.6;
static const double tall_legend = 0.3; // a taller one is not drawn over the body

enum { MOST_MESSAGE = 4, HELP_MESSAGE = 2, MOST_HELP_COLUMNS = 3 };
static const double help_head = 2.0, least_help = 0.7; // lines; of the size of its text
static const double plain_width = 1280.0, plain_height = 800.0, least_scale = 0.8;

double pal_layout_scale(double content_scale, int32_t width, int32_t height) {
    const double by_size = fmin(width / plain_width, height / plain_height);
    return fmax(by_size, least_scale * content_scale);
}

static double right_of(const pal_frame *f) {
    return f->left + f->width;
}

static double foot_of(const pal_frame *f) {
    return f->top + f->height;
}

// ---- sliders, title, instruments

static void place_sliders(const pal_layout_wish *w, pal_layout *l) {
    const double room = w->height - foot - sliders_top;
    const double by_height = room / PAL_SLIDERS_HEIGHT;
    const double by_width = (1.0 - least_body) * (w->width - edge) / PAL_SLIDERS_WIDTH;
    const double scale = fmin(1.0, fmin(by_height, by_width));
    if (w->sliders && scale >= least_sliders) {
        const double width = scale * PAL_SLIDERS_WIDTH;
        l->sliders_scale = scale;
        l->panel[PAL_PANEL_SLIDERS] =
            (pal_frame){w->width - edge - width, sliders_top, width, scale * PAL_SLIDERS_HEIGHT};
    }
}

static void place_title(const pal_layout_wish *w, pal_layout *l) {
    double end = w->width - edge;
    if (w->filming) {
        const double left = w->width - edge - filming_width;
        l->panel[PAL_PANEL_FILMING] = (pal_frame){left, title_top, filming_width, filming_height};
        end = left - gap;
    }
    if (pal_layout_has(l, PAL_PANEL_SLIDERS)) {
        end = fmin(end, l->panel[PAL_PANEL_SLIDERS].left - gap);
    }
    if (w->title) {
        l->panel[PAL_PANEL_TITLE] =
            (pal_frame){edge, title_top, fmin(column_width, end - edge), title_height};
    }
}

// Who gets room first; they stand in the order of their numbers.
static void place_instruments(const pal_layout_wish *w, pal_layout *l) {
    static const pal_panel first[] = {PAL_PANEL_FORCE, PAL_PANEL_RUN, PAL_PANEL_TICKS,
                                      PAL_PANEL_ENERGY};
    const double right =
        pal_layout_has(l, PAL_PANEL_SLIDERS) ? l->panel[PAL_PANEL_SLIDERS].left : w->width;
    if (!w->instruments || right - edge - column_width - 2.0 * gap < least_body * w->width) {
        return;
    }
    const double top = w->title ? title_top + title_height + gap : title_top;
    double room = w->height - foot - top, height[PAL_PANELS] = {0};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        double wanted = first[i] == PAL_PANEL_FORCE   ? force_height
                        : first[i] == PAL_PANEL_TICKS ? tick_height
                        : first[i] == PAL_PANEL_RUN   ? fmin(w->run_height, fmax(room, least_run))
                        : w->energy                   ? energy_height
                                                      : 0.0;
        if (wanted > room) {
            break;
        }
        height[first[i]] = wanted;
        room -= wanted + gap;
    }
    double y = top;
    for (pal_panel p = PAL_PANEL_FORCE; p <= PAL_PANEL_ENERGY; p++) {
        if (height[p] > 0.0) {
            l->panel[p] = (pal_frame){edge, y, column_width, height[p]};
            y += height[p] + gap;
        }
    }
}

// ---- at the foot

// The names in columns, from the lower right corner up, under the sliders.
static void place_names(const pal_layout_wish *w, pal_layout *l) {
    const double between = 14.0;
    const double top = pal_layout_has(l, PAL_PANEL_SLIDERS)
                           ? foot_of(&l->panel[PAL_PANEL_SLIDERS]) + gap
                           : sliders_top;
    const double height = fmin(w->height - edge - top, most_legend_height * w->height);
    const double width = most_legend_width * w->width - 2.0 * PAL_LEGEND_PAD;
    const double name = fmin(w->name_width, width - PAL_LEGEND_PATCH);
    const double column = name + PAL_LEGEND_PATCH;
    const int32_t most_rows = (int32_t)floor((height - 2.0 * PAL_LEGEND_PAD) / PAL_LEGEND_ROW);
    const int32_t most_columns = (int32_t)floor((width + between) / (column + between));
    if (most_rows < 1 || most_columns < 1 || name <= 0.0) {
        return;
    }
    const int32_t places = most_rows * most_columns;
    const int32_t lines = w->names <= places ? w->names : places; // with "and N more"
    l->shown = w->names <= places ? w->names : places - 1;
    l->columns = (lines + most_rows - 1) / most_rows;
    l->rows = (lines + l->columns - 1) / l->columns;
    l->name_room = name;
    const double wide = l->columns * (column + between) - between + 2.0 * PAL_LEGEND_PAD;
    const double tall = l->rows * PAL_LEGEND_ROW + 2.0 * PAL_LEGEND_PAD;
    l->panel[PAL_PANEL_COLOURS] =
        (pal_frame){w->width - edge - wide, w->height - edge - tall, wide, tall};
}

static void place_foot(const pal_layout_wish *w, pal_layout *l) {
    double left = edge, right = w->width - edge;
    if (w->words) {
        l->panel[PAL_PANEL_SCALE] =
            (pal_frame){edge, w->height - edge - scale_height, scale_width, scale_height};
        left += scale_width + gap;
    }
    if (w->words && w->names > 0) {
        place_names(w, l);
    } else if (w->words && w->colour_bar && left + bar_width <= right) {
        l->panel[PAL_PANEL_COLOURS] = (pal_frame){
            right - bar_width, w->height - bar_foot - bar_height, bar_width, bar_height};
    }
    pal_frame *colours = &l->panel[PAL_PANEL_COLOURS];
    if (colours->width > 0.0 && colours->left < left) {
        *colours = (pal_frame){0};
        l->columns = l->rows = l->shown = 0;
    }
    right = colours->width > 0.0 ? colours->left - gap : right;
    if (right - left >= least_status) {
        l->panel[PAL_PANEL_STATUS] =
            (pal_frame){left, w->height - edge - status_height, right - left, status_height};
    }
}

// Over the foot, beside everything else.
static void place_message(const pal_layout_wish *w, pal_layout *l) {
    const int lines = w->help_lines > 0 ? HELP_MESSAGE : MOST_MESSAGE;
    const double height = lines * PAL_MESSAGE_LINE + gap;
    pal_frame m = {edge, w->height - foot - height, w->width - 2.0 * edge, height};
    for (int p = 0; p < PAL_PANELS; p++) {
        const pal_frame *other = &l->panel[p];
        if (other->width > 0.0 && foot_of(other) > m.top && other->top < foot_of(&m)) {
            if (other->left < 0.5 * w->width && right_of(other) < 0.75 * w->width) {
                const double right = right_of(&m);
                m.left = fmax(m.left, right_of(other) + gap);
                m.width = right - m.left;
            } else {
                m.width = fmin(m.width, other->left - gap - m.left);
            }
        }
    }
    l->panel[PAL_PANEL_MESSAGE] = m.width > 0.0 ? m : (pal_frame){0};
}

// ---- the help

// Columns and rows of so many lines in a frame, as large as it goes; on pages where it must.
static pal_layout_help fit_help(const pal_frame *area, double column, int32_t lines) {
    pal_layout_help h = {0};
    for (double factor = 1.0; h.pages != 1 && factor > least_help - 1e-9; factor -= 0.1) {
        const double width = area->width - 2.0 * PAL_HELP_EDGE;
        const double height = area->height - 2.0 * PAL_HELP_EDGE;
        const int32_t across = (int32_t)floor(width / (column * factor));
        const int32_t down = (int32_t)floor(height / (PAL_HELP_LINE * factor) - help_head);
        const int32_t columns = across < 1                   ? 1
                                : across < MOST_HELP_COLUMNS ? across
                                                             : MOST_HELP_COLUMNS;
        const int32_t rows = down < 1 ? 1 : down, places = columns * rows;
        const int32_t used = lines < places ? lines : places;
        const int32_t needed = (used + rows - 1) / rows;
        h = (pal_layout_help){.columns = needed,
                              .rows = (used + needed - 1) / needed,
                              .pages = (lines + places - 1) / places,
                              .factor = factor};
    }
    return h;
}

static void place_help(const pal_layout_wish *w, pal_layout *l) {
    const double top = title_top,
                 bottom = w->height - foot - HELP_MESSAGE * PAL_MESSAGE_LINE - 2.0 * gap;
    pal_frame area = {edge, top, w->width - 2.0 * edge, bottom - top};
    if (pal_layout_has(l, PAL_PANEL_SLIDERS)) {
        pal_frame beside = area;
        beside.width = l->panel[PAL_PANEL_SLIDERS].left - gap - edge;
        const pal_layout_help h = fit_help(&beside, w->help_column, w->help_lines);
        const double wide = h.columns * w->help_column * h.factor + 2.0 * PAL_HELP_EDGE;
        if (h.pages == 1 && wide <= beside.width) {
            area = beside;
        } else {
            l->panel[PAL_PANEL_SLIDERS] = (pal_frame){0};
        }
    }
    l->help = fit_help(&area, w->help_column, w->help_lines);
    const double width =
        fmin(l->help.columns * w->help_column * l->help.factor + 2.0 * PAL_HELP_EDGE, area.width);
    const double height =
        fmin((l->help.rows + help_head) * PAL_HELP_LINE * l->help.factor + 2.0 * PAL_HELP_EDGE,
             area.height);
    l->panel[PAL_PANEL_HELP] = (pal_frame){area.left + 0.5 * (area.width - width),
                                           area.top + 0.5 * (area.height - height), width, height};
}

// ---- all of it

static void place_force_bar(const pal_layout_wish *w, pal_layout *l) {
    const double height = force_bar_share * w->height;
    l->panel[PAL_PANEL_FORCE_BAR] =
        (pal_frame){w->width - 2.0 * edge - force_bar_width, 0.5 * (w->height - height),
                    force_bar_width, height};
}

static void leave_body(const pal_layout_wish *w, pal_layout *l) {
    double left = 0.0, right = w->width;
    for (int p = PAL_PANEL_FORCE; p <= PAL_PANEL_ENERGY; p++) {
        left = fmax(left, right_of(&l->panel[p]));
    }
    for (int p = PAL_PANEL_SLIDERS; p < PAL_PANELS; p++) {
        const pal_frame *f = &l->panel[p];
        const bool beside = p == PAL_PANEL_SLIDERS || p == PAL_PANEL_FORCE_BAR ||
                            (p == PAL_PANEL_COLOURS && f->height > tall_legend * w->height);
        if (f->width > 0.0 && beside) {
            right = fmin(right, f->left);
        }
    }
    if (right - left < least_body * w->width) { // a legend: it is drawn over the body
        right = fmin(left + least_body * w->width, w->width);
    }
    l->body[0] = left / w->width;
    l->body[1] = right / w->width;
}

void pal_layout_make(const pal_layout_wish *wish, pal_layout *l) {
    memset(l, 0, sizeof *l);
    l->sliders_scale = 1.0;
    pal_layout_wish w = *wish;
    const bool help = w.help_lines > 0;
    w.instruments = w.instruments && !help && !w.trainer;
    w.title = w.title && !help && !w.trainer;
    w.words = w.words && !help && !w.trainer;
    w.sliders = w.sliders && !w.trainer;
    w.filming = w.filming && !help && !w.trainer;
    place_sliders(&w, l);
    if (help) {
        place_help(&w, l);
    }
    place_title(&w, l);
    place_instruments(&w, l);
    place_foot(&w, l);
    if (w.trainer && !help) {
        place_force_bar(&w, l);
    }
    place_message(&w, l);
    leave_body(&w, l);
}
