// What the contact benchmarks touch: a shipped body with its shell, at some deformation.
#ifndef PAL_APP_BENCH_TOUCHED_H
#define PAL_APP_BENCH_TOUCHED_H

#include "app/bench.h"
#include "haptics/histogram.h"
#include "haptics/live_body.h"
#include "scenes/scene.h"
#include "sim/contact/distfield_build.h"
#include "sim/contact/shell_build.h"

enum { PAL_TOUCHED_FINER = 4 }; // a triangle's sides are divided by this

// A body with its shell, at some deformation.
typedef struct pal_touched {
    pal_scene scene;
    pal_model model;
    pal_live_body live;
    pal_body body; // that of `live`, or the same with finer triangles
    pal_bdtree tree;
    pal_shell shell;
    double *q, *rest, *basis;
    int32_t *triangle;
    double built; // s
} pal_touched;

// The body of a scene; finer: the same surface with PAL_TOUCHED_FINER^2 times the triangles.
pal_status pal_touched_open(pal_touched *t, pal_bench *bench, const char *scene, bool finer,
                            const pal_shell_spec *spec, pal_err *err);
void pal_touched_close(pal_touched *t);

// The tool over a point of the shell, its axis along the surface's normal, 1 mm deep: the pose of a
// query.
void pal_touched_place(const pal_touched *t, const pal_shape *shape, int32_t point,
                       pal_shell_query *query);

// A shape of the scenes (shapes.h), so long, as a mesh tool; *took: s, to sample its field.
pal_status pal_touched_tool(const char *name, double size, pal_distfield *field, pal_shape *shape,
                            double *took, pal_err *err);

typedef struct pal_press_case {
    bool finer;  // with PAL_TOUCHED_FINER^2 times the triangles
    bool dents;  // local compliance
    bool as_run; // sampled as a run of the scene would for this ball; else densely. Not with finer.
    bool deck;   // on the deck, between the hangers, as in [BJ05 fig. 1]; else on top of the arch
} pal_press_case;

// Whole steps (bench_contact_step.c): a ball on the bridge, in its parts (*before: the step of the
// last case, us), and a flat mesh tool on the tower. times: room for 6.
pal_status pal_bench_press(pal_bench *bench, const pal_press_case *which, double *before,
                           pal_histogram *times, pal_err *err);
pal_status pal_bench_tower_step(pal_bench *bench, pal_histogram *times, pal_err *err);

#endif
