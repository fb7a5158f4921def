// The exact border by D-decomposition: on the unit circle z = exp(i w T) the loop closes where
//
//     K + B D(z) = -1 / P(z),
//
// P from force to reading (exact sampling of the continuous plant, its delay included), D from
// reading to velocity. Real and imaginary part are two equations for K and B at every w; the
// smallest positive K with the wanted B is the border, since the loop is stable for K just above 0
// while the damper alone is.
#include "haptics/feel/stability.h"

#include <complex.h>
#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

enum { STATES = 4, WIDE = STATES + 1, TERMS = 18, SCAN = 1500, HALVINGS = 52, CROSSINGS = 32 };

static double hold(const pal_wall_plant *plant) {
    return 0.5 * plant->dt + plant->delay;
}

double pal_stability_passive(const pal_wall_plant *plant, double B) {
    return 2.0 * (plant->damping - fabs(B)) / plant->dt;
}

double pal_stability_law(const pal_wall_plant *plant, double B) {
    return (plant->damping + B) / hold(plant);
}

double pal_stability_quantised(const pal_wall_plant *plant) {
    const double steps =
        plant->resolution > 0.0 ? 2.0 * plant->friction / plant->resolution : INFINITY;
    return fmin(2.0 * plant->damping / plant->dt, steps);
}

double pal_stability_speed(const pal_wall_plant *plant, double K, double B) {
    const double excess = K * hold(plant) - plant->damping - B;
    return excess > 0.0 ? 4.0 / pi * plant->friction / excess : INFINITY;
}

pal_wall_plant pal_stability_damped(const pal_wall_plant *plant, double V) {
    pal_wall_plant damped = *plant;
    damped.damping += 4.0 / pi * plant->friction / V;
    damped.friction = 0.0;
    return damped;
}

// ---- the sampled plant

typedef struct sampled {
    int states; // 2, with a hand 4
    double phi[STATES][STATES];
    double now[STATES];    // effect of the force sent `ticks` ticks ago,
    double before[STATES]; // and of the one before it
    int ticks;
    double dt, share; // share: of a new difference in the velocity
} sampled;

typedef struct wide { // states and a constant force
    double a[WIDE][WIDE];
} wide;

static wide product(const wide *x, const wide *y) {
    wide out = {{{0.0}}};
    for (int i = 0; i < WIDE; i++) {
        for (int j = 0; j < WIDE; j++) {
            for (int k = 0; k < WIDE; k++) {
                out.a[i][j] += x->a[i][k] * y->a[k][j];
            }
        }
    }
    return out;
}

// exp(A t) by its series at t / 2^10, then squared ten times.
static wide exponential(const wide *rate, double t) {
    enum { SQUARINGS = 10 };
    wide step = *rate, sum = {{{0.0}}}, term;
    for (int i = 0; i < WIDE; i++) {
        sum.a[i][i] = 1.0;
        for (int j = 0; j < WIDE; j++) {
            step.a[i][j] *= ldexp(t, -SQUARINGS);
        }
    }
    term = sum;
    for (int n = 1; n <= TERMS; n++) {
        term = product(&term, &step);
        for (int i = 0; i < WIDE * WIDE; i++) {
            term.a[i / WIDE][i % WIDE] /= n;
            sum.a[i / WIDE][i % WIDE] += term.a[i / WIDE][i % WIDE];
        }
    }
    for (int i = 0; i < SQUARINGS; i++) {
        sum = product(&sum, &sum);
    }
    return sum;
}

// z' = A z of x, x', x_h, x_h', 1 (as in devices/dev_sim.h); the last is the force.
static wide rates_of(const pal_wall_plant *p) {
    const pal_hand *h = &p->hand;
    const bool held = h->mass > 0.0;
    const double k_g = held ? h->k_g : 0.0, b_g = held ? h->b_g : 0.0;
    wide rate = {{{0.0}}};
    rate.a[0][1] = 1.0;
    memcpy(rate.a[1],
           (double[WIDE]){-k_g / p->mass, -(p->damping + b_g) / p->mass, k_g / p->mass,
                          b_g / p->mass, 1.0 / p->mass},
           sizeof rate.a[1]);
    if (held) {
        rate.a[2][3] = 1.0;
        memcpy(rate.a[3],
               (double[WIDE]){k_g / h->mass, b_g / h->mass, -(h->k_h + k_g) / h->mass,
                              -(h->b_h + b_g) / h->mass, 0.0},
               sizeof rate.a[3]);
    }
    return rate;
}

static sampled sample(const pal_wall_plant *p) {
    const double late = p->delay / p->dt, ticks = floor(late + 1e-9);
    const double part = fmax(late - ticks, 0.0) * p->dt; // s of a tick that the older force lasts
    const wide rate = rates_of(p), whole = exponential(&rate, p->dt);
    const wide older = exponential(&rate, part), newer = exponential(&rate, p->dt - part);
    const wide carried = product(&newer, &older);
    sampled s = {.states = p->hand.mass > 0.0 ? 4 : 2,
                 .ticks = (int)ticks,
                 .dt = p->dt,
                 .share = p->dt / (p->dt + p->velocity_filter)};
    for (int i = 0; i < STATES; i++) {
        memcpy(s.phi[i], whole.a[i], sizeof s.phi[i]);
        s.now[i] = newer.a[i][STATES];
        s.before[i] = carried.a[i][STATES] - newer.a[i][STATES];
    }
    return s;
}

// First component of (z - phi)^-1 (now + before / z) z^-ticks.
static double complex plant_at(const sampled *s, double complex z) {
    const int n = s->states;
    double complex a[STATES][WIDE];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            a[i][j] = (i == j ? z : 0.0) - s->phi[i][j];
        }
        a[i][n] = s->now[i] + s->before[i] / z;
    }
    // Elimination from the last state up: what is left is x.
    for (int k = n - 1; k > 0; k--) {
        int pivot = k;
        for (int i = 0; i < k; i++) {
            pivot = cabs(a[i][k]) > cabs(a[pivot][k]) ? i : pivot;
        }
        for (int j = 0; j <= n; j++) {
            const double complex swap = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = swap;
        }
        for (int i = 0; i < k; i++) {
            const double complex factor = a[i][k] / a[k][k];
            for (int j = 0; j <= n; j++) {
                a[i][j] -= factor * a[k][j];
            }
        }
    }
    return a[0][n] / a[0][0] * cpow(z, -s->ticks);
}

// -1/P - B D: the K that closes the loop where this is real; or, for the damper alone, -1/(P D).
static double complex closing(const sampled *s, double B, bool damper, double w) {
    const double complex z = cexp(I * w * s->dt);
    const double complex needed = -1.0 / plant_at(s, z);
    const double complex d = s->share / s->dt * (1.0 - 1.0 / z) / (1.0 - (1.0 - s->share) / z);
    return damper ? needed / d : needed - B * d;
}

typedef struct crossing { // of the real axis
    double value;
    bool rising; // the imaginary part grows with the frequency
} crossing;

// All positive ones that a scan over the frequencies finds, at most CROSSINGS. Returns how many.
static int find_crossings(const sampled *s, double B, bool damper, crossing found[CROSSINGS]) {
    const double low = 1.0, high = pi / s->dt; // rad/s
    int count = 0;
    double before = low;
    double complex was = closing(s, B, damper, low);
    for (int i = 1; i <= SCAN; i++) {
        const double w = low * pow(high / low, (double)i / SCAN);
        const double complex is = closing(s, B, damper, w);
        const bool above = cimag(was) > 0.0;
        double left = before, right = w;
        // At z = -1, the last, everything is real.
        for (int k = 0; k < HALVINGS && i < SCAN && above != (cimag(is) > 0.0); k++) {
            const double middle = 0.5 * (left + right);
            *((cimag(closing(s, B, damper, middle)) > 0.0) == above ? &left : &right) = middle;
        }
        const bool crosses = i == SCAN || above != (cimag(is) > 0.0);
        const double value = creal(i == SCAN ? is : crosses ? closing(s, B, damper, left) : 0.0);
        if (crosses && value > 0.0 && count < CROSSINGS) {
            found[count++] = (crossing){value, !above};
        }
        before = w;
        was = is;
    }
    return count;
}

// The one of the smallest value; INFINITY: none.
static crossing first_crossing(const crossing *found, int count) {
    crossing first = {INFINITY, true};
    for (int i = 0; i < count; i++) {
        first = found[i].value < first.value ? found[i] : first;
    }
    return first;
}

static double largest_damper(const sampled *s) {
    crossing found[CROSSINGS];
    return first_crossing(found, find_crossings(s, 0.0, true, found)).value;
}

double pal_stability_largest_damper(const pal_wall_plant *plant) {
    const sampled s = sample(plant);
    return largest_damper(&s);
}

double pal_stability_border(const pal_wall_plant *plant, double B) {
    const sampled s = sample(plant);
    crossing found[CROSSINGS];
    return B < largest_damper(&s) ? first_crossing(found, find_crossings(&s, B, false, found)).value
                                  : 0.0;
}

// Poles that have left the circle below K: those that cross as the first one leave it, others come
// back (the winding number of the curve about K).
static int poles_outside(const crossing *found, int count, double K) {
    const crossing first = first_crossing(found, count);
    int outside = 0;
    for (int i = 0; i < count; i++) {
        outside += found[i].value <= K ? (found[i].rising == first.rising ? 1 : -1) : 0;
    }
    return outside;
}

void pal_stability_judge(const pal_wall_plant *plant, double B, const double *K, int count,
                         bool *stable) {
    const sampled s = sample(plant);
    const bool damped = B < largest_damper(&s);
    crossing found[CROSSINGS];
    const int crossings = find_crossings(&s, B, false, found);
    for (int i = 0; i < count; i++) {
        stable[i] = damped && K[i] > 0.0 && poles_outside(found, crossings, K[i]) == 0;
    }
}

double pal_stability_border_speed(const pal_wall_plant *plant, double K, double B) {
    pal_wall_plant damped = *plant;
    if (K < pal_stability_border(plant, B)) {
        return INFINITY;
    }
    // The damping whose border is K; the law gives less border than there is, or a little more.
    double low = plant->damping, high = low + 2.0 * (K * hold(plant) + low);
    for (int i = 0; i < 40; i++) {
        damped.damping = 0.5 * (low + high);
        *(pal_stability_border(&damped, B) < K ? &low : &high) = damped.damping;
    }
    return 4.0 / pi * plant->friction / (high - plant->damping);
}
