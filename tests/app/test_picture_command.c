// palpate picture and film, run as a user runs them: what they write, what they say, and what they
// refuse. The scene is the wall, which needs no baking.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/picture.h"
#include "tests/support/program.h"

static char folder[512], trace[600], *path_before;

void setUp(void) {
    if (folder[0] == '\0') {
        snprintf(folder, sizeof folder, "%s", check_scratch("pictures"));
        TEST_ASSERT_EQUAL_INT(0, mkdir(folder, 0777));
        snprintf(trace, sizeof trace, "%s/wall.h5", folder);
        program_run("run wall --virtual --quiet --trace %s", trace);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    }
    path_before = strdup(getenv("PATH"));
}

void tearDown(void) {
    setenv("PATH", path_before, 1);
    free(path_before);
}

// Reads the picture of that name in the folder, checks its size and gives back what is dark or
// colourful in it.
static int count_ink(const char *name, int32_t width, int32_t height) {
    char path[700];
    pal_image image;
    int ink = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    TEST_ASSERT_TRUE_MESSAGE(picture_read(path, &image), path);
    TEST_ASSERT_EQUAL_INT(width, image.width);
    TEST_ASSERT_EQUAL_INT(height, image.height);
    for (int32_t y = 0; y < height; y++) {
        for (int32_t x = 0; x < width; x++) {
            ink += picture_colourful(&image, x, y) > 20 || picture_pixel(&image, x, y)[0] < 180;
        }
    }
    pal_image_free(&image);
    return ink;
}

static void test_a_scene_is_drawn_at_rest(void) {
    program_run("picture wall -o %s/rest.png --size 320x200 --json", folder);
    cJSON *json = program_json();
    TEST_ASSERT_EQUAL_DOUBLE(320.0, program_number(json, "width"));
    TEST_ASSERT_EQUAL_DOUBLE(0.0, program_number(json, "time"));
    TEST_ASSERT_EQUAL_DOUBLE(0.0, program_number(json, "force_n"));
    cJSON_Delete(json);
    TEST_ASSERT_TRUE(count_ink("rest.png", 320, 200) > 8000);
}

static void test_a_trace_is_drawn_at_its_hardest_press_and_at_a_time(void) {
    program_run("picture %s -o %s/hardest.png --size 320x200 --json", trace, folder);
    cJSON *json = program_json();
    const double hardest = program_number(json, "force_n");
    cJSON_Delete(json);
    program_run("picture %s --time 0.5 -o %s/early.png --size 320x200 --json", trace, folder);
    json = program_json();
    const double early = program_number(json, "force_n"), time = program_number(json, "time");
    cJSON_Delete(json);
    TEST_ASSERT_TRUE(hardest > 1.0 && early < hardest);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.5, time);
    // The same time of the scene's own probe is the same state
    program_run("picture wall --time 0.5 -o %s/same.png --size 320x200 --json", folder);
    json = program_json();
    TEST_ASSERT_TRUE(early == program_number(json, "force_n"));
    cJSON_Delete(json);
}

static void test_the_trainer_s_view_can_be_asked_for(void) {
    program_run("picture wall --time 0.5 --trainer -o %s/tissue.png --size 320x200 --json", folder);
    cJSON *json = program_json();
    TEST_ASSERT_TRUE(cJSON_IsTrue(cJSON_GetObjectItem(json, "trainer")));
    TEST_ASSERT_EQUAL_STRING("tissue", cJSON_GetObjectItem(json, "color")->valuestring);
    cJSON_Delete(json);
    TEST_ASSERT_TRUE(count_ink("tissue.png", 320, 200) > 8000);
}

// A tower of two tets, y its height: 0.2 m wide, 0.5 m high.
static void write_tower(char path[700]) {
    snprintf(path, 700, "%s/tower.veg", folder);
    FILE *file = fopen(path, "w");
    TEST_ASSERT_NOT_NULL(file);
    fputs(
        "*VERTICES\n5 3 0 0\n1 0 0 0\n2 200 0 0\n3 0 0 200\n4 0 500 0\n5 -200 0 0\n*ELEMENTS\nTET\n"
        "2 4 0\n1 1 3 2 4\n2 1 5 3 4\n*SET half\n2\n",
        file);
    fclose(file);
}

static void test_a_mesh_is_drawn_with_axes_its_held_vertices_and_a_place(void) {
    char path[700];
    write_tower(path);
    program_run("picture %s --scale 0.001 --up y --fix set:half --at 'near:(0, 0.6, 0)' --size "
                "640x400 -o %s/mesh.png --json",
                path, folder);
    cJSON *json = program_json();
    TEST_ASSERT_EQUAL_DOUBLE(4.0, program_number(json, "held_vertices"));
    const cJSON *at = cJSON_GetObjectItem(json, "at_m");
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.5, cJSON_GetArrayItem(at, 1)->valuedouble);
    TEST_ASSERT_FALSE(cJSON_IsTrue(cJSON_GetObjectItem(json, "at_hidden")));
    cJSON_Delete(json);
    program_run("picture %s --scale 0.001 --up y --size 640x400 -o %s/bare.png --axes off", path,
                folder);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    TEST_ASSERT_TRUE(count_ink("mesh.png", 640, 400) > 5000);
    // the foot in front of it is hidden from behind
    program_run("picture %s --up y --at '-50, 0, 0' --camera 0,80 --json -o %s/x.png", path,
                folder);
    json = program_json();
    TEST_ASSERT_TRUE(cJSON_IsTrue(cJSON_GetObjectItem(json, "at_hidden")));
    cJSON_Delete(json);
    program_run("picture %s --time 1", path);
    program_fails(2, "--time is for scenes and traces");
    program_run("picture %s --fix 'x>9e9'", path);
    program_fails(2, "selects no vertex");
    program_run("picture %s --at porta", path);
    program_fails(2, "--at: ");
    program_run("picture wall --fix all");
    program_fails(2, "--fix is for meshes");
    program_run("picture %s --at nowhere", trace);
    program_fails(2, "--at: ");
    program_run("picture wall --at surface:0,0 --json -o %s/wall.png", folder);
    json = program_json();
    TEST_ASSERT_EQUAL_INT(3, cJSON_GetArraySize(cJSON_GetObjectItem(json, "at_m")));
    cJSON_Delete(json);
}

static void test_wrong_wishes_are_refused(void) {
    program_run("picture");
    program_fails(2, "MESH|SCENE|TRACE");
    program_run("picture nowhere");
    program_fails(2, "neither a scene");
    program_run("picture wall --camera 20");
    program_fails(2, "--camera '20': write AZIMUTH,ELEVATION");
    program_run("picture wall --camera 20,95");
    program_fails(2, "elevation from -90 to 90");
    program_run("picture wall --camera 20,5,0");
    program_fails(2, "zoom from 0.05 to 200");
    program_run("picture wall --camera 20,5,1,7");
    program_fails(2, "--camera");
    program_run("picture wall --size 0x10");
    program_fails(2, "--size '0x10'");
    program_run("picture wall --size 20000x10");
    program_fails(2, "1 to 16384");
    program_run("picture wall --size 640");
    program_fails(2, "WIDTHxHEIGHT");
    program_run("picture wall --color pink");
    program_fails(2, "displacement");
    program_run("picture wall --trainer --color region");
    program_fails(2, "leave out --color");
    program_run("run wall --headless --trainer");
    program_fails(2, "none in this run");
    program_run("picture wall -o x.jpg");
    program_fails(2, "must end in .png");
    program_run("picture wall -o /nowhere/x.png");
    program_fails(1, "cannot write there");
    program_run("picture wall --quiet --time 100 -o %s/late.png", folder);
    program_fails(2, "nothing to see at 100 s");
}

static void test_without_egl_the_error_says_what_to_install(void) {
    setenv("__EGL_VENDOR_LIBRARY_FILENAMES", "/nowhere.json", 1); // no driver for libEGL
    program_run("picture wall -o %s/none.png", folder);
    unsetenv("__EGL_VENDOR_LIBRARY_FILENAMES");
    program_fails(1, "libgl1-mesa-dri");
}

// ---- films

static void test_a_film_as_pictures_is_numbered(void) {
    program_run("film %s -o %s/steps.mp4 --pictures --quiet --size 160x100 --rate 4 --from 0.2 "
                "--to 1.2 --json",
                trace, folder);
    cJSON *json = program_json();
    TEST_ASSERT_EQUAL_DOUBLE(5.0, program_number(json, "frames"));
    cJSON_Delete(json);
    TEST_ASSERT_TRUE(count_ink("steps/00000.png", 160, 100) > 1000);
    TEST_ASSERT_TRUE(count_ink("steps/00004.png", 160, 100) > 1000);
    char beyond[700];
    snprintf(beyond, sizeof beyond, "%s/steps/00005.png", folder);
    TEST_ASSERT_TRUE(access(beyond, F_OK) != 0);
}

// Stands in for ffmpeg: a shell script in the folder, the first in PATH.
static void fake_encoder(const char *text) {
    char name[700], path[4096];
    snprintf(name, sizeof name, "%s/ffmpeg", folder);
    FILE *file = fopen(name, "w");
    TEST_ASSERT_NOT_NULL(file);
    fprintf(file, "#!/bin/sh\n%s\n", text);
    fclose(file);
    TEST_ASSERT_EQUAL_INT(0, chmod(name, 0755));
    snprintf(path, sizeof path, "%s:%s", folder, path_before);
    setenv("PATH", path, 1);
}

static void run_film(const char *size, const char *rate, const char *span) {
    program_run("film %s -o %s/film.mp4 --quiet --json --size %s --rate %s %s", trace, folder, size,
                rate, span);
}

static void test_frames_go_to_the_encoder_and_the_film_gets_its_name(void) {
    // Keeps the bytes of all frames, in the file that it is told (its last argument)
    fake_encoder("for last; do :; done; cat >\"$last\"");
    run_film("64x48", "2", "--to 1");
    cJSON *json = program_json();
    const int frames = (int)program_number(json, "frames");
    cJSON_Delete(json);
    char name[700];
    struct stat info;
    snprintf(name, sizeof name, "%s/film.mp4", folder);
    TEST_ASSERT_EQUAL_INT(0, stat(name, &info));
    TEST_ASSERT_EQUAL_INT(3, frames);
    TEST_ASSERT_EQUAL_INT(frames * 64 * 48 * 3, (int)info.st_size);
    snprintf(name, sizeof name, "%s/film.mp4.log", folder);
    TEST_ASSERT_TRUE(access(name, F_OK) != 0);
    unlink(name);
}

static void test_an_encoder_that_fails_is_told_with_its_words(void) {
    char name[700];
    snprintf(name, sizeof name, "%s/film.mp4", folder);
    unlink(name);
    fake_encoder("echo first; echo 'no such codec' >&2; exit 1");
    run_film("64x48", "2", "--to 1");
    program_fails(1, "no such codec");
    TEST_ASSERT_TRUE(access(name, F_OK) != 0);
    snprintf(name, sizeof name, "%s/film.mp4.part", folder);
    TEST_ASSERT_TRUE(access(name, F_OK) != 0);
}

static void test_a_film_with_odd_sides_or_without_time_is_refused(void) {
    fake_encoder("cat >/dev/null");
    run_film("65x48", "2", "--to 1");
    program_fails(2, "must be even");
    run_film("64x48", "2", "--from 3 --to 2");
    program_fails(2, "from 3 s to 2 s");
    run_film("64x48", "0", "--to 1");
    program_fails(2, "--rate");
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_scene_is_drawn_at_rest);
    RUN_TEST(test_a_trace_is_drawn_at_its_hardest_press_and_at_a_time);
    RUN_TEST(test_the_trainer_s_view_can_be_asked_for);
    RUN_TEST(test_a_mesh_is_drawn_with_axes_its_held_vertices_and_a_place);
    RUN_TEST(test_wrong_wishes_are_refused);
    RUN_TEST(test_without_egl_the_error_says_what_to_install);
    RUN_TEST(test_a_film_as_pictures_is_numbered);
    RUN_TEST(test_frames_go_to_the_encoder_and_the_film_gets_its_name);
    RUN_TEST(test_an_encoder_that_fails_is_told_with_its_words);
    RUN_TEST(test_a_film_with_odd_sides_or_without_time_is_refused);
    return UNITY_END();
}
