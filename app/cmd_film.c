// palpate film TRACE: a recorded run as a film, or as numbered pictures.
#include "app/command.h"

static pal_status run(const pal_job *job, pal_err *err) {
    (void)job;
    return pal_fail(err, PAL_ERR_UNSUPPORTED, "soon");
}
const pal_command pal_command_film = {.usage = {.command = "film",
                                                .summary = "a recorded run as a film",
                                                .operands = "TRACE",
                                                .min_operands = 1,
                                                .max_operands = 1,
                                                .group = {{"Output", pal_options_work}}},
                                      .run = run};
