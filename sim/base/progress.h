// How long work tells how far it is. A NULL pal_progress is silent.
#ifndef PAL_BASE_PROGRESS_H
#define PAL_BASE_PROGRESS_H

#include <stddef.h>

typedef struct pal_progress {
    // stage: short words ("modes", "quartic"); fraction: 0..1 of that stage. Called only on the
    // thread that started the work.
    void (*report)(void *user, const char *stage, double fraction);
    void *user;
} pal_progress;

static inline void pal_progress_report(const pal_progress *progress, const char *stage,
                                       double fraction) {
    if (progress != NULL && progress->report != NULL) {
        progress->report(progress->user, stage, fraction);
    }
}

#endif
