// The blow to a body of domains: a velocity along the first eigenmode of the whole mesh, the same
// in the whole mesh and, domain by domain, in the tree.
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
    for (int32_t i = 0; i < c->model.domain_count; i++) {
        pal_tree_set(state, i, NULL, c->start + (size_t)i * PAL_DOMAIN_MOST_MODES, NULL);
    }
    pal_tree_settle(state);
}

// ---- the whole mesh

// A region for each domain and region, so that the frequency factors of domains act in the whole
// mesh too.
static pal_status make_fem(pal_tree_comparison *c, pal_err *err) {
    const pal_scene_body *body = &c->tree.body;
    const pal_partition *parts = &c->tree.partition;
    const int32_t regions = body->mesh.region_count, count = regions * parts->domain_count;
    pal_material *material = PAL_NEW(pal_material, count, err);
    pal_status status = material != NULL ? PAL_OK : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = pal_volmesh_alloc(&c->mesh, body->mesh.kind, body->mesh.vertex_count,
                                   body->mesh.element_count, count, err);
    }
    if (status == PAL_OK) {
        const size_t corners = (size_t)body->mesh.element_count * (size_t)body->mesh.kind;
        memcpy(c->mesh.x, body->mesh.x, 3 * (size_t)body->mesh.vertex_count * sizeof *c->mesh.x);
        memcpy(c->mesh.element, body->mesh.element, corners * sizeof *c->mesh.element);
    }
    for (int32_t d = 0; status == PAL_OK && d < parts->domain_count; d++) {
        const int32_t elements = parts->part[parts->domain[d].kind].mesh.element_count;
        for (int32_t g = 0; g < regions; g++) {
            material[d * regions + g] = body->material[g];
            material[d * regions + g].young *= c->model.domain[d].stiffness;
        }
        for (int32_t k = 0; k < elements; k++) {
            const int32_t e = parts->element[d][k];
            c->mesh.region[e] = d * regions + body->mesh.region[e];
        }
    }
    if (status == PAL_OK) {
        status =
            pal_fem_init(&c->trial.fem, &c->mesh, material, body->held, c->scene->mass_kind, err);
    }
    free(material);
    return status;
}

// q' of one domain from the velocity of the whole mesh, less that of its frame: U^T M (v - v_F).
static pal_status project_domain(pal_tree_comparison *c, int32_t d, const pal_tree_state *state,
                                 pal_err *err) {
    const int32_t kind = c->model.domain[d].kind, r = c->model.class_[kind].r;
    const pal_model *body = &c->model.body[kind];
    const int64_t rows = 3 * (int64_t)body->mesh.vertex_count;
    double *field = PAL_NEW(double, rows, err), *momentum = PAL_NEW(double, rows, err);
    pal_material *material = PAL_NEW(pal_material, body->region_count, err);
    pal_fem fem = {0};
    pal_status status = field && momentum && material ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t g = 0; status == PAL_OK && g < body->region_count; g++) {
        material[g] = body->region[g].material;
    }
    if (status == PAL_OK) {
        status = pal_fem_init(&fem, &body->mesh, material, NULL, c->scene->mass_kind, err);
    }
    double x[3], turn[3][3], v[3], w[3];
    pal_tree_frame(state, d, x, turn);
    pal_tree_twist(state, d, v, w);
    for (int32_t k = 0; status == PAL_OK && k < body->mesh.vertex_count; k++) {
        const double *world = c->velocity + 3 * (int64_t)c->tree.partition.vertex[d][k];
        double swept[3];
        pal_cross3(w, body->mesh.x + 3 * (int64_t)k, swept);
        for (int a = 0; a < 3; a++) { // in the axes of the frame
            const double own =
                turn[0][a] * world[0] + turn[1][a] * world[1] + turn[2][a] * world[2];
            field[3 * (int64_t)k + a] = own - v[a] - swept[a];
        }
    }
    if (status == PAL_OK) { // nothing is held, so that free vectors are full ones
        pal_fem_multiply_mass(&fem, field, momentum);
    }
    for (int64_t i = 0; status == PAL_OK && i < rows; i++) {
        for (int32_t l = 0; l < r; l++) {
            c->start[(size_t)d * PAL_DOMAIN_MOST_MODES + (size_t)l] +=
                body->basis[i * r + l] * momentum[i];
        }
    }
    pal_fem_free(&fem);
    free(material);
    free(field);
    free(momentum);
    return status;
}

// From the root outwards: each domain takes what its parent does not give it already.
static pal_status project(pal_tree_comparison *c, pal_tree_state *state, pal_err *err) {
    pal_status status = PAL_OK;
    for (int32_t d = 0; status == PAL_OK && d < c->model.domain_count; d++) {
        status = project_domain(c, d, state, err);
        if (status == PAL_OK) {
            pal_tree_blow_apply(c, state);
        }
    }
    return status;
}

// The classes' vertices must be those of the partition, in its order.
static pal_status check_places(const pal_tree_comparison *c, const pal_tree_state *state,
                               pal_err *err) {
    for (int32_t d = 0; d < c->model.domain_count; d++) {
        const pal_model *body = &c->model.body[c->model.domain[d].kind];
        for (int32_t k = 0; k < body->mesh.vertex_count; k += 7) {
            const double *there = c->mesh.x + 3 * (int64_t)c->tree.partition.vertex[d][k];
            double x[3], velocity[3], away[3];
            pal_tree_point(state, d, body->mesh.x + 3 * (int64_t)k,
                           body->basis + 3 * (int64_t)k * body->r, x, velocity);
            pal_sub3(x, there, away);
            if (!(pal_norm3(away) < 1e-6)) {
                return pal_fail(err, PAL_ERR_INPUT,
                                "the model in the cache is not of this scene's mesh (domain '%s'); "
                                "palpate bake --rebake makes it anew",
                                c->model.domain_name[d]);
            }
        }
    }
    return PAL_OK;
}

static pal_status strike_whole(pal_tree_comparison *c, pal_tree_state *state, pal_err *err) {
    pal_modes modes;
    pal_status status = make_fem(c, err);
    if (status == PAL_OK) {
        status = check_places(c, state, err);
    }
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

// Without a whole mesh: the root along its own lowest mode, and what hangs on it carried along.
static pal_status strike_root(pal_tree_comparison *c, pal_err *err) {
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
    return solved ? PAL_OK
                  : pal_fail(err, PAL_ERR_USAGE,
                             "the root '%s' has no modes of its own to be struck along",
                             c->model.domain_name[0]);
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
static pal_status scale(pal_tree_comparison *c, pal_tree_state *state, double hz, pal_err *err) {
    pal_tree_blow_apply(c, state);
    const double turning = most_turned(c, state);
    if (!(turning > 0.0) || !isfinite(turning)) {
        return pal_fail(err, PAL_ERR_NUMERIC, "the first mode turns no domain");
    }
    c->speed = c->angle * FULL_TURN * hz / turning;
    for (size_t i = 0; i < (size_t)c->model.domain_count * PAL_DOMAIN_MOST_MODES; i++) {
        c->start[i] *= c->speed;
    }
    for (int64_t i = 0; c->velocity != NULL && i < 3 * (int64_t)c->mesh.vertex_count; i++) {
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
        status = c->is_whole ? strike_whole(c, state, err) : strike_root(c, err);
    }
    if (status == PAL_OK) {
        const int best = c->is_whole ? PAL_WAY_FULL : PAL_WAY_EXACT;
        status = scale(c, state, c->way[best].hz[0], err);
    }
    pal_tree_close(state);
    return status;
}
