// The program: palpate COMMAND.
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/screen.h"
#include "app/style.h"
#include "sim/base/cpu_level.h"
#include "sim/base/parallel.h"

int main(int argc, char **argv) {
    signal(SIGXFSZ, SIG_IGN); // a limit on file sizes is an error of the write, not our end
    pal_screen_start();
    pal_blas_share(false);
    const char *program = getenv("PALPATE_PROGRAM");
    pal_style_set_program(program != NULL && program[0] != '\0' ? program : "palpate");

    const bool json = pal_command_wants_json(argc - 1, (const char *const *)argv + 1);
    pal_err err = {0};
    if (pal_cpu_check(&err) != PAL_OK) {
        return pal_command_report(&err, json);
    }

    // Nothing said, or a question about the whole: the table of commands.
    const char *name = argc > 1 ? argv[1] : "--help";
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        pal_command_overview(argc > 1 ? stdout : stderr);
        return argc > 1 ? 0 : 2;
    }
    if (strcmp(name, "--version") == 0) {
        name = "version";
    }

    const pal_command *command = pal_command_find(name, &err);
    if (command == NULL) {
        return pal_command_report(&err, json);
    }
    return pal_command_run(command, argc - 2, (const char *const *)argv + 2);
}
