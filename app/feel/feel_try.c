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

static void take_rows(void *context) {
    enum { OFTEN = 256 };
    pal_feel_try *t = context;
    while (t->count < t->room && pal_ring_get(&t->session->servo->log, &t->record[t->count])) {
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
    pal_loop_run_here(&loop, take_rows, t);
}
