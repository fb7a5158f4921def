// A root that flies, and what a whole tree holds: energy and momentum.
#include <math.h>
#include <string.h>

#include "sim/base/pose.h"
#include "sim/base/vec3.h"
#include "sim/substruct/tree_state.h"

// What a domain has in its own axes about its own origin, SI.
typedef struct holding {
    double mass, first[3], second[9]; // int rho X X^T
    double linear[3], angular[3];     // momentum
    double kinetic;
} holding;

static void hold(const pal_tree_state *s, int32_t domain, holding *out) {
    const pal_frame *f = &s->frame[domain];
    const pal_tree_block *b = &s->block[f->block];
    const pal_domain_class *c = b->table->class_;
    const int32_t r = c->r;
    double q[PAL_DOMAIN_MOST_MODES], v[PAL_DOMAIN_MOST_MODES], sway[3] = {0}, spin[9] = {0};
    double first[3], second[9], speed = 0.0;
    pal_tree_get(s, domain, q, v, NULL);
    memcpy(first, c->first, sizeof first);
    memcpy(second, c->second, sizeof second);
    for (int32_t l = 0; l < r; l++) {
        double n[9]; // int rho X(q) U_l^T
        memcpy(n, c->xu + 9 * l, sizeof n);
        for (int32_t p = 0; p < r; p++) {
            for (int e = 0; e < 9; e++) {
                n[e] += c->uu[9 * (p * r + l) + e] * q[p];
            }
        }
        for (int e = 0; e < 9; e++) {
            second[e] += (n[e] + c->xu[9 * l + 3 * (e % 3) + e / 3]) * q[l];
            spin[e] += n[e] * v[l];
        }
        for (int k = 0; k < 3; k++) {
            first[k] += c->lift[k * r + l] * q[l];
            sway[k] += c->lift[k * r + l] * v[l];
        }
        speed += v[l] * v[l];
    }
    const double scale = f->scale, s3 = scale * scale * scale, s4 = s3 * scale, s5 = s4 * scale;
    const double *vel = f->twist, *w = f->twist + 3;
    double turned[3], arm[3];
    out->mass = s3 * c->mass;
    for (int k = 0; k < 3; k++) {
        out->first[k] = s4 * first[k];
    }
    for (int e = 0; e < 9; e++) {
        out->second[e] = s5 * second[e];
    }
    const double trace = out->second[0] + out->second[4] + out->second[8];
    const double wobble[3] = {s5 * (spin[5] - spin[7]), s5 * (spin[6] - spin[2]),
                              s5 * (spin[1] - spin[3])}; // int rho X x U q'
    pal_cross3(w, out->first, turned);
    pal_cross3(out->first, vel, arm);
    for (int k = 0; k < 3; k++) {
        out->linear[k] = out->mass * vel[k] + turned[k] + s4 * sway[k];
        out->angular[k] = arm[k] + trace * w[k] - pal_dot3(out->second + 3 * k, w) + wobble[k];
    }
    out->kinetic = 0.5 * (pal_dot3(out->linear, vel) + pal_dot3(out->angular, w) +
                          s4 * pal_dot3(sway, vel) + pal_dot3(wobble, w) + s5 * speed);
}

static void to_world(const double *turn, const double *x, double *out) {
    for (int k = 0; k < 3; k++) {
        out[k] = pal_dot3(turn + 3 * k, x);
    }
}

void pal_tree_measure(pal_tree_state *s, pal_tree_energy *energy) {
    memset(energy, 0, sizeof *energy);
    for (int32_t i = 0; i < s->tree->domain_count; i++) {
        const pal_frame *f = &s->frame[i];
        const pal_domain_class *c = s->block[f->block].table->class_;
        double linear[3], angular[3], arm[3], q[PAL_DOMAIN_MOST_MODES];
        holding h;
        hold(s, i, &h);
        to_world(f->turn, h.linear, linear);
        to_world(f->turn, h.angular, angular);
        pal_cross3(f->x, linear, arm);
        for (int k = 0; k < 3; k++) {
            energy->momentum[k] += linear[k];
            energy->spin[k] += angular[k] + arm[k];
        }
        energy->kinetic += h.kinetic;
        if (c->r > 0) {
            pal_tree_get(s, i, q, NULL, NULL);
            energy->strain += f->stiffness * f->scale * f->scale * f->scale *
                              pal_quartic_eval(&c->quartic, q, NULL, NULL);
        }
    }
}

double pal_tree_gap(const pal_tree_state *s, int32_t domain) {
    const pal_frame *child = &s->frame[domain];
    if (child->parent < 0) {
        return 0.0;
    }
    const pal_frame *f = &s->frame[child->parent];
    const pal_domain_class *c = s->block[f->block].table->class_;
    const pal_port *port = &c->port[s->tree->domain[domain].port];
    int lane;
    const pal_port_block *p = pal_port_of(s, domain, &lane);
    double b[9], q[PAL_DOMAIN_MOST_MODES], apart = 0.0, size = 0.0;
    pal_tree_get(s, child->parent, q, NULL, NULL);
    memcpy(b, port->c, sizeof b);
    for (int32_t l = 0; l < c->r; l++) {
        for (int e = 0; e < 9; e++) {
            b[e] += port->b[9 * l + e] * q[l];
        }
    }
    for (int e = 0; e < 9; e++) {
        double turned = 0.0;
        for (int k = 0; k < 3; k++) {
            turned += p->q[(3 * k + e / 3) * p->width + lane] * b[3 * k + e % 3];
        }
        const double rest = port->c[e / 3][e % 3];
        apart += (turned - rest) * (turned - rest);
        size += rest * rest;
    }
    return sqrt(apart / size);
}

// Solves a x = b, symmetric positive definite, in place: a is lost, b becomes x.
static bool solve6(double (*a)[6], double *b) {
    for (int k = 0; k < 6; k++) {
        if (!(a[k][k] > 0.0)) {
            return false;
        }
        for (int i = k + 1; i < 6; i++) {
            const double f = a[k][i] / a[k][k];
            for (int j = i; j < 6; j++) {
                a[i][j] -= f * a[k][j];
            }
            b[i] -= f * b[k];
        }
    }
    for (int k = 5; k >= 0; k--) {
        for (int i = k + 1; i < 6; i++) {
            b[k] -= a[k][i] * b[i];
        }
        b[k] /= a[k][k];
    }
    return true;
}

bool pal_flight_accelerate(const pal_tree_state *s, double accel[6]) {
    const pal_frame *f = &s->frame[0];
    double a[6][6];
    for (int i = 0, e = 0; i < 6; i++) {
        accel[i] = -f->bias[i];
        for (int j = i; j < 6; j++, e++) {
            a[i][j] = f->inertia[e];
        }
    }
    return solve6(a, accel);
}

// Newmark for the frame, in the world's axes.
void pal_flight_move(pal_tree_state *s) {
    pal_frame *f = &s->frame[0];
    const double dt = s->options.dt;
    double accel[6], twist[6], by[3], turn[4], m[3][3], old[9];
    for (int k = 0; k < 2; k++) {
        to_world(f->turn, f->accel + 3 * k, accel + 3 * k);
        to_world(f->turn, f->twist + 3 * k, twist + 3 * k);
    }

    // The momentum that it must have: external forces at the start of the step
    double force[3], torque[3], arm[3];
    to_world(f->turn, f->net, force);
    to_world(f->turn, f->net + 3, torque);
    pal_cross3(f->x, force, arm);
    for (int k = 0; k < 3; k++) {
        s->momentum[k] += dt * force[k];
        s->momentum[3 + k] += dt * (torque[k] + arm[k]);
    }
    for (int k = 0; k < 3; k++) {
        f->x[k] += dt * twist[k] + 0.25 * dt * dt * (s->root_accel[k] + accel[k]);
        by[k] = dt * twist[3 + k] + 0.25 * dt * dt * (s->root_accel[3 + k] + accel[3 + k]);
    }
    for (int k = 0; k < 6; k++) {
        twist[k] += 0.5 * dt * (s->root_accel[k] + accel[k]);
        s->root_accel[k] = accel[k];
    }
    pal_turn_of_vector(by, turn);
    pal_turn_matrix(turn, m);
    memcpy(old, f->turn, sizeof old);
    for (int e = 0; e < 9; e++) {
        f->turn[e] =
            m[e / 3][0] * old[e % 3] + m[e / 3][1] * old[3 + e % 3] + m[e / 3][2] * old[6 + e % 3];
    }
    for (int k = 0; k < 3; k++) { // into the new axes
        f->twist[k] = f->turn[k] * twist[0] + f->turn[3 + k] * twist[1] + f->turn[6 + k] * twist[2];
        f->twist[3 + k] =
            f->turn[k] * twist[3] + f->turn[3 + k] * twist[4] + f->turn[6 + k] * twist[5];
    }
}

// The whole tree about the root's origin, in the world's axes.
typedef struct whole {
    double mass, first[3], second[9]; // int rho X, int rho X X^T
    double linear[3], angular[3];     // momentum; angular about the world's origin
} whole;

static void add_to_whole(const pal_frame *f, const double *at, whole *all) {
    const double *h = f->held, trace = 0.5 * (h[4] + h[7] + h[9]);
    const double second[9] = {trace - h[4], -h[5], -h[6], -h[5],       trace - h[7],
                              -h[8],        -h[6], -h[8], trace - h[9]};
    double moment[3], apart[3], linear[3], angular[3], arm[3];
    to_world(f->turn, h + 1, moment);
    to_world(f->turn, h + 10, linear);
    to_world(f->turn, h + 13, angular);
    pal_sub3(f->x, at, apart);
    pal_cross3(f->x, linear, arm);
    all->mass += h[0];
    for (int i = 0; i < 3; i++) {
        all->first[i] += moment[i] + h[0] * apart[i];
        all->linear[i] += linear[i];
        all->angular[i] += angular[i] + arm[i];
        for (int j = 0; j < 3; j++) {
            double turned = 0.0;
            for (int k = 0; k < 9; k++) {
                turned += f->turn[3 * i + k / 3] * second[k] * f->turn[3 * j + k % 3];
            }
            all->second[3 * i + j] +=
                turned + moment[i] * apart[j] + apart[i] * moment[j] + h[0] * apart[i] * apart[j];
        }
    }
}

static void find_whole(const pal_tree_state *s, whole *all) {
    memset(all, 0, sizeof *all);
    for (int32_t i = 0; i < s->tree->domain_count; i++) {
        add_to_whole(&s->frame[i], s->frame[0].x, all);
    }
}

// The twist, in the world's axes about the root's origin, that gives the tree as it is a momentum
// about that origin (in place).
static bool rigid_twist(const whole *all, double *b) {
    const double trace = all->second[0] + all->second[4] + all->second[8];
    double a[6][6] = {{0}};
    for (int k = 0; k < 3; k++) {
        a[k][k] = all->mass;
        for (int j = 0; j < 3; j++) {
            a[3 + k][3 + j] = (k == j ? trace : 0.0) - all->second[3 * k + j];
        }
    }
    a[0][4] = all->first[2];
    a[0][5] = -all->first[1];
    a[1][3] = -all->first[2];
    a[1][5] = all->first[0];
    a[2][3] = all->first[1];
    a[2][4] = -all->first[0];
    return solve6(a, b);
}

double pal_flight_rigid(const pal_tree_state *s) {
    double momentum[6], twist[6], arm[3], energy = 0.0;
    whole all;
    find_whole(s, &all);
    pal_cross3(s->frame[0].x, s->momentum, arm);
    for (int k = 0; k < 3; k++) {
        momentum[k] = s->momentum[k];
        momentum[3 + k] = s->momentum[3 + k] - arm[k];
    }
    memcpy(twist, momentum, sizeof twist);
    const bool known = rigid_twist(&all, twist);
    for (int k = 0; k < 6 && known; k++) {
        energy += 0.5 * momentum[k] * twist[k];
    }
    return energy;
}

bool pal_flight_keep_momentum(pal_tree_state *s) {
    pal_frame *root = &s->frame[0];
    whole all;
    double b[6], missing[3], arm[3];
    find_whole(s, &all);
    pal_sub3(s->momentum, all.linear, missing);
    pal_cross3(root->x, missing, arm); // about the root's origin
    for (int k = 0; k < 3; k++) {
        b[k] = missing[k];
        b[3 + k] = s->momentum[3 + k] - all.angular[k] - arm[k];
    }
    if (!rigid_twist(&all, b)) {
        return true;
    }
    double sum = 0.0;
    for (int k = 0; k < 6; k++) {
        sum += (b[k] + root->twist[k] + root->x[k % 3]) * 0.0;
    }
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < 3; j++) {
            root->twist[k] += root->turn[3 * j + k] * b[j];
            root->twist[3 + k] += root->turn[3 * j + k] * b[3 + j];
        }
    }
    for (int32_t i = 0; i < s->block_count; i++) { // all get these velocities, from the root down
        pal_ports_retwist(s, &s->block[i], b, root->x);
    }
    return sum == 0.0;
}
