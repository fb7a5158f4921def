// A command of the program: how it is called, and what runs. One file cmd_NAME.c each.
#ifndef PAL_APP_COMMAND_H
#define PAL_APP_COMMAND_H

#include "app/options.h"
#include "sim/base/progress.h"
#include "sim/base/status.h"

// What a command is given: its parsed options and where to report progress (NULL: silence).
typedef struct pal_job {
    const pal_args *args;
    const pal_progress *progress;
    bool json; // results as JSON on standard output
} pal_job;

typedef struct pal_command {
    pal_usage usage;
    // Prints results to standard output only when it succeeds; main prints the error.
    pal_status (*run)(const pal_job *job, pal_err *err);
} pal_command;

extern const pal_command pal_command_bake;
extern const pal_command pal_command_bench;
extern const pal_command pal_command_compare;
extern const pal_command pal_command_demo;
extern const pal_command pal_command_doctor;
extern const pal_command pal_command_domains;
extern const pal_command pal_command_dynamic;
extern const pal_command pal_command_edit;
extern const pal_command pal_command_feel;
extern const pal_command pal_command_film;
extern const pal_command pal_command_help;
extern const pal_command pal_command_info;
extern const pal_command pal_command_modes;
extern const pal_command pal_command_new;
extern const pal_command pal_command_picture;
extern const pal_command pal_command_replay;
extern const pal_command pal_command_run_scene;
extern const pal_command pal_command_scenes;
extern const pal_command pal_command_score;
extern const pal_command pal_command_selftest;
extern const pal_command pal_command_sketch;
extern const pal_command pal_command_static;
extern const pal_command pal_command_indent;
extern const pal_command pal_command_version;

// All of them in the order of the help; NULL past the end. And one by name, or NULL with a
// suggestion in *err.
const pal_command *pal_command_at(int index);
const pal_command *pal_command_find(const char *name, pal_err *err);

// The table of commands.
void pal_command_overview(FILE *out);

// Parses argv (after the command's name), runs, prints errors; returns the exit code: 0 done, 1
// failed, 2 wrong usage.
int pal_command_run(const pal_command *command, int argc, const char *const *argv);

// Prints "palpate: error: ..." on standard error, where JSON is wanted also an object `error` on
// standard output (message, its parts what, where and hint, kind, exit_code), unless results are
// there already; returns the exit code for err->status.
int pal_command_report(const pal_err *err, bool json);

// Whether --json is among the arguments, which may be wrong otherwise.
bool pal_command_wants_json(int argc, const char *const *argv);

// The options that every command has: --json, --quiet, --threads, --help; and the same without
// --threads for commands that calculate nothing.
extern const pal_option pal_options_work[];
extern const pal_option pal_options_talk[];

#endif
