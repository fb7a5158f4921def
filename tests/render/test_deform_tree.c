// Laws of how a tree of domains is drawn.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/deform_tree.h"
#include "sim/model/tree_whole.h"
#include "tests/support/beam_tree.h"
#include "tests/support/check.h"
#include "tests/support/live_beam.h"

void setUp(void) {
}
void tearDown(void) {
}

static void test_at_rest_the_whole_is_drawn_and_neighbours_share_points(void) {
    pal_tree_model model;
    pal_model whole;
    pal_deform_tree deform;
    pal_err err = {0};
    pal_test_beam_tree(4, 16, 8, true, &model);
    CHECK_OK(pal_tree_whole(&model, &whole, &err), err);
    CHECK_OK(pal_deform_tree_open(&deform, &model, &whole, &err), err);
    TEST_ASSERT_EQUAL_INT32(4, whole.region_count);
    TEST_ASSERT_EQUAL_INT32(whole.surface.vertex_count, deform.point_count);
    TEST_ASSERT_EQUAL_INT32(3 * 8, deform.group_count); // the rims of three interfaces
    pal_snapshot *shot = calloc(1, sizeof *shot);
    float *place = calloc(4 * (size_t)deform.point_count, sizeof *place);
    const pal_deform_extent extent = pal_deform_tree_places(&deform, shot, place);
    for (int64_t i = 0; i < deform.point_count; i++) {
        for (int c = 0; c < 3; c++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-6, whole.surface.x[3 * i + c], place[4 * i + c]);
        }
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1.0, extent.high[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.0, extent.most);
    free(place);
    free(shot);
    pal_deform_tree_close(&deform);
    pal_model_free(&whole);
    pal_tree_model_free(&model);
}

// Every point is where the tree has it, but for those that are shared: these are drawn at the mean.
static void test_a_bent_tree_is_drawn_where_it_is(void) {
    live_beam beam;
    pal_model whole;
    pal_deform_tree deform;
    pal_err err = {0};
    bool fresh;
    live_beam_open(&beam, live_beam_slide, 3, NULL);
    for (int k = 0; k < 800; k++) {
        live_block_tick(&beam.live);
    }
    CHECK_OK(pal_tree_whole(&beam.model, &whole, &err), err);
    CHECK_OK(pal_deform_tree_open(&deform, &beam.model, &whole, &err), err);
    float *place = calloc(4 * (size_t)deform.point_count, sizeof *place);
    const pal_snapshot *shot = pal_exchange_latest(&beam.live.servo->exchange, &fresh);
    const pal_deform_extent extent = pal_deform_tree_places(&deform, shot, place);
    TEST_ASSERT_GREATER_THAN_DOUBLE(5e-3, extent.most);
    bool *shared = calloc((size_t)deform.point_count, sizeof *shared);
    for (int32_t k = 0; k < deform.first[deform.group_count]; k++) {
        shared[deform.member[k]] = true;
    }
    const pal_live_tree *tree = beam.live.body.domains;
    for (int32_t i = 0, domain = 0, own = 0; i < deform.point_count; i++, own++) {
        if (own == tree->skin[domain].point_count) {
            domain++;
            own = 0;
        }
        const pal_domain_skin *skin = &tree->skin[domain]; // each is a class of its own
        double x[3], v[3], apart[3];
        pal_tree_point(tree->state, domain, skin->x + 3 * (int64_t)own,
                       skin->basis + 30 * (int64_t)own, x, v);
        for (int c = 0; c < 3; c++) {
            apart[c] = x[c] - place[4 * (int64_t)i + c];
        }
        TEST_ASSERT_LESS_THAN_DOUBLE(shared[i] ? 1e-3 : 2e-6, pal_norm3(apart));
    }
    for (int32_t g = 0; g < deform.group_count; g++) {
        TEST_ASSERT_EQUAL_INT32(2, deform.first[g + 1] - deform.first[g]);
        const int32_t *pair = deform.member + deform.first[g];
        TEST_ASSERT_TRUE(memcmp(place + 4 * (int64_t)pair[0], place + 4 * (int64_t)pair[1],
                                3 * sizeof *place) == 0);
    }
    free(shared);
    free(place);
    pal_deform_tree_close(&deform);
    pal_model_free(&whole);
    live_beam_close(&beam);
}

// The dent of one instance, in its own axes, moves what its vertex carries, and of no other.
static void test_a_dent_is_drawn_on_its_own_domain(void) {
    enum { DOMAINS = 2, R = 6, SIZE = 12 + R };
    const beam_tree beam = {.domains = DOMAINS, .elements = 8, .r = R, .one_class = true};
    pal_tree_model model;
    pal_model whole;
    pal_deform_tree deform;
    pal_err err = {0};
    float state[DOMAINS * SIZE] = {0.0F};
    double x[3 * DOMAINS], turn[9 * DOMAINS];
    beam_tree_bake(&beam, &model, NULL);
    CHECK_OK(pal_tree_whole(&model, &whole, &err), err);
    CHECK_OK(pal_deform_tree_open(&deform, &model, &whole, &err), err);
    pal_tree_rest_frames(&model.tree, x, turn);
    for (int k = 0; k < 12 * DOMAINS; k++) {
        const int i = k / 12, e = k % 12;
        state[SIZE * i + e] = (float)(e < 3 ? x[3 * i + e] : turn[9 * i + e - 3]);
    }
    const int32_t last = model.body[model.domain[1].kind].surface.vertex_count;
    const pal_embedding *carried = &model.body[model.domain[1].kind].embedding;
    int32_t vertex = 0;
    for (int32_t p = 0; p < last * carried->nodes; p++) { // one that is a point of the surface
        const bool outer =
            whole.surface.x[3 * (int64_t)(deform.point_count - last + p / carried->nodes)] > 0.9;
        vertex = outer && carried->weight[p] > 0.99 ? carried->vertex[p] : vertex;
    }
    pal_snapshot *shot = calloc(1, sizeof *shot);
    *shot = (pal_snapshot){.domain_count = DOMAINS, .domain = state, .dent_count = 1};
    shot->dent_domain[0] = 1;
    shot->dent_vertex[0] = vertex;
    shot->dent[0][2] = -1e-3F;
    float *place = calloc(4 * (size_t)deform.point_count, sizeof *place);
    pal_deform_tree_places(&deform, shot, place);
    int moved = 0;
    for (int32_t i = 0; i < deform.point_count; i++) {
        moved += place[4 * (int64_t)i + 3] > 5e-4F;
        TEST_ASSERT_TRUE(i >= deform.point_count - last || place[4 * (int64_t)i + 3] < 1e-6F);
    }
    TEST_ASSERT_EQUAL_INT(1, moved);
    shot->dent_count = 0; // and it goes away again
    TEST_ASSERT_LESS_THAN_DOUBLE(1e-6, pal_deform_tree_places(&deform, shot, place).most);
    free(place);
    free(shot);
    pal_deform_tree_close(&deform);
    pal_model_free(&whole);
    pal_tree_model_free(&model);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_at_rest_the_whole_is_drawn_and_neighbours_share_points);
    RUN_TEST(test_a_bent_tree_is_drawn_where_it_is);
    RUN_TEST(test_a_dent_is_drawn_on_its_own_domain);
    return UNITY_END();
}
