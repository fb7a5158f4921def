// How the body of a new scene yields where it is pressed, by linear finite elements: what it is
// made of, how deep the hand goes, what is baked.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/new_parts.h"
#include "sim/base/memory.h"
#include "sim/base/sparse_chol.h"
#include "sim/base/vec3.h"
#include "sim/fem/assemble.h"

// A press should be felt, and be well below what a small device can give (3.3 N).
static const double least_force = 0.1, wanted_force = 1.2; // N
static const double hand_stiffness = 300.0; // N/m, of coupling and grip of a small device, about

// From soft to hard: a slender body of tissue would yield to a breath.
static const char *const ladder[] = {"liver", "silicone-soft", "silicone", "rubber"};
enum { LADDER = sizeof ladder / sizeof *ladder };

typedef struct yielding { // at the spot, of a body of one material
    double compliance;    // m/N
    double frequency;     // rad/s, of a swing in the shape of the press
    double factor;        // entries of the factor of K
    int32_t dofs;
} yielding;

// The free vertices that a ball at the spot presses on, each by its distance; wider where the mesh
// is coarse. weight [free_count], sum 1.
static void spread(const pal_new_scene *made, const pal_fem *fem, double *weight) {
    double sum = 0.0;
    for (double reach = fmax(made->radius, made->edge); sum == 0.0; reach *= 1.5) {
        for (int32_t f = 0; f < fem->free_count; f++) {
            double way[3];
            pal_sub3(made->mesh.x + 3 * (int64_t)fem->free_vertex[f], made->spot, way);
            weight[f] = fmax(1.0 - pal_dot3(way, way) / (reach * reach), 0.0);
            sum += weight[f];
        }
    }
    for (int32_t f = 0; f < fem->free_count; f++) {
        weight[f] /= sum;
    }
}

static pal_status solve(const pal_new_scene *made, pal_fem *fem, const double *weight, double *u,
                        yielding *y, pal_err *err) {
    const int axis = pal_up_axis(made->up);
    bool positive = false;
    pal_status status = pal_fem_evaluate(fem, NULL, NULL, NULL, true, err);
    pal_chol *chol = status == PAL_OK ? pal_chol_create(&fem->stiffness, err) : NULL;
    status = chol != NULL ? pal_chol_factor(chol, &fem->stiffness, &positive, err) : err->status;
    if (status == PAL_OK && !positive) {
        status = pal_fail(err, PAL_ERR_INPUT,
                          "%s: parts of it hang on others by a vertex or an edge alone and can "
                          "turn about it; join them (palpate info counts such hinges)",
                          made->file);
    }
    for (int32_t f = 0; status == PAL_OK && f < fem->free_count; f++) {
        u[3 * (int64_t)f + axis] = weight[f];
    }
    if (status == PAL_OK) {
        y->factor = pal_chol_entries(chol);
        status = pal_chol_solve(chol, 1, u, err);
    }
    pal_chol_free(chol);
    return status;
}

static pal_status measure(const pal_new_scene *made, const pal_material *material,
                          const pal_progress *progress, yielding *y, pal_err *err) {
    const pal_volmesh *mesh = &made->mesh;
    pal_material *all = PAL_NEW(pal_material, mesh->region_count, err);
    if (all == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t g = 0; g < mesh->region_count; g++) {
        all[g] = *material;
    }
    pal_fem fem;
    pal_progress_report(progress, "trial press", 0.0);
    pal_status status = pal_fem_init(&fem, mesh, all, made->held, PAL_MASS_LUMPED, err);
    free(all);
    if (status != PAL_OK) {
        return pal_fail_in(err, status, made->file);
    }
    const int64_t dofs = pal_fem_dofs(&fem);
    double *weight = PAL_NEW(double, fem.free_count, err), *u = PAL_NEW(double, dofs, err),
           *mu = PAL_NEW(double, dofs, err);
    status = weight != NULL && u != NULL && mu != NULL ? PAL_OK : PAL_ERR_MEMORY;
    y->dofs = (int32_t)dofs;
    if (status == PAL_OK) {
        spread(made, &fem, weight);
        status = solve(made, &fem, weight, u, y, err);
    }
    if (status == PAL_OK) {
        double inertia = 0.0;
        y->compliance = 0.0;
        pal_fem_multiply_mass(&fem, u, mu);
        for (int64_t i = 0; i < dofs; i++) {
            inertia += u[i] * mu[i];
        }
        for (int32_t f = 0; f < fem.free_count; f++) {
            y->compliance += weight[f] * u[3 * (int64_t)f + pal_up_axis(made->up)];
        }
        y->frequency = sqrt(y->compliance / inertia); // Rayleigh's quotient: u K u = f u
    }
    free(weight);
    free(u);
    free(mu);
    pal_fem_free(&fem);
    return status;
}

// ---- decisions

// Whether the body yields as a whole, far more than a half space would under the tool's patch.
static bool sways(const pal_new_scene *made, const pal_material *m, const yielding *y) {
    const double least = 0.5, patch = 0.7 * made->radius;
    const double half_space = 2.0 * patch * m->young / (1.0 - m->poisson * m->poisson);
    return 1.0 / y->compliance < least * half_space;
}

static double press_limit(const pal_new_scene *made) {
    return fmin(made->radius, made->thickness > 0.0 ? 0.35 * made->thickness : made->radius);
}

static const pal_material_preset *choose_material(pal_new_scene *made, const char *asked,
                                                  const yielding *soft) {
    const double softest = pal_material_find_preset(ladder[0])->material.young;
    const pal_material_preset *preset = pal_material_find_preset(asked != NULL ? asked : ladder[0]);
    if (asked != NULL) {
        snprintf(made->material_reason, sizeof made->material_reason, "as it was asked for");
        return preset;
    }
    int step = 0;
    double force = 0.0;
    for (; step < LADDER; step++) {
        preset = pal_material_find_preset(ladder[step]);
        force = press_limit(made) / soft->compliance * preset->material.young / softest;
        if (force >= least_force) {
            break;
        }
    }
    const double of_tissue = press_limit(made) / soft->compliance;
    if (step == 0) {
        snprintf(made->material_reason, sizeof made->material_reason,
                 "soft tissue: a press by %.2g mm takes about %.2g N", 1e3 * press_limit(made),
                 of_tissue);
    } else {
        snprintf(made->material_reason, sizeof made->material_reason,
                 "of soft tissue so slender a body would give way under %.2g N, which no hand "
                 "feels; of this it takes %.2g N",
                 of_tissue, force);
    }
    return preset;
}

// Modes for the size of the mesh: each costs a solve, each pair of them one more.
static void choose_basis(pal_new_scene *made, const yielding *y) {
    made->modes = made->mesh.element_count <= 40000 ? 20 : 15;
    made->modes = made->modes > y->dofs / 6 ? y->dofs / 6 : made->modes;
    made->modes = made->modes < 1 ? 1 : made->modes;
    made->basis_size = 3 * made->modes / 2;
}

static void choose_times(pal_new_scene *made, const yielding *y) {
    const double ratio = 0.05; // of the press's shape to critical damping
    const double solves = 0.5 * made->modes * (made->modes + 1.0) + 10.0 * made->modes;
    const double quartic = pow(made->basis_size / 30.0, 4.0);
    made->damping = fmin(fmax(pal_new_round(2.0 * ratio / y->frequency), 1e-5), 20e-3);
    made->local_radius =
        pal_new_round(fmax(0.075 * made->size, fmax(3.0 * made->edge, 3.0 * made->radius)));
    // as measured on two processors; the integrals of the quartic forms take most of it
    const double each = made->mesh.kind == PAL_HEX8 ? 8e-3 : 1e-3;
    made->bake_seconds =
        1.0 + each * (0.4 + 0.6 * quartic) * made->mesh.element_count + 1.5e-9 * solves * y->factor;
}

pal_status pal_new_press(pal_new_scene *made, const pal_new_wish *wish,
                         const pal_progress *progress, pal_err *err) {
    const char *first = wish->material != NULL ? wish->material : ladder[0];
    const pal_material_preset *preset = pal_material_find_preset(first);
    if (preset == NULL) {
        return pal_fail(err, PAL_ERR_USAGE, "there is no material preset '%s'", first);
    }
    const double young = preset->material.young;
    yielding y = {0};
    pal_status status = measure(made, &preset->material, progress, &y, err);
    while (status == PAL_OK && wish->fixed == NULL && sways(made, &preset->material, &y) &&
           pal_new_hold_more(made)) {
        status = measure(made, &preset->material, progress, &y, err);
    }
    if (status != PAL_OK) {
        return status;
    }
    preset = choose_material(made, wish->material, &y);
    y.compliance *= young / preset->material.young;
    y.frequency *= sqrt(preset->material.young / young);
    snprintf(made->material, sizeof made->material, "%s", preset->name);
    const double all = y.compliance + 1.0 / hand_stiffness;
    const double depth = fmin(press_limit(made) * all / y.compliance, wanted_force * all);
    made->depth = fmin(pal_new_round(depth), 1.5 * made->radius);
    made->force = made->depth / all;
    choose_basis(made, &y);
    choose_times(made, &y);
    return PAL_OK;
}

pal_status pal_new_scene_make(const char *path, const pal_new_wish *wish,
                              const pal_progress *progress, pal_new_scene *made, pal_err *err) {
    memset(made, 0, sizeof *made);
    made->file = pal_copy_text(path, err);
    pal_status status =
        made->file != NULL ? pal_new_read(made, wish, progress, err) : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = pal_new_stand(made, wish, err);
    }
    if (status == PAL_OK) {
        status = pal_new_hold(made, wish, err);
    }
    if (status == PAL_OK) {
        status = pal_new_place(made, err);
    }
    if (status == PAL_OK) {
        status = pal_new_press(made, wish, progress, err);
    }
    if (status != PAL_OK) {
        pal_new_scene_free(made);
    }
    return status;
}

void pal_new_scene_free(pal_new_scene *made) {
    free(made->file);
    free(made->held);
    pal_volmesh_free(&made->mesh);
    pal_surface_free(&made->surface);
    memset(made, 0, sizeof *made);
}
