// "did you mean ...?": the candidate nearest to a mistyped word.
#ifndef PAL_APP_SUGGEST_H
#define PAL_APP_SUGGEST_H

typedef struct pal_suggestion {
    const char *word; // what was typed
    const char *best; // the nearest candidate so far, NULL: none near enough
    int distance;
} pal_suggestion;

// Offers one candidate; it is kept when it is the nearest so far and near enough to be meant.
void pal_suggest_try(pal_suggestion *suggestion, const char *candidate);

// "; did you mean 'best'?" or "". The text lives until the next call.
const char *pal_suggest_text(const pal_suggestion *suggestion);

#endif
