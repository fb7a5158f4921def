#include "app/style.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/screen.h"

enum { COMMAND_WIDTH = 84 };
static const char *program = "palpate";

void pal_style_set_program(const char *name) {
    program = name;
}

const char *pal_style_program(void) {
    return program;
}

bool pal_style_is_terminal(FILE *out) {
    const char *terminal = getenv("TERM");
    // stdout and stderr may be streams of ours (app/screen.h), which have no number
    const int fd = out == stdout ? STDOUT_FILENO : out == stderr ? STDERR_FILENO : fileno(out);
    return isatty(fd) == 1 && (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

static const char *sequence(FILE *out, pal_screen_order order) {
    const char *refused = getenv("NO_COLOR");
    bool wanted = (refused == NULL || refused[0] == '\0') && pal_style_is_terminal(out);
    return wanted ? pal_screen_say(order) : "";
}

const char *pal_style_bold(FILE *out) {
    return sequence(out, PAL_SCREEN_BOLD);
}

const char *pal_style_dim(FILE *out) {
    return sequence(out, PAL_SCREEN_DIM);
}

const char *pal_style_alarm(FILE *out) {
    return sequence(out, PAL_SCREEN_ALARM);
}

const char *pal_style_plain(FILE *out) {
    return sequence(out, PAL_SCREEN_PLAIN);
}

const char *pal_style_line_again(void) {
    return pal_screen_say(PAL_SCREEN_BACK);
}

const char *pal_style_line_rest(void) {
    return pal_screen_say(PAL_SCREEN_CLEAR);
}

void pal_style_line_away(FILE *out) {
    fprintf(out, "%s%s", pal_style_line_again(), pal_style_line_rest());
}

// Where to break a command so that `most` characters hold it: before an option, outside quotes.
static size_t break_of(const char *line, size_t length, size_t most) {
    size_t found = length;
    bool quoted = false;
    for (size_t i = 0; length > most && i + 2 < length && i + 2 < most; i++) {
        quoted = quoted != (line[i] == '\'');
        if (!quoted && i > 0 && strncmp(line + i, " --", 3) == 0) {
            found = i;
        }
    }
    return found;
}

void pal_style_commands(FILE *out, const char *lines) {
    for (const char *at = lines; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        bool call = strncmp(at, "palpate ", 8) == 0;
        size_t skip = call ? 7 : 0;
        const char *from = at + skip;
        fprintf(out, "  %s", call ? program : "");
        for (size_t left = length - skip;;) {
            const size_t part = break_of(from, left, COMMAND_WIDTH);
            fprintf(out, "%.*s%s\n", (int)part, from, part < left ? " \\" : "");
            from += part;
            left -= part;
            if (left == 0) {
                break;
            }
            fputs("     ", out);
        }
        at += at[length] == '\n' ? length + 1 : length;
    }
}

pal_words pal_say_count(int64_t count) {
    char digits[24];
    pal_words words;
    int length = snprintf(digits, sizeof digits, "%lld", (long long)(count < 0 ? -count : count));
    char *to = words.text;
    if (count < 0) {
        *to++ = '-';
    }
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            *to++ = ',';
        }
        *to++ = digits[i];
    }
    *to = '\0';
    return words;
}

pal_words pal_say_time(double seconds) {
    pal_words words;
    if (!(seconds >= 0.0)) {
        snprintf(words.text, sizeof words.text, "-");
    } else if (seconds < 0.9995e-3) {
        snprintf(words.text, sizeof words.text, "%.0f us", seconds * 1e6);
    } else if (seconds < 0.9995) {
        snprintf(words.text, sizeof words.text, "%.3g ms", seconds * 1e3);
    } else if (seconds < 99.5) {
        snprintf(words.text, sizeof words.text, "%.3g s", seconds);
    } else {
        long whole = lround(seconds);
        snprintf(words.text, sizeof words.text, "%ld min %02ld s", whole / 60, whole % 60);
    }
    return words;
}

// One step of a scale of units: values below `below` are shown as value / unit.
typedef struct unit_step {
    double below;
    double unit;
    const char *name;
} unit_step;

static pal_words say(double value, const unit_step *step) {
    pal_words words;
    while (step->below > 0.0 && !(fabs(value) < 0.9995 * step->below)) {
        step++;
    }
    double scaled = value / step->unit;
    if (fabs(scaled) >= 999.5 && fabs(scaled) < 1e7) {
        snprintf(words.text, sizeof words.text, "%.0f %s", scaled, step->name);
    } else {
        snprintf(words.text, sizeof words.text, "%.3g %s", scaled, step->name);
    }
    return words;
}

pal_words pal_say_bytes(double bytes) {
    static const unit_step steps[] = {
        {1e3, 1, "bytes"}, {1e6, 1e3, "kB"}, {1e9, 1e6, "MB"}, {0, 1e9, "GB"}};
    return say(bytes, steps);
}

pal_words pal_say_length(double metres) {
    static const unit_step steps[] = {
        {1e-3, 1e-6, "um"}, {1.0, 1e-3, "mm"}, {1e3, 1.0, "m"}, {0, 1e3, "km"}};
    return say(metres, steps);
}

pal_words pal_say_volume(double m3) {
    static const unit_step steps[] = {
        {1e-6, 1e-9, "mm^3"}, {1e-3, 1e-6, "cm^3"}, {1.0, 1e-3, "l"}, {0, 1.0, "m^3"}};
    return say(m3, steps);
}

pal_words pal_say_pressure(double pascal) {
    static const unit_step steps[] = {
        {1e3, 1.0, "Pa"}, {1e6, 1e3, "kPa"}, {1e9, 1e6, "MPa"}, {0, 1e9, "GPa"}};
    return say(pascal, steps);
}

pal_words pal_say_mass(double kilograms) {
    static const unit_step steps[] = {
        {1e-3, 1e-6, "mg"}, {1.0, 1e-3, "g"}, {1e4, 1.0, "kg"}, {0, 1e3, "t"}};
    return say(kilograms, steps);
}
