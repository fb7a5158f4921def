#include "app/feel/feel_sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/options.h"
#include "app/suggest.h"
#include "sim/base/memory.h"

// ---- what can be varied

typedef enum sweep_key { YOUNG, DELAY, FRICTION, SEED, GRIP, DEVICE } sweep_key;

static const struct {
    const char *name, *unit;
    bool word;
    double min; // of a number
} keys[] = {
    [YOUNG] = {"young", "Pa", false, 1e-3},     [DELAY] = {"delay", "s", false, 0.0},
    [FRICTION] = {"friction", "N", false, 0.0}, [SEED] = {"seed", "", false, 0.0},
    [GRIP] = {"grip", "", true, 0.0},           [DEVICE] = {"device", "", true, 0.0},
};
enum { KEYS = sizeof keys / sizeof *keys };

const char *pal_sweep_keys(void) {
    return "young (Pa), delay (s), friction (of the device, N), seed, grip (loose, medium, firm) "
           "and device (touch, touchx, ...)";
}

static void vary(pal_feel_wish *wish, const pal_sweep_axis *axis, int i) {
    switch ((sweep_key)axis->key) {
    case YOUNG:
        wish->young = axis->number[i];
        break;
    case DELAY:
        wish->delay = axis->number[i] > 0.0 ? axis->number[i] : -1.0; // none
        break;
    case FRICTION:
        wish->friction = axis->number[i] > 0.0 ? axis->number[i] : -1.0;
        break;
    case SEED:
        wish->seed = lrint(axis->number[i]);
        break;
    case GRIP:
        wish->grip = axis->text[i];
        break;
    case DEVICE:
        wish->profile = axis->text[i];
        break;
    }
}

// ---- reading

static pal_status find_key(const char *text, size_t length, int *key, pal_err *err) {
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    pal_suggestion suggestion = {.word = name};
    for (*key = 0; *key < KEYS; ++*key) {
        if (strcmp(keys[*key].name, name) == 0) {
            return PAL_OK;
        }
        pal_suggest_try(&suggestion, keys[*key].name);
    }
    return pal_fail(err, PAL_ERR_USAGE, "--sweep '%s': '%s' cannot be varied%s; there are %s", text,
                    name, pal_suggest_text(&suggestion), pal_sweep_keys());
}

static pal_status add_value(pal_sweep_axis *axis, const char *text, double number,
                            const char *whole, pal_err *err) {
    if (axis->count == PAL_SWEEP_VALUES) {
        return pal_fail(err, PAL_ERR_USAGE, "--sweep '%s': at most %d values", whole,
                        PAL_SWEEP_VALUES);
    }
    if (!keys[axis->key].word && !(number >= keys[axis->key].min)) {
        return pal_fail(err, PAL_ERR_USAGE, "--sweep '%s': %s must be %g or more", whole,
                        keys[axis->key].name, keys[axis->key].min);
    }
    snprintf(axis->text[axis->count], sizeof axis->text[0], "%s", text);
    axis->number[axis->count++] = number;
    return PAL_OK;
}

// "FROM:TO:COUNT"
static pal_status read_range(pal_sweep_axis *axis, const char *range, const char *whole,
                             pal_err *err) {
    double from, to, count;
    char rest;
    if (sscanf(range, "%lf:%lf:%lf%c", &from, &to, &count, &rest) != 3 || !isfinite(from) ||
        !isfinite(to) || count != floor(count) || count < 2.0 || count > PAL_SWEEP_VALUES) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "--sweep '%s': give FROM:TO:COUNT with a count from 2 to %d, such as "
                        "young=5e3:50e3:10, or values with commas",
                        whole, PAL_SWEEP_VALUES);
    }
    pal_status status = PAL_OK;
    for (int i = 0; status == PAL_OK && i < (int)count; i++) {
        const double value = from + (to - from) * i / (count - 1.0);
        char text[32];
        snprintf(text, sizeof text, "%.6g", value);
        status = add_value(axis, text, value, whole, err);
    }
    return status;
}

static pal_status read_list(pal_sweep_axis *axis, const char *list, const char *whole,
                            pal_err *err) {
    pal_status status = PAL_OK;
    while (status == PAL_OK) {
        char part[32];
        const size_t length = strcspn(list, ",");
        double number = NAN;
        snprintf(part, sizeof part, "%.*s", (int)(length < 31 ? length : 31), list);
        if (length == 0 || length > 31) {
            return pal_fail(err, PAL_ERR_USAGE,
                            "--sweep '%s': a value is missing, or has more than 31 characters",
                            whole);
        }
        if (!keys[axis->key].word) {
            status = pal_parse_number(part, "a value of --sweep", &number, err);
        }
        if (status == PAL_OK) {
            status = add_value(axis, part, number, whole, err);
        }
        if (list[length] == '\0') {
            break;
        }
        list += length + 1;
    }
    return status;
}

// A word is looked at here, not after the suites before it have run.
static pal_status check_words(const pal_sweep_axis *axis, const char *whole, pal_err *err) {
    for (int i = 0; i < axis->count; i++) {
        bool known = true;
        if (axis->key == GRIP) {
            pal_hand_grip(axis->text[i], &known);
        } else if (axis->key == DEVICE) {
            known = pal_device_profile(axis->text[i]) != NULL;
        }
        if (!known) {
            return pal_fail(err, PAL_ERR_USAGE, "--sweep '%s': there is no %s '%s'", whole,
                            keys[axis->key].name, axis->text[i]);
        }
    }
    return PAL_OK;
}

static pal_status read_axis(pal_sweep *sweep, const char *text, pal_err *err) {
    pal_sweep_axis *axis = &sweep->axis[sweep->axis_count];
    const char *equals = strchr(text, '=');
    if (equals == NULL) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "--sweep '%s': give KEY=FROM:TO:COUNT or KEY=A,B,C; the keys are %s", text,
                        pal_sweep_keys());
    }
    pal_status status = find_key(text, (size_t)(equals - text), &axis->key, err);
    for (int i = 0; status == PAL_OK && i < sweep->axis_count; i++) {
        if (sweep->axis[i].key == axis->key) {
            status =
                pal_fail(err, PAL_ERR_USAGE, "--sweep: %s is varied twice", keys[axis->key].name);
        }
    }
    if (status == PAL_OK) {
        const bool range = !keys[axis->key].word && strchr(equals, ':') != NULL;
        status = (range ? read_range : read_list)(axis, equals + 1, text, err);
    }
    if (status == PAL_OK) {
        status = check_words(axis, text, err);
    }
    sweep->axis_count += status == PAL_OK;
    return status;
}

pal_status pal_sweep_read(pal_sweep *sweep, const char *const *text, int count, pal_err *err) {
    memset(sweep, 0, sizeof *sweep);
    if (count > PAL_SWEEP_AXES) {
        return pal_fail(err, PAL_ERR_USAGE, "--sweep: at most %d of them", PAL_SWEEP_AXES);
    }
    pal_status status = PAL_OK;
    sweep->point_count = 1;
    for (int i = 0; status == PAL_OK && i < count; i++) {
        status = read_axis(sweep, text[i], err);
        sweep->point_count *= sweep->axis[i].count;
    }
    if (status == PAL_OK && sweep->point_count > PAL_SWEEP_POINTS) {
        status = pal_fail(err, PAL_ERR_USAGE, "--sweep: %d suites are too many, at most %d",
                          sweep->point_count, PAL_SWEEP_POINTS);
    }
    if (status == PAL_OK) {
        sweep->card = PAL_NEW(pal_scorecard, sweep->point_count, err);
        status = sweep->card != NULL ? PAL_OK : PAL_ERR_MEMORY;
    }
    return status;
}

void pal_sweep_free(pal_sweep *sweep) {
    for (int p = 0; sweep->card != NULL && p < sweep->point_count; p++) {
        pal_scorecard_free(&sweep->card[p]);
    }
    free(sweep->card);
    memset(sweep, 0, sizeof *sweep);
}

int pal_sweep_place(const pal_sweep *sweep, int point, int axis) {
    for (int a = sweep->axis_count - 1; a > axis; a--) {
        point /= sweep->axis[a].count;
    }
    return point % sweep->axis[axis].count;
}

const char *pal_sweep_axis_name(const pal_sweep *sweep, int axis) {
    return keys[sweep->axis[axis].key].name;
}

const char *pal_sweep_axis_unit(const pal_sweep *sweep, int axis) {
    return keys[sweep->axis[axis].key].unit;
}

// ---- running

// Its own stages are small beside the whole: the bar shows how many suites are done.
static pal_status run_point(pal_sweep *sweep, int point, const char *scene, pal_feel_wish wish,
                            const pal_progress *progress, pal_err *err) {
    pal_feel feel;
    for (int a = 0; a < sweep->axis_count; a++) {
        vary(&wish, &sweep->axis[a], pal_sweep_place(sweep, point, a));
    }
    wish.quick = true;
    pal_status status = pal_feel_open(&feel, scene, &wish, progress, err);
    if (status != PAL_OK) {
        return status;
    }
    status = pal_feel_run(&feel, NULL, err);
    if (status == PAL_OK) {
        status = pal_feel_judge(&feel, NULL, err);
    }
    if (status == PAL_OK) {
        sweep->card[point] = feel.card;
        feel.card = (pal_scorecard){0};
    }
    pal_feel_close(&feel);
    return status;
}

pal_status pal_sweep_run(pal_sweep *sweep, const char *scene, const pal_feel_wish *wish,
                         const pal_progress *progress, pal_err *err) {
    pal_status status = PAL_OK;
    for (int p = 0; status == PAL_OK && p < sweep->point_count; p++) {
        // (the first one may have to bake)
        status = run_point(sweep, p, scene, *wish, p == 0 ? progress : NULL, err);
        pal_progress_report(progress, "suites", (p + 1.0) / sweep->point_count);
    }
    return status;
}
