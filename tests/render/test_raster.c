// The rasteriser, the camera, normals, light and colours against geometry.
#include <math.h>
#include <stdlib.h>

#include "render/camera.h"
#include "render/colormap.h"
#include "render/normals.h"
#include "render/raster.h"
#include "render/sky.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "tests/support/block_model.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

static pal_err err;
static const double pi = 3.14159265358979323846;

static int32_t seen_count(const pal_raster *raster) {
    int32_t count = 0;
    for (int32_t i = 0; i < raster->width * raster->height; i++) {
        count += raster->seen[i] >= 0;
    }
    return count;
}

static void test_triangle_covers_its_area(void) {
    pal_raster raster;
    CHECK_OK(pal_raster_alloc(&raster, 300, 300, &err), err);
    double screen[9] = {12.3, 20.1, 1.0, 280.7, 95.2, 1.0, 77.9, 261.4, 1.0};
    double area = 0.5 * fabs((screen[3] - screen[0]) * (screen[7] - screen[1]) -
                             (screen[4] - screen[1]) * (screen[6] - screen[0]));
    int32_t forward[3] = {0, 1, 2}, backward[3] = {0, 2, 1};
    pal_raster_draw(&raster, screen, forward, 1);
    int32_t count = seen_count(&raster);
    TEST_ASSERT_TRUE(fabs(count - area) < 0.01 * area);
    pal_raster_clear(&raster);
    pal_raster_draw(&raster, screen, backward, 1);
    TEST_ASSERT_EQUAL_INT(count, seen_count(&raster));
    pal_raster_free(&raster);
}

static void test_disc_covers_its_area_without_pinholes(void) {
    enum { SPOKES = 400, SIZE = 256 };
    static double screen[3 * (SPOKES + 1)];
    static int32_t triangle[3 * SPOKES];
    double centre = 127.77, radius = 110.3;
    for (int i = 0; i <= SPOKES; i++) {
        double r = i < SPOKES ? radius : 0.0, angle = 2.0 * pi * i / SPOKES;
        screen[3 * i] = centre + r * cos(angle);
        screen[3 * i + 1] = centre + r * sin(angle);
        screen[3 * i + 2] = 0.5;
    }
    for (int i = 0; i < SPOKES; i++) {
        triangle[3 * i] = SPOKES;
        triangle[3 * i + 1] = i;
        triangle[3 * i + 2] = (i + 1) % SPOKES;
    }
    pal_raster raster;
    CHECK_OK(pal_raster_alloc(&raster, SIZE, SIZE, &err), err);
    pal_raster_draw(&raster, screen, triangle, SPOKES);
    double area = pi * radius * radius;
    TEST_ASSERT_TRUE(fabs(seen_count(&raster) - area) < 0.01 * area);
    for (int j = 0; j < SIZE; j++) {
        for (int i = 0; i < SIZE; i++) {
            double distance = hypot(i + 0.5 - centre, j + 0.5 - centre);
            if (fabs(distance - radius) > 0.1) {
                TEST_ASSERT_EQUAL_INT(distance < radius, raster.seen[j * SIZE + i] >= 0);
            }
        }
    }
    pal_raster_free(&raster);
}

static void test_nearer_triangle_wins_in_either_order(void) {
    double screen[18] = {0, 0, 0.2, 60, 0, 0.2, 0, 60, 0.2, 0, 0, 0.7, 60, 0, 0.7, 0, 60, 0.7};
    for (int order = 0; order < 2; order++) {
        int32_t triangle[6];
        for (int i = 0; i < 6; i++) {
            triangle[i] = order == 0 ? i : (i + 3) % 6;
        }
        pal_raster raster;
        CHECK_OK(pal_raster_alloc(&raster, 64, 64, &err), err);
        pal_raster_draw(&raster, screen, triangle, 2);
        TEST_ASSERT_EQUAL_INT(order == 0 ? 1 : 0, raster.seen[10 * 64 + 10]);
        TEST_ASSERT_TRUE(fabs(raster.nearness[10 * 64 + 10] - 0.7) < 1e-6);
        TEST_ASSERT_EQUAL_INT(-1, raster.seen[60 * 64 + 60]);
        pal_raster_free(&raster);
    }
}

static void test_crossing_triangles_meet_on_a_line(void) {
    // One rises to the right, the other falls: they cross in the middle column.
    double screen[24] = {0, 0, 1.0, 100, 0, 2.0, 100, 100, 2.0, 0, 100, 1.0,
                         0, 0, 2.0, 100, 0, 1.0, 100, 100, 1.0, 0, 100, 2.0};
    int32_t triangle[12] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
    pal_raster raster;
    CHECK_OK(pal_raster_alloc(&raster, 100, 100, &err), err);
    pal_raster_draw(&raster, screen, triangle, 4);
    for (int i = 0; i < 100; i++) {
        int32_t seen = raster.seen[40 * 100 + i];
        TEST_ASSERT_TRUE(i < 50 ? seen >= 2 : seen == 0 || seen == 1);
    }
    pal_raster_free(&raster);
}

static void test_wild_coordinates_are_left_out(void) {
    double screen[9] = {1, 1, 1, 9, 1, 1, 1, 9, 1};
    double wild[] = {NAN, INFINITY, -1e30, 1e300};
    int32_t triangle[3] = {0, 1, 2};
    pal_raster raster;
    CHECK_OK(pal_raster_alloc(&raster, 10, 10, &err), err);
    for (int i = 0; i < 9; i++) {
        for (int k = 0; k < 4 - (i % 3 == 2); k++) {
            double kept = screen[i];
            screen[i] = wild[k];
            pal_raster_draw(&raster, screen, triangle, 1);
            screen[i] = kept;
            TEST_ASSERT_EQUAL_INT(0, seen_count(&raster));
        }
    }
    // Partly outside the picture is drawn and cut off.
    screen[3] = 500000.0;
    screen[7] = -500000.0;
    pal_raster_draw(&raster, screen, triangle, 1);
    TEST_ASSERT_TRUE(seen_count(&raster) > 0);
    pal_raster_free(&raster);
}

static void test_camera_fits_any_box_tightly(void) {
    double sides[][3] = {{1, 1, 1}, {9, 1, 1}, {1, 9, 1}, {1, 1, 9}, {1e-3, 2e-3, 1e-4}};
    pal_frame frame = {37.0, 21.0, 400.0, 260.0};
    for (int k = 0; k < 5; k++) {
        double x[24], low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9};
        for (int i = 0; i < 24; i++) {
            x[i] = 5.0 + ((i / 3 >> i % 3) & 1) * sides[k][i % 3];
        }
        pal_camera camera;
        pal_camera_turn(&camera, PAL_UP_Z, 30.0, 20.0);
        TEST_ASSERT_TRUE(pal_camera_fit(&camera, &frame, x, 8) > 0.0);
        for (int i = 0; i < 8; i++) {
            double s[3];
            pal_camera_project(&camera, x + 3 * i, s);
            TEST_ASSERT_TRUE(s[2] > 0.0);
            for (int c = 0; c < 2; c++) {
                low[c] = fmin(low[c], s[c]);
                high[c] = fmax(high[c], s[c]);
            }
        }
        double rim[4] = {low[0] - frame.left, frame.left + frame.width - high[0],
                         low[1] - frame.top, frame.top + frame.height - high[1]};
        double least = 1e9;
        for (int i = 0; i < 4; i++) {
            least = fmin(least, rim[i]);
        }
        TEST_ASSERT_TRUE(least > -1e-6 && least < 1e-6);
    }
}

static void test_ray_goes_through_what_is_projected(void) {
    pal_camera camera;
    pal_frame frame = {0.0, 0.0, 300.0, 200.0};
    double x[6] = {0.1, -0.3, 0.2, 0.5, 0.4, -0.6}, s[3], ray[3], d[3], cross[3];
    pal_camera_turn(&camera, PAL_UP_Z, -70.0, 35.0);
    pal_camera_fit(&camera, &frame, x, 2);
    pal_camera_project(&camera, x + 3, s);
    pal_camera_ray(&camera, s[0], s[1], ray);
    pal_sub3(x + 3, camera.eye, d);
    pal_cross3(ray, d, cross);
    TEST_ASSERT_TRUE(pal_norm3(cross) < 1e-12 * pal_norm3(d));
    TEST_ASSERT_TRUE(pal_dot3(ray, d) > 0.0);
}

static void test_ball_normals_point_outwards_also_inside_out(void) {
    block_spec spec = {.cells = {12, 12, 12}, .side = {1.0, 1.0, 1.0}, .rounded = true};
    pal_model model;
    CHECK_OK(block_model_make(&spec, &model, &err), err);
    for (int turned = 0; turned < 2; turned++) {
        pal_normals normals;
        CHECK_OK(pal_normals_build(&model.surface, &normals, &err), err);
        for (int32_t i = 0; i < 3 * model.surface.triangle_count; i++) {
            const double *x = model.surface.x + 3 * (size_t)model.surface.triangle[i];
            double out[3] = {2.0 * x[0] - 1.0, 2.0 * x[1] - 1.0, 2.0 * x[2] - 1.0};
            TEST_ASSERT_TRUE(pal_dot3(out, normals.corner + 3 * (size_t)i) > 0.97);
        }
        pal_normals_free(&normals);
        for (int32_t t = 0; t < model.surface.triangle_count; t++) {
            int32_t *v = model.surface.triangle + 3 * (size_t)t, kept = v[0];
            v[0] = v[1];
            v[1] = kept;
        }
    }
    block_model_free(&model);
}

static void test_box_normals_stay_sharp(void) {
    block_spec spec = {.cells = {3, 4, 5}, .side = {0.3, 0.4, 0.5}};
    pal_model model;
    pal_normals normals;
    CHECK_OK(block_model_make(&spec, &model, &err), err);
    CHECK_OK(pal_normals_build(&model.surface, &normals, &err), err);
    for (int32_t i = 0; i < 3 * model.surface.triangle_count; i++) {
        const double *n = normals.corner + 3 * (size_t)i;
        double most = fmax(fmax(fabs(n[0]), fabs(n[1])), fabs(n[2]));
        TEST_ASSERT_TRUE(fabs(most - 1.0) < 1e-12);
    }
    pal_normals_free(&normals);
    block_model_free(&model);
}

static void test_floor_is_dark_under_a_body_and_light_beside_it(void) {
    block_spec spec = {.cells = {8, 8, 8}, .side = {1.0, 1.0, 1.0}, .rounded = true};
    pal_model model;
    pal_normals normals;
    pal_sky sky;
    double lamp[3] = {0.0, 0.0, 1.0};
    CHECK_OK(block_model_make(&spec, &model, &err), err);
    CHECK_OK(pal_normals_build(&model.surface, &normals, &err), err);
    CHECK_OK(pal_sky_build(&model.surface, normals.vertex, lamp, 0.0, &sky, &err), err);
    double under = pal_sky_floor(&sky, 0.5, 0.5), beside = pal_sky_floor(&sky, 1.3, 0.5);
    TEST_ASSERT_TRUE(under < 0.2);
    TEST_ASSERT_TRUE(beside > 0.7);
    TEST_ASSERT_TRUE(pal_sky_floor(&sky, 50.0, 0.5) == 1.0);
    // A ball hides nothing from itself above, and its lower half from the lamp.
    for (int32_t v = 0; v < model.surface.vertex_count; v++) {
        double height = model.surface.x[3 * (size_t)v + 2];
        TEST_ASSERT_TRUE(sky.open[v] > 0.9);
        TEST_ASSERT_TRUE(height < 0.7 || sky.lamp[v] > 0.95);
        TEST_ASSERT_TRUE(height > 0.3 || sky.lamp[v] < 0.5);
    }
    pal_sky_free(&sky);
    pal_normals_free(&normals);
    block_model_free(&model);
}

static void test_colour_map_grows_evenly_lighter(void) {
    double before = -1.0, least = 1e9, most = 0.0;
    for (int i = 0; i <= 20; i++) {
        double rgb[3];
        pal_colormap(i / 20.0, rgb);
        double y = 0.2126 * pal_srgb_to_linear(rgb[0]) + 0.7152 * pal_srgb_to_linear(rgb[1]) +
                   0.0722 * pal_srgb_to_linear(rgb[2]);
        double lightness = 116.0 * cbrt(fmax(y, 0.0089)) - 16.0; // CIE 1976
        if (i > 0) {
            least = fmin(least, lightness - before);
            most = fmax(most, lightness - before);
        }
        before = lightness;
    }
    TEST_ASSERT_TRUE(least > 0.0 && most < 1.5 * least);
}

static void test_colours_are_clamped_and_gamma_turns_back(void) {
    double low[3], same[3];
    pal_colormap(0.0, low);
    pal_colormap(NAN, same);
    TEST_ASSERT_TRUE(low[0] == same[0] && low[1] == same[1] && low[2] == same[2]);
    pal_colormap(-3.0, same);
    TEST_ASSERT_TRUE(low[0] == same[0]);
    pal_colormap(7.0, same);
    TEST_ASSERT_TRUE(same[0] == 0xFD && same[1] == 0xE7 && same[2] == 0x25);
    for (int i = 0; i < 256; i++) {
        TEST_ASSERT_TRUE(fabs(pal_linear_to_srgb(pal_srgb_to_linear(i)) - i) < 1e-9);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_triangle_covers_its_area);
    RUN_TEST(test_disc_covers_its_area_without_pinholes);
    RUN_TEST(test_nearer_triangle_wins_in_either_order);
    RUN_TEST(test_crossing_triangles_meet_on_a_line);
    RUN_TEST(test_wild_coordinates_are_left_out);
    RUN_TEST(test_camera_fits_any_box_tightly);
    RUN_TEST(test_ray_goes_through_what_is_projected);
    RUN_TEST(test_ball_normals_point_outwards_also_inside_out);
    RUN_TEST(test_box_normals_stay_sharp);
    RUN_TEST(test_floor_is_dark_under_a_body_and_light_beside_it);
    RUN_TEST(test_colour_map_grows_evenly_lighter);
    RUN_TEST(test_colours_are_clamped_and_gamma_turns_back);
    return UNITY_END();
}
