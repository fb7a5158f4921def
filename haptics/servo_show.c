// What a tick leaves in the snapshot, for those who draw. All RT safe.
#include <math.h>
#include <string.h>

#include "haptics/live_tree.h"
#include "haptics/servo_parts.h"
#include "sim/base/vec3.h"

static void narrow(const double from[3], float to[3]) {
    for (int c = 0; c < 3; c++) {
        to[c] = (float)from[c];
    }
}

// Every point that bears, as far as there is room.
static void show_contacts(const pal_tool *tool, pal_snapshot_hand *shown) {
    const int32_t count = tool->last.count < tool->set.count ? tool->last.count : tool->set.count;
    shown->contact_count = 0;
    for (int32_t k = 0; k < count && shown->contact_count < PAL_SNAPSHOT_CONTACTS; k++) {
        const pal_touch *touch = &tool->set.item[k];
        if (pal_norm3(tool->last.force[k]) > 0.0) {
            pal_snapshot_contact *contact = &shown->contact[shown->contact_count++];
            narrow(touch->x, contact->point);
            narrow(touch->normal, contact->normal);
            narrow(tool->last.force[k], contact->force);
        }
    }
    shown->holds = tool->held.on;
    if (tool->held.on) {
        double turn[3][3];
        pal_turn_matrix(tool->pose.turn, turn);
        for (int c = 0; c < 3; c++) {
            shown->held[c] = tool->pose.x[c] + pal_dot3(turn[c], tool->held.anchor);
        }
    }
}

// A wall is touched by the device itself.
static void show_wall_contact(const pal_tick_record *record, pal_snapshot_hand *shown) {
    shown->holds = false;
    shown->contact_count = record->touching > 0 ? 1 : 0;
    narrow(record->point, shown->contact[0].point);
    narrow(record->normal, shown->contact[0].normal);
    narrow(record->force, shown->contact[0].force);
}

void pal_servo_show_hand(pal_servo *servo, const pal_tick_record *record) {
    const uint32_t h = record->hand;
    const pal_servo_hand *hand = &servo->own.hand[h];
    pal_snapshot_hand *shown = &pal_exchange_back(&servo->exchange)->hand[h];
    float *recent = servo->own.recent[h];
    memcpy(shown->device.x, record->position, sizeof shown->device.x);
    memcpy(shown->device.turn, record->turn, sizeof shown->device.turn);
    shown->tool = servo->own.tool[h].pose;
    memcpy(shown->tool.x, record->tool, sizeof shown->tool.x);
    shown->buttons = record->buttons;
    shown->present = record->present != 0;
    memcpy(shown->force, record->force, sizeof shown->force);
    memcpy(shown->torque, record->torque, sizeof shown->torque);
    memcpy(shown->wanted, record->wanted, sizeof shown->wanted);
    memcpy(shown->contact_point, record->point, sizeof shown->contact_point);
    memcpy(shown->contact_normal, record->normal, sizeof shown->contact_normal);
    shown->touching = (int32_t)record->touching;
    shown->depth = record->depth;
    shown->ledger = record->ledger;
    shown->fault = hand->safety.latched ? hand->safety.fault : PAL_CAUSE_NONE;
    shown->softened = hand->watchdog.scale < 1.0 ? hand->watchdog.why : PAL_CAUSE_NONE;
    shown->heat = hand->safety.heat;
    if (servo->body != NULL) {
        show_contacts(&servo->own.tool[h], shown);
    } else {
        show_wall_contact(record, shown);
    }
    recent[record->tick % PAL_SNAPSHOT_RECENT] = (float)pal_norm3(record->force);
    memcpy(shown->recent, recent, sizeof shown->recent);
}

static void show_dent(const pal_dent *dent, int32_t domain, pal_snapshot *shot) {
    for (int32_t k = 0; k < dent->touched_count; k++) {
        if (shot->dent_count == PAL_SNAPSHOT_DENTS) {
            shot->dent_left_out += dent->touched_count - k;
            return;
        }
        const int32_t at = shot->dent_count++, vertex = dent->touched[k];
        shot->dent_domain[at] = domain;
        shot->dent_vertex[at] = vertex;
        narrow(dent->u + 3 * (int64_t)vertex, shot->dent[at]);
    }
}

static void show_body(const pal_servo *servo, pal_snapshot *shot) {
    const pal_live_body *body = servo->body;
    memcpy(shot->q, body->body.q, (size_t)shot->r * sizeof *shot->q);
    show_dent(&servo->own.world.dent, 0, shot);
    for (int32_t g = 0; g < body->region_count && g < PAL_SNAPSHOT_REGIONS; g++) {
        shot->softer[g] = body->local_scale[g];
    }
}

static void show_domains(const pal_live_tree *tree, pal_snapshot *shot) {
    const pal_tree *of = pal_tree_of(tree->state);
    float *to = shot->domain;
    shot->domain_count = of->domain_count;
    for (int32_t i = 0; i < of->domain_count; i++) {
        const int32_t r = of->class_[of->domain[i].kind].r;
        double x[3], turn[3][3], q[PAL_DOMAIN_MOST_MODES];
        pal_tree_frame(tree->state, i, x, turn);
        pal_tree_get(tree->state, i, q, NULL, NULL);
        narrow(x, to);
        for (int k = 0; k < 9; k++) {
            to[3 + k] = (float)turn[k / 3][k % 3];
        }
        for (int32_t l = 0; l < r; l++) {
            to[12 + l] = (float)q[l];
        }
        to += 12 + r;
    }
    for (int k = 0; k < PAL_DOMAIN_SLOTS; k++) {
        const pal_domain_slot *slot = &tree->domains.slot[k];
        if (slot->domain >= 0) {
            show_dent(&slot->dent, slot->domain, shot);
        }
    }
}

// Four bins to an octave, from a quarter of a microsecond on.
static void count_time(pal_servo *servo, double us) {
    int octave;
    const double mantissa = frexp(fmax(us, 0.25), &octave); // 0.5..1
    static const double step[3] = {0.5946035575013605, 0.7071067811865476, 0.8408964152537145};
    int bin = 4 * (octave + 1);
    for (int k = 0; k < 3; k++) {
        bin += mantissa >= step[k];
    }
    servo->own.tick_bin[bin < PAL_SNAPSHOT_BINS ? bin : PAL_SNAPSHOT_BINS - 1]++;
}

void pal_servo_show(pal_servo *servo, const pal_tick_record *last, pal_outcome outcome) {
    const pal_servo_counters *counters = &servo->own.counters;
    pal_snapshot *shot = pal_exchange_back(&servo->exchange);
    shot->tick = last->tick;
    shot->time = last->time;
    shot->tick_us = last->compute_us;
    shot->rate = servo->own.paused ? 0.0 : 1.0 / servo->own.slowness;
    shot->body_time = servo->own.body_time;
    shot->late_us = last->late_us;
    shot->paused = servo->own.paused;
    shot->outcome = outcome;
    shot->r = servo->body != NULL ? servo->body->body.size : 0; // 0, too, of a tree
    shot->hand_count = servo->options.hand_count;
    shot->dent_count = shot->dent_left_out = 0;
    const bool shows = servo->own.tick % servo->show_every == 0;
    if (servo->body != NULL && servo->body->domains != NULL) {
        if (shows) {
            show_domains(servo->body->domains, shot);
        }
    } else if (servo->body != NULL) {
        show_body(servo, shot);
    }
    shot->strain = last->strain;
    shot->kinetic = last->kinetic;
    shot->missed = counters->missed;
    memcpy(shot->counted, counters->outcome, sizeof shot->counted);
    shot->max_force = counters->max_force;
    shot->max_tick_us = 1e-3 * (double)counters->tick.max_ns;
    count_time(servo, last->compute_us);
    memcpy(shot->tick_bin, servo->own.tick_bin, sizeof shot->tick_bin);
    if (shows) {
        pal_exchange_publish(&servo->exchange);
    }
}
