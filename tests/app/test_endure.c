// Every scene of domains under every inertia, for 60 s of its own time: its wind, its probe again
// and again, and hard pulls at random places that are let go.
//
//     PALPATE_LONG=1        all of it; else 60 ticks of the flower (test_tree_guard has the law),
//     10
//                           under the sanitizers, of exact inertia
//     PALPATE_SCENE=flower  this one alone
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/session.h"
#include "haptics/live_tree.h"
#include "haptics/realtime.h"
#include "sim/base/rng.h"
#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/sanitized.h"

enum { LONG = 60000, SHORT = SANITIZED_OR(10, 60), PULL = 400, EVERY = 1000, ROUNDS = 8 };
static const double pull_strength = 9.81; // N for each kg of what hangs on the domain

void setUp(void) {
    check_use_cache();
}
void tearDown(void) {
}

static const char *const inertia_name[3] = {"interface", "centre", "exact"};
static const double slack[3] = {20.0, 20.0, 2.0}; // as tree_guard.c states

// The scene's text under another inertia, its probe several times over, without what follows.
static void write_scene(const pal_scene *scene, int inertia, char *out, size_t size) {
    const char *const kind = "inertia: exact";
    const char *at = strstr(scene->text, kind), *probe = strstr(scene->text, "probe:\n");
    TEST_ASSERT_TRUE(at != NULL && probe != NULL && at < probe);
    probe += strlen("probe:\n");
    const char *rest = at + strlen(kind), *end = strstr(probe, "\n\n");
    const int lines = end != NULL ? (int)(end - probe) + 1 : (int)strlen(probe);
    size_t length = (size_t)snprintf(out, size, "%.*sinertia: %s%.*s", (int)(at - scene->text),
                                     scene->text, inertia_name[inertia], (int)(probe - rest), rest);
    for (int k = 0; k < ROUNDS && length < size; k++) {
        length += (size_t)snprintf(out + length, size - length, "%.*s", lines, probe);
    }
    TEST_ASSERT_TRUE(length < size);
}

// A vertex that is pulled for a while.
typedef struct pull {
    int32_t domain;
    const double *rest, *u;
    double force[3];
} pull;

static double weight_of_subtree(const pal_tree *tree, int32_t domain) {
    double mass = 0.0;
    for (int32_t i = domain; i < tree->domain_count; i++) {
        int32_t up = i;
        while (up > domain) {
            up = tree->domain[up].parent;
        }
        const double s = tree->domain[i].scale;
        mass += up == domain ? s * s * s * tree->class_[tree->domain[i].kind].mass : 0.0;
    }
    return mass;
}

static void choose_pull(const pal_live_tree *t, pal_rng *rng, pull *p) {
    const pal_tree *tree = pal_tree_of(t->state);
    p->domain = (int32_t)(pal_rng_next(rng) % (uint64_t)tree->domain_count);
    const int32_t kind = tree->domain[p->domain].kind;
    const pal_domain_skin *skin = &t->skin[kind];
    const int64_t vertex = (int64_t)(pal_rng_next(rng) % (uint64_t)skin->point_count);
    p->rest = skin->x + 3 * vertex;
    p->u = skin->basis + 3 * vertex * tree->class_[kind].r;
    for (int c = 0; c < 3; c++) {
        p->force[c] = pal_rng_uniform(rng, -1.0, 1.0);
    }
    const double by = pull_strength * weight_of_subtree(tree, p->domain) / pal_norm3(p->force);
    for (int c = 0; c < 3; c++) {
        p->force[c] *= by;
    }
}

typedef struct story {
    double lowest, risen; // J: of the work of all loads
    double highest;       // J, held
    double worst;         // of what may be held
    int lost;             // ticks that were not a number
} story;

// One tick under a pull; a body that flies is pulled to and fro.
static void tick(pal_session *s, const pull *p, int k, int inertia, story *of) {
    pal_tree_state *state = s->body.domains->state;
    const bool flies = pal_tree_of(state)->flies;
    const double by = k % EVERY >= PULL ? 0.0 : (flies && k % EVERY >= PULL / 2 ? -1.0 : 1.0);
    const double force[3] = {by * p->force[0], by * p->force[1], by * p->force[2]};
    pal_tree_push(state, p->domain, p->rest, p->u, force);
    pal_servo_tick(s->servo, 0, 0.0);
    pal_tick_record record;
    TEST_ASSERT_TRUE(pal_ring_get(&s->servo->log, &record));
    const pal_tree_guard now = pal_tree_guarded(state);
    TEST_ASSERT_TRUE(isfinite(now.held));
    of->lowest = fmin(of->lowest, now.work);
    of->risen = fmax(of->risen, now.work - of->lowest);
    of->highest = fmax(of->highest, now.held);
    of->worst = fmax(of->worst, now.held / (slack[inertia] * of->risen + now.least));
    of->lost += (record.outcome & PAL_OUT_NAN) != 0;
}

static void endure(const pal_scene *scene, int inertia, int ticks) {
    static char text[1 << 16];
    const pal_session_options options = {.device = "sim", .seed = -1};
    pal_session session;
    pal_err err = {0};
    write_scene(scene, inertia, text, sizeof text);
    CHECK_OK(pal_session_open_text(&session, scene->path, text, &options, NULL, &err), err);
    pal_realtime_flush_denormals(true);
    pal_rng rng = pal_rng_make(7, 11);
    pull now = {0};
    story of = {0};
    for (int k = 0; k < ticks; k++) {
        if (k % EVERY == 0) {
            choose_pull(session.body.domains, &rng, &now);
        }
        tick(&session, &now, k, inertia, &of);
    }
    const pal_tree_guard guard = pal_tree_guarded(session.body.domains->state);
    printf("%-8s %-9s %2d s: %8.3g J put in, at most %8.3g J held, %5.3f of what may be; slowed "
           "%lld, put back %lld, by exact inertia %lld; not a number %d\n",
           scene->name, inertia_name[inertia], ticks / 1000, of.risen, of.highest, of.worst,
           (long long)guard.slowed, (long long)guard.put_back, (long long)guard.exact, of.lost);
    fflush(stdout);
    TEST_ASSERT_EQUAL_INT(0, of.lost);
    TEST_ASSERT_LESS_THAN_DOUBLE(1.0 + 1e-9, of.worst);
    pal_session_close(&session);
}

static void test_every_scene_endures_pulls_wind_and_its_probe(void) {
    static const char *const name[] = {"flower", "letters", "dragon", "station", "vessels", "oak"};
    const bool is_long = getenv("PALPATE_LONG") != NULL;
    const char *only = getenv("PALPATE_SCENE");
    for (int i = 0; i < (is_long ? 6 : 1); i++) {
        pal_scene scene;
        pal_err err = {0};
        if (only != NULL && strcmp(only, name[i]) != 0) {
            continue;
        }
        CHECK_OK(pal_scene_read(name[i], &scene, &err), err);
        for (int inertia = is_long ? 0 : SANITIZED_OR(2, 0); inertia < 3; inertia++) {
            endure(&scene, inertia, is_long ? LONG : SHORT);
        }
        pal_scene_free(&scene);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_every_scene_endures_pulls_wind_and_its_probe);
    return UNITY_END();
}
