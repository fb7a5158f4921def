// Symbols as in MATH.md 2.1. All in metres and kilograms: a domain of scale s has its points at
// s X(q), its modes are s U, its masses s^3 m, its energy kappa s^3 V(q). An affine function of the
// unknowns z is a row of [unknowns + 1] numbers, the constant last.
#include "tests/support/dense_tree.h"

#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"

typedef struct joint { // between a domain and its parent, in the parent's axes
    double x[3], turn[3][3];
    double d[6][PAL_DOMAIN_MOST_MODES]; // [a^; Omega]
    double c[6];
} joint;

typedef struct part {
    const point_class *points;
    const pal_domain *domain;
    int32_t r, first;
    double q[PAL_DOMAIN_MOST_MODES], v[PAL_DOMAIN_MOST_MODES], a[PAL_DOMAIN_MOST_MODES];
    double turn[3][3], twist[6]; // in the world; in its own axes
    joint up;
    double *accel;                        // [6][unknowns + 1] of its frame
    double *wrench;                       // [6][unknowns + 1] that its parent must give
    double mass, first_moment[3], net[6]; // of the subtree, about its own origin
} part;

static void cross_matrix(const double *m, double (*out)[3]) {
    const double x[3][3] = {{0.0, -m[2], m[1]}, {m[2], 0.0, -m[0]}, {-m[1], m[0], 0.0}};
    memcpy(out, x, sizeof x);
}

// out = a b
static void times(double (*a)[3], double (*b)[3], double (*out)[3]) {
    double m[3][3];
    for (int e = 0; e < 9; e++) {
        const int i = e / 3, j = e % 3;
        m[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
    }
    memcpy(out, m, sizeof m);
}

static void transpose(double (*a)[3], double (*out)[3]) {
    for (int e = 0; e < 9; e++) {
        out[e / 3][e % 3] = a[e % 3][e / 3];
    }
}

static void twice_skew(double (*m)[3], double *x) {
    x[0] = m[2][1] - m[1][2];
    x[1] = m[0][2] - m[2][0];
    x[2] = m[1][0] - m[0][1];
}

static void apply(double (*m)[3], const double *x, double *y) {
    const double out[3] = {pal_dot3(m[0], x), pal_dot3(m[1], x), pal_dot3(m[2], x)};
    memcpy(y, out, sizeof out);
}

static void apply_back(double (*m)[3], const double *x, double *y) {
    double t[3][3];
    transpose(m, t);
    apply(t, x, y);
}

// The nearest rotation, by the singular values.
static void nearest_rotation(double (*b)[3], double (*q)[3]) {
    double a[9], s[3], u[9], vt[9], work[2];
    memcpy(a, b, sizeof a);
    LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'A', 'A', 3, 3, a, 3, s, u, 3, vt, 3, work);
    double um[3][3], vm[3][3], col[3], det;
    memcpy(um, u, sizeof um);
    memcpy(vm, vt, sizeof vm);
    times(um, vm, q);
    pal_cross3(q[0], q[1], col);
    det = pal_dot3(col, q[2]);
    for (int e = 0; e < 3 && det < 0.0; e++) {
        vm[2][e] = -vm[2][e];
    }
    times(um, vm, q);
}

// x = G^-1 y, G = tr(S) I - S.                                                   [BZ11 eq. 7]
static void solve_stretch(double (*s)[3], const double *y, double *x) {
    double g[9];
    lapack_int pivot[3];
    const double trace = s[0][0] + s[1][1] + s[2][2];
    for (int e = 0; e < 9; e++) {
        g[e] = (e % 4 == 0 ? trace : 0.0) - s[e / 3][e % 3];
    }
    memcpy(x, y, 3 * sizeof *x);
    LAPACKE_dgesv(LAPACK_ROW_MAJOR, 3, 1, g, 3, pivot, x, 1);
}

// B of the port for a displacement of its points: sum w (u_k - mean) (X_k - mean)^T.
static void spread(double (*u)[3], double (*x)[3], double (*b)[3], double *mean) {
    const double w = 1.0 / PORT_POINTS;
    double rest[3] = {0};
    memset(mean, 0, 3 * sizeof *mean);
    memset(b, 0, 9 * sizeof(double));
    for (int k = 0; k < PORT_POINTS; k++) {
        for (int a = 0; a < 3; a++) {
            mean[a] += w * u[k][a];
            rest[a] += w * x[k][a];
        }
    }
    for (int k = 0; k < PORT_POINTS; k++) {
        for (int e = 0; e < 9; e++) {
            b[e / 3][e % 3] += w * (u[k][e / 3] - mean[e / 3]) * (x[k][e % 3] - rest[e % 3]);
        }
    }
}

// Points behind a port at rest, now, and how fast (class units).
static void port_points(const part *p, int32_t port, double (*x)[3], double (*now)[3],
                        double (*rate)[3]) {
    for (int k = 0; k < PORT_POINTS; k++) {
        const int i = point_tree_port_point(port, k);
        for (int a = 0; a < 3; a++) {
            x[k][a] = now[k][a] = p->points->x[i][a];
            rate[k][a] = 0.0;
            for (int32_t l = 0; l < p->r; l++) {
                now[k][a] += p->points->u[i][a][l] * p->q[l];
                rate[k][a] += p->points->u[i][a][l] * p->v[l];
            }
        }
    }
}

// Q G^-1 2 skew(Q^T m)
static void turn_rate(double (*q)[3], double (*stretch)[3], double (*m)[3], double *w) {
    double qt[3][3], turned[3][3], y[3], z[3];
    transpose(q, qt);
    times(qt, m, turned);
    twice_skew(turned, y);
    solve_stretch(stretch, y, z);
    apply(q, z, w);
}

// D = [a^; Omega], column by column.
static void make_columns(const part *p, int32_t port, double (*q)[3], double (*stretch)[3],
                         double (*x)[3], joint *j) {
    for (int32_t l = 0; l < p->r; l++) {
        double u[PORT_POINTS][3], b[3][3], mean[3], w[3];
        for (int k = 0; k < PORT_POINTS; k++) {
            for (int a = 0; a < 3; a++) {
                u[k][a] = p->points->u[point_tree_port_point(port, k)][a][l];
            }
        }
        spread(u, x, b, mean);
        turn_rate(q, stretch, b, w);
        for (int a = 0; a < 3; a++) {
            j->d[a][l] = p->domain->scale * mean[a];
            j->d[3 + a][l] = w[a];
        }
    }
}

// w_i x w_ij + G^-1( 2 skew(-Q^T ~w_ij B') - (tr(S') I - S') Q^T w_ij ), MATH.md 2.1.
static void make_spin(const double *frame, double (*q)[3], double (*stretch)[3], double (*bdot)[3],
                      double *out) {
    double qt[3][3], m[3][3], cross[3][3], ws[3][3], sdot[3][3], w[3], own[3], y[3], z[3];
    turn_rate(q, stretch, bdot, w);
    transpose(q, qt);
    apply(qt, w, own);
    times(qt, bdot, m);
    cross_matrix(own, cross);
    times(cross, stretch, ws);
    for (int e = 0; e < 9; e++) {
        sdot[e / 3][e % 3] = m[e / 3][e % 3] - ws[e / 3][e % 3];
    }
    times(cross, m, ws); // Q^T ~w B' = ~(Q^T w) Q^T B'
    twice_skew(ws, y);
    apply(sdot, own, z);
    const double trace = sdot[0][0] + sdot[1][1] + sdot[2][2];
    for (int a = 0; a < 3; a++) {
        y[a] = -y[a] - trace * own[a] + z[a];
    }
    solve_stretch(stretch, y, z);
    apply(q, z, y);
    pal_cross3(frame, w, out);
    for (int a = 0; a < 3; a++) {
        out[a] += y[a];
    }
}

static void make_joint(const part *p, const pal_domain *child, joint *j) {
    const double *frame = p->twist + 3;
    double x[PORT_POINTS][3], now[PORT_POINTS][3], rate[PORT_POINTS][3], b[3][3], bdot[3][3];
    double q[3][3], qt[3][3], stretch[3][3], rest[3][3], velocity[3], far[3], turn[3];
    port_points(p, child->port, x, now, rate);
    spread(now, x, b, j->x);
    spread(rate, x, bdot, velocity);
    nearest_rotation(b, q);
    transpose(q, qt);
    times(qt, b, stretch);
    memcpy(rest, child->rest, sizeof rest);
    times(q, rest, j->turn);
    make_columns(p, child->port, q, stretch, x, j);
    make_spin(frame, q, stretch, bdot, j->c + 3);
    for (int a = 0; a < 3; a++) {
        j->x[a] *= p->domain->scale;
        velocity[a] *= p->domain->scale;
    }
    pal_cross3(frame, j->x, far);
    pal_cross3(frame, far, far);
    pal_cross3(frame, velocity, turn);
    for (int a = 0; a < 3; a++) {
        j->c[a] = far[a] + 2.0 * turn[a];
    }
}

// out = diag(R^T, R^T) Phi in, rows of `width` numbers; Phi = [I -~x; 0 I].
static void carry_down(const joint *j, const double *in, int32_t width, double *out) {
    double turn[3][3];
    memcpy(turn, j->turn, sizeof turn);
    for (int32_t k = 0; k < width; k++) {
        const double lin[3] = {in[k], in[width + k], in[2 * width + k]};
        const double ang[3] = {in[3 * width + k], in[4 * width + k], in[5 * width + k]};
        double arm[3], y[6];
        pal_cross3(ang, j->x, arm);
        for (int a = 0; a < 3; a++) {
            arm[a] += lin[a];
        }
        apply_back(turn, arm, y);
        apply_back(turn, ang, y + 3);
        for (int a = 0; a < 6; a++) {
            out[a * width + k] = y[a];
        }
    }
}

// The same wrench about the parent's origin and in its axes.
static void carry_up(const joint *j, const double *wrench, double *at_joint, double *out) {
    double turn[3][3], arm[3];
    memcpy(turn, j->turn, sizeof turn);
    apply(turn, wrench, at_joint);
    apply(turn, wrench + 3, at_joint + 3);
    pal_cross3(j->x, at_joint, arm);
    for (int a = 0; a < 3; a++) {
        out[a] = at_joint[a];
        out[3 + a] = at_joint[3 + a] + arm[a];
    }
}

// ---- downwards

// out[a * width] += diag(R^T, R^T) in
static void add_turned(const joint *j, const double *in, double *out, int32_t width) {
    double turn[3][3], y[6];
    memcpy(turn, j->turn, sizeof turn);
    apply_back(turn, in, y);
    apply_back(turn, in + 3, y + 3);
    for (int a = 0; a < 6; a++) {
        out[a * width] += y[a];
    }
}

static void add_down(part *p, const part *parent, int32_t width) {
    carry_down(&p->up, parent->accel, width, p->accel);
    carry_down(&p->up, parent->twist, 1, p->twist);
    add_turned(&p->up, p->up.c, p->accel + width - 1, width);
    for (int32_t l = 0; l < parent->r; l++) {
        double d[6], moving[6];
        for (int a = 0; a < 6; a++) {
            d[a] = p->up.d[a][l];
            moving[a] = d[a] * parent->v[l];
        }
        add_turned(&p->up, d, p->accel + parent->first + l, width);
        add_turned(&p->up, moving, p->twist, 1);
    }
}

static void read_state(const dense_tree *d, const pal_tree_state *now, part *p) {
    const int32_t n = d->t->tree.domain_count, width = d->unknowns + 1;
    double x[3];
    for (int32_t i = 0; i < n; i++) {
        const pal_domain *domain = &d->t->domain[i];
        p[i].points = &d->t->points[domain->kind];
        p[i].domain = domain;
        p[i].r = d->t->class_[domain->kind].r;
        p[i].first = point_tree_first(d->t, i);
        p[i].accel = PAL_NEW(double, 6 * width, NULL);
        p[i].wrench = PAL_NEW(double, 6 * width, NULL);
        pal_tree_get(now, i, p[i].q, p[i].v, p[i].a);
    }
    pal_tree_frame(now, 0, x, p[0].turn);
    pal_tree_twist(now, 0, p[0].twist, p[0].twist + 3);
    for (int a = 0; a < 6 && d->t->tree.flies; a++) {
        p[0].accel[a * width + d->modes + a] = 1.0;
    }
    for (int32_t i = 1; i < n; i++) {
        part *parent = &p[p[i].domain->parent];
        make_joint(parent, p[i].domain, &p[i].up);
        times(parent->turn, p[i].up.turn, p[i].turn);
        add_down(&p[i], parent, width);
    }
}

// ---- upwards

// One mass: its inertial force less what pulls it, as an affine function; projected on the frame
// (wrench) and on the modes (rows).
static void add_point(const dense_tree *d, part *p, int32_t i, int k, double dt,
                      const double *gravity, const double *force, double *rows) {
    const int32_t width = d->unknowns + 1, one = width - 1;
    const double s = p->domain->scale, m = s * s * s * p->points->mass[k], half = 0.5 * dt;
    const double alpha = d->t->class_[p->domain->kind].alpha, more = 1.0 + alpha * half;
    const double *old = d->accel[i], *w = p->twist + 3;
    double x[3], u[3], ue[3], far[3], coriolis[3], end[3], we[3], pull[3];
    for (int a = 0; a < 3; a++) {
        x[a] = s * p->points->x[k][a];
        u[a] = ue[a] = 0.0;
        we[a] = w[a] + half * old[3 + a];
        for (int32_t l = 0; l < p->r; l++) {
            const double mode = s * p->points->u[k][a][l];
            x[a] += mode * p->q[l];
            u[a] += mode * p->v[l];
            ue[a] += mode * (p->v[l] + half * p->a[l]);
        }
    }
    pal_cross3(w, x, far);
    pal_cross3(w, far, far);
    pal_cross3(w, u, coriolis);
    pal_cross3(we, x, end);
    apply_back(p->turn, force, pull);
    apply_back(p->turn, gravity, u);
    for (int a = 0; a < 3; a++) {
        end[a] += p->twist[a] + half * old[a] + ue[a];
        far[a] += 2.0 * coriolis[a] - u[a] + alpha * end[a];
        far[a] = m * far[a] - pull[a];
        pull[a] += m * u[a];
    }
    pal_cross3(x, pull, end);
    p->mass += m;
    for (int a = 0; a < 3; a++) {
        p->first_moment[a] += m * x[a];
        p->net[a] += pull[a];
        p->net[3 + a] += end[a];
    }
    for (int32_t c = 0; c < width; c++) {
        const double ang[3] = {p->accel[3 * width + c], p->accel[4 * width + c],
                               p->accel[5 * width + c]};
        double f[3], arm[3];
        pal_cross3(ang, x, f);
        for (int a = 0; a < 3; a++) {
            f[a] += p->accel[a * width + c];
            f[a] += c >= p->first && c < p->first + p->r ? s * p->points->u[k][a][c - p->first] : 0;
            f[a] = m * more * f[a] + (c == one ? far[a] : 0.0);
        }
        pal_cross3(x, f, arm);
        for (int a = 0; a < 3; a++) {
            p->wrench[a * width + c] += f[a];
            p->wrench[(3 + a) * width + c] += arm[a];
            for (int32_t l = 0; l < p->r; l++) {
                rows[(p->first + l) * width + c] += s * p->points->u[k][a][l] * f[a];
            }
        }
    }
}

static void add_elastic(const dense_tree *d, const part *p, double dt, double *rows) {
    const int32_t width = d->unknowns + 1;
    const pal_domain_class *c = &d->t->class_[p->domain->kind];
    const double s = p->domain->scale, factor = p->domain->stiffness * s * s * s;
    const double ahead = 0.25 * dt * dt + 0.5 * c->beta * dt;
    double force[PAL_DOMAIN_MOST_MODES],
        *k = PAL_NEW(double, PAL_DOMAIN_MOST_MODES *PAL_DOMAIN_MOST_MODES, NULL);
    if (p->r > 0) {
        pal_quartic_eval(&c->quartic, p->q, force, k);
    }
    for (int32_t l = 0; l < p->r; l++) {
        double *row = rows + (p->first + l) * width;
        row[width - 1] += factor * force[l];
        for (int32_t m = 0; m < p->r; m++) {
            row[p->first + m] += factor * ahead * k[l * p->r + m];
            row[width - 1] +=
                factor * k[l * p->r + m] * ((dt + c->beta) * p->v[m] + ahead * p->a[m]);
        }
    }
    free(k);
}

// What a subtree asks of the interface that carries it, by the chosen picture of its inertia.
static void hand_up(const part *p, pal_inertia inertia, int32_t width, double *out) {
    if (inertia == PAL_INERTIA_EXACT) {
        memcpy(out, p->wrench, 6 * (size_t)width * sizeof *out);
        return;
    }
    double centre[3] = {0}, far[3] = {0};
    for (int a = 0; a < 3 && inertia == PAL_INERTIA_CENTRE; a++) {
        centre[a] = p->first_moment[a] / p->mass;
    }
    pal_cross3(p->twist + 3, centre, far);
    pal_cross3(p->twist + 3, far, far);
    for (int32_t c = 0; c < width; c++) {
        const bool last = c == width - 1;
        const double ang[3] = {p->accel[3 * width + c], p->accel[4 * width + c],
                               p->accel[5 * width + c]};
        double f[3], arm[3];
        pal_cross3(ang, centre, f);
        for (int a = 0; a < 3; a++) {
            f[a] = p->mass * (f[a] + p->accel[a * width + c] + (last ? far[a] : 0.0));
        }
        pal_cross3(centre, f, arm);
        for (int a = 0; a < 3; a++) {
            out[a * width + c] = f[a] - (last ? p->net[a] : 0.0);
            out[(3 + a) * width + c] = arm[a] - (last ? p->net[3 + a] : 0.0);
        }
    }
}

static void add_child(part *parent, const part *p, pal_inertia inertia, int32_t width,
                      double *rows) {
    double *handed = PAL_NEW(double, 6 * width, NULL);
    double at[6], about[6], moment[3], turn[3][3];
    hand_up(p, inertia, width, handed);
    for (int32_t c = 0; c < width; c++) {
        double wrench[6];
        for (int a = 0; a < 6; a++) {
            wrench[a] = handed[a * width + c];
        }
        carry_up(&p->up, wrench, at, about);
        for (int a = 0; a < 6; a++) {
            parent->wrench[a * width + c] += about[a];
            for (int32_t l = 0; l < parent->r; l++) {
                rows[(parent->first + l) * width + c] += p->up.d[a][l] * at[a];
            }
        }
    }
    free(handed);
    carry_up(&p->up, p->net, at, about);
    memcpy(turn, p->up.turn, sizeof turn);
    apply(turn, p->first_moment, moment);
    for (int a = 0; a < 3; a++) {
        parent->first_moment[a] += moment[a] + p->mass * p->up.x[a];
    }
    for (int a = 0; a < 6; a++) {
        parent->net[a] += about[a];
    }
    parent->mass += p->mass;
}

// ---- the whole

void dense_tree_open(dense_tree *d, const point_tree *t) {
    d->t = t;
    d->modes = point_tree_first(t, t->tree.domain_count);
    d->unknowns = d->modes + (t->tree.flies ? 6 : 0);
    d->accel = (double(*)[6])PAL_NEW(double, 6 * t->tree.domain_count, NULL);
}

void dense_tree_close(dense_tree *d) {
    free(d->accel);
}

static void solve(dense_tree *d, const double *rows, part *p, double *accel) {
    const int32_t n = d->unknowns, width = n + 1;
    double *a = PAL_NEW(double, n *n, NULL), *z = PAL_NEW(double, width, NULL);
    lapack_int *pivot = PAL_NEW(lapack_int, n, NULL);
    for (int32_t i = 0; i < n; i++) {
        memcpy(a + i * n, rows + i * width, (size_t)n * sizeof *a);
        z[i] = -rows[i * width + n];
    }
    LAPACKE_dgesv(LAPACK_ROW_MAJOR, n, 1, a, n, pivot, z, 1);
    z[n] = 1.0;
    memcpy(accel, z, (size_t)d->modes * sizeof *accel);
    for (int32_t i = 0; i < d->t->tree.domain_count; i++) {
        for (int k = 0; k < 6; k++) {
            d->accel[i][k] = 0.0;
            for (int32_t c = 0; c < width; c++) {
                d->accel[i][k] += p[i].accel[k * width + c] * z[c];
            }
        }
    }
    free(a);
    free(z);
    free(pivot);
}

void dense_tree_solve(dense_tree *d, const pal_tree_state *now, pal_inertia inertia, double dt,
                      const double gravity[3], const double *force, double *accel) {
    const int32_t n = d->t->tree.domain_count, width = d->unknowns + 1;
    part *p = PAL_NEW(part, n, NULL);
    double *rows = PAL_NEW(double, d->unknowns *width, NULL);
    read_state(d, now, p);
    for (int32_t i = n - 1; i >= 0; i--) {
        for (int k = 0; k < POINTS; k++) {
            add_point(d, &p[i], i, k, dt, gravity, force + 3 * (i * POINTS + k), rows);
        }
        add_elastic(d, &p[i], dt, rows);
        if (i > 0) {
            add_child(&p[p[i].domain->parent], &p[i], inertia, width, rows);
        }
    }
    if (d->t->tree.flies) {
        memcpy(rows + d->modes * width, p[0].wrench, 6 * (size_t)width * sizeof *rows);
    }
    solve(d, rows, p, accel);
    for (int32_t i = 0; i < n; i++) {
        free(p[i].accel);
        free(p[i].wrench);
    }
    free(p);
    free(rows);
}
