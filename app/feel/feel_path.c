#include "app/feel/feel_path.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/table.h"
#include "haptics/feel/feel_trace.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

enum { LEAD = 800, COARSE = 5, FINE = 10, MOST_RUNS = COARSE + FINE + 3 };
static const double lead_way = 40e-3; // m, from where the tool is led in, in LEAD ticks
static const double begins = 20e-3;   // N: a path that begins with more begins in the body
static const double matters = 2e-3;   // of the mean force: what friction must change at least

typedef struct path {
    pal_session look;     // what all runs share
    pal_feel_trace given; // the path
    int64_t lead;         // ticks before it
    int64_t count;        // rows in all
    pal_tick_record *row; // [count] that the device plays
    const pal_progress *progress;
    pal_path_result *result;
} path;

// ---- the device

static bool starts_inside(const pal_feel_trace *t) {
    return pal_norm3(t->row[0].force) > begins;
}

// Whether the recording tells how fast the device was.
static bool has_speeds(const pal_feel_trace *t) {
    int64_t k = 0;
    while (k < t->count && pal_norm3(t->row[k].velocity) == 0.0) {
        k++;
    }
    return k < t->count;
}

// The rows of the path, and a way in before them; speeds are those between its places where it
// tells none.
static pal_status make_rows(path *p, pal_err *err) {
    const pal_feel_trace *t = &p->given;
    const double *push = t->row[0].force, size = pal_norm3(push);
    const bool told = has_speeds(t);
    p->lead = starts_inside(t) ? LEAD : 0;
    p->count = p->lead + t->count;
    p->row = PAL_NEW(pal_tick_record, p->count, err);
    for (int64_t k = 0; p->row != NULL && k < p->count; k++) {
        pal_tick_record *row = &p->row[k];
        const int64_t at = k < p->lead ? 0 : k - p->lead;
        *row = t->row[at];
        row->sequence = (uint64_t)k + 1;
        row->present = 1;
        if (!(row->turn[0] != 0.0)) {
            memcpy(row->turn, (const double[]){1.0, 0.0, 0.0, 0.0}, sizeof row->turn);
        }
        // Three quarters of the lead to get there, the rest to settle
        const double out = lead_way * fmax(0.0, 1.0 - (double)k / (0.75 * LEAD));
        for (int c = 0; k < p->lead && c < 3; c++) {
            row->position[c] += out * push[c] / size;
        }
        for (int c = 0; k > 0 && (k < p->lead || !told) && c < 3; c++) {
            row->velocity[c] = (row->position[c] - p->row[k - 1].position[c]) / t->dt;
        }
    }
    return p->row != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

// ---- one run

static void set_friction(pal_live_body *body, double mu) {
    for (int i = 0; i < PAL_SURFACE_LAWS; i++) {
        body->law[i].static_friction = body->law[i].dynamic_friction = mu;
    }
}

static pal_status play(path *p, pal_session *s, double sum[3], int64_t *touching, pal_err *err) {
    pal_status status = pal_session_play(s, 0, p->row, p->count, 1, err);
    const bool flushed = pal_realtime_flush_denormals(true);
    for (int64_t k = 0; status == PAL_OK && k < p->count; k++) {
        pal_tick_record now[PAL_MAX_TOOLS];
        pal_servo_tick(s->servo, 0, 0.0);
        for (int32_t h = 0; h < s->hand_count; h++) {
            pal_ring_get(&s->servo->log, &now[h]);
        }
        if (k >= p->lead) {
            *touching += now[0].touching > 0;
            for (int c = 0; c < 3; c++) {
                sum[c] += pow(now[0].force[c] - p->given.row[k - p->lead].force[c], 2);
            }
        }
    }
    if (flushed) {
        pal_realtime_flush_denormals(false);
    }
    return status;
}

// mu: NAN: the scene's own surface.
static pal_status run_path(path *p, double mu, double *error, pal_err *err) {
    pal_path_result *r = p->result;
    const pal_scene *scene = &p->look.scene;
    const bool wall = scene->live.has_wall;
    const pal_session_options options = {.device = "null",
                                         .seed = -1,
                                         .model = wall ? NULL : &p->look.model,
                                         .tree = scene->has_domains ? &p->look.tree : NULL,
                                         .like = wall ? NULL : &p->look.body};
    pal_session s;
    double sum[3] = {0.0, 0.0, 0.0};
    int64_t touching = 0;
    pal_status status = pal_session_open_text(&s, scene->path, scene->text, &options, NULL, err);
    if (status != PAL_OK) {
        return status;
    }
    if (!isnan(mu)) {
        set_friction(&s.body, mu);
    }
    status = play(p, &s, sum, &touching, err);
    pal_session_close(&s);
    const double count = (double)p->given.count;
    *error = sqrt((sum[0] + sum[1] + sum[2]) / count);
    r->least = fmin(r->least, *error);
    r->most = fmax(r->most, *error);
    r->contact = isnan(mu) ? (double)touching / count : r->contact;
    for (int c = 0; isnan(mu) && c < 3; c++) {
        r->error_axis[c] = sqrt(sum[c] / count);
    }
    pal_progress_report(p->progress, "along the path", ++r->runs / (double)MOST_RUNS);
    return status;
}

// ---- the friction

// Golden section between a and b, which have the least between them.
static pal_status search(path *p, double a, double b, double *mu, double *error, pal_err *err) {
    const double golden = 0.5 * (sqrt(5.0) - 1.0);
    double x[2] = {b - golden * (b - a), a + golden * (b - a)}, f[2];
    pal_status status = run_path(p, x[0], &f[0], err);
    if (status == PAL_OK) {
        status = run_path(p, x[1], &f[1], err);
    }
    for (int k = 0; status == PAL_OK && k < FINE; k++) {
        const int better = f[1] < f[0];
        if (better) {
            a = x[0];
            x[0] = x[1];
            f[0] = f[1];
            x[1] = a + golden * (b - a);
        } else {
            b = x[1];
            x[1] = x[0];
            f[1] = f[0];
            x[0] = b - golden * (b - a);
        }
        status = run_path(p, x[better], &f[better], err);
    }
    const int best = f[1] < f[0];
    *mu = x[best];
    *error = f[best];
    return status;
}

// Some values over all of 0..1, then between the neighbours of the best.
static pal_status fit_friction(path *p, pal_err *err) {
    pal_path_result *r = p->result;
    double error[COARSE], mu, least;
    int best = 0;
    pal_status status = PAL_OK;
    for (int i = 0; status == PAL_OK && i < COARSE; i++) {
        status = run_path(p, i / (COARSE - 1.0), &error[i], err);
        best = status == PAL_OK && error[i] < error[best] ? i : best;
    }
    if (status != PAL_OK || r->most - r->least < matters * r->mean_force) {
        return status;
    }
    const double a = best > 0 ? best - 1 : 0, b = best < COARSE - 1 ? best + 1 : best;
    status = search(p, a / (COARSE - 1.0), b / (COARSE - 1.0), &mu, &least, err);
    if (status == PAL_OK) {
        const bool at_end = error[best] < least; // at 0 or 1
        r->friction = at_end ? best / (COARSE - 1.0) : mu;
        r->least_error = at_end ? error[best] : least;
    }
    return status;
}

static void sum_up(const pal_feel_trace *t, pal_path_result *r) {
    r->count = t->count;
    r->seconds = (double)t->count * t->dt;
    for (int64_t k = 0; k < t->count; k++) {
        r->mean_force += pal_norm3(t->row[k].force) / (double)t->count;
    }
}

static pal_status find(path *p, const char *csv, pal_err *err) {
    pal_path_result *r = p->result;
    sum_up(&p->given, r);
    if (!(r->mean_force > 0.0)) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "%s: all forces are zero; give a path with the forces measured along it",
                        csv);
    }
    pal_status status = make_rows(p, err);
    if (status == PAL_OK) {
        status = run_path(p, NAN, &r->error, err);
    }
    if (status == PAL_OK && !(r->contact > 0.0)) {
        const double *x = p->given.row[0].position;
        return pal_fail(err, PAL_ERR_INPUT,
                        "%s: along this path, which begins at (%.4g, %.4g, %.4g) m, nothing of the "
                        "scene '%s' is touched; places are those of the tool's tip in the frame of "
                        "the body, in metres",
                        csv, x[0], x[1], x[2], p->look.scene.name);
    }
    return status == PAL_OK && !p->look.scene.live.has_wall ? fit_friction(p, err) : status;
}

pal_status pal_path_find(const char *scene, const char *csv, const pal_progress *progress,
                         pal_path_result *result, pal_err *err) {
    const pal_session_options options = {.device = "null", .seed = -1};
    path *p = PAL_NEW(path, 1, err);
    if (p == NULL) {
        return PAL_ERR_MEMORY;
    }
    *result = (pal_path_result){.friction = NAN, .least_error = NAN, .least = INFINITY};
    p->progress = progress;
    p->result = result;
    pal_status status = pal_feel_trace_read_csv(&p->given, csv, err); // mistakes first
    if (status == PAL_OK) {
        status = pal_session_open(&p->look, scene, &options, progress, err);
        if (status == PAL_OK) {
            snprintf(result->scene, sizeof result->scene, "%s", p->look.scene.name);
            status = find(p, csv, err);
            pal_session_close(&p->look);
        }
        pal_feel_trace_free(&p->given);
    }
    free(p->row);
    free(p);
    return status;
}

// ---- output

void pal_path_print(const pal_path_result *r) {
    const double *a = r->error_axis;
    pal_table_fact(stdout, "path", "%lld ticks, %.3g s, in contact for %.0f %% of them",
                   (long long)r->count, r->seconds, 100.0 * r->contact);
    pal_table_fact(stdout, "measured force", "%.4g N on average", r->mean_force);
    pal_table_fact(stdout, "error", "%.4g N rms, %.1f %% of it (x %.3g, y %.3g, z %.3g N)",
                   r->error, 100.0 * r->error / r->mean_force, a[0], a[1], a[2]);
    if (isnan(r->friction)) {
        pal_table_fact(stdout, "friction", "not found: the force hardly depends on it");
    } else {
        pal_table_fact(stdout, "friction", "%.3f fits best: %.4g N rms, %.1f %% of the mean",
                       r->friction, r->least_error, 100.0 * r->least_error / r->mean_force);
    }
}

void pal_path_json(const pal_path_result *r, cJSON *root) {
    pal_json_text(root, "scene", r->scene);
    pal_json_number(root, "ticks", (double)r->count);
    pal_json_number(root, "contact_share", r->contact);
    pal_json_number(root, "mean_force_n", r->mean_force);
    pal_json_number(root, "error_n", r->error);
    pal_json_number(root, "error_share", r->error / r->mean_force);
    pal_json_numbers(root, "error_axis_n", r->error_axis, 3);
    if (!isnan(r->friction)) {
        pal_json_number(root, "friction", r->friction);
        pal_json_number(root, "least_error_n", r->least_error);
        pal_json_number(root, "least_error_share", r->least_error / r->mean_force);
    }
    pal_json_number(root, "runs", r->runs);
}
