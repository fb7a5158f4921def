// A scene with another axis up, drawn by the commands that draw scenes: as the same scene with z
// up, turned by a quarter, body, places, forces and all.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/up.h"
#include "tests/support/check.h"
#include "tests/support/picture.h"
#include "tests/support/program.h"
#include "tests/support/sanitized.h"

static const double alike = 2e-3; // of the pixels
static const pal_up ways[2] = {PAL_UP_Z, PAL_UP_Y};

// x to the right, y ahead, z up; as that scene's coordinates have it.
static void put(FILE *file, pal_up up, const char *format, double x, double y, double z) {
    double out[3];
    pal_up_raise(up, (const double[]){x, y, z}, out);
    fprintf(file, format, out[0] + 0.0, out[1] + 0.0, out[2] + 0.0);
}

static FILE *create(const char *name, int k, const char *ending) {
    char path[64];
    snprintf(path, sizeof path, "%s%d.%s", name, k, ending);
    FILE *file = fopen(path, "w");
    TEST_ASSERT_NOT_NULL(file);
    return file;
}

// A slab of 4 x 3 x 2 cubes, six tets each: 80 x 54 x 30 mm.
static void write_slab(int k) {
    static const int step[6][2] = {{1, 2}, {2, 4}, {4, 1}, {2, 1}, {4, 2}, {1, 4}};
    FILE *file = create("slab", k, "veg");
    int n = 0;
    fprintf(file, "*VERTICES\n%d 3 0 0\n", 5 * 4 * 3);
    for (int v = 0; v < 5 * 4 * 3; v++) {
        fprintf(file, "%d", v + 1);
        put(file, ways[k], " %.9g %.9g %.9g\n", 0.02 * (v % 5), 0.018 * (v / 5 % 4),
            0.015 * (v / 20));
    }
    fprintf(file, "*ELEMENTS\nTET\n%d 4 0\n", 4 * 3 * 2 * 6);
    for (int cube = 0; cube < 4 * 3 * 2; cube++) {
        const int first = cube % 4 + 5 * (cube / 4 % 3) + 20 * (cube / 12);
        for (int t = 0; t < 6; t++) {
            const int at[4] = {0, step[t][0], step[t][0] | step[t][1], 7};
            fprintf(file, "%d", ++n);
            for (int c = 0; c < 4; c++) { // the odd ones the other way round
                const int bit = at[t < 3 || c == 0 || c == 3 ? c : 3 - c];
                fprintf(file, " %d", 1 + first + (bit & 1) + 5 * (bit >> 1 & 1) + 20 * (bit >> 2));
            }
            fputc('\n', file);
        }
    }
    fclose(file);
}

static void write_scene(int k) {
    FILE *file = create("slab", k, "yaml");
    const char *up = pal_up_name(ways[k]);
    fprintf(file,
            "palpate: 1\nname: slab\nup: %s\nbody:\n  mesh: {file: slab%d.veg}\n"
            "  fixed: %s<min+1 mm\n  material: {young: 20 kPa, poisson: 0.4, density: 1000 kg/m3}\n"
            "  damping: {mass: 5 1/s, stiffness: 5 ms}\nbasis: {modes: 4, size: 6}\n"
            "tool: {shape: capsule, radius: 4 mm, length: 40 mm}\nprobe:\n",
            up, k, up);
    fputs("  - {move: ", file);
    put(file, ways[k], "[%.9g m, %.9g m, %.9g m], seconds: 0.1 s}\n", 0.031, 0.024, 0.045);
    fputs("  - {press: ", file);
    put(file, ways[k], "[%.9g m, %.9g m, %.9g m], seconds: 0.2 s}\n", 0.031, 0.024, 0.028);
    fputs("  - hold: 0.1 s\n", file);
    fclose(file);
}

void setUp(void) {
    static char folder[512];
    if (folder[0] != '\0') {
        return;
    }
    snprintf(folder, sizeof folder, "%s", check_scratch("upright"));
    TEST_ASSERT_EQUAL_INT(0, mkdir(folder, 0777));
    TEST_ASSERT_EQUAL_INT(0, chdir(folder));
    setenv("PALPATE_CACHE", folder, 1);
    for (int k = 0; k < 2; k++) {
        write_slab(k);
        write_scene(k);
        program_run("run slab%d.yaml --virtual --quiet --trace run%d.h5", k, k);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    }
}

void tearDown(void) {
}

// The share of pixels that the pictures differ in; both must be there.
static double difference(const char *first, const char *second) {
    pal_image image[2];
    TEST_ASSERT_TRUE_MESSAGE(picture_read(first, &image[0]), first);
    TEST_ASSERT_TRUE_MESSAGE(picture_read(second, &image[1]), second);
    const double share = picture_difference(&image[0], &image[1], 6);
    pal_image_free(&image[0]);
    pal_image_free(&image[1]);
    return share;
}

// Runs a command for both scenes, whose numbers stand for #, and compares out0.png and out1.png.
static void check_same(const char *command) {
    char text[160];
    for (int k = 0; k < 2; k++) {
        char wanted[512] = "", *end = wanted;
        for (const char *c = command; *c != '\0'; c++) {
            *end++ = *c == '#' ? (char)('0' + k) : *c;
        }
        program_run("%s --quiet", wanted);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    }
    const double share = difference("out0.png", "out1.png");
    snprintf(text, sizeof text, "%s: %.3f %% of the pixels differ", command, 100.0 * share);
    TEST_ASSERT_TRUE_MESSAGE(share <= alike, text);
}

static void test_a_scene_is_drawn_upright(void) {
    static const char *const how[] = {"--time 0.35 --camera 70,35,1.5", "",
                                      "--time 0.35 --color energy --wireframe --fixed --camera "
                                      "200,-15"};
    for (int i = 0; i < SANITIZED_OR(1, 3); i++) {
        char command[200];
        snprintf(command, sizeof command, "picture slab#.yaml -o out#.png --size 480x300 %s",
                 how[i]);
        check_same(command);
    }
}

static void test_a_trace_and_a_film_are_drawn_upright(void) {
    check_same("picture run#.h5 -o out#.png --size 480x300");
    program_run("film run0.h5 -o film0.mp4 --pictures --quiet --size 240x150 --rate 4 --from 0.1");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    program_run("film run1.h5 -o film1.mp4 --pictures --quiet --size 240x150 --rate 4 --from 0.1");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    TEST_ASSERT_TRUE(difference("film0/00001.png", "film1/00001.png") <= alike);
}

// Its axes have their own names and numbers: the picture as a whole is another one.
static void test_axes_are_the_scene_s_own(void) {
    program_run("picture slab0.yaml --axes on -o axes0.png --size 480x300");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    program_run("picture slab1.yaml --axes on -o axes1.png --size 480x300");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    const double share = difference("axes0.png", "axes1.png");
    TEST_ASSERT_TRUE(share > 1e-4 && share < 0.02); // words alone
}

static void test_shapes_and_domains_are_drawn_upright(void) {
    check_same("bake slab#.yaml --picture out#.png");
    check_same("domains slab#.yaml --by slices:3 --picture out#.png");
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST_OF_ONE_THREAD(test_a_scene_is_drawn_upright);
    RUN_TEST_OF_ONE_THREAD(test_a_trace_and_a_film_are_drawn_upright);
    RUN_TEST_OF_ONE_THREAD(test_axes_are_the_scene_s_own);
    RUN_TEST_OF_ONE_THREAD(test_shapes_and_domains_are_drawn_upright);
    return UNITY_END();
}
