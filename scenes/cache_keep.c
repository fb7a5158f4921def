// The cache: a folder of the user's own with what is baked, under keys, and as a place where what
// is computed is kept (sim/base/keep.h).
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "scenes/scene_file.h"
#include "sim/base/file.h"
#include "sim/base/private.h"

pal_status pal_cache_path(const char *key, const char *ending, char path[PAL_CACHE_PATH],
                          pal_err *err) {
    static const struct {
        const char *variable, *below;
    } places[] = {
        {"PALPATE_CACHE", ""}, {"XDG_CACHE_HOME", "/palpate"}, {"HOME", "/.cache/palpate"}};
    for (int i = 0; i < 3; i++) {
        const char *value = getenv(places[i].variable);
        if (value == NULL || value[0] == '\0') {
            continue;
        }
        int used = snprintf(path, PAL_CACHE_PATH, "%s%s", value, places[i].below);
        if (used < 0 || used + PAL_HASH_TEXT + 16 >= PAL_CACHE_PATH) {
            return pal_fail(err, PAL_ERR_IO, "$%s is too long", places[i].variable);
        }
        pal_status status = pal_private_folder(path, err);
        snprintf(path + used, (size_t)(PAL_CACHE_PATH - used), "/%s.%.8s", key, ending);
        return status;
    }
    return pal_fail(err, PAL_ERR_IO, "no cache folder: set PALPATE_CACHE");
}

// ---- what is wrong with it, for the user

static pal_cache_listener *listener;

void pal_cache_listen(pal_cache_listener *who) {
    listener = who;
}

static void say(const char *text) {
    if (listener != NULL) {
        listener(text);
    }
}

void pal_cache_say(char *note, size_t size, const char *words, const pal_err *why) {
    snprintf(note, size, "%s: %.*s", words, (int)(size > 64 ? size - 64 : 0), why->text);
    say(note);
}

pal_status pal_cache_stranger(const char *path, pal_err *err) {
    return pal_fail(err, PAL_ERR_INPUT, "%s: was not made from this scene, though its name says so",
                    path);
}

// ---- what is kept of a computation

static char *take(void *context, const char *key, const char *kind, size_t *size) {
    (void)context;
    char path[PAL_CACHE_PATH], *data = NULL;
    pal_err err;
    *size = 0;
    if (pal_cache_path(key, kind, path, NULL) == PAL_OK && access(path, F_OK) == 0 &&
        (pal_private_check(path, &err) != PAL_OK ||
         pal_file_read(path, &data, size, &err) != PAL_OK)) {
        say(err.text);
    }
    return data;
}

static void give(void *context, const char *key, const char *kind, const void *data, size_t size) {
    (void)context;
    char path[PAL_CACHE_PATH];
    pal_err err; // without a cache that is told of the model
    if (pal_cache_path(key, kind, path, NULL) == PAL_OK &&
        pal_private_write(path, data, size, &err) != PAL_OK) {
        say(err.text);
    }
}

static void tell(void *context, const char *text) {
    (void)context;
    say(text);
}

const pal_keep *pal_cache_keep(void) {
    static const pal_keep keep = {.take = take, .give = give, .tell = tell};
    return &keep;
}
