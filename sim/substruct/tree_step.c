// The step of a tree of domains, and what is asked of it between steps.
#include "sim/substruct/tree_step.h"

#include <math.h>
#include <string.h>

#include "sim/base/vec3.h"
#include "sim/substruct/tree_state.h"

// ---- the sweeps: level by level, the blocks of a level in any order

typedef struct sweep {
    pal_tree_state *state;
    void (*work)(pal_tree_state *state, pal_tree_block *block, double *scratch);
    int32_t first; // block of the level
} sweep;

static void lend(const pal_tree_state *s, pal_tree_block *b, int thread) {
    b->h = s->lent_h[thread];
    b->inertia = s->lent_inertia[thread];
    b->bias = b->inertia + PAL_LANES8 * PAL_WRENCH_PAIRS;
}

static void work_on_block(void *context, int32_t item, int thread) {
    const sweep *of = context;
    pal_tree_block *block = &of->state->block[of->first + item];
    lend(of->state, block, thread);
    of->work(of->state, block, of->state->scratch[thread]);
}

static void sweep_level(sweep *of, int32_t level) {
    const pal_tree_level *blocks = &of->state->level[level];
    of->first = blocks->first_block;
    pal_team_run(&of->state->team, work_on_block, of, blocks->end_block - blocks->first_block);
}

static void sweep_up(pal_tree_state *s,
                     void (*work)(pal_tree_state *, pal_tree_block *, double *)) {
    sweep of = {.state = s, .work = work};
    for (int32_t level = s->depth - 1; level >= 0; level--) {
        sweep_level(&of, level);
    }
}

static void sweep_down(pal_tree_state *s,
                       void (*work)(pal_tree_state *, pal_tree_block *, double *)) {
    sweep of = {.state = s, .work = work};
    for (int32_t level = 0; level < s->depth; level++) {
        sweep_level(&of, level);
    }
}

// ---- what is done on the way

static void move_children(pal_tree_state *s, pal_tree_block *b, double *scratch) {
    (void)scratch;
    b->outcome |= pal_ports_move(s, b, false) ? 0 : PAL_OUT_NAN;
}

// H with a larger diagonal, until it can be factored.
static pal_outcome factor_shifted(pal_tree_block *b) {
    enum { MOST = 8 };
    const int32_t r = b->table->r, width = b->width;
    double largest = 0.0, shift = 1e-4;
    for (int32_t k = 0; k < r * width; k++) {
        largest = fmax(largest, fabs(b->h[pal_row_start(r, k / width) * width + k % width]));
    }
    for (int attempt = 0; attempt < MOST && isfinite(largest); attempt++, shift *= 8.0) {
        for (int32_t k = 0; k < r * width; k++) {
            b->h[pal_row_start(r, k / width) * width + k % width] += shift * largest;
        }
        if (pal_block_of(b)->factor(b)) {
            return PAL_OUT_NOT_SPD;
        }
    }
    return PAL_OUT_NAN;
}

// The block's own matrix and right-hand side, what its children add, and what it hands up.
static void eliminate(pal_tree_state *s, pal_tree_block *b, double *scratch) {
    const pal_block_functions *functions = pal_block_of(b);
    const bool exact = s->inertia == PAL_INERTIA_EXACT;
    const bool root = s->frame[b->domain[0]].parent < 0;
    functions->assemble(b, s, scratch);
    if (s->inertia == PAL_INERTIA_INTERFACE) {
        pal_ports_gather_lumped(s, b, scratch);
    } else {
        if (!exact || s->tree->flies) {
            pal_ports_net(s, b);
        }
        pal_ports_gather(s, b, scratch);
    }
    b->outcome = functions->factor(b) ? 0 : factor_shifted(b);
    if (exact || (root && s->tree->flies)) {
        functions->condense(b, s, scratch);
    }
}

static double sum_of_squares(int32_t count, const double *x) {
    pal_vec8 sum = {0};
    double rest = 0.0;
    int32_t k = 0;
    for (; k + PAL_LANES8 <= count; k += PAL_LANES8) {
        const pal_vec8 some = *(const pal_loose8 *)(x + k);
        sum += some * some;
    }
    for (; k < count; k++) {
        rest += x[k] * x[k];
    }
    return pal_sum8(sum) + rest;
}

// No body's points move by many times its size in the mean, nor so fast in a step: int rho u u =
// q . q against int rho X X. A state beyond that is treated like one that is not a number (which
// compares false).
static bool is_bounded(const pal_tree_block *b, double dt) {
    static const double sizes = 1000.0;
    const double(*second)[3] = b->table->class_->second;
    const double most = sizes * sizes * (second[0][0] + second[1][1] + second[2][2]) * b->width;
    const int32_t count = b->table->r * b->width;
    return sum_of_squares(count, b->q) <= most && dt * dt * sum_of_squares(count, b->v) <= most;
}

// The new state of the domains, and where and how fast their children are then.
static void substitute(pal_tree_state *s, pal_tree_block *b, double *scratch) {
    pal_block_of(b)->advance(b, s, scratch);
    b->outcome |= is_bounded(b, s->options.dt) ? 0 : PAL_OUT_NAN;
    b->outcome |= pal_ports_move(s, b, true) ? 0 : PAL_OUT_NAN;
}

static void hold(pal_tree_state *s, pal_tree_block *b, double *scratch) {
    (void)scratch;
    pal_block_of(b)->hold(b, s);
}

// ---- the step

bool pal_tree_give_up(pal_tree_state *s) {
    enum { BAD = 16, ENOUGH = 20 * BAD }; // one bad step counts as many good ones
    s->failed += BAD;
    if (s->failed <= ENOUGH) {
        return false;
    }
    for (int32_t i = 0; i < s->block_count; i++) {
        const pal_tree_block *b = &s->block[i];
        memset(b->kept, 0, (size_t)(b->table->r * b->width) * sizeof *b->kept);
    }
    s->failed = 0;
    return true;
}

// As before the step, but with zero velocities.
static void put_back(pal_tree_state *s) {
    if (pal_tree_give_up(s)) {
        memcpy(s->root_kept.x, s->tree->root_x, sizeof s->root_kept.x);
        memcpy(s->root_kept.turn, s->tree->root_turn, sizeof s->root_kept.turn);
    }
    for (int32_t i = 0; i < s->block_count; i++) {
        pal_tree_block *b = &s->block[i];
        const size_t count = (size_t)(b->table->r * b->width);
        memcpy(b->q, b->kept, count * sizeof *b->q);
        memset(b->v, 0, count * sizeof *b->v);
        memset(b->a, 0, count * sizeof *b->a);
        b->mixed = false;
    }
    for (int32_t i = 0; i < s->tree->domain_count; i++) {
        memset(s->frame[i].accel, 0, sizeof s->frame[i].accel);
    }
    const pal_frame *root = &s->root_kept;
    double turn[3][3];
    const double still[3] = {0.0, 0.0, 0.0};
    memcpy(turn, root->turn, sizeof turn);
    pal_tree_set_root(s, root->x, turn, still, still);
    pal_tree_settle(s);
}

void pal_tree_carry(pal_tree_state *s) {
    sweep_down(s, move_children);
    if (s->tree->flies) {
        sweep_down(s, hold);
        pal_flight_keep_momentum(s);
    }
}

void pal_tree_set_patience(pal_tree_state *s, double patience, void (*overdue)(void *context),
                           void *context) {
    pal_team_set_patience(&s->team, patience, overdue, context);
}

// The helper stays awake from the one half of a step to the other.
static void wake(pal_tree_state *s) {
    if (!s->awake) {
        pal_team_begin(&s->team);
        s->awake = true;
    }
}

pal_outcome pal_tree_begin(pal_tree_state *s) {
    wake(s);
    sweep_up(s, eliminate);
    bool again;
    s->begun = pal_guard_check(s, &again);
    if (again) {
        sweep_up(s, eliminate);
    }
    pal_guard_begin(s);
    s->root_kept = s->frame[0];
    for (int32_t i = 0; i < s->block_count; i++) {
        s->begun |= s->block[i].outcome;
    }
    return s->begun;
}

pal_outcome pal_tree_finish(pal_tree_state *s) {
    pal_outcome outcome = s->begun;
    memset(s->frame[0].accel, 0, sizeof s->frame[0].accel);
    if (s->tree->flies && !pal_flight_accelerate(s, s->frame[0].accel)) {
        outcome |= PAL_OUT_NAN;
    }
    if (s->tree->flies) {
        pal_flight_move(s);
    }
    wake(s);
    sweep_down(s, substitute);
    if (s->tree->flies) {
        sweep_down(s, hold);
        outcome |= pal_flight_keep_momentum(s) ? 0 : PAL_OUT_NAN;
    }
    pal_team_end(&s->team);
    s->awake = false;
    for (int32_t i = 0; i < s->block_count; i++) {
        outcome |= s->block[i].outcome;
    }
    if (outcome & PAL_OUT_NAN) {
        put_back(s);
    } else {
        s->failed -= s->failed > 0;
        pal_guard_end(s);
    }
    return outcome;
}

pal_outcome pal_tree_step(pal_tree_state *s) {
    pal_tree_begin(s);
    return pal_tree_finish(s);
}

void pal_tree_step_alone(pal_tree_state *s) {
    for (int32_t i = 0; i < s->block_count; i++) {
        lend(s, &s->block[i], 0);
        pal_block_of(&s->block[i])->alone(&s->block[i], s, s->scratch[0]);
    }
}

// ---- between steps

const pal_tree *pal_tree_of(const pal_tree_state *s) {
    return s->tree;
}

void pal_tree_get(const pal_tree_state *s, int32_t domain, double *q, double *v, double *a) {
    const pal_frame *f = &s->frame[domain];
    const pal_tree_block *b = &s->block[f->block];
    for (int32_t l = 0; l < b->table->r; l++) {
        if (q != NULL) {
            q[l] = *pal_lane(s, f, b->q, l);
        }
        if (v != NULL) {
            v[l] = *pal_lane(s, f, b->v, l);
        }
        if (a != NULL) {
            a[l] = *pal_lane(s, f, b->a, l);
        }
    }
}

void pal_tree_lengths(const pal_tree_state *s, int32_t domain, double *q2, double *v2) {
    const pal_frame *f = &s->frame[domain];
    const pal_tree_block *b = &s->block[f->block];
    *q2 = *v2 = 0.0;
    for (int32_t l = 0; l < b->table->r; l++) {
        const double q = *pal_lane(s, f, b->q, l), v = *pal_lane(s, f, b->v, l);
        *q2 += q * q;
        *v2 += v * v;
    }
}

// Lanes beyond the last instance repeat it.
static void set_lanes(const pal_tree_block *b, int32_t lane, double *row, double value) {
    row[lane] = value;
    for (int32_t k = b->count; lane == b->count - 1 && k < b->width; k++) {
        row[k] = value;
    }
}

void pal_tree_set(pal_tree_state *s, int32_t domain, const double *q, const double *v,
                  const double *a) {
    const pal_frame *f = &s->frame[domain];
    pal_tree_block *b = &s->block[f->block];
    b->mixed = false;
    for (int32_t l = 0; l < b->table->r; l++) {
        double *const row[3] = {b->q + l * b->width, b->v + l * b->width, b->a + l * b->width};
        const double *const from[3] = {q, v, a};
        for (int k = 0; k < 3; k++) {
            set_lanes(b, f->lane, row[k], from[k] != NULL ? from[k][l] : 0.0);
        }
    }
}

int64_t pal_tree_settled(const pal_tree_state *s) {
    return s->settled;
}

void pal_tree_settle(pal_tree_state *s) {
    s->settled++;
    s->budget.known = s->budget.stepped = s->budget.exact = false;
    for (int32_t i = 0; i < s->tree->domain_count; i++) {
        memset(s->frame[i].accel, 0, sizeof s->frame[i].accel);
    }
    for (int32_t n = 0; n < s->port_count; n++) {
        const pal_port_block *p = &s->ports[n];
        for (int e = 0; e < 9 * p->width; e++) {
            p->q[e] = e / p->width % 4 == 0;
        }
    }
    pal_team_begin(&s->team);
    sweep_down(s, move_children);
    if (s->tree->flies) {
        sweep_down(s, hold);
    }
    pal_team_end(&s->team);
    if (s->tree->flies) {
        pal_tree_energy now;
        pal_tree_measure(s, &now);
        memcpy(s->momentum, now.momentum, sizeof now.momentum);
        memcpy(s->momentum + 3, now.spin, sizeof now.spin);
    }
}

void pal_tree_frame(const pal_tree_state *s, int32_t domain, double x[3], double turn[3][3]) {
    memcpy(x, s->frame[domain].x, sizeof s->frame[domain].x);
    memcpy(turn, s->frame[domain].turn, sizeof s->frame[domain].turn);
}

void pal_tree_twist(const pal_tree_state *s, int32_t domain, double v[3], double w[3]) {
    memcpy(v, s->frame[domain].twist, 3 * sizeof *v);
    memcpy(w, s->frame[domain].twist + 3, 3 * sizeof *w);
}

void pal_tree_set_root(pal_tree_state *s, const double x[3], double (*turn)[3], const double v[3],
                       const double w[3]) {
    pal_frame *f = &s->frame[0];
    memcpy(f->x, x, sizeof f->x);
    memcpy(f->turn, turn, sizeof f->turn);
    memcpy(f->twist, v, 3 * sizeof *v);
    memcpy(f->twist + 3, w, 3 * sizeof *w);
    memset(f->accel, 0, sizeof f->accel);
    memset(s->root_accel, 0, sizeof s->root_accel);
}

// A point in the frame, in metres: s (X + U q); and its velocity there.
static void local_point(const pal_tree_state *s, const pal_frame *f, const double *rest,
                        const double *u, double *at, double *velocity) {
    const pal_tree_block *b = &s->block[f->block];
    const int32_t r = b->table->r;
    for (int k = 0; k < 3; k++) {
        double place = rest[k], rate = 0.0;
        for (int32_t l = 0; l < r; l++) {
            place += u[k * r + l] * *pal_lane(s, f, b->q, l);
            rate += u[k * r + l] * *pal_lane(s, f, b->v, l);
        }
        at[k] = f->scale * place;
        velocity[k] = f->scale * rate;
    }
}

void pal_tree_point(const pal_tree_state *s, int32_t domain, const double rest[3], const double *u,
                    double x[3], double velocity[3]) {
    const pal_frame *f = &s->frame[domain];
    double at[3], rate[3], arm[3];
    local_point(s, f, rest, u, at, rate);
    pal_cross3(f->twist + 3, at, arm);
    for (int k = 0; k < 3; k++) {
        rate[k] += arm[k] + f->twist[k];
    }
    for (int k = 0; k < 3; k++) {
        x[k] = f->x[k] + pal_dot3(f->turn + 3 * k, at);
        velocity[k] = pal_dot3(f->turn + 3 * k, rate);
    }
}

void pal_tree_push(pal_tree_state *s, int32_t domain, const double rest[3], const double *u,
                   const double force[3]) {
    pal_frame *f = &s->frame[domain];
    pal_tree_block *b = &s->block[f->block];
    const int32_t r = b->table->r;
    double at[3], rate[3], own[3], torque[3];
    b->pushed = true;
    local_point(s, f, rest, u, at, rate);
    for (int k = 0; k < 3; k++) {
        own[k] = f->turn[k] * force[0] + f->turn[3 + k] * force[1] + f->turn[6 + k] * force[2];
    }
    pal_cross3(at, own, torque);
    for (int k = 0; k < 3; k++) {
        *pal_lane(s, f, b->load, k) += own[k];
        *pal_lane(s, f, b->load, 3 + k) += torque[k];
    }
    for (int32_t l = 0; l < r; l++) {
        const double along = u[l] * own[0] + u[r + l] * own[1] + u[2 * r + l] * own[2];
        *pal_lane(s, f, b->f, l) += f->scale * f->to_class * along;
    }
}

void pal_tree_blow(pal_tree_state *s, int32_t domain, const double field[3]) {
    const pal_frame *f = &s->frame[domain];
    for (int k = 0; k < 3; k++) {
        *pal_lane(s, f, s->block[f->block].blow, k) = field[k];
    }
}

double pal_tree_stiffness(const pal_tree_state *state, int32_t domain) {
    return state->frame[domain].stiffness;
}

void pal_tree_set_stiffness(pal_tree_state *s, int32_t domain, double factor) {
    pal_frame *f = &s->frame[domain];
    const pal_tree_block *b = &s->block[f->block];
    const double harder = fmax(1.0, factor / f->stiffness); // what it holds grows by as much
    s->budget.level *= harder;
    s->budget.credit *= harder;
    f->stiffness = factor;
    set_lanes(b, f->lane, b->factor, factor / (f->scale * f->scale));
}

void pal_tree_set_gravity(pal_tree_state *s, const double gravity[3]) {
    memcpy(s->options.gravity, gravity, sizeof s->options.gravity);
}

void pal_tree_energies(const pal_tree_state *s, double *strain, double *kinetic) {
    *strain = *kinetic = 0.0;
    for (int32_t i = 0; i < s->block_count; i++) {
        *strain += s->block[i].strain;
        *kinetic += s->block[i].kinetic;
    }
}

double pal_tree_power(const pal_tree_state *s) {
    double power = 0.0;
    for (int32_t i = 0; i < s->block_count; i++) {
        power += s->block[i].power;
    }
    return power;
}

void pal_tree_set_dt(pal_tree_state *s, double dt) {
    s->options.dt = dt;
}
