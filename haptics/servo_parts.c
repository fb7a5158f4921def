#include "haptics/servo_parts.h"

#include <math.h>
#include <string.h>

#include "haptics/live_motion.h"
#include "sim/base/clock.h"
#include "sim/base/vec3.h"

// ---- in

// Where the hand goes, without the steps of its encoder.
static void lead(pal_servo_hand *hand, const pal_device_state *before, double dt) {
    for (int c = 0; c < 3 && before->present; c++) { // (else there was no reading before)
        const double by = hand->state.position[c] - before->position[c];
        hand->way[c] += dt / (dt + 0.02) * (by - hand->way[c]);
    }
}

static pal_outcome read_device(pal_servo *servo, int32_t h, int missed) {
    pal_servo_hand *hand = &servo->own.hand[h];
    const pal_device_state before = hand->state;
    pal_device_state fresh = {0};
    servo->device[h].functions->read(&servo->device[h], &fresh);
    const pal_outcome outcome = pal_reading_take(&hand->reading, &fresh, missed, &hand->state);
    hand->safety.doubted = outcome != 0;
    lead(hand, &before, servo->options.dt);
    return outcome | (hand->state.present ? 0 : PAL_OUT_DEVICE_LOST);
}

pal_outcome pal_servo_read_devices(pal_servo *servo, int missed) {
    pal_outcome all = 0;
    for (int32_t h = 0; h < servo->options.hand_count; h++) {
        servo->own.hand[h].outcome = read_device(servo, h, missed);
        all |= servo->own.hand[h].outcome & ~(pal_outcome)PAL_OUT_IMPLAUSIBLE; // its own matter
    }
    return all;
}

static void forget_contact(pal_servo *servo) {
    if (servo->body != NULL) {
        pal_step_forget(&servo->own.world);
    }
}

// Other coefficients, and dents in the region that are softer or harder by as much; returns the
// coefficients that are out of use.
static pal_coefficients *change_material(pal_live_body *body, pal_coefficients *coefficients,
                                         int32_t region, double local_scale) {
    if (local_scale > 0.0 && region >= 0 && region < body->region_count) {
        body->local_scale[region] = local_scale;
    }
    return pal_live_swap(body, coefficients);
}

static void take_material(pal_servo *servo, const pal_servo_command *command) {
    pal_live_body *body = servo->body;
    pal_coefficients *out = command->coefficients;
    if (body != NULL && out != NULL) {
        out = change_material(body, out, command->region, command->local_scale);
    }
    if (body != NULL && command->damps) {
        pal_live_set_damping(body, command->alpha, command->beta);
    }
    pal_command_give_back(&servo->link, out, servo->own.tick);
}

static void reset(pal_servo *servo) {
    if (servo->body != NULL) {
        pal_live_reset(servo->body);
    }
    forget_contact(servo);
    for (int32_t h = 0; h < servo->options.hand_count; h++) {
        pal_servo_hand *hand = &servo->own.hand[h];
        pal_reading_restart(&hand->reading);
        pal_passivity_clear(&hand->passivity);
        pal_watchdog_restart(&hand->watchdog);
        pal_safety_rearm(&hand->safety);
    }
}

// The body's steps become shorter; all else stays in the hand's time.
static void slow_down(pal_servo *servo, double slowness) {
    servo->own.slowness = slowness;
    servo->own.world.slowness = slowness;
    if (servo->body != NULL) {
        pal_live_set_step(servo->body, servo->options.dt / slowness);
    }
}

static void take_command(pal_servo *servo, const pal_servo_command *command) {
    switch (command->kind) {
    case PAL_COMMAND_MATERIAL:
        take_material(servo, command);
        break;
    case PAL_COMMAND_RESET:
        reset(servo);
        break;
    case PAL_COMMAND_PAUSE:
        servo->own.paused = true;
        break;
    case PAL_COMMAND_RESUME:
        if (servo->own.paused) {
            forget_contact(servo);
        }
        servo->own.paused = false;
        break;
    case PAL_COMMAND_STOP:
        for (int32_t h = 0; h < servo->options.hand_count; h++) {
            pal_safety_release(&servo->own.hand[h].safety);
        }
        break;
    case PAL_COMMAND_TICK:
        servo->own.single = servo->own.paused;
        break;
    default:
        slow_down(servo, pal_command_slowness((int)command->kind - (int)PAL_COMMAND_SLOW));
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
        const pal_planned_edit *edit = &plan->item[servo->own.edits++];
        if (edit->domain != NULL) {
            pal_live_set_stiffness(servo->body, edit->domain, edit->domain_count, edit->stiffness);
        } else {
            change_material(servo->body, edit->coefficients, edit->region, edit->local_scale);
        }
        taken = 1u << PAL_COMMAND_MATERIAL;
    }
    return taken;
}

// The next one of the ring that may be taken after those in `taken`; NULL: none in this tick.
static const pal_servo_command *next_in_turn(pal_servo *servo, uint32_t taken) {
    pal_servo_command *next = &servo->own.next;
    if (!servo->own.has_next) {
        servo->own.has_next = pal_command_next(&servo->link, next);
    }
    const uint32_t material = 1u << PAL_COMMAND_MATERIAL;
    const bool in_turn =
        servo->own.has_next &&
        (taken >> next->kind == 0 || (next->kind == PAL_COMMAND_MATERIAL && taken == material));
    servo->own.has_next = servo->own.has_next && !in_turn;
    return in_turn ? next : NULL;
}

static uint32_t take_waiting(pal_servo *servo) {
    const pal_servo_command *command;
    uint32_t taken = 0;
    for (int i = 0; i < PAL_COMMANDS && (command = next_in_turn(servo, taken)) != NULL; i++) {
        taken |= 1u << command->kind;
        take_command(servo, command);
    }
    return taken;
}

uint32_t pal_servo_take_commands(pal_servo *servo) {
    uint32_t taken = servo->own.orders | follow_plan(servo);
    for (unsigned kind = PAL_COMMAND_RESET; kind < PAL_COMMAND_KINDS; kind++) {
        if (servo->own.orders >> kind & 1) {
            take_command(servo, &(pal_servo_command){.kind = kind});
        }
    }
    servo->own.orders = 0;
    return taken | take_waiting(servo);
}

// ---- the step

static void aim(pal_servo *servo, int32_t h) {
    const pal_device_state *state = &servo->own.hand[h].state;
    pal_pose goal = PAL_POSE_IDENTITY;
    memcpy(goal.x, state->position, sizeof goal.x);
    memcpy(goal.turn, state->turn, sizeof goal.turn);
    pal_tool_aim(&servo->own.tool[h], &goal, state->buttons & 1);
}

static bool stalls(const pal_servo *servo) {
    bool still = false;
    for (int32_t i = 0; i < servo->options.stall_count; i++) {
        const pal_stall *stall = &servo->options.stall[i];
        still = still || (servo->own.tick >= stall->first && servo->own.tick < stall->end);
    }
    return still;
}

pal_outcome pal_servo_step(pal_servo *servo) {
    for (int32_t h = 0; h < servo->options.hand_count; h++) {
        servo->own.hand[h].depth =
            servo->options.wall.height - servo->own.hand[h].state.position[2];
    }
    if (servo->body == NULL || (servo->own.paused && !servo->own.single)) {
        return 0;
    }
    for (int32_t h = 0; h < servo->options.hand_count; h++) {
        aim(servo, h);
    }
    servo->own.single = false;
    servo->own.world.still = stalls(servo);
    const double passes = servo->own.world.still ? 0.0 : servo->options.dt / servo->own.slowness;
    servo->own.body_time += passes;
    pal_live_blow(servo->body, passes);
    return pal_step(&servo->own.world);
}

// ---- out

double pal_wall_push(const pal_wall *wall, double depth, double velocity) {
    const double push = wall->stiffness * depth - wall->damping * velocity;
    return depth > 0.0 ? fmax(0.0, push) : 0.0;
}

// Its motion and its strain, which it had when the tick began.
static double energy_of_body(const pal_servo *servo) {
    const pal_live_body *body = servo->body;
    return body == NULL ? 0.0 : pal_live_strain(body) + pal_live_kinetic(body);
}

// Tells a hand's ledger what the ledgers of the other hands hold.
static void tell_others(const pal_servo *servo, int32_t h, pal_passivity *passivity) {
    passivity->others = passivity->others_promised = 0.0;
    passivity->others_touch = false;
    for (int32_t k = 0; k < servo->options.hand_count; k++) {
        if (k != h) {
            passivity->others += servo->own.hand[k].passivity.energy;
            passivity->others_promised += pal_passivity_promised(&servo->own.hand[k].passivity);
            passivity->others_touch |= pal_norm3(servo->own.tool[k].felt) > 0.0;
        }
    }
}

void pal_servo_make_force(pal_servo *servo, int32_t h, pal_outcome outcome) {
    pal_servo_hand *hand = &servo->own.hand[h];
    double *force = hand->force;
    memset(hand->force, 0, sizeof hand->force);
    memset(hand->torque, 0, sizeof hand->torque);
    hand->passivity.stored = energy_of_body(servo);
    tell_others(servo, h, &hand->passivity);
    if (servo->body != NULL) {
        pal_passivity_credit(&hand->passivity, servo->options.dt * pal_live_power(servo->body));
    }
    if (outcome & PAL_OUT_NAN) {
        forget_contact(servo);
    } else if (servo->own.paused) {
        memset(hand->wanted, 0, sizeof hand->wanted); // what is touched stays, for single steps
    } else if (servo->body == NULL) {
        force[2] = pal_wall_push(&servo->options.wall, hand->depth, hand->state.velocity[2]);
    } else {
        pal_coupling_force(&hand->coupling, &servo->own.tool[h], hand->state.velocity, force);
        pal_coupling_torque(&hand->coupling, &servo->own.tool[h], hand->state.spin, hand->torque);
    }
    memcpy(hand->wanted, force, sizeof hand->wanted);
}

void pal_servo_watch(pal_servo *servo, int32_t h, int missed) {
    pal_servo_hand *hand = &servo->own.hand[h];
    const double owed = -fmin(hand->passivity.energy + fmax(hand->passivity.others, 0.0), 0.0);
    const pal_fault_cause cause =
        pal_watchdog_look(&hand->watchdog, hand->force, hand->torque, owed, missed);
    if (cause != PAL_CAUSE_NONE) {
        pal_safety_latch(&hand->safety, cause);
    }
    if (hand->safety.latched && !hand->was_latched) {
        hand->last_fault = hand->safety.fault;
        hand->fault_time = (double)servo->own.tick * servo->options.dt;
        hand->faults++;
    }
    hand->was_latched = hand->safety.latched;
}

// The touch that pushes hardest: where the record says that the contact is.
static const pal_touch *main_touch(const pal_tool *tool) {
    const pal_touch *found = NULL;
    double most = 0.0;
    for (int32_t k = 0; k < tool->last.count && k < tool->set.count; k++) {
        const double push = pal_dot3(tool->last.force[k], tool->set.item[k].normal);
        if (push > most) {
            most = push;
            found = &tool->set.item[k];
        }
    }
    return found;
}

// Unit way along the surface, across what pushes; false: it is less than `least`.
static bool way_along(const double by[3], double least, const double push[3], double way[3]) {
    const double square = pal_dot3(push, push);
    const double up = square > 0.0 ? pal_dot3(by, push) / square : 0.0;
    for (int c = 0; c < 3; c++) {
        way[c] = by[c] - up * push[c];
    }
    const double size = pal_norm3(way);
    for (int c = 0; c < 3 && size > least; c++) {
        way[c] /= size;
    }
    return size > least;
}

// The way against which friction is told, while the hand moves: that of the tool over the surface
// while it slides (a surface that turns or gives way leads it off the hand's); while it sticks that
// in which friction is loaded, for a press may have loaded it across the hand's way.
static bool way_of_friction(const pal_servo_hand *hand, const pal_tool *tool, const double push[3],
                            double way[3]) {
    static const double least = 1e-6, least_slip = 1e-4; // m a tick, m/s
    double rubs[3];
    pal_sub3(tool->force, push, rubs);
    if (!way_along(hand->way, least, push, way)) {
        return false;
    }
    if (tool->sliding) {
        return way_along(tool->slip, least_slip, push, way);
    }
    const double size = pal_norm3(rubs);
    for (int c = 0; c < 3 && size > 0.0; c++) {
        way[c] = -rubs[c] / size;
    }
    return true;
}

// What the touches push with, and what would rub with a friction of 1: at each touch in its own
// plane, as far as that lies along the way of friction.
static void record_friction(const pal_servo_hand *hand, const pal_tool *tool,
                            pal_tick_record *record) {
    const int32_t count = tool->last.count < tool->set.count ? tool->last.count : tool->set.count;
    double way[3], grip = 0.0;
    for (int32_t k = 0; k < count; k++) {
        const double *n = tool->set.item[k].normal, push = pal_dot3(tool->last.force[k], n);
        for (int c = 0; c < 3; c++) {
            record->push[c] += push * n[c];
        }
    }
    record->slipped = tool->sliding ? tool->slipped : 0.0;
    if (!way_of_friction(hand, tool, record->push, way)) {
        return;
    }
    for (int32_t k = 0; k < count; k++) {
        const double *n = tool->set.item[k].normal, up = pal_dot3(way, n);
        grip += pal_dot3(tool->last.force[k], n) * sqrt(fmax(0.0, 1.0 - up * up));
    }
    for (int c = 0; c < 3; c++) {
        record->grip[c] = grip * way[c];
    }
}

static void record_contact(const pal_servo *servo, int32_t h, pal_tick_record *record) {
    const pal_servo_hand *hand = &servo->own.hand[h];
    const pal_tool *tool = &servo->own.tool[h];
    const pal_touch *touch = main_touch(tool);
    memcpy(record->tool, servo->body != NULL ? tool->pose.x : hand->state.position,
           sizeof record->tool);
    for (int32_t k = 0; servo->body != NULL && k < tool->last.count; k++) {
        record->touching += pal_norm3(tool->last.force[k]) > 0.0; // what sticks pulls, too
    }
    if (touch != NULL) {
        memcpy(record->point, touch->x, sizeof record->point);
        memcpy(record->normal, touch->normal, sizeof record->normal);
        record->depth = tool->depth;
        record_friction(hand, tool, record);
    } else if (servo->body == NULL && hand->depth > 0.0) {
        record->touching = 1;
        record->depth = hand->depth;
        memcpy(record->point, hand->state.position, sizeof record->point);
        record->point[2] = servo->options.wall.height;
        record->normal[2] = 1.0;
        record->push[2] = hand->wanted[2];
    }
}

// Without a touch and without a hold on the surface no tool is pushed, but for one with a mass,
// which its coupling leads. An invariant: it is only counted.
static bool is_pushed_by_nothing(const pal_servo *servo, int32_t h, const pal_tick_record *record) {
    const pal_tool *tool = &servo->own.tool[h];
    const bool alone = record->touching == 0 && !tool->held.on && !(tool->options.mass > 0.0);
    return alone && pal_norm3(record->wanted) > 0.0;
}

static void fill_record(const pal_servo *servo, int32_t h, pal_tick_record *record) {
    const pal_servo_hand *hand = &servo->own.hand[h];
    const pal_device_state *state = &hand->state;
    record->tick = servo->own.tick;
    record->time = (double)servo->own.tick * servo->options.dt;
    record->hand = (uint32_t)h;
    memcpy(record->position, state->position, sizeof record->position);
    memcpy(record->velocity, state->velocity, sizeof record->velocity);
    memcpy(record->turn, state->turn, sizeof record->turn);
    memcpy(record->spin, state->spin, sizeof record->spin);
    record->buttons = state->buttons;
    record->present = state->present;
    record->sequence = state->sequence;
    memcpy(record->force, hand->force, sizeof record->force);
    memcpy(record->torque, hand->torque, sizeof record->torque);
    memcpy(record->wanted, hand->wanted, sizeof record->wanted);
    record->outcome |= hand->outcome;
    record_contact(servo, h, record);
    record->outcome |= is_pushed_by_nothing(servo, h, record) ? PAL_OUT_UNTOUCHED : 0;
    if (servo->body != NULL) {
        record->strain = pal_live_strain(servo->body);
        record->kinetic = pal_live_kinetic(servo->body);
    }
    record->ledger = hand->passivity.energy;
    record->fault = hand->safety.latched ? hand->safety.fault : PAL_CAUSE_NONE;
}

static void count(pal_servo *servo, const pal_tick_record *record, pal_outcome outcome) {
    pal_servo_counters *counters = &servo->own.counters;
    counters->ticks++;
    counters->missed += record->missed;
    for (int i = 0; i < PAL_OUTCOME_COUNT; i++) {
        counters->outcome[i] += outcome >> i & 1;
    }
    pal_histogram_add(&counters->tick, (int64_t)(1e3 * record->compute_us));
}

void pal_servo_report(pal_servo *servo, const pal_tick_record *common, double start) {
    pal_servo_counters *counters = &servo->own.counters;
    pal_tick_record record;
    pal_outcome outcome = 0;
    int32_t contacts = 0;
    for (int32_t h = 0; h < servo->options.hand_count; h++) {
        record = *common;
        fill_record(servo, h, &record);
        record.compute_us = 1e6 * (pal_thread_seconds() - start);
        record.outcome |= pal_ring_put(&servo->log, &record) ? 0 : PAL_OUT_LOG_FULL;
        outcome |= record.outcome;
        contacts += (int32_t)record.touching;
        counters->max_force = fmax(counters->max_force, pal_norm3(record.force));
        counters->max_torque = fmax(counters->max_torque, pal_norm3(record.torque));
        counters->max_depth = fmax(counters->max_depth, record.depth);
        pal_servo_show_hand(servo, &record);
    }
    counters->max_contacts = contacts > counters->max_contacts ? contacts : counters->max_contacts;
    count(servo, &record, outcome);
    pal_servo_show(servo, &record, outcome);
}
