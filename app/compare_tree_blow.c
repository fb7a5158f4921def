// The blow to a body of domains: a velocity along the first eigenmode of the united mesh, the same
// in that mesh and, domain by domain, in the tree.
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/compare_tree.h"
#include "sim/base/memory.h"
#include "sim/base/packed.h"
#include "sim/base/vec3.h"
#include "sim/basis/eigen.h"

static const pal_tree_options still = {.dt = 1e-3, .inertia = PAL_INERTIA_EXACT, .threads = 1};
static const double FULL_TURN = 6.283185307179586476925;

void pal_tree_blow_apply(const pal_tree_comparison *c, pal_tree_state *state) {
    if (c->model.tree.flies) {
        double x[3], turn[3][3];
        pal_tree_frame(state, 0, x, turn);
        pal_tree_set_root(state, x, turn, c->root_twist, c->root_twist + 3);
    }
    for (int32_t i = 0; i < c->model.domain_count; i++) {
        pal_tree_set(state, i, NULL, c->start + (size_t)i * PAL_DOMAIN_MOST_MODES, NULL);
    }
    pal_tree_settle(state);
}

// ---- the united mesh

typedef struct pushed { // a domain by itself: its mass, and fields on its vertices
    pal_fem fem;
    double *field, *momentum; // [3 vertex_count] m/s, and M times it, in the axes of the frame
} pushed;

static void close_pushed(pushed *p) {
    pal_fem_free(&p->fem);
    free(p->field);
    free(p->momentum);
}

static pal_status open_pushed(const pal_tree_comparison *c, int32_t d, pushed *p, pal_err *err) {
    const pal_model *body = &c->model.body[c->model.domain[d].kind];
    const int64_t rows = 3 * (int64_t)body->mesh.vertex_count;
    pal_material *material = PAL_NEW(pal_material, body->region_count, err);
    *p = (pushed){.field = PAL_NEW(double, rows, err), .momentum = PAL_NEW(double, rows, err)};
    pal_status status = material && p->field && p->momentum ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t g = 0; status == PAL_OK && g < body->region_count; g++) {
        material[g] = body->region[g].material;
    }
    if (status == PAL_OK) { // nothing is held, so that free vectors are full ones
        status = pal_fem_init(&p->fem, &body->mesh, material, NULL, c->scene->mass_kind, err);
    }
    free(material);
    if (status != PAL_OK) {
        close_pushed(p);
    }
    return status;
}

// The velocity of the united mesh on the vertices of a domain, in the axes of its frame at rest,
// less that of the frame.
static void take_field(const pal_tree_comparison *c, int32_t d, const pal_tree_state *state,
                       pushed *p) {
    const pal_volmesh *mesh = &c->model.body[c->model.domain[d].kind].mesh;
    const double scale = c->model.domain[d].scale;
    double x[3], turn[3][3], v[3], w[3];
    pal_tree_frame(state, d, x, turn);
    pal_tree_twist(state, d, v, w);
    for (int32_t k = 0; k < mesh->vertex_count; k++) {
        const double *world = c->velocity + 3 * (int64_t)pal_tree_united_vertex(&c->united, d, k);
        double swept[3];
        pal_cross3(w, mesh->x + 3 * (int64_t)k, swept);
        for (int a = 0; a < 3; a++) {
            const double own =
                turn[0][a] * world[0] + turn[1][a] * world[1] + turn[2][a] * world[2];
            p->field[3 * (int64_t)k + a] = (own - v[a]) / scale - swept[a]; // at the class's size
        }
    }
    pal_fem_multiply_mass(&p->fem, p->field, p->momentum);
}

// q' of one domain: U^T M (v - v_F).
static pal_status project_domain(pal_tree_comparison *c, int32_t d, const pal_tree_state *state,
                                 pal_err *err) {
    const pal_model *body = &c->model.body[c->model.domain[d].kind];
    pushed p;
    pal_status status = open_pushed(c, d, &p, err);
    if (status != PAL_OK) {
        return status;
    }
    take_field(c, d, state, &p);
    for (int64_t i = 0; i < 3 * (int64_t)body->mesh.vertex_count; i++) {
        for (int32_t l = 0; l < body->r; l++) {
            c->start[(size_t)d * PAL_DOMAIN_MOST_MODES + (size_t)l] +=
                body->basis[i * body->r + l] * p.momentum[i];
        }
    }
    close_pushed(&p);
    return PAL_OK;
}

// Rigid motion k at a point: along an axis, or about it.
static void rigid(int k, const double x[3], double velocity[3]) {
    double axis[3] = {0.0, 0.0, 0.0};
    axis[k % 3] = 1.0;
    if (k < 3) {
        memcpy(velocity, axis, sizeof axis);
    } else {
        pal_cross3(axis, x, velocity);
    }
}

// Momentum and spin about the origin of all vertices.
static void gather(const pal_volmesh *mesh, const double *momentum, double sum[6]) {
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        double spin[3];
        pal_cross3(mesh->x + 3 * (int64_t)v, momentum + 3 * (int64_t)v, spin);
        for (int a = 0; a < 3; a++) {
            sum[a] += momentum[3 * (int64_t)v + a];
            sum[3 + a] += spin[a];
        }
    }
}

// The twist of a root that flies: that of a rigid body with the same momentum and spin. Its frame
// is at its centre of mass.
static pal_status fit_root(pal_tree_comparison *c, const pal_tree_state *state, pal_err *err) {
    const pal_volmesh *mesh = &c->model.body[c->model.domain[0].kind].mesh;
    double a[6][6] = {{0}}, b[6] = {0};
    lapack_int pivot[6];
    pushed p;
    pal_status status = open_pushed(c, 0, &p, err);
    if (status != PAL_OK) {
        return status;
    }
    take_field(c, 0, state, &p);
    gather(mesh, p.momentum, b);
    for (int k = 0; k < 6; k++) { // M of each rigid motion
        double column[6] = {0};
        for (int32_t v = 0; v < mesh->vertex_count; v++) {
            rigid(k, mesh->x + 3 * (int64_t)v, p.field + 3 * (int64_t)v);
        }
        pal_fem_multiply_mass(&p.fem, p.field, p.momentum);
        gather(mesh, p.momentum, column);
        for (int i = 0; i < 6; i++) {
            a[i][k] = column[i];
        }
    }
    close_pushed(&p);
    if (LAPACKE_dgesv(LAPACK_ROW_MAJOR, 6, 1, &a[0][0], 6, pivot, b, 1) != 0) {
        return pal_fail(err, PAL_ERR_NUMERIC, "the root has no inertia of its own");
    }
    memcpy(c->root_twist, b, sizeof b);
    return PAL_OK;
}

// From the root outwards: each domain takes what its parent does not give it already.
static pal_status project(pal_tree_comparison *c, pal_tree_state *state, pal_err *err) {
    pal_status status = c->model.tree.flies ? fit_root(c, state, err) : PAL_OK;
    for (int32_t d = 0; status == PAL_OK && d < c->model.domain_count; d++) {
        pal_tree_blow_apply(c, state);
        status = project_domain(c, d, state, err);
    }
    pal_tree_blow_apply(c, state);
    return status;
}

static pal_status strike_whole(pal_tree_comparison *c, pal_tree_state *state, pal_err *err) {
    pal_modes modes;
    pal_status status = pal_tree_united_fem(&c->united, c->model.tree.flies, &c->trial.fem, err);
    if (status == PAL_OK) {
        pal_progress_report(c->job->progress, "modes of the whole", 0.0);
        status = pal_modes_solve(&c->trial.fem, PAL_TREE_FREQUENCIES, NULL, &modes, err);
    }
    if (status != PAL_OK) {
        return status;
    }
    for (int k = 0; k < PAL_TREE_FREQUENCIES; k++) {
        c->way[PAL_WAY_FULL].hz[k] = k < modes.count ? pal_mode_hz(modes.lambda[k]) : (double)NAN;
    }
    c->velocity = PAL_NEW(double, modes.rows, err);
    if (c->velocity != NULL) {
        memcpy(c->velocity, modes.psi, (size_t)modes.rows * sizeof *modes.psi);
    }
    pal_modes_free(&modes);
    return c->velocity != NULL ? project(c, state, err) : PAL_ERR_MEMORY;
}

// ---- classes

// Without a united mesh: the root along its own lowest mode, and what hangs on it carried along.
static pal_status strike_root(pal_tree_comparison *c, pal_tree_state *state, pal_err *err) {
    const pal_domain_class *class_ = &c->model.class_[c->model.domain[0].kind];
    const int32_t r = class_->r;
    double *k = PAL_NEW(double, (size_t)r *(size_t)r + 1, err), value[PAL_DOMAIN_MOST_MODES];
    if (k == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t j = 0; j < r; j++) {
        for (int32_t i = 0; i <= j; i++) {
            k[i * r + j] = class_->quartic.p[pal_pair_at(i, j)];
        }
    }
    const bool solved = r > 0 && LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'U', r, k, r, value) == 0;
    for (int32_t i = 0; solved && i < r; i++) {
        c->start[i] = k[i * r];
    }
    free(k);
    if (solved) { // Rayleigh's quotient, should the frequencies of the tree be unknown
        pal_tree_energy energy;
        pal_tree_blow_apply(c, state);
        pal_tree_measure(state, &energy);
        c->hz = sqrt(value[0] * c->model.domain[0].stiffness / (2.0 * energy.kinetic)) / FULL_TURN;
    }
    return solved ? PAL_OK
                  : pal_fail(err, PAL_ERR_USAGE,
                             "the root '%s' has no modes of its own to be struck along",
                             c->model.domain_name[0]);
}

// ---- no drift

static void measure_momentum(const pal_tree_comparison *c, pal_tree_state *state, double sum[6]) {
    pal_tree_energy energy;
    pal_tree_blow_apply(c, state);
    pal_tree_measure(state, &energy);
    memcpy(sum, energy.momentum, sizeof energy.momentum);
    memcpy(sum + 3, energy.spin, sizeof energy.spin);
}

// A tree that flies gets the twist of its root by which it neither drifts nor spins.
static pal_status stop_drift(pal_tree_comparison *c, pal_tree_state *state, pal_err *err) {
    double a[6][6], b[6], sum[6], found[6];
    lapack_int pivot[6];
    memcpy(found, c->root_twist, sizeof found);
    measure_momentum(c, state, b);
    for (int k = 0; k < 6; k++) {
        c->root_twist[k] = found[k] + 1.0;
        measure_momentum(c, state, sum);
        c->root_twist[k] = found[k];
        for (int i = 0; i < 6; i++) {
            a[i][k] = sum[i] - b[i];
        }
    }
    if (LAPACKE_dgesv(LAPACK_ROW_MAJOR, 6, 1, &a[0][0], 6, pivot, b, 1) != 0) {
        return pal_fail(err, PAL_ERR_NUMERIC, "the tree has no inertia");
    }
    for (int k = 0; k < 6; k++) {
        c->root_twist[k] = found[k] - b[k];
    }
    return PAL_OK;
}

// ---- how hard

static double most_turned(const pal_tree_comparison *c, const pal_tree_state *state) {
    double most = 0.0;
    for (int32_t i = 0; i < c->model.domain_count; i++) {
        double v[3], w[3];
        pal_tree_twist(state, i, v, w);
        most = fmax(most, pal_norm3(w));
    }
    return most;
}

// Swinging at the lowest frequency, a domain that turns at the rate w at first comes to w / omega.
static pal_status scale(pal_tree_comparison *c, pal_tree_state *state, pal_err *err) {
    pal_tree_blow_apply(c, state);
    const double turning = most_turned(c, state);
    if (!(turning > 0.0) || !isfinite(turning)) {
        return pal_fail(err, PAL_ERR_NUMERIC, "the first mode turns no domain");
    }
    c->speed = c->angle * FULL_TURN * c->hz / turning;
    for (size_t i = 0; i < (size_t)c->model.domain_count * PAL_DOMAIN_MOST_MODES; i++) {
        c->start[i] *= c->speed;
    }
    for (int k = 0; k < 6; k++) {
        c->root_twist[k] *= c->speed;
    }
    for (int64_t i = 0; c->velocity != NULL && i < 3 * (int64_t)c->united.model.mesh.vertex_count;
         i++) {
        c->velocity[i] *= c->speed;
    }
    return PAL_OK;
}

pal_status pal_tree_blow_make(pal_tree_comparison *c, pal_err *err) {
    pal_tree_state *state = NULL;
    c->start = PAL_NEW(double, (size_t)c->model.domain_count *PAL_DOMAIN_MOST_MODES, err);
    pal_status status =
        c->start != NULL ? pal_tree_open(&c->model.tree, &still, &state, err) : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = c->is_whole ? strike_whole(c, state, err) : strike_root(c, state, err);
    }
    if (status == PAL_OK && c->model.tree.flies) {
        status = stop_drift(c, state, err);
    }
    if (status == PAL_OK) {
        const double known = c->way[c->is_whole ? PAL_WAY_FULL : PAL_WAY_EXACT].hz[0];
        c->hz = isfinite(known) ? known : c->hz;
        status = scale(c, state, err);
    }
    pal_tree_close(state);
    return status;
}
