#include "sim/contact/domains.h"

#include <math.h>
#include <string.h>

#include "sim/contact/domains_parts.h"
#include "sim/contact/track.h"

void pal_domains_load(const pal_domains *d, pal_domain_slot *slot) {
    pal_tree_get(d->state, slot->domain, slot->q, slot->v, NULL);
    pal_tree_frame(d->state, slot->domain, slot->x, slot->turn);
    pal_turn_of_matrix(slot->turn, slot->spin);
    slot->scale = pal_tree_of(d->state)->domain[slot->domain].scale;
    slot->body.q = slot->q;
    slot->body.velocity = slot->v;
}

// An empty slot is filled; nothing is remembered there.
static void take_slot(const pal_domains *d, pal_domain_slot *slot, int32_t domain) {
    slot->domain = domain;
    slot->form = pal_domains_form(d, domain);
    slot->body = slot->form->body;
    if (d->has_dents) {
        pal_dent_clear(&slot->dent);
    }
    if (d->dents && slot->form->local != NULL) {
        slot->body.dent = slot->dent.u;
        slot->body.yielding = slot->dent.yielding;
        slot->body.dent_bound = &slot->dent.most;
        slot->body.dent_travel = &slot->dent.travel;
    }
    for (int t = 0; t < PAL_MAX_TOOLS; t++) {
        slot->tool[t].memory.valid = false;
        slot->tool[t].last.count = 0;
    }
}

// ---- numbers

int32_t pal_domains_search(const int32_t *first, int32_t count, int32_t number) {
    int32_t low = 0, high = count;
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (first[middle] <= number) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

int32_t pal_domains_owner(const pal_domains *d, int32_t triangle) {
    return pal_domains_search(d->first_triangle, pal_tree_of(d->state)->domain_count, triangle);
}

pal_domain_slot *pal_domains_slot(pal_domains *d, int32_t domain) {
    for (int k = 0; k < PAL_DOMAIN_SLOTS; k++) {
        if (d->slot[k].domain == domain) {
            return &d->slot[k];
        }
    }
    return NULL;
}

// ---- which domains are near

typedef struct candidate {
    int32_t domain;
    double distance; // m, from the nearest tool, or less; -INFINITY: it is held
} candidate;

typedef struct nearest_few {
    int32_t count;
    candidate item[PAL_DOMAIN_SLOTS];
} nearest_few;

static void keep(nearest_few *few, int32_t domain, double distance) {
    int32_t at = few->count;
    if (few->count == PAL_DOMAIN_SLOTS) {
        if (!(distance < few->item[PAL_DOMAIN_SLOTS - 1].distance)) {
            return;
        }
        at--;
    } else {
        few->count++;
    }
    for (; at > 0 && distance < few->item[at - 1].distance; at--) {
        few->item[at] = few->item[at - 1];
    }
    few->item[at] = (candidate){domain, distance};
}

// How deep a domain is dented now, at most, m.
static double deepest_dent(pal_domains *d, int32_t domain) {
    const pal_domain_slot *slot = d->dents ? pal_domains_slot(d, domain) : NULL;
    return slot != NULL ? slot->scale * slot->dent.most : 0.0;
}

// How near the surface of a domain is to a tool, at least; INFINITY: beyond `within`.
static double surface_distance(const pal_domains *d, int32_t domain, const double *middle,
                               double within) {
    enum { BUDGET = 48 }; // nodes
    pal_domain_slot slot;
    pal_nearest nearest;
    double x[3];
    slot.domain = domain;
    slot.form = pal_domains_form(d, domain);
    slot.body = slot.form->body;
    pal_domains_load(d, &slot);
    pal_slot_to_frame(&slot, middle, x);
    const pal_outcome outcome = pal_bdtree_nearest(&slot.form->tree, &slot.body, x,
                                                   within / slot.scale, -1, BUDGET, &nearest);
    return nearest.triangle >= 0      ? slot.scale * nearest.distance
           : outcome & PAL_OUT_BUDGET ? within
                                      : INFINITY;
}

typedef struct seeker { // a tool that looks for domains
    double middle[3];
    double way;   // m, that it has to go
    double bound; // m, of its shape
} seeker;

static void fill_seekers(const pal_tool *tool, int32_t count, seeker *out) {
    for (int32_t t = 0; t < count; t++) {
        double way[3], own[3][3];
        pal_sub3(tool[t].goal.x, tool[t].pose.x, way);
        pal_turn_matrix(tool[t].pose.turn, own);
        for (int k = 0; k < 3; k++) {
            out[t].middle[k] = tool[t].pose.x[k] + pal_dot3(own[k], tool[t].options.shape.centre);
        }
        out[t].way = pal_norm3(way);
        out[t].bound = tool[t].options.shape.bound;
    }
}

// Of one domain: how fast its points are at most, and whether it is near a tool; and when it is to
// be looked at again, `ticks` from now at the latest.
static void look_at(pal_domains *d, int32_t domain, const seeker *tool, int32_t count, double dt,
                    int32_t ticks, nearest_few *few) {
    const pal_domain_form *form = pal_domains_form(d, domain);
    const double skin = 2e-3, scale = pal_tree_of(d->state)->domain[domain].scale; // m, 1
    double x[3], turn[3][3], v[3], w[3], q2, v2, least = INFINITY;
    pal_tree_frame(d->state, domain, x, turn);
    pal_tree_twist(d->state, domain, v, w);
    pal_tree_lengths(d->state, domain, &q2, &v2);
    const double dent = deepest_dent(d, domain); // the tool is as far below where it was
    const double radius = dent + scale * (form->reach + form->row_bound * sqrt(q2));
    const double speed = pal_norm3(v) + pal_norm3(w) * radius + scale * form->row_bound * sqrt(v2);
    const double rate = speed * dt + skin, most = ticks * rate + skin; // m
    double spare = INFINITY, way = 0.0;
    for (int32_t t = 0; t < count; t++) {
        double apart[3];
        pal_sub3(tool[t].middle, x, apart);
        const double near = tool[t].bound + rate + dent, within = near + tool[t].way;
        const double between = pal_norm3(apart) - radius;
        double free = between - near;
        if (between < within) {
            const double distance = surface_distance(d, domain, tool[t].middle, within);
            const double farther = within + most;
            least = fmin(least, distance);
            if (distance == INFINITY &&
                surface_distance(d, domain, tool[t].middle, farther) == INFINITY) {
                free = farther - near;
            }
        }
        spare = fmin(spare, free);
        way = fmax(way, tool[t].way);
    }
    if (least < INFINITY) {
        keep(few, domain, least);
        d->speed = fmax(d->speed, speed);
    }
    d->watch[domain] =
        (pal_domain_watch){fmin(spare, way + most) + (double)d->ticks * rate + d->travel, rate};
}

// How far the tools have gone; all domains are to be looked at where that cannot be said.
static double watch_tools(pal_domains *d, const seeker *tool, int32_t count) {
    const int64_t settled = pal_tree_settled(d->state);
    double way = 0.0, gone = 0.0;
    d->ticks++;
    if (d->watched != count || d->settled != settled) {
        for (int32_t i = 0; i < pal_tree_of(d->state)->domain_count; i++) {
            d->watch[i] = (pal_domain_watch){0.0, 0.0};
        }
        d->travel = 0.0;
        d->ticks = 0;
    } else {
        for (int32_t t = 0; t < count; t++) {
            double by[3];
            pal_sub3(tool[t].middle, d->middle[t], by);
            gone = fmax(gone, pal_norm3(by));
        }
    }
    for (int32_t t = 0; t < count; t++) {
        memcpy(d->middle[t], tool[t].middle, sizeof d->middle[t]);
        way = fmax(way, tool[t].way);
    }
    d->watched = count;
    d->settled = settled;
    d->travel += gone;
    return d->travel + way;
}

// Those that stay keep their slots; the others take what is left.
static void place(pal_domains *d, const nearest_few *few) {
    bool placed[PAL_DOMAIN_SLOTS] = {false};
    for (int k = 0; k < PAL_DOMAIN_SLOTS; k++) {
        bool stays = false;
        for (int32_t i = 0; i < few->count && d->slot[k].domain >= 0; i++) {
            if (few->item[i].domain == d->slot[k].domain) {
                placed[i] = stays = true;
            }
        }
        if (!stays) {
            d->slot[k].domain = -1;
        }
    }
    for (int32_t i = 0, k = 0; i < few->count; i++) {
        if (!placed[i]) {
            while (d->slot[k].domain >= 0) {
                k++;
            }
            take_slot(d, &d->slot[k], few->item[i].domain);
        }
    }
}

void pal_domains_gather(pal_domains *d, const pal_tool *tool, int32_t tool_count, double dt) {
    enum { LONGEST = 16 }; // ticks that a domain is not looked at
    const int32_t n = pal_tree_of(d->state)->domain_count;
    nearest_few few = {.count = 0};
    seeker seekers[PAL_MAX_TOOLS];
    d->speed = 0.0;
    fill_seekers(tool, tool_count, seekers);
    const double gone = watch_tools(d, seekers, tool_count);
    for (int32_t t = 0; t < tool_count; t++) {
        if (tool[t].held.on) {
            keep(&few, pal_domains_owner(d, tool[t].held.triangle), -INFINITY);
        }
    }
    const int32_t held = few.count;
    for (int32_t i = 0; i < n; i++) {
        if (d->watch[i].spare - (double)d->ticks * d->watch[i].rate > gone) {
            continue;
        }
        bool is_held = false;
        for (int32_t k = 0; k < held; k++) {
            is_held = is_held || few.item[k].domain == i;
        }
        if (!is_held) { // not all at the same tick
            const int32_t ticks = LONGEST - (int32_t)((d->ticks + i) % LONGEST);
            look_at(d, i, seekers, tool_count, dt, ticks, &few);
        }
    }

    place(d, &few);
    for (int k = 0; k < PAL_DOMAIN_SLOTS; k++) {
        d->slot[k].touched = false;
        d->slot[k].at = -1;
        if (d->slot[k].domain >= 0) {
            pal_domains_load(d, &d->slot[k]);
        }
    }
    for (int32_t t = 0; t < tool_count; t++) { // what is held is pulled
        if (tool[t].held.on) {
            pal_domains_slot(d, pal_domains_owner(d, tool[t].held.triangle))->touched = true;
        }
    }
}

// ---- what is touched

// The slots in the order of their domains, so that touches come in the order of their ids.
static int sorted_slots(pal_domains *d, pal_domain_slot *out[PAL_DOMAIN_SLOTS]) {
    int count = 0;
    for (int k = 0; k < PAL_DOMAIN_SLOTS; k++) {
        if (d->slot[k].domain < 0) {
            continue;
        }
        int at = count++;
        for (; at > 0 && out[at - 1]->domain > d->slot[k].domain; at--) {
            out[at] = out[at - 1];
        }
        out[at] = &d->slot[k];
    }
    return count;
}

// A query as seen from a domain's frame; the shape and what was found last are kept there.
static void query_in_frame(pal_domain_slot *slot, int32_t tool, const pal_shell_query *query,
                           pal_shape *shape, pal_touch_set *last, pal_shell_query *out) {
    const double back[4] = {slot->spin[0], -slot->spin[1], -slot->spin[2], -slot->spin[3]};
    *out = *query;
    pal_shape_resize(query->shape, 1.0 / slot->scale, shape);
    out->shape = shape;
    out->margin = query->margin / slot->scale;
    pal_slot_to_frame(slot, query->pose.x, out->pose.x);
    pal_turn_multiply(back, query->pose.turn, out->pose.turn);
    *last = slot->tool[tool].last;
    out->last = last;
    out->memory = &slot->tool[tool].memory;
    out->settled = last->count > 0 ? 1 + last->level : 0;
    out->spreads = slot->body.dent != NULL ? slot->form->footprint.spreads : NULL;
}

// What was found in a domain, in the world.
static void add_touches(const pal_domains *d, pal_domain_slot *slot, const pal_touch_set *found,
                        int32_t most, pal_touch_set *set) {
    for (int32_t i = 0; i < found->count && set->count < most; i++) {
        pal_touch *touch = &set->item[set->count++];
        *touch = found->item[i];
        touch->id += d->first_id[slot->domain];
        touch->triangle += d->first_triangle[slot->domain];
        touch->gap *= slot->scale;
        touch->area *= slot->scale * slot->scale;
        pal_slot_to_world(slot, found->item[i].x, touch->x);
        pal_slot_turn_to_world(slot, found->item[i].normal, touch->normal);
        slot->touched = true;
    }
}

pal_outcome pal_domains_find(pal_domains *d, int32_t tool, const pal_shell_query *query,
                             pal_touch_set *set) {
    pal_domain_slot *slot[PAL_DOMAIN_SLOTS];
    const int count = sorted_slots(d, slot);
    pal_outcome outcome = 0;
    set->count = set->looked = set->level = 0;
    for (int k = 0; k < count; k++) {
        pal_touch_set last, *found = &slot[k]->tool[tool].last;
        pal_shell_query own;
        pal_shape shape;
        query_in_frame(slot[k], tool, query, &shape, &last, &own);
        own.look_budget = query->look_budget - set->looked;
        outcome |= pal_shell_find(&slot[k]->form->shell, &slot[k]->body, &own, found);
        set->looked += found->looked;
        if (found->count > 0) { // the coarsest of those that touch
            set->level = set->count == 0 || found->level < set->level ? found->level : set->level;
            add_touches(d, slot[k], found, query->most, set);
        }
    }
    return outcome;
}

void pal_domains_nearest(pal_domains *d, const double x[3], double reach, pal_nearest *nearest,
                         double normal[3]) {
    *nearest = (pal_nearest){.triangle = -1, .distance = INFINITY};
    for (int k = 0; k < PAL_DOMAIN_SLOTS; k++) {
        pal_domain_slot *slot = &d->slot[k];
        if (slot->domain < 0) {
            continue;
        }
        pal_nearest own;
        double local[3], out[3];
        pal_slot_to_frame(slot, x, local);
        pal_bdtree_nearest(&slot->form->tree, &slot->body, local,
                           fmin(reach, nearest->distance) / slot->scale, -1,
                           slot->form->tree.node_count, &own);
        own.distance *= slot->scale;
        if (own.triangle >= 0 && own.distance < nearest->distance) {
            pal_track_normal(&slot->form->tree, &slot->body, &own, out);
            pal_slot_turn_to_world(slot, out, normal);
            *nearest = own;
            nearest->triangle += d->first_triangle[slot->domain];
            pal_slot_to_world(slot, own.point, nearest->point);
        }
    }
}

void pal_domains_forget(pal_domains *d, int32_t tool) {
    for (int k = 0; k < PAL_DOMAIN_SLOTS; k++) {
        d->slot[k].tool[tool].memory.valid = false;
        d->slot[k].tool[tool].last.count = 0;
    }
}

// ---- dents

void pal_domains_reset(pal_domains *d, bool dents) {
    d->dents = dents && d->has_dents;
    d->watched = -1;
    for (int k = 0; k < PAL_DOMAIN_SLOTS; k++) {
        d->slot[k].domain = -1;
    }
}

bool pal_domains_part(pal_domains *d, int32_t tool, int32_t triangle, pal_soft_part *part) {
    const int32_t domain = pal_domains_owner(d, triangle);
    pal_domain_slot *slot = d->dents ? pal_domains_slot(d, domain) : NULL;
    if (slot == NULL || slot->body.dent == NULL) {
        return false;
    }
    *part = (pal_soft_part){.number = domain,
                            .local = slot->form->local,
                            .rows = d->stiffening ? slot->form->rows : NULL,
                            .footprint = &slot->form->footprint,
                            .body = &slot->body,
                            .dent = &slot->dent,
                            .first_triangle = d->first_triangle[domain],
                            .first_id = d->first_id[domain],
                            .level = slot->tool[tool].last.level,
                            // K goes with E and the length
                            .softer = 1.0 / (slot->scale * pal_tree_stiffness(d->state, domain)),
                            .size = slot->scale};
    memcpy(part->frame, slot->turn, sizeof part->frame);
    return true;
}

void pal_domains_begin_dents(pal_domains *d) {
    for (int k = 0; k < PAL_DOMAIN_SLOTS && d->dents; k++) {
        pal_dent_begin(&d->slot[k].dent);
    }
}

void pal_domains_end_dents(pal_domains *d) {
    for (int k = 0; k < PAL_DOMAIN_SLOTS && d->dents; k++) {
        pal_dent_end(&d->slot[k].dent);
    }
}

void pal_domains_clear_dents(pal_domains *d) {
    for (int k = 0; k < PAL_DOMAIN_SLOTS && d->has_dents; k++) {
        pal_dent_clear(&d->slot[k].dent);
    }
}
