// palpate version
#include <string.h>

#include "app/command.h"
#include "app/json.h"
#include "sim/base/cpu_level.h"

static pal_status run(const pal_job *job, pal_err *err) {
    char kernels[PAL_CPU_TEXT];
    pal_cpu_kernels(kernels);
    if (job->json) {
        cJSON *root = pal_json_object();
        pal_json_text(root, "version", PAL_VERSION);
        pal_json_text(root, "kernels", kernels);
        pal_json_text(root, "level", pal_cpu_level());
        pal_json_text(root, "best_level", pal_cpu_level_best());
        pal_json_bool(root, "native", pal_cpu_is_native());
        return pal_json_print(root, err);
    }
    printf("palpate %s\nkernels: %s", PAL_VERSION, kernels);
    if (strcmp(pal_cpu_level(), pal_cpu_level_best()) != 0) {
        printf(" (by PALPATE_CPU; the best here is %s)", pal_cpu_level_best());
    }
    putchar('\n');
    return PAL_OK;
}

const pal_command pal_command_version = {
    .usage = {.command = "version",
              .summary = "the version of this program, and the processor level in use",
              .operands = "",
              .examples = "palpate version",
              .group = {{"Output", pal_options_talk}}},
    .run = run,
};
