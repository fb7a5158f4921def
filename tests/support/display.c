#include "tests/support/display.h"

#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/check.h"

extern char **environ;

pid_t display_start(int width, int height) {
    int ends[2];
    char end[16], screen[32], number[16] = "", name[32];
    TEST_ASSERT_EQUAL_INT(0, pipe(ends));
    snprintf(end, sizeof end, "%d", ends[1]);
    snprintf(screen, sizeof screen, "%dx%dx24", width, height);
    char *const argument[] = {"Xvfb", "-displayfd", end,   "-screen",  "0",
                              screen, "-nolisten",  "tcp", "-noreset", NULL};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", 1, 0);
    pid_t server = 0;
    const int trouble = posix_spawnp(&server, "Xvfb", &files, NULL, argument, environ);
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, trouble, "no Xvfb: ./palpate test installs it (xvfb)");
    size_t used = 0; // it writes its number and the end of the line when it is up
    while (used < sizeof number - 1 && strchr(number, '\n') == NULL) {
        const ssize_t more = read(ends[0], number + used, sizeof number - 1 - used);
        if (more <= 0) {
            break;
        }
        used += (size_t)more;
    }
    close(ends[0]);
    if (strchr(number, '\n') == NULL) {
        display_kill(server);
        TEST_FAIL_MESSAGE("Xvfb did not come up");
    }
    number[strcspn(number, "\n")] = '\0';
    snprintf(name, sizeof name, ":%s", number);
    setenv("DISPLAY", name, 1);
    return server;
}

void display_kill(pid_t server) {
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
}
