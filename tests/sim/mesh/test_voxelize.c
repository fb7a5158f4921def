#include "sim/mesh/voxelize.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "tests/support/check.h"
#include "tests/support/random.h"
#include "tests/support/shapes.h"

void setUp(void) {
}

void tearDown(void) {
    pal_memory_fail_after(-1);
}

static const double zero[3] = {0.0, 0.0, 0.0};

// Edge of a voxel: all have the same.
static double edge_of(const pal_volmesh *mesh) {
    return mesh->x[3 * mesh->element[1]] - mesh->x[3 * mesh->element[0]];
}

static double volume_of(const pal_volmesh *mesh) {
    return pow(edge_of(mesh), 3.0) * mesh->element_count;
}

static void middle_of(const pal_volmesh *mesh, int32_t e, double *middle) {
    for (int c = 0; c < 3; c++) {
        middle[c] = mesh->x[3 * mesh->element[8 * e] + c] + 0.5 * edge_of(mesh);
    }
}

// The voxels of a mesh as cells of a box of cells.
typedef struct raster {
    int32_t n[3];
    double low[3], h;
    int32_t *voxel; // [cells] element + 1, or 0
} raster;

static raster rasterize(const pal_volmesh *mesh) {
    pal_err err;
    raster r = {.h = edge_of(mesh)};
    for (int c = 0; c < 3; c++) {
        double high = -INFINITY;
        r.low[c] = INFINITY;
        for (int32_t v = 0; v < mesh->vertex_count; v++) {
            r.low[c] = fmin(r.low[c], mesh->x[3 * v + c]);
            high = fmax(high, mesh->x[3 * v + c]);
        }
        r.n[c] = (int32_t)lround((high - r.low[c]) / r.h);
    }
    r.voxel = PAL_NEW(int32_t, r.n[0] * r.n[1] * r.n[2], &err);
    TEST_ASSERT_NOT_NULL(r.voxel);
    for (int32_t e = 0; e < mesh->element_count; e++) {
        int32_t at[3];
        for (int c = 0; c < 3; c++) {
            at[c] = (int32_t)lround((mesh->x[3 * mesh->element[8 * e] + c] - r.low[c]) / r.h);
        }
        r.voxel[at[0] + r.n[0] * (at[1] + r.n[1] * at[2])] = e + 1;
    }
    return r;
}

static int32_t voxel_at(const raster *r, const int32_t *at) {
    for (int c = 0; c < 3; c++) {
        if (at[c] < 0 || at[c] >= r->n[c]) {
            return 0;
        }
    }
    return r->voxel[at[0] + r->n[0] * (at[1] + r->n[1] * at[2])];
}

static int32_t root_of(int32_t *parent, int32_t i) {
    while (parent[i] != i) {
        i = parent[i] = parent[parent[i]];
    }
    return i;
}

// Components of voxels that share at least `shared` vertices: 1 by corners, 4 by faces.
static int32_t count_pieces(const pal_volmesh *mesh, int shared) {
    pal_err err;
    raster r = rasterize(mesh);
    int32_t cells = r.n[0] * r.n[1] * r.n[2], count = mesh->element_count;
    int32_t *parent = PAL_NEW(int32_t, mesh->element_count + 1, &err);
    for (int32_t e = 0; e <= mesh->element_count; e++) {
        parent[e] = e;
    }
    for (int32_t i = 0; i < cells; i++) {
        int32_t at[3] = {i % r.n[0], i / r.n[0] % r.n[1], i / r.n[0] / r.n[1]};
        for (int way = 0; way < 13 && r.voxel[i] != 0; way++) { // half of the neighbours
            int32_t step[3] = {way % 3 - 1, way / 3 % 3 - 1, way / 9 - 1};
            int32_t to[3] = {at[0] + step[0], at[1] + step[1], at[2] + step[2]};
            int common = 8 >> (abs(step[0]) + abs(step[1]) + abs(step[2]));
            int32_t other = common >= shared ? voxel_at(&r, to) : 0;
            int32_t a = root_of(parent, r.voxel[i]), b = root_of(parent, other);
            if (b != 0 && a != b) {
                parent[a] = b;
                count--;
            }
        }
    }
    free(r.voxel);
    free(parent);
    return count;
}

static void voxelize(const pal_surface *surface, int32_t resolution, pal_volmesh *mesh) {
    pal_err err;
    CHECK_OK(pal_voxelize(surface, resolution, PAL_FILL_WHOLE, NULL, mesh, &err), err);
    TEST_ASSERT_EQUAL_INT(PAL_HEX8, mesh->kind);
    // Parts hang together by faces or not at all.
    TEST_ASSERT_EQUAL_INT(count_pieces(mesh, 1), count_pieces(mesh, 4));
}

// Voxels that only one of two meshes on the same grid has.
static int32_t count_differences(const pal_volmesh *a, const pal_volmesh *b) {
    raster p = rasterize(a), q = rasterize(b);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, p.h, q.h);
    int32_t count = 0, cells = p.n[0] * p.n[1] * p.n[2];
    for (int c = 0; c < 3; c++) {
        TEST_ASSERT_EQUAL_INT(p.n[c], q.n[c]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, p.low[c], q.low[c]);
    }
    for (int32_t i = 0; i < cells; i++) {
        count += (p.voxel[i] != 0) != (q.voxel[i] != 0);
    }
    free(p.voxel);
    free(q.voxel);
    return count;
}

static void assert_points_inside(const pal_surface *surface, const pal_volmesh *mesh) {
    raster r = rasterize(mesh);
    for (int32_t v = 0; v < surface->vertex_count; v++) {
        bool found = false;
        for (int way = -1; way <= 1; way += 2) { // either side will do on a plane of the grid
            int32_t at[3];
            for (int c = 0; c < 3; c++) {
                at[c] = (int32_t)floor((surface->x[3 * v + c] - r.low[c]) / r.h + way * 1e-9);
            }
            found = found || voxel_at(&r, at) != 0;
        }
        TEST_ASSERT_TRUE(found);
    }
    free(r.voxel);
}

static void test_volume_of_a_sphere_converges_from_above(void) {
    pal_surface ball = {0};
    shape_add_sphere(&ball, zero, 1.0, 60);
    double exact = 4.0 / 3.0 * M_PI, excess = INFINITY;
    for (int32_t resolution = 8; resolution <= 64; resolution *= 2) {
        pal_volmesh mesh;
        voxelize(&ball, resolution, &mesh);
        double now = volume_of(&mesh) / exact - 1.0;
        TEST_ASSERT_TRUE(now > 0.0);
        TEST_ASSERT_TRUE(now < 0.6 * excess);
        TEST_ASSERT_TRUE(now < 8.0 / resolution);
        TEST_ASSERT_EQUAL_INT(1, count_pieces(&mesh, 4));
        assert_points_inside(&ball, &mesh);
        excess = now;
        pal_volmesh_free(&mesh);
    }
    pal_surface_free(&ball);
}

// Every voxel is needed: it overlaps the ball (its nearest corner is inside).
static void test_no_voxel_lies_outside_the_body(void) {
    pal_surface ball = {0};
    pal_volmesh mesh;
    shape_add_sphere(&ball, zero, 1.0, 40);
    voxelize(&ball, 40, &mesh);
    for (int32_t e = 0; e < mesh.element_count; e++) {
        double middle[3], nearest = 0.0;
        middle_of(&mesh, e, middle);
        for (int c = 0; c < 3; c++) {
            double d = fmax(fabs(middle[c]) - 0.5 * edge_of(&mesh), 0.0);
            nearest += d * d;
        }
        TEST_ASSERT_TRUE(nearest <= 1.0 + 1e-9);
    }
    pal_volmesh_free(&mesh);
    pal_surface_free(&ball);
}

// Whether a triangle reaches the sides of the bounding box of the unit ball.
static bool holds_the_box(const pal_surface *ball, int32_t t) {
    for (int i = 0; i < 9; i++) {
        if (fabs(ball->x[3 * ball->triangle[3 * t + i / 3] + i % 3]) > 0.9999) {
            return true;
        }
    }
    return false;
}

static void test_missing_and_flipped_triangles_change_few_voxels(void) {
    for (int variant = 0; variant < 3; variant++) { // missing, flipped, both
        pal_surface ball = {0};
        pal_volmesh whole, damaged;
        test_random random = {7};
        shape_add_sphere(&ball, zero, 1.0, 16); // about five cells to a triangle
        voxelize(&ball, 48, &whole);
        int32_t kept = 0;
        for (int32_t t = 0; t < ball.triangle_count; t++) {
            int32_t *from = ball.triangle + 3 * t, *to = ball.triangle + 3 * kept;
            bool missing = random_share(&random) < 0.05 && variant != 1 && !holds_the_box(&ball, t);
            bool flipped = random_share(&random) < 0.5 && variant != 0;
            memmove(to, (int32_t[3]){from[0], from[flipped ? 2 : 1], from[flipped ? 1 : 2]},
                    3 * sizeof *to);
            kept += !missing;
        }
        TEST_ASSERT_TRUE((kept < ball.triangle_count) == (variant != 1));
        ball.triangle_count = kept;
        voxelize(&ball, 48, &damaged);
        int32_t differences = count_differences(&whole, &damaged);
        TEST_ASSERT_TRUE(differences <= (variant == 1 ? 0 : whole.element_count / 100));
        pal_volmesh_free(&whole);
        pal_volmesh_free(&damaged);
        pal_surface_free(&ball);
    }
}

static void test_large_hole_is_closed(void) {
    pal_surface ball = {0};
    pal_volmesh whole, open;
    shape_add_sphere(&ball, zero, 1.0, 30);
    voxelize(&ball, 40, &whole);
    int32_t kept = 0; // no triangles within a cone about (1,1,1)
    for (int32_t t = 0; t < ball.triangle_count; t++) {
        const double *x = ball.x + 3 * ball.triangle[3 * t];
        if (x[0] + x[1] + x[2] < 0.95 * sqrt(3.0)) {
            memmove(ball.triangle + 3 * kept++, ball.triangle + 3 * t, 3 * sizeof(int32_t));
        }
    }
    TEST_ASSERT_TRUE(kept < ball.triangle_count);
    ball.triangle_count = kept;
    voxelize(&ball, 40, &open);
    TEST_ASSERT_TRUE(count_differences(&whole, &open) < whole.element_count / 50);
    pal_volmesh_free(&whole);
    pal_volmesh_free(&open);
    pal_surface_free(&ball);
}

static void test_sphere_within_changes_nothing(void) {
    pal_surface ball = {0};
    pal_volmesh whole, filled;
    shape_add_sphere(&ball, zero, 1.0, 30);
    voxelize(&ball, 40, &whole);
    shape_add_sphere(&ball, (double[3]){0.1, 0.2, 0.0}, 0.5, 10);  // wholly inside
    shape_add_sphere(&ball, (double[3]){0.2, -0.2, 0.1}, 0.4, 10); // and one that cuts it
    voxelize(&ball, 40, &filled);
    TEST_ASSERT_EQUAL_INT(0, count_differences(&whole, &filled));
    pal_volmesh_free(&whole);
    pal_volmesh_free(&filled);
    pal_surface_free(&ball);
}

// Walls exactly where planes of the grid would be, and a cube that is inside out.
static void test_overlapping_cubes_give_their_union(void) {
    for (int inside_out = 0; inside_out < 2; inside_out++) {
        pal_surface cubes = {0};
        pal_volmesh mesh;
        shape_add_box(&cubes, zero, (double[3]){0.625, 0.625, 0.625});
        if (inside_out) {
            pal_surface_scale(&cubes, -1.0);
            for (int i = 0; i < 24; i++) {
                cubes.x[i] = -cubes.x[i];
            }
        }
        shape_add_box(&cubes, (double[3]){0.375, 0.375, 0.375}, (double[3]){1.0, 1.0, 1.0});
        voxelize(&cubes, 32, &mesh);
        double h = edge_of(&mesh);
        int32_t expected = 0;
        for (int32_t e = 0; e < mesh.element_count; e++) {
            double p[3];
            middle_of(&mesh, e, p);
            double low = fmin(fmin(p[0], p[1]), p[2]), high = fmax(fmax(p[0], p[1]), p[2]);
            TEST_ASSERT_TRUE(high < 0.625 + h || low > 0.375 - h);
        }
        for (int i = 0; i < 32 * 32 * 32; i++) { // every cell whose middle is in the union
            double p[3] = {(i % 32 + 0.5) / 32, (i / 32 % 32 + 0.5) / 32, (i / 1024 + 0.5) / 32};
            double low = fmin(fmin(p[0], p[1]), p[2]), high = fmax(fmax(p[0], p[1]), p[2]);
            expected += high < 0.625 || low > 0.375;
        }
        TEST_ASSERT_TRUE(mesh.element_count >= expected);
        TEST_ASSERT_TRUE(mesh.element_count <= expected + 6 * 21 * 21);
        pal_volmesh_free(&mesh);
        pal_surface_free(&cubes);
    }
}

// A cup: the hollow stays open.
static void test_concave_body_keeps_its_hollow(void) {
    pal_surface cup = {0};
    pal_volmesh mesh;
    shape_add_box(&cup, zero, (double[3]){1.0, 1.0, 0.1});
    shape_add_box(&cup, zero, (double[3]){0.1, 1.0, 1.0});
    shape_add_box(&cup, (double[3]){0.9, 0.0, 0.0}, (double[3]){1.0, 1.0, 1.0});
    shape_add_box(&cup, zero, (double[3]){1.0, 0.1, 1.0});
    shape_add_box(&cup, (double[3]){0.0, 0.9, 0.0}, (double[3]){1.0, 1.0, 1.0});
    voxelize(&cup, 40, &mesh);
    for (int32_t e = 0; e < mesh.element_count; e++) {
        double p[3], h = edge_of(&mesh);
        middle_of(&mesh, e, p);
        TEST_ASSERT_FALSE(p[0] > 0.1 + h && p[0] < 0.9 - h && p[1] > 0.1 + h && p[1] < 0.9 - h &&
                          p[2] > 0.1 + h);
    }
    pal_volmesh_free(&mesh);
    pal_surface_free(&cup);
}

static void test_separate_bodies_stay_apart_and_touching_ones_are_joined(void) {
    pal_surface boxes = {0};
    pal_volmesh mesh;
    shape_add_box(&boxes, zero, (double[3]){0.3, 0.3, 0.3});
    shape_add_box(&boxes, (double[3]){0.6, 0.0, 0.0}, (double[3]){1.0, 0.3, 0.3});
    voxelize(&boxes, 20, &mesh);
    TEST_ASSERT_EQUAL_INT(2, count_pieces(&mesh, 4));
    pal_volmesh_free(&mesh);
    pal_surface_free(&boxes);
    // Cells that touch by a corner and by an edge, one apart from all.
    enum { N = 5 };
    pal_grid grid = {{N, N, N}, {1.0, 2.0, 3.0}, 0.5};
    int16_t label[N * N * N];
    int32_t added;
    pal_err err;
    memset(label, 0xff, sizeof label);
    label[0] = 0;                     // (0,0,0)
    label[1 + N + N * N] = 1;         // (1,1,1): corner
    label[2 + 2 * N + N * N] = 0;     // (2,2,1): edge
    label[4 + 4 * N + 4 * N * N] = 0; // (4,4,4): apart
    CHECK_OK(pal_grid_close_hinges(&grid, label, &added, &err), err);
    TEST_ASSERT_EQUAL_INT(3, added);
    CHECK_OK(pal_voxels_of_grid(&grid, label, 2, &mesh, &err), err);
    TEST_ASSERT_EQUAL_INT(7, mesh.element_count);
    TEST_ASSERT_EQUAL_INT(2, count_pieces(&mesh, 4));
    TEST_ASSERT_EQUAL_INT(2, count_pieces(&mesh, 1));
    pal_volmesh_free(&mesh);
}

static void test_random_cells_have_no_hinges_after_repair(void) {
    enum { N = 12 };
    pal_grid grid = {{N, N, N}, {0.0, 0.0, 0.0}, 1.0};
    int16_t label[N * N * N];
    test_random random = {3};
    pal_err err;
    for (int trial = 0; trial < 20; trial++) {
        for (int i = 0; i < N * N * N; i++) {
            label[i] = random_share(&random) < 0.02 * (trial + 1) ? 0 : -1;
        }
        label[0] = 0;
        pal_volmesh mesh;
        CHECK_OK(pal_grid_close_hinges(&grid, label, NULL, &err), err);
        CHECK_OK(pal_voxels_of_grid(&grid, label, 1, &mesh, &err), err);
        TEST_ASSERT_EQUAL_INT(count_pieces(&mesh, 1), count_pieces(&mesh, 4));
        pal_volmesh_free(&mesh);
    }
}

// Vertices are shared: a full block of cells has one per node, positions as the grid says.
static void test_voxels_of_a_grid_share_vertices(void) {
    pal_grid grid = {{3, 4, 5}, {1.0, 2.0, 3.0}, 0.25};
    int16_t label[60];
    pal_volmesh mesh;
    pal_surface skin;
    pal_surface_quality quality;
    pal_err err;
    for (int i = 0; i < 60; i++) {
        label[i] = (int16_t)(i % 2);
    }
    CHECK_OK(pal_voxels_of_grid(&grid, label, 2, &mesh, &err), err);
    TEST_ASSERT_EQUAL_INT(4 * 5 * 6, mesh.vertex_count);
    TEST_ASSERT_EQUAL_INT(60, mesh.element_count);
    TEST_ASSERT_EQUAL_INT(1, mesh.region[1]);
    CHECK_OK(pal_surface_of_volmesh(&mesh, &skin, NULL, &err), err);
    CHECK_OK(pal_surface_measure(&skin, &quality, &err), err);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 60 * pow(0.25, 3), quality.volume);
    TEST_ASSERT_EQUAL_INT(0, quality.open_edges);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 3.0 + 5 * 0.25, quality.box_max[2]);
    pal_surface_free(&skin);
    pal_volmesh_free(&mesh);
}

// Slivers, points, and walls in planes of the grid are touched cells like any other.
static void test_degenerate_triangles_do_no_harm(void) {
    pal_surface box = {0};
    pal_volmesh plain, more;
    shape_add_box(&box, zero, (double[3]){1.0, 1.0, 1.0});
    voxelize(&box, 16, &plain);
    TEST_ASSERT_EQUAL_INT(16 * 16 * 16, plain.element_count);
    shape_add_box(&box, (double[3]){0.5, 0.5, 0.5}, (double[3]){0.5, 0.5, 0.5});       // a point
    shape_add_box(&box, (double[3]){0.25, 0.25, 0.25}, (double[3]){0.75, 0.25, 0.25}); // a line
    shape_add_box(&box, (double[3]){0.25, 0.25, 0.5}, (double[3]){0.75, 0.75, 0.5});   // a sheet
    voxelize(&box, 16, &more);
    TEST_ASSERT_EQUAL_INT(0, count_differences(&plain, &more));
    pal_volmesh_free(&plain);
    pal_volmesh_free(&more);
    pal_surface_free(&box);
    // A lone sheet and a lone line are one layer and one row of voxels.
    pal_surface thin = {0};
    shape_add_box(&thin, zero, (double[3]){1.0, 1.0, 0.0});
    voxelize(&thin, 16, &plain);
    TEST_ASSERT_EQUAL_INT(16 * 16, plain.element_count);
    pal_volmesh_free(&plain);
    pal_surface_free(&thin);
    shape_add_box(&thin, zero, (double[3]){0.0, 1.0, 0.0});
    voxelize(&thin, 16, &plain);
    TEST_ASSERT_EQUAL_INT(16, plain.element_count);
    pal_volmesh_free(&plain);
    pal_surface_free(&thin);
}

// Found surfaces, holes and all: solid, in one piece, and every vertex is carried.
static void test_shared_surfaces_become_solids(void) {
    static const char *const names[] = {"meshes/liver.obj", "meshes/raptor_8kp.obj"};
    for (int i = 0; i < 2; i++) {
        pal_surface surface;
        pal_surface_quality quality;
        pal_volmesh mesh;
        pal_err err;
        const char *path = check_shared(names[i]);
        if (path == NULL) {
            TEST_IGNORE_MESSAGE("the shared data is not here");
        }
        CHECK_OK(pal_surface_read(path, &surface, &err), err);
        CHECK_OK(pal_surface_measure(&surface, &quality, &err), err);
        voxelize(&surface, 60, &mesh);
        TEST_ASSERT_EQUAL_INT(1, count_pieces(&mesh, 4));
        assert_points_inside(&surface, &mesh);
        // The skin is up to a voxel thick on either side.
        TEST_ASSERT_TRUE(volume_of(&mesh) > quality.volume);
        TEST_ASSERT_TRUE(volume_of(&mesh) < quality.volume + 2.0 * edge_of(&mesh) * quality.area);
        pal_volmesh_free(&mesh);
        pal_surface_free(&surface);
    }
}

static void test_bad_input_is_refused(void) {
    pal_surface box = {0};
    pal_volmesh mesh;
    pal_err err;
    CHECK_FAILS(PAL_ERR_INPUT, "no triangles",
                pal_voxelize(&box, 16, PAL_FILL_WHOLE, NULL, &mesh, &err), err);
    shape_add_box(&box, zero, zero);
    CHECK_FAILS(PAL_ERR_INPUT, "no extent",
                pal_voxelize(&box, 16, PAL_FILL_WHOLE, NULL, &mesh, &err), err);
    CHECK_FAILS(PAL_ERR_USAGE, "resolution of 1;",
                pal_voxelize(&box, 1, PAL_FILL_WHOLE, NULL, &mesh, &err), err);
    CHECK_FAILS(PAL_ERR_USAGE, "from 2 to 512",
                pal_voxelize(&box, 513, PAL_FILL_WHOLE, NULL, &mesh, &err), err);
    box.x[4] = NAN;
    CHECK_FAILS(PAL_ERR_INPUT, "not finite",
                pal_voxelize(&box, 16, PAL_FILL_WHOLE, NULL, &mesh, &err), err);
    pal_surface_free(&box);
}

static void test_every_allocation_may_fail(void) {
    pal_surface box = {0};
    pal_volmesh mesh;
    pal_err err;
    shape_add_box(&box, zero, (double[3]){1.0, 1.0, 1.0});
    pal_status status = PAL_ERR_MEMORY;
    for (long n = 0; status != PAL_OK && n < 100; n++) {
        pal_memory_fail_after(n);
        status = pal_voxelize(&box, 4, PAL_FILL_WHOLE, NULL, &mesh, &err);
        TEST_ASSERT_TRUE(status == PAL_OK || status == PAL_ERR_MEMORY);
        TEST_ASSERT_TRUE(status == PAL_OK || mesh.x == NULL);
    }
    pal_memory_fail_after(-1);
    CHECK_OK(status, err);
    pal_volmesh_free(&mesh);
    pal_surface_free(&box);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_volume_of_a_sphere_converges_from_above);
    RUN_TEST(test_no_voxel_lies_outside_the_body);
    RUN_TEST(test_missing_and_flipped_triangles_change_few_voxels);
    RUN_TEST(test_large_hole_is_closed);
    RUN_TEST(test_sphere_within_changes_nothing);
    RUN_TEST(test_overlapping_cubes_give_their_union);
    RUN_TEST(test_concave_body_keeps_its_hollow);
    RUN_TEST(test_separate_bodies_stay_apart_and_touching_ones_are_joined);
    RUN_TEST(test_random_cells_have_no_hinges_after_repair);
    RUN_TEST(test_voxels_of_a_grid_share_vertices);
    RUN_TEST(test_degenerate_triangles_do_no_harm);
    RUN_TEST(test_shared_surfaces_become_solids);
    RUN_TEST(test_bad_input_is_refused);
    RUN_TEST(test_every_allocation_may_fail);
    return UNITY_END();
}
