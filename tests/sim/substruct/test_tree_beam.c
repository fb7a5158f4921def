// Baked beams cut into domains against the full finite elements of the uncut beam: frequencies,
// large static bending, and the swing after a release.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/basis/eigen.h"
#include "sim/fem/dynamic.h"
#include "sim/fem/static.h"
#include "sim/substruct/tree_modes.h"
#include "tests/support/beam_tree.h"
#include "tests/support/block_body.h"
#include "tests/support/check.h"
#include "tests/support/sanitized.h"
#include "tests/support/tree_run.h"
#include "tests/support/tree_vibration.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { LOWEST = 3 };

// ---- the whole beam

typedef struct whole {
    pal_volmesh mesh;
    uint8_t *held;
    pal_fem fem;
} whole;

static void open_whole(const beam_tree *beam, whole *w) {
    pal_err err = {0};
    beam_tree_mesh(beam, &w->mesh);
    w->held = block_held(&w->mesh);
    CHECK_OK(pal_fem_init(&w->fem, &w->mesh, &beam_tree_material, beam->flies ? NULL : w->held,
                          PAL_MASS_CONSISTENT, &err),
             err);
}

static void close_whole(whole *w) {
    pal_fem_free(&w->fem);
    free(w->held);
    pal_volmesh_free(&w->mesh);
}

static bool is_tip(const double *x) {
    return x[0] > 1.0 - 1e-9;
}

static int32_t count_tip(const pal_volmesh *mesh) {
    int32_t count = 0;
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        count += is_tip(mesh->x + 3 * (int64_t)v);
    }
    return count;
}

// Mean displacement of the tip's face, and the angle by which it is turned about y (degrees).
static double tip_of(const pal_volmesh *mesh, const double *u, double *mean) {
    const double middle = mesh->x[2] < 0.0 ? 0.0 : 1e-3;
    double up[3] = {0}, down[3] = {0}, most = 0.0;
    int32_t count = 0;
    memset(mean, 0, 3 * sizeof *mean);
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        most = fmax(most, mesh->x[3 * (int64_t)v + 2]);
    }
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        const double *x = mesh->x + 3 * (int64_t)v;
        if (!is_tip(x)) {
            continue;
        }
        count++;
        for (int k = 0; k < 3; k++) {
            mean[k] += u[3 * (int64_t)v + k];
            up[k] += x[2] > most - 1e-9 ? x[k] + u[3 * (int64_t)v + k] : 0.0;
            down[k] += x[2] < middle ? x[k] + u[3 * (int64_t)v + k] : 0.0;
        }
    }
    for (int k = 0; k < 3; k++) {
        mean[k] /= count;
    }
    return atan2(fabs(up[0] - down[0]), up[2] - down[2]) * 180.0 / acos(-1.0);
}

static void load_tip(const pal_volmesh *mesh, double force, double *f) {
    const int32_t count = count_tip(mesh);
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        f[3 * (int64_t)v + 2] = is_tip(mesh->x + 3 * (int64_t)v) ? force / count : 0.0;
    }
}

// The load that turns the tip by an angle (degrees, to 0.5), and the mean displacement there.
static double bend_whole(whole *w, double angle, double force, double *mean) {
    pal_err err = {0};
    const pal_static_options options = {0};
    pal_static_report report;
    const size_t size = 3 * (size_t)w->mesh.vertex_count;
    double *f = calloc(size, sizeof *f), *u = calloc(size, sizeof *u), found = 0.0;
    for (int attempt = 0; attempt < 20 && fabs(found - angle) > 0.5; attempt++) {
        if (attempt > 0) {
            force *= tan(angle * acos(-1.0) / 360.0) / tan(found * acos(-1.0) / 360.0);
        }
        memset(u, 0, size * sizeof *u);
        load_tip(&w->mesh, force, f);
        CHECK_OK(pal_static_solve(&w->fem, f, &options, NULL, u, &report, &err), err);
        found = tip_of(&w->mesh, u, mean);
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.5, angle, found);
    free(f);
    free(u);
    return force;
}

// ---- the tree of it

// Vertices of the last domain that are at the tip of the beam.
typedef struct tip {
    int32_t domain, count, r;
    double x[16][3], u[16][3 * PAL_DOMAIN_MOST_MODES], rest[3];
} tip;

static void find_tip(const pal_tree_model *model, tip *t) {
    double *x = calloc(3 * (size_t)model->domain_count, sizeof *x);
    double *turn = calloc(9 * (size_t)model->domain_count, sizeof *turn);
    pal_tree_rest_frames(&model->tree, x, turn);
    memset(t, 0, sizeof *t);
    t->domain = model->domain_count - 1;
    const pal_model *body = &model->body[model->domain[t->domain].kind];
    t->r = body->r;
    for (int32_t v = 0; v < body->mesh.vertex_count; v++) {
        const double *own = body->mesh.x + 3 * (int64_t)v;
        double at[3];
        for (int k = 0; k < 3; k++) {
            at[k] = x[3 * t->domain + k] + turn[9 * t->domain + 3 * k] * own[0] +
                    turn[9 * t->domain + 3 * k + 1] * own[1] +
                    turn[9 * t->domain + 3 * k + 2] * own[2];
        }
        if (is_tip(at)) {
            memcpy(t->x[t->count], own, sizeof at);
            memcpy(t->u[t->count], body->basis + 3 * (size_t)v * (size_t)body->r,
                   3 * (size_t)body->r * sizeof(double));
            for (int k = 0; k < 3; k++) {
                t->rest[k] += at[k];
            }
            t->count++;
        }
    }
    for (int k = 0; k < 3; k++) {
        t->rest[k] /= t->count;
    }
    free(x);
    free(turn);
}

static void push_tip(pal_tree_state *state, const tip *t, double force) {
    const double share[3] = {0.0, 0.0, force / t->count};
    for (int32_t k = 0; k < t->count; k++) {
        pal_tree_push(state, t->domain, t->x[k], t->u[k], share);
    }
}

static void read_tip(const pal_tree_state *state, const tip *t, double *mean) {
    memset(mean, 0, 3 * sizeof *mean);
    for (int32_t n = 0; n < t->count; n++) {
        double x[3], v[3];
        pal_tree_point(state, t->domain, t->x[n], t->u[n], x, v);
        for (int k = 0; k < 3; k++) {
            mean[k] += (x[k] - t->rest[k]) / t->count;
        }
    }
}

// Where the tree stands under a load on its tip: long steps, each from standstill.
static void bend_tree(pal_tree_state *state, const tip *t, double force, double *mean) {
    const int32_t domains = pal_tree_of(state)->domain_count;
    double before[3] = {0}, change = 1.0;
    for (int step = 0; step < 6000 && change > 1e-9; step++) {
        push_tip(state, t, force);
        TEST_ASSERT_EQUAL_UINT32(0, pal_tree_step(state));
        for (int32_t i = 0; i < domains; i++) {
            double q[PAL_DOMAIN_MOST_MODES];
            pal_tree_get(state, i, q, NULL, NULL);
            pal_tree_set(state, i, q, NULL, NULL);
        }
        pal_tree_settle(state);
        read_tip(state, t, mean);
        change = fabs(mean[0] - before[0]) + fabs(mean[2] - before[2]);
        memcpy(before, mean, sizeof before);
    }
    TEST_ASSERT_LESS_THAN_DOUBLE(1e-9, change);
}

// ---- laws

static void test_a_cut_beam_has_the_frequencies_of_the_whole(void) {
    static const char *const name[3] = {"interface", "centre", "exact"};
    for (int32_t d = 2; d <= SANITIZED_OR(4, 8); d *= 2) {
        const beam_tree beam = {.domains = d, .elements = 32, .r = 12, .boundary = true};
        pal_tree_model model;
        pal_modes modes;
        pal_err err = {0};
        whole w;
        double off[3] = {0};
        beam_tree_bake(&beam, &model, NULL);
        open_whole(&beam, &w);
        CHECK_OK(pal_modes_solve(&w.fem, LOWEST, NULL, &modes, &err), err);
        for (int inertia = 0; inertia < 3; inertia++) {
            double hz[LOWEST], dense[LOWEST], ratio[LOWEST];
            CHECK_OK(pal_tree_frequencies(&model.tree, (pal_inertia)inertia, LOWEST, hz, &err),
                     err);
            for (int k = 0; k < LOWEST; k++) {
                ratio[k] = hz[k] / pal_mode_hz(modes.lambda[k]);
            }
            off[inertia] = fabs(ratio[0] - 1.0);
            printf("beam cut in %d, %-9s: lowest frequencies / full: %.4f %.4f %.4f\n", (int)d,
                   name[inertia], ratio[0], ratio[1], ratio[2]);
            if (inertia == PAL_INERTIA_EXACT) {
                tree_frequencies(&model.tree, LOWEST, dense);
                for (int k = 0; k < LOWEST; k++) {
                    TEST_ASSERT_DOUBLE_WITHIN(1e-8, 1.0, hz[k] / dense[k]);
                    TEST_ASSERT_DOUBLE_WITHIN(0.015, 1.0, ratio[k]);
                }
            }
        }
        TEST_ASSERT_LESS_THAN_DOUBLE(off[1], off[2]); // exact is closer than L2, and L2 than L1
        TEST_ASSERT_LESS_THAN_DOUBLE(off[0], off[1]);
        pal_modes_free(&modes);
        close_whole(&w);
        pal_tree_model_free(&model);
    }
}

static void test_a_chain_of_four_bends_as_the_whole(void) {
    static const double angle[3] = {40.0, 60.0, 80.0};
    const beam_tree beam = {.domains = 4, .elements = 16, .r = 20, .boundary = true};
    pal_tree_model model;
    whole w;
    tip t;
    beam_tree_bake(&beam, &model, NULL);
    open_whole(&beam, &w);
    find_tip(&model, &t);
    TEST_ASSERT_EQUAL_INT(count_tip(&w.mesh), t.count);
    pal_tree_state *state = tree_run_open(&model.tree, PAL_INERTIA_EXACT, 0.1);
    double force = 50.0;
    for (int k = 0; k < SANITIZED_OR(1, 3); k++) {
        double full[3], cut[3], apart[3];
        force = bend_whole(&w, angle[k], force, full);
        bend_tree(state, &t, force, cut);
        for (int a = 0; a < 3; a++) {
            apart[a] = cut[a] - full[a];
        }
        const double error = sqrt(apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2]);
        const double size = sqrt(full[0] * full[0] + full[1] * full[1] + full[2] * full[2]);
        double gap = 0.0;
        for (int32_t i = 1; i < model.domain_count; i++) {
            gap = fmax(gap, pal_tree_gap(state, i));
        }
        printf("chain of four bent by %.0f degrees (%.3g N): tip off by %.2f %% of its way, "
               "interfaces %.2f %% off rigid\n",
               angle[k], force, 100.0 * error / size, 100.0 * gap);
        TEST_ASSERT_LESS_THAN_DOUBLE(0.02, error / size);
    }
    pal_tree_close(state);
    close_whole(&w);
    pal_tree_model_free(&model);
}

// ---- a release: the load grows smoothly for some time and is gone then

typedef struct swing {
    const pal_volmesh *mesh;
    double grows;           // s
    double last[2], turned; // height of the tip in the last two steps; when it turned
    double lowest;
} swing;

static double load_over_time(void *user, double time) {
    const swing *s = user;
    return time > s->grows ? 0.0 : 0.5 - 0.5 * cos(acos(-1.0) * time / s->grows);
}

// Follows the tip's height: where it turns for the first time after the release, by a parabola.
static void follow(swing *s, double time, double dt, double height) {
    if (s->turned == 0.0 && time > s->grows + 0.1 && height > s->last[0] &&
        s->last[0] < s->last[1]) {
        const double a = s->last[1], b = s->last[0], bend = a - 2.0 * b + height;
        s->turned = time - dt + 0.5 * dt * (a - height) / bend;
        s->lowest = b;
    }
    s->last[1] = s->last[0];
    s->last[0] = height;
}

static bool observe(void *user, int step, double time, const double *u, const double *v,
                    double kinetic, double strain) {
    swing *s = user;
    double mean[3];
    (void)v;
    (void)kinetic;
    (void)strain;
    tip_of(s->mesh, u, mean);
    follow(s, time, step > 0 ? time / step : 0.0, mean[2]);
    return s->turned == 0.0;
}

static void test_a_chain_of_four_swings_as_the_whole(void) {
    const beam_tree beam = {.domains = 4, .elements = 16, .r = 20, .boundary = true};
    const double beta = 1e-3, grows = 3.0;
    pal_tree_model model;
    pal_err err = {0};
    whole w;
    tip t;
    double mean[3];
    beam_tree_bake(&beam, &model, NULL);
    for (int32_t k = 0; k < model.class_count; k++) {
        model.class_[k].beta = beta;
    }
    open_whole(&beam, &w);
    find_tip(&model, &t);
    const double force = bend_whole(&w, 60.0, 50.0, mean);
    swing full = {.mesh = &w.mesh, .grows = grows}, cut = full;
    double *f = calloc(3 * (size_t)w.mesh.vertex_count, sizeof *f);
    load_tip(&w.mesh, force, f);
    const pal_dynamic_options options = {.dt = 5e-3,
                                         .steps = 1200,
                                         .beta = beta,
                                         .tolerance = 1e-8,
                                         .load_factor = load_over_time,
                                         .load_user = &full};
    CHECK_OK(pal_dynamic_run(&w.fem, f, &options, NULL, observe, &full, &err), err);
    pal_tree_state *state = tree_run_open(&model.tree, PAL_INERTIA_EXACT, 1e-3);
    for (int step = 1; step < 6000 && cut.turned == 0.0; step++) {
        push_tip(state, &t, force * load_over_time(&cut, 1e-3 * step));
        TEST_ASSERT_EQUAL_UINT32(0, pal_tree_step(state));
        read_tip(state, &t, mean);
        follow(&cut, 1e-3 * step, 1e-3, mean[2]);
    }
    printf("released from 60 degrees: half a period %.4f s, full %.4f s (%+.2f %%); swings to "
           "%.4f m, full %.4f m\n",
           cut.turned - grows, full.turned - grows,
           100.0 * ((cut.turned - grows) / (full.turned - grows) - 1.0), cut.lowest, full.lowest);
    TEST_ASSERT_GREATER_THAN_DOUBLE(grows, full.turned);
    TEST_ASSERT_DOUBLE_WITHIN(0.02, 1.0, (cut.turned - grows) / (full.turned - grows));
    free(f);
    pal_tree_close(state);
    close_whole(&w);
    pal_tree_model_free(&model);
}

// Lets the beam go from where `bent` stands: the highest energy within so many ms, over that of the
// start.
static double let_go(const pal_tree_state *bent, pal_inertia inertia, int steps) {
    const pal_tree *tree = pal_tree_of(bent);
    pal_tree_state *state = tree_run_open(tree, inertia, 1e-3);
    for (int32_t i = 0; i < tree->domain_count; i++) {
        double q[PAL_DOMAIN_MOST_MODES];
        pal_tree_get(bent, i, q, NULL, NULL);
        pal_tree_set(state, i, q, NULL, NULL);
    }
    pal_tree_settle(state);
    const double start = tree_run_energy(state);
    double highest = 0.0;
    for (int step = 0; step < steps; step++) {
        pal_tree_step(state);
        if (step < 300 || step % 16 == 0) {
            highest = fmax(highest, tree_run_energy(state) / start);
        }
    }
    TEST_ASSERT_TRUE(tree_run_finite(state));
    pal_tree_close(state);
    return highest;
}

static void test_a_chain_let_go_never_gains_energy(void) {
    static const double betas[3] = {1e-4, 1e-3, 0.0};
    const beam_tree beam = {.domains = 4, .elements = 16, .r = 12, .boundary = true};
    pal_tree_model model;
    whole w;
    tip t;
    double mean[3];
    beam_tree_bake(&beam, &model, NULL);
    open_whole(&beam, &w);
    find_tip(&model, &t);
    const double force = bend_whole(&w, 60.0, 50.0, mean);
    for (int k = 0; k < 3; k++) {
        for (int32_t c = 0; c < model.class_count; c++) {
            model.class_[c].beta = betas[k];
        }
        pal_tree_state *bent = tree_run_open(&model.tree, PAL_INERTIA_EXACT, 0.1);
        bend_tree(bent, &t, force, mean);
        const int steps = SANITIZED_OR(500, betas[k] > 0.0 ? 10000 : 3000);
        const double exact = let_go(bent, PAL_INERTIA_EXACT, steps);
        printf("let go from 60 degrees, beta %.0e s, %g s: highest energy / start: exact %.6f\n",
               betas[k], 1e-3 * steps, exact);
        TEST_ASSERT_LESS_THAN_DOUBLE(betas[k] == 0.0 ? 2.1 : 1.0, exact); // the guard's slack is 2
        if (betas[k] == 1e-3) {
            printf("    centre %.3g, interface %.3g\n", let_go(bent, PAL_INERTIA_CENTRE, steps),
                   let_go(bent, PAL_INERTIA_INTERFACE, steps));
        }
        pal_tree_close(bent);
    }
    close_whole(&w);
    pal_tree_model_free(&model);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_cut_beam_has_the_frequencies_of_the_whole);
    RUN_TEST(test_a_chain_of_four_bends_as_the_whole);
    RUN_TEST(test_a_chain_of_four_swings_as_the_whole);
    RUN_TEST(test_a_chain_let_go_never_gains_energy);
    return UNITY_END();
}
