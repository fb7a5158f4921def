// What is guessed for a mesh of one's own: in every format, whatever its unit and wherever its down
// is, and what is said when nothing can be made of it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scenes/new_scene.h"
#include "scenes/scene.h"
#include "scenes/shapes.h"
#include "sim/base/file.h"
#include "sim/mesh/block.h"
#include "tests/support/check.h"
#include "tests/support/mesh_text.h"

static const pal_new_wish no_wish;

void setUp(void) {
}
void tearDown(void) {
}

// A block of cubes of edge h with the regions of its two halves along x; two pieces when `apart`.
static pal_volmesh make_block(const int32_t n[3], double h, int regions, bool apart) {
    pal_volmesh mesh;
    pal_err err = {0};
    CHECK_OK(pal_mesh_block(PAL_TET4, n, h, &mesh, &err), err);
    if (regions > 1) {
        free(mesh.regions);
        mesh.regions = calloc(2, sizeof *mesh.regions);
        mesh.region_count = 2;
        for (int32_t e = 0; e < mesh.element_count; e++) {
            mesh.region[e] = mesh.x[3 * pal_volmesh_element(&mesh, e)[0]] >= 0.5 * h * n[0];
        }
        strcpy(mesh.regions[0].name, "soft");
        strcpy(mesh.regions[1].name, "hard");
    }
    if (apart) {
        pal_volmesh both;
        const int32_t v = mesh.vertex_count, count = mesh.element_count;
        CHECK_OK(pal_volmesh_alloc(&both, PAL_TET4, 2 * v, 2 * count, 1, &err), err);
        for (int32_t i = 0; i < 6 * v; i++) {
            both.x[i] = mesh.x[i % (3 * v)] + (i >= 3 * v && i % 3 == 0 ? 2.0 * h * n[0] : 0.0);
        }
        for (int32_t i = 0; i < 8 * count; i++) {
            both.element[i] = mesh.element[i % (4 * count)] + (i >= 4 * count ? v : 0);
        }
        pal_volmesh_free(&mesh);
        mesh = both;
    }
    return mesh;
}

static void write_file(const char *path, const pal_text *text) {
    pal_err err = {0};
    CHECK_OK(pal_file_write_atomic(path, text->data, text->size, &err), err);
}

// The file to name; the text lives until the next call.
static const char *write_mesh(const check_variant *variant, const pal_volmesh *mesh) {
    static const char *const ending[] = {
        [PAL_MESH_GMSH] = ".msh", [PAL_MESH_TETGEN] = ".node",    [PAL_MESH_MEDIT] = ".mesh",
        [PAL_MESH_VTU] = ".vtu",  [PAL_MESH_VTK_LEGACY] = ".vtk", [PAL_MESH_VEGA] = ".veg"};
    static char path[300];
    char name[64];
    check_mesh_text text = check_write_mesh(variant, mesh);
    if (variant->format == PAL_MESH_TETGEN) {
        write_file(check_scratch("body.ele"), &text.second);
    }
    snprintf(name, sizeof name, "body%s", ending[variant->format]);
    snprintf(path, sizeof path, "%s", check_scratch(name));
    write_file(path, &text.first);
    check_free_mesh_text(&text);
    return path;
}

static const check_variant *variant_of(pal_mesh_format format) {
    for (int i = 0; i < check_variant_count; i++) {
        if (check_variants[i].format == format) {
            return &check_variants[i];
        }
    }
    return NULL;
}

static pal_new_scene make(const char *path, const pal_new_wish *wish) {
    pal_new_scene made;
    pal_err err = {0};
    CHECK_OK(pal_new_scene_make(path, wish, NULL, &made, &err), err);
    return made;
}

static pal_new_scene make_of(const pal_volmesh *mesh, double scale, const pal_new_wish *wish) {
    pal_volmesh_scale((pal_volmesh *)(uintptr_t)mesh, scale);
    pal_new_scene made = make(write_mesh(variant_of(PAL_MESH_MEDIT), mesh), wish);
    pal_volmesh_scale((pal_volmesh *)(uintptr_t)mesh, 1.0 / scale);
    return made;
}

// The scene of the text, made real: what it holds is what was said, and its places are found.
static void check_builds(const pal_new_scene *made) {
    char path[300], *text;
    pal_err err = {0};
    pal_scene scene;
    pal_scene_body body;
    snprintf(path, sizeof path, "%s", check_scratch("made.yaml"));
    CHECK_OK(pal_new_scene_text(made, path, &text, &err), err);
    CHECK_OK(pal_scene_parse(path, text, strlen(text), &scene, &err), err);
    CHECK_OK(pal_scene_build(&scene, NULL, &body, &err), err);
    TEST_ASSERT_EQUAL_INT(made->mesh.vertex_count, body.mesh.vertex_count);
    TEST_ASSERT_EQUAL_MEMORY(made->held, body.held, (size_t)body.mesh.vertex_count);
    CHECK_OK(pal_scene_settle(&scene, &body.surface, false, &err), err);
    // the press ends `depth` below first touch, in the direction that is down
    const int axis = pal_up_axis(made->up);
    double end = made->spot[axis] + pal_up_sign(made->up) * (made->radius - made->depth);
    TEST_ASSERT_EQUAL_INT(PAL_INTENT_PRESS, scene.live.intent[1].kind);
    for (int c = 0; c < 3; c++) {
        TEST_ASSERT_DOUBLE_WITHIN(2e-6 * made->size, c == axis ? end : made->spot[c],
                                  scene.live.intent[1].to[c]);
    }
    pal_scene_body_free(&body);
    pal_scene_free(&scene);
    free(text);
}

// What is held is enough and not too much, the spot is on the surface on the other side and the
// force is one that a hand feels and a small device can give.
static void check_sensible(const pal_new_scene *made) {
    TEST_ASSERT_TRUE(made->held_count >= 3);
    TEST_ASSERT_TRUE(made->held_count <= 0.3 * made->mesh.vertex_count);
    TEST_ASSERT_TRUE(made->force > 0.03 && made->force < 3.0);
    TEST_ASSERT_TRUE(made->depth > 0.0 && made->depth <= 1.5 * made->radius);
    TEST_ASSERT_TRUE(made->radius <= 0.05 * made->size);
}

static void test_every_format_of_volume_meshes(void) {
    const int32_t n[3] = {6, 5, 8};
    pal_volmesh mesh = make_block(n, 0.02, 2, false);
    for (int i = 0; i < check_variant_count; i++) {
        pal_new_scene made = make(write_mesh(&check_variants[i], &mesh), &no_wish);
        TEST_ASSERT_EQUAL_STRING_MESSAGE("m", made.unit->name, check_variants[i].name);
        check_sensible(&made);
        check_builds(&made);
        pal_new_scene_free(&made);
    }
    pal_volmesh_free(&mesh);
}

static void write_obj(const char *path, const pal_surface *surface, int32_t triangles) {
    FILE *file = fopen(path, "w");
    TEST_ASSERT_NOT_NULL(file);
    for (int32_t v = 0; v < surface->vertex_count; v++) {
        const double *x = surface->x + 3 * (int64_t)v;
        fprintf(file, "v %.9g %.9g %.9g\n", x[0], x[1], x[2]);
    }
    for (int32_t t = 0; t < triangles; t++) {
        const int32_t *corner = surface->triangle + 3 * (int64_t)t;
        fprintf(file, "f %d %d %d\n", corner[0] + 1, corner[1] + 1, corner[2] + 1);
    }
    fclose(file);
}

static void write_stl(const char *path, const pal_surface *surface) {
    FILE *file = fopen(path, "w");
    TEST_ASSERT_NOT_NULL(file);
    fprintf(file, "solid body\n");
    for (int32_t t = 0; t < surface->triangle_count; t++) {
        fprintf(file, "facet normal 0 0 0\nouter loop\n");
        for (int k = 0; k < 3; k++) {
            const double *x = surface->x + 3 * (int64_t)surface->triangle[3 * (int64_t)t + k];
            fprintf(file, "vertex %.9g %.9g %.9g\n", x[0], x[1], x[2]);
        }
        fprintf(file, "endloop\nendfacet\n");
    }
    fprintf(file, "endsolid body\n");
    fclose(file);
}

// A block's surface, which is held on its flat side whichever that is.
static pal_surface block_surface(void) {
    const int32_t n[3] = {8, 6, 5};
    pal_surface surface;
    pal_err err = {0};
    pal_volmesh mesh = make_block(n, 20.0, 1, false);
    CHECK_OK(pal_surface_of_volmesh(&mesh, &surface, NULL, &err), err);
    pal_volmesh_free(&mesh);
    return surface;
}

static void test_every_format_of_surfaces(void) {
    static const char *const name[] = {"body.obj", "body.stl", "body.ply"};
    pal_surface surface = block_surface();
    pal_err err = {0};
    for (int i = 0; i < 3; i++) {
        char path[300];
        snprintf(path, sizeof path, "%s", check_scratch(name[i]));
        if (i == 2) {
            CHECK_OK(pal_surface_write_ply(path, &surface, &err), err);
        } else {
            (i == 0) ? write_obj(path, &surface, surface.triangle_count)
                     : write_stl(path, &surface);
        }
        pal_new_scene made = make(path, &no_wish);
        TEST_ASSERT_EQUAL_STRING_MESSAGE("mm", made.unit->name, name[i]);
        TEST_ASSERT_TRUE(made.voxels >= 12 && made.mesh.element_count < 12000);
        check_sensible(&made);
        check_builds(&made);
        pal_new_scene_free(&made);
    }
    pal_surface_free(&surface);
}

static void check_same_body(const pal_new_scene *a, const pal_new_scene *b) {
    TEST_ASSERT_DOUBLE_WITHIN(1e-6 * a->size, a->size, b->size);
    TEST_ASSERT_EQUAL_INT(a->up, b->up);
    TEST_ASSERT_EQUAL_STRING(a->fixed, b->fixed);
    TEST_ASSERT_EQUAL_STRING(a->material, b->material);
    for (int c = 0; c < 3; c++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-5 * a->size, a->spot[c], b->spot[c]);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, a->depth, b->depth);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4 * a->force, a->force, b->force);
}

// The same body in metres, centimetres and millimetres is found by itself, in others when told.
static void test_scaled_meshes_are_the_same_body(void) {
    static const struct {
        double scale;
        const char *unit, *told;
    } files[] = {{1e3, "mm", NULL},
                 {1e2, "cm", NULL},
                 {10.0, "dm", "dm"},
                 {0.1, "m", NULL},
                 {1e-3, "km", NULL}};
    const int32_t n[3] = {6, 5, 8};
    pal_volmesh mesh = make_block(n, 0.02, 1, false);
    pal_new_scene plain = make_of(&mesh, 1.0, &no_wish);
    TEST_ASSERT_EQUAL_STRING("m", plain.unit->name);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        pal_new_wish wish = {.unit = files[i].told};
        pal_new_scene made = make_of(&mesh, files[i].scale, &wish);
        TEST_ASSERT_EQUAL_STRING(files[i].unit, made.unit->name);
        if (files[i].scale != 0.1) {
            check_same_body(&plain, &made);
        } else { // 16 mm: a small body of the same shape, taken as it is
            TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.1 * plain.size, made.size);
            TEST_ASSERT_EQUAL_STRING(plain.fixed, made.fixed);
        }
        pal_new_scene_free(&made);
    }
    pal_new_scene_free(&plain);
    pal_volmesh_free(&mesh);
}

// A cone stands on its base, whichever way it was drawn; and the user's word goes before the shape.
static void test_a_body_stands_on_its_flat_base(void) {
    const int32_t n[3] = {6, 6, 6};
    for (int side = 0; side < PAL_UP_COUNT; side++) {
        const int axis = pal_up_axis((pal_up)side);
        const double sign = pal_up_sign((pal_up)side), tall = 0.12;
        pal_volmesh mesh = make_block(n, 0.02, 1, false);
        for (int32_t v = 0; v < mesh.vertex_count; v++) {
            double *x = mesh.x + 3 * (int64_t)v;
            const double height = sign > 0.0 ? x[axis] : tall - x[axis];
            for (int c = 0; c < 3; c++) { // a blunt, rounded top
                x[c] = c != axis ? x[c] * (1.0 - 0.75 * pow(height / tall, 2.0)) : x[c];
            }
        }
        pal_new_scene made = make_of(&mesh, 1.0, &no_wish);
        TEST_ASSERT_EQUAL_STRING(pal_up_name((pal_up)side), pal_up_name(made.up));
        TEST_ASSERT_NOT_NULL(strstr(made.up_reason, "flat base"));
        check_builds(&made);
        pal_new_scene_free(&made);
        made = make_of(&mesh, 1.0, &(pal_new_wish){.up = "-y", .material = "silicone"});
        TEST_ASSERT_EQUAL_INT(PAL_UP_MINUS_Y, made.up);
        TEST_ASSERT_EQUAL_STRING("silicone", made.material);
        check_builds(&made);
        pal_new_scene_free(&made);
        pal_volmesh_free(&mesh);
    }
}

static void test_a_plate_of_one_layer_is_held_at_its_ends(void) {
    const int32_t n[3] = {20, 8, 1};
    pal_volmesh mesh = make_block(n, 0.01, 1, false);
    pal_new_scene made = make_of(&mesh, 1.0, &no_wish);
    TEST_ASSERT_EQUAL_INT(PAL_UP_Z, made.up);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(made.fixed, "x>max-"), made.fixed);
    check_sensible(&made);
    check_builds(&made);
    pal_new_scene_free(&made);
    pal_volmesh_free(&mesh);
}

static void test_each_piece_is_held(void) {
    const int32_t n[3] = {4, 4, 12};
    pal_volmesh mesh = make_block(n, 0.01, 1, true);
    // the second piece hangs higher than where the first one is held
    for (int32_t v = mesh.vertex_count / 2; v < mesh.vertex_count; v++) {
        mesh.x[3 * (int64_t)v + 2] += 0.06;
    }
    pal_new_scene made = make_of(&mesh, 1.0, &no_wish);
    int32_t first = 0;
    for (int32_t v = 0; v < mesh.vertex_count / 2; v++) {
        first += made.held[v];
    }
    TEST_ASSERT_TRUE(first >= 3 && made.held_count - first >= 3);
    check_builds(&made);
    pal_new_scene_free(&made);
    pal_volmesh_free(&mesh);
}

// A column that would sway on its foot is held higher than a squat body of the same cubes.
static void test_more_is_held_of_a_body_that_sways(void) {
    const int32_t squat[3] = {6, 6, 6}, tall[3] = {2, 2, 20};
    pal_volmesh mesh = make_block(squat, 0.01, 1, false);
    pal_new_scene made = make_of(&mesh, 1.0, &(pal_new_wish){.up = "z"});
    TEST_ASSERT_TRUE(made.held_percent > 0 && made.held_percent <= 20);
    TEST_ASSERT_NULL(strstr(made.fixed_reason, "sway"));
    pal_new_scene_free(&made);
    pal_volmesh_free(&mesh);
    mesh = make_block(tall, 0.01, 1, false);
    made = make_of(&mesh, 1.0, &(pal_new_wish){.up = "z"});
    TEST_ASSERT_TRUE(made.held_percent >= 15);
    TEST_ASSERT_NOT_NULL(strstr(made.fixed_reason, "sway"));
    check_sensible(&made);
    check_builds(&made);
    pal_new_scene_free(&made);
    pal_volmesh_free(&mesh);
}

// A slender body is of something harder than tissue: the force grows with it, and is felt.
static void test_a_slender_body_gets_a_harder_material(void) {
    const int32_t thick[3] = {8, 8, 8}, thin[3] = {60, 2, 2};
    pal_volmesh mesh = make_block(thick, 0.02, 1, false);
    pal_new_scene made = make_of(&mesh, 1.0, &no_wish);
    TEST_ASSERT_EQUAL_STRING("liver", made.material);
    pal_new_scene_free(&made);
    pal_volmesh_free(&mesh);
    mesh = make_block(thin, 0.004, 1, false);
    made = make_of(&mesh, 1.0, &no_wish);
    TEST_ASSERT_TRUE(strcmp("liver", made.material) != 0);
    check_sensible(&made);
    pal_new_scene_free(&made);
    pal_volmesh_free(&mesh);
}

static void test_regions_are_listed_with_what_the_file_says_of_them(void) {
    const int32_t n[3] = {4, 4, 6};
    char *text;
    pal_err err = {0};
    pal_volmesh mesh = make_block(n, 0.02, 2, false);
    pal_new_scene made = make(write_mesh(variant_of(PAL_MESH_VEGA), &mesh), &no_wish);
    CHECK_OK(pal_new_scene_text(&made, check_scratch("made.yaml"), &text, &err), err);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, "- {name: \"soft\", material: {preset: liver}}"),
                                 text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, "- {name: \"hard\", material: {preset: liver}}"),
                                 text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, "young: 10000 Pa"), text);
    free(text);
    pal_new_scene_free(&made);
    pal_volmesh_free(&mesh);
}

static void check_refused(const char *path, const pal_new_wish *wish, const char *words) {
    pal_new_scene made;
    pal_err err = {0};
    TEST_ASSERT_TRUE(pal_new_scene_make(path, wish, NULL, &made, &err) != PAL_OK);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, words), err.text);
    TEST_ASSERT_NULL(made.file);
}

static void test_what_cannot_be_used_is_said(void) {
    char path[300];
    pal_surface surface = block_surface();
    snprintf(path, sizeof path, "%s", check_scratch("open.obj"));
    write_obj(path, &surface, surface.triangle_count - 2);
    pal_surface_free(&surface);
    check_refused(path, &no_wish, "the surface is open");
    check_refused(path, &no_wish, "close its holes");
    check_refused(check_scratch("nowhere.msh"), &no_wish, "nowhere.msh");
    pal_volmesh cube = check_cube_tets(1);
    snprintf(path, sizeof path, "%s", write_mesh(variant_of(PAL_MESH_MEDIT), &cube));
    pal_volmesh_free(&cube);
    check_refused(path, &no_wish, "too thin or too coarse");
    const int32_t n[3] = {4, 4, 4};
    pal_volmesh mesh = make_block(n, 0.02, 1, false);
    snprintf(path, sizeof path, "%s", write_mesh(variant_of(PAL_MESH_MEDIT), &mesh));
    pal_volmesh_free(&mesh);
    check_refused(path, &(pal_new_wish){.fixed = "z>9"}, "selects no vertex");
    check_refused(path, &(pal_new_wish){.fixed = "all"}, "nothing moves");
    check_refused(path, &(pal_new_wish){.fixed = "x<0.01 & y<0.01"}, "in line");
    check_refused(path, &(pal_new_wish){.unit = "ell"}, "there is no unit 'ell'");
    check_refused(path, &(pal_new_wish){.up = "w"}, "up is one of");
    check_refused(path, &(pal_new_wish){.material = "custard"}, "custard");
}

// A scene in another folder finds the mesh by a relative name.
static void test_the_mesh_is_named_as_seen_from_the_scene(void) {
    char top[300], folder[300], path[400], was[4096], *text;
    const int32_t n[3] = {4, 4, 6};
    pal_err err = {0};
    pal_volmesh mesh = make_block(n, 0.02, 1, false);
    snprintf(top, sizeof top, "%s", write_mesh(variant_of(PAL_MESH_MEDIT), &mesh));
    pal_volmesh_free(&mesh);
    *strrchr(top, '/') = '\0';
    snprintf(folder, sizeof folder, "%.250s/a", top);
    TEST_ASSERT_EQUAL_INT(0, mkdir(folder, 0700));
    snprintf(path, sizeof path, "%.300s/b", folder);
    TEST_ASSERT_EQUAL_INT(0, mkdir(path, 0700));
    TEST_ASSERT_NOT_NULL(getcwd(was, sizeof was));
    TEST_ASSERT_EQUAL_INT(0, chdir(folder));
    static const char *const from[] = {"../body.mesh", "../body.mesh", "../body.mesh"};
    static const char *const to[] = {"s.yaml", "b/s.yaml", "../s.yaml"};
    static const char *const named[] = {"\"../body.mesh\"", "\"../../body.mesh\"", "\"body.mesh\""};
    for (int i = 0; i < 3; i++) {
        pal_new_scene made = make(from[i], &no_wish);
        CHECK_OK(pal_new_scene_text(&made, to[i], &text, &err), err);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, named[i]), text);
        free(text);
        pal_new_scene_free(&made);
    }
    TEST_ASSERT_EQUAL_INT(0, chdir(was));
    rmdir(path);
    rmdir(folder);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_every_format_of_volume_meshes);
    RUN_TEST(test_every_format_of_surfaces);
    RUN_TEST(test_scaled_meshes_are_the_same_body);
    RUN_TEST(test_a_body_stands_on_its_flat_base);
    RUN_TEST(test_a_plate_of_one_layer_is_held_at_its_ends);
    RUN_TEST(test_each_piece_is_held);
    RUN_TEST(test_more_is_held_of_a_body_that_sways);
    RUN_TEST(test_a_slender_body_gets_a_harder_material);
    RUN_TEST(test_regions_are_listed_with_what_the_file_says_of_them);
    RUN_TEST(test_what_cannot_be_used_is_said);
    RUN_TEST(test_the_mesh_is_named_as_seen_from_the_scene);
    return UNITY_END();
}
