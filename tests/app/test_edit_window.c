// The window of palpate edit as a person uses it: on a display of our own, with keys and a mouse
// that xdotool moves. What came of it is told by the report and the files it wrote.
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/base/clock.h"
#include "sim/base/file.h"
#include "tests/support/check.h"
#include "tests/support/display.h"
#include "tests/support/program.h"

enum { WIDTH = 800, HEIGHT = 600, PATIENCE = 60 }; // pixels; s

static pid_t server, running;

static void nap(double seconds) {
    nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * seconds)}, NULL);
}

void setUp(void) {
    if (system("command -v Xvfb >/dev/null && command -v xdotool >/dev/null") != 0) {
        TEST_IGNORE_MESSAGE("no Xvfb or no xdotool: ./palpate test installs them");
    }
    if (server == 0) {
        const char *folder = check_scratch("window");
        TEST_ASSERT_EQUAL_INT(0, mkdir(folder, 0777));
        TEST_ASSERT_EQUAL_INT(0, chdir(folder));
        FILE *file = fopen("small.yaml", "w");
        TEST_ASSERT_NOT_NULL(file);
        fputs("palpate: 1\nname: small\nbody:\n  shape: {name: strip, size: 0.12 m}\n"
              "  voxels: 12\n  fixed: x<0.011\n"
              "  material: {young: 100 kPa, poisson: 0.4, density: 1000 kg/m3}\n",
              file);
        fclose(file);
        server = display_start(WIDTH, HEIGHT);
    }
}

void tearDown(void) {
    if (running > 0) { // a test failed on the way
        kill(running, SIGKILL);
        waitpid(running, NULL, 0);
        running = 0;
    }
}

static void act(const char *format, ...) PAL_PRINTF(1, 2);
static void act(const char *format, ...) {
    char command[512];
    int used = snprintf(command, sizeof command, "xdotool ");
    va_list args;
    va_start(args, format);
    vsnprintf(command + used, sizeof command - (size_t)used, format, args);
    va_end(args);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, system(command), command);
    nap(0.15);
}

static void wait_for(const char *path) {
    const double late = pal_seconds() + PATIENCE;
    while (access(path, F_OK) != 0 && pal_seconds() < late) {
        nap(0.02);
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, access(path, F_OK), path);
}

// Runs it in the background until its window listens: it has made a picture of itself.
static void start(const char *arguments) {
    char command[1024];
    const double late = pal_seconds() + PATIENCE;
    snprintf(command, sizeof command, "exec %s edit small.yaml --json %s >said.json 2>errors.txt",
             PAL_PROGRAM, arguments);
    unlink("out/domains-001.png");
    running = fork();
    if (running == 0) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    while (system("xdotool search --onlyvisible --name palpate >/dev/null 2>&1") != 0 &&
           pal_seconds() < late) {
        nap(0.05);
    }
    act("search --onlyvisible --name palpate windowfocus");
    nap(0.3);
    while (access("out/domains-001.png", F_OK) != 0 && pal_seconds() < late) {
        act("key F12");
        nap(0.5);
    }
    wait_for("out/domains-001.png");
}

static cJSON *finish(void) {
    int state = 0;
    pid_t ended = 0;
    const double late = pal_seconds() + PATIENCE;
    act("key q");
    while ((ended = waitpid(running, &state, WNOHANG)) == 0 && pal_seconds() < late) {
        nap(0.02);
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(running, ended, "the window did not end");
    running = 0;
    char *said = NULL, *errors = NULL;
    size_t size;
    pal_err err = {0};
    CHECK_OK(pal_file_read("errors.txt", &errors, &size, &err), err);
    TEST_ASSERT_TRUE_MESSAGE(WIFEXITED(state) && WEXITSTATUS(state) == 0, errors);
    CHECK_OK(pal_file_read("said.json", &said, &size, &err), err);
    cJSON *root = cJSON_Parse(said);
    TEST_ASSERT_NOT_NULL_MESSAGE(root, said);
    free(said);
    free(errors);
    return root;
}

static void drag(int x, int y, int dx, int dy) {
    act("mousemove %d %d", x, y);
    act("mousedown 1");
    for (int k = 1; k <= 3; k++) {
        act("mousemove %d %d", x + dx * k / 3, y + dy * k / 3);
    }
    act("mouseup 1");
    nap(0.3);
}

static double elements_of(const cJSON *json, int index) {
    return program_number(cJSON_GetArrayItem(cJSON_GetObjectItem(json, "domains"), index),
                          "elements");
}

static void test_a_brush_adds_and_undo_brings_back_and_saving_writes_the_scene(void) {
    start("-o cut.yaml");
    act("key n");
    drag(WIDTH / 2 - 40, HEIGHT / 2, 80, 0);
    act("key s");
    wait_for("cut.yaml");
    wait_for("cut-domains.txt");
    act("key u");
    cJSON *json = finish();
    program_array(json, "domains", 2);
    TEST_ASSERT_EQUAL_DOUBLE(0.0, elements_of(json, 1)); // undone after it was saved
    TEST_ASSERT_EQUAL_STRING("cut.yaml", cJSON_GetStringValue(cJSON_GetObjectItem(json, "saved")));
    const double all = elements_of(json, 0);
    cJSON_Delete(json);
    program_run("edit cut.yaml --do 'new unused' --do 'undo' --json");
    json = program_json();
    TEST_ASSERT_TRUE(elements_of(json, 1) >= 1.0);
    TEST_ASSERT_EQUAL_DOUBLE(all, elements_of(json, 0) + elements_of(json, 1));
    cJSON_Delete(json);
}

static void test_a_box_over_all_takes_all(void) {
    start("--window --do 'new tip' --do 'add x>0.06'");
    act("key b"); // from the brush to the box
    act("key t"); // taking
    drag(10, 10, WIDTH - 20, HEIGHT - 20);
    cJSON *json = finish();
    TEST_ASSERT_EQUAL_DOUBLE(0.0, elements_of(json, 1));
    TEST_ASSERT_EQUAL_INT(3, (int)program_number(json, "steps"));
    cJSON_Delete(json);
}

static void test_a_click_on_one_element_adds_that_one(void) {
    start("");
    act("key n");
    act("key b");
    act("key b"); // from the box to single elements
    act("mousemove %d %d click 1", WIDTH / 2, HEIGHT / 2);
    nap(0.3);
    cJSON *json = finish();
    TEST_ASSERT_EQUAL_DOUBLE(1.0, elements_of(json, 1));
    cJSON_Delete(json);
}

// While a name is typed its letters are no keys: 'n', 't' and 'u' would change domains.
static void test_a_name_can_be_typed(void) {
    start("--window --do 'new tip' --do 'add x>0.06'");
    act("key r");
    act("key BackSpace BackSpace BackSpace");
    act("type 'tunnel 2'");
    act("key Return");
    act("key r");
    act("type ' or not'");
    act("key Escape");
    cJSON *json = finish();
    const cJSON *domains = program_array(json, "domains", 2);
    TEST_ASSERT_EQUAL_STRING("tunnel 2", cJSON_GetStringValue(cJSON_GetObjectItem(
                                             cJSON_GetArrayItem(domains, 1), "name")));
    TEST_ASSERT_EQUAL_INT(3, (int)program_number(json, "steps"));
    cJSON_Delete(json);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_brush_adds_and_undo_brings_back_and_saving_writes_the_scene);
    RUN_TEST(test_a_box_over_all_takes_all);
    RUN_TEST(test_a_name_can_be_typed);
    RUN_TEST(test_a_click_on_one_element_adds_that_one);
    if (server > 0) {
        display_kill(server);
    }
    return UNITY_END();
}
