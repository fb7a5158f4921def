#define _GNU_SOURCE // fopencookie, getrandom
#include "app/screen.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "sim/base/clock.h"
#include "sim/base/file.h"
#include "sim/base/visible.h"

enum { ORDERS = PAL_SCREEN_CLEAR + 1, KEY = 17, MARK = KEY + 1, CHUNK = 4096 };

static const char *const orders[ORDERS] = {"\033[1m", "\033[2m", "\033[1;31m",
                                           "\033[0m", "\r",      "\033[K"};

// An order within text: the key, which begins with ESC, and a letter from 'a' on.
static char key[KEY + 1], mark[ORDERS][MARK + 1];
static bool started;

const char *pal_screen_say(pal_screen_order order) {
    return started ? mark[order] : orders[order];
}

// ---- text on its way out

typedef struct screen {
    int fd;
    char held[MARK]; // the beginning of a character or an order whose rest has not come yet
    size_t held_count;
    char out[CHUNK + MARK];
    size_t used;
    bool failed; // errno says why
} screen;

static void flush(screen *s) {
    const int code = s->failed ? 0 : pal_file_put(s->fd, s->out, s->used);
    s->failed = s->failed || code != 0;
    s->used = 0;
}

static void put(screen *s, const char *text, size_t size) {
    memcpy(s->out + s->used, text, size);
    s->used += size;
    if (s->used >= CHUNK) {
        flush(s);
    }
}

// The length of the order at `at`; 0: none; -1: perhaps, more must come.
static int order_size(const char *at, size_t size, pal_screen_order *order) {
    if (memcmp(at, key, size < KEY ? size : KEY) != 0) {
        return 0;
    }
    if (size < MARK) {
        return -1;
    }
    *order = (pal_screen_order)(at[KEY] - 'a');
    return at[KEY] >= 'a' && at[KEY] < 'a' + ORDERS ? MARK : 0;
}

// Puts what begins at `at`, of which `size` bytes are there; returns how many were taken, 0: more
// must come.
static size_t put_next(screen *s, const char *at, size_t size) {
    pal_screen_order order = PAL_SCREEN_PLAIN;
    const int marked = order_size(at, size, &order);
    if (marked > 0) {
        put(s, orders[order], strlen(orders[order]));
        return MARK;
    }
    const int shown = *at == '\n' || *at == '\t' ? 1 : pal_visible_size(at, size);
    if (marked < 0 || shown < 0) {
        return 0;
    }
    if (shown > 0) {
        put(s, at, (size_t)shown);
        return (size_t)shown;
    }
    char escape[PAL_VISIBLE_MOST + 1];
    snprintf(escape, sizeof escape, "\\x%02x", (unsigned)(unsigned char)*at);
    put(s, escape, PAL_VISIBLE_MOST);
    return 1;
}

static ssize_t take(void *cookie, const char *text, size_t size) {
    screen *s = cookie;
    size_t done = 0;
    s->failed = false;
    while (s->held_count > 0 && done < size) { // completes what was held, byte by byte
        s->held[s->held_count++] = text[done++];
        const size_t taken = put_next(s, s->held, s->held_count);
        memmove(s->held, s->held + taken, s->held_count - taken);
        s->held_count -= taken;
    }
    while (done < size) {
        const size_t taken = put_next(s, text + done, size - done);
        if (taken == 0) {
            s->held_count = size - done;
            memcpy(s->held, text + done, s->held_count);
            break;
        }
        done += taken;
    }
    flush(s);
    return s->failed ? 0 : (ssize_t)size; // 0 is the stream's error
}

// ---- in the place of both streams

static FILE *open_screen(screen *s, FILE *old, int mode) {
    fflush(old);
    FILE *stream = fopencookie(s, "w", (cookie_io_functions_t){.write = take});
    if (stream != NULL) {
        setvbuf(stream, NULL, mode, BUFSIZ);
    }
    return stream != NULL ? stream : old;
}

void pal_screen_start(void) {
    static screen out = {.fd = STDOUT_FILENO}, errors = {.fd = STDERR_FILENO};
    uint64_t random = 0;
    if (started) {
        return;
    }
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) != (ssize_t)sizeof random) {
        random = (uint64_t)(1e9 * pal_seconds()) * 0x9e3779b97f4a7c15u ^ (uint64_t)getpid();
    }
    snprintf(key, sizeof key, "\033%016llx", (unsigned long long)random);
    for (int i = 0; i < ORDERS; i++) {
        snprintf(mark[i], sizeof mark[i], "%s%c", key, 'a' + i);
    }
    stdout = open_screen(&out, stdout, isatty(STDOUT_FILENO) == 1 ? _IOLBF : _IOFBF);
    stderr = open_screen(&errors, stderr, _IONBF);
    started = true;
}
