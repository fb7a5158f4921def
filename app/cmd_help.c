// palpate help [COMMAND]
#include "app/command.h"
#include "app/json.h"

static pal_status list_as_json(pal_err *err) {
    cJSON *root = pal_json_array();
    for (int i = 0; pal_command_at(i) != NULL; i++) {
        cJSON *item = pal_json_object();
        pal_json_text(item, "command", pal_command_at(i)->usage.command);
        pal_json_text(item, "operands", pal_command_at(i)->usage.operands);
        pal_json_text(item, "summary", pal_command_at(i)->usage.summary);
        pal_json_append(root, item);
    }
    return pal_json_print(root, err);
}

static pal_status run(const pal_job *job, pal_err *err) {
    if (job->args->operand_count == 0) {
        if (job->json) {
            return list_as_json(err);
        }
        pal_command_overview(stdout);
        return PAL_OK;
    }
    const pal_command *command = pal_command_find(job->args->operand[0], err);
    if (command == NULL) {
        return err->status;
    }
    pal_options_help(&command->usage, stdout);
    return PAL_OK;
}

const pal_command pal_command_help = {
    .usage = {.command = "help",
              .summary = "the commands, or all about one of them",
              .operands = "[COMMAND]",
              .max_operands = 1,
              .examples = "palpate help\npalpate help modes",
              .group = {{"Output", pal_options_talk}}},
    .run = run,
};
