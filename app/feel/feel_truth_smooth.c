// A slide over a smooth surface: the same hand and device, steps of its encoder included, in a
// closed loop with the quadric that lies nearest to the surface that was gone over,
//
//     h(a, b) = c0 + c1 a + c2 b + c3 a^2 + c4 a b + c5 b^2      over the plane of the mean normal,
//
// with the same mean stiffness K (mean force over mean depth below h), the same friction, and the
// same coupling: from one tick to the next it is as hard as the device bears, K_c, and gives the
// rest back in 5 ms (tool.h). Nothing in it knows of triangles, voxels or samples.
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/feel/feel_body.h"
#include "app/feel/feel_truth_parts.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

enum { TERMS = 6, EVERY = 20 };     // of the quadric; ticks between the places that it is fitted by
static const double corridor = 1.5; // of the tool's radius, about the way
static const double give_back = 5e-3; // s

typedef struct quadric {
    double origin[3], axis[3][3]; // two along, then the normal, unit
    double c[TERMS];
} quadric;

static void terms_at(double a, double b, double t[TERMS]) {
    const double all[TERMS] = {1.0, a, b, a * a, a * b, b * b};
    memcpy(t, all, sizeof all);
}

static void local_place(const quadric *s, const double x[3], double place[3]) {
    double d[3];
    pal_sub3(x, s->origin, d);
    for (int c = 0; c < 3; c++) {
        place[c] = pal_dot3(s->axis[c], d);
    }
}

// How deep a ball's centre is below where it would only touch, and the normal there.
static double depth_at(const quadric *s, const double x[3], double radius, double normal[3]) {
    double p[3], t[TERMS], h = 0.0;
    local_place(s, x, p);
    terms_at(p[0], p[1], t);
    for (int k = 0; k < TERMS; k++) {
        h += s->c[k] * t[k];
    }
    const double ha = s->c[1] + 2.0 * s->c[3] * p[0] + s->c[4] * p[1];
    const double hb = s->c[2] + s->c[4] * p[0] + 2.0 * s->c[5] * p[1];
    const double size = sqrt(1.0 + ha * ha + hb * hb);
    for (int c = 0; c < 3; c++) {
        normal[c] = (s->axis[2][c] - ha * s->axis[0][c] - hb * s->axis[1][c]) / size;
    }
    return radius - (p[2] - h) / size;
}

static void middle_of(const pal_surface *surface, int32_t triangle, double x[3]) {
    memset(x, 0, 3 * sizeof *x);
    for (int k = 0; k < 9; k++) {
        x[k % 3] +=
            surface->x[3 * (int64_t)surface->triangle[3 * (int64_t)triangle + k / 3] + k % 3] / 3.0;
    }
}

// The frame: the middle of the way at rest, the mean normal, and the way along.
static bool set_frame(const pal_truth_walk *walk, pal_feel_window w, quadric *s) {
    const pal_surface *surface = &walk->session.model.surface;
    double *n = s->axis[2], *a = s->axis[0], x[3], count = 0.0;
    memset(s, 0, sizeof *s);
    for (int64_t k = w.first; k <= w.last; k++) {
        const pal_tick_record *row = &walk->row[k * walk->hands];
        if (walk->triangle[k] >= 0 && row->touching > 0) {
            middle_of(surface, walk->triangle[k], x);
            for (int c = 0; c < 3; c++) {
                s->origin[c] += x[c];
                n[c] += row->normal[c];
            }
            count++;
        }
    }
    pal_sub3(walk->row[w.last * walk->hands].position, walk->row[w.first * walk->hands].position,
             a);
    const double size = pal_norm3(n);
    for (int c = 0; count > 0.0 && size > 0.0 && c < 3; c++) {
        s->origin[c] /= count;
        n[c] /= size;
    }
    const double up = pal_dot3(a, n);
    for (int c = 0; c < 3; c++) {
        a[c] -= up * n[c];
    }
    const double length = pal_norm3(a);
    for (int c = 0; c < 3; c++) {
        a[c] /= length;
    }
    pal_cross3(n, a, s->axis[1]);
    return count > 0.0 && size > 0.0 && length > 0.0;
}

// Whether a point of the surface lies by the way.
static bool is_near(const pal_truth_walk *walk, pal_feel_window w, const double x[3],
                    double radius) {
    for (int64_t k = w.first; k <= w.last; k += EVERY) {
        if (walk->triangle[k] >= 0) {
            double middle[3], d[3];
            middle_of(&walk->session.model.surface, walk->triangle[k], middle);
            pal_sub3(x, middle, d);
            if (pal_dot3(d, d) < radius * radius) {
                return true;
            }
        }
    }
    return false;
}

// Least squares over the triangles by the way that look up, by their areas.
static bool fit(const pal_truth_walk *walk, pal_feel_window w, double radius, quadric *s) {
    const pal_surface *surface = &walk->session.model.surface;
    double a[TERMS * TERMS] = {0.0}, b[TERMS] = {0.0}, t[TERMS], trace = 0.0;
    for (int32_t k = 0; k < surface->triangle_count; k++) {
        const int32_t *corner = surface->triangle + 3 * (int64_t)k;
        double x[3], p[3], d[3], e[3], area[3];
        middle_of(surface, k, x);
        pal_sub3(surface->x + 3 * (int64_t)corner[1], surface->x + 3 * (int64_t)corner[0], d);
        pal_sub3(surface->x + 3 * (int64_t)corner[2], surface->x + 3 * (int64_t)corner[0], e);
        pal_cross3(d, e, area);
        const double weight = pal_dot3(area, s->axis[2]);
        if (!(weight > 0.0) || !is_near(walk, w, x, radius)) {
            continue;
        }
        local_place(s, x, p);
        terms_at(p[0] / radius, p[1] / radius, t);
        for (int i = 0; i < TERMS; i++) {
            b[i] += weight * t[i] * p[2];
            for (int j = 0; j < TERMS; j++) {
                a[TERMS * i + j] += weight * t[i] * t[j];
            }
        }
    }
    for (int i = 0; i < TERMS; i++) {
        trace += a[(TERMS + 1) * i];
    }
    for (int i = 0; i < TERMS; i++) { // a few triangles leave some of it open: then it is flat
        a[(TERMS + 1) * i] += 1e-9 * trace;
    }
    if (!(trace > 0.0) || LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', TERMS, 1, a, TERMS, b, 1) != 0) {
        return false;
    }
    terms_at(1.0 / radius, 1.0 / radius, t);
    for (int i = 0; i < TERMS; i++) {
        s->c[i] = b[i] * t[i];
    }
    return true;
}

// Mean force along the normal over mean depth.
static double mean_stiffness(const pal_feel_trace *seen, pal_feel_window w, const quadric *s,
                             double radius) {
    double force = 0.0, depth = 0.0;
    for (int64_t k = w.first; k <= w.last; k++) {
        double n[3];
        const double d = depth_at(s, seen->row[k].position, radius, n);
        depth += fmax(0.0, d);
        force += fmax(0.0, pal_dot3(seen->row[k].force, n));
    }
    return depth > 0.0 ? force / depth : 0.0;
}

typedef struct sliding {
    double stiffness, hard; // N/m, K and K_c
    double dt;
    double deep;      // m, the depth that has been given back to
    double anchor[3]; // m, where friction holds
    bool on, slips;
} sliding;

// One tick of the ball over the quadric.
static void slide_on(sliding *g, const double x[3], double depth, const double n[3],
                     const pal_surface_law *law, double force[3]) {
    memset(force, 0, 3 * sizeof *force);
    if (!(depth > 0.0)) {
        g->on = false;
        return;
    }
    if (!g->on) {
        g->on = true;
        g->slips = false;
        g->deep = depth;
        memcpy(g->anchor, x, sizeof g->anchor);
    }
    const double harder = fmax(0.0, g->hard - g->stiffness);
    g->deep += (depth - g->deep) * g->dt / (g->dt + give_back);
    const double push = fmax(0.0, g->stiffness * depth + harder * (depth - g->deep));
    double off[3];
    pal_sub3(g->anchor, x, off);
    const double up = pal_dot3(off, n);
    for (int c = 0; c < 3; c++) {
        off[c] -= up * n[c];
    }
    const double pull = g->stiffness * pal_norm3(off);
    const double mu = g->slips ? law->dynamic_friction : law->static_friction;
    g->slips = g->slips || pull > mu * push;
    const double most = g->slips ? law->dynamic_friction * push : pull;
    const double share = pull > most ? most / pull : 1.0;
    for (int c = 0; c < 3; c++) {
        force[c] = push * n[c] + g->stiffness * share * off[c];
        g->anchor[c] = x[c] + share * off[c];
    }
}

// Root mean squares of the angle between one force and the next, and of their second difference.
static void measure(const double (*f)[3], int64_t count, double *angle, double *jerk) {
    double turns = 0.0, square = 0.0;
    for (int64_t k = 1; k < count; k++) {
        double across[3];
        pal_cross3(f[k], f[k - 1], across);
        turns += pow(atan2(pal_norm3(across), pal_dot3(f[k], f[k - 1])), 2);
        for (int c = 0; k > 1 && c < 3; c++) {
            square += pow(f[k][c] - 2.0 * f[k - 1][c] + f[k - 2][c], 2);
        }
    }
    *angle = sqrt(turns / (double)(count - 1));
    *jerk = count > 2 ? sqrt(square / (double)(count - 2)) : 0.0;
}

// The forces of the slide's window, force [], over the quadric. The device is the trial's own with
// its hand, in a closed loop with this surface; NULL: its readings as they were.
static void slide_over(const pal_truth_walk *walk, const pal_feel_trace *seen, pal_feel_window w,
                       const quadric *surface, sliding *g, pal_device *device, double (*force)[3]) {
    const pal_session *s = &walk->session;
    const pal_surface_law *law = &s->body.law[0];
    for (int64_t k = 0; k < w.last + 1; k++) { // the friction begins where the contact does
        pal_device_state now;
        double n[3], f[3];
        if (device != NULL) {
            device->functions->read(device, &now);
        } else {
            memcpy(now.position, seen->row[k].position, sizeof now.position);
        }
        const double depth = depth_at(surface, now.position, s->tool[0].shape.feature, n);
        const int32_t triangle = walk->triangle[k];
        law = triangle >= 0 ? &s->body.law[pal_truth_law(s, triangle)] : law;
        slide_on(g, now.position, depth, n, law, f);
        if (device != NULL) {
            device->functions->write(device, f, NULL);
            device->functions->advance(device, g->dt);
        }
        if (k >= w.first) {
            memcpy(force[k - w.first], f, sizeof f);
        }
    }
}

// The trace's hand and device once more.
static pal_status open_again(const pal_feel *feel, const pal_trace_data *trace, pal_session *s,
                             pal_err *err) {
    pal_session_options options = {
        .device = "sim", .seed = (long)trace->info.seed, .no_local = trace->info.no_local};
    pal_feel_lend(feel, &options);
    return pal_session_open_text(s, trace->scene_path, trace->scene_text, &options, NULL, err);
}

pal_status pal_truth_smooth(const pal_feel *feel, const pal_truth_walk *walk,
                            const pal_feel_trial *trial, double *angle, double *jerk,
                            pal_err *err) {
    const pal_session *s = &walk->session;
    const pal_feel_window w = pal_feel_slide(&trial->seen);
    const double radius = s->tool[0].shape.feature;
    quadric surface;
    if (w.first >= w.last || !set_frame(walk, w, &surface) ||
        !fit(walk, w, corridor * radius, &surface)) {
        return PAL_OK;
    }
    sliding g = {.stiffness = mean_stiffness(&trial->seen, w, &surface, radius),
                 .hard = s->options.tool[0].stiffness,
                 .dt = s->options.dt};
    const int64_t count = w.last - w.first + 1;
    double(*force)[3] = pal_alloc((size_t)count, sizeof *force, err);
    if (force == NULL || !(g.stiffness > 0.0)) {
        free(force);
        return force != NULL ? PAL_OK : PAL_ERR_MEMORY;
    }
    // A hand that was led by a script does the same again; a person's does not
    const bool again = strcmp(trial->trace.info.device, "sim") == 0;
    pal_session loop;
    pal_status status = again ? open_again(feel, &trial->trace, &loop, err) : PAL_OK;
    if (status == PAL_OK) {
        slide_over(walk, &trial->seen, w, &surface, &g, again ? &loop.device[0] : NULL, force);
        measure((const double(*)[3])force, count, angle, jerk);
    }
    if (status == PAL_OK && again) {
        pal_session_close(&loop);
    }
    free(force);
    return status;
}
