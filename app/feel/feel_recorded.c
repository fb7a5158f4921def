#include "app/feel/feel_recorded.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/feel/feel_body.h"
#include "app/problem.h"
#include "sim/base/memory.h"

enum { MOST_TRIALS = 256, PATH = 4096 };

static bool ends_in(const char *text, const char *ending) {
    const size_t length = strlen(text), size = strlen(ending);
    return length > size && strcmp(text + length - size, ending) == 0;
}

// ---- a recording

// Of another device: no scene, no truth.
static pal_status open_csv(pal_feel *feel, const char *path, pal_err *err) {
    pal_feel_trial *trial = &feel->trial[0];
    const char *slash = strrchr(path, '/'), *file = slash != NULL ? slash + 1 : path;
    pal_feel_truth_none(&trial->truth);
    pal_status status = pal_feel_trace_read_csv(&trial->seen, path, err);
    if (status != PAL_OK) {
        return status;
    }
    snprintf(trial->name, sizeof trial->name, "%.31s", file);
    snprintf(trial->seen.name, sizeof trial->seen.name, "%.31s", file);
    snprintf(trial->about, sizeof trial->about, "As recorded in %.120s", file);
    trial->seconds = (double)trial->seen.count * trial->seen.dt;
    feel->scene.name = pal_copy_text(file, err);
    return feel->scene.name != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

// The scene and model that a trial's trace was made with.
static pal_status open_scene_of(pal_feel *feel, const pal_feel_trial *trial,
                                const pal_progress *progress, pal_err *err) {
    feel->wish.no_local = trial->trace.info.no_local;
    pal_status status = pal_scene_parse(trial->trace.scene_path, trial->text, strlen(trial->text),
                                        &feel->scene, err);
    return status == PAL_OK ? pal_feel_load_body(feel, progress, err) : status;
}

static void no_wishes(pal_feel_wish *wish) {
    *wish = (pal_feel_wish){.young = NAN, .delay = NAN, .friction = NAN, .seed = -1};
}

pal_status pal_feel_open_trace(pal_feel *feel, const char *path, const pal_progress *progress,
                               pal_err *err) {
    memset(feel, 0, sizeof *feel);
    no_wishes(&feel->wish);
    feel->trial = PAL_NEW(pal_feel_trial, 1, err);
    if (feel->trial == NULL) {
        return PAL_ERR_MEMORY;
    }
    feel->trial_count = 1;
    pal_status status;
    if (ends_in(path, ".csv")) {
        status = open_csv(feel, path, err);
    } else {
        status = pal_feel_load_trace(&feel->trial[0], path, err);
        if (status == PAL_OK) {
            status = open_scene_of(feel, &feel->trial[0], progress, err);
        }
    }
    if (status != PAL_OK) {
        pal_feel_close(feel);
    }
    return status;
}

// ---- the folder of a report

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// The names of the traces, sorted, on the heap.
static pal_status list_traces(const char *dir, char *name[MOST_TRIALS], int *count, pal_err *err) {
    DIR *folder = opendir(dir);
    pal_status status = PAL_OK;
    *count = 0;
    if (folder == NULL) {
        return pal_fail(
            err, PAL_ERR_IO,
            "%s: %s; --against takes a scene, or the folder of an earlier report, which "
            "holds a folder 'traces'",
            dir, strerror(errno));
    }
    for (struct dirent *entry; status == PAL_OK && (entry = readdir(folder)) != NULL;) {
        if (ends_in(entry->d_name, ".h5") && *count < MOST_TRIALS) {
            name[*count] = pal_copy_text(entry->d_name, err);
            status = name[*count] != NULL ? PAL_OK : PAL_ERR_MEMORY;
            *count += status == PAL_OK;
        }
    }
    closedir(folder);
    qsort(name, (size_t)*count, sizeof *name, by_name);
    return status == PAL_OK && *count == 0
               ? pal_fail(err, PAL_ERR_INPUT, "%s holds no traces (.h5) of trials", dir)
               : status;
}

static pal_status load_traces(pal_feel *feel, const char *dir, char *const *name, int count,
                              pal_err *err) {
    pal_status status = PAL_OK;
    feel->trial = PAL_NEW(pal_feel_trial, count, err);
    if (feel->trial == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int i = 0; status == PAL_OK && i < count; i++) {
        char path[PATH + 256];
        snprintf(path, sizeof path, "%s/%.250s", dir, name[i]);
        status = pal_feel_load_trace(&feel->trial[i], path, err);
        feel->trial_count += status == PAL_OK;
    }
    return status;
}

static void free_names(char *const *name, int count) {
    for (int i = 0; i < count; i++) {
        free(name[i]);
    }
}

pal_status pal_feel_look_for_other(const char *other, pal_err *err) {
    char dir[PATH], *name[MOST_TRIALS];
    int count;
    if (pal_problem_is_scene(other)) {
        return PAL_OK;
    }
    snprintf(dir, sizeof dir, "%.4000s/traces", other);
    const pal_status status = list_traces(dir, name, &count, err);
    free_names(name, count);
    return status;
}

static pal_status open_folder(pal_feel *feel, const char *folder, const pal_progress *progress,
                              pal_err *err) {
    char dir[PATH], *name[MOST_TRIALS];
    int count;
    memset(feel, 0, sizeof *feel);
    no_wishes(&feel->wish);
    snprintf(dir, sizeof dir, "%.4000s/traces", folder);
    pal_status status = list_traces(dir, name, &count, err);
    if (status == PAL_OK) {
        status = load_traces(feel, dir, name, count, err);
    }
    free_names(name, count);
    if (status == PAL_OK) {
        status = open_scene_of(feel, &feel->trial[0], progress, err);
    }
    if (status != PAL_OK) {
        pal_feel_close(feel);
    }
    return status;
}

pal_status pal_feel_open_other(pal_feel *feel, const char *other, const pal_feel_wish *wish,
                               const pal_progress *progress, pal_err *err) {
    const bool scene = pal_problem_is_scene(other);
    pal_status status = scene ? pal_feel_open(feel, other, wish, progress, err)
                              : open_folder(feel, other, progress, err);
    if (status != PAL_OK) {
        return status;
    }
    feel->wish.quick = wish->quick;
    if (scene) {
        status = pal_feel_run(feel, progress, err);
    }
    if (status == PAL_OK) {
        status = pal_feel_judge(feel, progress, err);
    }
    if (status != PAL_OK) {
        pal_feel_close(feel);
    }
    return status;
}
