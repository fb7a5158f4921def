// Dents of trees of domains (MATH.md 5.1): a ball pressed into one domain, and beside and over an
// interface, gives the force of the full linear body; without dents it is far too hard.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/contact/joint_build.h"
#include "sim/mesh/block.h"
#include "sim/model/tree_bake.h"
#include "sim/model/tree_hdf5.h"
#include "tests/support/check.h"
#include "tests/support/cut_press.h"
#include "tests/support/press.h"
#include "tests/support/sanitized.h"
#include "tests/support/touch_bench.h"

enum { DEPTHS = 2, PARTS = 3 };
#define UPRIGHT                                                                                    \
    {                                                                                              \
        {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {                                                        \
            0.0, 0.0, 1.0                                                                          \
        }                                                                                          \
    }

// Held at its bottom.
static const press_shape pad = {.kind = PAL_HEX8,
                                .low = {-0.02, -0.018, -0.018},
                                .high = {0.02, 0.019, 0.0},
                                .fine = 2e-3,
                                .zone = {6e-3, 6e-3, 5e-3},
                                .growth = 2.0};
// The part beyond x = 0 hangs on the one before it, which is held at its bottom.
static const press_shape ledge = {.kind = PAL_HEX8,
                                  .low = {-0.02, -0.014, -0.014},
                                  .high = {0.02, 0.014, 0.0},
                                  .fine = 2.2e-3,
                                  .zone = {8e-3, 5e-3, 5e-3},
                                  .growth = 1.9,
                                  .overhangs = true,
                                  .hold_end = -1e-3};

static press block;
static pal_tree_model tree;

void setUp(void) {
}
void tearDown(void) {
    press_close(&block);
    pal_tree_model_free(&tree);
}

static void bake_cut(const press_shape *shape, int count, const double *cut, pal_local_choice way,
                     int32_t r) {
    pal_partition partition;
    cut_press(shape, &block.mesh, count, cut, &partition);
    cut_press_bake(&partition, NULL, block.fem.material, way, r, &tree);
    pal_partition_free(&partition);
}

// The block on a rigid foot: its held face is the interface.
static void bake_on_foot(const press_shape *shape, pal_local_choice way) {
    pal_err err = {0};
    const int32_t n[3] = {2, 2, 1};
    pal_volmesh foot;
    CHECK_OK(pal_mesh_block(PAL_HEX8, n, 0.02, &foot, &err), err);
    uint8_t *ground = calloc((size_t)foot.vertex_count, 1);
    int32_t top[9], count = 0;
    for (int32_t v = 0; v < foot.vertex_count; v++) {
        ground[v] = foot.x[3 * (int64_t)v + 2] < 1e-9;
        if (!ground[v]) {
            top[count++] = v;
        }
    }
    uint8_t *held = press_held(shape, &block.mesh);
    const pal_port_vertices port = {.vertex_count = count, .vertex = top};
    pal_class_spec class_[2] = {cut_press_class(block.fem.material, 0, PAL_LOCAL_WANT_NONE),
                                cut_press_class(block.fem.material, 20, way)};
    class_[0].mesh = &foot;
    class_[0].held = ground;
    class_[0].port_count = 1;
    class_[0].port = &port;
    class_[1].mesh = &block.mesh;
    class_[1].held = held;
    const pal_domain domain[2] = {
        {.kind = 0, .parent = -1, .rest = UPRIGHT, .scale = 1.0, .stiffness = 1.0},
        {.kind = 1, .rest = UPRIGHT, .scale = 1.0, .stiffness = 1.0}};
    const pal_tree_spec whole = {.name = "on a foot",
                                 .scene_text = "",
                                 .class_count = 2,
                                 .class_ = class_,
                                 .domain_count = 2,
                                 .domain = domain,
                                 .domain_name = (const char[2][PAL_DOMAIN_NAME]){"foot", "pad"},
                                 .root_turn = UPRIGHT};
    CHECK_OK(pal_tree_bake(&whole, NULL, &tree, NULL, &err), err);
    free(ground);
    free(held);
    pal_volmesh_free(&foot);
}

// dents: else modes alone.
static void open_model(touch_bench *b, const pal_tree_model *model, double radius, bool dents) {
    touch_bench_open_tree(b, model, PAL_INERTIA_EXACT, 1e5, radius);
    b->tool.options.look_budget = 4000;
    b->tool.options.most = PAL_MAX_TOUCHES;
    b->tool.options.fixed_coupling = true;
    b->world->scene.visits = 4000;
    pal_domains_reset(&b->live.domains->domains, dents);
}

static void open_tree(touch_bench *b, double radius, bool dents) {
    open_model(b, &tree, radius, dents);
}

// Slowly to the depth below `top`, and a while to settle; the force against the ball.
static double press_to(touch_bench *b, const double top[3], double radius, double depth) {
    const double to = top[2] + radius - depth;
    if (!b->tool.placed) {
        touch_bench_go(b, top[0], top[1], top[2] + 1.2 * radius);
    }
    touch_bench_travel(b, top[0], top[1], to, 300, 300);
    return b->tool.force[2];
}

// ---- one domain

// The middle of the pad's top where it stands on its foot, `scale` times as large.
static void top_on_foot(double scale, double top[3]) {
    static const double foot[3] = {0.02, 0.02, 0.02};
    for (int c = 0; c < 3; c++) { // the held face is even: its centroid by area is its middle
        const double middle = c < 2 ? 0.5 * (pad.low[c] + pad.high[c]) : pad.low[2];
        top[c] = foot[c] - scale * middle;
    }
}

static double pressed_on_foot(double scale, double depth, bool dents) {
    touch_bench b;
    double top[3];
    top_on_foot(scale, top);
    open_tree(&b, scale * TOUCH_RADIUS, dents);
    const double force = press_to(&b, top, scale * TOUCH_RADIUS, scale * depth);
    touch_bench_close(&b);
    return force;
}

// The force of the full linear body on the same mesh, held where the domain's interface is.
static void check_on_foot(const char *way, const pal_indent_spec *spec,
                          const pal_indent_result *full, double share) {
    TEST_ASSERT_EQUAL_STRING(way, pal_local_way_text(&tree.body[1].local));
    TEST_ASSERT_EQUAL_INT32(0, tree.body[0].local.row_count); // a rigid one has no dents
    for (int k = 0; k < DEPTHS; k++) {
        const double force = pressed_on_foot(1.0, spec->depth[k], true);
        char text[120];
        snprintf(text, sizeof text, "%s, %g mm: %.5f N for %.5f N (%+.1f %%)", way,
                 1e3 * spec->depth[k], force, full[k].force, 100.0 * (force / full[k].force - 1.0));
        printf("%s\n", text);
        TEST_ASSERT_TRUE_MESSAGE(fabs(force / full[k].force - 1.0) < share, text);
    }
}

static void test_a_domain_dents_as_the_full_body(void) {
    pal_indent_result full[DEPTHS];
    press_open(&block, &pad);
    pal_indent_spec spec = press_ball(&block, 0.0, 0.0);
    spec.count = DEPTHS;
    press_facets(&block, &spec, PARTS, full);
    bake_on_foot(&pad, PAL_LOCAL_WANT_FAST);
    check_on_foot("fast", &spec, full, 0.06);
    pal_tree_model_free(&tree);
    bake_on_foot(&pad, PAL_LOCAL_WANT_EXACT);
    check_on_foot("exact", &spec, full, 0.02);
    const double hard = pressed_on_foot(1.0, spec.depth[0], false) / full[0].force;
    printf("by modes alone %.1f times as hard\n", hard);
    TEST_ASSERT_GREATER_THAN_DOUBLE(4.0, hard);

    // s times as large under a ball s times as large and as deep: s^2 times the force; and as many
    // times as hard as its stiffness factor says
    const double once = pressed_on_foot(1.0, spec.depth[0], true), law = 1.6 * 1.6 * 3.0;
    tree.domain[1].scale = 1.6;
    tree.domain[1].stiffness = 3.0;
    TEST_ASSERT_DOUBLE_WITHIN(0.01 * law * once, law * once,
                              pressed_on_foot(1.6, spec.depth[0], true));
}

// One domain is a body: the same touches, the same dents, the same force at every tick.
static void test_one_domain_dents_as_the_single_body(void) {
    touch_bench whole, cut;
    press_open(&block, &pad);
    bake_cut(&pad, 0, NULL, PAL_LOCAL_WANT_EXACT, 20);
    const double *origin = tree.tree.root_x;
    open_tree(&cut, TOUCH_RADIUS, true);
    touch_bench_open(&whole, &tree.body[0], 1e5);
    whole.tool.options = (pal_tool_options){.shape = cut.tool.options.shape,
                                            .shell = whole.tool.options.shell,
                                            .spreads = whole.tool.options.spreads,
                                            .stiffness = 1e5,
                                            .fixed_coupling = true,
                                            .look_budget = 4000,
                                            .most = PAL_MAX_TOUCHES};
    whole.world->scene.visits = 4000;
    double most = 0.0, off = 0.0, deep = 0.0;
    for (int k = 0; k < 900; k++) {
        const double z = TOUCH_RADIUS + 5e-4 - 6e-6 * (k < 600 ? k : 1200 - k);
        touch_bench_go(&whole, 1e-3 - origin[0], -origin[1], z - origin[2]);
        touch_bench_go(&cut, 1e-3, 0.0, z);
        for (int c = 0; c < 3; c++) {
            off = fmax(off, fabs(whole.tool.force[c] - cut.tool.force[c]));
            most = fmax(most, fabs(whole.tool.force[c]));
        }
        deep = fmax(deep, whole.world->dent.most);
    }
    TEST_ASSERT_GREATER_THAN_DOUBLE(0.1, most);
    TEST_ASSERT_GREATER_THAN_DOUBLE(1e-3, deep);
    TEST_ASSERT_LESS_THAN_DOUBLE(1e-4 * most, off);
    touch_bench_close(&whole);
    touch_bench_close(&cut);
}

// ---- where domains meet

// At x of the ledge, 1 mm deep.
static double pressed_on_ledge(double x, bool joints) {
    const double top[3] = {x, 0.0, 0.0};
    touch_bench b;
    open_tree(&b, TOUCH_RADIUS, true);
    TEST_ASSERT_NOT_NULL(b.live.domains->domains.joints);
    b.live.domains->domains.joints = joints ? b.live.domains->domains.joints : NULL;
    const double force = press_to(&b, top, TOUCH_RADIUS, 1e-3);
    touch_bench_close(&b);
    return force;
}

// A child held by a wall and a parent that ends in the open: without what joins them a ball on both
// finds them more than twice as hard. (The parent's modes know its open end; as far as they have it
// too soft, dents cannot make it harder without making energy.)
static void test_beside_and_over_an_interface_as_the_full_body(void) {
    static const double cut = 0.0, place[] = {-3e-3, 0.0, 3e-3};
    static const double bound[] = {0.1, 0.06, 0.04};
    press_open(&block, &ledge);
    bake_cut(&ledge, 1, &cut, PAL_LOCAL_WANT_EXACT, 16);
    for (int k = 0; k < 3; k++) {
        pal_indent_result full;
        pal_indent_spec spec = press_ball(&block, place[k], 0.0);
        spec.count = 1;
        press_facets(&block, &spec, PARTS, &full);
        const double force = pressed_on_ledge(place[k], true);
        char text[120];
        snprintf(text, sizeof text, "at %+g mm: %.5f N for %.5f N (%+.1f %%)", 1e3 * place[k],
                 force, full.force, 100.0 * (force / full.force - 1.0));
        printf("%s\n", text);
        TEST_ASSERT_TRUE_MESSAGE(fabs(force / full.force - 1.0) < bound[k], text);
        if (place[k] == 0.0) {
            TEST_ASSERT_GREATER_THAN_DOUBLE(2.0 * full.force, pressed_on_ledge(0.0, false));
        }
    }
}

// Of a mesh cut in no domains: at place [3] of the ledge, 1 mm deep.
static void press_whole(const press_shape *shape, const double *place, double *force) {
    press whole;
    press_open(&whole, shape);
    for (int k = 0; k < 3; k++) {
        pal_indent_result result;
        pal_indent_spec spec = press_ball(&whole, place[k], 0.0);
        spec.count = 1;
        press_facets(&whole, &spec, PARTS, &result);
        force[k] = result.force;
    }
    press_close(&whole);
}

// Meshes that meet in the same face, but not vertex by vertex: coarser, finer and of tets. The full
// body is that of the mesh that is pressed; on the interface between those of both.
static void test_meshes_that_do_not_meet_in_vertices_dent_together(void) {
    static const double place[] = {-3e-3, 0.0, 3e-3};
    press_shape finer = ledge, tets = ledge;
    finer.fine = 1.7e-3;
    tets.kind = PAL_TET4;
    tets.fine = 1.9e-3;
    const press_shape *pair[][PAL_JOINT_SIDES] = {
        {&ledge, &finer}, {&finer, &ledge}, {&ledge, &tets}};
    for (int i = 0; i < SANITIZED_OR(1, 3); i++) {
        double full[PAL_JOINT_SIDES][3];
        press_whole(pair[i][PAL_PARENT], place, full[PAL_PARENT]);
        press_whole(pair[i][PAL_CHILD], place, full[PAL_CHILD]);
        cut_press_unlike(pair[i][PAL_PARENT], pair[i][PAL_CHILD], 16, &tree);
        for (int k = 0; k < 3; k++) {
            const double share = 0.5 * k;
            const double truth = (1.0 - share) * full[PAL_PARENT][k] + share * full[PAL_CHILD][k];
            const double force = pressed_on_ledge(place[k], true);
            char text[120];
            snprintf(text, sizeof text, "unlike meshes %d, at %+g mm: %.5f N for %.5f N (%+.1f %%)",
                     i, 1e3 * place[k], force, truth, 100.0 * (force / truth - 1.0));
            printf("%s\n", text);
            TEST_ASSERT_TRUE_MESSAGE(fabs(force / truth - 1.0) < 0.1, text);
            if (place[k] == 0.0) {
                TEST_ASSERT_GREATER_THAN_DOUBLE(2.0 * truth, pressed_on_ledge(0.0, false));
            }
        }
    }
}

// At one depth from the parent to the child: the force does not step, and changes as it does on the
// full body, by less than a half in all.
static void test_a_slide_over_an_interface_has_no_step(void) {
    static const double cut = 0.0, depth = 1.5e-3, from = -5e-3, to = 5e-3;
    const double top[3] = {from, 0.0, 0.0};
    touch_bench b;
    press_open(&block, &ledge);
    bake_cut(&ledge, 1, &cut, PAL_LOCAL_WANT_EXACT, 16);
    open_tree(&b, TOUCH_RADIUS, true);
    double last = press_to(&b, top, TOUCH_RADIUS, depth), step = 0.0, low = last, high = last;
    for (int k = 1; k <= 500; k++) { // 20 mm/s
        touch_bench_go(&b, from + (to - from) * k / 500.0, 0.0, TOUCH_RADIUS - depth);
        step = fmax(step, fabs(b.tool.force[2] / last - 1.0));
        last = b.tool.force[2];
        low = fmin(low, last);
        high = fmax(high, last);
    }
    printf("steps of %.1f %%, from %.4f to %.4f N\n", 100.0 * step, high, low);
    TEST_ASSERT_LESS_THAN_DOUBLE(0.07, step);
    TEST_ASSERT_LESS_THAN_DOUBLE(2.0 * low, high);
    touch_bench_close(&b);
}

// What `bake` has made of where they meet is loaded, and does what joints made anew do.
static void test_joints_of_a_file_act_as_they_did(void) {
    pal_err err = {0};
    pal_tree_model loaded;
    touch_bench whole, again;
    char *data;
    size_t size;
    press_shape other = ledge;
    other.fine = 2.9e-3;
    cut_press_unlike(&ledge, &other, 12, &tree);
    CHECK_OK(pal_tree_model_image("x.h5", &tree, &data, &size, &err), err);
    CHECK_OK(pal_tree_model_parse("x.h5", data, size, &loaded, &err), err);
    free(data);
    pal_joints_free(&tree.joints); // so that a run makes its own
    open_tree(&whole, TOUCH_RADIUS, true);
    open_model(&again, &loaded, TOUCH_RADIUS, true);
    TEST_ASSERT_EQUAL_PTR(&loaded.joints, again.live.domains->joints);
    TEST_ASSERT_TRUE(whole.live.domains->joints == &whole.live.domains->own_joints);
    TEST_ASSERT_EQUAL_STRING(whole.live.hash, again.live.hash);
    double most = 0.0;
    for (int k = 0; k < 400; k++) {
        const double z = TOUCH_RADIUS + 4e-4 - 4e-6 * k, x = -2e-3 + 1e-5 * k;
        touch_bench_go(&whole, x, 0.0, z);
        touch_bench_go(&again, x, 0.0, z);
        TEST_ASSERT_EQUAL_MEMORY(whole.tool.force, again.tool.force, sizeof whole.tool.force);
        most = fmax(most, whole.tool.force[2]);
    }
    TEST_ASSERT_GREATER_THAN_DOUBLE(0.02, most);
    touch_bench_close(&whole);
    touch_bench_close(&again);
    pal_tree_model_free(&loaded);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_domain_dents_as_the_full_body);
    RUN_TEST(test_one_domain_dents_as_the_single_body);
    RUN_TEST(test_beside_and_over_an_interface_as_the_full_body);
    RUN_TEST(test_meshes_that_do_not_meet_in_vertices_dent_together);
    RUN_TEST(test_a_slide_over_an_interface_has_no_step);
    RUN_TEST(test_joints_of_a_file_act_as_they_did);
    return UNITY_END();
}
