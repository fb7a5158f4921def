// Set-up of the servo: the only place where its memory comes from.
#include <math.h>
#include <stdlib.h>

#include "haptics/live_tree.h"
#include "haptics/servo.h"
#include "sim/base/memory.h"

enum { LOOK_BUDGET = 2000, VISITS = 640 };
static const double pull_share = 1.25; // of the device's largest force: what the body may be given

void pal_servo_defaults(pal_servo_options *options, const pal_device_limits *limits) {
    *options =
        (pal_servo_options){.dt = 1e-3, .hand_count = 1, .visits = VISITS, .log_capacity = 1 << 15};
    pal_servo_defaults_hand(options, 0, limits);
}

void pal_servo_defaults_hand(pal_servo_options *options, int32_t h,
                             const pal_device_limits *limits) {
    const double turn = limits->max_torque > 0.0 ? limits->max_turn_stiffness : 0.0;
    pal_err err;
    options->hand_count = h + 1;
    options->tool[h] = (pal_tool_options){.stiffness = PAL_COUPLING_SHARE * limits->max_stiffness,
                                          .turn_stiffness = PAL_COUPLING_SHARE * turn,
                                          .look_budget = LOOK_BUDGET,
                                          .most = PAL_MAX_TOUCHES};
    pal_shape_sphere(&options->tool[h].shape, 5e-3, &err);
}

static bool has_domains(const pal_live_body *body) {
    return body != NULL && body->domains != NULL;
}

static bool has_dents(const pal_servo *servo) {
    return servo->body != NULL && servo->body->local != NULL && !servo->options.no_local &&
           servo->options.form == PAL_CONTACT_COMPLIANCE;
}

// Several hands share the room for contacts, each with one for what it holds.
static int32_t room_for_touches(const pal_servo_options *options) {
    return options->form == PAL_CONTACT_PENALTY ? pal_penalty_room(options->hand_count)
                                                : PAL_MAX_CONTACTS / options->hand_count - 1;
}

static void init_hand(pal_servo *servo, int32_t h) {
    const pal_servo_options *options = &servo->options;
    const pal_device_limits *limits = &servo->device[h].limits;
    pal_servo_hand *hand = &servo->own.hand[h];
    pal_safety_options safety;
    pal_safety_defaults(&safety, limits);
    pal_safety_init(&hand->safety, &safety, options->dt);
    pal_passivity_init(&hand->passivity, limits, options->dt, options->delay,
                       !options->observe_only);
    hand->passivity.never_pull = servo->body != NULL;
    hand->passivity.max_slew = safety.max_slew;
    pal_reading_init(&hand->reading, limits, options->dt);
    pal_watchdog_init(&hand->watchdog, limits, options->dt);
    pal_coupling_init(&hand->coupling, limits, options->dt, options->delay);
    pal_tool_options tool = options->tool[h];
    tool.max_force = tool.max_force > 0.0 ? tool.max_force : pull_share * limits->max_force;
    tool.shell = servo->body != NULL ? &servo->body->shell : NULL;
    tool.domains = has_domains(servo->body) ? &servo->body->domains->domains : NULL;
    tool.number = h;
    const int32_t room = room_for_touches(options);
    tool.grasp_stiffness =
        options->form == PAL_CONTACT_PENALTY ? 0.0 : tool.grasp_stiffness; // it cannot hold
    tool.most = tool.most < room ? tool.most : room;
    tool.spreads = has_dents(servo) ? servo->body->footprint.spreads : NULL;
    tool.stretches = options->stiffening;
    pal_tool_init(&servo->own.tool[h], &tool);
}

static void init_own(pal_servo *servo) {
    pal_histogram_init(&servo->own.counters.tick);
    servo->own.slowness = 1.0;
    for (int32_t h = 0; h < servo->options.hand_count; h++) {
        init_hand(servo, h);
    }
    if (servo->body != NULL) {
        pal_live_body_world(servo->body, &servo->own.world);
        pal_contact_scene *scene = &servo->own.world.scene;
        scene->tool_count = servo->options.hand_count;
        scene->tool = servo->own.tool;
        scene->dt = servo->options.dt;
        scene->visits = servo->options.visits;
        scene->local = has_dents(servo) ? scene->local : NULL;
        scene->local_rows = servo->options.stiffening ? servo->body->local_rows : NULL;
        if (scene->domains != NULL) {
            scene->domains->stiffening = servo->options.stiffening;
            pal_domains_reset(scene->domains, !servo->options.no_local);
        }
        servo->own.world.form = servo->options.form;
        servo->own.world.load = servo->own.no_force;
    }
}

// Room in each snapshot for what a tree of domains looks like.
static pal_status open_domains(pal_servo *servo, pal_err *err) {
    enum { COPIED = 4000 }; // numbers a tick
    servo->show_every = 1;
    if (!has_domains(servo->body)) {
        return PAL_OK;
    }
    const pal_tree *tree = &servo->body->domains->model->tree;
    size_t size = 0;
    for (int32_t i = 0; i < tree->domain_count; i++) {
        size += 12 + (size_t)tree->class_[tree->domain[i].kind].r;
    }
    servo->domains = PAL_NEW(float, 3 * size, err);
    for (int k = 0; k < 3 && servo->domains != NULL; k++) {
        servo->exchange.slot[k].domain = servo->domains + (size_t)k * size;
    }
    servo->show_every = (uint32_t)(1 + size / COPIED);
    return servo->domains != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

pal_status pal_servo_open(pal_servo **out, const pal_servo_options *options, pal_device *device,
                          pal_live_body *body, pal_err *err) {
    if (options->hand_count < 1 || options->hand_count > PAL_MAX_TOOLS) {
        *out = NULL;
        return pal_fail(err, PAL_ERR_USAGE, "servo: %d hands; give 1 to %d",
                        (int)options->hand_count, (int)PAL_MAX_TOOLS);
    }
    if (options->stall_count > 0 && (body == NULL || options->form == PAL_CONTACT_PENALTY)) {
        *out = NULL;
        return pal_fail(err, PAL_ERR_USAGE,
                        "servo: only a body that is touched by contact.response: compliance can "
                        "stall; remove the fault");
    }
    if (has_domains(body) && options->form == PAL_CONTACT_PENALTY) {
        *out = NULL;
        return pal_fail(err, PAL_ERR_USAGE,
                        "a body of domains is touched by contact.response: compliance alone; "
                        "penalty is for bodies of one piece");
    }
    pal_servo *servo = *out = PAL_NEW(pal_servo, 1, err);
    pal_tick_record *items = PAL_NEW(pal_tick_record, options->log_capacity, err);
    if (servo == NULL || items == NULL) {
        free(servo);
        free(items);
        *out = NULL;
        return PAL_ERR_MEMORY;
    }
    _Static_assert((int)PAL_SNAPSHOT_HANDS == (int)PAL_MAX_TOOLS, "all hands are shown");
    servo->options = *options;
    servo->device = device;
    servo->body = body;
    servo->items = items;
    pal_ring_init(&servo->log, items, sizeof *items, options->log_capacity);
    pal_command_init(&servo->link);
    pal_exchange_init(&servo->exchange);
    init_own(servo);
    const pal_status status = open_domains(servo, err);
    if (status != PAL_OK) {
        pal_servo_close(servo);
        *out = NULL;
    }
    return status;
}

void pal_servo_close(pal_servo *servo) {
    if (servo != NULL) {
        free(servo->items);
        free(servo->domains);
        free(servo);
    }
}

void pal_servo_order(pal_servo *servo, pal_command_kind kind) {
    servo->own.orders |= 1u << kind;
}

int pal_servo_stop_ticks(const pal_servo *servo) {
    const pal_safety_options *safety = &servo->own.hand[0].safety.options;
    return 2 + (int)ceil(safety->max_force / (safety->max_slew * servo->options.dt));
}
