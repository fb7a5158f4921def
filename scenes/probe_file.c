// The hand's intent as a table of times and places.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/scene_file.h"
#include "sim/base/file.h"
#include "sim/base/memory.h"

static const char head[] = "time_s,x_m,y_m,z_m";
enum { MOST_SAMPLES = 10000000 };
static const double most_seconds = 86400.0;

// Four finite numbers with commas between them and nothing else.
static bool read_numbers(const char *text, double value[4]) {
    for (int c = 0; c < 4; c++) {
        char *end;
        value[c] = strtod(text, &end);
        if (end == text || !isfinite(value[c])) {
            return false;
        }
        text = end + strspn(end, " \t\r");
        if (c < 3 && *text++ != ',') {
            return false;
        }
    }
    return *text == '\0';
}

static pal_status read_sample(const char *path, long number, const char *line,
                              pal_path_sample *sample, int32_t count, pal_err *err) {
    double value[4];
    if (!read_numbers(line, value)) {
        return pal_fail_at(err, PAL_ERR_INPUT, path, number,
                           "not a sample; write a time in seconds and three places in metres, such "
                           "as '0.5,0.01,0,0.02'");
    }
    if (value[0] < 0.0 || value[0] > most_seconds) {
        return pal_fail_at(err, PAL_ERR_INPUT, path, number,
                           "the time %g s is outside of 0 to %g s", value[0], most_seconds);
    }
    if (count > 0 && !(value[0] > sample[count - 1].time)) {
        return pal_fail_at(err, PAL_ERR_INPUT, path, number,
                           "the time %g s is not after the one before, %g s", value[0],
                           sample[count - 1].time);
    }
    sample[count] = (pal_path_sample){value[0], {value[1], value[2], value[3]}};
    return PAL_OK;
}

// Cuts the text into lines without comments and blanks at their ends.
static char *next_line(char **text, long *number) {
    char *line = *text, *end = strchr(line, '\n');
    *text = end != NULL ? end + 1 : NULL;
    if (end != NULL) {
        *end = '\0';
    }
    ++*number;
    line += strspn(line, " \t");
    line[strcspn(line, "#\r")] = '\0';
    return line;
}

static pal_status read_samples(const char *path, char *text, pal_path_sample *sample,
                               int32_t *count, pal_err *err) {
    pal_status status = PAL_OK;
    bool headed = false;
    for (long number = 0; status == PAL_OK && text != NULL;) {
        const char *line = next_line(&text, &number);
        if (line[strspn(line, " \t")] == '\0') {
            continue;
        }
        if (!headed) {
            headed = strcmp(line, head) == 0;
            status = headed ? PAL_OK
                            : pal_fail_at(err, PAL_ERR_INPUT, path, number,
                                          "the first line must be '%s'", head);
        } else {
            status = read_sample(path, number, line, sample, *count, err);
            *count += status == PAL_OK;
        }
    }
    if (status == PAL_OK && *count == 0) {
        return pal_fail_at(err, PAL_ERR_INPUT, path, 0,
                           "holds no samples: a line '%s' and below it the numbers", head);
    }
    return status;
}

static int64_t count_lines(const char *text) {
    int64_t lines = 1;
    while ((text = strchr(text, '\n')) != NULL) {
        lines++;
        text++;
    }
    return lines;
}

pal_status pal_probe_file_read(const char *path, pal_path_sample **sample, int32_t *count,
                               pal_err *err) {
    char *text;
    size_t size;
    *sample = NULL;
    *count = 0;
    pal_status status = pal_file_read(path, &text, &size, err);
    if (status == PAL_OK && memchr(text, '\0', size) != NULL) {
        status = pal_fail_at(err, PAL_ERR_INPUT, path, 0, "holds NUL characters: not a text file");
    }
    if (status == PAL_OK && count_lines(text) > MOST_SAMPLES) {
        status = pal_fail_at(err, PAL_ERR_INPUT, path, 0, "more than %d lines", MOST_SAMPLES);
    }
    if (status == PAL_OK) {
        *sample = PAL_NEW(pal_path_sample, count_lines(text), err);
        status = *sample == NULL ? PAL_ERR_MEMORY : read_samples(path, text, *sample, count, err);
    }
    if (status != PAL_OK) {
        free(*sample);
        *sample = NULL;
        *count = 0;
    }
    free(text);
    return status;
}
