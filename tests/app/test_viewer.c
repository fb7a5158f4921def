// The window as a person uses it: a real one, on a display of our own, with keys and a mouse that
// xdotool moves. What came of it is told by the run's report, its trace and the files it wrote.
#include <X11/Xlib.h>
#include <cjson/cJSON.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "haptics/command.h"
#include "haptics/trace.h"
#include "render/layout.h"
#include "render/slider_panel.h"
#include "sim/base/clock.h"
#include "sim/base/file.h"
#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/display.h"
#include "tests/support/program.h"

enum { WIDTH = 800, HEIGHT = 600, PATIENCE = 60 }; // pixels; s
static const double column = 316.0;                // of the instruments, points

static pid_t server, running;
static char folder[256];

// A soft lump of a few elements, quick to bake and to draw, that a hand presses for a long time.
static void write_scene(const char *name, const char *up) {
    FILE *file = fopen(name, "w");
    TEST_ASSERT_NOT_NULL(file);
    fprintf(file, "palpate: 1\nname: small\nabout: A small liver\nup: %s\n", up);
    fputs("body:\n"
          "  shape: {name: liver, size: 0.2 m}\n  voxels: 12\n  fixed: x<0.03\n"
          "  material: {young: 12 kPa, poisson: 0.45, density: 1060 kg/m3}\n"
          "  damping: {mass: 5 1/s, stiffness: 5 ms}\nbasis: {modes: 4, size: 6}\n"
          "probe:\n  - {move: [0.1 m, 0.03 m, 0.13 m], seconds: 0.2 s}\n"
          "  - {press: [0.1 m, 0.03 m, 0.09 m], seconds: 0.5 s}\n  - hold: 1 s\n",
          file);
    fclose(file);
}

// At the end of the program LeakSanitizer looks at all its threads, and now and then falls over one
// of the OpenGL driver's that is just ending: not of the program in the window. (Drawing without a
// window is looked at by other tests.)
static void leave_out_leaks(void) {
    const char *options = getenv("ASAN_OPTIONS");
    char all[256];
    snprintf(all, sizeof all, "%s:detect_leaks=0", options != NULL ? options : "");
    setenv("ASAN_OPTIONS", all, 1);
}

void setUp(void) {
    if (system("command -v Xvfb >/dev/null && command -v xdotool >/dev/null") != 0) {
        TEST_IGNORE_MESSAGE("no Xvfb or no xdotool: ./palpate test installs them");
    }
    if (server != 0) {
        return;
    }
    snprintf(folder, sizeof folder, "%s", check_scratch("window"));
    TEST_ASSERT_EQUAL_INT(0, mkdir(folder, 0777));
    TEST_ASSERT_EQUAL_INT(0, chdir(folder));
    setenv("PALPATE_CACHE", folder, 1);
    leave_out_leaks();
    write_scene("small.yaml", "z");
    write_scene("lying.yaml", "y");
    program_run("bake small.yaml --quiet");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    server = display_start(WIDTH, HEIGHT);
}

void tearDown(void) {
    if (running > 0) { // a test failed on the way
        kill(running, SIGKILL);
        waitpid(running, NULL, 0);
        running = 0;
    }
}

// ---- a run in the background

static void nap(double seconds) {
    const struct timespec time = {.tv_sec = (time_t)seconds,
                                  .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&time, NULL);
}

static void start_command(const char *name, const char *arguments) {
    char command[1024];
    snprintf(command, sizeof command, "exec %s %s --json %s >said.json 2>errors.txt", PAL_PROGRAM,
             name, arguments);
    running = fork();
    if (running == 0) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    TEST_ASSERT_GREATER_THAN(0, running);
}

static void start(const char *arguments) {
    start_command("run small.yaml", arguments);
}

static char *text_of_file(const char *path) {
    char *text = NULL;
    size_t size;
    pal_err err = {0};
    CHECK_OK(pal_file_read(path, &text, &size, &err), err);
    return text;
}

// A machine with other things to do misses deadlines: that fault is no fault of the window's.
static bool is_good_end(int state, const char *errors) {
    const int code = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
    return code == 0 || (code == 1 && strstr(errors, "too many ticks were missed") != NULL);
}

// Waits for its end, which must be a good one; what it reported.
static cJSON *finish(void) {
    int state = 0;
    pid_t ended = 0;
    const double late = pal_seconds() + PATIENCE;
    while ((ended = waitpid(running, &state, WNOHANG)) == 0 && pal_seconds() < late) {
        nap(0.02);
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(running, ended, "the run did not end");
    running = 0;
    char *errors = text_of_file("errors.txt");
    TEST_ASSERT_TRUE_MESSAGE(is_good_end(state, errors), errors);
    free(errors);
    char *said = text_of_file("said.json");
    cJSON *root = cJSON_Parse(said);
    TEST_ASSERT_NOT_NULL_MESSAGE(root, said);
    free(said);
    return root;
}

static void wait_for(const char *path) {
    const double late = pal_seconds() + PATIENCE;
    while (access(path, F_OK) != 0 && pal_seconds() < late) {
        nap(0.02);
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, access(path, F_OK), path);
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
}

// A picture of the window, which says that all before it was seen.
static void shoot(int number) {
    char path[64];
    snprintf(path, sizeof path, "out/small-%03d.png", number);
    const double late = pal_seconds() + PATIENCE;
    while (access(path, F_OK) != 0 && pal_seconds() < late) { // it may not be up yet
        act("key F12");
        for (int i = 0; i < 50 && access(path, F_OK) != 0; i++) {
            nap(0.02);
        }
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, access(path, F_OK), path);
}

// From here on the window is up and listens.
static void wait_for_window(void) {
    const double late = pal_seconds() + PATIENCE;
    while (system("xdotool search --onlyvisible --name palpate >/dev/null 2>&1") != 0 &&
           pal_seconds() < late) {
        nap(0.05);
    }
    act("search --onlyvisible --name palpate windowfocus");
    nap(0.3);
}

// As a window manager does when its cross is clicked.
static void close_window(void) {
    Display *display = XOpenDisplay(NULL);
    TEST_ASSERT_NOT_NULL(display);
    FILE *pipe = popen("xdotool search --onlyvisible --name palpate", "r");
    unsigned long window = 0;
    TEST_ASSERT_EQUAL_INT(1, fscanf(pipe, "%lu", &window));
    pclose(pipe);
    XEvent event = {.xclient = {.type = ClientMessage,
                                .window = window,
                                .message_type = XInternAtom(display, "WM_PROTOCOLS", False),
                                .format = 32,
                                .data.l = {(long)XInternAtom(display, "WM_DELETE_WINDOW", False)}}};
    XSendEvent(display, window, False, NoEventMask, &event);
    XCloseDisplay(display);
}

static void drag(double x, double y, double dx, double dy) {
    act("mousemove %d %d", (int)x, (int)y);
    nap(0.12);
    act("mousedown 1");
    nap(0.12);
    for (int k = 1; k <= 3; k++) {
        act("mousemove %d %d", (int)(x + dx * k / 3.0), (int)(y + dy * k / 3.0));
        nap(0.08);
    }
    act("mouseup 1");
    nap(0.08);
}

static bool took(const pal_trace_data *trace, pal_command_kind kind) {
    for (int64_t k = 0; k < trace->count; k++) {
        if (trace->record[k].commands >> kind & 1) {
            return true;
        }
    }
    return false;
}

static bool same_file(const char *a, const char *b) {
    char command[200];
    snprintf(command, sizeof command, "cmp -s %s %s", a, b);
    return system(command) == 0;
}

// ---- what is to be seen

static void test_the_camera_turns_and_time_stands_still_and_goes_on(void) {
    pal_trace_data trace;
    pal_err err = {0};
    start("--trace time.h5");
    wait_for_window();
    act("key m"); // the run goes on beyond its probe
    shoot(1);
    act("key m");
    nap(0.12);
    drag(560.0, 500.0, 90.0, -30.0);
    shoot(2);
    act("key space");
    nap(0.12);
    act("key period");
    nap(0.12);
    act("key space");
    nap(0.12);
    act("key minus");
    nap(0.12);
    act("key plus key r key c key w key v key x key h key d key t key question");
    nap(0.3);
    shoot(3);
    act("key Escape"); // the help
    nap(0.12);
    act("key Escape"); // the run
    cJSON *root = finish();
    const cJSON *window = cJSON_GetObjectItem(root, "window");
    TEST_ASSERT_DOUBLE_WITHIN(1.0, 25.0 - 36.0, program_number(window, "azimuth"));
    TEST_ASSERT_DOUBLE_WITHIN(1.0, 22.0 - 12.0, program_number(window, "elevation"));
    TEST_ASSERT_TRUE(program_number(window, "pictures") >= 3);
    TEST_ASSERT_FALSE(same_file("out/small-001.png", "out/small-002.png"));
    TEST_ASSERT_FALSE(same_file("out/small-002.png", "out/small-003.png"));
    cJSON_Delete(root);

    // The servo took every order, and the run ended without a force
    CHECK_OK(pal_trace_read("time.h5", &trace, &err), err);
    const pal_command_kind kinds[] = {PAL_COMMAND_PAUSE,     PAL_COMMAND_RESUME,
                                      PAL_COMMAND_TICK,      PAL_COMMAND_RESET,
                                      pal_command_slow(2.0), pal_command_slow(1.0)};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        TEST_ASSERT_TRUE_MESSAGE(took(&trace, kinds[i]), "a command was not taken");
    }
    TEST_ASSERT_EQUAL_DOUBLE(0.0, pal_norm3(trace.record[trace.count - 1].force));
    pal_trace_data_free(&trace);
}

// The track of the first slider in the window, pixels.
static pal_frame track_of(double scale) {
    const pal_layout_wish wish = {.width = WIDTH / scale,
                                  .height = HEIGHT / scale,
                                  .title = true,
                                  .instruments = true,
                                  .words = true,
                                  .colour_bar = true,
                                  .sliders = true,
                                  .run_height = 100.0};
    pal_layout layout;
    pal_layout_make(&wish, &layout);
    const pal_frame t = pal_slider_track(&layout.panel[PAL_PANEL_SLIDERS], 0);
    return (pal_frame){scale * t.left, scale * t.top, scale * t.width, scale * t.height};
}

// What other programs would paste.
static void read_clipboard(char *text, size_t size) {
    Display *display = XOpenDisplay(NULL);
    TEST_ASSERT_NOT_NULL(display);
    const Window own =
        XCreateSimpleWindow(display, DefaultRootWindow(display), 0, 0, 1, 1, 0, 0, 0);
    const Atom board = XInternAtom(display, "CLIPBOARD", False);
    const Atom utf8 = XInternAtom(display, "UTF8_STRING", False);
    XConvertSelection(display, board, utf8, board, own, CurrentTime);
    XEvent event = {0};
    const double late = pal_seconds() + PATIENCE;
    while (!XCheckTypedWindowEvent(display, own, SelectionNotify, &event) && pal_seconds() < late) {
        nap(0.02);
    }
    Atom type;
    int format;
    unsigned long count = 0, left;
    unsigned char *data = NULL;
    XGetWindowProperty(display, own, board, 0, 64, False, AnyPropertyType, &type, &format, &count,
                       &left, &data);
    snprintf(text, size, "%.*s", (int)count, data != NULL ? (const char *)data : "");
    if (data != NULL) {
        XFree(data);
    }
    XCloseDisplay(display);
}

static void test_the_place_under_the_mouse_is_told_and_copied_as_scenes_name_it(void) {
    char text[200], place[96];
    double x[3], moved[3];
    start("");
    wait_for_window();
    act("key m"); // the run goes on beyond its probe
    act("key m");
    shoot(1);
    act("mousemove 500 330");
    nap(0.2);
    act("key l");
    nap(0.3);
    read_clipboard(text, sizeof text);
    act("key a"); // axes
    nap(0.2);
    act("key Escape");
    cJSON *root = finish();
    const cJSON *window = cJSON_GetObjectItem(root, "window");
    snprintf(place, sizeof place, "%s", cJSON_GetObjectItem(window, "copied_place")->valuestring);
    cJSON_Delete(root);
    TEST_ASSERT_EQUAL_STRING(place, text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(3, sscanf(place, "near:(%lf, %lf, %lf)", &x[0], &x[1], &x[2]),
                                  place);

    // It is a place of the surface at rest, and seen from the window's own camera
    program_run("picture small.yaml --at '%s' -o at.png --size 320x200 --json", place);
    root = program_json();
    const cJSON *at = cJSON_GetObjectItem(root, "at_m");
    for (int c = 0; c < 3; c++) {
        moved[c] = cJSON_GetArrayItem(at, c)->valuedouble - x[c];
    }
    TEST_ASSERT_TRUE_MESSAGE(pal_norm3(moved) < 3e-4, place);
    TEST_ASSERT_FALSE(cJSON_IsTrue(cJSON_GetObjectItem(root, "at_hidden")));
    cJSON_Delete(root);
}

static void test_a_pull_holds_the_surface_and_sliders_change_what_it_is_made_of(void) {
    pal_trace_data trace;
    pal_err err = {0};
    const double scale = pal_layout_scale(1.0, WIDTH, HEIGHT);
    const pal_frame track = track_of(scale);
    double pulled = 0.0;
    start("--trace pull.h5");
    wait_for_window();
    act("mousemove %d %d", (int)(0.5 * (WIDTH + column * scale)), HEIGHT / 2);
    nap(0.2);
    act("keydown ctrl mousedown 1");
    nap(1.2); // the stylus goes there and takes hold
    for (int k = 1; k <= 4; k++) {
        act("mousemove_relative -- 10 -15");
        nap(0.15);
    }
    act("mouseup 1 keyup ctrl");
    nap(0.2);
    act("key e");
    nap(0.3);
    drag(track.left + 0.5 * track.width, track.top + 3.0, 0.4 * track.width, 0.0);
    nap(0.3);
    act("key s");
    wait_for("small-edited.yaml");
    close_window(); // in mid-contact
    cJSON *root = finish();
    const cJSON *window = cJSON_GetObjectItem(root, "window");
    TEST_ASSERT_TRUE(program_number(window, "pulls") >= 1);
    TEST_ASSERT_TRUE(program_number(window, "slider_moves") >= 1);
    TEST_ASSERT_TRUE(cJSON_IsTrue(cJSON_GetObjectItem(window, "stylus_led")));
    cJSON_Delete(root);

    CHECK_OK(pal_trace_read("pull.h5", &trace, &err), err);
    for (int64_t k = 0; k < trace.count; k++) {
        const bool down = (trace.record[k].buttons & 1) != 0;
        pulled = down ? fmax(pulled, pal_norm3(trace.record[k].force)) : pulled;
    }
    TEST_ASSERT_TRUE_MESSAGE(pulled > 0.02, "the body did not pull back");
    TEST_ASSERT_NOT_NULL(trace.live_edits);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(trace.live_edits, "young="), trace.live_edits);
    TEST_ASSERT_EQUAL_DOUBLE(0.0, pal_norm3(trace.record[trace.count - 1].force));
    pal_trace_data_free(&trace);

    // The copy says what the slider said, the scene itself is as it was, the run can be repeated
    char *text = text_of_file("small-edited.yaml"), *own = text_of_file("small.yaml");
    TEST_ASSERT_NULL_MESSAGE(strstr(text, "young: 12 kPa"), text);
    TEST_ASSERT_NOT_NULL(strstr(own, "young: 12 kPa"));
    free(text);
    free(own);
    program_run("replay pull.h5 --check --json");
    cJSON_Delete(program_json());
}

// The cursor goes up, and the stylus along the axis that the scene says is up.
static void test_the_mouse_leads_the_stylus_up_where_y_is_up(void) {
    pal_trace_data trace;
    pal_err err = {0};
    start_command("run lying.yaml --device mouse", "--trace lead.h5");
    wait_for_window();
    drag(0.6 * WIDTH, 0.6 * HEIGHT, 0.0, -90.0);
    nap(0.5);
    act("key Escape");
    cJSON_Delete(finish());
    CHECK_OK(pal_trace_read("lead.h5", &trace, &err), err);
    double way[3];
    pal_sub3(trace.record[trace.count - 1].position, trace.record[0].position, way);
    pal_trace_data_free(&trace);
    TEST_ASSERT_TRUE(way[1] > 0.01); // m
    TEST_ASSERT_TRUE(way[1] > 2.0 * hypot(way[0], way[2]));
}

static void test_a_sketch_keeps_what_is_pulled_by_hand(void) {
    start_command("sketch small.yaml", "--modes 6 -o drawn.yaml");
    wait_for_window();
    nap(0.5);
    drag(0.5 * WIDTH, 0.5 * HEIGHT, 60.0, -40.0); // on the body
    nap(0.2);
    act("key u");
    nap(0.2);
    act("key s");
    wait_for("drawn.yaml");
    drag(0.5 * WIDTH, 0.5 * HEIGHT, -60.0, 30.0);
    nap(0.2);
    act("key q"); // what was not saved is saved then
    cJSON *root = finish();
    TEST_ASSERT_TRUE(program_number(root, "loads") >= 2);
    TEST_ASSERT_TRUE(program_number(root, "pulls") >= 2);
    TEST_ASSERT_TRUE(program_number(root, "largest_force_n") > 0.0);
    char *loads = text_of_file("drawn.loads");
    int lines = 0;
    for (const char *c = loads; *c != '\0'; c++) {
        lines += *c == ';' && c[1] == ' ' && c[-1] == ' ';
    }
    TEST_ASSERT_EQUAL_INT((int)program_number(root, "loads") + 1, lines); // and the head
    free(loads);
    cJSON_Delete(root);
}

// As long as PALPATE_SOAK says, in seconds.
static void test_a_window_that_draws_all_the_time_leaves_the_servo_its_ticks(void) {
    const char *asked = getenv("PALPATE_SOAK");
    const int seconds = asked != NULL && atoi(asked) > 0 ? atoi(asked) : 2;
    char arguments[64];
    snprintf(arguments, sizeof arguments, "--seconds %d --trace soak.h5", seconds);
    start(arguments);
    wait_for_window();
    for (int k = 0; k < 4 * seconds - 4; k++) {
        act("key %s", k % 2 == 0 ? "Left" : "c");
        nap(0.25);
    }
    cJSON *root = finish();
    const cJSON *window = cJSON_GetObjectItem(root, "window");
    TEST_ASSERT_TRUE(program_number(root, "ticks") == 1000 * seconds);
    TEST_ASSERT_TRUE(program_number(root, "dropped") == 0);
    TEST_ASSERT_TRUE(program_number(window, "frames") >= 2 * seconds);
    TEST_ASSERT_TRUE(cJSON_IsFalse(cJSON_GetObjectItem(window, "lost")));
    cJSON_Delete(root);
}

static void test_without_a_window_a_run_goes_on_where_that_makes_sense(void) {
    char display[64];
    snprintf(display, sizeof display, "%s", getenv("DISPLAY"));
    setenv("DISPLAY", ":9999", 1);
    start("--seconds 0.2");
    cJSON *root = finish();
    TEST_ASSERT_TRUE(program_number(root, "ticks") == 200);
    TEST_ASSERT_NULL(cJSON_GetObjectItem(root, "window"));
    cJSON_Delete(root);
    char *errors = text_of_file("errors.txt");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(errors, "the run goes on without one"), errors);
    free(errors);
    program_run("run small.yaml --device mouse");
    program_fails(1, "display");
    unsetenv("DISPLAY");
    program_run("run small.yaml --device mouse");
    program_fails(2, "led in the window");
    setenv("DISPLAY", display, 1);
}

// Last: the display is gone then.
static void test_a_run_outlives_its_display_and_keeps_its_trace(void) {
    pal_trace_data trace;
    pal_err err = {0};
    start("--seconds 2 --trace lost.h5");
    wait_for_window();
    nap(0.3);
    display_kill(server);
    server = 0;
    cJSON *root = finish();
    const cJSON *window = cJSON_GetObjectItem(root, "window");
    TEST_ASSERT_TRUE(cJSON_IsTrue(cJSON_GetObjectItem(window, "lost")));
    TEST_ASSERT_TRUE(program_number(root, "ticks") == 2000);
    cJSON_Delete(root);
    char *errors = text_of_file("errors.txt");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(errors, "the run goes on without it"), errors);
    free(errors);
    CHECK_OK(pal_trace_read("lost.h5", &trace, &err), err);
    TEST_ASSERT_EQUAL_INT(2000, trace.count);
    pal_trace_data_free(&trace);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_camera_turns_and_time_stands_still_and_goes_on);
    RUN_TEST(test_the_place_under_the_mouse_is_told_and_copied_as_scenes_name_it);
    RUN_TEST(test_a_pull_holds_the_surface_and_sliders_change_what_it_is_made_of);
    RUN_TEST(test_the_mouse_leads_the_stylus_up_where_y_is_up);
    RUN_TEST(test_a_sketch_keeps_what_is_pulled_by_hand);
    RUN_TEST(test_a_window_that_draws_all_the_time_leaves_the_servo_its_ticks);
    RUN_TEST(test_without_a_window_a_run_goes_on_where_that_makes_sense);
    RUN_TEST(test_a_run_outlives_its_display_and_keeps_its_trace);
    return UNITY_END();
}
