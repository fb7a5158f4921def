// The picture of a run at its hardest press.
#ifndef PAL_APP_DEMO_PICTURE_H
#define PAL_APP_DEMO_PICTURE_H

#include "app/session.h"

// Takes the session back to the tick of the largest force and draws the body there, dents included:
// the whole of it, and what is near the first tool.
pal_status pal_demo_picture(pal_session *session, const pal_trace_data *trace, const char *path,
                            pal_err *err);

// The same from the trace's file alone: also for runs in which materials were edited.
pal_status pal_demo_picture_of_trace(const char *trace, const char *path, pal_err *err);

#endif
