#include "app/feel/feel_try.h"

#include <math.h>

#include "app/feel/feel_body.h"
#include "sim/base/memory.h"

pal_status pal_feel_session(const pal_feel *feel, const char *text, pal_session *session,
                            pal_err *err) {
    pal_session_options options = {
        .device = "sim", .seed = feel->wish.seed, .no_local = feel->wish.no_local};
    pal_feel_lend(feel, &options);
    return pal_session_open_text(session, feel->scene.path, text, &options, NULL, err);
}

pal_status pal_feel_try_init(pal_feel_try *t, pal_session *session, pal_err *err) {
    const int64_t ticks = llrint(session->script_seconds / session->options.dt);
    *t = (pal_feel_try){.session = session, .room = ticks * session->hand_count};
    t->record = PAL_NEW(pal_tick_record, t->room, err);
    return t->record != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

bool pal_feel_stops_all(pal_status status) {
    return status == PAL_ERR_MEMORY || status == PAL_ERR_USAGE || status == PAL_ERR_IO;
}

typedef struct running {
    pal_feel_try *try;
    pal_loop *loop;
} running;

static void take_rows(void *context) {
    enum { OFTEN = 256 };
    const running *r = context;
    pal_feel_try *t = r->try;
    while (t->count < t->room && pal_ring_get(&t->session->servo->log, &t->record[t->count])) {
        if (t->is_enough != NULL && t->is_enough(t->context, &t->record[t->count])) {
            pal_loop_stop(r->loop);
        }
        t->count++;
    }
    if (t->done != NULL) {
        const long long done = atomic_fetch_add(t->done, 1);
        if (done % OFTEN == 0) {
            pal_progress_report(t->progress, "trials", (double)done / t->all);
        }
    }
}

void pal_feel_try_run(pal_feel_try *t) {
    pal_loop loop = {.servo = t->session->servo,
                     .ticks = (uint64_t)(t->room / t->session->hand_count)};
    pal_loop_run_here(&loop, take_rows, &(running){t, &loop});
}
