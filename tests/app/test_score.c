// A hidden nodule is felt because the body is stiffer there: the same search of the same block
// without contrast, with the nodule elsewhere, and against full finite elements; and the score.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/score.h"
#include "sim/base/file.h"
#include "sim/fem/indent.h"
#include "sim/mesh/embed_build.h"
#include "tests/support/check.h"
#include "tests/support/program.h"
#include "tests/support/sanitized.h"

#define SPEED SANITIZED_TEXT("60 mm/s", "30 mm/s")

enum { SOFT_KPA = 12, STIFF_KPA = 36, SEED = 11, OTHER_SEED = 1 };
static const double tool_radius = 8e-3;  // m
static const double top = 0.399 * 55e-3; // m, as the block is drawn

// A small block, searched line by line; then a press on (x, y), which is marked.
static const char scene_text[] =
    "palpate: 1\nname: small\n"                                             // 1, 2
    "body:\n"                                                               // 3
    "  shape: {name: block, size: 55 mm}\n  voxels: 20\n  fixed: z<0.001\n" // 4 to 6
    "  touch: z>0.021 & x>0.008 & x<0.047 & y>0.009 & y<0.035\n"            // 7
    "  material: {young: 12 kPa, poisson: 0.45, density: 1060 kg/m3}\n"     // 8
    "  hidden:\n"                                                           // 9
    "    name: nodule\n    diameter: 10 mm\n"                               // 10, 11
    "    low: [19 mm, 19 mm, 15.5 mm]\n"                                    // 12
    "    high: [36 mm, 25 mm, 15.5 mm]\n"                                   // 13
    "    seed: %d\n"                                                        // 14
    "    material: {young: %d kPa, poisson: 0.45, density: 1060 kg/m3}\n"   // 15
    "  damping: {mass: 0.5 1/s, stiffness: 1 ms}\n"
    "basis: {kind: modes, modes: 4}\nlocal: {way: exact}\n"
    "device: {profile: touch, grip: firm, friction: 0 N}\n"
    "tool: {radius: 8 mm, grasp: 0 N/m}\n"
    "probe:\n"
    "  - {move: [14.5 mm, 15.5 mm, 31 mm], seconds: 0.2 s}\n"
    "  - {press: [14.5 mm, 15.5 mm, 25.3 mm], seconds: 0.4 s}\n"
    "  - {slide: [40.5 mm, 15.5 mm, 25.3 mm], speed: " SPEED "}\n"
    "  - {slide: [40.5 mm, 22 mm, 25.3 mm], speed: " SPEED "}\n"
    "  - {slide: [14.5 mm, 22 mm, 25.3 mm], speed: " SPEED "}\n"
    "  - {slide: [14.5 mm, 28.5 mm, 25.3 mm], speed: " SPEED "}\n"
    "  - {slide: [40.5 mm, 28.5 mm, 25.3 mm], speed: " SPEED "}\n"
    "  - {move: [%.4f mm, %.4f mm, 33 mm], seconds: 0.3 s}\n"
    "  - {press: [%.4f mm, %.4f mm, 25.3 mm], seconds: 0.4 s%s}\n"
    "  - {hold: 0.3 s%s}\n";

typedef struct search {
    char yaml[256], trace[256];
    pal_score_result score;
    double force, depth; // N, m: at the end of the hold
} search;

static search stiff, plain, moved;        // run once
static const double element = 55e-3 / 20; // m
static double pressed[2];                 // m, the vertex nearest to the nodule of the first

static void write_scene(search *s, const char *name, int seed, int young, const double at[2],
                        bool mark) {
    static char text[4096];
    const char *key = mark ? ", mark: true" : "";
    const double x = 1e3 * at[0], y = 1e3 * at[1];
    pal_err err = {0};
    char file[64];
    snprintf(text, sizeof text, scene_text, seed, young, x, y, x, y, "", key);
    snprintf(file, sizeof file, "%s.yaml", name);
    snprintf(s->yaml, sizeof s->yaml, "%s", check_scratch(file));
    CHECK_OK(pal_file_write_atomic(s->yaml, text, strlen(text), &err), err);
    snprintf(file, sizeof file, "%s.h5", name);
    snprintf(s->trace, sizeof s->trace, "%s", check_scratch(file));
}

static void read_hold(search *s) {
    pal_trace_data trace;
    pal_err err = {0};
    CHECK_OK(pal_trace_read(s->trace, &trace, &err), err);
    for (int64_t k = trace.count - 100; k < trace.count; k++) {
        s->force += trace.record[k].force[2] / 100.0;
        s->depth += (top - (trace.record[k].tool[2] - tool_radius)) / 100.0;
    }
    pal_trace_data_free(&trace);
}

static void run_search(search *s, const char *name, int seed, int young, const double at[2],
                       bool mark) {
    pal_err err = {0};
    write_scene(s, name, seed, young, at, mark);
    program_run("run '%s' --virtual --trace '%s'", s->yaml, s->trace);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    CHECK_OK(pal_score_trace(s->trace, 0.2, NULL, &s->score, &err), err);
    read_hold(s);
}

void setUp(void) {
    if (stiff.trace[0] != '\0') {
        return;
    }
    check_use_cache();
    pal_scene scene;
    pal_err err = {0};
    search first = {0};
    write_scene(&first, "first", SEED, STIFF_KPA, (const double[]){0.02, 0.02}, false);
    CHECK_OK(pal_scene_read(first.yaml, &scene, &err), err);
    for (int c = 0; c < 2; c++) {
        pressed[c] = element * round(scene.hidden.place[c] / element);
    }
    run_search(&stiff, "stiff", SEED, STIFF_KPA, pressed, true);
    run_search(&plain, "plain", SEED, SOFT_KPA, pressed, false);
    run_search(&moved, "moved", OTHER_SEED, STIFF_KPA, pressed, false);
    pal_scene_free(&scene);
}
void tearDown(void) {
}

static double apart(const double a[2], const double b[2]) {
    return hypot(a[0] - b[0], a[1] - b[1]);
}

static void test_the_nodule_is_felt_above_the_threshold_and_found(void) {
    const pal_score_result *r = &stiff.score;
    TEST_ASSERT_TRUE(r->on_ticks > 100 && r->around_ticks > 100);
    TEST_ASSERT_TRUE(r->force_jnds > 1.5);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, (r->on / r->around - 1.0) / 0.07, r->force_jnds);
    TEST_ASSERT_TRUE(r->found && r->by == PAL_FOUND_MARK && r->distance < 2.2e-3);
    TEST_ASSERT_TRUE(r->coverage > 0.99);
}

static void test_without_contrast_nothing_is_felt(void) {
    const pal_score_result *r = &plain.score;
    TEST_ASSERT_TRUE(memcmp(r->truth.place, stiff.score.truth.place, sizeof r->truth.place) == 0);
    TEST_ASSERT_TRUE(fabs(r->force_jnds) < 0.7);
    TEST_ASSERT_TRUE(!r->found && r->by == PAL_FOUND_NOTHING);
    TEST_ASSERT_TRUE(stiff.score.force_jnds > fabs(r->force_jnds) + 1.0);
}

// Where the map of forces is highest.
static void hardest(const pal_score_map *map, double at[2]) {
    int64_t best = 0;
    for (int64_t k = 0; k < (int64_t)map->width * map->height; k++) {
        best = map->force[k] > map->force[best] || isnan(map->force[best]) ? k : best;
    }
    at[0] = map->low[0] + ((double)(best % map->width) + 0.5) * map->cell;
    at[1] = map->low[1] + ((double)(best / map->width) + 0.5) * map->cell;
}

static void test_with_another_seed_place_and_map_move_together(void) {
    double here[2], there[2];
    TEST_ASSERT_TRUE(apart(stiff.score.truth.place, moved.score.truth.place) > 5e-3);
    hardest(&stiff.score.map, here);
    hardest(&moved.score.map, there);
    TEST_ASSERT_TRUE(apart(here, stiff.score.truth.place) < 4e-3);
    TEST_ASSERT_TRUE(apart(there, moved.score.truth.place) < 4e-3);
    // Nobody marked it: the hardest place is the answer, and the right one
    TEST_ASSERT_TRUE(moved.score.found && moved.score.by == PAL_FOUND_FELT);
    TEST_ASSERT_TRUE(apart(moved.score.guess, there) < 1e-9);
}

// ---- the truth: the full linear body, kept out of the ball at the points of its drawn surface,
// which are finer than its elements. At the vertices alone (pal_indent_linear) elements of 2.75 mm
// let the ball in between them: that force is 10 % below the one felt, this one 5 % above.

enum { MOST_POINTS = 400, MOST_VERTICES = 400 };

typedef struct patch {
    int32_t count, vertex_count;
    int32_t point[MOST_POINTS];    // of the surface, under the ball
    int32_t vertex[MOST_VERTICES]; // of the mesh, that carry them
    double x[MOST_POINTS][3];
    double share[MOST_POINTS][MOST_VERTICES];
} patch;

static int32_t index_of(patch *p, int32_t vertex) {
    int32_t k = 0;
    while (k < p->vertex_count && p->vertex[k] != vertex) {
        k++;
    }
    TEST_ASSERT_TRUE(k < MOST_VERTICES);
    p->vertex[k] = vertex;
    p->vertex_count += k == p->vertex_count;
    return k;
}

static void take_patch(const pal_scene_body *body, patch *p) {
    pal_embedding e;
    pal_err err = {0};
    CHECK_OK(pal_embedding_build(&body->mesh, body->surface.x, body->surface.vertex_count, &e, NULL,
                                 &err),
             err);
    for (int32_t v = 0; v < e.point_count; v++) {
        const double *x = body->surface.x + 3 * (int64_t)v;
        if (apart(x, pressed) > 7e-3 || x[2] < top - 1e-4) {
            continue;
        }
        TEST_ASSERT_TRUE(p->count < MOST_POINTS);
        memcpy(p->x[p->count], x, sizeof p->x[0]);
        for (int64_t k = (int64_t)v * e.nodes; k < (int64_t)(v + 1) * e.nodes; k++) {
            p->share[p->count][index_of(p, e.vertex[k])] += e.weight[k];
        }
        p->count++;
    }
    pal_embedding_free(&e);
}

// w [3 count][3 count] of the points, and the thin layer on top, of the tool's stiffness.
static void patch_compliance(pal_fem *fem, const patch *p, double *w) {
    const int64_t n = p->count, m = p->vertex_count;
    const double side = tool_radius / 3.0, area = M_PI * 7e-3 * 7e-3 / (double)n;
    double *of_vertices = calloc((size_t)(9 * m * m), sizeof(double));
    double *half = calloc((size_t)(9 * n * m), sizeof(double));
    pal_err err = {0};
    CHECK_OK(pal_indent_compliance(fem, p->vertex_count, p->vertex, of_vertices, &err), err);
    for (int64_t i = 0; i < 3 * n; i++) {
        for (int64_t k = 0; k < m; k++) {
            for (int64_t c = 0; c < 3 * m; c++) {
                half[i * 3 * m + c] +=
                    p->share[i / 3][k] * of_vertices[(3 * k + i % 3) * 3 * m + c];
            }
        }
    }
    for (int64_t i = 0; i < 3 * n; i++) {
        for (int64_t j = 0; j < 3 * n; j++) {
            for (int64_t k = 0; k < m; k++) {
                w[i * 3 * n + j] += p->share[j / 3][k] * half[i * 3 * m + 3 * k + j % 3];
            }
        }
        w[i * 3 * n + i] += side * side / (2800.0 * area);
    }
    free(of_vertices);
    free(half);
}

// The ball of the search on the full body, as deep as the hand held it, N.
static double full_force(const search *s) {
    pal_scene scene;
    pal_scene_body body;
    pal_fem fem;
    pal_err err = {0};
    CHECK_OK(pal_scene_read(s->yaml, &scene, &err), err);
    CHECK_OK(pal_scene_build(&scene, NULL, &body, &err), err);
    CHECK_OK(pal_fem_init(&fem, &body.mesh, body.material, body.held, scene.mass_kind, &err), err);
    patch *p = calloc(1, sizeof *p);
    take_patch(&body, p);
    double *w = calloc(9 * (size_t)p->count * (size_t)p->count, sizeof(double));
    patch_compliance(&fem, p, w);
    const pal_indent_spec spec = {.at = {pressed[0], pressed[1], top},
                                  .axis = {0.0, 0.0, -1.0},
                                  .radius = tool_radius,
                                  .count = 1,
                                  .depth = &s->depth};
    pal_indent_result result;
    CHECK_OK(pal_indent_points(p->count, &p->x[0][0], w, &spec, &result, &err), err);
    free(p);
    free(w);
    pal_fem_free(&fem);
    pal_scene_body_free(&body);
    pal_scene_free(&scene);
    return result.force;
}

static void check_full(const char *name, double force, double full) {
    char message[128];
    snprintf(message, sizeof message, "%s: %.4f N, full elements %.4f N", name, force, full);
    TEST_ASSERT_TRUE_MESSAGE(fabs(force / full - 1.0) < PAL_FORCE_JND, message);
}

static void test_the_force_over_the_nodule_is_that_of_full_elements(void) {
    const double with = full_force(&stiff), without = full_force(&plain);
    check_full("nodule", stiff.force, with);
    check_full("no nodule", plain.force, without);
    const double felt = stiff.force * pow(plain.depth / stiff.depth, 1.5) / plain.force;
    const double true_ratio = with * pow(plain.depth / stiff.depth, 1.5) / without;
    TEST_ASSERT_TRUE(true_ratio > 1.0 + PAL_FORCE_JND);
    TEST_ASSERT_DOUBLE_WITHIN(0.5 * PAL_FORCE_JND * true_ratio, true_ratio, felt);
}

static void test_the_command_tells_the_same_and_draws(void) {
    char picture[256];
    snprintf(picture, sizeof picture, "%s", check_scratch("map.png"));
    program_run("score '%s' --json --picture '%s'", stiff.trace, picture);
    cJSON *root = program_json();
    TEST_ASSERT_TRUE(cJSON_IsTrue(cJSON_GetObjectItem(root, "found")));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, stiff.score.force_jnds, program_number(root, "force_jnds"));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, stiff.score.coverage, program_number(root, "coverage"));
    TEST_ASSERT_TRUE(program_number(root, "path_m") > 0.09);
    TEST_ASSERT_TRUE(program_number(root, "contact_path_m") < program_number(root, "path_m"));
    TEST_ASSERT_TRUE(program_number(root, "peak_force_n") >= stiff.force);
    cJSON_Delete(root);
    char *data;
    size_t size;
    pal_err err = {0};
    CHECK_OK(pal_file_read(picture, &data, &size, &err), err);
    TEST_ASSERT_TRUE(size > 1000 && memcmp(data, "\x89PNG", 4) == 0);
    free(data);
    program_run("score '%s'", plain.trace);
    TEST_ASSERT_TRUE(strstr(program.out, "not found: nothing was marked") != NULL);
}

static void test_hiding_elsewhere_by_the_command_is_the_other_scene(void) {
    char other[256];
    pal_score_result score;
    pal_err err = {0};
    snprintf(other, sizeof other, "%s", check_scratch("hide.h5"));
    program_run("run '%s' --virtual --hide %d --seconds 2 --trace '%s'", stiff.yaml, OTHER_SEED,
                other);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    CHECK_OK(pal_score_trace(other, 0.2, NULL, &score, &err), err);
    TEST_ASSERT_TRUE(memcmp(score.truth.place, moved.score.truth.place, sizeof(double[3])) == 0);
    pal_score_free(&score);
    program_run("run wall --virtual --hide 1 --seconds 0.1");
    program_fails(2, "the scene 'wall' hides nothing");
    program_run("info '%s' --json", stiff.yaml);
    TEST_ASSERT_TRUE(strstr(program.out, "centre_m") == NULL);
    program_run("info '%s' --json --reveal", stiff.yaml);
    TEST_ASSERT_TRUE(strstr(program.out, "centre_m") != NULL);
}

static void test_what_cannot_be_scored_is_refused(void) {
    char path[256];
    program_run("score '%s'", stiff.yaml);
    program_fails(1, "is no trace; make one by");
    snprintf(path, sizeof path, "%s", check_scratch("none.h5"));
    program_run("score '%s'", path);
    program_fails(1, "none.h5");
    snprintf(path, sizeof path, "%s", check_scratch("wall.h5"));
    program_run("run wall --virtual --seconds 0.2 --trace '%s'", path);
    program_run("score '%s'", path);
    program_fails(1, "nothing is hidden in its scene 'wall'");
    static const char two[] = "palpate: 1\nname: two\nwall: {height: 0 m, stiffness: 300 N/m}\n"
                              "hands:\n  - {}\n  - {}\n";
    char yaml[256];
    pal_err err = {0};
    snprintf(yaml, sizeof yaml, "%s", check_scratch("two.yaml"));
    snprintf(path, sizeof path, "%s", check_scratch("two.h5"));
    CHECK_OK(pal_file_write_atomic(yaml, two, strlen(two), &err), err);
    program_run("run '%s' --virtual --seconds 0.1 --trace '%s'", yaml, path);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    program_run("score '%s'", path);
    program_fails(1, "a trace of 2 hands; a search is scored for one hand");
    snprintf(path, sizeof path, "%s", check_scratch("short.h5"));
    program_run("run '%s' --virtual --seconds 0.1 --trace '%s'", stiff.yaml, path);
    program_run("score '%s' --quiet", path);
    program_fails(1, "nowhere pressed with 0.2 N");
    char *data;
    size_t size;
    CHECK_OK(pal_file_read(stiff.trace, &data, &size, &err), err);
    snprintf(path, sizeof path, "%s", check_scratch("cut.h5"));
    CHECK_OK(pal_file_write_atomic(path, data, size / 2, &err), err);
    free(data);
    program_run("score '%s'", path);
    TEST_ASSERT_EQUAL_INT(1, program.code);
    TEST_ASSERT_TRUE(strstr(program.errors, "cut.h5") != NULL);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_nodule_is_felt_above_the_threshold_and_found);
    RUN_TEST(test_without_contrast_nothing_is_felt);
    RUN_TEST(test_with_another_seed_place_and_map_move_together);
    RUN_TEST(test_the_force_over_the_nodule_is_that_of_full_elements);
    RUN_TEST(test_the_command_tells_the_same_and_draws);
    RUN_TEST(test_hiding_elsewhere_by_the_command_is_the_other_scene);
    RUN_TEST(test_what_cannot_be_scored_is_refused);
    pal_score_free(&stiff.score);
    pal_score_free(&plain.score);
    pal_score_free(&moved.score);
    return UNITY_END();
}
