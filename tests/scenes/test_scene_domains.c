// Bodies of domains in scenes: what they make, and what is refused.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/domain_shapes.h"
#include "scenes/scene.h"
#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "sim/model/tree_joints.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
    pal_memory_fail_after(-1);
}

static const char head[] = "palpate: 1\nname: test\nbody:\n";       // 1-3
static const char strip[] = "  shape: {name: strip, size: 0.2 m}\n" // 4
                            "  voxels: 16\n"                        // 5
                            "  fixed: x<0.001\n"                    // 6
                            "  material: {young: 1 MPa, poisson: 0.3, density: 1000 kg/m3}\n";
static const char flower[] = "  shape: {name: flower, size: 0.4 m}\n" // 4
                             "  fixed: z<0.0001\n"                    // 5
                             "  material: {young: 1 MPa, poisson: 0.3, density: 1000 kg/m3}\n";
static const char vessels[] = "  shape: {name: vessels, size: 0.3 m}\n" // 4
                              "  material: {young: 1 MPa, poisson: 0.3, density: 1000 kg/m3}\n";

static char text[8192];

static const char *scene_of(const char *body, const char *rest) {
    snprintf(text, sizeof text, "%s%s%s", head, body, rest);
    return text;
}

static pal_status parse(const char *scene_text, pal_scene *scene, pal_err *err) {
    return pal_scene_parse(check_scratch("test.yaml"), scene_text, strlen(scene_text), scene, err);
}

static void check_refused(const char *scene_text, const char *part) {
    pal_scene scene;
    pal_err err = {0};
    pal_status status = parse(scene_text, &scene, &err);
    CHECK_FAILS(PAL_ERR_INPUT, part, status, err);
}

// The scene parses, and its tree cannot be made.
static void check_not_built(const char *scene_text, const char *part) {
    pal_scene scene;
    pal_scene_tree tree;
    pal_err err = {0};
    CHECK_OK(parse(scene_text, &scene, &err), err);
    pal_status status = pal_scene_tree_build(&scene, NULL, &tree, &err);
    CHECK_FAILS(PAL_ERR_INPUT, part, status, err);
    TEST_ASSERT_NULL(tree.class_);
    pal_scene_free(&scene);
}

static void build(const char *scene_text, pal_scene *scene, pal_scene_tree *tree) {
    pal_err err = {0};
    CHECK_OK(parse(scene_text, scene, &err), err);
    CHECK_OK(pal_scene_tree_build(scene, NULL, tree, &err), err);
}

static void drop(pal_scene *scene, pal_scene_tree *tree) {
    pal_scene_tree_free(tree);
    pal_scene_free(scene);
}

static void test_regions_of_a_shape_are_its_domains(void) {
    pal_scene scene;
    pal_scene_tree tree;
    build(scene_of(flower, "  domains: {modes: {total: 200, share: logarithmic}}\n"), &scene,
          &tree);
    TEST_ASSERT_TRUE(scene.has_domains);
    TEST_ASSERT_EQUAL_INT(12, tree.spec.domain_count);
    TEST_ASSERT_EQUAL_STRING("stem", tree.spec.domain_name[0]);
    TEST_ASSERT_FALSE(tree.spec.flies);
    int32_t modes = 0, most = 0, least = 1000;
    for (int32_t k = 0; k < tree.spec.class_count; k++) {
        int32_t r = tree.spec.class_[k].basis.size;
        modes += r;
        most = r > most ? r : most;
        least = r < least ? r : least;
        TEST_ASSERT_EQUAL_INT(1, tree.spec.class_[k].mesh->region_count);
    }
    TEST_ASSERT_EQUAL_INT(200, modes);
    TEST_ASSERT_TRUE(most > least);
    TEST_ASSERT_EQUAL_STRING("flower", pal_scene_domain_shape(&scene)->name);
    drop(&scene, &tree);
}

static void test_every_whole_shape_is_cut_into_a_tree_of_the_papers_depth(void) {
    const pal_domain_shape *shape;
    for (int i = 0; (shape = pal_domain_shape_at(i)) != NULL; i++) {
        pal_scene scene;
        pal_scene_tree tree;
        pal_err err = {0};
        CHECK_OK(pal_scene_read(shape->name, &scene, &err), err);
        CHECK_OK(pal_scene_tree_build(&scene, NULL, &tree, &err), err);
        int32_t depth = 0, modes = 0;
        for (int32_t d = 0; d < tree.spec.domain_count; d++) {
            int32_t above = 0;
            for (int32_t k = tree.spec.domain[d].parent; k >= 0; k = tree.spec.domain[k].parent) {
                above++;
            }
            depth = above > depth ? above : depth;
            modes += tree.spec.class_[tree.spec.domain[d].kind].basis.size;
        }
        if (shape->domains > 0) {
            TEST_ASSERT_EQUAL_INT_MESSAGE(shape->domains, tree.spec.domain_count, shape->name);
            TEST_ASSERT_EQUAL_INT_MESSAGE(shape->depth, depth, shape->name);
            TEST_ASSERT_EQUAL_INT_MESSAGE(shape->modes, modes, shape->name);
        }
        drop(&scene, &tree);
    }
}

static void test_domains_come_from_a_list_of_selectors(void) {
    pal_scene scene;
    pal_scene_tree tree;
    build(scene_of(strip, "  domains:\n"
                          "    list:\n"
                          "      - {name: base, where: all}\n"
                          "      - {name: tip, where: x>0.1}\n"
                          "    modes: {each: 7}\n"
                          "    rigid: [tip]\n"),
          &scene, &tree);
    TEST_ASSERT_EQUAL_INT(2, tree.spec.domain_count);
    TEST_ASSERT_EQUAL_STRING("base", tree.spec.domain_name[0]);
    TEST_ASSERT_EQUAL_INT(7, tree.spec.class_[tree.spec.domain[0].kind].basis.size);
    TEST_ASSERT_EQUAL_INT(0, tree.spec.class_[tree.spec.domain[1].kind].basis.size);
    drop(&scene, &tree);
}

static void test_domains_come_from_a_file(void) {
    pal_scene scene;
    pal_scene_tree tree;
    const char *file = "# two halves\nbase ; elements:0-5,6-9999\n";
    pal_err err = {0};
    CHECK_OK(pal_file_write_atomic(check_scratch("domains.txt"), file, strlen(file), &err), err);
    const char *rest = "  domains: {file: domains.txt}\n";
    check_not_built(scene_of(strip, rest), "domains.txt:2: there is no element 9999");
    file = "base ; all\ntip ; x>0.1 # half\n";
    CHECK_OK(pal_file_write_atomic(check_scratch("domains.txt"), file, strlen(file), &err), err);
    build(scene_of(strip, rest), &scene, &tree);
    TEST_ASSERT_EQUAL_INT(2, tree.spec.domain_count);
    TEST_ASSERT_EQUAL_STRING("tip", tree.spec.domain_name[1]);
    drop(&scene, &tree);
    static const char *const bad[][2] = {
        {"base all\n", "domains.txt:1: not a domain"},
        {" ; all\n", "a domain's name has"},
        {"base ; x>>1\n", "domains.txt:1:"},
        {"base ; elements:3-1\n", "is no list of elements"},
        {"base ; elements:0-3\n", "elements are in no domain"},
        {"base ; all\ntip ; x>5\n", "no element is selected for the domain 'tip'"},
        {"# nothing\n", "names no domain"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_OK(
            pal_file_write_atomic(check_scratch("domains.txt"), bad[i][0], strlen(bad[i][0]), &err),
            err);
        check_not_built(scene_of(strip, rest), bad[i][1]);
    }
}

static void test_domains_are_cut_by_the_program(void) {
    pal_scene scene;
    pal_scene_tree tree;
    build(scene_of(strip, "  domains: {auto: 4, cut: axis}\n"), &scene, &tree);
    TEST_ASSERT_EQUAL_INT(4, tree.spec.domain_count);
    drop(&scene, &tree);
}

static void test_classes_have_their_own_modes_and_materials(void) {
    pal_scene scene;
    pal_scene_tree tree;
    build(scene_of(vessels,
                   "  regions:\n"
                   "    - {name: tip, material: {young: 2 MPa, poisson: 0.3, density: 900 kg/m3}}\n"
                   "  domains: {rigid: [trunk], boundary: false}\n"),
          &scene, &tree);
    TEST_ASSERT_EQUAL_INT(127, tree.spec.domain_count);
    TEST_ASSERT_EQUAL_INT(0, tree.spec.class_[0].basis.size);
    TEST_ASSERT_EQUAL_INT(20, tree.spec.class_[1].basis.size);
    TEST_ASSERT_EQUAL_INT(12, tree.spec.class_[2].basis.size);
    TEST_ASSERT_EQUAL_INT(PAL_BASIS_DERIVATIVES, tree.spec.class_[1].basis.kind);
    TEST_ASSERT_TRUE(tree.spec.class_[1].material->young == 1e6);
    TEST_ASSERT_TRUE(tree.spec.class_[2].material->young == 2e6);
    drop(&scene, &tree);
}

static void test_how_it_moves_becomes_numbers_in_si(void) {
    pal_scene scene;
    pal_err err = {0};
    CHECK_OK(parse(scene_of(vessels, "  domains: {boundary: true}\n"
                                     "tree: {inertia: centre}\n"
                                     "gravity: [0 m/s2, 0 m/s2, -9.81 m/s2]\n"
                                     "wind: {speed: 5 m/s, gust: 2 m/s, direction: [0, 2, 0]}\n"),
                   &scene, &err),
             err);
    TEST_ASSERT_EQUAL_INT(PAL_SCENE_INERTIA_CENTRE, scene.motion.inertia);
    TEST_ASSERT_TRUE(scene.motion.gravity[2] == -9.81);
    TEST_ASSERT_TRUE(scene.motion.wind_speed == 5.0 && scene.motion.wind_gust == 2.0);
    TEST_ASSERT_TRUE(scene.motion.wind_direction[1] == 1.0);
    TEST_ASSERT_TRUE(scene.motion.wind_period == 3.0);
    pal_scene_free(&scene);
}

static void test_bad_domains_are_errors_with_the_line(void) {
    check_refused(scene_of(strip, "  domains: {boundary: true}\n"), "has no regions");
    check_refused(scene_of(strip, "  domains: {auto: 4, file: x.txt}\n"), "test.yaml:8: domains: ");
    check_refused(scene_of(strip, "  domains: {file: none.txt}\n"), "cannot read the file");
    check_refused(scene_of(strip, "  domains: {auto: 0}\n"), "auto: 0 is outside 1 to 10000");
    check_refused(scene_of(strip, "  domains: {auto: 4, surprise: 1}\n"), "surprise");
    check_refused(scene_of(strip, "  domains: {auto: 4}\nbasis: {modes: 4}\n"),
                  "test.yaml:9: basis: a body of domains");
    check_refused(scene_of(strip, "  domains: {auto: 4}\n  touch: x<1\n"), "touch: is for a body");
    check_refused(scene_of(strip, "  domains: {list: [{name: a, where: x<<1}]}\n"), "where: ");
    check_refused(scene_of(strip, "  domains: {list: [{name: a, where: all}, {name: a, where: "
                                  "x<1}]}\n"),
                  "'a' is the name of another domain");
    check_refused(scene_of(strip, "  domains: {auto: 4, modes: {each: 4, total: 9}}\n"),
                  "write {each: 20}");
    check_refused(scene_of(strip, "  domains: {auto: 4, modes: {each: 65}}\n"),
                  "65 is outside 1 to 64");
    check_refused(scene_of(strip, "  domains: {auto: 4, modes: {each: 5, share: logarithmic}}\n"),
                  "only a total is shared");
    check_refused(scene_of(strip, "  domains: {auto: 4, modes: {total: 50, share: even}}\n"),
                  "share");
    check_refused(scene_of(flower, "  voxels: 20\n  domains: {boundary: true}\n"),
                  "a mesh is used as it is");
    check_refused(scene_of(vessels, ""), "'vessels' is a body of domains");
    check_refused(scene_of(vessels, "  domains: {auto: 3}\n"), "classes and instances already");
    check_refused(scene_of(vessels, "  fixed: z<1\n  domains: {boundary: true}\n"),
                  "held where its shape says");
    check_refused(scene_of(vessels, "  domains: {modes: {total: 400}}\n"),
                  "the instances of a class have the same modes");
    check_refused(scene_of(vessels, "  domains: {root: trunk}\n"), "has its root");
    check_not_built(scene_of(flower, "  domains: {root: moon}\n"), "there is no domain");
    check_not_built(scene_of(flower, "  domains: {rigid: [moon]}\n"),
                    "body.domains.rigid.0: there is no 'moon'");
    check_not_built(scene_of(flower, "  domains: {modes: {total: 3}}\n"), "body.domains.modes");
    check_not_built(scene_of(vessels, "  domains: {boundary: true}\n"
                                      "  regions: [{name: moon, material: {preset: liver}}]\n"),
                    "its classes, as a whole: trunk, fork, tip");
}

static void test_graphs_that_are_no_tree_are_errors(void) {
    // four quarters about the middle of a strip: a loop, and a vertex that all share
    check_not_built(scene_of(strip, "  domains:\n"
                                    "    list:\n"
                                    "      - {name: a, where: all}\n"
                                    "      - {name: b, where: x>0.1 & y<0.025}\n"
                                    "      - {name: c, where: x>0.1 & y>0.025}\n"
                                    "      - {name: d, where: x<0.1 & y>0.025}\n"),
                    "test.yaml:9: body.domains: the domains form a loop");
    // one domain in two pieces
    check_not_built(scene_of(strip, "  domains:\n"
                                    "    list:\n"
                                    "      - {name: a, where: all}\n"
                                    "      - {name: b, where: x>0.08 & x<0.12}\n"),
                    "'a'");
}

static void test_bad_motion_is_an_error_with_the_line(void) {
    const char *plain = "palpate: 1\nname: test\nbody:\n  shape: {name: liver, size: 0.2 m}\n"
                        "  voxels: 10\n  fixed: y>0.08\n  material: {preset: liver}\n";
    snprintf(text, sizeof text, "%sgravity: [0 m/s2, 0 m/s2, 1 m/s2]\n", plain);
    check_refused(text, "test.yaml:8: gravity: is for a body of domains");
    const char *rest = "  domains: {boundary: true}\n%s";
    static const char *const bad[][2] = {
        {"gravity: [0 m/s2, 0 m/s2, 9 m/s]\n", "gravity: "},
        {"gravity: [0 m/s2, 0 m/s2]\n", "gravity"},
        {"wind: {speed: 5 m/s, direction: [0, 0, 0]}\n", "not all 0"},
        {"wind: {speed: -5 m/s, direction: [0, 0, 1]}\n", "below 0"},
        {"wind: {speed: 5 m/s}\n", "direction"},
        {"wind: {speed: 5 m/s, direction: [0, 0, 1], period: 0 s}\n", "above 0"},
        {"tree: {inertia: heavy}\n", "heavy"},
        {"tree: {frequency: [{domain: tip, factor: 0}]}\n", "factor: 0 is outside 0.01 to 100"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char end[300];
        snprintf(end, sizeof end, rest, bad[i][0]);
        check_refused(scene_of(vessels, end), bad[i][1]);
    }
}

// ---- models

static void test_a_model_is_baked_once_and_its_frequencies_are_set_every_time(void) {
    setenv("PALPATE_CACHE", check_scratch("cache"), 1);
    const char *domains = "  domains: {auto: 3, cut: axis, modes: {each: 6}}\nlocal: {way: none}\n";
    char more[300];
    pal_scene scene;
    pal_tree_model first, second;
    pal_class_times *times;
    bool cached;
    pal_err err = {0};
    CHECK_OK(parse(scene_of(strip, domains), &scene, &err), err);
    CHECK_OK(pal_scene_tree_model(&scene, false, NULL, &first, &times, &cached, &err), err);
    TEST_ASSERT_FALSE(cached);
    TEST_ASSERT_NOT_NULL(times);
    TEST_ASSERT_EQUAL_STRING("", scene.note);
    free(times);
    pal_scene_free(&scene);
    // how it moves does not cost a bake
    snprintf(more, sizeof more, "%stree: {frequency: [{domain: domain *, factor: 0.5}]}\n",
             domains);
    CHECK_OK(parse(scene_of(strip, more), &scene, &err), err);
    CHECK_OK(pal_scene_tree_model(&scene, false, NULL, &second, &times, &cached, &err), err);
    TEST_ASSERT_TRUE(cached);
    TEST_ASSERT_NULL(times);
    TEST_ASSERT_EQUAL_STRING(first.hash, second.hash);
    for (int32_t d = 0; d < second.domain_count; d++) {
        TEST_ASSERT_TRUE(first.domain[d].stiffness == 1.0);
        TEST_ASSERT_TRUE(second.domain[d].stiffness == 0.25);
    }
    pal_tree_model_free(&second);
    pal_scene_free(&scene);
    snprintf(more, sizeof more, "%stree: {frequency: [{domain: moon, factor: 0.5}]}\n", domains);
    CHECK_OK(parse(scene_of(strip, more), &scene, &err), err);
    pal_status status = pal_scene_tree_model(&scene, false, NULL, &second, NULL, NULL, &err);
    CHECK_FAILS(PAL_ERR_INPUT, "there is no domain 'moon'", status, err);
    pal_scene_free(&scene);
    pal_tree_model_free(&first);
}

// Of the strip in three, the last one as many times as stiff.
static void open_joined(double stiffness, pal_tree_model *model, bool *cached) {
    char more[300];
    pal_scene scene;
    pal_err err = {0};
    snprintf(more, sizeof more,
             "  domains: {auto: 3, cut: axis, modes: {each: 6}}\n"
             "tree: {frequency: [{domain: domain 2, factor: %.17g}]}\n",
             sqrt(stiffness));
    CHECK_OK(parse(scene_of(strip, more), &scene, &err), err);
    CHECK_OK(pal_scene_tree_model(&scene, false, NULL, model, NULL, cached, &err), err);
    TEST_ASSERT_EQUAL_STRING("", scene.note);
    TEST_ASSERT_EQUAL_INT(2, model->joints.count);
    TEST_ASSERT_TRUE(pal_tree_joints_fit(model));
    pal_scene_free(&scene);
}

// A bake makes joints for the frequencies of the scene; for others they are made anew, and kept.
static void test_joints_are_kept_for_the_frequencies_of_the_scene(void) {
    setenv("PALPATE_CACHE", check_scratch("joints"), 1);
    pal_tree_model first, second, third;
    bool cached;
    open_joined(1.0, &first, &cached);
    TEST_ASSERT_FALSE(cached);
    open_joined(0.25, &second, &cached);
    TEST_ASSERT_TRUE(cached);
    open_joined(0.25, &third, &cached);
    TEST_ASSERT_TRUE(cached);
    TEST_ASSERT_EQUAL_STRING(second.hash, third.hash);
    bool same = true, other = false;
    for (int32_t k = 0; k < 2; k++) {
        const pal_joint *a = &first.joints.item[k], *b = &second.joints.item[k];
        const size_t bytes = 3 * (size_t)b->count * (size_t)b->stride * sizeof *b->d;
        same = same && memcmp(b->d, third.joints.item[k].d, bytes) == 0;
        other = other || a->count != b->count || memcmp(a->d, b->d, bytes) != 0;
    }
    TEST_ASSERT_TRUE(same);
    TEST_ASSERT_TRUE(other);
    pal_tree_model_free(&first);
    pal_tree_model_free(&second);
    pal_tree_model_free(&third);
}

static void test_a_plain_scene_has_no_tree(void) {
    pal_scene scene;
    pal_scene_tree tree;
    pal_err err = {0};
    CHECK_OK(parse(scene_of(strip, ""), &scene, &err), err);
    pal_status status = pal_scene_tree_build(&scene, NULL, &tree, &err);
    CHECK_FAILS(PAL_ERR_USAGE, "has no domains", status, err);
    pal_scene_free(&scene);
    pal_scene_body body;
    CHECK_OK(parse(scene_of(vessels, "  domains: {boundary: true}\n"), &scene, &err), err);
    status = pal_scene_build(&scene, NULL, &body, &err);
    CHECK_FAILS(PAL_ERR_USAGE, "no mesh of the whole", status, err);
    pal_scene_free(&scene);
}

static void test_running_out_of_memory_is_told_and_leaks_nothing(void) {
    pal_scene scene;
    pal_scene_tree tree;
    pal_err err = {0};
    CHECK_OK(parse(scene_of(flower, "  domains: {boundary: true}\n"), &scene, &err), err);
    bool done = false;
    for (long successes = 0; !done; successes += 1 + successes / 12) {
        pal_memory_fail_after(successes);
        pal_status status = pal_scene_tree_build(&scene, NULL, &tree, &err);
        pal_memory_fail_after(-1);
        done = status == PAL_OK;
        TEST_ASSERT_TRUE_MESSAGE(done || status == PAL_ERR_MEMORY, err.text);
    }
    drop(&scene, &tree);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_regions_of_a_shape_are_its_domains);
    RUN_TEST(test_every_whole_shape_is_cut_into_a_tree_of_the_papers_depth);
    RUN_TEST(test_domains_come_from_a_list_of_selectors);
    RUN_TEST(test_domains_come_from_a_file);
    RUN_TEST(test_domains_are_cut_by_the_program);
    RUN_TEST(test_classes_have_their_own_modes_and_materials);
    RUN_TEST(test_how_it_moves_becomes_numbers_in_si);
    RUN_TEST(test_bad_domains_are_errors_with_the_line);
    RUN_TEST(test_graphs_that_are_no_tree_are_errors);
    RUN_TEST(test_bad_motion_is_an_error_with_the_line);
    RUN_TEST(test_a_model_is_baked_once_and_its_frequencies_are_set_every_time);
    RUN_TEST(test_joints_are_kept_for_the_frequencies_of_the_scene);
    RUN_TEST(test_a_plain_scene_has_no_tree);
    RUN_TEST(test_running_out_of_memory_is_told_and_leaks_nothing);
    return UNITY_END();
}
