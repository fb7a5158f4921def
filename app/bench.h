// Benchmarks of `palpate bench`: a table of functions, each of which measures some things and
// reports them as rows. A new benchmark is a file bench_NAME.c and a line in the table in
// cmd_bench.c.
#ifndef PAL_APP_BENCH_H
#define PAL_APP_BENCH_H

#include "app/command.h"

typedef enum pal_bench_better { PAL_BENCH_LESS, PAL_BENCH_MORE } pal_bench_better;

typedef struct pal_bench_row {
    char name[96];
    double value;
    char unit[32];
    double reference; // what it stands beside, same unit; NAN: nothing
    char source[96];  // where the reference comes from, "" if none
    double ratio;     // how many times better than the reference (> 1: better); NAN: none
} pal_bench_row;

typedef struct pal_bench {
    const pal_job *job; // options and progress
    int count, room;
    pal_bench_row *row; // [count]
} pal_bench;

// Reports one measured thing. `better` says whether less (a time) or more (a rate) is better.
pal_status pal_bench_report(pal_bench *bench, const char *name, double value, const char *unit,
                            pal_bench_better better, double reference, const char *source,
                            pal_err *err);

typedef struct pal_benchmark {
    const char *name; // "bake"
    const char *help; // one line
    pal_status (*run)(pal_bench *bench, pal_err *err);
} pal_benchmark;

// The benchmarks.
pal_status pal_bench_bake(pal_bench *bench, pal_err *err);
pal_status pal_bench_contact(pal_bench *bench, pal_err *err);
pal_status pal_bench_load(pal_bench *bench, pal_err *err);
pal_status pal_bench_render(pal_bench *bench, pal_err *err);
pal_status pal_bench_step(pal_bench *bench, pal_err *err);
pal_status pal_bench_substructure(pal_bench *bench, pal_err *err);
pal_status pal_bench_tick(pal_bench *bench, pal_err *err);

#endif
