// palpate bench [NAME]: measured times and rates beside their references.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench.h"
#include "app/json.h"
#include "app/progress_bar.h"
#include "app/suggest.h"
#include "app/table.h"

static const pal_benchmark benchmarks[] = {
    {"bake", "times and rates of the offline half, from mesh to model file", pal_bench_bake},
    {"contact", "finding what a tool touches, and how tight the bounds are", pal_bench_contact},
    {"load", "opening a kept model up to its first tick, its parts beside what is built anew",
     pal_bench_load},
    {"render", "the deformation for drawing, and pictures a second", pal_bench_render},
    {"step", "one step of a reduced body, beside the paper's way", pal_bench_step},
    {"substructure",
     "one step of the shipped trees of domains, beside the domains' own steps and the paper",
     pal_bench_substructure},
    {"tick",
     "the whole tick of the shipped scenes, beside the bare step, and while pictures are drawn",
     pal_bench_tick},
    {NULL, NULL, NULL},
};

pal_status pal_bench_report(pal_bench *bench, const char *name, double value, const char *unit,
                            pal_bench_better better, double reference, const char *source,
                            pal_err *err) {
    if (bench->count == bench->room) {
        int room = bench->room == 0 ? 32 : 2 * bench->room;
        pal_bench_row *grown = realloc(bench->row, (size_t)room * sizeof *grown);
        if (grown == NULL) {
            return pal_fail(err, PAL_ERR_MEMORY, "out of memory for the results");
        }
        bench->row = grown;
        bench->room = room;
    }
    pal_bench_row *row = &bench->row[bench->count++];
    *row = (pal_bench_row){.value = value, .reference = reference};
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(row->unit, sizeof row->unit, "%s", unit);
    snprintf(row->source, sizeof row->source, "%s", source != NULL ? source : "");
    row->ratio = better == PAL_BENCH_LESS ? reference / value : value / reference;
    return PAL_OK;
}

static void cell_or_dash(pal_table *table, double value) {
    if (isfinite(value)) {
        pal_table_cell(table, "%.4g", value);
    } else {
        pal_table_cell(table, "-");
    }
}

static void print_table(const pal_bench *bench) {
    pal_table table;
    pal_table_start(&table, "measured|>value|unit|>reference|>times better|reference from");
    for (int i = 0; i < bench->count; i++) {
        const pal_bench_row *row = &bench->row[i];
        pal_table_cell(&table, "%s", row->name);
        cell_or_dash(&table, row->value);
        pal_table_cell(&table, "%s", row->unit);
        cell_or_dash(&table, row->reference);
        cell_or_dash(&table, row->ratio);
        pal_table_cell(&table, "%s", row->source);
    }
    pal_table_print(&table, stdout);
}

static pal_status print_json(const pal_bench *bench, pal_err *err) {
    cJSON *root = pal_json_array();
    for (int i = 0; i < bench->count; i++) {
        const pal_bench_row *row = &bench->row[i];
        cJSON *item = pal_json_object();
        pal_json_text(item, "name", row->name);
        pal_json_number(item, "value", row->value);
        pal_json_text(item, "unit", row->unit);
        pal_json_number(item, "reference", row->reference);
        pal_json_number(item, "ratio", row->ratio);
        pal_json_text(item, "reference_source", row->source);
        pal_json_append(root, item);
    }
    return pal_json_print(root, err);
}

static void list(void) {
    pal_table table;
    pal_table_start(&table, "benchmark|measures");
    for (const pal_benchmark *b = benchmarks; b->name != NULL; b++) {
        pal_table_cell(&table, "%s", b->name);
        pal_table_cell(&table, "%s", b->help);
    }
    pal_table_print(&table, stdout);
}

static pal_status check_name(const char *name, pal_err *err) {
    pal_suggestion suggestion = {.word = name};
    for (const pal_benchmark *b = benchmarks; b->name != NULL; b++) {
        if (strcmp(b->name, name) == 0) {
            return PAL_OK;
        }
        pal_suggest_try(&suggestion, b->name);
    }
    return pal_fail(err, PAL_ERR_USAGE, "there is no benchmark '%s'%s (palpate bench --list)", name,
                    pal_suggest_text(&suggestion));
}

static pal_status run(const pal_job *job, pal_err *err) {
    const char *only = job->args->operand_count > 0 ? job->args->operand[0] : NULL;
    if (pal_args_flag(job->args, "--list")) {
        list();
        return PAL_OK;
    }
    pal_status status = only != NULL ? check_name(only, err) : PAL_OK;
    pal_bench bench = {.job = job};
    for (const pal_benchmark *b = benchmarks; b->name != NULL && status == PAL_OK; b++) {
        if (only == NULL || strcmp(only, b->name) == 0) {
            status = b->run(&bench, err);
        }
    }
    pal_bar_end(status);
    if (status == PAL_OK && job->json) {
        status = print_json(&bench, err);
    } else if (status == PAL_OK) {
        print_table(&bench);
    }
    free(bench.row);
    return status;
}

static const pal_option options[] = {
    {.name = "--list", .help = "the names of the benchmarks"},
    {.name = NULL},
};

const pal_command pal_command_bench = {
    .usage = {.command = "bench",
              .summary = "measured times and rates beside their references",
              .operands = "[NAME]",
              .max_operands = 1,
              .about = "Runs one benchmark, or all. A ratio above 1 is better than the reference.",
              .examples = "palpate bench --list\npalpate bench bake --json",
              .group = {{"Options", options}, {"Output", pal_options_work}}},
    .run = run,
};
