// Part of palpate bench tick: whether the servo notices that somebody draws. The liver under its
// probe in real time, in turns without a picture and with pictures as fast as the main thread makes
// them: in a window where there is a display, else without one.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/bench_drawn.h"
#include "app/shown.h"
#include "app/viewer.h"

enum { TURNS = 2, WIDTH = 1280, HEIGHT = 800 };
static const char scene[] = "liver";
static const double allowed = 1.2; // times the median of a run without pictures

typedef struct painter { // pictures without a display
    pal_studio studio;
    pal_view view;
    pal_snapshot shot;
    uint64_t frames;
    pal_status status;
    pal_err err;
} painter;

static pal_status open_painter(painter *p, pal_session *session, pal_err *err) {
    pal_stage_spec spec;
    memset(p, 0, sizeof *p);
    pal_shown_spec(session, &spec);
    pal_shown_rest(session, &p->shot);
    pal_view_defaults(&p->view);
    pal_status status = pal_studio_open(&p->studio, &spec, WIDTH, HEIGHT, err);
    if (status != PAL_OK) {
        return status;
    }
    status = pal_studio_fit(&p->studio, &p->view, &p->shot, 1.0, err);
    if (status != PAL_OK) {
        pal_studio_close(&p->studio);
    }
    return status;
}

static bool paint(pal_session *session, void *context) {
    painter *p = context;
    bool fresh;
    const pal_snapshot *latest = pal_exchange_latest(&session->servo->exchange, &fresh);
    if (fresh) {
        p->shot = *latest;
    }
    p->status = pal_studio_draw(&p->studio, &p->view, &p->shot, NULL, &p->err);
    p->frames++;
    return p->status == PAL_OK;
}

static void add(const pal_histogram *from, pal_histogram *to) {
    to->count += from->count;
    to->sum_us += from->sum_us;
    to->max_ns = from->max_ns > to->max_ns ? from->max_ns : to->max_ns;
    for (int b = 0; b < PAL_HISTOGRAM_BINS; b++) {
        to->bin[b] += from->bin[b];
    }
}

static pal_status run(pal_session *session, bool drawn, pal_err *err) {
    static painter studio;
    pal_run_options how = {.seconds = session->script_seconds};
    pal_run_result result;
    pal_viewer *viewer = NULL;
    pal_status status = PAL_OK;
    const bool window = drawn && pal_gl_has_display();
    if (window) {
        status = pal_viewer_open(&viewer, session, &(pal_viewer_options){.unsynced = true}, err);
        how.meanwhile = pal_viewer_frame;
        how.context = viewer;
    } else if (drawn) {
        status = open_painter(&studio, session, err);
        how.meanwhile = paint;
        how.context = &studio;
    }
    how.takes_its_time = drawn;
    const bool opened = status == PAL_OK;
    if (opened) {
        status = pal_session_run(session, &how, &result, err);
    }
    if (opened && drawn && !window) {
        if (status == PAL_OK && studio.status != PAL_OK) {
            status = pal_fail(err, studio.status, "%.900s", studio.err.text);
        }
        pal_studio_close(&studio.studio);
    }
    pal_viewer_close(viewer);
    return status;
}

pal_status pal_bench_drawn(pal_bench *bench, pal_err *err) {
    static pal_histogram ticks[2]; // without and with pictures
    const pal_session_options options = {.device = "sim", .seed = -1};
    pal_status status = PAL_OK;
    pal_histogram_init(&ticks[0]);
    pal_histogram_init(&ticks[1]);
    for (int k = 0; status == PAL_OK && k < 2 * TURNS; k++) {
        pal_session session;
        status = pal_session_open(&session, scene, &options, bench->job->progress, err);
        if (status != PAL_OK) {
            return status;
        }
        status = run(&session, k % 2 == 1, err);
        add(&session.servo->own.counters.tick, &ticks[k % 2]);
        pal_session_close(&session);
    }
    if (status == PAL_ERR_UNSUPPORTED) { // nothing to draw with; the other rows are still worth it
        fprintf(stderr, "palpate: not measured while drawing: %s\n", err->text);
        return PAL_OK;
    }
    if (status != PAL_OK) {
        return status;
    }
    const char *where = pal_gl_has_display() ? "a window draws" : "pictures are drawn";
    const pal_histogram_summary plain = pal_histogram_summarize(&ticks[0]);
    const pal_histogram_summary drawn = pal_histogram_summarize(&ticks[1]);
    char name[96];
    snprintf(name, sizeof name, "%s: tick in real time while %s, median", scene, where);
    status = pal_bench_report(bench, name, drawn.p50, "us", PAL_BENCH_LESS, allowed * plain.p50,
                              "1.2 times that of a headless run, in turns with it", err);
    snprintf(name, sizeof name, "%s: tick in real time while %s, p99", scene, where);
    return status == PAL_OK ? pal_bench_report(bench, name, drawn.p99, "us", PAL_BENCH_LESS,
                                               plain.p99, "a headless run, in turns with it", err)
                            : status;
}
