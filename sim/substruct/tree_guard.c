// What a tree may hold: no more than was put into it, times a slack that is stated here.
//
// With lumped inertia a domain carries its children and does not feel them, so that each level may
// swing up the next, and where it moves far without end. So accounts are kept beside the energy (as
// Dinev et al. 2018 do), W being the work of gravity, wind, pulls and contact in a step:
//
//     level     L' = L + W, and down with what the tree holds: where it would be if it made nothing
//     credit    C' = C + slack (what the sum of all W rises above its highest so far)
//
// and no step may begin with more than max(L, C) + E0. Else all velocities are made smaller until
// it holds a tenth less; where the strain alone is too much, the tree is put back to where it was
// before the step, at rest, and holds no more than it did then (or to its rest shape, when that
// goes on). So it never holds more than E0 and `slack` times the largest net work that was done on
// it in any stretch of time, by induction.
//
// Then the credit is lost (L becomes what is held), and the tree goes on by exact inertia, which
// makes no energy, until it holds no more than E0 or has credit again by new work. A tree that
// keeps within L is never touched: it finds its equilibrium from wherever it was stopped, and comes
// to rest.
//
// Of a root that flies all this is without the energy of its rigid motion, which keeps its
// momentum.
#include <math.h>

#include "sim/base/vec3.h"
#include "sim/substruct/tree_state.h"

// A lumped tree swings too fast, and what it holds as it swings is more by the square: the flower
// 2.4 times, letters 2.8, a chain of four domains 4.3 (L1). Exact inertia makes energy by the
// errors of its steps alone.
static const double slack_lumped = 20.0, slack_exact = 2.0;
// E0 is that of the whole tree turning about its root so slowly, rad/s: lumped inertia begins to
// move by making energy (interfaces have no inertia against turning) before a load has done work.
static const double slow = 0.2;
static const double below = 0.9;    // so that errors of steps do not hold it up
static const double memory = 1.0;   // s: level and credit above what is held are forgotten
static const double at_rest = 0.01; // of E0: with less than this in motion,
static const double calm = 0.1;     // s: for so long, a lumped tree is where a new sum of W begins
static const double at_least = 0.2; // s, by exact inertia

typedef struct sums {
    double strain, kinetic, power, pushing, rigid, held;
} sums;

static sums add_up(const pal_tree_state *s) {
    sums of = {0};
    for (int32_t i = 0; i < s->block_count; i++) {
        const pal_tree_block *b = &s->block[i];
        of.strain += b->strain;
        of.kinetic += b->kinetic;
        of.power += b->power;
        of.pushing += b->pushing;
    }
    of.rigid = s->tree->flies ? pal_flight_rigid(s) : 0.0;
    of.held = of.strain + of.kinetic - of.rigid;
    return of;
}

void pal_guard_open(pal_tree_state *s) {
    double inertia = 0.0; // int rho |x - x_root|^2
    for (int32_t i = 0; i < s->tree->domain_count; i++) {
        const pal_frame *f = &s->frame[i];
        const pal_domain_class *c = s->block[f->block].table->class_;
        const double s3 = f->scale * f->scale * f->scale, s4 = s3 * f->scale, s5 = s4 * f->scale;
        double apart[3];
        pal_sub3(f->x, s->frame[0].x, apart);
        inertia += s3 * c->mass * pal_dot3(apart, apart) +
                   s5 * (c->second[0][0] + c->second[1][1] + c->second[2][2]);
        for (int k = 0; k < 3; k++) {
            inertia += 2.0 * s4 * apart[k] * pal_dot3(f->turn + 3 * k, c->first);
        }
    }
    s->budget.count.least = 0.5 * slow * slow * inertia;
}

// All motion by a share (0: none is left, of numbers that are not finite either), and `back`: where
// it was before the step.
static void slow_down(pal_tree_state *s, double share, bool back) {
    for (int32_t i = 0; i < s->block_count; i++) {
        pal_tree_block *b = &s->block[i];
        b->mixed = false;
        for (int32_t k = 0; k < b->table->r * b->width; k++) {
            b->q[k] = back ? b->kept[k] : b->q[k];
            b->v[k] = share > 0.0 ? share * b->v[k] : 0.0;
            b->a[k] = share > 0.0 ? share * b->a[k] : 0.0;
        }
    }
    for (int32_t i = 0; i < s->tree->domain_count; i++) {
        for (int k = 0; k < 6; k++) {
            s->frame[i].accel[k] = share > 0.0 ? share * s->frame[i].accel[k] : 0.0;
        }
    }
    s->settled += back; // its places do not follow from how fast it was
    pal_tree_carry(s);
}

// Takes what is above `most` out of the tree; whether that undid the step.
static bool hold_to(pal_tree_state *s, const sums *now, double most) {
    const double spare = most - now->strain, moving = now->held - now->strain;
    const bool back = !(spare > 0.0 && moving > spare);
    if (back) {
        pal_tree_give_up(s);
    }
    slow_down(s, back ? 0.0 : sqrt(spare / moving), back);
    s->budget.count.slowed += !back;
    s->budget.count.put_back += back;
    return back;
}

static double slack_of(const pal_tree_state *s) {
    return s->options.inertia == PAL_INERTIA_EXACT ? slack_exact : slack_lumped;
}

// The accounts after a step that did `work`.
static void book(pal_tree_state *s, const sums *now, double work) {
    pal_budget *b = &s->budget;
    const double dt = s->options.dt, slack = slack_of(s), forgotten = fmin(1.0, dt / memory);
    b->count.work += work;
    b->level += work;
    b->level -= fmax(0.0, b->level - now->held) * forgotten;
    b->owed -= work;
    b->credit += slack * fmax(0.0, -b->owed);
    b->credit -= fmax(0.0, b->credit - slack * fmax(0.0, b->level)) * forgotten;
    b->still = now->held - now->strain < at_rest * b->count.least ? b->still + dt : 0.0;
    b->owed = fmax(0.0, b->owed);
    if (b->still > calm && !b->exact) {
        b->credit = fmax(0.0, b->credit - slack * b->owed);
        b->owed = 0.0;
    }
}

// What the last step made of the tree; whether that was too much.
static bool look_back(pal_tree_state *s, const sums *now) {
    pal_budget *b = &s->budget;
    const pal_budget before = *b;
    const double dt = s->options.dt;
    book(s, now, 0.5 * dt * (b->power + now->power + b->pushed) - (now->rigid - b->rigid));
    const double most = fmax(b->level, b->credit) + b->count.least;
    if (now->held <= most) { // false for NaN
        b->since += dt;
        if (b->exact && b->since > at_least && now->held <= fmax(b->credit, b->count.least)) {
            b->exact = false;
            b->level = fmin(b->level, now->held);
        }
        return false;
    }
    b->level = fmin(below * most, most - b->count.least);
    if (hold_to(s, now, below * most)) { // as if the step had not been
        b->level = fmax(before.level, before.credit);
        b->owed = before.owed;
        b->count.work = before.count.work;
    }
    b->credit = b->since = 0.0;
    b->exact = true;
    return true;
}

pal_outcome pal_guard_check(pal_tree_state *s, bool *again) {
    pal_budget *b = &s->budget;
    const pal_inertia was = s->inertia;
    const sums now = add_up(s);
    if (!b->known) {
        b->level = now.held;
        b->credit = slack_of(s) * now.held;
        b->owed = 0.0;
        b->known = true;
    }
    const bool too_much = b->stepped && look_back(s, &now);
    b->stepped = false;
    s->inertia = b->exact ? PAL_INERTIA_EXACT : s->options.inertia;
    b->count.exact += s->inertia != s->options.inertia;
    *again = too_much || s->inertia != was;
    return too_much ? PAL_OUT_SWUNG_UP : 0;
}

void pal_guard_begin(pal_tree_state *s) {
    const sums now = add_up(s);
    s->budget.count.held = now.held;
    s->budget.rigid = now.rigid;
    s->budget.power = now.power;
}

void pal_guard_end(pal_tree_state *s) {
    s->budget.pushed = add_up(s).pushing;
    s->budget.stepped = true;
}

pal_tree_guard pal_tree_guarded(const pal_tree_state *s) {
    return s->budget.count;
}
