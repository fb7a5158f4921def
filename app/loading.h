// Loads, gravity and probes: what `static` and `dynamic` share.
#ifndef PAL_APP_LOADING_H
#define PAL_APP_LOADING_H

#include "app/problem.h"

extern const pal_option pal_options_loading[]; // --load, --gravity, --probe

// The dead load of --load and --gravity as a full vector on the heap. An error when there is none.
pal_status pal_loading_make(const pal_problem *problem, const pal_args *args, double **f,
                            pal_err *err);

// The two parts of 'SEL:fx,fy,fz', as `option` was given it; *selector is on the heap: all before
// the last colon, since SEL may hold colons.
pal_status pal_loading_split(const char *option, const char *text, char **selector, double force[3],
                             pal_err *err);

// Places to watch: the vertices of each --probe, else those of each --load, else all.
typedef struct pal_probe {
    char *selector;
    int32_t count;   // at least 1
    int32_t *vertex; // [count]
} pal_probe;

// The vertices of a selector, at least one; `option` names it in the error.
pal_status pal_probe_make(const pal_volmesh *mesh, const char *option, const char *selector,
                          pal_probe *probe, pal_err *err);
void pal_probe_free(pal_probe *probe);

typedef struct pal_probes {
    int count;
    pal_probe probe[PAL_MAX_REPEATS];
} pal_probes;

pal_status pal_probes_make(const pal_problem *problem, const pal_args *args, pal_probes *probes,
                           pal_err *err);
void pal_probes_free(pal_probes *probes);

// Mean displacement of the probe's vertices; u full [vertex_count][3].
void pal_probe_read(const pal_probe *probe, const double *u, double mean[3]);

#endif
