// Laws of contact with a tree of domains: a ball on a beam of soft matter, whole and cut.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/rng.h"
#include "tests/support/beam_tree.h"
#include "tests/support/check.h"
#include "tests/support/sanitized.h"
#include "tests/support/touch_bench.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { ELEMENTS = 16, STRIKES = SANITIZED_OR(3, 40) };
static const double side = 2.0 / ELEMENTS, radius = 0.02; // m

static void set_damping(pal_tree_model *model, double alpha, double beta) {
    for (int32_t k = 0; k < model->class_count; k++) {
        model->class_[k].alpha = model->body[k].damping_alpha = alpha;
        model->class_[k].beta = model->body[k].damping_beta = beta;
    }
}

static void bake(int32_t domains, int32_t r, pal_tree_model *model) {
    pal_test_beam_tree(domains, ELEMENTS, r, true, model);
    set_damping(model, 4.0, 2e-3);
}

// The domain's class, rest place and rows of a point of its surface.
static void point_of(const touch_bench *b, int32_t domain, int32_t own, double x[3],
                     const double **u) {
    const pal_live_tree *t = b->live.domains;
    const int32_t kind = t->model->domain[domain].kind;
    memcpy(x, t->skin[kind].x + 3 * own, 3 * sizeof *x);
    *u = t->skin[kind].basis + 3 * (int64_t)own * t->model->class_[kind].r;
}

static void shake(touch_bench *b, uint64_t seed, double by) {
    pal_tree_state *state = b->live.domains->state;
    const pal_tree *tree = pal_tree_of(state);
    pal_rng rng = pal_rng_make(seed, 1);
    for (int32_t i = 0; i < tree->domain_count; i++) {
        double q[PAL_DOMAIN_MOST_MODES], v[PAL_DOMAIN_MOST_MODES];
        for (int32_t l = 0; l < tree->class_[tree->domain[i].kind].r; l++) {
            q[l] = by * pal_rng_uniform(&rng, -1.0, 1.0);
            v[l] = 10.0 * by * pal_rng_uniform(&rng, -1.0, 1.0);
        }
        pal_tree_set(state, i, q, v, NULL);
    }
    pal_tree_settle(state);
}

static void test_points_are_where_the_tree_has_them(void) {
    pal_tree_model model;
    touch_bench b;
    bake(4, 8, &model);
    model.domain[2].scale = 1.3; // what hangs on it goes with it
    touch_bench_open_tree(&b, &model, PAL_INERTIA_EXACT, 1e4, radius);
    shake(&b, 3, 0.05);
    const pal_domains *d = &b.live.domains->domains;
    const pal_body *body = &d->body;
    pal_domains_gather(&b.live.domains->domains, &b.tool, 1, TOUCH_DT);
    TEST_ASSERT_EQUAL_INT32(d->first_point[4], body->point_count);
    for (int32_t p = 0; p < body->point_count; p += 7) {
        double x[3], v[3], rest[3], still[3], place[3], speed[3];
        const double *u;
        int32_t domain = 0;
        while (p >= d->first_point[domain + 1]) {
            domain++;
        }
        point_of(&b, domain, p - d->first_point[domain], rest, &u);
        pal_tree_point(d->state, domain, rest, u, place, speed);
        body->functions->position(body, p, x);
        body->functions->velocity(body, p, v);
        pal_body_rest(body, p, still);
        for (int c = 0; c < 3; c++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-13, place[c], x[c]);
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, speed[c], v[c]);
            TEST_ASSERT_DOUBLE_WITHIN(1e-15, model.domain[domain].scale * rest[c], still[c]);
        }
    }
    touch_bench_close(&b);
    pal_tree_model_free(&model);
}

static void slots_of(const touch_bench *b, bool near[8]) {
    const pal_domains *d = &b->live.domains->domains;
    memset(near, 0, 8 * sizeof *near);
    for (int k = 0; k < PAL_DOMAIN_SLOTS; k++) {
        if (d->slot[k].domain >= 0) {
            near[d->slot[k].domain] = true;
        }
    }
}

// Domains far from the tool are not looked at in every tick; those that are near are the same as if
// all were, under a hand that darts about a beam that swings.
static void test_what_is_far_is_not_missed(void) {
    pal_tree_model model;
    touch_bench some, all;
    int slept = 0, changes = 0;
    bool before[8] = {false};
    bake(8, 6, &model);
    touch_bench_open_tree(&some, &model, PAL_INERTIA_EXACT, 400.0, radius);
    touch_bench_open_tree(&all, &model, PAL_INERTIA_EXACT, 400.0, radius);
    shake(&some, 5, 0.02);
    shake(&all, 5, 0.02);
    for (int k = 0; k < 600; k++) {
        const double x = 1.0 + 0.95 * sin(0.022 * k), z = side + radius + 0.03 * cos(0.05 * k);
        bool near[8], wanted[8];
        all.live.domains->domains.watched = -1;
        touch_bench_travel(&some, x, 0.5 * side, z, 0, 1);
        touch_bench_travel(&all, x, 0.5 * side, z, 0, 1);
        slots_of(&some, near);
        slots_of(&all, wanted);
        TEST_ASSERT_EQUAL_MEMORY(wanted, near, sizeof near);
        changes += memcmp(before, near, sizeof near) != 0;
        memcpy(before, near, sizeof near);
        const pal_domains *d = &some.live.domains->domains;
        for (int32_t i = 0; i < 8; i++) {
            slept += d->watch[i].spare - (double)(d->ticks + 1) * d->watch[i].rate > d->travel;
        }
    }
    TEST_ASSERT_GREATER_THAN_INT(10, changes);
    TEST_ASSERT_GREATER_THAN_INT(600, slept); // most of the far ones in most ticks
    touch_bench_close(&some);
    touch_bench_close(&all);
    pal_tree_model_free(&model);
}

// J of a touched domain's points: by how the frame moves and turns, and by q.
static void test_rows_are_the_derivatives_of_places(void) {
    pal_tree_model model;
    touch_bench b;
    bake(2, 6, &model);
    model.domain[1].scale = 1.25;
    touch_bench_open_tree(&b, &model, PAL_INERTIA_EXACT, 1e4, radius);
    touch_bench_go(&b, 0.8, 0.5 * side, 1.125 * side + radius + 1e-3);
    touch_bench_travel(&b, 0.8, 0.5 * side, 1.125 * side + radius - 0.03, 500, 2000);
    pal_domains *d = &b.live.domains->domains;
    const pal_body *body = &d->body;
    const pal_domain_slot *slot = NULL;
    for (int k = 0; k < PAL_DOMAIN_SLOTS; k++) {
        slot = d->slot[k].domain == 1 ? &d->slot[k] : slot;
    }
    TEST_ASSERT_NOT_NULL(slot);
    TEST_ASSERT_EQUAL_INT32(12, body->size);
    pal_domains_gather(d, &b.tool, 1, TOUCH_DT);
    TEST_ASSERT_EQUAL_UINT32(0, pal_tree_begin(d->state));
    d->touch.count = 0;
    ((pal_domain_slot *)slot)->at = pal_tree_touch_add(&d->touch, d->state, 1);
    const double h = 1e-6;
    for (int32_t p = d->first_point[1]; p < d->first_point[2]; p += 11) {
        double rows[3][16], x[3], moved[3];
        memset(rows, 0, sizeof rows);
        body->functions->add_rows(body, p, 1.0, rows[0], 16);
        body->functions->position(body, p, x);
        for (int32_t l = 0; l < 12; l++) {
            pal_domain_slot other = *slot, kept = *slot;
            double by[3] = {0.0, 0.0, 0.0}, turn[4], m[3][3];
            if (l < 3) { // along the frame's own axes
                for (int c = 0; c < 3; c++) {
                    other.x[c] += h * slot->turn[c][l];
                }
            } else if (l < 6) { // about them
                by[l - 3] = h;
                pal_turn_of_vector(by, turn);
                pal_turn_matrix(turn, m);
                for (int e = 0; e < 9; e++) {
                    other.turn[e / 3][e % 3] = pal_dot3(
                        slot->turn[e / 3], (double[3]){m[0][e % 3], m[1][e % 3], m[2][e % 3]});
                }
            } else {
                other.q[l - 6] += h;
            }
            *(pal_domain_slot *)slot = other;
            body->functions->position(body, p, moved);
            *(pal_domain_slot *)slot = kept;
            for (int c = 0; c < 3; c++) {
                TEST_ASSERT_DOUBLE_WITHIN(2e-6, (moved[c] - x[c]) / h, rows[c][l]);
            }
        }
    }
    touch_bench_close(&b);
    pal_tree_model_free(&model);
}

// The same hand on a beam that is one body: it lies in the axes of its class, whose origin is where
// the tree's root is.
static void go_whole(touch_bench *b, const pal_tree_model *model, double x, double y, double z,
                     int ticks, int wait) {
    const double *origin = model->tree.root_x;
    touch_bench_travel(b, x - origin[0], y - origin[1], z - origin[2], ticks, wait);
}

// One domain is a body: the same touches, the same force at every tick.
static void test_one_domain_feels_like_the_single_body(void) {
    pal_tree_model model;
    touch_bench whole, tree;
    bake(1, 12, &model);
    touch_bench_open_tree(&tree, &model, PAL_INERTIA_EXACT, 400.0, radius);
    touch_bench_open_ball(&whole, &model.body[0], 400.0, radius, radius);
    tree.tool.options.fixed_coupling = whole.tool.options.fixed_coupling = true;
    double most = 0.0, off = 0.0;
    for (int k = 0; k < 1500; k += SANITIZED_OR(5, 1)) {
        const double z = side + radius + 2e-3 - 0.05 * (k < 1000 ? k : 2000 - k) * 1e-3;
        go_whole(&whole, &model, 0.9, 0.4 * side, z, 0, 1);
        touch_bench_travel(&tree, 0.9, 0.4 * side, z, 0, 1);
        for (int c = 0; c < 3; c++) {
            off = fmax(off, fabs(whole.tool.force[c] - tree.tool.force[c]));
            most = fmax(most, fabs(whole.tool.force[c]));
        }
    }
    TEST_ASSERT_GREATER_THAN_DOUBLE(1.0, most);
    TEST_ASSERT_LESS_THAN_DOUBLE(1e-6 * most, off);
    touch_bench_close(&whole);
    touch_bench_close(&tree);
    pal_tree_model_free(&model);
}

// Twice as large a beam under twice as large a ball, bent twice as far: the same strains on four
// times the area.
static double bent_larger(double scale) {
    pal_tree_model model;
    touch_bench b;
    bake(1, 12, &model);
    model.domain[0].scale = scale;
    const double *origin = model.tree.root_x;
    touch_bench_open_tree(&b, &model, PAL_INERTIA_EXACT, 1e5, scale * radius);
    const double x = origin[0] + scale * 0.9, y = origin[1],
                 z = origin[2] + scale * (0.5 * side + radius);
    touch_bench_go(&b, x, y, z + 1e-3);
    touch_bench_travel(&b, x, y, z - scale * 0.1, 2000, 3000);
    const double force = b.tool.force[2];
    touch_bench_close(&b);
    pal_tree_model_free(&model);
    return force;
}

static void test_a_larger_instance_is_as_stiff_as_its_size(void) {
    const double whole = bent_larger(1.0);
    TEST_ASSERT_GREATER_THAN_DOUBLE(7.0, whole);
    TEST_ASSERT_DOUBLE_WITHIN(0.01 * 4.0 * whole, 4.0 * whole, bent_larger(2.0));
}

// The force at rest on a ball that has bent the beam by 0.1 m near its end, or, in a grasp, has
// pulled it up by as much.
static double bent(int32_t domains, bool grasps) {
    pal_tree_model model;
    touch_bench b;
    double corner[3] = {0.0, 0.0, 0.0};
    bake(domains, 20, &model);
    if (domains == 1) {
        touch_bench_open_ball(&b, &model.body[0], 1e5, radius, radius);
        memcpy(corner, model.tree.root_x, sizeof corner);
    } else {
        touch_bench_open_tree(&b, &model, PAL_INERTIA_EXACT, 1e5, radius);
    }
    b.tool.options.grasp_stiffness = 5e3;
    const double x = 0.95 - corner[0], y = 0.5 * side - corner[1], z = side + radius - corner[2];
    touch_bench_go(&b, x, y, z + 1e-3);
    b.grasp = grasps;
    touch_bench_travel(&b, x, y, grasps ? z + 0.1 : z - 0.1, 1500, 2500);
    const double force = b.tool.force[2];
    TEST_ASSERT_TRUE(b.tool.held.on == grasps);
    if (grasps && domains > 1) {
        const pal_domains *d = &b.live.domains->domains;
        TEST_ASSERT_EQUAL_INT32(domains - 1, pal_domains_owner(d, b.tool.held.triangle));
    }
    b.grasp = false;
    touch_bench_travel(&b, x, y, z + 0.4, 200, 100);
    TEST_ASSERT_TRUE(!b.tool.held.on && pal_norm3(b.tool.force) == 0.0);
    touch_bench_close(&b);
    pal_tree_model_free(&model);
    return force;
}

static void test_a_cut_beam_feels_like_the_whole_one(void) {
    const double whole = bent(1, false);
    TEST_ASSERT_GREATER_THAN_DOUBLE(7.0, whole); // 3 E I / x^3 = 71 N/m; coarse tets are stiffer
    for (int32_t domains = SANITIZED_OR(4, 2); domains <= 4; domains += 2) {
        TEST_ASSERT_DOUBLE_WITHIN(0.04 * whole, whole, bent(domains, false));
    }
}

static void test_a_grasp_pulls_as_on_the_whole_one_and_lets_go(void) {
    const double whole = bent(1, true);
    TEST_ASSERT_LESS_THAN_DOUBLE(-7.0, whole);
    TEST_ASSERT_DOUBLE_WITHIN(-0.05 * whole, whole, bent(4, true));
}

// Over an interface in the middle of its way, at one depth: from one tick to the next the force
// does not step, though other domains bear.
static void test_a_slide_over_an_interface_has_no_step(void) {
    pal_tree_model model;
    touch_bench b;
    bake(4, 12, &model);
    touch_bench_open_tree(&b, &model, PAL_INERTIA_EXACT, 1e4, radius);
    touch_bench_go(&b, 0.65, 0.45 * side, side + radius + 1e-3);
    touch_bench_travel(&b, 0.65, 0.45 * side, side + radius - 0.02, 500, SANITIZED_OR(800, 1500));
    double last = b.tool.force[2], most = 0.0;
    TEST_ASSERT_GREATER_THAN_DOUBLE(0.5, last);
    for (int k = 1; k <= SANITIZED_OR(1300, 2000); k++) { // 0.1 m/s, over x = 0.75
        touch_bench_go(&b, 0.65 + 1e-4 * k, 0.45 * side, side + radius - 0.02);
        most = fmax(most, fabs(b.tool.force[2] - last) / last);
        last = b.tool.force[2];
        TEST_ASSERT_GREATER_THAN_DOUBLE(0.0, last);
    }
    TEST_ASSERT_LESS_THAN_DOUBLE(0.07, most);
    touch_bench_close(&b);
    pal_tree_model_free(&model);
}

// More domains within reach than there are slots for: the nearest are felt, and nothing breaks.
static void test_a_large_ball_among_many_domains(void) {
    pal_tree_model model;
    touch_bench b;
    bake(16, 8, &model);
    touch_bench_open_tree(&b, &model, PAL_INERTIA_EXACT, 1e4, 0.5);
    touch_bench_go(&b, 0.6, 0.5 * side, side + 0.5 + 1e-3);
    pal_outcome all = 0;
    for (int k = 0; k < SANITIZED_OR(900, 1500); k++) {
        all |= touch_bench_go(&b, 0.6, 0.5 * side, side + 0.5 - 0.03 * fmin(1.0, k / 500.0));
    }
    TEST_ASSERT_EQUAL_UINT32(0, all & PAL_OUT_NAN);
    TEST_ASSERT_GREATER_THAN_DOUBLE(0.5, b.tool.force[2]);
    TEST_ASSERT_LESS_THAN_DOUBLE(2e-3, b.tool.depth);
    touch_bench_close(&b);
    pal_tree_model_free(&model);
}

// How often the surface of all domains, as it is now, goes round x: 0 outside, 1 inside.
static double winding(const touch_bench *b, const double x[3]) {
    const pal_domains *d = &b->live.domains->domains;
    const pal_body *body = &d->body;
    double angle = 0.0;
    for (int32_t t = 0; t < body->triangle_count; t++) {
        double to[3][3], length[3], across[3];
        for (int k = 0; k < 3; k++) {
            body->functions->position(body, pal_body_corner(body, t, k), to[k]);
            pal_sub3(to[k], x, to[k]);
            length[k] = pal_norm3(to[k]);
        }
        pal_cross3(to[1], to[2], across);
        angle += 2.0 *
                 atan2(pal_dot3(to[0], across),
                       length[0] * length[1] * length[2] + pal_dot3(to[0], to[1]) * length[2] +
                           pal_dot3(to[1], to[2]) * length[0] + pal_dot3(to[2], to[0]) * length[1]);
    }
    return angle / (4.0 * 3.14159265358979);
}

// At 1 m/s from above and from below onto a beam that swings; the ball's middle never gets into it.
static void test_nothing_passes_through_a_domain_that_swings(void) {
    pal_tree_model model;
    touch_bench b;
    bake(4, 12, &model);
    set_damping(&model, 1.0, 1e-3);
    touch_bench_open_tree(&b, &model, PAL_INERTIA_EXACT, 2e3, radius);
    pal_rng rng = pal_rng_make(11, 2);
    int struck = 0;
    for (int n = 0; n < STRIKES; n++) {
        const double x = pal_rng_uniform(&rng, 0.4, 0.95);
        bool touched = false;
        pal_tool_forget(&b.tool);
        for (int k = 0; k <= 220; k++) {
            const double z = side + radius + 0.15 - 1e-3 * k;
            TEST_ASSERT_EQUAL_UINT32(0, touch_bench_go(&b, x, 0.5 * side, z) & PAL_OUT_NAN);
            touched = touched || pal_norm3(b.tool.force) > 0.0;
            if (touched) {
                TEST_ASSERT_LESS_THAN_DOUBLE(0.5, winding(&b, b.tool.pose.x));
            }
        }
        struck += touched;
        touch_bench_travel(&b, x, 0.5 * side, side + radius + 0.4, 100, 300);
    }
    TEST_ASSERT_GREATER_THAN_INT(3 * STRIKES / 4, struck);
    touch_bench_close(&b);
    pal_tree_model_free(&model);
}

// Where nothing gives way but the hand, the hand's own stiffness is felt.
static void test_rigid_domains_can_be_touched(void) {
    const beam_tree beam = {.domains = 2, .elements = ELEMENTS, .r = 0};
    pal_tree_model model;
    touch_bench b;
    beam_tree_bake(&beam, &model, NULL);
    touch_bench_open_tree(&b, &model, PAL_INERTIA_EXACT, 1e3, radius);
    b.tool.options.fixed_coupling = true;
    touch_bench_go(&b, 0.9, 0.5 * side, side + radius + 1e-3);
    touch_bench_travel(&b, 0.9, 0.5 * side, side + radius - 0.01, 500, 200);
    TEST_ASSERT_DOUBLE_WITHIN(0.2, 10.0, b.tool.force[2]);
    touch_bench_close(&b);
    pal_tree_model_free(&model);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_points_are_where_the_tree_has_them);
    RUN_TEST(test_what_is_far_is_not_missed);
    RUN_TEST(test_rows_are_the_derivatives_of_places);
    RUN_TEST(test_one_domain_feels_like_the_single_body);
    RUN_TEST(test_a_larger_instance_is_as_stiff_as_its_size);
    RUN_TEST(test_a_cut_beam_feels_like_the_whole_one);
    RUN_TEST(test_a_slide_over_an_interface_has_no_step);
    RUN_TEST(test_a_grasp_pulls_as_on_the_whole_one_and_lets_go);
    RUN_TEST(test_a_large_ball_among_many_domains);
    RUN_TEST(test_nothing_passes_through_a_domain_that_swings);
    RUN_TEST(test_rigid_domains_can_be_touched);
    return UNITY_END();
}
