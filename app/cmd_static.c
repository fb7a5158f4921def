// palpate static MESH|SCENE: the full equilibrium under dead loads.
#include <stdlib.h>

#include "app/loading.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "app/table.h"
#include "app/vtu.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/fem/static.h"

static const pal_option options[] = {
    {.name = "--displacement",
     .letter = 'o',
     .kind = PAL_OPTION_TEXT,
     .argument = "FILE.txt",
     .help = "write the displacement of every vertex in m: lines 'vertex ux uy uz', vertices "
             "counted from 0 as in the mesh file"},
    {.name = "--vtu",
     .kind = PAL_OPTION_TEXT,
     .argument = "FILE.vtu",
     .help = "write the mesh with its displacement for ParaView"},
    {.name = "--tolerance",
     .kind = PAL_OPTION_NUMBER,
     .argument = "T",
     .fallback = "1e-11",
     .min = 1e-14,
     .max = 0.1,
     .help = "Newton stops where |R(u) - f| is below T |f|"},
    {.name = "--max-iterations",
     .kind = PAL_OPTION_COUNT,
     .argument = "N",
     .fallback = "500",
     .min = 1,
     .max = 1000000,
     .help = "Newton iterations in all"},
    {.name = NULL},
};

static void print_table(const pal_problem *problem, const pal_probes *probes, const double *u,
                        const pal_static_report *report) {
    pal_problem_print(problem, stdout);
    pal_table_fact(stdout, "strain energy", "%.8g J", report->energy);
    pal_table_fact(stdout, "Newton", "%d iterations in %d load step%s, residual %.1e N",
                   report->newton_iterations, report->load_steps,
                   report->load_steps == 1 ? "" : "s", report->residual);
    putchar('\n');
    pal_table table;
    pal_table_start(&table, "mean displacement of|>vertices|>ux [m]|>uy [m]|>uz [m]|>length [m]");
    for (int i = 0; i < probes->count; i++) {
        double mean[3];
        pal_probe_read(&probes->probe[i], u, mean);
        pal_table_cell(&table, "%s", probes->probe[i].selector);
        pal_table_cell(&table, "%d", (int)probes->probe[i].count);
        for (int c = 0; c < 3; c++) {
            pal_table_cell(&table, "%.6g", mean[c]);
        }
        pal_table_cell(&table, "%.6g", pal_norm3(mean));
    }
    pal_table_print(&table, stdout);
}

static pal_status print_json(const pal_problem *problem, const pal_probes *probes, const double *u,
                             const pal_static_report *report, pal_err *err) {
    cJSON *root = pal_json_object();
    cJSON *list = pal_json_array();
    pal_problem_json(problem, root);
    for (int i = 0; i < probes->count; i++) {
        double mean[3];
        pal_probe_read(&probes->probe[i], u, mean);
        cJSON *item = pal_json_object();
        pal_json_text(item, "selector", probes->probe[i].selector);
        pal_json_number(item, "vertices", probes->probe[i].count);
        pal_json_numbers(item, "mean_displacement_m", mean, 3);
        pal_json_append(list, item);
    }
    pal_json_add(root, "probes", list);
    pal_json_number(root, "energy_j", report->energy);
    pal_json_number(root, "newton_iterations", report->newton_iterations);
    pal_json_number(root, "residual", report->residual);
    pal_json_number(root, "load_steps", report->load_steps);
    return pal_json_print(root, err);
}

static pal_status write_displacement(const char *path, const pal_volmesh *mesh, const double *u,
                                     pal_err *err) {
    pal_output file;
    pal_status status = pal_output_open(&file, err);
    if (status != PAL_OK) {
        return status;
    }
    fprintf(file.stream, "# vertex ux uy uz [m]\n");
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        const double *d = u + 3 * (int64_t)v;
        fprintf(file.stream, "%d %.17g %.17g %.17g\n", (int)mesh->file_vertex[v], d[0], d[1], d[2]);
    }
    return pal_output_close(&file, path, err);
}

static pal_status write_files(const pal_job *job, const pal_volmesh *mesh, const double *u,
                              pal_err *err) {
    const char *text = pal_args_text(job->args, "--displacement");
    const char *vtu = pal_args_text(job->args, "--vtu");
    pal_vtu_field field = {.name = "displacement", .value = u};
    pal_status status = text != NULL ? write_displacement(text, mesh, u, err) : PAL_OK;
    if (status == PAL_OK && vtu != NULL) {
        status = pal_vtu_write(vtu, mesh, &field, 1, err);
    }
    return status;
}

static pal_status solve_and_print(const pal_job *job, pal_problem *problem, const double *f,
                                  const pal_probes *probes, double *u, pal_err *err) {
    pal_static_options solver = {.max_iterations = pal_args_count(job->args, "--max-iterations"),
                                 .tolerance = pal_args_number(job->args, "--tolerance")};
    pal_static_report report = {0};
    pal_status status = pal_static_solve(&problem->fem, f, &solver, job->progress, u, &report, err);
    pal_bar_end(status);
    if (status == PAL_OK) {
        status = write_files(job, &problem->mesh, u, err);
    }
    if (status == PAL_OK && job->json) {
        status = print_json(problem, probes, u, &report, err);
    } else if (status == PAL_OK) {
        print_table(problem, probes, u, &report);
        pal_output_print_written(job->args, "--displacement");
        pal_output_print_written(job->args, "--vtu");
    }
    return status;
}

static pal_status run(const pal_job *job, pal_err *err) {
    pal_problem problem;
    pal_probes probes = {0};
    double *f = NULL, *u = NULL;
    pal_status status = pal_output_check(job->args, "--displacement", NULL, err);
    if (status == PAL_OK) {
        status = pal_output_check(job->args, "--vtu", ".vtu", err);
    }
    if (status == PAL_OK) {
        status = pal_problem_open(&problem, job, err);
    }
    if (status != PAL_OK) {
        return status;
    }
    status = pal_loading_make(&problem, job->args, &f, err);
    if (status == PAL_OK) {
        status = pal_probes_make(&problem, job->args, &probes, err);
    }
    if (status == PAL_OK) {
        u = PAL_NEW(double, 3 * (size_t)problem.mesh.vertex_count, err);
        status = u == NULL ? PAL_ERR_MEMORY : solve_and_print(job, &problem, f, &probes, u, err);
    }
    free(f);
    free(u);
    pal_probes_free(&probes);
    pal_problem_close(&problem);
    return status;
}

const pal_command pal_command_static = {
    .usage = {.command = "static",
              .summary = "full (unreduced) equilibrium under loads: the ground truth",
              .operands = "MESH|SCENE",
              .min_operands = 1,
              .max_operands = 1,
              .about = "Large deformations of the St. Venant-Kirchhoff body by Newton's method. "
                       "The body must be held somewhere. " PAL_PROBLEM_ABOUT " " PAL_PROBLEM_PLACES,
              .examples =
                  "palpate static liver --load 'x>0.18:0,0,-0.1'\n"
                  "palpate static liver --gravity 0,0,-1 --probe 'x>0.18' --probe all --json\n"
                  "palpate static body.msh --material liver --fix 'x<0.001' "
                  "--load 'vertices:7:0,0,-2'",
              .group = {{"Loads and probes", pal_options_loading},
                        {"Solver and files", options},
                        PAL_PROBLEM_GROUPS}},
    .run = run,
};
