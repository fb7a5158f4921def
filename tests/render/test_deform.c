// The surface as it is drawn, on the CPU: places by the basis and the dents, normals that follow,
// and the numbers that it is coloured by.
#include "render/deform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/edges.h"
#include "render/facets.h"
#include "render/half.h"
#include "render/lathe.h"
#include "render/normals.h"
#include "render/strain.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "tests/support/block_model.h"
#include "tests/support/check.h"
#include "tests/support/live_block.h"
#include "tests/support/random.h"

static const block_spec spec = {.cells = {7, 5, 4}, .side = {0.07, 0.05, 0.04}};
static pal_model model;
static pal_deform deform;
static pal_snapshot shot;
static float q[PAL_SNAPSHOT_R];

void setUp(void) {
    pal_err err = {0};
    CHECK_OK(block_model_make(&spec, &model, &err), err);
    CHECK_OK(pal_deform_open(&deform, &model, &err), err);
    memset(&shot, 0, sizeof shot);
    shot.r = model.r;
    for (int32_t l = 0; l < model.r; l++) {
        shot.q[l] = 1e-3 * (l + 1) * (l % 2 ? -1.0 : 1.0);
        q[l] = (float)shot.q[l];
    }
}

void tearDown(void) {
    pal_deform_close(&deform);
    block_model_free(&model);
}

static float *places(pal_deform_tone tone) {
    float *place = malloc(4 * sizeof *place * PAL_DEFORM_LANES * (size_t)deform.block_count);
    pal_deform_places(&deform, q, tone, place);
    return place;
}

// x of point i by its definition, W (U q + d).
static void place_of(int32_t i, const double *dent, double x[3]) {
    const pal_embedding *e = &model.embedding;
    memcpy(x, model.surface.x + 3 * (int64_t)i, 3 * sizeof *x);
    for (int64_t k = (int64_t)i * e->nodes; k < (int64_t)(i + 1) * e->nodes; k++) {
        for (int c = 0; c < 3; c++) {
            const double *row = model.basis + (3 * (int64_t)e->vertex[k] + c) * model.r;
            for (int32_t l = 0; l < model.r; l++) {
                x[c] += e->weight[k] * row[l] * shot.q[l];
            }
            x[c] += dent != NULL ? e->weight[k] * dent[3 * (int64_t)e->vertex[k] + c] : 0.0;
        }
    }
}

static void check_places(const double *dent) {
    float *place = places(PAL_DEFORM_MOVED);
    for (int32_t i = 0; i < deform.point_count; i++) {
        double x[3], way[3];
        place_of(i, dent, x);
        pal_sub3(x, model.surface.x + 3 * (int64_t)i, way);
        for (int c = 0; c < 3; c++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-7, x[c], place[4 * (int64_t)i + c]);
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-7, pal_norm3(way), place[4 * (int64_t)i + 3]);
    }
    free(place);
}

static void test_places_are_those_of_the_basis(void) {
    TEST_ASSERT_TRUE(deform.point_count % PAL_DEFORM_LANES != 0); // the last block is not full
    check_places(NULL);
}

static void test_dents_move_the_points_that_their_vertices_carry(void) {
    double *dent = calloc(3 * (size_t)model.mesh.vertex_count, sizeof *dent);
    int32_t span[2];
    for (int32_t k = 0; k < 20; k++) {
        const int32_t v = k * 7 % model.mesh.vertex_count;
        shot.dent_vertex[k] = v;
        for (int c = 0; c < 3; c++) {
            shot.dent[k][c] = (float)(1e-3 * (k + 1) * (c - 0.5));
            dent[3 * (int64_t)v + c] = shot.dent[k][c];
        }
    }
    shot.dent_count = 20;
    pal_deform_set_dents(&deform, &shot, 0, span);
    TEST_ASSERT_TRUE(span[0] < span[1] && deform.dented_count > 0);
    check_places(dent);
    shot.dent_count = 0; // and they go away again
    pal_deform_set_dents(&deform, &shot, 0, span);
    TEST_ASSERT_TRUE(span[0] < span[1]);
    TEST_ASSERT_EQUAL_INT(0, deform.dented_count);
    check_places(NULL);
    pal_deform_set_dents(&deform, &shot, 0, span);
    TEST_ASSERT_TRUE(span[0] >= span[1]); // nothing changed
    free(dent);
}

static void test_a_dent_at_a_vertex_that_is_not_there_is_left_out(void) {
    int32_t span[2];
    shot.dent_count = 2;
    shot.dent_vertex[0] = -1;
    shot.dent_vertex[1] = model.mesh.vertex_count;
    shot.dent[0][0] = shot.dent[1][0] = 1.0F;
    pal_deform_set_dents(&deform, &shot, 0, span);
    TEST_ASSERT_EQUAL_INT(0, deform.dented_count);
}

static void test_the_extent_holds_the_body(void) {
    const pal_deform_extent extent = pal_deform_measure(&deform, q);
    float *place = places(PAL_DEFORM_MOVED);
    double most = 0.0, low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < deform.point_count; i++) {
        most = fmax(most, place[4 * i + 3]);
        low = fmin(low, place[4 * i + 2]);
        high = fmax(high, place[4 * i + 2]);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, most, extent.most); // so few points are all looked at
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, low, extent.low[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, high, extent.high[2]);
    free(place);
}

// ---- normals

static void test_normals_follow_the_deformed_surface(void) {
    pal_err err = {0};
    pal_facets facets;
    pal_normals normals;
    CHECK_OK(pal_facets_build(&model.surface, NULL, &facets, &err), err);
    float *place = places(PAL_DEFORM_MOVED);
    pal_facet_corner *corner = malloc((size_t)facets.count * sizeof *corner);
    pal_facets_shade(&facets, place, corner);
    // The same surface bent in double precision; no edge becomes sharp or ceases to be
    pal_surface bent;
    CHECK_OK(
        pal_surface_alloc(&bent, model.surface.vertex_count, model.surface.triangle_count, &err),
        err);
    memcpy(bent.triangle, model.surface.triangle,
           3 * (size_t)bent.triangle_count * sizeof *bent.triangle);
    for (int32_t i = 0; i < bent.vertex_count; i++) {
        place_of(i, NULL, bent.x + 3 * (int64_t)i);
    }
    CHECK_OK(pal_normals_build(&bent, &normals, &err), err);
    for (int64_t i = 0; i < 3 * (int64_t)bent.triangle_count; i++) {
        const pal_facet_corner *c = &corner[facets.triangle[i]];
        for (int k = 0; k < 3; k++) {
            TEST_ASSERT_DOUBLE_WITHIN(2e-4, normals.corner[3 * i + k], c->normal[k]);
            TEST_ASSERT_DOUBLE_WITHIN(1e-6, bent.x[3 * (int64_t)bent.triangle[i] + k], c->x[k]);
        }
    }
    pal_normals_free(&normals);
    pal_surface_free(&bent);
    pal_facets_free(&facets);
    free(corner);
    free(place);
}

static void test_a_box_has_sharp_edges_and_a_ball_has_none(void) {
    pal_err err = {0};
    pal_facets facets;
    pal_surface ball;
    CHECK_OK(pal_facets_build(&model.surface, NULL, &facets, &err), err);
    TEST_ASSERT_TRUE(facets.count > model.surface.vertex_count + 50); // edges have two or three
    pal_facets_free(&facets);
    CHECK_OK(pal_lathe_ball(0.01, &ball, &err), err);
    CHECK_OK(pal_facets_build(&ball, NULL, &facets, &err), err);
    float *place = calloc(4 * (size_t)ball.vertex_count, sizeof *place);
    for (int64_t i = 0; i < 3 * (int64_t)ball.vertex_count; i++) {
        place[4 * (i / 3) + i % 3] = (float)ball.x[i];
    }
    pal_facet_corner *corner = malloc((size_t)facets.count * sizeof *corner);
    pal_facets_shade(&facets, place, corner);
    int wrong = 0;
    for (int32_t i = 0; i < facets.count; i++) {
        const float *n = corner[i].normal, *x = corner[i].x;
        wrong += n[0] * x[0] + n[1] * x[1] + n[2] * x[2] < 0.995F * 0.01F;
    }
    TEST_ASSERT_EQUAL_INT(ball.vertex_count, facets.count);
    TEST_ASSERT_EQUAL_INT(0, wrong);
    free(place);
    free(corner);
    pal_facets_free(&facets);
    pal_surface_free(&ball);
}

static void test_the_border_of_a_region_parts_colours_not_normals(void) {
    pal_err err = {0};
    pal_surface ball;
    pal_facets whole, parted;
    CHECK_OK(pal_lathe_ball(0.01, &ball, &err), err);
    uint16_t *region = calloc((size_t)ball.triangle_count, sizeof *region);
    for (int32_t t = 0; t < ball.triangle_count; t++) {
        region[t] = ball.x[3 * (int64_t)ball.triangle[3 * (int64_t)t]] > 0.0;
    }
    CHECK_OK(pal_facets_build(&ball, NULL, &whole, &err), err);
    CHECK_OK(pal_facets_build(&ball, region, &parted, &err), err);
    TEST_ASSERT_TRUE(parted.count > whole.count && parted.count < whole.count + 200);
    for (int64_t i = 0; i < 3 * (int64_t)ball.triangle_count; i++) {
        const int32_t a = whole.triangle[i], b = parted.triangle[i];
        TEST_ASSERT_EQUAL_INT(region[i / 3], parted.region[b]);
        TEST_ASSERT_EQUAL_INT(whole.first[a + 1] - whole.first[a],
                              parted.first[b + 1] - parted.first[b]);
    }
    free(region);
    pal_facets_free(&whole);
    pal_facets_free(&parted);
    pal_surface_free(&ball);
}

// ---- what it is coloured by

// A block stretched by a tenth everywhere: the same density in all of it, as the formula says.
static void test_a_stretched_block_has_the_density_of_the_formula(void) {
    pal_err err = {0};
    const pal_model *block = live_block_model();
    pal_strain strain;
    CHECK_OK(pal_strain_open(&strain, block, &err), err);
    float *extra = calloc(4 * (size_t)block->surface.vertex_count, sizeof *extra);
    for (int32_t v = 0; v < block->mesh.vertex_count; v++) {
        strain.u[3 * (int64_t)v] = (float)(0.1 * block->mesh.x[3 * (int64_t)v]);
    }
    shot.softer[0] = 1.0;
    const double most = pal_strain_density(&strain, &shot, extra);
    const double e = 0.5 * (1.1 * 1.1 - 1.0);
    const pal_material *m = &block->region[0].material;
    const double expected = (0.5 * pal_material_lambda(m) + pal_material_mu(m)) * e * e;
    TEST_ASSERT_DOUBLE_WITHIN(1e-4 * expected, expected, most);
    for (int64_t i = 0; i < block->surface.vertex_count; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-4 * expected, expected, extra[4 * i + 3]);
    }
    shot.softer[0] = 2.0; // half as hard now
    TEST_ASSERT_DOUBLE_WITHIN(1e-4 * expected, 0.5 * expected,
                              pal_strain_density(&strain, &shot, extra));
    free(extra);
    pal_strain_close(&strain);
}

// A body that is turned as a whole has no strain, however far it went.
static void test_a_turned_block_has_no_energy(void) {
    pal_err err = {0};
    const pal_model *block = live_block_model();
    pal_strain strain;
    CHECK_OK(pal_strain_open(&strain, block, &err), err);
    float *extra = calloc(4 * (size_t)block->surface.vertex_count, sizeof *extra);
    for (int64_t v = 0; v < block->mesh.vertex_count; v++) { // a quarter about z
        const double *x = block->mesh.x + 3 * v;
        strain.u[3 * v] = (float)(-x[1] - x[0]);
        strain.u[3 * v + 1] = (float)(x[0] - x[1]);
        strain.u[3 * v + 2] = 0.3F;
    }
    shot.softer[0] = 1.0;
    TEST_ASSERT_TRUE(pal_strain_density(&strain, &shot, extra) < 1e-3);
    free(extra);
    pal_strain_close(&strain);
}

// ---- odds and ends

static void test_the_cage_has_the_edges_of_voxels_and_no_diagonals(void) {
    pal_err err = {0};
    pal_edges edges;
    CHECK_OK(pal_edges_of_volmesh(&model.mesh, &edges, &err), err);
    // Edges on the surface of a box of a x b x c cells: 2 faces of each kind, their rims shared
    const int a = 7, b = 5, c = 4;
    TEST_ASSERT_EQUAL_INT(4 * (a * b + b * c + c * a), edges.count);
    for (int32_t i = 0; i < edges.count; i++) {
        double way[3];
        pal_sub3(model.mesh.x + 3 * (int64_t)edges.end[2 * i],
                 model.mesh.x + 3 * (int64_t)edges.end[2 * i + 1], way);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.01, pal_norm3(way));
    }
    pal_edges_free(&edges);
}

static void test_halves_are_the_nearest_and_come_back(void) {
    for (uint32_t half = 0; half < 0x7C00; half++) {
        TEST_ASSERT_EQUAL_UINT32(half, pal_half_of(pal_half_value((uint16_t)half)));
        TEST_ASSERT_EQUAL_UINT32(half | 0x8000, pal_half_of(-pal_half_value((uint16_t)half)));
        if (half + 1 < 0x7C00) {
            const float low = pal_half_value((uint16_t)half);
            const float high = pal_half_value((uint16_t)(half + 1));
            TEST_ASSERT_EQUAL_UINT32(half, pal_half_of(low + 0.49F * (high - low)));
            TEST_ASSERT_EQUAL_UINT32(half + 1, pal_half_of(low + 0.51F * (high - low)));
        }
    }
    TEST_ASSERT_EQUAL_UINT32(0x7C00, pal_half_of(1e6F));
    TEST_ASSERT_TRUE(isnan(pal_half_value(pal_half_of(NAN))));
    TEST_ASSERT_EQUAL_FLOAT(1.0F, pal_half_value(0x3C00));
}

static void test_no_failing_allocation_leaks_or_crashes(void) {
    for (long n = 0;; n++) {
        pal_err err = {0};
        pal_deform d = {0};
        pal_facets f = {0};
        pal_strain s = {0};
        pal_edges e = {0};
        pal_memory_fail_after(n);
        pal_status status = pal_deform_open(&d, &model, &err);
        status = status == PAL_OK ? pal_facets_build(&model.surface, NULL, &f, &err) : status;
        status = status == PAL_OK ? pal_strain_open(&s, &model, &err) : status;
        status = status == PAL_OK ? pal_edges_of_volmesh(&model.mesh, &e, &err) : status;
        pal_memory_fail_after(-1);
        pal_deform_close(&d);
        pal_facets_free(&f);
        pal_strain_close(&s);
        pal_edges_free(&e);
        if (status == PAL_OK) {
            TEST_ASSERT_TRUE(n > 15);
            return;
        }
        TEST_ASSERT_EQUAL_INT_MESSAGE(PAL_ERR_MEMORY, status, err.text);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_places_are_those_of_the_basis);
    RUN_TEST(test_dents_move_the_points_that_their_vertices_carry);
    RUN_TEST(test_a_dent_at_a_vertex_that_is_not_there_is_left_out);
    RUN_TEST(test_the_extent_holds_the_body);
    RUN_TEST(test_normals_follow_the_deformed_surface);
    RUN_TEST(test_a_box_has_sharp_edges_and_a_ball_has_none);
    RUN_TEST(test_the_border_of_a_region_parts_colours_not_normals);
    RUN_TEST(test_a_stretched_block_has_the_density_of_the_formula);
    RUN_TEST(test_a_turned_block_has_no_energy);
    RUN_TEST(test_the_cage_has_the_edges_of_voxels_and_no_diagonals);
    RUN_TEST(test_halves_are_the_nearest_and_come_back);
    RUN_TEST(test_no_failing_allocation_leaks_or_crashes);
    return UNITY_END();
}
