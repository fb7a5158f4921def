#include "sim/mesh/select.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "tests/support/check.h"
#include "tests/support/random.h"
#include "tests/support/shapes.h"

enum { N = 4, VERTICES = (N + 1) * (N + 1) * (N + 1), ELEMENTS = 6 * N * N * N };

static pal_volmesh mesh; // the unit cube in tets, upper half "left lobe"
static pal_err err;

void setUp(void) {
    shape_box(&mesh, PAL_TET4, N, N, N, (double[3]){1.0, 1.0, 1.0});
    pal_region *regions = PAL_NEW(pal_region, 2, &err);
    TEST_ASSERT_NOT_NULL(regions);
    snprintf(regions[0].name, sizeof regions[0].name, "body");
    snprintf(regions[1].name, sizeof regions[1].name, "left lobe");
    free(mesh.regions);
    mesh.regions = regions;
    mesh.region_count = 2;
    for (int e = 0; e < ELEMENTS; e++) {
        mesh.region[e] = e >= ELEMENTS / 2;
    }
}

void tearDown(void) {
    pal_memory_fail_after(-1);
    pal_volmesh_free(&mesh);
}

typedef bool (*law)(int32_t v);

static double x_of(int32_t v, int c) {
    return mesh.x[3 * v + c];
}

// The selector must select exactly the vertices for which the law holds.
static void assert_selects(const char *selector, law holds) {
    uint8_t selected[VERTICES];
    int32_t count, expected = 0;
    CHECK_OK(pal_select_check(selector, &err), err);
    CHECK_OK(pal_select_vertices(&mesh, selector, selected, &count, &err), err);
    for (int32_t v = 0; v < VERTICES; v++) {
        TEST_ASSERT_EQUAL_INT_MESSAGE(holds(v), selected[v], selector);
        expected += holds(v);
    }
    TEST_ASSERT_EQUAL_INT(expected, count);
}

static void assert_same(const char *a, const char *b) {
    uint8_t p[ELEMENTS], q[ELEMENTS];
    CHECK_OK(pal_select_vertices(&mesh, a, p, NULL, &err), err);
    CHECK_OK(pal_select_vertices(&mesh, b, q, NULL, &err), err);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, memcmp(p, q, VERTICES), a);
    CHECK_OK(pal_select_elements(&mesh, a, p, NULL, &err), err);
    CHECK_OK(pal_select_elements(&mesh, b, q, NULL, &err), err);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, memcmp(p, q, ELEMENTS), a);
}

static bool every(int32_t v) {
    (void)v;
    return true;
}
static bool no(int32_t v) {
    (void)v;
    return false;
}
static bool x_less(int32_t v) {
    return x_of(v, 0) < 0.25;
}
static bool x_up_to(int32_t v) {
    return x_of(v, 0) <= 0.25;
}
static bool y_more(int32_t v) {
    return x_of(v, 1) > 0.5;
}
static bool y_from(int32_t v) {
    return x_of(v, 1) >= 0.5;
}
static bool z_at(int32_t v) {
    return x_of(v, 2) == 0.75;
}
static bool near_corner(int32_t v) {
    return hypot(hypot(x_of(v, 0) - 1.0, x_of(v, 1)), x_of(v, 2)) <= 0.5;
}
static bool on_surface(int32_t v) {
    for (int c = 0; c < 3; c++) {
        if (x_of(v, c) == 0.0 || x_of(v, c) == 1.0) {
            return true;
        }
    }
    return false;
}
static bool listed(int32_t v) {
    return v == 3 || v == 7 || (v >= 10 && v <= 20);
}
static bool in_lower(int32_t v) {
    return x_of(v, 2) <= 0.5;
}
static bool in_upper(int32_t v) {
    return x_of(v, 2) >= 0.5;
}

static void test_leaves_select_what_they_say(void) {
    assert_selects("all", every);
    assert_selects("none", no);
    assert_selects("x<0.25", x_less);
    assert_selects(" x <= 2.5e-1 ", x_up_to);
    assert_selects("y>.5", y_more);
    assert_selects("y>=5E-1", y_from);
    assert_selects("z=0.75", z_at);
    assert_selects("z == +7.5e-1", z_at);
    assert_selects("near:(1,0,0):0.5", near_corner);
    assert_selects("near : ( 1e0 , -0, 0.0 ) : 0.5", near_corner);
    assert_selects("surface", on_surface);
    assert_selects("vertices:3,7,10-20", listed);
    assert_selects("vertices: 20 , 3 ,7, 10 - 19,11-12", listed);
    assert_selects("region:body", in_lower);
    assert_selects("region:'left lobe'", in_upper);
    assert_selects("region:\"left lobe\"", in_upper);
}

static void test_comparison_is_one_of_three(void) {
    static const char *const values[] = {"0", "0.25", "0.3", "1", "-1", "2"};
    char text[64];
    for (int i = 0; i < 18; i++) {
        uint8_t selected[3][VERTICES];
        for (int s = 0; s < 3; s++) {
            snprintf(text, sizeof text, "%c%c%s", "xyz"[i % 3], "<=>"[s], values[i / 3]);
            CHECK_OK(pal_select_vertices(&mesh, text, selected[s], NULL, &err), err);
        }
        for (int v = 0; v < VERTICES; v++) {
            TEST_ASSERT_EQUAL_INT(1, selected[0][v] + selected[1][v] + selected[2][v]);
        }
    }
}

// A length that was rounded on its way still equals itself.
static void test_equality_forgives_rounding(void) {
    pal_volmesh_scale(&mesh, 0.3);
    for (int i = 0; i < 3 * VERTICES; i++) {
        mesh.x[i] = mesh.x[i] * 3.0 / 3.0 * (1.0 + 4e-16);
    }
    uint8_t selected[VERTICES];
    int32_t count;
    CHECK_OK(pal_select_vertices(&mesh, "x=0.3", selected, &count, &err), err);
    TEST_ASSERT_EQUAL_INT((N + 1) * (N + 1), count);
    CHECK_OK(pal_select_vertices(&mesh, "x>0.3", selected, &count, &err), err);
    TEST_ASSERT_EQUAL_INT(0, count);
}

// What is strictly below a bound is held, however near it is: the face at 0 by x<1e-9.
static void test_strict_comparisons_are_exact(void) {
    uint8_t selected[VERTICES];
    int32_t count;
    static const char *const faces[] = {"x<1e-9",     "x<1e-12",       "x>-1e-9 & x<1e-9", "x<1 nm",
                                        "x<min+1e-9", "x>0.999999999", "x>max-1 nm"};
    for (size_t i = 0; i < sizeof faces / sizeof *faces; i++) {
        CHECK_OK(pal_select_vertices(&mesh, faces[i], selected, &count, &err), err);
        TEST_ASSERT_EQUAL_INT_MESSAGE((N + 1) * (N + 1), count, faces[i]);
    }
    assert_same("x<0", "none");
    assert_same("x<min", "none");
    assert_same("x>max", "none");
}

static bool x_from_half(int32_t v) {
    return x_of(v, 0) >= 0.5;
}
static bool low_corner(int32_t v) {
    return x_of(v, 0) <= 0.5 && x_of(v, 1) <= 0.25 && x_of(v, 2) >= 0.75;
}

// The same place said in other words, on a mesh that does not begin at 0.
static void test_places_have_units_ends_and_shares(void) {
    assert_same("x<250 mm", "x<0.25");
    assert_same("x <= 25 cm", "x<=0.25");
    assert_same("x=2.5dm", "x=0.25");
    assert_same("near:(100 cm,0,0):500mm", "near:(1,0,0):0.5");
    assert_same("x<10 in & x>9 in", "x=0.25");
    for (int v = 0; v < VERTICES; v++) {
        mesh.x[3 * v] -= 3.0; // x from -3 to -2
        mesh.x[3 * v + 1] *= 2.0;
    }
    assert_same("x<min+250 mm", "x<-2.75");
    assert_same("x >= max - 0.25", "x>=-2.25");
    assert_same("x<25%", "x<-2.75");
    assert_same("x<min+25%", "x<-2.75");
    assert_same("x>max-25 %", "x>-2.25");
    assert_same("y<=50%", "y<=1");
    assert_same("x=min", "x=-3");
    assert_same("x<1e1%", "x<-2.9");
    assert_same("near:(min,max,50%):0.6", "near:(-3,2,0.5):0.6");
    assert_same("box:(min,min,min):(max,max,max)", "all");
    assert_same("box:(50%,1,max):(min,0,0.5)", "x<=-2.5 & y<=1 & z>=0.5");
    pal_volmesh_scale(&mesh, 1e-3); // a box is of what is asked for
    assert_same("box:(-3 mm,0,0):(-2.5 mm,1 mm,0.5 mm)", "x<=50% & y<=50% & z<=50%");
}

static void test_boxes_hold_what_lies_on_their_border(void) {
    assert_selects("box:(0.5,0,0):(1,1,1)", x_from_half);
    assert_selects("box : ( 0.5 , 0 , 1 ) : ( 0 , 0.25 , 0.75 )", low_corner);
}

// Of vertices in the upper face and of the first elements, as a reader would make them.
static void add_sets(void) {
    mesh.sets = PAL_NEW(pal_mesh_set, 2, &err);
    mesh.set_count = 2;
    mesh.sets[0] = (pal_mesh_set){.name = "the top", .count = (N + 1) * (N + 1)};
    mesh.sets[1] = (pal_mesh_set){.name = "left lobe", .of_elements = true, .count = 3};
    for (int k = 0; k < 2; k++) {
        mesh.sets[k].index = PAL_NEW(int32_t, mesh.sets[k].count, &err);
    }
    for (int32_t v = 0, n = 0; v < VERTICES; v++) {
        if (x_of(v, 2) == 1.0) {
            mesh.sets[0].index[n++] = v;
        }
    }
    for (int32_t e = 0; e < 3; e++) {
        mesh.sets[1].index[e] = e;
    }
}

static bool at_top(int32_t v) {
    return x_of(v, 2) == 1.0;
}

static void test_sets_are_selected_by_name(void) {
    uint8_t p[ELEMENTS];
    int32_t count;
    add_sets();
    assert_selects("set:'the top'", at_top);
    assert_selects("region:'the top'", at_top); // no region has that name
    assert_selects("region:'left lobe'", in_upper);
    CHECK_OK(pal_select_elements(&mesh, "set:'left lobe'", p, &count, &err), err);
    TEST_ASSERT_EQUAL_INT(3, count);
    TEST_ASSERT_TRUE(p[0] && p[1] && p[2]);
    CHECK_OK(pal_select_elements(&mesh, "set:body", p, &count, &err), err);
    TEST_ASSERT_EQUAL_INT(ELEMENTS / 2, count);
    CHECK_OK(pal_select_elements(&mesh, "set:'the top'", p, &count, &err), err);
    for (int e = 0; e < ELEMENTS; e++) { // any of its vertices
        bool touches = false;
        for (int a = 0; a < 4; a++) {
            touches = touches || at_top(pal_volmesh_element(&mesh, e)[a]);
        }
        TEST_ASSERT_EQUAL_INT(touches, p[e]);
    }
    CHECK_FAILS(PAL_ERR_USAGE,
                "there is no set 'x'; the mesh has: body, left lobe; sets: the top, left lobe",
                pal_select_vertices(&mesh, "set:x", p, NULL, &err), err);
}

static void test_nothing_selected_tells_the_box(void) {
    pal_volmesh_scale(&mesh, 0.5);
    CHECK_FAILS(PAL_ERR_INPUT,
                "'x>9' selects nothing; the body's box is x 0 to 0.5, y 0 to 0.5, z 0 to 0.5 m",
                pal_select_nothing(&mesh, PAL_ERR_INPUT, &err, "'%s' selects nothing", "x>9"), err);
}

static void test_not_binds_tighter_than_and_tighter_than_or(void) {
    static const char *const leaf[] = {"x<0.5", "y<=0.25", "z>0.5", "surface"};
    char plain[256], bracketed[256];
    for (int i = 0; i < 64; i++) {
        const char *a = leaf[i % 4], *b = leaf[i / 4 % 4], *c = leaf[i / 16];
        snprintf(plain, sizeof plain, "%s|%s&%s", a, b, c);
        snprintf(bracketed, sizeof bracketed, "(%s)|((%s)&(%s))", a, b, c);
        assert_same(plain, bracketed);
        snprintf(plain, sizeof plain, "%s&%s|%s", a, b, c);
        snprintf(bracketed, sizeof bracketed, "((%s)&(%s))|(%s)", a, b, c);
        assert_same(plain, bracketed);
        snprintf(plain, sizeof plain, "!%s&%s|!!%s", a, b, c);
        snprintf(bracketed, sizeof bracketed, "((!(%s))&(%s))|(%s)", a, b, c);
        assert_same(plain, bracketed);
        snprintf(plain, sizeof plain, "!(%s|%s)", a, b); // De Morgan
        snprintf(bracketed, sizeof bracketed, "!%s & !%s", a, b);
        assert_same(plain, bracketed);
    }
}

// Random trees of operators against their own evaluation.
typedef struct tree_text {
    char text[4096];
    size_t length;
    test_random random;
} tree_text;

static void put(tree_text *t, const char *text) {
    int made = snprintf(t->text + t->length, sizeof t->text - t->length, "%s", text);
    t->length += (size_t)made;
}

static void grow(tree_text *t, int depth, uint8_t *mark) {
    static const struct {
        const char *text;
        law holds;
    } leaves[] = {{"x<0.25", x_less},
                  {"y>=0.5", y_from},
                  {"z=0.75", z_at},
                  {"all", every},
                  {"near:(1,0,0):0.5", near_corner},
                  {"surface", on_surface},
                  {"none", no},
                  {"vertices:3,7,10-20", listed}};
    int choice = (int)(random_share(&t->random) * 8.0);
    if (depth == 0 || choice == 0) {
        put(t, leaves[choice].text);
        for (int v = 0; v < VERTICES; v++) {
            mark[v] = leaves[choice].holds(v);
        }
        return;
    }
    uint8_t right[VERTICES];
    if (choice < 3) {
        put(t, " ! ");
    }
    put(t, "(");
    grow(t, depth - 1, mark);
    if (choice >= 3) {
        put(t, choice % 2 ? ")&(" : ") | (");
        grow(t, depth - 1, right);
    }
    put(t, ")");
    for (int v = 0; v < VERTICES; v++) {
        mark[v] = choice < 3 ? !mark[v] : choice % 2 ? mark[v] & right[v] : mark[v] | right[v];
    }
}

static void test_random_expressions_agree_with_brute_force(void) {
    static tree_text t;
    t.random.state = 11;
    for (int i = 0; i < 300; i++) {
        uint8_t expected[VERTICES], selected[VERTICES];
        t.length = 0;
        grow(&t, 1 + i % 5, expected);
        CHECK_OK(pal_select_vertices(&mesh, t.text, selected, NULL, &err), err);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, memcmp(expected, selected, VERTICES), t.text);
    }
}

static void test_elements_go_by_centroid_region_and_vertices(void) {
    uint8_t p[ELEMENTS];
    int32_t count;
    CHECK_OK(pal_select_elements(&mesh, "x<0.25", p, &count, &err), err);
    TEST_ASSERT_EQUAL_INT(ELEMENTS / N, count);
    CHECK_OK(pal_select_elements(&mesh, "region:'left lobe'", p, &count, &err), err);
    TEST_ASSERT_EQUAL_INT(ELEMENTS / 2, count);
    TEST_ASSERT_TRUE(!p[0] && p[ELEMENTS - 1]);
    CHECK_OK(pal_select_elements(&mesh, "near:(0.5,0.5,0.5):10", p, &count, &err), err);
    TEST_ASSERT_EQUAL_INT(ELEMENTS, count);
    const int32_t *vertex = pal_volmesh_element(&mesh, 100);
    char text[128];
    snprintf(text, sizeof text, "vertices:%d,%d,%d", vertex[0], vertex[1], vertex[2]);
    CHECK_OK(pal_select_elements(&mesh, text, p, &count, &err), err);
    TEST_ASSERT_EQUAL_INT(0, count); // all four are needed
    snprintf(text, sizeof text, "vertices:%d,%d,%d,%d", vertex[0], vertex[1], vertex[2], vertex[3]);
    CHECK_OK(pal_select_elements(&mesh, text, p, &count, &err), err);
    TEST_ASSERT_EQUAL_INT(1, count);
    TEST_ASSERT_EQUAL_INT(1, p[100]);
    // One vertex on the surface is enough.
    CHECK_OK(pal_select_elements(&mesh, "surface", p, &count, &err), err);
    uint8_t touched[VERTICES];
    CHECK_OK(pal_select_vertices(&mesh, "surface", touched, NULL, &err), err);
    for (int e = 0; e < ELEMENTS; e++) {
        const int32_t *v = pal_volmesh_element(&mesh, e);
        TEST_ASSERT_EQUAL_INT(touched[v[0]] | touched[v[1]] | touched[v[2]] | touched[v[3]], p[e]);
    }
}

static void test_vertices_count_in_the_order_of_the_file(void) {
    uint8_t selected[VERTICES];
    int32_t count;
    for (int v = 5; v < VERTICES; v++) { // vertices 5 and 6 of the file were dropped
        mesh.file_vertex[v] = v + 2;
    }
    mesh.dropped_count = 2;
    CHECK_OK(pal_select_vertices(&mesh, "vertices:4,7", selected, &count, &err), err);
    TEST_ASSERT_EQUAL_INT(2, count);
    TEST_ASSERT_TRUE(selected[4] && selected[5]);
    CHECK_FAILS(PAL_ERR_USAGE, "vertex 6 belongs to no element",
                pal_select_vertices(&mesh, "vertices:4,6", selected, NULL, &err), err);
    CHECK_FAILS(PAL_ERR_USAGE, "no vertex 127; the file has 127, numbered from 0 to 126",
                pal_select_vertices(&mesh, "all | vertices:0,127", selected, NULL, &err), err);
    CHECK_FAILS(PAL_ERR_USAGE, "no vertex 2000000000",
                pal_select_vertices(&mesh, "vertices:7-2000000000", selected, NULL, &err), err);
}

static void test_unknown_region_lists_those_there_are(void) {
    uint8_t selected[VERTICES];
    CHECK_OK(pal_select_check("region:liver", &err), err);
    CHECK_FAILS(PAL_ERR_USAGE, "there is no region 'liver'; the mesh has: body, left lobe",
                pal_select_vertices(&mesh, "region:liver", selected, NULL, &err), err);
    TEST_ASSERT_NOT_NULL(strstr(err.text, "column 8"));
}

static void test_errors_point_at_the_column(void) {
    static const struct {
        const char *selector;
        int column;
        const char *part;
    } cases[] = {{"", 1, "found the end"},
                 {"   ", 4, "found the end"},
                 {"x<", 3, "expected a number"},
                 {"x<<1", 3, "expected a number"},
                 {"x", 2, "expected <, <=, >, >= or =, for example x<0.01"},
                 {"x!1", 2, "expected <"},
                 {"foo<1", 1, "found 'foo'"},
                 {"x<1 y<2", 5, "expected & (and), | (or) or the end"},
                 {"x<1 && y<2", 6, "found '&'"},
                 {"x<1 &", 6, "found the end"},
                 {"(x<1", 5, "expected ) to close the bracket of column 1"},
                 {"x<1)", 4, "closes no bracket"},
                 {"!", 2, "found the end"},
                 {"x<1mn", 4, "'mn' is no unit of length; known are m, dm, cm, mm, um, nm, km and"},
                 {"x<min+", 7, "expected a number"},
                 {"x<min*2", 6, "expected & (and)"},
                 {"x<minus", 3, "expected a number"},
                 {"x<40 %%", 7, "expected & (and)"},
                 {"x<max-5 kg", 9, "'kg' is no unit of length"},
                 {"near:(0,0,0):10%", 16, "the radius is a length"},
                 {"box:(0,0,0)", 12, "expected ':'"},
                 {"box:(0,0,0):(1,1)", 17, "expected ','"},
                 {"set:", 5, "expected the name of a set"},
                 {"x<1e", 5, "exponent"},
                 {"x<1e999", 3, "too large"},
                 {"x<nan", 3, "expected a number"},
                 {"x<1,5", 4, "expected &"},
                 {"vertices", 9, "expected ':'"},
                 {"vertices:", 10, "expected the number of a vertex"},
                 {"vertices:3,", 12, "expected the number of a vertex"},
                 {"vertices:-3", 10, "expected the number of a vertex"},
                 {"vertices:9-4", 10, "runs backwards"},
                 {"vertices:99999999999", 10, "no mesh has so many"},
                 {"region:", 8, "expected the name of a region"},
                 {"region:'left", 13, "expected ' to close"},
                 {"near:(0,0):1", 10, "expected ','"},
                 {"near:(0,0,0)", 13, "expected ':'"},
                 {"near:(0,0,0):-1", 14, "may not be negative"},
                 {"near:0,0,0:1", 6, "expected '('"},
                 {"all | \n none & $", 16, "found '$'"}};
    uint8_t selected[VERTICES];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char where[32];
        snprintf(where, sizeof where, "column %d: ", cases[i].column);
        CHECK_FAILS(PAL_ERR_USAGE, where, pal_select_check(cases[i].selector, &err), err);
        CHECK_FAILS(PAL_ERR_USAGE, cases[i].part,
                    pal_select_vertices(&mesh, cases[i].selector, selected, NULL, &err), err);
        TEST_ASSERT_NULL(strchr(err.text, '\n'));
    }
}

static void test_deep_brackets_are_refused_and_long_selectors_are_not(void) {
    enum { MANY = 100000 };
    char *text = PAL_NEW(char, 2 * MANY + 8, &err);
    memset(text, '(', MANY);
    CHECK_FAILS(PAL_ERR_USAGE, "brackets nest more than 64 deep", pal_select_check(text, &err),
                err);
    memset(text, '!', MANY);
    strcpy(text + MANY, "all");
    assert_same(text, "all");
    for (int i = 0; i < MANY / 2; i++) { // "all|all|..."
        memcpy(text + 4 * i, "all|", 4);
    }
    strcpy(text + 2 * MANY, "none");
    assert_same(text, "all");
    memset(text, 0, 2 * MANY);
    for (int i = 0; i < 60; i++) {
        strcat(text, "(x<0.5|y<0.5&");
    }
    strcat(text, "all");
    memset(text + strlen(text), ')', 60);
    assert_same(text, "x<0.5 | y<0.5");
    free(text);
}

static void test_the_locale_does_not_matter(void) {
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"};
    for (int i = 0; i < 3; i++) {
        if (setlocale(LC_ALL, locales[i]) != NULL) {
            assert_selects("x<0.25", x_less);
        }
    }
    setlocale(LC_ALL, "C");
}

static void test_every_allocation_may_fail(void) {
    uint8_t selected[ELEMENTS];
    pal_status status = PAL_ERR_MEMORY;
    for (long n = 0; status != PAL_OK && n < 100; n++) {
        pal_memory_fail_after(n);
        status = pal_select_elements(&mesh, "surface & vertices:1-9 | x<1", selected, NULL, &err);
        TEST_ASSERT_TRUE(status == PAL_OK || status == PAL_ERR_MEMORY);
    }
    pal_memory_fail_after(-1);
    CHECK_OK(status, err);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_leaves_select_what_they_say);
    RUN_TEST(test_comparison_is_one_of_three);
    RUN_TEST(test_equality_forgives_rounding);
    RUN_TEST(test_strict_comparisons_are_exact);
    RUN_TEST(test_places_have_units_ends_and_shares);
    RUN_TEST(test_boxes_hold_what_lies_on_their_border);
    RUN_TEST(test_sets_are_selected_by_name);
    RUN_TEST(test_nothing_selected_tells_the_box);
    RUN_TEST(test_not_binds_tighter_than_and_tighter_than_or);
    RUN_TEST(test_random_expressions_agree_with_brute_force);
    RUN_TEST(test_elements_go_by_centroid_region_and_vertices);
    RUN_TEST(test_vertices_count_in_the_order_of_the_file);
    RUN_TEST(test_unknown_region_lists_those_there_are);
    RUN_TEST(test_errors_point_at_the_column);
    RUN_TEST(test_deep_brackets_are_refused_and_long_selectors_are_not);
    RUN_TEST(test_the_locale_does_not_matter);
    RUN_TEST(test_every_allocation_may_fail);
    return UNITY_END();
}
