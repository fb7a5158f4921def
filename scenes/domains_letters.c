// The letters S I G G R A P H and the seven links between them: a chain of 15 domains.
// [BZ11 table 1]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "scenes/lattice.h"
#include "sim/base/memory.h"

enum { LETTERS = 8, HIGH = 22, DEEP = 8, GAP = 4, WIDE = 140, STROKES = 4, POINTS = 24 };

static const double half_stroke = 2.45; // cells

typedef struct letter {
    double width; // cells
    int strokes;
    int points[STROKES];
    double x[STROKES][POINTS][2]; // broken lines
} letter;

static void begin_stroke(letter *l) {
    l->strokes++;
}

static void add_point(letter *l, double x, double y) {
    int s = l->strokes - 1;
    l->x[s][l->points[s]][0] = x;
    l->x[s][l->points[s]][1] = y;
    l->points[s]++;
}

// Part of an ellipse, angles in degrees.
static void add_arc(letter *l, double x, double y, double rx, double ry, double from, double to) {
    enum { PIECES = 10 };
    for (int i = 0; i <= PIECES; i++) {
        double a = (from + (to - from) * i / PIECES) * M_PI / 180.0;
        add_point(l, x + rx * cos(a), y + ry * sin(a));
    }
}

static void draw_line(letter *l, double x0, double y0, double x1, double y1) {
    begin_stroke(l);
    add_point(l, x0, y0);
    add_point(l, x1, y1);
}

static void draw_letter(char c, letter *l) {
    *l = (letter){.width = c == 'I' ? 5.0 : 15.0};
    if (c == 'S') {
        begin_stroke(l);
        add_arc(l, 7.5, 15.25, 4.8, 4.25, 15.0, 270.0);
        add_arc(l, 7.5, 6.75, 4.8, 4.25, 90.0, -165.0);
    } else if (c == 'I') {
        draw_line(l, 2.5, 2.5, 2.5, 19.5);
    } else if (c == 'G') {
        begin_stroke(l);
        add_arc(l, 7.5, 11.0, 5.0, 8.5, 40.0, 330.0);
        add_point(l, 12.3, 10.5);
        add_point(l, 9.0, 10.5);
    } else if (c == 'R' || c == 'P') {
        draw_line(l, 2.5, 2.5, 2.5, 19.5);
        begin_stroke(l);
        add_point(l, 2.5, 19.5);
        add_arc(l, 8.2, 15.2, 4.3, 4.3, 90.0, -90.0);
        add_point(l, 2.5, 10.9);
        if (c == 'R') {
            draw_line(l, 7.5, 10.9, 12.5, 2.5);
        }
    } else if (c == 'A') {
        draw_line(l, 2.5, 2.5, 7.5, 19.5);
        draw_line(l, 12.5, 2.5, 7.5, 19.5);
        draw_line(l, 4.5, 7.5, 10.5, 7.5);
    } else {
        draw_line(l, 2.5, 2.5, 2.5, 19.5);
        draw_line(l, 12.5, 2.5, 12.5, 19.5);
        draw_line(l, 2.5, 11.0, 12.5, 11.0);
    }
}

// Distance from the letter's outline, negative inside.
static double distance(const letter *l, double x, double y) {
    double least = INFINITY;
    for (int s = 0; s < l->strokes; s++) {
        for (int i = 0; i + 1 < l->points[s]; i++) {
            const double *a = l->x[s][i], *b = l->x[s][i + 1];
            double ab[2] = {b[0] - a[0], b[1] - a[1]}, ap[2] = {x - a[0], y - a[1]};
            double length2 = ab[0] * ab[0] + ab[1] * ab[1];
            double t = length2 > 0.0 ? (ap[0] * ab[0] + ap[1] * ab[1]) / length2 : 0.0;
            t = fmin(1.0, fmax(0.0, t));
            least = fmin(least, hypot(ap[0] - t * ab[0], ap[1] - t * ab[1]));
        }
    }
    return least - half_stroke;
}

typedef struct line { // of letters
    letter letter[LETTERS];
    int32_t start[LETTERS + 1]; // first column of each
    pal_lattice cells;
    double (*node)[2]; // [(HIGH+1)][WIDE+1] where the nodes of a layer are
} line;

static bool is_full(line *w, int32_t i, int32_t j) {
    return i >= 0 && j >= 0 && i < WIDE && j < HIGH &&
           *pal_lattice_cell(&w->cells, i, j, DEEP / 2) >= 0;
}

static void fill_letters(line *w) {
    for (int16_t n = 0; n < LETTERS; n++) {
        for (int32_t i = 0; i < (int32_t)w->letter[n].width; i++) {
            for (int32_t j = 0; j < HIGH; j++) {
                if (distance(&w->letter[n], i + 0.5, j + 0.5) < 0.0) {
                    const int32_t low[3] = {w->start[n] + i, j, 0};
                    const int32_t high[3] = {low[0] + 1, j + 1, DEEP};
                    pal_lattice_fill(&w->cells, low, high, n);
                }
            }
        }
    }
}

// A link goes from the last cell of a letter to the first one of the next, in three rows, thinner
// than they are.
static void fill_links(line *w) {
    static const int32_t row[LETTERS - 1] = {5, 9, 6, 5, 1, 1, 15};
    for (int16_t n = 0; n + 1 < LETTERS; n++) {
        for (int32_t j = row[n]; j < row[n] + 3; j++) {
            int32_t from = w->start[n + 1] - GAP, to = w->start[n + 1];
            while (!is_full(w, from - 1, j)) {
                from--;
            }
            while (!is_full(w, to, j)) {
                to++;
            }
            pal_lattice_fill(&w->cells, (const int32_t[]){from, j, 1},
                             (const int32_t[]){to, j + 1, DEEP - 1}, (int16_t)(LETTERS + n));
        }
    }
}

// ---- the outlines made smooth

static int16_t label_at(line *w, int32_t i, int32_t j) {
    return is_full(w, i, j) ? *pal_lattice_cell(&w->cells, i, j, DEEP / 2) : -1;
}

// The letter whose outline a node is on; -1: it is inside, outside, or at a link.
static int outline_of(line *w, int32_t i, int32_t j) {
    int found = -1, empty = 0;
    for (int c = 0; c < 4; c++) {
        int16_t label = label_at(w, i - (c & 1), j - (c >> 1));
        if (label >= LETTERS) {
            return -1;
        }
        empty += label < 0;
        found = label >= 0 ? label : found;
    }
    return empty > 0 ? found : -1;
}

static double *node_at(line *w, int32_t i, int32_t j) {
    return w->node[i + (WIDE + 1) * j];
}

// The smaller of the two triangles of a cell, as its tets have them.
static double least_area(line *w, int32_t i, int32_t j) {
    const double *a = node_at(w, i, j), *b = node_at(w, i + 1, j);
    const double *c = node_at(w, i + 1, j + 1), *d = node_at(w, i, j + 1);
    double first = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    double second = (c[0] - a[0]) * (d[1] - a[1]) - (c[1] - a[1]) * (d[0] - a[0]);
    return 0.5 * fmin(first, second);
}

static bool is_sound(line *w, int32_t i, int32_t j) {
    const double least = 0.15; // of a cell; 0.5 as drawn
    bool sound = true;
    for (int c = 0; c < 4; c++) {
        int32_t x = i - (c & 1), y = j - (c >> 1);
        sound = sound && (!is_full(w, x, y) || least_area(w, x, y) > least);
    }
    return sound;
}

// Moves a node onto the letter's outline, as far as its cells bear.
static void smooth_node(line *w, int32_t i, int32_t j, int n) {
    const double step = 1e-3, farthest = 0.7;
    const letter *l = &w->letter[n];
    double x = i - w->start[n], y = j, d = distance(l, x, y);
    double g[2] = {(distance(l, x + step, y) - distance(l, x - step, y)) / (2.0 * step),
                   (distance(l, x, y + step) - distance(l, x, y - step)) / (2.0 * step)};
    double length = fmax(hypot(g[0], g[1]), 0.5);
    d = fmax(-farthest, fmin(farthest, d)) / length;
    double *at = node_at(w, i, j);
    for (double share = 1.0; share > 0.1; share *= 0.5) {
        at[0] = i - share * d * g[0];
        at[1] = j - share * d * g[1];
        if (is_sound(w, i, j)) {
            return;
        }
    }
    at[0] = i;
    at[1] = j;
}

static void smooth(line *w) {
    for (int pass = 0; pass < 2; pass++) { // the first puts the nodes where the cells are
        for (int32_t j = 0; j <= HIGH; j++) {
            for (int32_t i = 0; i <= WIDE; i++) {
                int n = outline_of(w, i, j);
                if (pass == 0) {
                    node_at(w, i, j)[0] = i;
                    node_at(w, i, j)[1] = j;
                } else if (n >= 0) {
                    smooth_node(w, i, j, n);
                }
            }
        }
    }
}

static pal_status make_mesh(line *w, pal_volmesh *mesh, pal_err *err) {
    pal_volmesh voxels;
    pal_status status =
        pal_voxels_of_grid(&w->cells.grid, w->cells.label, 2 * LETTERS - 1, &voxels, err);
    if (status == PAL_OK) {
        status = pal_tets_of_voxels(&voxels, mesh, err);
    }
    pal_volmesh_free(&voxels);
    for (int32_t v = 0; status == PAL_OK && v < mesh->vertex_count; v++) {
        double *x = mesh->x + 3 * (int64_t)v; // from cells to metres: letters stand, x to the right
        const double *at = node_at(w, (int32_t)lround(x[0]), (int32_t)lround(x[1]));
        const double cell = 0.01, deep = x[2];
        x[0] = cell * at[0];
        x[1] = -cell * deep;
        x[2] = cell * at[1];
    }
    return status;
}

pal_status pal_domain_shape_letters(pal_domain_body *body, pal_err *err) {
    static const char *const names[LETTERS] = {"S", "I", "G1", "G2", "R", "A", "P", "H"};
    line w = {.start = {2}};
    for (int n = 0; n < LETTERS; n++) {
        draw_letter(names[n][0], &w.letter[n]);
        w.start[n + 1] = w.start[n] + (int32_t)w.letter[n].width + GAP;
    }
    w.node = pal_alloc((HIGH + 1) * (WIDE + 1), sizeof *w.node, err);
    pal_status status =
        w.node == NULL ? PAL_ERR_MEMORY : pal_lattice_alloc(&w.cells, WIDE, HIGH, DEEP, err);
    if (status == PAL_OK) {
        fill_letters(&w);
        fill_links(&w);
        smooth(&w);
        status = make_mesh(&w, &body->mesh, err);
    }
    for (int n = 0; status == PAL_OK && n < LETTERS; n++) {
        snprintf(body->mesh.regions[n].name, PAL_REGION_NAME, "%s", names[n]);
    }
    for (int n = 1; status == PAL_OK && n < LETTERS; n++) {
        snprintf(body->mesh.regions[LETTERS + n - 1].name, PAL_REGION_NAME, "link %d", n);
    }
    free(w.node);
    pal_lattice_free(&w.cells);
    return status;
}
