#include "sim/mesh/include.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/memory.h"

typedef struct level { // a text that is being copied, and the one that includes it
    const pal_text *text;
    const struct level *above;
    int depth;
} level;

typedef struct copier {
    pal_included *whole;
    const pal_mesh_files *files;
    long line; // of the whole, that comes next
    pal_err *err;
} copier;

static pal_status copy_level(copier *to, const level *of);

// From the next line on, the whole has what stands in `name` from `line` on.
static pal_status add_part(copier *to, const char *name, long line) {
    pal_included *whole = to->whole;
    void *parts = whole->part;
    const pal_status status =
        pal_grow(&parts, sizeof *whole->part, whole->part_count, &whole->part_room, to->err);
    whole->part = parts;
    if (status == PAL_OK) {
        whole->part[whole->part_count++] =
            (pal_scan_part){.name = name, .line = line, .from = to->line};
    }
    return status;
}

// Copies a line; one without an end gets one.
static pal_status copy_line(copier *to, pal_word line) {
    pal_included *whole = to->whole;
    const int64_t size = (int64_t)line.size + 1;
    if (whole->size + size > whole->room) {
        const int64_t room = 2 * (whole->size + size);
        if (room > PAL_FILE_MAX) {
            return pal_fail_at(to->err, PAL_ERR_UNSUPPORTED, whole->text.name, 0,
                               "is too large together with what it includes");
        }
        char *data = PAL_NEW(char, room, to->err);
        if (data == NULL) {
            return PAL_ERR_MEMORY;
        }
        if (whole->size > 0) {
            memcpy(data, whole->data, (size_t)whole->size);
        }
        free(whole->data);
        whole->data = data;
        whole->room = room;
    }
    if (line.size > 0) {
        memcpy(whole->data + whole->size, line.at, line.size);
    }
    whole->data[whole->size + (int64_t)line.size] = '\n';
    whole->size += size;
    to->line++;
    return PAL_OK;
}

// The rest of a line "*INCLUDE file"; false when it is another line.
static bool is_include(pal_word line, pal_word *file) {
    const pal_text text = {.name = "", .data = line.at, .size = line.size};
    pal_scan scan;
    pal_scan_begin(&scan, &text, '#', NULL);
    if (!pal_word_is(pal_scan_word(&scan), "*INCLUDE")) {
        return false;
    }
    *file = pal_scan_line(&scan);
    return true;
}

// `file` beside the file `beside`, on the heap and in the list of names.
static const char *add_name(copier *to, const char *beside, pal_word file) {
    pal_included *whole = to->whole;
    while (file.size > 2 && file.at[0] == '.' && file.at[1] == '/') {
        file = (pal_word){.at = file.at + 2, .size = file.size - 2};
    }
    const char *slash = file.at[0] == '/' ? NULL : strrchr(beside, '/');
    const size_t folder = slash != NULL ? (size_t)(slash - beside) + 1 : 0;
    void *names = whole->name;
    const pal_status status =
        pal_grow(&names, sizeof *whole->name, whole->name_count, &whole->name_room, to->err);
    whole->name = names;
    char *name = status == PAL_OK ? PAL_NEW(char, folder + file.size + 1, to->err) : NULL;
    if (name != NULL) {
        memcpy(name, beside, folder);
        pal_word_copy(file, name + folder, file.size + 1);
        whole->name[whole->name_count++] = name;
    }
    return name;
}

// Fails when `name` is being read already or lies too deep: tells the chain that leads there.
static pal_status check_chain(const copier *to, const level *of, const char *name, long line) {
    bool round = false;
    char chain[600] = "";
    size_t used = (size_t)snprintf(chain, sizeof chain, "%.100s", name);
    for (const level *l = of; l != NULL; l = l->above) {
        round = round || strcmp(l->text->name, name) == 0;
        char before[700];
        snprintf(before, sizeof before, "%.100s -> %.590s", l->text->name, chain);
        used = strlen(before) < sizeof chain ? strlen(before) : sizeof chain - 1;
        memcpy(chain, before, used);
        chain[used] = '\0';
    }
    if (round) {
        return pal_fail_at(to->err, PAL_ERR_INPUT, of->text->name, line,
                           "*INCLUDE goes round in a circle: %s", chain);
    }
    if (of->depth >= PAL_INCLUDE_DEEPEST || to->whole->name_count > PAL_INCLUDE_MOST) {
        return pal_fail_at(to->err, PAL_ERR_UNSUPPORTED, of->text->name, line,
                           "more than %d levels or %d files of *INCLUDE: %s",
                           (int)PAL_INCLUDE_DEEPEST, (int)PAL_INCLUDE_MOST, chain);
    }
    return PAL_OK;
}

static pal_status include(copier *to, const level *of, pal_word file, long line) {
    const char *from = of->text->name;
    if (file.size == 0) {
        return pal_fail_at(to->err, PAL_ERR_INPUT, from, line,
                           "*INCLUDE needs the name of a file behind it");
    }
    if (to->files == NULL) {
        return pal_fail_at(to->err, PAL_ERR_UNSUPPORTED, from, line,
                           "*INCLUDE is for files, and this text is none");
    }
    const char *name = add_name(to, from, file);
    if (name == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_status status = check_chain(to, of, name, line);
    if (status != PAL_OK) {
        return status;
    }
    char *data = NULL;
    pal_err inner;
    pal_text text = {.name = name};
    status = to->files->read(to->files->context, name, &data, &text.size, &inner);
    if (status != PAL_OK) {
        return pal_fail_at(to->err, status, from, line, "*INCLUDE: %s", inner.text);
    }
    text.data = data;
    const level below = {.text = &text, .above = of, .depth = of->depth + 1};
    status = copy_level(to, &below);
    free(data);
    return status;
}

static pal_status copy_level(copier *to, const level *of) {
    const pal_text *text = of->text;
    const char *at = text->data, *end = text->data + text->size;
    if (text->size >= 3 && memcmp(at, "\xEF\xBB\xBF", 3) == 0) { // byte order mark
        at += 3;
    }
    pal_status status = add_part(to, text->name, 1);
    for (long line = 1; at < end && status == PAL_OK; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop != NULL ? stop : end;
        const pal_word whole = {.at = at, .size = (size_t)(stop - at)};
        pal_word file;
        if (is_include(whole, &file)) {
            status = include(to, of, file, line);
            status = status == PAL_OK ? add_part(to, text->name, line + 1) : status;
        } else {
            status = copy_line(to, whole);
        }
        at = stop < end ? stop + 1 : end;
    }
    return status;
}

// Whether some line of the text is one of the lines that we look for.
static bool includes_any(const pal_text *text) {
    const char *at = text->data, *end = text->data + text->size;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop != NULL ? stop : end;
        pal_word file;
        if (is_include((pal_word){.at = at, .size = (size_t)(stop - at)}, &file)) {
            return true;
        }
        at = stop < end ? stop + 1 : end;
    }
    return false;
}

pal_status pal_include(const pal_text *text, pal_included *whole, pal_err *err) {
    *whole = (pal_included){.text = *text};
    if (!includes_any(text)) {
        return PAL_OK;
    }
    copier to = {.whole = whole, .files = text->files, .line = 1, .err = err};
    const level top = {.text = text};
    const pal_status status = copy_level(&to, &top);
    whole->text.data = whole->data != NULL ? whole->data : "";
    whole->text.size = (size_t)whole->size;
    return status;
}

void pal_included_free(pal_included *whole) {
    for (int64_t i = 0; i < whole->name_count; i++) {
        free(whole->name[i]);
    }
    free(whole->name);
    free(whole->part);
    free(whole->data);
    memset(whole, 0, sizeof *whole);
}
