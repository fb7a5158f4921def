// palpate dynamic MESH|SCENE: full implicit Newmark dynamics under a load switched on at t = 0.
#include <math.h>
#include <stdlib.h>

#include "app/loading.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "app/style.h"
#include "app/table.h"
#include "sim/base/memory.h"
#include "sim/fem/dynamic.h"

enum { TABLE_LINES = 20, TABLE_PROBES = 3, MAX_STEPS = 10000000 };

static const pal_option options[] = {
    {.name = "--dt",
     .kind = PAL_OPTION_NUMBER,
     .argument = "T",
     .fallback = "0.01",
     .max = INFINITY,
     .open = true,
     .help = "time step in s"},
    {.name = "--steps",
     .kind = PAL_OPTION_COUNT,
     .argument = "N",
     .fallback = "100",
     .min = 1,
     .max = MAX_STEPS,
     .help = "how many steps"},
    {.name = "--seconds",
     .kind = PAL_OPTION_NUMBER,
     .argument = "T",
     .max = INFINITY,
     .open = true,
     .help = "how long instead of how many steps, in s"},
    {.name = "--alpha",
     .kind = PAL_OPTION_NUMBER,
     .argument = "A",
     .fallback = "0",
     .max = INFINITY,
     .help = "damping of the mass in 1/s: C = A M + B K(u)"},
    {.name = "--beta",
     .kind = PAL_OPTION_NUMBER,
     .argument = "B",
     .fallback = "0",
     .max = INFINITY,
     .help = "damping of the tangent stiffness in s"},
    {.name = "--csv",
     .letter = 'o',
     .kind = PAL_OPTION_TEXT,
     .argument = "FILE.csv",
     .help = "write every step: time, the probes, kinetic and strain energy"},
    {.name = NULL},
};

// What is kept of every step. mean is [probes][steps + 1][3].
typedef struct record {
    const pal_probes *probes;
    int64_t room;  // steps + 1
    int64_t count; // so far
    double *time, *kinetic, *strain;
    double *mean;
} record;

static pal_status record_alloc(record *r, const pal_probes *probes, int steps, pal_err *err) {
    *r = (record){.probes = probes, .room = (int64_t)steps + 1};
    r->time = PAL_NEW(double, r->room, err);
    r->kinetic = PAL_NEW(double, r->room, err);
    r->strain = PAL_NEW(double, r->room, err);
    r->mean = PAL_NEW(double, 3 * r->room * probes->count, err);
    return r->time && r->kinetic && r->strain && r->mean ? PAL_OK : PAL_ERR_MEMORY;
}

static void record_free(record *r) {
    free(r->time);
    free(r->kinetic);
    free(r->strain);
    free(r->mean);
}

static double *mean_at(const record *r, int probe, int64_t step) {
    return r->mean + 3 * (probe * r->room + step);
}

static bool observe(void *user, int step, double time, const double *u, const double *v,
                    double kinetic, double strain) {
    record *r = user;
    (void)v;
    if (step >= r->room) {
        return false;
    }
    r->time[step] = time;
    r->kinetic[step] = kinetic;
    r->strain[step] = strain;
    for (int i = 0; i < r->probes->count; i++) {
        pal_probe_read(&r->probes->probe[i], u, mean_at(r, i, step));
    }
    r->count = (int64_t)step + 1;
    return true;
}

static void print_row(pal_table *table, const record *r, int shown, int64_t step) {
    pal_table_cell(table, "%.6g", r->time[step]);
    for (int i = 0; i < shown; i++) {
        for (int c = 0; c < 3; c++) {
            pal_table_cell(table, "%.5g", mean_at(r, i, step)[c]);
        }
    }
    pal_table_cell(table, "%.5g", r->kinetic[step]);
    pal_table_cell(table, "%.5g", r->strain[step]);
}

// About TABLE_LINES of the steps, evenly, the first and last among them.
static void print_table(const pal_problem *problem, const record *r) {
    pal_problem_print(problem, stdout);
    int shown = r->probes->count < TABLE_PROBES ? r->probes->count : TABLE_PROBES;
    char headings[256];
    int used = snprintf(headings, sizeof headings, ">time [s]");
    for (int i = 0; i < shown; i++) {
        // One probe is u; of several, the first is u1.
        char u[16] = "u";
        if (shown > 1) {
            snprintf(u, sizeof u, "u%d", i + 1);
        }
        pal_table_fact(stdout, u, "mean displacement of '%s'", r->probes->probe[i].selector);
        used += snprintf(headings + used, sizeof headings - (size_t)used,
                         "|>%sx [m]|>%sy [m]|>%sz [m]", u, u, u);
    }
    snprintf(headings + used, sizeof headings - (size_t)used, "|>kinetic [J]|>strain [J]");
    if (shown < r->probes->count) {
        pal_table_fact(stdout, "", "and %d more probes: see --json or --csv",
                       r->probes->count - shown);
    }
    putchar('\n');
    pal_table table;
    pal_table_start(&table, headings);
    int64_t last = r->count - 1;
    int64_t stride = last / TABLE_LINES < 1 ? 1 : (last + TABLE_LINES - 1) / TABLE_LINES;
    for (int64_t step = 0; step < last; step += stride) {
        print_row(&table, r, shown, step);
    }
    print_row(&table, r, shown, last);
    pal_table_print(&table, stdout);
}

static pal_status print_json(const pal_problem *problem, const record *r, pal_err *err) {
    cJSON *root = pal_json_object();
    cJSON *list = pal_json_array();
    pal_problem_json(problem, root);
    for (int i = 0; i < r->probes->count; i++) {
        cJSON *item = pal_json_object();
        pal_json_text(item, "selector", r->probes->probe[i].selector);
        pal_json_number(item, "vertices", r->probes->probe[i].count);
        pal_json_numbers(item, "time_s", r->time, r->count);
        pal_json_vectors(item, "mean_displacement_m", mean_at(r, i, 0), r->count);
        pal_json_append(list, item);
    }
    pal_json_add(root, "probes", list);
    pal_json_numbers(root, "kinetic_j", r->kinetic, r->count);
    pal_json_numbers(root, "strain_j", r->strain, r->count);
    return pal_json_print(root, err);
}

static pal_status write_csv(const char *path, const record *r, pal_err *err) {
    pal_output file;
    pal_status status = pal_output_open(&file, err);
    if (status != PAL_OK) {
        return status;
    }
    fprintf(file.stream, "time_s");
    for (int i = 1; i <= r->probes->count; i++) {
        fprintf(file.stream, ",u%dx_m,u%dy_m,u%dz_m", i, i, i);
    }
    fprintf(file.stream, ",kinetic_j,strain_j\n");
    for (int64_t step = 0; step < r->count; step++) {
        fprintf(file.stream, "%.17g", r->time[step]);
        for (int i = 0; i < r->probes->count; i++) {
            const double *mean = mean_at(r, i, step);
            fprintf(file.stream, ",%.17g,%.17g,%.17g", mean[0], mean[1], mean[2]);
        }
        fprintf(file.stream, ",%.17g,%.17g\n", r->kinetic[step], r->strain[step]);
    }
    return pal_output_close(&file, path, err);
}

static pal_status read_options(const pal_args *args, pal_dynamic_options *dynamic, pal_err *err) {
    *dynamic = (pal_dynamic_options){.dt = pal_args_number(args, "--dt"),
                                     .steps = pal_args_count(args, "--steps"),
                                     .alpha = pal_args_number(args, "--alpha"),
                                     .beta = pal_args_number(args, "--beta")};
    if (!pal_args_given(args, "--seconds")) {
        return PAL_OK;
    }
    if (pal_args_given(args, "--steps")) {
        return pal_fail(err, PAL_ERR_USAGE, "give --steps or --seconds, not both");
    }
    double steps = round(pal_args_number(args, "--seconds") / dynamic->dt);
    if (!(steps >= 1.0 && steps <= MAX_STEPS)) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "--seconds %g at --dt %g makes %.0f steps; 1 to %d are possible",
                        pal_args_number(args, "--seconds"), dynamic->dt, steps, MAX_STEPS);
    }
    dynamic->steps = (int)steps;
    return PAL_OK;
}

static pal_status run_and_print(const pal_job *job, pal_problem *problem, const double *f,
                                const pal_dynamic_options *dynamic, record *r, pal_err *err) {
    pal_status status = pal_dynamic_run(&problem->fem, f, dynamic, job->progress, observe, r, err);
    pal_bar_end(status);
    const char *path = pal_args_text(job->args, "--csv");
    if (status == PAL_OK && path != NULL) {
        status = write_csv(path, r, err);
    }
    if (status == PAL_OK && job->json) {
        status = print_json(problem, r, err);
    } else if (status == PAL_OK) {
        print_table(problem, r);
        pal_output_print_written(job->args, "--csv");
    }
    return status;
}

static pal_status run(const pal_job *job, pal_err *err) {
    pal_problem problem;
    pal_dynamic_options dynamic;
    pal_probes probes = {0};
    record kept = {0};
    double *f = NULL;
    pal_status status = read_options(job->args, &dynamic, err);
    if (status == PAL_OK) {
        status = pal_output_check(job->args, "--csv", NULL, err);
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
        status = record_alloc(&kept, &probes, dynamic.steps, err);
    }
    if (status == PAL_OK) {
        status = run_and_print(job, &problem, f, &dynamic, &kept, err);
    }
    record_free(&kept);
    free(f);
    pal_probes_free(&probes);
    pal_problem_close(&problem);
    return status;
}

const pal_command pal_command_dynamic = {
    .usage =
        {.command = "dynamic",
         .summary = "full (unreduced) dynamics under loads: the ground truth",
         .operands = "MESH|SCENE",
         .min_operands = 1,
         .max_operands = 1,
         .about = "The body rests until t = 0, when the loads are switched on and stay. "
                  "Implicit Newmark steps with tangent Rayleigh damping. " PAL_PROBLEM_ABOUT
                  " " PAL_PROBLEM_PLACES,
         .examples =
             "palpate dynamic liver --load 'x>0.18:0,0,-0.1' --steps 10 --beta 0.002\n"
             "palpate dynamic liver --gravity 0,0,-1 --dt 0.005 --seconds 0.05 --csv liver.csv\n"
             "palpate dynamic body.msh --material liver --fix 'x<0.001' "
             "--load 'vertices:7:0,0,-2' --json",
         .group = {{"Loads and probes", pal_options_loading},
                   {"Time and damping", options},
                   PAL_PROBLEM_GROUPS}},
    .run = run,
};
