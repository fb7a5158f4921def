// Which instructions of the processor the servo side was compiled for. A native build has one
// level, that of the machine that compiled it. A portable one (PALPATE_NATIVE=OFF on x86-64) holds
// the servo side at the levels v2, v3 and v4 of the x86-64 ABI; before main begins, the highest
// that the processor has is taken, or the one that the environment names (PALPATE_CPU=v2, v3 or
// v4). Levels round differently (v2 has no fused multiply-add), so that runs are the same bit for
// bit on one level only. See CMakeLevels.cmake for how the levels become one library. Any thread.
#ifndef PAL_BASE_CPU_LEVEL_H
#define PAL_BASE_CPU_LEVEL_H

#include <stdbool.h>

#include "sim/base/status.h"

enum { PAL_CPU_TEXT = 128 };

// "x86-64-v3", "aarch64", ...
const char *pal_cpu_level(void);
// The highest that this program and this processor have: more than pal_cpu_level() when the
// environment asked for less.
const char *pal_cpu_level_best(void);
bool pal_cpu_is_native(void);

// The level, native or not, and the compiler: what the bits of a run depend on.
void pal_cpu_kernels(char text[PAL_CPU_TEXT]);

// An error when PALPATE_CPU asks for what cannot be had (the best is taken then), or when the
// processor lacks even the lowest level. For whoever begins a program.
pal_status pal_cpu_check(pal_err *err);

#endif
