// palpate modes MESH|SCENE: natural frequencies.
#include <math.h>
#include <stdlib.h>

#include "app/output.h"
#include "app/problem.h"
#include "app/progress_bar.h"
#include "app/style.h"
#include "app/table.h"
#include "app/vtu.h"
#include "sim/base/memory.h"
#include "sim/basis/eigen.h"

static const pal_option options[] = {
    {.name = "--count",
     .letter = 'n',
     .kind = PAL_OPTION_COUNT,
     .argument = "N",
     .fallback = "10",
     .min = 1,
     .max = 100000,
     .help = "how many modes, the lowest first; the rigid ones of a free body are left out"},
    {.name = "--vtu",
     .kind = PAL_OPTION_TEXT,
     .argument = "FILE.vtu",
     .help = "write the mesh with its mode shapes (mass-normalised) for ParaView"},
    {.name = NULL},
};

static void print_table(const pal_problem *problem, const pal_modes *modes) {
    pal_problem_print(problem, stdout);
    if (modes->rigid > 0) {
        pal_table_fact(stdout, "rigid modes", "%d, left out", (int)modes->rigid);
    }
    pal_table_fact(stdout, "worst residual", "%.1e", modes->residual_max);
    putchar('\n');
    pal_table table;
    pal_table_start(&table, ">mode|>frequency [Hz]|>period [ms]");
    for (int32_t i = 0; i < modes->count; i++) {
        double hz = pal_mode_hz(modes->lambda[i]);
        pal_table_cell(&table, "%d", (int)i + 1);
        pal_table_cell(&table, "%#.6g", hz);
        pal_table_cell(&table, "%.4g", 1e3 / hz);
    }
    pal_table_print(&table, stdout);
}

static pal_status print_json(const pal_problem *problem, const pal_modes *modes, pal_err *err) {
    double *hz = PAL_NEW(double, modes->count, err);
    if (hz == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t i = 0; i < modes->count; i++) {
        hz[i] = pal_mode_hz(modes->lambda[i]);
    }
    cJSON *root = pal_json_object();
    pal_problem_json(problem, root);
    pal_json_numbers(root, "frequencies_hz", hz, modes->count);
    pal_json_number(root, "residual_max", modes->residual_max);
    pal_json_number(root, "rigid_modes", modes->rigid);
    free(hz);
    return pal_json_print(root, err);
}

// Every shape as a field mode_1, mode_2, ...
static pal_status write_shapes(const char *path, const pal_volmesh *mesh, const pal_modes *modes,
                               pal_err *err) {
    pal_vtu_field *field = PAL_NEW(pal_vtu_field, modes->count, err);
    if (field == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t i = 0; i < modes->count; i++) {
        snprintf(field[i].name, sizeof field[i].name, "mode_%d", (int)i + 1);
        field[i].value = modes->psi + (int64_t)i * modes->rows;
    }
    pal_status status = pal_vtu_write(path, mesh, field, modes->count, err);
    free(field);
    return status;
}

static pal_status show(const pal_job *job, const pal_problem *problem, const pal_modes *modes,
                       pal_err *err) {
    const char *vtu = pal_args_text(job->args, "--vtu");
    pal_status status = vtu != NULL ? write_shapes(vtu, &problem->mesh, modes, err) : PAL_OK;
    if (status == PAL_OK && job->json) {
        status = print_json(problem, modes, err);
    } else if (status == PAL_OK) {
        print_table(problem, modes);
        pal_output_print_written(job->args, "--vtu");
    }
    return status;
}

static pal_status run(const pal_job *job, pal_err *err) {
    pal_problem problem;
    pal_modes modes;
    pal_status status = pal_output_check(job->args, "--vtu", ".vtu", err);
    if (status == PAL_OK) {
        status = pal_problem_open(&problem, job, err);
    }
    if (status != PAL_OK) {
        return status;
    }
    status = pal_modes_solve(&problem.fem, pal_args_count(job->args, "--count"), job->progress,
                             &modes, err);
    pal_bar_end(status);
    if (status == PAL_OK) {
        status = show(job, &problem, &modes, err);
        pal_modes_free(&modes);
    }
    pal_problem_close(&problem);
    return status;
}

const pal_command pal_command_modes = {
    .usage = {.command = "modes",
              .summary = "natural frequencies of a body",
              .operands = "MESH|SCENE",
              .min_operands = 1,
              .max_operands = 1,
              .about = PAL_PROBLEM_ABOUT,
              .examples = "palpate modes liver --count 12\n"
                          "palpate modes spoon --fix none --material steel --json\n"
                          "palpate modes body.msh --young 1e6 --poisson 0.35 --density 1000 "
                          "--fix 'x<0.001'",
              .group = {{"Options", options}, PAL_PROBLEM_GROUPS}},
    .run = run,
};
