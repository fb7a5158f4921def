#include "app/suggest.h"

#include <stdio.h>
#include <string.h>

enum { MAX_WORD = 64 };

// Insertions, deletions, replacements, and swaps of neighbours that turn a into b.
static int edit_distance(const char *a, const char *b) {
    int row[3][MAX_WORD + 1];
    int n = (int)strlen(a), m = (int)strlen(b);
    if (n > MAX_WORD || m > MAX_WORD) {
        return MAX_WORD;
    }
    for (int j = 0; j <= m; j++) {
        row[0][j] = j;
    }
    for (int i = 1; i <= n; i++) {
        int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= m; j++) {
            int best = last[j - 1] + (a[i - 1] != b[j - 1]);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                best = before[j - 2] + 1 < best ? before[j - 2] + 1 : best;
            }
            now[j] = best;
        }
    }
    return row[n % 3][m];
}

void pal_suggest_try(pal_suggestion *suggestion, const char *candidate) {
    int distance = edit_distance(suggestion->word, candidate);
    int limit = (int)strlen(suggestion->word) / 3;
    limit = limit < 1 ? 1 : limit > 3 ? 3 : limit;
    // of as few letters as 'bek' two may be wrong, the first being right: bake
    limit += strlen(suggestion->word) < 6 && limit == 1 && suggestion->word[0] == candidate[0];
    if (distance <= limit && (suggestion->best == NULL || distance < suggestion->distance)) {
        suggestion->best = candidate;
        suggestion->distance = distance;
    }
}

const char *pal_suggest_text(const pal_suggestion *suggestion) {
    static char text[MAX_WORD + 32];
    if (suggestion->best == NULL) {
        return "";
    }
    snprintf(text, sizeof text, "; did you mean '%s'?", suggestion->best);
    return text;
}
