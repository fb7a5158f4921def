// palpate version
#include "app/command.h"
#include "app/json.h"

static pal_status run(const pal_job *job, pal_err *err) {
    if (job->json) {
        cJSON *root = pal_json_object();
        pal_json_text(root, "version", PAL_VERSION);
        return pal_json_print(root, err);
    }
    printf("palpate %s\n", PAL_VERSION);
    return PAL_OK;
}

const pal_command pal_command_version = {
    .usage = {.command = "version",
              .summary = "the version of this program",
              .operands = "",
              .examples = "palpate version",
              .group = {{"Output", pal_options_talk}}},
    .run = run,
};
