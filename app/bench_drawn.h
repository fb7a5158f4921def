// The rows of bench tick that are about drawing meanwhile.
#ifndef PAL_APP_BENCH_DRAWN_H
#define PAL_APP_BENCH_DRAWN_H

#include "app/bench.h"

// Main thread: it draws.
pal_status pal_bench_drawn(pal_bench *bench, pal_err *err);

#endif
