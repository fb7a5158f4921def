#include "haptics/servo_parts.h"

#include <math.h>
#include <string.h>

#include "sim/base/vec3.h"

pal_outcome pal_servo_read_device(pal_servo *servo) {
    pal_device_state *state = &servo->own.state, fresh = {0};
    servo->device->functions->read(servo->device, &fresh);
    double sum = 0.0;
    for (int c = 0; c < 3; c++) {
        sum += fresh.position[c] + fresh.velocity[c];
    }
    if (isfinite(sum)) {
        *state = fresh;
        return fresh.present ? 0 : PAL_OUT_DEVICE_LOST;
    }
    return PAL_OUT_NAN; // the last good reading grows stale, and safety sees that
}

static void take_command(pal_servo *servo, const pal_servo_command *command) {
    pal_newmark *body = servo->body != NULL ? servo->body->newmark : NULL;
    switch (command->kind) {
    case PAL_COMMAND_MATERIAL:
        pal_command_give_back(&servo->link, body != NULL
                                                ? pal_newmark_swap(body, command->coefficients)
                                                : command->coefficients);
        break;
    case PAL_COMMAND_RESET:
        if (body != NULL) {
            pal_newmark_set_state(body, NULL, NULL, NULL);
        }
        pal_safety_rearm(&servo->own.safety);
        break;
    case PAL_COMMAND_PAUSE:
    case PAL_COMMAND_RESUME:
        servo->own.paused = command->kind == PAL_COMMAND_PAUSE;
        break;
    case PAL_COMMAND_STOP:
        pal_safety_release(&servo->own.safety);
        break;
    }
}

// The materials whose tick has come. The memory stays the plan's.
static uint32_t follow_plan(pal_servo *servo) {
    const pal_edit_plan *plan = servo->options.plan;
    uint32_t taken = 0;
    if (plan == NULL || servo->body == NULL) {
        return taken;
    }
    while (servo->own.edits < plan->count && plan->item[servo->own.edits].tick <= servo->own.tick) {
        pal_newmark_swap(servo->body->newmark, plan->item[servo->own.edits++].coefficients);
        taken = 1u << PAL_COMMAND_MATERIAL;
    }
    return taken;
}

uint32_t pal_servo_take_commands(pal_servo *servo) {
    pal_servo_command command;
    uint32_t taken = servo->own.orders | follow_plan(servo);
    for (unsigned kind = PAL_COMMAND_RESET; kind <= PAL_COMMAND_STOP; kind++) {
        if (servo->own.orders >> kind & 1) {
            take_command(servo, &(pal_servo_command){.kind = kind});
        }
    }
    servo->own.orders = 0;
    for (int i = 0; i < PAL_COMMANDS && pal_command_next(&servo->link, &command); i++) {
        take_command(servo, &command);
        taken |= 1u << command.kind;
    }
    return taken;
}

void pal_servo_move_tool(pal_servo *servo) {
    const pal_device_state *state = &servo->own.state;
    const pal_contact *contact = &servo->own.contact;
    double *tool = servo->own.coupling.tool, before[3], moved[3];
    if (servo->body == NULL) {
        memcpy(tool, state->position, sizeof state->position);
        return;
    }
    memcpy(before, tool, sizeof before);
    pal_coupling_move(&servo->own.coupling, state->position, state->velocity, contact->touching,
                      contact->normal, servo->own.tool.stiffness, servo->own.depth);
    pal_sub3(tool, before, moved);
    servo->own.depth -= pal_dot3(contact->normal, moved);
}

// The tool has no mass: what the body feels of the hand is the contact and the coupling in series.
static void put_in_series(pal_servo *servo) {
    const pal_contact *contact = &servo->own.contact;
    const double share =
        servo->own.coupling.stiffness / (servo->own.coupling.stiffness + servo->own.tool.stiffness);
    double lift[3];
    pal_sub3(servo->own.coupling.tool, servo->own.state.position, lift);
    servo->own.spring.depth += pal_dot3(contact->normal, lift); // of the device
    servo->own.spring.k *= share;
    servo->own.spring.b *= share * share;
}

static void find_wall(pal_servo *servo) {
    const double *x = servo->own.state.position, height = servo->options.wall.height;
    pal_contact *contact = &servo->own.contact;
    *contact = (pal_contact){.touching = x[2] < height, .normal = {0.0, 0.0, 1.0}};
    memcpy(contact->point, x, sizeof contact->point);
    contact->point[2] = height;
    servo->own.depth = contact->depth = height - x[2];
}

pal_outcome pal_servo_find_contact(pal_servo *servo) {
    pal_contact *contact = &servo->own.contact;
    if (servo->body == NULL) {
        find_wall(servo);
        return 0;
    }
    pal_outcome outcome = pal_sphere_find(
        &servo->own.tool, &servo->body->tree, &servo->body->body, servo->own.coupling.tool,
        servo->own.coupling.tool_velocity, servo->own.row, &servo->own.spring, contact);
    servo->own.depth = contact->depth;
    if (contact->touching) {
        put_in_series(servo);
    }
    return outcome;
}

pal_outcome pal_servo_step_body(pal_servo *servo) {
    if (servo->body == NULL || servo->own.paused) {
        return 0;
    }
    pal_newmark *body = servo->body->newmark;
    const double *q = pal_newmark_q(body);
    const int32_t r = pal_newmark_r(body);
    const bool touching = servo->own.contact.touching;
    memcpy(servo->own.before, q, (size_t)r * sizeof *q);
    pal_outcome outcome =
        pal_newmark_step(body, servo->own.no_force, &servo->own.spring, touching, NULL);
    for (int32_t i = 0; touching && i < r; i++) { // the surface has moved
        servo->own.depth -= servo->own.row[i] * (q[i] - servo->own.before[i]);
    }
    return outcome;
}

static void wall_force(const pal_servo *servo, double force[3]) {
    const pal_wall *wall = &servo->options.wall;
    double push =
        wall->stiffness * servo->own.contact.depth - wall->damping * servo->own.state.velocity[2];
    force[2] = servo->own.contact.touching ? fmax(0.0, push) : 0.0;
}

// Its motion and its strain, which it had when the tick began.
static double energy_of_body(const pal_servo *servo) {
    const pal_newmark *body = servo->body != NULL ? servo->body->newmark : NULL;
    return body == NULL ? 0.0 : pal_newmark_strain_before(body) + pal_newmark_kinetic_energy(body);
}

void pal_servo_make_force(pal_servo *servo, pal_outcome outcome, double force[3]) {
    force[0] = force[1] = force[2] = 0.0;
    servo->own.passivity.stored = energy_of_body(servo);
    if (outcome & PAL_OUT_NAN || servo->own.paused) {
        memset(&servo->own.contact, 0, sizeof servo->own.contact);
        servo->own.coupling.started = false;
    } else if (servo->body == NULL) {
        wall_force(servo, force);
    } else {
        pal_coupling_force(&servo->own.coupling, servo->own.state.position,
                           servo->own.state.velocity, force);
    }
}

void pal_servo_count(pal_servo *servo, const pal_tick_record *record) {
    pal_servo_counters *counters = &servo->own.counters;
    counters->ticks++;
    counters->missed += record->missed;
    for (int i = 0; i < PAL_OUTCOME_COUNT; i++) {
        counters->outcome[i] += record->outcome >> i & 1;
    }
    counters->max_force = fmax(counters->max_force, pal_norm3(record->force));
    counters->max_depth = fmax(counters->max_depth, record->depth);
    pal_histogram_add(&counters->tick, (int64_t)(1e3 * record->compute_us));
}

void pal_servo_fill_record(pal_servo *servo, pal_tick_record *record) {
    const pal_device_state *state = &servo->own.state;
    const pal_contact *contact = &servo->own.contact;
    record->tick = servo->own.tick;
    record->time = (double)servo->own.tick * servo->options.dt;
    memcpy(record->position, state->position, sizeof record->position);
    memcpy(record->velocity, state->velocity, sizeof record->velocity);
    record->buttons = state->buttons;
    record->present = state->present;
    record->sequence = state->sequence;
    memcpy(record->tool, servo->own.coupling.tool, sizeof record->tool);
    if (contact->touching && servo->own.depth > 0.0) {
        record->touching = 1;
        memcpy(record->point, contact->point, sizeof record->point);
        memcpy(record->normal, contact->normal, sizeof record->normal);
        record->depth = servo->own.depth;
    }
    if (servo->body != NULL) {
        record->strain = pal_newmark_strain_before(servo->body->newmark);
        record->kinetic = pal_newmark_kinetic_energy(servo->body->newmark);
    }
    record->ledger = servo->own.passivity.energy;
}

void pal_servo_publish(pal_servo *servo, const pal_tick_record *record) {
    pal_snapshot *shot = pal_exchange_back(&servo->exchange);
    shot->tick = record->tick;
    shot->time = record->time;
    shot->r = servo->body != NULL ? servo->body->body.size : 0;
    if (servo->body != NULL) {
        memcpy(shot->q, servo->body->body.q, (size_t)shot->r * sizeof *shot->q);
    }
    memcpy(shot->device, record->position, sizeof shot->device);
    memcpy(shot->tool, record->tool, sizeof shot->tool);
    memcpy(shot->force, record->force, sizeof shot->force);
    memcpy(shot->contact_point, record->point, sizeof shot->contact_point);
    memcpy(shot->contact_normal, record->normal, sizeof shot->contact_normal);
    shot->touching = record->touching != 0;
    shot->depth = record->depth;
    shot->tick_us = record->compute_us;
    pal_exchange_publish(&servo->exchange);
}
