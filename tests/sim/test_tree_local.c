// Dents of trees of domains (MATH.md 5.1): a ball pressed into one domain, and beside and over an
// interface, gives the force of the full linear body; without dents it is far too hard.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/mesh/block.h"
#include "sim/model/tree_bake.h"
#include "tests/support/check.h"
#include "tests/support/press.h"
#include "tests/support/touch_bench.h"

enum { DEPTHS = 3, PARTS = 3 };
#define UPRIGHT                                                                                    \
    {                                                                                              \
        {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {                                                        \
            0.0, 0.0, 1.0                                                                          \
        }                                                                                          \
    }

// Held at its bottom.
static const press_shape pad = {.kind = PAL_HEX8,
                                .low = {-0.024, -0.021, -0.022},
                                .high = {0.024, 0.022, 0.0},
                                .fine = 1.8e-3,
                                .zone = {6e-3, 6e-3, 6e-3},
                                .growth = 1.8};
static press block;
static pal_tree_model tree;

void setUp(void) {
}
void tearDown(void) {
    press_close(&block);
    pal_tree_model_free(&tree);
}

static pal_basis_spec modes(int32_t r, int32_t ports) {
    return (pal_basis_spec){
        .kind = ports > 0 ? PAL_BASIS_BOUNDARY : PAL_BASIS_MODES, .size = r, .modes = r};
}

static pal_class_spec soft_class(int32_t r, pal_local_choice way) {
    return (pal_class_spec){.name = "piece",
                            .mesh = &block.mesh,
                            .material = block.fem.material,
                            .damping_alpha = 20.0,
                            .damping_beta = 5e-3,
                            .basis = modes(r, 0),
                            .local = {.choice = way, .radius = 0.02}};
}

// The block cut into pieces where x passes each of cut [count].
static void bake_cut(const press_shape *shape, int count, const double *cut, pal_local_choice way,
                     int32_t r) {
    pal_err err = {0};
    const pal_volmesh *mesh = &block.mesh;
    int32_t *label = calloc((size_t)mesh->element_count, sizeof *label);
    for (int32_t e = 0; e < mesh->element_count; e++) {
        double x = 0.0;
        for (int a = 0; a < (int)mesh->kind; a++) {
            x += mesh->x[3 * (int64_t)pal_volmesh_element(mesh, e)[a]] / (int)mesh->kind;
        }
        for (int k = 0; k < count; k++) {
            label[e] += x > cut[k];
        }
    }
    uint8_t *held = press_held(shape, mesh);
    pal_partition partition;
    const pal_partition_spec spec = {
        .mesh = mesh, .label_count = count + 1, .label = label, .fixed = held, .root = -1};
    CHECK_OK(pal_partition_make(&spec, &partition, &err), err);
    pal_class_spec *class_ = calloc((size_t)partition.class_count, sizeof *class_);
    for (int32_t k = 0; k < partition.class_count; k++) {
        class_[k] = soft_class(r, way);
        pal_class_spec_take_part(&class_[k], &partition.part[k]);
        class_[k].basis = modes(r, class_[k].port_count);
    }
    pal_tree_spec whole = {.name = "tree", .scene_text = ""};
    pal_tree_spec_take_partition(&whole, &partition, class_);
    pal_tree_model_free(&tree);
    CHECK_OK(pal_tree_bake(&whole, NULL, &tree, NULL, &err), err);
    free(class_);
    free(label);
    free(held);
    pal_partition_free(&partition);
}

// The block as an instance of the given size on a rigid foot: its held face is the interface.
static void bake_on_foot(const press_shape *shape, pal_local_choice way, double scale,
                         double stiffness) {
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
    pal_class_spec class_[2] = {soft_class(0, PAL_LOCAL_WANT_NONE), soft_class(20, way)};
    class_[0].mesh = &foot;
    class_[0].held = ground;
    class_[0].port_count = 1;
    class_[0].port = &port;
    class_[1].held = held;
    const pal_domain domain[2] = {
        {.kind = 0, .parent = -1, .rest = UPRIGHT, .scale = 1.0, .stiffness = 1.0},
        {.kind = 1, .rest = UPRIGHT, .scale = scale, .stiffness = stiffness}};
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
static void open_tree(touch_bench *b, double radius, bool dents) {
    touch_bench_open_tree(b, &tree, PAL_INERTIA_EXACT, 1e5, radius);
    b->tool.options.look_budget = 4000;
    b->tool.options.most = PAL_MAX_TOUCHES;
    b->tool.options.fixed_coupling = true;
    b->world->scene.visits = 4000;
    pal_domains_set_dents(&b->live.domains->domains, dents);
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

// The full linear body on the same mesh, held where the domain's interface is.
static void check_on_foot(pal_local_choice way, int32_t baked, double share) {
    pal_indent_result full[DEPTHS];
    press_open(&block, &pad);
    const pal_indent_spec spec = press_ball(&block, 0.0, 0.0);
    press_facets(&block, &spec, PARTS, full);
    bake_on_foot(&pad, way, 1.0, 1.0);
    TEST_ASSERT_EQUAL_INT32(baked, tree.body[1].local.way);
    TEST_ASSERT_EQUAL_INT32(0, tree.body[0].local.row_count); // a rigid one has no dents
    for (int k = 0; k < DEPTHS; k++) {
        const double force = pressed_on_foot(1.0, spec.depth[k], true);
        char text[120];
        snprintf(text, sizeof text, "%g mm: %.5f N for %.5f N (%+.1f %%)", 1e3 * spec.depth[k],
                 force, full[k].force, 100.0 * (force / full[k].force - 1.0));
        printf("%s\n", text);
        TEST_ASSERT_TRUE_MESSAGE(fabs(force / full[k].force - 1.0) < share, text);
    }
    const double hard = pressed_on_foot(1.0, spec.depth[0], false) / full[0].force;
    printf("by modes alone %.1f times as hard\n", hard);
    TEST_ASSERT_GREATER_THAN_DOUBLE(4.0, hard);
}

static void test_a_domain_dents_as_the_full_body(void) {
    check_on_foot(PAL_LOCAL_WANT_EXACT, PAL_LOCAL_EXACT, 0.02);
}

static void test_a_domain_dents_nearly_so_by_the_fast_way(void) {
    check_on_foot(PAL_LOCAL_WANT_FAST, PAL_LOCAL_FAST, 0.06);
}

// s times as large under a ball s times as large and as deep: s^2 times the force; and as many
// times as hard as its stiffness factor says.
static void test_dents_of_larger_and_harder_instances(void) {
    press_open(&block, &pad);
    bake_on_foot(&pad, PAL_LOCAL_WANT_EXACT, 1.0, 1.0);
    const double once = pressed_on_foot(1.0, 2e-3, true);
    pal_tree_model_free(&tree);
    bake_on_foot(&pad, PAL_LOCAL_WANT_EXACT, 1.6, 3.0);
    const double more = pressed_on_foot(1.6, 2e-3, true), law = 1.6 * 1.6 * 3.0;
    TEST_ASSERT_DOUBLE_WITHIN(0.01 * law * once, law * once, more);
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

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_domain_dents_as_the_full_body);
    RUN_TEST(test_a_domain_dents_nearly_so_by_the_fast_way);
    RUN_TEST(test_dents_of_larger_and_harder_instances);
    RUN_TEST(test_one_domain_dents_as_the_single_body);
    return UNITY_END();
}
