#include "devices/two_mass.h"

#include <math.h>

enum {
    SUBSTEPS = 8,    // a millisecond, unless asked otherwise
    ORDER_MAX = 16,  // enough for step * rate <= 1/2
    EVENTS_MAX = 4,  // stops and breakaways in one step
    BISECTIONS = 50, // of an event's time
};
static const double RATE_MAX = 1e6; // 1/s

typedef enum friction_state { NO_FRICTION, STUCK, FORTH, BACK } friction_state;

typedef struct series { // z(s h) = sum of c[k] s^k, 0 <= s <= 1
    double c[ORDER_MAX + 1][4];
} series;

// A bound of |A| in the norm that measures positions by `omega`.
static double rate_bound(const pal_two_mass *m) {
    const pal_hand *g = &m->hand;
    double omega = sqrt(fmax(2.0 * g->k_g * m->inv_m_d, (g->k_h + 2.0 * g->k_g) * m->inv_m_h));
    double device = (m->b_d + 2.0 * g->b_g) * m->inv_m_d;
    double hand = (g->b_h + 2.0 * g->b_g) * m->inv_m_h;
    return omega + fmax(device, hand);
}

pal_status pal_two_mass_init(pal_two_mass *model, const pal_sim_options *options, pal_err *err) {
    bool held = options->hand.mass > 0.0;
    *model = (pal_two_mass){
        .hand = held ? options->hand : (pal_hand){0},
        .b_d = options->device_damping,
        .friction = options->friction,
        .inv_m_d = 1.0 / options->limits.mass,
        .inv_m_h = held ? 1.0 / options->hand.mass : 0.0,
    };
    double rate = rate_bound(model);
    if (!(rate <= RATE_MAX)) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "simulated device: its fastest rate is %g/s, at most %g; take more mass or "
                        "less stiffness and damping",
                        rate, RATE_MAX);
    }
    int substeps = options->substeps > 0 ? options->substeps : SUBSTEPS;
    model->step_max = fmin(1e-3 / substeps, 0.5 / rate);

    // The series ends where its terms fall below rounding.
    double reach = model->step_max * rate, term = reach;
    for (model->order = 2; model->order < ORDER_MAX && term > 1e-18; model->order++) {
        term *= reach / model->order;
    }
    return PAL_OK;
}

// Force on the device by the grip.
static double grip_force(const pal_two_mass *m, const double z[4]) {
    return m->hand.k_g * (z[2] - z[0]) + m->hand.b_g * (z[3] - z[1]);
}

// A device at rest is stuck until the rest of the forces exceeds the friction.
static friction_state friction_of(const pal_two_mass *m, const double z[4], double force) {
    if (m->friction == 0.0) {
        return NO_FRICTION;
    }
    if (z[1] != 0.0) {
        return z[1] > 0.0 ? FORTH : BACK;
    }
    double net = force + grip_force(m, z);
    return fabs(net) <= m->friction ? STUCK : net > 0.0 ? FORTH : BACK;
}

static double sign_of(friction_state state) {
    return state == FORTH ? 1.0 : state == BACK ? -1.0 : 0.0;
}

// c[k] = h/k (A c[k-1] + g[k-1]), where g[0] and g[1] are the inputs and their slope.
static void expand(const pal_two_mass *m, friction_state state, const double z[4], double force,
                   const double u[2], double h, series *out) {
    bool moves = state != STUCK;
    double on_device = moves ? (force - m->friction * sign_of(state)) * m->inv_m_d : 0.0;
    double pull = m->hand.k_h * m->inv_m_h, on_hand[2] = {pull * u[0], pull * (u[1] - u[0])};
    for (int i = 0; i < 4; i++) {
        out->c[0][i] = z[i];
    }
    for (int k = 1; k <= m->order; k++) {
        const double *a = out->c[k - 1];
        double *c = out->c[k], step = h / k, grip = grip_force(m, a);
        c[0] = step * a[1];
        c[1] = moves ? step * m->inv_m_d * (grip - m->b_d * a[1]) : 0.0;
        c[2] = step * a[3];
        c[3] = -step * m->inv_m_h * (m->hand.k_h * a[2] + m->hand.b_h * a[3] + grip);
        c[1] += k == 1 ? step * on_device : 0.0;
        c[3] += k <= 2 ? step * on_hand[k - 1] : 0.0;
    }
}

static void evaluate(const series *p, int order, double s, double z[4]) {
    for (int i = 0; i < 4; i++) {
        double sum = p->c[order][i];
        for (int k = order - 1; k >= 0; k--) {
            sum = sum * s + p->c[k][i];
        }
        z[i] = sum;
    }
}

// Has a stuck device broken away, or a sliding one turned?
static bool state_ends(const pal_two_mass *m, friction_state state, double force,
                       const double z[4]) {
    if (state == STUCK) {
        return fabs(force + grip_force(m, z)) > m->friction;
    }
    return z[1] * sign_of(state) < 0.0;
}

// Where in 0..1 the state of the friction ends, and z there; 1 when it does not.
static double find_event(const pal_two_mass *m, friction_state state, double force, const series *p,
                         double z[4]) {
    evaluate(p, m->order, 1.0, z);
    if (!state_ends(m, state, force, z)) {
        return 1.0;
    }
    double low = 0.0, high = 1.0;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = 0.5 * (low + high);
        evaluate(p, m->order, middle, z);
        *(state_ends(m, state, force, z) ? &high : &low) = middle;
    }
    evaluate(p, m->order, high, z);
    if (state != STUCK) {
        z[1] = 0.0;
    }
    return high;
}

void pal_two_mass_step(const pal_two_mass *model, double z[4], double force, double u0, double u1,
                       double h) {
    double u[2] = {u0, u1};
    for (int event = 1; h > 0.0; event++) {
        series p;
        friction_state state = friction_of(model, z, force);
        expand(model, state, z, force, u, h, &p);
        if (state == NO_FRICTION || event == EVENTS_MAX) {
            evaluate(&p, model->order, 1.0, z);
            return;
        }
        double s = find_event(model, state, force, &p, z);
        u[0] += s * (u[1] - u[0]);
        h = s < 1.0 ? h * (1.0 - s) : 0.0;
    }
}
