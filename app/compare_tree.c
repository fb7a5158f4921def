#include "app/compare_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/progress_bar.h"
#include "sim/base/clock.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/fem/dynamic.h"
#include "sim/substruct/tree_modes.h"

enum { MAX_STEPS = 1000000, STEPS_PER_PERIOD = 150 };
// Of a united mesh with more vertices a step takes seconds, and the usual number of them hours.
enum { MANY_VERTICES = 30000 };
static const double TREE_STEP = 1e-3; // s: lumped inertias are for steps of a haptic rate
static const double PERIODS = 2.5, TOLERANCE = 1e-9, DEGREE = 3.14159265358979323846 / 180.0;

const char *const pal_tree_way_name[PAL_TREE_WAYS] = {
    "full finite elements", "L1, mass at the interface", "L2, mass at the centre", "exact"};
const char *const pal_tree_way_key[PAL_TREE_WAYS] = {"full", "interface", "centre", "exact"};

static const pal_inertia inertia_of[PAL_TREE_WAYS] = {PAL_INERTIA_EXACT, PAL_INERTIA_INTERFACE,
                                                      PAL_INERTIA_CENTRE, PAL_INERTIA_EXACT};

const pal_option pal_options_compare_tree[] = {
    {.name = "--bend",
     .kind = PAL_OPTION_NUMBER,
     .argument = "DEG",
     .fallback = "45",
     .max = 180.0,
     .open = true,
     .help = "how strong the blow is: by how many degrees it would turn the most turned domain if "
             "all were linear"},
    {.name = "--watch",
     .kind = PAL_OPTION_TEXT,
     .argument = "DOMAIN",
     .repeatable = true,
     .help = "follow the vertex of this domain that is farthest from the root; twice (default: the "
             "two heaviest leaves)"},
    {.name = "--no-full",
     .help =
         "without the motion by full finite elements, of which a step of a large mesh takes "
         "seconds; of more than 30,000 vertices it is made only where --dt or --seconds say how "
         "many steps (their frequencies are always found)"},
    {.name = NULL},
};

pal_status pal_compare_tree_check(const pal_job *job, const pal_scene *scene, pal_err *err) {
    const bool tree = scene->has_domains;
    static const char *const plain[] = {"--at", "--force",     "--amplitude", "--duration",
                                        "--r",  "--no-sketch", "--linear",    NULL};
    static const char *const domains[] = {"--bend", "--watch", "--no-full", NULL};
    for (const char *const *name = tree ? plain : domains; *name != NULL; name++) {
        if (pal_args_given(job->args, *name)) {
            return pal_fail(err, PAL_ERR_USAGE, "%s is for bodies %s domains; '%.100s' has %s",
                            *name, tree ? "without" : "of", scene->name, tree ? "some" : "none");
        }
    }
    return PAL_OK;
}

// ---- the body

// The truth: all domains as one mesh. Where there is none the reason is kept.
static pal_status unite(pal_tree_comparison *c, pal_err *err) {
    pal_err why = {0};
    pal_progress_report(c->job->progress, "uniting the domains", 0.0);
    pal_status status =
        pal_tree_unite(&c->model, &(pal_unite_options){.rigid = PAL_TREE_STIFF}, &c->united, &why);
    c->is_whole = status == PAL_OK;
    if (status == PAL_ERR_UNSUPPORTED) {
        snprintf(c->why, sizeof c->why, "%.255s", why.text);
        return PAL_OK;
    }
    return status == PAL_OK ? PAL_OK : pal_fail(err, status, "%s", why.text);
}

static pal_status open_body(pal_tree_comparison *c, pal_err *err) {
    const pal_progress *progress = c->job->progress;
    pal_status status = pal_scene_tree_model(c->scene, false, progress, &c->model, NULL, NULL, err);
    if (status == PAL_OK) {
        status = unite(c, err);
    }
    if (status != PAL_OK) {
        return status;
    }
    const pal_args *args = c->job->args;
    const bool asked = pal_args_given(args, "--dt") || pal_args_given(args, "--seconds");
    c->too_large = !asked && c->united.model.mesh.vertex_count > MANY_VERTICES;
    c->has_full = c->is_whole && !c->too_large && !pal_args_flag(args, "--no-full");
    c->trial.alpha = c->scene->damping_alpha;
    c->trial.beta = c->scene->damping_beta;
    return PAL_OK;
}

// ---- what is watched

// Where a vertex is at rest is told from its class's mesh and the rest frames.
static double reach_of(const pal_tree_comparison *c, const double *x, const double *turn, int32_t d,
                       int32_t v) {
    const pal_domain *domain = &c->model.domain[d];
    const double *rest = c->model.body[domain->kind].mesh.x + 3 * (int64_t)v;
    double away[3];
    for (int k = 0; k < 3; k++) {
        const double *row = turn + 9 * (int64_t)d + 3 * k;
        away[k] = x[3 * (int64_t)d + k] + domain->scale * pal_dot3(row, rest) - x[k];
    }
    return pal_norm3(away);
}

// The vertex of a domain that is farthest from the root's frame, inside of no interface.
static pal_status watch_domain(pal_tree_comparison *c, int place, int32_t d, pal_err *err) {
    const size_t n = (size_t)c->model.domain_count;
    double *x = PAL_NEW(double, 3 * n, err), *turn = PAL_NEW(double, 9 * n, err), most = -1.0;
    if (x == NULL || turn == NULL) {
        free(x);
        free(turn);
        return PAL_ERR_MEMORY;
    }
    pal_tree_rest_frames(&c->model.tree, x, turn);
    const pal_volmesh *mesh = &c->model.body[c->model.domain[d].kind].mesh;
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        const double far = reach_of(c, x, turn, d, v);
        if (far > most) {
            most = far;
            c->watched[place] = (pal_watched){d, v, -1};
        }
    }
    if (c->is_whole) {
        c->watched[place].whole = pal_tree_united_vertex(&c->united, d, c->watched[place].vertex);
    }
    free(x);
    free(turn);
    return PAL_OK;
}

static double volume_like(const pal_tree_comparison *c, int32_t d) {
    const pal_domain *domain = &c->model.domain[d];
    return c->model.class_[domain->kind].mass * pow(domain->scale, 3.0);
}

static bool is_leaf(const pal_tree_comparison *c, int32_t d) {
    for (int32_t i = d + 1; i < c->model.domain_count; i++) {
        if (c->model.domain[i].parent == d) {
            return false;
        }
    }
    return true;
}

// The heaviest leaf but `other`; a chain has one leaf alone, then it is the domain that carries it.
static int32_t heaviest_leaf(const pal_tree_comparison *c, int32_t other) {
    int32_t best = -1;
    for (int32_t d = 0; d < c->model.domain_count; d++) {
        if (d != other && is_leaf(c, d) && (best < 0 || volume_like(c, d) > volume_like(c, best))) {
            best = d;
        }
    }
    const int32_t carrier = best < 0 ? c->model.domain[other].parent : -1;
    return best >= 0 ? best : carrier >= 0 ? carrier : other;
}

static pal_status choose_watched(pal_tree_comparison *c, pal_err *err) {
    int count;
    const char *const *name = pal_args_list(c->job->args, "--watch", &count);
    if (count > PAL_TREE_WATCHED) {
        return pal_fail(err, PAL_ERR_USAGE, "--watch can be given %d times", PAL_TREE_WATCHED);
    }
    int32_t last = -1;
    pal_status status = PAL_OK;
    for (int k = 0; status == PAL_OK && k < PAL_TREE_WATCHED; k++) {
        int32_t d = k < count ? 0 : heaviest_leaf(c, last);
        while (k < count && d < c->model.domain_count &&
               strcmp(c->model.domain_name[d], name[k]) != 0) {
            d++;
        }
        if (d == c->model.domain_count) {
            return pal_fail(err, PAL_ERR_USAGE,
                            "--watch '%s': there is no domain of this name (palpate domains %s)",
                            name[k], c->job->args->operand[0]);
        }
        status = watch_domain(c, k, d, err);
        last = d;
    }
    return status;
}

// ---- times

static double round_number(double x) {
    double power = pow(10.0, floor(log10(x)) - 1.0);
    return round(x / power) * power;
}

static pal_status choose_times(pal_tree_comparison *c, pal_err *err) {
    const pal_args *args = c->job->args;
    const double period = 1.0 / c->hz;
    c->trial.dt = pal_args_given(args, "--dt") ? pal_args_number(args, "--dt")
                                               : round_number(period / STEPS_PER_PERIOD);
    const double seconds = pal_args_given(args, "--seconds") ? pal_args_number(args, "--seconds")
                                                             : round_number(PERIODS * period);
    const double steps = round(seconds / c->trial.dt);
    if (!(steps >= 2.0 && steps <= MAX_STEPS)) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "%g s in steps of %g s are %.0f steps; 2 to %d are possible", seconds,
                        c->trial.dt, steps, MAX_STEPS);
    }
    c->trial.steps = (int32_t)steps;
    c->parts = (int32_t)fmax(ceil(c->trial.dt / TREE_STEP - 1e-9), 1.0);
    return PAL_OK;
}

static pal_status find_frequencies(pal_tree_comparison *c, pal_err *err) {
    int32_t total = 0;
    for (int32_t i = 0; i < c->model.domain_count; i++) {
        total += c->model.class_[c->model.domain[i].kind].r;
    }
    for (int w = PAL_WAY_INTERFACE; w < PAL_TREE_WAYS; w++) {
        for (int k = 0; k < PAL_TREE_FREQUENCIES; k++) {
            c->way[w].hz[k] = (double)NAN;
        }
        const int32_t count = total < PAL_TREE_FREQUENCIES ? total : PAL_TREE_FREQUENCIES;
        pal_progress_report(c->job->progress, "frequencies", (w - 1) / 3.0);
        pal_status status =
            pal_tree_frequencies(&c->model.tree, inertia_of[w], count, c->way[w].hz, err);
        if (status != PAL_OK) {
            return status;
        }
    }
    return PAL_OK;
}

// ---- motions

static pal_status alloc_way(pal_tree_comparison *c, int w, pal_err *err) {
    pal_status status = PAL_OK;
    for (int k = 0; status == PAL_OK && k < PAL_TREE_WATCHED; k++) {
        status = pal_motion_alloc(&c->trial, &c->way[w].motion[k], err);
    }
    if (status == PAL_OK && w != PAL_WAY_FULL) {
        c->way[w].deviation = PAL_NEW(double, c->trial.steps + 1, err);
        status = c->way[w].deviation != NULL ? PAL_OK : PAL_ERR_MEMORY;
    }
    c->way[w].is_there = status == PAL_OK;
    return status;
}

static void record(const pal_tree_comparison *c, pal_motion *motion, int step, const double u[3]) {
    motion->time[step] = step * c->trial.dt;
    memcpy(motion->u + 3 * (int64_t)step, u, 3 * sizeof *u);
}

static bool observe_full(void *user, int step, double time, const double *u, const double *v,
                         double kinetic, double strain) {
    pal_tree_comparison *c = user;
    (void)time, (void)v, (void)kinetic, (void)strain;
    for (int k = 0; k < PAL_TREE_WATCHED; k++) {
        record(c, &c->way[PAL_WAY_FULL].motion[k], step, u + 3 * (int64_t)c->watched[k].whole);
    }
    return true;
}

static pal_status move_full(pal_tree_comparison *c, pal_err *err) {
    const pal_dynamic_options options = {.dt = c->trial.dt,
                                         .steps = c->trial.steps,
                                         .alpha = c->trial.alpha,
                                         .beta = c->trial.beta,
                                         .tolerance = TOLERANCE,
                                         .velocity = c->velocity};
    double *none = PAL_NEW(double, 3 * (size_t)c->united.model.mesh.vertex_count, err);
    pal_status status = none != NULL ? alloc_way(c, PAL_WAY_FULL, err) : PAL_ERR_MEMORY;
    const double begin = pal_seconds();
    if (status == PAL_OK) {
        status =
            pal_dynamic_run(&c->trial.fem, none, &options, c->job->progress, observe_full, c, err);
    }
    if (status == PAL_ERR_NUMERIC) {
        char why[300];
        snprintf(why, sizeof why, "%.299s", err->text);
        status = pal_fail(err, PAL_ERR_NUMERIC,
                          "the full body after this blow: %s; strike it less (--bend)", why);
    }
    c->way[PAL_WAY_FULL].motion[0].seconds_per_step = (pal_seconds() - begin) / c->trial.steps;
    free(none);
    return status;
}

static const double TORN = 1.0; // deviation of an interface as large as it is itself

static void observe_interfaces(pal_tree_comparison *c, int w, const pal_tree_state *state,
                               int step) {
    pal_tree_way *way = &c->way[w];
    const bool was_lost = way->lost_after > 0.0;
    for (int32_t i = 1; i < c->model.domain_count; i++) {
        way->deviation[step] = fmax(way->deviation[step], pal_tree_gap(state, i));
    }
    way->lost = way->lost || !(way->deviation[step] < TORN);
    if (way->lost) {
        way->lost_after = was_lost ? way->lost_after : step * c->trial.dt;
        way->deviation[step] = (double)NAN;
    }
}

static void observe_tree(pal_tree_comparison *c, int w, const pal_tree_state *state, int step,
                         double rest[][3]) {
    observe_interfaces(c, w, state, step);
    for (int k = 0; k < PAL_TREE_WATCHED; k++) {
        const pal_watched *it = &c->watched[k];
        const pal_model *body = &c->model.body[c->model.domain[it->domain].kind];
        double x[3], velocity[3], u[3];
        pal_tree_point(state, it->domain, body->mesh.x + 3 * (int64_t)it->vertex,
                       body->basis + 3 * (int64_t)it->vertex * body->r, x, velocity);
        if (step == 0) {
            memcpy(rest[k], x, sizeof x);
        }
        pal_sub3(x, rest[k], u);
        if (c->way[w].lost) {
            u[0] = u[1] = u[2] = (double)NAN;
        }
        record(c, &c->way[w].motion[k], step, u);
    }
}

static pal_status move_tree(pal_tree_comparison *c, int w, pal_err *err) {
    const pal_tree_options options = {
        .dt = c->trial.dt / c->parts, .inertia = inertia_of[w], .threads = 1};
    pal_tree_state *state = NULL;
    double rest[PAL_TREE_WATCHED][3], spent = 0.0;
    pal_status status = alloc_way(c, w, err);
    if (status == PAL_OK) {
        status = pal_tree_open(&c->model.tree, &options, &state, err);
    }
    if (status != PAL_OK) {
        return status;
    }
    pal_tree_blow_apply(c, state);
    observe_tree(c, w, state, 0, rest);
    for (int step = 1; step <= c->trial.steps; step++) {
        const double begin = pal_seconds();
        for (int32_t part = 0; part < c->parts; part++) {
            c->way[w].lost = c->way[w].lost || (pal_tree_step(state) & PAL_OUT_NAN) != 0;
        }
        spent += pal_seconds() - begin;
        observe_tree(c, w, state, step, rest);
        if (step % 64 == 0) {
            pal_progress_report(c->job->progress, pal_tree_way_name[w],
                                (double)step / c->trial.steps);
        }
    }
    c->way[w].motion[0].seconds_per_step = spent / c->trial.steps / c->parts;
    pal_tree_close(state);
    return PAL_OK;
}

// `along` of all ways: the first way that the truth (or exact) sets out in.
static void lay_along(pal_tree_comparison *c) {
    for (int k = 0; k < PAL_TREE_WATCHED; k++) {
        const pal_motion *first = &c->way[c->has_full ? PAL_WAY_FULL : PAL_WAY_EXACT].motion[k];
        double way[3];
        memcpy(way, first->u + 3, sizeof way);
        const double length = pal_norm3(way);
        for (int w = 0; w < PAL_TREE_WAYS; w++) {
            pal_motion *motion = &c->way[w].motion[k];
            for (int32_t i = 0; c->way[w].is_there && i < motion->count; i++) {
                motion->along[i] =
                    length > 0.0 ? pal_dot3(motion->u + 3 * (int64_t)i, way) / length : 0.0;
            }
        }
    }
}

static pal_status work(pal_tree_comparison *c, pal_err *err) {
    pal_status status = open_body(c, err);
    if (status == PAL_OK) {
        status = choose_watched(c, err);
    }
    if (status == PAL_OK) {
        status = find_frequencies(c, err);
    }
    if (status == PAL_OK) {
        status = pal_tree_blow_make(c, err);
    }
    if (status == PAL_OK) {
        status = choose_times(c, err);
    }
    for (int w = PAL_WAY_INTERFACE; status == PAL_OK && w < PAL_TREE_WAYS; w++) {
        status = move_tree(c, w, err);
    }
    if (status == PAL_OK && c->has_full) {
        status = move_full(c, err);
    }
    if (status == PAL_OK) {
        lay_along(c);
    }
    return status;
}

pal_status pal_compare_tree(const pal_job *job, pal_scene *scene, const char *picture,
                            pal_err *err) {
    pal_tree_comparison *c = PAL_NEW(pal_tree_comparison, 1, err);
    if (c == NULL) {
        return PAL_ERR_MEMORY;
    }
    c->job = job;
    c->scene = scene;
    c->angle = DEGREE * pal_args_number(job->args, "--bend");
    pal_status status = work(c, err);
    if (status == PAL_OK) {
        status = pal_compare_tree_draw(c, picture, err);
    }
    pal_bar_end(status);
    if (status == PAL_OK) {
        status = pal_compare_tree_tell(c, picture, err);
    }
    for (int w = 0; w < PAL_TREE_WAYS; w++) {
        for (int k = 0; k < PAL_TREE_WATCHED; k++) {
            pal_motion_free(&c->way[w].motion[k]);
        }
        free(c->way[w].deviation);
    }
    free(c->velocity);
    free(c->start);
    pal_fem_free(&c->trial.fem);
    pal_tree_united_free(&c->united);
    pal_tree_model_free(&c->model);
    free(c);
    return status;
}
