// Materials and frequencies that change in a run: from the scene and from the command line.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/options.h"
#include "app/session.h"
#include "sim/base/memory.h"

enum { TEXT_MAX = 256 };
static const double most_seconds = 86400.0;

static pal_status bad_form(const char *text, pal_err *err) {
    return pal_fail(err, PAL_ERR_USAGE,
                    "--edit '%.200s': write AT:REGION:young=PA,poisson=N,density=KG_PER_M3 (one of "
                    "them or more), such as 2:body:young=24e3, or of a body of domains "
                    "AT:DOMAIN:frequency=FACTOR, such as '2:leaf *:frequency=0.5'",
                    text);
}

// "young=24e3,poisson=0.4"; the text is cut into pieces.
static pal_status read_numbers(const char *text, char *numbers, pal_material_edit *edit,
                               pal_err *err) {
    pal_material *to = &edit->to;
    *to = (pal_material){NAN, NAN, NAN};
    edit->frequency = NAN;
    const struct {
        const char *name;
        double *value;
    } all[] = {{"young", &to->young},
               {"poisson", &to->poisson},
               {"density", &to->density},
               {"frequency", &edit->frequency}};
    enum { COUNT = sizeof all / sizeof *all };
    char *rest;
    for (char *item = strtok_r(numbers, ",", &rest); item != NULL;
         item = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(item, '='), what[TEXT_MAX + 32];
        int k = 0;
        if (equals == NULL) {
            return bad_form(text, err);
        }
        *equals = '\0';
        while (k < COUNT && strcmp(item, all[k].name) != 0) {
            k++;
        }
        if (k == COUNT || !isnan(*all[k].value)) {
            return bad_form(text, err);
        }
        snprintf(what, sizeof what, "%s in --edit '%s'", item, text);
        pal_status status = pal_parse_number(equals + 1, what, all[k].value, err);
        if (status != PAL_OK) {
            return status;
        }
    }
    const bool material = !isnan(to->young) || !isnan(to->poisson) || !isnan(to->density);
    return material == isnan(edit->frequency) ? PAL_OK : bad_form(text, err);
}

// Whether the numbers that are given can be those of a material, or a factor.
static pal_status check_numbers(const char *text, const pal_material_edit *edit, pal_err *err) {
    const pal_material *to = &edit->to;
    if (!isnan(edit->frequency)) {
        return edit->frequency >= 0.01 && edit->frequency <= 100.0
                   ? PAL_OK
                   : pal_fail(err, PAL_ERR_USAGE,
                              "--edit '%s': the factor %g is outside 0.01 to 100", text,
                              edit->frequency);
    }
    const pal_material whole = {isnan(to->young) ? 1e4 : to->young,
                                isnan(to->poisson) ? 0.4 : to->poisson,
                                isnan(to->density) ? 1000.0 : to->density};
    char owner[TEXT_MAX + 32];
    pal_err inner;
    snprintf(owner, sizeof owner, "--edit '%s'", text);
    return pal_material_check(&whole, owner, &inner) == PAL_OK
               ? PAL_OK
               : pal_fail(err, PAL_ERR_USAGE, "%.900s", inner.text);
}

// The region's name may hold colons.
static pal_status read_edit(const char *text, pal_material_edit *edit, pal_err *err) {
    char copy[TEXT_MAX], what[TEXT_MAX + 32];
    snprintf(copy, sizeof copy, "%s", text);
    char *region = strchr(copy, ':'), *numbers = strrchr(copy, ':');
    if (region == NULL || numbers == region || strlen(text) >= sizeof copy) {
        return bad_form(text, err);
    }
    *region++ = *numbers++ = '\0';
    if (*region == '\0' || strlen(region) >= sizeof edit->region) {
        return bad_form(text, err);
    }
    snprintf(edit->region, sizeof edit->region, "%s", region);
    snprintf(what, sizeof what, "the time in --edit '%s'", text);
    pal_status status = pal_parse_number(copy, what, &edit->at, err);
    if (status == PAL_OK && !(edit->at >= 0.0 && edit->at <= most_seconds)) {
        return pal_fail(err, PAL_ERR_USAGE, "%s must lie between 0 and %g s", what, most_seconds);
    }
    if (status == PAL_OK) {
        status = read_numbers(text, numbers, edit, err);
    }
    return status == PAL_OK ? check_numbers(text, edit, err) : status;
}

static pal_status too_many(pal_err *err) {
    return pal_fail(err, PAL_ERR_USAGE, "more than %d edits of materials in a run", PAL_EDITS_MAX);
}

// A body of one piece has materials, one of domains frequencies.
static pal_status check_kind(const pal_session *s, const pal_material_edit *edit, pal_err *err) {
    const bool domains = s->scene.has_domains;
    return domains != isnan(edit->frequency) ? PAL_OK
           : domains                         ? pal_fail(err, PAL_ERR_USAGE,
                                                        "--edit: the scene '%s' has a body of domains; what changes in a "
                                                                                "run are their frequencies, as in '2:*:frequency=0.5'",
                                                        s->scene.name)
                                             : pal_fail(err, PAL_ERR_USAGE,
                                                        "--edit: the scene '%s' has a body without domains, and no "
                                                                                "frequency to change; give young, such as '2:body:young=24e3'",
                                                        s->scene.name);
}

pal_status pal_session_take_edits(pal_session *s, const char *edits, pal_err *err) {
    const pal_scene_live *live = &s->scene.live;
    for (; s->edit_count < live->edit_count; s->edit_count++) {
        s->edit[s->edit_count] = live->edit[s->edit_count];
    }
    if (edits == NULL) {
        return PAL_OK;
    }
    if (live->has_wall) {
        return pal_fail(err, PAL_ERR_USAGE, "--edit: the scene '%s' has a wall and no material",
                        s->scene.name);
    }
    s->edits = pal_copy_text(edits, err);
    char *lines = s->edits != NULL ? pal_copy_text(edits, err) : NULL;
    if (lines == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_status status = PAL_OK;
    for (char *line = lines, *next; status == PAL_OK && *line != '\0'; line = next) {
        size_t length = strcspn(line, "\n");
        next = line + length + (line[length] != '\0');
        line[length] = '\0';
        pal_material_edit *edit = &s->edit[s->edit_count];
        status = s->edit_count == PAL_EDITS_MAX ? too_many(err) : read_edit(line, edit, err);
        if (status == PAL_OK) {
            status = check_kind(s, edit, err);
            s->edit_count++;
        }
    }
    free(lines);
    return status;
}

// One by one first: the error says whose it is.
static pal_status plan_frequencies(pal_session *s, double dt, pal_err *err) {
    pal_err inner = {0};
    for (int i = 0; i < s->edit_count; i++) {
        const bool scenes = i < s->scene.live.edit_count;
        char key[64];
        const pal_status status =
            pal_edit_plan_open_tree(&s->plan, &s->tree, &s->edit[i], 1, dt, &inner);
        pal_edit_plan_close(&s->plan);
        if (status != PAL_OK) {
            snprintf(key, sizeof key, "edits.%d.region", i);
            return scenes ? pal_scene_fail(&s->scene, key, &inner, err)
                          : pal_fail(err, PAL_ERR_USAGE, "--edit: %.900s", inner.text);
        }
    }
    return pal_edit_plan_open_tree(&s->plan, &s->tree, s->edit, s->edit_count, dt, err);
}

pal_status pal_session_plan_edits(pal_session *s, double dt, pal_err *err) {
    if (s->edit_count == 0) {
        return PAL_OK;
    }
    if (s->scene.has_domains) {
        return plan_frequencies(s, dt, err);
    }
    pal_status status = pal_scene_check_edits(&s->scene, &s->model, err);
    pal_err inner;
    for (int i = s->scene.live.edit_count; status == PAL_OK && i < s->edit_count; i++) {
        if (pal_material_edit_apply(&s->edit[i], &s->model, NULL, &inner) != PAL_OK) {
            return pal_fail(err, PAL_ERR_USAGE, "--edit: %.900s", inner.text);
        }
    }
    return status == PAL_OK ? pal_edit_plan_open(&s->plan, &s->model, s->edit, s->edit_count, dt,
                                                 s->precision, err)
                            : status;
}

// ---- in the run

// As the plan leaves the materials, and from when on.
static pal_status after_plan(const pal_session *s, pal_material *material, uint64_t *begins,
                             pal_err *err) {
    for (int32_t g = 0; g < s->model.region_count; g++) {
        material[g] = s->model.region[g].material;
    }
    // In the order of time, which is that of the plan's ticks
    const pal_edit_plan *plan = &s->plan;
    *begins = plan->count > 0 ? plan->item[plan->count - 1].tick : 0;
    uint64_t done = 0;
    for (int taken = 0; taken < s->edit_count;) {
        uint64_t next = UINT64_MAX;
        for (int i = 0; i < s->edit_count; i++) {
            const uint64_t tick = (uint64_t)llrint(s->edit[i].at / s->options.dt);
            if (tick == done) {
                pal_status status = pal_material_edit_apply(&s->edit[i], &s->model, material, err);
                if (status != PAL_OK) {
                    return status;
                }
                taken++;
            } else if (tick > done && tick < next) {
                next = tick;
            }
        }
        done = next;
    }
    return PAL_OK;
}

pal_status pal_session_open_desk(pal_session *s, const char *live_edits, pal_err *err) {
    if (s->scene.live.has_wall || s->scene.has_domains) {
        return PAL_OK;
    }
    pal_desk_options options = {
        .model = &s->model, .link = &s->servo->link, .precision = s->precision};
    pal_material *material = PAL_NEW(pal_material, s->model.region_count, err);
    pal_status status =
        material != NULL ? after_plan(s, material, &options.begins, err) : PAL_ERR_MEMORY;
    options.material = material;
    if (status == PAL_OK) {
        status = pal_desk_open(&s->desk, &options, err);
    }
    free(material);
    if (status == PAL_OK && live_edits != NULL) {
        status = pal_live_edits_parse(&s->model, live_edits, "the trace", &s->live_edit,
                                      &s->live_count, err);
    }
    return status;
}

pal_status pal_session_save_materials(const pal_session *s, const char *path, pal_err *err) {
    if (s->desk == NULL) {
        return pal_fail(err, PAL_ERR_USAGE, "the scene '%s' has %s to save", s->scene.name,
                        s->scene.has_domains ? "a body of domains and no changed material"
                                             : "a wall and no material");
    }
    pal_material *now = PAL_NEW(pal_material, s->model.region_count, err);
    if (now == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t g = 0; g < s->model.region_count; g++) {
        now[g] = (pal_material){pal_desk_get(s->desk, g, PAL_PROPERTY_YOUNG),
                                pal_desk_get(s->desk, g, PAL_PROPERTY_POISSON),
                                pal_desk_get(s->desk, g, PAL_PROPERTY_DENSITY)};
    }
    pal_status status = pal_scene_save_materials(
        &s->scene, &s->model, now, pal_desk_get(s->desk, 0, PAL_PROPERTY_MASS_DAMPING),
        pal_desk_get(s->desk, 0, PAL_PROPERTY_STIFFNESS_DAMPING), path, err);
    free(now);
    return status;
}

pal_status pal_session_repeat(pal_session *s, const pal_tick_record *row, pal_tick_record *now,
                              pal_err *err) {
    for (unsigned kind = PAL_COMMAND_RESET; kind < PAL_COMMAND_KINDS; kind++) {
        if (row->commands >> kind & 1) {
            pal_servo_order(s->servo, kind);
        }
    }
    while (s->live_done < s->live_count && s->live_edit[s->live_done].tick <= row->tick) {
        pal_status status = pal_desk_repeat(s->desk, &s->live_edit[s->live_done++], err);
        if (status != PAL_OK) {
            return status;
        }
    }
    pal_servo_tick(s->servo, (int)row->missed, 0.0);
    for (int32_t h = 0; h < s->hand_count; h++) {
        pal_ring_get(&s->servo->log, &now[h]);
    }
    return PAL_OK;
}

static bool is_live(const pal_session *s, uint64_t tick) {
    int i = 0;
    while (i < s->live_count && s->live_edit[i].tick != tick) {
        i++;
    }
    return i < s->live_count;
}

pal_status pal_session_check_edits(const pal_session *s, const pal_trace_data *trace,
                                   const char *path, pal_err *err) {
    for (int64_t k = 0; k < trace->count; k++) {
        const pal_tick_record *row = &trace->record[k];
        if (row->commands >> PAL_COMMAND_MATERIAL & 1 && !pal_edit_plan_has(&s->plan, row->tick) &&
            !is_live(s, row->tick)) {
            return pal_fail(err, PAL_ERR_UNSUPPORTED,
                            "%s: materials were changed at tick %lld, and the trace does not hold "
                            "them (was it cut off?); it cannot be repeated exactly",
                            path, (long long)row->tick);
        }
    }
    return PAL_OK;
}
