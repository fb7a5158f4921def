#include "sim/base/cpu_level.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "another compiler"
#endif

static const char *wish(void) {
    const char *text = getenv("PALPATE_CPU");
    return text != NULL ? text : "";
}

#ifdef PAL_CPU_LEVELS // the servo side is here three times

// The functions of each level, in the order of the entries that lead to them.
extern const char pal_cpu_table_v2[], pal_cpu_table_v3[], pal_cpu_table_v4[];

// Where the entries look (CMakeLevels.cmake); set once, before main.
const char *pal_cpu_table = pal_cpu_table_v2;

enum { LEVELS = 3 };
static const struct level {
    const char *name;
    const char *table;
} levels[LEVELS] = {{"x86-64-v2", pal_cpu_table_v2},
                    {"x86-64-v3", pal_cpu_table_v3},
                    {"x86-64-v4", pal_cpu_table_v4}};
static int best = -1, taken; // -1: not even the lowest

// As in PALPATE_CPU.
static const char *short_name(int k) {
    return levels[k].name + strlen("x86-64-");
}

// -1: there is no such level.
static int find(const char *name) {
    int k = LEVELS - 1;
    while (k >= 0 && strcmp(name, short_name(k)) != 0) {
        k--;
    }
    return k;
}

__attribute__((constructor)) static void take(void) {
    __builtin_cpu_init();
    best = __builtin_cpu_supports("x86-64-v4")   ? 2
           : __builtin_cpu_supports("x86-64-v3") ? 1
           : __builtin_cpu_supports("x86-64-v2") ? 0
                                                 : -1;
    const int asked = find(wish());
    taken = asked >= 0 && asked <= best ? asked : best >= 0 ? best : 0;
    pal_cpu_table = levels[taken].table;
}

const char *pal_cpu_level(void) {
    return levels[taken].name;
}

const char *pal_cpu_level_best(void) {
    return levels[best >= 0 ? best : 0].name;
}

pal_status pal_cpu_check(pal_err *err) {
    if (best < 0) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED,
                        "this processor lacks instructions of x86-64-v2 (SSE4.2, of 2008), the "
                        "lowest level of this program; compile it on this machine");
    }
    const int asked = find(wish());
    if (wish()[0] == '\0' || (asked >= 0 && asked <= best)) {
        return PAL_OK;
    }
    return asked < 0 ? pal_fail(err, PAL_ERR_INPUT,
                                "PALPATE_CPU=%.40s: there is no such level; v2, v3 or v4", wish())
                     : pal_fail(err, PAL_ERR_INPUT,
                                "PALPATE_CPU=%s: this processor has %s at most; set no more than "
                                "that, or nothing for the best",
                                wish(), short_name(best));
}

#else // once

const char *pal_cpu_level(void) {
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512CD__) &&                      \
    defined(__AVX512DQ__) && defined(__AVX512VL__)
    return "x86-64-v4";
#elif defined(__AVX2__) && defined(__FMA__) && defined(__BMI2__)
    return "x86-64-v3";
#elif defined(__SSE4_2__) && defined(__POPCNT__)
    return "x86-64-v2";
#elif defined(__x86_64__)
    return "x86-64";
#elif defined(__aarch64__)
    return "aarch64";
#else
    return "generic";
#endif
}

const char *pal_cpu_level_best(void) {
    return pal_cpu_level();
}

pal_status pal_cpu_check(pal_err *err) {
    return wish()[0] == '\0' ? PAL_OK
                             : pal_fail(err, PAL_ERR_INPUT,
                                        "PALPATE_CPU=%.40s: this program was compiled for one "
                                        "level, %s; a portable one (cmake --preset portable) has "
                                        "several",
                                        wish(), pal_cpu_level());
}

#endif

bool pal_cpu_is_native(void) {
#ifdef PAL_CPU_NATIVE
    return true;
#else
    return false;
#endif
}

void pal_cpu_kernels(char text[PAL_CPU_TEXT]) {
    snprintf(text, PAL_CPU_TEXT, "%s%s, %s", pal_cpu_level(),
             pal_cpu_is_native() ? " (native)" : "", COMPILER);
}
