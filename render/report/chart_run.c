// gnuplot as a child: its script and what it says go through unnamed temporary files, so that
// neither waits for the other.
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "render/report/chart_parts.h"
#include "sim/base/memory.h"

extern char **environ;

typedef struct ends {
    FILE *in, *out, *said;
} ends;

static void close_files(ends *files) {
    FILE *const each[] = {files->in, files->out, files->said};
    for (int i = 0; i < 3; i++) {
        if (each[i] != NULL) {
            fclose(each[i]);
        }
    }
}

static pal_status open_files(ends *files, const char *script, size_t size, pal_err *err) {
    *files = (ends){tmpfile(), tmpfile(), tmpfile()};
    if (files->in == NULL || files->out == NULL || files->said == NULL ||
        fwrite(script, 1, size, files->in) != size || fflush(files->in) != 0 ||
        lseek(fileno(files->in), 0, SEEK_SET) != 0) {
        const int trouble = errno;
        close_files(files);
        return pal_fail(err, PAL_ERR_IO, "cannot write a temporary file for a chart: %s",
                        strerror(trouble));
    }
    return PAL_OK;
}

// All of a file, with a NUL at its end.
static char *read_all(FILE *file, pal_err *err) {
    const long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *text = size >= 0 ? PAL_NEW(char, (size_t)size + 1, err) : NULL;
    rewind(file);
    if (text != NULL && fread(text, 1, (size_t)size, file) != (size_t)size) {
        free(text);
        pal_fail(err, PAL_ERR_IO, "cannot read what gnuplot drew: %s", strerror(errno));
        return NULL;
    }
    return text;
}

static pal_status fail_drawing(FILE *said, pal_err *err) {
    char line[300], words[300] = "no reason given";
    rewind(said);
    while (fgets(line, sizeof line, said) != NULL) { // the last line that is not empty
        line[strcspn(line, "\n")] = '\0';
        if (line[strspn(line, " \t")] != '\0') {
            snprintf(words, sizeof words, "%s", line);
        }
    }
    return pal_fail(err, PAL_ERR_IO, "gnuplot did not draw a chart: %s", words);
}

static pal_status run(const ends *files, pal_err *err) {
    char *const argument[] = {"gnuplot", "-d", "-", NULL}; // without anybody's start-up file
    pid_t child;
    int state = 0;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(files->in), 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(files->out), 1);
    posix_spawn_file_actions_adddup2(&actions, fileno(files->said), 2);
    const int trouble = posix_spawnp(&child, "gnuplot", &actions, NULL, argument, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (trouble == ENOENT) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED,
                        "there is no gnuplot to draw charts with; install the package gnuplot-nox");
    }
    if (trouble != 0) {
        return pal_fail(err, PAL_ERR_IO, "cannot start gnuplot: %s", strerror(trouble));
    }
    while (waitpid(child, &state, 0) < 0) {
        if (errno != EINTR) {
            return pal_fail(err, PAL_ERR_IO, "lost sight of gnuplot: %s", strerror(errno));
        }
    }
    return WIFEXITED(state) && WEXITSTATUS(state) == 0 ? PAL_OK : fail_drawing(files->said, err);
}

pal_status pal_chart_run(const char *script, size_t size, char **drawing, pal_err *err) {
    ends files;
    *drawing = NULL;
    pal_status status = open_files(&files, script, size, err);
    if (status != PAL_OK) {
        return status;
    }
    status = run(&files, err);
    if (status == PAL_OK) {
        *drawing = read_all(files.out, err);
        status = *drawing != NULL ? PAL_OK : PAL_ERR_MEMORY;
    }
    close_files(&files);
    return status;
}

pal_status pal_chart_ready(pal_err *err) {
    static const char nothing[] = "exit\n";
    char *drawing;
    const pal_status status = pal_chart_run(nothing, sizeof nothing - 1, &drawing, err);
    free(drawing);
    return status;
}
