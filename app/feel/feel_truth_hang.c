// A tree of domains at rest under a load: the reduced side of the truth of large bending. It moves
// in time under the load and is stopped whenever its kinetic energy has passed its largest, until
// that changes nothing any more.
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/feel/feel_truth_parts.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

enum { MOST_STEPS = 60000, ENOUGH = 6 }; // steps; stops in a row that change nothing
static const double step_seconds = 2e-3; // s
static const double settled = 1e-5;      // of the way
struct pal_truth_hang {
    const pal_tree_model *tree;
    pal_tree_state *state;
    const pal_truth_patch *patch; // of the united mesh
    const pal_tree_united *united;
    double (*rest)[3]; // [patch count] m
    double dent;       // m/N, e H G H^T e of the domain
};

void pal_truth_stop(pal_tree_state *state) {
    for (int32_t i = 0; i < pal_tree_of(state)->domain_count; i++) {
        double q[PAL_DOMAIN_MOST_MODES];
        pal_tree_get(state, i, q, NULL, NULL);
        pal_tree_set(state, i, q, NULL, NULL);
    }
    pal_tree_settle(state);
}

// Vertex k of the patch: which domain's, where in its class, and how it moves with the modes.
static int32_t vertex_at(const pal_truth_hang *h, int32_t k, const double **x, const double **u) {
    const int32_t v = h->patch->vertex[k], domain = h->united->domain[v];
    const pal_model *body = &h->tree->body[h->tree->domain[domain].kind];
    const int64_t own = h->united->vertex[v];
    *x = body->mesh.x + 3 * own;
    *u = body->basis + 3 * own * body->r;
    return domain;
}

static void place_at(const pal_truth_hang *h, int32_t k, double place[3]) {
    const double *x, *u;
    double velocity[3];
    const int32_t domain = vertex_at(h, k, &x, &u);
    pal_tree_point(h->state, domain, x, u, place, velocity);
}

// ---- the dent of the patch's domain beside its modes

// e U (U^T K U)^-1 U^T e of a class, m/N.
static pal_status modal_compliance(const pal_tree_model *tree, int32_t kind,
                                   const pal_truth_patch *p, double *compliance, pal_err *err) {
    const pal_model *body = &tree->body[kind];
    const int32_t r = body->r;
    double *k = PAL_NEW(double, (size_t)r *(size_t)r, err), *x = PAL_NEW(double, 3 * r, err);
    pal_status status = k != NULL && x != NULL ? PAL_OK : PAL_ERR_MEMORY;
    *compliance = 0.0;
    for (int32_t i = 0; status == PAL_OK && i < 3 * p->count; i++) {
        const double *row = body->basis + (3 * (int64_t)p->vertex[i / 3] + i % 3) * r;
        for (int32_t l = 0; l < r; l++) {
            x[l] += p->weight[i / 3] * p->direction[i % 3] * row[l];
            x[r + l] = x[l];
        }
    }
    if (status == PAL_OK) { // (its last third stays zero: the class at rest)
        pal_quartic_eval(&tree->class_[kind].quartic, x + 2 * r, NULL, k);
        if (LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', r, 1, k, r, x, 1) != 0) {
            status = pal_fail(err, PAL_ERR_NUMERIC, "a domain has a shape without stiffness");
        }
    }
    for (int32_t l = 0; status == PAL_OK && l < r; l++) {
        *compliance += x[l] * x[r + l];
    }
    free(k);
    free(x);
    return status;
}

// In the mesh of its class, its axes and its size; the patch is all of one domain.
static pal_status find_dent(pal_truth_hang *h, int32_t domain, pal_err *err) {
    const pal_domain *instance = &h->tree->domain[domain];
    const pal_model *body = &h->tree->body[instance->kind];
    pal_truth_patch p = {.count = h->patch->count, .weight = h->patch->weight};
    double x[3], turn[3][3], modal = 0.0, all = 0.0;
    pal_fem fem = {0};
    pal_material *material = PAL_NEW(pal_material, body->region_count, err);
    p.vertex = PAL_NEW(int32_t, p.count, err);
    pal_status status = material != NULL && p.vertex != NULL ? PAL_OK : PAL_ERR_MEMORY;
    pal_tree_frame(h->state, domain, x, turn);
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 3; k++) {
            p.direction[c] += turn[k][c] * h->patch->direction[k];
        }
    }
    for (int32_t k = 0; status == PAL_OK && k < p.count; k++) {
        p.vertex[k] = h->united->vertex[h->patch->vertex[k]];
    }
    for (int32_t g = 0; status == PAL_OK && g < body->region_count; g++) {
        material[g] = body->region[g].material;
    }
    if (status == PAL_OK) {
        status = pal_fem_init(&fem, &body->mesh, material, body->held, PAL_MASS_LUMPED, err);
    }
    if (status == PAL_OK) {
        status = pal_truth_compliance(&fem, &p, &all, err);
        if (status == PAL_OK) {
            status = modal_compliance(h->tree, instance->kind, &p, &modal, err);
        }
        pal_fem_free(&fem);
    }
    h->dent = fmax(0.0, all - modal) / (instance->scale * instance->stiffness);
    free(material);
    free(p.vertex);
    return status;
}

// ---- the rest

pal_status pal_truth_hang_open(pal_truth_hang **hang, const pal_truth_walk *walk,
                               const pal_truth_body *body, const pal_truth_patch *patch,
                               pal_err *err) {
    const pal_tree_options options = {
        .dt = step_seconds, .inertia = PAL_INERTIA_EXACT, .threads = 1};
    pal_truth_hang *h = PAL_NEW(pal_truth_hang, 1, err);
    *hang = h;
    if (h == NULL) {
        return PAL_ERR_MEMORY;
    }
    *h = (pal_truth_hang){.tree = &walk->session.tree, .patch = patch, .united = &body->united};
    h->rest = pal_alloc((size_t)patch->count, sizeof *h->rest, err);
    pal_status status =
        h->rest != NULL ? pal_tree_open(&h->tree->tree, &options, &h->state, err) : PAL_ERR_MEMORY;
    for (int32_t k = 0; status == PAL_OK && k < patch->count; k++) {
        place_at(h, k, h->rest[k]);
    }
    const int32_t domain = h->united->domain[patch->vertex[0]];
    const bool dents = h->tree->body[h->tree->domain[domain].kind].local.row_count > 0;
    if (status == PAL_OK && dents && !walk->session.no_local) {
        status = find_dent(h, domain, err);
    }
    return status;
}

void pal_truth_hang_close(pal_truth_hang *h) {
    if (h != NULL) {
        pal_tree_close(h->state);
        free(h->rest);
        free(h);
    }
}

static double way_now(const pal_truth_hang *h) {
    double way = 0.0, place[3], away[3];
    for (int32_t k = 0; k < h->patch->count; k++) {
        place_at(h, k, place);
        pal_sub3(place, h->rest[k], away);
        way += h->patch->weight[k] * pal_dot3(away, h->patch->direction);
    }
    return way;
}

static pal_outcome step(pal_truth_hang *h, double force) {
    for (int32_t k = 0; k < h->patch->count; k++) {
        const double *x, *u;
        double share[3];
        const int32_t domain = vertex_at(h, k, &x, &u);
        for (int c = 0; c < 3; c++) {
            share[c] = force * h->patch->weight[k] * h->patch->direction[c];
        }
        pal_tree_push(h->state, domain, x, u, share);
    }
    return pal_tree_step(h->state);
}

pal_status pal_truth_hang_way(pal_truth_hang *h, double force, double *way, pal_err *err) {
    double fastest = 0.0, last = way_now(h);
    int enough = 0;
    for (int i = 0; i < MOST_STEPS && enough < ENOUGH; i++) {
        double strain, kinetic;
        if (step(h, force) & PAL_OUT_NAN) {
            break;
        }
        pal_tree_energies(h->state, &strain, &kinetic);
        if (kinetic < fastest) {
            pal_truth_stop(h->state);
            *way = way_now(h);
            enough = fabs(*way - last) <= settled * fabs(*way) ? enough + 1 : 0;
            last = *way;
            kinetic = 0.0;
        }
        fastest = kinetic;
    }
    *way = last + h->dent * force;
    return enough == ENOUGH ? PAL_OK
                            : pal_fail(err, PAL_ERR_NUMERIC,
                                       "the tree of domains found no rest under %.3g N", force);
}
