#include "app/command.h"

#include <errno.h>
#include <string.h>

#include "app/json.h"
#include "app/progress_bar.h"
#include "app/style.h"
#include "app/suggest.h"
#include "app/table.h"
#include "app/traces.h"
#include "scenes/scene.h"
#include "sim/base/parallel.h"
#include "sim/base/visible.h"

#define TALK_OPTIONS                                                                               \
    {.name = "--json", .help = "print the results as JSON"},                                       \
        {.name = "--quiet", .help = "no progress on standard error"},                              \
        {.name = "--help", .letter = 'h', .help = "this text"}, {                                  \
        .name = NULL                                                                               \
    }

const pal_option pal_options_talk[] = {TALK_OPTIONS};

const pal_option pal_options_work[] = {
    {.name = "--threads",
     .kind = PAL_OPTION_COUNT,
     .argument = "N",
     .min = 1,
     .max = 64,
     .help = "processors to use (default: all of this machine)"},
    TALK_OPTIONS,
};

static const pal_command *const commands[] = {
    // clang-format off
    &pal_command_demo,
    &pal_command_run_scene,
    &pal_command_replay,
    &pal_command_feel,
    &pal_command_picture,
    &pal_command_film,
    &pal_command_new,
    &pal_command_bake,
    &pal_command_sketch,
    &pal_command_modes,
    &pal_command_static,
    &pal_command_indent,
    &pal_command_dynamic,
    &pal_command_compare,
    &pal_command_domains,
    &pal_command_edit,
    &pal_command_score,
    &pal_command_info,
    &pal_command_scenes,
    &pal_command_bench,
    &pal_command_selftest,
    &pal_command_doctor,
    &pal_command_help,
    &pal_command_version,
    NULL,
    // clang-format on
};

const pal_command *pal_command_at(int index) {
    return commands[index];
}

const pal_command *pal_command_find(const char *name, pal_err *err) {
    pal_suggestion suggestion = {.word = name};
    for (int i = 0; commands[i] != NULL; i++) {
        if (strcmp(commands[i]->usage.command, name) == 0) {
            return commands[i];
        }
        pal_suggest_try(&suggestion, commands[i]->usage.command);
    }
    pal_fail(err, PAL_ERR_USAGE, "unknown command '%s'%s (palpate --help lists the commands)", name,
             pal_suggest_text(&suggestion));
    return NULL;
}

void pal_command_overview(FILE *out) {
    const char *bold = pal_style_bold(out), *plain = pal_style_plain(out);
    fprintf(out, "%spalpate%s - feel a soft body: from a mesh to a reduced model for haptics\n\n",
            bold, plain);
    fprintf(out, "%sUsage%s\n  %s COMMAND [options]\n\n%sCommands%s\n", bold, plain,
            pal_style_program(), bold, plain);
    pal_table table;
    pal_table_start(&table, "|");
    for (int i = 0; commands[i] != NULL; i++) {
        const pal_usage *usage = &commands[i]->usage;
        pal_table_cell(&table, "%s%s%s", usage->command, usage->operands[0] != '\0' ? " " : "",
                       usage->operands);
        pal_table_cell(&table, "%s", usage->summary);
    }
    if (strcmp(pal_style_program(), "palpate") != 0) { // the wrapper script knows one more
        pal_table_cell(&table, "test [NAME...]");
        pal_table_cell(&table, "build and run the tests; NAME: those with that in their name");
    }
    pal_table_print(&table, out);
    fprintf(out, "\n%sExamples%s\n", bold, plain);
    pal_style_commands(out, "palpate demo\n"
                            "palpate modes liver --count 12\n"
                            "palpate bake spoon -o spoon.h5\n"
                            "palpate modes --help");
    fprintf(out,
            "\nAll quantities are in SI units. Exit codes: 0 done, 1 failed, 2 wrong usage.\n");
}

// "path:line: what; what to do" in its parts: where it is has no blank, what to do is after the
// first "; ".
static void print_error(const pal_err *err, int code) {
    const char *text = err->text;
    char what[sizeof err->text];
    cJSON *root = pal_json_object(), *error = pal_json_object();
    const size_t place = strcspn(text, " ");
    const bool placed = place > 1 && text[place - 1] == ':' && text[place] == ' ';
    const char *from = placed ? text + place + 1 : text, *hint = strstr(from, "; ");
    const size_t size = hint != NULL ? (size_t)(hint - from) : strlen(from);
    pal_json_text(error, "message", text);
    if (placed) {
        snprintf(what, sizeof what, "%.*s", (int)place - 1, text);
        pal_json_text(error, "where", what);
    }
    snprintf(what, sizeof what, "%.*s", (int)size, from);
    pal_json_text(error, "what", what);
    if (hint != NULL) {
        pal_json_text(error, "hint", hint + 2);
    }
    pal_json_text(error, "kind", pal_status_text(err->status));
    pal_json_number(error, "exit_code", code);
    pal_json_add(root, "error", error);
    pal_json_print(root, NULL);
    fflush(stdout);
}

int pal_command_report(const pal_err *err, bool json) {
    pal_bar_end(err->status);
    fflush(stdout);
    // Words out of a garbled file stay on the one line
    char text[PAL_VISIBLE_MOST * sizeof err->text];
    pal_visible_copy(err->text, text, sizeof text);
    const int code = err->status == PAL_ERR_USAGE ? 2 : 1;
    if (json && !pal_json_printed()) {
        print_error(err, code);
    }
    fprintf(stderr, "palpate: %serror:%s %s\n", pal_style_alarm(stderr), pal_style_plain(stderr),
            text);
    return code;
}

// Of the cache, where results do not say it.
static void tell_of_cache(const char *text) {
    fflush(stdout);
    fprintf(stderr, "palpate: note: %s\n", text);
}

// Options of the common tables that are not the command's own business.
static void start_job(const pal_args *args, pal_job *job) {
    *job = (pal_job){.args = args, .json = pal_args_flag(args, "--json")};
    // JSON is for programs, which often take any word on standard error for trouble.
    bool silent = job->json && !pal_style_is_terminal(stderr);
    pal_cache_listen(silent ? NULL : tell_of_cache);
    job->progress = pal_bar_start(silent || pal_args_flag(args, "--quiet"));
    for (int i = 0; i < args->value_count; i++) {
        if (strcmp(args->value[i].option->name, "--threads") == 0 && args->value[i].count > 0) {
            pal_set_thread_count((int)args->value[i].number[0]);
        }
        if (strcmp(args->value[i].option->name, "--lenient") == 0 && args->value[i].count > 0) {
            pal_traces_be_lenient();
        }
    }
}

bool pal_command_wants_json(int argc, const char *const *argv) {
    bool wants = false;
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        wants = wants || strcmp(argv[i], "--json") == 0;
    }
    return wants;
}

int pal_command_run(const pal_command *command, int argc, const char *const *argv) {
    pal_err err = {0};
    pal_args args;
    pal_status status = pal_options_parse(&command->usage, argc, argv, &args, &err);
    if (status == PAL_OK && args.help) {
        pal_options_help(&command->usage, stdout);
    } else if (status == PAL_OK) {
        pal_job job;
        start_job(&args, &job);
        status = command->run(&job, &err);
        pal_bar_end(status);
    }
    if (status == PAL_OK && (fflush(stdout) != 0 || ferror(stdout))) {
        status = pal_fail(&err, PAL_ERR_IO, "cannot write the results to standard output: %s",
                          strerror(errno));
    }
    return status == PAL_OK ? 0 : pal_command_report(&err, pal_command_wants_json(argc, argv));
}
