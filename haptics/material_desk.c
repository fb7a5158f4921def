#include "haptics/material_desk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/model/retune.h"
#include "sim/reduced/quartic_build.h"

// With the servo are the coefficients in use and those on their way; one more to fill, and one for
// a servo that is a frame behind.
enum { BLOCKS = 4 };

struct pal_desk {
    pal_desk_options options;
    int32_t region_count;
    pal_material *begun;  // [region_count] as it was opened
    pal_material *wished; // [region_count]
    pal_material *sent;   // [region_count]
    double alpha, beta;   // as it was opened
    double wished_alpha, wished_beta, sent_alpha, sent_beta;

    struct { // coefficients, and whether the servo may have them
        void *memory;
        bool lent;
    } block[BLOCKS];
    pal_quartic quartic; // to sum in; made with the first block
    double *mass;        // [pal_pairs(r)]

    pal_live_edit flight[PAL_COMMANDS]; // sent and not taken yet, as far as we know; a ring
    int first, flying;
    pal_live_edit *log; // [log_room]
    int log_count, log_room;
};

// ---- opening and closing

pal_status pal_desk_open(pal_desk **out, const pal_desk_options *options, pal_err *err) {
    const pal_model *model = options->model;
    pal_desk *desk = *out = PAL_NEW(pal_desk, 1, err);
    if (desk == NULL) {
        return PAL_ERR_MEMORY;
    }
    desk->options = *options;
    desk->options.material = NULL; // not kept
    desk->region_count = model->region_count;
    desk->begun = PAL_NEW(pal_material, 3 * (size_t)model->region_count, err);
    if (desk->begun == NULL) {
        pal_desk_close(desk);
        *out = NULL;
        return PAL_ERR_MEMORY;
    }
    desk->wished = desk->begun + model->region_count;
    desk->sent = desk->wished + model->region_count;
    for (int32_t g = 0; g < model->region_count; g++) {
        desk->begun[g] = desk->wished[g] = desk->sent[g] =
            options->material != NULL ? options->material[g] : model->region[g].material;
    }
    desk->alpha = desk->wished_alpha = desk->sent_alpha = model->damping_alpha;
    desk->beta = desk->wished_beta = desk->sent_beta = model->damping_beta;
    return PAL_OK;
}

void pal_desk_close(pal_desk *desk) {
    if (desk != NULL) {
        for (int i = 0; i < BLOCKS; i++) {
            free(desk->block[i].memory);
        }
        pal_quartic_free(&desk->quartic);
        free(desk->mass);
        free(desk->begun);
        free(desk->log);
        free(desk);
    }
}

// ---- wishes

static double *wished(pal_desk *desk, int32_t region, pal_property property) {
    pal_material *material = &desk->wished[region];
    switch (property) {
    case PAL_PROPERTY_YOUNG:
        return &material->young;
    case PAL_PROPERTY_POISSON:
        return &material->poisson;
    case PAL_PROPERTY_DENSITY:
        return &material->density;
    case PAL_PROPERTY_MASS_DAMPING:
        return &desk->wished_alpha;
    default:
        return &desk->wished_beta;
    }
}

double pal_desk_get(const pal_desk *desk, int32_t region, pal_property property) {
    return *wished((pal_desk *)desk, region, property);
}

pal_status pal_desk_set(pal_desk *desk, int32_t region, pal_property property, double value,
                        pal_err *err) {
    if (region < 0 || region >= desk->region_count) {
        return pal_fail(err, PAL_ERR_USAGE, "there is no region %d; the body has %d", (int)region,
                        (int)desk->region_count);
    }
    if (property >= PAL_PROPERTY_MASS_DAMPING && !(value >= 0.0 && isfinite(value))) {
        return pal_fail(err, PAL_ERR_USAGE, "a damping of %g; it must not be negative", value);
    }
    double *place = wished(desk, region, property);
    const double before = *place;
    *place = value;
    const pal_status status =
        pal_material_check(&desk->wished[region], desk->options.model->region[region].name, err);
    *place = status == PAL_OK ? value : before;
    return status;
}

void pal_desk_restore(pal_desk *desk) {
    memcpy(desk->wished, desk->begun, (size_t)desk->region_count * sizeof *desk->wished);
    desk->wished_alpha = desk->alpha;
    desk->wished_beta = desk->beta;
}

pal_slider pal_desk_slider(const pal_desk *desk, int32_t region, pal_property property) {
    const double decade = 10.0, most_alpha = 10.0, most_beta = 0.02;
    const pal_material *baked = &desk->options.model->region[region].material;
    switch (property) {
    case PAL_PROPERTY_YOUNG:
        return (pal_slider){baked->young / decade, baked->young * decade, true};
    case PAL_PROPERTY_POISSON:
        return (pal_slider){0.0, fmax(0.49, baked->poisson), false};
    case PAL_PROPERTY_DENSITY:
        return (pal_slider){0.25 * baked->density, 4.0 * baked->density, false};
    case PAL_PROPERTY_MASS_DAMPING:
        return (pal_slider){0.0, fmax(most_alpha, 4.0 * desk->alpha), false};
    default:
        return (pal_slider){0.0, fmax(most_beta, 4.0 * desk->beta), false};
    }
}

// ---- sending and taking back

static bool same_material(const pal_material *a, const pal_material *b) {
    return a->young == b->young && a->poisson == b->poisson && a->density == b->density;
}

static bool is_damping_new(const pal_desk *desk) {
    return desk->wished_alpha != desk->sent_alpha || desk->wished_beta != desk->sent_beta;
}

// Memory that the servo does not have; -1: it has all, or there is none more (*status).
static int find_block(pal_desk *desk, pal_status *status, pal_err *err) {
    const pal_model *model = desk->options.model;
    int i = 0;
    while (i < BLOCKS && desk->block[i].lent) {
        i++;
    }
    if (i < BLOCKS && desk->block[i].memory == NULL) {
        desk->block[i].memory =
            pal_alloc(pal_newmark_coefficient_bytes(model->r, desk->options.precision), 1, err);
    }
    if (i < BLOCKS && desk->mass == NULL) {
        desk->mass = PAL_NEW(double, pal_pairs(model->r), err);
    }
    const bool ok = i == BLOCKS || (desk->block[i].memory != NULL && desk->mass != NULL);
    *status = ok ? PAL_OK : PAL_ERR_MEMORY;
    if (ok && i < BLOCKS && desk->quartic.p == NULL) {
        *status = pal_quartic_alloc(&desk->quartic, model->r, err);
    }
    return *status == PAL_OK && i < BLOCKS ? i : -1;
}

// Coefficients of what has been sent so far, with region g as it is wished.
static pal_status prepare(pal_desk *desk, int32_t g, int block, pal_coefficients **out,
                          pal_err *err) {
    const pal_material before = desk->sent[g];
    desk->sent[g] = desk->wished[g];
    pal_status status =
        pal_model_retune(desk->options.model, desk->sent, &desk->quartic, desk->mass, err);
    desk->sent[g] = before;
    if (status == PAL_OK) {
        *out = pal_newmark_prepare(desk->block[block].memory, &desk->quartic, desk->mass,
                                   desk->options.precision);
    }
    return status;
}

// Room in the log for all that is on its way, so that taking back cannot fail.
static pal_status make_room(pal_desk *desk, pal_err *err) {
    if (desk->log_count + desk->flying < desk->log_room) {
        return PAL_OK;
    }
    const int room = desk->log_room > 0 ? 2 * desk->log_room : 64;
    pal_live_edit *more = PAL_NEW(pal_live_edit, room, err);
    if (more == NULL) {
        return PAL_ERR_MEMORY;
    }
    if (desk->log_count > 0) {
        memcpy(more, desk->log, (size_t)desk->log_count * sizeof *more);
    }
    free(desk->log);
    desk->log = more;
    desk->log_room = room;
    return PAL_OK;
}

// What is wished for region g, and of the damping; *sent: it went out.
static pal_status send_region(pal_desk *desk, int32_t g, bool *sent, pal_err *err) {
    const double baked = desk->options.model->region[g].material.young;
    pal_servo_command command = {.kind = PAL_COMMAND_MATERIAL,
                                 .region = g,
                                 .damps = is_damping_new(desk),
                                 .alpha = desk->wished_alpha,
                                 .beta = desk->wished_beta};
    const bool stays = same_material(&desk->wished[g], &desk->sent[g]);
    int block = -1;
    *sent = false;
    pal_status status = make_room(desk, err);
    if (status == PAL_OK && !stays) {
        block = find_block(desk, &status, err);
        if (block < 0) {
            return status;
        }
        command.local_scale = baked / desk->wished[g].young;
        status = prepare(desk, g, block, &command.coefficients, err);
    }
    if (status != PAL_OK || desk->flying == PAL_COMMANDS ||
        !pal_command_send(desk->options.link, &command)) {
        return status;
    }
    *sent = true;
    if (block >= 0) {
        desk->block[block].lent = true;
    }
    desk->sent[g] = desk->wished[g];
    desk->sent_alpha = desk->wished_alpha;
    desk->sent_beta = desk->wished_beta;
    desk->flight[(desk->first + desk->flying++) % PAL_COMMANDS] =
        (pal_live_edit){0, g, desk->sent[g], desk->sent_alpha, desk->sent_beta};
    return PAL_OK;
}

// What comes back may be the body's first coefficients or a plan's: those are not ours.
void pal_desk_take_back(pal_desk *desk) {
    pal_taken taken;
    while (pal_command_take_back(desk->options.link, &taken)) {
        for (int i = 0; i < BLOCKS; i++) {
            if (taken.coefficients != NULL && (void *)taken.coefficients == desk->block[i].memory) {
                desk->block[i].lent = false;
            }
        }
        if (desk->flying > 0) {
            pal_live_edit *edit = &desk->flight[desk->first];
            edit->tick = taken.tick;
            desk->log[desk->log_count++] = *edit;
            desk->first = (desk->first + 1) % PAL_COMMANDS;
            desk->flying--;
        }
    }
}

pal_status pal_desk_pump(pal_desk *desk, uint64_t tick, bool *waiting, pal_err *err) {
    bool waits = false;
    pal_status status = PAL_OK;
    pal_desk_take_back(desk);
    for (int32_t g = 0; status == PAL_OK && g < desk->region_count; g++) {
        const bool is_new = !same_material(&desk->wished[g], &desk->sent[g]) ||
                            (g == desk->region_count - 1 && is_damping_new(desk));
        bool sent = false;
        if (is_new && tick >= desk->options.begins) {
            status = send_region(desk, g, &sent, err);
        }
        waits = waits || (is_new && !sent);
    }
    if (waiting != NULL) {
        *waiting = waits;
    }
    return status;
}

const pal_live_edit *pal_desk_log(const pal_desk *desk, int *count) {
    *count = desk->log_count;
    return desk->log;
}

pal_status pal_desk_repeat(pal_desk *desk, const pal_live_edit *edit, pal_err *err) {
    pal_desk_take_back(desk);
    desk->wished[edit->region] = edit->to;
    desk->wished_alpha = edit->alpha;
    desk->wished_beta = edit->beta;
    bool sent;
    pal_status status = send_region(desk, edit->region, &sent, err);
    return status != PAL_OK || sent
               ? status
               : pal_fail(err, PAL_ERR_INPUT, "too many edits of materials at tick %llu",
                          (unsigned long long)edit->tick);
}
