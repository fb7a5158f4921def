#include "render/sky.h"

#include <math.h>
#include <stdlib.h>

#include "render/raster.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

enum {
    SKY_DIRECTIONS = 72,
    LAMP_DIRECTIONS = 20,
    MAP = 200,                   // samples a side of the view from one direction
    FLOOR = PAL_FLOOR_CELLS + 1, // points a side
};
static const double lamp_radius = 0.22; // tangent of half the angle that the lamp fills
static const double lamp_share = 0.6;   // of the light on the floor
static const double floor_reach = 1.6;  // half side of the grid in radii of the body
static const double bias = 0.02;        // in radii: what is nearer than this does not cast shadow
static const double golden = 2.39996322972865332; // angle that spreads points evenly

typedef struct viewer { // the body seen from far away in one direction
    double centre[3], radius;
    double side[3], up[3], to_light[3];
} viewer;

static void look_from(viewer *v, const double *direction) {
    double helper[3] = {fabs(direction[2]) < 0.9 ? 0.0 : 1.0, 0.0,
                        fabs(direction[2]) < 0.9 ? 1.0 : 0.0};
    pal_cross3(helper, direction, v->side);
    double scale = 1.0 / pal_norm3(v->side);
    for (int c = 0; c < 3; c++) {
        v->side[c] *= scale;
        v->to_light[c] = direction[c];
    }
    pal_cross3(direction, v->side, v->up);
}

// nearness 1..3 over the body.
static void view_point(const viewer *v, const double *p, double *screen) {
    double d[3];
    pal_sub3(p, v->centre, d);
    double scale = 0.5 * MAP / v->radius;
    screen[0] = 0.5 * MAP + scale * pal_dot3(d, v->side);
    screen[1] = 0.5 * MAP + scale * pal_dot3(d, v->up);
    screen[2] = 2.0 + pal_dot3(d, v->to_light) / v->radius;
}

static bool is_lit(const viewer *v, const pal_raster *map, const double *p) {
    double s[3];
    view_point(v, p, s);
    if (!(s[0] >= 0.0 && s[1] >= 0.0 && s[0] < MAP && s[1] < MAP)) {
        return true;
    }
    return map->nearness[(size_t)s[1] * MAP + (size_t)s[0]] <= s[2] + bias;
}

// A sphere around the body, a little larger than needed.
static void enclose(const pal_surface *body, viewer *v) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < body->vertex_count; i++) {
        for (int c = 0; c < 3; c++) {
            low[c] = fmin(low[c], body->x[3 * i + c]);
            high[c] = fmax(high[c], body->x[3 * i + c]);
        }
    }
    double diagonal[3];
    pal_sub3(high, low, diagonal);
    v->radius = fmax(0.51 * pal_norm3(diagonal), 1e-300);
    for (int c = 0; c < 3; c++) {
        v->centre[c] = 0.5 * (low[c] + high[c]);
    }
}

// Evenly spread over the sphere.
static void sky_direction(int i, double *d) {
    double z = 1.0 - (2.0 * i + 1.0) / SKY_DIRECTIONS;
    double ring = sqrt(1.0 - z * z);
    d[0] = ring * cos(golden * i);
    d[1] = ring * sin(golden * i);
    d[2] = z;
}

// Evenly spread over a disc around the lamp.
static void lamp_direction(const double *lamp, int i, double *d) {
    viewer v;
    look_from(&v, lamp);
    double out = lamp_radius * sqrt((i + 0.5) / LAMP_DIRECTIONS);
    for (int c = 0; c < 3; c++) {
        d[c] = lamp[c] + out * (cos(golden * i) * v.side[c] + sin(golden * i) * v.up[c]);
    }
    double scale = 1.0 / pal_norm3(d);
    for (int c = 0; c < 3; c++) {
        d[c] *= scale;
    }
}

typedef struct gather { // sums over directions
    const pal_surface *body;
    const double *normal;
    double floor;
    viewer view;
    pal_raster map;
    double *screen; // [vertex_count][3]
    float *weight;  // [vertex_count] of the sky summed so far
    double floor_sky_weight, floor_lamp_weight;
    pal_sky *sky;
} gather;

static void gather_floor(gather *g, double weight) {
    for (int j = 0; j < FLOOR; j++) {
        for (int i = 0; i < FLOOR; i++) {
            double p[3] = {g->sky->floor_corner[0] + i * g->sky->floor_step,
                           g->sky->floor_corner[1] + j * g->sky->floor_step, g->floor};
            if (!is_lit(&g->view, &g->map, p)) {
                g->sky->floor[j * FLOOR + i] -= (float)weight;
            }
        }
    }
}

// Draws the body from one direction and adds what every vertex sees there: each direction counts by
// its cosine for the sky, equally for the lamp.
static void gather_direction(gather *g, const double *d, bool of_lamp) {
    const pal_surface *body = g->body;
    look_from(&g->view, d);
    for (int64_t i = 0; i < body->vertex_count; i++) {
        view_point(&g->view, body->x + 3 * i, g->screen + 3 * i);
    }
    pal_raster_clear(&g->map);
    pal_raster_draw(&g->map, g->screen, body->triangle, body->triangle_count);
    for (int64_t i = 0; i < body->vertex_count; i++) {
        const double *n = g->normal + 3 * i, *x = body->x + 3 * i;
        double cosine = pal_dot3(n, d);
        if (!of_lamp && cosine <= 0.0) {
            continue;
        }
        double out = bias * g->view.radius;
        double p[3] = {x[0] + out * n[0], x[1] + out * n[1], x[2] + out * n[2]};
        float lit = is_lit(&g->view, &g->map, p) ? 1.0F : 0.0F;
        if (of_lamp) {
            g->sky->lamp[i] += lit / LAMP_DIRECTIONS;
        } else {
            g->sky->open[i] += (float)cosine * lit;
            g->weight[i] += (float)cosine;
        }
    }
    if (d[2] > 0.0) {
        gather_floor(g, of_lamp ? lamp_share * d[2] / g->floor_lamp_weight
                                : (1.0 - lamp_share) * d[2] / g->floor_sky_weight);
    }
}

// One pass of averaging along the edges, to hide the grain of the views.
static void smooth(const pal_surface *body, float *value, float *sum, float *weight) {
    for (int32_t i = 0; i < body->vertex_count; i++) {
        sum[i] = value[i];
        weight[i] = 1.0F;
    }
    for (int64_t t = 0; t < body->triangle_count; t++) {
        const int32_t *v = body->triangle + 3 * t;
        for (int c = 0; c < 3; c++) {
            int32_t a = v[c], b = v[(c + 1) % 3];
            sum[a] += 0.5F * value[b];
            sum[b] += 0.5F * value[a];
            weight[a] += 0.5F;
            weight[b] += 0.5F;
        }
    }
    for (int32_t i = 0; i < body->vertex_count; i++) {
        value[i] = sum[i] / weight[i];
    }
}

// Blurs the light on the floor, to hide that the lamp is a handful of points.
static void smooth_floor(float *floor, float *scratch) {
    for (int pass = 0; pass < 4; pass++) {
        float *from = pass % 2 == 0 ? floor : scratch, *to = pass % 2 == 0 ? scratch : floor;
        int step = pass % 2 == 0 ? 1 : FLOOR; // along x, then along y
        for (int i = 0; i < FLOOR * FLOOR; i++) {
            int place = step == 1 ? i % FLOOR : i / FLOOR;
            int back = place > 0 ? step : 0, next = place < FLOOR - 1 ? step : 0;
            to[i] = 0.25F * from[i - back] + 0.5F * from[i] + 0.25F * from[i + next];
        }
    }
}

static void gather_all(gather *g, const double *lamp, float *scratch, float *floor_scratch) {
    double d[3];
    for (int i = 0; i < SKY_DIRECTIONS; i++) {
        sky_direction(i, d);
        g->floor_sky_weight += fmax(d[2], 0.0);
    }
    for (int i = 0; i < LAMP_DIRECTIONS; i++) {
        lamp_direction(lamp, i, d);
        g->floor_lamp_weight += fmax(d[2], 0.0);
    }
    for (int i = 0; i < SKY_DIRECTIONS; i++) {
        sky_direction(i, d);
        gather_direction(g, d, false);
    }
    for (int i = 0; i < LAMP_DIRECTIONS; i++) {
        lamp_direction(lamp, i, d);
        gather_direction(g, d, true);
    }
    for (int32_t i = 0; i < g->body->vertex_count; i++) {
        g->sky->open[i] = g->weight[i] > 0.0F ? g->sky->open[i] / g->weight[i] : 1.0F;
    }
    smooth(g->body, g->sky->open, scratch, g->weight);
    smooth(g->body, g->sky->lamp, scratch, g->weight);
    smooth_floor(g->sky->floor, floor_scratch);
}

pal_status pal_sky_build(const pal_surface *body, const double *normal, const double *lamp,
                         double floor, pal_sky *sky, pal_err *err) {
    *sky = (pal_sky){0};
    gather g = {.body = body, .normal = normal, .floor = floor, .sky = sky};
    enclose(body, &g.view);
    double half = floor_reach * g.view.radius;
    sky->floor_step = 2.0 * half / PAL_FLOOR_CELLS;
    sky->floor_corner[0] = g.view.centre[0] - half;
    sky->floor_corner[1] = g.view.centre[1] - half;

    size_t n = (size_t)body->vertex_count;
    float *scratch = PAL_NEW(float, n, err), *floor_scratch = NULL;
    bool ok = scratch != NULL && (floor_scratch = PAL_NEW(float, FLOOR *FLOOR, err)) != NULL &&
              pal_raster_alloc(&g.map, MAP, MAP, err) == PAL_OK &&
              (sky->open = PAL_NEW(float, n, err)) != NULL &&
              (sky->lamp = PAL_NEW(float, n, err)) != NULL &&
              (sky->floor = PAL_NEW(float, FLOOR *FLOOR, err)) != NULL &&
              (g.screen = PAL_NEW(double, 3 * n, err)) != NULL &&
              (g.weight = PAL_NEW(float, n, err)) != NULL;
    if (ok) {
        for (int i = 0; i < FLOOR * FLOOR; i++) {
            sky->floor[i] = 1.0F;
        }
        gather_all(&g, lamp, scratch, floor_scratch);
    } else {
        pal_sky_free(sky);
    }
    pal_raster_free(&g.map);
    free(g.screen);
    free(g.weight);
    free(scratch);
    free(floor_scratch);
    return ok ? PAL_OK : PAL_ERR_MEMORY;
}

void pal_sky_free(pal_sky *sky) {
    free(sky->open);
    free(sky->lamp);
    free(sky->floor);
    *sky = (pal_sky){0};
}

double pal_sky_floor(const pal_sky *sky, double x, double y) {
    double s = (x - sky->floor_corner[0]) / sky->floor_step;
    double t = (y - sky->floor_corner[1]) / sky->floor_step;
    if (!(s >= 0.0 && t >= 0.0 && s < PAL_FLOOR_CELLS && t < PAL_FLOOR_CELLS)) {
        return 1.0;
    }
    int i = (int)s, j = (int)t;
    double fs = s - i, ft = t - j;
    const float *at = sky->floor + j * FLOOR + i;
    double light = (1.0 - ft) * ((1.0 - fs) * at[0] + fs * at[1]) +
                   ft * ((1.0 - fs) * at[FLOOR] + fs * at[FLOOR + 1]);
    // The grid is finite: let the shadow fade before its rim.
    double u = 2.0 * s / PAL_FLOOR_CELLS - 1.0, v = 2.0 * t / PAL_FLOOR_CELLS - 1.0;
    double fade = fmax(1.0 - pow(u * u + v * v, 2.0), 0.0);
    return 1.0 - fade * (1.0 - light);
}
