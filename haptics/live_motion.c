#include "haptics/live_motion.h"

#include <math.h>

#include "haptics/live_tree.h"

static void reset_tree(pal_live_tree *t) {
    const pal_tree *tree = pal_tree_of(t->state);
    const double still[3] = {0.0, 0.0, 0.0};
    double turn[3][3];
    for (int32_t i = 0; i < tree->domain_count; i++) {
        pal_tree_set(t->state, i, NULL, NULL, NULL);
    }
    for (int k = 0; k < 9; k++) {
        turn[k / 3][k % 3] = tree->root_turn[k / 3][k % 3];
    }
    pal_tree_set_root(t->state, tree->root_x, turn, still, still);
    pal_tree_settle(t->state);
    t->blown = 0.0;
}

void pal_live_reset(pal_live_body *live) {
    if (live->domains != NULL) {
        reset_tree(live->domains);
    } else {
        pal_newmark_set_state(live->newmark, NULL, NULL, NULL);
    }
}

void pal_live_set_step(pal_live_body *live, double dt) {
    if (live->domains != NULL) {
        pal_tree_set_dt(live->domains->state, dt);
    } else {
        pal_newmark_set_step(live->newmark, dt);
    }
}

pal_coefficients *pal_live_swap(pal_live_body *live, pal_coefficients *coefficients) {
    return live->newmark != NULL ? pal_newmark_swap(live->newmark, coefficients) : coefficients;
}

void pal_live_set_damping(pal_live_body *live, double alpha, double beta) {
    if (live->newmark != NULL) {
        pal_newmark_set_damping(live->newmark, alpha, beta);
    }
}

void pal_live_set_stiffness(pal_live_body *live, const int32_t *domain, int32_t count,
                            double factor) {
    for (int32_t k = 0; k < count && live->domains != NULL; k++) {
        pal_tree_set_stiffness(live->domains->state, domain[k], factor);
    }
}

// Gusts are three waves that do not come round together, and are carried along by the mean wind:
// sin(a - b) = sin a cos b - cos a sin b, with b the domain's own.
void pal_live_blow(pal_live_body *live, double dt) {
    pal_live_tree *t = live->domains;
    if (t == NULL || !(t->wind.speed > 0.0 || t->wind.gust > 0.0)) {
        return;
    }
    double wave[PAL_WIND_WAVES][2];
    t->blown += dt;
    for (int k = 0; k < PAL_WIND_WAVES; k++) {
        const double at = t->blown * pal_wind_rate(&t->wind, k);
        wave[k][0] = sin(at);
        wave[k][1] = cos(at);
    }
    const int32_t count = pal_tree_of(t->state)->domain_count;
    for (int32_t i = 0; i < count; i++) {
        double gust = 0.0, field[3];
        for (int k = 0; k < PAL_WIND_WAVES; k++) {
            const double *phase = t->phase + 2 * (PAL_WIND_WAVES * (int64_t)i + k);
            gust += wave[k][0] * phase[0] - wave[k][1] * phase[1];
        }
        const double speed = t->wind.speed + t->wind.gust * gust / PAL_WIND_WAVES;
        for (int c = 0; c < 3; c++) {
            field[c] = t->drag[i] * speed * fabs(speed) * t->wind.direction[c];
        }
        pal_tree_blow(t->state, i, field);
    }
}

double pal_live_strain(const pal_live_body *live) {
    double strain, kinetic;
    if (live->domains == NULL) {
        return pal_newmark_strain_before(live->newmark);
    }
    pal_tree_energies(live->domains->state, &strain, &kinetic);
    return strain;
}

double pal_live_kinetic(const pal_live_body *live) {
    double strain, kinetic;
    if (live->domains == NULL) {
        return pal_newmark_kinetic_energy(live->newmark);
    }
    pal_tree_energies(live->domains->state, &strain, &kinetic);
    return kinetic;
}

double pal_live_power(const pal_live_body *live) {
    return live->domains != NULL ? pal_tree_power(live->domains->state) : 0.0;
}
