// What `palpate bench substructure` measures in files of its own.
#ifndef PAL_APP_BENCH_TREE_H
#define PAL_APP_BENCH_TREE_H

#include "app/bench.h"

// Whole ticks of a shipped tree while its scene's stylus touches it, on one core and on two;
// step_us: the bare steps of the same run (bench_tree_tick.c).
pal_status pal_bench_tree_tick(pal_bench *bench, const char *scene, const double step_us[2],
                               pal_err *err);

#endif
